//! Records the facts that syntax errors leave unknown, so that the semantic analysis can check the rest of
//! the program without reporting errors that only follow from the first ones.

use std::ops::Range;

use super::ast::{Doubt, Item};
use super::types::TypeNames;
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::SourceMap;

/// Collects the doubt of a translation unit.
#[derive(Default)]
pub(super) struct Damage {
    pub(super) doubt: Doubt,
}

impl Damage {
    /// Records that parsing stopped after too many errors, so the rest of the source is unknown.
    pub(super) fn stopped(&mut self) {
        self.doubt.incomplete = true;
    }

    /// Records that an item is left out. It may have declared any name that occurs in it; the name of a
    /// typedef counts as a type.
    pub(super) fn lose<'t>(
        &mut self,
        tokens: impl Iterator<Item = &'t Token>,
        map: &SourceMap,
        types: &mut TypeNames,
    ) {
        let (mut last, mut is_typedef) = (None, false);
        for t in tokens {
            match t.kind {
                TokenKind::Ident => {
                    last = Some(t.text(map));
                    self.doubt.names.insert(t.text(map).to_string());
                }
                TokenKind::Keyword(Keyword::Typedef) => is_typedef = true,
                _ => {}
            }
        }
        if let Some(name) = last.filter(|n| is_typedef && types.get(n).is_none()) {
            types.assume(name);
        }
    }

    /// Handles an item that parses without the tokens that were dropped. The body of a function is kept and
    /// is in doubt from the first dropped token on; any other item is unusable.
    pub(super) fn repaired(
        &mut self,
        items: Vec<Item>,
        dropped: &[Range<usize>],
        range: &Range<usize>,
        tokens: &[Token],
        map: &SourceMap,
    ) -> Option<Vec<Item>> {
        let Some(first) = dropped.first() else {
            return Some(items);
        };
        let [Item::Function(_)] = &items[..] else {
            return None;
        };
        let body = range.clone().find(|&i| tokens[i].is(Punct::LBrace))?;
        if first.start <= body {
            return None;
        }
        for t in dropped.iter().flat_map(|d| &tokens[d.clone()]) {
            if t.kind == TokenKind::Ident {
                self.doubt.names.insert(t.text(map).to_string());
            }
        }
        let (from, to) = (tokens[first.start].span, tokens[range.end - 1].span);
        self.doubt.spans.push(from.to(to));
        Some(items)
    }
}

/// Adds a range, which replaces the ranges that overlap it.
pub(super) fn leave_out(dropped: &mut Vec<Range<usize>>, r: Range<usize>) {
    dropped.retain(|d| d.end <= r.start || d.start >= r.end);
    dropped.push(r);
    dropped.sort_unstable_by_key(|d| d.start);
}
