//! Compares known bits and ranges (`pass/analysis/facts.rs`) with the results of operations: for all operands, the
//! facts about the result must allow it.

use crate::arithmetic::{INTEGER_INTRINSICS, INTEGER_OPS, boundaries};
use crate::generator::Random;
use crate::reference;
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::ir::{BinOp, CastOp, Scalar, UnOp, eval};
use caldera_compiler::pass::analysis::facts::{self, Facts};

/// Returns all facts about an integer of a few bits: each interval and each set of known bits.
fn all_facts(width: u32) -> Vec<Facts> {
    let count = 1u64 << width;
    let mut list = Vec::new();
    for min in 0..count {
        list.extend((min..count).map(|max| Facts::between(width, min, max)));
    }
    for known in 0..count {
        for ones in (0..count).filter(|ones| ones & !known == 0) {
            list.push(Facts::bits(width, known & !ones, ones));
        }
    }
    list.sort_by_key(|f| format!("{f:?}"));
    list.dedup();
    list
}

fn members(facts: Facts, width: u32) -> Vec<u64> {
    (0..1 << width).filter(|&n| facts.allows(n)).collect()
}

/// Tests every pair of facts about numbers of 4 bits, with every pair of numbers that they allow.
#[test]
fn facts_about_4_bits_allow_every_result() {
    let width = 4;
    let all: Vec<(Facts, Vec<u64>)> = all_facts(width)
        .into_iter()
        .map(|f| (f, members(f, width)))
        .collect();
    assert!(all.len() > 150, "{}", all.len());
    let table = |compute: &dyn Fn(u64, u64) -> Option<u64>| -> Vec<Option<u64>> {
        (0..256).map(|n| compute(n / 16, n % 16)).collect()
    };
    let check = |name: &str, table: &[Option<u64>], transfer: &dyn Fn(Facts, Facts) -> Facts| {
        for (a, of_a) in &all {
            for (b, of_b) in &all {
                let known = transfer(*a, *b);
                let allowed: u32 = (0..16).filter(|&n| known.allows(n)).map(|n| 1 << n).sum();
                for x in of_a {
                    for y in of_b {
                        if let Some(n) = table[(x * 16 + y) as usize] {
                            assert!(
                                allowed >> n & 1 == 1,
                                "{name} of {x} and {y} is {n}: {a:?} {b:?} {known:?}"
                            );
                        }
                    }
                }
            }
        }
    };
    for op in INTEGER_OPS {
        let table = table(&|x, y| reference::integer(op, width, x, y));
        check(&format!("{op:?}"), &table, &|a, b| facts::binary(op, a, b));
    }
    for op in [
        Intrinsic::UMin,
        Intrinsic::UMax,
        Intrinsic::SMin,
        Intrinsic::SMax,
        Intrinsic::UMulHigh,
    ] {
        let table = table(&|x, y| reference::integer_intrinsic(op, width, x, y));
        check(&format!("{op:?}"), &table, &|a, b| facts::intrinsic(op, a, b));
    }
}

/// Tests operations of one operand of 8 bits, for every interval and every set of known bits.
#[test]
fn facts_about_8_bits_allow_every_result_of_one_operand() {
    let mut random = Random::new(5);
    let width = 8;
    for a in all_facts(width) {
        // There are 40,000 facts; each run tests the same third of them.
        if !random.one_in(3) {
            continue;
        }
        let numbers = members(a, width);
        let check = |name: &str, known: Facts, compute: &dyn Fn(u64) -> Option<u64>| {
            for &x in &numbers {
                if let Some(n) = compute(x) {
                    assert!(known.allows(n), "{name} of {x} is {n}: {a:?} {known:?}");
                }
            }
        };
        for op in [UnOp::INeg, UnOp::Not] {
            check(&format!("{op:?}"), facts::unary(op, a), &|x| {
                reference::integer_unary(op, width, x)
            });
        }
        for op in [
            Intrinsic::SAbs,
            Intrinsic::PopCount,
            Intrinsic::Clz,
            Intrinsic::Ctz,
            Intrinsic::BitReverse,
        ] {
            check(&format!("{op:?}"), facts::intrinsic(op, a, a), &|x| {
                reference::integer_intrinsic(op, width, x, x)
            });
        }
        check("ZExt", facts::cast(CastOp::ZExt, a, 16), &|x| Some(x));
        check("SExt", facts::cast(CastOp::SExt, a, 16), &|x| {
            eval::cast(CastOp::SExt, Scalar::I8, Scalar::I16, x)
        });
        check("Trunc", facts::cast(CastOp::Trunc, a, 4), &|x| Some(x & 15));
    }
}

