//! Evaluates `#if` and `#elif` expressions (C99 6.10.1) as 64-bit integers, signed or unsigned.

use super::Pp;
use super::literal;
use super::names::{DEFINED, Def};
use super::token::{Punct, Token, TokenKind};
use crate::source::Span;

/// The greatest allowed nesting depth of operators and parentheses.
const MAX_NESTING: u32 = 256;

#[derive(Copy, Clone)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn of(b: bool) -> Value {
        Value {
            bits: i64::from(b),
            unsigned: false,
        }
    }
}

/// The message of the first error, with its position.
struct Problem(Span, String);

type Result<T> = std::result::Result<T, Problem>;

struct Parser<'p, 'a> {
    pp: &'p mut Pp<'a>,
    current: Option<Token>,
    /// The position that messages name when the line has ended.
    end: Span,
    depth: u32,
    /// The number of enclosing operands that are not evaluated, such as the right side of `0 && …`.
    dead: u32,
}

impl Pp<'_> {
    /// Returns the value of an expression, or `None` if it is not a valid expression. Nothing is reported.
    pub(super) fn value(&mut self, tokens: Vec<Token>) -> Option<i64> {
        let end = tokens.last().map_or(Span::NONE, |t| t.span);
        self.evaluate(tokens, end).ok().map(|v| v.bits)
    }

    fn evaluate(&mut self, tokens: Vec<Token>, end: Span) -> Result<Value> {
        self.isolated(tokens, |pp| {
            let mut p = Parser {
                pp,
                current: None,
                end,
                depth: 0,
                dead: 0,
            };
            p.advance();
            let v = p.conditional()?;
            match p.current {
                None => Ok(v),
                Some(t) if t.is(Punct::Comma) => Err(Problem(
                    t.span,
                    "expected end of line in preprocessor expression".into(),
                )),
                Some(t) => Err(Problem(
                    t.span,
                    "token is not a valid binary operator in a preprocessor subexpression".into(),
                )),
            }
        })
    }

    /// Evaluates the expression. An error is reported, and the condition then counts as false.
    pub(super) fn condition(&mut self, tokens: Vec<Token>, at: Span) -> bool {
        let end = tokens.last().map_or(at, |t| t.span);
        if tokens.is_empty() {
            self.diags.error(at, "expected value in expression");
            return false;
        }
        let result = self.evaluate(tokens, end);
        match result {
            Ok(v) => v.bits != 0,
            Err(Problem(span, message)) => {
                if !self.aborted {
                    self.diags.error(span, message);
                }
                false
            }
        }
    }
}

impl Parser<'_, '_> {
    fn advance(&mut self) {
        self.current = self.pp.next_expanded();
    }

    fn here(&self) -> Span {
        self.current.map_or(self.end, |t| t.span)
    }

    fn punct(&self) -> Option<Punct> {
        match self.current?.kind {
            TokenKind::Punct(p) => Some(p),
            _ => None,
        }
    }

    /// Parses an expression that may have commas: an operand in parentheses, or the second one of `?:`. A constant expression has none
    /// at its top level (C99 6.6p3).
    fn comma(&mut self) -> Result<Value> {
        let mut value = self.conditional()?;
        while self.punct() == Some(Punct::Comma) {
            self.advance();
            value = self.conditional()?;
        }
        Ok(value)
    }

