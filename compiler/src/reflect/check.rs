//! Consistency of a module's reflection with the module's code and with itself.

use super::interface::Interface;
use super::{Binding, Kernel, Packing, Reflection, ReflectionError, spec_id};
use crate::abi::MAX_LOCAL_SIZE;

/// Compares a kernel's reflection with its code, and adds what only the code states. `sized` says whether the
/// module's work-group size is a specialization constant; `variables` has the sizes of work-group variables.
pub(super) fn kernel(
    kernel: &mut Kernel,
    function: u32,
    sized: bool,
    interface: &Interface,
    variables: &[(u32, u32)],
) -> Result<(), ReflectionError> {
    let name = kernel.name.clone();
    let bad = |what| ReflectionError::Contradiction {
        kernel: name.clone(),
        what,
    };
    if !interface.is_entry(function, &kernel.name) {
        return Err(bad("it is no entry point"));
    }
    match kernel.required_size {
        None if !sized => return Err(bad("nothing sets its work-group size")),
        Some(size) if !sized && interface.local_size(function) != Some(size) => {
            return Err(bad("its work-group size is another one"));
        }
        Some(size) if size.iter().any(|n| !(1..=MAX_LOCAL_SIZE).contains(n)) => {
            return Err(bad("its work-group size is out of range"));
        }
        None | Some(_) => {}
    }
    let named = interface.variables(function);
    kernel.resources = interface.resources(&named).map_err(bad)?;
    for arg in &mut kernel.args {
        if let Some(
            Binding::SampledImage(at)
            | Binding::StorageImage(at)
            | Binding::UniformTexelBuffer(at)
            | Binding::StorageTexelBuffer(at),
        ) = arg.binding
            && let Some(used) = kernel.resources.iter().find(|r| r.at == at)
        {
            arg.image_type = used.image_type;
        }
    }
    for (variable, size) in variables {
        if named.contains(variable) {
            kernel.local_fixed = kernel.local_fixed.saturating_add(*size);
        }
    }
    if kernel.local_apart > kernel.local_fixed {
        return Err(bad("more local memory is outside of its arena than it has"));
    }
    Ok(())
}

/// Checks that no specialization constant has two meanings.
pub(super) fn spec_ids(reflection: &Reflection) -> Result<(), ReflectionError> {
    let spec = &reflection.spec;
    let threes = [spec.workgroup_size, spec.global_offset];
    let mut module: Vec<u32> = threes.into_iter().flatten().flatten().collect();
    module.extend(spec.work_dim);
    module.extend(spec.subgroup_max_size);
    for kernel in std::iter::once(None).chain(reflection.kernels.iter().map(Some)) {
        let mut ids = module.clone();
        if let Some(kernel) = kernel {
            if let Some(Packing::Constants(pack)) = kernel.packing {
                ids.extend(pack);
            }
            ids.extend(kernel.has_arena.then_some(spec_id::LOCAL_BYTES));
            ids.extend(kernel.args.iter().filter_map(|a| match a.binding {
                Some(Binding::Workgroup {
                    spec_id,
                    offset: None,
                    ..
                }) => Some(spec_id),
                _ => None,
            }));
        }
        ids.sort_unstable();
        if ids.windows(2).any(|w| w[0] == w[1]) {
            return Err(ReflectionError::Contradiction {
                kernel: kernel.map(|k| k.name.clone()).unwrap_or_default(),
                what: "two things have one specialization constant",
            });
        }
    }
    Ok(())
}
