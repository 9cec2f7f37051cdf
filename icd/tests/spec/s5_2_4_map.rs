//! CL 5.2.4 and 5.4.2

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

#[test]
fn map_write_unmap_read() {
    let s = Setup::new();
    for flags in [0, CL_MEM_ALLOC_HOST_PTR] {
        let (b, code) = created!(clCreateBuffer(s.context, flags, 1000, null_mut()));
        assert_eq!(code, 0);
        let (p, code) = created!(clEnqueueMapBuffer(
            s.queue,
            b,
            1,
            CL_MAP_WRITE,
            100,
            200,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_MAP_COUNT) as u32), 1);
        // SAFETY: 200 bytes are mapped for writing.
        unsafe { p.cast::<u8>().write_bytes(0x5A, 200) };
        assert_eq!(
            cl!(clEnqueueUnmapMemObject(s.queue, b, p, 0, null(), null_mut())),
            0
        );
        assert_eq!(cl!(clFinish(s.queue)), 0);
        assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_MAP_COUNT) as u32), 0);
        assert!(s.read(b, 1000)[100..300].iter().all(|&x| x == 0x5A));
        let (p, code) = created!(clEnqueueMapBuffer(
            s.queue,
            b,
            1,
            CL_MAP_READ,
            100,
            200,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        // SAFETY: 200 bytes are mapped for reading.
        let seen = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), 200) };
        assert!(seen.iter().all(|&x| x == 0x5A));
        assert_eq!(
            cl!(clEnqueueUnmapMemObject(s.queue, b, p, 0, null(), null_mut())),
            0
        );
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}

#[test]
fn use_host_ptr_maps_to_it() {
    let s = Setup::new();
    let mut memory = vec![3u8; 4096];
    let p = memory.as_mut_ptr();
    let (b, code) = created!(clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 4096, p.cast()));
    assert_eq!(code, 0);
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_HOST_PTR) as usize), p.addr());
    let (mapped, code) = created!(clEnqueueMapBuffer(
        s.queue,
        b,
        1,
        CL_MAP_READ | CL_MAP_WRITE,
        16,
        32,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(mapped.addr(), p.addr() + 16);
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(s.queue, b, mapped, 0, null(), null_mut())),
        0
    );
    assert_eq!(s.read(b, 4096), vec![3u8; 4096]);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn errors() {
    let s = Setup::new();
    let b = s.buffer(&[0; 64]);
    let map = |buffer, flags, offset, size| {
        let (p, code) = created!(clEnqueueMapBuffer(
            s.queue,
            buffer,
            1,
            flags,
            offset,
            size,
            0,
            null(),
            null_mut()
        ));
        assert_ne!(code, 0);
        assert!(p.is_null());
        code
    };
    assert_eq!(map(null_mut(), CL_MAP_READ, 0, 1), CL_INVALID_MEM_OBJECT);
    // INVALID_VALUE if the region is out of bounds, size is 0, or map_flags are not valid
    assert_eq!(map(b, CL_MAP_READ, 60, 5), CL_INVALID_VALUE);
    assert_eq!(map(b, CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
    assert_eq!(map(b, 1 << 20, 0, 1), CL_INVALID_VALUE);
    assert_eq!(
        map(b, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 1),
        CL_INVALID_VALUE
    );
    // INVALID_OPERATION if the buffer's host access does not allow it
    let (ro, code) = created!(clCreateBuffer(s.context, CL_MEM_HOST_READ_ONLY, 64, null_mut()));
    assert_eq!(code, 0);
    assert_eq!(map(ro, CL_MAP_WRITE, 0, 1), CL_INVALID_OPERATION);
    assert_eq!(
        map(ro, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1),
        CL_INVALID_OPERATION
    );
    // CL 5.4.2: INVALID_VALUE if mapped_ptr is not a pointer that a map call returned
    let unmap = |p| cl!(clEnqueueUnmapMemObject(s.queue, b, p, 0, null(), null_mut()));
    assert_eq!(unmap(null_mut()), CL_INVALID_VALUE);
    assert_eq!(unmap(std::ptr::without_provenance_mut(0x1234)), CL_INVALID_VALUE);
    assert_eq!(cl!(clReleaseMemObject(ro)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

/// CL 5.4.3 makes overlapping mappings an error if one of them is for writing, but other implementations allow them. What the
/// application has stored through the first mapping must survive the second one, also where a mapping is a copy: that of memory of
/// the application that is not imported is one.
#[test]
fn overlapping_mappings_lose_nothing() {
    const SIZE: usize = 4000;
    let s = Setup::new();
    for (flags, second) in [
        (CL_MEM_COPY_HOST_PTR, CL_MAP_WRITE),
        (CL_MEM_USE_HOST_PTR, CL_MAP_WRITE),
        (CL_MEM_USE_HOST_PTR, CL_MAP_READ | CL_MAP_WRITE),
        (CL_MEM_USE_HOST_PTR, CL_MAP_READ),
    ] {
        let mut memory = vec![1u8; SIZE + 1];
        let host = memory[1..].as_mut_ptr().cast();
        let (b, code) = created!(clCreateBuffer(s.context, flags, SIZE, host));
        assert_eq!(code, 0);
        let map = |flags, offset, size| {
            let (p, code) = created!(clEnqueueMapBuffer(
                s.queue,
                b,
                1,
                flags,
                offset,
                size,
                0,
                null(),
                null_mut()
            ));
            assert_eq!(code, 0);
            p
        };
        let first = map(CL_MAP_WRITE, 0, 1000);
        // SAFETY: 1000 bytes are mapped for writing.
        unsafe { first.cast::<u8>().write_bytes(2, 1000) };
        let other = map(second, 500, 1000);
        let mut expected = [vec![2u8; 1000], vec![1; SIZE - 1000]].concat();
        if second & CL_MAP_WRITE != 0 {
            // SAFETY: 1000 bytes are mapped.
            let changed = unsafe { other.cast::<u8>().add(400) };
            // SAFETY: the 200 bytes from there on are mapped for writing.
            unsafe { changed.write_bytes(3, 200) };
            expected[900..1100].fill(3);
        }
        for p in [first, other] {
            let code = cl!(clEnqueueUnmapMemObject(s.queue, b, p, 0, null(), null_mut()));
            assert_eq!(code, 0);
        }
        assert!(s.read(b, SIZE) == expected, "flags {flags}, mapping {second}");
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}
