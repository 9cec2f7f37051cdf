//! Threads for jobs that may take long: the application's native kernels, and builds.
//!
//! A job need not wait until another one of the pool returns, unless the pool has as many threads as it may
//! have: a thread is started if none is idle, and ends after it has been idle for a while.

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
        if state.idle <= state.jobs.len() && state.threads < self.most {
            match self.start() {
                Ok(()) => state.threads += 1,
                Err(e) => log::warn!("a thread for {} cannot be started: {e}", self.name),
            }
        }
        if state.threads == 0 {
            return Err(job);
        }
        state.jobs.push_back(job);
        self.wake.notify_all();
        Ok(())
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
            let job = {
                let mut state = self.state.lock();
                loop {
                    if let Some(job) = state.jobs.pop_front() {
                        break job;
                    }
                    if state.stop {
                        return;
                    }
                    state.idle += 1;
                    let over = self.wake.wait_for(&mut state, IDLE);
                    state.idle -= 1;
                    if over && state.jobs.is_empty() {
                        state.threads -= 1;
                        return;
                    }
                }
            };
            do_job(job);
        }
    }

    /// Lets the threads finish the jobs and end, because the context is being destroyed.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.stop = true;
        self.wake.notify_all();
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
