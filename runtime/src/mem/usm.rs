//! Unified shared memory (cl_intel_unified_shared_memory).
//!
//! An allocation is a buffer whose device address is the pointer that the application gets. Host and shared allocations are
//! in mapped memory that has the same address for the host, so they exist where shared virtual memory does
//! ([`super::svm`]), and are shared virtual memory, too. Nothing ever moves between host and device.
//!
//! A copy takes an address that is in an allocation for that allocation. Where the host does not share the device's addresses,
//! Vulkan does not rule out that one of them is also an address of the host's memory; drivers keep them apart.
//!
//! With several devices in a context, each would have storage of its own, at other addresses, so there is no such memory.

use std::sync::Arc;

use super::svm::{Allocation, SvmPlace};
use super::{Buffer, MemFlags};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};

/// The owner of an allocation; the numbers are those of CL_MEM_ALLOC_TYPE_INTEL.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum UsmKind {
    /// CL_MEM_TYPE_HOST_INTEL.
    Host = 0x4197,
    /// CL_MEM_TYPE_DEVICE_INTEL.
    Device = 0x4198,
    /// CL_MEM_TYPE_SHARED_INTEL.
    Shared = 0x4199,
}

/// What clGetMemAllocInfoINTEL tells about an allocation besides its place.
#[derive(Clone, Debug)]
pub struct Usm {
    /// CL_MEM_ALLOC_TYPE_INTEL.
    pub kind: UsmKind,
    /// CL_MEM_ALLOC_DEVICE_INTEL.
    pub device: Option<Arc<Device>>,
    /// CL_MEM_ALLOC_FLAGS_INTEL.
    pub flags: u64,
}

impl Device {
    /// Returns whether the device can access allocations of a kind.
    pub fn has_usm(&self, kind: UsmKind) -> bool {
        let extensions = &self.info().extensions;
        extensions.contains(&"cl_intel_unified_shared_memory")
            && (kind == UsmKind::Device || self.shares_addresses())
    }
}

impl Context {
    /// Checks that there is memory of a kind: INVALID_OPERATION if no device has it
    pub fn check_usm(&self, kind: UsmKind) -> Result<()> {
        match self.devices() {
            [device] if device.has_usm(kind) => Ok(()),
            _ => Err(Error::new(
                ClCode::InvalidOperation,
                "the context has no unified shared memory of the kind",
            )),
        }
    }

    /// Allocates memory. Returns its address.
    pub fn allocate_usm(self: &Arc<Self>, usm: Usm, size: usize) -> Result<usize> {
        self.check_usm(usm.kind)?;
        const READ_WRITE: u64 = MemFlags::READ_WRITE;
        if usm.kind != UsmKind::Device {
            let flags = MemFlags::from_bits(READ_WRITE | MemFlags::ALLOC_HOST_PTR)?;
            return self.allocate_mapped(flags, size, Some(usm));
        }
        let buffer = Buffer::create(self, MemFlags::from_bits(READ_WRITE)?, size, None)?;
        buffer.expose_addresses()?;
        let address = buffer.exposed_addresses()?[0] as usize;
        let usm = Some(usm);
        self.svm().insert(address, Allocation { buffer, usm });
        Ok(address)
    }

    /// Frees memory; a null pointer has no effect. If `blocking` is set, waits for all commands that were enqueued before, flushed
    /// or not, except those that depend on the application, as a command does that waits for a user event.
    pub fn free_usm(&self, address: usize, blocking: bool) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        // INVALID_VALUE if ptr is neither the address of an allocation nor NULL
        let freed = self.svm().remove(address, true);
        let freed = freed.ok_or_else(|| Error::new(ClCode::InvalidValue, "not an allocation"))?;
        if blocking {
            self.drain();
        }
        // No lock is held when the memory is released.
        drop(freed);
        Ok(())
    }

    /// Returns the allocation that an address belongs to, and the place in it.
    pub fn find_usm(&self, address: usize) -> Option<(SvmPlace, Usm)> {
        let (allocation, offset) = self.svm().find(address)?;
        let usm = allocation.usm?;
        let buffer = allocation.buffer;
        Some((SvmPlace { buffer, offset }, usm))
    }
}
