//! Addresses of host memory, and the copies to and from it.
//!
//! A pointer that the application passes to an enqueue call is used after the call has returned: the copy may
//! happen later, on another thread. [`HostPtr`] carries the pointer, and the end of the memory where the runtime
//! knows it: for mapped storage, slices and its own memory. Every copy checks it, so no copy leaves the storage
//! of a buffer. The end of an application's memory is not known: the specification defines the extent from the
//! arguments of the call, so the runtime cannot check it. [`HostPtr::new`] is therefore unsafe, and its contract states
//! the application's obligations.
//!
//! That the memory still exists when it is accessed is not checked. Commands keep their buffers and staging memory
//! until they are complete (the batch rule, `vk/mod.rs`), and functions of the runtime that take the address of a
//! slice make all copies before they return.
#![allow(
    unsafe_code,
    reason = "copies to and from raw host addresses; only bar_mapping also has such copies"
)]

use std::ptr::NonNull;

use super::parallel;
use crate::command::rect::Layout;
use crate::error::{ClCode, Error, Result};

/// An address in the application's memory, in memory that the GPU shares with the host, or in the runtime's own
/// memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct HostPtr {
    at: NonNull<u8>,
    /// The address of the end of the memory; `usize::MAX` for memory of the application.
    end: usize,
}

// SAFETY: the address itself is plain data; the copies of this module may be made by any thread.
unsafe impl Send for HostPtr {}
// SAFETY: the methods take `self` by value, so sharing gives no more than sending a copy does.
unsafe impl Sync for HostPtr {}

/// Host memory of the runtime, uninitialised; it is accessed by copies only.
#[derive(Debug)]
pub(crate) struct HostMemory {
    ptr: HostPtr,
    _bytes: Vec<u8>,
}

impl HostMemory {
    /// Allocates `size` bytes; returns `None` if that fails. The system provides pages as they are touched.
    pub(crate) fn new(size: u64) -> Option<HostMemory> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(size).ok()?).ok()?;
        Some(HostMemory {
            ptr: HostPtr::up_to(NonNull::new(bytes.as_mut_ptr())?, size as usize),
            _bytes: bytes,
        })
    }

    /// Returns the address of the first byte; the caller keeps the memory alive while the address is in use.
    pub(crate) fn ptr(&self) -> HostPtr {
        self.ptr
    }
}

impl HostPtr {
    /// Wraps an application's pointer; returns `None` for null.
    ///
    /// # Safety
    /// Every byte that the command or object reads or stores through the pointer (its documented extent) must
    /// be valid for that access from now until the command is complete or the object is destroyed, and must not
    /// be accessed conflictingly by others in the meantime: OpenCL demands that of `ptr` and `host_ptr`.
    pub unsafe fn new(ptr: *mut u8) -> Option<HostPtr> {
        NonNull::new(ptr).map(|at| HostPtr { at, end: usize::MAX })
    }

    /// Wraps the address of the first of `size` bytes that Vulkan has mapped.
    ///
    /// # Safety
    /// The bytes must stay mapped as long as the address is in use.
    pub(crate) unsafe fn mapped(at: NonNull<u8>, size: u64) -> HostPtr {
        HostPtr::up_to(at, size as usize)
    }

    fn up_to(at: NonNull<u8>, size: usize) -> HostPtr {
        let end = at.as_ptr().addr() + size;
        HostPtr { at, end }
    }

    /// Wraps the address of a slice to read from; the caller keeps it borrowed while the address is in use, and must
    /// not store through the result.
    pub(crate) fn of_slice(bytes: &[u8]) -> HostPtr {
        HostPtr::up_to(NonNull::from(bytes).cast(), bytes.len())
    }

    /// Wraps the address of a slice to store to; the caller keeps it borrowed while the address is in use.
    pub(crate) fn of_slice_mut(bytes: &mut [u8]) -> HostPtr {
        let size = bytes.len();
        HostPtr::up_to(NonNull::from(bytes).cast(), size)
    }

    /// Returns the address as a number.
    pub fn address(self) -> usize {
        self.at.as_ptr().addr()
    }

    /// Returns the pointer.
    pub fn as_ptr(self) -> *mut u8 {
        self.at.as_ptr()
    }

    /// Returns the pointer, which is not null.
    pub(crate) fn non_null(self) -> NonNull<u8> {
        self.at
    }

    /// Returns the address `bytes` bytes further on, in the same memory.
    pub(crate) fn offset(self, bytes: u64) -> HostPtr {
        let moved = self.at.as_ptr().wrapping_add(bytes as usize);
        HostPtr {
            at: NonNull::new(moved).expect("memory does not wrap around the address space"),
            end: self.end,
        }
    }

    /// Returns INVALID_VALUE if the address space ends before so many bytes; `None` are more than 64 bits can count.
    pub(crate) fn check_extent(self, bytes: Option<u64>) -> Result<()> {
        let end = bytes.and_then(|n| self.address().checked_add(usize::try_from(n).ok()?));
        match end {
            Some(_) => Ok(()),
            None => Err(Error::new(ClCode::InvalidValue, "host memory beyond the address space").at("5.2.2")),
        }
    }

    /// Panics if fewer than `size` bytes remain: the runtime has failed to validate the command (a bug).
    pub(super) fn check(self, size: u64) {
        let end = self.address().checked_add(size as usize);
        assert!(end.is_some_and(|end| end <= self.end), "{size} bytes at {self:?}");
    }

    /// Copies `size` bytes. The two ranges may overlap. Large copies are shared with the copy threads.
    pub(crate) fn copy_to(self, to: HostPtr, size: u64) {
        let apart = self.address().abs_diff(to.address()) as u64 >= size;
        if apart && parallel::pays(size) {
            parallel::copy(self, to, size);
        } else {
            self.copy_alone(to, size);
        }
    }

    /// Copies as [`HostPtr::copy_to`] does, on this thread only.
    pub(super) fn copy_alone(self, to: HostPtr, size: u64) {
        self.check(size);
        to.check(size);
        // SAFETY: `check` has compared both ranges with memory whose end is known. Memory of the application is valid
        // for the access by the contract of `HostPtr::new`. Both still exist (see the module's documentation).
        unsafe { std::ptr::copy(self.as_ptr(), to.as_ptr(), size as usize) };
    }

    /// Copies a rectangular region. Rows that are contiguous in both layouts are copied together. Offsets in the
    /// layouts count from the pointers.
    pub(crate) fn copy_rect_to(self, from: &Layout, to: HostPtr, to_layout: &Layout, region: [u64; 3]) {
        let [w, h, d] = from.collapse(to_layout, region);
        if h * d > 1 && parallel::pays(w * h * d) && !parallel::pays(w) {
            let extent = |at: HostPtr, layout: &Layout| {
                let base = at.address() as u64;
                (base + layout.start, base + layout.row(h - 1, d - 1) + w)
            };
            let ((a0, a1), (b0, b1)) = (extent(self, from), extent(to, to_layout));
            if a1 <= b0 || b1 <= a0 {
                parallel::copy_rows(self, from, to, to_layout, [w, h, d]);
                return;
            }
        }
        for z in 0..d {
            for y in 0..h {
                self.offset(from.row(y, z))
                    .copy_to(to.offset(to_layout.row(y, z)), w);
            }
        }
    }

    /// Stores the bytes of a slice.
    pub(crate) fn store(self, bytes: &[u8]) {
        self.check(bytes.len() as u64);
        // SAFETY: the memory is valid for the slice's length, as for `copy_alone`; it does not overlap the slice, which
        // is borrowed from the runtime.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.as_ptr(), bytes.len()) };
    }
}
