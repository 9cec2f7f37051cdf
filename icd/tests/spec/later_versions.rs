//! OpenCL 2.0 to 3.1: entry points and queries that every device answers, and what changes when the platform reports a
//! later version (`CALDERA_CL_VERSION`).

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use crate::common::objects::{Setup, context, device, platform};
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

/// Returns whether this process reports OpenCL 3.1.
fn is_3_1() -> bool {
    std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1")
}

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("later_versions::", "CALDERA_CL_VERSION", "3.1");
}

#[test]
fn versions_agree() {
    let d = device();
    let (text, number, count) = match is_3_1() {
        true => ("OpenCL 3.1 ", 0x00c0_1000u32, 5),
        false => ("OpenCL 1.2 ", 0x0040_2000, 3),
    };
    assert!(query_text!(clGetPlatformInfo(platform(); CL_PLATFORM_VERSION)).starts_with(text));
    assert!(query_text!(clGetDeviceInfo(d; CL_DEVICE_VERSION)).starts_with(text));
    assert_eq!(
        query!(clGetPlatformInfo(platform(); CL_PLATFORM_NUMERIC_VERSION) as u32),
        number
    );
    assert_eq!(
        query!(clGetDeviceInfo(d; CL_DEVICE_NUMERIC_VERSION) as u32),
        number
    );
    let versions = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_OPENCL_C_ALL_VERSIONS));
    assert_eq!(versions.len(), count * size_of::<cl_name_version>());
    assert_eq!(versions[versions.len() - 68..][..4], number.to_ne_bytes());
    let features = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_OPENCL_C_FEATURES));
    assert_eq!(features.is_empty(), !is_3_1());
}

#[test]
fn extensions_with_versions() {
    let d = device();
    let names = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let bytes = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS_WITH_VERSION));
    let listed = bytes.chunks(size_of::<cl_name_version>()).map(|entry| {
        let name = entry[4..].split(|b| *b == 0).next().expect("a name");
        String::from_utf8(name.to_vec()).expect("UTF-8")
    });
    assert!(listed.eq(names.split_whitespace().map(String::from)), "{names}");
    assert!(names.contains("cl_khr_extended_versioning"));
}

/// CL 3.0, 4.1: the platform lists the extensions that all devices have. The tests run with one device.
#[test]
fn extensions_of_the_platform() {
    let text = query_text!(clGetPlatformInfo(platform(); CL_PLATFORM_EXTENSIONS));
    let names: Vec<&str> = text.split(' ').collect();
    assert_eq!(names[..2], ["cl_khr_icd", "cl_khr_extended_versioning"]);
    let of_device = query_text!(clGetDeviceInfo(device(); CL_DEVICE_EXTENSIONS));
    let others = of_device
        .split(' ')
        .filter(|n| *n != "cl_khr_extended_versioning");
    let expected: Vec<&str> = others.filter(|_| is_3_1()).collect();
    assert_eq!(names[2..], expected);
    let bytes = query_bytes!(clGetPlatformInfo(platform(); CL_PLATFORM_EXTENSIONS_WITH_VERSION));
    assert_eq!(bytes.len(), names.len() * size_of::<cl_name_version>());
}

/// cl_ext_float_atomics: the queries agree with the features of OpenCL C.
#[test]
fn float_atomics() {
    let d = device();
    let (single, double, half) = (0x4231, 0x4232, 0x4233);
    if !is_3_1() {
        let code = cl!(clGetDeviceInfo(d, single, 0, null_mut(), null_mut()));
        assert_eq!(code, CL_INVALID_VALUE);
        return;
    }
    let features = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_OPENCL_C_FEATURES));
    let has = |name: &str| features.windows(name.len()).any(|w| w == name.as_bytes());
    let all = 0x0007_0007;
    assert!(has("__opencl_c_ext_fp32_local_atomic_add"));
    assert_eq!(query!(clGetDeviceInfo(d; single) as u64), all);
    let doubles = if has("__opencl_c_ext_fp64_local_atomic_add") {
        all
    } else {
        0
    };
    assert_eq!(query!(clGetDeviceInfo(d; double) as u64), doubles);
    assert_eq!(query!(clGetDeviceInfo(d; half) as u64), 0);
}

