//! Command queues (CL 5.1) and the commands that can be enqueued.
//!
//! A queue uses a Vulkan queue (which several queues may share), has a timeline of its own, and one open batch,
//! into which commands are recorded during the enqueue call. *In order* means that a command sees the writes of
//! all earlier commands, not that independent commands never overlap on the GPU (`hazards`). With
//! CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, commands are ordered by their wait lists and by barriers, and also
//! by the ranges of memory that both are known to access.
//!
//! | to read | modules |
//! |---|---|
//! | first: from an enqueue call to the GPU and back | `enqueue`, `scheduler`, `batch`, `completion` (`runtime/docs/scheduling.md` has the whole) |
//! | other enqueue functions | `enqueue_image`, `svm`, `native`; for reads and writes `transfer` and `turn` |
//! | order | `hazards`; commands that must wait: `deferred`, `moves`, `retirements` |
//! | errors that no call returns | `failure` |
//! | what makes it quicker | `flusher`, `speculation` |
//! | what tools ask for | `observed` (profile and trace), `contents` (captures), `written` (checks of kernels) |

mod batch;
mod completion;
mod contents;
mod deferred;
mod enqueue;
mod enqueue_image;
mod failure;
mod flusher;
mod hazards;
mod moves;
mod native;
mod observed;
mod retirements;
mod scheduler;
mod speculation;
mod svm;
mod transfer;
mod turn;
mod written;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

pub(crate) use batch::{HostCopy, Keep, KeptBy, Recording, resources};
pub use enqueue_image::MappedImage;
pub(crate) use flusher::Flusher;
pub(crate) use hazards::Access;
pub use native::NativeFn;
pub use svm::SvmSide;

use crate::context::Context;
use crate::device::{Device, Opened};
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event};
use crate::impl_object;
use crate::lock::{Condvar, Mutex, Rank};
use crate::mem::Properties;
use crate::object::Anchor;
use crate::vk;
use batch::{Batch, Finishing};
use hazards::{Hazards, Overlap};
use observed::Observed;
use retirements::SeenRetirements;
use speculation::Confidence;

/// The flags of CL_QUEUE_PROPERTIES.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct QueueProperties {
    /// CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE.
    pub out_of_order: bool,
    /// CL_QUEUE_PROFILING_ENABLE.
    pub profiling: bool,
}

impl QueueProperties {
    fn overlap(self) -> Overlap {
        match (self.profiling, self.out_of_order) {
            (true, _) => Overlap::Never,
            (false, true) => Overlap::Known,
            (false, false) => Overlap::Unrelated,
        }
    }
}

/// What every enqueue function takes besides its request: the wait list, and whether to make an event.
#[derive(Copy, Clone, Default)]
pub struct Waits<'a> {
    /// The events that must be complete before the command starts. They are of the queue's context
    /// ([`CommandQueue::check_contexts`]).
    pub list: &'a [Arc<Event>],
    /// Whether the application asks for the command's event. Otherwise no event is made.
    pub want_event: bool,
}

/// The flags CL_MAP_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MapFlags {
    /// CL_MAP_READ.
    pub read: bool,
    /// CL_MAP_WRITE.
    pub write: bool,
    /// CL_MAP_WRITE_INVALIDATE_REGION: the mapping is for writing, and the old contents are not needed.
    pub invalidate: bool,
}

/// The command's event, if the application asked for it. Errors found in the call are returned; later errors
/// make the event fail.
pub type Enqueued = Result<Option<Arc<Event>>>;

