//! Conversion of results to the C API: error codes, the answers of every `clGet*Info`, counted lists.

use std::ffi::c_void;

use caldera_runtime::error::{ClCode, Error, Result};

use crate::abi::{cl_bool, cl_int};
use crate::args::Ptr;

/// `CL_SUCCESS`.
pub(crate) const SUCCESS: cl_int = 0;

/// Converts an error code to the number that the application sees. No other function does this.
pub(crate) fn number(code: ClCode) -> cl_int {
    code.number()
}

/// The proof that an answer was written, or only its size if the caller asked for no more.
pub(crate) struct Written(());

/// A type whose values have no padding, so that their bytes can be the answer to a query.
///
/// # Safety
/// Every byte of every value is initialised.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => {$(
        // SAFETY: the type has no padding.
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

/// The memory to which a `clGet*Info` call writes its answer.
#[derive(Copy, Clone)]
pub(crate) struct Info {
    size: usize,
    value: Ptr<c_void>,
    size_ret: Ptr<usize>,
}

impl Info {
    /// Takes the arguments `param_value_size`, `param_value` and `param_value_size_ret` of a query.
    pub(crate) fn new(size: usize, value: Ptr<c_void>, size_ret: Ptr<usize>) -> Self {
        Info {
            size,
            value,
            size_ret,
        }
    }

    /// Answers with bytes, or with CL_INVALID_VALUE if the caller's memory is too small.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<Written> {
        if !self.value.is_null() {
            // CL 5: INVALID_VALUE if param_value_size is less than the size of the answer and param_value is not NULL
            if self.size < bytes.len() {
                return Err(Error::new(ClCode::InvalidValue, "param_value_size is too small"));
            }
            let to: Ptr<u8> = self.value.cast();
            // SAFETY: `value` is not null, and by the clause of the call it is writable for `self.size` bytes,
            // which is at least the length of the answer, as checked above.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.raw(), bytes.len()) };
        }
        self.size_ret.write(bytes.len());
        Ok(Written(()))
    }

    /// Answers with a list of values.
    pub(crate) fn slice<T: Plain>(self, values: &[T]) -> Result<Written> {
        // SAFETY: values of a `Plain` type have no uninitialised bytes, and the length is that of the slice.
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

    /// Answers CL_INVALID_VALUE, because the object has no such query.
    pub(crate) fn unknown(self, param_name: u32) -> Result<Written> {
        Err(Error::new(
            ClCode::InvalidValue,
            format!("param_name {param_name:#x} is not a query of this object"),
        ))
    }

    /// Returns `param_value_size`, `param_value` and `param_value_size_ret` themselves, for an answer that is written
    /// through pointers in `param_value` (CL_PROGRAM_BINARIES).
    pub(crate) fn parts(self) -> (usize, Ptr<c_void>, Ptr<usize>) {
        (self.size, self.value, self.size_ret)
    }

    /// Completes an answer that was written through [`Info::parts`]: reports its size in bytes.
    pub(crate) fn written(self, size: usize) -> Written {
        self.size_ret.write(size);
        Written(())
    }
}

/// Answers a call with the arguments `(num_entries, list, num_ret)`: writes at most `num_entries` values, and the
/// number of all values. Null pointers are skipped.
pub(crate) fn counted<T: Copy>(all: &[T], num_entries: u32, list: Ptr<T>, num_ret: Ptr<u32>) {
    for (i, value) in all.iter().take(num_entries as usize).enumerate() {
        list.write_at(i, *value);
    }
    num_ret.write(all.len() as u32);
}
