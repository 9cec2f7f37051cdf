//! The turn: the right to enqueue to a queue for longer than its lock is held once.
//!
//! Most commands are placed under one hold of the queue's lock, so that commands of other threads come before or after them as a whole.
//! Two kinds of transfers cannot do that. The host copies a buffer whose storage it reaches, which may take milliseconds, and a
//! long transfer is recorded in chunks, between which the thread waits for the GPU. Such a transfer takes the turn: until it gives
//! it back, other threads that enqueue to this queue wait. The queue's lock is free meanwhile, so that
//! batches can be submitted and retired.
//!
//! A thread that has the turn waits for nothing that another thread must do: it copies memory, or it waits for
//! batches that have been submitted. So every turn ends.

use super::{CommandQueue, State};
use crate::lock::Guard;

/// The turn of one thread; it ends when this is dropped.
#[must_use = "the turn ends when it is dropped"]
pub(super) struct Turn<'a> {
    queue: &'a CommandQueue,
}

impl CommandQueue {
    /// The queue's state, to place a command: waits while another thread has the turn.
    pub(super) fn lock_for_command(&self) -> Guard<'_, State> {
        let mut state = self.state.lock_soon();
        while state.turn_is_taken {
            self.turn_ended.wait(&mut state);
        }
        state
    }

    /// Takes the turn. `state` comes from [`CommandQueue::lock_for_command`], so nobody else has it.
    pub(super) fn take_turn(&self, mut state: Guard<'_, State>) -> Turn<'_> {
        debug_assert!(!state.turn_is_taken, "waited for that");
        state.turn_is_taken = true;
        Turn { queue: self }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.queue.state.lock_soon().turn_is_taken = false;
        self.queue.turn_ended.notify_all();
    }
}
