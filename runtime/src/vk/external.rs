//! Memory of other APIs, imported by file descriptors (VK_KHR_external_memory_fd, VK_EXT_external_memory_dma_buf).
//!
//! **Ownership.** Vulkan owns a descriptor whose import has succeeded. The application keeps its descriptor if a call fails,
//! so a duplicate is imported, and the application's descriptor is closed when the object is complete.
//!
//! **What OpenCL does not say.** An opaque descriptor must be imported with the size and the memory type of the exporter's
//! allocation, and as a dedicated allocation if it is one. OpenCL passes only the size of the buffer, or the description of
//! the image. So the size is the one that Vulkan requires for the object, the allocation is dedicated if Vulkan requires
//! that, and the memory type is the first one that the driver accepts; types that are local to the device come first.

use std::sync::Arc;

use ash::vk;

use super::buffer::usage;
use super::instance::{Extensions, PhysicalDevice};
use super::{AllocError, Buffer, Call, Device, Image, ImageInfo, Recorder, VkError};

/// The types of file descriptors that refer to memory; the numbers are those of OpenCL.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum MemoryHandle {
    /// CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR.
    OpaqueFd = 0x2060,
    /// CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.
    DmaBuf = 0x2067,
}

impl MemoryHandle {
    const ALL: [MemoryHandle; 2] = [MemoryHandle::OpaqueFd, MemoryHandle::DmaBuf];

    /// Returns the type with this number, if there is one.
    pub fn from_number(number: u64) -> Option<MemoryHandle> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == number)
    }

    /// Returns the OpenCL extension that has the type.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            MemoryHandle::OpaqueFd => "cl_khr_external_memory_opaque_fd",
            MemoryHandle::DmaBuf => "cl_khr_external_memory_dma_buf",
        }
    }

    pub(super) fn flags(self) -> vk::ExternalMemoryHandleTypeFlags {
        match self {
            MemoryHandle::OpaqueFd => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
            MemoryHandle::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
        }
    }
}

/// Returns the types that a device with these extensions can import as buffers.
pub(super) fn importable(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    extensions: &Extensions,
    addresses: bool,
) -> Vec<MemoryHandle> {
    let can_import = |kind: &MemoryHandle| {
        let has_extension = match kind {
            MemoryHandle::OpaqueFd => extensions.external_memory_fd,
            MemoryHandle::DmaBuf => extensions.external_memory_fd && extensions.external_memory_dma_buf,
        };
        has_extension && imports_buffers(instance, physical, kind.flags(), addresses)
    };
    MemoryHandle::ALL.into_iter().filter(can_import).collect()
}

/// Returns whether buffers, with the usage of all buffers, can be made of imported memory.
pub(super) fn imports_buffers(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    handle_type: vk::ExternalMemoryHandleTypeFlags,
    addresses: bool,
) -> bool {
    let info = vk::PhysicalDeviceExternalBufferInfo::default()
        .usage(usage(addresses))
        .handle_type(handle_type);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: the physical device belongs to the instance, which is of Vulkan 1.1 at least.
    unsafe {
        instance.get_physical_device_external_buffer_properties(physical, &info, &mut properties);
    }
    properties
        .external_memory_properties
        .external_memory_features
        .contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
}

impl PhysicalDevice {
    /// Returns whether images like this one can be made of imported memory.
    pub(crate) fn imports_images(&self, info: &ImageInfo, kind: MemoryHandle) -> bool {
        let Ok((shared, physical)) = self.connected() else {
            return false;
        };
        let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(kind.flags());
        let query = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(info.format.raw)
            .ty(info.shape.image_type())
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(info.usage())
            .push_next(&mut external);
        let mut found = vk::ExternalImageFormatProperties::default();
        let mut properties = vk::ImageFormatProperties2::default().push_next(&mut found);
        // SAFETY: the physical device belongs to the instance, which is of Vulkan 1.1 at least.
        let result = unsafe {
            shared
                .raw
                .get_physical_device_image_format_properties2(physical, &query, &mut properties)
        };
        let features = found.external_memory_properties.external_memory_features;
        result.is_ok() && features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
    }
}

