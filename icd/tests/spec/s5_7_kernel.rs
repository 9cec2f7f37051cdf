//! CL 5.7

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_text};

const SOURCE: &str = "typedef struct { int a; char b; } pair;\n\
    kernel void all(global int *g, constant float *c, local uint *l, int i, float4 v, pair s, const global char *r)\n\
    { g[get_global_id(0)] = (int)c[0] + (int)l[0] + i + (int)v.x + s.a + r[0]; }\n\
    __attribute__((reqd_work_group_size(8, 4, 2))) kernel void sized(global int *g) { g[0] = 1; }\n";

#[test]
fn create_kernel() {
    let s = Setup::new();
    let p = s.program(SOURCE);
    // INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable
    assert_eq!(
        created!(clCreateKernel(p, c"all".as_ptr())).1,
        CL_INVALID_PROGRAM_EXECUTABLE
    );
    assert_eq!(
        cl!(clBuildProgram(p, 0, null(), null(), None, null_mut())),
        0,
        "{}",
        s.log(p)
    );
    // INVALID_KERNEL_NAME if kernel_name is not found; INVALID_VALUE if it is NULL
    assert_eq!(
        created!(clCreateKernel(p, c"none".as_ptr())).1,
        CL_INVALID_KERNEL_NAME
    );
    assert_eq!(created!(clCreateKernel(p, null())).1, CL_INVALID_VALUE);
    let k = s.kernel(p, "all");
    assert_eq!(query_text!(clGetKernelInfo(k; CL_KERNEL_FUNCTION_NAME)), "all");
    assert_eq!(query!(clGetKernelInfo(k; CL_KERNEL_NUM_ARGS) as u32), 7);
    assert_eq!(query!(clGetKernelInfo(k; CL_KERNEL_REFERENCE_COUNT) as u32), 1);
    assert_eq!(
        query!(clGetKernelInfo(k; CL_KERNEL_CONTEXT) as usize),
        s.context.addr()
    );
    assert_eq!(query!(clGetKernelInfo(k; CL_KERNEL_PROGRAM) as usize), p.addr());
    assert_eq!(
        cl!(clGetKernelInfo(k, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    // A kernel keeps its program alive.
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    assert_eq!(cl!(clRetainProgram(p)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), CL_INVALID_KERNEL);
    assert_eq!(cl!(clRetainProgram(p)), CL_INVALID_PROGRAM);
}

#[test]
fn create_kernels_in_program() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let mut count = 0;
    assert_eq!(cl!(clCreateKernelsInProgram(p, 0, null_mut(), &raw mut count)), 0);
    assert_eq!(count, 2);
    let mut kernels = [null_mut(); 2];
    // INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels
    assert_eq!(
        cl!(clCreateKernelsInProgram(p, 1, kernels.as_mut_ptr(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clCreateKernelsInProgram(p, 2, kernels.as_mut_ptr(), null_mut())),
        0
    );
    for k in kernels {
        assert_eq!(cl!(clReleaseKernel(k)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn set_kernel_arg() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "all");
    let b = s.buffer(&[0; 64]);
    let bytes = [0u8; 64];
    let any = bytes.as_ptr();
    let set = |index, size, value: *const u8| cl!(clSetKernelArg(k, index, size, value.cast()));
    let buffer = (&raw const b).cast::<u8>();
    let null_buffer: cl_mem = null_mut();
    let wrong_buffer = s.context;
    for index in [0, 1, 6] {
        assert_eq!(set(index, 8, buffer), 0);
        assert_eq!(set(index, 8, null()), 0, "a null pointer");
        assert_eq!(
            set(index, 8, (&raw const null_buffer).cast()),
            0,
            "a null pointer"
        );
        for size in [0, 4, 16, 4096] {
            assert_eq!(set(index, size, buffer), CL_INVALID_ARG_SIZE, "{size} bytes");
            assert_eq!(
                set(index, size, null()),
                CL_INVALID_ARG_SIZE,
                "{size} bytes, NULL"
            );
        }
        assert_eq!(
            set(index, 8, (&raw const wrong_buffer).cast()),
            CL_INVALID_MEM_OBJECT
        );
    }
    // A local argument has a size and no value.
    assert_eq!(set(2, 128, null()), 0);
    assert_eq!(set(2, 0, null()), CL_INVALID_ARG_SIZE);
    assert_eq!(set(2, 128, any), CL_INVALID_ARG_VALUE);
    // Plain values must have the size of their type.
    for (index, size) in [(3, 4), (4, 16), (5, 8)] {
        assert_eq!(set(index, size, any), 0, "argument {index}");
        assert_eq!(set(index, size + 4, any), CL_INVALID_ARG_SIZE, "argument {index}");
        assert_eq!(set(index, size - 1, any), CL_INVALID_ARG_SIZE, "argument {index}");
        assert_eq!(set(index, size, null()), CL_INVALID_ARG_VALUE, "argument {index}");
    }
    // INVALID_ARG_INDEX if arg_index is not a valid argument index
    assert_eq!(set(7, 4, any), CL_INVALID_ARG_INDEX);
    assert_eq!(set(u32::MAX, 4, any), CL_INVALID_ARG_INDEX);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

static GONE: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn destroyed(_: cl_mem, _: *mut c_void) {
    GONE.fetch_add(1, Ordering::SeqCst);
}

/// "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments"
#[test]
fn kernels_do_not_hold_their_arguments() {
    let s = Setup::new();
    let p = s.built("kernel void k(global int *p) { p[get_global_id(0)] = 1; }", "");
    let k = s.kernel(p, "k");
    let b = s.buffer(&[0; 64]);
    assert_eq!(
        cl!(clSetMemObjectDestructorCallback(b, Some(destroyed), null_mut())),
        0
    );
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    let size = 16usize;
    let enqueue = || {
        cl!(clEnqueueNDRangeKernel(
            s.queue,
            k,
            1,
            null(),
            &raw const size,
            null(),
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(enqueue(), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    for _ in 0..500 {
        if GONE.load(Ordering::SeqCst) == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(GONE.load(Ordering::SeqCst), 1);
    assert_eq!(enqueue(), CL_INVALID_KERNEL_ARGS);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn work_group_info() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "all");
    let sized = s.kernel(p, "sized");
    let d = s.device;
    assert!(query!(clGetKernelWorkGroupInfo(k, d; CL_KERNEL_WORK_GROUP_SIZE) as usize) >= 1);
    assert!(
        query!(clGetKernelWorkGroupInfo(k, d; CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) as usize) >= 1
    );
    assert_eq!(
        query!(clGetKernelWorkGroupInfo(k, d; CL_KERNEL_COMPILE_WORK_GROUP_SIZE) as [usize; 3]),
        [0; 3]
    );
    assert_eq!(
        query!(clGetKernelWorkGroupInfo(sized, d; CL_KERNEL_COMPILE_WORK_GROUP_SIZE) as [usize; 3]),
        [8, 4, 2]
    );
    query!(clGetKernelWorkGroupInfo(k, d; CL_KERNEL_PRIVATE_MEM_SIZE) as u64);
    let before = query!(clGetKernelWorkGroupInfo(k, null_mut(); CL_KERNEL_LOCAL_MEM_SIZE) as u64);
    assert_eq!(cl!(clSetKernelArg(k, 2, 256, null())), 0);
    let after = query!(clGetKernelWorkGroupInfo(k, d; CL_KERNEL_LOCAL_MEM_SIZE) as u64);
    assert_eq!(after - before, 256);
    // INVALID_VALUE for CL_KERNEL_GLOBAL_WORK_SIZE of an ordinary kernel, and for unknown queries
    for param in [CL_KERNEL_GLOBAL_WORK_SIZE, 0x9999] {
        assert_eq!(
            cl!(clGetKernelWorkGroupInfo(k, d, param, 0, null_mut(), null_mut())),
            CL_INVALID_VALUE
        );
    }
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseKernel(sized)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// CL_KERNEL_LOCAL_MEM_SIZE of a kernel does not depend on the other kernels of the program.
#[test]
fn local_memory_of_two_kernels() {
    let s = Setup::new();
    let source = "kernel void one(global float *p) {
            local float t[10]; t[get_local_id(0)] = p[0]; barrier(CLK_LOCAL_MEM_FENCE); p[1] = t[9 - get_local_id(0)];
        }
        kernel void two(global float *p) {
            local float t[20]; t[get_local_id(0)] = p[0]; barrier(CLK_LOCAL_MEM_FENCE); p[1] = t[19 - get_local_id(0)];
        }";
    let p = s.built(source, "");
    for (name, size) in [("one", 40), ("two", 80)] {
        let k = s.kernel(p, name);
        let found = query!(clGetKernelWorkGroupInfo(k, s.device; CL_KERNEL_LOCAL_MEM_SIZE) as u64);
        assert_eq!(found, size, "{name}");
        assert_eq!(cl!(clReleaseKernel(k)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// The kernel's variables in local memory and its arguments share CL_DEVICE_LOCAL_MEM_SIZE, also where the variables
/// have arrays of their own, and where one of them is in the memory of arguments.
#[test]
fn local_memory_is_used_up() {
    let s = Setup::new();
    // The validation layer adds up the memory of all kernels of a module, so each kernel has a program.
    let source = |name: &str, q: &str| {
        format!(
            "kernel void {name}(global int *p, local int *a) {{
                local uchar t[256]; local int u[64]; int l = get_local_id(0); local int *q = {q};
                t[l] = l; u[l] = p[0]; a[l] = p[1]; barrier(CLK_LOCAL_MEM_FENCE); p[l] = t[3 - l] + u[3 - l] + q[3 - l];
            }}"
        )
    };
    let device = query!(clGetDeviceInfo(s.device; CL_DEVICE_LOCAL_MEM_SIZE) as u64) as usize;
    let mem: cl_mem = s.buffer(&[0; 64]);
    for (name, q) in [("apart", "a"), ("mixed", "p[0] ? u : a")] {
        let p = s.built(&source(name, q), "");
        let k = s.kernel(p, name);
        let own = query!(clGetKernelWorkGroupInfo(k, s.device; CL_KERNEL_LOCAL_MEM_SIZE) as u64);
        assert_eq!(own, 512, "{name}");
        assert_eq!(
            cl!(clSetKernelArg(k, 0, size_of::<cl_mem>(), (&raw const mem).cast())),
            0
        );
        for (bytes, code) in [
            (device - 512, CL_SUCCESS),
            (device - 511, CL_OUT_OF_RESOURCES),
            (device, CL_OUT_OF_RESOURCES),
        ] {
            assert_eq!(cl!(clSetKernelArg(k, 1, bytes, null())), 0);
            let found = cl!(clEnqueueNDRangeKernel(
                s.queue,
                k,
                1,
                null(),
                [4usize].as_ptr(),
                [4usize].as_ptr(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(found, code, "{name}, {bytes} bytes");
        }
        assert_eq!(cl!(clFinish(s.queue)), 0);
        assert_eq!(cl!(clReleaseKernel(k)), 0);
        assert_eq!(cl!(clReleaseProgram(p)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(mem)), 0);
}

#[test]
fn arg_info() {
    let s = Setup::new();
    let p = s.built(SOURCE, "-cl-kernel-arg-info");
    let k = s.kernel(p, "all");
    let expected = [
        ("g", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_NONE),
        (
            "c",
            "float*",
            CL_KERNEL_ARG_ADDRESS_CONSTANT,
            CL_KERNEL_ARG_TYPE_CONST,
        ),
        ("l", "uint*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE),
        ("i", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE),
        (
            "v",
            "float4",
            CL_KERNEL_ARG_ADDRESS_PRIVATE,
            CL_KERNEL_ARG_TYPE_NONE,
        ),
        (
            "s",
            "pair",
            CL_KERNEL_ARG_ADDRESS_PRIVATE,
            CL_KERNEL_ARG_TYPE_NONE,
        ),
        (
            "r",
            "char*",
            CL_KERNEL_ARG_ADDRESS_GLOBAL,
            CL_KERNEL_ARG_TYPE_CONST,
        ),
    ];
    for (i, (name, ty, address, qualifier)) in expected.into_iter().enumerate() {
        let i = i as u32;
        assert_eq!(query_text!(clGetKernelArgInfo(k, i; CL_KERNEL_ARG_NAME)), name);
        assert_eq!(
            query_text!(clGetKernelArgInfo(k, i; CL_KERNEL_ARG_TYPE_NAME)),
            ty,
            "{name}"
        );
        assert_eq!(
            query!(clGetKernelArgInfo(k, i; CL_KERNEL_ARG_ADDRESS_QUALIFIER) as u32),
            address,
            "{name}"
        );
        assert_eq!(
            query!(clGetKernelArgInfo(k, i; CL_KERNEL_ARG_TYPE_QUALIFIER) as u64),
            u64::from(qualifier),
            "{name}"
        );
        assert_eq!(
            query!(clGetKernelArgInfo(k, i; CL_KERNEL_ARG_ACCESS_QUALIFIER) as u32),
            CL_KERNEL_ARG_ACCESS_NONE
        );
    }
    assert_eq!(
        cl!(clGetKernelArgInfo(
            k,
            7,
            CL_KERNEL_ARG_NAME,
            0,
            null_mut(),
            null_mut()
        )),
        CL_INVALID_ARG_INDEX
    );
    assert_eq!(
        cl!(clGetKernelArgInfo(k, 0, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
    // KERNEL_ARG_INFO_NOT_AVAILABLE without -cl-kernel-arg-info
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "all");
    let code = cl!(clGetKernelArgInfo(
        k,
        0,
        CL_KERNEL_ARG_NAME,
        0,
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
