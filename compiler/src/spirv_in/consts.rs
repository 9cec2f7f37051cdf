//! Constants, evaluated when they are declared.

use super::Error;
use super::types::{Layout, Part, Type, Types};
use super::words::Inst;
use crate::hash::HashMap;
use crate::intrinsic::SamplerMask;
use crate::ir::{BinOp, CastOp, CmpOp, Scalar, Ty, UnOp, eval};
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::Op;

/// The largest number of bytes of all constant structures and arrays of a module together.
pub(super) const MAX_BYTES: usize = 256 << 20;

/// The contents of a constant structure or array.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Data {
    pub(super) bytes: Vec<u8>,
    /// The pointers in the bytes: the offset, the id of the variable, and the offset in the variable.
    pub(super) pointers: Vec<(u32, u32, u64)>,
}

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Constant {
    /// The bits of each lane of a scalar or vector.
    Lanes(Vec<u64>),
    /// A pointer into a variable of the module, or the integer of 64 bits that it is.
    Address {
        variable: u32,
        offset: u64,
    },
    /// The value whose bits are all zero, of any type.
    Null,
    Undef,
    /// A structure or array.
    Data(Data),
    Sampler(SamplerMask),
    /// An operation that each function which uses it evaluates. The number is the length of the longest chain of such
    /// operations that it depends on.
    Operation(u32),
}

/// The longest chain of operations that functions evaluate.
const MAX_DEPTH: u32 = 64;

/// The constants of a module by id, each with the id of its type.
#[derive(Default, Debug)]
pub(super) struct Constants {
    constants: HashMap<u32, (u32, Constant)>,
    bytes: usize,
}

impl Constants {
    /// Returns a constant.
    pub(super) fn get(&self, id: u32) -> Option<&Constant> {
        self.constants.get(&id).map(|(_, c)| c)
    }

    /// Returns the type of a constant.
    pub(super) fn type_of(&self, id: u32) -> Option<u32> {
        self.constants.get(&id).map(|(ty, _)| *ty)
    }

    /// Returns the value of a scalar constant as a number without a sign.
    pub(super) fn integer(&self, id: u32) -> Option<u64> {
        match self.get(id)? {
            Constant::Lanes(lanes) if lanes.len() == 1 => Some(lanes[0]),
            Constant::Null => Some(0),
            _ => None,
        }
    }

    /// Returns the value of an index, which is a signed number of any width.
    pub(super) fn index(&self, types: &Types, id: u32) -> Option<i64> {
        let ty = types.value(self.type_of(id)?)?;
        let bits = self.integer(id).filter(|_| ty.scalar.is_int())?;
        Some(eval::signed(ty.scalar, bits))
    }

    /// Records the address of a variable.
    pub(super) fn address(&mut self, inst: &Inst<'_>) {
        let address = Constant::Address {
            variable: inst.result,
            offset: 0,
        };
        self.constants.insert(inst.result, (inst.ty, address));
    }

    /// Declares a constant. `value` has the bytes that replace the default of a specialization constant.
    pub(super) fn declare(
        &mut self,
        inst: &Inst<'_>,
        types: &Types,
        value: Option<&[u8]>,
    ) -> Result<(), Error> {
        types.of(inst, inst.ty)?;
        let constant = match inst.op {
            Op::Undef => Constant::Undef,
            Op::ConstantNull if types.layout(inst.ty).is_some() => null(types.value(inst.ty)),
            Op::ConstantNull => return Err(inst.invalid("its type has no null value")),
            Op::ConstantTrue | Op::ConstantFalse => boolean(inst, types, None)?,
            Op::SpecConstantTrue | Op::SpecConstantFalse => boolean(inst, types, value)?,
            Op::Constant => number(inst, types, None)?,
            Op::SpecConstant => number(inst, types, value)?,
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(inst, types)?,
            Op::ConstantSampler => sampler(inst)?,
            Op::SpecConstantOp => self.operation(inst, types)?,
            _ => return Err(inst.unsupported("the instruction is not implemented outside of functions")),
        };
        self.constants.insert(inst.result, (inst.ty, constant));
        Ok(())
    }

