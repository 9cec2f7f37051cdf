//! Generates statements in which conditions have side effects, counters wrap around, variables are volatile, and
//! jumps lead into loops.

use super::choices::Choices;
use super::{Generator, Place, element};
use crate::types::{INT, int};

impl Generator {
    /// Returns such a statement, in which statements are nested at most `depth` deep.
    pub(super) fn effect(&mut self, depth: usize) -> String {
        match self.below(7) {
            0 => self.volatile(),
            1 => self.wrapping_loop(),
            2 => self.switch_in_loop(depth),
            3 => self.jump_into_loop(depth),
            4 => {
                let (first, second) = (self.effect_condition(), self.effect_condition());
                let op = self.pick(&["&&", "||", ","]);
                let (then, otherwise) = (self.block(1, depth), self.block(1, depth));
                format!("if ({first} {op} {second}) {{\n{then}}} else {{\n{otherwise}}}\n")
            }
            5 => self.loop_by_effect(depth),
            _ => {
                let (c, first, second) = (
                    self.condition(2),
                    self.effect_condition(),
                    self.effect_condition(),
                );
                match self.one_in(2) {
                    true => format!("(void)({c} ? {first} : {second});\n"),
                    false => format!("(void)(({first}, {second}) && {c});\n"),
                }
            }
        }
    }

    /// Declares a volatile variable.
    fn volatile(&mut self) -> String {
        let ty = self.any_type();
        let (name, value) = (self.name("kept"), self.value(ty, 2));
        self.places.push(Place::writable(name.clone(), ty, 0, false));
        format!("volatile {} {name} = {value};\n", ty.name())
    }

    /// Returns an expression of type int, 0 or 1, that assigns a value to a place and compares the result with a
    /// constant. All operands of an operator that is no sequence point read other memory than it writes.
    fn effect_condition(&mut self) -> String {
        let vector = self.one_in(2);
        let Some(p) = self.place(|p| p.writable && p.ty.is_int() && (p.ty.n > 1) == vector) else {
            return self.condition(1);
        };
        let (to, n) = (self.at(&p, 0), p.ty.n);
        let op = self.pick(&["<", ">=", "==", "!="]);
        if n == 1 {
            let (value, constant) = (self.int(p.ty, 2), self.constant(p.ty));
            let assign = match p.ty.is_signed() {
                true => self.pick(&["=", "|=", "^=", "&="]),
                // Products of ushorts are products of ints, which may overflow.
                false if p.ty.bits() == 16 => self.pick(&["=", "|=", "^="]),
                false => self.pick(&["=", "+=", "-=", "*=", "^="]),
            };
            return format!("(({to} {assign} {value}) {op} {constant})");
        }
        let part = self.pick(&[1, 2]);
        let first = self.below(n);
        let elements: String = (0..part).map(|i| element((first + i) % n)).collect();
        let ty = p.ty.of(part);
        let (value, constant) = (self.int(ty, 2), self.constant(ty.of(1)));
        let lane = match part {
            1 => "",
            _ => self.pick(&[".x", ".y", ".lo", ".s1"]),
        };
        format!("(({to}.s{elements} = {value}){lane} {op} {constant})")
    }

