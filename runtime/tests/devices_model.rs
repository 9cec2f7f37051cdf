//! A model of several devices of a context that use one buffer, and every interleaving of small programs on it.
//!
//! Each thread owns a word of the buffer and executes one command at a time, on either device. Kernels have the
//! whole buffer as their argument, so only a kernel itself knows that it accesses a single word. The steps are
//! those of `src/mem/claim.rs`: a command claims the words that it uses, the migration thread copies word by
//! word, the command is recorded, the GPU executes it, and its batch is retired. Each read must return the
//! value that the thread has written last. At the end, every device that is recorded as having a word must have
//! that value.
//!
//! Each rule can be switched off. Then the search must find the fault that the rule prevents.

use std::collections::HashSet;

const DEVICES: usize = 2;
/// The number of words, one for each thread.
const WORDS: usize = 2;

/// An operation of a thread. A thread executes its operations one after the other. The first number is the
/// device.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Op {
    /// A kernel that may write all words, and sets the thread's word.
    Kernel(usize, u8),
    /// Sets the thread's word.
    Fill(usize, u8),
    /// A kernel that may read all words, and reads the thread's word.
    Look(usize),
    /// Reads the thread's word.
    Read(usize),
    /// Maps the thread's word in a device's storage, for writing.
    Map(usize),
    /// The application stores into the mapping.
    Store(u8),
    /// Ends the mapping.
    Unmap,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Rule {
    /// The claim of a command that is not recorded excludes commands of other devices.
    Unrecorded,
    /// The claim of a write lasts until the batch is retired.
    Recorded,
    /// Reads have claims, too.
    Reads,
    /// While contents move to a device, the device's own commands do not write them.
    Moving,
    /// A word that is mapped for writing stays with the device of the mapping.
    Hold,
}

/// How a command uses a range.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Use {
    Read,
    Update,
    Replace,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Start,
    /// The migration thread waits for other claims.
    Waiting,
    /// The migration thread has copied the words before this one.
    Copying(usize),
    /// The migration thread has read a word's value from another device.
    Bringing(usize, u8),
    Ready,
    Recorded,
    Executed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    next: usize,
    at: At,
    mapped: Option<usize>,
    /// The value that the thread has written last.
    last: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    storage: [[u8; WORDS]; DEVICES],
    /// The devices that are recorded as having each word.
    valid: [[bool; DEVICES]; WORDS],
    /// The thread whose command the migration thread serves.
    migration: Option<usize>,
    threads: [Thread; WORDS],
    fault: Option<&'static str>,
}

struct Model<'a> {
    programs: [&'a [Op]; WORDS],
    off: Option<Rule>,
}

