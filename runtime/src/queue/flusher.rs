//! Gathered flushes: while the GPU is busy, a thread combines the commands of several clFlush calls into one
//! submission.
//!
//! Each submission costs the GPU microseconds, more than many kernels take, so submitting at each flush in a
//! stream of small launches would slow the GPU down. CL 5.13 demands that flushed commands are *issued*. So if
//! two submissions of the queue are incomplete when clFlush is called ([`CommandQueue::flush_soon`]), the open
//! batch is left to this thread, which submits it when the GPU has reached the last submission, or after
//! [`LONGEST`]. The GPU never idles because of that, no further call is needed, and an application that flushes
//! and then sleeps gets its commands executed.
//!
//! A submission also costs the application's thread microseconds, on some machines more than the GPU, so that
//! two submissions are never incomplete there. So after [`STREAM`] flushes without a wait the thread is woken
//! in advance, and while it polls, it makes all submissions until a thread of the application waits. After each
//! submission it pauses for [`REST`] times the duration of the submission, so that the application gets the queue's
//! lock.
//!
//! The first gathered flush starts the thread. It polls while flushes follow each other and sleeps otherwise,
//! and it ends with its context.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::CommandQueue;
use crate::error::Result;
use crate::event::executor::unless_it_panics;
use crate::lock::{Condvar, Mutex, Rank};

/// The longest time by which a flush is delayed.
const LONGEST: Duration = Duration::from_micros(50);
/// The time for which the thread polls after the last flush before it sleeps, because waking it costs the
/// application a system call.
const LINGER: Duration = Duration::from_micros(200);

/// The pause after a submission, as a multiple of its duration. The queue is locked during a submission, so
/// nothing can be enqueued meanwhile.
const REST: u32 = 4;

/// After this number of flushes without a wait in between, more flushes are expected.
const STREAM: u32 = 4;

/// A context's thread for gathered flushes.
pub(crate) struct Flusher {
    state: Mutex<State>,
    /// Whether `state` has changed since the thread last looked at it.
    news: AtomicBool,
    /// Whether the thread polls.
    awake: AtomicBool,
    /// The number of flushes since the last wait.
    stream: AtomicU32,
    wakes: Condvar,
    this: Weak<Flusher>,
}

#[derive(Default)]
struct State {
    /// Queues whose open batches the thread is to submit.
    pending: Vec<Arc<CommandQueue>>,
    started: bool,
    sleeps: bool,
    stop: bool,
}

impl Flusher {
    /// Makes a flusher without a thread.
    pub(crate) fn new() -> Arc<Flusher> {
        Arc::new_cyclic(|this| Flusher {
            state: Mutex::new(Rank::Executor, State::default()),
            news: AtomicBool::new(false),
            awake: AtomicBool::new(false),
            stream: AtomicU32::new(0),
            wakes: Condvar::new(),
            this: Weak::clone(this),
        })
    }

    /// Counts a flush. Returns whether the thread should make it: the flush is one of a stream, and the thread polls.
    fn takes_next_flush(&self) -> bool {
        let stream = self.stream.fetch_add(1, Ordering::Relaxed) + 1;
        if stream < STREAM {
            return false;
        }
        let awake = self.awake.load(Ordering::Relaxed);
        if !awake && stream.is_multiple_of(STREAM) {
            self.wake(None);
        }
        awake
    }

    /// Notes that a thread of the application waits for commands.
    pub(super) fn waited(&self) {
        self.stream.store(0, Ordering::Relaxed);
    }

    /// Wakes the thread, to flush the queue, or because a flush will follow soon. Returns `false` if there is no
    /// thread.
    fn wake(&self, queue: Option<&Arc<CommandQueue>>) -> bool {
        let mut state = self.state.lock();
        if !state.started && !self.start(&mut state) {
            return false;
        }
        state.pending.extend(queue.map(Arc::clone));
        self.news.store(true, Ordering::Release);
        if std::mem::take(&mut state.sleeps) {
            self.wakes.notify_all();
        }
        true
    }

    /// Lets the thread end, because the context is being destroyed.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stop = true;
        self.news.store(true, Ordering::Release);
        self.wakes.notify_all();
    }

    fn start(&self, state: &mut State) -> bool {
        let Some(this) = self.this.upgrade() else {
            return false;
        };
        let thread = std::thread::Builder::new().name("caldera-flush".into());
        match thread.spawn(move || this.run()) {
            Ok(_) => state.started = true,
            Err(e) => log::warn!("no thread for flushes: {e}"),
        }
        state.started
    }

    /// The thread: submits pending batches until the context ends.
    fn run(&self) {
        let mut last = Instant::now();
        let mut rest = last;
        loop {
            while crate::process::is_over() {
                std::thread::park();
            }
            if !self.news.swap(false, Ordering::Acquire) {
                if last.elapsed() < LINGER {
                    std::hint::spin_loop();
                    continue;
                }
                let mut state = self.state.lock();
                // A flush may have been added since the last look.
                state.sleeps = state.pending.is_empty() && !state.stop;
                self.awake.store(!state.sleeps, Ordering::Relaxed);
                while state.sleeps && !state.stop {
                    self.wakes.wait(&mut state);
                }
            }
            self.awake.store(true, Ordering::Relaxed);
            let (pending, stop) = {
                let mut state = self.state.lock();
                (std::mem::take(&mut state.pending), state.stop)
            };
            if stop && pending.is_empty() {
                return;
            }
            // These may be the last references to queues and, with them, to the context.
            for queue in pending {
                rest = unless_it_panics("a flush", || queue.flush_pending(rest)).unwrap_or(rest);
            }
            last = Instant::now();
        }
    }
}

impl CommandQueue {
    /// Submits the recorded commands, or leaves that to the context's thread (CL 5.13, clFlush; see the
    /// module's documentation).
    pub fn flush_soon(self: &Arc<Self>) -> Result<()> {
        if self.flush_is_pending.load(Ordering::Acquire) {
            // The thread resets `flush_is_pending` before it submits, so it submits everything that is recorded now.
            return Ok(());
        }
        let is_for_the_thread = || self.context.flusher().takes_next_flush() || !self.has_at_most(1);
        if self.logical.gathers_flushes() && is_for_the_thread() {
            self.flush_is_pending.store(true, Ordering::Release);
            if self.context.flusher().wake(Some(self)) {
                return Ok(());
            }
            self.flush_is_pending.store(false, Ordering::Release);
        }
        self.flush()
    }

    /// Returns whether at most `submissions` submissions of this queue are incomplete.
    fn has_at_most(&self, submissions: u64) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        let value = submitted.saturating_sub(submissions);
        self.timeline.is_over(value)
    }

    /// Submits the recorded commands when the GPU has reached the last submission, but not before `rest`, and
    /// at the latest after [`LONGEST`]. Returns the time until which to pause.
    fn flush_pending(self: Arc<Self>, rest: Instant) -> Instant {
        let mut now = Instant::now();
        let latest = now + LONGEST;
        while now < latest && (now < rest || !self.has_at_most(1)) {
            std::hint::spin_loop();
            now = Instant::now();
        }
        self.flush_is_pending.store(false, Ordering::Release);
        let work = || {
            if let Err(e) = self.flush() {
                log::debug!("a gathered flush failed: {}", e.chain());
            }
        };
        if !crate::process::unless_over(work) {
            // The process exits, so nothing is torn down.
            std::mem::forget(self);
        }
        let end = Instant::now();
        end + (end - now).saturating_mul(REST)
    }
}
