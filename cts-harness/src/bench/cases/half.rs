//! saxpy and matrix products with halves, one of them with cooperative matrices.

use super::prelude::*;
use half::f16;

const SOURCE: &str = include_str!("../kernels/half.cl");

pub(super) fn cases(scale: Scale) -> [Case; 3] {
    let count = scale.pick(1 << 20, 1 << 27);
    let n = scale.pick(128, 2048);
    let operations = 2.0 * (n as f64).powi(3);
    [
        work::case(
            "kernel/half saxpy",
            giga(6.0 * count as f64, "GB/s"),
            move |side| {
                side.offers(Need::Half)?;
                Ok(saxpy(count))
            },
        ),
        work::case(
            "kernel/half gemm tiled",
            giga(operations, "GFLOP/s"),
            move |side| {
                side.offers(Need::Half)?;
                Ok(gemm(n))
            },
        ),
        matrices(scale),
    ]
}

/// Returns the case with the device's units for matrices.
fn matrices(scale: Scale) -> Case {
    let n = scale.pick(128, 4096);
    let operations = 2.0 * (n as f64).powi(3);
    work::case(
        "kernel/half gemm matrices",
        giga(operations, "GFLOP/s"),
        move |side| {
            side.offers(Need::Half)?;
            let lacks = || Stop::Refused("no cl_khr_cooperative_matrix".into());
            let items = side.device.matrix_items.ok_or_else(lacks)?;
            if SUB_GROUPS * items > MOST_ITEMS {
                return Err(Stop::Refused(format!("sub-groups of {items}")));
            }
            Ok(by_matrices(n, items))
        },
    )
}

/// Returns multiples of 1/4 in [-1, 1). Sums of their products are exact in half as long as they are below
/// 128.
fn numbers(random: &mut Random, count: usize) -> Vec<f32> {
    (0..count)
        .map(|_| (random.word() & 7) as f32 / 4.0 - 1.0)
        .collect()
}

fn number(half: u16) -> f32 {
    f16::from_bits(half).to_f32()
}

fn bytes(numbers: &[f32]) -> Memory {
    let halves: Vec<u16> = numbers.iter().map(|n| f16::from_f32(*n).to_bits()).collect();
    Memory::Buffer(of_u16(&halves))
}

fn saxpy(count: usize) -> Work {
    let mut random = Random::new(3);
    let (x, y) = (numbers(&mut random, count), numbers(&mut random, count));
    Work::new(SOURCE, vec![bytes(&x), bytes(&y), Memory::Output(count * 2)])
        .launch(
            "saxpy_half",
            &[
                Half(f16::from_f32(0.5).to_bits()),
                Object(0),
                Object(1),
                Object(2),
            ],
            Range::line(count / 4, 256),
        )
        .checked(2, move |found| {
            let found = to_u16(found);
            let wrong = (0..count).find(|&i| number(found[i]) != 0.5 * x[i] + y[i]);
            wrong.map_or(Ok(()), |i| {
                let (is, not) = (number(found[i]), 0.5 * x[i] + y[i]);
                Err(format!("element {i} is {is}, not {not}"))
            })
        })
}

fn gemm(n: usize) -> Work {
    let mut random = Random::new(4);
    let (a, b) = (numbers(&mut random, n * n), numbers(&mut random, n * n));
    Work::new(SOURCE, vec![bytes(&a), bytes(&b), Memory::Output(n * n * 2)])
        .launch(
            "gemm_half",
            &[U32(n as u32), Object(0), Object(1), Object(2)],
            Range::plane([n, n], [16, 16]),
        )
        .checked(2, move |found| {
            let found = to_u16(found);
            super::sgemm::sampled(n, &a, &b, |i| number(found[i]), 1e-6)
        })
}

/// The rows and columns of the result that a work-group of `matrices.cl` computes, and its sub-groups.
const BLOCK: usize = 128;
const SUB_GROUPS: usize = 8;
/// The work-items that copy a step to local memory at once.
const MOST_ITEMS: usize = 512;

fn by_matrices(n: usize, sub_group: usize) -> Work {
    let mut random = Random::new(5);
    let (a, b) = (numbers(&mut random, n * n), numbers(&mut random, n * n));
    let items = SUB_GROUPS * sub_group;
    Work::new(
        include_str!("../kernels/matrices.cl"),
        vec![bytes(&a), bytes(&b), Memory::Output(n * n * 4)],
    )
    .options(format!("-DITEMS={items}"))
    .launch(
        "gemm_matrices",
        &[U32(n as u32), Object(0), Object(1), Object(2)],
        Range::plane([n / BLOCK * items, n / BLOCK], [items, 1]),
    )
    .checked(2, move |found| {
        let found = to_f32(found);
        super::sgemm::sampled(n, &a, &b, |i| found[i], 1e-6)
    })
}
