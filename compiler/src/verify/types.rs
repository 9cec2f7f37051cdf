//! Rules for the operand and result types of each operation.

use super::{Fault, matrix};
use crate::intrinsic::{AtomicOp, ImageShape, Intrinsic, SubgroupOp, Texel};
use crate::ir::inst::derived_type;
use crate::ir::{
    Access, AddressSpace, BinOp, CastOp, CmpOp, Func, Function, Inst, InstData, Module, Op, Scalar, Storage,
    Ty, UnOp,
};
use std::collections::BTreeSet;

/// Returns whether a value can have this type.
pub(super) fn check_type(ty: Ty) -> Result<(), String> {
    let lanes_exist = matches!(ty.lanes, 1 | 2 | 3 | 4 | 8 | 16);
    let has_vectors = ty.scalar.is_int() || ty.scalar.is_float() || ty.scalar == Scalar::Bool;
    if lanes_exist && (has_vectors || ty.lanes == 1) {
        Ok(())
    } else {
        Err(format!("there is no type {ty} (of {} lanes)", ty.lanes))
    }
}

pub(super) type Check = Result<(), String>;

pub(super) fn require(holds: bool, what: &str) -> Check {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// Checks the operands and the result of an instruction whose operands exist.
pub(super) fn check(module: &Module, func: &Function, inst: Inst) -> Check {
    let data = &func.insts[inst];
    let args: Vec<Ty> = data.args.iter().map(|&v| func.ty(v)).collect();
    let results: Vec<Ty> = data.results.iter().map(|&v| func.ty(v)).collect();
    count(data, &args, &results)?;
    let may_not_wrap =
        matches!(data.op, Op::Binary(BinOp::IAdd | BinOp::ISub | BinOp::IMul)) && !args[0].is_vector();
    require(
        !data.no_wrap || may_not_wrap,
        "only sums, differences and products of scalars are no_wrap",
    )?;
    match &data.op {
        Op::Binary(op) => binary(*op, &args),
        Op::Unary(op) => unary(*op, args[0]),
        Op::Compare(op) => compare(*op, &args),
        Op::Cast(op) => cast(*op, args[0], results[0]),
        Op::Select
        | Op::Construct
        | Op::Splat
        | Op::Extract(_)
        | Op::ExtractDynamic
        | Op::Insert(_)
        | Op::InsertDynamic
        | Op::Shuffle(_) => lanes(&data.op, &args, results[0]),
        Op::Alloca { align, .. } => require(align.is_power_of_two(), "the alignment is no power of two"),
        Op::Variable { elem, .. } => {
            check_type(*elem)?;
            // A Bool in a private variable needs no memory layout.
            require(
                elem.bytes() > 0 || *elem == Ty::BOOL,
                "the element cannot be in memory",
            )
        }
        Op::GlobalAddr(g) => match module.globals.get(*g) {
            Some(global) => require(
                results[0] == Ty::ptr(global.space),
                "the result is no pointer to its space",
            ),
            None => Err("there is no such global".into()),
        },
        Op::PtrAdd => require(
            args[0].scalar.is_ptr() && matches!(args[1], Ty::I32 | Ty::I64),
            "needs a pointer and an i64 or i32",
        ),
        Op::Load(a) => {
            pointer(args[0], false)?;
            access(*a)?;
            storable(results[0])
        }
        Op::Store(a) => {
            pointer(args[0], true)?;
            access(*a)?;
            storable(args[1])
        }
        Op::MemCpy { dst, src, .. } => {
            pointer(args[0], true)?;
            pointer(args[1], false)?;
            access(*dst)?;
            access(*src)
        }
        Op::MemZero { dst, .. } => {
            pointer(args[0], true)?;
            access(*dst)
        }
        Op::LoadFrom(storage, a) => {
            access(*a)?;
            location(*storage, &args, results[0], false)
        }
        Op::StoreTo(storage, a) => {
            access(*a)?;
            location(*storage, &args, args[args.len() - 1], true)
        }
        Op::AtomicOn(op, storage) => {
            let operands = &args[storage.operands()..];
            let ty = results.first().or(operands.first()).copied().unwrap_or(Ty::I32);
            require(
                matches!(
                    storage,
                    Storage::Physical | Storage::Arena(_) | Storage::Buffer(..) | Storage::Shared(..)
                ),
                "no atomics in this storage",
            )?;
            location(*storage, &args, ty, true)?;
            atomic(*op, operands, &results)
        }
        Op::Call(callee) | Op::CallPure(callee) => call(module, *callee, &args, &results),
        Op::MatrixOn(access, storage) => matrix::access(access, *storage, &args, &results),
        Op::Intrinsic(Intrinsic::Matrix(op)) => matrix::check(*op, &args, &results),
        Op::Intrinsic(i) => intrinsic(*i, &args, &results),
        Op::If => require(args[0] == Ty::BOOL, "the condition is no bool"),
        Op::Switch(cases) => switch(cases, args[0]),
        Op::Block | Op::Loop | Op::Exit(_) | Op::Repeat(_) | Op::Return | Op::Unreachable => Ok(()),
    }
    .and_then(|()| match derived_type(&data.op, &args) {
        Some(ty) => require(
            results == [ty],
            "the result does not have the type that follows from the operands",
        ),
        None => Ok(()),
    })
}

/// Checks an operation that chooses or rearranges lanes of its operands.
fn lanes(op: &Op, args: &[Ty], result: Ty) -> Check {
    match op {
        Op::Select => {
            require(args[1] == args[2], "the two values differ in type")?;
            require(args[1].scalar.matrix().is_none(), "matrices cannot be selected")?;
            let cond = args[0];
            require(
                cond == Ty::BOOL || cond == Ty::vector(Scalar::Bool, args[1].lanes),
                "the condition is no bool",
            )
        }
        Op::Construct => {
            let total: u32 = args.iter().map(|t| u32::from(t.lanes)).sum();
            require(
                args.iter().all(|t| t.scalar == result.scalar),
                "a part is of another scalar type",
            )?;
            require(
                result.is_vector() && total == u32::from(result.lanes),
                "the number of lanes is wrong",
            )
        }
        Op::Splat => require(
            result.is_vector() && args[0] == Ty::of(result.scalar),
            "the operand is no scalar of the result's type",
        ),
        Op::Extract(lane) => require(
            args[0].is_vector() && *lane < args[0].lanes,
            "there is no such lane",
        ),
        Op::ExtractDynamic => require(
            args[0].is_vector() && args[1] == Ty::I32,
            "needs a vector and an i32",
        ),
        Op::Insert(lane) => {
            require(
                args[0].is_vector() && *lane < args[0].lanes,
                "there is no such lane",
            )?;
            require(args[1] == Ty::of(args[0].scalar), "the scalar is of another type")
        }
        Op::InsertDynamic => {
            require(
                args[0].is_vector() && args[2] == Ty::I32,
                "needs a vector and an i32",
            )?;
            require(args[1] == Ty::of(args[0].scalar), "the scalar is of another type")
        }
        Op::Shuffle(mask) => {
            require(
                args[0].is_vector() && args[0] == args[1],
                "needs two vectors of one type",
            )?;
            require(mask.len() > 1, "the result is no vector")?;
            let in_range = |&l: &u8| l == 0xff || u32::from(l) < 2 * u32::from(args[0].lanes);
            require(mask.iter().all(in_range), "there is no such lane")
        }
        _ => Err("this is no operation on lanes".into()),
    }
}

/// Checks the arguments and results of a call against the function.
fn call(module: &Module, callee: Func, args: &[Ty], results: &[Ty]) -> Check {
    let Some(f) = module.funcs.get(callee) else {
        return Err("there is no such function".into());
    };
    let params: Vec<Ty> = f.params.iter().map(|&p| f.ty(p)).collect();
    require(args == params, "the arguments are not of the parameters' types")?;
    require(
        results == f.results,
        "the results are not of the function's types",
    )
}

/// Checks the numbers of operands and results of operations for which they are fixed.
fn count(data: &InstData, args: &[Ty], results: &[Ty]) -> Check {
    let (want_args, want_results) = match &data.op {
        Op::Binary(_) | Op::Compare(_) | Op::ExtractDynamic | Op::Insert(_) | Op::Shuffle(_) | Op::PtrAdd => {
            (2, 1)
        }
        Op::Unary(_) | Op::Cast(_) | Op::Splat | Op::Extract(_) | Op::Load(_) => (1, 1),
        Op::Select | Op::InsertDynamic => (3, 1),
        Op::Construct => (args.len(), 1),
        Op::Alloca { .. } | Op::GlobalAddr(_) | Op::Variable { .. } => (0, 1),
        Op::Store(_) | Op::MemCpy { .. } => (2, 0),
        Op::MemZero { .. } => (1, 0),
        Op::LoadFrom(storage, _) => (storage.operands(), 1),
        Op::StoreTo(storage, _) => (storage.operands() + 1, 0),
        Op::AtomicOn(_, storage) => (args.len().max(storage.operands()), results.len()),
        Op::MatrixOn(access, storage) => (
            storage.operands() + 1 + usize::from(access.stores),
            usize::from(!access.stores),
        ),
        Op::Block => (0, results.len()),
        Op::If | Op::Switch(_) => (1, results.len()),
        Op::Loop | Op::Call(_) | Op::CallPure(_) | Op::Intrinsic(_) => (args.len(), results.len()),
        Op::Exit(_) | Op::Repeat(_) => (args.len(), 0),
        Op::Return => (args.len(), 0),
        Op::Unreachable => (0, 0),
    };
    require(args.len() == want_args, "the number of operands is wrong")?;
    require(results.len() == want_results, "the number of results is wrong")
}

fn binary(op: BinOp, args: &[Ty]) -> Check {
    require(args[0] == args[1], "the operands differ in type")?;
    let scalar = args[0].scalar;
    let fits = match op {
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => scalar.is_float(),
        BinOp::And | BinOp::Or | BinOp::Xor => scalar.is_int() || scalar == Scalar::Bool,
        BinOp::IAdd
        | BinOp::ISub
        | BinOp::IMul
        | BinOp::SDiv
        | BinOp::UDiv
        | BinOp::SRem
        | BinOp::URem
        | BinOp::Shl
        | BinOp::AShr
        | BinOp::LShr => scalar.is_int(),
    };
    require(fits, "the operation does not exist for this type")
}

fn unary(op: UnOp, arg: Ty) -> Check {
    let fits = match op {
        UnOp::INeg => arg.scalar.is_int(),
        UnOp::Not => arg.scalar.is_int() || arg.scalar == Scalar::Bool,
        UnOp::FNeg => arg.scalar.is_float(),
    };
    require(fits, "the operation does not exist for this type")
}

fn compare(op: CmpOp, args: &[Ty]) -> Check {
    require(args[0] == args[1], "the operands differ in type")?;
    let scalar = args[0].scalar;
    let fits = match op {
        CmpOp::IEq | CmpOp::INe => scalar.is_int() || scalar.is_ptr() || scalar == Scalar::Bool,
        CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe => scalar.is_int() || scalar.is_ptr(),
        CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => scalar.is_int(),
        CmpOp::FOEq
        | CmpOp::FONe
        | CmpOp::FOLt
        | CmpOp::FOLe
        | CmpOp::FOGt
        | CmpOp::FOGe
        | CmpOp::FUNe
        | CmpOp::FUEq
        | CmpOp::FULt
        | CmpOp::FULe
        | CmpOp::FUGt
        | CmpOp::FUGe => scalar.is_float(),
    };
    require(fits, "the operation does not exist for this type")
}

fn cast(op: CastOp, from: Ty, to: Ty) -> Check {
    let (a, b) = (from.scalar, to.scalar);
    let fits = match op {
        CastOp::Trunc => a.is_int() && b.is_int() && b.bits() < a.bits(),
        CastOp::ZExt | CastOp::SExt => (a.is_int() || a == Scalar::Bool) && b.is_int() && b.bits() > a.bits(),
        CastOp::FConvert => a.is_float() && b.is_float() && a != b,
        CastOp::FToS | CastOp::FToU => a.is_float() && b.is_int(),
        CastOp::SToF | CastOp::UToF => a.is_int() && b.is_float(),
        CastOp::Bitcast => {
            let plain = |s: Scalar| s.is_int() || s.is_float();
            require(plain(a) && plain(b), "the operation does not exist for this type")?;
            return require(from.bytes() == to.bytes(), "the sizes differ");
        }
        CastOp::PtrToInt => a.is_ptr() && to == Ty::I64,
        CastOp::IntToPtr => from == Ty::I64 && b.is_ptr(),
        CastOp::PtrCast => matches!(
            (a, b),
            (
                Scalar::Ptr(AddressSpace::Global | AddressSpace::Constant),
                Scalar::Ptr(AddressSpace::Global | AddressSpace::Constant)
            ) | (
                Scalar::Ptr(AddressSpace::Private | AddressSpace::Local | AddressSpace::Global),
                Scalar::Ptr(AddressSpace::Generic)
            ) | (
                Scalar::Ptr(AddressSpace::Generic),
                Scalar::Ptr(AddressSpace::Private | AddressSpace::Local | AddressSpace::Global)
            )
        ),
    };
    require(fits, "the conversion does not exist for these types")?;
    require(from.lanes == to.lanes, "the numbers of lanes differ")
}

pub(super) fn pointer(ty: Ty, written: bool) -> Check {
    match ty.space() {
        None => Err("the address is no pointer".into()),
        Some(AddressSpace::Constant | AddressSpace::Push | AddressSpace::Args) if written => {
            Err("the memory cannot be written".into())
        }
        Some(_) => Ok(()),
    }
}

fn access(a: Access) -> Check {
    require(a.align.is_power_of_two(), "the alignment is no power of two")
}

fn storable(ty: Ty) -> Check {
    require(ty.bytes() > 0, "a value of this type cannot be in memory")
}

/// Checks the operands that give the location, and the accessed type.
pub(super) fn location(storage: Storage, args: &[Ty], accessed: Ty, written: bool) -> Check {
    match storage {
        Storage::Physical => {
            let words = Ty::vector(Scalar::I32, 2);
            require(
                args[0] == Ty::I64 || args[0] == words,
                "the address has no 64 bits",
            )?;
            require(!accessed.scalar.is_ptr(), "a pointer is no value any more")?;
            storable(accessed)
        }
        Storage::Arena(elem)
        | Storage::Buffer(_, elem)
        | Storage::Shared(_, elem)
        | Storage::ReadOnly(_, elem) => {
            require(args[0] == Ty::I32, "the index is no i32")?;
            require(accessed == elem, "the accessed type is not the element type")?;
            let read_only = matches!(storage, Storage::ReadOnly(..));
            require(!(written && read_only), "the memory cannot be written")
        }
        Storage::Variable => {
            require(
                args[0] == Ty::ptr(AddressSpace::Private),
                "the variable is no private pointer",
            )?;
            require(args[1] == Ty::I32, "the index is no i32")
        }
        Storage::PushWord | Storage::ArgsWord => {
            require(
                args[0] == Ty::I32 && accessed == Ty::I32,
                "needs an i32 index and an i32",
            )?;
            require(!written, "the memory cannot be written")
        }
    }
}

fn atomic(op: AtomicOp, operands: &[Ty], results: &[Ty]) -> Check {
    let is_word = |t: &Ty| matches!(*t, Ty::I32 | Ty::I64);
    let fits = match op {
        AtomicOp::Load => operands.is_empty() && results.len() == 1 && is_word(&results[0]),
        AtomicOp::Store => operands.len() == 1 && results.is_empty() && is_word(&operands[0]),
        AtomicOp::CmpXchg => {
            operands.len() == 2
                && is_word(&operands[0])
                && operands[0] == operands[1]
                && results == &operands[..1]
        }
        AtomicOp::Add
        | AtomicOp::Sub
        | AtomicOp::Xchg
        | AtomicOp::SMin
        | AtomicOp::SMax
        | AtomicOp::UMin
        | AtomicOp::UMax
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => operands.len() == 1 && is_word(&operands[0]) && results == operands,
    };
    require(fits, "the operands or the result do not fit the atomic operation")
}

fn switch(cases: &[Vec<u64>], selector: Ty) -> Check {
    require(
        selector.scalar.is_int() && !selector.is_vector(),
        "the selector is no integer",
    )?;
    let bits = selector.scalar.bits();
    let mut seen = BTreeSet::new();
    for &v in cases.iter().flatten() {
        require(
            bits == 64 || v >> bits == 0,
            "a case value does not fit the selector",
        )?;
        require(seen.insert(v), "a case value occurs twice")?;
    }
    require(cases.iter().all(|c| !c.is_empty()), "a case has no value")
}

#[allow(clippy::too_many_lines, reason = "a table with one row for each intrinsic")]
fn intrinsic(i: Intrinsic, args: &[Ty], results: &[Ty]) -> Check {
    let same = |n: usize| args.len() == n && args.iter().all(|a| *a == args[0]) && results == &args[..1];
    let floats = |n: usize| same(n) && args[0].scalar.is_float();
    let ints = |n: usize| same(n) && args[0].scalar.is_int();
    let fits = match i {
        Intrinsic::GlobalId
        | Intrinsic::LocalId
        | Intrinsic::GroupId
        | Intrinsic::GlobalSize
        | Intrinsic::LocalSize
        | Intrinsic::EnqueuedLocalSize
        | Intrinsic::NumGroups
        | Intrinsic::GlobalOffset => args == [Ty::I32] && matches!(results, [Ty::I64] | [Ty::I32]),
        Intrinsic::WorkgroupId
        | Intrinsic::LocalInvocationId
        | Intrinsic::WorkgroupSize
        | Intrinsic::DeviceLocalId
        | Intrinsic::DeviceGroupSize
        | Intrinsic::GlobalInvocationId
        | Intrinsic::NumWorkgroups
        | Intrinsic::GlobalOffsetConstant => args.is_empty() && results == [Ty::vector(Scalar::I32, 3)],
        Intrinsic::WorkDim
        | Intrinsic::SubgroupMaxSize
        | Intrinsic::SubgroupSize
        | Intrinsic::NumSubgroups
        | Intrinsic::SubgroupId
        | Intrinsic::SubgroupLocalId => args.is_empty() && results == [Ty::I32],
        Intrinsic::Barrier(_) | Intrinsic::Fence(_) | Intrinsic::SubgroupBarrier(_) => {
            args.is_empty() && results.is_empty()
        }
        Intrinsic::SubgroupAll | Intrinsic::SubgroupAny => args == [Ty::BOOL] && results == [Ty::BOOL],
        Intrinsic::SubgroupBallot => args == [Ty::BOOL] && results == [Ty::vector(Scalar::I32, 4)],
        Intrinsic::SubgroupBroadcast | Intrinsic::SubgroupShuffle | Intrinsic::SubgroupShuffleXor => {
            let numbers = |t: Ty| t.scalar.is_int() || t.scalar.is_float();
            args.len() == 2 && numbers(args[0]) && args[1] == Ty::I32 && results == &args[..1]
        }
        Intrinsic::SubgroupArith(op, _) => {
            let fits = match op {
                SubgroupOp::FAdd | SubgroupOp::FMul | SubgroupOp::FMin | SubgroupOp::FMax => floats(1),
                SubgroupOp::IAdd
                | SubgroupOp::IMul
                | SubgroupOp::And
                | SubgroupOp::Or
                | SubgroupOp::Xor
                | SubgroupOp::SMin
                | SubgroupOp::UMin
                | SubgroupOp::SMax
                | SubgroupOp::UMax => ints(1),
            };
            fits && !args[0].is_vector()
        }
        Intrinsic::PointerTag => args == [Ty::ptr(AddressSpace::Generic)] && results == [Ty::I32],
        Intrinsic::Atomic(op) => {
            require(!args.is_empty(), "needs a pointer")?;
            pointer(args[0], op != AtomicOp::Load)?;
            return atomic(op, &args[1..], results);
        }
        Intrinsic::Matrix(_) => return Err("is checked elsewhere".into()),
        Intrinsic::ReadClock(_) => args.is_empty() && results == [Ty::I64],
        Intrinsic::FloatAtomic(_) => return Err("is an operation of HIR".into()),
        Intrinsic::FAbs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Trunc
        | Intrinsic::RoundEven
        | Intrinsic::Sqrt
        | Intrinsic::InverseSqrt
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Asin
        | Intrinsic::Acos
        | Intrinsic::Atan
        | Intrinsic::Sinh
        | Intrinsic::Cosh
        | Intrinsic::Tanh
        | Intrinsic::Asinh
        | Intrinsic::Acosh
        | Intrinsic::Atanh
        | Intrinsic::Exp
        | Intrinsic::Exp2
        | Intrinsic::Log
        | Intrinsic::Log2 => floats(1),
        Intrinsic::FMin | Intrinsic::FMax | Intrinsic::Atan2 | Intrinsic::Pow => floats(2),
        Intrinsic::Fma | Intrinsic::MultiplyAdd => floats(3),
        Intrinsic::DeviceHas(_) => args.len() == 1 && args[0].scalar.is_float() && results == [Ty::BOOL],
        Intrinsic::RoughDivide => floats(2) && args[0].scalar == Scalar::F32,
        Intrinsic::RoundedSqrt => floats(1) && args[0].scalar == Scalar::F32,
        Intrinsic::Ldexp => {
            args.len() == 2
                && args[0].scalar.is_float()
                && args[1] == args[0].with_scalar(Scalar::I32)
                && results == &args[..1]
        }
        Intrinsic::Dot => {
            args.len() == 2
                && args[0] == args[1]
                && args[0].scalar.is_float()
                && matches!(args[0].lanes, 2..=4)
                && results == [Ty::of(args[0].scalar)]
        }
        Intrinsic::IsNan | Intrinsic::IsInf => {
            args.len() == 1 && args[0].scalar.is_float() && results == [args[0].with_scalar(Scalar::Bool)]
        }
        Intrinsic::Any | Intrinsic::All => {
            args.len() == 1 && args[0].scalar == Scalar::Bool && args[0].is_vector() && results == [Ty::BOOL]
        }
        Intrinsic::SAbs | Intrinsic::PopCount | Intrinsic::Clz | Intrinsic::Ctz | Intrinsic::BitReverse => {
            ints(1)
        }
        Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax => ints(2),
        Intrinsic::PackedDot(_) => args == [Ty::I32; 2] && results == [Ty::I32],
        Intrinsic::PackedDotAccSat(_) => args == [Ty::I32; 3] && results == [Ty::I32],
        Intrinsic::UMulHigh | Intrinsic::SMulHigh => ints(2) && args[0].scalar != Scalar::I64,
        Intrinsic::UnpackHalf2x16 => args == [Ty::I32] && results == [Ty::vector(Scalar::F32, 2)],
        Intrinsic::PackHalf2x16 => args == [Ty::vector(Scalar::F32, 2)] && results == [Ty::I32],
        Intrinsic::ArgumentMemory => args == [Ty::I32; 2] && results == [Ty::I64],
        Intrinsic::IsAllocated => args == [Ty::I64; 2] && results == [Ty::BOOL],
        Intrinsic::ReportFinding => {
            let finding = crate::check::FINDING.map(|bytes| Ty::of(Scalar::int(8 * bytes)));
            (args == finding || args == &finding[..crate::check::STATED]) && results.is_empty()
        }
        Intrinsic::MemberIndex => args == [Ty::I64; 2] && results.is_empty(),
        Intrinsic::CopyBegins => {
            matches!(args, [Ty::I64, to, from, Ty::I64, Ty::I64] if to.space().is_some() && from.space().is_some())
                && results == [Ty::I64]
        }
        Intrinsic::CopiesEnd => {
            matches!(args, [Ty::I32, list] if list.space().is_some()) && results.is_empty()
        }
        Intrinsic::Printf => {
            let is_string = |ty: &Ty| *ty == Ty::I32 || ty.space() == Some(AddressSpace::Constant);
            args.first().is_some_and(is_string) && results == [Ty::I32]
        }
        Intrinsic::Prefetch => args.first().is_some_and(|a| a.scalar.is_ptr()) && results.is_empty(),
        Intrinsic::ReadImage(..)
        | Intrinsic::SampleImage(..)
        | Intrinsic::FetchImage(..)
        | Intrinsic::LoadImage(..)
        | Intrinsic::LoadFormat(..)
        | Intrinsic::WriteImage(..)
        | Intrinsic::ImageSize(_)
        | Intrinsic::ChannelOrder
        | Intrinsic::ChannelDataType
        | Intrinsic::SamplerProperties => image(i, args, results),
    };
    require(fits, "the operands or the result do not fit the intrinsic")
}

fn image(i: Intrinsic, args: &[Ty], results: &[Ty]) -> bool {
    const IMAGE: Ty = Ty::of(Scalar::Image);
    const SAMPLER: Ty = Ty::of(Scalar::Sampler);
    let texel = |t: Texel| match t {
        Texel::Float => Ty::vector(Scalar::F32, 4),
        Texel::Int | Texel::UInt => Ty::vector(Scalar::I32, 4),
    };
    let at = |s: ImageShape, scalar: Scalar| Ty::vector(scalar, s.lanes());
    match i {
        Intrinsic::ReadImage(s, t) => {
            let coordinates = args.get(2).copied();
            args.len() == 3
                && args[..2] == [IMAGE, SAMPLER]
                && [at(s, Scalar::F32), at(s, Scalar::I32)].contains(&coordinates.unwrap_or(IMAGE))
                && results == [texel(t)]
        }
        Intrinsic::SampleImage(s, t) => args == [IMAGE, SAMPLER, at(s, Scalar::F32)] && results == [texel(t)],
        Intrinsic::LoadFormat(s, format) => {
            args == [IMAGE, at(s, Scalar::I32)] && results == [texel(format.texel())]
        }
        Intrinsic::FetchImage(s, t) | Intrinsic::LoadImage(s, t) => {
            args == [IMAGE, at(s, Scalar::I32)] && results == [texel(t)]
        }
        Intrinsic::WriteImage(s, t) => args == [IMAGE, at(s, Scalar::I32), texel(t)] && results.is_empty(),
        Intrinsic::ImageSize(s) => args == [IMAGE] && results == [at(s, Scalar::I32)],
        Intrinsic::ChannelOrder | Intrinsic::ChannelDataType => args == [IMAGE] && results == [Ty::I32],
        Intrinsic::SamplerProperties => args == [SAMPLER] && results == [Ty::I32],
        _ => false,
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Fault::new(message)
    }
}
