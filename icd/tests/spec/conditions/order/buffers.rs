//! Transfers of buffers, and mappings.

use super::*;

pub(super) fn transfer(write: bool) -> Call {
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

pub(super) fn rectangles() -> [Call; 2] {
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

pub(super) fn copies() -> [Call; 2] {
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

pub(super) fn mappings() -> [Call; 3] {
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
