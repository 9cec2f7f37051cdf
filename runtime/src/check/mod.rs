//! The checks of kernels while they run (`CALDERA_CHECK`): what a launch supplies for them, and what it has found.
//!
//! Instrumented kernels state their findings in the printf buffer, which is followed by the sizes and counters of the checks
//! ([`caldera_compiler::check`]). The findings of a batch are reported when the GPU has completed it, before its events
//! complete.

mod allocations;
pub(crate) mod notes;
mod report;
mod shadows;
pub(crate) mod written;

use std::ops::Range;
use std::sync::Arc;

use caldera_compiler::check::{ARGUMENT, Area, FINDING, Object, Site, memory, object};

use allocations::Range as Allocation;
pub(crate) use allocations::{Allocations, Noted};

use crate::context::Context;
use crate::device::recycling::Storage;
use crate::device::staging::Staging;
use crate::error::Result;
use crate::kernel::launch::ArgValue;
use crate::kernel::pipeline::DeviceKernel;
use crate::mem::{Buffer, HostPtr, KernelAccess};
use crate::printf::records;
use report::{Finding, Other, Place};
use shadows::{Parts, Wanted, complain, parts};

/// The memory of an argument.
#[derive(Debug, Default)]
struct Argument {
    bytes: u64,
    /// The offset of the argument in this memory.
    offset: u64,
    /// The description of this memory in reports.
    words: String,
    /// How kernels may access it.
    access: KernelAccess,
    /// The address of the memory in which the race check records the accesses to it; 0 if nothing is recorded.
    races: u64,
    /// The address of the memory in which the check of uninitialized memory records what has been written; 0 if nothing
    /// is recorded.
    written: u64,
}

/// What a launch of an instrumented kernel supplies.
pub(crate) struct CheckedLaunch {
    area: Area,
    args: Vec<Argument>,
    /// The address of the records of the race check about the local memory of all work-groups, or 0.
    races_of_groups: u64,
    /// The address of the records of the check of uninitialized memory about the local memory of all work-groups, or 0.
    written_of_groups: u64,
    /// The storage with the records about buffers, which must live until the launch is complete.
    kept: Vec<Arc<Storage>>,
    /// The allocations that pointers from memory may lead to.
    ranges: Vec<Allocation>,
}

impl CheckedLaunch {
    /// Returns what a launch supplies on a device of the context; `None` if the kernel makes no checks.
    pub(crate) fn new(
        kernel: &DeviceKernel,
        args: &[ArgValue],
        context: &Context,
        device: usize,
    ) -> Option<CheckedLaunch> {
        let area = kernel.reflection().checks?;
        let mut ranges = context
            .allocations()
            .map_or_else(Vec::new, |a| a.on_device(device));
        // A module of another process may be instrumented although this one notes no allocations.
        for value in args {
            if let ArgValue::Buffer(Some(buffer)) = value
                && let Some(start) = buffer.known_address(device)
            {
                let words = described(buffer);
                ranges.push(Allocation::new(start, buffer.size(), words));
            }
        }
        if let (Some(buffer), Some((start, _))) =
            (kernel.module().constants(), kernel.module().constant_data())
        {
            let size = buffer.address() + buffer.size() - start;
            ranges.push(Allocation::new(start, size, "the program's variables".into()));
        }
        let args = args.iter().take(kernel.reflection().args.len());
        let args = args.map(|value| argument(value, &ranges)).collect();
        Some(CheckedLaunch {
            area,
            args,
            races_of_groups: 0,
            written_of_groups: 0,
            kept: Vec::new(),
            ranges,
        })
    }

    /// Allocates the memory in which the kernel records the accesses to the memory of its arguments. `groups` is the number
    /// of work-groups. `allocate` gets a size in bytes and returns the address of that much zeroed memory.
    pub(crate) fn allocate(
        &mut self,
        kernel: &DeviceKernel,
        args: &[ArgValue],
        (groups, device): (u64, usize),
        allocate: impl FnOnce(u64) -> Result<u64>,
    ) {
        let name = &kernel.reflection().name;
        let of_group = |check: &str| {
            let bytes = kernel.notes().filter(|n| n.check == check);
            bytes.map(|n| u64::from(n.group_bytes)).sum::<u64>()
        };
        let mut parts = self.race_parts(kernel, args, (groups, device));
        let of_groups = ["race", "uninitialized"].map(|check| {
            let size = of_group(check).saturating_mul(groups);
            let at = parts.add(size);
            if at.is_none() {
                complain(name, check, "its local variables", None);
            }
            at.filter(|_| size > 0)
        });
        let written = self.local_parts(kernel, args, groups, &mut parts);
        if parts.size > 0 {
            match allocate(parts.size) {
                Ok(address) => {
                    let at = |offset: Option<u64>| offset.map_or(0, |offset| address + offset);
                    let offsets = parts.offsets.iter().zip(written);
                    for (arg, (race, written)) in self.args.iter_mut().zip(offsets) {
                        arg.races = at(*race);
                        arg.written = at(written);
                    }
                    [self.races_of_groups, self.written_of_groups] = of_groups.map(at);
                }
                Err(_) => complain(name, "race", "its arguments and local variables", None),
            }
        }
        for n in parts.left_out {
            complain(name, "race", &self.args[n].words, Some(n));
        }
    }

