//! Generates generic pointers: to private, local and global memory, chosen at run time, in structures and arrays, passed to
//! functions and returned by them, compared and converted.
//!
//! A work-item only writes through a pointer into memory that no other work-item accesses. See `later.rs` for the two forms of
//! a program.

use super::choices::Choices;
use super::{Generator, Place, WIDTHS};
use crate::types::{Type, UINT};

/// The operators of assignments through a pointer.
const ASSIGNMENTS: [&str; 6] = ["=", "=", "+=", "^=", "|=", "&="];

impl Generator {
    /// Returns a statement with a generic pointer.
    pub(super) fn generic_statement(&mut self) -> String {
        let Some(p) = self.place(|p| p.pointer.is_some()) else {
            return self.generic_pointer();
        };
        let (name, ty) = (p.pointer.clone().unwrap_or_default(), p.ty);
        match self.below(14) {
            0..4 => self.generic_pointer(),
            4 | 5 => self.chosen(&p),
            6 => self.kept_pointers(&p),
            7..9 => self.stored(&p),
            9 => {
                let other = self.other(&p);
                let v = self.name("v");
                self.add(v.clone(), UINT, 0);
                let t = ty.name();
                format!("uint {v} = (uint)GP_SAME_{t}({name}, {other}) | GP_SPACE_{t}({name}) << 1;\n")
            }
            10 => self.pointed_again(&p),
            11 => self.converted(&p),
            12 => self.vector_through(&p),
            _ => self.atomic_through(&p),
        }
    }

    /// Adds a place for a generic pointer to `len` elements.
    pub(super) fn add_generic(&mut self, name: &str, ty: Type, len: usize) {
        let place = Place::read_only(&format!("GP_AT_{}({name}, @)", ty.name()), ty, len);
        self.places.push(Place {
            pointer: Some(name.to_owned()),
            ..place
        });
    }

    /// Defines what the type of generic pointers to a type needs.
    pub(super) fn generic_type(&mut self, ty: Type) {
        let t = ty.name();
        let name = format!("GP_{t}");
        let later = format!(
            "typedef {t} *{name};\n#define GP_PRIVATE_{t}(p) (p)\n#define GP_LOCAL_{t}(p) (p)\n#define GP_GLOBAL_{t}(p) (p)\n\
             #define GP_AT_{t}(p, i) ((p)[i])\n#define GP_ADD_{t}(p, n) ((p) + (n))\n#define GP_SAME_{t}(p, q) ((p) == (q))\n\
             #define GP_SPACE_{t}(p) (to_local(p) ? 1u : to_global(p) ? 2u : to_private(p) ? 0u : 3u)\n\
             #define GP_TO_GLOBAL_{t}(p) to_global(p)\n#define GP_TO_LOCAL_{t}(p) to_local(p)\n\
             #define GP_TO_PRIVATE_{t}(p) to_private(p)\n#define GP_SET_{t}(p, i, op, v) (p)[i] op (v);\n"
        );
        let plain = format!(
            "typedef struct {{ uint space; {t} *own_; local {t} *near_; global {t} *far_; }} {name};\n\
             {name} GP_PRIVATE_{t}({t} *p) {{ {name} r = {{0, p, 0, 0}}; return r; }}\n\
             {name} GP_LOCAL_{t}(local {t} *p) {{ {name} r = {{1, 0, p, 0}}; return r; }}\n\
             {name} GP_GLOBAL_{t}(global {t} *p) {{ {name} r = {{2, 0, 0, p}}; return r; }}\n\
             {t} GP_AT_{t}({name} p, uint i) {{ if (p.space == 0) return p.own_[i]; if (p.space == 1) return p.near_[i]; return p.far_[i]; }}\n\
             {name} GP_ADD_{t}({name} p, int n) {{ if (p.space == 0) p.own_ += n; else if (p.space == 1) p.near_ += n; else p.far_ += n; return p; }}\n\
             int GP_SAME_{t}({name} p, {name} q) {{ return p.space == q.space && (p.space == 0 ? p.own_ == q.own_ : p.space == 1 ? p.near_ == q.near_ : p.far_ == q.far_); }}\n\
             #define GP_SPACE_{t}(p) ((p).space)\n\
             #define GP_TO_GLOBAL_{t}(p) ((p).space == 2 ? (p).far_ : (global {t} *)0)\n\
             #define GP_TO_LOCAL_{t}(p) ((p).space == 1 ? (p).near_ : (local {t} *)0)\n\
             #define GP_TO_PRIVATE_{t}(p) ((p).space == 0 ? (p).own_ : ({t} *)0)\n\
             #define GP_SET_{t}(p, i, op, v) do {{ const uint where_ = (i); const {t} what_ = (v); \
             if ((p).space == 0) (p).own_[where_] op what_; else if ((p).space == 1) (p).near_[where_] op what_; else (p).far_[where_] op what_; }} while (0);\n"
        );
        self.define(&name, later, plain);
        if let Some(l) = &mut self.later {
            l.define_common(format!(
                "struct box_{t} {{ uchar tag; {name} one; {name} more[2]; }};\n\
                 {name} choose_{t}({name} a, {name} b, uint c) {{ return c & 1u ? a : b; }}\n\
                 struct box_{t} boxed_{t}({name} a, {name} b) {{ struct box_{t} r; r.tag = 1; r.one = a; r.more[0] = b; r.more[1] = a; return r; }}\n"
            ));
        }
    }

