//! 5.2.2 to 5.4.4, 5.8, 5.10: commands. One macro makes the conditions that all these calls share.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use super::world::{SIZE, World, host};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

/// Makes the rows of a call with a queue and a wait list. `$run` gets the world, the queue, the number of events
/// and the list.
macro_rules! waits {
    ($section:literal, $call:ident, $run:expr) => {{
        fn run(w: &World, queue: cl_command_queue, n: cl_uint, list: *const cl_event) -> cl_int {
            let run: fn(&World, cl_command_queue, cl_uint, *const cl_event) -> cl_int = $run;
            run(w, queue, n, list)
        }
        rows!($section, $call,
            CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| run(w, h, 0, null())),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is NULL and its number is not 0" => |w| run(w, w.s.queue, 1, null()),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is not NULL and its number is 0" => |w| run(w, w.s.queue, 0, &w.done),
            CL_INVALID_EVENT_WAIT_LIST "an event is not valid" => |w| w.none(|h| run(w, w.s.queue, 1, &h)),
            CL_INVALID_EVENT_WAIT_LIST "the second event is not valid" =>
                |w| w.none(|h| run(w, w.s.queue, 2, [w.done, h].as_ptr())),
            CL_INVALID_CONTEXT "an event is of another context" => |w| run(w, w.s.queue, 1, &w.other_event),
        )
    }};
}

/// Makes the row for a queue and an object of different contexts.
macro_rules! contexts {
    ($section:literal, $call:ident, $when:literal, $run:expr) => {
        rows!($section, $call, CL_INVALID_CONTEXT $when => $run)
    };
}

const ORIGIN: [usize; 3] = [0; 3];
/// The region of images and rectangles.
const BOX: [usize; 3] = [8, 8, 1];

/// The origins and pitches of the two sides of a rectangular transfer, and the region.
#[derive(Copy, Clone)]
struct Rect {
    a: [usize; 3],
    b: [usize; 3],
    region: [usize; 3],
    pitches: [usize; 4],
}

const RECT: Rect = Rect {
    a: ORIGIN,
    b: ORIGIN,
    region: BOX,
    pitches: [16, 0, 16, 0],
};

fn read(
    w: &World,
    queue: cl_command_queue,
    mem: cl_mem,
    at: [usize; 2],
    n: cl_uint,
    list: *const cl_event,
) -> cl_int {
    let _ = w;
    cl!(clEnqueueReadBuffer(
        queue,
        mem,
        1,
        at[0],
        at[1],
        host(),
        n,
        list,
        null_mut()
    ))
}

fn write(
    w: &World,
    queue: cl_command_queue,
    mem: cl_mem,
    at: [usize; 2],
    n: cl_uint,
    list: *const cl_event,
) -> cl_int {
    let _ = w;
    cl!(clEnqueueWriteBuffer(
        queue,
        mem,
        1,
        at[0],
        at[1],
        host(),
        n,
        list,
        null_mut()
    ))
}

fn rect(w: &World, writes: bool, mem: cl_mem, r: Rect, ptr: *mut c_void) -> cl_int {
    rect_on(w.s.queue, writes, mem, r, ptr, 0, null())
}

fn rect_on(
    queue: cl_command_queue,
    writes: bool,
    mem: cl_mem,
    r: Rect,
    ptr: *mut c_void,
    n: cl_uint,
    list: *const cl_event,
) -> cl_int {
    let (a, b, s) = (r.a.as_ptr(), r.b.as_ptr(), r.region.as_ptr());
    let [br, bs, hr, hs] = r.pitches;
    if writes {
        cl!(clEnqueueWriteBufferRect(
            queue,
            mem,
            1,
            a,
            b,
            s,
            br,
            bs,
            hr,
            hs,
            ptr,
            n,
            list,
            null_mut()
        ))
    } else {
        cl!(clEnqueueReadBufferRect(
            queue,
            mem,
            1,
            a,
            b,
            s,
            br,
            bs,
            hr,
            hs,
            ptr,
            n,
            list,
            null_mut()
        ))
    }
}

fn copy(w: &World, src: cl_mem, dst: cl_mem, from: usize, to: usize, size: usize) -> cl_int {
    cl!(clEnqueueCopyBuffer(
        w.s.queue,
        src,
        dst,
        from,
        to,
        size,
        0,
        null(),
        null_mut()
    ))
}

