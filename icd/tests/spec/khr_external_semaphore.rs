//! cl_khr_external_semaphore, cl_khr_external_semaphore_opaque_fd and cl_khr_external_semaphore_sync_fd: semaphores that OpenCL and
//! Vulkan share. Lavapipe of Mesa 22.3 does not export semaphores, so there the tests show that nothing of it is offered. That of
//! Mesa 26.2 has sync files only.

use std::ptr::{null, null_mut};

use ash::vk::ExternalSemaphoreHandleTypeFlags as Handles;

use crate::common::objects::{Setup, device, platform};
use crate::common::*;
use crate::vulkan::Vulkan;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("khr_external_semaphore::", "CALDERA_CL_VERSION", "3.1");
}

const TYPE: [u64; 2] = [CL_SEMAPHORE_TYPE_KHR as u64, CL_SEMAPHORE_TYPE_BINARY_KHR as u64];
const SYNC_FD: u64 = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;

fn vulkan() -> Vulkan {
    Vulkan::open(query!(clGetDeviceInfo(device(); CL_DEVICE_UUID_KHR) as [u8; 16]))
}

fn create(s: &Setup, properties: &[u64]) -> (cl_semaphore_khr, cl_int) {
    let list = [&TYPE[..], properties, &[0]].concat();
    created!(clCreateSemaphoreWithPropertiesKHR(s.context, list.as_ptr()))
}

fn export(s: &Setup, semaphore: cl_semaphore_khr, kind: u32) -> i32 {
    let (mut fd, mut size) = (-1i32, 0);
    let code = cl!(clGetSemaphoreHandleForTypeKHR(
        semaphore,
        s.device,
        kind,
        4,
        (&raw mut fd).cast(),
        &raw mut size
    ));
    assert_eq!((code, size), (0, 4));
    // CL 5.13, cl_khr_external_semaphore_sync_fd: a sync file may be -1, which stands for a signal that is complete.
    assert!(
        fd >= 0 || kind == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR && fd == -1,
        "{fd}"
    );
    fd
}

/// The types of handles: the number of OpenCL, the type of Vulkan, and the extension of OpenCL.
const KINDS: [(u32, Handles, &str); 2] = [
    (
        CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        Handles::OPAQUE_FD,
        "cl_khr_external_semaphore_opaque_fd",
    ),
    (
        CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
        Handles::SYNC_FD,
        "cl_khr_external_semaphore_sync_fd",
    ),
];

/// The extensions and their queries are there if the device shares semaphores and reports OpenCL 3.0 or later.
#[test]
fn devices_tell_the_types_of_handles() {
    let d = device();
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v != "1.2");
    let other = vulkan();
    let shared: Vec<_> = KINDS
        .into_iter()
        .filter(|kind| later && other.shares_semaphores(kind.1))
        .collect();
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    assert_eq!(has("cl_khr_external_semaphore"), !shared.is_empty());
    for kind in KINDS {
        assert_eq!(has(kind.2), shared.contains(&kind), "{}", kind.2);
    }
    let of_device = [
        CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
    ];
    let of_platform = [
        CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
        CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
    ];
    for (name, common) in of_device.into_iter().zip(of_platform) {
        if shared.is_empty() {
            let code = cl!(clGetDeviceInfo(d, name, 0, null_mut(), null_mut()));
            assert_eq!(code, CL_INVALID_VALUE);
            let code = cl!(clGetPlatformInfo(platform(), common, 0, null_mut(), null_mut()));
            assert_eq!(code, CL_INVALID_VALUE);
            continue;
        }
        let types = query_bytes!(clGetDeviceInfo(d; name));
        let numbers: Vec<u32> = types
            .as_chunks()
            .0
            .iter()
            .map(|b| u32::from_ne_bytes(*b))
            .collect();
        for kind in KINDS {
            assert_eq!(numbers.contains(&kind.0), shared.contains(&kind), "{}", kind.2);
        }
        assert_eq!(query_bytes!(clGetPlatformInfo(platform(); common)), types);
    }
}

/// Checks that a device that does not share semaphores by handles of a type refuses to.
fn check_refusals(s: &Setup, kind: u32) {
    let kind = u64::from(kind);
    for fd in [1 << 30, u64::MAX] {
        // -1 is no handle of the opaque type.
        if kind == SYNC_FD || fd != u64::MAX {
            assert_eq!(create(s, &[kind, fd]).1, CL_INVALID_DEVICE);
        }
    }
    assert_eq!(create(s, &[EXPORTS, kind, 0]).1, CL_INVALID_PROPERTY);
}

/// A semaphore that is not shared has no types for exports.
#[test]
fn plain_semaphores_are_not_exported() {
    let s = Setup::new();
    let (plain, code) = create(&s, &[EXPORTS, 0]);
    assert_eq!(code, 0);
    let types = query_bytes!(clGetSemaphoreInfoKHR(plain; CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u32));
    assert!(types.is_empty());
    assert_eq!(
        query!(clGetSemaphoreInfoKHR(plain; CL_SEMAPHORE_EXPORTABLE_KHR) as u32),
        0
    );
    assert_eq!(
        cl!(clReImportSemaphoreSyncFdKHR(plain, null_mut(), -1)),
        CL_INVALID_SEMAPHORE_KHR
    );
    assert_eq!(cl!(clReleaseSemaphoreKHR(plain)), 0);
}

