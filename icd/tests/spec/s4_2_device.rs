//! CL 4.2 and 4.3

use std::ptr::{null, null_mut};

use crate::common::objects::{device, platform};
use crate::common::*;
use crate::{cl, query, query_bytes, query_text};

#[test]
fn get_device_ids() {
    let p = platform();
    let mut count = 0;
    assert_eq!(
        cl!(clGetDeviceIDs(
            p,
            CL_DEVICE_TYPE_ALL,
            0,
            null_mut(),
            &raw mut count
        )),
        0
    );
    assert!(count >= 1);
    let mut list = vec![null_mut(); count as usize];
    assert_eq!(
        cl!(clGetDeviceIDs(
            p,
            CL_DEVICE_TYPE_ALL,
            count,
            list.as_mut_ptr(),
            null_mut()
        )),
        0
    );
    assert!(list.iter().all(|d| !d.is_null()));
    // The same device has the same handle.
    assert!(list.contains(&device()));
    // INVALID_VALUE if num_entries is 0 and devices is not NULL, or both are NULL
    let code = cl!(clGetDeviceIDs(
        p,
        CL_DEVICE_TYPE_ALL,
        0,
        list.as_mut_ptr(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    assert_eq!(
        cl!(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    // INVALID_DEVICE_TYPE if device_type is not a valid value
    for bad in [0, 1 << 20, 1 << 40] {
        assert_eq!(
            cl!(clGetDeviceIDs(p, bad, 0, null_mut(), &raw mut count)),
            CL_INVALID_DEVICE_TYPE
        );
    }
    // DEVICE_NOT_FOUND if no devices match
    let code = cl!(clGetDeviceIDs(
        p,
        CL_DEVICE_TYPE_CUSTOM,
        0,
        null_mut(),
        &raw mut count
    ));
    assert_eq!(code, CL_DEVICE_NOT_FOUND);
}

#[test]
fn device_info_meets_the_full_profile() {
    let d = device();
    assert_eq!(
        query!(clGetDeviceInfo(d; CL_DEVICE_PLATFORM) as usize),
        platform().addr()
    );
    assert!(!query_text!(clGetDeviceInfo(d; CL_DEVICE_NAME)).is_empty());
    assert!(query_text!(clGetDeviceInfo(d; CL_DEVICE_VERSION)).starts_with("OpenCL 1.2 "));
    assert!(query_text!(clGetDeviceInfo(d; CL_DEVICE_OPENCL_C_VERSION)).starts_with("OpenCL C 1.2 "));
    assert_eq!(
        query!(clGetDeviceInfo(d; CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) as u32),
        3
    );
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize) >= 1);
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_MAX_COMPUTE_UNITS) as u32) >= 1);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_ADDRESS_BITS) as u32), 64);
    let global = query!(clGetDeviceInfo(d; CL_DEVICE_GLOBAL_MEM_SIZE) as u64);
    let one = query!(clGetDeviceInfo(d; CL_DEVICE_MAX_MEM_ALLOC_SIZE) as u64);
    assert!(
        one >= (global / 4).min(128 << 20) && one <= global,
        "{one} of {global}"
    );
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_MAX_PARAMETER_SIZE) as usize) >= 1024);
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) as u64) >= 64 << 10);
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_MAX_CONSTANT_ARGS) as u32) >= 8);
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_LOCAL_MEM_SIZE) as u64) >= 32 << 10);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_ENDIAN_LITTLE) as u32), 1);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_AVAILABLE) as u32), 1);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_COMPILER_AVAILABLE) as u32), 1);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_LINKER_AVAILABLE) as u32), 1);
    let execution = query!(clGetDeviceInfo(d; CL_DEVICE_EXECUTION_CAPABILITIES) as u64);
    assert_ne!(execution & CL_EXEC_KERNEL, 0);
    let queues = query!(clGetDeviceInfo(d; CL_DEVICE_QUEUE_PROPERTIES) as u64);
    assert_ne!(queues & CL_QUEUE_PROFILING_ENABLE, 0);
    let single = query!(clGetDeviceInfo(d; CL_DEVICE_SINGLE_FP_CONFIG) as u64);
    assert_eq!(
        single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN),
        CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN
    );
    // CL 4.2: a device with doubles must have all of these capabilities.
    let double = query!(clGetDeviceInfo(d; CL_DEVICE_DOUBLE_FP_CONFIG) as u64);
    assert!(double == 0 || double & 0x3f == 0x3f, "{double:#x}");
    assert!(query!(clGetDeviceInfo(d; CL_DEVICE_PRINTF_BUFFER_SIZE) as usize) >= 1 << 20);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_REFERENCE_COUNT) as u32), 1);
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_PARENT_DEVICE) as usize), 0);
}

