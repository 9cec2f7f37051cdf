//! How a program of a campaign is launched. The description is one line of JSON: either the first comment of
//! the program's file, or a file of its own.

use crate::Failure;
use crate::random::Random;
use serde::{Deserialize, Serialize};

/// The text before the JSON in the first line of a program's file.
const MARK: &str = "// launch: ";

/// The build options, the memory objects, and the launches in their order.
#[derive(Serialize, Deserialize, Clone, Default, PartialEq, Debug)]
pub(super) struct Plan {
    #[serde(default)]
    pub(super) options: String,
    /// The version of OpenCL C in which the program is built. Such a program also has a plain form in OpenCL C 1.2, which the
    /// macro `PLAIN` selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) std: Option<String>,
    pub(super) memory: Vec<Memory>,
    pub(super) launches: Vec<Launch>,
}

/// A buffer, or an image that kernels only read.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Memory {
    pub(super) bytes: usize,
    #[serde(default)]
    pub(super) fill: Fill,
    /// Whether the object's contents after the last launch are part of the result.
    #[serde(default)]
    pub(super) result: bool,
    /// Width, height and depth of an image of `uint4` texels; depth 0 or 1 means a 2D image. `None` for a buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) image: Option<[usize; 3]>,
}

impl Memory {
    /// Returns a buffer that only the launches use.
    pub(super) fn input(bytes: usize, fill: Fill) -> Memory {
        let (result, image) = (false, None);
        Memory {
            bytes,
            fill,
            result,
            image,
        }
    }

    /// Returns a buffer whose contents after the last launch are part of the result.
    pub(super) fn result(bytes: usize, fill: Fill) -> Memory {
        let result = true;
        Memory {
            result,
            ..Memory::input(bytes, fill)
        }
    }
}

/// The initial contents of a memory object.
#[derive(Serialize, Deserialize, Copy, Clone, Default, PartialEq, Debug)]
pub(super) enum Fill {
    #[default]
    Zero,
    /// An arithmetic sequence of integers of `width` bytes, which begins with `start` and increases by
    /// `step`.
    Line { width: usize, start: i64, step: i64 },
    /// Random 32-bit words, of which about a quarter are boundary values.
    Random { seed: u64 },
    /// Random floats: multiples of 1/8 from -8 to 24.
    Floats { seed: u64 },
    /// Random 32-bit integers below `end`.
    Below { seed: u64, end: u32 },
}

/// A launch of a kernel.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Launch {
    pub(super) kernel: String,
    pub(super) offset: Vec<usize>,
    pub(super) global: Vec<usize>,
    pub(super) local: Vec<usize>,
    pub(super) arguments: Vec<Argument>,
    /// The index of the first of three arguments that say at which work-group of the range the launch begins. The plain form
    /// is launched several times if the global size is no multiple of the local size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first_group: Option<usize>,
}

impl Launch {
    /// Returns a launch with an offset, a global and a local size.
    pub(super) fn new(kernel: &str, sizes: [Vec<usize>; 3], arguments: Vec<Argument>) -> Launch {
        let [offset, global, local] = sizes;
        let kernel = kernel.to_owned();
        Launch {
            kernel,
            offset,
            global,
            local,
            arguments,
            first_group: None,
        }
    }

    /// Returns launches with the same work-groups whose global sizes are multiples of their local sizes.
    pub(super) fn parts(&self) -> Vec<Launch> {
        let Some(first_group) = self.first_group else {
            return vec![self.clone()];
        };
        let mut all = vec![self.clone()];
        for d in 0..self.global.len() {
            let (global, local) = (self.global[d], self.local[d]);
            let (groups, rest) = (global / local, global % local);
            let parts = all.into_iter().flat_map(|launch| {
                let part = |first: usize, size: usize, local: usize| {
                    let mut part = launch.clone();
                    part.offset[d] += first * self.local[d];
                    (part.global[d], part.local[d]) = (size, local);
                    part.arguments[first_group + d] = Argument::U32(first as u32);
                    (size > 0).then_some(part)
                };
                [part(0, groups * local, local), part(groups, rest, rest)]
            });
            all = parts.flatten().collect();
        }
        all
    }
}

