//! Loops with more iterations than llvmpipe executes (compiler ADR 7): the result is right, or the launch fails. It is
//! never wrong without an error.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::common::objects::Setup;
use crate::common::{cl_command_queue, cl_event, cl_kernel, cl_mem, cl_program};
use crate::{cl, created, query, query_text};

const SOURCE: &str = "
uint next(uint x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }

// The end depends on data.
kernel void sequence(uint n, uint last, global uint *out) {
  uint steps = 0, x = 1;
  while (x != last) { x = next(x); steps++; }
  out[get_global_id(0)] = steps;
}
// Euclid's algorithm with subtractions; the work-items that have nothing to do have left.
kernel void euclid(uint n, uint last, global uint *out) {
  uint i = get_global_id(0);
  if (i % 2) { out[i] = n; return; }
  uint a = n + 1, b = 1, steps = 0;
  while (a != b) { if (a > b) a -= b; else b -= a; steps++; }
  out[i] = steps;
}
kernel void nested(uint n, uint last, global uint *out) {
  uint x = 1, steps = 0;
  for (uint y = 0; y < n / 100; y++)
    for (uint k = 0; k < 100; k++) { x = next(x); steps++; }
  out[get_global_id(0)] = x == last ? steps : 0;
}
// The work-items return inside of the loop.
kernel void returns(uint n, uint last, global uint *out) {
  uint steps = 0, x = 1;
  for (;;) {
    if (x == last) { out[get_global_id(0)] = steps; return; }
    x = next(x); steps++;
  }
}
// After the long loop is another one, and a condition that is wrong then.
kernel void several(uint n, uint last, global uint *out) {
  uint steps = 0, x = 1, more = 0;
  while (x != last) { x = next(x); steps++; }
  for (uint k = 0; k < (last & 63) + 3; k++) more += k;
  if (x == last) out[get_global_id(0)] = steps;
  else out[get_global_id(0)] = more;
}
kernel void meets(uint n, uint last, global uint *out, local uint *place) {
  uint i = get_local_id(0), size = get_local_size(0), x = 0;
  for (uint k = 0; k < n; k++) {
    place[i] = x + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = place[(i + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = x;
}";

/// Returns element `n` of the kernels' sequence.
fn element(n: u32) -> u32 {
    (0..n).fold(1, |mut x: u32, _| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^ x << 5
    })
}

/// The result of a launch whose work-items all store the number of iterations.
#[derive(PartialEq, Debug)]
enum End {
    Right,
    Error,
}

/// Sets the arguments that all kernels have.
fn set_arguments(kernel: cl_kernel, (n, last): (u32, u32), buffer: cl_mem) {
    let (number, object) = (size_of::<u32>(), size_of::<cl_mem>());
    assert_eq!(cl!(clSetKernelArg(kernel, 0, number, (&raw const n).cast())), 0);
    assert_eq!(
        cl!(clSetKernelArg(kernel, 1, number, (&raw const last).cast())),
        0
    );
    assert_eq!(
        cl!(clSetKernelArg(kernel, 2, object, (&raw const buffer).cast())),
        0
    );
}

/// Launches a kernel, whose loops have `n` iterations, in a queue of its own, and reads the results.
fn launch(s: &Setup, program: cl_program, name: &str, (n, last): (u32, u32), items: usize) -> End {
    let (queue, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
    assert_eq!(code, 0);
    let kernel = s.kernel(program, name);
    let buffer = s.buffer(&vec![0; items * 4]);
    set_arguments(kernel, (n, last), buffer);
    if name == "meets" {
        assert_eq!(cl!(clSetKernelArg(kernel, 3, items * 4, null())), 0);
    }
    let mut events: [cl_event; 2] = [null_mut(); 2];
    let mut results = vec![0u32; items];
    let size = &raw const items;
    let code = cl!(clEnqueueNDRangeKernel(
        queue,
        kernel,
        1,
        null(),
        size,
        size,
        0,
        null(),
        &raw mut events[0]
    ));
    assert_eq!(code, 0, "{name}");
    let code = cl!(clEnqueueReadBuffer(
        queue,
        buffer,
        0,
        0,
        items * 4,
        results.as_mut_ptr().cast(),
        0,
        null(),
        &raw mut events[1]
    ));
    assert_eq!(code, 0, "{name}");
    let end = end_of(queue, events);
    match end {
        End::Right => assert_eq!(results, vec![n; items], "{name} with {n} iterations"),
        End::Error => assert_eq!(results, vec![0; items], "nothing is stored after an error"),
    }
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    end
}

/// Waits for a launch and a read, and releases them with their queue. Both must end in the same way.
fn end_of(queue: cl_command_queue, events: [cl_event; 2]) -> End {
    let waited = cl!(clWaitForEvents(1, &raw const events[1]));
    let finished = cl!(clFinish(queue));
    for event in events {
        let status = query!(clGetEventInfo(event; crate::common::CL_EVENT_COMMAND_EXECUTION_STATUS) as i32);
        assert_eq!(status < 0, finished != 0, "status {status}, clFinish {finished}");
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    assert_eq!(
        waited != 0,
        finished != 0,
        "clWaitForEvents {waited}, clFinish {finished}"
    );
    assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
    if finished == 0 { End::Right } else { End::Error }
}

/// Every kernel with several numbers of iterations.
#[test]
fn ended_loops_are_never_silent() {
    let s = Setup::new();
    let program = s.built(SOURCE, "");
    let device = query_text!(clGetDeviceInfo(s.device; crate::common::CL_DEVICE_NAME));
    let counts = [1000, 300_000, 500_000, 1_100_000, 5_000_000, 70_000_000];
    let counts = counts.map(|n| (n, element(n)));
    for name in ["sequence", "euclid", "nested", "returns", "several", "meets"] {
        for items in [1, 4, 64] {
            for &(n, last) in &counts {
                // Barriers take long, and so do all iterations on a device that executes them.
                let most = if name == "meets" { 300_000 } else { 5_000_000 };
                if items > 1 && n > most {
                    continue;
                }
                let end = launch(&s, program, name, (n, last), items);
                let is_short = n <= 1000 || items == 1 && n <= 500_000 && name != "meets";
                assert!(
                    !is_short || end == End::Right,
                    "{name} of {items} with {n} iterations"
                );
                // Later launches of the kernel are not affected.
                if end == End::Error {
                    assert!(device.contains("llvmpipe"), "{name} fails on {device}");
                    assert_eq!(launch(&s, program, name, counts[0], items), End::Right);
                }
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// A command of another queue that waits for the launch gets wrong data, so it fails, too.
#[test]
fn ended_loops_fail_in_other_queues() {
    let s = Setup::new();
    let program = s.built(SOURCE, "");
    let kernel = s.kernel(program, "sequence");
    let buffer = s.buffer(&[0; 4]);
    let n = 70_000_000u32;
    let last = element(n);
    set_arguments(kernel, (n, last), buffer);
    let (queue, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
    assert_eq!(code, 0);
    let mut launched: cl_event = null_mut();
    let one = 1usize;
    let size = &raw const one;
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        size,
        size,
        0,
        null(),
        &raw mut launched
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFlush(s.queue)), 0);
    let mut result = 0u32;
    let mut read: cl_event = null_mut();
    let at = (&raw mut result).cast();
    let wait = &raw const launched;
    let code = cl!(clEnqueueReadBuffer(
        queue,
        buffer,
        0,
        0,
        4,
        at,
        1,
        wait,
        &raw mut read
    ));
    // The launch may have failed before the call.
    if code == 0 {
        let ended = cl!(clWaitForEvents(1, &raw const read)) != 0;
        assert!(ended || result == n, "{result} without an error");
        assert_eq!(cl!(clReleaseEvent(read)), 0);
    }
    // Its result is that of the launch.
    let _ = cl!(clFinish(queue));
    assert_eq!(cl!(clReleaseEvent(launched)), 0);
    assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

static TOLD: Mutex<String> = Mutex::new(String::new());

unsafe extern "C" fn notify(why: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the implementation passes a string (CL 4.4).
    let why = unsafe { CStr::from_ptr(why) };
    *TOLD.lock().expect("no thread panics") += &why.to_string_lossy();
}

/// Kernels of a program report ended loops together, so that the message names all of them that were launched.
#[test]
fn the_message_names_the_kernels() {
    let s = Setup::with_notify(notify);
    let program = s.built(SOURCE, "");
    let buffer = s.buffer(&[0; 4]);
    for (name, n) in [("sequence", 1000), ("returns", 70_000_000)] {
        let kernel = s.kernel(program, name);
        set_arguments(kernel, (n, element(n)), buffer);
        crate::checker::launch(&s, kernel, 1);
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    let finished = cl!(clFinish(s.queue));
    // The function may be called after the error was returned.
    let limit = Instant::now() + Duration::from_secs(30);
    let told = loop {
        let told = TOLD.lock().expect("no thread panics").clone();
        if finished == 0 || !told.is_empty() || Instant::now() > limit {
            break told;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let named = "ended loops of one of the kernels 'returns', 'sequence' before they were complete";
    assert_eq!(told.contains(named), finished != 0, "{told}");
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
