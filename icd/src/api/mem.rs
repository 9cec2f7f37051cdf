//! CL 5.4: the calls that all memory objects have in common.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::image::Image;
use caldera_runtime::mem::{Buffer, HostPtrUse, MemObject, Pipe};
use caldera_runtime::object;

use crate::abi::*;
use crate::args::Ptr;
use crate::out::Info;
use crate::{callback, entry, handle};

/// Returns the buffer or image of a handle, or CL_INVALID_MEM_OBJECT.
pub(super) fn borrow(memobj: Ptr<c_void>) -> Result<MemObject> {
    match object::get::<Image>(memobj.raw()) {
        Some(image) => Ok(MemObject::Image(image)),
        None => handle::borrow::<Buffer>(memobj).map(MemObject::Buffer),
    }
}

/// Returns the memory object of a handle, which for a pipe is its buffer, or CL_INVALID_MEM_OBJECT.
fn any(handle: *mut c_void) -> Result<MemObject> {
    let image = || object::get::<Image>(handle).map(MemObject::Image);
    let pipe = || object::get::<Pipe>(handle).map(|p| MemObject::Buffer(Arc::clone(p.buffer())));
    object::get::<Buffer>(handle)
        .map(MemObject::Buffer)
        .or_else(image)
        .or_else(pipe)
        .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "not a memory object"))
}

/// Returns the memory objects of a list of handles, or CL_INVALID_MEM_OBJECT.
pub(super) fn list(handles: &[*mut c_void]) -> Result<Vec<MemObject>> {
    handles.iter().map(|h| any(*h)).collect()
}

entry! {
    /// CL 5.4.1 — clRetainMemObject
    fn clRetainMemObject(memobj: cl_mem) {
        match object::retain::<Image>(memobj.raw()).or_else(|| object::retain::<Pipe>(memobj.raw())) {
            Some(()) => Ok(()),
            None => handle::retain::<Buffer>(memobj),
        }
    }
}

entry! {
    /// CL 5.4.1 — clReleaseMemObject
    fn clReleaseMemObject(memobj: cl_mem) {
        match object::release::<Image>(memobj.raw()).or_else(|| object::release::<Pipe>(memobj.raw())) {
            Some(()) => Ok(()),
            None => handle::release::<Buffer>(memobj),
        }
    }
}

entry! {
    /// CL 5.4.1 — clSetMemObjectDestructorCallback
    fn clSetMemObjectDestructorCallback(
        memobj: cl_mem,
        pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let object = any(memobj.raw())?;
        // CL 5.4.1: INVALID_VALUE if pfn_notify is NULL
        let notify = pfn_notify.ok_or_else(|| Error::new(ClCode::InvalidValue, "pfn_notify is NULL").at("5.4.1"))?;
        let callback = callback::destructor(memobj, notify, user_data);
        match object {
            MemObject::Buffer(buffer) => buffer.on_destroy(callback),
            MemObject::Image(image) => image.on_destroy(callback),
        }
        Ok(())
    }
}

pub(super) fn null_or_handle(buffer: Option<&Arc<Buffer>>) -> *mut c_void {
    buffer.map_or(std::ptr::null_mut(), object::handle)
}

entry! {
    /// CL 5.4.5 — clGetMemObjectInfo
    fn clGetMemObjectInfo(
        memobj: cl_mem,
        param_name: cl_mem_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let object = any(memobj.raw())?;
        let pipe = object::get::<Pipe>(memobj.raw());
        let info = Info::new(param_value, param_value_size_ret);
        let flags = match &object {
            MemObject::Buffer(b) => b.flags(),
            MemObject::Image(i) => i.flags(),
        };
        match param_name {
            CL_MEM_TYPE if pipe.is_some() => info.value(CL_MEM_OBJECT_PIPE),
            CL_MEM_TYPE => info.value(match &object {
                MemObject::Buffer(_) => CL_MEM_OBJECT_BUFFER,
                MemObject::Image(i) => i.image_type() as u32,
            }),
            CL_MEM_FLAGS => info.value(pipe.as_ref().map_or(flags.bits(), |p| p.flags())),
            CL_MEM_SIZE => info.value(match &object {
                MemObject::Buffer(b) => b.size() as usize,
                MemObject::Image(i) => i.bytes() as usize,
            }),
            CL_MEM_HOST_PTR => {
                let host = match &object {
                    MemObject::Buffer(b) => b.host_ptr(),
                    MemObject::Image(i) => i.host_ptr(),
                };
                let host = host.filter(|_| flags.host_ptr == HostPtrUse::Use);
                info.value(host.map_or(std::ptr::null_mut::<c_void>(), |h| h.as_ptr().cast()))
            }
            CL_MEM_MAP_COUNT => info.value(match &object {
                MemObject::Buffer(b) => b.map_count(),
                MemObject::Image(i) => i.map_count(),
            }),
            CL_MEM_REFERENCE_COUNT if let Some(pipe) = &pipe => info.value(object::reference_count(&**pipe)),
            CL_MEM_REFERENCE_COUNT => info.value(match &object {
                MemObject::Buffer(b) => object::reference_count(&**b),
                MemObject::Image(i) => object::reference_count(&**i),
            }),
            CL_MEM_CONTEXT => info.value(match &object {
                MemObject::Buffer(b) => object::handle(b.context()),
                MemObject::Image(i) => object::handle(i.context()),
            }),
            CL_MEM_ASSOCIATED_MEMOBJECT => info.value(null_or_handle(match &object {
                MemObject::Buffer(b) => b.associated(),
                MemObject::Image(i) => i.buffer(),
            })),
            CL_MEM_OFFSET => info.value(match &object {
                MemObject::Buffer(b) => b.origin() as usize,
                MemObject::Image(_) => 0,
            }),
            CL_MEM_USES_SVM_POINTER => info.bool(match &object {
                MemObject::Buffer(b) => b.uses_svm(),
                MemObject::Image(i) => i.buffer().is_some_and(|b| b.uses_svm()),
            }),
            CL_MEM_DEVICE_ADDRESS_EXT => match &object {
                MemObject::Buffer(b) => info.slice(b.exposed_addresses()?),
                MemObject::Image(_) => Err(Error::new(ClCode::InvalidOperation, "an image has no address")),
            },
            CL_MEM_PROPERTIES => info.slice(match &object {
                MemObject::Buffer(b) => b.properties().list(),
                MemObject::Image(i) => i.properties().list(),
            }),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
