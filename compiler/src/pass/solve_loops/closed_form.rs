//! The values of a loop as functions of the number of the iteration.

use super::form::{Form, Sum, mask};
use crate::hash::HashMap;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, CmpOp, FpFlags, Function, Inst, Op, Region, Ty, UnOp, Value, ValueDef, eval};
use crate::pass::analysis::loop_tests::{Nest, Test};

/// The most operations that are followed for one value, and the most that are created for one loop.
const MAX_OPERATIONS: usize = 48;

/// The most iterations that are followed backwards, for values that an iteration takes from the one before.
const MAX_BACK: usize = 8;

/// A value that is computed before the loop. The operands of an operation are indices of earlier nodes.
pub(super) enum Node {
    Old(Value),
    Bits(Ty, u64),
    New {
        op: Op,
        ty: Ty,
        args: Vec<usize>,
        fp: FpFlags,
    },
}

/// How a loop ends.
#[derive(Debug)]
pub(super) struct Ending {
    /// The number of times that the loop repeats before it is left.
    pub(super) repeats: u64,
    /// The exit that leaves it.
    pub(super) exit: Inst,
    /// The test that this exit belongs to.
    pub(super) test: Inst,
    /// All tests of the loop.
    pub(super) tests: Vec<Test>,
}

/// The first iteration in which a condition has a value.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum First {
    In(u64),
    Never,
}

impl From<Option<u64>> for First {
    fn from(n: Option<u64>) -> Self {
        n.map_or(First::Never, First::In)
    }
}

/// The search for the values of one loop.
pub(super) struct Solver<'f> {
    func: &'f Function,
    nest: &'f Nest,
    loop_: Inst,
    body: Region,
    repeat: Inst,
    tests: Vec<Test>,
    /// The operations that may still be followed for the present value.
    fuel: usize,
    /// The arguments that are being examined.
    open: Vec<usize>,
    /// The forms of arguments, by number and width.
    arguments: HashMap<(usize, u32), Option<Form>>,
    /// What is to be computed before the loop.
    pub(super) nodes: Vec<Node>,
    /// The nodes of values in iterations.
    known: HashMap<(Value, u64), usize>,
}

