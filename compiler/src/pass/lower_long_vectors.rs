//! Splits vectors of 8 and 16 lanes into parts of 4.
//!
//! Why: SPIR-V vectors have at most 4 lanes without the capability `Vector16`, which Vulkan does not have.
//! In:  `Inlined`, `KernelArgs` (no value comes from a caller).
//! Out: `NoLongVectors`: no value has more than 4 lanes.
//!
//! The pass replaces long values by their parts in program order, so that operands are split before
//! their uses. Structured instructions and loop regions get a result or argument for each part. Where lanes
//! move between parts, the pass lists the source of each lane (`Lane`) and builds the parts of the result
//! from the list.

use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::rewrite::{Replaced, Rewriting};
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    BinOp, Builder, CastOp, CmpOp, Const, Function, Inst, Module, Op, Scalar, Ty, Value, ValueDef, ValueList,
};

pub const PASS: Pass = Pass {
    name: "lower_long_vectors",
    about: "Splits vectors of 8 and 16 lanes into parts of 4.",
    run,
    requires: inv![Inlined, KernelArgs],
    establishes: inv![NoLongVectors],
    destroys: inv![],
};

/// The number of lanes of a part.
const PART: u8 = 4;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        if has_long_values(func) {
            split(func)?;
            changed = true;
        }
    }
    Ok(changed.into())
}

fn is_long(ty: Ty) -> bool {
    ty.lanes > PART
}

fn has_long_values(func: &Function) -> bool {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        if func.types_at(inst).any(is_long) {
            return true;
        }
    }
    false
}

/// The source of one lane of a vector.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Lane {
    Undef,
    Scalar(Value),
    /// A lane of a vector that is not long.
    Of(Value, u8),
}

/// A function that is being split.
struct Split<'f> {
    b: Builder<'f>,
    /// For each long value, its parts, once they exist.
    parts: Replaced<Vec<Value>>,
    /// Short values that are replaced by others.
    short: Replacements,
}

fn split(func: &mut Function) -> Result<(), InternalError> {
    let body = func.body;
    let mut s = Split {
        b: Builder::at_end(func, body),
        parts: Replaced::default(),
        short: Replacements::default(),
    };
    let mut rewriting = Rewriting::new(&mut s.b);
    while let Some(inst) = rewriting.next(&mut s.b) {
        s.inst(inst)?;
    }
    let mut short = s.short;
    short.apply(func);
    Ok(())
}

