//! Generates statements, helper functions and structures.

use super::choices::Choices;
use super::{Function, Generator, Parameter, Place, Structure, WIDTHS, element};
use crate::types::{INT, Type, UINT, int};

/// The atomic functions that the programs call. Each has a counter of its own, so that the result does not
/// depend on the order of the calls.
const ATOMICS: [&str; 8] = ["add", "sub", "min", "max", "and", "or", "xor", "inc"];

impl Generator {
    /// Returns some statements. Their declarations are out of scope afterwards.
    pub(super) fn block(&mut self, statements: usize, depth: usize) -> String {
        let scope = self.places.len();
        let text: String = (0..statements).map(|_| self.statement(depth)).collect();
        self.places.truncate(scope);
        text
    }

    /// Returns a random statement, in which statements are nested at most `depth` deep.
    pub(super) fn statement(&mut self, depth: usize) -> String {
        if self.fuel < 0 {
            return self.assignment(1);
        }
        if let Some(text) = self.later_statement() {
            return text;
        }
        match self.below(if depth == 0 { 14 } else { 28 }) {
            0..3 => self.declaration(),
            3..7 => self.assignment(3),
            7 => self.array(),
            8 => self.pointer(),
            9 => self.object(),
            10 => self.union(),
            11 => self.part(),
            12 => self.vector_memory(),
            13 => self.atomic().unwrap_or_else(|| self.call_statement()),
            14..17 => self.choice(depth - 1),
            17..20 => self.repetition(depth - 1),
            20 => self.switch(depth - 1),
            21 => self.jump(depth - 1),
            22 => self.call_statement(),
            24.. => self.effect(depth - 1),
            _ => format!("{{\n{}}}\n", self.block(3, depth - 1)),
        }
    }

    pub(super) fn add(&mut self, text: String, ty: Type, len: usize) {
        self.places.push(Place::writable(text, ty, len, true));
    }

    /// Declares a variable with a random value.
    pub(super) fn declaration(&mut self) -> String {
        let ty = self.any_type();
        let (name, value) = (self.name("v"), self.value(ty, 3));
        self.add(name.clone(), ty, 0);
        format!("{} {name} = {value};\n", ty.name())
    }

    /// Returns an assignment to a random place.
    pub(super) fn assignment(&mut self, depth: usize) -> String {
        let Some(p) = self.place(|p| p.writable) else {
            return self.declaration();
        };
        let to = self.at(&p, 1);
        let ty = p.ty;
        if ty.is_int() && self.one_in(3) {
            let value = self.int(ty, depth);
            // Signed operations may overflow. So may products of ushorts, which are promoted to int.
            let op = match ty.is_signed() || ty.n == 1 && ty.bits() == 16 {
                true => self.pick(&["&", "|", "^", ">>"]),
                false => self.pick(&["+", "-", "*", "&", "|", "^", ">>", "<<"]),
            };
            return format!("{to} {op}= {value};\n");
        }
        if !ty.is_signed() && ty.is_int() && ty.n == 1 && self.one_in(6) {
            return format!(
                "{};\n",
                self.pick(&["++@", "@++", "--@", "@--"]).replace('@', &to)
            );
        }
        let value = self.value(ty, depth);
        format!("{to} = {value};\n")
    }

    /// Returns an assignment to some elements of a vector.
    fn part(&mut self) -> String {
        let Some(p) = self.place(|p| p.writable && p.ty.n > 1) else {
            return self.assignment(2);
        };
        let to = self.at(&p, 1);
        let all = p.ty.n;
        let fit: Vec<usize> = WIDTHS.into_iter().filter(|n| *n < all).collect();
        let n = self.pick(&fit);
        let (first, step) = (
            self.below(all),
            if all == 3 { 1 } else { self.pick(&[1, 3, 5, 7]) },
        );
        let elements: String = (0..n).map(|i| element((first + i * step) % all)).collect();
        let value = self.value(p.ty.of(n), 2);
        format!("{to}.s{elements} = {value};\n")
    }

