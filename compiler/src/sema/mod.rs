//! AST to typed HIR: OpenCL C 1.2 chapter 6, the language (the built-in functions are in `builtin`).
//!
//! On entry: one parsed translation unit. On exit: an [`hir::Program`] in which every name is resolved and
//! every conversion explicit, and the diagnostics. The program is meaningful only if no error was reported.
//!
//! How it is organised: `Sema` owns the program under construction and is passed everywhere; the files below
//! add methods to it, by subject. Functions that can fail after having reported return `Result`, whose error
//! carries nothing: the diagnostic is the error.
//!
//! Built-in library code is analysed by the same code in another *world*: `Sema::library_function` declares
//! a function at once and queues its body, which is then analysed where only library names are visible.

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
use crate::hir::{self, FuncId, GlobalId, LabelId, LocalId, Scalar, Space, Type, TypeId, Types};
use crate::ir::entity::{Map, Mix};
use crate::options::Options;
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use crate::target::Target;
use scope::{Entity, Scopes, Tag};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// A diagnostic has been reported; there is no value.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Reported;

/// Deepest nesting of expressions and statements together. The parser's own limits are near it; whoever calls
/// [`analyze`] provides the stack for it.
const MAX_NESTING: u32 = 1200;

/// Result of analysing a piece of the program.
pub(crate) type Result<T> = std::result::Result<T, Reported>;

/// A type with the qualifiers of an object that has it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct QualType {
    pub(crate) ty: TypeId,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    /// Only on pointers, where it is part of the type as well.
    pub(crate) is_restrict: bool,
    /// Address space that was written; `None`: the context's default.
    pub(crate) space: Option<Space>,
    /// From `aligned` on a typedef; 0: the type's own.
    pub(crate) align: u32,
    /// `size_t` and its like, under whatever name.
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
    /// May not be assigned.
    pub(crate) is_const: bool,
    /// A function's result or other temporary: not assignable, no address.
    pub(crate) is_temporary: bool,
}

/// What an expression is before lvalue conversion.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Value(hir::Expr),
    Place(Lvalue),
    /// A function's name.
    Function(Span),
}

/// Parameter and result types of a function.
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
    /// `size_t` and `ptrdiff_t` of programs; the library's have 64 bits.
    pub(crate) size: TypeId,
    pub(crate) difference: TypeId,
    pub(crate) float: TypeId,
    pub(crate) double: TypeId,
    pub(crate) event: TypeId,
}

/// The function whose body is being analysed.
struct Body {
    func: FuncId,
    ret: TypeId,
    is_kernel: bool,
    locals: Map<LocalId, hir::Local>,
    labels: Map<LabelId, String>,
    label_names: HashMap<String, function::LabelState>,
    /// Values of `const` scalars that were initialized with constants.
    const_locals: HashMap<LocalId, u64, BuildHasherDefault<Mix>>,
    /// Innermost last.
    switches: Vec<switch::SwitchState>,
    loops: u32,
    /// Statement expressions around the current statement.
    statement_exprs: u32,
    /// Operands of `sizeof` and its like around the current expression.
    unevaluated: u32,
    /// One of them has a jump or label in it: [`hoist`] is needed.
    jumps_in_expr: bool,
    /// `#pragma OPENCL FP_CONTRACT`.
    contract: bool,
    /// Block nesting: 0 is outside the body, 1 its outermost block.
    depth: u32,
}

impl Body {
    /// Goes back to the labels that were known before an operand that is not evaluated: what that defined is not
    /// there, what it names must be.
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

/// Names of one world: the user's program or the built-in library.
#[derive(Default)]
struct World {
    names: Scopes<Entity>,
    tags: Scopes<Tag>,
}

/// The analyser.
pub(crate) struct Sema<'a> {
    pub(crate) program: hir::Program,
    pub(crate) diags: &'a mut Diags,
    pub(crate) map: &'a mut SourceMap,
    pub(crate) options: &'a Options,
    pub(crate) target: &'a Target,
    /// Types that are always at hand.
    pub(crate) common: Common,
    /// `half` as a value (cl_khr_fp16).
    pub(crate) has_half: bool,
    /// `double` (cl_khr_fp64).
    pub(crate) has_double: bool,
    /// The world whose names are visible now.
    world: World,
    /// The other one: the library's while the user's program is analysed and vice versa.
    other_world: World,
    in_library: bool,
    signatures: Map<FuncId, Signature>,
    overloads: Map<scope::OverloadsId, Vec<FuncId>>,
    function_info: Map<FuncId, function::FunctionInfo>,
    global_quals: Map<GlobalId, (bool, bool)>,
    library: HashMap<String, FuncId, BuildHasherDefault<Mix>>,
    /// Library functions that are declared but not yet analysed.
    pending: Vec<(FuncId, Arc<ast::FunctionDef>)>,
    strings: HashMap<Vec<u8>, GlobalId>,
    body: Option<Body>,
    /// Expressions and statements around the current one.
    nesting: u32,
    /// Caller and callee of each call, and where; for the recursion check.
    calls: Vec<(FuncId, FuncId, Span)>,
    /// Names of records and enums without a tag that a typedef named.
    record_names: HashMap<hir::RecordId, String>,
    /// Variables of the program that so far only functions declare.
    block_externs: HashMap<String, GlobalId>,
    /// What may be declared where a syntax error is.
    doubted: HashSet<String>,
    /// Records with a member of type `size_t` or its like.
    size_records: HashSet<hir::RecordId>,
}

/// Analyses a translation unit. The result is meaningful if `diags` has no errors.
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

