//! Passes the private memory that a function accesses by value.
//!
//! Why: a function with pointers to private memory is not pure, so all its copies would be inlined. With the elements of
//! this memory as parameters and results it can stay a function (`docs/adr/0022-memory-by-value.md`).
//!
//! A function can be converted if each use of its pointers is a load, a store, a copy or zeroing at a constant offset,
//! or a call of a function that is converted, too ([`Accesses`]). Its pointers then become pointers to variables of its
//! own, which it fills with its parameters at its start, and whose contents it returns ([`ByValue::new`]). A call of it
//! loads the elements before and stores the results afterwards ([`pass_elements`]). That is correct only if
//! - each pointer is that of an `alloca`, plus a constant, so that elements beyond its end are known, which the function
//!   cannot access in this call, and
//! - no element that is written through one pointer is accessed through another.
//!
//! Any other call is inlined as it was written. The function has no access to the memory other than by its parameters,
//! because `inline` keeps pure functions only.

use crate::ir::analysis::{base_of, constant_offset};
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, AddressSpace, Builder, EntityRef, Func, Function, Inst, Op, Scalar, Ty, Value, ValueDef,
};
use std::collections::BTreeMap;

/// The most elements that a call passes, and the most that it returns. SPIR-V allows 255 parameters.
const MAX_ELEMENTS: usize = 160;

/// The most bytes between the first and the last element of one pointer.
const MAX_EXTENT: i64 = 1 << 16;

/// The alignment of the variables of converted functions.
const ALIGN: i64 = 16;

/// A number in private memory, at a constant distance in bytes from a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Element {
    offset: i64,
    ty: Ty,
}

impl Element {
    fn end(self) -> i64 {
        self.offset + i64::from(self.ty.bytes())
    }
}

/// Bytes that a function may access through a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Extent {
    start: i64,
    end: i64,
    written: bool,
}

/// What a call passes in place of an argument.
#[derive(Clone, Debug)]
enum Passed {
    /// The argument itself.
    Value,
    /// Elements of the memory that the argument points to.
    Memory {
        read: Vec<Element>,
        written: Vec<Element>,
        extents: Vec<Extent>,
    },
}

/// A function that takes and returns elements of private memory by value.
#[derive(Clone, Debug)]
pub(super) struct ByValue {
    /// For each parameter of the original function, what is passed instead.
    passed: Vec<Passed>,
    /// The number of results of the original function.
    results: usize,
    /// The types of all results.
    types: Vec<Ty>,
}

/// The accesses of a function through its pointer parameters.
struct Accesses {
    /// For each value, the parameter and the constant of which the pointer is the sum.
    of_value: Vec<Option<(usize, i64)>>,
    /// For each parameter, the numbers that are loaded and stored, with whether they are stored.
    numbers: Vec<Vec<(Element, bool)>>,
    /// For each parameter, the bytes that are copied or zeroed.
    copied: Vec<Vec<Extent>>,
    /// For each parameter, the bytes that calls may access.
    called: Vec<Vec<Extent>>,
}

