//! 5.3.1, 5.3.2, 5.3.7: images and their queries.

use std::ptr::{null, null_mut};

use super::objects::UNKNOWN;
use super::world::{RGBA8, World, desc, host, image_with, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

/// Creates a 2D image with a descriptor that `change` has modified, and returns the error code.
fn changed(w: &World, change: impl Fn(&mut cl_image_desc)) -> cl_int {
    let mut flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
    change(&mut flat);
    image_with(w.s.context, 0, RGBA8, &flat, null_mut()).1
}

/// Creates a 2D image with flags and a host pointer, and returns the error code.
fn flags(w: &World, flags: cl_mem_flags, host: *mut std::ffi::c_void) -> cl_int {
    let flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
    image_with(w.s.context, flags, RGBA8, &flat, host).1
}

/// Creates a 2D image of a format, and returns the error code.
fn format(w: &World, order: cl_channel_order, ty: cl_channel_type) -> cl_int {
    let flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
    let format = cl_image_format {
        image_channel_order: order,
        image_channel_data_type: ty,
    };
    image_with(w.s.context, 0, format, &flat, null_mut()).1
}

/// Calls clCreateImage2D, and returns the error code.
fn flat(
    w: &World,
    flags: cl_mem_flags,
    size: [usize; 2],
    pitch: usize,
    host: *mut std::ffi::c_void,
) -> cl_int {
    created!(clCreateImage2D(
        w.s.context,
        flags,
        &RGBA8,
        size[0],
        size[1],
        pitch,
        host
    ))
    .1
}

/// Calls clCreateImage3D, and returns the error code.
fn solid(
    w: &World,
    flags: cl_mem_flags,
    size: [usize; 3],
    pitches: [usize; 2],
    host: *mut std::ffi::c_void,
) -> cl_int {
    let ([x, y, z], [row, slice]) = (size, pitches);
    created!(clCreateImage3D(
        w.s.context,
        flags,
        &RGBA8,
        x,
        y,
        z,
        row,
        slice,
        host
    ))
    .1
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.3.1", clCreateImage,
        CL_INVALID_CONTEXT "context is not valid" => |w| {
            let flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
            w.none(|h| image_with(h, 0, RGBA8, &flat, null_mut()).1)
        },
        CL_INVALID_VALUE "flags: an unknown bit" => |w| flags(w, 1 << 30, null_mut()),
        CL_INVALID_VALUE "flags: READ_ONLY and WRITE_ONLY" => |w| flags(w, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, null_mut()),
        CL_INVALID_VALUE "flags: READ_WRITE and WRITE_ONLY" => |w| flags(w, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, null_mut()),
        CL_INVALID_VALUE "flags: USE_HOST_PTR and COPY_HOST_PTR" => |w| flags(w, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, host()),
        CL_INVALID_VALUE "flags: HOST_READ_ONLY and HOST_NO_ACCESS" => |w| flags(w, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, null_mut()),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "image_format is NULL" => |w| {
            let flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
            created!(clCreateImage(w.s.context, 0, null(), &raw const flat, null_mut())).1
        },
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "the channel order is none" => |w| format(w, 0x7777, CL_UNORM_INT8),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "the channel type is none" => |w| format(w, CL_RGBA, 0x7777),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "RGB with a type that is not packed" => |w| format(w, CL_RGB, CL_FLOAT),
        CL_INVALID_IMAGE_DESCRIPTOR "image_desc is NULL" =>
            |w| created!(clCreateImage(w.s.context, 0, &RGBA8, null(), null_mut())).1,
        CL_INVALID_IMAGE_DESCRIPTOR "image_type is none" => |w| changed(w, |d| d.image_type = 0x7777),
        CL_INVALID_IMAGE_DESCRIPTOR "image_type is that of buffers" => |w| changed(w, |d| d.image_type = CL_MEM_OBJECT_BUFFER),
        CL_INVALID_IMAGE_DESCRIPTOR "num_mip_levels is not 0" => |w| changed(w, |d| d.num_mip_levels = 1),
        CL_INVALID_IMAGE_DESCRIPTOR "num_samples is not 0" => |w| changed(w, |d| d.num_samples = 1),
        CL_INVALID_IMAGE_DESCRIPTOR "a row pitch without host_ptr" => |w| changed(w, |d| d.image_row_pitch = 64),
        CL_INVALID_IMAGE_DESCRIPTOR "a row pitch less than a row" => |w| {
            let mut flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
            flat.image_row_pitch = 32;
            image_with(w.s.context, CL_MEM_COPY_HOST_PTR, RGBA8, &flat, host()).1
        },
        CL_INVALID_IMAGE_DESCRIPTOR "a row pitch that is no multiple of the texel's size" => |w| {
            let mut flat = desc(CL_MEM_OBJECT_IMAGE2D, [16, 16, 0]);
            flat.image_row_pitch = 65;
            image_with(w.s.context, CL_MEM_COPY_HOST_PTR, RGBA8, &flat, host()).1
        },
        CL_INVALID_IMAGE_DESCRIPTOR "a slice pitch less than a slice" => |w| {
            let mut solid = desc(CL_MEM_OBJECT_IMAGE3D, [4, 4, 4]);
            solid.image_slice_pitch = 16;
            image_with(w.s.context, CL_MEM_COPY_HOST_PTR, RGBA8, &solid, host()).1
        },
        CL_INVALID_IMAGE_DESCRIPTOR "1D from a buffer without a buffer" =>
            |w| changed(w, |d| (d.image_type, d.image_height) = (CL_MEM_OBJECT_IMAGE1D_BUFFER, 0)),
        CL_INVALID_IMAGE_DESCRIPTOR "the width is 0" => |w| changed(w, |d| d.image_width = 0),
        CL_INVALID_IMAGE_DESCRIPTOR "the height is 0" => |w| changed(w, |d| d.image_height = 0),
        CL_INVALID_IMAGE_SIZE "wider than CL_DEVICE_IMAGE2D_MAX_WIDTH" => |w| changed(w, |d| d.image_width = 1 << 30),
        CL_INVALID_IMAGE_SIZE "higher than CL_DEVICE_IMAGE2D_MAX_HEIGHT" => |w| changed(w, |d| d.image_height = 1 << 30),
        CL_INVALID_IMAGE_SIZE "deeper than CL_DEVICE_IMAGE3D_MAX_DEPTH" =>
            |w| changed(w, |d| (d.image_type, d.image_depth) = (CL_MEM_OBJECT_IMAGE3D, 1 << 30)),
        CL_INVALID_IMAGE_SIZE "more layers than CL_DEVICE_IMAGE_MAX_ARRAY_SIZE" =>
            |w| changed(w, |d| (d.image_type, d.image_array_size) = (CL_MEM_OBJECT_IMAGE2D_ARRAY, 1 << 30)),
        CL_INVALID_HOST_PTR "host_ptr is NULL with USE_HOST_PTR" => |w| flags(w, CL_MEM_USE_HOST_PTR, null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is NULL with COPY_HOST_PTR" => |w| flags(w, CL_MEM_COPY_HOST_PTR, null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is not NULL without either" => |w| flags(w, 0, host()),
        CL_IMAGE_FORMAT_NOT_SUPPORTED "a format that no device has" => |w| format(w, CL_RGB, CL_UNORM_SHORT_565),
    );
    all.extend(rows!("5.3.1", clCreateImage2D,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateImage2D(h, 0, &RGBA8, 16, 16, 0, null_mut())).1),
        CL_INVALID_VALUE "flags are not valid" => |w| flat(w, 1 << 30, [16, 16], 0, null_mut()),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "image_format is NULL" =>
            |w| created!(clCreateImage2D(w.s.context, 0, null(), 16, 16, 0, null_mut())).1,
        CL_INVALID_IMAGE_SIZE "the width is 0" => |w| flat(w, 0, [0, 16], 0, null_mut()),
        CL_INVALID_IMAGE_SIZE "the height is 0" => |w| flat(w, 0, [16, 0], 0, null_mut()),
        CL_INVALID_IMAGE_SIZE "too large" => |w| flat(w, 0, [1 << 30, 16], 0, null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is NULL with COPY_HOST_PTR" => |w| flat(w, CL_MEM_COPY_HOST_PTR, [16, 16], 0, null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is not NULL without USE or COPY" => |w| flat(w, 0, [16, 16], 0, host()),
    ));
    all.extend(rows!("5.3.1", clCreateImage3D,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateImage3D(h, 0, &RGBA8, 4, 4, 4, 0, 0, null_mut())).1),
        CL_INVALID_VALUE "flags are not valid" => |w| solid(w, 1 << 30, [4, 4, 4], [0, 0], null_mut()),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "image_format is NULL" =>
            |w| created!(clCreateImage3D(w.s.context, 0, null(), 4, 4, 4, 0, 0, null_mut())).1,
        CL_INVALID_IMAGE_SIZE "the width is 0" => |w| solid(w, 0, [0, 4, 4], [0, 0], null_mut()),
        CL_INVALID_IMAGE_SIZE "too large" => |w| solid(w, 0, [4, 4, 1 << 30], [0, 0], null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is NULL with COPY_HOST_PTR" =>
            |w| solid(w, CL_MEM_COPY_HOST_PTR, [4, 4, 4], [0, 0], null_mut()),
        CL_INVALID_HOST_PTR "host_ptr is not NULL without USE or COPY" => |w| solid(w, 0, [4, 4, 4], [0, 0], host()),
    ));
    all.extend(rows!("5.3.2", clGetSupportedImageFormats,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| cl!(clGetSupportedImageFormats(h, 0, CL_MEM_OBJECT_IMAGE2D, 1, room().cast(), null_mut()))),
        CL_INVALID_VALUE "flags are not valid" =>
            |w| cl!(clGetSupportedImageFormats(w.s.context, 1 << 30, CL_MEM_OBJECT_IMAGE2D, 1, room().cast(), null_mut())),
        CL_INVALID_VALUE "image_type is not valid" =>
            |w| cl!(clGetSupportedImageFormats(w.s.context, 0, 0x7777, 1, room().cast(), null_mut())),
        CL_INVALID_VALUE "num_entries is 0 and image_formats is not NULL" =>
            |w| cl!(clGetSupportedImageFormats(w.s.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, room().cast(), null_mut())),
    ));
    all.extend(rows!("5.3.7", clGetImageInfo,
        CL_INVALID_MEM_OBJECT "image is not valid" =>
            |w| w.none(|h| cl!(clGetImageInfo(h, CL_IMAGE_WIDTH, 512, room(), null_mut()))),
        CL_INVALID_MEM_OBJECT "image is a buffer" =>
            |w| cl!(clGetImageInfo(w.buffer, CL_IMAGE_WIDTH, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetImageInfo(w.image, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetImageInfo(w.image, CL_IMAGE_WIDTH, 4, room(), null_mut())),
    ));
    all
}
