//! clspv's command line options and their meaning for Caldera.
//!
//! A [`Clspv`] collects the options; [`Clspv::apply`] and [`Clspv::apply_to_options`] apply them to the target and to
//! the language options. Options that steer clspv's own algorithms, and do not change what a host sees of the
//! module, are accepted without effect. `table` lists all of them.

mod samplers;
mod table;

pub use samplers::parse_sampler_map;
pub(crate) use samplers::sampler_names;
pub use table::help;

use crate::abi::{Abi, DescriptorAbi, GlobalOffset, PodPlace, UboLayout};
use crate::intrinsic::SamplerMask;
use crate::options::{Define, Options};
use crate::target::{SpirvVersion, Target};
use table::{Choice, Effect, Number, Switch, TABLE};

/// A command line that is not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

fn usage<T>(message: impl Into<String>) -> Result<T, UsageError> {
    Err(UsageError(message.into()))
}

/// The format in which `-output-format` writes modules.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum OutputFormat {
    /// The words of the module in binary.
    #[default]
    Spv,
    /// A C initializer: `{0x07230203, …}`.
    C,
}

/// The version of clspv's documented behaviour that determines the defaults.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Behaviour {
    /// Plain values are clustered, `get_work_dim` works, and 8-bit integers are available.
    #[default]
    Newer,
    /// Plain values are not clustered, `get_work_dim` and 8-bit integers are not available, and further
    /// restrictions apply ([`DescriptorAbi::older_rules`]).
    Older,
}

/// The options read so far.
#[derive(Clone, Debug, Default)]
pub struct Clspv {
    switches: Vec<(Switch, bool)>,
    numbers: Vec<(Number, u32)>,
    spirv: Option<SpirvVersion>,
    no_8bit_buffers: bool,
    no_16bit_buffers: bool,
    rounding_rte: [bool; 3],
    denorm_preserve: [bool; 3],
    /// Whether any option implies the descriptor ABI.
    wants_descriptors: bool,
    /// `-arch=spirv32`.
    small_sizes: bool,
    /// The layout that `-relaxed-ubo-layout` and similar options chose.
    ubo_layout: UboLayout,
    /// The file of `-samplermap`; the caller reads it.
    pub sampler_map_file: Option<String>,
    /// The file of `-descriptormap`.
    pub descriptor_map_file: Option<String>,
    /// The format of `-output-format`.
    pub output_format: OutputFormat,
    /// The behaviour that the defaults follow.
    pub behaviour: Behaviour,
    /// The samplers that `-samplermap` lists, once read with [`parse_sampler_map`].
    pub sampler_map: Option<Vec<SamplerMask>>,
}

fn boolean(name: &str, value: Option<&str>) -> Result<bool, UsageError> {
    match value {
        None | Some("1" | "true" | "TRUE" | "True" | "") => Ok(true),
        Some("0" | "false" | "FALSE" | "False") => Ok(false),
        Some(other) => usage(format!("-{name}={other}: expected 0 or 1")),
    }
}

/// Parses the SPIR-V version of an option: 1.0, or 1.3 to 1.6.
pub fn parse_spirv_version(text: &str) -> Result<SpirvVersion, UsageError> {
    match text.strip_prefix("1.").map(str::parse) {
        Some(Ok(minor @ (0 | 3..=6))) => Ok(SpirvVersion { major: 1, minor }),
        _ => usage(format!(
            "unsupported SPIR-V version {text}: use 1.0, or 1.3 to 1.6"
        )),
    }
}

impl Clspv {
    /// Reads an option with one or two dashes. `next` returns the following word, for a value that is not
    /// given with `=`. Returns `false` if the option is not one of clspv's own.
    pub fn accept(
        &mut self,
        word: &str,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool, UsageError> {
        let bare = word.strip_prefix("--").or(word.strip_prefix('-')).unwrap_or(word);
        let (name, value) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (bare, None),
        };
        let Some(&(name, effect, _)) = TABLE.iter().find(|(n, ..)| *n == name) else {
            return Ok(false);
        };
        let text = |next: &mut dyn FnMut() -> Option<String>| match value {
            Some(v) => Ok(v.to_owned()),
            None => next().ok_or_else(|| UsageError(format!("-{name} needs a value"))),
        };
        match effect {
            Effect::Ignored => {}
            Effect::Refused(why) => return usage(format!("-{name}: {why}")),
            Effect::Switch(switch) => {
                let on = boolean(name, value)?;
                self.wants_descriptors |= !matches!(
                    switch,
                    Switch::PhysicalBuffers
                        | Switch::Int8
                        | Switch::Fp16
                        | Switch::Fp64
                        | Switch::Images
                        | Switch::NativeMath
                );
                self.switches.push((switch, on));
            }
            Effect::Layout(layout) => {
                self.wants_descriptors = true;
                if boolean(name, value)? {
                    self.ubo_layout = self.ubo_layout.max(layout);
                }
            }
            Effect::Number(number) => {
                self.wants_descriptors = true;
                let text = text(next)?;
                let Ok(n) = text.parse() else {
                    return usage(format!("-{name}={text}: not a number"));
                };
                self.numbers.push((number, n));
            }
            Effect::Choice(choice) => {
                let text = text(next)?;
                self.choose(name, choice, &text)?;
            }
        }
        Ok(true)
    }