impl<'f> Solver<'f> {
    pub(super) fn new(func: &'f Function, nest: &'f Nest, loop_: Inst, tests: Vec<Test>) -> Solver<'f> {
        let body = func.insts[loop_].regions[0];
        Solver {
            func,
            nest,
            loop_,
            body,
            repeat: func.terminator(body).expect("a loop with tests has an end"),
            tests,
            fuel: 0,
            open: Vec::new(),
            arguments: HashMap::default(),
            nodes: Vec::new(),
            known: HashMap::default(),
        }
    }

    /// Returns how the loop ends, if that is known and an exit of the loop itself ends it.
    pub(super) fn ending(&mut self) -> Option<Ending> {
        let mut soonest: Option<(u64, Test)> = None;
        for test in self.tests.clone() {
            self.fuel = MAX_OPERATIONS;
            // Of two tests that leave in the same iteration the first is executed first.
            if let First::In(n) = self.first(test.condition, test.leaves_if)?
                && soonest.is_none_or(|(least, _)| n < least)
            {
                soonest = Some((n, test));
            }
        }
        let (repeats, test) = soonest?;
        (self.func.insts[test.exit].op == Op::Exit(self.loop_)).then(|| Ending {
            repeats,
            exit: test.exit,
            test: test.inst,
            tests: self.tests.clone(),
        })
    }

    /// Returns the first iteration in which a condition has a value, if that is known.
    fn first(&mut self, condition: Value, wanted: bool) -> Option<First> {
        let func = self.func;
        if let Some(bits) = func.as_bits(condition) {
            return Some(if (bits != 0) == wanted {
                First::In(0)
            } else {
                First::Never
            });
        }
        self.fuel = self.fuel.checked_sub(1)?;
        let data = &func.insts[func.def_inst(condition)?];
        if data.args.iter().any(|&a| func.ty(a).is_vector()) {
            return None;
        }
        match data.op {
            Op::Unary(UnOp::Not) => self.first(data.args[0], !wanted),
            Op::Binary(op @ (BinOp::And | BinOp::Or)) => {
                let a = self.first(data.args[0], wanted)?;
                let b = self.first(data.args[1], wanted)?;
                match (op == BinOp::Or) == wanted {
                    // One of them is enough.
                    true => Some(a.min(b)),
                    false if a == First::Never || b == First::Never => Some(First::Never),
                    false => (a == b).then_some(a),
                }
            }
            Op::Compare(op) if func.ty(data.args[0]).scalar.is_int() => {
                self.first_comparison(op, data.args[0], data.args[1], wanted)
            }
            _ => None,
        }
    }

    fn first_comparison(&mut self, op: CmpOp, a: Value, b: Value, wanted: bool) -> Option<First> {
        let scalar = self.func.ty(a).scalar;
        let width = scalar.bits();
        if let Some(bits) = self.func.as_bits(b)
            && let Some(first) = self.first_of_extension(op, a, bits, wanted)
        {
            return Some(first);
        }
        let (left, right) = (self.form(a, width, None)?, self.form(b, width, None)?);
        if let CmpOp::IEq | CmpOp::INe = op {
            let difference = left.plus(&right, u64::MAX, mask(width))?.as_progression(width)?;
            return Some(difference.first(op, 0, wanted).into());
        }
        let (op, counter, bound) = match (left.as_constant(), right.as_constant()) {
            (_, Some(bound)) => (op, left, bound),
            (Some(bound), None) => (mirrored(op)?, right, bound),
            (None, None) => return None,
        };
        Some(counter.as_progression(width)?.first(op, bound, wanted).into())
    }

    /// Like `first_comparison` for the extension of a narrower counter, which wraps around before it is
    /// extended.
    fn first_of_extension(&mut self, op: CmpOp, value: Value, bound: u64, wanted: bool) -> Option<First> {
        let func = self.func;
        let data = &func.insts[func.def_inst(value)?];
        let Op::Cast(cast @ (CastOp::ZExt | CastOp::SExt)) = data.op else {
            return None;
        };
        let (narrow, wide) = (func.ty(data.args[0]).scalar, func.ty(value).scalar);
        if !narrow.is_int() {
            return None;
        }
        let inner = eval::truncate(narrow, bound);
        // The same comparison of the numbers before they are extended.
        let signed = matches!(op, CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe);
        let equality = matches!(op, CmpOp::IEq | CmpOp::INe);
        let op_inside = match cast {
            _ if equality => op,
            CastOp::ZExt => as_unsigned(op),
            _ if signed => op,
            _ => return None,
        };
        if eval::cast(cast, narrow, wide, inner)? != bound {
            // No extended number is the bound, and all are on the same side of it.
            let holds = eval::compare(op, wide, 0, bound);
            return Some(if holds == wanted {
                First::In(0)
            } else {
                First::Never
            });
        }
        let width = narrow.bits();
        let counter = self.form(data.args[0], width, None)?.as_progression(width)?;
        Some(counter.first(op_inside, inner, wanted).into())
    }

    /// Returns the form of the lowest `width` bits of an integer. `own`: the argument whose next value this
    /// is part of.
    fn form(&mut self, value: Value, width: u32, own: Option<usize>) -> Option<Form> {
        let func = self.func;
        let ty = func.ty(value);
        if ty.is_vector() || !ty.scalar.is_int() || ty.scalar.bits() < width {
            return None;
        }
        if func.as_const(value).is_some() {
            return func.as_bits(value).map(|bits| Form::constant(bits & mask(width)));
        }
        let term = |value| {
            Form::invariant(Sum {
                terms: vec![(value, 1)],
                constant: 0,
            })
        };
        if !self.nest.is_inside(func, self.loop_, value) {
            return Some(term(value));
        }
        if let ValueDef::Arg(region, n) = func.values[value].def {
            return match (region == self.body, own == Some(n as usize)) {
                (false, _) => None,
                (true, true) => Some(Form {
                    own: 1,
                    ..Form::default()
                }),
                (true, false) => self.argument(n as usize, width),
            };
        }
        let found = self.form_of_operation(value, width, own);
        match found {
            None if self.is_invariant(value) => Some(term(value)),
            _ => found,
        }
    }

    fn form_of_operation(&mut self, value: Value, width: u32, own: Option<usize>) -> Option<Form> {
        let func = self.func;
        self.fuel = self.fuel.checked_sub(1)?;
        let mask = mask(width);
        let data = &func.insts[func.def_inst(value)?];
        let args = &data.args;
        match data.op {
            Op::Binary(op @ (BinOp::IAdd | BinOp::ISub)) => {
                let (a, b) = (self.form(args[0], width, own)?, self.form(args[1], width, own)?);
                let factor = if op == BinOp::IAdd { 1 } else { mask };
                a.plus(&b, factor, mask)
            }
            Op::Binary(BinOp::IMul) => {
                let (a, b) = (self.form(args[0], width, own)?, self.form(args[1], width, own)?);
                let (form, factor) = match (a.as_constant(), b.as_constant()) {
                    (_, Some(factor)) => (a, factor),
                    (Some(factor), None) => (b, factor),
                    (None, None) => return None,
                };
                Form::default().plus(&form, factor, mask)
            }
            Op::Binary(BinOp::Shl) => {
                let bits = u64::from(func.ty(value).scalar.bits());
                let count = func.as_bits(args[1])? % bits;
                let form = self.form(args[0], width, own)?;
                Form::default().plus(&form, 1 << count, mask)
            }
            Op::Unary(op @ (UnOp::INeg | UnOp::Not)) => {
                // The complement of a number is its negative minus one.
                let start = if op == UnOp::INeg { 0 } else { mask };
                let form = self.form(args[0], width, own)?;
                Form::constant(start).plus(&form, mask, mask)
            }
            // The lower bits stay; extensions of numbers that are narrower than `width` have no form.
            Op::Cast(CastOp::Trunc | CastOp::ZExt | CastOp::SExt) => self.form(args[0], width, own),
            _ => None,
        }
    }

    /// Returns the form of an argument of the loop.
    fn argument(&mut self, n: usize, width: u32) -> Option<Form> {
        if let Some(known) = self.arguments.get(&(n, width)) {
            return known.clone();
        }
        if self.open.contains(&n) {
            return None;
        }
        self.open.push(n);
        let found = self.recurrence(n, width);
        self.open.pop();
        // While another argument is open, the form may be missing only because of that.
        if found.is_some() || self.open.is_empty() {
            self.arguments.insert((n, width), found.clone());
        }
        found
    }

    fn recurrence(&mut self, n: usize, width: u32) -> Option<Form> {
        let init = self.form(self.func.insts[self.loop_].args[n], width, None)?;
        let next = self.form(self.func.insts[self.repeat].args[n], width, Some(n))?;
        let [first, second, third] = next.parts;
        let [start, ..] = init.parts;
        match next.own {
            1 if third.is_zero() => Some(Form {
                own: 0,
                parts: [start, first, second],
            }),
            _ => None,
        }
    }

    /// Returns whether a value is the same in each iteration, and can be computed before the loop.
    fn is_invariant(&mut self, value: Value) -> bool {
        let func = self.func;
        if func.as_const(value).is_some() {
            return !is_undefined(func, value);
        }
        if !self.nest.is_inside(func, self.loop_, value) {
            return true;
        }
        let Some(fuel) = self.fuel.checked_sub(1) else {
            return false;
        };
        self.fuel = fuel;
        let Some(inst) = func.def_inst(value) else {
            return false;
        };
        let data = &func.insts[inst];
        self.is_executed(inst) && is_copied(&data.op) && data.args.iter().all(|&a| self.is_invariant(a))
    }

    /// Returns whether an instruction is executed in each iteration, or when the loop is left.
    fn is_executed(&self, inst: Inst) -> bool {
        let region = self.nest.survey.parents.region(inst);
        region == Some(self.body) || self.tests.iter().any(|t| region == Some(t.arm))
    }

    fn push(&mut self, node: Node) -> Option<usize> {
        if self.nodes.len() >= MAX_OPERATIONS {
            return None;
        }
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    fn operation(&mut self, op: Op, ty: Ty, args: Vec<usize>) -> Option<usize> {
        let fp = FpFlags::default();
        self.push(Node::New { op, ty, args, fp })
    }

    /// Returns the node that computes the value that `value` has in iteration `n`, which is executed at least
    /// up to the point where the loop is left.
    pub(super) fn value_at(&mut self, value: Value, n: u64) -> Option<usize> {
        self.at(value, n, MAX_BACK)
    }

    fn at(&mut self, value: Value, n: u64, back: usize) -> Option<usize> {
        let func = self.func;
        if let Some(&node) = self.known.get(&(value, n)) {
            return Some(node);
        }
        if is_undefined(func, value) {
            return None;
        }
        let node = if !self.nest.is_inside(func, self.loop_, value) {
            self.push(Node::Old(value))?
        } else if let Some(node) = self.sum_at(value, n, back) {
            node
        } else {
            match func.values[value].def {
                ValueDef::Arg(region, k) if region == self.body => self.argument_at(k as usize, n, back)?,
                ValueDef::Inst(inst, _) if self.is_executed(inst) => {
                    let data = &func.insts[inst];
                    if !is_copied(&data.op) {
                        return None;
                    }
                    let args = data.args.iter().map(|&a| self.at(a, n, back.checked_sub(1)?));
                    let args = args.collect::<Option<Vec<_>>>()?;
                    let (op, ty, fp) = (data.op.clone(), func.ty(value), data.fp);
                    self.push(Node::New { op, ty, args, fp })?
                }
                _ => return None,
            }
        };
        self.known.insert((value, n), node);
        Some(node)
    }

    /// Returns the node of a value that has a form.
    fn sum_at(&mut self, value: Value, n: u64, back: usize) -> Option<usize> {
        let ty = self.func.ty(value);
        if ty.is_vector() || !ty.scalar.is_int() {
            return None;
        }
        self.fuel = MAX_OPERATIONS;
        let width = ty.scalar.bits();
        let form = self.form(value, width, None)?;
        if form.parts[0].terms.iter().any(|&(v, _)| v == value) {
            // An invariant value is no sum.
            return None;
        }
        let pairs = u128::from(n) * u128::from(n.saturating_sub(1)) / 2;
        let mut sum = Sum::default();
        for (part, count) in form.parts.iter().zip([1, n, pairs as u64]) {
            sum.add(part, count, mask(width));
        }
        let mut total = match sum.constant {
            0 if !sum.terms.is_empty() => None,
            constant => Some(self.push(Node::Bits(ty, constant))?),
        };
        for (term, factor) in sum.terms {
            let mut node = self.at(term, n, back.checked_sub(1)?)?;
            if self.func.ty(term) != ty {
                node = self.operation(Op::Cast(CastOp::Trunc), ty, vec![node])?;
            }
            if factor != 1 {
                let factor = self.push(Node::Bits(ty, factor))?;
                node = self.operation(Op::Binary(BinOp::IMul), ty, vec![node, factor])?;
            }
            total = Some(match total {
                None => node,
                Some(sum) => self.operation(Op::Binary(BinOp::IAdd), ty, vec![node, sum])?,
            });
        }
        total
    }

    /// Returns the node of an argument of the loop that has no form.
    fn argument_at(&mut self, k: usize, n: u64, back: usize) -> Option<usize> {
        let func = self.func;
        let (init, next) = (func.insts[self.loop_].args[k], func.insts[self.repeat].args[k]);
        let arg = func.regions[self.body].args[k];
        if n == 0 || next == arg {
            return self.at(init, 0, back);
        }
        if let Some((op, step)) = step_of(func, next, arg)
            && self.is_invariant_now(step)
        {
            let step = Step {
                op,
                operand: step,
                init,
                ty: func.ty(arg),
            };
            return self.steps(&step, n, back);
        }
        // Set by the iteration before.
        self.at(next, n - 1, back.checked_sub(1)?)
    }

    fn is_invariant_now(&mut self, value: Value) -> bool {
        self.fuel = MAX_OPERATIONS;
        self.is_invariant(value)
    }

    /// Returns the node for `n` steps, at least one.
    fn steps(&mut self, step: &Step<'_>, n: u64, back: usize) -> Option<usize> {
        let Step {
            op,
            operand,
            init,
            ty,
        } = *step;
        let back = back.checked_sub(1)?;
        let count = self.func.as_bits(operand);
        let bits = u64::from(ty.scalar.bits());
        let start = self.at(init, 0, back)?;
        let (op, operand) = match op {
            Op::Binary(BinOp::Xor) if n.is_multiple_of(2) => return Some(start),
            Op::Binary(BinOp::Xor | BinOp::And | BinOp::Or)
            | Op::Intrinsic(Intrinsic::UMin | Intrinsic::UMax | Intrinsic::SMin | Intrinsic::SMax) => {
                let mut node = self.at(operand, 0, back)?;
                if self.func.ty(operand) != ty {
                    node = self.operation(Op::Cast(CastOp::Trunc), ty, vec![node])?;
                }
                (op.clone(), node)
            }
            Op::Binary(BinOp::IAdd | BinOp::ISub) if ty.scalar.is_int() => {
                let factor = self.push(Node::Bits(ty, n))?;
                let step = self.at(operand, 0, back)?;
                let product = self.operation(Op::Binary(BinOp::IMul), ty, vec![step, factor])?;
                (op.clone(), product)
            }
            Op::Binary(BinOp::IMul) if !ty.is_vector() => {
                (op.clone(), self.push(Node::Bits(ty, power(count?, n)))?)
            }
            Op::Binary(shift @ (BinOp::Shl | BinOp::LShr | BinOp::AShr)) if !ty.is_vector() => {
                let total = (count? % bits).saturating_mul(n);
                match shift {
                    BinOp::AShr => {}
                    _ if total >= bits => return self.push(Node::Bits(ty, 0)),
                    _ => {}
                }
                (op.clone(), self.push(Node::Bits(ty, total.min(bits - 1)))?)
            }
            _ => return None,
        };
        self.operation(op, ty, vec![start, operand])
    }
}

