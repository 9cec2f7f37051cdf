//! OpenCL for the measurements of the harness: one implementation that is opened by path, and the few objects
//! that are needed.
//!
//! The harness enters an ICD in the same way as a loader does, through the dispatch table of its platforms.
//! Thus it can measure two implementations in one process regardless of the loader's configuration, and
//! without the loader's overhead. A library without `clIcdGetPlatformIDsKHR` (a loader or its replacement) is
//! entered through the functions that it exports.

mod functions;
mod image;
mod objects;
mod queue;
mod signature;

pub(crate) use functions::open;
pub(crate) use image::{Image, Pixels};
pub(crate) use objects::{Argument, Buffer, Context, Kernel, Program};
pub(crate) use queue::{Queue, Range};
pub(crate) use signature::{Parameter, Signature};

use crate::Failure;
use functions::Functions;
use opencl_sys::{
    CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_EXTENSIONS, CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_HALF_FP_CONFIG,
    CL_DEVICE_IMAGE_SUPPORT, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_NAME,
    CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
    CL_FP_DENORM, CL_SUCCESS, cl_device_id, cl_int,
};

/// A device, with the properties that the harness needs.
pub(crate) struct Device {
    functions: &'static Functions,
    raw: cl_device_id,
    /// CL_PLATFORM_NAME.
    pub(crate) platform: String,
    pub(crate) name: String,
    pub(crate) driver: String,
    pub(crate) version: String,
    /// The bits of CL_DEVICE_TYPE.
    pub(crate) kind: u64,
    pub(crate) is_cpu: bool,
    pub(crate) has_images: bool,
    pub(crate) has_half: bool,
    pub(crate) has_double: bool,
    pub(crate) global_memory: u64,
    pub(crate) largest_buffer: u64,
    pub(crate) largest_group: usize,
    /// The sizes in bytes of the formats whose CL_DEVICE_*_FP_CONFIG has CL_FP_DENORM.
    keeps_subnormals: Vec<usize>,
}

impl Device {
    fn new(functions: &'static Functions, platform: &str, raw: cl_device_id) -> Result<Device, Failure> {
        let text = |what| functions.device_text(raw, what);
        let number = |what| functions.device_number(raw, what);
        let size = |what| number(what).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let extensions = text(CL_DEVICE_EXTENSIONS)?;
        let has = |name: &str| extensions.split_whitespace().any(|e| e == name);
        let kind = number(CL_DEVICE_TYPE)?;
        Ok(Device {
            functions,
            raw,
            platform: platform.to_owned(),
            name: text(CL_DEVICE_NAME)?,
            driver: text(CL_DRIVER_VERSION)?,
            version: text(CL_DEVICE_VERSION)?,
            kind,
            is_cpu: kind & CL_DEVICE_TYPE_CPU != 0,
            has_images: number(CL_DEVICE_IMAGE_SUPPORT)? != 0,
            has_half: has("cl_khr_fp16"),
            has_double: has("cl_khr_fp64") || number(CL_DEVICE_DOUBLE_FP_CONFIG).unwrap_or(0) != 0,
            global_memory: number(CL_DEVICE_GLOBAL_MEM_SIZE)?,
            largest_buffer: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
            largest_group: size(CL_DEVICE_MAX_WORK_GROUP_SIZE)?,
            keeps_subnormals: [
                (2, CL_DEVICE_HALF_FP_CONFIG),
                (4, CL_DEVICE_SINGLE_FP_CONFIG),
                (8, CL_DEVICE_DOUBLE_FP_CONFIG),
            ]
            .into_iter()
            .filter_map(|(bytes, what)| (number(what).unwrap_or(0) & CL_FP_DENORM != 0).then_some(bytes))
            .collect(),
        })
    }

    /// Returns whether the device supports subnormal numbers in the format of this many bytes.
    pub(crate) fn keeps_subnormals(&self, bytes: usize) -> bool {
        self.keeps_subnormals.contains(&bytes)
    }
}

fn check(code: cl_int, call: &str) -> Result<(), Failure> {
    if code == CL_SUCCESS {
        Ok(())
    } else {
        Err(Failure(format!("{call} gave {code}")))
    }
}
