//! cl_khr_semaphore: semaphores of the binary type.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::queue::CommandQueue;
use caldera_runtime::semaphore::{self, Semaphore, SemaphoreHandle, Sharing};

use super::enqueue::EventArgs;
use crate::abi::*;
use crate::args::{Array, PropertyLists, PropertyValues, Ptr};
use crate::out::Info;
use crate::{entry, handle};

/// The name of the type in a property list.
const TYPE: cl_semaphore_properties_khr = CL_SEMAPHORE_TYPE_KHR as cl_semaphore_properties_khr;
/// The name of the list of devices in a property list.
const DEVICES: cl_semaphore_properties_khr =
    CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as cl_semaphore_properties_khr;
/// The name of the query for the types of handles.
const EXPORTS: cl_semaphore_info_khr = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as cl_semaphore_info_khr;
/// The names of properties whose values are lists.
const LISTS: &[cl_semaphore_properties_khr] = &[DEVICES, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR];

/// Creates a semaphore.
fn create(context: Ptr<c_void>, list: PropertyLists<cl_semaphore_properties_khr>) -> Result<Arc<Semaphore>> {
    const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
    let context = handle::borrow::<Context>(context)?;
    let invalid = |what| Error::new(ClCode::InvalidProperty, what);
    // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_VALUE if sema_props is NULL, or if CL_SEMAPHORE_TYPE_KHR is missing
    let missing = || Error::new(ClCode::InvalidValue, "the semaphore has no type");
    if list.is_null() {
        return Err(missing());
    }
    // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_PROPERTY if a name or a value is not valid, or a name is there twice
    let properties = list
        .read(|name| name == TYPE || LISTS.contains(&name) || SemaphoreHandle::from_number(name).is_some())?;
    match properties.find(TYPE) {
        None => return Err(missing()),
        Some([BINARY]) => {}
        Some(_) => return Err(invalid("the type of the semaphore")),
    }
    let device = match properties.find(DEVICES) {
        Some(values) => Some(handle::only_device(&context, values)?),
        // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_PROPERTY if context has several devices and there is no list
        None if context.devices().len() > 1 => {
            return Err(invalid(
                "the context has several devices, and the semaphore is for none",
            ));
        }
        None => None,
    };
    let semaphore = Semaphore::create(&context, device, sharing(&properties)?)?;
    semaphore.property_list().keep(properties.words());
    Ok(semaphore)
}

/// Returns how a semaphore with these properties is shared with other APIs.
fn sharing(properties: &PropertyValues) -> Result<Sharing> {
    let invalid = |what| Err(Error::new(ClCode::InvalidProperty, what));
    let mut kinds = properties.names().filter_map(SemaphoreHandle::from_number);
    let (import, exports) = (
        kinds.next(),
        properties.find(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
    );
    // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_PROPERTY if sema_props includes more than one external semaphore handle
    if kinds.next().is_some() {
        return invalid("several handles");
    }
    match (import, exports) {
        (None, None | Some([0])) => Ok(Sharing::None),
        (Some(kind), None) => {
            let Some(Ok(fd)) = properties.find(kind as u64).map(|v| i32::try_from(v[0] as i64)) else {
                return invalid("a value that is no file descriptor");
            };
            Ok(Sharing::Import(kind, fd))
        }
        // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_OPERATION if there is a handle as well as types for exports
        (Some(_), Some(_)) => Err(Error::new(
            ClCode::InvalidOperation,
            "an imported semaphore cannot be exported",
        )),
        (None, Some([number, 0])) => match SemaphoreHandle::from_number(*number) {
            Some(kind) => Ok(Sharing::Export(kind)),
            None => invalid("an unknown type of handles"),
        },
        // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_VALUE if there is more than one type for exports
        (None, Some(_)) => Err(Error::new(
            ClCode::InvalidValue,
            "several types of handles for exports",
        )),
    }
}

/// Returns the numbers of types of handles.
pub(super) fn numbers(kinds: &[SemaphoreHandle]) -> Vec<cl_external_semaphore_handle_type_khr> {
    kinds.iter().map(|kind| *kind as u32).collect()
}

entry! {
    /// cl_khr_semaphore — clCreateSemaphoreWithPropertiesKHR
    fn clCreateSemaphoreWithPropertiesKHR(
        context: cl_context,
        sema_props: *const cl_semaphore_properties_khr [until 0 lists LISTS];
        errcode_ret
    ) -> cl_semaphore_khr {
        create(context, sema_props).map(object::give)
    }
}

entry! {
    /// cl_khr_semaphore — clRetainSemaphoreKHR
    fn clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::retain::<Semaphore>(sema_object)
    }
}

entry! {
    /// cl_khr_semaphore — clReleaseSemaphoreKHR
    fn clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) {
        handle::release::<Semaphore>(sema_object)
    }
}

