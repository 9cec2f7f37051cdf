//! The history of the commands of several threads in one in-order queue, and the decision whether any order
//! of these commands gives the results.
//!
//! Memory is divided into blocks of words. A command that writes stores its own number, the *stamp*, into
//! all words of its blocks; a read therefore shows for each block which command wrote it. The queue executes
//! its commands one after the other, in some order that agrees with the enqueue calls: a call that returned
//! before another call began comes first. The results imply more: if a read gets block *b* from command *w*,
//! then every other writer of *b* comes before *w* or after the read. The algorithm adds such implications
//! until there are no new ones; if a command then comes before itself, no order gives the results.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The times at which an enqueue call began and returned, by a clock that all threads share.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) begun: u64,
    pub(super) returned: u64,
}

/// The number of a writing command, which no other command has.
pub(super) type Stamp = u32;

/// A command that wrote blocks of an object.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) span: Span,
    pub(super) object: usize,
    pub(super) blocks: Range<usize>,
    pub(super) stamp: Stamp,
    pub(super) how: &'static str,
}

/// A command that read blocks of an object, and the blocks' contents that it returned.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) span: Span,
    pub(super) object: usize,
    pub(super) first: usize,
    pub(super) got: Vec<Block>,
    pub(super) how: &'static str,
    /// Whether this is the last read, after all other commands are complete.
    pub(super) last: bool,
}

/// The contents of a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// All words are equal.
    Whole(Stamp),
    /// The words differ: the first word, the index of the first word that differs from it, and that word.
    Mixed(Stamp, usize, Stamp),
}

impl Block {
    /// Returns the contents of a block from its bytes.
    pub(super) fn of(bytes: &[u8]) -> Block {
        let words = bytes.as_chunks::<4>().0;
        let stamp = |at: usize| u32::from_le_bytes(words[at]);
        if bytes[4..] == bytes[..bytes.len() - 4] {
            return Block::Whole(stamp(0));
        }
        let at = words.iter().position(|w| *w != words[0]).unwrap_or(0);
        Block::Mixed(stamp(0), at, stamp(at))
    }
}

/// The ways in which a result can be wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fault {
    /// The result has parts of two commands, although one of them overwrote the other completely.
    Torn,
    /// The result is older than a command that certainly comes before the read.
    Stale,
    /// The last read has an old result: the data that a command wrote is lost.
    Lost,
    /// The result is of a command whose call had not begun when the read's call returned.
    Future,
    /// No command wrote this value there.
    Nowhere,
    /// Each result is possible, but not all results together.
    Order,
    /// A command was executed more than once.
    Duplicated,
}

/// A result that no order of the commands gives.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) fault: Fault,
    pub(super) why: String,
}

/// All commands of one queue.
#[derive(Default, Debug)]
pub(super) struct History {
    pub(super) writes: Vec<Write>,
    pub(super) reads: Vec<Read>,
}

impl History {
    /// Returns the results that are wrong; none if some order of the commands gives all results.
    pub(super) fn judge(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let stamps: HashMap<(usize, Stamp), usize> = (self.writes.iter().enumerate())
            .map(|(i, w)| ((w.object, w.stamp), i))
            .collect();
        for read in &self.reads {
            findings.extend(self.judge_alone(read, &stamps));
        }
        if findings.is_empty() {
            findings.extend(Order::new(self, &stamps).judge());
        }
        findings
    }

