//! Checks kernels (6.7, 6.9, 6.11.2): the types of their parameters, their attributes, and the information
//! for clGetKernelArgInfo and CL_KERNEL_ATTRIBUTES.

use super::scope::Entity;
use super::type_spec::{Predefined, predefined};
use super::uniform_layout;
use super::{QualType, Sema};
use crate::abi::{MAX_ARGS, MAX_LOCAL_SIZE};
use crate::hir::{FuncId, Kernel, KernelArg, Scalar, Space, Type, TypeId};
use crate::options::ClStd;
use crate::source::Span;
use crate::syntax::ast::{AttrArg, Attribute, Derived, FunctionDef, Param, Params, TypeKeyword, TypeSpec};

impl Sema<'_> {
    /// Checks the definition of a kernel and records the kernel.
    pub(super) fn kernel(&mut self, func: FuncId, f: &FunctionDef, params: &[QualType], list: &Params) {
        let name = self.program.functions[func].name.clone();
        let span = f.declarator.name.as_ref().map_or(f.span, |n| n.span);
        if self.signatures[func].ret != self.common.void {
            self.error(f.specs.span, "kernel must have void return type");
        }
        if name == "main" {
            self.error(span, "kernel cannot be called 'main'");
        }
        let mut args = Vec::with_capacity(params.len());
        for (q, p) in params.iter().zip(&list.list) {
            let at = p.declarator.name.as_ref().map_or(p.span, |n| n.span);
            self.check_kernel_param(q, at);
            args.push(self.kernel_arg(q, p));
        }
        if args.len() > MAX_ARGS as usize {
            self.error(span, format!("kernel has more than {MAX_ARGS} arguments"));
        }
        let attributes = [&f.specs.attributes, &f.declarator.attributes];
        let mut kernel = Kernel {
            func,
            args,
            required_size: None,
            uneven: self.options.std >= ClStd::Cl20 && !self.options.uniform_work_groups,
            size_hint: None,
            subgroup_size: None,
            attributes: String::new(),
        };
        for a in attributes.into_iter().flatten() {
            self.kernel_attribute(a, &mut kernel);
        }
        self.program.kernels.push(kernel);
    }

    /// Checks, for `-constant-args-ubo`, that the pointee has a layout that uniform buffers may have. The
    /// generated code accesses the data as words, which any device can read, but clspv's mapping requires the
    /// check.
    fn check_uniform_layout(&mut self, pointee: TypeId, span: Span) {
        let Some(abi) = self.target.abi.descriptor().filter(|d| d.constant_args_ubo) else {
            return;
        };
        if let Err(why) = uniform_layout::of_array(&self.program.types, pointee, abi.ubo_layout) {
            let ty = self.type_name(pointee);
            self.error(
                span,
                format!("'{ty}' has no layout for a uniform buffer (-constant-args-ubo): {why}"),
            );
        }
    }

    fn check_kernel_param(&mut self, q: &QualType, span: Span) {
        match *self.ty(q.ty) {
            Type::Pointer { pointee, space, .. } => {
                if matches!(space, Space::Private | Space::Generic) {
                    self.error(
                        span,
                        "pointer arguments to kernel functions must reside in '__global', '__constant' or \
                         '__local' address space",
                    );
                } else if self.points_to_pointer(pointee) {
                    self.error(
                        span,
                        "kernel parameter cannot be declared as a pointer to a pointer",
                    );
                } else if space == Space::Constant {
                    self.check_uniform_layout(pointee, span);
                }
            }
            Type::Scalar(Scalar::Bool) => self.bad_param("bool", span),
            Type::Scalar(Scalar::Half) if !self.has_half => self.bad_param("half", span),
            Type::Scalar(_) if q.is_size => self.bad_param("size_t", span),
            Type::Event => self.bad_param("event_t", span),
            Type::ReserveId => self.bad_param("reserve_id_t", span),
            Type::Matrix(_) | Type::AnyMatrix => {
                let name = self.type_name(q.ty);
                self.bad_param(&name, span);
            }
            Type::Record(_) => self.check_record_param(q.ty, span),
            Type::Image { .. } | Type::Sampler if self.target.features.images => {}
            Type::Image { dim, .. } => {
                self.error(
                    span,
                    format!(
                        "the device does not support images: kernel parameter of type '{}'",
                        dim.name()
                    ),
                );
            }
            Type::Sampler => {
                self.error(
                    span,
                    "the device does not support images: kernel parameter of type 'sampler_t'",
                );
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Array(..)
            | Type::IncompleteArray(_)
            | Type::Function { .. }
            | Type::Pipe { .. } => {}
        }
    }

    fn points_to_pointer(&self, mut ty: TypeId) -> bool {
        while let Type::Array(elem, _) | Type::IncompleteArray(elem) = *self.ty(ty) {
            ty = elem;
        }
        matches!(self.ty(ty), Type::Pointer { .. })
    }

    fn bad_param(&mut self, name: &str, span: Span) {
        self.error(
            span,
            format!("'{name}' cannot be used as the type of a kernel parameter"),
        );
    }

    fn check_record_param(&mut self, ty: TypeId, span: Span) {
        let mut work = vec![ty];
        while let Some(t) = work.pop() {
            match *self.ty(t) {
                Type::Record(id) => {
                    if self.size_records.contains(&id) {
                        let name = self.type_name(ty);
                        self.bad_param(&name, span);
                        return;
                    }
                    work.extend(
                        self.program.types.records[id]
                            .fields
                            .iter()
                            .flatten()
                            .map(|f| f.ty),
                    );
                }
                Type::Array(elem, _) | Type::IncompleteArray(elem) => work.push(elem),
                Type::Pointer { .. } => {
                    self.error(span, "struct kernel parameters may not contain pointers");
                    return;
                }
                Type::Scalar(Scalar::Bool) => {
                    self.bad_param("bool", span);
                    return;
                }
                Type::Void
                | Type::Scalar(_)
                | Type::Vector(..)
                | Type::Function { .. }
                | Type::Image { .. }
                | Type::Sampler
                | Type::Event
                | Type::Matrix(_)
                | Type::AnyMatrix
                | Type::Pipe { .. } => {}
                Type::ReserveId => {
                    self.bad_param("reserve_id_t", span);
                    return;
                }
            }
        }
    }

    fn kernel_arg(&self, q: &QualType, p: &Param) -> KernelArg {
        let (is_const, is_volatile, is_restrict) = match *self.ty(q.ty) {
            Type::Pointer {
                space,
                is_const,
                is_volatile,
                is_restrict,
                ..
            } => (is_const || space == Space::Constant, is_volatile, is_restrict),
            // OpenCL reports qualifiers only for the pointees of pointers.
            _ => (false, false, false),
        };
        KernelArg {
            name: p
                .declarator
                .name
                .as_ref()
                .map_or(String::new(), |n| n.name.clone()),
            type_name: self.arg_type_name(q.ty, p),
            is_const,
            is_volatile,
            is_restrict,
        }
    }

    /// Returns the type as written, without qualifiers and spaces: `uint4*`, `struct foo`.
    fn arg_type_name(&self, ty: TypeId, p: &Param) -> String {
        let stars = p
            .declarator
            .derived
            .iter()
            .filter(|d| matches!(d, Derived::Pointer(_) | Derived::Array(_)))
            .count();
        if let (0, &Type::Pointer { pointee, .. }) = (stars, self.ty(ty)) {
            // The pointer is part of a typedef.
            return format!("{}*", self.plain_name(pointee));
        }
        let mut name = match &p.specs.ty {
            TypeSpec::Name(n) => n.name.clone(),
            TypeSpec::Keywords(words) => keyword_name(words),
            TypeSpec::Struct(s) => match &s.tag {
                Some(tag) => format!("{} {}", if s.is_union { "union" } else { "struct" }, tag.name),
                None => self.plain_name(ty),
            },
            TypeSpec::Enum(e) => match &e.tag {
                Some(tag) => format!("enum {}", tag.name),
                None => self.plain_name(ty),
            },
            TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_) => self.plain_name(ty),
        };
        name.extend(std::iter::repeat_n('*', stars));
        name
    }

    fn plain_name(&self, mut ty: TypeId) -> String {
        let mut stars = 0;
        while let Type::Pointer { pointee, .. } = *self.ty(ty) {
            stars += 1;
            ty = pointee;
        }
        let mut name = self.type_name(ty);
        name.extend(std::iter::repeat_n('*', stars));
        name
    }

    fn kernel_attribute(&mut self, a: &Attribute, kernel: &mut Kernel) {
        let text = match a.name.as_str() {
            "reqd_work_group_size" | "work_group_size_hint" => {
                let Some(size) = self.group_size(a) else { return };
                let slot = if a.name == "reqd_work_group_size" {
                    &mut kernel.required_size
                } else {
                    &mut kernel.size_hint
                };
                if slot.is_some_and(|old| old != size) {
                    let name = a.name.clone();
                    self.warning(
                        a.span,
                        format!("attribute '{name}' is already applied with different arguments"),
                    );
                    return;
                }
                *slot = Some(size);
                format!("{}({},{},{})", a.name, size[0], size[1], size[2])
            }
            "vec_type_hint" => {
                let written = match a.args.first() {
                    Some(AttrArg::Text(t)) => t.clone(),
                    Some(AttrArg::Expr(e)) => self.map.text(e.span).to_string(),
                    None => {
                        self.error(a.span, "'vec_type_hint' attribute takes one argument");
                        return;
                    }
                };
                let name = written.split_whitespace().collect::<Vec<_>>().join(" ");
                if !self.check_hintable(&name, a.span) {
                    return;
                }
                format!("vec_type_hint({})", unsigned_alias(&name))
            }
            "intel_reqd_sub_group_size" => {
                let Some((size, span)) = self.int_argument(a, 0) else {
                    return;
                };
                // Vulkan's sub-group sizes are powers of 2 up to 128.
                if !(1..=128).contains(&size) || size & (size - 1) != 0 {
                    self.error(
                        span,
                        format!("'{}' attribute requires a power of 2 up to 128", a.name),
                    );
                    return;
                }
                kernel.subgroup_size = u32::try_from(size).ok();
                format!("{}({size})", a.name)
            }
            _ => return,
        };
        if !kernel.attributes.is_empty() {
            kernel.attributes.push(' ');
        }
        kernel.attributes.push_str(&text);
    }

    /// Checks that the type of `vec_type_hint` is a number or a vector. Reports an error and returns `false` otherwise.
    fn check_hintable(&mut self, name: &str, span: Span) -> bool {
        let keywords = |w: &str| matches!(w, "unsigned" | "signed" | "char" | "short" | "int" | "long");
        let ty = match predefined(name) {
            Some(Predefined::Type(ty)) => ty,
            Some(Predefined::Size(s)) => Type::Scalar(s),
            None if name.split(' ').all(keywords) => return true,
            None => match self.lookup(name) {
                Some(Entity::Typedef(q)) => self.ty(q.ty).clone(),
                Some(_) => Type::Void,
                None if name.contains(' ') => Type::Void,
                None => {
                    self.error(span, format!("unknown type name '{name}'"));
                    return false;
                }
            },
        };
        let good = match ty {
            Type::Scalar(s) => s != Scalar::Bool,
            Type::Vector(..) => true,
            _ => false,
        };
        if !good {
            self.error(
                span,
                "a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'",
            );
        }
        good
    }

    fn group_size(&mut self, a: &Attribute) -> Option<[u32; 3]> {
        if a.args.len() != 3 {
            self.error(
                a.span,
                format!("'{}' attribute requires exactly 3 arguments", a.name),
            );
            return None;
        }
        let mut size = [0; 3];
        for (i, to) in size.iter_mut().enumerate() {
            let (value, span) = self.int_argument(a, i)?;
            match u32::try_from(value) {
                Ok(v) if v > MAX_LOCAL_SIZE && a.name == "reqd_work_group_size" => {
                    let message = format!("'{}' attribute must not be greater than {MAX_LOCAL_SIZE}", a.name);
                    self.error(span, message);
                    return None;
                }
                Ok(v) if v > 0 => *to = v,
                Ok(_) => {
                    self.error(span, format!("'{}' attribute must be greater than 0", a.name));
                    return None;
                }
                Err(_) => {
                    self.error(
                        span,
                        "integer constant expression evaluates to value that cannot be represented in a \
                         32-bit unsigned integer type",
                    );
                    return None;
                }
            }
        }
        Some(size)
    }
}

/// Returns OpenCL's short name of an unsigned type.
fn unsigned_alias(name: &str) -> String {
    match name {
        "unsigned" | "unsigned int" => "uint".into(),
        "unsigned char" => "uchar".into(),
        "unsigned short" => "ushort".into(),
        "unsigned long" => "ulong".into(),
        other => other.to_string(),
    }
}

fn keyword_name(words: &[TypeKeyword]) -> String {
    let has = |k| words.contains(&k);
    let base = if has(TypeKeyword::Void) {
        return "void".into();
    } else if has(TypeKeyword::Bool) {
        return "bool".into();
    } else if has(TypeKeyword::Float) {
        return "float".into();
    } else if has(TypeKeyword::Double) {
        return "double".into();
    } else if has(TypeKeyword::Char) {
        "char"
    } else if has(TypeKeyword::Short) {
        "short"
    } else if has(TypeKeyword::Long) {
        "long"
    } else {
        "int"
    };
    if has(TypeKeyword::Unsigned) {
        format!("u{base}")
    } else {
        base.into()
    }
}