    /// Declares a generic pointer to memory of the work-item in a random address space.
    fn generic_pointer(&mut self) -> String {
        let name = self.name("g");
        let choice = self.below(7);
        if choice == 0
            && let Some(a) = self.place(|p| p.writable && p.private && p.len >= 2 && p.text.ends_with("[@]"))
        {
            self.generic_type(a.ty);
            let (array, t) = (a.text.replace("[@]", ""), a.ty.name());
            self.add_generic(&name, a.ty, a.len);
            return format!("GP_{t} {name} = GP_PRIVATE_{t}({array});\n");
        }
        if choice == 1 && self.places.iter().any(|p| p.text.starts_with("slots[")) {
            self.generic_type(UINT);
            self.add_generic(&name, UINT, 16);
            return format!("GP_uint {name} = GP_GLOBAL_uint(slots + me * 16u);\n");
        }
        if choice == 2
            && let Some((array, ty, stride)) = self.own_variable()
        {
            self.generic_type(ty);
            self.add_generic(&name, ty, stride);
            let t = ty.name();
            return format!("GP_{t} {name} = GP_GLOBAL_{t}({array} + me * {stride}u);\n");
        }
        let (ty, len) = (self.any_type(), self.pick(&[1, 2, 4]));
        self.generic_type(ty);
        let t = ty.name();
        let bytes = ty.of(ty.n.next_power_of_two()).bits() as usize / 8 * ty.n.next_power_of_two() * len;
        let value = self.value(ty, 2);
        let filled = |array: &str, qualifier: &str, from: String| {
            let i = format!("i{name}");
            format!(
                "{qualifier} {t} *{array} = {from};\n{{\nconst {t} value_ = {value};\n\
                 for (uint {i} = 0; {i} < {len}u; ++{i}) {array}[{i}] = value_;\n}}\n"
            )
        };
        let own = format!("own{name}");
        let (text, space) = match choice {
            3 | 4 if self.local_part(bytes) => {
                let total = self.later.as_ref().map_or(0, |l| l.group) * len;
                let array = format!("loc__{t}__{total}__{}", self.name(""));
                (filled(&own, "local", format!("{array} + lid * {len}u")), "LOCAL")
            }
            5 | 6 => match self.heap_part(bytes) {
                Some(at) => {
                    let from = format!("(global {t} *)(heap + me * {}u + {at}u)", super::later::HEAP);
                    (filled(&own, "global", from), "GLOBAL")
                }
                None => (format!("{t} {own}[{len}] = {{{value}}};\n"), "PRIVATE"),
            },
            _ => (format!("{t} {own}[{len}] = {{{value}}};\n"), "PRIVATE"),
        };
        self.add_generic(&name, ty, len);
        format!("{text}GP_{t} {name} = GP_{space}_{t}({own});\n")
    }

