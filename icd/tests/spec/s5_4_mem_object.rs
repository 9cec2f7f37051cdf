//! CL 5.4

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

#[test]
fn mem_object_info() {
    let s = Setup::new();
    let (b, code) = created!(clCreateBuffer(s.context, CL_MEM_READ_ONLY, 100, null_mut()));
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetMemObjectInfo(b; CL_MEM_TYPE) as u32),
        CL_MEM_OBJECT_BUFFER
    );
    assert_eq!(
        query!(clGetMemObjectInfo(b; CL_MEM_FLAGS) as u64),
        CL_MEM_READ_ONLY
    );
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_SIZE) as usize), 100);
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_HOST_PTR) as usize), 0);
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_MAP_COUNT) as u32), 0);
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_REFERENCE_COUNT) as u32), 1);
    assert_eq!(
        query!(clGetMemObjectInfo(b; CL_MEM_CONTEXT) as usize),
        s.context.addr()
    );
    assert_eq!(
        query!(clGetMemObjectInfo(b; CL_MEM_ASSOCIATED_MEMOBJECT) as usize),
        0
    );
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_OFFSET) as usize), 0);
    assert_eq!(
        cl!(clGetMemObjectInfo(b, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clRetainMemObject(b)), 0);
    assert_eq!(query!(clGetMemObjectInfo(b; CL_MEM_REFERENCE_COUNT) as u32), 2);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), CL_INVALID_MEM_OBJECT);
}

static ORDER: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn destroyed(_: cl_mem, data: *mut c_void) {
    // Each callback appends its digit.
    let digit = data.addr() as u32;
    ORDER
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |x| Some(x * 10 + digit))
        .expect("always an update");
}

#[test]
fn destructor_callbacks_run_last_first() {
    let s = Setup::new();
    let b = s.buffer(&[0; 64]);
    for digit in 1..=3 {
        let data = std::ptr::without_provenance_mut(digit);
        assert_eq!(cl!(clSetMemObjectDestructorCallback(b, Some(destroyed), data)), 0);
    }
    // INVALID_VALUE if pfn_notify is NULL
    assert_eq!(
        cl!(clSetMemObjectDestructorCallback(b, None, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    for _ in 0..200 {
        if ORDER.load(Ordering::SeqCst) == 321 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{}", ORDER.load(Ordering::SeqCst));
}

#[test]
fn migrate() {
    let s = Setup::new();
    let b = s.buffer(&[9; 64]);
    let go = |n, list: *const cl_mem, flags| {
        cl!(clEnqueueMigrateMemObjects(
            s.queue,
            n,
            list,
            flags,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(go(1, &raw const b, 0), 0);
    assert_eq!(go(1, &raw const b, CL_MIGRATE_MEM_OBJECT_HOST), 0);
    assert_eq!(s.read(b, 64), [9; 64]);
    // INVALID_VALUE if num_mem_objects is zero, mem_objects is NULL, or flags are not valid
    assert_eq!(go(0, &raw const b, 0), CL_INVALID_VALUE);
    assert_eq!(go(1, null(), 0), CL_INVALID_VALUE);
    assert_eq!(go(1, &raw const b, 1 << 9), CL_INVALID_VALUE);
    // INVALID_MEM_OBJECT if any of the memory objects is not valid
    let nothing: cl_mem = null_mut();
    assert_eq!(go(1, &raw const nothing, 0), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}
