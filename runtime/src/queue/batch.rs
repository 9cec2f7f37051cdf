//! A batch: one command buffer, and the objects that must live until the GPU has completed it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use super::CommandQueue;
use super::hazards::{Access, Hazards};
use super::speculation::{Single, Speculation};
use crate::command::buffer::regions;
use crate::command::rect::Layout;
use crate::command::{CommandType, HostRange};
use crate::context::Context;
use crate::device::recycling::Storage;
use crate::device::staging::{Staging, StagingPool};
use crate::error::{ClCode, Error, Result};
use crate::event::{Clock, Effects, Event, now};
use crate::kernel::copy::{CopyKernels, Side};
use crate::kernel::descriptors::{BLOCK_ALIGN, Filled, KernelDescriptors, Values};
use crate::kernel::launch::{ArgValue, Plain};
use crate::kernel::pipeline::{DeviceKernel, DeviceModule};
use crate::mem::claim::Claim;
use crate::mem::host_stores::{Entry, HostStores, Storer};
use crate::mem::residence::InBatch;
use crate::mem::{Buffer, HostPtr, Image};
use crate::printf::Output;
use crate::sampler::Sampler;
use crate::vk;

/// The number of time stamps of a batch: two for each command.
const TIMESTAMPS: u32 = 512;

/// The size in bytes of the staging buffer that a batch keeps.
const STAGING: u64 = 256 << 10;

/// An object that a batch keeps alive.
#[allow(dead_code, reason = "held for their lifetime only")]
pub(crate) enum Keep {
    Buffer(Arc<Buffer>),
    Image(Arc<Image>),
    Sampler(Arc<Sampler>),
    Launch(Arc<DeviceKernel>, Arc<vk::Pipeline>),
    Staging(Arc<Staging>),
    Memory(Arc<Storage>),
}

/// The serial number of the last batch that keeps an object alive, so that each batch keeps it only once.
#[derive(Debug, Default)]
pub(crate) struct KeptBy(AtomicU64);

impl KeptBy {
    /// Returns whether this batch keeps the object; also `false` after another queue's batch has kept it.
    fn is(&self, serial: u64) -> bool {
        self.0.load(Ordering::Relaxed) == serial
    }

    /// Notes that the batch keeps the object, under the lock of its queue, after the addition to
    /// [`Batch::keep`].
    fn set(&self, serial: u64) {
        self.0.store(serial, Ordering::Relaxed);
    }
}

/// Host work of a batch, done when the GPU has completed it: a copy out of mapped memory.
pub(crate) struct Finish {
    pub from: HostPtr,
    pub from_layout: Layout,
    pub to: HostPtr,
    pub to_layout: Layout,
    pub region: [u64; 3],
}

impl Finish {
    /// Returns the range of host addresses from the first byte stored to the last.
    fn target(&self) -> HostRange {
        let [w, h, d] = self.region;
        let last = self.to_layout.row(h - 1, d - 1) + w;
        let to = self.to.address();
        (to + self.to_layout.start as usize, to + last as usize)
    }
}

/// A batch whose host work is in progress.
pub(super) struct Finishing {
    targets: Vec<HostRange>,
    /// The event that completes with the host work.
    pub event: Arc<Event>,
    /// The batch's value of the timeline.
    value: u64,
    /// Events that fail when the host work is done.
    failures: Vec<(Arc<Event>, ClCode)>,
}

impl Finishing {
    /// Returns whether the host work stores into a range of host addresses.
    pub(super) fn stores_into(&self, start: usize, end: usize) -> bool {
        self.targets.iter().any(|(s, e)| *s < end && start < *e)
    }

    /// Makes an event fail as [`Batch::fail_when_done`] does.
    pub(super) fn fail_when_done(&mut self, event: Arc<Event>, code: ClCode, effects: &mut Effects) {
        event.fails_at(self.value, effects);
        self.failures.push((event, code));
    }

