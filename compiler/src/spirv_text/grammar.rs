//! The grammar of SPIR-V's text: names of instructions and of enumerants, from the tables of rspirv.

use crate::hash::HashMap;
use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::grammar as tables;
use rspirv::grammar::{ExtInstOp, InstructionTable, LogicalOperand, OperandKind};
use rspirv::spirv;
use std::str::FromStr;
use std::sync::OnceLock;

/// An instruction of SPIR-V.
pub(crate) type Instruction = tables::Instruction<'static>;

/// The names that a vendor or a working group appends. An instruction or enumerant may have the same name with and
/// without one of them.
const SUFFIXES: [&str; 7] = ["KHR", "EXT", "INTEL", "ALTERA", "GOOGLE", "NV", "AMD"];

fn stem(name: &str) -> &str {
    let mut found = SUFFIXES.iter().filter_map(|s| name.strip_suffix(s));
    found.next().unwrap_or(name)
}

/// Returns the names that may stand for `name`: itself, without a suffix, and with each other suffix.
fn spellings(name: &str) -> impl Iterator<Item = String> {
    let stem = stem(name);
    let others = SUFFIXES.iter().map(move |s| format!("{stem}{s}"));
    [name.to_owned(), stem.to_owned()].into_iter().chain(others)
}

/// Returns the instruction with a name, which has no `Op` before it.
pub(crate) fn by_name(name: &str) -> Option<&'static Instruction> {
    static NAMES: OnceLock<HashMap<&str, &Instruction>> = OnceLock::new();
    let names = NAMES.get_or_init(|| tables::INSTRUCTION_TABLE.iter().map(|i| (i.opname, i)).collect());
    spellings(name).find_map(|n| names.get(n.as_str()).copied())
}

/// Returns the instruction with an opcode.
pub(crate) fn by_opcode(opcode: u32) -> Option<&'static Instruction> {
    static OPCODES: OnceLock<HashMap<u32, &Instruction>> = OnceLock::new();
    let list = || tables::INSTRUCTION_TABLE.iter();
    let opcodes = OPCODES.get_or_init(|| list().map(|i| (i.opcode as u32, i)).collect());
    opcodes.get(&opcode).copied()
}

/// The table of an extended instruction set.
pub(crate) type Set = &'static InstructionTable<ExtInstOp>;

/// Returns the table of the set that OpExtInstImport names; `None` if it is not known.
pub(crate) fn set(name: &str) -> Option<Set> {
    Some(match name {
        "OpenCL.std" => &tables::OPENCL_STD_100_INSTRUCTION_TABLE,
        "GLSL.std.450" => &tables::GLSL_STD_450_INSTRUCTION_TABLE,
        "DebugInfo" => &tables::DEBUGINFO_INSTRUCTION_TABLE,
        "OpenCL.DebugInfo.100" => &tables::OPENCL_DEBUGINFO_100_INSTRUCTION_TABLE,
        "NonSemantic.Shader.DebugInfo.100" => &tables::NONSEMANTIC_SHADER_DEBUGINFO_100_INSTRUCTION_TABLE,
        "NonSemantic.DebugPrintf" => &tables::NONSEMANTIC_DEBUGPRINTF_INSTRUCTION_TABLE,
        "NonSemantic.DebugBreak" => &tables::NONSEMANTIC_DEBUGBREAK_INSTRUCTION_TABLE,
        "SPV_AMD_gcn_shader" => &tables::SPV_AMD_GCN_SHADER_INSTRUCTION_TABLE,
        "SPV_AMD_shader_ballot" => &tables::SPV_AMD_SHADER_BALLOT_INSTRUCTION_TABLE,
        "SPV_AMD_shader_trinary_minmax" => &tables::SPV_AMD_SHADER_TRINARY_MINMAX_INSTRUCTION_TABLE,
        "SPV_AMD_shader_explicit_vertex_parameter" => {
            &tables::SPV_AMD_SHADER_EXPLICIT_VERTEX_PARAMETER_INSTRUCTION_TABLE
        }
        name if name.starts_with("NonSemantic.ClspvReflection.") => {
            &tables::NONSEMANTIC_CLSPVREFLECTION_INSTRUCTION_TABLE
        }
        _ => return None,
    })
}

/// Returns the number of an instruction of a set.
pub(crate) fn number_in(set: Set, name: &str) -> Option<u32> {
    let found = set.iter().find(|i| i.opname == name)?;
    Some(found.opcode.into())
}