impl Model<'_> {
    fn has(&self, rule: Rule) -> bool {
        self.off != Some(rule)
    }

    fn op(&self, s: &State, thread: usize) -> Option<Op> {
        self.programs[thread].get(s.threads[thread].next).copied()
    }

    /// Returns the device, the words and the use of a thread's command.
    fn touch(&self, s: &State, thread: usize) -> Option<(usize, std::ops::Range<usize>, Use)> {
        let own = thread..thread + 1;
        Some(match self.op(s, thread)? {
            Op::Kernel(device, _) => (device, 0..WORDS, Use::Update),
            Op::Fill(device, _) => (device, own, Use::Replace),
            Op::Look(device) => (device, 0..WORDS, Use::Read),
            Op::Read(device) | Op::Map(device) => (device, own, Use::Read),
            Op::Store(_) => return None,
            Op::Unmap => (s.threads[thread].mapped?, own, Use::Replace),
        })
    }

    /// Returns whether another thread's claim excludes the command of a thread.
    fn is_excluded(&self, s: &State, thread: usize) -> bool {
        let Some((device, words, how)) = self.touch(s, thread) else {
            return false;
        };
        let moves = |t: usize| matches!(s.threads[t].at, At::Waiting | At::Copying(_) | At::Bringing(..));
        (0..WORDS).filter(|t| *t != thread).any(|other| {
            let claimed = match s.threads[other].at {
                At::Start => false,
                At::Waiting | At::Copying(_) | At::Bringing(..) | At::Ready => self.has(Rule::Unrecorded),
                At::Recorded | At::Executed => self.has(Rule::Recorded),
            };
            let Some((there, those, their)) = self.touch(s, other).filter(|_| claimed) else {
                return false;
            };
            let recorded = matches!(s.threads[other].at, At::Recorded | At::Executed);
            let reads = how == Use::Read || their == Use::Read;
            let overlap = words.start < those.end && those.start < words.end;
            if there == device {
                let overwritten = moves(other) && how != Use::Read;
                let overwrites = moves(thread) && their != Use::Read && !recorded;
                return self.has(Rule::Moving) && overlap && (overwritten || overwrites);
            }
            overlap
                && !(how == Use::Read && their == Use::Read)
                && !(their == Use::Read && recorded)
                && (self.has(Rule::Reads) || !reads)
        })
    }

    fn is_held(&self, s: &State, word: usize, device: usize) -> bool {
        self.has(Rule::Hold) && s.threads[word].mapped.is_some_and(|d| d != device)
    }

    /// Returns the first word, from `from` on, that a command needs and that its device does not have.
    fn away(&self, s: &State, thread: usize, from: usize) -> Option<usize> {
        let (device, mut words, how) = self.touch(s, thread)?;
        words.find(|w| how != Use::Replace && *w >= from && !s.valid[*w][device])
    }

    fn steps(&self, s: &State) -> Vec<State> {
        (0..WORDS).filter_map(|thread| self.step(s, thread)).collect()
    }

    /// Returns the state after the next step of a thread's command; `None` if the command cannot take a step
    /// now.
    fn step(&self, s: &State, thread: usize) -> Option<State> {
        let op = self.op(s, thread)?;
        let mut s = s.clone();
        if let Op::Store(value) = op {
            let device = s.threads[thread].mapped.expect("the program maps first");
            s.storage[device][thread] = value;
            s.threads[thread].last = value;
            s.threads[thread].next += 1;
            return Some(s);
        }
        let (device, words, how) = self.touch(&s, thread)?;
        let at = match s.threads[thread].at {
            At::Start if !self.is_excluded(&s, thread) && self.away(&s, thread, 0).is_none() => At::Ready,
            At::Start if s.migration.is_none() => {
                s.migration = Some(thread);
                At::Waiting
            }
            At::Start => return None,
            At::Waiting if self.is_excluded(&s, thread) => return None,
            At::Waiting => At::Copying(0),
            At::Copying(from) => match self.away(&s, thread, from) {
                Some(word) => {
                    let source = s.valid[word].iter().position(|v| *v).expect("never none");
                    At::Bringing(word, s.storage[source][word])
                }
                None => {
                    s.migration = None;
                    At::Ready
                }
            },
            At::Bringing(word, value) => {
                s.storage[device][word] = value;
                if !self.is_held(&s, word, device) {
                    s.valid[word][device] = true;
                }
                At::Copying(word + 1)
            }
            At::Ready => {
                if how != Use::Read {
                    for word in words {
                        if !self.is_held(&s, word, device) {
                            s.valid[word] = [false; DEVICES];
                            s.valid[word][device] = true;
                        }
                    }
                }
                match op {
                    Op::Map(_) => {
                        s.threads[thread].mapped = Some(device);
                        if self.has(Rule::Hold) {
                            s.valid[thread] = [false; DEVICES];
                            s.valid[thread][device] = true;
                        }
                    }
                    // Nothing to note: the claim follows from the thread's state.
                    Op::Unmap | Op::Kernel(..) | Op::Fill(..) | Op::Look(_) | Op::Read(_) | Op::Store(_) => {}
                }
                At::Recorded
            }
            At::Recorded => {
                match op {
                    Op::Kernel(_, value) | Op::Fill(_, value) => {
                        s.storage[device][thread] = value;
                        s.threads[thread].last = value;
                    }
                    Op::Look(_) | Op::Read(_) | Op::Map(_) => {
                        if s.storage[device][thread] != s.threads[thread].last {
                            s.fault = Some("a thread reads what it has not written last");
                        }
                    }
                    Op::Unmap | Op::Store(_) => {}
                }
                At::Executed
            }
            At::Executed => {
                if op == Op::Unmap {
                    s.threads[thread].mapped = None;
                }
                s.threads[thread].next += 1;
                At::Start
            }
        };
        s.threads[thread].at = at;
        Some(s)
    }

    /// Returns the fault of a state in which no step is possible any more, if it has one.
    fn end(&self, s: &State) -> Option<&'static str> {
        if (0..WORDS).any(|t| self.op(s, t).is_some()) {
            return Some("a command is never done");
        }
        let lost = |word: usize| {
            let there = (0..DEVICES).filter(|d| s.valid[word][*d]);
            there
                .into_iter()
                .any(|d| s.storage[d][word] != s.threads[word].last)
        };
        (0..WORDS)
            .any(lost)
            .then_some("what a thread has written is lost")
    }

    /// Visits every state. Returns the first fault and the number of states.
    fn explore(&self) -> (Option<&'static str>, usize) {
        let thread = Thread {
            next: 0,
            at: At::Start,
            mapped: None,
            last: 0,
        };
        let start = State {
            storage: [[0; WORDS]; DEVICES],
            valid: [[true; DEVICES]; WORDS],
            migration: None,
            threads: [thread.clone(), thread],
            fault: None,
        };
        let mut seen = HashSet::new();
        let mut stack = vec![start];
        while let Some(s) = stack.pop() {
            if !seen.insert(s.clone()) {
                continue;
            }
            let next = self.steps(&s);
            let fault = s
                .fault
                .or_else(|| next.is_empty().then(|| self.end(&s)).flatten());
            if fault.is_some() {
                return (fault, seen.len());
            }
            stack.extend(next);
        }
        (None, seen.len())
    }
}

