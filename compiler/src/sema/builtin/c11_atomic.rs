//! Builds the atomic functions of OpenCL C 2.0 and 3.0 (6.15.12), fences, and barriers with a memory scope.
//!
//! An operation becomes a relaxed one between the fences that its memory order asks for. Such fences order at least
//! as much as the order itself does (OpenCL 3.0, 3.3.5), and Vulkan's memory model defines them in the same way.
//! Sequential consistency is ADR 19. A memory order that is not a constant is the strongest.
//!
//! The atomic types are the types without `atomic_`.

use super::build::Before;
use super::{Call, library, overload};
use crate::builtins::library::{self as lib, TypeArgs};
use crate::builtins::table::C11Atomic;
use crate::hir::{CmpOp, Convert, Expr, ExprKind, Scalar, Space, Type, TypeId};
use crate::intrinsic::{AtomicOp, FenceFlags, FloatAtomic, Intrinsic};
use crate::sema::convert::Why;
use crate::sema::{Result, Sema};
use crate::source::Span;

/// The values of `memory_order` and `memory_scope`, which `pp::predefined` has as macros.
mod value {
    pub(super) const RELAXED: i128 = 0;
    pub(super) const ACQUIRE: i128 = 2;
    pub(super) const RELEASE: i128 = 3;
    pub(super) const ACQ_REL: i128 = 4;
    pub(super) const WORK_ITEM: i128 = 0;
    pub(super) const WORK_GROUP: i128 = 1;
    pub(super) const DEVICE: i128 = 2;
    pub(super) const ALL_DEVICES: i128 = 3;
    pub(super) const SUB_GROUP: i128 = 4;
}

/// A memory order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    fn of(s: &Sema<'_>, e: &Expr) -> Order {
        match s.int_value(e) {
            Some(value::RELAXED) => Order::Relaxed,
            Some(value::ACQUIRE) => Order::Acquire,
            Some(value::RELEASE) => Order::Release,
            Some(value::ACQ_REL) => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }

    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Returns the optional feature that has the order.
    fn feature(self) -> Option<&'static str> {
        match self {
            Order::Relaxed => None,
            Order::Acquire | Order::Release | Order::AcqRel => Some("__opencl_c_atomic_order_acq_rel"),
            Order::SeqCst => Some("__opencl_c_atomic_order_seq_cst"),
        }
    }
}

/// Returns whether a scope has more than one work-item, and the optional feature that has the scope.
fn scope(s: &Sema<'_>, e: Option<&Expr>) -> (bool, Option<&'static str>) {
    match e.map(|e| s.int_value(e)) {
        Some(Some(value::WORK_ITEM)) => (false, None),
        Some(Some(value::WORK_GROUP)) => (true, None),
        Some(Some(value::SUB_GROUP)) => (true, Some("__opencl_c_subgroups")),
        Some(Some(value::ALL_DEVICES)) => (true, Some("__opencl_c_atomic_scope_all_devices")),
        None | Some(None) | Some(Some(value::DEVICE)) => (true, Some("__opencl_c_atomic_scope_device")),
        Some(Some(_)) => (true, None),
    }
}

/// Reports a feature of OpenCL C 3.0 that the device does not have.
fn require(s: &mut Sema<'_>, at: Call<'_>, feature: Option<&'static str>) -> Result<()> {
    match feature {
        Some(feature) if !s.target.c_features.iter().any(|f| f == feature) => {
            let message = format!(
                "this call of '{}' requires {feature}, which the device does not have",
                at.name.name
            );
            Err(s.error(at.span, message))
        }
        _ => Ok(()),
    }
}

/// Returns the operation on floats (cl_ext_float_atomics) that a function is, if it is one.
fn float_operation(what: C11Atomic) -> Option<FloatAtomic> {
    match what {
        C11Atomic::Fetch(AtomicOp::Add, _) => Some(FloatAtomic::Add),
        C11Atomic::Fetch(AtomicOp::Sub, _) => Some(FloatAtomic::Sub),
        C11Atomic::Fetch(AtomicOp::SMin, _) => Some(FloatAtomic::Min),
        C11Atomic::Fetch(AtomicOp::SMax, _) => Some(FloatAtomic::Max),
        C11Atomic::Fetch(..)
        | C11Atomic::Init
        | C11Atomic::Load
        | C11Atomic::Store
        | C11Atomic::CompareExchange
        | C11Atomic::FlagSet
        | C11Atomic::FlagClear => None,
    }
}

