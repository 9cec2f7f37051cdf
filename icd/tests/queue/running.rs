//! **Invariant:** an event becomes CL_RUNNING, and its callbacks for CL_RUNNING are called, only once everything
//! that its command waits for is complete (CL 5.9: "the device starts executing").

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, MOST_ITEMS, SET, Shared, argument, buffer, kernel, lasting, launch, queue, release, soon, status,
    wait,
};
use crate::{cl, created};

/// The status of the first command that a callback for CL_RUNNING of the second command has seen.
struct Seen {
    before: cl_event,
    status: AtomicI32,
}

const NOT_CALLED: i32 = 99;

unsafe extern "C" fn runs(_: cl_event, _: cl_int, data: *mut c_void) {
    // SAFETY: `data` is the test's `Seen`, which is never freed.
    let seen = unsafe { &*data.cast::<Seen>() };
    let mut then = CL_QUEUED;
    let (which, size, none) = (CL_EVENT_COMMAND_EXECUTION_STATUS, size_of::<cl_int>(), null_mut());
    let code = cl!(clGetEventInfo(
        seen.before,
        which,
        size,
        (&raw mut then).cast(),
        none
    ));
    seen.status
        .store(if code == 0 { then } else { code }, Ordering::SeqCst);
}

/// Checks the status of `second`, which waits for `first`, a command that takes some time.
fn check(first: cl_event, second: cl_event, what: &str) {
    // It is never freed, so that a callback that is called after a failure can still use it.
    let seen: &Seen = Box::leak(Box::new(Seen {
        before: first,
        status: AtomicI32::new(NOT_CALLED),
    }));
    assert_eq!(cl!(clRetainEvent(first)), 0);
    let data = std::ptr::from_ref(seen).cast_mut().cast();
    assert_eq!(cl!(clSetEventCallback(second, CL_RUNNING, Some(runs), data)), 0);
    let start = Instant::now();
    let mut looks = 0;
    loop {
        // The second event is queried first, because the status of the first may change between the queries.
        let [then, before] = [status(second), status(first)];
        assert!(
            then > CL_RUNNING || before <= CL_COMPLETE,
            "{what}: status {then} while it waits for one that is at {before}, after {looks} looks"
        );
        looks += 1;
        if then <= CL_COMPLETE || start.elapsed() > Duration::from_secs(30) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(status(second), CL_COMPLETE, "{what}");
    assert!(
        looks > 3,
        "{what}: the first command was too short to see anything"
    );
    let called = soon(Duration::from_secs(10), || {
        seen.status.load(Ordering::SeqCst) != NOT_CALLED
    });
    let saw = seen.status.load(Ordering::SeqCst);
    assert!(
        called && saw == CL_COMPLETE,
        "{what}: the callback for CL_RUNNING saw {saw}"
    );
    assert_eq!(cl!(clReleaseEvent(first)), 0);
    wait(first);
    wait(second);
}

/// The second command is in another queue, or later in the same queue.
#[test]
fn not_before_what_it_waits_for() {
    let s = Setup::new();
    let others = [
        queue(&s, 0),
        queue(&s, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        s.queue,
    ];
    let [a, b] = [(); 2].map(|()| buffer(&s, 0, MOST_ITEMS, null_mut()));
    let set = kernel(&s, SET, "set");
    argument(set, 0, &a);
    argument(set, 1, &1u32);
    let (items, work) = lasting(s.queue, set, Duration::from_millis(100));
    for (i, other) in others.into_iter().enumerate() {
        argument(set, 0, &a);
        argument(set, 1, &1u32);
        argument(set, 2, &work);
        let first = launch(s.queue, set, items, After::NOTHING);
        assert_eq!(cl!(clFlush(s.queue)), 0);
        argument(set, 0, &b);
        argument(set, 2, &0u32);
        let second = launch(other, set, 1, After(&[first]));
        assert_eq!(cl!(clFlush(other)), 0);
        check(first, second, &format!("queue {i}"));
    }
    assert_eq!(cl!(clReleaseKernel(set)), 0);
    for other in &others[..2] {
        assert_eq!(cl!(clReleaseCommandQueue(*other)), 0);
    }
    release(&[a, b]);
}

/// A command waits for a user event, and for an event that is complete.
#[test]
fn not_before_a_user_event() {
    let s = Setup::new();
    let memory = buffer(&s, 0, 64, null_mut());
    let set = kernel(&s, SET, "set");
    argument(set, 0, &memory);
    argument(set, 1, &1u32);
    argument(set, 2, &0u32);
    let done = launch(s.queue, set, 1, After::NOTHING);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let second = launch(s.queue, set, 1, After(&[done, gate]));
    assert_eq!(cl!(clFlush(s.queue)), 0);
    let opener = Shared(gate);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let gate = opener;
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(cl!(clSetUserEventStatus(gate.0, CL_COMPLETE)), 0);
        });
        assert_eq!(cl!(clRetainEvent(gate)), 0);
        check(gate, second, "user event");
    });
    for event in [gate, done] {
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(set)), 0);
    release(&[memory]);
}
