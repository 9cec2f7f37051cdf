//! The buffers whose device addresses the application knows (cl_ext_buffer_device_address).

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::Buffer;
use crate::context::Context;
use crate::lock::{Mutex, Rank};

/// The address ranges of a context's buffers, by device: each device has an address space of its own.
pub(crate) struct AddressTable(Mutex<BTreeMap<(usize, u64), Range>>);

struct Range {
    end: u64,
    buffer: Weak<Buffer>,
}

impl AddressTable {
    /// Makes an empty table.
    pub(crate) fn new() -> AddressTable {
        AddressTable(Mutex::new(Rank::Cache, BTreeMap::new()))
    }

    /// Returns the buffers at an address, at most one for each device. The address after the last byte counts.
    pub(crate) fn find(&self, devices: usize, address: u64) -> Vec<Arc<Buffer>> {
        let table = self.0.lock();
        let mut found: Vec<Arc<Buffer>> = Vec::new();
        for device in 0..devices {
            let before = table.range((device, 0)..=(device, address)).next_back();
            let buffer = before
                .filter(|(_, range)| address <= range.end)
                .and_then(|(_, range)| range.buffer.upgrade());
            if let Some(buffer) = buffer
                && !found.iter().any(|b| Arc::ptr_eq(b, &buffer))
            {
                found.push(buffer);
            }
        }
        found
    }
}

/// The addresses of a buffer while it is in the table.
pub(crate) struct Listed {
    addresses: Vec<u64>,
    buffer: Weak<Buffer>,
    context: Arc<Context>,
}

impl Listed {
    /// Adds a buffer to its context's table.
    pub(crate) fn new(buffer: &Arc<Buffer>, addresses: Vec<u64>) -> Listed {
        let context = Arc::clone(buffer.context());
        {
            let mut table = context.addresses().0.lock();
            for (device, address) in addresses.iter().enumerate() {
                let range = Range {
                    end: address + buffer.size(),
                    buffer: Arc::downgrade(buffer),
                };
                table.insert((device, *address), range);
            }
        }
        Listed {
            addresses,
            buffer: Arc::downgrade(buffer),
            context,
        }
    }

    /// Returns the addresses, by index of the device in the context.
    pub(crate) fn addresses(&self) -> &[u64] {
        &self.addresses
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut table = self.context.addresses().0.lock();
        for (device, address) in self.addresses.iter().enumerate() {
            let key = (device, *address);
            if table.get(&key).is_some_and(|r| r.buffer.ptr_eq(&self.buffer)) {
                table.remove(&key);
            }
        }
    }
}
