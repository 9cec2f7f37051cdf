//! Generates calls of collective functions of work-groups and sub-groups, in control flow that all their work-items take alike,
//! and of those of sub-groups that also act where only some work-items are.
//!
//! In the plain form (see `later.rs`) the work-items write their values to local memory, and each reads those that its result
//! depends on. Sub-groups have `SUB_GROUP` successive work-items there, so they are only used in ranges of one dimension.

use super::choices::Choices;
use super::{Generator, Place};
use crate::types::{INT, Type, UINT, float, int};

/// An operation that combines the values of work-items.
const OPERATIONS: [&str; 7] = ["add", "min", "max", "and", "or", "xor", "mul"];

/// The work-items whose values a function combines.
const KINDS: [&str; 3] = ["reduce", "scan_inclusive", "scan_exclusive"];

impl Generator {
    /// Returns statements with collective functions. All work-items of the work-group execute them.
    pub(super) fn collective_phase(&mut self) -> String {
        let scope = self.places.len();
        let mut text = String::new();
        for _ in 0..1 + self.below(3) {
            let sub = self.later.as_ref().is_some_and(|l| l.line) && self.one_in(2);
            text += &match (sub, self.below(6)) {
                (false, 0) => self.vote("work_group"),
                (false, 1) => self.work_group_broadcast(),
                (false, _) => self.combined("work_group", "1u"),
                (true, 0) => self.vote("sub_group"),
                (true, 1) => self.combined("sub_group", "1u"),
                (true, 2) => self.moved(),
                (true, 3) => self.ballot(),
                (true, 4) => self.clustered(),
                (true, _) => {
                    let c = self.condition(2);
                    self.combined("sub_group_non_uniform", &c)
                }
            };
            if self.one_in(2) {
                text += &self.statement(1);
            }
        }
        let r = self.name("r");
        let wrapped = match self.below(6) {
            0 => format!("for (uint {r} = 0; {r} < {}u; ++{r}) {{\n", 1 + self.below(4)),
            1 => format!("for (uint {r} = 0; {r} < (n & 3u); ++{r}) {{\n"),
            2 => String::from("if ((n ^ group_number) & 1u) {\n"),
            3 => String::from("switch ((n + group_number) % 3u) {\ncase 0: default: {\n"),
            _ => return text,
        };
        let close = if wrapped.starts_with("switch") { "}\n" } else { "" };
        // The results are mixed where they are in scope.
        let mixed = self.mixed_since(scope);
        self.places.truncate(scope);
        format!("{wrapped}{text}{mixed}}}\n{close}")
    }

    /// Returns a value for a collective function: small enough that sums of them do not overflow, and exact.
    fn operand(&mut self, ty: Type, op: &str) -> String {
        if !ty.is_int() {
            let most = if ty.bits() == 16 { 15 } else { 255 };
            return format!("convert_{}({} & {most})", ty.name(), self.int(INT, 2));
        }
        let value = self.int(ty, 2);
        match ty.is_signed() && op == "add" {
            true => ty.cast(&format!("{value} >> {}", ty.bits().min(8) - 1)),
            false => value,
        }
    }

    fn scalar(&mut self, work_group: bool) -> Type {
        if self.one_in(4) {
            return match self.below(3) {
                0 if self.features.half => float(16, 1),
                1 if self.features.double => float(64, 1),
                _ => float(32, 1),
            };
        }
        let bits = match work_group {
            true => self.pick(&[32, 64]),
            false => self.pick(&[8, 16, 32, 32, 64]),
        };
        int(bits, self.one_in(2), 1)
    }

