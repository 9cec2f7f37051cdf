//! The functions that the library exports, and those of the dispatch table.

use std::path::Path;
use std::process::Command;

use crate::common::{NAMES, library, objects, symbol};

/// Exported functions of extensions and later versions, and the one that `cargo harness doctor` uses.
const OTHERS: &[&str] = &[
    "clCreateCommandQueueWithPropertiesKHR",
    "clGetDeviceCooperativeMatrixInfoKHR",
    "clGetDeviceFeatureReportCALDERA",
    "clGetKernelSuggestedLocalWorkSizeKHR",
    "clIcdGetPlatformIDsKHR",
];

/// Returns the functions that a library exports, sorted.
fn exports(library: &Path) -> Vec<String> {
    let nm = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library)
        .output()
        .expect("nm (binutils) is installed");
    let text = String::from_utf8(nm.stdout).expect("UTF-8");
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|l| {
            let mut fields = l.split_whitespace().skip(1);
            let name = fields.next().filter(|kind| *kind == "T").and(fields.next())?;
            Some(name.split('@').next().unwrap_or(name).to_owned())
        })
        .collect();
    names.sort_unstable();
    names
}

/// The library exports the API and the other functions of the loader, and nothing else. So a program that was
/// linked with the loader finds every function that it imports.
#[test]
fn exports_what_the_loader_exports() {
    let find = Command::new("gcc")
        .arg("-print-file-name=libOpenCL.so")
        .output()
        .expect("gcc is installed");
    let loader = String::from_utf8(find.stdout).expect("UTF-8");
    let loader = exports(Path::new(loader.trim()));
    assert!(
        loader.len() > 100,
        "is an OpenCL loader installed (ocl-icd-opencl-dev)?"
    );
    let ours = exports(&library());
    let missing: Vec<_> = loader
        .iter()
        .filter(|n| n.starts_with("cl") && ours.binary_search(n).is_err())
        .collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
    let expected = |n: &str| NAMES.contains(&n) || OTHERS.contains(&n) || loader.iter().any(|l| l == n);
    let more: Vec<_> = ours.iter().filter(|n| !expected(n)).collect();
    assert!(more.is_empty(), "exported: {more:?}");
    for name in NAMES.iter().chain(OTHERS) {
        assert!(ours.iter().any(|n| n == name), "not exported: {name}");
    }
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
    // A handle points to the address of the table. The table has the order of cl_icd.h, which begins with these two
    // functions.
    let platform = objects::platform().cast::<*const *const std::ffi::c_void>();
    // SAFETY: the first word to which a handle points is the dispatch pointer (cl_khr_icd).
    let table = unsafe { platform.read() };
    let slots = size_of::<opencl_sys::cl_icd::cl_icd_dispatch>() / size_of::<usize>();
    // SAFETY: the table has the size of the struct in the headers.
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
