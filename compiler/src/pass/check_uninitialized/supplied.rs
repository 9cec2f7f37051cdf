//! Shadow memory that the launch supplies: that of arguments, and that of local variables for whose shadow local memory has no
//! room.

use super::{note_written, ones, plain};
use crate::check::memory;
use crate::hash::HashMap;
use crate::ir::{Access, AddressSpace, ArgKind, BinOp, Builder, CastOp, CmpOp, KernelInfo, Ty, Value};
use crate::pass::check_memory::{argument, sum};
use crate::pass::shadow::{LocalShadow, Variables, group, of_group, when};

/// The shadow memory of a variable.
#[derive(Copy, Clone)]
pub(super) struct Supplied {
    /// Its address (i64).
    start: Value,
    /// The bytes of the variable; 0 if nothing is supplied (i64).
    bytes: Value,
    /// Whether the variable is in global memory, where later kernels find the shadow that this one writes.
    is_global: bool,
}

/// A place in such memory.
#[derive(Copy, Clone)]
pub(super) struct At {
    supplied: Supplied,
    /// The offset in the variable (i64).
    offset: Value,
}

impl Supplied {
    /// Computes, at the start of the kernel, where the shadows of all arguments and variables are. The keys are the numbers of the
    /// variables.
    pub(super) fn find(
        b: &mut Builder<'_>,
        kernel: &KernelInfo,
        variables: &mut Variables,
        local: &LocalShadow,
    ) -> HashMap<usize, Supplied> {
        let mut all = HashMap::default();
        let arguments = variables.start_arguments(b);
        let is_local = |n: u32| matches!(kernel.args[n as usize].kind, ArgKind::Local { .. });
        let needs_group = !local.spilled.is_empty() || arguments.iter().any(|(n, _)| is_local(*n));
        let group = needs_group.then(|| group(b));
        for (n, variable) in arguments {
            let [mut start, bytes] = [memory::WRITTEN, memory::BYTES].map(|what| argument(b, n, what));
            if let (true, Some(group)) = (is_local(n), group) {
                let align = i64::from(memory::GROUP_ALIGN);
                let (most, mask) = (b.i64(align - 1), b.i64(-align));
                let size = b.binary(BinOp::IAdd, bytes, most);
                let size = b.binary(BinOp::And, size, mask);
                start = of_group(b, start, size, group);
            }
            all.insert(variable, Supplied::new(b, start, bytes, !is_local(n)));
        }
        if let Some(group) = group
            && let Some(base) = local.group_memory(b, kernel, memory::WRITTEN_OF_GROUPS, group)
        {
            for &spilled in &local.spilled {
                let start = LocalShadow::spilled_at(b, base, spilled);
                let bytes = b.i64(spilled.bytes.into());
                all.insert(spilled.variable, Supplied::new(b, start, bytes, false));
            }
        }
        all
    }

    fn new(b: &mut Builder<'_>, start: Value, bytes: Value, is_global: bool) -> Supplied {
        let none = b.i64(0);
        let any = b.compare(CmpOp::INe, start, none);
        Supplied {
            start,
            bytes: b.select(any, bytes, none),
            is_global,
        }
    }

    pub(super) fn at(self, offset: Value) -> At {
        At {
            supplied: self,
            offset,
        }
    }
}

impl At {
    /// Returns whether the place is in global memory.
    pub(super) fn is_global(self) -> bool {
        self.supplied.is_global
    }

    /// Computes whether some bytes have a shadow. Those of an access outside of the variable have none.
    fn has_shadow(self, b: &mut Builder<'_>, bytes: u32) -> Value {
        let size = b.i64(bytes.into());
        let end = b.binary(BinOp::IAdd, self.offset, size);
        let starts = b.compare(CmpOp::ULt, self.offset, self.supplied.bytes);
        let ends = b.compare(CmpOp::ULe, end, self.supplied.bytes);
        b.binary(BinOp::And, starts, ends)
    }

    fn address(self, b: &mut Builder<'_>) -> Value {
        let address = sum(b, self.supplied.start, self.offset);
        b.cast(CastOp::IntToPtr, address, Ty::ptr(AddressSpace::Global))
    }

    /// Returns the access to the shadow that belongs to an access. For local variables it is volatile, because barriers for local
    /// memory do not order other accesses to global memory.
    pub(super) fn access(self, access: Access) -> Access {
        Access {
            volatile: !self.supplied.is_global,
            ..plain(access)
        }
    }

    /// Loads what is known about a value of this type of mask.
    pub(super) fn load(self, b: &mut Builder<'_>, ty: Ty, access: Access) -> Value {
        let has_shadow = self.has_shadow(b, ty.bytes());
        let (choice, then, otherwise) = b.if_(has_shadow, &[ty]);
        b.enter(then);
        let from = self.address(b);
        let loaded = b.load(from, ty, self.access(access));
        b.exit(choice, vec![loaded]);
        b.leave();
        b.enter(otherwise);
        let all = ones(b, ty);
        b.exit(choice, vec![all]);
        b.leave();
        b.results(choice)[0]
    }

    /// Stores what is known about a value.
    pub(super) fn store(self, b: &mut Builder<'_>, written: Value, access: Access) {
        let bytes = b.func.ty(written).bytes();
        let has_shadow = self.has_shadow(b, bytes);
        when(b, has_shadow, |b| {
            let to = self.address(b);
            b.store(to, written, self.access(access));
        });
    }

    /// Notes that bytes have been written.
    pub(super) fn note(self, b: &mut Builder<'_>, size: u32, access: Access) {
        let has_shadow = self.has_shadow(b, size);
        when(b, has_shadow, |b| {
            let to = self.address(b);
            note_written(b, to, size, self.access(access));
        });
    }

    /// Calls a function with the address of the shadow of some bytes, if they have one.
    pub(super) fn with(self, b: &mut Builder<'_>, bytes: u32, then: impl FnOnce(&mut Builder<'_>, Value)) {
        let has_shadow = self.has_shadow(b, bytes);
        when(b, has_shadow, |b| {
            let at = self.address(b);
            then(b, at);
        });
    }
}
