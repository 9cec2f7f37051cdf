//! A test at run time that the loads of a loop read none of the memory that its stores write.
//!
//! `for (i = 0; i < n; i++) out[i * m + k] = in[k * n + i];` can begin with the loads of several iterations only if
//! `in` and `out` do not overlap. Nothing in the program says so unless the pointers are `restrict`. But both
//! addresses grow by the same number in each iteration, so the first and the last iteration limit what the whole
//! loop accesses, and a few comparisons before the loop decide.

use std::collections::BTreeMap;

use super::super::counter::Counter;
use crate::ir::build::Builder;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Region, Storage, Ty, Value, ValueDef};

/// The longest chain of operations that is followed from an address.
const MAX_DEPTH: u32 = 12;

/// The most accesses that are compared with each other.
const MAX_ACCESSES: usize = 6;

/// The accesses of a loop that are compared at run time.
#[derive(Default)]
pub(super) struct Accesses {
    loads: Vec<Inst>,
    stores: Vec<Inst>,
}

/// The value in the first iteration, and what each iteration adds to it, in the arithmetic of its type.
#[derive(Copy, Clone)]
struct Line {
    start: Value,
    /// `None` if the value stays the same.
    growth: Option<Value>,
}

impl Accesses {
    pub(super) fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Adds a load and a store that may access the same memory in different iterations. Returns whether a test at run time is
    /// possible and can succeed: both addresses must be offsets from different pointers that are known before the loop, and
    /// must not depend on values that the loop loads.
    pub(super) fn add(&mut self, func: &Function, body: Region, end: Inst, load: Inst, store: Inst) -> bool {
        let is_physical = matches!(func.insts[load].op, Op::LoadFrom(Storage::Physical, _));
        let address = |i: Inst| func.insts[i].args[0];
        let (from, to) = (address(load), address(store));
        let follows = |v: Value| is_line(func, body, end, v, MAX_DEPTH);
        if !is_physical || !follows(from) || !follows(to) || root(func, body, from) == root(func, body, to) {
            return false;
        }
        for (list, inst) in [(&mut self.loads, load), (&mut self.stores, store)] {
            if !list.contains(&inst) {
                list.push(inst);
            }
        }
        self.loads.len() + self.stores.len() <= MAX_ACCESSES
    }

    /// Inserts the test at the place of `b`, which is before the loop, and returns its result. The result is false if the loop
    /// has fewer than `least` iterations, and may be anything if it has none. Returns `None` if the counter does not tell the
    /// number of iterations.
    pub(super) fn test(
        &self,
        b: &mut Builder<'_>,
        loop_: Inst,
        end: Inst,
        counter: &Counter,
        least: usize,
    ) -> Option<Value> {
        let last = counter.last(b, loop_)?;
        let least = b.bits(Ty::I64, least as u64);
        let enough = b.compare(CmpOp::UGe, last, least);
        let (branch, many, few) = b.if_(enough, &[Ty::BOOL]);
        let mut lines = Lines {
            body: b.func.insts[loop_].regions[0],
            starts: b.func.insts[loop_].args.to_vec(),
            nexts: b.func.insts[end].args.to_vec(),
            known: BTreeMap::new(),
            last,
            holds: b.bool(true),
        };
        b.enter(many);
        let holds = self.are_apart(b, &mut lines);
        let holds = holds.unwrap_or_else(|| b.bool(false));
        b.exit(branch, vec![holds]);
        b.leave();
        b.enter(few);
        let no = b.bool(false);
        b.exit(branch, vec![no]);
        b.leave();
        Some(b.results(branch)[0])
    }

    /// Computes whether each load is apart from each store.
    fn are_apart(&self, b: &mut Builder<'_>, lines: &mut Lines) -> Option<Value> {
        let mut ranges = |b: &mut Builder<'_>, list: &[Inst]| {
            let ranges = list.iter().map(|&inst| lines.range(b, inst));
            ranges.collect::<Option<Vec<_>>>()
        };
        let loads = ranges(b, &self.loads)?;
        let stores = ranges(b, &self.stores)?;
        let mut holds = lines.holds;
        for &(load, load_end) in &loads {
            for &(store, store_end) in &stores {
                let below = b.compare(CmpOp::ULe, load_end, store);
                let above = b.compare(CmpOp::ULe, store_end, load);
                let apart = b.binary(BinOp::Or, below, above);
                holds = b.binary(BinOp::And, holds, apart);
            }
        }
        Some(holds)
    }
}

