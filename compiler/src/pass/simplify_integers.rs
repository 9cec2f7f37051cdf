//! Narrows integer arithmetic to the width that is needed, and moves constants to where the next operation
//! can use them.
//!
//! Why: `size_t` has 64 bits, so that OpenCL C computes much from ids in 64 bits and truncates it to an `int`
//! in the end; GPUs need several instructions for each 64-bit operation. After unrolling, the copies of an
//! address differ by constants inside sums and products.
//! In:  any module.
//! Out: the same values. All rewriting is exact modulo the width of the result:
//! - A `trunc` of a sum, product, bit operation or selection becomes this operation on truncated operands.
//! - `(x + c) * d` becomes `x * d + c * d`, also with `<<`; `(x + c) + y` becomes `(x + y) + c`, also in
//!   addresses.
//! - A masked or shifted value of which all bits are known becomes a constant, and a mask that removes no bit that
//!   can be set goes away.
//! - The sum of two shifts in opposite directions that have no bits in common, such as a rotation, becomes an `or`.
//! - A value that cannot be negative is divided and extended as unsigned. An extension of `4 * x + 3` becomes
//!   an extension of `4 * x`, plus 3.
//!
//! Only operands with a single use are rewritten, so that nothing is computed twice. Unused instructions are
//! left to `dce`.

use super::analysis::facts::facts;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::eval::truncate;
use crate::ir::walk::Replacements;
use crate::ir::{BinOp, CastOp, EntityRef, Function, Inst, Module, Op, Scalar, Ty, UnOp, Value};

pub const PASS: Pass = Pass {
    name: "simplify_integers",
    about: "Narrows integer arithmetic to the width that is needed, and moves constants outwards.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The greatest depth of a tree of operations that is narrowed.
const MAX_DEPTH: u32 = 12;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    // `share_addresses` follows such sums as long as addresses are pointers.
    let keeps_exact_sums = module.abi.is_empty();
    for (_, func) in module.funcs.iter_mut() {
        changed |= simplify(func, keeps_exact_sums);
    }
    Ok(changed.into())
}

/// Returns whether a scalar integer is certainly not negative, taken as signed.
fn is_nonnegative(func: &Function, v: Value) -> bool {
    let ty = func.ty(v);
    ty.scalar.is_int() && !ty.is_vector() && facts(func, v).is_nonnegative()
}

/// Simplifies the integers of a function, and returns whether anything changed. `keeps_exact_sums`: constants stay in sums
/// and products that are `no_wrap`, because the sums without the constants may overflow.
fn simplify(func: &mut Function, keeps_exact_sums: bool) -> bool {
    let mut uses = func.use_counts();
    let mut replacements = Replacements::default();
    for region in func.regions_in_order() {
        if !func.regions[region].insts.iter().any(|&i| is_candidate(func, i)) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            replacements.apply_to(b.func, inst);
            if !is_candidate(b.func, inst) {
                b.push(inst);
                continue;
            }
            b.span = b.func.insts[inst].span;
            uses.resize(b.func.values.len(), 1);
            if keeps_exact_sums && b.func.insts[inst].no_wrap {
                b.push(inst);
                continue;
            }
            match rewrite(&mut b, &uses, inst) {
                Some(new) => {
                    let result = b.func.insts[inst].results[0];
                    uses.resize(b.func.values.len(), 1);
                    uses[new.index()] = uses[new.index()].max(uses[result.index()]);
                    replacements.set(result, new);
                }
                None => b.push(inst),
            }
        }
    }
    if replacements.is_empty() {
        return false;
    }
    replacements.apply(func);
    true
}

/// Returns whether an instruction is one that the pass may rewrite.
fn is_candidate(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::Cast(CastOp::Trunc | CastOp::SExt | CastOp::ZExt)
        | Op::PtrAdd
        | Op::Binary(BinOp::IAdd | BinOp::IMul | BinOp::Shl | BinOp::SDiv | BinOp::SRem) => {
            data.args.iter().any(|&a| func.def_inst(a).is_some())
        }
        Op::Binary(BinOp::And | BinOp::LShr) => {
            func.def_inst(data.args[0]).is_some() && func.as_bits(data.args[1]).is_some()
        }
        _ => false,
    }
}

