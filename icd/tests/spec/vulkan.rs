//! The other API of the tests of external memory and semaphores: Vulkan, on the same device.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "each function is one sequence of Vulkan calls on objects of its own"
)]

use std::cell::RefCell;

use ash::vk;

/// A destructor of an object.
type Cleanup = Box<dyn FnOnce(&ash::Device)>;

/// A Vulkan device with one queue.
pub(crate) struct Vulkan {
    instance: ash::Instance,
    device: ash::Device,
    physical: vk::PhysicalDevice,
    family: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory_fd: ash::khr::external_memory_fd::Device,
    /// Present if the device has the extension.
    semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
    cleanup: RefCell<Vec<Cleanup>>,
    _entry: ash::Entry,
}

/// A buffer or image whose memory can be exported.
#[derive(Copy, Clone)]
pub(crate) struct Exported {
    pub(crate) memory: vk::DeviceMemory,
    buffer: Option<vk::Buffer>,
    image: Option<(vk::Image, vk::Extent3D)>,
    size: u64,
}

const FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

impl Vulkan {
    /// Opens the device of this UUID.
    pub(crate) fn open(uuid: [u8; 16]) -> Vulkan {
        // SAFETY: the library is a Vulkan loader; the calls follow Vulkan's rules.
        unsafe {
            let entry = ash::Entry::load().expect("Vulkan");
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).expect("an instance");
            let is_wanted = |physical: &vk::PhysicalDevice| {
                let mut id = vk::PhysicalDeviceIDProperties::default();
                let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
                instance.get_physical_device_properties2(*physical, &mut all);
                id.device_uuid == uuid
            };
            let all = instance.enumerate_physical_devices().expect("devices");
            let physical = all.into_iter().find(is_wanted).expect("the device of OpenCL");
            let families = instance.get_physical_device_queue_family_properties(physical);
            let computes = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
            let family = families.iter().position(computes).expect("a queue family") as u32;
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0])];
            let extensions = instance.enumerate_device_extension_properties(physical);
            let shares_semaphores = extensions
                .expect("extensions")
                .iter()
                .any(|e| e.extension_name_as_c_str() == Ok(ash::khr::external_semaphore_fd::NAME));
            let mut names = vec![ash::khr::external_memory_fd::NAME.as_ptr()];
            if shares_semaphores {
                names.push(ash::khr::external_semaphore_fd::NAME.as_ptr());
            }
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names);
            let device = instance
                .create_device(physical, &info, None)
                .expect("a device with the extension");
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&info, None).expect("a pool");
            Vulkan {
                queue: device.get_device_queue(family, 0),
                memory_fd: ash::khr::external_memory_fd::Device::new(&instance, &device),
                semaphore_fd: shares_semaphores
                    .then(|| ash::khr::external_semaphore_fd::Device::new(&instance, &device)),
                cleanup: RefCell::default(),
                instance,
                device,
                physical,
                family,
                pool,
                _entry: entry,
            }
        }
    }

    /// Returns which dot products of packed bytes are accelerated: those of signed, unsigned and mixed operands, and the same
    /// with an accumulator.
    pub(crate) fn accelerated_dot_products(&self) -> [bool; 6] {
        let mut dots = vk::PhysicalDeviceShaderIntegerDotProductProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut dots);
        // SAFETY: the instance is alive; the structure is that of an extension, which drivers that lack it skip.
        unsafe {
            self.instance
                .get_physical_device_properties2(self.physical, &mut all);
        }
        [
            dots.integer_dot_product4x8_bit_packed_signed_accelerated,
            dots.integer_dot_product4x8_bit_packed_unsigned_accelerated,
            dots.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated,
            dots.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
            dots.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
            dots.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
        ]
        .map(|value| value == vk::TRUE)
    }

    /// Allocates memory of the first type that has the properties.
    fn allocate(
        &self,
        requirements: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
        exported: bool,
    ) -> vk::DeviceMemory {
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(FD);
        // SAFETY: the device is alive; type and size are those that an object requires.
        let memory = unsafe {
            let properties = self.instance.get_physical_device_memory_properties(self.physical);
            let types = properties.memory_types_as_slice();
            let fits = |i: &usize| {
                requirements.memory_type_bits & 1 << i != 0 && types[*i].property_flags.contains(wanted)
            };
            let index = (0..types.len()).find(fits).expect("a memory type") as u32;
            let mut info = vk::MemoryAllocateInfo::default()
                .allocation_size(requirements.size)
                .memory_type_index(index);
            if exported {
                info = info.push_next(&mut export);
            }
            self.device.allocate_memory(&info, None).expect("memory")
        };
        // SAFETY: the objects in the memory are destroyed before.
        self.later(move |device| unsafe { device.free_memory(memory, None) });
        memory
    }

    fn later(&self, destroy: impl FnOnce(&ash::Device) + 'static) {
        self.cleanup.borrow_mut().push(Box::new(destroy));
    }

    fn buffer(&self, size: u64, wanted: vk::MemoryPropertyFlags, exported: bool) -> Exported {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default();
        if exported {
            external = external.handle_types(FD);
        }
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage | vk::BufferUsageFlags::STORAGE_BUFFER)
            .push_next(&mut external);
        // SAFETY: the device is alive, and the memory meets the requirements.
        let (buffer, memory) = unsafe {
            let buffer = self.device.create_buffer(&info, None).expect("a buffer");
            let requirements = self.device.get_buffer_memory_requirements(buffer);
            let memory = self.allocate(requirements, wanted, exported);
            self.device.bind_buffer_memory(buffer, memory, 0).expect("bound");
            (buffer, memory)
        };
        // SAFETY: no command uses the buffer when the device is closed.
        self.later(move |device| unsafe { device.destroy_buffer(buffer, None) });
        Exported {
            memory,
            buffer: Some(buffer),
            image: None,
            size,
        }
    }

    /// Makes a buffer for exports.
    pub(crate) fn exported_buffer(&self, size: u64) -> Exported {
        self.buffer(size, vk::MemoryPropertyFlags::DEVICE_LOCAL, true)
    }

    /// Makes a 2D image of the format RGBA8 for exports, in the layout GENERAL.
    pub(crate) fn exported_image(&self, width: u32, height: u32) -> Exported {
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(FD);
        let extent = vk::Extent3D {
            width,
            height,
            depth: 1,
        };
        let transfers = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(transfers | vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE)
            .push_next(&mut external);
        // SAFETY: the device is alive, and the memory meets the requirements.
        let (image, memory) = unsafe {
            let image = self.device.create_image(&info, None).expect("an image");
            let requirements = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(requirements, vk::MemoryPropertyFlags::DEVICE_LOCAL, true);
            self.device.bind_image_memory(image, memory, 0).expect("bound");
            (image, memory)
        };
        // SAFETY: no command uses the image when the device is closed.
        self.later(move |device| unsafe { device.destroy_image(image, None) });
        Exported {
            memory,
            buffer: None,
            image: Some((image, extent)),
            size: u64::from(4 * width * height),
        }
    }

    /// Returns a new file descriptor of the memory.
    pub(crate) fn fd(&self, of: Exported) -> i32 {
        let info = vk::MemoryGetFdInfoKHR::default()
            .memory(of.memory)
            .handle_type(FD);
        // SAFETY: the memory was allocated for exports of this type.
        unsafe { self.memory_fd.get_memory_fd(&info) }.expect("a descriptor")
    }

    /// Returns whether the device imports and exports semaphores by descriptors of a type.
    pub(crate) fn shares_semaphores(&self, handles: vk::ExternalSemaphoreHandleTypeFlags) -> bool {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(handles);
        let mut properties = vk::ExternalSemaphoreProperties::default();
        let both =
            vk::ExternalSemaphoreFeatureFlags::IMPORTABLE | vk::ExternalSemaphoreFeatureFlags::EXPORTABLE;
        // SAFETY: the instance is of Vulkan 1.1, and the physical device belongs to it.
        unsafe {
            self.instance.get_physical_device_external_semaphore_properties(
                self.physical,
                &info,
                &mut properties,
            );
        }
        self.semaphore_fd.is_some() && properties.external_semaphore_features.contains(both)
    }

    /// Makes a semaphore for exports.
    pub(crate) fn exported_semaphore(&self, handles: vk::ExternalSemaphoreHandleTypeFlags) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        // SAFETY: the device is alive.
        let semaphore = unsafe { self.device.create_semaphore(&info, None) }.expect("a semaphore");
        // SAFETY: no command uses the semaphore when the device is closed.
        self.later(move |device| unsafe { device.destroy_semaphore(semaphore, None) });
        semaphore
    }

    /// Returns a new file descriptor of a semaphore. For a sync file, its signal must have been submitted.
    pub(crate) fn semaphore_fd(
        &self,
        semaphore: vk::Semaphore,
        handles: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> i32 {
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(handles);
        let functions = self.semaphore_fd.as_ref().expect("the extension");
        // SAFETY: the semaphore was made for exports of this type.
        unsafe { functions.get_semaphore_fd(&info) }.expect("a descriptor")
    }

    /// Gives a semaphore the state of a descriptor: for one wait if it is a sync file, and for good otherwise.
    pub(crate) fn import_semaphore(
        &self,
        semaphore: vk::Semaphore,
        handles: vk::ExternalSemaphoreHandleTypeFlags,
        fd: i32,
    ) {
        let flags = match handles {
            vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD => vk::SemaphoreImportFlags::TEMPORARY,
            _ => vk::SemaphoreImportFlags::empty(),
        };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .flags(flags)
            .handle_type(handles)
            .fd(fd);
        let functions = self.semaphore_fd.as_ref().expect("the extension");
        // SAFETY: the descriptor is one of a semaphore of the same device.
        unsafe { functions.import_semaphore_fd(&info) }.expect("imported");
    }

    /// Executes commands after a semaphore, if one is given. They signal the other one; if none is given, the call waits for
    /// them.
    fn execute(
        &self,
        (wait, signal): (Option<vk::Semaphore>, Option<vk::Semaphore>),
        record: impl FnOnce(vk::CommandBuffer),
    ) {
        // SAFETY: the command buffer is new, and freed with the pool when the device is idle.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let commands = self
                .device
                .allocate_command_buffers(&info)
                .expect("a command buffer")[0];
            let begin = vk::CommandBufferBeginInfo::default();
            self.device.begin_command_buffer(commands, &begin).expect("begun");
            record(commands);
            self.device.end_command_buffer(commands).expect("ended");
            let buffers = [commands];
            let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
            let info = [vk::SubmitInfo::default()
                .command_buffers(&buffers)
                .wait_semaphores(wait.as_slice())
                .wait_dst_stage_mask(&stages[..wait.as_slice().len()])
                .signal_semaphores(signal.as_slice())];
            let submitted = self.device.queue_submit(self.queue, &info, vk::Fence::null());
            submitted.expect("submitted");
            if signal.is_none() {
                self.device.queue_wait_idle(self.queue).expect("complete");
            }
        }
    }

    /// Records the transfer of ownership to another API, or from it. `fresh`: the object has no contents yet, so that
    /// there is nothing to take over.
    fn hand_over(&self, commands: vk::CommandBuffer, object: Exported, from_other: bool, fresh: bool) {
        let (external, ignored) = (vk::QUEUE_FAMILY_EXTERNAL, vk::QUEUE_FAMILY_IGNORED);
        let (from, to) = match (fresh, from_other) {
            (true, _) => (ignored, ignored),
            (false, true) => (external, self.family),
            (false, false) => (self.family, external),
        };
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let buffers: Vec<_> = object
            .buffer
            .iter()
            .map(|buffer| {
                vk::BufferMemoryBarrier::default()
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to)
                    .src_access_mask(all)
                    .dst_access_mask(all)
                    .buffer(*buffer)
                    .size(vk::WHOLE_SIZE)
            })
            .collect();
        let images: Vec<_> = object
            .image
            .iter()
            .map(|(image, _)| {
                vk::ImageMemoryBarrier::default()
                    .src_queue_family_index(from)
                    .dst_queue_family_index(to)
                    .src_access_mask(all)
                    .dst_access_mask(all)
                    .old_layout(match fresh {
                        true => vk::ImageLayout::UNDEFINED,
                        false => vk::ImageLayout::GENERAL,
                    })
                    .new_layout(vk::ImageLayout::GENERAL)
                    .image(*image)
                    .subresource_range(vk::ImageSubresourceRange {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        level_count: 1,
                        layer_count: 1,
                        ..Default::default()
                    })
            })
            .collect();
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is in the recording state, and the objects are alive.
        unsafe {
            (self.device).cmd_pipeline_barrier(commands, stages, stages, flags, &[], &buffers, &images);
        }
    }

    /// Records a copy between an object and a host buffer.
    fn copy(&self, commands: vk::CommandBuffer, object: Exported, host: vk::Buffer, to_host: bool) {
        // SAFETY: the command buffer is in the recording state; the objects are alive, and as large as the copy.
        unsafe {
            if let Some(buffer) = object.buffer {
                let (from, to) = if to_host { (buffer, host) } else { (host, buffer) };
                let region = [vk::BufferCopy::default().size(object.size)];
                self.device.cmd_copy_buffer(commands, from, to, &region);
            }
            let Some((image, extent)) = object.image else {
                return;
            };
            let region = [vk::BufferImageCopy::default()
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..Default::default()
                })
                .image_extent(extent)];
            let layout = vk::ImageLayout::GENERAL;
            match to_host {
                true => (self.device).cmd_copy_image_to_buffer(commands, image, layout, host, &region),
                false => (self.device).cmd_copy_buffer_to_image(commands, host, image, layout, &region),
            }
        }
    }

    fn host_buffer(&self, size: u64) -> (vk::Buffer, *mut u8) {
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let host = self.buffer(size, wanted, false);
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory is host-visible, and not mapped.
        let at = unsafe { self.device.map_memory(host.memory, 0, vk::WHOLE_SIZE, flags) }.expect("mapped");
        (host.buffer.expect("a buffer"), at.cast())
    }

    /// Gives an object its first contents, and its ownership away.
    pub(crate) fn write(&self, object: Exported, contents: &[u8]) {
        self.write_and_signal(object, contents, None);
    }

    /// Does what [`Vulkan::write`] does, and signals a semaphore instead of waiting.
    pub(crate) fn write_and_signal(&self, object: Exported, contents: &[u8], signal: Option<vk::Semaphore>) {
        assert_eq!(contents.len() as u64, object.size);
        let (host, at) = self.host_buffer(object.size);
        // SAFETY: the mapped memory has at least as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), at, contents.len()) };
        self.execute((None, signal), |commands| {
            self.hand_over(commands, object, false, true);
            self.copy(commands, object, host, false);
            self.hand_over(commands, object, false, false);
        });
    }

    /// Takes the ownership over, and returns the contents.
    pub(crate) fn read(&self, object: Exported) -> Vec<u8> {
        self.wait_and_read(None, object)
    }

    /// Does what [`Vulkan::read`] does, after a semaphore.
    pub(crate) fn wait_and_read(&self, wait: Option<vk::Semaphore>, object: Exported) -> Vec<u8> {
        let (host, at) = self.host_buffer(object.size);
        self.execute((wait, None), |commands| {
            self.hand_over(commands, object, true, false);
            self.copy(commands, object, host, true);
            self.hand_over(commands, object, false, false);
        });
        // SAFETY: the mapped memory has at least as many bytes, and the commands are complete.
        unsafe { std::slice::from_raw_parts(at, object.size as usize) }.to_vec()
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: nothing uses the device after its queue is idle.
        unsafe {
            self.device.device_wait_idle().expect("idle");
            for destroy in self.cleanup.get_mut().drain(..).rev() {
                destroy(&self.device);
            }
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
