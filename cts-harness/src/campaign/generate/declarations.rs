//! Generates forms of OpenCL C 1.2 that only the programs with later features have, so that the programs of existing seeds stay
//! the same: designated initializers, compound literals, packed structures, pointers to pointers, halves in memory, copies by
//! whole work-groups.

use super::choices::Choices;
use super::{Generator, Place, element};
use crate::types::{Type, UINT, float, int};

impl Generator {
    /// Returns a statement of one of these forms.
    pub(super) fn declared_form(&mut self) -> String {
        match self.below(5) {
            0 => self.designated(),
            1 => self.packed(),
            2 => self.compound_literal(),
            3 => self.pointer_to_pointer(),
            _ => self.halves(),
        }
    }

    /// Declares a structure without a name whose initializer names some of its members, in any order. The others are zero.
    fn designated(&mut self) -> String {
        let name = self.name("d");
        let types: Vec<(Type, usize)> = (0..2 + self.below(3))
            .map(|_| (self.any_type(), self.pick(&[0, 0, 2, 4])))
            .collect();
        let mut members = String::new();
        let mut initializers = Vec::new();
        for (n, (ty, len)) in types.iter().enumerate() {
            let t = ty.name();
            let at = self.below((*len).max(1));
            let (array, which) = match len {
                0 => (String::new(), String::new()),
                len => (format!("[{len}]"), format!("[{at}]")),
            };
            members += &format!("{t} m{n}{array}; ");
            if self.one_in(3) {
                continue;
            }
            initializers.push(format!(".m{n}{which} = {}", self.value(*ty, 2)));
        }
        if initializers.is_empty() || self.one_in(2) {
            initializers.reverse();
        }
        if initializers.is_empty() {
            initializers.push(String::from(".m0 = 0"));
            if types[0].1 > 0 {
                initializers[0] = String::from(".m0[0] = 0");
            }
        }
        for (n, (ty, len)) in types.iter().enumerate() {
            let index = if *len > 0 { "[@]" } else { "" };
            self.add(format!("{name}.m{n}{index}"), *ty, *len);
        }
        format!(
            "struct {{ {members}}} {name} = {{{}}};\n",
            initializers.join(", ")
        )
    }

    /// Declares a packed structure, whose members may be anywhere, and a copy of it in an array.
    fn packed(&mut self) -> String {
        let name = self.name("k");
        let types: Vec<Type> = (0..2 + self.below(3)).map(|_| self.any_type()).collect();
        let (mut members, mut values) = (String::new(), Vec::new());
        for (n, ty) in types.iter().enumerate() {
            members += &format!("{} m{n}; ", ty.name());
            values.push(self.value(*ty, 2));
        }
        for (n, ty) in types.iter().enumerate() {
            for part in ["", "c[@]"] {
                let (place, len) = match part {
                    "" => (format!("{name}.m{n}"), 0),
                    part => (format!("{name}{part}.m{n}"), 2),
                };
                self.places.push(Place::writable(place, *ty, len, false));
            }
        }
        format!(
            "struct __attribute__((packed)) T{name} {{ uchar tag; {members}}} {name} = {{1, {}}}, {name}c[2];\n\
             {name}c[1] = {name};\n{name}c[0] = {name}c[1];\n",
            values.join(", ")
        )
    }

    /// Declares a structure with an array that a compound literal initializes. (A pointer to a compound literal would be shorter,
    /// but Clang 15 gives array literals no address space.)
    fn compound_literal(&mut self) -> String {
        let (ty, len, name) = (self.any_type(), self.pick(&[2, 4]), self.name("y"));
        let values: Vec<String> = (0..len).map(|_| self.value(ty, 2)).collect();
        let t = ty.name();
        self.add(format!("{name}.a[@]"), ty, len);
        format!(
            "struct T{name} {{ {t} a[{len}]; }} {name} = (struct T{name}){{{{{}}}}};\n",
            values.join(", ")
        )
    }

    /// Declares a pointer to a pointer to a variable, which may change what the first pointer points to.
    fn pointer_to_pointer(&mut self) -> String {
        let Some(a) = self.place(|p| p.writable && p.private && p.len == 0) else {
            return self.declaration();
        };
        let b = self
            .place(|p| p.writable && p.private && p.len == 0 && p.ty == a.ty)
            .unwrap_or_else(|| a.clone());
        let (p, pp, t, c) = (self.name("p"), self.name("z"), a.ty.name(), self.condition(2));
        self.add(format!("(*{p})"), a.ty, 0);
        self.add(format!("(**{pp})"), a.ty, 0);
        format!(
            "{t} *{p} = &{};\n{t} **{pp} = &{p};\nif ({c}) *{pp} = &{};\n",
            a.text, b.text
        )
    }

