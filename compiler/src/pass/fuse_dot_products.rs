//! Turns sums of four products of bytes into dot products of packed bytes.
//!
//! Why: `a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w` of vectors of bytes is one operation of many GPUs, which also adds an
//!      accumulator. Drivers do not recognize it.
//! In:  `NoLongVectors`; after `widen_accesses`, which loads vectors of bytes as words.
//! Out: four terms of a sum of 32-bit integers that are products of corresponding bytes of two words are one
//!      [`Intrinsic::PackedDot`], for the signs of operands for which the device accelerates it. The other terms are
//!      added in their order, and the dot products last.
//!
//! A sum consists of all additions of one region whose results have no other use. Sums wrap, so the order of their terms
//! does not matter. Terms that are no products, products with constants, and bytes whose places in the two words differ,
//! are left alone.

use super::analysis::lanes::{Part, WORD, bits_of, origin, part};
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::{DotSigns, Intrinsic};
use crate::inv;
use crate::ir::{BinOp, Builder, CastOp, EntityRef, Function, Inst, Module, Op, Region, Scalar, Ty, Value};
use crate::target::Target;

pub const PASS: Pass = Pass {
    name: "fuse_dot_products",
    about: "Turns sums of four products of bytes into dot products of packed bytes.",
    run,
    requires: inv![NoLongVectors],
    establishes: inv![],
    destroys: inv![],
};

/// The most terms of a sum that are examined.
const MAX_TERMS: usize = 256;
/// The additions in a sum of four products.
const LEAST_ADDITIONS: usize = 3;
/// The bits of a byte.
const BYTE: u32 = 8;

/// Returns whether the pass can change anything for a target.
pub fn is_for(target: &Target) -> bool {
    DotSigns::ALL.iter().any(|&signs| target.has_packed_dot(signs))
}

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= fuse(func, cx.target);
    }
    Ok(changed.into())
}

/// Rewrites the sums in a function, and returns whether there are any.
fn fuse(func: &mut Function, target: &Target) -> bool {
    let uses = func.use_counts();
    let mut changed = false;
    for region in func.regions_in_order() {
        let additions = additions(func, region);
        if additions.len() < LEAST_ADDITIONS {
            continue;
        }
        let sums = sums(func, &additions, &uses, target);
        if sums.is_empty() {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in insts {
            if let Some(sum) = sums.get(&inst) {
                sum.emit(&mut b, inst);
            }
            b.push(inst);
        }
    }
    changed
}

/// Returns the additions of 32-bit integers in a region.
fn additions(func: &Function, region: Region) -> HashSet<Inst> {
    let is_addition = |inst: &Inst| {
        let data = &func.insts[*inst];
        data.op == Op::Binary(BinOp::IAdd) && func.ty(data.results[0]) == Ty::I32
    };
    let insts = func.regions[region].insts.iter().copied();
    insts.filter(is_addition).collect()
}

/// A word of four bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Word {
    /// A part of a number of 32 or 64 bits.
    Of(Value, u32),
    /// A vector of four bytes.
    Vector(Value),
}

/// A byte of a word that is extended to 32 bits.
#[derive(Copy, Clone, Debug)]
struct Byte {
    word: Word,
    place: u8,
    signed: bool,
}

/// A product of bytes that have the same place in two words.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Product {
    signs: DotSigns,
    words: [Word; 2],
    place: u8,
}

/// A sum with dot products.
struct Sum {
    dots: Vec<(DotSigns, [Word; 2])>,
    /// The other terms.
    rest: Vec<Value>,
}

/// Returns the sums of a region that contain dot products, by the addition that computes the result.
fn sums(func: &Function, additions: &HashSet<Inst>, uses: &[u32], target: &Target) -> HashMap<Inst, Sum> {
    // An addition is part of another one if that is its only use.
    let partial = |v: Value| {
        let inst = func.def_inst(v)?;
        (uses.get(v.index()) == Some(&1) && additions.contains(&inst)).then_some(inst)
    };
    let parts: HashSet<Inst> = additions
        .iter()
        .flat_map(|&inst| func.insts[inst].args.iter().filter_map(|&v| partial(v)))
        .collect();
    let mut found = HashMap::default();
    for &root in additions {
        if parts.contains(&root) {
            continue;
        }
        let mut terms = Vec::new();
        let mut open: Vec<Value> = func.insts[root].args.iter().rev().copied().collect();
        while let Some(v) = open.pop() {
            match partial(v) {
                Some(inst) if terms.len() + open.len() < MAX_TERMS => {
                    open.extend(func.insts[inst].args.iter().rev());
                }
                _ => terms.push(v),
            }
        }
        if let Some(sum) = sum(func, &terms, target) {
            found.insert(root, sum);
        }
    }
    found
}

/// Finds the dot products in a sum.
fn sum(func: &Function, terms: &[Value], target: &Target) -> Option<Sum> {
    let mut open: Vec<(usize, Product)> = Vec::new();
    let mut dots = Vec::new();
    let mut used = vec![false; terms.len()];
    for (n, &term) in terms.iter().enumerate() {
        let Some(new) = product(func, term).filter(|p| target.has_packed_dot(p.signs)) else {
            continue;
        };
        // The first product of each other place that belongs to the same words.
        let mut others: [Option<usize>; 4] = [None; 4];
        for (at, (_, p)) in open.iter().enumerate() {
            let same = (p.signs, p.words) == (new.signs, new.words) && p.place != new.place;
            let other = &mut others[usize::from(p.place)];
            if same && other.is_none() {
                *other = Some(at);
            }
        }
        let others: Vec<usize> = others.into_iter().flatten().collect();
        if others.len() < 3 {
            open.push((n, new));
            continue;
        }
        used[n] = true;
        others.iter().for_each(|&at| used[open[at].0] = true);
        open.retain(|(term, _)| !used[*term]);
        dots.push((new.signs, new.words));
    }
    let rest = terms.iter().zip(used).filter(|(_, used)| !used).map(|(&v, _)| v);
    (!dots.is_empty()).then(|| Sum {
        dots,
        rest: rest.collect(),
    })
}

