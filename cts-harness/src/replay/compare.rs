//! The comparison of the contents of memory objects.

use super::capture::{Launch, Memory, Value};
use crate::float_format::Format;
use crate::types::{Type, little_endian};
use half::f16;

/// The elements that a memory object has, as far as the launch tells.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Element {
    /// A float of this many bytes.
    Float(usize),
    Signed(usize),
    Unsigned(usize),
    /// Anything; it is compared and shown by words of 4 bytes.
    Word,
}

/// What differs between two contents of a memory object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Difference {
    /// The number of elements that differ by more than is allowed.
    pub(super) count: usize,
    pub(super) elements: usize,
    /// The largest distance of two floats that are allowed to differ or not, in units of the last place.
    pub(super) worst: Option<u64>,
    /// The first elements that differ, each with its offset in bytes and both values.
    pub(super) first: Vec<(usize, String, String)>,
}

/// The number of elements that are shown.
const SHOWN: usize = 3;

/// CL_SNORM_INT8 and the channel types after it.
const CHANNELS: [(u32, Element); 8] = [
    (0x10D7, Element::Signed(1)),
    (0x10D8, Element::Signed(2)),
    (0x10D9, Element::Signed(4)),
    (0x10DA, Element::Unsigned(1)),
    (0x10DB, Element::Unsigned(2)),
    (0x10DC, Element::Unsigned(4)),
    (0x10DD, Element::Float(2)),
    (0x10DE, Element::Float(4)),
];

impl Element {
    /// Returns the elements of a memory object: those of an image's channels, or those that the kernel's arguments name.
    pub(super) fn of(launch: &Launch, memory: usize) -> Element {
        if let Some(Memory::Image { data, .. }) = launch.memory.get(memory) {
            let channel = CHANNELS.iter().find(|(number, _)| number == data);
            return channel.map_or(Element::Word, |(_, element)| *element);
        }
        let mut types = launch
            .arguments
            .iter()
            .filter_map(|argument| match &argument.value {
                Value::Buffer(range) if range.memory == memory => Some(Element::named(&argument.ty)),
                _ => None,
            });
        let first = types.next().unwrap_or(Element::Word);
        if types.all(|other| other == first) {
            first
        } else {
            Element::Word
        }
    }

    /// Returns the element of a type name such as `float4*`.
    fn named(name: &str) -> Element {
        match Type::named(name.trim_end_matches([' ', '*'])) {
            Some(ty) if !ty.is_int() => Element::Float(ty.bytes()),
            Some(ty) if ty.is_signed() => Element::Signed(ty.bytes()),
            Some(ty) => Element::Unsigned(ty.bytes()),
            None => Element::Word,
        }
    }

    fn size(self) -> usize {
        match self {
            Element::Float(n) | Element::Signed(n) | Element::Unsigned(n) => n,
            Element::Word => 4,
        }
    }

    /// Returns the value of an element in words.
    fn text(self, bytes: &[u8]) -> String {
        let bits = little_endian(bytes);
        let signed = |n: usize| (bits << (64 - 8 * n)) as i64 >> (64 - 8 * n);
        match self {
            Element::Float(2) => format!("{:?}", f16::from_bits(bits as u16).to_f32()),
            Element::Float(4) => format!("{:?}", f32::from_bits(bits as u32)),
            Element::Float(_) => format!("{:?}", f64::from_bits(bits)),
            Element::Signed(n) => signed(n).to_string(),
            Element::Unsigned(_) => bits.to_string(),
            Element::Word => format!("{bits:#0width$x}", width = 2 + 2 * bytes.len()),
        }
    }

