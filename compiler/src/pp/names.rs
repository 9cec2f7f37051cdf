//! The identifiers of one preprocessor run. Each distinct name gets one number, and an entry with the macro
//! that it names.

use std::rc::Rc;

use super::features::Question;
use super::predefined::{self, Known};
use super::token::{Keyword, Token};
use crate::source::Span;

/// A macro.
pub(super) struct Macro {
    /// The parameters of a function-like macro; `None` for an object-like macro.
    pub(super) params: Option<Params>,
    pub(super) body: Vec<BodyToken>,
    /// The body has neither parameters nor `##`, so it can be read without being copied.
    pub(super) plain: bool,
    /// The position of the name in its definition; [`Span::NONE`] for predefined macros.
    pub(super) defined_at: Span,
    /// The macro's number in the source map.
    pub(super) number: u32,
}

/// The parameters of a function-like macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Params {
    /// The identifier numbers; a variadic parameter (`__VA_ARGS__`, or GNU C's named one) is last.
    pub(super) ids: Vec<u32>,
    pub(super) variadic: bool,
}

/// A token of a macro's replacement list.
#[derive(Copy, Clone)]
pub(super) struct BodyToken {
    pub(super) token: Token,
    /// The index of the parameter that the token names, or [`NO_PARAM`].
    pub(super) param: u16,
}

/// The value of [`BodyToken::param`] for a token that names no parameter.
pub(super) const NO_PARAM: u16 = u16::MAX;

/// The macros whose replacement is computed at each use.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Special {
    File,
    BaseFile,
    Line,
    Counter,
    IncludeLevel,
    /// The `_Pragma` operator.
    Pragma,
    /// `__has_builtin` and similar questions.
    Has(Question),
}

/// The meaning of a name to the preprocessor.
#[derive(Clone)]
pub(super) enum Def {
    None,
    /// A predefined macro that was not used yet, with its definition as written after `#define`.
    Lazy(&'static str),
    Special(Special),
    Macro(Rc<Macro>),
}

pub(super) struct Entry {
    lo: u32,
    len: u32,
    hash: u32,
    pub(super) keyword: Option<Keyword>,
    pub(super) def: Def,
    /// The macro's replacement list is being read, so the name is not expanded.
    pub(super) disabled: bool,
}

/// The interner of identifiers, and the macro table.
pub(super) struct Names {
    slots: Vec<u32>,
    entries: Vec<Entry>,
    arena: String,
    settings: predefined::Settings,
}

/// The numbers of the names that the preprocessor itself asks for.
pub(super) const DEFINED: u32 = 0;
pub(super) const VA_ARGS: u32 = 1;
/// The identifier number of a token that is not an identifier.
pub(super) const NO_ID: u32 = u32::MAX;

impl Names {
    pub(super) fn new(settings: predefined::Settings) -> Self {
        let mut n = Names {
            slots: vec![0; 256],
            entries: Vec::with_capacity(128),
            arena: String::with_capacity(2048),
            settings,
        };
        n.intern("defined");
        n.intern("__VA_ARGS__");
        n
    }

    pub(super) fn settings(&self) -> &predefined::Settings {
        &self.settings
    }

    pub(super) fn text(&self, id: u32) -> &str {
        let e = &self.entries[id as usize];
        &self.arena[e.lo as usize..(e.lo + e.len) as usize]
    }

    pub(super) fn get(&self, id: u32) -> &Entry {
        &self.entries[id as usize]
    }

    pub(super) fn get_mut(&mut self, id: u32) -> &mut Entry {
        &mut self.entries[id as usize]
    }

    /// Returns the number of a name. A name that is new is looked up among the keywords and predefined
    /// macros.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let hash = hash(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut i = hash as usize & mask;
        loop {
            match self.slots[i] {
                0 => break,
                n => {
                    let e = &self.entries[n as usize - 1];
                    if e.hash == hash && &self.arena[e.lo as usize..(e.lo + e.len) as usize] == text {
                        return n - 1;
                    }
                }
            }
            i = (i + 1) & mask;
        }
        let (keyword, def) = match predefined::lookup(text, &self.settings) {
            Known::Nothing => (None, Def::None),
            Known::Keyword(k) => (Some(k), Def::None),
            Known::Macro(line) => (None, Def::Lazy(line)),
            Known::Special(s) => (None, Def::Special(s)),
        };
        let id = self.entries.len() as u32;
        self.entries.push(Entry {
            lo: self.arena.len() as u32,
            len: text.len() as u32,
            hash,
            keyword,
            def,
            disabled: false,
        });
        self.arena.push_str(text);
        self.slots[i] = id + 1;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        self.slots = vec![0; size];
        for (id, e) in self.entries.iter().enumerate() {
            let mut i = e.hash as usize & (size - 1);
            while self.slots[i] != 0 {
                i = (i + 1) & (size - 1);
            }
            self.slots[i] = id as u32 + 1;
        }
    }
}

fn hash(s: &[u8]) -> u32 {
    const K: u64 = 0x517c_c1b7_2722_0a95;
    let mut h = s.len() as u64;
    let mut chunks = s.chunks_exact(8);
    for c in &mut chunks {
        let mut w = [0; 8];
        w.copy_from_slice(c);
        h = (h.rotate_left(5) ^ u64::from_le_bytes(w)).wrapping_mul(K);
    }
    let mut w = [0; 8];
    let rest = chunks.remainder();
    w[..rest.len()].copy_from_slice(rest);
    h = (h.rotate_left(5) ^ u64::from_le_bytes(w)).wrapping_mul(K);
    (h >> 32) as u32
}
