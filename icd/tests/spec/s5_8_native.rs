//! CL 5.8: clEnqueueNativeKernel

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

/// The `args` of [`scale`].
#[repr(C)]
#[derive(Copy, Clone)]
struct Scale {
    count: u32,
    factor: u32,
    data: *mut u32,
    absent: *mut u32,
}

unsafe extern "C" fn scale(args: *mut c_void) {
    // SAFETY: the tests pass a `Scale` whose `data` is the memory of a buffer of `count` words.
    let args = unsafe { *args.cast::<Scale>() };
    assert!(args.absent.is_null());
    // SAFETY: as above.
    let data = unsafe { std::slice::from_raw_parts_mut(args.data, args.count as usize) };
    data.iter_mut().for_each(|v| *v *= args.factor);
}

/// Enqueues `scale` for a buffer, with an optional event to wait for. Returns the event.
fn enqueue(s: &Setup, buffer: cl_mem, count: u32, factor: u32, wait: Option<cl_event>) -> cl_event {
    let mut args = Scale {
        count,
        factor,
        data: null_mut(),
        // The call replaces this address too, because mem_list has NULL for it.
        absent: std::ptr::dangling_mut(),
    };
    let start: *mut Scale = &raw mut args;
    let list = [buffer, null_mut()];
    let mut places: [*const c_void; 2] = [(&raw const args.data).cast(), (&raw const args.absent).cast()];
    let mut event = null_mut();
    let code = cl!(clEnqueueNativeKernel(
        s.queue,
        Some(scale),
        start.cast(),
        size_of::<Scale>(),
        2,
        list.as_ptr(),
        places.as_mut_ptr(),
        u32::from(wait.is_some()),
        wait.as_ref().map_or(null(), std::ptr::from_ref),
        &raw mut event
    ));
    assert_eq!(code, 0);
    // The call has copied the arguments, so this change has no effect.
    args.factor = 99;
    assert_eq!(std::hint::black_box(&args).factor, 99);
    event
}

fn words(s: &Setup, buffer: cl_mem, count: usize) -> Vec<u32> {
    let bytes = s.read(buffer, 4 * count);
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| u32::from_ne_bytes(*b))
        .collect()
}

fn ones(s: &Setup, count: usize) -> cl_mem {
    s.buffer(&1u32.to_ne_bytes().repeat(count))
}

#[test]
fn runs_in_its_turn() {
    for properties in [
        0,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CL_QUEUE_PROFILING_ENABLE,
    ] {
        let s = Setup::with(properties);
        assert_ne!(
            query!(clGetDeviceInfo(s.device; CL_DEVICE_EXECUTION_CAPABILITIES) as u64)
                & CL_EXEC_NATIVE_KERNEL,
            0
        );
        let p = s.built("kernel void inc(global uint *p) { p[get_global_id(0)]++; }", "");
        let k = s.kernel(p, "inc");
        let b = ones(&s, 100);
        assert_eq!(
            cl!(clSetKernelArg(k, 0, size_of::<cl_mem>(), (&raw const b).cast())),
            0
        );
        let mut last: Option<cl_event> = None;
        // 1 → (1 + 1) · 3 = 6 → (6 + 1) · 3 = 21 → 66
        for _ in 0..3 {
            let (global, mut added) = (100usize, null_mut());
            let code = cl!(clEnqueueNDRangeKernel(
                s.queue,
                k,
                1,
                null(),
                &raw const global,
                null(),
                u32::from(last.is_some()),
                last.as_ref().map_or(null(), std::ptr::from_ref),
                &raw mut added
            ));
            assert_eq!(code, 0);
            last = Some(enqueue(&s, b, 100, 3, Some(added)));
        }
        let last = last.expect("three rounds");
        assert_eq!(cl!(clWaitForEvents(1, &raw const last)), 0);
        assert_eq!(
            query!(clGetEventInfo(last; CL_EVENT_COMMAND_TYPE) as u32),
            CL_COMMAND_NATIVE_KERNEL
        );
        assert_eq!(words(&s, b, 100), [66; 100]);
        assert_eq!(cl!(clFinish(s.queue)), 0);
    }
}

