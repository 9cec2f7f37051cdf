//! Binary semaphores that are shared with other APIs, by file descriptors (VK_KHR_external_semaphore_fd).

use std::sync::Arc;

use ash::vk;

use super::external::{Duplicate, close};
use super::instance::Extensions;
use super::{Call, Device, VkError};

/// The types of file descriptors that refer to semaphores; the numbers are those of OpenCL.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum SemaphoreHandle {
    /// CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR: all semaphores of the descriptor are one.
    OpaqueFd = 0x2055,
    /// CL_SEMAPHORE_HANDLE_SYNC_FD_KHR: the descriptor has a copy of the state.
    SyncFd = 0x2058,
}

impl SemaphoreHandle {
    pub(crate) const ALL: [SemaphoreHandle; 2] = [SemaphoreHandle::OpaqueFd, SemaphoreHandle::SyncFd];

    /// Returns the type of a number; `None` if it is not one of them.
    pub fn from_number(number: u64) -> Option<SemaphoreHandle> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == number)
    }

    /// Returns the OpenCL extension that has the type.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            SemaphoreHandle::OpaqueFd => "cl_khr_external_semaphore_opaque_fd",
            SemaphoreHandle::SyncFd => "cl_khr_external_semaphore_sync_fd",
        }
    }

    fn flags(self) -> vk::ExternalSemaphoreHandleTypeFlags {
        match self {
            SemaphoreHandle::OpaqueFd => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
            SemaphoreHandle::SyncFd => vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
        }
    }
}

/// The types that a device imports, and those that it exports.
#[derive(Clone, Default, Debug)]
pub(crate) struct SemaphoreHandles {
    pub(crate) imported: Vec<SemaphoreHandle>,
    pub(crate) exported: Vec<SemaphoreHandle>,
}

impl SemaphoreHandles {
    /// Queries the types of a device with these extensions.
    pub(super) fn query(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        extensions: &Extensions,
    ) -> SemaphoreHandles {
        if !extensions.external_semaphore_fd {
            return SemaphoreHandles::default();
        }
        let with = |feature| {
            let has = |kind: &SemaphoreHandle| {
                let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(kind.flags());
                let mut properties = vk::ExternalSemaphoreProperties::default();
                // SAFETY: the physical device belongs to the instance, which is of Vulkan 1.1 at least.
                unsafe {
                    instance.get_physical_device_external_semaphore_properties(
                        physical,
                        &info,
                        &mut properties,
                    );
                }
                properties.external_semaphore_features.contains(feature)
            };
            SemaphoreHandle::ALL.into_iter().filter(has).collect()
        };
        SemaphoreHandles {
            imported: with(vk::ExternalSemaphoreFeatureFlags::IMPORTABLE),
            exported: with(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE),
        }
    }
}

/// A semaphore that is shared with other APIs.
pub(crate) struct SharedSemaphore {
    device: Arc<Device>,
    pub(super) raw: vk::Semaphore,
}

impl SharedSemaphore {
    /// Makes a semaphore; with `exported`, its descriptors of this type can be exported.
    pub(crate) fn new(
        device: &Arc<Device>,
        exported: Option<SemaphoreHandle>,
    ) -> Result<SharedSemaphore, VkError> {
        let handles = exported.map_or(
            vk::ExternalSemaphoreHandleTypeFlags::empty(),
            SemaphoreHandle::flags,
        );
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        super::fault::object("vkCreateSemaphore")?;
        // SAFETY: the device is alive, and exports handles of the type (the caller).
        let raw = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
        Ok(SharedSemaphore {
            device: Arc::clone(device),
            raw,
        })
    }

    /// Gives the semaphore the state of a descriptor, which is taken over if the call succeeds.
    pub(crate) fn import(&self, kind: SemaphoreHandle, fd: i32) -> Result<(), VkError> {
        let functions = self.functions()?;
        // A copy of a state lasts until the next wait. -1 stands for a state that is signaled.
        let (flags, is_state) = match kind {
            SemaphoreHandle::OpaqueFd => (vk::SemaphoreImportFlags::empty(), false),
            SemaphoreHandle::SyncFd => (vk::SemaphoreImportFlags::TEMPORARY, fd == -1),
        };
        let duplicate = if is_state { None } else { Some(Duplicate::of(fd)?) };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(self.raw)
            .flags(flags)
            .handle_type(kind.flags())
            .fd(duplicate.as_ref().map_or(-1, Duplicate::raw));
        let exclusive = self.device.shared_semaphores.lock();
        // SAFETY: the extension is enabled; the semaphore is of the binary type, and the lock gives exclusive use of it. By
        // the clause of the property, the descriptor is one of this type.
        unsafe { functions.import_semaphore_fd(&info) }.call("vkImportSemaphoreFdKHR")?;
        drop(exclusive);
        if let Some(duplicate) = duplicate {
            duplicate.give_away();
        }
        close(fd);
        Ok(())
    }

    /// Returns a new descriptor. The export of the type SyncFd resets the semaphore, as a wait does, and requires that a signal
    /// of it has been submitted.
    pub(crate) fn export(&self, kind: SemaphoreHandle) -> Result<i32, VkError> {
        let functions = self.functions()?;
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(self.raw)
            .handle_type(kind.flags());
        let _exclusive = self.device.shared_semaphores.lock();
        // SAFETY: the extension is enabled; the semaphore was made for exports of this type, and the caller knows of a signal
        // if the type demands one.
        unsafe { functions.get_semaphore_fd(&info) }.call("vkGetSemaphoreFdKHR")
    }

    fn functions(&self) -> Result<&ash::khr::external_semaphore_fd::Device, VkError> {
        let functions = self.device.external_semaphores.as_ref();
        functions.ok_or_else(|| VkError::absent("a semaphore", "no VK_KHR_external_semaphore_fd"))
    }
}

impl Drop for SharedSemaphore {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending submission uses the semaphore.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) };
    }
}

/// The shared semaphores of a submission.
#[derive(Default)]
pub(crate) struct SharedSemaphores {
    /// The submission starts after their signals.
    pub(crate) waits: Vec<Arc<SharedSemaphore>>,
    /// They are signaled when it is complete.
    pub(crate) signals: Vec<Arc<SharedSemaphore>>,
}

impl SharedSemaphores {
    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty() && self.signals.is_empty()
    }

    /// Removes all.
    pub(crate) fn clear(&mut self) {
        self.waits.clear();
        self.signals.clear();
    }
}
