//! Notes which bytes of buffers commands write, for the check of uninitialized memory ([`crate::check::written`]), and
//! reports which accesses the checks of a kernel leave out.

use super::CommandQueue;
use crate::check::notes;
use crate::command::replay::{Action, Replay};
use crate::command::{Command, Incoming};
use crate::kernel::launch::ArgValue;
use crate::kernel::pipeline::DeviceKernel;
use crate::kernel::uses;

impl CommandQueue {
    /// Notes which buffers a command that is being enqueued writes, and prepares the memory in which its launches note their
    /// own stores. No lock may be held.
    #[inline]
    pub(super) fn note_writes(&self, incoming: &Incoming<'_>) {
        match incoming {
            Incoming::Launch { launch, .. } => tell_left_out(launch.kernel()),
            Incoming::Command(Command::Replay(Replay { steps })) => {
                for step in steps.iter() {
                    if let Action::Launch(launch) = &step.action {
                        tell_left_out(launch.kernel());
                    }
                }
            }
            Incoming::Command(_) => {}
        }
        if self.context.allocations().is_none_or(|a| !a.know_writes()) {
            return;
        }
        match incoming {
            Incoming::Launch { launch, args } => self.note_launch(launch.kernel(), args),
            Incoming::Command(command) => self.note_command(command),
        }
    }

    fn note_command(&self, command: &Command) {
        match command {
            Command::NdRange { launch, args } => self.note_launch(launch.kernel(), args),
            Command::Replay(Replay { steps }) => {
                for step in steps.iter() {
                    match &step.action {
                        Action::Launch(launch) => {
                            self.note_launch(launch.kernel(), launch.args());
                        }
                        Action::Command(command) => self.note_command(command),
                    }
                }
            }
            command => {
                let touches = command.touches();
                touches.iter().for_each(|t| t.note_write());
            }
        }
    }

    /// Notes as written the buffers whose stores the kernel itself does not note. For the other buffers, prepares the memory
    /// in which the kernel notes them.
    fn note_launch(&self, kernel: &DeviceKernel, args: &[ArgValue]) {
        let notes = kernel.notes().find(|n| n.check == "uninitialized");
        let is_noted = |n: usize| notes.is_some_and(|notes| notes.noted.contains(&(n as u32)));
        for (n, touch) in uses::touches_of_arguments(kernel, args) {
            if n.is_none_or(|n| !is_noted(n)) {
                touch.note_write();
            }
        }
        let anywhere = match notes {
            Some(notes) => notes.anywhere,
            None => kernel.reflection().any_memory || kernel.reflection().args.iter().any(|a| a.uses.escapes),
        };
        if let (true, Some(allocations)) = (anywhere, self.context.allocations()) {
            allocations.note_all_written();
        }
        for (n, value) in args.iter().enumerate() {
            if let (ArgValue::Buffer(Some(buffer)), true) = (value, is_noted(n))
                && let Some(written) = buffer.written()
            {
                written.prepare(&self.device);
            }
        }
    }
}

/// Reports which accesses the checks of a kernel leave out, unless this has been reported before.
fn tell_left_out(kernel: &DeviceKernel) {
    if let Some(notes) = kernel.notes_to_tell() {
        notes::tell_left_out(notes);
    }
}
