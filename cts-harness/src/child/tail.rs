//! Reads the lines that are appended to a file.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

/// The number of bytes that are read at a time.
const STEP: u64 = 4 << 20;

/// An incomplete line with more bytes than this is dropped. No line of interest is that long.
const LONGEST: usize = 1 << 20;

/// A file to which another process appends.
pub(super) struct Tail {
    file: File,
    at: u64,
    rest: Vec<u8>,
}

impl Tail {
    pub(super) fn open(path: &Path) -> Result<Tail> {
        Ok(Tail {
            file: File::open(path)?,
            at: 0,
            rest: Vec::new(),
        })
    }

    /// Returns the number of bytes that have been read.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    pub(super) fn is_at_end(&self) -> Result<bool> {
        Ok(self.file.metadata()?.len() <= self.at)
    }

    /// Returns the next complete lines. It reads a limited amount at a time, since a process may write
    /// without end.
    pub(super) fn new_lines(&mut self) -> Result<Vec<String>> {
        if self.is_at_end()? {
            return Ok(Vec::new());
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut new = Vec::new();
        Read::by_ref(&mut self.file).take(STEP).read_to_end(&mut new)?;
        self.at += new.len() as u64;
        self.rest.extend(new);
        let end = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        if self.rest.len() > LONGEST {
            self.rest.clear();
        }
        let lines = whole.split_inclusive(|b| *b == b'\n');
        Ok(lines
            .map(|l| String::from_utf8_lossy(l.trim_ascii_end()).into_owned())
            .collect())
    }
}
