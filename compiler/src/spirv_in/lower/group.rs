//! Translates operations that the work-items of a work-group or sub-group perform together.
//!
//! An operation of a sub-group becomes an operation of the IR if the IR has it. All other operations become calls of the
//! functions of OpenCL C 3.0 and of the extensions cl_khr_subgroup_….

use super::func::FuncLowering;
use crate::intrinsic::{Intrinsic, SubgroupOp, SubgroupPart};
use crate::ir::{CastOp, CmpOp, Op as IrOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::library::CType;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{GroupOperation, Op, Scope};

/// An operation that combines the values of several work-items.
struct Combination {
    op: SubgroupOp,
    /// The last part of the names of the functions of OpenCL C.
    name: &'static str,
    /// Whether integers are signed.
    signed: bool,
    /// Whether the operands are Booleans, for which OpenCL C uses `int`.
    logical: bool,
}

fn combination(op: Op) -> Option<Combination> {
    use SubgroupOp as S;
    let (op, name, signed, logical) = match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => (S::IAdd, "add", true, false),
        Op::GroupFAdd | Op::GroupNonUniformFAdd => (S::FAdd, "add", true, false),
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => (S::IMul, "mul", true, false),
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => (S::FMul, "mul", true, false),
        Op::GroupSMin | Op::GroupNonUniformSMin => (S::SMin, "min", true, false),
        Op::GroupUMin | Op::GroupNonUniformUMin => (S::UMin, "min", false, false),
        Op::GroupFMin | Op::GroupNonUniformFMin => (S::FMin, "min", true, false),
        Op::GroupSMax | Op::GroupNonUniformSMax => (S::SMax, "max", true, false),
        Op::GroupUMax | Op::GroupNonUniformUMax => (S::UMax, "max", false, false),
        Op::GroupFMax | Op::GroupNonUniformFMax => (S::FMax, "max", true, false),
        Op::GroupBitwiseAndKHR | Op::GroupNonUniformBitwiseAnd => (S::And, "and", true, false),
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr => (S::Or, "or", true, false),
        Op::GroupBitwiseXorKHR | Op::GroupNonUniformBitwiseXor => (S::Xor, "xor", true, false),
        Op::GroupLogicalAndKHR | Op::GroupNonUniformLogicalAnd => (S::And, "logical_and", true, true),
        Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => (S::Or, "logical_or", true, true),
        Op::GroupLogicalXorKHR | Op::GroupNonUniformLogicalXor => (S::Xor, "logical_xor", true, true),
        _ => return None,
    };
    Some(Combination {
        op,
        name,
        signed,
        logical,
    })
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns whether the scope that operand 0 names is the sub-group; otherwise it is the work-group.
    fn is_of_subgroup(&self, inst: &Inst<'_>) -> Result<bool, Error> {
        match self.scope(inst, 0)? {
            Scope::Subgroup if self.cx.has_subgroups => Ok(true),
            Scope::Subgroup => Err(inst.unsupported("the device does not have cl_khr_subgroups")),
            Scope::Workgroup => Ok(false),
            scope => Err(inst.unsupported(format!("operations of the scope {scope:?} are not implemented"))),
        }
    }

    /// Translates an instruction of the capability Groups.
    pub(super) fn group(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let of_subgroup = self.is_of_subgroup(inst)?;
        match inst.op {
            Op::GroupAll | Op::GroupAny => {
                let value = self.boolean(inst, 1)?;
                if of_subgroup {
                    return self.vote(inst, value, inst.op == Op::GroupAll);
                }
                let name = if inst.op == Op::GroupAll { "all" } else { "any" };
                let value = self.b.cast(CastOp::ZExt, value, Ty::I32);
                self.truth(inst, &format!("return work_group_{name}(a);"), &[(value, true)])
            }
            Op::GroupBroadcast if of_subgroup => {
                let (value, from) = (self.operand(inst, 1)?, self.item(inst, 2)?);
                self.exchange(inst, Intrinsic::SubgroupBroadcast, value, from)
            }
            Op::GroupBroadcast => self.broadcast_of_work_group(inst),
            _ => self.combine(inst, of_subgroup),
        }
    }

    /// Translates an instruction of the capabilities GroupNonUniform….
    pub(super) fn group_non_uniform(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        if !self.is_of_subgroup(inst)? {
            return Err(inst.invalid("operations of this kind have the scope Subgroup"));
        }
        match inst.op {
            Op::GroupNonUniformElect => self.truth(inst, "return sub_group_elect();", &[]),
            Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
                let value = self.boolean(inst, 1)?;
                self.vote(inst, value, inst.op == Op::GroupNonUniformAll)
            }
            Op::GroupNonUniformAllEqual => self.all_equal(inst),
            Op::GroupNonUniformBroadcast => {
                let (value, from) = (self.operand(inst, 1)?, self.item(inst, 2)?);
                self.exchange(inst, Intrinsic::SubgroupBroadcast, value, from)
            }
            Op::GroupNonUniformBroadcastFirst => self.lane_by_lane(inst, "sub_group_broadcast_first(a)", &[]),
            Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => {
                let (value, from) = (self.operand(inst, 1)?, self.item(inst, 2)?);
                let op = match inst.op {
                    Op::GroupNonUniformShuffle => Intrinsic::SubgroupShuffle,
                    _ => Intrinsic::SubgroupShuffleXor,
                };
                self.exchange(inst, op, value, from)
            }
            Op::GroupNonUniformShuffleUp => self.moved(inst, "sub_group_shuffle_up(a, b)", false),
            Op::GroupNonUniformShuffleDown => self.moved(inst, "sub_group_shuffle_down(a, b)", false),
            Op::GroupNonUniformRotateKHR => match inst.args.get(3) {
                None => self.moved(inst, "sub_group_rotate(a, b)", true),
                Some(_) => {
                    let size = self.cluster_size(inst, 3)?;
                    self.moved(inst, &format!("sub_group_clustered_rotate(a, b, {size}u)"), true)
                }
            },
            Op::GroupNonUniformBallot => {
                let value = self.boolean(inst, 1)?;
                let ty = Ty::vector(Scalar::I32, 4);
                let value = self
                    .b
                    .value(IrOp::Intrinsic(Intrinsic::SubgroupBallot), [value], ty);
                self.define(inst, value)
            }
            Op::GroupNonUniformInverseBallot => {
                let mask = self.operand(inst, 1)?;
                self.truth(inst, "return sub_group_inverse_ballot(a);", &[(mask, false)])
            }
            Op::GroupNonUniformBallotBitExtract => {
                let (mask, n) = (self.operand(inst, 1)?, self.item(inst, 2)?);
                let args = [(mask, false), (n, false)];
                self.truth(inst, "return sub_group_ballot_bit_extract(a, b);", &args)
            }
            Op::GroupNonUniformBallotBitCount => {
                let name = match self.part(inst, 1)? {
                    SubgroupPart::Reduce => "bit_count",
                    SubgroupPart::Inclusive => "inclusive_scan",
                    SubgroupPart::Exclusive => "exclusive_scan",
                };
                self.of_mask(inst, name, 2)
            }
            Op::GroupNonUniformBallotFindLSB => self.of_mask(inst, "find_lsb", 1),
            Op::GroupNonUniformBallotFindMSB => self.of_mask(inst, "find_msb", 1),
            _ => self.combine(inst, true),
        }
    }

    fn boolean(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value, Error> {
        let value = self.operand(inst, n)?;
        if self.b.func.ty(value) != Ty::BOOL {
            return Err(inst.invalid("the operand is no bool"));
        }
        Ok(value)
    }

    /// Returns the number of a work-item, or the distance to one, that operand `n` names.
    pub(super) fn item(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value, Error> {
        let value = self.operand(inst, n)?;
        let ty = self.b.func.ty(value);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("the id of the work-item is no integer"));
        }
        Ok(self.resize(value, Ty::I32, false))
    }

    fn cluster_size(&self, inst: &Inst<'_>, n: usize) -> Result<u64, Error> {
        let size = self.integer(inst, n)?;
        match size.is_power_of_two() && size <= 1 << 16 {
            true => Ok(size),
            false => Err(inst.invalid("the size of a cluster is no power of two")),
        }
    }

    fn part(&self, inst: &Inst<'_>, n: usize) -> Result<SubgroupPart, Error> {
        match GroupOperation::from_u32(inst.arg(n)?) {
            Some(GroupOperation::Reduce) => Ok(SubgroupPart::Reduce),
            Some(GroupOperation::InclusiveScan) => Ok(SubgroupPart::Inclusive),
            Some(GroupOperation::ExclusiveScan) => Ok(SubgroupPart::Exclusive),
            _ => Err(inst.unsupported("the group operation is not implemented")),
        }
    }

    fn vote(&mut self, inst: &Inst<'_>, value: Value, all: bool) -> Result<(), Error> {
        let op = if all {
            Intrinsic::SubgroupAll
        } else {
            Intrinsic::SubgroupAny
        };
        let value = self.b.value(IrOp::Intrinsic(op), [value], Ty::BOOL);
        self.define(inst, value)
    }

    /// Calls a function in OpenCL C that returns an `int`, which is the result as a Boolean.
    fn truth(&mut self, inst: &Inst<'_>, body: &str, args: &[(Value, bool)]) -> Result<(), Error> {
        let value = self.library_call(inst, body, Some((Ty::I32, true)), args)?;
        let Some(value) = value else {
            return Err(inst.invalid("the operation has no result"));
        };
        let zero = self.b.i32(0);
        let value = self.b.compare(CmpOp::INe, value, zero);
        self.define(inst, value)
    }

    /// Calls a function whose argument is a ballot, which is operand `n`.
    fn of_mask(&mut self, inst: &Inst<'_>, name: &str, n: usize) -> Result<(), Error> {
        let mask = self.operand(inst, n)?;
        let to = self.result_type(inst)?;
        if to.is_vector() || !to.scalar.is_int() {
            return Err(inst.invalid("the result type is no integer"));
        }
        let body = format!("return sub_group_ballot_{name}(a);");
        let value = self.library_call(inst, &body, Some((Ty::I32, false)), &[(mask, false)])?;
        let Some(value) = value else {
            return Err(inst.invalid("the operation has no result"));
        };
        let value = self.resize(value, to, false);
        self.define(inst, value)
    }

    /// Emits an operation that takes a value from another work-item. A Boolean is exchanged as an integer.
    pub(super) fn exchange(
        &mut self,
        inst: &Inst<'_>,
        op: Intrinsic,
        value: Value,
        from: Value,
    ) -> Result<(), Error> {
        let ty = self.b.func.ty(value);
        if !(ty.scalar.is_int() || ty.scalar.is_float() || ty.scalar == Scalar::Bool) {
            return Err(inst.invalid("the operand is no number"));
        }
        if ty.scalar != Scalar::Bool {
            let value = self.b.value(IrOp::Intrinsic(op), [value, from], ty);
            return self.define(inst, value);
        }
        let wide = ty.with_scalar(Scalar::I32);
        let number = self.b.cast(CastOp::ZExt, value, wide);
        let number = self.b.value(IrOp::Intrinsic(op), [number, from], wide);
        let zero = self.b.zero(wide);
        let value = self.b.compare(CmpOp::INe, number, zero);
        self.define(inst, value)
    }

    /// Calls a function of OpenCL C for the value that operand 1 names and the distance that operand 2 names.
    fn moved(&mut self, inst: &Inst<'_>, call: &str, signed: bool) -> Result<(), Error> {
        let distance = self.item(inst, 2)?;
        self.lane_by_lane(inst, call, &[(distance, signed)])
    }

    /// Calls a function of OpenCL C for each lane of the value that operand 1 names.
    fn lane_by_lane(&mut self, inst: &Inst<'_>, call: &str, more: &[(Value, bool)]) -> Result<(), Error> {
        let value = self.operand(inst, 1)?;
        let ty = self.b.func.ty(value);
        let is_bool = ty.scalar == Scalar::Bool;
        let wide = if is_bool { ty.with_scalar(Scalar::I32) } else { ty };
        let value = if is_bool {
            self.b.cast(CastOp::ZExt, value, wide)
        } else {
            value
        };
        let body = format!("return {call};");
        let mut lanes = Vec::new();
        for lane in 0..ty.lanes {
            let part = if ty.is_vector() {
                self.b.extract(value, lane)
            } else {
                value
            };
            let mut args = vec![(part, true)];
            args.extend(more);
            let one = Ty::of(wide.scalar);
            lanes.extend(self.library_call(inst, &body, Some((one, true)), &args)?);
        }
        let value = match lanes[..] {
            [one] => one,
            _ => self.b.construct(wide, lanes),
        };
        let value = if is_bool {
            let zero = self.b.zero(wide);
            self.b.compare(CmpOp::INe, value, zero)
        } else {
            value
        };
        self.define(inst, value)
    }

    fn all_equal(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let value = self.operand(inst, 1)?;
        let ty = self.b.func.ty(value);
        if ty.is_vector() {
            return Err(inst.unsupported("the operand is a vector"));
        }
        let value = match ty {
            Ty::BOOL => self.b.cast(CastOp::ZExt, value, Ty::I32),
            _ => value,
        };
        self.truth(
            inst,
            "return sub_group_non_uniform_all_equal(a);",
            &[(value, true)],
        )
    }

    /// Translates OpGroupBroadcast in a work-group. The id is a number, or a vector of two or three numbers.
    fn broadcast_of_work_group(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (value, id) = (self.operand(inst, 1)?, self.operand(inst, 2)?);
        let ty = self.b.func.ty(id);
        if !ty.scalar.is_int() || ty.lanes > 3 {
            return Err(inst.invalid("the id of the work-item is no integer, nor a vector of two or three"));
        }
        let mut args = Vec::new();
        for lane in 0..ty.lanes {
            let part = if ty.is_vector() {
                self.b.extract(id, lane)
            } else {
                id
            };
            args.push((self.resize(part, Ty::I64, false), false));
        }
        let letters = ["a", "b", "c", "d"][..args.len() + 1].join(", ");
        self.in_words(
            inst,
            value,
            &format!("work_group_broadcast({letters})"),
            true,
            &args,
        )
    }

    /// Calls a function of OpenCL C that takes numbers of 32 or 64 bits; narrower integers are extended.
    fn in_words(
        &mut self,
        inst: &Inst<'_>,
        value: Value,
        call: &str,
        signed: bool,
        more: &[(Value, bool)],
    ) -> Result<(), Error> {
        let ty = self.b.func.ty(value);
        let is_narrow = matches!(ty.scalar, Scalar::I8 | Scalar::I16);
        let wide = if is_narrow { Ty::I32 } else { ty };
        if ty.is_vector() {
            return Err(inst.invalid("the operand is a vector"));
        }
        let value = match is_narrow {
            true => self.resize(value, wide, signed),
            false => value,
        };
        let mut args = vec![(value, signed)];
        args.extend(more);
        let result = self.library_call(inst, &format!("return {call};"), Some((wide, signed)), &args)?;
        let Some(result) = result else {
            return Err(inst.invalid("the operation has no result"));
        };
        let result = match is_narrow {
            true => self.resize(result, ty, signed),
            false => result,
        };
        self.define(inst, result)
    }

    /// Translates a reduction or a scan.
    fn combine(&mut self, inst: &Inst<'_>, of_subgroup: bool) -> Result<(), Error> {
        let Some(c) = combination(inst.op) else {
            return Err(inst.unsupported("the instruction is not implemented"));
        };
        let value = self.operand(inst, 2)?;
        let ty = self.b.func.ty(value);
        if ty.is_vector() {
            return Err(inst.unsupported("the operand is a vector"));
        }
        let is_float = matches!(
            c.op,
            SubgroupOp::FAdd | SubgroupOp::FMul | SubgroupOp::FMin | SubgroupOp::FMax
        );
        let fits = match c.logical {
            true => ty == Ty::BOOL,
            false if is_float => ty.scalar.is_float(),
            false => ty.scalar.is_int(),
        };
        if !fits {
            return Err(inst.invalid("the operand is of a type that the operation does not take"));
        }
        let clustered = inst.arg(1)? == GroupOperation::ClusteredReduce as u32;
        if clustered && of_subgroup {
            let size = self.cluster_size(inst, 3)?;
            let call = format!("sub_group_clustered_reduce_{}(a, {size}u)", c.name);
            if c.logical {
                let number = self.b.cast(CastOp::ZExt, value, Ty::I32);
                return self.truth(inst, &format!("return {call};"), &[(number, true)]);
            }
            let body = format!("return {call};");
            let value = self.library_call(inst, &body, Some((ty, c.signed)), &[(value, c.signed)])?;
            return self.define_from(inst, value);
        }
        let part = self.part(inst, 1)?;
        if of_subgroup && !c.logical {
            let intrinsic = Intrinsic::SubgroupArith(c.op, part);
            let value = self.b.value(IrOp::Intrinsic(intrinsic), [value], ty);
            return self.define(inst, value);
        }
        let part = match part {
            SubgroupPart::Reduce => "reduce",
            SubgroupPart::Inclusive => "scan_inclusive",
            SubgroupPart::Exclusive => "scan_exclusive",
        };
        if c.logical {
            let call = match of_subgroup {
                true => format!("return sub_group_non_uniform_{part}_{}(a);", c.name),
                false => format!("return work_group_{part}_{}(a);", c.name),
            };
            let number = self.b.cast(CastOp::ZExt, value, Ty::I32);
            return self.truth(inst, &call, &[(number, true)]);
        }
        let mut call = format!("work_group_{part}_{}(a)", c.name);
        if let SubgroupOp::SMin | SubgroupOp::SMax | SubgroupOp::UMin | SubgroupOp::UMax = c.op
            && let Some(own) = CType::number(ty, c.signed)
        {
            // An exclusive scan begins with a limit of the operation's type, which becomes that of a narrower type.
            call = format!("convert_{}_sat({call})", own.text);
        }
        self.in_words(inst, value, &call, c.signed, &[])
    }
}
