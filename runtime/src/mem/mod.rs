//! Memory objects (CL 5.2).
//!
//! | to read | modules |
//! |---|---|
//! | first: the kinds of objects | this file, `buffer`, `image`, `pipe`, `properties`, `map`, `destructor_callbacks` |
//! | host memory | `host_ptr`, `host_stores`; copies by the host: `bar_mapping`, `parallel`, `copy_threads` |
//! | contexts with several devices | `residence`, `migrate`, `claim` |
//! | memory that kernels reach by address | `addresses`, `svm`, `usm` |
//! | memory of other APIs | `external` |

pub(crate) mod addresses;
pub(crate) mod bar_mapping;
pub mod buffer;
pub(crate) mod claim;
mod copy_threads;
mod destructor_callbacks;
pub mod external;
pub mod host_ptr;
pub(crate) mod host_stores;
pub mod image;
pub(crate) mod map;
pub(crate) mod migrate;
pub(crate) mod parallel;
pub mod pipe;
mod properties;
pub(crate) mod residence;
pub mod svm;
pub mod usm;

pub use buffer::Buffer;
pub(crate) use host_ptr::HostMemory;
pub use host_ptr::HostPtr;
pub use image::Image;
pub use pipe::Pipe;
pub use properties::Properties;

use std::sync::Arc;

use crate::error::{ClCode, Error, Result};

/// A `cl_mem` object.
#[derive(Clone, Debug)]
pub enum MemObject {
    /// A buffer or sub-buffer.
    Buffer(Arc<Buffer>),
    /// An image.
    Image(Arc<Image>),
}

impl MemObject {
    /// Returns CL_MEM_CONTEXT.
    pub fn context(&self) -> &Arc<crate::context::Context> {
        match self {
            MemObject::Buffer(buffer) => buffer.context(),
            MemObject::Image(image) => image.context(),
        }
    }
}

/// The accesses that kernels may make to a memory object.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum KernelAccess {
    /// CL_MEM_READ_WRITE.
    #[default]
    ReadWrite,
    /// CL_MEM_WRITE_ONLY.
    WriteOnly,
    /// CL_MEM_READ_ONLY.
    ReadOnly,
}

/// The accesses that the host may make to a memory object.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum HostAccess {
    /// No CL_MEM_HOST_* flag.
    #[default]
    ReadWrite,
    /// CL_MEM_HOST_WRITE_ONLY.
    WriteOnly,
    /// CL_MEM_HOST_READ_ONLY.
    ReadOnly,
    /// CL_MEM_HOST_NO_ACCESS.
    NoAccess,
}

impl HostAccess {
    /// Returns whether clEnqueueRead* and mapping for reading are allowed.
    pub fn can_read(self) -> bool {
        matches!(self, HostAccess::ReadWrite | HostAccess::ReadOnly)
    }

    /// Returns whether clEnqueueWrite* and mapping for writing are allowed.
    pub fn can_write(self) -> bool {
        matches!(self, HostAccess::ReadWrite | HostAccess::WriteOnly)
    }
}

/// The use of the host pointer and of host memory that the flags ask for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum HostPtrUse {
    /// There is no host pointer.
    #[default]
    None,
    /// CL_MEM_USE_HOST_PTR: the application's memory is the storage.
    Use,
    /// CL_MEM_ALLOC_HOST_PTR: the storage is memory that the host can access.
    Alloc,
    /// CL_MEM_COPY_HOST_PTR: the host pointer gives the initial contents.
    Copy,
    /// CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR: both.
    AllocCopy,
}

/// `cl_mem_flags` that have been checked.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MemFlags {
    /// Access by kernels.
    pub kernel: KernelAccess,
    /// Access by the host.
    pub host: HostAccess,
    /// Use of the host pointer.
    pub host_ptr: HostPtrUse,
    bits: u64,
}

impl MemFlags {
    const READ_WRITE: u64 = 1;
    const WRITE_ONLY: u64 = 1 << 1;
    const READ_ONLY: u64 = 1 << 2;
    const USE_HOST_PTR: u64 = 1 << 3;
    const ALLOC_HOST_PTR: u64 = 1 << 4;
    const COPY_HOST_PTR: u64 = 1 << 5;
    const HOST_WRITE_ONLY: u64 = 1 << 7;
    const HOST_READ_ONLY: u64 = 1 << 8;
    const HOST_NO_ACCESS: u64 = 1 << 9;
    const KERNEL: u64 = Self::READ_WRITE | Self::WRITE_ONLY | Self::READ_ONLY;
    const HOST: u64 = Self::HOST_WRITE_ONLY | Self::HOST_READ_ONLY | Self::HOST_NO_ACCESS;
    const HOST_PTR: u64 = Self::USE_HOST_PTR | Self::ALLOC_HOST_PTR | Self::COPY_HOST_PTR;