#[test]
fn a_cpus_clock_and_cache_are_the_systems() {
    let d = device();
    let clock = query!(clGetDeviceInfo(d; CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32);
    let cache = query!(clGetDeviceInfo(d; CL_DEVICE_GLOBAL_MEM_CACHE_TYPE) as u32);
    let size = query!(clGetDeviceInfo(d; CL_DEVICE_GLOBAL_MEM_CACHE_SIZE) as u64);
    let line = query!(clGetDeviceInfo(d; CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE) as u32);
    assert_eq!(size == 0, cache == CL_NONE);
    assert_eq!(line == 0, cache == CL_NONE);
    if query!(clGetDeviceInfo(d; CL_DEVICE_TYPE) as u64) == CL_DEVICE_TYPE_CPU {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        assert!(clock > 0 || !cpuinfo.contains("cpu MHz"), "{clock} MHz");
        let told = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache/index0/size").exists();
        assert_eq!(size > 0, told, "{size} bytes");
    }
}

#[test]
fn queries_of_later_headers() {
    let d = device();
    assert_eq!(
        query!(clGetDeviceInfo(d; CL_DEVICE_NUMERIC_VERSION) as u32),
        0x0040_2000
    );
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let with_version = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS_WITH_VERSION));
    assert_eq!(
        with_version.len(),
        extensions.split_whitespace().count() * size_of::<cl_name_version>()
    );
    assert_eq!(query!(clGetDeviceInfo(d; CL_DEVICE_SVM_CAPABILITIES) as u64), 0);
}

#[test]
fn every_query_answers_its_size_first() {
    let d = device();
    for param in (0x1000..0x1080).chain([0x4000, 0x4001]) {
        let mut size = usize::MAX;
        let code = cl!(clGetDeviceInfo(d, param, 0, null_mut(), &raw mut size));
        if code != 0 {
            assert_eq!(code, CL_INVALID_VALUE, "{param:#x}");
            continue;
        }
        let mut bytes = vec![0u8; size + 1];
        bytes[size] = 0xA5;
        let code = cl!(clGetDeviceInfo(
            d,
            param,
            size,
            bytes.as_mut_ptr().cast(),
            null_mut()
        ));
        assert_eq!(code, 0, "{param:#x}");
        assert_eq!(bytes[size], 0xA5, "{param:#x} writes beyond its size");
        if size > 0 {
            let code = cl!(clGetDeviceInfo(
                d,
                param,
                size - 1,
                bytes.as_mut_ptr().cast(),
                null_mut()
            ));
            assert_eq!(code, CL_INVALID_VALUE, "{param:#x} with too little room");
        }
    }
}

