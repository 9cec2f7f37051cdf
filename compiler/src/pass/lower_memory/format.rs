//! Address formats: one exhaustive match for each question about a pointer.

use crate::ir::ty::LOCAL_POINTER_BIAS;
use crate::ir::{AddressSpace, Storage, Ty};

/// The representation of pointers of an address space.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum AddressFormat {
    /// A 64-bit device address.
    Physical64,
    /// A 32-bit byte offset into the work-group's arena.
    Workgroup32,
    /// A 32-bit byte offset, into one variable or into the work-item's stack.
    Private32,
    /// A 32-bit byte offset into the push-constant block or the argument buffer.
    Words32,
    /// A byte offset into a memory object that is known, or an offset with the number of the object:
    /// `objects.rs`.
    Object,
}

/// The difference between a private pointer as a number and as an offset: see [`LOCAL_POINTER_BIAS`].
const PRIVATE_BIAS: u32 = 0x2000_0000;

impl AddressFormat {
    /// Returns the format of an address space; `named`: under the descriptor ABI.
    pub(super) fn of(space: AddressSpace, named: bool) -> Self {
        match space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local if named => {
                AddressFormat::Object
            }
            // `lower_generic` leaves no generic pointers.
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic => {
                AddressFormat::Physical64
            }
            AddressSpace::Local => AddressFormat::Workgroup32,
            AddressSpace::Private => AddressFormat::Private32,
            AddressSpace::Push | AddressSpace::Args => AddressFormat::Words32,
        }
    }

    /// Returns the type of a pointer; for [`AddressFormat::Object`], of a pointer into one object only.
    pub(super) fn value_type(self) -> Ty {
        match self {
            AddressFormat::Physical64 => Ty::I64,
            AddressFormat::Workgroup32
            | AddressFormat::Private32
            | AddressFormat::Words32
            | AddressFormat::Object => Ty::I32,
        }
    }

    /// Returns the difference between a pointer as an integer and the pointer as a value.
    pub(super) fn bias(self) -> u32 {
        match self {
            AddressFormat::Physical64 | AddressFormat::Words32 | AddressFormat::Object => 0,
            AddressFormat::Workgroup32 => LOCAL_POINTER_BIAS,
            AddressFormat::Private32 => PRIVATE_BIAS,
        }
    }

    /// Returns the value of a pointer that memory holds as these bits.
    pub(super) fn value_of_bits(self, bits: u64) -> u64 {
        match self {
            AddressFormat::Physical64 => bits,
            AddressFormat::Workgroup32
            | AddressFormat::Private32
            | AddressFormat::Words32
            | AddressFormat::Object => u64::from((bits as u32).wrapping_sub(self.bias())),
        }
    }
}

/// Returns the storage of the words of an interface space.
pub(super) fn word_storage(space: AddressSpace) -> Option<Storage> {
    match space {
        AddressSpace::Push => Some(Storage::PushWord),
        AddressSpace::Args => Some(Storage::ArgsWord),
        AddressSpace::Private
        | AddressSpace::Local
        | AddressSpace::Global
        | AddressSpace::Constant
        | AddressSpace::Generic => None,
    }
}
