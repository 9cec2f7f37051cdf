//! The scheduler: places the command of an enqueue call in the open batch, and submits the batch to the GPU.
//!
//! A command is recorded at once if the GPU can honour its wait list: each event is complete, belongs to this
//! queue, or belongs to another queue of the device. Otherwise the command is deferred (`deferred.rs`).
//!
//! **Batches cannot wait for each other in a cycle:** a batch waits only for timeline values that have been
//! submitted, so the order of submission is a topological order of all batches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::batch::{Batch, Recording, resources};
use super::completion::note_kernels;
use super::transfer::execution_error;
use super::{CommandQueue, Enqueued, State, Waits};
use crate::command::{Command, CommandType, HostRange, Incoming};
use crate::config::config;
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event, Phase, Status, now};
use crate::mem::claim::Claim;
use crate::vk;

/// With this many batches in flight, an enqueue call first retires the completed ones, once after each
/// submission.
const MANY_IN_FLIGHT: u32 = 4;
/// With this many batches in flight, an enqueue call waits for the oldest, because each batch holds a command
/// pool of the driver.
const TOO_MANY_IN_FLIGHT: u32 = 1024;

/// The point at which an enqueue call returns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// The command is placed.
    Placed,
    /// The command has copied the bytes that it reads from the application's memory.
    Copied,
    /// The command is complete.
    Done,
}

/// The type of a command, the events that it comes after, and the point at which its call returns.
#[derive(Copy, Clone)]
pub(super) struct Order<'a> {
    pub kind: CommandType,
    /// The wait list.
    pub list: &'a [Arc<Event>],
    /// Events that it also comes after, but which need not succeed.
    pub after: &'a [Arc<Event>],
    pub until: Until,
}

impl Until {
    /// Returns the point for a call that either waits for the whole command or does not wait.
    pub(super) fn blocking(blocking: bool) -> Until {
        match blocking {
            true => Until::Done,
            false => Until::Placed,
        }
    }
}