/// Takes the arguments that waits and signals share, and makes their checks. Binary semaphores have no payload.
fn arguments(
    queue: &CommandQueue,
    semaphores: Array<cl_semaphore_khr>,
    events: &EventArgs,
) -> Result<Vec<Arc<Semaphore>>> {
    // CL, clEnqueueWaitSemaphoresKHR: INVALID_VALUE if num_sema_objects is 0; INVALID_SEMAPHORE_KHR if a semaphore is not
    // valid
    if semaphores.len() == 0 {
        return Err(Error::new(ClCode::InvalidValue, "num_sema_objects is 0"));
    }
    let handles = semaphores
        .slice()
        .ok_or_else(|| Error::new(ClCode::InvalidSemaphoreKhr, "sema_objects is NULL"))?;
    let list = handle::list::<Semaphore>(handles)?;
    semaphore::check_queue(queue, &list)?;
    events.check_status()?;
    Ok(list)
}

entry! {
    /// cl_khr_semaphore — clEnqueueWaitSemaphoresKHR
    fn clEnqueueWaitSemaphoresKHR(
        command_queue: cl_command_queue,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr [num_sema_objects],
        sema_payload_list: *const cl_semaphore_payload_khr [num_sema_objects],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        let list = arguments(&queue, sema_objects, &events)?;
        events.finish(semaphore::enqueue_wait(&queue, &list, events.waits()?))
    }
}

entry! {
    /// cl_khr_semaphore — clEnqueueSignalSemaphoresKHR
    fn clEnqueueSignalSemaphoresKHR(
        command_queue: cl_command_queue,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr [num_sema_objects],
        sema_payload_list: *const cl_semaphore_payload_khr [num_sema_objects],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        let list = arguments(&queue, sema_objects, &events)?;
        events.finish(semaphore::enqueue_signal(&queue, &list, events.waits()?))
    }
}

entry! {
    /// cl_khr_semaphore — clGetSemaphoreInfoKHR
    fn clGetSemaphoreInfoKHR(
        sema_object: cl_semaphore_khr,
        param_name: cl_semaphore_info_khr,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let semaphore = handle::borrow::<Semaphore>(sema_object)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_SEMAPHORE_CONTEXT_KHR => info.value(object::handle(semaphore.context())),
            CL_SEMAPHORE_REFERENCE_COUNT_KHR => info.value(object::reference_count(&*semaphore)),
            CL_SEMAPHORE_PROPERTIES_KHR => info.slice(semaphore.property_list().list()),
            CL_SEMAPHORE_TYPE_KHR => info.value(CL_SEMAPHORE_TYPE_BINARY_KHR),
            CL_SEMAPHORE_PAYLOAD_KHR => info.value(u64::from(semaphore.is_signaled())),
            EXPORTS => info.slice(&numbers(exported(&semaphore).as_slice())),
            CL_SEMAPHORE_EXPORTABLE_KHR => info.bool(exported(&semaphore).is_some()),
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => {
                let handles: Vec<*mut c_void> = semaphore.devices().iter().map(object::handle).collect();
                info.slice(&handles)
            }
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

/// Returns the type of handles for which a semaphore was created.
fn exported(semaphore: &Semaphore) -> Option<SemaphoreHandle> {
    match semaphore.sharing() {
        Sharing::Export(kind) => Some(kind),
        Sharing::None | Sharing::Import(..) => None,
    }
}

entry! {
    /// cl_khr_external_semaphore — clGetSemaphoreHandleForTypeKHR
    fn clGetSemaphoreHandleForTypeKHR(
        sema_object: cl_semaphore_khr,
        device: cl_device_id,
        handle_type: cl_external_semaphore_handle_type_khr,
        handle_size: size_t,
        handle_ptr: *mut c_void [handle_size],
        handle_size_ret: *mut size_t,
    ) {
        let semaphore = handle::borrow::<Semaphore>(sema_object)?;
        let device = handle::borrow::<Device>(device)?;
        // CL, clGetSemaphoreHandleForTypeKHR: INVALID_DEVICE if the semaphore cannot be shared with the device; INVALID_VALUE
        // if the handle type was not specified when the semaphore was created
        if !semaphore.devices().iter().any(|d| Arc::ptr_eq(d, &device)) {
            return Err(Error::new(ClCode::InvalidDevice, "the semaphore is not for the device"));
        }
        if exported(&semaphore).is_none_or(|kind| kind as u32 != handle_type) {
            return Err(Error::new(ClCode::InvalidValue, "the semaphore was not created for such handles"));
        }
        // CL, clGetSemaphoreHandleForTypeKHR: INVALID_VALUE if handle_size is less than the size of the handle and handle_ptr
        // is not NULL
        let room = handle_ptr.len() >= size_of::<i32>();
        if !handle_ptr.is_null() && !room {
            return Err(Error::new(ClCode::InvalidValue, "handle_size is too small"));
        }
        if !handle_ptr.is_null() {
            handle_ptr.store(&semaphore.export()?.to_ne_bytes());
        }
        handle_size_ret.write(size_of::<i32>());
        Ok(())
    }
}

entry! {
    /// cl_khr_external_semaphore_sync_fd — clReImportSemaphoreSyncFdKHR
    fn clReImportSemaphoreSyncFdKHR(
        sema_object: cl_semaphore_khr,
        reimport_props: *mut cl_semaphore_reimport_properties_khr [until 0],
        fd: cl_int,
    ) {
        let semaphore = handle::borrow::<Semaphore>(sema_object)?;
        // The extension defines no properties.
        if reimport_props.known(|_| false).is_none() {
            return Err(Error::new(ClCode::InvalidValue, "an unknown property"));
        }
        semaphore.import_again(fd)
    }
}