    /// Returns the first operand of a constant, from number `first` on, that is not declared yet, and its number.
    pub(super) fn missing_operand(&self, inst: &Inst<'_>, first: usize) -> Option<(usize, u32)> {
        let ids = match inst.op {
            Op::ConstantComposite | Op::SpecConstantComposite => inst.args,
            Op::SpecConstantOp => {
                let (&op, operands) = inst.args.split_first()?;
                let ids = match Op::from_u32(op) {
                    Some(Op::CompositeExtract) => 1,
                    Some(Op::CompositeInsert | Op::VectorShuffle) => 2,
                    _ => operands.len(),
                };
                &operands[..ids.min(operands.len())]
            }
            _ => &[],
        };
        let mut ids = ids.iter().copied().enumerate().skip(first);
        ids.find(|(_, id)| !self.constants.contains_key(id))
    }

    fn operand(&self, inst: &Inst<'_>, id: u32) -> Result<&(u32, Constant), Error> {
        let found = self.constants.get(&id);
        found.ok_or_else(|| inst.invalid(format!("%{id} is not a constant that is declared before")))
    }

    fn composite(&mut self, inst: &Inst<'_>, types: &Types) -> Result<Constant, Error> {
        if let Some(Type::Plain(ty)) = types.get(inst.ty) {
            if let Some(matrix) = ty.scalar.matrix() {
                inst.exactly(1)?;
                // All components have the one value.
                return self.fill(inst, types, Ty::of(matrix.scalar()));
            }
            return match ty.is_vector() || types.is_single(inst.ty) {
                true => self.vector(inst, types, *ty),
                false => Err(inst.invalid("its type is no composite")),
            };
        }
        let layout = types.layout_of(inst, inst.ty)?;
        let count = match types.get(inst.ty) {
            Some(Type::Array(_, n)) => *n,
            Some(Type::Struct(members)) => members.len() as u64,
            _ => return Err(inst.invalid("its type is no composite")),
        };
        if inst.args.len() as u64 != count {
            return Err(inst.invalid(format!(
                "it has {} constituents instead of {count}",
                inst.args.len()
            )));
        }
        self.bytes = self.bytes.saturating_add(layout.size as usize);
        if self.bytes > MAX_BYTES {
            return Err(inst.unsupported("the module has more than 256 MiB of constants"));
        }
        let mut data = Data {
            bytes: vec![0; layout.size as usize],
            pointers: Vec::new(),
        };
        for (n, &id) in inst.args.iter().enumerate() {
            let (part, at) = types.component(inst, inst.ty, n as u64)?;
            let (ty, constant) = self.operand(inst, id)?;
            if let Constant::Operation(_) = constant {
                return Err(inst.unsupported(format!(
                    "the constituent %{id} is not known before the kernel runs"
                )));
            }
            // LLVM's code generator does not distinguish pointers that lead to different types.
            let is_pointer = |ty| types.value(ty).is_some_and(|t| t.scalar.is_ptr());
            let fits = match part {
                Part::Type(of) => of == *ty || is_pointer(of) && types.value(of) == types.value(*ty),
                Part::Lane(_) => false,
            };
            if !fits {
                return Err(inst.invalid(format!(
                    "the constituent %{id} has another type than the component"
                )));
            }
            let layout = types.layout_of(inst, *ty)?;
            write(&mut data, at as u32, constant, types.value(*ty), layout);
        }
        Ok(Constant::Data(data))
    }

    fn fill(&self, inst: &Inst<'_>, types: &Types, component: Ty) -> Result<Constant, Error> {
        let (ty, constant) = self.operand(inst, inst.arg(0)?)?;
        match constant {
            Constant::Lanes(_) if types.value(*ty) == Some(component) => Ok(constant.clone()),
            _ => Err(inst.invalid("the constituent is not of the component type")),
        }
    }

    fn vector(&self, inst: &Inst<'_>, types: &Types, ty: Ty) -> Result<Constant, Error> {
        let mut lanes = Vec::new();
        for &id in inst.args {
            let (part, constant) = self.operand(inst, id)?;
            match (types.value(*part), constant) {
                (Some(t), Constant::Lanes(bits)) if t.scalar == ty.scalar => lanes.extend(bits),
                (Some(t), Constant::Null | Constant::Undef) if t.scalar == ty.scalar => {
                    lanes.resize(lanes.len() + usize::from(t.lanes), 0);
                }
                (Some(t), Constant::Operation(_) | Constant::Address { .. }) if t.scalar == ty.scalar => {
                    return Err(inst.unsupported(format!(
                        "the constituent %{id} is not known before the kernel runs"
                    )));
                }
                _ => return Err(inst.invalid(format!("the constituent %{id} has another type"))),
            }
        }
        if lanes.len() == usize::from(ty.lanes) {
            Ok(Constant::Lanes(lanes))
        } else {
            Err(inst.invalid("the number of constituents is not that of the vector"))
        }
    }

