//! From the GPU's timeline to events: polling, waiting, retiring.
//!
//! Batches are retired in order, by whoever asks first, under the `Retire` lock; others wait for that lock, so
//! that a wait never returns before the host work of its batch is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::scheduler::WORTH_WAKING;
use super::{CommandQueue, State};
use crate::error::{ClCode, Error, Result};
use crate::event::Effects;
use crate::mem::parallel;
use crate::vk;

/// After a wait of so long the next command is worth a submission of its own: what takes long begins at once, and the others are
/// recorded meanwhile. Not on devices that run on the processor which records.
const LONG: Duration = Duration::from_micros(200);

/// So many times in a row, a millisecond apart, a timeline may be unreadable before the device is given up.
const MOST_FAILURES: u32 = 1000;

/// Batches kept for reuse.
const KEEP_FREE: usize = 8;

impl CommandQueue {
    /// Retires what is done. Does not wait.
    pub(crate) fn poll(&self) {
        match self.timeline.value() {
            Ok(value) => self.retire(value),
            Err(e) if self.logical.is_lost() => self.lost(&e),
            Err(e) => log::warn!("the timeline cannot be read now: {e}"),
        }
    }

    /// Whether everything that the batch with this value waits for is done: the batches before it, and those of other
    /// queues.
    pub(crate) fn has_started(&self, value: u64) -> bool {
        let reached = |timeline: &vk::Timeline, value| timeline.is_over(value);
        if !reached(&self.timeline, value.saturating_sub(1)) {
            return false;
        }
        let state = self.state.lock();
        let batch = state.in_flight.iter().find(|b| b.value == value);
        batch.is_none_or(|b| b.waits.iter().all(|(timeline, value)| reached(timeline, *value)))
    }

    /// Submits if needed, waits for a value of the timeline, and retires up to there.
    pub(crate) fn wait_for(&self, value: u64) {
        self.context.flusher().waited();
        let mut effects = Effects::default();
        let submitted = {
            let mut state = self.state.lock();
            if state.last < value {
                // If that fails, so do the events that the caller waits for.
                let _ = self.submit(&mut state, &mut effects);
            }
            state.worth_waking = WORTH_WAKING;
            state.last >= value
        };
        effects.run();
        if !submitted {
            // The submission failed, and the events with it.
            return;
        }
        if !self.timeline.is_over(value) {
            self.prepare();
        }
        let start = Instant::now();
        // While the GPU does one batch, this thread does the host work of the one before.
        let waited = self.host_work(value).try_for_each(|(before, size)| {
            if !self.timeline.reached(before)? {
                self.timeline.wait(before - 1)?;
                self.expect_copy(size);
                self.timeline.wait(before)?;
            }
            self.retire(before);
            Ok(())
        });
        let waited = waited.and_then(|()| self.timeline.wait(value));
        match waited.or_else(|e| self.wait_anyway(value, e)) {
            Ok(()) => {
                self.retire(value);
                if self.logical.spares_processors() && start.elapsed() >= LONG {
                    self.state.lock_soon().worth_waking = 1;
                }
            }
            Err(e) => self.lost(&e),
        }
    }

    /// Goes on waiting after an error, unless the device is lost: the GPU works on, and may store into the application's
    /// memory, so the wait must not end before it has. A driver that lacks memory for a moment recovers.
    fn wait_anyway(&self, value: u64, e: vk::VkError) -> std::result::Result<(), vk::VkError> {
        if self.logical.is_lost() {
            return Err(e);
        }
        log::warn!("a wait failed, and goes on: {e}");
        let mut failures = 0;
        loop {
            match self.timeline.reached(value) {
                Ok(true) => return Ok(()),
                Ok(false) => failures = 0,
                Err(e) if self.logical.is_lost() || failures >= MOST_FAILURES => return Err(e),
                Err(_) => failures += 1,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The batches in flight, up to one, that have host work: their values and how many bytes are copied.
    fn host_work(&self, last: u64) -> impl Iterator<Item = (u64, u64)> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let state = self.state.lock_soon();
            let mut rest = state
                .in_flight
                .iter()
                .filter(|b| b.value >= next && b.value <= last);
            let found = rest.find_map(|b| Some((b.value, b.host_work()?)))?;
            next = found.0 + 1;
            Some(found)
        })
    }

    /// The GPU has come to a batch after which so many bytes are copied.
    fn expect_copy(&self, size: u64) {
        if self.logical.spares_processors() {
            parallel::prepare(size);
        }
    }

    /// Recording copies so many bytes.
    pub(super) fn begin_copy(&self, size: u64) {
        if self.logical.spares_processors() {
            parallel::call(size);
        }
    }

    /// Finishes batches whose value is at most `reached`, and before each those of other queues that the GPU did before
    /// it: what they store into host memory is there first, and is not stored over what comes later.
    fn retire(&self, reached: u64) {
        if self.has_retired(reached) {
            return;
        }
        let mut before: Vec<(Arc<CommandQueue>, u64)> = Vec::new();
        loop {
            let (queue, value) = before.last().map_or((self, reached), |(q, v)| (&**q, *v));
            match queue.retire_own(value) {
                Some(other) => before.push(other),
                None if before.pop().is_none() => return,
                None => {}
            }
        }
    }

    /// Whether the host work of a batch is done, or never will be.
    fn has_retired(&self, value: u64) -> bool {
        self.retired.load(Ordering::Acquire) >= value
    }

