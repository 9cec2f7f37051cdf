//! What the driver says of a lost device (VK_EXT_device_fault), in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ash::vk;

use super::{Call, VkError};
use crate::lock::{Mutex, Rank};

/// The extension's function, and the buffers of the device, among which a fault's address is looked up.
pub(super) struct Faults {
    functions: ash::ext::device_fault::Device,
    /// The sizes of the buffers by their addresses.
    buffers: Mutex<BTreeMap<u64, u64>>,
}

/// Returns the words for the type of a fault's address.
fn kind(of: vk::DeviceFaultAddressTypeEXT) -> &'static str {
    use vk::DeviceFaultAddressTypeEXT as Type;
    match of {
        Type::READ_INVALID => "an invalid read",
        Type::WRITE_INVALID => "an invalid write",
        Type::EXECUTE_INVALID => "an invalid instruction fetch",
        Type::INSTRUCTION_POINTER_UNKNOWN
        | Type::INSTRUCTION_POINTER_INVALID
        | Type::INSTRUCTION_POINTER_FAULT => "an instruction",
        _ => "an access of an unknown type",
    }
}

/// Returns the first and the last address that a report stands for. The precision is a power of two: a fault is somewhere in the
/// aligned block of this size (Vulkan, VkDeviceFaultAddressInfoEXT).
fn range(address: u64, precision: u64) -> (u64, u64) {
    let rest = precision.max(1) - 1;
    (address & !rest, address | rest)
}

/// Returns where a range of addresses is, relative to the buffers; `None` if there are no buffers.
fn place((first, last): (u64, u64), buffers: &BTreeMap<u64, u64>) -> Option<String> {
    let words = |start: u64, size: u64| format!("the buffer of {size} bytes at {start:#x}");
    let before = buffers.range(..=last).next_back();
    if let Some((&start, &size)) = before {
        let end = start.saturating_add(size);
        if first < end {
            let offset = first.saturating_sub(start);
            return Some(format!("at offset {offset} in {}", words(start, size)));
        }
    }
    let after = buffers.range(last..).next();
    let behind = before.map(|(&start, &size)| (first - (start + size), words(start, size)));
    let ahead = after.map(|(&start, &size)| (start - last, words(start, size)));
    match (behind, ahead) {
        (Some((distance, buffer)), Some((other, _))) if distance <= other => {
            Some(format!("{distance} bytes after the end of {buffer}"))
        }
        (Some((distance, buffer)), None) => Some(format!("{distance} bytes after the end of {buffer}")),
        (_, Some((distance, buffer))) => Some(format!("{distance} bytes before {buffer}")),
        (None, None) => None,
    }
}

/// Returns the words for an address that the driver reports.
fn describe(info: &vk::DeviceFaultAddressInfoEXT, buffers: &BTreeMap<u64, u64>) -> String {
    let (first, last) = range(info.reported_address, info.address_precision);
    let mut out = format!("{} at {first:#x}", kind(info.address_type));
    if last != first {
        let _ = write!(out, " to {last:#x}");
    }
    use vk::DeviceFaultAddressTypeEXT as Type;
    if matches!(info.address_type, Type::READ_INVALID | Type::WRITE_INVALID)
        && let Some(place) = place((first, last), buffers)
    {
        let _ = write!(out, ", {place}");
    }
    out
}

impl Faults {
    /// Loads the function. The extension and its feature must be enabled.
    pub(super) fn new(instance: &ash::Instance, device: &ash::Device) -> Faults {
        Faults {
            functions: ash::ext::device_fault::Device::new(instance, device),
            buffers: Mutex::new(Rank::DeviceBuffers, BTreeMap::new()),
        }
    }

    /// Notes a buffer.
    pub(super) fn add(&self, address: u64, size: u64) {
        self.buffers.lock().insert(address, size);
    }

    /// Notes that a buffer is destroyed.
    pub(super) fn remove(&self, address: u64) {
        if let Some(mut buffers) = self.buffers.lock_to_release() {
            buffers.remove(&address);
        }
    }

