//! Tests the library's functions with integer operands by interpretation, where their sums wrap around.

#[path = "common/library.rs"]
mod library;

use caldera_compiler::interp::{Memory, call};
use caldera_compiler::options::Options;
use caldera_compiler::target::Target;

/// Sums and differences of numbers that the caller chooses may wrap around, and the compiler must not rely on the contrary.
#[test]
fn integers_of_the_caller_wrap_around() {
    let (target, options) = (Target::desktop(), Options::parse("").expect("options"));
    let is = |ty: &str, value: &str, [x, y]: [i64; 2], expected: i64| {
        let (object, function) = library::tested(ty, value, &options, &target);
        let mask = if ty == "int" { 0xffff_ffff } else { u64::MAX };
        let lane = |v: i64| vec![v as u64 & mask];
        let mut memory = Memory::default();
        let found = call(&object.module, function, &[lane(x), lane(y)], &mut memory, 10_000);
        assert_eq!(found, Ok(lane(expected)), "{value} of {x} and {y}");
    };
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    is("int", "as_int(ldexp(1.0f, x)) + y", [most, 0], 0x7f80_0000);
    is("int", "as_int(ldexp(1.0f, x)) + y", [least, 0], 0);
    // The upper half of the product is 2^30.
    is("int", "mad_hi(x, x, y)", [least, most], least + (1 << 30) - 1);
    is("long", "mul_hi(x, y)", [-1, i64::MIN], 0);
    is("long", "mul_hi(x, y)", [i64::MIN, i64::MIN], 1 << 62);
}
