//! Raw arguments to values.
//!
//! [`entry!`](crate::entry!) passes every argument through [`Argument::adopt`]: numbers stay numbers, pointers
//! become [`Ptr`]. Adopting a pointer is the one unsafe step of a call: from then on reading and writing through
//! it is safe to write, because the specification obliges the caller to pass a pointer that is valid for what the
//! clause of the call describes, or null. Handles are pointers too, but are never read through: see
//! [`handle`](crate::handle).

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::HostPtr;

/// A pointer argument: null, or valid as the clause of the call promises, for the duration of the call.
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

/// What an entry point can take.
pub(crate) trait Argument {
    /// The form that the body of the entry sees.
    type Checked: Copy + fmt::Debug;

    /// Takes the argument over.
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

/// Function pointers.
impl<F: Copy + fmt::Debug> Argument for Option<F> {
    type Checked = Option<F>;
    unsafe fn adopt(self) -> Option<F> {
        self
    }
}

impl<T> Ptr<T> {
    /// Whether there is anything to read or write.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address, for what outlives the call: user data, host pointers, mapped pointers.
    pub(crate) fn raw(self) -> *mut T {
        self.0
    }

    /// The value, or `None` at null.
    pub(crate) fn read(self) -> Option<T>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so readable by the contract of `adopt`; alignment is not assumed.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// Element `index`, or `None` at null.
    pub(crate) fn read_at(self, index: usize) -> Option<T>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return None;
        }
        Ptr(self.0.wrapping_add(index)).read()
    }

    /// Writes where the caller wants the value; null says that it does not.
    pub(crate) fn write(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so writable by the contract of `adopt`; alignment is not assumed.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Writes element `index`; null says that the caller does not want it.
    pub(crate) fn write_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            Ptr(self.0.wrapping_add(index)).write(value);
        }
    }

    /// `count` values. `None` at null, for a misaligned pointer and for a size that no object has.
    pub(crate) fn slice(&self, count: usize) -> Option<&[T]> {
        let bytes = count.checked_mul(size_of::<T>())?;
        if self.0.is_null() || !self.0.is_aligned() || isize::try_from(bytes).is_err() {
            return None;
        }
        // SAFETY: not null, aligned, of a possible size, and readable for `count` values by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(self.0, count) })
    }
}

impl Ptr<c_void> {
    /// `size` bytes that the caller owns; `None` at null.
    pub(crate) fn bytes(&self, size: usize) -> Option<&[u8]> {
        let bytes: Ptr<u8> = Ptr(self.0.cast());
        if bytes.is_null() || isize::try_from(size).is_err() {
            return None;
        }
        // SAFETY: not null, of a possible size, and readable for `size` bytes by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(bytes.0, size) })
    }

    /// The same address as a pointer to values of another type.
    pub(crate) fn cast<T>(self) -> Ptr<T> {
        Ptr(self.0.cast())
    }
}

impl Ptr<c_char> {
    /// The zero-terminated text; `None` at null. Bytes that are not UTF-8 become replacement characters.
    pub(crate) fn text(self) -> Option<String> {
        if self.is_null() {
            return None;
        }
        // SAFETY: not null, so a zero-terminated string by the contract of `adopt`.
        let text = unsafe { CStr::from_ptr(self.0) };
        Some(text.to_string_lossy().into_owned())
    }
}

/// A `(count, pointer)` pair that may be absent as a whole: `None` for `(0, null)`.
/// One present without the other is CL_INVALID_VALUE.
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

/// Three numbers, such as an origin or a region.
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

/// A zero-terminated list of `(name, value)` pairs.
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

/// Application memory that a command reads or writes after the call has returned.
pub(crate) fn host_ptr(ptr: Ptr<c_void>) -> Option<HostPtr> {
    // SAFETY: CL 5.2 obliges the application to keep `ptr` valid for the access until the command is complete
    // (`host_ptr` of CL_MEM_USE_HOST_PTR: until the memory object is gone).
    unsafe { HostPtr::new(ptr.raw().cast()) }
}

/// One string of clCreateProgramWithSource: `length` bytes, or up to the zero byte if `length` is 0. `None` at null.
pub(crate) fn source_piece<'a>(piece: *const c_char, length: usize) -> Option<&'a [u8]> {
    if piece.is_null() {
        return None;
    }
    if length > 0 {
        return bytes_at(piece.cast(), length);
    }
    // SAFETY: not null; CL 5.6.1: a string without length is zero-terminated.
    Some(unsafe { CStr::from_ptr(piece) }.to_bytes())
}

/// Bytes that an array element points to; `None` at null. They are the application's for the duration of the call.
pub(crate) fn bytes_at<'a>(at: *const u8, length: usize) -> Option<&'a [u8]> {
    if at.is_null() || isize::try_from(length).is_err() {
        return None;
    }
    // SAFETY: not null, of a possible size; CL 5.6.1: binaries[i] (strings[i]) has lengths[i] bytes.
    Some(unsafe { std::slice::from_raw_parts(at, length) })
}

/// A zero-terminated string that an array element points to; `None` at null.
pub(crate) fn c_text(at: *const c_char) -> Option<String> {
    Ptr(at.cast_mut()).text()
}

/// Writes bytes where an array element points to; null says that they are not wanted.
pub(crate) fn write_bytes(to: *mut u8, bytes: &[u8]) {
    if !to.is_null() {
        // SAFETY: not null; CL 5.6.7: the application made room for the binary whose size it asked for.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
}
