//! cl_khr_cooperative_matrix, revision 1.0.0 of the working draft.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use crate::common::objects::{device, platform};
use crate::common::*;
use crate::{cl, query, query_bytes, query_text};

const DEFAULT_VARIANTS: u32 = 0x1078;
const VARIANTS: u32 = 0x1079;
const ALIGNMENT: u32 = 0x107A;
const STRIDE: u32 = 0x107B;

/// Runs the tests of this file where matrices are emulated.
#[test]
fn emulated() {
    crate::common::again::run_tests("khr_cooperative_matrix::", "CALDERA_MATRICES", "emulate");
}

/// Runs the tests of this file where matrices are switched off.
#[test]
fn switched_off() {
    crate::common::again::run_tests("khr_cooperative_matrix::", "CALDERA_MATRICES", "off");
}

type Query =
    unsafe extern "C" fn(cl_device_id, u32, usize, *const c_void, usize, *mut c_void, *mut usize) -> cl_int;

/// Calls clGetDeviceCooperativeMatrixInfoKHR, with this input value and memory for a result. Returns the code and the size.
fn ask(device: cl_device_id, name: u32, input: Option<&[u8]>, to: Option<&mut [u8]>) -> (cl_int, usize) {
    const NAME: &CStr = c"clGetDeviceCooperativeMatrixInfoKHR";
    let found = cl!(clGetExtensionFunctionAddressForPlatform(
        platform(),
        NAME.as_ptr()
    ));
    assert!(!found.is_null());
    // SAFETY: this is the type that the draft has for the function.
    let call: Query = unsafe { std::mem::transmute(found) };
    let (input_size, input) = input.map_or((4, null()), |i| (i.len(), i.as_ptr()));
    let (size, to) = to.map_or((0, null_mut()), |to| (to.len(), to.as_mut_ptr()));
    let mut needed = usize::MAX;
    // SAFETY: the pointers are null or have the sizes that are given.
    let code = unsafe {
        call(
            device,
            name,
            input_size,
            input.cast(),
            size,
            to.cast(),
            &raw mut needed,
        )
    };
    (code, needed)
}

fn variants(name: u32, input: Option<&[u8]>) -> Vec<[u32; 8]> {
    let (code, size) = ask(device(), name, input, None);
    assert_eq!((code, size % 32), (0, 0));
    let mut bytes = vec![0; size];
    assert_eq!(ask(device(), name, input, Some(&mut bytes)), (0, size));
    let words = bytes
        .chunks(4)
        .map(|b| u32::from_ne_bytes(b.try_into().expect("four bytes")));
    words
        .collect::<Vec<u32>>()
        .chunks(8)
        .map(|v| v.try_into().expect("eight words"))
        .collect()
}

fn is_offered() -> bool {
    let extensions = query_text!(clGetDeviceInfo(device(); CL_DEVICE_EXTENSIONS));
    extensions.split(' ').any(|e| e == "cl_khr_cooperative_matrix")
}

#[test]
fn queries() {
    let d = device();
    assert_eq!(ask(null_mut(), DEFAULT_VARIANTS, None, None).0, CL_INVALID_DEVICE);
    if std::env::var("CALDERA_MATRICES").is_ok_and(|v| v == "off") {
        assert!(!is_offered());
    }
    if !is_offered() {
        // lavapipe has no matrices of its own.
        assert_ne!(std::env::var("CALDERA_MATRICES").as_deref(), Ok("emulate"));
        assert_eq!(ask(d, DEFAULT_VARIANTS, None, None).0, CL_INVALID_OPERATION);
        let code = |name| cl!(clGetDeviceInfo(d, name, 0, null_mut(), null_mut()));
        assert_eq!([code(ALIGNMENT), code(STRIDE)], [CL_INVALID_VALUE; 2]);
        return;
    }
    let all = variants(DEFAULT_VARIANTS, None);
    assert!(!all.is_empty());
    for [m, n, k, a, b, c, result, saturates] in &all {
        assert!(*m > 0 && *n > 0 && *k > 0 && *saturates <= 1);
        assert!([a, b, c, result].iter().all(|ty| **ty <= 10));
        // Floats do not saturate.
        assert!(*saturates == 0 || *result > 2);
    }
    for (n, variant) in all.iter().enumerate() {
        assert!(!all[..n].contains(variant), "{variant:?} is there twice");
    }
    let subgroup = query!(clGetDeviceInfo(d; CL_DEVICE_MAX_NUM_SUB_GROUPS) as u32);
    assert!(subgroup > 0);
    // The device has one size of sub-groups, and its matrices are for that size.
    let of_size = |size: u32| variants(VARIANTS, Some(&size.to_ne_bytes()));
    assert_eq!(of_size(3), Vec::<[u32; 8]>::new());
    let with_any = (0..8).map(|n| of_size(1 << n)).filter(|list| !list.is_empty());
    assert_eq!(with_any.collect::<Vec<_>>(), [all]);
    let numbers = [ALIGNMENT, STRIDE].map(|name| query!(clGetDeviceInfo(d; name) as u32));
    assert!(numbers.iter().all(|n| n.is_power_of_two()), "{numbers:?}");
    let bytes = query_bytes!(clGetDeviceInfo(d; CL_DEVICE_SPIRV_CAPABILITIES));
    let has = bytes.chunks(4).any(|b| b == 6022u32.to_ne_bytes());
    assert!(has, "the capability CooperativeMatrixKHR");
}

/// The errors that the draft lists.
#[test]
fn errors() {
    if !is_offered() {
        assert_ne!(std::env::var("CALDERA_MATRICES").as_deref(), Ok("emulate"));
        return;
    }
    let d = device();
    let size = 8u32.to_ne_bytes();
    for (name, input, to, why) in [
        (0x1077, Some(&size[..]), 64, "the name is no query"),
        (
            ALIGNMENT,
            Some(&size[..]),
            64,
            "the name is a query of clGetDeviceInfo",
        ),
        (DEFAULT_VARIANTS, None, 31, "the memory is too small"),
        (VARIANTS, None, 4096, "there is no input value"),
        (VARIANTS, Some(&size[..2]), 4096, "the input value is too short"),
        (VARIANTS, Some(&[0; 8][..]), 4096, "the input value is too long"),
    ] {
        let mut memory = vec![0; to];
        assert_eq!(
            ask(d, name, input, Some(&mut memory)).0,
            CL_INVALID_VALUE,
            "{why}"
        );
    }
}
