//! CL 5.7: kernels.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::kernel::args::ArgKind;
use caldera_runtime::kernel::launch::ArgValue;
use caldera_runtime::kernel::{Kernel, PointerList};
use caldera_runtime::mem::usm::UsmKind;
use caldera_runtime::mem::{Buffer, Image, Pipe};
use caldera_runtime::object;
use caldera_runtime::program::Program;
use caldera_runtime::queue::CommandQueue;
use caldera_runtime::sampler::Sampler;

use crate::abi::*;
use crate::args::{Array, Ptr};
use crate::out::Info;
use crate::{entry, handle};

entry! {
    /// CL 5.7.1 — clCreateKernel
    fn clCreateKernel(program: cl_program, kernel_name: *const c_char; errcode_ret) -> cl_kernel {
        let program = handle::borrow::<Program>(program)?;
        // CL 5.7.1: INVALID_VALUE if kernel_name is NULL
        let Some(name) = kernel_name.text() else {
            // INVALID_PROGRAM_EXECUTABLE comes before this error.
            program.kernel_names()?;
            return Err(Error::new(ClCode::InvalidValue, "kernel_name is NULL").at("5.7.1"));
        };
        Ok(object::give(Kernel::create(&program, &name)?))
    }
}

entry! {
    /// CL 5.7.1 — clCreateKernelsInProgram
    fn clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: cl_uint,
        kernels: *mut cl_kernel [num_kernels],
        num_kernels_ret: *mut cl_uint,
    ) {
        let program = handle::borrow::<Program>(program)?;
        let count = program.kernel_names()?.len() as u32;
        if !kernels.is_null() {
            // CL 5.7.1: INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels
            if num_kernels < count {
                return Err(Error::new(ClCode::InvalidValue, "num_kernels is too small").at("5.7.1"));
            }
            for (i, kernel) in Kernel::create_all(&program)?.into_iter().enumerate() {
                kernels.write(i, object::give(kernel));
            }
        }
        num_kernels_ret.write(count);
        Ok(())
    }
}

entry! {
    /// CL 2.1, 5.9.1 — clCloneKernel
    fn clCloneKernel(source_kernel: cl_kernel; errcode_ret) -> cl_kernel {
        Ok(object::give(handle::borrow::<Kernel>(source_kernel)?.duplicate()))
    }
}

entry! {
    /// CL 5.7.1 — clRetainKernel
    fn clRetainKernel(kernel: cl_kernel) {
        handle::retain::<Kernel>(kernel)
    }
}

entry! {
    /// CL 5.7.1 — clReleaseKernel
    fn clReleaseKernel(kernel: cl_kernel) {
        handle::release::<Kernel>(kernel)
    }
}

/// Reads the handle that `arg_value` of a memory object or a sampler points to. A null pointer is a null handle.
fn handle_arg(arg_value: Array<c_void>) -> *mut c_void {
    arg_value.value::<*mut c_void>().unwrap_or(std::ptr::null_mut())
}

/// Returns the value of a kernel argument. `value` has `arg_value` and `arg_size` of clSetKernelArg; the errors are those
/// of that call.
pub(super) fn arg_value(kind: ArgKind, value: Array<c_void>) -> Result<ArgValue> {
    kind.check(value.len(), !value.is_null())?;
    Ok(match kind {
        ArgKind::Pod(_) | ArgKind::UnusedPod | ArgKind::Unknown => ArgKind::pod(value.bytes().unwrap_or(&[])),
        ArgKind::Local => ArgValue::Local(value.len()),
        // CL 5.7.2: INVALID_MEM_OBJECT for an argument declared to be a memory object when arg_value is not one;
        // NULL is a null pointer
        ArgKind::Buffer => {
            let given = handle_arg(value);
            if given.is_null() {
                ArgValue::Buffer(None)
            } else {
                let buffer = object::get::<Buffer>(given)
                    .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "not a buffer").at("5.7.2"))?;
                ArgValue::Buffer(Some(buffer))
            }
        }
        // CL 5.7.2: INVALID_MEM_OBJECT, as above
        ArgKind::Pipe => {
            let pipe = object::get::<Pipe>(handle_arg(value))
                .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "not a pipe").at("5.7.2"))?;
            ArgValue::Buffer(Some(Arc::clone(pipe.buffer())))
        }
        // CL 5.7.2: INVALID_SAMPLER for an argument declared to be a sampler when arg_value is not one
        ArgKind::Sampler => ArgValue::Sampler(
            object::get::<Sampler>(handle_arg(value))
                .ok_or_else(|| Error::new(ClCode::InvalidSampler, "not a sampler").at("5.7.2"))?,
        ),
        // CL 5.7.2: INVALID_MEM_OBJECT, as above
        ArgKind::Image { .. } => {
            let image = object::get::<Image>(handle_arg(value))
                .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "not an image").at("5.7.2"))?;
            kind.image(image)?
        }
    })
}

