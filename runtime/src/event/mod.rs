//! Events (CL 5.9, 5.11, 5.12): the status of a command, or one that the application sets.
//!
//! **Phases.** A command's event is *pending* while something that the GPU cannot wait for holds it back (a user
//! event, a command of another device), *recorded* once it is in its queue's open batch, *submitted* with the batch,
//! and then *final*: complete or failed. Nothing watches the GPU by itself: whoever asks (a query, a wait, the
//! executor on behalf of callbacks) polls the queue's timeline and retires what is done.
//!
//! **Effects.** A change of phase may owe callbacks to the application and a new look to queues that hold commands
//! back. These are collected as [`Effects`] and run when no lock is held.

mod clock;
pub mod executor;
pub(crate) mod pool;
mod status;

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) use clock::{Clock, now};
pub use status::{ProfilingPoint, Status};

use crate::command::{Command, CommandType};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::lock::{Condvar, Mutex, Rank};
use crate::object::Anchor;
use crate::queue::CommandQueue;

/// How long a thread relies on the executor's.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long, if it is the executor's.
const PATIENCE_HERE: Duration = Duration::from_micros(200);

/// Called once with the status reached. Runs on the context's executor thread with no lock held.
pub type Callback = Box<dyn FnOnce(Status) + Send>;

/// Whose thread a callback runs on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum By {
    /// The context's executor: the application's callbacks.
    Executor,
    /// A thread for native kernels.
    Native,
}

type Owed = (By, Callback);

/// The state of a command, or a user event.
pub struct Event {
    anchor: Anchor<Event>,
    context: Arc<Context>,
    queue: Option<Arc<CommandQueue>>,
    command: CommandType,
    /// A [`Phase`] as number; written under `inner`'s lock.
    phase: AtomicI32,
    /// The value of the queue's timeline when the command is done; valid from `RECORDED` on.
    value: AtomicU64,
    /// QUEUED, SUBMIT, START, END in nanoseconds; valid when complete.
    times: [AtomicU64; 4],
    /// The command has failed, and the event will when the batch is done that it is said to be in.
    failing: AtomicBool,
    /// The executor polls it.
    watched: AtomicBool,
    /// Nothing that the application must do holds it back.
    certain: AtomicBool,
    /// It is the first command of its batch: it starts when the batch does.
    leads: AtomicBool,
    /// Of a command in chunks, of which this is the last: the first one's event.
    first: OnceLock<Arc<Event>>,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    callbacks: Vec<(Status, Owed)>,
    /// Queues that hold commands back because of this event.
    dependents: Vec<Arc<CommandQueue>>,
}

impl_object!(Event, ClCode::InvalidEvent, "event");

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event")
            .field("command", &self.command)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}

/// Where a command is on its way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Held back, or a user event without status.
    Pending,
    /// In the open batch of its queue.
    Recorded,
    /// The GPU has it.
    Submitted,
    /// Done.
    Complete,
    /// Failed.
    Failed(i32),
}

impl Phase {
    fn number(self) -> i32 {
        match self {
            Phase::Pending => 4,
            Phase::Recorded => 3,
            Phase::Submitted => 2,
            Phase::Complete => 0,
            Phase::Failed(n) => n,
        }
    }
}

/// What a change of phase owes; see the module's text.
#[derive(Default)]
#[must_use = "callbacks and deferred commands would be lost"]
pub(crate) struct Effects {
    callbacks: Vec<(Arc<Context>, Status, Owed)>,
    queues: Vec<Arc<CommandQueue>>,
    dropped: Vec<(Command, Vec<Arc<Event>>)>,
    reports: Vec<(Arc<Context>, String)>,
}

impl Effects {
    /// Lets go of a command and what it waited for once no lock is held: the last reference to an event may be the last
    /// one to its queue, whose end waits for the GPU.
    pub(crate) fn drop_later(&mut self, command: Command, waits: Vec<Arc<Event>>) {
        self.dropped.push((command, waits));
    }

    /// CL 4.4: tells the context's notify function of an error that no call has returned.
    pub(crate) fn report(&mut self, context: &Arc<Context>, what: String) {
        self.reports.push((Arc::clone(context), what));
    }

    /// Hands out callbacks and reports, and lets queues look at their deferred commands. No lock is held.
    pub(crate) fn run(self) {
        // Mostly there is nothing to do.
        if !(self.is_empty() && self.dropped.is_empty() && self.reports.is_empty()) {
            self.run_all();
        }
    }

