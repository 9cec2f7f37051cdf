//! Chooses an overload by clang's ranking of implicit conversions for overloadable functions; OpenCL's
//! scalar-to-vector widening has the worst rank.

use super::{Call, has_type};
use crate::builtins::signature::{Concrete, PointeeConcrete};
use crate::builtins::version;
use crate::builtins::{Access, Instance, Row};
use crate::diag::Diag;
use crate::hir::ty::ImageAccess;
use crate::hir::{Expr, ExprKind, Scalar, Space, Type, TypeId};
use crate::options::ClStd;
use crate::sema::convert::Why;
use crate::sema::{Reported, Result, Sema};
use crate::source::Span;

/// The amount of conversion that an argument needs; smaller is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Exact,
    Promotion,
    Conversion,
    Widening,
}

fn scalar_rank(from: Scalar, to: Scalar) -> Rank {
    if from == to {
        return Rank::Exact;
    }
    match (from, to) {
        (Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort, Scalar::Int)
        | (Scalar::Float, Scalar::Double) => Rank::Promotion,
        _ => Rank::Conversion,
    }
}

fn rank(s: &Sema<'_>, e: &Expr, to: Concrete) -> Option<Rank> {
    match (s.ty(e.ty), to) {
        (&Type::Scalar(from), Concrete::Arith(to, 1)) => Some(scalar_rank(from, to)),
        (&Type::Scalar(_), Concrete::Arith(..)) => Some(Rank::Widening),
        (&Type::Vector(from, n), Concrete::Arith(to, m)) => (from == to && n == m).then_some(Rank::Exact),
        (Type::Event, Concrete::Event) => Some(Rank::Exact),
        (&Type::Image { dim, access }, Concrete::Image(to, to_write)) => {
            (dim == to && access.writes() == to_write).then_some(Rank::Exact)
        }
        (Type::Sampler, Concrete::Sampler) => Some(Rank::Exact),
        (Type::Scalar(_), Concrete::Sampler) => s.int_value(e).map(|_| Rank::Conversion),
        (Type::Scalar(_), Concrete::Event) => s.is_null(e).then_some(Rank::Conversion),
        (
            &Type::Pointer {
                pointee,
                space,
                is_const,
                ..
            },
            Concrete::Ptr(to, to_space, access),
        ) => {
            let same = match to {
                PointeeConcrete::Arith(t, m) => s.lanes(pointee) == Some((t, m)),
                PointeeConcrete::Event => *s.ty(pointee) == Type::Event,
            };
            let writable = access == Access::Read || !is_const;
            (same && writable && space == to_space).then_some(Rank::Exact)
        }
        _ => None,
    }
}

fn ranks(s: &Sema<'_>, args: &[Expr], inst: &Instance, out: &mut Vec<Rank>) -> bool {
    out.clear();
    if inst.sig.params.len() != args.len() {
        return false;
    }
    for (&p, e) in inst.sig.params.iter().zip(args) {
        let to = match (inst.concrete(p), s.ty(e.ty)) {
            // OpenCL C 2.0, 6.13.14.3: an image that is read and written has the reads without a sampler, as well as
            // everything that images to write have.
            (Concrete::Image(dim, false), &Type::Image { access, .. })
                if access == ImageAccess::ReadWrite && args.len() == 2 =>
            {
                Concrete::Image(dim, true)
            }
            (to, _) => to,
        };
        match rank(s, e, to) {
            Some(r) => out.push(r),
            None => return false,
        }
    }
    true
}

/// Returns whether every conversion of `a` is at least as good as that of `b`, and at least one is better.
fn better(a: &[Rank], b: &[Rank]) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y)
}

/// Returns whether the target has the types that an overload uses, and the program its address space.
fn available(s: &Sema<'_>, inst: &Instance) -> bool {
    if inst.space == Space::Generic && !s.has_generic() {
        return false;
    }
    [Scalar::Half, Scalar::Double]
        .into_iter()
        .all(|t| has_type(s, t) || !inst.uses(t))
}

/// Returns the best overload, or reports an error that lists the candidates.
pub(super) fn choose(s: &mut Sema<'_>, at: Call<'_>, row: &'static Row, args: &[Expr]) -> Result<Instance> {
    let mut best: Option<(Instance, Vec<Rank>)> = None;
    let mut viable: Vec<(Instance, Vec<Rank>)> = Vec::new();
    let mut scratch = Vec::new();
    let std = if s.in_library { ClStd::Cl12 } else { s.options.std };
    let sigs = row
        .sigs
        .iter()
        .filter(|g| version::signature_since(row.name, g) <= std);
    // The native functions take float (6.12.2). Half is our addition, which integer arguments must not
    // select.
    let is_half = |e: &Expr| matches!(s.lanes(e.ty), Some((Scalar::Half, _)));
    let only_float = !s.in_library && row.name.starts_with("native_") && !args.iter().any(is_half);
    for inst in sigs.flat_map(Instance::all) {
        if !ranks(s, args, &inst, &mut scratch) || !available(s, &inst) {
            continue;
        }
        if only_float && inst.scalar == Scalar::Half {
            continue;
        }
        if scratch.iter().all(|&r| r == Rank::Exact) {
            return Ok(inst);
        }
        if best.as_ref().is_none_or(|(_, b)| better(&scratch, b)) {
            best = Some((inst, scratch.clone()));
        }
        viable.push((inst, scratch.clone()));
    }
    let Some((best, best_ranks)) = best else {
        return Err(no_match(s, at, row, args));
    };
    let unbeaten = |other: &&(Instance, Vec<Rank>)| other.0 != best && !better(&best_ranks, &other.1);
    if viable.iter().any(|o| unbeaten(&o)) {
        let shown = viable
            .iter()
            .filter(|o| !viable.iter().any(|v| better(&v.1, &o.1)));
        let notes: Vec<String> = shown.map(|(i, _)| i.declaration(row.name)).collect();
        let message = format!("call to '{}' is ambiguous", at.name.name);
        return Err(report(s, at, message, &notes));
    }
    Ok(best)
}