entry! {
    /// CL 5.7.2 — clSetKernelArg
    fn clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: size_t, arg_value: *const c_void [arg_size]) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let kind = kernel.arg_kind(arg_index)?;
        kernel.set_arg(arg_index, self::arg_value(kind, arg_value)?)
    }
}

entry! {
    /// cl_ext_buffer_device_address — clSetKernelArgDevicePointerEXT
    fn clSetKernelArgDevicePointerEXT(kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        kernel.check_addresses()?;
        kernel.set_address(arg_index, arg_value)
    }
}

/// Returns the addresses that clSetKernelExecInfo sets, and the list to which they belong. Returns `None` if it sets something
/// else, which has no effect. `param_value` has the value and its size.
pub(super) fn pointers(
    kernel: &Kernel,
    param_name: cl_kernel_exec_info,
    param_value: Array<c_void>,
) -> Result<Option<(Vec<u64>, PointerList)>> {
    let invalid = |what| Error::new(ClCode::InvalidValue, what).at("2.0 5.9.3");
    // CL 2.0, 5.9.3: INVALID_VALUE if param_name is not valid, if param_value is NULL and param_value_size is greater
    // than zero, or if the size is not valid
    let value = || match (param_value.len(), param_value.bytes()) {
        (0, _) => Ok(&[][..]),
        (_, Some(bytes)) => Ok(bytes),
        (_, None) => Err(invalid("param_value is NULL")),
    };
    let addresses = |bytes: &[u8]| match bytes.as_chunks() {
        (addresses, []) => Ok(addresses
            .iter()
            .map(|a| u64::from_ne_bytes(*a))
            .collect::<Vec<u64>>()),
        _ => Err(invalid("param_value_size is not that of addresses")),
    };
    match param_name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS => {
            kernel.context().check_svm()?;
            Ok(Some((addresses(value()?)?, PointerList::Svm)))
        }
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => match *value()? {
            [0, 0, 0, 0] => Ok(None),
            [_, _, _, _] => {
                let what = "the device does not support fine-grain system SVM";
                Err(Error::new(ClCode::InvalidOperation, what).at("2.0 5.9.3"))
            }
            _ => Err(invalid("param_value_size is not that of a cl_bool")),
        },
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => {
            kernel.check_addresses()?;
            Ok(Some((addresses(value()?)?, PointerList::Addresses)))
        }
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            kernel.context().check_usm(UsmKind::Device)?;
            Ok(Some((addresses(value()?)?, PointerList::Usm)))
        }
        // Launches that load pointers from memory are ordered against all others anyway.
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
            let kind = match param_name {
                CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => UsmKind::Host,
                CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => UsmKind::Device,
                _ => UsmKind::Shared,
            };
            kernel.context().check_usm(kind)?;
            match value()?.len() {
                4 => Ok(None),
                _ => Err(invalid("param_value_size is not that of a cl_bool")),
            }
        }
        _ => Err(invalid("param_name")),
    }
}

entry! {
    /// CL 2.0, 5.9.3 — clSetKernelExecInfo
    fn clSetKernelExecInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_exec_info,
        param_value_size: size_t,
        param_value: *const c_void [param_value_size],
    ) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        if let Some((addresses, list)) = pointers(&kernel, param_name, param_value)? {
            kernel.set_pointed(&addresses, list);
        }
        Ok(())
    }
}

