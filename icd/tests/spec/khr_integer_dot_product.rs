//! cl_khr_integer_dot_product, revision 2.0.0: the queries. `icd/tests/exec/dot_products.cl` tests the functions.

use crate::common::objects::device;
use crate::common::*;
use crate::vulkan::Vulkan;
use crate::{query, query_bytes};

/// The device is pretended to accelerate all dot products.
const ALL: &str = "nvidia-faults";
/// The same for a device without the feature of Vulkan.
const NONE: &str = "nvidia-faults,device=mali-g610";

#[test]
fn with_all_dot_products() {
    again::run_tests("khr_integer_dot_product::", "CALDERA_DEBUG", ALL);
}

#[test]
fn without_the_feature() {
    again::run_tests("khr_integer_dot_product::", "CALDERA_DEBUG", NONE);
}

/// Both forms of the operands are accelerated where Vulkan accelerates packed ones.
#[test]
fn acceleration_is_that_of_vulkan() {
    let device = device();
    let expected = match std::env::var("CALDERA_DEBUG").as_deref() {
        Ok(ALL) => [true; 6],
        Ok(NONE) => [false; 6],
        _ => {
            let uuid = query_bytes!(clGetDeviceInfo(device; CL_DEVICE_UUID));
            Vulkan::open(uuid.try_into().expect("16 bytes")).accelerated_dot_products()
        }
    };
    for name in [
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED,
    ] {
        assert_eq!(
            query!(clGetDeviceInfo(device; name) as [cl_bool; 6]),
            expected.map(cl_bool::from)
        );
    }
    assert_eq!(
        query!(clGetDeviceInfo(device; CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES) as u64),
        CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT
    );
}
