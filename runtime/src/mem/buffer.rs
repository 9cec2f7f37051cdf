//! Buffers and sub-buffers (CL 5.2.1).
//!
//! A buffer that is not a sub-buffer is a *root* and owns storage: one Vulkan buffer for each device of the
//! context on which it has been used. A sub-buffer is a range of its root.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use once_cell::sync::OnceCell;

use super::addresses::Listed;
use super::claim::Shared;
use super::destructor_callbacks::DestructorCallbacks;
use super::external::ExternalHandle;
use super::map::Maps;
use super::residence::Use;
use super::svm::SvmPlace;
use super::{HostAccess, HostMemory, HostPtr, HostPtrUse, MemFlags, Properties};
use crate::check::Noted;
use crate::check::written::Written;
use crate::context::Context;
use crate::device::Device;
use crate::device::recycling::Storage;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::object::Anchor;
use crate::queue::KeptBy;
use crate::vk;

/// A buffer or sub-buffer.
pub struct Buffer {
    anchor: Anchor<Buffer>,
    // Fields are dropped in order: the addresses are forgotten before the storage is released, and that happens before
    // the callbacks are enqueued (Drop of `DestructorCallbacks`).
    listed: OnceLock<Listed>,
    root: Option<Root>,
    /// The root, if this is not one.
    parent: Option<Arc<Buffer>>,
    /// CL_MEM_ASSOCIATED_MEMOBJECT. An alias of shared virtual memory has none.
    associated: Option<Arc<Buffer>>,
    flags: MemFlags,
    size: u64,
    offset: u64,
    host_ptr: Option<HostPtr>,
    kept: KeptBy,
    properties: Properties,
    destructor_callbacks: DestructorCallbacks,
    context: Arc<Context>,
}

impl_object!(Buffer, ClCode::InvalidMemObject, "buffer");

/// The state that a root owns and its sub-buffers share.
struct Root {
    /// Unique among all roots of the process.
    id: usize,
    noted: Noted,
    /// The storage on each device, by index of the device in the context.
    storage: Box<[OnceCell<Arc<Storage>>]>,
    /// The device whose storage is memory of another API.
    external: Option<usize>,
    /// Which devices have the contents.
    residence: Shared,
    visibility: HostVisibility,
    maps: Mutex<Maps>,
    /// Host memory for mappings, where the storage itself cannot be mapped.
    mirror: OnceCell<Storage>,
    /// Host memory for mappings of buffers that are larger than one allocation of the device.
    host_copy: OnceCell<HostMemory>,
}

/// Whether the GPU's writes to storage with a BAR mapping are visible to the host. Making them visible takes a
/// barrier at the end of the batch, which costs a microsecond. So batches have the barrier only for buffers
/// that the host has accessed through the BAR mapping before.
#[derive(Default)]
struct HostVisibility {
    /// Whether the host has accessed the BAR mapping.
    watched: AtomicBool,
    /// The queue (from [`QUEUE_BIT`] on) and the value of the last batch that wrote the buffer without such a
    /// barrier; 0 if there is none.
    invisible: AtomicU64,
}

/// The bit of [`HostVisibility::invisible`] at which the queue's number begins.
const QUEUE_BIT: u32 = 40;

