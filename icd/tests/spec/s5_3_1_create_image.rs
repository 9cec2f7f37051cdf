//! CL 5.3.1, 5.3.2, 5.3.7: images, their formats, and their queries.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

pub(crate) static RGBA8: cl_image_format = cl_image_format {
    image_channel_order: CL_RGBA,
    image_channel_data_type: CL_UNORM_INT8,
};

/// Returns whether the device supports images.
pub(crate) fn images(s: &Setup) -> bool {
    query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) != 0
}

pub(crate) fn desc(ty: cl_mem_object_type, size: [usize; 3], layers: usize) -> cl_image_desc {
    cl_image_desc {
        image_type: ty,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

pub(crate) fn create(
    s: &Setup,
    flags: cl_mem_flags,
    format: cl_image_format,
    desc: &cl_image_desc,
    host: *mut c_void,
) -> (cl_mem, cl_int) {
    created!(clCreateImage(
        s.context,
        flags,
        &raw const format,
        std::ptr::from_ref(desc),
        host
    ))
}

/// Creates an image, releases it, and returns the error code.
fn creation(s: &Setup, flags: u64, format: cl_image_format, desc: &cl_image_desc, host: *mut c_void) -> i32 {
    let (image, code) = create(s, flags, format, desc, host);
    if code == 0 {
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
    }
    code
}

fn format(order: u32, data: u32) -> cl_image_format {
    cl_image_format {
        image_channel_order: order,
        image_channel_data_type: data,
    }
}

#[test]
fn errors() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let d2 = desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0], 0);
    let code = |flags, format, desc: &cl_image_desc, host| creation(&s, flags, format, desc, host);
    let mut bytes = vec![0u8; 4096];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    assert_eq!(code(0, RGBA8, &d2, null_mut()), 0);
    // INVALID_VALUE if values specified in flags are not valid
    assert_eq!(
        code(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, RGBA8, &d2, null_mut()),
        CL_INVALID_VALUE
    );
    // INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL or not valid
    let (_, none) = created!(clCreateImage(s.context, 0, null(), &raw const d2, null_mut()));
    assert_eq!(none, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    for bad in [
        format(0, CL_UNORM_INT8),
        format(CL_RGBA, 0),
        format(CL_RGB, CL_UNORM_INT8),
        format(CL_LUMINANCE, CL_SIGNED_INT8),
        format(CL_ARGB, CL_FLOAT),
        format(CL_R, CL_UNORM_SHORT_565),
    ] {
        assert_eq!(
            code(0, bad, &d2, null_mut()),
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            "{bad:?}"
        );
    }
    // INVALID_IMAGE_SIZE if dimensions exceed the maximum
    for bad in [
        desc(CL_MEM_OBJECT_IMAGE1D, [1 << 30, 0, 0], 0),
        desc(CL_MEM_OBJECT_IMAGE2D, [4, 1 << 30, 0], 0),
        desc(CL_MEM_OBJECT_IMAGE3D, [4, 4, 1 << 30], 0),
        desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, [4, 0, 0], 1 << 30),
    ] {
        assert_eq!(code(0, RGBA8, &bad, null_mut()), CL_INVALID_IMAGE_SIZE, "{bad:?}");
    }
    // MEM_OBJECT_ALLOCATION_FAILURE if there is no memory for the image
    let most = [
        query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE3D_MAX_WIDTH) as usize),
        query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE3D_MAX_HEIGHT) as usize),
        query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE3D_MAX_DEPTH) as usize),
    ];
    let huge = desc(CL_MEM_OBJECT_IMAGE3D, most, 0);
    let floats = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_FLOAT,
    };
    for _ in 0..3 {
        assert_eq!(
            code(0, floats, &huge, null_mut()),
            CL_MEM_OBJECT_ALLOCATION_FAILURE
        );
    }
    // INVALID_HOST_PTR if host_ptr is NULL and needed, or not NULL and not needed
    assert_eq!(
        code(CL_MEM_USE_HOST_PTR, RGBA8, &d2, null_mut()),
        CL_INVALID_HOST_PTR
    );
    assert_eq!(
        code(CL_MEM_COPY_HOST_PTR, RGBA8, &d2, null_mut()),
        CL_INVALID_HOST_PTR
    );
    assert_eq!(code(0, RGBA8, &d2, host), CL_INVALID_HOST_PTR);
    // IMAGE_FORMAT_NOT_SUPPORTED: kernels cannot write this format
    let packed = format(CL_RGB, CL_UNORM_INT_101010);
    let mut count = 0;
    let mut list = [RGBA8; 256];
    assert_eq!(
        cl!(clGetSupportedImageFormats(
            s.context,
            CL_MEM_WRITE_ONLY,
            CL_MEM_OBJECT_IMAGE2D,
            256,
            list.as_mut_ptr(),
            &raw mut count
        )),
        0
    );
    let same = |f: &cl_image_format| {
        (f.image_channel_order, f.image_channel_data_type)
            == (packed.image_channel_order, packed.image_channel_data_type)
    };
    if !list[..count as usize].iter().any(same) {
        assert_eq!(
            code(CL_MEM_WRITE_ONLY, packed, &d2, null_mut()),
            CL_IMAGE_FORMAT_NOT_SUPPORTED
        );
    }
}

