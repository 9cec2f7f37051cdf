//! cl_ext_buffer_device_address: addresses of buffers, as arguments and in memory. Devices of OpenCL 1.2 do not have it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("ext_buffer_device_address::", "CALDERA_CL_VERSION", "3.1");
}

fn is_offered(s: &Setup) -> bool {
    let extensions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_EXTENSIONS));
    extensions.split(' ').any(|e| e == "cl_ext_buffer_device_address")
}

/// Creates a buffer with this list of properties.
fn create(s: &Setup, properties: &[u64], size: usize) -> (cl_mem, cl_int) {
    let (flags, properties) = (CL_MEM_READ_WRITE, properties.as_ptr());
    created!(clCreateBufferWithProperties(
        s.context,
        properties,
        flags,
        size,
        null_mut()
    ))
}

const WITH_ADDRESS: [u64; 3] = [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0];

/// Creates a buffer of ints with an address, and returns both.
fn with_address(s: &Setup, values: &[i32]) -> (cl_mem, u64) {
    let (buffer, code) = create(s, &WITH_ADDRESS, 4 * values.len());
    assert_eq!(code, 0);
    let bytes = 4 * values.len();
    let from = values.as_ptr().cast();
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        buffer,
        1,
        0,
        bytes,
        from,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let address = query!(clGetMemObjectInfo(buffer; CL_MEM_DEVICE_ADDRESS_EXT) as u64);
    (buffer, address)
}

fn ints(s: &Setup, buffer: cl_mem, count: usize) -> Vec<i32> {
    let bytes = s.read(buffer, 4 * count);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_ne_bytes(*b))
        .collect()
}

fn set(kernel: cl_kernel, index: u32, buffer: cl_mem) {
    let size = size_of::<cl_mem>();
    let value = (&raw const buffer).cast();
    assert_eq!(cl!(clSetKernelArg(kernel, index, size, value)), 0);
}

fn set_address(kernel: cl_kernel, index: u32, address: u64) -> cl_int {
    cl!(clSetKernelArgDevicePointerEXT(kernel, index, address))
}

fn set_pointed(kernel: cl_kernel, addresses: &[u64]) -> cl_int {
    let value = if addresses.is_empty() {
        null()
    } else {
        addresses.as_ptr().cast()
    };
    cl!(clSetKernelExecInfo(
        kernel,
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT,
        size_of_val(addresses),
        value
    ))
}