#[test]
fn sub_devices() {
    let d = device();
    let properties = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    let mut out = null_mut();
    let code = cl!(clCreateSubDevices(
        d,
        properties.as_ptr(),
        1,
        &raw mut out,
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    assert_eq!(
        cl!(clCreateSubDevices(d, null(), 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clRetainDevice(d)), 0);
    assert_eq!(cl!(clReleaseDevice(d)), 0);
    assert_eq!(cl!(clReleaseDevice(d)), 0, "root-level devices are not counted");
}

/// CL_DRIVER_VERSION differs between processes that refuse each other's binaries, because their settings make other code: programs
/// keep binaries in files and look for them by this version. Settings that do not change the code do not change it.
#[test]
fn the_version_of_the_driver_follows_the_code() {
    const SAME: &str = "DRIVER_VERSION_OF_THE_SAME_CODE";
    const OTHER: &str = "DRIVER_VERSION_OF_OTHER_CODE";
    let version = query_text!(clGetDeviceInfo(device(); CL_DRIVER_VERSION));
    assert!(version.contains("; code "), "{version}");
    if let Ok(other) = std::env::var(OTHER) {
        return assert_ne!(version, other);
    }
    if let Ok(same) = std::env::var(SAME) {
        return assert_eq!(version, same);
    }
    let again = |variables: &[(&str, &str)]| {
        let test = "s4_2_device::the_version_of_the_driver_follows_the_code";
        crate::common::again::run_exactly_with(&[test], variables);
    };
    again(&[(SAME, &version), ("CALDERA_LOG", "warn")]);
    for (name, value) in [
        ("CALDERA_ABI", "descriptor"),
        ("CALDERA_CALIBRATION", "off"),
        ("CALDERA_CHECK", "all"),
        ("CALDERA_DEBUG", "nvidia-faults"),
    ] {
        again(&[(OTHER, &version), (name, value)]);
    }
}

/// The report names each optional feature, and follows the rules of the `clGet*Info` calls.
#[test]
fn feature_report() {
    type Report = unsafe extern "C" fn(cl_device_id, usize, *mut std::ffi::c_void, *mut usize) -> i32;
    // SAFETY: this is the type that Caldera documents for the function.
    let report: Report = unsafe { std::mem::transmute(symbol("clGetDeviceFeatureReportCALDERA")) };
    let mut size = 0;
    // SAFETY: with a null value the call writes the size only.
    assert_eq!(unsafe { report(device(), 0, null_mut(), &raw mut size) }, 0);
    let mut text = vec![0u8; size];
    let to = text.as_mut_ptr().cast();
    // SAFETY: the buffer has `size` bytes.
    assert_eq!(unsafe { report(device(), size, to, null_mut()) }, 0);
    let text = String::from_utf8(text).expect("UTF-8");
    for feature in ["cl_khr_fp64", "cl_khr_fp16", "cl_khr_int64", "images", "printf"] {
        assert!(
            text.lines().any(|l| l.starts_with(feature)),
            "{feature} is not in\n{text}"
        );
    }
    // SAFETY: the buffer has one byte, as stated.
    let code = unsafe { report(device(), 1, (&raw mut size).cast(), null_mut()) };
    assert_eq!(code, CL_INVALID_VALUE);
    // SAFETY: the handle may be anything, and the other pointers are null.
    let code = unsafe { report(null_mut(), 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_DEVICE);
}

/// Tests of optional features do nothing if the device lacks them. The driver of continuous integration must
/// therefore offer all of them.
#[test]
fn nothing_that_tests_need_is_missing_on_lavapipe() {
    let device = device();
    if !query_text!(clGetDeviceInfo(device; CL_DEVICE_NAME)).contains("llvmpipe") {
        return;
    }
    assert_eq!(query!(clGetDeviceInfo(device; CL_DEVICE_IMAGE_SUPPORT) as u32), 1);
    let extensions = query_text!(clGetDeviceInfo(device; CL_DEVICE_EXTENSIONS));
    for extension in [
        "cl_khr_fp16",
        "cl_khr_fp64",
        "cl_khr_int64_base_atomics",
        "cl_khr_int64_extended_atomics",
        "cl_khr_3d_image_writes",
        "cl_khr_depth_images",
    ] {
        assert!(
            extensions.split(' ').any(|e| e == extension),
            "{extension} is missing"
        );
    }
}
