//! CL 5.2.1: buffers.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::{Buffer, MemFlags};
use caldera_runtime::object;

use crate::abi::*;
use crate::args::{Host, Ptr};
use crate::{entry, handle};

fn create(context: Ptr<c_void>, flags: cl_mem_flags, size: usize, host_ptr: Host) -> Result<Arc<Buffer>> {
    let context = handle::borrow::<Context>(context)?;
    // CL 5.2.1: INVALID_VALUE if values specified in flags are not valid
    let flags = MemFlags::from_bits(flags)?;
    Buffer::create(&context, flags, size, host_ptr.ptr())
}

entry! {
    /// CL 5.2.1 — clCreateBuffer
    fn clCreateBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        create(context, flags, size, host_ptr).map(object::give)
    }
}

entry! {
    /// CL 3.0, 5.2.1 — clCreateBufferWithProperties. No property is supported, so a list with one is an error.
    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties [until 0],
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        if !properties.pairs().is_empty() {
            handle::borrow::<Context>(context)?;
            return Err(Error::new(ClCode::InvalidProperty, "buffer properties"));
        }
        let buffer = create(context, flags, size, host_ptr)?;
        buffer.properties().keep(properties.values());
        Ok(object::give(buffer))
    }
}

entry! {
    /// CL 5.2.1 — clCreateSubBuffer
    fn clCreateSubBuffer(
        buffer: cl_mem,
        flags: cl_mem_flags,
        buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void [{ size_of::<cl_buffer_region>() }];
        errcode_ret
    ) -> cl_mem {
        let buffer = handle::borrow::<Buffer>(buffer)?;
        // CL 5.2.1: INVALID_VALUE if the value specified in buffer_create_type is not valid
        if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::new(ClCode::InvalidValue, "buffer_create_type").at("5.2.1"));
        }
        // CL 5.2.1: INVALID_VALUE if buffer_create_info is NULL
        let region: cl_buffer_region = buffer_create_info
            .value()
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "buffer_create_info is NULL").at("5.2.1"))?;
        Ok(object::give(Buffer::create_sub(&buffer, flags, region.origin, region.size)?))
    }
}
