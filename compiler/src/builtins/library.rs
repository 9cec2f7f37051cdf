//! The library of function bodies: `lib/*.cl`, written in our own OpenCL C and divided into items by name.
//!
//! A file is not tokenised until one of its items is needed: the index is built in one pass over the lines.
//! An item starts at a line that begins with a letter or underscore (the first line of a declaration). It
//! ends with a line that is `}` or `};`, or, for a one-line item, that ends in `;` or `}`. Its name is the
//! identifier before the first `(`, or before the first `[` or `=`. Comments may be between items and inside
//! them.
//!
//! A generic item ([`Item::generic`]) is a function over `gentype`: [`Item::instantiate`] replaces the type
//! words by those of an instance.

use super::signature::{signed_of, unsigned_of, wide_of};
use crate::hash::HashMap;
use crate::hir::Scalar;
use std::sync::LazyLock;

/// A file of the library, as the build script has copied it: without comments.
struct File {
    name: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(File { name: concat!("<built-in>/", $name), text: include_str!(concat!(env!("OUT_DIR"), "/lib/", $name)) }),*]
    };
}

static FILES: &[File] = files![
    "async.cl",
    "atomic.cl",
    "clock.cl",
    "common.cl",
    "half_bits.cl",
    "integer.cl",
    "integer_ext.cl",
    "math_bits.cl",
    "math_double.cl",
    "math_double_trig.cl",
    "math_exp.cl",
    "math_fast.cl",
    "math_float.cl",
    "math_special.cl",
    "math_trig.cl",
    "pipe.cl",
    "poly.cl",
    "relational.cl",
    "subgroup.cl",
    "workgroup.cl",
];

/// A function or table of the library.
#[derive(Copy, Clone, Debug)]
pub struct Item {
    /// The file name for diagnostics.
    pub file: &'static str,
    /// The name by which the item is found.
    pub name: &'static str,
    /// The text of the declaration.
    pub text: &'static str,
    /// The number of the text's first line, from 1 on.
    pub line: u32,
}

static INDEX: LazyLock<HashMap<&'static str, Item>> = LazyLock::new(|| {
    let mut index = HashMap::default();
    for file in FILES {
        split(file, |item| {
            let old = index.insert(item.name, item);
            debug_assert!(old.is_none(), "{} is in the library twice", item.name);
        });
    }
    index
});

/// Divides a file into items, and calls `found` with each.
fn split(file: &File, mut found: impl FnMut(Item)) {
    let mut open: Option<(usize, u32)> = None;
    let mut at = 0;
    for (n, line) in file.text.split_inclusive('\n').enumerate() {
        let (from, to) = (at, at + line.len());
        at = to;
        let first = line.as_bytes().first().copied().unwrap_or(b'\n');
        let starts = first.is_ascii_alphabetic() || first == b'_';
        // Most lines neither start nor end an item.
        if !starts && (first != b'}' || open.is_none()) {
            continue;
        }
        let trimmed = line.trim_end();
        if open.is_none() && starts {
            open = Some((from, n as u32 + 1));
        }
        let Some((start, line_no)) = open else { continue };
        let ends = match trimmed {
            "}" | "};" => true,
            _ => starts && trimmed.ends_with([';', '}']),
        };
        if ends {
            open = None;
            let text = &file.text[start..to];
            if let Some(name) = item_name(text) {
                found(Item {
                    file: file.name,
                    name,
                    text,
                    line: line_no,
                });
            }
        }
    }
}

/// Returns the identifier before the first `(`, `[` or `=`.
fn item_name(text: &'static str) -> Option<&'static str> {
    let head = text[..text.find(['(', '[', '='])?].trim_end();
    let start = head
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |i| i + 1);
    Some(&head[start..])
}

/// Returns the item with this name.
pub fn item(name: &str) -> Option<&'static Item> {
    INDEX.get(name)
}

/// Returns the item for a name of one of the library's own functions. It is the item of that name or, for
/// `name_f`, `name_d` and `name_h`, the generic item `name_fp` with its type.
pub fn scalar_item(name: &str) -> Option<(&'static Item, Option<Scalar>)> {
    if let Some(item) = item(name) {
        return Some((item, None));
    }
    let (stem, suffix) = name.rsplit_once('_')?;
    let scalar = match suffix {
        "h" => Scalar::Half,
        "f" => Scalar::Float,
        "d" => Scalar::Double,
        _ => return None,
    };
    let item = item(&format!("{stem}_fp"))?;
    // Items over `gentype`, which are vector functions, are instantiated elsewhere.
    Some((item, Some(scalar)))
}

