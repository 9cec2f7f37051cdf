//! CL 2.0, 5.6: shared virtual memory. Devices of OpenCL 1.2 do not have it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("s5_6_svm::", "CALDERA_CL_VERSION", "3.1");
}

fn is_offered(s: &Setup) -> bool {
    let capabilities = query!(clGetDeviceInfo(s.device; CL_DEVICE_SVM_CAPABILITIES) as u64);
    assert!(capabilities == 0 || capabilities == CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    capabilities != 0
}

/// Shared memory for ints, which is freed when this is dropped.
struct Shared<'a> {
    s: &'a Setup,
    at: *mut i32,
    count: usize,
}

impl Shared<'_> {
    fn new(s: &Setup, count: usize) -> Shared<'_> {
        let at = cl!(clSVMAlloc(s.context, CL_MEM_READ_WRITE, 4 * count, 0)).cast();
        let shared = Shared { s, at, count };
        assert!(!shared.at.is_null());
        shared
    }

    fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    fn map(&self, flags: cl_map_flags) {
        let (size, event) = (4 * self.count, null_mut());
        let code = cl!(clEnqueueSVMMap(
            self.s.queue,
            1,
            flags,
            self.ptr(),
            size,
            0,
            null(),
            event
        ));
        assert_eq!(code, 0);
    }

    fn unmap(&self) {
        let code = cl!(clEnqueueSVMUnmap(self.s.queue, self.ptr(), 0, null(), null_mut()));
        assert_eq!(code, 0);
    }

    fn write(&self, value: impl Fn(usize) -> i32) {
        self.map(CL_MAP_WRITE);
        for i in 0..self.count {
            // SAFETY: the memory has `count` ints and is mapped.
            unsafe { self.at.wrapping_add(i).write(value(i)) };
        }
        self.unmap();
    }

    fn read(&self) -> Vec<i32> {
        self.map(CL_MAP_READ);
        // SAFETY: the memory has `count` ints and is mapped.
        let values = unsafe { std::slice::from_raw_parts(self.at, self.count) }.to_vec();
        self.unmap();
        values
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        assert_eq!(cl!(clFinish(self.s.queue)), 0);
        cl!(clSVMFree(self.s.context, self.ptr()));
    }
}

fn memcpy(s: &Setup, blocking: bool, to: *mut c_void, from: *const c_void, size: usize) -> cl_int {
    let blocking = cl_bool::from(blocking);
    cl!(clEnqueueSVMMemcpy(
        s.queue,
        blocking,
        to,
        from,
        size,
        0,
        null(),
        null_mut()
    ))
}

fn memfill(s: &Setup, to: *mut c_void, pattern: *const c_void, length: usize, size: usize) -> cl_int {
    cl!(clEnqueueSVMMemFill(
        s.queue,
        to,
        pattern,
        length,
        size,
        0,
        null(),
        null_mut()
    ))
}

fn run(s: &Setup, kernel: cl_kernel, items: usize) {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const items,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

#[test]
fn allocation() {
    let s = Setup::new();
    let allocate = |flags, size, align| cl!(clSVMAlloc(s.context, flags, size, align));
    if !is_offered(&s) {
        assert!(allocate(0, 64, 0).is_null());
        return;
    }
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_MEM_ALLOC_SIZE) as u64) as usize;
    for (flags, size, align) in [
        (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, 64, 0),
        (CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0),
        (CL_MEM_SVM_ATOMICS, 64, 0),
        (CL_MEM_ALLOC_HOST_PTR, 64, 0),
        (0, 0, 0),
        (0, most + 1, 0),
        (0, 64, 3),
        (0, 64, 256),
    ] {
        assert!(allocate(flags, size, align).is_null(), "{flags} {size} {align}");
    }
    assert!(cl!(clSVMAlloc(null_mut(), 0, 64, 0)).is_null());
    for align in [0, 1, 2, 64, 128] {
        let at = allocate(CL_MEM_READ_ONLY, 100, align);
        assert!(!at.is_null() && at.addr().is_multiple_of(128));
        cl!(clSVMFree(s.context, at));
    }
    cl!(clSVMFree(s.context, null_mut()));
}