    /// Returns the first fault of one read that shows without the other reads.
    fn judge_alone(&self, read: &Read, stamps: &HashMap<(usize, Stamp), usize>) -> Option<Finding> {
        let finding = |fault, why: String| {
            let why = format!("{} of object {}: {why}", read.how, read.object);
            Some(Finding { fault, why })
        };
        let mut sources: BTreeMap<usize, usize> = BTreeMap::new();
        for (block, got) in (read.first..).zip(&read.got) {
            let stamp = match *got {
                Block::Whole(stamp) => stamp,
                Block::Mixed(a, at, b) => {
                    let why = format!("block {block} is of {a}, from word {at} on of {b}");
                    return finding(Fault::Torn, why);
                }
            };
            let source = stamps.get(&(read.object, stamp)).copied();
            let Some(source) = source.filter(|w| self.writes[*w].blocks.contains(&block)) else {
                return finding(Fault::Nowhere, format!("block {block} has {stamp:#x}"));
            };
            let write = &self.writes[source];
            let then = |w: &Write| format!("{} by {} {:?}", w.stamp, w.how, w.span);
            if write.span.begun > read.span.returned {
                let why = format!("block {block} of {}, in {:?}", then(write), read.span);
                return finding(Fault::Future, why);
            }
            let between = self.writes.iter().find(|w| {
                w.object == read.object
                    && w.blocks.contains(&block)
                    && w.span.begun > write.span.returned
                    && w.span.returned < read.span.begun
            });
            if let Some(between) = between {
                let (old, new) = (then(write), then(between));
                let why = format!("block {block} of {old}, after {new}, in {:?}", read.span);
                return finding(if read.last { Fault::Lost } else { Fault::Stale }, why);
            }
            sources.entry(source).or_insert(block);
        }
        // If two commands wrote both blocks, the later one overwrote both, so the read must not return one
        // block of each.
        for (a, at_a) in &sources {
            for (b, at_b) in sources.range(a + 1..) {
                let both = |w: &Write| w.blocks.contains(at_a) && w.blocks.contains(at_b);
                let (first, second) = (&self.writes[*a], &self.writes[*b]);
                if both(first) && both(second) {
                    let (x, y) = (first.stamp, second.stamp);
                    let (by, and) = (first.how, second.how);
                    let why = format!("block {at_a} is of {x} ({by}), block {at_b} of {y} ({and})");
                    return finding(Fault::Torn, why);
                }
            }
        }
        None
    }
}

/// The order of the commands, as far as it is known.
struct Order<'a> {
    history: &'a History,
    /// For each read, the writes whose data it returned: block, and index of the write.
    sources: Vec<Vec<(usize, usize)>>,
    /// For each command, a bit for each command that comes after it. The indices of the reads follow those
    /// of the writes.
    after: Vec<Vec<u64>>,
}