/// A kernel argument.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) enum Argument {
    /// A memory object, by its index in [`Plan::memory`].
    Memory(usize),
    /// Local memory of this size in bytes.
    Local(usize),
    U32(u32),
    F32(f32),
    /// A value of any type.
    Bytes(Vec<u8>),
}

impl Plan {
    /// Returns the first line of a program's file, which describes this plan.
    pub(super) fn line(&self) -> Result<String, Failure> {
        Ok(format!("{MARK}{}\n", serde_json::to_string(self)?))
    }

    /// Reads the plan from the first line of a program's text.
    pub(super) fn of(text: &str) -> Result<Plan, Failure> {
        let line = text.lines().next().and_then(|l| l.strip_prefix(MARK));
        let line = line.ok_or_else(|| failure!("the program does not begin with «{MARK}»"))?;
        Ok(serde_json::from_str(line)?)
    }
}

impl Fill {
    /// Returns the first `count` bytes of the contents.
    pub(super) fn bytes(self, count: usize) -> Vec<u8> {
        let words = |word: &mut dyn FnMut() -> [u8; 4]| {
            let mut all: Vec<u8> = (0..count.div_ceil(4)).flat_map(|_| word()).collect();
            all.truncate(count);
            all
        };
        match self {
            Fill::Zero => vec![0; count],
            Fill::Line { width, start, step } => (0..)
                .map(|i: i64| start.wrapping_add(step.wrapping_mul(i)).to_le_bytes())
                .flat_map(|word| word.into_iter().take(width))
                .take(count)
                .collect(),
            Fill::Random { seed } => {
                let mut random = Random::new(seed);
                words(&mut || match random.below(16) {
                    0 => [0; 4],
                    1 => [0xff; 4],
                    2 => [0, 0, 0, 0x80],
                    3 => [0xff, 0xff, 0xff, 0x7f],
                    _ => random.word().to_le_bytes(),
                })
            }
            Fill::Floats { seed } => {
                let mut random = Random::new(seed);
                words(&mut || (random.below(257) as f32 / 8.0 - 8.0).to_le_bytes())
            }
            Fill::Below { seed, end } => {
                let mut random = Random::new(seed);
                words(&mut || (random.word() % end.max(1)).to_le_bytes())
            }
        }
    }
}

/// Returns the FNV-1a hash of the bytes, combined with the hash `from` of the bytes before them.
pub(super) fn hash(from: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(from ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_its_line() {
        let plan = Plan {
            options: "-w".into(),
            std: None,
            memory: vec![Memory {
                bytes: 16,
                fill: Fill::Random { seed: 3 },
                result: true,
                image: Some([1, 1, 0]),
            }],
            launches: vec![Launch::new(
                "k",
                [1, 4, 2].map(|n| vec![n]),
                vec![Argument::Memory(0), Argument::Local(8), Argument::U32(7)],
            )],
        };
        let text = format!("{}kernel void k() {{}}", plan.line().unwrap());
        assert_eq!(Plan::of(&text).unwrap(), plan);
        assert!(Plan::of("kernel void k() {}").is_err());
    }

    #[test]
    fn an_uneven_launch_has_even_parts() {
        let arguments = vec![Argument::U32(0); 4];
        let launch = Launch {
            first_group: Some(1),
            ..Launch::new("k", [vec![5, 0], vec![10, 3], vec![4, 3]], arguments)
        };
        let parts = launch.parts();
        let sizes = |l: &Launch| (l.offset.clone(), l.global.clone(), l.local.clone());
        assert_eq!(parts.len(), 2);
        assert_eq!(sizes(&parts[0]), (vec![5, 0], vec![8, 3], vec![4, 3]));
        assert_eq!(sizes(&parts[1]), (vec![13, 0], vec![2, 3], vec![2, 3]));
        assert_eq!(parts[1].arguments[1..], [2, 0, 0].map(Argument::U32));
    }

    #[test]
    fn fills_have_their_length_and_values() {
        let line = Fill::Line {
            width: 2,
            start: 3,
            step: -2,
        };
        assert_eq!(line.bytes(7), [3, 0, 1, 0, 0xff, 0xff, 0xfd]);
        assert_eq!(Fill::Random { seed: 1 }.bytes(9).len(), 9);
        assert_eq!(
            Fill::Random { seed: 1 }.bytes(9),
            Fill::Random { seed: 1 }.bytes(9)
        );
    }
}