    /// Stores floats as halves, which can represent them, and loads them again.
    fn halves(&mut self) -> String {
        let n = self.pick(&[1, 2, 3, 4, 8, 16]);
        let (array, v) = (self.name("h"), self.name("v"));
        let ty = float(32, n);
        let suffix = if n == 1 { String::new() } else { n.to_string() };
        let value = self.value(ty, 2);
        let mode = self.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
        let at = self.index(2, 1);
        self.add(v.clone(), ty, 0);
        let aligned = if n > 1 && self.one_in(3) { "a" } else { "" };
        // The aligned forms for three elements have the stride of four.
        let stride = if n == 3 { 4 } else { n };
        format!(
            "ushort {stride_type} {array}[{}];\n{{\nconst uint at_ = {at};\nvstore{aligned}_half{suffix}{mode}({value}, at_, (half *){array});\n\
             }}\n{t} {v};\n{{\nconst uint at_ = {at};\n{v} = vload{aligned}_half{suffix}(at_, (const half *){array});\n}}\n",
            2 * stride,
            stride_type = "__attribute__((aligned(32)))",
            t = ty.name()
        )
    }

    /// Returns copies by the whole work-group between global and local memory. All its work-items execute them.
    pub(super) fn group_copies(&mut self, group: usize) -> String {
        let (signed, n) = (self.one_in(2), self.pick(&[1, 1, 2, 4]));
        let ty = int(32, signed, n);
        let t = ty.name();
        let words = super::kernel::INPUT / n;
        let (count, stride) = (1 + self.below(words.min(16)), self.pick(&[1, 2, 3]));
        let count = if stride > 1 {
            count.min(words / stride).max(1)
        } else {
            count
        };
        let array = format!("loc__{t}__{count}__{}", self.name(""));
        let (e, v) = (self.name("e"), self.name("v"));
        let from = "(const global {t} *)in".replace("{t}", &t);
        let load = match self.one_in(2) {
            true => format!("async_work_group_strided_copy({array}, {from}, {count}, {stride}, 0)"),
            false => format!("async_work_group_copy({array}, {from}, {count}, 0)"),
        };
        let value = self.int(ty, 2);
        let scope = self.places.len();
        self.places
            .push(Place::read_only(&format!("{array}[@]"), ty, count));
        let body: String = (0..2).map(|_| self.statement(1)).collect();
        self.places.truncate(scope);
        let sum: Vec<String> = (0..ty.n)
            .map(|k| match ty.n {
                1 => format!("(uint){array}[i_]"),
                _ => format!("(uint){array}[i_].s{}", element(k)),
            })
            .collect();
        self.add(v.clone(), UINT, 0);
        // The work-group's part of the heap has room for the elements after what its first work-item may give away.
        let back = format!(
            "(global {t} *)(heap + group_number * {group}u * {heap}u)",
            heap = super::later::HEAP
        );
        let store =
            match self.later.as_ref().is_some_and(|l| l.heap == 0) && self.heap_part(count * 16).is_some() {
                true => format!(
                    "if (lid < {count}u) {array}[lid] = {value};\nbarrier(CLK_LOCAL_MEM_FENCE);\n\
                 {e} = async_work_group_copy({back}, {array}, {count}, 0);\nwait_group_events(1, &{e});\n\
                 barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n\
                 for (uint i_ = 0; i_ < {count}u; ++i_) {v} = {v} * 31u + as_uint4(({back})[i_]).s0;\n"
                ),
                false => String::new(),
            };
        let store = match ty.n {
            4 => store,
            1 => store.replace("as_uint4(", "as_uint(").replace(").s0;", ");"),
            _ => store.replace("as_uint4(", "as_uint2("),
        };
        format!(
            "uint {v} = 0;\n{{\nevent_t {e} = {load};\nwait_group_events(1, &{e});\n{{\n{body}}}\n\
             for (uint i_ = 0; i_ < {count}u; ++i_) {v} = {v} * 33u + ({});\nbarrier(CLK_LOCAL_MEM_FENCE);\n{store}\
             barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n}}\n",
            sum.join(" ^ ")
        )
    }
}
