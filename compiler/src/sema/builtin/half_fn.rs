//! Builds `vload_half`, `vstore_half` and their vector and aligned forms (6.12.7). Memory is accessed as
//! 16-bit integers.
//!
//! Where the device has halves as values (cl_khr_fp16), it converts them: those conversions to float, and of float to the
//! nearest half, are the same that `convert_float` and `convert_half` need. All others, and all of other devices, are done
//! by the library with integer arithmetic, which is exact on every device. It takes some 15 and 30 instructions.

use super::build::{Before, join, lane};
use super::memory::{discard, place, pointer_to};
use super::{Call, library, overload};
use crate::builtins::name::Rounding;
use crate::hir::{Convert, Expr, ExprKind, Scalar};
use crate::sema::convert::Why;
use crate::sema::{Result, Sema};

/// Returns the distance between half vectors in elements, and their known alignment in bytes.
fn layout(lanes: u8, aligned: bool) -> (u8, u32) {
    match (lanes, aligned) {
        (_, false) => (lanes, 2),
        (3, true) => (4, 8),
        (_, true) => (lanes, 2 * u32::from(lanes)),
    }
}

/// Builds `vload[a]_halfn(offset, p)`.
pub(super) fn load(
    s: &mut Sema<'_>,
    at: Call<'_>,
    lanes: u8,
    aligned: bool,
    args: Vec<Expr>,
) -> Result<Expr> {
    const CANDIDATES: &[&str] = &["floatn vload_halfn(size_t offset, const half *p)"];
    let Ok([offset, p]) = <[Expr; 2]>::try_from(args) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let Some(p) = pointer_to(s, p, Scalar::Half, false) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let (step, align) = layout(lanes, aligned);
    let place = place(s, p, offset, step, Scalar::UShort, lanes, align, at.span)?;
    let bits = s.load(place);
    if s.has_half {
        let halves = s.vector_ty(Scalar::Half, lanes);
        let floats = s.vector_ty(Scalar::Float, lanes);
        let values = s.reinterpret(Convert::Bits, bits, halves);
        return Ok(s.numeric(values, floats));
    }
    per_lane(s, at, "half_bits_to_float", bits, Scalar::Float, lanes)
}

/// Builds `vstore[a]_halfn[_mode](data, offset, p)`.
pub(super) fn store(
    s: &mut Sema<'_>,
    at: Call<'_>,
    lanes: u8,
    aligned: bool,
    mode: Option<Rounding>,
    args: Vec<Expr>,
) -> Result<Expr> {
    const CANDIDATES: &[&str] = &[
        "void vstore_halfn(floatn data, size_t offset, half *p)",
        "void vstore_halfn(doublen data, size_t offset, half *p)",
    ];
    let Ok([data, offset, p]) = <[Expr; 3]>::try_from(args) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let from = match s.lanes(data.ty) {
        Some((from @ (Scalar::Float | Scalar::Double), n)) if n == lanes => from,
        // A scalar of another type is converted to float.
        Some((_, 1)) if lanes == 1 => Scalar::Float,
        _ => return Err(overload::no_overload(s, at, CANDIDATES)),
    };
    let Some(p) = pointer_to(s, p, Scalar::Half, true) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let ty = s.vector_ty(from, lanes);
    let data = s.convert(data, ty, Why::Pass)?;
    let mode = mode.unwrap_or(Rounding::Rte);
    let bits = if s.has_half && from == Scalar::Float && mode == Rounding::Rte {
        let halves = s.vector_ty(Scalar::Half, lanes);
        let shorts = s.vector_ty(Scalar::UShort, lanes);
        let values = s.numeric(data, halves);
        s.reinterpret(Convert::Bits, values, shorts)
    } else {
        let name = format!("{}_to_half_bits_{}", from.name(), mode.suffix());
        per_lane(s, at, &name, data, Scalar::UShort, lanes)?
    };
    let (step, align) = layout(lanes, aligned);
    let place = place(s, p, offset, step, Scalar::UShort, lanes, align, at.span)?;
    let assign = Expr {
        ty: bits.ty,
        kind: ExprKind::Assign(Box::new(place), Box::new(bits)),
        span: at.span,
    };
    Ok(discard(s, assign))
}

/// Calls a library function of a scalar for each lane.
pub(super) fn per_lane(
    s: &mut Sema<'_>,
    at: Call<'_>,
    name: &str,
    e: Expr,
    to: Scalar,
    lanes: u8,
) -> Result<Expr> {
    let func = library::named(s, name, at.span)?;
    let mut before = Before::default();
    let e = if lanes > 1 { before.bind(s, e)? } else { e };
    let mut results = Vec::new();
    for i in 0..lanes {
        let x = lane(s, &e, i);
        results.push(library::call_function(s, func, vec![x], at.span)?);
    }
    let ty = s.vector_ty(to, lanes);
    Ok(before.then(join(ty, results, at.span)))
}