/// cl_khr_kernel_clock: the query is valid if the device has the extension, which comes with clocks of two scopes at least.
#[test]
fn kernel_clock() {
    let d = device();
    let has = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS)).contains("cl_khr_kernel_clock");
    assert!(is_3_1() || !has);
    if has {
        let scopes = query!(clGetDeviceInfo(d; CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR) as u64);
        assert!(scopes == 3 || scopes == 7, "{scopes}");
    } else {
        let param = CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR;
        let code = cl!(clGetDeviceInfo(d, param, 0, null_mut(), null_mut()));
        assert_eq!(code, CL_INVALID_VALUE);
    }
}

/// CL 3.0, appendix H: the calls and queries of features that are not offered.
#[test]
fn features_that_are_not_offered() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let (mut byte, mut event) = (0u8, null_mut());
    let memory = (&raw mut byte).cast::<c_void>();
    let mut pointers = [memory];
    let list = pointers.as_mut_ptr();
    let codes = [
        cl!(clEnqueueSVMFree(
            s.queue,
            1,
            list,
            None,
            null_mut(),
            0,
            null(),
            null_mut()
        )),
        cl!(clEnqueueSVMMemcpy(
            s.queue,
            CL_TRUE,
            memory,
            memory,
            0,
            0,
            null(),
            null_mut()
        )),
        cl!(clEnqueueSVMMemFill(
            s.queue,
            memory,
            memory,
            1,
            1,
            0,
            null(),
            null_mut()
        )),
        cl!(clEnqueueSVMMap(
            s.queue,
            CL_TRUE,
            CL_MAP_READ,
            memory,
            1,
            0,
            null(),
            null_mut()
        )),
        cl!(clEnqueueSVMUnmap(s.queue, memory, 0, null(), null_mut())),
        cl!(clEnqueueSVMMigrateMem(
            s.queue,
            1,
            list.cast(),
            null(),
            0,
            0,
            null(),
            null_mut()
        )),
    ];
    let has_svm = query!(clGetDeviceInfo(s.device; CL_DEVICE_SVM_CAPABILITIES) as u64) != 0;
    assert!(has_svm || codes == [CL_INVALID_OPERATION; 6]);
    let program = s.built("kernel void k(global uint *o) { o[0] = 1; }", "");
    let (kernel, _) = created!(clCreateKernel(program, c"k".as_ptr()));
    let codes = [
        cl!(clSetKernelArgSVMPointer(kernel, 0, memory)),
        cl!(clSetKernelExecInfo(
            kernel,
            CL_KERNEL_EXEC_INFO_SVM_PTRS,
            size_of::<usize>(),
            list.cast()
        )),
    ];
    assert!(has_svm || codes == [CL_INVALID_OPERATION; 2]);
    let code = cl!(clSetProgramReleaseCallback(program, None, null_mut()));
    assert_eq!(code, CL_INVALID_OPERATION);
    let has_pipes = query!(clGetDeviceInfo(s.device; CL_DEVICE_PIPE_SUPPORT) as u32) != 0;
    assert!(has_pipes || created!(clCreatePipe(s.context, 0, 4, 4, null())).1 == CL_INVALID_OPERATION);
    for param in [
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    ] {
        assert_eq!(query!(clGetProgramInfo(program; param) as u32), 0);
    }
    let buffer = s.buffer(&[0; 4]);
    assert_eq!(
        query!(clGetMemObjectInfo(buffer; CL_MEM_USES_SVM_POINTER) as u32),
        0
    );
    let to = (&raw mut byte).cast();
    let code = cl!(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 4, to, null_mut()));
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    // Without device-side enqueue, a command that has ended is complete.
    let code = cl!(clEnqueueMarkerWithWaitList(s.queue, 0, null(), &raw mut event));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let [end, complete] = [CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE]
        .map(|p| query!(clGetEventProfilingInfo(event; p) as u64));
    assert_eq!(end, complete);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn identifiers() {
    let d = device();
    let uuid = query!(clGetDeviceInfo(d; CL_DEVICE_UUID) as [u8; 16]);
    let driver = query!(clGetDeviceInfo(d; CL_DRIVER_UUID) as [u8; 16]);
    assert!(uuid != [0; 16] && driver != [0; 16]);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_UUID_KHR) as [u8; 16]), uuid);
    let valid = query!(clGetDeviceInfo(d; CL_DEVICE_LUID_VALID_KHR) as u32);
    let luid = query!(clGetDeviceInfo(d; CL_DEVICE_LUID_KHR) as [u8; 8]);
    assert!(valid == 1 || luid == [0; 8]);
    let has_pci = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS)).contains("cl_khr_pci_bus_info");
    let mut numbers = [0u32; 4];
    let code = cl!(clGetDeviceInfo(
        d,
        CL_DEVICE_PCI_BUS_INFO_KHR,
        16,
        numbers.as_mut_ptr().cast(),
        null_mut()
    ));
    assert_eq!(code, if has_pci { 0 } else { CL_INVALID_VALUE });
}