    /// Declares the result of a reduction or scan. Only work-items for which the condition holds take part.
    fn combined(&mut self, of: &str, condition: &str) -> String {
        let work_group = of == "work_group";
        let ty = self.scalar(work_group);
        let uniform = of == "sub_group";
        let operations = match (ty.is_int(), uniform) {
            (false, _) => 3,
            (true, true) => 3,
            (true, false) if ty.is_signed() => 6,
            (true, false) => 7,
        };
        let (op, kind) = (self.pick(&OPERATIONS[..operations]), self.pick(&KINDS));
        let value = self.operand(ty, op);
        let (v, x, c, t) = (self.name("v"), self.name("x"), self.name("c"), ty.name());
        let fold = self.fold(ty, op);
        let (first, last) = if work_group {
            ("0u", "items")
        } else {
            ("SG_FIRST", "SG_END")
        };
        let to = match kind {
            "reduce" => last,
            "scan_inclusive" => "lid + 1u",
            _ => "lid",
        };
        let initial = if ty.is_int() { "(7)" } else { "(7.0f)" };
        // Infinities are not exact numbers.
        let finite = match !ty.is_int() && kind == "scan_exclusive" {
            true => format!("if (isinf({v})) {v} = ({t})(3.0f);\n"),
            false => String::new(),
        };
        self.add(v.clone(), ty, 0);
        let nested = match work_group {
            true => format!("if ({c}) {v} = {of}_{kind}_{op}({x});\n"),
            false => match self.below(3) {
                0 => format!("if ({c}) {{ {v} = {of}_{kind}_{op}({x}); }} else {{ {v} += ({t})(0); }}\n"),
                1 => format!("for (uint i = 0; i < {c}; ++i) {v} = {of}_{kind}_{op}({x});\n"),
                _ => format!("if ({c}) {v} = {of}_{kind}_{op}({x});\n"),
            },
        };
        let nested = match condition {
            "1u" => format!("{v} = {of}_{kind}_{op}({x});\n"),
            _ => nested,
        };
        format!(
            "{t} {v} = ({t}){initial};\n{{\nconst {t} {x} = {value};\nconst uint {c} = ({condition}) != 0;\n\
             #ifdef PLAIN\nconst {t} folded_ = {fold}({x}, {c}, {first}, {to}, lid, items, (local {t} *)scratch, (local uchar *)(scratch + items * 8u));\n\
             if ({c}) {v} = folded_;\n#else\n{nested}#endif\n{finite}}}\n"
        )
    }

    /// Returns the name of the function that combines the values of some work-items in the plain form.
    fn fold(&mut self, ty: Type, op: &str) -> String {
        let (t, name) = (ty.name(), format!("fold_{op}_{}", ty.name()));
        let (least, most) = limits(ty);
        let (identity, next) = match op {
            "add" => ("0".to_owned(), "r + s[k]".to_owned()),
            "mul" => ("1".to_owned(), "(ulong)r * s[k]".to_owned()),
            "min" => (most, "min(r, s[k])".to_owned()),
            "max" => (least, "max(r, s[k])".to_owned()),
            "and" => ("~0".to_owned(), "r & s[k]".to_owned()),
            "or" => ("0".to_owned(), "r | s[k]".to_owned()),
            _ => ("0".to_owned(), "r ^ s[k]".to_owned()),
        };
        self.define(
            &name,
            String::new(),
            format!(
                "{t} {name}({t} x, uint on, uint from, uint to, uint lid, uint items, local {t} *s, local uchar *active) {{\n\
                 s[lid] = x; active[lid] = on; barrier(CLK_LOCAL_MEM_FENCE);\n\
                 {t} r = ({t})({identity});\nfor (uint k = from; k < to; ++k) if (active[k]) r = ({t})({next});\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\nreturn r;\n}}\n"
            ),
        );
        self.sub_group_ids();
        name
    }

    /// Returns the name of the function that reads the value of another work-item in the plain form.
    fn taken(&mut self, ty: Type) -> String {
        let (t, name) = (ty.name(), format!("take_{}", ty.name()));
        self.define(
            &name,
            String::new(),
            format!(
                "{t} {name}({t} x, uint from, uint lid, local {t} *s) {{\ns[lid] = x; barrier(CLK_LOCAL_MEM_FENCE);\n\
                 {t} r = s[from]; barrier(CLK_LOCAL_MEM_FENCE);\nreturn r;\n}}\n"
            ),
        );
        self.sub_group_ids();
        name
    }

    /// Defines the ids of sub-groups in both forms.
    fn sub_group_ids(&mut self) {
        self.define(
            "SG_ID",
            "#define SG_ID get_sub_group_id()\n#define SG_LOCAL get_sub_group_local_id()\n#define SG_SIZE get_sub_group_size()\n\
             #define SG_COUNT get_num_sub_groups()\n"
                .into(),
            "#define SG_ID (lid / SUB_GROUP)\n#define SG_LOCAL (lid % SUB_GROUP)\n#define SG_FIRST (lid / SUB_GROUP * SUB_GROUP)\n\
             #define SG_END min(SG_FIRST + SUB_GROUP, items)\n#define SG_SIZE (SG_END - SG_FIRST)\n\
             #define SG_COUNT ((items + SUB_GROUP - 1u) / SUB_GROUP)\n"
                .into(),
        );
    }

