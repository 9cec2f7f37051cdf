//! Translation of one function: its blocks, the values that cross them, and phi.
//!
//! `from_cfg` requires that a value is used only in the block that defines it. Therefore a value that another block uses
//! goes through private memory, and so does every phi; `mem2reg` makes values of them again.
//! Structures and arrays are in private memory already, so other blocks use them without a copy.

use super::Lowering;
use super::control::{loop_request, move_requests};
use crate::hash::{HashMap, HashSet};
use crate::ir::from_cfg::{self, Block as Node, Cfg};
use crate::ir::{
    self, Access, AddressSpace, Builder, CastOp, CmpOp, FpFlags, Inst as IrInst, Matrix, Op as IrOp, Ty,
    Value,
};
use crate::spirv_in::Error;
use crate::spirv_in::module::{Block, Function};
use crate::spirv_in::types::Layout;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{Op, StorageClass};

/// A value of SPIR-V.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Val {
    /// A scalar, vector, pointer, image or sampler.
    Value(Value),
    /// A structure or array, which is in the memory that this points to.
    Memory(Value),
    /// An image with a sampler.
    Sampled(Value, Value),
}

/// The definition of an id in the function.
#[derive(Copy, Clone, Debug)]
pub(super) struct Def<'w> {
    /// The id of the type.
    pub(super) ty: u32,
    /// The instruction.
    pub(super) inst: Inst<'w>,
    /// The block, by its number among those that can be reached.
    block: usize,
}

/// A function being translated.
pub(super) struct FuncLowering<'a, 'm, 'w> {
    pub(super) cx: &'a mut Lowering<'m, 'w>,
    pub(super) source: &'m Function<'w>,
    pub(super) b: Builder<'a>,
    /// The values that every block may use.
    pub(super) everywhere: HashMap<u32, Val>,
    /// The values of the current block.
    pub(super) here: HashMap<u32, Val>,
    /// The ids that the blocks define.
    pub(super) defs: HashMap<u32, Def<'w>>,
    /// The ids that other blocks than their own use.
    crossing: HashSet<u32>,
    /// The ids whose operations are not contracted with the operations that use them (OpArithmeticFenceEXT).
    pub(super) fenced: HashSet<u32>,
    /// The private memory of values and phis, by id.
    slots: HashMap<u32, Value>,
    phis: HashMap<u32, Value>,
    /// The variables that hold an image or a sampler, with its value once it is known.
    pub(super) handles: HashMap<u32, Option<Val>>,
    /// The pointers to components of matrices: the type of the matrix, and the id of the component's number. The value of
    /// such a pointer is that of the pointer to the matrix.
    pub(super) components: HashMap<u32, (Matrix, u32)>,
    allocas: Vec<IrInst>,
    /// The numbers of the blocks that can be reached, by label.
    numbers: HashMap<u32, usize>,
    /// The parameter that points to where the function writes its result, if that is a structure or array.
    pub(super) result: Option<Value>,
    /// The instruction whose translation is under way.
    pub(super) at: usize,
}

/// Translates a function that has a body.
pub(super) fn lower<'m, 'w>(
    cx: &mut Lowering<'m, 'w>,
    source: &'m Function<'w>,
    mut func: ir::Function,
) -> Result<ir::Function, Error> {
    let params = func.params.clone();
    let region = func.body;
    let order = reachable(source)?;
    let fp = FpFlags {
        contract: cx.contract || cx.settings.relaxed.contract,
        // Only quotients may be loose; see `FuncLowering::divide`.
        loose: false,
        ..cx.settings.relaxed
    };
    let mut f = FuncLowering {
        source,
        b: Builder::at_end(&mut func, region),
        everywhere: HashMap::default(),
        here: HashMap::default(),
        defs: HashMap::default(),
        crossing: HashSet::default(),
        fenced: HashSet::default(),
        slots: HashMap::default(),
        phis: HashMap::default(),
        handles: HashMap::default(),
        components: HashMap::default(),
        allocas: Vec::new(),
        numbers: order.iter().enumerate().map(|(n, b)| (b.label, n)).collect(),
        result: None,
        at: 0,
        cx,
    };
    f.b.fp = fp;
    f.parameters(&params)?;
    f.scan(&order)?;
    let mut cfg = Cfg::default();
    for block in &order {
        cfg.blocks.push(f.block(block)?);
    }
    move_requests(&mut cfg);
    f.b.move_to_end(region);
    let variables = from_cfg::structure(&mut f.b, cfg, |b| {
        let op = IrOp::Alloca { size: 4, align: 4 };
        b.func
            .new_inst(op, vec![], &[Ty::ptr(AddressSpace::Private)], b.span)
    });
    let variables = variables.map_err(|e| source.inst.unsupported(e.to_string()))?;
    f.allocas.extend(variables);
    let FuncLowering { allocas, .. } = f;
    func.regions[region].insts.splice(0..0, allocas);
    Ok(func)
}