fn copy_rect(
    queue: cl_command_queue,
    src: cl_mem,
    dst: cl_mem,
    r: Rect,
    n: cl_uint,
    list: *const cl_event,
) -> cl_int {
    let (a, b, s) = (r.a.as_ptr(), r.b.as_ptr(), r.region.as_ptr());
    let [ar, as_, br, bs] = r.pitches;
    cl!(clEnqueueCopyBufferRect(
        queue,
        src,
        dst,
        a,
        b,
        s,
        ar,
        as_,
        br,
        bs,
        n,
        list,
        null_mut()
    ))
}

fn fill(w: &World, mem: cl_mem, pattern: usize, offset: usize, size: usize) -> cl_int {
    cl!(clEnqueueFillBuffer(
        w.s.queue,
        mem,
        host(),
        pattern,
        offset,
        size,
        0,
        null(),
        null_mut()
    ))
}

fn map(w: &World, mem: cl_mem, flags: cl_map_flags, offset: usize, size: usize) -> cl_int {
    created!(clEnqueueMapBuffer(
        w.s.queue,
        mem,
        1,
        flags,
        offset,
        size,
        0,
        null(),
        null_mut()
    ))
    .1
}

fn unmap(w: &World, mem: cl_mem, ptr: *mut c_void) -> cl_int {
    cl!(clEnqueueUnmapMemObject(
        w.s.queue,
        mem,
        ptr,
        0,
        null(),
        null_mut()
    ))
}

fn migrate(queue: cl_command_queue, n: cl_uint, objects: *const cl_mem, flags: u64) -> cl_int {
    cl!(clEnqueueMigrateMemObjects(
        queue,
        n,
        objects,
        flags,
        0,
        null(),
        null_mut()
    ))
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = transfers();
    all.extend(rects());
    all.extend(copies());
    all.extend(mappings());
    all.extend(launches());
    all.extend(super::enqueue_images::rows());
    all
}

/// Makes the rows that clEnqueueReadBuffer and clEnqueueWriteBuffer share.
macro_rules! linear_rows {
    ($call:ident, $go:ident, $null:ident, $forbidden:ident) => {{
        let mut all = waits!("5.2.2", $call, |w, q, n, l| $go(w, q, w.buffer, [0, 16], n, l));
        all.extend(contexts!("5.2.2", $call, "buffer is of another context", |w| $go(
            w,
            w.s.queue,
            w.other_buffer,
            [0, 16],
            0,
            null()
        )));
        all.extend(rows!("5.2.2", $call,
            CL_INVALID_MEM_OBJECT "buffer is not valid" => |w| w.none(|h| $go(w, w.s.queue, h, [0, 16], 0, null())),
            CL_INVALID_MEM_OBJECT "buffer is an image" => |w| $go(w, w.s.queue, w.image, [0, 16], 0, null()),
            CL_INVALID_VALUE "the region begins outside" => |w| $go(w, w.s.queue, w.buffer, [SIZE, 1], 0, null()),
            CL_INVALID_VALUE "the region ends outside" => |w| $go(w, w.s.queue, w.buffer, [1, SIZE], 0, null()),
            CL_INVALID_VALUE "offset and size overflow" => |w| $go(w, w.s.queue, w.buffer, [8, usize::MAX - 4], 0, null()),
            CL_INVALID_VALUE "the region ends outside of a sub-buffer" => |w| $go(w, w.s.queue, w.sub, [0, 2049], 0, null()),
            CL_INVALID_VALUE "size is 0" => |w| $go(w, w.s.queue, w.buffer, [0, 0], 0, null()),
            CL_INVALID_VALUE "ptr is NULL" =>
                |w| cl!($call(w.s.queue, w.buffer, 1, 0, 16, $null(), 0, null(), null_mut())),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "blocking, and an event failed" =>
                |w| $go(w, w.s.queue, w.buffer, [0, 16], 1, &w.failed),
            CL_INVALID_OPERATION "the buffer's flags forbid it" => |w| $go(w, w.s.queue, w.$forbidden, [0, 16], 0, null()),
            CL_INVALID_OPERATION "the buffer is HOST_NO_ACCESS" => |w| $go(w, w.s.queue, w.host_nothing, [0, 16], 0, null()),
        ));
        all
    }};
}

