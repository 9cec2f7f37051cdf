//! Appendix A.2: every call except clSetKernelArg on one kernel is thread-safe. Threads share a context, a queue and a
//! program, and check their results.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::cl;
use crate::common::objects::Setup;
use crate::common::*;

const SOURCE: &str = "kernel void scale(global uint *a, uint by) {\n\
      size_t i = get_global_id(0);\n\
      a[i] = a[i] * by + i;\n\
    }\n";

/// Handles that threads share, as addresses.
#[derive(Copy, Clone)]
struct Shared {
    context: usize,
    queue: usize,
    program: usize,
}

fn pointer(address: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address)
}

fn work(shared: Shared, thread: u32) {
    let (context, queue) = (pointer(shared.context), pointer(shared.queue));
    let mut code = 0;
    let kernel = cl!(clCreateKernel(
        pointer(shared.program),
        c"scale".as_ptr(),
        &raw mut code
    ));
    assert_eq!(code, 0);
    for round in 0..40u32 {
        let n = 64 + (round as usize * 37 + thread as usize) % 500;
        let host: Vec<u32> = (0..n as u32).map(|i| i ^ (thread << 8)).collect();
        let buffer = cl!(clCreateBuffer(context, 0, 4 * n, null_mut(), &raw mut code));
        assert_eq!(code, 0);
        let by = round * 3 + thread;
        assert_eq!(cl!(clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast())), 0);
        assert_eq!(cl!(clSetKernelArg(kernel, 1, 4, (&raw const by).cast())), 0);
        let mut written = null_mut();
        let mut ran = null_mut();
        let from = host.as_ptr().cast();
        let size = 4 * n;
        assert_eq!(
            cl!(clEnqueueWriteBuffer(
                queue,
                buffer,
                0,
                0,
                size,
                from,
                0,
                null(),
                &raw mut written
            )),
            0
        );
        let code = cl!(clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &raw const n,
            null(),
            1,
            &raw const written,
            &raw mut ran
        ));
        assert_eq!(code, 0);
        let mut got = vec![0u32; n];
        let to = got.as_mut_ptr().cast();
        assert_eq!(
            cl!(clEnqueueReadBuffer(
                queue,
                buffer,
                1,
                0,
                size,
                to,
                1,
                &raw const ran,
                null_mut()
            )),
            0
        );
        for (i, value) in got.into_iter().enumerate() {
            assert_eq!(
                value,
                host[i].wrapping_mul(by).wrapping_add(i as u32),
                "{thread} {round} {i}"
            );
        }
        for event in [written, ran] {
            assert_eq!(cl!(clReleaseEvent(event)), 0);
        }
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
}

#[test]
fn threads_share_a_queue() {
    let s = Setup::new();
    let program = s.built(SOURCE, "");
    let shared = Shared {
        context: s.context.expose_provenance(),
        queue: s.queue.expose_provenance(),
        program: program.expose_provenance(),
    };
    std::thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || work(shared, thread));
        }
    });
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn threads_build_the_same_program() {
    let s = Setup::new();
    let context = s.context.expose_provenance();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for _ in 0..5 {
                    let source = format!("kernel void f(global int *a) {{ a[0] = {thread}; }}");
                    let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 0);
                    let program = cl!(clCreateProgramWithSource(
                        pointer(context),
                        1,
                        &raw mut text,
                        &raw const length,
                        &raw mut code
                    ));
                    assert_eq!(code, 0);
                    assert_eq!(
                        cl!(clBuildProgram(program, 0, null(), null(), None, null_mut())),
                        0
                    );
                    let kernel = cl!(clCreateKernel(program, c"f".as_ptr(), &raw mut code));
                    assert_eq!(code, 0);
                    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
                    assert_eq!(cl!(clReleaseProgram(program)), 0);
                }
            });
        }
    });
}

/// Each thread has a context of its own, builds one program after the other, and launches it at once, so that the device
/// executes kernels while the driver makes pipelines.
#[test]
fn threads_build_and_launch() {
    static WORDS: usize = 64;
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            scope.spawn(move || {
                let s = Setup::new();
                let input: Vec<u8> = (0..WORDS as u32).flat_map(u32::to_ne_bytes).collect();
                let (from, to) = (s.buffer(&input), s.buffer(&[0; 4 * WORDS]));
                for round in 0..8 {
                    let (by, plus) = (thread * 2 + 1, 1000 * round + thread);
                    let source = format!(
                        "kernel void f(global const uint *from, global uint *to) {{
                             size_t i = get_global_id(0);
                             to[i] = from[i] * {by}u + {plus}u;
                         }}"
                    );
                    let program = s.built(&source, "");
                    let kernel = s.kernel(program, "f");
                    for (i, buffer) in [from, to].iter().enumerate() {
                        let at = std::ptr::from_ref(buffer).cast();
                        let code = cl!(clSetKernelArg(kernel, i as u32, size_of::<cl_mem>(), at));
                        assert_eq!(code, 0);
                    }
                    let code = cl!(clEnqueueNDRangeKernel(
                        s.queue,
                        kernel,
                        1,
                        null(),
                        &raw const WORDS,
                        null(),
                        0,
                        null(),
                        null_mut()
                    ));
                    assert_eq!(code, 0);
                    let expected: Vec<u8> = (0..WORDS as u32)
                        .flat_map(|i| (i * by + plus).to_ne_bytes())
                        .collect();
                    assert_eq!(s.read(to, 4 * WORDS), expected, "thread {thread}, round {round}");
                    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
                    assert_eq!(cl!(clReleaseProgram(program)), 0);
                }
                for buffer in [from, to] {
                    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
                }
            });
        }
    });
}

#[test]
fn racing_releases_of_one_handle() {
    let s = Setup::new();
    for _ in 0..200 {
        let buffer = s.buffer(&[0; 16]).expose_provenance();
        let released: i32 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(move || {
                        let code = cl!(clReleaseMemObject(pointer(buffer)));
                        assert!(code == 0 || code == CL_INVALID_MEM_OBJECT);
                        i32::from(code == 0)
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).sum()
        });
        assert_eq!(released, 1);
    }
}