    /// Declares an array with random contents.
    fn array(&mut self) -> String {
        let (ty, len) = (self.any_type(), self.pick(&[2, 3, 4, 8, 8, 16]));
        self.declared_array(ty, len).1
    }

    /// Declares an array with random contents. Returns its name and the declaration.
    fn declared_array(&mut self, ty: Type, len: usize) -> (String, String) {
        let name = self.name("a");
        let text = if self.one_in(2) {
            let all: Vec<String> = (0..len).map(|_| self.value(ty, 1)).collect();
            format!("{} {name}[{len}] = {{{}}};\n", ty.name(), all.join(", "))
        } else {
            let scope = self.places.len();
            let i = self.name("i");
            self.places.push(Place::read_only(&i, INT, 0));
            let value = self.value(ty, 2);
            self.places.truncate(scope);
            format!(
                "{} {name}[{len}];\nfor (int {i} = 0; {i} < {len}; ++{i}) {name}[{i}] = {value};\n",
                ty.name()
            )
        };
        self.add(format!("{name}[@]"), ty, len);
        (name, text)
    }

    /// Declares a pointer to one of two places, or into an array.
    fn pointer(&mut self) -> String {
        let name = self.name("p");
        if self.one_in(2)
            && let Some(a) = self.place(|p| p.writable && p.private && p.len >= 4 && p.text.ends_with("[@]"))
        {
            let (array, at) = (a.text.replace("[@]", ""), self.index(a.len - 1, 2));
            self.add(format!("{name}[@]"), a.ty, 2);
            let text = match self.below(3) {
                0 => format!("&{array}[{at}]"),
                1 => format!("{array} + ({at})"),
                _ => format!("{array} + {} - {}", a.len - 2, a.len - 2 - self.below(a.len - 2)),
            };
            return format!("{} *{name} = {text};\n", a.ty.name());
        }
        let Some(a) = self.place(|p| p.writable && p.private) else {
            return self.declaration();
        };
        let b = self
            .place(|p| p.writable && p.private && p.ty == a.ty)
            .unwrap_or_else(|| a.clone());
        let (first, second, c) = (self.at(&a, 1), self.at(&b, 1), self.condition(2));
        self.add(format!("(*{name})"), a.ty, 0);
        let ty = a.ty.name();
        if self.one_in(2) {
            return format!("{ty} *{name} = {c} ? &{first} : &{second};\n");
        }
        format!("{ty} *{name} = &{first};\nif ({c}) {name} = &{second};\n")
    }

    /// Declares an object of a structure type: the result of the structure's function, or a copy.
    fn object(&mut self) -> String {
        if self.structures.is_empty() {
            return self.declaration();
        }
        let s = self.below(self.structures.len());
        let name = self.name("s");
        let text = self.declared_object(s, &name);
        if !self.one_in(3) {
            return text;
        }
        let copy = self.name("s");
        let (ty, fields) = (
            self.structures[s].name.clone(),
            fields(&self.structures[s], &copy),
        );
        self.places.extend(fields);
        format!(
            "{text}struct {ty} {copy} = {name};\n{}{name} = {copy};\n",
            self.assignment(2)
        )
    }

    /// Declares an object that the function of its structure makes.
    fn declared_object(&mut self, s: usize, name: &str) -> String {
        let value = self.int(UINT, 2);
        let ty = self.structures[s].name.clone();
        let fields = fields(&self.structures[s], name);
        self.places.extend(fields);
        format!("struct {ty} {name} = make_{ty}({value});\n")
    }

    /// Declares a union, which shows the same bytes as words of several sizes.
    fn union(&mut self) -> String {
        let name = self.name("u");
        let words = [self.int(int(64, false, 1), 2), self.int(int(64, false, 1), 2)];
        for (field, ty, len) in [
            ("l[@]", int(64, false, 1), 2),
            ("i[@]", INT, 4),
            ("s[@]", int(16, true, 1), 8),
            ("c[@]", int(8, false, 1), 16),
            ("v", int(32, false, 4), 0),
            ("w[@]", int(16, false, 4), 2),
        ] {
            self.add(format!("{name}.{field}"), ty, len);
        }
        format!(
            "union words {name};\n{name}.l[0] = {};\n{name}.l[1] = {};\n",
            words[0], words[1]
        )
    }

