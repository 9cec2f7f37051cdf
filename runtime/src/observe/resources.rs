//! The resources that a pipeline takes, as its driver states them (VK_KHR_pipeline_executable_properties). Each driver has its own
//! names for them.

/// The registers of a work-item and the spilled values, where the driver states them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Resources {
    pub registers: Option<u64>,
    pub spills: Option<u64>,
}

/// The names of statistics that count the vector registers of a work-item, in lower case: those of NVIDIA's driver, RADV, ANV and
/// Turnip.
const REGISTERS: [&str; 4] = ["register count", "vgprs", "max live registers", "full registers"];

impl Resources {
    /// Finds the resources among a pipeline's statistics.
    pub(super) fn of(statistics: &[(String, String)]) -> Resources {
        let mut found = Resources::default();
        for (name, value) in statistics {
            let Ok(value) = value.parse::<u64>() else { continue };
            let name = name.to_lowercase();
            if REGISTERS.contains(&name.as_str()) {
                found.registers = Some(value);
            } else if name.contains("spill") {
                found.spills = Some(found.spills.unwrap_or(0) + value);
            }
        }
        found
    }

    /// Returns the larger number of each resource: a kernel's pipelines may differ.
    pub(super) fn most(self, other: Resources) -> Resources {
        Resources {
            registers: self.registers.max(other.registers),
            spills: self.spills.max(other.spills),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[(&str, &str)]) -> Resources {
        let list: Vec<(String, String)> = list.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        Resources::of(&list)
    }

    #[test]
    fn drivers_have_different_names() {
        let nvidia = of(&[
            ("Register Count", "40"),
            ("Binary Size", "3072"),
            ("Stack Size", "0"),
        ]);
        assert_eq!((nvidia.registers, nvidia.spills), (Some(40), None));
        let radv = of(&[
            ("SGPRs", "16"),
            ("VGPRs", "24"),
            ("Spilled SGPRs", "2"),
            ("Spilled VGPRs", "3"),
        ]);
        assert_eq!((radv.registers, radv.spills), (Some(24), Some(5)));
        let anv = of(&[
            ("Spill Count", "0"),
            ("Fill Count", "7"),
            ("Max live registers", "61"),
        ]);
        assert_eq!((anv.registers, anv.spills), (Some(61), Some(0)));
        assert_eq!(
            of(&[("Instruction Count", "9"), ("VGPRs", "many")]),
            Resources::default()
        );
    }

    #[test]
    fn the_largest_pipeline_counts() {
        let small = of(&[("VGPRs", "24")]);
        let large = of(&[("VGPRs", "32"), ("Spilled VGPRs", "1")]);
        assert_eq!(small.most(large), large.most(small));
        assert_eq!(
            small.most(large),
            Resources {
                registers: Some(32),
                spills: Some(1)
            }
        );
    }
}
