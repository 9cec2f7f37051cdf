//! Construction of instructions.
//!
//! A [`Builder`] is a cursor in a function. Its position is the end of a region or the point before one of
//! the region's instructions. Each helper inserts one instruction there, with the result type that follows
//! from its operands. The builder checks nothing; that is the verifier's duty.
//!
//! At the end of a region that already has its terminator, code is unreachable. An instruction inserted there
//! belongs to no region, so nothing that walks the function sees it. A translator therefore need not track
//! whether the statement that it translates is reachable.
//!
//! An insertion in the middle of a region moves all instructions after it. A pass that inserts many
//! instructions therefore takes the region's list and appends its instructions to the region again:
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
    Scalar, Storage, Ty, UnOp, Value, ValueList,
};
use crate::intrinsic::Intrinsic;
use crate::source::Span;

/// A cursor in a function.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function that is built.
    pub func: &'f mut Function,
    /// The source position of new instructions.
    pub span: Span,
    /// The flags of new floating-point operations.
    pub fp: FpFlags,
    region: Region,
    /// The index to insert at; `None` is the end of the region.
    at: Option<usize>,
    /// The positions to which `leave` returns.
    outer: Vec<(Region, Option<usize>)>,
}

impl<'f> Builder<'f> {
    /// Creates a cursor at the end of a region.
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

    /// Creates a cursor before instruction number `index` of a region.
    pub fn before(func: &'f mut Function, region: Region, index: usize) -> Self {
        let mut b = Builder::at_end(func, region);
        b.at = Some(index);
        b
    }

    /// Returns the region that the cursor is in.
    pub fn region(&self) -> Region {
        self.region
    }

    /// Moves the cursor to the end of a region.
    pub fn move_to_end(&mut self, region: Region) {
        self.region = region;
        self.at = None;
    }

    /// Moves the cursor to the end of a region, until [`Builder::leave`] returns it to its present position.
    pub fn enter(&mut self, region: Region) {
        self.outer.push((self.region, self.at));
        self.move_to_end(region);
    }

    /// Moves the cursor back to where the last [`Builder::enter`] was called.
    pub fn leave(&mut self) {
        if let Some((region, at)) = self.outer.pop() {
            self.region = region;
            self.at = at;
        }
    }

    /// Returns whether the cursor is after a terminator.
    pub fn is_terminated(&self) -> bool {
        let insts = &self.func.regions[self.region].insts;
        self.at.unwrap_or(insts.len()) == insts.len()
            && insts
                .last()
                .is_some_and(|&i| self.func.insts[i].op.is_terminator())
    }

    /// Inserts an existing instruction, which is in no region, at the cursor.
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

    /// Creates an instruction with the given result types at the cursor.
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

    /// Creates an instruction with one result of the given type at the cursor.
    pub fn value(&mut self, op: Op, args: impl Into<ValueList>, ty: Ty) -> Value {
        let inst = self.insert(op, args, &[ty]);
        self.func.insts[inst].results[0]
    }

    /// Creates an instruction whose result type follows from its operands.
    fn derived(&mut self, op: Op, args: impl Into<ValueList>) -> Value {
        let args = args.into();
        let types: Vec<Ty> = args.iter().map(|&a| self.func.ty(a)).collect();
        let ty = derived_type(&op, &types).expect("called for ops with a derived type only");
        self.value(op, args, ty)
    }

    // Constants.

