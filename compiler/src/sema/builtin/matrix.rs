//! Cooperative matrices in OpenCL C. This is provisional: cl_khr_cooperative_matrix is a draft, and has SPIR-V only. The types
//! and the functions whose names begin with `coop_mat_` are those of a proposal for clang (LLVM's pull request 221328);
//! `coop_mat_convert`, `coop_mat_extract`, `coop_mat_insert` and the operand for saturation are additions.
//!
//! The result of `coop_mat_load`, `coop_mat_init` and `coop_mat_convert` has the matrix type to which it is converted
//! ([`resolve`]): that of the variable to which it is assigned, of a parameter, or of the function that returns it.

use super::Call;
use crate::hir::ty::{MatrixType, MatrixUse};
use crate::hir::{Expr, ExprKind, Scalar, Space, Type, TypeId};
use crate::intrinsic::{Intrinsic, MatrixEach, MatrixLayout, MatrixMemory, MatrixOp, MatrixSigns};
use crate::sema::attr;
use crate::sema::convert::Why;
use crate::sema::{Result, Sema};
use crate::source::Span;
use crate::syntax::ast::Attribute;

/// The operand of `coop_mat_mulAdd` by which the addition of the accumulator saturates.
const SATURATES: i128 = 16;

/// The functions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum MatrixCall {
    Load,
    Store,
    MulAdd,
    Init,
    Convert,
    Length,
    Extract,
    Insert,
}

/// Returns the function with a name.
pub(super) fn named(name: &str) -> Option<MatrixCall> {
    Some(match name.strip_prefix("coop_mat_")? {
        "load" => MatrixCall::Load,
        "store" => MatrixCall::Store,
        "mulAdd" => MatrixCall::MulAdd,
        "init" => MatrixCall::Init,
        "convert" => MatrixCall::Convert,
        "length" => MatrixCall::Length,
        "extract" => MatrixCall::Extract,
        "insert" => MatrixCall::Insert,
        _ => return None,
    })
}

fn require(s: &mut Sema<'_>, what: &str, span: Span) -> Result<()> {
    match s.target.features.matrices {
        true => Ok(()),
        false => {
            let message =
                format!("{what} requires cl_khr_cooperative_matrix, which the device does not have");
            Err(s.error(span, message))
        }
    }
}

impl Sema<'_> {
    /// Returns the type that the attribute `coop_mat(scope, rows, columns, use)` on a typedef makes of the type of the
    /// components; `None` if there is no such attribute.
    pub(crate) fn matrix_type(
        &mut self,
        attributes: &[Attribute],
        component: TypeId,
    ) -> Result<Option<TypeId>> {
        let Some(a) = attributes.iter().find(|a| a.name == attr::MATRIX) else {
            return Ok(None);
        };
        require(self, "attribute 'coop_mat'", a.span)?;
        let Type::Scalar(component) = *self.ty(component) else {
            let t = self.type_name(component);
            return Err(self.error(
                a.span,
                format!("'{t}' cannot be the type of a cooperative matrix's components"),
            ));
        };
        if component == Scalar::Bool || component == Scalar::Half && !self.has_half {
            let name = component.name();
            return Err(self.error(
                a.span,
                format!("'{name}' cannot be the type of a cooperative matrix's components"),
            ));
        }
        if a.args.len() != 4 {
            return Err(self.error(
                a.span,
                "'coop_mat' attribute takes a scope, rows, columns and a use",
            ));
        }
        let mut numbers = [0; 4];
        for (n, number) in numbers.iter_mut().enumerate() {
            *number = self.int_argument(a, n).ok_or(crate::sema::Reported)?.0;
        }
        let [scope, rows, columns, role] = numbers;
        // CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, or memory_scope_sub_group.
        if !matches!(scope, 3 | 4) {
            return Err(self.error(a.span, "the scope of a cooperative matrix must be the sub-group"));
        }
        let size = |n: i128| u16::try_from(n).ok().filter(|n| *n > 0);
        let role = u64::try_from(role).ok().and_then(MatrixUse::from_number);
        let (Some(rows), Some(columns), Some(role)) = (size(rows), size(columns), role) else {
            return Err(self.error(a.span, "no cooperative matrix has these rows, columns and use"));
        };
        let matrix = MatrixType {
            component,
            rows,
            columns,
            role,
        };
        Ok(Some(self.program.types.intern(Type::Matrix(matrix))))
    }

    /// Returns the matrix type that a type is.
    pub(crate) fn as_matrix(&self, ty: TypeId) -> Option<MatrixType> {
        match *self.ty(ty) {
            Type::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Returns the operands of `+`, `-`, `*` or `/` with a matrix: two matrices of one type, or a matrix and a number of its
    /// component's type. Returns `None`, without a report, if the operands do not match.
    pub(crate) fn matrix_operands(&mut self, multiplies: bool, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        if a.ty == b.ty {
            return Some((a, b));
        }
        let (matrix, factor) = match self.as_matrix(a.ty) {
            Some(_) => (a, b),
            None => (b, a),
        };
        let component = self.as_matrix(matrix.ty)?.component;
        if !multiplies || !matches!(self.ty(factor.ty), Type::Scalar(_)) {
            return None;
        }
        let ty = self.program.types.scalar(component);
        let factor = self.numeric(factor, ty);
        Some((matrix, factor))
    }
}

fn node(op: MatrixOp, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Matrix(op), args),
        ty,
        span,
    }
}

