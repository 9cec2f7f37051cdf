//! The code of a module in the driver's form.
//!
//! A driver reads a whole shader module for each pipeline that it makes from it. So a module with several kernels is
//! divided, and each kernel that is launched gets a shader module of its own.

use std::sync::Arc;

use caldera_compiler::spirv::Divisible;
use once_cell::sync::OnceCell;

use crate::error::{ClCode, Error, Result};
use crate::vk;

/// The shader modules of a program on a device.
pub(super) struct Code {
    device: Arc<vk::Device>,
    form: Form,
    uses_subgroups: bool,
    uses_matrices: bool,
}

enum Form {
    /// A program without kernels, which is not a shader in Vulkan's terms.
    Empty,
    Whole(vk::Shader),
    /// The shader modules of the kernels, by their index in the reflection, made with the first pipeline of each.
    Divided(Divisible, Box<[OnceCell<vk::Shader>]>),
}

fn shader(device: &Arc<vk::Device>, words: &[u32]) -> Result<vk::Shader> {
    vk::Shader::new(device, words).map_err(|e| {
        Error::new(ClCode::OutOfResources, "the driver refuses the shader module").from_source(e)
    })
}

impl Code {
    /// Takes a module without reflection that has `kernels` kernels. `words` is valid SPIR-V for the device.
    pub(super) fn new(device: &Arc<vk::Device>, words: Vec<u32>, kernels: usize) -> Result<Code> {
        let uses_subgroups = vk::uses_subgroups(&words);
        let uses_matrices = vk::uses_matrices(&words);
        let form = match kernels {
            0 => Form::Empty,
            1 => Form::Whole(shader(device, &words)?),
            _ => match Divisible::new(words) {
                Ok(divisible) => Form::Divided(divisible, (0..kernels).map(|_| OnceCell::new()).collect()),
                Err(words) => Form::Whole(shader(device, &words)?),
            },
        };
        Ok(Code {
            device: Arc::clone(device),
            form,
            uses_subgroups,
            uses_matrices,
        })
    }

    /// Returns whether the code may depend on the sub-group size.
    pub(super) fn uses_subgroups(&self) -> bool {
        self.uses_subgroups
    }

    /// Returns whether the code has cooperative matrices, so that it is for full sub-groups only.
    pub(super) fn uses_matrices(&self) -> bool {
        self.uses_matrices
    }

    /// Returns the shader module with a kernel, given its index and its name.
    pub(super) fn shader(&self, index: usize, name: &str) -> Result<&vk::Shader> {
        match &self.form {
            Form::Empty => Err(absent(name)),
            Form::Whole(shader) => Ok(shader),
            Form::Divided(divisible, shaders) => shaders[index].get_or_try_init(|| {
                let words = divisible.kernel(name).ok_or_else(|| absent(name))?;
                shader(&self.device, &words)
            }),
        }
    }
}

fn absent(name: &str) -> Error {
    Error::new(
        ClCode::InvalidBinary,
        format!("the module has no code of kernel '{name}'"),
    )
}
