//! CL 4.1: the platform.

use std::ffi::c_void;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::platform::Platform;

use crate::abi::*;
use crate::args::{Array, Ptr};
use crate::entry;
use crate::out::{self, Info};

/// Makes a version number, as the macro `CL_MAKE_VERSION` of the headers does.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    (major << 22) | (minor << 12) | patch
}

/// Makes the version number of an OpenCL version.
pub(crate) fn opencl_version((major, minor): (u32, u32)) -> cl_version {
    version(major, minor, 0)
}

/// Returns the version of an extension: that of its text in the OpenCL specification.
fn extension_version(name: &str) -> cl_version {
    match name {
        "cl_khr_icd" | "cl_khr_integer_dot_product" => version(2, 0, 0),
        "cl_ext_buffer_device_address" => version(1, 0, 2),
        "cl_intel_unified_shared_memory" => version(1, 2, 0),
        "cl_khr_semaphore" | "cl_khr_external_memory" | "cl_khr_external_semaphore" => version(1, 0, 1),
        "cl_khr_command_buffer" => version(0, 9, 8),
        "cl_khr_command_buffer_mutable_dispatch" => version(0, 9, 5),
        _ => version(1, 0, 0),
    }
}

/// Returns the names of extensions with their versions.
pub(crate) fn with_versions<'a>(names: impl Iterator<Item = &'a str>) -> Vec<cl_name_version> {
    names
        .map(|name| name_version(extension_version(name), name))
        .collect()
}

/// Makes a `cl_name_version`. A name that does not fit is cut off.
pub(crate) fn name_version(version: cl_version, name: &str) -> cl_name_version {
    let mut entry = cl_name_version {
        version,
        name: [0; CL_NAME_VERSION_MAX_NAME_SIZE],
    };
    // The last byte stays zero, so the name is zero-terminated.
    for (to, from) in entry.name[..CL_NAME_VERSION_MAX_NAME_SIZE - 1]
        .iter_mut()
        .zip(name.bytes())
    {
        *to = from;
    }
    entry
}

/// Checks that a handle is the platform. CL 4.1 and 4.2 leave the meaning of NULL to the implementation; here it is the
/// platform too.
pub(crate) fn check(platform: Ptr<c_void>) -> Result<()> {
    if platform.is_null() {
        return Ok(());
    }
    crate::handle::borrow::<Platform>(platform).map(drop)
}

/// Lists the platform. If no device is usable there is no platform; the call then reports 0 platforms and returns the
/// error of [`Platform::get`].
fn list(num_entries: cl_uint, platforms: Array<cl_platform_id>, num_platforms: Ptr<cl_uint>) -> Result<()> {
    // CL 4.1: INVALID_VALUE if num_entries is 0 and platforms is not NULL, or both num_platforms and platforms are
    // NULL
    if (num_entries == 0 && !platforms.is_null()) || (platforms.is_null() && num_platforms.is_null()) {
        return Err(Error::new(ClCode::InvalidValue, "no room for platforms").at("4.1"));
    }
    match Platform::get() {
        Ok(platform) => {
            out::counted(&[object::handle(platform)], platforms, num_platforms);
            Ok(())
        }
        Err(e) => {
            num_platforms.write(0);
            Err(e)
        }
    }
}

entry! {
    /// CL 4.1 — clGetPlatformIDs
    fn clGetPlatformIDs(num_entries: cl_uint, platforms: *mut cl_platform_id [num_entries], num_platforms: *mut cl_uint) {
        list(num_entries, platforms, num_platforms)
    }
}

entry! {
    /// cl_khr_icd — clIcdGetPlatformIDsKHR
    fn clIcdGetPlatformIDsKHR(num_entries: cl_uint, platforms: *mut cl_platform_id [num_entries], num_platforms: *mut cl_uint) {
        list(num_entries, platforms, num_platforms)
    }
}

entry! {
    /// CL 4.1 — clGetPlatformInfo
    fn clGetPlatformInfo(
        platform: cl_platform_id,
        param_name: cl_platform_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        check(platform)?;
        let info = Info::new(param_value, param_value_size_ret);
        let has = |name| Platform::get().is_ok_and(|platform| platform.extensions().contains(&name));
        match param_name {
            CL_PLATFORM_PROFILE => info.text(Platform::PROFILE),
            CL_PLATFORM_VERSION => info.text(&Platform::version()),
            CL_PLATFORM_NAME => info.text(Platform::NAME),
            CL_PLATFORM_VENDOR => info.text(Platform::VENDOR),
            CL_PLATFORM_EXTENSIONS => info.text(&Platform::get()?.extensions().join(" ")),
            CL_PLATFORM_ICD_SUFFIX_KHR => info.text(Platform::ICD_SUFFIX),
            CL_PLATFORM_NUMERIC_VERSION => info.value(opencl_version(Platform::numeric_version())),
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
                info.slice(&with_versions(Platform::get()?.extensions().into_iter()))
            }
            // The unit of the host's clock, which is also that of profiling.
            CL_PLATFORM_HOST_TIMER_RESOLUTION => info.value(1u64),
            CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR if has("cl_khr_external_memory") => {
                info.slice(&super::external::numbers(&Platform::get()?.shared(|d| &d.external_memory)))
            }
            CL_PLATFORM_SEMAPHORE_TYPES_KHR if has("cl_khr_semaphore") => {
                info.value(CL_SEMAPHORE_TYPE_BINARY_KHR)
            }
            CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR if has("cl_khr_external_semaphore") => {
                info.slice(&super::semaphore::numbers(&Platform::get()?.shared(|d| &d.semaphore_imports)))
            }
            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR if has("cl_khr_external_semaphore") => {
                info.slice(&super::semaphore::numbers(&Platform::get()?.shared(|d| &d.semaphore_exports)))
            }
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
