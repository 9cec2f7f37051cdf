//! cl_intel_unified_shared_memory.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::kernel::Kernel;
use caldera_runtime::mem::svm::SvmPlace;
use caldera_runtime::mem::usm::{Usm, UsmKind};
use caldera_runtime::object;
use caldera_runtime::queue::{CommandQueue, SvmSide};

use super::enqueue::EventArgs;
use crate::abi::*;
use crate::args::{Host, Properties, Ptr};
use crate::out::Info;
use crate::{entry, handle};

/// The size of the largest data type, `long16`.
const LARGEST: u32 = 128;

fn invalid(what: &'static str) -> Error {
    Error::new(ClCode::InvalidValue, what)
}

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
    // INVALID_VALUE if alignment is not zero or a power of two, or greater than the size of the largest data type
    if alignment != 0 && (!alignment.is_power_of_two() || alignment > LARGEST) {
        return Err(invalid("alignment"));
    }
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
        let kernel = handle::borrow::<Kernel>(kernel)?;
        kernel.context().check_usm(UsmKind::Device)?;
        kernel.set_shared(arg_index, arg_value.raw().addr() as u64)
    }
}

/// Returns the queue, if its device supports USM.
fn usm_queue(command_queue: Ptr<c_void>) -> Result<Arc<CommandQueue>> {
    let queue = handle::borrow::<CommandQueue>(command_queue)?;
    queue.context().check_usm(UsmKind::Device)?;
    Ok(queue)
}

/// Returns the place of a range in an allocation, if the address is in one. INVALID_VALUE if the range is not within it
fn place(context: &Context, address: usize, size: usize) -> Result<Option<SvmPlace>> {
    let found = context.find_usm(address).map(|(place, _)| place);
    let Some(place) = found.or_else(|| context.find_svm(address)) else {
        return Ok(None);
    };
    let end = (place.offset as u64).checked_add(size as u64);
    match end.is_some_and(|end| end <= place.buffer.size()) {
        true => Ok(Some(place)),
        false => Err(invalid("beyond the end of the allocation")),
    }
}

/// Returns one side of a copy. INVALID_VALUE if dst_ptr or src_ptr is NULL
fn side(context: &Context, host: Host, size: usize) -> Result<SvmSide> {
    let ptr = host.ptr().ok_or_else(|| invalid("a pointer is NULL"))?;
    Ok(match place(context, ptr.address(), size)? {
        Some(place) => SvmSide::Shared(place),
        None => SvmSide::Host(ptr),
    })
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
        let queue = usm_queue(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        let pattern = pattern.bytes().ok_or_else(|| invalid("pattern is NULL"))?;
        if size == 0 && !dst_ptr.is_null() {
            return events.finish(queue.enqueue_empty(CommandType::UsmMemFill, events.waits()?));
        }
        let to = place(queue.context(), dst_ptr.raw().addr(), size)?;
        let to = to.ok_or_else(|| invalid("not a pointer to unified shared memory"))?;
        let fill = queue.prepare_svm_fill(CommandType::UsmMemFill, &to, pattern, size)?;
        events.finish(queue.enqueue_prepared(fill, events.waits()?))
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
        const KIND: CommandType = CommandType::UsmMemcpy;
        let queue = usm_queue(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        let context = queue.context();
        if size == 0 && dst_ptr.ptr().is_some() && src_ptr.ptr().is_some() {
            return events.finish(queue.enqueue_empty(KIND, events.waits()?));
        }
        let (to, from) = (side(context, dst_ptr, size)?, side(context, src_ptr, size)?);
        events.finish(queue.enqueue_svm_copy(KIND, &from, &to, size, blocking != 0, events.waits()?))
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
        let queue = usm_queue(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        // INVALID_VALUE if flags is not a supported combination of memory migration flags
        if flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
            return Err(invalid("flags"));
        }
        events.finish(queue.enqueue_empty(CommandType::UsmMigrateMem, events.waits()?))
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
        let queue = usm_queue(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        events.finish(queue.enqueue_empty(CommandType::UsmMemAdvise, events.waits()?))
    }
}
