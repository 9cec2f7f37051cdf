//! Events (CL 5.9, 5.11, 5.12): the status of a command, or a status that the application sets.
//!
//! **Phases.** The event of a command is *pending* while the command is deferred, because it depends on
//! something that the GPU cannot wait for (a user event, a command of another device). It is *recorded* once
//! the command is in its queue's open batch, *submitted* together with the batch, and finally *final*: complete
//! or failed. No thread watches the GPU all the time: a thread that needs to know (for a query or a wait, or
//! the executor for callbacks) polls the queue's timeline and retires the batches that are complete.
//!
//! **Effects.** A change of phase may make callbacks due, and may allow queues to record deferred commands.
//! These are collected as `Effects` and run when no lock is held.

mod clock;
pub mod executor;
pub(crate) mod pool;
mod status;

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) use clock::Clock;
pub use clock::now;
pub use status::{ProfilingPoint, Status};

use crate::command::{Command, CommandType};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::lock::{Condvar, Mutex, Rank};
use crate::object::Anchor;
use crate::observe::{Note, Times, observer};
use crate::queue::CommandQueue;

/// The time for which a thread relies on the executor before it polls the queues itself.
const PATIENCE: Duration = Duration::from_millis(20);
/// The same time for the executor's own thread.
const PATIENCE_HERE: Duration = Duration::from_micros(200);

/// A callback, which is called once with the status reached, on the context's executor thread and with no lock
/// held.
pub type Callback = Box<dyn FnOnce(Status) + Send>;

/// The thread that a callback runs on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum By {
    /// The thread of the context's executor, for the application's callbacks.
    Executor,
    /// A thread for native kernels.
    Native,
}

type Owed = (By, Callback);

/// The status of a command, or a user event.
pub struct Event {
    anchor: Anchor<Event>,
    context: Arc<Context>,
    queue: Option<Arc<CommandQueue>>,
    command: CommandType,
    /// The number of a [`Phase`]; written under the lock of `inner`.
    phase: AtomicI32,
    /// The value that the queue's timeline reaches when the command is complete; valid from `Recorded` on.
    value: AtomicU64,
    /// QUEUED, SUBMIT, START, END in nanoseconds; valid when the command is complete.
    times: [AtomicU64; 4],
    /// Whether the command has failed already, so that the event fails when its batch is complete ([`Event::fails_at`]).
    failing: AtomicBool,
    /// Whether the executor polls the event.
    watched: AtomicBool,
    /// Whether the event is known to become final without the application's help.
    certain: AtomicBool,
    /// Whether the command is the first of its batch, so that it starts when the batch does.
    leads: AtomicBool,
    /// What the command is, if the process is observed.
    note: OnceLock<Arc<Note>>,
    /// The event of the first chunk, if this is the event of the last chunk of a command in chunks.
    first: OnceLock<Arc<Event>>,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    callbacks: Vec<(Status, Owed)>,
    /// The queues with commands that are deferred because of this event.
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

/// The state of a command between its enqueue call and its completion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// The command is deferred, or it is a user event whose status has not been set.
    Pending,
    /// The command is in the open batch of its queue.
    Recorded,
    /// The batch has been submitted to the GPU.
    Submitted,
    /// The command is complete.
    Complete,
    /// The command has failed, with a negative number.
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

/// The effects of changes of phases, which remain to be run; see the module's documentation.
#[derive(Default)]
#[must_use = "callbacks and deferred commands would be lost"]
pub(crate) struct Effects {
    /// In most cases there is nothing to do, and that costs an enqueue call one comparison.
    remaining: Option<Box<Remaining>>,
}

#[derive(Default)]
struct Remaining {
    callbacks: Vec<(Arc<Context>, Status, Owed)>,
    queues: Vec<Arc<CommandQueue>>,
    dropped: Vec<(Command, Vec<Arc<Event>>)>,
    reports: Vec<(Arc<Context>, String)>,
}

impl Effects {
    /// Drops a command and the events that it waited for once no lock is held: the last reference to an event
    /// may be the last one to its queue, whose destruction waits for the GPU.
    pub(crate) fn drop_later(&mut self, command: Command, waits: Vec<Arc<Event>>) {
        self.remaining().dropped.push((command, waits));
    }

