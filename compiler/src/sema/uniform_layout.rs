//! Checks which types may be in a uniform buffer (Vulkan, "Offset and Stride Assignment").
//!
//! OpenCL C determines the offset of each member (6.1.5); Vulkan's rules only determine whether that offset
//! is allowed.

use crate::abi::UboLayout;
use crate::hir::{Type, TypeId, Types};

/// Checks an array of unknown length with elements of this type, which is the pointee of a pointer.
pub(super) fn of_array(types: &Types, elem: TypeId, rules: UboLayout) -> Result<(), String> {
    let size = types.size(elem).unwrap_or(0);
    let align = u64::from(array_align(types, elem, rules));
    if !size.is_multiple_of(align) {
        return Err(format!(
            "elements of {size} bytes do not lie at multiples of {align}"
        ));
    }
    of_value(types, elem, 0, rules)
}

/// Checks a value of this type at an offset in the buffer. Array elements are at offset 0, which stands for a
/// multiple of 16.
fn of_value(types: &Types, ty: TypeId, offset: u64, rules: UboLayout) -> Result<(), String> {
    let align = u64::from(align(types, ty, rules));
    if !offset.is_multiple_of(align) {
        return Err(format!("offset {offset} is no multiple of {align}"));
    }
    match types.get(ty) {
        Type::Vector(..) if matches!(rules, UboLayout::Relaxed | UboLayout::Std430) => {
            let size = types.size(ty).unwrap_or(0);
            let straddles = match size > 16 {
                true => !offset.is_multiple_of(16),
                false => offset / 16 != (offset + size - 1) / 16,
            };
            match straddles {
                true => Err(format!("a vector at offset {offset} straddles 16 bytes")),
                false => Ok(()),
            }
        }
        Type::Array(elem, _) => of_array(types, *elem, rules).map_err(|e| format!("array: {e}")),
        Type::Record(r) => {
            let record = &types.records[*r];
            let mut end_of_aggregate = 0;
            for field in record.fields.iter().flatten() {
                let at = offset + u64::from(field.offset);
                let name = field.name.as_deref().unwrap_or("an unnamed member");
                if !record.is_union && at < end_of_aggregate {
                    return Err(format!("'{name}' is in the padding of the member before it"));
                }
                of_value(types, field.ty, at, rules).map_err(|e| format!("'{name}': {e}"))?;
                // Vulkan forbids members between the end of a struct or array and the next multiple of its
                // alignment.
                if rules < UboLayout::Std430
                    && matches!(types.get(field.ty), Type::Array(..) | Type::Record(_))
                {
                    let end = at + types.size(field.ty).unwrap_or(0);
                    end_of_aggregate = end.next_multiple_of(16);
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the alignment that the rules require, in bytes.
fn align(types: &Types, ty: TypeId, rules: UboLayout) -> u32 {
    let own = match types.get(ty) {
        Type::Vector(scalar, _) if rules >= UboLayout::Relaxed => scalar.bytes(),
        Type::Array(elem, _) | Type::IncompleteArray(elem) => return array_align(types, *elem, rules),
        Type::Record(r) => {
            let fields = types.records[*r].fields.iter().flatten();
            let widest = fields.map(|f| align(types, f.ty, rules)).max().unwrap_or(1);
            return rounded(widest, rules);
        }
        _ => types.align(ty),
    };
    own.max(1)
}

/// Returns the alignment and stride of an array, in bytes.
fn array_align(types: &Types, elem: TypeId, rules: UboLayout) -> u32 {
    rounded(align(types, elem, rules), rules)
}

fn rounded(align: u32, rules: UboLayout) -> u32 {
    match rules < UboLayout::Std430 {
        true => align.next_multiple_of(16),
        false => align,
    }
}
