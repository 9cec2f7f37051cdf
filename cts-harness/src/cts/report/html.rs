//! The page with all results. It is one file that refers to no other file and contains no scripts. `page.html` is
//! its template; this module computes what the template shows.

use super::{Device, Run};
use crate::Failure;
use crate::cts::results::{self, Record, Status};
use crate::cts::table::{self, Counts};
use crate::progress::span;
use minijinja::value::Value;
use minijinja::{Environment, Output, State, UndefinedBehavior, context};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use strum::VariantArray;

/// The number of lines that the page shows from the end of a log.
const EXCERPT: usize = 60;
/// The number of bytes at the end of a log from which these lines are taken.
const TAIL: usize = 16 << 10;
/// The largest number of results in the history of a sub-test. The latest ones are shown.
const HISTORY: usize = 24;

/// Escapes a value for HTML. The results of macros are HTML already.
fn escape(out: &mut Output<'_>, _: &State<'_, '_>, value: &Value) -> Result<(), minijinja::Error> {
    if value.is_safe() {
        return Ok(write!(out, "{value}")?);
    }
    for c in value.to_string().chars() {
        match c {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.write_char('\u{fffd}')?,
            c => out.write_char(c)?,
        }
    }
    Ok(())
}

/// Returns the id of an element for links.
fn anchor(slug: &str, suite: Option<&str>) -> String {
    let id = format!("{slug}--{}", suite.unwrap_or_default());
    id.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "-")
}

/// Returns the whole page. `now` is the current time.
pub(super) fn page(devices: &[Device], order: &[String], now: &str) -> Result<String, Failure> {
    let mut environment = Environment::new();
    // A device may lack a suite.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_formatter(escape);
    environment.add_filter("anchor", anchor);
    environment.add_template("page.html", include_str!("page.html"))?;
    let runs: usize = devices.iter().map(|d| d.runs.len()).sum();
    let devices: Vec<Value> = devices.iter().filter_map(section).collect();
    let style = Value::from_safe_string(include_str!("report.css").to_owned());
    let page = environment.get_template("page.html")?;
    Ok(page.render(context! { devices, order, runs, now, style })?)
}

/// Returns what the page shows of a device: its newest run, the sub-tests that do not pass, the suites, and the runs,
/// newest first. Returns `None` for a device without runs.
fn section(device: &Device) -> Option<Value> {
    let mut records: BTreeMap<&str, Vec<(&Record, &Run)>> = BTreeMap::new();
    for (name, index) in device.latest() {
        let run = &device.runs[index];
        if let Some(record) = run.records.get(name) {
            records.entry(record.suite()).or_default().push((record, run));
        }
    }
    let all = || records.values().flatten();
    let bad: Vec<_> = all().copied().filter(|(r, _)| r.status.is_bad()).collect();
    let history = device.runs.iter().enumerate().rev().map(|(index, run)| {
        let before = device.runs[..index].iter().rev().find(|b| comparable(b, run));
        let changes = before.map(|b| changes(b, run));
        context! { info => run.info, counts => tally(run.records.values()), changes }
    });
    let suites = records
        .iter()
        .map(|(name, records)| (*name, suite(device, records)));
    Some(context! {
        slug => device.slug,
        info => device.runs.last()?.info,
        total => tally(all().map(|(r, _)| *r)),
        bad => rows(device, &bad),
        suites => suites.collect::<BTreeMap<_, _>>(),
        history => history.collect::<Vec<_>>(),
    })
}

/// Results, each with the run that it is from.
type Found<'a> = [(&'a Record, &'a Run)];

fn suite(device: &Device, records: &Found<'_>) -> Value {
    let is_skipped = |(r, _): &(&Record, &Run)| r.status == Status::Skip;
    let (skipped, mut shown): (Vec<_>, Vec<_>) = records.iter().copied().partition(is_skipped);
    shown.sort_by_key(|(r, _)| (!r.status.is_bad(), r.status, &r.name));
    let skipped: Vec<&str> = skipped.iter().map(|(r, _)| r.subtest()).collect();
    context! { counts => tally(records.iter().map(|(r, _)| *r)), shown => rows(device, &shown), skipped }
}

fn rows(device: &Device, records: &Found<'_>) -> Vec<Value> {
    records
        .iter()
        .map(|(record, run)| row(device, record, run))
        .collect()
}

/// Returns counts of results, with the CSS class of a cell, the parts of a bar, and the duration, which is empty for a
/// baseline.
fn tally<'a>(records: impl Iterator<Item = &'a Record>) -> Value {
    let mut counts = Counts::default();
    records.for_each(|r| counts.add(r));
    let (passed, applicable) = (counts.n(Status::Pass), counts.applicable());
    let shown = |s: &&Status| **s != Status::Skip && counts.n(**s) > 0;
    let part = |s: &Status| {
        let share = counts.n(*s) as f64 * 100.0 / applicable.max(1) as f64;
        context! { word => s.word(), n => counts.n(*s), share => format!("{share:.2}") }
    };
    let class = match (applicable, passed) {
        (0, _) => "none",
        (all, passed) if all == passed => "good",
        (_, 0) => "bad",
        _ => "some",
    };
    let bar: Vec<Value> = Status::VARIANTS.iter().filter(shown).map(part).collect();
    let time = (counts.seconds > 0.0).then(|| span(Duration::from_secs_f64(counts.seconds)));
    context! { passed, applicable, class, not_passed => table::not_passed(&counts), time, bar }
}

