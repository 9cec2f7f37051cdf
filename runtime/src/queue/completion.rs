//! From the GPU's timeline to events: polling, waiting, retiring.
//!
//! Batches are retired in order, by whoever asks first, under the `Retire` lock; others wait for that lock, so
//! that a wait never returns before the host work of its batch is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::CommandQueue;
use crate::error::{ClCode, Result};
use crate::event::Effects;
use crate::vk;

/// Batches kept for reuse.
const KEEP_FREE: usize = 8;

impl CommandQueue {
    /// Retires what is done. Does not wait.
    pub(crate) fn poll(&self) {
        match self.timeline.value() {
            Ok(value) => self.retire(value),
            Err(e) => self.lost(&e),
        }
    }

    /// Whether everything before the batch with this value is done.
    pub(crate) fn has_started(&self, value: u64) -> bool {
        self.timeline.reached(value.saturating_sub(1)).unwrap_or(true)
    }

    /// Submits if needed, waits for a value of the timeline, and retires up to there.
    pub(crate) fn wait_for(&self, value: u64) {
        let mut effects = Effects::default();
        let submitted = {
            let mut state = self.state.lock();
            if state.last < value {
                self.submit(&mut state, &mut effects);
            }
            state.last >= value
        };
        effects.run();
        if !submitted {
            // The submission failed, and the events with it.
            return;
        }
        match self.timeline.wait(value) {
            Ok(()) => self.retire(value),
            Err(e) => self.lost(&e),
        }
    }

    /// Finishes batches whose value is at most `reached`.
    fn retire(&self, reached: u64) {
        if self.retired.load(Ordering::Acquire) >= reached {
            return;
        }
        let mut effects = Effects::default();
        {
            let _order = self.retiring.lock();
            loop {
                let (mut batch, clock) = {
                    let mut state = self.state.lock();
                    match state.in_flight.front() {
                        Some(front) if front.value <= reached => {}
                        Some(_) | None => break,
                    }
                    let Some(batch) = state.in_flight.pop_front() else {
                        break;
                    };
                    state.finishing = batch.finishing(&self.context);
                    (batch, state.clock)
                };
                crate::process::ran();
                batch.retire(&self.logical, &clock, &mut effects);
                self.retired.store(batch.value, Ordering::Release);
                self.in_flight.fetch_sub(1, Ordering::Relaxed);
                batch.clear();
                let mut state = self.state.lock();
                let finished = state.finishing.take();
                if state.free.len() < KEEP_FREE {
                    state.free.push(batch);
                }
                drop(state);
                if let Some(finished) = finished {
                    finished.done(&mut effects);
                }
            }
        }
        effects.run();
    }

    /// The device is lost, or the timeline cannot be read: everything in flight fails.
    fn lost(&self, e: &vk::VkError) {
        let mut effects = Effects::default();
        {
            let _order = self.retiring.lock();
            let batches: Vec<_> = {
                let mut state = self.state.lock();
                let open = state.open.take();
                state.in_flight.drain(..).chain(open).collect()
            };
            if !batches.is_empty() {
                log::error!("{} batches fail: {e}", batches.len());
            }
            for mut batch in batches {
                batch.failed(ClCode::OutOfResources, &mut effects);
                // A lost device may still write: what the batch keeps is leaked.
                std::mem::forget(batch);
            }
            self.in_flight.store(0, Ordering::Relaxed);
        }
        effects.run();
    }

    /// Retires what is done; waits for the oldest batch if there are too many.
    pub(super) fn throttle(&self, wait: bool) {
        let oldest = self.state.lock().in_flight.front().map(|b| b.value);
        match oldest {
            Some(value) if wait => self.wait_for(value),
            Some(_) => self.poll(),
            None => {}
        }
    }

    /// Nothing is recorded, held back or in flight.
    pub(super) fn is_idle(&self) -> bool {
        let reached = self.timeline.value();
        if let Ok(value) = reached {
            self.retire(value);
        }
        let state = self.state.lock();
        state.held.is_empty()
            && state.in_flight.is_empty()
            && state.open.as_ref().is_none_or(|b| b.commands == 0)
    }

    /// Waits for what has been submitted.
    pub(crate) fn settle(&self) {
        let last = self.state.lock().last;
        if last > 0 {
            self.wait_for(last);
        }
    }

    /// Waits for what the next command must come after: everything, or, out of order, what may touch the same memory,
    /// but of what is held back (which may be until this thread goes on) only barriers.
    pub(super) fn wait_for_earlier(self: &Arc<Self>) -> Result<()> {
        if !self.properties.out_of_order {
            return self.drain();
        }
        let barrier = self.held_barrier();
        if let Some(barrier) = barrier {
            barrier.wait();
        }
        self.flush()?;
        let last = self.state.lock().last;
        if last > 0 {
            self.wait_for(last);
        }
        Ok(())
    }

    /// Waits until everything enqueued so far is done.
    pub(super) fn drain(self: &Arc<Self>) -> Result<()> {
        loop {
            let mut effects = Effects::default();
            let (value, held) = {
                let mut state = self.state.lock();
                self.submit(&mut state, &mut effects);
                (state.last, state.held.back_mut().map(|h| h.event(self)))
            };
            effects.run();
            match held {
                Some(event) => {
                    event.wait();
                }
                None => {
                    if value > 0 {
                        self.wait_for(value);
                    }
                    return Ok(());
                }
            }
        }
    }
}
