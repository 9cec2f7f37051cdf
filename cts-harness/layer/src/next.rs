//! The functions of the implementation (or of the next layer), and queries about its objects.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use crate::names::{Queries, text};
use crate::record::{Command, State};
use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// A table of functions. The fields are `None` for functions that do not exist.
pub(crate) type Table = _cl_icd_dispatch;

/// The number of functions in a table.
pub(crate) const FUNCTIONS: usize = size_of::<Table>() / size_of::<usize>();

struct Next(Table);

// SAFETY: the table consists of addresses of functions that any thread may call, and is never changed.
unsafe impl Send for Next {}
// SAFETY: as above.
unsafe impl Sync for Next {}

static NEXT: OnceLock<Next> = OnceLock::new();

/// Returns a table without functions.
pub(crate) fn empty() -> Table {
    // SAFETY: the table consists of optional functions and addresses, of which none is there if all bytes are zero.
    unsafe { std::mem::zeroed() }
}

/// Keeps the functions of the implementation.
///
/// # Safety
///
/// `table` must be the dispatch table of a loader, with `count` functions that stay valid until the process ends.
pub(crate) unsafe fn keep(table: *const Table, count: usize) {
    let mut own = empty();
    let count = count.min(FUNCTIONS);
    // SAFETY: the loader's table has `count` functions, and `own` has at least as many.
    unsafe { std::ptr::copy_nonoverlapping(table.cast::<usize>(), (&raw mut own).cast(), count) };
    let _ = NEXT.set(Next(own));
}

/// Returns the functions of the implementation; none before the loader has given them.
pub(crate) fn table() -> Option<&'static Table> {
    NEXT.get().map(|next| &next.0)
}

/// Calls a function of the implementation. The value is `$otherwise` if it does not exist.
macro_rules! next {
    ($name:ident($($arg:expr),* $(,)?), $otherwise:expr) => {
        match crate::next::table().and_then(|table| table.$name) {
            #[allow(clippy::macro_metavars_in_unsafe, reason = "the arguments of a foreign function")]
            // SAFETY: the arguments are those of the program, or handles that are valid as the caller's comment says,
            // with memory that is large enough.
            Some(function) => unsafe { function($($arg),*) },
            None => $otherwise,
        }
    };
}
pub(crate) use next;

/// Makes a query: once for the size of the answer, and once for the answer, which is empty if the query fails.
macro_rules! answer {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut size = 0;
        let code = next!($name($($arg,)* 0, null_mut(), &raw mut size), CL_INVALID_OPERATION);
        let mut bytes = vec![0u8; if code == CL_SUCCESS { size } else { 0 }];
        let to = bytes.as_mut_ptr().cast::<c_void>();
        let code = next!($name($($arg,)* bytes.len(), to, null_mut()), CL_INVALID_OPERATION);
        if code != CL_SUCCESS {
            bytes.clear();
        }
        bytes
    }};
}

/// Returns a number of the machine's word size or of 4 or 8 bytes.
fn number(answer: &[u8]) -> Option<u64> {
    match *answer {
        [a, b, c, d] => Some(u64::from(u32::from_ne_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] => Some(u64::from_ne_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}

/// A reference to an event.
pub(crate) struct Event(cl_event);

// SAFETY: OpenCL allows every thread to use an event.
unsafe impl Send for Event {}

impl Event {
    /// Takes over a reference to an event.
    ///
    /// # Safety
    ///
    /// The caller must own the reference, and `event` must be valid.
    pub(crate) unsafe fn owned(event: cl_event) -> Event {
        Event(event)
    }

    /// Adds a reference to an event.
    ///
    /// # Safety
    ///
    /// `event` must be valid.
    pub(crate) unsafe fn shared(event: cl_event) -> Event {
        next!(clRetainEvent(event), CL_SUCCESS);
        Event(event)
    }

    fn time(&self, what: cl_profiling_info) -> Option<u64> {
        number(&answer!(clGetEventProfilingInfo(self.0, what)))
    }
}

impl Command for Event {
    fn state(&self) -> State {
        let status = answer!(clGetEventInfo(self.0, CL_EVENT_COMMAND_EXECUTION_STATUS));
        match number(&status).map(|s| s as u32 as cl_int) {
            Some(CL_COMPLETE) => {
                let start = self.time(CL_PROFILING_COMMAND_START);
                let end = self.time(CL_PROFILING_COMMAND_END);
                let time = start.zip(end).and_then(|(start, end)| end.checked_sub(start));
                time.map_or(State::Untimed, State::Done)
            }
            Some(status) if status > CL_COMPLETE => State::Pending,
            _ => State::Untimed,
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        next!(clReleaseEvent(self.0), CL_SUCCESS);
    }
}

/// A kernel object and the device of the queue to which it is launched.
pub(crate) struct KernelOnDevice {
    kernel: cl_kernel,
    device: cl_device_id,
}

impl KernelOnDevice {
    /// # Safety
    ///
    /// Both handles must be valid as long as the value exists.
    pub(crate) unsafe fn new(kernel: cl_kernel, queue: cl_command_queue) -> KernelOnDevice {
        let device = answer!(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE));
        KernelOnDevice {
            kernel,
            device: handle(&device),
        }
    }

    fn program(&self) -> cl_program {
        handle(&answer!(clGetKernelInfo(self.kernel, CL_KERNEL_PROGRAM)))
    }

    /// Returns the names of platform, device and driver.
    pub(crate) fn device(&self) -> [String; 3] {
        let ask = |what| answer!(clGetDeviceInfo(self.device, what));
        let platform: cl_platform_id = handle(&ask(CL_DEVICE_PLATFORM));
        let platform = answer!(clGetPlatformInfo(platform, CL_PLATFORM_NAME));
        [platform, ask(CL_DEVICE_NAME), ask(CL_DRIVER_VERSION)].map(|t| text(&t).trim().to_owned())
    }
}

impl Queries for KernelOnDevice {
    fn name(&self) -> Vec<u8> {
        answer!(clGetKernelInfo(self.kernel, CL_KERNEL_FUNCTION_NAME))
    }

    fn program(&self) -> usize {
        KernelOnDevice::program(self).addr()
    }

    fn source(&self) -> Vec<u8> {
        answer!(clGetProgramInfo(KernelOnDevice::program(self), CL_PROGRAM_SOURCE))
    }

    fn options(&self) -> Vec<u8> {
        let program = KernelOnDevice::program(self);
        answer!(clGetProgramBuildInfo(
            program,
            self.device,
            CL_PROGRAM_BUILD_OPTIONS
        ))
    }
}

/// Returns the handle in an answer; null if the query failed, which every function that takes a handle refuses.
fn handle<T>(answer: &[u8]) -> *mut T {
    let address = answer.try_into().map_or(0, usize::from_ne_bytes);
    std::ptr::with_exposed_provenance_mut(address)
}

/// Returns the bytes of an element of an image.
///
/// # Safety
///
/// `image` must be valid.
pub(crate) unsafe fn element_size(image: cl_mem) -> Option<usize> {
    number(&answer!(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE))).map(|n| n as usize)
}
