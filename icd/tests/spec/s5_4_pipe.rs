//! CL 2.0, 5.4: pipe objects, as far as the host sees them.

use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, device};
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("s5_4_pipe::", "CALDERA_CL_VERSION", "3.1");
}

fn has_pipes() -> bool {
    query!(clGetDeviceInfo(device(); CL_DEVICE_PIPE_SUPPORT) as u32) != 0
}

fn create(context: cl_context, flags: u64, size: u32, packets: u32) -> (cl_mem, cl_int) {
    created!(clCreatePipe(context, flags, size, packets, null()))
}

#[test]
fn limits() {
    let limits = [
        CL_DEVICE_MAX_PIPE_ARGS,
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
        CL_DEVICE_PIPE_MAX_PACKET_SIZE,
    ]
    .map(|param| query!(clGetDeviceInfo(device(); param) as u32));
    // CL 3.0, 4.2: the minimum values of a device with pipes
    match has_pipes() {
        true => assert!(
            limits[0] >= 16 && limits[1] >= 1 && limits[2] >= 1024,
            "{limits:?}"
        ),
        false => assert_eq!(limits, [0; 3]),
    }
    let features = query_bytes!(clGetDeviceInfo(device(); CL_DEVICE_OPENCL_C_FEATURES));
    let name = b"__opencl_c_pipes";
    assert_eq!(features.windows(name.len()).any(|w| w == name), has_pipes());
}

#[test]
fn errors_of_create() {
    let s = Setup::new();
    if !has_pipes() {
        assert_eq!(create(s.context, 0, 4, 4).1, CL_INVALID_OPERATION);
        return;
    }
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_PIPE_MAX_PACKET_SIZE) as u32);
    let code = |flags, size, packets| create(s.context, flags, size, packets).1;
    assert_eq!(create(null_mut(), 0, 4, 4).1, CL_INVALID_CONTEXT);
    for flags in [
        CL_MEM_WRITE_ONLY,
        CL_MEM_READ_ONLY,
        CL_MEM_HOST_READ_ONLY,
        CL_MEM_COPY_HOST_PTR,
        1 << 40,
    ] {
        assert_eq!(code(flags, 4, 4), CL_INVALID_VALUE, "{flags:#x}");
    }
    for (size, packets) in [(0, 4), (most + 1, 4), (4, 0)] {
        assert_eq!(code(0, size, packets), CL_INVALID_PIPE_SIZE);
    }
    assert_eq!(code(0, most, u32::MAX), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    let list: [cl_pipe_properties; 1] = [0];
    let (_, code) = created!(clCreatePipe(s.context, 0, 4, 4, list.as_ptr()));
    assert_eq!(code, CL_INVALID_VALUE);
}

#[test]
fn queries_and_references() {
    let s = Setup::new();
    if !has_pipes() {
        return;
    }
    let flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    for flags in [0, CL_MEM_READ_WRITE, flags] {
        let (pipe, code) = create(s.context, flags, 12, 1000);
        assert_eq!(code, 0);
        assert_eq!(query!(clGetPipeInfo(pipe; CL_PIPE_PACKET_SIZE) as u32), 12);
        assert_eq!(query!(clGetPipeInfo(pipe; CL_PIPE_MAX_PACKETS) as u32), 1000);
        assert!(query_bytes!(clGetPipeInfo(pipe; CL_PIPE_PROPERTIES)).is_empty());
        let code = cl!(clGetPipeInfo(pipe, CL_MEM_TYPE, 0, null_mut(), null_mut()));
        assert_eq!(code, CL_INVALID_VALUE);
        assert_eq!(
            query!(clGetMemObjectInfo(pipe; CL_MEM_TYPE) as u32),
            CL_MEM_OBJECT_PIPE
        );
        assert_eq!(query!(clGetMemObjectInfo(pipe; CL_MEM_FLAGS) as u64), flags);
        assert!(query!(clGetMemObjectInfo(pipe; CL_MEM_SIZE) as usize) >= 12_000);
        assert_eq!(query!(clGetMemObjectInfo(pipe; CL_MEM_HOST_PTR) as usize), 0);
        assert_eq!(query!(clGetMemObjectInfo(pipe; CL_MEM_MAP_COUNT) as u32), 0);
        assert_eq!(
            query!(clGetMemObjectInfo(pipe; CL_MEM_CONTEXT) as usize),
            s.context.addr()
        );
        assert_eq!(cl!(clRetainMemObject(pipe)), 0);
        assert_eq!(query!(clGetMemObjectInfo(pipe; CL_MEM_REFERENCE_COUNT) as u32), 2);
        assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
        assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
        assert_eq!(cl!(clReleaseMemObject(pipe)), CL_INVALID_MEM_OBJECT);
    }
}

/// A pipe is no buffer, and a buffer no pipe.
#[test]
fn wrong_objects() {
    let s = Setup::new();
    if !has_pipes() {
        return;
    }
    let (pipe, code) = create(s.context, 0, 4, 100);
    assert_eq!(code, 0);
    let buffer = s.buffer(&[0; 512]);
    let mut to = [0u8; 4];
    let place = to.as_mut_ptr().cast();
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        pipe,
        1,
        0,
        4,
        place,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    let code = cl!(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 4, place, null_mut()));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    let source = "kernel void k(write_only pipe float4 p, global int *o, read_only pipe int q) {}";
    let program = s.built(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    let kernel = s.kernel(program, "k");
    let set = |index, object: &cl_mem| {
        let at = std::ptr::from_ref(object).cast();
        cl!(clSetKernelArg(kernel, index, size_of::<cl_mem>(), at))
    };
    assert_eq!(set(0, &buffer), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(1, &pipe), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(0, &null_mut()), CL_INVALID_MEM_OBJECT);
    assert_eq!(
        cl!(clSetKernelArg(kernel, 0, 4, (&raw const pipe).cast())),
        CL_INVALID_ARG_SIZE
    );
    assert_eq!(cl!(clSetKernelArg(kernel, 0, 8, null())), CL_INVALID_ARG_VALUE);
    assert_eq!([set(0, &pipe), set(1, &buffer), set(2, &pipe)], [0; 3]);
    for (index, access, name) in [
        (0, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, "float4"),
        (2, CL_KERNEL_ARG_ACCESS_READ_ONLY, "int"),
    ] {
        let qualifier = query!(clGetKernelArgInfo(kernel, index; CL_KERNEL_ARG_TYPE_QUALIFIER) as u64);
        assert_eq!(qualifier, u64::from(CL_KERNEL_ARG_TYPE_PIPE));
        let given = query!(clGetKernelArgInfo(kernel, index; CL_KERNEL_ARG_ACCESS_QUALIFIER) as u32);
        assert_eq!(given, access);
        assert_eq!(
            query_text!(clGetKernelArgInfo(kernel, index; CL_KERNEL_ARG_TYPE_NAME)),
            name
        );
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    assert_eq!(cl!(clReleaseMemObject(pipe)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}
