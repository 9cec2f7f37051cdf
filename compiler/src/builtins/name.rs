//! Built-in functions whose names contain types: `convert_uchar4_sat_rte`, `as_float4`, `vload8`,
//! `vstorea_half3_rtz`.

use super::signature::{ALL_SCALARS, LANES};
use crate::hir::Scalar;

/// The rounding modes in names (6.2.3.2).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    Rte,
    /// Toward zero.
    Rtz,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
}

impl Rounding {
    /// Returns the mode as written in names.
    pub fn suffix(self) -> &'static str {
        match self {
            Rounding::Rte => "rte",
            Rounding::Rtz => "rtz",
            Rounding::Rtp => "rtp",
            Rounding::Rtn => "rtn",
        }
    }
}

/// A name that contains types.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Spelled {
    /// `convert_T[_sat][_mode]`
    Convert {
        scalar: Scalar,
        lanes: u8,
        sat: bool,
        mode: Option<Rounding>,
    },
    /// `as_T`
    As { scalar: Scalar, lanes: u8 },
    /// `vloadn`
    Load { lanes: u8 },
    /// `vstoren`
    Store { lanes: u8 },
    /// `vload_half[n]`, or `vloada_half[n]`, whose pointer is aligned to the vector.
    LoadHalf { lanes: u8, aligned: bool },
    /// `vstore_half[n][_mode]`, or `vstorea_half[n][_mode]`.
    StoreHalf {
        lanes: u8,
        aligned: bool,
        mode: Option<Rounding>,
    },
}

fn split_mode(name: &str) -> (&str, Option<Rounding>) {
    for mode in [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn] {
        if let Some(rest) = name.strip_suffix(mode.suffix()).and_then(|r| r.strip_suffix('_')) {
            return (rest, Some(mode));
        }
    }
    (name, None)
}

/// Parses a number of lanes above 1; an empty text means 1.
fn lanes(text: &str) -> Option<u8> {
    match text {
        "" => Some(1),
        "1" => None,
        _ => text
            .parse()
            .ok()
            .filter(|n| LANES.contains(n) && !text.starts_with(['+', '0'])),
    }
}

fn arith(text: &str) -> Option<(Scalar, u8)> {
    let name = match text {
        "size_t" | "uintptr_t" => "ulong",
        "ptrdiff_t" | "intptr_t" => "long",
        _ => text,
    };
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (word, count) = name.split_at(digits);
    let scalar = ALL_SCALARS.into_iter().find(|s| s.name() == word)?;
    Some((scalar, lanes(count)?))
}

/// Parses a name; `None` if it does not contain types in this way.
pub fn parse(name: &str) -> Option<Spelled> {
    if let Some(rest) = name.strip_prefix("convert_") {
        let (rest, mode) = split_mode(rest);
        let (rest, sat) = match rest.strip_suffix("_sat") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (scalar, lanes) = arith(rest)?;
        // CL 6.2.3: `_sat` is allowed only for integers.
        return (!(sat && scalar.is_float())).then_some(Spelled::Convert {
            scalar,
            lanes,
            sat,
            mode,
        });
    }
    if let Some(rest) = name.strip_prefix("as_") {
        let (scalar, lanes) = arith(rest)?;
        return Some(Spelled::As { scalar, lanes });
    }
    for (prefix, aligned) in [("vload_half", false), ("vloada_half", true)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return Some(Spelled::LoadHalf {
                lanes: lanes(rest)?,
                aligned,
            });
        }
    }
    for (prefix, aligned) in [("vstore_half", false), ("vstorea_half", true)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            let (rest, mode) = split_mode(rest);
            return Some(Spelled::StoreHalf {
                lanes: lanes(rest)?,
                aligned,
                mode,
            });
        }
    }
    if let Some(rest) = name.strip_prefix("vload") {
        let lanes = lanes(rest).filter(|&n| n > 1)?;
        return Some(Spelled::Load { lanes });
    }
    if let Some(rest) = name.strip_prefix("vstore") {
        let lanes = lanes(rest).filter(|&n| n > 1)?;
        return Some(Spelled::Store { lanes });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_spell_types() {
        assert_eq!(
            parse("convert_uchar4_sat_rte"),
            Some(Spelled::Convert {
                scalar: Scalar::UChar,
                lanes: 4,
                sat: true,
                mode: Some(Rounding::Rte)
            })
        );
        assert_eq!(
            parse("as_float3"),
            Some(Spelled::As {
                scalar: Scalar::Float,
                lanes: 3
            })
        );
        assert_eq!(parse("vload8"), Some(Spelled::Load { lanes: 8 }));
        assert_eq!(
            parse("vstorea_half16_rtp"),
            Some(Spelled::StoreHalf {
                lanes: 16,
                aligned: true,
                mode: Some(Rounding::Rtp)
            })
        );
        assert_eq!(
            parse("vload_half"),
            Some(Spelled::LoadHalf {
                lanes: 1,
                aligned: false
            })
        );
        for wrong in [
            "convert_float_sat",
            "convert_int5",
            "as_bool",
            "vload",
            "vload1",
            "vload02",
            "convert_int1",
            "vstore_half_rtx",
            "convert_",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
