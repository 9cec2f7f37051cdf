//! The events of a batch, and the time stamps of its commands (CL 5.12).

use std::sync::Arc;

use super::resources;
use crate::error::{ClCode, Result};
use crate::event::{Clock, Effects, Event};
use crate::vk;

/// The number of time stamps of a batch: two for each command.
const TIMESTAMPS: u32 = 512;

/// An event of the batch.
struct Timed {
    event: Arc<Event>,
    /// The first of its two time stamps.
    query: Option<u32>,
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
        if self.stamps.is_none() {
            self.stamps = Some(vk::TimestampPool::new(device, TIMESTAMPS).map_err(resources)?);
        }
        if let Some(pool) = &self.stamps {
            recorder.reset_timestamps(pool, pool.count());
        }
        Ok(())
    }

    /// Returns whether there is no room for another command's time stamps.
    pub(super) fn is_full(&self) -> bool {
        let room = |p: &vk::TimestampPool| self.queries + 2 <= p.count();
        !self.stamps.as_ref().is_none_or(room)
    }

    /// Records the first time stamp of a command.
    pub(super) fn start(&mut self, recorder: &mut vk::Recorder) -> Option<u32> {
        let pool = self.stamps.as_ref()?;
        let query = self.queries;
        self.queries += 2;
        recorder.timestamp(pool, query);
        Some(query)
    }

    /// Records the second time stamp of a command.
    pub(super) fn stop(&self, query: u32, recorder: &mut vk::Recorder) {
        if let Some(pool) = &self.stamps {
            recorder.timestamp(pool, query + 1);
        }
    }

    /// Adds an event, which completes with the batch; `query` is its command's first time stamp.
    pub(super) fn push(&mut self, event: Arc<Event>, query: Option<u32>) {
        self.list.push(Timed {
            event,
            query,
            failure: None,
        });
    }

    /// Adds an event that fails when the batch is complete.
    pub(super) fn push_failing(&mut self, event: Arc<Event>, code: ClCode) {
        self.list.push(Timed {
            event,
            query: None,
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

    /// Completes all events, except those that fail.
    pub(super) fn completed(&mut self, device: &vk::Device, clock: &Clock, effects: &mut Effects) {
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
        for timed in self.list.drain(..) {
            if let Some(code) = timed.failure {
                timed.event.failed(code.number(), effects);
                continue;
            }
            let time = |i: u32| {
                let ticks = self.ticks.get(i as usize)?;
                Some(clock.host(device.ticks_to_ns(*ticks)))
            };
            let times = timed.query.and_then(|q| time(q).zip(time(q + 1)));
            timed.event.completed(times, effects);
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.queries = 0;
        self.ticks.clear();
    }
}
