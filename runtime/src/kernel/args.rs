//! The values that kernel arguments accept (CL 5.7.2), according to the module's reflection.

use std::sync::Arc;

use caldera_compiler::reflect::{self, Binding, Place};

use super::launch::{ArgValue, PodBytes};
use crate::config::{ClVersion, config};
use crate::device::images::is_read_and_written;
use crate::error::{ClCode, Error, Result};
use crate::mem::Image;

/// The values of `CL_KERNEL_ARG_ADDRESS_*`, which the reflection contains.
mod address {
    pub(super) const GLOBAL: u32 = 0x119B;
    pub(super) const LOCAL: u32 = 0x119C;
    pub(super) const CONSTANT: u32 = 0x119D;
}

/// CL_KERNEL_ARG_ACCESS_READ_WRITE in the reflection.
const ACCESS_READ_WRITE: u32 = 0x11A2;
/// The bit CL_KERNEL_ARG_TYPE_PIPE of the type qualifier in the reflection.
const TYPE_PIPE: u32 = 8;

/// The values that clSetKernelArg accepts for an argument.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A plain value of this many bytes.
    Pod(u32),
    /// A plain value that the kernel does not use, so the module does not state its size.
    UnusedPod,
    /// Any value: the kernel does not use the argument, and the module does not state its type.
    Unknown,
    /// A buffer or a null pointer, for a `global` or `constant` pointer.
    Buffer,
    /// A pipe.
    Pipe,
    /// A size in bytes, for a `local` pointer.
    Local,
    /// A sampler.
    Sampler,
    /// An image, which the kernel writes or reads, or both. If the module states the `CL_MEM_OBJECT_IMAGE…` type,
    /// the image must have it.
    Image {
        /// Whether the kernel reads the image.
        read: bool,
        /// Whether the kernel writes the image.
        write: bool,
        /// The required `CL_MEM_OBJECT_IMAGE…` type.
        ty: Option<u32>,
    },
}

/// Returns the kinds of a kernel's arguments, by ordinal.
pub(super) fn kinds(kernel: &reflect::Kernel) -> Vec<ArgKind> {
    kernel.args.iter().map(ArgKind::of).collect()
}

/// Returns whether an argument is a pointer to constant memory.
pub(super) fn is_constant(info: &reflect::ArgInfo) -> bool {
    info.address_qualifier == Some(address::CONSTANT)
}

fn is_pipe(info: &reflect::ArgInfo) -> bool {
    info.type_qualifier.is_some_and(|bits| bits & TYPE_PIPE != 0)
}

fn size(place: Place) -> u32 {
    match place {
        Place::Push(range) => range.size,
        Place::Uniform { size, .. } | Place::Storage { size, .. } => size,
    }
}

impl ArgKind {
    /// Returns the kind of an argument.
    pub(crate) fn of(arg: &reflect::Arg) -> ArgKind {
        if arg.info.as_ref().is_some_and(is_pipe) {
            return ArgKind::Pipe;
        }
        match arg.binding {
            Some(Binding::Pod(place)) => ArgKind::Pod(size(place)),
            Some(Binding::Pointer(_) | Binding::StorageBuffer(_) | Binding::UniformBuffer(_)) => {
                ArgKind::Buffer
            }
            Some(Binding::Workgroup { .. }) => ArgKind::Local,
            Some(Binding::Sampler(_) | Binding::NormalizedSampler(_)) => ArgKind::Sampler,
            Some(Binding::SampledImage(_) | Binding::UniformTexelBuffer(_)) => ArgKind::Image {
                read: true,
                write: false,
                ty: arg.image_type,
            },
            Some(Binding::StorageImage(_) | Binding::StorageTexelBuffer(_)) => ArgKind::Image {
                read: arg.info.as_ref().and_then(|i| i.access_qualifier) == Some(ACCESS_READ_WRITE),
                write: true,
                ty: arg.image_type,
            },
            None => match arg.info.as_ref().and_then(|i| i.address_qualifier) {
                Some(address::GLOBAL | address::CONSTANT) => ArgKind::Buffer,
                Some(address::LOCAL) => ArgKind::Local,
                Some(_) => ArgKind::UnusedPod,
                None => ArgKind::Unknown,
            },
        }
    }

