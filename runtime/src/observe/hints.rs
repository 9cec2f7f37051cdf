//! Hints: facts about a program that usually cost time. Each is certainly true, under the condition that its function states.

use std::collections::HashMap;

use super::profile::{KernelRow, Tables};
use super::{Effect, Region};

/// The least number of times for which something is worth a hint.
const OFTEN: u64 = 10;

/// The most regions of buffers that are followed, and the most buffers whose writes are counted.
const MOST: usize = 1024;

/// How the launches and the waits of a queue alternate.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rhythm {
    launches: u64,
    /// The launches that were followed by a blocking command, without another command in between.
    then_blocking: u64,
    /// The launches that were followed by clFinish, without another command in between.
    then_finish: u64,
    last_was_launch: bool,
}

impl Rhythm {
    /// Notes a command of the queue.
    pub(super) fn command(&mut self, is_launch: bool, blocking: bool) {
        self.then_blocking += u64::from(self.last_was_launch && blocking);
        self.launches += u64::from(is_launch);
        self.last_was_launch = is_launch && !blocking;
    }

    /// Notes a call of clFinish for the queue.
    pub(super) fn finish(&mut self) {
        self.then_finish += u64::from(std::mem::take(&mut self.last_was_launch));
    }
}

/// Regions of buffers that were read several times without a command in between that may have written the buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadBacks {
    /// The number of commands that may have written any memory.
    anything: u64,
    /// The number of commands that may have written each buffer.
    written: HashMap<usize, u64>,
    /// The state at the last read of each region, and how many reads found the same state as the read before.
    regions: HashMap<Region, ((u64, u64), u64)>,
}

impl ReadBacks {
    /// Notes a command, in the order of the enqueue calls.
    pub(super) fn command(&mut self, effect: &Effect<'_>) {
        self.anything += u64::from(effect.writes_anything);
        for root in effect.written {
            if self.written.len() < MOST {
                *self.written.entry(*root).or_default() += 1;
            } else if let Some(count) = self.written.get_mut(root) {
                *count += 1;
            } else {
                // A write of a buffer that is not counted counts for all.
                self.anything += 1;
            }
        }
        let Some(region) = effect.reads else { return };
        let state = (
            self.anything,
            self.written.get(&region.root).copied().unwrap_or(0),
        );
        if let Some((last, repeats)) = self.regions.get_mut(&region) {
            *repeats += u64::from(*last == state);
            *last = state;
        } else if self.regions.len() < MOST {
            self.regions.insert(region, (state, 0));
        }
    }

    /// Returns the regions with the numbers of repeated reads, those with the most bytes first.
    fn repeated(&self) -> Vec<(Region, u64)> {
        let often = self.regions.iter().filter(|(_, (_, n))| *n >= OFTEN);
        let mut all: Vec<(Region, u64)> = often.map(|(region, (_, n))| (*region, *n)).collect();
        all.sort_unstable_by_key(|(r, n)| (std::cmp::Reverse((r.end - r.start) * n), r.root, r.start));
        all
    }
}

/// All hints for a profile.
pub(super) fn all(tables: &Tables) -> Vec<String> {
    let mut queues: Vec<_> = tables.rhythms.iter().collect();
    queues.sort_unstable_by_key(|(number, _)| **number);
    let rhythms = queues
        .iter()
        .flat_map(|(n, r)| [blocking(**n, r), finish(**n, r)]);
    let single = tables.kernels.iter().map(single_items);
    let repeated = tables
        .reads
        .repeated()
        .into_iter()
        .take(3)
        .map(|r| Some(read_again(r)));
    single.chain(rhythms).chain(repeated).flatten().collect()
}

/// Condition: the kernel was launched with work-groups of one work-item although the NDRange has several, so a GPU, which
/// executes the work-items of a group together, uses one lane of each sub-group.
fn single_items(row: &KernelRow) -> Option<String> {
    (row.single_items > 0).then(|| {
        format!(
            "{}: {} of {} launches had work-groups of one work-item, which use one lane of a sub-group. Choose larger \
             work-groups, or pass NULL as the local size.",
            row.name(),
            row.single_items,
            row.sum.calls.max(row.single_items)
        )
    })
}