/// Returns the row of a sub-test. `past` has a square for each run, oldest first, if the result has ever changed. What did
/// not pass has the reason why this is expected, if it is, and the end of its log.
fn row(device: &Device, record: &Record, run: &Run) -> Value {
    let past = device.runs.iter();
    let past: Vec<(&Run, Status)> = past
        .filter_map(|run| Some((run, run.records.get(&record.name)?.status)))
        .collect();
    let changed = past.windows(2).any(|w| w[0].1 != w[1].1);
    let most = if changed { HISTORY } else { 0 };
    let shown = past[past.len().saturating_sub(most)..].iter();
    let square =
        |(run, status): &(&Run, Status)| context! { word => status.word(), when => run.info.started };
    let bad = record.status.is_bad();
    let time = match record.seconds > 0.0 {
        true => format!("{:.1} s", record.seconds),
        false => String::new(),
    };
    context! {
        time,
        status => record.status,
        name => record.name,
        subtest => record.subtest(),
        past => shown.map(square).collect::<Vec<_>>(),
        note => record.note,
        expected => device.known.get(&record.name).filter(|_| bad),
        excerpt => if bad { excerpt(record, run) } else { None },
    }
}

fn excerpt(record: &Record, run: &Run) -> Option<String> {
    let bytes = std::fs::read(results::log_path(run.dir.as_ref()?, &record.name)).ok()?;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL)..]);
    let lines: Vec<&str> = text.lines().collect();
    Some(lines[lines.len().saturating_sub(EXCERPT)..].join("\n"))
}

/// Returns whether two runs have the same driver, CTS and mode, and at least one sub-test in common. A
/// baseline can be compared with a run in any mode.
fn comparable(a: &Run, b: &Run) -> bool {
    a.info.driver == b.info.driver
        && a.info.cts == b.info.cts
        && (a.info.mode == b.info.mode || a.dir.is_none())
        && a.records.keys().any(|n| b.records.contains_key(n))
}

fn changes(before: &Run, after: &Run) -> Value {
    let (mut lines, mut better, mut worse) = (Vec::new(), 0, 0);
    for (name, record) in &after.records {
        let Some(old) = before.records.get(name).filter(|o| o.status != record.status) else {
            continue;
        };
        better += usize::from(old.status.is_bad() && !record.status.is_bad());
        worse += usize::from(!old.status.is_bad() && record.status.is_bad());
        lines.push(context! { name, was => old.status, is => record.status });
    }
    context! { lines, better, worse }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cts::identity::RunInfo;

    fn run(started: &str, results: &[(&str, Status)]) -> Run {
        let record = |(name, status): &(&str, Status)| Record {
            name: (*name).to_owned(),
            status: *status,
            seconds: 1.0,
            note: String::from("<note>"),
        };
        Run {
            dir: None,
            info: RunInfo {
                started: started.into(),
                ..RunInfo::default()
            },
            records: results.iter().map(|r| (r.0.to_owned(), record(r))).collect(),
        }
    }

    #[test]
    fn the_page_stands_alone_and_shows_changes() {
        let first = [
            ("a/x", Status::Pass),
            ("a/y", Status::Fail),
            ("b/z", Status::Skip),
        ];
        let device = Device {
            slug: "fake-thing".into(),
            known: BTreeMap::from([("a/x".into(), "it <does>".into())]),
            runs: vec![run("1", &first), run("2", &[("a/x", Status::Crash)])],
        };
        let other = Device {
            slug: "other".into(),
            known: BTreeMap::new(),
            runs: vec![run("1", &[("a/x", Status::Pass)])],
        };
        let page = page(&[device, other], &["b".into(), "a".into()], "today").unwrap();
        assert!(page.contains("<a href=\"#fake-thing--a\">0/2</a>"), "{page}");
        assert!(
            page.contains("<td class=\"none\">–</td>"),
            "the other device lacks a suite"
        );
        assert!(page.contains("a/x: Pass → Crash"));
        assert!(page.contains("title=\"1: Pass\"") && page.contains("title=\"2: Crash\""));
        assert!(page.contains("expected: it &lt;does&gt;"));
        assert!(page.contains("&lt;note&gt;") && !page.contains("<note>"));
        assert!(page.find(">b</th>") < page.find(">a</th>"), "the order is lost");
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        for tag in [
            "table", "details", "tr", "td", "th", "div", "section", "a", "i", "span",
        ] {
            let count = |t: &str| page.matches(t).count();
            let open = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(open, count(&format!("</{tag}>")), "{tag}");
        }
    }
}
