//! Turns a chain of selections between shifts by constants into one shift by a computed number of bits.
//!
//! Why: programs that must not shift by 32 bits take words out of a byte stream by one case for each place:
//! `k == 0 ? b : k == 1 ? a >> 24 | b << 8 : k == 2 ? a >> 16 | b << 16 : a >> 8 | b << 24`. That is a shift of the
//! pair `b:a` to the left by `8 * k` bits, of which the high word is taken: one instruction on GPUs instead of three
//! shifts and three selections.
//! In:  `Ssa`; after small branches have become selections.
//! Out: a chain of selections by the value of `k`, which is known to be less than 8, whose choices are
//!      shifts of the same words by numbers of bits that are linear in `k`, consists of these shifts by a computed number
//!      of bits. No shift is by 32 bits or more. Of 64-bit numbers only shifts are used, and only if GPUs have them.

use super::analysis::facts::facts;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Inst, InstData, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "choose_shifts",
    about: "Turns a chain of selections between shifts by constants into one shift by a computed number of bits.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The bits of a word.
const WORD: i64 = 32;
/// The most values that the number may have by which a chain chooses.
const MAX_VALUES: usize = 8;
/// The fewest values for which fewer operations are left than before.
const MIN_VALUES: usize = 3;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let pairs = cx.target.features.int64 && cx.target.is_gpu();
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= choose(func, pairs);
    }
    Ok(changed.into())
}

/// Rewrites the chains of a function, and returns whether there are any. `pairs`: the device shifts 64-bit numbers.
fn choose(func: &mut Function, pairs: bool) -> bool {
    let mut replacements = Replacements::default();
    for region in func.regions_in_order() {
        let is_chain = |&inst: &Inst| chain(func, &func.insts[inst]).is_some();
        if !func.regions[region].insts.iter().any(is_chain) {
            continue;
        }
        let insts = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in insts {
            let data = b.func.insts[inst].clone();
            b.push(inst);
            if let Some(chain) = chain(b.func, &data) {
                b.span = data.span;
                let new = chain.emit(&mut b, pairs);
                replacements.set(data.results[0], new);
            }
        }
    }
    let changed = !replacements.is_empty();
    replacements.apply(func);
    changed
}

/// A word that is shifted in one direction, by a number of bits that is linear in the number that chooses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Stream {
    word: Value,
    /// The bits for the value 0.
    first: i64,
    /// What each further value adds.
    step: i64,
    /// The fewest and the most bits. [`WORD`] bits mean that nothing of the word is left.
    least: i64,
    most: i64,
}

/// A chain of selections that chooses by `number` between shifts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Chain {
    number: Value,
    shifts: Shifts,
}

/// What a chain computes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Shifts {
    /// A word that is shifted by this operation.
    One(BinOp, Stream),
    /// The `or` of a word that is shifted to the left and of one that is shifted to the right.
    Both { left: Stream, right: Stream },
}

/// What a chain chooses for one value: the bits by which the words are shifted, or that a word is not there.
#[derive(Copy, Clone, Default)]
struct Choice {
    left: Option<i64>,
    right: Option<i64>,
}

/// Returns the chain that an instruction is the last selection of, if it can be computed by shifts.
fn chain(func: &Function, data: &InstData) -> Option<Chain> {
    if data.op != Op::Select || func.ty(data.results[0]) != Ty::of(Scalar::I32) {
        return None;
    }
    let (number, choices) = choices(func, data)?;
    let word = |op| choices.iter().find_map(|&v| shifted_word(func, v, op));
    let (left, right) = (word(BinOp::Shl), word(BinOp::LShr));
    let choices = choices
        .iter()
        .map(|&v| choice(func, v, left, right))
        .collect::<Option<Vec<Choice>>>()?;
    let stream = |word: Option<Value>, bits: fn(&Choice) -> Option<i64>| match word {
        Some(word) => Stream::of(word, &choices.iter().map(bits).collect::<Vec<_>>()).map(Some),
        None => Some(None),
    };
    let shifts = match (stream(left, |c| c.left)?, stream(right, |c| c.right)?) {
        (Some(left), Some(right)) => Shifts::Both { left, right },
        (Some(left), None) => Shifts::One(BinOp::Shl, left),
        (None, Some(right)) => Shifts::One(BinOp::LShr, right),
        (None, None) => return None,
    };
    Some(Chain { number, shifts })
}

