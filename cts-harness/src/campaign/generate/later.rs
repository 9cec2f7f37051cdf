//! Programs that also use what OpenCL C has since version 2.0. The text of such a program has two forms. With the macro
//! `PLAIN` it is OpenCL C 1.2: generic pointers are structures with a pointer for each address space, program-scope
//! variables are in a buffer, collective functions are loops over local memory. Both forms have the same results, so that a
//! device, or another implementation that only has OpenCL C 1.2, can be the reference for the features.

use super::choices::Choices;
use super::{Generator, Place};
use crate::campaign::launch::Argument;
use crate::types::{Type, UINT, int};

/// The bytes of global memory that each work-item has for itself.
pub(super) const HEAP: usize = 1024;

/// The bytes of local memory that pointers to the parts of work-items may take in a kernel.
const LOCAL: usize = 4096;

/// What a program with later features needs besides its text.
#[derive(Default, Debug)]
pub(super) struct Later {
    /// The definitions that the text needs: a name, the text in OpenCL C 3.0, and the text in OpenCL C 1.2.
    definitions: Vec<(String, String, String)>,
    /// The definitions that are the same in both forms.
    common: Vec<String>,
    /// The number of work-items of a work-group of the current kernel; 0 outside of kernels.
    pub(super) group: usize,
    /// Whether the work-groups at the ends of the current kernel's range are smaller.
    pub(super) uneven: bool,
    /// Whether the range of the current kernel has one dimension.
    pub(super) line: bool,
    /// The bytes of [`HEAP`] that the current kernel has given away.
    pub(super) heap: usize,
    /// The bytes of local memory that the current kernel has given away.
    pub(super) local: usize,
    pub(super) variables: super::variables::Variables,
}

impl Later {
    /// Adds a definition, unless it exists.
    pub(super) fn define(&mut self, name: &str, later: String, plain: String) {
        if self.definitions.iter().all(|(n, ..)| n != name) {
            self.definitions.push((name.to_owned(), later, plain));
        }
    }

    /// Adds a definition of both forms, unless it exists.
    pub(super) fn define_common(&mut self, text: String) {
        if !self.common.contains(&text) {
            self.common.push(text);
        }
    }

    /// Returns all definitions as the first lines of a program.
    pub(super) fn header(&self) -> String {
        let [mut later, mut plain] = [String::new(), String::new()];
        for (_, l, p) in &self.definitions {
            later += l;
            plain += p;
        }
        format!(
            "#undef GROUP\n#define GROUP group_number\n#ifdef PLAIN\n{plain}{}#else\n{later}{}#endif\n{}",
            self.variables.plain(),
            self.variables.later(),
            self.common.concat()
        )
    }
}

impl Generator {
    /// Returns a statement that uses later features, or `None` if the program may not have them or another statement is to be
    /// written.
    pub(super) fn later_statement(&mut self) -> Option<String> {
        self.later.as_ref()?;
        if !self.one_in(3) {
            return None;
        }
        Some(match self.below(10) {
            0 => self.static_table(),
            8 | 9 => self.declared_form(),
            1 | 2 => self.c11_atomic().unwrap_or_else(|| self.generic_statement()),
            _ => self.generic_statement(),
        })
    }

    /// Returns the definitions of later features; nothing if the program has none.
    pub(super) fn later_header(&self) -> String {
        self.later.as_ref().map(Later::header).unwrap_or_default()
    }

    /// Adds a definition to the program, unless it exists.
    pub(super) fn define(&mut self, name: &str, later: String, plain: String) {
        if let Some(l) = &mut self.later {
            l.define(name, later, plain);
        }
    }

    /// Returns whether the work-groups at the ends of the current kernel's range are smaller.
    pub(super) fn is_uneven(&self) -> bool {
        self.later.as_ref().is_some_and(|l| l.uneven)
    }

