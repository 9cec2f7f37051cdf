//! Conversion of results to the C API: error codes, the answers of every `clGet*Info`, counted lists.

use std::ffi::{CStr, c_char, c_void};

use caldera_runtime::error::{ClCode, Error, Result};

use crate::abi::{cl_bool, cl_int};
use crate::args::{Array, Plain, Ptr};

/// `CL_SUCCESS`.
pub(crate) const SUCCESS: cl_int = 0;

/// Converts an error code to the number that an entry point returns.
pub(crate) fn number(code: ClCode) -> cl_int {
    code.number()
}

/// The proof that an answer was written, or only its size if the caller asked for no more.
pub(crate) struct Written(());

/// The memory to which a `clGet*Info` call writes its answer.
#[derive(Copy, Clone)]
pub(crate) struct Info {
    value: Array<c_void>,
    size_ret: Ptr<usize>,
}

impl Info {
    /// Takes the arguments `param_value`, with its size, and `param_value_size_ret` of a query.
    pub(crate) fn new(value: Array<c_void>, size_ret: Ptr<usize>) -> Self {
        Info { value, size_ret }
    }

    /// Answers with bytes, or with CL_INVALID_VALUE if the caller's memory is too small.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<Written> {
        // CL 5: INVALID_VALUE if param_value_size is less than the size of the answer and param_value is not NULL
        if !self.value.store(bytes) {
            return Err(Error::new(ClCode::InvalidValue, "param_value_size is too small"));
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

    /// Answers with a list of zero-terminated strings that exist as long as the library.
    pub(crate) fn strings(self, texts: &[&'static CStr]) -> Result<Written> {
        let texts: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        self.slice(&texts)
    }

    /// Answers with a `cl_bool`.
    pub(crate) fn bool(self, value: bool) -> Result<Written> {
        self.value(cl_bool::from(value))
    }

    /// Answers with the sizes of a work-group, in as many dimensions as the caller's memory has room for.
    pub(crate) fn dimensions(self, sizes: [usize; 3]) -> Result<Written> {
        match self.value.len() / size_of::<usize>() {
            count @ (1 | 2) => self.slice(&sizes[..count]),
            _ => self.slice(&sizes),
        }
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

    /// Answers CL_PROGRAM_BINARIES: `param_value` is an array of pointers that the application has filled in. Each
    /// binary is written to the address of its pointer, unless that is NULL.
    ///
    /// # Safety
    /// The query is CL_PROGRAM_BINARIES of the program that has these binaries. So, if `param_value` is not NULL, each
    /// of its pointers is NULL or valid for writing its binary (CL 5.6.7).
    pub(crate) unsafe fn binaries(self, binaries: &[Vec<u8>]) -> Result<Written> {
        let size = binaries.len() * size_of::<*mut u8>();
        if let Some(given) = self.value.bytes() {
            // CL 5.6.7: INVALID_VALUE if param_value_size is less than the size of the answer
            let Some(given) = given.get(..size) else {
                return Err(Error::new(ClCode::InvalidValue, "param_value_size is too small").at("5.6.7"));
            };
            let places = given.as_chunks::<{ size_of::<usize>() }>().0;
            for (place, binary) in places.iter().zip(binaries) {
                let place = std::ptr::with_exposed_provenance_mut::<u8>(usize::from_ne_bytes(*place));
                if !place.is_null() {
                    // SAFETY: the pointer is not null, so it is valid for this binary by the caller's duty.
                    unsafe { std::ptr::copy_nonoverlapping(binary.as_ptr(), place, binary.len()) };
                }
            }
        }
        self.size_ret.write(size);
        Ok(Written(()))
    }
}

/// Answers a call with the arguments `(num_entries, list, num_ret)`: writes as many values as the list has room for,
/// and the number of all values. Null pointers are skipped.
pub(crate) fn counted<T: Copy>(all: &[T], list: Array<T>, num_ret: Ptr<u32>) {
    for (i, value) in all.iter().enumerate() {
        list.write(i, *value);
    }
    num_ret.write(all.len() as u32);
}
