//! CL 5.3.1, 5.3.2, 5.3.7: images, their formats and their queries.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::external::ExternalHandle;
use caldera_runtime::mem::image::{Image, ImageDesc, ImageFormat, ImageType};
use caldera_runtime::mem::{Buffer, MemFlags};
use caldera_runtime::object;

use super::external::{self, LISTS};
use crate::abi::*;
use crate::args::{Host, Ptr};
use crate::out::{self, Info};
use crate::{entry, handle};

/// Reads an image format. Returns `None` if it is NULL or not valid (CL 5.3.1).
fn format(image_format: Ptr<cl_image_format>) -> Option<ImageFormat> {
    let format = image_format.read()?;
    ImageFormat::new(format.image_channel_order, format.image_channel_data_type)
}

fn create(
    context: Ptr<c_void>,
    flags: cl_mem_flags,
    image_format: Ptr<cl_image_format>,
    image_desc: Option<cl_image_desc>,
    host_ptr: Host,
    external: Option<&ExternalHandle>,
) -> Result<Arc<Image>> {
    let context = handle::borrow::<Context>(context)?;
    Image::check_support(&context)?;
    // CL 5.3.1: INVALID_VALUE if values specified in flags are not valid
    let flags = MemFlags::from_bits(flags)?;
    // CL 5.3.1: INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL or not valid
    let format = format(image_format).ok_or_else(|| {
        Error::new(
            ClCode::InvalidImageFormatDescriptor,
            "image_format is NULL or no format",
        )
        .at("5.3.1")
    })?;
    // CL 5.3.1: INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid or if image_desc is NULL
    let bad = |what| Error::new(ClCode::InvalidImageDescriptor, what).at("5.3.1");
    let d = image_desc.ok_or_else(|| bad("image_desc is NULL"))?;
    let buffer = if d.buffer.is_null() {
        None
    } else {
        Some(object::get::<Buffer>(d.buffer).ok_or_else(|| bad("buffer is not a buffer"))?)
    };
    let desc = ImageDesc {
        image_type: d.image_type,
        size: [d.image_width, d.image_height, d.image_depth],
        array_size: d.image_array_size,
        row_pitch: d.image_row_pitch,
        slice_pitch: d.image_slice_pitch,
        mip_levels: d.num_mip_levels,
        samples: d.num_samples,
        buffer,
    };
    Image::import(&context, flags, format, &desc, host_ptr.ptr(), external)
}

entry! {
    /// CL 5.3.1 — clCreateImage
    fn clCreateImage(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        create(context, flags, image_format, image_desc.read(), host_ptr, None).map(object::give)
    }
}

entry! {
    /// CL 3.0, 5.3.1 — clCreateImageWithProperties. The properties are those of cl_khr_external_memory.
    fn clCreateImageWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties [until 0 lists LISTS],
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        let of = handle::borrow::<Context>(context)?;
        Image::check_support(&of)?;
        let properties = properties.read(external::is_known)?;
        let external = external::handle(&of, &properties)?;
        let image = create(context, flags, image_format, image_desc.read(), host_ptr, external.as_ref())?;
        image.properties().keep(properties.words());
        Ok(object::give(image))
    }
}

/// Returns the image descriptor that corresponds to the arguments of a call of OpenCL 1.1.
fn old_desc(image_type: cl_mem_object_type, size: [usize; 3], pitches: [usize; 2]) -> Option<cl_image_desc> {
    Some(cl_image_desc {
        image_type,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    })
}

/// Converts an error to that of a call of OpenCL 1.1. CL 1.1, 5.3.1: wrong sizes and pitches are INVALID_IMAGE_SIZE.
fn old_error(e: Error) -> Error {
    if e.code == ClCode::InvalidImageDescriptor {
        Error::new(ClCode::InvalidImageSize, "a size or pitch is not valid").from_source(e)
    } else {
        e
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
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        let desc = old_desc(
            CL_MEM_OBJECT_IMAGE2D,
            [image_width, image_height, 0],
            [image_row_pitch, 0],
        );
        create(context, flags, image_format, desc, host_ptr, None).map(object::give).map_err(old_error)
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
        host_ptr: *mut c_void [host memory];
        errcode_ret
    ) -> cl_mem {
        let desc = old_desc(
            CL_MEM_OBJECT_IMAGE3D,
            [image_width, image_height, image_depth],
            [image_row_pitch, image_slice_pitch],
        );
        create(context, flags, image_format, desc, host_ptr, None).map(object::give).map_err(old_error)
    }
}

fn raw_format(format: ImageFormat) -> cl_image_format {
    cl_image_format {
        image_channel_order: format.order() as u32,
        image_channel_data_type: format.data() as u32,
    }
}

entry! {
    /// CL 5.3.2 — clGetSupportedImageFormats
    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format [num_entries],
        num_image_formats: *mut cl_uint,
    ) {
        let context = handle::borrow::<Context>(context)?;
        // CL 5.3.2: INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and image_formats is not
        // NULL
        // CL 2.0, 5.3.2: the formats of images that a kernel reads and writes.
        let both = flags & CL_MEM_KERNEL_READ_AND_WRITE != 0;
        let flags = MemFlags::from_bits(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        let ty = ImageType::from_number(image_type)
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "image_type").at("5.3.2"))?;
        if num_entries == 0 && !image_formats.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "num_entries is 0").at("5.3.2"));
        }
        let formats: Vec<_> = Image::supported_formats(&context, flags, both, ty)
            .into_iter()
            .map(raw_format)
            .collect();
        out::counted(&formats, image_formats, num_image_formats);
        Ok(())
    }
}

entry! {
    /// CL 5.3.7 — clGetImageInfo
    fn clGetImageInfo(
        image: cl_mem,
        param_name: cl_image_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let image = handle::borrow::<Image>(image)?;
        let info = Info::new(param_value, param_value_size_ret);
        let [w, h, d] = image.size().map(|n| n as usize);
        // CL 5.3.7: 0 for a dimension that the type does not have
        let (height, depth, array_size) = match image.image_type() {
            ImageType::D1 | ImageType::Buffer => (0, 0, 0),
            ImageType::D1Array => (0, 0, h),
            ImageType::D2 => (h, 0, 0),
            ImageType::D2Array => (h, 0, d),
            ImageType::D3 => (h, d, 0),
        };
        match param_name {
            CL_IMAGE_FORMAT => info.value(raw_format(image.format())),
            CL_IMAGE_ELEMENT_SIZE => info.value(image.format().size() as usize),
            CL_IMAGE_ROW_PITCH => info.value(image.row_pitch() as usize),
            CL_IMAGE_SLICE_PITCH => info.value(image.slice_pitch() as usize),
            CL_IMAGE_WIDTH => info.value(w),
            CL_IMAGE_HEIGHT => info.value(height),
            CL_IMAGE_DEPTH => info.value(depth),
            CL_IMAGE_ARRAY_SIZE => info.value::<usize>(array_size),
            CL_IMAGE_BUFFER => info.value(super::mem::null_or_handle(image.buffer())),
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => info.value(0u32),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
