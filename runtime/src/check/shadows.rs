//! Divides the shadow memory of a launch among its arguments. Instrumented kernels record there what they know about the memory
//! of each argument. An argument whose memory is too large has no part and is not checked.

use std::collections::HashSet;
use std::sync::LazyLock;

use caldera_compiler::check::memory;

use super::report::tell;
use crate::lock::{Mutex, Rank};

/// The most bytes of shadow memory for a launch.
const MOST: u64 = 1 << 30;

/// The memory of an argument that should have a part.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wanted {
    /// The address of the memory; `None` for local memory, which has a part for each work-group.
    pub start: Option<u64>,
    pub bytes: u64,
    /// Whether the kernel may change the memory through this argument.
    pub written: bool,
}

/// Where the parts of arguments are: their offsets, and the size of all parts together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// For each argument, the offset of its part in bytes, if it has one.
    pub offsets: Vec<Option<u64>>,
    pub size: u64,
    /// The arguments that should have a part, but are too large.
    pub left_out: Vec<usize>,
}

impl Parts {
    /// Adds a part of this size. Returns its offset; `None` if it is too large.
    pub(super) fn add(&mut self, size: u64) -> Option<u64> {
        let offset = self.size.next_multiple_of(memory::GROUP_ALIGN.into());
        self.size = offset.checked_add(size).filter(|end| *end <= MOST)?;
        Some(offset)
    }
}

/// Divides memory into parts with [`memory::RACE`] bytes for each element of `unit` bytes. Arguments that overlap share a
/// part. Memory that no argument changes has none.
pub(super) fn parts(wanted: &[Option<Wanted>], unit: u64, groups: u64) -> Parts {
    let mut parts = Parts {
        offsets: vec![None; wanted.len()],
        ..Parts::default()
    };
    let bytes = |of: u64| of.div_ceil(unit).saturating_mul(memory::RACE.into());
    let mut global = Vec::new();
    for (n, want) in wanted.iter().enumerate() {
        let Some(want) = want else { continue };
        match want.start {
            Some(start) => global.push((start, n)),
            None => {
                parts.offsets[n] = parts.add(bytes(want.bytes).saturating_mul(groups));
                if parts.offsets[n].is_none() {
                    parts.left_out.push(n);
                }
            }
        }
    }
    global.sort_unstable();
    let end_of = |n: usize| wanted[n].map_or(0, |w| w.start.unwrap_or(0).saturating_add(w.bytes));
    let mut rest = &global[..];
    while let Some(&(start, first)) = rest.first() {
        let mut end = end_of(first);
        let mut count = 1;
        while let Some(&(next, n)) = rest.get(count).filter(|(next, _)| *next < end) {
            debug_assert!(next >= start);
            end = end.max(end_of(n));
            count += 1;
        }
        let (overlapping, others) = rest.split_at(count);
        rest = others;
        if !overlapping
            .iter()
            .any(|(_, n)| wanted[*n].is_some_and(|w| w.written))
        {
            continue;
        }
        match parts.add(bytes(end - start)) {
            None => parts.left_out.extend(overlapping.iter().map(|(_, n)| n)),
            Some(offset) => {
                for &(at, n) in overlapping {
                    // Overlapping arguments share a part only if the elements of one begin where those of the other do.
                    let is_aligned = (at - start).is_multiple_of(unit);
                    parts.offsets[n] = is_aligned.then(|| offset + bytes(at - start));
                }
            }
        }
    }
    parts
}

/// Reports, once for each kernel, that an argument is not checked because it is too large. `argument` is `None` if the memory
/// is not that of an argument.
pub(super) fn complain(kernel: &str, check: &str, words: &str, argument: Option<usize>) {
    static TOLD: LazyLock<Mutex<HashSet<(String, String, Option<usize>)>>> =
        LazyLock::new(|| Mutex::new(Rank::Cache, HashSet::new()));
    if TOLD
        .lock()
        .insert((kernel.to_owned(), check.to_owned(), argument))
    {
        let what = match argument {
            Some(n) => format!("argument {n} of kernel '{kernel}' ({words}) is"),
            None => format!("kernel '{kernel}': {words} are"),
        };
        tell(
            &format!("caldera: {check}: {what} too large to be checked\n"),
            &mut |_| (),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(start: u64, bytes: u64, written: bool) -> Option<Wanted> {
        let start = Some(start);
        Some(Wanted {
            start,
            bytes,
            written,
        })
    }

    #[test]
    fn overlapping_arguments_share_a_part() {
        let wanted = [
            global(0x1000, 0x100, false),
            None,
            global(0x1080, 0x100, true),
            global(0x4000, 0x10, true),
            global(0x5000, 0x10, false),
        ];
        let parts = parts(&wanted, 4, 1);
        let second = Some(0x80 / 4 * 16);
        let third = Some(0x180 / 4 * 16);
        assert_eq!(parts.offsets, [Some(0), None, second, third, None]);
        assert_eq!(parts.size, (0x180 + 0x10) / 4 * 16);
        assert!(parts.left_out.is_empty());
    }

    #[test]
    fn local_memory_has_a_part_for_each_group() {
        let local = Wanted {
            start: None,
            bytes: 10,
            written: true,
        };
        let parts = parts(&[Some(local), global(0, 8, true)], 4, 100);
        assert_eq!(
            parts.offsets,
            [Some(0), Some((3 * 16 * 100_u64).next_multiple_of(128))]
        );
    }

    #[test]
    fn what_is_too_large_is_left_out() {
        let wanted = [global(0, MOST, true), global(MOST, 16, true)];
        let parts = parts(&wanted, 4, 1);
        assert_eq!(parts.offsets, [None, Some(0)]);
        assert_eq!((parts.left_out, parts.size), (vec![0], 64));
    }
}
