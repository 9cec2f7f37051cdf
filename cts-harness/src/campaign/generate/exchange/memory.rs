//! The memory of a work-group, which finds accesses whose result is not defined.

use super::{Fence, Operation, Space};

/// Why the result of a program is not defined.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// Two work-items access a byte without a barrier between them, and one of them writes.
    Race(Space),
    OutOfBounds,
    Uninitialised,
    /// A float may be so large that sums overflow.
    Large,
    /// The program takes too long, or has statements where they have no meaning.
    Invalid,
    TooLong,
}

/// The work-item that makes an access, or an asynchronous copy: [`COPY`] plus its number.
pub(super) type Agent = usize;
pub(super) const COPY: Agent = 1 << 32;
const SEVERAL: Agent = usize::MAX;

/// The atomic functions that may be called by several work-items in any order: the operation, the size and whether the type is signed.
pub(super) type Class = (Operation, usize, bool);

#[derive(Copy, Clone)]
struct Cell {
    value: u8,
    is_initialised: bool,
    /// The last write and the last read: the phase, and who made it. Phases are separated by barriers, and no access is in phase 0.
    written: (u32, Agent),
    read: (u32, Agent),
    /// The kind of the writes in the phase, if all were by atomic functions of one class whose results are not used.
    class: Option<Class>,
}

pub(super) struct Memory {
    arrays: Vec<(Space, Vec<Cell>)>,
    /// The current phases of local and global memory.
    phases: [u32; 2],
}

impl Memory {
    /// Makes the memory of a work-group. The contents of arrays in local memory are `None`.
    pub(super) fn new(arrays: impl Iterator<Item = (Space, usize, Option<Vec<u8>>)>) -> Memory {
        let arrays = arrays.map(|(space, bytes, contents)| {
            let cell = |b| Cell {
                value: contents.as_ref().map_or(0, |c| c[b]),
                is_initialised: contents.is_some(),
                written: (0, 0),
                read: (0, 0),
                class: None,
            };
            (space, (0..bytes).map(cell).collect())
        });
        Memory {
            arrays: arrays.collect(),
            phases: [1; 2],
        }
    }

    pub(super) fn barrier(&mut self, fence: Fence) {
        for space in [Space::Local, Space::Global] {
            if fence.includes(space) {
                self.phases[space as usize] += 1;
            }
        }
    }

    /// Returns the bytes of an access, their address space, and its phase.
    fn cells(
        &mut self,
        (array, begin): (usize, usize),
        bytes: usize,
    ) -> Result<(&mut [Cell], Space, u32), Fault> {
        let (space, cells) = &mut self.arrays[array];
        let phase = match space {
            Space::Constant => 0,
            Space::Local | Space::Global => self.phases[*space as usize],
        };
        let cells = cells.get_mut(begin..begin + bytes).ok_or(Fault::OutOfBounds)?;
        Ok((cells, *space, phase))
    }

    pub(super) fn read(&mut self, at: (usize, usize), bytes: &mut [u8], who: Agent) -> Result<(), Fault> {
        let (cells, space, phase) = self.cells(at, bytes.len())?;
        for (cell, byte) in cells.iter_mut().zip(bytes) {
            if !cell.is_initialised {
                return Err(Fault::Uninitialised);
            }
            if cell.written.0 == phase && phase > 0 && cell.written.1 != who {
                return Err(Fault::Race(space));
            }
            let others = cell.read.0 == phase && cell.read.1 != who;
            cell.read = (phase, if others { SEVERAL } else { who });
            *byte = cell.value;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, at: (usize, usize), bytes: &[u8], who: Agent) -> Result<(), Fault> {
        let (cells, space, phase) = self.cells(at, bytes.len())?;
        for (cell, byte) in cells.iter_mut().zip(bytes) {
            if [cell.written, cell.read]
                .iter()
                .any(|a| a.0 == phase && a.1 != who)
            {
                return Err(Fault::Race(space));
            }
            (cell.value, cell.is_initialised) = (*byte, true);
            (cell.written, cell.class) = ((phase, who), None);
        }
        Ok(())
    }

    /// Changes a number by an atomic function, and returns the number before. Without a class, only this work-item may access the bytes.
    pub(super) fn atomic(
        &mut self,
        at: (usize, usize),
        bytes: usize,
        who: Agent,
        class: Option<Class>,
        change: impl Fn(u64) -> u64,
    ) -> Result<u64, Fault> {
        let (cells, space, phase) = self.cells(at, bytes)?;
        let mut old = [0; 8];
        for (cell, byte) in cells.iter_mut().zip(&mut old) {
            if !cell.is_initialised {
                return Err(Fault::Uninitialised);
            }
            let commutes = class.is_some() && cell.class == class;
            if cell.read.0 == phase && cell.read.1 != who
                || cell.written.0 == phase && cell.written.1 != who && !commutes
            {
                return Err(Fault::Race(space));
            }
            (cell.written, cell.class) = match cell.written.0 == phase {
                false => ((phase, who), class),
                true if cell.written.1 == who => ((phase, who), cell.class.filter(|_| commutes)),
                true => ((phase, SEVERAL), class),
            };
            *byte = cell.value;
        }
        let old = u64::from_le_bytes(old);
        for (cell, byte) in cells.iter_mut().zip(change(old).to_le_bytes()) {
            cell.value = byte;
        }
        Ok(old)
    }

    /// Marks bytes as those of a copy that has begun, in the present phase.
    pub(super) fn hold(
        &mut self,
        at: (usize, usize),
        bytes: usize,
        copy: Agent,
        writes: bool,
    ) -> Result<(), Fault> {
        let (cells, _, phase) = self.cells(at, bytes)?;
        for cell in cells {
            if writes {
                (cell.written, cell.class) = ((phase, copy), None);
            } else {
                let others = cell.read.0 == phase && cell.read.1 != copy;
                cell.read = (phase, if others { SEVERAL } else { copy });
            }
        }
        Ok(())
    }

    /// Marks bytes as free for all work-items after a copy.
    pub(super) fn release(&mut self, at: (usize, usize), bytes: usize, copy: Agent) -> Result<(), Fault> {
        for cell in self.cells(at, bytes)?.0 {
            for access in [&mut cell.written, &mut cell.read] {
                if access.1 == copy {
                    *access = (0, 0);
                }
            }
        }
        Ok(())
    }
}
