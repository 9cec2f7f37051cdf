//! The scalar and vector types of OpenCL C.

/// The type of an element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
}

/// A scalar (`n` = 1) or a vector of `n` elements.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) base: Base,
    pub(super) n: usize,
}

pub(super) const UINT: Type = int(32, false, 1);
pub(super) const INT: Type = int(32, true, 1);

/// Returns an integer type with elements of `bits` bits and `n` elements.
pub(super) const fn int(bits: u32, signed: bool, n: usize) -> Type {
    Type {
        base: Base::Int { bits, signed },
        n,
    }
}

/// Returns a floating-point type with elements of `bits` bits and `n` elements.
pub(super) const fn float(bits: u32, n: usize) -> Type {
    Type {
        base: Base::Float { bits },
        n,
    }
}

impl Type {
    /// Returns the size of an element in bits.
    pub(super) fn bits(self) -> u32 {
        match self.base {
            Base::Int { bits, .. } | Base::Float { bits } => bits,
        }
    }

    /// Returns whether the elements are signed integers.
    pub(super) fn is_signed(self) -> bool {
        matches!(self.base, Base::Int { signed: true, .. })
    }

    /// Returns whether the elements are integers.
    pub(super) fn is_int(self) -> bool {
        matches!(self.base, Base::Int { .. })
    }

    /// Returns the integer type with the same element size and number of elements.
    pub(super) fn as_int(self, signed: bool) -> Type {
        int(self.bits(), signed, self.n)
    }

    /// Returns the type with the same elements, but `n` of them.
    pub(super) fn of(self, n: usize) -> Type {
        Type { n, ..self }
    }

    /// Returns the name in OpenCL C.
    pub(super) fn name(self) -> String {
        let element = match self.base {
            Base::Int { bits, signed } => {
                let name = match bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                format!("{}{name}", if signed { "" } else { "u" })
            }
            Base::Float { bits: 16 } => "half".into(),
            Base::Float { bits: 32 } => "float".into(),
            Base::Float { .. } => "double".into(),
        };
        if self.n == 1 {
            element
        } else {
            format!("{element}{}", self.n)
        }
    }

    /// Returns the expression converted to exactly this type. Only scalars need a cast: operators promote
    /// scalars that are narrower than int, but not vectors.
    pub(super) fn cast(self, text: &str) -> String {
        if self.n == 1 {
            format!("({})({text})", self.name())
        } else {
            format!("({text})")
        }
    }

    /// Returns an expression with this value in all elements.
    pub(super) fn splat(self, text: &str) -> String {
        format!("({})({text})", self.name())
    }
}
