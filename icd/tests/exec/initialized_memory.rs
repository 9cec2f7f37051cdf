//! cl_khr_initialize_memory: local and private memory that is zero when a kernel begins. The tests run in a process that
//! reports OpenCL 3.1 ([`crate::opencl_3_files`]).

use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, device};
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

const NAME: isize = CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
const LOCAL: isize = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR as isize;
const PRIVATE: isize = CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR as isize;

fn has_extension() -> bool {
    query_text!(clGetDeviceInfo(device(); CL_DEVICE_EXTENSIONS)).contains("cl_khr_initialize_memory")
}

fn context(value: isize) -> (cl_context, cl_int) {
    let (properties, device) = ([NAME, value, 0], device());
    created!(clCreateContext(
        properties.as_ptr(),
        1,
        &raw const device,
        None,
        null_mut()
    ))
}

/// Makes a context and a queue.
fn setup(value: isize) -> Setup {
    let (context, code) = context(value);
    assert_eq!(code, 0);
    let device = device();
    let (queue, code) = created!(clCreateCommandQueue(context, device, 0));
    assert_eq!(code, 0);
    Setup {
        device,
        context,
        queue,
    }
}

const SOURCE: &str = "
    struct s { char c; long l[3]; };
    int inner(int k) { int list[16]; struct s t; list[k & 15] += k; return list[(k + 1) & 15] + (int)t.l[k & 1] + t.c; }
    kernel void look(global int *o, local int *arg, int n, int dirt) {
        local int own[70];
        local long pair[2];
        int list[8], value;
        float4 vector;
        int l = get_local_id(0), size = get_local_size(0), found = 0, private_found = 0;
        for (int k = l; k < n; k += size) found |= arg[k];
        for (int k = l; k < 70; k += size) found |= own[k];
        found |= pair[l & 1] != 0;
        for (int k = 0; k < 8; k++) private_found |= list[(k + l) & 7];
        private_found |= value | as_int(vector.z) | inner(l);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = l; k < n; k += size) arg[k] = dirt;
        for (int k = l; k < 70; k += size) own[k] = dirt;
        pair[l & 1] = dirt;
        for (int k = 0; k < 8; k++) list[(k + l) & 7] = dirt + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        o[2 * get_global_id(0)] = found;
        o[2 * get_global_id(0) + 1] = private_found;
        if (n < 0) o[0] = list[l & 7] + own[l] + (int)pair[0];
    }";

/// Runs the kernel, which leaves dirt behind, a few times. Returns whether local and private memory were always zero.
fn look(s: &Setup, program: cl_program) -> [bool; 2] {
    let kernel = s.kernel(program, "look");
    let mut zero = [true; 2];
    for round in 0..4i32 {
        let n = 50 + 20 * round;
        let out = s.buffer(&[0xCC; 8 * 256]);
        let set = |index, size, value| assert_eq!(cl!(clSetKernelArg(kernel, index, size, value)), 0);
        set(0, size_of::<cl_mem>(), (&raw const out).cast());
        set(1, 4 * n as usize, null());
        set(2, 4, (&raw const n).cast());
        set(3, 4, (&raw const n).cast());
        let (global, local) = (256usize, 32usize);
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const global,
            &raw const local,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        for pair in s.read(out, 8 * 256).chunks(8) {
            zero[0] &= pair[..4] == [0; 4];
            zero[1] &= pair[4..] == [0; 4];
        }
        assert_eq!(cl!(clReleaseMemObject(out)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    zero
}

#[test]
fn opencl_3_memory_is_zero() {
    if !has_extension() {
        return;
    }
    for bits in [LOCAL, PRIVATE, LOCAL | PRIVATE] {
        let s = setup(bits);
        for options in ["", "-cl-std=CL3.0", "-cl-opt-disable"] {
            let program = s.built(SOURCE, options);
            let [local, private] = look(&s, program);
            assert!(local || bits & LOCAL == 0, "{bits} {options}");
            assert!(private || bits & PRIVATE == 0, "{bits} {options}");
            assert_eq!(cl!(clReleaseProgram(program)), 0);
        }
    }
}

fn binary(s: &Setup, program: cl_program) -> Vec<u8> {
    let size = query!(clGetProgramInfo(program; CL_PROGRAM_BINARY_SIZES) as usize);
    let mut binary = vec![0u8; size];
    let mut at = binary.as_mut_ptr();
    let to = (&raw mut at).cast();
    let code = cl!(clGetProgramInfo(
        program,
        CL_PROGRAM_BINARIES,
        size_of::<*mut u8>(),
        to,
        null_mut()
    ));
    assert_eq!(code, 0, "{:p}", s.context);
    binary
}

fn load(s: &Setup, binary: &[u8]) -> (cl_program, cl_int) {
    let (size, mut data) = (binary.len(), binary.as_ptr());
    created!(clCreateProgramWithBinary(
        s.context,
        1,
        &raw const s.device,
        &raw const size,
        &raw mut data,
        null_mut()
    ))
}

/// A binary that was not compiled for such a context does not initialize anything, so it is refused.
#[test]
fn opencl_3_binaries_of_other_contexts() {
    if !has_extension() {
        return;
    }
    let (plain, zeroed) = (Setup::new(), setup(LOCAL | PRIVATE));
    let [of_plain, of_zeroed] = [&plain, &zeroed].map(|s| binary(s, s.built(SOURCE, "")));
    assert_eq!(load(&zeroed, &of_plain).1, CL_INVALID_BINARY);
    assert_eq!(load(&setup(LOCAL), &of_zeroed).1, CL_INVALID_BINARY);
    let (program, code) = load(&zeroed, &of_zeroed);
    assert_eq!(code, 0);
    let code = cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    assert_eq!(code, 0);
    assert_eq!(look(&zeroed, program), [true; 2]);
}

#[test]
fn opencl_3_the_property() {
    if !has_extension() {
        assert_eq!(context(LOCAL).1, CL_INVALID_PROPERTY);
        return;
    }
    assert_eq!(context(4).1, CL_INVALID_PROPERTY);
    let (context, code) = context(LOCAL);
    assert_eq!(code, 0);
    let kept = query_bytes!(clGetContextInfo(context; CL_CONTEXT_PROPERTIES));
    let expected: Vec<u8> = [NAME, LOCAL, 0]
        .into_iter()
        .flat_map(isize::to_ne_bytes)
        .collect();
    assert_eq!(kept, expected);
    assert_eq!(cl!(clReleaseContext(context)), 0);
}
