//! What the calls for shared virtual memory (CL 2.0, 5.6) and for unified shared memory (cl_intel_unified_shared_memory) have
//! in common: both are allocations that commands and kernels access by address.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::kernel::Kernel;
use caldera_runtime::mem::svm::SvmPlace;
use caldera_runtime::mem::usm::UsmKind;
use caldera_runtime::queue::{CommandQueue, SvmSide};

use super::enqueue::EventArgs;
use crate::abi::*;
use crate::args::{Array, Host, Ptr};
use crate::handle;

/// The size of the largest data type, `long16`.
const LARGEST: u32 = 128;

/// An interface to memory that is accessed by address.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Interface {
    /// Shared virtual memory.
    Svm,
    /// Unified shared memory.
    Usm,
}

impl Interface {
    /// Returns CL_INVALID_VALUE.
    pub(super) fn invalid(self, what: &'static str) -> Error {
        let error = Error::new(ClCode::InvalidValue, what);
        match self {
            Interface::Svm => error.at("2.0 5.6.1"),
            Interface::Usm => error,
        }
    }

    /// Checks that the context has such memory: INVALID_OPERATION if its device does not support it
    fn check(self, context: &Context) -> Result<()> {
        match self {
            Interface::Svm => context.check_svm(),
            Interface::Usm => context.check_usm(UsmKind::Device),
        }
    }

    /// Checks the alignment of an allocation: INVALID_VALUE if it is not 0 or a power of two, or greater than the size of the
    /// largest data type
    pub(super) fn check_alignment(self, alignment: u32) -> Result<()> {
        match alignment == 0 || alignment.is_power_of_two() && alignment <= LARGEST {
            true => Ok(()),
            false => Err(self.invalid("alignment")),
        }
    }

    /// Checks migration flags: INVALID_VALUE if they are not valid
    pub(super) fn check_migration(self, flags: cl_mem_migration_flags) -> Result<()> {
        match flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) {
            0 => Ok(()),
            _ => Err(self.invalid("flags")),
        }
    }

    /// Returns the place of a range in an allocation, if the address is in one. INVALID_VALUE if the range is not within it
    fn find(self, context: &Context, address: usize, size: usize) -> Result<Option<SvmPlace>> {
        let usm = match self {
            Interface::Svm => None,
            Interface::Usm => context.find_usm(address).map(|(place, _)| place),
        };
        let Some(place) = usm.or_else(|| context.find_svm(address)) else {
            return Ok(None);
        };
        let end = (place.offset as u64).checked_add(size as u64);
        match end.is_some_and(|end| end <= place.buffer.size()) {
            true => Ok(Some(place)),
            false => Err(self.invalid("beyond the end of the allocation")),
        }
    }

    /// Returns the place of a range. INVALID_VALUE if the pointer is NULL, or the range is not within an allocation
    pub(super) fn place(self, context: &Context, address: usize, size: usize) -> Result<SvmPlace> {
        let found = self.find(context, address, size)?;
        found.ok_or_else(|| self.invalid("not a pointer to an allocation"))
    }

    /// Returns one side of a copy. INVALID_VALUE if dst_ptr or src_ptr is NULL
    fn side(self, context: &Context, host: Host, size: usize) -> Result<SvmSide> {
        let ptr = host.ptr().ok_or_else(|| self.invalid("a pointer is NULL"))?;
        Ok(match self.find(context, ptr.address(), size)? {
            Some(place) => SvmSide::Shared(place),
            None => SvmSide::Host(ptr),
        })
    }

    /// Sets an argument of a kernel to an address.
    pub(super) fn set_argument(self, kernel: Ptr<c_void>, index: cl_uint, value: Ptr<c_void>) -> Result<()> {
        let kernel = handle::borrow::<Kernel>(kernel)?;
        self.check(kernel.context())?;
        kernel.set_shared(index, value.raw().addr() as u64)
    }

    /// Takes the arguments that all commands on such memory have.
    pub(super) fn command(
        self,
        command_queue: Ptr<c_void>,
        event_wait_list: Array<cl_event>,
        event: Ptr<cl_event>,
    ) -> Result<MemoryCommand> {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        self.check(queue.context())?;
        Ok(MemoryCommand {
            events: EventArgs::new(&queue, &[], event_wait_list, event)?,
            queue,
            interface: self,
        })
    }
}

/// A command on such memory.
pub(super) struct MemoryCommand {
    pub(super) queue: Arc<CommandQueue>,
    pub(super) events: EventArgs,
    interface: Interface,
}

impl MemoryCommand {
    /// Returns the place of a range, as [`Interface::place`] does.
    pub(super) fn place(&self, address: usize, size: usize) -> Result<SvmPlace> {
        self.interface.place(self.queue.context(), address, size)
    }

    /// Enqueues a command that only waits for its wait list.
    pub(super) fn nothing(&self, kind: CommandType) -> Result<()> {
        let waits = self.events.waits()?;
        self.events.finish(self.queue.enqueue_empty(kind, waits))
    }

    /// Enqueues a fill. INVALID_VALUE if pattern is NULL
    pub(super) fn fill(
        &self,
        kind: CommandType,
        to: Ptr<c_void>,
        pattern: Option<&[u8]>,
        size: usize,
    ) -> Result<()> {
        // CL 3.0, 5.6.1: without bytes, the command only waits for its wait list.
        if size == 0 && !to.is_null() {
            return self.nothing(kind);
        }
        let to = self.place(to.raw().addr(), size)?;
        let pattern = pattern.ok_or_else(|| self.interface.invalid("pattern is NULL"))?;
        let fill = self.queue.prepare_svm_fill(kind, &to, pattern, size)?;
        let waits = self.events.waits()?;
        self.events.finish(self.queue.enqueue_prepared(fill, waits))
    }

    /// Enqueues a copy between allocations, or between an allocation and other memory of the application.
    pub(super) fn copy(
        &self,
        kind: CommandType,
        blocking: cl_bool,
        to: Host,
        from: Host,
        size: usize,
    ) -> Result<()> {
        // CL 3.0, 5.6.1: without bytes, the command only waits for its wait list.
        let has_pointers = to.ptr().is_some() && from.ptr().is_some();
        if size == 0 && (has_pointers || self.interface == Interface::Svm) {
            return self.nothing(kind);
        }
        let context = self.queue.context();
        let to = self.interface.side(context, to, size)?;
        let from = self.interface.side(context, from, size)?;
        let waits = self.events.waits()?;
        let enqueued = (self.queue).enqueue_svm_copy(kind, &from, &to, size, blocking != 0, waits);
        self.events.finish(enqueued)
    }
}