    /// Returns a loop over a counter that may wrap around, in a variable or in an array. The statements in it are
    /// sums, products and operations on bits, so that compilers may compute what they lead to at once.
    fn wrapping_loop(&mut self) -> String {
        let bits = self.pick(&[8, 16, 32, 64]);
        let ty = int(bits, false, 1);
        let mask = u64::MAX >> (64 - bits);
        let (start, step) = (self.number() & mask, self.number() | 1);
        let many = bits > 16 && self.one_in(2);
        let iterations = match many {
            true => self.below(150_000),
            false => self.below(60),
        } as u64;
        let end = start.wrapping_add(step.wrapping_mul(iterations)) & mask;
        let number = |n: u64| format!("({})({}ul)", ty.name(), n & mask);
        let name = self.name("w");
        let (declaration, counter) = match self.one_in(2) {
            true => (format!("{} {name};\n", ty.name()), name),
            false => (
                format!("{} {name}[3] = {{1, 2, 3}};\n", ty.name()),
                format!("{name}[1]"),
            ),
        };
        let mut body = String::new();
        for _ in 0..1 + self.below(3) {
            // Long loops only change variables, in ways that have closed forms: a device may leave loops that really
            // have that many iterations too early.
            let is_plain =
                |text: &str| text.starts_with('v') && text[1..].bytes().all(|b| b.is_ascii_digit());
            let Some(p) = self.place(|p| {
                p.writable && p.len == 0 && p.ty.is_int() && !p.ty.is_signed() && (!many || is_plain(&p.text))
            }) else {
                break;
            };
            // Products of ushorts are products of ints, which may overflow.
            let op = match p.ty.bits() == 16 && p.ty.n == 1 || p.ty.n > 1 && many {
                true => self.pick(&["+", "-", "^", "&", "|"]),
                false => self.pick(&["+", "-", "^", "&", "|", "*"]),
            };
            let value = match self.one_in(3) {
                true if p.ty.n == 1 && (!many || matches!(op, "+" | "-") && p.ty.bits() <= bits) => {
                    p.ty.cast(&counter)
                }
                _ => self.constant(p.ty),
            };
            body += &format!("{} {op}= {value};\n", p.text);
        }
        let next = match self.one_in(2) {
            true => format!("{counter} += {}", number(step)),
            false => format!("{counter} -= {}", number(step.wrapping_neg())),
        };
        self.add(counter.clone(), ty, 0);
        format!(
            "{declaration}for ({counter} = {}; {counter} != {}; {next}) {{\n{body}}}\n",
            number(start),
            number(end)
        )
    }

    /// Returns a random number of 64 bits.
    fn number(&mut self) -> u64 {
        (0..4).fold(0, |n, _| n << 16 | self.below(1 << 16) as u64)
    }

    /// Returns a loop with a switch in it that continues and leaves it.
    fn switch_in_loop(&mut self, depth: usize) -> String {
        if self.loops >= 2 {
            return self.assignment(2);
        }
        self.loops += 1;
        let scope = self.places.len();
        let i = self.name("i");
        self.places.push(Place::read_only(&i, INT, 0));
        let value = self.int(INT, 2);
        let [a, b, c, after] = [(); 4].map(|()| self.block(1, depth.saturating_sub(1)));
        self.places.truncate(scope);
        self.loops -= 1;
        let [first, second] = [(); 2].map(|()| self.pick(&["continue;\n", "break;\n", ""]));
        format!(
            "for (int {i} = 0; {i} < 4; ++{i}) {{\nswitch (({value} ^ {i}) & 3) {{\ncase 0: {{\n{a}}}\n{first}case 2: {{\n{b}}}\n\
             {second}default: {{\n{c}}}\ncase 3:;\n}}\n{after}}}\n"
        )
    }

    /// Returns a loop into which a goto leads.
    fn jump_into_loop(&mut self, depth: usize) -> String {
        if self.loops >= 2 {
            return self.assignment(2);
        }
        self.loops += 1;
        let (label, i, c) = (self.name("l"), self.name("i"), self.condition(2));
        let (first, second) = (self.block(1, depth), self.block(1, depth));
        self.loops -= 1;
        let head = self.pick(&["while", "for"]);
        let test = match head {
            "for" => format!("; {i} < 3; ++{i}"),
            _ => format!("{i}++ < 3"),
        };
        format!(
            "{{\nint {i} = 0;\nif ({c}) goto {label};\n{head} ({test}) {{\n{{\n{first}}}\n{label}:;\n{{\n{second}}}\n}}\n}}\n"
        )
    }

    /// Returns a loop whose condition assigns to places.
    fn loop_by_effect(&mut self, depth: usize) -> String {
        if self.loops >= 2 {
            return self.assignment(2);
        }
        self.loops += 1;
        let (i, c) = (self.name("i"), self.effect_condition());
        let body = self.block(1, depth);
        self.loops -= 1;
        let op = self.pick(&["&&", ","]);
        match self.one_in(2) {
            true => format!("{{\nint {i} = 0;\nwhile ({c} {op} {i}++ < 3) {{\n{body}}}\n}}\n"),
            false => format!("{{\nint {i} = 0;\ndo {{\n{body}}} while ({c} {op} ++{i} < 3);\n}}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Features, program};

    #[test]
    fn programs_have_all_these_statements() {
        let features = Features {
            half: false,
            double: false,
            images: false,
            later: None,
        };
        let all: String = (0..60).filter_map(|seed| program(seed, features).ok()).collect();
        for part in ["volatile ", "; w", "switch ((", "(void)(", "\nwhile ((("] {
            assert!(all.contains(part), "{part}");
        }
    }
}
