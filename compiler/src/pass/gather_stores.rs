//! Combines runs of byte stores to private memory into stores of words.
//!
//! Why: private memory that is accessed as bytes and as words is an array of words, where the store of a byte is a load,
//! a mask and a store, and waits for the store before it. Programs that append strings to a block, such as hash functions,
//! store 64 bytes in a row at a place that is known only when they run.
//! In:  `Inlined`; after loops are unrolled, and before `lower_memory`, while pointers are pointers.
//! Out: Stores of bytes to consecutive places of a private variable, which has accesses of whole words, too, become
//!      stores of words, at the last of them. Nothing need be known of the alignment of the first byte: each word is
//!      shifted out of the two words of the string that have parts of it. The first and the last word are loaded, and
//!      keep their other bytes. The order of the bytes in memory is that of the string, or that of the bytes of words
//!      or 64-bit numbers with the highest byte first: `p[i ^ 3]`, `p[i ^ 7]`.
//!
//! Stores are moved only over instructions that access other memory. Every word that is loaded or stored has bytes of the
//! string, so the pass adds no access outside of the variable. It leaves volatile stores alone.

use super::analysis::effects::{Effects, has_effects};
use super::analysis::pointers::{Place, Pointers};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{base_of, constant_offset};
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, Function, Inst, KernelInfo, Module, Op, Region, Scalar, Ty,
    Value,
};
use std::collections::BTreeMap;

pub const PASS: Pass = Pass {
    name: "gather_stores",
    about: "Combines runs of byte stores to private memory into stores of words.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The bytes of a word.
const WORD: u32 = 4;
/// The fewest stores that are worth a load of two words.
const FEWEST: usize = 8;
/// The most strings that are followed at a time.
const MAX_OPEN: usize = 8;
/// The most bytes of a string.
const MAX_BYTES: usize = 256;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        changed |= gather(&mut module.funcs[kernel.func], kernel);
    }
    Ok(changed.into())
}

/// Returns whether a pointer points into private memory.
fn is_private(func: &Function, pointer: Value) -> bool {
    func.ty(pointer).space() == Some(AddressSpace::Private)
}

/// Gathers the stores of a kernel, and returns whether there are any to gather.
fn gather(func: &mut Function, kernel: &KernelInfo) -> bool {
    let order = func.insts_in_order();
    let bytes = order.iter().filter(|&&i| byte_store(func, i).is_some());
    if bytes.count() < FEWEST {
        return false;
    }
    let pointers = Pointers::new(func, Some(kernel));
    let mut found = Vec::new();
    for region in func.regions_in_order() {
        let mut scan = Scan {
            pointers: &pointers,
            open: Vec::new(),
            strings: Vec::new(),
        };
        for &inst in &func.regions[region].insts {
            scan.visit(func, inst);
        }
        scan.close(|_| true);
        if !scan.strings.is_empty() {
            found.push((region, scan.strings));
        }
    }
    if found.is_empty() {
        return false;
    }
    let words = word_places(func, &pointers, &order);
    let mut changed = false;
    for (region, mut strings) in found {
        strings.retain(|s| words.iter().any(|w| pointers.may_meet(w, &s.place)));
        if !strings.is_empty() {
            rewrite(func, region, &strings);
            changed = true;
        }
    }
    changed
}

/// Returns the places in private memory that are accessed as words or wider numbers.
fn word_places(func: &Function, pointers: &Pointers, order: &[Inst]) -> Vec<Place> {
    let place = |&inst: &Inst| {
        let data = &func.insts[inst];
        let (access, value) = match data.op {
            Op::Load(access) => (access, data.results[0]),
            Op::Store(access) => (access, data.args[1]),
            _ => return None,
        };
        let ty = func.ty(value);
        let whole = is_private(func, data.args[0]) && access.align.min(ty.scalar.bytes()) >= WORD;
        whole.then(|| pointers.place(func, data.args[0], ty.bytes()))?
    };
    order.iter().filter_map(place).collect()
}

