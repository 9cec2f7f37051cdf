//! Unified shared memory (cl_intel_unified_shared_memory): allocations of the host, of the device and shared ones, as
//! arguments, through pointers in memory, in copies and fills. The tests run in a process that reports OpenCL 3.1
//! ([`crate::opencl_3_files`]).

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::picture::Shape;
use crate::{cl, created, query, query_text};

/// The kinds of allocations that the device has.
fn kinds(s: &Setup) -> Vec<u32> {
    let extensions = query_text!(clGetDeviceInfo(s.device; CL_DEVICE_EXTENSIONS));
    let offered = extensions.contains("cl_intel_unified_shared_memory");
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1");
    let descriptor = std::env::var("CALDERA_ABI").is_ok_and(|v| v == "descriptor");
    assert_eq!(offered, later && !descriptor);
    if !offered {
        return Vec::new();
    }
    let all = [
        (CL_MEM_TYPE_DEVICE_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL),
        (CL_MEM_TYPE_HOST_INTEL, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL),
        (
            CL_MEM_TYPE_SHARED_INTEL,
            CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        ),
    ];
    for param in [
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
    ] {
        assert_eq!(query!(clGetDeviceInfo(s.device; param) as u64), 0);
    }
    let has =
        |param| query!(clGetDeviceInfo(s.device; param) as u64) & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0;
    // The host has the addresses of the device where it has those of SVM.
    let svm = query!(clGetDeviceInfo(s.device; CL_DEVICE_SVM_CAPABILITIES) as u64) != 0;
    assert_eq!(all.map(|(_, param)| has(param)), [true, svm, svm]);
    all.into_iter()
        .filter(|(_, p)| has(*p))
        .map(|(kind, _)| kind)
        .collect()
}

fn allocate(s: &Setup, kind: u32, properties: &[u64], size: usize, alignment: u32) -> (*mut c_void, cl_int) {
    let list = match properties {
        [] => null(),
        list => list.as_ptr(),
    };
    match kind {
        CL_MEM_TYPE_HOST_INTEL => created!(clHostMemAllocINTEL(s.context, list, size, alignment)),
        CL_MEM_TYPE_DEVICE_INTEL => {
            created!(clDeviceMemAllocINTEL(s.context, s.device, list, size, alignment))
        }
        _ => created!(clSharedMemAllocINTEL(s.context, s.device, list, size, alignment)),
    }
}

fn memory(s: &Setup, kind: u32, size: usize) -> *mut c_void {
    let (at, code) = allocate(s, kind, &[], size, 0);
    assert_eq!(code, 0);
    assert!(!at.is_null() && at.addr().is_multiple_of(128));
    at
}

fn free(s: &Setup, at: *mut c_void) {
    assert_eq!(cl!(clMemFreeINTEL(s.context, at)), 0);
}

