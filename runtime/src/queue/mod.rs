//! Command queues (CL 5.1) and everything that can be enqueued.
//!
//! A queue has a Vulkan queue (shared with others in turn), a timeline of its own, and one open batch into which
//! commands are recorded in the enqueue call itself. *In order* means that a command sees what those before it wrote,
//! not that independent ones never overlap on the GPU ([`hazards`]). With CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
//! commands are ordered by what they wait for, by barriers, and still by ranges of memory that both are known to touch.

mod batch;
mod completion;
mod deferred;
mod enqueue;
mod enqueue_image;
mod failure;
mod flusher;
mod hazards;
mod moves;
mod native;
mod noticed;
mod scheduler;
mod speculation;
mod transfer;
mod turn;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

pub(crate) use batch::{Finish, Keep, KeptBy, Recording, resources};
pub use enqueue_image::{HostSide, MappedImage};
pub(crate) use flusher::Flusher;
pub(crate) use hazards::Access;
pub use native::NativeFn;

use crate::context::Context;
use crate::device::{Device, Opened};
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event};
use crate::impl_object;
use crate::lock::{Condvar, Mutex, Rank};
use crate::object::Anchor;
use crate::vk;
use batch::{Batch, Finishing};
use hazards::Hazards;
use noticed::Noticed;
use speculation::Confidence;

/// CL_QUEUE_PROPERTIES.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct QueueProperties {
    pub out_of_order: bool,
    pub profiling: bool,
}

/// `event_wait_list` and `event` of every enqueue function.
#[derive(Copy, Clone, Default)]
pub struct Waits<'a> {
    /// What must be complete before the command starts.
    pub list: &'a [Arc<Event>],
    /// Whether the application wants the command's event. Without it no event is made.
    pub want_event: bool,
    /// The list is not one: INVALID_EVENT_WAIT_LIST, once what comes before that has been checked.
    pub malformed: bool,
}

impl Waits<'_> {
    /// CL 5.8 and others: INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or
    /// event_wait_list is not NULL and num_events_in_wait_list is 0, or if its events are not valid events
    fn check_list(&self) -> Result<()> {
        if self.malformed {
            return Err(Error::new(
                ClCode::InvalidEventWaitList,
                "event_wait_list is not a list of events",
            ));
        }
        Ok(())
    }
}

/// CL_MAP_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MapFlags {
    pub read: bool,
    pub write: bool,
    /// CL_MAP_WRITE_INVALIDATE_REGION: write, and the old contents are not needed.
    pub invalidate: bool,
}

/// The command's event, if it was wanted. Errors that are known at once are returned; later ones go to the event.
pub type Enqueued = Result<Option<Arc<Event>>>;

/// A command queue.
pub struct CommandQueue {
    anchor: Anchor<CommandQueue>,
    state: Mutex<State>,
    /// A thread has given back its turn.
    turn_ended: Condvar,
    /// The first error that no enqueue call returned.
    failure: OnceLock<failure::Failure>,
    retiring: Mutex<()>,
    /// Batches up to here are retired.
    retired: AtomicU64,
    /// The value of the last submission.
    submitted: AtomicU64,
    /// From 1; of no other queue of the process.
    number: u32,
    /// The last batch submitted that ends with a barrier for the host.
    shown: AtomicU64,
    /// The context's thread is to submit what is recorded.
    owes_flush: AtomicBool,
    /// Number of batches in flight.
    in_flight: AtomicU32,
    /// The last submission when an enqueue call last looked for what is done.
    looked: AtomicU64,
    timeline: Arc<vk::Timeline>,
    logical: Arc<vk::Device>,
    opened: Arc<Opened>,
    vk_queue: usize,
    device: Arc<Device>,
    device_index: usize,
    properties: QueueProperties,
    context: Arc<Context>,
}

impl_object!(CommandQueue, ClCode::InvalidCommandQueue, "command queue");

impl std::fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandQueue")
            .field("properties", &self.properties)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Nothing is recorded, deferred or in flight.
    fn is_idle(&self) -> bool {
        self.deferred.is_empty()
            && self.in_flight.is_empty()
            && self.finishing.is_none()
            && self.open.as_ref().is_none_or(|b| b.commands == 0)
    }
}

struct State {
    /// Being recorded.
    open: Option<Box<Batch>>,
    /// Submitted, oldest first.
    in_flight: VecDeque<Box<Batch>>,
    /// For reuse.
    #[allow(clippy::vec_box, reason = "batches move between the lists")]
    free: Vec<Box<Batch>>,
    /// The timeline value of the last submission.
    last: u64,
    /// So many commands are worth a submission of their own if the GPU has nothing else to do.
    worth_waking: u32,
    /// A thread places a command for which it needs more than one hold of the lock.
    turn_is_taken: bool,
    /// Commands that cannot be recorded yet, and what must come after them.
    deferred: VecDeque<deferred::Deferred>,
    hazards: Hazards,
    confidence: Confidence,
    /// Transfer commands have written since the last barrier for the host.
    transfers: bool,
    /// The device's uploads ([`Opened::uploads_since`]) that commands of this queue see.
    uploads: u64,
    noticed: Noticed,
    clock: Clock,
    /// The batch whose host work is being done, if it stores anything.
    finishing: Option<Finishing>,
}