/// Returns the blocks that can be reached, each after its dominators.
fn reachable<'f, 'w>(source: &'f Function<'w>) -> Result<Vec<&'f Block<'w>>, Error> {
    let mut successors = Vec::with_capacity(source.blocks.len());
    for block in &source.blocks {
        let mut list = Vec::new();
        for label in &block.targets {
            match (source.by_label.get(label), block.insts.last()) {
                (Some(&n), _) if n > 0 => list.push(n),
                (Some(_), Some(last)) => return Err(last.invalid("a branch to the entry of the function")),
                (_, Some(last)) => {
                    return Err(last.invalid(format!("%{label} is not a block of the function")));
                }
                (_, None) => return Err(source.inst.invalid("a block is empty")),
            }
        }
        successors.push(list);
    }
    let mut seen = vec![false; source.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.pop() {
        match successors[block].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(&source.blocks[block]),
        }
    }
    order.reverse();
    Ok(order)
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    fn parameters(&mut self, values: &[Value]) -> Result<(), Error> {
        let mut values = values.iter().copied();
        if self.cx.source.types.is_aggregate(self.source.ret) {
            self.result = values.next();
        }
        for (p, value) in self.source.params.iter().zip(values) {
            let val = match self.cx.source.types.is_aggregate(p.ty) {
                true => Val::Memory(value),
                false => Val::Value(value),
            };
            self.everywhere.insert(p.result, val);
            self.defs.insert(
                p.result,
                Def {
                    ty: p.ty,
                    inst: *p,
                    block: 0,
                },
            );
        }
        Ok(())
    }

    /// Finds the definitions, and the ids that other blocks than their own use. Every operand word is taken
    /// for an id: if it is a literal, at worst a value goes through memory needlessly.
    fn scan(&mut self, order: &[&Block<'w>]) -> Result<(), Error> {
        for (n, block) in order.iter().enumerate() {
            for inst in block.insts.iter().filter(|i| i.result != 0) {
                let def = Def {
                    ty: inst.ty,
                    inst: *inst,
                    block: n,
                };
                self.defs.insert(inst.result, def);
            }
        }
        for (n, block) in order.iter().enumerate() {
            for inst in &block.insts {
                if inst.op == Op::ArithmeticFenceEXT {
                    self.fenced.extend(inst.args);
                }
                if inst.op == Op::Phi {
                    self.crossing.extend(inst.args.iter().step_by(2));
                    continue;
                }
                let used = inst
                    .args
                    .iter()
                    .filter(|id| self.defs.get(id).is_some_and(|d| d.block != n));
                self.crossing.extend(used);
            }
        }
        Ok(())
    }

    /// Gives the function its own memory for each private variable of the module.
    fn private_variables(&mut self) -> Result<(), Error> {
        let source = self.cx.source;
        for id in &source.variable_order {
            let variable = &source.variables[id];
            if variable.class == StorageClass::Function {
                self.variable(&variable.inst)?;
            }
        }
        Ok(())
    }

    /// Translates a block.
    fn block(&mut self, block: &Block<'w>) -> Result<Node, Error> {
        let region = self.b.func.new_region(&[]);
        self.b.move_to_end(region);
        self.here.clear();
        if self.numbers.get(&block.label) == Some(&0) {
            self.private_variables()?;
        }
        let phis = block.insts.iter().take_while(|i| i.op == Op::Phi).count();
        let (phis, rest) = block.insts.split_at(phis);
        for phi in phis {
            self.read_phi(phi)?;
        }
        let Some((last, rest)) = rest.split_last() else {
            return Err(self
                .source
                .inst
                .invalid(format!("the block %{} is empty", block.label)));
        };
        for inst in rest {
            self.at = inst.index;
            self.inst(inst)?;
        }
        self.write_phis(block)?;
        let terminator = self.terminator(last)?;
        let mut node = Node::new(region, terminator);
        node.unroll = loop_request(rest)?;
        Ok(node)
    }

    /// Returns the number of a block that can be reached.
    pub(super) fn number(&self, inst: &Inst<'_>, label: u32) -> Result<usize, Error> {
        let number = self.numbers.get(&label).copied();
        number.ok_or_else(|| inst.invalid(format!("%{label} is not a block of the function")))
    }

    // Phi.

    fn read_phi(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let slot = self.phi(inst)?;
        if self.cx.source.types.is_aggregate(inst.ty) {
            let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
            let own = self.new_memory(inst)?;
            self.copy(own, slot, layout);
            return Ok(());
        }
        let ty = self.result_type(inst)?;
        let value = self.read_slot(inst, slot, inst.ty, ty)?;
        self.define(inst, value)
    }

    /// Returns the memory of a phi.
    fn phi(&mut self, inst: &Inst<'_>) -> Result<Value, Error> {
        if let Some(&slot) = self.phis.get(&inst.result) {
            return Ok(slot);
        }
        let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
        let slot = self.alloca(layout);
        self.phis.insert(inst.result, slot);
        Ok(slot)
    }

    /// Writes the phis of the blocks that follow. All values are read before the first phi is written,
    /// because a phi may be the value of another.
    fn write_phis(&mut self, block: &Block<'w>) -> Result<(), Error> {
        let mut done = HashSet::default();
        let mut writes = Vec::new();
        for &label in &block.targets {
            let Some(&number) = self.source.by_label.get(&label).filter(|_| done.insert(label)) else {
                continue;
            };
            let to = &self.source.blocks[number];
            for phi in to.insts.iter().take_while(|i| i.op == Op::Phi) {
                let (pairs, _) = phi.args.as_chunks::<2>();
                let mut values = pairs.iter().filter(|[_, from]| *from == block.label);
                let Some(&[id, _]) = values.next() else {
                    return Err(phi.invalid(format!("it has no value for the block %{}", block.label)));
                };
                // LLVM's translator repeats the value for each case of a switch that leads here.
                if values.any(|[other, _]| *other != id) {
                    return Err(phi.invalid(format!("it has two values for the block %{}", block.label)));
                }
                let value = self.operand_of(phi, id, phi.ty)?;
                writes.push((phi, self.phi(phi)?, value));
            }
        }
        for (phi, _, value) in &mut writes {
            // An incoming phi of the same block may be about to be overwritten.
            if let Val::Memory(from) = *value
                && let Some(layout) = self.cx.source.types.layout(phi.ty)
            {
                let copy = self.alloca(layout);
                self.copy(copy, from, layout);
                *value = Val::Memory(copy);
            }
        }
        for (phi, slot, value) in writes {
            self.write_slot(phi, slot, value, phi.ty)?;
        }
        Ok(())
    }

    // Values that cross blocks.

    /// Allocates private memory at the start of the function.
    pub(super) fn alloca(&mut self, layout: Layout) -> Value {
        let op = IrOp::Alloca {
            size: layout.size.max(1),
            align: layout.align.max(1),
        };
        let ty = Ty::ptr(AddressSpace::Private);
        let inst = self.b.func.new_inst(op, vec![], &[ty], self.b.span);
        self.allocas.push(inst);
        self.b.func.insts[inst].results[0]
    }

    /// Returns the memory of a value that crosses blocks.
    fn slot(&mut self, inst: &Inst<'_>, id: u32, ty: u32) -> Result<Value, Error> {
        if let Some(&slot) = self.slots.get(&id) {
            return Ok(slot);
        }
        let layout = self.cx.source.types.layout_of(inst, ty)?;
        let slot = self.alloca(layout);
        self.slots.insert(id, slot);
        Ok(slot)
    }

    fn read_slot(&mut self, inst: &Inst<'_>, slot: Value, id: u32, ty: Ty) -> Result<Value, Error> {
        let access = Access {
            align: self.cx.source.types.layout_of(inst, id)?.align,
            volatile: false,
        };
        Ok(self.read(slot, ty, access))
    }

    fn write_slot(&mut self, inst: &Inst<'_>, slot: Value, val: Val, ty: u32) -> Result<(), Error> {
        let layout = self.cx.source.types.layout_of(inst, ty)?;
        let access = Access {
            align: layout.align,
            volatile: false,
        };
        match val {
            Val::Value(value) => self.write(slot, value, access),
            Val::Memory(from) => self.copy(slot, from, layout),
            Val::Sampled(..) => return Err(inst.invalid("an image with a sampler cannot be in memory")),
        }
        Ok(())
    }

    /// Loads a scalar or vector. A Boolean is a byte in memory.
    pub(super) fn read(&mut self, ptr: Value, ty: Ty, access: Access) -> Value {
        if ty.scalar != ir::Scalar::Bool {
            return self.b.load(ptr, ty, access);
        }
        let bytes = self.b.load(ptr, ty.with_scalar(ir::Scalar::I8), access);
        let zero = self.b.zero(ty.with_scalar(ir::Scalar::I8));
        self.b.compare(CmpOp::INe, bytes, zero)
    }

    /// Stores a scalar or vector.
    pub(super) fn write(&mut self, ptr: Value, value: Value, access: Access) {
        let ty = self.b.func.ty(value);
        let stored = match ty.scalar {
            ir::Scalar::Bool => self.b.cast(CastOp::ZExt, value, ty.with_scalar(ir::Scalar::I8)),
            _ => value,
        };
        self.b.store(ptr, stored, access);
    }

    /// Copies a structure or array.
    pub(super) fn copy(&mut self, to: Value, from: Value, layout: Layout) {
        self.copy_as((to, layout.access()), (from, layout.access()), layout.size);
    }

    /// Copies a number of bytes, which may be 0, with these accesses.
    pub(super) fn copy_as(&mut self, (to, dst): (Value, Access), (from, src): (Value, Access), size: u32) {
        if size > 0 {
            self.b.mem_cpy(to, dst, from, src, size);
        }
    }

    /// Sets the result of an instruction to a value, which must be of the type that the instruction states.
    pub(super) fn define(&mut self, inst: &Inst<'_>, value: Value) -> Result<(), Error> {
        let have = self.b.func.ty(value);
        if self.result_type(inst)? != have {
            return Err(inst.invalid("the result type is not that of the operation on these operands"));
        }
        if have.bytes() == 0 && have.scalar != ir::Scalar::Bool {
            self.everywhere.insert(inst.result, Val::Value(value));
            return Ok(());
        }
        self.here.insert(inst.result, Val::Value(value));
        if self.crossing.contains(&inst.result) {
            let slot = self.slot(inst, inst.result, inst.ty)?;
            self.write_slot(inst, slot, Val::Value(value), inst.ty)?;
        }
        Ok(())
    }

    /// Creates the memory of a result that is a structure or array.
    pub(super) fn new_memory(&mut self, inst: &Inst<'_>) -> Result<Value, Error> {
        if !self.cx.source.types.is_aggregate(inst.ty) {
            return Err(inst.invalid("the result type is no structure or array"));
        }
        let slot = self.slot(inst, inst.result, inst.ty)?;
        self.here.insert(inst.result, Val::Memory(slot));
        Ok(slot)
    }

    /// Returns the value of an id that another block defines.
    pub(super) fn crossing_value(&mut self, inst: &Inst<'_>, id: u32) -> Result<Val, Error> {
        let Some(&def) = self.defs.get(&id) else {
            return Err(inst.invalid(format!("%{id} is not a value that is defined before")));
        };
        let is_handle = self.cx.source.types.layout(def.ty).is_none();
        if is_handle || !self.crossing.contains(&id) {
            return Err(inst.invalid(format!("%{id} is used before its definition")));
        }
        let slot = self.slot(inst, id, def.ty)?;
        if self.cx.source.types.is_aggregate(def.ty) {
            return Ok(Val::Memory(slot));
        }
        let ty = self.ir_type(inst, id)?;
        let value = Val::Value(self.read_slot(inst, slot, def.ty, ty)?);
        self.here.insert(id, value);
        Ok(value)
    }
}