    /// Completes the events, because the host work is done.
    pub(super) fn done(self, effects: &mut Effects) {
        for (event, code) in self.failures {
            event.failed(code.number(), effects);
        }
        if !self.event.is_final() {
            self.event.completed(None, effects);
        }
    }
}

/// An event of the batch.
struct Timed {
    event: Arc<Event>,
    /// The first of its two time stamps.
    query: Option<u32>,
    /// The error with which the event fails when parts of the failed command in this batch are complete.
    failure: Option<ClCode>,
}

/// A batch of commands.
pub(super) struct Batch {
    pub recorder: vk::Recorder,
    /// The timeline's value when the batch is complete.
    pub value: u64,
    /// A number that no other batch of the process has; the first is 1.
    serial: u64,
    /// The number of commands recorded.
    pub commands: u32,
    /// The timeline values that must be reached before the batch starts.
    pub waits: Vec<(Arc<vk::Timeline>, u64)>,
    /// The batches of other queues that come before this one.
    pub after: Vec<(Weak<CommandQueue>, u64)>,
    /// The batch writes memory that the host reads, so it ends with a barrier for the host.
    pub to_host: bool,
    /// The speculative recording of the first command.
    pub speculation: Speculation,
    /// The only command, if it is a plain launch.
    pub single: Option<Single>,
    keep: Vec<Keep>,
    events: Vec<Timed>,
    finish: Vec<Finish>,
    /// The ranges of host addresses that the GPU stores into.
    stores: Vec<HostRange>,
    /// The entries in the context's table for `finish` and `stores`.
    entries: Vec<Entry>,
    /// The claims of its commands, which exclude commands of other devices.
    claims: Vec<Arc<Claim>>,
    printed: Vec<Output>,
    staging: Option<Arc<Staging>>,
    staging_used: u64,
    /// Bytes of staging memory and scratch memory other than `staging`.
    pub large: u64,
    args: Option<vk::ArgsSet>,
    args_used: u64,
    sets: vk::RecycledSets,
    /// Reused storage of [`Recording::descriptors`].
    scratch: (Vec<vk::Descriptor>, Vec<vk::Set>),
    timestamps: Option<vk::TimestampPool>,
    queries: u32,
    ticks: Vec<u64>,
}

/// Converts an error of allocating memory for the duration of a command.
fn shortage(e: vk::AllocError) -> Error {
    Error::new(ClCode::OutOfResources, "no memory for the command").from_source(e)
}

/// Converts an error of recording or submission.
pub(crate) fn resources(e: vk::VkError) -> Error {
    let code = match e.failure() {
        vk::Failure::HostMemory => ClCode::OutOfHostMemory,
        vk::Failure::DeviceMemory | vk::Failure::DeviceLost | vk::Failure::Absent | vk::Failure::Other => {
            ClCode::OutOfResources
        }
    };
    Error::new(code, "the command could not be given to the device").from_source(e)
}

impl Batch {
    pub(super) fn new(device: &Arc<vk::Device>, queue: &vk::Queue) -> Result<Box<Batch>> {
        Ok(Box::new(Batch {
            recorder: vk::Recorder::new(device, queue).map_err(resources)?,
            value: 0,
            serial: 0,
            commands: 0,
            waits: Vec::new(),
            after: Vec::new(),
            to_host: false,
            speculation: Speculation::default(),
            single: None,
            keep: Vec::new(),
            events: Vec::new(),
            finish: Vec::new(),
            stores: Vec::new(),
            entries: Vec::new(),
            claims: Vec::new(),
            printed: Vec::new(),
            staging: None,
            staging_used: 0,
            large: 0,
            args: None,
            args_used: 0,
            sets: vk::RecycledSets::default(),
            scratch: (Vec::new(), Vec::new()),
            timestamps: None,
            queries: 0,
            ticks: Vec::new(),
        }))
    }

