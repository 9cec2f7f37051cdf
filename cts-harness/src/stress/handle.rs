//! Objects with one reference each, and memory that commands use.
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

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Context,
    Queue,
    Mem,
    Program,
    Kernel,
    Event,
}

/// An object, and one reference to it.
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

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// For user events.
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

/// Whether memory that is given back is watched: from then on whoever touches it ends the process.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// From here on memory that is given back is watched.
pub(super) fn watch_memory() {
    WATCHED.store(true, Ordering::SeqCst);
}

/// Bytes that commands read and write while the application lets them.
pub(super) struct Memory {
    at: *mut [u8],
    /// Bytes of whole pages of its own, if it has any.
    pages: usize,
}

// SAFETY: who uses the bytes when is ordered by events.
unsafe impl Send for Memory {}

/// Anonymous private pages at a place, or anywhere.
fn pages(at: *mut c_void, size: usize, protection: i32, fixed: i32) -> *mut c_void {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: new pages, or in the place of pages that their owner gives up.
    let at = unsafe { libc::mmap(at, size, protection, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED, "mmap");
    at
}

impl Memory {
    pub(super) fn new(bytes: Vec<u8>) -> Memory {
        if !WATCHED.load(Ordering::SeqCst) {
            let at = Box::into_raw(bytes.into_boxed_slice());
            return Memory { at, pages: 0 };
        }
        let all = bytes.len().max(1).next_multiple_of(4096);
        let place: *mut u8 = pages(null_mut(), all, libc::PROT_READ | libc::PROT_WRITE, 0).cast();
        // SAFETY: new pages, of so many bytes at least.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let at = std::ptr::slice_from_raw_parts_mut(place, bytes.len());
        Memory { at, pages: all }
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// What is there now; no command is using it.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: from a box or pages that this owns.
        unsafe { &*self.at }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.pages > 0 {
            // Nothing else comes to lie there, and nothing may be touched there any more.
            pages(self.at.cast(), self.pages, libc::PROT_NONE, libc::MAP_FIXED);
            return;
        }
        // SAFETY: made by `Box::into_raw`, given back once.
        drop(unsafe { Box::from_raw(self.at) });
    }
}

/// A mapped range; unmapped by [`Cl::unmap`].
pub(super) struct Mapped {
    at: *mut u8,
    size: usize,
}

impl Mapped {
    pub(super) fn new(at: *mut u8, size: usize) -> Mapped {
        Mapped { at, size }
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Once the map command is complete.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the implementation gave the address for so many bytes.
        unsafe { std::slice::from_raw_parts(self.at, self.size) }
    }

    /// Once the map command, for writing, is complete.
    pub(super) fn store(&self, bytes: &[u8]) {
        // SAFETY: as above; the object is locked, so nobody else stores there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len().min(self.size)) };
    }
}
