//! Parses tokens into an AST. The parser's own trees have lang-c's types, which nothing outside this module
//! names.
//!
//! First, brackets are matched and the nesting is bounded (`brackets`). Then each top-level declaration is
//! rewritten into plain C (`rewrite`), parsed on its own (by `grammar`, or by lang-c if `grammar` does not
//! accept it), and lowered (`lower`). So one build reports several syntax errors (`error`), and each parse
//! stays small. The facts that errors leave unknown (`damage`) tell the semantic analysis which errors not to
//! report.

pub mod ast;
mod attribute;
mod brackets;
mod damage;
mod error;
mod grammar;
mod implicit_int;
mod lower;
mod pack;
mod pragma;
mod rewrite;
pub(crate) mod table;
mod types;

use crate::hash::HashMap;
use std::ops::Range;

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

use self::brackets::Brackets;
pub use self::brackets::Nesting;
use self::damage::{Damage, leave_out};
use self::error::Recovery;
use self::lower::Lower;
use self::pack::Packs;
use self::pragma::Pragma;
use self::rewrite::{Rewritten, Source};
use self::types::TypeNames;
use crate::diag::Diags;
use crate::options::ClStd;
use crate::pp::{Punct, Token, TokenKind};
use crate::source::{SourceMap, Span};
use crate::stack;

/// The number of syntax errors after which the parser stops, as in clang.
const MAX_ERRORS: usize = 20;
/// The greatest total length of text that is parsed again because of syntax errors, in bytes.
const MAX_REPARSED: usize = 400_000;

/// Parses a whole source. Reports as many syntax errors as it can find. The items that contain them are
/// missing from the unit, and its [`ast::Doubt`] describes the facts that are unknown as a result.
pub fn parse(tokens: &[Token], std: ClStd, map: &SourceMap, diags: &mut Diags) -> ast::TranslationUnit {
    let mut packs = Packs::default();
    for (i, t) in tokens.iter().enumerate() {
        if t.kind == TokenKind::Pragma {
            let text = t.text(map);
            if let Pragma::Wrong(message) = pragma::parse(text) {
                diags.warning(t.span, message);
            }
            packs.see(i, text, t.span, diags);
        }
    }
    packs.end(diags);
    let brackets = brackets::match_brackets(tokens, diags);
    let nesting = match brackets::nesting(&tokens[..brackets.usable]) {
        Ok(n) => n,
        Err(span) => {
            diags.error(span, "source is nested too deeply");
            return ast::TranslationUnit::default();
        }
    };
    let ranges = brackets::split(tokens, &brackets);
    let mut log = std::mem::take(diags);
    let parsed = stack::run(stack_for(nesting), || {
        let diags = &mut log;
        let mut session = Session {
            tokens,
            map,
            brackets: &brackets,
            types: TypeNames::new(std),
            packs,
            fp_contract: None,
            errors: 0,
            reparsed: 0,
            damage: Damage::default(),
        };
        let mut unit = ast::TranslationUnit::default();
        for range in ranges {
            if session.errors >= MAX_ERRORS {
                diags.error(Span::NONE, "too many errors emitted, stopping now");
                session.damage.stopped();
                break;
            }
            unit.items.extend(session.item(range, diags));
        }
        unit.doubt = session.damage.doubt;
        unit
    });
    *diags = log;
    parsed.unwrap_or_else(|_| {
        diags.error(Span::NONE, NO_STACK);
        ast::TranslationUnit::default()
    })
}

/// Splits a source into top-level declarations and function definitions. The brackets must match; callers
/// pass text that is part of the compiler.
pub fn split_top_level(tokens: &[Token]) -> Vec<Range<usize>> {
    let brackets = brackets::match_brackets(tokens, &mut Diags::default());
    brackets::split(tokens, &brackets)
}