    /// Reports an error that no call has returned to the context's notify function (CL 4.4).
    pub(crate) fn report(&mut self, context: &Arc<Context>, what: String) {
        self.remaining().reports.push((Arc::clone(context), what));
    }

    /// Passes callbacks and reports to their threads, and lets queues record deferred commands. No lock may be
    /// held.
    pub(crate) fn run(self) {
        if self.remaining.is_some() {
            self.run_all();
        }
    }

    #[cold]
    fn run_all(mut self) {
        // A queue that records deferred commands may complete events on which commands of other queues depend.
        loop {
            let remaining = self.remaining();
            for (context, status, (by, callback)) in remaining.callbacks.drain(..) {
                context.call(by, Box::new(move || callback(status)));
            }
            for (context, what) in remaining.reports.drain(..) {
                let told = Arc::clone(&context);
                context.executor().call(Box::new(move || told.report(&what)));
            }
            let Some(queue) = remaining.queues.pop() else {
                break;
            };
            queue.resume_deferred(&mut self);
        }
    }

    fn is_empty(&self) -> bool {
        let is_empty = |r: &Remaining| r.callbacks.is_empty() && r.queues.is_empty();
        self.remaining.as_deref().is_none_or(is_empty)
    }

    fn remaining(&mut self) -> &mut Remaining {
        self.remaining.get_or_insert_default()
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
            note: OnceLock::new(),
            first: OnceLock::new(),
            inner: Mutex::new(Rank::Event, Inner::default()),
            changed: Condvar::new(),
        })
    }

    /// Creates a user event (CL 5.9, clCreateUserEvent).
    pub fn user(context: &Arc<Context>) -> Arc<Event> {
        Event::new(context, None, CommandType::User)
    }

    /// Creates the event of a command that is being enqueued.
    pub(crate) fn of_command(queue: &Arc<CommandQueue>, command: CommandType) -> Arc<Event> {
        let event = Event::new(queue.context(), Some(Arc::clone(queue)), command);
        if queue.is_timed() {
            event.times[0].store(now(), Ordering::Relaxed);
        }
        event
    }

    /// Returns CL_EVENT_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns CL_EVENT_COMMAND_QUEUE; `None` for user events.
    pub fn queue(&self) -> Option<&Arc<CommandQueue>> {
        self.queue.as_ref()
    }

    /// Returns CL_EVENT_COMMAND_TYPE.
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

    /// Returns whether the event is complete or failed.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.phase(), Phase::Complete | Phase::Failed(_))
    }

    /// Returns whether the event is guaranteed to become final without the application's help. For a pending
    /// event, this was determined when the command was enqueued; the answer `false` may be outdated.
    pub(crate) fn is_certain(&self) -> bool {
        self.phase() != Phase::Pending || self.certain.load(Ordering::Relaxed)
    }

    /// Notes that the event becomes final without the application's help.
    pub(crate) fn make_certain(&self) {
        self.certain.store(true, Ordering::Relaxed);
    }

    /// Notes that the executor polls the event from now on.
    fn watch(&self) {
        self.watched.store(true, Ordering::Release);
    }

    /// Returns the value that the queue's timeline reaches when the command is complete; valid once recorded.
    pub(crate) fn value(&self) -> u64 {
        self.value.load(Ordering::Acquire)
    }

    /// Returns the current CL_EVENT_COMMAND_EXECUTION_STATUS. Never blocks on the GPU.
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
                // An application that polls without ever flushing must still see progress.
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
            // For later commands of a batch it is unknown whether the commands before them are complete.
            Phase::Submitted if self.leads.load(Ordering::Relaxed) && queue.has_started(self.value()) => {
                Status::Running
            }
            Phase::Submitted => Status::Submitted,
            Phase::Complete => Status::Complete,
            Phase::Failed(n) => Status::Failed(n),
        }
    }

    /// Sets the status of a user event (CL 5.9, clSetUserEventStatus), which releases or fails the commands
    /// that wait for it.
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

    /// Changes the phase, wakes waiting threads, and collects the effects.
    fn enter(&self, inner: &mut Inner, phase: Phase, effects: &mut Effects) {
        self.phase.store(phase.number(), Ordering::Release);
        if !inner.dependents.is_empty() {
            effects.remaining().queues.append(&mut inner.dependents);
        }
        match phase {
            Phase::Complete | Phase::Failed(_) => {
                for (at, callback) in inner.callbacks.drain(..) {
                    let status = match phase {
                        Phase::Failed(n) => Status::Failed(n),
                        Phase::Pending | Phase::Recorded | Phase::Submitted | Phase::Complete => at,
                    };
                    effects
                        .remaining()
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

    /// Notes that the command is in the open batch, which is complete at `value`. `leads` tells whether it is the
    /// first command of the batch.
    pub(crate) fn recorded(&self, value: u64, leads: bool, effects: &mut Effects) {
        let mut inner = self.inner.lock();
        self.value.store(value, Ordering::Release);
        self.leads.store(leads, Ordering::Relaxed);
        self.enter(&mut inner, Phase::Recorded, effects);
    }

    /// Makes the event fail when the timeline reaches `value`. The command has failed already, but batches in
    /// flight may still store into its memory. Until then the event looks submitted, and no command that waits
    /// for it is recorded.
    pub(crate) fn fails_at(&self, value: u64, effects: &mut Effects) {
        self.failing.store(true, Ordering::Release);
        self.recorded(value, false, effects);
        self.submitted(now(), effects);
    }

    /// Returns whether the event will fail ([`Event::fails_at`]).
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Acquire)
    }

    /// Notes that the batch has been submitted, with the host time.
    pub(crate) fn submitted(&self, time: u64, effects: &mut Effects) {
        self.times[1].store(time.max(self.time(0)), Ordering::Relaxed);
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Submitted, effects);
    }

    /// Returns the host time before which the command cannot have begun.
    pub(crate) fn submit_time(&self) -> u64 {
        // A command that the host executed at once was never submitted.
        self.time(1).max(self.time(0))
    }

    /// Completes the event; `times` has start and end in host time, if they were measured.
    pub(crate) fn completed(&self, times: Option<(u64, u64)>, effects: &mut Effects) {
        if let Some((start, end)) = times {
            let submit = self.submit_time();
            let (start, end) = clock::not_before(submit, start, end);
            self.times[1].store(submit, Ordering::Relaxed);
            self.times[2].store(start, Ordering::Relaxed);
            self.times[3].store(end, Ordering::Relaxed);
        }
        if let Some((note, observer)) = self.note.get().zip(observer()) {
            observer.completed(note, self.time(1), self.times());
        }
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Complete, effects);
    }

    /// Makes the event fail with a negative number.
    pub(crate) fn failed(&self, code: i32, effects: &mut Effects) {
        if let Some((note, observer)) = self.note.get().zip(observer()) {
            observer.failed(note, code);
        }
        let mut inner = self.inner.lock();
        self.enter(&mut inner, Phase::Failed(code), effects);
    }

    /// Registers a queue with a command that is deferred until this event leaves `phase`. Returns `false` if
    /// the event is no longer in that phase, so that the caller must check again.
    pub(crate) fn add_dependent(self: &Arc<Self>, phase: Phase, queue: &Arc<CommandQueue>) -> bool {
        let mut inner = self.inner.lock();
        // The phase of a final event does not change any more.
        if self.phase() != phase || self.is_final() {
            return false;
        }
        if !inner.dependents.iter().any(|q| Arc::ptr_eq(q, queue)) {
            inner.dependents.push(Arc::clone(queue));
        }
        true
    }

    /// Sets the event of the first chunk, if this is the event of the last chunk of a command.
    pub(crate) fn begins_with(&self, first: Arc<Event>) {
        // This is set once, at the end of the enqueue call.
        let _ = self.first.set(first);
    }

    /// Sets what the command is, because the process is observed.
    pub(crate) fn observe(&self, note: Note) {
        // This is set once, in the enqueue call.
        let _ = self.note.set(Arc::new(note));
    }

    /// Returns the number of the command, if the process is observed.
    pub(crate) fn number(&self) -> Option<u64> {
        self.note.get().map(|note| note.number)
    }

    /// Returns start and end of the complete command, as clGetEventProfilingInfo does; `None` if they were not measured.
    fn times(&self) -> Option<Times> {
        let start = self.first.get().map_or(self, |first| first).time(2);
        let end = self.time(3);
        (end > 0).then_some(Times { start, end })
    }

    fn time(&self, index: usize) -> u64 {
        self.times[index].load(Ordering::Relaxed)
    }

    /// Registers a callback (CL 5.9, clSetEventCallback). `at` is Submitted, Running or Complete (checked by
    /// the caller); the callback gets that status, or the negative status of a failed command.
    pub fn on_status(self: &Arc<Self>, at: Status, callback: Callback) {
        self.on_status_by(at, (By::Executor, callback));
    }

    /// Registers a callback as [`Event::on_status`] does, together with the thread that it runs on.
    pub(crate) fn on_status_by(self: &Arc<Self>, at: Status, callback: Owed) {
        let now = self.status();
        let mut effects = Effects::default();
        {
            let mut inner = self.inner.lock();
            match self.phase() {
                Phase::Complete => {
                    effects
                        .remaining()
                        .callbacks
                        .push((Arc::clone(&self.context), at, callback))
                }
                Phase::Failed(n) => {
                    effects.remaining().callbacks.push((
                        Arc::clone(&self.context),
                        Status::Failed(n),
                        callback,
                    ));
                }
                Phase::Pending | Phase::Recorded | Phase::Submitted if now.number() <= at.number() => {
                    effects
                        .remaining()
                        .callbacks
                        .push((Arc::clone(&self.context), at, callback));
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

    /// Collects the callbacks for SUBMITTED and RUNNING that are due, and lets them run. The executor calls
    /// this; the result is `true` if the event is final.
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
                    effects
                        .remaining()
                        .callbacks
                        .push((Arc::clone(&self.context), at, callback));
                } else {
                    i += 1;
                }
            }
        }
        effects.run();
        false
    }

    /// Returns a profiling value in nanoseconds (CL 5.12, clGetEventProfilingInfo).
    /// PROFILING_INFO_NOT_AVAILABLE for user events, queues without profiling, and commands that are not
    /// complete.
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

    /// Waits until the event is final. After a panic (`process.rs`), an event that is not submitted counts as failed,
    /// because nothing may complete it any more.
    pub(crate) fn wait(&self) -> Status {
        loop {
            match self.phase() {
                Phase::Complete => return Status::Complete,
                Phase::Failed(n) => return Status::Failed(n),
                Phase::Pending if crate::process::has_failed() => {
                    return Status::Failed(ClCode::OutOfResources.number());
                }
                Phase::Pending => self.wait_a_little(),
                Phase::Recorded | Phase::Submitted => {
                    let queue = self.queue.as_ref().expect("only commands are recorded");
                    queue.wait_for(self.value());
                }
            }
        }
    }

    /// Waits until the phase may have changed. The command may depend on an event that only the executor polls,
    /// or on a job of the executor, whose thread may be busy with a callback or be this one. So this thread
    /// also polls the queues, and if it is the executor's, it runs the executor's jobs.
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

    /// Waits for all events (CL 5.9, clWaitForEvents), after it has checked their contexts and flushed their
    /// queues. EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if one failed.
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
