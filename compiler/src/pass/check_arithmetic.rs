//! Reports divisions by zero, quotients that are too large, and conversions of numbers that the integer type does not have.
//!
//! Why: `CALDERA_CHECK=arithmetic` ([`Checks::arithmetic`](crate::check::Checks::arithmetic)). OpenCL C leaves the results
//!      open (1.2, 6.3.a and 6.2.3.3), so devices differ in them.
//! In:  any module; before `inline`, so that functions of the library can be told from those of the program.
//! Out: such an operation of the program states a finding ([`Intrinsic::ReportFinding`]), and is executed nevertheless.
//!
//! Instructions without a position are those of the library, which knows what it does, unless their function is visible to
//! other objects. Saturating conversions are conversions between which a selection chooses.

use super::analysis::facts::facts;
use super::sites::{Sites, rebuild};
use super::{Changed, Pass, PassCx, PassError};
use crate::check::{Site, object};
use crate::hash::HashSet;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Inst, Linkage, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "check_arithmetic",
    about: "Reports divisions by zero, quotients that are too large, and conversions out of range.",
    run,
    requires: inv![],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    for (_, func) in module.funcs.iter_mut() {
        check(func, &mut sites);
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

fn check(func: &mut Function, sites: &mut Sites<'_>) {
    let used = used_directly(func);
    rebuild(func, |b, inst| {
        let Some(inst) = inst else { return };
        if !b.span.is_none() || b.func.linkage != Linkage::Static {
            for (fault, action) in faults(b, inst, &used) {
                report_if(b, fault, action, sites);
            }
        }
        b.push(inst);
    });
}

/// Returns the values that are operands of something else than a selection.
fn used_directly(func: &Function) -> HashSet<Value> {
    let order = func.insts_in_order();
    let users = order.iter().map(|&i| &func.insts[i]);
    let users = users.filter(|data| data.op != Op::Select);
    users.flat_map(|data| data.args.iter().copied()).collect()
}

/// Computes whether an instruction has a fault. Returns a condition for each possible fault, with its name.
fn faults(b: &mut Builder<'_>, inst: Inst, used: &HashSet<Value>) -> Vec<(Value, &'static str)> {
    let data = b.func.insts[inst].clone();
    let mut list = Vec::new();
    match data.op {
        Op::Binary(op @ (BinOp::SDiv | BinOp::SRem | BinOp::UDiv | BinOp::URem)) => {
            let (numbers, divisors) = (lanes(b, data.args[0]), lanes(b, data.args[1]));
            let zero = |b: &mut Builder<'_>, _, d| is_number(b, d, 0);
            list.extend(any(b, &numbers, &divisors, zero).map(|fault| (fault, "division by zero")));
            if matches!(op, BinOp::SDiv | BinOp::SRem) {
                let overflow = |b: &mut Builder<'_>, n, d| {
                    let bits = b.func.ty(d).scalar.bits();
                    let is_least = is_number(b, n, 1 << (bits - 1))?;
                    let is_minus_one = is_number(b, d, u64::MAX >> (64 - bits))?;
                    Some(b.binary(BinOp::And, is_least, is_minus_one))
                };
                let fault = any(b, &numbers, &divisors, overflow);
                list.extend(fault.map(|fault| (fault, "division of the least number by -1")));
            }
        }
        Op::Cast(op @ (CastOp::FToS | CastOp::FToU)) if used.contains(&data.results[0]) => {
            let to = b.func.ty(data.results[0]).scalar.bits();
            let numbers = lanes(b, data.args[0]);
            let outside = |b: &mut Builder<'_>, n, _| Some(is_outside(b, n, op, to));
            let fault = any(b, &numbers, &numbers, outside);
            list.extend(fault.map(|f| (f, "conversion of a number that the integer type does not have")));
        }
        _ => {}
    }
    list
}

/// Returns the lanes of a value.
fn lanes(b: &mut Builder<'_>, v: Value) -> Vec<Value> {
    match b.func.ty(v) {
        ty if ty.is_vector() => (0..ty.lanes).map(|lane| b.extract(v, lane)).collect(),
        _ => vec![v],
    }
}

/// Computes whether a condition holds for any pair of lanes; `None` if it holds for none.
fn any(
    b: &mut Builder<'_>,
    first: &[Value],
    second: &[Value],
    condition: impl Fn(&mut Builder<'_>, Value, Value) -> Option<Value>,
) -> Option<Value> {
    let mut all = None;
    for (&x, &y) in first.iter().zip(second) {
        if let Some(one) = condition(b, x, y) {
            all = Some(all.map_or(one, |others| b.binary(BinOp::Or, others, one)));
        }
    }
    all
}

/// Computes whether an integer is this number; `None` if it certainly is not.
fn is_number(b: &mut Builder<'_>, v: Value, bits: u64) -> Option<Value> {
    let ty = b.func.ty(v);
    facts(b.func, v).allows(bits).then(|| {
        let number = b.bits(ty, bits);
        b.compare(CmpOp::IEq, v, number)
    })
}

/// Computes whether a floating-point number, without its fraction, is outside of an integer type of `bits` bits.
fn is_outside(b: &mut Builder<'_>, number: Value, op: CastOp, bits: u32) -> Value {
    let (mut number, mut ty) = (number, b.func.ty(number));
    if ty.scalar == Scalar::F16 {
        // The limits of wide types are no halves.
        ty = Ty::of(Scalar::F32);
        number = b.cast(CastOp::FConvert, number, ty);
    }
    let whole = b.value(Op::Intrinsic(Intrinsic::Trunc), vec![number], ty);
    let power = |exponent: u32| f64::from(exponent).exp2();
    let (least, end) = match op {
        CastOp::FToS => (-power(bits - 1), power(bits - 1)),
        _ => (0.0, power(bits)),
    };
    let [least, end] = [least, end].map(|v| b.bits(ty, crate::ir::eval::from_f64(ty.scalar, v)));
    let is_after = b.compare(CmpOp::FOGe, whole, least);
    let is_before = b.compare(CmpOp::FOLt, whole, end);
    let inside = b.binary(BinOp::And, is_after, is_before);
    let yes = b.bool(true);
    b.binary(BinOp::Xor, inside, yes)
}

/// Inserts a finding under a condition.
fn report_if(b: &mut Builder<'_>, fault: Value, action: &str, sites: &mut Sites<'_>) {
    let site = Site {
        check: "arithmetic".into(),
        action: action.into(),
        ..Site::default()
    };
    sites.report_if(b, fault, site, (object::NONE, None));
}
