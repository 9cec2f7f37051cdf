//! Lowers loads and stores of cooperative matrices. The array in memory may have elements of another size than the
//! matrix's components (SPV_KHR_cooperative_matrix). So these accesses do not restrict the element type of the array,
//! except that no element may be larger than the alignment of the matrix's rows.

use super::access::Target;
use super::element::Direction;
use super::{Lower, bug};
use crate::intrinsic::MatrixOp;
use crate::ir::inst::BinOp;
use crate::ir::{Access, Function, Inst, Matrix, MatrixAccess, Op, Storage, Ty, Value};
use crate::pass::PassError;

/// Returns the matrix that an instruction loads or stores.
fn accessed(func: &Function, inst: Inst) -> Option<Matrix> {
    let data = &func.insts[inst];
    let value = data.results.first().or(data.args.get(2))?;
    func.ty(*value).scalar.matrix()
}

/// Returns the alignment and the direction of an access of memory.
pub(super) fn bulk(func: &Function, inst: Inst, op: MatrixOp) -> Option<(u32, Direction)> {
    let matrix = accessed(func, inst)?;
    match op {
        MatrixOp::Load(memory) => Some((MatrixAccess::alignment(matrix, memory), Direction::Load)),
        MatrixOp::Store(memory) => Some((MatrixAccess::alignment(matrix, memory), Direction::Store)),
        _ => None,
    }
}

impl Lower<'_> {
    /// Replaces an access through a pointer by one of the pointer's storage.
    pub(super) fn matrix(&mut self, inst: Inst, op: MatrixOp, args: &[Value]) -> Result<(), PassError> {
        let matrix = accessed(self.b.func, inst).ok_or_else(|| bug("access to no matrix"))?;
        let component = Ty::of(matrix.scalar());
        let (memory, stores) = match op {
            MatrixOp::Load(memory) => (memory, false),
            MatrixOp::Store(memory) => (memory, true),
            _ => return Err(bug("not an access of a matrix").into()),
        };
        let target = self.target(args[0])?;
        self.check_width(target, component)?;
        let access = Access {
            align: MatrixAccess::alignment(matrix, memory),
            volatile: memory.volatile,
        };
        let (storage, mut location, element) = match target {
            Target::Physical(address) => (Storage::Physical, vec![address], component),
            Target::Array(a) => {
                let a = self.suited(a, component, access);
                match a.storage {
                    Storage::Arena(_) | Storage::Shared(..) | Storage::Buffer(..) => {
                        (a.storage, self.location(a, 0), a.elem)
                    }
                    Storage::Variable
                    | Storage::PushWord
                    | Storage::ArgsWord
                    | Storage::Physical
                    | Storage::ReadOnly(..) => return Err(self.no_matrix_there()),
                }
            }
            Target::Several(_) | Target::Nowhere => return Err(self.no_matrix_there()),
        };
        let bytes = self.mapped(args[1]);
        let shift = self.b.i32(element.bytes().trailing_zeros() as i32);
        location.push(self.b.binary(BinOp::LShr, bytes, shift));
        let op = Op::MatrixOn(
            MatrixAccess {
                stores,
                memory,
                element,
            },
            storage,
        );
        match args.get(2) {
            Some(&value) => {
                location.push(self.mapped(value));
                self.b.insert(op, location, &[]);
            }
            None => {
                let new = self
                    .b
                    .value(op, location, Ty::of(crate::ir::Scalar::Matrix(matrix)));
                self.replace(inst, new);
            }
        }
        Ok(())
    }

    fn no_matrix_there(&self) -> PassError {
        PassError::Unsupported {
            feature:
                "a cooperative matrix in private memory, or in memory that is not known to be one buffer"
                    .into(),
            span: self.b.span,
            needs: "a pointer to global or local memory".into(),
        }
    }
}
