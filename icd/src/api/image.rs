//! CL 5.3: images. No device reports CL_DEVICE_IMAGE_SUPPORT yet, so what makes an image answers with the code that
//! the specification has for that, and no handle is an image.

use std::ffi::c_void;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::queue::CommandQueue;

use crate::abi::*;
use crate::args::Ptr;
use crate::{entry, handle};

fn create(context: Ptr<c_void>) -> Result<*mut c_void> {
    handle::borrow::<Context>(context)?;
    // CL 5.3.1: INVALID_OPERATION if there are no devices in context that support images
    Err(Error::new(
        ClCode::InvalidOperation,
        "no device of the context supports images",
    )
    .at("5.3.1"))
}

/// The queue is checked first, then there is no image to find.
fn no_image(command_queue: Ptr<c_void>) -> Result<()> {
    handle::borrow::<CommandQueue>(command_queue)?;
    Err(Error::new(ClCode::InvalidMemObject, "not an image"))
}

entry! {
    /// CL 5.3.1 — clCreateImage
    fn clCreateImage(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        create(context)
    }
}

entry! {
    /// CL 3.0, 5.3.1 — clCreateImageWithProperties
    fn clCreateImageWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        create(context)
    }
}

entry! {
    /// CL 1.1, 5.3.1 — clCreateImage2D
    fn clCreateImage2D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: size_t,
        image_height: size_t,
        image_row_pitch: size_t,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        create(context)
    }
}

entry! {
    /// CL 1.1, 5.3.1 — clCreateImage3D
    fn clCreateImage3D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: size_t,
        image_height: size_t,
        image_depth: size_t,
        image_row_pitch: size_t,
        image_slice_pitch: size_t,
        host_ptr: *mut c_void;
        errcode_ret
    ) -> cl_mem {
        create(context)
    }
}

entry! {
    /// CL 5.3.2 — clGetSupportedImageFormats
    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) {
        handle::borrow::<Context>(context)?;
        // CL 5.3.2: INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and image_formats is not
        // NULL
        caldera_runtime::mem::MemFlags::from_bits(flags)?;
        if !(CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type) {
            return Err(Error::new(ClCode::InvalidValue, "image_type").at("5.3.2"));
        }
        if num_entries == 0 && !image_formats.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "num_entries is 0").at("5.3.2"));
        }
        num_image_formats.write(0);
        Ok(())
    }
}

entry! {
    /// CL 5.3.6 — clGetImageInfo
    fn clGetImageInfo(
        image: cl_mem,
        param_name: cl_image_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) {
        Err(Error::new(ClCode::InvalidMemObject, "not an image").at("5.3.6"))
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueReadImage
    fn clEnqueueReadImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_read: cl_bool,
        origin: *const size_t,
        region: *const size_t,
        row_pitch: size_t,
        slice_pitch: size_t,
        ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueWriteImage
    fn clEnqueueWriteImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_write: cl_bool,
        origin: *const size_t,
        region: *const size_t,
        input_row_pitch: size_t,
        input_slice_pitch: size_t,
        ptr: *const c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueFillImage
    fn clEnqueueFillImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        fill_color: *const c_void,
        origin: *const size_t,
        region: *const size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueCopyImage
    fn clEnqueueCopyImage(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_image: cl_mem,
        src_origin: *const size_t,
        dst_origin: *const size_t,
        region: *const size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

entry! {
    /// CL 5.3.4 — clEnqueueCopyImageToBuffer
    fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const size_t,
        region: *const size_t,
        dst_offset: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

entry! {
    /// CL 5.3.4 — clEnqueueCopyBufferToImage
    fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_image: cl_mem,
        src_offset: size_t,
        dst_origin: *const size_t,
        region: *const size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        no_image(command_queue)
    }
}

/// As [`no_image`], for the call that returns a pointer.
fn map(command_queue: Ptr<c_void>) -> Result<*mut c_void> {
    no_image(command_queue).map(|()| std::ptr::null_mut())
}

entry! {
    /// CL 5.3.5 — clEnqueueMapImage
    fn clEnqueueMapImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        origin: *const size_t,
        region: *const size_t,
        image_row_pitch: *mut size_t,
        image_slice_pitch: *mut size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event;
        errcode_ret
    ) -> *mut c_void {
        map(command_queue)
    }
}
