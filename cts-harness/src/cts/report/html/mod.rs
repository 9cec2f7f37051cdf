//! The page: one file that needs nothing else, not even scripts.

use super::{Device, Run};
use crate::cts::bar::span;
use crate::cts::results::{self, Record, Status};
use crate::cts::table::{self, Counts};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Lines of a log's end that the page shows.
const EXCERPT: usize = 60;
/// Bytes of a log of which the excerpt is taken.
const TAIL: usize = 16 << 10;

const STYLE: &str = include_str!("report.css");

/// Text as HTML.
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

/// An element's name for links.
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

/// The whole page.
pub(super) fn page(devices: &[Device]) -> String {
    let mut page = String::new();
    page += "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>OpenCL CTS results</title>\n";
    let _ = write!(
        page,
        "<style>\n{STYLE}</style></head>\n<body><h1>OpenCL CTS results</h1>\n"
    );
    let latest: Vec<Latest<'_>> = devices.iter().map(Latest::new).collect();
    matrix(&mut page, &latest);
    for device in &latest {
        let _ = writeln!(page, "<h2>{}</h2>", escape(&device.device.slug));
        for (suite, records) in &device.suites {
            drill_down(&mut page, device, suite, records);
        }
        history(&mut page, device.device);
    }
    page += "</body></html>\n";
    page
}

/// A device with its latest results by suite.
struct Latest<'a> {
    device: &'a Device,
    suites: BTreeMap<&'a str, Vec<(&'a Record, &'a Run)>>,
}

impl<'a> Latest<'a> {
    fn new(device: &'a Device) -> Latest<'a> {
        let mut suites: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (name, index) in device.latest() {
            let run = &device.runs[index];
            if let Some(record) = run.records.get(name) {
                suites.entry(record.suite()).or_default().push((record, run));
            }
        }
        Latest { device, suites }
    }

    fn counts(&self, suite: &str) -> Option<Counts> {
        let records = self.suites.get(suite)?.iter().map(|(r, _)| *r);
        table::count(records).remove(suite)
    }
}

fn matrix(page: &mut String, devices: &[Latest<'_>]) {
    let suites: BTreeSet<&str> = devices.iter().flat_map(|d| d.suites.keys().copied()).collect();
    *page += "<table class=\"matrix\"><thead><tr><th>suite</th>";
    for Latest { device, .. } in devices {
        let Some(newest) = device.runs.last() else {
            continue;
        };
        let i = &newest.info;
        let _ = write!(
            page,
            "<th>{}<small>{}<br>{}<br>{} · CTS {}</small></th>",
            escape(&device.slug),
            escape(&i.device),
            escape(&i.driver),
            escape(&i.mode),
            escape(i.cts.get(..8).unwrap_or(&i.cts))
        );
    }
    *page += "</tr></thead>\n<tbody>\n";
    for suite in suites {
        let _ = write!(page, "<tr><th>{}</th>", escape(suite));
        for device in devices {
            match device.counts(suite) {
                None => *page += "<td class=\"none\">–</td>",
                Some(counts) => {
                    let _ = write!(
                        page,
                        "<td class=\"{}\"><a href=\"#{}\">{}/{}</a></td>",
                        class(&counts),
                        anchor(&device.device.slug, suite),
                        counts.n(Status::Pass),
                        counts.applicable()
                    );
                }
            }
        }
        *page += "</tr>\n";
    }
    *page +=
        "</tbody></table>\n<p>Sub-tests passed / applicable: what a suite itself skips does not count.</p>\n";
}

fn class(counts: &Counts) -> &'static str {
    match (counts.applicable(), counts.n(Status::Pass)) {
        (0, _) => "none",
        (all, passed) if all == passed => "good",
        (_, 0) => "bad",
        _ => "some",
    }
}

fn drill_down(page: &mut String, device: &Latest<'_>, suite: &str, records: &[(&Record, &Run)]) {
    let Some(counts) = device.counts(suite) else {
        return;
    };
    let _ = write!(
        page,
        "<details><summary><b class=\"{}\">{}</b> {}/{} in {}</summary>\n<table id=\"{}\">\n",
        class(&counts),
        escape(suite),
        counts.n(Status::Pass),
        counts.applicable(),
        span(counts.seconds),
        // Inside, so that a browser opens what is around it.
        anchor(&device.device.slug, suite)
    );
    let mut order: Vec<_> = records.iter().collect();
    order.sort_by_key(|(r, _)| (!r.status.is_bad(), r.name.clone()));
    for (record, run) in order {
        let subtest = record.name.split_once('/').map_or("", |(_, s)| s);
        let _ = writeln!(
            page,
            "<tr class=\"{0}\"><td>{0}</td><td>{1}</td><td class=\"n\">{2:.1} s</td><td>{3}{4}</td></tr>",
            record.status.word(),
            escape(subtest),
            record.seconds,
            escape(&record.note),
            excerpt(record, run)
        );
    }
    *page += "</table></details>\n";
}

/// The end of the log of what went wrong.
fn excerpt(record: &Record, run: &Run) -> String {
    let Some(dir) = run.dir.as_ref().filter(|_| record.status.is_bad()) else {
        return String::new();
    };
    let Ok(bytes) = std::fs::read(results::log_path(dir, &record.name)) else {
        return String::new();
    };
    let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
    let text = String::from_utf8_lossy(tail);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(EXCERPT)..].join("\n");
    format!(
        "<details><summary>log</summary><pre>{}</pre></details>",
        escape(&shown)
    )
}

