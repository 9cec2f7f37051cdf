//! Conversion of raw arguments to values.
//!
//! [`entry!`](crate::entry!) passes every argument through one of the unsafe `adopt` functions of this module: numbers
//! stay numbers, pointers become values of the types below. Adopting a pointer is the unsafe step of a call, and its
//! condition is the duty of the application (CL 5): the pointer is null or valid for what the clause of the call
//! describes. Each type says how much that is, so that the bodies are safe code:
//!
//! | declared in `entry!` | becomes | the pointer is null, or points to |
//! | --- | --- | --- |
//! | `*mut T`, `*const T` | [`Ptr`] | one value |
//! | `*const c_char` | [`Ptr`] | a string that ends with a zero |
//! | `*mut T [count]` | [`Array`] | `count` values; `count` bytes if `T` is `c_void` |
//! | `*mut *const T [count, lengths]` | [`Chunks`] | `count` pointers to `lengths[i]` values each |
//! | `*const T [until 0]` | [`Properties`] | pairs, the last of which is followed by a zero |
//! | `*mut *const c_void [updates count, types]` | [`Updates`](crate::updates) | `count` structures of these types |
//! | `*const T [until 0 lists NAMES]` | [`PropertyLists`] | the same, with lists as the values of `NAMES` |
//! | `*mut c_void [host memory]` | [`Host`] | memory that a command or object accesses also after the call |
//!
//! Elements of an [`Array`] that are pointers are plain values, except strings ([`Array::text`]). Handles are pointers
//! too, but are never read through: see [`handle`](crate::handle).

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::HostPtr;

/// A pointer argument. For the duration of the call it is null, or valid for one value of type `T`, or for a
/// zero-terminated string if `T` is `c_char`. A handle or user data (`T` is `c_void`) may be any address.
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
    /// For the duration of the call, a pointer must be null, or valid for reading one value (`*const T`), reading and
    /// writing one value (`*mut T`) or reading a zero-terminated string (`*const c_char`). Pointers to `c_void` may be
    /// anything.
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

    /// Writes the value, unless the pointer is null: a caller passes null for a result that it does not want.
    pub(crate) fn write(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the pointer is not null, so it is writable by the contract of `adopt`. The write needs no
            // alignment.
            unsafe { self.0.write_unaligned(value) };
        }
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

/// A type in which a call gives the number of elements of an array.
pub(crate) trait Count {
    /// Returns the number.
    fn elements(self) -> usize;
}

impl Count for u32 {
    fn elements(self) -> usize {
        self as usize
    }
}

impl Count for usize {
    fn elements(self) -> usize {
        self
    }
}

/// An array argument. For the duration of the call it is null, or valid for `count` values.
pub(crate) struct Array<T> {
    start: *mut T,
    count: usize,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Array<T> {}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.start)
    }
}

impl<T> Array<T> {
    /// Takes an array argument and its number of elements; `c_void` counts as one byte.
    ///
    /// # Safety
    /// For the duration of the call, `start` must be null or valid for reading, and if it is a `*mut` argument for
    /// writing, `count` values. Values of type `*const c_char` must be null or point to zero-terminated strings.
    pub(crate) unsafe fn adopt(start: *const T, count: usize) -> Self {
        Array {
            start: start.cast_mut(),
            count,
        }
    }

    /// Returns whether the pointer is null.
    pub(crate) fn is_null(self) -> bool {
        self.start.is_null()
    }

    /// Returns the number of elements that the call gives, whether or not the pointer is null.
    pub(crate) fn len(self) -> usize {
        self.count
    }

    /// Returns the address of the first element.
    pub(crate) fn raw(self) -> *mut T {
        self.start
    }

    /// Returns element `index`. Returns `None` if the pointer is null or the array has no such element.
    pub(crate) fn get(self, index: usize) -> Option<T>
    where
        T: Copy,
    {
        if self.start.is_null() || index >= self.count {
            return None;
        }
        // SAFETY: the pointer is not null and `index` is below `count`, as checked above, so the element is readable
        // by the contract of `adopt`. The read needs no alignment.
        Some(unsafe { self.start.wrapping_add(index).read_unaligned() })
    }