    fn conditional(&mut self) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(Problem(self.here(), "expression is nested too deeply".into()));
        }
        let cond = self.binary(1)?;
        let v = if self.punct() == Some(Punct::Question) {
            self.advance();
            let taken = cond.bits != 0;
            let a = self.unless(taken, Self::comma)?;
            if self.punct() != Some(Punct::Colon) {
                return Err(Problem(
                    self.here(),
                    "expected ':' in preprocessor expression".into(),
                ));
            }
            self.advance();
            let b = self.unless(!taken, Self::conditional)?;
            Value {
                bits: if taken { a.bits } else { b.bits },
                unsigned: a.unsigned || b.unsigned,
            }
        } else {
            cond
        };
        self.depth -= 1;
        Ok(v)
    }

    /// Parses an operand; unless `live`, the operand is not evaluated, so a division by zero in it is not an
    /// error.
    fn unless(&mut self, live: bool, f: fn(&mut Self) -> Result<Value>) -> Result<Value> {
        self.dead += u32::from(!live);
        let r = f(self);
        self.dead -= u32::from(!live);
        r
    }

    fn binary(&mut self, min: u8) -> Result<Value> {
        let mut left = self.unary()?;
        while let Some(op) = self.punct()
            && let Some(level) = precedence(op)
            && level >= min
        {
            let at = self.here();
            self.advance();
            let live = match op {
                Punct::AmpAmp => left.bits != 0,
                Punct::PipePipe => left.bits == 0,
                _ => true,
            };
            self.depth += 1;
            if self.depth > MAX_NESTING {
                return Err(Problem(at, "expression is nested too deeply".into()));
            }
            self.dead += u32::from(!live);
            let right = self.binary(level + 1);
            self.dead -= u32::from(!live);
            self.depth -= 1;
            left = self.apply(op, left, right?, at)?;
        }
        Ok(left)
    }

    fn apply(&self, op: Punct, a: Value, b: Value, at: Span) -> Result<Value> {
        let unsigned = a.unsigned || b.unsigned;
        let (x, y) = (a.bits, b.bits);
        let (ux, uy) = (x as u64, y as u64);
        let int = |bits: i64| Ok(Value { bits, unsigned });
        match op {
            Punct::Star => int(x.wrapping_mul(y)),
            Punct::Plus => int(x.wrapping_add(y)),
            Punct::Minus => int(x.wrapping_sub(y)),
            Punct::Slash | Punct::Percent if y == 0 => {
                if self.dead > 0 {
                    return int(0);
                }
                let what = if op == Punct::Slash {
                    "division"
                } else {
                    "remainder"
                };
                Err(Problem(at, format!("{what} by zero in preprocessor expression")))
            }
            Punct::Slash if unsigned => int((ux / uy) as i64),
            Punct::Slash => int(x.wrapping_div(y)),
            Punct::Percent if unsigned => int((ux % uy) as i64),
            Punct::Percent => int(x.wrapping_rem(y)),
            Punct::Shl | Punct::Shr => {
                // The result of a shift has the type of its left operand.
                let bits = match (op, a.unsigned, uy > 63) {
                    (Punct::Shl, _, true) | (_, true, true) => 0,
                    (_, false, true) => x >> 63,
                    (Punct::Shl, ..) => x << y,
                    (_, true, _) => (ux >> y) as i64,
                    (_, false, _) => x >> y,
                };
                Ok(Value {
                    bits,
                    unsigned: a.unsigned,
                })
            }
            Punct::Lt => Ok(Value::of(if unsigned { ux < uy } else { x < y })),
            Punct::Gt => Ok(Value::of(if unsigned { ux > uy } else { x > y })),
            Punct::Le => Ok(Value::of(if unsigned { ux <= uy } else { x <= y })),
            Punct::Ge => Ok(Value::of(if unsigned { ux >= uy } else { x >= y })),
            Punct::EqEq => Ok(Value::of(x == y)),
            Punct::Ne => Ok(Value::of(x != y)),
            Punct::Amp => int(x & y),
            Punct::Caret => int(x ^ y),
            Punct::Pipe => int(x | y),
            Punct::AmpAmp => Ok(Value::of(x != 0 && y != 0)),
            Punct::PipePipe => Ok(Value::of(x != 0 || y != 0)),
            _ => Err(Problem(at, "invalid operator in preprocessor expression".into())),
        }
    }

    fn unary(&mut self) -> Result<Value> {
        let Some(t) = self.current else {
            return Err(Problem(self.end, "expected value in expression".into()));
        };
        match t.kind {
            TokenKind::Punct(op @ (Punct::Plus | Punct::Minus | Punct::Tilde | Punct::Bang)) => {
                self.depth += 1;
                if self.depth > MAX_NESTING {
                    return Err(Problem(t.span, "expression is nested too deeply".into()));
                }
                self.advance();
                let v = self.unary()?;
                self.depth -= 1;
                Ok(match op {
                    Punct::Minus => Value {
                        bits: v.bits.wrapping_neg(),
                        ..v
                    },
                    Punct::Tilde => Value { bits: !v.bits, ..v },
                    Punct::Bang => Value::of(v.bits == 0),
                    _ => v,
                })
            }
            TokenKind::Punct(Punct::LParen) => {
                self.advance();
                let v = self.comma()?;
                if self.punct() != Some(Punct::RParen) {
                    return Err(Problem(
                        self.here(),
                        "expected ')' in preprocessor expression".into(),
                    ));
                }
                self.advance();
                Ok(v)
            }
            TokenKind::Number => self.number(t),
            TokenKind::Char => {
                let value = literal::char_value(self.pp.text(&t));
                self.advance();
                match value {
                    Ok(v) => Ok(Value {
                        bits: i64::from(v),
                        unsigned: false,
                    }),
                    Err(e) => Err(Problem(t.span, e)),
                }
            }
            TokenKind::Ident if t.id == DEFINED => self.defined(t),
            TokenKind::Ident => {
                self.advance();
                if self.punct() == Some(Punct::LParen) {
                    let name = self.pp.text(&t);
                    return Err(Problem(
                        t.span,
                        format!("function-like macro '{name}' is not defined"),
                    ));
                }
                Ok(Value::of(false))
            }
            TokenKind::Str
            | TokenKind::Punct(_)
            | TokenKind::Keyword(_)
            | TokenKind::Table
            | TokenKind::Pragma
            | TokenKind::Other => Err(Problem(
                t.span,
                "invalid token at start of a preprocessor expression".into(),
            )),
        }
    }

    fn number(&mut self, t: Token) -> Result<Value> {
        let text = self.pp.text(&t);
        let n = match literal::number(text) {
            Ok(literal::Number::Int(n)) => n,
            Ok(literal::Number::Float { .. }) => {
                return Err(Problem(
                    t.span,
                    "floating point literal in preprocessor expression".into(),
                ));
            }
            Err(e) => return Err(Problem(t.span, e)),
        };
        if n.overflow {
            return Err(Problem(
                t.span,
                "integer literal is too large to be represented in any integer type".into(),
            ));
        }
        self.advance();
        Ok(Value {
            bits: n.value as i64,
            unsigned: n.unsigned || n.value > i64::MAX as u64,
        })
    }

    /// Parses `defined X` or `defined(X)`; `defined` itself is the current token.
    fn defined(&mut self, at: Token) -> Result<Value> {
        let mut name = self.pp.next_raw();
        let paren = name.is_some_and(|t| t.is(Punct::LParen));
        if paren {
            name = self.pp.next_raw();
        }
        let Some(t) = name.filter(|t| t.kind == TokenKind::Ident) else {
            let what = if name.is_some() {
                "macro name must be an identifier"
            } else {
                "macro name missing"
            };
            return Err(Problem(name.map_or(at.span, |t| t.span), what.into()));
        };
        if paren && !self.pp.next_raw().is_some_and(|t| t.is(Punct::RParen)) {
            return Err(Problem(t.span, "missing ')' after 'defined'".into()));
        }
        let is_defined = !matches!(self.pp.names.get(t.id).def, Def::None);
        self.advance();
        Ok(Value::of(is_defined))
    }
}

fn precedence(op: Punct) -> Option<u8> {
    Some(match op {
        Punct::PipePipe => 1,
        Punct::AmpAmp => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::EqEq | Punct::Ne => 6,
        Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}