/// cl_khr_spirv_queries: modules with what is listed are accepted, so each list has at least OpenCL's basis.
#[test]
fn spirv_queries() {
    let d = device();
    let strings = |param| -> Vec<String> {
        let mut size = 0;
        assert_eq!(cl!(clGetDeviceInfo(d, param, 0, null_mut(), &raw mut size)), 0);
        let mut list = vec![null::<std::ffi::c_char>(); size / size_of::<usize>()];
        let to = list.as_mut_ptr().cast();
        assert_eq!(cl!(clGetDeviceInfo(d, param, size, to, null_mut())), 0);
        let text = |p| {
            // SAFETY: the answer is a list of zero-terminated strings, which exist as long as the library.
            unsafe { std::ffi::CStr::from_ptr(p) }
                .to_string_lossy()
                .into_owned()
        };
        list.into_iter().map(text).collect()
    };
    let sets = strings(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS);
    assert_eq!(sets, ["OpenCL.std"]);
    assert!(strings(CL_DEVICE_SPIRV_EXTENSIONS).contains(&"SPV_KHR_no_integer_wrap_decoration".to_owned()));
    let bytes = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_SPIRV_CAPABILITIES));
    let numbers: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| u32::from_ne_bytes(*b))
        .collect();
    // Addresses, Kernel, Linkage.
    assert!([4, 6, 5].iter().all(|n| numbers.contains(n)), "{numbers:?}");
    assert!(numbers.is_sorted());
    // A module that declares all of it is built.
    let text = |s: &str| {
        let mut bytes = s.as_bytes().to_vec();
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let words = bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w));
        words.collect::<Vec<u32>>()
    };
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 100, 0];
    let mut op = |opcode: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend(operands);
    };
    numbers.iter().for_each(|n| op(17, &[*n]));
    let extensions = strings(CL_DEVICE_SPIRV_EXTENSIONS);
    extensions.iter().for_each(|e| op(10, &text(e)));
    for (n, set) in (1..).zip(&sets) {
        op(11, &[&[n][..], &text(set)].concat());
    }
    op(14, &[2, 2]);
    op(15, &[&[6, 10][..], &text("k")].concat());
    op(19, &[20]);
    op(33, &[21, 20]);
    op(54, &[20, 10, 0, 21]);
    op(248, &[22]);
    op(253, &[]);
    op(56, &[]);
    let s = Setup::new();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let (program, code) = created!(clCreateProgramWithIL(
        s.context,
        bytes.as_ptr().cast(),
        bytes.len()
    ));
    assert_eq!(code, 0);
    let code = cl!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    assert_eq!(code, 0, "{}", s.log(program));
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn timers() {
    let d = device();
    let (mut host, mut on_device, mut later) = (0u64, 0u64, 0u64);
    let code = cl!(clGetDeviceAndHostTimer(d, &raw mut on_device, &raw mut host));
    assert_eq!(code, 0);
    assert_eq!(cl!(clGetHostTimer(d, &raw mut later)), 0);
    assert!(on_device > 0 && host > 0 && later >= host);
    // The times of profiling are on the device's clock.
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let mut event = null_mut();
    let code = cl!(clEnqueueMarkerWithWaitList(s.queue, 0, null(), &raw mut event));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let end = query!(clGetEventProfilingInfo(event; CL_PROFILING_COMMAND_END) as u64);
    assert_eq!(
        cl!(clGetDeviceAndHostTimer(d, &raw mut on_device, &raw mut host)),
        0
    );
    assert!(end >= later && end <= on_device, "{later} {end} {on_device}");
    assert_eq!(cl!(clReleaseEvent(event)), 0);
    assert_eq!(
        query!(clGetPlatformInfo(platform(); CL_PLATFORM_HOST_TIMER_RESOLUTION) as u64),
        1
    );
    assert_eq!(cl!(clGetHostTimer(d, null_mut())), CL_INVALID_VALUE);
    assert_eq!(cl!(clGetHostTimer(null_mut(), &raw mut host)), CL_INVALID_DEVICE);
    assert_eq!(
        cl!(clGetDeviceAndHostTimer(d, null_mut(), &raw mut host)),
        CL_INVALID_VALUE
    );
    assert_eq!(
        cl!(clGetDeviceAndHostTimer(
            null_mut(),
            &raw mut on_device,
            &raw mut host
        )),
        CL_INVALID_DEVICE
    );
}

