//! Scopes (C99 6.2.1): the entity that each name denotes at each point.
//!
//! Names are interned once, and each name has a stack of bindings. So a lookup takes one hash computation,
//! and leaving a scope pops the bindings that the scope made.

use super::QualType;
use crate::entity;
use crate::hash::HashMap;
use crate::hir::{GlobalId, LocalId, RecordId, TypeId};
use crate::source::Span;

entity! {
    /// The functions that share a name.
    #[allow(unreachable_pub, reason = "the macro makes public types")]
    OverloadsId, "overloads"
}

/// The meaning of an ordinary identifier.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Entity {
    Typedef(QualType),
    /// A private variable or parameter.
    Local {
        id: LocalId,
        is_const: bool,
    },
    /// A `__constant` or `__local` variable.
    Global(GlobalId),
    /// An enumerator, with the bits of its value.
    Enumerator {
        bits: u64,
        ty: TypeId,
    },
    Functions(OverloadsId),
    /// A name whose declaration had errors that were reported.
    Invalid,
}

/// The meaning of a tag.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum { ty: TypeId, defined: bool },
}

/// A hash map keyed by names.
pub(crate) type NameMap<V> = HashMap<Box<str>, V>;

#[derive(Copy, Clone, Debug)]
struct Binding<E> {
    entity: E,
    span: Span,
    depth: u32,
}

/// One name space.
#[derive(Debug)]
pub(crate) struct Scopes<E> {
    ids: NameMap<u32>,
    bindings: Vec<Vec<Binding<E>>>,
    /// The names bound in each open scope above file scope.
    open: Vec<Vec<u32>>,
}

impl<E> Default for Scopes<E> {
    fn default() -> Self {
        Scopes {
            ids: NameMap::default(),
            bindings: Vec::new(),
            open: Vec::new(),
        }
    }
}

/// The block scopes that [`Scopes::hide_blocks`] removed.
#[derive(Debug)]
pub(crate) struct Suspended<E> {
    open: Vec<Vec<u32>>,
    bindings: Vec<(u32, Vec<Binding<E>>)>,
}

impl<E: Copy> Scopes<E> {
    /// Opens a block or prototype scope.
    pub(crate) fn push(&mut self) {
        self.open.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub(crate) fn pop(&mut self) {
        for id in self.open.pop().unwrap_or_default() {
            self.bindings[id as usize].pop();
        }
    }

    /// Returns the nesting depth; 0 is file scope.
    pub(crate) fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    fn id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.bindings.len() as u32;
        self.ids.insert(name.into(), id);
        self.bindings.push(Vec::new());
        id
    }

    fn top(&self, name: &str) -> Option<&Binding<E>> {
        self.bindings[*self.ids.get(name)? as usize].last()
    }

    /// Returns the innermost entity of this name.
    pub(crate) fn get(&self, name: &str) -> Option<E> {
        self.top(name).map(|b| b.entity)
    }

    /// Returns the entity of this name in the current scope, with the position of its declaration.
    pub(crate) fn get_here(&self, name: &str) -> Option<(E, Span)> {
        let b = self.top(name)?;
        (b.depth == self.depth()).then_some((b.entity, b.span))
    }

    /// Returns the entity of this name at file scope.
    pub(crate) fn get_global(&self, name: &str) -> Option<E> {
        let first = self.bindings[*self.ids.get(name)? as usize].first()?;
        (first.depth == 0).then_some(first.entity)
    }

    /// Returns the position where the innermost entity of this name was declared.
    pub(crate) fn declared_at(&self, name: &str) -> Option<Span> {
        self.top(name).map(|b| b.span)
    }

    /// Binds a name in the current scope, replacing an earlier binding there.
    pub(crate) fn bind(&mut self, name: &str, entity: E, span: Span) {
        let depth = self.depth();
        let id = self.id(name);
        let stack = &mut self.bindings[id as usize];
        let binding = Binding { entity, span, depth };
        match stack.last_mut() {
            Some(b) if b.depth == depth => *b = binding,
            _ => {
                stack.push(binding);
                if let Some(names) = self.open.last_mut() {
                    names.push(id);
                }
            }
        }
    }

    /// Binds a name at file scope; bindings in inner scopes still hide it.
    pub(crate) fn bind_global(&mut self, name: &str, entity: E, span: Span) {
        let id = self.id(name);
        let stack = &mut self.bindings[id as usize];
        let binding = Binding {
            entity,
            span,
            depth: 0,
        };
        match stack.first_mut() {
            Some(b) if b.depth == 0 => *b = binding,
            _ => stack.insert(0, binding),
        }
    }

    /// Iterates over all names that are bound, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.ids
            .iter()
            .filter(|(_, id)| !self.bindings[**id as usize].is_empty())
            .map(|(name, _)| &**name)
    }

    /// Hides all block scopes until [`Scopes::restore`].
    pub(crate) fn hide_blocks(&mut self) -> Suspended<E> {
        let open = std::mem::take(&mut self.open);
        let mut bindings = Vec::new();
        for id in open.iter().flatten() {
            let stack = &mut self.bindings[*id as usize];
            let first = stack.iter().position(|b| b.depth > 0).unwrap_or(stack.len());
            let taken = stack.split_off(first);
            if !taken.is_empty() {
                bindings.push((*id, taken));
            }
        }
        Suspended { open, bindings }
    }

    /// Restores the block scopes that were hidden.
    pub(crate) fn restore(&mut self, suspended: Suspended<E>) {
        self.open = suspended.open;
        for (id, taken) in suspended.bindings {
            self.bindings[id as usize].extend(taken);
        }
    }
}