    /// Writes element `index`, unless the pointer is null or the array has no such element.
    pub(crate) fn write(self, index: usize, value: T) {
        if self.start.is_null() || index >= self.count {
            return;
        }
        // SAFETY: the pointer is not null and `index` is below `count`, as checked above, so the element is writable
        // by the contract of `adopt`. The write needs no alignment.
        unsafe { self.start.wrapping_add(index).write_unaligned(value) };
    }

    /// Returns the values. Returns `None` if the pointer is null or misaligned, or if the size in bytes exceeds
    /// `isize::MAX`.
    pub(crate) fn slice(&self) -> Option<&[T]> {
        let bytes = self.count.checked_mul(size_of::<T>())?;
        if self.start.is_null() || !self.start.is_aligned() || isize::try_from(bytes).is_err() {
            return None;
        }
        // SAFETY: the pointer is not null and aligned and the size is possible, as checked above; it is readable for
        // `count` values by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(self.start, self.count) })
    }

    /// Returns the values of an array that is absent if it is null and has no elements. If only one of the two is the
    /// case, the error is CL_INVALID_VALUE.
    pub(crate) fn optional(&self, what: &'static str) -> Result<Option<&[T]>> {
        match (self.count, self.is_null()) {
            (0, true) => Ok(None),
            (0, false) | (_, true) => Err(Error::new(ClCode::InvalidValue, what)),
            (_, false) => self
                .slice()
                .map(Some)
                .ok_or_else(|| Error::new(ClCode::InvalidValue, what)),
        }
    }
}

impl Array<c_void> {
    /// Returns the bytes. Returns `None` if the pointer is null or the size exceeds `isize::MAX`.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        if self.start.is_null() || isize::try_from(self.count).is_err() {
            return None;
        }
        // SAFETY: the pointer is not null and the size is possible, as checked above; it is readable for `count`
        // bytes by the contract of `adopt`.
        Some(unsafe { std::slice::from_raw_parts(self.start.cast::<u8>(), self.count) })
    }

    /// Reads a value from the first bytes. Returns `None` if the pointer is null or there are fewer bytes.
    pub(crate) fn value<T: Plain>(self) -> Option<T> {
        if self.start.is_null() || self.count < size_of::<T>() {
            return None;
        }
        // SAFETY: the pointer is not null and the value is not longer than `count` bytes, as checked above, so it is
        // readable by the contract of `adopt`; the bytes are a value by the contract of `Plain`. The read needs no
        // alignment.
        Some(unsafe { self.start.cast::<T>().read_unaligned() })
    }

    /// Writes bytes to the beginning, unless the pointer is null. Returns whether there is room for them.
    pub(crate) fn store(self, bytes: &[u8]) -> bool {
        if self.start.is_null() {
            return true;
        }
        if self.count < bytes.len() {
            return false;
        }
        // SAFETY: the pointer is not null and `count` is at least the number of bytes, as checked above, so the memory
        // is writable by the contract of `adopt`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.cast(), bytes.len()) };
        true
    }
}

impl Array<*const c_char> {
    /// Reads the zero-terminated string that element `index` points to. Returns `None` if the element is null or absent.
    pub(crate) fn text(self, index: usize) -> Option<String> {
        Ptr(self.get(index)?.cast_mut()).text()
    }
}

/// A type of which every bit pattern is a value, so that its values can be read from the application's
/// memory and returned as the answer to a query.
///
/// # Safety
/// The type has no padding, and every pattern of its bytes is a value.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => {$(
        // SAFETY: the type is a number, a pointer, or an array or structure of numbers without gaps.
        unsafe impl Plain for $ty {}
    )*};
}
plain!(
    i8,
    u8,
    i32,
    u32,
    i64,
    u64,
    usize,
    isize,
    *mut c_void,
    *mut u8,
    *const c_char,
    [u8; 8],
    [u8; 16],
    [u32; 4],
    [u32; 6],
    [u32; 8],
    [usize; 3],
    crate::abi::cl_name_version,
    crate::abi::cl_image_format,
    crate::abi::cl_buffer_region,
);

