//! cl_khr_external_memory and cl_khr_external_memory_opaque_fd: buffers and images in memory that Vulkan has allocated on
//! the same device.

use std::os::unix::fs::MetadataExt;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::common::again::run_exactly;
use crate::common::drivers::two_drivers;
use crate::common::objects::{Setup, context, device, platform};
use crate::common::*;
use crate::vulkan::Vulkan;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("khr_external_memory::", "CALDERA_CL_VERSION", "3.1");
}

const FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;
const FLAT: cl_mem_flags = CL_MEM_READ_WRITE;

fn vulkan() -> Vulkan {
    Vulkan::open(query!(clGetDeviceInfo(device(); CL_DEVICE_UUID_KHR) as [u8; 16]))
}

/// Returns the file that a descriptor refers to, if it is open. Another thread may get the number of a closed descriptor.
fn file(fd: i32) -> Option<(u64, u64)> {
    let file = std::fs::metadata(format!("/proc/self/fd/{fd}")).ok()?;
    Some((file.dev(), file.ino()))
}

/// Lets only one test of this file open descriptors at a time.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn buffer(s: &Setup, properties: &[u64], size: usize) -> (cl_mem, cl_int) {
    let properties = properties.as_ptr();
    created!(clCreateBufferWithProperties(
        s.context,
        properties,
        FLAT,
        size,
        null_mut()
    ))
}

fn image(s: &Setup, properties: &[u64], width: usize, height: usize) -> (cl_mem, cl_int) {
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNORM_INT8,
    };
    // SAFETY: the struct has numbers and a handle, for which zero bytes are valid values.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    (desc.image_width, desc.image_height) = (width, height);
    created!(clCreateImageWithProperties(
        s.context,
        properties.as_ptr(),
        FLAT,
        &raw const format,
        &raw const desc,
        null_mut()
    ))
}

/// Enqueues the transfer of objects to OpenCL (`acquire`) or back, and returns the command's event.
fn hand_over(s: &Setup, objects: &[cl_mem], acquire: bool) -> cl_event {
    let mut event = null_mut();
    let (count, list) = (objects.len() as u32, objects.as_ptr());
    let code = match acquire {
        true => cl!(clEnqueueAcquireExternalMemObjectsKHR(
            s.queue,
            count,
            list,
            0,
            null(),
            &raw mut event
        )),
        false => cl!(clEnqueueReleaseExternalMemObjectsKHR(
            s.queue,
            count,
            list,
            0,
            null(),
            &raw mut event
        )),
    };
    assert_eq!(code, 0);
    let kind = query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32);
    let wanted = match acquire {
        true => CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
        false => CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
    };
    assert_eq!(kind, wanted);
    event
}

/// Transfers objects to OpenCL.
fn acquire(s: &Setup, objects: &[cl_mem]) {
    assert_eq!(cl!(clReleaseEvent(hand_over(s, objects, true))), 0);
}

/// Transfers objects back, and waits for that.
fn release(s: &Setup, objects: &[cl_mem]) {
    let event = hand_over(s, objects, false);
    assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
}

/// Launches a kernel with one argument.
fn launch(s: &Setup, source: &str, object: cl_mem, size: &[usize]) {
    let program = s.built(source, "");
    let kernel = s.kernel(program, "f");
    let set = cl!(clSetKernelArg(
        kernel,
        0,
        size_of::<cl_mem>(),
        (&raw const object).cast()
    ));
    assert_eq!(set, 0);
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        size.len() as u32,
        null(),
        size.as_ptr(),
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Devices of OpenCL 3.0 and later have the extension and its queries; devices of OpenCL 1.2 have neither.
#[test]
fn devices_tell_the_types_of_handles() {
    let d = device();
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v != "1.2");
    assert_eq!(has("cl_khr_external_memory"), later);
    assert_eq!(has("cl_khr_external_memory_opaque_fd"), later);
    let queries = [
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
    ];
    if !later {
        for name in queries {
            let code = cl!(clGetDeviceInfo(d, name, 0, null_mut(), null_mut()));
            assert_eq!(code, CL_INVALID_VALUE);
        }
        return;
    }
    let types = query_bytes!(clGetDeviceInfo(d; queries[0]));
    let numbers: Vec<u32> = types
        .as_chunks()
        .0
        .iter()
        .map(|b| u32::from_ne_bytes(*b))
        .collect();
    assert!(numbers.contains(&CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR));
    assert_eq!(
        numbers.contains(&CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR),
        has("cl_khr_external_memory_dma_buf")
    );
    let linear = query_bytes!(clGetDeviceInfo(d; queries[1]));
    assert!(linear.is_empty());
    let everywhere =
        query_bytes!(clGetPlatformInfo(platform(); CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR));
    assert_eq!(everywhere, types);
}

