//! Powers with small whole numbers as exponents, which are products.

use super::Lowered;
use super::func::FuncLowering;
use crate::hir::{BinOp, Function, TypeId};
use crate::ir::{Scalar, Value};

/// The greatest exponent. The product of this many numbers has an error of at most 4 ulp; 16 are allowed (OpenCL C 7.4),
/// with relaxed arithmetic more.
const MOST: u64 = 8;

impl FuncLowering<'_, '_> {
    /// Returns the power if a call is one of `pow` or `pown` with a constant exponent from 1 to [`MOST`].
    ///
    /// A partial product overflows or underflows only if the power does, so the special cases are those of the
    /// multiplication, too: infinities, zeros with their signs, and NaN (7.5.1).
    pub(super) fn power(&mut self, callee: &Function, args: &[Value], ty: TypeId) -> Lowered<Option<Value>> {
        let (true, &[x, exponent]) = (is_power(callee), args) else {
            return Ok(None);
        };
        let Some(n) = self.whole(exponent).filter(|n| (1..=MOST).contains(n)) else {
            return Ok(None);
        };
        // The bits of the exponent after the highest one, from the highest to the lowest.
        let mut power = x;
        for bit in (0..n.ilog2()).rev() {
            power = self.product(power, power, ty)?;
            if n >> bit & 1 != 0 {
                power = self.product(power, x, ty)?;
            }
        }
        Ok(Some(power))
    }

    /// Emits a product that is not fused with other operations.
    fn product(&mut self, a: Value, b: Value, ty: TypeId) -> Lowered<Value> {
        self.arithmetic(BinOp::Mul, a, b, ty, true, false)
    }

    /// Returns the whole number that a constant is.
    fn whole(&self, v: Value) -> Option<u64> {
        let bits = self.b.func.as_bits(v)?;
        let number = match self.b.func.ty(v).scalar {
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F64 => f64::from_bits(bits),
            Scalar::I32 => f64::from(bits as u32 as i32),
            _ => return None,
        };
        (number.fract() == 0.0 && number >= 0.0).then_some(number as u64)
    }
}

/// Returns whether a function is `pow` or `pown` of the library, for floats or doubles.
fn is_power(callee: &Function) -> bool {
    callee.is_library
        && matches!(
            callee.name.as_str(),
            "pow_f" | "pow_d" | "pown_fp<float>" | "pown_fp<double>" | "__caldera_fast_pow_f"
        )
}