    /// Checks flags. CL 5.2.1, table 5.3: INVALID_VALUE for unknown bits and for bits that exclude each other.
    pub fn from_bits(bits: u64) -> Result<MemFlags> {
        let invalid = |what| Err(Error::new(ClCode::InvalidValue, what).at("5.2.1"));
        if bits & !(Self::KERNEL | Self::HOST | Self::HOST_PTR) != 0 {
            return invalid("unknown memory flags");
        }
        let kernel = match bits & Self::KERNEL {
            0 | Self::READ_WRITE => KernelAccess::ReadWrite,
            Self::WRITE_ONLY => KernelAccess::WriteOnly,
            Self::READ_ONLY => KernelAccess::ReadOnly,
            _ => return invalid("CL_MEM_READ_WRITE, _WRITE_ONLY and _READ_ONLY exclude each other"),
        };
        let host = match bits & Self::HOST {
            0 => HostAccess::ReadWrite,
            Self::HOST_WRITE_ONLY => HostAccess::WriteOnly,
            Self::HOST_READ_ONLY => HostAccess::ReadOnly,
            Self::HOST_NO_ACCESS => HostAccess::NoAccess,
            _ => return invalid("CL_MEM_HOST_* flags exclude each other"),
        };
        const ALLOC_COPY: u64 = MemFlags::ALLOC_HOST_PTR | MemFlags::COPY_HOST_PTR;
        let host_ptr = match bits & Self::HOST_PTR {
            0 => HostPtrUse::None,
            Self::USE_HOST_PTR => HostPtrUse::Use,
            Self::ALLOC_HOST_PTR => HostPtrUse::Alloc,
            Self::COPY_HOST_PTR => HostPtrUse::Copy,
            ALLOC_COPY => HostPtrUse::AllocCopy,
            _ => {
                return invalid(
                    "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR",
                );
            }
        };
        Ok(MemFlags {
            kernel,
            host,
            host_ptr,
            bits,
        })
    }

    /// Returns CL_MEM_FLAGS as the application gave them.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// Returns the flags of a sub-buffer of a buffer with these flags. CL 5.2.1, clCreateSubBuffer: a
    /// sub-buffer inherits the access flags that it does not specify; INVALID_VALUE if it widens its parent's
    /// access or specifies host-pointer flags, which are the parent's.
    pub(crate) fn for_sub_buffer(self, bits: u64) -> Result<MemFlags> {
        let invalid = |what| Err(Error::new(ClCode::InvalidValue, what).at("5.2.1"));
        if bits & Self::HOST_PTR != 0 {
            return invalid("a sub-buffer has its buffer's host-pointer flags");
        }
        let asked = MemFlags::from_bits(bits)?;
        let widens = match (self.kernel, asked.kernel) {
            _ if bits & Self::KERNEL == 0 => false,
            (KernelAccess::ReadWrite, _) => false,
            (KernelAccess::WriteOnly, k) => k != KernelAccess::WriteOnly,
            (KernelAccess::ReadOnly, k) => k != KernelAccess::ReadOnly,
        };
        let widens_host = match (self.host, asked.host) {
            _ if bits & Self::HOST == 0 => false,
            (HostAccess::ReadWrite, _) | (_, HostAccess::NoAccess) => false,
            (HostAccess::WriteOnly, h) => h != HostAccess::WriteOnly,
            (HostAccess::ReadOnly, h) => h != HostAccess::ReadOnly,
            (HostAccess::NoAccess, _) => true,
        };
        if widens || widens_host {
            return invalid("a sub-buffer may not widen its buffer's access");
        }
        let kernel = if bits & Self::KERNEL == 0 {
            self.bits & Self::KERNEL
        } else {
            bits & Self::KERNEL
        };
        let host = if bits & Self::HOST == 0 {
            self.bits & Self::HOST
        } else {
            bits & Self::HOST
        };
        MemFlags::from_bits(kernel | host | (self.bits & Self::HOST_PTR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(bits: u64) -> MemFlags {
        MemFlags::from_bits(bits).expect("valid")
    }

    #[test]
    fn exclusive_bits_are_refused() {
        for bits in [
            1 | 2,
            1 | 4,
            2 | 4,
            8 | 16,
            8 | 32,
            1 << 6,
            1 << 7 | 1 << 8,
            1 << 7 | 1 << 9,
            1 << 40,
        ] {
            assert!(MemFlags::from_bits(bits).is_err(), "{bits:#x}");
        }
        assert_eq!(flags(16 | 32).host_ptr, HostPtrUse::AllocCopy);
        assert_eq!(flags(0).kernel, KernelAccess::ReadWrite);
    }

    #[test]
    fn sub_buffers_inherit_and_do_not_widen() {
        let parent = flags(4 | 8 | 1 << 8);
        let sub = parent.for_sub_buffer(0).expect("inherits");
        assert_eq!(
            (sub.kernel, sub.host, sub.host_ptr),
            (parent.kernel, parent.host, parent.host_ptr)
        );
        assert!(parent.for_sub_buffer(1).is_err());
        assert!(parent.for_sub_buffer(1 << 7).is_err());
        assert!(parent.for_sub_buffer(32).is_err());
        assert_eq!(
            parent.for_sub_buffer(1 << 9).expect("narrows").host,
            HostAccess::NoAccess
        );
    }
}
