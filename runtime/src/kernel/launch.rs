//! What clEnqueueNDRangeKernel runs: a kernel with its argument values and an NDRange (CL 5.8).

use std::sync::Arc;

use super::pipeline::DeviceKernel;
use crate::mem::Buffer;
use crate::sampler::Sampler;

/// Bytes of a POD argument; short ones are kept without allocation.
#[derive(Clone, Debug)]
pub struct PodBytes(Pod);

#[derive(Clone, Debug)]
enum Pod {
    Short { len: u8, bytes: [u8; 30] },
    Long(Box<[u8]>),
}

impl PodBytes {
    /// Copies the bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut short = [0; 30];
        PodBytes(match short.get_mut(..bytes.len()) {
            Some(head) => {
                head.copy_from_slice(bytes);
                Pod::Short {
                    len: bytes.len() as u8,
                    bytes: short,
                }
            }
            None => Pod::Long(bytes.into()),
        })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Pod::Short { len, bytes } => &bytes[..usize::from(*len)],
            Pod::Long(bytes) => bytes,
        }
    }
}

/// The value of a kernel argument. Kind and size fit the kernel's reflection (clSetKernelArg has checked).
#[derive(Clone, Debug, Default)]
pub enum ArgValue {
    /// clSetKernelArg has not been called.
    #[default]
    Unset,
    /// A plain value.
    Pod(PodBytes),
    /// A buffer for a global or constant pointer; `None` is a null pointer.
    Buffer(Option<Arc<Buffer>>),
    /// Bytes of local memory.
    Local(usize),
    /// A sampler.
    Sampler(Arc<Sampler>),
}

/// A launch, as the application asks for it; [`crate::queue::CommandQueue::enqueue_ndrange`] does all checks of
/// CL 5.8 on it.
#[derive(Copy, Clone, Debug)]
pub struct NdRange<'a> {
    /// The kernel, built for the queue's device.
    pub kernel: &'a Arc<DeviceKernel>,
    /// One per kernel argument.
    pub args: &'a [ArgValue],
    /// `work_dim`, unchecked.
    pub work_dim: u32,
    /// `global_work_offset`; 0 if it was NULL, and in unused dimensions.
    pub offset: [usize; 3],
    /// `global_work_size`; 1 in unused dimensions, 0 if it was NULL.
    pub global: [usize; 3],
    /// `local_work_size`; 1 in unused dimensions, `None` if it was NULL.
    pub local: Option<[usize; 3]>,
}