/// Converts an argument to a type, and any other one to an integer that is known.
fn constant(s: &mut Sema<'_>, e: &Expr, what: &str) -> Result<i128> {
    match s.int_value(e) {
        Some(value) => Ok(value),
        None => Err(s.error(e.span, format!("{what} must be a constant"))),
    }
}

fn matrix(s: &mut Sema<'_>, e: &Expr) -> Result<MatrixType> {
    match s.as_matrix(e.ty) {
        Some(matrix) => Ok(matrix),
        None => {
            let t = s.type_name(e.ty);
            Err(s.error(e.span, format!("'{t}' is no cooperative matrix")))
        }
    }
}

/// Builds a call.
pub(super) fn call(s: &mut Sema<'_>, at: Call<'_>, what: MatrixCall, mut args: Vec<Expr>) -> Result<Expr> {
    require(s, &format!("function '{}'", at.name.name), at.name.span)?;
    let counts: &[usize] = match what {
        MatrixCall::Load | MatrixCall::Insert => &[3],
        MatrixCall::Store => &[4],
        MatrixCall::MulAdd => &[3, 4],
        MatrixCall::Init | MatrixCall::Convert | MatrixCall::Length => &[1],
        MatrixCall::Extract => &[2],
    };
    if !counts.contains(&args.len()) {
        let message = format!("invalid number of arguments to function: '{}'", at.name.name);
        return Err(s.error(at.span, message));
    }
    let (any, int, span) = (s.program.types.intern(Type::AnyMatrix), s.common.int, at.span);
    match what {
        MatrixCall::Load => {
            let (pointer, memory, stride) = location(s, [args[0].clone(), args[1].clone(), args[2].clone()])?;
            Ok(node(MatrixOp::Load(memory), vec![pointer, stride], any, span))
        }
        MatrixCall::Store => {
            let stored = matrix(s, &args[1])?;
            let (pointer, memory, stride) = location(s, [args[0].clone(), args[2].clone(), args[3].clone()])?;
            check_pointee(s, &pointer, stored)?;
            let args = vec![pointer, stride, args.swap_remove(1)];
            Ok(node(MatrixOp::Store(memory), args, s.common.void, span))
        }
        MatrixCall::MulAdd => product(s, args, span),
        MatrixCall::Init => match *s.ty(args[0].ty) {
            Type::Scalar(_) => Ok(node(MatrixOp::Fill, args, any, span)),
            _ => {
                let t = s.type_name(args[0].ty);
                Err(s.error(args[0].span, format!("'{t}' is no number")))
            }
        },
        MatrixCall::Convert => {
            matrix(s, &args[0])?;
            // `resolve` chooses the conversion.
            Ok(node(MatrixOp::Each(MatrixEach::Bitcast), args, any, span))
        }
        MatrixCall::Length => {
            matrix(s, &args[0])?;
            Ok(node(MatrixOp::Length, args, int, span))
        }
        MatrixCall::Extract => {
            let component = matrix(s, &args[0])?.component;
            args[1] = s.convert(args[1].clone(), int, Why::Pass)?;
            let ty = s.program.types.scalar(component);
            Ok(node(MatrixOp::Extract, args, ty, span))
        }
        MatrixCall::Insert => {
            let (ty, component) = (args[0].ty, matrix(s, &args[0])?.component);
            let component = s.program.types.scalar(component);
            args[1] = s.convert(args[1].clone(), component, Why::Pass)?;
            args[2] = s.convert(args[2].clone(), int, Why::Pass)?;
            Ok(node(MatrixOp::Insert, args, ty, span))
        }
    }
}

