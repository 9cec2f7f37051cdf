//! Program binaries (CL 5.6.1, 5.6.6).
//!
//! The binary of an executable is its SPIR-V module and nothing else: the reflection is inside. What is compiled and
//! not linked is the compiler's text form behind a line that says so:
//!
//! ```text
//! caldera-binary 1 object|library COUNT
//! LENGTH LENGTH …
//! text text …
//! ```

use std::sync::Arc;

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
        Output::Executable(e) => e.words.iter().flat_map(|w| w.to_ne_bytes()).collect(),
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
    let words: Arc<[u32]> = words.iter().map(|w| u32::from_ne_bytes(*w)).collect();
    load(device, &words, None).map_err(|log| BinaryError::Unusable(log.trim().to_owned()))
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