    fn vote(&mut self, of: &str) -> String {
        let (v, c, x) = (self.name("v"), self.condition(3), self.name("x"));
        let f = self.pick(&["all", "any"]);
        let (op, least) = if f == "all" { ("min", "1") } else { ("max", "0") };
        let fold = self.fold(INT, op);
        let (from, to) = if of == "work_group" {
            ("0u", "items")
        } else {
            ("SG_FIRST", "SG_END")
        };
        self.add(v.clone(), INT, 0);
        format!(
            "int {v};\n{{\nconst int {x} = {c};\n#ifdef PLAIN\n{v} = {fold}({x}, 1u, {from}, {to}, lid, items, (local int *)scratch, \
             (local uchar *)(scratch + items * 8u)) != 0;\n#else\n{v} = {of}_{f}({x} * 5) != 0;\n#endif\n\
             if ({v} == {least}) {v} += 3;\n}}\n"
        )
    }

    /// Declares a value that one work-item of the work-group passes to all.
    fn work_group_broadcast(&mut self) -> String {
        let ty = self.scalar(true);
        let (v, value, x, t) = (self.name("v"), self.value(ty, 3), self.name("x"), ty.name());
        let take = self.taken(ty);
        // The id is the same in all work-items of the group.
        let k = self.below(64);
        self.add(v.clone(), ty, 0);
        let line = self.later.as_ref().is_some_and(|l| l.line);
        let ids = if line { "a" } else { "a, b, c" };
        let sizes = "const uint s0 = get_local_size(0), s1 = get_local_size(1), s2 = get_local_size(2);\n";
        format!(
            "{t} {v};\n{{\n{sizes}const {t} {x} = {value};\nconst uint a = (n + {k}u) % s0, b = (n + {k}u) % s1, c = group_number % s2;\n\
             #ifdef PLAIN\n{v} = {take}({x}, (c * s1 + b) * s0 + a, lid, (local {t} *)scratch);\n#else\n\
             {v} = work_group_broadcast({x}, {ids});\n#endif\n}}\n"
        )
    }

    /// Declares a value of another work-item of the sub-group: the result of a shuffle, a rotation or a broadcast.
    fn moved(&mut self) -> String {
        let ty = self.scalar(false);
        let (v, value, x, i, t) = (
            self.name("v"),
            self.value(ty, 2),
            self.name("x"),
            self.name("i"),
            ty.name(),
        );
        let take = self.taken(ty);
        let k = self.below(8);
        let random = self.int(UINT, 2);
        let (index, from, call, fits) = match self.below(8) {
            0 => (
                format!("{random} % SG_SIZE"),
                i.clone(),
                format!("sub_group_shuffle({x}, {i})"),
                String::from("1"),
            ),
            1 => (
                format!("{k}u"),
                format!("(SG_LOCAL ^ {i})"),
                format!("sub_group_shuffle_xor({x}, {i})"),
                format!("(SG_LOCAL ^ {i}) < SG_SIZE"),
            ),
            2 => (
                format!("{k}u"),
                format!("(SG_LOCAL - {i})"),
                format!("sub_group_shuffle_up({x}, {i})"),
                format!("SG_LOCAL >= {i}"),
            ),
            3 => (
                format!("{random} % 5u"),
                format!("(SG_LOCAL + {i})"),
                format!("sub_group_shuffle_down({x}, {i})"),
                format!("SG_LOCAL + {i} < SG_SIZE"),
            ),
            4 => (
                String::from("n % SG_SIZE"),
                i.clone(),
                format!("sub_group_broadcast({x}, {i})"),
                String::from("1"),
            ),
            5 => (
                format!("{k}u"),
                String::from("0u"),
                format!("sub_group_broadcast_first({x})"),
                String::from("1"),
            ),
            6 => (
                format!("{k}u % SG_SIZE"),
                i.clone(),
                format!("sub_group_non_uniform_broadcast({x}, {i})"),
                String::from("1"),
            ),
            // Rotations need full sub-groups.
            _ => (
                format!("{k}u"),
                format!("((SG_LOCAL + {i}) % SG_SIZE)"),
                format!("sub_group_rotate({x}, (int){i})"),
                String::from("items % 16u == 0"),
            ),
        };
        self.add(v.clone(), ty, 0);
        format!(
            "{t} {v};\n{{\nconst {t} {x} = {value};\nconst uint {i} = {index};\nconst int fits_ = {fits};\n#ifdef PLAIN\n\
             {v} = {take}({x}, SG_FIRST + (fits_ ? {from} : 0u), lid, (local {t} *)scratch);\n#else\n\
             {v} = {call};\n#endif\nif (!fits_) {v} = {x};\n}}\n"
        )
    }

