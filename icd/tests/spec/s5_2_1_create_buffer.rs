//! CL 5.2.1

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

fn create(s: &Setup, flags: u64, size: usize, host: *mut c_void) -> i32 {
    let (buffer, code) = created!(clCreateBuffer(s.context, flags, size, host));
    if code == 0 {
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    code
}

#[test]
fn flags() {
    let s = Setup::new();
    for flags in [
        0,
        CL_MEM_READ_WRITE,
        CL_MEM_READ_ONLY,
        CL_MEM_WRITE_ONLY,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
        CL_MEM_HOST_NO_ACCESS,
    ] {
        assert_eq!(create(&s, flags, 64, null_mut()), 0, "{flags:#x}");
    }
    // INVALID_VALUE if values specified in flags are not valid
    for flags in [
        1 << 40,
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
    ] {
        assert_eq!(create(&s, flags, 64, null_mut()), CL_INVALID_VALUE, "{flags:#x}");
    }
    let mut memory = [0u8; 64];
    let host = memory.as_mut_ptr().cast();
    for flags in [
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
    ] {
        assert_eq!(create(&s, flags, 64, host), CL_INVALID_VALUE, "{flags:#x}");
    }
}

#[test]
fn size() {
    let s = Setup::new();
    // INVALID_BUFFER_SIZE if size is 0 or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE of all devices
    assert_eq!(create(&s, 0, 0, null_mut()), CL_INVALID_BUFFER_SIZE);
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_MEM_ALLOC_SIZE) as u64);
    assert_eq!(
        create(&s, 0, most as usize + 1, null_mut()),
        CL_INVALID_BUFFER_SIZE
    );
    assert_eq!(create(&s, 0, usize::MAX, null_mut()), CL_INVALID_BUFFER_SIZE);
    for size in [1, 3, 4095] {
        assert_eq!(create(&s, 0, size, null_mut()), 0);
    }
}

#[test]
fn host_ptr() {
    let s = Setup::new();
    let mut memory = [7u8; 64];
    let host: *mut c_void = memory.as_mut_ptr().cast();
    // INVALID_HOST_PTR if host_ptr is NULL and flags want it, or is not NULL and flags do not
    assert_eq!(
        create(&s, CL_MEM_USE_HOST_PTR, 64, null_mut()),
        CL_INVALID_HOST_PTR
    );
    assert_eq!(
        create(&s, CL_MEM_COPY_HOST_PTR, 64, null_mut()),
        CL_INVALID_HOST_PTR
    );
    assert_eq!(create(&s, 0, 64, host), CL_INVALID_HOST_PTR);
    assert_eq!(create(&s, CL_MEM_ALLOC_HOST_PTR, 64, host), CL_INVALID_HOST_PTR);
    assert_eq!(
        create(&s, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host),
        0
    );
    assert_eq!(create(&s, CL_MEM_USE_HOST_PTR, 64, host), 0);
}