impl CommandQueue {
    /// CL 5.1 — clCreateCommandQueue
    pub fn create(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: QueueProperties,
    ) -> Result<Arc<CommandQueue>> {
        // CL 5.1: INVALID_DEVICE if device is not associated with context
        let Some(device_index) = context.devices().iter().position(|d| Arc::ptr_eq(d, device)) else {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.1"));
        };
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let opened = device.opened()?;
        let logical = Arc::clone(opened.logical());
        let timeline = Arc::new(vk::Timeline::new(&logical).map_err(resources)?);
        let queue = CommandQueue {
            anchor: Anchor::new(),
            state: Mutex::new(
                Rank::Queue,
                State {
                    open: None,
                    in_flight: VecDeque::new(),
                    free: Vec::new(),
                    last: 0,
                    worth_waking: scheduler::WORTH_WAKING,
                    turn_is_taken: false,
                    deferred: VecDeque::new(),
                    hazards: Hazards::default(),
                    confidence: Confidence::new(),
                    transfers: false,
                    uploads: 0,
                    noticed: Noticed::default(),
                    clock: Clock::default(),
                    finishing: None,
                },
            ),
            turn_ended: Condvar::new(),
            failure: OnceLock::new(),
            retiring: Mutex::new(Rank::Retire, ()),
            retired: AtomicU64::new(0),
            submitted: AtomicU64::new(0),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            shown: AtomicU64::new(0),
            owes_flush: AtomicBool::new(false),
            in_flight: AtomicU32::new(0),
            looked: AtomicU64::new(0),
            timeline,
            vk_queue: logical.next_queue(),
            logical,
            opened,
            device: Arc::clone(device),
            device_index,
            properties,
            context: Arc::clone(context),
        };
        let queue = Arc::new(queue);
        context.add_queue(&queue);
        crate::process::add_queue(&queue);
        Ok(queue)
    }

    /// CL_QUEUE_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_QUEUE_DEVICE.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// CL_QUEUE_PROPERTIES.
    pub fn properties(&self) -> QueueProperties {
        self.properties
    }

    pub(crate) fn device_index(&self) -> usize {
        self.device_index
    }

    pub(crate) fn timeline(&self) -> &Arc<vk::Timeline> {
        &self.timeline
    }

    /// Submits what is recorded. [`CommandQueue::flush_soon`] is clFlush.
    pub fn flush(self: &Arc<Self>) -> Result<()> {
        let mut effects = Effects::default();
        let submitted = {
            let mut state = self.state.lock_soon();
            self.submit(&mut state, &mut effects)
        };
        effects.run();
        submitted
    }

    /// CL 5.1 — clReleaseCommandQueue: flushes, and sees to it that what is in flight comes to its end although nobody
    /// may ever ask for it: events hold their queue and batches their events, until a batch is retired.
    pub fn flush_for_release(self: &Arc<Self>) -> Result<()> {
        // A failure has no effect on the release: events show it.
        let _ = self.flush();
        self.poll();
        let last: Vec<Arc<Event>> = {
            let state = self.state.lock();
            let in_flight = state.in_flight.iter().rev().find_map(|b| b.last_event());
            let deferred = state.deferred.iter().rev();
            let deferred = deferred.filter_map(deferred::Deferred::own_event);
            let deferred = deferred.take(if self.properties.out_of_order {
                usize::MAX
            } else {
                1
            });
            in_flight.into_iter().chain(deferred).collect()
        };
        for event in &last {
            self.context.executor().watch(event);
        }
        Ok(())
    }

    /// Whether the GPU has done what was submitted. Takes no lock.
    pub(crate) fn is_settled(&self) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        self.timeline.is_over(submitted)
    }

    /// CL 5.13 — clFinish
    pub fn finish(self: &Arc<Self>) -> Result<()> {
        self.drain();
        if self.logical.is_lost() {
            return Err(Error::new(ClCode::OutOfResources, "the device is lost").at("5.13"));
        }
        self.check_usable()
    }
}

impl Drop for CommandQueue {
    /// Events hold their queue, so none is left; what is still recorded or in flight runs to its end.
    fn drop(&mut self) {
        let value = {
            let mut effects = Effects::default();
            let mut state = self.state.lock();
            // A failure is in the log, and nobody can ask any more.
            let _ = self.submit(&mut state, &mut effects);
            state.last
        };
        if value > self.retired.load(Ordering::Acquire) {
            self.wait_for(value);
        }
    }
}
