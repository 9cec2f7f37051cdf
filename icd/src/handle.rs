//! The only place where a `cl_*` handle is turned into an object.
//!
//! A handle is the address of a cell in a slab that is never unmapped ([`caldera_runtime::object`]). Its value is
//! compared with the addresses of the slabs before anything is read. So null, garbage, and handles of another
//! library, of another type or of a deleted object are recognised, and the call returns the error code of the
//! expected object type. This module contains no unsafe code.
//!
//! The application's reference count belongs to the cell and not to the `Arc`, so references that the runtime holds
//! do not count in `CL_*_REFERENCE_COUNT`. Releasing an object more often than it was retained returns the error
//! code. Releasing the last reference while another thread uses the handle is an error of the application (CL 5,
//! appendix A.2); the other call then gets either the object or the error code.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object::{self, Object};

use crate::args::{Array, Ptr};

#[cold]
fn invalid<T: Object>(handle: *const c_void) -> Error {
    Error::new(T::INVALID, format!("{handle:p} is not a {}", T::NAME))
}

/// Returns the object of a handle, or the error code of its type.
pub(crate) fn borrow<T: Object>(handle: Ptr<c_void>) -> Result<Arc<T>> {
    borrow_raw(handle.raw())
}

fn borrow_raw<T: Object>(handle: *const c_void) -> Result<Arc<T>> {
    object::get(handle).ok_or_else(|| invalid::<T>(handle))
}

/// Implements `clRetain*`.
pub(crate) fn retain<T: Object>(handle: Ptr<c_void>) -> Result<()> {
    object::retain::<T>(handle.raw()).ok_or_else(|| invalid::<T>(handle.raw()))
}

/// Implements `clRelease*`.
pub(crate) fn release<T: Object>(handle: Ptr<c_void>) -> Result<()> {
    object::release::<T>(handle.raw()).ok_or_else(|| invalid::<T>(handle.raw()))
}

/// Returns the objects of a list of handles, or the error code of their type if one is not valid.
pub(crate) fn list<T: Object>(handles: &[*mut c_void]) -> Result<Vec<Arc<T>>> {
    handles.iter().map(|h| borrow_raw(*h)).collect()
}

/// Returns the device of a list of a property, which ends with a zero. CL, clCreateSemaphoreWithPropertiesKHR,
/// clCreateBufferWithProperties: INVALID_DEVICE if the list does not identify one valid device of the context
pub(crate) fn only_device(context: &Context, list: &[u64]) -> Result<Arc<Device>> {
    let [device, 0] = list else {
        return Err(Error::new(ClCode::InvalidDevice, "not one device"));
    };
    let device = borrow_raw::<Device>(std::ptr::with_exposed_provenance(*device as usize))?;
    match context.has_device(&device) {
        true => Ok(device),
        false => Err(Error::new(
            ClCode::InvalidDevice,
            "the context has no such device",
        )),
    }
}

/// Returns the objects of a list of handles that may be absent, or the reason why it is not a list: it is NULL and
/// `num_…` is not 0, or the reverse, or it has an invalid handle.
pub(crate) fn optional_list<T: Object>(
    handles: Array<*mut c_void>,
) -> std::result::Result<Vec<Arc<T>>, &'static str> {
    match (handles.len(), handles.is_null()) {
        (0, true) => Ok(Vec::new()),
        (0, false) => Err("the list is not NULL and has no elements"),
        (_, true) => Err("the list is NULL"),
        (_, false) => {
            let handles = handles.slice().ok_or("the address is not that of a list")?;
            handles
                .iter()
                .map(|h| object::get(*h).ok_or("an element is not valid"))
                .collect()
        }
    }
}
