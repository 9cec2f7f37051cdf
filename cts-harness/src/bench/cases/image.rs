//! Transfers the texels of 2D images of several sizes and formats.

use super::transfer::{Operation, rows, samples};
use crate::bench::case::{Case, Running, Sample, Side, Stop};
use crate::cl::{Buffer, Image, Pixels, Queue};

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
    let small = size < 2 << 20;
    Case {
        rows: rows(&format!("image/{side} {name}"), size),
        block: if small { 20 } else { 1 },
        most: if small { 400 } else { 30 },
        make: Box::new(move |on| Ok(Box::new(Images::new(on, side, pixels)?) as Box<dyn Running>)),
    }
}

struct Images {
    queue: Queue,
    image: Image,
    other: Image,
    pinned: Buffer,
    pixels: Pixels,
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Images {
    fn new(on: &Side, side: usize, pixels: Pixels) -> Result<Images, Stop> {
        let device = &on.device;
        if !device.has_images {
            return Err(Stop::Refused("no images".into()));
        }
        let size = side * side * pixels.size();
        if size as u64 > device.largest_buffer || size as u64 * 6 > device.global_memory {
            return Err(Stop::Refused("little memory".into()));
        }
        let context = &on.context;
        Ok(Images {
            queue: Queue::new(context, false)?,
            image: context.square_image(side, pixels)?,
            other: context.square_image(side, pixels)?,
            pinned: context.pinned(size)?,
            pixels,
            from: texels(size),
            to: vec![0; size],
        })
    }
}

/// Returns bytes that differ from texel to texel. As floats they are neither infinite nor subnormal.
fn texels(size: usize) -> Vec<u8> {
    let word = |i: u32| i.wrapping_mul(0x9E37_79B9) & 0x3FFF_FFFF | 0x2000_0000;
    (0..size as u32 / 4).flat_map(|i| word(i).to_le_bytes()).collect()
}

impl Running for Images {
    fn repeat(&mut self) -> Result<Vec<Sample>, Stop> {
        let Images {
            queue,
            image,
            other,
            pinned,
            from,
            to,
            ..
        } = self;
        let mut host = queue.map(pinned)?;
        samples(queue, |operation| {
            match operation {
                Operation::Write => queue.write_image(image, from)?,
                Operation::Read => queue.read_image(image, to)?,
                Operation::WritePinned => queue.write_image(image, &host)?,
                Operation::ReadPinned => queue.read_image(image, &mut host)?,
                Operation::Map => {
                    drop(queue.map_image(image)?);
                    queue.finish()?;
                }
                Operation::Copy => {
                    queue.copy_image(image, other)?;
                    queue.finish()?;
                }
                Operation::Fill => {
                    queue.fill_image(image, COLOR)?;
                    queue.finish()?;
                }
            }
            Ok(())
        })
    }

    /// Runs each operation separately, and then checks the texels that it transferred.
    fn check(&mut self) -> Result<(), Stop> {
        let Images {
            queue,
            image,
            other,
            pinned,
            pixels,
            from,
            to,
        } = self;
        let expect = |what: &str, same: bool| match same {
            true => Ok(()),
            false => Err(Stop::Failed(format!("{what} moved other texels"))),
        };
        queue.write_image(image, from)?;
        to.fill(0);
        queue.read_image(image, to)?;
        expect("write or read", to == from)?;
        queue.copy_image(image, other)?;
        to.fill(0);
        queue.read_image(other, to)?;
        expect("copy", to == from)?;
        queue.fill_image(other, COLOR)?;
        queue.read_image(other, to)?;
        let texel: Vec<u8> = match pixels {
            Pixels::Rgba8 => vec![51, 102, 153, 204],
            Pixels::Rgba32F => COLOR.iter().flat_map(|c| c.to_le_bytes()).collect(),
        };
        expect("fill", to.chunks_exact(texel.len()).all(|t| *t == texel))?;
        // The pinned memory is first the source, then the destination.
        let mut host = queue.map(pinned)?;
        host.copy_from_slice(from);
        queue.write_image(image, &host)?;
        host.fill(0);
        queue.read_image(image, to)?;
        expect("write from pinned memory", to == from)?;
        queue.read_image(image, &mut host)?;
        expect("read to pinned memory", *host == **from)?;
        let row = image.row();
        {
            let mut mapped = queue.map_image(image)?;
            let pitch = mapped.pitch;
            let mut rows = mapped.chunks(pitch).zip(from.chunks(row));
            expect("map", rows.all(|(m, f)| m[..row] == *f))?;
            mapped.chunks_mut(pitch).for_each(|m| m[0] ^= 255);
        }
        queue.read_image(image, to)?;
        let mut rows = to.chunks(row).zip(from.chunks(row));
        expect("unmap", rows.all(|(t, f)| t[0] == f[0] ^ 255 && t[1..] == f[1..]))
    }
}