/// Returns the value of [`HostVisibility::invisible`] for a batch of a queue; queues are numbered from 1.
fn stamp(queue: u32, value: u64) -> u64 {
    u64::from(queue) << QUEUE_BIT | value & ((1 << QUEUE_BIT) - 1)
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("size", &self.size)
            .field("offset", &self.offset)
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

/// Returns the error of an allocation or import that failed while a memory object was created or first used.
pub(crate) fn allocation_error(e: vk::AllocError) -> Error {
    let (code, what) = match &e {
        vk::AllocError::Vulkan(e) if e.failure() == vk::Failure::Handle => {
            (ClCode::InvalidValue, "the handle could not be imported")
        }
        vk::AllocError::Vulkan(_) | vk::AllocError::Allocator(_) | vk::AllocError::TooLarge(_) => (
            ClCode::MemObjectAllocationFailure,
            "device memory could not be allocated",
        ),
    };
    Error::new(code, what).at("5.2.1").from_source(e)
}

/// Allocates memory on a device for what a check keeps about a buffer.
pub(crate) fn memory_beside(device: &Device, size: u64) -> Result<Storage> {
    let storage = device.opened()?.storage(size, vk::Place::Device);
    storage.map_err(allocation_error)
}

/// Checks the size of a buffer. CL 5.2.1: INVALID_BUFFER_SIZE if size is 0 or exceeds MAX_MEM_ALLOC_SIZE of every device
fn check_size(context: &Context, size: usize) -> Result<u64> {
    let size = size as u64;
    let largest = context.devices().iter().map(|d| d.limits().max_alloc).max();
    let largest = largest.unwrap_or(0);
    if size == 0 || size > largest {
        return Err(Error::new(
            ClCode::InvalidBufferSize,
            format!("{size} bytes; the devices allow 1 to {largest}"),
        )
        .at("5.2.1"));
    }
    Ok(size)
}

impl Root {
    /// Makes the state of a buffer without storage.
    fn new(context: &Context, size: u64) -> Root {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Root {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            noted: Noted::new(context.allocations()),
            storage: context.devices().iter().map(|_| OnceCell::new()).collect(),
            external: None,
            residence: Shared::new(size),
            visibility: HostVisibility::default(),
            maps: Mutex::new(Rank::Mem, Maps::default()),
            mirror: OnceCell::new(),
            host_copy: OnceCell::new(),
        }
    }
}

impl Buffer {
    /// Creates a buffer (CL 5.2.1, clCreateBuffer). `host_ptr` must cover `size` bytes.
    pub fn create(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host_ptr: Option<HostPtr>,
    ) -> Result<Arc<Buffer>> {
        let size = check_size(context, size)?;
        // CL 5.2.1: INVALID_HOST_PTR if host_ptr is NULL and USE_HOST_PTR or COPY_HOST_PTR are set, or if it is
        // not NULL and they are not set
        let wants_ptr = match flags.host_ptr {
            HostPtrUse::Use | HostPtrUse::Copy | HostPtrUse::AllocCopy => true,
            HostPtrUse::None | HostPtrUse::Alloc => false,
        };
        if wants_ptr != host_ptr.is_some() {
            let what = if wants_ptr {
                "host_ptr is NULL"
            } else {
                "host_ptr is not NULL, but neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR is set"
            };
            return Err(Error::new(ClCode::InvalidHostPtr, what).at("5.2.1"));
        }
        if flags.host_ptr == HostPtrUse::Use
            && let Some(host) = host_ptr
            && let Some(place) = context.find_svm(host.address())
        {
            return Buffer::alias(context, flags, host, place, size);
        }
        let host = host_ptr.filter(|_| flags.host_ptr == HostPtrUse::Use);
        let mut root = Root::new(context, size);
        if host_ptr.is_none() {
            root.noted.know_writes(size);
        }
        let buffer = Buffer::with_root(context, flags, size, host, root);
        // Where the device has memory of its own, kernels are faster with a copy there than with imported host memory.
        if let (Some(host), Some(root)) = (buffer.host_ptr, &buffer.root)
            && let [device] = context.devices()
            && let logical = device.opened()?.logical().clone()
            && logical.unified()
            && let Some(imported) = vk::Buffer::import(&logical, host, size)
        {
            log::debug!("{size} bytes of the application's memory imported");
            root.noted.add(0, imported.address(), size);
            let _ = root.storage[0].set(Arc::new(imported.into()));
            return Ok(Arc::new(buffer));
        }
        let device = &context.devices()[0];
        let storage = match buffer.storage(0) {
            // Commands in flight may still use memory of objects that have been released.
            Err(e) if e.code == ClCode::MemObjectAllocationFailure => {
                context.settle();
                buffer.storage(0)?
            }
            done => done?,
        };
        if let Some(from) = host_ptr {
            device.upload(storage, 0, from, size)?;
            buffer.residence().lock().used(&(0..size), 0, Use::Replace);
        }
        Ok(Arc::new(buffer))
    }

    /// Creates a buffer in memory of another API (cl_khr_external_memory, clCreateBufferWithProperties).
    pub fn import(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host_ptr: Option<HostPtr>,
        handle: &ExternalHandle,
    ) -> Result<Arc<Buffer>> {
        let device = handle.check(context, flags, host_ptr.is_some())?;
        let size = check_size(context, size)?;
        let opened = handle.device.opened()?;
        let imported = vk::Buffer::from_handle(opened.logical(), (handle.kind, handle.fd), size);
        let root = Root {
            external: Some(device),
            ..Root::new(context, size)
        };
        let imported = imported.map_err(allocation_error)?;
        root.noted.add(device, imported.address(), size);
        let _ = root.storage[device].set(Arc::new(imported.into()));
        let buffer = Buffer::with_root(context, flags, size, None, root);
        buffer.residence().lock().used(&(0..size), device, Use::Replace);
        Ok(Arc::new(buffer))
    }

    /// Makes a buffer that is no sub-buffer.
    fn with_root(
        context: &Arc<Context>,
        flags: MemFlags,
        size: u64,
        host_ptr: Option<HostPtr>,
        root: Root,
    ) -> Buffer {
        Buffer {
            anchor: Anchor::new(),
            listed: OnceLock::new(),
            root: Some(root),
            parent: None,
            associated: None,
            flags,
            size,
            offset: 0,
            host_ptr,
            kept: KeptBy::default(),
            properties: Properties::default(),
            destructor_callbacks: DestructorCallbacks::new(context),
            context: Arc::clone(context),
        }
    }

    /// Creates a buffer in shared virtual memory.
    fn alias(
        context: &Arc<Context>,
        flags: MemFlags,
        host: HostPtr,
        place: SvmPlace,
        size: u64,
    ) -> Result<Arc<Buffer>> {
        let (root, offset) = (place.buffer, place.offset as u64);
        // CL 2.0, 5.3.1: INVALID_BUFFER_SIZE if size is greater than that of the allocation
        if offset + size > root.size {
            return Err(Error::new(
                ClCode::InvalidBufferSize,
                "beyond the end of the SVM allocation",
            ));
        }
        let align = u64::from(context.devices()[0].info().mem_base_addr_align / 8);
        if !offset.is_multiple_of(align) {
            let what = "a buffer in SVM that is not aligned as a sub-buffer is";
            return Err(Error::new(ClCode::OutOfResources, what));
        }
        Ok(Arc::new(Buffer {
            anchor: Anchor::new(),
            listed: OnceLock::new(),
            root: None,
            parent: Some(root),
            associated: None,
            flags,
            size,
            offset,
            host_ptr: Some(host),
            kept: KeptBy::default(),
            properties: Properties::default(),
            destructor_callbacks: DestructorCallbacks::new(context),
            context: Arc::clone(context),
        }))
    }

    /// Creates a sub-buffer (CL 5.2.1, clCreateSubBuffer with CL_BUFFER_CREATE_TYPE_REGION).
    pub fn create_sub(parent: &Arc<Buffer>, flags: u64, origin: usize, size: usize) -> Result<Arc<Buffer>> {
        // CL 5.2.1: INVALID_MEM_OBJECT if buffer is a sub-buffer object
        if parent.associated.is_some() {
            return Err(Error::new(ClCode::InvalidMemObject, "the buffer is a sub-buffer").at("5.2.1"));
        }
        // CL 5.2.1: INVALID_VALUE if flags contradict the buffer's
        let flags = parent.flags.for_sub_buffer(flags)?;
        let (origin, size) = (origin as u64, size as u64);
        // CL 5.2.1: INVALID_VALUE if the region is out of bounds; INVALID_BUFFER_SIZE if its size is 0
        if origin.checked_add(size).is_none_or(|end| end > parent.size) {
            return Err(Error::new(ClCode::InvalidValue, "the region is out of bounds").at("5.2.1"));
        }
        if size == 0 {
            return Err(Error::new(ClCode::InvalidBufferSize, "size is 0").at("5.2.1"));
        }
        // CL 5.2.1: MISALIGNED_SUB_BUFFER_OFFSET if no device's MEM_BASE_ADDR_ALIGN fits origin
        let fits = |d: &Arc<Device>| origin.is_multiple_of(u64::from(d.info().mem_base_addr_align / 8));
        if !parent.context.devices().iter().any(fits) {
            return Err(
                Error::new(ClCode::MisalignedSubBufferOffset, format!("origin {origin}")).at("5.2.1"),
            );
        }
        Ok(Arc::new(Buffer {
            anchor: Anchor::new(),
            listed: OnceLock::new(),
            root: None,
            parent: Some(Arc::clone(parent.parent.as_ref().unwrap_or(parent))),
            associated: Some(Arc::clone(parent)),
            flags,
            size,
            offset: parent.offset + origin,
            host_ptr: parent.host_ptr.map(|p| p.offset(origin)),
            kept: KeptBy::default(),
            properties: Properties::default(),
            destructor_callbacks: DestructorCallbacks::new(&parent.context),
            context: Arc::clone(&parent.context),
        }))
    }

    /// Returns the root's number among the buffers of the context, if its kernels make checks.
    pub(crate) fn number(&self) -> u64 {
        self.root().noted.number()
    }

    /// Returns what has been written of the root, if a check wants to know.
    pub(crate) fn written(&self) -> Option<&Arc<Written>> {
        self.root().noted.written()
    }

    /// Returns CL_MEM_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns CL_MEM_FLAGS; those of a sub-buffer include the flags that it has inherited.
    pub fn flags(&self) -> MemFlags {
        self.flags
    }

    /// Returns CL_MEM_SIZE.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the offset in the root.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns CL_MEM_OFFSET.
    pub fn origin(&self) -> u64 {
        self.associated.as_ref().map_or(0, |b| self.offset - b.offset)
    }

    /// Returns CL_MEM_HOST_PTR: the pointer passed with CL_MEM_USE_HOST_PTR, plus a sub-buffer's offset;
    /// otherwise `None`.
    pub fn host_ptr(&self) -> Option<HostPtr> {
        self.host_ptr
    }

    /// Returns CL_MEM_ASSOCIATED_MEMOBJECT.
    pub fn associated(&self) -> Option<&Arc<Buffer>> {
        self.associated.as_ref()
    }

    /// Returns the root, if this is not one.
    pub(crate) fn parent(&self) -> Option<&Arc<Buffer>> {
        self.parent.as_ref()
    }

    /// Returns whether this is a buffer in shared virtual memory (CL_MEM_USE_HOST_PTR with its address).
    pub(crate) fn is_alias(&self) -> bool {
        self.parent.is_some() && self.associated.is_none()
    }

    /// Returns CL_MEM_USES_SVM_POINTER.
    pub fn uses_svm(&self) -> bool {
        self.is_alias() || self.associated.as_ref().is_some_and(|b| b.is_alias())
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        self.maps().lock().count(self.offset, self.size)
    }

    /// Returns the list of CL_MEM_PROPERTIES.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Registers a callback (CL 5.4.1, clSetMemObjectDestructorCallback). The executor thread calls it after
    /// the memory has been released; of several callbacks, the last registered is called first.
    pub fn on_destroy(&self, callback: Box<dyn FnOnce() + Send>) {
        self.destructor_callbacks.add(callback);
    }

    /// Returns the mark of the last batch that keeps the buffer alive.
    pub(crate) fn kept(&self) -> &KeptBy {
        &self.kept
    }

    fn root(&self) -> &Root {
        let owner = self.parent.as_deref().unwrap_or(self);
        owner.root.as_ref().expect("a buffer without parent is a root")
    }

    /// Returns a number that identifies the root, for hazards and overlap checks.
    pub(crate) fn root_id(&self) -> usize {
        self.root().id
    }

    /// Returns the root's Vulkan buffer on a device of the context, which is allocated at first use. Offsets
    /// into it include [`Buffer::offset`].
    pub(crate) fn storage(&self, device: usize) -> Result<&vk::Buffer> {
        let cell = &self.root().storage[device];
        let storage = cell.get_or_try_init(|| self.allocate_storage(device))?;
        Ok(storage)
    }

    fn allocate_storage(&self, index: usize) -> Result<Arc<Storage>> {
        let size = self.parent.as_deref().unwrap_or(self).size;
        let place = match self.flags.host_ptr {
            HostPtrUse::Alloc | HostPtrUse::AllocCopy if !self.is_large(index) => vk::Place::Host,
            HostPtrUse::None
            | HostPtrUse::Use
            | HostPtrUse::Copy
            | HostPtrUse::Alloc
            | HostPtrUse::AllocCopy => vk::Place::Device,
        };
        let opened = self.context.devices()[index].opened()?;
        let storage = Arc::new(opened.storage(size, place).map_err(allocation_error)?);
        if place == vk::Place::Host && !opened.logical().unified() {
            opened.pinned().add(&storage, self.root_id());
        }
        self.root().noted.add(index, storage.address(), size);
        Ok(storage)
    }

    /// Returns the index of the device that has imported the buffer, if it was created from external memory.
    pub(crate) fn external(&self) -> Option<usize> {
        self.root.as_ref().and_then(|root| root.external)
    }

    /// Returns the device address of the first byte; allocates the storage at first use.
    pub(crate) fn address(&self, device: usize) -> Result<u64> {
        Ok(self.storage(device)?.address() + self.offset)
    }

    /// Allocates the storage on all devices and lets the application use its addresses (cl_ext_buffer_device_address).
    pub fn expose_addresses(self: &Arc<Self>) -> Result<()> {
        if let Some(written) = self.written() {
            // Nobody knows what is written by address.
            written.note_all();
        }
        let devices = 0..self.context.devices().len();
        let addresses = devices.map(|d| self.address(d)).collect::<Result<Vec<u64>>>()?;
        self.listed.get_or_init(|| Listed::new(self, addresses));
        Ok(())
    }

    /// Returns CL_MEM_DEVICE_ADDRESS_EXT: the addresses, by index of the device in the context. CL, clGetMemObjectInfo:
    /// INVALID_OPERATION if the buffer was not allocated with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
    pub fn exposed_addresses(&self) -> Result<&[u64]> {
        let listed = self.listed.get().ok_or_else(|| {
            Error::new(
                ClCode::InvalidOperation,
                "created without CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT",
            )
        })?;
        Ok(listed.addresses())
    }

    /// Returns the device address of the first byte, if there is storage on the device.
    pub(crate) fn known_address(&self, device: usize) -> Option<u64> {
        let storage = self.root().storage.get(device)?.get()?;
        Some(storage.address() + self.offset)
    }

    /// Returns the record of which devices of the context have the root's contents.
    pub(crate) fn residence(&self) -> &Shared {
        &self.root().residence
    }

    /// Notes that the host accesses the BAR mapping from now on.
    pub(crate) fn expect_host_access(&self) {
        self.root().visibility.watched.store(true, Ordering::Relaxed);
    }

    /// Notes that a batch of a queue writes storage with a BAR mapping. Returns whether the batch must end with
    /// a barrier that makes the writes visible to the host.
    pub(crate) fn is_written(&self, queue: u32, value: u64) -> bool {
        let visibility = &self.root().visibility;
        let watched = visibility.watched.load(Ordering::Relaxed);
        if !watched {
            visibility.invisible.store(stamp(queue, value), Ordering::Relaxed);
        }
        watched
    }

    /// Returns the value of the queue's last batch that wrote without such a barrier, 0 if there is none;
    /// `None` if the last such batch is another queue's.
    pub(crate) fn invisible_since(&self, queue: u32) -> Option<u64> {
        let invisible = self.root().visibility.invisible.load(Ordering::Relaxed);
        match invisible >> QUEUE_BIT {
            0 => Some(0),
            q if q == u64::from(queue) => Some(invisible & ((1 << QUEUE_BIT) - 1)),
            _ => None,
        }
    }

    pub(crate) fn maps(&self) -> &Mutex<Maps> {
        &self.root().maps
    }

    /// Returns whether the root is larger than one allocation of the device may be.
    pub(crate) fn is_large(&self, device: usize) -> bool {
        let size = self.parent.as_deref().unwrap_or(self).size;
        size > self.context.devices()[device].limits().max_memory_allocation
    }

    /// Returns plain host memory as large as the root, for mappings of a large one; allocated at first use.
    pub(crate) fn host_copy(&self) -> Result<HostPtr> {
        let size = self.parent.as_deref().unwrap_or(self).size;
        let no_memory = || Error::new(ClCode::OutOfHostMemory, format!("{size} bytes of host memory"));
        let memory =
            (self.root().host_copy).get_or_try_init(|| HostMemory::new(size).ok_or_else(no_memory))?;
        Ok(memory.ptr())
    }

    /// Returns mapped Vulkan host memory as large as the root, for mappings; allocated at first use, on the
    /// given device.
    pub(crate) fn mirror(&self, device: usize) -> Result<&vk::Buffer> {
        let mirror = self.root().mirror.get_or_try_init(|| {
            let size = self.parent.as_deref().unwrap_or(self).size;
            let opened = self.context.devices()[device].opened()?;
            opened.storage(size, vk::Place::Host).map_err(allocation_error)
        })?;
        Ok(mirror)
    }

    /// Checks an access by the host. CL 5.2.2, 5.2.4: INVALID_OPERATION if the host may not read (write) the buffer.
    pub(crate) fn check_host(&self, read: bool, write: bool) -> Result<()> {
        let host: HostAccess = self.flags.host;
        if (read && !host.can_read()) || (write && !host.can_write()) {
            return Err(Error::new(
                ClCode::InvalidOperation,
                "the buffer's CL_MEM_HOST_* flags forbid the access",
            )
            .at("5.2.2"));
        }
        Ok(())
    }

    /// Returns the buffer's range of its root.
    pub(crate) fn range_in_root(&self) -> std::ops::Range<u64> {
        self.offset..self.offset + self.size
    }

    /// Checks a range and returns it. CL 5.2.2: INVALID_VALUE if the range is out of bounds or empty.
    pub(crate) fn check_range(&self, offset: usize, size: usize) -> Result<(u64, u64)> {
        let (offset, size) = (offset as u64, size as u64);
        if size == 0 || offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(Error::new(
                ClCode::InvalidValue,
                format!("{size} bytes at offset {offset} of a buffer of {}", self.size),
            )
            .at("5.2.2"));
        }
        Ok((offset, size))
    }

    /// Checks the offset. CL 5.2.2: MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer is not aligned for the queue's device.
    pub(crate) fn check_alignment(&self, device: &Device) -> Result<()> {
        if self
            .offset
            .is_multiple_of(u64::from(device.info().mem_base_addr_align / 8))
        {
            Ok(())
        } else {
            Err(Error::new(ClCode::MisalignedSubBufferOffset, "for the queue's device").at("5.2.2"))
        }
    }
}