fn transfers() -> Vec<Row> {
    let mut all = linear_rows!(clEnqueueReadBuffer, read, null_mut, host_writes);
    all.extend(linear_rows!(clEnqueueWriteBuffer, write, null, host_reads));
    all
}

/// Makes the rows that clEnqueueReadBufferRect and clEnqueueWriteBufferRect share.
macro_rules! rect_rows {
    ($call:ident, $writes:literal, $forbidden:ident) => {{
        let mut all = waits!("5.2.2", $call, |w, q, n, l| rect_on(q, $writes, w.buffer, RECT, host(), n, l));
        all.extend(contexts!("5.2.2", $call, "buffer is of another context",
            |w| rect(w, $writes, w.other_buffer, RECT, host())));
        all.extend(rows!("5.2.2", $call,
            CL_INVALID_MEM_OBJECT "buffer is not valid" => |w| w.none(|h| rect(w, $writes, h, RECT, host())),
            CL_INVALID_MEM_OBJECT "buffer is an image" => |w| rect(w, $writes, w.image, RECT, host()),
            CL_INVALID_VALUE "the origin is outside" => |w| rect(w, $writes, w.buffer, Rect { a: [SIZE, 0, 0], ..RECT }, host()),
            CL_INVALID_VALUE "the region ends outside" => |w| rect(w, $writes, w.buffer, Rect { region: [16, 257, 1], ..RECT }, host()),
            CL_INVALID_VALUE "the region overflows" => |w| rect(w, $writes, w.buffer, Rect { region: [16, usize::MAX / 8, 1], ..RECT }, host()),
            CL_INVALID_VALUE "the width is 0" => |w| rect(w, $writes, w.buffer, Rect { region: [0, 8, 1], ..RECT }, host()),
            CL_INVALID_VALUE "the height is 0" => |w| rect(w, $writes, w.buffer, Rect { region: [8, 0, 1], ..RECT }, host()),
            CL_INVALID_VALUE "the depth is 0" => |w| rect(w, $writes, w.buffer, Rect { region: [8, 8, 0], ..RECT }, host()),
            CL_INVALID_VALUE "buffer_row_pitch is less than the width" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [4, 0, 16, 0], ..RECT }, host()),
            CL_INVALID_VALUE "host_row_pitch is less than the width" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [16, 0, 4, 0], ..RECT }, host()),
            CL_INVALID_VALUE "buffer_slice_pitch is less than the rows" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [16, 64, 16, 0], ..RECT }, host()),
            CL_INVALID_VALUE "host_slice_pitch is less than the rows" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [16, 0, 16, 64], ..RECT }, host()),
            CL_INVALID_VALUE "buffer_slice_pitch is no multiple of the row pitch" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [16, 136, 16, 0], ..RECT }, host()),
            CL_INVALID_VALUE "host_slice_pitch is no multiple of the row pitch" =>
                |w| rect(w, $writes, w.buffer, Rect { pitches: [16, 0, 16, 136], ..RECT }, host()),
            CL_INVALID_VALUE "ptr is NULL" => |w| rect(w, $writes, w.buffer, RECT, null_mut()),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "blocking, and an event failed" =>
                |w| rect_on(w.s.queue, $writes, w.buffer, RECT, host(), 1, &w.failed),
            CL_INVALID_OPERATION "the buffer's flags forbid it to the host" => |w| rect(w, $writes, w.$forbidden, RECT, host()),
            CL_INVALID_OPERATION "the buffer is HOST_NO_ACCESS" => |w| rect(w, $writes, w.host_nothing, RECT, host()),
        ));
        all
    }};
}

fn rects() -> Vec<Row> {
    let mut all = rect_rows!(clEnqueueReadBufferRect, false, host_writes);
    all.extend(rect_rows!(clEnqueueWriteBufferRect, true, host_reads));
    all
}