impl<'a> Order<'a> {
    /// Makes the order of a command with a wait list, whose call does not wait.
    pub(super) fn after_list(kind: CommandType, list: &'a [Arc<Event>]) -> Order<'a> {
        Order {
            kind,
            list,
            after: &[],
            until: Until::Placed,
        }
    }
}

/// The requirements of a command that can be recorded now.
#[derive(Default)]
pub(super) struct Start {
    /// The batch must wait for these events of other queues (by index in the wait list).
    pub others: Vec<usize>,
    /// The command's claim, which excludes commands of other devices.
    pub claim: Option<Arc<Claim>>,
}

/// The start of a command that has nothing to wait for and needs no claim.
static AT_ONCE: Start = Start {
    others: Vec::new(),
    claim: None,
};

/// The decision whether a command can be recorded now.
pub(super) enum Admission {
    Record(Start),
    /// Not yet.
    Defer {
        /// Whether the command depends on its own events only, not on deferred commands before it.
        check_now: bool,
    },
    /// Never: an event of its wait list has failed, so the command fails with this code.
    Failed(i32),
}

/// The state of a command that has been placed.
pub(super) enum Placed {
    /// The command is in the open batch, or in a submitted one.
    Recorded,
    /// The command is deferred. The field is its event, if it has one.
    Deferred(Option<Arc<Event>>),
    /// The command and its event have failed with this code.
    Failed(i32),
}

impl Placed {
    /// Makes the event of a command fail, before the command could begin.
    pub(super) fn failed(code: i32, event: Option<&Arc<Event>>, effects: &mut Effects) -> Placed {
        if let Some(event) = event {
            event.failed(code, effects);
        }
        Placed::Failed(code)
    }
}

/// Returns whether a command waits for all earlier commands (CL 5.10: a marker or barrier without a wait list).
pub(super) fn waits_for_all(command: &Command, list: &[Arc<Event>]) -> bool {
    matches!(command, Command::Marker | Command::Barrier) && list.is_empty()
}

/// The current state of a wait list.
pub(super) enum Ready {
    /// The command can be recorded; its batch must wait for these events of other queues (by index in the
    /// list).
    Yes(Vec<usize>),
    /// The command cannot be recorded before this event leaves this phase.
    Blocked(Arc<Event>, Phase),
    /// An event has failed, so the command fails with this code.
    Failed(i32),
}

impl CommandQueue {
    /// Enqueues a command, and waits as `until` demands.
    pub(super) fn enqueue(
        self: &Arc<Self>,
        kind: CommandType,
        incoming: Incoming<'_>,
        waits: Waits<'_>,
        until: Until,
    ) -> Enqueued {
        waits.list.iter().for_each(|e| self.assert_own(e.context()));
        self.limit_batches_in_flight();
        self.flush_others(waits.list);
        self.note_writes(&incoming);
        let after = self.after_other_devices(&incoming, waits.list);
        self.flush_others(&after);
        let has_event = waits.want_event || until == Until::Done || self.observed.is_some();
        let event = has_event.then(|| Event::of_command(self, kind));
        if let Some(event) = &event {
            self.observe(event, &incoming, waits.list, until);
        }
        let order = Order {
            kind,
            list: waits.list,
            after: &after,
            until,
        };
        let mut effects = Effects::default();
        let placed = if incoming.is_chunked() {
            self.place_chunks(incoming, order, event.as_ref(), &mut effects)
        } else {
            let mut state = self.lock_for_command();
            let placed = self.place(&mut state, incoming, order, event.as_ref(), &mut effects);
            if placed.is_ok() && (until == Until::Done || config().debug.no_batch) {
                // The command is placed. If the submission fails, so do its event and every later call for the
                // queue.
                let _ = self.submit(&mut state, &mut effects);
            }
            placed
        };
        effects.run();
        let placed = placed?;
        if until == Until::Placed {
            if config().debug.sync {
                self.finish()?;
            }
            return Ok(event.filter(|_| waits.want_event));
        }
        let waited = match placed {
            Placed::Failed(code) => Some(Status::Failed(code)),
            Placed::Recorded | Placed::Deferred(_) if until == Until::Done => {
                event.as_ref().map(|e| e.wait())
            }
            Placed::Deferred(event) => event.map(|e| e.wait()),
            Placed::Recorded => None,
        };
        // CL 5.2.2: EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the operation is blocking and an event failed
        if let Some(Status::Failed(n)) = waited {
            return Err(execution_error(n));
        }
        Ok(event.filter(|_| waits.want_event))
    }

    /// Retires completed batches, or waits for the oldest, if many batches are in flight.
    fn limit_batches_in_flight(&self) {
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        if in_flight < MANY_IN_FLIGHT {
            return;
        }
        let too_many = in_flight >= TOO_MANY_IN_FLIGHT;
        let submitted = self.submitted.load(Ordering::Relaxed);
        if too_many || self.polled_at.load(Ordering::Relaxed) != submitted {
            self.polled_at.store(submitted, Ordering::Relaxed);
            self.retire_completed(too_many);
        }
    }

    /// Submits the open batches of other queues that have commands in the wait list.
    pub(super) fn flush_others(self: &Arc<Self>, list: &[Arc<Event>]) {
        for event in list {
            if event.phase() == Phase::Recorded
                && let Some(queue) = event.queue()
                && !Arc::ptr_eq(queue, self)
            {
                // If the submission fails, so does the event.
                let _ = queue.flush();
            }
        }
    }

    /// Decides whether a command can be recorded now. Fails if the queue has failed, so that it takes no more
    /// commands.
    #[inline]
    pub(super) fn admit(
        self: &Arc<Self>,
        state: &mut State,
        incoming: &Incoming<'_>,
        order: Order<'_>,
        effects: &mut Effects,
    ) -> Result<Admission> {
        self.check_usable()?;
        if !state.deferred.is_empty() && !self.may_overtake(state, incoming, order.list) {
            return Ok(Admission::Defer { check_now: false });
        }
        let (ready, unfinished_store) = match incoming {
            Incoming::Launch { .. } => (self.ready(order.list, order.after, false), None),
            Incoming::Command(c) => self.ready_to_read(order.list, order.after, c),
        };
        let waits = !(order.list.is_empty() && order.after.is_empty());
        if !waits && unfinished_store.is_none() && !self.is_shared() {
            return Ok(Admission::Record(Start::default()));
        }
        Ok(match ready {
            Ready::Yes(others) => {
                if unfinished_store.is_some_and(|r| self.storing_event(state, r, effects).is_some()) {
                    return Ok(Admission::Defer { check_now: true });
                }
                match self.claim(incoming) {
                    Ok(claim) => Admission::Record(Start { others, claim }),
                    Err(()) => Admission::Defer { check_now: true },
                }
            }
            Ready::Failed(code) => Admission::Failed(code),
            Ready::Blocked(..) => Admission::Defer { check_now: true },
        })
    }

