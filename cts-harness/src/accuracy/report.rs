//! Writes the table of results as Markdown and as JSON.

use super::function::Function;
use super::judge::{Example, Verdict};
use super::limits::Limit;
use super::number::Precision;
use serde_json::{Value, json};

pub(super) struct Row {
    pub(super) function: Function,
    pub(super) precision: Precision,
    pub(super) limit: Limit,
    /// The verdict, or the reason why there is none.
    pub(super) verdict: Result<Verdict, String>,
    /// The seconds for one evaluation, on this platform and on the platform to compare with.
    pub(super) seconds: [Option<f64>; 2],
}

impl Row {
    /// Returns whether a result is beyond the limit, or there is no result.
    pub(super) fn failed(&self) -> bool {
        self.verdict.as_ref().map_or(true, |v| v.wrong > 0)
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.seconds[1]? / self.seconds[0]?)
    }
}

pub(super) fn head(compared: bool) -> String {
    let peer = if compared { " peer | speed over peer |" } else { "" };
    let rule = if compared { "--:|--:|" } else { "" };
    format!("| function | ulp found | limit | at | time |{peer}\n|---|--:|--:|---|--:|{rule}")
}

pub(super) fn line(row: &Row, compared: bool) -> String {
    let (found, at) = match &row.verdict {
        Ok(v) => {
            let example = v.worst.as_ref().filter(|_| v.ulps > 0.0);
            let at = example.map_or(String::new(), |e| place(e, row.precision));
            (found(v, row.limit), at)
        }
        Err(why) => (
            "FAILED".into(),
            why.lines().next().unwrap_or_default().replace('|', "\\|"),
        ),
    };
    let mut text = format!(
        "| {} | {found} | {} | {at} | {} |",
        row.function.name(),
        row.limit.text(),
        time(row.seconds[0])
    );
    if compared {
        let ratio = row.ratio().map_or(String::new(), |r| format!("{r:.2}"));
        text += &format!(" {} | {ratio} |", time(row.seconds[1]));
    }
    text
}

fn found(v: &Verdict, limit: Limit) -> String {
    let units = match v.ulps {
        u if u.is_infinite() => "∞".into(),
        u if u >= 1e6 => format!("{u:.1e}"),
        u if u >= 100.0 || u == 0.0 => format!("{u:.0}"),
        u => format!("{u:.2}"),
    };
    let units = match limit {
        Limit::Absolute { .. } => format!("2^{:.1} absolute", v.absolute.log2()),
        Limit::Rounded if v.wrong == 0 => "0".into(),
        _ => units,
    };
    match v.wrong {
        0 => units,
        n => format!("**{units}: {n} of {}**", v.tried),
    }
}

/// Returns the operands as literals that a program can contain.
fn place(e: &Example, p: Precision) -> String {
    let operands: Vec<String> = e.operands.iter().map(|x| literal(*x, p)).collect();
    operands.join(", ")
}

fn literal(x: f64, p: Precision) -> String {
    match p {
        Precision::Double => format!("{x:e}"),
        Precision::Half | Precision::Single => format!("{:e}", x as f32),
    }
}

fn time(seconds: Option<f64>) -> String {
    match seconds {
        None => String::new(),
        Some(s) if s < 1e-9 => format!("{:.3} ps", s * 1e12),
        Some(s) => format!("{:.1} ns", s * 1e9),
    }
}

pub(super) fn json(row: &Row) -> Value {
    let common = json!({
        "function": row.function.name(), "precision": row.precision.name(), "limit": row.limit.text(),
        "failed": row.failed(), "seconds": row.seconds[0], "peer_seconds": row.seconds[1],
    });
    let more = match &row.verdict {
        Ok(v) => json!({
            // JSON has no infinity.
            "ulps": if v.ulps.is_finite() { json!(v.ulps) } else { json!("infinite") },
            "absolute": v.absolute, "tried": v.tried, "wrong": v.wrong,
            "at": v.worst.as_ref().map(|e| e.operands.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>()),
            "got": v.worst.as_ref().map(|e| format!("{:e}", e.got)),
            "expected": v.worst.as_ref().map(|e| format!("{:e}", e.expected)),
        }),
        Err(why) => json!({ "error": why }),
    };
    match (common, more) {
        (Value::Object(mut all), Value::Object(more)) => {
            all.extend(more);
            Value::Object(all)
        }
        (common, _) => common,
    }
}
