//! Computes with 64-bit integers in pairs of 32-bit words.
//!
//! Why: many devices lack shaderInt64: those of phones, of the Raspberry Pi, SwiftShader. OpenCL's long and size_t have
//! 64 bits on all of them, and so have device addresses.
//! In:  `Inlined`, `NoLongVectors`, `ExplicitMemory`.
//! Out: `NoInt64`: no value, no element of memory and no address has the type I64. A device address is a vector of two
//!      words, the low one first, and so is a 64-bit integer in memory.
//!
//! How: each value becomes two (`Pair`), which have as many lanes as the value had. Operations become short sequences
//! (`lower_int64/arith.rs`, `convert.rs`), except for division, which is a call of one function
//! (`divide.rs`). Values that pass through structured instructions become two results or arguments of these. A
//! function returns the low words of its result, then the high words, in one vector.
//!
//! What the pass cannot express is an error: atomic operations of 64 bits, which are an extension of their own, and
//! arithmetic over sub-groups, which devices without shaderInt64 are not offered with.

mod arith;
mod convert;
mod divide;
mod memory;

use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::hash::HashSet;
use crate::inv;
use crate::ir::analysis::has_int64;
use crate::ir::rewrite::{Replaced, Rewriting};
use crate::ir::walk::Replacements;
use crate::ir::{
    Builder, CmpOp, Const, EntityRef, Func, Function, Inst, InstData, Module, Op, Scalar, Storage, Ty, Value,
    ValueDef,
};

pub const PASS: Pass = Pass {
    name: "lower_int64",
    about: "Computes with 64-bit integers in pairs of 32-bit words, for devices without shaderInt64.",
    run,
    requires: inv![Inlined, NoLongVectors, ExplicitMemory],
    establishes: inv![NoInt64],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let divide = Func::new(module.funcs.len());
    let mut calls_divide = false;
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        if has_int64(func) {
            calls_divide |= lower(func, divide)?;
            changed = true;
        }
    }
    if calls_divide {
        module.funcs.push(divide::function());
    }
    Ok(changed.into())
}

fn is_int64(ty: Ty) -> bool {
    ty.scalar == Scalar::I64
}

/// Returns the types of the two words of a 64-bit integer, or of each lane of a vector of them.
fn words_of(ty: Ty) -> Option<Vec<Ty>> {
    is_int64(ty).then(|| vec![ty.with_scalar(Scalar::I32); 2])
}

/// The words of a 64-bit integer, or of each lane of a vector of them.
#[derive(Copy, Clone, Debug)]
struct Pair {
    low: Value,
    high: Value,
}

/// A function that is being rewritten.
struct Lower<'f> {
    b: Builder<'f>,
    /// The words of each 64-bit value, once they exist.
    pairs: Replaced<Pair>,
    /// Other values that are replaced.
    others: Replacements,
    /// The function that divides, which need not exist yet, and whether it is called.
    divide: Func,
    calls_divide: bool,
}

/// Rewrites a function. Returns whether it calls `divide`.
fn lower(func: &mut Function, divide: Func) -> Result<bool, PassError> {
    let body = func.body;
    let mut l = Lower {
        b: Builder::at_end(func, body),
        pairs: Replaced::default(),
        others: Replacements::default(),
        divide,
        calls_divide: false,
    };
    let mut rewriting = Rewriting::new(&mut l.b);
    l.signature();
    while let Some(inst) = rewriting.next(&mut l.b) {
        l.inst(inst)?;
    }
    let calls_divide = l.calls_divide;
    let mut others = l.others;
    others.apply(func);
    Ok(calls_divide)
}