impl<'a> Order<'a> {
    fn new(history: &'a History, stamps: &HashMap<(usize, Stamp), usize>) -> Order<'a> {
        let sources = (history.reads.iter())
            .map(|read| {
                let blocks = (read.first..).zip(&read.got);
                blocks
                    .filter_map(|(block, got)| match got {
                        Block::Whole(stamp) => Some((block, *stamps.get(&(read.object, *stamp))?)),
                        Block::Mixed(..) => None,
                    })
                    .collect()
            })
            .collect();
        let spans: Vec<Span> = (history.writes.iter().map(|w| w.span))
            .chain(history.reads.iter().map(|r| r.span))
            .collect();
        let words = spans.len().div_ceil(64);
        let after = spans
            .iter()
            .map(|a| {
                let mut row = vec![0u64; words];
                for (i, b) in spans.iter().enumerate() {
                    if a.returned < b.begun {
                        row[i / 64] |= 1 << (i % 64);
                    }
                }
                row
            })
            .collect();
        Order {
            history,
            sources,
            after,
        }
    }

    fn comes_after(&self, a: usize, b: usize) -> bool {
        self.after[a][b / 64] >> (b % 64) & 1 == 1
    }

    /// Notes that `a` comes before `b`, and therefore every command before `a` comes before every command
    /// after `b`. Returns whether that is new.
    fn put(&mut self, a: usize, b: usize) -> bool {
        if self.comes_after(a, b) {
            return false;
        }
        let mut new = self.after[b].clone();
        new[b / 64] |= 1 << (b % 64);
        for x in 0..self.after.len() {
            if x == a || self.comes_after(x, a) {
                for (to, from) in self.after[x].iter_mut().zip(&new) {
                    *to |= from;
                }
            }
        }
        true
    }

    fn judge(mut self) -> Option<Finding> {
        let writes = self.history.writes.len();
        let sources = std::mem::take(&mut self.sources);
        loop {
            let mut news = false;
            for (index, (read, sources)) in self.history.reads.iter().zip(&sources).enumerate() {
                let node = writes + index;
                for (block, source) in sources {
                    news |= self.put(*source, node);
                    for (other, write) in self.history.writes.iter().enumerate() {
                        let same = write.object == read.object && write.blocks.contains(block);
                        if !same || other == *source {
                            continue;
                        }
                        if self.comes_after(other, node) {
                            news |= self.put(other, *source);
                        }
                        if self.comes_after(*source, other) {
                            news |= self.put(node, other);
                        }
                    }
                }
                if self.comes_after(node, node) {
                    let how = read.how;
                    let why = format!("{how} of object {}: {:?} {:?}", read.object, read.span, read.got);
                    return Some(Finding {
                        fault: Fault::Order,
                        why,
                    });
                }
            }
            if !news {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(stamp: Stamp, begun: u64, returned: u64, blocks: Range<usize>) -> Write {
        Write {
            span: Span { begun, returned },
            object: 0,
            blocks,
            stamp,
            how: "write",
        }
    }

    fn read(begun: u64, returned: u64, stamps: &[Stamp]) -> Read {
        Read {
            span: Span { begun, returned },
            object: 0,
            first: 0,
            got: stamps.iter().map(|s| Block::Whole(*s)).collect(),
            how: "read",
            last: false,
        }
    }

    fn faults(writes: &[Write], reads: &[Read]) -> Vec<Fault> {
        let (writes, reads) = (writes.to_vec(), reads.to_vec());
        let findings = History { writes, reads }.judge();
        findings.iter().map(|f| f.fault).collect()
    }

    #[test]
    fn calls_at_the_same_time_may_have_any_order() {
        let writes = [write(1, 0, 1, 0..2), write(2, 2, 5, 0..2), write(3, 3, 6, 1..2)];
        for legal in [[1, 1], [2, 2], [2, 3], [1, 3]] {
            assert_eq!(faults(&writes, &[read(4, 7, &legal)]), [], "{legal:?}");
        }
        // Command 2 wrote both blocks after command 1 wrote both.
        assert_eq!(faults(&writes, &[read(4, 7, &[2, 1])]), [Fault::Torn]);
    }

    #[test]
    fn each_fault_has_its_name() {
        let writes = [write(1, 0, 1, 0..2), write(2, 2, 3, 0..2), write(3, 8, 9, 0..2)];
        assert_eq!(faults(&writes, &[read(4, 5, &[2, 2])]), []);
        assert_eq!(faults(&writes, &[read(4, 5, &[1, 1])]), [Fault::Stale]);
        assert_eq!(faults(&writes, &[read(4, 5, &[3, 3])]), [Fault::Future]);
        assert_eq!(faults(&writes, &[read(4, 5, &[7, 7])]), [Fault::Nowhere]);
        let mut last = read(10, 11, &[2, 2]);
        last.last = true;
        assert_eq!(faults(&writes, &[last]), [Fault::Lost]);
        let mut mixed = read(4, 5, &[2, 2]);
        mixed.got[1] = Block::of(&[2, 2, 1].map(u32::to_le_bytes).concat());
        assert_eq!(mixed.got[1], Block::Mixed(2, 2, 1));
        assert_eq!(faults(&writes, &[mixed]), [Fault::Torn]);
    }

    /// The later of two reads returns older data; each result is possible by itself.
    #[test]
    fn results_must_fit_together() {
        let writes = [write(1, 0, 1, 0..1), write(2, 2, 9, 0..1)];
        let [new, old] = [read(3, 4, &[2]), read(5, 6, &[1])];
        assert_eq!(faults(&writes, std::slice::from_ref(&new)), []);
        assert_eq!(faults(&writes, std::slice::from_ref(&old)), []);
        assert_eq!(faults(&writes, &[new, old]), [Fault::Order]);
    }

    /// Two reads see two writes in different orders.
    #[test]
    fn all_see_the_same_order() {
        let writes = [write(1, 0, 1, 0..2), write(2, 2, 20, 0..1), write(3, 3, 21, 1..2)];
        let reads = [read(4, 22, &[2, 1]), read(5, 23, &[1, 3])];
        assert_eq!(faults(&writes, &reads), [Fault::Order]);
        let reads = [read(4, 22, &[2, 1]), read(5, 23, &[2, 3])];
        assert_eq!(faults(&writes, &reads), []);
    }
}