/// The programs. Each has no fault with all rules, and shows the fault that each of the rules beside it
/// prevents.
const PROGRAMS: [([&[Op]; WORDS], &[Rule]); 6] = [
    (
        [
            &[Op::Kernel(0, 1), Op::Kernel(0, 2), Op::Read(1)],
            &[Op::Kernel(1, 3), Op::Kernel(1, 4), Op::Read(0)],
        ],
        &[Rule::Unrecorded, Rule::Recorded],
    ),
    (
        [
            &[Op::Kernel(0, 1), Op::Fill(1, 2), Op::Read(0)],
            &[Op::Fill(1, 3), Op::Kernel(0, 4), Op::Look(1)],
        ],
        &[Rule::Unrecorded, Rule::Recorded],
    ),
    (
        [
            &[Op::Fill(0, 1), Op::Look(1), Op::Read(1)],
            &[Op::Kernel(1, 2), Op::Fill(0, 3), Op::Look(1), Op::Read(1)],
        ],
        &[Rule::Reads],
    ),
    (
        [
            &[Op::Map(0), Op::Store(1), Op::Store(2), Op::Unmap, Op::Look(1)],
            &[Op::Kernel(1, 3), Op::Kernel(0, 4), Op::Look(1)],
        ],
        &[Rule::Hold],
    ),
    (
        [
            &[Op::Kernel(0, 1), Op::Look(1), Op::Kernel(1, 2)],
            &[Op::Look(1), Op::Kernel(0, 3), Op::Fill(1, 4), Op::Look(0)],
        ],
        &[Rule::Recorded],
    ),
    (
        [
            &[Op::Kernel(1, 1), Op::Kernel(0, 2), Op::Read(1)],
            &[Op::Fill(1, 3), Op::Fill(0, 4), Op::Read(0)],
        ],
        &[Rule::Moving],
    ),
];

#[test]
fn no_interleaving_is_wrong() {
    for (programs, _) in PROGRAMS {
        let (fault, states) = Model { programs, off: None }.explore();
        assert_eq!(fault, None, "{programs:?}, after {states} states");
        assert!(states > 100, "{programs:?} has only {states} states");
    }
}

#[test]
fn each_rule_is_needed() {
    for (programs, rules) in PROGRAMS {
        for rule in rules {
            let off = Some(*rule);
            let (fault, _) = Model { programs, off }.explore();
            assert!(fault.is_some(), "{programs:?} is right without {rule:?}");
        }
    }
}
