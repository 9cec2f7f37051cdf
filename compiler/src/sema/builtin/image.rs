//! Builds calls of image functions (6.12.14).

use super::build::lane;
use crate::builtins::table::Extent;
use crate::hir::ty::ImageDim;
use crate::hir::{Expr, ExprKind, Scalar, Type};
use crate::intrinsic::{ImageShape, Intrinsic, Texel};
use crate::sema::{Reported, Result, Sema};
use crate::source::Span;

fn image_dim(s: &Sema<'_>, e: &Expr) -> Result<ImageDim> {
    match *s.ty(e.ty) {
        Type::Image { dim, .. } => Ok(dim),
        _ => Err(Reported),
    }
}

/// Returns whether an image is written besides being read.
fn is_written(s: &Sema<'_>, e: &Expr) -> bool {
    matches!(*s.ty(e.ty), Type::Image { access, .. } if access.writes())
}

fn lanes_of(s: &mut Sema<'_>, e: Expr, scalar: Scalar, count: u8) -> Expr {
    match s.lanes(e.ty) {
        Some((_, n)) if n > count => Expr {
            ty: s.vector_ty(scalar, count),
            span: e.span,
            kind: ExprKind::Swizzle(Box::new(e), (0..count).collect()),
        },
        _ => e,
    }
}

/// Removes the components of a coordinate that the shape does not use (6.12.14.2: .w is ignored, and .z of 2D
/// arrays is the layer).
fn coordinate(s: &mut Sema<'_>, e: Expr, shape: ImageShape) -> Expr {
    let scalar = s.lanes(e.ty).map_or(Scalar::Int, |(scalar, _)| scalar);
    lanes_of(s, e, scalar, shape.lanes())
}

fn scalar_of(texel: Texel) -> Scalar {
    match texel {
        Texel::Float => Scalar::Float,
        Texel::Int => Scalar::Int,
        Texel::UInt => Scalar::UInt,
    }
}

/// Builds `read_imagef` and the other reads. The arguments are the image, an optional sampler, and the
/// coordinates.
pub(super) fn read(s: &mut Sema<'_>, texel: Texel, mut args: Vec<Expr>, span: Span) -> Result<Expr> {
    let dim = image_dim(s, args.first().ok_or(Reported)?)?;
    let shape = dim.shape();
    let at = args.pop().ok_or(Reported)?;
    let at = coordinate(s, at, shape);
    let op = match args.len() {
        1 if is_written(s, &args[0]) => Intrinsic::LoadImage(shape, texel),
        1 => Intrinsic::FetchImage(shape, texel),
        _ => Intrinsic::ReadImage(shape, texel),
    };
    args.push(at);
    let value = Expr {
        kind: ExprKind::Intrinsic(op, args),
        ty: s.vector_ty(scalar_of(texel), 4),
        span,
    };
    Ok(if dim.is_depth() { lane(s, &value, 0) } else { value })
}

/// cl_khr_fp16: builds `read_imageh`, which converts the result of `read_imagef` to half.
pub(super) fn read_half(s: &mut Sema<'_>, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let value = read(s, Texel::Float, args, span)?;
    let ty = s.vector_ty(Scalar::Half, 4);
    Ok(s.numeric(value, ty))
}

/// Builds `write_imagef` and the other writes. The arguments are the image, the coordinates and the texel.
pub(super) fn write(s: &mut Sema<'_>, texel: Texel, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let [image, at, value] = <[Expr; 3]>::try_from(args).map_err(|_| Reported)?;
    let shape = image_dim(s, &image)?.shape();
    let at = coordinate(s, at, shape);
    let ty = s.vector_ty(scalar_of(texel), 4);
    // A depth is written to the first component; halfs are written as floats.
    let value = match s.lanes(value.ty) {
        Some((_, 1)) => s.splat(value, ty),
        _ => s.numeric(value, ty),
    };
    Ok(Expr {
        kind: ExprKind::Intrinsic(Intrinsic::WriteImage(shape, texel), vec![image, at, value]),
        ty: s.common.void,
        span,
    })
}

fn size(s: &mut Sema<'_>, image: Expr, shape: ImageShape) -> Expr {
    Expr {
        span: image.span,
        ty: s.vector_ty(Scalar::Int, shape.lanes()),
        kind: ExprKind::Intrinsic(Intrinsic::ImageSize(shape), vec![image]),
    }
}

/// Builds `get_image_width` and the similar functions.
pub(super) fn extent(s: &mut Sema<'_>, what: Extent, image: Expr) -> Result<Expr> {
    let shape = image_dim(s, &image)?.shape();
    let size = size(s, image, shape);
    let component = match what {
        Extent::Width => 0,
        Extent::Height => 1,
        Extent::Depth => 2,
        Extent::Layers => shape.lanes() - 1,
    };
    let value = lane(s, &size, component);
    if what == Extent::Layers {
        let size = s.common.size;
        return Ok(s.numeric(value, size));
    }
    Ok(value)
}

/// Builds `get_image_dim`: width and height, or for a 3D image width, height, depth and 0.
pub(super) fn dim(s: &mut Sema<'_>, image: Expr) -> Result<Expr> {
    let shape = image_dim(s, &image)?.shape();
    let size = size(s, image, shape);
    if shape != ImageShape::D3 {
        return Ok(lanes_of(s, size, Scalar::Int, 2));
    }
    let span = size.span;
    let zero = s.const_int(0, span);
    Ok(Expr {
        kind: ExprKind::Vector(vec![size, zero]),
        ty: s.vector_ty(Scalar::Int, 4),
        span,
    })
}