/// The copy has the values that the kernel had, and later changes of one do not concern the other.
#[test]
fn clone_kernel() {
    let s = Setup::new();
    let program = s.built(
        "kernel void k(global int *out, int a, local int *l) { l[0] = a; out[0] = l[0]; }",
        "",
    );
    let (kernel, code) = created!(clCreateKernel(program, c"k".as_ptr()));
    assert_eq!(code, 0);
    let buffer = s.buffer(&[0; 4]);
    let set = |kernel, index, value: i32| {
        let value = (&raw const value).cast();
        assert_eq!(cl!(clSetKernelArg(kernel, index, 4, value)), 0);
    };
    let run = |kernel| {
        let one = 1usize;
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const one,
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        i32::from_ne_bytes(s.read(buffer, 4).try_into().expect("4 bytes"))
    };
    let handle = (&raw const buffer).cast();
    assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle)), 0);
    assert_eq!(cl!(clSetKernelArg(kernel, 2, 4, null())), 0);
    set(kernel, 1, 7);
    let (copy, code) = created!(clCloneKernel(kernel));
    assert_eq!(code, 0);
    assert_ne!(copy, kernel);
    assert_eq!(query!(clGetKernelInfo(copy; CL_KERNEL_REFERENCE_COUNT) as u32), 1);
    assert_eq!(query_text!(clGetKernelInfo(copy; CL_KERNEL_FUNCTION_NAME)), "k");
    set(kernel, 1, 8);
    assert_eq!((run(copy), run(kernel)), (7, 8));
    set(copy, 1, 9);
    assert_eq!((run(kernel), run(copy)), (8, 9));
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(run(copy), 9);
    assert_eq!(cl!(clReleaseKernel(copy)), 0);
    assert_eq!(created!(clCloneKernel(kernel)).1, CL_INVALID_KERNEL);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

static CALLED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(_context: cl_context, user_data: *mut c_void) {
    CALLED.lock().expect("no panic").push(user_data.addr());
}

#[test]
fn context_destructor_callbacks() {
    let c = context(device());
    for n in 1..=3usize {
        let data = std::ptr::without_provenance_mut(n);
        assert_eq!(cl!(clSetContextDestructorCallback(c, Some(note), data)), 0);
    }
    assert_eq!(
        cl!(clSetContextDestructorCallback(c, None, null_mut())),
        CL_INVALID_VALUE
    );
    let (buffer, code) = created!(clCreateBuffer(c, 0, 4, null_mut()));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    assert!(
        CALLED.lock().expect("no panic").is_empty(),
        "the buffer keeps the context"
    );
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    let begin = std::time::Instant::now();
    while CALLED.lock().expect("no panic").len() < 3 {
        assert!(begin.elapsed().as_secs() < 10, "the callbacks are not called");
        std::thread::yield_now();
    }
    assert_eq!(*CALLED.lock().expect("no panic"), [3, 2, 1]);
    assert_eq!(
        cl!(clSetContextDestructorCallback(null_mut(), Some(note), null_mut())),
        CL_INVALID_CONTEXT
    );
}

