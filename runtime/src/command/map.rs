//! clEnqueueMapBuffer and clEnqueueUnmapMemObject (CL 5.2.4, 5.4.2).
//!
//! If the storage is mapped, or is the application's memory (CL_MEM_USE_HOST_PTR, imported), a mapping is the
//! storage itself. Otherwise it is a copy: in the application's memory, if that was not imported, or in the
//! buffer's mirror.

use std::ops::Range;
use std::sync::Arc;

use super::HostRange;
use super::buffer::{HostTransfer, access};
use super::rect::{Layout, Rows};
use crate::error::Result;
use crate::mem::claim::Hold;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr, HostPtrUse, bar_mapping};
use crate::queue::{Keep, Recording};
use crate::vk;

/// The host memory in which a mapping appears.
pub(crate) enum Window {
    /// The storage itself.
    Storage(HostPtr),
    /// The mirror, at the root's offsets.
    Mirror(HostPtr),
    /// The application's memory, or plain host memory of the runtime ([`Buffer::host_copy`]).
    Application(HostPtr),
}

impl Window {
    /// Returns the window of a mapping that starts at an offset in the buffer.
    pub(crate) fn of(buffer: &Buffer, device: usize, offset: u64) -> Result<Window> {
        let in_root = buffer.offset() + offset;
        let is_storage = buffer.storage(device)?.is_imported() || buffer.uses_svm();
        if buffer.flags().host_ptr == HostPtrUse::Use && !is_storage {
            let host = buffer
                .host_ptr()
                .expect("CL_MEM_USE_HOST_PTR comes with a pointer");
            return Ok(Window::Application(host.offset(offset)));
        }
        if let Some(mapped) = buffer.storage(device)?.mapped() {
            return Ok(Window::Storage(mapped.offset(in_root)));
        }
        // The mirror exists on one device only.
        if buffer.is_large(device) || buffer.context().devices().len() > 1 {
            return Ok(Window::Application(buffer.host_copy()?.offset(in_root)));
        }
        let mapped = buffer.mirror(device)?.mapped().expect("host memory is mapped");
        Ok(Window::Mirror(mapped.offset(in_root)))
    }

    /// Returns what keeps contents in place while the application may store through the window, which `write` tells.
    pub(crate) fn hold(
        &self,
        buffer: &Arc<Buffer>,
        rows: Rows,
        device: usize,
        write: bool,
    ) -> Option<Arc<Hold>> {
        match self {
            Window::Storage(_) if write => Hold::new(buffer, rows, device),
            Window::Storage(_) | Window::Mirror(_) | Window::Application(_) => None,
        }
    }

    /// Returns whether the mapping is not in the storage, so that contents are copied.
    pub(super) fn is_apart(&self) -> bool {
        !matches!(self, Window::Storage(_))
    }

    /// Returns the address that the application gets.
    pub(crate) fn ptr(&self) -> HostPtr {
        match self {
            Window::Storage(p) | Window::Mirror(p) | Window::Application(p) => *p,
        }
    }
}

/// The start of a mapping (clEnqueueMapBuffer).
pub(crate) struct Map {
    pub buffer: Arc<Buffer>,
    pub rows: Rows,
    /// Whether the mapping must show the current contents.
    pub fetch: bool,
    /// The ranges of the buffer that the application has already mapped for writing at the same addresses, sorted by their
    /// starts. What it has stored there must not be replaced by the current contents.
    pub kept: Vec<Range<u64>>,
    pub window: Window,
    /// The hold on the contents, if the application may store into the storage of one of several devices.
    pub hold: Option<Arc<Hold>>,
}

impl Map {
    /// Returns the ranges of [`Map::kept`] for rows whose mapping begins at `window`.
    pub(crate) fn kept_in(buffer: &Buffer, rows: Rows, window: &Window) -> Vec<Range<u64>> {
        if !window.is_apart() {
            return Vec::new();
        }
        let first = buffer.offset();
        let range = first + rows.start..first + rows.end();
        let written = buffer.maps().lock().written(window.ptr().address(), &range);
        let inside = |range: Range<u64>| range.start.saturating_sub(first)..range.end - first;
        written.into_iter().map(inside).collect()
    }

    /// Returns the BAR mapping of the mapped range, if the host may fetch the contents from there into the
    /// mirror.
    pub(crate) fn through_bar(&self, device: usize) -> Result<Option<HostPtr>> {
        let longest = |t: &vk::Tuning| if self.fetch { t.bar_read } else { u64::MAX };
        in_bar(&self.buffer, &self.rows, &self.window, longest, device)
    }

    /// Fetches the contents from the BAR mapping, on this thread.
    pub(crate) fn by_host(&self, storage: HostPtr) {
        for part in self.fetched() {
            let at = part.start - self.rows.start;
            bar_mapping::read(storage.offset(at), self.window.ptr().offset(at), part.width);
        }
    }

    /// Returns the rows whose contents are copied to the mapping.
    fn fetched(&self) -> Vec<Rows> {
        if !self.fetch {
            return Vec::new();
        }
        if self.kept.is_empty() {
            return vec![self.rows];
        }
        let mut parts = Vec::new();
        for n in 0..self.rows.count {
            let mut start = self.rows.start + n * self.rows.pitch;
            let end = start + self.rows.width;
            for kept in self.kept.iter().filter(|kept| kept.start < end) {
                if start < kept.start {
                    parts.push(Rows::line(start, kept.start - start));
                }
                start = start.max(kept.end);
            }
            if start < end {
                parts.push(Rows::line(start, end - start));
            }
        }
        parts
    }

