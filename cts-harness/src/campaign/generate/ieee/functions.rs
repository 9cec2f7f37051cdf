//! Generates functions and macros that compute with floats: with branches, private arrays, second results by pointer, halves
//! in memory and unions. Each is called once, so that the values of its parameters are known.

use super::super::choices::Choices;
use super::program::Definition;
use super::terms::Term;
use super::{FloatGenerator, ITEMS, Numbers};
use crate::types::{Type, UINT, float, int};

/// The number of operators and operands after which the generator only adds operands to the body of a function.
const SIZE: i32 = 10;

/// The body of a function: its statements, and the values that it returns.
pub(super) type Body = Option<(String, Term)>;

impl FloatGenerator {
    /// Returns a call of a new function.
    pub(super) fn call(&mut self, ty: Type, d: usize) -> Option<Term> {
        let form = self.pick(&[
            Self::branch,
            Self::ladder,
            Self::cases,
            Self::repetition,
            Self::repetition,
            Self::table,
            Self::table,
            Self::counted,
            Self::exchanged,
            Self::array,
            Self::two_results,
            Self::through_memory,
        ]);
        if self.one_in(4) {
            return self.macro_call(ty, d);
        }
        self.function(ty, d, form)
    }

    /// Returns the bits of a float that a union has. Those of NaN are not defined.
    pub(super) fn punned(&mut self, ty: Type, d: usize) -> Option<Term> {
        self.function(ty, d, |g, ty| {
            let from = float(ty.bits(), ty.n);
            let a = g.float(from, 1);
            let mut bits = g.numbers.reinterpretation(ty, &a);
            bits.text = "both.bits".into();
            let (text, number, name) = (&a.text, from.name(), ty.name());
            Some(match g.one_in(2) {
                true => (
                    format!("union {{ {number} number; {name} bits; }} both; both.number = {text};"),
                    bits,
                ),
                false => (
                    format!("{number} number = {text};"),
                    bits.named(&format!("*({name} *)&number")),
                ),
            })
        })
    }

