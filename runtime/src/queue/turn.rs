//! The turn: a thread's right to enqueue to a queue during several holds of the queue's lock.
//!
//! Most commands are placed under one hold of the queue's lock, so that commands of other threads come before
//! or after them as a whole. Two kinds of transfers cannot do that: a copy by the host into or out of mapped
//! storage, which may take milliseconds, and a long transfer that is recorded in chunks, between which the
//! thread waits for the GPU. Such a transfer takes the turn. Until the turn ends, other threads that enqueue to
//! this queue wait; the queue's lock is free in the meantime, so that batches can be submitted and retired.
//!
//! A thread with the turn never waits for an action of another thread: it copies memory, or it waits for
//! batches that have been submitted. So every turn ends.

use super::{CommandQueue, State};
use crate::lock::Guard;
use crate::mem::claim::Claim;

/// The turn of one thread; it ends when this is dropped.
#[must_use = "the turn ends when it is dropped"]
pub(super) struct Turn<'a> {
    queue: &'a CommandQueue,
    /// The claim of the command that the thread executes, which excludes commands of other devices.
    pub claim: Option<Claim>,
}

impl CommandQueue {
    /// Locks the queue's state in order to place a command; waits while another thread has the turn.
    pub(super) fn lock_for_command(&self) -> Guard<'_, State> {
        let mut state = self.state.lock_soon();
        while state.turn_is_taken {
            self.turn_ended.wait(&mut state);
        }
        state
    }

    /// Takes the turn. `state` comes from [`CommandQueue::lock_for_command`], so no other thread has it.
    pub(super) fn take_turn(&self, mut state: Guard<'_, State>) -> Turn<'_> {
        debug_assert!(!state.turn_is_taken, "waited for that");
        state.turn_is_taken = true;
        Turn {
            queue: self,
            claim: None,
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(mut state) = self.queue.state.lock_to_release() {
            state.turn_is_taken = false;
            // The panic interrupted a transfer, which may be done in part.
            if std::thread::panicking() {
                state.close();
            }
        }
        self.queue.turn_ended.notify_all();
    }
}
