//! Analyses types as written: specifiers and declarators (6.1, 6.5, C99 6.7).

use super::scope::Entity;
use super::{QualType, Result, Sema, attr};
use crate::builtins::older_contract;
use crate::diag::Diag;
use crate::hir::ty::{ImageAccess, ImageDim};
use crate::hir::{Scalar, Space, Type, TypeId};
use crate::options::ClStd;
use crate::source::Span;
use crate::syntax::ast::{
    AccessQual, DeclSpecs, Declarator, Derived, Ident, Param, Params, Quals, Storage, TypeKeyword, TypeName,
    TypeSpec,
};

/// The size of the largest allowed object in bytes; offsets in objects are `u32`.
pub(super) const MAX_OBJECT: u64 = 1 << 31;

/// The meaning of a type name that OpenCL C predefines.
pub(super) enum Predefined {
    Type(Type),
    /// `size_t` and the other types of its size, which cannot be the types of kernel parameters (6.9.k).
    Size(Scalar),
}

/// Looks up OpenCL C's own type names (6.1).
pub(super) fn predefined(name: &str) -> Option<Predefined> {
    let scalar = |s: &str| {
        Some(match s {
            "char" => Scalar::Char,
            "uchar" => Scalar::UChar,
            "short" => Scalar::Short,
            "ushort" => Scalar::UShort,
            "int" => Scalar::Int,
            "uint" => Scalar::UInt,
            "long" => Scalar::Long,
            "ulong" => Scalar::ULong,
            "half" => Scalar::Half,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            _ => return None,
        })
    };
    if let Some(s) = scalar(name) {
        return Some(Predefined::Type(Type::Scalar(s)));
    }
    // The atomic types are represented like the types without `atomic_` (`builtin::c11_atomic`).
    if let Some(plain) = name.strip_prefix("atomic_") {
        return match plain {
            "flag" => Some(Predefined::Type(Type::Scalar(Scalar::Int))),
            "size_t" | "uintptr_t" => Some(Predefined::Type(Type::Scalar(Scalar::ULong))),
            "ptrdiff_t" | "intptr_t" => Some(Predefined::Type(Type::Scalar(Scalar::Long))),
            _ => scalar(plain).map(|s| Predefined::Type(Type::Scalar(s))),
        };
    }
    let image = |dim| {
        Some(Predefined::Type(Type::Image {
            dim,
            access: ImageAccess::Read,
        }))
    };
    match name {
        "bool" => return Some(Predefined::Type(Type::Scalar(Scalar::Bool))),
        "void" => return Some(Predefined::Type(Type::Void)),
        "size_t" | "uintptr_t" => return Some(Predefined::Size(Scalar::ULong)),
        "ptrdiff_t" | "intptr_t" => return Some(Predefined::Size(Scalar::Long)),
        "memory_order" | "memory_scope" => return Some(Predefined::Type(Type::Scalar(Scalar::Int))),
        "cl_mem_fence_flags" => return Some(Predefined::Type(Type::Scalar(Scalar::UInt))),
        "event_t" => return Some(Predefined::Type(Type::Event)),
        "reserve_id_t" => return Some(Predefined::Type(Type::ReserveId)),
        "sampler_t" => return Some(Predefined::Type(Type::Sampler)),
        "image1d_t" => return image(ImageDim::D1),
        "image1d_buffer_t" => return image(ImageDim::D1Buffer),
        "image1d_array_t" => return image(ImageDim::D1Array),
        "image2d_t" => return image(ImageDim::D2),
        "image2d_array_t" => return image(ImageDim::D2Array),
        "image2d_depth_t" => return image(ImageDim::D2Depth),
        "image2d_array_depth_t" => return image(ImageDim::D2ArrayDepth),
        "image3d_t" => return image(ImageDim::D3),
        _ => {}
    }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let lanes = match digits {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let s = scalar(&name[..name.len() - digits.len()])?;
    Some(Predefined::Type(Type::Vector(s, lanes)))
}

impl Sema<'_> {
    /// Returns the type of declaration specifiers, with their qualifiers.
    pub(super) fn specs_type(&mut self, specs: &DeclSpecs) -> Result<QualType> {
        let mut q = match &specs.ty {
            TypeSpec::Keywords(words) => QualType::plain(self.keyword_type(words, specs.span)?),
            TypeSpec::Name(name) => self.named_type(name)?,
            TypeSpec::Struct(spec) => QualType::plain(self.record_type(spec)?),
            TypeSpec::Enum(spec) => QualType::plain(self.enum_type(spec)?),
            TypeSpec::TypeofExpr(e) => self.qualified_type_of(e)?,
            TypeSpec::TypeofType(name) => self.type_of_name(name)?,
        };
        self.apply_quals(&mut q, &specs.quals);
        if let Some(span) = specs.quals.pipe {
            q = self.pipe_of(q, span)?;
        }
        if let Some((access, span)) = specs.quals.access {
            match *self.ty(q.ty) {
                Type::Pipe { packet, .. } => {
                    if access == AccessQual::ReadWrite {
                        self.error(span, "access qualifier 'read_write' can not be used for a pipe");
                    }
                    let write = access == AccessQual::WriteOnly;
                    q.ty = self.program.types.intern(Type::Pipe { packet, write });
                }
                Type::Image { dim, .. } => {
                    if access == AccessQual::ReadWrite && self.options.std < ClStd::Cl20 {
                        self.error(
                            span,
                            "access qualifier 'read_write' can not be used for an image before OpenCL 2.0",
                        );
                    } else if access == AccessQual::ReadWrite
                        && !self.has_feature("__opencl_c_read_write_images")
                    {
                        let message = "access qualifier 'read_write' requires __opencl_c_read_write_images, which the \
                                       device does not have";
                        self.error(span, message);
                    }
                    let access = match access {
                        AccessQual::ReadOnly => ImageAccess::Read,
                        AccessQual::WriteOnly => ImageAccess::Write,
                        AccessQual::ReadWrite => ImageAccess::ReadWrite,
                    };
                    if access == ImageAccess::Write
                        && dim == ImageDim::D3
                        && !self.target.has_extension("cl_khr_3d_image_writes")
                    {
                        self.error(
                            span,
                            "use of type '__write_only image3d_t' requires cl_khr_3d_image_writes support",
                        );
                    }
                    q.ty = self.program.types.intern(Type::Image { dim, access });
                }
                _ => {
                    self.error(span, "access qualifier can only be used for pipe and image type");
                }
            }
        }
        Ok(q)
    }

    /// Returns the type of pipes of a type (OpenCL C 2.0, 6.13.16).
    fn pipe_of(&mut self, packet: QualType, span: Span) -> Result<QualType> {
        self.require_pipes("the specifier 'pipe'", span)?;
        let good = match *self.ty(packet.ty) {
            Type::Scalar(s) => s != Scalar::Bool,
            Type::Vector(..) | Type::Record(_) => true,
            _ => false,
        };
        if !good || self.program.types.size(packet.ty).is_none_or(|n| n == 0) {
            let name = self.type_name(packet.ty);
            return Err(self.error(span, format!("a pipe cannot have packets of type '{name}'")));
        }
        Ok(QualType::plain(self.program.types.intern(Type::Pipe {
            packet: packet.ty,
            write: false,
        })))
    }

    fn require_pipes(&mut self, what: &str, span: Span) -> Result<()> {
        match self.has_feature("__opencl_c_pipes") {
            true => Ok(()),
            false => {
                let message = format!("{what} requires __opencl_c_pipes, which the device does not have");
                Err(self.error(span, message))
            }
        }
    }

    fn apply_quals(&mut self, q: &mut QualType, quals: &Quals) {
        q.is_const |= quals.is_const;
        q.is_volatile |= quals.is_volatile;
        for (i, &(space, span)) in quals.spaces.iter().enumerate() {
            let space = attr::space_of(space);
            if (i > 0 || q.space.is_some()) && q.space != Some(space) {
                self.error(span, "multiple address spaces specified for type");
            }
            if space == Space::Generic && !self.has_generic() {
                let message = "the generic address space requires __opencl_c_generic_address_space, which the device \
                               does not have";
                self.error(span, message);
            }
            q.space = Some(space);
        }
        if let Some(span) = quals.restrict_at {
            match *self.ty(q.ty) {
                Type::Pointer {
                    pointee,
                    space,
                    is_const,
                    is_volatile,
                    align,
                    ..
                } => {
                    q.is_restrict = true;
                    q.ty = self.program.types.intern(Type::Pointer {
                        pointee,
                        space,
                        is_const,
                        is_volatile,
                        is_restrict: true,
                        align,
                    });
                }
                _ => {
                    let name = self.type_name(q.ty);
                    self.error(
                        span,
                        format!("restrict requires a pointer or reference ('{name}' is invalid)"),
                    );
                }
            }
        }
    }

    fn keyword_type(&mut self, words: &[TypeKeyword], span: Span) -> Result<TypeId> {
        use TypeKeyword as K;
        let count = |k| words.iter().filter(|&&w| w == k).count();
        if words.is_empty() {
            return Err(self.error(span, "a type specifier is required for all declarations"));
        }
        if count(K::Complex) > 0 {
            return Err(self.error(span, "'_Complex' is not supported in OpenCL C"));
        }
        if count(K::Signed) > 0 && count(K::Unsigned) > 0 {
            return Err(self.error(
                span,
                "cannot combine with previous 'signed' declaration specifier",
            ));
        }
        let unsigned = count(K::Unsigned) > 0;
        let mut base: Vec<K> = words
            .iter()
            .copied()
            .filter(|w| !matches!(w, K::Signed | K::Unsigned))
            .collect();
        base.sort_unstable();
        let sign_written = base.len() != words.len();
        let pick = |s, u| if unsigned { u } else { s };
        let scalar = match base[..] {
            [K::Char] => pick(Scalar::Char, Scalar::UChar),
            [K::Short] | [K::Short, K::Int] => pick(Scalar::Short, Scalar::UShort),
            [] | [K::Int] => pick(Scalar::Int, Scalar::UInt),
            [K::Long] | [K::Int, K::Long] | [K::Long, K::Long] | [K::Int, K::Long, K::Long] => {
                pick(Scalar::Long, Scalar::ULong)
            }
            [K::Void] if !sign_written => return Ok(self.common.void),
            [K::Float] if !sign_written => Scalar::Float,
            [K::Double] if !sign_written => Scalar::Double,
            [K::Bool] if !sign_written => Scalar::Bool,
            [K::Long, K::Double] => {
                return Err(self.error(span, "'long double' is reserved in OpenCL C"));
            }
            _ => {
                let message = if sign_written && base.len() == 1 {
                    let name = match base[0] {
                        K::Void => "void",
                        K::Float => "float",
                        K::Double => "double",
                        _ => "bool",
                    };
                    format!("'{name}' cannot be signed or unsigned")
                } else {
                    "cannot combine with previous declaration specifier".to_string()
                };
                return Err(self.error(span, message));
            }
        };
        self.checked_scalar(scalar, span)?;
        Ok(self.program.types.scalar(scalar))
    }

    fn checked_scalar(&mut self, s: Scalar, span: Span) -> Result<()> {
        // The library's functions state what is for devices with doubles only, and `select_arithmetic` removes it for others.
        if s == Scalar::Double && !self.has_double && !self.in_library {
            return Err(self.error(span, "use of type 'double' requires cl_khr_fp64 support"));
        }
        Ok(())
    }

    /// Returns the type that a type name denotes.
    fn named_type(&mut self, name: &Ident) -> Result<QualType> {
        match self.lookup(&name.name) {
            Some(Entity::Typedef(q)) => return Ok(q),
            Some(Entity::Invalid) => return Err(super::Reported),
            Some(
                Entity::Local { .. } | Entity::Global(_) | Entity::Enumerator { .. } | Entity::Functions(_),
            )
            | None => {}
        }
        match predefined(&name.name) {
            Some(_) if self.older_rules() && older_contract::refuses_type(&name.name) => {
                let message = format!("type '{}' must not be used (--behaviour=older)", name.name);
                Err(self.error(name.span, message))
            }
            Some(Predefined::Type(ty)) => {
                if let Type::Scalar(s) | Type::Vector(s, _) = ty {
                    self.checked_scalar(s, name.span)?;
                }
                if ty == Type::ReserveId {
                    self.require_pipes("type 'reserve_id_t'", name.span)?;
                }
                if matches!(ty, Type::Image { dim, .. } if dim.is_depth())
                    && !self.target.has_extension("cl_khr_depth_images")
                {
                    let message = format!("use of type '{}' requires cl_khr_depth_images support", name.name);
                    return Err(self.error(name.span, message));
                }
                Ok(QualType::plain(self.program.types.intern(ty)))
            }
            Some(Predefined::Size(s)) => {
                let ty = match (self.in_library, s.is_signed()) {
                    (true, _) => self.program.types.scalar(s),
                    (false, true) => self.common.difference,
                    (false, false) => self.common.size,
                };
                Ok(QualType {
                    is_size: true,
                    ..QualType::plain(ty)
                })
            }
            None => Err(self.error(name.span, format!("unknown type name '{}'", name.name))),
        }
    }

    /// Applies a declarator to the type of its specifiers.
    pub(super) fn declarator_type(&mut self, base: QualType, d: &Declarator) -> Result<QualType> {
        self.derive(base, &d.derived, d)
    }

    /// Applies the steps of a declarator, the last one first.
    pub(super) fn derive(&mut self, base: QualType, derived: &[Derived], d: &Declarator) -> Result<QualType> {
        let mut q = base;
        for step in derived.iter().rev() {
            q = match step {
                Derived::Pointer(quals) => self.pointer_to(q, quals, d.span)?,
                Derived::Array(size) => self.array_of(q, size.as_deref(), d)?,
                Derived::Function(params) => self.function_of(q, params, d.span)?,
                Derived::Block(span) => {
                    return Err(self.error(*span, "blocks support disabled - not available in OpenCL C 1.2"));
                }
            };
        }
        Ok(q)
    }

    fn pointer_to(&mut self, q: QualType, quals: &Quals, span: Span) -> Result<QualType> {
        match *self.ty(q.ty) {
            Type::Function { .. } => {
                return Err(self.error(span, "pointers to functions are not allowed"));
            }
            Type::Image { .. } | Type::Sampler | Type::Pipe { .. } | Type::Matrix(_) | Type::AnyMatrix => {
                let name = self.type_name(q.ty);
                return Err(self.error(span, format!("pointer to type '{name}' is invalid in OpenCL")));
            }
            // An event is an object in private memory (6.9.r), as `wait_group_events` takes it.
            Type::Event if matches!(q.space, None | Some(Space::Private | Space::Generic)) => {}
            Type::Event => {
                return Err(self.error(
                    span,
                    "the event_t type can only be used with __private address space qualifier",
                ));
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Pointer { .. }
            | Type::Array(..)
            | Type::IncompleteArray(_)
            | Type::Record(_)
            | Type::ReserveId => {}
        }
        let space = q.space.unwrap_or(match self.has_generic() {
            true => Space::Generic,
            false => Space::Private,
        });
        let ty = self.program.types.intern(Type::Pointer {
            pointee: q.ty,
            space,
            // Constant memory is never writable, so both spellings give the same type.
            is_const: q.is_const && space != Space::Constant,
            is_volatile: q.is_volatile,
            is_restrict: false,
            align: if q.align < self.program.types.align(q.ty) {
                q.align
            } else {
                0
            },
        });
        let mut out = QualType::plain(ty);
        self.apply_quals(&mut out, quals);
        Ok(out)
    }

    fn array_of(
        &mut self,
        q: QualType,
        size: Option<&crate::syntax::ast::Expr>,
        d: &Declarator,
    ) -> Result<QualType> {
        let label = |d: &Declarator| match &d.name {
            Some(n) => format!("'{}' declared as", n.name),
            None => "type name declared as".to_string(),
        };
        match *self.ty(q.ty) {
            Type::Function { .. } => {
                let what = label(d);
                return Err(self.error(d.span, format!("{what} array of functions")));
            }
            Type::Image { .. } | Type::Sampler | Type::Pipe { .. } => {
                let name = self.type_name(q.ty);
                return Err(self.error(d.span, format!("array of '{name}' type is invalid in OpenCL")));
            }
            _ => {}
        }
        let Some(elem_size) = self.program.types.size(q.ty) else {
            let name = self.type_name(q.ty);
            return Err(self.error(d.span, format!("array has incomplete element type '{name}'")));
        };
        let ty = match size {
            None => self.program.types.intern(Type::IncompleteArray(q.ty)),
            Some(e) => {
                let v = self.value(e)?;
                if !matches!(self.ty(v.ty), Type::Scalar(s) if s.is_integer()) {
                    let name = self.type_name(v.ty);
                    return Err(self.error(e.span, format!("size of array has non-integer type '{name}'")));
                }
                let Some(n) = self.int_value(&v) else {
                    return Err(if self.body.is_none() {
                        self.error(
                            e.span,
                            "variable length array declaration not allowed at file scope",
                        )
                    } else {
                        self.error(e.span, "variable length arrays are not supported in OpenCL")
                    });
                };
                if n < 0 {
                    let what = label(d);
                    return Err(self.error(e.span, format!("{what} an array with a negative size")));
                }
                if n.saturating_mul(i128::from(elem_size)) > i128::from(MAX_OBJECT) {
                    return Err(self.error(e.span, format!("array is too large ({n} elements)")));
                }
                self.program.types.intern(Type::Array(q.ty, n as u64))
            }
        };
        Ok(QualType {
            ty,
            is_size: false,
            ..q
        })
    }

    fn function_of(&mut self, ret: QualType, params: &Params, span: Span) -> Result<QualType> {
        match *self.ty(ret.ty) {
            Type::Array(..) | Type::IncompleteArray(_) | Type::Function { .. } => {
                let name = self.type_name(ret.ty);
                let kind = if matches!(self.ty(ret.ty), Type::Function { .. }) {
                    "function"
                } else {
                    "array"
                };
                return Err(self.error(span, format!("function cannot return {kind} type '{name}'")));
            }
            Type::Image { .. } | Type::Sampler | Type::Pipe { .. } => {
                let name = self.type_name(ret.ty);
                return Err(self.error(
                    span,
                    format!("declaring function return value of type '{name}' is not allowed"),
                ));
            }
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _) if !self.has_half => {
                let name = self.type_name(ret.ty);
                return Err(self.error(
                    span,
                    format!(
                        "declaring function return value of type '{name}' is not allowed; did you forget * ?"
                    ),
                ));
            }
            _ => {}
        }
        if ret.space.is_some_and(|s| s != Space::Private) && !self.in_library {
            return Err(self.error(span, "return value cannot be qualified with address space"));
        }
        if params.variadic && !self.in_library {
            return Err(self.error(
                span,
                "invalid prototype, variadic arguments are not allowed in OpenCL",
            ));
        }
        let mut list = Vec::with_capacity(params.list.len());
        for p in &params.list {
            list.push(self.param_type(p)?.ty);
        }
        let ty = self.program.types.intern(Type::Function {
            ret: ret.ty,
            params: list,
        });
        Ok(QualType::plain(ty))
    }

    /// Returns the type of a parameter, with arrays adjusted to pointers.
    pub(super) fn param_type(&mut self, p: &Param) -> Result<QualType> {
        let base = self.specs_type(&p.specs)?;
        self.check_storage(&p.specs);
        for &(storage, span) in &p.specs.storage {
            if !matches!(storage, Storage::Auto | Storage::Register) {
                self.error(span, "invalid storage class specifier in function declarator");
            }
        }
        if p.specs.is_kernel {
            self.error(p.specs.span, "'__kernel' attribute only applies to functions");
        }
        let at = p.declarator.name.as_ref().map_or(p.span, |n| n.span);
        // The outermost array becomes a pointer; its length does not matter.
        let mut q = match p.declarator.derived.split_first() {
            Some((Derived::Array(size), rest)) => {
                if let Some(size) = size {
                    // The length is analysed for its errors only.
                    let _ = self.value(size);
                }
                let elem = self.derive(base, rest, &p.declarator)?;
                self.pointer_to(elem, &Quals::default(), p.span)?
            }
            _ => self.declarator_type(base, &p.declarator)?,
        };
        if let Type::Array(elem, _) | Type::IncompleteArray(elem) = *self.ty(q.ty) {
            q = self.pointer_to(QualType { ty: elem, ..q }, &Quals::default(), p.span)?;
        }
        match *self.ty(q.ty) {
            Type::Void => {
                let message = if p.declarator.name.is_some() {
                    "argument may not have 'void' type"
                } else {
                    "'void' must be the first and only parameter if specified"
                };
                return Err(self.error(at, message));
            }
            Type::Function { .. } => return Err(self.error(at, "pointers to functions are not allowed")),
            Type::Scalar(Scalar::Half) | Type::Vector(Scalar::Half, _) if !self.has_half => {
                let name = self.type_name(q.ty);
                return Err(self.error(
                    at,
                    format!(
                        "declaring function parameter of type '{name}' is not allowed; did you forget * ?"
                    ),
                ));
            }
            _ => {}
        }
        if q.space.is_some_and(|s| s != Space::Private) {
            return Err(self.error(at, "parameter may not be qualified with an address space"));
        }
        Ok(q)
    }

    /// Returns the type of a type name in a cast, `sizeof` and similar constructs.
    pub(super) fn type_of_name(&mut self, name: &TypeName) -> Result<QualType> {
        let base = self.specs_type(&name.specs)?;
        self.declarator_type(base, &name.declarator)
    }

    /// Looks up a name in the current scope. In the library, the library's declarations are found on demand.
    pub(super) fn lookup(&mut self, name: &str) -> Option<Entity> {
        let found = self.world.names.get(name);
        if found.is_none() && self.in_library {
            let declaration = super::builtin::library_declaration(self, name)?;
            self.in_world(true, |s| s.file_declaration(&declaration));
            return self.world.names.get(name);
        }
        found
    }

    /// Reports an error if an object of an incomplete or unsuitable type is declared.
    pub(super) fn complete(&mut self, ty: TypeId, span: Span, what: &str) -> Result<()> {
        match *self.ty(ty) {
            Type::Void | Type::Function { .. } | Type::IncompleteArray(_) => {}
            Type::Record(id) if self.program.types.records[id].fields.is_none() => {}
            _ => return Ok(()),
        }
        let name = self.type_name(ty);
        Err(self.report(Diag::error(span, format!("{what} has incomplete type '{name}'"))))
    }
}
