//! Where two errors apply to a call, it gives the one that the specification lists first.
//!
//! Each call has a list of faults in the specification's order; every two of them that do not concern the same argument are
//! made at once. What cannot be so stands in `icd/docs/error-order.md`.

use std::ffi::c_void;
use std::fmt::Write;
use std::ptr::{null, null_mut};

use super::world::{RGBA8, SIZE, World, desc, host};
use crate::common::*;
use crate::{cl, created};

/// The arguments of any call.
struct Args {
    queue: cl_command_queue,
    context: cl_context,
    a: cl_mem,
    b: cl_mem,
    kernel: cl_kernel,
    program: cl_program,
    event: cl_event,
    offset: usize,
    size: usize,
    flags: u64,
    number: u32,
    ptr: *mut c_void,
    /// An origin and a region.
    place: [[usize; 3]; 2],
    pitch: usize,
    list: Vec<cl_event>,
    /// The number of events, if it is not the list's length.
    count: Option<u32>,
    format: cl_image_format,
    devices: Vec<cl_device_id>,
}

impl Args {
    fn new(w: &World) -> Args {
        Args {
            queue: w.s.queue,
            context: w.s.context,
            a: w.buffer,
            b: w.second,
            kernel: w.kernel,
            program: w.program,
            event: w.done,
            offset: 0,
            size: 64,
            flags: 0,
            number: 0,
            ptr: host(),
            place: [[0; 3], [8, 8, 1]],
            pitch: 0,
            list: Vec::new(),
            count: None,
            format: RGBA8,
            devices: Vec::new(),
        }
    }

    fn of_images(w: &World) -> Args {
        Args {
            a: w.image,
            b: w.image_second,
            ..Args::new(w)
        }
    }

    fn list(&self) -> (cl_uint, *const cl_event) {
        let list = if self.list.is_empty() {
            null()
        } else {
            self.list.as_ptr()
        };
        (self.count.unwrap_or(self.list.len() as cl_uint), list)
    }

    fn place(&self) -> (*const usize, *const usize) {
        (self.place[0].as_ptr(), self.place[1].as_ptr())
    }
}

/// Which arguments a fault concerns; by bits.
const Q: u32 = 1;
const A: u32 = 2;
const B: u32 = 4;
const RANGE: u32 = 8;
const PTR: u32 = 16;
const LIST: u32 = 32;
const FLAGS: u32 = 64;
const NUMBER: u32 = 128;
const PITCH: u32 = 256;
const FORMAT: u32 = 512;

struct Fault {
    name: &'static str,
    code: cl_int,
    on: u32,
    make: fn(&World, &mut Args),
}

struct Call {
    name: &'static str,
    args: fn(&World) -> Args,
    run: fn(&Args) -> cl_int,
    faults: Vec<Fault>,
}

/// `ERROR on ARGUMENTS: |w, a| what is done to them`
macro_rules! faults {
    ($($error:ident $on:expr => |$w:ident, $a:ident| $make:expr),* $(,)?) => {
        vec![$(Fault { name: stringify!($error), code: $error, on: $on, make: |$w, $a| { let _ = $w; $make; } }),*]
    };
}

/// A handle that is none.
fn none() -> *mut c_void {
    std::ptr::without_provenance_mut(0xDEAD_BEE8)
}

fn broken_list(_: &World, a: &mut Args) {
    a.count = Some(1);
}

