//! Reads what the layer says of a run. `layer/src/report.rs` has the form.

use crate::{Failure, files};
use std::path::Path;

/// What the layer says of all processes of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Report {
    /// The names of platform, device and driver.
    pub(super) device: Option<[String; 3]>,
    pub(super) launches: Vec<Launch>,
    /// The reads, in order; `None` for those that the layer did not see.
    pub(super) reads: Vec<Option<Read>>,
    /// The number of launches without times.
    pub(super) untimed: u64,
}

/// The sums of equal launches.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Launch {
    pub(super) kernel: String,
    /// The hash of the source.
    pub(super) source: String,
    pub(super) options: String,
    pub(super) global: String,
    pub(super) local: String,
    pub(super) count: u64,
    /// The sum of the times in nanoseconds.
    pub(super) total: f64,
}

/// The digest of data that the program read back.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Read {
    pub(super) bytes: u64,
    pub(super) hash: String,
    /// What the layer took the elements for.
    pub(super) elements: String,
    /// The number of infinities and NaNs.
    pub(super) special: u64,
    pub(super) squares: f64,
    pub(super) sketch: Vec<f64>,
}

/// Reads the reports of the processes of a run, in the order in which the processes started.
pub(super) fn read(folder: &Path) -> Result<Report, Failure> {
    let mut parts = Vec::new();
    for path in files::with_extension(folder, "layer") {
        let mut report = Report::default();
        let start = parse(&files::text(&path)?, &mut report);
        let start = start.ok_or_else(|| failure!("{} is no report of the layer", path.display()))?;
        parts.push((start, report));
    }
    parts.sort_by_key(|(start, _)| *start);
    let mut all = Report::default();
    for (_, part) in parts {
        all.device = all.device.or(part.device);
        all.launches.extend(part.launches);
        all.reads.extend(part.reads);
        all.untimed += part.untimed;
    }
    Ok(all)
}

/// Parses the report of one process, and returns when the process started.
fn parse(text: &str, report: &mut Report) -> Option<u128> {
    let mut lines = text.lines();
    (lines.next()? == "caldera-layer 1").then_some(())?;
    let mut start = None;
    for line in lines {
        let fields: Vec<String> = line.split('\t').map(plain).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match fields[..] {
            ["process", _, time, _] => start = Some(time.parse().ok()?),
            ["device", platform, device, driver] => {
                report.device = Some([platform, device, driver].map(str::to_owned));
            }
            ["launch", kernel, source, options, global, local, count, total, _] => {
                report.launches.push(Launch {
                    kernel: kernel.to_owned(),
                    source: source.to_owned(),
                    options: options.to_owned(),
                    global: global.to_owned(),
                    local: local.to_owned(),
                    count: count.parse().ok()?,
                    total: total.parse().ok()?,
                });
            }
            ["read", "-"] => report.reads.push(None),
            ["read", bytes, hash, elements, special, squares, sketch] => {
                report.reads.push(Some(Read {
                    bytes: bytes.parse().ok()?,
                    hash: hash.to_owned(),
                    elements: elements.to_owned(),
                    special: special.parse().ok()?,
                    squares: squares.parse().ok()?,
                    sketch: sketch.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?,
                }));
            }
            ["missed", untimed, unseen] => {
                report.untimed += untimed.parse::<u64>().ok()?;
                let unseen: usize = unseen.parse().ok()?;
                report.reads.extend((unseen > 0).then_some(None));
            }
            _ => return None,
        }
    }
    start
}

/// Returns a field without its escapes.
fn plain(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "caldera-layer 1\nprocess\t7\t1000\t./p\ndevice\tP\tD\tV\n\
        launch\tk\t00ff\t-D A=\\\\1\\t2\t64,1,1\t0,0,0\t2\t3000\t1000\n\
        read\t8\tabcd\tfloat\t0\t4.5e0\t1e0,-2e-3\nread\t-\nmissed\t1\t0\n";

    #[test]
    fn a_report_is_read() {
        let mut report = Report::default();
        assert_eq!(parse(TEXT, &mut report), Some(1000));
        let launch = &report.launches[0];
        assert_eq!(
            (launch.kernel.as_str(), launch.options.as_str()),
            ("k", "-D A=\\1\t2")
        );
        assert_eq!((launch.count, launch.total), (2, 3000.0));
        assert_eq!(report.reads[0].as_ref().unwrap().sketch, [1.0, -2e-3]);
        assert_eq!((report.reads.len(), report.untimed), (2, 1));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "caldera-layer 2\n", "caldera-layer 1\nlaunch\tk\n"] {
            assert_eq!(parse(text, &mut Report::default()), None, "{text}");
        }
    }

    #[test]
    fn processes_are_in_the_order_of_their_starts() {
        let folder = tempfile::tempdir().unwrap();
        let later = TEXT
            .replace("1000\t./p", "2000\t./q")
            .replace("launch\tk", "launch\tlater");
        std::fs::write(folder.path().join("1.layer"), later).unwrap();
        std::fs::write(folder.path().join("2.layer"), TEXT).unwrap();
        std::fs::write(folder.path().join("x.cl"), "kernel").unwrap();
        let report = read(folder.path()).unwrap();
        let names: Vec<&str> = report.launches.iter().map(|l| l.kernel.as_str()).collect();
        assert_eq!(names, ["k", "later"]);
        assert_eq!((report.reads.len(), report.untimed), (4, 2));
    }
}
