//! Builds `shuffle` and `shuffle2` (6.12.12).

use super::build::{Before, binary, compare, constant, join, lane};
use super::{Call, overload};
use crate::hir::{BinOp, CmpOp, Expr, ExprKind, Place, PlaceKind, Scalar, Type};
use crate::sema::{Result, Sema};
use crate::source::Span;

/// Returns the element type and the number of lanes of a vector.
fn vector(s: &Sema<'_>, e: &Expr) -> Option<(Scalar, u8)> {
    match *s.ty(e.ty) {
        Type::Vector(scalar, n) if scalar != Scalar::Bool => Some((scalar, n)),
        _ => None,
    }
}

/// The types of the arguments of a shuffle.
struct Types {
    /// The elements of the vectors whose lanes are selected.
    elem: Scalar,
    /// The number of lanes of each of these vectors.
    source_lanes: u8,
    /// The number of lanes of the mask and of the result.
    lanes: u8,
}

/// Returns the types of the arguments, or `None` if there is no overload for them.
fn types(s: &Sema<'_>, sources: &[Expr], mask: &Expr) -> Option<Types> {
    let (index, lanes) = vector(s, mask)?;
    let (elem, source_lanes) = vector(s, sources.first()?)?;
    let alike = sources.iter().all(|e| vector(s, e) == Some((elem, source_lanes)));
    let selects = !index.is_float() && !index.is_signed() && index.bytes() == elem.bytes();
    (alike && selects).then_some(Types {
        elem,
        source_lanes,
        lanes,
    })
}

/// Builds `shuffle(x, mask)` or `shuffle2(x, y, mask)`: lane i of the result is the lane of the operands that
/// the low bits of `mask[i]` select.
pub(super) fn shuffle(s: &mut Sema<'_>, at: Call<'_>, mut args: Vec<Expr>, two: bool) -> Result<Expr> {
    let candidates: &[&str] = if two {
        &["gentypen shuffle2(gentypem x, gentypem y, ugentypen mask)"]
    } else {
        &["gentypen shuffle(gentypem x, ugentypen mask)"]
    };
    let count = if two { 2 } else { 1 };
    let mask = args.pop().filter(|_| args.len() == count);
    let checked = mask.and_then(|mask| Some((types(s, &args, &mask)?, mask)));
    let Some((types, mask)) = checked else {
        return Err(overload::no_overload(s, at, candidates));
    };
    let Types {
        elem,
        source_lanes,
        lanes,
    } = types;
    // The number of lanes is rounded up to a power of two; the fourth lane of a 3-lane vector is undefined.
    let width = source_lanes.next_power_of_two();
    let ty = s.vector_ty(elem, lanes);
    let mut before = Before::default();
    let mut sources = Vec::new();
    for e in args {
        let place = variable(s, &mut before, e)?;
        sources.push(place);
    }
    if let ExprKind::Const(picks) = &mask.kind {
        let parts = picks
            .iter()
            .map(|&p| {
                let p = (p as u8) & (count as u8 * width - 1);
                let source = s.load(sources[usize::from(p / width)].clone());
                lane(s, &source, (p % width).min(source_lanes - 1))
            })
            .collect();
        return Ok(before.then(join(ty, parts, at.span)));
    }
    let mask = before.bind(s, mask)?;
    let mut parts = Vec::new();
    for i in 0..lanes {
        let pick = lane(s, &mask, i);
        let int = s.common.int;
        let pick = s.numeric(pick, int);
        let pick = before.bind(s, pick)?;
        let low = constant(s, u64::from(width - 1), Scalar::Int, 1, at.span);
        let within = binary(BinOp::And, pick.clone(), low, false);
        let within = before.bind(s, within)?;
        let mut picked = Vec::new();
        for source in &sources {
            let scalar = s.vector_ty(elem, 1);
            picked.push(dynamic(s, source, within.clone(), scalar, at.span));
        }
        let value = match (picked.pop(), picked.pop()) {
            (Some(second), Some(first)) => {
                let high = constant(s, u64::from(width), Scalar::Int, 1, at.span);
                let which = binary(BinOp::And, pick, high, false);
                let zero = constant(s, 0, Scalar::Int, 1, at.span);
                let cond = compare(s, CmpOp::Ne, which, zero);
                Expr {
                    ty: first.ty,
                    kind: ExprKind::Conditional(Box::new(cond), Box::new(second), Box::new(first)),
                    span: at.span,
                }
            }
            (Some(only), None) => only,
            (None, _) => return Err(overload::no_overload(s, at, candidates)),
        };
        parts.push(value);
    }
    Ok(before.then(join(ty, parts, at.span)))
}

/// Stores a value in a variable.
fn variable(s: &mut Sema<'_>, before: &mut Before, e: Expr) -> Result<Place> {
    let span = e.span;
    let local = before.out(s, e.ty, span)?;
    let place = s.local_place(local, span);
    let ty = e.ty;
    before.effect(Expr {
        kind: ExprKind::Assign(Box::new(place.clone()), Box::new(e)),
        ty,
        span,
    });
    Ok(place)
}

/// Builds the load of a lane that is selected when the kernel runs.
fn dynamic(s: &mut Sema<'_>, source: &Place, index: Expr, scalar: crate::hir::TypeId, span: Span) -> Expr {
    let long = s.common.long;
    let index = s.numeric(index, long);
    let place = Place {
        kind: PlaceKind::DynamicLane {
            base: Box::new(source.clone()),
            index: Box::new(index),
        },
        ty: scalar,
        space: source.space,
        is_volatile: false,
        span,
    };
    s.load(place)
}
