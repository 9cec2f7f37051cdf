//! The format of an entry.
//!
//! ```text
//! 8 bytes   "caldera1"
//! 8 bytes   XXH3 of all that follows
//! 8 bytes   length of the key
//!           key
//!           value
//! ```
//!
//! Numbers are little-endian.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::SHARDS;

/// The name of the directory for entries of this format; another format gets another name.
pub(super) const FORMAT: &str = "v1";

const MAGIC: &[u8; 8] = b"caldera1";
const HEAD: usize = 24;

/// The key of an entry: everything that its value depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    bytes: Vec<u8>,
    hash: u128,
}

impl Key {
    /// Makes a key of `parts`, in order. `kind` names the type of value. The key begins with the identity of
    /// the compiler.
    pub(crate) fn new(kind: &str, parts: &[&[u8]]) -> Key {
        let mut bytes = Vec::with_capacity(64 + parts.iter().map(|p| p.len() + 8).sum::<usize>());
        for part in [caldera_compiler::IDENTITY.as_bytes(), kind.as_bytes()]
            .iter()
            .chain(parts)
        {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(*part);
        }
        let hash = xxh3_128(&bytes);
        Key { bytes, hash }
    }

    pub(super) fn shard(&self) -> usize {
        (self.hash >> 124) as usize % SHARDS
    }

    pub(super) fn file_name(&self) -> String {
        format!("{:032x}", self.hash)
    }
}

pub(super) fn encode(key: &Key, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + key.bytes.len() + value.len());
    bytes.extend(MAGIC);
    bytes.extend([0; 8]);
    bytes.extend((key.bytes.len() as u64).to_le_bytes());
    bytes.extend(&key.bytes);
    bytes.extend(value);
    let sum = xxh3_64(&bytes[16..]);
    bytes[8..16].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Returns the value; `None` if the entry belongs to another key. The error says why the bytes are not an
/// entry.
pub(super) fn decode<'a>(bytes: &'a [u8], key: &Key) -> Result<Option<&'a [u8]>, &'static str> {
    let (head, body) = bytes.split_at_checked(HEAD).ok_or("cut off")?;
    let number = |at: usize| head[at..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
    if &head[..8] != MAGIC {
        return Err("not an entry");
    }
    if xxh3_64(&bytes[16..]) != number(8) {
        return Err("damaged");
    }
    let (found, value) = usize::try_from(number(16))
        .ok()
        .and_then(|length| body.split_at_checked(length))
        .ok_or("damaged")?;
    Ok((found == key.bytes).then_some(value))
}