    /// Returns the distance of two floats in units of the last place: 0 for two NaNs, and the largest number for a NaN
    /// and a number. Returns `None` for elements that are no floats.
    fn distance(self, a: &[u8], b: &[u8]) -> Option<u64> {
        let Element::Float(size) = self else { return None };
        let format = Format::of(8 * size as u32);
        let [a, b] = [a, b].map(little_endian);
        if format.is_nan(a) || format.is_nan(b) {
            return Some(if format.is_nan(a) && format.is_nan(b) {
                0
            } else {
                u64::MAX
            });
        }
        // The order of the numbers, with both zeros at 0.
        let order = |bits: u64| match format.is_negative(bits) {
            false => i128::from(bits),
            true => -i128::from(format.magnitude(bits)),
        };
        u64::try_from((order(a) - order(b)).abs()).ok()
    }
}

/// Compares two contents. Floats may differ by `allowed` units of the last place; with 0, all bits must be equal.
pub(super) fn compare(element: Element, a: &[u8], b: &[u8], allowed: u64) -> Option<Difference> {
    let size = element.size();
    let mut found = Difference {
        // The elements that only one of them has.
        count: a.len().div_ceil(size).abs_diff(b.len().div_ceil(size)),
        elements: a.len().max(b.len()).div_ceil(size),
        worst: None,
        first: Vec::new(),
    };
    for (index, (a, b)) in a.chunks(size).zip(b.chunks(size)).enumerate() {
        if a == b {
            continue;
        }
        let distance = element.distance(a, b).filter(|_| a.len() == size);
        found.worst = found.worst.max(distance);
        if allowed > 0 && distance.is_some_and(|d| d <= allowed) {
            continue;
        }
        found.count += 1;
        if found.first.len() < SHOWN {
            found.first.push((index * size, element.text(a), element.text(b)));
        }
    }
    (found.count > 0).then_some(found)
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} elements differ", self.count, self.elements)?;
        match self.worst {
            Some(u64::MAX) => write!(f, ", NaN against a number")?,
            Some(ulp) => write!(f, ", by up to {ulp} ulp")?,
            None => {}
        }
        for (n, (offset, a, b)) in self.first.iter().enumerate() {
            let before = if n == 0 { ": " } else { "; " };
            write!(f, "{before}at byte {offset} {a} and {b}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn floats_are_compared_by_bits_or_by_ulp() {
        let a = floats(&[1.0, -1.0, f32::NAN, 0.0]);
        let next = f32::from_bits(1.0f32.to_bits() + 2);
        let b = floats(&[next, -1.0, -f32::NAN, -0.0]);
        let all = compare(Element::Float(4), &a, &b, 0).unwrap();
        assert_eq!((all.count, all.elements, all.worst), (3, 4, Some(2)));
        assert_eq!(all.first[0], (0, "1.0".into(), "1.0000002".into()));
        assert_eq!(compare(Element::Float(4), &a, &b, 2), None);
        let one = compare(Element::Float(4), &a, &b, 1).unwrap();
        assert_eq!(one.count, 1);
        let nan = compare(Element::Float(4), &floats(&[f32::NAN]), &floats(&[1.0]), 9).unwrap();
        assert!(nan.to_string().contains("NaN against a number"), "{nan}");
    }

    #[test]
    fn integers_are_shown_as_their_type() {
        let of = |name| Element::named(name);
        assert_eq!(of("float4*"), Element::Float(4));
        assert_eq!(of("uchar*"), Element::Unsigned(1));
        assert_eq!(of("struct s*"), Element::Word);
        let found = compare(of("short*"), &[1, 0, 0xff, 0xff], &[1, 0, 2, 0], 5).unwrap();
        assert_eq!(found.to_string(), "1 of 2 elements differ: at byte 2 -1 and 2");
        let found = compare(Element::Word, &[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6], 0).unwrap();
        assert_eq!(found.first, [(4, "0x05".into(), "0x06".into())]);
        assert_eq!(compare(Element::Word, &[1], &[1, 2], 0).unwrap().count, 1);
        assert_eq!(compare(Element::Word, &[1; 4], &[1; 12], 0).unwrap().count, 2);
    }
}
