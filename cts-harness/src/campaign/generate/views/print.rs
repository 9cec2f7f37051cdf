//! Writes a program as text.

use super::{
    Access, AccessForm, BYTES, Declared, GROUP, Number, Object, PRIME, Pointer, Program, Space, Statement,
    VARIABLES, execute,
};
use crate::types::int;

impl Space {
    fn word(self) -> &'static str {
        match self {
            Space::Private => "private",
            Space::Local => "local",
            Space::Global => "global",
            Space::Constant => "constant",
        }
    }
}

/// The structures that are assigned, none of which has padding, and one that has the size of an object.
const STRUCTURES: &str = "struct S6 { ushort a; uchar b[4]; };\nstruct S12 { uint a; ushort b; uchar c[6]; };\n\
    struct S24 { ulong a; uint b; ushort c[6]; };\nstruct S32 { uint4 a; struct S12 b; uint c; };\n\
    struct S128 { struct S24 a; uchar b[4]; ushort c[2]; ulong d; ulong e; uint4 f; struct S32 g; uchar h[32]; };\n";

/// The macros that mix values into a variable.
fn macros() -> String {
    let mut text = format!("#define MIX(v, x) v = (v ^ (ulong)(x)) * {PRIME:#x}UL;\n");
    for n in [2, 3, 4, 8, 16] {
        let all: String = (0..n).map(|e| format!(" MIX(v, r.s{e:x})")).collect();
        text += &format!("#define MIX{n}(v, x, T) {{ const T r = x;{all} }}\n");
    }
    text
}

/// Returns the name of a type of unsigned integers of `size` bytes.
fn integers(size: usize, n: usize) -> String {
    int(8 * size as u32, false, n).name()
}

pub(super) fn text(program: &Program) -> String {
    let mut text = format!("{STRUCTURES}{}", macros());
    for (o, object) in program.objects.iter().enumerate() {
        if object.space == Space::Constant {
            let bytes: Vec<String> = (0..BYTES)
                .map(|b| execute::initial(program, o, 0, b).to_string())
                .collect();
            let bytes = bytes.join(", ");
            text += &format!("constant uchar o{o}[{BYTES}] __attribute__((aligned(16))) = {{{bytes}}};\n");
        }
    }
    for (f, function) in program.functions.iter().enumerate() {
        let space = function.space.word();
        let variables: String = (1..VARIABLES).map(|v| format!("ulong v{v} = 0; ")).collect();
        text += &format!("ulong f{f}({space} uchar *p, ulong v0) {{\n{variables}\n");
        Printer { program, loops: 0 }.body(&function.body, &mut text);
        text += "return v0;\n}\n";
    }
    let words = program.words();
    text += &format!(
        "kernel void k(global ulong *out) {{\nconst uint me = get_global_id(0), lid = get_local_id(0);\nout += me * {words}u;\n"
    );
    for (o, object) in program.objects.iter().enumerate() {
        text += &declaration(o, object.space, object.declared);
        if object.space != Space::Constant {
            text += &beginning(o, object);
        }
    }
    for v in 0..VARIABLES {
        text += &format!("ulong v{v} = {PRIME:#x}UL * (me + {}u);\n", v + 1);
    }
    for (p, space) in program.pointers.iter().enumerate() {
        let first = program
            .objects
            .iter()
            .position(|o| o.space == *space)
            .unwrap_or(0);
        text += &format!("{} uchar *q{p} = o{first};\n", space.word());
    }
    Printer { program, loops: 0 }.body(&program.body, &mut text);
    for (o, object) in program.objects.iter().enumerate() {
        if object.space != Space::Global && program.dumped {
            text += &dump(o, object);
        }
    }
    for v in 0..VARIABLES {
        text += &format!("out[{}] = v{v};\n", program.objects.len() * BYTES / 8 + v);
    }
    text + "}\n"
}

/// Returns the declaration of an object, and that of a pointer to the bytes of the work-item.
fn declaration(o: usize, space: Space, declared: Declared) -> String {
    let (ty, count) = match declared {
        Declared::Elements(size, n) => (integers(size, n), BYTES / size / n),
        Declared::Structure => ("struct S128".to_owned(), 1),
    };
    let aligned = "__attribute__((aligned(16)))";
    match space {
        Space::Constant => String::new(),
        Space::Global => format!(
            "global uchar *const o{o} = (global uchar *)(out + {}u);\n",
            o * BYTES / 8
        ),
        Space::Private => {
            format!("{ty} a{o}[{count}] {aligned};\nprivate uchar *const o{o} = (private uchar *)a{o};\n")
        }
        Space::Local => format!(
            "local {ty} a{o}[{}] {aligned};\nlocal uchar *const o{o} = (local uchar *)(a{o} + lid * {count}u);\n",
            count * GROUP
        ),
    }
}

