//! cl_intel_unified_shared_memory.

use std::ffi::c_void;

use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::usm::{Usm, UsmKind};
use caldera_runtime::object;

use super::shared::Interface;
use crate::abi::*;
use crate::args::{Properties, Ptr};
use crate::out::Info;
use crate::{entry, handle};

/// Returns the flags of a property list. INVALID_PROPERTY if a property name is not supported or is there twice, or if the
/// value is not valid
fn flags_of(list: Properties<cl_mem_properties_intel>, kind: UsmKind) -> Result<u64> {
    const WHERE: u64 =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    let refuse = |what| Err(Error::new(ClCode::InvalidProperty, what));
    let flags = match list.known(|name| name == CL_MEM_ALLOC_FLAGS_INTEL).as_deref() {
        Some([]) => 0,
        Some([(_, flags)]) => *flags,
        Some(_) => return refuse("a property is there twice"),
        None => return refuse("an unknown property"),
    };
    let placed = flags & WHERE;
    match kind {
        _ if flags & !(WHERE | CL_MEM_ALLOC_WRITE_COMBINED_INTEL) != 0 => refuse("unknown flags"),
        UsmKind::Shared if placed == WHERE => refuse("two initial places"),
        UsmKind::Host | UsmKind::Device if placed != 0 => refuse("an initial place"),
        _ => Ok(flags),
    }
}

/// Allocates memory. `device` is `None` for memory of the host, and may be NULL for shared memory.
fn allocate(
    context: Ptr<c_void>,
    kind: UsmKind,
    device: Option<Ptr<c_void>>,
    properties: Properties<cl_mem_properties_intel>,
    size: usize,
    alignment: u32,
) -> Result<usize> {
    let context = handle::borrow::<Context>(context)?;
    let given = device.filter(|d| kind == UsmKind::Device || !d.is_null());
    let device = given.map(handle::borrow::<Device>).transpose()?;
    // INVALID_DEVICE if device is not associated with context
    if device.as_ref().is_some_and(|d| !context.has_device(d)) {
        return Err(Error::new(
            ClCode::InvalidDevice,
            "the context has no such device",
        ));
    }
    context.check_usm(kind)?;
    Interface::Usm.check_alignment(alignment)?;
    let flags = flags_of(properties, kind)?;
    context.allocate_usm(Usm { kind, device, flags }, size)
}

entry! {
    /// cl_intel_unified_shared_memory — clHostMemAllocINTEL
    fn clHostMemAllocINTEL(
        context: cl_context,
        properties: *const cl_mem_properties_intel [until 0],
        size: size_t,
        alignment: cl_uint;
        errcode_ret
    ) -> *mut c_void {
        allocate(context, UsmKind::Host, None, properties, size, alignment).map(std::ptr::with_exposed_provenance_mut)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clDeviceMemAllocINTEL
    fn clDeviceMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_mem_properties_intel [until 0],
        size: size_t,
        alignment: cl_uint;
        errcode_ret
    ) -> *mut c_void {
        let address = allocate(context, UsmKind::Device, Some(device), properties, size, alignment)?;
        Ok(std::ptr::with_exposed_provenance_mut(address))
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clSharedMemAllocINTEL
    fn clSharedMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_mem_properties_intel [until 0],
        size: size_t,
        alignment: cl_uint;
        errcode_ret
    ) -> *mut c_void {
        let address = allocate(context, UsmKind::Shared, Some(device), properties, size, alignment)?;
        Ok(std::ptr::with_exposed_provenance_mut(address))
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clMemFreeINTEL. Commands keep the memory that is in their arguments.
    fn clMemFreeINTEL(context: cl_context, ptr: *mut c_void) {
        handle::borrow::<Context>(context)?.free_usm(ptr.raw().addr(), false)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clMemBlockingFreeINTEL
    fn clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) {
        handle::borrow::<Context>(context)?.free_usm(ptr.raw().addr(), true)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clGetMemAllocInfoINTEL
    fn clGetMemAllocInfoINTEL(
        context: cl_context,
        ptr: *const c_void,
        param_name: cl_mem_info_intel,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let context = handle::borrow::<Context>(context)?;
        let address = ptr.raw().addr();
        let found = context.find_usm(address);
        let found = found.as_ref();
        let info = Info::new(param_value, param_value_size_ret);
        const FLAGS: cl_mem_info_intel = CL_MEM_ALLOC_FLAGS_INTEL as cl_mem_info_intel;
        match param_name {
            CL_MEM_ALLOC_TYPE_INTEL => info.value(found.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |(_, usm)| usm.kind as u32)),
            CL_MEM_ALLOC_BASE_PTR_INTEL => info.value(found.map_or(0, |(place, _)| address - place.offset)),
            CL_MEM_ALLOC_SIZE_INTEL => info.value(found.map_or(0, |(place, _)| place.buffer.size() as usize)),
            CL_MEM_ALLOC_DEVICE_INTEL => {
                let device = found.and_then(|(_, usm)| usm.device.as_ref());
                info.value(device.map_or(std::ptr::null_mut::<c_void>(), object::handle))
            }
            FLAGS => info.value(found.map_or(0, |(_, usm)| usm.flags)),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clSetKernelArgMemPointerINTEL. Any pointer is valid.
    fn clSetKernelArgMemPointerINTEL(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
        Interface::Usm.set_argument(kernel, arg_index, arg_value)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clEnqueueMemFillINTEL
    fn clEnqueueMemFillINTEL(
        command_queue: cl_command_queue,
        dst_ptr: *mut c_void,
        pattern: *const c_void [pattern_size],
        pattern_size: size_t,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Usm.command(command_queue, event_wait_list, event)?;
        command.fill(CommandType::UsmMemFill, dst_ptr, pattern.bytes(), size)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clEnqueueMemsetINTEL, of the versions before clEnqueueMemFillINTEL. Each byte gets the
    /// lowest byte of the value.
    fn clEnqueueMemsetINTEL(
        command_queue: cl_command_queue,
        dst_ptr: *mut c_void,
        value: cl_int,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Usm.command(command_queue, event_wait_list, event)?;
        command.fill(CommandType::UsmMemFill, dst_ptr, Some(&[value as u8]), size)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clEnqueueMemcpyINTEL
    fn clEnqueueMemcpyINTEL(
        command_queue: cl_command_queue,
        blocking: cl_bool,
        dst_ptr: *mut c_void [host memory],
        src_ptr: *const c_void [host memory],
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Usm.command(command_queue, event_wait_list, event)?;
        command.copy(CommandType::UsmMemcpy, blocking, dst_ptr, src_ptr, size)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clEnqueueMigrateMemINTEL. Nothing moves, so the command does nothing.
    fn clEnqueueMigrateMemINTEL(
        command_queue: cl_command_queue,
        ptr: *const c_void,
        size: size_t,
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Usm.command(command_queue, event_wait_list, event)?;
        Interface::Usm.check_migration(flags)?;
        command.nothing(CommandType::UsmMigrateMem)
    }
}

entry! {
    /// cl_intel_unified_shared_memory — clEnqueueMemAdviseINTEL. Advice that a device does not support is ignored.
    fn clEnqueueMemAdviseINTEL(
        command_queue: cl_command_queue,
        ptr: *const c_void,
        size: size_t,
        advice: cl_mem_advice_intel,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        Interface::Usm.command(command_queue, event_wait_list, event)?.nothing(CommandType::UsmMemAdvise)
    }
}