    /// Divides the memory for the check of races.
    fn race_parts(&self, kernel: &DeviceKernel, args: &[ArgValue], (groups, device): (u64, usize)) -> Parts {
        if self.area.unit == 0 {
            return Parts {
                offsets: vec![None; args.len()],
                ..Parts::default()
            };
        }
        let reflected = &kernel.reflection().args;
        let values = args.iter().zip(&self.args).zip(reflected);
        let wanted = values.map(|((value, arg), reflected)| {
            let start = match value {
                ArgValue::Buffer(Some(buffer)) => Some(buffer.known_address(device)?),
                ArgValue::Address(address) if arg.bytes > 0 => Some(address - arg.offset),
                ArgValue::Local(_) => None,
                _ => return None,
            };
            Some(Wanted {
                start,
                bytes: arg.bytes,
                written: reflected.uses.written || reflected.uses.escapes,
            })
        });
        parts(&wanted.collect::<Vec<_>>(), self.area.unit.into(), groups)
    }

    /// Adds parts for the records of the check of uninitialized memory about local arguments. Returns their offsets.
    fn local_parts(
        &self,
        kernel: &DeviceKernel,
        args: &[ArgValue],
        groups: u64,
        parts: &mut Parts,
    ) -> Vec<Option<u64>> {
        let notes = kernel.notes().find(|n| n.check == "uninitialized");
        let is_noted = |n: usize| notes.is_some_and(|notes| notes.noted.contains(&(n as u32)));
        let part = |(n, value): (usize, &ArgValue)| {
            let ArgValue::Local(bytes) = value else {
                return None;
            };
            if !is_noted(n) {
                return None;
            }
            let size = (*bytes as u64).next_multiple_of(memory::GROUP_ALIGN.into());
            let at = parts.add(size.saturating_mul(groups));
            if at.is_none() {
                complain(
                    &kernel.reflection().name,
                    "uninitialized",
                    &self.args[n].words,
                    Some(n),
                );
            }
            at
        };
        args.iter().enumerate().map(part).collect()
    }

    /// Finds the shadow memory of buffers, in which the kernel notes what it writes. `fill` fills a range of it with ones, before
    /// the launch.
    pub(crate) fn find_written(
        &mut self,
        kernel: &DeviceKernel,
        args: &[ArgValue],
        queue: u32,
        mut fill: impl FnMut(&Storage, Range<u64>),
    ) {
        let Some(notes) = kernel.notes().find(|n| n.check == "uninitialized") else {
            return;
        };
        for (n, (value, arg)) in args.iter().zip(&mut self.args).enumerate() {
            if let ArgValue::Buffer(Some(buffer)) = value
                && notes.noted.contains(&(n as u32))
                && let Some((storage, ranges)) = buffer.written().and_then(|w| w.for_launch(queue))
            {
                ranges.into_iter().for_each(|range| fill(&storage, range));
                arg.written = storage.address() + buffer.offset();
                self.kept.push(storage);
            }
        }
    }

    /// Returns the size of the printf buffer with what follows it.
    pub(crate) fn size(&self) -> u64 {
        self.area.size(self.ranges.len())
    }

    /// Stores the sizes and the allocations, and clears the counters. The host writes them before the launch is submitted.
    pub(crate) fn store(&self, buffer: &Staging) {
        let start = self.area.sizes;
        let mut bytes = vec![0u8; (self.size() - u64::from(start)) as usize];
        let mut put = |at: u32, value: &[u8]| {
            let at = (at - start) as usize;
            if let Some(place) = bytes.get_mut(at..at + value.len()) {
                place.copy_from_slice(value);
            }
        };
        let room = (self.area.counters - start) / ARGUMENT;
        let after = self.args.len() as u32;
        if after < room {
            let at = start + ARGUMENT * after + 8 * memory::RACES_OF_GROUPS;
            put(at, &self.races_of_groups.to_ne_bytes());
            let at = start + ARGUMENT * after + 8 * memory::WRITTEN_OF_GROUPS;
            put(at, &self.written_of_groups.to_ne_bytes());
        }
        for (n, arg) in self.args.iter().enumerate().take(room as usize) {
            let if_allowed = |not: KernelAccess| if arg.access == not { 0 } else { arg.bytes };
            let values = [
                (memory::BYTES, arg.bytes),
                (memory::OFFSET, arg.offset),
                (memory::READABLE, if_allowed(KernelAccess::WriteOnly)),
                (memory::WRITABLE, if_allowed(KernelAccess::ReadOnly)),
                (memory::number(memory::RACES), arg.races),
                (memory::WRITTEN, arg.written),
            ];
            for (number, value) in values {
                put(start + ARGUMENT * n as u32 + 8 * number, &value.to_ne_bytes());
            }
        }
        put(self.area.allocations, &(self.ranges.len() as u32).to_ne_bytes());
        for (n, range) in self.ranges.iter().enumerate() {
            let at = self.area.allocations + 8 + 16 * n as u32;
            put(at, &range.start.to_ne_bytes());
            put(at + 8, &range.end.to_ne_bytes());
        }
        if let Some(memory) = buffer.mapped() {
            memory.offset(start.into()).store(&bytes);
        }
    }

