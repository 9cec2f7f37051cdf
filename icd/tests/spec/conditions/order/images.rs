//! Transfers of images.

use super::*;

pub(super) fn image_transfers() -> [Call; 2] {
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

#[allow(clippy::too_many_lines, reason = "a table with one row for each call")]
pub(super) fn image_copies() -> [Call; 4] {
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