/// The device's import of memory.
pub(super) struct ExternalMemory {
    functions: ash::khr::external_memory_fd::Device,
    /// The properties of the memory types.
    types: Vec<vk::MemoryPropertyFlags>,
    /// Whether the driver closes a descriptor that it refuses. (By the specification, ownership passes only with a successful import.)
    closes_refused: bool,
}

impl ExternalMemory {
    /// The device must have VK_KHR_external_memory_fd enabled.
    pub(super) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical: vk::PhysicalDevice,
        driver_name: &str,
    ) -> ExternalMemory {
        // SAFETY: the physical device belongs to the instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let types = memory.memory_types_as_slice();
        ExternalMemory {
            functions: ash::khr::external_memory_fd::Device::new(instance, device),
            types: types.iter().map(|t| t.property_flags).collect(),
            // Mesa's lavapipe does (lvp_AllocateMemory), in all versions up to now.
            closes_refused: driver_name == "llvmpipe",
        }
    }

    /// Returns the indices of the memory types in the order in which they are tried.
    fn order(&self, allowed: u32) -> Vec<u32> {
        let allowed = (0..self.types.len() as u32).filter(|i| allowed & 1 << i != 0);
        let mut order: Vec<u32> = allowed.collect();
        order.sort_unstable_by_key(|&i| {
            let of = self.types[i as usize];
            (
                !of.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL),
                of.contains(vk::MemoryPropertyFlags::HOST_VISIBLE),
                i,
            )
        });
        order
    }

    /// Returns whether the host accesses memory of a type through its caches.
    fn is_cached(&self, index: u32) -> bool {
        self.types[index as usize].contains(
            vk::MemoryPropertyFlags::HOST_VISIBLE
                | vk::MemoryPropertyFlags::HOST_COHERENT
                | vk::MemoryPropertyFlags::HOST_CACHED,
        )
    }

    /// Returns the memory types as which a descriptor can be imported, as a mask with one bit for each type.
    fn types_of(&self, kind: MemoryHandle, fd: i32) -> Result<u32, VkError> {
        if kind == MemoryHandle::OpaqueFd {
            return Ok(u32::MAX);
        }
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: the extension is enabled, and the type of the descriptor is not the opaque one. By the clause of the
        // property, the descriptor is open and of this type.
        unsafe { (self.functions).get_memory_fd_properties(kind.flags(), fd, &mut properties) }
            .call("vkGetMemoryFdPropertiesKHR")?;
        Ok(properties.memory_type_bits)
    }

    /// Imports memory for an object with these requirements. Returns it with the index of its type.
    fn import(
        &self,
        device: &Device,
        (kind, fd): (MemoryHandle, i32),
        requirements: &vk::MemoryRequirements,
        mut dedicated: Option<vk::MemoryDedicatedAllocateInfo<'_>>,
    ) -> Result<(vk::DeviceMemory, u32), AllocError> {
        let allowed = requirements.memory_type_bits & self.types_of(kind, fd)?;
        let mut refusal = VkError::handle("an import", "no memory type is possible");
        for index in self.order(allowed) {
            let duplicate = Duplicate::of(fd)?;
            // Some drivers do not compare the sizes.
            if duplicate.size().is_some_and(|size| size < requirements.size) {
                return Err(VkError::handle("an import", "the memory is smaller than the object").into());
            }
            let mut import = vk::ImportMemoryFdInfoKHR::default()
                .handle_type(kind.flags())
                .fd(duplicate.raw());
            let mut flags =
                vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let mut info = vk::MemoryAllocateInfo::default()
                .allocation_size(requirements.size)
                .memory_type_index(index)
                .push_next(&mut import);
            if let Some(dedicated) = &mut dedicated {
                info = info.push_next(dedicated);
            }
            if device.has_addresses() {
                info = info.push_next(&mut flags);
            }
            super::fault::allocation("vkAllocateMemory")?;
            // SAFETY: the extension is enabled, and the descriptor is open. OpenCL does not tell the size and the memory type
            // of the exporter's allocation (see the top of the file). The driver refuses an import with another size or type.
            match unsafe { device.raw.allocate_memory(&info, None) }.call("vkAllocateMemory") {
                Ok(memory) => {
                    duplicate.give_away();
                    return Ok((memory, index));
                }
                Err(e) => {
                    if self.closes_refused {
                        duplicate.give_away();
                    }
                    refusal = e;
                }
            }
        }
        Err(refusal.into())
    }
}

