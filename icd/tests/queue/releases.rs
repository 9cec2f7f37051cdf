//! **Invariant:** objects may be released at any time, also by a callback, and while commands exist that will never
//! run. No call blocks, and the process can end.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, SET, argument, buffer, child, debug_with, kernel, launch, queue, role, soon, text,
};
use crate::{cl, created};

/// All objects are released and the process ends while a command waits for a user event that is never set.
#[test]
fn a_user_event_that_is_never_set() {
    if let Some(role) = role() {
        let s = Setup::new();
        let properties = match &*role {
            "ordered" => 0,
            _ => CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        };
        let other = queue(&s, properties);
        let memory = buffer(&s, 0, 1024, null_mut());
        let (gate, code) = created!(clCreateUserEvent(s.context));
        assert_eq!(code, 0);
        let (zero, mut event) = (0u32, null_mut());
        let (at, list) = ((&raw const zero).cast(), &raw const gate);
        let e = &raw mut event;
        let code = cl!(clEnqueueFillBuffer(other, memory, at, 4, 0, 4096, 1, list, e));
        assert_eq!(code, 0);
        assert_eq!(cl!(clFlush(other)), 0);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
        assert_eq!(cl!(clReleaseEvent(gate)), 0);
        assert_eq!(cl!(clReleaseMemObject(memory)), 0);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
        return;
    }
    for role in ["ordered", "out of order"] {
        let out = child(
            "releases::a_user_event_that_is_never_set",
            role,
            &debug_with("error"),
        );
        assert!(out.status.success(), "{role}: {}", text(&out));
    }
}

/// The objects that a callback releases.
struct Last {
    context: cl_context,
    queue: cl_command_queue,
    memory: cl_mem,
    kernel: cl_kernel,
    failures: AtomicU32,
    done: AtomicU32,
}

unsafe extern "C" fn release_all(event: cl_event, _: cl_int, data: *mut c_void) {
    // SAFETY: the test passes a `Last` that is never freed.
    let last = unsafe { &*data.cast::<Last>() };
    let codes = [
        cl!(clReleaseKernel(last.kernel)),
        cl!(clReleaseMemObject(last.memory)),
        cl!(clReleaseCommandQueue(last.queue)),
        cl!(clReleaseEvent(event)),
        cl!(clReleaseContext(last.context)),
    ];
    let failures = codes.iter().filter(|code| **code != 0).count();
    last.failures.store(failures as u32, Ordering::SeqCst);
    last.done.store(1, Ordering::SeqCst);
}

/// The callback of a command releases the last references to all objects, its own queue and context among them.
#[test]
fn a_callback_releases_everything() {
    for round in 0..12 {
        let s = Setup::with(if round % 2 == 1 {
            CL_QUEUE_PROFILING_ENABLE
        } else {
            0
        });
        let memory = buffer(&s, 0, 1024, null_mut());
        let set = kernel(&s, SET, "set");
        argument(set, 0, &memory);
        argument(set, 1, &1u32);
        argument(set, 2, &(round / 4u32));
        // In half of the rounds the command waits until the callback's references are the last ones.
        let (gate, code) = created!(clCreateUserEvent(s.context));
        assert_eq!(code, 0);
        let gated = [gate];
        let after = if round % 4 < 2 {
            After(&gated)
        } else {
            After::NOTHING
        };
        let event = launch(s.queue, set, 1024, after);
        // It is never freed, so that a callback that is called late can still use it.
        let last: &Last = Box::leak(Box::new(Last {
            context: s.context,
            queue: s.queue,
            memory,
            kernel: set,
            failures: AtomicU32::new(0),
            done: AtomicU32::new(0),
        }));
        // The callback owns the references of `s`.
        let flushed = s.queue;
        std::mem::forget(s);
        let data = std::ptr::from_ref(last).cast_mut().cast();
        assert_eq!(cl!(clRetainCommandQueue(flushed)), 0);
        assert_eq!(
            cl!(clSetEventCallback(event, CL_COMPLETE, Some(release_all), data)),
            0
        );
        assert_eq!(cl!(clFlush(flushed)), 0);
        assert_eq!(cl!(clReleaseCommandQueue(flushed)), 0);
        assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
        assert_eq!(cl!(clReleaseEvent(gate)), 0);
        let done = soon(Duration::from_secs(20), || last.done.load(Ordering::SeqCst) == 1);
        assert!(
            done,
            "round {round}: the callback does not come or does not return"
        );
        assert_eq!(last.failures.load(Ordering::SeqCst), 0, "round {round}");
    }
}

/// The thread that has enqueued commands releases the last reference to their queue while they are in flight.
#[test]
fn a_queue_is_released_with_commands_in_flight() {
    let s = Setup::new();
    let set = kernel(&s, SET, "set");
    let memory = buffer(&s, 0, 1024, null_mut());
    argument(set, 0, &memory);
    argument(set, 2, &1u32);
    for value in 0..20u32 {
        argument(set, 1, &value);
        let other = queue(&s, 0);
        let event = launch(other, set, 1024, After::NOTHING);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
        assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
        assert_eq!(s.read(memory, 4), value.to_ne_bytes(), "value {value}");
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    let code = cl!(clEnqueueMarkerWithWaitList(s.queue, 0, null(), null_mut()));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseKernel(set)), 0);
    assert_eq!(cl!(clReleaseMemObject(memory)), 0);
}