#[test]
fn copy_host_ptr_copies() {
    let s = Setup::new();
    let mut bytes: Vec<u8> = (0..=255).collect();
    let buffer = s.buffer(&bytes);
    bytes.fill(0);
    assert_eq!(s.read(buffer, 256), (0..=255).collect::<Vec<u8>>());
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

#[test]
fn sub_buffer() {
    let s = Setup::new();
    let align = query!(clGetDeviceInfo(s.device; CL_DEVICE_MEM_BASE_ADDR_ALIGN) as u32) as usize / 8;
    let contents: Vec<u8> = (0..4 * align).map(|i| (i / align) as u8).collect();
    let parent = s.buffer(&contents);
    let create = |flags: u64, kind: u32, origin: usize, size: usize| {
        let region = cl_buffer_region { origin, size };
        created!(clCreateSubBuffer(parent, flags, kind, (&raw const region).cast()))
    };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let (sub, code) = create(0, kind, align, 2 * align);
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetMemObjectInfo(sub; CL_MEM_ASSOCIATED_MEMOBJECT) as usize),
        parent.addr()
    );
    assert_eq!(query!(clGetMemObjectInfo(sub; CL_MEM_OFFSET) as usize), align);
    assert_eq!(query!(clGetMemObjectInfo(sub; CL_MEM_SIZE) as usize), 2 * align);
    assert_eq!(
        query!(clGetMemObjectInfo(parent; CL_MEM_REFERENCE_COUNT) as u32),
        1
    );
    assert_eq!(s.read(sub, 2 * align), contents[align..3 * align]);
    // INVALID_VALUE if buffer_create_type is not valid, or if the region is out of bounds
    assert_eq!(create(0, 0x1111, 0, align).1, CL_INVALID_VALUE);
    assert_eq!(create(0, kind, 3 * align, 2 * align).1, CL_INVALID_VALUE);
    assert_eq!(create(0, kind, usize::MAX, 2).1, CL_INVALID_VALUE);
    assert_eq!(
        created!(clCreateSubBuffer(parent, 0, kind, std::ptr::null())).1,
        CL_INVALID_VALUE
    );
    // INVALID_BUFFER_SIZE if size is 0
    assert_eq!(create(0, kind, 0, 0).1, CL_INVALID_BUFFER_SIZE);
    // INVALID_VALUE if flags contain one that is not allowed for a sub-buffer
    assert_eq!(create(CL_MEM_USE_HOST_PTR, kind, 0, align).1, CL_INVALID_VALUE);
    // MISALIGNED_SUB_BUFFER_OFFSET if origin is not aligned for any device
    if align > 1 {
        assert_eq!(create(0, kind, 1, align).1, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    }
    // INVALID_MEM_OBJECT if buffer is a sub-buffer
    let region = cl_buffer_region {
        origin: 0,
        size: align,
    };
    let (_, code) = created!(clCreateSubBuffer(sub, 0, kind, (&raw const region).cast()));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    // The memory of the parent lives at least as long as the sub-buffer.
    assert_eq!(cl!(clReleaseMemObject(parent)), 0);
    assert_eq!(s.read(sub, align)[0], 1);
    assert_eq!(cl!(clReleaseMemObject(sub)), 0);
}

/// Commands and a mapping access both ends and the middle of the largest buffer.
#[test]
fn the_largest_buffer() {
    let s = Setup::new();
    let size = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_MEM_ALLOC_SIZE) as u64) as usize;
    let (b, code) = created!(clCreateBuffer(s.context, CL_MEM_READ_WRITE, size, null_mut()));
    assert_eq!(code, 0);
    const PIECE: usize = 4096;
    let places = [0, size / 2 - 77, size - PIECE];
    let contents = |i: usize| -> Vec<u8> { (0..PIECE).map(|n| (n * (i + 3)) as u8).collect() };
    for (i, at) in places.into_iter().enumerate() {
        let bytes = contents(i);
        let code = cl!(clEnqueueWriteBuffer(
            s.queue,
            b,
            1,
            at,
            PIECE,
            bytes.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
    }
    // A kernel with 64-bit offsets also copies from one end to the other.
    let p = s.built(
        "kernel void copy(global uchar *p, ulong from, ulong to) { p[to + get_global_id(0)] = p[from + get_global_id(0)]; }",
        "",
    );
    let k = s.kernel(p, "copy");
    let (from, to) = (places[2] as u64, places[2] as u64 - 2 * PIECE as u64);
    assert_eq!(
        cl!(clSetKernelArg(k, 0, size_of::<cl_mem>(), (&raw const b).cast())),
        0
    );
    assert_eq!(cl!(clSetKernelArg(k, 1, 8, (&raw const from).cast())), 0);
    assert_eq!(cl!(clSetKernelArg(k, 2, 8, (&raw const to).cast())), 0);
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        1,
        null(),
        std::ptr::from_ref(&PIECE),
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    for (i, at) in places.into_iter().chain([to as usize]).enumerate() {
        let mut bytes = vec![0u8; PIECE];
        let code = cl!(clEnqueueReadBuffer(
            s.queue,
            b,
            1,
            at,
            PIECE,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        assert!(bytes == contents(i.min(2)), "at {at}");
    }
    let (mapped, code) = created!(clEnqueueMapBuffer(
        s.queue,
        b,
        1,
        CL_MAP_READ | CL_MAP_WRITE,
        places[2],
        PIECE,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    // SAFETY: the mapping covers these bytes until it ends.
    let bytes = unsafe { std::slice::from_raw_parts_mut(mapped.cast::<u8>(), PIECE) };
    assert!(*bytes == contents(2)[..]);
    bytes[17] = 250;
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(s.queue, b, mapped, 0, null(), null_mut())),
        0
    );
    let mut byte = 0u8;
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        b,
        1,
        places[2] + 17,
        1,
        (&raw mut byte).cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!((code, byte), (0, 250));
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}
