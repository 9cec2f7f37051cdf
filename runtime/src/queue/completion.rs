//! Completion: polls and waits for the GPU's timeline, and retires batches, which completes their events.
//!
//! Batches are retired in order, by the first thread that polls or waits, under the `Retire` lock. Other
//! threads wait for that lock, so that a wait never returns before the host work of its batch is done.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::{CommandQueue, State};
use crate::error::{ClCode, Error, Result};
use crate::event::Effects;
use crate::mem::parallel;
use crate::vk;

/// After a wait of this length, the next command is submitted at once, because it probably takes long too: it
/// begins early, and further commands are recorded meanwhile. This does not apply to CPU devices, which run on
/// the processor that records.
const LONG: Duration = Duration::from_micros(200);

/// The number of consecutive errors, a millisecond apart, after which a wait that cannot read the timeline
/// ends.
const MOST_FAILURES: u32 = 1000;

/// The number of batches kept for reuse.
const KEEP_FREE: usize = 8;

/// The most kernels of a lost device that the log names.
const MOST_NAMES: usize = 16;

/// Writes the names of kernels to the log that were in flight when the device was lost, because one of them may be the cause. They
/// are those of `batches`, in the order in which the device got them.
pub(super) fn note_kernels<'a>(batches: impl Iterator<Item = &'a Box<Batch>>) {
    let mut names: Vec<&str> = Vec::new();
    for name in batches.flat_map(|b| b.kernel_names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return;
    }
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        n => format!(" and {n} others"),
    };
    names.truncate(MOST_NAMES);
    log::error!(
        "kernels in flight when the device was lost: {}{more}",
        names.join(", ")
    );
}

impl CommandQueue {
    /// Retires the completed batches. Does not wait.
    pub(crate) fn poll(&self) {
        match self.timeline.value() {
            Ok(value) => self.retire(value),
            Err(e) if self.logical.is_lost() => self.lost(&e),
            Err(e) => log::warn!("the timeline cannot be read now: {e}"),
        }
    }

    /// Returns whether everything that the batch with this value waits for is complete: the batches before it,
    /// and those of other queues.
    pub(crate) fn has_started(&self, value: u64) -> bool {
        let reached = |timeline: &vk::Timeline, value| timeline.is_over(value);
        if !reached(&self.timeline, value.saturating_sub(1)) {
            return false;
        }
        let state = self.state.lock();
        let batch = state.in_flight.iter().find(|b| b.value == value);
        batch.is_none_or(|b| b.waits.iter().all(|(timeline, value)| reached(timeline, *value)))
    }

    /// Waits until the timeline reaches a value, and retires all batches up to it; submits the open batch first
    /// if necessary.
    pub(crate) fn wait_for(&self, value: u64) {
        self.context.flusher().waited();
        let mut effects = Effects::default();
        let submitted = {
            let mut state = self.state.lock();
            if state.last < value {
                // If the submission fails, so do the events that the caller waits for.
                let _ = self.submit(&mut state, &mut effects);
            }
            state.submit_threshold = self.logical.tuning().submission.first;
            state.last >= value
        };
        effects.run();
        if !submitted {
            // The submission failed, and its events with it.
            return;
        }
        if !self.timeline.is_over(value) {
            self.prepare();
        }
        let start = Instant::now();
        // While the GPU executes one batch, this thread does the host work of the one before.
        let waited = self.host_work(value).try_for_each(|(before, size)| {
            if !self.timeline.reached(before)? {
                self.timeline.wait(before - 1)?;
                self.prepare_copy_threads(size);
                self.timeline.wait(before)?;
            }
            self.retire(before);
            Ok(())
        });
        let waited = waited.and_then(|()| self.timeline.wait(value));
        match waited.or_else(|e| self.wait_anyway(value, e)) {
            Ok(()) => {
                self.retire(value);
                if self.logical.tuning().spares_processors && start.elapsed() >= LONG {
                    self.state.lock_soon().submit_threshold = 1;
                }
            }
            Err(e) => self.lost(&e),
        }
    }

    /// Continues to wait after an error, unless the device is lost. The GPU keeps executing and may store into
    /// the application's memory, so the wait must not end before the batch is complete. A driver that is short
    /// of memory for a moment recovers.
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

