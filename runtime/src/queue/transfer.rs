//! The planner of reads and writes (CL 5.2.2, 5.3.3): it decides whether the host or the GPU copies, and in how many
//! chunks.
//!
//! | plan | condition | copied by |
//! |---|---|---|
//! | host copy | the storage is mapped, and no earlier command is unfinished | this thread, in its turn |
//! | pinned | the GPU can access the host memory | the GPU |
//! | staged | otherwise, if shorter than `ChunkSizes::cut` | the GPU, to or from staging memory, and the host between that and its memory |
//! | chunked | otherwise | the same, chunk by chunk |
//!
//! Whatever the plan is, the transfer is one command: commands of other threads come before or after all of it.

use std::sync::Arc;

use super::observed::HostCommand;
use super::scheduler::{Admission, Order, Placed, Start, Until};
use super::turn::Turn;
use super::{CommandQueue, Enqueued, Waits};
use crate::command::buffer::{HostTransfer, Reach};
use crate::command::transfer::{Object, Transfer};
use crate::command::{Command, CommandType, Incoming};
use crate::error::{ClCode, Error, Result};
use crate::event::{Effects, Event, Phase, now};
use crate::mem::Buffer;

impl CommandQueue {
    /// Enqueues a read or a write.
    pub(super) fn transfer(
        self: &Arc<Self>,
        kind: CommandType,
        what: Object,
        write: bool,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        let mut transfer = Transfer::new(what, write);
        let size = transfer.size();
        let tuning = self.logical.tuning();
        if let Object::Buffer(linear) = &transfer.what {
            // A short write may be staged, and its call returns at once; the call of a blocking read waits in
            // any case.
            let wait = blocking && (!write || size > tuning.chunks.cut);
            if let Some((turn, reach)) = self.host_copy(linear, write, waits, wait)? {
                let command = HostCommand::new(kind, size).with_region(linear.region(), write);
                let command = command.blocking(blocking);
                return Ok(self.execute_on_host(turn, &command, waits, || linear.by_host(reach, write)));
            }
        }
        if !write || size > tuning.staged_anyway {
            transfer.pin(self.opened.pinned());
        }
        let staged = !transfer.is_pinned();
        transfer.chunked = staged && size >= tuning.chunks.cut;
        if write && staged {
            self.wake_copy_threads(size);
        }
        let until = match (blocking, write && staged) {
            (false, _) => Until::Placed,
            (true, true) => Until::Copied,
            (true, false) => Until::Done,
        };
        let command = Command::Transfer(transfer);
        self.enqueue(kind, Incoming::Command(command), waits, until)
    }

    /// Returns the turn to make a transfer on this thread, and the way in which the host accesses the storage.
    /// Returns `None` if the host cannot access the storage, or if something unfinished prevents the transfer.
    /// If `wait` is set, waits for the earlier commands first.
    pub(super) fn host_copy(
        self: &Arc<Self>,
        transfer: &HostTransfer,
        write: bool,
        waits: Waits<'_>,
        wait: bool,
    ) -> Result<Option<(Turn<'_>, Reach)>> {
        let Some(reach) = transfer.reach(transfer.buffer.storage(self.device_index)?, write) else {
            return Ok(None);
        };
        let visible = || match reach {
            Reach::BarMapping(_) if !write => self.makes_visible(&transfer.buffer),
            Reach::BarMapping(_) | Reach::Mapped(_) => true,
        };
        // This is checked before the wait, because the result may change what is submitted, and again when no
        // other thread can change it.
        if !visible() {
            return Ok(None);
        }
        let Some(mut turn) = self.host_turn(waits, wait)?.filter(|_| visible()) else {
            return Ok(None);
        };
        let Ok(claim) = self.claim_by_host(transfer, write) else {
            return Ok(None);
        };
        turn.claim = claim;
        Ok(Some((turn, reach)))
    }

