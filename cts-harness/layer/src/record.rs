//! Launches and reads until they are complete, and the sums of those that are.

use crate::digest::Digest;
use crate::memory::Region;
use crate::names::Kernel;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The largest number of launches whose times are awaited. If there are more, the oldest are not timed.
const MOST_PENDING: usize = 1 << 16;
/// When more launches than this are pending, those that are complete are taken off the list at each launch.
const MANY_PENDING: usize = 1 << 10;
/// The largest number of different launches. Further ones are only counted.
const MOST_GROUPS: usize = 1 << 16;
/// The largest number of reads. Further ones are only counted.
const MOST_READS: usize = 10_000;

/// The state of a command.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Pending,
    /// The time on the device in nanoseconds.
    Done(u64),
    /// The command failed, or has no times.
    Untimed,
}

/// The event of a command.
pub(crate) trait Command {
    fn state(&self) -> State;
}

/// What distinguishes launches from each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) global: [usize; 3],
    /// Zeros if the implementation chooses.
    pub(crate) local: [usize; 3],
}

/// The sums of equal launches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    pub(crate) count: u64,
    pub(crate) total: u64,
    pub(crate) least: u64,
}

/// Everything that is known of the program so far.
pub(crate) struct Record<C> {
    /// The launches in the order in which each first appeared.
    pub(crate) launches: Vec<(Launch, Times)>,
    index: HashMap<Launch, usize>,
    /// The reads in the order of the calls; `None` for those that were not seen.
    pub(crate) reads: Vec<Option<Digest>>,
    /// The number of launches without times.
    pub(crate) untimed: u64,
    /// The number of reads beyond [`MOST_READS`].
    pub(crate) unseen: u64,
    pending: VecDeque<(usize, C)>,
    /// Reads that do not block: their position in `reads`, and the memory.
    pending_reads: Vec<(usize, Region, C)>,
}

impl<C: Command> Record<C> {
    pub(crate) fn new() -> Record<C> {
        Record {
            launches: Vec::new(),
            index: HashMap::new(),
            reads: Vec::new(),
            untimed: 0,
            unseen: 0,
            pending: VecDeque::new(),
            pending_reads: Vec::new(),
        }
    }

    /// Notes a launch.
    pub(crate) fn launched(&mut self, launch: Launch, command: C) {
        let next = self.launches.len();
        let group = match self.index.get(&launch) {
            Some(at) => *at,
            None if next == MOST_GROUPS => {
                self.untimed += 1;
                return;
            }
            None => {
                let times = Times {
                    count: 0,
                    total: 0,
                    least: u64::MAX,
                };
                self.launches.push((launch.clone(), times));
                self.index.insert(launch, next);
                next
            }
        };
        self.pending.push_back((group, command));
        if self.pending.len() > MANY_PENDING {
            self.settle_oldest();
        }
        if self.pending.len() > MOST_PENDING {
            self.pending.pop_front();
            self.untimed += 1;
        }
    }

    /// Notes a launch that has no event.
    pub(crate) fn launched_without_event(&mut self) {
        self.untimed += 1;
    }

    /// Notes a read that is complete.
    pub(crate) fn read(&mut self, digest: Option<Digest>) {
        if let Some(at) = self.next_read() {
            self.reads[at] = digest;
        }
    }

    /// Notes a read that need not be complete.
    pub(crate) fn reading(&mut self, region: Region, command: C) {
        if let Some(at) = self.next_read() {
            self.pending_reads.push((at, region, command));
        }
    }

    fn next_read(&mut self) -> Option<usize> {
        if self.reads.len() == MOST_READS {
            self.unseen += 1;
            return None;
        }
        self.reads.push(None);
        Some(self.reads.len() - 1)
    }