fn history(page: &mut String, device: &Device) {
    *page += "<h3>Runs</h3>\n<table><tr><th>begun</th><th>revision</th><th>mode</th><th>driver</th><th>passed</th>\
              <th>changed since the run before</th></tr>\n";
    for (index, run) in device.runs.iter().enumerate() {
        let mut counts = Counts::default();
        run.records.values().for_each(|r| counts.add(r));
        let before = device.runs[..index].iter().rev().find(|b| comparable(b, run));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}/{}</td><td>{}</td></tr>",
            escape(&run.info.started),
            escape(&run.info.revision),
            escape(&run.info.mode),
            escape(&run.info.driver),
            counts.n(Status::Pass),
            counts.applicable(),
            before.map_or(String::new(), |b| changes(b, run))
        );
    }
    *page += "</table>\n";
}

/// Whether two runs stand on the same ground and have something in common.
fn comparable(a: &Run, b: &Run) -> bool {
    a.info.driver == b.info.driver
        && a.info.cts == b.info.cts
        && (a.info.mode == b.info.mode || a.dir.is_none())
        && a.records.keys().any(|n| b.records.contains_key(n))
}

fn changes(before: &Run, after: &Run) -> String {
    let mut lines = Vec::new();
    for (name, record) in &after.records {
        let Some(old) = before.records.get(name).filter(|o| o.status != record.status) else {
            continue;
        };
        let (was, is) = (old.status.word(), record.status.word());
        lines.push(format!(
            "<span class=\"{is}\">{}: {was} → {is}</span>",
            escape(name)
        ));
    }
    match lines.len() {
        0 => String::from("nothing"),
        n => format!("<details><summary>{n}</summary>{}</details>", lines.join("<br>")),
    }
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
        let device = Device {
            slug: "fake-thing".into(),
            runs: vec![
                run(
                    "1",
                    &[
                        ("a/x", Status::Pass),
                        ("a/y", Status::Fail),
                        ("b/z", Status::Skip),
                    ],
                ),
                run("2", &[("a/x", Status::Crash)]),
            ],
        };
        let page = page(&[device]);
        assert!(page.contains("<a href=\"#fake-thing--a\">0/2</a>"), "{page}");
        assert!(page.contains("a/x: Pass → Crash"));
        assert!(page.contains("&lt;note&gt;") && !page.contains("<note>"));
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        for tag in ["table", "details", "tr", "td", "th"] {
            let count = |t: &str| page.matches(t).count();
            let open = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(open, count(&format!("</{tag}>")), "{tag}");
        }
    }
}
