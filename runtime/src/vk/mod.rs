//! Vulkan: the only module that names ash or gpu_allocator.
//!
//! **Contract.** These wrappers are thin. They own handles, destroy them in order, and keep alive the objects
//! that they were made from. Ranges of buffers, queries, push constants and layers are asserted where they are
//! recorded. All other validation is the caller's duty: texels are inside their images, objects belong to the
//! same device, alignment rules hold, features are present; each safety comment says who checks that. The errors
//! that come out ([`VkError`], [`AllocError`]) are therefore only those that a correct caller cannot foresee: there
//! is no memory, the device is lost, a driver refuses a shader, or there is no driver at all. An impossible state
//! is a bug of the runtime and panics.
//!
//! **External synchronisation** is enforced by the borrow checker or by a lock: a function that Vulkan wants
//! externally synchronised takes `&mut self` (a [`Recorder`]) or locks inside (a [`Queue`], the allocator).
//!
//! **Lifetime on the GPU.** A wrapper does not know whether the GPU still uses its object. The caller that
//! submits must keep buffers, pipelines and recorders alive until the timeline has reached the submission's
//! value; batches of `crate::queue` hold `Arc`s for that. The safety comments here call this *the batch rule*.
//!
//! | to read | modules |
//! |---|---|
//! | first: from the loader to a device | `instance`, `facts` and `features` (what a physical device has), `device`, `queue` |
//! | devices that are older, or pretend to be | `chain`, `older`, `fences`, `mask` |
//! | memory and its objects | `memory`, `buffer`, `import`, `image`, `format`, `sampler`, `sparse` |
//! | commands | `recorder`, `transfer`, `descriptor`, `pipeline`, `query`, `sync`, `matrix` |
//! | sharing with other APIs | `external`, `semaphore` |
//! | what is quick | `tuning`; for the clock of NVIDIA GPUs `nvml` and `cuda` |
//! | finding faults | `debug`, `lost`, `statistics`, `reorder`, `fault` |
#![allow(unsafe_code, reason = "this module is the boundary to the driver")]

mod buffer;
mod chain;
mod cuda;
mod debug;
mod descriptor;
mod device;
mod external;
mod facts;
mod fault;
mod features;
mod fences;
mod format;
mod image;
mod import;
mod instance;
mod lost;
mod mask;
mod matrix;
mod memory;
mod nvml;
mod older;
mod pipeline;
mod query;
mod queue;
mod recorder;
mod reorder;
mod sampler;
mod semaphore;
mod sparse;
mod statistics;
mod sync;
mod transfer;
mod tuning;

pub(crate) use buffer::{Buffer, Place};
pub(crate) use cuda::CudaContext;
pub(crate) use debug::message_count;
pub(crate) use descriptor::{
    Descriptor, DescriptorKind, FixedSet, PipelineLayout, RecycledSets, Set, SetLayout, Slot,
    descriptor_pool_count,
};
pub(crate) use device::Device;
pub(crate) use external::External;
pub use external::MemoryHandle;
pub(crate) use facts::{Facts, PciAddress, PhysicalType};
pub(crate) use format::{Format, FormatUse, Holder};
pub(crate) use image::{Image, ImageInfo, Shape, TexelBuffer, Texels};
pub(crate) use instance::{PhysicalDevice, Source};
pub(crate) use nvml::nvml_clock;
#[cfg(test)]
pub(crate) use pipeline::depends_on_subgroups;
pub(crate) use pipeline::{Pipeline, PipelineCache, Shader, uses_matrices, uses_subgroups};
pub(crate) use query::TimestampPool;
pub(crate) use queue::Queue;
pub(crate) use recorder::{ArgsSet, CopyRegion, Recorder, Writers};
pub(crate) use sampler::Sampler;
pub use semaphore::SemaphoreHandle;
pub(crate) use semaphore::{SemaphoreHandles, SharedSemaphore, SharedSemaphores};
pub(crate) use sync::Timeline;
pub(crate) use transfer::{Clear, ImageCopy};
pub(crate) use tuning::{ChunkSizes, Tuning};

use ash::vk;

/// The reason why a Vulkan call failed, as far as the runtime distinguishes reasons.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There is no host memory left.
    HostMemory,
    /// There is no device memory left, or no further object of its type can be made.
    DeviceMemory,
    /// The device is lost.
    DeviceLost,
    /// There is no driver, layer, extension or feature.
    Absent,
    /// A handle of another API is refused.
    Handle,
    /// Anything else.
    Other,
}

/// A Vulkan call that failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{call}: {result}")]
pub(crate) struct VkError {
    call: &'static str,
    result: String,
    failure: Failure,
}

impl VkError {
    fn new(call: &'static str, result: vk::Result) -> Self {
        let failure = match result {
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => Failure::HostMemory,
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_TOO_MANY_OBJECTS => {
                Failure::DeviceMemory
            }
            vk::Result::ERROR_DEVICE_LOST => Failure::DeviceLost,
            vk::Result::ERROR_INCOMPATIBLE_DRIVER
            | vk::Result::ERROR_LAYER_NOT_PRESENT
            | vk::Result::ERROR_EXTENSION_NOT_PRESENT
            | vk::Result::ERROR_FEATURE_NOT_PRESENT => Failure::Absent,
            vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => Failure::Handle,
            _ => Failure::Other,
        };
        VkError {
            call,
            result: format!("{result:?}"),
            failure,
        }
    }

    fn absent(call: &'static str, why: impl std::fmt::Display) -> Self {
        VkError {
            call,
            result: why.to_string(),
            failure: Failure::Absent,
        }
    }

    fn handle(call: &'static str, why: impl std::fmt::Display) -> Self {
        VkError {
            failure: Failure::Handle,
            ..VkError::absent(call, why)
        }
    }

    /// Returns the reason of the failure.
    pub(crate) fn failure(&self) -> Failure {
        self.failure
    }
}

/// Adds the name of the call to a failed result.
trait Call<T> {
    fn call(self, call: &'static str) -> Result<T, VkError>;
}

impl<T> Call<T> for Result<T, vk::Result> {
    fn call(self, call: &'static str) -> Result<T, VkError> {
        self.map_err(|e| VkError::new(call, e))
    }
}

/// The reason why memory could not be allocated.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum AllocError {
    /// A Vulkan call failed.
    #[error(transparent)]
    Vulkan(#[from] VkError),
    /// gpu-allocator refused the allocation.
    #[error("gpu-allocator: {0}")]
    Allocator(String),
    /// The memory, which must be a single allocation, is larger than the device's limit for one. The field is
    /// its size in bytes.
    #[error("{0} bytes are more than the device allocates at once")]
    TooLarge(u64),
}

impl AllocError {
    /// Returns whether the allocation may succeed once other memory has been freed.
    pub(crate) fn is_shortage(&self) -> bool {
        match self {
            AllocError::Vulkan(e) => matches!(e.failure(), Failure::HostMemory | Failure::DeviceMemory),
            AllocError::Allocator(_) => true,
            AllocError::TooLarge(_) => false,
        }
    }
}