impl Split<'_> {
    /// Returns the parts of a long value; a short value is its only part.
    fn parts(&mut self, value: Value) -> Vec<Value> {
        let ty = self.b.func.ty(value);
        if !is_long(ty) {
            return vec![value];
        }
        if let Some(parts) = self.parts.get(value) {
            return parts.clone();
        }
        let count = ty.lanes / PART;
        let part_ty = Ty::vector(ty.scalar, PART);
        let constant = match &self.b.func.values[value].def {
            ValueDef::Const(c) => c.clone(),
            // A value that is defined later in the text does not occur in a verified function.
            ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Param(_) => Const::Undef,
        };
        (0..count)
            .map(|i| match &constant {
                Const::Undef => self.b.undef(part_ty),
                Const::Bits(lanes) => {
                    let from = usize::from(i * PART);
                    let lanes = lanes[from..from + usize::from(PART)].to_vec();
                    self.b.lanes(part_ty, lanes)
                }
            })
            .collect()
    }

    /// Returns the lanes of a value.
    fn lanes(&mut self, value: Value) -> Vec<Lane> {
        if self.b.func.ty(value).lanes == 1 {
            return vec![Lane::Scalar(value)];
        }
        let parts = self.parts(value);
        parts
            .into_iter()
            .flat_map(|p| {
                let lanes = self.b.func.ty(p).lanes;
                (0..lanes).map(move |l| Lane::Of(p, l))
            })
            .collect()
    }

    /// Builds a scalar or a vector of up to 4 lanes from its lanes.
    fn gather(&mut self, scalar: Scalar, lanes: &[Lane]) -> Value {
        let ty = Ty::vector(scalar, lanes.len() as u8);
        let mut sources: Vec<Value> = Vec::new();
        let mut mask = Vec::new();
        let mut only_lanes = true;
        for lane in lanes {
            match *lane {
                Lane::Undef => mask.push(0xff),
                Lane::Scalar(_) => only_lanes = false,
                Lane::Of(v, l) => {
                    let known = sources.iter().position(|&s| s == v);
                    let n = known.unwrap_or_else(|| {
                        sources.push(v);
                        sources.len() - 1
                    });
                    // Both operands of a shuffle have the same type.
                    let width = self.b.func.ty(sources[0]).lanes;
                    mask.push(n as u8 * width + l);
                }
            }
        }
        if let [Lane::Scalar(v)] = lanes {
            return *v;
        }
        if let [Lane::Of(v, l)] = lanes {
            return self.b.extract(*v, *l);
        }
        if only_lanes {
            let same_type = |s: &Self| sources.iter().all(|&v| s.b.func.ty(v) == s.b.func.ty(sources[0]));
            match sources[..] {
                [] => return self.b.undef(ty),
                [v] if self.b.func.ty(v) == ty && mask.iter().enumerate().all(|(i, &m)| m == i as u8) => {
                    return v;
                }
                [v] => return self.b.shuffle(v, v, mask),
                [v, w] if same_type(self) => return self.b.shuffle(v, w, mask),
                _ => {}
            }
        }
        let scalars = lanes
            .iter()
            .map(|lane| match *lane {
                Lane::Undef => self.b.undef(Ty::of(scalar)),
                Lane::Scalar(v) => v,
                Lane::Of(v, l) => self.b.extract(v, l),
            })
            .collect();
        self.b.construct(ty, scalars)
    }

    /// Builds a result from its lanes, in parts if it is long.
    fn define(&mut self, result: Value, lanes: &[Lane]) {
        let ty = self.b.func.ty(result);
        if is_long(ty) {
            let parts = lanes
                .chunks(usize::from(PART))
                .map(|chunk| self.gather(ty.scalar, chunk))
                .collect();
            self.parts.set(result, parts);
        } else {
            let value = self.gather(ty.scalar, lanes);
            self.short.set(result, value);
        }
    }

    /// Rewrites one instruction.
    fn inst(&mut self, inst: Inst) -> Result<(), InternalError> {
        let data = self.b.func.insts[inst].clone();
        self.b.span = data.span;
        self.b.fp = data.fp;
        if data.op.is_structured() || data.op.is_terminator() {
            self.structured(inst);
            return Ok(());
        }
        let long = |s: &Self, v: &Value| is_long(s.b.func.ty(*v));
        if !data.args.iter().chain(&data.results).any(|v| long(self, v)) {
            self.b.push(inst);
            return Ok(());
        }
        let result = data.results.first().copied();
        let result_ty = result.map(|r| self.b.func.ty(r));
        match (&data.op, result) {
            (Op::Cast(CastOp::Bitcast), Some(r)) => self.bitcast(data.args[0], r),
            (Op::Binary(_) | Op::Unary(_) | Op::Compare(_) | Op::Cast(_) | Op::Select, Some(r)) => {
                self.lane_by_lane(&data.op, &data.args, r);
            }
            (Op::Intrinsic(op @ (Intrinsic::Any | Intrinsic::All)), Some(r)) => {
                self.any_all(*op, data.args[0], r);
            }
            (Op::Intrinsic(Intrinsic::Printf), _) => {
                return Err(InternalError::new(
                    "lower_long_vectors",
                    "lower_printf has not run",
                ));
            }
            (Op::Intrinsic(_), Some(r)) => self.lane_by_lane(&data.op, &data.args, r),
            (Op::Construct, Some(r)) => {
                let lanes: Vec<Lane> = data.args.iter().flat_map(|&a| self.lanes(a)).collect();
                self.define(r, &lanes);
            }
            (Op::Splat, Some(r)) => {
                let ty = self.b.func.ty(r);
                let part = self.b.splat(Ty::vector(ty.scalar, PART), data.args[0]);
                self.parts.set(r, vec![part; usize::from(ty.lanes / PART)]);
            }
            (Op::Extract(lane), Some(r)) => {
                let lane = self.lanes(data.args[0])[usize::from(*lane)];
                self.define(r, &[lane]);
            }
            (Op::Insert(lane), Some(r)) => {
                let mut parts = self.parts(data.args[0]);
                let part = &mut parts[usize::from(lane / PART)];
                *part = self.b.insert_lane(*part, data.args[1], lane % PART);
                self.parts.set(r, parts);
            }
            (Op::ExtractDynamic, Some(r)) => self.extract_dynamic(data.args[0], data.args[1], r),
            (Op::InsertDynamic, Some(r)) => {
                let mut parts = self.parts(data.args[0]);
                let (part_no, lane) = self.dynamic(data.args[2]);
                for (i, part) in parts.iter_mut().enumerate() {
                    let with = self.b.insert_dynamic(*part, data.args[1], lane);
                    let here = self.emit_is_part(part_no, i);
                    *part = self.b.select(here, with, *part);
                }
                self.parts.set(r, parts);
            }
            (Op::Shuffle(mask), Some(r)) => {
                let mut lanes = self.lanes(data.args[0]);
                lanes.extend(self.lanes(data.args[1]));
                let picked: Vec<Lane> = mask
                    .iter()
                    .map(|&m| lanes.get(usize::from(m)).copied().unwrap_or(Lane::Undef))
                    .collect();
                self.define(r, &picked);
            }
            (Op::Load(access), Some(r)) => {
                let ty = result_ty.unwrap_or(Ty::I32);
                let part_ty = Ty::vector(ty.scalar, PART);
                let parts = (0..ty.lanes / PART)
                    .map(|i| {
                        let (ptr, access) = self.part_address(data.args[0], *access, part_ty, i);
                        self.b.load(ptr, part_ty, access)
                    })
                    .collect();
                self.parts.set(r, parts);
            }
            (Op::Store(access), None) => {
                for (i, part) in self.parts(data.args[1]).into_iter().enumerate() {
                    let ty = self.b.func.ty(part);
                    let (ptr, access) = self.part_address(data.args[0], *access, ty, i as u8);
                    self.b.store(ptr, part, access);
                }
            }
            _ => {
                return Err(InternalError::new(
                    "lower_long_vectors",
                    "an instruction that takes no long vectors has one",
                ));
            }
        }
        Ok(())
    }

    /// Computes `any` or `all` of the parts of a vector.
    fn any_all(&mut self, op: Intrinsic, vector: Value, result: Value) {
        let mut all: Option<Value> = None;
        for part in self.parts(vector) {
            let this = self.b.value(Op::Intrinsic(op), vec![part], Ty::BOOL);
            all = Some(match all {
                None => this,
                Some(before) if op == Intrinsic::Any => self.b.select(before, before, this),
                Some(before) => self.b.select(before, this, before),
            });
        }
        if let Some(v) = all {
            self.short.set(result, v);
        }
    }

    /// Takes the lane with a number that is not constant from each part, and chooses among these.
    fn extract_dynamic(&mut self, vector: Value, number: Value, result: Value) {
        let parts = self.parts(vector);
        let (part_no, lane) = self.dynamic(number);
        let mut value: Option<Value> = None;
        for (i, part) in parts.into_iter().enumerate() {
            let this = self.b.extract_dynamic(part, lane);
            value = Some(match value {
                None => this,
                Some(before) => {
                    let here = self.emit_is_part(part_no, i);
                    self.b.select(here, this, before)
                }
            });
        }
        if let Some(v) = value {
            self.short.set(result, v);
        }
    }

    /// Applies an operation that works lane by lane to each part.
    fn lane_by_lane(&mut self, op: &Op, args: &[Value], result: Value) {
        let ty = self.b.func.ty(result);
        let part_ty = Ty::vector(ty.scalar, PART);
        let args: Vec<Vec<Value>> = args.iter().map(|&a| self.parts(a)).collect();
        let parts = (0..usize::from(ty.lanes / PART))
            .map(|i| {
                let args: ValueList = args.iter().map(|p| *p.get(i).unwrap_or(&p[0])).collect();
                self.b.value(op.clone(), args, part_ty)
            })
            .collect();
        self.parts.set(result, parts);
    }

    /// Emits the part number and the lane within the part for a lane number that is known only at run time.
    fn dynamic(&mut self, lane: Value) -> (Value, Value) {
        let shift = self.b.i32(2);
        let mask = self.b.i32(3);
        let part = self.b.binary(BinOp::LShr, lane, shift);
        let lane = self.b.binary(BinOp::And, lane, mask);
        (part, lane)
    }

    /// Emits the comparison of `part_no` with the number `part`.
    fn emit_is_part(&mut self, part_no: Value, part: usize) -> Value {
        let number = self.b.i32(part as i32);
        self.b.compare(CmpOp::IEq, part_no, number)
    }

    /// Returns the address and the access of a part of a vector in memory.
    fn part_address(
        &mut self,
        ptr: Value,
        access: crate::ir::Access,
        part: Ty,
        i: u8,
    ) -> (Value, crate::ir::Access) {
        let offset = part.bytes() * u32::from(i);
        let ptr = self.b.ptr_offset(ptr, i64::from(offset));
        (ptr, access.at_offset(offset))
    }

    /// Converts the bits of a value to another type of the same size; one of the two types is long.
    fn bitcast(&mut self, value: Value, result: Value) {
        let to = self.b.func.ty(result);
        let from = self.b.func.ty(value);
        if from.lanes == to.lanes {
            self.lane_by_lane(&Op::Cast(CastOp::Bitcast), &[value], result);
            return;
        }
        // The bits go through 32-bit words. Lanes are cast in groups (units): the largest group that fits into 16
        // bytes and into one short vector. A unit is a whole number of 32-bit words.
        let from_unit = (16 / from.scalar.bytes())
            .min(u32::from(PART))
            .min(u32::from(from.lanes)) as usize;
        let mut words = Vec::new();
        let lanes = self.lanes(value);
        for chunk in lanes.chunks(from_unit) {
            let bytes = chunk.len() as u32 * from.scalar.bytes();
            let unit = self.gather(from.scalar, chunk);
            let unit = self
                .b
                .cast(CastOp::Bitcast, unit, Ty::vector(Scalar::I32, (bytes / 4) as u8));
            words.extend(self.lanes(unit));
        }
        let to_unit = (16 / to.scalar.bytes())
            .min(u32::from(PART))
            .min(u32::from(to.lanes)) as u8;
        let words_of_unit = (u32::from(to_unit) * to.scalar.bytes() / 4) as usize;
        let mut result_lanes = Vec::new();
        for chunk in words.chunks(words_of_unit) {
            let unit = self.gather(Scalar::I32, chunk);
            let unit = self.b.cast(CastOp::Bitcast, unit, Ty::vector(to.scalar, to_unit));
            result_lanes.extend(self.lanes(unit));
        }
        self.define(result, &result_lanes);
    }

    /// Rewrites a structured instruction or a terminator: long operands, results and region arguments are
    /// replaced by their parts.
    fn structured(&mut self, inst: Inst) {
        self.b.push(inst);
        let args = std::mem::take(&mut self.b.func.insts[inst].args);
        let args = args.into_iter().flat_map(|a| self.parts(a)).collect();
        self.b.func.insts[inst].args = args;
        let parts = |ty: Ty| {
            let part = Ty::vector(ty.scalar, PART);
            is_long(ty).then(|| vec![part; usize::from(ty.lanes / PART)])
        };
        for (old, parts) in self.b.func.split_results(inst, &parts) {
            self.parts.set(old, parts);
        }
    }
}
