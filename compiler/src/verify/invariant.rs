//! The invariants of modules, which passes require, establish and destroy.

/// A property of a whole module. [`verify`](super) can check each of them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Invariant {
    /// The rules that [`crate::ir`] states for every module.
    Ssa,
    /// The first functions are the kernels, in the order of `kernels`. Any other function is pure
    /// ([`is_pure_function`](crate::ir::analysis::is_pure_function)), and only `call_pure` calls functions.
    Inlined,
    /// There are no pointers to the generic address space.
    NoGeneric,
    /// Kernels have no parameters: arguments are read from the spaces `Push` and `Args`; `abi` is filled in.
    KernelArgs,
    /// The remaining work-item functions are those that Vulkan has.
    SystemValues,
    /// The remaining image reads are those that Vulkan has.
    Images,
    /// No value has more than 4 lanes.
    NoLongVectors,
    /// Memory is accessed by storage, not by pointers; see [`lower_memory`](crate::pass::lower_memory).
    ExplicitMemory,
    /// There are no 64-bit integers: neither values, nor elements of memory, nor addresses.
    NoInt64,
    /// No operation is left whose form depends on the device; see [`crate::pass::select_arithmetic`].
    SelectedArithmetic,
    /// Exits and repeats are those that SPIR-V can express; see [`crate::pass::lower_exits`].
    SpirvExits,
}

impl Invariant {
    /// All invariants, in order.
    pub const ALL: [Invariant; 11] = [
        Invariant::Ssa,
        Invariant::Inlined,
        Invariant::NoGeneric,
        Invariant::KernelArgs,
        Invariant::SystemValues,
        Invariant::Images,
        Invariant::NoLongVectors,
        Invariant::ExplicitMemory,
        Invariant::NoInt64,
        Invariant::SelectedArithmetic,
        Invariant::SpirvExits,
    ];
}

/// A set of [`Invariant`]s.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub struct Invariants(u32);

impl Invariants {
    /// Returns the set of the invariants in `list`.
    pub const fn of(list: &[Invariant]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Invariants(bits)
    }
    /// Returns whether the set contains an invariant.
    pub fn contains(self, one: Invariant) -> bool {
        self.0 & (1 << one as u32) != 0
    }
    /// Returns the invariants of `self` that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Invariants) -> Self {
        Invariants(self.0 & !other.0)
    }
    /// Returns the union of the two sets.
    #[must_use]
    pub fn plus(self, other: Invariants) -> Self {
        Invariants(self.0 | other.0)
    }
    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Iterates over the members in order.
    pub fn iter(self) -> impl Iterator<Item = Invariant> {
        Invariant::ALL.into_iter().filter(move |&i| self.contains(i))
    }
}

impl std::fmt::Debug for Invariants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// `inv![Ssa, Inlined]`: a constant set of invariants.
#[macro_export]
macro_rules! inv {
    ($($name:ident),* $(,)?) => {
        $crate::verify::Invariants::of(&[$($crate::verify::Invariant::$name),*])
    };
}