    /// Returns a call of vloadN or vstoreN.
    fn vector_memory(&mut self) -> String {
        let n = self.pick(&WIDTHS[1..]);
        let Some(a) = self.place(|p| p.ty.n == 1 && p.len >= n && p.text.ends_with("[@]")) else {
            return self.array();
        };
        let (array, at) = (a.text.replace("[@]", ""), self.index(a.len / n, 1));
        if a.writable && self.one_in(2) {
            let value = self.value(a.ty.of(n), 2);
            return format!("vstore{n}({value}, {at}, {array});\n");
        }
        let name = self.name("v");
        self.add(name.clone(), a.ty.of(n), 0);
        format!("{} {name} = vload{n}({at}, {array});\n", a.ty.of(n).name())
    }

    /// Returns the name of a random array of counters, if there are any in scope.
    pub(super) fn counter(&mut self) -> Option<String> {
        let n = self.counters.len();
        let at = (n > 0).then(|| self.below(n))?;
        Some(self.counters[at].clone())
    }

    /// Returns a call of an atomic function on a random counter, if there are counters in scope.
    fn atomic(&mut self) -> Option<String> {
        let array = self.counter()?;
        let k = self.below(ATOMICS.len());
        let value = self.int(INT, 2);
        let more = if ATOMICS[k] == "inc" {
            String::new()
        } else {
            format!(", {value}")
        };
        Some(format!("atomic_{}(&{array}[{k}]{more});\n", ATOMICS[k]))
    }

    /// Returns an `if` with random branches.
    fn choice(&mut self, depth: usize) -> String {
        let mut text = String::new();
        let branches = self.pick(&[1, 1, 2, 3, 5]);
        for n in 0..branches {
            let (c, body) = (self.condition(2), self.block(2, depth));
            text += &format!("{}if ({c}) {{\n{body}}}", if n == 0 { "" } else { " else " });
        }
        if self.one_in(2) {
            text += &format!(" else {{\n{}}}", self.block(2, depth));
        }
        text + "\n"
    }

    /// Returns a loop with a small number of iterations.
    fn repetition(&mut self, depth: usize) -> String {
        if self.loops >= 3 {
            return self.choice(depth);
        }
        self.loops += 1;
        let scope = self.places.len();
        let most = 2 + self.below(if self.loops == 1 { 6 } else { 3 });
        let ty = int(self.pick(&[8, 16, 32, 32, 64]), self.one_in(2), 1);
        let i = self.name("i");
        let count = match self.below(2) {
            0 => format!("{most}"),
            _ => self.index(most + 1, 1),
        };
        self.places.push(Place::read_only(&i, ty, 0));
        let leave = match self.below(3) {
            0 => format!(
                "if ({}) {};\n",
                self.condition(2),
                self.pick(&["break", "continue"])
            ),
            _ => String::new(),
        };
        let (before, after) = (self.block(2, depth), self.block(2, depth));
        self.places.truncate(scope);
        self.loops -= 1;
        let name = ty.name();
        let body = format!("{before}{leave}{after}");
        match self.below(5) {
            0 => {
                let step = 1 + self.below(3);
                format!("for ({name} {i} = 0; {i} < ({name})({count}); {i} += {step}) {{\n{body}}}\n")
            }
            1 => format!("for ({name} {i} = ({name})({count}); {i} > 0; --{i}) {{\n{body}}}\n"),
            2 => format!("{{\n{name} {i} = 0;\nwhile ({i}++ < ({name})({count})) {{\n{body}}}\n}}\n"),
            3 => format!("{{\n{name} {i} = 0;\ndo {{\n{body}}} while (++{i} < ({name})({most}));\n}}\n"),
            _ => format!("for ({name} {i} = 0; {i} != ({name})({most}); ++{i}) {{\n{body}}}\n"),
        }
    }

