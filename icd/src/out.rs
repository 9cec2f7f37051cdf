//! Results to raw memory: error codes, the answers of every `clGet*Info`, counted lists.

use std::ffi::c_void;

use caldera_runtime::error::{ClCode, Error, Result};

use crate::abi::{cl_bool, cl_int};
use crate::args::Ptr;

/// `CL_SUCCESS`.
pub(crate) const SUCCESS: cl_int = 0;

/// The one place where a code becomes the number that the application sees.
pub(crate) fn number(code: ClCode) -> cl_int {
    code.number()
}

/// Proof that an answer was written (or that the caller only wanted its size).
pub(crate) struct Written(());

/// A value without padding whose bytes are the answer.
///
/// # Safety
/// Every byte of every value is initialised.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => {$(
        // SAFETY: no padding.
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
    [usize; 3],
    crate::abi::cl_name_version,
    crate::abi::cl_image_format,
);

/// Where a `clGet*Info` call wants its answer.
#[derive(Copy, Clone)]
pub(crate) struct Info {
    size: usize,
    value: Ptr<c_void>,
    size_ret: Ptr<usize>,
}

impl Info {
    /// From `param_value_size`, `param_value`, `param_value_size_ret`.
    pub(crate) fn new(size: usize, value: Ptr<c_void>, size_ret: Ptr<usize>) -> Self {
        Info {
            size,
            value,
            size_ret,
        }
    }

    /// Answers with bytes.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<Written> {
        if !self.value.is_null() {
            // CL 5: INVALID_VALUE if param_value_size is less than the size of the answer and param_value is not NULL
            if self.size < bytes.len() {
                return Err(Error::new(ClCode::InvalidValue, "param_value_size is too small"));
            }
            let to: Ptr<u8> = self.value.cast();
            // SAFETY: `value` is not null and by the clause of the call has room for `size` bytes, which is enough.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.raw(), bytes.len()) };
        }
        self.size_ret.write(bytes.len());
        Ok(Written(()))
    }

    /// Answers with a list of values.
    pub(crate) fn slice<T: Plain>(self, values: &[T]) -> Result<Written> {
        // SAFETY: `Plain` values have no uninitialised bytes, and the length is the slice's own.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        self.bytes(bytes)
    }

    /// Answers with one value.
    pub(crate) fn value<T: Plain>(self, value: T) -> Result<Written> {
        self.slice(&[value])
    }

    /// Answers with a `cl_bool`.
    pub(crate) fn bool(self, value: bool) -> Result<Written> {
        self.value(cl_bool::from(value))
    }

    /// Answers with a zero-terminated string.
    pub(crate) fn text(self, text: &str) -> Result<Written> {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
        self.bytes(&bytes)
    }

    /// The query does not exist.
    pub(crate) fn unknown(self, param_name: u32) -> Result<Written> {
        Err(Error::new(
            ClCode::InvalidValue,
            format!("param_name {param_name:#x} is not a query of this object"),
        ))
    }

    /// Where the caller wants the raw answer, for answers that are written through pointers in it
    /// (CL_PROGRAM_BINARIES): `param_value_size`, `param_value`, `param_value_size_ret`.
    pub(crate) fn parts(self) -> (usize, Ptr<c_void>, Ptr<usize>) {
        (self.size, self.value, self.size_ret)
    }

    /// For answers that were written through [`Info::parts`].
    pub(crate) fn written(self, size: usize) -> Written {
        self.size_ret.write(size);
        Written(())
    }
}

/// Answers a `(num_entries, list, num_ret)` call: as many as there is room for, and how many there are.
pub(crate) fn counted<T: Copy>(all: &[T], num_entries: u32, list: Ptr<T>, num_ret: Ptr<u32>) {
    for (i, value) in all.iter().take(num_entries as usize).enumerate() {
        list.write_at(i, *value);
    }
    num_ret.write(all.len() as u32);
}
