//! The code of a module in the driver's form.
//!
//! A driver reads a whole shader module for each pipeline that it makes from it. So a module with several kernels is
//! divided, and each kernel that is launched gets a shader module of its own.

use std::sync::Arc;

use caldera_compiler::reflect;
use caldera_compiler::spirv::Divisible;
use once_cell::sync::OnceCell;

use crate::error::{ClCode, Error, Result};
use crate::vk;

/// The shader modules of a program on a device.
pub(super) struct Code {
    device: Arc<vk::Device>,
    form: Form,
    uses_subgroups: bool,
    /// Whether each kernel has cooperative matrices, by its index in the reflection.
    with_matrices: Vec<bool>,
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

/// Returns for each kernel whether its part of a module has cooperative matrices.
fn with_matrices(divisible: &Divisible, kernels: &[reflect::Kernel]) -> Vec<bool> {
    let parts = kernels.iter().map(|k| divisible.kernel(&k.name));
    parts
        .map(|part| part.is_none_or(|words| vk::uses_matrices(&words)))
        .collect()
}

impl Code {
    /// Takes a module without reflection that has these kernels. `words` is valid SPIR-V for the device.
    pub(super) fn new(
        device: &Arc<vk::Device>,
        words: Vec<u32>,
        kernels: &[reflect::Kernel],
    ) -> Result<Code> {
        let uses_subgroups = vk::uses_subgroups(&words);
        let uses_matrices = vk::uses_matrices(&words);
        let form = match kernels.len() {
            0 => Form::Empty,
            1 => Form::Whole(shader(device, &words)?),
            _ => match Divisible::new(words) {
                Ok(divisible) => {
                    let shaders = kernels.iter().map(|_| OnceCell::new()).collect();
                    Form::Divided(divisible, shaders)
                }
                Err(words) => Form::Whole(shader(device, &words)?),
            },
        };
        let with_matrices = match &form {
            Form::Divided(divisible, _) if uses_matrices => with_matrices(divisible, kernels),
            Form::Empty | Form::Whole(_) | Form::Divided(..) => vec![uses_matrices; kernels.len()],
        };
        Ok(Code {
            device: Arc::clone(device),
            form,
            uses_subgroups,
            with_matrices,
        })
    }

    /// Returns whether the code may depend on the sub-group size.
    pub(super) fn uses_subgroups(&self) -> bool {
        self.uses_subgroups
    }

    /// Returns whether the kernel with an index has cooperative matrices, so that it is for full sub-groups only.
    pub(super) fn uses_matrices(&self, index: usize) -> bool {
        self.with_matrices[index]
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

#[cfg(test)]
mod tests {
    use super::*;
    use caldera_compiler::options::Options;
    use caldera_compiler::pp::NoIncludes;
    use caldera_compiler::target::Target;
    use caldera_compiler::{Input, compile};

    /// Compiles a program; returns its module, divided, and its kernels.
    fn divided(source: &str) -> (Divisible, Vec<reflect::Kernel>) {
        let input = Input {
            name: "test.cl",
            source,
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let compiled = compile(&input, &Target::desktop());
        let Ok(compiled) = compiled else {
            panic!("it does not compile");
        };
        let reflection = reflect::read(&compiled.words).expect("reflection");
        let stripped = reflect::strip(&compiled.words).expect("a module");
        let divisible = Divisible::new(stripped).expect("it can be divided");
        (divisible, reflection.kernels)
    }

    /// A kernel without matrices may have work-groups of any size, also if another kernel of its program has them.
    #[test]
    fn each_kernel_is_known_to_have_matrices_or_not() {
        let source = "typedef float __attribute__((coop_mat(3, 16, 16, 2))) matrix;
            kernel void with(global float *p) { matrix m = coop_mat_init(1); coop_mat_store(p, m, 0, 16); }
            kernel void without(global float *p) { *p = 1; }";
        let (divisible, kernels) = divided(source);
        let names: Vec<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
        assert_eq!(names, ["with", "without"]);
        assert_eq!(with_matrices(&divisible, &kernels), [true, false]);
    }

    /// Only the kernels that use sub-groups require the driver to take a certain size, also if others of their program do.
    #[test]
    fn each_kernel_is_known_to_depend_on_subgroups_or_not() {
        let source = "void f(global uint *p) { *p = get_sub_group_size(); }
            kernel void by_number(global uint *p) { *p = get_sub_group_local_id(); }
            kernel void by_function(global uint *p) { f(p); }
            kernel void by_sum(global uint *p) { *p = sub_group_reduce_add(*p); }
            kernel void by_barrier(global uint *p) { p[0]++; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); p[1] = p[0]; }
            kernel void without(global uint *p) { *p = 1; barrier(CLK_GLOBAL_MEM_FENCE); p[3] = p[0] * 3; }";
        let (divisible, kernels) = divided(source);
        let depends = kernels.iter().map(|k| {
            let words = divisible.kernel(&k.name).expect("a part");
            assert!(vk::uses_subgroups(&words));
            vk::depends_on_subgroups(&words)
        });
        assert_eq!(depends.collect::<Vec<bool>>(), [true, true, true, true, false]);
    }
}
