//! cl_intel_device_attribute_query: the number of the device and its parts.

use std::ptr::null_mut;

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, query, query_text};

/// Runs the tests of this file with a version that has unified shared memory.
#[test]
fn of_later_versions() {
    again::run_tests("intel_device_attribute_query::", "CALDERA_CL_VERSION", "3.0");
}

/// cl_intel_device_attribute_query, which programs of SYCL rely on: the parts of the device are its compute units.
#[test]
fn device_attributes() {
    let d = Setup::new().device;
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let listed = extensions.contains("cl_intel_device_attribute_query");
    assert_eq!(listed, extensions.contains("cl_intel_unified_shared_memory"));
    if !listed {
        let mut id = 0u32;
        let code = cl!(clGetDeviceInfo(
            d,
            CL_DEVICE_ID_INTEL,
            4,
            (&raw mut id).cast(),
            null_mut()
        ));
        assert_eq!(code, CL_INVALID_VALUE);
        return;
    }
    let number = |param| query!(clGetDeviceInfo(d; param) as u32);
    assert_eq!(number(CL_DEVICE_IP_VERSION_INTEL), 0);
    let parts = number(CL_DEVICE_NUM_SLICES_INTEL)
        * number(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL)
        * number(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL)
        * number(CL_DEVICE_NUM_THREADS_PER_EU_INTEL);
    assert_eq!(parts, number(CL_DEVICE_MAX_COMPUTE_UNITS));
    let features = query!(clGetDeviceInfo(d; CL_DEVICE_FEATURE_CAPABILITIES_INTEL) as u64);
    assert_eq!(features, 0);
    let _ = number(CL_DEVICE_ID_INTEL);
}
