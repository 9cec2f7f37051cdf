//! Lowers `printf` and the findings of checks to stores into the printf buffer.
//!
//! Why: the GPU cannot print; the host prints from the contents of the buffer (see [`crate::printf`]).
//! In:  `Inlined`, `SystemValues` (the push constant with the buffer's address).
//! Out: no `Intrinsic::Printf` is left, and no operation of instrumented kernels (`checks.rs`). `Module::printf` has an
//!      entry for each distinct call and for each string literal.
//!
//! A call allocates the words that it needs with one atomic addition, unless the buffer is full already. If they do not fit, it
//! writes nothing and its result is −1.
//!
//! A format that is a pointer may lead to several strings (`strings.rs`). Such a call becomes one call for each string, between
//! which comparisons of the pointer choose.

mod checks;
mod strings;

use super::{Changed, Pass, PassCx, PassError};
use crate::check::Area;
use crate::diag::InternalError;
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::module::object_pointer;
use crate::ir::walk::Replacements;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Const, Function, Global, GlobalData, Inst, Map,
    Module, Op, Printf, PrintfEntry, Scalar, Ty, Value,
};
use crate::printf::literal_arguments;

pub const PASS: Pass = Pass {
    name: "lower_printf",
    about: "Lowers printf to stores into the printf buffer.",
    run,
    requires: inv![Inlined, SystemValues],
    establishes: inv![],
    destroys: inv![],
};

const WORD: Access = Access {
    align: 4,
    volatile: false,
};
const ADDRESS: Access = Access {
    align: 8,
    volatile: false,
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let buffer = match (module.slots.printf, module.system.printf_buffer) {
        (Some(_), _) => PrintfBuffer::Object,
        (None, Some(offset)) => PrintfBuffer::AddressAt(offset),
        (None, None) => return Ok(Changed::No),
    };
    let mut lower = Lower {
        strings: &module.strings,
        globals: &module.globals,
        printf: Printf::default(),
        buffer,
        size: cx.target.printf_buffer_size(),
        area: checks::area(module, cx.target.printf_buffer_size()),
    };
    if lower.area.is_some() {
        lower.sites();
    }
    lower.notes();
    for kernel in &module.kernels {
        if lower.function(&mut module.funcs[kernel.func])? {
            lower.printf.kernels.push(kernel.func);
        }
    }
    module.printf = Printf {
        checks: lower.area,
        ..lower.printf
    };
    Ok(Changed::Yes)
}

/// The state of the pass.
struct Lower<'m> {
    strings: &'m [Vec<u8>],
    globals: &'m Map<Global, GlobalData>,
    printf: Printf,
    buffer: PrintfBuffer,
    /// The size of the buffer in bytes.
    size: u32,
    /// What follows the buffer, if kernels check something.
    area: Option<Area>,
}

/// How a kernel accesses the buffer.
#[derive(Copy, Clone)]
enum PrintfBuffer {
    /// By the address at this byte offset of the push constants.
    AddressAt(u32),
    /// Through memory object 0 of the kernel.
    Object,
}

