//! Callbacks, native kernels and builds do not wait for each other, because each type of job has its own threads.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

/// The time for which one side waits for the other.
const PATIENCE: Duration = Duration::from_secs(20);

/// A meeting of two sides. Each announces its arrival and waits for the other.
struct Meeting {
    here: [AtomicBool; 2],
    met: [AtomicBool; 2],
}

/// The meeting of each test, by number.
static MEETINGS: [Meeting; 5] = [const {
    Meeting {
        here: [const { AtomicBool::new(false) }; 2],
        met: [const { AtomicBool::new(false) }; 2],
    }
}; 5];

fn until(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Returns one side of a meeting as user data for the C interface.
fn side(meeting: usize, side: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(2 * meeting + side)
}

fn arrive(at: usize) {
    let (meeting, side) = (&MEETINGS[at / 2], at % 2);
    meeting.here[side].store(true, Ordering::SeqCst);
    let met = until(|| meeting.here[1 - side].load(Ordering::SeqCst));
    meeting.met[side].store(met, Ordering::SeqCst);
}

fn have_met(meeting: usize) -> bool {
    let met = |side: usize| MEETINGS[meeting].met[side].load(Ordering::SeqCst);
    until(|| met(0)) && until(|| met(1))
}

unsafe extern "C" fn native(args: *mut c_void) {
    // SAFETY: the tests pass the address of a number.
    arrive(unsafe { *args.cast::<usize>() });
}

unsafe extern "C" fn reached(_: cl_event, _: i32, data: *mut c_void) {
    arrive(data.addr());
}

unsafe extern "C" fn built(_: cl_program, data: *mut c_void) {
    arrive(data.addr());
}

/// Enqueues a native kernel that arrives at a meeting.
fn enqueue_native(queue: cl_command_queue, at: *mut c_void) {
    let mut number = at.addr();
    let code = cl!(clEnqueueNativeKernel(
        queue,
        Some(native),
        (&raw mut number).cast(),
        size_of::<usize>(),
        0,
        null(),
        null_mut(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFlush(queue)), 0);
}

/// Enqueues a command whose callback arrives at a meeting.
fn enqueue_callback(s: &Setup, queue: cl_command_queue, at: *mut c_void) {
    let b = s.buffer(&[0; 64]);
    let mut e = null_mut();
    let pattern = [1u8];
    let code = cl!(clEnqueueFillBuffer(
        queue,
        b,
        pattern.as_ptr().cast(),
        1,
        0,
        64,
        0,
        null(),
        &raw mut e
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clSetEventCallback(e, CL_COMPLETE, Some(reached), at)), 0);
    assert_eq!(cl!(clFlush(queue)), 0);
    assert_eq!(cl!(clReleaseEvent(e)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

fn other_queue(s: &Setup) -> cl_command_queue {
    let (queue, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
    assert_eq!(code, 0);
    queue
}

/// Waits for both queues.
fn end(s: &Setup, other: cl_command_queue) {
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clFinish(other)), 0);
    assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
}

#[test]
fn a_native_kernel_waits_for_a_callback() {
    let s = Setup::new();
    let other = other_queue(&s);
    enqueue_native(s.queue, side(0, 0));
    assert!(until(|| MEETINGS[0].here[0].load(Ordering::SeqCst)));
    enqueue_callback(&s, other, side(0, 1));
    assert!(have_met(0));
    end(&s, other);
}

#[test]
fn a_callback_waits_for_a_native_kernel() {
    let s = Setup::new();
    let other = other_queue(&s);
    enqueue_callback(&s, s.queue, side(1, 0));
    assert!(until(|| MEETINGS[1].here[0].load(Ordering::SeqCst)));
    enqueue_native(other, side(1, 1));
    assert!(have_met(1));
    end(&s, other);
}

#[test]
fn native_kernels_of_two_queues_meet() {
    let s = Setup::new();
    let other = other_queue(&s);
    enqueue_native(s.queue, side(2, 0));
    enqueue_native(other, side(2, 1));
    assert!(have_met(2));
    end(&s, other);
}

const SOURCE: &str = "kernel void k(global int *p) { p[get_global_id(0)] = INDEPENDENT; }";

#[test]
fn a_native_kernel_waits_for_a_build() {
    let s = Setup::new();
    let other = other_queue(&s);
    enqueue_native(s.queue, side(3, 0));
    assert!(until(|| MEETINGS[3].here[0].load(Ordering::SeqCst)));
    let p = s.program(SOURCE);
    let options = c"-DINDEPENDENT=3";
    let code = cl!(clBuildProgram(
        p,
        0,
        null(),
        options.as_ptr(),
        Some(built),
        side(3, 1)
    ));
    assert_eq!(code, 0);
    assert!(have_met(3));
    end(&s, other);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// This holds for the build itself. Its notification is a callback too, and comes after the callback that is running.
#[test]
fn a_build_goes_on_while_a_callback_runs() {
    let s = Setup::new();
    let other = other_queue(&s);
    enqueue_callback(&s, s.queue, side(4, 0));
    assert!(until(|| MEETINGS[4].here[0].load(Ordering::SeqCst)));
    let p = s.program(SOURCE);
    let options = c"-DINDEPENDENT=4";
    let code = cl!(clBuildProgram(
        p,
        0,
        null(),
        options.as_ptr(),
        Some(built),
        side(4, 1)
    ));
    assert_eq!(code, 0);
    let status = || query!(clGetProgramBuildInfo(p, s.device; CL_PROGRAM_BUILD_STATUS) as i32);
    assert!(until(|| status() == CL_BUILD_SUCCESS));
    assert!(
        !MEETINGS[4].here[1].load(Ordering::SeqCst),
        "callbacks run one after the other"
    );
    MEETINGS[4].here[1].store(true, Ordering::SeqCst);
    assert!(have_met(4));
    end(&s, other);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
