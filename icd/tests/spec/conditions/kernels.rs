//! 5.7, and the launches of 5.8.

use std::ptr::{null, null_mut};

use super::objects::UNKNOWN;
use super::world::{World, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

fn argument(w: &World, index: u32, size: usize, value: *const std::ffi::c_void) -> cl_int {
    cl!(clSetKernelArg(w.unset, index, size, value))
}

fn launch(w: &World, kernel: cl_kernel, dims: u32, global: &[usize], local: &[usize]) -> cl_int {
    let or_null = |list: &[usize]| if list.is_empty() { null() } else { list.as_ptr() };
    cl!(clEnqueueNDRangeKernel(
        w.s.queue,
        kernel,
        dims,
        null(),
        or_null(global),
        or_null(local),
        0,
        null(),
        null_mut()
    ))
}

fn exec_info(
    kernel: cl_kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const std::ffi::c_void,
) -> cl_int {
    cl!(clSetKernelExecInfo(kernel, name, size, value))
}

static CL_TRUE_VALUE: cl_bool = CL_TRUE;

/// A number of work-items that exceeds the largest work-group of any device.
const MANY: usize = 1 << 20;

#[allow(clippy::too_many_lines, reason = "a table with one row for each condition")]
pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.7.1", clCreateKernel,
        CL_INVALID_PROGRAM "program is not valid" => |w| w.none(|h| created!(clCreateKernel(h, c"k".as_ptr())).1),
        CL_INVALID_PROGRAM_EXECUTABLE "there is no executable" =>
            |w| created!(clCreateKernel(w.unbuilt, c"k".as_ptr())).1,
        CL_INVALID_KERNEL_NAME "no kernel of the name" => |w| created!(clCreateKernel(w.program, c"missing".as_ptr())).1,
        CL_INVALID_VALUE "kernel_name is NULL" => |w| created!(clCreateKernel(w.program, null())).1,
    );
    all.extend(rows!("5.7.1", clCreateKernelsInProgram,
        CL_INVALID_PROGRAM "program is not valid" =>
            |w| w.none(|h| cl!(clCreateKernelsInProgram(h, 0, null_mut(), room().cast()))),
        CL_INVALID_PROGRAM_EXECUTABLE "there is no executable" =>
            |w| cl!(clCreateKernelsInProgram(w.unbuilt, 0, null_mut(), room().cast())),
        CL_INVALID_VALUE "num_kernels is too small" =>
            |w| cl!(clCreateKernelsInProgram(w.program, 1, room().cast(), null_mut())),
    ));
    all.extend(rows!("5.7.1", clRetainKernel,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| cl!(clRetainKernel(h))),
    ));
    all.extend(rows!("5.7.1", clReleaseKernel,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| cl!(clReleaseKernel(h))),
    ));
    all.extend(rows!("5.7.2", clSetKernelArg,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| cl!(clSetKernelArg(h, 0, 8, room()))),
        CL_INVALID_ARG_INDEX "arg_index is not valid" => |w| argument(w, 4, 4, room()),
        CL_INVALID_ARG_INDEX "arg_index is far from valid" => |w| argument(w, u32::MAX, 4, room()),
        CL_INVALID_ARG_VALUE "arg_value of a number is NULL" => |w| argument(w, 1, 4, null()),
        CL_INVALID_ARG_VALUE "arg_value of a local argument is not NULL" => |w| argument(w, 2, 64, room()),
        CL_INVALID_ARG_SIZE "arg_size of a local argument is 0" => |w| argument(w, 2, 0, null()),
        CL_INVALID_ARG_SIZE "arg_size of a number is too small" => |w| argument(w, 1, 2, room()),
        CL_INVALID_ARG_SIZE "arg_size of a number is too large" => |w| argument(w, 1, 8, room()),
        CL_INVALID_ARG_SIZE "arg_size of a memory object is too small" => |w| argument(w, 0, 4, room()),
        CL_INVALID_ARG_SIZE "arg_size of a memory object is too large" => |w| argument(w, 0, 16, room()),
        CL_INVALID_ARG_SIZE "arg_size of a null pointer is too small" => |w| argument(w, 0, 4, null()),
        CL_INVALID_ARG_SIZE "arg_size of a null pointer is too large" => |w| argument(w, 0, 4096, null()),
        CL_INVALID_ARG_SIZE "arg_size of a sampler is too small" => |w| cl!(clSetKernelArg(w.sampled, 1, 4, room())),
        CL_INVALID_MEM_OBJECT "a pointer's object is not valid" =>
            |w| w.garbage(|h| argument(w, 0, 8, (&raw const h).cast())),
        CL_INVALID_MEM_OBJECT "a pointer's object is an image" => |w| argument(w, 0, 8, (&raw const w.image).cast()),
        CL_INVALID_MEM_OBJECT "an image is not valid" =>
            |w| w.garbage(|h| cl!(clSetKernelArg(w.sampled, 0, 8, (&raw const h).cast()))),
        CL_INVALID_MEM_OBJECT "an image is a buffer" =>
            |w| cl!(clSetKernelArg(w.sampled, 0, 8, (&raw const w.buffer).cast())),
        CL_INVALID_SAMPLER "a sampler is not valid" =>
            |w| w.none(|h| cl!(clSetKernelArg(w.sampled, 1, 8, (&raw const h).cast()))),
        CL_INVALID_ARG_VALUE "read_only, and the image is WRITE_ONLY" =>
            |w| cl!(clSetKernelArg(w.sampled, 0, 8, (&raw const w.image_write_only).cast())),
        CL_INVALID_ARG_VALUE "write_only, and the image is READ_ONLY" =>
            |w| cl!(clSetKernelArg(w.drawn, 0, 8, (&raw const w.image_read_only).cast())),
    ));
    all.extend(rows!("5.7.3", clGetKernelInfo,
        CL_INVALID_KERNEL "kernel is not valid" =>
            |w| w.none(|h| cl!(clGetKernelInfo(h, CL_KERNEL_NUM_ARGS, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetKernelInfo(w.kernel, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetKernelInfo(w.kernel, CL_KERNEL_NUM_ARGS, 2, room(), null_mut())),
    ));
    all.extend(rows!("5.7.3", clGetKernelWorkGroupInfo,
        CL_INVALID_KERNEL "kernel is not valid" =>
            |w| w.none(|h| cl!(clGetKernelWorkGroupInfo(h, w.s.device, CL_KERNEL_WORK_GROUP_SIZE, 512, room(), null_mut()))),
        CL_INVALID_DEVICE "device is not valid" =>
            |w| w.garbage(|h| cl!(clGetKernelWorkGroupInfo(w.kernel, h, CL_KERNEL_WORK_GROUP_SIZE, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetKernelWorkGroupInfo(w.kernel, w.s.device, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetKernelWorkGroupInfo(w.kernel, w.s.device, CL_KERNEL_WORK_GROUP_SIZE, 4, room(), null_mut())),
        CL_INVALID_VALUE "CL_KERNEL_GLOBAL_WORK_SIZE of a kernel that is not built in" =>
            |w| cl!(clGetKernelWorkGroupInfo(w.kernel, w.s.device, CL_KERNEL_GLOBAL_WORK_SIZE, 512, room(), null_mut())),
    ));
    all.extend(rows!("5.7.3", clGetKernelArgInfo,
        CL_INVALID_KERNEL "kernel is not valid" =>
            |w| w.none(|h| cl!(clGetKernelArgInfo(h, 0, CL_KERNEL_ARG_NAME, 512, room(), null_mut()))),
        CL_INVALID_ARG_INDEX "arg_indx is not valid" =>
            |w| cl!(clGetKernelArgInfo(w.kernel, 4, CL_KERNEL_ARG_NAME, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetKernelArgInfo(w.kernel, 0, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetKernelArgInfo(w.kernel, 0, CL_KERNEL_ARG_NAME, 1, room(), null_mut())),
    ));
    all.extend(rows!("5.8", clEnqueueNDRangeKernel,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| launch(w, h, 1, &[8], &[])),
        CL_INVALID_KERNEL_ARGS "arguments are not set" => |w| {
            let fresh = w.s.kernel(w.program, "k");
            launch(w, fresh, 1, &[8], &[])
        },
        CL_INVALID_WORK_DIMENSION "work_dim is 0" => |w| launch(w, w.kernel, 0, &[8], &[]),
        CL_INVALID_WORK_DIMENSION "work_dim is 4" => |w| launch(w, w.kernel, 4, &[8; 4], &[]),
        CL_INVALID_WORK_DIMENSION "work_dim is huge" => |w| launch(w, w.kernel, u32::MAX, &[8; 4], &[]),
        CL_INVALID_GLOBAL_WORK_SIZE "global_work_size is NULL" => |w| launch(w, w.kernel, 1, &[], &[]),
        CL_INVALID_GLOBAL_WORK_SIZE "a global size is 0" => |w| launch(w, w.kernel, 3, &[8, 0, 1], &[]),
        CL_INVALID_GLOBAL_OFFSET "offset and size overflow" => |w| cl!(clEnqueueNDRangeKernel(
            w.s.queue, w.kernel, 1, &(usize::MAX - 3), &8, null(), 0, null(), null_mut()
        )),
        CL_INVALID_WORK_GROUP_SIZE "the global size is no multiple" => |w| launch(w, w.kernel, 1, &[10], &[4]),
        CL_INVALID_WORK_GROUP_SIZE "the local size is 0" => |w| launch(w, w.kernel, 1, &[8], &[0]),
        CL_INVALID_WORK_GROUP_SIZE "more than the device has in all" => |w| launch(w, w.kernel, 2, &[1 << 10, 1 << 10], &[1 << 10, 1 << 10]),
        CL_INVALID_WORK_GROUP_SIZE "not what reqd_work_group_size says" => |w| launch(w, w.sized, 2, &[8, 8], &[2, 4]),
        CL_INVALID_WORK_GROUP_SIZE "NULL, and the size of reqd_work_group_size does not fit" =>
            |w| launch(w, w.sized, 2, &[6, 8], &[]),
        // CL_INVALID_WORK_ITEM_SIZE alone needs a device with fewer in a dimension than in all: `s5_8_ndrange`.
        CL_INVALID_WORK_GROUP_SIZE "more than the device has in a dimension and in all" => |w| launch(w, w.kernel, 1, &[MANY], &[MANY]),
    ));
    all.extend(rows!("5.8", clEnqueueTask,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| cl!(clEnqueueTask(w.s.queue, h, 0, null(), null_mut()))),
        CL_INVALID_WORK_GROUP_SIZE "reqd_work_group_size is not 1, 1, 1" =>
            |w| cl!(clEnqueueTask(w.s.queue, w.sized, 0, null(), null_mut())),
        CL_INVALID_KERNEL_ARGS "arguments are not set" => |w| {
            let fresh = w.s.kernel(w.program, "k");
            cl!(clEnqueueTask(w.s.queue, fresh, 0, null(), null_mut()))
        },
    ));
    all.extend(rows!("5.7.2", clSetKernelArgDevicePointerEXT,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| cl!(clSetKernelArgDevicePointerEXT(h, 0, 0))),
        CL_INVALID_OPERATION "no device has the extension" => |w| cl!(clSetKernelArgDevicePointerEXT(w.unset, 0, 0)),
    ));
    all.extend(rows!("5.7.2", clSetKernelExecInfo,
        CL_INVALID_KERNEL "kernel is not valid" => |w| w.none(|h| exec_info(h, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, null())),
        CL_INVALID_VALUE "param_name is not known" => |w| exec_info(w.unset, 0x1234, 0, null()),
        CL_INVALID_OPERATION "the device has no SVM" =>
            |w| exec_info(w.unset, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, room()),
        CL_INVALID_OPERATION "the device has no fine-grain system SVM" =>
            |w| exec_info(w.unset, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, (&raw const CL_TRUE_VALUE).cast()),
        CL_INVALID_VALUE "param_value is NULL and its size is not 0" =>
            |w| exec_info(w.unset, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, null()),
        CL_INVALID_VALUE "param_value_size is not that of the value" =>
            |w| exec_info(w.unset, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 3, room()),
        CL_INVALID_OPERATION "no device has device addresses" =>
            |w| exec_info(w.unset, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, room()),
    ));
    all
}
