//! The parser for sources without syntax errors: C99 by recursive descent over lexemes, without backtracking.
//!
//! It builds lang-c's tree, so that [`super::lower`] serves both parsers, about ten times faster than lang-c.
//! An item that this parser does not accept is parsed again by lang-c, which finds the error and the tokens
//! expected there, and accepts the rest of C11 and GNU C (`typeof`, `asm`, `_Generic`, old-style parameters).
//! So this parser rejects nothing, and where it accepts an item its tree must equal lang-c's; a test compares
//! them. Only `_Static_assert` without a message is accepted by this parser alone. The positions in nodes are indices of lexemes.

mod decl;
mod expr;
mod stmt;

use lang_c::ast as c;
use lang_c::span::{Node, Span};

use super::rewrite::{Lexeme, Rewritten};
use crate::pp::{Keyword, Punct};

/// Parses an item. Returns `None` if lang-c must parse it.
pub(super) fn parse(item: &Rewritten) -> Option<c::TranslationUnit> {
    let mut is_type = vec![false; item.names as usize];
    for &n in &item.type_names {
        is_type[n as usize] = true;
    }
    let mut parser = Parser {
        lexemes: &item.lexemes,
        at: 0,
        is_type,
        hidden: Vec::new(),
    };
    let mut unit = Vec::new();
    while parser.at < parser.lexemes.len() {
        unit.push(parser.external()?);
    }
    Some(c::TranslationUnit(unit))
}

