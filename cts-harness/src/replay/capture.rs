//! A captured launch as `launch.json` describes it (`runtime/docs/capture.md`).

use crate::Failure;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Launch {
    format: u32,
    caldera: String,
    pub(super) device: String,
    driver: String,
    pub(super) kernel: String,
    pub(super) number: u64,
    number_of_all: u64,
    pub(super) offset: Vec<usize>,
    pub(super) global: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) local: Option<Vec<usize>>,
    pub(super) program: Program,
    pub(super) arguments: Vec<Argument>,
    pub(super) memory: Vec<Memory>,
    pub(super) results: Results,
}

/// What came of the launch.
#[derive(Serialize, Deserialize, Copy, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Results {
    /// The process ended before the launch was complete, or the sizes have been changed since.
    Unknown,
    /// The command failed.
    Failed,
    /// The contents of the memory objects after the launch are known.
    Captured,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Program {
    /// The only part was built by clBuildProgram.
    Built { options: String, parts: Vec<Part> },
    /// The parts were compiled, and linked with the options.
    Linked { options: String, parts: Vec<Part> },
    /// A binary, which only the device can load that it is from.
    Binary { options: String, file: String },
}

/// The input of one build or compilation.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Part {
    Source(Input),
    Il {
        #[serde(flatten)]
        input: Input,
        constants: Vec<Constant>,
    },
}

/// The text of a part, its options, and what `#include` may name.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Input {
    pub(super) options: String,
    pub(super) file: String,
    /// The headers of clCompileProgram.
    pub(super) headers: Vec<Named>,
    /// The files that `#include` has found.
    pub(super) includes: Vec<Named>,
    /// The directories of `-I`.
    pub(super) directories: Vec<String>,
}

/// A text with a name: that of a header, or the path of a file.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) file: String,
}

/// The value of a specialization constant, in hexadecimal digits.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Constant {
    pub(super) id: u32,
    pub(super) bytes: String,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Argument {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// The type as the kernel's source has it.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub(super) ty: String,
    #[serde(flatten)]
    pub(super) value: Value,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Value {
    /// A value of any type, in hexadecimal digits.
    #[serde(rename = "value")]
    Bytes {
        bytes: String,
    },
    Local {
        size: usize,
    },
    Buffer(Range),
    /// An image, by its index among the memory objects.
    Image {
        memory: usize,
    },
    Sampler {
        normalized: u32,
        addressing: u32,
        filter: u32,
    },
    Null,
}

/// A range of a buffer, which is given by its index among the memory objects.
#[derive(Serialize, Deserialize, Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) memory: usize,
    pub(super) offset: usize,
    pub(super) size: usize,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Memory {
    Buffer {
        flags: u64,
        size: usize,
        #[serde(flatten)]
        contents: Contents,
    },
    Image {
        flags: u64,
        #[serde(rename = "type")]
        ty: u32,
        order: u32,
        data: u32,
        size: [usize; 3],
        #[serde(flatten)]
        contents: Contents,
        /// The buffer that has the texels, and the distance of their rows in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        buffer: Option<Range>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row_pitch: Option<usize>,
    },
}

/// The files with the contents of a memory object.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
pub(super) struct Contents {
    /// Before the launch; `None` if a buffer has the texels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// After the launch; `None` if it has changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
}

impl Memory {
    pub(super) fn contents(&self) -> &Contents {
        match self {
            Memory::Buffer { contents, .. } | Memory::Image { contents, .. } => contents,
        }
    }

    pub(super) fn contents_mut(&mut self) -> &mut Contents {
        match self {
            Memory::Buffer { contents, .. } | Memory::Image { contents, .. } => contents,
        }
    }
}

impl Launch {
    /// Reads the description of a launch in a folder.
    pub(super) fn read(folder: &Path) -> Result<Launch, Failure> {
        let bytes = read(folder, "launch.json")?;
        let launch: Launch =
            serde_json::from_slice(&bytes).map_err(|e| failure!("{}/launch.json: {e}", folder.display()))?;
        if launch.format != FORMAT {
            return fail!(
                "{} has the format {}, and this harness reads {FORMAT}",
                folder.display(),
                launch.format
            );
        }
        Ok(launch)
    }
}

/// Reads a file of a folder.
pub(super) fn read(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    // A capture is data from elsewhere: its names are those of files in its folder.
    if name.contains('/') || name == ".." {
        return fail!("{} names the file {name}", folder.display());
    }
    let path = folder.join(name);
    crate::files::read(&path)
}

/// Returns the bytes that hexadecimal digits stand for.
pub(super) fn bytes(hex: &str) -> Result<Vec<u8>, Failure> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|two| {
            let two = std::str::from_utf8(two).unwrap_or("");
            u8::from_str_radix(two, 16).map_err(|e| failure!("«{two}» in {hex}: {e}"))
        })
        .collect()
}
