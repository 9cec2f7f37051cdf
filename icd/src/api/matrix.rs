//! cl_khr_cooperative_matrix, revision 1.0.0 of its working draft (KhronosGroup/OpenCL-Docs, pull request 1533, of
//! 2026-01-23). Names and numbers are provisional: the draft may change, and the headers do not have them yet.

use std::ffi::c_void;

use caldera_runtime::device::{Device, MatrixVariant};
use caldera_runtime::error::{ClCode, Error};

use crate::abi::*;
use crate::out::Info;
use crate::{entry, handle};

/// CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR.
const DEFAULT_VARIANTS: cl_uint = 0x1078;
/// CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR.
const VARIANTS: cl_uint = 0x1079;
/// CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR, a query of clGetDeviceInfo.
pub(super) const ALIGNMENT: cl_uint = 0x107A;
/// CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR, a query of clGetDeviceInfo.
pub(super) const STRIDE: cl_uint = 0x107B;

/// Returns the members of cl_device_cooperative_matrix_variant_khr, which all have 32 bits.
fn members(variant: &MatrixVariant) -> [cl_uint; 8] {
    let [m, n, k] = variant.size;
    let [a, b, c, result] = variant.types.map(|ty| ty as cl_uint);
    [m, n, k, a, b, c, result, variant.saturates.into()]
}

entry! {
    /// cl_khr_cooperative_matrix — clGetDeviceCooperativeMatrixInfoKHR
    fn clGetDeviceCooperativeMatrixInfoKHR(
        device: cl_device_id,
        param_name: cl_uint,
        input_value_size: size_t,
        input_value: *const c_void [input_value_size],
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let device = handle::borrow::<Device>(device)?;
        let variants = &device.info().matrix_variants;
        // INVALID_OPERATION if device does not support the extension
        if variants.is_empty() {
            let why = "the device does not have cl_khr_cooperative_matrix";
            return Err(Error::new(ClCode::InvalidOperation, why));
        }
        let info = Info::new(param_value, param_value_size_ret);
        let has_size = match param_name {
            DEFAULT_VARIANTS => true,
            VARIANTS => {
                // INVALID_VALUE if an input value is required and input_value is NULL, or its size does not match
                let input = (input_value_size == size_of::<cl_uint>()).then(|| input_value.value::<cl_uint>());
                let why = "input_value is no cl_uint";
                let size = input.flatten().ok_or_else(|| Error::new(ClCode::InvalidValue, why))?;
                device.sub_group_size() == Some(size as usize)
            }
            _ => return info.unknown(param_name).map(drop),
        };
        let all: Vec<[cl_uint; 8]> = variants.iter().filter(|_| has_size).map(members).collect();
        info.slice(&all).map(drop)
    }
}