/// Returns the pointer from which an address is an offset: the first term of the sum that is neither an extended number nor a
/// product.
fn root(func: &Function, body: Region, mut address: Value) -> Value {
    for _ in 0..MAX_DEPTH {
        let Some(inst) = func.def_inst(address) else {
            break;
        };
        let data = &func.insts[inst];
        if data.op != Op::Binary(BinOp::IAdd) {
            break;
        }
        let is_offset = |v: Value| {
            func.as_bits(v).is_some()
                || func.def_inst(v).is_some_and(|i| {
                    matches!(
                        func.insts[i].op,
                        Op::Cast(CastOp::SExt | CastOp::ZExt) | Op::Binary(BinOp::IMul | BinOp::Shl)
                    )
                })
                || matches!(func.values[v].def, ValueDef::Arg(region, _) if region == body)
        };
        address = match is_offset(data.args[0]) {
            true => data.args[1],
            false => data.args[0],
        };
    }
    address
}

/// Returns whether [`Lines::of`] finds a line for a value.
fn is_line(func: &Function, body: Region, end: Inst, value: Value, depth: u32) -> bool {
    if super::is_outside(func, body, value) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if !matches!(func.ty(value), Ty::I32 | Ty::I64) {
        return false;
    }
    if let ValueDef::Arg(region, n) = func.values[value].def {
        let next = func.insts[end].args[n as usize];
        return region == body && (next == value || step(func, body, value, next).is_some());
    }
    let Some(inst) = func.def_inst(value) else {
        return false;
    };
    let data = &func.insts[inst];
    let of = |n: usize| is_line(func, body, end, data.args[n], depth);
    let stays = |n: usize| super::is_outside(func, body, data.args[n]);
    match data.op {
        Op::Binary(BinOp::IAdd | BinOp::ISub) => of(0) && of(1),
        Op::Binary(BinOp::IMul) => (stays(0) && of(1)) || (stays(1) && of(0)),
        Op::Binary(BinOp::Shl) => stays(1) && of(0),
        Op::Cast(CastOp::SExt | CastOp::ZExt) => func.ty(data.args[0]) == Ty::I32 && of(0),
        _ => false,
    }
}

/// Returns what an iteration adds to an argument of the loop, if that is loop-invariant.
fn step(func: &Function, body: Region, arg: Value, next: Value) -> Option<Value> {
    let data = &func.insts[func.def_inst(next)?];
    if data.op != Op::Binary(BinOp::IAdd) {
        return None;
    }
    let own = data.args.iter().position(|&a| a == arg)?;
    let other = data.args[1 - own];
    super::is_outside(func, body, other).then_some(other)
}

/// The lines of a loop's values.
struct Lines {
    body: Region,
    /// The arguments of the loop in the first iteration, and in the next one.
    starts: Vec<Value>,
    nexts: Vec<Value>,
    known: BTreeMap<Value, Line>,
    /// The number of the last iteration, counted from 0, as a 64-bit integer.
    last: Value,
    /// The condition that no extended index wraps around, as far as the test has been computed.
    holds: Value,
}