impl Lower<'_> {
    /// Replaces the parameters and the results of the function.
    fn signature(&mut self) {
        for old in std::mem::take(&mut self.b.func.params) {
            let ty = self.ty(old);
            if is_int64(ty) {
                let [low, high] = [(); 2].map(|()| self.b.func.add_param(ty.with_scalar(Scalar::I32)));
                self.pairs.set(old, Pair { low, high });
            } else {
                let n = self.b.func.params.len() as u32;
                self.b.func.values[old].def = ValueDef::Param(n);
                self.b.func.params.push(old);
            }
        }
        let results = std::mem::take(&mut self.b.func.results);
        self.b.func.results = results
            .into_iter()
            .flat_map(|ty| words_of(ty).unwrap_or_else(|| vec![ty]))
            .collect();
    }

    fn ty(&self, v: Value) -> Ty {
        self.b.func.ty(v)
    }

    /// Returns the words of a 64-bit value.
    fn pair(&mut self, value: Value) -> Pair {
        if let Some(pair) = self.pairs.get(value) {
            return *pair;
        }
        let words = self.ty(value).with_scalar(Scalar::I32);
        let lanes = match &self.b.func.values[value].def {
            ValueDef::Const(Const::Bits(lanes)) => Some(lanes.clone()),
            // A value that is defined later in the text does not occur in a verified function.
            _ => None,
        };
        match lanes {
            Some(lanes) => Pair {
                low: self.b.lanes(words, lanes.clone()),
                high: self.b.lanes(words, lanes.iter().map(|l| l >> 32).collect()),
            },
            None => Pair {
                low: self.b.undef(words),
                high: self.b.undef(words),
            },
        }
    }

    /// Returns the words of two values.
    fn pairs(&mut self, a: Value, b: Value) -> [Pair; 2] {
        [self.pair(a), self.pair(b)]
    }

    /// Rewrites one instruction.
    fn inst(&mut self, inst: Inst) -> Result<(), PassError> {
        let data = self.b.func.insts[inst].clone();
        self.b.span = data.span;
        self.b.fp = data.fp;
        if data.op.is_structured() || data.op.is_terminator() {
            self.structured(inst, &data);
            return Ok(());
        }
        let wide = |l: &Self, v: &Value| is_int64(l.ty(*v));
        let args = &data.args[..];
        match (&data.op, data.results.first().copied()) {
            (&Op::Variable { elem, count }, _) => {
                if let Some((elem, parts)) = memory::words_of(elem) {
                    let count = count.saturating_mul(parts);
                    self.b.func.insts[inst].op = Op::Variable { elem, count };
                }
                self.b.push(inst);
            }
            (&Op::LoadFrom(storage, access), Some(result)) => self.load(inst, storage, access, result)?,
            (&Op::StoreTo(storage, access), _) => self.store(inst, storage, access)?,
            (&Op::AtomicOn(_, storage), _) => self.atomic(inst, storage)?,
            _ if !data.args.iter().chain(&data.results).any(|v| wide(self, v)) => self.b.push(inst),
            (&Op::Binary(op), Some(result)) => {
                let pair = self.binary(op, args[0], args[1]);
                self.pairs.set(result, pair);
            }
            (&Op::Unary(op), Some(result)) => {
                let a = self.pair(args[0]);
                let pair = self.unary(op, a);
                self.pairs.set(result, pair);
            }
            (&Op::Compare(op), Some(result)) => {
                let [a, b] = self.pairs(args[0], args[1]);
                let value = self.compare(op, a, b);
                self.others.set(result, value);
            }
            (&Op::Cast(op), Some(result)) => self.cast(op, args[0], result)?,
            (Op::Select, Some(result)) => {
                let [a, b] = self.pairs(args[1], args[2]);
                let pair = self.choose(args[0], a, b);
                self.pairs.set(result, pair);
            }
            (
                Op::Construct
                | Op::Splat
                | Op::Extract(_)
                | Op::ExtractDynamic
                | Op::Insert(_)
                | Op::InsertDynamic
                | Op::Shuffle(_),
                Some(result),
            ) => self.moved(&data, result),
            (&Op::Intrinsic(op), Some(result)) => self.intrinsic(op, args, result)?,
            (Op::CallPure(_), _) => self.structured(inst, &data),
            _ => {
                return Err(bug("an instruction that takes no 64-bit integers has one").into());
            }
        }
        Ok(())
    }

    /// Returns each operand, or both words of it.
    fn expanded(&mut self, args: &[Value]) -> Vec<Value> {
        let mut list = Vec::with_capacity(args.len() + 1);
        for &a in args {
            if is_int64(self.ty(a)) {
                let pair = self.pair(a);
                list.extend([pair.low, pair.high]);
            } else {
                list.push(a);
            }
        }
        list
    }

    /// Rewrites an instruction that moves lanes: it moves those of the low words and those of the high words.
    fn moved(&mut self, data: &InstData, result: Value) {
        let ty = self.ty(result).with_scalar(Scalar::I32);
        let [mut low, mut high] = [Vec::new(), Vec::new()];
        for &a in &data.args {
            // The number of a lane is an I32.
            let pair = match is_int64(self.ty(a)) {
                true => self.pair(a),
                false => Pair { low: a, high: a },
            };
            low.push(pair.low);
            high.push(pair.high);
        }
        let pair = Pair {
            low: self.b.value(data.op.clone(), low, ty),
            high: self.b.value(data.op.clone(), high, ty),
        };
        self.pairs.set(result, pair);
    }

    /// Rewrites a structured instruction, a terminator or a call: 64-bit operands, results and region arguments become two
    /// words each.
    fn structured(&mut self, inst: Inst, data: &InstData) {
        let args = match data.op {
            Op::Switch(ref cases) if is_int64(self.ty(data.args[0])) => {
                let (selector, cases) = self.selector(data.args[0], cases);
                self.b.func.insts[inst].op = Op::Switch(cases);
                vec![selector]
            }
            _ => self.expanded(&data.args),
        };
        self.b.func.insts[inst].args = args.into_iter().collect();
        self.b.push(inst);
        for (old, words) in self.b.func.split_results(inst, &words_of) {
            if let [low, high] = words[..] {
                self.pairs.set(old, Pair { low, high });
            }
        }
    }

    /// Returns a word to switch on instead of a 64-bit integer, and the cases of the word. If all cases have the same
    /// high word, it is the low word, or a number that is no case if the high word is another one. Otherwise it is
    /// the number of the region.
    fn selector(&mut self, value: Value, cases: &[Vec<u64>]) -> (Value, Vec<Vec<u64>>) {
        let pair = self.pair(value);
        let mut all = cases.iter().flatten();
        let first = all.next().map_or(0, |v| v >> 32);
        if all.all(|v| v >> 32 == first) {
            let lows: Vec<Vec<u64>> = cases
                .iter()
                .map(|list| list.iter().map(|v| v & 0xffff_ffff).collect())
                .collect();
            let taken: HashSet<u64> = lows.iter().flatten().copied().collect();
            let other = (0..=u64::from(u32::MAX)).rev().find(|v| !taken.contains(v));
            if let Some(other) = other {
                let first = self.b.bits(Ty::I32, first);
                let other = self.b.bits(Ty::I32, other);
                let same = self.b.compare(CmpOp::IEq, pair.high, first);
                return (self.b.select(same, pair.low, other), lows);
            }
        }
        let mut number = self.b.bits(Ty::I32, cases.len() as u64);
        for (n, list) in cases.iter().enumerate() {
            for &v in list {
                let case = Pair {
                    low: self.b.bits(Ty::I32, v & 0xffff_ffff),
                    high: self.b.bits(Ty::I32, v >> 32),
                };
                let same = self.compare(CmpOp::IEq, pair, case);
                let this = self.b.bits(Ty::I32, n as u64);
                number = self.b.select(same, this, number);
            }
        }
        let cases = (0..cases.len() as u64).map(|n| vec![n]).collect();
        (number, cases)
    }
}

/// Returns the storage with elements that are words instead of 64-bit integers, and the number of elements that one
/// has become.
fn in_words(storage: Storage) -> (Storage, u32) {
    let Some((elem, parts)) = storage.element().and_then(memory::words_of) else {
        return (storage, 1);
    };
    let storage = match storage {
        Storage::Arena(_) => Storage::Arena(elem),
        Storage::Buffer(n, _) => Storage::Buffer(n, elem),
        Storage::Shared(n, _) => Storage::Shared(n, elem),
        Storage::ReadOnly(n, _) => Storage::ReadOnly(n, elem),
        Storage::Physical | Storage::Variable | Storage::PushWord | Storage::ArgsWord => storage,
    };
    (storage, parts)
}

/// Returns the error for a module that does not fulfil what the pass requires.
#[track_caller]
fn bug(message: &str) -> InternalError {
    InternalError::new("lower_int64", message)
}
