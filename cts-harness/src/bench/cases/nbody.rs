//! The n-body problem over all pairs: floats with rsqrt and native_rsqrt, and doubles.

use super::prelude::*;

const SOFTENING: f64 = 0.0625;

pub(super) fn cases(scale: Scale) -> [Case; 3] {
    let (single, double) = (scale.pick(1024, 1 << 16), scale.pick(512, 1 << 14));
    let pairs = |n: usize| giga((n * n) as f64, "G/s");
    [
        work::case("kernel/nbody rsqrt", pairs(single), move |_| {
            Ok(nbody(single, "rsqrt", false))
        }),
        work::case("kernel/nbody native_rsqrt", pairs(single), move |_| {
            Ok(nbody(single, "native_rsqrt", false))
        }),
        work::case("kernel/nbody double", pairs(double), move |side| {
            side.offers(Need::Double)?;
            Ok(nbody(double, "rsqrt", true))
        }),
    ]
}

fn nbody(count: usize, root: &str, double: bool) -> Work {
    let mut bodies = Random::new(10).numbers(count * 4);
    // Masses must be positive.
    bodies.iter_mut().skip(3).step_by(4).for_each(|m| *m += 1.25);
    let wide: Vec<f64> = bodies.iter().map(|n| f64::from(*n)).collect();
    let (bytes, size, softening, types) = match double {
        true => (
            of_f64(&wide),
            8,
            F64(SOFTENING),
            "-DDOUBLE -DREAL=double -DREAL4=double4",
        ),
        false => (
            of_f32(&bodies),
            4,
            F32(SOFTENING as f32),
            "-DREAL=float -DREAL4=float4",
        ),
    };
    Work::new(
        include_str!("../kernels/nbody.cl"),
        vec![Memory::Buffer(bytes), Memory::Output(count * 4 * size)],
    )
    .options(format!("{types} -DINVERSE_ROOT={root}"))
    .launch(
        "nbody",
        &[U32(count as u32), softening, Object(0), Object(1)],
        Range::line(count, 256),
    )
    .checked(1, move |found| match double {
        true => check(&wide, &to_f64(found), 1e-12),
        false => {
            let found: Vec<f64> = to_f32(found).iter().map(|n| f64::from(*n)).collect();
            check(&wide, &found, 1e-4)
        }
    })
}

/// Compares some bodies with results in double precision.
fn check(bodies: &[f64], found: &[f64], part: f64) -> Result<(), String> {
    let mut random = Random::new(11);
    for _ in 0..32 {
        let at = random.below(bodies.len() / 4) * 4;
        let (mut sum, mut size) = ([0.0; 3], 0.0);
        for other in bodies.chunks_exact(4) {
            let d: [f64; 3] = std::array::from_fn(|i| other[i] - bodies[at + i]);
            let distance = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING).sqrt();
            let pull = other[3] / distance.powi(3);
            size += pull;
            for (s, d) in sum.iter_mut().zip(d) {
                *s += d * pull;
            }
        }
        for i in 0..3 {
            close(
                &format!("component {i} of body {}", at / 4),
                found[at + i],
                sum[i],
                size,
                part,
            )?;
        }
    }
    Ok(())
}
