//! Random texts: sequences of words, and valid texts with changes.

/// The generator xorshift64*.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn one_of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

/// Words that are likely to reveal faults of a preprocessor or a parser.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "(", ")", "(", ")", "[", "]", "{", "}", "{", "}", ";", ";", ";", ",", ".", "->", "...", ":", "?", "+",
    "-", "*", "/", "%", "++", "--", "&", "|", "^", "~", "!", "&&", "||", "<<", ">>", "<", ">", "<=", "==",
    "=", "+=", "<<=", "#", "##", "\n#", "\n", "\n", "\\\n", " ", "int", "float", "float4", "uint", "void",
    "struct", "union", "enum", "typedef", "const", "volatile", "restrict", "static", "inline", "kernel",
    "__global", "local", "constant", "private", "read_only", "image2d_t", "if", "else", "for", "while",
    "do", "switch", "case", "default", "break", "continue", "return", "goto", "sizeof", "vec_step",
    "__attribute__((", "))", "__attribute__", "aligned", "opencl_unroll_hint", "typeof", "asm",
    "__builtin_offsetof", "_Generic", "_Static_assert", "_Pragma(\"unroll\")", "a", "b", "c", "f", "x", "S",
    "T", "M", "N", "__VA_ARGS__", "defined", "0", "1", "2.0f", "0x1p3", "1e", "09", "1.0h", "'a'", "'",
    "\"s\"", "\"", "\\", "@", "$", "é", "/*", "*/", "//", "#define M(x) x x\n", "#define N M(N)\n",
    "#define T(a, ...) a##__VA_ARGS__ #a\n", "M(", "N", "T(", "#if 1\n", "#if M(1) > 0\n", "#ifdef N\n",
    "#elif 1\n", "#else\n", "#endif\n", "#include \"a.h\"\n", "#include M\n", "#line 7 \"x\"\n",
    "#pragma unroll 4\n", "#pragma OPENCL FP_CONTRACT OFF\n", "#undef M\n", "#error x\n", "__LINE__",
    "__FILE__", "__COUNTER__", "NAN", "void f(int x) {", "int a[] = {", "(float4)(", "(int)", "for (;;)",
    "({", "})", "typedef struct {", "INFINITY",
];

/// Words in groups: any word of a group may replace another, and the program often stays valid.
#[rustfmt::skip]
const KINDS: &[&[&str]] = &[
    &[
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "bool",
        "int2", "int3", "uint4", "char16", "short8", "ulong2", "float2", "float3", "float4", "float16", "double2",
        "size_t", "uchar4",
    ],
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "<", ">", "<=", ">=", "==", "!=", ","],
    &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="],
    &["global", "local", "constant", "private"],
    &["__global", "__local", "__constant", "__private"],
    &["if", "while", "switch"],
    &["break", "continue", "return"],
    &["x", "y", "z", "w", "s0", "s1", "lo", "hi", "even", "odd", "xy", "xyz", "s01", "wzyx"],
    &["min", "max", "pow", "fmod", "atan2", "fmin", "fmax", "mad24", "hadd", "rotate", "dot", "distance"],
    &["sin", "cos", "sqrt", "fabs", "abs", "exp", "log", "floor", "length", "normalize", "clz", "popcount"],
    &["const", "volatile", "restrict"],
];

/// Numbers at boundaries.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "31",
    "32",
    "33",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x7fffffffffffffffL",
    "0xffffffffffffffffUL",
    "-1",
    "1.0f",
    "0.5",
    "1e30f",
    "3.0h",
];

/// Returns a sequence of words.
pub(crate) fn soup(r: &mut Random) -> String {
    let mut s = String::new();
    for _ in 0..r.below(200) {
        s.push_str(r.one_of(WORDS));
        if r.below(3) > 0 {
            s.push(' ');
        }
    }
    s
}

/// Changes a valid text.
pub(crate) fn mutate(r: &mut Random, seed: &str) -> String {
    let mut pieces = pieces(seed);
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
            _ => pieces.insert(at, r.one_of(WORDS)),
        }
    }
    pieces.concat()
}

/// Splits a text into words and single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text;
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
    pieces
}