impl Accesses {
    /// Finds the accesses of a function, or returns `None` if it uses a pointer in any other way.
    fn new<'a>(func: &Function, converted: &impl Fn(Func) -> Option<&'a ByValue>) -> Option<Accesses> {
        let count = func.params.len();
        let mut found = Accesses {
            of_value: vec![None; func.values.len()],
            numbers: vec![Vec::new(); count],
            copied: vec![Vec::new(); count],
            called: vec![Vec::new(); count],
        };
        for (n, &param) in func.params.iter().enumerate() {
            match func.ty(param).space() {
                Some(AddressSpace::Private) => found.of_value[param.index()] = Some((n, 0)),
                Some(_) => return None,
                None => {}
            }
        }
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            found.note(func, inst, converted)?;
        }
        Some(found)
    }

    /// Records the uses of pointers by an instruction.
    fn note<'a>(
        &mut self,
        func: &Function,
        inst: Inst,
        converted: &impl Fn(Func) -> Option<&'a ByValue>,
    ) -> Option<()> {
        let data = &func.insts[inst];
        let places: Vec<_> = data.args.iter().map(|a| self.of_value[a.index()]).collect();
        if places.iter().all(Option::is_none) {
            return Some(());
        }
        match &data.op {
            Op::PtrAdd => {
                let (n, at) = places[0]?;
                let sum = at.checked_add(constant_offset(func, data.args[1])?)?;
                self.of_value[data.results[0].index()] = Some((n, sum));
            }
            Op::Load(access) if !access.volatile => {
                self.number(places[0]?, func.ty(data.results[0]), false)?
            }
            Op::Store(access) if !access.volatile && places[1].is_none() => {
                self.number(places[0]?, func.ty(data.args[1]), true)?;
            }
            Op::MemZero { size, dst } if !dst.volatile => self.copy(places[0], *size, true),
            Op::MemCpy { size, dst, src } if !dst.volatile && !src.volatile => {
                self.copy(places[0], *size, true);
                self.copy(places[1], *size, false);
            }
            Op::Call(callee) => {
                for (passed, place) in converted(*callee)?.passed.iter().zip(places) {
                    let Some((n, at)) = place else {
                        continue;
                    };
                    let Passed::Memory {
                        read,
                        written,
                        extents,
                    } = passed
                    else {
                        return None;
                    };
                    for (list, is_written) in [(read, false), (written, true)] {
                        for e in list {
                            let offset = e.offset.checked_add(at)?;
                            self.numbers[n].push((Element { offset, ..*e }, is_written));
                        }
                    }
                    self.called[n].extend(extents.iter().map(|e| Extent {
                        start: e.start.saturating_add(at),
                        end: e.end.saturating_add(at),
                        ..*e
                    }));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Records the lanes of a number that is loaded or stored.
    fn number(&mut self, place: (usize, i64), ty: Ty, written: bool) -> Option<()> {
        let (n, at) = place;
        if !(ty.scalar.is_int() || ty.scalar.is_float()) {
            return None;
        }
        for lane in 0..ty.lanes {
            let offset = at.checked_add(i64::from(lane) * i64::from(ty.scalar.bytes()))?;
            let ty = Ty::of(ty.scalar);
            self.numbers[n].push((Element { offset, ty }, written));
        }
        Some(())
    }

    fn copy(&mut self, place: Option<(usize, i64)>, size: u32, written: bool) {
        if let Some((n, start)) = place {
            let end = start.saturating_add(size.into());
            self.copied[n].push(Extent { start, end, written });
        }
    }

    /// Returns the elements that a parameter points to, in ascending order, with whether they are written. No two of
    /// them overlap. Returns `None` if there are none for all accesses.
    fn elements(&self, n: usize) -> Option<Vec<(Element, bool)>> {
        let mut numbers: Vec<(Element, bool)> = Vec::new();
        for &(e, written) in &self.numbers[n] {
            // Most functions access their elements in ascending order, so that this is as quick as a sort, and it is less code.
            let at = numbers.partition_point(|(other, _)| (other.offset, other.end()) <= (e.offset, e.end()));
            numbers.insert(at, (e, written));
        }
        let mut list: Vec<(Element, bool)> = Vec::new();
        let mut rest = &numbers[..];
        while let Some(&(first, _)) = rest.first() {
            let (mut end, mut count) = (first.end(), 0);
            while rest.get(count).is_some_and(|(e, _)| e.offset < end) {
                end = end.max(rest[count].0.end());
                count += 1;
            }
            let (cluster, others) = rest.split_at(count);
            rest = others;
            list.extend(cells(cluster, end)?);
        }
        // What is only copied is copied in words, or in smaller parts beside other elements.
        for copied in &self.copied[n] {
            let mut at = copied.start;
            while at < copied.end {
                let next = list.iter().position(|(e, _)| at < e.end()).unwrap_or(list.len());
                if let Some((e, written)) = list.get_mut(next).filter(|(e, _)| e.offset <= at) {
                    *written |= copied.written;
                    at = e.end();
                    continue;
                }
                let room = list
                    .get(next)
                    .map_or(copied.end, |(e, _)| e.offset.min(copied.end))
                    - at;
                let part = [Ty::I32, Ty::I16].into_iter().find(|ty| {
                    let bytes = i64::from(ty.bytes());
                    bytes <= room && at % bytes == 0
                });
                let ty = part.unwrap_or(Ty::I8);
                let part = Element { offset: at, ty };
                list.insert(next, (part, copied.written));
                at = part.end();
                if list.len() > MAX_ELEMENTS {
                    return None;
                }
            }
        }
        let extent = match (list.first(), list.last()) {
            (Some((first, _)), Some((last, _))) => last.end().checked_sub(first.offset.min(0))?,
            _ => 0,
        };
        (list.len() <= MAX_ELEMENTS && extent <= MAX_EXTENT).then_some(list)
    }

    /// Returns the bytes that may be accessed through a parameter.
    fn extents(&self, n: usize) -> Vec<Extent> {
        let numbers = self.numbers[n].iter().map(|&(e, written)| Extent {
            start: e.offset,
            end: e.end(),
            written,
        });
        let mut merged: BTreeMap<(i64, i64), bool> = BTreeMap::new();
        let all = numbers
            .chain(self.copied[n].iter().copied())
            .chain(self.called[n].iter().copied());
        for e in all {
            *merged.entry((e.start, e.end)).or_default() |= e.written;
        }
        let extent = |((start, end), written)| Extent { start, end, written };
        merged.into_iter().map(extent).collect()
    }
}

/// Divides numbers that overlap into equal parts of the size of the smallest. Returns `None` if a number is not made of
/// such parts.
fn cells(numbers: &[(Element, bool)], end: i64) -> Option<Vec<(Element, bool)>> {
    let (first, _) = *numbers.first()?;
    let size = numbers.iter().map(|(e, _)| e.ty.bytes()).min().map(i64::from)?;
    let start = first.offset;
    let fits = |e: Element| (e.offset - start) % size == 0 && (e.end() - e.offset) % size == 0;
    if !numbers.iter().all(|&(e, _)| fits(e)) || (end - start) / size > MAX_ELEMENTS as i64 {
        return None;
    }
    let ty = match i64::from(first.ty.bytes()) == size && numbers.iter().all(|(e, _)| e.ty == first.ty) {
        true => first.ty,
        false => Ty::of(Scalar::int(size as u32 * 8)),
    };
    let cell = |n: i64| {
        let cell = Element {
            offset: start + n * size,
            ty,
        };
        let stored =
            |(e, written): &(Element, bool)| *written && e.offset < cell.end() && cell.offset < e.end();
        (cell, numbers.iter().any(stored))
    };
    Some((0..(end - start) / size).map(cell).collect())
}

impl ByValue {
    /// Converts a function with pointers to private memory, and returns the new function, too. The calls in it stay as
    /// they are, now with pointers to variables. Returns `None` if that is not possible.
    pub(super) fn new<'a>(
        source: &Function,
        converted: &impl Fn(Func) -> Option<&'a ByValue>,
    ) -> Option<(ByValue, Function)> {
        if !source.params.iter().any(|&p| source.ty(p).scalar.is_ptr()) {
            return None;
        }
        let accesses = Accesses::new(source, converted)?;
        let mut func = source.clone();
        let results = func.results.len();
        lower_alignments(&mut func, &accesses);
        let body = func.body;
        let rest = std::mem::take(&mut func.regions[body].insts);
        let params = std::mem::take(&mut func.params);
        let mut replacements = Replacements::default();
        let mut passed = Vec::new();
        let mut returned: Vec<(Value, Element)> = Vec::new();
        for (n, &param) in params.iter().enumerate() {
            if !func.ty(param).scalar.is_ptr() {
                func.values[param].def = ValueDef::Param(func.params.len() as u32);
                func.params.push(param);
                passed.push(Passed::Value);
                continue;
            }
            let elements = accesses.elements(n)?;
            let lowest = elements.first().map_or(0, |(e, _)| e.offset.min(0));
            let start = lowest.div_euclid(ALIGN) * ALIGN;
            let size = elements.last().map_or(ALIGN, |(e, _)| e.end() - start);
            let mut b = Builder::at_end(&mut func, body);
            let variable = b.alloca(u32::try_from(size).ok()?, ALIGN as u32);
            let pointer = b.ptr_offset(variable, -start);
            replacements.set(param, pointer);
            for (e, _) in &elements {
                let value = b.func.add_param(e.ty);
                let to = b.ptr_offset(pointer, e.offset);
                b.store(to, value, access(ALIGN as u32, e.offset));
            }
            let written = elements.iter().filter(|(_, written)| *written);
            let written: Vec<Element> = written.map(|(e, _)| *e).collect();
            returned.extend(written.iter().map(|&e| (pointer, e)));
            passed.push(Passed::Memory {
                read: elements.into_iter().map(|(e, _)| e).collect(),
                written,
                extents: accesses.extents(n),
            });
        }
        if func.params.len() > MAX_ELEMENTS || returned.len() > MAX_ELEMENTS {
            return None;
        }
        func.regions[body].insts.extend(rest);
        replacements.apply(&mut func);
        func.results.extend(returned.iter().map(|(_, e)| e.ty));
        return_elements(&mut func, &returned);
        let by_value = ByValue {
            passed,
            results,
            types: func.results.clone(),
        };
        Some((by_value, func.compacted()))
    }

    /// Removes unused parameters, and results whose values are those of parameters.
    /// The function must be in SSA form, without the variables.
    pub(super) fn remove_unused(&mut self, func: &mut Function) {
        let order = func.insts_in_order();
        let returns: Vec<Inst> = order
            .iter()
            .copied()
            .filter(|&i| func.insts[i].op == Op::Return)
            .collect();
        let (mut param, mut result) = (0, self.results);
        let mut unchanged = vec![false; func.results.len()];
        for passed in &mut self.passed {
            let Passed::Memory { read, written, .. } = passed else {
                param += 1;
                continue;
            };
            written.retain(|e| {
                let old = read.iter().position(|r| r == e).map(|n| func.params[param + n]);
                unchanged[result] = returns.iter().all(|&r| Some(func.insts[r].args[result]) == old);
                result += 1;
                !unchanged[result - 1]
            });
            param += read.len();
        }
        let keep = |n: usize| !unchanged[n];
        for &r in &returns {
            retain_indices(&mut func.insts[r].args, keep);
        }
        let mut n = 0;
        func.results.retain(|_| {
            n += 1;
            keep(n - 1)
        });
        let uses = func.use_counts();
        let params = std::mem::take(&mut func.params);
        let mut list = params.into_iter();
        for passed in &mut self.passed {
            match passed {
                Passed::Value => func.params.extend(list.next()),
                Passed::Memory { read, .. } => read.retain(|_| {
                    let param = list.next().filter(|p| uses[p.index()] > 0);
                    func.params.extend(param);
                    param.is_some()
                }),
            }
        }
        for (n, &param) in func.params.iter().enumerate() {
            func.values[param].def = ValueDef::Param(n as u32);
        }
        self.types = func.results.clone();
        *func = func.compacted();
    }
}

fn retain_indices(list: &mut crate::ir::ValueList, keep: impl Fn(usize) -> bool) {
    let kept = list.iter().enumerate().filter(|(n, _)| keep(*n)).map(|(_, &v)| v);
    *list = kept.collect();
}

/// Returns the access to an element at an offset from an address with an alignment.
fn access(align: u32, offset: i64) -> Access {
    let power = 1u32 << offset.trailing_zeros().min(31);
    Access {
        align: align.min(power),
        volatile: false,
    }
}

/// Lowers the alignments of the accesses through pointer parameters to what holds for the variables that replace the
/// memory.
fn lower_alignments(func: &mut Function, accesses: &Accesses) {
    for inst in func.insts_in_order() {
        let data = &mut func.insts[inst];
        let place = |n: usize| data.args.get(n).and_then(|a| accesses.of_value[a.index()]);
        let (first, second) = (place(0), place(1));
        let lower = |at: &mut Access, place: Option<(usize, i64)>| {
            if let Some((_, offset)) = place {
                at.align = at.align.min(access(ALIGN as u32, offset).align);
            }
        };
        match &mut data.op {
            Op::Load(at) | Op::Store(at) | Op::MemZero { dst: at, .. } => lower(at, first),
            Op::MemCpy { dst, src, .. } => {
                lower(dst, first);
                lower(src, second);
            }
            _ => {}
        }
    }
}

/// Adds the elements of variables to what a function returns.
fn return_elements(func: &mut Function, elements: &[(Value, Element)]) {
    for region in func.regions_in_order() {
        let Some(end) = func
            .terminator(region)
            .filter(|&t| func.insts[t].op == Op::Return)
        else {
            continue;
        };
        func.regions[region].insts.pop();
        let mut b = Builder::at_end(func, region);
        b.span = b.func.insts[end].span;
        for &(pointer, e) in elements {
            let from = b.ptr_offset(pointer, e.offset);
            let value = b.load(from, e.ty, access(ALIGN as u32, e.offset));
            b.func.insts[end].args.push(value);
        }
        b.push(end);
    }
}

/// An element at a call: the address of the variable, the offset in it, and the type. `None` stands for an element outside of
/// the variable, which the callee does not access.
type Place = Option<(Value, i64, Ty, u32)>;

/// A call that can pass elements by value.
struct Call {
    /// The arguments: values, and elements to load.
    args: Vec<Result<Value, (Place, Ty)>>,
    /// The places of the elements that the function returns, with their types.
    stores: Vec<(Place, Ty)>,
}

impl Call {
    /// Decides whether a call can pass elements by value.
    fn new(func: &Function, inst: Inst, callee: &ByValue) -> Option<Call> {
        let data = &func.insts[inst];
        let mut call = Call {
            args: Vec::new(),
            stores: Vec::new(),
        };
        let mut accessed: Vec<(Value, Extent)> = Vec::new();
        for (&arg, passed) in data.args.iter().zip(&callee.passed) {
            let Passed::Memory {
                read,
                written,
                extents,
            } = passed
            else {
                call.args.push(Ok(arg));
                continue;
            };
            if extents.is_empty() {
                continue;
            }
            let (base, start) = base_of(func, arg);
            let start = start?;
            let Op::Alloca { size, align } = func.insts[func.def_inst(base)?].op else {
                return None;
            };
            let place = |e: &Element| {
                let offset = e.offset.checked_add(start)?;
                let end = offset.checked_add(e.ty.bytes().into())?;
                (offset >= 0 && end <= i64::from(size)).then_some((base, offset, e.ty, align))
            };
            call.args.extend(read.iter().map(|e| Err((place(e), e.ty))));
            call.stores.extend(written.iter().map(|e| (place(e), e.ty)));
            let own = accessed.len();
            for e in extents {
                let e = Extent {
                    start: e.start.checked_add(start)?,
                    end: e.end.checked_add(start)?,
                    ..*e
                };
                let meets = |(other, o): &(Value, Extent)| {
                    *other == base && o.start < e.end && e.start < o.end && (o.written || e.written)
                };
                if accessed[..own].iter().any(meets) {
                    return None;
                }
                accessed.push((base, e));
            }
        }
        Some(call)
    }

    /// Emits the call at the cursor.
    fn emit(self, b: &mut Builder<'_>, inst: Inst, callee: &ByValue, id: Func, old: &mut Replacements) {
        let mut args = Vec::new();
        for arg in self.args {
            args.push(match arg {
                Ok(value) => value,
                Err((None, ty)) => b.undef(ty),
                Err((Some((base, offset, ty, align)), _)) => {
                    let from = b.ptr_offset(base, offset);
                    b.load(from, ty, access(align.max(1), offset))
                }
            });
        }
        let call = b.insert(Op::CallPure(id), args, &callee.types);
        let results = b.func.insts[call].results.clone();
        for (n, &result) in b.func.insts[inst].results.iter().enumerate() {
            old.set(result, results[n]);
        }
        for (&value, (place, _)) in results[callee.results..].iter().zip(self.stores) {
            if let Some((base, offset, _, align)) = place {
                let to = b.ptr_offset(base, offset);
                b.store(to, value, access(align.max(1), offset));
            }
        }
    }
}

/// Turns calls of converted functions into calls by value where that is possible. `converted` returns the converted
/// form of a function, with its number. Returns whether there were any.
pub(super) fn pass_elements<'a>(
    func: &mut Function,
    converted: &impl Fn(Func) -> Option<(&'a ByValue, Func)>,
) -> bool {
    let mut any = false;
    let mut replacements = Replacements::default();
    for region in func.regions_in_order() {
        let has_call = |i: &Inst| matches!(func.insts[*i].op, Op::Call(_));
        if !func.regions[region].insts.iter().any(has_call) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            let callee = match b.func.insts[inst].op {
                Op::Call(callee) => converted(callee),
                _ => None,
            };
            let call = callee.and_then(|(callee, id)| Some((Call::new(b.func, inst, callee)?, callee, id)));
            match call {
                Some((call, callee, id)) => {
                    any = true;
                    b.span = b.func.insts[inst].span;
                    call.emit(&mut b, inst, callee, id, &mut replacements);
                }
                None => b.push(inst),
            }
        }
    }
    replacements.apply(func);
    any
}
