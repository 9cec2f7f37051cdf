//! Variables of programs in global memory (OpenCL C 3.0, 6.7.1; CL 5.8): all kernels and launches of a program share
//! them, and each program has its own. The tests run in a process that reports OpenCL 3.1 ([`crate::opencl_3_files`]).

use std::ptr::{null, null_mut};

use crate::common::{CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, cl_command_queue, cl_kernel, cl_program};
use crate::lab::{Arg, Lab, element};
use crate::{cl, created, query};

/// CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
const TOTAL_SIZE: u32 = 0x1185;

const SOURCE: &str = "
    global int count = 5;
    int chain[64];
    global int *global last = chain;
    kernel void step(void) {
        size_t i = get_global_id(0);
        if (i == 0) count++;
        chain[i] = i ? chain[i] + 1 : count;
        if (i == 63) last = &chain[63];
    }
    kernel void seen(global int *o) {
        o[0] = count;
        o[1] = chain[0];
        o[2] = *last;
        o[3] = chain[5];
    }
    kernel void offset(void) { if (get_global_id(0) >> 40 == 1) count += 100; }";

/// Returns whether this process reports OpenCL 3.1.
fn is_later() -> bool {
    std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1")
}

fn seen(lab: &Lab, program: cl_program) -> [i32; 4] {
    let out = lab.run(program, "seen", 1, None, &[Arg::Out(16)]).remove(0);
    [0, 1, 2, 3].map(|k| element(&out, 4, k) as i32)
}

fn enqueue(queue: cl_command_queue, kernel: cl_kernel, offset: usize, global: usize) {
    let (offset, local) = ([offset], null());
    let code = cl!(clEnqueueNDRangeKernel(
        queue,
        kernel,
        1,
        offset.as_ptr(),
        [global].as_ptr(),
        local,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

#[test]
fn opencl_3_launches_share_variables_in_order() {
    if !is_later() {
        return;
    }
    let lab = Lab::new();
    let program = lab.setup.built(SOURCE, "-cl-std=CL3.0");
    let size = query!(clGetProgramBuildInfo(program, lab.setup.device; TOTAL_SIZE) as usize);
    assert_eq!(size, 4 + 256 + 8);
    assert_eq!(seen(&lab, program), [5, 0, 0, 0]);
    let step = lab.setup.kernel(program, "step");
    for _ in 0..50 {
        enqueue(lab.setup.queue, step, 0, 64);
    }
    assert_eq!(seen(&lab, program), [55, 55, 50, 50]);
    // A kernel for larger NDRanges is compiled again, with the same variables.
    let offset = lab.setup.kernel(program, "offset");
    enqueue(lab.setup.queue, offset, 1 << 40, 1);
    enqueue(lab.setup.queue, step, 0, 64);
    assert_eq!(seen(&lab, program), [156, 156, 51, 51]);
    assert_eq!(cl!(clReleaseKernel(step)), 0);
    assert_eq!(cl!(clReleaseKernel(offset)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Returns a program from the binary of another.
pub(crate) fn from_binary(lab: &Lab, program: cl_program) -> cl_program {
    let size = query!(clGetProgramInfo(program; CL_PROGRAM_BINARY_SIZES) as usize);
    let mut binary = vec![0u8; size];
    let mut at = binary.as_mut_ptr();
    let code = cl!(clGetProgramInfo(
        program,
        CL_PROGRAM_BINARIES,
        size_of::<*mut u8>(),
        (&raw mut at).cast(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut data = binary.as_ptr();
    let (again, code) = created!(clCreateProgramWithBinary(
        lab.setup.context,
        1,
        &raw const lab.setup.device,
        &raw const size,
        &raw mut data,
        null_mut()
    ));
    assert_eq!(code, 0);
    let code = cl!(clBuildProgram(again, 0, null(), null(), None, null_mut()));
    assert_eq!(code, 0, "{}", lab.setup.log(again));
    again
}

#[test]
fn opencl_3_each_program_has_its_own_variables() {
    if !is_later() {
        return;
    }
    let lab = Lab::new();
    let first = lab.setup.built(SOURCE, "-cl-std=CL3.0");
    let step = lab.setup.kernel(first, "step");
    enqueue(lab.setup.queue, step, 0, 64);
    let second = lab.setup.built(SOURCE, "-cl-std=CL3.0");
    let third = from_binary(&lab, first);
    assert_eq!(seen(&lab, first), [6, 6, 1, 1]);
    assert_eq!(seen(&lab, second), [5, 0, 0, 0]);
    assert_eq!(seen(&lab, third), [5, 0, 0, 0]);
    let other = lab.setup.kernel(third, "step");
    enqueue(lab.setup.queue, other, 0, 64);
    enqueue(lab.setup.queue, other, 0, 64);
    assert_eq!(seen(&lab, first), [6, 6, 1, 1]);
    assert_eq!(seen(&lab, third), [7, 7, 2, 2]);
    for kernel in [step, other] {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    for program in [first, second, third] {
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
