//! The events of a batch, and the time stamps of its commands (CL 5.12).

use std::sync::Arc;

use super::resources;
use crate::error::{ClCode, Result};
use crate::event::{Clock, Effects, Event};
use crate::vk;

/// The most time stamps of a batch: at most two for each command.
const TIMESTAMPS: u32 = 512;
/// The number of time stamps that are reset at a time, because many batches need few.
const RESET: u32 = 16;

/// An event of the batch.
struct Timed {
    event: Arc<Event>,
    /// Its two time stamps.
    stamps: Option<(u32, u32)>,
    /// The error with which the event fails when parts of the failed command in this batch are complete.
    failure: Option<ClCode>,
}

/// The events of a batch.
#[derive(Default)]
pub(super) struct TimedEvents {
    list: Vec<Timed>,
    /// The time stamps, if the commands get them.
    stamps: Option<vk::TimestampPool>,
    /// The number of time stamps recorded.
    queries: u32,
    /// Reused storage for the values of the time stamps.
    ticks: Vec<u64>,
}

impl TimedEvents {
    /// Begins a batch whose commands get time stamps.
    pub(super) fn begin(&mut self, device: &Arc<vk::Device>, recorder: &mut vk::Recorder) -> Result<()> {
        let pool = match &self.stamps {
            Some(pool) => pool,
            None => self
                .stamps
                .insert(vk::TimestampPool::new(device, TIMESTAMPS).map_err(resources)?),
        };
        recorder.reset_timestamps(pool, 0, RESET);
        Ok(())
    }

    /// Returns whether there is no room for another command's time stamps.
    pub(super) fn is_full(&self) -> bool {
        let room = |p: &vk::TimestampPool| self.queries + 2 <= p.count();
        !self.stamps.as_ref().is_none_or(room)
    }

    /// Records the first time stamp of a command, and returns its index. If `shared` is set, the last time stamp of the previous
    /// command is used instead, because it was written when that command was complete.
    pub(super) fn start(&mut self, shared: bool, recorder: &mut vk::Recorder) -> Option<u32> {
        if shared && let Some(last) = self.queries.checked_sub(1) {
            return Some(last);
        }
        self.stamp(recorder)
    }

    /// Records a time stamp.
    fn stamp(&mut self, recorder: &mut vk::Recorder) -> Option<u32> {
        let pool = self.stamps.as_ref()?;
        let query = self.queries;
        if query > 0 && query.is_multiple_of(RESET) {
            recorder.reset_timestamps(pool, query, RESET);
        }
        self.queries += 1;
        recorder.timestamp(pool, query);
        Some(query)
    }

    /// Records the second time stamp of a command whose first one is `start`, and adds its event, which completes with the
    /// batch.
    pub(super) fn stop(
        &mut self,
        event: Option<Arc<Event>>,
        start: Option<u32>,
        recorder: &mut vk::Recorder,
    ) {
        let stamps = start.and_then(|start| Some((start, self.stamp(recorder)?)));
        self.list.extend(event.map(|event| Timed {
            event,
            stamps,
            failure: None,
        }));
    }

    /// Adds an event without times, which completes with the batch.
    pub(super) fn push(&mut self, event: Arc<Event>) {
        self.list.push(Timed {
            event,
            stamps: None,
            failure: None,
        });
    }

    /// Adds an event that fails when the batch is complete.
    pub(super) fn push_failing(&mut self, event: Arc<Event>, code: ClCode) {
        self.list.push(Timed {
            event,
            stamps: None,
            failure: Some(code),
        });
    }

    /// Returns the event of the last command that has one.
    pub(super) fn last(&self) -> Option<Arc<Event>> {
        self.list.last().map(|t| Arc::clone(&t.event))
    }

    /// Marks the events as submitted.
    pub(super) fn submitted(&self, time: u64, effects: &mut Effects) {
        for timed in &self.list {
            timed.event.submitted(time, effects);
        }
    }

    /// Takes all events.
    pub(super) fn take(&mut self) -> Vec<Arc<Event>> {
        self.list.drain(..).map(|t| t.event).collect()
    }

    /// Makes all events fail.
    pub(super) fn failed(&mut self, code: ClCode, effects: &mut Effects) {
        for timed in self.list.drain(..) {
            timed.event.failed(code.number(), effects);
        }
    }

    /// Completes all events, except those that fail. The host knew at the time `known` that the batch was complete.
    pub(super) fn completed(
        &mut self,
        device: &vk::Device,
        clock: &mut Clock,
        known: u64,
        effects: &mut Effects,
    ) {
        if self.list.is_empty() {
            return;
        }
        if self.queries > 0
            && let Some(pool) = &self.stamps
            && let Err(e) = pool.read(self.queries, &mut self.ticks)
        {
            log::error!("time stamps: {e}");
            self.ticks.clear();
        }
        if let Some(last) = self.ticks.last() {
            clock.ended(device.ticks_to_ns(*last), known);
        }
        for timed in &self.list {
            let start = timed.stamps.and_then(|(start, _)| self.ticks.get(start as usize));
            if let Some(start) = start {
                clock.began(device.ticks_to_ns(*start), timed.event.submit_time());
            }
        }
        for timed in self.list.drain(..) {
            if let Some(code) = timed.failure {
                timed.event.failed(code.number(), effects);
                continue;
            }
            let time = |i: u32| {
                let ticks = self.ticks.get(i as usize)?;
                Some(clock.host(device.ticks_to_ns(*ticks), known))
            };
            let times = timed.stamps.and_then(|(start, stop)| time(start).zip(time(stop)));
            timed.event.completed(times, effects);
        }
    }

    /// Drops the events and forgets the time stamps, so that the batch can be reused.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.queries = 0;
        self.ticks.clear();
    }
}
