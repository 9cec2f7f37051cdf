//! The strings that a pointer may lead to. OpenCL C wants formats to be "resolvable at compile time" (3.0, 6.15.14.2), so a
//! format may also be a variable, a parameter of a function, an element of a table, or a choice between literals.

use crate::ir::analysis::Jumps;
use crate::ir::{AddressSpace, CastOp, Function, Global, GlobalData, Map, Op, Value, ValueDef};

/// The most strings that one pointer may lead to.
const MAX_STRINGS: usize = 64;

/// A string in constant memory.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Text {
    /// The variable that has the string.
    pub(super) global: Global,
    /// The offset of the string in the variable.
    pub(super) offset: u64,
    /// The characters, without the zero at their end.
    pub(super) bytes: Vec<u8>,
}

/// Returns the strings that a value may lead to; `None` if it is no pointer to constant memory, or if they are not known,
/// or too many.
pub(super) fn of(
    func: &Function,
    jumps: &Jumps,
    globals: &Map<Global, GlobalData>,
    pointer: Value,
) -> Option<Vec<Text>> {
    if func.ty(pointer).space() != Some(AddressSpace::Constant) {
        return None;
    }
    let mut search = Search {
        func,
        jumps,
        globals,
        places: vec![(pointer, 0)],
        found: Vec::new(),
    };
    let mut next = 0;
    while let Some(&(value, offset)) = search.places.get(next) {
        search.value(value, offset)?;
        next += 1;
        if search.places.len() > 16 * MAX_STRINGS || search.found.len() > MAX_STRINGS {
            return None;
        }
    }
    Some(search.found).filter(|found| !found.is_empty())
}

/// The search for the strings of a pointer.
struct Search<'a> {
    func: &'a Function,
    jumps: &'a Jumps,
    globals: &'a Map<Global, GlobalData>,
    /// The pointers that were found so far, with the bytes that are added to them.
    places: Vec<(Value, u64)>,
    found: Vec<Text>,
}

impl Search<'_> {
    fn add(&mut self, value: Value, offset: u64) {
        if !self.places.contains(&(value, offset)) {
            self.places.push((value, offset));
        }
    }

    /// Follows a pointer by one step. Returns `None` if that is not possible.
    fn value(&mut self, value: Value, offset: u64) -> Option<()> {
        let func = self.func;
        let (inst, n) = match func.values[value].def {
            ValueDef::Inst(inst, n) => (inst, n as usize),
            ValueDef::Arg(region, n) => {
                let is_owner = |&i: &_| func.insts[i].regions.first() == Some(&region);
                let owner = func.insts_in_order().into_iter().find(is_owner)?;
                self.add(*func.insts[owner].args.get(n as usize)?, offset);
                for &repeat in self.jumps.repeats(owner) {
                    self.add(*func.insts[repeat].args.get(n as usize)?, offset);
                }
                return Some(());
            }
            // A null pointer or a pointer without a value is never used as one.
            ValueDef::Const(_) if func.as_bits(value).is_none_or(|bits| bits == 0) => return Some(()),
            ValueDef::Const(_) | ValueDef::Param(_) => return None,
        };
        let data = &func.insts[inst];
        match &data.op {
            Op::GlobalAddr(global) => self.text(*global, offset)?,
            Op::PtrAdd => {
                let more = constant(func, data.args[1])?;
                self.add(data.args[0], offset.wrapping_add(more));
            }
            Op::Cast(CastOp::PtrCast) => self.add(data.args[0], offset),
            Op::Select => {
                self.add(data.args[1], offset);
                self.add(data.args[2], offset);
            }
            Op::Block | Op::Loop | Op::If | Op::Switch(_) => {
                for &exit in self.jumps.exits(inst) {
                    self.add(*func.insts[exit].args.get(n)?, offset);
                }
            }
            Op::Load(_) => self.loaded(data.args[0], offset)?,
            _ => return None,
        }
        Some(())
    }

    /// Adds the strings to which the pointers in a variable lead, at `pointer` and, if its offset is not constant, anywhere.
    fn loaded(&mut self, pointer: Value, offset: u64) -> Option<()> {
        let (func, mut base, mut place) = (self.func, pointer, Some(0u64));
        let global = loop {
            let ValueDef::Inst(inst, _) = func.values[base].def else {
                return None;
            };
            let data = &func.insts[inst];
            match data.op {
                Op::GlobalAddr(global) => break global,
                Op::PtrAdd => {
                    let more = constant(func, data.args[1]);
                    place = place.zip(more).map(|(a, b)| a.wrapping_add(b));
                    base = data.args[0];
                }
                _ => return None,
            }
        };
        let init = constant_contents(&self.globals[global])?;
        for &(at, to, start) in &init.relocations {
            if place.is_none_or(|place| place == u64::from(at)) {
                self.text(to, start.wrapping_add(offset))?;
            }
        }
        Some(())
    }

    fn text(&mut self, global: Global, offset: u64) -> Option<()> {
        let init = constant_contents(&self.globals[global])?;
        if !init.relocations.is_empty() {
            return None;
        }
        let rest = init.bytes.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let text = Text {
            global,
            offset,
            bytes: rest[..end].to_vec(),
        };
        if !self.found.contains(&text) {
            self.found.push(text);
        }
        Some(())
    }
}

/// Returns the contents of a variable in constant memory.
fn constant_contents(global: &GlobalData) -> Option<&crate::ir::module::Initializer> {
    let init = global.init.as_ref()?;
    Some(init).filter(|_| global.space == AddressSpace::Constant)
}

/// Returns the value of an integer constant, with its sign extended.
fn constant(func: &Function, value: Value) -> Option<u64> {
    let bits = func.as_bits(value)?;
    Some(match func.ty(value).bytes() {
        4 => bits as i32 as u64,
        _ => bits,
    })
}
