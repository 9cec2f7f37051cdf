//! Translation of typed HIR to SSA IR in structured regions.
//!
//! In:  a [`hir::Program`] without errors.
//! Out: an [`ir::Module`] that verifies. Kernels have their parameters, calls are not inlined yet, every
//!      variable is an `Alloca` (mem2reg promotes them), and places are pointers plus byte offsets.
//!
//! | HIR | IR |
//! |---|---|
//! | struct value | the memory that holds it; copied by `MemCpy` |
//! | struct parameter | private pointer to a copy that the caller made |
//! | struct result | private pointer, the first parameter |
//! | `Bool` in memory | one byte, 0 or 1 |
//! | a function with `goto`, or `case` inside a nested statement | a graph of blocks, then `ir::from_cfg` |
//!
//! Only functions and variables that are reachable from the roots are lowered.

mod arith;
mod call;
mod expr;
mod func;
mod goto;
mod kernel;
mod place;
mod power;
mod stmt;
mod switch;
mod types;

use crate::diag::InternalError;
use crate::hir;
use crate::ir::{
    self, AddressSpace, EntityRef, FpFlags, Function, Global, GlobalData, Initializer, Module, Ty,
};
use crate::source::Span;

/// The result of every function of this stage.
type Lowered<T> = Result<T, InternalError>;

/// Returns the error for a violated invariant of the HIR.
#[track_caller]
fn broken<T>(message: impl Into<String>) -> Lowered<T> {
    Err(InternalError::new("lower_hir", message))
}

/// The functions that must be in the module even if nothing calls them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Roots {
    /// The kernels, which suffice for an executable program.
    Kernels,
    /// Every function and every variable in constant or global memory that is defined, as an object needs them.
    AllDefined,
}

/// Lowers the kernels and what they use.
pub fn lower(program: &hir::Program) -> Result<Module, InternalError> {
    lower_roots(program, Roots::Kernels, FpFlags::default())
}

/// Lowers the roots and what they use. `relaxed` is what the build options allow for the user's own
/// arithmetic.
pub fn lower_roots(program: &hir::Program, roots: Roots, relaxed: FpFlags) -> Result<Module, InternalError> {
    let mut cx = Lowering {
        program,
        relaxed,
        module: Module {
            strings: program.strings.clone(),
            ..Module::default()
        },
        funcs: vec![None; program.functions.len()],
        globals: vec![None; program.globals.len()],
        pending: Vec::new(),
    };
    for kernel in &program.kernels {
        let func = cx.func(kernel.func);
        let info = kernel::info(program, kernel, func)?;
        cx.module.kernels.push(info);
    }
    if roots == Roots::AllDefined {
        for (id, f) in program.functions.iter() {
            if f.body.is_some() && !f.is_library {
                cx.func(id);
            }
        }
        // Other objects may declare the variables as `extern`.
        for (id, global) in program.globals.iter() {
            if global.space != hir::Space::Local && global.init.is_some() {
                cx.global(id)?;
            }
        }
    }
    // The work list is processed in order, so functions stay in the order in which they are first referred
    // to.
    let mut next = 0;
    while next < cx.pending.len() {
        let (id, func) = cx.pending[next];
        next += 1;
        if program.functions[id].body.is_some() {
            let lowered = func::lower(&mut cx, id)?;
            cx.module.funcs[func] = lowered;
        } else {
            cx.module.undefined.push(func);
        }
    }
    Ok(cx.module)
}

/// The state of one program's lowering.
struct Lowering<'p> {
    program: &'p hir::Program,
    relaxed: FpFlags,
    module: Module,
    funcs: Vec<Option<ir::Func>>,
    globals: Vec<Option<Global>>,
    /// The declared functions, in order. Their bodies are lowered later.
    pending: Vec<(hir::FuncId, ir::Func)>,
}

impl Lowering<'_> {
    /// Returns the IR function, which is declared at its first use.
    fn func(&mut self, id: hir::FuncId) -> ir::Func {
        if let Some(f) = self.funcs[id.index()] {
            return f;
        }
        let declared = self.declaration(id);
        let func = self.module.funcs.push(declared);
        self.funcs[id.index()] = Some(func);
        self.pending.push((id, func));
        func
    }

    /// Returns a function with the right signature and an empty body.
    fn declaration(&self, id: hir::FuncId) -> Function {
        let source = &self.program.functions[id];
        let types = &self.program.types;
        let mut params = Vec::new();
        if types::is_record(types, source.ret) {
            params.push(Ty::ptr(AddressSpace::Private));
        }
        for &p in &source.params {
            params.push(types::param(types, source.locals[p].ty));
        }
        let ret = types::value(types, source.ret);
        let mut f = Function::new(source.name.clone(), &params, ret);
        f.span = source.span;
        f.linkage = source.linkage;
        f
    }

    /// Returns the IR global, which is created at its first use together with the globals that its
    /// initializer points to.
    fn global(&mut self, id: hir::GlobalId) -> Lowered<Global> {
        if let Some(g) = self.globals[id.index()] {
            return Ok(g);
        }
        let source = &self.program.globals[id];
        // Only an `extern` variable can have an incomplete type.
        let size = match &source.init {
            None if self.program.types.size(source.ty).is_none() => GlobalData::UNKNOWN_SIZE,
            None | Some(_) => types::size(&self.program.types, source.ty)?,
        };
        let space = types::space(source.space);
        let global = self.module.globals.push(GlobalData {
            name: source.name.clone(),
            space,
            size,
            align: source.align.max(1),
            init: None,
            linkage: source.linkage,
        });
        // The global is registered before its initializer, because variables may point to each other.
        self.globals[id.index()] = Some(global);
        // A variable without contents is defined in another object; `link` and `inline` handle
        // it.
        if let Some(data) = source.init.clone() {
            let mut bytes = data.bytes;
            if space == AddressSpace::Constant {
                bytes.resize(size as usize, 0);
            }
            let mut relocations = Vec::new();
            for (at, target, offset) in data.relocations {
                relocations.push((at, self.global(target)?, offset));
            }
            self.module.globals[global].init = Some(Initializer { bytes, relocations });
        }
        Ok(global)
    }
}

/// Returns the text that gives the position of an error in a function.
fn at(span: Span, what: &str) -> String {
    format!("{what} (file {}, byte {})", span.file.0, span.lo)
}