fn copy(s: &Setup, to: *mut c_void, from: *const c_void, size: usize) {
    let code = cl!(clEnqueueMemcpyINTEL(
        s.queue,
        1,
        to,
        from,
        size,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn launch(s: &Setup, kernel: cl_kernel, global: usize) {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const global,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

const SOURCE: &str = "
    kernel void add(global int *to, global const int *from, int n) { to[get_global_id(0)] += from[get_global_id(0)] * n; }
    struct node { global struct node *next; int value; };
    kernel void walk(global struct node *first, global int *sum) {
        for (global struct node *n = first; n; n = n->next) { *sum += n->value; n->value = -n->value; }
    }";

/// Pointers are arguments of kernels, and may be those into the middle of an allocation. The host reads and writes the
/// memory that it can access directly.
#[test]
fn opencl_3_pointers_as_arguments() {
    let s = Setup::new();
    let kinds = kinds(&s);
    if kinds.is_empty() {
        return;
    }
    let program = s.built(SOURCE, "");
    let kernel = s.kernel(program, "add");
    let n = 3i32;
    for &to_kind in &kinds {
        for &from_kind in &kinds {
            let (to, from) = (memory(&s, to_kind, 4096), memory(&s, from_kind, 4096));
            let host: Vec<i32> = (0..1024).collect();
            copy(&s, to, host.as_ptr().cast(), 4096);
            if from_kind == CL_MEM_TYPE_DEVICE_INTEL {
                copy(&s, from, host.as_ptr().cast(), 4096);
            } else {
                // SAFETY: the host may access the allocation, which has 1024 ints, and no command uses it now.
                let ints = unsafe { std::slice::from_raw_parts_mut(from.cast::<i32>(), 1024) };
                ints.copy_from_slice(&host);
            }
            let middle = from.wrapping_byte_add(400);
            assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 0, to)), 0);
            assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 1, middle)), 0);
            assert_eq!(cl!(clSetKernelArg(kernel, 2, 4, (&raw const n).cast())), 0);
            for _ in 0..5 {
                launch(&s, kernel, 500);
            }
            let mut now = vec![0i32; 1024];
            if to_kind == CL_MEM_TYPE_DEVICE_INTEL {
                copy(&s, now.as_mut_ptr().cast(), to, 4096);
            } else {
                assert_eq!(cl!(clFinish(s.queue)), 0);
                // SAFETY: as above.
                now.copy_from_slice(unsafe { std::slice::from_raw_parts(to.cast::<i32>(), 1024) });
            }
            for (i, value) in (0..).zip(now) {
                let expected = if i < 500 { i + 15 * (i + 100) } else { i };
                assert_eq!(value, expected, "{to_kind:#x} {from_kind:#x}: {i}");
            }
            free(&s, to);
            free(&s, from);
        }
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// A list whose nodes are in allocations of all kinds, which the kernel reaches through pointers only.
#[test]
fn opencl_3_pointers_in_memory() {
    let s = Setup::new();
    let kinds = kinds(&s);
    if kinds.is_empty() {
        return;
    }
    let program = s.built(SOURCE, "");
    let kernel = s.kernel(program, "walk");
    let nodes: Vec<*mut c_void> = (0..30).map(|i| memory(&s, kinds[i % kinds.len()], 16)).collect();
    let mut next = 0u64;
    for (i, node) in (1i32..).zip(&nodes) {
        let words = [next, i as u64];
        copy(&s, *node, words.as_ptr().cast(), 16);
        next = node.addr() as u64;
    }
    let sum = memory(&s, CL_MEM_TYPE_DEVICE_INTEL, 4);
    copy(&s, sum, (&raw const next).cast(), 4);
    let zero = 0i32;
    let size = size_of::<i32>();
    let code = cl!(clEnqueueMemFillINTEL(
        s.queue,
        sum,
        (&raw const zero).cast(),
        size,
        size,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let first = nodes[nodes.len() - 1];
    assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 0, first)), 0);
    assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 1, sum)), 0);
    let info = |param, size, value| cl!(clSetKernelExecInfo(kernel, param, size, value));
    let yes = 1u32;
    let code = info(
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        4,
        (&raw const yes).cast(),
    );
    assert_eq!(code, 0);
    let code = info(
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        3,
        (&raw const yes).cast(),
    );
    assert_eq!(code, CL_INVALID_VALUE);
    let code = info(
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
        8 * nodes.len(),
        nodes.as_ptr().cast(),
    );
    assert_eq!(code, 0);
    for round in 0..4 {
        launch(&s, kernel, 1);
        let mut now = 0i32;
        copy(&s, (&raw mut now).cast(), sum, 4);
        // Each walk changes the sign of all values.
        assert_eq!(now, if round % 2 == 0 { 465 } else { 0 }, "{round}");
    }
    for node in nodes.into_iter().chain([sum]) {
        assert_eq!(cl!(clMemBlockingFreeINTEL(s.context, node)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// clMemBlockingFreeINTEL waits for commands that no call has flushed.
#[test]
fn opencl_3_blocking_frees_wait() {
    let s = Setup::new();
    for kind in kinds(&s) {
        let at = memory(&s, kind, 64);
        let mut event = null_mut();
        let code = cl!(clEnqueueMemsetINTEL(
            s.queue,
            at,
            1,
            64,
            0,
            null(),
            &raw mut event
        ));
        assert_eq!(code, 0);
        assert_eq!(cl!(clMemBlockingFreeINTEL(s.context, at)), 0);
        let status = query!(clGetEventInfo(event; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32);
        assert_eq!(status, CL_COMPLETE);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
}

/// clMemBlockingFreeINTEL returns when the commands that were enqueued before are complete, also those of other queues that
/// no call has flushed. It does not wait for a command that a user event holds back.
#[test]
fn opencl_3_blocking_free_waits_for_all_queues() {
    let s = Setup::new();
    let status = |e| query!(clGetEventInfo(e; CL_EVENT_COMMAND_EXECUTION_STATUS) as i32);
    for kind in kinds(&s) {
        for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
            let at = memory(&s, kind, 4096);
            let other = memory(&s, kind, 4096);
            let user = created!(clCreateUserEvent(s.context)).0;
            let queues = [(); 3].map(|()| {
                let (queue, code) = created!(clCreateCommandQueue(s.context, s.device, properties));
                assert_eq!(code, 0);
                queue
            });
            let fill = |queue, to: *mut c_void, list: &[cl_event]| {
                let (pattern, mut event) = (7u32, null_mut());
                let code = cl!(clEnqueueMemFillINTEL(
                    queue,
                    to,
                    (&raw const pattern).cast(),
                    4,
                    4096,
                    list.len() as u32,
                    if list.is_empty() { null() } else { list.as_ptr() },
                    &raw mut event
                ));
                assert_eq!(code, 0);
                event
            };
            let first = fill(queues[1], at, &[]);
            let second = fill(queues[0], at, &[first]);
            let held = fill(queues[2], other, &[user]);
            assert_eq!(cl!(clMemBlockingFreeINTEL(s.context, at)), 0);
            assert_eq!([status(first), status(second)], [CL_COMPLETE; 2], "{kind:x}");
            assert!(status(held) > CL_COMPLETE);
            assert_eq!(cl!(clSetUserEventStatus(user, CL_COMPLETE)), 0);
            assert_eq!(cl!(clMemBlockingFreeINTEL(s.context, other)), 0);
            assert_eq!(status(held), CL_COMPLETE);
            for event in [first, second, held, user] {
                assert_eq!(cl!(clReleaseEvent(event)), 0);
            }
            for queue in queues {
                assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
            }
        }
    }
}

/// clEnqueueMemsetINTEL sets each byte to the lowest byte of the value, as a fill does.
#[test]
fn opencl_3_bytes_are_set() {
    let s = Setup::new();
    for kind in kinds(&s) {
        let at = memory(&s, kind, 100);
        let set = |at: *mut c_void, value: i32, size: usize| {
            let mut event = null_mut();
            let code = cl!(clEnqueueMemsetINTEL(
                s.queue,
                at,
                value,
                size,
                0,
                null(),
                &raw mut event
            ));
            if code == 0 {
                let kind = query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32);
                assert_eq!(kind, CL_COMMAND_MEMFILL_INTEL);
                assert_eq!(cl!(clReleaseEvent(event)), 0);
            }
            code
        };
        assert_eq!(set(at, 0, 100), 0);
        assert_eq!(set(at.wrapping_byte_add(7), 0x1_23AB, 50), 0);
        assert_eq!(set(at, 1, 0), 0, "no bytes");
        assert_eq!(set(at, 1, 101), CL_INVALID_VALUE, "beyond the end");
        assert_eq!(set(null_mut(), 1, 4), CL_INVALID_VALUE);
        let mut now = [1u8; 100];
        copy(&s, now.as_mut_ptr().cast(), at, 100);
        let wanted = |i: usize| if (7..57).contains(&i) { 0xAB } else { 0 };
        assert!(now.iter().enumerate().all(|(i, x)| *x == wanted(i)), "{now:?}");
        free(&s, at);
    }
}

/// Fills memory of one kind, copies it to memory of another, and gives hints about it.
fn copy_and_fill(s: &Setup, a: cl_uint, b: cl_uint) {
    let type_of = |event: cl_event| {
        let kind = query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
        kind
    };
    let (from, to) = (memory(s, a, 1000), memory(s, b, 1000));
    let pattern = [1u8, 2, 3, 4, 5, 6, 7, 8];
    let mut event = null_mut();
    let at = pattern.as_ptr().cast();
    let code = cl!(clEnqueueMemFillINTEL(
        s.queue,
        from,
        at,
        8,
        1000,
        0,
        null(),
        &raw mut event
    ));
    assert_eq!(code, 0);
    assert_eq!(type_of(event), CL_COMMAND_MEMFILL_INTEL);
    let (middle, target) = (from.wrapping_byte_add(3), to.wrapping_byte_add(50));
    let code = cl!(clEnqueueMemcpyINTEL(
        s.queue,
        0,
        target,
        middle,
        900,
        0,
        null(),
        &raw mut event
    ));
    assert_eq!(code, 0);
    assert_eq!(type_of(event), CL_COMMAND_MEMCPY_INTEL);
    let mut now = [0u8; 900];
    copy(s, now.as_mut_ptr().cast(), target, 900);
    assert!(now.iter().enumerate().all(|(i, x)| *x == pattern[(i + 3) % 8]));
    let code = cl!(clEnqueueMemcpyINTEL(
        s.queue,
        1,
        from,
        middle,
        900,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_MEM_COPY_OVERLAP);
    for (size, expected) in [(998, CL_INVALID_VALUE), (usize::MAX, CL_INVALID_VALUE)] {
        let code = cl!(clEnqueueMemcpyINTEL(
            s.queue,
            1,
            to,
            middle,
            size,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, expected, "{size}");
    }
    let code = cl!(clEnqueueMigrateMemINTEL(
        s.queue,
        from,
        1000,
        0,
        0,
        null(),
        &raw mut event
    ));
    assert_eq!((code, type_of(event)), (0, CL_COMMAND_MIGRATEMEM_INTEL));
    let code = cl!(clEnqueueMemAdviseINTEL(
        s.queue,
        from,
        1000,
        0,
        0,
        null(),
        &raw mut event
    ));
    assert_eq!((code, type_of(event)), (0, CL_COMMAND_MEMADVISE_INTEL));
    free(s, from);
    free(s, to);
}
/// Copies between all kinds of memory, fills with patterns, hints, and the types of the commands.
#[test]
fn opencl_3_copies_and_fills() {
    let s = Setup::new();
    let kinds = kinds(&s);
    if kinds.is_empty() {
        return;
    }
    for &a in &kinds {
        for &b in &kinds {
            copy_and_fill(&s, a, b);
        }
    }
    let mut host = [0u32; 4];
    let at = host.as_mut_ptr().cast();
    let fill = |to, pattern: *const c_void, size| {
        cl!(clEnqueueMemFillINTEL(
            s.queue,
            to,
            pattern,
            size,
            16,
            0,
            null(),
            null_mut()
        ))
    };
    // The memory of the application is no unified shared memory.
    assert_eq!(fill(at, at.cast_const(), 4), CL_INVALID_VALUE);
    let memory = memory(&s, CL_MEM_TYPE_DEVICE_INTEL, 64);
    assert_eq!(fill(memory, null(), 4), CL_INVALID_VALUE);
    assert_eq!(fill(memory, at.cast_const(), 3), CL_INVALID_VALUE);
    assert_eq!(fill(null_mut(), at.cast_const(), 4), CL_INVALID_VALUE);
    let code = cl!(clEnqueueMigrateMemINTEL(
        s.queue,
        memory,
        64,
        1 << 9,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    free(&s, memory);
}

/// Transfers between buffers and unified shared memory: the commands that follow see what a read has stored there, and a write
/// transfers what the commands before it have stored there. Nothing waits in between.
#[test]
fn opencl_3_buffers_are_read_into_shared_memory() {
    const COUNT: usize = 4096;
    const ROUNDS: u32 = 40;
    let bytes = 4 * COUNT;
    let s = Setup::new();
    let source = "kernel void step(global uint *from, global uint *to) {
        size_t i = get_global_id(0);
        uint x = from[i];
        for (uint n = 0; n < 500; n++) x = x * 5 + n;
        for (uint n = 500; n-- > 0;) x = (x - n) * 0xcccccccdu;
        to[i] = x + 1;
    }";
    let program = s.built(source, "");
    let kernel = s.kernel(program, "step");
    let first: Vec<u32> = (0..COUNT as u32).collect();
    for (kind, write) in kinds(&s).into_iter().flat_map(|k| [(k, false), (k, true)]) {
        let shared = memory(&s, kind, bytes);
        let (buffer, code) = created!(clCreateBuffer(s.context, 1, bytes, null_mut()));
        assert_eq!(code, 0);
        copy(&s, shared, first.as_ptr().cast(), bytes);
        let at = first.as_ptr().cast();
        let code = cl!(clEnqueueWriteBuffer(
            s.queue,
            buffer,
            1,
            0,
            bytes,
            at,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        let (of_shared, of_buffer) = if write { (1, 0) } else { (0, 1) };
        assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, of_shared, shared)), 0);
        let value = (&raw const buffer).cast();
        assert_eq!(
            cl!(clSetKernelArg(kernel, of_buffer, size_of_val(&buffer), value)),
            0
        );
        for _ in 0..ROUNDS {
            launch(&s, kernel, COUNT);
            let code = match write {
                true => cl!(clEnqueueWriteBuffer(
                    s.queue,
                    buffer,
                    0,
                    0,
                    bytes,
                    shared,
                    0,
                    null(),
                    null_mut()
                )),
                false => cl!(clEnqueueReadBuffer(
                    s.queue,
                    buffer,
                    0,
                    0,
                    bytes,
                    shared,
                    0,
                    null(),
                    null_mut()
                )),
            };
            assert_eq!(code, 0);
        }
        let mut now = vec![0u32; COUNT];
        copy(&s, now.as_mut_ptr().cast(), shared, bytes);
        let wrong = now.iter().zip(&first).position(|(x, i)| *x != i + ROUNDS);
        assert_eq!(wrong, None, "kind {kind:#x}, write {write}: {:?}", &now[..8]);
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        free(&s, shared);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

const TEXEL: cl_image_format = cl_image_format {
    image_channel_order: CL_RGBA,
    image_channel_data_type: CL_UNSIGNED_INT8,
};

/// The shapes of images, their sizes in texels of four bytes, and the pitches of the shared memory. A pitch that is no whole
/// number of texels, or of rows, is one that Vulkan cannot express.
const IMAGES: [(u32, [usize; 3], usize, usize); 8] = [
    (CL_MEM_OBJECT_IMAGE1D_BUFFER, [500, 1, 1], 0, 0),
    (CL_MEM_OBJECT_IMAGE1D, [500, 1, 1], 0, 0),
    (CL_MEM_OBJECT_IMAGE2D, [60, 41, 1], 0, 0),
    (CL_MEM_OBJECT_IMAGE2D, [60, 41, 1], 256, 0),
    (CL_MEM_OBJECT_IMAGE2D, [60, 41, 1], 243, 0),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [20, 9, 5], 88, 880),
    (CL_MEM_OBJECT_IMAGE3D, [20, 9, 5], 80, 750),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, [33, 8, 1], 0, 140),
];

/// Transfers between images and unified shared memory, as those of buffers above: each round computes in shared memory, and
/// passes the result through the image to where the next round begins. Nothing waits in between.
#[test]
fn opencl_3_images_are_read_into_shared_memory() {
    const ROUNDS: u32 = 12;
    const BYTES: usize = 16384;
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        return;
    }
    let source = "kernel void step(global const uchar *from, global uchar *to, uint row, uint slice) {
        size_t at = get_global_id(0) * 4 + get_global_id(1) * row + get_global_id(2) * slice;
        uint x = as_uint(vload4(0, from + at));
        for (uint n = 0; n < 500; n++) x = x * 5 + n;
        for (uint n = 500; n-- > 0;) x = (x - n) * 0xcccccccdu;
        vstore4(as_uchar4(x + 1), 0, to + at);
    }";
    let program = s.built(source, "");
    let kernel = s.kernel(program, "step");
    for kind in kinds(&s) {
        let (from, to) = (memory(&s, kind, BYTES), memory(&s, kind, BYTES));
        for (shape, size, row, slice) in IMAGES {
            let (image, buffer) = Shape { ty: shape, size }.create(&s, TEXEL, CL_MEM_READ_WRITE);
            let row_pitch = match shape {
                CL_MEM_OBJECT_IMAGE1D_ARRAY => slice,
                _ => row.max(4 * size[0]),
            };
            let at = |x: usize, y: usize, z: usize| 4 * x + y * row_pitch + z * slice;
            let first: Vec<u8> = (0..BYTES).map(|i| (i * 7 + i / 251) as u8).collect();
            copy(&s, from, first.as_ptr().cast(), BYTES);
            copy(&s, to, first.as_ptr().cast(), BYTES);
            let pitches = [row_pitch as u32, if size[2] > 1 { slice as u32 } else { 0 }];
            assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 0, from)), 0);
            assert_eq!(cl!(clSetKernelArgMemPointerINTEL(kernel, 1, to)), 0);
            for (i, pitch) in pitches.iter().enumerate() {
                let code = cl!(clSetKernelArg(
                    kernel,
                    2 + i as u32,
                    4,
                    (&raw const *pitch).cast()
                ));
                assert_eq!(code, 0);
            }
            for _ in 0..ROUNDS {
                let code = cl!(clEnqueueNDRangeKernel(
                    s.queue,
                    kernel,
                    3,
                    null(),
                    size.as_ptr(),
                    null(),
                    0,
                    null(),
                    null_mut()
                ));
                assert_eq!(code, 0);
                transfer(&s, true, image, size, (row, slice), to);
                transfer(&s, false, image, size, (row, slice), from);
            }
            let mut now = vec![0u8; BYTES];
            copy(&s, now.as_mut_ptr().cast(), from, BYTES);
            let mut expected = first;
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        let texel = &mut expected[at(x, y, z)..][..4];
                        let value = u32::from_le_bytes(texel.try_into().expect("four bytes"));
                        texel.copy_from_slice(&(value.wrapping_add(ROUNDS)).to_le_bytes());
                    }
                }
            }
            let wrong = now.iter().zip(&expected).position(|(x, e)| x != e);
            assert_eq!(
                wrong, None,
                "kind {kind:#x}, shape {shape:#x}, pitches {row} {slice}"
            );
            assert_eq!(cl!(clReleaseMemObject(image)), 0);
            if !buffer.is_null() {
                assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
            }
        }
        free(&s, from);
        free(&s, to);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Enqueues a write (or a read) of an image, which does not block.