/// CL 5.3.1: INVALID_IMAGE_DESCRIPTOR if image_desc is NULL or values in it are not valid
#[test]
fn errors_of_descriptors() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let d2 = desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0], 0);
    let code = |flags, format, desc: &cl_image_desc, host| creation(&s, flags, format, desc, host);
    let mut bytes = vec![0u8; 4096];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let (_, none) = created!(clCreateImage(s.context, 0, &raw const RGBA8, null(), null_mut()));
    assert_eq!(none, CL_INVALID_IMAGE_DESCRIPTOR);
    let change = |f: &dyn Fn(&mut cl_image_desc)| {
        let mut changed = d2;
        f(&mut changed);
        changed
    };
    let buffer = s.buffer(&[0; 64]);
    for bad in [
        change(&|d| d.image_type = CL_MEM_OBJECT_BUFFER),
        change(&|d| d.image_width = 0),
        change(&|d| d.image_height = 0),
        change(&|d| d.num_mip_levels = 1),
        change(&|d| d.num_samples = 2),
        // Pitches without host memory.
        change(&|d| d.image_row_pitch = 16),
        change(&|d| d.image_slice_pitch = 64),
        // A buffer for a type that takes none, no buffer for a type that needs one, an object that is not a buffer,
        // and a buffer that is too small.
        change(&|d| {
            d.image_type = CL_MEM_OBJECT_IMAGE1D;
            d.buffer = buffer;
        }),
        change(&|d| d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER),
        change(&|d| {
            d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
            d.buffer = s.context;
        }),
        change(&|d| {
            d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
            d.image_width = 17;
            d.buffer = buffer;
        }),
        change(&|d| d.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY),
        change(&|d| d.image_type = CL_MEM_OBJECT_IMAGE3D),
    ] {
        assert_eq!(
            code(0, RGBA8, &bad, null_mut()),
            CL_INVALID_IMAGE_DESCRIPTOR,
            "{bad:?}"
        );
    }
    for bad in [
        change(&|d| d.image_row_pitch = 12),
        change(&|d| d.image_row_pitch = 18),
    ] {
        assert_eq!(
            code(CL_MEM_COPY_HOST_PTR, RGBA8, &bad, host),
            CL_INVALID_IMAGE_DESCRIPTOR,
            "{bad:?}"
        );
    }
    let mut d3 = desc(CL_MEM_OBJECT_IMAGE3D, [4, 4, 2], 0);
    for pitch in [60, 72] {
        d3.image_slice_pitch = pitch;
        assert_eq!(
            code(CL_MEM_COPY_HOST_PTR, RGBA8, &d3, host),
            CL_INVALID_IMAGE_DESCRIPTOR
        );
    }
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// INVALID_VALUE for flags of an image that contradict those of its buffer.
#[test]
fn flags_of_buffers() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    for (of_buffer, of_image, expected) in [
        (CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, 0),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE),
        (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE),
        (CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_INVALID_VALUE),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE),
    ] {
        let (buffer, code) = created!(clCreateBuffer(s.context, of_buffer, 64, null_mut()));
        assert_eq!(code, 0);
        let mut d = desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 0, 0], 0);
        d.buffer = buffer;
        let (image, code) = create(&s, of_image, RGBA8, &d, null_mut());
        assert_eq!(code, expected, "{of_buffer:#x} {of_image:#x}");
        if code == 0 {
            assert_eq!(
                query!(clGetImageInfo(image; CL_IMAGE_BUFFER) as usize),
                buffer.addr()
            );
            assert_eq!(
                query!(clGetMemObjectInfo(image; CL_MEM_ASSOCIATED_MEMOBJECT) as usize),
                buffer.addr()
            );
            assert_eq!(cl!(clReleaseMemObject(image)), 0);
        }
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
}

/// Every image type supports the formats that the full profile requires (table 5.8).
#[test]
fn required_formats() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let data = [
        CL_UNORM_INT8,
        CL_UNORM_INT16,
        CL_SIGNED_INT8,
        CL_SIGNED_INT16,
        CL_SIGNED_INT32,
        CL_UNSIGNED_INT8,
        CL_UNSIGNED_INT16,
        CL_UNSIGNED_INT32,
        CL_HALF_FLOAT,
        CL_FLOAT,
    ];
    for ty in CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER {
        for flags in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE] {
            let mut count = 0;
            let mut list = [RGBA8; 256];
            let code = cl!(clGetSupportedImageFormats(
                s.context,
                flags,
                ty,
                256,
                list.as_mut_ptr(),
                &raw mut count
            ));
            assert_eq!(code, 0);
            let has = |order, data| {
                list[..count as usize]
                    .iter()
                    .any(|f| f.image_channel_order == order && f.image_channel_data_type == data)
            };
            for data in data {
                assert!(has(CL_RGBA, data), "{ty:#x} {flags:#x} {data:#x}");
            }
            assert!(has(CL_BGRA, CL_UNORM_INT8), "{ty:#x} {flags:#x}");
        }
    }
}

