//! Handles: the values that an application holds, and the checks of them.
//!
//! A `cl_context`, `cl_mem` … is the address of a [`Cell`]. Cells live in one [`Slab`] per object type, in
//! chunks that never move and are never returned to the operating system. So any 64-bit number that an
//! application passes can be judged by arithmetic alone: whether it is inside a chunk of the right type and at
//! a cell's start, and whether that cell is in use. Unknown memory is never read. A null, foreign, freed or
//! mistyped handle gives `None`.
//!
//! A cell starts with the ICD dispatch pointer, which the OpenCL loader reads through the handle. It is written
//! when the chunk is made and never cleared, so that even a stale handle reaches this library through the
//! loader.
//!
//! **Lifetime.** The object itself is an `Arc<T>`; commands, and objects made from others, hold `Arc`s. The
//! application's reference count belongs to the cell. While it is above zero, the cell owns one `Arc`. When it
//! falls to zero, the handle stays valid for as long as something else keeps the object alive (CL 5.4 to 5.9:
//! an object is deleted when its count is zero *and* everything that depends on it is complete). So
//! `CL_QUEUE_CONTEXT`, for instance, returns a valid handle for a queue whose context was released, and the
//! application may retain that context again. When the last `Arc` is dropped, the object's [`Anchor`] frees the
//! cell. Free cells are reused in first-in, first-out order, and some hundred are kept free, so that a stale
//! handle stays invalid for long.
//!
//! **Racing release.** A cell's count and `Arc` change under the cell's own lock, which is held for a few
//! instructions. Of two racing releases of the last reference, one succeeds and the other finds an invalid
//! handle or a zero count. A call that got its `Arc` before the release continues with a live object.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::error::ClCode;

/// The dispatch table's address, which every cell starts with; the icd crate sets it before the first object is
/// made.
static DISPATCH: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Sets the ICD dispatch table. Cells made before keep the previous address.
pub fn set_dispatch(table: *const c_void) {
    DISPATCH.store(table.cast_mut(), Ordering::Release);
}

/// A type whose values have handles.
pub trait Object: Send + Sync + Sized + 'static {
    /// The error code for a handle that is not of this type.
    const INVALID: ClCode;
    /// The noun in log lines.
    const NAME: &'static str;
    /// Returns the slab of all handles of this type.
    fn slab() -> &'static Slab<Self>;
    /// Returns the object's link to its handle.
    fn anchor(&self) -> &Anchor<Self>;
}

/// Implements [`Object`] for a type with a field `anchor: Anchor<Self>`.
#[macro_export]
macro_rules! impl_object {
    ($ty:ty, $invalid:expr, $name:literal) => {
        impl $crate::object::Object for $ty {
            const INVALID: $crate::error::ClCode = $invalid;
            const NAME: &'static str = $name;
            fn slab() -> &'static $crate::object::Slab<Self> {
                static SLAB: $crate::object::Slab<$ty> = $crate::object::Slab::new();
                &SLAB
            }
            fn anchor(&self) -> &$crate::object::Anchor<Self> {
                &self.anchor
            }
        }
    };
}

/// The number of cells in the first chunk; each further chunk has twice as many.
const FIRST_CHUNK: usize = 512;
/// The number of chunks: 512 · (2^23 − 1) handles per type are more than memory can hold.
const CHUNKS: usize = 23;
/// The number of free cells below which no cell is reused, so that a freed handle becomes another object's only
/// after as many others.
const RESERVE: usize = 256;

/// The memory that one handle points to.
#[repr(C, align(64))]
pub struct Cell<T> {
    /// Must stay first: the OpenCL loader reads it.
    #[allow(dead_code, reason = "read by the OpenCL loader only")]
    dispatch: AtomicPtr<c_void>,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// The object, whether or not the application still holds a reference. In a free cell, the reference is
    /// dangling.
    object: Weak<T>,
    /// Present while `references > 0`.
    owner: Option<Arc<T>>,
    /// The application's reference count.
    references: u32,
}

/// All handles of one type.
pub struct Slab<T: 'static> {
    chunks: [OnceLock<Box<[Cell<T>]>>; CHUNKS],
    free: Mutex<VecDeque<&'static Cell<T>>>,
}

impl<T: Object> Slab<T> {
    /// Makes a slab without cells.
    pub const fn new() -> Self {
        Slab {
            chunks: [const { OnceLock::new() }; CHUNKS],
            free: Mutex::new(VecDeque::new()),
        }
    }

