//! Calls that several of these tests make, memory for commands, and child processes with another environment.

use std::ffi::c_void;
use std::process::{Command, Output};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

/// The variable that tells a child process its role in the test.
const ROLE: &str = "CALDERA_TEST_ROLE";

/// A kernel that stores `value` into each word after `work` times 30,000 steps of arithmetic. (Mesa's llvmpipe ends the
/// loops of an invocation after a number of iterations, so a longer launch needs more work-items there.)
pub(crate) const SET: &str = "kernel void set(global uint *a, uint value, uint work) {\n\
      uint s = value;\n\
      for (uint j = 0; j < work; j++)\n\
        for (uint i = 0; i < 30000u; i++) s = s * 1664525u + 1013904223u;\n\
      a[get_global_id(0)] = s == 1u && work > 0 ? 0u : value;\n\
    }\n";

/// Handles and addresses that threads may share, because the API is thread-safe.
#[derive(Copy, Clone)]
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: OpenCL objects may be used from any thread, and events order the accesses of commands to memory.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as for `Send`.
unsafe impl<T> Sync for Shared<T> {}

/// Host memory of a number of words that commands read and write through a pointer. It is zero at first.
pub(crate) struct Words {
    at: *mut u32,
    count: usize,
}

// SAFETY: the waits of the test order the accesses of its threads and commands.
unsafe impl Send for Words {}
// SAFETY: as for `Send`.
unsafe impl Sync for Words {}

impl Words {
    pub(crate) fn new(count: usize) -> Words {
        let at = Box::into_raw(vec![0u32; count].into_boxed_slice()).cast();
        Words { at, count }
    }

    pub(crate) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Returns the words. No command may use them at this time.
    pub(crate) fn get(&self) -> &[u32] {
        // SAFETY: the pointer is that of a box of `count` words that `self` owns.
        unsafe { std::slice::from_raw_parts(self.at, self.count) }
    }

    /// Stores a value into each word. No command may use them at this time.
    pub(crate) fn fill(&self, value: u32) {
        // SAFETY: as in `get`, and no other thread accesses the words during this call.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.count) }.fill(value);
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let all = std::ptr::slice_from_raw_parts_mut(self.at, self.count);
        // SAFETY: the pointer comes from `Box::into_raw` and is freed only here.
        drop(unsafe { Box::from_raw(all) });
    }
}

/// Creates a buffer of `count` words.
pub(crate) fn buffer(s: &Setup, flags: cl_mem_flags, count: usize, host: *mut c_void) -> cl_mem {
    let (buffer, code) = created!(clCreateBuffer(s.context, flags, 4 * count, host));
    assert_eq!(code, 0, "clCreateBuffer");
    buffer
}

/// Creates another queue of the context.
pub(crate) fn queue(s: &Setup, properties: cl_command_queue_properties) -> cl_command_queue {
    let (queue, code) = created!(clCreateCommandQueue(s.context, s.device, properties));
    assert_eq!(code, 0, "clCreateCommandQueue");
    queue
}

/// Builds a program and returns its kernel. The program is released.
pub(crate) fn kernel(s: &Setup, source: &str, name: &str) -> cl_kernel {
    let program = s.built(source, "");
    let kernel = s.kernel(program, name);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    kernel
}

/// Sets an argument of a kernel to a value.
pub(crate) fn argument<T>(kernel: cl_kernel, index: u32, value: &T) {
    let at = std::ptr::from_ref(value).cast();
    assert_eq!(cl!(clSetKernelArg(kernel, index, size_of::<T>(), at)), 0);
}

/// The wait list of a command.
#[derive(Copy, Clone)]
pub(crate) struct After<'a>(pub(crate) &'a [cl_event]);

impl After<'_> {
    pub(crate) const NOTHING: After<'static> = After(&[]);

    pub(crate) fn count(self) -> u32 {
        self.0.len() as u32
    }

    pub(crate) fn ptr(self) -> *const cl_event {
        if self.0.is_empty() {
            null()
        } else {
            self.0.as_ptr()
        }
    }
}

/// Launches a kernel with `count` work-items, and returns the event.
pub(crate) fn launch(q: cl_command_queue, kernel: cl_kernel, count: usize, after: After<'_>) -> cl_event {
    let mut event = null_mut();
    let (n, l, e) = (after.count(), after.ptr(), &raw mut event);
    let size = &raw const count;
    let code = cl!(clEnqueueNDRangeKernel(
        q,
        kernel,
        1,
        null(),
        size,
        null(),
        n,
        l,
        e
    ));
    assert_eq!(code, 0, "clEnqueueNDRangeKernel");
    event
}