/// The places of the bytes of a string: byte `n` is at `base + extend((start + n) ^ flip)`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Series {
    base: Value,
    start: Value,
    extend: Option<CastOp>,
    /// 0; or 3 or 7 if the bytes of words or 64-bit numbers are in reverse order.
    flip: u64,
}

/// Returns the pointer of an instruction that stores a byte to private memory.
fn byte_store(func: &Function, inst: Inst) -> Option<Value> {
    let data = &func.insts[inst];
    let plain = matches!(data.op, Op::Store(access) if !access.volatile);
    let byte = plain && func.ty(data.args[1]) == Ty::I8 && is_private(func, data.args[0]);
    byte.then(|| data.args[0])
}

/// Returns the operand of an operation whose other operand is a constant, and the constant.
fn with_constant(func: &Function, v: Value, op: BinOp) -> Option<(Value, i64)> {
    let data = &func.insts[func.def_inst(v)?];
    let constant = constant_offset(func, *data.args.get(1)?)?;
    (data.op == Op::Binary(op)).then_some((data.args[0], constant))
}

/// Returns the series to which a pointer to a byte belongs, and the number of the byte in it.
fn series(func: &Function, pointers: &Pointers, pointer: Value) -> Option<(Series, i64)> {
    let (mut base, mut number) = (pointer, 0i64);
    let mut start = loop {
        let data = &func.insts[func.def_inst(base)?];
        if data.op != Op::PtrAdd {
            return None;
        }
        base = data.args[0];
        match constant_offset(func, data.args[1]) {
            Some(by) => number = number.wrapping_add(by),
            None => break data.args[1],
        }
    };
    let (mut flip, mut extend) = (0, None);
    let flipped = |v: Value| with_constant(func, v, BinOp::Xor).filter(|x| matches!(x.1, 3 | 7));
    if let Some((v, by)) = flipped(start) {
        (start, flip) = (v, by);
    }
    if let Some(inst) = func.def_inst(start)
        && let Op::Cast(op @ (CastOp::ZExt | CastOp::SExt)) = func.insts[inst].op
        && func.ty(func.insts[inst].args[0]) == Ty::I32
    {
        (start, extend) = (func.insts[inst].args[0], Some(op));
    }
    if flip == 0
        && let Some((v, by)) = flipped(start)
    {
        (start, flip) = (v, by);
    }
    // A constant that is added after the bytes have changed places must be a multiple of what they change them in.
    if number & flip != 0 {
        return None;
    }
    if let Some((v, by)) = with_constant(func, start, BinOp::IAdd) {
        (start, number) = (v, number.wrapping_add(by));
    }
    let (object, _) = base_of(func, base);
    let Op::Alloca { size, .. } = func.insts[func.def_inst(object)?].op else {
        return None;
    };
    let whole = (i64::from(WORD) - 1) | flip;
    let aligned = 1i64 << pointers.power(base).min(8) > whole;
    let series = Series {
        base,
        start,
        extend,
        flip: flip as u64,
    };
    (aligned && size % WORD == 0).then_some((series, number))
}

/// The stores of a series that are open for more.
struct Group {
    series: Series,
    /// The store of each byte by its number.
    stores: BTreeMap<i64, Inst>,
    /// The places of the stores.
    places: Vec<Place>,
    /// The stores in the order of the text.
    sequence: Vec<Inst>,
}

impl Group {
    /// Ends the group, and adds the strings in it to a list.
    fn finish(&self, strings: &mut Vec<Text>) {
        let numbers: Vec<i64> = self.stores.keys().copied().collect();
        for stretch in numbers.chunk_by(|a, b| a + 1 == *b) {
            let bytes = stretch.len() - stretch.len() % WORD as usize;
            if bytes < FEWEST {
                continue;
            }
            let stores: Vec<Inst> = stretch[..bytes].iter().map(|n| self.stores[n]).collect();
            if let Some(&at) = self.sequence.iter().rfind(|i| stores.contains(i)) {
                strings.push(Text {
                    series: self.series,
                    first: stretch[0],
                    stores,
                    at,
                    place: self.places[0],
                });
            }
        }
    }
}