    /// Takes over the times and the data of all commands that are complete. The program has just waited.
    pub(crate) fn settle(&mut self) {
        for (group, command) in std::mem::take(&mut self.pending) {
            match command.state() {
                State::Pending => self.pending.push_back((group, command)),
                state => self.note(group, state),
            }
        }
        for (at, region, command) in std::mem::take(&mut self.pending_reads) {
            match command.state() {
                State::Pending => self.pending_reads.push((at, region, command)),
                State::Done(_) | State::Untimed => self.reads[at] = region.digest_if_there(),
            }
        }
    }

    /// Takes over the times of the launches at the beginning of the list.
    fn settle_oldest(&mut self) {
        while let Some((group, command)) = self.pending.front() {
            let (group, state) = (*group, command.state());
            if state == State::Pending {
                break;
            }
            self.note(group, state);
            self.pending.pop_front();
        }
    }

    fn note(&mut self, group: usize, state: State) {
        match state {
            State::Done(time) => {
                let times = &mut self.launches[group].1;
                times.count += 1;
                times.total += time;
                times.least = times.least.min(time);
            }
            State::Pending | State::Untimed => self.untimed += 1,
        }
    }

    /// Returns the number of launches whose times are still awaited.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[derive(Clone)]
    struct Fake(Rc<Cell<State>>);

    impl Fake {
        fn new(state: State) -> Fake {
            Fake(Rc::new(Cell::new(state)))
        }
    }

    impl Command for Fake {
        fn state(&self) -> State {
            self.0.get()
        }
    }

    fn launch(name: &str, size: usize) -> Launch {
        Launch {
            kernel: Arc::new(Kernel {
                name: name.into(),
                source: 1,
                options: String::new(),
            }),
            global: [size, 1, 1],
            local: [0; 3],
        }
    }

    #[test]
    fn equal_launches_are_added() {
        let mut record = Record::new();
        for (name, size, time) in [("a", 8, 10), ("b", 8, 20), ("a", 8, 30), ("a", 9, 40)] {
            record.launched(launch(name, size), Fake::new(State::Done(time)));
        }
        record.settle();
        let sums: Vec<_> = record
            .launches
            .iter()
            .map(|(l, t)| (l.kernel.name.as_str(), t.count, t.total, t.least))
            .collect();
        assert_eq!(sums, [("a", 2, 40, 10), ("b", 1, 20, 20), ("a", 1, 40, 40)]);
        assert_eq!(record.pending(), 0);
    }

    #[test]
    fn commands_are_awaited() {
        let mut record = Record::new();
        let late = Fake::new(State::Pending);
        record.launched(launch("a", 1), late.clone());
        record.launched(launch("a", 1), Fake::new(State::Untimed));
        record.settle();
        assert_eq!((record.pending(), record.untimed), (1, 1));
        late.0.set(State::Done(5));
        record.settle();
        assert_eq!((record.pending(), record.launches[0].1.total), (0, 5));
    }

    #[test]
    fn the_list_of_pending_launches_is_bounded() {
        let mut record = Record::new();
        for _ in 0..MOST_PENDING + 3 {
            record.launched(launch("a", 1), Fake::new(State::Pending));
        }
        assert_eq!((record.pending(), record.untimed), (MOST_PENDING, 3));
        let mut record = Record::new();
        for _ in 0..10 * MANY_PENDING {
            record.launched(launch("a", 1), Fake::new(State::Done(1)));
        }
        assert!(record.pending() <= MANY_PENDING);
    }

    #[test]
    fn reads_keep_their_order() {
        let memory = [7u8; 16];
        let mut record = Record::new();
        let late = Fake::new(State::Pending);
        record.reading(Region::plain(memory.as_ptr().addr(), 16), late.clone());
        record.read(None);
        record.settle();
        assert_eq!(record.reads, [None, None]);
        late.0.set(State::Done(1));
        record.settle();
        assert_eq!(record.reads[0].as_ref().unwrap().bytes, 16);
    }

    #[test]
    fn the_number_of_reads_is_bounded() {
        let mut record = Record::<Fake>::new();
        for _ in 0..MOST_READS + 2 {
            record.read(None);
        }
        assert_eq!((record.reads.len(), record.unseen), (MOST_READS, 2));
    }
}