#[test]
fn waits_and_fails_as_other_commands_do() {
    let s = Setup::new();
    let b = ones(&s, 4);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let deferred = enqueue(&s, b, 4, 5, Some(gate));
    assert_eq!(cl!(clFlush(s.queue)), 0);
    assert!(query!(clGetEventInfo(deferred; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32) > CL_COMPLETE);
    assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(words(&s, b, 4), [5; 4]);

    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let failed = enqueue(&s, b, 4, 5, Some(gate));
    assert_eq!(cl!(clSetUserEventStatus(gate, -7)), 0);
    assert_eq!(
        cl!(clWaitForEvents(1, &raw const failed)),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    );
    assert_eq!(words(&s, b, 4), [5; 4]);
}

#[test]
fn sub_buffers_and_host_memory() {
    let s = Setup::new();
    let mut host = vec![1u32; 4096];
    let (b, code) = created!(clCreateBuffer(
        s.context,
        CL_MEM_USE_HOST_PTR,
        4 * host.len(),
        host.as_mut_ptr().cast()
    ));
    assert_eq!(code, 0);
    let region = cl_buffer_region {
        origin: 8192,
        size: 400,
    };
    let (sub, code) = created!(clCreateSubBuffer(
        b,
        CL_MEM_READ_WRITE,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast()
    ));
    assert_eq!(code, 0);
    enqueue(&s, sub, 100, 7, None);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let got = words(&s, b, 4096);
    for (i, v) in got.iter().enumerate() {
        assert_eq!(*v, if (2048..2148).contains(&i) { 7 } else { 1 }, "{i}");
    }
}

#[test]
fn errors() {
    let s = Setup::new();
    let b = ones(&s, 4);
    let mut args = [0usize; 4];
    let inside: *const c_void = (&raw const args[1]).cast();
    let outside: *const c_void = (&raw const args[3]).cast::<u8>().wrapping_add(1).cast();
    let call = |function, args: *mut c_void, size, count, list: *const cl_mem, places: *mut *const c_void| {
        cl!(clEnqueueNativeKernel(
            s.queue,
            function,
            args,
            size,
            count,
            list,
            places,
            0,
            null(),
            null_mut()
        ))
    };
    let (zero, none, no_list, no_places) = (0, 0, null::<cl_mem>(), null_mut::<*const c_void>());
    let a: *mut c_void = args.as_mut_ptr().cast();
    let f: Option<unsafe extern "C" fn(*mut c_void)> = Some(scale);
    // INVALID_VALUE if user_func is NULL
    assert_eq!(call(None, a, 32, none, no_list, no_places), CL_INVALID_VALUE);
    // … if args is NULL and cb_args > 0, or num_mem_objects > 0; if args is not NULL and cb_args is 0
    assert_eq!(
        call(f, null_mut(), 32, none, no_list, no_places),
        CL_INVALID_VALUE
    );
    assert_eq!(
        call(f, null_mut(), zero, 1, &raw const b, &mut inside.clone()),
        CL_INVALID_VALUE
    );
    assert_eq!(call(f, a, zero, none, no_list, no_places), CL_INVALID_VALUE);
    // … if num_mem_objects > 0 and mem_list or args_mem_loc are NULL, or the reverse
    assert_eq!(call(f, a, 32, 1, no_list, &mut inside.clone()), CL_INVALID_VALUE);
    assert_eq!(call(f, a, 32, 1, &raw const b, no_places), CL_INVALID_VALUE);
    assert_eq!(call(f, a, 32, none, &raw const b, no_places), CL_INVALID_VALUE);
    assert_eq!(
        call(f, a, 32, none, no_list, &mut inside.clone()),
        CL_INVALID_VALUE
    );
    // INVALID_VALUE for an address in args_mem_loc that is outside of args
    assert_eq!(
        call(f, a, 32, 1, &raw const b, &mut outside.clone()),
        CL_INVALID_VALUE
    );
    // INVALID_MEM_OBJECT if one of mem_list is not a buffer
    assert_eq!(
        call(f, a, 32, 1, &raw const s.queue, &mut inside.clone()),
        CL_INVALID_MEM_OBJECT
    );
    let other = Setup::new();
    let foreign = ones(&other, 4);
    // INVALID_CONTEXT if queue and buffers differ in context
    assert_eq!(
        call(f, a, 32, 1, &raw const foreign, &mut inside.clone()),
        CL_INVALID_CONTEXT
    );
    // A native kernel may have no arguments.
    unsafe extern "C" fn empty(args: *mut c_void) {
        assert!(args.is_null());
    }
    assert_eq!(call(Some(empty), null_mut(), 0, 0, no_list, no_places), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
}