/// Changes a program so that it may still compile: words are replaced by others of their group, names by
/// other names of the program, and statements are removed, duplicated and moved.
pub(crate) fn vary(r: &mut Random, seed: &str) -> String {
    let mut pieces = pieces(seed);
    let names: Vec<&str> = pieces.iter().copied().filter(|p| is_name(p)).collect();
    for _ in 0..1 + r.below(6) {
        let at = r.below(pieces.len());
        match r.below(8) {
            0 => move_statement(r, &mut pieces),
            1 if !names.is_empty() => {
                let from = (at..pieces.len()).find(|&i| is_name(pieces[i]));
                if let Some(i) = from {
                    pieces[i] = names[r.below(names.len())];
                }
            }
            2 | 3 => {
                let number = |p: &str| p.starts_with(|c: char| c.is_ascii_digit());
                if let Some(i) = (at..pieces.len()).find(|&i| number(pieces[i])) {
                    pieces[i] = r.one_of(NUMBERS);
                }
            }
            _ => {
                let kind = |p: &str| KINDS.iter().find(|k| k.contains(&p));
                if let Some((i, k)) = (at..pieces.len()).find_map(|i| Some((i, kind(pieces[i])?))) {
                    pieces[i] = r.one_of(k);
                }
            }
        }
    }
    pieces.concat()
}

fn is_name(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Removes, duplicates or moves a statement, or the text between two semicolons.
fn move_statement(r: &mut Random, pieces: &mut Vec<&str>) {
    let ends: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i] == ";").collect();
    if ends.len() < 3 {
        return;
    }
    let n = r.below(ends.len() - 1);
    let (lo, hi) = (ends[n] + 1, ends[n + 1] + 1);
    let statement = pieces[lo..hi].to_vec();
    let how = r.below(3);
    if how > 0 {
        let to = ends[r.below(ends.len())] + 1;
        pieces.splice(to..to, statement);
        if how == 1 {
            return;
        }
    }
    // The copy may have shifted the statement; then other text is removed.
    pieces.drain(lo..hi);
}

/// Texts before and after a part that nest it: expressions, statements, directives.
#[rustfmt::skip]
const NESTS: &[(&str, &str)] = &[
    ("(", ")"), ("{", "}"), ("[", "]"), ("f(", ")"), ("(int)", ""), ("(float4)(", ")"), ("-", ""), ("!", ""), ("~", ""),
    ("*", ""), ("&", ""), ("sizeof(", ")"), ("a[", "]"), ("(a ? ", " : 1)"), ("a ? 1 : ", ""), ("a = ", ""), ("x + (", ")"),
    ("if (a) ", ""), ("if (a) ; else ", ""), ("if (a) { ", " } else { }"), ("for (;;) ", ""), ("while (a) ", ""), ("do ", " while (a);"),
    ("switch (a) { case 1: ", " }"), ("L: ", ""), ("case 1: ", ""), ("({ ", "; })"), ("struct { ", " } a;"), ("int (*", ")(int)"),
    ("max(", ", 1)"), ("native_sin(", ")"), ("\n#if 1\n", "\n#endif\n"), ("M(", ")"), ("__attribute__((aligned(", ")))"),
];

/// Texts between the links of a chain.
const LINKS: &[&str] = &[
    " + ",
    " * ",
    " && ",
    " , ",
    ", ",
    " = ",
    " ? 1 : ",
    ".x",
    "[0]",
    "->a",
    "()",
    "++ ",
    "; ",
    ";\n",
    " else ",
    " else if (a) ",
    " ",
    "\n",
    " << ",
    " == ",
    " . ",
    "(",
    " int ",
    " case 1: ",
    " L: ",
    "\\\n",
    "##",
    " \"s\" ",
    ":",
];

/// Makes a part of a program deep or long: it is nested in many brackets, statements or operators, or
/// repeated many times.
pub(crate) fn stretch(r: &mut Random, seed: &str) -> String {
    const TIMES: &[usize] = &[2, 5, 20, 100, 150, 240, 256, 300, 1000, 2000, 4100];
    let mut pieces: Vec<String> = pieces(seed).into_iter().map(String::from).collect();
    for _ in 0..1 + r.below(2) {
        let from = r.below(pieces.len());
        let to = (from + 1 + r.below(12)).min(pieces.len());
        let part = pieces[from..to].concat();
        let times = TIMES[r.below(TIMES.len())];
        let stretched = match r.below(3) {
            0 => {
                let &(before, after) = &NESTS[r.below(NESTS.len())];
                format!("{}{part}{}", before.repeat(times), after.repeat(times))
            }
            1 => {
                let link = r.one_of(LINKS);
                let part = if r.below(2) == 0 { "a" } else { &part };
                vec![part; (20_000 / part.len().max(1)).min(times)].join(link)
            }
            // Nest several constructs in each other.
            _ => (0..times.min(300)).fold(part, |inner, _| {
                let &(before, after) = &NESTS[r.below(NESTS.len())];
                format!("{before}{inner}{after}")
            }),
        };
        pieces.splice(from..to, [stretched]);
    }
    // Make one more small change, so that parsers find an error.
    let text = pieces.concat();
    match r.below(2) {
        0 => text,
        _ => mutate(r, &text),
    }
}
