//! Semaphores (cl_khr_semaphore), of the binary type.
//!
//! A semaphore passes the event of a signal command to the command that waits. So a wait is ordered like any command
//! that waits for an event of another queue: on the GPU, where that is possible. A wait may also be enqueued before its
//! signal: it then waits for a user event of the runtime, the gate, which the signal sets when it is complete.

use std::sync::Arc;

use crate::command::{CommandType, Prepared};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::event::{Event, Status};
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::Properties;
use crate::object::Anchor;
use crate::queue::{CommandQueue, Enqueued, Waits};

/// A semaphore object.
pub struct Semaphore {
    anchor: Anchor<Semaphore>,
    context: Arc<Context>,
    /// The devices that may use it.
    devices: Vec<Arc<Device>>,
    property_list: Properties,
    state: Mutex<State>,
}

impl_object!(Semaphore, ClCode::InvalidSemaphoreKhr, "semaphore");

impl std::fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}

/// The command that has been enqueued last.
enum State {
    /// None, or a wait whose signal had been enqueued.
    Unsignaled,
    /// A signal, with this event.
    Signal(Arc<Event>),
    /// A wait, with this gate.
    Wait(Arc<Event>),
}

impl Semaphore {
    /// Creates a semaphore (clCreateSemaphoreWithPropertiesKHR) for some devices of a context, or for all.
    pub fn create(context: &Arc<Context>, devices: Option<Vec<Arc<Device>>>) -> Arc<Semaphore> {
        Arc::new(Semaphore {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            devices: devices.unwrap_or_else(|| context.devices().to_vec()),
            property_list: Properties::default(),
            state: Mutex::new(Rank::Semaphore, State::Unsignaled),
        })
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

    /// Returns CL_SEMAPHORE_PAYLOAD_KHR: whether it is signaled.
    pub fn is_signaled(&self) -> bool {
        let signal = match &*self.state.lock() {
            State::Signal(event) => Arc::clone(event),
            State::Unsignaled | State::Wait(_) => return false,
        };
        signal.status() == Status::Complete
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
        let (signal, next) = match &*state {
            State::Signal(event) => (Arc::clone(event), State::Unsignaled),
            State::Unsignaled => {
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
    let enqueued = queue.enqueue_prepared(Prepared::nothing(CommandType::SemaphoreWait), waits);
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
    let event = queue.enqueue_prepared(Prepared::nothing(CommandType::SemaphoreSignal), with_event)?;
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
                State::Unsignaled => {
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