    /// Returns whether a command is a launch that needs none of the checks of [`CommandQueue::admit`] except that of the
    /// queue's error. Most commands are.
    #[inline]
    fn is_launch_without_waits(&self, state: &State, incoming: &Incoming<'_>, order: Order<'_>) -> bool {
        matches!(incoming, Incoming::Launch { .. })
            && order.list.is_empty()
            && order.after.is_empty()
            && state.deferred.is_empty()
            && !self.is_shared()
    }

    /// Returns whether a command may be recorded before the deferred ones. It may in an out-of-order queue,
    /// unless one of them is a barrier, or the command waits for all of them.
    fn may_overtake(&self, state: &State, incoming: &Incoming<'_>, list: &[Arc<Event>]) -> bool {
        self.properties.out_of_order
            && !state.deferred.iter().any(|d| d.is_barrier())
            && !matches!(incoming, Incoming::Command(c) if waits_for_all(c, list))
    }

    /// Records the command, or defers it.
    #[inline]
    pub(super) fn place(
        self: &Arc<Self>,
        state: &mut State,
        incoming: Incoming<'_>,
        order: Order<'_>,
        event: Option<&Arc<Event>>,
        effects: &mut Effects,
    ) -> Result<Placed> {
        if self.is_launch_without_waits(state, &incoming, order) {
            self.check_usable()?;
            self.record(state, &incoming, (order.list, &AT_ONCE), event, effects)?;
            return Ok(Placed::Recorded);
        }
        match self.admit(state, &incoming, order, effects)? {
            Admission::Record(start) => {
                self.record(state, &incoming, (order.list, &start), event, effects)?;
                Ok(Placed::Recorded)
            }
            Admission::Defer { check_now } => {
                Ok(self.defer(state, incoming, order, event, check_now, effects))
            }
            Admission::Failed(code) => Ok(Placed::failed(code, event, effects)),
        }
    }

    /// Returns the state of a command's wait list as [`CommandQueue::ready`] does, and the range of host memory that the
    /// command reads although a command in flight still stores into it. If there is one, the wait list is ready only
    /// when its events are complete.
    pub(super) fn ready_to_read(
        self: &Arc<Self>,
        list: &[Arc<Event>],
        after: &[Arc<Event>],
        command: &Command,
    ) -> (Ready, Option<HostRange>) {
        let ready = self.ready(list, after, false);
        if !matches!(ready, Ready::Yes(_)) {
            return (ready, None);
        }
        // A command of another queue enters its stores before its event leaves the phase `Pending`. So the stores are
        // looked up after the phases: the other way round, that command could be recorded in between.
        match self.unfinished_store(command.host_source(), command.ended_mapping()) {
            None => (ready, None),
            store => (self.ready(list, after, true), store),
        }
    }

    /// Returns the current state of a wait list, and of the events that the command comes after as well. If `strict` is
    /// set, the events must be complete; it does not suffice that they are submitted.
    pub(super) fn ready(self: &Arc<Self>, list: &[Arc<Event>], after: &[Arc<Event>], strict: bool) -> Ready {
        let mut others = Vec::new();
        // These events belong to other devices.
        for event in after {
            match event.phase() {
                Phase::Complete | Phase::Failed(_) => {}
                phase @ (Phase::Pending | Phase::Recorded | Phase::Submitted) => {
                    return Ready::Blocked(Arc::clone(event), phase);
                }
            }
        }
        for (i, event) in list.iter().enumerate() {
            match event.phase() {
                Phase::Complete => {}
                Phase::Failed(_) => {
                    return Ready::Failed(ClCode::ExecStatusErrorForEventsInWaitList.number());
                }
                phase @ Phase::Pending => return Ready::Blocked(Arc::clone(event), phase),
                phase @ (Phase::Recorded | Phase::Submitted) => {
                    let queue = event.queue().expect("only commands are recorded");
                    if strict || event.is_failing() {
                        return Ready::Blocked(Arc::clone(event), phase);
                    }
                    if Arc::ptr_eq(queue, self) {
                        // No semaphore is needed, because the queue orders its own commands.
                    } else if phase == Phase::Submitted && Arc::ptr_eq(&queue.device, &self.device) {
                        others.push(i);
                    } else {
                        return Ready::Blocked(Arc::clone(event), phase);
                    }
                }
            }
        }
        Ready::Yes(others)
    }