/// A launch with the suggested size computes what one without a size does, and the size divides the NDRange.
#[test]
fn suggested_local_work_size() {
    let s = Setup::new();
    let source = "kernel void free(global uint *o) { o[get_global_id(0)] = 1; }
        kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global uint *o) { o[0] = 1; }";
    let program = s.built(source, "");
    let (free, _) = created!(clCreateKernel(program, c"free".as_ptr()));
    let (fixed, _) = created!(clCreateKernel(program, c"fixed".as_ptr()));
    let suggest = |kernel, global: &[usize], local: *mut usize| {
        let dim = global.len() as u32;
        cl!(clGetKernelSuggestedLocalWorkSize(
            s.queue,
            kernel,
            dim,
            null(),
            global.as_ptr(),
            local
        ))
    };
    let mut local = [0usize; 3];
    assert_eq!(suggest(free, &[64], local.as_mut_ptr()), CL_INVALID_KERNEL_ARGS);
    let buffer = s.buffer(&[0; 256]);
    for kernel in [free, fixed] {
        let handle = (&raw const buffer).cast();
        assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle)), 0);
    }
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize);
    for global in [&[64][..], &[7], &[24, 6], &[8, 4, 2]] {
        local = [0; 3];
        assert_eq!(suggest(free, global, local.as_mut_ptr()), 0);
        let used = &local[..global.len()];
        assert!(
            global.iter().zip(used).all(|(g, l)| *l > 0 && g % l == 0),
            "{global:?} {local:?}"
        );
        assert!(used.iter().product::<usize>() <= most);
        assert!(
            local[global.len()..].iter().all(|n| *n == 0),
            "beyond the dimensions"
        );
    }
    assert_eq!(suggest(fixed, &[8, 4, 2], local.as_mut_ptr()), 0);
    assert_eq!(local, [4, 2, 1]);
    assert_eq!(suggest(free, &[64], null_mut()), CL_INVALID_VALUE);
    assert_eq!(
        suggest(free, &[0], local.as_mut_ptr()),
        CL_INVALID_GLOBAL_WORK_SIZE
    );
    assert_eq!(suggest(null_mut(), &[64], local.as_mut_ptr()), CL_INVALID_KERNEL);
    assert!(
        !cl!(clGetExtensionFunctionAddressForPlatform(
            platform(),
            c"clGetKernelSuggestedLocalWorkSizeKHR".as_ptr()
        ))
        .is_null()
    );
    assert_eq!(cl!(clReleaseKernel(free)), 0);
    assert_eq!(cl!(clReleaseKernel(fixed)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The lists of properties that objects were created with are returned as they were given.
#[test]
fn property_lists() {
    let s = Setup::new();
    let list = [
        u64::from(CL_QUEUE_PROPERTIES),
        CL_QUEUE_PROFILING_ENABLE,
        CL_QUEUE_PRIORITY_KHR,
        u64::from(CL_QUEUE_PRIORITY_LOW_KHR),
        CL_QUEUE_THROTTLE_KHR,
        u64::from(CL_QUEUE_THROTTLE_HIGH_KHR),
        0,
    ];
    let as_bytes = |list: &[u64]| -> Vec<u8> { list.iter().flat_map(|v| v.to_ne_bytes()).collect() };
    for given in [&list[..], &[0], &[]] {
        let pointer = if given.is_empty() { null() } else { given.as_ptr() };
        let (q, code) = created!(clCreateCommandQueueWithProperties(s.context, s.device, pointer));
        assert_eq!(code, 0, "{given:?}");
        let found = query_bytes!(clGetCommandQueueInfo(q; CL_QUEUE_PROPERTIES_ARRAY));
        assert_eq!(found, as_bytes(given));
        assert_eq!(
            query!(clGetCommandQueueInfo(q; CL_QUEUE_DEVICE_DEFAULT) as usize),
            0
        );
        let mut size = 0u32;
        let to = (&raw mut size).cast();
        let code = cl!(clGetCommandQueueInfo(q, CL_QUEUE_SIZE, 4, to, null_mut()));
        assert_eq!(code, CL_INVALID_COMMAND_QUEUE);
        assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
    }
    for wrong in [
        [CL_QUEUE_PRIORITY_KHR, 3, 0],
        [CL_QUEUE_PRIORITY_KHR, 0, 0],
        [0x1234, 1, 0],
    ] {
        let code = created!(clCreateCommandQueueWithProperties(
            s.context,
            s.device,
            wrong.as_ptr()
        ))
        .1;
        assert_eq!(code, CL_INVALID_VALUE, "{wrong:?}");
    }
    for given in [&[0u64][..], &[]] {
        let pointer = if given.is_empty() { null() } else { given.as_ptr() };
        let (m, code) = created!(clCreateBufferWithProperties(s.context, pointer, 0, 4, null_mut()));
        assert_eq!(code, 0);
        assert_eq!(
            query_bytes!(clGetMemObjectInfo(m; CL_MEM_PROPERTIES)),
            as_bytes(given)
        );
        assert_eq!(cl!(clReleaseMemObject(m)), 0);
    }
    let wrong = [1u64, 1, 0];
    let code = created!(clCreateBufferWithProperties(
        s.context,
        wrong.as_ptr(),
        0,
        4,
        null_mut()
    ))
    .1;
    assert_eq!(code, CL_INVALID_PROPERTY);
}

#[test]
fn no_queues_on_the_device() {
    let s = Setup::new();
    let code = cl!(clSetDefaultDeviceCommandQueue(s.context, s.device, s.queue));
    assert_eq!(code, CL_INVALID_OPERATION);
    let code = cl!(clSetDefaultDeviceCommandQueue(null_mut(), s.device, s.queue));
    assert_eq!(code, CL_INVALID_CONTEXT);
    let code = cl!(clSetDefaultDeviceCommandQueue(s.context, null_mut(), s.queue));
    assert_eq!(code, CL_INVALID_DEVICE);
    assert_eq!(
        query!(clGetDeviceInfo(s.device; CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) as u64),
        0
    );
}

/// Sub-groups are those that the queries describe, if the device has any.
#[test]
fn sub_groups_of_work_groups() {
    let s = Setup::new();
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_NUM_SUB_GROUPS) as u32) as usize;
    let program = s.built("kernel void k(global uint *o) { o[0] = 1; }", "");
    let (kernel, _) = created!(clCreateKernel(program, c"k".as_ptr()));
    let ask = |param, count: usize, to: &mut [usize]| {
        cl!(clGetKernelSubGroupInfo(
            kernel,
            s.device,
            param,
            size_of::<usize>(),
            (&raw const count).cast(),
            size_of_val(to),
            to.as_mut_ptr().cast(),
            null_mut()
        ))
    };
    let mut size = [0usize];
    if most == 0 {
        let code = ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, &mut size);
        assert_eq!(code, CL_INVALID_OPERATION);
    } else {
        assert_eq!(ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, &mut size), 0);
        assert!(size[0] >= 1 && size[0] <= most);
        assert_eq!(ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 1024, &mut size), 0);
        let items = size[0];
        for wide in 1..=3 {
            let mut local = [9usize; 3];
            let code = ask(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 2, &mut local[..wide]);
            assert_eq!(code, 0);
            assert_eq!(local[..wide], [2 * items, 1, 1][..wide]);
        }
        let mut local = [9usize; 3];
        assert_eq!(
            ask(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 1 << 40, &mut local),
            0
        );
        assert_eq!(local, [0; 3]);
        assert_eq!(ask(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, &mut size), 0);
        assert_eq!(size, [0]);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// CL 2.1: an NDRange without work-items is valid. In OpenCL 1.2 it is an error.
