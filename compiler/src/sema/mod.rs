//! Turns the AST into typed HIR: OpenCL C 1.2 chapter 6, the language. `builtin` handles the built-in
//! functions.
//!
//! On entry, there is one parsed translation unit. On exit, there are an [`hir::Program`] in which every name
//! is resolved and every conversion is explicit, and the diagnostics. The program is meaningful only if no
//! error was reported.
//!
//! `Sema` owns the program under construction and is passed everywhere; each submodule adds methods for one
//! subject to it. A function that can fail after having reported an error returns `Result`. Its error carries
//! no value, because the diagnostic describes the error.
//!
//! | to read | modules |
//! |---|---|
//! | first: names and types | `scope`, `type_spec`, `record`, `type_name`, `attr` |
//! | declarations | `decl`, `function`, `kernel`, `uniform_layout` |
//! | expressions | `expr`, `binary`, `conditional`, `member`, `call`, `literal`, `convert`, `builtin` |
//! | constants and initializers | `fold`, `init`, `const_init` |
//! | statements | `stmt`, `switch`, `hoist` |
//!
//! Built-in library code is analysed by the same code in another *world*: `Sema::library_function` declares a
//! function at once and queues its body, which is analysed later where only library names are visible.

mod attr;
mod binary;
mod builtin;
mod call;
mod conditional;
mod const_init;
pub(crate) mod convert;
mod decl;
mod expr;
pub(crate) mod fold;
mod function;
mod hoist;
mod init;
mod kernel;
mod literal;
mod member;
mod record;
pub(crate) mod scope;
mod stmt;
mod switch;
mod type_name;
mod type_spec;
mod uniform_layout;

use crate::diag::{Diag, Diags};
use crate::entity::Map;
use crate::hash::{HashMap, HashSet};
use crate::hir::{self, FuncId, GlobalId, LabelId, LocalId, Scalar, Space, Type, TypeId, Types};
use crate::options::{ClStd, Options};
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use crate::target::Target;
use scope::{Entity, Scopes, Tag};
use std::sync::Arc;

/// An error was reported, so there is no value.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Reported;

/// The greatest nesting depth of expressions and statements together, which is close to the parser's own
/// limits. The caller of [`analyze`] provides enough stack for it.
const MAX_NESTING: u32 = 1200;

/// The result of analysing a part of the program.
pub(crate) type Result<T> = std::result::Result<T, Reported>;

/// A type with the qualifiers of an object of that type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct QualType {
    pub(crate) ty: TypeId,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    /// Set only for pointers, where it is also part of the type.
    pub(crate) is_restrict: bool,
    /// The address space that was written; `None` means the context's default.
    pub(crate) space: Option<Space>,
    /// The alignment in bytes from `aligned` on a typedef; 0 means the type's own alignment.
    pub(crate) align: u32,
    /// Whether the type is `size_t` or another type of its size, under any name.
    pub(crate) is_size: bool,
}

impl QualType {
    pub(crate) fn plain(ty: TypeId) -> Self {
        QualType {
            ty,
            is_const: false,
            is_volatile: false,
            is_restrict: false,
            space: None,
            align: 0,
            is_size: false,
        }
    }
}

/// An object that an expression designates.
#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub(crate) place: hir::Place,
    /// Whether assignments to the object are errors.
    pub(crate) is_const: bool,
    /// Whether the object is a function's result or another temporary, which cannot be assigned and has no
    /// address.
    pub(crate) is_temporary: bool,
}

/// The result of analysing an expression, before lvalue conversion.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Value(hir::Expr),
    Place(Lvalue),
    /// The name of a function.
    Function(Span),
}

/// The parameter and result types of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    pub(crate) ret: TypeId,
    pub(crate) params: Vec<TypeId>,
}

/// Frequently used types.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Common {
    pub(crate) void: TypeId,
    pub(crate) bool: TypeId,
    pub(crate) char: TypeId,
    pub(crate) int: TypeId,
    pub(crate) uint: TypeId,
    pub(crate) long: TypeId,
    pub(crate) ulong: TypeId,
    /// The program's `size_t`; `difference` is its `ptrdiff_t`. In the library these types have 64 bits.
    pub(crate) size: TypeId,
    pub(crate) difference: TypeId,
    pub(crate) float: TypeId,
    pub(crate) double: TypeId,
    pub(crate) event: TypeId,
}