impl Lines {
    /// Returns the address of the first byte that an instruction accesses in any iteration, and that of the byte after the last.
    ///
    /// The program executes all iterations, so it accesses existing memory in each, and the addresses do not wrap around from
    /// one iteration to the next. Therefore the first and the last iteration have the lowest and the highest address.
    fn range(&mut self, b: &mut Builder<'_>, inst: Inst) -> Option<(Value, Value)> {
        let data = &b.func.insts[inst];
        let ty = match data.op {
            Op::StoreTo(..) => b.func.ty(data.args[1]),
            _ => b.func.ty(data.results[0]),
        };
        let address = data.args[0];
        let line = self.of(b, address, MAX_DEPTH)?;
        let size = b.bits(Ty::I64, u64::from(ty.bytes()));
        let Some(growth) = line.growth else {
            let end = b.binary(BinOp::IAdd, line.start, size);
            return Some((line.start, end));
        };
        let way = b.binary(BinOp::IMul, growth, self.last);
        let other = b.binary(BinOp::IAdd, line.start, way);
        let grows = b.compare(CmpOp::ULe, line.start, other);
        let least = b.select(grows, line.start, other);
        let most = b.select(grows, other, line.start);
        let end = b.binary(BinOp::IAdd, most, size);
        Some((least, end))
    }

    /// Returns the line of a value, whose start and growth are computed at the place of `b`.
    fn of(&mut self, b: &mut Builder<'_>, value: Value, depth: u32) -> Option<Line> {
        if super::is_outside(b.func, self.body, value) {
            return Some(Line {
                start: value,
                growth: None,
            });
        }
        if let Some(&line) = self.known.get(&value) {
            return Some(line);
        }
        let line = self.compute(b, value, depth.checked_sub(1)?)?;
        self.known.insert(value, line);
        Some(line)
    }

    fn compute(&mut self, b: &mut Builder<'_>, value: Value, depth: u32) -> Option<Line> {
        if let ValueDef::Arg(_, n) = b.func.values[value].def {
            let (start, next) = (self.starts[n as usize], self.nexts[n as usize]);
            let growth = match next == value {
                true => None,
                false => Some(step(b.func, self.body, value, next)?),
            };
            return Some(Line { start, growth });
        }
        let data = b.func.insts[b.func.def_inst(value)?].clone();
        match data.op {
            Op::Cast(op @ (CastOp::SExt | CastOp::ZExt)) => {
                let line = self.of(b, data.args[0], depth)?;
                Some(self.extended(b, op, line))
            }
            Op::Binary(op) => {
                let x = self.of(b, data.args[0], depth)?;
                let y = self.of(b, data.args[1], depth)?;
                let start = b.binary(op, x.start, y.start);
                let growth = match (op, x.growth, y.growth) {
                    (_, None, None) => None,
                    (BinOp::IAdd | BinOp::ISub, Some(x), Some(y)) => Some(b.binary(op, x, y)),
                    (BinOp::IAdd | BinOp::ISub, Some(x), None) | (BinOp::IAdd, None, Some(x)) => Some(x),
                    (BinOp::ISub, None, Some(y)) => {
                        let zero = b.zero(b.func.ty(y));
                        Some(b.binary(op, zero, y))
                    }
                    (BinOp::IMul | BinOp::Shl, Some(x), None) => Some(b.binary(op, x, y.start)),
                    (BinOp::IMul, None, Some(y)) => Some(b.binary(op, x.start, y)),
                    _ => return None,
                };
                Some(Line { start, growth })
            }
            _ => None,
        }
    }

    /// Returns the line of an extended 32-bit integer. The extended integer only follows a line if the integer does not wrap
    /// around in its own type before the last iteration ends, so that becomes a part of the test.
    fn extended(&mut self, b: &mut Builder<'_>, op: CastOp, line: Line) -> Line {
        let start = b.cast(op, line.start, Ty::I64);
        let Some(growth) = line.growth else {
            return Line { start, growth: None };
        };
        // Modulo 2^32 the growth may be read as signed or as unsigned. As a signed number it has a product below 2^63.
        let growth = b.cast(CastOp::SExt, growth, Ty::I64);
        let way = b.binary(BinOp::IMul, growth, self.last);
        let end = b.binary(BinOp::IAdd, start, way);
        let narrow = b.cast(CastOp::Trunc, end, Ty::I32);
        let again = b.cast(op, narrow, Ty::I64);
        let same = b.compare(CmpOp::IEq, again, end);
        self.holds = b.binary(BinOp::And, self.holds, same);
        Line {
            start,
            growth: Some(growth),
        }
    }
}
