//! The verifier: the rules that hold for every module, and the additional rules of each [`Invariant`].
//!
//! A failure is never the user's fault. It is an [`InternalError`] that names the pass that ran last, the
//! function, and the instruction in text form.
//!
//! # Checklist
//!
//! Module (`module`):
//! - kernels name distinct defined void functions; before `KernelArgs`, a kernel's parameters correspond one to
//!   one to its arguments: by-reference PODs are private pointers, buffers and locals pointers of their space,
//!   images and samplers handles, other PODs values of the stated size;
//! - globals are `Constant` or `Local`, alignments are powers of two, an initializer (constant space only) has
//!   exactly the global's size, its relocations lie inside it and point into constant or global ones;
//! - undefined functions exist and have empty bodies.
//!
//! Control flow (`ssa`):
//! - each region has one owner, and each instruction occurs once, in one region;
//! - a region is not empty, its last instruction and no other is a terminator;
//! - `exit` targets an enclosing structured instruction and passes its results' types; `repeat` targets an
//!   enclosing loop and passes its region's arguments' types; `return` passes the function's type;
//! - structured instructions own the right number of regions; only loop regions have arguments, of the types
//!   of the initial values; case values are distinct and fit the selector; only loops have unroll hints.
//!
//! Values (`ssa`):
//! - the definition of each result and region argument names the instruction or region that has it;
//! - each operand is a constant, a parameter, or defined before the use in the same or an enclosing region.
//!
//! Types (`types`): each operation's operands and result, signatures of calls and intrinsics, lane numbers and
//! counts, vector widths, that constants have their type's lanes, that memory is accessed through pointers (not
//! to constant space when written) with power-of-two alignment and never with `Bool` or handles.
//!
//! Cooperative matrices (`matrix`): which types the operands and the result of an operation have.
//!
//! Invariants (`profile`): one function each.

mod invariant;
mod matrix;
mod module;
mod profile;
mod ssa;
mod types;

use crate::diag::InternalError;
use crate::ir::{Function, Inst, Module, print};
pub use invariant::{Invariant, Invariants};

/// A violated rule, with its location.
struct Fault {
    message: String,
    inst: Option<Inst>,
}

impl Fault {
    fn new(message: impl Into<String>) -> Self {
        Fault {
            message: message.into(),
            inst: None,
        }
    }
    fn at(inst: Inst, message: impl Into<String>) -> Self {
        Fault {
            message: message.into(),
            inst: Some(inst),
        }
    }
}

/// Checks a module; `after` is the name of the pass that ran last.
pub fn module(module: &Module, invariants: Invariants, after: &'static str) -> Result<(), InternalError> {
    let in_module = |f: Fault| InternalError::new(after, f.message);
    module::check(module, invariants).map_err(in_module)?;
    for (id, func) in module.funcs.iter() {
        if module.undefined.contains(&id) {
            continue;
        }
        function(module, func, invariants).map_err(|f| in_function(func, f, after))?;
    }
    for invariant in invariants.iter() {
        profile::check_module(module, invariant).map_err(in_module)?;
    }
    Ok(())
}

fn function(module: &Module, func: &Function, invariants: Invariants) -> Result<(), Fault> {
    ssa::check(module, func)?;
    for invariant in invariants.iter() {
        if invariant != Invariant::Ssa {
            profile::check_function(func, invariant)?;
        }
    }
    Ok(())
}

fn in_function(func: &Function, fault: Fault, after: &'static str) -> InternalError {
    let mut message = format!("function '{}': {}", func.name, fault.message);
    if let Some(inst) = fault.inst {
        message.push_str(&format!("\n  {}", print::inst_text(func, inst)));
    }
    InternalError::new(after, message)
}
