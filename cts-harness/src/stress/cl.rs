//! The devices of the stress test, and the features that all of them have.

use crate::Failure;
use crate::cl::{self, Device, Handle};
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
    /// Opens the first platform whose name contains `platform` and that has devices whose names contain
    /// `device`, with at most `most` of these devices.
    pub(super) fn open(
        library: &str,
        platform: Option<&str>,
        device: Option<&str>,
        most: usize,
    ) -> Result<&'static Cl, Failure> {
        cl::abort_on_bad_release();
        let contains = |text: &str, part: Option<&str>| {
            part.is_none_or(|p| text.to_lowercase().contains(&p.to_lowercase()))
        };
        let mut devices = cl::open(library)?;
        devices.retain(|d| contains(&d.platform, platform) && contains(&d.name, device));
        let first = devices.first().map(|d| d.platform.clone());
        devices.retain(|d| Some(&d.platform) == first.as_ref());
        devices.truncate(most);
        if devices.is_empty() {
            return fail!("{library} offers no such device");
        }
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

    /// Creates a context with all devices.
    pub(super) fn context(&self) -> Result<Handle, Failure> {
        cl::context(&self.devices)
    }

    /// Creates a queue, for each of the devices in turn.
    pub(super) fn queue(&self, context: &Handle, properties: u64, index: usize) -> Result<Handle, Failure> {
        self.devices[index % self.devices.len()].queue(context, properties)
    }
}