fn run(s: &Setup, kernel: cl_kernel, items: usize) {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const items,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn release(buffer: cl_mem) {
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// Releases a kernel and its program.
fn release_kernel(kernel: cl_kernel, program: cl_program) {
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn errors() {
    let s = Setup::new();
    let program = s.built(
        "kernel void k(global int *a, constant int *b, local int *c, int d) { a[0] = b[0] + d + (c == 0); }",
        "",
    );
    let kernel = s.kernel(program, "k");
    let plain = s.buffer(&[0; 16]);
    let info = |object| {
        let to = null_mut::<c_void>();
        cl!(clGetMemObjectInfo(
            object,
            CL_MEM_DEVICE_ADDRESS_EXT,
            0,
            to,
            null_mut()
        ))
    };
    assert_eq!(info(plain), CL_INVALID_OPERATION);
    assert_eq!(
        set_address(null_mut(), 0, 64),
        CL_INVALID_KERNEL,
        "the kernel is not valid"
    );
    assert_eq!(create(&s, &[0x1234, 1, 0], 64).1, CL_INVALID_PROPERTY);
    if !is_offered(&s) {
        assert_eq!(create(&s, &WITH_ADDRESS, 64).1, CL_INVALID_OPERATION);
        assert_eq!(set_address(kernel, 0, 64), CL_INVALID_OPERATION);
        assert_eq!(set_pointed(kernel, &[64]), CL_INVALID_OPERATION);
    } else {
        let [name, ..] = WITH_ADDRESS;
        assert_eq!(create(&s, &[name, 2, 0], 64).1, CL_INVALID_PROPERTY);
        assert_eq!(create(&s, &[name, 1, name, 1, 0], 64).1, CL_INVALID_PROPERTY);
        assert_eq!(create(&s, &WITH_ADDRESS, 0).1, CL_INVALID_BUFFER_SIZE);
        let (without, code) = create(&s, &[name, 0, 0], 64);
        assert_eq!((code, info(without)), (0, CL_INVALID_OPERATION));
        release(without);
        let (with, _) = with_address(&s, &[1]);
        let list = query_bytes!(clGetMemObjectInfo(with; CL_MEM_PROPERTIES));
        assert_eq!(list, WITH_ADDRESS.map(u64::to_ne_bytes).concat());
        release(with);
        for index in 1..5 {
            assert_eq!(set_address(kernel, index, 64), CL_INVALID_ARG_INDEX, "{index}");
        }
        // Addresses of no buffer are allowed.
        assert_eq!(set_address(kernel, 0, 64), 0);
        assert_eq!(set_pointed(kernel, &[64, 1 << 40]), 0);
        assert_eq!(set_pointed(kernel, &[]), 0);
        let info = CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT;
        assert_eq!(
            cl!(clSetKernelExecInfo(kernel, info, 8, null())),
            CL_INVALID_VALUE
        );
        let value = [0u64; 2];
        let code = cl!(clSetKernelExecInfo(kernel, info, 12, value.as_ptr().cast()));
        assert_eq!(code, CL_INVALID_VALUE);
    }
    release(plain);
    release_kernel(kernel, program);
}

/// The address that the host gets is that of the kernel, and that of a sub-buffer follows from it.
#[test]
fn addresses_are_those_of_kernels() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let program = s.built(
        "kernel void k(global int *a, global ulong *out) { out[0] = (ulong)a; a[1] += 1; }",
        "",
    );
    let kernel = s.kernel(program, "k");
    let (buffer, address) = with_address(&s, &[5; 256]);
    let out = s.buffer(&[0; 8]);
    let region = cl_buffer_region {
        origin: 512,
        size: 64,
    };
    let (sub, code) = created!(clCreateSubBuffer(
        buffer,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast()
    ));
    assert_eq!(code, 0);
    set(kernel, 1, out);
    for (argument, expected) in [(buffer, address), (sub, address + 512)] {
        set(kernel, 0, argument);
        run(&s, kernel, 1);
        assert_eq!(s.read(out, 8), expected.to_ne_bytes());
    }
    assert_eq!(set_address(kernel, 0, address + 512), 0);
    run(&s, kernel, 1);
    assert_eq!(s.read(out, 8), (address + 512).to_ne_bytes());
    let values = ints(&s, buffer, 256);
    assert_eq!((values[0], values[1], values[129], values[130]), (5, 6, 7, 5));
    for object in [sub, buffer, out] {
        release(object);
    }
    release_kernel(kernel, program);
}

/// Neighbouring accesses are merged into vector accesses only where the argument has the alignment of a buffer.
#[test]
fn addresses_of_any_alignment() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let source = "kernel void k(global const int *a, global int *out) {
        int i = get_global_id(0);
        out[4 * i] = a[4 * i] * 2;
        out[4 * i + 1] = a[4 * i + 1] * 3;
        out[4 * i + 2] = a[4 * i + 2] * 5;
        out[4 * i + 3] = a[4 * i + 3] * 7;
    }";
    let program = s.built(source, "");
    let kernel = s.kernel(program, "k");
    let values: Vec<i32> = (0..100).collect();
    let ((from, start), (to, end)) = (with_address(&s, &values), with_address(&s, &[0; 100]));
    for (a, b) in [(0usize, 0usize), (1, 0), (0, 3), (5, 2), (16, 16)] {
        assert_eq!(set_address(kernel, 0, start + 4 * a as u64), 0);
        assert_eq!(set_address(kernel, 1, end + 4 * b as u64), 0);
        run(&s, kernel, 16);
        let factors = [2, 3, 5, 7];
        let expected: Vec<i32> = (0..64).map(|i| values[a + i] * factors[i % 4]).collect();
        assert_eq!(ints(&s, to, 100)[b..b + 64], expected, "{a} {b}");
    }
    release(from);
    release(to);
    release_kernel(kernel, program);
}

/// A kernel follows an address that the host has written, and its commands are ordered with those on the buffer there.
#[test]
fn addresses_in_memory() {
    for properties in [0, CL_QUEUE_PROFILING_ENABLE] {
        let s = Setup::with(properties);
        if !is_offered(&s) {
            return;
        }
        let source = "kernel void k(global long *in) {
            global int *there = *(global int *global *)in;
            there[get_global_id(0)] += 1;
        }
        kernel void plain(global int *a, int n) { a[get_global_id(0)] *= n; }";
        let program = s.built(source, "");
        let (kernel, plain) = (s.kernel(program, "k"), s.kernel(program, "plain"));
        let (buffer, address) = with_address(&s, &[3; 64]);
        let holder = s.buffer(&address.to_ne_bytes());
        set(kernel, 0, holder);
        assert_eq!(set_pointed(kernel, &[address + 8]), 0);
        set(plain, 0, buffer);
        let n = 2i32;
        assert_eq!(cl!(clSetKernelArg(plain, 1, 4, (&raw const n).cast())), 0);
        let mut expected = 3;
        for _ in 0..4 {
            run(&s, kernel, 64);
            run(&s, plain, 64);
            expected = (expected + 1) * 2;
        }
        assert_eq!(ints(&s, buffer, 64), [expected; 64]);
        // A copy of the kernel has the addresses, too.
        let (copy, code) = created!(clCloneKernel(kernel));
        assert_eq!(code, 0);
        run(&s, copy, 64);
        // The launch keeps the buffer alive.
        release(buffer);
        assert_eq!(cl!(clFinish(s.queue)), 0);
        assert_eq!(cl!(clReleaseKernel(copy)), 0);
        assert_eq!(cl!(clReleaseKernel(plain)), 0);
        release(holder);
        release_kernel(kernel, program);
    }
}
