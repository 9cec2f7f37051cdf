//! Recording in reverse order (`CALDERA_DEBUG=reorder`), which shows barriers that are missing.
//!
//! A driver for a CPU executes the commands of a command buffer one after the other, so a test cannot see there that two
//! of them are not ordered. In this mode each command is recorded into a secondary command buffer of its own, and the
//! commands between two barriers are executed in the reverse of the order in which they were recorded. A program whose
//! commands are ordered by barriers where they depend on each other computes the same.

use ash::vk;

use super::{Call, Recorder};

/// The state of a recording in reverse order.
pub(super) struct Reordering {
    primary: vk::CommandBuffer,
    /// The secondary command buffers of the pool.
    secondaries: Vec<vk::CommandBuffer>,
    /// The number of secondary command buffers that this recording has begun.
    used: usize,
    /// The secondary command buffers with the commands since the last barrier.
    unordered: Vec<vk::CommandBuffer>,
    /// Whether the open secondary command buffer has a command.
    has_command: bool,
}

impl Reordering {
    pub(super) fn new(primary: vk::CommandBuffer) -> Reordering {
        Reordering {
            primary,
            secondaries: Vec::new(),
            used: 0,
            unordered: Vec::new(),
            has_command: false,
        }
    }

    pub(super) fn primary(&self) -> vk::CommandBuffer {
        self.primary
    }
}

impl Recorder {
    /// Notes that a new recording begins, whose primary command buffer has been begun.
    pub(super) fn begin_reordering(&mut self) {
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        reordering.used = 0;
        reordering.unordered.clear();
        reordering.has_command = false;
        self.begin_secondary();
    }

    /// Prepares for a command that only barriers order.
    pub(super) fn begin_unordered(&mut self) {
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        if std::mem::replace(&mut reordering.has_command, true) {
            self.end_secondary();
            self.begin_secondary();
        }
    }

    /// Prepares for a barrier, or another command that comes after all earlier ones and before all later ones. Returns the
    /// command buffer for it.
    pub(super) fn begin_ordered(&mut self) -> vk::CommandBuffer {
        if self.reordering.is_none() {
            return self.raw;
        }
        let primary = self.end_reordering();
        self.begin_secondary();
        primary
    }

    /// Gives the commands since the last barrier to the primary command buffer, the last one first. Returns it.
    pub(super) fn end_reordering(&mut self) -> vk::CommandBuffer {
        self.end_secondary();
        let Some(reordering) = &mut self.reordering else {
            return self.raw;
        };
        reordering.unordered.reverse();
        if !reordering.unordered.is_empty() {
            // SAFETY: the primary command buffer is in the recording state, the secondary ones are executable and come from the
            // same pool, and each is executed once.
            unsafe {
                self.device
                    .raw
                    .cmd_execute_commands(reordering.primary, &reordering.unordered);
            }
        }
        reordering.unordered.clear();
        reordering.has_command = false;
        reordering.primary
    }

    /// Ends the open secondary command buffer.
    fn end_secondary(&mut self) {
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        // SAFETY: the command buffer is in the recording state.
        let ended = unsafe { self.device.raw.end_command_buffer(self.raw) }.call("vkEndCommandBuffer");
        ended.expect("memory for a debugging aid");
        reordering.unordered.push(self.raw);
    }

    /// Begins a secondary command buffer with the state that the recorder has.
    fn begin_secondary(&mut self) {
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        let device = &self.device.raw;
        if reordering.used == reordering.secondaries.len() {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(16);
            // SAFETY: the pool is alive, and the recorder uses it exclusively.
            let made = unsafe { device.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers");
            reordering
                .secondaries
                .extend(made.expect("memory for a debugging aid"));
        }
        self.raw = reordering.secondaries[reordering.used];
        reordering.used += 1;
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)
            .inheritance_info(&inheritance);
        // SAFETY: the command buffer is in the initial state: it is new, or the pool was reset at the beginning of the
        // recording.
        let begun = unsafe { device.begin_command_buffer(self.raw, &info) }.call("vkBeginCommandBuffer");
        begun.expect("memory for a debugging aid");
        self.bind_again();
    }

    /// Binds what is bound, and writes the push constants, in a command buffer that has just been begun.
    fn bind_again(&mut self) {
        let device = &self.device;
        if self.bound != vk::Pipeline::null() {
            // SAFETY: as in `bind`.
            unsafe {
                device
                    .raw
                    .cmd_bind_pipeline(self.raw, vk::PipelineBindPoint::COMPUTE, self.bound);
            }
        }
        let (layout, sets, offset) = match (&self.bound_sets, &self.bound_args) {
            ((layout, sets, offset), _) if *layout != vk::PipelineLayout::null() => {
                (*layout, sets.as_slice(), offset.as_slice())
            }
            (_, Some((set, offset))) => (
                device.layout.raw,
                std::slice::from_ref(set),
                std::slice::from_ref(offset),
            ),
            (_, None) => (device.layout.raw, [].as_slice(), [].as_slice()),
        };
        if !sets.is_empty() {
            // SAFETY: as in `bind_sets` and `bind_args`.
            unsafe {
                device.raw.cmd_bind_descriptor_sets(
                    self.raw,
                    vk::PipelineBindPoint::COMPUTE,
                    layout,
                    0,
                    sets,
                    offset,
                );
            }
        }
        if !self.pushed.is_empty() {
            // SAFETY: as in `push_constants`.
            unsafe {
                device.raw.cmd_push_constants(
                    self.raw,
                    device.layout.raw,
                    vk::ShaderStageFlags::COMPUTE,
                    0,
                    &self.pushed,
                );
            }
        }
    }
}
