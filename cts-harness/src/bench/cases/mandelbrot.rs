//! The Mandelbrot set: loops with divergent trip counts.

use super::prelude::*;

const LEFT: f32 = -2.25;
const TOP: f32 = -1.5;

pub(super) fn case(scale: Scale) -> Case {
    let side = scale.pick(512, 4096);
    let most = scale.pick(200, 1000);
    work::case(
        "kernel/mandelbrot",
        giga((side * side) as f64, "Gpix/s"),
        move |_| Ok(mandelbrot(side, most)),
    )
}

fn mandelbrot(side: usize, most: u32) -> Work {
    // The step is three times a power of two, so all coordinates are exact.
    let step = 3.0 / side as f32;
    Work::new(
        include_str!("../kernels/mandelbrot.cl"),
        vec![Memory::Output(side * side * 4)],
    )
    .launch(
        "mandelbrot",
        &[U32(most), F32(LEFT), F32(TOP), F32(step), Object(0)],
        Range::plane([side, side], [16, 16]),
    )
    .checked(0, move |found| check(&to_u32(found), side, most, step))
}

/// Checks a sample of the points. A multiplication and an addition may be contracted, which changes the count
/// of points near the edge of the set. Therefore a few points may differ.
fn check(found: &[u32], side: usize, most: u32, step: f32) -> Result<(), String> {
    let mut random = Random::new(12);
    let (mut wrong, mut inside) = (0, 0);
    for _ in 0..2000 {
        let (x, y) = (random.below(side), random.below(side));
        let expected = steps(LEFT + x as f32 * step, TOP + y as f32 * step, most);
        wrong += usize::from(found[y * side + x] != expected);
        inside += usize::from(expected == most);
    }
    if wrong > 60 || inside == 0 {
        return Err(format!(
            "{wrong} of 2000 points are wrong, {inside} inside the set"
        ));
    }
    Ok(())
}

fn steps(cx: f32, cy: f32, most: u32) -> u32 {
    let (mut zx, mut zy, mut n) = (0.0f32, 0.0f32, 0);
    while n < most && zx * zx + zy * zy < 4.0 {
        (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
        n += 1;
    }
    n
}