    /// Evaluates an OpSpecConstantOp.
    fn operation(&self, inst: &Inst<'_>, types: &Types) -> Result<Constant, Error> {
        let Some(op) = Op::from_u32(inst.arg(0)?) else {
            return Err(inst.invalid("its operation is unknown"));
        };
        let operands = inst.args_from(1)?;
        let mut consts = Vec::with_capacity(operands.len());
        if !matches!(op, Op::CompositeExtract | Op::CompositeInsert | Op::VectorShuffle) {
            for &id in operands {
                consts.push(self.operand(inst, id)?);
            }
        }
        if let Some(address) = self.address_operation(inst, types, op, operands)? {
            return Ok(address);
        }
        let to = types.value(inst.ty);
        if let Some(lanes) = to.and_then(|to| self.rearranged(types, op, to, operands)) {
            return Ok(Constant::Lanes(lanes));
        }
        let is_known = op != Op::ConvertUToPtr || !types.small_pointers;
        let evaluated = to.filter(|_| is_known).and_then(|to| {
            let lanes = (0..usize::from(to.lanes)).map(|lane| {
                let values = consts.iter().map(|(ty, constant)| {
                    let ty = types.value(*ty)?;
                    let bits = match constant {
                        Constant::Lanes(bits) => bits.get(lane).or(bits.first()).copied(),
                        Constant::Null | Constant::Undef => Some(0),
                        _ => None,
                    };
                    Some((ty.scalar, bits?))
                });
                evaluate(op, &values.collect::<Option<Vec<_>>>()?, to.scalar)
            });
            lanes.collect::<Option<Vec<_>>>()
        });
        if let Some(lanes) = evaluated {
            return Ok(Constant::Lanes(lanes));
        }
        let depth = |id: &u32| match self.get(*id) {
            Some(Constant::Operation(depth)) => depth + 1,
            _ => 0,
        };
        let depth = operands.iter().map(depth).max().unwrap_or(0);
        match is_for_functions(op) && depth < MAX_DEPTH {
            true => Ok(Constant::Operation(depth)),
            false => Err(inst.unsupported(format!(
                "the operation Op{} is not implemented for constants",
                INSTRUCTION_TABLE.get(op).opname
            ))),
        }
    }

    /// Evaluates an operation that takes vectors apart or puts them together.
    fn rearranged(&self, types: &Types, op: Op, to: Ty, operands: &[u32]) -> Option<Vec<u64>> {
        let vector = |n: usize| -> Option<(Ty, Vec<u64>)> {
            let (ty, constant) = self.constants.get(operands.get(n)?)?;
            let ty = types.value(*ty)?;
            match constant {
                Constant::Lanes(lanes) => Some((ty, lanes.clone())),
                Constant::Null | Constant::Undef if !ty.scalar.is_ptr() => {
                    Some((ty, vec![0; usize::from(ty.lanes)]))
                }
                _ => None,
            }
        };
        let (from, mut lanes) = vector(0)?;
        match (op, operands) {
            (Op::CompositeExtract, &[_, n]) if from.scalar == to.scalar && !to.is_vector() => {
                Some(vec![*lanes.get(n as usize)?])
            }
            (Op::CompositeInsert, &[_, _, n]) if !from.is_vector() => {
                let (whole, mut all) = vector(1)?;
                *all.get_mut(n as usize)? = lanes[0];
                (whole == to && from.scalar == to.scalar).then_some(all)
            }
            (Op::VectorShuffle, [_, _, order @ ..]) if order.len() == usize::from(to.lanes) => {
                let (second, more) = vector(1)?;
                lanes.extend(more);
                let lane = |&n: &u32| match n {
                    u32::MAX => Some(0),
                    n => lanes.get(n as usize).copied(),
                };
                let is_same = from.scalar == to.scalar && second.scalar == to.scalar;
                order.iter().map(lane).collect::<Option<_>>().filter(|_| is_same)
            }
            (Op::Bitcast, [_])
                if [from, to]
                    .iter()
                    .all(|ty| ty.scalar.is_int() || ty.scalar.is_float()) =>
            {
                let [old, new] = [from, to].map(|ty| ty.scalar.bytes() as usize);
                let bytes = lanes
                    .iter()
                    .flat_map(|lane| lane.to_le_bytes().into_iter().take(old));
                let bytes: Vec<u8> = bytes.collect();
                let lane = |bytes: &[u8]| {
                    bytes
                        .iter()
                        .rev()
                        .fold(0, |lane, byte| lane << 8 | u64::from(*byte))
                };
                (bytes.len() == new * usize::from(to.lanes)).then(|| bytes.chunks(new).map(lane).collect())
            }
            _ => None,
        }
    }

