//! Rules for kernels, globals and undefined functions.

use super::Fault;
use super::{Invariant, Invariants};
use crate::ir::{AddressSpace, ArgKind, EntityRef, GlobalData, KernelInfo, Module, Scalar, Ty};

pub(super) fn check(module: &Module, invariants: Invariants) -> Result<(), Fault> {
    for (id, global) in module.globals.iter() {
        check_global(module, global).map_err(|what| Fault::new(format!("global {id}: {what}")))?;
    }
    for id in &module.undefined {
        let func = module
            .funcs
            .get(*id)
            .ok_or_else(|| Fault::new(format!("undefined function {id} does not exist")))?;
        if !func.regions[func.body].insts.is_empty() {
            return Err(Fault::new(format!(
                "undefined function '{}' has a body",
                func.name
            )));
        }
    }
    let mut seen = vec![false; module.funcs.len()];
    for kernel in &module.kernels {
        let in_kernel = |what: String| Fault::new(format!("kernel '{}': {what}", kernel.name));
        if module.funcs.get(kernel.func).is_none() || module.undefined.contains(&kernel.func) {
            return Err(in_kernel("has no function".into()));
        }
        if std::mem::replace(&mut seen[kernel.func.index()], true) {
            return Err(in_kernel("shares its function with another kernel".into()));
        }
        if !module.funcs[kernel.func].results.is_empty() {
            return Err(in_kernel("returns a value".into()));
        }
        if !invariants.contains(Invariant::KernelArgs) {
            check_args(module, kernel).map_err(in_kernel)?;
        }
    }
    Ok(())
}

fn check_global(module: &Module, global: &GlobalData) -> Result<(), String> {
    use AddressSpace::{Constant, Global, Local};
    if !matches!(global.space, Constant | Global | Local) {
        return Err(format!("is in space {}", global.space));
    }
    if !global.align.is_power_of_two() {
        return Err(format!("has alignment {}", global.align));
    }
    let Some(init) = &global.init else {
        return Ok(());
    };
    if global.space == Local {
        return Err("has an initializer and is in local space".into());
    }
    let short = global.space == Global && init.bytes.len() <= global.size as usize;
    if init.bytes.len() != global.size as usize && !short {
        return Err(format!(
            "of {} bytes has {} initial ones",
            global.size,
            init.bytes.len()
        ));
    }
    for (at, target, _) in &init.relocations {
        if u64::from(*at) + 8 > u64::from(global.size) {
            return Err(format!("has a relocation at {at}, outside"));
        }
        if module
            .globals
            .get(*target)
            .is_none_or(|t| !matches!(t.space, Constant | Global))
        {
            return Err(format!("points to {target}, which is no constant or global one"));
        }
    }
    Ok(())
}

fn check_args(module: &Module, kernel: &KernelInfo) -> Result<(), String> {
    let func = &module.funcs[kernel.func];
    if func.params.len() != kernel.args.len() {
        let (params, args) = (func.params.len(), kernel.args.len());
        return Err(format!("has {params} parameters and {args} arguments"));
    }
    for (&param, arg) in func.params.iter().zip(&kernel.args) {
        let ty = func.ty(param);
        let fits = match &arg.kind {
            ArgKind::Pod { by_ref: true, .. } => ty == Ty::ptr(AddressSpace::Private),
            // A vector with 3 lanes has the size of a vector with 4 lanes (6.1.5).
            ArgKind::Pod { size, .. } => {
                ty.bytes() == *size
                    || (ty.lanes == 3 && ty.scalar.bytes() * 4 == *size) && !ty.scalar.is_ptr()
            }
            ArgKind::Buffer { space, .. } => {
                matches!(space, AddressSpace::Global | AddressSpace::Constant) && ty == Ty::ptr(*space)
            }
            ArgKind::Local { .. } => ty == Ty::ptr(AddressSpace::Local),
            ArgKind::Image { .. } => ty == Ty::of(Scalar::Image),
            ArgKind::Sampler => ty == Ty::of(Scalar::Sampler),
        };
        if !fits {
            return Err(format!(
                "argument '{}' of kind {:?} is a {ty}",
                arg.name, arg.kind
            ));
        }
    }
    Ok(())
}
