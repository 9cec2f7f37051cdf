//! Builds calls that become intrinsics or expressions.

use super::build::{Before, binary, constant, lane};
use super::{
    Call, c11_atomic, convert_fn, generic_pointer, image, library, overload, pipe, printf, relation, shuffle,
    widen,
};
use crate::builtins::library::{self as lib, TypeArgs};
use crate::builtins::signature::Concrete;
use crate::builtins::table::{How, Inline};
use crate::builtins::{Instance, Row};
use crate::hir::{BinOp, Convert, Expr, ExprKind, Scalar, Space, Type, TypeId};
use crate::intrinsic::{AtomicOp, FenceFlags, Intrinsic, Texel};
use crate::sema::{Reported, Result, Sema};
use crate::source::Span;

/// The values of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
const LOCAL_FENCE: i128 = 1;
const GLOBAL_FENCE: i128 = 2;
/// The value of CLK_IMAGE_MEM_FENCE. Such a fence orders global memory, too.
const IMAGE_FENCE: i128 = 4;

/// Builds calls whose arguments the table does not describe.
pub(super) fn unresolved(s: &mut Sema<'_>, at: Call<'_>, row: &Row, args: Vec<Expr>) -> Result<Expr> {
    match row.how {
        How::Inline(Inline::Printf) => printf::printf(s, at, args),
        How::Inline(Inline::Shuffle) => shuffle::shuffle(s, at, args, false),
        How::Inline(Inline::C11Atomic(what)) => c11_atomic::call(s, at, what, args),
        How::Inline(Inline::Pipe(what)) => pipe::call(s, at, what, args),
        How::Inline(Inline::PointerQuery(what)) => generic_pointer::call(s, at, what, args),
        How::Inline(Inline::Shuffle2) => shuffle::shuffle(s, at, args, true),
        How::Inline(_)
        | How::Scalar
        | How::Fast(_)
        | How::FastHalf(_)
        | How::Generic
        | How::Library(_)
        | How::Alias(_)
        | How::Strict(_)
        | How::Intrinsic(_)
        | How::ByKind(..) => Err(library::missing(s, row.name, at.span)),
    }
}

/// Builds an intrinsic that operates on whole vectors.
pub(super) fn intrinsic(
    s: &mut Sema<'_>,
    i: Intrinsic,
    inst: &Instance,
    args: Vec<Expr>,
    span: Span,
) -> Result<Expr> {
    let args = widen(s, inst, args);
    let ty = overload::type_of(s, inst.concrete(inst.sig.ret));
    Ok(Expr {
        kind: ExprKind::Intrinsic(i, args),
        ty,
        span,
    })
}

/// Builds fences and barriers that have a memory scope.
pub(super) fn ordering(s: &mut Sema<'_>, at: Call<'_>, what: Inline, args: &[Expr]) -> Result<Expr> {
    let flags = args.first().ok_or(Reported)?;
    let flags = fence_flags(s, flags);
    match (what, args) {
        (Inline::WorkItemFence, [_, order, scope]) => c11_atomic::work_item_fence(s, at, flags, order, scope),
        _ => c11_atomic::barrier(s, at, flags, args.get(1)),
    }
}

fn first(args: Vec<Expr>) -> Result<Expr> {
    args.into_iter().next().ok_or(Reported)
}

fn pair(args: Vec<Expr>) -> Result<[Expr; 2]> {
    <[Expr; 2]>::try_from(args).map_err(|_| Reported)
}

