//! The executor of a context: it runs callbacks, on a thread that is started when it is first needed.
//!
//! It runs the application's callbacks one after the other, and polls events for callbacks and for deferred
//! commands that wait for an event of another device. While a callback runs and there are events to poll, a
//! second thread polls them, so that a long callback delays only other callbacks. The threads end when the
//! context is destroyed; they are not joined. Native kernels and builds have threads of their own
//! (`event/pool.rs`).
//!
//! A callback that waits for an event (which OpenCL leaves undefined, CL 5.9) runs the executor's other jobs in
//! the meantime (`Executor::help`), so it waits for ever only if the event depends on the callback's own
//! return.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::{Event, Phase};
use crate::lock::{Condvar, Mutex, Rank, assert_none_held};

pub(super) type Job = Box<dyn FnOnce() + Send>;

/// The most jobs that wait inside each other on one thread, because each uses a part of the stack.
const NESTED: usize = 16;

thread_local! {
    /// The number of jobs that wait on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The address of the executor whose job runs on this thread, or 0.
    static RUNS_FOR: Cell<usize> = const { Cell::new(0) };
}

/// The time for which a thread blocks on the GPU before it looks for new jobs.
const SLICE: Duration = Duration::from_millis(1);

/// One thread runs a job while the other polls events.
const MOST_THREADS: usize = 2;

/// The time for which the second thread waits for something to do before it ends.
const IDLE: Duration = Duration::from_secs(1);

/// The executor of a context.
pub struct Executor {
    state: Mutex<State>,
    wake: Condvar,
    name: &'static str,
    this: Weak<Executor>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// The events to poll until they are final, except for those that a thread is polling now.
    watched: Vec<Arc<Event>>,
    threads: usize,
    /// Whether a thread is running a job.
    runs: bool,
    /// Whether a thread is polling events.
    watches: bool,
    stop: bool,
    /// Whether the phase of a watched event may have changed, so that the watched events are polled at once.
    poked: bool,
}

/// The next task of a thread.
enum Turn {
    Run(Job),
    Watch(Vec<Arc<Event>>),
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Executor")
    }
}

impl Executor {
    /// Makes an executor without threads.
    pub(crate) fn new(name: &'static str) -> Arc<Executor> {
        Arc::new_cyclic(|this| Executor {
            state: Mutex::new(Rank::Executor, State::default()),
            wake: Condvar::new(),
            name,
            this: Weak::clone(this),
        })
    }

    /// Runs a job on a thread of the executor, after all earlier jobs.
    pub(crate) fn call(&self, job: Job) {
        let mut state = self.state.lock();
        state.jobs.push_back(job);
        self.start(&mut state);
        self.wake.notify_all();
    }

    /// Returns whether this thread is running a job of the executor.
    pub(crate) fn is_this_thread(&self) -> bool {
        RUNS_FOR.get() == std::ptr::from_ref(self).addr()
    }

