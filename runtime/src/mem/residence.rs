//! Records which devices of a context have the contents of a memory object, range by range.
//!
//! A device's storage of a range is *valid* if it has the result of the last command that wrote the range.
//! Reading on another device makes that device's storage valid, too; writing leaves only the writer's storage
//! valid. Contents that no command has given are valid everywhere. Commands change this state when they are
//! recorded, in the order in which they are given to the GPU, which respects their dependencies.
//!
//! The state also has the uses that have been *enqueued*: the device of the last write, and the devices of
//! the reads since. OpenCL demands events between queues that share an object (CL appendix A.1).
//! Applications without these events still get the order of the enqueue calls, wherever waiting for it
//! cannot block ([`Residence::follows`]).
//!
//! Finally, the state has the *claims* ([`super::claim`]): the ranges that commands use, from the time when
//! they are admitted. A write is claimed until the GPU has completed it, because only the command itself
//! knows which of the claimed bytes it writes. A read is claimed until its command is recorded, because from
//! then on the command needs nothing but its own device's storage. Claims of different devices exclude each
//! other if one of them is a write, so contents never move while a command may change them. While contents
//! move to a device, its own commands do not write them either, because the copy would overwrite their
//! results.
//!
//! A range that is mapped for writing in a device's storage is *held* there, because the application may store
//! into it at any time. Until the mapping ends, only that device has its contents; commands of other devices
//! that claim the range are assumed not to use it.

use std::ops::Range;

/// A set of devices: a bit for each index in the context.
type Devices = u64;

/// The most devices that a context may have.
pub(crate) const MOST_DEVICES: usize = Devices::BITS as usize;

/// The way in which a command uses a range.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read,
    /// The command reads and writes the range, or writes a part of it.
    Update,
    /// The command writes the whole range.
    Replace,
}

/// The state of a memory object.
#[derive(Debug)]
pub(crate) struct Residence {
    /// The parts of the object in ascending order, without gaps.
    parts: Vec<Part>,
    claimed: Vec<Claimed>,
    held: Vec<Held>,
}

/// A range that is mapped for writing.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Held {
    id: ClaimId,
    range: Range<u64>,
    device: usize,
}

/// The number that identifies a claim or a hold.
pub(crate) type ClaimId = u64;

/// A batch: the number of its queue and its timeline value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct InBatch {
    pub queue: u32,
    pub value: u64,
}

/// A range that a command claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Claimed {
    pub id: ClaimId,
    pub range: Range<u64>,
    pub device: usize,
    pub write: bool,
    /// Contents are being moved to the device for the command.
    pub moving: bool,
    /// The batch into which the command has been recorded.
    pub batch: Option<InBatch>,
}

impl Claimed {
    fn excludes(&self, other: &Claimed) -> bool {
        let disturbs = |a: &Claimed, b: &Claimed| a.moving && b.write && b.batch.is_none();
        let excluded = match self.device == other.device {
            true => disturbs(self, other) || disturbs(other, self),
            false => self.write || other.write,
        };
        excluded
            && self.id != other.id
            && self.range.start < other.range.end
            && other.range.start < self.range.end
    }
}

/// What a claim must wait for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    /// A command that is about to be recorded, or that a thread executes.
    Unrecorded,
    Batch(InBatch),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Part {
    end: u64,
    state: PartState,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct PartState {
    /// The devices with valid storage; never empty.
    valid: Devices,
    /// The device of the last write that was enqueued, and the devices of the reads since.
    users: Devices,
    /// The device of the last write that was enqueued; empty if there was none.
    writer: Devices,
}

/// A range whose contents are on another device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Away {
    pub range: Range<u64>,
    /// A device that has the contents.
    pub from: usize,
}

fn bit(device: usize) -> Devices {
    1 << device
}

