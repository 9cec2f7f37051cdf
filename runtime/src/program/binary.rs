//! Program binaries (CL 5.6.1, 5.6.6).
//!
//! The binary of an executable is its SPIR-V module and nothing else: the reflection is inside. An
//! `OpModuleProcessed` instruction seals it ([`seal`]): a hash of the module, and of the target that it was compiled
//! for, so that a damaged binary and one of another device are recognised. A module without a seal (from elsewhere)
//! is checked for completeness.
//!
//! What is compiled and not linked is the compiler's text form behind a line that says so:
//!
//! ```text
//! caldera-binary 1 object|library COUNT
//! LENGTH LENGTH …
//! text text …
//! ```

use std::sync::Arc;

use caldera_compiler::spirv;
use caldera_compiler::target::Target;

use super::Output;
use super::build::load;
use super::toolchain::Object;
use crate::device::Device;

const MAGIC: &str = "caldera-binary 1 ";
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// Why bytes are not a program binary.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BinaryError {
    /// Neither SPIR-V nor ours.
    #[error("not a program binary")]
    Unknown,
    /// Truncated or altered.
    #[error("damaged program binary: {0}")]
    Damaged(&'static str),
    /// SPIR-V that cannot be used on the device.
    #[error("{0}")]
    Unusable(String),
}

/// The bytes of CL_PROGRAM_BINARIES; empty where there is nothing.
pub(super) fn encode(output: &Output) -> Vec<u8> {
    match output {
        Output::None => Vec::new(),
        Output::Executable(e) => seal(&e.words, e.module.device().target(), e.arg_info)
            .iter()
            .flat_map(|w| w.to_ne_bytes())
            .collect(),
        Output::Object(o) => encode_objects("object", std::slice::from_ref(o)),
        Output::Library(l) => encode_objects("library", l),
    }
}

fn encode_objects(kind: &str, objects: &[Arc<Object>]) -> Vec<u8> {
    let mut text = format!("{MAGIC}{kind} {}\n", objects.len());
    for o in objects {
        text.push_str(&format!(
            "{}{} ",
            o.text().len(),
            if o.arg_info { "i" } else { "" }
        ));
    }
    text.push('\n');
    for o in objects {
        text.push_str(o.text());
    }
    text.into_bytes()
}

/// Reads what [`encode`] wrote, or a SPIR-V module with reflection from elsewhere.
pub(super) fn decode(device: &Arc<Device>, bytes: &[u8]) -> Result<Output, BinaryError> {
    if bytes.starts_with(MAGIC.as_bytes()) {
        return decode_objects(bytes);
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if words.first().map(|w| u32::from_ne_bytes(*w)) != Some(SPIRV_MAGIC) {
        return Err(BinaryError::Unknown);
    }
    if !rest.is_empty() {
        return Err(BinaryError::Damaged("the size is not a multiple of 4"));
    }
    let words: Vec<u32> = words.iter().map(|w| u32::from_ne_bytes(*w)).collect();
    let (words, arg_info) = match unseal(&words, device.target())? {
        Some((words, arg_info)) => (words, Some(arg_info)),
        None => {
            spirv::check(&words).map_err(BinaryError::Unusable)?;
            (words, None)
        }
    };
    load(device, &words.into(), arg_info).map_err(|log| BinaryError::Unusable(log.trim().to_owned()))
}

/// First words of the seal's text.
const SEAL: &str = "caldera-seal ";
const OP_MODULE_PROCESSED: u32 = 330;
/// Words of a module's header.
const HEADER: usize = 5;

/// Opcodes of what may stand before `OpModuleProcessed`: capabilities, extensions, imports, memory model, entry points
/// and their modes, strings, sources, names.
const BEFORE_SEAL: [u32; 13] = [2, 3, 4, 5, 6, 7, 10, 11, 14, 15, 16, 17, 331];

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// The seal's text, which says everything that is checked.
fn seal_text(words: &[u32], target: &Target, arg_info: bool) -> String {
    let module = hash(words.iter().flat_map(|w| w.to_le_bytes()));
    let target = hash(format!("{target:?}").bytes());
    format!("{SEAL}{module:016x} {target:016x} {}", u8::from(arg_info))
}

/// Where the seal is, or would be: behind everything of [`BEFORE_SEAL`].
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

/// The module with its seal.
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

/// The module without its seal, and whether clGetKernelArgInfo may answer; `None` if there is no seal.
fn unseal(words: &[u32], target: &Target) -> Result<Option<(Vec<u32>, bool)>, BinaryError> {
    let at = seal_place(words);
    let Some(head) = words.get(at).filter(|w| *w & 0xFFFF == OP_MODULE_PROCESSED) else {
        return Ok(None);
    };
    let end = at + (head >> 16) as usize;
    let Some(literal) = words.get(at + 1..end) else {
        return Err(BinaryError::Damaged("truncated"));
    };
    let bytes: Vec<u8> = literal.iter().flat_map(|w| w.to_le_bytes()).collect();
    let text = bytes.split(|b| *b == 0).next().unwrap_or(&[]);
    if bytes[text.len()..].iter().any(|b| *b != 0) {
        return Err(BinaryError::Damaged("text behind the end of a string"));
    }
    if !text.starts_with(SEAL.as_bytes()) {
        return Ok(None);
    }
    let module: Vec<u32> = words[..at].iter().chain(&words[end..]).copied().collect();
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

fn decode_objects(bytes: &[u8]) -> Result<Output, BinaryError> {
    let damaged = BinaryError::Damaged;
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("not text"))?;
    let (head, rest) = text.split_once('\n').ok_or(damaged("no head"))?;
    let (lengths, mut texts) = rest.split_once('\n').ok_or(damaged("no lengths"))?;
    let (kind, count) = head[MAGIC.len()..].split_once(' ').ok_or(damaged("no kind"))?;
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
    if count.parse() != Ok(objects.len()) || !texts.is_empty() {
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

    fn bad(bytes: &[u8]) -> BinaryError {
        decode_objects(bytes).expect_err("damaged")
    }

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
        for i in 0..sealed.len() {
            for bit in 0..32 {
                let mut changed = sealed.clone();
                changed[i] ^= 1 << bit;
                let got = unseal(&changed, &target);
                assert!(
                    !matches!(&got, Ok(Some((m, true))) if *m == module),
                    "word {i} bit {bit}: {got:?}"
                );
            }
        }
        let mut other = Target::desktop();
        other.features.float64 = false;
        assert!(matches!(unseal(&sealed, &other), Err(BinaryError::Unusable(_))));
    }

    #[test]
    fn damaged_objects_are_refused() {
        for text in [
            "caldera-binary 1 ",
            "caldera-binary 1 object\n",
            "caldera-binary 1 object 1\n5 \nabc",
            "caldera-binary 1 object 1\nx \nabc",
            "caldera-binary 1 object 2\n\n",
            "caldera-binary 1 object 99999999999999999999\n\n",
            "caldera-binary 1 thing 0\n\n",
        ] {
            assert!(
                matches!(bad(text.as_bytes()), BinaryError::Damaged(_)),
                "{text:?}"
            );
        }
    }
}
