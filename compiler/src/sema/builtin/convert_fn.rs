//! Builds `convert_T` (6.2.3) and `as_T` (6.2.4).

use super::build::{Before, binary, compare, constant, join, lane, select};
use super::{Call, half_fn, library, overload};
use crate::builtins::library::{self as lib, TypeArgs};
use crate::builtins::name::Rounding;
use crate::hir::{CmpOp, Convert, Expr, ExprKind, Scalar};
use crate::intrinsic::Intrinsic;
use crate::sema::{Result, Sema};
use crate::source::Span;

type Arith = (Scalar, u8);

fn one(s: &mut Sema<'_>, at: Call<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    match (args.pop(), args.is_empty()) {
        (Some(e), true) => Ok(e),
        _ => Err(overload::no_overload(s, at, &[])),
    }
}

/// Builds `as_T(x)`, which has the same bits as `x`.
pub(super) fn reinterpret(s: &mut Sema<'_>, at: Call<'_>, to: Arith, args: Vec<Expr>) -> Result<Expr> {
    let e = one(s, at, args)?;
    let ty = s.vector_ty(to.0, to.1);
    let Some((from, lanes)) = s.lanes(e.ty).filter(|f| f.0 != Scalar::Bool) else {
        let name = s.type_name(e.ty);
        return Err(s.error(
            at.span,
            format!("'{}' takes a scalar or a vector, not '{name}'", at.name.name),
        ));
    };
    let bytes = |scalar: Scalar, n: u8| scalar.bytes() * u32::from(if n == 3 { 4 } else { n });
    if bytes(from, lanes) != bytes(to.0, to.1) {
        let (a, b) = (s.type_name(e.ty), s.type_name(ty));
        return Err(s.error(
            at.span,
            format!("invalid reinterpretation: sizes of '{b}' and '{a}' must match"),
        ));
    }
    if let ExprKind::Const(bits) = &e.kind
        && (from.bytes(), lanes) == (to.0.bytes(), to.1)
    {
        let kind = ExprKind::Const(bits.clone());
        return Ok(Expr {
            kind,
            ty,
            span: at.span,
        });
    }
    let e = s.reinterpret(Convert::Bits, e, ty);
    Ok(Expr { span: at.span, ..e })
}

/// Builds `convert_T[_sat][_mode](x)`.
pub(super) fn convert(
    s: &mut Sema<'_>,
    at: Call<'_>,
    to: Arith,
    sat: bool,
    mode: Option<Rounding>,
    args: Vec<Expr>,
) -> Result<Expr> {
    let e = one(s, at, args)?;
    let Some((mut from, lanes)) = s.lanes(e.ty).filter(|f| f.1 == to.1) else {
        let name = s.type_name(e.ty);
        let note = format!("the argument has type '{name}'; it must have as many lanes as the result");
        return Err(overload::no_overload(s, at, &[&note]));
    };
    let mut e = e;
    if from == Scalar::Bool {
        let int = s.vector_ty(Scalar::Int, lanes);
        e = s.numeric(e, int);
        from = Scalar::Int;
    }
    value(s, at, e, from, to, sat, mode)
}

/// Builds the conversion of a value of scalar type `from`.
fn value(
    s: &mut Sema<'_>,
    at: Call<'_>,
    e: Expr,
    from: Scalar,
    to: Arith,
    sat: bool,
    mode: Option<Rounding>,
) -> Result<Expr> {
    let span = at.span;
    let ty = s.vector_ty(to.0, to.1);
    match (from.is_float(), to.0.is_float()) {
        (false, false) => {
            let e = if sat { clamp_integer(s, e, from, to) } else { e };
            Ok(s.numeric(e, ty))
        }
        (true, false) => float_to_int(s, e, from, to, sat, mode.unwrap_or(Rounding::Rtz), span),
        (_, true) => {
            let exact = exact(from, to.0);
            match mode {
                Some(mode @ (Rounding::Rtz | Rounding::Rtp | Rounding::Rtn)) if !exact => {
                    directed(s, at, e, from, to, mode)
                }
                None | Some(_) => Ok(s.numeric(e, ty)),
            }
        }
    }
}

/// Returns whether the floating-point type `to` represents every value of `from`.
fn exact(from: Scalar, to: Scalar) -> bool {
    if from.is_float() {
        return from.bytes() <= to.bytes();
    }
    let digits = match to {
        Scalar::Half => 11,
        Scalar::Float => 24,
        _ => 53,
    };
    8 * from.bytes() - u32::from(from.is_signed()) <= digits
}

