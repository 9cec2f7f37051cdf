//! The demo's picture: the Mandelbrot set, computed by a kernel and written as a PNG.

use crate::Failure;
use crate::cl::{Argument, Context, Device, Queue, Range};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;

const WIDTH: usize = 1200;
const HEIGHT: usize = 800;

const SOURCE: &str = r"
// Smooth escape-time colouring; one work-item per pixel.
uchar4 colour(float t)
{
    float3 phase = (float3)(0.0f, 0.6f, 1.0f);
    float3 wave = 0.5f - 0.5f * cos(3.0f + t * 0.15f + phase);
    return (uchar4)(convert_uchar3_sat(wave * 255.0f), 255);
}

kernel void mandelbrot(global uchar4 *image)
{
    int x = get_global_id(0), y = get_global_id(1);
    int width = get_global_size(0), height = get_global_size(1);
    float2 c = (float2)(3.0f * x / width - 2.2f, 2.0f * y / height - 1.0f);
    float2 z = 0.0f;
    int n = 0;
    while (n < 500 && dot(z, z) < 64.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        n++;
    }
    image[y * width + x] = n == 500 ? (uchar4)(0, 0, 0, 255) : colour(n + 1 - log2(0.5f * log2(dot(z, z))));
}
";

/// Computes the picture on a device, checks it and writes it. Returns a line with the time that this took.
pub(crate) fn run(device: &Device, path: &Path) -> Result<String, Failure> {
    let context = Context::new(device)?;
    let queue = Queue::new(&context, true)?;
    let mut image = vec![0u8; WIDTH * HEIGHT * 4];
    let buffer = context.buffer(image.len())?;
    let start = Instant::now();
    let program = context.build(SOURCE, "")?;
    let build_time = start.elapsed();
    let kernel = program.kernel("mandelbrot")?;
    kernel.set(0, Argument::Memory(&buffer))?;
    let range = Range {
        global: [WIDTH, HEIGHT],
        local: None,
    };
    let event = queue.launch_with_event(&kernel, range)?;
    queue.read(&buffer, &mut image)?;
    check(&image)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&image)?;
    Ok(format!(
        "{}: {WIDTH}x{HEIGHT} pixels; built in {:.2} ms, computed in {:.2} ms on the device",
        path.display(),
        build_time.as_secs_f64() * 1e3,
        event.device_seconds()? * 1e3,
    ))
}

/// Checks a sample of the points: whether they are in the set must agree with the host's own arithmetic,
/// except for a few points at the border.
fn check(image: &[u8]) -> Result<(), Failure> {
    let mut wrong = 0;
    let mut inside = 0;
    for y in (0..HEIGHT).step_by(8) {
        for x in (0..WIDTH).step_by(8) {
            let (cx, cy) = (
                3.0 * x as f64 / WIDTH as f64 - 2.2,
                2.0 * y as f64 / HEIGHT as f64 - 1.0,
            );
            let (mut zx, mut zy, mut n) = (0.0f64, 0.0f64, 0);
            while n < 500 && zx * zx + zy * zy < 64.0 {
                (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
                n += 1;
            }
            let pixel = &image[(y * WIDTH + x) * 4..][..4];
            let black = pixel == [0, 0, 0, 255];
            inside += usize::from(black);
            wrong += usize::from(black != (n == 500));
        }
    }
    if wrong > 20 || inside == 0 {
        return fail!("the picture is wrong: {wrong} points misjudged, {inside} inside");
    }
    Ok(())
}
