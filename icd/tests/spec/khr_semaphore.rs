//! cl_khr_semaphore: what semaphores tell, and the order that they give to commands.

use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, device, platform};
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("khr_semaphore::", "CALDERA_CL_VERSION", "3.1");
}

const PROPERTIES: [u64; 3] = [
    CL_SEMAPHORE_TYPE_KHR as u64,
    CL_SEMAPHORE_TYPE_BINARY_KHR as u64,
    0,
];

fn create(s: &Setup, properties: &[u64]) -> cl_semaphore_khr {
    let (semaphore, code) = created!(clCreateSemaphoreWithPropertiesKHR(s.context, properties.as_ptr()));
    assert_eq!(code, 0);
    semaphore
}

fn release(semaphore: cl_semaphore_khr) {
    assert_eq!(cl!(clReleaseSemaphoreKHR(semaphore)), 0);
}

fn payload(semaphore: cl_semaphore_khr) -> u64 {
    query!(clGetSemaphoreInfoKHR(semaphore; CL_SEMAPHORE_PAYLOAD_KHR) as u64)
}

fn or_null(list: &[cl_event]) -> *const cl_event {
    if list.is_empty() { null() } else { list.as_ptr() }
}

/// Enqueues a signal and returns its event.
fn signal(queue: cl_command_queue, semaphores: &[cl_semaphore_khr], after: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let code = cl!(clEnqueueSignalSemaphoresKHR(
        queue,
        semaphores.len() as u32,
        semaphores.as_ptr(),
        null(),
        after.len() as u32,
        or_null(after),
        &raw mut event
    ));
    assert_eq!(code, 0);
    event
}

/// Enqueues a wait and returns its event.
fn wait(queue: cl_command_queue, semaphores: &[cl_semaphore_khr], after: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let code = cl!(clEnqueueWaitSemaphoresKHR(
        queue,
        semaphores.len() as u32,
        semaphores.as_ptr(),
        null(),
        after.len() as u32,
        or_null(after),
        &raw mut event
    ));
    assert_eq!(code, 0);
    event
}

fn fill(queue: cl_command_queue, buffer: cl_mem, value: i32, after: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let code = cl!(clEnqueueFillBuffer(
        queue,
        buffer,
        (&raw const value).cast(),
        4,
        0,
        1024,
        after.len() as u32,
        or_null(after),
        &raw mut event
    ));
    assert_eq!(code, 0);
    event
}

fn status(event: cl_event) -> i32 {
    query!(clGetEventInfo(event; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32)
}

fn release_all(events: &[cl_event]) {
    for event in events {
        assert_eq!(cl!(clReleaseEvent(*event)), 0);
    }
}

/// Devices of OpenCL 3.0 and later have the extension and its queries; devices of OpenCL 1.2 have neither.
#[test]
fn devices_tell_the_types() {
    let d = device();
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let has = extensions.split(' ').any(|e| e == "cl_khr_semaphore");
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v != "1.2");
    assert_eq!(has, later);
    if has {
        let binary = CL_SEMAPHORE_TYPE_BINARY_KHR;
        assert_eq!(
            query!(clGetDeviceInfo(d; CL_DEVICE_SEMAPHORE_TYPES_KHR) as u32),
            binary
        );
        let types = query!(clGetPlatformInfo(platform(); CL_PLATFORM_SEMAPHORE_TYPES_KHR) as u32);
        assert_eq!(types, binary);
    } else {
        let code = cl!(clGetDeviceInfo(
            d,
            CL_DEVICE_SEMAPHORE_TYPES_KHR,
            0,
            null_mut(),
            null_mut()
        ));
        assert_eq!(code, CL_INVALID_VALUE);
    }
}

