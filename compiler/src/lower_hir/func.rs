//! One function: its variables, its state, its entry and end.

use super::goto::Graph;
use super::place::Addr;
use super::stmt::Jump;
use super::switch::SwitchContext;
use super::{Lowered, Lowering, broken, goto, types};
use crate::hir::{self, LocalId, TypeId};
use crate::ir::{AddressSpace, Builder, EntityRef, FpFlags, Function, Inst, Op, Ty, Value};
use std::collections::HashSet;

/// Where a variable is.
#[derive(Copy, Clone, Debug)]
pub(super) enum Variable {
    /// Not mentioned yet.
    Absent,
    /// In memory.
    Memory(Value),
    /// A value that memory cannot hold (an image, a sampler).
    Handle(Value),
}

/// A function being lowered.
pub(super) struct FuncLowering<'a, 'p> {
    pub(super) cx: &'a mut Lowering<'p>,
    pub(super) source: &'p hir::Function,
    pub(super) b: Builder<'a>,
    pub(super) variables: Vec<Variable>,
    /// Go to the start of the body when it is complete.
    allocas: Vec<Inst>,
    /// The parameter to which a struct result is written.
    pub(super) result: Option<Value>,
    /// Where `break` and `continue` go, innermost last.
    pub(super) breaks: Vec<Jump>,
    pub(super) continues: Vec<Jump>,
    /// Structured instructions that some `Exit` leaves.
    pub(super) left: HashSet<Inst>,
    /// The graph, in a function that needs one.
    pub(super) graph: Option<Graph>,
    /// Switches that are lowered into the graph, innermost last.
    pub(super) switches: Vec<SwitchContext>,
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
        left: HashSet::new(),
        graph: None,
        switches: Vec::new(),
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
    /// Parameters are variables that start with a value. A struct is in its caller's copy already.
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

    /// Falling off the end of a function returns; what, is undefined.
    pub(super) fn end_of_body(&mut self) {
        let ret = types::value(&self.cx.program.types, self.source.ret);
        let value = ret.map(|ty| self.b.undef(ty));
        self.b.ret(value);
    }

    /// A variable's memory, allocated at first mention.
    pub(super) fn local(&mut self, id: LocalId) -> Lowered<Addr> {
        let local = &self.source.locals[id];
        let ptr = match self.variables[id.index()] {
            Variable::Memory(ptr) => ptr,
            Variable::Handle(_) => return broken("memory of an image or sampler"),
            Variable::Absent => {
                let size = types::size(&self.cx.program.types, local.ty)?;
                let ptr = self.alloca(size, local.align);
                self.variables[id.index()] = Variable::Memory(ptr);
                ptr
            }
        };
        Ok(Addr {
            volatile: local.is_volatile,
            ..Addr::new(ptr, local.align.max(1))
        })
    }

    /// Private memory, from the function's start on.
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

    /// Allocations made elsewhere join the others.
    pub(super) fn add_allocas(&mut self, list: Vec<Inst>) {
        self.allocas.extend(list);
    }

    /// A fresh object of a type.
    pub(super) fn temporary(&mut self, ty: TypeId) -> Lowered<Addr> {
        let size = types::size(&self.cx.program.types, ty)?;
        let align = self.cx.program.types.align(ty).max(1);
        Ok(Addr::new(self.alloca(size, align), align))
    }

    /// Type of an SSA value of a HIR type.
    pub(super) fn ty(&self, id: TypeId) -> Lowered<Ty> {
        match types::value(&self.cx.program.types, id) {
            Some(ty) => Ok(ty),
            None => broken("a value of a type that lives in memory"),
        }
    }

    /// Flags of the floating-point operations that follow.
    pub(super) fn set_contract(&mut self, contract: bool) {
        // Library functions are written with NaN and the rest in mind.
        let relaxed = if self.source.is_library {
            FpFlags::default()
        } else {
            self.cx.relaxed
        };
        self.b.fp = FpFlags { contract, ..relaxed };
    }

    /// Leaves a structured instruction.
    pub(super) fn exit(&mut self, target: Inst, values: Vec<Value>) {
        if !self.b.is_terminated() {
            self.left.insert(target);
            self.b.exit(target, values);
        }
    }

    /// Behind a structured instruction that nothing leaves, there is nothing.
    pub(super) fn close(&mut self, inst: Inst) {
        if !self.left.contains(&inst) {
            self.b.unreachable();
        }
    }
}
