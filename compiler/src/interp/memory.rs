//! Memory objects and addresses.

use super::{Handles, Trap};

/// The memory objects, by number. An address has the object's number in its upper 32 bits and an offset in
/// its lower 32 bits. Object 0 does not exist, so the null pointer points to no object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    objects: Vec<Vec<u8>>,
    /// The images and samplers of the launch.
    pub handles: Handles,
    /// Whether comparisons of floats treat subnormal numbers as zeros, as some devices do that preserve them
    /// elsewhere.
    pub comparisons_flush: bool,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            objects: vec![Vec::new()],
            handles: Handles::default(),
            comparisons_flush: false,
        }
    }
}

impl Memory {
    /// Adds an object and returns its address.
    pub fn add(&mut self, bytes: Vec<u8>) -> u64 {
        self.objects.push(bytes);
        (self.objects.len() as u64 - 1) << 32
    }

    /// Returns the bytes of the object that an address points into.
    pub fn object(&self, address: u64) -> &[u8] {
        self.objects.get((address >> 32) as usize).map_or(&[], |o| o)
    }

    /// Reads bytes.
    pub fn read(&self, address: u64, size: u32) -> Result<&[u8], Trap> {
        let start = address as u32 as usize;
        self.object(address)
            .get(start..start + size as usize)
            .ok_or(Trap::Memory { address, size })
    }

    /// Writes bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trap> {
        let start = address as u32 as usize;
        let size = bytes.len() as u32;
        let object = self.objects.get_mut((address >> 32) as usize);
        match object.and_then(|o| o.get_mut(start..start + bytes.len())) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(Trap::Memory { address, size }),
        }
    }
}