/// Returns a number of work-items of [`SET`], and a value of `work`, that take at least this time. The buffer must have
/// [`MOST_ITEMS`] words.
pub(crate) fn lasting(q: cl_command_queue, set: cl_kernel, time: Duration) -> (usize, u32) {
    let (mut items, mut work) = (64, 1u32);
    loop {
        argument(set, 2, &work);
        // The first launch of a size may include the creation of a pipeline.
        let took = [(); 2].map(|()| {
            let start = Instant::now();
            let event = launch(q, set, items, After::NOTHING);
            wait(event);
            start.elapsed()
        });
        if took[0].min(took[1]) >= time {
            return (items, work);
        }
        assert!(items < MOST_ITEMS, "a kernel that takes {time:?}");
        items *= 2;
        work = (2 * work).min(MOST_WORK);
    }
}

/// The most work of a work-item of [`SET`]: llvmpipe would end the loops of much longer ones, and the launch would fail.
const MOST_WORK: u32 = 16;

/// The number of words that a buffer for [`lasting`] must have.
pub(crate) const MOST_ITEMS: usize = 1 << 20;

/// Fills a buffer of words, and waits for that.
pub(crate) fn fill(s: &Setup, buffer: cl_mem, count: usize, value: u32) {
    let at = (&raw const value).cast();
    let (q, size) = (s.queue, 4 * count);
    let none = null_mut();
    let code = cl!(clEnqueueFillBuffer(q, buffer, at, 4, 0, size, 0, null(), none));
    assert_eq!(code, 0, "clEnqueueFillBuffer");
    assert_eq!(cl!(clFinish(q)), 0);
}

/// Reads words without blocking, and returns the event.
pub(crate) fn read(q: cl_command_queue, buffer: cl_mem, to: &Words, after: After<'_>) -> cl_event {
    let mut event = null_mut();
    let (n, l, e) = (after.count(), after.ptr(), &raw mut event);
    let (at, size) = (to.ptr(), 4 * to.count);
    let code = cl!(clEnqueueReadBuffer(q, buffer, 0, 0, size, at, n, l, e));
    assert_eq!(code, 0, "clEnqueueReadBuffer");
    event
}

/// Reads words with a blocking call.
pub(crate) fn read_now(q: cl_command_queue, buffer: cl_mem, to: &Words) {
    let (at, size) = (to.ptr(), 4 * to.count);
    let code = cl!(clEnqueueReadBuffer(
        q,
        buffer,
        1,
        0,
        size,
        at,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0, "clEnqueueReadBuffer");
}

/// Writes `size` bytes from an address without blocking, and returns the event.
pub(crate) fn write(
    q: cl_command_queue,
    buffer: cl_mem,
    from: *const c_void,
    size: usize,
    after: After<'_>,
) -> cl_event {
    let mut event = null_mut();
    let (n, l, e) = (after.count(), after.ptr(), &raw mut event);
    let code = cl!(clEnqueueWriteBuffer(q, buffer, 0, 0, size, from, n, l, e));
    assert_eq!(code, 0, "clEnqueueWriteBuffer");
    event
}

/// Waits for one event and releases it.
pub(crate) fn wait(event: cl_event) {
    assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
}

/// Returns the status of an event.
pub(crate) fn status(event: cl_event) -> i32 {
    query!(clGetEventInfo(event; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32)
}

/// Polls a condition until it holds, for at most `limit`. Returns whether it holds.
pub(crate) fn soon(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Releases memory objects.
pub(crate) fn release(objects: &[cl_mem]) {
    for object in objects {
        assert_eq!(cl!(clReleaseMemObject(*object)), 0);
    }
}

/// Returns the role of this process, or `None` in the process that runs the tests.
pub(crate) fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Runs one test once more in a child process with this role and this value of `CALDERA_DEBUG`. The child may take one
/// minute.
pub(crate) fn child(test: &str, role: &str, debug: &str) -> Output {
    child_with(test, role, &[("CALDERA_DEBUG", debug)])
}

/// The same with any environment variables.
pub(crate) fn child_with(test: &str, role: &str, environment: &[(&str, &str)]) -> Output {
    let exe = std::env::current_exe().expect("a running test has a path");
    let mut child = Command::new(exe)
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .envs(environment.iter().copied())
        .env("CALDERA_CALIBRATION", "off")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let hung = !soon(Duration::from_secs(60), || {
        child.try_wait().expect("a child").is_some()
    });
    if hung {
        child.kill().expect("it runs");
    }
    let out = child.wait_with_output().expect("a child");
    assert!(
        !hung,
        "{test} as {role} with {environment:?} hangs: {}",
        text(&out)
    );
    out
}

/// Returns the exit status and the output of a child.
pub(crate) fn text(out: &Output) -> String {
    let [a, b] = [&out.stdout, &out.stderr].map(|t| String::from_utf8_lossy(t).into_owned());
    format!("{}\n{a}{b}", out.status)
}

/// Returns the `CALDERA_DEBUG` of this process with additional flags.
pub(crate) fn debug_with(flags: &str) -> String {
    match std::env::var("CALDERA_DEBUG") {
        Ok(set) if !set.is_empty() => format!("{set},{flags}"),
        Ok(_) | Err(_) => flags.to_owned(),
    }
}