#[test]
fn info() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    type Case = (cl_mem_object_type, [usize; 3], usize, [usize; 6]);
    // width, height, depth, array size, row pitch, slice pitch
    let cases: [Case; 5] = [
        (CL_MEM_OBJECT_IMAGE1D, [9, 0, 0], 0, [9, 0, 0, 0, 36, 0]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [9, 0, 0], 3, [9, 0, 0, 3, 36, 36]),
        (CL_MEM_OBJECT_IMAGE2D, [9, 5, 0], 0, [9, 5, 0, 0, 36, 0]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [9, 5, 0], 3, [9, 5, 0, 3, 36, 180]),
        (CL_MEM_OBJECT_IMAGE3D, [9, 5, 2], 0, [9, 5, 2, 0, 36, 180]),
    ];
    for (ty, size, layers, expected) in cases {
        let (image, code) = create(&s, CL_MEM_READ_ONLY, RGBA8, &desc(ty, size, layers), null_mut());
        assert_eq!(code, 0);
        let names = [
            CL_IMAGE_WIDTH,
            CL_IMAGE_HEIGHT,
            CL_IMAGE_DEPTH,
            CL_IMAGE_ARRAY_SIZE,
            CL_IMAGE_ROW_PITCH,
            CL_IMAGE_SLICE_PITCH,
        ];
        for (name, expected) in names.into_iter().zip(expected) {
            assert_eq!(
                query!(clGetImageInfo(image; name) as usize),
                expected,
                "{ty:#x} {name:#x}"
            );
        }
        let format = query!(clGetImageInfo(image; CL_IMAGE_FORMAT) as [u32; 2]);
        assert_eq!(format, [CL_RGBA, CL_UNORM_INT8]);
        assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_ELEMENT_SIZE) as usize), 4);
        assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_NUM_MIP_LEVELS) as u32), 0);
        assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_NUM_SAMPLES) as u32), 0);
        assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_BUFFER) as usize), 0);
        assert_eq!(
            cl!(clGetImageInfo(image, 0x9999, 0, null_mut(), null_mut())),
            CL_INVALID_VALUE
        );
        assert_eq!(query!(clGetMemObjectInfo(image; CL_MEM_TYPE) as u32), ty);
        assert_eq!(
            query!(clGetMemObjectInfo(image; CL_MEM_FLAGS) as u64),
            CL_MEM_READ_ONLY
        );
        assert_eq!(
            query!(clGetMemObjectInfo(image; CL_MEM_REFERENCE_COUNT) as u32),
            1
        );
        let texels = size.iter().map(|n| (*n).max(1)).product::<usize>() * layers.max(1);
        assert_eq!(
            query!(clGetMemObjectInfo(image; CL_MEM_SIZE) as usize),
            4 * texels
        );
        assert_eq!(
            query!(clGetMemObjectInfo(image; CL_MEM_CONTEXT) as usize),
            s.context.addr()
        );
        assert_eq!(cl!(clRetainMemObject(image)), 0);
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
        assert_eq!(cl!(clReleaseMemObject(image)), CL_INVALID_MEM_OBJECT);
    }
}

/// CL 1.1, 5.3.1: the calls of OpenCL 1.1, and their error codes.
#[test]
fn of_opencl_1_1() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let d2 = |w, h, pitch, host: *mut c_void| {
        let flags = if host.is_null() { 0 } else { CL_MEM_COPY_HOST_PTR };
        created!(clCreateImage2D(
            s.context,
            flags,
            &raw const RGBA8,
            w,
            h,
            pitch,
            host
        ))
    };
    let mut bytes: Vec<u8> = (0..255).collect();
    let host = bytes.as_mut_ptr().cast();
    let (image, code) = d2(3, 2, 16, host);
    assert_eq!(code, 0);
    let mut got = [0u8; 24];
    let code = cl!(clEnqueueReadImage(
        s.queue,
        image,
        1,
        [0usize; 3].as_ptr(),
        [3usize, 2, 1].as_ptr(),
        0,
        0,
        got.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let expected: Vec<u8> = (0..12).chain(16..28).collect();
    assert_eq!(got.as_slice(), expected);
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
    assert_eq!(d2(0, 2, 0, null_mut()).1, CL_INVALID_IMAGE_SIZE);
    assert_eq!(d2(3, 2, 8, host).1, CL_INVALID_IMAGE_SIZE);
    let (image, code) = created!(clCreateImage3D(
        s.context,
        CL_MEM_READ_ONLY,
        &raw const RGBA8,
        3,
        2,
        2,
        0,
        0,
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetMemObjectInfo(image; CL_MEM_TYPE) as u32),
        CL_MEM_OBJECT_IMAGE3D
    );
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
}
