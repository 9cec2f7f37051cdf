//! Merges neighbouring accesses of private arrays into vector accesses.
//!
//! Why: the elements of a row and the members of a structure are neighbours, and a GPU can load 16 bytes of private memory with one
//! instruction. A driver does not merge the accesses, because the elements of the array are scalars. (H200: sums of
//! rows of 16 `uint` at computed places take 43 µs instead of 72, structures of 4 floats 25 instead of 30.)
//! In:  `ExplicitMemory`, after the last fixpoint: indices have their final form.
//! Out: arrays whose accesses profit have vectors of 16 or 8 bytes as elements. Loads of most lanes of a vector are one
//!      load, at the first of them; stores of all lanes are one store, at the last of them. The other accesses of such an array
//!      keep the type of a lane, and their indices count lanes.
//!
//! An array changes only if this saves enough accesses compared with those whose lane is computed: for these, the driver has to
//! compute the address in two parts.

use super::analysis::facts::facts;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{ITERATIONS, Weight, weights};
use crate::ir::build::Builder;
use crate::ir::{Access, BinOp, EntityRef, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, Value};

pub const PASS: Pass = Pass {
    name: "merge_private",
    about: "Merges neighbouring accesses of private arrays into vector accesses.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

/// The size in bytes of the widest access.
const WIDEST: u32 = 16;

/// The most lanes of a vector.
const MOST_LANES: usize = 4;

/// The most groups of an array to which accesses may be added at a time, which bounds the time of the search.
const MAX_OPEN: usize = 32;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= merge(func);
    }
    Ok(changed.into())
}

/// Merges the accesses of a function. Returns whether it has changed.
fn merge(func: &mut Function) -> bool {
    let regions = weights(func);
    let mut arrays = Vec::new();
    for &(region, _) in &regions {
        for &inst in &func.regions[region].insts {
            if let Op::Variable { elem, count: 2.. } = func.insts[inst].op
                && matches!(elem.scalar, Scalar::I32 | Scalar::F32 | Scalar::I64 | Scalar::F64)
                && !elem.is_vector()
            {
                arrays.push(Array::new(func.insts[inst].results[0], elem));
            }
        }
    }
    if arrays.is_empty() {
        return false;
    }
    for &(region, weight) in &regions {
        scan(func, region, weight, &mut arrays);
    }
    let mut groups = Vec::new();
    for Array { variable, views } in arrays {
        if let Some(view) = best(views) {
            declare(func, variable, view.log);
            groups.extend(view.groups.into_iter().filter(Group::is_merged));
        }
    }
    let mut members = vec![NO_GROUP; func.insts.len()];
    for (number, group) in groups.iter().enumerate() {
        for inst in group.lanes.iter().flatten() {
            members[inst.index()] = number as u32;
        }
    }
    if !groups.is_empty() {
        for (region, _) in regions {
            rewrite(func, region, &members, &mut groups);
        }
    }
    !groups.is_empty()
}

/// The number of the group of an access that is not merged.
const NO_GROUP: u32 = u32::MAX;

/// The place of an access in its array, in scalars: `base + offset`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Place {
    base: Option<Value>,
    offset: i32,
    /// The number of low bits of the base that are zero.
    zeros: u32,
}

impl Place {
    fn new(func: &Function, index: Value) -> Place {
        if let Some(bits) = func.as_bits(index) {
            return Place {
                base: None,
                offset: bits as i32,
                zeros: 32,
            };
        }
        let (base, offset) = match func.def_inst(index).map(|i| &func.insts[i]) {
            Some(sum) if sum.op == Op::Binary(BinOp::IAdd) => match func.as_bits(sum.args[1]) {
                Some(bits) => (sum.args[0], bits as i32),
                None => (index, 0),
            },
            _ => (index, 0),
        };
        Place {
            base: Some(base),
            offset,
            zeros: facts(func, base).trailing_zeros(),
        }
    }

    /// Returns the number of the vector of `1 << log` lanes, relative to the base, and the lane in it; `None` if the lane is
    /// computed.
    fn split(self, log: u32) -> Option<(i32, usize)> {
        let lane = self.offset & ((1 << log) - 1);
        (self.zeros >= log).then_some((self.offset >> log, lane as usize))
    }
}

