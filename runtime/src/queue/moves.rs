//! Contexts with several devices: what a command needs comes to its device before it is recorded.
//!
//! A command claims what it uses before it is recorded ([`crate::mem::claim`]). If contents are elsewhere when its turn comes, or
//! a command of another device is in the way, it is deferred, as for a user event, and the context's migration thread claims for
//! it and copies them ([`crate::mem::migrate`]). No enqueue call waits, so what is deferred because of a user event that the same
//! thread will set holds up nothing else.

use std::sync::Arc;

use super::CommandQueue;
use crate::command::Incoming;
use crate::command::buffer::HostTransfer;
use crate::event::{Effects, Event, Phase, Status};
use crate::mem::claim::Claim;

/// What the migration thread does for a deferred command.
pub(super) struct Moving {
    claim: Arc<Claim>,
    /// Complete when all is claimed, and the contents have arrived.
    pub gate: Arc<Event>,
}

/// Whether a command can be recorded.
pub(super) enum Arrival {
    /// With this claim.
    Here(Arc<Claim>),
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

    /// Claims what a command uses: `Ok(None)` where no other device can use anything, and `Err(())` if something is in the way, or
    /// contents are elsewhere.
    pub(super) fn claim(&self, incoming: &Incoming<'_>) -> std::result::Result<Option<Arc<Claim>>, ()> {
        if !self.is_shared() {
            return Ok(None);
        }
        let claim = incoming.claim(self.device_index).take();
        claim.map(|c| Some(Arc::new(c))).map_err(drop)
    }

    /// Claims what a transfer uses that this thread does by itself: `Err(())` as [`CommandQueue::claim`], or if commands of other
    /// devices come before it.
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

    /// Claims what a deferred command uses, and sees to it that the contents come to the queue's device. `moving`: what an earlier
    /// call has begun for the command.
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
            // The command has it.
            drop(claim);
            // Nobody else sets it.
            let _ = opens.set_user_status(status);
        }));
        Arrival::Moving(gate)
    }
}