/// Returns whether the facts about the result are complete if the operands are known.
fn is_precise(op: BinOp) -> bool {
    !matches!(op, BinOp::SDiv | BinOp::SRem)
}

/// Tests every pair of numbers of 8 bits: known operands must have a known result.
#[test]
fn known_numbers_of_8_bits_have_known_results() {
    for x in 0..256 {
        for y in 0..256 {
            check_constants(Scalar::I8, x, y);
        }
    }
}

fn check_constants(scalar: Scalar, x: u64, y: u64) {
    let width = scalar.bits();
    let (a, b) = (Facts::constant(width, x), Facts::constant(width, y));
    for op in INTEGER_OPS {
        let known = facts::binary(op, a, b);
        match eval::binary(op, scalar, x, y) {
            Some(n) if is_precise(op) => assert_eq!(
                known,
                Facts::constant(width, n),
                "{op:?} {scalar:?} {x:#x} {y:#x}"
            ),
            Some(n) => assert!(known.allows(n), "{op:?} {scalar:?} {x:#x} {y:#x}"),
            // The facts say nothing about an undefined result.
            None => assert_eq!(known, Facts::unknown(width), "{op:?} {scalar:?} {x:#x} {y:#x}"),
        }
    }
    for op in INTEGER_INTRINSICS {
        let known = facts::intrinsic(op, a, b);
        let n = eval::intrinsic(op, scalar, &[x, y]).expect("always defined");
        assert!(
            known.allows(n),
            "{op:?} {scalar:?} {x:#x} {y:#x}: {n:#x} {known:?}"
        );
    }
}

/// Returns a fact that is true of a number.
fn something(random: &mut Random, width: u32, x: u64) -> Facts {
    let all = u64::MAX >> (64 - width);
    match random.below(6) {
        0 => Facts::constant(width, x),
        1 => {
            let known = random.bits(width);
            Facts::bits(width, known & !x, known & x)
        }
        2 => {
            let (a, b) = (random.bits(width), random.bits(width));
            Facts::between(width, x.min(a), x.max(b))
        }
        3 => {
            // An interval close around the number.
            let (a, b) = (random.bits(4), random.bits(4));
            Facts::between(width, x.saturating_sub(a), x.saturating_add(b).min(all))
        }
        4 => Facts::multiple(width, x.trailing_zeros().min(width)),
        _ => Facts::unknown(width),
    }
}

#[test]
fn facts_about_wider_numbers_allow_every_result() {
    let mut random = Random::new(6);
    for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
        let width = scalar.bits();
        let special = boundaries(scalar);
        for &x in &special {
            for &y in &special {
                check_constants(scalar, x, y);
            }
        }
        for _ in 0..30_000 {
            let mut number = || match random.below(3) {
                0 => special[random.below(special.len())],
                _ => random.bits(width),
            };
            let (x, y) = (number(), number());
            let (a, b) = (something(&mut random, width, x), something(&mut random, width, y));
            assert!(a.allows(x) && b.allows(y), "{a:?} {x:#x} {b:?} {y:#x}");
            for op in INTEGER_OPS {
                if let Some(n) = eval::binary(op, scalar, x, y) {
                    let known = facts::binary(op, a, b);
                    assert!(
                        known.allows(n),
                        "{op:?} {scalar:?} {x:#x} {y:#x} {n:#x}: {a:?} {b:?} {known:?}"
                    );
                }
            }
            for op in INTEGER_INTRINSICS {
                let n = eval::intrinsic(op, scalar, &[x, y]).expect("always defined");
                let known = facts::intrinsic(op, a, b);
                assert!(
                    known.allows(n),
                    "{op:?} {scalar:?} {x:#x} {y:#x} {n:#x}: {a:?} {b:?} {known:?}"
                );
            }
            for to in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
                let ops: &[CastOp] = match to.bits() < width {
                    true => &[CastOp::Trunc],
                    false => &[CastOp::ZExt, CastOp::SExt],
                };
                for &op in ops {
                    let n = eval::cast(op, scalar, to, x).expect("always defined");
                    let known = facts::cast(op, a, to.bits());
                    assert!(
                        known.allows(n),
                        "{op:?} {scalar:?} {to:?} {x:#x}: {a:?} {known:?}"
                    );
                }
            }
        }
    }
}
