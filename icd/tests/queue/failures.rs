//! **Invariants:** after a call or an event has reported an error, the failed command does not touch the application's
//! memory any more. The failure of a command after its enqueue call is reported: by its event and by waits for it, or,
//! if it has no event, by the next clFinish or blocking call of its queue; and always by the notify function of the
//! context.
//!
//! The tests run in child processes in which all allocations of device memory fail from the Nth on, for several N.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, SET, Words, argument, buffer, child, child_with, debug_with, fill, kernel, launch, role, soon,
    status, text,
};
use crate::{cl, created};

unsafe extern "C" {
    fn mmap(at: *mut c_void, size: usize, prot: c_int, flags: c_int, file: c_int, offset: i64)
    -> *mut c_void;
    fn mprotect(at: *mut c_void, size: usize, prot: c_int) -> c_int;
}

/// Pages of the application whose access rights can be removed. An access after that ends the process.
struct Pages {
    at: *mut c_void,
    size: usize,
}

impl Pages {
    fn new(size: usize) -> Pages {
        // SAFETY: the call maps new anonymous private memory, readable and writable.
        let at = unsafe { mmap(null_mut(), size, 3, 0x22, -1, 0) };
        assert_ne!(at.addr(), usize::MAX, "mmap");
        Pages { at, size }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `new` has mapped the pages, and their rights are not removed while the slice is in use.
        unsafe { std::slice::from_raw_parts_mut(self.at.cast(), self.size) }
    }

    fn take_away(&self) {
        // SAFETY: the pages belong to `self`, and this program does not use them from here on.
        assert_eq!(unsafe { mprotect(self.at, self.size, 0) }, 0);
    }
}

/// A transfer of 64 MiB is copied in chunks, and memory for a later chunk is not available. Either the result is
/// right, or the call fails and does not touch the application's memory any more once it has returned.
#[test]
fn a_failed_transfer_leaves_the_memory_alone() {
    const SIZE: usize = 64 << 20;
    if let Some(role) = role() {
        let s = Setup::new();
        let target = buffer(&s, 0, SIZE / 4, null_mut());
        fill(&s, target, SIZE / 4, 0x0707_0707);
        let mut pages = Pages::new(SIZE);
        pages.bytes().fill(if role == "read" { 0 } else { 7 });
        let (q, at, none) = (s.queue, pages.at, null_mut());
        let code = match &*role {
            "read" => cl!(clEnqueueReadBuffer(q, target, 1, 0, SIZE, at, 0, null(), none)),
            _ => cl!(clEnqueueWriteBuffer(q, target, 1, 0, SIZE, at, 0, null(), none)),
        };
        if code == 0 {
            assert!(pages.bytes().iter().all(|b| *b == 7), "no error and no data");
        } else {
            pages.take_away();
        }
        // The result of clFinish does not matter here. No command may run after it.
        let _ = cl!(clFinish(q));
        std::thread::sleep(Duration::from_millis(50));
        cl!(clReleaseMemObject(target));
        return;
    }
    for role in ["read", "write"] {
        for n in 3..=6 {
            let flags = debug_with(&format!("discrete,no-memory-from={n}"));
            let out = child(
                "failures::a_failed_transfer_leaves_the_memory_alone",
                role,
                &flags,
            );
            assert!(out.status.success(), "{role} with {flags}: {}", text(&out));
        }
    }
}

static TOLD: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn notify(why: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the implementation passes a string (CL 4.4).
    let why = unsafe { CStr::from_ptr(why) };
    assert!(!why.is_empty());
    TOLD.fetch_add(1, Ordering::SeqCst);
}

/// A write that waits for a user event needs staging memory when it is recorded, and cannot get it.
#[test]
fn a_command_that_fails_in_its_turn_is_heard_of() {
    if let Some(role) = role() {
        return fail_in_turn(&role);
    }
    for role in ["finish", "event", "read"] {
        let mut scenes = 0;
        for n in 1..=4 {
            let flags = debug_with(&format!("no-memory-from={n}"));
            let name = "failures::a_command_that_fails_in_its_turn_is_heard_of";
            let out = child(name, role, &flags);
            let text = text(&out);
            assert!(out.status.success(), "{role} with {flags}: {text}");
            scenes += u32::from(text.contains(SCENE));
        }
        assert!(scenes > 0, "{role}: the buffer itself could never be had");
    }
}