/// Condition: `count` launches of the queue, most of all and at least [`OFTEN`], were followed by a wait, without another command
/// of the queue in between. While the host handles the results, the queue is empty.
fn waits(queue: u32, rhythm: &Rhythm, count: u64, wait: &str) -> Option<String> {
    let is_usual = count >= OFTEN && 2 * count >= rhythm.launches;
    is_usual.then(|| {
        format!(
            "Queue {queue}: {count} of {} launches were followed by {wait}, so the queue is empty while the host goes on. Enqueue \
             several launches before the host waits.",
            rhythm.launches
        )
    })
}

/// The hint for launches that are followed by a blocking command.
fn blocking(queue: u32, rhythm: &Rhythm) -> Option<String> {
    waits(queue, rhythm, rhythm.then_blocking, "a blocking command")
}

/// The hint for launches that are followed by clFinish.
fn finish(queue: u32, rhythm: &Rhythm) -> Option<String> {
    waits(queue, rhythm, rhythm.then_finish, "clFinish")
}

/// Condition: clEnqueueReadBuffer read the region although no command that was enqueued after the previous read of the same region
/// may have written the buffer.
fn read_again((region, count): (Region, u64)) -> String {
    format!(
        "{} bytes at offset {} of a buffer were read {count} times although nothing had written the buffer since the \
         previous read.",
        region.end - region.start,
        region.start
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: usize) -> Effect<'static> {
        Effect {
            reads: Some(Region {
                root,
                start: 0,
                end: 64,
            }),
            ..Effect::default()
        }
    }

    #[test]
    fn only_reads_without_writes_in_between_are_repeated() {
        let mut reads = ReadBacks::default();
        let write = |root: &'static [usize]| Effect {
            written: root,
            ..Effect::default()
        };
        for _ in 0..=OFTEN {
            reads.command(&read(1));
            // Another buffer is written.
            reads.command(&write(&[2]));
            reads.command(&read(2));
            reads.command(&read(3));
            reads.command(&write(&[3]));
        }
        let found: Vec<_> = reads.repeated().iter().map(|(r, n)| (r.root, *n)).collect();
        assert_eq!(found, [(1, OFTEN)]);
        let anything = Effect {
            writes_anything: true,
            ..Effect::default()
        };
        let mut reads = ReadBacks::default();
        for _ in 0..2 * OFTEN {
            reads.command(&anything);
            reads.command(&read(1));
        }
        assert!(reads.repeated().is_empty());
    }

    #[test]
    fn a_write_of_a_buffer_that_is_not_counted_counts_for_all() {
        let mut reads = ReadBacks::default();
        for root in 0..2 * MOST {
            reads.command(&Effect {
                written: &[root],
                ..Effect::default()
            });
        }
        for _ in 0..2 * OFTEN {
            reads.command(&read(2 * MOST));
            reads.command(&Effect {
                written: &[2 * MOST],
                ..Effect::default()
            });
        }
        assert!(reads.repeated().is_empty());
    }

    #[test]
    fn waits_count_directly_after_launches() {
        let mut rhythm = Rhythm::default();
        for _ in 0..OFTEN {
            rhythm.command(true, false);
            rhythm.command(false, true);
            // This one does not follow a launch.
            rhythm.command(false, true);
            rhythm.finish();
        }
        assert_eq!(
            (rhythm.launches, rhythm.then_blocking, rhythm.then_finish),
            (OFTEN, OFTEN, 0)
        );
        assert!(blocking(1, &rhythm).is_some() && finish(1, &rhythm).is_none());
        for _ in 0..OFTEN + 1 {
            rhythm.command(true, false);
        }
        assert!(
            blocking(1, &rhythm).is_none(),
            "most launches are followed by none"
        );
        rhythm.finish();
        assert_eq!(rhythm.then_finish, 1);
    }
}
