//! Emission of cooperative matrices (SPV_KHR_cooperative_matrix).

use super::instruction::instruction;
use super::{Emit, FnEmitter, Id, bug};
use crate::intrinsic::{MatrixEach, MatrixOp};
use crate::ir::{Access, Inst, Matrix, MatrixAccess, Scalar, Storage, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

impl FnEmitter<'_, '_> {
    /// Emits a load or store.
    pub(super) fn matrix_access(
        &mut self,
        inst: Inst,
        access: MatrixAccess,
        storage: Storage,
    ) -> Emit<Option<Id>> {
        let f = self.f;
        let data = &f.insts[inst];
        let at = storage.operands();
        let value = data.results.first().or(data.args.get(at + 1));
        let (&value, matrix) = value
            .and_then(|v| Some((v, f.ty(*v).scalar.matrix()?)))
            .ok_or_else(|| bug("access to no matrix"))?;
        let pointer = match storage {
            Storage::Physical => self.array_at(data.args[0], access.element)?,
            _ => self.location(storage, inst, access.element)?,
        };
        let layout = self.e.u32_const(access.memory.layout as u32);
        let stride = self.value(data.args[at])?;
        let memory = Access {
            align: MatrixAccess::alignment(matrix, access.memory),
            volatile: access.memory.volatile,
        };
        let mut operands = vec![pointer];
        if access.stores {
            operands.push(self.value(value)?);
        }
        operands.extend([layout, stride]);
        let mut operands: Vec<Operand> = operands.into_iter().map(Operand::IdRef).collect();
        operands.extend(self.memory_operands(storage, memory, super::memory::Direction::of(access.stores)));
        if access.stores {
            self.push(instruction(
                spv::Op::CooperativeMatrixStoreKHR,
                None,
                None,
                operands,
            ))?;
            return Ok(None);
        }
        let ty = self.e.ty(f.ty(value))?;
        self.op(spv::Op::CooperativeMatrixLoadKHR, ty, operands).map(Some)
    }

    /// Returns a pointer to the first element of an array at a device address: the instructions want a pointer into an
    /// array.
    fn array_at(&mut self, address: Value, elem: Ty) -> Emit<Id> {
        let class = spv::StorageClass::PhysicalStorageBuffer;
        let id = self.value(address)?;
        self.e
            .needs
            .capability(spv::Capability::PhysicalStorageBufferAddresses);
        self.e.buffer_access(elem.scalar);
        let block = self.e.unbounded(elem)?;
        let pointer = self.e.pointer(class, block);
        let conversion = match self.f.ty(address) {
            Ty::I64 => spv::Op::ConvertUToPtr,
            _ => spv::Op::Bitcast,
        };
        let base = self.op_ids(conversion, pointer, &[id])?;
        let zero = self.e.u32_const(0);
        self.chain(class, elem, base, &[zero, zero])
    }

    /// Emits an operation that does not access memory.
    pub(super) fn matrix(&mut self, inst: Inst, op: MatrixOp) -> Emit<Option<Id>> {
        let f = self.f;
        let data = &f.insts[inst];
        let of = |v: Value| f.ty(v).scalar.matrix().ok_or_else(|| bug("not a matrix"));
        let to = data
            .results
            .first()
            .ok_or_else(|| bug("matrix access after lower_memory"))?;
        let ty = self.e.ty(f.ty(*to))?;
        let args = self.values(&data.args)?;
        let id = match op {
            MatrixOp::Load(_) | MatrixOp::Store(_) => {
                return Err(bug("an access of a matrix is left after lower_memory"));
            }
            MatrixOp::MultiplyAdd(signs) => {
                let mut operands: Vec<Operand> = args.into_iter().map(Operand::IdRef).collect();
                if signs.bits() != 0 {
                    let signs = spv::CooperativeMatrixOperands::from_bits_truncate(signs.bits());
                    operands.push(Operand::CooperativeMatrixOperands(signs));
                }
                self.op(spv::Op::CooperativeMatrixMulAddKHR, ty, operands)?
            }
            MatrixOp::Fill => self.op_ids(spv::Op::CompositeConstruct, ty, &args)?,
            MatrixOp::Scale => self.op_ids(spv::Op::MatrixTimesScalar, ty, &args)?,
            MatrixOp::Length => {
                let of = self.e.ty(f.ty(data.args[0]))?;
                self.op_ids(spv::Op::CooperativeMatrixLengthKHR, ty, &[of])?
            }
            MatrixOp::Extract => {
                let matrix = of(data.args[0])?;
                let pointer = self.component(matrix, args[0], args[1])?;
                self.op_ids(spv::Op::Load, ty, &[pointer.1])?
            }
            MatrixOp::Insert => {
                let (variable, component) = self.component(of(*to)?, args[0], args[2])?;
                let operands = [component, args[1]].map(Operand::IdRef).to_vec();
                self.push(instruction(spv::Op::Store, None, None, operands))?;
                self.op_ids(spv::Op::Load, ty, &[variable])?
            }
            MatrixOp::Each(each) => {
                let (from, to) = (of(data.args[0])?, of(*to)?);
                self.op_ids(instruction_of(each, from, to), ty, &args)?
            }
        };
        Ok(Some(id))
    }

    /// Copies a matrix to a variable. Returns pointers to the variable and to one of its components. Indices of
    /// components are not constants in general, which CompositeExtract would want.
    fn component(&mut self, matrix: Matrix, value: Id, index: Id) -> Emit<(Id, Id)> {
        let class = spv::StorageClass::Function;
        let ty = self.e.ty(Ty::of(Scalar::Matrix(matrix)))?;
        let pointer = self.e.pointer(class, ty);
        let variable = self.e.id();
        self.vars.push(instruction(
            spv::Op::Variable,
            Some(pointer),
            Some(variable),
            vec![Operand::StorageClass(class)],
        ));
        let operands = [variable, value].map(Operand::IdRef).to_vec();
        self.push(instruction(spv::Op::Store, None, None, operands))?;
        let component = self.chain(class, Ty::of(matrix.scalar()), variable, &[index])?;
        Ok((variable, component))
    }
}

fn instruction_of(op: MatrixEach, from: Matrix, to: Matrix) -> spv::Op {
    match op {
        MatrixEach::IAdd => spv::Op::IAdd,
        MatrixEach::ISub => spv::Op::ISub,
        MatrixEach::IMul => spv::Op::IMul,
        MatrixEach::SDiv => spv::Op::SDiv,
        MatrixEach::UDiv => spv::Op::UDiv,
        MatrixEach::FAdd => spv::Op::FAdd,
        MatrixEach::FSub => spv::Op::FSub,
        MatrixEach::FMul => spv::Op::FMul,
        MatrixEach::FDiv => spv::Op::FDiv,
        MatrixEach::INeg => spv::Op::SNegate,
        MatrixEach::FNeg => spv::Op::FNegate,
        MatrixEach::Trunc | MatrixEach::ZExt => spv::Op::UConvert,
        MatrixEach::SExt => spv::Op::SConvert,
        MatrixEach::FConvert => spv::Op::FConvert,
        MatrixEach::FToS => spv::Op::ConvertFToS,
        MatrixEach::FToU => spv::Op::ConvertFToU,
        MatrixEach::SToF => spv::Op::ConvertSToF,
        MatrixEach::UToF => spv::Op::ConvertUToF,
        // Types of integers have no sign here, so a conversion to the same type changes nothing.
        MatrixEach::Bitcast if from == to => spv::Op::CopyObject,
        MatrixEach::Bitcast => spv::Op::Bitcast,
    }
}
