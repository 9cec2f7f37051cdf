//! Removal of the ordering of memory accesses from a module that another compiler made, for drivers that turn
//! it into barriers ([`Quirks::waiting_fences`](crate::target::Quirks)). This compiler's own output for such
//! drivers never has such ordering.
//!
//! OpenCL C 1.2 gives its atomics no order (6.12.11), and the drivers in question keep a work-item's accesses
//! in order anyway. Programs of later versions are not changed.

mod op {
    pub(super) const NOP: u32 = 0;
    pub(super) const SOURCE: u32 = 3;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const MEMORY_BARRIER: u32 = 225;
    pub(super) const ATOMIC_LOAD: u32 = 227;
    pub(super) const ATOMIC_STORE: u32 = 228;
    pub(super) const ATOMIC_COMPARE_EXCHANGE: u32 = 230;
    pub(super) const ATOMIC_XOR: u32 = 242;
}

/// The number of words in a module's header.
const HEADER: usize = 5;
const OPENCL_C: u32 = 3;

/// Calls `with` with the opcode and the words of each instruction, up to the first malformed instruction.
fn each(words: &mut [u32], mut with: impl FnMut(u32, &mut [u32])) {
    let mut at = HEADER;
    while let Some(head) = words.get(at).copied() {
        let end = at + (head >> 16) as usize;
        let Some(inst) = words.get_mut(at..end).filter(|i| !i.is_empty()) else {
            return;
        };
        with(head & 0xFFFF, inst);
        at = end;
    }
}

/// Removes fences and the memory semantics of atomics. Control barriers do not change. The `Volatile` operand
/// of loads and stores does not change either: without it, the driver forwards a work-item's store to its
/// next load. Words that are not a module are not changed.
pub fn relax(words: &mut Vec<u32>) {
    let (mut newer, mut atomics) = (false, false);
    let (mut unsigned, mut zero, mut at) = (None, None, HEADER);
    let mut behind_unsigned = 0;
    each(words, |code, inst| {
        at += inst.len();
        match (code, &inst[1..]) {
            (op::SOURCE, [language, version, ..]) => newer |= *language != OPENCL_C || *version >= 200,
            (op::TYPE_INT, [id, 32, 0]) => {
                unsigned = Some(*id);
                behind_unsigned = at;
            }
            (op::CONSTANT, [ty, id, 0]) if Some(*ty) == unsigned => zero = Some(*id),
            (op::ATOMIC_LOAD..=op::ATOMIC_XOR, _) => atomics = true,
            _ => {}
        }
    });
    if newer {
        return;
    }
    let zero = match (zero, unsigned) {
        (Some(id), _) => id,
        (None, Some(ty)) if atomics => {
            let id = words[3];
            words[3] += 1;
            let constant = [4 << 16 | op::CONSTANT, ty, id, 0];
            words.splice(behind_unsigned..behind_unsigned, constant);
            id
        }
        (None, _) => 0,
    };
    each(words, |code, inst| match code {
        op::MEMORY_BARRIER => inst.fill(1 << 16 | op::NOP),
        op::ATOMIC_LOAD..=op::ATOMIC_XOR => {
            let places = match code {
                op::ATOMIC_STORE => 3..4,
                op::ATOMIC_LOAD => 5..6,
                op::ATOMIC_COMPARE_EXCHANGE => 5..7,
                _ => 5..6,
            };
            if let Some(semantics) = inst.get_mut(places) {
                semantics.fill(zero);
            }
        }
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: u32 = 61;
    const STORE: u32 = 62;
    const VOLATILE: u32 = 1;

    fn inst(code: u32, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | code];
        words.extend(operands);
        words
    }

    fn module(version: u32) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x10000, 0, 100, 0];
        for (code, operands) in [
            (op::SOURCE, &[OPENCL_C, version][..]),
            (op::TYPE_INT, &[1, 32, 0]),
            (op::CONSTANT, &[1, 2, 72]),
            (LOAD, &[1, 10, 9, VOLATILE]),
            (LOAD, &[1, 11, 9, VOLATILE | 2, 4]),
            (LOAD, &[1, 12, 9]),
            (STORE, &[9, 10, VOLATILE]),
            (op::MEMORY_BARRIER, &[2, 2]),
            (op::ATOMIC_LOAD, &[1, 13, 9, 2, 2]),
            (op::ATOMIC_STORE, &[9, 2, 2, 10]),
            (op::ATOMIC_COMPARE_EXCHANGE, &[1, 14, 9, 2, 2, 2, 10, 10]),
            (op::ATOMIC_XOR, &[1, 15, 9, 2, 2, 10]),
        ] {
            words.extend(inst(code, operands));
        }
        words
    }

    #[test]
    fn only_atomicity_is_left() {
        let mut words = module(120);
        relax(&mut words);
        let mut expected = vec![0x0723_0203, 0x10000, 0, 101, 0];
        for (code, operands) in [
            (op::SOURCE, &[OPENCL_C, 120][..]),
            (op::TYPE_INT, &[1, 32, 0]),
            (op::CONSTANT, &[1, 100, 0]),
            (op::CONSTANT, &[1, 2, 72]),
            (LOAD, &[1, 10, 9, VOLATILE]),
            (LOAD, &[1, 11, 9, VOLATILE | 2, 4]),
            (LOAD, &[1, 12, 9]),
            (STORE, &[9, 10, VOLATILE]),
            (op::NOP, &[]),
            (op::NOP, &[]),
            (op::NOP, &[]),
            (op::ATOMIC_LOAD, &[1, 13, 9, 2, 100]),
            (op::ATOMIC_STORE, &[9, 2, 100, 10]),
            (op::ATOMIC_COMPARE_EXCHANGE, &[1, 14, 9, 2, 100, 100, 10, 10]),
            (op::ATOMIC_XOR, &[1, 15, 9, 2, 100, 10]),
        ] {
            expected.extend(inst(code, operands));
        }
        assert_eq!(words, expected);
        // The module now has a constant zero.
        relax(&mut words);
        assert_eq!(words, expected);
    }

    #[test]
    fn later_versions_and_nonsense_stay() {
        for words in [module(200), vec![], vec![1, 2, 3], vec![0, 0, 0, 0, 0, 0, 5]] {
            let mut relaxed = words.clone();
            relax(&mut relaxed);
            assert_eq!(relaxed, words);
        }
        let whole = module(120);
        for end in 0..whole.len() {
            relax(&mut whole[..end].to_vec());
        }
    }
}
