//! What the library exports, and what the dispatch table holds.

use std::process::Command;

use crate::common::{NAMES, library, objects, symbol};

/// Of extensions, and what `cts-harness doctor` asks.
const OTHERS: &[&str] = &[
    "clCreateCommandQueueWithPropertiesKHR",
    "clGetDeviceFeatureReportCALDERA",
    "clIcdGetPlatformIDsKHR",
];

#[test]
fn exports_the_api_and_nothing_else() {
    let nm = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library())
        .output()
        .expect("nm (binutils) is installed");
    let text = String::from_utf8(nm.stdout).expect("UTF-8");
    let mut exported: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
    exported.sort_unstable();
    let mut expected: Vec<&str> = NAMES.iter().chain(OTHERS).copied().collect();
    expected.sort_unstable();
    assert_eq!(exported, expected);
}

#[test]
fn depends_on_libc_only() {
    let ldd = Command::new("readelf")
        .args(["-d"])
        .arg(library())
        .output()
        .expect("readelf (binutils) is installed");
    let text = String::from_utf8(ldd.stdout).expect("UTF-8");
    for line in text.lines().filter(|l| l.contains("(NEEDED)")) {
        let known = [
            "libc.so",
            "libm.so",
            "libgcc_s.so",
            "ld-linux",
            "libdl.so",
            "libpthread.so",
        ];
        assert!(known.iter().any(|k| line.contains(k)), "{line}");
    }
}

#[test]
fn every_slot_of_the_dispatch_table_is_filled() {
    // A handle starts with the address of the table; the names in the order of cl_icd.h start with these two.
    let platform = objects::platform().cast::<*const *const std::ffi::c_void>();
    // SAFETY: a handle's first word is the dispatch pointer (cl_khr_icd).
    let table = unsafe { platform.read() };
    let slots = size_of::<opencl_sys::cl_icd::cl_icd_dispatch>() / size_of::<usize>();
    // SAFETY: the table has the size of the headers' struct.
    let table = unsafe { std::slice::from_raw_parts(table, slots) };
    assert!(table.iter().all(|slot| !slot.is_null()));
    assert_eq!(table[0], symbol("clGetPlatformIDs").cast_const());
    assert_eq!(table[1], symbol("clGetPlatformInfo").cast_const());
    assert_eq!(table[59], symbol("clEnqueueNDRangeKernel").cast_const());
}

#[test]
fn functions_are_found_by_name() {
    for name in [
        "clIcdGetPlatformIDsKHR",
        "clGetPlatformInfo",
        "clCreateCommandQueueWithPropertiesKHR",
    ] {
        let c_name = std::ffi::CString::new(name).expect("no zero byte");
        let found = crate::cl!(clGetExtensionFunctionAddressForPlatform(
            objects::platform(),
            c_name.as_ptr()
        ));
        assert_eq!(found, symbol(name), "{name}");
        assert_eq!(
            crate::cl!(clGetExtensionFunctionAddress(c_name.as_ptr())),
            symbol(name)
        );
    }
    assert!(crate::cl!(clGetExtensionFunctionAddress(c"clNoSuchThing".as_ptr())).is_null());
    assert!(crate::cl!(clGetExtensionFunctionAddress(std::ptr::null())).is_null());
}
