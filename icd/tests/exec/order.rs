//! The order of launches in an in-order queue. `CALDERA_DEBUG=reorder` shows here what a GPU shows only at times.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::{CL_MEM_READ_ONLY, cl_kernel, cl_mem};
use crate::{cl, created};

const SOURCE: &str = "
    kernel void set(global int *to, int value) { to[get_global_id(0)] = value; }
    kernel void copy(global const int *from, global int *to) {
        to[get_global_id(0)] = from[get_global_id(0)];
    }
";
static WORDS: usize = 1 << 14;

fn launch(s: &Setup, kernel: cl_kernel) {
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
    assert_eq!(code, 0, "clEnqueueNDRangeKernel");
}

/// A kernel writes a buffer that the application has declared as one that kernels only read. OpenCL leaves the result
/// undefined, but programs do it (a test of cl_khr_command_buffer_mutable_dispatch, for example), and every other
/// implementation orders the launches.
#[test]
fn a_buffer_that_kernels_should_only_read() {
    let s = Setup::new();
    let program = s.built(SOURCE, "");
    let (set, copy) = (s.kernel(program, "set"), s.kernel(program, "copy"));
    let (between, code) = created!(clCreateBuffer(s.context, CL_MEM_READ_ONLY, 4 * WORDS, null_mut()));
    assert_eq!(code, 0);
    let to = s.buffer(&vec![0; 4 * WORDS]);
    let argument = |kernel, index, buffer: &cl_mem| {
        let code = cl!(clSetKernelArg(
            kernel,
            index,
            size_of::<cl_mem>(),
            std::ptr::from_ref(buffer).cast()
        ));
        assert_eq!(code, 0);
    };
    argument(set, 0, &between);
    argument(copy, 0, &between);
    argument(copy, 1, &to);
    for value in 1..=20i32 {
        let code = cl!(clSetKernelArg(set, 1, 4, (&raw const value).cast()));
        assert_eq!(code, 0);
        launch(&s, set);
        launch(&s, copy);
        let bytes = s.read(to, 4 * WORDS);
        assert!(bytes.chunks(4).all(|b| b == value.to_ne_bytes()), "{value}");
    }
    for buffer in [between, to] {
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    for kernel in [set, copy] {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
