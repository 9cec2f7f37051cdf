//! Spells types for diagnostics and for clGetKernelArgInfo.

use super::Sema;
use crate::hir::{RecordId, Space, Type, TypeId};

/// Returns the keyword of an address space.
pub(crate) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Private => "__private",
        Space::Local => "__local",
        Space::Global => "__global",
        Space::Constant => "__constant",
        Space::Generic => "__generic",
    }
}

impl Sema<'_> {
    /// Returns a type as diagnostics quote it, without the quotes.
    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        self.declare(ty, String::new())
    }

    fn record_name(&self, id: RecordId) -> String {
        let r = &self.program.types.records[id];
        let word = if r.is_union { "union" } else { "struct" };
        match (&r.tag, self.record_names.get(&id)) {
            (Some(tag), _) => format!("{word} {tag}"),
            (None, Some(name)) => name.clone(),
            (None, None) => format!("{word} (unnamed)"),
        }
    }

    /// Writes a type in C's declarator syntax; `inner` is the part already written around the name.
    fn declare(&self, ty: TypeId, inner: String) -> String {
        let base = match self.ty(ty) {
            Type::Void => "void".to_string(),
            Type::Scalar(s) => s.name().to_string(),
            Type::Vector(s, n) => format!("{}{n}", s.name()),
            Type::Record(id) => self.record_name(*id),
            Type::Image { dim, access } => format!("{} {}", access.name(), dim.name()),
            Type::Sampler => "sampler_t".to_string(),
            Type::Event => "event_t".to_string(),
            Type::Pipe { packet, write } => format!(
                "{} pipe {}",
                if *write { "__write_only" } else { "__read_only" },
                self.type_name(*packet)
            ),
            Type::Matrix(m) => {
                let (of, role) = (m.component.name(), m.role.macro_name());
                format!("{of} coop_mat({} × {}, {role})", m.rows, m.columns)
            }
            Type::AnyMatrix => "coop_mat".to_string(),
            Type::ReserveId => "reserve_id_t".to_string(),
            Type::Pointer {
                pointee,
                space,
                is_const,
                is_volatile,
                is_restrict,
                ..
            } => {
                let mut quals = String::new();
                for (on, word) in [(*is_const, "const "), (*is_volatile, "volatile ")] {
                    if on {
                        quals.push_str(word);
                    }
                }
                let restrict = if *is_restrict { "restrict" } else { "" };
                let star = match self.ty(*pointee) {
                    Type::Array(..) | Type::IncompleteArray(_) | Type::Function { .. } => {
                        format!("(*{restrict}{inner})")
                    }
                    Type::Void
                    | Type::Scalar(_)
                    | Type::Vector(..)
                    | Type::Pointer { .. }
                    | Type::Record(_)
                    | Type::Image { .. }
                    | Type::Sampler
                    | Type::Event
                    | Type::Pipe { .. }
                    | Type::Matrix(_)
                    | Type::AnyMatrix
                    | Type::ReserveId => format!("*{restrict}{inner}"),
                };
                if matches!(self.ty(*pointee), Type::Pointer { .. }) {
                    // The qualifiers of a pointer follow its star.
                    let quals = format!("{quals}{}", space_name(*space));
                    return self.declare(*pointee, format!("{quals} {star}"));
                }
                let pointee = self.declare(*pointee, star);
                return match space {
                    // Without a generic address space, it is the default.
                    Space::Private if !self.has_generic() => format!("{quals}{pointee}"),
                    Space::Private | Space::Local | Space::Global | Space::Constant | Space::Generic => {
                        format!("{} {quals}{pointee}", space_name(*space))
                    }
                };
            }
            Type::Array(elem, n) => return self.declare(*elem, format!("{inner}[{n}]")),
            Type::IncompleteArray(elem) => return self.declare(*elem, format!("{inner}[]")),
            Type::Function { ret, params } => {
                let list: Vec<String> = params.iter().map(|p| self.type_name(*p)).collect();
                let list = if list.is_empty() {
                    "void".into()
                } else {
                    list.join(", ")
                };
                return self.declare(*ret, format!("{inner}({list})"));
            }
        };
        if inner.is_empty() {
            base
        } else if inner.starts_with('[') {
            format!("{base}{inner}")
        } else {
            format!("{base} {inner}")
        }
    }
}
