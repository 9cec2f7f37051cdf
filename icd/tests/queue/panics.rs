//! **Invariants:** after a panic inside a call, which is a bug of Caldera, the call returns
//! CL_OUT_OF_RESOURCES, and nothing that the panic left half changed is used: every later call returns
//! CL_OUT_OF_RESOURCES, handles can be released, and waits in other threads also return an error.
//!
//! The tests run in child processes in which the Nth submission panics, while the locks of its queue are held.

use std::io::Write;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::support::{Words, argument, buffer, child, debug_with, kernel, queue, role, text};
use crate::{cl, created};

/// The line that a child prints if the panic occurs in the call that is under test.
const SCENE: &str = "the submission panicked";

/// The error code CL_OUT_OF_RESOURCES.
const FAILED: i32 = -5;

#[test]
fn nothing_is_used_after_a_panic() {
    if role().is_some() {
        return panic_in_a_submission();
    }
    let mut scenes = 0;
    for n in 1..=6 {
        let flags = debug_with(&format!("panic-in-submission={n}"));
        let out = child("panics::nothing_is_used_after_a_panic", "child", &flags);
        let text = text(&out);
        assert!(out.status.success(), "{flags}: {text}");
        scenes += u32::from(text.contains(SCENE));
    }
    assert!(scenes > 0, "no submission of the test panicked");
}

/// Writes a buffer twice on one queue, while a thread waits for an event that nothing sets. Ends the test early if
/// the panic occurs in the preparation.
fn panic_in_a_submission() {
    let s = Setup::new();
    let other = queue(&s, 0);
    let target = buffer(&s, 0, 64, null_mut());
    let set = kernel(
        &s,
        "kernel void set(global uint *to) { to[get_global_id(0)] = 7; }",
        "set",
    );
    argument(set, 0, &target);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    if code != 0 {
        return;
    }
    let words = Words::new(64);
    words.fill(1);
    std::thread::scope(|threads| {
        let gate = gate.addr();
        threads.spawn(move || {
            let gate = std::ptr::without_provenance_mut(gate);
            let code = cl!(clWaitForEvents(1, &raw const gate));
            assert!(code < 0, "the event is never set, and the wait returned {code}");
        });
        let write = || {
            let (q, size) = (s.queue, 64usize);
            let (none, range) = (null(), &raw const size);
            let code = cl!(clEnqueueNDRangeKernel(
                q,
                set,
                1,
                none,
                range,
                none,
                0,
                null(),
                null_mut()
            ));
            if code == 0 { cl!(clFinish(q)) } else { code }
        };
        let codes = [write(), write()];
        if !codes.contains(&FAILED) {
            // The panic did not occur in these calls, so the event is set: the waiting thread must end.
            let gate = std::ptr::without_provenance_mut(gate);
            let _ = cl!(clSetUserEventStatus(gate, -1));
            return;
        }
        assert!(writeln!(std::io::stdout(), "{SCENE}").is_ok());
        for q in [s.queue, other] {
            let (to, none) = (words.ptr(), null_mut());
            assert_eq!(
                cl!(clEnqueueReadBuffer(q, target, 1, 0, 256, to, 0, null(), none)),
                FAILED
            );
            assert_eq!(cl!(clFinish(q)), FAILED);
        }
        assert!(
            words.get().iter().all(|w| *w == 1),
            "a call that failed has stored something"
        );
        assert_eq!(created!(clCreateBuffer(s.context, 0, 4, null_mut())).1, FAILED);
        let (none, code) = created!(clLinkProgram(
            s.context,
            0,
            null(),
            null(),
            0,
            null(),
            None,
            null_mut()
        ));
        assert_eq!((none.is_null(), code), (true, FAILED));
        assert_eq!(cl!(clReleaseMemObject(target)), 0);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
    });
}