/// Accesses to the lanes of one vector between which nothing else may change it.
struct Group {
    is_store: bool,
    base: Option<Value>,
    /// The number of the vector, relative to the base.
    number: i32,
    /// The logarithm of the number of lanes.
    log: u32,
    /// The access to each lane.
    lanes: [Option<Inst>; MOST_LANES],
    /// The first of the loads or the last of the stores.
    at: Inst,
    weight: Weight,
    /// The vector, when it has been loaded.
    loaded: Option<Value>,
}

impl Group {
    /// Returns the number of accesses.
    fn len(&self) -> usize {
        self.lanes.iter().flatten().count()
    }

    /// Returns whether the accesses become one: loads of more than half of the lanes, or stores of all.
    fn is_merged(&self) -> bool {
        match self.is_store {
            true => self.len() == 1 << self.log,
            false => 2 * self.len() > 1 << self.log,
        }
    }
}

/// The accesses of an array as vectors of one number of lanes.
struct View {
    /// The logarithm of the number of lanes.
    log: u32,
    groups: Vec<Group>,
    /// The groups to which accesses may still be added: indices into `groups`.
    open: Vec<usize>,
    /// The weight of the accesses whose lane is computed; that of a load, for whose result other instructions wait, counts twice.
    computed: Weight,
    /// The greatest weight of such an access.
    deepest: Weight,
}

impl View {
    fn new(log: u32) -> View {
        View {
            log,
            groups: Vec::new(),
            open: Vec::new(),
            computed: 0,
            deepest: 0,
        }
    }

    /// Adds an access, and closes the groups over which it cannot be moved.
    fn add(&mut self, inst: Inst, place: Place, is_store: bool, weight: Weight) {
        let Some((number, lane)) = place.split(self.log) else {
            let cost = weight.saturating_mul(if is_store { 1 } else { 2 });
            self.computed = self.computed.saturating_add(cost);
            self.deepest = self.deepest.max(weight);
            self.open.retain(|&g| !is_store && !self.groups[g].is_store);
            return;
        };
        let groups = &mut self.groups;
        let is_same = |g: &Group| g.base == place.base && g.number == number;
        let is_apart = |g: &Group| g.base == place.base && g.number != number;
        let takes = |g: &Group| is_same(g) && g.is_store == is_store && g.lanes[lane].is_none();
        self.open
            .retain(|&g| is_apart(&groups[g]) || !is_store && !groups[g].is_store || takes(&groups[g]));
        if let Some(&g) = self.open.iter().find(|&&g| takes(&groups[g])) {
            let group = &mut groups[g];
            group.lanes[lane] = Some(inst);
            if is_store {
                group.at = inst;
            }
            return;
        }
        // A new group, also for a load of a lane that the open group of its vector has already.
        if self.open.len() == MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(groups.len());
        let mut lanes = [None; MOST_LANES];
        lanes[lane] = Some(inst);
        groups.push(Group {
            is_store,
            base: place.base,
            number,
            log: self.log,
            lanes,
            at: inst,
            weight,
            loaded: None,
        });
    }

    /// Returns twice the weight of the accesses that are saved, less the cost of the accesses that become dearer. How long
    /// loops run is not known, so few savings cannot outweigh a cost in a deeper loop: a saving outside of all loops counts
    /// only if all costs are outside of loops, and a saving in a loop only if all costs are at most one loop deeper.
    fn gain(&self) -> Weight {
        let counts = |g: &&Group| match g.weight {
            1 => self.deepest <= 1,
            weight => weight.saturating_mul(ITERATIONS) >= self.deepest,
        };
        let counted = self.groups.iter().filter(|g| g.is_merged()).filter(counts);
        let saved = counted.fold(0, |sum: Weight, g| {
            sum.saturating_add(g.weight.saturating_mul(2 * (g.len() as Weight - 1)))
        });
        saved.saturating_sub(self.computed)
    }
}

/// A private array of scalars.
struct Array {
    /// The result of the `Variable` instruction.
    variable: Value,
    /// Empty if the array has volatile accesses.
    views: Vec<View>,
}

impl Array {
    fn new(variable: Value, elem: Ty) -> Array {
        let most = (WIDEST / elem.bytes()).trailing_zeros();
        Array {
            variable,
            views: (1..=most).map(View::new).collect(),
        }
    }
}