    /// Returns an integer constant, or a constant of any other scalar or vector type with these bits in each
    /// lane.
    pub fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        self.func.splat_bits(ty, bits)
    }
    /// Returns a vector or scalar constant with these lanes.
    pub fn lanes(&mut self, ty: Ty, lanes: Vec<u64>) -> Value {
        self.func.constant(ty, Const::Bits(lanes))
    }
    /// Returns a 32-bit integer constant.
    pub fn i32(&mut self, v: i32) -> Value {
        self.func.splat_bits(Ty::I32, u64::from(v as u32))
    }
    /// Returns a 64-bit integer constant.
    pub fn i64(&mut self, v: i64) -> Value {
        self.func.splat_bits(Ty::I64, v as u64)
    }
    /// Returns a Bool constant.
    pub fn bool(&mut self, v: bool) -> Value {
        self.func.splat_bits(Ty::BOOL, u64::from(v))
    }
    /// Returns a 32-bit float constant.
    pub fn f32(&mut self, v: f32) -> Value {
        self.func.splat_bits(Ty::F32, u64::from(v.to_bits()))
    }
    /// Returns the constant whose bits are all zero.
    pub fn zero(&mut self, ty: Ty) -> Value {
        self.func.splat_bits(ty, 0)
    }
    /// Returns the undefined value.
    pub fn undef(&mut self, ty: Ty) -> Value {
        self.func.constant(ty, Const::Undef)
    }

    // Arithmetic.

    /// Emits an operation with two operands.
    pub fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        self.derived(Op::Binary(op), [a, b])
    }
    /// Emits an addition, subtraction or multiplication that never overflows ([`super::InstData::no_wrap`]).
    pub fn binary_no_wrap(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        let result = self.binary(op, a, b);
        if let Some(inst) = self.func.def_inst(result) {
            self.func.insts[inst].no_wrap = true;
        }
        result
    }
    /// Emits an operation with one operand.
    pub fn unary(&mut self, op: UnOp, a: Value) -> Value {
        self.derived(Op::Unary(op), [a])
    }
    /// Emits a comparison.
    pub fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        self.derived(Op::Compare(op), [a, b])
    }
    /// Converts a value. If a bitcast would not change the type, returns the operand itself.
    pub fn cast(&mut self, op: CastOp, a: Value, to: Ty) -> Value {
        if op == CastOp::Bitcast && self.func.ty(a) == to {
            return a;
        }
        self.value(Op::Cast(op), [a], to)
    }
    /// Selects `a` if `cond` is true, otherwise `b`.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.derived(Op::Select, [cond, a, b])
    }

    // Vectors.

    /// Concatenates scalars and vectors to a vector.
    pub fn construct(&mut self, ty: Ty, parts: Vec<Value>) -> Value {
        self.value(Op::Construct, parts, ty)
    }
    /// Copies a scalar to all lanes of a vector.
    pub fn splat(&mut self, ty: Ty, a: Value) -> Value {
        self.value(Op::Splat, [a], ty)
    }
    /// Returns a lane of a vector.
    pub fn extract(&mut self, v: Value, lane: u8) -> Value {
        self.derived(Op::Extract(lane), [v])
    }
    /// Returns the lane of a vector that an I32 selects.
    pub fn extract_dynamic(&mut self, v: Value, lane: Value) -> Value {
        self.derived(Op::ExtractDynamic, [v, lane])
    }
    /// Returns `v` with one lane replaced.
    pub fn insert_lane(&mut self, v: Value, scalar: Value, lane: u8) -> Value {
        self.derived(Op::Insert(lane), [v, scalar])
    }
    /// Returns `v` with one lane, which an I32 selects, replaced.
    pub fn insert_dynamic(&mut self, v: Value, scalar: Value, lane: Value) -> Value {
        self.derived(Op::InsertDynamic, [v, scalar, lane])
    }
    /// Selects lanes from the concatenation of two vectors; 0xff in the mask gives an undefined lane.
    pub fn shuffle(&mut self, a: Value, b: Value, mask: Vec<u8>) -> Value {
        self.derived(Op::Shuffle(mask), [a, b])
    }

    // Memory.

    /// Emits private memory of `size` bytes.
    pub fn alloca(&mut self, size: u32, align: u32) -> Value {
        self.derived(Op::Alloca { size, align }, ValueList::new())
    }
    /// Emits the address of a global.
    pub fn global_addr(&mut self, global: Global, space: AddressSpace) -> Value {
        self.value(Op::GlobalAddr(global), ValueList::new(), Ty::ptr(space))
    }
    /// Adds an offset in bytes to a pointer.
    pub fn ptr_add(&mut self, ptr: Value, offset: Value) -> Value {
        self.derived(Op::PtrAdd, [ptr, offset])
    }
    /// Adds a constant to a pointer. For 0, returns the pointer itself.
    pub fn ptr_offset(&mut self, ptr: Value, offset: i64) -> Value {
        if offset == 0 {
            return ptr;
        }
        let offset = self.i64(offset);
        self.ptr_add(ptr, offset)
    }
    /// Loads a value of type `ty`.
    pub fn load(&mut self, ptr: Value, ty: Ty, access: Access) -> Value {
        self.value(Op::Load(access), [ptr], ty)
    }
    /// Loads two 32-bit words from the push constants, `offset` bytes from their start. The offset is a multiple of 8.
    pub fn pushed_words(&mut self, offset: u32) -> Value {
        let access = Access {
            align: 8,
            volatile: false,
        };
        let words = [0, 1].map(|n| {
            let word = self.i32((offset / 4 + n) as i32);
            self.value(Op::LoadFrom(Storage::PushWord, access), vec![word], Ty::I32)
        });
        self.construct(Ty::vector(Scalar::I32, 2), words.to_vec())
    }
    /// Loads a device address from the push constants, `offset` bytes from their start. The offset is a multiple of 8.
    pub fn pushed_address(&mut self, offset: u32) -> Value {
        let words = self.pushed_words(offset);
        self.cast(CastOp::Bitcast, words, Ty::I64)
    }
    /// Stores a value.
    pub fn store(&mut self, ptr: Value, value: Value, access: Access) -> Inst {
        self.insert(Op::Store(access), [ptr, value], &[])
    }
    /// Copies `size` bytes.
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
    /// Sets `size` bytes to zero.
    pub fn mem_zero(&mut self, dst: Value, access: Access, size: u32) -> Inst {
        self.insert(Op::MemZero { size, dst: access }, [dst], &[])
    }

    // Calls.

    /// Calls a function; `result` is the callee's return type.
    pub fn call(&mut self, callee: Func, args: Vec<Value>, result: Option<Ty>) -> Option<Value> {
        let inst = self.insert(Op::Call(callee), args, result.as_slice());
        self.func.insts[inst].results.first().copied()
    }
    /// Emits an intrinsic with a result of type `result`, if it has one.
    pub fn intrinsic(&mut self, op: Intrinsic, args: Vec<Value>, result: Option<Ty>) -> Option<Value> {
        let inst = self.insert(Op::Intrinsic(op), args, result.as_slice());
        self.func.insts[inst].results.first().copied()
    }

    // Structured instructions. The cursor stays after the new instruction; call `enter` with its regions to
    // fill them.

    /// Creates a block. Returns it with its region.
    pub fn block(&mut self, results: &[Ty]) -> (Inst, Region) {
        let inst = self.insert(Op::Block, [], results);
        let body = self.func.new_region(&[]);
        self.func.insts[inst].regions.push(body);
        (inst, body)
    }
    /// Creates a loop, whose region's arguments have the types of the initial values. Returns it with its
    /// region.
    pub fn loop_(&mut self, init: Vec<Value>, results: &[Ty]) -> (Inst, Region) {
        let types: Vec<Ty> = init.iter().map(|&v| self.func.ty(v)).collect();
        let inst = self.insert(Op::Loop, init, results);
        let body = self.func.new_region(&types);
        self.func.insts[inst].regions.push(body);
        (inst, body)
    }
    /// Creates an `If`. Returns it with its then region and its else region.
    pub fn if_(&mut self, cond: Value, results: &[Ty]) -> (Inst, Region, Region) {
        let inst = self.insert(Op::If, [cond], results);
        let then = self.func.new_region(&[]);
        let otherwise = self.func.new_region(&[]);
        self.func.insts[inst].regions.extend([then, otherwise]);
        (inst, then, otherwise)
    }
    /// Creates a switch. Returns it with one region for each list of case values, followed by the default
    /// region.
    pub fn switch(&mut self, value: Value, cases: Vec<Vec<u64>>, results: &[Ty]) -> (Inst, Vec<Region>) {
        let count = cases.len() + 1;
        let inst = self.insert(Op::Switch(cases), [value], results);
        let regions: Vec<Region> = (0..count).map(|_| self.func.new_region(&[])).collect();
        self.func.insts[inst].regions = regions.clone();
        (inst, regions)
    }
    /// Returns the results of an instruction.
    pub fn results(&self, inst: Inst) -> &[Value] {
        &self.func.insts[inst].results
    }

    // Terminators.

    /// Leaves the structured instruction `target`.
    pub fn exit(&mut self, target: Inst, values: Vec<Value>) {
        self.insert(Op::Exit(target), values, &[]);
    }
    /// Starts the next iteration of the loop `target`.
    pub fn repeat(&mut self, target: Inst, values: Vec<Value>) {
        self.insert(Op::Repeat(target), values, &[]);
    }
    /// Returns from the function.
    pub fn ret(&mut self, value: Option<Value>) {
        self.insert(Op::Return, value.into_iter().collect::<ValueList>(), &[]);
    }
    /// Ends the region at a point that is never reached.
    pub fn unreachable(&mut self) {
        self.insert(Op::Unreachable, [], &[]);
    }
}
