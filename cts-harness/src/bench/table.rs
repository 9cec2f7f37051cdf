//! Formats the table of results: its heading, its lines and the values in them.

use super::case::{Quantity, Stop};
use super::measure::{Outcome, Result};
use super::stats::Summary;

/// Returns a value with about three significant digits and its unit. The value is in seconds or bytes; for a
/// rate, it is the time in seconds in which the work was done.
pub(super) fn value(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Time => time(value),
        Quantity::Rate { work, size, unit } => format!("{} {unit}", digits(work / value / size)),
        Quantity::Memory => format!("{} MiB", digits(value / 1_048_576.0)),
    }
}

fn time(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(scaled))
}

fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 => format!("{value:.2}"),
        v if v > 0.0 && v < 0.001 => format!("{value:.1e}"),
        _ => format!("{value:.3}"),
    }
}

/// The width of the first column, which contains names.
const NAME: usize = 48;
/// The width of each other column.
const CELL: usize = 15;

/// Returns the heading of the table for one or two platforms.
pub(super) fn header(sides: usize) -> String {
    let cells: &[&str] = match sides {
        1 => &["median", "best", "spread", "99%", "on device"],
        _ => &[
            "A median",
            "B median",
            "A over B",
            "quartiles",
            "best over B",
            "A on device",
            "B on device",
            "over B",
        ],
    };
    line("", &cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>())
}

/// Returns the line of a result. Reasons why a platform has no result follow the columns.
pub(super) fn row(result: &Result) -> String {
    let quantity = result.row.quantity;
    let text = |v: f64| value(quantity, v);
    let cells = match &result.sides[..] {
        [Outcome::Measured { wall, device }] => match Summary::of(wall) {
            Some(s) => vec![
                text(s.median),
                text(s.min),
                format!("±{:.1}%", s.spread() * 100.0),
                text(s.p99),
                median(quantity, device),
            ],
            None => Vec::new(),
        },
        [a, b] => {
            let [wall, device] = result.ratios();
            let mut cells = vec![
                side(quantity, a),
                side(quantity, b),
                wall.map(times).unwrap_or_default(),
                wall.map(|r| format!("{:.2}–{:.2}", r.quartiles[0], r.quartiles[1]))
                    .unwrap_or_default(),
            ];
            cells.push(best(a, b).map_or(String::new(), |r| format!("{r:.2}×")));
            for outcome in [a, b] {
                cells.push(match outcome {
                    Outcome::Measured { device, .. } => median(quantity, device),
                    Outcome::Stopped(_) => String::new(),
                });
            }
            cells.push(device.map(times).unwrap_or_default());
            cells
        }
        _ => Vec::new(),
    };
    let mut text = line(&result.row.name, &cells);
    for (outcome, label) in result.sides.iter().zip(["A", "B"]) {
        let label = if result.sides.len() == 1 { "" } else { label };
        match outcome {
            Outcome::Stopped(Stop::Refused(why)) => text += &format!("  {label} not run: {why}"),
            Outcome::Stopped(Stop::Failed(why)) => text += &format!("  {label} FAILED: {why}"),
            Outcome::Measured { .. } => {}
        }
    }
    text
}

/// Returns the shortest time of `b` divided by the shortest time of `a`, or `None` if one of them has no times.
fn best(a: &Outcome, b: &Outcome) -> Option<f64> {
    let (Outcome::Measured { wall: a, .. }, Outcome::Measured { wall: b, .. }) = (a, b) else {
        return None;
    };
    Some(Summary::of(b)?.min / Summary::of(a)?.min)
}

fn side(quantity: Quantity, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured { wall, .. } => median(quantity, wall),
        Outcome::Stopped(_) => String::from("–"),
    }
}

fn median(quantity: Quantity, values: &[f64]) -> String {
    Summary::of(values).map_or(String::new(), |s| value(quantity, s.median))
}

fn times(ratio: Summary) -> String {
    format!("{:.2}×", ratio.median)
}

fn line(name: &str, cells: &[String]) -> String {
    let mut text = format!("{name:<NAME$}");
    for cell in cells {
        text += &format!(" {cell:>CELL$}");
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::case::Row;
    use super::*;

    fn result(sides: Vec<Outcome>) -> Result {
        Result {
            row: Row {
                name: "kernel/k".into(),
                quantity: Quantity::Rate {
                    work: 2e9,
                    size: 1e9,
                    unit: "GB/s",
                },
            },
            sides,
        }
    }

    fn measured(wall: &[f64], device: &[f64]) -> Outcome {
        let (wall, device) = (wall.to_vec(), device.to_vec());
        Outcome::Measured { wall, device }
    }

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn values_have_units() {
        for (seconds, text) in [
            (1.5e-9, "1.50 ns"),
            (11.72e-6, "11.7 µs"),
            (0.123, "123 ms"),
            (2.0, "2.00 s"),
        ] {
            assert_eq!(value(Quantity::Time, seconds), text);
        }
        assert_eq!(value(Quantity::Memory, 3_145_728.0), "3.00 MiB");
    }

    /// A heading ends in the same column as each value below it.
    #[test]
    fn every_column_has_a_heading() {
        let side = || measured(&[1.0, 1.0], &[1.0, 1.0]);
        for sides in [1, 2] {
            let values = row(&result((0..sides).map(|_| side()).collect()));
            assert_eq!(
                header(sides).chars().count(),
                values.chars().count(),
                "{sides} platforms"
            );
        }
    }

    #[test]
    fn one_side() {
        let text = row(&result(vec![measured(&[1.0, 2.0, 1.0], &[0.5])]));
        assert_eq!(
            words(&text),
            [
                "kernel/k", "2.00", "GB/s", "2.00", "GB/s", "±25.0%", "1.01", "GB/s", "4.00", "GB/s"
            ]
        );
    }

    #[test]
    fn two_sides() {
        let text = row(&result(vec![measured(&[1.0], &[1.0]), measured(&[2.0], &[1.5])]));
        assert_eq!(
            words(&text),
            [
                "kernel/k",
                "2.00",
                "GB/s",
                "1.00",
                "GB/s",
                "2.00×",
                "2.00–2.00",
                "2.00×",
                "2.00",
                "GB/s",
                "1.33",
                "GB/s",
                "1.50×"
            ]
        );
    }

    #[test]
    fn a_refusal_is_stated() {
        let refused = Outcome::Stopped(Stop::Refused("no fp16".into()));
        let text = row(&result(vec![measured(&[1.0], &[]), refused.clone()]));
        assert_eq!(
            words(&text),
            ["kernel/k", "2.00", "GB/s", "–", "B", "not", "run:", "no", "fp16"]
        );
        assert_eq!(
            words(&row(&result(vec![refused]))),
            ["kernel/k", "not", "run:", "no", "fp16"]
        );
    }
}
