//! Computes with 8-bit and 16-bit integers in 32 bits.
//!
//! Why: NVIDIA's driver often treats the result of 8-bit or 16-bit arithmetic as if the bits above it were
//! those of a wider computation. `popcount(a + b)` of chars then counts up to 32 bits, a carry of shorts is
//! not seen by the comparison that looks for it, and the sign extension of `-x` is `-(sign extension of x)`,
//! which differs for the least number. Other devices have no such arithmetic. The pass is for targets with
//! [`Quirks::narrow_integers`](crate::target::Quirks::narrow_integers), and for those without shaderInt8 or
//! shaderInt16 ([`Target::lacks_narrow_integers`](crate::target::Target::lacks_narrow_integers)).
//! In:  `Inlined`, `NoLongVectors`, `ExplicitMemory`.
//! Out: values of 8-bit and 16-bit integer types are only loaded, stored, passed to and returned by functions
//!      that remain, and used by sub-group operations.
//!
//! The driver also leaves out the sign extension of a number that was loaded from a private array, where it keeps the array in
//! the halves of registers. So the sign bit of such a number is extended by shifts, too.
//!
//! How: each narrow value becomes a 32-bit value (`Wide`) of which the lowest bits count. An operation whose
//! result depends on the bits above (a comparison, a division, a shift to the right, a conversion) extends its
//! operands where they are not known to be extended already. The extensions are not shared; `cse` does that.

use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::rewrite::{Replaced, Rewriting};
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    BinOp, Builder, CastOp, CmpOp, Const, Function, Inst, InstData, Module, Op, Scalar, Storage, Ty, UnOp,
    Value, ValueDef,
};

pub const PASS: Pass = Pass {
    name: "widen_integers",
    about: "Computes with 8-bit and 16-bit integers in 32 bits, for devices whose narrow arithmetic is wrong or missing.",
    run,
    requires: inv![Inlined, NoLongVectors, ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let lacking = cx.target.lacks_narrow_integers();
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        if computes_narrow(func) || (lacking && has_narrow(func)) {
            widen(func, lacking)?;
            changed = true;
        }
    }
    Ok(changed.into())
}

fn is_narrow(ty: Ty) -> bool {
    matches!(ty.scalar, Scalar::I8 | Scalar::I16)
}

/// Returns whether a function has values of 8-bit or 16-bit integers.
fn has_narrow(func: &Function) -> bool {
    let mut values = func.values.keys();
    values.any(|v| is_narrow(func.ty(v)))
}

/// Returns whether a function does more with narrow integers than to load, extend, truncate and store them.
fn computes_narrow(func: &Function) -> bool {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        let narrow = |v: &Value| is_narrow(func.ty(*v));
        let is_copy = match data.op {
            Op::LoadFrom(..) => true,
            Op::StoreTo(..) => data
                .args
                .last()
                .and_then(|&v| func.def_inst(v))
                .is_none_or(|def| matches!(func.insts[def].op, Op::LoadFrom(..) | Op::Cast(CastOp::Trunc))),
            Op::Cast(CastOp::Trunc) => !data.args.iter().any(narrow),
            Op::Cast(op @ (CastOp::ZExt | CastOp::SExt | CastOp::UToF | CastOp::SToF)) => {
                !data.results.iter().any(narrow)
                    && data.args.iter().all(|&v| match loaded_from(func, v) {
                        Some(Storage::Variable) => !is_signed(op),
                        storage => storage.is_some(),
                    })
            }
            _ => false,
        };
        if !is_copy && func.types_at(inst).any(is_narrow) {
            return true;
        }
    }
    false
}

/// Returns the storage from which a value is loaded.
fn loaded_from(func: &Function, v: Value) -> Option<Storage> {
    match func.insts[func.def_inst(v)?].op {
        Op::LoadFrom(storage, _) => Some(storage),
        _ => None,
    }
}

/// Returns whether a conversion of an integer depends on its sign.
fn is_signed(op: CastOp) -> bool {
    matches!(op, CastOp::SExt | CastOp::SToF)
}

/// What the bits above a narrow integer's width are in its 32-bit value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Above {
    /// They are not known.
    Unknown,
    /// They are zero.
    Zero,
    /// They are copies of the sign bit.
    Sign,
}

