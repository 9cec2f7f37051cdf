//! From an enqueue call to the open batch, and from there to the GPU.
//!
//! A command whose wait list the GPU can honour (it is empty, done, of this queue, or of another queue of the
//! device) is recorded at once. Otherwise it is *held back*; the event that blocks it knows the queue and makes it
//! look again ([`CommandQueue::pump`]) when it changes. In order, everything after it is held back too; out of order
//! only what says so: what waits for its event, what comes after a barrier, and markers and barriers for all before.
//!
//! **Why no cycle of batches can arise:** a batch waits only for timeline values that have been submitted, so the
//! order of submission is a topological order of all batches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::batch::{Batch, resources};
use super::moves::Arrival;
use super::{CommandQueue, Enqueued, Recording, State, Waits};
use crate::command::{Command, CommandType, HostRange, Incoming};
use crate::config::config;
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event, Phase, now};
use crate::vk;

/// A batch with so many commands is submitted.
const FULL: u32 = 512;
/// A batch with so many commands is submitted if the GPU has nothing else to do: the first one after a wait.
pub(super) const WORTH_WAKING: u32 = 16;
/// Each further one with twice as many, up to this: a submission takes as long as recording ten commands (3.4 µs, NVIDIA), and a
/// GPU that is done with each batch before the next is recorded has to wait for the processor in any case.
const WORTH_WAKING_LATER: u32 = 128;
/// The same for temporary memory: a copy of that size takes longer than its submission.
const WORTH_STAGING: u64 = 1 << 20;
/// A batch that holds so much temporary memory is submitted.
const MUCH_STAGING: u64 = 32 << 20;
/// With so many batches in flight an enqueue call first retires what is done, once after each submission.
const MANY_IN_FLIGHT: u32 = 4;
/// With so many it waits for the oldest.
const TOO_MANY_IN_FLIGHT: u32 = 64;

/// A command that is held back.
pub(super) struct Held {
    command: Command,
    waits: Vec<Arc<Event>>,
    /// It comes after these, but does not fail with them ([`CommandQueue::comes_after`]).
    after: Vec<Arc<Event>>,
    /// Its contents are under way.
    moving: Option<Arc<Event>>,
    /// Nothing that the application must do holds it back.
    pub(super) certain: bool,
    event: Option<Arc<Event>>,
}

/// What a command comes after.
#[derive(Copy, Clone)]
pub(super) struct Order<'a> {
    /// The wait list.
    pub list: &'a [Arc<Event>],
    /// What it need not succeed.
    pub after: &'a [Arc<Event>],
    /// Until it is complete, not only submitted.
    pub strict: bool,
}

impl Held {
    /// The command's event, if there is one.
    pub(super) fn own_event(&self) -> Option<Arc<Event>> {
        self.event.clone()
    }

    /// All events that it holds, to be let go of when no lock is held.
    fn events(&self) -> Vec<Arc<Event>> {
        let waits = self.waits.iter().chain(&self.after);
        waits.chain(&self.moving).chain(&self.event).cloned().collect()
    }

    /// Whether it stands in the way of what is enqueued after it, in a queue that is out of order.
    fn is_barrier(&self) -> bool {
        matches!(self.command, Command::Barrier)
    }

    /// The command's event; one of its own if the application did not ask for one.
    pub(super) fn event(&mut self, queue: &Arc<CommandQueue>) -> Arc<Event> {
        let event = self.event.get_or_insert_with(|| {
            let event = Event::of_command(queue, CommandType::Marker);
            if self.certain {
                event.make_certain();
            }
            event
        });
        Arc::clone(event)
    }
}

/// CL 5.10: without a wait list it waits for everything before it.
fn waits_for_all(command: &Command, list: &[Arc<Event>]) -> bool {
    matches!(command, Command::Marker | Command::Barrier) && list.is_empty()
}

/// What a wait list means now.
enum Ready {
    /// The batch must wait for these values of other queues (by index in the list).
    Yes(Vec<usize>),
    /// Not before this event moves on.
    Blocked(Arc<Event>, Phase),
    /// An event failed: the command does, with this code.
    Failed(i32),
}

