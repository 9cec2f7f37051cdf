//! Determines what kernels do with the memory of their pointer arguments.
//!
//! Why: the runtime puts barriers only between commands that touch the same memory, and needs none between
//! two commands that only read it.
//! In:  `Inlined`, before `lower_kernel_args`, while kernels have parameters. The results are best after
//!      `mem2reg`.
//! Out: `KernelArg::uses` of pointers to global and constant memory, and `KernelInfo::any_memory` of kernels that
//!      access such memory through pointers from elsewhere: loaded from memory, or made of numbers.
//!
//! The analysis ignores the order of instructions. A value is *derived* from a parameter if it is the
//! parameter, or the result of pointer arithmetic, a cast or a selection on a derived value, or if a
//! structured instruction passes a derived value on. With any other use of a derived pointer (it is stored,
//! or converted to an integer) the pointer escapes, and nothing is known.

use super::shadow::is_supplied;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::{AtomicOp, Intrinsic, MatrixOp};
use crate::inv;
use crate::ir::{
    AddressSpace, ArgKind, CastOp, EntityRef, Function, Inst, Module, Op, PointerUse, Value, ValueDef,
};

pub const PASS: Pass = Pass {
    name: "gather_pointer_uses",
    about: "Determines what kernels do with the memory of their pointer arguments.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &mut module.kernels {
        let func = &module.funcs[kernel.func];
        let users = users(func);
        for (arg, &param) in kernel.args.iter_mut().zip(&func.params) {
            match arg.kind {
                ArgKind::Buffer { .. } => {
                    let uses = uses_of(func, &users, param);
                    changed |= arg.uses != uses;
                    arg.uses = uses;
                }
                ArgKind::Pod { .. } | ArgKind::Local { .. } | ArgKind::Image { .. } | ArgKind::Sampler => {}
            }
        }
        let any_memory = accesses_any_memory(func, &users);
        changed |= kernel.any_memory != any_memory;
        kernel.any_memory = any_memory;
    }
    Ok(changed.into())
}

/// Returns whether a kernel accesses global or constant memory through pointers that are not derived from its
/// parameters and not from variables of the program.
fn accesses_any_memory(func: &Function, users: &[Vec<(Inst, usize)>]) -> bool {
    let is_outside = |v: Value| {
        let space = func.ty(v).space();
        space.is_some_and(|s| !matches!(s, AddressSpace::Private | AddressSpace::Local))
    };
    func.insts_in_order().into_iter().any(|inst| {
        let data = &func.insts[inst];
        // A constant pointer is NULL or a number.
        let through_constant = data
            .args
            .iter()
            .enumerate()
            .any(|(n, &v)| func.as_const(v).is_some() && is_outside(v) && accesses(func, inst, n));
        let makes_one = !data.op.is_structured()
            && !matches!(
                data.op,
                Op::GlobalAddr(_) | Op::PtrAdd | Op::Select | Op::Cast(CastOp::PtrCast)
            )
            && !is_for_check(func, inst);
        through_constant
            || makes_one
                && data.results.iter().any(|&v| {
                    // Few values are such pointers, and following one takes time.
                    is_outside(v) && {
                        let uses = uses_of(func, users, v);
                        uses.read || uses.written
                    }
                })
    })
}

/// Returns whether an instruction makes a pointer to memory that the launch supplies for a check: of its address, or of the sum
/// of that and an offset.
fn is_for_check(func: &Function, inst: Inst) -> bool {
    func.insts[inst].op == Op::Cast(CastOp::IntToPtr) && is_supplied(func, func.insts[inst].args[0])
}

/// Returns whether an instruction accesses memory through an operand.
fn accesses(func: &Function, inst: Inst, operand: usize) -> bool {
    let mut uses = PointerUse {
        read: false,
        written: false,
        escapes: false,
    };
    step(func, inst, operand, &mut uses);
    uses.read || uses.written
}

/// Returns for each value its uses: the instruction and the number of the operand.
fn users(func: &Function) -> Vec<Vec<(Inst, usize)>> {
    let mut users = vec![Vec::new(); func.values.len()];
    for inst in func.insts_in_order() {
        for (n, arg) in func.insts[inst].args.iter().enumerate() {
            if !matches!(func.values[*arg].def, ValueDef::Const(_)) {
                users[arg.index()].push((inst, n));
            }
        }
    }
    users
}

/// Returns how a kernel uses the memory of a parameter.
fn uses_of(func: &Function, users: &[Vec<(Inst, usize)>], param: Value) -> PointerUse {
    let mut uses = PointerUse {
        read: false,
        written: false,
        escapes: false,
    };
    let mut derived = vec![false; func.values.len()];
    let mut work = vec![param];
    derived[param.index()] = true;
    while let Some(value) = work.pop() {
        for &(inst, n) in &users[value.index()] {
            if let Some(next) = step(func, inst, n, &mut uses)
                && !std::mem::replace(&mut derived[next.index()], true)
            {
                work.push(next);
            }
        }
    }
    if uses.escapes { PointerUse::default() } else { uses }
}

/// Records one use. Returns the value that it derives, if any.
fn step(func: &Function, inst: Inst, operand: usize, uses: &mut PointerUse) -> Option<Value> {
    let data = &func.insts[inst];
    match (&data.op, operand) {
        (Op::Load(_), _) | (Op::MemCpy { .. }, 1) => uses.read = true,
        (Op::Store(_), 0) | (Op::MemCpy { .. }, 0) | (Op::MemZero { .. }, _) => uses.written = true,
        (Op::PtrAdd, 0) | (Op::Select, 1..) => return data.results.first().copied(),
        (Op::Cast(CastOp::PtrCast), _) => return data.results.first().copied(),
        (Op::Compare(_), _) | (Op::Intrinsic(Intrinsic::Prefetch), _) => {}
        (Op::Intrinsic(Intrinsic::Matrix(MatrixOp::Load(_))), 0) => uses.read = true,
        (Op::Intrinsic(Intrinsic::Matrix(MatrixOp::Store(_))), 0) => uses.written = true,
        (Op::Intrinsic(Intrinsic::Atomic(op)), 0) => match op {
            AtomicOp::Load => uses.read = true,
            AtomicOp::Store => uses.written = true,
            AtomicOp::Add
            | AtomicOp::Sub
            | AtomicOp::Xchg
            | AtomicOp::SMin
            | AtomicOp::SMax
            | AtomicOp::UMin
            | AtomicOp::UMax
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor
            | AtomicOp::CmpXchg => {
                uses.read = true;
                uses.written = true;
            }
        },
        (Op::Exit(target), n) => return func.insts[*target].results.get(n).copied(),
        (Op::Repeat(target), n) => {
            let region = func.insts[*target].regions.first()?;
            return func.regions[*region].args.get(n).copied();
        }
        (Op::Loop, n) => {
            let region = data.regions.first()?;
            return func.regions[*region].args.get(n).copied();
        }
        _ => uses.escapes = true,
    }
    None
}