/// The line that a child prints once the situation to be tested has occurred.
const SCENE: &str = "the command is enqueued";

fn fail_in_turn(role: &str) {
    const COUNT: usize = 3 << 18;
    let s = Setup::with_notify(notify);
    let q = s.queue;
    let (target, code) = created!(clCreateBuffer(s.context, 0, 4 * COUNT, null_mut()));
    if code != 0 {
        return;
    }
    let (zero, none) = (0u32, null_mut());
    let (at, size) = ((&raw const zero).cast(), 4 * COUNT);
    let code = cl!(clEnqueueFillBuffer(q, target, at, 4, 0, size, 0, null(), none));
    if code != 0 || cl!(clFinish(q)) != 0 {
        return;
    }
    let words = Words::new(COUNT);
    words.fill(7);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let (at, list) = (words.ptr(), &raw const gate);
    let mut event = null_mut();
    let e = if role == "event" {
        &raw mut event
    } else {
        null_mut()
    };
    let enqueued = cl!(clEnqueueWriteBuffer(q, target, 0, 0, size, at, 1, list, e));
    if enqueued != 0 {
        // The enqueue call itself has reported the error.
        return;
    }
    let mut out = std::io::stdout();
    assert!(writeln!(out, "{SCENE}").is_ok());
    assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
    let to = Words::new(COUNT);
    let read = || {
        cl!(clEnqueueReadBuffer(
            q,
            target,
            1,
            0,
            size,
            to.ptr(),
            0,
            null(),
            null_mut()
        ))
    };
    let code = match role {
        "event" => cl!(clWaitForEvents(1, &raw const event)),
        "finish" => cl!(clFinish(q)),
        "read" => read(),
        other => panic!("no role: {other}"),
    };
    if role == "event" {
        let status = status(event);
        assert_eq!(status < 0, code != 0, "wait {code}, status {status}");
    }
    if code == 0 {
        // Either the write was done, or this read must fail.
        if role != "read" && read() != 0 {
            return;
        }
        let right = to.get().iter().all(|w| *w == 7);
        assert!(right, "{role}: CL_SUCCESS, and the write was not done");
    } else if role != "read" || cl!(clFinish(q)) != 0 {
        // (If the read itself had no memory, it has returned its own error, and the queue has no error.)
        let told = soon(Duration::from_secs(5), || TOLD.load(Ordering::SeqCst) > 0);
        assert!(
            told,
            "{role}: {code}, and the context's notify function was not called"
        );
    }
}

/// A submission fails that no thread waits for: it loses the device.
#[test]
fn a_submission_that_fails_is_heard_of() {
    if role().is_some() {
        let s = Setup::with_notify(notify);
        let target = buffer(&s, 0, 64, null_mut());
        let set = kernel(&s, SET, "set");
        argument(set, 0, &target);
        argument(set, 2, &0u32);
        let mut codes = Vec::new();
        for value in 0..20u32 {
            argument(set, 1, &value);
            let (q, size, none) = (s.queue, 1usize, null());
            let size = &raw const size;
            let code = cl!(clEnqueueNDRangeKernel(
                q,
                set,
                1,
                none,
                size,
                none,
                0,
                null(),
                null_mut()
            ));
            codes.push([code, cl!(clFlush(q))]);
        }
        let finished = cl!(clFinish(s.queue));
        assert_ne!(finished, 0, "clFinish, after {codes:?}");
        let told = soon(Duration::from_secs(5), || TOLD.load(Ordering::SeqCst) > 0);
        assert!(told, "the context's notify function was not called");
        return;
    }
    for n in [2, 5] {
        let flags = debug_with(&format!("no-batch,lose-device={n}"));
        let out = child("failures::a_submission_that_fails_is_heard_of", "lose", &flags);
        assert!(out.status.success(), "{flags}: {}", text(&out));
    }
}