/// Reports the features of cl_ext_float_atomics that an operation needs and the device does not have: one for each kind of
/// memory in which the object may be.
fn require_float(s: &mut Sema<'_>, at: Call<'_>, op: FloatAtomic, object: &Object) -> Result<()> {
    let double = object.scalar == Scalar::Double;
    let [global, local] = match (op, double) {
        (FloatAtomic::Add | FloatAtomic::Sub, false) => [
            "__opencl_c_ext_fp32_global_atomic_add",
            "__opencl_c_ext_fp32_local_atomic_add",
        ],
        (FloatAtomic::Add | FloatAtomic::Sub, true) => [
            "__opencl_c_ext_fp64_global_atomic_add",
            "__opencl_c_ext_fp64_local_atomic_add",
        ],
        (FloatAtomic::Min | FloatAtomic::Max, false) => [
            "__opencl_c_ext_fp32_global_atomic_min_max",
            "__opencl_c_ext_fp32_local_atomic_min_max",
        ],
        (FloatAtomic::Min | FloatAtomic::Max, true) => [
            "__opencl_c_ext_fp64_global_atomic_min_max",
            "__opencl_c_ext_fp64_local_atomic_min_max",
        ],
    };
    require(s, at, (object.space != Space::Local).then_some(global))?;
    require(s, at, (object.space != Space::Global).then_some(local))
}

/// The object of an atomic operation.
struct Object {
    pointer: Expr,
    space: Space,
    scalar: Scalar,
}

impl Object {
    /// Returns the flags of the fences around the operation.
    fn flags(&self, order: Order) -> FenceFlags {
        let all = order == Order::SeqCst;
        FenceFlags {
            local: all || matches!(self.space, Space::Local | Space::Generic),
            global: all || matches!(self.space, Space::Global | Space::Generic),
        }
    }

    fn is_unsigned(&self) -> bool {
        matches!(self.scalar, Scalar::UInt | Scalar::ULong)
    }
}

/// Checks the first argument.
fn object(s: &mut Sema<'_>, at: Call<'_>, what: C11Atomic, pointer: Expr) -> Result<Object> {
    let candidates: &[&str] = &[
        "… (volatile __global A *object, …)",
        "… (volatile __local A *object, …)",
    ];
    let Type::Pointer {
        pointee,
        space,
        is_const,
        ..
    } = *s.ty(pointer.ty)
    else {
        return Err(overload::no_overload(s, at, candidates));
    };
    let Type::Scalar(scalar) = *s.ty(pointee) else {
        return Err(overload::no_overload(s, at, candidates));
    };
    let has_64 = s.target.has_extension("cl_khr_int64_base_atomics")
        && s.target.has_extension("cl_khr_int64_extended_atomics");
    let moves = !matches!(what, C11Atomic::Fetch(op, _) if op != AtomicOp::Xchg);
    let on_floats =
        moves || float_operation(what).is_some() && s.target.has_extension("cl_ext_float_atomics");
    let fits = match scalar {
        Scalar::Int => true,
        _ if what.is_flag() => false,
        Scalar::UInt => true,
        Scalar::Long | Scalar::ULong => has_64,
        Scalar::Float => on_floats,
        Scalar::Double => on_floats && has_64,
        _ => false,
    };
    let writes = !matches!(what, C11Atomic::Load);
    if !fits || writes && is_const {
        return Err(overload::no_overload(s, at, candidates));
    }
    // OpenCL C 3.0, 6.15.12.7: the parameter is a generic pointer if there are such.
    let (pointer, space) = match space {
        Space::Private if s.has_generic() => (s.pointer_in(pointer, Space::Generic), Space::Generic),
        _ => (pointer, space),
    };
    if !matches!(space, Space::Global | Space::Local | Space::Generic) {
        let message = format!(
            "the object of '{}' must be in global or local memory",
            at.name.name
        );
        return Err(s.error(at.span, message));
    }
    Ok(Object {
        pointer,
        space,
        scalar,
    })
}

/// Builds a fence.
fn fence(s: &Sema<'_>, flags: FenceFlags, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Fence(flags), vec![]),
        ty: s.common.void,
        span,
    }
}