/// Bytes that become words.
struct Text {
    series: Series,
    /// The number of the first byte.
    first: i64,
    /// The stores of the bytes, the first byte's first. Their number is a multiple of [`WORD`].
    stores: Vec<Inst>,
    /// The last of them in the order of the text, where the words are stored.
    at: Inst,
    /// The place of one of the bytes.
    place: Place,
}

/// A walk through the instructions of one region.
struct Scan<'a> {
    pointers: &'a Pointers,
    open: Vec<Group>,
    strings: Vec<Text>,
}

impl Scan<'_> {
    /// Adds an instruction to a group, or closes the groups over whose stores it cannot be moved.
    fn visit(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        if !data.regions.is_empty() {
            self.close(|_| true);
        } else if has_effects(&data.op) {
            let series = byte_store(func, inst).and_then(|p| {
                let (series, number) = series(func, self.pointers, p)?;
                Some((series, number, self.pointers.place(func, p, 1)?))
            });
            let effects = Effects::of(func, self.pointers, inst);
            let pointers = self.pointers;
            let touched = |g: &Group| {
                let touches = |p| effects.reads.may_meet(pointers, p) || effects.writes.may_meet(pointers, p);
                g.places.iter().any(touches)
            };
            let Some((series, number, place)) = series else {
                self.close(touched);
                return;
            };
            let full = |g: &Group| g.stores.len() == MAX_BYTES || g.stores.contains_key(&number);
            self.close(|g| if g.series == series { full(g) } else { touched(g) });
            let group = match self.open.iter_mut().find(|g| g.series == series) {
                Some(group) => group,
                None => {
                    if self.open.len() == MAX_OPEN {
                        self.open.remove(0).finish(&mut self.strings);
                    }
                    self.open.push(Group {
                        series,
                        stores: BTreeMap::new(),
                        places: Vec::new(),
                        sequence: Vec::new(),
                    });
                    let last = self.open.len() - 1;
                    &mut self.open[last]
                }
            };
            group.stores.insert(number, inst);
            group.places.push(place);
            group.sequence.push(inst);
        }
    }

    /// Closes the groups for which a condition holds.
    fn close(&mut self, condition: impl Fn(&Group) -> bool) {
        for group in self.open.extract_if(.., |g| condition(g)) {
            group.finish(&mut self.strings);
        }
    }
}

/// Replaces the stores of strings in a region.
fn rewrite(func: &mut Function, region: Region, strings: &[Text]) {
    let insts = std::mem::take(&mut func.regions[region].insts);
    let mut text_of: BTreeMap<Inst, &Text> = BTreeMap::new();
    for text in strings {
        text_of.extend(text.stores.iter().map(|&i| (i, text)));
    }
    let mut b = Builder::at_end(func, region);
    for inst in insts {
        match text_of.get(&inst) {
            Some(text) if text.at == inst => {
                b.span = b.func.insts[inst].span;
                text.store_words(&mut b);
            }
            Some(_) => {}
            None => b.push(inst),
        }
    }
}

impl Text {
    /// Stores the string as words.
    fn store_words(&self, b: &mut Builder<'_>) {
        let ty = b.func.ty(self.series.start);
        let first = self.position(b, 0);
        let inside = b.bits(ty, u64::from(WORD) - 1);
        let mut inside = b.binary(BinOp::And, first, inside);
        if ty != Ty::I32 {
            inside = b.cast(CastOp::Trunc, inside, Ty::I32);
        }
        let three = b.i32(3);
        let mut count = b.binary(BinOp::Shl, inside, three);
        if !self.is_reversed() {
            let word = b.i32(32);
            count = b.binary(BinOp::ISub, word, count);
        }
        let count = b.cast(CastOp::ZExt, count, Ty::I64);
        let words: Vec<Value> = self
            .stores
            .chunks(WORD as usize)
            .map(|s| self.word(b, s))
            .collect();
        let (zero, ones) = (b.i32(0), b.i32(-1));
        let aligned = self.word_position(b, first);
        // The first word has other bytes before the string.
        self.store_part(b, aligned, count, [zero, words[0]], [zero, ones]);
        for (n, pair) in words.windows(2).enumerate() {
            let by = b.bits(ty, (n as u64 + 1) * u64::from(WORD));
            let position = b.binary(BinOp::IAdd, aligned, by);
            let pointer = self.pointer(b, position);
            let word = self.funnel(b, pair[0], pair[1], count);
            b.store(pointer, word, WHOLE);
        }
        // The last word has other bytes after the string. If the string ends with a word, this is the word that has just
        // been stored, and all of it stays.
        let last = self.position(b, self.stores.len() as i64 - 1);
        let last = self.word_position(b, last);
        let end = words[words.len() - 1];
        self.store_part(b, last, count, [end, zero], [ones, zero]);
    }

