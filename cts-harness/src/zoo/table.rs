//! The tables of a comparison as Markdown, and its lines of JSON.

use super::rows::Row;
use super::side::Run;
use super::{Args, Compared};
use crate::bench::stats::{self, Summary};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Ratios from this one on count as good.
const GOOD: f64 = 0.85;

/// The number of kernels in the table of the slowest.
const WORST: usize = 10;

/// Returns a line for a program that has just been run on two platforms.
pub(super) fn line(compared: &Compared) -> String {
    let ratios = ratios(&compared.rows.iter().collect::<Vec<_>>());
    let mean = stats::geometric_mean(&ratios).map_or("-".into(), |m| format!("{m:.2}×"));
    let [a, b] = compared.runs.each_ref().map(|runs| ended(runs));
    format!(
        "{:<32} {:>3} kernels {mean:>7}  {a} / {b}  {}",
        compared.program,
        ratios.len(),
        compared.agreement.text()
    )
}

/// Returns a line for a program that has just been run on the only platform.
pub(super) fn alone(program: &str, runs: &[Run]) -> String {
    let launches = runs.first().map_or(0, |run| run.report.launches.len());
    format!("{program:<32} {launches:>3} launches  {}", ended(runs))
}

/// Returns how the runs of a program ended, and the median of their seconds.
fn ended(runs: &[Run]) -> String {
    match runs.iter().find(|run| !run.is_good()) {
        Some(run) => format!("{}: {}", run.status.word().to_uppercase(), run.why),
        None => {
            let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
            Summary::of(&seconds).map_or("not run".into(), |s| format!("{:.1} s", s.median))
        }
    }
}

fn ratios(rows: &[&Row]) -> Vec<f64> {
    rows.iter()
        .filter_map(|row| row.ratio())
        .map(|r| r.median)
        .collect()
}

pub(super) fn tables(all: &[&Compared], names: [&str; 2], args: &Args) -> String {
    let good = |c: &&&Compared| c.runs.iter().flatten().all(Run::is_good);
    let rows: Vec<&Row> = all.iter().filter(good).flat_map(|c| &c.rows).collect();
    let is_long = |row: &&&Row| row.launch() >= args.least * 1e-6;
    let long: Vec<&Row> = rows.iter().copied().filter(|r| is_long(&r)).collect();
    let [first, other] = names;
    let mut text = format!("\n## {first} and {other}\n\n");
    for (name, at) in [(first, 0), (other, 1)] {
        let device = all.iter().find_map(|c| c.runs[at].first()?.report.device.clone());
        if let Some([platform, device, driver]) = device {
            let _ = writeln!(text, "- {name}: {platform}, {device}, driver {driver}");
        }
    }
    let _ = writeln!(
        text,
        "- A ratio is the sum of {other}'s times by events divided by the sum of {first}'s; above 1, {first} is faster.\n\
         - {} kernels whose launches take less than {} µs are left out.\n",
        rows.len() - long.len(),
        args.least
    );
    text += &families(&long);
    text += &worst(&long, names);
    text += &programs(all, names);
    text += &kernels(&rows, names);
    text
}

/// Returns the statistics of each family of programs, which is what their names have before a slash, and of all.
fn families(rows: &[&Row]) -> String {
    let family = |row: &Row| row.program.split('/').next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = rows.iter().map(|r| family(r)).collect();
    names.sort();
    names.dedup();
    let mut text = format!(
        "| programs | kernels | geometric mean | quartiles | least | from {GOOD} on |\n|---|--:|--:|---|--:|--:|\n"
    );
    let mut line = |name: &str, rows: &[&Row]| {
        let ratios = ratios(rows);
        let (Some(s), Some(mean)) = (Summary::of(&ratios), stats::geometric_mean(&ratios)) else {
            return;
        };
        let share = ratios.iter().filter(|r| **r >= GOOD).count() as f64 / ratios.len() as f64;
        let ([low, high], count, Summary { median, min, .. }) = (s.quartiles, ratios.len(), s);
        let share = share * 100.0;
        let _ = writeln!(
            text,
            "| {name} | {count} | {mean:.2} | {low:.2}, {median:.2}, {high:.2} | {min:.2} | {share:.0} % |"
        );
    };
    for name in &names {
        let of_family: Vec<&Row> = rows.iter().copied().filter(|r| family(r) == *name).collect();
        line(name, &of_family);
    }
    line("all", rows);
    text
}

/// Returns the slowest kernels, with the command that asks the driver about each.
fn worst(rows: &[&Row], names: [&str; 2]) -> String {
    let mut sorted: Vec<(&Row, f64)> = rows
        .iter()
        .filter_map(|row| Some((*row, row.ratio()?.median)))
        .collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut text = format!("\nThe slowest:\n\n{}", heading(names));
    sorted.truncate(WORST);
    sorted.iter().for_each(|(r, _)| text += &kernel(r));
    text += "\nWhat the driver says of them (`sources` is in the folder of the outputs):\n\n";
    for (row, _) in sorted {
        let options = match row.options.is_empty() {
            true => String::new(),
            false => format!(" --options {}", shell_words::quote(&row.options)),
        };
        let local: usize = row
            .local
            .split(',')
            .filter_map(|n| n.parse::<usize>().ok())
            .product();
        let local = if local == 0 {
            String::new()
        } else {
            format!(" --local {local}")
        };
        let _ = writeln!(
            text,
            "    cargo harness bench explain sources/{}.cl {}{options}{local}",
            row.source, row.kernel
        );
    }
    text
}

