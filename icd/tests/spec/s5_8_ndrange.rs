//! CL 5.8

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, query};

const SOURCE: &str = "kernel void ids(global uint *out) {\n\
      size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n\
      size_t w = get_global_size(0), h = get_global_size(1);\n\
      size_t ox = get_global_offset(0), oy = get_global_offset(1), oz = get_global_offset(2);\n\
      out[((z - oz) * h + (y - oy)) * w + (x - ox)] = x + 1000 * y + 1000000 * z;\n\
    }\n\
    __attribute__((reqd_work_group_size(4, 2, 1))) kernel void sized(global uint *out) {\n\
      out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0);\n\
    }\n\
    kernel void locals(global uint *out, local uint *a, local uint *b) {\n\
      size_t i = get_local_id(0), n = get_local_size(0);\n\
      a[i] = i; b[i] = 100 * i;\n\
      barrier(CLK_LOCAL_MEM_FENCE);\n\
      out[get_global_id(0)] = a[n - 1 - i] + b[n - 1 - i];\n\
    }\n";

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|c| u32::from_ne_bytes(*c))
        .collect()
}

fn run(
    s: &Setup,
    k: cl_kernel,
    offset: Option<[usize; 3]>,
    global: &[usize],
    local: Option<&[usize]>,
) -> i32 {
    cl!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        global.len() as u32,
        offset.as_ref().map_or(null(), |o| o.as_ptr()),
        global.as_ptr(),
        local.map_or(null(), <[usize]>::as_ptr),
        0,
        null(),
        null_mut()
    ))
}

/// A launch is prepared before its wait list is checked. If the list is refused, nothing has run, and the kernel can be
/// launched again with the same arguments and with others.
#[test]
fn a_refused_wait_list_leaves_the_kernel_as_it_was() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "ids");
    let old = [0xFF; 256];
    for _ in 0..2 {
        let b = s.buffer(&old);
        assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
        let none: [cl_event; 1] = [null_mut()];
        for (count, list) in [(1, null()), (0, none.as_ptr()), (1, none.as_ptr())] {
            let (size, no_event) = ([64], null_mut());
            let refused = cl!(clEnqueueNDRangeKernel(
                s.queue,
                k,
                1,
                null(),
                size.as_ptr(),
                null(),
                count,
                list,
                no_event
            ));
            assert_eq!(refused, CL_INVALID_EVENT_WAIT_LIST, "{count}");
        }
        assert_eq!(s.read(b, 256), old);
        for _ in 0..2 {
            assert_eq!(run(&s, k, None, &[64], None), 0);
        }
        assert_eq!(words(&s.read(b, 256)), (0..64).collect::<Vec<u32>>());
    }
}

