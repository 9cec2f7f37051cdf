//! A 3 × 3 stencil that reads a buffer or an image.

use super::prelude::*;

pub(super) fn cases(scale: Scale) -> [Case; 2] {
    let side = scale.pick(512, 4096);
    let quantity = giga((side * side) as f64, "Gpix/s");
    [
        work::case("kernel/stencil buffer", quantity, move |_| {
            Ok(stencil(side, false))
        }),
        work::case("kernel/stencil image", quantity, move |on| {
            on.offers(Need::Images)?;
            Ok(stencil(side, true))
        }),
    ]
}

fn stencil(side: usize, image: bool) -> Work {
    let pixels = Random::new(14).numbers(side * side);
    let from = match image {
        true => Memory::Image {
            width: side,
            pixels: pixels.clone(),
        },
        false => Memory::Buffer(of_f32(&pixels)),
    };
    Work::new(
        include_str!("../kernels/stencil.cl"),
        vec![from, Memory::Output(side * side * 4)],
    )
    .options(String::from(if image { "-DIMAGES" } else { "" }))
    .launch(
        if image { "stencil_image" } else { "stencil" },
        &[Object(0), Object(1)],
        Range::plane([side, side], [16, 16]),
    )
    .checked(1, move |found| check(&pixels, &to_f32(found), side))
}

/// Compares the corners and many random pixels.
fn check(pixels: &[f32], found: &[f32], side: usize) -> Result<(), String> {
    const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.25];
    let mut random = Random::new(15);
    let corners = [(0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1)];
    let others: Vec<(usize, usize)> = (0..2000)
        .map(|_| (random.below(side), random.below(side)))
        .collect();
    for (x, y) in corners.into_iter().chain(others) {
        let mut sum = 0.0;
        for (dy, wy) in WEIGHTS.iter().enumerate() {
            for (dx, wx) in WEIGHTS.iter().enumerate() {
                let px = (x + dx).saturating_sub(1).min(side - 1);
                let py = (y + dy).saturating_sub(1).min(side - 1);
                sum += wx * wy * f64::from(pixels[py * side + px]);
            }
        }
        close(
            &format!("pixel ({x}, {y})"),
            f64::from(found[y * side + x]),
            sum,
            1.0,
            1e-6,
        )?;
    }
    Ok(())
}
