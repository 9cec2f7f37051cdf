//! Builds `printf` (6.12.13).

use super::{Call, overload};
use crate::hir::{Expr, ExprKind, Scalar, Space, Type};
use crate::intrinsic::Intrinsic;
use crate::printf::{Conversion, Length, Piece, literal_arguments, pieces};
use crate::sema::{Result, Sema};

/// Builds `printf(format, …)`: the format and the strings of `%s` become numbers in the table of strings.
pub(super) fn printf(s: &mut Sema<'_>, at: Call<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mut args = args.into_iter();
    let Some(format) = args.next() else {
        return Err(overload::no_overload(
            s,
            at,
            &["int printf(__constant char *format, ...)"],
        ));
    };
    let args: Vec<Expr> = args.collect();
    let mut strings = Vec::new();
    let mut out = Vec::new();
    if let Some(bytes) = s.string_bytes(&format).map(<[u8]>::to_vec) {
        check_format(s, &bytes, &format, &args);
        let id = s.printf_string(&bytes);
        strings = literal_arguments(&bytes);
        out.push(s.const_bits(u64::from(id), s.common.uint, format.span));
    } else if is_constant_string(s, &format) {
        // `lower_printf` finds the strings that the pointer may lead to.
        out.push(format);
    } else {
        return Err(s.error(format.span, "the format of printf is not a string literal"));
    }
    for (n, e) in args.into_iter().enumerate() {
        out.push(argument(s, e, strings.contains(&n))?);
    }
    Ok(Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Printf, out),
        ty: s.common.int,
        span: at.span,
    })
}

/// Returns whether an expression is a pointer to characters in constant memory.
fn is_constant_string(s: &Sema<'_>, e: &Expr) -> bool {
    match *s.ty(e.ty) {
        Type::Pointer { pointee, space, .. } => {
            space == Space::Constant && s.lanes(pointee) == Some((Scalar::Char, 1))
        }
        _ => false,
    }
}

/// Performs the default argument promotions. Floats become double if the target has it; vectors are
/// unchanged.
fn argument(s: &mut Sema<'_>, e: Expr, is_string: bool) -> Result<Expr> {
    match *s.ty(e.ty) {
        // A scalar argument of `%s` gets 64 bits, so that it cannot be mistaken for the number of a string.
        Type::Scalar(_) if is_string => {
            let ulong = s.common.ulong;
            Ok(s.numeric(e, ulong))
        }
        Type::Scalar(Scalar::Float | Scalar::Half) => {
            let ty = if s.has_double {
                s.common.double
            } else {
                s.common.float
            };
            Ok(s.numeric(e, ty))
        }
        Type::Scalar(_) => Ok(s.promote(e)),
        Type::Vector(..) => Ok(e),
        Type::Pointer { .. } => {
            if let Some(bytes) = s.string_bytes(&e).filter(|_| is_string).map(<[u8]>::to_vec) {
                let id = s.printf_string(&bytes);
                let uint = s.common.uint;
                return Ok(s.const_bits(u64::from(id), uint, e.span));
            }
            Ok(e)
        }
        Type::Void
        | Type::Array(..)
        | Type::IncompleteArray(_)
        | Type::Record(_)
        | Type::Function { .. }
        | Type::Image { .. }
        | Type::Sampler
        | Type::Event
        | Type::Pipe { .. }
        | Type::Matrix(_)
        | Type::AnyMatrix
        | Type::ReserveId => {
            let name = s.type_name(e.ty);
            Err(s.error(e.span, format!("cannot pass a value of type '{name}' to printf")))
        }
    }
}

/// Warns if the arguments do not match the format, because the output is then undefined.
fn check_format(s: &mut Sema<'_>, bytes: &[u8], format: &Expr, args: &[Expr]) {
    let mut next = args.iter();
    let signs = bytes.iter().rev().take_while(|&&b| b == b'%').count();
    if signs % 2 == 1 {
        s.warning(format.span, "incomplete format specifier");
    }
    for piece in pieces(bytes) {
        match piece {
            // A percent sign that begins no conversion is text; a single one comes from `%%`.
            Piece::Text([b'%', rest @ ..]) if !rest.is_empty() => {
                let letter = rest.iter().find(|b| !b"-+ #0123456789.*vhl".contains(b));
                let message = match letter {
                    Some(&c) => format!("invalid conversion specifier '{}'", char::from(c)),
                    None => "incomplete format specifier".to_string(),
                };
                s.warning(format.span, message);
            }
            Piece::Text(_) => {}
            Piece::Conversion(c) => match next.next() {
                Some(arg) => check_argument(s, &c, arg),
                None => {
                    s.warning(format.span, "more '%' conversions than data arguments");
                    return;
                }
            },
        }
    }
    if let Some(extra) = next.next() {
        s.warning(extra.span, "data argument not used by format string");
    }
}

fn check_argument(s: &mut Sema<'_>, c: &Conversion, arg: &Expr) {
    let is_float = b"aAeEfFgG".contains(&c.letter);
    let good = match *s.ty(arg.ty) {
        Type::Scalar(scalar) => {
            let wide = c.length == Length::Long;
            match c.letter {
                b's' | b'p' => false,
                _ if is_float => scalar.is_float(),
                _ => scalar.is_integer() && wide == (scalar.bytes() == 8),
            }
        }
        Type::Vector(scalar, lanes) => {
            let bytes = match c.length {
                Length::Char => 1,
                Length::Short => 2,
                Length::Long => 8,
                Length::Word => 4,
                // The length is not defined; it is assumed to be that of the argument.
                Length::None => scalar.bytes(),
            };
            usize::from(lanes) == c.lanes && scalar.is_float() == is_float && scalar.bytes() == bytes
        }
        Type::Pointer { .. } => matches!(c.letter, b's' | b'p'),
        _ => return,
    };
    let good = good && (c.lanes > 1) == matches!(s.ty(arg.ty), Type::Vector(..));
    if !good {
        let (want, have) = (wanted(c), s.type_name(arg.ty));
        s.warning(
            arg.span,
            format!("format specifies type '{want}' but the argument has type '{have}'"),
        );
    }
}

/// Returns the type that a conversion requires.
fn wanted(c: &Conversion) -> String {
    let unsigned = b"ouxX".contains(&c.letter);
    let base = match (c.letter, c.length) {
        (b's', _) => return "char *".into(),
        (b'p', _) => return "void *".into(),
        (b'c', _) => "int",
        (l, Length::Short) if b"aAeEfFgG".contains(&l) => "half",
        (l, Length::Word) if b"aAeEfFgG".contains(&l) => "float",
        (l, Length::None) if b"aAeEfFgG".contains(&l) && c.lanes > 1 => "float",
        (l, _) if b"aAeEfFgG".contains(&l) => "double",
        (_, Length::Char) => "char",
        (_, Length::Short) => "short",
        (_, Length::Long) => "long",
        (_, Length::None | Length::Word) => "int",
    };
    let sign = if unsigned { "u" } else { "" };
    let lanes = if c.lanes > 1 {
        c.lanes.to_string()
    } else {
        String::new()
    };
    format!("{sign}{base}{lanes}")
}
