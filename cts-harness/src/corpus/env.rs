//! The environments for which modules are compiled and validated.

/// An environment with `spirv-val`'s name and the newest SPIR-V version that it accepts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Environment {
    pub(super) name: &'static str,
    pub(super) spirv: &'static str,
}

const ALL: [Environment; 4] = [
    Environment {
        name: "vulkan1.1",
        spirv: "1.3",
    },
    Environment {
        name: "vulkan1.1spv1.4",
        spirv: "1.4",
    },
    Environment {
        name: "vulkan1.2",
        spirv: "1.5",
    },
    Environment {
        name: "vulkan1.3",
        spirv: "1.6",
    },
];

/// Parses `vulkan1.3`, or the same with the SPIR-V version: `vulkan1.3spv1.6`.
pub(super) fn parse(text: &str) -> Result<Environment, String> {
    let fits =
        |e: &&Environment| e.name == text || text.strip_prefix(e.name) == Some(&format!("spv{}", e.spirv));
    ALL.iter().find(fits).copied().ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|e| e.name).collect();
        format!("not one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn names_come_with_and_without_version() {
        assert_eq!(parse("vulkan1.3").unwrap().spirv, "1.6");
        assert_eq!(parse("vulkan1.1spv1.3").unwrap().spirv, "1.3");
        assert_eq!(parse("vulkan1.1spv1.4").unwrap().spirv, "1.4");
        assert!(parse("vulkan1.1spv1.6").is_err());
        assert!(parse("opencl1.2").is_err());
    }
}
