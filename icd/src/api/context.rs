//! CL 4.4: contexts.

use std::ffi::{c_char, c_void};

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;

use crate::abi::*;
use crate::args::Properties;
use crate::out::Info;
use crate::{callback, entry, handle};

/// The name of the property of cl_khr_initialize_memory, and the bits of its value.
const INITIALIZE: cl_context_properties = CL_CONTEXT_MEMORY_INITIALIZE_KHR as cl_context_properties;
const INITIALIZED: cl_context_properties = (CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR
    | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR)
    as cl_context_properties;

/// Checks a property list and returns it in the form that CL_CONTEXT_PROPERTIES reports.
fn check_properties(list: Properties<cl_context_properties>) -> Result<Vec<cl_context_properties>> {
    if list.is_null() {
        return Ok(Vec::new());
    }
    let mut kept: Vec<cl_context_properties> = Vec::new();
    for (name, value) in list.pairs() {
        // CL 4.4: INVALID_PROPERTY if the same property name is specified more than once
        if kept.chunks(2).any(|pair| pair[0] == name) {
            return Err(Error::new(ClCode::InvalidProperty, "context property given twice").at("4.4"));
        }
        match name {
            // CL 4.4: INVALID_PLATFORM if the platform value is not a valid platform
            CL_CONTEXT_PLATFORM => {
                let platform = std::ptr::without_provenance(value as usize);
                if object::get::<caldera_runtime::platform::Platform>(platform).is_none() {
                    return Err(Error::new(ClCode::InvalidPlatform, "CL_CONTEXT_PLATFORM").at("4.4"));
                }
            }
            CL_CONTEXT_INTEROP_USER_SYNC if value == 0 || value == 1 => {}
            // cl_khr_initialize_memory
            INITIALIZE if value & !INITIALIZED == 0 => {}
            // CL 4.4: INVALID_PROPERTY if a name is not supported or a value is not valid
            _ => {
                return Err(
                    Error::new(ClCode::InvalidProperty, format!("context property {name:#x}")).at("4.4"),
                );
            }
        }
        kept.extend([name, value]);
    }
    kept.push(0);
    Ok(kept)
}

entry! {
    /// CL 4.4 — clCreateContext
    fn clCreateContext(
        properties: *const cl_context_properties [until 0],
        num_devices: cl_uint,
        devices: *const cl_device_id [num_devices],
        pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>,
        user_data: *mut c_void;
        errcode_ret
    ) -> cl_context {
        let properties = check_properties(properties)?;
        // CL 4.4: INVALID_VALUE if devices is NULL or num_devices is zero
        let devices = devices
            .slice()
            .filter(|d| !d.is_empty())
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "no devices").at("4.4"))?;
        let notify = callback::context(pfn_notify, user_data)?;
        let devices = handle::list::<Device>(devices)?;
        Ok(object::give(Context::create(&devices, properties, notify)?))
    }
}

entry! {
    /// CL 4.4 — clCreateContextFromType
    fn clCreateContextFromType(
        properties: *const cl_context_properties [until 0],
        device_type: cl_device_type,
        pfn_notify: Option<unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>,
        user_data: *mut c_void;
        errcode_ret
    ) -> cl_context {
        let properties = check_properties(properties)?;
        let notify = callback::context(pfn_notify, user_data)?;
        let devices = super::device::of_type(device_type)?;
        Ok(object::give(Context::create(&devices, properties, notify)?))
    }
}

entry! {
    /// CL 4.4 — clRetainContext
    fn clRetainContext(context: cl_context) {
        handle::retain::<Context>(context)
    }
}

entry! {
    /// CL 4.4 — clReleaseContext
    fn clReleaseContext(context: cl_context) {
        handle::release::<Context>(context)
    }
}

entry! {
    /// CL 3.0, 4.4 — clSetContextDestructorCallback
    fn clSetContextDestructorCallback(
        context: cl_context,
        pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let object = handle::borrow::<Context>(context)?;
        // CL 3.0, 4.4: INVALID_VALUE if pfn_notify is NULL
        let notify = pfn_notify.ok_or_else(|| Error::new(ClCode::InvalidValue, "pfn_notify is NULL").at("3.0 4.4"))?;
        object.on_destroy(callback::context_destructor(context, notify, user_data));
        Ok(())
    }
}

entry! {
    /// CL 2.1, 5.1 — clSetDefaultDeviceCommandQueue. No device has queues of its own.
    fn clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, command_queue: cl_command_queue) {
        let context = handle::borrow::<Context>(context)?;
        let device = handle::borrow::<Device>(device)?;
        // CL 2.1, 5.1: INVALID_DEVICE if device is not associated with context
        if !context.has_device(&device) {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("2.1 5.1"));
        }
        // CL 3.0, 5.1: INVALID_OPERATION if device does not support a replaceable default on-device queue
        Err(Error::new(ClCode::InvalidOperation, "the device has no queues of its own").at("3.0 5.1"))
    }
}

entry! {
    /// CL 4.4 — clGetContextInfo
    fn clGetContextInfo(
        context: cl_context,
        param_name: cl_context_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let context = handle::borrow::<Context>(context)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_CONTEXT_REFERENCE_COUNT => info.value(object::reference_count(&*context)),
            CL_CONTEXT_NUM_DEVICES => info.value(context.devices().len() as u32),
            CL_CONTEXT_DEVICES => {
                let devices: Vec<_> = context.devices().iter().map(object::handle).collect();
                info.slice(&devices)
            }
            CL_CONTEXT_PROPERTIES => info.slice(context.properties()),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