/// Returns the statement that gives an object its first values.
fn beginning(o: usize, object: &Object) -> String {
    let [word, number, item] = execute::FACTORS;
    let rest = format!("{}u + (me + 1u) * {item}u", (o as u32 + 1).wrapping_mul(number));
    let at = |index: String| format!("(({index} + 1u) * {word}u + {rest})");
    let (size, n) = match object.declared {
        Declared::Elements(size, n) if object.sizes.contains(&size) => (size, n),
        _ => (object.sizes[0], 1),
    };
    let element = |index: String| match size {
        8 => format!(
            "({} | (ulong){} << 32)",
            at(format!("{index} * 2u")),
            at(format!("({index} * 2u + 1u)"))
        ),
        4 => at(index),
        _ => format!(
            "({} >> {index} * {}u % 32u)",
            at(format!("{index} * {size}u / 4u")),
            size * 8
        ),
    };
    let ty = integers(size, n);
    let all: Vec<String> = (0..n).map(|e| element(format!("(i * {n}u + {e}u)"))).collect();
    let value = format!("({ty})({})", all.join(", "));
    let (space, count) = (object.space.word(), BYTES / size / n);
    format!("for (uint i = 0; i < {count}u; i++) (({space} {ty} *)o{o})[i] = {value};\n")
}

/// Returns the statement that makes the bytes of an object results.
fn dump(o: usize, object: &Object) -> String {
    let (space, size) = (object.space.word(), object.sizes[object.sizes.len() - 1]);
    let (ty, begin) = (integers(size, 1), o * BYTES / 8);
    let all: Vec<String> = (0..8 / size)
        .map(|e| {
            let load = format!("((const {space} {ty} *)o{o})[i * {}u + {e}u]", 8 / size);
            format!("(ulong){load} << {}", e * size * 8)
        })
        .collect();
    let (words, value) = (BYTES / 8, all.join(" | "));
    format!("for (uint i = 0; i < {words}u; i++) out[{begin}u + i] = {value};\n")
}

struct Printer<'p> {
    program: &'p Program,
    /// The number of loops around the statement.
    loops: usize,
}