entry! {
    /// CL 5.7.3 — clGetKernelInfo
    fn clGetKernelInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_KERNEL_FUNCTION_NAME => info.text(kernel.name()),
            CL_KERNEL_NUM_ARGS => info.value(kernel.arg_count()),
            CL_KERNEL_REFERENCE_COUNT => info.value(object::reference_count(&*kernel)),
            CL_KERNEL_CONTEXT => info.value(object::handle(kernel.context())),
            CL_KERNEL_PROGRAM => info.value(object::handle(kernel.program())),
            CL_KERNEL_ATTRIBUTES => info.text(kernel.attributes()),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

entry! {
    /// CL 5.7.3 — clGetKernelWorkGroupInfo
    fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_work_group_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let device = if device.is_null() {
            None
        } else {
            Some(handle::borrow::<Device>(device)?)
        };
        let (device, on_device) = kernel.on_device(device.as_ref())?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_KERNEL_WORK_GROUP_SIZE => info.value(on_device.max_work_group_size()),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => info.value(kernel.required_size()),
            CL_KERNEL_LOCAL_MEM_SIZE => info.value(kernel.local_mem_size(on_device)),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                info.value(device.info().preferred_work_group_size_multiple)
            }
            CL_KERNEL_PRIVATE_MEM_SIZE => info.value(on_device.private_mem_size()),
            // Vulkan's drivers do not tell it before a pipeline is made, and 0 would promise that nothing is spilled.
            CL_KERNEL_SPILL_MEM_SIZE_INTEL => Err(Error::new(
                ClCode::InvalidValue,
                "CL_KERNEL_SPILL_MEM_SIZE_INTEL is not implemented: Vulkan does not report spills",
            )),
            // CL 5.7.3: INVALID_VALUE for CL_KERNEL_GLOBAL_WORK_SIZE unless the device is custom or the kernel built-in
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

/// Returns the number of work-items in a work-group. `sizes` has its sizes in one to three dimensions.
fn work_items(sizes: Array<c_void>) -> Result<usize> {
    let list = sizes.bytes().and_then(|bytes| {
        let (sizes, rest) = bytes.as_chunks();
        (rest.is_empty() && (1..=3).contains(&sizes.len())).then_some(sizes)
    });
    list.and_then(|list| {
        list.iter()
            .try_fold(1usize, |n, &size| n.checked_mul(usize::from_ne_bytes(size)))
    })
    .filter(|&n| n > 0)
    .ok_or_else(|| {
        Error::new(ClCode::InvalidValue, "input_value is no local work size").at("cl_khr_subgroups")
    })
}

/// Returns the size of a work-group with this number of sub-groups; zeros if there is none. CL 2.1, 5.9.4: it must have
/// no incomplete sub-group, and all sizes except the first are 1.
fn size_for(sub_groups: usize, size: usize, most: usize, required: [usize; 3]) -> [usize; 3] {
    let items = sub_groups.saturating_mul(size);
    let local = [items, 1, 1];
    let fits = items > 0 && items <= most && (required == [0; 3] || required == local);
    if fits { local } else { [0; 3] }
}

/// Returns whether a device offers cl_intel_required_subgroup_size.
fn has_required_sizes(device: &Device) -> bool {
    !device.info().sub_group_sizes.is_empty()
}

/// Answers the sub-group queries, for both names of the call.
fn sub_group_info(
    kernel: Ptr<c_void>,
    device: Ptr<c_void>,
    param_name: cl_kernel_sub_group_info,
    sizes: Array<c_void>,
    info: Info,
) -> Result<()> {
    let kernel = handle::borrow::<Kernel>(kernel)?;
    let device = if device.is_null() {
        None
    } else {
        Some(handle::borrow::<Device>(device)?)
    };
    let (device, on_device) = kernel.on_device(device.as_ref())?;
    if device.sub_group_size().is_none() {
        return Err(
            Error::new(ClCode::InvalidOperation, "the device has no sub-groups").at("cl_khr_subgroups"),
        );
    }
    let size = on_device.sub_group_size() as usize;
    match param_name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR => {
            work_items(sizes)?;
            info.value(size)
        }
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR => info.value(work_items(sizes)?.div_ceil(size)),
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let count: usize = sizes.value().ok_or_else(|| {
                Error::new(ClCode::InvalidValue, "input_value is no number of sub-groups").at("2.1 5.9.4")
            })?;
            info.dimensions(size_for(
                count,
                size,
                on_device.max_work_group_size(),
                kernel.required_size(),
            ))
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => info.value(on_device.max_work_group_size().div_ceil(size)),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => info.value(kernel.required_subgroups()),
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL if has_required_sizes(device) => {
            info.value(kernel.required_subgroup_size())
        }
        _ => info.unknown(param_name),
    }
    .map(drop)
}

