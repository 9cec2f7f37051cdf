//! Program binaries (CL 5.6.1, 5.6.7).
//!
//! The binary of an executable is its SPIR-V module, which contains the reflection. An `OpModuleProcessed`
//! instruction seals it (`seal`): it has a hash of the module and a hash of the target that it was compiled
//! for, so that a damaged binary, or one for another device, is recognised. A module without a seal comes from
//! another compiler; it is validated. Both sets of reflection instructions carry their version in their names,
//! so that other versions of Caldera can read the module.
//!
//! The binary of an object or a library is the compiler's text form after a header:
//!
//! ```text
//! caldera-binary 2 object|library COUNT COMPILER TARGET CONTENTS
//! LENGTH LENGTH …
//! text text …
//! ```
//!
//! The text form of the IR has a defined meaning for one version of the compiler only. `COMPILER` identifies
//! that version, and every other one refuses the binary (the application then compiles the source again, CL
//! 5.6.1). `TARGET` is a hash of the target that the code was compiled for, `CONTENTS` a hash of everything
//! else.

use std::sync::Arc;

use caldera_compiler::spirv;
use caldera_compiler::target::{Target, Zeroed};
use xxhash_rust::xxh3::xxh3_64;

use super::Output;
use super::build::load;
use super::toolchain::Object;
use crate::context::Context;
use crate::device::Device;

/// The first characters of an object or library, in every version of the format.
const MAGIC: &str = "caldera-binary ";
/// The version of the format.
const VERSION: &str = "2";
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// Why bytes are not a usable program binary.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BinaryError {
    /// The bytes are neither SPIR-V nor an object or library.
    #[error("not a program binary")]
    Unknown,
    /// The binary is truncated or altered.
    #[error("damaged program binary: {0}")]
    Damaged(&'static str),
    /// The binary cannot be used on the device, or by this version.
    #[error("{0}")]
    Unusable(String),
}

/// Returns the bytes of CL_PROGRAM_BINARIES; empty if there is no output.
pub(super) fn encode(output: &Output, target: &Target) -> Vec<u8> {
    match output {
        Output::None => Vec::new(),
        Output::Executable(e) => seal(&e.words, target, e.arg_info)
            .iter()
            .flat_map(|w| w.to_ne_bytes())
            .collect(),
        Output::Object(o) => encode_objects("object", std::slice::from_ref(o), target),
        Output::Library(l) => encode_objects("library", l, target),
    }
}