    /// Returns the cell at an address, if there is one.
    fn cell(&'static self, address: usize) -> Option<&'static Cell<T>> {
        for chunk in &self.chunks {
            // Chunks are made in order, so no later chunk exists either.
            let cells = chunk.get()?;
            let offset = address.wrapping_sub(cells.as_ptr().addr());
            if offset < size_of_val::<[Cell<T>]>(cells) {
                let size = size_of::<Cell<T>>();
                return offset.is_multiple_of(size).then(|| &cells[offset / size]);
            }
        }
        None
    }

    fn allocate(&'static self) -> &'static Cell<T> {
        let mut free = self.free.lock();
        if free.len() > RESERVE
            && let Some(cell) = free.pop_front()
        {
            return cell;
        }
        let next = self
            .chunks
            .iter()
            .position(|c| c.get().is_none())
            .expect("there are more chunks than memory");
        let cells = self.chunks[next].get_or_init(|| {
            let dispatch = DISPATCH.load(Ordering::Acquire);
            (0..FIRST_CHUNK << next)
                .map(|_| Cell {
                    dispatch: AtomicPtr::new(dispatch),
                    state: Mutex::new(State {
                        object: Weak::new(),
                        owner: None,
                        references: 0,
                    }),
                })
                .collect()
        });
        free.extend(&cells[1..]);
        &cells[0]
    }
}

impl<T: Object> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: 'static> Cell<T> {
    fn address(&'static self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }
}

/// An object's link to its handle. The handle is made at its first use, so that internal objects (such as the
/// event of a command whose event the application does not ask for) have no cost.
pub struct Anchor<T: Object> {
    cell: OnceLock<&'static Cell<T>>,
}

impl<T: Object> Anchor<T> {
    /// Makes a link without a handle.
    pub const fn new() -> Self {
        Anchor {
            cell: OnceLock::new(),
        }
    }
}

impl<T: Object> Default for Anchor<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Object> std::fmt::Debug for Anchor<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.cell.get() {
            Some(cell) => write!(f, "{}@{:p}", T::NAME, *cell),
            None => write!(f, "{} without handle", T::NAME),
        }
    }
}

impl<T: Object> Drop for Anchor<T> {
    fn drop(&mut self) {
        if let Some(cell) = self.cell.get() {
            {
                let mut state = cell.state.lock();
                debug_assert!(state.owner.is_none(), "the cell's own Arc kept the object alive");
                state.object = Weak::new();
                state.references = 0;
            }
            T::slab().free.lock().push_back(cell);
        }
    }
}

/// Returns the handle of an object without counting a reference, for answers to queries (`CL_QUEUE_CONTEXT`).
pub fn handle<T: Object>(object: &Arc<T>) -> *mut c_void {
    let cell = object.anchor().cell.get_or_init(|| {
        let cell = T::slab().allocate();
        cell.state.lock().object = Arc::downgrade(object);
        cell
    });
    cell.address()
}

/// Hands an object to the application: returns its handle and adds a reference.
pub fn give<T: Object>(object: Arc<T>) -> *mut c_void {
    let address = handle(&object);
    if let Some(cell) = object.anchor().cell.get() {
        let mut state = cell.state.lock();
        state.references = state.references.saturating_add(1);
        if state.owner.is_none() {
            state.owner = Some(object);
        }
    }
    address
}

/// Returns the object of a handle; `None` if the number is not the handle of a live `T`.
pub fn get<T: Object>(handle: *const c_void) -> Option<Arc<T>> {
    let cell = T::slab().cell(handle.addr())?;
    let state = cell.state.lock();
    match &state.owner {
        Some(object) => Some(Arc::clone(object)),
        None => state.object.upgrade(),
    }
}

/// Adds a reference of the application. Returns `None` as [`get`] does.
pub fn retain<T: Object>(handle: *const c_void) -> Option<()> {
    let cell = T::slab().cell(handle.addr())?;
    let mut state = cell.state.lock();
    if state.owner.is_none() {
        state.owner = Some(state.object.upgrade()?);
    }
    state.references = state.references.saturating_add(1);
    Some(())
}

