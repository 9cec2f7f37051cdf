//! Reports barriers that the work-items of a group do not reach equally often.
//!
//! Why: `CALDERA_CHECK=barrier` ([`Checks::barrier`](crate::check::Checks::barrier)). OpenCL C requires that all work-items of a
//!      group reach a barrier before any of them goes on (1.2, 6.12.8); otherwise the behaviour is undefined.
//! In:  `Inlined`.
//! Out: a work-item counts how often it reaches each barrier that is not certainly reached by all. Before the kernel returns,
//!      the work-items of a group compare their numbers with those of the first one; one with another number states a finding
//!      ([`Intrinsic::ReportFinding`]). A kernel that never returns is not checked.

use super::report_ended_loops::only_return;
use super::shadow::{barrier, linear_id};
use super::sites::Sites;
use super::{Changed, Pass, PassCx, PassError};
use crate::check::{Notes, Site, object};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::Parents;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CmpOp, Function, GlobalData, Inst, Linkage, Module, Op, Ty,
};

pub const PASS: Pass = Pass {
    name: "check_barrier",
    about: "Reports barriers that the work-items of a group do not reach equally often.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut sites = Sites::take(module, cx)?;
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let barriers = suspects(func);
        if barriers.is_empty() {
            continue;
        }
        if only_return(func).is_none() {
            sites.note(&Notes {
                kernel: func.name.clone(),
                check: "barrier".into(),
                left_out: vec![("the whole kernel".into(), "it never returns".into())],
                ..Notes::default()
            });
            continue;
        }
        let size = 4 * barriers.len() as u32;
        let first = module.globals.push(GlobalData {
            name: format!("{}.barriers", func.name),
            space: AddressSpace::Local,
            size,
            align: WORD.align,
            init: None,
            linkage: Linkage::Static,
        });
        let body = func.body;
        let mut b = Builder::before(func, body, 0);
        let counts = b.alloca(size, WORD.align);
        b.mem_zero(counts, WORD, size);
        let parents = Parents::new(b.func);
        for (&inst, n) in barriers.iter().zip(0..) {
            let region = parents.region(inst).unwrap_or(body);
            let index = b.func.index_in(region, inst);
            let mut b = Builder::before(b.func, region, index);
            let count = b.ptr_offset(counts, 4 * n);
            let (before, one) = (b.load(count, Ty::I32, WORD), b.i32(1));
            let after = b.binary(BinOp::IAdd, before, one);
            b.store(count, after, WORD);
        }
        let end = func.regions[body].insts.len() - 1;
        let mut b = Builder::before(func, body, end);
        let (id, _) = linear_id(&mut b);
        let shared = b.global_addr(first, AddressSpace::Local);
        let zero = b.i32(0);
        let is_first = b.compare(CmpOp::IEq, id, zero);
        let (choice, then, otherwise) = b.if_(is_first, &[]);
        b.enter(then);
        b.mem_cpy(shared, WORD, counts, WORD, size);
        b.exit(choice, vec![]);
        b.leave();
        b.enter(otherwise);
        b.exit(choice, vec![]);
        b.leave();
        barrier(&mut b);
        for (&inst, n) in barriers.iter().zip(0..) {
            b.span = b.func.insts[inst].span;
            let [own, other] = [counts, shared].map(|from| {
                let from = b.ptr_offset(from, 4 * n);
                b.load(from, Ty::I32, WORD)
            });
            let differs = b.compare(CmpOp::INe, own, other);
            let site = Site {
                check: "barrier".into(),
                action: "barrier that the work-items of a group do not reach equally often".into(),
                ..Site::default()
            };
            sites.report_if(&mut b, differs, site, (object::NONE, None));
        }
    }
    sites.give_back(module);
    Ok(Changed::Yes)
}

/// Returns the barriers of a kernel that are inside of a structured instruction, or come after a return.
fn suspects(func: &Function) -> Vec<Inst> {
    let parents = Parents::new(func);
    let mut returns = false;
    let mut list = Vec::new();
    for inst in func.insts_in_order() {
        let op = &func.insts[inst].op;
        returns |= *op == Op::Return;
        let is_barrier = matches!(op, Op::Intrinsic(Intrinsic::Barrier(_)));
        if is_barrier && (returns || parents.region(inst) != Some(func.body)) {
            list.push(inst);
        }
    }
    list
}
