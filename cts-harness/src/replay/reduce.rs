//! The reduction of a launch whose results differ on two platforms: a smaller part of its NDRange on which they still differ.

use super::capture::{Launch, Results};
use super::{Args, execute, faults_between};
use crate::Failure;
use crate::campaign::Side;
use std::path::{Path, PathBuf};

/// The most launches that are tried.
const TRIES: usize = 64;

/// A part of an NDRange: the offset and the size of each dimension.
type Part = Vec<(usize, usize)>;

/// Reduces a launch, and writes it as a capture without results below `out`. Returns its folder and its number of work-items.
pub(super) fn reduce(
    args: &Args,
    sides: [&Side; 2],
    folder: &Path,
    launch: &Launch,
    out: &Path,
) -> Result<(PathBuf, usize), Failure> {
    let to = out.join(folder.file_name().unwrap_or_default());
    if to.exists() {
        return fail!("{} exists", to.display());
    }
    std::fs::create_dir_all(&to)?;
    let mut reduced = without_results(launch);
    for path in crate::files::entries(folder) {
        let is_result = path.extension().is_some_and(|e| e == "after");
        if path.is_file() && !is_result {
            std::fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    // A work-group stays whole.
    let dimensions = launch.global.len();
    let step = launch.local.clone().unwrap_or_else(|| vec![1; dimensions]);
    let whole: Part = launch
        .offset
        .iter()
        .copied()
        .zip(launch.global.iter().copied())
        .collect();
    let smallest = smallest(whole, &step, &mut |part| {
        write(&mut reduced, part, &to)?;
        let [a, b] = [
            execute(args, sides[0], &to, &reduced, 1)?,
            execute(args, sides[1], &to, &reduced, 1)?,
        ];
        Ok(!faults_between(args, &reduced, &a, &b).is_empty())
    })?;
    write(&mut reduced, &smallest, &to)?;
    Ok((to, smallest.iter().map(|(_, size)| size).product()))
}

/// Returns a launch of which no results are known.
fn without_results(launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    launch.results = Results::Unknown;
    for memory in &mut launch.memory {
        memory.contents_mut().after = None;
    }
    launch
}

fn write(launch: &mut Launch, part: &Part, to: &Path) -> Result<(), Failure> {
    (launch.offset, launch.global) = part.iter().copied().unzip();
    Ok(std::fs::write(
        to.join("launch.json"),
        serde_json::to_vec(launch)?,
    )?)
}

/// Halves a part as long as one of the halves is `wanted`.
fn smallest(
    whole: Part,
    step: &[usize],
    wanted: &mut dyn FnMut(&Part) -> Result<bool, Failure>,
) -> Result<Part, Failure> {
    let (mut part, mut tries) = (whole, 0);
    loop {
        let mut halves = halves(&part, step).into_iter();
        let smaller = loop {
            let Some(half) = halves.next().filter(|_| tries < TRIES) else {
                return Ok(part);
            };
            tries += 1;
            if wanted(&half)? {
                break half;
            }
        };
        part = smaller;
    }
}

/// Returns both halves of a part in each dimension, the longest dimension first.
fn halves(part: &Part, step: &[usize]) -> Vec<Part> {
    let mut dimensions: Vec<usize> = (0..part.len()).collect();
    let groups = |d: usize| part[d].1.div_ceil(step[d].max(1));
    dimensions.sort_by_key(|&d| std::cmp::Reverse(groups(d)));
    let mut all = Vec::new();
    for d in dimensions.into_iter().filter(|&d| groups(d) > 1) {
        let (offset, size) = part[d];
        let first = groups(d) / 2 * step[d].max(1);
        for half in [(offset, first), (offset + first, size - first)] {
            let mut smaller = part.clone();
            smaller[d] = half;
            all.push(smaller);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_the_fault_remains() {
        let find = |whole: Part, step: &[usize], fault: [usize; 2]| {
            let has = |part: &Part| {
                let mut all = part.iter().zip(fault);
                all.all(|((offset, size), at)| (*offset..offset + size).contains(&at))
            };
            smallest(whole, step, &mut |part| Ok(has(part))).unwrap()
        };
        assert_eq!(
            find(vec![(0, 1024), (0, 7)], &[1, 1], [777, 3]),
            [(777, 1), (3, 1)]
        );
        assert_eq!(find(vec![(8, 64), (0, 6)], &[16, 2], [71, 5]), [(56, 16), (4, 2)]);
        // The last work-group is not full.
        assert_eq!(find(vec![(0, 10), (0, 1)], &[4, 1], [9, 0]), [(8, 2), (0, 1)]);
    }

    #[test]
    fn a_fault_that_needs_everything_stays_whole() {
        let whole = vec![(0, 1 << 20), (0, 3)];
        let mut count = 0;
        let part = smallest(whole.clone(), &[1, 1], &mut |_| {
            count += 1;
            Ok(false)
        });
        assert_eq!((part.unwrap(), count), (whole, 4));
    }
}
