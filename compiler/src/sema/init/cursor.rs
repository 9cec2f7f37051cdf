//! The items of a braced list, from the tree or from a table, and a position among them.

use crate::hir::Expr;
use crate::source::Span;
use crate::syntax::ast::{InitItem, Initializer};
use crate::syntax::table;
use std::ops::Deref;
use std::rc::Rc;

/// The items of a braced list.
#[derive(Copy, Clone)]
pub(super) enum Source<'a> {
    Items(&'a [InitItem]),
    /// The position of a table.
    Table(Span),
}

/// Returns the items and the position of an initializer that is a braced list.
pub(super) fn list_of(init: &Initializer) -> Option<(Source<'_>, Span)> {
    match init {
        Initializer::Expr(_) => None,
        Initializer::List(items, span) => Some((Source::Items(items), *span)),
        Initializer::Table { items, span } => Some((Source::Table(*items), *span)),
    }
}

/// An item of a braced list: in the tree, or made from a table.
pub(super) enum Item<'a> {
    Listed(&'a InitItem),
    Made(Rc<InitItem>),
}

impl Deref for Item<'_> {
    type Target = InitItem;
    fn deref(&self) -> &InitItem {
        match self {
            Item::Listed(item) => item,
            Item::Made(item) => item,
        }
    }
}

/// A position in one braced list.
pub(super) struct Cursor<'a> {
    items: &'a [InitItem],
    pub(super) at: usize,
    /// The value of the item at `at`, if it was analysed already to determine its type.
    pub(super) value: Option<Expr>,
    /// Whether the designators of the item at `at` have already led to the object that it initializes.
    pub(super) is_designated: bool,
    /// The table after its item at `at`, and that item.
    pub(super) table: Option<(table::Items, Option<Rc<InitItem>>)>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(items: &'a [InitItem]) -> Self {
        Cursor {
            items,
            at: 0,
            value: None,
            is_designated: false,
            table: None,
        }
    }
    pub(super) fn of_table(mut items: table::Items) -> Self {
        let first = items.next().map(Rc::new);
        Cursor {
            table: Some((items, first)),
            ..Cursor::new(&[])
        }
    }
    pub(super) fn peek(&self) -> Option<Item<'a>> {
        match &self.table {
            None => self.items.get(self.at).map(Item::Listed),
            Some((_, item)) => item.clone().map(Item::Made),
        }
    }
    pub(super) fn advance(&mut self) {
        self.return_to(self.at + 1);
        if let Some((items, item)) = &mut self.table {
            *item = items.next().map(Rc::new);
        }
    }
    pub(super) fn return_to(&mut self, at: usize) {
        self.at = at;
        self.value = None;
        self.is_designated = false;
    }
}

/// Returns the position of an item's initializer.
pub(super) fn item_span(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(e) => e.span,
        Initializer::List(_, at) | Initializer::Table { span: at, .. } => *at,
    }
}