    /// Returns a `switch` in which cases may fall through.
    fn switch(&mut self, depth: usize) -> String {
        let ty = int(self.pick(&[8, 32, 32, 64]), true, 1);
        let mut text = format!("switch ({} % {}) {{\n", self.int(ty, 2), ty.splat("5"));
        let mut labels = vec![
            "case -3:", "case -1:", "case 0:", "case 1:", "case 2:", "case 3:", "case 4:", "default:",
        ];
        while !labels.is_empty() {
            let at = self.below(labels.len());
            let label = labels.swap_remove(at);
            text += &format!("{label};\n");
            if !self.one_in(4) {
                text += &format!("{{\n{}}}\n", self.block(1, depth));
            }
            if !self.one_in(3) {
                text += "break;\n";
            }
        }
        text + "}\n"
    }

    /// Returns a `goto`: forwards out of nested statements, or backwards a limited number of times.
    fn jump(&mut self, depth: usize) -> String {
        let (label, i) = (self.name("l"), self.name("i"));
        if self.one_in(2) || self.loops >= 2 {
            let (c, first) = (self.condition(2), self.block(2, depth));
            let second = self.block(2, depth);
            return format!("{{\n{first}if ({c}) goto {label};\n{second}}}\n{label}:;\n");
        }
        self.loops += 1;
        let body = self.block(2, depth);
        self.loops -= 1;
        format!("{{\nint {i} = 0;\n{label}:;\n{{\n{body}}}\nif (++{i} < 3) goto {label};\n}}\n")
    }

    /// Returns a call of a helper function, with the declarations of the objects that its pointers point to.
    fn call_statement(&mut self) -> String {
        if self.functions.is_empty() || self.loops > 1 {
            return self.assignment(3);
        }
        let n = self.below(self.functions.len());
        let f = self.functions[n].clone();
        let mut text = String::new();
        let mut arguments = Vec::new();
        for p in &f.parameters {
            arguments.push(match p {
                Parameter::Value(ty) => self.value(*ty, 2),
                Parameter::Private(ty) => {
                    let fits = |p: &Place| p.ty == *ty && p.len >= 8 && p.private && p.text.ends_with("[@]");
                    match self.place(fits) {
                        Some(p) => p.text.replace("[@]", ""),
                        None => {
                            let (name, declaration) = self.declared_array(*ty, 8);
                            text += &declaration;
                            name
                        }
                    }
                }
                Parameter::Generic(ty) => {
                    match self.place(|p| p.pointer.is_some() && p.ty == *ty && p.len >= 2) {
                        Some(p) => p.pointer.unwrap_or_default(),
                        None => {
                            let (name, declaration) = self.declared_array(*ty, 4);
                            text += &declaration;
                            format!("GP_PRIVATE_{}({name})", ty.name())
                        }
                    }
                }
                Parameter::Input(space) => {
                    let array = if *space == "constant" { "con" } else { "in" };
                    if !self.places.iter().any(|p| p.text == format!("{array}[@]")) {
                        // Only kernels have pointers to the input.
                        return text + &self.assignment(3);
                    }
                    format!("{array} + ({})", self.index(48, 2))
                }
                Parameter::Structure { index, pointer } => {
                    let name = self.name("s");
                    text += &self.declared_object(*index, &name);
                    if *pointer { format!("&{name}") } else { name }
                }
            });
        }
        let name = self.name("v");
        text += &format!(
            "{} {name} = {}({}{});\n",
            f.result.name(),
            f.name,
            self.passed_variables(),
            arguments.join(", ")
        );
        self.add(name, f.result, 0);
        text
    }

