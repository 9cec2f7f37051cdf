//! Keeps the first finding of each work-item, and reports it when the work-item ends.
//!
//! Why: a report is much code. Where the checks find something, the kernel only sets values, so that loops with checks
//!      stay small, and devices that execute both sides of a branch are not slowed down by reports.
//! In:  `Inlined`.
//! Out: a kernel with checks has variables for a finding, which are set once, and one report before it returns. A kernel
//!      that never returns keeps its reports where they are.

use super::report_ended_loops::only_return;
use super::{Changed, Pass, PassCx, PassError};
use crate::check::object;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{Access, BinOp, Builder, CmpOp, Function, Inst, Module, Op, Ty, Value};

pub const PASS: Pass = Pass {
    name: "report_findings",
    about: "Keeps the first finding of each work-item, and reports it when the work-item ends.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The bits of the word of a finding that have the number of its site, plus 1. The others have that of its object.
const SITE_BITS: u32 = object::LAST.leading_zeros();

/// The size of the variable for a finding: its word, and after 8 bytes the offset.
const SIZE: u32 = 16;

const ALIGNED: Access = Access {
    align: 8,
    volatile: false,
};

fn run(module: &mut Module, _: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let is_finding =
            |func: &Function, i: Inst| func.insts[i].op == Op::Intrinsic(Intrinsic::ReportFinding);
        let findings = func.insts_in_order();
        let findings = findings.into_iter().filter(|&i| is_finding(func, i));
        let sites = findings.map(|i| func.as_bits(func.insts[i].args[0]).unwrap_or(0));
        let Some(last) = sites.max() else { continue };
        if last + 1 >= 1 << SITE_BITS {
            return Err(PassError::TooLarge {
                what: "the number of accesses that are checked".into(),
                limit: 1 << SITE_BITS,
                span: func.span,
            });
        }
        changed = true;
        let variable = only_return(func).map(|_| {
            let body = func.body;
            let mut b = Builder::before(func, body, 0);
            let variable = b.alloca(SIZE, ALIGNED.align);
            b.mem_zero(variable, ALIGNED, SIZE);
            variable
        });
        for region in func.regions_in_order() {
            if !func.regions[region].insts.iter().any(|&i| is_finding(func, i)) {
                continue;
            }
            let old = std::mem::take(&mut func.regions[region].insts);
            let mut b = Builder::at_end(func, region);
            for inst in old {
                if !is_finding(b.func, inst) {
                    b.push(inst);
                    continue;
                }
                b.span = b.func.insts[inst].span;
                let stated = [0, 1, 2].map(|n| b.func.insts[inst].args[n]);
                match variable {
                    Some(variable) => keep(&mut b, variable, stated),
                    None => report(&mut b, stated),
                }
            }
        }
        if let Some(variable) = variable {
            report_at_end(func, variable);
        }
    }
    Ok(changed.into())
}

/// Stores a finding, unless there is one.
fn keep(b: &mut Builder<'_>, variable: Value, [site, object, offset]: [Value; 3]) {
    let place = b.ptr_offset(variable, 8);
    let [before, offset_before] =
        [(variable, Ty::I32), (place, Ty::I64)].map(|(p, ty)| b.load(p, ty, ALIGNED));
    let (zero, one, bits) = (b.i32(0), b.i32(1), b.i32(SITE_BITS as i32));
    let next = b.binary(BinOp::IAdd, site, one);
    let high = b.binary(BinOp::Shl, object, bits);
    let word = b.binary(BinOp::Or, next, high);
    let is_first = b.compare(CmpOp::IEq, before, zero);
    let word = b.select(is_first, word, before);
    b.store(variable, word, ALIGNED);
    let offset = b.select(is_first, offset, offset_before);
    b.store(place, offset, ALIGNED);
}

/// Reports the finding of a work-item at the kernel's only return.
fn report_at_end(func: &mut Function, variable: Value) {
    let body = func.body;
    let end = func.regions[body].insts.len() - 1;
    let mut b = Builder::before(func, body, end);
    let word = b.load(variable, Ty::I32, ALIGNED);
    let zero = b.i32(0);
    let any = b.compare(CmpOp::INe, word, zero);
    let (choice, then, otherwise) = b.if_(any, &[]);
    b.enter(then);
    let (mask, one, bits) = (b.i32((1 << SITE_BITS) - 1), b.i32(1), b.i32(SITE_BITS as i32));
    let site = b.binary(BinOp::And, word, mask);
    let site = b.binary(BinOp::ISub, site, one);
    let object = b.binary(BinOp::LShr, word, bits);
    let place = b.ptr_offset(variable, 8);
    let offset = b.load(place, Ty::I64, ALIGNED);
    report(&mut b, [site, object, offset]);
    b.exit(choice, vec![]);
    b.leave();
    b.enter(otherwise);
    b.exit(choice, vec![]);
    b.leave();
}

/// Inserts the report of a finding, with the ids of the work-item.
fn report(b: &mut Builder<'_>, stated: [Value; 3]) {
    let mut args = stated.to_vec();
    for id in [Intrinsic::GlobalId, Intrinsic::LocalId] {
        for dimension in 0..3 {
            let dimension = b.i32(dimension);
            args.push(b.value(Op::Intrinsic(id), vec![dimension], Ty::I64));
        }
    }
    b.insert(Op::Intrinsic(Intrinsic::ReportFinding), args, &[]);
}