/// A duplicate of a file descriptor of the application. It is closed when this is dropped.
pub(super) struct Duplicate(#[cfg(unix)] std::fs::File);

#[cfg(unix)]
impl Duplicate {
    pub(super) fn of(fd: i32) -> Result<Duplicate, VkError> {
        if fd < 0 {
            return Err(VkError::handle("an import", "a negative file descriptor"));
        }
        // SAFETY: the number is not negative. By the clause of the property, it is a descriptor of the application, which
        // closes it after the call at the earliest. If it is not an open descriptor, the call below fails.
        let given = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        let duplicate = given.try_clone_to_owned();
        let duplicate = duplicate.map_err(|e| VkError::handle("dup", e))?;
        Ok(Duplicate(duplicate.into()))
    }

    /// Returns the size of the memory in bytes, if the system knows it: that of a file in memory, as CPU drivers make them.
    pub(super) fn size(&self) -> Option<u64> {
        self.0.metadata().ok().map(|m| m.len()).filter(|size| *size > 0)
    }

    pub(super) fn raw(&self) -> i32 {
        std::os::fd::AsRawFd::as_raw_fd(&self.0)
    }

    /// Leaves the descriptor to its new owner.
    pub(super) fn give_away(self) {
        let _ = std::os::fd::IntoRawFd::into_raw_fd(self.0);
    }
}

/// Closes a descriptor of the application that an import has taken over.
#[cfg(unix)]
pub(super) fn close(fd: i32) {
    if fd >= 0 {
        // SAFETY: the application has given the descriptor away with the import, which has succeeded.
        drop(unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(fd) });
    }
}

/// Other systems have no file descriptors, and their drivers lack the extension.
#[cfg(not(unix))]
impl Duplicate {
    pub(super) fn of(_: i32) -> Result<Duplicate, VkError> {
        Err(VkError::handle("an import", "the system has no file descriptors"))
    }

    pub(super) fn size(&self) -> Option<u64> {
        None
    }

    pub(super) fn raw(&self) -> i32 {
        -1
    }

    pub(super) fn give_away(self) {}
}

#[cfg(not(unix))]
pub(super) fn close(_: i32) {}

impl Device {
    fn external_memory(&self) -> Result<&ExternalMemory, VkError> {
        (self.external_memory.as_ref())
            .ok_or_else(|| VkError::absent("an import", "no VK_KHR_external_memory_fd"))
    }
}

impl Buffer {
    /// Makes a buffer of `size` bytes in memory of another API. The descriptor is taken over if the call succeeds.
    pub(crate) fn from_handle(
        device: &Arc<Device>,
        handle: (MemoryHandle, i32),
        size: u64,
    ) -> Result<Buffer, AllocError> {
        let external = device.external_memory()?;
        let mut buffer = Buffer::of_external(device, Buffer::rounded(size), handle.0.flags())?;
        let info = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer.raw);
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut all = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        // SAFETY: the buffer is alive; the device is of Vulkan 1.1 at least.
        unsafe { device.raw.get_buffer_memory_requirements2(&info, &mut all) };
        let requirements = all.memory_requirements;
        let dedicated = (dedicated.requires_dedicated_allocation == vk::TRUE)
            .then(|| vk::MemoryDedicatedAllocateInfo::default().buffer(buffer.raw));
        let (memory, index) = external.import(device, handle, &requirements, dedicated)?;
        buffer.own(memory);
        // SAFETY: buffer and memory are new and of the same device; type and size meet the requirements.
        unsafe { device.raw.bind_buffer_memory(buffer.raw, memory, 0) }.call("vkBindBufferMemory")?;
        let mut host = None;
        if device.unified() && external.is_cached(index) {
            let flags = vk::MemoryMapFlags::empty();
            // SAFETY: the memory is host-visible, and not mapped; it stays mapped until it is freed.
            let mapped = unsafe { device.raw.map_memory(memory, 0, vk::WHOLE_SIZE, flags) };
            host = std::ptr::NonNull::new(mapped.call("vkMapMemory")?.cast());
        }
        buffer.note_bound(host);
        close(handle.1);
        Ok(buffer)
    }
}

