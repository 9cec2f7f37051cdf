//! Contexts with several devices: what a command needs comes to its device before it is recorded.
//!
//! A command whose contents are elsewhere when its turn comes is held back, as for a user event, and the context's mover
//! thread copies them ([`crate::mem::migrate`]). No enqueue call waits, so what is held back by a user event that the same
//! thread will set holds up nothing else.

use std::sync::Arc;

use super::CommandQueue;
use crate::command::Incoming;
use crate::command::buffer::HostTransfer;
use crate::event::{Effects, Event, Phase, Status};
use crate::mem::migrate::Touch;

/// Whether a command can be recorded.
pub(super) enum Arrival {
    Here,
    /// Once this event is final.
    Moving(Arc<Event>),
    Failed(i32),
}

impl CommandQueue {
    /// Whether contents can be elsewhere at all.
    pub(super) fn is_shared(&self) -> bool {
        self.context.devices().len() > 1
    }

    /// What other devices' queues have to do before a command that is enqueued now, by the order of the enqueue calls, as far
    /// as that comes to its end by itself. No lock is held.
    pub(super) fn comes_after(self: &Arc<Self>, incoming: &Incoming<'_>) -> Vec<Arc<Event>> {
        if !self.is_shared() {
            return Vec::new();
        }
        let touches = incoming.touches();
        let devices = touches.iter().fold(0, |d, t| d | t.follows(self.device_index));
        touches.iter().for_each(|t| t.enqueued(self.device_index));
        if devices == 0 {
            return Vec::new();
        }
        let queues = self.context.queues();
        let others = queues.iter().filter(|q| devices & 1 << q.device_index != 0);
        others.flat_map(Self::certain_end).collect()
    }

    /// Events after which everything enqueued so far is done that the application does not hold back.
    fn certain_end(self: &Arc<Self>) -> Vec<Arc<Event>> {
        let mut effects = Effects::default();
        let mut events = Vec::new();
        let mut state = self.state.lock();
        for deferred in &mut state.deferred {
            if deferred.certain {
                events.push(deferred.event(self));
            } else if !self.properties.out_of_order {
                break;
            }
        }
        if !self.properties.out_of_order && events.len() > 1 {
            events.drain(..events.len() - 1);
        }
        events.extend(self.unretired(&mut state, &mut effects));
        drop(state);
        effects.run();
        events
    }

    /// Whether all that a command needs is on the queue's device.
    pub(super) fn is_here(&self, incoming: &Incoming<'_>) -> bool {
        !self.is_shared() || incoming.touches().iter().all(|t| t.is_at(self.device_index))
    }

    /// Whether this thread may do a transfer by itself, as far as other devices are concerned.
    pub(super) fn is_alone(&self, transfer: &HostTransfer, write: bool) -> bool {
        if !self.is_shared() {
            return true;
        }
        let touch = transfer.touch(write);
        touch.is_at(self.device_index) && touch.follows(self.device_index) == 0
    }

    /// This thread does it.
    pub(super) fn is_taken(&self, transfer: &HostTransfer, write: bool) {
        if self.is_shared() {
            let touch = transfer.touch(write);
            touch.enqueued(self.device_index);
            touch.done(self.device_index);
        }
    }

    /// A command has been recorded.
    pub(super) fn note_written(&self, incoming: &Incoming<'_>) {
        if self.is_shared() {
            let device = incoming.writes_to(self.device_index);
            incoming.touches().iter().for_each(|t| t.done(device));
        }
    }

    /// Sees to it that contents come to the queue's device. `moving`: what an earlier call returned for the command.
    pub(super) fn arrive(&self, touches: Vec<Touch>, moving: &mut Option<Arc<Event>>) -> Arrival {
        match moving.as_ref().map(|gate| (gate, gate.phase())) {
            Some((_, Phase::Failed(n))) => return Arrival::Failed(n),
            Some((gate, Phase::Pending)) => return Arrival::Moving(Arc::clone(gate)),
            // They may have been written elsewhere meanwhile.
            Some(_) | None => {}
        }
        let device = self.device_index;
        if touches.iter().all(|t| t.is_at(device)) {
            return Arrival::Here;
        }
        let gate = Event::user(&self.context);
        gate.make_certain();
        *moving = Some(Arc::clone(&gate));
        let opens = Arc::clone(&gate);
        self.context.migration_thread().call(Box::new(move || {
            let done = touches.iter().try_for_each(|t| t.fetch(device));
            let status = match done {
                Ok(()) => Status::Complete,
                Err(e) => {
                    log::error!("contents could not be moved: {}", e.chain());
                    Status::Failed(e.code.number())
                }
            };
            // Nobody else sets it.
            let _ = opens.set_user_status(status);
        }));
        Arrival::Moving(gate)
    }
}
