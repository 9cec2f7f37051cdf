//! Loops in two versions, between which the size of the work-group decides.

use crate::intrinsic::Intrinsic;
use crate::ir::clone::Cloner;
use crate::ir::{BinOp, Builder, CmpOp, Function, Inst, Op, Region, Scalar, Ty, Unroll, Value};

/// The most work-items of a small work-group. Programs that give very much work to a single work-item are
/// written for CPUs, and ask for no larger work-groups.
pub(super) const SMALL_GROUP: u32 = 16;

/// Replaces a loop by an `if` with a copy of the loop in each arm; small work-groups execute the first.
/// Returns the copies. The size of the work-group is a specialization constant, so that the driver compiles
/// only one of the two.
pub(super) fn by_group_size(
    func: &mut Function,
    source: &Function,
    region: Region,
    loop_: Inst,
) -> [Inst; 2] {
    let small = is_group_of(func, region, loop_, SMALL_GROUP);
    in_two(func, source, loop_, small)
}

/// Replaces a loop by an `if` with a copy of the loop in each arm. Returns the copies.
pub(in crate::pass) fn in_two(
    func: &mut Function,
    source: &Function,
    loop_: Inst,
    condition: Value,
) -> [Inst; 2] {
    let data = &source.insts[loop_];
    let types: Vec<Ty> = data.results.iter().map(|&r| source.ty(r)).collect();
    let body = data.regions[0];
    let mut arms = Vec::new();
    let copies = [(); 2].map(|()| {
        let copy = func.new_inst(Op::Loop, data.args.clone(), &types, data.span);
        func.insts[copy].unroll = data.unroll;
        let inside = func.new_region(&[]);
        func.insts[copy].regions.push(inside);
        let mut cloner = Cloner::new(source);
        for &param in &source.regions[body].args {
            let param_copy = func.add_region_arg(inside, source.ty(param));
            cloner.map_value(param, param_copy);
        }
        cloner.region(func, body, inside, |func, _, new| {
            let op = &mut func.insts[new].op;
            match op {
                Op::Exit(target) | Op::Repeat(target) if *target == loop_ => *target = copy,
                _ => {}
            }
        });
        let arm = func.new_region(&[]);
        let results = func.insts[copy].results.clone();
        let exit = func.new_inst(Op::Exit(loop_), results, &[], data.span);
        func.regions[arm].insts.extend([copy, exit]);
        arms.push(arm);
        copy
    });
    let data = &mut func.insts[loop_];
    (data.op, data.unroll) = (Op::If, Unroll::default());
    data.args = vec![condition].into();
    data.regions = arms;
    copies
}

/// Inserts before an instruction a test whether the work-group has at most `most` work-items, and returns its
/// result.
pub(in crate::pass) fn is_group_of(func: &mut Function, region: Region, inst: Inst, most: u32) -> Value {
    let index = func.index_in(region, inst);
    let mut b = Builder::before(func, region, index);
    let size = b.value(
        Op::Intrinsic(Intrinsic::WorkgroupSize),
        vec![],
        Ty::vector(Scalar::I32, 3),
    );
    let lanes = [0, 1, 2].map(|lane| b.extract(size, lane));
    let items = b.binary(BinOp::IMul, lanes[0], lanes[1]);
    let items = b.binary(BinOp::IMul, items, lanes[2]);
    let limit = b.i32(most as i32);
    b.compare(CmpOp::ULe, items, limit)
}
