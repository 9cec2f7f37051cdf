//! The lowering of one function: its variables, its state, its entry and end.

use super::goto::Graph;
use super::place::Addr;
use super::stmt::Jump;
use super::switch::SwitchContext;
use super::{Lowered, Lowering, broken, goto, types};
use crate::hash::HashSet;
use crate::hir::{self, LocalId, TypeId};
use crate::ir::{AddressSpace, Builder, EntityRef, FpFlags, Function, Inst, Op, Ty, Value};

/// The location of a variable.
#[derive(Copy, Clone, Debug)]
pub(super) enum Variable {
    /// No statement has referred to it yet.
    Absent,
    /// It is in memory.
    Memory(Value),
    /// It is a value that memory cannot hold (an image or a sampler).
    Handle(Value),
}

/// A function being lowered.
pub(super) struct FuncLowering<'a, 'p> {
    pub(super) cx: &'a mut Lowering<'p>,
    pub(super) source: &'p hir::Function,
    pub(super) b: Builder<'a>,
    pub(super) variables: Vec<Variable>,
    /// The allocations, which are moved to the start of the body when it is complete.
    allocas: Vec<Inst>,
    /// The parameter to which a struct result is written.
    pub(super) result: Option<Value>,
    /// The targets of `break` and `continue`, the innermost last.
    pub(super) breaks: Vec<Jump>,
    pub(super) continues: Vec<Jump>,
    /// The structured instructions that some `Exit` leaves.
    pub(super) left: HashSet<Inst>,
    /// The control-flow graph, in a function that needs one.
    pub(super) graph: Option<Graph>,
    /// The switches that are lowered into the graph, the innermost last.
    pub(super) switches: Vec<SwitchContext>,
    /// Whether the present expression is evaluated although the source may not evaluate it.
    pub(super) speculates: bool,
    /// Whether only the address of the present place is computed, which may be that after the last element of an array.
    pub(super) takes_address: bool,
}

/// Lowers a function that has a body.
pub(super) fn lower(cx: &mut Lowering<'_>, id: hir::FuncId) -> Lowered<Function> {
    let program = cx.program;
    let source = &program.functions[id];
    let Some(body) = &source.body else {
        return broken("a function without a body");
    };
    let mut func = cx.declaration(id);
    let params = func.params.clone();
    let region = func.body;
    let mut f = FuncLowering {
        variables: vec![Variable::Absent; source.locals.len()],
        allocas: Vec::new(),
        result: None,
        breaks: Vec::new(),
        continues: Vec::new(),
        left: HashSet::default(),
        graph: None,
        switches: Vec::new(),
        speculates: false,
        takes_address: false,
        source,
        b: Builder::at_end(&mut func, region),
        cx,
    };
    f.b.span = source.span;
    let mut params = params.into_iter();
    if types::is_record(&program.types, source.ret) {
        f.result = params.next();
    }
    f.parameters(params)?;
    if goto::needs_graph(body) {
        f.body_as_graph(body)?;
    } else {
        f.stmts(body)?;
        f.end_of_body();
    }
    let FuncLowering { allocas, .. } = f;
    func.regions[region].insts.splice(0..0, allocas);
    Ok(func)
}

impl<'p> FuncLowering<'_, 'p> {
    /// Initializes the parameters' variables. A struct is already in the caller's copy.
    fn parameters(&mut self, mut values: impl Iterator<Item = Value>) -> Lowered<()> {
        for &param in &self.source.params {
            let ty = self.source.locals[param].ty;
            let Some(value) = values.next() else {
                return broken("fewer parameters than declared");
            };
            if types::is_handle(&self.cx.program.types, ty) {
                self.variables[param.index()] = Variable::Handle(value);
            } else if types::is_record(&self.cx.program.types, ty) {
                self.variables[param.index()] = Variable::Memory(value);
            } else {
                let addr = self.local(param)?;
                self.store_value(addr, ty, value)?;
            }
        }
        Ok(())
    }

    /// Ends the body with a return. If the function has a result, its value is undefined here.
    pub(super) fn end_of_body(&mut self) {
        let ret = types::value(&self.cx.program.types, self.source.ret);
        let value = ret.map(|ty| self.b.undef(ty));
        self.b.ret(value);
    }

    /// Returns a variable's memory, which is allocated when it is first referred to.
    pub(super) fn local(&mut self, id: LocalId) -> Lowered<Addr> {
        let local = &self.source.locals[id];
        let ptr = match self.variables[id.index()] {
            Variable::Memory(ptr) => ptr,
            Variable::Handle(_) => return broken("memory of an image or sampler"),
            Variable::Absent => {
                let size = types::size(&self.cx.program.types, local.ty)?;
                let outer = std::mem::replace(&mut self.b.span, local.span);
                let ptr = self.alloca(size, local.align);
                self.b.span = outer;
                self.variables[id.index()] = Variable::Memory(ptr);
                ptr
            }
        };
        Ok(Addr {
            volatile: local.is_volatile,
            ..Addr::new(ptr, local.align.max(1))
        })
    }

    /// Allocates private memory at the start of the function.
    pub(super) fn alloca(&mut self, size: u32, align: u32) -> Value {
        let op = Op::Alloca {
            size,
            align: align.max(1),
        };
        let inst = self
            .b
            .func
            .new_inst(op, vec![], &[Ty::ptr(AddressSpace::Private)], self.b.span);
        self.allocas.push(inst);
        self.b.func.insts[inst].results[0]
    }

    /// Adds allocations that were made elsewhere.
    pub(super) fn add_allocas(&mut self, list: Vec<Inst>) {
        self.allocas.extend(list);
    }

    /// Allocates a new object of a type.
    pub(super) fn temporary(&mut self, ty: TypeId) -> Lowered<Addr> {
        let size = types::size(&self.cx.program.types, ty)?;
        let align = self.cx.program.types.align(ty).max(1);
        Ok(Addr::new(self.alloca(size, align), align))
    }

    /// Returns the type of an SSA value of a HIR type.
    pub(super) fn ty(&self, id: TypeId) -> Lowered<Ty> {
        match types::value(&self.cx.program.types, id) {
            Some(ty) => Ok(ty),
            None => broken("a value of a type that lives in memory"),
        }
    }

    /// Sets the flags of the floating-point operations that follow.
    pub(super) fn set_contract(&mut self, contract: bool) {
        // Library functions handle NaN, infinities and signed zeros, so relaxed arithmetic does not apply to
        // them.
        let relaxed = if self.source.is_library {
            FpFlags::default()
        } else {
            self.cx.relaxed
        };
        self.b.fp = FpFlags {
            contract,
            loose: false,
            ..relaxed
        };
    }

    /// Emits the exit from a structured instruction.
    pub(super) fn exit(&mut self, target: Inst, values: Vec<Value>) {
        if !self.b.is_terminated() {
            self.left.insert(target);
            self.b.exit(target, values);
        }
    }

    /// Marks the code after a structured instruction as unreachable if nothing exits from the instruction.
    pub(super) fn close(&mut self, inst: Inst) {
        if !self.left.contains(&inst) {
            self.b.unreachable();
        }
    }
}
