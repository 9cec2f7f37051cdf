//! Tracks which names are types, which C's grammar needs to know.

use crate::hash::{HashMap, HashSet};

use crate::options::ClStd;

/// The type names declared in the source so far. OpenCL C's own type names are computed.
#[derive(Clone, Default, Debug)]
pub(super) struct TypeNames {
    /// The version of OpenCL C, which decides which built-in types exist.
    std: ClStd,
    /// The type names that the source declares, with whether each is known to be a vector type.
    user: HashMap<String, bool>,
    /// The names that were assumed to be types after an error.
    assumed: HashSet<String>,
}

impl TypeNames {
    pub(super) fn new(std: ClStd) -> TypeNames {
        TypeNames {
            std,
            ..TypeNames::default()
        }
    }

    pub(super) fn declare(&mut self, name: &str, vector: bool) {
        self.user.insert(name.to_string(), vector);
    }

    /// Assumes that an undeclared name is a type, so that its other uses are not reported.
    pub(super) fn assume(&mut self, name: &str) {
        self.declare(name, false);
        self.assumed.insert(name.to_string());
    }

    /// Returns the type name that is most similar to an unknown name.
    pub(super) fn similar(&self, name: &str) -> Option<String> {
        let lanes = ["", "2", "3", "4", "8", "16"];
        let elements = ELEMENTS.iter().flat_map(|e| lanes.map(|n| format!("{e}{n}")));
        let builtin = elements.chain(OTHERS.iter().map(ToString::to_string));
        let builtin: Vec<String> = builtin.filter(|n| since(n) <= self.std).collect();
        let known = self.user.keys().filter(|n| !self.assumed.contains(*n));
        let user = known.map(String::as_str);
        crate::suggest::nearest(name, builtin.iter().map(String::as_str).chain(user)).map(str::to_string)
    }

    /// Returns whether a type is a vector type; `None` if the name is not a type.
    pub(super) fn get(&self, name: &str) -> Option<bool> {
        if let Some(v) = self.user.get(name) {
            return Some(*v);
        }
        builtin(name).filter(|_| since(name) <= self.std)
    }
}

/// Returns the first version that has a type (OpenCL 1.1 and 1.2, appendices "Changes").
fn since(name: &str) -> ClStd {
    match name {
        "image1d_t" | "image1d_array_t" | "image1d_buffer_t" | "image2d_array_t" => ClStd::Cl12,
        _ if LATER.contains(&name) => ClStd::Cl20,
        _ if name.strip_suffix('3').is_some_and(|n| ELEMENTS.contains(&n)) => ClStd::Cl11,
        _ => ClStd::Cl10,
    }
}

/// Looks up a built-in type (OpenCL 1.2, 6.1.1 to 6.1.4): whether it is a vector type.
fn builtin(name: &str) -> Option<bool> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = &name[stem.len()..];
    if lanes.is_empty() {
        return is_name(name).then_some(false);
    }
    (ELEMENTS.contains(&stem) && matches!(lanes, "2" | "3" | "4" | "8" | "16")).then_some(true)
}

/// Returns whether a name is a type of one component that is not a keyword.
fn is_name(name: &str) -> bool {
    OTHERS.contains(&name)
        || LATER.contains(&name)
        || matches!(name, "uchar" | "ushort" | "uint" | "ulong" | "half")
}

/// The element types of vectors.
const ELEMENTS: &[&str] = &[
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half",
];

/// All other type names.
const OTHERS: &[&str] = &[
    "bool",
    "size_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "image1d_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image2d_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image2d_array_depth_t",
    "image3d_t",
    "sampler_t",
    "event_t",
    "cl_mem_fence_flags",
];

/// The type names that came with OpenCL C 2.0 (6.1.1, 6.13.11.6).
const LATER: &[&str] = &[
    "atomic_int",
    "atomic_uint",
    "atomic_long",
    "atomic_ulong",
    "atomic_float",
    "atomic_double",
    "atomic_flag",
    "atomic_size_t",
    "atomic_ptrdiff_t",
    "atomic_intptr_t",
    "atomic_uintptr_t",
    "memory_order",
    "memory_scope",
    "reserve_id_t",
];

#[cfg(test)]
mod tests {
    use super::{ClStd, TypeNames};

    #[test]
    fn older_versions() {
        let has = |std, name: &str| TypeNames::new(std).get(name).is_some();
        assert!(!has(ClStd::Cl10, "float3") && has(ClStd::Cl11, "float3"));
        assert!(!has(ClStd::Cl11, "image1d_t") && has(ClStd::Cl12, "image1d_t"));
        assert!(!has(ClStd::Cl12, "atomic_int") && has(ClStd::Cl30, "atomic_int"));
        assert!(has(ClStd::Cl10, "image3d_t") && has(ClStd::Cl10, "float4"));
    }

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