    /// Returns the beginning of the list of parameters of a helper function.
    pub(super) fn taken_variables(&self) -> &'static str {
        if self.later.is_some() { "V_WITH " } else { "" }
    }

    /// Returns the beginning of the list of arguments of a helper function.
    pub(super) fn passed_variables(&self) -> &'static str {
        if self.later.is_some() { "V_ " } else { "" }
    }

    /// Returns the declaration of a constant table in the current function. In OpenCL C 1.2 it is outside of the function.
    fn static_table(&mut self) -> String {
        let (ty, len, name) = (self.int_type(), self.pick(&[2, 4, 8]), self.name("t"));
        let values: Vec<String> = (0..len).map(|_| self.table_value(ty)).collect();
        let text = format!("{} {name}[{len}] = {{{}}};\n", ty.name(), values.join(", "));
        let space = self.pick(&["static const", "static constant", "static const global"]);
        self.define(&name, String::new(), format!("constant {text}"));
        self.places.push(Place::read_only(&format!("{name}[@]"), ty, len));
        format!("#ifndef PLAIN\n{space} {text}#endif\n")
    }

    /// Returns a call of a C11 atomic function on a random counter, if there are counters in scope. Each function has a counter
    /// of its own, so that the result does not depend on the order of the calls.
    fn c11_atomic(&mut self) -> Option<String> {
        let array = self.counter()?;
        let space = if array.starts_with("loc") {
            "local"
        } else {
            "global"
        };
        let k = self.below(7);
        let op = ["add", "sub", "min", "max", "and", "or", "xor"][k];
        let value = self.int(crate::types::INT, 2);
        // The type of the pointer may lack the address space.
        let space = if self.one_in(3) { "" } else { space };
        let pointer = format!("(volatile {space} atomic_int *)&{array}[{k}]");
        let later = match self.below(4) {
            0 if space.is_empty() || self.one_in(2) => {
                format!("atomic_fetch_{op}({pointer}, {value});\n")
            }
            1 if op == "max" || op == "min" => format!(
                "{{\nvolatile {space} atomic_int *cell = {pointer};\nconst int wanted = {value};\n\
                 int old = atomic_load_explicit(cell, memory_order_relaxed, memory_scope_device);\n\
                 while (old {} wanted && !atomic_compare_exchange_{}_explicit(cell, &old, wanted, {}));\n}}\n",
                if op == "max" { "<" } else { ">" },
                self.pick(&["weak", "strong"]),
                self.pick(&[
                    "memory_order_relaxed, memory_order_relaxed, memory_scope_device",
                    "memory_order_acq_rel, memory_order_acquire, memory_scope_device",
                    "memory_order_seq_cst, memory_order_relaxed, memory_scope_device",
                ])
            ),
            _ => {
                let order = self.pick(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
                let scope = match array.starts_with("loc") && self.one_in(2) {
                    true => "work_group",
                    false => "device",
                };
                format!(
                    "atomic_fetch_{op}_explicit({pointer}, {value}, memory_order_{order}, memory_scope_{scope});\n"
                )
            }
        };
        Some(format!(
            "#ifdef PLAIN\natomic_{op}(&{array}[{k}], {value});\n#else\n{later}#endif\n"
        ))
    }

    /// Returns a function of OpenCL C 3.1 for integers, whose result has the type; `None` if there is none.
    pub(super) fn extended(&mut self, ty: Type, d: usize) -> Option<String> {
        self.later.as_ref()?;
        if !self.one_in(8) {
            return None;
        }
        Some(match self.below(5) {
            0 if ty.n == 1 && ty.bits() == 32 => self.dot(ty, d),
            0 | 1 => {
                let name = format!("X_bit_reverse_{}", ty.name());
                let (t, u) = (ty.name(), ty.as_int(false).name());
                let (one, last) = (ty.as_int(false).splat("1"), ty.bits() - 1);
                self.define(
                    &name,
                    format!("#define {name} bit_reverse\n"),
                    format!(
                        "{t} {name}({t} x) {{ {u} y = as_{u}(x), r = 0; for (uint i = 0; i < {}u; ++i) \
                         {{ r |= ({u})((({u})(y >> ({u})(i)) & {one}) << ({u})({last}u - i)); }} return as_{t}(r); }}\n",
                        ty.bits()
                    ),
                );
                format!("{name}({})", self.int(ty, d))
            }
            2 => {
                let (at, count) = self.bit_range(ty, d);
                let (t, u) = (ty.name(), ty.as_int(false).name());
                let name = format!("X_bitfield_insert_{t}");
                let mask = self.mask_of_bits(ty);
                self.define(
                    &name,
                    format!("#define {name} bitfield_insert\n"),
                    format!(
                        "{t} {name}({t} a, {t} b, uint o, uint c) {{ const {u} m = {mask}(o, c); \
                         return as_{t}(({u})((as_{u}(a) & ~m) | ((as_{u}(b) << ({u})(o)) & m))); }}\n"
                    ),
                );
                let (a, b) = (self.int(ty, d), self.int(ty, d));
                format!("{name}({a}, {b}, {at}, {count})")
            }
            _ => {
                let (at, count) = self.bit_range(ty, d);
                let signed = self.one_in(2);
                let from = ty.as_int(signed);
                let (t, f, u) = (ty.name(), from.name(), ty.as_int(false).name());
                let kind = if ty.is_signed() { "signed" } else { "unsigned" };
                let name = format!("X_bitfield_extract_{t}_{f}");
                let mask = self.mask_of_bits(ty);
                let field = format!("const {u} r = (as_{u}(a) >> ({u})(o)) & {mask}(0, c);");
                let result = if ty.is_signed() {
                    // The highest bit of the field is copied to those above it.
                    format!(
                        "const {u} high = c == 0u ? ({u})(0) : ({u})((r >> ({u})(c - 1u)) & ({u})(1)); \
                         return as_{t}(({u})(r | (({u})(({u})(0) - high) & ~{mask}(0, c))));"
                    )
                } else {
                    String::from("return r;")
                };
                self.define(
                    &name,
                    format!("#define {name} bitfield_extract_{kind}\n"),
                    format!("{t} {name}({f} a, uint o, uint c) {{ {field} {result} }}\n"),
                );
                format!("{name}({}, {at}, {count})", self.int(from, d))
            }
        })
    }

    /// Returns the name of a function that makes a mask of adjacent bits in all elements of a type.
    fn mask_of_bits(&mut self, ty: Type) -> String {
        let u = ty.as_int(false).name();
        let name = format!("mask_{u}");
        let element = ty.of(1).as_int(false).name();
        self.define(
            &name,
            String::new(),
            format!(
                "{u} {name}(uint o, uint c) {{ return ({u})(({element})(c == 0u ? 0ul : (~0ul >> (64u - c)) << o)); }}\n"
            ),
        );
        name
    }

    /// Returns the offset and the number of bits of a field that is within a type's elements.
    fn bit_range(&mut self, ty: Type, d: usize) -> (String, String) {
        let bits = ty.bits() as usize;
        let k = self.below(bits + 1);
        let k = k.min(bits - 1);
        (
            format!("({})", self.index(k + 1, d.min(1))),
            format!("({})", self.index(bits - k + 1, d.min(1))),
        )
    }

    /// Returns a dot product of integers whose result is an int or a uint.
    fn dot(&mut self, ty: Type, d: usize) -> String {
        let (a, b) = match ty.is_signed() {
            true => self.pick(&[("s", "s"), ("s", "u"), ("u", "s")]),
            false => ("u", "u"),
        };
        let (t, result) = (ty.name(), if ty.is_signed() { "int" } else { "uint" });
        let vector = |s: &str| int(8, s == "s", 4);
        let saturates = self.one_in(2);
        let packed = self.one_in(2);
        let (acc, tail) = if saturates {
            (format!(", {t} acc"), "dot_acc_sat")
        } else {
            (String::new(), "dot")
        };
        let later = match packed {
            true => format!("{tail}_4x8packed_{a}{b}_{result}"),
            false => tail.to_owned(),
        };
        let name = format!("X_{later}_{a}{b}");
        let (pa, pb) = match packed {
            true => ("uint".to_owned(), "uint".to_owned()),
            false => (vector(a).name(), vector(b).name()),
        };
        let lanes = |x: &str, s: &str| format!("convert_long4(as_{}({x}))", vector(s).name());
        let sum = if saturates {
            let (low, high) = match ty.is_signed() {
                true => ("-2147483648l", "2147483647l"),
                false => ("0l", "4294967295l"),
            };
            format!("clamp(p.x + p.y + p.z + p.w + (long)acc, {low}, {high})")
        } else {
            String::from("p.x + p.y + p.z + p.w")
        };
        self.define(
            &name,
            format!("#define {name} {later}\n"),
            format!(
                "{t} {name}({pa} a, {pb} b{acc}) {{ const long4 p = {} * {}; return ({t})({sum}); }}\n",
                lanes("a", a),
                lanes("b", b)
            ),
        );
        let operand = |g: &mut Generator, s: &str| match packed {
            true => g.int(UINT, d),
            false => g.int(vector(s), d),
        };
        let (x, y) = (operand(self, a), operand(self, b));
        match saturates {
            true => format!("{name}({x}, {y}, {})", self.int(ty, d)),
            false => format!("{name}({x}, {y})"),
        }
    }

    /// Returns some bytes of the current kernel's local memory per work-item, if there are enough.
    pub(super) fn local_part(&mut self, bytes: usize) -> bool {
        let Some(l) = &mut self.later else { return false };
        let fits = l.group > 0 && l.local + l.group * bytes <= LOCAL;
        if fits {
            l.local += l.group * bytes;
        }
        fits
    }

    /// Returns the offset of some bytes of the work-item's part of the heap, if there are enough. The offset is a multiple of
    /// the largest alignment.
    pub(super) fn heap_part(&mut self, bytes: usize) -> Option<usize> {
        let l = self.later.as_mut()?;
        let bytes = bytes.next_multiple_of(128);
        (l.group > 0 && l.heap + bytes <= HEAP).then(|| {
            l.heap += bytes;
            l.heap - bytes
        })
    }

    /// Returns the declarations at the beginning of a kernel: the ids of its work-items, which the plain form computes, since its
    /// launch may be one of several of the same range.
    pub(super) fn ids(&self, [offset, global, local]: [&[usize]; 3]) -> String {
        let at = |all: &[usize], d: usize, default| all.get(d).copied().unwrap_or(default);
        let [mut plain, mut later] = [String::new(), String::new()];
        for d in 0..3 {
            let (o, g, l) = (at(offset, d, 0), at(global, d, 1), at(local, d, 1));
            plain += &format!(
                "const uint group{d} = get_group_id({d}) + first{d}, num{d} = {}u, enqueued{d} = {l}u, size{d} = {g}u, offset{d} = {o}u;\n",
                g.div_ceil(l)
            );
            later += &format!(
                "const uint group{d} = get_group_id({d}), num{d} = get_num_groups({d}), enqueued{d} = get_enqueued_local_size({d}), \
                 size{d} = get_global_size({d}), offset{d} = get_global_offset({d});\n"
            );
        }
        let linear = "(uint)(((get_global_id(2) - offset2) * size1 + get_global_id(1) - offset1) * size0 + get_global_id(0) - offset0)";
        format!(
            "#ifdef PLAIN\n{plain}const uint lid = LID, linear = {linear};\n#else\n{later}const uint lid = get_local_linear_id(), \
             linear = get_global_linear_id();\n#endif\n\
             const uint items = get_local_size(0) * get_local_size(1) * get_local_size(2), group_number = (group2 * num1 + group1) * num0 + group0;\n"
        )
    }
}

/// The names of the values that [`Generator::ids`] declares.
pub(super) const IDS: [&str; 12] = [
    "group0",
    "num0",
    "num1",
    "enqueued0",
    "enqueued1",
    "size0",
    "size1",
    "offset0",
    "linear",
    "items",
    "group1",
    "group_number",
];

/// Returns the arguments of every kernel that only programs with later features have, after the first ones.
pub(super) fn arguments(variables: usize, heap: usize, group: usize) -> Vec<Argument> {
    vec![
        Argument::Memory(variables),
        Argument::Memory(heap),
        Argument::Local(group * 128),
        Argument::U32(0),
        Argument::U32(0),
        Argument::U32(0),
    ]
}

/// The parameters for these arguments.
pub(super) const PARAMETERS: &str = ", global struct variables *V, global uchar *heap, local ulong *scratch, uint first0, uint first1, uint first2";
