//! The devices of an implementation, with the properties that the harness needs.

use super::library::{self, Platform, Table};
use super::{Handle, Kind, answer, call, check, created, done, lacks, text};
use crate::Failure;
use crate::types::little_endian;
use opencl_sys::*;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

pub(crate) struct Device {
    pub(super) table: &'static Table,
    pub(super) raw: cl_device_id,
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
    /// Whether the device has atomic functions of 64 bits.
    pub(crate) has_long_atomics: bool,
    /// Whether an option makes division and square root of float correctly rounded.
    pub(crate) divides_correctly: bool,
    /// The number of work-items that have a matrix of cl_khr_cooperative_matrix together.
    pub(crate) matrix_items: Option<usize>,
    pub(crate) has_native_kernels: bool,
    pub(crate) has_out_of_order_queues: bool,
    pub(crate) global_memory: u64,
    pub(crate) largest_buffer: u64,
    pub(crate) largest_group: usize,
    /// The alignment of sub-buffers in bytes.
    pub(crate) alignment: usize,
    /// The sizes in bytes of the formats whose CL_DEVICE_*_FP_CONFIG has CL_FP_DENORM.
    keeps_subnormals: Vec<usize>,
}

// SAFETY: OpenCL's functions may be called from any thread (CL 1.2, A.2), and a device is a handle.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// Returns all devices of a library, which is a file or a name that the dynamic linker finds. A platform that
/// cannot be asked for its devices is only an error if no other platform has a device.
pub(crate) fn open(library: &str) -> Result<Vec<Device>, Failure> {
    let (mut devices, mut failure) = (Vec::new(), None);
    for platform in library::platforms(library)? {
        match platform.devices() {
            Ok(more) => devices.extend(more),
            Err(why) => failure = Some(why),
        }
    }
    match failure {
        Some(why) if devices.is_empty() => Err(why),
        _ => Ok(devices),
    }
}

/// CL_DEVICE_SUB_GROUP_SIZES_INTEL, in ascending order.
const SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;

impl Platform {
    fn devices(&self) -> Result<Vec<Device>, Failure> {
        let name = text(&answer!(self.clGetPlatformInfo(self.raw, CL_PLATFORM_NAME))?);
        let (kind, mut count) = (CL_DEVICE_TYPE_ALL, 0);
        let code = call!(self.clGetDeviceIDs(self.raw, kind, 0, null_mut(), &raw mut count))?;
        if code != CL_SUCCESS || count == 0 {
            return Ok(Vec::new());
        }
        let mut all = vec![null_mut(); count as usize];
        done!(self.clGetDeviceIDs(self.raw, kind, count, all.as_mut_ptr(), null_mut()))?;
        all.into_iter()
            .map(|raw| Device::new(self.table, &name, raw))
            .collect()
    }
}

impl Device {
    fn new(table: &'static Table, platform: &str, raw: cl_device_id) -> Result<Device, Failure> {
        let device = Asked { table, raw };
        let number = |what| device.number(what);
        let extensions = device.text(CL_DEVICE_EXTENSIONS)?;
        let has = |name: &str| extensions.split_whitespace().any(|e| e == name);
        let kind = number(CL_DEVICE_TYPE)?;
        let native = number(CL_DEVICE_EXECUTION_CAPABILITIES)? & CL_EXEC_NATIVE_KERNEL;
        let out_of_order = number(CL_DEVICE_QUEUE_PROPERTIES)? & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let formats = [
            (2, CL_DEVICE_HALF_FP_CONFIG),
            (4, CL_DEVICE_SINGLE_FP_CONFIG),
            (8, CL_DEVICE_DOUBLE_FP_CONFIG),
        ];
        let matrix_items = match has("cl_khr_cooperative_matrix") {
            true => device.numbers(SUB_GROUP_SIZES_INTEL)?.last().copied(),
            false => None,
        };
        let keeps = |what| number(what).unwrap_or(0) & CL_FP_DENORM != 0;
        Ok(Device {
            table,
            raw,
            platform: platform.to_owned(),
            name: device.text(CL_DEVICE_NAME)?,
            driver: device.text(CL_DRIVER_VERSION)?,
            version: device.text(CL_DEVICE_VERSION)?,
            kind,
            is_cpu: kind & CL_DEVICE_TYPE_CPU != 0,
            has_images: number(CL_DEVICE_IMAGE_SUPPORT)? != 0,
            has_half: has("cl_khr_fp16"),
            has_double: has("cl_khr_fp64") || number(CL_DEVICE_DOUBLE_FP_CONFIG).unwrap_or(0) != 0,
            has_long_atomics: has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"),
            divides_correctly: number(CL_DEVICE_SINGLE_FP_CONFIG).unwrap_or(0)
                & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                != 0,
            matrix_items,
            has_native_kernels: native != 0,
            has_out_of_order_queues: out_of_order != 0,
            global_memory: number(CL_DEVICE_GLOBAL_MEM_SIZE)?,
            largest_buffer: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
            largest_group: usize::try_from(number(CL_DEVICE_MAX_WORK_GROUP_SIZE)?)?,
            alignment: (number(CL_DEVICE_MEM_BASE_ADDR_ALIGN)? as usize / 8).max(1),
            keeps_subnormals: formats
                .into_iter()
                .filter_map(|(n, what)| keeps(what).then_some(n))
                .collect(),
        })
    }