/// Returns the best view of an array, if one is better than scalars.
fn best(views: Vec<View>) -> Option<View> {
    let best = views.into_iter().max_by_key(View::gain)?;
    (best.gain() > 0).then_some(best)
}

/// Gives an array vectors as elements.
fn declare(func: &mut Function, variable: Value, log: u32) {
    if let Some(inst) = func.def_inst(variable)
        && let Op::Variable { elem, count } = &mut func.insts[inst].op
    {
        *elem = Ty::vector(elem.scalar, 1 << log);
        *count = count.div_ceil(1 << log);
    }
}

/// Finds the groups of each array in a region.
fn scan(func: &Function, region: Region, weight: Weight, arrays: &mut [Array]) {
    let close = |arrays: &mut [Array]| {
        for view in arrays.iter_mut().flat_map(|a| &mut a.views) {
            view.open.clear();
        }
    };
    for &inst in &func.regions[region].insts {
        let data = &func.insts[inst];
        if !data.regions.is_empty() {
            close(arrays);
        }
        let (Op::LoadFrom(Storage::Variable, access) | Op::StoreTo(Storage::Variable, access)) = data.op
        else {
            continue;
        };
        if let Some(array) = arrays.iter_mut().find(|a| a.variable == data.args[0]) {
            if access.volatile {
                array.views.clear();
            }
            let place = Place::new(func, data.args[1]);
            let is_store = matches!(data.op, Op::StoreTo(..));
            for view in &mut array.views {
                view.add(inst, place, is_store, weight);
            }
        }
    }
    close(arrays);
}

/// Rewrites the accesses of a region. `members` has the number of each instruction's group.
fn rewrite(func: &mut Function, region: Region, members: &[u32], groups: &mut [Group]) {
    let old = std::mem::take(&mut func.regions[region].insts);
    // The bases that are divided already, and the quotients.
    let mut quotients: Vec<(Value, u32, Value)> = Vec::new();
    let mut b = Builder::at_end(func, region);
    for inst in old {
        let number = members.get(inst.index()).map_or(usize::MAX, |&n| n as usize);
        let Some(group) = groups.get_mut(number) else {
            b.push(inst);
            continue;
        };
        b.span = b.func.insts[inst].span;
        if group.at == inst {
            let index = group.index(&mut b, &mut quotients);
            group.loaded = group.access(&mut b, index);
        }
        // A store is in that of its group.
        if let Some(vector) = group.loaded
            && let Some(lane) = group.lanes.iter().position(|&l| l == Some(inst))
        {
            let data = &mut b.func.insts[inst];
            data.op = Op::Extract(lane as u8);
            data.args = [vector].into();
            b.push(inst);
        }
    }
}

impl Group {
    /// Returns the index of the vector. `quotients` has the bases of the region that are divided already.
    fn index(&self, b: &mut Builder<'_>, quotients: &mut Vec<(Value, u32, Value)>) -> Value {
        let number = b.i32(self.number);
        let Some(base) = self.base else {
            return number;
        };
        let known = quotients.iter().find(|q| (q.0, q.1) == (base, self.log));
        let quotient = match known {
            Some(q) => q.2,
            None => {
                // The base may be negative.
                let log = b.i32(self.log as i32);
                let quotient = b.binary(BinOp::AShr, base, log);
                quotients.push((base, self.log, quotient));
                quotient
            }
        };
        match self.number {
            0 => quotient,
            _ => b.binary(BinOp::IAdd, quotient, number),
        }
    }

    /// Appends the access of the vector, and returns the vector if it is a load.
    fn access(&self, b: &mut Builder<'_>, index: Value) -> Option<Value> {
        let first = &b.func.insts[self.at];
        let variable = first.args[0];
        let value = match self.is_store {
            true => first.args[2],
            false => first.results[0],
        };
        let ty = Ty::vector(b.func.ty(value).scalar, 1 << self.log);
        let access = Access {
            align: ty.bytes(),
            volatile: false,
        };
        if self.is_store {
            let stored = self.lanes.iter().flatten();
            let lanes = stored.map(|&inst| b.func.insts[inst].args[2]).collect();
            let vector = b.construct(ty, lanes);
            b.insert(
                Op::StoreTo(Storage::Variable, access),
                vec![variable, index, vector],
                &[],
            );
            return None;
        }
        Some(b.value(Op::LoadFrom(Storage::Variable, access), vec![variable, index], ty))
    }
}
