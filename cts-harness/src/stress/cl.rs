//! The devices of the stress test, and the features that all of them have.

use crate::Failure;
use crate::cl::{self, Device, Handle, Location};
use std::sync::OnceLock;

/// The devices of each context.
pub(super) struct Cl {
    devices: Vec<Device>,
    pub(super) name: String,
    /// The alignment of sub-buffers in bytes.
    pub(super) alignment: usize,
    pub(super) native: bool,
    pub(super) out_of_order: bool,
    pub(super) images: bool,
}

impl Cl {
    /// Opens at most `most` of the devices of the first platform that has such devices.
    pub(super) fn open(place: &Location, most: usize) -> Result<&'static Cl, Failure> {
        cl::abort_on_bad_release();
        let mut devices = place.devices()?;
        let first = devices[0].platform.clone();
        devices.retain(|d| d.platform == first);
        devices.truncate(most);
        let all = |feature: fn(&Device) -> bool| devices.iter().all(feature);
        let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
        let cl = Cl {
            name: names.join(", "),
            alignment: devices.iter().map(|d| d.alignment).max().unwrap_or(1),
            native: all(|d| d.has_native_kernels),
            out_of_order: all(|d| d.has_out_of_order_queues),
            images: all(|d| d.has_images),
            devices,
        };
        static OPENED: OnceLock<Cl> = OnceLock::new();
        Ok(OPENED.get_or_init(|| cl))
    }

    pub(super) fn context(&self) -> Result<Handle, Failure> {
        cl::context(&self.devices)
    }

    /// Creates a queue, for each of the devices in turn.
    pub(super) fn queue(&self, context: &Handle, properties: u64, index: usize) -> Result<Handle, Failure> {
        self.devices[index % self.devices.len()].queue(context, properties)
    }
}