/// Builds the calls that [`Inline`] names; the arguments have the parameters' types.
#[allow(
    clippy::too_many_lines,
    reason = "a table with one row for each kind of function"
)]
pub(super) fn build(
    s: &mut Sema<'_>,
    what: Inline,
    inst: &Instance,
    args: Vec<Expr>,
    span: Span,
) -> Result<Expr> {
    let ty = overload::type_of(s, inst.concrete(inst.sig.ret));
    let call = |i: Intrinsic, args: Vec<Expr>| Expr {
        kind: ExprKind::Intrinsic(i, args),
        ty,
        span,
    };
    match what {
        Inline::WorkItem(i) => {
            let int = s.common.int;
            let dim = first(args)?;
            let dim = s.numeric(dim, int);
            let value = call(i, vec![dim]);
            let size = s.common.size;
            Ok(match s.in_library {
                true => value,
                false => s.numeric(value, size),
            })
        }
        Inline::WorkDim => Ok(call(Intrinsic::WorkDim, vec![])),
        Inline::Barrier => {
            let flags = fence_flags(s, &first(args)?);
            Ok(call(Intrinsic::Barrier(flags), vec![]))
        }
        Inline::Fence => {
            let flags = fence_flags(s, &first(args)?);
            Ok(call(Intrinsic::Fence(flags), vec![]))
        }
        Inline::SubgroupBarrier => {
            let flags = fence_flags(s, &first(args)?);
            Ok(call(Intrinsic::SubgroupBarrier(flags), vec![]))
        }
        Inline::SubgroupVote { all } => vote(s, all, args, span),
        Inline::SubgroupBallot => {
            let predicate = s.condition(first(args)?)?;
            Ok(call(Intrinsic::SubgroupBallot, vec![predicate]))
        }
        Inline::WorkGroupBroadcast => work_group_broadcast(s, inst, args, span),
        Inline::WorkGroupSize => Ok(s.const_int(s.target.limits.work_group_size as i32, span)),
        Inline::Atomic(signed, unsigned) => {
            let op = if inst.scalar == Scalar::UInt || inst.scalar == Scalar::ULong {
                unsigned
            } else {
                signed
            };
            atomic(s, op, inst, args, span)
        }
        Inline::AtomicStep(op) => {
            let mut args = args;
            args.push(constant(s, 1, inst.scalar, 1, span));
            atomic(s, op, inst, args, span)
        }
        Inline::AsyncCopy { strided } => async_copy(s, strided, inst, args, span),
        Inline::WaitEvents => Ok(wait_events(s, ty, args, span)),
        Inline::Prefetch => {
            let [p, count] = pair(args)?;
            let mut before = Before::default();
            before.effect(count);
            before.effect(call(Intrinsic::Prefetch, vec![p]));
            Ok(before.then_nothing(s, span))
        }
        Inline::Printf
        | Inline::Shuffle
        | Inline::Shuffle2
        | Inline::C11Atomic(_)
        | Inline::PointerQuery(_)
        | Inline::Pipe(_)
        | Inline::WorkItemFence
        | Inline::WorkGroupBarrier => Err(Reported),
        Inline::Compare(r) => relation::relation(s, r, args, ty),
        Inline::AnyAll { all } => Ok(relation::any_all(s, all, first(args)?, span)),
        Inline::Select => relation::choose(s, args),
        Inline::Dot => match inst.concrete(inst.sig.params[0]) {
            Concrete::Arith(Scalar::Char | Scalar::UChar, _) => integer_dot(s, inst, args, span),
            _ => dot(s, args, span),
        },
        Inline::Divide => {
            let [x, y] = pair(args)?;
            Ok(match inst.scalar {
                Scalar::Float => call(Intrinsic::RoughDivide, vec![x, y]),
                _ => binary(BinOp::Div, x, y, false),
            })
        }
        Inline::Reciprocal => {
            let one = match inst.scalar {
                Scalar::Half => 0x3c00,
                _ => u64::from(1f32.to_bits()),
            };
            let one = constant(s, one, inst.scalar, inst.lanes, span);
            build(s, Inline::Divide, inst, vec![one, first(args)?], span)
        }
        Inline::MultiplyAdd => {
            // A product of 24-bit numbers may have more than 32 bits. It wraps around, as products of `uint` do.
            let of = match inst.scalar {
                Scalar::Int => s.vector_ty(Scalar::UInt, inst.lanes),
                _ => ty,
            };
            let mut args = args.into_iter().map(|e| s.numeric(e, of));
            let product = binary(
                BinOp::Mul,
                args.next().ok_or(Reported)?,
                args.next().ok_or(Reported)?,
                true,
            );
            let result = match args.next() {
                Some(z) => binary(BinOp::Add, product, z, true),
                None => product,
            };
            Ok(s.numeric(result, ty))
        }
        Inline::DeviceHas(what) => Ok(call(Intrinsic::DeviceHas(what), args)),
        Inline::Upsample => {
            let [hi, lo] = pair(args)?;
            let Concrete::Arith(wide, lanes) = inst.concrete(inst.sig.ret) else {
                return Err(Reported);
            };
            Ok(convert_fn::upsample(s, hi, lo, inst.scalar, (wide, lanes), span))
        }
        Inline::MaxLane => max_lane(s, inst, ty, args, span),
        Inline::ReadImage(texel) => image::read(s, texel, args, span),
        Inline::ReadImageHalf => image::read_half(s, args, span),
        Inline::WriteImage(texel) => image::write(s, texel, args, span),
        Inline::WriteImageHalf => image::write(s, Texel::Float, args, span),
        Inline::ImageExtent(what) => image::extent(s, what, first(args)?),
        Inline::ImageDim => image::dim(s, first(args)?),
        Inline::ImageFact(i) => Ok(call(i, args)),
        Inline::UnpackHalf => {
            let pair_ty = s.vector_ty(Scalar::Float, 2);
            let unpacked = Expr {
                kind: ExprKind::Intrinsic(Intrinsic::UnpackHalf2x16, args),
                ty: pair_ty,
                span,
            };
            Ok(lane(s, &unpacked, 0))
        }
        Inline::PackHalf => {
            let pair_ty = s.vector_ty(Scalar::Float, 2);
            let e = s.splat(first(args)?, pair_ty);
            Ok(call(Intrinsic::PackHalf2x16, vec![e]))
        }
    }
}

