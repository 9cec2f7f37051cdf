//! 5.3.3 to 5.3.6: commands on images.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use super::enqueue::{contexts, waits};
use super::world::{World, host};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

type Triple = [usize; 3];

const ORIGIN: Triple = [0; 3];
const BOX: Triple = [8, 8, 1];

/// A region of an image, and its pitches in host memory.
#[derive(Copy, Clone)]
struct Part {
    origin: Triple,
    region: Triple,
    row: usize,
    slice: usize,
}

const PART: Part = Part {
    origin: ORIGIN,
    region: BOX,
    row: 0,
    slice: 0,
};

fn transfer(
    q: cl_command_queue,
    writes: bool,
    image: cl_mem,
    p: Part,
    ptr: *mut c_void,
    n: cl_uint,
    l: *const cl_event,
) -> cl_int {
    let (o, r) = (p.origin.as_ptr(), p.region.as_ptr());
    if writes {
        cl!(clEnqueueWriteImage(
            q,
            image,
            1,
            o,
            r,
            p.row,
            p.slice,
            ptr,
            n,
            l,
            null_mut()
        ))
    } else {
        cl!(clEnqueueReadImage(
            q,
            image,
            1,
            o,
            r,
            p.row,
            p.slice,
            ptr,
            n,
            l,
            null_mut()
        ))
    }
}

fn go(w: &World, writes: bool, image: cl_mem, part: Part) -> cl_int {
    transfer(w.s.queue, writes, image, part, host(), 0, null())
}

fn copy(w: &World, src: cl_mem, dst: cl_mem, a: Triple, b: Triple, region: Triple) -> cl_int {
    let (a, b, r) = (a.as_ptr(), b.as_ptr(), region.as_ptr());
    cl!(clEnqueueCopyImage(
        w.s.queue,
        src,
        dst,
        a,
        b,
        r,
        0,
        null(),
        null_mut()
    ))
}

fn fill(w: &World, image: cl_mem, color: *const c_void, origin: Triple, region: Triple) -> cl_int {
    let (o, r) = (origin.as_ptr(), region.as_ptr());
    cl!(clEnqueueFillImage(
        w.s.queue,
        image,
        color,
        o,
        r,
        0,
        null(),
        null_mut()
    ))
}

fn to_buffer(
    w: &World,
    image: cl_mem,
    buffer: cl_mem,
    origin: Triple,
    region: Triple,
    offset: usize,
) -> cl_int {
    let (o, r) = (origin.as_ptr(), region.as_ptr());
    cl!(clEnqueueCopyImageToBuffer(
        w.s.queue,
        image,
        buffer,
        o,
        r,
        offset,
        0,
        null(),
        null_mut()
    ))
}

fn to_image(
    w: &World,
    buffer: cl_mem,
    image: cl_mem,
    origin: Triple,
    region: Triple,
    offset: usize,
) -> cl_int {
    let (o, r) = (origin.as_ptr(), region.as_ptr());
    cl!(clEnqueueCopyBufferToImage(
        w.s.queue,
        buffer,
        image,
        offset,
        o,
        r,
        0,
        null(),
        null_mut()
    ))
}

fn map_on(
    q: cl_command_queue,
    image: cl_mem,
    flags: cl_map_flags,
    p: Part,
    n: cl_uint,
    l: *const cl_event,
) -> cl_int {
    let (mut row, mut slice) = (0, 0);
    let (o, r, row, slice) = (p.origin.as_ptr(), p.region.as_ptr(), &raw mut row, &raw mut slice);
    created!(clEnqueueMapImage(
        q,
        image,
        1,
        flags,
        o,
        r,
        row,
        slice,
        n,
        l,
        null_mut()
    ))
    .1
}

fn map(w: &World, image: cl_mem, flags: cl_map_flags, part: Part) -> cl_int {
    map_on(w.s.queue, image, flags, part, 0, null())
}

