//! The products of cooperative matrices that a device has.

use super::Features;

/// The type of a matrix's components. The numbers are Vulkan's and OpenCL's (VkComponentTypeKHR,
/// cl_device_cooperative_matrix_component_type_khr).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MatrixNumber {
    F16 = 0,
    F32 = 1,
    F64 = 2,
    S8 = 3,
    S16 = 4,
    S32 = 5,
    S64 = 6,
    U8 = 7,
    U16 = 8,
    U32 = 9,
    U64 = 10,
}

impl MatrixNumber {
    /// All types, by their numbers.
    pub const ALL: [MatrixNumber; 11] = {
        use MatrixNumber::{F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
        [F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64]
    };

    /// Returns whether a device with these features has arithmetic on numbers of the type, and accesses to them.
    pub fn is_in(self, f: &Features) -> bool {
        match self {
            MatrixNumber::F16 => f.float16 && f.storage16,
            MatrixNumber::F32 | MatrixNumber::S32 | MatrixNumber::U32 => true,
            MatrixNumber::F64 => f.float64,
            MatrixNumber::S8 | MatrixNumber::U8 => f.int8 && f.storage8,
            MatrixNumber::S16 | MatrixNumber::U16 => f.int16 && f.storage16,
            MatrixNumber::S64 | MatrixNumber::U64 => f.int64,
        }
    }
}

/// A product that a device has: A × B + C, where A has `m` rows and `k` columns, B `k` rows and `n` columns, and C and the
/// result `m` rows and `n` columns.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatrixVariant {
    /// The numbers m, n and k.
    pub size: [u32; 3],
    /// The types of the components of A, B, C and the result.
    pub types: [MatrixNumber; 4],
    /// Whether the sum saturates, or whether it does not.
    pub saturates: bool,
}

impl MatrixVariant {
    /// Returns whether a device with these features has all types of the product.
    pub fn is_in(&self, f: &Features) -> bool {
        self.types.iter().all(|ty| ty.is_in(f))
    }

    /// Returns the products that are offered where matrices are emulated. The emulation has any other product, too, whose
    /// matrices can be distributed evenly over the sub-group.
    pub fn emulated(f: &Features) -> Vec<MatrixVariant> {
        use MatrixNumber::{F16, F32, F64, S8, S32, U8, U32};
        let mut list = Vec::new();
        for [operand, sum] in [
            [F16, F16],
            [F16, F32],
            [F32, F32],
            [F64, F64],
            [S8, S32],
            [U8, U32],
        ] {
            let is_integer = matches!(operand, S8 | U8);
            let deep = if is_integer { 32 } else { 8 };
            for size in [[16, 16, 16], [16, 8, 16], [8, 8, deep]] {
                for saturates in [false, true] {
                    if is_integer || !saturates {
                        list.push(MatrixVariant {
                            size,
                            types: [operand, operand, sum, sum],
                            saturates,
                        });
                    }
                }
            }
        }
        list.retain(|variant| variant.is_in(f));
        list
    }
}