/// Reads a binary that [`encode`] wrote, or a SPIR-V module with reflection from another compiler.
pub(super) fn decode(context: &Context, device: &Arc<Device>, bytes: &[u8]) -> Result<Output, BinaryError> {
    let target = &context.target(device);
    if bytes.starts_with(MAGIC.as_bytes()) {
        return decode_objects(bytes, target);
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if words.first().map(|w| u32::from_ne_bytes(*w)) != Some(SPIRV_MAGIC) {
        return Err(BinaryError::Unknown);
    }
    if !rest.is_empty() {
        return Err(BinaryError::Damaged("the size is not a multiple of 4"));
    }
    let words: Vec<u32> = words.iter().map(|w| u32::from_ne_bytes(*w)).collect();
    let (words, arg_info) = match unseal(&words, target)? {
        Some((words, arg_info)) => (words, Some(arg_info)),
        // Only a binary of such a context does what cl_khr_initialize_memory demands.
        None if context.zeroed() != Zeroed::default() => {
            let what = "the context initializes memory, and the module was not compiled for it";
            return Err(BinaryError::Unusable(what.into()));
        }
        None => {
            spirv::check(&words, Some(target)).map_err(BinaryError::Unusable)?;
            (words, None)
        }
    };
    load(device, &words.into(), None, arg_info, None)
        .map_err(|log| BinaryError::Unusable(log.trim().to_owned()))
}

/// The first characters of the seal's text.
const SEAL: &str = "caldera-seal ";
const OP_MODULE_PROCESSED: u32 = 330;
const OP_STRING: u32 = 7;
/// The length of a module's header in words.
const HEADER: usize = 5;

/// The opcodes of the instructions that may precede `OpModuleProcessed`: capabilities, extensions, imports,
/// memory model, entry points and their execution modes, strings, sources, and names.
const BEFORE_SEAL: [u32; 13] = [2, 3, 4, 5, 6, 7, 10, 11, 14, 15, 16, 17, 331];

/// Returns the text of the seal; unsealing compares the whole text.
fn seal_text(words: &[u32], target: &Target, arg_info: bool) -> String {
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.push(u8::from(arg_info));
    let module = xxh3_64(&bytes);
    let target = target_hash(target);
    format!("{SEAL}{module:016x} {target:016x} {}", u8::from(arg_info))
}

/// Returns the index of the word at which the seal is inserted: after all instructions of [`BEFORE_SEAL`].
fn seal_place(words: &[u32]) -> usize {
    let mut at = HEADER.min(words.len());
    while let Some(word) = words.get(at) {
        let length = (word >> 16) as usize;
        if length == 0 || !BEFORE_SEAL.contains(&(word & 0xFFFF)) {
            break;
        }
        at += length;
    }
    at.min(words.len())
}

/// Returns the module with its seal.
fn seal(words: &[u32], target: &Target, arg_info: bool) -> Vec<u32> {
    let text = seal_text(words, target, arg_info);
    let mut bytes = text.into_bytes();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let literal = bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c));
    let head = (literal.len() as u32 + 1) << 16 | OP_MODULE_PROCESSED;
    let at = seal_place(words);
    let (front, back) = words.split_at(at);
    front
        .iter()
        .copied()
        .chain([head])
        .chain(literal)
        .chain(back.iter().copied())
        .collect()
}

/// Returns the words of the instruction that is the seal. A seal's text at another position shows that the
/// module is damaged before it.
fn find_seal(words: &[u32]) -> Result<Option<std::ops::Range<usize>>, BinaryError> {
    // The whole words of the text; apart from strings, nothing in a module looks like them.
    let needle: Vec<u32> = SEAL
        .as_bytes()
        .as_chunks::<4>()
        .0
        .iter()
        .map(|c| u32::from_le_bytes(*c))
        .collect();
    let shown = |from: usize, to: usize| {
        let inside = words.get(from..to).unwrap_or(&[]);
        inside.windows(needle.len()).position(|w| w == needle)
    };
    let mut at = HEADER;
    while let Some(head) = words.get(at) {
        let length = (head >> 16) as usize;
        let end = at + length;
        let code = head & 0xFFFF;
        if length == 0 || end > words.len() {
            break;
        }
        match shown(at, end) {
            Some(1) if code == OP_MODULE_PROCESSED => return Ok(Some(at..end)),
            Some(_) if code != OP_STRING => break,
            Some(_) | None => {}
        }
        at = end;
    }
    if shown(at.min(words.len()), words.len()).is_some() {
        return Err(BinaryError::Damaged("the seal is not where it should be"));
    }
    Ok(None)
}

/// Returns the module without its seal, and whether clGetKernelArgInfo may answer; `None` if there is no seal.
fn unseal(words: &[u32], target: &Target) -> Result<Option<(Vec<u32>, bool)>, BinaryError> {
    let Some(place) = find_seal(words)? else {
        return Ok(None);
    };
    let literal = &words[place.start + 1..place.end];
    let bytes: Vec<u8> = literal.iter().flat_map(|w| w.to_le_bytes()).collect();
    let text = bytes.split(|b| *b == 0).next().unwrap_or(&[]);
    if bytes[text.len()..].iter().any(|b| *b != 0) {
        return Err(BinaryError::Damaged("text after the end of a string"));
    }
    let module: Vec<u32> = words[..place.start]
        .iter()
        .chain(&words[place.end..])
        .copied()
        .collect();
    let arg_info = text.ends_with(b"1");
    let expected = seal_text(&module, target, arg_info);
    if text == expected.as_bytes() {
        return Ok(Some((module, arg_info)));
    }
    let target_starts = SEAL.len() + 17;
    Err(
        if text.get(..target_starts) == expected.as_bytes().get(..target_starts) {
            BinaryError::Unusable("compiled for another device or by another version".into())
        } else {
            BinaryError::Damaged("the contents do not agree with the seal")
        },
    )
}

