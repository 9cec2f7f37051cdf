//! The decisions about local memory under the physical ABI.
//!
//! A local variable whose pointers mix with no others gets a Workgroup variable of its own, with an element
//! type of its own, and pointers are offsets into it. All other local memory, also that of arguments, is the
//! *arena*, and pointers are offsets into the arena.
//!
//! If there is an array that no single element type suits (on GPUs, also an array of scalars some of which are accessed as
//! vectors), and the device can declare several arrays of
//! different types at the same memory (VK_KHR_workgroup_memory_explicit_layout), all local memory is the arena,
//! and each access uses the array of its width. Such arrays exclude others in a kernel.

use super::classes::{Classes, is_pointer_to};
use super::element::{Accesses, Views, without_narrow};
use crate::ir::{AddressSpace, EntityRef, Function, Global, GlobalData, Map, Ty, Value};
use crate::target::Target;
use std::collections::BTreeMap;

/// The element types of the arena.
#[derive(Clone, Debug)]
pub(super) enum Arena {
    /// One array.
    Array(Ty),
    /// An array for each width.
    Views(Views),
}

/// A local variable that has a Workgroup variable of its own.
#[derive(Copy, Clone, Debug)]
pub(super) struct Own {
    pub(super) global: Global,
    pub(super) elem: Ty,
}

/// The decisions about the local memory of a kernel.
#[derive(Debug)]
pub(super) struct LocalMemory {
    pub(super) own: Vec<Own>,
    pub(super) arena: Arena,
    /// The offsets of the kernel's other local variables in the arena.
    pub(super) offsets: BTreeMap<Global, u32>,
    /// The end of the last of these variables in the arena.
    pub(super) bytes: u32,
    /// For each value, the index in `own` of the variable into which it points.
    places: Vec<Option<u32>>,
    /// The least alignment of variables in the arena.
    least_alignment: u32,
}

impl LocalMemory {
    /// Finds the variables that can be apart from the arena. If `named`, all memory has names (descriptor ABI),
    /// so there is nothing to decide.
    pub(super) fn new(
        func: &Function,
        globals: &Map<Global, GlobalData>,
        classes: &mut Classes,
        target: &Target,
        named: bool,
    ) -> LocalMemory {
        let mut memory = LocalMemory {
            own: Vec::new(),
            arena: Arena::Array(Ty::I32),
            offsets: BTreeMap::new(),
            bytes: 0,
            places: vec![None; func.values.len()],
            least_alignment: least_alignment(func),
        };
        let locals = classes.locals();
        memory.place(globals, locals.keys().copied());
        // A launch is refused if local memory does not suffice. Only the arena may be too large in a pipeline
        // that is made before.
        if named || memory.bytes > target.limits.local_memory {
            return memory;
        }
        let mut of_class = BTreeMap::new();
        for (&global, &pointer) in &locals {
            if classes.is_apart(pointer) {
                of_class.insert(classes.of(pointer), memory.own.len() as u32);
                memory.own.push(Own {
                    global,
                    elem: Ty::I32,
                });
            }
        }
        for v in func.values.keys() {
            if is_pointer_to(func, v, AddressSpace::Local) {
                memory.places[v.index()] = of_class.get(&classes.of(v)).copied();
            }
        }
        let own: Vec<Global> = memory.own.iter().map(|o| o.global).collect();
        memory.place(globals, locals.keys().copied().filter(|g| !own.contains(g)));
        memory
    }

    /// Places variables in the arena, in the order of the module, from offset 0.
    fn place(&mut self, globals: &Map<Global, GlobalData>, variables: impl Iterator<Item = Global>) {
        self.offsets.clear();
        self.bytes = 0;
        for g in variables {
            let offset = self
                .bytes
                .next_multiple_of(globals[g].align.max(self.least_alignment));
            self.offsets.insert(g, offset);
            self.bytes = offset.saturating_add(globals[g].size);
        }
    }

    /// Returns the index in `own` of the variable into which a pointer points; `None` for the arena.
    pub(super) fn own_of(&self, pointer: Value) -> Option<usize> {
        let place = self.places.get(pointer.index()).copied().flatten();
        place.map(|n| n as usize)
    }

    /// Chooses the element types, given the accesses to each variable and to the arena.
    pub(super) fn choose_elements(
        &mut self,
        globals: &Map<Global, GlobalData>,
        own: &[Accesses],
        arena: &Accesses,
        target: &Target,
    ) {
        let all = own.iter().chain([arena]);
        let is_hard = |a: &Accesses| a.disagree() || !target.costs.lane_by_lane && a.mixes_lanes();
        if target.workgroup_layout() && !target.lacks_narrow_integers() && all.clone().any(is_hard) {
            self.arena = Arena::Views(Views::new(&all.collect::<Vec<_>>()));
            let variables: Vec<Global> = self.own.drain(..).map(|o| o.global).collect();
            let others = self.offsets.keys().copied();
            let mut variables: Vec<Global> = others.chain(variables).collect();
            variables.sort_unstable();
            self.place(globals, variables.into_iter());
            self.places.fill(None);
            return;
        }
        self.arena = Arena::Array(without_narrow(arena.shared_element(), target));
        for (variable, accesses) in self.own.iter_mut().zip(own) {
            variable.elem = without_narrow(accesses.shared_element(), target);
        }
    }
}

/// Returns 16 for functions with cooperative matrices, whose rows are loaded and stored as 16 bytes: programs need not
/// align local variables themselves.
fn least_alignment(func: &Function) -> u32 {
    let has_matrices = func.values.keys().any(|v| func.ty(v).scalar.matrix().is_some());
    if has_matrices { 16 } else { 1 }
}
