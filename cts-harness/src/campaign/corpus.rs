//! A source of programs: the kernels of a corpus, with generated inputs.
//!
//! Each kernel is a case. Its inputs are generated from its parameters, as a platform describes them: every
//! buffer has the same size and contains small numbers, every scalar is a small number, and every argument in
//! local memory has the same size. Such inputs may violate preconditions of the kernel. Therefore, if results
//! differ, `--oclgrind` runs the program in Oclgrind, which reports invalid accesses and data races.

use super::Options;
use super::launch::{Argument, Fill, Launch, Memory, Plan};
use super::side::Side;
use crate::Failure;
use crate::cl::{Parameter, Signature};
use crate::corpus::index::Unit;
pub(super) use crate::corpus::index::Units;
use crate::random::Random;
use crate::types::{Base, Type};
use opencl_sys::{CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};
use std::path::Path;

/// The size of each buffer in bytes.
const BUFFER: usize = 16 << 10;

/// The size of each argument in local memory in bytes.
const LOCAL: usize = 4 << 10;

/// The values of integer scalars. They are small, so that they are valid as sizes of the buffers and as counts.
const INTEGERS: [u64; 8] = [16, 4, 1, 8, 2, 0, 3, 5];

/// The global and local sizes of launches with one, two and three dimensions.
const SIZES: [[[usize; 3]; 2]; 3] = [
    [[64, 1, 1], [16, 1, 1]],
    [[16, 8, 1], [8, 4, 1]],
    [[8, 4, 4], [4, 2, 2]],
];

/// A kernel of a unit.
pub(super) struct Case {
    unit: Unit,
    signature: Signature,
}

impl Units {
    /// Returns the kernels of the units that the first platform builds, in the order of the index, up to the
    /// last seed of the campaign. The first kernel belongs to seed 1.
    pub(super) fn cases(&self, options: &Options) -> Result<Vec<Case>, Failure> {
        let (units, missing) = self.find()?;
        let scratch = options.out.join("signatures");
        std::fs::create_dir_all(&scratch)?;
        let scratch = scratch.canonicalize()?;
        let first = options.platforms.first().map_or("", String::as_str);
        let side = Side::find(first, &options.limits)?;
        let mut cases = Vec::new();
        let mut refused = Vec::new();
        let wanted = usize::try_from(options.first.saturating_add(options.count))?;
        for unit in units {
            if cases.len() >= wanted {
                break;
            }
            let signatures = signatures(&side, &unit, &scratch)?;
            if signatures.is_empty() {
                refused.push(unit.id.clone());
            }
            cases.extend(signatures.into_iter().map(|signature| Case {
                unit: unit.clone(),
                signature,
            }));
        }
        std::fs::remove_dir_all(&scratch)?;
        say!(
            "{} kernels; {missing} units of the index are missing; {} does not build {} units: {}",
            cases.len(),
            side.name,
            refused.len(),
            refused.join(" ")
        );
        Ok(cases)
    }
}

/// Returns the signatures of a unit's kernels, or none if the platform does not build the unit.
fn signatures(side: &Side, unit: &Unit, scratch: &Path) -> Result<Vec<Signature>, Failure> {
    let plan = Plan {
        options: format!("{} -cl-kernel-arg-info", unit.options),
        ..Plan::default()
    };
    let file = scratch.join("unit.cl");
    std::fs::write(&file, format!("{}{}", plan.line()?, text(unit)?))?;
    side.signatures(&file, scratch)
}

/// Returns a unit's text. Bytes that are not UTF-8 are replaced, since they can only be in comments and
/// strings.
fn text(unit: &Unit) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&std::fs::read(&unit.file)?).into_owned())
}

/// Returns the program of a seed and a description of it: the id of its unit and the name of its kernel.
/// Returns `None` if there is no such kernel, or if no input can be generated for one of its parameters.
pub(super) fn program(cases: &[Case], seed: u64) -> Result<Option<(String, String)>, Failure> {
    let at = usize::try_from(seed).ok().and_then(|seed| seed.checked_sub(1));
    let Some(case) = at.and_then(|at| cases.get(at)) else {
        return Ok(None);
    };
    let text = text(&case.unit)?;
    let mut inputs = Inputs {
        random: Random::new(seed),
        names: type_names(&text),
        memory: Vec::new(),
    };
    let arguments: Option<Vec<Argument>> = case
        .signature
        .parameters
        .iter()
        .map(|p| inputs.argument(p))
        .collect();
    let Some(arguments) = arguments else {
        return Ok(None);
    };
    let [global, local] = sizes(&text, case.signature.required);
    let sizes = [[0; 3], global, local].map(Vec::from);
    let plan = Plan {
        options: case.unit.options.clone(),
        std: None,
        memory: inputs.memory,
        launches: vec![Launch::new(&case.signature.kernel, sizes, arguments)],
    };
    let how = format!("{} {}", case.unit.id, case.signature.kernel);
    Ok(Some((format!("{}{text}", plan.line()?), how)))
}