/// Parses one of the ranges of [`split_top_level`]. `typedef_names` are the user-defined type names in scope;
/// OpenCL C's own type names need not be listed.
pub fn parse_item(
    tokens: &[Token],
    typedef_names: &[&str],
    map: &SourceMap,
    diags: &mut Diags,
) -> Vec<ast::Item> {
    let brackets = brackets::match_brackets(tokens, diags);
    let nesting = match brackets::nesting(&tokens[..brackets.usable]) {
        Ok(n) => n,
        Err(span) => {
            diags.error(span, "source is nested too deeply");
            return Vec::new();
        }
    };
    let mut types = TypeNames::default();
    for name in typedef_names {
        types.declare(name, false);
    }
    let mut session = Session {
        tokens,
        map,
        brackets: &brackets,
        types,
        packs: Packs::default(),
        fp_contract: None,
        errors: 0,
        reparsed: 0,
        damage: Damage::default(),
    };
    let mut log = std::mem::take(diags);
    let parsed = stack::run(stack_for(nesting), || session.item(0..brackets.usable, &mut log));
    *diags = log;
    parsed.unwrap_or_else(|_| {
        diags.error(Span::NONE, NO_STACK);
        Vec::new()
    })
}

/// Returns bounds on the depth of the trees of this source, which later stages recurse over.
pub fn nesting(tokens: &[Token]) -> Nesting {
    brackets::nesting(tokens).unwrap_or_default()
}

/// The stack that a parse needs in bytes: without nesting, per frame of nesting, and per operator of a chain.
/// The measured maxima in a debug build are 10 KiB per frame, and 2 KiB per operator where lang-c copies its
/// tree.
const STACK_BASE: usize = 128 << 10;
const STACK_PER_FRAME: usize = 14 << 10;
const STACK_PER_OPERATOR: usize = 6 << 10;

/// Returns the stack size in bytes that a parse needs; the other stages need less for the same tree.
pub(crate) fn stack_for(nesting: Nesting) -> usize {
    STACK_BASE + nesting.frames * STACK_PER_FRAME + nesting.operators * STACK_PER_OPERATOR
}

/// The error for a stack that cannot be reserved.
pub(crate) const NO_STACK: &str = "source is nested too deeply for the address space that is left";

/// The state of the parse of one source.
struct Session<'a> {
    tokens: &'a [Token],
    map: &'a SourceMap,
    brackets: &'a Brackets,
    types: TypeNames,
    packs: Packs,
    /// The current state of the FP_CONTRACT pragma.
    fp_contract: Option<bool>,
    errors: usize,
    reparsed: usize,
    /// The facts that errors have left unknown.
    damage: Damage,
}