/// The state of the function whose body is being analysed.
struct Body {
    func: FuncId,
    ret: TypeId,
    is_kernel: bool,
    locals: Map<LocalId, hir::Local>,
    labels: Map<LabelId, String>,
    label_names: HashMap<String, function::LabelState>,
    /// The values of `const` scalars that were initialized with constants.
    const_locals: HashMap<LocalId, u64>,
    /// The enclosing switches, innermost last.
    switches: Vec<switch::SwitchState>,
    loops: u32,
    /// The number of statement expressions around the current statement.
    statement_exprs: u32,
    /// The number of operands of `sizeof` and similar operators around the current expression.
    unevaluated: u32,
    /// Whether a statement expression contains a jump or a label, so that [`hoist`] must run.
    jumps_in_expr: bool,
    /// The state of `#pragma OPENCL FP_CONTRACT`.
    contract: bool,
    /// The nesting depth of blocks: 0 is outside the body, 1 is its outermost block.
    depth: u32,
}

impl Body {
    /// Removes the labels that an unevaluated operand defined, and keeps the labels that it uses, which must
    /// be defined. `before` are the labels known before the operand.
    fn forget_labels(&mut self, before: &HashMap<String, function::LabelState>) {
        self.label_names.retain(|name, label| match before.get(name) {
            Some(known) => {
                label.defined = known.defined;
                true
            }
            None => label.defined.take().is_none(),
        });
    }
}

/// The names of one world: the user's program or the built-in library.
#[derive(Default)]
struct World {
    names: Scopes<Entity>,
    tags: Scopes<Tag>,
}

/// The semantic analyser.
pub(crate) struct Sema<'a> {
    pub(crate) program: hir::Program,
    pub(crate) diags: &'a mut Diags,
    pub(crate) map: &'a mut SourceMap,
    pub(crate) options: &'a Options,
    pub(crate) target: &'a Target,
    /// Types that are used often.
    pub(crate) common: Common,
    /// Whether the target has `half` as a value type (cl_khr_fp16).
    pub(crate) has_half: bool,
    /// Whether the target has `double` (cl_khr_fp64).
    pub(crate) has_double: bool,
    /// The world whose names are visible now.
    world: World,
    /// The other world: the library's while the user's program is analysed, and the reverse.
    other_world: World,
    in_library: bool,
    signatures: Map<FuncId, Signature>,
    overloads: Map<scope::OverloadsId, Vec<FuncId>>,
    function_info: Map<FuncId, function::FunctionInfo>,
    global_quals: Map<GlobalId, (bool, bool)>,
    library: HashMap<String, FuncId>,
    /// Library functions that are declared but not yet analysed.
    pending: Vec<(FuncId, Arc<ast::FunctionDef>)>,
    strings: HashMap<Vec<u8>, GlobalId>,
    body: Option<Body>,
    /// The number of expressions and statements around the current one.
    nesting: u32,
    /// The caller, the callee and the position of each call, for the recursion check.
    calls: Vec<(FuncId, FuncId, Span)>,
    /// The names that typedefs give to records and enums without a tag.
    record_names: HashMap<hir::RecordId, String>,
    /// Program-scope variables that have only been defined without an initializer so far (C99 6.9.2).
    tentative: HashSet<GlobalId>,
    /// Program-scope variables that only functions have declared so far.
    block_externs: HashMap<String, GlobalId>,
    /// Names that the parts with syntax errors may declare.
    doubted: HashSet<String>,
    /// Records with a member of type `size_t` or another type of its size.
    size_records: HashSet<hir::RecordId>,
}

/// Analyses a translation unit. The result is meaningful only if `diags` contains no errors.
pub fn analyze(
    unit: &ast::TranslationUnit,
    map: &mut SourceMap,
    options: &Options,
    target: &Target,
    diags: &mut Diags,
) -> hir::Program {
    if unit.doubt == ast::Doubt::default() {
        return analyze_items(unit, map, options, target, diags);
    }
    let mut found = Diags::default();
    let program = analyze_items(unit, map, options, target, &mut found);
    let doubted = |at: Span| {
        let inside = |s: &Span| s.file == at.file && s.lo <= at.lo && at.lo < s.hi;
        unit.doubt.incomplete || unit.doubt.spans.iter().any(inside)
    };
    for d in found.iter().filter(|d| !doubted(d.span)) {
        diags.push(d.clone());
    }
    program
}