/// Returns all items.
pub fn items() -> impl Iterator<Item = &'static Item> {
    INDEX.values()
}

/// Returns the item that implements a generic function for a type.
pub fn generic_item(name: &str, scalar: Scalar, lanes: u8) -> Option<&'static Item> {
    let kind = match (scalar.is_float(), scalar.is_signed()) {
        (true, _) => "fp",
        (false, true) => "signed",
        (false, false) => "unsigned",
    };
    if lanes > 1
        && let Some(item) = item(&format!("{name}_{}{lanes}", scalar.name()))
    {
        return Some(item);
    }
    if lanes > 1
        && let Some(item) = item(&format!("{name}_any{lanes}"))
    {
        return Some(item);
    }
    for suffix in [scalar.name(), kind, "any"] {
        if let Some(item) = item(&format!("{name}_{suffix}")) {
            return Some(item);
        }
    }
    None
}

/// The types of an instance of a generic item.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeArgs {
    /// The element type of `gentype`, `elemtype` and the other type words.
    pub scalar: Scalar,
    /// The number of lanes of `gentype`.
    pub lanes: u8,
    /// The type word `srctype` of conversions.
    pub source: Scalar,
}

/// Returns the name of a type in OpenCL C.
fn spell(scalar: Scalar, lanes: u8) -> String {
    match lanes {
        1 => scalar.name().into(),
        n => format!("{}{n}", scalar.name()),
    }
}

/// Returns a property of a floating-point format: a number of mantissa bits, a bias, or a bit pattern.
fn format_word(s: Scalar, word: &str) -> Option<&'static str> {
    let by_format = |half, single, double| match s {
        Scalar::Half => half,
        Scalar::Double => double,
        _ => single,
    };
    Some(match word {
        "GEN_MANT" => by_format("10", "23", "52"),
        "GEN_BIAS" => by_format("15", "127", "1023"),
        "GEN_SIGN" => by_format("(ushort)0x8000", "0x80000000u", "0x8000000000000000UL"),
        "GEN_INF" => by_format("(ushort)0x7c00", "0x7f800000u", "0x7ff0000000000000UL"),
        "GEN_NEG_INF" => by_format("(ushort)0xfc00", "0xff800000u", "0xfff0000000000000UL"),
        "GEN_QUIET" => by_format("(ushort)0x7e00", "0x7fc00000u", "0x7ff8000000000000UL"),
        // The implicit bit, which is also the smallest normal number.
        "GEN_ONE_MANT" => by_format("(ushort)0x0400", "0x800000u", "0x10000000000000UL"),
        // Infinity and the smallest normal number, both shifted left by one.
        "GEN_INF2" => by_format("0xf800", "0xff000000u", "0xffe0000000000000UL"),
        "GEN_NORMAL2" => by_format("0x0800", "0x01000000u", "0x0020000000000000UL"),
        // Lengths beyond which squares overflow or underflow, and the powers of two that bring the lengths
        // back into range. Halves are computed in float.
        "LENGTH_BIG" => by_format("0x1p6f", "0x1p60f", "0x1p500"),
        "LENGTH_SMALL" => by_format("0x1p-4f", "0x1p-50f", "0x1p-450"),
        "LENGTH_UP" => by_format("0x1p10f", "0x1p80f", "0x1p600"),
        "LENGTH_DOWN" => by_format("0x1p-10f", "0x1p-80f", "0x1p-600"),
        _ => return None,
    })
}

/// Returns the last letter of the names of the library's scalar functions.
fn suffix(s: Scalar) -> &'static str {
    match s {
        Scalar::Half => "h",
        Scalar::Double => "d",
        _ => "f",
    }
}

impl TypeArgs {
    /// Returns the arguments of an instance whose source type is its own type.
    pub fn of(scalar: Scalar, lanes: u8) -> Self {
        TypeArgs {
            scalar,
            lanes,
            source: scalar,
        }
    }

    /// Returns a part of the key that identifies an instance.
    pub fn key(&self) -> String {
        if self.source == self.scalar {
            spell(self.scalar, self.lanes)
        } else {
            format!("{},{}", spell(self.scalar, self.lanes), self.source.name())
        }
    }

