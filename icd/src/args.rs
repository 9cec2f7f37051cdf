//! Conversion of raw arguments to values.
//!
//! [`entry!`](crate::entry!) passes every argument through [`Argument::adopt`]: numbers stay numbers, pointers
//! become [`Ptr`]. Adopting a pointer is the unsafe step of a call. The caller of the entry point guarantees, as the
//! specification demands, that each pointer is null or valid for the accesses that the clause of the call describes;
//! the methods of [`Ptr`] and the functions of this module rely on that. A body must therefore read and write no more
//! elements than the clause says. Handles are pointers too, but are never read through: see
//! [`handle`](crate::handle).

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::HostPtr;

/// A pointer argument. For the duration of the call it is null, or valid for the accesses that the clause of the
/// call describes.
pub(crate) struct Ptr<T>(*mut T);

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ptr<T> {}

impl<T> fmt::Debug for Ptr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

/// A type that an argument of an entry point can have.
pub(crate) trait Argument {
    /// The form that the body of the entry sees.
    type Checked: Copy + fmt::Debug;

    /// Converts the argument to the form that the body sees.
    ///
    /// # Safety
    /// A pointer must be null or valid, for the duration of the call, for the reads and writes that the clause of
    /// the call describes.
    unsafe fn adopt(self) -> Self::Checked;
}

macro_rules! plain_arguments {
    ($($ty:ty),*) => {$(
        impl Argument for $ty {
            type Checked = $ty;
            unsafe fn adopt(self) -> $ty {
                self
            }
        }
    )*};
}
plain_arguments!(i32, u32, u64, usize);

impl<T> Argument for *const T {
    type Checked = Ptr<T>;
    unsafe fn adopt(self) -> Ptr<T> {
        Ptr(self.cast_mut())
    }
}

impl<T> Argument for *mut T {
    type Checked = Ptr<T>;
    unsafe fn adopt(self) -> Ptr<T> {
        Ptr(self)
    }
}

/// Function pointers stay as they are; null is `None`.
impl<F: Copy + fmt::Debug> Argument for Option<F> {
    type Checked = Option<F>;
    unsafe fn adopt(self) -> Option<F> {
        self
    }
}

impl<T> Ptr<T> {
    /// Returns whether the pointer is null.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the address, for pointers that outlive the call: user data, host pointers, mapped pointers.
    pub(crate) fn raw(self) -> *mut T {
        self.0
    }

    /// Reads the value. Returns `None` if the pointer is null.
    pub(crate) fn read(self) -> Option<T>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the pointer is not null, so it is readable by the contract of `adopt`. The read needs no alignment.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// Reads element `index` of an array. Returns `None` if the pointer is null. `index` must be below the number of
    /// elements that the clause of the call promises.
    pub(crate) fn read_at(self, index: usize) -> Option<T>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return None;
        }
        Ptr(self.0.wrapping_add(index)).read()
    }

    /// Writes the value, unless the pointer is null: a caller passes null for a result that it does not want.
    pub(crate) fn write(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the pointer is not null, so it is writable by the contract of `adopt`. The write needs no
            // alignment.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Writes element `index` of an array, unless the pointer is null. `index` must be below the number of elements
    /// that the clause of the call promises.
    pub(crate) fn write_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            Ptr(self.0.wrapping_add(index)).write(value);
        }
    }

    /// Returns an array of `count` values, a number that the clause of the call gives. Returns `None` if the pointer is
    /// null or misaligned, or if the size in bytes exceeds `isize::MAX`.
    pub(crate) fn slice(&self, count: usize) -> Option<&[T]> {
        let bytes = count.checked_mul(size_of::<T>())?;
        if self.0.is_null() || !self.0.is_aligned() || isize::try_from(bytes).is_err() {
            return None;
        }
        // SAFETY: the pointer is not null and aligned and the size is possible, as checked above; it is readable for
        // `count` values by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(self.0, count) })
    }
}

impl Ptr<c_void> {
    /// Returns `size` bytes of the caller's memory, a number that the clause of the call gives. Returns `None` if the
    /// pointer is null or `size` exceeds `isize::MAX`.
    pub(crate) fn bytes(&self, size: usize) -> Option<&[u8]> {
        let bytes: Ptr<u8> = Ptr(self.0.cast());
        if bytes.is_null() || isize::try_from(size).is_err() {
            return None;
        }
        // SAFETY: the pointer is not null and the size is possible, as checked above; it is readable for `size`
        // bytes by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(bytes.0, size) })
    }

