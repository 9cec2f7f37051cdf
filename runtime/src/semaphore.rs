//! Semaphores (cl_khr_semaphore), of the binary type.
//!
//! A semaphore passes the event of a signal command to the command that waits. So a wait is ordered like any command
//! that waits for an event of another queue: on the GPU, where that is possible. A wait may also be enqueued before its
//! signal: it then waits for a user event of the runtime, the gate, which the signal sets when it is complete.
//!
//! A semaphore that is shared with other APIs (cl_khr_external_semaphore) is a Vulkan semaphore of one device. Commands wait
//! for it and signal it on the GPU, and a wait must be flushed after its signal, as Vulkan demands.

use std::sync::Arc;

use crate::command::semaphores::Semaphores;
use crate::command::{Command, CommandType, Prepared};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::event::{Event, Status};
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::Properties;
use crate::object::Anchor;
use crate::queue::{CommandQueue, Enqueued, Waits, resources};
use crate::vk::{self, SharedSemaphore};

pub use crate::vk::SemaphoreHandle;

/// A semaphore object.
pub struct Semaphore {
    anchor: Anchor<Semaphore>,
    context: Arc<Context>,
    /// The devices that may use it.
    devices: Vec<Arc<Device>>,
    property_list: Properties,
    state: Mutex<State>,
    sharing: Sharing,
    /// The Vulkan semaphore, if it is shared with other APIs. Another import replaces it.
    shared: Mutex<Option<Arc<SharedSemaphore>>>,
}

/// How a semaphore is shared with other APIs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Not at all.
    None,
    /// By descriptors of this type that are exported.
    Export(SemaphoreHandle),
    /// By this descriptor. The call that imports it owns it from then on, if the call succeeds.
    Import(SemaphoreHandle, i32),
}

impl_object!(Semaphore, ClCode::InvalidSemaphoreKhr, "semaphore");

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}

/// What the semaphore's last command was.
enum State {
    /// None, or a wait whose signal had been enqueued.
    Unsignaled,
    /// None, after the import of a sync file, which stands for a signal.
    Imported,
    /// A signal, with this event.
    Signal(Arc<Event>),
    /// A wait, with this gate.
    Wait(Arc<Event>),
}

impl Semaphore {
    /// Creates a semaphore (clCreateSemaphoreWithPropertiesKHR) for a device of a context, or for the context's only device.
    pub fn create(
        context: &Arc<Context>,
        device: Option<Arc<Device>>,
        sharing: Sharing,
    ) -> Result<Arc<Semaphore>> {
        let devices = device.map_or_else(|| context.devices().to_vec(), |d| vec![d]);
        Ok(Arc::new(Semaphore {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            shared: Mutex::new(
                Rank::Semaphore,
                sharing.make(&devices[0], ClCode::InvalidProperty)?,
            ),
            devices,
            property_list: Properties::default(),
            state: Mutex::new(Rank::Semaphore, sharing.first_state()),
            sharing,
        }))
    }

    /// Returns CL_SEMAPHORE_CONTEXT_KHR.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Returns the list of CL_SEMAPHORE_PROPERTIES_KHR.
    pub fn property_list(&self) -> &Properties {
        &self.property_list
    }

    /// Returns how it is shared with other APIs.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Returns CL_SEMAPHORE_PAYLOAD_KHR: whether it is signaled, as far as OpenCL's own calls tell. Vulkan does not say what
    /// other APIs have done with a semaphore that is shared with them.
    pub fn is_signaled(&self) -> bool {
        match self.signal() {
            Some(event) => event.status() == Status::Complete,
            None => matches!(&*self.state.lock(), State::Imported),
        }
    }

    /// Returns the event of the signal that is the last command.
    fn signal(&self) -> Option<Arc<Event>> {
        match &*self.state.lock() {
            State::Signal(event) => Some(Arc::clone(event)),
            State::Unsignaled | State::Imported | State::Wait(_) => None,
        }
    }

    /// Returns the Vulkan semaphore, if it is shared with other APIs.
    fn shared(&self) -> Option<Arc<SharedSemaphore>> {
        self.shared.lock().clone()
    }

    /// Changes the state. The earlier one, which may have the last reference to a queue, is dropped with no lock held.
    fn set_state(&self, state: State) {
        let before = std::mem::replace(&mut *self.state.lock(), state);
        drop(before);
    }

