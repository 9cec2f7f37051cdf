//! Names of OpenCL C's functions as C++ mangles them, with the types of the parameters (Itanium C++ ABI 5.1).
//!
//! Producers leave those built-in functions that have no instruction to the device, as functions that are imported by these names:
//! LLVM's code generator does so with `atomic_inc` on local memory, `_Z10atomic_incPU3AS3Vi`.

use crate::builtins::{library, name, table};
use crate::ir::Scalar;

/// The type of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Param {
    /// A number or a vector of numbers, and whether it is signed.
    Number { scalar: Scalar, signed: bool, lanes: u8 },
    /// A pointer to what the text says in OpenCL C, in any address space.
    Pointer(String),
    /// An enumeration of OpenCL C.
    Enumeration(String),
}

/// Returns the name of a built-in function and its parameters. `None` if the name is not that of one, or if it has parameters of
/// other types.
pub(super) fn built_in(mangled: &str) -> Option<(&str, Vec<Param>)> {
    // The reader recurses, and remembers the text of each type. No built-in function has a longer name.
    if mangled.len() > 256 {
        return None;
    }
    let mut reader = Reader {
        rest: mangled.strip_prefix("_Z")?,
        known: Vec::new(),
    };
    let name = reader.name()?;
    let exists = table::lookup(name).is_some()
        || library::item(name).is_some()
        || library::scalar_item(name).is_some()
        || name::parse(name).is_some();
    if !exists || name.starts_with(table::INTERNAL_PREFIX) {
        return None;
    }
    let mut params = Vec::new();
    if reader.rest != "v" {
        while !reader.rest.is_empty() {
            params.push(reader.ty()?);
        }
    }
    Some((name, params))
}

struct Reader<'a> {
    rest: &'a str,
    /// The types that `S_`, `S0_` and so on stand for.
    known: Vec<Param>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }

    /// Reads a name with its length before it.
    fn name(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(name)
    }

    /// Remembers a type that a later one may refer to.
    fn know(&mut self, ty: Param) -> Param {
        self.known.push(ty.clone());
        ty
    }

    fn ty(&mut self) -> Option<Param> {
        if self.take("P") {
            let to = self.pointee()?;
            return Some(self.know(Param::Pointer(to)));
        }
        if self.take("S") {
            return self.substitution();
        }
        if self.take("Dv") {
            let lanes = u8::try_from(self.number()?).ok()?;
            if !self.take("_") {
                return None;
            }
            return match self.ty()? {
                Param::Number {
                    scalar,
                    signed,
                    lanes: 1,
                } if matches!(lanes, 2 | 3 | 4 | 8 | 16) => Some(self.know(Param::Number {
                    scalar,
                    signed,
                    lanes,
                })),
                _ => None,
            };
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let name = self.name()?;
            return matches!(name, "memory_order" | "memory_scope")
                .then(|| self.know(Param::Enumeration(name.to_owned())));
        }
        const CODES: [(&str, Scalar, bool); 14] = [
            ("Dh", Scalar::F16, true),
            ("f", Scalar::F32, true),
            ("d", Scalar::F64, true),
            ("c", Scalar::I8, true),
            ("a", Scalar::I8, true),
            ("h", Scalar::I8, false),
            ("s", Scalar::I16, true),
            ("t", Scalar::I16, false),
            ("i", Scalar::I32, true),
            ("j", Scalar::I32, false),
            ("l", Scalar::I64, true),
            ("x", Scalar::I64, true),
            ("m", Scalar::I64, false),
            ("y", Scalar::I64, false),
        ];
        let (_, scalar, signed) = CODES.into_iter().find(|(code, ..)| self.take(code))?;
        Some(Param::Number {
            scalar,
            signed,
            lanes: 1,
        })
    }

    /// Reads what a pointer leads to. Its address space is not needed, because the type in SPIR-V has it.
    fn pointee(&mut self) -> Option<String> {
        let mut qualifiers = String::new();
        let mut is_qualified = false;
        loop {
            if self.take("V") {
                qualifiers.push_str("volatile ");
            } else if self.take("K") {
                qualifiers.push_str("const ");
            } else if !self.take("r") && !self.address_space() {
                break;
            }
            is_qualified = true;
        }
        let is_atomic = self.take("U7_Atomic");
        let ty = match self.take("v") {
            true => "void".to_owned(),
            false => spelling(&self.ty()?),
        };
        let ty = match is_atomic {
            true => format!("atomic_{ty}"),
            false => ty,
        };
        // The qualified type and the atomic type count as types that a later pointer may refer to.
        for _ in 0..u8::from(is_atomic) + u8::from(is_qualified) {
            self.known.push(Param::Enumeration(format!("{qualifiers}{ty}")));
        }
        Some(format!("{qualifiers}{ty}"))
    }

    fn address_space(&mut self) -> bool {
        let before = self.rest;
        if self.take("U")
            && let Some(name) = self.name()
            && (name.starts_with("AS") || name.starts_with("CL"))
        {
            return true;
        }
        self.rest = before;
        false
    }

    fn substitution(&mut self) -> Option<Param> {
        let end = self.rest.find('_')?;
        let (digits, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        let n = match digits {
            "" => 0,
            digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1)?,
        };
        self.known.get(n).cloned()
    }
}

/// Returns a type in OpenCL C.
fn spelling(ty: &Param) -> String {
    match ty {
        Param::Number {
            scalar,
            signed,
            lanes,
        } => {
            let ty = crate::ir::Ty::vector(*scalar, *lanes);
            super::library::CType::number(ty, *signed).map_or_else(String::new, |ty| ty.text)
        }
        Param::Pointer(to) => format!("{to} *"),
        Param::Enumeration(name) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Param, built_in};
    use crate::ir::Scalar;

    #[test]
    fn names_of_built_in_functions() {
        let number = |scalar, signed, lanes| Param::Number {
            scalar,
            signed,
            lanes,
        };
        let float4 = number(Scalar::F32, true, 4);
        let cases = [
            (
                "_Z13get_global_idj",
                "get_global_id",
                vec![number(Scalar::I32, false, 1)],
            ),
            ("_Z12get_work_dimv", "get_work_dim", vec![]),
            (
                "_Z10atomic_incPU3AS3Vi",
                "atomic_inc",
                vec![Param::Pointer("volatile int".into())],
            ),
            (
                "_Z3fmaDv4_fS_S_",
                "fma",
                vec![float4.clone(), float4.clone(), float4],
            ),
            (
                "_Z14convert_doublef",
                "convert_double",
                vec![number(Scalar::F32, true, 1)],
            ),
            (
                "_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicjj12memory_order12memory_scope",
                "atomic_fetch_add_explicit",
                vec![
                    Param::Pointer("volatile atomic_uint".into()),
                    number(Scalar::I32, false, 1),
                    Param::Enumeration("memory_order".into()),
                    Param::Enumeration("memory_scope".into()),
                ],
            ),
            (
                "_Z6sincosDv4_fPU3AS1S_",
                "sincos",
                vec![number(Scalar::F32, true, 4), Param::Pointer("float4".into())],
            ),
        ];
        for (mangled, name, params) in cases {
            assert_eq!(built_in(mangled), Some((name, params)), "{mangled}");
        }
        for other in [
            "foo",
            "_Z3fooi",
            "_Z3max",
            "_Z99maxii",
            "_Z3maxS9_",
            "_Z3maxDv4",
            "_Z3maxP3Foo",
            "_Z3\u{e9}",
        ] {
            let found = built_in(other);
            assert!(found.is_none_or(|(_, params)| params.is_empty()), "{other}");
        }
    }
}