#[test]
fn empty_ranges() {
    let s = Setup::new();
    let program = s.built("kernel void k(global uint *o) { o[0] = 1; }", "");
    let (kernel, _) = created!(clCreateKernel(program, c"k".as_ptr()));
    let run = |work_dim, global: *const usize, event: *mut cl_event| {
        cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            work_dim,
            null(),
            global,
            null(),
            0,
            null(),
            event
        ))
    };
    let sizes = [0usize, 4];
    if is_3_1() {
        assert_eq!(run(2, sizes.as_ptr(), null_mut()), CL_INVALID_KERNEL_ARGS);
    }
    let buffer = s.buffer(&[0; 4]);
    let handle = (&raw const buffer).cast();
    assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle)), 0);
    if is_3_1() {
        let mut event = null_mut();
        assert_eq!(run(2, sizes.as_ptr(), &raw mut event), 0);
        assert_eq!(run(1, null(), null_mut()), 0);
        assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
        assert_eq!(
            query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32),
            CL_COMMAND_NDRANGE_KERNEL
        );
        assert_eq!(cl!(clReleaseEvent(event)), 0);
        assert_eq!(s.read(buffer, 4), [0; 4]);
    } else {
        assert_eq!(run(2, sizes.as_ptr(), null_mut()), CL_INVALID_GLOBAL_WORK_SIZE);
    }
    assert_eq!(run(4, sizes.as_ptr(), null_mut()), CL_INVALID_WORK_DIMENSION);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Work-groups may have different sizes in kernels of OpenCL C 3.0, unless a build option or an attribute forbids it.
