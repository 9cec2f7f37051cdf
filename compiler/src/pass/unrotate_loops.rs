//! Moves the test of a loop from the end of its body to the start.
//!
//! Why: LLVM at -O1 and above rotates loops: `for (i = 0; i < n; i++) …` becomes
//! `if (0 < n) do { …; i++; } while (i < n);`. The passes that execute several iterations at once (`unroll_counted`,
//! `batch_loads`, `interleave`, `share_loads`, `unroll_loops`) recognize a counted loop by the test at its start, so that
//! without this pass programs that come as SPIR-V are slower than the same programs from source.
//! In:  any module; best after folding, when counters are values.
//! Out: a loop whose last instructions compare the next value of a counter with a loop-invariant bound makes this
//!      comparison at its start, if the comparison is certain to hold before the first iteration. A value that leaves the
//!      loop by this test is then an argument of the loop. `i != n` becomes `i < n` if the counter starts below `n` and its
//!      step is 1.
//!
//! No instruction with effects is between the old and the new place of the test, so that the loop executes the same
//! iterations in the same order. The comparison holds before the first iteration if both operands are constants, if
//! their ranges decide it (`facts`), or if a branch around or before the loop has tested it (`unrotate_loops/known.rs`).

mod known;

use self::known::{Known, Relation, Term};
use super::counter::is_outside;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::walk::Parents;
use crate::ir::{BinOp, CmpOp, Function, Inst, Module, Op, Region, Scalar, Ty, Value, ValueDef, eval};

pub const PASS: Pass = Pass {
    name: "unrotate_loops",
    about: "Moves the test of a counted loop from the end of its body to the start.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= unrotate(func);
    }
    Ok(changed.into())
}

/// Transforms the loops of a function, and returns whether there were suitable ones.
fn unrotate(func: &mut Function) -> bool {
    let is_loop = |func: &Function, i: Inst| func.insts[i].op == Op::Loop;
    if !func.insts.iter().any(|(i, _)| is_loop(func, i)) {
        return false;
    }
    let order = func.insts_in_order();
    let loops: Vec<Inst> = order.into_iter().filter(|&i| is_loop(func, i)).collect();
    if loops.is_empty() {
        return false;
    }
    let jumps = Jumps::new(func);
    let parents = Parents::new(func);
    let mut changed = false;
    for loop_ in loops {
        if let Some(form) = Rotated::new(func, &jumps, loop_)
            && let Some((compare, bound)) = form.first_test(func, &parents)
        {
            changed |= form.rewrite(func, compare, bound);
        }
    }
    changed
}

/// A loop with a test at the end of its body.
struct Rotated {
    loop_: Inst,
    body: Region,
    /// The `if` that leaves the loop.
    test: Inst,
    /// The index of the arm that stays in the loop.
    stay: usize,
    /// The repeat at the end of the body.
    end: Inst,
    /// The number of the loop's argument that counts.
    arg: usize,
    /// The comparison that holds if the loop goes on, with the counter as the first operand.
    compare: CmpOp,
    bound: Value,
    /// Whether the test compares the counter's next value, and not its present one.
    of_next: bool,
    /// The number that is added to the counter, if it is a constant.
    step: Option<u64>,
}

impl Rotated {
    /// Returns the form of a loop if it has such a test.
    fn new(func: &Function, jumps: &Jumps, loop_: Inst) -> Option<Rotated> {
        let body = func.insts[loop_].regions[0];
        let end = func.terminator(body)?;
        if jumps.repeats(loop_) != [end] {
            return None;
        }
        let (_, insts) = func.regions[body].insts.split_last()?;
        let &test = insts.iter().rev().find(|&&i| !is_pure(&func.insts[i]))?;
        let data = &func.insts[test];
        if data.op != Op::If || !data.results.is_empty() {
            return None;
        }
        let only = |arm: usize, target: Inst| {
            let list = &func.regions[data.regions[arm]].insts;
            list.len() == 1 && func.insts[list[0]].op == Op::Exit(target)
        };
        let stay = (0..2).find(|&arm| only(arm, test) && only(1 - arm, loop_))?;
        let condition = &func.insts[func.def_inst(data.args[0])?];
        let Op::Compare(op) = condition.op else {
            return None;
        };
        let op = if stay == 0 { op } else { op.inverse() };
        let (x, y) = (condition.args[0], condition.args[1]);
        let outside = |v: Value| is_outside(func, body, v);
        let (compare, counter, bound) = match (outside(x), outside(y)) {
            (false, true) => (op, x, y),
            (true, false) => (op.swapped(), y, x),
            _ => return None,
        };
        let ty = func.ty(counter);
        if ty.is_vector() || !matches!(ty.scalar, Scalar::I32 | Scalar::I64) {
            return None;
        }
        let args = &func.regions[body].args;
        let nexts = &func.insts[end].args;
        let (arg, of_next) = match func.values[counter].def {
            ValueDef::Arg(region, n) if region == body => (n as usize, false),
            _ => (nexts.iter().position(|&v| v == counter)?, true),
        };
        // A test of the present value with nothing but computations before it is at the start already.
        if !of_next
            && insts
                .iter()
                .take_while(|&&i| i != test)
                .all(|&i| is_pure(&func.insts[i]))
        {
            return None;
        }
        let next = &func.insts[func.def_inst(nexts[arg])?];
        let own = next.args.iter().position(|&a| a == args[arg])?;
        if next.op != Op::Binary(BinOp::IAdd) {
            return None;
        }
        Some(Rotated {
            loop_,
            body,
            test,
            stay,
            end,
            arg,
            compare,
            bound,
            of_next,
            step: func.as_bits(next.args[1 - own]),
        })
    }