/// Returns the integer type of the same size, on which the device's atomic operations work.
fn word(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Float => Scalar::UInt,
        Scalar::Double => Scalar::ULong,
        _ => scalar,
    }
}

/// Builds a relaxed operation on the object; floats are moved as integers. Its type is `ty`, which is void or the
/// object's.
fn relaxed(
    s: &mut Sema<'_>,
    op: AtomicOp,
    object: &Object,
    pointer: Expr,
    value: Option<Expr>,
    span: Span,
) -> Expr {
    let word = s.vector_ty(word(object.scalar), 1);
    let own = s.vector_ty(object.scalar, 1);
    let is_float = word != own;
    let to_word = s.pointer_ty(word, object.space);
    let mut args = vec![match is_float {
        true => s.reinterpret(Convert::Pointer, pointer, to_word),
        false => pointer,
    }];
    args.extend(value.map(|e| match is_float {
        true => s.reinterpret(Convert::Bits, e, word),
        false => e,
    }));
    let ty = match op {
        AtomicOp::Store => s.common.void,
        _ => word,
    };
    let e = Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Atomic(op), args),
        ty,
        span,
    };
    match is_float && op != AtomicOp::Store {
        true => s.reinterpret(Convert::Bits, e, own),
        false => e,
    }
}

/// Builds a call of an atomic function.
pub(super) fn call(s: &mut Sema<'_>, at: Call<'_>, what: C11Atomic, args: Vec<Expr>) -> Result<Expr> {
    let explicit = at.name.name.ends_with("_explicit");
    let values = what.values();
    let orders = if what == C11Atomic::CompareExchange { 2 } else { 1 };
    let counts = match explicit {
        false => values + 1..=values + 1,
        true => values + 1 + orders..=values + 2 + orders,
    };
    if !counts.contains(&args.len()) {
        let candidates: &[&str] = &["… (volatile A *object, …[, memory_order order[, memory_scope scope]])"];
        return Err(overload::no_overload(s, at, candidates));
    }
    let mut args = args.into_iter();
    let pointer = args.next().ok_or(crate::sema::Reported)?;
    let object = object(s, at, what, pointer)?;
    let mut before = Before::default();
    let pointer = before.bind(s, object.pointer.clone())?;
    let own = s.vector_ty(object.scalar, 1);
    let mut operands = Vec::new();
    for n in 0..values {
        let e = args.next().ok_or(crate::sema::Reported)?;
        let e = match (what, n) {
            (C11Atomic::CompareExchange, 0) => e,
            _ => s.convert(e, own, Why::Pass)?,
        };
        operands.push(before.bind(s, e)?);
    }
    let given: Vec<Expr> = args.collect();
    let order = match (what, explicit) {
        (C11Atomic::Init, _) => Order::Relaxed,
        (_, false) => Order::SeqCst,
        // Of the orders for success and for failure, the latter is never stronger.
        (_, true) => given.first().map_or(Order::SeqCst, |e| Order::of(s, e)),
    };
    let (shared, scope_feature) = scope(s, given.get(orders));
    if what != C11Atomic::Init {
        require(s, at, order.feature())?;
        require(s, at, scope_feature)?;
    }
    let flags = object.flags(order);
    if shared && order.releases() && what != C11Atomic::Load || order == Order::SeqCst {
        before.effect(fence(s, flags, at.span));
    }
    let acquires = shared && order.acquires() && !matches!(what, C11Atomic::Store | C11Atomic::FlagClear)
        || order == Order::SeqCst;
    let sequential = order == Order::SeqCst;
    let value = operation(s, at, what, &object, pointer, operands, sequential)?;
    let is_void = value.ty == s.common.void;
    let result = if is_void {
        before.effect(value);
        None
    } else {
        Some(before.bind(s, value)?)
    };
    if acquires {
        before.effect(fence(s, flags, at.span));
    }
    Ok(match result {
        None => before.then_nothing(s, at.span),
        Some(value) => before.then(value),
    })
}

