//! Buffers in imported host memory: the application's, or the runtime's (VK_EXT_external_memory_host).

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use super::external::imports_buffers;
use super::{AllocError, Buffer, Call, Device};
use crate::mem::HostPtr;

const HOST: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// The smallest page size: if a byte of memory exists, so do all bytes up to the next multiple of this size.
const PAGE: u64 = 4096;

/// The device's import of host memory.
pub(super) struct Import {
    functions: ash::ext::external_memory_host::Device,
    /// The alignment of pointer and size in bytes (minImportedHostPointerAlignment).
    alignment: u64,
    /// The memory types that are host-visible, coherent and cached.
    types: u32,
}

impl Import {
    /// Returns `None` if buffers cannot be made of imported memory. The device must have the extension enabled.
    pub(super) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical: vk::PhysicalDevice,
        alignment: u64,
        addresses: bool,
    ) -> Option<Import> {
        // SAFETY: the physical device belongs to the instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let needed = vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT
            | vk::MemoryPropertyFlags::HOST_CACHED;
        let types = memory.memory_types_as_slice().iter().enumerate();
        let types = types
            .filter(|(_, t)| t.property_flags.contains(needed))
            .fold(0, |bits, (i, _)| bits | 1 << i);
        let import = Import {
            functions: ash::ext::external_memory_host::Device::new(instance, device),
            alignment,
            types,
        };
        imports_buffers(instance, physical, HOST, addresses).then_some(import)
    }
}

impl Buffer {
    /// Makes a buffer in host memory; returns `None` if the memory is not aligned for the device or the device
    /// does not import it. `size` is not 0. The memory stays its owner's. By the contract of [`HostPtr::new`], memory of the
    /// application exists until the memory object is destroyed, which holds the buffer. The runtime keeps its own as long as
    /// the buffer.
    pub(crate) fn import(device: &Arc<Device>, host: HostPtr, size: u64) -> Option<Buffer> {
        let import = device.import.as_ref()?;
        let address = host.address() as u64;
        let start = address - address % import.alignment;
        let end = (address + size).next_multiple_of(import.alignment);
        if import.alignment > PAGE && (start, end) != (address, address + size) {
            return None;
        }
        if end - start > device.max_allocation() {
            return None;
        }
        let base = host.as_ptr().wrapping_sub((address - start) as usize);
        try_import(device, import, base, address - start, end - start, (host, size))
            .inspect_err(|e| log::debug!("host memory is not imported: {e}"))
            .ok()
            .flatten()
    }
}

/// Imports `length` bytes from `base`, and makes a buffer of the part that starts at `offset`.
fn try_import(
    device: &Arc<Device>,
    import: &Import,
    base: *mut u8,
    offset: u64,
    length: u64,
    (host, size): (HostPtr, u64),
) -> Result<Option<Buffer>, AllocError> {
    let base = base.cast::<c_void>();
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    let ask = import.functions.fp().get_memory_host_pointer_properties_ext;
    // SAFETY: the extension is enabled; the pointer is aligned as the device demands, and points into memory that exists as
    // long as the buffer (see `import`), up to the next multiples of the page size at most (`import` has compared the
    // alignment with it).
    unsafe { ask(device.raw.handle(), HOST, base, &mut properties) }
        .result()
        .call("vkGetMemoryHostPointerPropertiesEXT")?;
    // The size is rounded up, but not past the end of the imported memory.
    let size = size.next_multiple_of(16).min(length - offset);
    // If a later step fails, `buffer`'s Drop destroys the Vulkan buffer and frees memory that it owns.
    let mut buffer = Buffer::of_external(device, size, HOST)?;
    let raw = buffer.raw;
    // SAFETY: the buffer is alive.
    let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
    let types = properties.memory_type_bits & requirements.memory_type_bits & import.types;
    let fits = offset.is_multiple_of(requirements.alignment.max(1)) && offset + requirements.size <= length;
    if types == 0 || !fits {
        return Ok(None);
    }
    super::fault::allocation("vkAllocateMemory")?;
    let mut pointer = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(HOST)
        .host_pointer(base);
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut info = vk::MemoryAllocateInfo::default()
        .allocation_size(length)
        .memory_type_index(types.trailing_zeros())
        .push_next(&mut pointer);
    if device.has_addresses() {
        info = info.push_next(&mut flags);
    }
    // SAFETY: pointer and length are aligned, the memory exists long enough (as above), and the memory type is
    // one of those that the pointer can be imported as.
    let memory = unsafe { device.raw.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
    buffer.own(memory);
    // SAFETY: buffer and memory are new and of the same device; memory type and offset meet the requirements.
    unsafe { device.raw.bind_buffer_memory(raw, memory, offset) }.call("vkBindBufferMemory")?;
    buffer.note_bound(Some(host.non_null()));
    Ok(Some(buffer))
}
