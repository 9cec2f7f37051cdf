//! Sets private memory to zero where it is allocated.
//!
//! Why: cl_khr_initialize_memory. A context may ask for private memory that is zero when a kernel begins
//! ([`Zeroed::private`](crate::target::Zeroed)).
//! In:  any module, before variables are promoted: what is promoted has the value 0 then.
//! Out: each `Alloca` is followed by a `MemZero` of all its bytes.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{Access, Builder, Module, Op};

pub const PASS: Pass = Pass {
    name: "zero_private",
    about: "Sets private memory to zero where it is allocated.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        for region in func.regions_in_order() {
            let is_alloca = |&i: &_| matches!(func.insts[i].op, Op::Alloca { .. });
            if !func.regions[region].insts.iter().any(is_alloca) {
                continue;
            }
            changed = true;
            let old = std::mem::take(&mut func.regions[region].insts);
            let mut b = Builder::at_end(func, region);
            for inst in old {
                b.push(inst);
                let data = &b.func.insts[inst];
                if let Op::Alloca { size, align } = data.op {
                    let memory = data.results[0];
                    b.span = data.span;
                    b.mem_zero(
                        memory,
                        Access {
                            align,
                            volatile: false,
                        },
                        size,
                    );
                }
            }
        }
    }
    Ok(changed.into())
}