#[test]
fn uneven_work_groups() {
    let s = Setup::new();
    let d = s.device;
    let offered = query!(clGetDeviceInfo(d; CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) as u32);
    assert_eq!(offered == 1, is_3_1());
    let buffer = s.buffer(&[0; 40]);
    let source = "kernel void free(global int *o) { o[get_global_id(0)] = get_local_size(0); }
        kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(global int *o) {
            o[get_global_id(0)] = get_local_size(0);
        }";
    for (options, name, works) in [
        ("", c"free", false),
        ("-cl-std=CL1.2", c"free", false),
        ("-cl-std=CL3.0", c"free", true),
        ("", c"fixed", false),
        ("-cl-std=CL3.0", c"fixed", true),
        ("-cl-std=CL3.0 -cl-uniform-work-group-size", c"fixed", false),
        ("-cl-std=CL3.1 -cl-uniform-work-group-size", c"free", false),
    ] {
        if options.contains("CL3") && !is_3_1() {
            continue;
        }
        let program = s.built(source, options);
        let (kernel, _) = created!(clCreateKernel(program, name.as_ptr()));
        let handle = (&raw const buffer).cast();
        assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle)), 0);
        let (global, local) = (10usize, 4usize);
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const global,
            &raw const local,
            0,
            null(),
            null_mut()
        ));
        let expected = if works { 0 } else { CL_INVALID_WORK_GROUP_SIZE };
        assert_eq!(code, expected, "{options} {name:?}");
        if works {
            let sizes: Vec<u8> = [4i32, 4, 4, 4, 4, 4, 4, 4, 2, 2]
                .iter()
                .flat_map(|n| n.to_ne_bytes())
                .collect();
            assert_eq!(s.read(buffer, 40), sizes);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// `-cl-std` selects any version that the device lists, and no other.
#[test]
fn versions_of_opencl_c() {
    let s = Setup::new();
    let source = "#if __OPENCL_C_VERSION__ < 300 && defined(__opencl_c_int64)
        #error a feature macro of a later version
        #endif
        #if __OPENCL_C_VERSION__ >= 300 && !defined(__opencl_c_int64)
        #error a feature is missing
        #endif
        kernel void k(global int *o) { o[0] = __OPENCL_C_VERSION__; o[1] = __OPENCL_VERSION__; }";
    for (option, number, later) in [
        ("", 120, false),
        ("-cl-std=CL1.1", 110, false),
        ("-cl-std=CL1.2", 120, false),
        ("-cl-std=CL3.0", 300, true),
        ("-cl-std=CL3.1", 310, true),
    ] {
        if later && !is_3_1() {
            let program = s.program(source);
            let options = std::ffi::CString::new(option).expect("no zero byte");
            let code = cl!(clBuildProgram(
                program,
                0,
                null(),
                options.as_ptr(),
                None,
                null_mut()
            ));
            assert_eq!(code, CL_BUILD_PROGRAM_FAILURE, "{option}");
            assert!(s.log(program).contains("is not supported"));
            assert_eq!(cl!(clReleaseProgram(program)), 0);
            continue;
        }
        let program = s.built(source, option);
        let (kernel, _) = created!(clCreateKernel(program, c"k".as_ptr()));
        let buffer = s.buffer(&[0; 8]);
        let handle = (&raw const buffer).cast();
        assert_eq!(cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle)), 0);
        let code = cl!(clEnqueueTask(s.queue, kernel, 0, null(), null_mut()));
        assert_eq!(code, 0);
        let found = s.read(buffer, 8);
        let newest = if is_3_1() { 310i32 } else { 120 };
        assert_eq!(
            found,
            [i32::to_ne_bytes(number), newest.to_ne_bytes()].concat(),
            "{option}"
        );
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