    /// Starts recording. The batch will be complete when the timeline reaches `value`.
    pub(super) fn begin(&mut self, device: &Arc<vk::Device>, value: u64, profiling: bool) -> Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.value = value;
        self.serial = NEXT.fetch_add(1, Ordering::Relaxed);
        self.recorder.begin().map_err(resources)?;
        if profiling && device.has_timestamps() {
            if self.timestamps.is_none() {
                self.timestamps = Some(vk::TimestampPool::new(device, TIMESTAMPS).map_err(resources)?);
            }
            if let Some(pool) = &self.timestamps {
                self.recorder.reset_timestamps(pool, pool.count());
            }
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
        let is_it = |k: &Keep| matches!(k, Keep::Launch(_, p) if Arc::ptr_eq(p, pipeline));
        if !self.keep.iter().rev().take(8).any(is_it) {
            self.keep
                .push(Keep::Launch(Arc::clone(kernel), Arc::clone(pipeline)));
        }
        self.recorder.bind(pipeline);
    }

    /// Binds the previous batch's last pipeline and push constants, since most launches resemble the previous
    /// one.
    pub(super) fn expect_the_same(&mut self, before: &Batch) {
        let bound = before.keep.iter().rev().find_map(|k| match k {
            Keep::Launch(kernel, pipeline) => {
                before.recorder.has_bound(pipeline).then_some((kernel, pipeline))
            }
            Keep::Buffer(_) | Keep::Image(_) | Keep::Sampler(_) | Keep::Staging(_) | Keep::Memory(_) => None,
        });
        if let Some((kernel, pipeline)) = bound {
            self.bind(kernel, pipeline);
            self.recorder.push_constants(before.recorder.pushed());
        }
    }

    /// Returns whether there is no room for another command's time stamps or arguments.
    pub(super) fn is_full(&self) -> bool {
        let stamps = self
            .timestamps
            .as_ref()
            .is_some_and(|p| self.queries + 2 > p.count());
        let args = self
            .args
            .as_ref()
            .is_some_and(|a| self.args_used + vk::ArgsSet::RANGE > a.capacity());
        stamps || args
    }

    /// Marks the events as submitted at `time`, the host's time before the submission: the GPU may begin during
    /// it.
    pub(super) fn submitted(&self, time: u64, effects: &mut Effects) {
        for timed in &self.events {
            timed.event.submitted(time, effects);
        }
    }

    /// Returns the event of the last command that has one.
    pub(super) fn last_event(&self) -> Option<Arc<Event>> {
        self.events.last().map(|t| Arc::clone(&t.event))
    }

    /// Returns an event that completes when the batch is retired; `submitted`: the batch has been submitted.
    pub(super) fn some_event(
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
        self.events.push(Timed {
            event: Arc::clone(&event),
            query: None,
            failure: None,
        });
        event
    }

    /// Makes an event fail when the batch, which has been submitted, is complete.
    pub(super) fn fail_when_done(&mut self, event: Arc<Event>, code: ClCode, effects: &mut Effects) {
        event.fails_at(self.value, effects);
        self.events.push(Timed {
            event,
            query: None,
            failure: Some(code),
        });
    }

    /// Takes the events of a batch that will not be submitted.
    pub(super) fn take_events(&mut self) -> Vec<Arc<Event>> {
        self.events.drain(..).map(|t| t.event).collect()
    }

    /// Makes the events fail, and drops the batch's host work.
    pub(super) fn failed(&mut self, code: ClCode, table: &HostStores, effects: &mut Effects) {
        for timed in self.events.drain(..) {
            timed.event.failed(code.number(), effects);
        }
        self.finish.clear();
        self.stores.clear();
        self.printed.clear();
        self.claims.clear();
        self.forget_stores(table);
    }

    /// Removes the batch's entries from the table, because nothing will store into host memory for it any more.
    fn forget_stores(&mut self, table: &HostStores) {
        table.remove(self.entries.drain(..));
    }