    /// Returns another generic pointer to the same type, or the same one.
    fn other(&mut self, p: &Place) -> String {
        let other = self.place(|q| q.pointer.is_some() && q.ty == p.ty);
        other.and_then(|q| q.pointer).unwrap_or_default()
    }

    /// Returns another generic pointer to the same type, or the same one, as a place.
    fn other_place(&mut self, p: &Place) -> Place {
        self.place(|q| q.pointer.is_some() && q.ty == p.ty)
            .unwrap_or_else(|| p.clone())
    }

    /// Declares a pointer that is one of two others.
    fn chosen(&mut self, p: &Place) -> String {
        let q = self.other_place(p);
        let (a, b) = (
            p.pointer.clone().unwrap_or_default(),
            q.pointer.clone().unwrap_or_default(),
        );
        let (name, t, len) = (self.name("g"), p.ty.name(), p.len.min(q.len));
        let text = match self.below(4) {
            0 => format!("{} ? {a} : {b}", self.condition(2)),
            1 => format!("choose_{t}({a}, {b}, {})", self.int(UINT, 2)),
            2 => format!("boxed_{t}({a}, {b}).more[{}]", self.index(2, 1)),
            _ => format!(
                "choose_{t}(choose_{t}({b}, {a}, {}), {b}, lid_or(1u))",
                self.int(UINT, 1)
            )
            .replace("lid_or(1u)", &self.int(UINT, 1)),
        };
        let k = if len > 1 { self.below(len) } else { 0 };
        let text = if k > 0 {
            format!("GP_ADD_{t}({text}, {k})")
        } else {
            text
        };
        self.add_generic(&name, p.ty, len - k);
        format!("GP_{t} {name} = {text};\n")
    }

    /// Declares a structure or an array with generic pointers, and a pointer that comes from there.
    fn kept_pointers(&mut self, p: &Place) -> String {
        let q = self.other_place(p);
        let (a, b) = (
            p.pointer.clone().unwrap_or_default(),
            q.pointer.clone().unwrap_or_default(),
        );
        let (name, keep, t) = (self.name("g"), self.name("b"), p.ty.name());
        let (first, second, c) = (self.index(2, 2), self.index(2, 2), self.condition(2));
        self.add_generic(&name, p.ty, p.len.min(q.len));
        match self.one_in(2) {
            true => format!(
                "struct box_{t} {keep} = boxed_{t}({a}, {b});\nif ({c}) {keep}.more[{first}] = {keep}.one;\n\
                 GP_{t} {name} = {keep}.more[{second}];\n"
            ),
            false => format!(
                "GP_{t} {keep}[3];\nfor (int i = 0; i < 3; ++i) {keep}[i] = i == 1 ? {a} : {b};\nif ({c}) {keep}[{first}] = {keep}[2];\n\
                 GP_{t} {name} = {keep}[{second}];\n"
            ),
        }
    }

    /// Returns an assignment through a pointer.
    fn stored(&mut self, p: &Place) -> String {
        let name = p.pointer.clone().unwrap_or_default();
        let (ty, t) = (p.ty, p.ty.name());
        let op = match ty.is_int() {
            // Sums of signed numbers may overflow.
            true if ty.is_signed() => self.pick(&ASSIGNMENTS[3..]),
            true => self.pick(&ASSIGNMENTS),
            false => "=",
        };
        let (value, at) = (self.value(ty, 2), self.index(p.len, 1));
        format!("GP_SET_{t}({name}, {at}, {op}, {value})\n")
    }