fn heading([first, other]: [&str; 2]) -> String {
    format!(
        "| kernel | program | launches | {first}, µs each | {other}, µs each | ratio (quartiles) |\n|---|---|--:|--:|--:|---|\n"
    )
}

/// Returns the line of a kernel. A star marks launches with other sizes or code on the other platform.
fn kernel(row: &Row) -> String {
    let Some(ratio) = row.ratio() else {
        return String::new();
    };
    let Row {
        kernel,
        program,
        launches,
        ..
    } = row;
    let [a, b] = row.medians().map(|m| m / (*launches).max(1) as f64 * 1e6);
    let ([low, high], median) = (ratio.quartiles, ratio.median);
    let star = if row.same { "" } else { "*" };
    format!(
        "| {kernel}{star} | {program} | {launches} | {a:.1} | {b:.1} | {median:.2} ({low:.2}–{high:.2}) |\n"
    )
}

/// Returns how each program ended, and whether its results agree.
fn programs(all: &[&Compared], [first, other]: [&str; 2]) -> String {
    let mut text = format!("\n| program | {first} | {other} | what it reads back |\n|---|---|---|---|\n");
    for compared in all {
        let [a, b] = compared.runs.each_ref().map(|runs| ended(runs));
        let unsteady = match compared.steady {
            [true, true] => "",
            _ => "; it differs from run to run",
        };
        let _ = writeln!(
            text,
            "| {} | {a} | {b} | {}{unsteady} |",
            compared.program,
            compared.agreement.text()
        );
    }
    text
}

fn kernels(rows: &[&Row], names: [&str; 2]) -> String {
    let mut text = format!("\n{}", heading(names));
    rows.iter().for_each(|row| text += &kernel(row));
    text += "\n\\* The other platform has other sizes, another number of launches, other options or another source.\n";
    text
}

/// Returns the lines of JSON for a program: one for itself and one for each kernel.
pub(super) fn json(compared: &Compared, names: [&str; 2]) -> Vec<Value> {
    let a = &compared.agreement;
    let sides: Vec<Value> = names
        .iter()
        .zip(&compared.runs)
        .map(|(name, runs)| {
            let seconds: Vec<f64> = runs.iter().map(|r| r.seconds).collect();
            let bad = runs.iter().find(|r| !r.is_good());
            json!({ "platform": name, "seconds": seconds, "device": runs.first().and_then(|r| r.report.device.clone()),
                    "end": bad.map_or("pass".into(), |r| r.status.lower()), "why": bad.map(|r| &r.why) })
        })
        .collect();
    let program = json!({
        "program": compared.program,
        "sides": sides,
        "results": { "equal": a.equal, "close": a.close, "different": a.different, "unseen": a.unseen,
                     "distance": a.distance, "counts": a.counts, "steady": compared.steady },
    });
    let rows = compared.rows.iter().map(|row| {
        json!({
            "program": row.program, "kernel": row.kernel, "source": row.source, "options": row.options,
            "local": row.local, "launches": row.launches, "same": row.same, "seconds": row.seconds,
            "ratio": row.ratio().map(Summary::to_json),
        })
    });
    std::iter::once(program).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(program: &str, kernel: &str, seconds: [f64; 2]) -> Row {
        Row {
            program: program.into(),
            kernel: kernel.into(),
            source: "00ff".into(),
            options: "-D A=\"x y\"".into(),
            local: "8,4,1".into(),
            launches: 2,
            same: true,
            seconds: seconds.map(|s| vec![s]),
        }
    }

    #[test]
    fn families_have_statistics() {
        let all = [
            row("a/x", "k", [1.0, 2.0]),
            row("a/y", "l", [2.0, 1.0]),
            row("b", "m", [1.0, 4.0]),
        ];
        let text = families(&all.iter().collect::<Vec<_>>());
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| a | 2 | 1.00 | 0.88, 1.25, 1.62 | 0.50 | 50 % |",
                "| b | 1 | 4.00 | 4.00, 4.00, 4.00 | 4.00 | 100 % |",
                "| all | 3 | 1.59 | 1.25, 2.00, 3.00 | 0.50 | 67 % |",
            ]
        );
    }

    #[test]
    fn the_slowest_come_first_with_a_command() {
        let all = [row("a", "k", [1e-6, 2e-6]), row("a", "l", [2e-6, 1e-6])];
        let text = worst(&all.iter().collect::<Vec<_>>(), ["one", "two"]);
        let l = "| l | a | 2 | 1.0 | 0.5 | 0.50 (0.50–0.50) |";
        let k = "| k | a | 2 | 0.5 | 1.0 | 2.00 (2.00–2.00) |";
        assert!(text.find(l).unwrap() < text.find(k).unwrap(), "{text}");
        assert!(
            text.contains("explain sources/00ff.cl l --options '-D A=\"x y\"' --local 32\n"),
            "{text}"
        );
    }
}
