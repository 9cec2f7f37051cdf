//! Random input for the preprocessor and the parser: no panic, no hang, and every diagnostic can be rendered.
//! A few seconds; `CALDERA_FUZZ_SECONDS` and `CALDERA_FUZZ_SEED` change that.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::time::{Duration, Instant};

use caldera_compiler::diag::Diags;
use caldera_compiler::options::Options;
use caldera_compiler::pp;
use caldera_compiler::source::SourceMap;
use caldera_compiler::syntax;
use caldera_compiler::target::Target;

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }
}

const WORDS: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{",
    "}",
    ";",
    ";",
    ";",
    ",",
    ".",
    "->",
    "...",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "<<",
    ">>",
    "<",
    ">",
    "<=",
    "==",
    "=",
    "+=",
    "<<=",
    "#",
    "##",
    "\n#",
    "\n",
    "\n",
    "\\\n",
    " ",
    "int",
    "float",
    "float4",
    "uint",
    "void",
    "struct",
    "union",
    "enum",
    "typedef",
    "const",
    "volatile",
    "restrict",
    "static",
    "inline",
    "kernel",
    "__global",
    "local",
    "constant",
    "private",
    "read_only",
    "image2d_t",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "vec_step",
    "__attribute__((",
    "))",
    "__attribute__",
    "aligned",
    "opencl_unroll_hint",
    "typeof",
    "asm",
    "__builtin_offsetof",
    "_Generic",
    "_Static_assert",
    "_Pragma(\"unroll\")",
    "a",
    "b",
    "c",
    "f",
    "x",
    "S",
    "T",
    "M",
    "N",
    "__VA_ARGS__",
    "defined",
    "0",
    "1",
    "2.0f",
    "0x1p3",
    "1e",
    "09",
    "1.0h",
    "'a'",
    "'",
    "\"s\"",
    "\"",
    "\\",
    "@",
    "$",
    "é",
    "/*",
    "*/",
    "//",
    "#define M(x) x x\n",
    "#define N M(N)\n",
    "#define T(a, ...) a##__VA_ARGS__ #a\n",
    "M(",
    "N",
    "T(",
    "#if 1\n",
    "#if M(1) > 0\n",
    "#ifdef N\n",
    "#elif 1\n",
    "#else\n",
    "#endif\n",
    "#include \"a.h\"\n",
    "#include M\n",
    "#line 7 \"x\"\n",
    "#pragma unroll 4\n",
    "#pragma OPENCL FP_CONTRACT OFF\n",
    "#undef M\n",
    "#error x\n",
    "__LINE__",
    "__FILE__",
    "__COUNTER__",
    "NAN",
    "void f(int x) {",
    "int a[] = {",
    "(float4)(",
    "(int)",
    "for (;;)",
    "({",
    "})",
    "typedef struct {",
    "INFINITY",
];

fn soup(r: &mut Random) -> String {
    let mut s = String::new();
    for _ in 0..r.below(200) {
        s.push_str(r.word());
        if r.below(3) > 0 {
            s.push(' ');
        }
    }
    s
}

/// Changes a text that makes sense.
fn mutate(r: &mut Random, seed: &str) -> String {
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = seed;
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let n = rest
            .find(|d: char| word(d) != word(c))
            .unwrap_or(rest.len())
            .min(if word(c) { rest.len() } else { c.len_utf8() });
        let (piece, after) = rest.split_at(n.max(c.len_utf8()));
        pieces.push(piece);
        rest = after;
    }
    for _ in 0..1 + r.below(8) {
        let at = r.below(pieces.len() + 1);
        match r.below(5) {
            0 if at < pieces.len() => {
                pieces.remove(at);
            }
            1 if at < pieces.len() => {
                let end = (at + r.below(40)).min(pieces.len());
                pieces.drain(at..end);
            }
            2 if at < pieces.len() => {
                let end = (at + r.below(40)).min(pieces.len());
                let copy: Vec<&str> = pieces[at..end].to_vec();
                let to = r.below(pieces.len() + 1);
                pieces.splice(to..to, copy);
            }
            3 if at < pieces.len() => {
                let other = r.below(pieces.len());
                pieces.swap(at, other);
            }
            _ => pieces.insert(at, r.word()),
        }
    }
    pieces.concat()
}

fn compile(source: &str) {
    let mut map = SourceMap::default();
    let main = map.add("fuzz.cl", source);
    let mut diags = Diags::default();
    let target = Target::desktop();
    let tokens = pp::preprocess(
        &mut map,
        main,
        &Options::default(),
        &target,
        &pp::NoIncludes,
        &mut diags,
    );
    let text = pp::tokens_to_text(&tokens, &map);
    let failed = diags.has_errors();
    let unit = syntax::parse(&tokens, &map, &mut diags);
    let log = diags.render(&map);
    assert!(diags.is_empty() || !log.is_empty());
    // What was preprocessed is itself a source with the same tokens, unless predefined macros come back to life.
    if !failed && !source.contains("undef") && !source.contains("kernel_exec") {
        let mut map = SourceMap::default();
        let main = map.add("again.cl", text.as_str());
        let mut again = Diags::default();
        let second = pp::preprocess(
            &mut map,
            main,
            &Options::default(),
            &target,
            &pp::NoIncludes,
            &mut again,
        );
        if !tokens.iter().any(|t| {
            matches!(
                t.kind,
                pp::TokenKind::Punct(pp::Punct::Hash | pp::Punct::HashHash)
            )
        }) {
            let kinds = |list: &[pp::Token]| list.iter().map(|t| t.kind).collect::<Vec<_>>();
            assert_eq!(kinds(&tokens), kinds(&second), "preprocessed text: {text}");
        }
    }
    drop(unit);
}

#[test]
fn front_end() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let limit = Duration::from_secs(number("CALDERA_FUZZ_SECONDS").unwrap_or(3));
    let mut seed = number("CALDERA_FUZZ_SEED").unwrap_or(1);
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut seeds = Vec::new();
    for sub in ["ui", "pp"] {
        let Ok(list) = std::fs::read_dir(dir.join(sub)) else {
            continue;
        };
        let mut paths: Vec<_> = list.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        for p in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "cl")) {
            seeds.push(std::fs::read_to_string(p).unwrap());
        }
    }
    let begin = Instant::now();
    let mut runs = 0u32;
    while begin.elapsed() < limit {
        let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = if r.below(2) == 0 {
            soup(&mut r)
        } else {
            mutate(&mut r, &seeds[seed as usize % seeds.len()])
        };
        let start = Instant::now();
        let result = std::panic::catch_unwind(|| compile(&text));
        assert!(result.is_ok(), "CALDERA_FUZZ_SEED={seed} panics on:\n{text}");
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "CALDERA_FUZZ_SEED={seed} takes {:?}:\n{text}",
            start.elapsed()
        );
        seed += 1;
        runs += 1;
    }
    assert!(runs > 10, "only {runs} runs");
}
