//! Validation of the operand types of each instruction.

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{self as spv, Capability, MemoryAccess, Op, StorageClass};

use super::types::{Image, Kind, Ty};
use super::{Checked, Checker, id, ids_from, literal, refuse};

/// The memory semantics that state an order.
const ORDERS: u64 = 0x2 | 0x4 | 0x8 | 0x10;
/// The memory semantics for uniform memory, work-group memory and images.
const MEMORIES: u64 = 0x40 | 0x100 | 0x800;
/// The memory semantics MakeAvailable and MakeVisible.
const AVAILABLE: u64 = 0x2000;
const VISIBLE: u64 = 0x4000;

impl Checker<'_> {
    pub(super) fn body(&self, f: &Function) -> Checked {
        let result = f.def.as_ref().and_then(|d| d.result_type).unwrap_or(0);
        for (n, block) in f.blocks.iter().enumerate() {
            let mut variables = n == 0;
            for inst in &block.instructions {
                let is_variable = inst.class.opcode == Op::Variable;
                if is_variable && !variables {
                    return refuse(inst, "not at the start of its function");
                }
                variables &= is_variable;
                if !self.fits(inst, result)? {
                    return refuse(inst, "its operands do not fit");
                }
            }
        }
        Ok(())
    }

    /// Returns the component kind and the number of components of a value.
    fn value(&self, inst: &Instruction, n: usize) -> Checked<(Kind, u32)> {
        let ty = self.ty(inst, id(inst, n)?)?;
        match self.shape(ty) {
            Some(shape) => Ok(shape),
            None => refuse(inst, "an operand is no number"),
        }
    }

    fn computed(&self, inst: &Instruction, shape: (Kind, u32)) -> Checked {
        match self.computes(shape.0) {
            true => Ok(()),
            false => refuse(inst, "arithmetic on a type that is for storage only"),
        }
    }

    /// Returns whether a dot product has integers of 32 bits, and packed operands.
    fn packed_dot(&self, inst: &Instruction, ty: u32) -> Checked<bool> {
        let accumulates = matches!(
            inst.class.opcode,
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat
        );
        let numbers = if accumulates { 3 } else { 2 };
        for n in 0..numbers {
            if self.ty(inst, id(inst, n)?)? != ty {
                return Ok(false);
            }
        }
        let packed = Operand::PackedVectorFormat(spv::PackedVectorFormat::PackedVectorFormat4x8Bit);
        Ok(inst.operands.get(numbers) == Some(&packed)
            && inst.operands.len() == numbers + 1
            && self.shape(ty) == Some((Kind::Int(32), 1))
            && self.has(Capability::DotProduct)
            && self.has(Capability::DotProductInput4x8BitPacked))
    }

    #[allow(clippy::too_many_lines, reason = "one table")]
    fn fits(&self, inst: &Instruction, returns: u32) -> Checked<bool> {
        let op = inst.class.opcode;
        let ty = inst.result_type.unwrap_or(0);
        let count = inst.operands.len();
        let value = |n: usize| self.value(inst, n);
        let of = |n: usize| -> Checked<u32> { self.ty(inst, id(inst, n)?) };
        let result = self.shape(ty);
        let is_int = |s: (Kind, u32)| matches!(s.0, Kind::Int(_));
        let is_float = |s: (Kind, u32)| matches!(s.0, Kind::Float(_));
        let storage_only = matches!(
            op,
            Op::Load
                | Op::UConvert
                | Op::SConvert
                | Op::FConvert
                | Op::Variable
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::ConvertUToPtr
                | Op::CompositeExtract
        );
        if let Some(shape) = result.filter(|_| !storage_only) {
            self.computed(inst, shape)?;
        }
        Ok(match op {
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor => count == 2 && result.is_some_and(is_int) && of(0)? == ty && of(1)? == ty,
            Op::Not | Op::SNegate => count == 1 && result.is_some_and(is_int) && of(0)? == ty,
            Op::BitCount | Op::BitReverse => {
                count == 1 && matches!(result, Some((Kind::Int(32), _))) && of(0)? == ty
            }
            Op::BitFieldSExtract | Op::BitFieldUExtract => {
                count == 3
                    && matches!(result, Some((Kind::Int(32), _)))
                    && of(0)? == ty
                    && [value(1)?, value(2)?].iter().all(|&n| is_int(n) && n.1 == 1)
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let (by, n) = value(1)?;
                count == 2 && result.is_some_and(|r| is_int(r) && r.1 == n) && is_int((by, n)) && of(0)? == ty
            }
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
                count == 2 && result.is_some_and(is_float) && of(0)? == ty && of(1)? == ty
            }
            Op::FNegate => count == 1 && result.is_some_and(is_float) && of(0)? == ty,
            Op::IEqual
            | Op::INotEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
            | Op::SLessThan
            | Op::SLessThanEqual => {
                let a = value(0)?;
                self.computed(inst, a)?;
                count == 2 && is_int(a) && of(0)? == of(1)? && result == Some((Kind::Bool, a.1))
            }
            Op::FOrdEqual
            | Op::FOrdNotEqual
            | Op::FOrdGreaterThan
            | Op::FOrdGreaterThanEqual
            | Op::FOrdLessThan
            | Op::FOrdLessThanEqual
            | Op::FUnordEqual
            | Op::FUnordNotEqual
            | Op::FUnordGreaterThan
            | Op::FUnordGreaterThanEqual
            | Op::FUnordLessThan
            | Op::FUnordLessThanEqual => {
                let a = value(0)?;
                self.computed(inst, a)?;
                count == 2 && is_float(a) && of(0)? == of(1)? && result == Some((Kind::Bool, a.1))
            }
            Op::IsNan | Op::IsInf => {
                let a = value(0)?;
                self.computed(inst, a)?;
                count == 1 && is_float(a) && result == Some((Kind::Bool, a.1))
            }
            Op::LogicalAnd | Op::LogicalOr | Op::LogicalEqual | Op::LogicalNotEqual => {
                count == 2 && matches!(result, Some((Kind::Bool, _))) && of(0)? == ty && of(1)? == ty
            }
            Op::LogicalNot => count == 1 && matches!(result, Some((Kind::Bool, _))) && of(0)? == ty,
            Op::Any | Op::All => {
                let a = value(0)?;
                count == 1 && a.0 == Kind::Bool && a.1 > 1 && result == Some((Kind::Bool, 1))
            }
            Op::Select => {
                let (c, n) = value(0)?;
                let lanes = result.is_some_and(|r| r.1 == n || n == 1 && self.version.1 >= 4);
                count == 3 && c == Kind::Bool && lanes && of(1)? == ty && of(2)? == ty
            }
            Op::Dot => {
                let a = value(0)?;
                count == 2 && is_float(a) && a.1 > 1 && of(0)? == of(1)? && result == Some((a.0, 1))
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.packed_dot(inst, ty)?
            }
            Op::UConvert | Op::SConvert => {
                let a = value(0)?;
                count == 1 && is_int(a) && result.is_some_and(|r| is_int(r) && r.1 == a.1 && r.0 != a.0)
            }
            Op::FConvert => {
                let a = value(0)?;
                count == 1 && is_float(a) && result.is_some_and(|r| is_float(r) && r.1 == a.1 && r.0 != a.0)
            }
            Op::ConvertFToU | Op::ConvertFToS => {
                let a = value(0)?;
                self.computed(inst, a)?;
                count == 1 && is_float(a) && result.is_some_and(|r| is_int(r) && r.1 == a.1)
            }
            Op::ConvertUToF | Op::ConvertSToF => {
                let a = value(0)?;
                self.computed(inst, a)?;
                count == 1 && is_int(a) && result.is_some_and(|r| is_float(r) && r.1 == a.1)
            }
            // The words of a device address.
            Op::Bitcast
                if matches!(
                    self.types[&ty],
                    Ty::Pointer(StorageClass::PhysicalStorageBuffer, _)
                ) =>
            {
                count == 1 && value(0)? == (Kind::Int(32), 2)
            }
            Op::Bitcast => {
                let a = value(0)?;
                self.computed(inst, a)?;
                let bits = |(k, n): (Kind, u32)| match k {
                    Kind::Bool => 0,
                    Kind::Int(w) | Kind::Float(w) => w * n,
                    Kind::Signed => 32 * n,
                };
                count == 1 && bits(a) > 0 && result.is_some_and(|r| bits(r) == bits(a)) && of(0)? != ty
            }
            Op::ConvertUToPtr => {
                let to = matches!(
                    self.types[&ty],
                    Ty::Pointer(StorageClass::PhysicalStorageBuffer, _)
                );
                count == 1 && to && value(0)? == (Kind::Int(64), 1)
            }
            Op::UMulExtended | Op::SMulExtended => {
                let a = of(0)?;
                let word = matches!(self.shape(a), Some((Kind::Int(32), _)));
                count == 2 && word && of(1)? == a && self.types[&ty] == Ty::Struct(vec![a, a])
            }
            Op::CompositeConstruct => {
                let parts = ids_from(inst, 0)?;
                let types = parts
                    .iter()
                    .map(|p| self.ty(inst, *p))
                    .collect::<Checked<Vec<_>>>()?;
                self.made_of(ty, &types)
            }
            Op::CompositeExtract => count >= 2 && self.part(inst, of(0)?, 1)? == ty,
            Op::CompositeInsert => count >= 3 && of(1)? == ty && self.part(inst, ty, 2)? == of(0)?,
            Op::VectorExtractDynamic => {
                let a = value(0)?;
                let index = value(1)?;
                count == 2 && a.1 > 1 && result == Some((a.0, 1)) && matches!(index, (Kind::Int(32), 1))
            }
            Op::VectorInsertDynamic => {
                let part = value(1)?;
                let good = result.is_some_and(|r| r.1 > 1 && part == (r.0, 1));
                count == 3 && of(0)? == ty && good && matches!(value(2)?, (Kind::Int(32), 1))
            }
            Op::VectorShuffle => {
                let (a, b) = (value(0)?, value(1)?);
                let lanes = (2..count)
                    .map(|n| literal(inst, n))
                    .collect::<Checked<Vec<_>>>()?;
                let good = lanes.iter().all(|l| *l < a.1 + b.1 || *l == u32::MAX);
                good && a.1 > 1
                    && b.1 > 1
                    && a.0 == b.0
                    && lanes.len() > 1
                    && result == Some((a.0, lanes.len() as u32))
            }
            Op::Phi => result.is_some() && count >= 2 && count.is_multiple_of(2),
            Op::Undef => result.is_some() && count == 0,
            Op::Variable => {
                inst.operands == [Operand::StorageClass(StorageClass::Function)]
                    && matches!(self.types[&ty], Ty::Pointer(StorageClass::Function, _))
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(inst, ty)?,
            Op::Load => {
                let Ty::Pointer(class, to) = self.types[&of(0)?] else {
                    return Ok(false);
                };
                let data = !matches!(self.types[&to], Ty::RuntimeArray(_)) && !self.has_runtime_array(to);
                to == ty && data && self.memory_operands(inst, 1, class, false)?
            }
            Op::Store => {
                let Ty::Pointer(class, to) = self.types[&of(0)?] else {
                    return Ok(false);
                };
                let writable = matches!(
                    class,
                    StorageClass::Function
                        | StorageClass::Private
                        | StorageClass::Workgroup
                        | StorageClass::StorageBuffer
                        | StorageClass::PhysicalStorageBuffer
                );
                let data = !self.has_runtime_array(to);
                of(1)? == to && data && writable && self.memory_operands(inst, 2, class, true)?
            }
            Op::AtomicLoad
            | Op::AtomicExchange
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicStore
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement => self.atomic(inst, ty)?,
            Op::ControlBarrier => {
                let execution = self.constant(inst, id(inst, 0)?)?;
                let good = execution == 2 || execution == 3 && self.has(Capability::GroupNonUniform);
                count == 3 && good && self.ordered(inst, 1, 2, true)?
            }
            Op::MemoryBarrier => {
                let strong = self.constant(inst, id(inst, 1)?)? & ORDERS != 0;
                count == 2 && strong && self.ordered(inst, 0, 1, false)?
            }
            Op::FunctionCall => {
                let Ty::Function { result, params } = &self.types[&of(0)?] else {
                    return Ok(false);
                };
                let args = ids_from(inst, 1)?;
                let types = args
                    .iter()
                    .map(|a| self.ty(inst, *a))
                    .collect::<Checked<Vec<_>>>()?;
                let pointers = args.iter().zip(&types).all(|(a, t)| {
                    !matches!(self.types[t], Ty::Pointer(..))
                        || self
                            .defs
                            .get(a)
                            .is_some_and(|d| matches!(d.class.opcode, Op::Variable | Op::FunctionParameter))
                });
                *result == ty && types == *params && pointers
            }
            Op::ExtInst => self.extended(inst, ty)?,
            Op::SampledImage => {
                let image = of(0)?;
                count == 2 && self.types[&ty] == Ty::SampledImage(image) && self.types[&of(1)?] == Ty::Sampler
            }
            Op::ImageSampleExplicitLod => {
                let Ty::SampledImage(image) = self.types[&of(0)?] else {
                    return Ok(false);
                };
                let Ty::Image(i) = &self.types[&image] else {
                    return Ok(false);
                };
                let (k, n) = value(1)?;
                let direct = self
                    .defs
                    .get(&id(inst, 0)?)
                    .is_some_and(|d| d.class.opcode == Op::SampledImage);
                let lod = inst.operands.get(2) == Some(&Operand::ImageOperands(spv::ImageOperands::LOD));
                let coordinate = k == Kind::Float(32) && n >= lanes(i) && n <= 4;
                direct
                    && coordinate
                    && lod
                    && count == 4
                    && value(3)? == (Kind::Float(32), 1)
                    && self.texel(ty, i)
            }
            Op::ImageFetch | Op::ImageRead => {
                let Ty::Image(i) = &self.types[&of(0)?] else {
                    return Ok(false);
                };
                let (k, n) = value(1)?;
                let lod = inst.operands.get(2) == Some(&Operand::ImageOperands(spv::ImageOperands::LOD));
                if op == Op::ImageRead {
                    let known = i.format != spv::ImageFormat::Unknown;
                    let readable = known || self.has(Capability::StorageImageReadWithoutFormat);
                    return Ok(!i.sampled
                        && readable
                        && k == Kind::Int(32)
                        && n >= lanes(i)
                        && n <= 4
                        && self.texel_operands(inst, 2)
                        && self.texel(ty, i));
                }
                let extra = match count {
                    2 => true,
                    4 => lod && i.dim != spv::Dim::DimBuffer && value(3)? == (Kind::Int(32), 1),
                    _ => false,
                };
                i.sampled && k == Kind::Int(32) && n >= lanes(i) && n <= 4 && extra && self.texel(ty, i)
            }
            Op::ImageWrite => {
                let Ty::Image(i) = &self.types[&of(0)?] else {
                    return Ok(false);
                };
                let (k, n) = value(1)?;
                let texel = self.shape(i.sampled_type).map(|s| (s.0, 4));
                let formats = self.has(Capability::StorageImageWriteWithoutFormat);
                !i.sampled
                    && formats
                    && k == Kind::Int(32)
                    && n >= lanes(i)
                    && n <= 4
                    && self.texel_operands(inst, 3)
                    && Some(value(2)?) == texel
            }
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                let Ty::Image(i) = &self.types[&of(0)?] else {
                    return Ok(false);
                };
                let with_lod = i.sampled && i.dim != spv::Dim::DimBuffer;
                let good = match op {
                    Op::ImageQuerySizeLod => count == 2 && with_lod && value(1)? == (Kind::Int(32), 1),
                    _ => count == 1 && !with_lod,
                };
                good && self.has(Capability::ImageQuery) && result == Some((Kind::Int(32), lanes(i)))
            }
            Op::ReadClockKHR => {
                let long = matches!(result, Some((Kind::Int(64), 1) | (Kind::Int(32), 2)));
                let scope = self.constant(inst, id(inst, 0)?)?;
                long && count == 1 && matches!(scope, 1 | 3) && self.has(Capability::ShaderClockKHR)
            }
            Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
                let bools = result == Some((Kind::Bool, 1)) && count == 2 && of(1)? == ty;
                bools && self.has(Capability::GroupNonUniformVote) && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformBroadcast => {
                let lane = id(inst, 2)?;
                let constant = self
                    .defs
                    .get(&lane)
                    .is_some_and(|d| d.class.opcode == Op::Constant);
                let good = result.is_some() && count == 3 && of(1)? == ty && value(2)? == (Kind::Int(32), 1);
                good && (constant || self.version.1 >= 5)
                    && self.has(Capability::GroupNonUniformBallot)
                    && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => {
                let good = result.is_some() && count == 3 && of(1)? == ty && value(2)? == (Kind::Int(32), 1);
                good && self.has(Capability::GroupNonUniformShuffle) && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformBallot => {
                let good = result == Some((Kind::Int(32), 4)) && count == 2 && value(1)? == (Kind::Bool, 1);
                good && self.has(Capability::GroupNonUniformBallot) && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformBallotBitCount => {
                let good =
                    result == Some((Kind::Int(32), 1)) && count == 3 && value(2)? == (Kind::Int(32), 4);
                good && self.has(Capability::GroupNonUniformBallot)
                    && self.plain_group(inst)
                    && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformIAdd
            | Op::GroupNonUniformUMin
            | Op::GroupNonUniformUMax
            | Op::GroupNonUniformSMin
            | Op::GroupNonUniformSMax => {
                let good = result.is_some_and(is_int) && count == 3 && of(2)? == ty;
                good && self.has(Capability::GroupNonUniformArithmetic)
                    && self.plain_group(inst)
                    && self.in_subgroup(inst)?
            }
            Op::GroupNonUniformFAdd | Op::GroupNonUniformFMin | Op::GroupNonUniformFMax => {
                let good = result.is_some_and(is_float) && count == 3 && of(2)? == ty;
                good && self.has(Capability::GroupNonUniformArithmetic)
                    && self.plain_group(inst)
                    && self.in_subgroup(inst)?
            }
            Op::Return => self.types[&returns] == Ty::Void,
            Op::ReturnValue => count == 1 && of(0)? == returns && self.types[&returns] != Ty::Void,
            Op::Unreachable => true,
            Op::Branch => count == 1,
            Op::BranchConditional => {
                let differ = self.version.1 < 6 || id(inst, 1)? != id(inst, 2)?;
                count == 3 && value(0)? == (Kind::Bool, 1) && differ
            }
            Op::Switch => {
                let (Kind::Int(width), 1) = value(0)? else {
                    return Ok(false);
                };
                self.computed(inst, (Kind::Int(width), 1))?;
                let cases: Vec<&Operand> = inst.operands.iter().skip(2).step_by(2).collect();
                let good = cases.iter().all(|c| match c {
                    Operand::LiteralBit32(_) => width == 32,
                    Operand::LiteralBit64(_) => width == 64,
                    _ => false,
                });
                let distinct = cases.iter().enumerate().all(|(n, c)| !cases[..n].contains(c));
                good && distinct && count.is_multiple_of(2)
            }
            Op::SelectionMerge => {
                let control = inst.operands.get(1);
                count == 2
                    && matches!(control, Some(Operand::SelectionControl(c))
                        if c.bits() < 3)
            }
            Op::LoopMerge => {
                let control = inst.operands.get(2);
                count == 3 && matches!(control, Some(Operand::LoopControl(c)) if c.bits() < 3)
            }
            Op::Line | Op::NoLine => false,
            _ => return refuse(inst, "not known here"),
        })
    }

    fn plain_group(&self, inst: &Instruction) -> bool {
        use spv::GroupOperation as G;
        matches!(
            inst.operands.get(1),
            Some(Operand::GroupOperation(
                G::Reduce | G::InclusiveScan | G::ExclusiveScan
            ))
        )
    }

    fn in_subgroup(&self, inst: &Instruction) -> Checked<bool> {
        Ok(self.constant(inst, id(inst, 0)?)? == 3)
    }

    /// Returns whether an access to a storage image, with `count` operands, has no more, or only that the access is not
    /// private.
    fn texel_operands(&self, inst: &Instruction, count: usize) -> bool {
        let private = Operand::ImageOperands(spv::ImageOperands::NON_PRIVATE_TEXEL);
        match inst.operands.get(count..) {
            Some([]) => true,
            Some([operand]) => *operand == private && self.vulkan_memory,
            _ => false,
        }
    }

    fn texel(&self, ty: u32, i: &Image) -> bool {
        self.shape(ty) == self.shape(i.sampled_type).map(|s| (s.0, 4))
    }

    fn has_runtime_array(&self, ty: u32) -> bool {
        match &self.types[&ty] {
            Ty::RuntimeArray(_) => true,
            Ty::Struct(members) => members
                .iter()
                .any(|m| matches!(self.types[m], Ty::RuntimeArray(_))),
            _ => false,
        }
    }

    /// Returns the type of the part of a composite that literal indices select.
    fn part(&self, inst: &Instruction, whole: u32, from: usize) -> Checked<u32> {
        let mut ty = whole;
        for n in from..inst.operands.len() {
            let index = literal(inst, n)?;
            ty = match &self.types[&ty] {
                Ty::Vector(of, n) if index < *n => *of,
                Ty::Struct(members) if (index as usize) < members.len() => members[index as usize],
                Ty::Array(of, n) => match self.defs[n].operands.first() {
                    Some(Operand::LiteralBit32(v))
                        if index < *v && self.defs[n].class.opcode == Op::Constant =>
                    {
                        *of
                    }
                    _ => return refuse(inst, "an index out of bounds"),
                },
                _ => return refuse(inst, "an index out of bounds"),
            };
        }
        Ok(ty)
    }

    fn chain(&self, inst: &Instruction, ty: u32) -> Checked<bool> {
        let Ty::Pointer(class, mut to) = self.types[&self.ty(inst, id(inst, 0)?)?] else {
            return Ok(false);
        };
        for n in 1..inst.operands.len() {
            let index = id(inst, n)?;
            if !self.is_int(self.ty(inst, index)?) {
                return Ok(false);
            }
            to = match &self.types[&to] {
                Ty::Vector(of, _) | Ty::Array(of, _) | Ty::RuntimeArray(of) => *of,
                Ty::Struct(members) => {
                    let at = self.constant(inst, index)?;
                    let word = matches!(self.types[&self.type_of[&index]], Ty::Int(32));
                    match members.get(at as usize) {
                        Some(m) if word => *m,
                        _ => return Ok(false),
                    }
                }
                _ => return Ok(false),
            };
        }
        Ok(inst.operands.len() > 1 && self.types[&ty] == Ty::Pointer(class, to))
    }

    fn memory_operands(
        &self,
        inst: &Instruction,
        at: usize,
        class: StorageClass,
        store: bool,
    ) -> Checked<bool> {
        let physical = class == StorageClass::PhysicalStorageBuffer;
        let Some(Operand::MemoryAccess(mask)) = inst.operands.get(at) else {
            return Ok(inst.operands.len() == at && !physical);
        };
        let direction = if store {
            MemoryAccess::MAKE_POINTER_AVAILABLE
        } else {
            MemoryAccess::MAKE_POINTER_VISIBLE
        };
        let allowed =
            MemoryAccess::VOLATILE | MemoryAccess::ALIGNED | MemoryAccess::NON_PRIVATE_POINTER | direction;
        if !allowed.contains(*mask) {
            return Ok(false);
        }
        let mut next = at + 1;
        if mask.contains(MemoryAccess::ALIGNED) {
            if !literal(inst, next)?.is_power_of_two() {
                return Ok(false);
            }
            next += 1;
        } else if physical {
            return Ok(false);
        }
        let vulkan = MemoryAccess::NON_PRIVATE_POINTER | direction;
        if mask.intersects(vulkan) && !self.vulkan_memory {
            return Ok(false);
        }
        let shared = physical
            || matches!(
                class,
                StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::Workgroup
            );
        if mask.contains(MemoryAccess::NON_PRIVATE_POINTER) && !shared {
            return Ok(false);
        }
        if mask.contains(direction) {
            let scope = self.constant(inst, id(inst, next)?)?;
            if !mask.contains(MemoryAccess::NON_PRIVATE_POINTER) || !self.scope(scope) {
                return Ok(false);
            }
            next += 1;
        }
        Ok(inst.operands.len() == next)
    }

    /// Checks a memory scope: device, work-group, sub-group, invocation, or queue family.
    fn scope(&self, scope: u64) -> bool {
        match scope {
            1 => !self.vulkan_memory || self.has(Capability::VulkanMemoryModelDeviceScope),
            2 => true,
            3 => self.has(Capability::GroupNonUniform),
            5 => self.vulkan_memory,
            _ => false,
        }
    }

    /// Checks the scope and the semantics of a barrier or an atomic operation.
    fn ordered(&self, inst: &Instruction, scope: usize, semantics: usize, may_relax: bool) -> Checked<bool> {
        let scope = self.constant(inst, id(inst, scope)?)?;
        let s = self.constant(inst, id(inst, semantics)?)?;
        let order = s & ORDERS;
        let known = s & !(ORDERS | MEMORIES | AVAILABLE | VISIBLE) == 0;
        let one = order.count_ones() <= 1 && order != 0x10;
        let relaxed = order == 0;
        let extra = s & (AVAILABLE | VISIBLE);
        let good_extra = extra == 0
            || self.vulkan_memory
                && !relaxed
                && (s & AVAILABLE == 0 || order & 0xc != 0)
                && (s & VISIBLE == 0 || order & 0xa != 0);
        let memories = if relaxed { s == 0 } else { s & MEMORIES != 0 };
        Ok(known && one && good_extra && memories && (may_relax || !relaxed) && self.scope(scope))
    }

    fn atomic(&self, inst: &Instruction, ty: u32) -> Checked<bool> {
        let op = inst.class.opcode;
        let count = inst.operands.len();
        let Ty::Pointer(class, to) = self.types[&self.ty(inst, id(inst, 0)?)?] else {
            return Ok(false);
        };
        let shared = matches!(
            class,
            StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Workgroup
        );
        let width = match self.types[&to] {
            Ty::Int(32) => true,
            Ty::Int(64) => self.has(Capability::Int64Atomics),
            _ => false,
        };
        if !shared || !width || !self.ordered(inst, 1, 2, true)? {
            return Ok(false);
        }
        let order = self.constant(inst, id(inst, 2)?)? & ORDERS;
        let of = |n: usize| -> Checked<u32> { self.ty(inst, id(inst, n)?) };
        Ok(match op {
            Op::AtomicLoad => count == 3 && ty == to && order & 0xc == 0,
            Op::AtomicIIncrement | Op::AtomicIDecrement => count == 3 && ty == to,
            Op::AtomicStore => count == 4 && of(3)? == to && order & 0xa == 0,
            Op::AtomicCompareExchange => {
                let unequal = self.constant(inst, id(inst, 3)?)? & ORDERS;
                let both = self.ordered(inst, 1, 3, true)?;
                count == 6
                    && ty == to
                    && of(4)? == ty
                    && of(5)? == ty
                    && both
                    && unequal & 0xc == 0
                    && unequal <= order
            }
            _ => count == 4 && ty == to && of(3)? == ty,
        })
    }

    /// Checks the instructions of GLSL.std.450 and of sets that have no effect on the code.
    fn extended(&self, inst: &Instruction, ty: u32) -> Checked<bool> {
        let set = id(inst, 0)?;
        let Some(Operand::LiteralExtInstInteger(number)) = inst.operands.get(1) else {
            return Ok(false);
        };
        if !self.glsl.contains(&set) {
            return refuse(inst, "not an instruction of GLSL.std.450");
        }
        let Some(result) = self.shape(ty) else {
            return Ok(false);
        };
        let args = ids_from(inst, 2)?;
        let same = |n: usize| -> Checked<bool> {
            for a in &args {
                if self.ty(inst, *a)? != ty {
                    return Ok(false);
                }
            }
            Ok(args.len() == n)
        };
        let float = matches!(result.0, Kind::Float(_));
        let single = matches!(result.0, Kind::Float(16 | 32));
        let int = matches!(result.0, Kind::Int(_));
        Ok(match number {
            // Round … Fract, Sqrt, InverseSqrt
            1 | 2 | 3 | 4 | 6 | 8 | 9 | 10 | 31 | 32 => float && same(1)?,
            5 | 7 => int && same(1)?,
            // Sin … Atanh, Exp, Log, Exp2, Log2
            11..=24 | 27..=30 => single && same(1)?,
            25 | 26 => single && same(2)?,
            // FMin, FMax, NMin, NMax
            37 | 40 | 79 | 80 => float && same(2)?,
            38 | 39 | 41 | 42 => int && same(2)?,
            43 | 46 | 50 | 81 => float && same(3)?,
            44 | 45 => int && same(3)?,
            // Ldexp
            53 => {
                let by = args.get(1).and_then(|a| self.shape(*self.type_of.get(a)?));
                let first = args.first().and_then(|a| self.type_of.get(a)) == Some(&ty);
                float && args.len() == 2 && first && by == Some((Kind::Int(32), result.1))
            }
            // PackHalf2x16, UnpackHalf2x16
            58 => {
                let from = args.first().and_then(|a| self.shape(*self.type_of.get(a)?));
                args.len() == 1 && result == (Kind::Int(32), 1) && from == Some((Kind::Float(32), 2))
            }
            62 => {
                let from = args.first().and_then(|a| self.shape(*self.type_of.get(a)?));
                args.len() == 1 && result == (Kind::Float(32), 2) && from == Some((Kind::Int(32), 1))
            }
            // FindILsb, FindSMsb, FindUMsb
            73..=75 => result.0 == Kind::Int(32) && same(1)?,
            _ => {
                return refuse(
                    inst,
                    &format!("instruction {number} of GLSL.std.450 is not known here"),
                );
            }
        })
    }
}

/// Returns the number of components of a coordinate.
fn lanes(i: &Image) -> u32 {
    let dims = match i.dim {
        spv::Dim::Dim2D => 2,
        spv::Dim::Dim3D => 3,
        _ => 1,
    };
    dims + u32::from(i.arrayed)
}
