//! Values that go through memory which work-items share, and through atomic functions. Each work-item has a place of its own there.

use super::super::choices::Choices;
use super::terms::Term;
use super::{FloatGenerator, ITEMS};
use crate::types::{Type, float};
use std::collections::BTreeSet;

/// The number of work-items of a work-group.
pub(super) const GROUP: usize = 16;

/// A function that stores a word, changes it by an atomic function, and returns one of two values.
struct Exchange {
    name: &'static str,
    /// The body, in which `p` is the pointer, and `a` and `b` are the numbers.
    body: &'static str,
    /// Whether the function returns `b`.
    second: bool,
}

const EXCHANGES: [Exchange; 5] = [
    Exchange {
        name: "exchanged",
        body: "*p = as_uint(a); return atomic_xchg((volatile SPACE float *)p, b);",
        second: false,
    },
    Exchange {
        name: "replaced",
        body: "*(SPACE float *)p = a; atomic_xchg((volatile SPACE float *)p, b); return as_float(*p);",
        second: true,
    },
    Exchange {
        name: "compared",
        body: "*p = as_uint(a); atomic_cmpxchg(p, as_uint(a), as_uint(b)); return *(SPACE float *)p;",
        second: true,
    },
    Exchange {
        name: "kept",
        body: "*p = as_uint(a); return as_float(atomic_cmpxchg(p, ~as_uint(a), as_uint(b)));",
        second: false,
    },
    Exchange {
        name: "combined",
        body: "*p = as_uint(a) & 0x7fff0000u; atomic_or(p, as_uint(a) & 0x8000ffffu); return as_float(atomic_xor(p, as_uint(b)));",
        second: false,
    },
];

/// The address spaces of the places: the word of the program's text, the letter in the names of functions, and a pointer to the
/// place of a work-item, in which `@` stands for the row of an expression.
const SPACES: [(&str, &str, &str); 2] = [
    ("global", "g", "(volatile global uint *)(out + @ * 64u + me)"),
    ("local", "l", "scratch + get_local_id(0)"),
];

/// Returns those functions of this file that are used.
pub(super) fn functions(used: &BTreeSet<&str>) -> String {
    let all = SPACES.iter().flat_map(|s| EXCHANGES.iter().map(move |e| (s, e)));
    all.filter_map(|((space, letter, _), e)| {
        let name = format!("{}_{letter}", e.name);
        let body = e.body.replace("SPACE", space);
        used.contains(name.as_str())
            .then(|| format!("float {name}(volatile {space} uint *p, float a, float b) {{ {body} }}\n"))
    })
    .collect()
}

/// Returns the declaration of the local memory, if it is used.
pub(super) fn declarations(used: &BTreeSet<&str>) -> String {
    match used.contains("scratch") {
        true => format!("local uint scratch[{GROUP}];\n"),
        false => String::new(),
    }
}

impl FloatGenerator {
    /// Returns a float that goes through memory by an atomic function; `None` in functions, which have no such memory.
    pub(super) fn exchange(&mut self, d: usize) -> Option<Term> {
        let row = self.row?;
        let ty = float(32, 1);
        let (a, b) = (self.float(ty, d), self.float_leaf(ty));
        let (at, (_, letter, place)) = (self.below(EXCHANGES.len()), self.pick(&SPACES));
        let exchange = &EXCHANGES[at];
        let place = place.replace('@', &row.to_string());
        let text = format!("{}_{letter}({place}, {}, {})", exchange.name, a.text, b.text);
        let result = if exchange.second { b } else { a };
        Some(result.named(&text))
    }

    /// Returns a vector whose elements are those of two vectors in an order that a vector of integers gives.
    pub(super) fn shuffled(&mut self, ty: Type, d: usize) -> Option<Term> {
        if !ty.n.is_power_of_two() || ty.n == 1 {
            return None;
        }
        let n = self.pick(&[2, 4, 4, 8]);
        let (a, b) = (self.float(ty.of(n), d), self.float_leaf(ty.of(n)));
        let two = self.one_in(2);
        let all = if two { 2 * n } else { n };
        let order: Vec<usize> = (0..ty.n).map(|_| self.below(all)).collect();
        let mask = shuffle_order(ty, &order);
        let text = match two {
            true => format!("shuffle2({}, {}, {mask})", a.text, b.text),
            false => format!("shuffle({}, {mask})", a.text),
        };
        let element = |item: usize, e: usize| match e < n {
            true => a.at(item, e),
            false => b.at(item, e - n),
        };
        let values = (0..ITEMS).flat_map(|item| order.iter().map(move |e| (item, *e)));
        let values = values.map(|(item, e)| element(item, e)).collect();
        Some(Term::new(text, ty, values))
    }
}

/// Returns the vector of integers that gives the order of a shuffle.
fn shuffle_order(ty: Type, order: &[usize]) -> String {
    let all: Vec<String> = order.iter().map(usize::to_string).collect();
    ty.as_int(false).splat(&all.join(", "))
}