#[test]
fn semaphores_tell_their_properties() {
    let s = Setup::new();
    let semaphore = create(&s, &PROPERTIES);
    let handle = |param| query!(clGetSemaphoreInfoKHR(semaphore; param) as usize);
    assert_eq!(handle(CL_SEMAPHORE_CONTEXT_KHR), s.context.addr());
    assert_eq!(handle(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), s.device.addr());
    let number = |param| query!(clGetSemaphoreInfoKHR(semaphore; param) as u32);
    assert_eq!(number(CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR);
    assert_eq!(number(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1);
    assert_eq!(cl!(clRetainSemaphoreKHR(semaphore)), 0);
    assert_eq!(number(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2);
    release(semaphore);
    assert_eq!(payload(semaphore), 0);
    let properties = |semaphore| query_bytes!(clGetSemaphoreInfoKHR(semaphore; CL_SEMAPHORE_PROPERTIES_KHR));
    assert_eq!(properties(semaphore), PROPERTIES.map(u64::to_ne_bytes).concat());
    let list = [
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64,
        s.device.addr() as u64,
        0,
        PROPERTIES[0],
        PROPERTIES[1],
        0,
    ];
    let with_device = create(&s, &list);
    assert_eq!(properties(with_device), list.map(u64::to_ne_bytes).concat());
    release(with_device);
    release(semaphore);
}

/// A wait comes after the commands before the signal, whether it is enqueued after the signal or before it.
#[test]
fn waits_come_after_signals() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let s = Setup::with(properties);
        let (other, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
        assert_eq!(code, 0);
        let (gate, code) = created!(clCreateUserEvent(s.context));
        assert_eq!(code, 0);
        let buffer = s.buffer(&[0; 1024]);
        let semaphores = [create(&s, &PROPERTIES), create(&s, &PROPERTIES)];
        for round in 0..4 {
            let mut events = Vec::new();
            let after = if round == 0 { &[gate][..] } else { &[] };
            let early = round % 2 == 1;
            if early {
                events.push(wait(other, &semaphores, &[]));
                events.push(fill(other, buffer, 100 + round, &[]));
            }
            let filled = fill(s.queue, buffer, round, after);
            let signaled = signal(s.queue, &semaphores, &[filled]);
            if !early {
                events.push(wait(other, &semaphores, &[]));
                events.push(fill(other, buffer, 100 + round, &[]));
            }
            assert_eq!(
                query!(clGetEventInfo(signaled; CL_EVENT_COMMAND_TYPE) as u32),
                CL_COMMAND_SEMAPHORE_SIGNAL_KHR
            );
            assert_eq!(
                query!(clGetEventInfo(events[0]; CL_EVENT_COMMAND_TYPE) as u32),
                CL_COMMAND_SEMAPHORE_WAIT_KHR
            );
            if round == 0 {
                assert_eq!(cl!(clFlush(s.queue)), 0);
                assert_eq!(cl!(clFlush(other)), 0);
                assert!(status(signaled) > 0 && status(events[0]) > 0);
                assert_eq!(payload(semaphores[0]), 0);
                assert_eq!(cl!(clSetUserEventStatus(gate, 0)), 0);
            }
            assert_eq!(cl!(clFinish(s.queue)), 0);
            assert_eq!(cl!(clFinish(other)), 0);
            let bytes = s.read(buffer, 1024);
            assert_eq!(bytes[..4], (100 + round).to_ne_bytes(), "round {round}");
            events.extend([filled, signaled]);
            release_all(&events);
        }
        assert_eq!(cl!(clReleaseEvent(gate)), 0);
        semaphores.into_iter().for_each(release);
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
    }
}

/// The payload is 1 from the signal's completion to the wait. In an out-of-order queue, a signal does not wait for
/// commands that are not in its list.
#[test]
fn payloads() {
    let s = Setup::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let buffer = s.buffer(&[0; 1024]);
    let semaphore = create(&s, &PROPERTIES);
    let blocked = fill(s.queue, buffer, 1, &[gate]);
    let signaled = signal(s.queue, &[semaphore], &[]);
    assert_eq!(cl!(clWaitForEvents(1, &raw const signaled)), 0);
    assert_eq!(payload(semaphore), 1);
    let waited = wait(s.queue, &[semaphore], &[]);
    assert_eq!(cl!(clWaitForEvents(1, &raw const waited)), 0);
    assert_eq!(payload(semaphore), 0);
    assert!(status(blocked) > 0);
    assert_eq!(cl!(clSetUserEventStatus(gate, 0)), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    release_all(&[blocked, signaled, waited, gate]);
    release(semaphore);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// A wait fails if its signal does, whichever is enqueued first.
#[test]
fn failures() {
    for early in [false, true] {
        let s = Setup::new();
        let (other, code) = created!(clCreateCommandQueue(s.context, s.device, 0));
        assert_eq!(code, 0);
        let (gate, code) = created!(clCreateUserEvent(s.context));
        assert_eq!(code, 0);
        let semaphore = create(&s, &PROPERTIES);
        let mut waited = null_mut();
        if early {
            waited = wait(other, &[semaphore], &[]);
        }
        let signaled = signal(s.queue, &[semaphore], &[gate]);
        if !early {
            waited = wait(other, &[semaphore], &[]);
        }
        assert_eq!(cl!(clSetUserEventStatus(gate, -5)), 0);
        for event in [signaled, waited] {
            let code = cl!(clWaitForEvents(1, &raw const event));
            assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert!(status(event) < 0);
        }
        release_all(&[signaled, waited, gate]);
        release(semaphore);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
    }
}
