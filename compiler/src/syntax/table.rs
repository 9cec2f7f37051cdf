//! The items of a table ([`crate::pp::table`]), made one after the other.

use super::ast::{Expr, ExprKind, InitItem, Initializer, UnaryOp};
use crate::pp::table::{Element, Reader, Value};
use crate::source::{SourceMap, Span};

/// Reads the items of a table.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    reader: Reader,
}

impl Items {
    /// Creates a reader at the start of the table at this position.
    pub(crate) fn new(map: &SourceMap, table: Span) -> Items {
        Items {
            reader: Reader::new(map, table),
        }
    }

    /// Moves past the next item if it is a literal to which `take` gives a value, and returns that value. `take`
    /// is called with the sign, which may be a minus, and the value of the literal.
    pub(crate) fn literal<T>(&mut self, take: impl FnOnce(Option<bool>, Value) -> Option<T>) -> Option<T> {
        let position = self.reader.position();
        let taken = match self.reader.next()? {
            Element::Literal { sign, value, .. } => take(sign.map(|(_, is_minus)| is_minus), value),
            Element::Open(_) | Element::Close(_) => None,
        };
        if taken.is_none() {
            self.reader.back_to(position);
        }
        taken
    }

    /// Returns the items of a list whose opening brace was read, and its closing brace.
    fn list(&mut self) -> (Vec<InitItem>, Span) {
        let mut items = Vec::new();
        loop {
            match self.reader.next() {
                None => return (items, Span::NONE),
                Some(Element::Close(span)) => return (items, span),
                Some(element) => items.push(self.item(element)),
            }
        }
    }

    fn item(&mut self, element: Element) -> InitItem {
        InitItem {
            designators: Vec::new(),
            init: match element {
                Element::Literal { sign, value, span } => Initializer::Expr(literal(sign, value, span)),
                Element::Open(open) | Element::Close(open) => {
                    let (items, close) = self.list();
                    Initializer::List(items, open.to(close))
                }
            },
        }
    }
}

impl Iterator for Items {
    type Item = InitItem;

    fn next(&mut self) -> Option<InitItem> {
        let element = self.reader.next()?;
        Some(self.item(element))
    }
}

/// Returns the tree of a literal.
pub(crate) fn literal(sign: Option<(Span, bool)>, value: Value, span: Span) -> Expr {
    let kind = match value {
        Value::Number(number) => ExprKind::from(number),
        Value::Char(c) => ExprKind::Char(c),
    };
    let literal = Expr { kind, span };
    match sign {
        None => literal,
        Some((at, minus)) => {
            let op = if minus { UnaryOp::Minus } else { UnaryOp::Plus };
            Expr {
                kind: ExprKind::Unary(op, Box::new(literal)),
                span: at.to(span),
            }
        }
    }
}