#[test]
fn ids_offsets_and_local_sizes() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "ids");
    let shapes: [(&[usize], Option<&[usize]>, Option<[usize; 3]>); 8] = [
        (&[64], Some(&[16]), None),
        (&[64], None, None),
        (&[61], None, None),
        (&[61], Some(&[61]), Some([5, 0, 0])),
        (&[16, 12], Some(&[4, 3]), None),
        (&[7, 11], None, Some([3, 2, 0])),
        (&[4, 6, 8], Some(&[2, 2, 2]), Some([1, 2, 3])),
        (&[5, 3, 7], None, None),
    ];
    for (global, local, offset) in shapes {
        let total: usize = global.iter().product();
        let b = s.buffer(&vec![0xFF; 4 * total]);
        assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
        assert_eq!(run(&s, k, offset, global, local), 0, "{global:?} {local:?}");
        let got = words(&s.read(b, 4 * total));
        let (w, h) = (global[0], global.get(1).copied().unwrap_or(1));
        let o = offset.unwrap_or([0; 3]);
        for (i, value) in got.iter().enumerate() {
            let (x, y, z) = (i % w + o[0], i / w % h + o[1], i / w / h + o[2]);
            assert_eq!(
                *value as usize,
                x + 1000 * y + 1_000_000 * z,
                "{global:?} {local:?} {offset:?} at {i}"
            );
        }
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn local_arguments() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "locals");
    let b = s.buffer(&[0; 256]);
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    for local in [8usize, 16, 32] {
        for index in [1, 2] {
            assert_eq!(cl!(clSetKernelArg(k, index, 4 * local, null())), 0);
        }
        assert_eq!(run(&s, k, None, &[64], Some(&[local])), 0);
        for (i, value) in words(&s.read(b, 256)).into_iter().enumerate() {
            assert_eq!(
                value as usize,
                101 * (local - 1 - i % local),
                "local size {local}"
            );
        }
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn task() {
    let s = Setup::new();
    let p = s.built("kernel void t(global uint *a, uint v) { a[0] = v; }", "");
    let k = s.kernel(p, "t");
    let b = s.buffer(&[0; 4]);
    let v = 42u32;
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    assert_eq!(cl!(clSetKernelArg(k, 1, 4, (&raw const v).cast())), 0);
    assert_eq!(cl!(clEnqueueTask(s.queue, k, 0, null(), null_mut())), 0);
    assert_eq!(words(&s.read(b, 4)), [42]);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

#[test]
fn errors() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "ids");
    let b = s.buffer(&[0; 4096]);
    // INVALID_KERNEL_ARGS if the kernel argument values have not been specified
    assert_eq!(run(&s, k, None, &[4], None), CL_INVALID_KERNEL_ARGS);
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    // INVALID_WORK_DIMENSION if work_dim is not between 1 and 3
    let sizes = [4usize; 4];
    for work_dim in [0, 4] {
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            k,
            work_dim,
            null(),
            sizes.as_ptr(),
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, CL_INVALID_WORK_DIMENSION);
    }
    // INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or any value in it is 0
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        1,
        null(),
        null(),
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_GLOBAL_WORK_SIZE);
    assert_eq!(run(&s, k, None, &[4, 0], None), CL_INVALID_GLOBAL_WORK_SIZE);
    // INVALID_GLOBAL_OFFSET if offset plus size does not fit
    assert_eq!(
        run(&s, k, Some([usize::MAX, 0, 0]), &[4], None),
        CL_INVALID_GLOBAL_OFFSET
    );
    // INVALID_CONTEXT if queue and kernel are of different contexts
    let other = Setup::new();
    let n = 4usize;
    let code = cl!(clEnqueueNDRangeKernel(
        other.queue,
        k,
        1,
        null(),
        &raw const n,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_CONTEXT);
    // INVALID_KERNEL if kernel is not a valid kernel
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        null_mut(),
        1,
        null(),
        &raw const n,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_KERNEL);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}

/// Sizes of work-groups that a device or a kernel does not allow.
#[test]
fn errors_of_work_group_sizes() {
    let s = Setup::new();
    let p = s.built(SOURCE, "");
    let k = s.kernel(p, "ids");
    let b = s.buffer(&[0; 4096]);
    assert_eq!(cl!(clSetKernelArg(k, 0, 8, (&raw const b).cast())), 0);
    // INVALID_WORK_GROUP_SIZE if the global size is not a multiple of the local size, or that is too large or 0
    assert_eq!(run(&s, k, None, &[10], Some(&[4])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(run(&s, k, None, &[10], Some(&[0])), CL_INVALID_WORK_GROUP_SIZE);
    // INVALID_WORK_GROUP_SIZE if it is larger than CL_DEVICE_MAX_WORK_GROUP_SIZE in all; otherwise
    // INVALID_WORK_ITEM_SIZE if it is larger than CL_DEVICE_MAX_WORK_ITEM_SIZES in a dimension
    let in_all = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize);
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_WORK_ITEM_SIZES) as [usize; 3]);
    for (d, &most) in most.iter().enumerate() {
        let mut size = [1; 3];
        size[d] = 2 * most;
        let code = run(&s, k, None, &size, Some(&size));
        let expected = if 2 * most > in_all {
            CL_INVALID_WORK_GROUP_SIZE
        } else {
            CL_INVALID_WORK_ITEM_SIZE
        };
        assert_eq!(code, expected, "{size:?} of {most} and {in_all}");
    }
    // INVALID_WORK_GROUP_SIZE if it is not the size that the kernel requires
    let sized = s.kernel(p, "sized");
    assert_eq!(cl!(clSetKernelArg(sized, 0, 8, (&raw const b).cast())), 0);
    assert_eq!(
        run(&s, sized, None, &[8, 8], Some(&[8, 1])),
        CL_INVALID_WORK_GROUP_SIZE
    );
    assert_eq!(run(&s, sized, None, &[8, 8], Some(&[4, 2])), 0);
    // With NULL, the launch uses the size that the kernel requires.
    assert_eq!(run(&s, sized, None, &[16, 4], None), 0);
    assert_eq!(words(&s.read(b, 4)), [4]);
    assert_eq!(run(&s, sized, None, &[8, 3], None), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(run(&s, sized, None, &[8], None), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseKernel(sized)), 0);
    assert_eq!(cl!(clReleaseKernel(k)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseProgram(p)), 0);
}