    /// Returns the text that replaces a type word, or `None` for any other word.
    fn replacement(&self, word: &str) -> Option<String> {
        let (s, n) = (self.scalar, self.lanes);
        Some(match word {
            "gentype" => spell(s, n),
            "elemtype" => s.name().into(),
            // Signed and unsigned integers of the same width.
            "sgentype" => spell(signed_of(s), n),
            "ugentype" => spell(unsigned_of(s), n),
            "selemtype" => signed_of(s).name().into(),
            "uelemtype" => unsigned_of(s).name().into(),
            // Integers of twice the width.
            "wgentype" => spell(wide_of(s), n),
            "intn" => spell(Scalar::Int, n),
            "fgentype" => spell(Scalar::Float, n),
            // The result of a relational function.
            "reltype" if n == 1 => "int".into(),
            "reltype" => spell(signed_of(s), n),
            "srctype" => spell(self.source, n),
            "ssrctype" => spell(signed_of(self.source), n),
            "usrctype" => spell(unsigned_of(self.source), n),
            "srcelem" => self.source.name().into(),
            "GEN_BITS" => (s.bytes() * 8).to_string(),
            _ => format_word(s, word)?.to_string(),
        })
    }
}

impl Item {
    /// Returns whether the text has type words to be replaced.
    pub fn generic(&self) -> bool {
        ["_any", "_fp", "_signed", "_unsigned"]
            .iter()
            .any(|s| self.name.ends_with(s))
    }

    /// Returns the text with its type words replaced by types. A type word with a prefix is replaced, too
    /// (`as_gentype`, `convert_sgentype_sat`). `name_fp` and `name_GEN` become `name_f`, `name_d` or
    /// `name_h`, and `GENC(a, b)` becomes `a` for float and `b` for double.
    pub fn instantiate(&self, types: TypeArgs) -> String {
        let mut out = String::with_capacity(self.text.len() + 64);
        let mut rest = self.text;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        while let Some(start) = rest.find(is_word) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            if word == "GENC"
                && let Some(close) = rest.find(')')
            {
                let both = &rest[1..close];
                let (single, double) = both.split_once(", ").unwrap_or((both, both));
                out.push_str(if types.scalar == Scalar::Double {
                    double
                } else {
                    single
                });
                rest = &rest[close + 1..];
                continue;
            }
            let replaced = types.replacement(word).or_else(|| {
                if types.lanes == 1
                    && types.scalar.is_float()
                    && let Some(stem) = word.strip_suffix("_GEN")
                {
                    return Some(format!("{stem}_{}", suffix(types.scalar)));
                }
                let (prefix, tail) = word.split_once('_')?;
                if !matches!(prefix, "as" | "convert") {
                    return None;
                }
                let (stem, suffix) = tail.split_once('_').map_or((tail, ""), |(a, b)| (a, b));
                let ty = types.replacement(stem)?;
                let sep = if suffix.is_empty() { "" } else { "_" };
                Some(format!("{prefix}_{ty}{sep}{suffix}"))
            });
            out.push_str(replaced.as_deref().unwrap_or(word));
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_functions_and_tables() {
        let file = File {
            name: "t.cl",
            text: "// c\nfloat f_f(float x)\n{\n    return x;\n}\n\n__constant uint t[] = {\n    1,\n};\nint g(int a) { return a; }\n",
        };
        let mut names = Vec::new();
        split(&file, |i| names.push((i.name, i.line)));
        assert_eq!(names, [("f_f", 2), ("t", 7), ("g", 10)]);
    }

    #[test]
    fn instances_replace_words_only() {
        let item = Item {
            file: "t.cl",
            name: "f_any",
            text: "gentype f_any(gentype x) { return as_gentype(as_ugentype(x)) + xgentype + convert_sgentype_sat(x); }",
            line: 1,
        };
        assert_eq!(
            item.instantiate(TypeArgs::of(Scalar::Float, 2)),
            "float2 f_any(float2 x) { return as_float2(as_uint2(x)) + xgentype + convert_int2_sat(x); }"
        );
    }

    #[test]
    fn the_index_is_consistent() {
        assert!(items().count() > 10);
        for i in items() {
            assert!(i.text.contains(i.name));
        }
    }
}