/// Lists the kinds of operands that have names. For each, the functions below are the same.
macro_rules! kinds {
    (enums: $($enumeration:ident)*; masks: $($mask:ident)*) => {
        /// Returns whether an operand is a mask, whose bits are written with `|` between them.
        pub(crate) fn is_mask(kind: OperandKind) -> bool {
            match kind {
                $(OperandKind::$mask => true,)*
                _ => false,
            }
        }

        /// Returns whether an operand is an enumerant.
        pub(crate) fn is_enumeration(kind: OperandKind) -> bool {
            match kind {
                $(OperandKind::$enumeration => true,)*
                _ => false,
            }
        }

        /// Returns the value of an enumerant by its exact name.
        fn exact_value(kind: OperandKind, name: &str) -> Option<u32> {
            match kind {
                $(OperandKind::$enumeration => {
                    spirv::$enumeration::from_str(name).ok().map(|v| v as u32)
                })*
                _ => None,
            }
        }

        /// Returns the name of an enumerant, or of one bit of a mask.
        fn exact_name(kind: OperandKind, value: u32) -> Option<String> {
            match kind {
                $(OperandKind::$enumeration => {
                    spirv::$enumeration::from_u32(value).map(|v| format!("{v:?}"))
                })*
                $(OperandKind::$mask => {
                    spirv::$mask::from_bits(value).map(|v| v.disassemble()).filter(|n| !n.is_empty())
                })*
                _ => None,
            }
        }

        /// Returns the operands that an enumerant, or one bit of a mask, adds to the instruction.
        fn added(kind: OperandKind, value: u32) -> Vec<LogicalOperand> {
            let operand = match kind {
                $(OperandKind::$enumeration => {
                    spirv::$enumeration::from_u32(value).map(Operand::$enumeration)
                })*
                $(OperandKind::$mask => spirv::$mask::from_bits(value).map(Operand::$mask),)*
                _ => None,
            };
            operand.map_or_else(Vec::new, |o| o.additional_operands())
        }
    };
}

kinds! {
    enums: SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
        SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType FPRoundingMode
        FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType AccessQualifier HostAccessQualifier
        FunctionParameterAttribute Decoration BuiltIn Scope GroupOperation KernelEnqueueFlags Capability
        RayQueryIntersection RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
        CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier LoadCacheControl
        StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding CooperativeVectorMatrixLayout ComponentType;
    masks: ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess
        KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands CooperativeMatrixOperands
        CooperativeMatrixReduce TensorAddressingOperands MatrixMultiplyAccumulateOperands TensorOperands
}

/// The text of dimensions has no prefix, unlike their names in the tables.
const DIM: &str = "Dim";

/// Returns the value of an enumerant, or of one bit of a mask.
pub(crate) fn value(kind: OperandKind, name: &str) -> Option<u32> {
    if is_mask(kind) {
        return match name {
            "None" => Some(0),
            _ => {
                let named = |n: &str| {
                    (0..32)
                        .map(|b| 1 << b)
                        .find(|&v| exact_name(kind, v).is_some_and(|e| e == n))
                };
                spellings(name).find_map(|n| named(&n))
            }
        };
    }
    spellings(name).find_map(|n| match kind {
        OperandKind::Dim => exact_value(kind, &format!("{DIM}{n}")),
        _ => exact_value(kind, &n),
    })
}

/// Returns the text of an enumerant or a mask; `None` if it has no name.
pub(crate) fn name(kind: OperandKind, value: u32) -> Option<String> {
    if is_mask(kind) {
        if value == 0 {
            return Some("None".into());
        }
        let bits = bits(value).map(|bit| exact_name(kind, bit));
        return Some(bits.collect::<Option<Vec<_>>>()?.join("|"));
    }
    let name = exact_name(kind, value)?;
    Some(match kind {
        OperandKind::Dim => name.trim_start_matches(DIM).into(),
        _ => name,
    })
}

/// Returns the operands that follow an enumerant or a mask: those of each bit, from the lowest on.
pub(crate) fn parameters(kind: OperandKind, value: u32) -> Vec<LogicalOperand> {
    match is_mask(kind) {
        true => bits(value).flat_map(|bit| added(kind, bit)).collect(),
        false => added(kind, value),
    }
}

/// Returns the bits of a mask, each alone.
fn bits(value: u32) -> impl Iterator<Item = u32> {
    (0..32).map(|b| 1u32 << b).filter(move |bit| value & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values() {
        assert_eq!(value(OperandKind::Dim, "2D"), Some(1));
        assert_eq!(name(OperandKind::Dim, 5).as_deref(), Some("Buffer"));
        assert_eq!(value(OperandKind::MemoryAccess, "Aligned"), Some(2));
        assert_eq!(
            name(OperandKind::MemoryAccess, 3).as_deref(),
            Some("Volatile|Aligned")
        );
        assert_eq!(name(OperandKind::MemoryAccess, 1 << 30), None);
        assert_eq!(value(OperandKind::LoopControl, "None"), Some(0));
        assert_eq!(
            value(OperandKind::Capability, "ExpectAssume"),
            value(OperandKind::Capability, "ExpectAssumeKHR")
        );
        assert_eq!(
            by_name("DecorateStringGOOGLE").map(|i| i.opname),
            Some("DecorateString")
        );
        assert!(by_name("Nonsense").is_none());
        // Gradients have two operands, between those of the bits below and above.
        assert_eq!(parameters(OperandKind::ImageOperands, 0b1110).len(), 4);
    }
}
