//! Contexts (CL 4.4).

use std::sync::Arc;

use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::event::By;
use crate::event::executor::Executor;
use crate::event::pool::Pool;
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::host_stores::HostStores;
use crate::mem::residence::MOST_DEVICES;
use crate::object::Anchor;
use crate::queue::{CommandQueue, Flusher};
use crate::weak_list::WeakList;

/// The application's `pfn_notify`, made safe by the icd crate.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// Native kernels that run at once; further ones wait for one of these to return.
const MOST_NATIVES: usize = 256;

/// Builds that run at once.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Devices that share objects.
pub struct Context {
    anchor: Anchor<Context>,
    devices: Vec<Arc<Device>>,
    properties: Vec<isize>,
    notify: Option<Notify>,
    /// Callbacks, and the watching of events.
    executor: Arc<Executor>,
    natives: Arc<Pool>,
    builds: Arc<Pool>,
    /// Moves contents between devices.
    migration_thread: Arc<Executor>,
    flusher: Arc<Flusher>,
    host_stores: HostStores,
    queues: Mutex<WeakList<CommandQueue>>,
}

impl Drop for Context {
    fn drop(&mut self) {
        self.executor.stop();
        self.natives.stop();
        self.builds.stop();
        self.migration_thread.stop();
        self.flusher.stop();
    }
}

impl_object!(Context, ClCode::InvalidContext, "context");

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// CL 4.4 — clCreateContext. `properties` is the property list as the application gave it (terminating 0
    /// included), for CL_CONTEXT_PROPERTIES; the caller has checked it. Duplicate devices are dropped.
    pub fn create(
        devices: &[Arc<Device>],
        properties: Vec<isize>,
        notify: Option<Notify>,
    ) -> Result<Arc<Context>> {
        // CL 4.4: INVALID_VALUE if num_devices is zero
        if devices.is_empty() {
            return Err(Error::new(ClCode::InvalidValue, "no device").at("4.4"));
        }
        crate::process::makes_context();
        let mut unique: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| Arc::ptr_eq(d, device)) {
                // CL 4.4: DEVICE_NOT_AVAILABLE if a device is currently not available
                device.revive()?;
                // Measures the device if that has not been done, while no lock is held; it may be lost over it.
                device.target();
                device.revive()?;
                unique.push(Arc::clone(device));
            }
        }
        if unique.len() > MOST_DEVICES {
            let what = format!("{} devices in one context", unique.len());
            return Err(Error::new(ClCode::OutOfResources, what).at("4.4"));
        }
        Ok(Context::of(unique, properties, notify))
    }

    /// A context to measure a device in.
    pub(crate) fn for_calibration(device: &Arc<Device>) -> Result<Arc<Context>> {
        device.opened()?;
        Ok(Context::of(vec![Arc::clone(device)], Vec::new(), None))
    }

    fn of(devices: Vec<Arc<Device>>, properties: Vec<isize>, notify: Option<Notify>) -> Arc<Context> {
        Arc::new(Context {
            anchor: Anchor::new(),
            executor: Executor::new("caldera-executor"),
            natives: Pool::new("caldera-native", MOST_NATIVES),
            builds: Pool::new("caldera-build", processors()),
            migration_thread: Executor::new("caldera-migrate"),
            flusher: Flusher::new(),
            host_stores: HostStores::new(),
            queues: Mutex::new(Rank::Context, WeakList::new()),
            devices,
            properties,
            notify,
        })
    }

    /// CL_CONTEXT_DEVICES.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Whether a device belongs to the context.
    pub fn has_device(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
    }

    /// CL_CONTEXT_PROPERTIES.
    pub fn properties(&self) -> &[isize] {
        &self.properties
    }

    /// Tells the application's notify function; call it with no lock held.
    pub fn report(&self, what: &str) {
        if let Some(notify) = &self.notify {
            crate::lock::assert_none_held();
            notify(what);
        }
    }

    /// Runs a callback on the thread that it is for. Waits for nothing.
    pub(crate) fn call(&self, by: By, job: Box<dyn FnOnce() + Send>) {
        let left = match by {
            By::Executor => Err(job),
            By::Native => self.natives.call(job),
        };
        if let Err(job) = left {
            self.executor.call(job);
        }
    }

    /// Runs a build that nobody waits for. Where no thread can be started this one does it.
    pub(crate) fn build(&self, job: Box<dyn FnOnce() + Send>) {
        if let Err(job) = self.builds.call(job) {
            job();
        }
    }

    pub(crate) fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    /// Runs what waits for a device and copies contents to another.
    pub(crate) fn migration_thread(&self) -> &Arc<Executor> {
        &self.migration_thread
    }

    pub(crate) fn flusher(&self) -> &Arc<Flusher> {
        &self.flusher
    }

    /// The host memory that commands in flight of all its queues store into.
    pub(crate) fn host_stores(&self) -> &HostStores {
        &self.host_stores
    }

    /// Remembers a queue.
    pub(crate) fn add_queue(&self, queue: &Arc<CommandQueue>) {
        self.queues.lock().push(queue);
    }

    /// Its queues. No lock is held: one of them may be the last reference.
    pub(crate) fn queues(&self) -> Vec<Arc<CommandQueue>> {
        self.queues.lock().iter().collect()
    }

    /// Waits for what is in flight, so that the memory of objects that were released is free. No lock is held.
    pub(crate) fn settle(&self) {
        self.queues().iter().for_each(|q| q.settle());
    }
}