    /// Returns a new descriptor of the type that the semaphore was created for (clGetSemaphoreHandleForTypeKHR). The export of a
    /// sync file unsignals the semaphore, as a wait does.
    pub fn export(&self) -> Result<i32> {
        let (Sharing::Export(kind), Some(shared)) = (self.sharing, self.shared()) else {
            let what = "the semaphore was not created for exports";
            return Err(Error::new(ClCode::InvalidValue, what));
        };
        if kind == SemaphoreHandle::OpaqueFd {
            return shared.export(kind).map_err(resources);
        }
        // Vulkan demands a signal that has been submitted, or is complete.
        let is_submitted = |e: &Arc<Event>| match e.status() {
            Status::Submitted | Status::Running | Status::Complete => true,
            Status::Queued | Status::Failed(_) => false,
        };
        if !self.signal().as_ref().is_some_and(is_submitted) {
            let what = "no signal of the semaphore has been submitted";
            return Err(Error::new(ClCode::InvalidOperation, what));
        }
        let fd = shared.export(kind).map_err(resources)?;
        self.set_state(State::Unsignaled);
        Ok(fd)
    }

    /// Imports a descriptor in place of the one that the semaphore was created from (clReImportSemaphoreSyncFdKHR). CL, "File
    /// Descriptor Handle Types": this is equivalent to destroying the semaphore and creating it again, so commands that have
    /// not completed may still wait for the earlier descriptor. Vulkan forbids an import into a semaphore that commands use
    /// (VUID-vkImportSemaphoreFdKHR-semaphore-01142), so a new one takes its place; the commands keep the other one alive.
    pub fn import_again(&self, fd: i32) -> Result<()> {
        let Sharing::Import(kind @ SemaphoreHandle::SyncFd, _) = self.sharing else {
            let what = "the semaphore was not created from a descriptor of a sync file";
            return Err(Error::new(ClCode::InvalidSemaphoreKhr, what));
        };
        let shared = Sharing::Import(kind, fd).make(&self.devices[0], ClCode::InvalidValue)?;
        let before = std::mem::replace(&mut *self.shared.lock(), shared);
        drop(before);
        self.set_state(State::Imported);
        Ok(())
    }
}

impl Sharing {
    /// Returns the state of a new semaphore.
    fn first_state(self) -> State {
        match self {
            Sharing::Import(SemaphoreHandle::SyncFd, _) => State::Imported,
            Sharing::None | Sharing::Export(_) | Sharing::Import(SemaphoreHandle::OpaqueFd, _) => {
                State::Unsignaled
            }
        }
    }

    /// Makes the Vulkan semaphore of a semaphore that is shared with other APIs. `refused` is the error code for a handle that the
    /// driver refuses.
    fn make(self, device: &Arc<Device>, refused: ClCode) -> Result<Option<Arc<SharedSemaphore>>> {
        let info = device.info();
        let exported = match self {
            Sharing::None => return Ok(None),
            // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_PROPERTY if the value of a property is not valid
            Sharing::Export(kind) if !info.semaphore_exports.contains(&kind) => {
                let what = "the device exports no handles of this type";
                return Err(Error::new(ClCode::InvalidProperty, what));
            }
            // CL, clCreateSemaphoreWithPropertiesKHR: INVALID_DEVICE if the device cannot import the handle type
            Sharing::Import(kind, _) if !info.semaphore_imports.contains(&kind) => {
                let what = "the device imports no handles of this type";
                return Err(Error::new(ClCode::InvalidDevice, what));
            }
            Sharing::Export(kind) => Some(kind),
            Sharing::Import(..) => None,
        };
        let opened = device.opened()?;
        let semaphore = SharedSemaphore::new(opened.logical(), exported).map_err(resources)?;
        if let Sharing::Import(kind, fd) = self {
            let imported = semaphore.import(kind, fd);
            imported.map_err(|e| import_error(e, refused))?;
        }
        Ok(Some(Arc::new(semaphore)))
    }
}

/// Returns the error of an import. `refused` is the error code for a handle that the driver refuses.
fn import_error(e: vk::VkError, refused: ClCode) -> Error {
    match e.failure() == vk::Failure::Handle {
        true => Error::new(refused, "the handle could not be imported").from_source(e),
        false => resources(e),
    }
}