/// One step of an argument of a loop: an operation on its value and an invariant operand.
struct Step<'a> {
    op: &'a Op,
    operand: Value,
    init: Value,
    ty: Ty,
}

/// Returns the operation that makes the next value of an argument of it and another operand, and that operand. It
/// may be wider than the argument: C computes with bytes and shorts in wider types.
fn step_of(func: &Function, next: Value, arg: Value) -> Option<(&Op, Value)> {
    let data = |v: Value| func.def_inst(v).map(|inst| &func.insts[inst]);
    let last = data(next)?;
    if last.op != Op::Cast(CastOp::Trunc) {
        return Some((&last.op, step(&last.args, arg, &last.op)?));
    }
    let wide = data(last.args[0])?;
    let Op::Binary(BinOp::And | BinOp::Or | BinOp::Xor) = wide.op else {
        return None;
    };
    let is_extended = |v: Value| {
        data(v).is_some_and(|d| matches!(d.op, Op::Cast(CastOp::ZExt | CastOp::SExt)) && d.args[0] == arg)
    };
    match [is_extended(wide.args[0]), is_extended(wide.args[1])] {
        [true, false] => Some((&wide.op, wide.args[1])),
        [false, true] => Some((&wide.op, wide.args[0])),
        _ => None,
    }
}