    /// Returns the declaration of a structure and of a function that makes such an object.
    pub(super) fn structure(&mut self) -> String {
        let name = format!("S{}", self.structures.len());
        let (mut text, mut places, mut make) = (format!("struct {name} {{\n"), Vec::new(), String::new());
        let saved = std::mem::take(&mut self.places);
        self.places.push(Place::read_only("x", UINT, 0));
        for n in 0..1 + self.below(5) {
            if !self.structures.is_empty() && self.one_in(5) {
                let inner = self.pick(&(0..self.structures.len()).collect::<Vec<_>>());
                let inner = self.structures[inner].clone();
                text += &format!("struct {} f{n};\n", inner.name);
                make += &format!("s.f{n} = make_{}({});\n", inner.name, self.int(UINT, 1));
                places.extend(fields(&inner, &format!("$.f{n}")));
                continue;
            }
            let (ty, len) = (self.any_type(), self.pick(&[0, 0, 2, 4, 8]));
            let place = if len > 0 {
                text += &format!("{} f{n}[{len}];\n", ty.name());
                make += &format!(
                    "for (int i = 0; i < {len}; ++i) s.f{n}[i] = {};\n",
                    self.value(ty, 2)
                );
                format!("$.f{n}[@]")
            } else {
                text += &format!("{} f{n};\n", ty.name());
                make += &format!("s.f{n} = {};\n", self.value(ty, 2));
                format!("$.f{n}")
            };
            places.push(Place::writable(place, ty, len, true));
        }
        self.places = saved;
        let text = format!(
            "{text}}};\nstruct {name} make_{name}(uint x) {{\nstruct {name} s;\n{make}return s;\n}}\n"
        );
        self.structures.push(Structure { name, places });
        text
    }

    /// Returns the definition of a helper function.
    pub(super) fn function(&mut self) -> String {
        let name = self.name("f");
        let result = self.any_type();
        let saved = std::mem::take(&mut self.places);
        let (mut parameters, mut list) = (Vec::new(), Vec::new());
        let variables = self.settled_variables();
        self.places.extend(variables);
        let plain = self.one_in(2);
        for n in 0..1 + self.below(4) {
            let (parameter, text) = match if plain { 9 } else { self.below(8) } {
                5.. if !plain && self.later.is_some() => {
                    let ty = self.any_type();
                    self.generic_type(ty);
                    self.add_generic(&format!("q{n}"), ty, 2);
                    (Parameter::Generic(ty), format!("GP_{} q{n}", ty.name()))
                }
                0 | 1 => {
                    let ty = self.any_type();
                    self.add(format!("q{n}[@]"), ty, 8);
                    (Parameter::Private(ty), format!("{} *q{n}", ty.name()))
                }
                2 => {
                    let space = self.pick(&["global", "constant"]);
                    self.places.push(Place::read_only(&format!("q{n}[@]"), UINT, 16));
                    (Parameter::Input(space), format!("{space} const uint *q{n}"))
                }
                3 | 4 if !self.structures.is_empty() => {
                    let index = self.below(self.structures.len());
                    let pointer = self.one_in(2);
                    let (object, star) = if pointer {
                        (format!("(*q{n})"), "*")
                    } else {
                        (format!("q{n}"), "")
                    };
                    let ty = self.structures[index].name.clone();
                    let all = fields(&self.structures[index], &object);
                    self.places.extend(all);
                    (
                        Parameter::Structure { index, pointer },
                        format!("struct {ty} {star}q{n}"),
                    )
                }
                _ => {
                    let ty = self.any_type();
                    self.add(format!("q{n}"), ty, 0);
                    (Parameter::Value(ty), format!("{} q{n}", ty.name()))
                }
            };
            parameters.push(parameter);
            list.push(text);
        }
        let mut body = String::new();
        for _ in 0..2 + self.below(4) {
            body += &self.statement(1);
            if self.one_in(5) {
                body += &format!("if ({}) return {};\n", self.condition(2), self.value(result, 2));
            }
        }
        body += &format!("return {};\n", self.value(result, 3));
        self.places = saved;
        self.functions.push(Function {
            name: name.clone(),
            result,
            parameters,
        });
        let variables = self.taken_variables();
        format!(
            "{} {name}({variables}{}) {{\n{body}}}\n",
            result.name(),
            list.join(", ")
        )
    }
}

fn fields(structure: &Structure, object: &str) -> Vec<Place> {
    let all = structure.places.iter();
    all.map(|p| Place {
        text: p.text.replace('$', object),
        ..p.clone()
    })
    .collect()
}
