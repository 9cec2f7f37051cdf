//! Generates program-scope variables in global memory. In the plain form (see `later.rs`) they are in a buffer, which the
//! first kernel fills with the initial values.
//!
//! Kernels of one work-item change the variables between the other kernels, which only read them. Arrays with a part for each
//! work-item are written by one kernel and read by the next.

use super::choices::Choices;
use super::{Generator, Place};
use crate::types::{Type, UINT};

/// The elements of a work-item in an array that has a part for each.
const PART: usize = 2;

/// A program-scope variable.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    /// The number of elements of an array; 0 if the variable is none.
    len: usize,
    /// The initial values.
    values: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// Kernels of one work-item change it.
    Settled,
    /// Nobody changes it.
    Constant,
    /// Each work-item has a part of it.
    Parts,
    /// A pointer to two elements of another variable, of that index, at this element.
    Pointer { to: usize, at: usize },
}

/// The program-scope variables of a program.
#[derive(Default, Debug)]
pub(super) struct Variables(Vec<Variable>);

impl Variables {
    /// Returns the declarations in OpenCL C 3.0.
    pub(super) fn later(&self) -> String {
        let mut text = String::from("struct variables { int unused; };\n#define V_ \n#define V_WITH\n");
        for (n, v) in self.0.iter().enumerate() {
            let t = v.ty.name();
            let space = ["", "global ", "static ", "static global "][n % 4];
            text += &match v.kind {
                Kind::Pointer { to, at } => {
                    let star = ["global {t} *{n}", "{t} *{n}", "global {t} *global {n}"][n % 3];
                    let star = star.replace("{t}", &t).replace("{n}", &v.name);
                    format!("{star} = {}{};\n", self.0[to].name, offset(at))
                }
                Kind::Parts => format!("{space}{t} {}[{}];\n", v.name, v.len),
                Kind::Settled | Kind::Constant => {
                    let constant = if v.kind == Kind::Constant { "const " } else { "" };
                    match v.len {
                        0 => format!("{space}{constant}{t} {} = {};\n", v.name, v.values[0]),
                        len => format!(
                            "{space}{constant}{t} {}[{len}] = {{{}}};\n",
                            v.name,
                            v.values.join(", ")
                        ),
                    }
                }
            };
        }
        text
    }

    /// Returns the declarations in OpenCL C 1.2.
    pub(super) fn plain(&self) -> String {
        let mut text = String::from("struct variables {\nint unused;\n");
        for v in &self.0 {
            let (t, name) = (v.ty.name(), &v.name);
            text += &match v.kind {
                Kind::Pointer { .. } => format!("global {t} *{name};\n"),
                _ if v.len > 0 => format!("{t} {name}[{}];\n", v.len),
                _ => format!("{t} {name};\n"),
            };
        }
        text += "};\n#define V_ V, \n#define V_WITH global struct variables *V,\n";
        for v in &self.0 {
            text += &format!("#define {0} (V->{0})\n", v.name);
        }
        text.replace("struct variables {\n", "struct variables;\nstruct variables {\n")
    }

    /// Returns the kernel that gives the variables their initial values in the plain form.
    fn beginning(&self) -> String {
        let mut text = String::new();
        for v in &self.0 {
            let name = &v.name;
            text += &match v.kind {
                Kind::Pointer { to, at } => format!("{name} = {}{};\n", self.0[to].name, offset(at)),
                Kind::Parts => format!(
                    "for (uint i = 0; i < {}u; ++i) {name}[i] = ({})(0);\n",
                    v.len,
                    v.ty.name()
                ),
                _ if v.len == 0 => format!("{name} = {};\n", v.values[0]),
                _ => v
                    .values
                    .iter()
                    .enumerate()
                    .map(|(i, value)| format!("{name}[{i}] = {value};\n"))
                    .collect(),
            };
        }
        format!("kernel void begin(global struct variables *V) {{\n#ifdef PLAIN\n{text}#endif\n}}\n")
    }

    /// Returns the size of the buffer for the variables in bytes.
    fn bytes(&self) -> usize {
        self.0.iter().map(|v| (v.len.max(1) + 1) * 128).sum::<usize>() + 256
    }
}

fn offset(at: usize) -> String {
    match at {
        0 => String::new(),
        at => format!(" + {at}"),
    }
}

impl Generator {
    /// Adds the program-scope variables. `items` is the largest number of work-items of a kernel.
    pub(super) fn declare_variables(&mut self, items: usize) {
        if self.later.is_none() {
            return;
        }
        for _ in 0..self.below(6) {
            let (ty, name) = (self.any_type(), self.name("global_"));
            let kind = match self.below(5) {
                0 => Kind::Constant,
                1 | 2 => Kind::Settled,
                3 => Kind::Parts,
                _ => match self.array_variable() {
                    Some((to, len)) => Kind::Pointer {
                        to,
                        at: self.below(len - 1),
                    },
                    None => Kind::Settled,
                },
            };
            let len = match kind {
                Kind::Parts => items * PART,
                Kind::Pointer { .. } => 0,
                Kind::Settled | Kind::Constant => self.pick(&[0, 2, 3, 8]),
            };
            let values = match kind {
                Kind::Settled | Kind::Constant => (0..len.max(1)).map(|_| self.initial_value(ty)).collect(),
                Kind::Parts | Kind::Pointer { .. } => Vec::new(),
            };
            let Some(later) = &mut self.later else { return };
            let all = &mut later.variables.0;
            let ty = match kind {
                Kind::Pointer { to, .. } => all[to].ty,
                _ => ty,
            };
            all.push(Variable {
                name,
                ty,
                len,
                values,
                kind,
            });
        }
    }