    /// Lets a pointer point to what an older one points to. What an older pointer points to lives at least as long.
    fn pointed_again(&mut self, p: &Place) -> String {
        let name = p.pointer.clone().unwrap_or_default();
        let at = self.places.iter().position(|q| q.pointer == p.pointer);
        let older: Vec<String> = self.places[..at.unwrap_or(0)]
            .iter()
            .filter(|q| q.ty == p.ty && q.len >= p.len)
            .filter_map(|q| q.pointer.clone())
            .collect();
        if older.is_empty() {
            return self.stored(p);
        }
        let n = self.below(older.len());
        format!("if ({}) {name} = {};\n", self.condition(2), older[n])
    }

    /// Converts a pointer to one with an address space, and writes through it if the memory is there.
    fn converted(&mut self, p: &Place) -> String {
        let name = p.pointer.clone().unwrap_or_default();
        let (ty, t) = (p.ty, p.ty.name());
        let (space, to) = self.pick(&[("global", "GLOBAL"), ("local", "LOCAL"), ("private", "PRIVATE")]);
        let (value, at, q) = (self.value(ty, 2), self.index(p.len, 1), self.name("to"));
        let other = self.value(ty, 1);
        format!(
            "{{\n{space} {t} *{q} = GP_TO_{to}_{t}({name});\nif ({q}) {q}[{at}] = {value};\nelse GP_SET_{t}({name}, {at}, =, {other})\n}}\n"
        )
    }

    /// Returns a vload or vstore through a pointer to a scalar type.
    fn vector_through(&mut self, p: &Place) -> String {
        let fit: Vec<usize> = WIDTHS[1..].iter().copied().filter(|n| *n <= p.len).collect();
        if p.ty.n > 1 || fit.is_empty() {
            return self.stored(p);
        }
        let (n, t) = (self.pick(&fit), p.ty.name());
        let name = p.pointer.clone().unwrap_or_default();
        let at = self.index(p.len / n, 1);
        let ty = p.ty.of(n);
        let (load, store) = (format!("GP_VLOAD{n}_{t}"), format!("GP_VSTORE{n}_{t}"));
        let all: Vec<String> = (0..n)
            .map(|e| format!("GP_AT_{t}(p, at * {n}u + {e}u)"))
            .collect();
        let each: String = (0..n)
            .map(|e| format!("GP_SET_{t}(p, at * {n}u + {e}u, =, v.s{}) ", super::element(e)))
            .collect();
        let v = ty.name();
        self.define(
            &load,
            format!("#define {load}(p, at) vload{n}(at, p)\n#define {store}(p, at, v) vstore{n}(v, at, p)\n"),
            format!(
                "{v} {load}(GP_{t} p, uint at) {{ return {}; }}\nvoid {store}(GP_{t} p, uint at, {v} v) {{ {each} }}\n",
                ty.splat(&all.join(", "))
            ),
        );
        if self.one_in(2) {
            let value = self.value(ty, 2);
            return format!("{store}({name}, {at}, {value});\n");
        }
        let variable = self.name("v");
        self.add(variable.clone(), ty, 0);
        format!("{v} {variable} = {load}({name}, {at});\n")
    }

    /// Returns an atomic function on what a pointer points to. No other work-item accesses it, so the old value is defined.
    fn atomic_through(&mut self, p: &Place) -> String {
        if p.ty.n > 1 || !p.ty.is_int() || p.ty.bits() < 32 {
            return self.stored(p);
        }
        let name = p.pointer.clone().unwrap_or_default();
        let (t, at, value) = (p.ty.name(), self.index(p.len, 1), self.int(p.ty, 2));
        let (f, op) = self.pick(&[
            ("fetch_and", "&="),
            ("fetch_or", "|="),
            ("fetch_xor", "^="),
            ("exchange", "="),
        ]);
        let v = self.name("v");
        self.add(v.clone(), p.ty, 0);
        format!(
            "{t} {v};\n{{\nconst uint at_ = {at};\nconst {t} value_ = {value};\n#ifdef PLAIN\n{v} = GP_AT_{t}({name}, at_);\n\
             GP_SET_{t}({name}, at_, {op}, value_)\n#else\n{v} = atomic_{f}((volatile atomic_{t} *){name} + at_, value_);\n#endif\n}}\n"
        )
    }
}
