//! A model of an in-order queue, and every interleaving of small programs on it.
//!
//! A step of the model is one critical section of the queue's lock, the execution of one batch by the GPU, or one copy
//! by the host (`docs/scheduling.md`, "Invariants of a queue"). Threads enqueue kernels, reads and writes. At any time
//! the GPU may execute a batch, and a batch may be retired. One allocation or submission may fail. A search visits
//! every state that some interleaving reaches.
//!
//! Beside the real memory, the model keeps the ideal memory: the contents if each command were executed at the moment
//! when it is placed in the queue's order. A read must return the ideal contents, or its command must fail.
//!
//! Each rule of the queue can be switched off. Then the search must find the fault that the rule prevents; otherwise
//! the model would prove nothing.

use std::collections::{HashSet, VecDeque};

/// The number of words in a buffer, and in the destination of each read. A chunk, or a step of a copy by the host,
/// copies one word.
const WORDS: usize = 2;
type Memory = [u8; WORDS];

/// An operation of a thread. A thread executes its operations one after the other.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    /// A kernel that sets all of buffer A to a value.
    Fill(u8),
    /// The same, with the user event in its wait list.
    FillAfterUser(u8),
    /// A blocking read of A. The host copies if the queue is idle; otherwise the GPU copies in chunks.
    Read,
    /// A non-blocking read of A in chunks, with the user event in its wait list.
    ReadAfterUser,
    /// Maps A, whose storage is mapped host memory, and writes from the mapping to B. The write follows the map.
    CopyByMapping,
    /// A blocking read of B in chunks.
    ReadB,
    /// clFlush.
    Flush,
    /// clFinish.
    Finish,
    /// Sets the user event to complete.
    SetUser,
}

/// A rule of the queue, which can be switched off.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Rule {
    /// A transfer keeps the queue's turn until all of its chunks are placed.
    Turn,
    /// A call that cannot record a chunk waits for its earlier chunks before it returns the error.
    Drain,
    /// The event of a deferred transfer fails only when the recorded chunks of the transfer are done.
    FailWhenDone,
    /// A write whose source a command in flight still stores into is deferred.
    Table,
    /// The error of a deferred command or of a submission becomes the error of the queue.
    Failure,
}

/// A recorded command. `read` is the index of the read in [`State::reads`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Command {
    Fill(u8),
    /// Copies a word of A (or of B) to staging memory. The host copies it from there when the batch is retired.
    Chunk {
        read: usize,
        word: usize,
        of_b: bool,
        staged: u8,
    },
    /// Copies staged words to B.
    WriteB(Memory),
    /// Makes A visible to the host.
    Map,
    /// Gives the event of a read its final status, when all commands before it are done.
    Event {
        read: usize,
        ok: bool,
    },
}

/// A deferred command.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Deferred {
    what: What,
    /// Whether it waits for the user event.
    user: bool,
}

/// The action of a deferred command.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum What {
    Fill(u8),
    Read(usize),
    WriteB,
}

/// What the application can know of a read.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Status {
    Unknown,
    Complete,
    Failed,
}

/// One read of the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Read {
    to: Memory,
    /// The contents that the read must return.
    expected: Memory,
    of_b: bool,
    status: Status,
    /// Whether the application has seen an error of this read. Then it may have freed the destination.
    freed: bool,
}

/// The state of a thread within its current operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Start,
    /// A blocking read has submitted the open batch, and waits until no batch is in flight.
    WaitForIdle,
    /// The read is about to be enqueued for the GPU.
    Gpu,
    /// The host copies. The number is the next word.
    HostCopy(usize),
    /// The thread records chunks. The number is the next chunk.
    Chunks(usize),
    /// A chunk could not be recorded. The thread waits for the earlier chunks.
    Draining,
    /// The thread waits for the event of the read.
    Event,
    /// The map has been recorded. The write is next.
    Mapped,
    /// clFinish has submitted the open batch, and waits.
    Finishing,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    next: usize,
    at: At,
    /// The index of its current or latest read.
    read: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Batch {
    commands: Vec<Command>,
    executed: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    a: Memory,
    b: Memory,
    /// The ideal contents of A and B, as if every command were executed when it is placed.
    ideal_a: Memory,
    ideal_b: Memory,
    turn: Option<usize>,
    open: Vec<Command>,
    in_flight: VecDeque<Batch>,
    /// The host's part of the batch that is being retired.
    retiring: VecDeque<Command>,
    deferred: VecDeque<Deferred>,
    failed: bool,
    user: bool,
    may_fail: bool,
    reads: Vec<Read>,
    threads: Vec<Thread>,
    /// The first violation of an invariant, if there is one.
    fault: Option<&'static str>,
}