/// Returns the product of bytes that a term is.
fn product(func: &Function, term: Value) -> Option<Product> {
    let (v, lane) = origin(func, term, 0);
    let data = &func.insts[func.def_inst(v)?];
    if data.op != Op::Binary(BinOp::IMul) {
        return None;
    }
    let mut sides = [byte(func, data.args[0], lane)?, byte(func, data.args[1], lane)?];
    let signs = match sides.map(|side| side.signed) {
        [true, true] => DotSigns::Signed,
        [false, false] => DotSigns::Unsigned,
        _ => DotSigns::Mixed,
    };
    // The factors of each product are in the same order: of different signs, the signed one is first.
    if (sides[1].signed, sides[0].word) > (sides[0].signed, sides[1].word) {
        sides.swap(0, 1);
    }
    (sides[0].place == sides[1].place).then_some(Product {
        signs,
        words: sides.map(|side| side.word),
        place: sides[0].place,
    })
}

/// Returns the byte that a lane of a vector, or a scalar, is extended from.
fn byte(func: &Function, v: Value, lane: u8) -> Option<Byte> {
    let (v, lane) = origin(func, v, lane);
    let data = &func.insts[func.def_inst(v)?];
    let &from = data.args.first()?;
    let is_byte = func.ty(from).scalar == Scalar::I8;
    let is_number = func.ty(from) == Ty::I32;
    let count = || func.as_bits(*data.args.get(1)?);
    let (from, signed) = match data.op {
        Op::Cast(CastOp::SExt) if is_byte => (part(func, from, lane), true),
        Op::Cast(CastOp::ZExt) if is_byte => (part(func, from, lane), false),
        Op::Binary(BinOp::And) if is_number && count() == Some(0xff) => (bits_of(func, from, BYTE), false),
        Op::Binary(BinOp::LShr) if is_number && count() == Some(24) => (shifted(func, from), false),
        Op::Binary(BinOp::AShr) if is_number && count() == Some(24) => (shifted(func, from), true),
        _ => return None,
    };
    let (word, place) = match from {
        Part::Bits(v, bit) if bit % BYTE == 0 => (Word::Of(v, bit / WORD), bit % WORD / BYTE),
        Part::Number(v, Some(lane)) if func.ty(v) == Ty::vector(Scalar::I8, 4) => {
            (Word::Vector(v), u32::from(lane))
        }
        Part::Bits(..) | Part::Number(..) | Part::Constant(_) => return None,
    };
    Some(Byte {
        word,
        place: place as u8,
        signed,
    })
}

/// Returns the origin of the highest byte of a word, which may have been shifted to the left.
fn shifted(func: &Function, word: Value) -> Part {
    let shift = func.def_inst(word).and_then(|inst| {
        let data = &func.insts[inst];
        let count = func.as_bits(*data.args.get(1)?)? as u32;
        (data.op == Op::Binary(BinOp::Shl) && count <= 24).then_some((data.args[0], count))
    });
    let (from, count) = shift.unwrap_or((word, 0));
    Part::Bits(from, 24 - count)
}

impl Word {
    /// Emits the word.
    fn emit(self, b: &mut Builder<'_>) -> Value {
        match self {
            Word::Vector(v) => b.cast(CastOp::Bitcast, v, Ty::I32),
            Word::Of(v, half) if b.func.ty(v).scalar.bytes() == 8 => {
                let halves = b.cast(CastOp::Bitcast, v, Ty::vector(Scalar::I32, 2));
                b.extract(halves, half as u8)
            }
            Word::Of(v, _) => b.cast(CastOp::Bitcast, v, Ty::I32),
        }
    }
}

impl Sum {
    /// Emits the sum. The instruction becomes its last operation, so its uses need not change.
    fn emit(&self, b: &mut Builder<'_>, inst: Inst) {
        b.span = b.func.insts[inst].span;
        let sum = self.rest.split_first().map(|(&first, rest)| {
            rest.iter()
                .fold(first, |sum, &term| b.binary(BinOp::IAdd, sum, term))
        });
        let mut sum = sum;
        for (n, &(signs, words)) in self.dots.iter().enumerate() {
            let op = Op::Intrinsic(Intrinsic::PackedDot(signs));
            let words = words.map(|word| word.emit(b));
            let is_last = n + 1 == self.dots.len();
            match (sum, is_last) {
                (None, true) => b.func.insts[inst].replace(op, words.into()),
                (None, false) => sum = Some(b.value(op, words, Ty::I32)),
                (Some(before), _) => {
                    let dot = b.value(op, words, Ty::I32);
                    if is_last {
                        b.func.insts[inst].replace(Op::Binary(BinOp::IAdd), [before, dot].into());
                    } else {
                        sum = Some(b.binary(BinOp::IAdd, before, dot));
                    }
                }
            }
        }
    }
}
