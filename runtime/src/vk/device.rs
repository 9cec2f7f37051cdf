//! The logical device and the objects of which it has one set: queues, allocator and common pipeline layout.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use ash::vk;

use super::descriptor::SetLayouts;
use super::external::ExternalMemory;
use super::fences::Fences;
use super::import::Import;
use super::instance::{PhysicalDevice, Shared};
use super::lost::Faults;
use super::memory::Allocator;
use super::pipeline::Layout;
use super::queue::Queue;
use super::statistics::Statistics;
use super::sync::IdleTimelines;
use super::tuning::Tuning;
use super::{Call, Failure, Timeline, VkError};
use crate::config::config;
use crate::lock::{Mutex, Rank};

/// The number of Vulkan queues made at most; OpenCL queues are assigned to them in turn.
const MAX_QUEUES: u32 = 2;

/// How the device address of a buffer is queried.
pub(super) enum Addresses {
    /// Buffers have no addresses.
    None,
    /// By the function of Vulkan 1.2.
    Core,
    /// By the function of VK_KHR_buffer_device_address.
    Extension(ash::khr::buffer_device_address::Device),
}

/// A logical device.
pub(crate) struct Device {
    // Dropped in this order; the device itself is destroyed in `Drop`.
    queues: Vec<Queue>,
    /// A queue of a family for transfers alone, if there is one and other devices may want contents of this one.
    transfers: Option<Queue>,
    /// The families of all queues.
    families: Vec<u32>,
    pub(super) allocator: Allocator,
    pub(super) raw: ash::Device,
    /// The instance, which must outlive the device.
    _shared: Arc<Shared>,
    identity: Vec<u8>,
    pub(super) layout: Layout,
    pub(super) set_layouts: SetLayouts,
    pub(super) timelines: IdleTimelines,
    pub(super) fences: Fences,
    /// Whether the functions of synchronization2 are used, and not those of Vulkan 1.0.
    pub(super) synchronization2: bool,
    /// Whether timelines are semaphores, and not fences.
    pub(super) timeline_semaphores: bool,
    pub(super) addresses: Addresses,
    /// Whether the driver says if a pipeline was in its cache (VK_EXT_pipeline_creation_feedback).
    pub(super) creation_feedback: bool,
    calibration: Option<Calibration>,
    timestamp_period: f64,
    timestamp_bits: u32,
    next_queue: AtomicUsize,
    lost: AtomicBool,
    opened: Instant,
    /// The second, counted from `opened`, of the last call of `look_for_loss_at_times` that looked.
    looked_for_loss: AtomicU64,
    pub(super) tuning: Tuning,
    gathers_flushes: bool,
    guesses_pipelines: bool,
    /// Present if the statistics of pipelines are wanted and the driver has them.
    pub(super) statistics: Option<Statistics>,
    /// Present if the driver reports faults.
    pub(super) faults: Option<Faults>,
    unified: bool,
    pub(super) import: Option<Import>,
    pub(super) external_memory: Option<ExternalMemory>,
    pub(super) external_semaphores: Option<ash::khr::external_semaphore_fd::Device>,
    /// External synchronisation of the semaphores that are shared with other APIs.
    pub(super) shared_semaphores: Mutex<()>,
    max_allocation: u64,
    sparse: bool,
    /// The sub-group size that pipelines that use sub-groups must require.
    pub(super) required_subgroup_size: Option<u32>,
}

enum Calibration {
    Khr(ash::khr::calibrated_timestamps::Device),
    Ext(ash::ext::calibrated_timestamps::Device),
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("vk::Device")
            .field("queues", &self.queues.len())
            .finish_non_exhaustive()
    }
}

/// Returns the queue family for compute of a driver: one without graphics if there is one, since its latency was
/// shorter where measured.
///
/// NVIDIA's driver executes stale code in such a family: where one thread creates a pipeline while another one
/// submits, the next launch may execute the instructions of a destroyed pipeline, or stop the GPU
/// (`runtime/docs/adr/0010-queue-family.md`). So the family with graphics is used there, which does not show the fault.
/// The debugging aid `compute-family` takes the other one, to see whether a version of the driver still has it. It
/// was observed with version 580.159.04.
pub(super) fn compute_family<'a>(
    families: &'a [vk::QueueFamilyProperties],
    driver_name: &str,
) -> Option<(u32, &'a vk::QueueFamilyProperties)> {
    let compute = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
    let graphics = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    let stale_code = driver_name == "NVIDIA" && !config().debug.compute_family;
    let index = families
        .iter()
        .position(|f| compute(f) && graphics(f) == stale_code)
        .or_else(|| families.iter().position(compute))?;
    Some((index as u32, &families[index]))
}

