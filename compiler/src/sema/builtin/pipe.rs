//! Builds the functions of pipes (OpenCL C 3.0, 6.15.18). `builtins/lib/pipe.cl` has the positions in the ring; the packet is
//! copied here, because its type is known here.

use super::build::{Before, constant};
use super::{Call, library};
use crate::builtins::table::{Group, PipeCall};
use crate::hir::{CmpOp, Convert, Expr, ExprKind, Scalar, Space, Type, TypeId};
use crate::sema::convert::Why;
use crate::sema::{Reported, Result, Sema};
use crate::source::Span;

/// The pipe of a call.
struct Pipe {
    /// The buffer, as a pointer to words.
    words: Expr,
    /// The type of the packets.
    packet: TypeId,
    /// The size of a packet in bytes.
    size: Expr,
}

/// Builds the call.
pub(super) fn call(s: &mut Sema<'_>, at: Call<'_>, what: PipeCall, args: Vec<Expr>) -> Result<Expr> {
    let mut args = args.into_iter();
    let counts: &[usize] = match what {
        PipeCall::Access { .. } => &[2, 4],
        PipeCall::Reserve { .. } | PipeCall::Commit { .. } => &[2],
        PipeCall::IsValid | PipeCall::NumPackets | PipeCall::MaxPackets => &[1],
    };
    if !counts.contains(&args.len()) {
        let message = format!("invalid number of arguments to function: '{}'", at.name.name);
        return Err(s.error(at.span, message));
    }
    let first = args.next().ok_or(Reported)?;
    if what == PipeCall::IsValid {
        let id = reservation(s, at, first)?;
        let none = constant(s, 0, Scalar::UInt, 1, at.span);
        let valid = super::build::compare(s, CmpOp::Ne, id, none);
        return Ok(valid);
    }
    let write = match what {
        PipeCall::Access { write } | PipeCall::Reserve { write, .. } | PipeCall::Commit { write } => {
            Some(write)
        }
        PipeCall::IsValid | PipeCall::NumPackets | PipeCall::MaxPackets => None,
    };
    let pipe = pipe(s, at, first, write)?;
    let rest: Vec<Expr> = args.collect();
    match what {
        PipeCall::NumPackets => run(s, "__c_pipe_num_packets", vec![pipe.words], at.span),
        PipeCall::MaxPackets => run(s, "__c_pipe_max_packets", vec![pipe.words], at.span),
        PipeCall::Reserve { write, by } => {
            let [count] = <[Expr; 1]>::try_from(rest).map_err(|_| Reported)?;
            if !s
                .lanes(count.ty)
                .is_some_and(|(scalar, n)| n == 1 && scalar.is_integer())
            {
                return Err(mismatch(s, at, "uint", &count));
            }
            let uint = s.common.uint;
            let count = s.convert(count, uint, Why::Pass)?;
            let name = reserve_name(write, by);
            let id = run(s, name, vec![pipe.words, count, pipe.size], at.span)?;
            let ty = s.program.types.intern(Type::ReserveId);
            Ok(s.reinterpret(Convert::Bits, id, ty))
        }
        PipeCall::Commit { .. } => {
            let [id] = <[Expr; 1]>::try_from(rest).map_err(|_| Reported)?;
            let id = reservation(s, at, id)?;
            let mut before = Before::default();
            before.effect(pipe.words);
            before.effect(id);
            Ok(before.then_nothing(s, at.span))
        }
        PipeCall::Access { write } => access(s, at, &pipe, write, rest),
        PipeCall::IsValid => Err(Reported),
    }
}

fn reserve_name(write: bool, by: Group) -> &'static str {
    match (by, write) {
        (Group::Item, false) => "__c_pipe_reserve_read",
        (Group::Item, true) => "__c_pipe_reserve_write",
        (Group::SubGroup, false) => "__c_pipe_sub_group_reserve_read",
        (Group::SubGroup, true) => "__c_pipe_sub_group_reserve_write",
        (Group::WorkGroup, false) => "__c_pipe_work_group_reserve_read",
        (Group::WorkGroup, true) => "__c_pipe_work_group_reserve_write",
    }
}

/// Calls a function of the library.
fn run(s: &mut Sema<'_>, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let Some(item) = crate::builtins::library::item(name) else {
        return Err(library::missing(s, name, span));
    };
    let func = library::function(s, item, span)?;
    library::call_function(s, func, args, span)
}

