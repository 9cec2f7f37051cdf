//! clFlush while the GPU is busy: a thread gathers what comes meanwhile into one submission.
//!
//! Every submission costs the GPU microseconds, more than many a kernel, so a flush after each launch of a stream
//! of small ones would make it wait for nothing. The clause (CL 5.13) wants commands *issued*: a flush that finds two
//! submissions of the queue not done ([`CommandQueue::flush_soon`]) leaves the open batch to this thread,
//! which submits it when the GPU has come to the last of what it has, or after [`LONGEST`]. So the GPU never idles over it, nobody
//! needs to call again, and an application that flushes before it sleeps gets what it asked for.
//!
//! A submission also costs the application's thread microseconds, on some machines more than the GPU, which then never has two. So
//! after [`STREAM`] flushes without a wait the thread is woken in advance, and while it polls it does every flush until somebody waits.
//! It rests after each submission, [`REST`] times as long as that took: meanwhile the queue is the application's.
//!
//! The thread starts with the first such flush, polls while they keep coming, sleeps otherwise, and ends with its context.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::CommandQueue;
use crate::error::Result;
use crate::event::executor::unless_it_panics;
use crate::lock::{Condvar, Mutex, Rank};

/// A flush is put off for at most so long.
const LONGEST: Duration = Duration::from_micros(50);
/// The thread polls for so long after the last flush before it sleeps: to wake it costs the application a system call.
const LINGER: Duration = Duration::from_micros(200);

/// The queue is locked during a submission, so that nothing can be enqueued.
const REST: u32 = 4;

/// So many flushes that nobody has waited between are a stream: more will come.
const STREAM: u32 = 4;

/// A context's thread for flushes.
pub(crate) struct Flusher {
    state: Mutex<State>,
    /// There is something new in `state`.
    news: AtomicBool,
    /// The thread polls.
    awake: AtomicBool,
    /// Flushes since the last wait.
    stream: AtomicU32,
    wake: Condvar,
    this: Weak<Flusher>,
}

#[derive(Default)]
struct State {
    /// Queues whose open batches are to be submitted.
    owing: Vec<Arc<CommandQueue>>,
    started: bool,
    sleeps: bool,
    stop: bool,
}

impl Flusher {
    /// No thread yet.
    pub(crate) fn new() -> Arc<Flusher> {
        Arc::new_cyclic(|this| Flusher {
            state: Mutex::new(Rank::Executor, State::default()),
            news: AtomicBool::new(false),
            awake: AtomicBool::new(false),
            stream: AtomicU32::new(0),
            wake: Condvar::new(),
            this: Weak::clone(this),
        })
    }

    /// Whether a flush is one of a stream, and the thread polls.
    fn wants(&self) -> bool {
        let stream = self.stream.fetch_add(1, Ordering::Relaxed) + 1;
        if stream < STREAM {
            return false;
        }
        let awake = self.awake.load(Ordering::Relaxed);
        if !awake && stream.is_multiple_of(STREAM) {
            self.call(None);
        }
        awake
    }

    /// A thread waits for commands.
    pub(super) fn waited(&self) {
        self.stream.store(0, Ordering::Relaxed);
    }

    /// Wakes the thread, with a flush to do or because there will be some soon; `false` if there is none.
    fn call(&self, queue: Option<&Arc<CommandQueue>>) -> bool {
        let mut state = self.state.lock();
        if !state.started && !self.start(&mut state) {
            return false;
        }
        state.owing.extend(queue.map(Arc::clone));
        self.news.store(true, Ordering::Release);
        if std::mem::take(&mut state.sleeps) {
            self.wake.notify_all();
        }
        true
    }

    /// The context is gone.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stop = true;
        self.news.store(true, Ordering::Release);
        self.wake.notify_all();
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
                // Something may have come since.
                state.sleeps = state.owing.is_empty() && !state.stop;
                self.awake.store(!state.sleeps, Ordering::Relaxed);
                while state.sleeps && !state.stop {
                    self.wake.wait(&mut state);
                }
            }
            self.awake.store(true, Ordering::Relaxed);
            let (owing, stop) = {
                let mut state = self.state.lock();
                (std::mem::take(&mut state.owing), state.stop)
            };
            if stop && owing.is_empty() {
                return;
            }
            // The last references to queues and, with them, to the context may be these.
            for queue in owing {
                rest = unless_it_panics("a flush", || queue.pay_flush(rest)).unwrap_or(rest);
            }
            last = Instant::now();
        }
    }
}

impl CommandQueue {
    /// CL 5.13 — clFlush. Submits at once, or leaves that to the context's thread (see the module's text).
    pub fn flush_soon(self: &Arc<Self>) -> Result<()> {
        if self.owes_flush.load(Ordering::Acquire) {
            // The thread takes what is recorded after it has said that nothing is owed any more.
            return Ok(());
        }
        let theirs = || self.context.flusher().wants() || !self.has_at_most(1);
        if self.logical.gathers_flushes() && theirs() {
            self.owes_flush.store(true, Ordering::Release);
            if self.context.flusher().call(Some(self)) {
                return Ok(());
            }
            self.owes_flush.store(false, Ordering::Release);
        }
        self.flush()
    }

    /// Whether the GPU has at most so many submissions of this queue that it has not done.
    fn has_at_most(&self, submissions: u64) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        let value = submitted.saturating_sub(submissions);
        self.timeline.is_over(value)
    }

    /// Submits what is recorded when the GPU has come to the last of what it has, but not before `rest`, or after [`LONGEST`].
    /// Until when to rest.
    fn pay_flush(self: Arc<Self>, rest: Instant) -> Instant {
        let mut now = Instant::now();
        let latest = now + LONGEST;
        while now < latest && (now < rest || !self.has_at_most(1)) {
            std::hint::spin_loop();
            now = Instant::now();
        }
        self.owes_flush.store(false, Ordering::Release);
        let work = || {
            if let Err(e) = self.flush() {
                log::debug!("a flush that was put off: {}", e.chain());
            }
        };
        if !crate::process::unless_over(work) {
            // Nothing is torn down any more.
            std::mem::forget(self);
        }
        let end = Instant::now();
        end + (end - now).saturating_mul(REST)
    }
}
