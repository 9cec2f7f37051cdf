//! Checks attributes (6.11).

use super::Sema;
use crate::hir::Space;
use crate::pp::is_known_attribute;
use crate::source::Span;
use crate::syntax::ast::{AttrArg, Attribute, ExprKind, SpaceQual};

/// The greatest alignment that `aligned` accepts, in bytes.
const MAX_ALIGN: i128 = 1 << 28;
/// The alignment of `aligned` without an argument, in bytes: the greatest alignment of any type.
const BIGGEST_ALIGN: u32 = 128;

/// The attribute that makes a cooperative matrix of the type of its components.
pub(super) const MATRIX: &str = "coop_mat";

/// The attributes `packed` and `aligned` of a type, member or variable.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Layout {
    pub(super) packed: bool,
    /// The alignment in bytes; 0 without `aligned`.
    pub(super) align: u32,
}

/// The construct that attributes are attached to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    Function,
    /// A variable or a parameter.
    Variable,
    /// A struct, union or enum that is being defined.
    Type,
    Member,
    Typedef,
}

impl Sema<'_> {
    /// Warns about attributes that this compiler does not know, and checks the attributes that it knows.
    pub(super) fn check_attributes(&mut self, attributes: &[Attribute], subject: Subject) {
        for a in attributes {
            if !is_known_attribute(&a.name) {
                self.warning(a.span, format!("unknown attribute '{}' ignored", a.name));
                continue;
            }
            self.check_attribute(a, subject);
        }
    }

    fn check_attribute(&mut self, a: &Attribute, subject: Subject) {
        let name = a.name.as_str();
        match name {
            "packed" if !a.args.is_empty() => {
                self.error(a.span, "'packed' attribute takes no arguments");
            }
            "packed" if !matches!(subject, Subject::Type | Subject::Member) => {
                self.warning(a.span, "'packed' attribute ignored");
            }
            "aligned" if a.args.len() > 1 => {
                self.error(a.span, "'aligned' attribute takes no more than 1 argument");
            }
            // `endian` has no effect, because the host and the device have the same byte order.
            "endian" if a.args.is_empty() => {
                self.warning(a.span, "'endian' attribute without 'host' or 'device' ignored");
            }
            "endian" => {
                let known = match &a.args[..] {
                    [AttrArg::Text(t)] => t == "host" || t == "device",
                    [AttrArg::Expr(e)] => {
                        matches!(&e.kind, ExprKind::Ident(n) if n == "host" || n == "device")
                    }
                    _ => false,
                };
                if !known {
                    self.error(a.span, "'endian' attribute takes 'host' or 'device'");
                }
            }
            "nosvm" => self.warning(
                a.span,
                "'nosvm' attribute ignored: there is no shared virtual memory before OpenCL 2.0",
            ),
            "opencl_unroll_hint" => {
                self.error(
                    a.span,
                    "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements",
                );
            }
            "ext_vector_type" | "vector_size" | MATRIX if subject != Subject::Typedef => {
                self.error(a.span, format!("'{name}' attribute only applies to typedefs"));
            }
            "reqd_work_group_size"
            | "work_group_size_hint"
            | "vec_type_hint"
            | "intel_reqd_sub_group_size"
            | "overloadable"
                if subject != Subject::Function =>
            {
                self.error(a.span, format!("'{name}' attribute only applies to functions"));
            }
            _ => {}
        }
    }

    /// Reports attributes of kernels on functions that are not kernels.
    pub(super) fn check_kernel_attributes(&mut self, attributes: &[Attribute]) {
        for a in attributes {
            if let "reqd_work_group_size"
            | "work_group_size_hint"
            | "vec_type_hint"
            | "intel_reqd_sub_group_size" = a.name.as_str()
            {
                self.error(
                    a.span,
                    format!(
                        "attribute '{}' can only be applied to an OpenCL kernel function",
                        a.name
                    ),
                );
            }
        }
    }

    /// Returns the layout attributes in a list.
    pub(super) fn layout_attributes(&mut self, attributes: &[Attribute]) -> Layout {
        let mut layout = Layout::default();
        for a in attributes {
            match a.name.as_str() {
                "packed" => layout.packed = true,
                "aligned" => {
                    let align = self.aligned_argument(a).unwrap_or(0);
                    layout.align = layout.align.max(align);
                }
                _ => {}
            }
        }
        layout
    }

    fn aligned_argument(&mut self, a: &Attribute) -> Option<u32> {
        if a.args.is_empty() {
            return Some(BIGGEST_ALIGN);
        }
        let (value, span) = self.int_argument(a, 0)?;
        if value <= 0 || value > MAX_ALIGN || value & (value - 1) != 0 {
            self.error(span, "requested alignment is not a power of 2");
            return None;
        }
        Some(value as u32)
    }

    /// Returns an argument that must be an integer constant expression; reports an error if it is not.
    pub(super) fn int_argument(&mut self, a: &Attribute, index: usize) -> Option<(i128, Span)> {
        if let Some(AttrArg::Expr(e)) = a.args.get(index) {
            let value = self.value(e).ok()?;
            if let Some(v) = self.int_value(&value) {
                return Some((v, e.span));
            }
        }
        self.error(
            a.span,
            format!("'{}' attribute requires an integer constant", a.name),
        );
        None
    }

    /// Returns the number of lanes that `ext_vector_type(n)` or `vector_size(bytes)` on a typedef requests,
    /// for elements of `size` bytes.
    pub(super) fn vector_lanes(&mut self, attributes: &[Attribute], size: u32) -> Option<(i128, Span)> {
        let (a, unit) = attributes.iter().find_map(|a| match a.name.as_str() {
            "ext_vector_type" => Some((a, 1)),
            "vector_size" => Some((a, i128::from(size))),
            _ => None,
        })?;
        let (n, span) = self.int_argument(a, 0)?;
        // A size that is not a multiple of the element's size gives 0, which is not a valid number of lanes.
        Some((if n % unit == 0 { n / unit } else { 0 }, span))
    }
}

/// Returns the address space of a qualifier.
pub(super) fn space_of(q: SpaceQual) -> Space {
    match q {
        SpaceQual::Private => Space::Private,
        SpaceQual::Local => Space::Local,
        SpaceQual::Global => Space::Global,
        SpaceQual::Constant => Space::Constant,
        SpaceQual::Generic => Space::Generic,
    }
}

/// Returns whether an attribute is present.
pub(super) fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|a| a.name == name)
}
