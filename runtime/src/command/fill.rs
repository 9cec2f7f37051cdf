//! clEnqueueFillBuffer (CL 5.2.3), and clEnqueueFillImage for images created from buffers.

use std::sync::Arc;

use super::buffer::access;
use super::rect::Rows;
use crate::error::Result;
use crate::mem::Buffer;
use crate::queue::{Keep, Recording};
use crate::vk;

/// A fill of rows with a repeated pattern.
pub(crate) struct Fill {
    pub buffer: Arc<Buffer>,
    /// 1, 2, 4, … or 128 bytes, or the bytes of a texel.
    pub pattern: Vec<u8>,
    pub rows: Rows,
}

/// The most bytes of repeated pattern that are staged for fills that vkCmdFillBuffer cannot make.
const REPEATED: u64 = 64 << 10;

impl Fill {
    /// Returns the pattern as a repeated 32-bit word, if it consists of one.
    fn word(&self) -> Option<u32> {
        let mut word = [0; 4];
        for (i, b) in word.iter_mut().enumerate() {
            *b = self.pattern[i % self.pattern.len()];
        }
        let same = self.pattern.iter().enumerate().all(|(i, b)| *b == word[i % 4]);
        same.then(|| u32::from_ne_bytes(word))
    }

    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        let rows = self.rows.merged();
        let first = self.buffer.offset() + rows.start;
        // Several rows are copied from staging memory, which takes one copy command for all.
        let aligned = first.is_multiple_of(4) && rows.width.is_multiple_of(4) && rows.count == 1;
        let storage = self.buffer.storage(r.device())?;
        let uses = [access(&self.buffer, rows.start, rows.end(), true)];
        match self.word().filter(|_| aligned) {
            Some(word) => {
                r.access(&uses, false);
                r.recorder().fill(storage, first, rows.width, word);
            }
            None => {
                let length = self.pattern.len() as u64;
                let chunk = (REPEATED / length * length).min(rows.width);
                let staged = r.stage(chunk)?;
                for at in (0..chunk).step_by(self.pattern.len()) {
                    staged.ptr.offset(at).store(&self.pattern);
                }
                r.access(&uses, false);
                let base = self.buffer.offset();
                let chunks = rows.starts().flat_map(|start| {
                    (0..rows.width)
                        .step_by(chunk as usize)
                        .map(move |at| vk::CopyRegion {
                            src: staged.offset,
                            dst: base + start + at,
                            size: chunk.min(rows.width - at),
                        })
                });
                r.recorder().copy(&staged.buffer, storage, chunks);
            }
        }
        r.writes(&self.buffer);
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        Ok(())
    }
}