    fn choose(&mut self, name: &str, choice: Choice, text: &str) -> Result<(), UsageError> {
        let bad = || usage(format!("-{name}={text}: unknown value"));
        match choice {
            Choice::SpirvVersion => self.spirv = Some(parse_spirv_version(text)?),
            Choice::Arch if matches!(text, "spirv32" | "spir") => self.small_sizes = true,
            Choice::Arch if matches!(text, "spirv64" | "spir64") => self.small_sizes = false,
            Choice::OutputFormat => {
                self.output_format = match text {
                    "spv" => OutputFormat::Spv,
                    "c" => OutputFormat::C,
                    _ => return bad(),
                }
            }
            Choice::InputLanguage if text == "cl" => {}
            Choice::Arch | Choice::InputLanguage => return bad(),
            Choice::No8Bit | Choice::No16Bit => {
                self.wants_descriptors = true;
                for class in text.split(',').filter(|c| !c.is_empty()) {
                    match (class, choice) {
                        ("ssbo", Choice::No8Bit) => self.no_8bit_buffers = true,
                        ("ssbo", _) => self.no_16bit_buffers = true,
                        // Uniform buffers and push constants are accessed as words in any case.
                        ("ubo" | "pushconstant", _) => {}
                        _ => return bad(),
                    }
                }
            }
            Choice::RoundingRte | Choice::DenormPreserve => {
                for width in text.split(',').filter(|c| !c.is_empty()) {
                    let Some(i) = ["16", "32", "64"].iter().position(|w| *w == width) else {
                        return bad();
                    };
                    match choice {
                        Choice::RoundingRte => self.rounding_rte[i] = true,
                        _ => self.denorm_preserve[i] = true,
                    }
                }
            }
            Choice::SamplerMap => {
                self.wants_descriptors = true;
                self.sampler_map_file = Some(text.into());
            }
            Choice::DescriptorMap => {
                self.wants_descriptors = true;
                self.descriptor_map_file = Some(text.into());
            }
        }
        Ok(())
    }

    fn switch(&self, switch: Switch) -> Option<bool> {
        self.switches
            .iter()
            .rev()
            .find(|(s, _)| *s == switch)
            .map(|(_, on)| *on)
    }

    fn number(&self, number: Number) -> Option<u32> {
        self.numbers
            .iter()
            .rev()
            .find(|(n, _)| *n == number)
            .map(|(_, v)| *v)
    }

    /// Returns whether an option concerns clspv's mapping, and so the descriptor ABI: where bindings are
    /// placed, which storage the interface may use, or the older behaviour. Options for types, the SPIR-V
    /// version and arithmetic apply to both ABIs. `-physical-storage-buffers` overrides this: the answer is then
    /// `false`.
    pub fn wants_descriptors(&self) -> bool {
        let wants = self.wants_descriptors || self.behaviour == Behaviour::Older;
        wants && self.switch(Switch::PhysicalBuffers) != Some(true)
    }

    /// Returns the descriptor ABI that the options ask for.
    pub fn descriptor_abi(&self) -> Result<DescriptorAbi, UsageError> {
        let on = |switch| self.switch(switch) == Some(true);
        let older = self.behaviour == Behaviour::Older;
        let mut abi = DescriptorAbi {
            cluster_pods: self.switch(Switch::ClusterPods).unwrap_or(!older),
            constants_in_buffer: on(Switch::ConstantsInBuffer),
            constant_args_ubo: on(Switch::ConstantArgsUbo),
            distinct_sets: on(Switch::DistinctSets),
            work_dim: self.switch(Switch::WorkDim).unwrap_or(!older),
            regions: on(Switch::Regions) && !on(Switch::UniformGroups),
            printf: on(Switch::Printf),
            printf_buffer_size: self
                .number(Number::PrintfBuffer)
                .unwrap_or(crate::printf::PRINTF_BUFFER_SIZE),
            sampler_map: self.sampler_map.clone(),
            ubo_layout: self.ubo_layout,
            older_rules: older,
            ..DescriptorAbi::default()
        };
        abi.global_offset = match (on(Switch::GlobalOffset), on(Switch::GlobalOffsetPush)) {
            (_, true) => GlobalOffset::PushConstants,
            // As in clspv, the offset of a dispatch's region is in push constants.
            (true, false) if abi.regions => GlobalOffset::PushConstants,
            (true, false) => GlobalOffset::SpecConstants,
            (false, false) => GlobalOffset::Zero,
        };
        abi.pods = match (on(Switch::PodUbo), on(Switch::PodPushConstant)) {
            (true, true) => return usage("-pod-ubo and -pod-pushconstant exclude each other"),
            (true, false) => PodPlace::UniformBuffer,
            (false, true) if !abi.cluster_pods => {
                return usage("-pod-pushconstant cannot be used with -cluster-pod-kernel-args=0");
            }
            (false, true) => PodPlace::PushConstants,
            (false, false) => PodPlace::StorageBuffer,
        };
        if on(Switch::PhysicalBuffers) && abi.constant_args_ubo {
            return usage("-physical-storage-buffers and -constant-args-ubo exclude each other");
        }
        if abi.printf_buffer_size < 8 || !abi.printf_buffer_size.is_multiple_of(4) {
            return usage("-printf-buffer-size must be a multiple of 4 and at least 8");
        }
        Ok(abi)
    }

