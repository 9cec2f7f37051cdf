//! Threads for jobs that may take long: the application's native kernels, and builds.
//!
//! A job need not wait until another one of the pool returns, unless the pool has as many threads as it may
//! have: a thread is started if none is idle, and ends after it has been idle for a while.
//!
//! Guesses are jobs whose results may turn out to be useless. They begin only if no other job waits, and one thread is
//! kept free of them if the pool may have more than one.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::executor::{Job, do_job};
use crate::lock::{Condvar, Mutex, Rank};

/// The time for which an idle thread waits for a job before it ends.
const IDLE: Duration = Duration::from_secs(1);

/// The stack of a thread: as large as that of an application's main thread usually is, because drivers compile on it.
const STACK: usize = 8 << 20;

/// The threads of a context for one type of job.
pub(crate) struct Pool {
    state: Mutex<State>,
    wake: Condvar,
    name: &'static str,
    most: usize,
    this: Weak<Pool>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    guesses: VecDeque<Job>,
    /// The number of threads that execute a guess.
    guessing: usize,
    threads: usize,
    idle: usize,
    stop: bool,
}

impl Pool {
    /// Makes a pool without threads, which will have at most `most`.
    pub(crate) fn new(name: &'static str, most: usize) -> Arc<Pool> {
        Arc::new_cyclic(|this| Pool {
            state: Mutex::new(Rank::Executor, State::default()),
            wake: Condvar::new(),
            name,
            most,
            this: Weak::clone(this),
        })
    }

    /// Runs a job on a thread of the pool. Returns the job if there is no thread and none can be started.
    pub(crate) fn call(&self, job: Job) -> Result<(), Job> {
        let mut state = self.state.lock();
        if !self.has_thread(&mut state) {
            return Err(job);
        }
        state.jobs.push_back(job);
        self.wake.notify_all();
        Ok(())
    }

    /// Runs a guess on a thread of the pool, after all other jobs. If there is no thread, or the context is being
    /// destroyed, it is dropped.
    pub(crate) fn guess(&self, job: Job) {
        let mut state = self.state.lock();
        if !state.stop && self.has_thread(&mut state) {
            state.guesses.push_back(job);
            self.wake.notify_all();
        }
    }

    /// Starts a thread if none is free for another job. Returns whether there is a thread.
    fn has_thread(&self, state: &mut State) -> bool {
        if state.idle <= state.jobs.len() + state.guesses.len() && state.threads < self.most {
            match self.start() {
                Ok(()) => state.threads += 1,
                Err(e) => log::warn!("a thread for {} cannot be started: {e}", self.name),
            }
        }
        state.threads > 0
    }

    /// Returns whether another thread may execute a guess.
    fn may_guess(&self, state: &State) -> bool {
        state.guessing < self.most.saturating_sub(1).max(1)
    }

    fn start(&self) -> std::io::Result<()> {
        let this = self
            .this
            .upgrade()
            .ok_or_else(|| std::io::Error::other("the context is gone"))?;
        let thread = std::thread::Builder::new()
            .name(self.name.into())
            .stack_size(STACK);
        thread.spawn(move || this.work()).map(drop)
    }

    fn work(&self) {
        loop {
            while crate::process::is_over() {
                std::thread::park();
            }
            let (job, is_guess) = {
                let mut state = self.state.lock();
                loop {
                    if let Some(job) = state.jobs.pop_front() {
                        break (job, false);
                    }
                    if self.may_guess(&state)
                        && let Some(guess) = state.guesses.pop_front()
                    {
                        state.guessing += 1;
                        break (guess, true);
                    }
                    if state.stop {
                        return;
                    }
                    state.idle += 1;
                    let over = self.wake.wait_for(&mut state, IDLE);
                    state.idle -= 1;
                    let has_work =
                        !state.jobs.is_empty() || !state.guesses.is_empty() && self.may_guess(&state);
                    if over && !has_work {
                        state.threads -= 1;
                        return;
                    }
                }
            };
            do_job(job);
            if is_guess {
                self.state.lock().guessing -= 1;
            }
        }
    }