fn transfer(
    s: &Setup,
    write: bool,
    image: cl_mem,
    region: [usize; 3],
    (row, slice): (usize, usize),
    at: *mut c_void,
) {
    let (origin, none) = ([0usize; 3], null_mut());
    let (origin, region) = (origin.as_ptr(), region.as_ptr());
    let code = match write {
        true => cl!(clEnqueueWriteImage(
            s.queue,
            image,
            0,
            origin,
            region,
            row,
            slice,
            at,
            0,
            null(),
            none
        )),
        false => cl!(clEnqueueReadImage(
            s.queue,
            image,
            0,
            origin,
            region,
            row,
            slice,
            at,
            0,
            null(),
            none
        )),
    };
    assert_eq!(code, 0);
}

/// What is known of an allocation, and which allocations are errors.
#[test]
fn opencl_3_allocations() {
    let s = Setup::new();
    let kinds = kinds(&s);
    let all = [
        CL_MEM_TYPE_HOST_INTEL,
        CL_MEM_TYPE_DEVICE_INTEL,
        CL_MEM_TYPE_SHARED_INTEL,
    ];
    for kind in all.into_iter().filter(|k| !kinds.contains(k)) {
        assert_eq!(allocate(&s, kind, &[], 64, 0).1, CL_INVALID_OPERATION);
    }
    const FLAGS: u64 = CL_MEM_ALLOC_FLAGS_INTEL;
    const ON_DEVICE: u64 = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
    const ON_HOST: u64 = CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    for kind in kinds {
        let code = |properties: &[u64], size, alignment| allocate(&s, kind, properties, size, alignment).1;
        assert_eq!(code(&[], 0, 0), CL_INVALID_BUFFER_SIZE);
        assert_eq!(code(&[], 64, 3), CL_INVALID_VALUE);
        assert_eq!(code(&[], 64, 256), CL_INVALID_VALUE);
        assert_eq!(code(&[1, 2, 0], 64, 0), CL_INVALID_PROPERTY);
        assert_eq!(code(&[FLAGS, 64, 0], 64, 0), CL_INVALID_PROPERTY);
        assert_eq!(code(&[FLAGS, 0, FLAGS, 0, 0], 64, 0), CL_INVALID_PROPERTY);
        assert_eq!(code(&[FLAGS, ON_DEVICE | ON_HOST, 0], 64, 0), CL_INVALID_PROPERTY);
        let shared = kind == CL_MEM_TYPE_SHARED_INTEL;
        let flags = if shared {
            ON_HOST
        } else {
            CL_MEM_ALLOC_WRITE_COMBINED_INTEL
        };
        assert!(shared || code(&[FLAGS, ON_HOST, 0], 64, 0) == CL_INVALID_PROPERTY);
        let (at, code) = allocate(&s, kind, &[FLAGS, flags, 0], 1000, 64);
        assert_eq!(code, 0);
        let inside = at.wrapping_byte_add(999);
        for place in [at, inside] {
            macro_rules! info {
                ($param:expr, $ty:ty) => {
                    query!(clGetMemAllocInfoINTEL(s.context, place; $param) as $ty)
                };
            }
            assert_eq!(info!(CL_MEM_ALLOC_TYPE_INTEL, u32), kind);
            assert_eq!(info!(CL_MEM_ALLOC_BASE_PTR_INTEL, usize), at.addr());
            assert_eq!(info!(CL_MEM_ALLOC_SIZE_INTEL, usize), 1000);
            assert_eq!(info!(FLAGS as u32, u64), flags);
            let device = info!(CL_MEM_ALLOC_DEVICE_INTEL, usize);
            let of_host = kind == CL_MEM_TYPE_HOST_INTEL;
            assert_eq!(device, if of_host { 0 } else { s.device.addr() });
        }
        assert_eq!(cl!(clMemFreeINTEL(s.context, inside)), CL_INVALID_VALUE);
        free(&s, at);
        assert_eq!(cl!(clMemFreeINTEL(s.context, at)), CL_INVALID_VALUE);
        let unknown = query!(clGetMemAllocInfoINTEL(s.context, at; CL_MEM_ALLOC_TYPE_INTEL) as u32);
        assert_eq!(unknown, CL_MEM_TYPE_UNKNOWN_INTEL);
    }
    free(&s, null_mut());
}