/// Returns the queue family that only transfers, if there is one. The families for video transfer, too, but they are not
/// taken, because their copies are no faster.
fn transfer_family(families: &[vk::QueueFamilyProperties]) -> Option<u32> {
    let allowed = vk::QueueFlags::TRANSFER | vk::QueueFlags::SPARSE_BINDING | vk::QueueFlags::PROTECTED;
    let is_one = |f: &vk::QueueFamilyProperties| {
        f.queue_flags.contains(vk::QueueFlags::TRANSFER) && (f.queue_flags & !allowed).is_empty()
    };
    Some(families.iter().position(is_one)? as u32)
}

/// Loads the functions that read the clocks of device and host together, if the device has them.
fn calibration(
    instance: &ash::Instance,
    raw: &ash::Device,
    extensions: &super::instance::Extensions,
) -> Option<Calibration> {
    if extensions.calibrated_timestamps_khr {
        Some(Calibration::Khr(ash::khr::calibrated_timestamps::Device::new(
            instance, raw,
        )))
    } else if extensions.calibrated_timestamps_ext {
        Some(Calibration::Ext(ash::ext::calibrated_timestamps::Device::new(
            instance, raw,
        )))
    } else {
        None
    }
}

/// Loads the function that returns the addresses of buffers, if the device has it.
fn addresses(instance: &ash::Instance, raw: &ash::Device, physical: &PhysicalDevice) -> Addresses {
    match physical.features.buffer_addresses() {
        false => Addresses::None,
        true if physical.features.version() >= vk::API_VERSION_1_2 => Addresses::Core,
        true => Addresses::Extension(ash::khr::buffer_device_address::Device::new(instance, raw)),
    }
}

/// Makes the Vulkan device, with `count` queues of a family, and a queue of the family for transfers, if there is one.
fn create(
    physical: &PhysicalDevice,
    (instance, physical_raw): (&ash::Instance, vk::PhysicalDevice),
    (family, count): (u32, u32),
    transfers: Option<u32>,
) -> Result<ash::Device, VkError> {
    let priorities = vec![0.5; count as usize];
    let queues = |family, priorities| {
        vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(priorities)
    };
    let mut queue_info = vec![queues(family, &priorities[..])];
    queue_info.extend(transfers.map(|family| queues(family, &priorities[..1])));
    let version = physical.features.version();
    let names = physical.features.extensions.names(version);
    let names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    physical
        .features
        .with_chain(|features| {
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queue_info)
                .enabled_extension_names(&names)
                .push_next(features);
            // SAFETY: families and counts come from the device, which supports the features and extensions, and
            // everything pointed to outlives the call.
            unsafe { instance.create_device(physical_raw, &info, None) }
        })
        .call("vkCreateDevice")
}

impl Device {
    /// Makes the logical device, with every feature that the runtime or the compiler can use.
    pub(crate) fn open(physical: &PhysicalDevice) -> Result<Arc<Device>, VkError> {
        let (shared, physical_raw) = physical.connected()?;
        let instance = &shared.raw;
        // SAFETY: the physical device belongs to the instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical_raw) };
        let (family, properties) = compute_family(&families, &physical.facts().driver_name)
            .ok_or_else(|| VkError::absent("queue families", "none computes"))?;
        let timeline_semaphores = physical.features.timeline_semaphores();
        // Without timeline semaphores, submissions that depend on each other go to one queue (`fences.rs`).
        let queues = if timeline_semaphores { MAX_QUEUES } else { 1 };
        let count = properties.queue_count.min(queues);
        let transfers = transfer_family(&families).filter(|_| timeline_semaphores && physical.has_others());
        let raw = create(physical, (instance, physical_raw), (family, count), transfers)?;
        let facts = physical.facts();
        let queue = |family, index, computes| {
            // SAFETY: a queue of this family and index was requested at creation.
            let queue = unsafe { raw.get_device_queue(family, index) };
            Queue::new(raw.clone(), queue, family, computes)
        };
        let queues = (0..count).map(|index| queue(family, index, true)).collect();
        let transfer_queue = transfers.map(|family| queue(family, 0, false));
        let layout = Layout::new(&raw, facts.max_push_constants_size)?;
        let extensions = &physical.features.extensions;
        let calibration = calibration(instance, &raw, extensions);
        let addresses = addresses(instance, &raw, physical);
        let has_addresses = physical.features.buffer_addresses();
        let allocator = Allocator::new(instance, &raw, physical_raw, has_addresses, facts.bar_types)?;
        log::info!(
            "{}: family {family} with {count} queues, {} timestamp bits",
            facts.name,
            properties.timestamp_valid_bits
        );
        let tuning = Tuning::of(facts);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let spares = tuning.spares_processors && processors > 2;
        let debug = config().debug;
        Ok(Arc::new(Device {
            gathers_flushes: debug.gather_flushes || spares,
            faults: extensions.device_fault.then(|| Faults::new(instance, &raw)),
            statistics: extensions
                .pipeline_executable_properties
                .then(|| Statistics::new(instance, &raw)),
            guesses_pipelines: debug.guess_pipelines || spares,
            queues,
            transfers: transfer_queue,
            families: std::iter::once(family).chain(transfers).collect(),
            allocator,
            _shared: Arc::clone(&shared),
            identity: facts.identity.clone(),
            layout,
            set_layouts: SetLayouts::new(),
            timelines: IdleTimelines::new(),
            fences: Fences::new(),
            synchronization2: physical.features.synchronization2(),
            timeline_semaphores,
            addresses,
            creation_feedback: physical.features.version() >= vk::API_VERSION_1_3
                || extensions.creation_feedback,
            calibration,
            timestamp_period: f64::from(facts.timestamp_period),
            timestamp_bits: properties.timestamp_valid_bits,
            next_queue: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
            opened: Instant::now(),
            looked_for_loss: AtomicU64::new(0),
            tuning,
            unified: facts.unified_memory,
            import: facts
                .host_import_alignment
                .and_then(|alignment| Import::new(instance, &raw, physical_raw, alignment, has_addresses)),
            external_memory: extensions
                .external_memory_fd
                .then(|| ExternalMemory::new(instance, &raw, physical_raw, &facts.driver_name)),
            external_semaphores: extensions
                .external_semaphore_fd
                .then(|| ash::khr::external_semaphore_fd::Device::new(instance, &raw)),
            shared_semaphores: Mutex::new(Rank::SharedSemaphores, ()),
            max_allocation: facts.max_memory_allocation_size,
            sparse: facts.sparse_address_space > 0,
            required_subgroup_size: (facts.features.subgroups && facts.subgroup_size_varies)
                .then_some(facts.subgroup_size),
            raw,
        }))
    }

