//! Which names are types (C's grammar needs to know).

use std::collections::HashMap;

/// Type names declared in the source so far; OpenCL C's own need no table.
#[derive(Clone, Default, Debug)]
pub(super) struct TypeNames {
    /// Value: whether it is known to be a vector type.
    user: HashMap<String, bool>,
}

impl TypeNames {
    pub(super) fn declare(&mut self, name: &str, vector: bool) {
        self.user.insert(name.to_string(), vector);
    }

    /// `None`: not a type; else whether it is a vector type.
    pub(super) fn get(&self, name: &str) -> Option<bool> {
        if let Some(v) = self.user.get(name) {
            return Some(*v);
        }
        builtin(name)
    }
}

/// OpenCL 1.2, 6.1.1 to 6.1.4.
fn builtin(name: &str) -> Option<bool> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = &name[stem.len()..];
    if lanes.is_empty() {
        let scalar = matches!(
            name,
            "bool"
                | "uchar"
                | "ushort"
                | "uint"
                | "ulong"
                | "half"
                | "size_t"
                | "ptrdiff_t"
                | "intptr_t"
                | "uintptr_t"
                | "image1d_t"
                | "image1d_array_t"
                | "image1d_buffer_t"
                | "image2d_t"
                | "image2d_array_t"
                | "image2d_depth_t"
                | "image2d_array_depth_t"
                | "image3d_t"
                | "sampler_t"
                | "event_t"
                | "cl_mem_fence_flags"
        );
        return scalar.then_some(false);
    }
    let element = matches!(
        stem,
        "char"
            | "uchar"
            | "short"
            | "ushort"
            | "int"
            | "uint"
            | "long"
            | "ulong"
            | "float"
            | "double"
            | "half"
    );
    (element && matches!(lanes, "2" | "3" | "4" | "8" | "16")).then_some(true)
}

#[cfg(test)]
mod tests {
    #[test]
    fn builtin() {
        assert_eq!(super::builtin("float4"), Some(true));
        assert_eq!(super::builtin("uint"), Some(false));
        assert_eq!(super::builtin("float5"), None);
        assert_eq!(super::builtin("image2d_t"), Some(false));
        assert_eq!(super::builtin("x16"), None);
        assert_eq!(super::builtin("4"), None);
    }
}
