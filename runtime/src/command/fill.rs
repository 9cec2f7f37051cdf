//! clEnqueueFillBuffer (CL 5.2.3), and clEnqueueFillImage of images that lie in buffers.

use std::sync::Arc;

use super::buffer::access;
use super::rect::Rows;
use crate::error::Result;
use crate::mem::Buffer;
use crate::queue::{Keep, Recording};
use crate::vk;

/// A pattern, repeated over rows.
pub(crate) struct Fill {
    pub buffer: Arc<Buffer>,
    /// 1, 2, 4 … 128 bytes.
    pub pattern: Vec<u8>,
    pub rows: Rows,
}

/// Bytes of repeated pattern that are staged for what vkCmdFillBuffer cannot do.
const REPEATED: u64 = 64 << 10;

impl Fill {
    /// The pattern as a repeated 32-bit word, if it is one.
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
        // Of several rows all are one copy command.
        let aligned = first.is_multiple_of(4) && rows.width.is_multiple_of(4) && rows.count == 1;
        let storage = self.buffer.storage(r.device)?;
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
                r.keep(Keep::Staging(Arc::clone(&staged.buffer)));
            }
        }
        r.writes(&self.buffer);
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        Ok(())
    }
}