impl Lower<'_> {
    /// Lowers the calls in a function. Returns whether there are any.
    fn function(&mut self, func: &mut Function) -> Result<bool, PassError> {
        let mut replacements = Replacements::default();
        let is_printf = |func: &Function, i: Inst| {
            func.insts[i].op == Op::Intrinsic(Intrinsic::Printf) || checks::is_for_checks(func, i)
        };
        let mut any = false;
        let jumps = Jumps::new(func);
        for region in func.regions_in_order() {
            if !func.regions[region].insts.iter().any(|&i| is_printf(func, i)) {
                continue;
            }
            let old = std::mem::take(&mut func.regions[region].insts);
            let mut b = Builder::at_end(func, region);
            for inst in old {
                if !is_printf(b.func, inst) {
                    b.push(inst);
                    continue;
                }
                b.span = b.func.insts[inst].span;
                any = true;
                let new = match checks::is_for_checks(b.func, inst) {
                    true => self.check(&mut b, inst)?,
                    false => Some(self.call(&mut b, inst, &jumps)?),
                };
                if let (Some(&result), Some(new)) = (b.func.insts[inst].results.first(), new) {
                    replacements.set(result, new);
                }
            }
        }
        replacements.apply(func);
        Ok(any)
    }

    /// Returns the bytes of a string literal.
    fn string(&self, func: &Function, id: Value) -> Result<&[u8], PassError> {
        let id = func.as_bits(id).and_then(|id| usize::try_from(id).ok());
        match id.and_then(|id| self.strings.get(id)) {
            Some(text) => Ok(text),
            None => Err(InternalError::new("lower_printf", "a string that does not exist").into()),
        }
    }

    /// Returns the address of the printf buffer.
    fn buffer(&self, b: &mut Builder<'_>) -> Value {
        let pointer = Ty::ptr(AddressSpace::Global);
        match self.buffer {
            PrintfBuffer::AddressAt(offset) => {
                let slot = b.bits(Ty::ptr(AddressSpace::Push), u64::from(offset));
                b.load(slot, pointer, ADDRESS)
            }
            PrintfBuffer::Object => b.bits(pointer, object_pointer(0)),
        }
    }

    /// Returns the number of the entry for a text and the sizes of its arguments; adds the entry if there is
    /// none.
    fn entry(&mut self, text: &[u8], sizes: &[u32]) -> u64 {
        let entries = &mut self.printf.entries;
        let at = entries.iter().position(|e| e.text == text && e.sizes == sizes);
        let at = at.unwrap_or_else(|| {
            entries.push(PrintfEntry {
                text: text.to_vec(),
                sizes: sizes.to_vec(),
            });
            entries.len() - 1
        });
        at as u64 + 1
    }

    /// Writes the words of one call, and returns its result.
    fn call(&mut self, b: &mut Builder<'_>, inst: Inst, jumps: &Jumps) -> Result<Value, PassError> {
        let args = b.func.insts[inst].args.clone();
        let is_known = !b.func.ty(args[0]).scalar.is_ptr();
        let printed = |&value: &Value| Printed {
            value,
            texts: strings::of(b.func, jumps, self.globals, value),
            is_number: is_known && b.func.ty(value) == Ty::I32 && b.func.as_bits(value).is_some(),
        };
        let printed: Vec<Printed> = args[1..].iter().map(printed).collect();
        if is_known {
            let format = self.string(b.func, args[0])?.to_vec();
            return self.call_with(b, &format, &printed);
        }
        let formats = strings::of(b.func, jumps, self.globals, args[0]);
        let Some((last, others)) = formats.as_deref().and_then(|list| list.split_last()) else {
            let span = b.func.insts[inst].span;
            return Err(PassError::Format { span });
        };
        let mut choices = Vec::new();
        for text in others {
            let is_this = is_text(b, args[0], text);
            let (choice, then, otherwise) = b.if_(is_this, &[Ty::I32]);
            b.enter(then);
            let result = self.call_with(b, &text.bytes, &printed)?;
            b.exit(choice, vec![result]);
            b.leave();
            b.enter(otherwise);
            choices.push(choice);
        }
        let mut result = self.call_with(b, &last.bytes, &printed)?;
        while let Some(choice) = choices.pop() {
            b.exit(choice, vec![result]);
            b.leave();
            result = b.results(choice)[0];
        }
        Ok(result)
    }

    /// Writes the words of one call with a known format, and returns its result.
    fn call_with(
        &mut self,
        b: &mut Builder<'_>,
        format: &[u8],
        args: &[Printed],
    ) -> Result<Value, PassError> {
        let literals = literal_arguments(format);
        let mut words = Vec::new();
        let mut sizes = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            let ty = b.func.ty(arg.value);
            let is_string = literals.contains(&n);
            let number = match &arg.texts {
                _ if !is_string => None,
                _ if arg.is_number => {
                    let text = self.string(b.func, arg.value)?.to_vec();
                    let id = self.entry(&text, &[]);
                    Some(b.bits(Ty::I32, id))
                }
                Some(texts) => Some(self.string_of(b, arg.value, texts)),
                // 64 bits are never taken for the number of a string.
                None if ty == Ty::I32 => Some(b.cast(CastOp::SExt, arg.value, Ty::I64)),
                None => None,
            };
            let value = number.unwrap_or(arg.value);
            words_of(b, value, &mut words);
            sizes.push(b.func.ty(value).bytes());
        }
        let id = self.entry(format, &sizes);
        words.insert(0, b.func.constant(Ty::I32, Const::Bits(vec![id])));
        Ok(self.store(b, &words))
    }

    /// Returns the number of the string that a pointer leads to, which is one of `texts`.
    fn string_of(&mut self, b: &mut Builder<'_>, pointer: Value, texts: &[strings::Text]) -> Value {
        let mut number = None;
        for text in texts {
            let id = self.entry(&text.bytes, &[]);
            let id = b.bits(Ty::I32, id);
            number = Some(match number {
                None => id,
                Some(other) => {
                    let is_this = is_text(b, pointer, text);
                    b.select(is_this, id, other)
                }
            });
        }
        number.unwrap_or_else(|| b.i32(0))
    }

    /// Stores words into the buffer if they fit. Returns 0, or −1 if they do not.
    fn store(&self, b: &mut Builder<'_>, words: &[Value]) -> Value {
        let count = words.len() as u32;
        let room = self.size / 4 - 1;
        let buffer = self.buffer(b);
        // Once the buffer is full, the counter stays as it is. Otherwise, it would begin again at 0 after 2^32 words.
        let load = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Load));
        let used = b.value(load, vec![buffer], Ty::I32);
        let (none, room_words) = (b.i32(0), b.bits(Ty::I32, u64::from(room)));
        let is_full = b.compare(CmpOp::UGt, used, room_words);
        let n = b.bits(Ty::I32, u64::from(count));
        let n = b.select(is_full, none, n);
        let add = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Add));
        let first = b.value(add, vec![buffer, n], Ty::I32);
        let fits = match room.checked_sub(count) {
            Some(last) => {
                let last = b.bits(Ty::I32, u64::from(last));
                b.compare(CmpOp::ULe, first, last)
            }
            None => b.bool(false),
        };
        let (choice, then, otherwise) = b.if_(fits, &[Ty::I32]);
        b.enter(then);
        let wide = b.cast(CastOp::ZExt, first, Ty::I64);
        let two = b.i64(2);
        let bytes = b.binary(BinOp::Shl, wide, two);
        let at = b.ptr_add(buffer, bytes);
        for (i, &word) in words.iter().enumerate() {
            let to = b.ptr_offset(at, 4 + 4 * i as i64);
            b.store(to, word, WORD);
        }
        let done = b.i32(0);
        b.exit(choice, vec![done]);
        b.leave();
        b.enter(otherwise);
        let failed = b.i32(-1);
        b.exit(choice, vec![failed]);
        b.leave();
        b.results(choice)[0]
    }
}

