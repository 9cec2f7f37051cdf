//! CL 5.9 and 5.12

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

#[test]
fn user_event() {
    let s = Setup::new();
    let (e, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetEventInfo(e; CL_EVENT_COMMAND_TYPE) as u32),
        CL_COMMAND_USER
    );
    assert_eq!(query!(clGetEventInfo(e; CL_EVENT_COMMAND_QUEUE) as usize), 0);
    assert_eq!(
        query!(clGetEventInfo(e; CL_EVENT_CONTEXT) as usize),
        s.context.addr()
    );
    assert_eq!(
        query!(clGetEventInfo(e; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32),
        CL_SUBMITTED
    );
    assert_eq!(query!(clGetEventInfo(e; CL_EVENT_REFERENCE_COUNT) as u32), 1);
    assert_eq!(
        cl!(clGetEventInfo(e, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    // INVALID_VALUE if the status is not CL_COMPLETE or negative
    for bad in [CL_QUEUED, CL_SUBMITTED, CL_RUNNING, 77] {
        assert_eq!(cl!(clSetUserEventStatus(e, bad)), CL_INVALID_VALUE);
    }
    assert_eq!(cl!(clSetUserEventStatus(e, CL_COMPLETE)), 0);
    assert_eq!(
        query!(clGetEventInfo(e; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32),
        CL_COMPLETE
    );
    // INVALID_OPERATION if the status has already been changed
    assert_eq!(cl!(clSetUserEventStatus(e, CL_COMPLETE)), CL_INVALID_OPERATION);
    assert_eq!(cl!(clWaitForEvents(1, &raw const e)), 0);
    // CL 5.12: PROFILING_INFO_NOT_AVAILABLE for a user event
    let mut t = 0u64;
    let code = cl!(clGetEventProfilingInfo(
        e,
        CL_PROFILING_COMMAND_END,
        8,
        (&raw mut t).cast(),
        null_mut()
    ));
    assert_eq!(code, CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(cl!(clReleaseEvent(e)), 0);
    assert_eq!(cl!(clReleaseEvent(e)), CL_INVALID_EVENT);
}

#[test]
fn commands_wait_for_user_events() {
    let s = Setup::new();
    let b = s.buffer(&[1; 16]);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let mut done = null_mut();
    let two = [2u8; 16];
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        b,
        0,
        0,
        16,
        two.as_ptr().cast(),
        1,
        &raw const gate,
        &raw mut done
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFlush(s.queue)), 0);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(query!(clGetEventInfo(done; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32) > CL_COMPLETE);
    assert_eq!(
        query!(clGetEventInfo(done; CL_EVENT_COMMAND_TYPE) as u32),
        CL_COMMAND_WRITE_BUFFER
    );
    assert_eq!(
        query!(clGetEventInfo(done; CL_EVENT_COMMAND_QUEUE) as usize),
        s.queue.addr()
    );
    // INVALID_EVENT if it is not a user event
    assert_eq!(cl!(clSetUserEventStatus(done, CL_COMPLETE)), CL_INVALID_EVENT);
    assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
    assert_eq!(cl!(clWaitForEvents(1, &raw const done)), 0);
    assert_eq!(s.read(b, 16), two);
    for e in [gate, done] {
        assert_eq!(cl!(clReleaseEvent(e)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn failed_user_events_fail_their_dependents() {
    let s = Setup::new();
    let b = s.buffer(&[1; 16]);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let mut done = null_mut();
    let code = cl!(clEnqueueFillBuffer(
        s.queue,
        b,
        [9u8].as_ptr().cast(),
        1,
        0,
        16,
        1,
        &raw const gate,
        &raw mut done
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clSetUserEventStatus(gate, -5)), 0);
    assert_eq!(
        cl!(clWaitForEvents(1, &raw const done)),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    );
    assert!(query!(clGetEventInfo(done; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32) < 0);
    assert_eq!(
        query!(clGetEventInfo(gate; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32),
        -5
    );
    assert_eq!(s.read(b, 16), [1; 16], "the command did not run");
    for e in [gate, done] {
        assert_eq!(cl!(clReleaseEvent(e)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

static SEEN: [AtomicI32; 3] = [const { AtomicI32::new(99) }; 3];

unsafe extern "C" fn reached(event: cl_event, status: i32, data: *mut c_void) {
    assert!(!event.is_null());
    SEEN[data.addr()].store(status, Ordering::SeqCst);
}

#[test]
fn callbacks() {
    let s = Setup::new();
    let b = s.buffer(&[0; 16]);
    let mut e = null_mut();
    let code = cl!(clEnqueueFillBuffer(
        s.queue,
        b,
        [9u8].as_ptr().cast(),
        1,
        0,
        16,
        0,
        null(),
        &raw mut e
    ));
    assert_eq!(code, 0);
    for (i, status) in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE].into_iter().enumerate() {
        let data = std::ptr::without_provenance_mut(i);
        assert_eq!(cl!(clSetEventCallback(e, status, Some(reached), data)), 0);
    }
    // INVALID_VALUE if pfn_event_notify is NULL or if the type is not one of the three
    assert_eq!(
        cl!(clSetEventCallback(e, CL_COMPLETE, None, null_mut())),
        CL_INVALID_VALUE
    );
    for bad in [CL_QUEUED, -1, 17] {
        assert_eq!(
            cl!(clSetEventCallback(e, bad, Some(reached), null_mut())),
            CL_INVALID_VALUE
        );
    }
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseEvent(e)), 0);
    let all = || SEEN.iter().map(|x| x.load(Ordering::SeqCst)).collect::<Vec<_>>();
    for _ in 0..300 {
        if all() == [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
            assert_eq!(cl!(clReleaseMemObject(b)), 0);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{:?}", all());
}

#[test]
fn profiling() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let b = s.buffer(&[0; 4096]);
    let mut last_end = 0;
    for _ in 0..3 {
        let mut e = null_mut();
        let code = cl!(clEnqueueFillBuffer(
            s.queue,
            b,
            [9u8].as_ptr().cast(),
            1,
            0,
            4096,
            0,
            null(),
            &raw mut e
        ));
        assert_eq!(code, 0);
        assert_eq!(cl!(clWaitForEvents(1, &raw const e)), 0);
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(|p| query!(clGetEventProfilingInfo(e; p) as u64));
        assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
        assert!(times[2] >= last_end, "{times:?} after {last_end}");
        last_end = times[3];
        assert_eq!(
            cl!(clGetEventProfilingInfo(e, 0x9999, 0, null_mut(), null_mut())),
            CL_INVALID_VALUE
        );
        assert_eq!(cl!(clReleaseEvent(e)), 0);
    }
    // PROFILING_INFO_NOT_AVAILABLE if the queue has no CL_QUEUE_PROFILING_ENABLE
    let plain = Setup::new();
    let mut e = null_mut();
    assert_eq!(
        cl!(clEnqueueMarkerWithWaitList(plain.queue, 0, null(), &raw mut e)),
        0
    );
    assert_eq!(cl!(clWaitForEvents(1, &raw const e)), 0);
    let code = cl!(clGetEventProfilingInfo(
        e,
        CL_PROFILING_COMMAND_END,
        0,
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(cl!(clReleaseEvent(e)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn wait_for_events_of_two_contexts_is_refused() {
    let (a, b) = (Setup::new(), Setup::new());
    let events = [
        created!(clCreateUserEvent(a.context)).0,
        created!(clCreateUserEvent(b.context)).0,
    ];
    assert_eq!(cl!(clWaitForEvents(2, events.as_ptr())), CL_INVALID_CONTEXT);
    for e in events {
        assert_eq!(cl!(clReleaseEvent(e)), 0);
    }
}
