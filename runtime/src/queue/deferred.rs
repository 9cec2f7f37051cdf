//! Deferred commands: those that cannot be recorded yet.
//!
//! A command is deferred if it depends on something that the GPU cannot wait for: a user event, a command of
//! another device, contents that are on another device, or host memory that a command in flight still stores
//! into. The event that blocks it has the queue as a dependent, and when the event changes, the queue checks
//! the command again ([`CommandQueue::resume_deferred`]). In order, all commands after a deferred one are deferred, too.
//! Out of order, only commands that wait for its event are, commands after a barrier, and markers and barriers
//! that wait for all earlier commands.

use std::sync::Arc;

use super::moves::{Arrival, Moving};
use super::scheduler::{Order, Placed, Ready, Start, Until, waits_for_all};
use super::transfer::Chunks;
use super::{CommandQueue, State};
use crate::command::{Command, CommandType, HostRange, Incoming};
use crate::error::{ClCode, Result};
use crate::event::{Effects, Event, Phase};
use crate::mem::migrate::Touch;

/// A deferred command.
pub(super) struct Deferred {
    command: Command,
    waits: Vec<Arc<Event>>,
    /// Events that the command comes after, but with which it does not fail ([`CommandQueue::after_other_devices`]).
    after: Vec<Arc<Event>>,
    /// The migration thread's work for the command.
    moving: Option<Moving>,
    /// Whether the command will be recorded without the application's help.
    pub(super) certain: bool,
    event: Option<Arc<Event>>,
}

/// Whether a deferred command can be recorded.
enum Readiness {
    Ready(Start),
    /// It cannot be recorded before this event leaves this phase.
    Blocked(Arc<Event>, Phase),
    /// It fails with this code.
    Failed(i32),
}

impl Deferred {
    /// Returns the command's event, if there is one.
    pub(super) fn own_event(&self) -> Option<Arc<Event>> {
        self.event.clone()
    }

    /// Returns all events that the command holds, so that they can be dropped when no lock is held.
    fn events(&self) -> Vec<Arc<Event>> {
        let waits = self.waits.iter().chain(&self.after);
        let gate = self.moving.iter().map(|m| &m.gate);
        waits.chain(gate).chain(&self.event).cloned().collect()
    }

    /// Returns how the command uses the contents of memory objects.
    pub(super) fn touches(&self) -> Vec<Touch> {
        self.command.touches()
    }

    /// Returns whether no later command may be recorded before this one in an out-of-order queue.
    pub(super) fn is_barrier(&self) -> bool {
        matches!(self.command, Command::Barrier)
    }

    /// Returns the command's event; makes one if the application did not ask for it.
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

    /// Makes the command fail, because it will not be recorded.
    pub(super) fn failed(self, code: ClCode, effects: &mut Effects) {
        self.failed_with(code.number(), effects);
    }

    fn failed_with(self, number: i32, effects: &mut Effects) {
        let events = self.events();
        if let Some(event) = self.event {
            event.failed(number, effects);
        }
        effects.drop_later(self.command, events);
    }
}

impl CommandQueue {
    /// Defers a command. `check_now` tells that no deferred command is before it, so that it may become recordable at once.
    pub(super) fn defer(
        self: &Arc<Self>,
        state: &mut State,
        incoming: Incoming<'_>,
        order: Order<'_>,
        event: Option<&Arc<Event>>,
        check_now: bool,
        effects: &mut Effects,
    ) -> Placed {
        let certain = order.list.iter().all(|e| e.is_certain())
            && (self.properties.out_of_order || state.deferred.back().is_none_or(|d| d.certain));
        let own = || Event::of_command(self, order.kind);
        let event = event
            .cloned()
            .or_else(|| (order.until == Until::Copied).then(own));
        if certain && let Some(event) = &event {
            event.make_certain();
        }
        state.deferred.push_back(Deferred {
            command: incoming.into_command(),
            waits: order.list.to_vec(),
            after: order.after.to_vec(),
            moving: None,
            certain,
            event: event.clone(),
        });
        if check_now {
            self.record_ready(state, effects);
        }
        Placed::Deferred(event)
    }

    /// Returns the range of host memory that a command reads when it is recorded, if a command in flight still
    /// stores into it. `source` and `given` are the command's [`Command::host_source`] and
    /// [`Command::ended_mapping`].
    pub(super) fn unfinished_store(
        &self,
        source: Option<HostRange>,
        given: Option<HostRange>,
    ) -> Option<HostRange> {
        let stores = self.context.host_stores();
        let source = source.filter(|r| stores.overlap(*r));
        source.or_else(|| given.filter(|r| stores.overlap_by_host(*r)))
    }

    /// Returns the event after which a command that reads host memory with an unfinished store may be recorded, as far as its
    /// own queue is concerned. In order, all earlier batches must be retired; out of order, the batch that
    /// stores there.
    pub(super) fn storing_event(
        self: &Arc<Self>,
        state: &mut State,
        (start, end): HostRange,
        effects: &mut Effects,
    ) -> Option<Arc<Event>> {
        if !self.properties.out_of_order {
            return self.unretired(state, effects);
        }
        let stores = |b: &&mut Box<super::batch::Batch>| b.stores_into(start, end);
        if let Some(open) = state.open.as_mut().filter(stores) {
            return Some(open.event_or_marker(self, false, effects));
        }
        if let Some(batch) = state.in_flight.iter_mut().rev().find(stores) {
            return Some(batch.event_or_marker(self, true, effects));
        }
        let finishing = state.finishing.as_ref().filter(|f| f.stores_into(start, end))?;
        Some(Arc::clone(&finishing.event)).filter(|e| !e.is_final())
    }

