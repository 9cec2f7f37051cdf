//! Shared virtual memory (CL 2.0, 5.6): coarse-grained buffers.
//!
//! An allocation is a buffer in mapped memory whose device address is also its address in the host's memory. Drivers for
//! CPUs provide such memory; a probe finds out whether a device does. The application accesses the memory between
//! clEnqueueSVMMap and clEnqueueSVMUnmap, which are the mappings of any buffer. Kernels get addresses as those of
//! cl_ext_buffer_device_address (`mem::addresses`).
//!
//! With several devices in a context, each would have storage of its own, at other addresses, so there is no shared memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::usm::{Usm, UsmKind};
use super::{Buffer, MemFlags};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::lock::{Mutex, Rank};

/// An allocation of shared virtual memory or of unified shared memory.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    pub(super) buffer: Arc<Buffer>,
    /// The properties of unified shared memory; `None` for shared virtual memory.
    pub(super) usm: Option<Usm>,
}

/// The allocations of a context, by address.
pub(crate) struct SvmTable(Mutex<BTreeMap<usize, Allocation>>);

impl SvmTable {
    /// Makes an empty table.
    pub(crate) fn new() -> SvmTable {
        SvmTable(Mutex::new(Rank::Cache, BTreeMap::new()))
    }

    pub(super) fn insert(&self, address: usize, allocation: Allocation) {
        self.0.lock().insert(address, allocation);
    }

    /// Removes and returns the allocation that starts at an address: one of unified shared memory if `usm` is set, otherwise one
    /// of shared virtual memory.
    pub(super) fn remove(&self, address: usize, usm: bool) -> Option<Allocation> {
        let mut table = self.0.lock();
        let is_one = table.get(&address).is_some_and(|a| a.usm.is_some() == usm);
        is_one.then(|| table.remove(&address)).flatten()
    }

    /// Returns the allocation that an address belongs to, and the offset in it.
    pub(super) fn find(&self, address: usize) -> Option<(Allocation, usize)> {
        let table = self.0.lock();
        let (start, allocation) = table.range(..=address).next_back()?;
        let offset = address - start;
        ((offset as u64) < allocation.buffer.size()).then(|| (allocation.clone(), offset))
    }
}

/// A place in an allocation.
#[derive(Clone, Debug)]
pub struct SvmPlace {
    /// The allocation.
    pub buffer: Arc<Buffer>,
    /// The offset in bytes.
    pub offset: usize,
}

impl Context {
    /// Returns whether the context has shared virtual memory.
    pub fn has_svm(&self) -> bool {
        match self.devices() {
            [device] => device.shares_addresses(),
            _ => false,
        }
    }

    /// Checks that there is shared virtual memory. CL 2.0, 5.6: INVALID_OPERATION if the device does not support SVM
    pub fn check_svm(&self) -> Result<()> {
        match self.has_svm() {
            true => Ok(()),
            false => Err(Error::new(ClCode::InvalidOperation, "there is no SVM").at("2.0 5.6")),
        }
    }

    /// Allocates shared memory (CL 2.0, 5.6.1, clSVMAlloc). Returns its address. The flags contain
    /// CL_MEM_ALLOC_HOST_PTR.
    pub fn allocate_svm(self: &Arc<Self>, flags: MemFlags, size: usize) -> Result<usize> {
        self.check_svm()?;
        self.allocate_mapped(flags, size, None)
    }

    /// Allocates mapped memory that has the same address for the host and the device.
    pub(super) fn allocate_mapped(
        self: &Arc<Self>,
        flags: MemFlags,
        size: usize,
        usm: Option<Usm>,
    ) -> Result<usize> {
        let buffer = Buffer::create(self, flags, size, None)?;
        buffer.expose_addresses()?;
        let host = buffer.storage(0)?.mapped().map_or(0, |p| p.address());
        // The probe has succeeded, but the driver promises nothing.
        if buffer.exposed_addresses()? != [host as u64] {
            let what = "the host and the device have different addresses for the memory";
            return Err(Error::new(ClCode::OutOfResources, what).at("2.0 5.6.1"));
        }
        // The host may access unified shared memory whenever no command does.
        if usm.is_some() {
            buffer.expect_host_access();
        }
        self.svm().insert(host, Allocation { buffer, usm });
        Ok(host)
    }

    /// Frees shared memory (CL 2.0, 5.6.1, clSVMFree). Commands that use it keep it until they are complete. An address that
    /// is not that of an allocation is ignored.
    pub fn free_svm(&self, address: usize) {
        let freed = self.svm().remove(address, false);
        // No lock is held when the memory is released.
        drop(freed);
    }

    /// Returns the place in an allocation of shared memory of any kind that an address belongs to.
    pub(crate) fn find_shared(&self, address: usize) -> Option<SvmPlace> {
        let (Allocation { buffer, .. }, offset) = self.svm().find(address)?;
        Some(SvmPlace { buffer, offset })
    }

    /// Returns the place in an allocation that an address belongs to. Allocations that the host cannot access have none.
    pub fn find_svm(&self, address: usize) -> Option<SvmPlace> {
        let (Allocation { buffer, usm }, offset) = self.svm().find(address)?;
        let of_device = usm.is_some_and(|u| u.kind == UsmKind::Device);
        (!of_device).then_some(SvmPlace { buffer, offset })
    }
}