/// The first line of an object or library, parsed.
struct Head<'a> {
    kind: &'a str,
    count: usize,
    compiler: &'a str,
    target: u64,
}

impl Head<'_> {
    /// Returns the line, with a hash of its other fields and of the lines after it.
    fn line(&self, rest: &str) -> String {
        let Head {
            kind,
            count,
            compiler,
            target,
        } = self;
        let said = format!("{MAGIC}{VERSION} {kind} {count} {compiler} {target:016x} ");
        let contents = xxh3_64(format!("{said}{rest}").as_bytes());
        format!("{said}{contents:016x}\n")
    }
}

fn target_hash(target: &Target) -> u64 {
    xxh3_64(format!("{target:?}").as_bytes())
}

fn encode_objects(kind: &str, objects: &[Arc<Object>], target: &Target) -> Vec<u8> {
    let mut rest = String::new();
    for o in objects {
        let info = if o.arg_info { "i" } else { "" };
        rest.push_str(&format!("{}{info} ", o.text().len()));
    }
    rest.push('\n');
    for o in objects {
        rest.push_str(o.text());
    }
    let head = Head {
        kind,
        count: objects.len(),
        compiler: caldera_compiler::IDENTITY,
        target: target_hash(target),
    };
    (head.line(&rest) + &rest).into_bytes()
}