/// A command queue object.
pub struct CommandQueue {
    anchor: Anchor<CommandQueue>,
    state: Mutex<State>,
    /// Notified when a thread's turn ends.
    turn_ended: Condvar,
    /// The first error that no enqueue call returned.
    failure: OnceLock<failure::Failure>,
    /// Held while a batch is retired, so that batches are retired in order.
    retiring: Mutex<()>,
    /// The value of the last batch that has been retired.
    retired: AtomicU64,
    /// The value of the first batch whose results are wrong, because the driver has ended loops, or because checks of kernels have
    /// found faults that are to be errors. Later batches fail, too.
    wrong_from: AtomicU64,
    /// The value of the last submission.
    submitted: AtomicU64,
    /// A number that no other queue of the process has; the first is 1.
    number: u32,
    /// The value of the last submitted batch that ends with a barrier for the host.
    visible: AtomicU64,
    /// Whether the context's flush thread is to submit the open batch.
    flush_is_pending: AtomicBool,
    /// The number of batches in flight.
    in_flight: AtomicU32,
    /// The value of the last submission at the time when an enqueue call last polled.
    polled_at: AtomicU64,
    timeline: Arc<vk::Timeline>,
    logical: Arc<vk::Device>,
    opened: Arc<Opened>,
    vk_queue: usize,
    device: Arc<Device>,
    device_index: usize,
    properties: QueueProperties,
    property_list: Properties,
    /// What notes the commands, if the process is observed.
    observed: Option<Observed>,
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
    /// Returns whether nothing is recorded, deferred or in flight.
    fn is_idle(&self) -> bool {
        self.deferred.is_empty()
            && self.in_flight.is_empty()
            && self.finishing.is_none()
            && self.open.as_ref().is_none_or(|b| b.commands == 0)
    }
}

struct State {
    /// The batch that is being recorded.
    open: Option<Box<Batch>>,
    /// The submitted batches, oldest first.
    in_flight: VecDeque<Box<Batch>>,
    /// Batches for reuse.
    #[allow(clippy::vec_box, reason = "batches move between the lists")]
    free: Vec<Box<Batch>>,
    /// The timeline value of the last submission.
    last: u64,
    /// The number of recorded commands at which the open batch is submitted if the GPU has nothing to do.
    submit_threshold: u32,
    /// Whether a thread has the turn (`turn.rs`).
    turn_is_taken: bool,
    /// The commands that cannot be recorded yet, and the later commands that must stay after them.
    deferred: VecDeque<deferred::Deferred>,
    hazards: Hazards,
    confidence: Confidence,
    /// Whether transfer commands have written memory since the last barrier for the host.
    transfers: bool,
    /// The value of the last of the device's uploads ([`Opened::uploads_since`]) that is visible to the
    /// commands of this queue.
    uploads: u64,
    seen_retirements: SeenRetirements,
    clock: Clock,
    /// The batch whose host work is in progress, if it stores anything.
    finishing: Option<Finishing>,
}

