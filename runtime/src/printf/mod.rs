//! Output of kernels: from the printf buffer to the application's standard output (CL 6.12.13).
//!
//! Each launch of a kernel that may print has a buffer of its own, which is cleared before the launch. When the
//! batch is retired, before the events of its commands complete, the buffers are printed in the order of the
//! commands.

mod convert;
mod float;
mod stdout;

use std::borrow::Cow;
use std::sync::Arc;

use caldera_compiler::check::Site;
use caldera_compiler::printf::{Piece, pieces, to_bytes};
use caldera_compiler::reflect::PrintfFormat;

use crate::check::CheckedLaunch;
use crate::device::staging::Staging;
use crate::kernel::pipeline::DeviceKernel;
use crate::mem::HostPtr;

/// The output of one launch, printed after the GPU has completed it.
pub(crate) struct Output {
    pub buffer: Arc<Staging>,
    /// The number of bytes that the kernel may use.
    pub size: u64,
    pub kernel: Arc<DeviceKernel>,
    /// What the launch supplied for the kernel's checks, if it makes any.
    pub checked: Option<CheckedLaunch>,
}

impl Output {
    /// Prints the output.
    pub(crate) fn print(&self) {
        let module = self.kernel.module();
        let formats = &module.reflection().printf_formats;
        let text = text(&self.words(), formats, |address| module.constant_string(address));
        if !text.is_empty() {
            stdout::write(&text);
        }
    }

    /// Reports what the kernel's checks have found. Returns the number of findings.
    pub(crate) fn report(&self, told: &mut dyn FnMut(String)) -> u64 {
        let checked = self.checked.as_ref();
        checked.map_or(0, |c| c.report(&self.buffer, &self.kernel, &self.words(), told))
    }

    /// Returns the words that the kernel has written.
    fn words(&self) -> Vec<u32> {
        let Some(from) = self.buffer.mapped() else {
            return Vec::new();
        };
        let mut taken = [0; 4];
        from.copy_to(HostPtr::of_slice_mut(&mut taken), 4);
        // The counter includes calls that found no room in the buffer.
        let bytes = (u64::from(u32::from_ne_bytes(taken)) * 4).min(self.size.saturating_sub(4));
        let mut data = vec![0; bytes as usize];
        if bytes > 0 {
            from.offset(4).copy_to(HostPtr::of_slice_mut(&mut data), bytes);
        }
        let words = data.as_chunks::<4>().0.iter();
        words.map(|w| u32::from_ne_bytes(*w)).collect()
    }
}

/// Calls a function for each record in these words, with its format and its arguments.
pub(crate) fn records<'m>(
    words: &[u32],
    formats: &'m [PrintfFormat],
    mut found: impl FnMut(&'m PrintfFormat, &[Vec<u8>]),
) {
    let mut rest = words;
    while let Some((&id, args)) = rest.split_first() {
        let Some(format) = formats.iter().find(|f| f.id == id) else {
            // The buffer was full at this call.
            break;
        };
        let mut list = Vec::with_capacity(format.arg_sizes.len());
        let mut at = 0;
        for &size in &format.arg_sizes {
            let count = size.div_ceil(4) as usize;
            let Some(words) = args.get(at..at + count) else {
                return;
            };
            let bytes = words.iter().flat_map(|w| w.to_le_bytes());
            list.push(bytes.take(size as usize).collect::<Vec<u8>>());
            at += count;
        }
        found(format, &list);
        rest = &args[at..];
    }
}

/// Returns the text that the calls recorded in these words print.
fn text<'m>(
    words: &[u32],
    formats: &'m [PrintfFormat],
    constant: impl Fn(u64) -> Option<&'m [u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    records(words, formats, |format, args| {
        if Site::is_site(&format.format) {
            return;
        }
        let string = |arg: &[u8]| {
            let value = convert::unsigned(arg);
            if arg.len() == 8 {
                return constant(value).map(Cow::Borrowed);
            }
            let literal = formats.iter().find(|f| u64::from(f.id) == value);
            literal.map(|f| to_bytes(&f.format))
        };
        call(&mut out, &to_bytes(&format.format), args, string);
    });
    out
}

/// Formats one call. A string argument is the number of a literal, or an address in the constant data.
fn call<'m>(
    out: &mut Vec<u8>,
    format: &[u8],
    args: &[Vec<u8>],
    string: impl Fn(&[u8]) -> Option<Cow<'m, [u8]>>,
) {
    let mut args = args.iter();
    for piece in pieces(format) {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Conversion(c) => {
                // CL 6.12.13.2: too few arguments are undefined behaviour.
                let Some(arg) = args.next() else { return };
                if c.letter == b's' {
                    convert::string(out, &c, &string(arg).unwrap_or(Cow::Borrowed(b"(null)")));
                } else {
                    convert::argument(out, &c, arg);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(id: u32, format: &str, arg_sizes: &[u32]) -> PrintfFormat {
        PrintfFormat {
            id,
            format: format.into(),
            arg_sizes: arg_sizes.to_vec(),
        }
    }

    #[test]
    fn calls_are_printed_in_order() {
        let formats = [
            format(1, "%d:%s", &[4, 4]),
            format(2, "lit", &[]),
            format(3, " %v4hhd %lu\n", &[4, 8]),
        ];
        let words = [
            1,
            -7i32 as u32,
            2,
            3,
            0xff02_0301,
            1,
            1,
            1,
            8,
            9, // not a string
            0, // where the buffer was full
            1,
        ];
        let out = String::from_utf8(text(&words, &formats, |_| None)).expect("text");
        assert_eq!(out, "-7:lit 1,3,2,-1 4294967297\n8:(null)");
    }

    #[test]
    fn a_record_that_is_cut_off_is_not_printed() {
        let formats = [format(1, "%d %d", &[4, 4])];
        assert!(text(&[1, 5], &formats, |_| None).is_empty());
    }

    #[test]
    fn strings_are_literals_or_constants() {
        let formats = [format(1, "%s-%3s|", &[4, 8]), format(2, "lit", &[])];
        let at = |address| (address == 0x1_0000_0008).then_some(&b"c"[..]);
        assert_eq!(text(&[1, 2, 8, 1], &formats, at), b"lit-  c|");
        assert_eq!(text(&[1, 9, 8, 2], &formats, at), b"(null)-(null)|");
    }
}
