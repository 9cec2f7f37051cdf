//! Fourier transforms of 1024 points in local memory.

use super::prelude::*;
use std::f64::consts::TAU;

const POINTS: usize = 1024;
const GROUP: usize = 256;

pub(super) fn case(scale: Scale) -> Case {
    let transforms = scale.pick(64, 1 << 15);
    let operations = transforms as f64 * 5.0 * POINTS as f64 * (POINTS as f64).log2();
    work::case("kernel/fft 1024", giga(operations, "GFLOP/s"), move |_| {
        Ok(fft(transforms))
    })
}

/// Returns exp(-2πi·k/POINTS).
fn root(k: usize) -> (f64, f64) {
    let (sin, cos) = (TAU * k as f64 / POINTS as f64).sin_cos();
    (cos, -sin)
}

fn fft(transforms: usize) -> Work {
    let points = Random::new(8).numbers(transforms * POINTS * 2);
    let roots: Vec<f32> = (0..POINTS)
        .map(root)
        .flat_map(|(re, im)| [re as f32, im as f32])
        .collect();
    Work::new(
        include_str!("../kernels/fft.cl"),
        vec![
            Memory::Buffer(of_f32(&points)),
            Memory::Output(points.len() * 4),
            Memory::Buffer(of_f32(&roots)),
        ],
    )
    .launch(
        "fft",
        &[Object(0), Object(1), Object(2)],
        Range::line(transforms * GROUP, GROUP),
    )
    .checked(1, move |found| check(&points, &to_f32(found), transforms))
}

/// Computes some frequencies of some transforms by their definition, and compares them.
fn check(points: &[f32], found: &[f32], transforms: usize) -> Result<(), String> {
    let roots: Vec<(f64, f64)> = (0..POINTS).map(root).collect();
    let mut random = Random::new(9);
    for _ in 0..200 {
        let (transform, frequency) = (random.below(transforms), random.below(POINTS));
        let mine = &points[transform * POINTS * 2..][..POINTS * 2];
        let (mut re, mut im) = (0.0, 0.0);
        for (i, (x, y)) in mine.iter().zip(&mine[1..]).step_by(2).enumerate() {
            let (x, y, (c, s)) = (f64::from(*x), f64::from(*y), roots[i * frequency % POINTS]);
            re += x * c - y * s;
            im += x * s + y * c;
        }
        let at = (transform * POINTS + frequency) * 2;
        let what = format!("frequency {frequency} of transform {transform}");
        close(&what, f64::from(found[at]), re, 32.0, 1e-5)?;
        close(&what, f64::from(found[at + 1]), im, 32.0, 1e-5)?;
    }
    Ok(())
}