/// Returns whether a built-in function has exactly these parameters and this result.
pub(super) fn declared(s: &mut Sema<'_>, row: &'static Row, params: &[TypeId], ret: TypeId) -> bool {
    let args: Vec<Expr> = params
        .iter()
        .map(|&ty| Expr {
            kind: ExprKind::Const(vec![1]),
            ty,
            span: Span::NONE,
        })
        .collect();
    let mut scratch = Vec::new();
    let same = row.sigs.iter().flat_map(Instance::all).find(|inst| {
        ranks(s, &args, inst, &mut scratch) && scratch.iter().all(|&r| r == Rank::Exact) && available(s, inst)
    });
    match same.map(|inst| inst.concrete(inst.sig.ret)) {
        // If the result is a pointer, its type is the argument's.
        Some(Concrete::Ptr(..)) => true,
        Some(result) => type_of(s, result) == ret,
        None => false,
    }
}

/// The greatest number of candidates that an error lists.
const MAX_NOTES: usize = 8;

fn report(s: &mut Sema<'_>, at: Call<'_>, message: String, candidates: &[String]) -> Reported {
    let mut diag = Diag::error(at.name.span, message);
    for c in candidates.iter().take(MAX_NOTES) {
        diag = diag.note(Span::NONE, format!("candidate function: {c}"));
    }
    if candidates.len() > MAX_NOTES {
        let more = candidates.len() - MAX_NOTES;
        diag = diag.note(Span::NONE, format!("{more} more candidates are not shown"));
    }
    s.report(diag)
}

fn no_match(s: &mut Sema<'_>, at: Call<'_>, row: &Row, args: &[Expr]) -> Reported {
    let all: Vec<Instance> = row
        .sigs
        .iter()
        .filter(|g| version::signature_since(row.name, g) <= s.options.std)
        .flat_map(Instance::all)
        .filter(|i| available(s, i))
        .collect();
    // The likely candidates have as many parameters as the call has arguments, and accept the most arguments.
    let fits = |i: &Instance| {
        let params = i.sig.params.iter();
        let taken = params
            .zip(args)
            .filter(|&(&p, e)| rank(s, e, i.concrete(p)).is_some_and(|r| r < Rank::Widening));
        (usize::from(i.sig.params.len() == args.len()), taken.count())
    };
    let most = all.iter().map(fits).max();
    let notes: Vec<String> = all
        .iter()
        .filter(|i| Some(fits(i)) == most)
        .map(|i| i.declaration(row.name))
        .collect();
    let message = format!("no matching function for call to '{}'", at.name.name);
    report(s, at, message, &notes)
}

/// Reports an error about a call whose overloads are not in the table.
pub(super) fn no_overload(s: &mut Sema<'_>, at: Call<'_>, candidates: &[&str]) -> Reported {
    let message = format!("no matching function for call to '{}'", at.name.name);
    let notes: Vec<String> = candidates.iter().map(|c| (*c).to_string()).collect();
    report(s, at, message, &notes)
}

/// Returns the type of a parameter. For a pointer, any type with the right pointee is sufficient, because the
/// argument's own type was found to match.
pub(super) fn type_of(s: &mut Sema<'_>, c: Concrete) -> TypeId {
    match c {
        Concrete::Void => s.common.void,
        Concrete::Arith(scalar, lanes) => s.vector_ty(scalar, lanes),
        Concrete::Event => s.common.event,
        Concrete::Image(dim, write) => s.program.types.intern(Type::Image {
            dim,
            access: match write {
                true => ImageAccess::Write,
                false => ImageAccess::Read,
            },
        }),
        Concrete::Sampler => s.program.types.intern(Type::Sampler),
        Concrete::Ptr(to, space, _) => {
            let pointee = match to {
                PointeeConcrete::Arith(scalar, lanes) => s.vector_ty(scalar, lanes),
                PointeeConcrete::Event => s.common.event,
            };
            s.pointer_ty(pointee, space)
        }
    }
}

/// Converts the arguments to the parameters' types. Pointers are not converted.
pub(super) fn convert(s: &mut Sema<'_>, inst: &Instance, args: Vec<Expr>) -> Result<Vec<Expr>> {
    let params = inst.sig.params.iter();
    params
        .zip(args)
        .map(|(&p, e)| match inst.concrete(p) {
            Concrete::Ptr(..) | Concrete::Image(..) => Ok(e),
            Concrete::Event if matches!(e.kind, ExprKind::Const(_)) => Ok(Expr {
                ty: s.common.event,
                ..e
            }),
            c => {
                let ty = type_of(s, c);
                s.convert(e, ty, Why::Pass)
            }
        })
        .collect()
}