    /// Lets the threads finish the jobs and end, because the context is being destroyed. Guesses that have not begun are
    /// dropped.
    pub(crate) fn stop(&self) {
        let _dropped_without_lock = {
            let mut state = self.state.lock();
            state.stop = true;
            self.wake.notify_all();
            std::mem::take(&mut state.guesses)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::mpsc;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn call(pool: &Pool, job: impl FnOnce() + Send + 'static) {
        assert!(pool.call(Box::new(job)).is_ok(), "a thread");
    }

    #[test]
    fn jobs_do_not_wait_for_each_other() {
        let pool = Pool::new("test", 8);
        let meeting = Arc::new(Barrier::new(8));
        let (said, heard) = mpsc::channel();
        for n in 0..8 {
            let (meeting, said) = (Arc::clone(&meeting), said.clone());
            call(&pool, move || {
                meeting.wait();
                said.send(n).expect("the test listens");
            });
        }
        let mut all: Vec<_> = (0..8).map(|_| heard.recv_timeout(PATIENCE)).collect();
        all.sort_unstable_by_key(|n| n.unwrap_or(99));
        assert_eq!(all, (0..8).map(Ok).collect::<Vec<_>>());
        pool.stop();
    }

    #[test]
    fn guesses_come_last_and_leave_a_thread_free() {
        for most in [1, 3] {
            let pool = Pool::new("test", most);
            let meeting = Arc::new(Barrier::new(most + 1));
            for _ in 0..most {
                let meeting = Arc::clone(&meeting);
                call(&pool, move || _ = meeting.wait());
            }
            // All threads wait meanwhile. Then the guesses would take all of them if they could.
            let (said, heard) = mpsc::channel();
            let (go, gate) = mpsc::channel::<()>();
            let gate = Arc::new(std::sync::Mutex::new(gate));
            for _ in 0..4 {
                let (said, gate) = (said.clone(), Arc::clone(&gate));
                pool.guess(Box::new(move || {
                    said.send("guess").expect("the test listens");
                    let _ = gate.lock().expect("no panic").recv_timeout(PATIENCE);
                }));
            }
            let next = said.clone();
            call(&pool, move || next.send("job").expect("the test listens"));
            meeting.wait();
            if most == 1 {
                assert_eq!(heard.recv_timeout(PATIENCE), Ok("job"));
            } else {
                // Two guesses are under way, and the third thread executes one job after the other.
                let mut first: Vec<_> = (0..3).flat_map(|_| heard.recv_timeout(PATIENCE)).collect();
                first.sort_unstable();
                assert_eq!(first, ["guess", "guess", "job"]);
                for _ in 0..3 {
                    let said = said.clone();
                    call(&pool, move || said.send("job").expect("the test listens"));
                    assert_eq!(heard.recv_timeout(PATIENCE), Ok("job"));
                }
            }
            for _ in 0..4 {
                go.send(()).expect("the guesses listen");
            }
            drop(said);
            let rest: Vec<_> = heard.iter().collect();
            assert!(rest.iter().all(|what| *what == "guess"), "{rest:?}");
            assert_eq!(rest.len(), if most == 1 { 4 } else { 2 });
            pool.stop();
        }
    }

    #[test]
    fn guesses_that_have_not_begun_are_dropped() {
        let pool = Pool::new("test", 1);
        let meeting = Arc::new(Barrier::new(2));
        let at_work = Arc::clone(&meeting);
        call(&pool, move || _ = at_work.wait());
        let (said, heard) = mpsc::channel();
        let also_said = said.clone();
        pool.guess(Box::new(move || also_said.send(()).expect("the test listens")));
        pool.stop();
        pool.guess(Box::new(move || said.send(()).expect("the test listens")));
        meeting.wait();
        assert!(heard.recv_timeout(PATIENCE).is_err(), "the channel is closed");
    }

    #[test]
    fn no_more_threads_than_the_limit() {
        let pool = Pool::new("test", 2);
        let (said, heard) = mpsc::channel();
        for _ in 0..50 {
            let said = said.clone();
            call(&pool, move || {
                said.send(std::thread::current().id()).expect("the test listens");
            });
        }
        drop(said);
        let ids: std::collections::HashSet<_> = heard.iter().collect();
        assert!(ids.len() <= 2, "{ids:?}");
        pool.stop();
    }
}
