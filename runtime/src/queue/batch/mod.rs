//! A batch: one command buffer, and everything that must live until the GPU has completed it.
//!
//! | part of a batch | content |
//! |---|---|
//! | [`keep`] | the objects that its commands use |
//! | [`memory`] | staging memory and scratch memory |
//! | [`arguments`] | plain values and descriptor sets of its launches |
//! | [`timed`] | its events, with the time stamps of their commands |
//! | [`host_work`] | copies and output that the host makes afterwards |
//!
//! [`recording`] is the view of the open batch that a command has while it is recorded.

mod arguments;
mod host_work;
mod keep;
mod memory;
mod recording;
mod timed;

use std::sync::{Arc, Weak};

pub(super) use host_work::Finishing;
pub(crate) use host_work::HostCopy;
pub(crate) use keep::{Keep, KeptBy};
pub(crate) use recording::Recording;

use super::CommandQueue;
use super::speculation::{Single, Speculation};
use crate::command::CommandType;
use crate::config::{CheckError, config};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event, now};
use crate::kernel::pipeline::DeviceKernel;
use crate::mem::claim::Claim;
use crate::mem::host_stores::HostStores;
use crate::vk;
use arguments::ArgumentMemory;
use host_work::HostWork;
use keep::KeptObjects;
use memory::TemporaryMemory;
use timed::TimedEvents;

/// A batch of commands.
pub(super) struct Batch {
    pub recorder: vk::Recorder,
    /// The timeline's value when the batch is complete.
    pub value: u64,
    /// The number of commands recorded.
    pub commands: u32,
    /// The timeline values that must be reached before the batch starts.
    pub waits: Vec<(Arc<vk::Timeline>, u64)>,
    /// The semaphores of other APIs that the batch waits for and signals.
    pub shared: vk::SharedSemaphores,
    /// The batches of other queues that come before this one.
    pub after: Vec<(Weak<CommandQueue>, u64)>,
    /// Whether the batch writes memory that the host reads, so that it ends with a barrier for the host.
    pub to_host: bool,
    /// The speculative recording of the first command.
    pub speculation: Speculation,
    /// The only command, if it is a plain launch.
    pub single: Option<Single>,
    kept: KeptObjects,
    memory: TemporaryMemory,
    arguments: ArgumentMemory,
    events: TimedEvents,
    host_work: HostWork,
    /// The claims of its commands, which exclude commands of other devices.
    claims: Vec<Arc<Claim>>,
}

/// Converts an error of recording or submission.
pub(crate) fn resources(e: vk::VkError) -> Error {
    let code = match e.failure() {
        vk::Failure::HostMemory => ClCode::OutOfHostMemory,
        vk::Failure::DeviceMemory
        | vk::Failure::DeviceLost
        | vk::Failure::Absent
        | vk::Failure::Handle
        | vk::Failure::Other => ClCode::OutOfResources,
    };
    Error::new(code, "the command could not be given to the device").from_source(e)
}

impl Batch {
    pub(super) fn new(device: &Arc<vk::Device>, queue: &vk::Queue) -> Result<Box<Batch>> {
        Ok(Box::new(Batch {
            recorder: vk::Recorder::new(device, queue).map_err(resources)?,
            value: 0,
            commands: 0,
            waits: Vec::new(),
            shared: vk::SharedSemaphores::default(),
            after: Vec::new(),
            to_host: false,
            speculation: Speculation::default(),
            single: None,
            kept: KeptObjects::new(),
            memory: TemporaryMemory::default(),
            arguments: ArgumentMemory::default(),
            events: TimedEvents::default(),
            host_work: HostWork::default(),
            claims: Vec::new(),
        }))
    }

    /// Starts recording. The batch will be complete when the timeline reaches `value`. If `timed` is set, its commands get
    /// time stamps.
    pub(super) fn begin(&mut self, device: &Arc<vk::Device>, value: u64, timed: bool) -> Result<()> {
        self.value = value;
        self.kept.begin();
        self.recorder.begin().map_err(resources)?;
        if timed && device.has_timestamps() {
            self.events.begin(device, &mut self.recorder)?;
        }
        Ok(())
    }

    /// Lets the batch start when a timeline has reached a value, whose writes are then visible to it.
    pub(super) fn wait_for(&mut self, timeline: &Arc<vk::Timeline>, value: u64) {
        match self.waits.iter_mut().find(|(t, _)| Arc::ptr_eq(t, timeline)) {
            Some((_, most)) => *most = value.max(*most),
            None => self.waits.push((Arc::clone(timeline), value)),
        }
    }

    /// Binds a kernel's pipeline and keeps both alive; does nothing if the pipeline is bound already.
    fn bind(&mut self, kernel: &Arc<DeviceKernel>, pipeline: &Arc<vk::Pipeline>) {
        if self.recorder.has_bound(pipeline) {
            return;
        }
        self.kept.launch(kernel, pipeline);
        self.to_host |= self.kept.may_report();
        self.recorder.bind(pipeline);
    }

    /// Binds the previous batch's last pipeline and push constants, since most launches resemble the previous
    /// one.
    pub(super) fn bind_as_in(&mut self, before: &Batch) {
        let mut launches = before.kept.launches();
        if let Some((kernel, pipeline)) = launches.find(|(_, p)| before.recorder.has_bound(p)) {
            self.bind(kernel, pipeline);
            self.recorder.push_constants(before.recorder.pushed());
        }
    }

