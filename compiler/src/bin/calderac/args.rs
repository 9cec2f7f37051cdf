//! Parses the command line of calderac.

use crate::completions::Shell;
use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::check::Checks;
use caldera_compiler::clspv::{Behaviour, Clspv, parse_sampler_map, parse_spirv_version};
use caldera_compiler::driver::Stage;
use caldera_compiler::options::Options;
use caldera_compiler::pass::{Hooks, Select, pipeline};
use caldera_compiler::reflect::MapStyle;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::target::{SpirvVersion, Target};

/// An output that `--emit` selects.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Emit {
    /// `pp`: the preprocessed source.
    Preprocessed,
    /// `ast`: the syntax tree.
    Ast,
    /// `hir`: the typed tree.
    Hir,
    /// `ir`: the IR before the passes.
    Ir,
    /// `final-ir`: the IR after the passes.
    FinalIr,
    /// `spv`: the SPIR-V module.
    Spv,
    /// `spvasm`: the SPIR-V module as text.
    Spvasm,
    /// `reflect`: the reflection as text.
    Reflect,
    /// `map`: the descriptor map.
    Map,
    /// `mlir`: the input, a SPIR-V module, in MLIR's dialect (with `--convert`).
    Mlir,
    /// `spec-constants`: the specialization constants of the input, SPIR-V for OpenCL.
    SpecConstants,
}

impl Emit {
    fn parse(name: &str) -> Option<Emit> {
        Some(match name {
            "pp" => Emit::Preprocessed,
            "ast" => Emit::Ast,
            "hir" => Emit::Hir,
            "ir" => Emit::Ir,
            "final-ir" => Emit::FinalIr,
            "spv" => Emit::Spv,
            "spvasm" => Emit::Spvasm,
            "reflect" => Emit::Reflect,
            "map" => Emit::Map,
            "mlir" => Emit::Mlir,
            "spec-constants" => Emit::SpecConstants,
            _ => return None,
        })
    }

    /// Returns the stage that produces this output.
    pub(crate) fn stage(self) -> Stage {
        match self {
            Emit::Preprocessed => Stage::Preprocess,
            Emit::Ast => Stage::Parse,
            Emit::Hir => Stage::Sema,
            Emit::Ir => Stage::LowerHir,
            Emit::FinalIr => Stage::Passes,
            Emit::Spv | Emit::Spvasm | Emit::Reflect | Emit::Map | Emit::SpecConstants | Emit::Mlir => {
                Stage::Emit
            }
        }
    }

    /// Returns the name under which the driver reports this output.
    pub(crate) fn dump(self) -> &'static str {
        match self {
            Emit::Preprocessed => "pp",
            Emit::Ast => "ast",
            Emit::Hir => "hir",
            Emit::Ir => "ir",
            Emit::FinalIr => "final",
            Emit::Spv | Emit::Spvasm | Emit::Reflect | Emit::Map | Emit::SpecConstants | Emit::Mlir => "spv",
        }
    }

    /// Returns whether there is such an output for a SPIR-V module of the Kernel flavour.
    pub(crate) fn is_made_from_il(self) -> bool {
        !matches!(self, Emit::Preprocessed | Emit::Ast | Emit::Hir)
    }

    /// Returns whether this output is made from a finished module.
    pub(crate) fn needs_module(self) -> bool {
        self.stage() == Stage::Emit
    }
}

/// The parsed command line.
pub(crate) struct Args {
    pub(crate) files: Vec<String>,
    /// The output file; `-` is standard output.
    pub(crate) output: Option<String>,
    pub(crate) emit: Emit,
    /// The form of the descriptor map.
    pub(crate) map_style: MapStyle,
    /// Compile and report diagnostics, but write no output.
    pub(crate) check: bool,
    /// Write the module without its reflection.
    pub(crate) strip: bool,
    /// The last stage that runs.
    pub(crate) stop_after: Option<Stage>,
    /// The options of the language, as clBuildProgram takes them.
    pub(crate) options: Options,
    pub(crate) target: Target,
    /// The options that have the names and meanings of clspv's.
    pub(crate) clspv: Clspv,
    /// The options that concern passes.
    pub(crate) hooks: Hooks,
    /// Report the time of each stage and pass.
    pub(crate) time: bool,
    /// The values of specialization constants, by SpecId.
    pub(crate) specialization: Specialization,
    /// The version of SPIR-V that `--spirv` names.
    pub(crate) spirv: Option<SpirvVersion>,
    /// Write the input, a SPIR-V module, in another form, and do not compile it.
    pub(crate) convert: bool,
}