/// Makes the rows that clEnqueueReadImage and clEnqueueWriteImage share.
macro_rules! transfer_rows {
    ($call:ident, $writes:literal, $forbidden:ident) => {{
        let mut all = waits!("5.3.3", $call, |w, q, n, l| transfer(q, $writes, w.image, PART, host(), n, l));
        all.extend(contexts!("5.3.3", $call, "image is of another context", |w| go(w, $writes, w.other_image, PART)));
        all.extend(rows!("5.3.3", $call,
            CL_INVALID_MEM_OBJECT "image is not valid" => |w| w.none(|h| go(w, $writes, h, PART)),
            CL_INVALID_MEM_OBJECT "image is a buffer" => |w| go(w, $writes, w.buffer, PART),
            CL_INVALID_VALUE "the origin is outside" => |w| go(w, $writes, w.image, Part { origin: [16, 0, 0], ..PART }),
            CL_INVALID_VALUE "the region ends outside" => |w| go(w, $writes, w.image, Part { origin: [0, 9, 0], ..PART }),
            CL_INVALID_VALUE "origin and region overflow" => |w| go(w, $writes, w.image, Part { origin: [usize::MAX - 3, 0, 0], ..PART }),
            CL_INVALID_VALUE "the width is 0" => |w| go(w, $writes, w.image, Part { region: [0, 8, 1], ..PART }),
            CL_INVALID_VALUE "the height is 0" => |w| go(w, $writes, w.image, Part { region: [8, 0, 1], ..PART }),
            CL_INVALID_VALUE "the depth is 0" => |w| go(w, $writes, w.image, Part { region: [8, 8, 0], ..PART }),
            CL_INVALID_VALUE "2D, and origin[2] is not 0" => |w| go(w, $writes, w.image, Part { origin: [0, 0, 1], ..PART }),
            CL_INVALID_VALUE "2D, and region[2] is not 1" => |w| go(w, $writes, w.image, Part { region: [8, 8, 2], ..PART }),
            CL_INVALID_VALUE "the row pitch is less than a row" => |w| go(w, $writes, w.image, Part { row: 16, ..PART }),
            CL_INVALID_VALUE "the slice pitch is less than a slice" =>
                |w| go(w, $writes, w.image3, Part { region: [8, 8, 2], slice: 64, ..PART }),
            CL_INVALID_VALUE "2D, and the slice pitch is not 0" => |w| go(w, $writes, w.image, Part { slice: 256, ..PART }),
            CL_INVALID_VALUE "ptr is NULL" =>
                |w| transfer(w.s.queue, $writes, w.image, PART, null_mut(), 0, null()),
            CL_INVALID_VALUE "origin is NULL" => |w| {
                let r = BOX.as_ptr();
                if $writes {
                    cl!(clEnqueueWriteImage(w.s.queue, w.image, 1, null(), r, 0, 0, host(), 0, null(), null_mut()))
                } else {
                    cl!(clEnqueueReadImage(w.s.queue, w.image, 1, null(), r, 0, 0, host(), 0, null(), null_mut()))
                }
            },
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "blocking, and an event failed" =>
                |w| transfer(w.s.queue, $writes, w.image, PART, host(), 1, &w.failed),
            CL_INVALID_OPERATION "the image's flags forbid it to the host" => |w| go(w, $writes, w.$forbidden, PART),
        ));
        all
    }};
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = transfer_rows!(clEnqueueReadImage, false, image_host_writes);
    all.extend(transfer_rows!(clEnqueueWriteImage, true, image_host_reads));
    all.extend(waits!("5.3.3", clEnqueueCopyImage, |w, q, n, l| {
        let (o, r) = (ORIGIN.as_ptr(), BOX.as_ptr());
        cl!(clEnqueueCopyImage(
            q,
            w.image,
            w.image_second,
            o,
            o,
            r,
            n,
            l,
            null_mut()
        ))
    }));
    all.extend(rows!("5.3.3", clEnqueueCopyImage,
        CL_INVALID_CONTEXT "src_image is of another context" => |w| copy(w, w.other_image, w.image, ORIGIN, ORIGIN, BOX),
        CL_INVALID_CONTEXT "dst_image is of another context" => |w| copy(w, w.image, w.other_image, ORIGIN, ORIGIN, BOX),
        CL_INVALID_MEM_OBJECT "src_image is not valid" => |w| w.none(|h| copy(w, h, w.image, ORIGIN, ORIGIN, BOX)),
        CL_INVALID_MEM_OBJECT "dst_image is not valid" => |w| w.none(|h| copy(w, w.image, h, ORIGIN, ORIGIN, BOX)),
        CL_INVALID_MEM_OBJECT "src_image is a buffer" => |w| copy(w, w.buffer, w.image, ORIGIN, ORIGIN, BOX),
        CL_IMAGE_FORMAT_MISMATCH "the formats differ" => |w| copy(w, w.image, w.image_float, ORIGIN, ORIGIN, BOX),
        CL_INVALID_VALUE "the source is out of bounds" => |w| copy(w, w.image, w.image_second, [9, 0, 0], ORIGIN, BOX),
        CL_INVALID_VALUE "the destination is out of bounds" => |w| copy(w, w.image, w.image_second, ORIGIN, [0, 9, 0], BOX),
        CL_INVALID_VALUE "the width is 0" => |w| copy(w, w.image, w.image_second, ORIGIN, ORIGIN, [0, 8, 1]),
        CL_INVALID_VALUE "2D, and src_origin[2] is not 0" => |w| copy(w, w.image, w.image_second, [0, 0, 1], ORIGIN, BOX),
        CL_INVALID_VALUE "2D, and dst_origin[2] is not 0" => |w| copy(w, w.image, w.image_second, ORIGIN, [0, 0, 1], BOX),
        CL_INVALID_VALUE "2D, and region[2] is not 1" => |w| copy(w, w.image, w.image_second, ORIGIN, ORIGIN, [8, 8, 2]),
        CL_MEM_COPY_OVERLAP "one image, and the regions overlap" => |w| copy(w, w.image, w.image, ORIGIN, [4, 4, 0], BOX),
    ));
    all.extend(waits!("5.3.4", clEnqueueFillImage, |w, q, n, l| {
        let (o, r) = (ORIGIN.as_ptr(), BOX.as_ptr());
        cl!(clEnqueueFillImage(q, w.image, host(), o, r, n, l, null_mut()))
    }));
    all.extend(rows!("5.3.4", clEnqueueFillImage,
        CL_INVALID_CONTEXT "image is of another context" => |w| fill(w, w.other_image, host(), ORIGIN, BOX),
        CL_INVALID_MEM_OBJECT "image is not valid" => |w| w.none(|h| fill(w, h, host(), ORIGIN, BOX)),
        CL_INVALID_MEM_OBJECT "image is a buffer" => |w| fill(w, w.buffer, host(), ORIGIN, BOX),
        CL_INVALID_VALUE "fill_color is NULL" => |w| fill(w, w.image, null(), ORIGIN, BOX),
        CL_INVALID_VALUE "the region is out of bounds" => |w| fill(w, w.image, host(), [9, 0, 0], BOX),
        CL_INVALID_VALUE "the height is 0" => |w| fill(w, w.image, host(), ORIGIN, [8, 0, 1]),
        CL_INVALID_VALUE "2D, and origin[2] is not 0" => |w| fill(w, w.image, host(), [0, 0, 1], BOX),
    ));
    all.extend(with_buffers());
    all.extend(mappings());
    all
}