    /// Runs another job on this thread, whose own job waits. Returns `false` if there is none, or if too many
    /// jobs wait already.
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
        self.see_to_watching(&mut state);
        self.wake.notify_all();
    }

    /// Lets a thread poll the watched events, because the phase of one may have changed.
    pub(crate) fn wake(&self) {
        let mut state = self.state.lock();
        state.poked = true;
        self.wake.notify_all();
    }

    /// Lets the threads finish the jobs and end, because the context is being destroyed.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stop = true;
        self.wake.notify_all();
    }

    /// Starts the first thread, unless there is one.
    fn start(&self, state: &mut State) {
        if state.threads == 0 {
            self.add_thread(state);
        }
    }

    /// Starts a second thread if one runs a job and no thread polls the watched events. Returns whether that is
    /// the case.
    fn see_to_watching(&self, state: &mut State) -> bool {
        let needed = state.runs && !state.watches && !state.watched.is_empty();
        if needed && state.threads < MOST_THREADS {
            self.add_thread(state);
        }
        needed
    }

    fn add_thread(&self, state: &mut State) {
        let Some(this) = self.this.upgrade() else { return };
        let thread = std::thread::Builder::new().name(self.name.into());
        match thread.spawn(move || this.work()) {
            Ok(_) => state.threads += 1,
            Err(e) => log::error!("a thread of the executor cannot be started: {e}"),
        }
    }

    fn work(&self) {
        while let Some(turn) = self.next_turn() {
            match turn {
                Turn::Run(job) => {
                    RUNS_FOR.set(std::ptr::from_ref(self).addr());
                    do_job(job);
                    RUNS_FOR.set(0);
                    self.state.lock().runs = false;
                }
                Turn::Watch(mut watched) => {
                    // This calls Vulkan, so the exit of the process waits for it; once the exit has begun, the events
                    // stay where they are.
                    crate::process::unless_over(|| {
                        watched.retain(|e| {
                            unless_it_panics("an event's polling", || e.run_due()) == Some(false)
                        });
                        unless_it_panics("a wait", || self.block(&watched));
                    });
                    let mut state = self.state.lock();
                    state.watched.append(&mut watched);
                    state.watches = false;
                }
            }
        }
    }

    /// Waits for the next task of this thread; returns `None` if the thread is to end.
    fn next_turn(&self) -> Option<Turn> {
        while crate::process::is_over() {
            std::thread::park();
        }
        let mut state = self.state.lock();
        loop {
            if !state.runs
                && let Some(job) = state.jobs.pop_front()
            {
                state.runs = true;
                if self.see_to_watching(&mut state) {
                    self.wake.notify_all();
                }
                return Some(Turn::Run(job));
            }
            if state.stop && state.jobs.is_empty() {
                return None;
            }
            // An event that another thread has polled until it was final must be removed, because it may hold
            // the last reference to its queue.
            let moves = |e: &Arc<Event>| !matches!(e.phase(), Phase::Pending | Phase::Recorded);
            if !state.watches
                && !state.watched.is_empty()
                && (std::mem::take(&mut state.poked) || state.watched.iter().any(moves))
            {
                state.watches = true;
                return Some(Turn::Watch(std::mem::take(&mut state.watched)));
            }
            if state.threads < MOST_THREADS {
                self.wake.wait(&mut state);
            } else if self.wake.wait_for(&mut state, IDLE) && state.threads > 1 && state.jobs.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }

    /// Waits at most [`SLICE`] for one of the submitted events.
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
        // Events of other devices are polled in the next round.
        let device = first.timeline().device();
        let points: Vec<_> = submitted
            .iter()
            .map(|(q, v)| (&**q.timeline(), *v))
            .filter(|(t, _)| Arc::ptr_eq(t.device(), device))
            .collect();
        device.wait_any(&points, SLICE);
    }
}

pub(super) fn do_job(job: Job) {
    assert_none_held();
    unless_it_panics("a callback", job);
}

/// Runs `work` and catches its panics, so that the context's threads go on, and callbacks that do not depend
/// on the work are called. A panic is a bug of Caldera and makes the process fail
/// ([`crate::process::fails`]). Panics of callbacks are caught at the boundary to C.
pub(crate) fn unless_it_panics<T>(what: &str, work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .inspect_err(|_| {
            crate::process::fails();
            log::error!("{what} panicked");
        })
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

    #[test]
    fn jobs_run_one_after_the_other() {
        let executor = Executor::new("test");
        let (said, heard) = mpsc::channel();
        for n in 0..100 {
            let outer = Arc::clone(&executor);
            let (said, executor) = (said.clone(), Arc::clone(&executor));
            let job = Box::new(move || {
                assert!(executor.is_this_thread());
                said.send(n).expect("the test listens");
            });
            outer.call(job);
            assert!(!outer.is_this_thread());
        }
        executor.stop();
        drop((executor, said));
        assert_eq!(heard.iter().collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
    }
}