/// What `size_t` and `uintptr_t` are.
fn size_scalar(options: &Options) -> Scalar {
    match options.small_sizes {
        true => Scalar::UInt,
        false => Scalar::ULong,
    }
}

/// What `ptrdiff_t` and `intptr_t` are.
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
            strings: HashMap::new(),
            body: None,
            nesting: 0,
            calls: Vec::new(),
            record_names: HashMap::new(),
            block_externs: HashMap::new(),
            doubted: HashSet::new(),
            size_records: HashSet::new(),
        }
    }

    fn finish(mut self) -> hir::Program {
        self.analyze_pending();
        self.check_recursion();
        self.program
    }

    // ---- Types -------------------------------------------------------------------------------------------

    /// What a type id stands for.
    pub(crate) fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    /// Whether the program keeps to the contract's older form.
    pub(crate) fn older_rules(&self) -> bool {
        !self.in_library && self.target.abi.descriptor().is_some_and(|d| d.older_rules)
    }

    /// Scalar (lanes 1) or vector type.
    pub(crate) fn vector_ty(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        self.program.types.vector(scalar, lanes)
    }

    /// Scalar and number of lanes of an arithmetic type.
    pub(crate) fn lanes(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        self.program.types.lanes(ty)
    }

    /// Pointer type without qualifiers on the pointee.
    pub(crate) fn pointer_ty(&mut self, pointee: TypeId, space: Space) -> TypeId {
        self.program.types.intern(Type::Pointer {
            pointee,
            space,
            is_const: false,
            is_volatile: false,
            is_restrict: false,
        })
    }

    // ---- Diagnostics -------------------------------------------------------------------------------------

    /// Reports an error; the result is for `return Err(…)` or `?`.
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

    /// A name that may have been declared where a syntax error is: its uses are not errors.
    fn doubt(&mut self, name: &str) {
        if !builtin::is_builtin(name) && type_spec::predefined(name).is_none() {
            self.world.names.bind(name, Entity::Invalid, Span::NONE);
        }
        self.doubted.insert(name.to_string());
    }

    /// Whether a type that is not complete here may be completed where a syntax error is.
    fn is_doubted(&self, diag: &Diag) -> bool {
        let names = |n: &String| {
            ["struct", "union", "enum"]
                .iter()
                .any(|tag| diag.message.contains(&format!("'{tag} {n}'")))
        };
        diag.message.contains("incomplete") && self.doubted.iter().any(names)
    }

    /// Reports a warning, but not about library code.
    pub(crate) fn warning(&mut self, span: Span, message: impl Into<String>) {
        if !self.in_library {
            self.diags.warning(span, message);
        }
    }

    // ---- Values ------------------------------------------------------------------------------------------

    /// A scalar constant from its bits (truncated to the type by the caller).
    pub(crate) fn const_bits(&self, bits: u64, ty: TypeId, span: Span) -> hir::Expr {
        hir::Expr {
            kind: hir::ExprKind::Const(vec![bits]),
            ty,
            span,
        }
    }

    /// An `int` constant.
    pub(crate) fn const_int(&self, value: i32, span: Span) -> hir::Expr {
        self.const_bits(u64::from(value as u32), self.common.int, span)
    }

    /// Value of an integer constant expression, sign-extended as its type says; `None` if it is not one.
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

    /// The object that a pointer value points to. The expression must have pointer type.
    pub(crate) fn deref(&self, ptr: hir::Expr, align: Option<u32>) -> Lvalue {
        let (ty, space, is_const, is_volatile) = match *self.ty(ptr.ty) {
            Type::Pointer {
                pointee,
                space,
                is_const,
                is_volatile,
                ..
            } => (pointee, space, is_const, is_volatile),
            _ => (self.common.void, Space::Private, false, false),
        };
        Lvalue {
            // What the address space says, pointers need not.
            is_const: is_const || space == Space::Constant,
            is_temporary: false,
            place: hir::Place {
                ty,
                space,
                is_volatile,
                span: ptr.span,
                kind: hir::PlaceKind::Deref {
                    ptr: Box::new(ptr),
                    align,
                },
            },
        }
    }

    /// A place for a private variable of the function being analysed.
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

    /// A new private variable of the function being analysed.
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

    /// The `__constant char[]` that holds a string literal (`bytes` without the terminator).
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
            span,
        });
        self.global_quals.push((true, false));
        self.strings.insert(bytes.to_vec(), id);
        id
    }

    /// The bytes of a string literal (without the terminator), if that is what the value points to.
    pub(crate) fn string_bytes(&self, e: &hir::Expr) -> Option<&[u8]> {
        let (global, offset) = fold::address(self, e)?;
        let var = &self.program.globals[global?];
        let is_char =
            matches!(*self.ty(var.ty), Type::Array(elem, _) if self.lanes(elem) == Some((Scalar::Char, 1)));
        let data = &var.init.as_ref().filter(|_| is_char)?.bytes;
        let tail = data.get(usize::try_from(offset).ok()?..)?;
        let end = tail.iter().position(|&b| b == 0)?;
        Some(&tail[..end])
    }

    /// Number of a string in the program's table of printf strings.
    pub(crate) fn printf_string(&mut self, bytes: &[u8]) -> u32 {
        let strings = &mut self.program.strings;
        let at = strings.iter().position(|s| s == bytes).unwrap_or_else(|| {
            strings.push(bytes.to_vec());
            strings.len() - 1
        });
        at as u32
    }

    // ---- The built-in library ----------------------------------------------------------------------------

    /// The library function with this key (unique among library functions; it becomes the function's name).
    /// Declared on first use from `def`; its body is analysed later, in the library's world.
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

    /// Runs `f` with only library names (or only the user's) visible, at file scope.
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