    /// Evaluates an operation on the address of a variable whose result is an address in it, as a pointer or an integer.
    fn address_operation(
        &self,
        inst: &Inst<'_>,
        types: &Types,
        op: Op,
        operands: &[u32],
    ) -> Result<Option<Constant>, Error> {
        let base = operands.first().and_then(|id| self.constants.get(id));
        let Some((from, Constant::Address { variable, offset })) = base else {
            return Ok(None);
        };
        let is_whole = types.value(inst.ty).is_some_and(|ty| {
            !ty.is_vector() && (ty.scalar.is_ptr() || ty.scalar == Scalar::I64 && !types.small_pointers)
        });
        if !is_whole {
            return Ok(None);
        }
        let number = || operands.get(1).and_then(|&id| self.integer(id));
        let further = match op {
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr => Some(0),
            Op::AccessChain | Op::InBoundsAccessChain => {
                Some(self.chain(inst, types, *from, &operands[1..], false)?)
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                Some(self.chain(inst, types, *from, &operands[1..], true)?)
            }
            Op::IAdd => number(),
            Op::ISub => number().map(u64::wrapping_neg),
            _ => None,
        };
        Ok(further.map(|further| Constant::Address {
            variable: *variable,
            offset: offset.wrapping_add(further),
        }))
    }

    /// Returns the offset in bytes that constant indices stand for.
    fn chain(
        &self,
        inst: &Inst<'_>,
        types: &Types,
        pointer: u32,
        indices: &[u32],
        has_element: bool,
    ) -> Result<u64, Error> {
        let Some(Type::Pointer(_, mut ty)) = types.get(pointer).cloned() else {
            return Err(inst.invalid("the base is no pointer"));
        };
        let mut offset = 0u64;
        let mut lane = None;
        for (n, &id) in indices.iter().enumerate() {
            let index = self.index(types, id);
            let index =
                index.ok_or_else(|| inst.invalid(format!("%{id} is not an integer constant")))? as u64;
            if n == 0 && has_element {
                let size = u64::from(types.layout_of(inst, ty)?.size);
                offset = offset.wrapping_add(index.wrapping_mul(size));
                continue;
            }
            let (part, at) = match types.of(inst, ty)? {
                // A pointer may be beyond the array.
                Type::Array(elem, _) => {
                    let size = u64::from(types.layout_of(inst, *elem)?.size);
                    (Part::Type(*elem), index.wrapping_mul(size))
                }
                _ => types.component(inst, ty, index)?,
            };
            offset = offset.wrapping_add(at);
            match part {
                Part::Type(t) => ty = t,
                Part::Lane(t) if n + 1 == indices.len() => lane = Some(t),
                Part::Lane(_) => return Err(inst.invalid("an index into a scalar")),
            }
        }
        let Some(Type::Pointer(_, to)) = types.get(inst.ty) else {
            return Err(inst.invalid("the result type is no pointer"));
        };
        let (want, leads) = (types.value(*to), lane.or(types.value(ty)));
        if lane.is_none() && *to == ty || want.is_some() && want == leads {
            return Ok(offset);
        }
        // LLVM's code generator counts bytes in such a chain, whatever the base points to.
        match indices.split_last() {
            Some((&last, rest))
                if want == Some(Ty::of(Scalar::I8)) && rest.iter().all(|&n| self.integer(n) == Some(0)) =>
            {
                Ok(self.index(types, last).unwrap_or(0) as u64)
            }
            _ => Err(inst.invalid("the result type does not point to what the indices lead to")),
        }
    }
}