impl CommandQueue {
    /// CL 5.8, 5.9: INVALID_CONTEXT if a wait list's events are of another context.
    pub(crate) fn check_waits(&self, waits: Waits<'_>) -> Result<()> {
        if waits.list.iter().all(|e| Arc::ptr_eq(e.context(), &self.context)) {
            Ok(())
        } else {
            Err(Error::new(
                ClCode::InvalidContext,
                "an event of the wait list is of another context",
            ))
        }
    }

    /// Enqueues a command; with `blocking`, waits until it is done.
    pub(super) fn enqueue(
        self: &Arc<Self>,
        kind: CommandType,
        incoming: Incoming<'_>,
        waits: Waits<'_>,
        blocking: bool,
    ) -> Enqueued {
        self.keep_up();
        self.flush_others(waits.list)?;
        let after = self.comes_after(&incoming);
        self.flush_others(&after)?;
        let strict = incoming
            .host_source()
            .or_else(|| incoming.host_given())
            .is_some_and(|from| self.others_read_into(from));
        let event = (waits.want_event || blocking).then(|| Event::of_command(self, kind));
        let mut effects = Effects::default();
        let result = {
            let mut state = self.state.lock_soon();
            let order = Order {
                list: waits.list,
                after: &after,
                strict,
            };
            let result = self.place(&mut state, incoming, order, event.as_ref(), &mut effects);
            if result.is_ok() && (blocking || config().debug.no_batch) {
                self.submit(&mut state, &mut effects);
            }
            result
        };
        effects.run();
        result?;
        if let Some(event) = event.as_ref().filter(|_| blocking) {
            // CL 5.2.2: EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the operation is blocking and an event failed
            if let crate::event::Status::Failed(n) = event.wait() {
                return Err(self.execution_error(n));
            }
        } else if config().debug.sync {
            self.finish()?;
        }
        Ok(event.filter(|_| waits.want_event))
    }

    /// Sees to it that what is in flight does not become too much.
    fn keep_up(&self) {
        let in_flight = self.in_flight.load(Ordering::Relaxed);
        if in_flight < MANY_IN_FLIGHT {
            return;
        }
        let too_many = in_flight >= TOO_MANY_IN_FLIGHT;
        let submitted = self.submitted.load(Ordering::Relaxed);
        if too_many || self.looked.load(Ordering::Relaxed) != submitted {
            self.looked.store(submitted, Ordering::Relaxed);
            self.throttle(too_many);
        }
    }

    pub(super) fn execution_error(&self, number: i32) -> Error {
        let code = ClCode::ALL
            .iter()
            .copied()
            .find(|c| c.number() == number)
            .unwrap_or(ClCode::ExecStatusErrorForEventsInWaitList);
        Error::new(code, "the command failed")
    }

    /// Submits what other queues have only recorded and this command waits for.
    pub(super) fn flush_others(self: &Arc<Self>, list: &[Arc<Event>]) -> Result<()> {
        for event in list {
            if event.phase() == Phase::Recorded
                && let Some(queue) = event.queue()
                && !Arc::ptr_eq(queue, self)
            {
                queue.flush()?;
            }
        }
        Ok(())
    }

    /// Whether other queues of the context store what a command copies from. It may wait for them, also by way of others.
    pub(super) fn others_read_into(&self, (start, end): HostRange) -> bool {
        let others = self.context.queues();
        others
            .iter()
            .any(|q| !std::ptr::eq(&**q, self) && q.reads_into(start, end))
    }

    /// The event of the last barrier that is held back.
    pub(super) fn held_barrier(self: &Arc<Self>) -> Option<Arc<Event>> {
        let mut state = self.state.lock();
        let barrier = state.held.iter_mut().rev().find(|h| h.is_barrier());
        barrier.map(|h| h.event(self))
    }

