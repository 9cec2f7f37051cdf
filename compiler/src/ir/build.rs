//! Creating instructions.
//!
//! A [`Builder`] is a cursor in a function: it stands at the end of a region, or before one of its
//! instructions, and each helper inserts one instruction there with the result type that follows from its
//! operands. Nothing is checked here, that is `verify`'s duty.
//!
//! At the end of a region that has its terminator already, control cannot be: what is inserted there belongs
//! to no region and so does not exist for anybody who walks the function. A translator need not care whether
//! the statement it translates is reachable.
//!
//! Inserting in the middle of a region moves what is behind, so a pass that changes much takes the region's
//! list and appends to it again:
//!
//! ```
//! # use caldera_compiler::ir::{Function, Op, build::Builder};
//! # let mut f = Function::new("f", &[], None);
//! # let region = f.body;
//! let old = std::mem::take(&mut f.regions[region].insts);
//! let mut b = Builder::at_end(&mut f, region);
//! for inst in old {
//!     match b.func.insts[inst].op {
//!         Op::MemZero { .. } => { /* insert other instructions */ }
//!         _ => b.push(inst),
//!     }
//! }
//! ```

use super::inst::derived_type;
use super::{
    Access, AddressSpace, BinOp, CastOp, CmpOp, Const, FpFlags, Func, Function, Global, Inst, Op, Region,
    Scalar, Ty, UnOp, Value, ValueList,
};
use crate::intrinsic::Intrinsic;
use crate::source::Span;

/// A cursor in a function.
#[derive(Debug)]
pub struct Builder<'f> {
    pub func: &'f mut Function,
    /// Position given to new instructions.
    pub span: Span,
    /// Flags given to new floating-point operations.
    pub fp: FpFlags,
    region: Region,
    /// `None`: at the end.
    at: Option<usize>,
    /// Where `leave` returns to.
    outer: Vec<(Region, Option<usize>)>,
}

impl<'f> Builder<'f> {
    /// At the end of a region.
    pub fn at_end(func: &'f mut Function, region: Region) -> Self {
        Builder {
            func,
            span: Span::NONE,
            fp: FpFlags::default(),
            region,
            at: None,
            outer: Vec::new(),
        }
    }

    /// Before instruction number `index` of a region.
    pub fn before(func: &'f mut Function, region: Region, index: usize) -> Self {
        let mut b = Builder::at_end(func, region);
        b.at = Some(index);
        b
    }

    /// The region that the cursor is in.
    pub fn region(&self) -> Region {
        self.region
    }

    /// Moves to the end of a region.
    pub fn move_to_end(&mut self, region: Region) {
        self.region = region;
        self.at = None;
    }

    /// Moves to the end of a region, until [`Builder::leave`] comes back here.
    pub fn enter(&mut self, region: Region) {
        self.outer.push((self.region, self.at));
        self.move_to_end(region);
    }

    /// Back to where the last [`Builder::enter`] was called.
    pub fn leave(&mut self) {
        if let Some((region, at)) = self.outer.pop() {
            self.region = region;
            self.at = at;
        }
    }

    /// Whether the cursor is behind a terminator.
    pub fn is_terminated(&self) -> bool {
        let insts = &self.func.regions[self.region].insts;
        self.at.unwrap_or(insts.len()) == insts.len()
            && insts
                .last()
                .is_some_and(|&i| self.func.insts[i].op.is_terminator())
    }

    /// Puts an instruction that is in no region at the cursor.
    pub fn push(&mut self, inst: Inst) {
        if self.is_terminated() {
            return;
        }
        let insts = &mut self.func.regions[self.region].insts;
        match &mut self.at {
            None => insts.push(inst),
            Some(at) => {
                insts.insert(*at, inst);
                *at += 1;
            }
        }
    }

    /// Creates any instruction with stated result types, at the cursor.
    pub fn insert(&mut self, op: Op, args: impl Into<ValueList>, results: &[Ty]) -> Inst {
        let args = args.into();
        let first = args.first().map(|&a| self.func.ty(a).scalar);
        let takes_float = first.is_some_and(Scalar::is_float);
        let is_fp = match &op {
            Op::Binary(_) | Op::Unary(_) | Op::Compare(_) => takes_float,
            Op::Intrinsic(_) => takes_float || results.iter().any(|t| t.scalar.is_float()),
            _ => false,
        };
        let inst = self.func.new_inst(op, args, results, self.span);
        if is_fp {
            self.func.insts[inst].fp = self.fp;
        }
        self.push(inst);
        inst
    }

