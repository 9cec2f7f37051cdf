//! Copy and saxpy in global memory.

use super::prelude::*;

const SOURCE: &str = include_str!("../kernels/stream.cl");

pub(super) fn cases(scale: Scale) -> [Case; 2] {
    let count = scale.pick(1 << 20, 1 << 26);
    let bytes = count as f64 * 4.0;
    [
        work::case("kernel/copy", giga(2.0 * bytes, "GB/s"), move |_| Ok(copy(count))),
        work::case("kernel/saxpy", giga(3.0 * bytes, "GB/s"), move |_| {
            Ok(saxpy(count))
        }),
    ]
}

fn copy(count: usize) -> Work {
    let from = of_f32(&Random::new(1).numbers(count));
    let expected = from.clone();
    Work::new(SOURCE, vec![Memory::Buffer(from), Memory::Output(count * 4)])
        .launch("copy", &[Object(0), Object(1)], Range::line(count / 4, 256))
        .checked(1, move |found| {
            if found == expected {
                return Ok(());
            }
            same(&to_u32(found), &to_u32(&expected))
        })
}

fn saxpy(count: usize) -> Work {
    const A: f32 = 0.5;
    let mut random = Random::new(2);
    let (x, y) = (random.numbers(count), random.numbers(count));
    let memory = vec![
        Memory::Buffer(of_f32(&x)),
        Memory::Buffer(of_f32(&y)),
        Memory::Output(count * 4),
    ];
    // The comparison is exact, because the numbers have few significant bits.
    Work::new(SOURCE, memory)
        .launch(
            "saxpy",
            &[F32(A), Object(0), Object(1), Object(2)],
            Range::line(count, 256),
        )
        .checked(2, move |found| {
            let found = to_f32(found);
            let wrong = (0..count).find(|&i| found[i] != A * x[i] + y[i]);
            wrong.map_or(Ok(()), |i| {
                Err(format!("element {i} is {}, not {}", found[i], A * x[i] + y[i]))
            })
        })
}