    /// Changes a target as the options require. The target's ABI must already be chosen.
    pub fn apply(&self, target: &mut Target) -> Result<(), UsageError> {
        if let Abi::Descriptor(abi) = &mut target.abi {
            *abi = self.descriptor_abi()?;
        }
        target.set_spirv(self.spirv.unwrap_or(target.spirv));
        if let Some(n) = self.number(Number::MaxPushConstants) {
            target.limits.push_constants = n;
        }
        if let Some(n) = self.number(Number::MaxUniformBuffer) {
            target.limits.uniform_buffer = n;
        }
        let features = &mut target.features;
        features.storage8 &= !self.no_8bit_buffers;
        features.storage16 &= !self.no_16bit_buffers;
        for i in 0..3 {
            features.rounding_rte[i] |= self.rounding_rte[i];
            features.denorm_preserve[i] |= self.denorm_preserve[i];
        }
        features.float_controls_independent |=
            self.rounding_rte.contains(&true) || self.denorm_preserve.contains(&true);
        let older = self.behaviour == Behaviour::Older;
        features.int8 &= self.switch(Switch::Int8).unwrap_or(!older);
        features.images &= self.switch(Switch::Images).unwrap_or(true);
        for (switch, name) in [(Switch::Fp16, "cl_khr_fp16"), (Switch::Fp64, "cl_khr_fp64")] {
            let absent = self.switch(switch) == Some(false) || older && switch == Switch::Fp64;
            if absent && self.switch(switch) != Some(true) {
                target.extensions.retain(|e| e != name);
                match switch {
                    Switch::Fp16 => features.float16 = false,
                    _ => features.float64 = false,
                }
            }
        }
        Ok(())
    }

    /// Changes the language options: relaxed arithmetic and the width of `size_t`.
    pub fn apply_to_options(&self, options: &mut Options) {
        if self.small_sizes {
            options.small_sizes = true;
            let sizes = [
                ("__SIZE_TYPE__", "uint"),
                ("__UINTPTR_TYPE__", "uint"),
                ("__PTRDIFF_TYPE__", "int"),
                ("__INTPTR_TYPE__", "int"),
                ("as_size_t(x)", "as_uint(x)"),
                ("as_uintptr_t(x)", "as_uint(x)"),
                ("as_ptrdiff_t(x)", "as_int(x)"),
                ("as_intptr_t(x)", "as_int(x)"),
            ];
            let defines = sizes.iter().flat_map(|(name, value)| {
                let bare = name.split('(').next().unwrap_or(name);
                let define = Define::Define((*name).into(), Some((*value).into()));
                [Define::Undef(bare.into()), define]
            });
            options.defines.splice(0..0, defines);
        }
        if self.switch(Switch::NativeMath) == Some(true) {
            options.native_math = true;
            options.fast_relaxed_math = true;
            options.finite_math_only = true;
            options.unsafe_math = true;
            options.mad_enable = true;
            options.no_signed_zeros = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Clspv, UsageError> {
        let mut c = Clspv::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut next = || words.next().map(|w| (*w).to_string());
            assert!(c.accept(word, &mut next)?, "{word}");
        }
        Ok(c)
    }

    #[test]
    fn later_options_win_and_dashes_do_not_matter() {
        let c = parsed(&[
            "--cluster-pod-kernel-args",
            "-cluster-pod-kernel-args=0",
            "-spv-version",
            "1.3",
        ]);
        let c = c.expect("valid");
        let mut target = Target::clspv();
        c.apply(&mut target).expect("valid");
        assert_eq!(target.spirv.minor, 3);
        assert!(!target.abi.descriptor().expect("descriptors").cluster_pods);
        assert!(c.wants_descriptors());
    }

    #[test]
    fn contradictions_are_refused() {
        for words in [
            &["-pod-ubo", "-pod-pushconstant"][..],
            &["-pod-pushconstant", "-cluster-pod-kernel-args=0"],
            &["-physical-storage-buffers", "-constant-args-ubo"],
        ] {
            let c = parsed(words).expect("each of them is known");
            assert!(c.descriptor_abi().is_err(), "{words:?}");
        }
        assert!(parsed(&["-spv-version=1.1"]).is_err());
        assert!(parsed(&["-untyped-pointers"]).is_err());
        assert!(parsed(&["-no-8bit-storage=wherever"]).is_err());
    }
}