impl Residence {
    /// Makes the state of an object of `size` bytes without contents.
    pub(crate) fn new(size: u64) -> Residence {
        let state = PartState {
            valid: Devices::MAX,
            users: 0,
            writer: 0,
        };
        Residence {
            parts: vec![Part { end: size, state }],
            claimed: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Notes that a range is mapped for writing in a device's storage.
    pub(crate) fn hold(&mut self, id: ClaimId, range: &Range<u64>, device: usize) {
        self.used(range, device, Use::Replace);
        self.held.push(Held {
            id,
            range: range.clone(),
            device,
        });
    }

    /// Notes that the mapping has ended.
    pub(crate) fn end_hold(&mut self, id: ClaimId) {
        self.held.retain(|h| h.id != id);
    }

    /// Returns the parts of a range that no other device holds.
    fn free(&self, range: &Range<u64>, device: usize) -> Vec<Range<u64>> {
        let mut free = vec![range.clone()];
        for held in self.held.iter().filter(|h| h.device != device) {
            let Range { start, end } = held.range;
            let apart = |r: Range<u64>| {
                let before = r.start..r.end.min(start);
                let after = r.start.max(end)..r.end;
                [before, after]
            };
            free = free
                .into_iter()
                .flat_map(apart)
                .filter(|r| !r.is_empty())
                .collect();
        }
        free
    }

    /// Adds a claim for a command, whether or not other claims exclude it ([`Residence::obstacle`]).
    pub(crate) fn claim(&mut self, claimed: Claimed) {
        self.claimed.push(claimed);
    }

    /// Notes that the contents that were moved for a claim have arrived.
    pub(crate) fn moved(&mut self, id: ClaimId) {
        let mine = self.claimed.iter_mut().filter(|c| c.id == id);
        mine.for_each(|c| c.moving = false);
    }

    /// Returns what a claim must wait for, if other claims exclude it. Claims whose commands are not
    /// recorded are returned first.
    pub(crate) fn obstacle(&self, to: &Claimed) -> Option<Obstacle> {
        let mut others = self.claimed.iter().filter(|c| c.excludes(to));
        let first = others.next()?;
        let waits = std::iter::once(first).chain(others).find(|c| c.batch.is_none());
        Some(match waits.unwrap_or(first).batch {
            Some(batch) => Obstacle::Batch(batch),
            None => Obstacle::Unrecorded,
        })
    }

    /// Returns whether a command of another device claims a part of a range, and one of the two writes.
    pub(crate) fn is_claimed_elsewhere(&self, range: &Range<u64>, device: usize, write: bool) -> bool {
        self.claimed.iter().any(|c| {
            c.device != device && (c.write || write) && c.range.start < range.end && range.start < c.range.end
        })
    }

    /// Notes that a command has been recorded: its reads are no longer claimed, and its writes stay claimed
    /// until [`Residence::release`]. Returns whether the claim must be kept. It need not be kept if it has
    /// no writes, or if other claims of the same batch cover all of them.
    pub(crate) fn recorded(&mut self, id: ClaimId, batch: InBatch) -> bool {
        self.claimed.retain(|c| c.id != id || c.write);
        let covered = |c: &Claimed, all: &[Claimed]| {
            all.iter().rev().any(|o| {
                o.id != id
                    && o.batch == Some(batch)
                    && o.device == c.device
                    && o.range.start <= c.range.start
                    && c.range.end <= o.range.end
            })
        };
        let all = &self.claimed;
        if all.iter().filter(|c| c.id == id).all(|c| covered(c, all)) {
            self.release(id);
            return false;
        }
        for mine in self.claimed.iter_mut().filter(|c| c.id == id) {
            mine.batch = Some(batch);
        }
        true
    }

    /// Removes a claim.
    pub(crate) fn release(&mut self, id: ClaimId) {
        self.claimed.retain(|c| c.id != id);
    }

    /// Returns the parts of a range, which must not be empty.
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

    /// Splits a part so that some part ends at `at`.
    fn split(&mut self, at: u64) {
        let i = self.parts.partition_point(|p| p.end < at);
        if let Some(&part) = self.parts.get(i)
            && part.end != at
            && at > 0
        {
            self.parts.insert(i, Part { end: at, ..part });
        }
    }

    /// Changes the state of the parts of a range.
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
        // Adjacent parts with equal states are merged.
        self.parts.dedup_by(|next, part| {
            let same = part.state == next.state;
            if same {
                part.end = next.end;
            }
            same
        });
    }

    /// Returns the ranges whose contents a use on a device needs but the device does not have.
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

    /// Notes that the contents have been copied to a device.
    pub(crate) fn copied(&mut self, range: &Range<u64>, device: usize) {
        for range in self.free(range, device) {
            self.change(&range, |s| s.valid |= bit(device));
        }
    }

    /// Notes that a use has been given to the GPU of a device that had the contents.
    pub(crate) fn used(&mut self, range: &Range<u64>, device: usize, how: Use) {
        match how {
            Use::Read => {}
            Use::Update | Use::Replace => {
                for range in self.free(range, device) {
                    self.change(&range, |s| s.valid = bit(device));
                }
            }
        }
    }

    /// Returns the other devices whose commands come before a use on a device.
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

    /// Notes that a use on a device has been enqueued.
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

    fn claimed(id: ClaimId, range: Range<u64>, device: usize, write: bool) -> Claimed {
        Claimed {
            id,
            range,
            device,
            write,
            moving: false,
            batch: None,
        }
    }

    #[test]
    fn claims_of_devices_exclude_each_other() {
        const ANOTHER: ClaimId = 99;
        let mut r = Residence::new(64);
        let batch = |value| InBatch { queue: 1, value };
        let obstacle =
            |r: &Residence, range, device, write| r.obstacle(&claimed(ANOTHER, range, device, write));
        r.claim(claimed(1, 0..32, 0, true));
        assert_eq!(obstacle(&r, 0..64, 0, true), None);
        assert_eq!(obstacle(&r, 32..64, 1, true), None);
        assert_eq!(obstacle(&r, 31..64, 1, false), Some(Obstacle::Unrecorded));
        assert!(r.recorded(1, batch(1)));
        let recorded = Some(Obstacle::Batch(batch(1)));
        assert_eq!(obstacle(&r, 0..1, 1, true), recorded);
        // The claim of a command that is not recorded is returned first, because there is no batch to wait
        // for yet.
        r.claim(claimed(2, 8..16, 0, false));
        assert_eq!(obstacle(&r, 0..64, 1, false), recorded);
        assert_eq!(obstacle(&r, 0..64, 1, true), Some(Obstacle::Unrecorded));
        assert!(
            !r.recorded(2, batch(1)),
            "a read needs nothing once it is recorded"
        );
        assert_eq!(obstacle(&r, 0..64, 1, true), recorded);
        r.release(1);
        assert_eq!(obstacle(&r, 0..64, 1, true), None);
    }

    #[test]
    fn what_moves_is_not_written_by_its_own_device_either() {
        let mut r = Residence::new(64);
        let batch = InBatch { queue: 1, value: 1 };
        let moving = Claimed {
            moving: true,
            ..claimed(1, 0..32, 0, false)
        };
        r.claim(moving.clone());
        let (write, read) = (claimed(2, 16..48, 0, true), claimed(2, 16..48, 0, false));
        assert_eq!(r.obstacle(&write), Some(Obstacle::Unrecorded));
        assert_eq!(r.obstacle(&read), None);
        assert_eq!(r.obstacle(&moving), None, "itself");
        r.moved(1);
        assert_eq!(r.obstacle(&write), None);
        // In the opposite order, contents may move once the write is recorded, because the device then has
        // the contents.
        r.claim(write);
        let later = Claimed { id: 3, ..moving };
        assert_eq!(r.obstacle(&later), Some(Obstacle::Unrecorded));
        assert!(r.recorded(2, batch));
        assert_eq!(r.obstacle(&later), None);
    }

    #[test]
    fn what_is_held_stays() {
        let mut r = Residence::new(64);
        r.used(&(0..64), 0, Use::Replace);
        r.hold(1, &(16..32), 1);
        r.hold(2, &(40..48), 1);
        assert_eq!(r.free(&(0..64), 0), [0..16, 32..40, 48..64]);
        assert_eq!(r.free(&(20..24), 0), [0..0; 0]);
        r.used(&(8..64), 0, Use::Update);
        assert_eq!(r.away(&(0..64), 0, Use::Read), [away(16..32, 1), away(40..48, 1)]);
        // While the range is held, a copy does not make another device's storage valid.
        r.copied(&(16..32), 0);
        assert_eq!(r.away(&(0..40), 0, Use::Read), [away(16..32, 1)]);
        r.end_hold(1);
        r.used(&(16..32), 1, Use::Replace);
        r.copied(&(16..32), 0);
        assert!(r.away(&(0..40), 0, Use::Read).is_empty());
    }

    #[test]
    fn one_claim_of_a_batch_stands_for_others() {
        let mut r = Residence::new(64);
        let batch = |value| InBatch { queue: 1, value };
        for (id, range, value, stays) in [
            (1, 0..32, 1, true),
            (2, 8..16, 1, false),
            (3, 16..48, 1, true),
            (4, 8..16, 2, true),
        ] {
            r.claim(claimed(id, range, 0, true));
            assert_eq!(r.recorded(id, batch(value)), stays, "{id}");
        }
        assert_eq!(r.claimed.len(), 3);
    }

    #[test]
    fn claims_of_other_devices() {
        let mut r = Residence::new(64);
        r.claim(claimed(1, 0..16, 0, false));
        r.claim(claimed(2, 32..48, 0, true));
        let ask = |r: &Residence, range, device, write| r.is_claimed_elsewhere(&range, device, write);
        assert!(!ask(&r, 0..64, 0, true));
        assert!(ask(&r, 8..20, 1, true) && !ask(&r, 8..20, 1, false) && !ask(&r, 16..32, 1, true));
        assert!(ask(&r, 40..64, 1, false) && !ask(&r, 48..64, 1, true));
        // A recorded command only claims what it writes.
        let batch = InBatch { queue: 1, value: 1 };
        r.recorded(1, batch);
        assert!(!ask(&r, 0..16, 1, true));
        assert!(r.recorded(2, batch) && ask(&r, 32..33, 1, false));
        r.release(2);
        assert!(!ask(&r, 0..64, 1, true));
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
        // The device has been noted as a reader.
        assert_eq!(r.follows(&all, 1, Use::Read), 0);
        assert_eq!(r.follows(&all, 0, Use::Read), 0);
        assert_eq!(r.follows(&all, 0, Use::Replace), 2);
        r.enqueued(&all, 0, Use::Replace);
        assert_eq!(r.follows(&all, 1, Use::Update), 1);
    }
}
