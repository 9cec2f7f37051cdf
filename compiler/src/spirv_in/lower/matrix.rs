//! Cooperative matrices (SPV_KHR_cooperative_matrix). The verifier checks which shapes and component types fit together.

use super::func::FuncLowering;
use crate::intrinsic::{Intrinsic, MatrixEach, MatrixLayout, MatrixMemory, MatrixOp, MatrixSigns};
use crate::ir::{Access, AddressSpace, BinOp, CastOp, Matrix, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::Op;

/// Returns the operation on each component that an instruction is; `None` for other instructions.
fn each(op: Op, from: Scalar, to: Scalar) -> Option<MatrixEach> {
    let convert = |wider| match to.bits().cmp(&from.bits()) {
        std::cmp::Ordering::Less => MatrixEach::Trunc,
        std::cmp::Ordering::Equal => MatrixEach::Bitcast,
        std::cmp::Ordering::Greater => wider,
    };
    Some(match op {
        Op::IAdd => MatrixEach::IAdd,
        Op::ISub => MatrixEach::ISub,
        Op::IMul => MatrixEach::IMul,
        Op::SDiv => MatrixEach::SDiv,
        Op::UDiv => MatrixEach::UDiv,
        Op::FAdd => MatrixEach::FAdd,
        Op::FSub => MatrixEach::FSub,
        Op::FMul => MatrixEach::FMul,
        Op::FDiv => MatrixEach::FDiv,
        Op::SNegate => MatrixEach::INeg,
        Op::FNegate => MatrixEach::FNeg,
        Op::UConvert => convert(MatrixEach::ZExt),
        Op::SConvert => convert(MatrixEach::SExt),
        Op::FConvert => MatrixEach::FConvert,
        Op::ConvertFToS => MatrixEach::FToS,
        Op::ConvertFToU => MatrixEach::FToU,
        Op::ConvertSToF => MatrixEach::SToF,
        Op::ConvertUToF => MatrixEach::UToF,
        Op::Bitcast => MatrixEach::Bitcast,
        _ => return None,
    })
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Translates an instruction on matrices. Returns `false` for any other instruction, also for those that treat
    /// matrices as they treat other values.
    pub(super) fn matrix(&mut self, inst: &Inst<'w>) -> Result<bool, Error> {
        let types = &self.cx.source.types;
        let result = types.value(inst.ty).and_then(|ty| ty.scalar.matrix());
        match (inst.op, result) {
            (Op::CooperativeMatrixLoadKHR, Some(to)) => self.load_matrix(inst, to)?,
            (Op::CooperativeMatrixStoreKHR, _) => self.store_matrix(inst)?,
            (Op::CooperativeMatrixLengthKHR, _) => {
                inst.exactly(1)?;
                let ty = types
                    .value(inst.arg(0)?)
                    .filter(|ty| ty.scalar.matrix().is_some());
                let ty = ty.ok_or_else(|| inst.invalid("its operand is no type of a matrix"))?;
                let any = self.b.undef(ty);
                let length = self.op(MatrixOp::Length, vec![any], Ty::I32);
                self.define(inst, length)?;
            }
            (Op::CooperativeMatrixMulAddKHR, Some(to)) => self.multiply_add(inst, to)?,
            (Op::CompositeExtract, _) => {
                let Some(from) = self.matrix_type(inst, inst.arg(0)?) else {
                    return Ok(false);
                };
                inst.exactly(2)?;
                let (value, index) = (self.operand(inst, 0)?, inst.arg(1)?);
                let index = self.b.i32(index as i32);
                let scalar = Ty::of(from.scalar());
                let component = self.op(MatrixOp::Extract, vec![value, index], scalar);
                self.define(inst, component)?;
            }
            (Op::CompositeInsert, Some(to)) => {
                inst.exactly(3)?;
                let (component, value) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.expect_type(inst, component, Ty::of(to.scalar()))?;
                self.expect_type(inst, value, of(to))?;
                let index = self.b.i32(inst.arg(2)? as i32);
                let new = self.op(MatrixOp::Insert, vec![value, component, index], of(to));
                self.define(inst, new)?;
            }
            (Op::CompositeConstruct, Some(to)) => {
                inst.exactly(1)?;
                let component = self.operand(inst, 0)?;
                self.expect_type(inst, component, Ty::of(to.scalar()))?;
                let new = self.op(MatrixOp::Fill, vec![component], of(to));
                self.define(inst, new)?;
            }
            (Op::MatrixTimesScalar, Some(to)) => {
                inst.exactly(2)?;
                let (value, factor) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.expect_type(inst, value, of(to))?;
                self.expect_type(inst, factor, Ty::of(to.scalar()))?;
                let new = self.op(MatrixOp::Scale, vec![value, factor], of(to));
                self.define(inst, new)?;
            }
            (_, Some(to)) => return self.on_each_component(inst, to),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn op(&mut self, op: MatrixOp, args: Vec<Value>, ty: Ty) -> Value {
        let op = crate::ir::Op::Intrinsic(Intrinsic::Matrix(op));
        self.b.value(op, args, ty)
    }

    fn matrix_type(&self, inst: &Inst<'_>, id: u32) -> Option<Matrix> {
        self.ir_type(inst, id).ok()?.scalar.matrix()
    }

    fn expect_type(&self, inst: &Inst<'_>, value: Value, ty: Ty) -> Result<(), Error> {
        match self.b.func.ty(value) == ty {
            true => Ok(()),
            false => Err(inst.invalid(format!("an operand is not of the type {ty}"))),
        }
    }

    fn on_each_component(&mut self, inst: &Inst<'w>, to: Matrix) -> Result<bool, Error> {
        let first = inst.args.first().and_then(|&id| self.matrix_type(inst, id));
        let from = first.unwrap_or(to);
        let Some(op) = each(inst.op, from.scalar(), to.scalar()) else {
            return Ok(false);
        };
        inst.exactly(op.operands())?;
        if first.is_none() || !from.has_shape_of(to) {
            return Err(inst.invalid("the operand is no matrix of the result's shape"));
        }
        let args: Result<Vec<Value>, Error> = (0..op.operands()).map(|n| self.operand(inst, n)).collect();
        let args = args?;
        let value = self.op(MatrixOp::Each(op), args, of(to));
        self.define(inst, value)?;
        Ok(true)
    }

    /// Loads a component of a matrix in memory.
    pub(super) fn load_component(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        (matrix, index): (Matrix, u32),
        volatile: bool,
    ) -> Result<Value, Error> {
        let index = self.component_number(inst, index)?;
        let whole = self.b.load(ptr, of(matrix), whole(volatile));
        Ok(self.op(MatrixOp::Extract, vec![whole, index], Ty::of(matrix.scalar())))
    }

    /// Stores the second operand into a component of a matrix in memory.
    pub(super) fn store_component(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        (matrix, index): (Matrix, u32),
        volatile: bool,
    ) -> Result<(), Error> {
        let component = self.operand(inst, 1)?;
        self.expect_type(inst, component, Ty::of(matrix.scalar()))?;
        let index = self.component_number(inst, index)?;
        let old = self.b.load(ptr, of(matrix), whole(volatile));
        let new = self.op(MatrixOp::Insert, vec![old, component, index], of(matrix));
        self.b.store(ptr, new, whole(volatile));
        Ok(())
    }

    /// Returns the number of a component as 32 bits.
    fn component_number(&mut self, inst: &Inst<'_>, id: u32) -> Result<Value, Error> {
        let index = self.value(inst, id)?;
        self.as_word(inst, index, "the index")
    }

    /// Converts an unsigned integer to 32 bits.
    fn as_word(&mut self, inst: &Inst<'_>, value: Value, what: &str) -> Result<Value, Error> {
        match self.b.func.ty(value).scalar {
            Scalar::I64 => Ok(self.b.cast(CastOp::Trunc, value, Ty::I32)),
            Scalar::I32 => Ok(value),
            Scalar::I8 | Scalar::I16 => Ok(self.b.cast(CastOp::ZExt, value, Ty::I32)),
            _ => Err(inst.invalid(format!("{what} is no integer"))),
        }
    }

    fn multiply_add(&mut self, inst: &Inst<'w>, to: Matrix) -> Result<(), Error> {
        let args: Result<Vec<Value>, Error> = (0..3).map(|n| self.operand(inst, n)).collect();
        let args = args?;
        let bits = inst.args.get(3).copied().unwrap_or(0);
        inst.exactly(inst.args.len().clamp(3, 4))?;
        let signs = MatrixSigns::from_bits(bits)
            .ok_or_else(|| inst.unsupported(format!("the operands {bits:#x} of a product are unknown")))?;
        let op = MatrixOp::MultiplyAdd(signs);
        let value = self.op(op, args, of(to));
        self.define(inst, value)
    }

    fn load_matrix(&mut self, inst: &Inst<'w>, to: Matrix) -> Result<(), Error> {
        let (pointer, memory, stride) = self.matrix_memory(inst, [0, 1, 2])?;
        let value = self.op(MatrixOp::Load(memory), vec![pointer, stride], of(to));
        self.define(inst, value)
    }

    fn store_matrix(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let (pointer, memory, stride) = self.matrix_memory(inst, [0, 2, 3])?;
        let value = self.operand(inst, 1)?;
        if self.b.func.ty(value).scalar.matrix().is_none() {
            return Err(inst.invalid("the stored value is no matrix"));
        }
        let op = Intrinsic::Matrix(MatrixOp::Store(memory));
        self.b.intrinsic(op, vec![pointer, stride, value], None);
        Ok(())
    }

    /// Returns the pointer, the way and the stride in bytes of an access, from the operands with these numbers.
    fn matrix_memory(
        &mut self,
        inst: &Inst<'w>,
        [pointer, layout, stride]: [usize; 3],
    ) -> Result<(Value, MatrixMemory, Value), Error> {
        let id = inst.arg(pointer)?;
        let (space, pointee) = self.pointer(inst, id)?;
        if !matches!(
            space,
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
        ) {
            return Err(
                inst.unsupported("matrices are loaded from and stored to global and local memory only")
            );
        }
        let layout = match self.integer(inst, layout)? {
            0 => MatrixLayout::Rows,
            1 => MatrixLayout::Columns,
            n => return Err(inst.unsupported(format!("the layout {n} of a matrix is unknown"))),
        };
        if inst.args.len() <= stride {
            return Err(inst.invalid("the stride is missing"));
        }
        let (access, end) = self.access(inst, stride + 1, 1)?;
        inst.exactly(end)?;
        let ty = self.cx.source.types.value(pointee);
        let ty = ty.filter(|ty| ty.scalar.is_int() || ty.scalar.is_float());
        if ty.is_none() {
            return Err(inst.invalid("the pointer is to no number or vector of numbers"));
        }
        let element = self.cx.source.types.layout_of(inst, pointee)?.size;
        let distance = self.operand(inst, stride)?;
        let distance = self.as_word(inst, distance, "the stride")?;
        let size = self.b.i32(element as i32);
        let bytes = self.b.binary(BinOp::IMul, distance, size);
        let memory = MatrixMemory {
            layout,
            volatile: access.volatile,
        };
        Ok((self.value(inst, id)?, memory, bytes))
    }
}

/// Returns how a matrix in private memory is accessed.
fn whole(volatile: bool) -> Access {
    Access {
        align: Matrix::NOMINAL_BYTES,
        volatile,
    }
}

/// Returns the type of values of a matrix type.
fn of(matrix: Matrix) -> Ty {
    Ty::of(Scalar::Matrix(matrix))
}