/// Returns the global and the local size of a launch. If the kernel requires a work-group size, the launch has
/// two such work-groups in each dimension. Otherwise the highest dimension that the unit passes to a function
/// such as `get_global_id` decides how many dimensions the launch has.
fn sizes(text: &str, required: [usize; 3]) -> [[usize; 3]; 2] {
    if required[0] > 0 {
        return [required.map(|n| 2 * n), required];
    }
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let most = (1..3).rev().find(|d| text.contains(&format!("_id({d})")));
    SIZES[most.unwrap_or(0)]
}

/// Returns the names that a unit gives to types by `typedef` or `#define`, in the order of the text. Each pair
/// is the new name and the text that it stands for.
fn type_names(text: &str) -> Vec<(String, String)> {
    let pair = |line: &str| {
        let line = line.trim();
        let (name, other) = match line.strip_prefix("typedef ") {
            Some(rest) => {
                let (other, name) = rest.split_once(';')?.0.trim().rsplit_once(char::is_whitespace)?;
                (name, other)
            }
            None => line
                .strip_prefix("#define ")?
                .trim()
                .split_once(char::is_whitespace)?,
        };
        Some((name.trim().to_owned(), other.trim().to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

struct Inputs {
    random: Random,
    /// The result of [`type_names`] for the unit.
    names: Vec<(String, String)>,
    memory: Vec<Memory>,
}

impl Inputs {
    /// Returns the scalars and vectors that a name may stand for. It may stand for several types, because only the
    /// preprocessor knows which definitions apply. `depth` is the number of definitions that are followed.
    fn types(&self, name: &str, depth: u32) -> Vec<Type> {
        let others = self.names.iter().filter(|(n, _)| n == name && depth > 0);
        let others = others.flat_map(|(_, other)| self.types(other, depth - 1));
        Type::named(name).into_iter().chain(others).collect()
    }

    /// Returns the bytes of a value of a type, or `None` if the type is unknown and its size is not a multiple of
    /// 4 bytes.
    fn value(&mut self, name: &str, bytes: usize) -> Option<Vec<u8>> {
        // Vectors of three lanes have the size of vectors of four (CL 6.1.5).
        let size = |t: &Type| t.bytes() * if t.n == 3 { 4 } else { t.n };
        let known = self.types(name, 4).into_iter().find(|t| size(t) == bytes);
        let (width, floats) = match known {
            Some(t) => (t.bytes(), !t.is_int()),
            // The type may be a structure. It is treated as one that consists of 32-bit integers.
            None if bytes > 0 && bytes.is_multiple_of(4) => (4, false),
            None => return None,
        };
        let number = INTEGERS[self.random.below(INTEGERS.len())];
        let quarter = number as f32 / 4.0;
        let lane = match (floats, width) {
            (false, _) => number,
            (true, 4) => quarter.to_bits().into(),
            (true, 8) => f64::from(quarter).to_bits(),
            // A half is always 1.5; these are its bits.
            (true, _) => 0x3e00,
        };
        Some(lane.to_le_bytes()[..width].repeat(bytes / width))
    }

    /// Returns an argument for a parameter, or `None` if none can be generated.
    fn argument(&mut self, parameter: &Parameter) -> Option<Argument> {
        let name = parameter.type_name.trim();
        let pointee = name.strip_suffix('*').map(str::trim);
        match (parameter.address, pointee) {
            (CL_KERNEL_ARG_ADDRESS_LOCAL, _) => Some(Argument::Local(LOCAL)),
            (CL_KERNEL_ARG_ADDRESS_PRIVATE, _) => self.value(name, parameter.bytes).map(Argument::Bytes),
            // A parameter in another address space whose type has no `*` is an image.
            (_, None) => None,
            (_, Some(pointee)) => {
                let seed = u64::from(self.random.word());
                let types = self.types(pointee, 4);
                let fill = match types.first() {
                    _ if types.iter().any(|t| t.base == Base::Float { bits: 32 }) => Fill::Floats { seed },
                    Some(t) if t.bits() == 8 => Fill::Random { seed },
                    Some(t) if t.is_int() && t.bits() == 64 => Fill::Line {
                        width: 8,
                        start: 0,
                        step: 1,
                    },
                    // half and double get the same bits, which are zeros and subnormal numbers in these types.
                    _ => Fill::Below { seed, end: 16 },
                };
                self.memory.push(Memory::result(BUFFER, fill));
                Some(Argument::Memory(self.memory.len() - 1))
            }
        }
    }
}

/// Returns whether the results of all platforms differ only by rounding. `results` has a list for each
/// platform, of pairs of a buffer's number and 8 bytes of it. Buffers that were filled with floats are compared
/// as pairs of floats, within a tolerance; all others must be equal.
pub(super) fn are_near(plan: &Plan, results: &[Vec<(usize, u64)>]) -> bool {
    let results_of: Vec<&Memory> = plan.memory.iter().filter(|m| m.result).collect();
    let floats = |memory: usize| {
        results_of
            .get(memory)
            .is_some_and(|m| matches!(m.fill, Fill::Floats { .. }))
    };
    let Some((first, others)) = results.split_first() else {
        return false;
    };
    !first.is_empty()
        && others.iter().all(|other| {
            other.len() == first.len()
                && first.iter().zip(other).all(|(&(memory, a), &(of, b))| {
                    memory == of
                        && (a == b
                            || floats(memory)
                                && near(a as u32, b as u32)
                                && near((a >> 32) as u32, (b >> 32) as u32))
                })
        })
}

fn near(a: u32, b: u32) -> bool {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-4 + 1e-3 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_by_parameter() {
        let text = "typedef half real;\n  typedef float real ;\n#define T real\nint x;";
        let mut inputs = Inputs {
            random: Random::new(1),
            names: type_names(text),
            memory: Vec::new(),
        };
        let mut sized = |address, name: &str, bytes| {
            inputs.argument(&Parameter {
                address,
                type_name: name.into(),
                bytes,
            })
        };
        let half = Some(Argument::Bytes(vec![0, 0x3e]));
        assert_eq!(sized(CL_KERNEL_ARG_ADDRESS_PRIVATE, "T", 2), half);
        match sized(CL_KERNEL_ARG_ADDRESS_PRIVATE, "short3", 8) {
            Some(Argument::Bytes(bytes)) => assert_eq!((bytes.len(), &bytes[..2]), (8, &bytes[6..])),
            other => panic!("{other:?}"),
        }
        let mut argument = |address, name: &str| sized(address, name, 0);
        let global = opencl_sys::CL_KERNEL_ARG_ADDRESS_GLOBAL;
        assert_eq!(argument(global, "float*"), Some(Argument::Memory(0)));
        assert_eq!(argument(global, "struct S *"), Some(Argument::Memory(1)));
        assert_eq!(argument(global, "image2d_t"), None);
        assert_eq!(
            argument(CL_KERNEL_ARG_ADDRESS_LOCAL, "float4*"),
            Some(Argument::Local(LOCAL))
        );
        assert_eq!(argument(CL_KERNEL_ARG_ADDRESS_PRIVATE, "sampler_t"), None);
        assert_eq!(inputs.memory.iter().map(|m| m.fill).collect::<Vec<_>>().len(), 2);
    }

    #[test]
    fn dimensions_by_what_the_unit_asks_for() {
        assert_eq!(sizes("get_global_id(0)", [0; 3]), SIZES[0]);
        assert_eq!(sizes("get_local_id( 1 ) + get_global_id(0)", [0; 3]), SIZES[1]);
        assert_eq!(sizes("get_group_id(2)", [0; 3]), SIZES[2]);
        assert_eq!(sizes("get_group_id(2)", [8, 2, 1]), [[16, 4, 2], [8, 2, 1]]);
    }

    #[test]
    fn only_floats_are_near() {
        let memory = |fill| Memory::result(8, fill);
        let plan = Plan {
            memory: vec![memory(Fill::Zero), memory(Fill::Floats { seed: 1 })],
            ..Plan::default()
        };
        let pair = |a: f32, b: f32| u64::from(a.to_bits()) << 32 | u64::from(b.to_bits());
        let one = vec![(0, 7), (1, pair(1.0, f32::NAN))];
        let other = |whole, a: f32| vec![(0, whole), (1, pair(a, -f32::NAN))];
        assert!(are_near(&plan, &[one.clone(), other(7, 1.0005)]));
        assert!(!are_near(&plan, &[one.clone(), other(7, 1.01)]));
        assert!(!are_near(&plan, &[one.clone(), other(8, 1.0)]));
        assert!(!are_near(&plan, &[one, Vec::new()]));
    }
}