/// Inserts instructions that compute the result in a better way, and returns the new value; `None` if there
/// is no better way.
fn rewrite(b: &mut Builder<'_>, uses: &[u32], inst: Inst) -> Option<Value> {
    let data = &b.func.insts[inst];
    let args = data.args.clone();
    let ty = b.func.ty(data.results[0]);
    match data.op {
        Op::Cast(CastOp::Trunc) => {
            let narrowing = Narrowing { uses, to: ty };
            if !narrowing.passes(b.func, args[0]) {
                return None;
            }
            Some(narrowing.narrow(b, args[0], MAX_DEPTH))
        }
        Op::Cast(op @ (CastOp::SExt | CastOp::ZExt)) if b.func.ty(args[0]).scalar != Scalar::Bool => {
            // If the trailing zeros of x cover all bits of c, x + c does not carry.
            let most = b.func.ty(args[0]).scalar.bits() - 1;
            if !ty.is_vector()
                && let Some((x, c)) = sum_with_constant(b.func, uses, args[0])
                && c >> facts(b.func, x).trailing_zeros().min(most) == 0
            {
                let op = if is_nonnegative(b.func, x) {
                    CastOp::ZExt
                } else {
                    op
                };
                let wide = b.cast(op, x, ty);
                let constant = b.bits(ty, c);
                return Some(b.binary(BinOp::IAdd, wide, constant));
            }
            let signed = op == CastOp::SExt && is_nonnegative(b.func, args[0]);
            signed.then(|| b.cast(CastOp::ZExt, args[0], ty))
        }
        Op::Binary(op @ (BinOp::And | BinOp::LShr)) => {
            let constant = b.func.as_bits(args[1])?;
            if let Some(known) = facts(b.func, data.results[0]).as_constant() {
                return Some(b.bits(ty, known));
            }
            let keeps_all = op == BinOp::And && facts(b.func, args[0]).possible_ones() & !constant == 0;
            keeps_all.then_some(args[0])
        }
        Op::Binary(op @ (BinOp::SDiv | BinOp::SRem)) => {
            // A divisor whose sign bit is set is negative.
            let positive = b.func.as_bits(args[1]).filter(|&n| n > 0)? < 1 << (ty.scalar.bits() - 1);
            if !positive || !is_nonnegative(b.func, args[0]) {
                return None;
            }
            let unsigned = if op == BinOp::SDiv {
                BinOp::UDiv
            } else {
                BinOp::URem
            };
            Some(b.binary(unsigned, args[0], args[1]))
        }
        Op::Binary(op @ (BinOp::IMul | BinOp::Shl)) => {
            let factor = b.func.as_splat(args[1])?;
            let (x, c) = sum_with_constant(b.func, uses, args[0])?;
            let count = u32::try_from(factor % u64::from(ty.scalar.bits())).ok()?;
            let scaled = match op {
                BinOp::IMul => c.wrapping_mul(factor),
                _ => c << count,
            };
            let product = b.binary(op, x, args[1]);
            let constant = b.bits(ty, scaled);
            Some(b.binary(BinOp::IAdd, product, constant))
        }
        Op::Binary(BinOp::IAdd) => {
            if b.func.as_splat(args[1]).is_some() {
                return None;
            }
            if are_opposite_shifts(b.func, [args[0], args[1]], ty) {
                return Some(b.binary(BinOp::Or, args[0], args[1]));
            }
            let (n, (x, c)) = (0..2).find_map(|n| Some((n, sum_with_constant(b.func, uses, args[n])?)))?;
            let sum = b.binary(BinOp::IAdd, x, args[1 - n]);
            let constant = b.bits(ty, c);
            Some(b.binary(BinOp::IAdd, sum, constant))
        }
        Op::PtrAdd => {
            if b.func.ty(args[1]) == Ty::I64
                && let Some((x, c)) = sum_with_constant(b.func, uses, args[1])
            {
                let pointer = b.ptr_add(args[0], x);
                return Some(b.ptr_offset(pointer, c as i64));
            }
            if b.func.as_const(args[1]).is_some() {
                return None;
            }
            // The form is (p + c) + x.
            let inner = single(b.func, uses, args[0])?;
            let [p, c] = b.func.insts[inner].args[..] else {
                return None;
            };
            if b.func.insts[inner].op != Op::PtrAdd || b.func.as_const(c).is_none() {
                return None;
            }
            let pointer = b.ptr_add(p, args[1]);
            Some(b.ptr_add(pointer, c))
        }
        _ => None,
    }
}

