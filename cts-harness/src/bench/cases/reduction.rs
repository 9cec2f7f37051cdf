//! The sum of many floats, in two launches.

use super::prelude::*;

const GROUP: usize = 256;

pub(super) fn case(scale: Scale) -> Case {
    let count = scale.pick(1 << 20, 1 << 26);
    let groups = scale.pick(16, 2048);
    work::case("kernel/reduction", giga(count as f64 * 4.0, "GB/s"), move |_| {
        Ok(reduction(count, groups))
    })
}

fn reduction(count: usize, groups: usize) -> Work {
    let numbers = Random::new(5)
        .numbers(count)
        .iter()
        .map(|n| n + 1.0)
        .collect::<Vec<f32>>();
    let sum: f64 = numbers.iter().map(|n| f64::from(*n)).sum();
    Work::new(
        include_str!("../kernels/reduction.cl"),
        vec![
            Memory::Buffer(of_f32(&numbers)),
            Memory::Output(groups * 4),
            Memory::Output(4),
        ],
    )
    .launch(
        "reduce",
        &[U32(count as u32), Object(0), Object(1)],
        Range::line(groups * GROUP, GROUP),
    )
    .launch(
        "reduce",
        &[U32(groups as u32), Object(1), Object(2)],
        Range::line(GROUP, GROUP),
    )
    .checked(2, move |found| {
        close("the sum", f64::from(to_f32(found)[0]), sum, sum, 1e-5)
    })
}
