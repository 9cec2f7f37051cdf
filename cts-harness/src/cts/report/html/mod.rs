//! The page with all results. It is one file that refers to no other file and contains no scripts. It begins
//! with a card for each device and the matrix of suites × devices. Then each device has a section with the
//! sub-tests that do not pass, its suites and its runs.

mod device;
mod matrix;

use super::{Device, Run};
use crate::cts::results::{Record, Status};
use crate::cts::table::{self, Counts};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns the id of an element for links. `suite` may be empty.
fn anchor(slug: &str, suite: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    format!("{slug}--{suite}").chars().map(plain).collect()
}

/// Returns the whole page. `now` is the current time.
pub(super) fn page(devices: &[Device], order: &[String], now: &str) -> String {
    let latest: Vec<Latest<'_>> = devices.iter().filter_map(Latest::new).collect();
    let runs: usize = devices.iter().map(|d| d.runs.len()).sum();
    let mut page = String::new();
    page += "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page += "<title>OpenCL CTS results</title>\n";
    let _ = write!(
        page,
        "<style>\n{STYLE}</style></head>\n<body><header><h1>OpenCL CTS results</h1>\n\
         <p>{} devices, {runs} runs and baselines; made {}</p></header>\n",
        latest.len(),
        escape(now)
    );
    matrix::cards(&mut page, &latest);
    matrix::matrix(&mut page, &latest, order);
    for device in &latest {
        device::section(&mut page, device, order);
    }
    page += "</body></html>\n";
    page
}

/// A device with its latest results by suite.
struct Latest<'a> {
    device: &'a Device,
    newest: &'a Run,
    suites: BTreeMap<&'a str, Vec<(&'a Record, &'a Run)>>,
}

impl<'a> Latest<'a> {
    /// Returns `None` for a device without runs.
    fn new(device: &'a Device) -> Option<Latest<'a>> {
        let mut suites: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (name, index) in device.latest() {
            let run = &device.runs[index];
            if let Some(record) = run.records.get(name) {
                suites.entry(record.suite()).or_default().push((record, run));
            }
        }
        Some(Latest {
            device,
            newest: device.runs.last()?,
            suites,
        })
    }

    fn counts(&self, suite: &str) -> Option<Counts> {
        let records = self.suites.get(suite)?.iter().map(|(r, _)| *r);
        table::count(records).remove(suite)
    }

    /// Returns the counts of all suites together.
    fn total(&self) -> Counts {
        let mut total = Counts::default();
        let records = self.suites.values().flatten();
        records.for_each(|(r, _)| total.add(r));
        total
    }
}

/// Returns the CSS class for a cell with these counts.
fn class(counts: &Counts) -> &'static str {
    match (counts.applicable(), counts.n(Status::Pass)) {
        (0, _) => "none",
        (all, passed) if all == passed => "good",
        (_, 0) => "bad",
        _ => "some",
    }
}

/// Returns the counts of the applicable sub-tests that did not pass: `1 fail, 2 crash`.
fn not_passed(counts: &Counts) -> String {
    let parts = [
        (Status::Fail, "fail"),
        (Status::Crash, "crash"),
        (Status::Timeout, "timeout"),
        (Status::Excluded, "not run"),
    ];
    let all: Vec<String> = parts
        .iter()
        .filter(|(s, _)| counts.n(*s) > 0)
        .map(|(s, word)| format!("{} {word}", counts.n(*s)))
        .collect();
    all.join(", ")
}

/// Returns a bar with the share of each status.
fn bar(counts: &Counts) -> String {
    let all = counts.applicable().max(1) as f64;
    let parts: String = Status::ALL
        .into_iter()
        .filter(|s| *s != Status::Skip && counts.n(*s) > 0)
        .map(|s| {
            let share = counts.n(s) as f64 * 100.0 / all;
            let word = s.word();
            format!(
                "<i class=\"{word}\" style=\"width:{share:.2}%\" title=\"{} {word}\"></i>",
                counts.n(s)
            )
        })
        .collect();
    format!("<div class=\"bar\">{parts}</div>")
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
        let page = page(&[device], &["b".into(), "a".into()], "today");
        assert!(page.contains("<a href=\"#fake-thing--a\">0/2</a>"), "{page}");
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