    /// Returns a call of a new function whose body is of this form.
    fn function(&mut self, ty: Type, d: usize, form: fn(&mut Self, Type) -> Body) -> Option<Term> {
        let name = self.name("f");
        let arguments = self.arguments(ty, d);
        let parameters = |n: usize| format!("p{n}");
        let (statements, result) = self.inside(&name, &arguments, parameters, |g| form(g, ty))?;
        let list: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(n, a)| format!("{} p{n}", a.ty.name()))
            .collect();
        let (returned, list) = (ty.name(), list.join(", "));
        let text = format!(
            "{returned} {name}({list}) {{ {statements} return {}; }}\n",
            result.text
        );
        self.functions.push(Definition::new(&name, text));
        Some(Self::called(&name, &arguments, &result))
    }

    /// Returns a call of a new macro.
    fn macro_call(&mut self, ty: Type, d: usize) -> Option<Term> {
        let name = self.name("f");
        let arguments = self.arguments(ty, d);
        let result = self.inside(&name, &arguments, |n| format!("(p{n})"), |g| g.float(ty, 2));
        let list: Vec<String> = (0..arguments.len()).map(|n| format!("p{n}")).collect();
        let text = format!("#define {name}({}) ({})\n", list.join(", "), result.text);
        self.functions.push(Definition::new(&name, text));
        Some(Self::called(&name, &arguments, &result))
    }

    fn called(name: &str, arguments: &[Term], result: &Term) -> Term {
        let texts: Vec<&str> = arguments.iter().map(|a| a.text.as_str()).collect();
        result.named(&format!("{name}({})", texts.join(", ")))
    }

    fn arguments(&mut self, ty: Type, d: usize) -> Vec<Term> {
        let first = float(
            if ty.is_int() {
                ty.bits()
            } else {
                float(ty.bits(), 1).bits()
            },
            ty.n,
        );
        let mut all = vec![self.float(first, d.min(1))];
        for _ in 0..self.below(3) {
            let other = self.float_type();
            let other = if self.one_in(2) { first } else { other };
            all.push(self.float(other, d.min(1)));
        }
        if self.one_in(3) {
            all.push(self.integer(UINT, d.min(1)));
        }
        all
    }

    /// Generates something in which only the parameters are in scope, in the definition of `function`.
    fn inside<T>(
        &mut self,
        function: &str,
        arguments: &[Term],
        name: impl Fn(usize) -> String,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let parameters = arguments.iter().enumerate().map(|(n, a)| a.named(&name(n)));
        let outer = std::mem::replace(&mut self.leaves, parameters.collect());
        let fuel = std::mem::replace(&mut self.fuel, SIZE);
        let row = self.row.take();
        let scope = std::mem::replace(&mut self.scope, function.to_owned());
        let made = make(self);
        (self.leaves, self.fuel, self.row, self.scope) = (outer, fuel, row, scope);
        made
    }

    /// A body that returns early, or assigns under a condition.
    fn branch(&mut self, ty: Type) -> Body {
        let (a, b) = (self.float(ty, 1), self.float(ty, 2));
        let condition = self.condition(1);
        let value = Numbers::choice(&condition, &a, &b, false);
        let (name, c, a, b) = (ty.name(), condition.text, a.text, b.text);
        Some(match self.below(3) {
            0 => (format!("if ({c}) return {a};"), value.named(&b)),
            1 => (format!("{name} r = {b}; if ({c}) r = {a};"), value.named("r")),
            _ => (
                format!("{name} r; if ({c}) {{ r = {a}; }} else {{ r = {b}; }}"),
                value.named("r"),
            ),
        })
    }

    /// A body with several conditions after each other.
    fn ladder(&mut self, ty: Type) -> Body {
        let count = 2 + self.below(2);
        let mut value = self.float(ty, 1);
        let mut text = format!("return {};", value.text);
        for _ in 0..count {
            let (condition, other) = (self.condition(1), self.float_leaf(ty));
            text = match self.one_in(2) {
                true => format!("if ({}) return {}; {text}", condition.text, other.text),
                false => format!("if ({}) return {}; else {{ {text} }}", condition.text, other.text),
            };
            value = Numbers::choice(&condition, &other, &value, false);
        }
        // A function ends with a statement that returns.
        let last = self.float_leaf(ty);
        Some((text, value.named(&last.text)))
    }

    /// A body with a `switch` on a number that floats give.
    fn cases(&mut self, ty: Type) -> Body {
        let selector = self.integer(UINT, 2);
        let all: Vec<Term> = (0..4).map(|_| self.float(ty, 1)).collect();
        let value = |(item, e): (usize, usize)| all[selector.at(item, 0)? as usize & 3].at(item, e);
        let values = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |e| (item, e)));
        let mut text = format!(
            "{} r = {}; switch ({} & 3u) {{",
            ty.name(),
            all[3].text,
            selector.text
        );
        for (n, term) in all.iter().enumerate().take(3) {
            text += &format!(" case {n}: r = {}; break;", term.text);
        }
        text += " default: break; }";
        Some((text, Term::new("r".into(), ty, values.map(value).collect())))
    }

    /// A body with a private array, of which an element is written and one is read.
    fn array(&mut self, ty: Type) -> Body {
        let all: Vec<Term> = (0..4).map(|_| self.float(ty, 1)).collect();
        let index = |g: &mut Self| match g.leaf_integer() {
            Some(n) if g.one_in(2) => n,
            _ => g.integer(UINT, 1),
        };
        let (written, read) = (index(self), index(self));
        let new = self.float(ty, 1);
        let value = |(item, e): (usize, usize)| {
            let (w, r) = (written.at(item, 0)? & 3, read.at(item, 0)? & 3);
            if w == r {
                new.at(item, e)
            } else {
                all[r as usize].at(item, e)
            }
        };
        let values = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |e| (item, e)));
        let texts: Vec<&str> = all.iter().map(|a| a.text.as_str()).collect();
        let (name, w, x) = (ty.name(), &written.text, &new.text);
        Some((
            format!("{name} a[4] = {{ {} }}; a[{w} & 3u] = {x};", texts.join(", ")),
            Term::new(format!("a[{} & 3u]", read.text), ty, values.map(value).collect()),
        ))
    }

    /// A body with a function that stores a second result.
    fn two_results(&mut self, ty: Type) -> Body {
        let (a, b) = (self.float(ty, 1), self.float(ty, 1));
        let name = self.pick(&["frexp", "modf", "fract", "remquo"]);
        let (first, second) = self.numbers.pair(name, &a, &b);
        let operands = match name {
            "remquo" => format!("{}, {}", a.text, b.text),
            _ => a.text,
        };
        let statements = format!(
            "{} w; {} r = {name}({operands}, &w);",
            second.ty.name(),
            ty.name()
        );
        // Only the lowest bits of the quotient are defined.
        let second = second.named(if name == "remquo" { "(w % 128)" } else { "w" });
        if !first.is_good(self.gaps) || !second.is_good(self.gaps) {
            return None;
        }
        let result = match self.below(3) {
            0 => first.named("r"),
            1 if second.ty == ty => second,
            1 => self.numbers.conversion(ty, &second, "", false),
            _ => {
                self.leaves.extend([first.named("r"), second]);
                self.float(ty, 2)
            }
        };
        Some((statements, result))
    }

    /// A body that stores halves and loads them.
    fn through_memory(&mut self, ty: Type) -> Body {
        let from = match ty.bits() {
            16 => float(32, ty.n),
            _ => ty,
        };
        let a = self.float(from, 1);
        let mode = self.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
        let n = if ty.n == 1 {
            String::new()
        } else {
            ty.n.to_string()
        };
        let at = self.below(2);
        let loaded = self.numbers.through_half(&a, mode);
        let loaded = loaded.named(&format!("vload_half{n}({at}, (half *)h)"));
        let places = 2 * ty.n.max(4);
        let statements = format!(
            "ushort h[{places}]; vstore_half{n}{mode}({}, {at}, (half *)h);",
            a.text
        );
        let result = match ty.bits() {
            32 => loaded,
            _ => self.numbers.conversion(ty, &loaded, "", false),
        };
        Some((statements, result))
    }
}

/// Returns the integer type of the bits of a float type.
pub(super) fn bits_type(ty: Type) -> Type {
    int(ty.bits(), false, ty.n)
}