/// Builds the operation itself. In the sequentially consistent order, loads and stores are read-modify-write
/// operations.
fn operation(
    s: &mut Sema<'_>,
    at: Call<'_>,
    what: C11Atomic,
    object: &Object,
    pointer: Expr,
    mut operands: Vec<Expr>,
    sequential: bool,
) -> Result<Expr> {
    let span = at.span;
    let word_ty = s.vector_ty(word(object.scalar), 1);
    let zero = |ty: TypeId| Expr {
        kind: ExprKind::Const(vec![0]),
        ty,
        span,
    };
    let last = operands.pop();
    Ok(match what {
        C11Atomic::Load if sequential => {
            let own = s.vector_ty(object.scalar, 1);
            // As an integer, the value does not change.
            let as_word = Object {
                pointer: object.pointer.clone(),
                space: object.space,
                scalar: word(object.scalar),
            };
            let to_word = s.pointer_ty(word_ty, object.space);
            let pointer = match own == word_ty {
                true => pointer,
                false => s.reinterpret(Convert::Pointer, pointer, to_word),
            };
            let e = relaxed(s, AtomicOp::Or, &as_word, pointer, Some(zero(word_ty)), span);
            match own == word_ty {
                true => e,
                false => s.reinterpret(Convert::Bits, e, own),
            }
        }
        C11Atomic::Load => relaxed(s, AtomicOp::Load, object, pointer, None, span),
        C11Atomic::Init | C11Atomic::Store if !sequential => {
            relaxed(s, AtomicOp::Store, object, pointer, last, span)
        }
        C11Atomic::Init | C11Atomic::Store => {
            let e = relaxed(s, AtomicOp::Xchg, object, pointer, last, span);
            nothing(s, e, span)
        }
        C11Atomic::FlagClear => {
            let value = Some(zero(word_ty));
            match sequential {
                true => {
                    let e = relaxed(s, AtomicOp::Xchg, object, pointer, value, span);
                    nothing(s, e, span)
                }
                false => relaxed(s, AtomicOp::Store, object, pointer, value, span),
            }
        }
        C11Atomic::FlagSet => {
            let one = s.const_int(1, span);
            relaxed(s, AtomicOp::Xchg, object, pointer, Some(one), span)
        }
        C11Atomic::Fetch(op, _) if op != AtomicOp::Xchg && word(object.scalar) != object.scalar => {
            let op = float_operation(what).ok_or(crate::sema::Reported)?;
            require_float(s, at, op, object)?;
            Expr {
                kind: ExprKind::Intrinsic(
                    Intrinsic::FloatAtomic(op),
                    [pointer].into_iter().chain(last).collect(),
                ),
                ty: s.vector_ty(object.scalar, 1),
                span,
            }
        }
        C11Atomic::Fetch(signed, unsigned) => {
            let op = if object.is_unsigned() { unsigned } else { signed };
            relaxed(s, op, object, pointer, last, span)
        }
        C11Atomic::CompareExchange => {
            let desired = last.ok_or(crate::sema::Reported)?;
            let expected = operands.pop().ok_or(crate::sema::Reported)?;
            compare_exchange(s, at, object, pointer, expected, desired)?
        }
    })
}

/// Evaluates an expression for its effect.
fn nothing(s: &Sema<'_>, e: Expr, span: Span) -> Expr {
    let mut only = Before::default();
    only.effect(e);
    only.then_nothing(s, span)
}

/// Builds a comparison and exchange of an object or an expected value that a generic pointer leads to. The bits of the
/// values are compared.
fn compare_exchange_generic(
    s: &mut Sema<'_>,
    object: &Object,
    pointer: Expr,
    expected: Expr,
    desired: Expr,
    span: Span,
) -> Result<Expr> {
    let own = s.vector_ty(object.scalar, 1);
    let word_ty = s.vector_ty(word(object.scalar), 1);
    let as_word = |s: &mut Sema<'_>, e: Expr| match own == word_ty {
        true => e,
        false => s.reinterpret(Convert::Bits, e, word_ty),
    };
    let mut before = Before::default();
    let place = s.deref(expected, None).place;
    let wanted = s.load(place.clone());
    let wanted = as_word(s, wanted);
    let wanted = before.bind(s, wanted)?;
    let desired = as_word(s, desired);
    let to_word = s.pointer_ty(word_ty, object.space);
    let pointer = s.reinterpret(Convert::Pointer, pointer, to_word);
    let old = Expr {
        kind: ExprKind::Intrinsic(
            Intrinsic::Atomic(AtomicOp::CmpXchg),
            vec![pointer, wanted.clone(), desired],
        ),
        ty: word_ty,
        span,
    };
    let old = before.bind(s, old)?;
    let same = super::build::compare(s, CmpOp::Eq, old.clone(), wanted);
    let old = match own == word_ty {
        true => old,
        false => s.reinterpret(Convert::Bits, old, own),
    };
    let update = Expr {
        kind: ExprKind::Assign(Box::new(place), Box::new(old)),
        ty: own,
        span,
    };
    let (yes, no) = (s.const_int(1, span), s.const_int(0, span));
    let failed = Expr {
        ty: no.ty,
        kind: ExprKind::Comma(Box::new(update), Box::new(no)),
        span,
    };
    Ok(before.then(Expr {
        ty: yes.ty,
        kind: ExprKind::Conditional(Box::new(same), Box::new(yes), Box::new(failed)),
        span,
    }))
}

