//! The section of one device: the sub-tests that do not pass, with the ends of their logs; the suites; the
//! runs, and the changes between them.

use super::{Latest, anchor, bar, class, escape, not_passed};
use crate::cts::bar::span;
use crate::cts::report::{Device, Run};
use crate::cts::results::{self, Record, Status};
use crate::cts::table::Counts;
use std::fmt::Write;

/// The number of lines that the page shows from the end of a log.
const EXCERPT: usize = 60;
/// The number of bytes at the end of a log from which these lines are taken.
const TAIL: usize = 16 << 10;
/// The largest number of results in the history of a sub-test. The latest ones are shown.
const HISTORY: usize = 24;

/// Writes the section of a device.
pub(super) fn section(page: &mut String, latest: &Latest<'_>, order: &[String]) {
    let device = latest.device;
    let _ = writeln!(
        page,
        "<section class=\"device\"><h2 id=\"{}\">{}</h2>",
        anchor(&device.slug, ""),
        escape(&device.slug)
    );
    let bad: Vec<_> = latest.suites.values().flatten().collect();
    let bad: Vec<_> = bad.into_iter().filter(|(r, _)| r.status.is_bad()).collect();
    if !bad.is_empty() {
        let _ = writeln!(
            page,
            "<h3>Not passed: {}</h3>\n<div class=\"wide\"><table>",
            bad.len()
        );
        for (record, run) in bad {
            row(page, device, record, run, &record.name);
        }
        *page += "</table></div>\n";
    }
    *page += "<h3>Suites</h3>\n";
    for suite in order {
        drill_down(page, latest, suite);
    }
    history(page, device);
    *page += "</section>\n";
}

fn drill_down(page: &mut String, latest: &Latest<'_>, suite: &str) {
    let (Some(counts), Some(records)) = (latest.counts(suite), latest.suites.get(suite)) else {
        return;
    };
    let mut facts = vec![format!("{}/{}", counts.n(Status::Pass), counts.applicable())];
    facts.extend(Some(not_passed(&counts)).filter(|t| !t.is_empty()));
    facts.extend((counts.n(Status::Skip) > 0).then(|| format!("{} skipped", counts.n(Status::Skip))));
    // The sub-tests of a baseline have no durations.
    facts.extend((counts.seconds > 0.0).then(|| span(counts.seconds)));
    let _ = write!(
        page,
        "<details><summary><b class=\"{}\">{}</b> <span>{}</span></summary>\n\
         <div class=\"wide\"><table id=\"{}\">\n",
        class(&counts),
        escape(suite),
        facts.join(" · "),
        // The anchor is inside `<details>`, so that a browser opens the element when the user follows a link.
        anchor(&latest.device.slug, suite)
    );
    let subtest = |record: &'_ Record| record.name.split_once('/').map_or("", |(_, s)| s).to_owned();
    let (skipped, mut shown): (Vec<_>, Vec<_>) = records.iter().partition(|(r, _)| r.status == Status::Skip);
    shown.sort_by_key(|(r, _)| (!r.status.is_bad(), r.status, &r.name));
    for (record, run) in shown {
        row(page, latest.device, record, run, &subtest(record));
    }
    *page += "</table></div>";
    if !skipped.is_empty() {
        let names: Vec<String> = skipped.iter().map(|(r, _)| escape(&subtest(r))).collect();
        let _ = write!(page, "<p class=\"skipped\">Skipped: {}.</p>", names.join(", "));
    }
    *page += "</details>\n";
}

/// Writes the row of a sub-test: status, name, duration, earlier results, note and log.
fn row(page: &mut String, device: &Device, record: &Record, run: &Run, name: &str) {
    let time = if record.seconds > 0.0 {
        format!("{:.1} s", record.seconds)
    } else {
        String::new()
    };
    let _ = writeln!(
        page,
        "<tr class=\"{0}\"><td class=\"status\">{0}</td><td>{1}</td><td class=\"n\">{time}</td>\
         <td class=\"past\">{2}</td><td>{3}{4}{5}</td></tr>",
        record.status.word(),
        escape(name),
        past(device, &record.name),
        escape(&record.note),
        expected(device, record),
        excerpt(record, run)
    );
}

/// Returns the reason why a failure is expected.
fn expected(device: &Device, record: &Record) -> String {
    match device.known.get(&record.name).filter(|_| record.status.is_bad()) {
        Some(reason) => format!("<p class=\"known\">expected: {}</p>", escape(reason)),
        None => String::new(),
    }
}

/// Returns a square for each run that has the sub-test, oldest first. It returns nothing if the result has
/// never changed.
fn past(device: &Device, name: &str) -> String {
    let all: Vec<(&Run, Status)> = device
        .runs
        .iter()
        .filter_map(|run| Some((run, run.records.get(name)?.status)))
        .collect();
    if all.windows(2).all(|w| w[0].1 == w[1].1) {
        return String::new();
    }
    let shown = &all[all.len().saturating_sub(HISTORY)..];
    shown
        .iter()
        .map(|(run, status)| {
            let word = status.word();
            let when = escape(&run.info.started);
            format!("<i class=\"{word}\" title=\"{when}: {word}\"></i>")
        })
        .collect()
}

/// Returns the end of the log of a sub-test that did not pass.
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
        "<details><summary>end of the log</summary><pre>{}</pre></details>",
        escape(&shown)
    )
}

/// Writes the table of the runs, newest first.
fn history(page: &mut String, device: &Device) {
    *page += "<h3>Runs</h3>\n<div class=\"wide\"><table class=\"runs\"><tr><th>begun</th><th>revision</th><th>mode</th>\
              <th>driver</th><th>passed</th><th></th><th>since the comparable run before</th></tr>\n";
    for (index, run) in device.runs.iter().enumerate().rev() {
        let mut counts = Counts::default();
        run.records.values().for_each(|r| counts.add(r));
        let before = device.runs[..index].iter().rev().find(|b| comparable(b, run));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}/{}</td><td>{}</td><td>{}</td></tr>",
            escape(&run.info.started),
            escape(&run.info.revision),
            escape(&run.info.mode),
            escape(&run.info.driver),
            counts.n(Status::Pass),
            counts.applicable(),
            bar(&counts),
            before.map_or(String::new(), |b| changes(b, run))
        );
    }
    *page += "</table></div>\n";
}

/// Returns whether two runs have the same driver, CTS and mode, and at least one sub-test in common. A
/// baseline can be compared with a run in any mode.
fn comparable(a: &Run, b: &Run) -> bool {
    a.info.driver == b.info.driver
        && a.info.cts == b.info.cts
        && (a.info.mode == b.info.mode || a.dir.is_none())
        && a.records.keys().any(|n| b.records.contains_key(n))
}

fn changes(before: &Run, after: &Run) -> String {
    let (mut lines, mut better, mut worse) = (Vec::new(), 0, 0);
    for (name, record) in &after.records {
        let Some(old) = before.records.get(name).filter(|o| o.status != record.status) else {
            continue;
        };
        better += usize::from(old.status.is_bad() && !record.status.is_bad());
        worse += usize::from(!old.status.is_bad() && record.status.is_bad());
        let (was, is) = (old.status.word(), record.status.word());
        lines.push(format!(
            "<span class=\"{is}\">{}: {was} → {is}</span>",
            escape(name)
        ));
    }
    if lines.is_empty() {
        return String::from("<span class=\"none\">nothing changed</span>");
    }
    format!(
        "<details><summary>{} changed: {better} better, {worse} worse</summary>{}</details>",
        lines.len(),
        lines.join("<br>")
    )
}