fn decode_objects(bytes: &[u8], target: &Target) -> Result<Output, BinaryError> {
    let damaged = BinaryError::Damaged;
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("not text"))?;
    let (line, rest) = text.split_once('\n').ok_or(damaged("no head"))?;
    let words: Vec<&str> = line[MAGIC.len()..].split(' ').collect();
    if words.first() != Some(&VERSION) {
        return Err(BinaryError::Unusable(
            "a program binary of another version".into(),
        ));
    }
    let &[_, kind, count, compiler, for_target, _] = words.as_slice() else {
        return Err(damaged("not the form of a head"));
    };
    let head = Head {
        kind,
        count: count.parse().map_err(|_| damaged("the count is no number"))?,
        compiler,
        target: u64::from_str_radix(for_target, 16).map_err(|_| damaged("the target is no number"))?,
    };
    if head.line(rest).trim_end() != line {
        return Err(damaged("the contents do not agree with the head"));
    }
    if compiler != caldera_compiler::IDENTITY || head.target != target_hash(target) {
        return Err(BinaryError::Unusable(
            "compiled for another device or by another version".into(),
        ));
    }
    let (lengths, mut texts) = rest.split_once('\n').ok_or(damaged("no lengths"))?;
    let mut objects = Vec::new();
    for length in lengths.split_whitespace() {
        let (length, arg_info) = match length.strip_suffix('i') {
            Some(length) => (length, true),
            None => (length, false),
        };
        let length: usize = length.parse().map_err(|_| damaged("a length is no number"))?;
        let (one, more) = texts.split_at_checked(length).ok_or(damaged("truncated"))?;
        objects.push(Arc::new(
            Object::from_text(one, arg_info).map_err(BinaryError::Unusable)?,
        ));
        texts = more;
    }
    if head.count != objects.len() || !texts.is_empty() {
        return Err(damaged("the parts do not add up"));
    }
    match (kind, objects.as_slice()) {
        ("object", [one]) => Ok(Output::Object(Arc::clone(one))),
        ("library", _) => Ok(Output::Library(objects.into())),
        _ => Err(damaged("unknown kind")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_shows_every_change() {
        let target = Target::desktop();
        // Header, OpCapability Shader, OpMemoryModel Logical GLSL450, OpTypeVoid
        let module = [
            SPIRV_MAGIC,
            0x10600,
            0,
            2,
            0,
            0x0002_0011,
            1,
            0x0003_000E,
            0,
            1,
            0x0002_0013,
            1,
        ];
        let sealed = seal(&module, &target, true);
        assert_eq!(unseal(&sealed, &target), Ok(Some((module.to_vec(), true))));
        assert_eq!(unseal(&module, &target), Ok(None));
        let place = seal_place(&module);
        let seal = place + 1..place + 4;
        for i in 0..sealed.len() {
            for bit in 0..32 {
                let mut changed = sealed.clone();
                changed[i] ^= 1 << bit;
                let got = unseal(&changed, &target);
                // Without the first words of its seal, a module counts as another compiler's; the rest of it is
                // unchanged then.
                let unmarked = seal.contains(&i) && got == Ok(None);
                assert!(got.is_err() || unmarked, "word {i} bit {bit}: {got:?}");
            }
        }
        let mut other = Target::desktop();
        other.features.float64 = false;
        assert!(matches!(unseal(&sealed, &other), Err(BinaryError::Unusable(_))));
    }

    /// Returns the binary of a library of two objects.
    fn library(target: &Target) -> Vec<u8> {
        let object = |text: &str| Arc::new(Object::from_text(text, true).expect("a module"));
        let texts = [
            "func @f0 \"a\"() {\n  Return\n}\n",
            "func @f0 \"b\"() {\n  Return\n}\n",
        ];
        encode_objects("library", &texts.map(object), target)
    }

    #[test]
    fn objects_show_every_change() {
        let target = Target::desktop();
        let bytes = library(&target);
        let back = decode_objects(&bytes, &target).expect("whole");
        assert_eq!(encode(&back, &target), bytes);
        for end in MAGIC.len()..bytes.len() {
            assert!(decode_objects(&bytes[..end], &target).is_err(), "{end}");
        }
        for at in MAGIC.len()..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert!(decode_objects(&changed, &target).is_err(), "byte {at} bit {bit}");
            }
        }
    }

    #[test]
    fn objects_of_others_are_refused() {
        let target = Target::desktop();
        let refused = |bytes: &[u8], target: &Target| match decode_objects(bytes, target) {
            Err(BinaryError::Unusable(why)) => why,
            other => panic!("{other:?}"),
        };
        let mut other = Target::desktop();
        other.features.float64 = false;
        assert!(refused(&library(&target), &other).contains("another device"));
        let rest = "0 \n";
        let head = Head {
            kind: "object",
            count: 1,
            compiler: "0123456789abcdef",
            target: target_hash(&target),
        };
        let bytes = head.line(rest) + rest;
        assert!(refused(bytes.as_bytes(), &target).contains("another version"));
        for text in ["caldera-binary 1 object 1\n0 \n", "caldera-binary 3 \n"] {
            assert!(refused(text.as_bytes(), &target).contains("another version"));
        }
    }

    /// A binary with a correct hash but invalid contents is refused without a panic.
    #[test]
    fn forged_objects_are_refused() {
        let target = Target::desktop();
        let empty = "func @f0 \"a\"() {\n  Return\n}\n";
        let whole = format!("{} \n{empty}", empty.len());
        let cases = [
            ("object", 1, "5 \nabc"),
            ("object", 1, "x \nabc"),
            ("object", 1, "3 \nabc"),
            ("object", 1, "no second line"),
            ("object", 2, "\n"),
            ("object", usize::MAX, "\n"),
            ("object", 0, "\n"),
            ("library", 2, &whole),
            ("thing", 1, &whole),
        ];
        for (kind, count, rest) in cases {
            let head = Head {
                kind,
                count,
                compiler: caldera_compiler::IDENTITY,
                target: target_hash(&target),
            };
            let bytes = head.line(rest) + rest;
            assert!(decode_objects(bytes.as_bytes(), &target).is_err(), "{bytes:?}");
        }
    }
}