/// The 32-bit value that a narrow value has become.
#[derive(Copy, Clone, Debug)]
struct Wide {
    value: Value,
    above: Above,
    /// The narrow value itself, if it remains, because it was loaded or returned.
    narrow: Option<Value>,
}

/// A function whose integers are being widened.
struct Widen<'f> {
    b: Builder<'f>,
    /// The device has no narrow integers, except in accesses of buffers. A loaded value is used by one extension only, and
    /// a stored one is a result of a truncation.
    lacking: bool,
    /// What each narrow value has become, once it has.
    wide: Replaced<Wide>,
    /// Other values that are replaced.
    others: Replacements,
}

fn widen(func: &mut Function, lacking: bool) -> Result<(), PassError> {
    let body = func.body;
    let mut w = Widen {
        b: Builder::at_end(func, body),
        lacking,
        wide: Replaced::default(),
        others: Replacements::default(),
    };
    let mut rewriting = Rewriting::new(&mut w.b);
    for param in w.b.func.params.clone() {
        if is_narrow(w.b.func.ty(param)) {
            w.keep(param);
        }
    }
    while let Some(inst) = rewriting.next(&mut w.b) {
        w.inst(inst)?;
    }
    let mut others = w.others;
    others.apply(func);
    Ok(())
}

impl Widen<'_> {
    fn ty(&self, v: Value) -> Ty {
        self.b.func.ty(v)
    }

    /// Records the 32-bit value of a narrow one.
    fn define(&mut self, narrow: Value, value: Value, above: Above) {
        let wide = Wide {
            value,
            above,
            narrow: None,
        };
        self.wide.set(narrow, wide);
    }

    /// Extends a narrow value that remains.
    fn keep(&mut self, narrow: Value) {
        let word = self.ty(narrow).with_scalar(Scalar::I32);
        let value = self.b.cast(CastOp::ZExt, narrow, word);
        self.wide.set(
            narrow,
            Wide {
                value,
                above: Above::Zero,
                narrow: (!self.lacking).then_some(narrow),
            },
        );
    }

    /// Returns what a narrow value has become.
    fn wide(&mut self, narrow: Value) -> Wide {
        if let Some(wide) = self.wide.get(narrow) {
            return *wide;
        }
        let word = self.ty(narrow).with_scalar(Scalar::I32);
        // A value that is defined later in the text does not occur in a verified function.
        let (value, above) = match &self.b.func.values[narrow].def {
            ValueDef::Const(Const::Bits(lanes)) => {
                let lanes = lanes.clone();
                (self.b.lanes(word, lanes), Above::Zero)
            }
            _ => (self.b.undef(word), Above::Unknown),
        };
        Wide {
            value,
            above,
            narrow: None,
        }
    }

    /// Returns 32 bits of which those of the narrow value are right.
    fn low(&mut self, v: Value) -> Value {
        self.wide(v).value
    }

    /// Returns the zero-extended value.
    fn zext(&mut self, v: Value) -> Value {
        let bits = self.ty(v).scalar.bits();
        let wide = self.wide(v);
        if wide.above == Above::Zero {
            return wide.value;
        }
        self.extended(wide.value, bits, BinOp::LShr)
    }

    /// Extends the lowest bits of a 32-bit integer by a shift to the left and one to the right, which emission
    /// combines into one instruction. A mask would be an invitation to the driver to compute in fewer bits again.
    fn extended(&mut self, wide: Value, bits: u32, right: BinOp) -> Value {
        let shift = self.b.bits(self.ty(wide), u64::from(32 - bits));
        let high = self.b.binary(BinOp::Shl, wide, shift);
        self.b.binary(right, high, shift)
    }

    /// Returns the sign-extended value.
    fn sext(&mut self, v: Value) -> Value {
        let bits = self.ty(v).scalar.bits();
        let wide = self.wide(v);
        let word = self.ty(wide.value);
        if wide.above == Above::Sign {
            return wide.value;
        }
        if let Some(narrow) = wide.narrow
            && loaded_from(self.b.func, narrow) != Some(Storage::Variable)
        {
            return self.b.cast(CastOp::SExt, narrow, word);
        }
        if let Some(Const::Bits(lanes)) = self.b.func.as_const(wide.value) {
            let shift = 64 - bits;
            let lanes = lanes
                .iter()
                .map(|&l| ((l << shift) as i64 >> shift) as u64)
                .collect();
            return self.b.lanes(word, lanes);
        }
        self.extended(wide.value, bits, BinOp::AShr)
    }

    /// Returns the narrow value for the few instructions that keep it.
    fn narrow(&mut self, v: Value) -> Value {
        let ty = self.ty(v);
        if !is_narrow(ty) || (!self.lacking && self.b.func.as_const(v).is_some()) {
            return v;
        }
        let wide = self.wide(v);
        wide.narrow
            .unwrap_or_else(|| self.b.cast(CastOp::Trunc, wide.value, ty))
    }

    /// Returns what is known of the bits above that holds for all of the values.
    fn common(&mut self, values: &[Value]) -> Above {
        let mut all = values.iter().map(|&v| self.wide(v).above).collect::<Vec<_>>();
        let first = all.pop().unwrap_or(Above::Unknown);
        if all.iter().all(|&a| a == first) {
            first
        } else {
            Above::Unknown
        }
    }

    /// Rewrites one instruction.
    fn inst(&mut self, inst: Inst) -> Result<(), PassError> {
        let data = self.b.func.insts[inst].clone();
        self.b.span = data.span;
        self.b.fp = data.fp;
        if data.op.is_structured() || data.op.is_terminator() {
            self.structured(inst, &data.op);
            return Ok(());
        }
        let narrow = |w: &Self, v: &Value| is_narrow(w.ty(*v));
        let Some(&result) = data.results.first() else {
            // The operands of a store and of a call without a result stay narrow.
            self.retain(inst);
            return Ok(());
        };
        if !data.args.iter().chain(&data.results).any(|v| narrow(self, v)) {
            self.b.push(inst);
            return Ok(());
        }
        let args = &data.args[..];
        match data.op {
            Op::Binary(op) => self.binary(op, args[0], args[1], result),
            Op::Unary(op) => {
                let a = self.low(args[0]);
                let value = self.b.unary(op, a);
                let sign = op == UnOp::Not && self.wide(args[0]).above == Above::Sign;
                self.define(result, value, if sign { Above::Sign } else { Above::Unknown });
            }
            Op::Compare(op) => {
                let signed = matches!(op, CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe);
                let unsigned = matches!(op, CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe);
                let signs = !unsigned && self.common(&[args[0], args[1]]) == Above::Sign;
                let [a, b] = [args[0], args[1]].map(|v| match signed || signs {
                    true => self.sext(v),
                    false => self.zext(v),
                });
                let value = self.b.compare(op, a, b);
                self.others.set(result, value);
            }
            Op::Cast(op) => self.cast(op, args[0], result),
            Op::Select => {
                let (a, b) = (self.low(args[1]), self.low(args[2]));
                let value = self.b.select(args[0], a, b);
                let above = self.common(&[args[1], args[2]]);
                self.define(result, value, above);
            }
            Op::Construct
            | Op::Splat
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Insert(_)
            | Op::InsertDynamic
            | Op::Shuffle(_) => self.moved(&data, result),
            Op::Intrinsic(op) => self.intrinsic(inst, op, args, result)?,
            Op::LoadFrom(..) | Op::Call(_) | Op::CallPure(_) => self.retain(inst),
            _ => {
                return Err(InternalError::new(
                    "widen_integers",
                    "an instruction that takes no narrow integers has one",
                )
                .into());
            }
        }
        Ok(())
    }

    /// Leaves an instruction as it is, with narrow operands and results.
    fn retain(&mut self, inst: Inst) {
        for i in 0..self.b.func.insts[inst].args.len() {
            let old = self.b.func.insts[inst].args[i];
            let new = self.narrow(old);
            self.b.func.insts[inst].args[i] = new;
        }
        self.b.push(inst);
        for result in self.b.func.insts[inst].results.clone() {
            if is_narrow(self.ty(result)) {
                self.keep(result);
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: Value, b: Value, result: Value) {
        let bits = self.ty(a).scalar.bits();
        let (left, right, above) = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => {
                let mut above = self.common(&[a, b]);
                if op == BinOp::And && [a, b].iter().any(|&v| self.wide(v).above == Above::Zero) {
                    above = Above::Zero;
                }
                (self.low(a), self.low(b), above)
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let (left, above) = match op {
                    BinOp::LShr => (self.zext(a), Above::Zero),
                    BinOp::AShr => (self.sext(a), Above::Sign),
                    _ => (self.low(a), Above::Unknown),
                };
                let count = self.low(b);
                let mask = self.b.bits(self.ty(count), u64::from(bits) - 1);
                let count = match self.b.func.as_const(count) {
                    Some(Const::Bits(lanes)) => {
                        let lanes = lanes.iter().map(|l| l & (u64::from(bits) - 1)).collect();
                        self.b.lanes(self.ty(count), lanes)
                    }
                    _ => self.b.binary(BinOp::And, count, mask),
                };
                (left, count, above)
            }
            // Division by zero may set any bit, and must not change other lanes when they are packed.
            BinOp::UDiv | BinOp::URem => (self.zext(a), self.zext(b), Above::Unknown),
            BinOp::SDiv | BinOp::SRem => (self.sext(a), self.sext(b), Above::Unknown),
            _ => (self.low(a), self.low(b), Above::Unknown),
        };
        let value = self.b.binary(op, left, right);
        self.define(result, value, above);
    }

    fn cast(&mut self, op: CastOp, a: Value, result: Value) {
        let (from, to) = (self.ty(a), self.ty(result));
        let word = to.with_scalar(Scalar::I32);
        match op {
            CastOp::Bitcast => self.bitcast(a, result),
            CastOp::Trunc if is_narrow(from) => {
                let wide = self.wide(a);
                self.define(result, wide.value, Above::Unknown);
            }
            CastOp::Trunc => {
                let value = match from.scalar {
                    Scalar::I32 => a,
                    _ => self.b.cast(op, a, word),
                };
                self.define(result, value, Above::Unknown);
            }
            // Bool to a narrow integer.
            CastOp::ZExt | CastOp::SExt if !is_narrow(from) => {
                let value = self.b.cast(op, a, word);
                let above = if op == CastOp::ZExt {
                    Above::Zero
                } else {
                    Above::Sign
                };
                self.define(result, value, above);
            }
            CastOp::FToS | CastOp::FToU => {
                let value = self.b.cast(op, a, word);
                self.define(result, value, Above::Unknown);
            }
            _ => {
                let signed = is_signed(op);
                let value = if signed { self.sext(a) } else { self.zext(a) };
                if is_narrow(to) {
                    // An extended 8-bit number is extended as a 16-bit number, too.
                    let above = if signed { Above::Sign } else { Above::Zero };
                    self.define(result, value, above);
                    return;
                }
                let value = match to.scalar {
                    Scalar::I32 => value,
                    _ => self.b.cast(op, value, to),
                };
                self.others.set(result, value);
            }
        }
    }

    /// Copies the bits of one value to a value of another type, one of which is narrow.
    fn bitcast(&mut self, a: Value, result: Value) {
        let (from, to) = (self.ty(a), self.ty(result));
        if from == to {
            let wide = self.wide(a);
            self.wide.set(result, wide);
            return;
        }
        if from.scalar.bits() == to.scalar.bits() && self.lacking {
            self.bitcast_halves(a, result);
            return;
        }
        if from.scalar.bits() == to.scalar.bits() {
            // Halves: a conversion between types of one width is no arithmetic.
            let narrow = self.narrow(a);
            if is_narrow(to) {
                let bits = self.b.cast(CastOp::Bitcast, narrow, to);
                self.keep(bits);
                let wide = self.wide(bits);
                self.wide.set(result, wide);
            } else {
                let value = self.b.cast(CastOp::Bitcast, narrow, to);
                self.others.set(result, value);
            }
            return;
        }
        let words = self.words_of(a, from);
        self.define_by_words(&words, to, result);
    }

    /// Copies the bits of halves to integers, or the other way round, lane by lane: each half is the lower one of a pair
    /// that is a word.
    fn bitcast_halves(&mut self, a: Value, result: Value) {
        let to = self.ty(result);
        let pair = Ty::vector(Scalar::F16, 2);
        let source = if is_narrow(to) { a } else { self.zext(a) };
        let zero = self.b.zero(Ty::F16);
        let lanes: Vec<Value> = (0..to.lanes)
            .map(|lane| {
                let lane = self.lane(source, lane);
                if is_narrow(to) {
                    let both = self.b.construct(pair, vec![lane, zero]);
                    self.b.cast(CastOp::Bitcast, both, Ty::I32)
                } else {
                    let both = self.b.cast(CastOp::Bitcast, lane, pair);
                    self.b.extract(both, 0)
                }
            })
            .collect();
        let ty = if is_narrow(to) {
            to.with_scalar(Scalar::I32)
        } else {
            to
        };
        let value = match lanes[..] {
            [lane] => lane,
            _ => self.b.construct(ty, lanes),
        };
        if is_narrow(to) {
            self.define(result, value, Above::Zero);
        } else {
            self.others.set(result, value);
        }
    }

    /// Returns the bits of a value as 32-bit words, the lowest first. The last one may hold fewer bits; those
    /// above them are zero.
    fn words_of(&mut self, a: Value, from: Ty) -> Vec<Value> {
        let bits = from.scalar.bits();
        if is_narrow(from) {
            let wide = self.zext(a);
            let per_word = (32 / bits) as u8;
            let mut words = Vec::new();
            for first in (0..from.lanes).step_by(usize::from(per_word)) {
                let mut word: Option<Value> = None;
                for lane in first..from.lanes.min(first + per_word) {
                    let value = self.lane(wide, lane);
                    let shift = self.b.i32((u32::from(lane - first) * bits) as i32);
                    word = Some(match word {
                        None => value,
                        Some(low) => {
                            let high = self.b.binary(BinOp::Shl, value, shift);
                            self.b.binary(BinOp::Or, low, high)
                        }
                    });
                }
                words.extend(word);
            }
            return words;
        }
        let mut a = a;
        let mut from = from;
        if from == Ty::F16 {
            // A half is the lower one of a pair.
            let zero = self.b.zero(Ty::F16);
            from = Ty::vector(Scalar::F16, 2);
            a = self.b.construct(from, vec![a, zero]);
        }
        let count = (from.bytes() / 4) as u8;
        let words = self.b.cast(CastOp::Bitcast, a, Ty::vector(Scalar::I32, count));
        (0..count).map(|lane| self.lane(words, lane)).collect()
    }

    /// Defines the result of a bit cast by the words that hold its bits.
    fn define_by_words(&mut self, words: &[Value], to: Ty, result: Value) {
        let bits = to.scalar.bits();
        if is_narrow(to) {
            let per_word = 32 / bits;
            let lanes: Vec<Value> = (0..u32::from(to.lanes))
                .map(|lane| {
                    let word = words[(lane / per_word) as usize];
                    let shift = self.b.i32((lane % per_word * bits) as i32);
                    match lane % per_word {
                        0 => word,
                        _ => self.b.binary(BinOp::LShr, word, shift),
                    }
                })
                .collect();
            let value = match lanes[..] {
                [lane] => lane,
                _ => self.b.construct(to.with_scalar(Scalar::I32), lanes),
            };
            self.define(result, value, Above::Unknown);
            return;
        }
        let all = match words {
            [word] => *word,
            _ => self
                .b
                .construct(Ty::vector(Scalar::I32, words.len() as u8), words.to_vec()),
        };
        let value = if to == Ty::F16 {
            let pair = self.b.cast(CastOp::Bitcast, all, Ty::vector(Scalar::F16, 2));
            self.b.extract(pair, 0)
        } else {
            self.b.cast(CastOp::Bitcast, all, to)
        };
        self.others.set(result, value);
    }

    /// Returns a lane of a vector, or the scalar itself.
    fn lane(&mut self, v: Value, lane: u8) -> Value {
        if self.ty(v).is_vector() {
            self.b.extract(v, lane)
        } else {
            v
        }
    }

    /// Rewrites an instruction that moves lanes.
    fn moved(&mut self, data: &InstData, result: Value) {
        let is_number = |n: usize| match data.op {
            Op::ExtractDynamic => n == 1,
            Op::InsertDynamic => n == 2,
            _ => false,
        };
        let moved: Vec<Value> = (0..data.args.len())
            .filter(|&n| !is_number(n))
            .map(|n| data.args[n])
            .collect();
        // The bits above an undefined lane are undefined, too, and must not reach other lanes.
        let above = match &data.op {
            Op::Shuffle(mask) if mask.contains(&0xff) => Above::Unknown,
            Op::ExtractDynamic => Above::Unknown,
            _ => self.common(&moved),
        };
        let args: Vec<Value> = (0..data.args.len())
            .map(|n| match is_number(n) {
                true => data.args[n],
                false => self.low(data.args[n]),
            })
            .collect();
        let ty = self.ty(result).with_scalar(Scalar::I32);
        let value = self.b.value(data.op.clone(), args, ty);
        self.define(result, value, above);
    }

    fn intrinsic(
        &mut self,
        inst: Inst,
        op: Intrinsic,
        args: &[Value],
        result: Value,
    ) -> Result<(), PassError> {
        use Intrinsic as I;
        let narrow = self.ty(result);
        let bits = narrow.scalar.bits();
        let word = narrow.with_scalar(Scalar::I32);
        let (args, above): (Vec<Value>, Above) = match op {
            I::SAbs => (vec![self.sext(args[0])], Above::Zero),
            I::SMin | I::SMax => (args.iter().map(|&a| self.sext(a)).collect(), Above::Sign),
            I::UMin | I::UMax => (args.iter().map(|&a| self.zext(a)).collect(), Above::Zero),
            I::PopCount | I::Clz => (vec![self.zext(args[0])], Above::Zero),
            I::UMulHigh | I::SMulHigh => {
                let signed = op == I::SMulHigh;
                let [a, b] = [args[0], args[1]].map(|v| if signed { self.sext(v) } else { self.zext(v) });
                let product = self.b.binary(BinOp::IMul, a, b);
                let shift = self.b.bits(word, u64::from(bits));
                let (shift_op, above) = match signed {
                    true => (BinOp::AShr, Above::Sign),
                    false => (BinOp::LShr, Above::Zero),
                };
                let high = self.b.binary(shift_op, product, shift);
                self.define(result, high, above);
                return Ok(());
            }
            I::Ctz => {
                // The bit above the number stops the count at the number's width.
                let low = self.low(args[0]);
                let top = self.b.bits(word, 1 << bits);
                (vec![self.b.binary(BinOp::Or, low, top)], Above::Zero)
            }
            I::BitReverse => {
                let low = self.low(args[0]);
                let shift = self.b.bits(word, u64::from(32 - bits));
                let reversed = self.b.value(Op::Intrinsic(op), vec![low], word);
                let value = self.b.binary(BinOp::LShr, reversed, shift);
                self.define(result, value, Above::Zero);
                return Ok(());
            }
            _ if self.lacking => {
                return Err(PassError::Unsupported {
                    feature: "a sub-group operation on 8-bit or 16-bit integers".into(),
                    span: self.b.span,
                    needs: "shaderInt8 and shaderInt16".into(),
                });
            }
            _ => {
                self.retain(inst);
                return Ok(());
            }
        };
        let mut value = self.b.value(Op::Intrinsic(op), args, word);
        if op == I::Clz {
            let more = self.b.bits(word, u64::from(32 - bits));
            value = self.b.binary(BinOp::ISub, value, more);
        }
        self.define(result, value, above);
        Ok(())
    }

    /// Rewrites a structured instruction or a terminator: narrow operands, results and region arguments become
    /// 32-bit ones.
    fn structured(&mut self, inst: Inst, op: &Op) {
        for i in 0..self.b.func.insts[inst].args.len() {
            let old = self.b.func.insts[inst].args[i];
            if is_narrow(self.ty(old)) {
                let new = match op {
                    Op::Return => self.narrow(old),
                    // The cases are unsigned numbers.
                    Op::Switch(_) => self.zext(old),
                    _ => self.low(old),
                };
                self.b.func.insts[inst].args[i] = new;
            }
        }
        self.b.push(inst);
        let words = |ty: Ty| is_narrow(ty).then(|| vec![ty.with_scalar(Scalar::I32)]);
        for (old, new) in self.b.func.split_results(inst, &words) {
            self.define(old, new[0], Above::Unknown);
        }
    }
}