    /// Returns the same address as a pointer to values of another type.
    pub(crate) fn cast<T>(self) -> Ptr<T> {
        Ptr(self.0.cast())
    }
}

impl Ptr<c_char> {
    /// Reads a zero-terminated string. Returns `None` if the pointer is null. Bytes that are not UTF-8 become
    /// replacement characters.
    pub(crate) fn text(self) -> Option<String> {
        if self.is_null() {
            return None;
        }
        // SAFETY: the pointer is not null, so it points to a zero-terminated string by the contract of `adopt`.
        let text = unsafe { CStr::from_ptr(self.0) };
        Some(text.to_string_lossy().into_owned())
    }
}

/// Returns the array of a `(count, pointer)` pair, or `None` for `(0, null)`. If only one of the two is given, the
/// error is CL_INVALID_VALUE.
pub(crate) fn optional_list<'a, T>(
    count: u32,
    list: &'a Ptr<T>,
    what: &'static str,
) -> Result<Option<&'a [T]>> {
    match (count, list.is_null()) {
        (0, true) => Ok(None),
        (0, false) | (_, true) => Err(Error::new(ClCode::InvalidValue, what)),
        (n, false) => list
            .slice(n as usize)
            .map(Some)
            .ok_or_else(|| Error::new(ClCode::InvalidValue, what)),
    }
}

/// Reads three numbers, such as an origin or a region. A null pointer is CL_INVALID_VALUE.
pub(crate) fn triple(values: Ptr<usize>, what: &'static str) -> Result<[usize; 3]> {
    values
        .cast_array()
        .read()
        .ok_or_else(|| Error::new(ClCode::InvalidValue, what))
}

impl Ptr<usize> {
    fn cast_array(self) -> Ptr<[usize; 3]> {
        Ptr(self.0.cast())
    }
}

/// Reads a zero-terminated list of `(name, value)` pairs. A null pointer is an empty list.
pub(crate) fn properties<T: Copy + Default + PartialEq>(list: Ptr<T>) -> Vec<(T, T)> {
    let mut pairs = Vec::new();
    let mut at = list;
    while let Some(name) = at.read().filter(|name| *name != T::default()) {
        let value = Ptr(at.0.wrapping_add(1)).read().unwrap_or_default();
        pairs.push((name, value));
        at = Ptr(at.0.wrapping_add(2));
    }
    pairs
}

/// Wraps a pointer to memory of the application that a command may read or write after the call has returned.
/// Returns `None` if the pointer is null.
pub(crate) fn host_ptr(ptr: Ptr<c_void>) -> Option<HostPtr> {
    // SAFETY: CL 5.2 obliges the application to keep `ptr` valid for the access until the command is complete
    // (`host_ptr` of CL_MEM_USE_HOST_PTR: until the memory object is gone).
    unsafe { HostPtr::new(ptr.raw().cast()) }
}

/// Returns one string of clCreateProgramWithSource: `length` bytes, or the bytes before the terminating zero if
/// `length` is 0. Returns `None` if the pointer is null.
pub(crate) fn source_piece<'a>(piece: *const c_char, length: usize) -> Option<&'a [u8]> {
    if piece.is_null() {
        return None;
    }
    if length > 0 {
        return bytes_at(piece.cast(), length);
    }
    // SAFETY: the pointer is not null, and by CL 5.6.1 a string without a length is zero-terminated.
    Some(unsafe { CStr::from_ptr(piece) }.to_bytes())
}

/// Returns the `length` bytes that an element of an argument array points to. Returns `None` if the pointer is null or
/// `length` exceeds `isize::MAX`. The bytes are valid for the duration of the call only.
pub(crate) fn bytes_at<'a>(at: *const u8, length: usize) -> Option<&'a [u8]> {
    if at.is_null() || isize::try_from(length).is_err() {
        return None;
    }
    // SAFETY: the pointer is not null and the size is possible, as checked above; by CL 5.6.1 binaries[i] (strings[i])
    // has lengths[i] bytes.
    Some(unsafe { std::slice::from_raw_parts(at, length) })
}

/// Reads the zero-terminated string that an element of an argument array points to. Returns `None` if the pointer is
/// null.
pub(crate) fn c_text(at: *const c_char) -> Option<String> {
    Ptr(at.cast_mut()).text()
}

/// Writes bytes to the memory that an element of an argument array points to, unless the pointer is null.
pub(crate) fn write_bytes(to: *mut u8, bytes: &[u8]) {
    if !to.is_null() {
        // SAFETY: the pointer is not null, and by CL 5.6.7 the application has allocated the size that
        // CL_PROGRAM_BINARY_SIZES reports for this binary.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
}
