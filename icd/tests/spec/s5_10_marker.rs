//! CL 5.10, and the calls of OpenCL 1.0 that it replaced.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

/// Markers and barriers in an idle queue, and after a command that is deferred, because it waits for a user event.
#[test]
fn markers_and_barriers() {
    for deferred in [false, true] {
        let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
        let b = s.buffer(&[0; 64]);
        let (gate, code) = created!(clCreateUserEvent(s.context));
        assert_eq!(code, 0);
        let mut fill = null_mut();
        let code = cl!(clEnqueueFillBuffer(
            s.queue,
            b,
            [9u8].as_ptr().cast(),
            1,
            0,
            64,
            u32::from(deferred),
            if deferred { &raw const gate } else { null() },
            &raw mut fill
        ));
        assert_eq!(code, 0);
        let mut e = [null_mut(); 3];
        let first = &raw mut e[0];
        assert_eq!(
            cl!(clEnqueueMarkerWithWaitList(s.queue, 1, &raw const fill, first)),
            0
        );
        let second = &raw mut e[1];
        assert_eq!(cl!(clEnqueueBarrierWithWaitList(s.queue, 0, null(), second)), 0);
        assert_eq!(cl!(clEnqueueMarker(s.queue, &raw mut e[2])), 0);
        assert_eq!(cl!(clEnqueueBarrier(s.queue)), 0);
        assert_eq!(cl!(clEnqueueWaitForEvents(s.queue, 1, &raw const fill)), 0);
        if deferred {
            for e in e {
                let status = query!(clGetEventInfo(e; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32);
                assert_ne!(status, CL_COMPLETE, "before what it waits for");
            }
        }
        assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
        assert_eq!(cl!(clWaitForEvents(3, e.as_ptr())), 0);
        for (event, command) in e
            .into_iter()
            .zip([CL_COMMAND_MARKER, CL_COMMAND_BARRIER, CL_COMMAND_MARKER])
        {
            assert_eq!(
                query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32),
                command
            );
            let end = |e| query!(clGetEventProfilingInfo(e; CL_PROFILING_COMMAND_END) as u64);
            assert!(end(event) >= end(fill), "deferred {deferred}");
        }
        for e in e.into_iter().chain([fill, gate]) {
            assert_eq!(cl!(clReleaseEvent(e)), 0);
        }
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}

#[test]
fn errors() {
    let s = Setup::new();
    // CL 1.1: INVALID_VALUE if event is NULL; if num_events is zero or event_list is NULL
    assert_eq!(cl!(clEnqueueMarker(s.queue, null_mut())), CL_INVALID_VALUE);
    assert_eq!(cl!(clEnqueueWaitForEvents(s.queue, 0, null())), CL_INVALID_VALUE);
    assert_eq!(cl!(clEnqueueWaitForEvents(s.queue, 1, null())), CL_INVALID_VALUE);
    let nothing: cl_event = null_mut();
    assert_eq!(
        cl!(clEnqueueWaitForEvents(s.queue, 1, &raw const nothing)),
        CL_INVALID_EVENT
    );
    assert_eq!(
        cl!(clEnqueueBarrierWithWaitList(
            s.queue,
            1,
            &raw const nothing,
            null_mut()
        )),
        CL_INVALID_EVENT_WAIT_LIST
    );
}
