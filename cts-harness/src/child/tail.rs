//! The lines that a file grows by.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

/// Bytes that are read at a time.
const STEP: u64 = 4 << 20;

/// Bytes after which an unfinished line is given up: none of interest is that long.
const LONGEST: usize = 1 << 20;

/// A file that another process appends to.
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

    /// Bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    pub(super) fn is_at_end(&self) -> Result<bool> {
        Ok(self.file.metadata()?.len() <= self.at)
    }

    /// The next finished lines. Not all that there are, since a process may write without end.
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
