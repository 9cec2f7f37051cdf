//! Which sub-tests go into which process, and how many processes run at a time.

use super::rows::How;
use super::select::Case;
use std::sync::Arc;

/// Sub-tests of one suite that share a process.
pub(super) type Task = Vec<Case>;

/// What is to run.
pub(super) struct Plan {
    /// Several at a time.
    pub(super) together: Vec<Task>,
    /// Afterwards, one after the other.
    pub(super) alone: Vec<Task>,
}

/// Seconds from which on a sub-test gets a process to itself.
const LONG: f64 = 5.0;

/// Cuts cases into tasks of at most `most` sub-tests; a suite's row may demand smaller ones, and a sub-test that is
/// known to take long shares with none.
pub(super) fn plan(cases: Vec<Case>, most: usize, expected: &dyn Fn(&str) -> Option<f64>) -> Plan {
    let mut plan = Plan {
        together: Vec::new(),
        alone: Vec::new(),
    };
    let long = |case: &Case| expected(&case.name()).is_some_and(|s| s > LONG);
    for case in cases {
        let (tasks, most) = match case.suite.row.how {
            How::Group if long(&case) => (&mut plan.together, 1),
            How::Group => (&mut plan.together, most),
            How::Single | How::Whole | How::Pairs | How::Streams => (&mut plan.together, 1),
            How::Alone => (&mut plan.alone, 1),
        };
        match tasks.last_mut() {
            Some(task)
                if task.len() < most && Arc::ptr_eq(&task[0].suite, &case.suite) && !long(&task[0]) =>
            {
                task.push(case);
            }
            _ => tasks.push(vec![case]),
        }
    }
    plan
}

/// Processes at a time, and threads for each.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Share {
    pub(super) jobs: usize,
    pub(super) threads: usize,
}

impl Share {
    /// A CPU device gets a process per core with one thread each. With a GPU the time goes into the references that
    /// the tests compute on several threads, so that a few processes suffice.
    pub(super) fn new(jobs: Option<usize>, cores: usize, cpu: bool) -> Share {
        let usual = if cpu { cores } else { (cores / 4).clamp(1, 8) };
        let jobs = jobs.unwrap_or(usual).max(1);
        Share {
            jobs,
            threads: (cores / jobs).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_times_threads_is_no_more_than_the_cores() {
        for (jobs, cores, cpu) in [
            (None, 2, true),
            (None, 64, false),
            (Some(3), 8, true),
            (None, 1, false),
        ] {
            let share = Share::new(jobs, cores, cpu);
            assert!(share.jobs * share.threads <= cores.max(share.jobs), "{share:?}");
        }
        assert_eq!(Share::new(None, 2, true), Share { jobs: 2, threads: 1 });
        assert_eq!(Share::new(None, 16, false), Share { jobs: 4, threads: 4 });
    }
}
