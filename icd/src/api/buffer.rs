//! CL 5.2 and 5.4: buffers, and what all memory objects have in common.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::{Buffer, HostPtrUse, MemFlags};
use caldera_runtime::object;

use crate::abi::*;
use crate::args::{self, Ptr};
use crate::out::Info;
use crate::{callback, entry, handle};

fn create(
    context: Ptr<c_void>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: Ptr<c_void>,
) -> Result<*mut c_void> {
    let context = handle::borrow::<Context>(context)?;
    // CL 5.2.1: INVALID_VALUE if values specified in flags are not valid
    let flags = MemFlags::from_bits(flags)?;
    let buffer = Buffer::create(&context, flags, size, args::host_ptr(host_ptr))?;
    Ok(object::give(buffer))
}

entry! {
    /// CL 5.2.1 — clCreateBuffer
    fn clCreateBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        create(context, flags, size, host_ptr)
    }
}

entry! {
    /// CL 3.0, 5.2.1 — clCreateBufferWithProperties; there are no properties
    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        if !args::properties(properties).is_empty() {
            return Err(Error::new(ClCode::InvalidProperty, "buffer properties"));
        }
        create(context, flags, size, host_ptr)
    }
}

entry! {
    /// CL 5.2.1 — clCreateSubBuffer
    fn clCreateSubBuffer(
        buffer: cl_mem,
        flags: cl_mem_flags,
        buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void;
        errcode_ret
    ) -> cl_mem {
        let buffer = handle::borrow::<Buffer>(buffer)?;
        // CL 5.2.1: INVALID_VALUE if the value specified in buffer_create_type is not valid
        if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::new(ClCode::InvalidValue, "buffer_create_type").at("5.2.1"));
        }
        // CL 5.2.1: INVALID_VALUE if buffer_create_info is NULL
        let region: cl_buffer_region = buffer_create_info
            .cast()
            .read()
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "buffer_create_info is NULL").at("5.2.1"))?;
        Ok(object::give(Buffer::create_sub(&buffer, flags, region.origin, region.size)?))
    }
}

entry! {
    /// CL 5.4.1 — clRetainMemObject
    fn clRetainMemObject(memobj: cl_mem) {
        handle::retain::<Buffer>(memobj)
    }
}

entry! {
    /// CL 5.4.1 — clReleaseMemObject
    fn clReleaseMemObject(memobj: cl_mem) {
        handle::release::<Buffer>(memobj)
    }
}

entry! {
    /// CL 5.4.1 — clSetMemObjectDestructorCallback
    fn clSetMemObjectDestructorCallback(
        memobj: cl_mem,
        pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let buffer = handle::borrow::<Buffer>(memobj)?;
        // CL 5.4.1: INVALID_VALUE if pfn_notify is NULL
        let notify = pfn_notify.ok_or_else(|| Error::new(ClCode::InvalidValue, "pfn_notify is NULL").at("5.4.1"))?;
        buffer.on_destroy(callback::destructor(memobj, notify, user_data));
        Ok(())
    }
}

fn null_or_handle(buffer: Option<&Arc<Buffer>>) -> *mut c_void {
    buffer.map_or(std::ptr::null_mut(), object::handle)
}

entry! {
    /// CL 5.4.5 — clGetMemObjectInfo
    fn clGetMemObjectInfo(
        memobj: cl_mem,
        param_name: cl_mem_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) {
        let buffer = handle::borrow::<Buffer>(memobj)?;
        let info = Info::new(param_value_size, param_value, param_value_size_ret);
        match param_name {
            CL_MEM_TYPE => info.value(CL_MEM_OBJECT_BUFFER),
            CL_MEM_FLAGS => info.value(buffer.flags().bits()),
            CL_MEM_SIZE => info.value(buffer.size() as usize),
            CL_MEM_HOST_PTR => {
                let used = buffer.flags().host_ptr == HostPtrUse::Use;
                let host = buffer.host_ptr().filter(|_| used);
                info.value(host.map_or(std::ptr::null_mut::<c_void>(), |h| h.as_ptr().cast()))
            }
            CL_MEM_MAP_COUNT => info.value(buffer.map_count()),
            CL_MEM_REFERENCE_COUNT => info.value(object::reference_count(&*buffer)),
            CL_MEM_CONTEXT => info.value(object::handle(buffer.context())),
            CL_MEM_ASSOCIATED_MEMOBJECT => info.value(null_or_handle(buffer.parent())),
            CL_MEM_OFFSET => info.value(buffer.offset() as usize),
            CL_MEM_USES_SVM_POINTER => info.bool(false),
            CL_MEM_PROPERTIES => info.slice::<u64>(&[]),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