    /// Returns whether the first byte of a word in memory is the last of its bytes in the string.
    fn is_reversed(&self) -> bool {
        self.series.flip != 0
    }

    /// Returns the position of a byte of the string, as an offset from the base before [`Series::flip`].
    fn position(&self, b: &mut Builder<'_>, byte: i64) -> Value {
        let number = self.first.wrapping_add(byte);
        let ty = b.func.ty(self.series.start);
        let bits = if ty == Ty::I32 { u32::MAX.into() } else { u64::MAX };
        let by = b.bits(ty, number as u64 & bits);
        b.binary(BinOp::IAdd, self.series.start, by)
    }

    /// Returns the position of the first byte of the word that has a byte of the string.
    fn word_position(&self, b: &mut Builder<'_>, position: Value) -> Value {
        let ty = b.func.ty(position);
        let bits = if ty == Ty::I32 { u32::MAX.into() } else { u64::MAX };
        let mask = b.bits(ty, bits & !(u64::from(WORD) - 1));
        b.binary(BinOp::And, position, mask)
    }

    /// Returns the pointer to a word.
    fn pointer(&self, b: &mut Builder<'_>, word: Value) -> Value {
        let mut offset = word;
        let other = self.series.flip & u64::from(WORD);
        if other != 0 {
            let other = b.bits(b.func.ty(offset), other);
            offset = b.binary(BinOp::Xor, offset, other);
        }
        if let Some(op) = self.series.extend {
            offset = b.cast(op, offset, Ty::I64);
        }
        b.ptr_add(self.series.base, offset)
    }

    /// Puts a word of the string together from the bytes that four instructions store.
    fn word(&self, b: &mut Builder<'_>, stores: &[Inst]) -> Value {
        let mut bytes: Vec<Value> = stores.iter().map(|&i| b.func.insts[i].args[1]).collect();
        if self.is_reversed() {
            bytes.reverse();
        }
        let vector = b.construct(Ty::vector(Scalar::I8, WORD as u8), bytes);
        b.cast(CastOp::Bitcast, vector, Ty::I32)
    }

    /// Returns the word in memory that begins in one word of the string and ends in the next one.
    fn funnel(&self, b: &mut Builder<'_>, before: Value, after: Value, count: Value) -> Value {
        let halves = match self.is_reversed() {
            true => vec![after, before],
            false => vec![before, after],
        };
        let halves = b.construct(Ty::vector(Scalar::I32, 2), halves);
        let both = b.cast(CastOp::Bitcast, halves, Ty::I64);
        let shifted = b.binary(BinOp::LShr, both, count);
        b.cast(CastOp::Trunc, shifted, Ty::I32)
    }

    /// Stores the part of a word that belongs to the string. `words`: the words of the string on both sides; `masks`: the
    /// bits of them that are to be stored.
    fn store_part(&self, b: &mut Builder<'_>, at: Value, count: Value, words: [Value; 2], masks: [Value; 2]) {
        let pointer = self.pointer(b, at);
        let new = self.funnel(b, words[0], words[1], count);
        let mask = self.funnel(b, masks[0], masks[1], count);
        let others = b.i32(-1);
        let others = b.binary(BinOp::Xor, mask, others);
        let old = b.load(pointer, Ty::I32, WHOLE);
        let old = b.binary(BinOp::And, old, others);
        let word = b.binary(BinOp::Or, old, new);
        b.store(pointer, word, WHOLE);
    }
}

/// The access to a word.
const WHOLE: Access = Access {
    align: WORD,
    volatile: false,
};
