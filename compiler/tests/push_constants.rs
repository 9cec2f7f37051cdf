//! Tests the push-constant block for drivers that do not recognise a 64-bit number made of two words
//! (`Costs::split_words`).

mod common;

use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect;
use caldera_compiler::target::Target;
use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op};

fn module(source: &str, split_words: bool) -> Module {
    let mut target = Target::desktop();
    target.costs.split_words = split_words;
    let options = Options::parse("").expect("options");
    let input = Input {
        name: "a.cl",
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    let words = compile(&input, &target)
        .unwrap_or_else(|e| panic!("{}", e.log))
        .words;
    common::validate(&words, target.spirv);
    let words = reflect::strip(&words).expect("a module");
    rspirv::dr::load_words(&words).expect("a module")
}

/// Returns the byte offsets of the members of the only struct with several members.
fn offsets(m: &Module) -> Vec<u32> {
    let decorations = m.annotations.iter().filter_map(|a| match a.operands[..] {
        [
            Operand::IdRef(of),
            Operand::LiteralBit32(_),
            Operand::Decoration(Decoration::Offset),
            Operand::LiteralBit32(at),
        ] => Some((of, at)),
        _ => None,
    });
    let all: Vec<_> = decorations.collect();
    let block = all.iter().find(|(_, at)| *at != 0).map(|(of, _)| *of);
    all.iter()
        .filter(|(of, _)| Some(*of) == block)
        .map(|(_, at)| *at)
        .collect()
}

fn count(m: &Module, op: Op) -> usize {
    let of = |i: &&Instruction| i.class.opcode == op;
    m.all_inst_iter().filter(of).count()
}

#[test]
fn pointers_are_members_of_their_own() {
    let source = "kernel void k(uint n, global float *a, global const float *b, ulong x) {
        a[get_global_id(0)] = b[n] + x;
    }";
    let words = module(source, false);
    assert_eq!(offsets(&words), [], "{}", words.disassemble());
    assert_eq!(count(&words, Op::Bitcast), 3);
    let whole = module(source, true);
    // The first three words are the start of the range of work-items; `n` follows them.
    assert_eq!(offsets(&whole), [0, 16, 24, 32], "{}", whole.disassemble());
    assert_eq!(count(&whole, Op::Bitcast), 0);
    assert_eq!(count(&whole, Op::CompositeConstruct), 0);
}

#[test]
fn what_is_also_read_in_parts_stays_words() {
    let structure = module(
        "typedef struct { uint of[8]; } S;
        kernel void k(global uint *a, S s, uint n) { a[0] = s.of[n]; }",
        true,
    );
    assert_eq!(offsets(&structure), [0, 8], "{}", structure.disassemble());
    // The compiler reads one half of `x` as a word.
    let half = module(
        "kernel void k(global uint *a, ulong x) { a[0] = (uint)x; a[1] = as_uint2(x).y; }",
        true,
    );
    assert_eq!(offsets(&half), [0, 8], "{}", half.disassemble());
    assert_eq!(count(&half, Op::Bitcast), 1, "{}", half.disassemble());
}

#[test]
fn kernels_share_one_block() {
    let both = module(
        "kernel void a(global uint *x, global uint *y) { x[0] = y[0]; }
        kernel void b(uint m, uint n, global uint *x, uint o) { x[m] = n + o; }",
        true,
    );
    assert_eq!(offsets(&both), [0, 8, 16], "{}", both.disassemble());
    assert_eq!(count(&both, Op::Bitcast), 0, "{}", both.disassemble());
    // `n` is the upper half of the member that is `x` in the first kernel.
    assert_eq!(count(&both, Op::ShiftRightLogical), 1, "{}", both.disassemble());
}
