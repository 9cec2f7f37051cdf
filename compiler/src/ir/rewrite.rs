//! The rewriting of functions by passes that replace most instructions, or the types of values.

use super::{Builder, Function, Inst, Region, Value};
use crate::entity::EntityRef;
use crate::hash::HashMap;

/// A traversal of a function in the order of the text that takes the instructions out of their regions, so that a pass
/// can emit each of them, or others in its place. The regions of an instruction follow it, so that values are rewritten
/// before their uses.
#[derive(Debug)]
pub struct Rewriting {
    /// The regions that are being rewritten, the innermost last, with the instructions that are left of each.
    stack: Vec<(Region, std::vec::IntoIter<Inst>)>,
    /// The instruction whose regions are next.
    last: Option<Inst>,
}

impl Rewriting {
    /// Takes the instructions out of the body of the builder's function, and moves the cursor there.
    pub fn new(b: &mut Builder<'_>) -> Self {
        let body = b.func.body;
        b.move_to_end(body);
        let mut rewriting = Rewriting {
            stack: Vec::new(),
            last: None,
        };
        rewriting.open(b.func, body);
        rewriting
    }

    fn open(&mut self, func: &mut Function, region: Region) {
        let insts = std::mem::take(&mut func.regions[region].insts);
        self.stack.push((region, insts.into_iter()));
    }

    /// Returns the next instruction, and moves the cursor to the end of the region that it was in.
    pub fn next(&mut self, b: &mut Builder<'_>) -> Option<Inst> {
        if let Some(last) = self.last.take() {
            for region in b.func.insts[last].regions.clone().into_iter().rev() {
                self.open(b.func, region);
            }
        }
        while let Some((region, rest)) = self.stack.last_mut() {
            if let Some(inst) = rest.next() {
                b.move_to_end(*region);
                self.last = Some(inst);
                return Some(inst);
            }
            self.stack.pop();
        }
        None
    }
}

/// What values have become: a table with an entry for each value that is replaced.
#[derive(Clone, Debug)]
pub struct Replaced<T>(Vec<Option<T>>);

impl<T> Default for Replaced<T> {
    fn default() -> Self {
        Replaced(Vec::new())
    }
}

impl<T: Clone> Replaced<T> {
    /// Records what a value has become.
    pub fn set(&mut self, value: Value, by: T) {
        if self.0.len() <= value.index() {
            self.0.resize(value.index() + 1, None);
        }
        self.0[value.index()] = Some(by);
    }

    /// Returns what a value has become.
    pub fn get(&self, value: Value) -> Option<&T> {
        self.0.get(value.index())?.as_ref()
    }
}

impl Function {
    /// Inserts new instructions into a region: those of a list of `ahead` before the instruction that the list is for. Returns
    /// whether there are any.
    pub(crate) fn insert_ahead(&mut self, region: Region, ahead: &HashMap<Inst, Vec<Inst>>) -> bool {
        let old = std::mem::take(&mut self.regions[region].insts);
        let new = &mut self.regions[region].insts;
        for inst in old {
            new.extend(ahead.get(&inst).into_iter().flatten());
            new.push(inst);
        }
        !ahead.is_empty()
    }
}