/// Returns the number by whose value a selection chooses, and what the selection and those before it choose for each value.
fn choices(func: &Function, last: &InstData) -> Option<(Value, Vec<Value>)> {
    let (number, _) = tested(func, last.args[0])?;
    let most = facts(func, number).max() as usize;
    if !(MIN_VALUES - 1..MAX_VALUES).contains(&most) {
        return None;
    }
    let mut choices = vec![None; most + 1];
    let mut data = last;
    loop {
        let [test, chosen, other] = data.args[..] else {
            return None;
        };
        match tested(func, test) {
            Some((n, value)) if n == number => {
                // A value that an outer selection has chosen for does not get here.
                if let Some(choice) = choices.get_mut(value as usize) {
                    choice.get_or_insert(chosen);
                }
            }
            _ => break,
        }
        match func.def_inst(other).map(|inst| &func.insts[inst]) {
            Some(next) if next.op == Op::Select && choices.contains(&None) => data = next,
            _ => {
                let choices = choices.into_iter().map(|c| c.unwrap_or(other)).collect();
                return Some((number, choices));
            }
        }
    }
    let rest = data.results[0];
    Some((number, choices.into_iter().map(|c| c.unwrap_or(rest)).collect()))
}

/// Returns the word that a condition compares with a constant, and the constant.
fn tested(func: &Function, condition: Value) -> Option<(Value, u64)> {
    let data = &func.insts[func.def_inst(condition)?];
    let (Op::Compare(CmpOp::IEq), &[number, value]) = (&data.op, &data.args[..]) else {
        return None;
    };
    if func.ty(number) != Ty::of(Scalar::I32) {
        return None;
    }
    Some((number, func.as_bits(value)?))
}

/// Returns the word of a shift by a constant, and the constant.
fn shift(func: &Function, v: Value, op: BinOp) -> Option<(Value, i64)> {
    let data = &func.insts[func.def_inst(v)?];
    let bits = func.as_bits(data.args.get(1).copied()?)? as i64;
    (data.op == Op::Binary(op) && bits < WORD).then_some((data.args[0], bits))
}

/// Returns the operands of an `or` of two shifts.
fn or(func: &Function, v: Value) -> Option<[Value; 2]> {
    let data = &func.insts[func.def_inst(v)?];
    let is_shift = |v| {
        shift(func, v, BinOp::Shl)
            .or(shift(func, v, BinOp::LShr))
            .is_some()
    };
    match data.args[..] {
        [a, b] if data.op == Op::Binary(BinOp::Or) && is_shift(a) && is_shift(b) => Some([a, b]),
        _ => None,
    }
}

/// Returns the word that a choice shifts in a direction.
fn shifted_word(func: &Function, v: Value, op: BinOp) -> Option<Value> {
    let parts = or(func, v).unwrap_or([v, v]);
    parts.iter().find_map(|&p| Some(shift(func, p, op)?.0))
}

/// Returns by how many bits a choice shifts the two words; `None` if it is something else.
fn choice(func: &Function, v: Value, left: Option<Value>, right: Option<Value>) -> Option<Choice> {
    let mut choice = Choice::default();
    if func.as_bits(v) == Some(0) {
        return Some(choice);
    }
    let parts = or(func, v);
    for &part in parts.as_ref().map_or(&[v][..], |p| &p[..]) {
        let of = |op, word| shift(func, part, op).filter(|&(w, _)| Some(w) == word);
        let place = if let Some((_, bits)) = of(BinOp::Shl, left) {
            (&mut choice.left, bits)
        } else if let Some((_, bits)) = of(BinOp::LShr, right) {
            (&mut choice.right, bits)
        } else if Some(part) == left {
            (&mut choice.left, 0)
        } else if Some(part) == right {
            (&mut choice.right, 0)
        } else {
            return None;
        };
        if place.0.replace(place.1).is_some() {
            return None;
        }
    }
    Some(choice)
}