    /// Does the host work and then completes the events, after the GPU has completed the batch.
    pub(super) fn retire(
        &mut self,
        device: &vk::Device,
        clock: &Clock,
        table: &HostStores,
        effects: &mut Effects,
    ) {
        for f in self.finish.drain(..) {
            f.from.copy_rect_to(&f.from_layout, f.to, &f.to_layout, f.region);
        }
        self.forget_stores(table);
        // Commands that wait for an event of the batch must not find its claims.
        self.claims.clear();
        for output in self.printed.drain(..) {
            output.print();
        }
        if self.events.is_empty() {
            return;
        }
        if self.queries > 0
            && let Some(pool) = &self.timestamps
            && let Err(e) = pool.read(self.queries, &mut self.ticks)
        {
            log::error!("time stamps: {e}");
            self.ticks.clear();
        }
        for timed in self.events.drain(..) {
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

    /// Returns the number of bytes of the batch's host work; `None` if it has none.
    pub(super) fn host_work(&self) -> Option<u64> {
        let bytes = self.finish.iter().map(|f| f.region.iter().product::<u64>());
        (!self.finish.is_empty()).then(|| bytes.sum())
    }

    /// Returns whether the batch or its host work stores into a range of host addresses.
    pub(super) fn stores_into(&self, start: usize, end: usize) -> bool {
        let stores = self.stores.iter().copied();
        self.targets().chain(stores).any(|(s, e)| s < end && start < e)
    }

    /// Returns the batch's state during its host work; `None` if the host work stores nothing.
    pub(super) fn finishing(&self, context: &Arc<Context>) -> Option<Finishing> {
        let targets: Vec<HostRange> = self.targets().collect();
        // A user event has no queue, so no thread tries to poll one for it.
        let event = || self.last_event().unwrap_or_else(|| Event::user(context));
        (!targets.is_empty()).then(|| Finishing {
            targets,
            event: event(),
            value: self.value,
            failures: Vec::new(),
        })
    }

    /// Returns the ranges of host addresses that the batch's host work stores into.
    fn targets(&self) -> impl Iterator<Item = HostRange> {
        self.finish.iter().map(Finish::target)
    }

    /// Drops everything that the batch kept, so that the batch can be reused.
    pub(super) fn clear(&mut self) {
        self.keep.clear();
        self.waits.clear();
        self.after.clear();
        self.events.clear();
        self.finish.clear();
        self.stores.clear();
        debug_assert!(self.entries.is_empty(), "retiring or failing has removed them");
        self.printed.clear();
        self.commands = 0;
        self.to_host = false;
        self.speculation = Speculation::default();
        self.single = None;
        self.staging_used = 0;
        self.large = 0;
        self.args_used = 0;
        self.sets.clear();
        self.queries = 0;
        self.ticks.clear();
    }
}

/// The open batch while a command is being recorded into it.
pub(crate) struct Recording<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) hazards: &'a mut Hazards,
    pub(super) logical: &'a Arc<vk::Device>,
    /// The context's table of the host memory that commands in flight store into.
    pub(super) host_stores: &'a HostStores,
    pub(super) staging: &'a Arc<StagingPool>,
    /// The kernels for copies, if they have been made.
    pub(super) copy_kernels: Option<&'a CopyKernels>,
    /// The number of the queue.
    pub(super) queue: u32,
    /// The index of the device in the context.
    pub(crate) device: usize,
    /// Commands may not overlap (profiling).
    pub(super) serialize: bool,
    /// Only events order commands (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).
    pub(super) unordered: bool,
    pub(super) uniform_alignment: u64,
    pub(super) group_count: [u32; 3],
    /// The command is a launch that has been recorded speculatively.
    pub(super) recorded: bool,
}

/// A part of a staging buffer.
pub(crate) struct Staged {
    pub buffer: Arc<Staging>,
    pub offset: u64,
    /// The address of its first byte.
    pub ptr: HostPtr,
}

impl Staged {
    /// Returns one side of a copy with the given layout in it.
    pub(crate) fn side(&self, layout: Layout) -> Side<'_> {
        Side {
            memory: &self.buffer,
            offset: self.offset,
            layout,
        }
    }
}