    /// Returns a queue by index.
    pub(crate) fn queue(&self, index: usize) -> &Queue {
        &self.queues[index]
    }

    /// Returns the queue for copies outside of OpenCL queues. It is the one that OpenCL queues get last, so that such copies do
    /// not wait for kernels in the same Vulkan queue, if there are several.
    pub(crate) fn copy_queue(&self) -> &Queue {
        self.queues.last().expect("a device has queues")
    }

    /// Returns the queue for copies from buffers to host memory that other devices read, which kernels do not hold up if
    /// possible.
    pub(crate) fn transfer_queue(&self) -> &Queue {
        self.transfers.as_ref().unwrap_or_else(|| self.copy_queue())
    }

    /// Returns how the queues share buffers.
    pub(super) fn sharing(&self) -> (vk::SharingMode, &[u32]) {
        match self.families.len() {
            1 => (vk::SharingMode::EXCLUSIVE, &[]),
            _ => (vk::SharingMode::CONCURRENT, &self.families),
        }
    }

    /// Returns the index of the Vulkan queue for the next OpenCL queue.
    pub(crate) fn next_queue(&self) -> usize {
        self.next_queue.fetch_add(1, Ordering::Relaxed) % self.queues.len()
    }

    /// Returns bytes that differ for another device or another version of the driver.
    pub(crate) fn identity(&self) -> &[u8] {
        &self.identity
    }

    /// Returns whether buffers have device addresses.
    pub(super) fn has_addresses(&self) -> bool {
        !matches!(self.addresses, Addresses::None)
    }

    /// Returns the size in bytes of the largest allocation of memory.
    pub(super) fn max_allocation(&self) -> u64 {
        self.max_allocation
    }

    /// Returns whether buffers and images may be larger than [`Device::max_allocation`].
    pub(super) fn sparse(&self) -> bool {
        self.sparse
    }

    /// Returns whether host and device share their memory, so that buffers in device memory are mapped.
    pub(crate) fn unified(&self) -> bool {
        self.unified
    }

    /// Returns whether pipelines that are only probable are made in advance: the driver compiles when it makes a
    /// pipeline, and there are processors to spare.
    pub(crate) fn guesses_pipelines(&self) -> bool {
        self.guesses_pipelines
    }

    /// Returns whether gathering flushes pays: a submission costs the device more than the processor time of a
    /// thread that polls in order to gather flushes, and there are processors to spare.
    pub(crate) fn gathers_flushes(&self) -> bool {
        self.gathers_flushes
    }

    /// Returns what is quick on the device.
    pub(crate) fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Returns whether a call has reported VK_ERROR_DEVICE_LOST.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Finds out whether the device has been lost. A wait does not always report it: with NVIDIA's driver, a kernel that
    /// accesses memory outside of all allocations ends the work of the device, and yet vkWaitSemaphores only times out.
    /// A submission reports it, also one of nothing.
    pub(super) fn look_for_loss(&self) -> Result<(), VkError> {
        self.queues
            .iter()
            .try_for_each(|queue| self.note(queue.submit_nothing()))
    }