    /// Returns how it uses the buffer's contents.
    pub(super) fn touch(&self) -> Option<Touch> {
        self.fetch.then(|| self.rows.touch(&self.buffer, Use::Read))
    }

    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        // This also makes earlier writes visible to the host if nothing is copied.
        r.make_visible_to_host();
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        if let Some(hold) = &self.hold {
            hold.begin();
        }
        if !self.fetch {
            return Ok(());
        }
        match &self.window {
            // Earlier commands may still write the contents that the application will read there.
            Window::Storage(host) => {
                r.stores(self.rows.host_range(*host));
                Ok(())
            }
            Window::Application(host) => {
                let part = |rows: &Rows| {
                    let host = host.offset(rows.start - self.rows.start);
                    rows_transfer(&self.buffer, rows, host).record_read(r)
                };
                self.fetched().iter().try_for_each(part)
            }
            Window::Mirror(host) => {
                let (from, to) = (self.buffer.storage(r.device())?, self.buffer.mirror(r.device())?);
                for rows in self.fetched() {
                    copy_rows(r, &self.buffer, rows, from, to, false);
                }
                r.stores(self.rows.host_range(*host));
                Ok(())
            }
        }
    }
}

/// The end of a mapping (clEnqueueUnmapMemObject).
pub(crate) struct Unmap {
    pub buffer: Arc<Buffer>,
    pub rows: Rows,
    /// Whether the application may have written.
    pub write: bool,
    /// The host memory of the mapping.
    pub window: Window,
    /// The device that the window belongs to.
    pub device: usize,
    /// The hold that began with the mapping, which this command ends.
    pub hold: Option<Arc<Hold>>,
}

impl Unmap {
    /// Returns the BAR mapping of the mapped range, if the host may store the mirror's contents there.
    pub(crate) fn through_bar(&self, device: usize) -> Result<Option<HostPtr>> {
        let longest = |t: &vk::Tuning| if self.write { t.bar_write } else { u64::MAX };
        in_bar(&self.buffer, &self.rows, &self.window, longest, device)
    }

    /// Stores the contents through the BAR mapping, on this thread.
    pub(crate) fn by_host(&self, storage: HostPtr) {
        if self.write {
            bar_mapping::write(self.window.ptr(), storage, self.rows.width);
        }
    }

    /// Returns how it uses the buffer's contents.
    pub(super) fn touch(&self) -> Option<Touch> {
        self.write.then(|| self.rows.touch(&self.buffer, Use::Replace))
    }

    /// Returns the device whose storage has the contents afterwards: that of the mapping, or the one that they
    /// are copied to.
    pub(super) fn place(&self, device: usize) -> usize {
        match &self.window {
            Window::Storage(_) => self.device,
            Window::Mirror(_) | Window::Application(_) => device,
        }
    }

    /// Implements [`super::Command::ended_mapping`].
    pub(super) fn ended_mapping(&self) -> Option<HostRange> {
        match &self.window {
            Window::Storage(host) | Window::Mirror(host) if self.write => Some(self.rows.host_range(*host)),
            Window::Application(_) | Window::Storage(_) | Window::Mirror(_) => None,
        }
    }

    /// Implements [`super::Command::host_source`].
    pub(super) fn host_source(&self) -> Option<HostRange> {
        match &self.window {
            Window::Application(host) if self.write => Some(self.rows.host_range(*host)),
            Window::Application(_) | Window::Storage(_) | Window::Mirror(_) => None,
        }
    }

    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        if let Some(hold) = &self.hold {
            hold.end();
        }
        if !self.write {
            return Ok(());
        }
        match &self.window {
            // Host writes are visible to commands submitted later.
            Window::Storage(_) => Ok(()),
            Window::Application(host) => rows_transfer(&self.buffer, &self.rows, *host).record_write(r),
            Window::Mirror(_) => {
                let (from, to) = (self.buffer.mirror(r.device())?, self.buffer.storage(r.device())?);
                copy_rows(r, &self.buffer, self.rows, from, to, true);
                Ok(())
            }
        }
    }
}

/// Returns the BAR mapping of rows of a buffer, if the application's mapping is in the mirror and no longer
/// than `longest`.
fn in_bar(
    buffer: &Buffer,
    rows: &Rows,
    window: &Window,
    longest: impl FnOnce(&vk::Tuning) -> u64,
    device: usize,
) -> Result<Option<HostPtr>> {
    match window {
        Window::Mirror(_) if rows.count == 1 => {
            let storage = buffer.storage(device)?;
            let mapping = storage.bar_mapping();
            let short = mapping.filter(|_| rows.width <= longest(storage.device().tuning()));
            Ok(short.map(|a| a.offset(buffer.offset() + rows.start)))
        }
        Window::Mirror(_) | Window::Storage(_) | Window::Application(_) => Ok(None),
    }
}

/// Returns the transfer between rows of a buffer and host memory whose first byte corresponds to the first row.
fn rows_transfer(buffer: &Arc<Buffer>, rows: &Rows, host: HostPtr) -> HostTransfer {
    HostTransfer {
        buffer: Arc::clone(buffer),
        layout: rows.layout(),
        host,
        host_layout: Layout {
            start: 0,
            ..rows.layout()
        },
        region: rows.region(),
        pinned: None,
    }
}

/// Copies rows of a buffer between its storage and its mirror, one of which is `from` and the other `to`. `write` tells
/// whether `to` is the storage.
fn copy_rows(
    r: &mut Recording<'_>,
    buffer: &Buffer,
    rows: Rows,
    from: &vk::Buffer,
    to: &vk::Buffer,
    write: bool,
) {
    r.access(&[access(buffer, rows.start, rows.end(), write)], false);
    let rows = rows.merged();
    let regions = rows.starts().map(|start| {
        let at = buffer.offset() + start;
        vk::CopyRegion {
            src: at,
            dst: at,
            size: rows.width,
        }
    });
    r.recorder().copy(from, to, regions);
}