/// Why calderac does not compile: a request for something else, or a mistake.
pub(crate) enum Refusal {
    /// `--help` was given.
    Help,
    /// `--version` was given.
    Version,
    /// `--completions` was given.
    Completions(Shell),
    /// `--list-passes` was given.
    ListPasses,
    /// The command line is wrong, for this reason.
    Usage(String),
    /// A file that an option names cannot be read.
    File(String),
}

fn usage(message: impl Into<String>) -> Refusal {
    Refusal::Usage(message.into())
}

/// The values of `--target`, `--abi`, `--reconvergence`, `--spirv` and `--check`.
#[derive(Default)]
struct Environment {
    target: Option<String>,
    abi: Option<String>,
    reconvergence: Option<String>,
    spirv: Option<SpirvVersion>,
    checks: Checks,
}

/// Parses the command line.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Args, Refusal> {
    let mut out = Args::new();
    // Language options are collected into one string and parsed like the options string of clBuildProgram.
    let mut language = String::new();
    let mut environment = Environment::default();
    let mut it = args;
    while let Some(arg) = it.next() {
        let (key, value) = match arg.split_once('=') {
            Some((k, v)) if k.starts_with("--") => (k, Some(v)),
            _ => (arg.as_str(), None),
        };
        match (key, value) {
            ("-h" | "-help" | "--help", None) => return Err(Refusal::Help),
            ("--version", None) => return Err(Refusal::Version),
            ("--completions", Some(name)) => {
                let shell = Shell::parse(name);
                let shell = shell.ok_or_else(|| usage(format!("unknown --completions={name}")))?;
                return Err(Refusal::Completions(shell));
            }
            ("--list-passes", None) => return Err(Refusal::ListPasses),
            ("-o", None) => out.output = Some(it.next().ok_or_else(|| usage("-o needs a file"))?),
            ("--emit", Some(kind)) => {
                out.emit = Emit::parse(kind).ok_or_else(|| usage(format!("unknown --emit={kind}")))?;
            }
            ("--descriptor-map", style) => {
                out.emit = Emit::Map;
                out.map_style = map_style(style)?;
            }
            ("--behaviour", Some(which)) => {
                out.clspv.behaviour = match which {
                    "newer" => Behaviour::Newer,
                    "older" => Behaviour::Older,
                    _ => return Err(usage(format!("unknown --behaviour={which}"))),
                };
            }
            ("--abi", Some(abi)) => environment.abi = Some(abi.into()),
            ("--check", None) => out.check = true,
            ("--check", Some(list)) => {
                environment.checks = Checks::parse(list)
                    .map_err(|name| usage(format!("unknown check '{name}' in --check")))?;
            }
            ("--convert", None) => out.convert = true,
            ("--strip-reflection", None) => out.strip = true,
            ("--time", None) => {
                out.time = true;
                out.hooks.time = true;
            }
            ("--verify", None) => out.hooks.verify_each = true,
            ("--print-before", v) => out.hooks.print_before = passes(key, v)?,
            ("--print-after", v) => out.hooks.print_after = passes(key, v)?,
            ("--skip-pass", v) => out.hooks.skip = passes(key, v)?,
            ("--pass-limit", Some(n)) => {
                let limit = n.parse();
                let limit = limit.map_err(|_| usage(format!("--pass-limit needs a number, not '{n}'")))?;
                out.hooks.limit = Some(limit);
            }
            ("--stop-after", Some(name)) => out.stop_after = Some(stage(name)?),
            ("--spec-constant", Some(v)) => {
                let (id, bytes) = spec_constant(v)?;
                out.specialization.insert(id, bytes);
            }
            ("--target", Some(name)) => environment.target = Some(name.into()),
            ("--reconvergence", Some(which)) => environment.reconvergence = Some(which.into()),
            ("--spirv", Some(v)) => environment.spirv = Some(parse_spirv_version(v).map_err(|e| usage(e.0))?),
            ("--options", Some(text)) => language.push_str(&format!("{text} ")),
            ("-D" | "-U" | "-I", None) => {
                let value = it
                    .next()
                    .ok_or_else(|| usage(format!("{key} needs an argument")))?;
                language.push_str(&format!("{key} \"{}\" ", escape(&value)));
            }
            ("-", None) => out.files.push("-".into()),
            (k, _) if k.starts_with('-') => {
                let mut next = || it.next();
                let known = out.clspv.accept(&arg, &mut next).map_err(|e| usage(e.0))?;
                if !known {
                    // clspv spells language options with two hyphens, too: `--cl-mad-enable`.
                    let option = if k.starts_with("--cl-") { &arg[1..] } else { &arg };
                    if option.starts_with("--") {
                        return Err(usage(format!("unknown argument: '{arg}'")));
                    }
                    language.push_str(&format!("\"{}\" ", escape(option)));
                }
            }
            _ => out.files.push(arg),
        }
    }
    finish(out, &language, &environment)
}

