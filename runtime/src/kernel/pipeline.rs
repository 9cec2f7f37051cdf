//! A program on a device: shader module, constant data, and the pipelines of its kernels.
//!
//! A pipeline is a kernel specialised for a work-group size, a size of the local arena and, if the kernel asks for
//! it, a work dimension. Variants are made on first use and kept with the module.

use std::sync::Arc;

use crate::device::Device;
use crate::error::{ClCode, Error, Result};

/// A SPIR-V module on a device.
#[derive(Debug)]
pub struct DeviceModule {
    device: Arc<Device>,
}

/// A kernel of a [`DeviceModule`].
#[derive(Debug)]
pub struct DeviceKernel {
    module: Arc<DeviceModule>,
}

impl DeviceModule {
    /// Hands a module to the driver and uploads its constant data. `words` is what the compiler emitted for
    /// [`Device::target`]; its reflection is read here.
    pub fn new(device: &Arc<Device>, words: &[u32]) -> Result<Arc<DeviceModule>> {
        let _ = (device, words);
        Err(Error::new(ClCode::InvalidOperation, "not implemented yet"))
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The kernel of that name.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Option<Arc<DeviceKernel>> {
        let _ = name;
        None
    }
}

impl DeviceKernel {
    /// The module.
    pub fn module(&self) -> &Arc<DeviceModule> {
        &self.module
    }

    /// CL_KERNEL_WORK_GROUP_SIZE.
    pub fn max_work_group_size(&self) -> usize {
        self.module.device.info().max_work_group_size
    }

    /// CL_KERNEL_LOCAL_MEM_SIZE without `__local` arguments.
    pub fn local_mem_size(&self) -> u64 {
        0
    }

    /// CL_KERNEL_PRIVATE_MEM_SIZE.
    pub fn private_mem_size(&self) -> u64 {
        0
    }
}