    /// Returns the names of the kernels that its commands launch, in the order of their first launches.
    pub(super) fn kernel_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for (kernel, _) in self.kept.launches() {
            names.push(kernel.reflection().name.as_str());
        }
        names.reverse();
        names
    }

    /// Returns whether there may be no room for another command's time stamps or arguments.
    pub(super) fn is_full(&self) -> bool {
        self.events.is_full() || self.arguments.is_full()
    }

    /// Returns the number of bytes of temporary memory that only this batch needs.
    pub(super) fn temporary_memory(&self) -> u64 {
        self.memory.large()
    }

    /// Marks the events as submitted at `time`, the host's time before the submission: the GPU may begin during
    /// it.
    pub(super) fn submitted(&self, time: u64, effects: &mut Effects) {
        self.events.submitted(time, effects);
    }

    /// Returns the event of the last command that has one.
    pub(super) fn last_event(&self) -> Option<Arc<Event>> {
        self.events.last()
    }

    /// Returns an event that completes when the batch is retired. `submitted` tells whether the batch has been submitted.
    pub(super) fn event_or_marker(
        &mut self,
        queue: &Arc<CommandQueue>,
        submitted: bool,
        effects: &mut Effects,
    ) -> Arc<Event> {
        if let Some(event) = self.last_event() {
            return event;
        }
        let event = Event::of_command(queue, CommandType::Marker);
        event.recorded(self.value, false, effects);
        if submitted {
            event.submitted(now(), effects);
        }
        self.events.push(Arc::clone(&event));
        event
    }

    /// Makes an event fail when the batch, which has been submitted, is complete.
    pub(super) fn fail_when_done(&mut self, event: Arc<Event>, code: ClCode, effects: &mut Effects) {
        event.fails_at(self.value, effects);
        self.events.push_failing(event, code);
    }

    /// Takes the events of a batch that will not be submitted.
    pub(super) fn take_events(&mut self) -> Vec<Arc<Event>> {
        self.events.take()
    }

    /// Makes the events fail, and drops the batch's host work.
    pub(super) fn failed(&mut self, code: ClCode, table: &HostStores, effects: &mut Effects) {
        self.events.failed(code, effects);
        self.claims.clear();
        self.host_work.abandon(table);
    }

    /// Returns an error if the driver has ended loops of a kernel, after the GPU has completed the batch.
    pub(super) fn check_loops(&self) -> Result<()> {
        let kernels: Vec<&str> = self.kept.with_ended_loops().into_iter().collect();
        let of = match kernels.as_slice() {
            [] => return Ok(()),
            [one] => format!("kernel '{one}'"),
            several => format!("one of the kernels '{}'", several.join("', '")),
        };
        let what = format!(
            "the driver has ended loops of {of} before they were complete, because of their number of iterations"
        );
        Err(Error::new(ClCode::OutOfResources, what))
    }

    /// Reports what the checks of kernels have found, after the GPU has completed the batch. Returns an error if the
    /// batch's commands are to fail for that.
    pub(super) fn report_findings(&self, context: &Arc<Context>, effects: &mut Effects) -> Result<()> {
        let found = self
            .host_work
            .report_findings(&mut |text| effects.report(context, text));
        match config().check_error {
            CheckError::Fail if found > 0 => {
                let what = format!("the checks of kernels have found {found} faults");
                Err(Error::new(ClCode::OutOfResources, what))
            }
            CheckError::Abort if found > 0 => std::process::abort(),
            CheckError::Report | CheckError::Fail | CheckError::Abort => Ok(()),
        }
    }

    /// Does the host work and then completes the events, after the GPU has completed the batch.
    pub(super) fn retire(
        &mut self,
        device: &vk::Device,
        clock: &mut Clock,
        table: &HostStores,
        effects: &mut Effects,
    ) {
        let known = now();
        self.host_work.copy_all(table);
        // Commands that wait for an event of the batch must not find its claims.
        self.claims.clear();
        self.host_work.print_all();
        self.events.completed(device, clock, known, effects);
    }

    /// Returns the number of bytes that the host copies afterwards; `None` if it copies nothing.
    pub(super) fn host_copies(&self) -> Option<u64> {
        self.host_work.bytes()
    }

    /// Returns whether the batch or its host work stores into a range of host addresses.
    pub(super) fn stores_into(&self, start: usize, end: usize) -> bool {
        self.host_work.stores_into(start, end)
    }

    /// Returns the batch's state during its host work; `None` if the host work stores nothing.
    pub(super) fn finishing(&self, context: &Arc<Context>) -> Option<Finishing> {
        Finishing::new(&self.host_work, self.value, self.last_event(), context)
    }

    /// Drops everything that the batch kept, so that the batch can be reused.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.waits.clear();
        self.shared.clear();
        self.after.clear();
        self.events.clear();
        self.host_work.clear();
        self.commands = 0;
        self.to_host = false;
        self.speculation = Speculation::default();
        self.single = None;
        self.memory.clear();
        self.arguments.clear();
    }
}
