//! Memory of the application, by address.
//!
//! A pointer that the application passes to an enqueue call outlives the call: the copy may happen later, on
//! another thread. [`HostPtr`] carries it. Making one is unsafe and states what the application owes; using one
//! is then safe inside the runtime.
#![allow(
    unsafe_code,
    reason = "the one place where application memory is read and written"
)]

use std::ptr::NonNull;

/// An address in the application's memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct HostPtr(NonNull<u8>);

// SAFETY: the pointer is only used by copies that the contract of `HostPtr::new` covers, whichever thread does
// them; the address itself is plain data.
unsafe impl Send for HostPtr {}
// SAFETY: as above; a shared HostPtr gives nothing but its address.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Wraps an application's pointer; `None` for null.
    ///
    /// # Safety
    /// Every byte that the command or object takes from, or stores through, the pointer (its documented extent)
    /// must be valid for that access from now until the command is complete or the object is destroyed, and
    /// not be accessed conflictingly by others meanwhile: what OpenCL demands of `ptr` and `host_ptr`.
    pub unsafe fn new(ptr: *mut u8) -> Option<HostPtr> {
        NonNull::new(ptr).map(HostPtr)
    }

    /// The address.
    pub fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// The pointer.
    pub fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr()
    }
}
