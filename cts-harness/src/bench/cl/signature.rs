//! Queries the kernels of a built program and their parameters.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use super::{Argument, Kernel, Program, check};
use crate::Failure;
use opencl_sys::{
    CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_NUM_ARGS, CL_PROGRAM_KERNEL_NAMES, cl_int,
};
use serde::{Deserialize, Serialize};
use std::ffi::c_void;
use std::ptr::null_mut;

/// The size in bytes of the largest value that a parameter may have. Larger sizes are not tried.
const LARGEST_VALUE: usize = 512;

/// A description of a kernel, from clGetKernelInfo, clGetKernelWorkGroupInfo and clGetKernelArgInfo.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Signature {
    pub(crate) kernel: String,
    /// The work-group size that the attribute `reqd_work_group_size` demands, or zeros if the kernel has none.
    pub(crate) required: [usize; 3],
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter of a kernel.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    /// The answer of CL_KERNEL_ARG_ADDRESS_QUALIFIER.
    pub(crate) address: u32,
    /// The answer of CL_KERNEL_ARG_TYPE_NAME.
    pub(crate) type_name: String,
    /// The size of a value in bytes, or 0 for a pointer, an image or a sampler. No query returns this size, so it
    /// is the smallest size that clSetKernelArg accepts.
    pub(crate) bytes: usize,
}

/// Returns the answer to a query of any length. `ask` makes the query, once to learn the length and once for the
/// answer; it takes the size and the address of a buffer, and the address at which the length is stored.
fn bytes(call: &str, ask: &dyn Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>, Failure> {
    let mut size = 0;
    check(ask(0, null_mut(), &raw mut size), call)?;
    let mut all = vec![0u8; size];
    check(ask(size, all.as_mut_ptr().cast(), null_mut()), call)?;
    Ok(all)
}

/// Returns the text of an answer without the zeros at its end.
fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the first four bytes of an answer as a little-endian number.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |w, b| w << 8 | u32::from(*b))
}

impl Program {
    /// Returns the signatures of all kernels. The program must have been built with `-cl-kernel-arg-info`.
    pub(crate) fn signatures(&self) -> Result<Vec<Signature>, Failure> {
        let info = self.functions.clGetProgramInfo;
        let names = bytes("clGetProgramInfo", &|size, to, actual| {
            // SAFETY: the program exists, and `to` is null or has `size` bytes.
            unsafe { info(self.raw, CL_PROGRAM_KERNEL_NAMES, size, to, actual) }
        })?;
        let names = text(names);
        let names = names.split(';').filter(|n| !n.is_empty());
        names.map(|name| self.kernel(name)?.signature(name)).collect()
    }
}

impl Kernel {
    fn signature(&self, name: &str) -> Result<Signature, Failure> {
        let functions = self.functions;
        let count = bytes("clGetKernelInfo", &|size, to, actual| {
            // SAFETY: the kernel exists, and `to` is null or has `size` bytes.
            unsafe { (functions.clGetKernelInfo)(self.raw, CL_KERNEL_NUM_ARGS, size, to, actual) }
        })?;
        let group = bytes("clGetKernelWorkGroupInfo", &|size, to, actual| {
            let what = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
            // SAFETY: the kernel exists and belongs to one device, and `to` is null or has `size` bytes.
            unsafe { (functions.clGetKernelWorkGroupInfo)(self.raw, null_mut(), what, size, to, actual) }
        })?;
        let mut required = [0; 3];
        for (to, from) in required.iter_mut().zip(group.chunks_exact(size_of::<usize>())) {
            *to = word(from) as usize;
        }
        let parameters = (0..word(&count)).map(|index| {
            let ask = |what| {
                bytes("clGetKernelArgInfo", &|size, to, actual| {
                    // SAFETY: the kernel exists, and `to` is null or has `size` bytes.
                    unsafe { (functions.clGetKernelArgInfo)(self.raw, index, what, size, to, actual) }
                })
            };
            let address = word(&ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER)?);
            let type_name = text(ask(CL_KERNEL_ARG_TYPE_NAME)?);
            let is_value = address == CL_KERNEL_ARG_ADDRESS_PRIVATE && type_name != "sampler_t";
            let value = [0u8; LARGEST_VALUE];
            let fits = |&size: &usize| self.set(index as usize, Argument::Bytes(&value[..size])).is_ok();
            Ok(Parameter {
                address,
                type_name,
                bytes: (1..=LARGEST_VALUE).find(fits).filter(|_| is_value).unwrap_or(0),
            })
        });
        Ok(Signature {
            kernel: name.to_owned(),
            required,
            parameters: parameters.collect::<Result<_, Failure>>()?,
        })
    }
}