    /// Declares numbers that come from a ballot of the sub-group.
    fn ballot(&mut self) -> String {
        let (v, b, c, x) = (self.name("v"), self.name("b"), self.condition(3), self.name("x"));
        let fold = self.fold(UINT, "or");
        let k = self.below(32);
        self.add(v.clone(), UINT, 0);
        let same = format!("{b}.x * 31u + SG_LOCAL + SG_SIZE * 3u + SG_ID * 7u + SG_COUNT * 11u");
        format!(
            "uint {v};\n{{\nconst int {x} = {c};\n#ifdef PLAIN\n\
             const uint4 {b} = (uint4)({fold}({x} ? 1u << SG_LOCAL : 0u, 1u, SG_FIRST, SG_END, lid, items, (local uint *)scratch, \
             (local uchar *)(scratch + items * 8u)), 0u, 0u, 0u);\n\
             {v} = {same} + popcount({b}.x) * 5u + popcount({b}.x & ((2u << SG_LOCAL) - 1u)) * 17u + popcount({b}.x & ((1u << SG_LOCAL) - 1u)) * 19u;\n\
             if ({b}.x) {v} += (31u - clz({b}.x)) * 64u + (31u - clz({b}.x & -{b}.x)) * 4096u;\n\
             if ({b}.x >> ({k}u % SG_SIZE) & 1u) {v} ^= 0x55000000u;\nif ({x}) {v} ^= 0xaa000000u;\n#else\n\
             const uint4 {b} = sub_group_ballot({x});\n\
             {v} = {same} + sub_group_ballot_bit_count({b}) * 5u + sub_group_ballot_inclusive_scan({b}) * 17u + sub_group_ballot_exclusive_scan({b}) * 19u;\n\
             if (sub_group_ballot_bit_count({b})) {v} += sub_group_ballot_find_msb({b}) * 64u + sub_group_ballot_find_lsb({b}) * 4096u;\n\
             if (sub_group_ballot_bit_extract({b}, {k}u % SG_SIZE)) {v} ^= 0x55000000u;\nif (sub_group_inverse_ballot({b})) {v} ^= 0xaa000000u;\n#endif\n}}\n"
        )
    }

    /// Declares the result of a reduction over clusters of the sub-group.
    fn clustered(&mut self) -> String {
        let ty = self.scalar(false);
        let operations = match ty.is_int() {
            false => 3,
            true if ty.is_signed() => 6,
            true => 7,
        };
        let op = self.pick(&OPERATIONS[..operations]);
        let (value, v, x, t) = (self.operand(ty, op), self.name("v"), self.name("x"), ty.name());
        let fold = self.fold(ty, op);
        let cluster = self.pick(&[1, 2, 4, 8]);
        self.add(v.clone(), ty, 0);
        // The clusters of sub-groups that are not full may lack work-items.
        format!(
            "{t} {v};\n{{\nconst {t} {x} = {value};\n#ifdef PLAIN\nconst uint first_ = lid / {cluster}u * {cluster}u;\n\
             {v} = {fold}({x}, 1u, first_, min(first_ + {cluster}u, items), lid, items, (local {t} *)scratch, (local uchar *)(scratch + items * 8u));\n\
             #else\n{v} = sub_group_clustered_reduce_{op}({x}, {cluster});\n#endif\n}}\n"
        )
    }

    /// Returns statements that mix the variables declared since `scope` into the hash.
    fn mixed_since(&mut self, scope: usize) -> String {
        let rest: Vec<Place> = self.places.drain(..scope).collect();
        let text = self.mixed();
        self.places.splice(0..0, rest);
        text
    }
}

/// Returns the least and the greatest value of a type.
fn limits(ty: Type) -> (String, String) {
    let bits = ty.bits();
    match (ty.is_int(), ty.is_signed()) {
        (false, _) => ("-INFINITY".into(), "INFINITY".into()),
        (true, false) => ("0".into(), format!("{:#x}UL", u64::MAX >> (64 - bits))),
        (true, true) => {
            let most = u64::MAX >> (65 - bits);
            (format!("-{most}L - 1L"), format!("{most}L"))
        }
    }
}
