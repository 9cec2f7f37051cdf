//! CL 2.0, 5.6: shared virtual memory.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::error::{Error, Result};
use caldera_runtime::mem::MemFlags;

use super::enqueue::map_flags;
use super::shared::Interface;
use crate::abi::*;
use crate::args::Ptr;
use crate::{callback, entry, handle};

fn invalid(what: &'static str) -> Error {
    Interface::Svm.invalid(what)
}

/// Allocates shared memory.
fn allocate(context: Ptr<c_void>, flags: cl_svm_mem_flags, size: usize, alignment: u32) -> Result<usize> {
    const ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    let context = handle::borrow::<Context>(context)?;
    // CL 2.0, 5.6.1: NULL if flags does not contain valid flags, or flags that the device does not support; if alignment is
    // not a power of two or greater than the size of the largest data type
    if flags & !ACCESS != 0 {
        return Err(invalid("flags that are not those of coarse-grained SVM"));
    }
    Interface::Svm.check_alignment(alignment)?;
    context.allocate_svm(MemFlags::from_bits(flags | CL_MEM_ALLOC_HOST_PTR)?, size)
}

entry! {
    /// CL 2.0, 5.6.1 — clSVMAlloc
    fn clSVMAlloc(context: cl_context, flags: cl_svm_mem_flags, size: size_t, alignment: cl_uint) -> *mut c_void {
        allocate(context, flags, size, alignment).map(std::ptr::with_exposed_provenance_mut)
    }
}

entry! {
    /// CL 2.0, 5.6.1 — clSVMFree
    fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) -> () {
        handle::borrow::<Context>(context)?.free_svm(svm_pointer.raw().addr());
        Ok(())
    }
}

entry! {
    /// CL 2.0, 5.6.1 — clEnqueueSVMFree
    fn clEnqueueSVMFree(
        command_queue: cl_command_queue,
        num_svm_pointers: cl_uint,
        svm_pointers: *mut *mut c_void [num_svm_pointers],
        pfn_free_func: Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>,
        user_data: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        let queue = &command.queue;
        // CL 2.0, 5.6.1: INVALID_VALUE if num_svm_pointers is 0 and svm_pointers is not NULL, or the reverse
        let pointers = svm_pointers.optional("num_svm_pointers and svm_pointers do not agree")?.unwrap_or(&[]);
        let free = match pfn_free_func {
            Some(function) => callback::svm_free(command_queue, pointers, function, user_data),
            None => {
                let (context, addresses) = (Arc::clone(queue.context()), addresses(pointers));
                Box::new(move |_: &[_]| addresses.iter().for_each(|a| context.free_svm(*a)))
            }
        };
        command.events.finish(queue.enqueue_svm_free(free, command.events.waits()?))
    }
}

fn addresses(pointers: &[*mut c_void]) -> Vec<usize> {
    pointers.iter().map(|p| p.addr()).collect()
}

entry! {
    /// CL 2.0, 5.6.1 — clEnqueueSVMMemcpy
    fn clEnqueueSVMMemcpy(
        command_queue: cl_command_queue,
        blocking_copy: cl_bool,
        dst_ptr: *mut c_void [host memory],
        src_ptr: *const c_void [host memory],
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        command.copy(CommandType::SvmMemcpy, blocking_copy, dst_ptr, src_ptr, size)
    }
}

entry! {
    /// CL 2.0, 5.6.1 — clEnqueueSVMMemFill
    fn clEnqueueSVMMemFill(
        command_queue: cl_command_queue,
        svm_ptr: *mut c_void,
        pattern: *const c_void [pattern_size],
        pattern_size: size_t,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        command.fill(CommandType::SvmMemFill, svm_ptr, pattern.bytes(), size)
    }
}

entry! {
    /// CL 2.0, 5.6.1 — clEnqueueSVMMap
    fn clEnqueueSVMMap(
        command_queue: cl_command_queue,
        blocking_map: cl_bool,
        flags: cl_map_flags,
        svm_ptr: *mut c_void,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        // CL 2.0, 5.6.1: INVALID_VALUE if svm_ptr is NULL, if size is 0, or if map_flags are not valid
        let place = command.place(svm_ptr.raw().addr(), size)?;
        let flags = map_flags(flags)?;
        let waits = command.events.waits()?;
        command.events.finish(command.queue.enqueue_svm_map(&place, size, blocking_map != 0, flags, waits))
    }
}

entry! {
    /// CL 2.0, 5.6.1 — clEnqueueSVMUnmap
    fn clEnqueueSVMUnmap(
        command_queue: cl_command_queue,
        svm_ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        let address = svm_ptr.raw().addr();
        let place = command.place(address, 0)?;
        command.events.finish(command.queue.enqueue_svm_unmap(place, address, command.events.waits()?))
    }
}

entry! {
    /// CL 2.1, 5.6.1 — clEnqueueSVMMigrateMem. All devices of a context with SVM share the memory, so nothing is moved.
    fn clEnqueueSVMMigrateMem(
        command_queue: cl_command_queue,
        num_svm_pointers: cl_uint,
        svm_pointers: *mut *const c_void [num_svm_pointers],
        sizes: *const size_t [num_svm_pointers],
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let command = Interface::Svm.command(command_queue, event_wait_list, event)?;
        // CL 2.1, 5.6.1: INVALID_VALUE if num_svm_pointers is 0 or svm_pointers is NULL; if sizes and pointers are no ranges
        // within allocations; if flags are not valid
        let pointers = svm_pointers
            .slice()
            .filter(|p| !p.is_empty())
            .ok_or_else(|| invalid("no pointers"))?;
        for (i, pointer) in pointers.iter().enumerate() {
            command.place(pointer.addr(), sizes.get(i).unwrap_or(0))?;
        }
        Interface::Svm.check_migration(flags)?;
        command.nothing(CommandType::SvmMigrateMem)
    }
}

entry! {
    /// CL 2.0, 5.9.2 — clSetKernelArgSVMPointer
    fn clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
        Interface::Svm.set_argument(kernel, arg_index, arg_value)
    }
}
