//! **Invariant:** commands of an in-order queue run one after the other, whichever threads enqueue them. A transfer
//! sees the whole effect of each command before it and no effect of the commands after it. So its result is never
//! torn (parts of two commands), never stale (without a command whose enqueue call had returned before), and never
//! from the future.
//!
//! One thread repeatedly gives all words of a buffer a new value. Another thread reads them, through the same queue and
//! without any lock. The values count up, so a result tells which command wrote it.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::cl;
use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, SET, Shared, Words, argument, buffer, fill, kernel, launch, read, read_now, release, wait,
};

/// The command with which one thread changes the buffer.
#[derive(Copy, Clone, Debug)]
enum Change {
    Kernel,
    Fill,
    Write,
    BlockingWrite,
    Copy,
}

/// The command with which the other thread reads it.
#[derive(Copy, Clone, Debug)]
enum Look {
    Read,
    BlockingRead,
    ReadRows,
    Copy,
}

/// The queue and the buffer that two threads share, and the progress of the thread that changes the buffer.
struct Scene {
    s: Setup,
    count: usize,
    target: cl_mem,
    /// The value whose enqueue call has begun, and the value whose enqueue call has returned.
    begun: AtomicU32,
    returned: AtomicU32,
    stop: AtomicBool,
}

/// The words in a row of [`Look::ReadRows`].
const ROW: usize = 1 << 10;

impl Scene {
    /// Stores the values from 1 on into all words, until `stop` is set. It waits now and then, so that memory suffices.
    fn change(&self, how: Change) {
        let (q, size) = (self.s.queue, 4 * self.count);
        let set = kernel(&self.s, SET, "set");
        argument(set, 0, &self.target);
        argument(set, 2, &0u32);
        let words = Words::new(self.count);
        let other = buffer(&self.s, 0, self.count, null_mut());
        for value in 1.. {
            if self.stop.load(Ordering::SeqCst) {
                break;
            }
            match how {
                Change::Write | Change::BlockingWrite => words.fill(value),
                Change::Copy => {
                    let at = (&raw const value).cast();
                    let code = cl!(clEnqueueFillBuffer(
                        q,
                        other,
                        at,
                        4,
                        0,
                        size,
                        0,
                        null(),
                        null_mut()
                    ));
                    assert_eq!(code, 0);
                }
                Change::Kernel => argument(set, 1, &value),
                Change::Fill => {}
            }
            self.begun.store(value, Ordering::SeqCst);
            match how {
                Change::Kernel => {
                    let event = launch(q, set, self.count, After::NOTHING);
                    assert_eq!(cl!(clReleaseEvent(event)), 0);
                }
                Change::Fill => {
                    let (to, at) = (self.target, (&raw const value).cast());
                    let code = cl!(clEnqueueFillBuffer(q, to, at, 4, 0, size, 0, null(), null_mut()));
                    assert_eq!(code, 0);
                }
                Change::Write | Change::BlockingWrite => {
                    let blocking = u32::from(matches!(how, Change::BlockingWrite));
                    let (to, at) = (self.target, words.ptr());
                    let mut event = null_mut();
                    let e = &raw mut event;
                    let code = cl!(clEnqueueWriteBuffer(q, to, blocking, 0, size, at, 0, null(), e));
                    assert_eq!(code, 0);
                    self.returned.store(value, Ordering::SeqCst);
                    // The words must not change until the command is complete.
                    wait(event);
                }
                Change::Copy => {
                    let (from, to) = (other, self.target);
                    let code = cl!(clEnqueueCopyBuffer(
                        q,
                        from,
                        to,
                        0,
                        0,
                        size,
                        0,
                        null(),
                        null_mut()
                    ));
                    assert_eq!(code, 0);
                }
            }
            self.returned.store(value, Ordering::SeqCst);
            assert_eq!(cl!(clFlush(q)), 0);
            if value.is_multiple_of(4) {
                assert_eq!(cl!(clFinish(q)), 0);
            }
        }
        assert_eq!(cl!(clFinish(q)), 0);
        assert_eq!(cl!(clReleaseKernel(set)), 0);
        release(&[other]);
    }