impl Recording<'_> {
    /// Returns the recorder.
    pub(crate) fn recorder(&mut self) -> &mut vk::Recorder {
        &mut self.batch.recorder
    }

    /// Declares the command's accesses (`unknown`: to any memory), and records a barrier if one is needed.
    pub(crate) fn access(&mut self, accesses: &[Access], unknown: bool) {
        let barrier = if self.unordered {
            self.hazards.note_unordered(accesses, unknown)
        } else {
            self.hazards.note(accesses, unknown)
        };
        if barrier && !self.serialize {
            debug_assert!(!self.recorded, "all before is ordered");
            self.batch.recorder.barrier();
        }
    }

    /// Returns whether the launch has been recorded speculatively: only its accesses and objects remain to be
    /// noted.
    pub(crate) fn is_recorded_ahead(&self) -> bool {
        self.recorded
    }

    /// Notes that a launch has been recorded that needs nothing but a pipeline and push constants.
    pub(crate) fn note_single(&mut self, launch: &Plain<'_>) {
        self.batch.note_single(launch);
    }

    /// Records a barrier that makes the writes of other queues visible to later commands, as far as those
    /// queues had completed them when the command was enqueued: the signals of their timelines have made the
    /// writes available. (A command that depends on a command in flight waits for its semaphore instead.)
    pub(super) fn see_other_queues(&mut self) {
        self.hazards.clear();
        self.batch.recorder.barrier();
    }

    /// Records a barrier that orders all later commands after all earlier ones, if one is needed.
    pub(super) fn order(&mut self) {
        if self.hazards.clear() && !self.serialize {
            self.batch.recorder.barrier();
        }
    }

    /// Keeps the command's claim until the batch is complete, if it is needed for that long.
    pub(super) fn claim(&mut self, claim: &Arc<Claim>) {
        let batch = InBatch {
            queue: self.queue,
            value: self.batch.value,
        };
        if claim.recorded(batch) {
            self.batch.claims.push(Arc::clone(claim));
        }
    }

    /// Copies a region, by a kernel if that is faster. The caller declares accesses and keeps the memory alive.
    pub(crate) fn copy(&mut self, from: Side<'_>, to: Side<'_>, region: [u64; 3]) -> Result<()> {
        let dispatch = match self.copy_kernels {
            Some(kernels) => kernels.dispatch(from, to, region)?,
            None => None,
        };
        let Some(dispatch) = dispatch else {
            let pieces = regions((from.layout, from.offset), (to.layout, to.offset), region);
            self.batch.recorder.copy(from.memory, to.memory, pieces);
            return Ok(());
        };
        self.bind(dispatch.kernel, &dispatch.pipeline);
        self.batch.recorder.push_constants(dispatch.push());
        self.batch.recorder.dispatch(dispatch.groups);
        Ok(())
    }

    /// Keeps an object alive until the batch is complete.
    pub(crate) fn keep(&mut self, what: Keep) {
        self.batch.keep.push(what);
    }

    /// Keeps a buffer alive; this is cheap if the batch does so already.
    pub(crate) fn keep_buffer(&mut self, buffer: &Arc<Buffer>) {
        let batch = &mut *self.batch;
        if !buffer.kept().is(batch.serial) {
            batch.keep.push(Keep::Buffer(Arc::clone(buffer)));
            buffer.kept().set(batch.serial);
        }
    }

    /// Keeps an image alive, and records its first layout transition if that has not been done.
    pub(crate) fn use_image(&mut self, image: &Arc<Image>) -> Result<()> {
        self.keep_image(image);
        let Some(storage) = image.storage(self.device)? else {
            return Ok(());
        };
        self.batch.recorder.prepare_image(storage);
        Ok(())
    }

    /// Keeps an image alive; this is cheap if the batch did so recently.
    fn keep_image(&mut self, image: &Arc<Image>) {
        let kept = self.batch.keep.iter().rev().take(8);
        if !kept
            .into_iter()
            .any(|k| matches!(k, Keep::Image(i) if Arc::ptr_eq(i, image)))
        {
            self.batch.keep.push(Keep::Image(Arc::clone(image)));
        }
    }

    /// Binds a pipeline as [`Batch::bind`] does.
    pub(crate) fn bind(&mut self, kernel: &Arc<DeviceKernel>, pipeline: &Arc<vk::Pipeline>) {
        self.batch.bind(kernel, pipeline);
    }

    /// Notes that the command writes a buffer. If the host may read the buffer's memory without a copy, the
    /// batch ends with a barrier for the host.
    pub(crate) fn writes(&mut self, buffer: &Buffer) {
        let Ok(storage) = buffer.storage(self.device) else {
            return;
        };
        if self.batch.to_host || !storage.host_visible() {
            return;
        }
        self.batch.to_host = storage.mapped().is_some() || buffer.is_written(self.queue, self.batch.value);
    }

    /// Returns the most work-groups of one dispatch.
    pub(crate) fn group_count(&self) -> [u32; 3] {
        self.group_count
    }

    /// Adds host work to be done when the batch is complete. The batch keeps the source memory alive.
    pub(crate) fn finish(&mut self, finish: Finish) {
        let range = finish.target();
        self.batch.to_host = true;
        self.batch.entries.push(self.host_stores.add(range, Storer::Host));
        self.batch.finish.push(finish);
    }

    /// Notes that the GPU stores into the application's or a mapping's memory until the command is complete.
    pub(crate) fn stores(&mut self, range: HostRange) {
        self.batch.to_host = true;
        self.batch.entries.push(self.host_stores.add(range, Storer::Gpu));
        self.batch.stores.push(range);
    }

    /// Notes that the command writes memory that the host will read.
    pub(crate) fn make_visible_to_host(&mut self) {
        self.batch.to_host = true;
    }

    /// Returns host memory that the GPU can access for the duration of the batch.
    pub(crate) fn stage(&mut self, size: u64) -> Result<Staged> {
        let batch = &mut *self.batch;
        let (buffer, offset) = if size <= STAGING / 2 {
            let full = batch.staging_used + size > STAGING;
            if full || batch.staging.is_none() {
                // A batch rarely needs a second chunk; the full one stays alive with the batch.
                let fresh = Arc::new(self.staging.get(self.logical, STAGING).map_err(shortage)?);
                if let Some(old) = batch.staging.replace(fresh) {
                    batch.keep.push(Keep::Staging(old));
                }
                batch.staging_used = 0;
            }
            let offset = batch.staging_used;
            batch.staging_used += size.next_multiple_of(64);
            let buffer = batch.staging.as_ref().expect("just made");
            (Arc::clone(buffer), offset)
        } else {
            let buffer = Arc::new(self.staging.get(self.logical, size).map_err(shortage)?);
            batch.keep.push(Keep::Staging(Arc::clone(&buffer)));
            batch.large += buffer.size();
            (buffer, 0)
        };
        let base = buffer.mapped().expect("host memory is mapped");
        Ok(Staged {
            ptr: base.offset(offset),
            buffer,
            offset,
        })
    }

    /// Returns a cleared printf buffer for the next launch; it is printed when the batch is complete.
    pub(crate) fn printf_buffer(&mut self, kernel: &Arc<DeviceKernel>, size: u64) -> Result<Arc<Staging>> {
        let buffer = Arc::new(self.staging.get(self.logical, size).map_err(shortage)?);
        let batch = &mut *self.batch;
        batch.recorder.fill(&buffer, 0, size, 0);
        batch.recorder.barrier();
        batch.large += buffer.size();
        batch.to_host = true;
        batch.printed.push(Output {
            buffer: Arc::clone(&buffer),
            size,
            kernel: Arc::clone(kernel),
        });
        Ok(buffer)
    }

    /// Returns the address of scratch memory for the next launch, which is kept until the batch is complete.
    pub(crate) fn scratch_memory(&mut self, size: u64) -> Result<u64> {
        let memory = Arc::new(self.staging.scratch(self.logical, size).map_err(shortage)?);
        let address = memory.address();
        self.batch.large += memory.size();
        self.keep(Keep::Memory(memory));
        Ok(address)
    }

    /// Stores kernel arguments in the argument buffer; returns their byte offset.
    fn store_arguments(&mut self, bytes: &[u8], align: u64) -> Result<u32> {
        let batch = &mut *self.batch;
        if batch.args.is_none() {
            batch.args = Some(vk::ArgsSet::new(self.logical).map_err(shortage)?);
        }
        let args = batch.args.as_mut().expect("just made");
        let align = align.max(self.uniform_alignment).max(16);
        let offset = batch.args_used.next_multiple_of(align);
        args.write(offset, bytes);
        batch.args_used = offset + (bytes.len() as u64).next_multiple_of(align);
        Ok(offset as u32)
    }

    /// Stores kernel arguments in the argument buffer and binds it.
    pub(crate) fn arguments(&mut self, bytes: &[u8]) -> Result<()> {
        let offset = self.store_arguments(bytes, 16)?;
        let batch = &mut *self.batch;
        let args = batch.args.as_ref().expect("just stored into");
        batch.recorder.bind_args(args, offset);
        Ok(())
    }

    /// Fills and binds the descriptor sets of a kernel that has its own; `bytes` are the contents of the
    /// argument buffer. The caller lets the batch keep the arguments alive.
    pub(crate) fn descriptors(
        &mut self,
        kernel: &KernelDescriptors,
        module: &DeviceModule,
        args: &[ArgValue],
        bytes: &[u8],
        printf: Option<&vk::Buffer>,
    ) -> Result<()> {
        let start = match (kernel.has_arguments(), kernel.blocks().is_empty()) {
            (true, _) => Some(self.store_arguments(bytes, 16)?),
            (false, false) => Some(self.store_arguments(bytes, u64::from(BLOCK_ALIGN))?),
            (false, true) => None,
        };
        let device = self.device;
        let batch = &mut *self.batch;
        let (scratch, sets) = &mut batch.scratch;
        let filled = Filled {
            recycled: &mut batch.sets,
            scratch,
            sets,
        };
        let plain = start.and_then(|start| Some((batch.args.as_ref()?, u64::from(start))));
        let values = Values {
            device,
            module,
            args,
            plain,
            printf,
        };
        kernel.fill(&values, filled)?;
        let offset = start.filter(|_| kernel.has_arguments());
        batch
            .recorder
            .bind_sets(kernel.layout(), &batch.scratch.1, offset);
        Ok(())
    }

    /// Records the first time stamp of a command, which is recorded next.
    pub(super) fn open_event(&mut self, event: Option<&Arc<Event>>) -> Option<u32> {
        if self.serialize {
            self.hazards.clear();
            self.batch.recorder.barrier();
        }
        event?;
        let pool = self.batch.timestamps.as_ref().filter(|_| self.serialize)?;
        let query = self.batch.queries;
        self.batch.queries += 2;
        self.batch.recorder.timestamp(pool, query);
        Some(query)
    }

    /// Records the second time stamp of a command that has been recorded, and adds its event to the batch.
    pub(super) fn close_event(
        &mut self,
        event: Option<&Arc<Event>>,
        query: Option<u32>,
        effects: &mut Effects,
    ) {
        if let (Some(query), Some(pool)) = (query, &self.batch.timestamps) {
            self.batch.recorder.timestamp(pool, query + 1);
        }
        let leads = self.batch.commands == 0;
        self.batch.commands += 1;
        if let Some(event) = event {
            event.recorded(self.batch.value, leads, effects);
            self.batch.events.push(Timed {
                event: Arc::clone(event),
                query,
                failure: None,
            });
        }
    }
}