impl CommandQueue {
    /// Creates a queue (CL 5.1, clCreateCommandQueue).
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
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let queue = CommandQueue {
            anchor: Anchor::new(),
            state: Mutex::new(
                Rank::Queue,
                State {
                    open: None,
                    in_flight: VecDeque::new(),
                    free: Vec::new(),
                    last: 0,
                    submit_threshold: logical.tuning().submission.first,
                    turn_is_taken: false,
                    deferred: VecDeque::new(),
                    hazards: Hazards::new(properties.overlap()),
                    confidence: Confidence::new(),
                    transfers: false,
                    uploads: 0,
                    seen_retirements: SeenRetirements::default(),
                    clock: Clock::default(),
                    finishing: None,
                },
            ),
            turn_ended: Condvar::new(),
            failure: OnceLock::new(),
            retiring: Mutex::new(Rank::Retire, ()),
            retired: AtomicU64::new(0),
            wrong_from: AtomicU64::new(u64::MAX),
            submitted: AtomicU64::new(0),
            number,
            visible: AtomicU64::new(0),
            flush_is_pending: AtomicBool::new(false),
            in_flight: AtomicU32::new(0),
            polled_at: AtomicU64::new(0),
            timeline,
            vk_queue: logical.next_queue(),
            logical,
            opened,
            device: Arc::clone(device),
            device_index,
            properties,
            property_list: Properties::default(),
            observed: Observed::new(context.observer(), &device.info().name),
            context: Arc::clone(context),
        };
        let queue = Arc::new(queue);
        context.add_queue(&queue);
        crate::process::add_queue(&queue);
        Ok(queue)
    }

    /// Returns CL_QUEUE_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Checks the contexts of a call's memory objects, kernel and events. CL 5.2.2, 5.8 and others: INVALID_CONTEXT
    /// if the context associated with command_queue is another. An entry point calls this before it converts its
    /// other arguments, because the clauses list this error first; the enqueue functions rely on it.
    pub fn check_contexts<'a>(&self, contexts: impl IntoIterator<Item = &'a Arc<Context>>) -> Result<()> {
        match contexts.into_iter().all(|c| Arc::ptr_eq(c, &self.context)) {
            true => Ok(()),
            false => Err(Error::new(
                ClCode::InvalidContext,
                "the queue's context is another",
            )),
        }
    }

    /// Asserts what [`CommandQueue::check_contexts`] has checked: an object of another context has no storage for
    /// this queue's device.
    fn assert_own(&self, context: &Arc<Context>) {
        assert!(
            Arc::ptr_eq(context, &self.context),
            "the caller has checked the context"
        );
    }

    /// Returns CL_QUEUE_DEVICE.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns CL_QUEUE_PROPERTIES.
    pub fn properties(&self) -> QueueProperties {
        self.properties
    }

    /// Returns the list of CL_QUEUE_PROPERTIES_ARRAY.
    pub fn property_list(&self) -> &Properties {
        &self.property_list
    }

    /// Returns a number that no other queue of the process has; the first is 1.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(crate) fn device_index(&self) -> usize {
        self.device_index
    }

    pub(crate) fn timeline(&self) -> &Arc<vk::Timeline> {
        &self.timeline
    }

    /// Submits the open batch. clFlush is [`CommandQueue::flush_soon`].
    pub fn flush(self: &Arc<Self>) -> Result<()> {
        let mut effects = Effects::default();
        let submitted = {
            let mut state = self.state.lock_soon();
            self.submit(&mut state, &mut effects)
        };
        effects.run();
        submitted
    }

    /// Flushes the queue (CL 5.1, clReleaseCommandQueue), and lets the executor poll the last events: events
    /// hold their queue, and batches their events, until a batch is retired, and the application may never poll
    /// again.
    pub fn flush_for_release(self: &Arc<Self>) -> Result<()> {
        // An error does not make the release fail; the events show it.
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

    /// Returns whether the GPU has completed all submissions, or will never do so. Takes no lock.
    pub(crate) fn is_settled(&self) -> bool {
        let submitted = self.submitted.load(Ordering::Acquire);
        self.timeline.is_settled(submitted)
    }

    /// Waits for all commands (CL 5.13, clFinish).
    pub fn finish(self: &Arc<Self>) -> Result<()> {
        self.observe_finish();
        self.drain();
        if self.logical.is_lost() {
            return Err(Error::new(ClCode::OutOfResources, "the device is lost").at("5.13"));
        }
        self.check_usable()
    }
}

impl Drop for CommandQueue {
    /// Submits what is recorded and waits for all batches. No event of the queue is left, because events hold
    /// their queue.
    fn drop(&mut self) {
        let value = {
            let mut effects = Effects::default();
            let Some(mut state) = self.state.lock_to_release() else {
                // After a panic, nothing more is submitted. Batches that were submitted stay in use until
                // the GPU has completed them. If the wait fails, the device is lost.
                let _ = self.timeline.wait(self.submitted.load(Ordering::Acquire));
                return;
            };
            // The error of a failed submission is in the log; no one can query it any more.
            let _ = self.submit(&mut state, &mut effects);
            state.last
        };
        if value > self.retired.load(Ordering::Acquire) {
            self.wait_for(value);
        }
    }
}
