//! clEnqueueNativeKernel (CL 5.8): a command that calls a function of the application on the host.
//!
//! It is composed of commands that an application could enqueue itself. The buffers are mapped, and a marker
//! waits for the mappings. When the marker completes, one of the context's threads for native kernels calls the
//! function, and then sets a user event, the gate. The unmap commands wait for the gate, and a second marker,
//! whose event is the command's, waits for the unmap commands. All of them are placed under one hold of the
//! lock, so that no command of another thread comes between them.

use std::sync::Arc;

use super::scheduler::Order;
use super::{CommandQueue, Enqueued, Waits};
use crate::command::map::{Map, Unmap, Window};
use crate::command::rect::Rows;
use crate::command::{Command, CommandType, Incoming};
use crate::error::{ClCode, Result};
use crate::event::{By, Effects, Event, Status};
use crate::mem::{Buffer, HostPtr};

/// The function: it gets the address of each buffer, in order, or `None` where there is no buffer.
pub type NativeFn = Box<dyn FnOnce(&[Option<HostPtr>]) + Send>;

impl CommandQueue {
    /// Enqueues a native kernel (CL 5.8, clEnqueueNativeKernel). The function runs on a thread for native
    /// kernels with no lock held.
    pub fn enqueue_native(
        self: &Arc<Self>,
        buffers: &[Option<Arc<Buffer>>],
        function: NativeFn,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue_function(CommandType::NativeKernel, buffers, function, waits)
    }

    /// Enqueues a command of this type that calls a function on the host.
    pub(super) fn enqueue_function(
        self: &Arc<Self>,
        kind: CommandType,
        buffers: &[Option<Arc<Buffer>>],
        function: NativeFn,
        waits: Waits<'_>,
    ) -> Enqueued {
        let contexts = buffers.iter().flatten().map(|b| b.context());
        let contexts = contexts.chain(waits.list.iter().map(|e| e.context()));
        contexts.for_each(|c| self.assert_own(c));
        for written in buffers.iter().flatten().filter_map(|b| b.written()) {
            written.note_all();
        }
        let windows = buffers
            .iter()
            .map(|b| {
                b.as_ref()
                    .map(|b| Window::of(b, self.device_index(), 0))
                    .transpose()
            })
            .collect::<Result<Vec<_>>>()?;
        let addresses: Vec<Option<HostPtr>> = windows.iter().map(|w| w.as_ref().map(Window::ptr)).collect();
        self.flush_others(waits.list);

        let gate = Event::user(self.context());
        let ready = Event::of_command(self, CommandType::Marker);
        let done = Event::of_command(self, kind);
        let mut effects = Effects::default();
        let placed = {
            let mut state = self.lock_for_command();
            let mut place = |command, list: &[Arc<Event>], event: &Arc<Event>| {
                let order = Order::after_list(event.command_type(), list);
                let command = Incoming::Command(command);
                self.place(&mut state, command, order, Some(event), &mut effects)
                    .map(drop)
            };
            let begin = || -> Result<()> {
                let mut before = waits.list.to_vec();
                let mut holds = Vec::new();
                for (buffer, window) in buffers.iter().flatten().zip(windows.into_iter().flatten()) {
                    let event = Event::of_command(self, CommandType::MapBuffer);
                    let rows = Rows::line(0, buffer.size());
                    let hold = window.hold(buffer, rows, self.device_index(), true);
                    holds.push(hold.clone());
                    let map = Map {
                        buffer: Arc::clone(buffer),
                        rows,
                        fetch: true,
                        kept: Vec::new(),
                        window,
                        hold,
                    };
                    place(Command::Map(map), waits.list, &event)?;
                    before.push(event);
                }
                place(Command::Marker, &before, &ready)?;
                let mut after = vec![Arc::clone(&gate)];
                for (buffer, hold) in buffers.iter().flatten().zip(holds) {
                    let event = Event::of_command(self, CommandType::UnmapMemObject);
                    let unmap = Unmap {
                        buffer: Arc::clone(buffer),
                        rows: Rows::line(0, buffer.size()),
                        write: true,
                        window: Window::of(buffer, self.device_index(), 0)?,
                        device: self.device_index(),
                        hold,
                    };
                    place(Command::Unmap(unmap), &[Arc::clone(&gate)], &event)?;
                    after.push(event);
                }
                place(Command::Marker, &after, &done)
            };
            begin()
        };
        effects.run();
        if let Err(e) = placed {
            // The commands that were placed must not wait for ever.
            let _ = gate.set_user_status(Status::Failed(e.code.number()));
            return Err(e);
        }
        let call = Box::new(move |status: Status| {
            let status = match status {
                Status::Failed(_) => Status::Failed(ClCode::ExecStatusErrorForEventsInWaitList.number()),
                Status::Complete | Status::Running | Status::Submitted | Status::Queued => {
                    crate::lock::assert_none_held();
                    function(&addresses);
                    Status::Complete
                }
            };
            // The gate is private, so its status has not been set before.
            let _ = gate.set_user_status(status);
        });
        ready.on_status_by(Status::Complete, (By::Native, call));
        Ok(Some(done).filter(|_| waits.want_event))
    }
}