    /// Returns whether the device supports subnormal numbers in the format of this many bytes.
    pub(crate) fn keeps_subnormals(&self, bytes: usize) -> bool {
        self.keeps_subnormals.contains(&bytes)
    }

    /// Creates a queue of the device in a context.
    pub(crate) fn queue(&self, context: &Handle, properties: u64) -> Result<Handle, Failure> {
        let raw = created!(self.clCreateCommandQueue(context.raw(), self.raw, properties))?;
        Ok(Handle::new(self.table, raw, Kind::Queue))
    }

    /// Returns Caldera's report on the device, with one line per feature that says whether it is offered, or
    /// why not.
    pub(crate) fn feature_report(&self) -> Result<String, Failure> {
        const NAME: &CStr = c"clGetDeviceFeatureReportCALDERA";
        type Report = unsafe extern "C" fn(cl_device_id, usize, *mut c_char, *mut usize) -> cl_int;
        let address = call!(self.clGetExtensionFunctionAddress(NAME.as_ptr()))?;
        // SAFETY: Caldera documents this type for the function with this name; a null pointer is `None`.
        let report = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Option<Report>>(address) };
        let report = report.ok_or_else(|| lacks(&NAME.to_string_lossy()))?;
        let ask = |size, to, actual| {
            // SAFETY: `to` is null or has `size` bytes.
            check(
                unsafe { report(self.raw, size, to, actual) },
                "the feature report",
            )
        };
        let mut size = 0;
        ask(0, null_mut(), &raw mut size)?;
        let mut answer = vec![0u8; size];
        ask(size, answer.as_mut_ptr().cast(), null_mut())?;
        Ok(text(&answer))
    }
}

/// A device whose properties are not known yet.
struct Asked {
    table: &'static Table,
    raw: cl_device_id,
}

impl Asked {
    fn text(&self, what: cl_uint) -> Result<String, Failure> {
        Ok(text(&answer!(self.clGetDeviceInfo(self.raw, what))?))
    }

    fn number(&self, what: cl_uint) -> Result<u64, Failure> {
        Ok(little_endian(&answer!(self.clGetDeviceInfo(self.raw, what))?))
    }

    /// Returns the numbers of an answer that is an array of size_t.
    fn numbers(&self, what: cl_uint) -> Result<Vec<usize>, Failure> {
        let bytes = answer!(self.clGetDeviceInfo(self.raw, what))?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|n| usize::from_ne_bytes(*n)).collect())
    }
}

/// Creates a context with devices of one platform.
pub(crate) fn context(devices: &[Device]) -> Result<Handle, Failure> {
    let all: Vec<cl_device_id> = devices.iter().map(|d| d.raw).collect();
    let first = devices
        .first()
        .ok_or_else(|| failure!("a context without devices"))?;
    let (count, list) = (all.len() as cl_uint, all.as_ptr());
    let raw = created!(first.clCreateContext(null(), count, list, None, null_mut()))?;
    Ok(Handle::new(first.table, raw, Kind::Context))
}