    /// Creates an instruction with one result of a stated type.
    pub fn value(&mut self, op: Op, args: impl Into<ValueList>, ty: Ty) -> Value {
        let inst = self.insert(op, args, &[ty]);
        self.func.insts[inst].results[0]
    }

    /// Creates an instruction whose type follows from its operands.
    fn derived(&mut self, op: Op, args: impl Into<ValueList>) -> Value {
        let args = args.into();
        let types: Vec<Ty> = args.iter().map(|&a| self.func.ty(a)).collect();
        let ty = derived_type(&op, &types).expect("called for ops with a derived type only");
        self.value(op, args, ty)
    }

    // Constants.

    /// An integer, or any other scalar or vector with these bits in each lane.
    pub fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        self.func.splat_bits(ty, bits)
    }
    /// A vector (or scalar) of these lanes.
    pub fn lanes(&mut self, ty: Ty, lanes: Vec<u64>) -> Value {
        self.func.constant(ty, Const::Bits(lanes))
    }
    /// A 32-bit integer.
    pub fn i32(&mut self, v: i32) -> Value {
        self.func.splat_bits(Ty::I32, u64::from(v as u32))
    }
    /// A 64-bit integer.
    pub fn i64(&mut self, v: i64) -> Value {
        self.func.splat_bits(Ty::I64, v as u64)
    }
    /// A boolean.
    pub fn bool(&mut self, v: bool) -> Value {
        self.func.splat_bits(Ty::BOOL, u64::from(v))
    }
    /// A 32-bit float.
    pub fn f32(&mut self, v: f32) -> Value {
        self.func.splat_bits(Ty::F32, u64::from(v.to_bits()))
    }
    /// All bits zero.
    pub fn zero(&mut self, ty: Ty) -> Value {
        self.func.splat_bits(ty, 0)
    }
    /// Any value.
    pub fn undef(&mut self, ty: Ty) -> Value {
        self.func.constant(ty, Const::Undef)
    }

    // Arithmetic.

    pub fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        self.derived(Op::Binary(op), [a, b])
    }
    pub fn unary(&mut self, op: UnOp, a: Value) -> Value {
        self.derived(Op::Unary(op), [a])
    }
    pub fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        self.derived(Op::Compare(op), [a, b])
    }
    /// The operand itself where a bitcast would not change its type.
    pub fn cast(&mut self, op: CastOp, a: Value, to: Ty) -> Value {
        if op == CastOp::Bitcast && self.func.ty(a) == to {
            return a;
        }
        self.value(Op::Cast(op), [a], to)
    }
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.derived(Op::Select, [cond, a, b])
    }

    // Vectors.

    pub fn construct(&mut self, ty: Ty, parts: Vec<Value>) -> Value {
        self.value(Op::Construct, parts, ty)
    }
    pub fn splat(&mut self, ty: Ty, a: Value) -> Value {
        self.value(Op::Splat, [a], ty)
    }
    pub fn extract(&mut self, v: Value, lane: u8) -> Value {
        self.derived(Op::Extract(lane), [v])
    }
    pub fn extract_dynamic(&mut self, v: Value, lane: Value) -> Value {
        self.derived(Op::ExtractDynamic, [v, lane])
    }
    /// `v` with one lane replaced.
    pub fn insert_lane(&mut self, v: Value, scalar: Value, lane: u8) -> Value {
        self.derived(Op::Insert(lane), [v, scalar])
    }
    pub fn insert_dynamic(&mut self, v: Value, scalar: Value, lane: Value) -> Value {
        self.derived(Op::InsertDynamic, [v, scalar, lane])
    }
    pub fn shuffle(&mut self, a: Value, b: Value, mask: Vec<u8>) -> Value {
        self.derived(Op::Shuffle(mask), [a, b])
    }

    // Memory.

    pub fn alloca(&mut self, size: u32, align: u32) -> Value {
        self.derived(Op::Alloca { size, align }, ValueList::new())
    }
    pub fn global_addr(&mut self, global: Global, space: AddressSpace) -> Value {
        self.value(Op::GlobalAddr(global), ValueList::new(), Ty::ptr(space))
    }
    pub fn ptr_add(&mut self, ptr: Value, offset: Value) -> Value {
        self.derived(Op::PtrAdd, [ptr, offset])
    }
    /// Pointer plus constant; the pointer itself for 0.
    pub fn ptr_offset(&mut self, ptr: Value, offset: i64) -> Value {
        if offset == 0 {
            return ptr;
        }
        let offset = self.i64(offset);
        self.ptr_add(ptr, offset)
    }
    pub fn load(&mut self, ptr: Value, ty: Ty, access: Access) -> Value {
        self.value(Op::Load(access), [ptr], ty)
    }
    pub fn store(&mut self, ptr: Value, value: Value, access: Access) -> Inst {
        self.insert(Op::Store(access), [ptr, value], &[])
    }
    pub fn mem_cpy(
        &mut self,
        dst: Value,
        dst_access: Access,
        src: Value,
        src_access: Access,
        size: u32,
    ) -> Inst {
        let op = Op::MemCpy {
            size,
            dst: dst_access,
            src: src_access,
        };
        self.insert(op, vec![dst, src], &[])
    }
    pub fn mem_zero(&mut self, dst: Value, access: Access, size: u32) -> Inst {
        self.insert(Op::MemZero { size, dst: access }, [dst], &[])
    }

    // Calls.

    /// `result` is the callee's return type.
    pub fn call(&mut self, callee: Func, args: Vec<Value>, result: Option<Ty>) -> Option<Value> {
        let inst = self.insert(Op::Call(callee), args, result.as_slice());
        self.func.insts[inst].results.first().copied()
    }
    pub fn intrinsic(&mut self, op: Intrinsic, args: Vec<Value>, result: Option<Ty>) -> Option<Value> {
        let inst = self.insert(Op::Intrinsic(op), args, result.as_slice());
        self.func.insts[inst].results.first().copied()
    }

    // Structured instructions. The cursor stays behind them: `enter` their regions to fill these.

    /// A block and its region.
    pub fn block(&mut self, results: &[Ty]) -> (Inst, Region) {
        let inst = self.insert(Op::Block, [], results);
        let body = self.func.new_region(&[]);
        self.func.insts[inst].regions.push(body);
        (inst, body)
    }
    /// A loop and its region, whose arguments have the types of the initial values.
    pub fn loop_(&mut self, init: Vec<Value>, results: &[Ty]) -> (Inst, Region) {
        let types: Vec<Ty> = init.iter().map(|&v| self.func.ty(v)).collect();
        let inst = self.insert(Op::Loop, init, results);
        let body = self.func.new_region(&types);
        self.func.insts[inst].regions.push(body);
        (inst, body)
    }
    /// A selection, its then region and its else region.
    pub fn if_(&mut self, cond: Value, results: &[Ty]) -> (Inst, Region, Region) {
        let inst = self.insert(Op::If, [cond], results);
        let then = self.func.new_region(&[]);
        let otherwise = self.func.new_region(&[]);
        self.func.insts[inst].regions.extend([then, otherwise]);
        (inst, then, otherwise)
    }
    /// A switch and its regions: one for each list of case values, then the default.
    pub fn switch(&mut self, value: Value, cases: Vec<Vec<u64>>, results: &[Ty]) -> (Inst, Vec<Region>) {
        let count = cases.len() + 1;
        let inst = self.insert(Op::Switch(cases), [value], results);
        let regions: Vec<Region> = (0..count).map(|_| self.func.new_region(&[])).collect();
        self.func.insts[inst].regions = regions.clone();
        (inst, regions)
    }
    /// Results of an instruction.
    pub fn results(&self, inst: Inst) -> &[Value] {
        &self.func.insts[inst].results
    }

    // Terminators.

    pub fn exit(&mut self, target: Inst, values: Vec<Value>) {
        self.insert(Op::Exit(target), values, &[]);
    }
    pub fn repeat(&mut self, target: Inst, values: Vec<Value>) {
        self.insert(Op::Repeat(target), values, &[]);
    }
    pub fn ret(&mut self, value: Option<Value>) {
        self.insert(Op::Return, value.into_iter().collect::<ValueList>(), &[]);
    }
    pub fn unreachable(&mut self) {
        self.insert(Op::Unreachable, [], &[]);
    }
}