    /// Reads the words with one command.
    fn look(&self, how: Look, words: &Words, copy: cl_mem) {
        let (q, size) = (self.s.queue, 4 * self.count);
        match how {
            Look::BlockingRead => read_now(q, self.target, words),
            Look::Read => wait(read(q, self.target, words, After::NOTHING)),
            Look::ReadRows => {
                let (origin, region) = ([0usize; 3], [4 * ROW, self.count / ROW, 1]);
                let (o, r, row) = (origin.as_ptr(), region.as_ptr(), 4 * ROW);
                let (from, to, none) = (self.target, words.ptr(), null_mut());
                let code = cl!(clEnqueueReadBufferRect(
                    q,
                    from,
                    1,
                    o,
                    o,
                    r,
                    row,
                    0,
                    row,
                    0,
                    to,
                    0,
                    null(),
                    none
                ));
                assert_eq!(code, 0);
            }
            Look::Copy => {
                let (from, none) = (self.target, null_mut());
                let code = cl!(clEnqueueCopyBuffer(q, from, copy, 0, 0, size, 0, null(), none));
                assert_eq!(code, 0);
                read_now(q, copy, words);
            }
        }
    }
}

/// Runs both threads for half a second, and for a whole second if the buffer is small. Panics at the first result that
/// no order of the commands gives.
fn try_pair(mib: usize, change: Change, look: Look) {
    let s = Setup::new();
    let count = mib << 18;
    let target = buffer(&s, 0, count, null_mut());
    fill(&s, target, count, 0);
    let copy = buffer(&s, 0, count, null_mut());
    let scene = Shared(Scene {
        s,
        count,
        target,
        begun: AtomicU32::new(0),
        returned: AtomicU32::new(0),
        stop: AtomicBool::new(false),
    });
    let found = std::thread::scope(|scope| {
        let changing = &scene;
        scope.spawn(move || changing.0.change(change));
        let words = Words::new(count);
        let end = Instant::now() + Duration::from_millis(if mib > 1 { 500 } else { 1000 });
        let mut found = None;
        let mut looks = 0;
        while found.is_none() && (looks < 3 || Instant::now() < end) {
            let first = scene.0.returned.load(Ordering::SeqCst);
            scene.0.look(look, &words, copy);
            let last = scene.0.begun.load(Ordering::SeqCst);
            looks += 1;
            let all = words.get();
            let value = all[0];
            if all[1..] != all[..count - 1] {
                let at = all.iter().position(|v| *v != value).unwrap_or(0);
                let then = all[at];
                found = Some(format!(
                    "torn in look {looks}: {value} until word {at}, {then} there"
                ));
            } else if value < first || value > last {
                let why = if value < first { "stale" } else { "from the future" };
                found = Some(format!("{why} in look {looks}: {value}, not {first} to {last}"));
            }
        }
        scene.0.stop.store(true, Ordering::SeqCst);
        found
    });
    release(&[scene.0.target, copy]);
    assert!(
        found.is_none(),
        "{mib} MiB, {change:?} and {look:?}: {}",
        found.unwrap_or_default()
    );
}

#[test]
fn reads_and_kernels() {
    try_pair(16, Change::Kernel, Look::Read);
    try_pair(16, Change::Kernel, Look::BlockingRead);
}

#[test]
fn short_reads_and_kernels() {
    try_pair(1, Change::Kernel, Look::BlockingRead);
    try_pair(1, Change::Kernel, Look::Read);
}

#[test]
fn reads_and_fills() {
    try_pair(16, Change::Fill, Look::Read);
    try_pair(1, Change::Fill, Look::BlockingRead);
}

#[test]
fn reads_and_copies() {
    try_pair(16, Change::Copy, Look::BlockingRead);
    try_pair(1, Change::Copy, Look::Read);
}

#[test]
fn reads_and_writes() {
    try_pair(16, Change::Write, Look::Read);
    try_pair(16, Change::BlockingWrite, Look::BlockingRead);
    try_pair(1, Change::BlockingWrite, Look::BlockingRead);
}

#[test]
fn rows_and_kernels() {
    try_pair(16, Change::Kernel, Look::ReadRows);
    try_pair(1, Change::Write, Look::ReadRows);
}

#[test]
fn copies_and_writes() {
    try_pair(16, Change::Write, Look::Copy);
    try_pair(16, Change::BlockingWrite, Look::Copy);
    try_pair(1, Change::BlockingWrite, Look::Copy);
}