/// An array of pointers with a length each: the strings or binaries of a program. For the duration of the call, each
/// pointer is null, or valid for as many values as its length says.
#[derive(Copy, Clone)]
pub(crate) struct Chunks<T> {
    starts: Array<*const T>,
    lengths: Array<usize>,
}

impl<T> fmt::Debug for Chunks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.starts.fmt(f)
    }
}

impl<T> Chunks<T> {
    /// Takes the arrays of pointers and of lengths.
    ///
    /// # Safety
    /// For the duration of the call, `starts` and `lengths` must each be null or valid for reading `count` values, and
    /// `starts[i]` null or valid for reading `lengths[i]` values. If `lengths` is null or `lengths[i]` is 0, and `T` is
    /// `c_char`, then `starts[i]` must be null or point to a zero-terminated string.
    pub(crate) unsafe fn adopt(starts: *const *const T, count: usize, lengths: *const usize) -> Self {
        Chunks {
            // SAFETY: the caller's duty; no strings are taken through this array without their lengths.
            starts: unsafe { Array::adopt(starts, count) },
            // SAFETY: the caller's duty.
            lengths: unsafe { Array::adopt(lengths, count) },
        }
    }

    /// Returns whether the array of pointers or that of lengths is null.
    pub(crate) fn is_null(&self) -> bool {
        self.starts.is_null() || self.lengths.is_null()
    }

    /// Returns the number of chunks, or 0 if the array of pointers is null.
    pub(crate) fn len(self) -> usize {
        if self.starts.is_null() {
            0
        } else {
            self.starts.count
        }
    }

    /// Returns the values of chunk `index`. Returns `None` if its pointer is null, or its size exceeds `isize::MAX`
    /// bytes.
    fn values(&self, index: usize) -> Option<&[T]>
    where
        T: Copy,
    {
        let start = self.starts.get(index)?;
        let length = self.lengths.get(index).unwrap_or(0);
        // SAFETY: by the contract of `adopt`, the pointer is null or valid for `length` values; without a length, none
        // is read.
        let values = unsafe { Array::adopt(start, length) };
        let (start, count) = values.slice().map(|v| (v.as_ptr(), v.len()))?;
        // SAFETY: `slice` has checked the pointer and the size. The values belong to the application for the duration
        // of the call, as `self` does, and not to the local variable `values`.
        Some(unsafe { std::slice::from_raw_parts(start, count) })
    }
}

impl Chunks<u8> {
    /// Returns the bytes of chunk `index`. Returns `None` if its pointer is null or its length too large.
    pub(crate) fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.values(index)
    }
}

impl Chunks<c_char> {
    /// Returns string `index`: as many bytes as its length says, or those before the terminating zero if it has no
    /// length or the length 0 (CL 5.6.1). Returns `None` if the pointer is null or the length too large.
    pub(crate) fn text(&self, index: usize) -> Option<Vec<u8>> {
        let text = self.values(index)?;
        if !text.is_empty() {
            // `c_char` is signed on some processors and unsigned on others.
            return Some(text.iter().map(|c| c.to_ne_bytes()[0]).collect());
        }
        let start = self.starts.get(index)?;
        // SAFETY: `values` has checked that the pointer is not null. The string has no length, so it is zero-terminated
        // by the contract of `adopt`.
        Some(unsafe { CStr::from_ptr(start) }.to_bytes().to_vec())
    }
}

/// A list of `(name, value)` pairs that ends with a zero in place of a name. For the duration of the call, it is null
/// or valid to that zero.
#[derive(Copy, Clone)]
pub(crate) struct Properties<T>(*const T);

impl<T> fmt::Debug for Properties<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

impl<T: Copy + Default + PartialEq> Properties<T> {
    /// Takes a list.
    ///
    /// # Safety
    /// For the duration of the call, `list` must be null or valid for reading pairs of values up to a pair whose first
    /// value is the default (0), of which only the first value need be readable.
    pub(crate) unsafe fn adopt(list: *const T) -> Self {
        Properties(list)
    }