    fn run_all(mut self) {
        // A queue that goes on may complete events that hold back other queues.
        loop {
            for (context, status, (by, callback)) in self.callbacks.drain(..) {
                context.call(by, Box::new(move || callback(status)));
            }
            for (context, what) in self.reports.drain(..) {
                let told = Arc::clone(&context);
                context.executor().call(Box::new(move || told.report(&what)));
            }
            let Some(queue) = self.queues.pop() else { break };
            queue.pump(&mut self);
        }
    }

    fn is_empty(&self) -> bool {
        self.callbacks.is_empty() && self.queues.is_empty()
    }
}

impl Event {
    fn new(context: &Arc<Context>, queue: Option<Arc<CommandQueue>>, command: CommandType) -> Arc<Event> {
        Arc::new(Event {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            queue,
            command,
            phase: AtomicI32::new(Phase::Pending.number()),
            value: AtomicU64::new(0),
            times: [const { AtomicU64::new(0) }; 4],
            failing: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            certain: AtomicBool::new(false),
            leads: AtomicBool::new(false),
            first: OnceLock::new(),
            inner: Mutex::new(Rank::Event, Inner::default()),
            changed: Condvar::new(),
        })
    }

    /// CL 5.9 — clCreateUserEvent
    pub fn user(context: &Arc<Context>) -> Arc<Event> {
        Event::new(context, None, CommandType::User)
    }

    /// The event of a command that is being enqueued now.
    pub(crate) fn of_command(queue: &Arc<CommandQueue>, command: CommandType) -> Arc<Event> {
        let event = Event::new(queue.context(), Some(Arc::clone(queue)), command);
        if queue.properties().profiling {
            event.times[0].store(now(), Ordering::Relaxed);
        }
        event
    }

