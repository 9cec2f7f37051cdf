//! Which devices of a context have the contents of a memory object, range by range.
//!
//! A device's storage of a range is *valid* if it has what the last command there stored. Reading on another device makes it
//! valid there too; writing makes it valid there alone. Contents that nobody has given are valid everywhere. This is what
//! is recorded: commands change it in the order in which they are given to the GPU, which is that of their dependencies.
//!
//! Beside it stands what has been *enqueued*: the device of the last write and those of the reads since. OpenCL wants events
//! between queues that share an object (CL appendix A.1); who forgot them gets the order of the enqueue calls all the same,
//! where that cannot block ([`Residence::follows`]).

use std::ops::Range;

/// Devices, by index in the context.
type Devices = u64;

/// As many devices may a context have.
pub(crate) const MOST_DEVICES: usize = Devices::BITS as usize;

/// How a command uses a range.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read,
    /// Reads and writes, or writes some of it.
    Update,
    /// Writes all of it.
    Replace,
}

/// The state of a memory object.
#[derive(Debug)]
pub(crate) struct Residence {
    /// In order, without gaps.
    parts: Vec<Part>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Part {
    end: u64,
    state: PartState,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct PartState {
    /// Never none.
    valid: Devices,
    /// Of the last write that was enqueued, and of the reads since.
    users: Devices,
    /// Of the last write; none: nothing has been written.
    writer: Devices,
}

/// A range whose contents are on another device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Away {
    pub range: Range<u64>,
    /// A device that has them.
    pub from: usize,
}

fn bit(device: usize) -> Devices {
    1 << device
}

impl Residence {
    /// `size` bytes without contents.
    pub(crate) fn new(size: u64) -> Residence {
        let state = PartState {
            valid: Devices::MAX,
            users: 0,
            writer: 0,
        };
        Residence {
            parts: vec![Part { end: size, state }],
        }
    }

    /// The parts of a range, which is not empty.
    fn within(&self, range: &Range<u64>) -> impl Iterator<Item = (Range<u64>, PartState)> {
        let Range { start, end } = *range;
        let first = self.parts.partition_point(|p| p.end <= start);
        let mut at = start;
        self.parts[first..]
            .iter()
            .take_while(move |p| {
                let begins = at;
                at = p.end;
                begins < end
            })
            .scan(start, move |at, p| {
                let part = *at..p.end.min(end);
                *at = p.end;
                Some((part, p.state))
            })
    }

    /// Makes `at` the end of a part.
    fn split(&mut self, at: u64) {
        let i = self.parts.partition_point(|p| p.end < at);
        if let Some(&part) = self.parts.get(i)
            && part.end != at
            && at > 0
        {
            self.parts.insert(i, Part { end: at, ..part });
        }
    }

    /// Changes the parts of a range.
    fn change(&mut self, range: &Range<u64>, how: impl Fn(&mut PartState)) {
        self.split(range.start);
        self.split(range.end);
        let first = self.parts.partition_point(|p| p.end <= range.start);
        for part in &mut self.parts[first..] {
            if part.end > range.end {
                break;
            }
            how(&mut part.state);
        }
        // Equal neighbours are one.
        self.parts.dedup_by(|next, part| {
            let same = part.state == next.state;
            if same {
                part.end = next.end;
            }
            same
        });
    }

    /// What a use on a device needs and does not have there.
    pub(crate) fn away(&self, range: &Range<u64>, device: usize, how: Use) -> Vec<Away> {
        if how == Use::Replace {
            return Vec::new();
        }
        let missing = self.within(range).filter(|(_, s)| s.valid & bit(device) == 0);
        missing
            .map(|(range, s)| Away {
                range,
                from: s.valid.trailing_zeros() as usize,
            })
            .collect()
    }

    /// The contents have been copied to a device.
    pub(crate) fn copied(&mut self, range: &Range<u64>, device: usize) {
        self.change(range, |s| s.valid |= bit(device));
    }