fn mismatch(s: &mut Sema<'_>, at: Call<'_>, wanted: &str, given: &Expr) -> Reported {
    let name = s.type_name(given.ty);
    let message = format!(
        "invalid argument type to function '{}' (expecting '{wanted}' having '{name}')",
        at.name.name
    );
    s.error(given.span, message)
}

/// Checks the argument that is a pipe; `write` is the access that the function needs.
fn pipe(s: &mut Sema<'_>, at: Call<'_>, e: Expr, write: Option<bool>) -> Result<Pipe> {
    let Type::Pipe { packet, write: given } = *s.ty(e.ty) else {
        let message = format!("first argument to '{}' must be a pipe type", at.name.name);
        return Err(s.error(e.span, message));
    };
    if write.is_some_and(|write| write != given) {
        let wanted = match given {
            true => "read_only",
            false => "write_only",
        };
        let message = format!("invalid pipe access modifier (expecting {wanted})");
        return Err(s.error(e.span, message));
    }
    let uint = s.common.uint;
    let words = s.pointer_ty(uint, Space::Global);
    let size = s.program.types.size(packet).ok_or(Reported)?;
    Ok(Pipe {
        words: s.reinterpret(Convert::Pointer, e, words),
        packet,
        size: constant(s, size, Scalar::UInt, 1, at.span),
    })
}

/// Checks an argument of type `reserve_id_t`, and returns it as a number.
fn reservation(s: &mut Sema<'_>, at: Call<'_>, e: Expr) -> Result<Expr> {
    if *s.ty(e.ty) != Type::ReserveId {
        return Err(mismatch(s, at, "reserve_id_t", &e));
    }
    let uint = s.common.uint;
    Ok(s.reinterpret(Convert::Bits, e, uint))
}

/// Builds `read_pipe` and `write_pipe`: `id = …; id != 0 ? (copy, 0) : -1`.
fn access(s: &mut Sema<'_>, at: Call<'_>, pipe: &Pipe, write: bool, mut args: Vec<Expr>) -> Result<Expr> {
    let span = at.span;
    let memory = args.pop().ok_or(Reported)?;
    let good = match *s.ty(memory.ty) {
        Type::Pointer {
            pointee,
            space,
            is_const,
            ..
        } => pointee == pipe.packet && (write || !is_const && space != Space::Constant),
        _ => false,
    };
    if !good {
        let wanted = format!("{} *", s.type_name(pipe.packet));
        return Err(mismatch(s, at, &wanted, &memory));
    }
    let mut before = Before::default();
    let words = before.bind(s, pipe.words.clone())?;
    let (id, index) = match <[Expr; 2]>::try_from(args) {
        Ok([id, index]) => {
            if !s
                .lanes(index.ty)
                .is_some_and(|(scalar, n)| n == 1 && scalar.is_integer())
            {
                return Err(mismatch(s, at, "uint", &index));
            }
            let uint = s.common.uint;
            (reservation(s, at, id)?, s.convert(index, uint, Why::Pass)?)
        }
        Err(_) => {
            let one = constant(s, 1, Scalar::UInt, 1, span);
            let name = reserve_name(write, Group::Item);
            let id = run(s, name, vec![words.clone(), one, pipe.size.clone()], span)?;
            (id, constant(s, 0, Scalar::UInt, 1, span))
        }
    };
    let id = before.bind(s, id)?;
    let index = before.bind(s, index)?;
    let memory = before.bind(s, memory)?;
    let none = constant(s, 0, Scalar::UInt, 1, span);
    let valid = super::build::compare(s, CmpOp::Ne, id.clone(), none);
    let packet = run(
        s,
        "__c_pipe_packet",
        vec![words, id, index, pipe.size.clone()],
        span,
    )?;
    let packets = s.pointer_ty(pipe.packet, Space::Global);
    let packet = s.reinterpret(Convert::Pointer, packet, packets);
    let in_pipe = s.deref(packet, None).place;
    let outside = s.deref(memory, None).place;
    let (to, from) = match write {
        true => (in_pipe, outside),
        false => (outside, in_pipe),
    };
    let value = s.load(from);
    let copy = Expr {
        kind: ExprKind::Assign(Box::new(to), Box::new(value)),
        ty: pipe.packet,
        span,
    };
    let copied = Expr {
        kind: ExprKind::Comma(Box::new(copy), Box::new(s.const_int(0, span))),
        ty: s.common.int,
        span,
    };
    let failed = s.const_int(-1, span);
    Ok(before.then(Expr {
        ty: s.common.int,
        kind: ExprKind::Conditional(Box::new(valid), Box::new(copied), Box::new(failed)),
        span,
    }))
}