entry! {
    /// cl_khr_subgroups — clGetKernelSubGroupInfoKHR
    fn clGetKernelSubGroupInfoKHR(
        in_kernel: cl_kernel,
        in_device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: size_t,
        input_value: *const c_void [input_value_size],
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let info = Info::new(param_value, param_value_size_ret);
        sub_group_info(in_kernel, in_device, param_name, input_value, info)
    }
}

entry! {
    /// CL 2.1, 5.9.4 — clGetKernelSubGroupInfo, with the queries that cl_khr_subgroups also has. Applications use
    /// this name on devices of any version that report the extension.
    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: size_t,
        input_value: *const c_void [input_value_size],
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let info = Info::new(param_value, param_value_size_ret);
        sub_group_info(kernel, device, param_name, input_value, info)
    }
}

/// Answers clGetKernelSuggestedLocalWorkSize, for both names of the call.
fn suggest(
    queue: Ptr<c_void>,
    kernel: Ptr<c_void>,
    work_dim: cl_uint,
    sizes: [Array<usize>; 3],
) -> Result<()> {
    let [offset, global, suggested] = sizes;
    let queue = handle::borrow::<CommandQueue>(queue)?;
    let kernel = handle::borrow::<Kernel>(kernel)?;
    // CL 3.1, 5.10: INVALID_CONTEXT if the context associated with kernel is not the same as that of command_queue
    if !Arc::ptr_eq(queue.context(), kernel.context()) {
        return Err(Error::new(
            ClCode::InvalidContext,
            "kernel and queue are of different contexts",
        )
        .at("3.1 5.10"));
    }
    // CL 3.1, 5.10: INVALID_VALUE if suggested_local_work_size is NULL
    let null = suggested.is_null();
    let range = super::enqueue::range(work_dim, offset, global, None);
    let local = kernel.suggested_local_size(&queue, &range)?;
    if null {
        return Err(Error::new(ClCode::InvalidValue, "suggested_local_work_size is NULL").at("3.1 5.10"));
    }
    for (d, size) in local.into_iter().enumerate() {
        suggested.write(d, size);
    }
    Ok(())
}

entry! {
    /// CL 3.1, 5.10 — clGetKernelSuggestedLocalWorkSize
    fn clGetKernelSuggestedLocalWorkSize(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const size_t [work_dim],
        global_work_size: *const size_t [work_dim],
        suggested_local_work_size: *mut size_t [work_dim],
    ) {
        let sizes = [global_work_offset, global_work_size, suggested_local_work_size];
        suggest(command_queue, kernel, work_dim, sizes)
    }
}

entry! {
    /// cl_khr_suggested_local_work_size — clGetKernelSuggestedLocalWorkSizeKHR
    fn clGetKernelSuggestedLocalWorkSizeKHR(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const size_t [work_dim],
        global_work_size: *const size_t [work_dim],
        suggested_local_work_size: *mut size_t [work_dim],
    ) {
        let sizes = [global_work_offset, global_work_size, suggested_local_work_size];
        suggest(command_queue, kernel, work_dim, sizes)
    }
}

entry! {
    /// CL 5.7.3 — clGetKernelArgInfo
    fn clGetKernelArgInfo(
        kernel: cl_kernel,
        arg_indx: cl_uint,
        param_name: cl_kernel_arg_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let arg = kernel.arg_info(arg_indx)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
                info.value(arg.address_qualifier.unwrap_or(CL_KERNEL_ARG_ADDRESS_PRIVATE))
            }
            CL_KERNEL_ARG_ACCESS_QUALIFIER => info.value(arg.access_qualifier.unwrap_or(CL_KERNEL_ARG_ACCESS_NONE)),
            CL_KERNEL_ARG_TYPE_NAME => info.text(arg.type_name.as_deref().unwrap_or("")),
            CL_KERNEL_ARG_TYPE_QUALIFIER => info.value(u64::from(arg.type_qualifier.unwrap_or(0))),
            CL_KERNEL_ARG_NAME => info.text(&arg.name),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
