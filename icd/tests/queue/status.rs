//! **Invariant:** once a wait has returned, its commands are complete and have their four profiling times in order, and
//! each callback is called once, while eight threads use queues of one context.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{Shared, Words, argument, soon, status};
use crate::{cl, created, query};

const THREADS: u32 = 8;
const ROUNDS: u32 = 60;
const WORDS: usize = 1 << 18;

/// Pseudo-random numbers, which are the same for each thread in every run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % end
    }
}

/// The number of callbacks that were registered, and of those that have been called.
#[derive(Default)]
struct Calls {
    registered: AtomicU32,
    called: AtomicU32,
}

unsafe extern "C" fn count(_: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: `data` is the test's `Calls`, which is never freed.
    let calls = unsafe { &*data.cast::<Calls>() };
    if status == CL_COMPLETE {
        calls.called.fetch_add(1, Ordering::SeqCst);
    }
}

/// Enqueues a command of a random type, and returns the event.
fn command(
    numbers: &mut Numbers,
    q: cl_command_queue,
    kernel: cl_kernel,
    memory: cl_mem,
    host: &Words,
) -> cl_event {
    let mut event = null_mut();
    let e = &raw mut event;
    let some = 1 + numbers.below(9000) as usize;
    let (zero, size) = (0u32, 64usize);
    let code = match numbers.below(6) {
        0 | 1 => {
            let (none, size) = (null(), &raw const size);
            cl!(clEnqueueNDRangeKernel(
                q,
                kernel,
                1,
                none,
                size,
                none,
                0,
                null(),
                e
            ))
        }
        2 => cl!(clEnqueueWriteBuffer(
            q,
            memory,
            0,
            0,
            some,
            host.ptr(),
            0,
            null(),
            e
        )),
        3 => cl!(clEnqueueReadBuffer(
            q,
            memory,
            0,
            0,
            some,
            host.ptr(),
            0,
            null(),
            e
        )),
        4 => {
            let pattern = (&raw const zero).cast();
            cl!(clEnqueueFillBuffer(q, memory, pattern, 4, 0, 4096, 0, null(), e))
        }
        _ => cl!(clEnqueueCopyBuffer(
            q,
            memory,
            memory,
            0,
            8192,
            4096,
            0,
            null(),
            e
        )),
    };
    assert_eq!(code, 0);
    event
}

fn work(s: &Setup, program: cl_program, calls: &Calls, thread: u32) {
    let out_of_order = match thread % 2 {
        0 => 0,
        _ => CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    };
    let properties = CL_QUEUE_PROFILING_ENABLE | out_of_order;
    let (q, code) = created!(clCreateCommandQueue(s.context, s.device, properties));
    assert_eq!(code, 0);
    let kernel = s.kernel(program, "add");
    let (memory, code) = created!(clCreateBuffer(s.context, 0, 4 * WORDS, null_mut()));
    assert_eq!(code, 0);
    argument(kernel, 0, &memory);
    let host = Words::new(WORDS);
    let mut numbers = Numbers(thread * 77 + 5);
    for round in 0..ROUNDS {
        let events: Vec<cl_event> = (0..1 + numbers.below(4))
            .map(|_| {
                let event = command(&mut numbers, q, kernel, memory, &host);
                if numbers.below(8) == 0 {
                    let data = std::ptr::from_ref(calls).cast_mut().cast();
                    calls.registered.fetch_add(1, Ordering::SeqCst);
                    assert_eq!(cl!(clSetEventCallback(event, CL_COMPLETE, Some(count), data)), 0);
                }
                event
            })
            .collect();
        if numbers.below(2) == 0 {
            assert_eq!(cl!(clFlush(q)), 0);
        }
        match numbers.below(3) {
            0 => assert_eq!(cl!(clFinish(q)), 0),
            1 => assert_eq!(cl!(clWaitForEvents(events.len() as u32, events.as_ptr())), 0),
            _ => {
                let mut bytes = [0u8; 4];
                let to = bytes.as_mut_ptr().cast();
                assert_eq!(cl!(clEnqueueBarrierWithWaitList(q, 0, null(), null_mut())), 0);
                let code = cl!(clEnqueueReadBuffer(q, memory, 1, 0, 4, to, 0, null(), null_mut()));
                assert_eq!(code, 0);
            }
        }
        for event in events {
            assert_eq!(status(event), CL_COMPLETE, "thread {thread}, round {round}");
            let times = [
                CL_PROFILING_COMMAND_QUEUED,
                CL_PROFILING_COMMAND_SUBMIT,
                CL_PROFILING_COMMAND_START,
                CL_PROFILING_COMMAND_END,
            ]
            .map(|which| query!(clGetEventProfilingInfo(event; which) as u64));
            assert!(times.is_sorted(), "thread {thread}, round {round}: {times:?}");
            assert_eq!(cl!(clReleaseEvent(event)), 0);
        }
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseMemObject(memory)), 0);
    assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
}

#[test]
fn what_was_waited_for_is_complete_and_has_its_times() {
    let s = Shared(Setup::new());
    let program = Shared(s.0.built(
        "kernel void add(global uint *a) { a[get_global_id(0)] += 1; }",
        "",
    ));
    // It is never freed, so that a callback that is called late can still use it.
    let calls: &Calls = Box::leak(Box::default());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (s, program) = (&s, &program);
            scope.spawn(move || work(&s.0, program.0, calls, thread));
        }
    });
    let registered = calls.registered.load(Ordering::SeqCst);
    assert!(registered > 0);
    let all = soon(Duration::from_secs(20), || {
        calls.called.load(Ordering::SeqCst) >= registered
    });
    let called = calls.called.load(Ordering::SeqCst);
    assert!(
        all && called == registered,
        "{called} of {registered} callbacks were called"
    );
    assert_eq!(cl!(clReleaseProgram(program.0)), 0);
}
