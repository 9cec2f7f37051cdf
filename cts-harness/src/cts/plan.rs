//! Decides which sub-tests share a process, and how many processes run concurrently.

use super::rows::How;
use super::select::Case;
use std::sync::Arc;

/// The sub-tests of one suite that share a process.
pub(super) type Task = Vec<Case>;

/// The tasks of a run.
pub(super) struct Plan {
    /// The tasks that may run concurrently.
    pub(super) together: Vec<Task>,
    /// The tasks that run one after the other, after all others.
    pub(super) alone: Vec<Task>,
}

/// A sub-test whose expected duration in seconds is larger gets its own process.
const LONG: f64 = 5.0;

/// Divides cases into tasks of at most `most` sub-tests. The row of a suite may demand tasks of one sub-test.
/// A sub-test with a long expected duration does not share its process.
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

/// The number of concurrent processes, and the number of threads for each.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Share {
    pub(super) jobs: usize,
    pub(super) threads: usize,
}

impl Share {
    /// Returns the share for a machine with `cores` cores. A CPU device gets one process per core, with one
    /// thread each. With a GPU, most time is spent on the reference results, which the tests compute on
    /// several threads, so a few processes suffice.
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