/// Returns the least and the greatest value of an integer type.
fn range(s: Scalar) -> (i128, i128) {
    let bits = 8 * s.bytes();
    if s.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

fn clamp_integer(s: &mut Sema<'_>, e: Expr, from: Scalar, to: Arith) -> Expr {
    let (source, target) = (range(from), range(to.0));
    let (min, max) = if from.is_signed() {
        (Intrinsic::SMin, Intrinsic::SMax)
    } else {
        (Intrinsic::UMin, Intrinsic::UMax)
    };
    let mut e = e;
    for (limit, op) in [
        ((target.0 > source.0).then_some(target.0), max),
        ((target.1 < source.1).then_some(target.1), min),
    ] {
        let Some(limit) = limit else { continue };
        let (ty, span) = (e.ty, e.span);
        let limit = constant(
            s,
            crate::hir::value::truncate(limit as u64, from),
            from,
            to.1,
            span,
        );
        e = Expr {
            kind: ExprKind::Intrinsic(op, vec![e, limit]),
            ty,
            span,
        };
    }
    e
}

fn float_to_int(
    s: &mut Sema<'_>,
    e: Expr,
    from: Scalar,
    to: Arith,
    sat: bool,
    mode: Rounding,
    span: Span,
) -> Result<Expr> {
    let round = match mode {
        Rounding::Rte => Some(Intrinsic::RoundEven),
        Rounding::Rtp => Some(Intrinsic::Ceil),
        Rounding::Rtn => Some(Intrinsic::Floor),
        Rounding::Rtz => sat.then_some(Intrinsic::Trunc),
    };
    let from_ty = e.ty;
    let rounded = match round {
        Some(op) => Expr {
            kind: ExprKind::Intrinsic(op, vec![e]),
            ty: from_ty,
            span,
        },
        None => e,
    };
    let ty = s.vector_ty(to.0, to.1);
    if !sat {
        return Ok(s.numeric(rounded, ty));
    }
    let mut before = Before::default();
    let x = before.bind(s, rounded)?;
    let (low, high) = range(to.0);
    // Both limits are powers of two (or 0), so they are exact. A limit beyond half's range becomes infinity,
    // which works as well.
    let low_f = constant(
        s,
        crate::hir::value::float_bits(low as f64, from),
        from,
        to.1,
        span,
    );
    let high_f = constant(
        s,
        crate::hir::value::float_bits((high + 1) as f64, from),
        from,
        to.1,
        span,
    );
    let low_i = constant(s, crate::hir::value::truncate(low as u64, to.0), to.0, to.1, span);
    let high_i = constant(
        s,
        crate::hir::value::truncate(high as u64, to.0),
        to.0,
        to.1,
        span,
    );
    let zero_i = constant(s, 0, to.0, to.1, span);
    let inside = s.numeric(x.clone(), ty);
    let too_low = compare(s, CmpOp::Le, x.clone(), low_f);
    let too_high = compare(s, CmpOp::Ge, x.clone(), high_f);
    let not_nan = compare(s, CmpOp::Eq, x.clone(), x);
    let r = select(too_low, low_i, inside);
    let r = select(too_high, high_i, r);
    let r = select(not_nan, r, zero_i);
    Ok(before.then(r))
}

/// Converts with directed rounding to a floating-point type that does not represent every value, by calls of
/// the library's functions for each lane.
fn directed(
    s: &mut Sema<'_>,
    at: Call<'_>,
    e: Expr,
    from: Scalar,
    to: Arith,
    mode: Rounding,
) -> Result<Expr> {
    let span = at.span;
    if to.0 == Scalar::Half && from.is_float() {
        let name = format!("{}_to_half_bits_{}", from.name(), mode.suffix());
        let bits = half_fn::per_lane(s, at, &name, e, Scalar::UShort, to.1)?;
        let ty = s.vector_ty(Scalar::Half, to.1);
        return Ok(s.reinterpret(Convert::Bits, bits, ty));
    }
    let kind = match (from.is_float(), from.is_signed()) {
        (true, _) => "fp",
        (false, true) => "signed",
        (false, false) => "unsigned",
    };
    let name = format!("convert_{}_{kind}", mode.suffix());
    let Some(item) = lib::item(&name) else {
        return Err(library::missing(s, &name, span));
    };
    let types = TypeArgs {
        scalar: to.0,
        lanes: 1,
        source: from,
    };
    let func = library::instance(s, item, types, span)?;
    let mut before = Before::default();
    let e = if to.1 > 1 { before.bind(s, e)? } else { e };
    let mut results = Vec::new();
    for i in 0..to.1 {
        let x = lane(s, &e, i);
        results.push(library::call_function(s, func, vec![x], span)?);
    }
    let ty = s.vector_ty(to.0, to.1);
    Ok(before.then(join(ty, results, span)))
}

/// Computes `hi << n | lo` in the wider type.
pub(super) fn upsample(
    s: &mut Sema<'_>,
    hi: Expr,
    lo: Expr,
    narrow: Scalar,
    wide: Arith,
    span: Span,
) -> Expr {
    let ty = s.vector_ty(wide.0, wide.1);
    let (hi, lo) = (s.numeric(hi, ty), s.numeric(lo, ty));
    let by = constant(s, u64::from(8 * narrow.bytes()), wide.0, wide.1, span);
    let hi = binary(crate::hir::BinOp::Shl, hi, by, false);
    binary(crate::hir::BinOp::Or, hi, lo, false)
}
