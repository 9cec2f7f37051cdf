//! The executor: one thread per context, started when first needed; and, where there are several devices, another of the
//! kind that moves contents between them.
//!
//! It runs callbacks into the application, and it watches events on behalf of those who cannot poll: callbacks, and
//! commands held back for an event of another device. The thread ends when its context does; nobody joins it.
//!
//! A callback that waits (which OpenCL leaves undefined, CL 5.9) does the thread's other jobs meanwhile ([`Executor::help`]),
//! so it waits for ever only if what it waits for needs itself to return.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::ThreadId;
use std::time::Duration;

use super::{Event, Phase};
use crate::lock::{Condvar, Mutex, Rank, assert_none_held};

type Job = Box<dyn FnOnce() + Send>;

/// So many jobs wait inside each other at most: each has a part of the stack.
const NESTED: usize = 16;

thread_local! {
    /// How many jobs wait on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// How long the thread blocks on the GPU before it looks for new jobs.
const SLICE: Duration = Duration::from_millis(1);

/// A context's executor.
pub struct Executor {
    state: Mutex<State>,
    wake: Condvar,
    thread: OnceLock<ThreadId>,
    name: &'static str,
    this: Weak<Executor>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Events to poll until they are final.
    watched: Vec<Arc<Event>>,
    started: bool,
    stop: bool,
    /// Something changed: look at the watched events at once.
    poked: bool,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Executor")
    }
}

impl Executor {
    /// No thread yet.
    pub(crate) fn new(name: &'static str) -> Arc<Executor> {
        Arc::new_cyclic(|this| Executor {
            state: Mutex::new(Rank::Executor, State::default()),
            wake: Condvar::new(),
            thread: OnceLock::new(),
            name,
            this: Weak::clone(this),
        })
    }

    /// Runs a job on the thread, in order.
    pub(crate) fn call(&self, job: Job) {
        let mut state = self.state.lock();
        state.jobs.push_back(job);
        self.start(&mut state);
        self.wake.notify_all();
    }

    /// Whether this is its thread: a job of it is running.
    pub(crate) fn is_this_thread(&self) -> bool {
        self.thread.get() == Some(&std::thread::current().id())
    }

    /// Does another job while one waits, on its thread. `false` if there is none, or too many wait.
    pub(crate) fn help(&self) -> bool {
        let depth = DEPTH.get();
        if depth >= NESTED {
            return false;
        }
        let Some(job) = self.state.lock().jobs.pop_front() else {
            return false;
        };
        DEPTH.set(depth + 1);
        do_job(job);
        DEPTH.set(depth);
        true
    }

    /// Polls an event until it is final.
    pub(crate) fn watch(&self, event: &Arc<Event>) {
        event.watch();
        let mut state = self.state.lock();
        if !state.watched.iter().any(|e| Arc::ptr_eq(e, event)) {
            state.watched.push(Arc::clone(event));
        }
        state.poked = true;
        self.start(&mut state);
        self.wake.notify_all();
    }

    /// A watched event may have moved.
    pub(crate) fn wake(&self) {
        let mut state = self.state.lock();
        state.poked = true;
        self.wake.notify_all();
    }

    /// The context is gone: finish the jobs and end.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stop = true;
        self.wake.notify_all();
    }

    fn start(&self, state: &mut State) {
        if state.started {
            return;
        }
        let Some(this) = self.this.upgrade() else { return };
        let thread = std::thread::Builder::new().name(self.name.into());
        match thread.spawn(move || this.run()) {
            Ok(_) => state.started = true,
            Err(e) => log::error!("the executor thread cannot be started: {e}"),
        }
    }

    fn run(&self) {
        self.thread.get_or_init(|| std::thread::current().id());
        let mut watched: Vec<Arc<Event>> = Vec::new();
        loop {
            while crate::process::is_over() {
                std::thread::park();
            }
            let job = {
                let mut state = self.state.lock();
                loop {
                    watched.append(&mut state.watched);
                    if let Some(job) = state.jobs.pop_front() {
                        break Some(job);
                    }
                    if state.stop {
                        return;
                    }
                    // One that is final, because another thread polled it, must be let go of: it may hold the last of its queue.
                    let moves = |e: &Arc<Event>| !matches!(e.phase(), Phase::Pending | Phase::Recorded);
                    if std::mem::take(&mut state.poked) || watched.iter().any(moves) {
                        break None;
                    }
                    self.wake.wait(&mut state);
                }
            };
            if let Some(job) = job {
                do_job(job);
                continue;
            }
            watched.retain(|e| unless_it_panics("an event's polling", || e.run_due()) == Some(false));
            unless_it_panics("a wait", || self.block(&watched));
        }
    }

    /// Waits a little for one of the submitted events.
    fn block(&self, watched: &[Arc<Event>]) {
        let submitted: Vec<_> = watched
            .iter()
            .filter(|e| e.phase() == Phase::Submitted)
            .filter_map(|e| e.queue().map(|q| (q, e.value())))
            .collect();
        let Some((first, _)) = submitted.first() else {
            return;
        };
        if !self.state.lock().jobs.is_empty() {
            return;
        }
        // Events of other devices are looked at in the next round.
        let device = first.timeline().device();
        let points: Vec<_> = submitted
            .iter()
            .map(|(q, v)| (&**q.timeline(), *v))
            .filter(|(t, _)| Arc::ptr_eq(t.device(), device))
            .collect();
        device.wait_any(&points, SLICE);
    }
}

fn do_job(job: Job) {
    assert_none_held();
    unless_it_panics("a callback", job);
}

/// What keeps the context's threads alive in spite of our own bugs: callbacks that panic are stopped at the boundary to C.
pub(crate) fn unless_it_panics<T>(what: &str, work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .inspect_err(|_| log::error!("{what} panicked"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_job_that_panics_is_not_the_last() {
        let executor = Executor::new("test");
        executor.call(Box::new(|| panic!("on purpose")));
        let (said, heard) = mpsc::channel();
        executor.call(Box::new(move || said.send(()).expect("the test listens")));
        assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok(()));
        executor.stop();
        assert_eq!(unless_it_panics("nothing", || 7), Some(7));
    }
}