impl Printer<'_> {
    fn number(&self, number: Number) -> String {
        match number {
            Number::Constant(x) => format!("{x}u"),
            Number::Variable(v) => format!("(uint)v{v}"),
            Number::Counter(out, plus) => match (self.loops > out, plus) {
                (true, 0) => format!("i{}", self.loops - 1 - out),
                (true, _) => format!("(i{} + {plus}u)", self.loops - 1 - out),
                (false, _) => format!("{plus}u"),
            },
            Number::Item => "(uint)get_global_id(0)".into(),
        }
    }

    fn pointer(&self, pointer: Pointer) -> (String, &'static str) {
        match pointer {
            Pointer::Object(o) => (format!("o{o}"), self.program.objects[o].space.word()),
            Pointer::Variable(p) => (format!("q{p}"), self.program.pointers[p].word()),
            Pointer::Parameter(space) => ("p".into(), space.word()),
        }
    }

    /// Returns an index that is in range.
    fn index(&self, access: &Access) -> String {
        let (_, count) = access.places();
        match access.index {
            Number::Constant(x) => format!("{}u", x as usize % count),
            other => format!("{} % {count}u", self.number(other)),
        }
    }

    /// Returns an lvalue of a type.
    fn at(&self, access: &Access, ty: &str) -> String {
        let ((pointer, space), (step, _)) = (self.pointer(access.pointer), access.places());
        let index = self.index(access);
        match access.form {
            AccessForm::Index => format!("(({space} {ty} *){pointer})[{index}]"),
            AccessForm::Offset | AccessForm::Vload => {
                format!("*({space} {ty} *)({pointer} + ({index}) * {step}u)")
            }
        }
    }

    fn load(&self, access: &Access) -> String {
        let ty = integers(access.size, access.n);
        match (access.form, access.n) {
            (AccessForm::Vload, n) if n > 1 => {
                let ((pointer, space), element) = (self.pointer(access.pointer), integers(access.size, 1));
                let index = self.index(access);
                format!("vload{n}(0, (const {space} {element} *){pointer} + {index})")
            }
            _ => self.at(access, &ty),
        }
    }

    fn store(&self, access: &Access, ty: &str, element: &str, value: &str) -> String {
        match (access.form, access.n) {
            (AccessForm::Vload, n) if n > 1 => {
                let (pointer, space) = self.pointer(access.pointer);
                let index = self.index(access);
                format!("vstore{n}({value}, 0, ({space} {element} *){pointer} + {index});\n")
            }
            _ => format!("{} = {value};\n", self.at(access, ty)),
        }
    }

    /// Returns a value of elements.
    fn value(ty: &str, n: usize, element: impl Fn(usize) -> String) -> String {
        let all: Vec<String> = (0..n).map(element).collect();
        match n {
            1 => all[0].clone(),
            _ => format!("({ty})({})", all.join(", ")),
        }
    }

    fn body(&mut self, body: &[Statement], text: &mut String) {
        for statement in body {
            self.statement(statement, text);
        }
    }

    fn statement(&mut self, statement: &Statement, text: &mut String) {
        let line = match statement {
            Statement::Load(v, access) => {
                let (ty, value) = (integers(access.size, access.n), self.load(access));
                match access.n {
                    1 => format!("MIX(v{v}, {value})\n"),
                    n => format!("MIX{n}(v{v}, ({value}), {ty})\n"),
                }
            }
            Statement::Store(access, v) => {
                let (ty, element) = (integers(access.size, access.n), integers(access.size, 1));
                let value = Self::value(&ty, access.n, |e| format!("({element})(v{v} >> {})", e * 3));
                self.store(access, &ty, &element, &value)
            }
            Statement::StoreFloat(access, v) => {
                let ty = integers(4, access.n).replace("uint", "float");
                let value = Self::value(&ty, access.n, |e| {
                    format!("as_float((uint)(v{v} >> {}) & 0x7fffffu | 0x3f800000u)", e * 3)
                });
                self.store(access, &ty, "float", &value)
            }
            Statement::Atomic(v, access) => format!(
                "MIX(v{v}, atomic_xor(&{}, (uint)v{v}))\n",
                self.at(access, "uint")
            ),
            Statement::Copy(to, from) => {
                let ty = format!("struct S{}", to.bytes());
                format!("{} = {};\n", self.at(to, &ty), self.at(from, &ty))
            }
            Statement::Choose(p, (v, bit), [a, b]) => format!(
                "q{p} = v{v} >> {bit} & 1 ? o{} + {} : o{} + {};\n",
                a.0, a.1, b.0, b.1
            ),
            Statement::Exchange(p, q) => {
                let space = self.program.pointers[*p].word();
                format!("{{ {space} uchar *const q = q{p}; q{p} = q{q}; q{q} = q; }}\n")
            }
            Statement::Walk {
                variable: v,
                access,
                count,
                stores,
            } => {
                let (ty, (_, space)) = (integers(access.size, 1), self.pointer(access.pointer));
                let (place, count) = (self.at(access, &ty), self.number(*count));
                let store = if *stores {
                    format!("; *w = ({ty})v{v}")
                } else {
                    String::new()
                };
                format!(
                    "for ({space} {ty} *w = &{place}, *e = w + {count} % 8u + 1u; w != e; w++) {{ MIX(v{v}, *w){store}; }}\n"
                )
            }
            Statement::If(v, bit, a, b) => {
                *text += &format!("if (v{v} >> {bit} & 1) {{\n");
                self.body(a, text);
                if !b.is_empty() {
                    *text += "} else {\n";
                    self.body(b, text);
                }
                "}\n".into()
            }
            Statement::Loop(n, body) => {
                let (count, i) = (self.number(*n), self.loops);
                *text += &format!("for (uint i{i} = 0, n{i} = {count} % 8u + 1u; i{i} < n{i}; i{i}++) {{\n");
                self.loops += 1;
                self.body(body, text);
                self.loops -= 1;
                "}\n".into()
            }
            Statement::Call(f, v, pointer) => {
                format!("MIX(v{v}, f{f}({}, v{v}))\n", self.pointer(*pointer).0)
            }
            Statement::Mix(v, from, with) => format!("MIX(v{v}, v{from} ^ {with:#x}UL)\n"),
        };
        *text += &line;
    }
}