    /// Returns what the driver says of the lost device, one fact in each line.
    pub(super) fn report(&self) -> Result<Vec<String>, VkError> {
        const CALL: &str = "vkGetDeviceFaultInfoEXT";
        let (device, get) = (
            self.functions.device(),
            self.functions.fp().get_device_fault_info_ext,
        );
        let mut counts = vk::DeviceFaultCountsEXT::default();
        // SAFETY: the device is lost, as the function demands, and alive; without the second structure, only the counts are
        // written.
        unsafe { get(device, &raw mut counts, std::ptr::null_mut()) }
            .result()
            .call(CALL)?;
        let mut addresses =
            vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
        let mut vendor = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
        counts.vendor_binary_size = 0;
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: vendor.as_mut_ptr(),
            ..Default::default()
        };
        // SAFETY: as above; the arrays have the lengths of the counts, and no binary data are asked for.
        match unsafe { get(device, &raw mut counts, &raw mut info) } {
            vk::Result::INCOMPLETE => {}
            other => other.result().call(CALL)?,
        }
        addresses.truncate(counts.address_info_count as usize);
        vendor.truncate(counts.vendor_info_count as usize);
        let text = |c: Result<&std::ffi::CStr, _>| {
            c.map_or_else(|_| String::new(), |c| c.to_string_lossy().into_owned())
        };
        let mut lines = vec![text(info.description_as_c_str())];
        let buffers = self.buffers.lock();
        lines.extend(addresses.iter().map(|a| describe(a, &buffers)));
        lines.extend(vendor.iter().map(|v| {
            let (what, code, data) = (
                text(v.description_as_c_str()),
                v.vendor_fault_code,
                v.vendor_fault_data,
            );
            format!("{what} (code {code:#x}, data {data:#x})")
        }));
        lines.retain(|l| !l.is_empty());
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(
        of: vk::DeviceFaultAddressTypeEXT,
        address: u64,
        precision: u64,
        buffers: &[(u64, u64)],
    ) -> String {
        let info = vk::DeviceFaultAddressInfoEXT {
            address_type: of,
            reported_address: address,
            address_precision: precision,
        };
        describe(&info, &buffers.iter().copied().collect())
    }

    #[test]
    fn addresses_are_beside_or_in_buffers() {
        use vk::DeviceFaultAddressTypeEXT as Type;
        let buffers = [(0x1000, 0x100), (0x9000, 0x1000)];
        let write = |address, precision| described(Type::WRITE_INVALID, address, precision, &buffers);
        let first = "the buffer of 256 bytes at 0x1000";
        let second = "the buffer of 4096 bytes at 0x9000";
        assert_eq!(
            write(0x1010, 1),
            format!("an invalid write at 0x1010, at offset 16 in {first}")
        );
        assert_eq!(
            write(0x1100, 1),
            format!("an invalid write at 0x1100, 0 bytes after the end of {first}")
        );
        assert_eq!(
            write(0x8FFF, 1),
            format!("an invalid write at 0x8fff, 1 bytes before {second}")
        );
        assert_eq!(
            write(0xA010, 0x1000),
            format!("an invalid write at 0xa000 to 0xafff, 0 bytes after the end of {second}")
        );
        assert_eq!(
            write(0x10, 1),
            format!("an invalid write at 0x10, 4080 bytes before {first}")
        );
        // The block begins before the buffer.
        assert_eq!(
            write(0x1010, 0x2000),
            format!("an invalid write at 0x0 to 0x1fff, at offset 0 in {first}")
        );
    }

    #[test]
    fn instructions_and_devices_without_buffers_have_no_place() {
        use vk::DeviceFaultAddressTypeEXT as Type;
        assert_eq!(
            described(Type::INSTRUCTION_POINTER_FAULT, 0x1010, 0, &[(0x1000, 64)]),
            "an instruction at 0x1010"
        );
        assert_eq!(described(Type::READ_INVALID, 0, 1, &[]), "an invalid read at 0x0");
    }
}