impl Image {
    /// Makes an image in memory of another API. The descriptor is taken over if the call succeeds.
    pub(crate) fn from_handle(
        device: &Arc<Device>,
        handle: (MemoryHandle, i32),
        info: &ImageInfo,
    ) -> Result<Image, AllocError> {
        let external = device.external_memory()?;
        let flags = vk::ImageCreateFlags::empty();
        let mut image = Image::without_memory(device, info, flags, handle.0.flags())?;
        let query = vk::ImageMemoryRequirementsInfo2::default().image(image.raw);
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut all = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        // SAFETY: the image is alive; the device is of Vulkan 1.1 at least.
        unsafe { device.raw.get_image_memory_requirements2(&query, &mut all) };
        let requirements = all.memory_requirements;
        let dedicated = (dedicated.requires_dedicated_allocation == vk::TRUE)
            .then(|| vk::MemoryDedicatedAllocateInfo::default().image(image.raw));
        let (memory, _) = external.import(device, handle, &requirements, dedicated)?;
        image.own(memory);
        // SAFETY: image and memory are new and of the same device; type and size meet the requirements.
        unsafe { device.raw.bind_image_memory(image.raw, memory, 0) }.call("vkBindImageMemory")?;
        image.make_views(info)?;
        super::debug::note_external_image();
        close(handle.1);
        Ok(image)
    }
}

/// An object in memory of another API, whose ownership queues transfer.
pub(crate) enum External<'a> {
    Buffer(&'a Buffer),
    Image(&'a Image),
}

impl Recorder {
    /// Records the transfer of ownership of an object: if `acquire` is set, from the other API to the queue, otherwise back. Images are in the layout
    /// GENERAL in both APIs, because OpenCL cannot express layouts.
    pub(crate) fn hand_over(&mut self, object: &External<'_>, acquire: bool) {
        let raw = self.begin_ordered();
        let family = self.device.queue(0).family;
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let none = vk::AccessFlags::empty();
        let (from, to) = match acquire {
            true => ((vk::QUEUE_FAMILY_EXTERNAL, none), (family, all)),
            false => ((family, all), (vk::QUEUE_FAMILY_EXTERNAL, none)),
        };
        let (mut buffers, mut images) = (Vec::new(), Vec::new());
        match object {
            External::Buffer(buffer) => buffers.push(
                vk::BufferMemoryBarrier::default()
                    .src_queue_family_index(from.0)
                    .src_access_mask(from.1)
                    .dst_queue_family_index(to.0)
                    .dst_access_mask(to.1)
                    .buffer(buffer.raw)
                    .size(vk::WHOLE_SIZE),
            ),
            External::Image(image) => images.push(
                vk::ImageMemoryBarrier::default()
                    .src_queue_family_index(from.0)
                    .src_access_mask(from.1)
                    .dst_queue_family_index(to.0)
                    .dst_access_mask(to.1)
                    .old_layout(super::image::LAYOUT)
                    .new_layout(super::image::LAYOUT)
                    .image(image.raw)
                    .subresource_range(image.all()),
            ),
        }
        // SAFETY: the command buffer is in the recording state; the objects, which live as long as the batch, are of
        // exclusive sharing mode, and one of the two families is that of the queue.
        unsafe {
            self.device.raw.cmd_pipeline_barrier(
                raw,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &buffers,
                &images,
            );
        }
    }
}