/// The device stops, and the driver reports that only to those who submit something. Nothing waits for ever: clFinish, a
/// blocking read, and a thread that asks for the status of an event get an error, and a callback is called.
#[test]
fn a_device_that_stops_is_heard_of() {
    static CALLED: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn called(_: cl_event, status: i32, _: *mut c_void) {
        assert!(status < 0, "{status}");
        CALLED.fetch_add(1, Ordering::SeqCst);
    }
    if let Some(role) = role() {
        let s = Setup::new();
        let target = buffer(&s, 0, 64, null_mut());
        let set = kernel(&s, SET, "set");
        argument(set, 0, &target);
        argument(set, 1, &1u32);
        argument(set, 2, &0u32);
        let event = launch(s.queue, set, 64, After::NOTHING);
        match role.as_str() {
            "finish" => assert_ne!(cl!(clFinish(s.queue)), 0),
            "read" => {
                let mut word = 0u32;
                let at = (&raw mut word).cast();
                let code = cl!(clEnqueueReadBuffer(
                    s.queue,
                    target,
                    1,
                    0,
                    4,
                    at,
                    0,
                    null(),
                    null_mut()
                ));
                assert_ne!(code, 0);
            }
            "status" => {
                assert_eq!(cl!(clFlush(s.queue)), 0);
                let ends = soon(Duration::from_secs(20), || status(event) < 0);
                assert!(ends, "the status stays {}", status(event));
            }
            _ => {
                let code = cl!(clSetEventCallback(event, 0, Some(called), null_mut()));
                assert_eq!(code, 0);
                assert_eq!(cl!(clFlush(s.queue)), 0);
                let told = soon(Duration::from_secs(20), || CALLED.load(Ordering::SeqCst) > 0);
                assert!(told, "the callback was not called");
            }
        }
        assert!(status(event) < 0, "{}", status(event));
        return;
    }
    for role in ["finish", "read", "status", "callback"] {
        let flags = debug_with("stop-device=1");
        let variables = [("CALDERA_DEBUG", flags.as_str()), ("CALDERA_LOG", "error")];
        let out = child_with("failures::a_device_that_stops_is_heard_of", role, &variables);
        assert!(out.status.success(), "{role}: {}", text(&out));
        // The log names the kernel.
        let names = "kernels in flight when the device was lost: set";
        assert!(
            text(&out).lines().any(|l| l.ends_with(names)),
            "{role}: {}",
            text(&out)
        );
    }
}

/// One queue has a read in chunks, of which one submission fails. A command of another queue waits for the read. Both
/// commands must fail, or both must succeed.
#[test]
fn what_waits_for_a_failed_read_fails_with_it() {
    const SIZE: usize = 16 << 20;
    if role().is_some() {
        let s = Setup::new();
        let (source, target) = (buffer(&s, 0, SIZE / 4, null_mut()), buffer(&s, 0, 1, null_mut()));
        fill(&s, source, SIZE / 4, 7);
        let (other, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
        assert_eq!(code, 0);
        let words = Words::new(SIZE / 4);
        let (mut read, mut set) = (null_mut(), null_mut());
        let (q, at, event) = (s.queue, words.ptr(), &raw mut read);
        let code = cl!(clEnqueueReadBuffer(q, source, 0, 0, SIZE, at, 0, null(), event));
        if code != 0 {
            return;
        }
        let value = 1u32;
        let (pattern, list, event) = ((&raw const value).cast(), &raw const read, &raw mut set);
        let code = cl!(clEnqueueFillBuffer(
            other, target, pattern, 4, 0, 4, 1, list, event
        ));
        if code != 0 {
            return;
        }
        let codes = [cl!(clFinish(s.queue)), cl!(clFinish(other))];
        let (read, set) = (status(read), status(set));
        assert!(read <= 0 && set <= 0, "final: {read}, {set}, {codes:?}");
        assert!(
            set < 0 || read == 0,
            "the read failed with {read}, what waits for it did not, {codes:?}"
        );
        assert!(read == 0 || codes[0] != 0, "clFinish says nothing of {read}");
        if read < 0 {
            assert!(writeln!(std::io::stdout(), "{SCENE}").is_ok());
        } else {
            let right = words.get().iter().all(|w| *w == 7);
            assert!(right, "a complete read has brought something else");
        }
        return;
    }
    // The first submission belongs to the preparation of the test.
    let mut scenes = 0;
    for n in 2..=9 {
        let flags = debug_with(&format!("discrete,fail-submission={n}"));
        let out = child(
            "failures::what_waits_for_a_failed_read_fails_with_it",
            "chunks",
            &flags,
        );
        let text = text(&out);
        assert!(out.status.success(), "{flags}: {text}");
        scenes += u32::from(text.contains(SCENE));
    }
    assert!(scenes > 0, "no read failed after its enqueue call");
}