    /// Returns the comparison for the start of the loop, and its bound, if it certainly holds before the first iteration.
    fn first_test(&self, func: &mut Function, parents: &Parents) -> Option<(CmpOp, Value)> {
        let ty = func.ty(self.bound);
        let scalar = ty.scalar;
        let (ops, step): (&[CmpOp], _) = match self.compare {
            // A counter that starts below the bound reaches it without wrapping around.
            CmpOp::INe if self.step == Some(1) => (&[CmpOp::SLt, CmpOp::ULt], Some(1)),
            CmpOp::SLt => (&[CmpOp::SLt], self.step),
            CmpOp::SLe => (&[CmpOp::SLe], self.step),
            CmpOp::ULt => (&[CmpOp::ULt], self.step),
            CmpOp::ULe => (&[CmpOp::ULe], self.step),
            _ => return None,
        };
        let start = func.insts[self.loop_].args[self.arg];
        let known = Known {
            func,
            parents,
            loop_: self.loop_,
        };
        for &op in ops {
            let mut bound = Term::of(func, self.bound);
            if !self.of_next {
                // In every iteration that stays, the counter is below the bound, so that the next value is below the bound
                // and a step more, if none of these sums wraps around.
                bound = Term::Number(later(op, scalar, func.as_bits(self.bound)?, step?)?);
            }
            let relation = Relation {
                op,
                scalar,
                terms: [Term::of(func, start), bound],
            };
            if known.holds(relation) {
                let bound = match bound {
                    Term::Number(bits) => func.splat_bits(ty, bits),
                    Term::Is(value) => value,
                };
                return Some((op, bound));
            }
        }
        None
    }

    /// Moves the test to the start of the body. Returns whether that was possible.
    fn rewrite(&self, func: &mut Function, compare: CmpOp, bound: Value) -> bool {
        let leave = func.regions[func.insts[self.test].regions[1 - self.stay]].insts[0];
        let nexts = func.insts[self.end].args.clone();
        let values = func.insts[leave].args.clone();
        let is_number = |ty: Ty| ty.scalar == Scalar::Bool || ty.scalar.is_int() || ty.scalar.is_float();
        let stays = |func: &Function, v: Value| is_outside(func, self.body, v);
        if !values
            .iter()
            .all(|&v| stays(func, v) || nexts.contains(&v) || is_number(func.ty(v)))
        {
            return false;
        }
        for (n, &v) in values.iter().enumerate() {
            if stays(func, v) {
                continue;
            }
            let at = func.insts[self.end].args.iter().position(|&next| next == v);
            let at = at.unwrap_or_else(|| {
                // No use of the initial value is reached, because the loop is not left before the first iteration.
                let ty = func.ty(v);
                let initial = func.splat_bits(ty, 0);
                func.insts[self.loop_].args.push(initial);
                func.add_region_arg(self.body, ty);
                func.insts[self.end].args.push(v);
                func.insts[self.end].args.len() - 1
            });
            func.insts[leave].args[n] = func.regions[self.body].args[at];
        }
        let counter = func.regions[self.body].args[self.arg];
        let span = func.insts[self.test].span;
        let condition = func.new_inst(Op::Compare(compare), [counter, bound], &[Ty::BOOL], span);
        func.insts[self.test].args[0] = func.insts[condition].results[0];
        if self.stay == 1 {
            func.insts[self.test].regions.swap(0, 1);
        }
        let insts = &mut func.regions[self.body].insts;
        insts.retain(|&i| i != self.test);
        insts.splice(0..0, [condition, self.test]);
        true
    }
}

/// Returns `bound + step`, if neither that sum nor the next one wraps around in the order of the comparison.
fn later(op: CmpOp, scalar: Scalar, bound: u64, step: u64) -> Option<u64> {
    let sum = eval::binary(BinOp::IAdd, scalar, bound, step)?;
    let next = eval::binary(BinOp::IAdd, scalar, sum, step)?;
    let less = match op {
        CmpOp::SLt | CmpOp::SLe => CmpOp::SLt,
        CmpOp::ULt | CmpOp::ULe => CmpOp::ULt,
        _ => return None,
    };
    let rises = |a: u64, b: u64| eval::compare(less, scalar, a, b);
    (rises(bound, sum) && rises(sum, next)).then_some(sum)
}