/// A kernel sees what Vulkan has written, and Vulkan what the kernel has; a write by the host and a mapping, too.
#[test]
fn buffers_are_shared() {
    const COUNT: usize = 1000;
    let _turn = turn();
    let (s, other) = (Setup::new(), vulkan());
    let exported = other.exported_buffer(4 * COUNT as u64);
    let first: Vec<u8> = (0..COUNT as i32).flat_map(i32::to_ne_bytes).collect();
    other.write(exported, &first);
    let fd = other.fd(exported);
    let given = file(fd);
    let properties = [FD, fd as u64, 0];
    let (shared, code) = buffer(&s, &properties, 4 * COUNT);
    assert_eq!(code, 0);
    assert_ne!(file(fd), given, "the descriptor belongs to the import");
    let list = query_bytes!(clGetMemObjectInfo(shared; CL_MEM_PROPERTIES));
    assert_eq!(list, properties.map(u64::to_ne_bytes).concat());

    acquire(&s, &[shared]);
    assert_eq!(s.read(shared, 4 * COUNT), first);
    let source = "kernel void f(global int *a) { a[get_global_id(0)] = 3 * a[get_global_id(0)] + 1; }";
    launch(&s, source, shared, &[COUNT]);
    let number = 77_777i32;
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        shared,
        1,
        40,
        4,
        (&raw const number).cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut code = 1;
    let mapped = cl!(clEnqueueMapBuffer(
        s.queue,
        shared,
        1,
        CL_MAP_WRITE,
        80,
        4,
        0,
        null(),
        null_mut(),
        &raw mut code
    ));
    assert_eq!(code, 0);
    // SAFETY: four bytes are mapped for writing, and aligned.
    unsafe { mapped.cast::<i32>().write(88_888) };
    let unmapped = cl!(clEnqueueUnmapMemObject(
        s.queue,
        shared,
        mapped,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(unmapped, 0);
    release(&s, &[shared]);

    let mut wanted: Vec<i32> = (0..COUNT as i32).map(|i| 3 * i + 1).collect();
    (wanted[10], wanted[20]) = (77_777, 88_888);
    let wanted: Vec<u8> = wanted.into_iter().flat_map(i32::to_ne_bytes).collect();
    assert_eq!(other.read(exported), wanted);
    assert_eq!(cl!(clReleaseMemObject(shared)), 0);
}

/// The same memory, imported twice, and in two contexts, is one memory.
#[test]
fn one_memory_is_imported_several_times() {
    let _turn = turn();
    let (s, t, other) = (Setup::new(), Setup::new(), vulkan());
    let exported = other.exported_buffer(256);
    other.write(exported, &[5; 256]);
    let import = |s: &Setup| {
        let list = CL_MEM_DEVICE_HANDLE_LIST_KHR;
        let device = s.device.addr() as u64;
        let (shared, code) = buffer(s, &[FD, other.fd(exported) as u64, list, device, 0, 0], 256);
        assert_eq!(code, 0);
        shared
    };
    let (a, b, c) = (import(&s), import(&s), import(&t));
    acquire(&s, &[a]);
    launch(
        &s,
        "kernel void f(global uchar *p) { p[get_global_id(0)] += get_global_id(0); }",
        a,
        &[256],
    );
    release(&s, &[a]);
    let wanted: Vec<u8> = (0..=255u8).map(|i| i.wrapping_add(5)).collect();
    for (s, shared) in [(&s, b), (&t, c)] {
        acquire(s, &[shared]);
        assert_eq!(s.read(shared, 256), wanted);
        release(s, &[shared]);
    }
    for shared in [a, b, c] {
        assert_eq!(cl!(clReleaseMemObject(shared)), 0);
    }
}

/// A kernel reads an image that Vulkan has written and writes it, and Vulkan reads it.
#[test]
fn images_are_shared() {
    const SIZE: [usize; 2] = [48, 20];
    let _turn = turn();
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        let (_, code) = image(&s, &[FD, 0, 0], 1, 1);
        assert_eq!(code, CL_INVALID_OPERATION);
        return;
    }
    let other = vulkan();
    let exported = other.exported_image(SIZE[0] as u32, SIZE[1] as u32);
    let bytes = 4 * SIZE[0] * SIZE[1];
    let first: Vec<u8> = (0..bytes).map(|i| (i * 7 % 251) as u8).collect();
    other.write(exported, &first);
    let fd = other.fd(exported);
    let given = file(fd);
    let (shared, code) = image(&s, &[FD, fd as u64, 0], SIZE[0], SIZE[1]);
    assert_eq!(code, 0);
    assert_ne!(file(fd), given, "the descriptor belongs to the import");

    acquire(&s, &[shared]);
    let (result, code) = created!(clCreateBuffer(s.context, FLAT, bytes, null_mut()));
    assert_eq!(code, 0);
    let (origin, region) = ([0, 0, 0], [SIZE[0], SIZE[1], 1]);
    let code = cl!(clEnqueueCopyImageToBuffer(
        s.queue,
        shared,
        result,
        origin.as_ptr(),
        region.as_ptr(),
        0,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(s.read(result, bytes), first);
    let source = "kernel void f(write_only image2d_t i) {\n\
                      int2 at = (int2)(get_global_id(0), get_global_id(1));\n\
                      write_imagef(i, at, (float4)(at.x / 255.0f, at.y / 255.0f, 1, 0));\n\
                  }";
    launch(&s, source, shared, &SIZE);
    release(&s, &[shared]);

    let texel = |i: usize| [(i % SIZE[0]) as u8, (i / SIZE[0]) as u8, 255, 0];
    let wanted: Vec<u8> = (0..SIZE[0] * SIZE[1]).flat_map(texel).collect();
    assert_eq!(other.read(exported), wanted);
    assert_eq!(cl!(clReleaseMemObject(result)), 0);
    assert_eq!(cl!(clReleaseMemObject(shared)), 0);
}

/// The calls that need an object in external memory to fail; the application keeps the descriptor if its import fails.
#[test]
fn errors_with_external_objects() {
    let _turn = turn();
    let (s, other) = (Setup::new(), vulkan());
    let exported = other.exported_buffer(4096);
    other.write(exported, &[1; 4096]);
    let fd = other.fd(exported);
    let given = file(fd);
    // The memory is smaller than the buffer would be.
    let (_, code) = buffer(&s, &[FD, fd as u64, 0], 1 << 26);
    assert!(
        code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_VALUE,
        "{code}"
    );
    let (_, code) = buffer(&s, &[FD, fd as u64, 0], 0);
    assert_eq!(code, CL_INVALID_BUFFER_SIZE);
    assert_eq!(file(fd), given, "the import has failed");
    let (shared, code) = buffer(&s, &[FD, fd as u64, 0], 4096);
    assert_eq!(code, 0);

    let call = |queue, objects: &[cl_mem]| {
        let (count, list) = (objects.len() as u32, objects.as_ptr());
        cl!(clEnqueueAcquireExternalMemObjectsKHR(
            queue,
            count,
            list,
            0,
            null(),
            null_mut()
        ))
    };
    let plain = s.buffer(&[0; 16]);
    assert_eq!(call(s.queue, &[shared, plain]), CL_INVALID_MEM_OBJECT);
    let region = cl_buffer_region {
        origin: 0,
        size: 1024,
    };
    let mut code = 1;
    let sub = cl!(clCreateSubBuffer(
        shared,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const region).cast(),
        &raw mut code
    ));
    assert_eq!(code, 0);
    assert_eq!(call(s.queue, &[sub]), CL_INVALID_MEM_OBJECT);
    let foreign = context(s.device);
    let (queue, code) = created!(clCreateCommandQueue(foreign, s.device, 0));
    assert_eq!(code, 0);
    assert_eq!(call(queue, &[shared]), CL_INVALID_CONTEXT);
    acquire(&s, &[shared]);
    assert_eq!(s.read(sub, 1024), [1; 1024]);
    release(&s, &[shared]);
    for object in [sub, shared, plain] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
    assert_eq!(cl!(clReleaseContext(foreign)), 0);
}

/// In a context with two devices, the memory is for one of them, and its contents move to the other one and back.
#[test]
fn in_a_context_of_two_devices() {
    let mut devices = [null_mut(); 2];
    let mut count = 0;
    let at = devices.as_mut_ptr();
    let code = cl!(clGetDeviceIDs(
        platform(),
        CL_DEVICE_TYPE_ALL,
        2,
        at,
        &raw mut count
    ));
    assert_eq!(code, 0);
    if count < 2 {
        let name = "khr_external_memory::in_a_context_of_two_devices";
        run_exactly(&[name], "VK_DRIVER_FILES", &two_drivers());
        return;
    }
    let other = vulkan();
    let exported = other.exported_buffer(1024);
    other.write(exported, &[1; 1024]);
    let (context, code) = created!(clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
    assert_eq!(code, 0);
    let [first, second] = devices.map(|device| {
        let (queue, code) = created!(clCreateCommandQueue(context, device, 0));
        assert_eq!(code, 0);
        Setup {
            device,
            context,
            queue,
        }
    });
    let (list, of) = (CL_MEM_DEVICE_HANDLE_LIST_KHR, second.device.addr() as u64);
    let fd = other.fd(exported) as u64;
    assert_eq!(buffer(&first, &[FD, fd, 0], 1024).1, CL_INVALID_DEVICE);
    let (shared, code) = buffer(&first, &[FD, fd, list, of, 0, 0], 1024);
    assert_eq!(code, 0);
    let wrong = cl!(clEnqueueAcquireExternalMemObjectsKHR(
        first.queue,
        1,
        &raw const shared,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(wrong, CL_INVALID_COMMAND_QUEUE);

    let source = "kernel void f(global uchar *p) { p[get_global_id(0)] += get_global_id(0); }";
    for (round, start) in [1u8, 100].into_iter().enumerate() {
        other.write(exported, &[start; 1024]);
        acquire(&second, &[shared]);
        assert_eq!(cl!(clFinish(second.queue)), 0);
        launch(&first, source, shared, &[1024]);
        assert_eq!(cl!(clFinish(first.queue)), 0);
        release(&second, &[shared]);
        let wanted: Vec<u8> = (0..1024).map(|i| start.wrapping_add(i as u8)).collect();
        assert!(other.read(exported) == wanted, "round {round}");
    }
    assert_eq!(cl!(clReleaseMemObject(shared)), 0);
    // Each of the two releases the context.
    assert_eq!(cl!(clRetainContext(context)), 0);
}