    fn initial_value(&mut self, ty: Type) -> String {
        if ty.is_int() {
            return self.table_value(ty);
        }
        let suffix = if ty.bits() == 64 { "" } else { "f" };
        let all: Vec<String> = (0..ty.n)
            .map(|_| format!("{}.5{suffix}", self.random.below(8)))
            .collect();
        ty.splat(&all.join(", "))
    }

    /// Returns a variable that is an array and may change, by its index, and the number of its elements.
    fn array_variable(&mut self) -> Option<(usize, usize)> {
        let all = &self.later.as_ref()?.variables.0;
        let fit: Vec<(usize, usize)> = all
            .iter()
            .enumerate()
            .filter(|(_, v)| v.kind == Kind::Settled && v.len > 1)
            .map(|(n, v)| (n, v.len))
            .collect();
        let n = self.random.below(fit.len().max(1));
        fit.get(n).copied()
    }

    /// Returns the places of the variables that all functions may read.
    pub(super) fn settled_variables(&self) -> Vec<Place> {
        let Some(later) = &self.later else {
            return Vec::new();
        };
        let read = later.variables.0.iter().filter(|v| v.kind != Kind::Parts);
        read.map(|v| match v.kind {
            Kind::Pointer { .. } => Place::read_only(&format!("{}[@]", v.name), v.ty, 2),
            _ if v.len > 0 => Place::read_only(&format!("{}[@]", v.name), v.ty, v.len),
            _ => Place::read_only(&v.name, v.ty, 0),
        })
        .collect()
    }

    /// Returns the places of the arrays that have a part for each work-item: kernels with even numbers write their work-items'
    /// parts, the others read all.
    pub(super) fn parts(&self, kernel: usize) -> Vec<Place> {
        let Some(later) = &self.later else {
            return Vec::new();
        };
        let parts = later.variables.0.iter().filter(|v| v.kind == Kind::Parts);
        parts
            .map(|v| match kernel % 2 {
                0 => {
                    let text = format!("{}[me * {PART}u + (@)]", v.name);
                    Place::writable(text, v.ty, PART, false)
                }
                _ => Place::read_only(&format!("{}[@]", v.name), v.ty, v.len),
            })
            .collect()
    }

    /// Returns the name, the element type and the number of elements per work-item of an array of which the current kernel
    /// may write the work-item's part.
    pub(super) fn own_variable(&mut self) -> Option<(String, Type, usize)> {
        let suffix = format!("[me * {PART}u + (@)]");
        let p = self.place(|p| p.text.ends_with(&suffix) && p.text.starts_with("global_"))?;
        Some((p.text.replace(&suffix, ""), p.ty, PART))
    }

    /// Returns the size of the buffer for the variables in bytes.
    pub(super) fn variable_bytes(&self) -> usize {
        self.later.as_ref().map_or(0, |l| l.variables.bytes())
    }

    /// Returns the kernel `begin`.
    pub(super) fn first_kernel(&self) -> String {
        self.later
            .as_ref()
            .map(|l| l.variables.beginning())
            .unwrap_or_default()
    }

    /// Returns a kernel of one work-item that changes the variables.
    pub(super) fn changing_kernel(&mut self, k: usize) -> String {
        self.places.clear();
        self.counters.clear();
        if let Some(later) = &mut self.later {
            later.group = 0;
        }
        self.places.push(Place::read_only("n", UINT, 0));
        let mut all = self.settled_variables();
        let names: Vec<(String, Kind)> = self.later.as_ref().map_or(Vec::new(), |l| {
            l.variables.0.iter().map(|v| (v.name.clone(), v.kind)).collect()
        });
        for p in &mut all {
            let kind = names
                .iter()
                .find(|(n, _)| p.text == *n || p.text.starts_with(&format!("{n}[")));
            p.writable = kind.is_some_and(|(_, k)| *k != Kind::Constant);
        }
        self.places.extend(all);
        let mut text = String::new();
        for _ in 0..2 + self.below(4) {
            text += &self.statement(1);
        }
        for (name, kind) in &names {
            if let Kind::Pointer { to, .. } = kind
                && self.one_in(2)
            {
                let target = self
                    .later
                    .as_ref()
                    .map_or(String::new(), |l| l.variables.0[*to].name.clone());
                let len = self.later.as_ref().map_or(2, |l| l.variables.0[*to].len);
                text += &format!("{name} = {target} + ({});\n", self.index(len - 1, 1));
            }
        }
        format!("kernel void step{k}(global struct variables *V, uint n) {{\n{text}}}\n")
    }

    /// Returns a kernel of one work-item that writes a hash of all variables to its result.
    pub(super) fn last_kernel(&self) -> String {
        let Some(later) = &self.later else {
            return String::new();
        };
        let mut text = String::new();
        for v in &later.variables.0 {
            let len = match v.kind {
                Kind::Pointer { .. } => 2,
                _ => v.len,
            };
            let whole = if len > 0 { "[i]" } else { "" };
            let mixes: String = (0..v.ty.n)
                .map(|e| {
                    let value = match v.ty.n {
                        1 => format!("{}{whole}", v.name),
                        _ => format!("{}{whole}.s{}", v.name, super::element(e)),
                    };
                    match v.ty.is_int() {
                        true => format!("MIX({value}); "),
                        false => format!("MIX(as_{}({value})); ", v.ty.of(1).as_int(false).name()),
                    }
                })
                .collect();
            text += &match len {
                0 => format!("{mixes}\n"),
                // A device may end loops of many iterations early.
                len => format!("for (uint i = 0; i < {len}u; ++i) {{ {mixes}}}\n"),
            };
        }
        format!(
            "kernel void last(global struct variables *V, global ulong *out) {{\nulong h = 0;\n{text}out[0] = h;\n}}\n"
        )
    }
}
