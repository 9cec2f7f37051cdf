//! Memory of the application that commands read and write after the call that enqueues them.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether memory that is given back is watched: any later access to it then ends the process.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Starts to watch memory that is given back.
pub(crate) fn watch_memory() {
    WATCHED.store(true, Ordering::SeqCst);
}

/// Memory of the application that commands read and write.
pub(crate) struct Memory {
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
    pub(crate) fn new(bytes: Vec<u8>) -> Memory {
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

    pub(crate) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Returns the contents. No command may be using the memory.
    pub(crate) fn bytes(&self) -> &[u8] {
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

/// A mapped range of a memory object. [`super::Handle::unmap`] unmaps it.
pub(crate) struct Mapped {
    at: *mut u8,
    size: usize,
}

impl Mapped {
    /// Makes the mapping of `size` bytes at an address that a map command has returned.
    pub(crate) fn new(at: *mut u8, size: usize) -> Mapped {
        Mapped { at, size }
    }

    pub(crate) fn ptr(&self) -> *mut c_void {
        self.at.cast()
    }

    /// Returns the mapped bytes. The map command must be complete.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the implementation returned this address for a mapping of `size` bytes.
        unsafe { std::slice::from_raw_parts(self.at, self.size) }
    }

    /// Stores into the mapped range. The map command must be complete and have been for writing.
    pub(crate) fn store(&self, bytes: &[u8]) {
        // SAFETY: as above; the caller holds the object's lock, so no other thread stores there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len().min(self.size)) };
    }
}