/// An argument of a call after the format.
struct Printed {
    value: Value,
    /// The strings that a pointer may lead to, if they are known.
    texts: Option<Vec<strings::Text>>,
    /// Whether the front end has replaced the value by the number of a string, if the format prints a string.
    is_number: bool,
}

/// Returns whether a pointer leads to a string.
fn is_text(b: &mut Builder<'_>, pointer: Value, text: &strings::Text) -> Value {
    let address = b.global_addr(text.global, AddressSpace::Constant);
    let address = b.ptr_offset(address, text.offset as i64);
    b.compare(CmpOp::IEq, pointer, address)
}

/// Appends the bytes of an argument as words.
fn words_of(b: &mut Builder<'_>, arg: Value, words: &mut Vec<Value>) {
    let ty = b.func.ty(arg);
    let lanes: Vec<Value> = if ty.is_vector() {
        (0..ty.lanes).map(|i| b.extract(arg, i)).collect()
    } else {
        vec![arg]
    };
    // The number of bits used in the last word; 0 if it is full.
    let mut filled = 0;
    for lane in lanes {
        let scalar = ty.scalar;
        let bits = Ty::of(Scalar::int(scalar.bits()));
        let int = if scalar.is_ptr() {
            b.cast(CastOp::PtrToInt, lane, Ty::I64)
        } else {
            b.cast(CastOp::Bitcast, lane, bits)
        };
        if bits == Ty::I64 {
            words.push(b.cast(CastOp::Trunc, int, Ty::I32));
            let half = b.i64(32);
            let high = b.binary(BinOp::LShr, int, half);
            words.push(b.cast(CastOp::Trunc, high, Ty::I32));
            continue;
        }
        if bits == Ty::I32 {
            words.push(int);
            continue;
        }
        let wide = b.cast(CastOp::ZExt, int, Ty::I32);
        match words.last_mut().filter(|_| filled > 0) {
            None => words.push(wide),
            Some(last) => {
                let by = b.bits(Ty::I32, u64::from(filled));
                let moved = b.binary(BinOp::Shl, wide, by);
                *last = b.binary(BinOp::Or, *last, moved);
            }
        }
        filled = (filled + scalar.bits()) % 32;
    }
}