    /// Returns the batches in flight with host work, up to the value `last`: their values and the number of
    /// bytes copied.
    fn host_work(&self, last: u64) -> impl Iterator<Item = (u64, u64)> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let state = self.state.lock_soon();
            let mut rest = state
                .in_flight
                .iter()
                .filter(|b| b.value >= next && b.value <= last);
            let found = rest.find_map(|b| Some((b.value, b.host_copies()?)))?;
            next = found.0 + 1;
            Some(found)
        })
    }

    /// Wakes copy threads, because the GPU has reached a batch after which `size` bytes are copied.
    fn prepare_copy_threads(&self, size: u64) {
        if self.logical.tuning().spares_processors {
            parallel::prepare(size);
        }
    }

    /// Wakes copy threads, because recording copies `size` bytes.
    pub(super) fn wake_copy_threads(&self, size: u64) {
        if self.logical.tuning().spares_processors {
            parallel::call(size);
        }
    }

    /// Retires the batches up to the value `reached`. Batches of other queues that the GPU executed before one of them are
    /// retired first, so that stores into host memory are made in the order of the batches.
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

    /// Returns whether the host work of a batch is done, or will never be done.
    fn has_retired(&self, value: u64) -> bool {
        self.retired.load(Ordering::Acquire) >= value
    }

    /// Retires this queue's batches up to `reached`. If one of them comes after a batch of another queue that
    /// is not retired, returns that queue and batch.
    fn retire_own(&self, reached: u64) -> Option<(Arc<CommandQueue>, u64)> {
        loop {
            let front = {
                let state = self.state.lock_soon();
                let front = state.in_flight.front().filter(|b| b.value <= reached);
                front.map(|b| (b.value, b.after.clone()))
            };
            let Some((value, after)) = front else {
                // If another thread is retiring a batch, waits until it has finished.
                drop(self.retiring.lock());
                return None;
            };
            for (queue, value) in after {
                // A queue that has been dropped has retired all its batches.
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

    /// Retires the oldest batch, if it is the one with this value.
    fn retire_one(&self, value: u64, effects: &mut Effects) {
        let _order = self.retiring.lock();
        let (mut batch, mut clock) = {
            let mut state = self.state.lock_soon();
            if state.in_flight.front().is_none_or(|b| b.value != value) {
                // Another thread has retired it.
                return;
            }
            let Some(batch) = state.in_flight.pop_front() else {
                return;
            };
            state.finishing = batch.finishing(&self.context);
            // Other queues must be able to see that a batch is retired before they can see that one of its
            // events is complete.
            state.seen_retirements.note_own(self.opened.retires_batch());
            (batch, state.clock)
        };
        crate::process::ran();
        let right = self.check_results(&batch);
        match right.and_then(|()| batch.report_findings(&self.context, effects)) {
            Ok(()) => batch.retire(&self.logical, &mut clock, self.context.host_stores(), effects),
            Err(e) => {
                self.wrong_from.fetch_min(batch.value, Ordering::Release);
                self.fail(&mut self.state.lock_soon(), &e, "a launch", effects);
                batch.failed(e.code, self.context.host_stores(), effects);
            }
        }
        self.retired.store(batch.value, Ordering::Release);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        batch.clear();
        let finished = {
            let mut state = self.state.lock_soon();
            state.clock.learn(clock);
            if state.free.len() < KEEP_FREE {
                state.free.push(batch);
            }
            state.finishing.take()
        };
        if let Some(finished) = finished {
            finished.done(effects);
        }
    }

    /// Returns an error if the results of a batch are wrong, because the driver has ended loops of its kernels, or because those
    /// of a batch that it comes after are wrong.
    fn check_results(&self, batch: &Batch) -> Result<()> {
        let is_after = |queue: &CommandQueue, value| queue.wrong_from.load(Ordering::Acquire) <= value;
        let mut others = batch.after.iter();
        let mut after = |(queue, value): &(Weak<CommandQueue>, u64)| {
            queue.upgrade().is_some_and(|queue| is_after(&queue, *value))
        };
        if is_after(self, batch.value) || others.any(&mut after) {
            let what = "the results of an earlier kernel, which it may have used, are wrong";
            return Err(Error::new(ClCode::OutOfResources, what));
        }
        batch.check_loops()
    }

    /// Makes all batches fail that are recorded or in flight, because the device is lost. No host work is done for them.
    /// Returns how many there were.
    pub(super) fn abandon(&self, state: &mut State, effects: &mut Effects) -> usize {
        let in_flight = std::mem::take(&mut state.in_flight);
        self.in_flight
            .fetch_sub(in_flight.len() as u32, Ordering::Relaxed);
        note_kernels(in_flight.iter());
        let batches = in_flight.into_iter().chain(state.open.take());
        let fail = |mut batch: Box<Batch>| {
            batch.failed(ClCode::OutOfResources, self.context.host_stores(), effects);
            // A lost device may still write, so the memory that the batch keeps is leaked.
            std::mem::forget(batch);
        };
        batches.map(fail).count()
    }

    /// Makes everything recorded or in flight fail, because the device is lost or the timeline cannot be read.
    fn lost(&self, e: &vk::VkError) {
        let mut effects = Effects::default();
        {
            let _order = self.retiring.lock();
            let mut state = self.state.lock();
            let batches = self.abandon(&mut state, &mut effects);
            if batches > 0 || !state.deferred.is_empty() {
                let error = Error::new(ClCode::OutOfResources, e.to_string());
                self.fail(&mut state, &error, &format!("{batches} batches"), &mut effects);
            }
        }
        effects.run();
    }

    /// Retires the completed batches. If `wait` is set, waits for the oldest batch.
    pub(super) fn retire_completed(&self, wait: bool) {
        let oldest = self.state.lock_soon().in_flight.front().map(|b| b.value);
        match oldest {
            Some(value) if wait => self.wait_for(value),
            Some(_) => self.poll(),
            None => {}
        }
    }

    /// Waits for all submitted batches.
    pub(crate) fn settle(&self) {
        let last = self.state.lock().last;
        if last > 0 {
            self.wait_for(last);
        }
    }

    /// Returns whether more batches are in flight than a transfer in chunks needs.
    pub(super) fn has_many_in_flight(&self) -> bool {
        self.state.lock().in_flight.len() > 3
    }

    /// Waits for the commands that the next command must come after. In order, these are all commands. Out of
    /// order, these are the submitted ones, which may access the same memory, and of the deferred ones only the
    /// last barrier, because the others may stay deferred until this thread continues.
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

    /// Waits until all commands enqueued so far are complete or have failed.
    pub(super) fn drain(self: &Arc<Self>) {
        let mut effects = Effects::default();
        let (value, deferred) = {
            let mut state = self.state.lock();
            // If the submission fails, so does the queue.
            let _ = self.submit(&mut state, &mut effects);
            // In order, the last deferred command completes after all others.
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
