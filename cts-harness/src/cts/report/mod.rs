//! `report`: writes a page with the results of all runs and baselines, or the manual's table.

mod html;
mod markdown;

use super::baseline::{self, Baseline};
use super::identity::RunInfo;
use super::results::{self, Records};
use super::{expect, rows, session};
use crate::{Failure, Outcome, artifacts, files, progress};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The mode that stands for a baseline.
const BASELINE: &str = "baseline";

#[derive(clap::Args)]
pub(super) struct Args {
    /// Run folders; default: all below target/release/cts
    runs: Vec<PathBuf>,
    /// File of the page; default: report.html in target/release/cts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the Markdown table of the committed baselines, without writing a page
    #[arg(long)]
    markdown: bool,
    /// Write this table into the manual (icd/docs/manual/conformance.md), without writing a page
    #[arg(long)]
    manual: bool,
    /// Directory of the baselines
    #[arg(long, hide = true)]
    baselines: Option<PathBuf>,
    /// Directory of the expectations
    #[arg(long, hide = true)]
    expectations: Option<PathBuf>,
}

struct Run {
    /// The run folder, which has the logs. It is `None` for a baseline.
    dir: Option<PathBuf>,
    info: RunInfo,
    records: Records,
}

/// A device and its runs, oldest first.
struct Device {
    slug: String,
    runs: Vec<Run>,
    /// The reasons for expected failures, by the name of the sub-test.
    known: BTreeMap<String, String>,
}

impl Device {
    /// Returns, for each sub-test, the index of the run with its latest result. Only runs with the driver and
    /// the CTS of the newest run are considered.
    fn latest(&self) -> BTreeMap<&str, usize> {
        let mut all = BTreeMap::new();
        let Some(newest) = self.runs.last() else {
            return all;
        };
        for (index, run) in self.runs.iter().enumerate() {
            if (&run.info.driver, &run.info.cts) == (&newest.info.driver, &newest.info.cts) {
                all.extend(run.records.keys().map(|name| (name.as_str(), index)));
            }
        }
        all
    }
}

/// Writes the requested table or page.
pub(super) fn report(args: &Args) -> Outcome {
    let directory = args.baselines.clone().unwrap_or_else(baseline::directory);
    let baselines = baseline::all(&directory)?;
    if args.markdown {
        progress::line(markdown::columns(&baselines)?.trim_end());
    }
    if args.manual {
        let page = artifacts::root().join("icd/docs/manual/conformance.md");
        markdown::into_manual(&page, &baselines)?;
    }
    if args.markdown || args.manual {
        return Ok(());
    }
    let top = artifacts::release_dir().join("cts");
    let folders = if args.runs.is_empty() {
        // The paths are `<device>/<run>`.
        files::entries(&top)
            .iter()
            .flat_map(|device| session::runs_in(device))
            .collect()
    } else {
        args.runs.clone()
    };
    let expectations = args.expectations.clone().unwrap_or_else(expect::directory);
    let devices = devices(baselines, &folders, &expectations)?;
    let file = args.html.clone().unwrap_or_else(|| top.join("report.html"));
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let names = devices.iter().flat_map(|d| d.latest().into_keys());
    let order = in_order(names.filter_map(|n| n.split('/').next()))?;
    std::fs::write(&file, html::page(&devices, &order, &session::now())?)?;
    say!(
        "{} devices, {} runs: {}",
        devices.len(),
        folders.len(),
        file.display()
    );
    Ok(())
}

/// Returns the suites without duplicates: first those of a conformance submission in its order, then the
/// others.
fn in_order(found: impl Iterator<Item = impl AsRef<str>>) -> Result<Vec<String>, Failure> {
    let found: BTreeSet<String> = found.map(|s| s.as_ref().to_owned()).collect();
    let mut all: Vec<String> = rows::rows()?.into_iter().map(|r| r.suite).collect();
    all.retain(|s| found.contains(s));
    let others: Vec<String> = found.into_iter().filter(|s| !all.contains(s)).collect();
    all.extend(others);
    Ok(all)
}

fn devices(
    baselines: Vec<Baseline>,
    folders: &[PathBuf],
    expectations: &Path,
) -> Result<Vec<Device>, Failure> {
    let mut devices: Vec<Device> = Vec::new();
    let mut add = |run: Run| {
        // Runs in another mode (full, or with checks) are shown as a device of their own.
        let slug = match run.info.mode.as_str() {
            "wimpy" | BASELINE => run.info.slug(),
            other => format!("{} ({other})", run.info.slug()),
        };
        match devices.iter_mut().find(|d| d.slug == slug) {
            Some(device) => device.runs.push(run),
            None => devices.push(Device {
                known: expect::reasons(expectations, &run.info.slug())?,
                slug,
                runs: vec![run],
            }),
        }
        Ok::<(), Failure>(())
    };
    for baseline in baselines {
        let sections = baseline.suites.iter();
        let records = sections.flat_map(|(suite, s)| s.records(suite).collect::<Vec<_>>());
        let records = records.map(|r| (r.name.clone(), r)).collect();
        let dates = baseline.suites.values().map(|s| s.date.clone());
        let mut info = baseline.info.clone();
        info.started = dates.max().unwrap_or_default();
        info.mode = BASELINE.to_owned();
        add(Run {
            dir: None,
            info,
            records,
        })?;
    }
    for dir in folders {
        add(Run {
            info: results::read_info(dir)?,
            records: results::read(dir)?,
            dir: Some(dir.clone()),
        })?;
    }
    for device in &mut devices {
        device.runs.sort_by(|a, b| a.info.started.cmp(&b.info.started));
    }
    Ok(devices)
}