/// Checks the pointer, the layout and the stride of an access. Returns the pointer, the way of the access, and the stride in
/// bytes.
fn location(s: &mut Sema<'_>, [pointer, layout, stride]: [Expr; 3]) -> Result<(Expr, MatrixMemory, Expr)> {
    let (component, volatile) = match *s.ty(pointer.ty) {
        Type::Pointer {
            pointee,
            space: Space::Global | Space::Local | Space::Constant,
            is_volatile,
            ..
        } => match *s.ty(pointee) {
            Type::Scalar(component) => (component, is_volatile),
            _ => return Err(wrong_pointer(s, &pointer)),
        },
        _ => return Err(wrong_pointer(s, &pointer)),
    };
    let layout = match constant(s, &layout, "the layout of a cooperative matrix")? {
        0 => MatrixLayout::Rows,
        1 => MatrixLayout::Columns,
        _ => {
            let message = "the layout must be CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or \
                           CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR";
            return Err(s.error(layout.span, message));
        }
    };
    let (uint, span) = (s.common.uint, stride.span);
    if !s
        .lanes(stride.ty)
        .is_some_and(|(scalar, n)| n == 1 && scalar.is_integer())
    {
        let t = s.type_name(stride.ty);
        return Err(s.error(span, format!("the stride is of type '{t}', which is no integer")));
    }
    let stride = s.numeric(stride, uint);
    let bytes = s.const_bits(component.bytes().into(), uint, span);
    let stride = super::build::binary(crate::hir::BinOp::Mul, stride, bytes, false);
    Ok((pointer, MatrixMemory { layout, volatile }, stride))
}

fn wrong_pointer(s: &mut Sema<'_>, pointer: &Expr) -> crate::sema::Reported {
    let t = s.type_name(pointer.ty);
    let message = format!("'{t}' is no pointer to numbers in global, local or constant memory");
    s.error(pointer.span, message)
}

/// Checks that the memory of an access contains numbers of the component's type.
fn check_pointee(s: &mut Sema<'_>, pointer: &Expr, matrix: MatrixType) -> Result<()> {
    let component = s.program.types.scalar(matrix.component);
    match *s.ty(pointer.ty) {
        Type::Pointer { pointee, .. } if pointee == component => Ok(()),
        _ => {
            let (t, name) = (s.type_name(pointer.ty), matrix.component.name());
            let message =
                format!("'{t}' does not point to the matrix's components, which are of type '{name}'");
            Err(s.error(pointer.span, message))
        }
    }
}

