//! Handles that each own one reference, and memory that commands use.
#![allow(
    unsafe_code,
    reason = "OpenCL is a C interface, and its commands use memory after the call"
)]

use super::cl::{Cl, call, done, expect};
use crate::Failure;
use opencl_sys::CL_SUCCESS;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

/// The type of an OpenCL object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Context,
    Queue,
    Mem,
    Program,
    Kernel,
    Event,
}

/// A handle to an OpenCL object. It owns one reference.
pub(super) struct Handle {
    cl: &'static Cl,
    raw: *mut c_void,
    kind: Kind,
}

// SAFETY: OpenCL's objects may be used from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over the reference that a call returned.
    pub(super) fn new(cl: &'static Cl, raw: *mut c_void, kind: Kind) -> Handle {
        Handle { cl, raw, kind }
    }

    /// Returns the type of the object.
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the C handle.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// Sets the status of a user event.
    pub(super) fn set_status(&self, status: opencl_sys::cl_int) -> Result<(), Failure> {
        self.cl.set_status(self, status)
    }

    fn count(&self, retain: bool) -> Result<(), Failure> {
        let (cl, raw) = (self.cl, self.raw);
        match (self.kind, retain) {
            (Kind::Context, true) => done!(cl, clRetainContext(raw)),
            (Kind::Context, false) => done!(cl, clReleaseContext(raw)),
            (Kind::Queue, true) => done!(cl, clRetainCommandQueue(raw)),
            (Kind::Queue, false) => done!(cl, clReleaseCommandQueue(raw)),
            (Kind::Mem, true) => done!(cl, clRetainMemObject(raw)),
            (Kind::Mem, false) => done!(cl, clReleaseMemObject(raw)),
            (Kind::Program, true) => done!(cl, clRetainProgram(raw)),
            (Kind::Program, false) => done!(cl, clReleaseProgram(raw)),
            (Kind::Kernel, true) => done!(cl, clRetainKernel(raw)),
            (Kind::Kernel, false) => done!(cl, clReleaseKernel(raw)),
            (Kind::Event, true) => done!(cl, clRetainEvent(raw)),
            (Kind::Event, false) => done!(cl, clReleaseEvent(raw)),
        }
        Ok(())
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        if let Err(Failure(why)) = self.count(true) {
            crate::progress::error(&why);
            std::process::abort();
        }
        Handle { ..*self }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(Failure(why)) = self.count(false) {
            crate::progress::error(&why);
            std::process::abort();
        }
    }
}

/// Whether memory that is given back is watched: any later access to it then ends the process.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Starts to watch memory that is given back.
pub(super) fn watch_memory() {
    WATCHED.store(true, Ordering::SeqCst);
}

/// Memory of the application that commands read and write.
pub(super) struct Memory {
    at: *mut [u8],
    /// The size in bytes of the whole pages that this memory was given, or 0 if it has none of its own.
    pages: usize,
}

// SAFETY: events order all uses of the bytes.
unsafe impl Send for Memory {}

/// Maps anonymous private pages at the address `at`, or anywhere if it is null.
fn pages(at: *mut c_void, size: usize, protection: i32, fixed: i32) -> *mut c_void {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: the call maps new pages, or replaces pages that their owner gives up.
    let at = unsafe { libc::mmap(at, size, protection, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED, "mmap");
    at
}

impl Memory {
    /// Makes memory with these contents.
    pub(super) fn new(bytes: Vec<u8>) -> Memory {
        if !WATCHED.load(Ordering::SeqCst) {
            let at = Box::into_raw(bytes.into_boxed_slice());
            return Memory { at, pages: 0 };
        }
        let all = bytes.len().max(1).next_multiple_of(4096);
        let place: *mut u8 = pages(null_mut(), all, libc::PROT_READ | libc::PROT_WRITE, 0).cast();
        // SAFETY: the pages are new and have at least this number of bytes.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let at = std::ptr::slice_from_raw_parts_mut(place, bytes.len());
        Memory { at, pages: all }
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Returns the contents. No command may be using the memory.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the pointer is to a box or to pages that `self` owns.
        unsafe { &*self.at }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.pages > 0 {
            // The pages stay reserved, so that no later allocation gets this address, and every access to
            // them faults.
            pages(self.at.cast(), self.pages, libc::PROT_NONE, libc::MAP_FIXED);
            return;
        }
        // SAFETY: the pointer is from `Box::into_raw`, and `drop` runs once.
        drop(unsafe { Box::from_raw(self.at) });
    }
}

/// A mapped range of a memory object. [`Cl::unmap`] unmaps it.
pub(super) struct Mapped {
    at: *mut u8,
    size: usize,
}

impl Mapped {
    /// Makes the mapping of `size` bytes at an address that a map command has returned.
    pub(super) fn new(at: *mut u8, size: usize) -> Mapped {
        Mapped { at, size }
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Returns the mapped bytes. The map command must be complete.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the implementation returned this address for a mapping of `size` bytes.
        unsafe { std::slice::from_raw_parts(self.at, self.size) }
    }

    /// Stores into the mapped range. The map command must be complete and have been for writing.
    pub(super) fn store(&self, bytes: &[u8]) {
        // SAFETY: as above; the caller holds the object's lock, so no other thread stores there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len().min(self.size)) };
    }
}