    /// Returns an error if the device is known to be lost. Does what [`Device::look_for_loss`] does, if nobody has done it for
    /// a second. Threads that ask again and again for the progress of the device call it.
    pub(super) fn look_for_loss_at_times(&self) -> Result<(), VkError> {
        if self.is_lost() {
            return Err(VkError::new("waiting", vk::Result::ERROR_DEVICE_LOST));
        }
        let now = self.opened.elapsed().as_secs();
        let last = self.looked_for_loss.load(Ordering::Relaxed);
        if now == last || self.looked_for_loss.swap(now, Ordering::Relaxed) == now {
            return Ok(());
        }
        self.look_for_loss()
    }

    /// Passes a result on, and marks the device as lost if the error says so.
    pub(super) fn note<T>(&self, result: Result<T, VkError>) -> Result<T, VkError> {
        if let Err(e) = &result
            && e.failure() == Failure::DeviceLost
            && !self.lost.swap(true, Ordering::Relaxed)
        {
            log::error!("device lost in {e}");
            match self.faults.as_ref().map(Faults::report) {
                None => {}
                Some(Ok(lines)) => lines.iter().for_each(|l| log::error!("the driver reports: {l}")),
                Some(Err(e)) => log::debug!("no report of the fault: {e}"),
            }
        }
        result
    }

    /// Returns whether the queue family supports time stamps.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.timestamp_bits > 0
    }

    /// Converts the result of a time stamp query to nanoseconds on the device's clock.
    pub(crate) fn ticks_to_ns(&self, ticks: u64) -> u64 {
        let ticks = if self.timestamp_bits >= 64 {
            ticks
        } else {
            ticks & ((1 << self.timestamp_bits) - 1)
        };
        if self.timestamp_period == 1.0 {
            ticks
        } else {
            (ticks as f64 * self.timestamp_period) as u64
        }
    }

    /// Returns the device's current time in nanoseconds, where the driver can report it.
    pub(crate) fn device_time(&self) -> Option<u64> {
        let infos = [vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE)];
        let result = match self.calibration.as_ref()? {
            // SAFETY: the extension is enabled; every implementation supports the device's own time domain.
            Calibration::Khr(fns) => unsafe { fns.get_calibrated_timestamps(&infos) },
            // SAFETY: as above.
            Calibration::Ext(fns) => unsafe { fns.get_calibrated_timestamps(&infos) },
        };
        match result {
            Ok((times, _)) => Some(self.ticks_to_ns(times[0])),
            Err(e) => {
                log::debug!("vkGetCalibratedTimestamps: {e}");
                None
            }
        }
    }

    /// Waits until one of the timelines has reached its value, for at most `timeout`. All timelines belong to
    /// this device.
    pub(crate) fn wait_any(&self, points: &[(&Timeline, u64)], timeout: std::time::Duration) {
        let waited = super::sync::wait_any(self, points, timeout);
        if self
            .note(waited)
            .and_then(|()| self.look_for_loss_at_times())
            .is_err()
        {
            // A caller's loop must not spin on the error.
            std::thread::sleep(timeout);
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: nothing else uses the device or its queues any more. The error of a lost device needs no
        // handling.
        let _ = unsafe { self.raw.device_wait_idle() };
        self.queues.clear();
        self.allocator.shut_down();
        self.layout.destroy(&self.raw);
        self.timelines.destroy(&self.raw);
        self.fences.destroy(&self.raw);
        // SAFETY: everything made from the device holds an Arc of it; the objects that it owns have been
        // destroyed.
        unsafe { self.raw.destroy_device(None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the index of the family that is used for compute among families with these flags.
    fn chosen(flags: &[vk::QueueFlags], driver_name: &str) -> Option<u32> {
        let families: Vec<_> = flags
            .iter()
            .map(|&f| vk::QueueFamilyProperties::default().queue_flags(f))
            .collect();
        compute_family(&families, driver_name).map(|(index, _)| index)
    }

    #[test]
    fn the_family_has_no_graphics_except_on_the_driver_that_executes_stale_code() {
        let both = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let (compute, transfer) = (vk::QueueFlags::COMPUTE, vk::QueueFlags::TRANSFER);
        assert_eq!(chosen(&[both, transfer, compute], "radv"), Some(2));
        assert_eq!(chosen(&[both, transfer, compute], "NVIDIA"), Some(0));
        assert_eq!(chosen(&[transfer, both], "radv"), Some(1));
        assert_eq!(chosen(&[transfer, compute], "NVIDIA"), Some(1));
        assert_eq!(chosen(&[transfer], "NVIDIA"), None);
    }
}
