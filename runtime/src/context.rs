//! Contexts (CL 4.4).

use std::sync::Arc;

use caldera_compiler::check::Checks;
use caldera_compiler::target::{Target, Zeroed};

use crate::capture::Selection;
use crate::check::Allocations;
use crate::config::config;
use crate::device::Device;
use crate::device::bounce::BounceBuffers;
use crate::error::{ClCode, Error, Result};
use crate::event::By;
use crate::event::executor::Executor;
use crate::event::pool::Pool;
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::addresses::AddressTable;
use crate::mem::host_stores::HostStores;
use crate::mem::residence::MOST_DEVICES;
use crate::mem::svm::SvmTable;
use crate::object::Anchor;
use crate::observe::{Observer, observer};
use crate::queue::{CommandQueue, Flusher};
use crate::weak_list::WeakList;

/// The application's `pfn_notify`, which the icd crate has wrapped.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// The most native kernels that run at the same time; further ones wait until one of them returns.
const MOST_NATIVES: usize = 256;

/// Returns the number of processors, which is the most builds that run at the same time.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A context object: devices that share objects.
pub struct Context {
    anchor: Anchor<Context>,
    devices: Vec<Arc<Device>>,
    properties: Vec<isize>,
    notify: Option<Notify>,
    /// Runs callbacks and polls events.
    executor: Arc<Executor>,
    natives: Arc<Pool>,
    builds: Arc<Pool>,
    pipelines: Arc<Pool>,
    /// The migration thread, which copies contents between devices.
    migration_thread: Arc<Executor>,
    /// Host memory through which contents move between the devices.
    bounce_buffers: BounceBuffers,
    flusher: Arc<Flusher>,
    host_stores: HostStores,
    addresses: AddressTable,
    svm: SvmTable,
    /// The checks of the context's kernels, and the allocations that they need to know.
    checks: Checks,
    allocations: Option<Arc<Allocations>>,
    queues: Mutex<WeakList<CommandQueue>>,
    destructor_callbacks: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
    observer: Option<&'static Observer>,
    captures: Option<&'static Selection>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // CL 3.0, 4.4: the functions are called in the reverse order of their registration, when the context is
        // destroyed.
        let mut callbacks = std::mem::take(self.destructor_callbacks.get_mut());
        if !callbacks.is_empty() {
            callbacks.reverse();
            self.executor.call(Box::new(move || {
                callbacks.into_iter().for_each(|callback| callback())
            }));
        }
        self.executor.stop();
        self.natives.stop();
        self.builds.stop();
        self.pipelines.stop();
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

/// Returns the value of CL_CONTEXT_MEMORY_INITIALIZE_KHR in a property list.
fn initialized(properties: &[isize]) -> Option<isize> {
    const INITIALIZE: isize = 0x2030;
    let (pairs, _) = properties.as_chunks::<2>();
    pairs.iter().find(|p| p[0] == INITIALIZE).map(|p| p[1])
}

impl Context {
    /// Creates a context (CL 4.4, clCreateContext). `properties` is the property list as the application passed
    /// it (terminating 0 included), for CL_CONTEXT_PROPERTIES; the caller has checked it. Duplicate devices are
    /// dropped.
    pub fn create(
        devices: &[Arc<Device>],
        properties: Vec<isize>,
        notify: Option<Notify>,
    ) -> Result<Arc<Context>> {
        // CL 4.4: INVALID_VALUE if num_devices is zero
        if devices.is_empty() {
            return Err(Error::new(ClCode::InvalidValue, "no device").at("4.4"));
        }
        // CL 4.4: INVALID_PROPERTY if a context property name is not supported
        let zeroes = |d: &Arc<Device>| d.info().extensions.contains(&"cl_khr_initialize_memory");
        if initialized(&properties).is_some() && !devices.iter().all(zeroes) {
            let what = "a device does not have cl_khr_initialize_memory";
            return Err(Error::new(ClCode::InvalidProperty, what).at("4.4"));
        }
        crate::process::makes_context();
        let mut unique: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| Arc::ptr_eq(d, device)) {
                // CL 4.4: DEVICE_NOT_AVAILABLE if a device is currently not available
                device.revive()?;
                // The first use of a device measures it, which must happen with no lock held. The measurement
                // may lose the device.
                device.target();
                device.revive()?;
                unique.push(Arc::clone(device));
            }
        }
        if unique.len() > MOST_DEVICES {
            let what = format!("{} devices in one context", unique.len());
            return Err(Error::new(ClCode::OutOfResources, what).at("4.4"));
        }
        Ok(Context::of(
            unique,
            properties,
            notify,
            config().check,
            (observer(), config().capture.as_ref()),
        ))
    }

    /// Creates a context for the measurement of a device.
    pub(crate) fn for_calibration(device: &Arc<Device>) -> Result<Arc<Context>> {
        device.opened()?;
        let checks = Checks::default();
        Ok(Context::of(
            vec![Arc::clone(device)],
            Vec::new(),
            None,
            checks,
            (None, None),
        ))
    }

    fn of(
        devices: Vec<Arc<Device>>,
        properties: Vec<isize>,
        notify: Option<Notify>,
        checks: Checks,
        (observer, captures): (Option<&'static Observer>, Option<&'static Selection>),
    ) -> Arc<Context> {
        let know_writes = checks.uninitialized && devices.len() == 1;
        if checks.uninitialized && !know_writes {
            log::warn!("uninitialized: buffers are not checked, because the context has several devices");
        }
        Arc::new(Context {
            anchor: Anchor::new(),
            executor: Executor::new("caldera-executor"),
            natives: Pool::new("caldera-native", MOST_NATIVES),
            builds: Pool::new("caldera-build", processors()),
            pipelines: Pool::new("caldera-pipeline", processors().saturating_sub(1).max(1)),
            migration_thread: Executor::new("caldera-migrate"),
            bounce_buffers: BounceBuffers::new(),
            flusher: Flusher::new(),
            host_stores: HostStores::new(),
            addresses: AddressTable::new(),
            svm: SvmTable::new(),
            checks,
            allocations: checks.any().then(|| Allocations::new(know_writes)),
            queues: Mutex::new(Rank::Context, WeakList::new()),
            destructor_callbacks: Mutex::new(Rank::Context, Vec::new()),
            observer,
            captures,
            devices,
            properties,
            notify,
        })
    }

    /// Returns what observes the context's queues. The library's own context is not observed.
    pub(crate) fn observer(&self) -> Option<&'static Observer> {
        self.observer
    }

    /// Returns which launches on the context's queues are captured. None of the library's own context is.
    #[inline]
    pub(crate) fn captures(&self) -> Option<&'static Selection> {
        self.captures
    }

    /// Returns the compiler's target for programs of the context. Their kernels find the memory zeroed that the properties
    /// name (cl_khr_initialize_memory, CL_CONTEXT_MEMORY_INITIALIZE_KHR), and make the checks of `CALDERA_CHECK`.
    pub(crate) fn target(&self, device: &Arc<Device>) -> Arc<Target> {
        let target = device.target();
        let (zeroed, checks) = (self.zeroed(), self.checks);
        if zeroed == Zeroed::default() && !checks.any() {
            return Arc::clone(target);
        }
        Arc::new(Target {
            zeroed,
            checks,
            ..Target::clone(target)
        })
    }

    /// Returns the memory that is zero when a kernel begins.
    pub(crate) fn zeroed(&self) -> Zeroed {
        let bits = initialized(&self.properties).unwrap_or(0);
        Zeroed {
            local: bits & 1 != 0,
            private: bits & 2 != 0,
        }
    }

    /// Returns CL_CONTEXT_DEVICES.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Returns whether a device belongs to the context.
    pub fn has_device(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
    }

    /// Returns CL_CONTEXT_PROPERTIES.
    pub fn properties(&self) -> &[isize] {
        &self.properties
    }

    /// Registers a function that is called when the context is destroyed (CL 3.0, 4.4,
    /// clSetContextDestructorCallback).
    pub fn on_destroy(&self, callback: Box<dyn FnOnce() + Send>) {
        self.destructor_callbacks.lock().push(callback);
    }

    /// Calls the application's notify function; no lock may be held.
    pub fn report(&self, what: &str) {
        if let Some(notify) = &self.notify {
            crate::lock::assert_none_held();
            notify(what);
        }
    }

    /// Runs a callback on the thread that it is meant for: the executor's, or one for native kernels. Does not block.
    pub(crate) fn call(&self, by: By, job: Box<dyn FnOnce() + Send>) {
        let left = match by {
            By::Executor => Err(job),
            By::Native => self.natives.call(job),
        };
        if let Err(job) = left {
            self.executor.call(job);
        }
    }

    /// Runs a build that no call waits for. If no thread can be started, this thread runs it.
    pub(crate) fn build(&self, job: Box<dyn FnOnce() + Send>) {
        if let Err(job) = self.builds.call(job) {
            job();
        }
    }

    /// Runs a job that makes a pipeline before it is needed. If no thread can be started, the job is dropped.
    pub(crate) fn prepare(&self, job: Box<dyn FnOnce() + Send>) {
        let _ = self.pipelines.call(job);
    }

    /// Runs a job as [`Context::prepare`] does, but after all jobs of that function, because its pipeline may not be needed.
    pub(crate) fn prepare_guess(&self, job: Box<dyn FnOnce() + Send>) {
        self.pipelines.guess(job);
    }

    pub(crate) fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    /// Returns the executor whose thread waits for devices and copies contents between them.
    pub(crate) fn migration_thread(&self) -> &Arc<Executor> {
        &self.migration_thread
    }

    /// Returns the host memory through which contents move between the devices.
    pub(crate) fn bounce_buffers(&self) -> &BounceBuffers {
        &self.bounce_buffers
    }

    pub(crate) fn flusher(&self) -> &Arc<Flusher> {
        &self.flusher
    }

    /// Returns the table of host memory that commands in flight of all the context's queues store into.
    pub(crate) fn host_stores(&self) -> &HostStores {
        &self.host_stores
    }

    /// Adds a queue to the context's list.
    pub(crate) fn add_queue(&self, queue: &Arc<CommandQueue>) {
        self.queues.lock().push(queue);
    }

    /// Returns the table of the buffers whose device addresses the application knows.
    pub(crate) fn addresses(&self) -> &AddressTable {
        &self.addresses
    }

    /// Returns the table of shared virtual memory.
    pub(crate) fn svm(&self) -> &SvmTable {
        &self.svm
    }

    /// Returns the table of all allocations, if the context's kernels make checks.
    pub(crate) fn allocations(&self) -> Option<&Arc<Allocations>> {
        self.allocations.as_ref()
    }

    /// Returns the context's queues. No lock may be held when the result is dropped, because it may have the
    /// last reference to a queue.
    pub(crate) fn queues(&self) -> Vec<Arc<CommandQueue>> {
        self.queues.lock().iter().collect()
    }

    /// Waits for all commands in flight, so that the memory of released objects is freed. No lock may be held.
    pub(crate) fn settle(&self) {
        self.queues().iter().for_each(|q| q.settle());
    }

    /// Waits for all commands enqueued so far, except those that depend on the application, for example on a user event. No
    /// lock may be held.
    pub(crate) fn wait_for_certain(&self) {
        let queues = self.queues();
        let last: Vec<_> = queues
            .iter()
            .flat_map(CommandQueue::last_certain_events)
            .collect();
        // A command may wait for one of another queue, so all are flushed first. If a submission fails, so do the events.
        queues.iter().for_each(|q| drop(q.flush()));
        for event in last {
            event.wait();
        }
    }
}