#[test]
fn errors() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let (shared, mut host) = (Shared::new(&s, 64), [0u8; 256]);
    let (at, host) = (shared.ptr(), host.as_mut_ptr().cast::<c_void>());
    let beyond = at.wrapping_byte_add(200);
    assert_eq!(memcpy(&s, true, null_mut(), at, 4), CL_INVALID_VALUE);
    assert_eq!(memcpy(&s, true, at, null(), 4), CL_INVALID_VALUE);
    assert_eq!(memcpy(&s, true, beyond, host, 57), CL_INVALID_VALUE);
    assert_eq!(memcpy(&s, true, host, beyond, 57), CL_INVALID_VALUE);
    let near = at.wrapping_byte_add(8);
    assert_eq!(memcpy(&s, true, at, near, 16), CL_MEM_COPY_OVERLAP);
    let near = host.wrapping_byte_add(8);
    assert_eq!(memcpy(&s, true, host, near, 16), CL_MEM_COPY_OVERLAP);
    assert_eq!(memfill(&s, host, host, 4, 8), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, null_mut(), host, 4, 8), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, at, null(), 4, 8), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, at, host, 3, 9), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, at, host, 0, 8), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, at, host, 4, 6), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, at.wrapping_byte_add(2), host, 4, 8), CL_INVALID_VALUE);
    assert_eq!(memfill(&s, beyond, host, 4, 60), CL_INVALID_VALUE);
    let map = |ptr, flags, size| {
        let (list, event) = (null(), null_mut());
        cl!(clEnqueueSVMMap(s.queue, 1, flags, ptr, size, 0, list, event))
    };
    assert_eq!(map(null_mut(), CL_MAP_READ, 4), CL_INVALID_VALUE);
    assert_eq!(map(host, CL_MAP_READ, 4), CL_INVALID_VALUE);
    assert_eq!(map(at, CL_MAP_READ, 0), CL_INVALID_VALUE);
    assert_eq!(map(at, CL_MAP_READ, 257), CL_INVALID_VALUE);
    assert_eq!(map(at, 1 << 20, 4), CL_INVALID_VALUE);
    let unmap = |ptr| cl!(clEnqueueSVMUnmap(s.queue, ptr, 0, null(), null_mut()));
    assert_eq!(unmap(null_mut()), CL_INVALID_VALUE);
    assert_eq!(unmap(at), CL_INVALID_VALUE, "not mapped");
    let migrate = |count, pointers: *mut *const c_void, flags| {
        let sizes = [300usize];
        let (list, event) = (null(), null_mut());
        let sizes = if flags == 0 { null() } else { sizes.as_ptr() };
        cl!(clEnqueueSVMMigrateMem(
            s.queue, count, pointers, sizes, flags, 0, list, event
        ))
    };
    let mut pointers = [at.cast_const()];
    assert_eq!(migrate(0, pointers.as_mut_ptr(), 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, null_mut(), 0), CL_INVALID_VALUE);
    assert_eq!(
        migrate(1, pointers.as_mut_ptr(), CL_MIGRATE_MEM_OBJECT_HOST),
        CL_INVALID_VALUE
    );
    assert_eq!(migrate(1, [host.cast_const()].as_mut_ptr(), 0), CL_INVALID_VALUE);
    assert_eq!(migrate(1, pointers.as_mut_ptr(), 0), 0);
    let free = |count, list: *mut *mut c_void| {
        let (none, data) = (None, null_mut());
        cl!(clEnqueueSVMFree(
            s.queue,
            count,
            list,
            none,
            data,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(free(1, null_mut()), CL_INVALID_VALUE);
    assert_eq!(free(0, [at].as_mut_ptr()), CL_INVALID_VALUE);
}

/// Wait lists that are not valid, and events of another context.
#[test]
fn errors_of_wait_lists() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let (shared, mut host) = (Shared::new(&s, 64), [0u8; 256]);
    let (at, host) = (shared.ptr(), host.as_mut_ptr().cast::<c_void>());
    let mut pointers = [at.cast_const()];
    let (q, none) = (s.queue, null_mut());
    let wait_lists = [
        cl!(clEnqueueSVMMemcpy(q, 1, at, host, 4, 1, null(), none)),
        cl!(clEnqueueSVMMemFill(q, at, host, 4, 4, 1, null(), none)),
        cl!(clEnqueueSVMMap(q, 1, CL_MAP_READ, at, 4, 1, null(), none)),
        cl!(clEnqueueSVMMigrateMem(
            q,
            1,
            pointers.as_mut_ptr(),
            null(),
            0,
            1,
            null(),
            none
        )),
        cl!(clEnqueueSVMFree(
            q,
            1,
            [at].as_mut_ptr(),
            None,
            null_mut(),
            1,
            null(),
            none
        )),
    ];
    assert_eq!(wait_lists, [CL_INVALID_EVENT_WAIT_LIST; 5]);
    let other = Setup::new();
    let (event, _) = created!(clCreateUserEvent(other.context));
    let foreign = [
        cl!(clEnqueueSVMMemcpy(q, 1, at, host, 4, 1, &raw const event, none)),
        cl!(clEnqueueSVMMap(
            q,
            1,
            CL_MAP_READ,
            at,
            4,
            1,
            &raw const event,
            none
        )),
        cl!(clEnqueueSVMUnmap(q, at, 1, &raw const event, none)),
    ];
    assert_eq!(foreign, [CL_INVALID_CONTEXT; 3]);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
}

/// Pointers for the arguments of kernels, and for buffers.
#[test]
fn errors_of_uses() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let shared = Shared::new(&s, 64);
    let at = shared.ptr();
    let program = s.built("kernel void k(global int *a, int b) { a[0] = b; }", "");
    let kernel = s.kernel(program, "k");
    assert_eq!(cl!(clSetKernelArgSVMPointer(kernel, 2, at)), CL_INVALID_ARG_INDEX);
    assert_eq!(cl!(clSetKernelArgSVMPointer(kernel, 1, at)), CL_INVALID_ARG_VALUE);
    let create = |size| created!(clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, size, at)).1;
    assert_eq!(create(257), CL_INVALID_BUFFER_SIZE);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Kernels and the host build and follow a list in two allocations, with the same pointers.
