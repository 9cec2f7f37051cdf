//! The launches of two platforms beside each other: one row for each kernel, source and options of a program.

use super::report::Launch;
use super::side::Run;
use crate::bench::stats::{self, Summary};
use std::collections::BTreeMap;

/// A kernel of a program on two platforms.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) program: String,
    pub(super) kernel: String,
    pub(super) source: String,
    pub(super) options: String,
    /// The size of the work-groups of the first launch; zeros if the implementation chose it.
    pub(super) local: String,
    /// The number of launches of the first platform.
    pub(super) launches: u64,
    /// Whether both platforms launched the same source with the same options and sizes equally often.
    pub(super) same: bool,
    /// The seconds of all launches on both platforms, for each run.
    pub(super) seconds: [Vec<f64>; 2],
}

impl Row {
    /// Returns the ratio of the other platform's times to those of the first, run by run.
    pub(super) fn ratio(&self) -> Option<Summary> {
        stats::ratio(&self.seconds[0], &self.seconds[1])
    }

    /// Returns the median time of one launch on the slower platform, in seconds.
    pub(super) fn launch(&self) -> f64 {
        let medians = self.medians();
        medians[0].max(medians[1]) / self.launches.max(1) as f64
    }

    /// Returns the medians of the times on both platforms.
    pub(super) fn medians(&self) -> [f64; 2] {
        self.seconds
            .each_ref()
            .map(|s| Summary::of(s).map_or(0.0, |s| s.median))
    }
}

/// The launches of a kernel with all sizes.
#[derive(Default)]
struct Group<'a> {
    launches: Vec<&'a Launch>,
}

impl Group<'_> {
    fn count(&self) -> u64 {
        self.launches.iter().map(|l| l.count).sum()
    }

    fn total(&self) -> f64 {
        self.launches.iter().map(|l| l.total).sum()
    }
}

/// The ways to find a kernel again on the other platform, from the strictest on: programs may write the device's
/// properties into options or source. The others are used only for kernels that they distinguish: a tuner launches many
/// variants of a kernel with one name, and those of two platforms need not be the same.
const WAYS: [fn(&Launch) -> [&str; 3]; 3] = [
    |l| [&l.kernel, &l.source, &l.options],
    |l| [&l.kernel, &l.source, ""],
    |l| [&l.kernel, "", ""],
];

/// Returns the rows of a program from the runs of two platforms.
pub(super) fn of(program: &str, runs: [&Vec<Run>; 2]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (a, b) in runs[0].iter().zip(runs[1]) {
        for found in pair(program, [&a.report.launches, &b.report.launches]) {
            let same = |r: &&mut Row| {
                (&r.kernel, &r.source, &r.options) == (&found.kernel, &found.source, &found.options)
            };
            match rows.iter_mut().find(same) {
                None => rows.push(found),
                Some(row) => {
                    row.same &= found.same;
                    let [first, other] = found.seconds;
                    row.seconds[0].extend(first);
                    row.seconds[1].extend(other);
                }
            }
        }
    }
    rows
}

/// Returns the rows of one run on each platform.
fn pair(program: &str, launches: [&[Launch]; 2]) -> Vec<Row> {
    let mut left = launches.map(groups);
    let mut rows = Vec::new();
    for (strictness, way) in WAYS.iter().enumerate() {
        let mut unpaired = Vec::new();
        let keys: Vec<[String; 3]> = left[0]
            .iter()
            .map(|g| way(g.launches[0]).map(str::to_owned))
            .collect();
        let is_only = |group: &Group<'_>| keys.iter().filter(|k| **k == way(group.launches[0])).count() == 1;
        for group in std::mem::take(&mut left[0]) {
            let is_same = |g: &Group<'_>| way(g.launches[0]) == way(group.launches[0]);
            let places: Vec<usize> = (0..left[1].len()).filter(|at| is_same(&left[1][*at])).collect();
            match places[..] {
                [at] if strictness == 0 || is_only(&group) => {
                    rows.push(row(program, &group, &left[1].remove(at), strictness == 0));
                }
                _ => unpaired.push(group),
            }
        }
        left[0] = unpaired;
    }
    rows
}

fn groups(launches: &[Launch]) -> Vec<Group<'_>> {
    let mut index = BTreeMap::new();
    let mut all: Vec<Group<'_>> = Vec::new();
    for launch in launches {
        let at = *index.entry(WAYS[0](launch)).or_insert(all.len());
        if at == all.len() {
            all.push(Group::default());
        }
        all[at].launches.push(launch);
    }
    all
}