/// Builds a comparison and exchange, by a function of the library if both address spaces are known.
fn compare_exchange(
    s: &mut Sema<'_>,
    at: Call<'_>,
    object: &Object,
    pointer: Expr,
    expected: Expr,
    desired: Expr,
) -> Result<Expr> {
    let own = s.vector_ty(object.scalar, 1);
    let expected_space = match *s.ty(expected.ty) {
        Type::Pointer {
            pointee,
            space,
            is_const: false,
            ..
        } if pointee == own => Some(space),
        _ => None,
    };
    let name = match (object.space, expected_space) {
        (Space::Generic, Some(space)) | (_, Some(space @ Space::Generic)) if space != Space::Constant => {
            return compare_exchange_generic(s, object, pointer, expected, desired, at.span);
        }
        (Space::Global, Some(Space::Private)) => "exchange_global_private_any",
        (Space::Global, Some(Space::Local)) => "exchange_global_local_any",
        (Space::Global, Some(Space::Global)) => "exchange_global_global_any",
        (_, Some(Space::Private)) => "exchange_local_private_any",
        (_, Some(Space::Local)) => "exchange_local_local_any",
        (_, Some(Space::Global)) => "exchange_local_global_any",
        _ => {
            let candidates: &[&str] = &["… (volatile A *object, C *expected, C desired, …)"];
            return Err(overload::no_overload(s, at, candidates));
        }
    };
    let Some(item) = lib::item(name) else {
        return Err(library::missing(s, name, at.span));
    };
    let func = library::instance(s, item, TypeArgs::of(object.scalar, 1), at.span)?;
    library::call_function(s, func, vec![pointer, expected, desired], at.span)
}

/// Builds `atomic_work_item_fence`.
pub(super) fn work_item_fence(
    s: &mut Sema<'_>,
    at: Call<'_>,
    flags: FenceFlags,
    order: &Expr,
    in_scope: &Expr,
) -> Result<Expr> {
    let order = Order::of(s, order);
    let (shared, feature) = scope(s, Some(in_scope));
    // OpenCL C 3.0, 6.15.12.5: every device has acquire and release for the work-group.
    if order == Order::SeqCst {
        require(s, at, order.feature())?;
    }
    require(s, at, feature)?;
    let flags = match shared && order != Order::Relaxed {
        true => flags,
        false => FenceFlags::default(),
    };
    Ok(fence(s, flags, at.span))
}

/// Builds `work_group_barrier`. A barrier orders memory for its work-group; fences do so for wider scopes.
pub(super) fn barrier(
    s: &mut Sema<'_>,
    at: Call<'_>,
    flags: FenceFlags,
    in_scope: Option<&Expr>,
) -> Result<Expr> {
    let barrier = Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Barrier(flags), vec![]),
        ty: s.common.void,
        span: at.span,
    };
    let Some(in_scope) = in_scope else {
        return Ok(barrier);
    };
    let (_, feature) = scope(s, Some(in_scope));
    let wide = !matches!(
        s.int_value(in_scope),
        Some(value::WORK_ITEM | value::WORK_GROUP | value::SUB_GROUP)
    );
    if wide {
        require(s, at, feature)?;
    }
    if !wide || !flags.global {
        return Ok(barrier);
    }
    let mut all = Before::default();
    all.effect(fence(s, flags, at.span));
    all.effect(barrier);
    all.effect(fence(s, flags, at.span));
    Ok(all.then_nothing(s, at.span))
}
