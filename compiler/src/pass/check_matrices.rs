//! Refuses cooperative matrices and products of them that the device does not have.
//!
//! Why: drivers need not refuse them (VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163 and
//!      VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060), and cl_khr_cooperative_matrix leaves them undefined.
//! In:  any module.
//! Out: the same module. Each matrix type and each product is one of
//!      [`Target::matrix_variants`](crate::target::Target::matrix_variants). The pass is not in the pipeline if these are
//!      not known, or if matrices are emulated.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::{Intrinsic, MatrixOp, MatrixSigns};
use crate::inv;
use crate::ir::walk::Walk;
use crate::ir::{Component, Function, InstData, Matrix, MatrixUse, Module, Op};
use crate::target::{MatrixNumber, MatrixVariant, Target};

pub const PASS: Pass = Pass {
    name: "check_matrices",
    about: "Refuses cooperative matrices and products of them that the device does not have.",
    run,
    requires: inv![],
    establishes: inv![],
    destroys: inv![],
};

/// Returns whether the pass has anything to check.
pub(super) fn is_for(target: &Target) -> bool {
    !target.matrix_variants.is_empty() && target.emulated_matrices.is_none()
}

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let variants = &cx.target.matrix_variants;
    for (_, func) in module.funcs.iter() {
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            // Constants are operands only.
            let values = data.results.iter().chain(&data.args);
            let mut matrices = values.filter_map(|&v| func.ty(v).scalar.matrix());
            let missing = matrices.find(|m| !variants.iter().any(|v| has(v, *m)));
            let what = match (missing, &data.op) {
                (Some(m), _) => Some(format!("a cooperative matrix of {m}")),
                (None, Op::Intrinsic(Intrinsic::Matrix(MatrixOp::MultiplyAdd(signs)))) => {
                    let wanted = product(func, data, *signs);
                    let is_known = wanted.is_none_or(|w| variants.contains(&w));
                    (!is_known).then(|| "this product of cooperative matrices".to_owned())
                }
                (None, _) => None,
            };
            if let Some(feature) = what {
                return Err(PassError::Unsupported {
                    feature,
                    span: data.span,
                    needs: "one of the products that clGetDeviceCooperativeMatrixInfoKHR lists".into(),
                });
            }
        }
    }
    Ok(Changed::No)
}

/// Returns the type of numbers. Integers are signed or not.
fn number(component: Component, signed: bool) -> MatrixNumber {
    match (component, signed) {
        (Component::F16, _) => MatrixNumber::F16,
        (Component::F32, _) => MatrixNumber::F32,
        (Component::F64, _) => MatrixNumber::F64,
        (Component::I8, true) => MatrixNumber::S8,
        (Component::I16, true) => MatrixNumber::S16,
        (Component::I32, true) => MatrixNumber::S32,
        (Component::I64, true) => MatrixNumber::S64,
        (Component::I8, false) => MatrixNumber::U8,
        (Component::I16, false) => MatrixNumber::U16,
        (Component::I32, false) => MatrixNumber::U32,
        (Component::I64, false) => MatrixNumber::U64,
    }
}

/// Returns whether a matrix is an operand or the result of a product. Types have no sign.
fn has(variant: &MatrixVariant, matrix: Matrix) -> bool {
    let [m, n, k] = variant.size;
    let [a, b, c, result] = variant.types;
    let (size, types) = match matrix.role {
        MatrixUse::A => ([m, k], [a, a]),
        MatrixUse::B => ([k, n], [b, b]),
        MatrixUse::Accumulator => ([m, n], [c, result]),
    };
    let numbers = [true, false].map(|signed| number(matrix.component, signed));
    size == [matrix.rows.into(), matrix.columns.into()] && types.iter().any(|ty| numbers.contains(ty))
}

/// Returns the product that an instruction is.
fn product(func: &Function, data: &InstData, signs: MatrixSigns) -> Option<MatrixVariant> {
    let of = |v| func.ty(v).scalar.matrix();
    let [a, b, c] = [
        of(*data.args.first()?)?,
        of(*data.args.get(1)?)?,
        of(*data.args.get(2)?)?,
    ];
    let result = of(*data.results.first()?)?;
    Some(MatrixVariant {
        size: [a.rows, b.columns, a.columns].map(u32::from),
        types: [
            number(a.component, signs.has(MatrixSigns::A)),
            number(b.component, signs.has(MatrixSigns::B)),
            number(c.component, signs.has(MatrixSigns::C)),
            number(result.component, signs.has(MatrixSigns::RESULT)),
        ],
        saturates: signs.has(MatrixSigns::SATURATE),
    })
}