/// Returns whether OpSpecConstantOp may have an operation that functions evaluate.
fn is_for_functions(op: Op) -> bool {
    matches!(
        op,
        Op::SConvert
            | Op::UConvert
            | Op::FConvert
            | Op::ConvertFToS
            | Op::ConvertFToU
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::SNegate
            | Op::Not
            | Op::LogicalNot
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::BitwiseOr
            | Op::BitwiseAnd
            | Op::BitwiseXor
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::VectorShuffle
            | Op::CompositeExtract
            | Op::CompositeInsert
    )
}

/// Evaluates an operation on one lane. `None` if it is not implemented or has no defined result.
fn evaluate(op: Op, args: &[(Scalar, u64)], to: Scalar) -> Option<u64> {
    let binary = |op: BinOp| match args {
        [(a, x), (_, y)] if a.is_int() || *a == Scalar::Bool => eval::binary(op, *a, *x, *y),
        _ => None,
    };
    // A quotient that is not defined may be anything (SPIR-V 3.52.13), and a module may have it without ever using it.
    let quotient = |op: BinOp| match args {
        [(a, _), (b, _)] if a.is_int() && a == b => binary(op).or(Some(0)),
        _ => None,
    };
    let compare = |op: CmpOp| match args {
        [(a, x), (_, y)] => Some(u64::from(eval::compare(op, *a, *x, *y))),
        _ => None,
    };
    let unary = |op: UnOp| match args {
        [(a, x)] if a.is_int() || *a == Scalar::Bool => Some(eval::unary(op, *a, *x)),
        _ => None,
    };
    let cast = |op: CastOp| match (op, args) {
        (CastOp::SExt, [(a, x)]) => Some(eval::truncate(to, eval::signed(*a, *x) as u64)),
        (CastOp::ZExt, [(_, x)]) => Some(eval::truncate(to, *x)),
        (CastOp::FConvert, [(a, x)]) => Some(eval::from_f64(to, eval::to_f64(*a, *x))),
        _ => None,
    };
    match op {
        Op::SConvert => cast(CastOp::SExt),
        Op::UConvert => cast(CastOp::ZExt),
        Op::FConvert => cast(CastOp::FConvert),
        Op::SNegate => unary(UnOp::INeg),
        Op::Not | Op::LogicalNot => unary(UnOp::Not),
        Op::IAdd => binary(BinOp::IAdd),
        Op::ISub => binary(BinOp::ISub),
        Op::IMul => binary(BinOp::IMul),
        Op::UDiv => quotient(BinOp::UDiv),
        Op::SDiv => quotient(BinOp::SDiv),
        Op::UMod => quotient(BinOp::URem),
        Op::SRem => quotient(BinOp::SRem),
        // The result has the sign of the divisor.
        Op::SMod => match (quotient(BinOp::SRem)?, args) {
            (rest, &[(a, _), (_, divisor)]) if rest != 0 => {
                let differs = (eval::signed(a, rest) < 0) != (eval::signed(a, divisor) < 0);
                let more = if differs { divisor } else { 0 };
                Some(eval::truncate(a, rest.wrapping_add(more)))
            }
            (rest, _) => Some(rest),
        },
        Op::ShiftLeftLogical => binary(BinOp::Shl),
        Op::ShiftRightLogical => binary(BinOp::LShr),
        Op::ShiftRightArithmetic => binary(BinOp::AShr),
        Op::BitwiseOr | Op::LogicalOr => binary(BinOp::Or),
        Op::BitwiseAnd | Op::LogicalAnd => binary(BinOp::And),
        Op::BitwiseXor => binary(BinOp::Xor),
        Op::IEqual | Op::LogicalEqual => compare(CmpOp::IEq),
        Op::INotEqual | Op::LogicalNotEqual => compare(CmpOp::INe),
        Op::ULessThan => compare(CmpOp::ULt),
        Op::ULessThanEqual => compare(CmpOp::ULe),
        Op::UGreaterThan => compare(CmpOp::UGt),
        Op::UGreaterThanEqual => compare(CmpOp::UGe),
        Op::SLessThan => compare(CmpOp::SLt),
        Op::SLessThanEqual => compare(CmpOp::SLe),
        Op::SGreaterThan => compare(CmpOp::SGt),
        Op::SGreaterThanEqual => compare(CmpOp::SGe),
        Op::Select => match args {
            [(Scalar::Bool, c), (_, a), (_, b)] => Some(if *c != 0 { *a } else { *b }),
            _ => None,
        },
        Op::Bitcast => match args {
            [(a, x)] if a.bits() == to.bits() => Some(*x),
            _ => None,
        },
        // A pointer has the bits of its number.
        Op::ConvertUToPtr => cast(CastOp::ZExt),
        _ => None,
    }
}

