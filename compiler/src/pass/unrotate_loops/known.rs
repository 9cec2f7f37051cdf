//! Whether a comparison is certain to hold when a loop begins.

use crate::ir::walk::Parents;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Scalar, UnOp, Value, eval};
use crate::pass::analysis::facts::facts;

/// The most branches that are examined for one loop.
const MAX_BRANCHES: usize = 64;

/// The most comparisons that are taken out of one condition.
const MAX_PARTS: usize = 8;

/// An operand of a comparison.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Is(Value),
    Number(u64),
}

impl Term {
    /// Returns the term for a value.
    pub(super) fn of(func: &Function, value: Value) -> Term {
        func.as_bits(value).map_or(Term::Is(value), Term::Number)
    }
}

/// A comparison of two integers of a type.
#[derive(Copy, Clone, Debug)]
pub(super) struct Relation {
    pub(super) op: CmpOp,
    pub(super) scalar: Scalar,
    pub(super) terms: [Term; 2],
}

/// The numbers that a value can have, as signed and as unsigned numbers.
#[derive(Copy, Clone, Debug)]
struct Interval {
    signed: (i64, i64),
    unsigned: (u64, u64),
}

/// What is known where a loop begins.
pub(super) struct Known<'a> {
    pub(super) func: &'a Function,
    pub(super) parents: &'a Parents,
    pub(super) loop_: Inst,
}

