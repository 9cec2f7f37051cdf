//! Commands whose handles the application has, and their updates (cl_khr_command_buffer_mutable_dispatch).

use std::sync::{Arc, Weak};

use super::{CommandBuffer, State};
use crate::command::replay::{Action, Step};
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::kernel::launch::ArgValue;
use crate::kernel::recorded::RecordedLaunch;
use crate::kernel::{Kernel, Range};
use crate::mem::Buffer;
use crate::object::Anchor;

/// What may be updated: the bits of CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Fields {
    /// CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR.
    pub offset: bool,
    /// CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR.
    pub global: bool,
    /// CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR.
    pub local: bool,
    /// CL_MUTABLE_DISPATCH_ARGUMENTS_KHR.
    pub arguments: bool,
    /// CL_MUTABLE_DISPATCH_EXEC_INFO_KHR.
    pub exec_info: bool,
}

/// What a handle keeps of the recording call.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// What may be updated.
    pub fields: Fields,
    /// CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR.
    pub properties: Vec<u64>,
}

/// A launch of a command-buffer whose handle the application has.
pub struct MutableCommand {
    anchor: Anchor<MutableCommand>,
    buffer: Weak<CommandBuffer>,
    /// The index of the step.
    index: usize,
    recipe: Recipe,
}

impl_object!(
    MutableCommand,
    ClCode::InvalidMutableCommandKhr,
    "mutable command"
);

impl std::fmt::Debug for MutableCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MutableCommand")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// The changes of one launch. The arguments have been checked as those of clSetKernelArg are.
#[derive(Debug)]
pub struct Update {
    /// The launch.
    pub command: Arc<MutableCommand>,
    /// The arguments that change, by index.
    pub args: Vec<(u32, ArgValue)>,
    /// The buffers at the addresses that are new arguments.
    pub pointed: Vec<Arc<Buffer>>,
    /// The new `global_work_offset`, if it changes; the numbers of the unused dimensions are not used.
    pub offset: Option<[usize; 3]>,
    /// The new `global_work_size`, if it changes.
    pub global: Option<[usize; 3]>,
    /// The new `local_work_size`, if it changes.
    pub local: Option<[usize; 3]>,
}

impl MutableCommand {
    pub(super) fn new(buffer: &Arc<CommandBuffer>, index: usize, recipe: Recipe) -> Arc<MutableCommand> {
        Arc::new(MutableCommand {
            anchor: Anchor::new(),
            buffer: Arc::downgrade(buffer),
            index,
            recipe,
        })
    }

    /// Returns CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR. Another thread may have released it.
    pub fn buffer(&self) -> Result<Arc<CommandBuffer>> {
        self.buffer.upgrade().ok_or_else(|| {
            Error::new(
                ClCode::InvalidMutableCommandKhr,
                "its command-buffer has been released",
            )
        })
    }

    /// Returns CL_MUTABLE_DISPATCH_KERNEL_KHR.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.recipe.kernel
    }

    /// Returns what may be updated.
    pub fn fields(&self) -> Fields {
        self.recipe.fields
    }

    /// Returns CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR.
    pub fn properties(&self) -> &[u64] {
        &self.recipe.properties
    }

    /// Returns the NDRange after the most recent update.
    pub fn range(&self) -> Result<Range> {
        let buffer = self.buffer()?;
        let step = Arc::clone(&buffer.contents.lock().steps[self.index]);
        Ok(*launch(&step).range())
    }
}

/// Returns the launch of a step that has a handle.
fn launch(step: &Step) -> &RecordedLaunch {
    match &step.action {
        Action::Launch(launch) => launch,
        Action::Command(_) => unreachable!("only launches have handles"),
    }
}

/// Returns the new numbers in the dimensions that are used, and the old ones in the others.
fn merged(old: [usize; 3], new: Option<[usize; 3]>, work_dim: u32) -> [usize; 3] {
    let is_new = |d: usize| d < work_dim as usize;
    match new {
        Some(new) => [0, 1, 2].map(|d| if is_new(d) { new[d] } else { old[d] }),
        None => old,
    }
}

impl CommandBuffer {
    /// Checks that commands can be updated. CL, clUpdateMutableCommandsKHR: INVALID_OPERATION if command_buffer has not
    /// been finalized, or was not created with CL_COMMAND_BUFFER_MUTABLE_KHR
    pub fn check_updatable(&self) -> Result<()> {
        let refuse = |why: &'static str| Err(Error::new(ClCode::InvalidOperation, why));
        if self.state() == State::Recording {
            return refuse("the command-buffer has not been finalized");
        }
        if !self.flags.mutable {
            return refuse("the command-buffer is not mutable");
        }
        Ok(())
    }

    /// Updates launches (clUpdateMutableCommandsKHR): all of them, or none if it returns an error.
    pub fn update(&self, updates: &[Update]) -> Result<()> {
        let mut contents = self.contents.lock();
        let mut changed: Vec<(usize, RecordedLaunch)> = Vec::new();
        for update in updates {
            let index = update.command.index;
            let at = changed.iter().position(|(i, _)| *i == index);
            let old = match at {
                Some(at) => &changed[at].1,
                None => launch(&contents.steps[index]),
            };
            let range = old.range();
            let range = Range {
                work_dim: range.work_dim,
                offset: merged(range.offset, update.offset, range.work_dim),
                global: merged(range.global, update.global, range.work_dim),
                local: match update.local {
                    local @ Some(_) => Some(merged([1; 3], local, range.work_dim)),
                    None => range.local,
                },
            };
            let new = old.updated(&self.queue, &update.args, &update.pointed, &range)?;
            match at {
                Some(at) => changed[at].1 = new,
                None => changed.push((index, new)),
            }
        }
        let steps = Arc::make_mut(&mut contents.steps);
        let mut old = Vec::with_capacity(changed.len());
        for (index, new) in changed {
            let step = Step {
                action: Action::Launch(Box::new(new)),
                after: steps[index].after,
            };
            old.push(std::mem::replace(&mut steps[index], Arc::new(step)));
        }
        // This may drop the last references to objects, so no lock may be held.
        drop(contents);
        drop(old);
        Ok(())
    }
}