/// Returns the bytes of a constant of a type.
pub(super) fn data_of(constant: &Constant, ty: Option<Ty>, layout: Layout) -> Data {
    let mut data = Data {
        bytes: vec![0; layout.size as usize],
        pointers: Vec::new(),
    };
    write(&mut data, 0, constant, ty, layout);
    data
}

/// Writes a constant into the bytes of a structure or array.
fn write(data: &mut Data, at: u32, constant: &Constant, ty: Option<Ty>, layout: Layout) {
    match constant {
        Constant::Lanes(lanes) => {
            let size = ty.map_or(0, |t| t.scalar.bytes().max(1)) as usize;
            let place = data.bytes[at as usize..].chunks_exact_mut(size.max(1));
            for (lane, place) in lanes.iter().zip(place) {
                place.copy_from_slice(&lane.to_le_bytes()[..size]);
            }
        }
        Constant::Data(inner) => {
            data.bytes[at as usize..][..layout.size as usize].copy_from_slice(&inner.bytes);
            let moved = inner.pointers.iter().map(|&(o, v, n)| (at + o, v, n));
            data.pointers.extend(moved);
        }
        Constant::Address { variable, offset } => data.pointers.push((at, *variable, *offset)),
        Constant::Null | Constant::Undef | Constant::Sampler(_) | Constant::Operation(_) => {}
    }
}

fn null(ty: Option<Ty>) -> Constant {
    match ty {
        Some(ty) if !ty.scalar.is_ptr() => Constant::Lanes(vec![0; usize::from(ty.lanes)]),
        Some(_) | None => Constant::Null,
    }
}

fn boolean(inst: &Inst<'_>, types: &Types, value: Option<&[u8]>) -> Result<Constant, Error> {
    if types.value(inst.ty) != Some(Ty::BOOL) {
        return Err(inst.invalid("its type is not bool"));
    }
    inst.exactly(0)?;
    let default = matches!(inst.op, Op::ConstantTrue | Op::SpecConstantTrue);
    let bit = value.map_or(default, |bytes| bytes.iter().any(|&b| b != 0));
    Ok(Constant::Lanes(vec![u64::from(bit)]))
}

fn number(inst: &Inst<'_>, types: &Types, value: Option<&[u8]>) -> Result<Constant, Error> {
    let ty = types.value(inst.ty).filter(|t| !t.is_vector());
    let Some(ty) = ty.filter(|t| t.scalar.is_int() || t.scalar.is_float()) else {
        return Err(inst.invalid("its type is no scalar number"));
    };
    let mut bits = if ty.scalar.bits() == 64 {
        inst.exactly(2)?;
        u64::from(inst.arg(0)?) | u64::from(inst.arg(1)?) << 32
    } else {
        inst.exactly(1)?;
        u64::from(inst.arg(0)?)
    };
    if let Some(value) = value {
        let mut bytes = [0; 8];
        let size = value.len().min(8);
        bytes[..size].copy_from_slice(&value[..size]);
        bits = u64::from_le_bytes(bytes);
    }
    Ok(Constant::Lanes(vec![eval::truncate(ty.scalar, bits)]))
}

/// Translates a literal sampler to the encoding of OpenCL C's constants.
fn sampler(inst: &Inst<'_>) -> Result<Constant, Error> {
    inst.exactly(3)?;
    let address = match inst.arg(0)? {
        0 => SamplerMask::ADDRESS_NONE,
        1 => SamplerMask::ADDRESS_EDGE,
        2 => SamplerMask::ADDRESS_CLAMP,
        3 => SamplerMask::ADDRESS_REPEAT,
        4 => SamplerMask::ADDRESS_MIRRORED,
        _ => return Err(inst.invalid("the addressing mode is unknown")),
    };
    let normalized = match inst.arg(1)? {
        0 => 0,
        1 => SamplerMask::NORMALIZED,
        _ => return Err(inst.invalid("the coordinates are neither normalized nor unnormalized")),
    };
    let filter = match inst.arg(2)? {
        0 => SamplerMask::NEAREST,
        1 => SamplerMask::LINEAR,
        _ => return Err(inst.invalid("the filter is unknown")),
    };
    Ok(Constant::Sampler(SamplerMask(address | normalized | filter)))
}
