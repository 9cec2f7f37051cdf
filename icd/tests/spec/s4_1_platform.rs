//! CL 4.1

use std::ptr::null_mut;

use crate::common::objects::platform;
use crate::common::*;
use crate::{cl, query, query_text};

#[test]
fn get_platform_ids() {
    let mut count = 7;
    assert_eq!(cl!(clGetPlatformIDs(0, null_mut(), &raw mut count)), 0);
    assert_eq!(count, 1);
    let mut list = [null_mut(); 3];
    assert_eq!(cl!(clGetPlatformIDs(3, list.as_mut_ptr(), &raw mut count)), 0);
    assert!(!list[0].is_null() && list[1].is_null());
    // INVALID_VALUE if num_entries is 0 and platforms is not NULL
    assert_eq!(
        cl!(clGetPlatformIDs(0, list.as_mut_ptr(), &raw mut count)),
        CL_INVALID_VALUE
    );
    // INVALID_VALUE if both num_platforms and platforms are NULL
    assert_eq!(cl!(clGetPlatformIDs(1, null_mut(), null_mut())), CL_INVALID_VALUE);
}

#[test]
fn platform_info() {
    let p = platform();
    assert_eq!(
        query_text!(clGetPlatformInfo(p; CL_PLATFORM_PROFILE)),
        "FULL_PROFILE"
    );
    let version = query_text!(clGetPlatformInfo(p; CL_PLATFORM_VERSION));
    assert!(version.starts_with("OpenCL 1.2 Caldera "), "{version}");
    assert_eq!(query_text!(clGetPlatformInfo(p; CL_PLATFORM_NAME)), "Caldera");
    assert!(!query_text!(clGetPlatformInfo(p; CL_PLATFORM_VENDOR)).is_empty());
    let extensions = query_text!(clGetPlatformInfo(p; CL_PLATFORM_EXTENSIONS));
    assert!(extensions.split(' ').any(|e| e == "cl_khr_icd"), "{extensions}");
    assert_eq!(
        query_text!(clGetPlatformInfo(p; CL_PLATFORM_ICD_SUFFIX_KHR)),
        "CLDR"
    );
    assert_eq!(
        query!(clGetPlatformInfo(p; CL_PLATFORM_NUMERIC_VERSION) as u32),
        0x0040_2000
    );
}

#[test]
fn platform_info_errors() {
    let p = platform();
    let mut one = [0u8; 1];
    let code = cl!(clGetPlatformInfo(
        p,
        0x1234,
        1,
        one.as_mut_ptr().cast(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE, "unknown param_name");
    let code = cl!(clGetPlatformInfo(
        p,
        CL_PLATFORM_NAME,
        1,
        one.as_mut_ptr().cast(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE, "param_value_size too small");
    assert_eq!(one, [0], "nothing is written");
    assert_eq!(cl!(clUnloadPlatformCompiler(p)), 0);
    assert_eq!(cl!(clUnloadCompiler()), 0);
}
