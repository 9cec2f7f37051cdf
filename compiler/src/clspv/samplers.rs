//! Sampler maps: the literal samplers that programs may use (`-samplermap`).

use super::{UsageError, usage};
use crate::intrinsic::SamplerMask;

/// The `CLK_` macros of samplers with their bits.
const SAMPLER_NAMES: &[(&str, u32)] = &[
    ("CLK_NORMALIZED_COORDS_FALSE", 0),
    ("CLK_NORMALIZED_COORDS_TRUE", 1),
    ("CLK_ADDRESS_NONE", 0),
    ("CLK_ADDRESS_CLAMP_TO_EDGE", 2),
    ("CLK_ADDRESS_CLAMP", 4),
    ("CLK_ADDRESS_REPEAT", 6),
    ("CLK_ADDRESS_MIRRORED_REPEAT", 8),
    ("CLK_FILTER_NEAREST", 0x10),
    ("CLK_FILTER_LINEAR", 0x20),
];

/// Returns the names of a sampler's properties: coordinates, addressing mode, filter mode.
pub(crate) fn sampler_names(mask: u32) -> [&'static str; 3] {
    let name = |prefix: &str, bits: u32| {
        let found = SAMPLER_NAMES
            .iter()
            .find(|(name, value)| name.starts_with(prefix) && *value == bits);
        found.map_or("UNKNOWN", |(name, _)| *name)
    };
    [
        name("CLK_NORMALIZED", mask & 1),
        name("CLK_ADDRESS", mask & 0xe),
        name("CLK_FILTER", mask & 0x30),
    ]
}

/// Reads a sampler map: sampler expressions separated by commas.
pub fn parse_sampler_map(text: &str) -> Result<Vec<SamplerMask>, UsageError> {
    let mut list = Vec::new();
    let entries: Vec<&str> = text.split(',').map(str::trim).collect();
    for (i, entry) in entries.iter().enumerate() {
        if entry.is_empty() && i + 1 == entries.len() {
            break;
        }
        let mut mask = 0;
        for name in entry.split('|').map(str::trim) {
            match SAMPLER_NAMES.iter().find(|(n, _)| *n == name) {
                Some((_, bits)) => mask |= bits,
                None => return usage(format!("sampler map: unknown sampler property '{name}'")),
            }
        }
        list.push(SamplerMask(mask));
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampler_maps() {
        let text = "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST,\n\
                    CLK_NORMALIZED_COORDS_TRUE  | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR\n";
        assert_eq!(
            parse_sampler_map(text),
            Ok(vec![SamplerMask(18), SamplerMask(35)])
        );
        assert!(parse_sampler_map("CLK_WHAT").is_err());
        assert_eq!(sampler_names(35)[2], "CLK_FILTER_LINEAR");
    }
}