struct Parser<'a> {
    lexemes: &'a [Lexeme],
    /// The index of the next lexeme.
    at: usize,
    /// Whether each name is a type in the current scope.
    is_type: Vec<bool>,
    /// The names whose meaning the open scopes changed, with whether each was a type before.
    hidden: Vec<(u32, bool)>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Lexeme> {
        self.lexemes.get(self.at).copied()
    }

    /// Returns the lexeme after the next one.
    fn second(&self) -> Option<Lexeme> {
        self.lexemes.get(self.at + 1).copied()
    }

    fn is(&self, p: Punct) -> bool {
        self.peek() == Some(Lexeme::Punct(p))
    }

    fn keyword(&self) -> Option<Keyword> {
        match self.peek() {
            Some(Lexeme::Keyword(k)) => Some(k),
            _ => None,
        }
    }

    /// Skips a punctuator if it is next, and returns whether it was.
    fn take(&mut self, p: Punct) -> bool {
        let found = self.is(p);
        self.at += usize::from(found);
        found
    }

    /// Skips a punctuator, which must be next.
    fn expect(&mut self, p: Punct) -> Option<()> {
        self.take(p).then_some(())
    }

    fn expect_keyword(&mut self, k: Keyword) -> Option<()> {
        (self.keyword() == Some(k)).then(|| self.at += 1)
    }

    /// Returns the span from a lexeme to the last lexeme read.
    fn span(&self, start: usize) -> Span {
        Span::span(start, self.at)
    }

    fn node<T>(&self, node: T, start: usize) -> Node<T> {
        Node::new(node, self.span(start))
    }

    /// Reads a name, which must be next. lang-c's identifiers have no text here; their positions identify
    /// them.
    fn identifier(&mut self) -> Option<(u32, Node<c::Identifier>)> {
        let Some(Lexeme::Name(n)) = self.peek() else {
            return None;
        };
        self.at += 1;
        let identifier = c::Identifier { name: String::new() };
        Some((n, self.node(identifier, self.at - 1)))
    }

    /// Declares a name in the innermost scope.
    fn declare(&mut self, name: u32, is_type: bool) {
        let slot = &mut self.is_type[name as usize];
        if *slot != is_type {
            self.hidden.push((name, *slot));
            *slot = is_type;
        }
    }

    /// Runs `inside` in a scope of its own.
    fn scope<T>(&mut self, inside: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = self.hidden.len();
        let result = inside(self);
        while self.hidden.len() > outer {
            if let Some((name, was)) = self.hidden.pop() {
                self.is_type[name as usize] = was;
            }
        }
        result
    }

    fn names_type(&self, lexeme: Lexeme) -> bool {
        match lexeme {
            Lexeme::Name(n) => self.is_type[n as usize],
            Lexeme::Keyword(k) => {
                k.is_type() || matches!(k, Keyword::Const | Keyword::Volatile | Keyword::Restrict)
            }
            Lexeme::Constant | Lexeme::Str | Lexeme::Punct(_) => false,
        }
    }

    /// Returns whether a type name in parentheses is next.
    fn at_type_in_parentheses(&self) -> bool {
        self.is(Punct::LParen) && self.second().is_some_and(|l| self.names_type(l))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Damage, Packs, Session, TypeNames, brackets, parse_as_c11, rewrite};
    use super::parse;
    use crate::diag::Diags;
    use crate::options::Options;
    use crate::pp;
    use crate::source::SourceMap;
    use crate::target::Target;
    use std::path::{Path, PathBuf};

    /// The number of items, and the number that only lang-c accepted.
    #[derive(Default)]
    struct Count {
        items: usize,
        left: usize,
        wrong: Vec<String>,
    }

    /// Parses each item with both parsers. Their trees must be equal, and lang-c must accept every item that
    /// this parser accepts.
    fn compare(name: &str, text: &str, count: &mut Count) {
        let mut map = SourceMap::default();
        let file = map.add(name, text);
        let mut diags = Diags::default();
        let options = Options::default();
        let target = Target::desktop();
        let tokens = pp::preprocess(&mut map, file, &options, &target, &pp::NoIncludes, &mut diags);
        let brackets = brackets::match_brackets(&tokens, &mut diags);
        if brackets::nesting(&tokens[..brackets.usable]).is_err() {
            return;
        }
        let mut session = Session {
            tokens: &tokens,
            map: &map,
            brackets: &brackets,
            types: TypeNames::default(),
            packs: Packs::default(),
            fp_contract: None,
            errors: 0,
            reparsed: 0,
            damage: Damage::default(),
        };
        for range in brackets::split(&tokens, &brackets) {
            let source = session.source(&[]);
            let ours = rewrite::rewrite(&source, range.clone(), &mut Diags::default());
            let unit = parse(&ours);
            let mut theirs = rewrite::rewrite(&source, range.clone(), &mut Diags::default());
            let expected = parse_as_c11(&mut theirs);
            count.items += 1;
            match (unit, expected) {
                (Some(unit), Ok(expected)) => {
                    let (mut log, mut expected_log) = (Diags::default(), Diags::default());
                    let unit = session.lower(&source, ours, unit, range.clone(), &mut log);
                    let expected = session.lower(&source, theirs, expected, range.clone(), &mut expected_log);
                    if unit != expected {
                        let (a, b) = (format!("{unit:#?}"), format!("{expected:#?}"));
                        let line = a.lines().zip(b.lines()).position(|(a, b)| a != b).unwrap_or(0);
                        let from = line.saturating_sub(12);
                        let part = |s: &str| s.lines().skip(from).take(24).collect::<Vec<_>>().join("\n");
                        let report = format!("{name}:\n{}\nshould be\n{}", part(&a), part(&b));
                        count.wrong.push(report);
                    }
                    let (log, expected) = (log.render(&map), expected_log.render(&map));
                    if log != expected {
                        count.wrong.push(format!("{name}:\n{log}\nshould be\n{expected}"));
                    }
                }
                (Some(_), Err(e)) => count.wrong.push(format!("{name}: to lang-c it is wrong: {e:?}")),
                (None, Ok(_)) => count.left += 1,
                (None, Err(_)) => {}
            }
            let _ = session.item(range, &mut diags);
        }
    }

    fn sources(dir: &Path, list: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, list);
            } else if path.extension().is_some_and(|e| e == "cl") {
                list.push(path);
            }
        }
    }

    fn compare_all(dir: &Path, count: &mut Count) {
        let mut list = Vec::new();
        sources(dir, &mut list);
        assert!(!list.is_empty(), "no sources in {}", dir.display());
        for path in list {
            let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a readable file")).into_owned();
            compare(&path.display().to_string(), &text, count);
        }
    }

    #[test]
    fn trees_are_the_same_as_lang_c_s() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut all = Count::default();
        for dir in ["tests", "src/builtins/lib"] {
            compare_all(&root.join(dir), &mut all);
        }
        assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n\n"));
        assert!(
            all.left * 50 < all.items,
            "{} of {} items are left to lang-c",
            all.left,
            all.items
        );
    }

    #[test]
    fn corner_cases_are_the_same_as_lang_c_s() {
        let mut count = Count::default();
        let sources = [
            "typedef int T; void f(T *T) { T = 0; } int g(int (T), int (*p)(T), int (*)(int), int[3]);",
            "typedef int T; void f(int a) { { T T = a; T * a; } T *b; (T)(a) + 1; (T)-a; sizeof(T); sizeof (a); }",
            "typedef int T; void f(int a) { for (int T = 0; T < a; T++) T * a; T *p; T: a++; if (a) T: a--; }",
            "void f(int a) { a ? a, 1 : a ? 2 : 3; a = a += a ? a : a; a?:1; (a) = 2; *&a = -~!a; ++a--; }",
            "void f(int a) { do a--; while (a); if (a) if (a) ; else ; else { } switch (a) { case 1 ... 3: case 4: default: ; } }",
            "enum E { A, B = 3, C = A ? B : 2, } e; struct S { int a : 3, : 0, b; union { int c; float d[2]; }; } *s, t = { .a = 1, 2 };",
            "int a[] = { [0] = 1, [2 ... 4] = 5, }, b[2][2] = { { 1 }, {} }; struct S; union U *u; struct { int x; } v;",
            "int f() { return ({ int x = 1; x; }) + (int4)(1, 2, 3, 4).x + ((float2){ 1, 2 }).y + (int){ 3 }; }",
            "int (*f(int))[3]; int (*(*g)(void))(int, ...); int *const volatile *restrict p; unsigned long int l; const int k = 1;",
            "_Static_assert(1, \"a\" \"b\"); void f(void) { _Static_assert(sizeof(int) == 4, \"\"); return; }",
            "void f(int a) { goto x; x: y: a++; while (a) { break; continue; } for (;;) ; for (a = 1; a; a++, a) { } z: }",
            "typedef struct N { struct N *n; } N, *P; static inline N f(P p, N n) { return p->n[1].n->n == p ? *p : n; }",
            "int f(a) int a; { return a; } typeof(int) x; int y = _Generic(1, int: 2); long v = __builtin_offsetof(struct S, a.b[2]);",
            "x = 3; int; unsigned void z; int f(int, ) { } void g(float4 float4) { float4.x; } typedef int U = 3; int q[static 3];",
        ];
        for source in sources {
            compare("t.cl", source, &mut count);
        }
        assert!(count.wrong.is_empty(), "{}", count.wrong.join("\n\n"));
        assert!(count.items > 30, "{}", count.items);
    }

    /// Functions with labels are not left to lang-c, which takes ten times as long.
    #[test]
    fn labels_are_taken() {
        let mut count = Count::default();
        let source = "void f(int a) { goto x; x: y: a++; { if (a) x2: goto y; else z: ; } switch (a) { case 1: w: a = 1; default: v: ; } }";
        compare("t.cl", source, &mut count);
        assert!(count.wrong.is_empty(), "{}", count.wrong.join("\n\n"));
        assert_eq!((count.items, count.left), (1, 0));
    }
}