    /// What must be complete before a command may copy from host memory: a batch that stores there.
    fn storing(
        self: &Arc<Self>,
        state: &mut State,
        source: Option<HostRange>,
        effects: &mut Effects,
    ) -> Option<Arc<Event>> {
        let (start, end) = source?;
        let stores = |b: &&mut Box<Batch>| b.stores_into(start, end);
        if let Some(open) = state.open.as_mut().filter(stores) {
            return Some(open.some_event(self, false, effects));
        }
        if let Some(batch) = state.in_flight.iter_mut().rev().find(stores) {
            return Some(batch.some_event(self, true, effects));
        }
        let finishing = state.finishing.as_ref().filter(|f| f.stores_into(start, end))?;
        Some(Arc::clone(&finishing.event)).filter(|e| !e.is_final())
    }

    /// Whether the host still has to store what reads bring into a range, which the GPU is to take after that.
    fn is_bringing(&self, state: &State, range: Option<HostRange>) -> bool {
        let Some((start, end)) = range else { return false };
        let mut batches = state.in_flight.iter().chain(&state.open);
        let finishing = state.finishing.as_ref();
        batches.any(|b| b.brings_into(start, end))
            || finishing.is_some_and(|f| f.stores_into(start, end) && !f.event.is_final())
    }

    /// What is in flight and stores into host memory is known here for this queue alone. So a command that was held back
    /// and copies from host memory comes after everything that it follows, which then includes what other queues did
    /// before ([`CommandQueue::retire`]): an event of the last batch that is not retired.
    pub(super) fn unretired(
        self: &Arc<Self>,
        state: &mut State,
        effects: &mut Effects,
    ) -> Option<Arc<Event>> {
        if let Some(open) = state.open.as_mut().filter(|b| b.commands > 0) {
            return Some(open.some_event(self, false, effects));
        }
        if let Some(batch) = state.in_flight.back_mut() {
            return Some(batch.some_event(self, true, effects));
        }
        let event = &state.finishing.as_ref()?.event;
        Some(Arc::clone(event)).filter(|e| !e.is_final())
    }

    /// Records the command, or holds it back.
    pub(super) fn place(
        self: &Arc<Self>,
        state: &mut State,
        incoming: Incoming<'_>,
        order: Order<'_>,
        event: Option<&Arc<Event>>,
        effects: &mut Effects,
    ) -> Result<()> {
        let Order { list, after, strict } = order;
        let free = state.held.is_empty()
            || (self.properties.out_of_order
                && !state.held.iter().any(Held::is_barrier)
                && !matches!(&incoming, Incoming::Command(c) if waits_for_all(c, list)));
        if free {
            let source = incoming.host_source();
            match self.ready(list, after, strict) {
                Ready::Yes(others)
                    if !strict
                        && self.storing(state, source, effects).is_none()
                        && !self.is_bringing(state, incoming.host_given())
                        && self.is_here(&incoming) =>
                {
                    return self.record(state, &incoming, list, &others, event, effects);
                }
                Ready::Yes(_) => {}
                Ready::Failed(code) => {
                    if let Some(event) = event {
                        event.failed(code, effects);
                    }
                    return Ok(());
                }
                Ready::Blocked(..) => {}
            }
        }
        let certain = list.iter().all(|e| e.is_certain())
            && (self.properties.out_of_order || state.held.back().is_none_or(|h| h.certain));
        if certain && let Some(event) = event {
            event.make_certain();
        }
        state.held.push_back(Held {
            command: incoming.into_command(),
            waits: list.to_vec(),
            after: after.to_vec(),
            moving: None,
            certain,
            event: event.cloned(),
        });
        if free {
            self.look_again(state, effects);
        }
        Ok(())
    }

