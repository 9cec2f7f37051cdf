//! Matrix products of floats: naive, tiled, and blocked in registers.

use super::prelude::*;

/// The number of rows and of columns that a work-item of the blocked kernel computes.
const EACH: usize = 8;

pub(super) fn cases(scale: Scale) -> [Case; 3] {
    let n = scale.pick(256, 4096);
    [
        ("kernel/sgemm naive", "naive", n),
        ("kernel/sgemm tiled", "tiled", n),
        ("kernel/sgemm blocked", "blocked", n / EACH),
    ]
    .map(|(name, kernel, items)| {
        let operations = 2.0 * (n as f64).powi(3);
        work::case(name, giga(operations, "GFLOP/s"), move |_| {
            Ok(sgemm(kernel, n, items))
        })
    })
}

fn sgemm(kernel: &'static str, n: usize, items: usize) -> Work {
    let mut random = Random::new(6);
    let (a, b) = (random.numbers(n * n), random.numbers(n * n));
    let options = match kernel {
        "blocked" => format!("-DEACH={EACH}"),
        _ => String::new(),
    };
    Work::new(
        include_str!("../kernels/sgemm.cl"),
        vec![
            Memory::Buffer(of_f32(&a)),
            Memory::Buffer(of_f32(&b)),
            Memory::Output(n * n * 4),
        ],
    )
    .options(options)
    .launch(
        kernel,
        &[U32(n as u32), Object(0), Object(1), Object(2)],
        Range::plane([items, items], [16, 16]),
    )
    .checked(2, move |found| {
        let found = to_f32(found);
        sampled(n, &a, &b, |i| found[i], 2e-5)
    })
}

/// Compares a thousand random elements of a product with sums in double precision.
pub(super) fn sampled(
    n: usize,
    a: &[f32],
    b: &[f32],
    found: impl Fn(usize) -> f32,
    part: f64,
) -> Result<(), String> {
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let (row, column) = (random.below(n), random.below(n));
        let terms = (0..n).map(|k| f64::from(a[row * n + k]) * f64::from(b[k * n + column]));
        let what = format!("element ({row}, {column})");
        let at = row * n + column;
        close(&what, f64::from(found(at)), terms.sum(), (n as f64).sqrt(), part)?;
    }
    Ok(())
}