    /// Returns whether the pointer is null.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the values with the zero at the end. A null pointer has none.
    pub(crate) fn values(self) -> Vec<T> {
        if self.is_null() {
            return Vec::new();
        }
        let pairs = self.pairs().into_iter().flat_map(|(name, value)| [name, value]);
        pairs.chain([T::default()]).collect()
    }

    /// Returns the pairs, or `None` if a name is not known. Nothing after an unknown name is read.
    pub(crate) fn known(self, is_known: impl Fn(T) -> bool) -> Option<Vec<(T, T)>> {
        let mut at = self.0;
        loop {
            if at.is_null() {
                return Some(self.pairs());
            }
            // SAFETY: no zero was found before `at`, so this name is readable by the contract of `adopt`.
            let name = unsafe { at.read_unaligned() };
            if name == T::default() {
                return Some(self.pairs());
            }
            if !is_known(name) {
                return None;
            }
            at = at.wrapping_add(2);
        }
    }

    /// Returns the pairs. A null pointer is an empty list.
    pub(crate) fn pairs(self) -> Vec<(T, T)> {
        let mut pairs = Vec::new();
        let mut at = self.0;
        while !at.is_null() {
            // SAFETY: no zero was found before `at`, so this name is readable by the contract of `adopt`.
            let name = unsafe { at.read_unaligned() };
            if name == T::default() {
                break;
            }
            // SAFETY: the name is not zero, so its value is readable by the contract of `adopt`.
            let value = unsafe { at.wrapping_add(1).read_unaligned() };
            pairs.push((name, value));
            at = at.wrapping_add(2);
        }
        pairs
    }
}

/// A list as [`Properties`] is one, in which the values of some names are themselves lists that end with a zero.
#[derive(Copy, Clone)]
pub(crate) struct PropertyLists<T: 'static> {
    start: *const T,
    /// The names whose values are lists.
    listed: &'static [T],
}

impl<T> fmt::Debug for PropertyLists<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.start)
    }
}

impl<T: Copy + Default + PartialEq> PropertyLists<T> {
    /// Takes a list.
    ///
    /// # Safety
    /// For the duration of the call, `start` must be null or valid for reading names with their values up to a zero in place
    /// of a name. The values of the `listed` names must be valid up to a zero, other values for one element.
    pub(crate) unsafe fn adopt(start: *const T, listed: &'static [T]) -> Self {
        PropertyLists { start, listed }
    }

    /// Returns whether the pointer is null.
    pub(crate) fn is_null(&self) -> bool {
        self.start.is_null()
    }

    /// Returns the names with their values, or `None` if a name is not known. Nothing after an unknown name is read.
    fn known(self, is_known: impl Fn(T) -> bool) -> Option<Vec<(T, Vec<T>)>> {
        let mut all = Vec::new();
        let mut at = self.start;
        let mut next = || {
            // SAFETY: the pointer is not null, as checked below, and no zero was found before `at` that ends the list, so
            // the element is readable by the contract of `adopt`.
            let value = unsafe { at.read_unaligned() };
            at = at.wrapping_add(1);
            value
        };
        while !self.is_null() {
            let name = next();
            if name == T::default() {
                break;
            }
            if !is_known(name) {
                return None;
            }
            let mut values = vec![next()];
            while self.listed.contains(&name) && values.last().is_some_and(|v| *v != T::default()) {
                values.push(next());
            }
            all.push((name, values));
        }
        Some(all)
    }
}

impl PropertyLists<u64> {
    /// Reads the list. CL 3.0, 5.2.1 and others: INVALID_PROPERTY if a property name is not supported, or if a name is there
    /// twice
    pub(crate) fn read(self, is_known: impl Fn(u64) -> bool) -> Result<PropertyValues> {
        let invalid = |what| Error::new(ClCode::InvalidProperty, what);
        let all = self
            .known(is_known)
            .ok_or_else(|| invalid("an unknown property"))?;
        let is_repeated =
            |(i, (name, _)): (usize, &(u64, _))| all[..i].iter().any(|(other, _)| other == name);
        match all.iter().enumerate().any(is_repeated) {
            true => Err(invalid("a property is there twice")),
            false => Ok(PropertyValues {
                is_null: self.is_null(),
                all,
            }),
        }
    }
}

