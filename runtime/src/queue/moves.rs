//! Contexts with several devices: before a command is recorded, the contents that it needs are moved to its
//! device.
//!
//! A command claims the ranges that it uses before it is recorded ([`crate::mem::claim`]). If the contents are
//! on another device when the command could otherwise be recorded, or a claim of another device excludes it,
//! the command is deferred, as for a user event, and the context's migration thread takes the claim and copies
//! the contents ([`crate::mem::migrate`]). No enqueue call waits for that, so a command that waits for a user
//! event, which the same thread may set later, delays only the commands that depend on it.

use std::sync::Arc;

use super::CommandQueue;
use crate::command::Incoming;
use crate::command::buffer::HostTransfer;
use crate::event::{Effects, Event, Phase, Status};
use crate::mem::claim::Claim;
use crate::mem::migrate::Touch;

/// The migration thread's work for a deferred command.
pub(super) struct Moving {
    claim: Arc<Claim>,
    /// Completes when the claim is taken and the contents have arrived.
    pub gate: Arc<Event>,
}

/// Whether a command's contents are on the queue's device.
pub(super) enum Arrival {
    /// The contents are there, and the command has this claim.
    Here(Arc<Claim>),
    /// The migration thread moves them. They are there once this event is complete.
    Moving(Arc<Event>),
    /// They could not be moved, so the command fails with this code.
    Failed(i32),
}

impl CommandQueue {
    /// Returns whether the context has several devices, so that contents can be on another device.
    pub(super) fn is_shared(&self) -> bool {
        self.context.devices().len() > 1
    }

    /// Returns events of other devices' queues that must complete before a command that is being enqueued,
    /// according to the order of the enqueue calls, as far as they complete without the application's help. No
    /// lock may be held.
    ///
    /// A device of which the wait list has an event gives none, because the application states the order with its commands
    /// itself. Neither does a device without an unfinished command that conflicts with this one.
    pub(super) fn after_other_devices(
        self: &Arc<Self>,
        incoming: &Incoming<'_>,
        list: &[Arc<Event>],
    ) -> Vec<Arc<Event>> {
        if !self.is_shared() {
            return Vec::new();
        }
        let touches = incoming.touches();
        let stated = list.iter().filter_map(|e| e.queue());
        let stated = stated.fold(0, |d, q| d | 1 << q.device_index);
        let follows = |t: &Touch| {
            let devices = t.follows(self.device_index) & !stated;
            match devices != 0 && self.has_conflict(t, devices) {
                true => devices,
                false => 0,
            }
        };
        let devices = touches.iter().fold(0, |d, t| d | follows(t));
        touches.iter().for_each(|t| t.enqueued(self.device_index));
        if devices == 0 {
            return Vec::new();
        }
        let queues = self.context.queues();
        let others = queues.iter().filter(|q| devices & 1 << q.device_index != 0);
        others.flat_map(Self::last_certain_events).collect()
    }

    /// Returns whether a use conflicts with an unfinished command of other devices: with a claim, or with a deferred command of
    /// these devices, which may have no claim yet. The storage of another device is not disturbed by the use, so a command that
    /// only reads is finished once it is recorded.
    fn has_conflict(&self, touch: &Touch, devices: u64) -> bool {
        let deferred = |q: &Arc<CommandQueue>| {
            let state = q.state.lock();
            let mut uses = state.deferred.iter().flat_map(|d| d.touches());
            uses.any(|other| other.conflicts(touch))
        };
        let of_devices = |q: &&Arc<CommandQueue>| devices & 1 << q.device_index != 0;
        touch.is_claimed_elsewhere(self.device_index)
            || self.context.queues().iter().filter(of_devices).any(deferred)
    }

    /// Returns events after which all commands enqueued so far are complete, except for those that depend on
    /// the application, for example on a user event.
    pub(crate) fn last_certain_events(self: &Arc<Self>) -> Vec<Arc<Event>> {
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

    /// Claims the ranges that a command uses. Returns `Ok(None)` if the context has one device, and `Err(())`
    /// if a claim excludes this one or contents are on another device.
    pub(super) fn claim(&self, incoming: &Incoming<'_>) -> std::result::Result<Option<Arc<Claim>>, ()> {
        if !self.is_shared() {
            return Ok(None);
        }
        let claim = incoming.claim(self.device_index).take();
        claim.map(|c| Some(Arc::new(c))).map_err(drop)
    }

    /// Claims the ranges of a transfer that this thread executes. Returns as [`CommandQueue::claim`] does, and
    /// also `Err(())` if commands of other devices come before the transfer.
    pub(super) fn claim_by_host(
        &self,
        transfer: &HostTransfer,
        write: bool,
    ) -> std::result::Result<Option<Claim>, ()> {
        if !self.is_shared() {
            return Ok(None);
        }
        let touch = transfer.touch(write);
        if touch.follows(self.device_index) != 0 {
            return Err(());
        }
        let claim = Claim::new(vec![touch.clone()], self.device_index);
        let claim = claim.take().map_err(drop)?;
        touch.enqueued(self.device_index);
        claim.by_host();
        Ok(Some(claim))
    }

    /// Takes the claim of a deferred command, and lets the contents be moved to the queue's device. `moving` is
    /// the state that an earlier call has left for the command.
    pub(super) fn arrive(&self, claim: impl FnOnce() -> Claim, moving: &mut Option<Moving>) -> Arrival {
        if let Some(Moving { claim, gate }) = moving {
            return match gate.phase() {
                Phase::Failed(n) => Arrival::Failed(n),
                Phase::Complete => Arrival::Here(Arc::clone(claim)),
                Phase::Pending | Phase::Recorded | Phase::Submitted => Arrival::Moving(Arc::clone(gate)),
            };
        }
        let claim = match claim().take() {
            Ok(claim) => return Arrival::Here(Arc::new(claim)),
            Err(claim) => Arc::new(claim),
        };
        let gate = Event::user(&self.context);
        gate.make_certain();
        *moving = Some(Moving {
            claim: Arc::clone(&claim),
            gate: Arc::clone(&gate),
        });
        let opens = Arc::clone(&gate);
        self.context.migration_thread().call(Box::new(move || {
            let status = match claim.wait() {
                Ok(()) => Status::Complete,
                Err(e) => {
                    log::error!("contents could not be moved: {}", e.chain());
                    Status::Failed(e.code.number())
                }
            };
            // Drop this reference first. From then on, the claim lives as long as the command, which holds
            // it too.
            drop(claim);
            // The gate is private, so its status has not been set before.
            let _ = opens.set_user_status(status);
        }));
        Arrival::Moving(gate)
    }
}