    /// Reports what the launch has found: `words` are those of the printf buffer, and `told` passes a report to the
    /// application. Returns the number of findings.
    pub(crate) fn report(
        &self,
        buffer: &Staging,
        kernel: &DeviceKernel,
        words: &[u32],
        told: &mut dyn FnMut(String),
    ) -> u64 {
        let mut counts = self.counts(buffer);
        let total = counts.iter().sum();
        if total == 0 {
            return 0;
        }
        let name = &kernel.reflection().name;
        let formats = &kernel.module().reflection().printf_formats;
        records(words, formats, |format, args| {
            let (Some(mut site), true) = (Site::from_text(&format.format), args.len() == FINDING.len())
            else {
                return;
            };
            let number = |n: usize| args[n].iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b));
            let count = counts.get_mut(number(0) as usize).map_or(0, std::mem::take);
            let (object, size) = self.object(&site, number(1) as u32, kernel);
            let is_race = site.check == "race";
            let offset = match is_race {
                true => number(2) & u64::from(u32::MAX),
                false => number(2),
            };
            let place = Place {
                offset: offset as i64,
                size,
            };
            let other = is_race.then(|| Other::new(&mut site, (number(2) >> 32) as u32));
            report::report(
                &Finding {
                    kernel: name,
                    object,
                    beyond: match site.bytes {
                        0 => String::new(),
                        _ if site.align > 0 => misaligned(&site, number(1) as u32, place),
                        _ => self.beyond(number(1) as u32, place),
                    },
                    forbidden: self.forbids(&site, number(1) as u32, place),
                    other,
                    site,
                    place,
                    global_id: [number(3), number(4), number(5)],
                    local_id: [number(6), number(7), number(8)],
                    count,
                },
                told,
            );
        });
        let hidden: u64 = counts.iter().sum();
        if hidden > 0 {
            let text = format!(
                "caldera: {hidden} findings in kernel '{name}' at places whose records found no room in the printf buffer\n"
            );
            report::tell(&text, told);
        }
        total
    }

    /// Returns how many work-items have reported each site.
    fn counts(&self, buffer: &Staging) -> Vec<u64> {
        let mut bytes = vec![0; (self.area.allocations - self.area.counters) as usize];
        let size = bytes.len() as u64;
        if let Some(memory) = buffer.mapped() {
            let from = memory.offset(self.area.counters.into());
            from.copy_to(HostPtr::of_slice_mut(&mut bytes), size);
        }
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|w| u32::from_ne_bytes(*w).into()).collect()
    }

    /// Returns a description of an object for reports, and its size.
    fn object(&self, site: &Site, number: u32, kernel: &DeviceKernel) -> (String, u64) {
        if site.bytes == 0 {
            return (String::new(), 0);
        }
        match site.objects.iter().find(|(n, _)| *n == number) {
            Some((_, Object::Argument(n))) => {
                let arg = kernel.reflection().args.get(*n as usize);
                let name = arg.and_then(|a| a.info.as_ref()).map_or("", |i| i.name.as_str());
                let memory = self.args.get(*n as usize);
                let (words, size) = memory.map_or(("", 0), |a| (a.words.as_str(), a.bytes));
                (format!("argument {n} '{name}' ({words})"), size)
            }
            Some((_, Object::Other(words, size))) => (words.clone(), (*size).into()),
            None if number == object::NULL => ("a null pointer".into(), 0),
            None => ("any allocation".into(), 0),
        }
    }

    /// Returns whether an access is within its buffer, whose flags do not allow it.
    fn forbids(&self, site: &Site, number: u32, place: Place) -> bool {
        let Some((_, Object::Argument(n))) = site.objects.iter().find(|(n, _)| *n == number) else {
            return false;
        };
        let end = place.offset.checked_add(site.bytes.into());
        site.check == "memory"
            && site.align == 0
            && place.offset >= 0
            && end.is_some_and(|end| end as u64 <= place.size)
            && self.args.get(*n as usize).is_some_and(|arg| match arg.access {
                KernelAccess::ReadWrite => false,
                KernelAccess::WriteOnly => site.action == "load",
                KernelAccess::ReadOnly => site.action != "load",
            })
    }

    /// Returns where an access is, in words.
    fn beyond(&self, number: u32, place: Place) -> String {
        let Place { offset, size } = place;
        if number == object::UNKNOWN {
            let address = offset as u64;
            let before = self.ranges.iter().filter(|r| r.start <= address);
            let near = before
                .max_by_key(|r| r.start)
                .map(|r| match address.checked_sub(r.end) {
                    Some(after) => format!(", {after} bytes after the end of {}", r.words),
                    None => format!(", {} bytes before the end of {}", r.end - address, r.words),
                });
            return format!("at address {address:#x}{}", near.unwrap_or_default());
        }
        if number == object::NULL {
            return "at a null pointer".into();
        }
        if offset < 0 {
            return format!(
                "at offset {offset}, {} bytes before its start",
                offset.unsigned_abs()
            );
        }
        match (offset as u64).checked_sub(size) {
            Some(after) => format!("at offset {offset}, {after} bytes after its end"),
            None => format!(
                "at offset {offset}, {} bytes before its end",
                size - offset as u64
            ),
        }
    }
}