    /// Records a command into the open batch.
    pub(super) fn record(
        self: &Arc<Self>,
        state: &mut State,
        incoming: &Incoming<'_>,
        (list, start): (&[Arc<Event>], &Start),
        event: Option<&Arc<Event>>,
        effects: &mut Effects,
    ) -> Result<()> {
        let Start { others, claim } = start;
        if self.logical.is_lost() {
            return Err(Error::new(ClCode::OutOfResources, "the device is lost"));
        }
        let has_commands = state.open.as_ref().is_some_and(|b| b.commands > 0);
        let waits = !others.is_empty() || incoming.comes_first();
        if has_commands && (waits || state.open.as_ref().is_some_and(|b| b.is_full())) {
            // The recorded commands must not wait for another queue, or for another API, as well.
            self.submit(state, effects)?;
        }
        if self.is_timed() && !has_commands && state.clock.is_old() {
            self.measure_clock(&mut state.clock);
        }
        if state.open.is_none() {
            state.open = Some(self.begin_batch(state)?);
        }
        let others_retired = state.seen_retirements.take_others(self.opened.retired_batches());
        let State {
            open,
            hazards,
            confidence,
            uploads,
            ..
        } = state;
        let batch = open.as_mut().expect("just opened");
        let plain = incoming.plain().filter(|_| !others_retired);
        let is_speculative = match batch.confirm_speculation(plain.as_ref(), confidence) {
            Ok(is_speculative) => is_speculative,
            Err(e) => {
                *open = None;
                return Err(e);
            }
        };
        if let Some((timeline, value)) = self.opened.uploads_since(*uploads) {
            *uploads = value;
            batch.wait_for(timeline, value);
        }
        for &i in others {
            let event = &list[i];
            let queue = event.queue().expect("only commands are recorded");
            batch.wait_for(&queue.timeline, event.value());
            batch.after.push((Arc::downgrade(queue), event.value()));
        }
        let mut recording = Recording {
            batch,
            hazards,
            queue: self,
            is_speculative,
        };
        if others_retired {
            recording.see_other_queues();
        }
        let awaits =
            |e: &Arc<Event>| e.phase() != Phase::Complete && e.queue().is_some_and(|q| Arc::ptr_eq(q, self));
        if self.properties.out_of_order && (incoming.is_barrier() || list.iter().any(awaits)) {
            recording.order();
        }
        let query = recording.open_event(event);
        incoming.record(&mut recording)?;
        if let Some(claim) = claim {
            recording.claim(claim);
        }
        let weight = incoming.weight();
        recording.close_event(event, query, weight, effects);
        if incoming.comes_last() {
            // The command is recorded. If the submission fails, so do its event and every later call for the queue.
            let _ = self.submit(state, effects);
        } else {
            self.submit_if_worthwhile(state, weight, effects);
        }
        Ok(())
    }

    /// Submits the open batch if it is full, or if the GPU has nothing else to do and the batch is worth a
    /// submission.
    fn submit_if_worthwhile(&self, state: &mut State, weight: u32, effects: &mut Effects) {
        let Some(open) = &state.open else { return };
        let (commands, large) = (open.commands, open.temporary_memory());
        let limits = &self.logical.tuning().submission;
        let full = commands >= limits.full || large >= limits.much_staging;
        let looks = match commands < limits.first {
            _ if weight > 1 => true,
            true => commands.is_power_of_two(),
            false => commands.is_multiple_of(limits.first),
        };
        let many = looks && commands >= state.submit_threshold;
        let worth = many || large >= limits.worth_staging;
        if full || (worth && self.timeline.is_over(state.last)) {
            if many {
                state.submit_threshold = (2 * state.submit_threshold).min(limits.most);
            }
            // The command is recorded. If the submission fails, so do its event and every later call for the
            // queue.
            let _ = self.submit(state, effects);
        }
    }