/// Returns whether one value is shifted to the left and the other one to the right, and the sum of the distances is so large
/// that no bit can be set in both.
fn are_opposite_shifts(func: &Function, values: [Value; 2], ty: Ty) -> bool {
    let shift = |value: Value| {
        let mut data = &func.insts[func.def_inst(value)?];
        if data.op == Op::Binary(BinOp::And) {
            data = &func.insts[func.def_inst(data.args[0])?];
        }
        let constant = func.as_splat(*data.args.get(1)?)?;
        let bits_of_power = || constant.is_power_of_two().then(|| u64::from(constant.ilog2()));
        match data.op {
            Op::Binary(BinOp::Shl) => Some((true, constant)),
            Op::Binary(BinOp::LShr) => Some((false, constant)),
            Op::Binary(BinOp::IMul) => Some((true, bits_of_power()?)),
            Op::Binary(BinOp::UDiv) => Some((false, bits_of_power()?)),
            _ => None,
        }
    };
    let width = u64::from(ty.scalar.bits());
    match values.map(shift) {
        [Some((first, a)), Some((second, b))] => first != second && a < width && b < width && a + b >= width,
        _ => false,
    }
}

/// Returns the definition of a value that has one use.
fn single(func: &Function, uses: &[u32], v: Value) -> Option<Inst> {
    let once = uses.get(v.index()).is_none_or(|&n| n <= 1);
    func.def_inst(v).filter(|_| once)
}

/// Returns x and c if a value is `x + c` and has one use.
fn sum_with_constant(func: &Function, uses: &[u32], v: Value) -> Option<(Value, u64)> {
    let data = &func.insts[single(func, uses, v)?];
    if data.op != Op::Binary(BinOp::IAdd) {
        return None;
    }
    Some((data.args[0], func.as_splat(data.args[1])?))
}

/// The narrowing of a tree of operations of which only the lower bits are needed.
struct Narrowing<'u> {
    uses: &'u [u32],
    to: Ty,
}

impl Narrowing<'_> {
    /// Returns whether an operation can be done on truncated operands, and only the truncation uses its
    /// result.
    fn passes(&self, func: &Function, v: Value) -> bool {
        let Some(inst) = single(func, self.uses, v) else {
            return false;
        };
        let data = &func.insts[inst];
        match data.op {
            Op::Binary(op) => match op {
                BinOp::IAdd | BinOp::ISub | BinOp::IMul | BinOp::And | BinOp::Or | BinOp::Xor => true,
                // The shift count is taken modulo the width, so it must be less than the new width.
                BinOp::Shl => func
                    .as_splat(data.args[1])
                    .is_some_and(|n| n < u64::from(self.to.scalar.bits())),
                BinOp::SDiv
                | BinOp::UDiv
                | BinOp::SRem
                | BinOp::URem
                | BinOp::AShr
                | BinOp::LShr
                | BinOp::FAdd
                | BinOp::FSub
                | BinOp::FMul
                | BinOp::FDiv
                | BinOp::FRem => false,
            },
            Op::Unary(UnOp::INeg | UnOp::Not) => true,
            Op::Select => true,
            _ => false,
        }
    }

    /// Returns the lower bits of a value.
    fn narrow(&self, b: &mut Builder<'_>, v: Value, depth: u32) -> Value {
        if let Some(n) = b.func.as_splat(v) {
            return b.bits(self.to, truncate(self.to.scalar, n));
        }
        if depth > 0 && self.passes(b.func, v) {
            let inst = b.func.def_inst(v).expect("an operation");
            let data = &b.func.insts[inst];
            let (op, args) = (data.op.clone(), data.args.clone());
            let first = usize::from(op == Op::Select);
            let mut narrow: Vec<Value> = args[..first].to_vec();
            for &arg in &args[first..] {
                narrow.push(self.narrow(b, arg, depth - 1));
            }
            return b.value(op, narrow, self.to);
        }
        let def = b.func.def_inst(v).map(|i| &b.func.insts[i]);
        if let Some(data) = def
            && let Op::Cast(op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc)) = data.op
        {
            let x = data.args[0];
            let (from, to) = (b.func.ty(x).scalar, self.to.scalar);
            return match from.bits().cmp(&to.bits()) {
                std::cmp::Ordering::Equal => x,
                std::cmp::Ordering::Less => b.cast(op, x, self.to),
                std::cmp::Ordering::Greater => b.cast(CastOp::Trunc, x, self.to),
            };
        }
        b.cast(CastOp::Trunc, v, self.to)
    }
}
