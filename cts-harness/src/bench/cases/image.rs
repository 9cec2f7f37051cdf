//! Transfers the texels of 2D images of several sizes and formats.

use super::transfer::{self, Storage, Transfers};
use crate::Failure;
use crate::bench::case::{Case, Need, Stop};
use crate::cl::{Image, Mapping, Pixels, Queue};

const SIDES: [usize; 4] = [256, 1024, 4096, 8192];
const FORMATS: [(Pixels, &str); 2] = [(Pixels::Rgba8, "RGBA8"), (Pixels::Rgba32F, "RGBA32F")];
/// A colour that 8-bit components represent exactly.
const COLOR: [f32; 4] = [0.2, 0.4, 0.6, 0.8];

pub(super) fn cases(largest: usize) -> Vec<Case> {
    FORMATS
        .into_iter()
        .flat_map(|format| SIDES.map(|side| (side, format)))
        .filter(|(side, (pixels, _))| side * side * pixels.size() <= largest)
        .map(|(side, (pixels, name))| case(side, pixels, name))
        .collect()
}

fn case(side: usize, pixels: Pixels, name: &str) -> Case {
    let size = side * side * pixels.size();
    transfer::case(&format!("image/{side} {name}"), size, size < 2 << 20, move |on| {
        let device = &on.device;
        on.offers(Need::Images)?;
        if size as u64 > device.largest_buffer || size as u64 * 6 > device.global_memory {
            return Err(Stop::Refused("little memory".into()));
        }
        let image = || on.context.square_image(side, pixels);
        Transfers::new(&on.context, [image()?, image()?], texels(size))
    })
}

/// Returns bytes that differ from texel to texel. As floats they are neither infinite nor subnormal.
fn texels(size: usize) -> Vec<u8> {
    let word = |i: u32| i.wrapping_mul(0x9E37_79B9) & 0x3FFF_FFFF | 0x2000_0000;
    (0..size as u32 / 4).flat_map(|i| word(i).to_le_bytes()).collect()
}

impl Storage for Image {
    fn write(&self, queue: &Queue, from: &[u8]) -> Result<(), Failure> {
        queue.write_image(self, from)
    }

    fn read(&self, queue: &Queue, to: &mut [u8]) -> Result<(), Failure> {
        queue.read_image(self, to)
    }

    fn copy(&self, queue: &Queue, to: &Image) -> Result<(), Failure> {
        queue.copy_image(self, to)
    }

    fn fill(&self, queue: &Queue) -> Result<(), Failure> {
        queue.fill_image(self, COLOR)
    }

    fn filled(&self) -> Vec<u8> {
        match self.pixels() {
            Pixels::Rgba8 => vec![51, 102, 153, 204],
            Pixels::Rgba32F => COLOR.iter().flat_map(|c| c.to_le_bytes()).collect(),
        }
    }

    fn map<'a>(&'a self, queue: &'a Queue) -> Result<Mapping<'a>, Failure> {
        queue.map_image(self)
    }

    fn rows(&self, mapped: &Mapping<'_>) -> (usize, usize) {
        (self.row(), mapped.pitch)
    }
}
