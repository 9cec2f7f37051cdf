//! CL 5.2.1: buffers.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::{Buffer, MemFlags};
use caldera_runtime::object;

use super::external::{self, LISTS};
use crate::abi::*;
use crate::args::{Host, PropertyValues, Ptr};
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

/// Returns whether a buffer with these properties has a fixed device address. CL 3.0, 5.2.1: INVALID_PROPERTY if the value of
/// a property is not supported
fn has_address(context: &Arc<Context>, properties: &PropertyValues) -> Result<bool> {
    match properties.find(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT) {
        None => Ok(false),
        Some([value @ (0 | 1)]) => {
            let has = |d: &Arc<Device>| d.info().extensions.contains(&"cl_ext_buffer_device_address");
            // CL, clCreateBufferWithProperties: INVALID_OPERATION if no devices in the context support the extension
            if !context.devices().iter().any(has) {
                let what = "no device has cl_ext_buffer_device_address";
                return Err(Error::new(ClCode::InvalidOperation, what));
            }
            Ok(*value == 1)
        }
        Some(_) => Err(Error::new(ClCode::InvalidProperty, "no truth value")),
    }
}

entry! {
    /// CL 3.0, 5.2.1 — clCreateBufferWithProperties. The properties are those of cl_ext_buffer_device_address and of
    /// cl_khr_external_memory.
    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties [until 0 lists LISTS],
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        let of = handle::borrow::<Context>(context)?;
        let properties = properties
            .read(|name| name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || external::is_known(name))?;
        let is_exposed = has_address(&of, &properties)?;
        let buffer = match external::handle(&of, &properties)? {
            Some(handle) => Buffer::import(&of, MemFlags::from_bits(flags)?, size, host_ptr.ptr(), &handle)?,
            None => create(context, flags, size, host_ptr)?,
        };
        if is_exposed {
            buffer.expose_addresses()?;
        }
        buffer.properties().keep(properties.words());
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