fn with_buffers() -> Vec<Row> {
    let mut all = waits!("5.3.5", clEnqueueCopyImageToBuffer, |w, q, n, l| {
        let (o, r) = (ORIGIN.as_ptr(), BOX.as_ptr());
        cl!(clEnqueueCopyImageToBuffer(
            q,
            w.image,
            w.buffer,
            o,
            r,
            0,
            n,
            l,
            null_mut()
        ))
    });
    all.extend(rows!("5.3.5", clEnqueueCopyImageToBuffer,
        CL_INVALID_CONTEXT "src_image is of another context" => |w| to_buffer(w, w.other_image, w.buffer, ORIGIN, BOX, 0),
        CL_INVALID_CONTEXT "dst_buffer is of another context" => |w| to_buffer(w, w.image, w.other_buffer, ORIGIN, BOX, 0),
        CL_INVALID_MEM_OBJECT "src_image is not valid" => |w| w.none(|h| to_buffer(w, h, w.buffer, ORIGIN, BOX, 0)),
        CL_INVALID_MEM_OBJECT "dst_buffer is not valid" => |w| w.none(|h| to_buffer(w, w.image, h, ORIGIN, BOX, 0)),
        CL_INVALID_MEM_OBJECT "src_image is a buffer" => |w| to_buffer(w, w.second, w.buffer, ORIGIN, BOX, 0),
        CL_INVALID_MEM_OBJECT "dst_buffer is an image" => |w| to_buffer(w, w.image, w.image_second, ORIGIN, BOX, 0),
        CL_INVALID_VALUE "the image's region is out of bounds" => |w| to_buffer(w, w.image, w.buffer, [9, 0, 0], BOX, 0),
        CL_INVALID_VALUE "the buffer's region is out of bounds" => |w| to_buffer(w, w.image, w.buffer, ORIGIN, BOX, 4000),
        CL_INVALID_VALUE "the width is 0" => |w| to_buffer(w, w.image, w.buffer, ORIGIN, [0, 8, 1], 0),
        CL_INVALID_VALUE "2D, and src_origin[2] is not 0" => |w| to_buffer(w, w.image, w.buffer, [0, 0, 1], BOX, 0),
    ));
    all.extend(waits!("5.3.5", clEnqueueCopyBufferToImage, |w, q, n, l| {
        let (o, r) = (ORIGIN.as_ptr(), BOX.as_ptr());
        cl!(clEnqueueCopyBufferToImage(
            q,
            w.buffer,
            w.image,
            0,
            o,
            r,
            n,
            l,
            null_mut()
        ))
    }));
    all.extend(rows!("5.3.5", clEnqueueCopyBufferToImage,
        CL_INVALID_CONTEXT "src_buffer is of another context" => |w| to_image(w, w.other_buffer, w.image, ORIGIN, BOX, 0),
        CL_INVALID_CONTEXT "dst_image is of another context" => |w| to_image(w, w.buffer, w.other_image, ORIGIN, BOX, 0),
        CL_INVALID_MEM_OBJECT "src_buffer is not valid" => |w| w.none(|h| to_image(w, h, w.image, ORIGIN, BOX, 0)),
        CL_INVALID_MEM_OBJECT "dst_image is not valid" => |w| w.none(|h| to_image(w, w.buffer, h, ORIGIN, BOX, 0)),
        CL_INVALID_MEM_OBJECT "dst_image is a buffer" => |w| to_image(w, w.buffer, w.second, ORIGIN, BOX, 0),
        CL_INVALID_VALUE "the image's region is out of bounds" => |w| to_image(w, w.buffer, w.image, [0, 9, 0], BOX, 0),
        CL_INVALID_VALUE "the buffer's region is out of bounds" => |w| to_image(w, w.buffer, w.image, ORIGIN, BOX, 4000),
        CL_INVALID_VALUE "the height is 0" => |w| to_image(w, w.buffer, w.image, ORIGIN, [8, 0, 1], 0),
        CL_INVALID_VALUE "2D, and dst_origin[2] is not 0" => |w| to_image(w, w.buffer, w.image, [0, 0, 1], BOX, 0),
    ));
    all
}

