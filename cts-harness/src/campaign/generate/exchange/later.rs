//! What programs have beside the features of OpenCL C 1.2 (`--std`): collective functions of the work-group, C11 atomics, pointers to
//! the generic address space, and a work-group with fewer work-items than the others.

use super::execute::{Frame, Group, apply, mix};
use super::make::Maker;
use super::memory::Fault;
use super::print::Printer;
use super::{Access, Below, Condition, Element, Fence, Operation, Space, Statement};
use crate::types::{Type, int};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A function that all work-items of the work-group call.
#[derive(Copy, Clone, Debug)]
pub(super) enum Collective {
    Reduce(Operation),
    Inclusive(Operation),
    Exclusive(Operation),
    Broadcast(Below),
    All(u32),
    Any(u32),
    /// The number of work-items that find an `atomic_flag` cleared, which is 1.
    Flag,
    /// The sum or the maximum of what each sub-group computes, by a reduction or a scan: that of all work-items.
    SubGroups(Operation, bool),
}

const TYPES: [Type; 4] = [
    int(32, false, 1),
    int(32, true, 1),
    int(64, false, 1),
    int(64, true, 1),
];
const REDUCTIONS: [Operation; 3] = [Operation::Add, Operation::Min, Operation::Max];

/// The declarations of the collective functions.
pub(super) const MACROS: &str = "\
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#define sub_groups_reduce_add(x) work_group_reduce_add(sub_group_reduce_add(x) * (uint)(get_sub_group_local_id() == 0))
#define sub_groups_reduce_max(x) work_group_reduce_max(sub_group_reduce_max(x))
#define sub_groups_scan_add(x) \\
  work_group_reduce_add(sub_group_scan_inclusive_add(x) * (uint)(get_sub_group_local_id() + 1 == get_sub_group_size()))
#define sub_groups_scan_max(x) work_group_reduce_max(sub_group_scan_inclusive_max(x))
#else
#define sub_groups_reduce_add(x) work_group_reduce_add(x)
#define sub_groups_reduce_max(x) work_group_reduce_max(x)
#define sub_groups_scan_add(x) work_group_reduce_add(x)
#define sub_groups_scan_max(x) work_group_reduce_max(x)
#endif
";

/// Returns a number that chooses one of several texts for a statement. It stays the same when other statements are removed.
fn choice(statement: &impl std::fmt::Debug, of: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    format!("{statement:?}").hash(&mut hasher);
    hasher.finish() as usize % of
}

impl Maker<'_> {
    /// Returns a statement that only later versions have.
    pub(super) fn later_statement(&mut self, together: bool) -> Option<Statement> {
        let v = self.variable();
        if !together || self.random.one_in(3) {
            return self.through(v);
        }
        let operation = self.pick(&REDUCTIONS);
        let bit = self.random.below(60) as u32;
        let mut ty = self.pick(&TYPES);
        let collective = match self.random.below(10) {
            0 | 1 => Collective::Reduce(operation),
            2 | 3 => Collective::Inclusive(operation),
            4 => Collective::Exclusive(operation),
            5 => Collective::Broadcast(self.below(self.items)),
            6 => Collective::All(bit),
            7 => Collective::Any(bit),
            8 => Collective::Flag,
            _ => {
                ty = TYPES[0];
                let operation = self.pick(&[Operation::Add, Operation::Max]);
                Collective::SubGroups(operation, self.random.one_in(2))
            }
        };
        Some(Statement::Collective(v, self.variable(), collective, ty))
    }

    /// Returns an access through a pointer that may lead to local and to global memory.
    fn through(&mut self, v: usize) -> Option<Statement> {
        let is_store = self.random.one_in(2);
        let mut one = self.access(is_store, |a| a.space == Space::Local)?;
        let element = one.element;
        let mut other = self.access(is_store, |a| a.space == Space::Global && a.element == element)?;
        (one.field, other.field) = (None, None);
        let condition = self.condition();
        (other.element == element).then_some(Statement::Through(v, condition, [one, other], is_store))
    }
}

impl Group<'_> {
    /// Executes a collective function.
    pub(super) fn collective(
        &mut self,
        frame: &mut Frame,
        (v, from): (usize, usize),
        collective: Collective,
        ty: Type,
    ) -> Result<(), Fault> {
        let field = Element::Value(ty).field(0);
        let all: Vec<u64> = frame
            .variables
            .iter()
            .map(|own| field.extended(own[from]))
            .collect();
        let none = |operation| match (operation, field.signed) {
            (Operation::Min, true) => u64::MAX >> (65 - 8 * field.size),
            (Operation::Min, false) => u64::MAX >> (64 - 8 * field.size),
            (Operation::Max, true) => 1 << (8 * field.size - 1),
            _ => 0,
        };
        let scan = |operation: Operation| {
            let mut sum = none(operation);
            let mut sums = vec![sum];
            for x in &all {
                sum = apply(operation, sum, *x, &field);
                sums.push(sum);
            }
            sums.into_iter().map(|x| field.extended(x)).collect::<Vec<_>>()
        };
        let n = self.items;
        let bit = |bit: &u32| {
            frame
                .variables
                .iter()
                .map(|own| own[from] >> bit & 1 != 0)
                .collect::<Vec<_>>()
        };
        let values = match &collective {
            Collective::Reduce(operation) | Collective::SubGroups(operation, _) => {
                vec![scan(*operation)[n]; n]
            }
            Collective::Inclusive(operation) => scan(*operation)[1..].to_vec(),
            Collective::Exclusive(operation) => scan(*operation)[..n].to_vec(),
            Collective::Broadcast(k) => vec![all[self.below(frame, *k) % n]; n],
            Collective::All(k) => vec![bit(k).iter().all(|x| *x).into(); n],
            Collective::Any(k) => vec![bit(k).iter().any(|x| *x).into(); n],
            Collective::Flag => {
                self.barrier(Fence::Local)?;
                self.barrier(Fence::Local)?;
                vec![1; n]
            }
        };
        for (own, value) in frame.variables.iter_mut().zip(values) {
            mix(&mut own[v], value);
        }
        Ok(())
    }
}