    /// Returns the turn to execute a command on this thread, if its wait list is complete and the queue is
    /// idle. If `wait` is set, waits for that first. Returns `None` if a command is unfinished, or other threads keep the
    /// queue busy, so that the GPU must execute the command.
    pub(super) fn host_turn(self: &Arc<Self>, waits: Waits<'_>, wait: bool) -> Result<Option<Turn<'_>>> {
        if wait {
            if !waits.list.is_empty() {
                Event::wait_all(waits.list)?;
            }
            self.wait_for_earlier()?;
        }
        if waits.list.iter().any(|e| e.phase() != Phase::Complete) {
            return Ok(None);
        }
        self.poll();
        let state = self.lock_for_command();
        self.check_usable()?;
        Ok(state.is_idle().then(|| self.take_turn(state)))
    }

    /// Returns whether no command of the queue is unfinished at this moment.
    pub(super) fn is_idle(&self) -> bool {
        self.poll();
        self.state.lock_soon().is_idle()
    }

    /// Executes a command on this thread, in its turn. Returns the command's event.
    pub(super) fn execute_on_host(
        self: &Arc<Self>,
        turn: Turn<'_>,
        command: &HostCommand,
        waits: Waits<'_>,
        work: impl FnOnce(),
    ) -> Option<Arc<Event>> {
        let start = now();
        let event = waits.want_event.then(|| Event::of_command(self, command.kind()));
        self.observe_host(command, work);
        drop(turn);
        if let Some(event) = &event {
            let mut effects = Effects::default();
            event.completed(Some((start, now())), &mut effects);
            effects.run();
        }
        event
    }

    /// Returns whether the writes of the queue's completed commands to a buffer are visible to the host through
    /// the BAR mapping. From this call on, the queue makes them visible.
    pub(super) fn makes_visible(&self, buffer: &Buffer) -> bool {
        use std::sync::atomic::Ordering;
        buffer.expect_host_access();
        let Some(invisible) = buffer.invisible_since(self.number) else {
            return false;
        };
        if self.visible.load(Ordering::Acquire) >= invisible {
            return true;
        }
        // A barrier at the end of the open batch also makes the writes of all earlier batches visible.
        let mut state = self.state.lock();
        match &mut state.open {
            Some(open) if open.commands > 0 => {
                open.to_host = true;
                true
            }
            Some(_) | None => self.visible.load(Ordering::Acquire) >= invisible,
        }
    }

    /// Places a transfer in chunks as one command: records the chunks one after the other in one turn, or
    /// defers the whole transfer.
    pub(super) fn place_chunks(
        self: &Arc<Self>,
        incoming: Incoming<'_>,
        order: Order<'_>,
        event: Option<&Arc<Event>>,
        effects: &mut Effects,
    ) -> Result<Placed> {
        let mut state = self.lock_for_command();
        let start = match self.admit(&mut state, &incoming, order, effects)? {
            Admission::Record(start) => start,
            Admission::Defer { check_now } => {
                return Ok(self.defer(&mut state, incoming, order, event, check_now, effects));
            }
            Admission::Failed(code) => return Ok(Placed::failed(code, event, effects)),
        };
        let turn = self.take_turn(state);
        let Incoming::Command(Command::Transfer(transfer)) = incoming else {
            unreachable!("only transfers are chunked");
        };
        let mut chunks = Chunks::new(self, &transfer, event);
        let list = order.list;
        loop {
            let recorded = {
                let mut state = self.state.lock_soon();
                let recorded = chunks.record_next(self, &mut state, (list, &start), effects);
                recorded.map_err(|e| (e, state.last))
            };
            match recorded {
                Ok(true) => self.retire_completed(self.has_many_in_flight()),
                Ok(false) => break,
                Err((e, last)) => {
                    // The earlier chunks may store into the application's memory, which may be freed when this
                    // call returns.
                    if last > 0 {
                        self.wait_for(last);
                    }
                    return Err(e);
                }
            }
        }
        drop(turn);
        Ok(Placed::Recorded)
    }
}

/// A transfer that is being recorded chunk by chunk.
pub(super) struct Chunks {
    left: std::vec::IntoIter<Transfer>,
    /// The transfer's event, which completes with the last chunk.
    event: Option<Arc<Event>>,
    /// The first chunk's event, whose times are those of the transfer's start, if the commands get time stamps.
    first: Option<Arc<Event>>,
    /// Whether the first chunk has been recorded.
    begun: bool,
}

impl Chunks {
    pub(super) fn new(queue: &Arc<CommandQueue>, transfer: &Transfer, event: Option<&Arc<Event>>) -> Chunks {
        let timed = event.filter(|_| queue.is_timed());
        Chunks {
            left: transfer.chunks(&queue.logical.tuning().chunks).into_iter(),
            event: event.map(Arc::clone),
            first: timed.map(|e| Event::of_command(queue, e.command_type())),
            begun: false,
        }
    }

    /// Records the next chunk and submits it; the last one is not submitted, and the result is `false`. The
    /// first chunk waits for the events that the command waits for. After an error, no further chunk may be
    /// recorded.
    pub(super) fn record_next(
        &mut self,
        queue: &Arc<CommandQueue>,
        state: &mut super::State,
        (list, start): (&[Arc<Event>], &Start),
        effects: &mut Effects,
    ) -> Result<bool> {
        let Some(chunk) = self.left.next() else {
            return Ok(false);
        };
        queue.check_usable()?;
        let last = self.left.len() == 0;
        let list = if self.begun { &[][..] } else { list };
        let start = &Start {
            others: if self.begun {
                Vec::new()
            } else {
                start.others.clone()
            },
            claim: start.claim.clone(),
        };
        let event = match (last, self.begun) {
            (true, _) => self.event.as_ref(),
            (false, false) => self.first.as_ref(),
            (false, true) => None,
        };
        let incoming = Incoming::Command(Command::Transfer(chunk));
        queue.record(state, &incoming, (list, start), event, effects)?;
        let begun = std::mem::replace(&mut self.begun, true);
        if last {
            if let (Some(event), Some(first), true) = (&self.event, self.first.take(), begun) {
                event.begins_with(first);
            }
            return Ok(false);
        }
        queue.submit(state, effects)?;
        Ok(true)
    }
}

/// Returns the error of a call whose command failed with this number.
pub(super) fn execution_error(number: i32) -> Error {
    let code = ClCode::ALL
        .iter()
        .copied()
        .find(|c| c.number() == number)
        .unwrap_or(ClCode::ExecStatusErrorForEventsInWaitList);
    Error::new(code, "the command failed")
}
