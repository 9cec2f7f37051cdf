//! The faults of calls that execute kernels, create objects, build programs, or set arguments and the status of
//! user events.
//!
//! Each call is described by its valid arguments (`args`), by the call itself with arguments (`run`), and by its
//! faults in the specification's order. A fault is the error, the arguments that it concerns, and the change that
//! makes them wrong. A call without an argument of some kind uses the field of `Args` for another one: the field
//! `pitch` is the work-group size of a launch and the choice of build options, for example.

use super::*;

/// Describes the calls that enqueue kernels, native kernels and markers.
pub(super) fn executions() -> [Call; 3] {
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

/// Describes the calls that create objects, and two that change them: clSetUserEventStatus and clBuildProgram.
#[allow(clippy::too_many_lines, reason = "a table with one row for each call")]
pub(super) fn objects() -> [Call; 7] {
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

/// Describes clSetKernelArg.
pub(super) fn arguments() -> Call {
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
