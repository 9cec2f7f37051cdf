//! The error conditions of CL 5.2.1 and 5.4: the creation of buffers and sub-buffers, and the calls that take any
//! memory object.

use std::ptr::null_mut;

use super::objects::UNKNOWN;
use super::world::{SIZE, World, host, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

/// Creates a buffer with these flags, and with host memory if the flags ask for it. Returns the error code.
fn buffer(w: &World, flags: cl_mem_flags) -> cl_int {
    let ptr = if flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) == 0 {
        null_mut()
    } else {
        host()
    };
    created!(clCreateBuffer(w.s.context, flags, 64, ptr)).1
}

/// Creates a sub-buffer and returns the error code.
fn sub(of: cl_mem, flags: cl_mem_flags, origin: usize, size: usize) -> cl_int {
    let region = cl_buffer_region { origin, size };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    created!(clCreateSubBuffer(of, flags, kind, (&raw const region).cast())).1
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.2.1", clCreateBuffer,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| created!(clCreateBuffer(h, 0, 64, null_mut())).1),
        CL_INVALID_VALUE "flags: an unknown bit" => |w| buffer(w, 1 << 30),
        CL_INVALID_VALUE "flags: READ_WRITE and WRITE_ONLY" => |w| buffer(w, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY),
        CL_INVALID_VALUE "flags: READ_WRITE and READ_ONLY" => |w| buffer(w, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY),
        CL_INVALID_VALUE "flags: WRITE_ONLY and READ_ONLY" => |w| buffer(w, CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY),
        CL_INVALID_VALUE "flags: USE_HOST_PTR and ALLOC_HOST_PTR" => |w| buffer(w, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR),
        CL_INVALID_VALUE "flags: USE_HOST_PTR and COPY_HOST_PTR" => |w| buffer(w, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR),
        CL_INVALID_VALUE "flags: HOST_WRITE_ONLY and HOST_READ_ONLY" => |w| buffer(w, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY),
        CL_INVALID_VALUE "flags: HOST_WRITE_ONLY and HOST_NO_ACCESS" => |w| buffer(w, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS),
        CL_INVALID_VALUE "flags: HOST_READ_ONLY and HOST_NO_ACCESS" => |w| buffer(w, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS),
        CL_INVALID_BUFFER_SIZE "size is 0" => |w| created!(clCreateBuffer(w.s.context, 0, 0, null_mut())).1,
        CL_INVALID_BUFFER_SIZE "size is more than CL_DEVICE_MAX_MEM_ALLOC_SIZE" =>
            |w| created!(clCreateBuffer(w.s.context, 0, usize::MAX, null_mut())).1,
        CL_INVALID_HOST_PTR "host_ptr is NULL with USE_HOST_PTR" =>
            |w| created!(clCreateBuffer(w.s.context, CL_MEM_USE_HOST_PTR, 64, null_mut())).1,
        CL_INVALID_HOST_PTR "host_ptr is NULL with COPY_HOST_PTR" =>
            |w| created!(clCreateBuffer(w.s.context, CL_MEM_COPY_HOST_PTR, 64, null_mut())).1,
        CL_INVALID_HOST_PTR "host_ptr is not NULL without USE_HOST_PTR or COPY_HOST_PTR" =>
            |w| created!(clCreateBuffer(w.s.context, 0, 64, host())).1,
        CL_INVALID_HOST_PTR "host_ptr is not NULL with ALLOC_HOST_PTR alone" =>
            |w| created!(clCreateBuffer(w.s.context, CL_MEM_ALLOC_HOST_PTR, 64, host())).1,
    );
    all.extend(rows!("5.2.1", clCreateSubBuffer,
        CL_INVALID_MEM_OBJECT "buffer is not valid" => |w| w.none(|h| sub(h, 0, 0, 64)),
        CL_INVALID_MEM_OBJECT "buffer is an image" => |w| sub(w.image, 0, 0, 64),
        CL_INVALID_MEM_OBJECT "buffer is a sub-buffer" => |w| sub(w.sub, 0, 0, 64),
        CL_INVALID_VALUE "READ_WRITE of a READ_ONLY buffer" => |w| sub(w.read_only, CL_MEM_READ_WRITE, 0, 64),
        CL_INVALID_VALUE "WRITE_ONLY of a READ_ONLY buffer" => |w| sub(w.read_only, CL_MEM_WRITE_ONLY, 0, 64),
        CL_INVALID_VALUE "READ_WRITE of a WRITE_ONLY buffer" => |w| sub(w.write_only, CL_MEM_READ_WRITE, 0, 64),
        CL_INVALID_VALUE "READ_ONLY of a WRITE_ONLY buffer" => |w| sub(w.write_only, CL_MEM_READ_ONLY, 0, 64),
        CL_INVALID_VALUE "HOST_READ_ONLY of a HOST_WRITE_ONLY buffer" => |w| sub(w.host_writes, CL_MEM_HOST_READ_ONLY, 0, 64),
        CL_INVALID_VALUE "HOST_WRITE_ONLY of a HOST_READ_ONLY buffer" => |w| sub(w.host_reads, CL_MEM_HOST_WRITE_ONLY, 0, 64),
        CL_INVALID_VALUE "HOST_READ_ONLY of a HOST_NO_ACCESS buffer" => |w| sub(w.host_nothing, CL_MEM_HOST_READ_ONLY, 0, 64),
        CL_INVALID_VALUE "HOST_WRITE_ONLY of a HOST_NO_ACCESS buffer" => |w| sub(w.host_nothing, CL_MEM_HOST_WRITE_ONLY, 0, 64),
        CL_INVALID_VALUE "flags: USE_HOST_PTR" => |w| sub(w.buffer, CL_MEM_USE_HOST_PTR, 0, 64),
        CL_INVALID_VALUE "flags: ALLOC_HOST_PTR" => |w| sub(w.buffer, CL_MEM_ALLOC_HOST_PTR, 0, 64),
        CL_INVALID_VALUE "flags: COPY_HOST_PTR" => |w| sub(w.buffer, CL_MEM_COPY_HOST_PTR, 0, 64),
        CL_INVALID_VALUE "flags: an unknown bit" => |w| sub(w.buffer, 1 << 30, 0, 64),
        CL_INVALID_VALUE "flags: READ_ONLY and WRITE_ONLY" => |w| sub(w.buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, 64),
        CL_INVALID_VALUE "buffer_create_type is not valid" =>
            |w| created!(clCreateSubBuffer(w.buffer, 0, 0x7777, room())).1,
        CL_INVALID_VALUE "buffer_create_info is NULL" =>
            |w| created!(clCreateSubBuffer(w.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, null_mut())).1,
        CL_INVALID_VALUE "the region begins outside of the buffer" => |w| sub(w.buffer, 0, SIZE, 64),
        CL_INVALID_VALUE "the region ends outside of the buffer" => |w| sub(w.buffer, 0, 1024, SIZE),
        CL_INVALID_VALUE "the region's end overflows" => |w| sub(w.buffer, 0, 1024, usize::MAX - 100),
        CL_INVALID_BUFFER_SIZE "size is 0" => |w| sub(w.buffer, 0, 0, 0),
        CL_MISALIGNED_SUB_BUFFER_OFFSET "origin is misaligned for every device" => |w| sub(w.buffer, 0, 4, 64),
    ));
    all.extend(rows!("5.4.1", clRetainMemObject,
        CL_INVALID_MEM_OBJECT "memobj is not valid" => |w| w.none(|h| cl!(clRetainMemObject(h))),
    ));
    all.extend(rows!("5.4.1", clReleaseMemObject,
        CL_INVALID_MEM_OBJECT "memobj is not valid" => |w| w.none(|h| cl!(clReleaseMemObject(h))),
    ));
    all.extend(rows!("5.4.1", clSetMemObjectDestructorCallback,
        CL_INVALID_MEM_OBJECT "memobj is not valid" => |w| {
            unsafe extern "C" fn never(_: cl_mem, _: *mut std::ffi::c_void) {}
            w.none(|h| cl!(clSetMemObjectDestructorCallback(h, Some(never), null_mut())))
        },
        CL_INVALID_VALUE "pfn_notify is NULL" =>
            |w| cl!(clSetMemObjectDestructorCallback(w.buffer, None, null_mut())),
    ));
    all.extend(rows!("5.4.5", clGetMemObjectInfo,
        CL_INVALID_MEM_OBJECT "memobj is not valid" =>
            |w| w.none(|h| cl!(clGetMemObjectInfo(h, CL_MEM_SIZE, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetMemObjectInfo(w.buffer, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetMemObjectInfo(w.buffer, CL_MEM_SIZE, 4, room(), null_mut())),
    ));
    all
}