impl Known<'_> {
    /// Returns whether a comparison certainly holds before the loop.
    pub(super) fn holds(&self, relation: Relation) -> bool {
        let relation = self.without_extensions(relation);
        if let [Term::Number(a), Term::Number(b)] = relation.terms {
            return eval::compare(relation.op, relation.scalar, a, b);
        }
        self.holds_by_facts(relation) || self.holds_by_branch(relation)
    }

    /// Returns an equivalent comparison of the narrower integers that were extended to those of this one.
    fn without_extensions(&self, relation: Relation) -> Relation {
        let extended = |term: Term| match term {
            Term::Is(value) => {
                let data = &self.func.insts[self.func.def_inst(value)?];
                let Op::Cast(op @ (CastOp::SExt | CastOp::ZExt)) = data.op else {
                    return None;
                };
                Some((op, data.args[0], self.func.ty(data.args[0]).scalar))
            }
            Term::Number(_) => None,
        };
        let [a, b] = relation.terms;
        let Some((cast, _, narrow)) = extended(a).or_else(|| extended(b)) else {
            return relation;
        };
        if !narrow.is_int() {
            return relation;
        }
        let inner = |term: Term| match term {
            Term::Number(bits) => {
                let low = eval::truncate(narrow, bits);
                let same = eval::cast(cast, narrow, relation.scalar, low) == Some(bits);
                same.then_some(Term::Number(low))
            }
            Term::Is(_) => {
                let (op, value, scalar) = extended(term)?;
                ((op, scalar) == (cast, narrow)).then(|| Term::of(self.func, value))
            }
        };
        let (Some(a), Some(b)) = (inner(a), inner(b)) else {
            return relation;
        };
        // Sign extension keeps both orders; zero extension makes the signed order that of unsigned numbers.
        let op = match (cast, relation.op) {
            (CastOp::ZExt, CmpOp::SLt) => CmpOp::ULt,
            (CastOp::ZExt, CmpOp::SLe) => CmpOp::ULe,
            (_, op) => op,
        };
        Relation {
            op,
            scalar: narrow,
            terms: [a, b],
        }
    }

    /// Returns whether the ranges of the operands decide that the comparison holds.
    fn holds_by_facts(&self, relation: Relation) -> bool {
        let [a, b] = relation.terms.map(|term| match term {
            Term::Is(value) => {
                let facts = facts(self.func, value);
                (facts.min(), facts.max(), facts.is_nonnegative())
            }
            Term::Number(bits) => (bits, bits, eval::signed(relation.scalar, bits) >= 0),
        });
        match relation.op {
            CmpOp::ULt => a.1 < b.0,
            CmpOp::ULe => a.1 <= b.0,
            CmpOp::SLt => a.2 && b.2 && a.1 < b.0,
            CmpOp::SLe => a.2 && b.2 && a.1 <= b.0,
            _ => false,
        }
    }

    /// Returns whether the comparison follows from a branch that decides whether the loop is reached: a branch around it,
    /// or one before it with an arm that does not reach the loop.
    fn holds_by_branch(&self, relation: Relation) -> bool {
        let func = self.func;
        let mut left = MAX_BRANCHES;
        let mut at = self.loop_;
        while let Some(region) = self.parents.region(at) {
            let insts = &func.regions[region].insts;
            for &inst in insts.iter().take_while(|&&i| i != at) {
                if func.insts[inst].op != Op::If {
                    continue;
                }
                let Some(fewer) = left.checked_sub(1) else {
                    return false;
                };
                left = fewer;
                let arms = &func.insts[inst].regions;
                let gone = (0..2).find(|&arm| self.never_completes(arms[arm], inst));
                if gone.is_some_and(|arm| self.follows(relation, func.insts[inst].args[0], arm == 1)) {
                    return true;
                }
            }
            let Some(owner) = self.parents.owner(region) else {
                return false;
            };
            let data = &func.insts[owner];
            if data.op == Op::If && self.follows(relation, data.args[0], region == data.regions[0]) {
                return true;
            }
            at = owner;
        }
        false
    }

    /// Returns whether a region, an arm of a branch, is straight-line code that leads elsewhere than after the branch.
    fn never_completes(&self, arm: crate::ir::Region, branch: Inst) -> bool {
        let func = self.func;
        let insts = &func.regions[arm].insts;
        let straight = !insts.iter().any(|&i| func.insts[i].op.is_structured());
        straight
            && func
                .terminator(arm)
                .is_some_and(|end| func.insts[end].op != Op::Exit(branch))
    }

    /// Returns whether the comparison follows from a condition that is true or false.
    fn follows(&self, relation: Relation, condition: Value, is_true: bool) -> bool {
        let func = self.func;
        let mut parts = vec![(condition, is_true)];
        let mut seen = 0;
        while let Some((value, is_true)) = parts.pop() {
            seen += 1;
            let Some(inst) = func.def_inst(value).filter(|_| seen <= MAX_PARTS) else {
                continue;
            };
            let data = &func.insts[inst];
            match data.op {
                Op::Compare(op) => {
                    let scalar = func.ty(data.args[0]).scalar;
                    if func.ty(data.args[0]).is_vector() || !scalar.is_int() {
                        continue;
                    }
                    let known = Relation {
                        op: if is_true { op } else { op.inverse() },
                        scalar,
                        terms: [data.args[0], data.args[1]].map(|v| Term::of(func, v)),
                    };
                    if self.implies(self.without_extensions(known), relation) {
                        return true;
                    }
                }
                Op::Unary(UnOp::Not) => parts.push((data.args[0], !is_true)),
                Op::Binary(BinOp::And) if is_true => parts.extend(data.args.iter().map(|&v| (v, true))),
                Op::Binary(BinOp::Or) if !is_true => parts.extend(data.args.iter().map(|&v| (v, false))),
                _ => {}
            }
        }
        false
    }

    /// Returns whether the second comparison follows from the first.
    fn implies(&self, known: Relation, wanted: Relation) -> bool {
        if known.scalar != wanted.scalar {
            return false;
        }
        if known.terms == wanted.terms && stronger(known.op, wanted.op) {
            return true;
        }
        let [x, y] = known.terms;
        if [y, x] == wanted.terms && stronger(known.op.swapped(), wanted.op) {
            return true;
        }
        let (value, op, number) = match known.terms {
            [Term::Is(value), Term::Number(number)] => (value, known.op, number),
            [Term::Number(number), Term::Is(value)] => (value, known.op.swapped(), number),
            _ => return false,
        };
        let Some(range) = Interval::of(op, known.scalar, number) else {
            return false;
        };
        let scalar = wanted.scalar;
        match wanted.terms {
            [Term::Number(n), Term::Is(v)] if v == value => match wanted.op {
                CmpOp::ULt => n < range.unsigned.0,
                CmpOp::ULe => n <= range.unsigned.0,
                CmpOp::SLt => eval::signed(scalar, n) < range.signed.0,
                CmpOp::SLe => eval::signed(scalar, n) <= range.signed.0,
                _ => false,
            },
            [Term::Is(v), Term::Number(n)] if v == value => match wanted.op {
                CmpOp::ULt => range.unsigned.1 < n,
                CmpOp::ULe => range.unsigned.1 <= n,
                CmpOp::SLt => range.signed.1 < eval::signed(scalar, n),
                CmpOp::SLe => range.signed.1 <= eval::signed(scalar, n),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns whether a comparison implies another one of the same operands.
fn stronger(known: CmpOp, wanted: CmpOp) -> bool {
    known == wanted
        || matches!(
            (known, wanted),
            (CmpOp::SLt | CmpOp::IEq, CmpOp::SLe) | (CmpOp::ULt | CmpOp::IEq, CmpOp::ULe)
        )
}

impl Interval {
    /// Returns the numbers for which a comparison with a constant holds, or `None` if there are none.
    fn of(op: CmpOp, scalar: Scalar, bits: u64) -> Option<Interval> {
        let greatest = eval::truncate(scalar, u64::MAX);
        let last = (greatest >> 1).cast_signed();
        let (first, number) = (-last - 1, eval::signed(scalar, bits));
        let signed = |low: i64, high: i64| {
            let positive = low >= 0;
            Interval {
                signed: (low, high),
                unsigned: if positive {
                    (low.cast_unsigned(), high.cast_unsigned())
                } else {
                    (0, greatest)
                },
            }
        };
        let unsigned = |low: u64, high: u64| {
            let positive = high <= last.cast_unsigned();
            Interval {
                signed: if positive {
                    (low.cast_signed(), high.cast_signed())
                } else {
                    (first, last)
                },
                unsigned: (low, high),
            }
        };
        Some(match op {
            CmpOp::SLt => signed(first, number.checked_sub(1).filter(|&n| n >= first)?),
            CmpOp::SLe => signed(first, number),
            CmpOp::SGt => signed(number.checked_add(1).filter(|&n| n <= last)?, last),
            CmpOp::SGe => signed(number, last),
            CmpOp::ULt => unsigned(0, bits.checked_sub(1)?),
            CmpOp::ULe => unsigned(0, bits),
            CmpOp::UGt => unsigned(bits.checked_add(1).filter(|&n| n <= greatest)?, greatest),
            CmpOp::UGe => unsigned(bits, greatest),
            CmpOp::INe if bits == 0 => unsigned(1, greatest),
            _ => return None,
        })
    }
}