    /// What a wait list, and what else the command comes after, mean now; `strict` as in [`Order`].
    fn ready(self: &Arc<Self>, list: &[Arc<Event>], after: &[Arc<Event>], strict: bool) -> Ready {
        let mut others = Vec::new();
        // These are of other devices.
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
                    if strict {
                        return Ready::Blocked(Arc::clone(event), phase);
                    }
                    if Arc::ptr_eq(queue, self) {
                        // In order anyway.
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

    /// Records the held-back commands that nothing blocks any more.
    fn look_again(self: &Arc<Self>, state: &mut State, effects: &mut Effects) {
        let mut at = 0;
        while let Some(held) = state.held.get(at) {
            let all = at > 0 && waits_for_all(&held.command, &held.waits);
            let barrier = held.is_barrier();
            let source = held.command.host_source().or_else(|| held.command.host_given());
            let mut ready = self.ready(&held.waits, &held.after, source.is_some());
            let before = match (&ready, source) {
                (Ready::Yes(_), Some(_)) if !self.properties.out_of_order => self.unretired(state, effects),
                (Ready::Yes(_), Some(_)) => self.storing(state, source, effects),
                _ => None,
            };
            if let Some(event) = before {
                let phase = event.phase();
                ready = Ready::Blocked(event, phase);
            }
            if let (Ready::Yes(_), true, Some(held)) = (&ready, self.is_shared(), state.held.get_mut(at)) {
                match self.arrive(held.command.touches(), &mut held.moving) {
                    Arrival::Here => {}
                    Arrival::Moving(gate) => ready = Ready::Blocked(gate, Phase::Pending),
                    Arrival::Failed(code) => ready = Ready::Failed(code),
                }
            }
            match ready {
                Ready::Blocked(blocker, phase) => {
                    if !blocker.add_dependent(phase, self) {
                        continue;
                    }
                    if phase != Phase::Pending {
                        // Nobody may poll that queue: the executor does.
                        self.context.executor().watch(&blocker);
                    }
                }
                // What is before it is looked at again when it moves on, and then this is too.
                Ready::Yes(_) | Ready::Failed(_) if all => {}
                Ready::Failed(code) => {
                    let held = state.held.remove(at).expect("just seen");
                    let events = held.events();
                    if let Some(event) = held.event {
                        event.failed(code, effects);
                    }
                    effects.drop_later(held.command, events);
                    continue;
                }
                Ready::Yes(others) => {
                    let held = state.held.remove(at).expect("just seen");
                    let events = held.events();
                    let incoming = Incoming::Command(held.command);
                    let event = held.event.as_ref();
                    if let Err(e) = self.record(state, &incoming, &held.waits, &others, event, effects) {
                        log::error!("a command that was held back failed: {}", e.chain());
                        if let Some(event) = event {
                            event.failed(e.code.number(), effects);
                        }
                    }
                    if let Incoming::Command(command) = incoming {
                        effects.drop_later(command, events);
                    }
                    continue;
                }
            }
            // This one stays.
            if !self.properties.out_of_order || barrier {
                return;
            }
            at += 1;
        }
    }

    /// An event that held back a command has moved on. The application may have flushed long ago, so what can be
    /// recorded now is submitted as well.
    pub(crate) fn pump(self: &Arc<Self>, effects: &mut Effects) {
        let waits: Vec<Vec<Arc<Event>>> = {
            let state = self.state.lock();
            let examined = if self.properties.out_of_order {
                usize::MAX
            } else {
                1
            };
            state
                .held
                .iter()
                .take(examined)
                .map(|h| h.waits.iter().chain(&h.after).cloned().collect())
                .collect()
        };
        if waits.is_empty() {
            return;
        }
        for list in &waits {
            if let Err(e) = self.flush_others(list) {
                log::error!("flush for a dependent command: {}", e.chain());
            }
        }
        let mut state = self.state.lock();
        self.look_again(&mut state, effects);
        self.submit(&mut state, effects);
    }

    /// Records one command into the open batch.
    fn record(
        self: &Arc<Self>,
        state: &mut State,
        incoming: &Incoming<'_>,
        list: &[Arc<Event>],
        others: &[usize],
        event: Option<&Arc<Event>>,
        effects: &mut Effects,
    ) -> Result<()> {
        if self.logical.is_lost() {
            return Err(Error::new(ClCode::OutOfResources, "the device is lost"));
        }
        let profiling = self.properties.profiling;
        let has_commands = state.open.as_ref().is_some_and(|b| b.commands > 0);
        if has_commands && (!others.is_empty() || state.open.as_ref().is_some_and(|b| b.is_full())) {
            // Waiting for another queue must not hold up what is recorded already.
            self.submit(state, effects);
        }
        if profiling && !has_commands && state.clock.is_old() {
            self.measure_clock(&mut state.clock);
        }
        if state.open.is_none() {
            state.open = Some(self.begin_batch(state)?);
        }
        let State {
            open,
            hazards,
            trust,
            uploads,
            ..
        } = state;
        let batch = open.as_mut().expect("just opened");
        let rehearsed = match batch.perform(incoming.plain(&self.device).as_ref(), trust) {
            Ok(rehearsed) => rehearsed,
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
            logical: &self.logical,
            staging: self.opened.staging(),
            copy_kernels: self.opened.copy_kernels(),
            queue: self.number,
            device: self.device_index,
            serialize: profiling,
            unordered: self.properties.out_of_order,
            uniform_alignment: self.device.limits().uniform_alignment,
            group_count: self.device.limits().group_count,
            rehearsed,
        };
        let awaits =
            |e: &Arc<Event>| e.phase() != Phase::Complete && e.queue().is_some_and(|q| Arc::ptr_eq(q, self));
        if self.properties.out_of_order && (incoming.is_barrier() || list.iter().any(awaits)) {
            recording.order();
        }
        let query = recording.open_event(event);
        incoming.record(&mut recording)?;
        self.note_written(incoming);
        recording.close_event(event, query, effects);
        let commands = recording.batch.commands;
        let full = commands >= FULL || recording.batch.large >= MUCH_STAGING;
        let looks = match commands < WORTH_WAKING {
            true => commands.is_power_of_two(),
            false => commands.is_multiple_of(WORTH_WAKING),
        };
        let many = looks && commands >= state.worth_waking;
        let worth = many || recording.batch.large >= WORTH_STAGING;
        if full || (worth && self.timeline.reached(state.last).unwrap_or(true)) {
            if many {
                state.worth_waking = (2 * state.worth_waking).min(WORTH_WAKING_LATER);
            }
            self.submit(state, effects);
        }
        Ok(())
    }

    fn begin_batch(&self, state: &mut State) -> Result<Box<Batch>> {
        let mut batch = match state.free.pop() {
            Some(batch) => batch,
            None => Batch::new(&self.logical, self.logical.queue(self.vk_queue))?,
        };
        batch.begin(&self.logical, state.last + 1, self.properties.profiling)?;
        Ok(batch)
    }

    /// Opens the next batch while there is nothing else to do but wait, binds what it will need first, and may record the first
    /// command: that takes 1.7, 0.13 and 0.3 to 0.6 µs of the next command's time (NVIDIA).
    pub(super) fn prepare(&self) {
        let mut state = self.state.lock();
        if state.open.is_none() && !self.logical.is_lost() {
            match self.begin_batch(&mut state) {
                Ok(mut batch) => {
                    let State {
                        in_flight,
                        hazards,
                        trust,
                        ..
                    } = &mut *state;
                    let plain = !self.properties.profiling && !self.properties.out_of_order;
                    match in_flight.back() {
                        Some(before) if plain => batch.rehearse(before, hazards, trust),
                        Some(before) => batch.expect_the_same(before),
                        None => {}
                    }
                    state.open = Some(batch);
                }
                // The next command will say so.
                Err(e) => log::debug!("a batch in advance: {}", e.chain()),
            }
        }
    }

    /// Gives the open batch to the GPU. Failures go to its events.
    pub(super) fn submit(&self, state: &mut State, effects: &mut Effects) {
        if state.open.as_ref().is_none_or(|b| b.commands == 0) {
            return;
        }
        let mut batch = state.open.take().expect("just seen");
        // What is waited for may be transfers.
        state.transfers |= batch.recorder.transfers() || !batch.waits.is_empty();
        let writers = match state.transfers {
            true => vk::Writers::All,
            false => vk::Writers::Kernels,
        };
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
                    self.shown.store(batch.value, Ordering::Release);
                }
                batch.submitted(time, effects);
                state.in_flight.push_back(batch);
                self.in_flight.fetch_add(1, Ordering::Relaxed);
            }
            Err(e) => {
                log::error!("submission: {}", e.chain());
                batch.failed(e.code, effects);
                // The command buffer is not pending, but its pool may be in any state: make a new one.
                drop(batch);
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