#[test]
fn pointers_are_those_of_the_host() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let source = "typedef struct Node { global struct Node *next; int value; int spare; } Node;
    kernel void sum(global Node *first, global int *out) {
        int all = 0;
        for (global Node *n = first; n; n = n->next) all += n->value;
        out[0] = all;
        first->value += 1;
    }";
    let program = s.built(source, "");
    let kernel = s.kernel(program, "sum");
    let (first, second) = (Shared::new(&s, 64), Shared::new(&s, 64));
    let out = Shared::new(&s, 1);
    first.map(CL_MAP_WRITE);
    second.map(CL_MAP_WRITE);
    // Nodes alternate between the allocations.
    let node = |i: usize| match i % 2 {
        0 => first.at.wrapping_add(4 * (i / 2)),
        _ => second.at.wrapping_add(4 * (i / 2)),
    };
    for i in 0..20 {
        let next = if i == 19 { null_mut() } else { node(i + 1) };
        // SAFETY: each allocation has room for 16 nodes of 16 bytes, and is mapped.
        unsafe { node(i).cast::<*mut i32>().write(next) };
        // SAFETY: as above.
        unsafe { node(i).wrapping_add(2).write(i as i32) };
    }
    first.unmap();
    second.unmap();
    assert_eq!(cl!(clSetKernelArgSVMPointer(kernel, 0, first.ptr())), 0);
    assert_eq!(cl!(clSetKernelArgSVMPointer(kernel, 1, out.ptr())), 0);
    let list = [second.ptr()];
    let info = CL_KERNEL_EXEC_INFO_SVM_PTRS;
    assert_eq!(cl!(clSetKernelExecInfo(kernel, info, 8, list.as_ptr().cast())), 0);
    for more in 0..3 {
        run(&s, kernel, 1);
        assert_eq!(out.read(), [190 + more]);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn copies_and_fills() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let (a, b) = (Shared::new(&s, 64), Shared::new(&s, 64));
    let source: Vec<i32> = (0..64).collect();
    let (mut host, mut other) = (vec![0i32; 64], vec![0i32; 64]);
    for blocking in [true, false] {
        assert_eq!(memcpy(&s, blocking, a.ptr(), source.as_ptr().cast(), 256), 0);
        assert_eq!(memcpy(&s, blocking, b.ptr(), a.ptr(), 128), 0);
        let half = b.ptr().wrapping_byte_add(128);
        let seven = 7i32;
        assert_eq!(memfill(&s, half, (&raw const seven).cast(), 4, 128), 0);
        assert_eq!(memcpy(&s, blocking, host.as_mut_ptr().cast(), b.ptr(), 256), 0);
        let to = other.as_mut_ptr().cast();
        assert_eq!(memcpy(&s, blocking, to, host.as_ptr().cast(), 256), 0);
        assert_eq!(cl!(clFinish(s.queue)), 0);
        let expected: Vec<i32> = (0..64).map(|i| if i < 32 { i } else { 7 }).collect();
        assert_eq!(host, expected);
        assert_eq!(other, expected);
        assert_eq!(b.read(), expected);
        host.fill(0);
        other.fill(0);
    }
    assert_eq!(memcpy(&s, true, a.ptr(), b.ptr(), 0), 0);
}