    /// Finishes batches up to `reached`, or up to one that comes after a batch of another queue that is not retired.
    fn retire_own(&self, reached: u64) -> Option<(Arc<CommandQueue>, u64)> {
        loop {
            let front = {
                let state = self.state.lock_soon();
                let front = state.in_flight.front().filter(|b| b.value <= reached);
                front.map(|b| (b.value, b.after.clone()))
            };
            let Some((value, after)) = front else {
                // Whoever is at it must be done.
                drop(self.retiring.lock());
                return None;
            };
            for (queue, value) in after {
                // A queue that is gone has retired everything.
                if let Some(queue) = queue.upgrade()
                    && !queue.has_retired(value)
                    && !queue.logical.is_lost()
                {
                    return Some((queue, value));
                }
            }
            let mut effects = Effects::default();
            self.retire_one(value, &mut effects);
            effects.run();
            if self.has_retired(reached) {
                return None;
            }
        }
    }

    /// Finishes the oldest batch, if it is the one with this value.
    fn retire_one(&self, value: u64, effects: &mut Effects) {
        let _order = self.retiring.lock();
        let (mut batch, clock) = {
            let mut state = self.state.lock_soon();
            if state.in_flight.front().is_none_or(|b| b.value != value) {
                // Another thread was faster.
                return;
            }
            let Some(batch) = state.in_flight.pop_front() else {
                return;
            };
            state.finishing = batch.finishing(&self.context);
            // Other queues see that something is retired before they can see that an event is complete.
            state.noticed.own(self.opened.retires_batch());
            (batch, state.clock)
        };
        crate::process::ran();
        batch.retire(&self.logical, &clock, self.context.host_stores(), effects);
        self.retired.store(batch.value, Ordering::Release);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        batch.clear();
        let finished = {
            let mut state = self.state.lock_soon();
            if state.free.len() < KEEP_FREE {
                state.free.push(batch);
            }
            state.finishing.take()
        };
        if let Some(finished) = finished {
            finished.done(effects);
        }
    }

    /// The device is lost: what is in flight fails, and nothing is stored for it any more.
    pub(super) fn abandon(&self, state: &mut State, effects: &mut Effects) {
        let batches = std::mem::take(&mut state.in_flight);
        self.in_flight.fetch_sub(batches.len() as u32, Ordering::Relaxed);
        for mut batch in batches {
            batch.failed(ClCode::OutOfResources, self.context.host_stores(), effects);
            // A lost device may still write: what the batch keeps is leaked.
            std::mem::forget(batch);
        }
    }

    /// The device is lost, or the timeline cannot be read: everything in flight fails.
    fn lost(&self, e: &vk::VkError) {
        let mut effects = Effects::default();
        {
            let _order = self.retiring.lock();
            let batches: Vec<_> = {
                let mut state = self.state.lock();
                let open = state.open.take();
                let batches: Vec<_> = state.in_flight.drain(..).chain(open).collect();
                if !batches.is_empty() || !state.deferred.is_empty() {
                    let error = Error::new(ClCode::OutOfResources, e.to_string());
                    let what = format!("{} batches", batches.len());
                    self.fail(&mut state, &error, &what, &mut effects);
                }
                batches
            };
            for mut batch in batches {
                batch.failed(ClCode::OutOfResources, self.context.host_stores(), &mut effects);
                // A lost device may still write: what the batch keeps is leaked.
                std::mem::forget(batch);
            }
            self.in_flight.store(0, Ordering::Relaxed);
        }
        effects.run();
    }

    /// Retires what is done; waits for the oldest batch if there are too many.
    pub(super) fn throttle(&self, wait: bool) {
        let oldest = self.state.lock_soon().in_flight.front().map(|b| b.value);
        match oldest {
            Some(value) if wait => self.wait_for(value),
            Some(_) => self.poll(),
            None => {}
        }
    }

    /// Waits for what has been submitted.
    pub(crate) fn settle(&self) {
        let last = self.state.lock().last;
        if last > 0 {
            self.wait_for(last);
        }
    }

    /// More batches in flight than a pipeline of copies needs.
    pub(super) fn is_deep(&self) -> bool {
        self.state.lock().in_flight.len() > 3
    }

    /// Waits for what the next command must come after: everything, or, out of order, what may touch the same memory,
    /// but of deferred commands (which may be deferred until this thread goes on) only barriers.
    pub(super) fn wait_for_earlier(self: &Arc<Self>) -> Result<()> {
        if !self.properties.out_of_order {
            self.drain();
            return self.check_usable();
        }
        let barrier = self.deferred_barrier();
        if let Some(barrier) = barrier {
            barrier.wait();
        }
        self.flush()?;
        self.settle();
        Ok(())
    }

    /// Waits until everything that has been enqueued so far is done, or has failed.
    pub(super) fn drain(self: &Arc<Self>) {
        let mut effects = Effects::default();
        let (value, deferred) = {
            let mut state = self.state.lock();
            // If that fails, so does the queue.
            let _ = self.submit(&mut state, &mut effects);
            // In order, the last one is the last of all.
            let last = match self.properties.out_of_order {
                true => 0,
                false => state.deferred.len().saturating_sub(1),
            };
            let deferred: Vec<_> = state
                .deferred
                .iter_mut()
                .skip(last)
                .map(|d| d.event(self))
                .collect();
            (state.last, deferred)
        };
        effects.run();
        for event in deferred {
            event.wait();
        }
        if value > 0 {
            self.wait_for(value);
        }
    }
}