/// Calls `work_group_broadcast`, whose missing coordinates are 0.
fn work_group_broadcast(s: &mut Sema<'_>, inst: &Instance, mut args: Vec<Expr>, span: Span) -> Result<Expr> {
    while args.len() < 4 {
        args.push(constant(s, 0, Scalar::ULong, 1, span));
    }
    let name = "work_group_broadcast_any";
    let Some(item) = lib::item(name) else {
        return Err(library::missing(s, name, span));
    };
    let func = library::instance(s, item, TypeArgs::of(inst.scalar, 1), span)?;
    library::call_function(s, func, args, span)
}

/// Waits for asynchronous copies: a barrier, because the work-items of the group have made the copies together.
fn wait_events(s: &mut Sema<'_>, ty: TypeId, args: Vec<Expr>, span: Span) -> Expr {
    let call = |intrinsic, args| Expr {
        kind: ExprKind::Intrinsic(intrinsic, args),
        ty,
        span,
    };
    let mut before = Before::default();
    if s.target.checks.barrier {
        before.effect(call(Intrinsic::CopiesEnd, args));
    } else {
        for e in args {
            before.effect(e);
        }
    }
    let flags = FenceFlags {
        local: true,
        global: true,
    };
    before.effect(call(Intrinsic::Barrier(flags), vec![]));
    before.then_nothing(s, span)
}

/// Calls the library's dot product of bytes, which depends on the signs of the operands and takes them as words.
fn integer_dot(s: &mut Sema<'_>, inst: &Instance, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let signed = |ty| matches!(inst.concrete(ty), Concrete::Arith(Scalar::Char, _));
    let name = match (args.len(), signed(inst.sig.params[0]), signed(inst.sig.params[1])) {
        (2, false, false) => "__c_dot_packed_uu",
        (2, false, true) => "__c_dot_packed_us",
        (2, true, false) => "__c_dot_packed_su",
        (2, true, true) => "__c_dot_packed_ss",
        (_, false, false) => "__c_dot_acc_packed_uu",
        (_, false, true) => "__c_dot_acc_packed_us",
        (_, true, false) => "__c_dot_acc_packed_su",
        (_, true, true) => "__c_dot_acc_packed_ss",
    };
    let word = s.vector_ty(Scalar::UInt, 1);
    let args = args
        .into_iter()
        .enumerate()
        .map(|(n, e)| {
            if n < 2 {
                s.reinterpret(Convert::Bits, e, word)
            } else {
                e
            }
        })
        .collect();
    library::plain(s, name, inst, args, span)
}

/// Builds the maximum of all lanes of a vector.
fn max_lane(s: &mut Sema<'_>, inst: &Instance, ty: TypeId, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let mut before = Before::default();
    let x = before.bind(s, first(args)?)?;
    let mut max = lane(s, &x, 0);
    for i in 1..inst.lanes {
        let next = lane(s, &x, i);
        max = Expr {
            kind: ExprKind::Intrinsic(Intrinsic::FMax, vec![max, next]),
            ty,
            span,
        };
    }
    Ok(before.then(max))
}