/// Completes the arguments when the whole command line is known, and refuses what does not go together.
fn finish(mut out: Args, language: &str, environment: &Environment) -> Result<Args, Refusal> {
    out.options = Options::parse(language).map_err(|e| usage(e.to_string()))?;
    if let Some(file) = &out.clspv.sampler_map_file {
        let text = std::fs::read_to_string(file).map_err(|e| Refusal::File(super::unreadable(file, &e)))?;
        out.clspv.sampler_map = Some(parse_sampler_map(&text).map_err(|e| usage(e.0))?);
    }
    out.target = target(environment, &out.clspv)?;
    out.spirv = environment.spirv;
    out.clspv.apply_to_options(&mut out.options);
    out.options.spec_constants.clone_from(&out.specialization);
    if out.files.is_empty() {
        return Err(usage("no input file (see --help)"));
    }
    if let Some(refusal) = pipeline::pipeline(&out.target).refuses_to_skip(&out.hooks.skip) {
        return Err(usage(format!("--skip-pass: {refusal}")));
    }
    if out.emit == Emit::Mlir && !out.convert {
        return Err(usage(
            "--emit=mlir writes a SPIR-V module that is the input; it needs --convert",
        ));
    }
    if out.convert && out.files.len() > 1 {
        return Err(usage("--convert takes one file"));
    }
    Ok(out)
}

impl Args {
    /// The arguments of an empty command line.
    fn new() -> Args {
        Args {
            files: Vec::new(),
            output: None,
            emit: Emit::Spv,
            map_style: MapStyle::Newer,
            check: false,
            strip: false,
            stop_after: None,
            options: Options::default(),
            target: Target::desktop(),
            clspv: Clspv::default(),
            hooks: Hooks::default(),
            time: false,
            specialization: Specialization::new(),
            spirv: None,
            convert: false,
        }
    }
}

fn map_style(style: Option<&str>) -> Result<MapStyle, Refusal> {
    Ok(match style {
        None | Some("newer") => MapStyle::Newer,
        Some("older") => MapStyle::Older,
        Some("first") => MapStyle::First,
        Some(other) => return Err(usage(format!("unknown --descriptor-map={other}"))),
    })
}

/// Parses `ID=VALUE`. The value is an integer, or a float if it has a decimal point; with `f` at its end it has
/// single precision.
fn spec_constant(text: &str) -> Result<(u32, Vec<u8>), Refusal> {
    let parsed = text.split_once('=').and_then(|(id, value)| {
        let id = id.parse().ok()?;
        let bytes = if let Some(single) = value.strip_suffix('f').filter(|_| value.contains('.')) {
            single.parse::<f32>().ok()?.to_le_bytes().to_vec()
        } else if value.contains('.') {
            value.parse::<f64>().ok()?.to_le_bytes().to_vec()
        } else {
            let number: i128 = value.parse().ok()?;
            let fits = i64::try_from(number).is_ok() || u64::try_from(number).is_ok();
            fits.then(|| (number as u64).to_le_bytes().to_vec())?
        };
        Some((id, bytes))
    });
    parsed.ok_or_else(|| usage(format!("--spec-constant needs ID=VALUE, not '{text}'")))
}