/// The names of a property list with their values; no name occurs twice.
pub(crate) struct PropertyValues {
    is_null: bool,
    all: Vec<(u64, Vec<u64>)>,
}

impl PropertyValues {
    /// Returns the values of a name. A list has its zero at the end.
    pub(crate) fn find(&self, name: u64) -> Option<&[u64]> {
        let found = self.all.iter().find(|(other, _)| *other == name);
        found.map(|(_, values)| values.as_slice())
    }

    /// Returns the names in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = u64> {
        self.all.iter().map(|(name, _)| *name)
    }

    /// Returns all words of the list with the zero at the end. A null pointer has none.
    pub(crate) fn words(&self) -> Vec<u64> {
        if self.is_null {
            return Vec::new();
        }
        let words = self
            .all
            .iter()
            .flat_map(|(name, values)| [&[*name], values.as_slice()].concat());
        words.chain([0]).collect()
    }
}

/// A pointer to memory of the application that a command or a memory object accesses, also after the call.
#[derive(Copy, Clone)]
pub(crate) struct Host(Option<HostPtr>);

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0.map_or(0, HostPtr::address))
    }
}

impl Host {
    /// Takes a pointer.
    ///
    /// # Safety
    /// The pointer must be null, or valid for the accesses that the clause of the call describes until the command is
    /// complete (CL 5.2.2, 5.3.3: `ptr`) or the memory object is destroyed (CL 5.2.1, 5.3.1: `host_ptr` with
    /// CL_MEM_USE_HOST_PTR; with CL_MEM_COPY_HOST_PTR, for the duration of the call).
    pub(crate) unsafe fn adopt(ptr: *const c_void) -> Self {
        // SAFETY: the caller's duty, which covers the accesses that `HostPtr::new` demands.
        Host(unsafe { HostPtr::new(ptr.cast_mut().cast()) })
    }

    /// Returns the pointer, or `None` if it is null.
    pub(crate) fn ptr(self) -> Option<HostPtr> {
        self.0
    }
}

/// Reads three numbers, such as an origin or a region. A null pointer is CL_INVALID_VALUE.
pub(crate) fn triple(values: Array<usize>, what: &'static str) -> Result<[usize; 3]> {
    match [values.get(0), values.get(1), values.get(2)] {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(Error::new(ClCode::InvalidValue, what)),
    }
}

/// Adopts one argument of an entry point in the form that its declaration gives. For use by `entry!` only, in functions
/// whose caller guarantees what the declarations say.
#[macro_export]
macro_rules! adopt {
    ($arg:ident) => {
        // SAFETY: the caller of the entry point has the duty that `adopt` states.
        unsafe { $crate::args::Argument::adopt($arg) }
    };
    ($arg:ident until 0 lists $names:ident) => {
        // SAFETY: as above.
        unsafe { $crate::args::PropertyLists::adopt($arg, $names) }
    };
    ($arg:ident until 0) => {
        // SAFETY: as above.
        unsafe { $crate::args::Properties::adopt($arg) }
    };
    ($arg:ident updates $count:ident, $types:ident) => {{
        let count = $crate::args::Count::elements($count);
        // SAFETY: as above, for the structures of these types.
        unsafe { $crate::updates::Updates::adopt($arg, count, $types) }
    }};
    ($arg:ident host memory) => {
        // SAFETY: as above.
        unsafe { $crate::args::Host::adopt($arg) }
    };
    ($arg:ident $count:tt) => {{
        let count = $crate::args::Count::elements($count);
        // SAFETY: as above, for the number of elements that the declaration gives.
        unsafe { $crate::args::Array::adopt($arg, count) }
    }};
    ($arg:ident $count:tt, $lengths:ident) => {{
        let count = $crate::args::Count::elements($count);
        // SAFETY: as above, for the number of elements and the lengths that the declaration gives.
        unsafe { $crate::args::Chunks::adopt($arg, count, $lengths) }
    }};
}