fn row(program: &str, first: &Group<'_>, other: &Group<'_>, is_same_code: bool) -> Row {
    let (seconds, are_same_sizes) = times(first, other);
    let model = first.launches[0];
    Row {
        program: program.to_owned(),
        kernel: model.kernel.clone(),
        source: model.source.clone(),
        options: model.options.clone(),
        local: model.local.clone(),
        launches: first.count(),
        same: is_same_code && are_same_sizes,
        seconds: seconds.map(|s| vec![s * 1e-9]),
    }
}

/// Returns the times of the launches that both platforms have, in nanoseconds, and whether these are all launches. If the
/// other platform launched a size more or less often, its mean counts as often as the first platform launched it. If no
/// size is common, the means of all launches are compared.
fn times(first: &Group<'_>, other: &Group<'_>) -> ([f64; 2], bool) {
    type Sizes = fn(&Launch) -> [&str; 2];
    let ways: [Sizes; 2] = [|l| [&l.global, &l.local], |l| [&l.global, ""]];
    for (strictness, way) in ways.iter().enumerate() {
        let mut sums = [0.0; 2];
        let mut same = strictness == 0 && first.launches.len() == other.launches.len();
        for launch in &first.launches {
            let Some(found) = other.launches.iter().find(|l| way(l) == way(launch)) else {
                same = false;
                continue;
            };
            same &= found.count == launch.count;
            sums[0] += launch.total;
            sums[1] += found.total / found.count.max(1) as f64 * launch.count as f64;
        }
        if sums[0] > 0.0 {
            return (sums, same);
        }
    }
    let mean = other.total() / other.count().max(1) as f64;
    ([first.total(), mean * first.count() as f64], false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, options: &str, global: &str, count: u64, total: f64) -> Launch {
        Launch {
            kernel: kernel.into(),
            source: "s".into(),
            options: options.into(),
            global: global.into(),
            local: "8,1,1".into(),
            count,
            total,
        }
    }

    fn described(rows: &[Row]) -> Vec<(&str, &str, bool, f64)> {
        let ratio = |r: &Row| (r.ratio().unwrap().median * 100.0).round() / 100.0;
        rows.iter()
            .map(|r| (r.kernel.as_str(), r.options.as_str(), r.same, ratio(r)))
            .collect()
    }

    #[test]
    fn kernels_are_found_again() {
        let first = [
            launch("a", "", "64", 2, 20.0),
            launch("a", "", "32", 1, 5.0),
            launch("b", "-D W=8", "64", 1, 4.0),
            launch("alone", "", "64", 1, 4.0),
        ];
        let other = [
            launch("b", "-D W=32", "64", 1, 8.0),
            launch("a", "", "32", 1, 10.0),
            launch("a", "", "64", 2, 40.0),
        ];
        let rows = pair("p", [&first, &other]);
        assert_eq!(
            described(&rows),
            [("a", "", true, 2.0), ("b", "-D W=8", false, 2.0)]
        );
    }

    #[test]
    fn the_same_kernel_with_other_options_is_another_row() {
        let all = [
            launch("a", "-D N=1", "64", 1, 10.0),
            launch("a", "-D N=2", "64", 1, 30.0),
        ];
        assert_eq!(
            described(&pair("p", [&all, &all])),
            [("a", "-D N=1", true, 1.0), ("a", "-D N=2", true, 1.0)]
        );
    }

    /// A tuner chooses its variants at random: only those that both platforms ran are compared.
    #[test]
    fn variants_are_not_mixed_up() {
        let first = ["-D N=1", "-D N=2", "-D N=3"].map(|o| launch("a", o, "64", 1, 10.0));
        let other = ["-D N=5", "-D N=3", "-D N=4"].map(|o| launch("a", o, "64", 1, 30.0));
        let rows = pair("p", [&first, &other]);
        assert_eq!(described(&rows), [("a", "-D N=3", true, 3.0)]);
        // One is left on the first platform and two on the other.
        assert_eq!(described(&pair("p", [&first[..1], &other])), []);
    }

    #[test]
    fn other_numbers_of_launches() {
        let first = [launch("a", "", "64", 2, 20.0), launch("a", "", "1", 1, 99.0)];
        let other = [launch("a", "", "64", 4, 80.0)];
        assert_eq!(described(&pair("p", [&first, &other])), [("a", "", false, 2.0)]);
        let other = [launch("a", "", "7", 1, 20.0), launch("a", "", "5", 1, 40.0)];
        // The means are 119/3 and 30.
        assert_eq!(described(&pair("p", [&first, &other])), [("a", "", false, 0.76)]);
    }
}