impl Session<'_> {
    fn item(&mut self, range: Range<usize>, diags: &mut Diags) -> Vec<ast::Item> {
        let range = self.start_of_item(range, diags);
        if range.is_empty() {
            return Vec::new();
        }
        let items = self.items_of(range.clone(), diags);
        items.unwrap_or_else(|| {
            let lost = self.tokens[range].iter();
            self.damage.lose(lost, self.map, &mut self.types);
            Vec::new()
        })
    }

    /// Skips pragmas before an item, and stray semicolons.
    fn start_of_item(&mut self, mut range: Range<usize>, diags: &mut Diags) -> Range<usize> {
        while let Some(t) = self.tokens.get(range.start).filter(|_| range.start < range.end) {
            match t.kind {
                TokenKind::Pragma => match pragma::parse(t.text(self.map)) {
                    Pragma::FpContract(on) => self.fp_contract = on,
                    Pragma::Unroll(_) | Pragma::UnrollName(_) => diags.warning(t.span, pragma::NO_LOOP),
                    Pragma::Extension | Pragma::Ignored | Pragma::Wrong(_) => {}
                },
                TokenKind::Punct(Punct::Semi) => {}
                _ => break,
            }
            range.start += 1;
        }
        range
    }

    /// Parses the declarations of an item. Returns `None` if it has a syntax error and no part of it can be
    /// used.
    fn items_of(&mut self, range: Range<usize>, diags: &mut Diags) -> Option<Vec<ast::Item>> {
        let unmatched = |i: usize| {
            let bracket = matches!(
                self.tokens[i].kind,
                TokenKind::Punct(
                    Punct::LParen
                        | Punct::RParen
                        | Punct::LBracket
                        | Punct::RBracket
                        | Punct::LBrace
                        | Punct::RBrace
                )
            );
            bracket && self.brackets.partner[i] == brackets::NONE
        };
        let mut dropped: Vec<Range<usize>> = Vec::new();
        // Bracket errors were reported before, so the statements that contain them are left out.
        let spoilt: Vec<usize> = range.clone().filter(|&i| unmatched(i)).collect();
        let mut failed = !spoilt.is_empty();
        for at in spoilt {
            let source = self.source(&dropped);
            let cx = error::Context {
                source: &source,
                text: None,
                range: range.clone(),
            };
            let statement = cx.statement_around(at)?;
            leave_out(&mut dropped, statement);
        }
        loop {
            let source = Source {
                tokens: self.tokens,
                partner: &self.brackets.partner,
                map: self.map,
                types: &self.types,
                packs: &self.packs,
                dropped: &dropped,
            };
            let mut quiet = Diags::default();
            let log: &mut Diags = if failed { &mut quiet } else { diags };
            let mut text = rewrite::rewrite(&source, range.clone(), log);
            let parsed = match grammar::parse(&text) {
                Some(unit) => Ok(unit),
                None => parse_as_c11(&mut text),
            };
            let error = match parsed {
                Ok(unit) => {
                    let (items, local_types) = self.lower(&source, text, unit, range.clone(), diags);
                    self.declare_types(&items, &local_types);
                    return self
                        .damage
                        .repaired(items, &dropped, &range, self.tokens, self.map);
                }
                Err(e) => e,
            };
            self.errors += 1;
            failed = true;
            let cx = error::Context {
                source: &source,
                text: Some(&text),
                range: range.clone(),
            };
            let (d, recovery) = error::explain(&cx, error.offset, &error.expected);
            diags.push(d);
            self.reparsed += error.source.len();
            if self.errors >= MAX_ERRORS || self.reparsed > MAX_REPARSED {
                return None;
            }
            match recovery {
                Recovery::Type(name) => {
                    self.types.assume(&name);
                    self.damage.doubt.names.insert(name);
                }
                Recovery::Drop(r) => {
                    if dropped.iter().any(|d| d.start <= r.start && r.end <= d.end) {
                        return None;
                    }
                    leave_out(&mut dropped, r);
                }
                Recovery::Item => return None,
            }
        }
    }

    /// Lowers lang-c's tree to ours. Also returns the type names of inner scopes, with whether they are
    /// vectors.
    fn lower(
        &self,
        source: &Source<'_>,
        text: Rewritten,
        unit: TranslationUnit,
        range: Range<usize>,
        diags: &mut Diags,
    ) -> (Vec<ast::Item>, HashMap<String, bool>) {
        let mut lower = Lower {
            source,
            text,
            diags,
            local_types: HashMap::default(),
            fp_contract: self.fp_contract,
            pragma_at: range.start,
            end: range.end,
            hints: Vec::new(),
        };
        let items = lower.unit(unit);
        lower.unused_hints(range.start);
        (items, lower.local_types)
    }

    fn source<'s>(&'s self, dropped: &'s [Range<usize>]) -> Source<'s> {
        Source {
            tokens: self.tokens,
            partner: &self.brackets.partner,
            map: self.map,
            types: &self.types,
            packs: &self.packs,
            dropped,
        }
    }

    fn declare_types(&mut self, items: &[ast::Item], vectors: &HashMap<String, bool>) {
        for item in items {
            let ast::Item::Declaration(d) = item else { continue };
            if !d.specs.storage.iter().any(|s| s.0 == ast::Storage::Typedef) {
                continue;
            }
            for name in d.declarators.iter().filter_map(|d| d.declarator.name.as_ref()) {
                self.types
                    .declare(&name.name, vectors.get(&name.name) == Some(&true));
            }
        }
    }
}

/// The greatest number of places in an item where two tokens `++` or `--` follow each other. lang-c tries to read each token
/// as one operator and as two, so that its time for a syntax error after them grows exponentially with their number. Two
/// of them in succession are an error in any case, because the result of either operator is no lvalue (C99, 6.5.2.4 and
/// 6.5.3.1).
const MAX_REPEATED_STEPS: usize = 8;

/// Parses with lang-c an item that `grammar` does not accept, or finds its syntax error.
fn parse_as_c11(item: &mut Rewritten) -> Result<TranslationUnit, SyntaxError> {
    item.render();
    let beyond = item.repeated_steps().nth(MAX_REPEATED_STEPS);
    if let Some(offset) = beyond {
        return Err(SyntaxError {
            source: std::mem::take(&mut item.text),
            line: 0,
            column: 0,
            offset,
            expected: std::collections::HashSet::new(),
        });
    }
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    parse_preprocessed(&config, std::mem::take(&mut item.text)).map(|parsed| parsed.unit)
}
