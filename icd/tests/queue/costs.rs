//! **Invariants:** the cost of a call does not depend on unrelated queues, and no enqueue call waits for the device
//! while memory suffices. Each test compares two times of the same run, so that a slow or busy machine does not
//! matter.

use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::cl;
use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, MOST_ITEMS, SET, argument, buffer, kernel, lasting, launch, queue, release, status,
};

/// Returns the time of some small writes and of the waits for them.
fn writes(s: &Setup, target: cl_mem) -> Duration {
    let bytes = [0u8; 256];
    let start = Instant::now();
    for _ in 0..4 {
        for _ in 0..32 {
            let (q, at, none) = (s.queue, bytes.as_ptr().cast(), null_mut());
            let code = cl!(clEnqueueWriteBuffer(q, target, 0, 0, 256, at, 0, null(), none));
            assert_eq!(code, 0);
        }
        assert_eq!(cl!(clFinish(s.queue)), 0);
    }
    start.elapsed()
}

/// A small write in a context with 1,000 idle queues takes at most 1.2 times as long as in one without.
#[test]
fn idle_queues_cost_nothing() {
    const QUEUES: usize = 1000;
    const MOST: f64 = 1.2;
    let [alone, crowded] = [Setup::new(), Setup::new()];
    let idle: Vec<cl_command_queue> = (0..QUEUES).map(|_| queue(&crowded, 0)).collect();
    let targets = [&alone, &crowded].map(|s| buffer(s, 0, 1024, null_mut()));
    // The shortest of many times counts, because other load of the machine can only make a time longer.
    let mut best = [Duration::MAX; 2];
    let mut ratio = f64::MAX;
    let end = Instant::now() + Duration::from_secs(4);
    for round in 0.. {
        for (best, (s, target)) in best.iter_mut().zip([&alone, &crowded].into_iter().zip(targets)) {
            *best = writes(s, target).min(*best);
        }
        ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
        if (round >= 10 && ratio <= MOST) || Instant::now() > end {
            break;
        }
    }
    assert!(
        ratio <= MOST,
        "{ratio:.2} times as long with {QUEUES} idle queues: {best:?} for 128 writes"
    );
    for q in idle {
        assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
    }
    release(&targets);
}

/// Two hundred launches, each flushed, are enqueued while the first one still runs.
#[test]
fn flushed_launches_do_not_wait_for_each_other() {
    let s = Setup::new();
    let set = kernel(&s, SET, "set");
    let target = buffer(&s, 0, MOST_ITEMS, null_mut());
    argument(set, 0, &target);
    argument(set, 1, &1u32);
    let (items, work) = lasting(s.queue, set, Duration::from_millis(700));
    argument(set, 2, &work);
    let start = Instant::now();
    let long = launch(s.queue, set, items, After::NOTHING);
    assert_eq!(cl!(clFlush(s.queue)), 0);
    argument(set, 2, &0u32);
    for i in 0..200 {
        let event = launch(s.queue, set, 64, After::NOTHING);
        assert_eq!(cl!(clFlush(s.queue)), 0);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
        let over = status(long) == CL_COMPLETE;
        assert!(
            !over,
            "launch {i} waited for the first one: {:?}",
            start.elapsed()
        );
    }
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseEvent(long)), 0);
    assert_eq!(cl!(clReleaseKernel(set)), 0);
    release(&[target]);
}