impl Stream {
    /// Returns the shifts of a word by these numbers of bits, if they are linear. `None`: nothing of the word is left.
    fn of(word: Value, bits: &[Option<i64>]) -> Option<Stream> {
        let mut known = bits
            .iter()
            .enumerate()
            .filter_map(|(n, &bits)| Some((n as i64, bits?)));
        let ((n, bits_n), (m, bits_m)) = (known.next()?, known.next()?);
        let step = (bits_m - bits_n) / (m - n);
        let first = bits_n - step * n;
        let at = |n: usize| first + step * n as i64;
        let agrees = |(n, bits): (usize, &Option<i64>)| at(n) == bits.unwrap_or(WORD);
        let (least, most) = (first.min(at(bits.len() - 1)), first.max(at(bits.len() - 1)));
        let stream = Stream {
            word,
            first,
            step,
            least,
            most,
        };
        // Two shifts, neither of them by a whole word, shift by a whole word.
        let possible = step != 0 && (most < WORD || least > 0);
        (possible && bits.iter().enumerate().all(agrees)).then_some(stream)
    }

    /// Computes the shifted word.
    fn emit(&self, b: &mut Builder<'_>, number: Value, op: BinOp) -> Value {
        let fixed = if self.most < WORD { 0 } else { self.least };
        let word = match fixed {
            0 => self.word,
            _ => {
                let fixed = b.i32(fixed as i32);
                b.binary(op, self.word, fixed)
            }
        };
        let bits = self.bits(b, number, fixed);
        b.binary(op, word, bits)
    }

    /// Returns whether this stream, to the left, and another one, to the right, take bits that are next to each other in
    /// the pair of both words, for all values.
    fn meets(&self, right: &Stream) -> bool {
        let together = self.first + right.first == WORD && self.step + right.step == 0;
        together && (self.most < WORD || right.most < WORD)
    }

    /// Computes the number of bits, less a constant.
    fn bits(&self, b: &mut Builder<'_>, number: Value, less: i64) -> Value {
        let (first, step) = (b.i32((self.first - less) as i32), b.i32(self.step as i32));
        let product = b.binary(BinOp::IMul, number, step);
        b.binary(BinOp::IAdd, product, first)
    }
}

impl Chain {
    /// Computes what the chain chooses.
    fn emit(&self, b: &mut Builder<'_>, pairs: bool) -> Value {
        match self.shifts {
            Shifts::One(op, stream) => stream.emit(b, self.number, op),
            Shifts::Both { left, right } if pairs && left.meets(&right) => self.of_pair(b, left, right),
            Shifts::Both { left, right } => {
                let left = left.emit(b, self.number, BinOp::Shl);
                let right = right.emit(b, self.number, BinOp::LShr);
                b.binary(BinOp::Or, left, right)
            }
        }
    }

    /// Computes a word out of a pair of words.
    fn of_pair(&self, b: &mut Builder<'_>, left: Stream, right: Stream) -> Value {
        let words = Ty::vector(Scalar::I32, 2);
        let number = Ty::of(Scalar::I64);
        let pair = b.construct(words, vec![right.word, left.word]);
        let pair = b.cast(CastOp::Bitcast, pair, number);
        let (op, stream, lane) = match left.most < WORD {
            true => (BinOp::Shl, left, 1),
            false => (BinOp::LShr, right, 0),
        };
        let bits = stream.bits(b, self.number, 0);
        let bits = b.cast(CastOp::ZExt, bits, number);
        let shifted = b.binary(op, pair, bits);
        let shifted = b.cast(CastOp::Bitcast, shifted, words);
        b.extract(shifted, lane)
    }
}
