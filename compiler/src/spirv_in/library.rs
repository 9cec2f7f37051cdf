//! Calls of OpenCL C's built-in functions.
//!
//! An instruction that has the meaning of a built-in function of OpenCL C becomes a call of a small function
//! in OpenCL C, which calls that built-in function. The front end compiles these functions as it compiles any
//! source, so both languages share the tables of built-in functions, their overloads, and the library. The
//! calls are inlined later, so the functions themselves cost nothing.

use crate::hash::{HashMap, HashSet};
use crate::ir::{self, AddressSpace, Linkage, Scalar, Ty};
use std::fmt::Write;

/// The prefix of the functions' names.
pub(super) const PREFIX: &str = "__spirv_call_";

/// A type in OpenCL C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CType {
    /// The spelling.
    pub(super) text: String,
    pub(super) ir: Ty,
}

impl CType {
    /// Returns the type of a number, or of a vector of numbers. `None` if OpenCL C has no such type.
    pub(super) fn number(ty: Ty, signed: bool) -> Option<CType> {
        let word = match (ty.scalar, signed) {
            (Scalar::I8, true) => "char",
            (Scalar::I8, false) => "uchar",
            (Scalar::I16, true) => "short",
            (Scalar::I16, false) => "ushort",
            (Scalar::I32, true) => "int",
            (Scalar::I32, false) => "uint",
            (Scalar::I64, true) => "long",
            (Scalar::I64, false) => "ulong",
            (Scalar::F16, _) => "half",
            (Scalar::F32, _) => "float",
            (Scalar::F64, _) => "double",
            (Scalar::Bool | Scalar::Ptr(_) | Scalar::Image | Scalar::Sampler | Scalar::Matrix(_), _) => {
                return None;
            }
        };
        let text = match ty.lanes {
            1 => word.to_owned(),
            n => format!("{word}{n}"),
        };
        Some(CType { text, ir: ty })
    }

    /// Returns the type of a pointer to a type. `None` if a kernel cannot have such pointers.
    pub(super) fn pointer(to: &str, space: AddressSpace) -> Option<CType> {
        let word = match space {
            AddressSpace::Private => "__private",
            AddressSpace::Local => "__local",
            AddressSpace::Global => "__global",
            AddressSpace::Constant => "__constant",
            // OpenCL C before version 3.0 has no generic pointers.
            AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => return None,
        };
        Some(CType {
            text: format!("{word} {to} *"),
            ir: Ty::ptr(space),
        })
    }

    /// Returns the type `reserve_id_t`.
    pub(super) fn reserve_id() -> CType {
        CType {
            text: "reserve_id_t".into(),
            ir: Ty::I32,
        }
    }

    /// Returns the type `event_t`.
    pub(super) fn event() -> CType {
        CType {
            text: "event_t".into(),
            ir: Ty::I64,
        }
    }
}

/// The functions that a module calls.
#[derive(Default, Debug)]
pub(super) struct Library {
    text: String,
    known: HashMap<String, ir::Func>,
    /// The structures that the text declares.
    structures: HashSet<String>,
}

impl Library {
    /// Returns a function with the given parameters, which are `a`, `b`, `c` … in the body.
    pub(super) fn function(
        &mut self,
        module: &mut ir::Module,
        ret: Option<&CType>,
        params: &[CType],
        body: &str,
    ) -> ir::Func {
        let list: Vec<String> = params
            .iter()
            .zip('a'..='z')
            .map(|(p, name)| format!("{} {name}", p.text))
            .collect();
        let ret_text = ret.map_or("void", |r| r.text.as_str());
        let key = format!("{ret_text}({}) {{ {body} }}", list.join(", "));
        if let Some(&func) = self.known.get(&key) {
            return func;
        }
        let name = format!("{PREFIX}{}", self.known.len());
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{ret_text} {name}({}) {{ {body} }}", list.join(", "));
        let types: Vec<Ty> = params.iter().map(|p| p.ir).collect();
        let mut declared = ir::Function::new(name, &types, ret.map(|r| r.ir));
        declared.linkage = Linkage::External;
        let func = module.funcs.push(declared);
        module.undefined.push(func);
        self.known.insert(key, func);
        func
    }

    /// Declares a structure with these members, for the functions that follow.
    pub(super) fn structure(&mut self, name: &str, members: &str) {
        if self.structures.insert(name.to_owned()) {
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "struct {name} {{ {members} }};");
        }
    }

    /// Returns the source of all functions; it is empty if there are none.
    pub(super) fn into_source(self) -> String {
        self.text
    }
}
