//! CL 5.2.1

use std::ffi::c_void;
use std::ptr::null_mut;

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
    // INVALID_VALUE if flags carry what a sub-buffer cannot say
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
    // The parent's memory lives as long as the sub-buffer.
    assert_eq!(cl!(clReleaseMemObject(parent)), 0);
    assert_eq!(s.read(sub, align)[0], 1);
    assert_eq!(cl!(clReleaseMemObject(sub)), 0);
}