fn transfer(write: bool) -> Call {
    let faults = faults![
        CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
        CL_INVALID_CONTEXT A => |w, a| a.a = w.other_buffer,
        CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
        CL_INVALID_VALUE RANGE => |w, a| a.offset = SIZE,
        CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
        CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
        CL_INVALID_OPERATION A => |w, a| a.a = w.host_nothing,
    ];
    if write {
        Call {
            name: "clEnqueueWriteBuffer",
            args: Args::new,
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueWriteBuffer(
                    a.queue,
                    a.a,
                    1,
                    a.offset,
                    a.size,
                    a.ptr,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults,
        }
    } else {
        Call {
            name: "clEnqueueReadBuffer",
            args: Args::new,
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueReadBuffer(
                    a.queue,
                    a.a,
                    1,
                    a.offset,
                    a.size,
                    a.ptr,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults,
        }
    }
}

fn rectangles() -> [Call; 2] {
    [
        Call {
            name: "clEnqueueReadBufferRect",
            args: Args::new,
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let (q, m, p) = (a.queue, a.a, a.ptr);
                cl!(clEnqueueReadBufferRect(
                    q,
                    m,
                    1,
                    o,
                    [0; 3].as_ptr(),
                    r,
                    a.pitch,
                    0,
                    0,
                    0,
                    p,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_buffer,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
                CL_INVALID_VALUE PITCH => |w, a| a.pitch = 1,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_INVALID_OPERATION A => |w, a| a.a = w.host_nothing,
            ],
        },
        Call {
            name: "clEnqueueCopyBufferRect",
            args: Args::new,
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let to = [4, 0, 0];
                cl!(clEnqueueCopyBufferRect(
                    a.queue,
                    a.a,
                    a.b,
                    o,
                    to.as_ptr(),
                    r,
                    a.pitch,
                    0,
                    a.pitch,
                    0,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT B => |w, a| a.b = w.other_buffer,
                CL_INVALID_MEM_OBJECT B => |w, a| a.b = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE PITCH => |w, a| a.pitch = 1,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_MEM_COPY_OVERLAP B => |w, a| a.b = w.buffer,
            ],
        },
    ]
}

fn copies() -> [Call; 2] {
    [
        Call {
            name: "clEnqueueCopyBuffer",
            args: Args::new,
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueCopyBuffer(
                    a.queue,
                    a.a,
                    a.b,
                    a.offset,
                    4,
                    a.size,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT B => |w, a| a.b = w.other_buffer,
                CL_INVALID_MEM_OBJECT B => |w, a| a.b = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.offset = SIZE,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_MEM_COPY_OVERLAP B => |w, a| a.b = w.buffer,
            ],
        },
        Call {
            name: "clEnqueueFillBuffer",
            args: |w| Args {
                pitch: 4,
                ..Args::new(w)
            },
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueFillBuffer(
                    a.queue,
                    a.a,
                    a.ptr,
                    a.pitch,
                    a.offset,
                    a.size,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_buffer,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.offset = SIZE,
                CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
                CL_INVALID_VALUE PITCH => |w, a| a.pitch = 3,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
    ]
}

fn mappings() -> [Call; 3] {
    [
        Call {
            name: "clEnqueueMapBuffer",
            args: |w| Args {
                flags: CL_MAP_READ,
                ..Args::new(w)
            },
            run: |a| {
                let ((n, l), q, m) = (a.list(), a.queue, a.a);
                created!(clEnqueueMapBuffer(
                    q,
                    m,
                    1,
                    a.flags,
                    a.offset,
                    a.size,
                    n,
                    l,
                    null_mut()
                ))
                .1
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_buffer,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.offset = SIZE,
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 20,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_INVALID_OPERATION A => |w, a| a.a = w.host_nothing,
            ],
        },
        Call {
            name: "clEnqueueUnmapMemObject",
            args: |w| {
                let (q, m) = (w.s.queue, w.buffer);
                let mapped = created!(clEnqueueMapBuffer(
                    q,
                    m,
                    1,
                    CL_MAP_READ,
                    0,
                    64,
                    0,
                    null(),
                    null_mut()
                ));
                Args {
                    ptr: mapped.0,
                    ..Args::new(w)
                }
            },
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueUnmapMemObject(a.queue, a.a, a.ptr, n, l, null_mut()))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE PTR => |w, a| a.ptr = host(),
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_INVALID_CONTEXT LIST => |w, a| a.list = vec![w.other_event],
            ],
        },
        Call {
            name: "clEnqueueMigrateMemObjects",
            args: Args::new,
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueMigrateMemObjects(
                    a.queue,
                    1,
                    &a.a,
                    a.flags,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_buffer,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 20,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
    ]
}

fn image_transfers() -> [Call; 2] {
    [
        Call {
            name: "clEnqueueReadImage",
            args: Args::of_images,
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let (q, m) = (a.queue, a.a);
                cl!(clEnqueueReadImage(
                    q,
                    m,
                    1,
                    o,
                    r,
                    a.pitch,
                    0,
                    a.ptr,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_image,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
                CL_INVALID_VALUE PITCH => |w, a| a.pitch = 1,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_INVALID_OPERATION A => |w, a| a.a = w.image_host_writes,
            ],
        },
        Call {
            name: "clEnqueueMapImage",
            args: |w| Args {
                flags: CL_MAP_READ,
                ..Args::of_images(w)
            },
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let (q, m) = (a.queue, a.a);
                let mut pitch = 0;
                let pitch = if a.pitch == 0 { &raw mut pitch } else { null_mut() };
                created!(clEnqueueMapImage(
                    q,
                    m,
                    1,
                    a.flags,
                    o,
                    r,
                    pitch,
                    null_mut(),
                    n,
                    l,
                    null_mut()
                ))
                .1
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_image,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 20,
                CL_INVALID_VALUE PITCH => |w, a| a.pitch = 1,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_INVALID_OPERATION A => |w, a| a.a = w.image_host_writes,
            ],
        },
    ]
}

fn image_copies() -> [Call; 4] {
    [
        Call {
            name: "clEnqueueCopyImage",
            args: Args::of_images,
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let to = [4, 0, 0];
                cl!(clEnqueueCopyImage(
                    a.queue,
                    a.a,
                    a.b,
                    o,
                    to.as_ptr(),
                    r,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT B => |w, a| a.b = w.other_image,
                CL_INVALID_MEM_OBJECT B => |w, a| a.b = none(),
                CL_IMAGE_FORMAT_MISMATCH B => |w, a| a.b = w.image_float,
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
                CL_MEM_COPY_OVERLAP B => |w, a| a.b = w.image,
            ],
        },
        Call {
            name: "clEnqueueFillImage",
            args: Args::of_images,
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                cl!(clEnqueueFillImage(a.queue, a.a, a.ptr, o, r, n, l, null_mut()))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_image,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
        Call {
            name: "clEnqueueCopyImageToBuffer",
            args: |w| Args {
                b: w.buffer,
                ..Args::of_images(w)
            },
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let (q, i, b) = (a.queue, a.a, a.b);
                cl!(clEnqueueCopyImageToBuffer(
                    q,
                    i,
                    b,
                    o,
                    r,
                    a.offset,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT A => |w, a| a.a = w.other_image,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE NUMBER => |w, a| a.offset = SIZE,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
        Call {
            name: "clEnqueueCopyBufferToImage",
            args: |w| Args {
                b: w.buffer,
                ..Args::of_images(w)
            },
            run: |a| {
                let ((n, l), (o, r)) = (a.list(), a.place());
                let (q, i, b) = (a.queue, a.a, a.b);
                cl!(clEnqueueCopyBufferToImage(
                    q,
                    b,
                    i,
                    a.offset,
                    o,
                    r,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT B => |w, a| a.b = w.other_buffer,
                CL_INVALID_MEM_OBJECT B => |w, a| a.b = none(),
                CL_INVALID_VALUE RANGE => |w, a| a.place[0][0] = SIZE,
                CL_INVALID_VALUE NUMBER => |w, a| a.offset = SIZE,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
    ]
}

fn executions() -> [Call; 3] {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    [
        Call {
            name: "clEnqueueNDRangeKernel",
            args: |w| Args {
                number: 1,
                pitch: 4,
                ..Args::new(w)
            },
            run: |a| {
                let (n, l) = a.list();
                let (q, k, offset, size, group) =
                    (a.queue, a.kernel, [a.offset; 3], [a.size; 3], [a.pitch; 3]);
                cl!(clEnqueueNDRangeKernel(
                    q,
                    k,
                    a.number,
                    offset.as_ptr(),
                    size.as_ptr(),
                    group.as_ptr(),
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_KERNEL A => |w, a| a.kernel = none(),
                CL_INVALID_CONTEXT LIST => |w, a| a.list = vec![w.other_event],
                CL_INVALID_KERNEL_ARGS A => |w, a| a.kernel = w.unset,
                CL_INVALID_WORK_DIMENSION NUMBER => |w, a| a.number = 4,
                CL_INVALID_GLOBAL_WORK_SIZE RANGE => |w, a| a.size = 0,
                CL_INVALID_GLOBAL_OFFSET PTR => |w, a| a.offset = usize::MAX,
                CL_INVALID_WORK_GROUP_SIZE PITCH => |w, a| a.pitch = 7,
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
        Call {
            name: "clEnqueueNativeKernel",
            args: |w| Args {
                number: 1,
                size: 8,
                ..Args::new(w)
            },
            run: |a| {
                let (n, l) = a.list();
                let function = (a.number == 1).then_some(nothing as unsafe extern "C" fn(*mut c_void));
                let mut at: *const c_void = a.ptr;
                cl!(clEnqueueNativeKernel(
                    a.queue,
                    function,
                    a.ptr,
                    a.size,
                    1,
                    &a.a,
                    &raw mut at,
                    n,
                    l,
                    null_mut()
                ))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT LIST => |w, a| a.list = vec![w.other_event],
                CL_INVALID_VALUE NUMBER => |w, a| a.number = 0,
                CL_INVALID_VALUE RANGE => |w, a| a.size = 0,
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
        Call {
            name: "clEnqueueMarkerWithWaitList",
            args: Args::new,
            run: |a| {
                let (n, l) = a.list();
                cl!(clEnqueueMarkerWithWaitList(a.queue, n, l, null_mut()))
            },
            faults: faults![
                CL_INVALID_COMMAND_QUEUE Q => |w, a| a.queue = none(),
                CL_INVALID_CONTEXT LIST => |w, a| a.list = vec![w.other_event],
                CL_INVALID_EVENT_WAIT_LIST LIST => |w, a| broken_list(w, a),
            ],
        },
    ]
}

fn objects() -> [Call; 7] {
    [
        Call {
            name: "clCreateKernel",
            args: Args::new,
            run: |a| {
                let name = [c"plain".as_ptr(), c"absent".as_ptr(), null()][a.number as usize];
                created!(clCreateKernel(a.program, name)).1
            },
            faults: faults![
                CL_INVALID_PROGRAM A => |w, a| a.program = none(),
                CL_INVALID_PROGRAM_EXECUTABLE A => |w, a| a.program = w.unbuilt,
                CL_INVALID_KERNEL_NAME NUMBER => |w, a| a.number = 1,
                CL_INVALID_VALUE NUMBER => |w, a| a.number = 2,
            ],
        },
        Call {
            name: "clCreateBuffer",
            args: |w| Args {
                ptr: null_mut(),
                ..Args::new(w)
            },
            run: |a| created!(clCreateBuffer(a.context, a.flags, a.size, a.ptr)).1,
            faults: faults![
                CL_INVALID_CONTEXT Q => |w, a| a.context = none(),
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 40,
                CL_INVALID_BUFFER_SIZE RANGE => |w, a| a.size = 0,
                CL_INVALID_HOST_PTR PTR => |w, a| a.ptr = host(),
            ],
        },
        Call {
            name: "clCreateSubBuffer",
            args: |w| Args {
                number: CL_BUFFER_CREATE_TYPE_REGION,
                ..Args::new(w)
            },
            run: |a| {
                let region = cl_buffer_region {
                    origin: a.offset,
                    size: a.size,
                };
                let info: *const c_void = if a.ptr.is_null() {
                    null()
                } else {
                    (&raw const region).cast()
                };
                created!(clCreateSubBuffer(a.a, a.flags, a.number, info)).1
            },
            faults: faults![
                CL_INVALID_MEM_OBJECT A => |w, a| a.a = none(),
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = CL_MEM_COPY_HOST_PTR,
                CL_INVALID_VALUE NUMBER => |w, a| a.number = 77,
                CL_INVALID_VALUE PTR => |w, a| a.ptr = null_mut(),
                CL_INVALID_VALUE RANGE => |w, a| a.offset = 2 * SIZE,
                CL_INVALID_BUFFER_SIZE B => |w, a| a.size = 0,
                CL_MISALIGNED_SUB_BUFFER_OFFSET RANGE => |w, a| a.offset = 4,
            ],
        },
        Call {
            name: "clCreateImage",
            args: |w| Args {
                ptr: null_mut(),
                number: CL_MEM_OBJECT_IMAGE2D,
                ..Args::new(w)
            },
            run: |a| {
                let mut desc = desc(a.number, [a.size, 8, 0]);
                desc.image_row_pitch = a.pitch;
                created!(clCreateImage(a.context, a.flags, &a.format, &desc, a.ptr)).1
            },
            faults: faults![
                CL_INVALID_CONTEXT Q => |w, a| a.context = none(),
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 40,
                CL_INVALID_IMAGE_FORMAT_DESCRIPTOR FORMAT => |w, a| a.format.image_channel_order = 1,
                CL_INVALID_IMAGE_DESCRIPTOR PITCH => |w, a| a.pitch = 1,
                CL_INVALID_IMAGE_SIZE RANGE => |w, a| a.size = 1 << 20,
                CL_INVALID_HOST_PTR PTR => |w, a| a.ptr = host(),
            ],
        },
        Call {
            name: "clCreateCommandQueue",
            args: |w| Args {
                devices: vec![w.s.device],
                ..Args::new(w)
            },
            run: |a| created!(clCreateCommandQueue(a.context, a.devices[0], a.flags)).1,
            faults: faults![
                CL_INVALID_CONTEXT Q => |w, a| a.context = none(),
                CL_INVALID_DEVICE A => |w, a| a.devices = vec![none()],
                CL_INVALID_VALUE FLAGS => |w, a| a.flags = 1 << 40,
            ],
        },
        Call {
            name: "clSetUserEventStatus",
            args: |w| Args {
                event: created!(clCreateUserEvent(w.s.context)).0,
                ..Args::new(w)
            },
            run: |a| cl!(clSetUserEventStatus(a.event, a.number as cl_int)),
            faults: faults![
                CL_INVALID_EVENT A => |w, a| a.event = none(),
                CL_INVALID_VALUE NUMBER => |w, a| a.number = 1,
                CL_INVALID_OPERATION A => |w, a| a.event = w.done,
            ],
        },
        Call {
            name: "clBuildProgram",
            args: |w| Args {
                program: w.s.program("kernel void k() {}"),
                ptr: null_mut(),
                ..Args::new(w)
            },
            run: |a| {
                let (n, devices) = match a.devices.as_slice() {
                    [] => (a.number, null()),
                    some => (some.len() as cl_uint, some.as_ptr()),
                };
                let options = if a.pitch == 0 { c"" } else { c"-no-such-option" };
                cl!(clBuildProgram(
                    a.program,
                    n,
                    devices,
                    options.as_ptr(),
                    None,
                    a.ptr
                ))
            },
            faults: faults![
                CL_INVALID_PROGRAM A => |w, a| a.program = none(),
                CL_INVALID_VALUE NUMBER | RANGE => |w, a| a.number = 1,
                CL_INVALID_VALUE PTR => |w, a| a.ptr = host(),
                CL_INVALID_DEVICE RANGE => |w, a| a.devices = vec![none()],
                CL_INVALID_BUILD_OPTIONS PITCH => |w, a| a.pitch = 1,
                CL_INVALID_OPERATION A => |w, a| a.program = w.program,
            ],
        },
    ]
}

fn arguments() -> Call {
    Call {
        name: "clSetKernelArg",
        args: |w| Args {
            number: 1,
            size: 4,
            ..Args::new(w)
        },
        run: |a| cl!(clSetKernelArg(a.kernel, a.number, a.size, a.ptr)),
        faults: faults![
            CL_INVALID_KERNEL A => |w, a| a.kernel = none(),
            CL_INVALID_ARG_INDEX NUMBER => |w, a| a.number = 77,
            CL_INVALID_ARG_VALUE PTR => |w, a| a.ptr = null_mut(),
            CL_INVALID_ARG_SIZE RANGE => |w, a| a.size = 3,
        ],
    }
}

fn all() -> Vec<Call> {
    let mut all = vec![transfer(false), transfer(true), arguments()];
    all.extend(rectangles());
    all.extend(copies());
    all.extend(mappings());
    all.extend(image_transfers());
    all.extend(image_copies());
    all.extend(executions());
    all.extend(objects());
    all
}

#[test]
fn the_first_of_two_errors_is_given() {
    let world = World::new();
    let mut wrong = String::new();
    let mut pairs = 0;
    for call in all() {
        let whole = (call.run)(&(call.args)(&world));
        if whole != CL_SUCCESS {
            writeln!(wrong, "{}: {whole} without a fault", call.name).expect("a string");
        }
        for (i, first) in call.faults.iter().enumerate() {
            for second in call.faults[i..]
                .iter()
                .filter(|s| std::ptr::eq(*s, first) || s.on & first.on == 0)
            {
                let mut args = (call.args)(&world);
                (second.make)(&world, &mut args);
                (first.make)(&world, &mut args);
                let got = (call.run)(&args);
                pairs += 1;
                if got != first.code {
                    writeln!(
                        wrong,
                        "{}: {} and {} give {got}",
                        call.name, first.name, second.name
                    )
                    .expect("a string");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {pairs}:\n{wrong}");
    assert!(pairs > 400, "{pairs}");
}