/// Enqueues the commands of a round: wait, acquire, launch, release, signal.
fn enqueue_round(
    s: &Setup,
    kernel: cl_kernel,
    buffer: cl_mem,
    count: usize,
    [waited, signaled]: [cl_semaphore_khr; 2],
) {
    let wait = cl!(clEnqueueWaitSemaphoresKHR(
        s.queue,
        1,
        &raw const waited,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(wait, 0);
    let (one, none) = (&raw const buffer, null_mut());
    let acquired = cl!(clEnqueueAcquireExternalMemObjectsKHR(
        s.queue,
        1,
        one,
        0,
        null(),
        none
    ));
    assert_eq!(acquired, 0);
    let launched = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const count,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(launched, 0);
    let released = cl!(clEnqueueReleaseExternalMemObjectsKHR(
        s.queue,
        1,
        one,
        0,
        null(),
        none
    ));
    assert_eq!(released, 0);
    let signal = cl!(clEnqueueSignalSemaphoresKHR(
        s.queue,
        1,
        &raw const signaled,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(signal, 0);
}

/// Vulkan writes and signals; a kernel waits, changes and signals; Vulkan waits and reads. No thread waits in between. The
/// first semaphore is one of Vulkan's, and the second one of OpenCL's.
#[test]
fn semaphores_order_commands_of_both() {
    let (s, other) = (Setup::new(), vulkan());
    for (kind, handles, _) in KINDS {
        match other.shares_semaphores(handles) {
            true => check_rounds(&s, &other, kind, handles),
            false => check_refusals(&s, kind),
        }
    }
}

/// Checks that OpenCL's commands and Vulkan's are in order, with semaphores that are shared by handles of one type. All
/// semaphores of an opaque descriptor are one. A sync file has the state of one signal, so that each round needs new ones.
fn check_rounds(s: &Setup, other: &Vulkan, kind: u32, handles: Handles) {
    const COUNT: usize = 1 << 18;
    let (number, copies) = (u64::from(kind), kind == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    let exported = other.exported_buffer(4 * COUNT as u64);
    let external = [
        CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64,
        other.fd(exported) as u64,
        0,
    ];
    let (buffer, code) = created!(clCreateBufferWithProperties(
        s.context,
        external.as_ptr(),
        CL_MEM_READ_WRITE,
        4 * COUNT,
        null_mut()
    ));
    assert_eq!(code, 0);
    let written = other.exported_semaphore(handles);
    // -1 stands for a signal that is complete, which the first round replaces.
    let fd = match copies {
        true => -1,
        false => other.semaphore_fd(written, handles),
    };
    let (waited, code) = create(s, &[number, fd as u64]);
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetSemaphoreInfoKHR(waited; CL_SEMAPHORE_EXPORTABLE_KHR) as u32),
        0
    );
    let (signaled, code) = create(s, &[EXPORTS, number, 0]);
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetSemaphoreInfoKHR(signaled; CL_SEMAPHORE_EXPORTABLE_KHR) as u32),
        1
    );
    let changed = other.exported_semaphore(handles);
    if !copies {
        other.import_semaphore(changed, handles, export(s, signaled, kind));
    }
    let program = s.built("kernel void f(global int *a) { a[get_global_id(0)] *= 3; }", "");
    let kernel = s.kernel(program, "f");
    let set = cl!(clSetKernelArg(
        kernel,
        0,
        size_of::<cl_mem>(),
        (&raw const buffer).cast()
    ));
    assert_eq!(set, 0);
    let bytes =
        |values: &dyn Fn(i32) -> i32| (0..COUNT as i32).flat_map(|i| values(i).to_ne_bytes()).collect();
    for round in 0..8 {
        let first: Vec<u8> = bytes(&|i| i + round);
        other.write_and_signal(exported, &first, Some(written));
        if copies {
            let fd = other.semaphore_fd(written, handles);
            assert_eq!(cl!(clReImportSemaphoreSyncFdKHR(waited, null_mut(), fd)), 0);
        }
        enqueue_round(s, kernel, buffer, COUNT, [waited, signaled]);
        if copies {
            // The signal must have been submitted.
            assert_eq!(cl!(clFlush(s.queue)), 0);
            other.import_semaphore(changed, handles, export(s, signaled, kind));
        }
        let wanted: Vec<u8> = bytes(&|i| 3 * (i + round));
        assert!(
            other.wait_and_read(Some(changed), exported) == wanted,
            "round {round}"
        );
    }
    assert_eq!(cl!(clFinish(s.queue)), 0);
    // OpenCL's last commands were a wait and a signal. An export of a sync file takes the signal away.
    let payload = |of| query!(clGetSemaphoreInfoKHR(of; CL_SEMAPHORE_PAYLOAD_KHR) as u64);
    assert_eq!((payload(waited), payload(signaled)), (0, u64::from(!copies)));
    for semaphore in [waited, signaled] {
        assert_eq!(cl!(clReleaseSemaphoreKHR(semaphore)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}
