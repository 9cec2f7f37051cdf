//! The forms in which the dialect writes operations that are instructions.

/// How the types of an operation are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `%a, %b : T`: the operands and the result are of one type.
    Same,
    /// `%a, %b : T`: the result has Booleans.
    Compare,
    /// `%a, %b : T, U`: the result has the type of the first operand.
    Two,
    /// `%a : T to U`
    Convert,
    /// `%c, %a, %b : C, T`: the result has the second type.
    Choose,
}

/// Returns the form of an operation, which is the instruction of the same name.
pub(super) fn form(name: &str) -> Option<Form> {
    Some(match name {
        "IAdd" | "FAdd" | "ISub" | "FSub" | "IMul" | "FMul" | "UDiv" | "SDiv" | "FDiv" | "UMod" | "SRem"
        | "SMod" | "FRem" | "FMod" | "BitwiseOr" | "BitwiseAnd" | "BitwiseXor" | "LogicalAnd"
        | "LogicalOr" | "LogicalEqual" | "LogicalNotEqual" | "SNegate" | "FNegate" | "Not" | "LogicalNot"
        | "BitCount" | "BitReverse" => Form::Same,
        "IEqual"
        | "INotEqual"
        | "UGreaterThan"
        | "SGreaterThan"
        | "UGreaterThanEqual"
        | "SGreaterThanEqual"
        | "ULessThan"
        | "SLessThan"
        | "ULessThanEqual"
        | "SLessThanEqual"
        | "FOrdEqual"
        | "FUnordEqual"
        | "FOrdNotEqual"
        | "FUnordNotEqual"
        | "FOrdLessThan"
        | "FUnordLessThan"
        | "FOrdGreaterThan"
        | "FUnordGreaterThan"
        | "FOrdLessThanEqual"
        | "FUnordLessThanEqual"
        | "FOrdGreaterThanEqual"
        | "FUnordGreaterThanEqual"
        | "IsNan"
        | "IsInf"
        | "Ordered"
        | "Unordered" => Form::Compare,
        "ShiftLeftLogical" | "ShiftRightLogical" | "ShiftRightArithmetic" => Form::Two,
        "ConvertFToU" | "ConvertFToS" | "ConvertSToF" | "ConvertUToF" | "UConvert" | "SConvert"
        | "FConvert" | "ConvertPtrToU" | "ConvertUToPtr" | "Bitcast" | "PtrCastToGeneric"
        | "GenericCastToPtr" => Form::Convert,
        "Select" => Form::Choose,
        _ => return None,
    })
}

/// Splits the name `CL.name` or `GL.Name` of an operation. Returns the name of the extended instruction set, and that of the
/// instruction in the set.
pub(super) fn extended(name: &str) -> Option<(&'static str, &str)> {
    let (prefix, own) = name.split_once('.')?;
    match prefix {
        "CL" => Some(("OpenCL.std", own)),
        "GL" => Some(("GLSL.std.450", own)),
        _ => None,
    }
}