/// Removes a reference of the application. Returns `None` if there is no such object or the application holds
/// no reference. Removing the last reference may destroy the object, in this call and with no lock held.
pub fn release<T: Object>(handle: *const c_void) -> Option<()> {
    let cell = T::slab().cell(handle.addr())?;
    let last = {
        let mut state = cell.state.lock();
        state.references = state.references.checked_sub(1)?;
        if state.references == 0 {
            state.owner.take()
        } else {
            None
        }
    };
    drop(last);
    Some(())
}

/// Returns the application's reference count, for `CL_*_REFERENCE_COUNT`.
pub fn reference_count<T: Object>(object: &T) -> u32 {
    object
        .anchor()
        .cell
        .get()
        .map_or(0, |cell| cell.state.lock().references)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Declares a type of its own for each test, because tests run in parallel and freed cells are reused.
    macro_rules! thing {
        () => {
            struct Thing {
                anchor: Anchor<Thing>,
                dropped: Arc<AtomicUsize>,
            }
            impl_object!(Thing, ClCode::InvalidValue, "thing");

            impl Drop for Thing {
                fn drop(&mut self) {
                    self.dropped.fetch_add(1, Ordering::SeqCst);
                }
            }

            fn thing() -> (Arc<Thing>, Arc<AtomicUsize>) {
                let dropped = Arc::new(AtomicUsize::new(0));
                let thing = Thing {
                    anchor: Anchor::new(),
                    dropped: Arc::clone(&dropped),
                };
                (Arc::new(thing), dropped)
            }
        };
    }

    #[test]
    fn rejects_null_garbage_and_misaligned() {
        thing!();
        let (t, _) = thing();
        let h = give(t);
        for bad in [
            0,
            1,
            8,
            0xdead_beef,
            usize::MAX,
            h.addr() + 1,
            h.addr() + 8,
            h.addr() - 1,
        ] {
            assert!(get::<Thing>(ptr::without_provenance(bad)).is_none(), "{bad:#x}");
            assert!(retain::<Thing>(ptr::without_provenance(bad)).is_none());
            assert!(release::<Thing>(ptr::without_provenance(bad)).is_none());
        }
        assert!(get::<Thing>(h).is_some());
        release::<Thing>(h).expect("one reference");
    }

    #[test]
    fn released_handle_is_invalid() {
        thing!();
        let (t, dropped) = thing();
        let h = give(t);
        retain::<Thing>(h).expect("live");
        assert_eq!(reference_count(&*get::<Thing>(h).expect("live")), 2);
        release::<Thing>(h).expect("2 → 1");
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        release::<Thing>(h).expect("1 → 0");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        assert!(get::<Thing>(h).is_none());
        assert!(release::<Thing>(h).is_none());
        assert!(retain::<Thing>(h).is_none());
    }

    #[test]
    fn internal_references_keep_the_handle_valid() {
        thing!();
        let (t, dropped) = thing();
        let internal = Arc::clone(&t);
        let h = give(t);
        release::<Thing>(h).expect("1 → 0");
        assert!(release::<Thing>(h).is_none(), "the application holds none");
        assert!(get::<Thing>(h).is_some(), "still alive through another object");
        retain::<Thing>(h).expect("0 → 1");
        drop(internal);
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        release::<Thing>(h).expect("1 → 0");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn racing_releases_drop_once() {
        thing!();
        for _ in 0..200 {
            let (t, dropped) = thing();
            let h = give(t).addr();
            let ok = Arc::new(AtomicUsize::new(0));
            std::thread::scope(|s| {
                for _ in 0..4 {
                    s.spawn(|| {
                        if release::<Thing>(ptr::without_provenance(h)).is_some() {
                            ok.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            });
            assert_eq!(ok.load(Ordering::SeqCst), 1);
            assert_eq!(dropped.load(Ordering::SeqCst), 1);
        }
    }

    #[test]
    fn a_handle_is_not_reused_soon() {
        thing!();
        for _ in 0..2 * FIRST_CHUNK {
            let h = give(thing().0);
            release::<Thing>(h).expect("one reference");
            for _ in 0..RESERVE {
                let other = give(thing().0);
                assert_ne!(h, other);
                release::<Thing>(other).expect("one reference");
            }
        }
    }

    #[test]
    fn many_handles_are_distinct() {
        thing!();
        let all: Vec<_> = (0..1000).map(|_| give(thing().0)).collect();
        let mut sorted: Vec<_> = all.iter().map(|h| h.addr()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 1000);
        for h in all {
            release::<Thing>(h).expect("one reference");
        }
    }
}