/// The types of the commands, and a function that frees.
#[test]
fn events_and_free_functions() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn free(_: cl_command_queue, count: u32, list: *mut *mut c_void, data: *mut c_void) {
        for i in 0..count as usize {
            // SAFETY: the list has this number of pointers.
            let pointer = unsafe { list.wrapping_add(i).read() };
            cl!(clSVMFree(data, pointer));
        }
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let allocate = || cl!(clSVMAlloc(s.context, 0, 64, 0));
    let at = allocate();
    let zero = 0i32;
    let mut events = [null_mut(); 7];
    let mut next = events.iter_mut().map(|e| &raw mut *e);
    let mut event = || next.next().expect("one for each command");
    let pattern = (&raw const zero).cast();
    let mut pointers = [at.cast_const()];
    let codes = [
        cl!(clEnqueueSVMMemFill(
            s.queue,
            at,
            pattern,
            4,
            64,
            0,
            null(),
            event()
        )),
        cl!(clEnqueueSVMMemcpy(s.queue, 0, at, pattern, 4, 0, null(), event())),
        cl!(clEnqueueSVMMap(
            s.queue,
            0,
            CL_MAP_READ,
            at,
            64,
            0,
            null(),
            event()
        )),
        cl!(clEnqueueSVMUnmap(s.queue, at, 0, null(), event())),
        cl!(clEnqueueSVMMigrateMem(
            s.queue,
            1,
            pointers.as_mut_ptr(),
            null(),
            0,
            0,
            null(),
            event()
        )),
        cl!(clEnqueueSVMFree(
            s.queue,
            1,
            [at].as_mut_ptr(),
            None,
            null_mut(),
            0,
            null(),
            event()
        )),
        cl!(clEnqueueSVMFree(
            s.queue,
            2,
            [allocate(), allocate()].as_mut_ptr(),
            Some(free),
            s.context,
            0,
            null(),
            event()
        )),
    ];
    assert_eq!(codes, [0; 7]);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let kinds = [
        CL_COMMAND_SVM_MEMFILL,
        CL_COMMAND_SVM_MEMCPY,
        CL_COMMAND_SVM_MAP,
        CL_COMMAND_SVM_UNMAP,
        CL_COMMAND_SVM_MIGRATE_MEM,
        CL_COMMAND_SVM_FREE,
        CL_COMMAND_SVM_FREE,
    ];
    for (event, kind) in events.into_iter().zip(kinds) {
        assert_eq!(query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32), kind);
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    assert_eq!(CALLS.load(Ordering::SeqCst), 1);
    // The memory is no longer shared.
    assert_eq!(memfill(&s, at, pattern, 4, 64), CL_INVALID_VALUE);
}

/// A buffer in shared memory is that memory, and has sub-buffers.
#[test]
fn buffers_in_shared_memory() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let shared = Shared::new(&s, 256);
    shared.write(|i| i as i32);
    let flags = CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE;
    let (buffer, code) = created!(clCreateBuffer(s.context, flags, 1024, shared.ptr()));
    assert_eq!(code, 0);
    let region = cl_buffer_region {
        origin: 512,
        size: 64,
    };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let (sub, code) = created!(clCreateSubBuffer(buffer, 0, kind, (&raw const region).cast()));
    assert_eq!(code, 0);
    let plain = s.buffer(&[0; 4]);
    for (object, uses, offset, of) in [
        (buffer, 1, 0, null_mut()),
        (sub, 1, 512, buffer),
        (plain, 0, 0, null_mut()),
    ] {
        assert_eq!(
            query!(clGetMemObjectInfo(object; CL_MEM_USES_SVM_POINTER) as u32),
            uses
        );
        assert_eq!(query!(clGetMemObjectInfo(object; CL_MEM_OFFSET) as usize), offset);
        let associated = query!(clGetMemObjectInfo(object; CL_MEM_ASSOCIATED_MEMOBJECT) as usize);
        assert_eq!(associated, of.addr());
    }
    let program = s.built(
        "kernel void k(global int *a) { a[get_global_id(0)] += 1000; }",
        "",
    );
    let kernel = s.kernel(program, "k");
    let size = size_of::<cl_mem>();
    assert_eq!(cl!(clSetKernelArg(kernel, 0, size, (&raw const sub).cast())), 0);
    run(&s, kernel, 16);
    let expected = |i: usize| i as i32 + if (128..144).contains(&i) { 1000 } else { 0 };
    assert_eq!(shared.read(), (0..256).map(expected).collect::<Vec<_>>());
    let bytes = s.read(buffer, 1024);
    assert_eq!(bytes[512..516], 1128i32.to_ne_bytes());
    // A mapping of the buffer is the memory.
    let (mapped, code) = created!(clEnqueueMapBuffer(
        s.queue,
        buffer,
        1,
        CL_MAP_READ,
        512,
        64,
        0,
        null(),
        null_mut()
    ));
    assert_eq!((mapped.addr(), code), (shared.at.addr() + 512, 0));
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(
            s.queue,
            buffer,
            mapped,
            0,
            null(),
            null_mut()
        )),
        0
    );
    for object in [sub, buffer, plain] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Copies and fills in a command-buffer, and an update of an argument.