fn mappings() -> Vec<Row> {
    let mut all = waits!("5.3.6", clEnqueueMapImage, |w, q, n, l| map_on(
        q,
        w.image,
        CL_MAP_READ,
        PART,
        n,
        l
    ));
    all.extend(contexts!(
        "5.3.6",
        clEnqueueMapImage,
        "image is of another context",
        |w| map(w, w.other_image, CL_MAP_READ, PART)
    ));
    all.extend(rows!("5.3.6", clEnqueueMapImage,
        CL_INVALID_MEM_OBJECT "image is not valid" => |w| w.none(|h| map(w, h, CL_MAP_READ, PART)),
        CL_INVALID_MEM_OBJECT "image is a buffer" => |w| map(w, w.buffer, CL_MAP_READ, PART),
        CL_INVALID_VALUE "the region is out of bounds" => |w| map(w, w.image, CL_MAP_READ, Part { origin: [9, 0, 0], ..PART }),
        CL_INVALID_VALUE "the width is 0" => |w| map(w, w.image, CL_MAP_READ, Part { region: [0, 8, 1], ..PART }),
        CL_INVALID_VALUE "2D, and origin[2] is not 0" => |w| map(w, w.image, CL_MAP_READ, Part { origin: [0, 0, 1], ..PART }),
        CL_INVALID_VALUE "map_flags: an unknown bit" => |w| map(w, w.image, 1 << 20, PART),
        CL_INVALID_VALUE "map_flags: WRITE_INVALIDATE_REGION and READ" =>
            |w| map(w, w.image, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, PART),
        CL_INVALID_VALUE "image_row_pitch is NULL" => |w| {
            let (o, r) = (ORIGIN.as_ptr(), BOX.as_ptr());
            created!(clEnqueueMapImage(w.s.queue, w.image, 1, CL_MAP_READ, o, r, null_mut(), null_mut(), 0, null(), null_mut())).1
        },
        CL_INVALID_VALUE "3D, and image_slice_pitch is NULL" => |w| {
            let (o, r, mut row) = (ORIGIN.as_ptr(), BOX.as_ptr(), 0);
            created!(clEnqueueMapImage(w.s.queue, w.image3, 1, CL_MAP_READ, o, r, &raw mut row, null_mut(), 0, null(), null_mut())).1
        },
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "blocking, and an event failed" =>
            |w| map_on(w.s.queue, w.image, CL_MAP_READ, PART, 1, &w.failed),
        CL_INVALID_OPERATION "READ of a HOST_WRITE_ONLY image" => |w| map(w, w.image_host_writes, CL_MAP_READ, PART),
        CL_INVALID_OPERATION "WRITE of a HOST_READ_ONLY image" => |w| map(w, w.image_host_reads, CL_MAP_WRITE, PART),
    ));
    all
}