    /// A use on a device, whose contents were there, has been given to the GPU.
    pub(crate) fn used(&mut self, range: &Range<u64>, device: usize, how: Use) {
        match how {
            Use::Read => {}
            Use::Update | Use::Replace => self.change(range, |s| s.valid = bit(device)),
        }
    }

    /// Whose commands come before a use on a device, as far as they are of other devices.
    pub(crate) fn follows(&self, range: &Range<u64>, device: usize, how: Use) -> Devices {
        let here = bit(device);
        self.within(range)
            .map(|(_, s)| match how {
                Use::Read if s.users & here != 0 => 0,
                Use::Read => s.writer & !here,
                Use::Update | Use::Replace => (s.users | s.writer) & !here,
            })
            .fold(0, |all, some| all | some)
    }

    /// A use on a device is enqueued.
    pub(crate) fn enqueued(&mut self, range: &Range<u64>, device: usize, how: Use) {
        let here = bit(device);
        let known = self.within(range).all(|(_, s)| match how {
            Use::Read => s.users & here != 0,
            Use::Update | Use::Replace => s.users == here && s.writer == here,
        });
        if known {
            return;
        }
        self.change(range, |s| match how {
            Use::Read => s.users |= here,
            Use::Update | Use::Replace => {
                s.users = here;
                s.writer = here;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn away(range: Range<u64>, from: usize) -> Away {
        Away { range, from }
    }

    #[test]
    fn without_contents_nothing_moves() {
        let r = Residence::new(100);
        for device in 0..3 {
            assert!(r.away(&(0..100), device, Use::Update).is_empty());
        }
    }

    #[test]
    fn ranges_are_told_apart() {
        let mut r = Residence::new(100);
        r.used(&(0..50), 0, Use::Replace);
        r.used(&(50..100), 1, Use::Update);
        assert_eq!(r.away(&(0..100), 0, Use::Read), [away(50..100, 1)]);
        assert_eq!(
            r.away(&(0..100), 2, Use::Read),
            [away(0..50, 0), away(50..100, 1)]
        );
        assert_eq!(r.away(&(40..60), 1, Use::Update), [away(40..50, 0)]);
        assert!(r.away(&(40..60), 1, Use::Replace).is_empty());
        assert!(r.away(&(10..20), 0, Use::Read).is_empty());
    }

    #[test]
    fn readers_share_and_a_writer_does_not() {
        let mut r = Residence::new(64);
        r.used(&(0..64), 0, Use::Replace);
        r.copied(&(0..64), 1);
        for device in 0..2 {
            r.used(&(0..64), device, Use::Read);
            assert!(r.away(&(0..64), device, Use::Read).is_empty());
        }
        r.used(&(16..32), 1, Use::Update);
        assert_eq!(r.away(&(0..64), 0, Use::Read), [away(16..32, 1)]);
        r.copied(&(16..32), 0);
        assert!(r.away(&(0..64), 0, Use::Read).is_empty());
    }

    #[test]
    fn equal_neighbours_are_one_part() {
        let mut r = Residence::new(64);
        for at in 0..64 {
            r.used(&(at..at + 1), 0, Use::Replace);
        }
        assert_eq!(r.parts.len(), 1);
    }

    #[test]
    fn what_was_enqueued_before() {
        let mut r = Residence::new(64);
        let all = 0..64;
        assert_eq!(r.follows(&all, 0, Use::Update), 0);
        r.enqueued(&(0..32), 0, Use::Update);
        assert_eq!(r.follows(&(32..64), 1, Use::Update), 0);
        assert_eq!(r.follows(&all, 1, Use::Read), 1);
        r.enqueued(&all, 1, Use::Read);
        // It knows now.
        assert_eq!(r.follows(&all, 1, Use::Read), 0);
        assert_eq!(r.follows(&all, 0, Use::Read), 0);
        assert_eq!(r.follows(&all, 0, Use::Replace), 2);
        r.enqueued(&all, 0, Use::Replace);
        assert_eq!(r.follows(&all, 1, Use::Update), 1);
    }
}