fn copies() -> Vec<Row> {
    let mut all = waits!("5.2.2", clEnqueueCopyBuffer, |w, q, n, l| cl!(
        clEnqueueCopyBuffer(q, w.buffer, w.second, 0, 0, 16, n, l, null_mut())
    ));
    all.extend(rows!("5.2.2", clEnqueueCopyBuffer,
        CL_INVALID_CONTEXT "src_buffer is of another context" => |w| copy(w, w.other_buffer, w.buffer, 0, 0, 16),
        CL_INVALID_CONTEXT "dst_buffer is of another context" => |w| copy(w, w.buffer, w.other_buffer, 0, 0, 16),
        CL_INVALID_MEM_OBJECT "src_buffer is not valid" => |w| w.none(|h| copy(w, h, w.buffer, 0, 0, 16)),
        CL_INVALID_MEM_OBJECT "dst_buffer is not valid" => |w| w.none(|h| copy(w, w.buffer, h, 0, 0, 16)),
        CL_INVALID_VALUE "the source is out of bounds" => |w| copy(w, w.buffer, w.second, SIZE - 8, 0, 16),
        CL_INVALID_VALUE "the destination is out of bounds" => |w| copy(w, w.buffer, w.second, 0, SIZE - 8, 16),
        CL_INVALID_VALUE "size is 0" => |w| copy(w, w.buffer, w.second, 0, 0, 0),
        CL_INVALID_VALUE "offset and size overflow" => |w| copy(w, w.buffer, w.second, 8, 0, usize::MAX - 4),
        CL_MEM_COPY_OVERLAP "one buffer, and the regions overlap" => |w| copy(w, w.buffer, w.buffer, 0, 8, 16),
        CL_MEM_COPY_OVERLAP "one buffer, and the regions are the same" => |w| copy(w, w.buffer, w.buffer, 8, 8, 16),
        CL_MEM_COPY_OVERLAP "a sub-buffer and its buffer, and the regions overlap" => |w| copy(w, w.sub, w.buffer, 0, 1032, 16),
    ));
    all.extend(waits!("5.2.2", clEnqueueCopyBufferRect, |w, q, n, l| copy_rect(
        q, w.buffer, w.second, RECT, n, l
    )));
    let go = |all: &mut Vec<Row>, rows: Vec<Row>| all.extend(rows);
    go(
        &mut all,
        rows!("5.2.2", clEnqueueCopyBufferRect,
            CL_INVALID_CONTEXT "src_buffer is of another context" => |w| copy_rect(w.s.queue, w.other_buffer, w.buffer, RECT, 0, null()),
            CL_INVALID_CONTEXT "dst_buffer is of another context" => |w| copy_rect(w.s.queue, w.buffer, w.other_buffer, RECT, 0, null()),
            CL_INVALID_MEM_OBJECT "src_buffer is not valid" => |w| w.none(|h| copy_rect(w.s.queue, h, w.buffer, RECT, 0, null())),
            CL_INVALID_MEM_OBJECT "dst_buffer is not valid" => |w| w.none(|h| copy_rect(w.s.queue, w.buffer, h, RECT, 0, null())),
            CL_INVALID_VALUE "the source is out of bounds" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { a: [0, 250, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "the destination is out of bounds" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { b: [0, 250, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "the width is 0" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { region: [0, 8, 1], ..RECT }, 0, null()),
            CL_INVALID_VALUE "the height is 0" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { region: [8, 0, 1], ..RECT }, 0, null()),
            CL_INVALID_VALUE "the depth is 0" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { region: [8, 8, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "src_row_pitch is less than the width" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [4, 0, 16, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "dst_row_pitch is less than the width" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [16, 0, 4, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "src_slice_pitch is less than the rows" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [16, 64, 16, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "dst_slice_pitch is less than the rows" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [16, 0, 16, 64], ..RECT }, 0, null()),
            CL_INVALID_VALUE "src_slice_pitch is no multiple of the row pitch" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [16, 136, 16, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "dst_slice_pitch is no multiple of the row pitch" =>
                |w| copy_rect(w.s.queue, w.buffer, w.second, Rect { pitches: [16, 0, 16, 136], ..RECT }, 0, null()),
            CL_INVALID_VALUE "one buffer, and the row pitches differ" =>
                |w| copy_rect(w.s.queue, w.buffer, w.buffer, Rect { b: [0, 16, 0], pitches: [16, 0, 32, 0], ..RECT }, 0, null()),
            CL_INVALID_VALUE "one buffer, and the slice pitches differ" =>
                |w| copy_rect(w.s.queue, w.buffer, w.buffer, Rect { b: [0, 64, 0], pitches: [16, 128, 16, 256], ..RECT }, 0, null()),
            CL_MEM_COPY_OVERLAP "one buffer, and the regions overlap" =>
                |w| copy_rect(w.s.queue, w.buffer, w.buffer, Rect { b: [4, 4, 0], ..RECT }, 0, null()),
        ),
    );
    all.extend(waits!("5.2.3", clEnqueueFillBuffer, |w, q, n, l| cl!(
        clEnqueueFillBuffer(q, w.buffer, host(), 4, 0, 16, n, l, null_mut())
    )));
    all.extend(rows!("5.2.3", clEnqueueFillBuffer,
        CL_INVALID_CONTEXT "buffer is of another context" => |w| fill(w, w.other_buffer, 4, 0, 16),
        CL_INVALID_MEM_OBJECT "buffer is not valid" => |w| w.none(|h| fill(w, h, 4, 0, 16)),
        CL_INVALID_VALUE "the region is out of bounds" => |w| fill(w, w.buffer, 4, SIZE - 4, 8),
        CL_INVALID_VALUE "pattern is NULL" =>
            |w| cl!(clEnqueueFillBuffer(w.s.queue, w.buffer, null(), 4, 0, 16, 0, null(), null_mut())),
        CL_INVALID_VALUE "pattern_size is 0" => |w| fill(w, w.buffer, 0, 0, 16),
        CL_INVALID_VALUE "pattern_size is 3" => |w| fill(w, w.buffer, 3, 0, 12),
        CL_INVALID_VALUE "pattern_size is 256" => |w| fill(w, w.buffer, 256, 0, 256),
        CL_INVALID_VALUE "offset is no multiple of pattern_size" => |w| fill(w, w.buffer, 8, 4, 16),
        CL_INVALID_VALUE "size is no multiple of pattern_size" => |w| fill(w, w.buffer, 8, 8, 12),
    ));
    all
}

fn mappings() -> Vec<Row> {
    let mut all = waits!("5.2.4", clEnqueueMapBuffer, |w, q, n, l| created!(
        clEnqueueMapBuffer(q, w.buffer, 1, CL_MAP_READ, 0, 16, n, l, null_mut())
    )
    .1);
    all.extend(rows!("5.2.4", clEnqueueMapBuffer,
        CL_INVALID_CONTEXT "buffer is of another context" => |w| map(w, w.other_buffer, CL_MAP_READ, 0, 16),
        CL_INVALID_MEM_OBJECT "buffer is not valid" => |w| w.none(|h| map(w, h, CL_MAP_READ, 0, 16)),
        CL_INVALID_VALUE "the region ends outside" => |w| map(w, w.buffer, CL_MAP_READ, 8, SIZE),
        CL_INVALID_VALUE "size is 0" => |w| map(w, w.buffer, CL_MAP_READ, 0, 0),
        CL_INVALID_VALUE "map_flags: an unknown bit" => |w| map(w, w.buffer, 1 << 20, 0, 16),
        CL_INVALID_VALUE "map_flags: WRITE_INVALIDATE_REGION and READ" =>
            |w| map(w, w.buffer, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 16),
        CL_INVALID_VALUE "map_flags: WRITE_INVALIDATE_REGION and WRITE" =>
            |w| map(w, w.buffer, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, 0, 16),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "blocking, and an event failed" =>
            |w| created!(clEnqueueMapBuffer(w.s.queue, w.buffer, 1, CL_MAP_READ, 0, 16, 1, &w.failed, null_mut())).1,
        CL_INVALID_OPERATION "READ of a HOST_WRITE_ONLY buffer" => |w| map(w, w.host_writes, CL_MAP_READ, 0, 16),
        CL_INVALID_OPERATION "READ of a HOST_NO_ACCESS buffer" => |w| map(w, w.host_nothing, CL_MAP_READ, 0, 16),
        CL_INVALID_OPERATION "WRITE of a HOST_READ_ONLY buffer" => |w| map(w, w.host_reads, CL_MAP_WRITE, 0, 16),
        CL_INVALID_OPERATION "WRITE_INVALIDATE_REGION of a HOST_READ_ONLY buffer" =>
            |w| map(w, w.host_reads, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16),
        CL_INVALID_OPERATION "WRITE of a HOST_NO_ACCESS buffer" => |w| map(w, w.host_nothing, CL_MAP_WRITE, 0, 16),
    ));
    // The pointer is checked before the wait list, so these rows need a mapping.
    all.extend(waits!("5.4.2", clEnqueueUnmapMemObject, |w, q, n, l| {
        let at = created!(clEnqueueMapBuffer(
            w.s.queue,
            w.buffer,
            1,
            CL_MAP_READ,
            0,
            16,
            0,
            null(),
            null_mut()
        ))
        .0;
        cl!(clEnqueueUnmapMemObject(q, w.buffer, at, n, l, null_mut()))
    }));
    all.extend(rows!("5.4.2", clEnqueueUnmapMemObject,
        CL_INVALID_CONTEXT "memobj is of another context" => |w| {
            let (q, m) = (w.other.queue, w.other_buffer);
            let at = created!(clEnqueueMapBuffer(q, m, 1, CL_MAP_READ, 0, 16, 0, null(), null_mut())).0;
            unmap(w, m, at)
        },
        CL_INVALID_MEM_OBJECT "memobj is not valid" => |w| w.none(|h| unmap(w, h, host())),
        CL_INVALID_VALUE "mapped_ptr is not of a mapping" => |w| unmap(w, w.buffer, host()),
        CL_INVALID_VALUE "mapped_ptr is NULL" => |w| unmap(w, w.buffer, null_mut()),
        CL_INVALID_VALUE "mapped_ptr is of no mapping of the image" => |w| unmap(w, w.image, host()),
        CL_INVALID_VALUE "mapped_ptr is of a mapping of another buffer" => |w| {
            let (at, code) = created!(clEnqueueMapBuffer(w.s.queue, w.second, 1, CL_MAP_READ, 0, 16, 0, null(), null_mut()));
            assert_eq!(code, 0);
            let code = unmap(w, w.buffer, at);
            assert_eq!(unmap(w, w.second, at), 0);
            code
        },
        CL_INVALID_VALUE "mapped_ptr was unmapped before" => |w| {
            let (at, code) = created!(clEnqueueMapBuffer(w.s.queue, w.second, 1, CL_MAP_READ, 0, 16, 0, null(), null_mut()));
            assert_eq!((code, unmap(w, w.second, at)), (0, 0));
            unmap(w, w.second, at)
        },
    ));
    all.extend(waits!("5.4.4", clEnqueueMigrateMemObjects, |w, q, n, l| cl!(
        clEnqueueMigrateMemObjects(q, 1, &w.buffer, 0, n, l, null_mut())
    )));
    all.extend(rows!("5.4.4", clEnqueueMigrateMemObjects,
        CL_INVALID_CONTEXT "an object is of another context" => |w| migrate(w.s.queue, 2, [w.buffer, w.other_buffer].as_ptr(), 0),
        CL_INVALID_MEM_OBJECT "an object is not valid" => |w| w.none(|h| migrate(w.s.queue, 2, [w.buffer, h].as_ptr(), 0)),
        CL_INVALID_VALUE "num_mem_objects is 0" => |w| migrate(w.s.queue, 0, &w.buffer, 0),
        CL_INVALID_VALUE "mem_objects is NULL" => |w| migrate(w.s.queue, 1, null(), 0),
        CL_INVALID_VALUE "flags: an unknown bit" => |w| migrate(w.s.queue, 1, &w.buffer, 1 << 20),
    ));
    all
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

type Native = Option<unsafe extern "C" fn(*mut c_void)>;

fn native(
    w: &World,
    f: Native,
    args: *mut c_void,
    size: usize,
    n: cl_uint,
    list: *const cl_mem,
    at: *mut *const c_void,
) -> cl_int {
    cl!(clEnqueueNativeKernel(
        w.s.queue,
        f,
        args,
        size,
        n,
        list,
        at,
        0,
        null(),
        null_mut()
    ))
}

fn launches() -> Vec<Row> {
    let mut all = waits!("5.8", clEnqueueNDRangeKernel, |w, q, n, l| cl!(
        clEnqueueNDRangeKernel(q, w.kernel, 1, null(), &8, null(), n, l, null_mut())
    ));
    all.extend(contexts!(
        "5.8",
        clEnqueueNDRangeKernel,
        "kernel is of another context",
        |w| cl!(clEnqueueNDRangeKernel(
            w.other.queue,
            w.kernel,
            1,
            null(),
            &8,
            null(),
            0,
            null(),
            null_mut()
        ))
    ));
    all.extend(waits!("5.8", clEnqueueTask, |w, q, n, l| cl!(clEnqueueTask(
        q,
        w.kernel,
        n,
        l,
        null_mut()
    ))));
    all.extend(contexts!(
        "5.8",
        clEnqueueTask,
        "kernel is of another context",
        |w| cl!(clEnqueueTask(w.other.queue, w.kernel, 0, null(), null_mut()))
    ));
    all.extend(waits!("5.8", clEnqueueNativeKernel, |_, q, n, l| {
        cl!(clEnqueueNativeKernel(
            q,
            Some(nothing),
            null_mut(),
            0,
            0,
            null(),
            null_mut(),
            n,
            l,
            null_mut()
        ))
    }));
    all.extend(rows!("5.8", clEnqueueNativeKernel,
        CL_INVALID_CONTEXT "a memory object is of another context" => |w| {
            let at = host();
            native(w, Some(nothing), at, 8, 1, &w.other_buffer, &mut at.cast_const())
        },
        CL_INVALID_VALUE "user_func is NULL" => |w| native(w, None, null_mut(), 0, 0, null(), null_mut()),
        CL_INVALID_VALUE "args is NULL and cb_args is not 0" => |w| native(w, Some(nothing), null_mut(), 8, 0, null(), null_mut()),
        CL_INVALID_VALUE "args is NULL and num_mem_objects is not 0" =>
            |w| native(w, Some(nothing), null_mut(), 0, 1, &w.buffer, &mut host().cast_const()),
        CL_INVALID_VALUE "args is not NULL and cb_args is 0" => |w| native(w, Some(nothing), host(), 0, 0, null(), null_mut()),
        CL_INVALID_VALUE "num_mem_objects is not 0 and mem_list is NULL" =>
            |w| native(w, Some(nothing), host(), 8, 1, null(), &mut host().cast_const()),
        CL_INVALID_VALUE "num_mem_objects is not 0 and args_mem_loc is NULL" =>
            |w| native(w, Some(nothing), host(), 8, 1, &w.buffer, null_mut()),
        CL_INVALID_VALUE "num_mem_objects is 0 and mem_list is not NULL" =>
            |w| native(w, Some(nothing), host(), 8, 0, &w.buffer, null_mut()),
        CL_INVALID_VALUE "num_mem_objects is 0 and args_mem_loc is not NULL" =>
            |w| native(w, Some(nothing), host(), 8, 0, null(), &mut host().cast_const()),
        CL_INVALID_MEM_OBJECT "a memory object is not valid" => |w| w.garbage(|h| {
            let at = host();
            native(w, Some(nothing), at, 8, 1, &h, &mut at.cast_const())
        }),
        CL_INVALID_MEM_OBJECT "a memory object is an image" => |w| {
            let at = host();
            native(w, Some(nothing), at, 8, 1, &w.image, &mut at.cast_const())
        },
    ));
    all.extend(waits!("5.10", clEnqueueMarkerWithWaitList, |_, q, n, l| cl!(
        clEnqueueMarkerWithWaitList(q, n, l, null_mut())
    )));
    all.extend(waits!("5.10", clEnqueueBarrierWithWaitList, |_, q, n, l| cl!(
        clEnqueueBarrierWithWaitList(q, n, l, null_mut())
    )));
    all.extend(rows!("5.10", clEnqueueMarker,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clEnqueueMarker(h, super::world::room().cast()))),
        CL_INVALID_VALUE "event is NULL" => |w| cl!(clEnqueueMarker(w.s.queue, null_mut())),
    ));
    all.extend(rows!("5.10", clEnqueueBarrier,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clEnqueueBarrier(h))),
    ));
    all.extend(rows!("5.10", clEnqueueWaitForEvents,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clEnqueueWaitForEvents(h, 1, &w.done))),
        CL_INVALID_CONTEXT "an event is of another context" => |w| cl!(clEnqueueWaitForEvents(w.s.queue, 1, &w.other_event)),
        CL_INVALID_VALUE "num_events is 0" => |w| cl!(clEnqueueWaitForEvents(w.s.queue, 0, &w.done)),
        CL_INVALID_VALUE "event_list is NULL" => |w| cl!(clEnqueueWaitForEvents(w.s.queue, 1, null())),
        CL_INVALID_EVENT "an event is not valid" => |w| w.none(|h| cl!(clEnqueueWaitForEvents(w.s.queue, 1, &h))),
    ));
    all
}
pub(super) use {contexts, waits};
