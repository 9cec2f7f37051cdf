//! cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch (5.17 of the unified specification).

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use super::world::{World, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

/// Creates a command-buffer with a property list.
fn created_with(w: &World, properties: &[u64]) -> cl_command_buffer_khr {
    let (buffer, code) = created!(clCreateCommandBufferKHR(
        1,
        &raw const w.s.queue,
        properties.as_ptr()
    ));
    assert_eq!(code, 0);
    buffer
}

/// Creates a command-buffer.
fn recording(w: &World) -> cl_command_buffer_khr {
    created_with(w, &[0])
}

/// Creates a command-buffer that is finalized.
fn finalized(w: &World) -> cl_command_buffer_khr {
    let buffer = recording(w);
    assert_eq!(cl!(clFinalizeCommandBufferKHR(buffer)), 0);
    buffer
}

fn create(count: u32, queues: *const cl_command_queue, properties: *const u64) -> cl_int {
    created!(clCreateCommandBufferKHR(count, queues, properties)).1
}

fn create_with(w: &World, properties: &[u64]) -> cl_int {
    create(1, &raw const w.s.queue, properties.as_ptr())
}

/// The arguments that all recording calls have.
#[derive(Copy, Clone)]
struct Common {
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const u64,
    count: u32,
    list: *const cl_sync_point_khr,
    handle: *mut cl_mutable_command_khr,
}

impl Common {
    fn of(buffer: cl_command_buffer_khr) -> Common {
        Common {
            buffer,
            queue: null_mut(),
            properties: null(),
            count: 0,
            list: null(),
            handle: null_mut(),
        }
    }
}

const ORIGIN: [usize; 3] = [0; 3];
const BOX: [usize; 3] = [8, 8, 1];

fn barrier(_: &World, c: Common) -> cl_int {
    cl!(clCommandBarrierWithWaitListKHR(
        c.buffer,
        c.queue,
        c.properties,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn copy(c: Common, src: cl_mem, dst: cl_mem, [from, to, size]: [usize; 3]) -> cl_int {
    cl!(clCommandCopyBufferKHR(
        c.buffer,
        c.queue,
        c.properties,
        src,
        dst,
        from,
        to,
        size,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn copy_rect(c: Common, src: cl_mem, dst: cl_mem, region: Option<[usize; 3]>) -> cl_int {
    let region = region.as_ref().map_or(null(), |r| r.as_ptr());
    cl!(clCommandCopyBufferRectKHR(
        c.buffer,
        c.queue,
        c.properties,
        src,
        dst,
        ORIGIN.as_ptr(),
        ORIGIN.as_ptr(),
        region,
        16,
        0,
        16,
        0,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn fill(c: Common, buffer: cl_mem, pattern: Option<usize>, size: usize) -> cl_int {
    let bytes = [0u8; 256];
    cl!(clCommandFillBufferKHR(
        c.buffer,
        c.queue,
        c.properties,
        buffer,
        pattern.map_or(null(), |_| bytes.as_ptr().cast()),
        pattern.unwrap_or(4),
        0,
        size,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn fill_image(c: Common, image: cl_mem, color: *const c_void, region: [usize; 3]) -> cl_int {
    cl!(clCommandFillImageKHR(
        c.buffer,
        c.queue,
        c.properties,
        image,
        color,
        ORIGIN.as_ptr(),
        region.as_ptr(),
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn copy_image(c: Common, src: cl_mem, dst: cl_mem, region: [usize; 3]) -> cl_int {
    cl!(clCommandCopyImageKHR(
        c.buffer,
        c.queue,
        c.properties,
        src,
        dst,
        ORIGIN.as_ptr(),
        ORIGIN.as_ptr(),
        region.as_ptr(),
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn image_to_buffer(c: Common, image: cl_mem, buffer: cl_mem, offset: usize) -> cl_int {
    cl!(clCommandCopyImageToBufferKHR(
        c.buffer,
        c.queue,
        c.properties,
        image,
        buffer,
        ORIGIN.as_ptr(),
        BOX.as_ptr(),
        offset,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn buffer_to_image(c: Common, buffer: cl_mem, image: cl_mem, offset: usize) -> cl_int {
    cl!(clCommandCopyBufferToImageKHR(
        c.buffer,
        c.queue,
        c.properties,
        buffer,
        image,
        offset,
        ORIGIN.as_ptr(),
        BOX.as_ptr(),
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn launch(c: Common, kernel: cl_kernel, dim: u32, global: usize, local: Option<usize>) -> cl_int {
    let (global, local) = ([global, 1, 1], local.map(|n| [n, 1, 1]));
    cl!(clCommandNDRangeKernelKHR(
        c.buffer,
        c.queue,
        c.properties,
        kernel,
        dim,
        null(),
        global.as_ptr(),
        local.as_ref().map_or(null(), |l| l.as_ptr()),
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn svm_copy(_: &World, c: Common) -> cl_int {
    let memory = room();
    cl!(clCommandSVMMemcpyKHR(
        c.buffer,
        c.queue,
        c.properties,
        memory,
        memory,
        8,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

fn svm_fill(_: &World, c: Common) -> cl_int {
    let memory = room();
    cl!(clCommandSVMMemFillKHR(
        c.buffer,
        c.queue,
        c.properties,
        memory,
        memory,
        4,
        8,
        c.count,
        c.list,
        null_mut(),
        c.handle
    ))
}

/// Makes the rows that all recording calls share. `$run` gets the world and the common arguments.
macro_rules! shared {
    ($call:ident, $run:expr) => {{
        fn run(w: &World, c: Common) -> cl_int {
            let run: fn(&World, Common) -> cl_int = $run;
            run(w, c)
        }
        rows!("5.17", $call,
            CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" => |w| w.none(|h| run(w, Common::of(h))),
            CL_INVALID_COMMAND_QUEUE "command_queue is not NULL" =>
                |w| run(w, Common { queue: w.s.queue, ..Common::of(recording(w)) }),
            CL_INVALID_OPERATION "the command-buffer has been finalized" => |w| run(w, Common::of(finalized(w))),
        )
    }};
}

/// Makes the rows of [`shared`], and those of the calls that record something.
macro_rules! recorded {
    ($call:ident, $run:expr) => {{
        fn run(w: &World, c: Common) -> cl_int {
            let run: fn(&World, Common) -> cl_int = $run;
            run(w, c)
        }
        let mut all = shared!($call, $run);
        all.extend(rows!("5.17", $call,
            CL_INVALID_VALUE "a property is not known" =>
                |w| run(w, Common { properties: [0x1234, 1, 0].as_ptr(), ..Common::of(recording(w)) }),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR "the list is NULL and its number is not 0" =>
                |w| run(w, Common { count: 1, ..Common::of(recording(w)) }),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR "the list is not NULL and its number is 0" =>
                |w| run(w, Common { list: &1, ..Common::of(recording(w)) }),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR "there is no such sync-point" =>
                |w| run(w, Common { count: 1, list: &1, ..Common::of(recording(w)) }),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR "0 is no sync-point" =>
                |w| run(w, Common { count: 1, list: &0, ..Common::of(recording(w)) }),
        ));
        all
    }};
}

/// Makes the row of a command without a handle.
macro_rules! without_handle {
    ($call:ident, $run:expr) => {{
        fn run(w: &World, c: Common) -> cl_int {
            let run: fn(&World, Common) -> cl_int = $run;
            run(w, c)
        }
        rows!("5.17", $call,
            CL_INVALID_VALUE "mutable_handle is not NULL" =>
                |w| run(w, Common { handle: room().cast(), ..Common::of(recording(w)) }),
        )
    }};
}

fn enqueue(
    buffer: cl_command_buffer_khr,
    queues: &[cl_command_queue],
    count: u32,
    n: u32,
    list: *const cl_event,
) -> cl_int {
    let queues = if queues.is_empty() {
        null_mut()
    } else {
        queues.as_ptr().cast_mut()
    };
    cl!(clEnqueueCommandBufferKHR(
        count,
        queues,
        buffer,
        n,
        list,
        null_mut()
    ))
}

fn info(buffer: cl_command_buffer_khr, name: u32, size: usize) -> cl_int {
    cl!(clGetCommandBufferInfoKHR(buffer, name, size, room(), null_mut()))
}

/// A command-buffer with one launch of `k`, which has a handle, and is finalized.
fn mutable(w: &World, fields: &[u64]) -> (cl_command_buffer_khr, cl_mutable_command_khr) {
    let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let buffer = created_with(w, &flags);
    let mut command = null_mut();
    let c = Common {
        properties: if fields.is_empty() {
            null()
        } else {
            fields.as_ptr()
        },
        handle: &raw mut command,
        ..Common::of(buffer)
    };
    assert_eq!(launch(c, w.kernel, 1, 64, Some(16)), 0);
    assert_eq!(cl!(clFinalizeCommandBufferKHR(buffer)), 0);
    (buffer, command)
}

const NOTHING: cl_mutable_dispatch_config_khr = cl_mutable_dispatch_config_khr {
    command: null_mut(),
    num_args: 0,
    num_svm_args: 0,
    num_exec_infos: 0,
    work_dim: 0,
    arg_list: null(),
    arg_svm_list: null(),
    exec_info_list: null(),
    global_work_offset: null(),
    global_work_size: null(),
    local_work_size: null(),
};

const TYPE: cl_command_buffer_update_type_khr = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;

fn update_raw(
    buffer: cl_command_buffer_khr,
    count: u32,
    types: *const u32,
    configs: *mut *const c_void,
) -> cl_int {
    cl!(clUpdateMutableCommandsKHR(buffer, count, types, configs))
}

/// Updates a command of a command-buffer, which was recorded with these properties.
fn update(w: &World, fields: &[u64], change: fn(&World, &mut cl_mutable_dispatch_config_khr)) -> cl_int {
    let (buffer, command) = mutable(w, fields);
    let mut config = cl_mutable_dispatch_config_khr { command, ..NOTHING };
    change(w, &mut config);
    let mut configs = [(&raw const config).cast()];
    update_raw(buffer, 1, &TYPE, configs.as_mut_ptr())
}

/// Updates an argument.
fn update_arg(w: &World, index: u32, size: usize, value: *const c_void) -> cl_int {
    let (buffer, command) = mutable(w, &[]);
    let arg = cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size,
        arg_value: value,
    };
    let config = cl_mutable_dispatch_config_khr {
        command,
        num_args: 1,
        arg_list: &raw const arg,
        ..NOTHING
    };
    let mut configs = [(&raw const config).cast()];
    update_raw(buffer, 1, &TYPE, configs.as_mut_ptr())
}

/// The properties with which nothing of a launch can be updated but what the value says.
const fn only(fields: u64) -> [u64; 3] {
    [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0]
}

const ONLY_ARGUMENTS: [u64; 3] = only(CL_MUTABLE_DISPATCH_ARGUMENTS_KHR);
const ONLY_OFFSET: [u64; 3] = only(CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR);
const NO_MORE_GROUPS: [u64; 3] = [
    CL_MUTABLE_DISPATCH_ASSERTS_KHR,
    CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
    0,
];

pub(super) fn rows() -> Vec<Row> {
    let mut all = objects();
    all.extend(copies());
    all.extend(launches());
    all.extend(updates());
    all
}

fn objects() -> Vec<Row> {
    let mut all = rows!("5.17", clCreateCommandBufferKHR,
        CL_INVALID_VALUE "num_queues is 0" => |w| create(0, &raw const w.s.queue, null()),
        CL_INVALID_VALUE "num_queues is 2" => |w| create(2, [w.s.queue; 2].as_ptr(), null()),
        CL_INVALID_VALUE "queues is NULL" => |_| create(1, null(), null()),
        CL_INVALID_COMMAND_QUEUE "the queue is not valid" => |w| w.none(|h| create(1, &raw const h, null())),
        CL_INVALID_VALUE "a property is not known" => |w| create_with(w, &[0x1234, 1, 0]),
        CL_INVALID_VALUE "a flag is not known" => |w| create_with(w, &[CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0]),
        CL_INVALID_VALUE "an assertion is not known" => |w| create_with(w, &[ASSERTS, 2, 0]),
        CL_INVALID_VALUE "a property is there twice" =>
            |w| create_with(w, &[CL_COMMAND_BUFFER_FLAGS_KHR, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 1, 0]),
        CL_INVALID_PROPERTY "a flag is that of an extension that is not offered" =>
            |w| create_with(w, &[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0]),
    );
    all.extend(rows!("5.17", clRetainCommandBufferKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" => |w| w.none(|h| cl!(clRetainCommandBufferKHR(h))),
    ));
    all.extend(rows!("5.17", clReleaseCommandBufferKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" => |w| w.none(|h| cl!(clReleaseCommandBufferKHR(h))),
    ));
    all.extend(rows!("5.17", clFinalizeCommandBufferKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" => |w| w.none(|h| cl!(clFinalizeCommandBufferKHR(h))),
        CL_INVALID_OPERATION "it has been finalized" => |w| cl!(clFinalizeCommandBufferKHR(finalized(w))),
    ));
    all.extend(rows!("5.17", clGetCommandBufferInfoKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" =>
            |w| w.none(|h| info(h, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 8)),
        CL_INVALID_VALUE "param_name is not known" => |w| info(recording(w), 0x1234, 8),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| info(recording(w), CL_COMMAND_BUFFER_CONTEXT_KHR, 4),
    ));
    all.extend(rows!("5.17", clEnqueueCommandBufferKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" => |w| w.none(|h| enqueue(h, &[], 0, 0, null())),
        CL_INVALID_OPERATION "it has not been finalized" => |w| enqueue(recording(w), &[], 0, 0, null()),
        CL_INVALID_OPERATION "an argument is not set" => |w| {
            let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
            let buffer = created_with(w, &flags);
            let c = Common { properties: ONLY_ARGUMENTS.as_ptr(), ..Common::of(buffer) };
            assert_eq!(launch(c, w.unset, 1, 64, None), 0);
            assert_eq!(cl!(clFinalizeCommandBufferKHR(buffer)), 0);
            enqueue(buffer, &[], 0, 0, null())
        },
        CL_INVALID_VALUE "queues is NULL and num_queues is not 0" => |w| enqueue(finalized(w), &[], 1, 0, null()),
        CL_INVALID_VALUE "queues is not NULL and num_queues is 0" =>
            |w| enqueue(finalized(w), &[w.s.queue], 0, 0, null()),
        CL_INVALID_VALUE "num_queues is not that of the creation" =>
            |w| enqueue(finalized(w), &[w.s.queue; 2], 2, 0, null()),
        CL_INVALID_COMMAND_QUEUE "the queue is not valid" => |w| w.none(|h| enqueue(finalized(w), &[h], 1, 0, null())),
        CL_INVALID_CONTEXT "the queue is of another context" =>
            |w| enqueue(finalized(w), &[w.other.queue], 1, 0, null()),
        CL_INVALID_CONTEXT "an event is of another context" =>
            |w| enqueue(finalized(w), &[], 0, 1, &w.other_event),
        CL_INVALID_EVENT_WAIT_LIST "event_wait_list is NULL and its number is not 0" =>
            |w| enqueue(finalized(w), &[], 0, 1, null()),
        CL_INVALID_EVENT_WAIT_LIST "event_wait_list is not NULL and its number is 0" =>
            |w| enqueue(finalized(w), &[], 0, 0, &w.done),
        CL_INVALID_EVENT_WAIT_LIST "an event is not valid" =>
            |w| w.none(|h| enqueue(finalized(w), &[], 0, 1, &h)),
    ));
    all
}

fn copies() -> Vec<Row> {
    let mut all = recorded!(clCommandBarrierWithWaitListKHR, barrier);
    all.extend(without_handle!(clCommandBarrierWithWaitListKHR, barrier));
    all.extend(recorded!(clCommandCopyBufferKHR, |w, c| copy(
        c,
        w.buffer,
        w.second,
        [0, 0, 16]
    )));
    all.extend(without_handle!(clCommandCopyBufferKHR, |w, c| copy(
        c,
        w.buffer,
        w.second,
        [0, 0, 16]
    )));
    all.extend(rows!("5.17", clCommandCopyBufferKHR,
        CL_INVALID_MEM_OBJECT "src_buffer is not valid" =>
            |w| w.none(|h| copy(Common::of(recording(w)), h, w.second, [0, 0, 16])),
        CL_INVALID_MEM_OBJECT "dst_buffer is not valid" =>
            |w| w.none(|h| copy(Common::of(recording(w)), w.buffer, h, [0, 0, 16])),
        CL_INVALID_CONTEXT "src_buffer is of another context" =>
            |w| copy(Common::of(recording(w)), w.other_buffer, w.second, [0, 0, 16]),
        CL_INVALID_CONTEXT "dst_buffer is of another context" =>
            |w| copy(Common::of(recording(w)), w.buffer, w.other_buffer, [0, 0, 16]),
        CL_INVALID_VALUE "the source is out of bounds" =>
            |w| copy(Common::of(recording(w)), w.buffer, w.second, [4096, 0, 16]),
        CL_INVALID_VALUE "the destination is out of bounds" =>
            |w| copy(Common::of(recording(w)), w.buffer, w.second, [0, 4090, 16]),
        CL_MEM_COPY_OVERLAP "source and destination overlap" =>
            |w| copy(Common::of(recording(w)), w.buffer, w.buffer, [0, 8, 16]),
    ));
    all.extend(recorded!(clCommandCopyBufferRectKHR, |w, c| copy_rect(
        c,
        w.buffer,
        w.second,
        Some(BOX)
    )));
    all.extend(without_handle!(clCommandCopyBufferRectKHR, |w, c| copy_rect(
        c,
        w.buffer,
        w.second,
        Some(BOX)
    )));
    all.extend(rows!("5.17", clCommandCopyBufferRectKHR,
        CL_INVALID_MEM_OBJECT "src_buffer is not valid" =>
            |w| w.none(|h| copy_rect(Common::of(recording(w)), h, w.second, Some(BOX))),
        CL_INVALID_CONTEXT "dst_buffer is of another context" =>
            |w| copy_rect(Common::of(recording(w)), w.buffer, w.other_buffer, Some(BOX)),
        CL_INVALID_VALUE "region is NULL" => |w| copy_rect(Common::of(recording(w)), w.buffer, w.second, None),
        CL_INVALID_VALUE "region is empty" =>
            |w| copy_rect(Common::of(recording(w)), w.buffer, w.second, Some([8, 0, 1])),
        CL_INVALID_VALUE "region is out of bounds" =>
            |w| copy_rect(Common::of(recording(w)), w.buffer, w.second, Some([16, 300, 1])),
        CL_MEM_COPY_OVERLAP "source and destination overlap" =>
            |w| copy_rect(Common::of(recording(w)), w.buffer, w.buffer, Some(BOX)),
    ));
    all.extend(recorded!(clCommandFillBufferKHR, |w, c| fill(
        c,
        w.buffer,
        Some(4),
        16
    )));
    all.extend(without_handle!(clCommandFillBufferKHR, |w, c| fill(
        c,
        w.buffer,
        Some(4),
        16
    )));
    all.extend(rows!("5.17", clCommandFillBufferKHR,
        CL_INVALID_MEM_OBJECT "buffer is not valid" =>
            |w| w.none(|h| fill(Common::of(recording(w)), h, Some(4), 16)),
        CL_INVALID_CONTEXT "buffer is of another context" =>
            |w| fill(Common::of(recording(w)), w.other_buffer, Some(4), 16),
        CL_INVALID_VALUE "pattern is NULL" => |w| fill(Common::of(recording(w)), w.buffer, None, 16),
        CL_INVALID_VALUE "pattern_size is 3" => |w| fill(Common::of(recording(w)), w.buffer, Some(3), 16),
        CL_INVALID_VALUE "the range is out of bounds" => |w| fill(Common::of(recording(w)), w.buffer, Some(4), 8192),
    ));
    all.extend(images());
    all
}

fn images() -> Vec<Row> {
    const COLOR: [u32; 4] = [0; 4];
    fn color() -> *const c_void {
        COLOR.as_ptr().cast()
    }
    let mut all = recorded!(clCommandFillImageKHR, |w, c| fill_image(c, w.image, color(), BOX));
    all.extend(without_handle!(clCommandFillImageKHR, |w, c| fill_image(
        c,
        w.image,
        color(),
        BOX
    )));
    all.extend(rows!("5.17", clCommandFillImageKHR,
        CL_INVALID_MEM_OBJECT "image is not valid" =>
            |w| w.none(|h| fill_image(Common::of(recording(w)), h, color(), BOX)),
        CL_INVALID_CONTEXT "image is of another context" =>
            |w| fill_image(Common::of(recording(w)), w.other_image, color(), BOX),
        CL_INVALID_VALUE "fill_color is NULL" => |w| fill_image(Common::of(recording(w)), w.image, null(), BOX),
        CL_INVALID_VALUE "region is out of bounds" =>
            |w| fill_image(Common::of(recording(w)), w.image, color(), [17, 1, 1]),
    ));
    all.extend(recorded!(clCommandCopyImageKHR, |w, c| copy_image(
        c,
        w.image,
        w.image_second,
        BOX
    )));
    all.extend(without_handle!(clCommandCopyImageKHR, |w, c| copy_image(
        c,
        w.image,
        w.image_second,
        BOX
    )));
    all.extend(rows!("5.17", clCommandCopyImageKHR,
        CL_INVALID_MEM_OBJECT "src_image is not valid" =>
            |w| w.none(|h| copy_image(Common::of(recording(w)), h, w.image_second, BOX)),
        CL_INVALID_CONTEXT "dst_image is of another context" =>
            |w| copy_image(Common::of(recording(w)), w.image, w.other_image, BOX),
        CL_IMAGE_FORMAT_MISMATCH "the formats differ" =>
            |w| copy_image(Common::of(recording(w)), w.image, w.image_float, BOX),
        CL_INVALID_VALUE "region is out of bounds" =>
            |w| copy_image(Common::of(recording(w)), w.image, w.image_second, [17, 1, 1]),
        CL_MEM_COPY_OVERLAP "source and destination overlap" =>
            |w| copy_image(Common::of(recording(w)), w.image, w.image, BOX),
    ));
    all.extend(recorded!(clCommandCopyImageToBufferKHR, |w, c| image_to_buffer(
        c, w.image, w.buffer, 0
    )));
    all.extend(without_handle!(clCommandCopyImageToBufferKHR, |w, c| {
        image_to_buffer(c, w.image, w.buffer, 0)
    }));
    all.extend(rows!("5.17", clCommandCopyImageToBufferKHR,
        CL_INVALID_MEM_OBJECT "src_image is not valid" =>
            |w| w.none(|h| image_to_buffer(Common::of(recording(w)), h, w.buffer, 0)),
        CL_INVALID_MEM_OBJECT "dst_buffer is an image" =>
            |w| image_to_buffer(Common::of(recording(w)), w.image, w.image, 0),
        CL_INVALID_CONTEXT "dst_buffer is of another context" =>
            |w| image_to_buffer(Common::of(recording(w)), w.image, w.other_buffer, 0),
        CL_INVALID_VALUE "the destination is out of bounds" =>
            |w| image_to_buffer(Common::of(recording(w)), w.image, w.buffer, 4000),
    ));
    all.extend(recorded!(clCommandCopyBufferToImageKHR, |w, c| buffer_to_image(
        c, w.buffer, w.image, 0
    )));
    all.extend(without_handle!(clCommandCopyBufferToImageKHR, |w, c| {
        buffer_to_image(c, w.buffer, w.image, 0)
    }));
    all.extend(rows!("5.17", clCommandCopyBufferToImageKHR,
        CL_INVALID_MEM_OBJECT "src_buffer is an image" =>
            |w| buffer_to_image(Common::of(recording(w)), w.image, w.image, 0),
        CL_INVALID_MEM_OBJECT "dst_image is not valid" =>
            |w| w.none(|h| buffer_to_image(Common::of(recording(w)), w.buffer, h, 0)),
        CL_INVALID_CONTEXT "dst_image is of another context" =>
            |w| buffer_to_image(Common::of(recording(w)), w.buffer, w.other_image, 0),
        CL_INVALID_VALUE "the source is out of bounds" =>
            |w| buffer_to_image(Common::of(recording(w)), w.buffer, w.image, 4000),
    ));
    all
}

fn launches() -> Vec<Row> {
    let mut all = recorded!(clCommandNDRangeKernelKHR, |w, c| launch(c, w.kernel, 1, 64, None));
    all.extend(rows!("5.17", clCommandNDRangeKernelKHR,
        CL_INVALID_KERNEL "kernel is not valid" =>
            |w| w.none(|h| launch(Common::of(recording(w)), h, 1, 64, None)),
        CL_INVALID_CONTEXT "kernel is of another context" => |w| {
            let (buffer, code) = created!(clCreateCommandBufferKHR(1, &raw const w.other.queue, null()));
            assert_eq!(code, 0);
            launch(Common::of(buffer), w.kernel, 1, 64, None)
        },
        CL_INVALID_KERNEL_ARGS "the arguments are not set" =>
            |w| launch(Common::of(recording(w)), w.unset, 1, 64, None),
        CL_INVALID_KERNEL_ARGS "the arguments are not set, and the command-buffer is not mutable" => |w| launch(
            Common { properties: ONLY_ARGUMENTS.as_ptr(), ..Common::of(recording(w)) }, w.unset, 1, 64, None),
        CL_INVALID_KERNEL_ARGS "the arguments are not set, and the property is not there" => |w| {
            let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
            launch(Common::of(created_with(w, &flags)), w.unset, 1, 64, None)
        },
        CL_INVALID_WORK_DIMENSION "work_dim is 0" => |w| launch(Common::of(recording(w)), w.kernel, 0, 64, None),
        CL_INVALID_WORK_DIMENSION "work_dim is 4" => |w| launch(Common::of(recording(w)), w.kernel, 4, 64, None),
        CL_INVALID_GLOBAL_WORK_SIZE "global_work_size is 0" =>
            |w| launch(Common::of(recording(w)), w.kernel, 1, 0, None),
        CL_INVALID_WORK_GROUP_SIZE "local_work_size does not divide it" =>
            |w| launch(Common::of(recording(w)), w.kernel, 1, 64, Some(48)),
        CL_INVALID_WORK_GROUP_SIZE "local_work_size is not that of the kernel" =>
            |w| launch(Common::of(recording(w)), w.sized, 1, 64, Some(16)),
        CL_INVALID_WORK_DIMENSION "work_dim is 0, and the arguments are set later" => |w| {
            let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
            let c = Common { properties: ONLY_ARGUMENTS.as_ptr(), ..Common::of(created_with(w, &flags)) };
            launch(c, w.unset, 0, 64, None)
        },
        CL_INVALID_VALUE "updatable fields are not known" => |w| launch(
            Common { properties: only(1 << 20).as_ptr(), ..Common::of(recording(w)) }, w.kernel, 1, 64, None),
        CL_INVALID_VALUE "there are to be no more work-groups, and local_work_size is NULL" => |w| launch(
            Common { properties: NO_MORE_GROUPS.as_ptr(), ..Common::of(recording(w)) }, w.kernel, 1, 64, None),
        CL_INVALID_VALUE "that is so for the command-buffer, and local_work_size is NULL" =>
            |w| launch(Common::of(created_with(w, &[ASSERTS, 1, 0])), w.kernel, 1, 64, None),
    ));
    all.extend(shared!(clCommandSVMMemcpyKHR, svm_copy));
    all.extend(shared!(clCommandSVMMemFillKHR, svm_fill));
    all.extend(rows!("5.17", clCommandSVMMemcpyKHR,
        CL_INVALID_OPERATION "the device has no SVM" => |w| svm_copy(w, Common::of(recording(w))),
    ));
    all.extend(rows!("5.17", clCommandSVMMemFillKHR,
        CL_INVALID_OPERATION "the device has no SVM" => |w| svm_fill(w, Common::of(recording(w))),
    ));
    all
}

fn updates() -> Vec<Row> {
    static SIZES: [usize; 3] = [32, 1, 1];
    let mut all = rows!("5.17", clUpdateMutableCommandsKHR,
        CL_INVALID_COMMAND_BUFFER_KHR "command_buffer is not valid" =>
            |w| w.none(|h| update_raw(h, 0, null(), null_mut())),
        CL_INVALID_OPERATION "it has not been finalized" => |w| {
            let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
            update_raw(created_with(w, &flags), 0, null(), null_mut())
        },
        CL_INVALID_OPERATION "it is not mutable" => |w| update_raw(finalized(w), 0, null(), null_mut()),
        CL_INVALID_VALUE "config_types is NULL" =>
            |w| update_raw(mutable(w, &[]).0, 1, null(), [null::<c_void>()].as_mut_ptr()),
        CL_INVALID_VALUE "configs is NULL" => |w| update_raw(mutable(w, &[]).0, 1, &TYPE, null_mut()),
        CL_INVALID_VALUE "num_configs is 0 and config_types is not NULL" =>
            |w| update_raw(mutable(w, &[]).0, 0, &TYPE, null_mut()),
        CL_INVALID_VALUE "num_configs is 0 and configs is not NULL" =>
            |w| update_raw(mutable(w, &[]).0, 0, null(), [null::<c_void>()].as_mut_ptr()),
        CL_INVALID_VALUE "a type is not known" =>
            |w| {
                let config = NOTHING;
                update_raw(mutable(w, &[]).0, 1, &77, [(&raw const config).cast()].as_mut_ptr())
            },
        CL_INVALID_VALUE "an element of configs is NULL" =>
            |w| update_raw(mutable(w, &[]).0, 1, &TYPE, [null::<c_void>()].as_mut_ptr()),
        CL_INVALID_MUTABLE_COMMAND_KHR "command is not valid" => |w| w.none(|command| {
            let config = cl_mutable_dispatch_config_khr { command, ..NOTHING };
            update_raw(mutable(w, &[]).0, 1, &TYPE, [(&raw const config).cast()].as_mut_ptr())
        }),
        CL_INVALID_MUTABLE_COMMAND_KHR "command is of another command-buffer" =>
            |w| update(w, &[], |w, c| c.command = mutable(w, &[]).1),
        CL_INVALID_OPERATION "work_dim changes" => |w| update(w, &[], |_, c| c.work_dim = 2),
        CL_INVALID_OPERATION "the work-groups become uneven" =>
            |w| update(w, &[], |_, c| c.local_work_size = [48usize].as_ptr()),
        CL_INVALID_OPERATION "the offset may not change" =>
            |w| update(w, &ONLY_ARGUMENTS, |_, c| c.global_work_offset = SIZES.as_ptr()),
        CL_INVALID_OPERATION "the global size may not change" =>
            |w| update(w, &ONLY_ARGUMENTS, |_, c| c.global_work_size = SIZES.as_ptr()),
        CL_INVALID_OPERATION "the local size may not change" =>
            |w| update(w, &ONLY_ARGUMENTS, |_, c| c.local_work_size = SIZES.as_ptr()),
        CL_INVALID_OPERATION "arguments may not change" => |w| update(w, &ONLY_OFFSET, |_, c| {
            (c.num_args, c.arg_list) = (1, room().cast_const().cast());
        }),
        CL_INVALID_OPERATION "the device has no SVM" => |w| update(w, &[], |_, c| {
            (c.num_svm_args, c.arg_svm_list) = (1, room().cast_const().cast());
        }),
        CL_INVALID_VALUE "param_name of clSetKernelExecInfo is not known" => |w| update(w, &[], |_, c| {
            (c.num_exec_infos, c.exec_info_list) = (1, room().cast_const().cast());
        }),
        CL_INVALID_OPERATION "what clSetKernelExecInfo sets may not change" => |w| update(w, &ONLY_ARGUMENTS, |_, c| {
            (c.num_exec_infos, c.exec_info_list) = (1, room().cast_const().cast());
        }),
        CL_INVALID_VALUE "arg_list is NULL and num_args is not 0" => |w| update(w, &[], |_, c| c.num_args = 1),
        CL_INVALID_VALUE "arg_list is not NULL and num_args is 0" =>
            |w| update(w, &[], |_, c| c.arg_list = room().cast_const().cast()),
        CL_INVALID_VALUE "arg_svm_list is NULL and num_svm_args is not 0" =>
            |w| update(w, &[], |_, c| c.num_svm_args = 1),
        CL_INVALID_VALUE "arg_svm_list is not NULL and num_svm_args is 0" =>
            |w| update(w, &[], |_, c| c.arg_svm_list = room().cast_const().cast()),
        CL_INVALID_VALUE "exec_info_list is NULL and num_exec_infos is not 0" =>
            |w| update(w, &[], |_, c| c.num_exec_infos = 1),
        CL_INVALID_VALUE "exec_info_list is not NULL and num_exec_infos is 0" =>
            |w| update(w, &[], |_, c| c.exec_info_list = room().cast_const().cast()),
        CL_INVALID_ARG_INDEX "there is no such argument" => |w| update_arg(w, 4, 4, room()),
        CL_INVALID_ARG_SIZE "arg_size is not that of the argument" => |w| update_arg(w, 1, 8, room()),
        CL_INVALID_ARG_VALUE "arg_value is NULL for a plain value" => |w| update_arg(w, 1, 4, null()),
        CL_INVALID_MEM_OBJECT "arg_value is no memory object" => |w| w.garbage(|h| update_arg(w, 0, 8, (&raw const h).cast())),
        CL_INVALID_GLOBAL_WORK_SIZE "the global size becomes 0" =>
            |w| update(w, &[], |_, c| c.global_work_size = [0usize].as_ptr()),
    );
    all.extend(rows!("5.17", clGetMutableCommandInfoKHR,
        CL_INVALID_MUTABLE_COMMAND_KHR "command is not valid" =>
            |w| w.none(|h| cl!(clGetMutableCommandInfoKHR(h, CL_MUTABLE_DISPATCH_KERNEL_KHR, 8, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not known" =>
            |w| cl!(clGetMutableCommandInfoKHR(mutable(w, &[]).1, 0x1234, 8, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" => |w| {
            let name = CL_MUTABLE_DISPATCH_KERNEL_KHR;
            cl!(clGetMutableCommandInfoKHR(mutable(w, &[]).1, name, 4, room(), null_mut()))
        },
    ));
    all
}