    fn begin_batch(&self, state: &mut State) -> Result<Box<Batch>> {
        let mut batch = match state.free.pop() {
            Some(batch) => batch,
            None => Batch::new(&self.logical, self.logical.queue(self.vk_queue))?,
        };
        batch.begin(&self.logical, state.last + 1, self.is_timed())?;
        Ok(batch)
    }

    /// Opens the next batch while this thread waits, binds the pipeline that it will probably need, and may
    /// record the first command speculatively. That shortens the enqueue call of the next command
    /// (`docs/scheduling.md`).
    pub(super) fn prepare(&self) {
        let mut state = self.state.lock();
        if state.open.is_none() && !self.logical.is_lost() {
            match self.begin_batch(&mut state) {
                Ok(mut batch) => {
                    let State {
                        in_flight,
                        hazards,
                        confidence,
                        ..
                    } = &mut *state;
                    let plain = !self.is_timed() && !self.properties.out_of_order;
                    match in_flight.back() {
                        Some(before) if plain => batch.record_speculatively(before, hazards, confidence),
                        Some(before) => batch.bind_as_in(before),
                        None => {}
                    }
                    state.open = Some(batch);
                }
                // The next command reports the error.
                Err(e) => log::debug!("a batch in advance: {}", e.chain()),
            }
        }
    }

    /// Submits the open batch to the GPU. A failure is an error of the whole queue and of the batch's events.
    pub(super) fn submit(&self, state: &mut State, effects: &mut Effects) -> Result<()> {
        if state.open.as_ref().is_none_or(|b| b.commands == 0) {
            return Ok(());
        }
        let mut batch = state.open.take().expect("just seen");
        // The batches waited for may have transfer commands.
        state.transfers |= batch.recorder.transfers() || !batch.waits.is_empty();
        let writers = match state.transfers {
            true => vk::Writers::All,
            false => vk::Writers::Kernels,
        };
        self.opened.begins_batch();
        let time = now();
        let done = batch
            .recorder
            .end(batch.to_host.then_some(writers))
            .and_then(|()| {
                self.logical.queue(self.vk_queue).submit(
                    &self.logical,
                    &batch.recorder,
                    &batch.waits,
                    (&self.timeline, batch.value),
                    &batch.shared,
                )
            })
            .map_err(resources);
        match done {
            Ok(()) => {
                log::trace!("batch {} with {} commands", batch.value, batch.commands);
                state.last = batch.value;
                self.submitted.store(batch.value, Ordering::Release);
                if batch.to_host {
                    state.transfers = false;
                    self.visible.store(batch.value, Ordering::Release);
                }
                // This comes first, so that no panic can drop a batch that the GPU uses.
                state.in_flight.push_back(batch);
                self.in_flight.fetch_add(1, Ordering::Relaxed);
                if let Some(batch) = state.in_flight.back_mut() {
                    batch.submitted(time, effects);
                }
                Ok(())
            }
            Err(e) => {
                self.opened.fails_batch();
                if self.logical.is_lost() {
                    self.abandon(state, effects);
                    note_kernels(std::iter::once(&batch));
                }
                for event in batch.take_events() {
                    CommandQueue::fail_when_done(state, event, e.code, effects);
                }
                batch.failed(e.code, self.context.host_stores(), effects);
                // The command buffer is not pending, but its pool may be in any state, so it is not reused.
                drop(batch);
                self.fail(state, &e, "a submission", effects);
                Err(e)
            }
        }
    }

    pub(super) fn measure_clock(&self, clock: &mut Clock) {
        match Clock::measure(|| self.logical.device_time()) {
            Some(measured) => *clock = measured,
            None => log::debug!("the device's clock cannot be read"),
        }
    }
}
