//! The scalar and vector types of OpenCL C, and the bits of their elements in memory.

/// The type of an element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
}

/// A scalar (`n` = 1) or a vector of `n` elements.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    pub(crate) base: Base,
    pub(crate) n: usize,
}

pub(crate) const UINT: Type = int(32, false, 1);
pub(crate) const INT: Type = int(32, true, 1);

/// Returns an integer type with elements of `bits` bits and `n` elements.
pub(crate) const fn int(bits: u32, signed: bool, n: usize) -> Type {
    Type {
        base: Base::Int { bits, signed },
        n,
    }
}

/// Returns a floating-point type with elements of `bits` bits and `n` elements.
pub(crate) const fn float(bits: u32, n: usize) -> Type {
    Type {
        base: Base::Float { bits },
        n,
    }
}

/// Returns the little-endian number in the first 8 bytes, or in all of them if they are fewer.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

impl Type {
    /// Returns the size of an element in bits.
    pub(crate) fn bits(self) -> u32 {
        match self.base {
            Base::Int { bits, .. } | Base::Float { bits } => bits,
        }
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// Returns whether the elements are signed integers.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self.base, Base::Int { signed: true, .. })
    }

    /// Returns whether the elements are integers.
    pub(crate) fn is_int(self) -> bool {
        matches!(self.base, Base::Int { .. })
    }

    /// Returns the integer type with the same element size and number of elements.
    pub(crate) fn as_int(self, signed: bool) -> Type {
        int(self.bits(), signed, self.n)
    }

    /// Returns the type with the same elements, but `n` of them.
    pub(crate) fn of(self, n: usize) -> Type {
        Type { n, ..self }
    }

    /// Returns the type that has a name in OpenCL C, such as `uchar4` or `unsigned int`. A `bool` counts as a `uchar`.
    pub(crate) fn named(name: &str) -> Option<Type> {
        let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let n = match &name[element.len()..] {
            "" => 1,
            digits => digits.parse().ok()?,
        };
        let integer = |word| match word {
            "char" => Some(8),
            "short" => Some(16),
            "int" => Some(32),
            "long" => Some(64),
            _ => None,
        };
        let scalar = match element {
            "half" => float(16, 1),
            "float" => float(32, 1),
            "double" => float(64, 1),
            "bool" => int(8, false, 1),
            "unsigned" => UINT,
            "size_t" => int(64, false, 1),
            word => match word.strip_prefix("unsigned ").or(word.strip_prefix('u')) {
                Some(word) => int(integer(word)?, false, 1),
                None => int(integer(word)?, true, 1),
            },
        };
        matches!(n, 1..=4 | 8 | 16).then_some(scalar.of(n))
    }

    /// Returns the name in OpenCL C.
    pub(crate) fn name(self) -> String {
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
    pub(crate) fn cast(self, text: &str) -> String {
        if self.n == 1 {
            format!("({})({text})", self.name())
        } else {
            format!("({text})")
        }
    }

    /// Returns an expression with this value in all elements.
    pub(crate) fn splat(self, text: &str) -> String {
        format!("({})({text})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_opencl_c() {
        assert_eq!(Type::named("uint4"), Some(int(32, false, 4)));
        assert_eq!(Type::named("unsigned int"), Some(UINT));
        assert_eq!(Type::named("double16"), Some(float(64, 16)));
        assert_eq!(Type::named("unsigned"), Some(UINT));
        for other in ["int5", "integer", "struct S", "image2d_t", ""] {
            assert_eq!(Type::named(other), None, "{other}");
        }
        for base in [
            int(8, true, 1),
            int(16, false, 1),
            int(64, true, 1),
            float(16, 1),
            float(32, 1),
        ] {
            for n in [1, 2, 3, 4, 8, 16] {
                assert_eq!(Type::named(&base.of(n).name()), Some(base.of(n)));
            }
        }
    }
}