fn analyze_items(
    unit: &ast::TranslationUnit,
    map: &mut SourceMap,
    options: &Options,
    target: &Target,
    diags: &mut Diags,
) -> hir::Program {
    let mut s = Sema::new(map, options, target, diags);
    for name in &unit.doubt.names {
        s.doubt(name);
    }
    for item in &unit.items {
        s.item(item);
    }
    s.finish()
}

/// Returns the scalar type of `size_t` and `uintptr_t`.
fn size_scalar(options: &Options) -> Scalar {
    match options.small_sizes {
        true => Scalar::UInt,
        false => Scalar::ULong,
    }
}

/// Returns the scalar type of `ptrdiff_t` and `intptr_t`.
fn signed_size_scalar(options: &Options) -> Scalar {
    match options.small_sizes {
        true => Scalar::Int,
        false => Scalar::Long,
    }
}

impl<'a> Sema<'a> {
    fn new(map: &'a mut SourceMap, options: &'a Options, target: &'a Target, diags: &'a mut Diags) -> Self {
        let mut types = Types::default();
        let common = Common {
            void: types.intern(Type::Void),
            bool: types.scalar(Scalar::Bool),
            char: types.scalar(Scalar::Char),
            int: types.scalar(Scalar::Int),
            uint: types.scalar(Scalar::UInt),
            long: types.scalar(Scalar::Long),
            ulong: types.scalar(Scalar::ULong),
            size: types.scalar(size_scalar(options)),
            difference: types.scalar(signed_size_scalar(options)),
            float: types.scalar(Scalar::Float),
            double: types.scalar(Scalar::Double),
            event: types.intern(Type::Event),
        };
        let has = |name: &str| target.has_extension(name);
        Sema {
            program: hir::Program {
                types,
                checks_members: target.checks.memory,
                ..hir::Program::default()
            },
            has_half: has("cl_khr_fp16"),
            has_double: has("cl_khr_fp64"),
            diags,
            map,
            options,
            target,
            common,
            world: World::default(),
            other_world: World::default(),
            in_library: false,
            signatures: Map::default(),
            overloads: Map::default(),
            function_info: Map::default(),
            global_quals: Map::default(),
            library: HashMap::default(),
            pending: Vec::new(),
            strings: HashMap::default(),
            body: None,
            nesting: 0,
            calls: Vec::new(),
            record_names: HashMap::default(),
            tentative: HashSet::default(),
            block_externs: HashMap::default(),
            doubted: HashSet::default(),
            size_records: HashSet::default(),
        }
    }

    fn finish(mut self) -> hir::Program {
        self.analyze_pending();
        self.check_recursion();
        self.program
    }

    // ---- Types -------------------------------------------------------------------------------------------

    /// Returns the type of an id.
    pub(crate) fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    /// Returns whether the program must keep the rules of clspv's older behaviour.
    pub(crate) fn older_rules(&self) -> bool {
        !self.in_library && self.target.abi.descriptor().is_some_and(|d| d.older_rules)
    }

    /// Returns whether the device has an optional feature of OpenCL C 3.0, and the version of the program has it.
    pub(crate) fn has_feature(&self, feature: &str) -> bool {
        // OpenCL C 2.0 has all features.
        self.options.std >= ClStd::Cl20 && self.target.c_features.iter().any(|f| f == feature)
    }

    /// Returns whether the program has the generic address space, to which pointers lead unless another one is stated
    /// (6.7.5 of OpenCL C 3.0).
    pub(crate) fn has_generic(&self) -> bool {
        !self.in_library && self.has_feature("__opencl_c_generic_address_space")
    }

    /// Returns the common address space of two pointers that are compared, subtracted or selected.
    pub(crate) fn common_space(a: Space, b: Space) -> Option<Space> {
        match (a, b) {
            _ if a == b => Some(a),
            (Space::Generic, Space::Constant) | (Space::Constant, Space::Generic) => None,
            (Space::Generic, _) | (_, Space::Generic) => Some(Space::Generic),
            _ => None,
        }
    }

    /// Returns a pointer as one to another address space.
    pub(crate) fn pointer_in(&mut self, e: hir::Expr, space: Space) -> hir::Expr {
        let Type::Pointer {
            pointee,
            is_const,
            is_volatile,
            is_restrict,
            align,
            ..
        } = *self.ty(e.ty)
        else {
            return e;
        };
        let ty = self.program.types.intern(Type::Pointer {
            pointee,
            space,
            is_const,
            is_volatile,
            is_restrict,
            align,
        });
        self.reinterpret(hir::Convert::Pointer, e, ty)
    }

