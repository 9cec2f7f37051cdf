//! The whole run as JSON: every row with the medians and quartiles of every side, and the ratios.

use super::case::{Quantity, Side, Stop};
use super::measure::{Outcome, Result};
use super::stats::Summary;
use serde_json::{Value, json};

/// The version of the format. It is increased when the meaning of a field changes.
const FORMAT: u32 = 1;

pub(super) fn run(sides: &[Side], results: &[Result], settings: Value) -> Value {
    let describe = |side: &Side| {
        let d = &side.device;
        json!({ "platform": d.platform, "device": d.name, "driver": d.driver, "version": d.version })
    };
    json!({
        "format": FORMAT,
        "settings": settings,
        "sides": sides.iter().map(describe).collect::<Vec<_>>(),
        "rows": results.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(result: &Result) -> Value {
    let mut value = json!({
        "name": result.row.name,
        "sides": result.sides.iter().map(outcome).collect::<Vec<_>>(),
    });
    // A median in seconds is converted to the row's unit by work / median / size.
    match result.row.quantity {
        Quantity::Time => value["unit"] = json!("s"),
        Quantity::Memory => value["unit"] = json!("B"),
        Quantity::Rate { work, size, unit } => {
            value["unit"] = json!("s");
            value["rate"] = json!({ "work": work, "size": size, "unit": unit });
        }
    }
    for (name, ratio) in ["ratio", "device_ratio"].into_iter().zip(result.ratios()) {
        if let Some(ratio) = ratio {
            value[name] = ratio.to_json();
        }
    }
    value
}

fn outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Measured { wall, device } => {
            let mut value = json!({ "wall": Summary::of(wall).map(Summary::to_json) });
            if let Some(device) = Summary::of(device) {
                value["device"] = device.to_json();
            }
            value
        }
        Outcome::Stopped(Stop::Refused(why)) => json!({ "refused": why }),
        Outcome::Stopped(Stop::Failed(why)) => json!({ "failed": why }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Row;
    use super::*;

    #[test]
    fn a_row_with_a_ratio() {
        let measured = |t: f64| Outcome::Measured {
            wall: vec![t],
            device: vec![t / 2.0],
        };
        let result = Result {
            row: Row {
                name: "kernel/k".into(),
                quantity: Quantity::Time,
            },
            sides: vec![measured(1.0), measured(3.0)],
        };
        let value = row(&result);
        assert_eq!(value["name"], "kernel/k");
        assert_eq!(value["sides"][1]["wall"]["median"], 3.0);
        assert_eq!(value["sides"][0]["device"]["median"], 0.5);
        assert_eq!(
            (&value["ratio"]["median"], &value["device_ratio"]["median"]),
            (&json!(3.0), &json!(3.0))
        );
    }

    #[test]
    fn a_refusal_and_a_failure() {
        let stopped = |stop| outcome(&Outcome::Stopped(stop));
        assert_eq!(
            stopped(Stop::Refused("no fp16".into())),
            json!({ "refused": "no fp16" })
        );
        assert_eq!(
            stopped(Stop::Failed("wrong".into())),
            json!({ "failed": "wrong" })
        );
    }
}
