//! The host's part of a batch: what it does when the GPU has completed the batch, and which host memory the batch
//! stores into until then.

use std::sync::Arc;

use crate::command::HostRange;
use crate::command::rect::Layout;
use crate::context::Context;
use crate::error::ClCode;
use crate::event::{Effects, Event};
use crate::mem::HostPtr;
use crate::mem::host_stores::{Entry, HostStores, Storer};
use crate::printf::Output;

/// A copy out of mapped memory by the host.
pub(crate) struct HostCopy {
    pub from: HostPtr,
    pub from_layout: Layout,
    pub to: HostPtr,
    pub to_layout: Layout,
    pub region: [u64; 3],
}

impl HostCopy {
    /// Returns the range of host addresses from the first byte stored to the last.
    fn target(&self) -> HostRange {
        let [w, h, d] = self.region;
        let last = self.to_layout.row(h - 1, d - 1) + w;
        let to = self.to.address();
        (to + self.to_layout.start as usize, to + last as usize)
    }
}

/// The host work of a batch, and the stores of its commands into host memory.
#[derive(Default)]
pub(super) struct HostWork {
    copies: Vec<HostCopy>,
    /// The ranges of host addresses that the GPU stores into.
    stores: Vec<HostRange>,
    /// The entries in the context's table for `copies` and `stores`.
    entries: Vec<Entry>,
    /// The printf buffers to be printed.
    printed: Vec<Output>,
}

impl HostWork {
    /// Adds a copy. The batch keeps the source memory alive.
    pub(super) fn copy(&mut self, copy: HostCopy, table: &HostStores) {
        self.entries.push(table.add(copy.target(), Storer::Host));
        self.copies.push(copy);
    }

    /// Notes that the GPU stores into a range of host addresses.
    pub(super) fn stores(&mut self, range: HostRange, table: &HostStores) {
        self.entries.push(table.add(range, Storer::Gpu));
        self.stores.push(range);
    }

    /// Adds a printf buffer.
    pub(super) fn print_later(&mut self, output: Output) {
        self.printed.push(output);
    }

    /// Makes the copies, after the GPU has completed the batch.
    pub(super) fn copy_all(&mut self, table: &HostStores) {
        for f in self.copies.drain(..) {
            f.from.copy_rect_to(&f.from_layout, f.to, &f.to_layout, f.region);
        }
        self.leave(table);
    }

    /// Prints the printf buffers.
    pub(super) fn print_all(&mut self) {
        for output in self.printed.drain(..) {
            output.print();
        }
    }

    /// Reports what the checks of kernels have found. Returns the number of findings.
    pub(super) fn report_findings(&self, told: &mut dyn FnMut(String)) -> u64 {
        self.printed.iter().map(|output| output.report(told)).sum()
    }

    /// Drops all of it, because the batch has failed.
    pub(super) fn abandon(&mut self, table: &HostStores) {
        self.copies.clear();
        self.stores.clear();
        self.printed.clear();
        self.leave(table);
    }

    /// Removes the batch's entries from the table, because nothing will store into host memory for it any more.
    fn leave(&mut self, table: &HostStores) {
        table.remove(self.entries.drain(..));
    }

    /// Returns the number of bytes that are copied; `None` if there is nothing to copy.
    pub(super) fn bytes(&self) -> Option<u64> {
        let bytes = self.copies.iter().map(|f| f.region.iter().product::<u64>());
        (!self.copies.is_empty()).then(|| bytes.sum())
    }

    /// Returns whether the batch stores into a range of host addresses.
    pub(super) fn stores_into(&self, start: usize, end: usize) -> bool {
        let stores = self.stores.iter().copied();
        self.targets().chain(stores).any(|(s, e)| s < end && start < e)
    }

    /// Returns the ranges of host addresses that the copies store into.
    fn targets(&self) -> impl Iterator<Item = HostRange> {
        self.copies.iter().map(HostCopy::target)
    }

    /// Drops what is left after [`HostWork::copy_all`] and [`HostWork::print_all`], so that the storage can be
    /// reused.
    pub(super) fn clear(&mut self) {
        self.copies.clear();
        self.stores.clear();
        debug_assert!(self.entries.is_empty(), "retiring or failing has removed them");
        self.printed.clear();
    }
}

/// A batch whose host work is in progress.
pub(in crate::queue) struct Finishing {
    targets: Vec<HostRange>,
    /// The event that completes with the host work.
    pub event: Arc<Event>,
    /// The batch's value of the timeline.
    value: u64,
    /// Events that fail when the host work is done.
    failures: Vec<(Arc<Event>, ClCode)>,
}

impl Finishing {
    /// Returns the state of a batch during its host work; `None` if it copies nothing. `last` is the batch's last
    /// event.
    pub(super) fn new(
        work: &HostWork,
        value: u64,
        last: Option<Arc<Event>>,
        context: &Arc<Context>,
    ) -> Option<Finishing> {
        let targets: Vec<HostRange> = work.targets().collect();
        (!targets.is_empty()).then(|| Finishing {
            targets,
            // A user event has no queue, so no thread tries to poll one for it.
            event: last.unwrap_or_else(|| Event::user(context)),
            value,
            failures: Vec::new(),
        })
    }

    /// Returns whether the host work stores into a range of host addresses.
    pub(in crate::queue) fn stores_into(&self, start: usize, end: usize) -> bool {
        self.targets.iter().any(|(s, e)| *s < end && start < *e)
    }

    /// Makes an event fail as [`super::Batch::fail_when_done`] does.
    pub(in crate::queue) fn fail_when_done(
        &mut self,
        event: Arc<Event>,
        code: ClCode,
        effects: &mut Effects,
    ) {
        event.fails_at(self.value, effects);
        self.failures.push((event, code));
    }

    /// Completes the events, because the host work is done.
    pub(in crate::queue) fn done(self, effects: &mut Effects) {
        for (event, code) in self.failures {
            event.failed(code.number(), effects);
        }
        if !self.event.is_final() {
            self.event.completed(None, effects);
        }
    }
}