    /// Returns whether variables of the program may be in global memory (6.7.1 of OpenCL C 3.0).
    pub(crate) fn has_global_variables(&self) -> bool {
        !self.in_library && self.has_feature("__opencl_c_program_scope_global_variables")
    }

    /// Returns a vector type, or the scalar type for one lane.
    pub(crate) fn vector_ty(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        self.program.types.vector(scalar, lanes)
    }

    /// Returns the scalar type and the number of lanes of an arithmetic type.
    pub(crate) fn lanes(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        self.program.types.lanes(ty)
    }

    /// Returns a pointer type without qualifiers on the pointee.
    pub(crate) fn pointer_ty(&mut self, pointee: TypeId, space: Space) -> TypeId {
        self.program.types.intern(Type::Pointer {
            pointee,
            space,
            is_const: false,
            is_volatile: false,
            is_restrict: false,
            align: 0,
        })
    }

    // ---- Diagnostics -------------------------------------------------------------------------------------

    /// Reports an error. The result is used with `return Err(…)` or `?`.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.diags.error(span, message);
        Reported
    }

    /// Reports a prepared diagnostic.
    pub(crate) fn report(&mut self, diag: Diag) -> Reported {
        if !self.is_doubted(&diag) {
            self.diags.push(diag);
        }
        Reported
    }

    /// Records a name that a part with a syntax error may declare, so that its uses are not errors.
    fn doubt(&mut self, name: &str) {
        if !builtin::is_builtin(name) && type_spec::predefined(name).is_none() {
            self.world.names.bind(name, Entity::Invalid, Span::NONE);
        }
        self.doubted.insert(name.to_string());
    }

    /// Returns whether a diagnostic is about an incomplete type that a part with a syntax error may complete.
    fn is_doubted(&self, diag: &Diag) -> bool {
        let names = |n: &String| {
            ["struct", "union", "enum"]
                .iter()
                .any(|tag| diag.message.contains(&format!("'{tag} {n}'")))
        };
        diag.message.contains("incomplete") && self.doubted.iter().any(names)
    }

    /// Reports a warning, except about library code.
    pub(crate) fn warning(&mut self, span: Span, message: impl Into<String>) {
        if !self.in_library {
            self.diags.warning(span, message);
        }
    }

    // ---- Values ------------------------------------------------------------------------------------------

    /// Returns a scalar constant from its bits, which the caller has truncated to the type.
    pub(crate) fn const_bits(&self, bits: u64, ty: TypeId, span: Span) -> hir::Expr {
        hir::Expr {
            kind: hir::ExprKind::Const(vec![bits]),
            ty,
            span,
        }
    }

    /// Returns an `int` constant.
    pub(crate) fn const_int(&self, value: i32, span: Span) -> hir::Expr {
        self.const_bits(u64::from(value as u32), self.common.int, span)
    }

    /// Returns the value of an integer constant expression, sign-extended according to its type; `None` if
    /// the expression is not one.
    pub(crate) fn int_value(&self, e: &hir::Expr) -> Option<i128> {
        fold::int_value(self, e)
    }

    /// Reads a place.
    pub(crate) fn load(&self, place: hir::Place) -> hir::Expr {
        hir::Expr {
            ty: place.ty,
            span: place.span,
            kind: hir::ExprKind::Load(Box::new(place)),
        }
    }

    /// Returns the object that a pointer value points to. The expression must have pointer type.
    pub(crate) fn deref(&self, ptr: hir::Expr, align: Option<u32>) -> Lvalue {
        let (ty, space, is_const, is_volatile, known) = match *self.ty(ptr.ty) {
            Type::Pointer {
                pointee,
                space,
                is_const,
                is_volatile,
                align,
                ..
            } => (pointee, space, is_const, is_volatile, align),
            _ => (self.common.void, Space::Private, false, false, 0),
        };
        Lvalue {
            // The constant address space implies const, so the pointer's type need not say it.
            is_const: is_const || space == Space::Constant,
            is_temporary: false,
            place: hir::Place {
                ty,
                space,
                is_volatile,
                span: ptr.span,
                kind: hir::PlaceKind::Deref {
                    ptr: Box::new(ptr),
                    align: align.or((known > 0).then_some(known)),
                },
            },
        }
    }

    /// Returns the place of a private variable of the function being analysed.
    pub(crate) fn local_place(&self, id: LocalId, span: Span) -> hir::Place {
        let (ty, is_volatile) = self.body.as_ref().map_or((self.common.void, false), |b| {
            let l = &b.locals[id];
            (l.ty, l.is_volatile)
        });
        hir::Place {
            kind: hir::PlaceKind::Local(id),
            ty,
            space: Space::Private,
            is_volatile,
            span,
        }
    }

    /// Adds a private variable to the function being analysed.
    pub(crate) fn fresh_local(&mut self, name: &str, ty: TypeId, span: Span) -> Result<LocalId> {
        let align = self.program.types.align(ty);
        match &mut self.body {
            Some(body) => Ok(body.locals.push(hir::Local {
                name: name.into(),
                ty,
                align,
                is_volatile: false,
                span,
            })),
            None => Err(self.error(span, "initializer element is not a compile-time constant")),
        }
    }

    /// Returns the `__constant char[]` variable that holds a string literal; `bytes` excludes the terminator.
    pub(crate) fn string_global(&mut self, bytes: &[u8], span: Span) -> GlobalId {
        if let Some(&id) = self.strings.get(bytes) {
            return id;
        }
        let mut data = bytes.to_vec();
        data.push(0);
        let ty = self
            .program
            .types
            .intern(Type::Array(self.common.char, data.len() as u64));
        let id = self.program.globals.push(hir::GlobalVar {
            name: format!(".str{}", self.strings.len()),
            ty,
            space: Space::Constant,
            align: 1,
            init: Some(hir::ConstData {
                bytes: data,
                relocations: Vec::new(),
            }),
            linkage: hir::Linkage::Static,
            span,
        });
        self.global_quals.push((true, false));
        self.strings.insert(bytes.to_vec(), id);
        id
    }

    /// Returns the bytes of the string literal that a value points to, without the terminator; `None` if it
    /// does not point to one.
    pub(crate) fn string_bytes(&self, e: &hir::Expr) -> Option<&[u8]> {
        let (global, offset) = fold::address(self, e)?;
        let var = Some(&self.program.globals[global?]).filter(|v| v.space == Space::Constant)?;
        let is_char =
            matches!(*self.ty(var.ty), Type::Array(elem, _) if self.lanes(elem) == Some((Scalar::Char, 1)));
        let data = &var.init.as_ref().filter(|_| is_char)?.bytes;
        let tail = data.get(usize::try_from(offset).ok()?..)?;
        let end = tail.iter().position(|&b| b == 0)?;
        Some(&tail[..end])
    }

    /// Returns the number of a string in the program's table of printf strings.
    pub(crate) fn printf_string(&mut self, bytes: &[u8]) -> u32 {
        let strings = &mut self.program.strings;
        let at = strings.iter().position(|s| s == bytes).unwrap_or_else(|| {
            strings.push(bytes.to_vec());
            strings.len() - 1
        });
        at as u32
    }

    // ---- The built-in library ----------------------------------------------------------------------------

    /// Returns the library function with this key, which is unique among library functions and becomes the
    /// function's name. At its first use the function is declared from `def`; its body is analysed later, in
    /// the library's world.
    pub(crate) fn library_function(
        &mut self,
        key: &str,
        def: impl FnOnce(&mut Self) -> Option<Arc<ast::FunctionDef>>,
    ) -> Option<FuncId> {
        if let Some(&id) = self.library.get(key) {
            return Some(id);
        }
        let def = def(self)?;
        let id = self
            .in_world(true, |s| s.declare_library_function(key, &def))
            .ok()?;
        self.library.insert(key.into(), id);
        self.pending.push((id, def));
        Some(id)
    }

    /// Runs `f` at file scope with only the library's names, or only the user's, visible.
    fn in_world<T>(&mut self, library: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let body = self.body.take();
        let swap = self.in_library != library;
        if swap {
            std::mem::swap(&mut self.world, &mut self.other_world);
        }
        self.in_library = library;
        let names = self.world.names.hide_blocks();
        let tags = self.world.tags.hide_blocks();
        let result = f(self);
        self.world.names.restore(names);
        self.world.tags.restore(tags);
        if swap {
            std::mem::swap(&mut self.world, &mut self.other_world);
            self.in_library = !library;
        }
        self.body = body;
        result
    }

    fn analyze_pending(&mut self) {
        while let Some((id, def)) = self.pending.pop() {
            self.in_world(true, |s| s.library_body(id, &def));
        }
    }
}