/// Builds a vote of the sub-group, whose result is an `int`.
fn vote(s: &mut Sema<'_>, all: bool, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let predicate = s.condition(first(args)?)?;
    let op = if all {
        Intrinsic::SubgroupAll
    } else {
        Intrinsic::SubgroupAny
    };
    let vote = Expr {
        kind: ExprKind::Intrinsic(op, vec![predicate]),
        ty: s.common.bool,
        span,
    };
    let int = s.common.int;
    Ok(s.numeric(vote, int))
}

/// Returns the flags of a barrier or fence; all flags if they are not known at compile time.
fn fence_flags(s: &Sema<'_>, e: &Expr) -> FenceFlags {
    match s.int_value(e) {
        Some(v) => FenceFlags {
            local: v & LOCAL_FENCE != 0,
            global: v & (GLOBAL_FENCE | IMAGE_FENCE) != 0,
        },
        None => FenceFlags {
            local: true,
            global: true,
        },
    }
}

/// Builds an atomic; `atomic_xchg` of a float operates on the integer with the same bits.
fn atomic(s: &mut Sema<'_>, op: AtomicOp, inst: &Instance, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let is_float = inst.scalar == Scalar::Float;
    let scalar = if is_float { Scalar::UInt } else { inst.scalar };
    let ty = s.vector_ty(scalar, 1);
    let args = args
        .into_iter()
        .map(|e| match *s.ty(e.ty) {
            Type::Pointer { space, .. } if is_float => {
                let ptr = s.pointer_ty(ty, space);
                s.reinterpret(Convert::Pointer, e, ptr)
            }
            Type::Scalar(Scalar::Float) if is_float => s.reinterpret(Convert::Bits, e, ty),
            _ => e,
        })
        .collect();
    let e = Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Atomic(op), args),
        ty,
        span,
    };
    if !is_float {
        return Ok(e);
    }
    let float = s.common.float;
    Ok(s.reinterpret(Convert::Bits, e, float))
}

/// Builds an asynchronous copy. All work-items perform the copy at once, and the call returns the event that
/// was passed.
fn async_copy(s: &mut Sema<'_>, strided: bool, inst: &Instance, args: Vec<Expr>, span: Span) -> Result<Expr> {
    // 6.12.10: vectors of 3 behave like vectors of 4.
    let lanes = if inst.lanes == 3 { 4 } else { inst.lanes };
    let elem = s.vector_ty(inst.scalar, lanes);
    let to_local = matches!(
        s.ty(args[0].ty),
        Type::Pointer {
            space: Space::Local,
            ..
        }
    );
    let name = match (strided, to_local) {
        (false, true) => "async_copy_to_local_any",
        (false, false) => "async_copy_to_global_any",
        (true, true) => "async_strided_to_local_any",
        (true, false) => "async_strided_to_global_any",
    };
    let Some(item) = lib::item(name) else {
        return Err(library::missing(s, name, span));
    };
    let func = library::instance(s, item, TypeArgs::of(inst.scalar, lanes), span)?;
    let mut before = Before::default();
    let mut call_args = Vec::new();
    for e in args {
        let e = match *s.ty(e.ty) {
            Type::Pointer { space, .. } => {
                let ptr = s.pointer_ty(elem, space);
                s.reinterpret(Convert::Pointer, e, ptr)
            }
            _ => e,
        };
        call_args.push(before.bind(s, e)?);
    }
    let mut event = call_args.pop().ok_or(Reported)?;
    if s.target.checks.barrier {
        let mut stated = vec![event.clone()];
        stated.extend(call_args.iter().cloned());
        if !strided {
            stated.push(constant(s, 1, Scalar::ULong, 1, span));
        }
        let begins = Expr {
            kind: ExprKind::Intrinsic(Intrinsic::CopyBegins, stated),
            ..event
        };
        event = before.bind(s, begins)?;
    }
    let copy = library::call_function(s, func, call_args, span)?;
    before.effect(copy);
    Ok(before.then(event))
}

/// Builds the sum of the products of the lanes, in the order of the lanes.
fn dot(s: &mut Sema<'_>, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let [x, y] = pair(args)?;
    let mut before = Before::default();
    let product = binary(BinOp::Mul, x, y, true);
    let lanes = s.lanes(product.ty).map_or(1, |(_, n)| n);
    if lanes == 1 {
        return Ok(Expr { span, ..product });
    }
    let product = before.bind(s, product)?;
    let mut sum = lane(s, &product, 0);
    for i in 1..lanes {
        let next = lane(s, &product, i);
        sum = binary(BinOp::Add, sum, next, true);
    }
    Ok(before.then(sum))
}