/// Returns the other operand if one is the argument; it is the second one if the order matters.
fn step(args: &[Value], arg: Value, op: &Op) -> Option<Value> {
    let commutes = match op {
        Op::Binary(BinOp::IAdd | BinOp::IMul | BinOp::And | BinOp::Or | BinOp::Xor) => true,
        Op::Intrinsic(Intrinsic::UMin | Intrinsic::UMax | Intrinsic::SMin | Intrinsic::SMax) => true,
        Op::Binary(BinOp::ISub | BinOp::Shl | BinOp::LShr | BinOp::AShr) => false,
        _ => return None,
    };
    match *args {
        [a, other] if a == arg && other != arg => Some(other),
        [other, a] if a == arg && other != arg && commutes => Some(other),
        _ => None,
    }
}

/// Returns `base` to the power of `n`, modulo 2 to the power of 64.
fn power(base: u64, mut n: u64) -> u64 {
    let (mut result, mut square) = (1u64, base);
    while n > 0 {
        if n % 2 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        n /= 2;
    }
    result
}

/// Returns the comparison with its operands exchanged.
fn mirrored(op: CmpOp) -> Option<CmpOp> {
    Some(match op {
        CmpOp::ULt => CmpOp::UGt,
        CmpOp::ULe => CmpOp::UGe,
        CmpOp::UGt => CmpOp::ULt,
        CmpOp::UGe => CmpOp::ULe,
        CmpOp::SLt => CmpOp::SGt,
        CmpOp::SLe => CmpOp::SGe,
        CmpOp::SGt => CmpOp::SLt,
        CmpOp::SGe => CmpOp::SLe,
        _ => return None,
    })
}

fn as_unsigned(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::SLt => CmpOp::ULt,
        CmpOp::SLe => CmpOp::ULe,
        CmpOp::SGt => CmpOp::UGt,
        CmpOp::SGe => CmpOp::UGe,
        _ => op,
    }
}

/// Returns whether a value is a constant of which some bits are undefined: each use could be another value.
fn is_undefined(func: &Function, value: Value) -> bool {
    matches!(func.as_const(value), Some(crate::ir::Const::Undef))
}

/// Returns whether an operation may be computed before the loop instead.
fn is_copied(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary(_)
            | Op::Unary(_)
            | Op::Compare(_)
            | Op::Cast(_)
            | Op::Select
            | Op::Construct
            | Op::Splat
            | Op::Extract(_)
            | Op::Insert(_)
            | Op::Shuffle(_)
            | Op::GlobalAddr(_)
            | Op::PtrAdd
    )
}