impl State {
    fn start(threads: usize, may_fail: bool) -> State {
        let thread = Thread {
            next: 0,
            at: At::Start,
            read: 0,
        };
        State {
            a: [0; WORDS],
            b: [0; WORDS],
            ideal_a: [0; WORDS],
            ideal_b: [0; WORDS],
            turn: None,
            open: Vec::new(),
            in_flight: VecDeque::new(),
            retiring: VecDeque::new(),
            deferred: VecDeque::new(),
            failed: false,
            user: false,
            may_fail,
            reads: Vec::new(),
            threads: vec![thread; threads],
            fault: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.unfinished() == 0
    }

    /// Returns the number of commands that are not done.
    fn unfinished(&self) -> usize {
        let in_flight: usize = self.in_flight.iter().map(|b| b.commands.len()).sum();
        self.open.len() + in_flight + self.retiring.len() + self.deferred.len()
    }

    /// Returns whether a map of A is not retired: until then, earlier commands may still store into A.
    fn is_stored_into(&self) -> bool {
        let all = self.in_flight.iter().flat_map(|b| &b.commands);
        all.chain(&self.open)
            .chain(&self.retiring)
            .any(|c| *c == Command::Map)
    }

    fn store(&mut self, read: usize, word: usize, value: u8) {
        let read = &mut self.reads[read];
        if read.freed {
            self.fault = Some("a store after an error");
        }
        read.to[word] = value;
    }

    fn finish_read(&mut self, read: usize, ok: bool) {
        let read = &mut self.reads[read];
        if ok && read.to != read.expected {
            self.fault = Some("a read returns contents that no order of the commands gives");
        }
        read.status = if ok { Status::Complete } else { Status::Failed };
        // An application that sees the error may free the destination at once.
        read.freed |= !ok;
    }

    fn new_read(&mut self, thread: usize, of_b: bool) {
        self.threads[thread].read = self.reads.len();
        self.reads.push(Read {
            to: [0xEE; WORDS],
            expected: [0; WORDS],
            of_b,
            status: Status::Unknown,
            freed: false,
        });
    }

    /// Places a read in the order of the queue: from now on the contents that it must return are fixed.
    fn place_read(&mut self, read: usize) {
        self.reads[read].expected = if self.reads[read].of_b {
            self.ideal_b
        } else {
            self.ideal_a
        };
    }

    fn chunk(&self, read: usize, word: usize) -> Command {
        let of_b = self.reads[read].of_b;
        Command::Chunk {
            read,
            word,
            of_b,
            staged: 0,
        }
    }

    /// Lets the call of a thread return.
    fn returns(&mut self, thread: usize) {
        self.threads[thread].next += 1;
        self.threads[thread].at = At::Start;
    }

    /// Lets the call of a read return an error.
    fn returns_error(&mut self, thread: usize) {
        let read = self.threads[thread].read;
        self.reads[read].freed = true;
        self.reads[read].status = Status::Failed;
        self.returns(thread);
    }
}

/// A program for each thread, and the rule that is switched off, if any.
struct Model<'a> {
    programs: &'a [&'a [Op]],
    off: Option<Rule>,
}