#[test]
fn command_buffers() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let (a, b) = (Shared::new(&s, 16), Shared::new(&s, 16));
    let program = s.built("kernel void k(global int *a) { a[get_global_id(0)] *= 3; }", "");
    let kernel = s.kernel(program, "k");
    assert_eq!(cl!(clSetKernelArgSVMPointer(kernel, 0, a.ptr())), 0);
    let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let (buffer, code) = created!(clCreateCommandBufferKHR(
        1,
        &raw const s.queue,
        properties.as_ptr()
    ));
    assert_eq!(code, 0);
    let none = null_mut();
    let fill = |to, size| {
        let (five, point) = (5i32, null_mut());
        let pattern = (&raw const five).cast();
        cl!(clCommandSVMMemFillKHR(
            buffer,
            none,
            null(),
            to,
            pattern,
            4,
            size,
            0,
            null(),
            point,
            null_mut()
        ))
    };
    let copy = |to, from: *mut c_void, size| {
        let point = null_mut();
        cl!(clCommandSVMMemcpyKHR(
            buffer,
            none,
            null(),
            to,
            from,
            size,
            0,
            null(),
            point,
            null_mut()
        ))
    };
    let mut host = [0u8; 64];
    assert_eq!(fill(host.as_mut_ptr().cast(), 64), CL_INVALID_VALUE);
    assert_eq!(copy(host.as_mut_ptr().cast(), a.ptr(), 64), CL_INVALID_VALUE);
    assert_eq!(copy(a.ptr(), a.ptr(), 64), CL_MEM_COPY_OVERLAP);
    assert_eq!(
        [
            fill(a.ptr(), 64),
            copy(b.ptr(), a.ptr(), 32),
            copy(b.ptr(), a.ptr(), 0)
        ],
        [0; 3]
    );
    let (items, mut command) = (16usize, null_mut());
    let code = cl!(clCommandNDRangeKernelKHR(
        buffer,
        none,
        null(),
        kernel,
        1,
        null(),
        &raw const items,
        null(),
        0,
        null(),
        null_mut(),
        &raw mut command
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFinalizeCommandBufferKHR(buffer)), 0);
    let execute = || {
        let (queues, event) = (null_mut(), null_mut());
        assert_eq!(
            cl!(clEnqueueCommandBufferKHR(0, queues, buffer, 0, null(), event)),
            0
        );
    };
    b.write(|i| i as i32);
    execute();
    assert_eq!(a.read(), [15; 16]);
    let expected = |i: usize| if i < 8 { 5 } else { i as i32 };
    assert_eq!(b.read(), (0..16).map(expected).collect::<Vec<_>>());
    update_argument(buffer, command, b.ptr());
    execute();
    assert_eq!(a.read(), [5; 16]);
    let expected = |i: usize| if i < 8 { 15 } else { 3 * i as i32 };
    assert_eq!(b.read(), (0..16).map(expected).collect::<Vec<_>>());
    assert_eq!(cl!(clReleaseCommandBufferKHR(buffer)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Updates the only argument of a launch in a command-buffer to a pointer.
fn update_argument(buffer: cl_command_buffer_khr, command: cl_mutable_command_khr, ptr: *mut c_void) {
    let arg = cl_mutable_dispatch_arg_khr {
        arg_index: 0,
        arg_size: 0,
        arg_value: ptr,
    };
    // SAFETY: the struct has numbers and pointers, for which zero bytes are valid values.
    let mut config: cl_mutable_dispatch_config_khr = unsafe { std::mem::zeroed() };
    (config.command, config.num_svm_args, config.arg_svm_list) = (command, 1, &raw const arg);
    let mut configs = [(&raw const config).cast()];
    let kind = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    let code = cl!(clUpdateMutableCommandsKHR(
        buffer,
        1,
        &raw const kind,
        configs.as_mut_ptr()
    ));
    assert_eq!(code, 0);
}