    /// CL_EVENT_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_EVENT_COMMAND_QUEUE; `None` for user events.
    pub fn queue(&self) -> Option<&Arc<CommandQueue>> {
        self.queue.as_ref()
    }

    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> CommandType {
        self.command
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            4 => Phase::Pending,
            3 => Phase::Recorded,
            2 => Phase::Submitted,
            0 => Phase::Complete,
            n => Phase::Failed(n),
        }
    }

    /// Complete or failed.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.phase(), Phase::Complete | Phase::Failed(_))
    }

    /// Whether it will be final whatever the application does. As seen when it was enqueued: it may have become so since.
    pub(crate) fn is_certain(&self) -> bool {
        self.phase() != Phase::Pending || self.certain.load(Ordering::Relaxed)
    }

    /// The event will be final whatever the application does.
    pub(crate) fn make_certain(&self) {
        self.certain.store(true, Ordering::Relaxed);
    }

    /// The executor polls it from now on.
    fn watch(&self) {
        self.watched.store(true, Ordering::Release);
    }

    /// The timeline value at which the command is done; valid once recorded.
    pub(crate) fn value(&self) -> u64 {
        self.value.load(Ordering::Acquire)
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS, as it is now. Never blocks on the GPU.
    pub fn status(&self) -> Status {
        let Some(queue) = &self.queue else {
            // CL 5.9: a user event's status is SUBMITTED until it is set
            return match self.phase() {
                Phase::Complete => Status::Complete,
                Phase::Failed(n) => Status::Failed(n),
                Phase::Pending | Phase::Recorded | Phase::Submitted => Status::Submitted,
            };
        };
        match self.phase() {
            Phase::Pending => return Status::Queued,
            Phase::Recorded => {
                // An application that polls without ever flushing must see progress all the same.
                if queue.flush().is_err() {
                    log::debug!("flush for a status query failed");
                }
            }
            Phase::Submitted | Phase::Complete | Phase::Failed(_) => {}
        }
        if self.phase() == Phase::Submitted {
            queue.poll();
        }
        match self.phase() {
            Phase::Pending | Phase::Recorded => Status::Queued,
            // Of later commands of a batch nobody knows whether what they wait for is complete.
            Phase::Submitted if self.leads.load(Ordering::Relaxed) && queue.has_started(self.value()) => {
                Status::Running
            }
            Phase::Submitted => Status::Submitted,
            Phase::Complete => Status::Complete,
            Phase::Failed(n) => Status::Failed(n),
        }
    }

    /// CL 5.9 — clSetUserEventStatus. Releases or fails what waits for the event.
    pub fn set_user_status(self: &Arc<Self>, status: Status) -> Result<()> {
        // CL 5.9: INVALID_VALUE if execution_status is not COMPLETE or negative
        let phase = match status {
            Status::Complete => Phase::Complete,
            Status::Failed(n) => Phase::Failed(n),
            Status::Queued | Status::Submitted | Status::Running => {
                return Err(
                    Error::new(ClCode::InvalidValue, "status is neither CL_COMPLETE nor negative").at("5.9"),
                );
            }
        };
        let mut effects = Effects::default();
        {
            let mut inner = self.inner.lock();
            // CL 5.9: INVALID_OPERATION if the status has already been set
            if self.phase() != Phase::Pending {
                return Err(Error::new(ClCode::InvalidOperation, "the status has been set before").at("5.9"));
            }
            self.enter(&mut inner, phase, &mut effects);
        }
        effects.run();
        Ok(())
    }

    /// Changes the phase, wakes waiters, collects what is owed.
    fn enter(&self, inner: &mut Inner, phase: Phase, effects: &mut Effects) {
        self.phase.store(phase.number(), Ordering::Release);
        effects.queues.append(&mut inner.dependents);
        match phase {
            Phase::Complete | Phase::Failed(_) => {
                for (at, callback) in inner.callbacks.drain(..) {
                    let status = match phase {
                        Phase::Failed(n) => Status::Failed(n),
                        Phase::Pending | Phase::Recorded | Phase::Submitted | Phase::Complete => at,
                    };
                    effects
                        .callbacks
                        .push((Arc::clone(&self.context), status, callback));
                }
            }
            Phase::Pending | Phase::Recorded | Phase::Submitted => {
                if !inner.callbacks.is_empty() || self.watched.load(Ordering::Acquire) {
                    self.context.executor().wake();
                }
            }
        }
        self.changed.notify_all();
    }

    /// The command is in the open batch that ends at `value`; `leads`: as its first command.
    pub(crate) fn recorded(&self, value: u64, leads: bool, effects: &mut Effects) {
        let mut inner = self.inner.lock();
        self.value.store(value, Ordering::Release);
        self.leads.store(leads, Ordering::Relaxed);
        self.enter(&mut inner, Phase::Recorded, effects);
    }

    /// The command has failed, but batches in flight may still store into its memory: the event fails when the timeline
    /// reaches `value`. Until then it looks as if the command were submitted, and nothing is recorded that waits for it.
    pub(crate) fn fails_at(&self, value: u64, effects: &mut Effects) {
        self.failing.store(true, Ordering::Release);
        self.recorded(value, false, effects);
        self.submitted(now(), effects);
    }

    /// Whether the event will fail ([`Event::fails_at`]).
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Acquire)
    }

    /// The batch has been submitted, at a host time.
    pub(crate) fn submitted(&self, time: u64, effects: &mut Effects) {
        self.times[1].store(time.max(self.time(0)), Ordering::Relaxed);
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Submitted, effects);
    }

    /// The command is done; start and end in host time, where measured.
    pub(crate) fn completed(&self, times: Option<(u64, u64)>, effects: &mut Effects) {
        if let Some((start, end)) = times {
            // SUBMIT may not have been reached by commands that the host did at once.
            let submit = self.time(1).max(self.time(0));
            let (start, end) = clock::not_before(submit, start, end);
            self.times[1].store(submit, Ordering::Relaxed);
            self.times[2].store(start, Ordering::Relaxed);
            self.times[3].store(end, Ordering::Relaxed);
        }
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Complete, effects);
    }

    /// The command failed with a negative number.
    pub(crate) fn failed(&self, code: i32, effects: &mut Effects) {
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Failed(code), effects);
    }

    /// Registers a queue that holds back a command until this event leaves its phase. `false` if the event is no
    /// longer in `phase`: the caller looks again.
    pub(crate) fn add_dependent(self: &Arc<Self>, phase: Phase, queue: &Arc<CommandQueue>) -> bool {
        let mut inner = self.inner.lock();
        // A final one moves no more.
        if self.phase() != phase || self.is_final() {
            return false;
        }
        if !inner.dependents.iter().any(|q| Arc::ptr_eq(q, queue)) {
            inner.dependents.push(Arc::clone(queue));
        }
        true
    }

    /// It is the last one's of a command in chunks, which began with another.
    pub(crate) fn begins_with(&self, first: Arc<Event>) {
        // It does so once, at the end of the enqueue call.
        let _ = self.first.set(first);
    }

    fn time(&self, index: usize) -> u64 {
        self.times[index].load(Ordering::Relaxed)
    }

    /// CL 5.9 — clSetEventCallback. `at` is Submitted, Running or Complete (the caller has checked); the callback
    /// gets that status, or the negative one of a failed command.
    pub fn on_status(self: &Arc<Self>, at: Status, callback: Callback) {
        self.on_status_by(at, (By::Executor, callback));
    }

    /// As [`Event::on_status`], with the thread that it is for.
    pub(crate) fn on_status_by(self: &Arc<Self>, at: Status, callback: Owed) {
        let now = self.status();
        let mut effects = Effects::default();
        {
            let mut inner = self.inner.lock();
            match self.phase() {
                Phase::Complete => effects.callbacks.push((Arc::clone(&self.context), at, callback)),
                Phase::Failed(n) => {
                    effects
                        .callbacks
                        .push((Arc::clone(&self.context), Status::Failed(n), callback));
                }
                Phase::Pending | Phase::Recorded | Phase::Submitted if now.number() <= at.number() => {
                    effects.callbacks.push((Arc::clone(&self.context), at, callback));
                }
                Phase::Pending | Phase::Recorded | Phase::Submitted => inner.callbacks.push((at, callback)),
            }
        }
        if effects.is_empty() {
            self.context.executor().watch(self);
        } else {
            effects.run();
        }
    }

    /// Runs the callbacks for SUBMITTED and RUNNING that are due. Called by the executor; `true` when final.
    fn run_due(&self) -> bool {
        let status = self.status();
        if status.is_final() {
            return true;
        }
        let mut effects = Effects::default();
        {
            let mut inner = self.inner.lock();
            let mut i = 0;
            while i < inner.callbacks.len() {
                if status.number() <= inner.callbacks[i].0.number() {
                    let (at, callback) = inner.callbacks.remove(i);
                    effects.callbacks.push((Arc::clone(&self.context), at, callback));
                } else {
                    i += 1;
                }
            }
        }
        effects.run();
        false
    }

    /// CL 5.12 — clGetEventProfilingInfo, nanoseconds. PROFILING_INFO_NOT_AVAILABLE for user events, queues
    /// without profiling and commands that are not complete.
    pub fn profiling(&self, point: ProfilingPoint) -> Result<u64> {
        let unavailable = |what| Err(Error::new(ClCode::ProfilingInfoNotAvailable, what).at("5.12"));
        match &self.queue {
            None => return unavailable("a user event"),
            Some(queue) if !queue.properties().profiling => {
                return unavailable("the queue was made without CL_QUEUE_PROFILING_ENABLE");
            }
            Some(_) => {}
        }
        if self.status() != Status::Complete {
            return unavailable("the command is not complete");
        }
        let first = self.first.get().map_or(self, |first| first);
        Ok(match point {
            ProfilingPoint::Queued => self.time(0),
            ProfilingPoint::Submit => first.time(1),
            ProfilingPoint::Start => first.time(2),
            ProfilingPoint::End => self.time(3),
        })
    }

    /// Waits until the event is final.
    pub(crate) fn wait(&self) -> Status {
        loop {
            match self.phase() {
                Phase::Complete => return Status::Complete,
                Phase::Failed(n) => return Status::Failed(n),
                Phase::Pending => self.wait_a_little(),
                Phase::Recorded | Phase::Submitted => {
                    let queue = self.queue.as_ref().expect("only commands are recorded");
                    queue.wait_for(self.value());
                }
            }
        }
    }

    /// Waits until the phase may have changed. What holds the command back may be for the executor to see or to do, and its
    /// thread may be busy with a callback, or be this one: so the queues are polled here too, and its jobs done.
    fn wait_a_little(&self) {
        let executor = self.context.executor();
        let here = executor.is_this_thread();
        if here && executor.help() {
            return;
        }
        {
            let mut inner = self.inner.lock();
            if self.phase() != Phase::Pending {
                return;
            }
            let time = if here { PATIENCE_HERE } else { PATIENCE };
            let over = self.changed.wait_for(&mut inner, time);
            if !over || self.phase() != Phase::Pending {
                return;
            }
        }
        self.context.queues().iter().for_each(|q| q.poll());
    }

    /// CL 5.9 — clWaitForEvents. Checks contexts, flushes the queues involved and waits for all.
    /// EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if one failed.
    pub fn wait_all(events: &[Arc<Event>]) -> Result<()> {
        // CL 5.9: INVALID_VALUE if num_events is zero
        let Some(first) = events.first() else {
            return Err(Error::new(ClCode::InvalidValue, "no events").at("5.9"));
        };
        // CL 5.9: INVALID_CONTEXT if the contexts differ
        if events.iter().any(|e| !Arc::ptr_eq(&e.context, &first.context)) {
            return Err(Error::new(ClCode::InvalidContext, "the events' contexts differ").at("5.9"));
        }
        for event in events {
            if event.phase() == Phase::Recorded
                && let Some(queue) = &event.queue
            {
                queue.flush()?;
            }
        }
        let mut failed = None;
        for event in events {
            if let Status::Failed(n) = event.wait() {
                failed = Some(n);
            }
        }
        match failed {
            None => Ok(()),
            Some(n) => Err(Error::new(
                ClCode::ExecStatusErrorForEventsInWaitList,
                format!("an event failed with {n}"),
            )
            .at("5.9")),
        }
    }
}