impl Model<'_> {
    fn has(&self, rule: Rule) -> bool {
        self.off != Some(rule)
    }

    /// Submits the open batch. If `fails` is set, the submission fails, and with it the commands and the queue.
    fn submit(&self, s: &mut State, fails: bool) {
        let commands = std::mem::take(&mut s.open);
        if commands.is_empty() {
            return;
        }
        if !fails {
            s.in_flight.push_back(Batch {
                commands,
                executed: false,
            });
            return;
        }
        for command in commands {
            if let Command::Event { read, .. } = command {
                self.fail_when_done(s, read);
            }
        }
        self.fail(s);
    }

    /// Makes the queue fail, because a command has failed after its call returned.
    fn fail(&self, s: &mut State) {
        if !self.has(Rule::Failure) {
            return;
        }
        s.failed = true;
        for deferred in std::mem::take(&mut s.deferred) {
            if let What::Read(read) = deferred.what {
                s.finish_read(read, false);
            }
        }
    }

    /// Adds the states after a submission, which may fail.
    fn submitted(&self, s: State, out: &mut Vec<State>) {
        if s.may_fail && !s.open.is_empty() {
            let mut failed = s.clone();
            failed.may_fail = false;
            self.submit(&mut failed, true);
            out.push(failed);
        }
        let mut done = s;
        self.submit(&mut done, false);
        out.push(done);
    }

    /// Returns all states that one step can lead to.
    fn steps(&self, s: &State) -> Vec<State> {
        let mut out = Vec::new();
        for thread in 0..s.threads.len() {
            if let Some(op) = self.programs[thread].get(s.threads[thread].next) {
                self.step(s, thread, *op, &mut out);
            }
        }
        self.gpu(s, &mut out);
        self.retire(s, &mut out);
        self.pump(s, &mut out);
        out
    }

    /// Lets the GPU execute the oldest batch that it has not executed.
    fn gpu(&self, s: &State, out: &mut Vec<State>) {
        let Some(at) = s.in_flight.iter().position(|b| !b.executed) else {
            return;
        };
        let mut s = s.clone();
        let mut commands = std::mem::take(&mut s.in_flight[at].commands);
        for command in &mut commands {
            match command {
                Command::Fill(value) => s.a = [*value; WORDS],
                Command::Chunk {
                    word, of_b, staged, ..
                } => *staged = if *of_b { s.b[*word] } else { s.a[*word] },
                Command::WriteB(words) => s.b = *words,
                Command::Map | Command::Event { .. } => {}
            }
        }
        s.in_flight[at] = Batch {
            commands,
            executed: true,
        };
        out.push(s);
    }

    /// Retires: takes the oldest executed batch, or performs the next host action of the batch that is being retired.
    fn retire(&self, s: &State, out: &mut Vec<State>) {
        let mut s = s.clone();
        if let Some(command) = s.retiring.pop_front() {
            match command {
                Command::Chunk {
                    read, word, staged, ..
                } => s.store(read, word, staged),
                Command::Event { read, ok } => s.finish_read(read, ok),
                Command::Fill(_) | Command::WriteB(_) | Command::Map => {}
            }
        } else if s.in_flight.front().is_some_and(|b| b.executed) {
            let batch = s.in_flight.pop_front().expect("just seen");
            // The other commands have no host action, so they are done when the batch is.
            let works = |c: &Command| matches!(c, Command::Chunk { .. } | Command::Event { .. });
            s.retiring.extend(batch.commands.into_iter().filter(works));
        } else {
            return;
        }
        out.push(s);
    }

    /// Records the first deferred command, if nothing blocks it any more.
    fn pump(&self, s: &State, out: &mut Vec<State>) {
        let Some(first) = s.deferred.front().cloned() else {
            return;
        };
        // A write is blocked until all commands before it are retired.
        let unsettled = first.what == What::WriteB && s.unfinished() > s.deferred.len();
        if unsettled || (first.user && !s.user) {
            return;
        }
        let mut s = s.clone();
        s.deferred.pop_front();
        match first.what {
            What::Fill(value) => {
                if s.may_fail {
                    let mut failed = s.clone();
                    failed.may_fail = false;
                    self.fail(&mut failed);
                    out.push(failed);
                }
                s.open.push(Command::Fill(value));
            }
            What::Read(read) => {
                for word in 0..WORDS {
                    if s.may_fail {
                        out.push(self.deferred_read_fails(s.clone(), read));
                    }
                    let chunk = s.chunk(read, word);
                    s.open.push(chunk);
                    if word + 1 < WORDS {
                        self.submit(&mut s, false);
                    }
                }
                s.open.push(Command::Event { read, ok: true });
            }
            What::WriteB => {
                let words = s.a;
                s.open.push(Command::WriteB(words));
            }
        }
        self.submitted(s, out);
    }

    /// Returns the state after a chunk of a deferred read could not be recorded.
    fn deferred_read_fails(&self, mut s: State, read: usize) -> State {
        s.may_fail = false;
        self.fail_when_done(&mut s, read);
        self.fail(&mut s);
        s
    }

    /// Lets the event of a read fail when everything in flight is done, because chunks of the same read may be in
    /// flight.
    fn fail_when_done(&self, s: &mut State, read: usize) {
        let failed = Command::Event { read, ok: false };
        match s.in_flight.back_mut() {
            _ if !self.has(Rule::FailWhenDone) => s.finish_read(read, false),
            Some(batch) => batch.commands.push(failed),
            None if !s.retiring.is_empty() => s.retiring.push_back(failed),
            None => s.finish_read(read, false),
        }
    }

    /// Performs one step of a thread.
    fn step(&self, s: &State, thread: usize, op: Op, out: &mut Vec<State>) {
        let others_turn = s.turn.is_some_and(|t| t != thread);
        let mut s = s.clone();
        match op {
            Op::SetUser => {
                s.user = true;
                s.returns(thread);
                out.push(s);
            }
            Op::Flush => {
                s.returns(thread);
                self.submitted(s, out);
            }
            Op::Finish => self.finish(s, thread, out),
            Op::Fill(_) | Op::FillAfterUser(_) if others_turn => {}
            Op::Fill(value) | Op::FillAfterUser(value) => {
                if !s.failed {
                    s.ideal_a = [value; WORDS];
                    let waits = matches!(op, Op::FillAfterUser(_)) && !s.user;
                    if waits || !s.deferred.is_empty() {
                        s.deferred.push_back(Deferred {
                            what: What::Fill(value),
                            user: waits,
                        });
                    } else {
                        s.open.push(Command::Fill(value));
                    }
                }
                s.returns(thread);
                out.push(s);
            }
            Op::CopyByMapping => self.copy_by_mapping(s, thread, others_turn, out),
            Op::Read | Op::ReadB | Op::ReadAfterUser => self.read(s, thread, op, others_turn, out),
        }
    }

    fn finish(&self, mut s: State, thread: usize, out: &mut Vec<State>) {
        match s.threads[thread].at {
            // Commands in the open batch were enqueued after this clFinish.
            At::Finishing if s.in_flight.is_empty() && s.retiring.is_empty() && s.deferred.is_empty() => {
                let silent = s.reads.iter().any(|r| r.status == Status::Unknown);
                if silent && !s.failed && self.programs.len() == 1 {
                    s.fault = Some("clFinish returns before a command is done");
                }
                s.returns(thread);
                out.push(s);
            }
            At::Finishing => {}
            _ => {
                s.threads[thread].at = At::Finishing;
                self.submitted(s, out);
            }
        }
    }

    fn copy_by_mapping(&self, mut s: State, thread: usize, others_turn: bool, out: &mut Vec<State>) {
        if others_turn {
            return;
        }
        if s.failed {
            s.returns(thread);
            out.push(s);
        } else if s.threads[thread].at == At::Start {
            if s.deferred.is_empty() {
                s.open.push(Command::Map);
                s.threads[thread].at = At::Mapped;
                out.push(s);
            }
        } else {
            s.ideal_b = s.ideal_a;
            if !s.deferred.is_empty() || (self.has(Rule::Table) && s.is_stored_into()) {
                s.deferred.push_back(Deferred {
                    what: What::WriteB,
                    user: false,
                });
                self.submit(&mut s, false);
            } else {
                let words = s.a;
                s.open.push(Command::WriteB(words));
            }
            s.returns(thread);
            out.push(s);
        }
    }

    fn read(&self, mut s: State, thread: usize, op: Op, others_turn: bool, out: &mut Vec<State>) {
        let read = s.threads[thread].read;
        match s.threads[thread].at.clone() {
            At::Start => {
                s.new_read(thread, op == Op::ReadB);
                s.threads[thread].at = match op {
                    Op::Read => At::WaitForIdle,
                    _ => At::Gpu,
                };
                self.submitted(s, out);
            }
            At::WaitForIdle if others_turn || !(s.retiring.is_empty() && s.in_flight.is_empty()) => {}
            At::WaitForIdle => {
                if s.failed {
                    s.returns_error(thread);
                } else if s.is_idle() {
                    s.place_read(read);
                    s.turn = self.has(Rule::Turn).then_some(thread);
                    s.threads[thread].at = At::HostCopy(0);
                } else {
                    s.threads[thread].at = At::Gpu;
                }
                out.push(s);
            }
            At::HostCopy(word) => {
                let value = s.a[word];
                s.store(read, word, value);
                s.threads[thread].at = At::HostCopy(word + 1);
                if word + 1 == WORDS {
                    s.turn = None;
                    s.finish_read(read, true);
                    s.returns(thread);
                }
                out.push(s);
            }
            At::Gpu if others_turn => {}
            At::Gpu => {
                if s.failed {
                    s.returns_error(thread);
                } else if !s.deferred.is_empty() || (op == Op::ReadAfterUser && !s.user) {
                    s.place_read(read);
                    s.deferred.push_back(Deferred {
                        what: What::Read(read),
                        user: op == Op::ReadAfterUser,
                    });
                    s.threads[thread].at = At::Event;
                } else {
                    s.place_read(read);
                    s.turn = self.has(Rule::Turn).then_some(thread);
                    s.threads[thread].at = At::Chunks(0);
                }
                out.push(s);
            }
            At::Chunks(word) => self.record_chunk(s, thread, word, out),
            At::Draining => {
                // The thread waits only for batches in flight, which complete without any other thread.
                if s.in_flight.is_empty() && s.retiring.is_empty() {
                    s.turn = None;
                    s.returns_error(thread);
                    out.push(s);
                }
            }
            At::Event if op == Op::ReadAfterUser => {
                s.returns(thread);
                out.push(s);
            }
            At::Event if s.reads[read].status != Status::Unknown => {
                s.returns(thread);
                out.push(s);
            }
            At::Event => {
                // The wait submits the open batch.
                if !s.open.is_empty() {
                    self.submitted(s, out);
                }
            }
            At::Mapped | At::Finishing => unreachable!("of other operations"),
        }
    }

    fn record_chunk(&self, mut s: State, thread: usize, word: usize, out: &mut Vec<State>) {
        let read = s.threads[thread].read;
        if s.may_fail || s.failed {
            let mut failed = s.clone();
            failed.may_fail = false;
            if self.has(Rule::Drain) {
                failed.threads[thread].at = At::Draining;
            } else {
                failed.turn = None;
                failed.returns_error(thread);
            }
            out.push(failed);
            if s.failed {
                return;
            }
        }
        let chunk = s.chunk(read, word);
        s.open.push(chunk);
        if word + 1 == WORDS {
            s.open.push(Command::Event { read, ok: true });
            s.turn = None;
            s.threads[thread].at = At::Event;
            out.push(s);
        } else {
            s.threads[thread].at = At::Chunks(word + 1);
            self.submitted(s, out);
        }
    }

    /// Returns the fault of a state in which no step is possible any more, if it has one.
    fn end(&self, s: &State) -> Option<&'static str> {
        let stuck = s.threads.iter().zip(self.programs).any(|(t, p)| t.next < p.len());
        if stuck {
            return Some("a call never returns");
        }
        // A recorded command may stay unsubmitted, because no thread has flushed.
        let recorded = |read| s.open.contains(&Command::Event { read, ok: true });
        let lost = |r: usize| s.reads[r].status == Status::Unknown && !recorded(r);
        if s.user && (0..s.reads.len()).any(lost) {
            return Some("an event is never final");
        }
        None
    }

    /// Visits every state. Returns the first fault and the number of states.
    fn explore(&self) -> (Option<&'static str>, usize) {
        let mut seen = HashSet::new();
        let starts = [false, true].map(|may_fail| State::start(self.programs.len(), may_fail));
        let mut stack: Vec<State> = starts.into();
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

/// The programs. Each has no fault with all rules, and shows the fault that the rule beside it prevents.
const PROGRAMS: [(&[&[Op]], Rule); 7] = [
    (
        &[
            &[Op::Read, Op::Read],
            &[Op::Fill(1), Op::Flush, Op::Fill(2), Op::Flush],
        ],
        Rule::Turn,
    ),
    (
        &[&[Op::Fill(1), Op::ReadB], &[Op::Fill(2), Op::Flush]],
        Rule::Drain,
    ),
    (
        &[&[Op::ReadAfterUser, Op::Finish], &[Op::SetUser, Op::Fill(1)]],
        Rule::FailWhenDone,
    ),
    (
        &[&[Op::Fill(1), Op::CopyByMapping, Op::ReadB], &[Op::Flush]],
        Rule::Table,
    ),
    (
        &[&[Op::FillAfterUser(1), Op::SetUser, Op::Finish, Op::Read]],
        Rule::Failure,
    ),
    (
        &[
            &[Op::FillAfterUser(1), Op::Read],
            &[Op::SetUser, Op::Read],
            &[Op::Fill(2), Op::Flush],
        ],
        Rule::Failure,
    ),
    (
        &[
            &[Op::Read, Op::ReadAfterUser],
            &[Op::Fill(1), Op::Flush, Op::SetUser],
            &[Op::Fill(2), Op::Read],
        ],
        Rule::Turn,
    ),
];

#[test]
fn no_interleaving_is_wrong() {
    for (programs, _) in PROGRAMS {
        let (fault, states) = Model { programs, off: None }.explore();
        assert_eq!(fault, None, "{programs:?}, after {states} states");
        assert!(states > 20, "{programs:?} has only {states} states");
    }
}

#[test]
fn each_rule_is_needed() {
    for (programs, rule) in PROGRAMS {
        let (fault, _) = Model {
            programs,
            off: Some(rule),
        }
        .explore();
        assert!(fault.is_some(), "{programs:?} is right without {rule:?}");
    }
}