impl Printer<'_> {
    pub(super) fn collective(&self, v: usize, from: usize, collective: Collective, ty: Type) -> String {
        let x = format!("({})v{from}", ty.name());
        let call = match collective {
            Collective::Reduce(operation) => format!("work_group_reduce_{}({x})", operation.name()),
            Collective::Inclusive(operation) => {
                format!("work_group_scan_inclusive_{}({x})", operation.name())
            }
            Collective::Exclusive(operation) => {
                format!("work_group_scan_exclusive_{}({x})", operation.name())
            }
            Collective::Broadcast(k) => {
                return format!(
                    "{{ const uint b = ({}) % n, w = get_local_size(0), h = get_local_size(1); \
                     MIX(v{v}, work_group_broadcast({x}, b % w, b / w % h, b / (w * h))) }}\n",
                    self.below(k)
                );
            }
            Collective::All(k) => format!("!!work_group_all((int)(v{from} >> {k} & 1))"),
            Collective::Any(k) => format!("!!work_group_any((int)(v{from} >> {k} & 1))"),
            Collective::Flag => {
                let order = ORDERS[choice(&(v, from), ORDERS.len())];
                let barrier = self.barrier(Fence::Local, super::BarrierForm::Plain);
                return format!(
                    "if (lid == n / 2u) atomic_flag_clear_explicit(flag, memory_order_relaxed, memory_scope_work_group);\n{barrier}\
                     MIX(v{v}, work_group_reduce_add(atomic_flag_test_and_set_explicit(flag, {order}, memory_scope_work_group) ? 0u : 1u))\n\
                     {barrier}"
                );
            }
            Collective::SubGroups(operation, scans) => {
                let what = if scans { "scan" } else { "reduce" };
                format!("sub_groups_{what}_{}({x})", operation.name())
            }
        };
        format!("MIX(v{v}, {call})\n")
    }

    /// Returns an access through a pointer to the generic address space.
    pub(super) fn through(
        &self,
        v: usize,
        condition: Condition,
        [a, b]: [Access; 2],
        is_store: bool,
    ) -> String {
        let ty = a.element.name();
        let (condition, one, other) = (self.condition(condition), self.place(&a), self.place(&b));
        let access = match is_store {
            true => self.store_to("(*g)", &a, v),
            false => Self::mix(v, &a, "(*g)") + "\n",
        };
        format!("{{ {ty} *const g = {condition} ? ({ty} *)&{one} : ({ty} *)&{other};\n{access}}}\n")
    }

    /// Returns a call of a C11 atomic function.
    pub(super) fn atomic_of_later(
        &self,
        operation: Operation,
        access: &Access,
        v: usize,
        (loops, used): (bool, bool),
    ) -> String {
        let statement = (operation, access, v);
        let ty = access.element.name();
        let space = match choice(&(statement, 1), 3) {
            0 => "",
            _ => self.word(access),
        };
        let object = format!("(volatile {space} atomic_{ty} *)&{}", self.place(access));
        let scope = SCOPES[choice(&(statement, 2), SCOPES.len())];
        let order = ORDERS[choice(&(statement, 3), ORDERS.len())];
        let operand = match operation {
            Operation::Increment | Operation::Decrement => "1".to_owned(),
            _ => format!("({ty})v{v}"),
        };
        if loops {
            let strength = ["strong", "weak"][choice(&(statement, 4), 2)];
            let mix = if used {
                format!(" MIX(v{v}, a)")
            } else {
                String::new()
            };
            return format!(
                "{{ volatile {space} atomic_{ty} *const p = {object}; const {ty} x = {operand}; \
                 {ty} a = atomic_load_explicit(p, memory_order_relaxed, {scope}); \
                 while (!atomic_compare_exchange_{strength}_explicit(p, &a, {}, {order}, memory_order_relaxed, {scope}));{mix} }}\n",
                operation.of("a", "x")
            );
        }
        let name = match operation {
            Operation::Exchange => "exchange".into(),
            other => format!("fetch_{}", other.name()),
        };
        let call = format!("atomic_{name}_explicit({object}, {operand}, {order}, {scope})");
        match used {
            true => format!("MIX(v{v}, {call})\n"),
            false => format!("{call};\n"),
        }
    }

    /// Returns a fence, which makes nothing defined.
    pub(super) fn fence_of_later(fence: Fence) -> String {
        let order = [
            "memory_order_acquire",
            "memory_order_release",
            "memory_order_acq_rel",
        ][fence as usize];
        format!(
            "atomic_work_item_fence({}, {order}, memory_scope_work_group);\n",
            fence.flags()
        )
    }
}

const ORDERS: [&str; 4] = [
    "memory_order_relaxed",
    "memory_order_acquire",
    "memory_order_release",
    "memory_order_acq_rel",
];
const SCOPES: [&str; 2] = ["memory_scope_work_group", "memory_scope_device"];