/// Returns the command that waits for the Vulkan semaphores of these semaphores, or signals them. Semaphores that are not shared
/// with other APIs have none.
fn command(kind: CommandType, semaphores: &[Arc<Semaphore>], signal: bool) -> Prepared {
    let list = semaphores.iter().filter_map(|s| s.shared()).collect();
    Prepared {
        kind,
        command: Command::Semaphores(Semaphores { list, signal }),
    }
}

/// Checks that semaphores may be used on a queue. CL, clEnqueueWaitSemaphoresKHR: INVALID_CONTEXT if the context of a
/// semaphore is not that of the queue; INVALID_COMMAND_QUEUE if the queue's device is not one of a semaphore's
pub fn check_queue(queue: &CommandQueue, semaphores: &[Arc<Semaphore>]) -> Result<()> {
    queue.check_contexts(semaphores.iter().map(|s| s.context()))?;
    let is_for = |s: &Arc<Semaphore>| s.devices.iter().any(|d| Arc::ptr_eq(d, queue.device()));
    match semaphores.iter().all(is_for) {
        true => Ok(()),
        false => Err(Error::new(
            ClCode::InvalidCommandQueue,
            "a semaphore is not for the queue's device",
        )),
    }
}

/// Enqueues a wait (clEnqueueWaitSemaphoresKHR) on a queue of the semaphores' context and devices.
pub fn enqueue_wait(queue: &Arc<CommandQueue>, semaphores: &[Arc<Semaphore>], waits: Waits<'_>) -> Enqueued {
    let mut list = waits.list.to_vec();
    let mut before = Vec::with_capacity(semaphores.len());
    for semaphore in semaphores {
        let mut state = semaphore.state.lock();
        if semaphore.sharing != Sharing::None {
            before.push(std::mem::replace(&mut *state, State::Unsignaled));
            continue;
        }
        let (signal, next) = match &*state {
            State::Signal(event) => (Arc::clone(event), State::Unsignaled),
            State::Unsignaled | State::Imported => {
                let gate = Event::user(&semaphore.context);
                (Arc::clone(&gate), State::Wait(gate))
            }
            // The application waits twice, which leaves the result undefined. Both waits end.
            State::Wait(gate) => (Arc::clone(gate), State::Wait(Arc::clone(gate))),
        };
        before.push(std::mem::replace(&mut *state, next));
        list.push(signal);
    }
    let waits = Waits { list: &list, ..waits };
    let wait = command(CommandType::SemaphoreWait, semaphores, false);
    let enqueued = queue.enqueue_prepared(wait, waits);
    if enqueued.is_err() {
        // No command waits, so the semaphores are as they were. States are dropped with no lock held.
        for (semaphore, before) in semaphores.iter().zip(&mut before) {
            std::mem::swap(&mut *semaphore.state.lock(), before);
        }
    }
    enqueued
}

/// Enqueues a signal (clEnqueueSignalSemaphoresKHR) on a queue of the semaphores' context and devices.
pub fn enqueue_signal(
    queue: &Arc<CommandQueue>,
    semaphores: &[Arc<Semaphore>],
    waits: Waits<'_>,
) -> Enqueued {
    let with_event = Waits {
        want_event: true,
        ..waits
    };
    let signal = command(CommandType::SemaphoreSignal, semaphores, true);
    let event = queue.enqueue_prepared(signal, with_event)?;
    let event = event.expect("asked for");
    for semaphore in semaphores {
        let gate = {
            let mut state = semaphore.state.lock();
            match std::mem::replace(&mut *state, State::Unsignaled) {
                State::Wait(gate) => Some(gate),
                // The event of an earlier signal may be the last reference to its queue, so no lock may be held when it
                // is dropped: it is returned.
                State::Signal(earlier) => {
                    *state = State::Signal(Arc::clone(&event));
                    drop(state);
                    drop(earlier);
                    None
                }
                State::Unsignaled | State::Imported => {
                    *state = State::Signal(Arc::clone(&event));
                    None
                }
            }
        };
        if let Some(gate) = gate {
            // The commands that wait are deferred until the gate is set, so the queue must reach the signal.
            let open = move |status: Status| {
                let status = match status {
                    Status::Failed(n) => Status::Failed(n),
                    Status::Complete | Status::Running | Status::Submitted | Status::Queued => {
                        Status::Complete
                    }
                };
                // The gate is private, so its status has not been set before.
                let _ = gate.set_user_status(status);
            };
            event.on_status(Status::Complete, Box::new(open));
        }
    }
    Ok(Some(event).filter(|_| waits.want_event))
}