/// Returns where a misaligned access is, in words.
fn misaligned(site: &Site, number: u32, place: Place) -> String {
    let align = site.align;
    match number {
        object::UNKNOWN => format!("at address {:#x}, which is no multiple of {align}", place.offset),
        _ => format!("at offset {}, which is no multiple of {align}", place.offset),
    }
}

/// Returns an argument as the kernel's checks need it.
fn argument(value: &ArgValue, ranges: &[Allocation]) -> Argument {
    match value {
        ArgValue::Buffer(Some(buffer)) => Argument {
            bytes: buffer.size(),
            words: described(buffer),
            access: buffer.flags().kernel,
            ..Argument::default()
        },
        ArgValue::Address(address) => {
            let inside = |r: &&Allocation| r.start <= *address && *address <= r.end;
            // The end of one buffer may be the start of the next one.
            let found = ranges.iter().filter(inside).max_by_key(|r| r.start);
            found.map_or_else(Argument::default, |range| Argument {
                bytes: range.end - range.start,
                offset: address - range.start,
                words: range.words.clone(),
                ..Argument::default()
            })
        }
        ArgValue::Local(bytes) => Argument {
            bytes: *bytes as u64,
            words: format!("local memory of {bytes} bytes"),
            ..Argument::default()
        },
        ArgValue::Buffer(None) => Argument {
            words: "NULL".into(),
            ..Argument::default()
        },
        ArgValue::Pod(bytes) => Argument {
            bytes: bytes.bytes().len() as u64,
            words: format!("a value of {} bytes", bytes.bytes().len()),
            ..Argument::default()
        },
        ArgValue::Unset | ArgValue::Sampler(_) | ArgValue::Image { .. } => Argument::default(),
    }
}

/// Returns the words for a buffer.
fn described(buffer: &Buffer) -> String {
    let size = buffer.size();
    let flags = match buffer.flags().kernel {
        KernelAccess::ReadWrite => "",
        KernelAccess::ReadOnly => ", CL_MEM_READ_ONLY",
        KernelAccess::WriteOnly => ", CL_MEM_WRITE_ONLY",
    };
    match (buffer.parent(), buffer.number()) {
        (Some(_), number) => format!(
            "sub-buffer at bytes {} to {} of buffer {number}{flags}",
            buffer.offset(),
            buffer.offset() + size
        ),
        (None, number) => format!("buffer {number} of {size} bytes{flags}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Allocation, ArgValue, argument};

    #[test]
    fn address_where_one_buffer_ends_and_another_starts() {
        let range = |start, size| Allocation::new(start, size, format!("{size}"));
        let ranges = [range(0x1000, 0x100), range(0x1100, 0x200), range(0x1400, 0x100)];
        for (address, bytes, offset) in [
            (0x1000, 0x100, 0),
            (0x1100, 0x200, 0),
            (0x1104, 0x200, 4),
            // The pointer points to the place after the last element.
            (0x1300, 0x200, 0x200),
            (0x1400, 0x100, 0),
            (0x1380, 0, 0),
        ] {
            let found = argument(&ArgValue::Address(address), &ranges);
            assert_eq!((found.bytes, found.offset), (bytes, offset), "{address:#x}");
        }
    }
}