    /// Returns an event of the last batch that is not retired.
    pub(super) fn unretired(
        self: &Arc<Self>,
        state: &mut State,
        effects: &mut Effects,
    ) -> Option<Arc<Event>> {
        if let Some(open) = state.open.as_mut().filter(|b| b.commands > 0) {
            return Some(open.event_or_marker(self, false, effects));
        }
        if let Some(batch) = state.in_flight.back_mut() {
            return Some(batch.event_or_marker(self, true, effects));
        }
        let event = &state.finishing.as_ref()?.event;
        Some(Arc::clone(event)).filter(|e| !e.is_final())
    }

    /// Returns the event of the last deferred barrier.
    pub(super) fn deferred_barrier(self: &Arc<Self>) -> Option<Arc<Event>> {
        let mut state = self.state.lock();
        let barrier = state.deferred.iter_mut().rev().find(|d| d.is_barrier());
        barrier.map(|d| d.event(self))
    }

    /// Records the deferred commands that are no longer blocked.
    fn record_ready(self: &Arc<Self>, state: &mut State, effects: &mut Effects) {
        let mut at = 0;
        while let Some(deferred) = state.deferred.get(at) {
            let all = at > 0 && waits_for_all(&deferred.command, &deferred.waits);
            let barrier = deferred.is_barrier();
            match self.readiness(state, at, effects) {
                Readiness::Blocked(blocker, phase) => {
                    if !blocker.add_dependent(phase, self) {
                        continue;
                    }
                    if phase != Phase::Pending {
                        // No other thread may poll that queue, so the executor does.
                        self.context.executor().watch(&blocker);
                    }
                }
                // The command waits for the deferred commands before it. It is checked again when one of them can be
                // recorded.
                Readiness::Ready(_) | Readiness::Failed(_) if all => {}
                Readiness::Failed(code) => {
                    let deferred = state.deferred.remove(at).expect("just seen");
                    deferred.failed_with(code, effects);
                    continue;
                }
                Readiness::Ready(start) => {
                    let deferred = state.deferred.remove(at).expect("just seen");
                    self.record_deferred(state, deferred, &start, effects);
                    continue;
                }
            }
            // The command stays deferred.
            if !self.properties.out_of_order || barrier {
                return;
            }
            at += 1;
        }
    }

    /// Returns whether a deferred command can be recorded now.
    fn readiness(self: &Arc<Self>, state: &mut State, at: usize, effects: &mut Effects) -> Readiness {
        let deferred = &mut state.deferred[at];
        let (ready, store) = self.ready_to_read(&deferred.waits, &deferred.after, &deferred.command);
        let others = match ready {
            Ready::Yes(others) => others,
            Ready::Blocked(event, phase) => return Readiness::Blocked(event, phase),
            Ready::Failed(code) => return Readiness::Failed(code),
        };
        let mut claim = None;
        if self.is_shared() {
            let of_command = || deferred.command.claim(self.device_index);
            match self.arrive(of_command, &mut deferred.moving) {
                Arrival::Here(c) => claim = Some(c),
                Arrival::Moving(gate) => return Readiness::Blocked(gate, Phase::Pending),
                Arrival::Failed(code) => return Readiness::Failed(code),
            }
        }
        match store.and_then(|range| self.storing_event(state, range, effects)) {
            Some(event) => {
                let phase = event.phase();
                Readiness::Blocked(event, phase)
            }
            None => Readiness::Ready(Start { others, claim }),
        }
    }

    /// Records a deferred command that is no longer blocked.
    fn record_deferred(
        self: &Arc<Self>,
        state: &mut State,
        deferred: Deferred,
        start: &Start,
        effects: &mut Effects,
    ) {
        let events = deferred.events();
        let (incoming, event) = (Incoming::Command(deferred.command), deferred.event.as_ref());
        let recorded = match &incoming {
            Incoming::Command(Command::Transfer(t)) if t.chunked => {
                let chunks = Chunks::new(self, t, event);
                self.record_deferred_chunks(state, chunks, (&deferred.waits, start), effects)
            }
            _ => self.record(state, &incoming, (&deferred.waits, start), event, effects),
        };
        if let Err(e) = recorded {
            if let Some(event) = event {
                CommandQueue::fail_when_done(state, Arc::clone(event), e.code, effects);
            }
            self.fail(state, &e, "a deferred command", effects);
        }
        if let Incoming::Command(command) = incoming {
            effects.drop_later(command, events);
        }
    }

    /// Records all chunks of a deferred transfer.
    fn record_deferred_chunks(
        self: &Arc<Self>,
        state: &mut State,
        mut chunks: Chunks,
        waits: (&[Arc<Event>], &Start),
        effects: &mut Effects,
    ) -> Result<()> {
        while chunks.record_next(self, state, waits, effects)? {}
        Ok(())
    }

    /// Records the deferred commands that a changed event no longer blocks. They are submitted, too, because
    /// the application may have flushed long ago.
    pub(crate) fn resume_deferred(self: &Arc<Self>, effects: &mut Effects) {
        let waits: Vec<Vec<Arc<Event>>> = {
            let state = self.state.lock();
            let examined = if self.properties.out_of_order {
                usize::MAX
            } else {
                1
            };
            let examined = state.deferred.iter().take(examined);
            examined
                .map(|d| d.waits.iter().chain(&d.after).cloned().collect())
                .collect()
        };
        if waits.is_empty() {
            return;
        }
        for list in &waits {
            self.flush_others(list);
        }
        let mut state = self.state.lock();
        self.record_ready(&mut state, effects);
        // If the submission fails, so do the events and later calls.
        let _ = self.submit(&mut state, effects);
    }
}
