//! CL 5.3: the answers of a device without images.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

#[test]
fn without_image_support() {
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) != 0 {
        return;
    }
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNORM_INT8,
    };
    let (_, code) = created!(clCreateImage2D(
        s.context,
        0,
        &raw const format,
        4,
        4,
        0,
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_OPERATION);
    let (_, code) = created!(clCreateImage3D(
        s.context,
        0,
        &raw const format,
        4,
        4,
        4,
        0,
        0,
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_OPERATION);
    let (_, code) = created!(clCreateImage(s.context, 0, &raw const format, null(), null_mut()));
    assert_eq!(code, CL_INVALID_OPERATION);
    let (_, code) = created!(clCreateSampler(s.context, 1, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST));
    assert_eq!(code, CL_INVALID_OPERATION);
}

#[test]
fn supported_formats() {
    let s = Setup::new();
    let formats = |flags, kind, n, list: *mut cl_image_format| {
        let mut count = 99;
        let code = cl!(clGetSupportedImageFormats(
            s.context,
            flags,
            kind,
            n,
            list,
            &raw mut count
        ));
        (code, count)
    };
    assert_eq!(
        formats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, null_mut()).0,
        0
    );
    // INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and image_formats is not NULL
    assert_eq!(
        formats(1 << 50, CL_MEM_OBJECT_IMAGE2D, 0, null_mut()).0,
        CL_INVALID_VALUE
    );
    assert_eq!(
        formats(0, CL_MEM_OBJECT_BUFFER, 0, null_mut()).0,
        CL_INVALID_VALUE
    );
    let mut one = cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    assert_eq!(
        formats(0, CL_MEM_OBJECT_IMAGE2D, 0, &raw mut one).0,
        CL_INVALID_VALUE
    );
}

#[test]
fn a_buffer_is_no_image() {
    let s = Setup::new();
    let b = s.buffer(&[0; 64]);
    let mut size = 0usize;
    let code = cl!(clGetImageInfo(
        b,
        CL_IMAGE_WIDTH,
        8,
        (&raw mut size).cast(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    let (origin, region) = ([0usize; 3], [1usize; 3]);
    let mut pixel = [0u8; 4];
    let code = cl!(clEnqueueReadImage(
        s.queue,
        b,
        1,
        origin.as_ptr(),
        region.as_ptr(),
        0,
        0,
        pixel.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}