fn escape(s: &str) -> String {
    s.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Parses the value of an option that selects passes: `all`, or names of passes of any target.
fn passes(option: &str, value: Option<&str>) -> Result<Select, Refusal> {
    let names = match value {
        None => return Err(usage(format!("{option} needs =PASS,... or =all"))),
        Some("all") => return Ok(Select::All),
        Some(names) => names.split(','),
    };
    let known = pipeline::all_passes();
    let check = |name: &str| match known.iter().any(|p| p.name == name) {
        true => Ok(name.to_owned()),
        false => Err(usage(format!(
            "{option}: unknown pass '{name}' (see --list-passes)"
        ))),
    };
    Ok(Select::Names(names.map(check).collect::<Result<_, _>>()?))
}

fn stage(name: &str) -> Result<Stage, Refusal> {
    [
        Stage::Preprocess,
        Stage::Parse,
        Stage::Sema,
        Stage::LowerHir,
        Stage::Passes,
        Stage::Emit,
    ]
    .into_iter()
    .find(|s| s.name() == name)
    .ok_or_else(|| usage(format!("unknown stage {name}")))
}

/// Adds the promise of reconvergence that `--reconvergence` names to a target.
fn reconvergence(target: &mut Target, which: Option<&str>) -> Result<(), Refusal> {
    let offered = match which {
        None | Some("core") => return Ok(()),
        Some("maximal") => &mut target.features.maximal_reconvergence,
        Some("subgroup-uniform") => &mut target.features.subgroup_uniform_control_flow,
        Some(other) => return Err(usage(format!("unknown --reconvergence={other}"))),
    };
    *offered = target.spirv.minor >= 3;
    match *offered {
        true => Ok(()),
        false => Err(usage("--reconvergence needs SPIR-V 1.3 (see --spirv)")),
    }
}

fn target(environment: &Environment, clspv: &Clspv) -> Result<Target, Refusal> {
    let descriptor = match environment.abi.as_deref() {
        None => {
            clspv.wants_descriptors() || matches!(environment.target.as_deref(), Some("clspv" | "runtime"))
        }
        Some("physical") => false,
        Some("descriptor") => true,
        Some(other) => return Err(usage(format!("unknown --abi={other}"))),
    };
    let mut target = match environment.target.as_deref() {
        None if descriptor => Target::clspv(),
        None => Target::desktop(),
        Some("no-int64") => Target::desktop().without_int64(),
        Some("runtime") => Target {
            abi: Abi::Descriptor(DescriptorAbi::runtime()),
            ..Target::desktop()
        },
        Some(name) => {
            let minor = match name {
                "desktop" | "vulkan1.3" => 6,
                "vulkan1.2" => 5,
                "vulkan1.1" => 3,
                "vulkan1.0" | "clspv" => 0,
                _ => return Err(usage(format!("unknown target {name}"))),
            };
            let mut target = if name == "clspv" {
                Target::clspv()
            } else {
                Target::desktop()
            };
            target.set_spirv(SpirvVersion { major: 1, minor });
            target
        }
    };
    if !descriptor {
        if clspv.behaviour == Behaviour::Older {
            return Err(usage("--behaviour=older requires --abi=descriptor"));
        }
        target.abi = Abi::Physical;
    } else if target.abi.descriptor().is_none() {
        target.abi = Abi::Descriptor(DescriptorAbi::default());
    }
    // clspv's options must not change the descriptor ABI of the target `runtime`.
    let is_runtime = environment.target.as_deref() == Some("runtime");
    let fixed = (is_runtime && descriptor).then(|| target.abi.clone());
    clspv.apply(&mut target).map_err(|e| usage(e.0))?;
    if let Some(abi) = fixed {
        if clspv.wants_descriptors() {
            return Err(usage(
                "--target=runtime fixes the descriptor ABI; it cannot be combined with clspv's options for it",
            ));
        }
        target.abi = abi;
    }
    if let Some(v) = environment.spirv {
        target.set_spirv(v);
    }
    reconvergence(&mut target, environment.reconvergence.as_deref())?;
    target.checks = environment.checks;
    Ok(target)
}