fn product(s: &mut Sema<'_>, mut args: Vec<Expr>, span: Span) -> Result<Expr> {
    let operands = match args.get(3) {
        Some(e) => constant(s, e, "the fourth argument of 'coop_mat_mulAdd'")?,
        None => 0,
    };
    let operands_span = args.get(3).map_or(span, |e| e.span);
    args.truncate(3);
    let [a, b, c] = [matrix(s, &args[0])?, matrix(s, &args[1])?, matrix(s, &args[2])?];
    let roles = [MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator];
    for ((m, role), e) in [a, b, c].into_iter().zip(roles).zip(&args) {
        if m.role != role {
            let (t, role) = (s.type_name(e.ty), role.macro_name());
            return Err(s.error(e.span, format!("the use of '{t}' must be {role}")));
        }
    }
    if (a.rows, b.columns, a.columns) != (c.rows, c.columns, b.rows) {
        return Err(s.error(
            span,
            "the rows and columns of the cooperative matrices do not fit together",
        ));
    }
    if [a, b]
        .iter()
        .any(|m| m.component.is_float() != c.component.is_float())
    {
        return Err(s.error(
            span,
            "the components of the cooperative matrices must all be integers or all be floats",
        ));
    }
    if operands != 0 && (operands != SATURATES || c.component.is_float()) {
        let message = "the fourth argument must be CLK_COOPERATIVE_MATRIX_OPERAND_NONE, or for integers also \
                       CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION";
        return Err(s.error(operands_span, message));
    }
    let mut bits = operands as u32;
    let signs = [
        (a, MatrixSigns::A),
        (b, MatrixSigns::B),
        (c, MatrixSigns::C),
        (c, MatrixSigns::RESULT),
    ];
    for (m, bit) in signs {
        if m.component.is_integer() && m.component.is_signed() {
            bits |= u32::from(bit);
        }
    }
    let signs = MatrixSigns::from_bits(bits).unwrap_or_default();
    let ty = args[2].ty;
    Ok(node(MatrixOp::MultiplyAdd(signs), args, ty, span))
}

/// Gives a result without a type the matrix type to which it is converted. Returns the expression itself if it is none.
pub(crate) fn resolve(s: &mut Sema<'_>, e: Expr, ty: TypeId) -> Result<std::result::Result<Expr, Expr>> {
    let Some(to) = s.as_matrix(ty) else {
        return Ok(Err(e));
    };
    let ExprKind::Intrinsic(Intrinsic::Matrix(op), mut args) = e.kind else {
        return Ok(Err(e));
    };
    let span = e.span;
    match op {
        MatrixOp::Load(_) => check_pointee(s, &args[0], to)?,
        MatrixOp::Fill => {
            let component = s.program.types.scalar(to.component);
            args = args.into_iter().map(|a| s.numeric(a, component)).collect();
        }
        MatrixOp::Each(_) => {
            let from = matrix(s, &args[0])?;
            if (from.rows, from.columns, from.role) != (to.rows, to.columns, to.role) {
                let (f, t) = (s.type_name(args[0].ty), s.type_name(ty));
                return Err(s.error(span, format!("'{f}' and '{t}' are not of the same shape and use")));
            }
            if from.component == to.component
                && let Some(same) = args.pop()
            {
                return Ok(Ok(Expr { span, ..same }));
            }
            let each = conversion(from.component, to.component);
            return Ok(Ok(node(MatrixOp::Each(each), args, ty, span)));
        }
        _ => {}
    }
    Ok(Ok(node(op, args, ty, span)))
}

/// Returns the conversion of components, which is C's.
fn conversion(from: Scalar, to: Scalar) -> MatrixEach {
    match (from.is_float(), to.is_float()) {
        (true, true) => MatrixEach::FConvert,
        (true, false) if to.is_signed() => MatrixEach::FToS,
        (true, false) => MatrixEach::FToU,
        (false, true) if from.is_signed() => MatrixEach::SToF,
        (false, true) => MatrixEach::UToF,
        (false, false) => match to.bytes().cmp(&from.bytes()) {
            std::cmp::Ordering::Less => MatrixEach::Trunc,
            std::cmp::Ordering::Equal => MatrixEach::Bitcast,
            std::cmp::Ordering::Greater if from.is_signed() => MatrixEach::SExt,
            std::cmp::Ordering::Greater => MatrixEach::ZExt,
        },
    }
}