    /// Checks `arg_size`, and whether `arg_value` may be or must not be NULL, before anything is read from it.
    pub fn check(self, arg_size: usize, has_value: bool) -> Result<()> {
        let wrong_size = |wanted: usize| {
            Error::new(
                ClCode::InvalidArgSize,
                format!("the argument has {wanted} bytes, not {arg_size}"),
            )
            .at("5.7.2")
        };
        let no_value = || Error::new(ClCode::InvalidArgValue, "arg_value is NULL").at("5.7.2");
        match self {
            // CL 5.7.2: INVALID_ARG_SIZE if arg_size is zero and the argument is declared with the local qualifier
            // (before OpenCL 3.1); INVALID_ARG_VALUE if the arg_value specified is not NULL for it
            ArgKind::Local => {
                if has_value {
                    return Err(
                        Error::new(ClCode::InvalidArgValue, "a local argument has no value").at("5.7.2"),
                    );
                }
                if arg_size == 0 && config().cl_version < ClVersion::V3_1 {
                    return Err(Error::new(ClCode::InvalidArgSize, "no bytes of local memory").at("5.7.2"));
                }
                Ok(())
            }
            // CL 5.7.2: INVALID_ARG_SIZE if arg_size does not match the size of the data type, or for a memory
            // object or sampler is not the size of a handle; INVALID_ARG_VALUE if arg_value is NULL for an
            // argument that needs a value
            ArgKind::Pod(size) => {
                if !has_value {
                    return Err(no_value());
                }
                if arg_size != size as usize {
                    return Err(wrong_size(size as usize));
                }
                Ok(())
            }
            ArgKind::UnusedPod => {
                if has_value {
                    Ok(())
                } else {
                    Err(no_value())
                }
            }
            ArgKind::Unknown => Ok(()),
            // CL 5.7.2: INVALID_SAMPLER if arg_value is not a valid sampler object, and NULL is not one.
            ArgKind::Sampler if !has_value => {
                Err(Error::new(ClCode::InvalidSampler, "arg_value is NULL").at("5.7.2"))
            }
            ArgKind::Image { .. } | ArgKind::Pipe if !has_value => Err(no_value()),
            // For a pointer, a NULL arg_value is a null pointer; arg_size is checked as for any memory object.
            ArgKind::Buffer | ArgKind::Pipe | ArgKind::Sampler | ArgKind::Image { .. } => {
                if arg_size != size_of::<usize>() {
                    return Err(wrong_size(size_of::<usize>()));
                }
                Ok(())
            }
        }
    }

    /// Returns the value of an image argument. CL 5.7.2: INVALID_MEM_OBJECT for an image of another type than
    /// the argument's; INVALID_ARG_VALUE if kernels may not read (write) the image as the argument's qualifier
    /// demands.
    pub fn image(self, image: Arc<Image>) -> Result<ArgValue> {
        let ArgKind::Image { read, write, ty } = self else {
            return Err(Error::new(ClCode::InvalidArgValue, "an image").at("5.7.2"));
        };
        if ty.is_some_and(|ty| ty != image.image_type() as u32) {
            return Err(Error::new(ClCode::InvalidMemObject, "an image of another type").at("5.7.2"));
        }
        if write && !image.kernel_writes() || read && !image.kernel_reads() {
            return Err(
                Error::new(ClCode::InvalidArgValue, "the image's flags forbid the access").at("5.7.2"),
            );
        }
        // CL 2.0, 5.3.2.2: only images of the formats for CL_MEM_KERNEL_READ_AND_WRITE may have the qualifier read_write
        if read && write && !is_read_and_written(image.format()) {
            let what = "kernels cannot both read and write an image of this format";
            return Err(Error::new(ClCode::InvalidArgValue, what).at("2.0 5.3.2"));
        }
        Ok(ArgValue::Image { image, write })
    }

    /// Returns the value of a plain argument.
    pub fn pod(bytes: &[u8]) -> ArgValue {
        ArgValue::Pod(PodBytes::new(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_values() {
        let code = |kind: ArgKind, size, value| kind.check(size, value).map_err(|e| e.code);
        let (bad_size, bad_value) = (Err(ClCode::InvalidArgSize), Err(ClCode::InvalidArgValue));
        assert_eq!(code(ArgKind::Pod(4), 4, true), Ok(()));
        assert_eq!(code(ArgKind::Pod(4), 8, true), bad_size);
        assert_eq!(code(ArgKind::Pod(4), 4, false), bad_value);
        assert_eq!(code(ArgKind::Local, 16, false), Ok(()));
        assert_eq!(code(ArgKind::Local, 0, false), bad_size);
        assert_eq!(code(ArgKind::Local, 16, true), bad_value);
        assert_eq!(code(ArgKind::Buffer, 8, true), Ok(()));
        assert_eq!(code(ArgKind::Buffer, 4, true), bad_size);
        assert_eq!(code(ArgKind::Buffer, 8, false), Ok(()));
        assert_eq!(code(ArgKind::Buffer, 4, false), bad_size);
        assert_eq!(code(ArgKind::Buffer, 0, false), bad_size);
        assert_eq!(code(ArgKind::Sampler, 8, false), Err(ClCode::InvalidSampler));
    }
}
