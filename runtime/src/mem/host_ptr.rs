//! Addresses of host memory, and the copies to and from it.
//!
//! A pointer that the application passes to an enqueue call is used after the call has returned: the copy may
//! happen later, on another thread. [`HostPtr`] carries the pointer. Making one from an application's pointer
//! is unsafe, and its contract states the application's obligations; using one is then safe inside the runtime.
#![allow(
    unsafe_code,
    reason = "the one place where application memory is read and written"
)]

use std::ptr::NonNull;

use super::parallel;
use crate::command::rect::Layout;

/// An address in the application's memory, in memory that the GPU shares with the host, or in the runtime's own
/// memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct HostPtr(NonNull<u8>);

// SAFETY: the pointer is only used by copies that the contract of `HostPtr::new` covers, whichever thread makes
// them; the address itself is plain data.
unsafe impl Send for HostPtr {}
// SAFETY: as above; a shared HostPtr only hands out its address.
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
            ptr: HostPtr(NonNull::new(bytes.as_mut_ptr())?),
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
        NonNull::new(ptr).map(HostPtr)
    }

    /// Wraps an address in memory that Vulkan has mapped; the caller keeps the memory mapped while the address
    /// is in use.
    pub(crate) fn mapped(ptr: NonNull<u8>) -> HostPtr {
        HostPtr(ptr)
    }

    /// Wraps the address of a slice to read from; the caller keeps it borrowed while the address is in use.
    pub(crate) fn of_slice(bytes: &[u8]) -> HostPtr {
        HostPtr(NonNull::from(bytes).cast())
    }

    /// Wraps the address of a slice to store to; the caller keeps it borrowed while the address is in use.
    pub(crate) fn of_slice_mut(bytes: &mut [u8]) -> HostPtr {
        HostPtr(NonNull::from(bytes).cast())
    }

    /// Returns the address as a number.
    pub fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// Returns the pointer.
    pub fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// Returns the pointer, which is not null.
    pub fn non_null(self) -> NonNull<u8> {
        self.0
    }

    /// Returns the address `bytes` bytes further on, inside the same extent.
    pub(crate) fn offset(self, bytes: u64) -> HostPtr {
        let moved = self.0.as_ptr().wrapping_add(bytes as usize);
        HostPtr(NonNull::new(moved).expect("an extent does not wrap around the address space"))
    }

    /// Copies `size` bytes, which both extents must cover. The extents may overlap. Large copies are shared
    /// with the copy threads.
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
        // SAFETY: both pointers cover `size` bytes (HostPtr::new, or mapped memory within a buffer's bounds).
        unsafe { std::ptr::copy(self.as_ptr(), to.as_ptr(), size as usize) };
    }

    /// Copies a rectangular region, contiguous rows in one step. Offsets in the layouts count from the
    /// pointers.
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
        // SAFETY: the extent covers the slice (as for `copy_to`); it does not overlap the slice, which is
        // memory of the runtime.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.as_ptr(), bytes.len()) };
    }
}
