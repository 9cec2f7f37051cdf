//! The option string of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL 1.2, 5.6.4 and 5.6.5).

use std::collections::BTreeMap;

/// The version of OpenCL C that `-cl-std` selects.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ClStd {
    /// `CL1.0`
    Cl10,
    /// `CL1.1`
    Cl11,
    /// `CL1.2`, the default.
    #[default]
    Cl12,
    /// `CL2.0`, for sources that ask for it on a device with version 3.0.
    Cl20,
    /// `CL3.0`
    Cl30,
    /// `CL3.1`
    Cl31,
}

impl ClStd {
    /// Returns the version as users write it, for example `1.1`.
    pub fn text(self) -> &'static str {
        match self {
            ClStd::Cl10 => "1.0",
            ClStd::Cl11 => "1.1",
            ClStd::Cl12 => "1.2",
            ClStd::Cl20 => "2.0",
            ClStd::Cl30 => "3.0",
            ClStd::Cl31 => "3.1",
        }
    }

    /// Returns the oldest version not before this one that devices list: a device has 2.0 only for sources that ask for
    /// it.
    pub fn offered(self) -> ClStd {
        match self {
            ClStd::Cl20 => ClStd::Cl30,
            other => other,
        }
    }

    /// Returns the value of `__OPENCL_C_VERSION__`.
    pub fn version(self) -> u32 {
        match self {
            ClStd::Cl10 => 100,
            ClStd::Cl11 => 110,
            ClStd::Cl12 => 120,
            ClStd::Cl20 => 200,
            ClStd::Cl30 => 300,
            ClStd::Cl31 => 310,
        }
    }
}

/// The values of `-cl-std` that name other languages. They are recognised, but not supported.
const OTHER_LANGUAGES: &[&str] = &["CLC++", "CLC++1.0", "CLC++2021"];

/// The parsed build options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// `-D name[=value]` and `-U name`, in order.
    pub defines: Vec<Define>,
    /// The directories of `-I`, in order.
    pub include_dirs: Vec<String>,
    /// `-cl-std`.
    pub std: ClStd,
    /// The value of `-cl-std`, if it is a version that no device has. The build then fails with a message,
    /// as 5.6.4.5 requires of a device of version 1.0 that is asked for 1.1. So does a build for a device that is
    /// older than `std` ([`Options::missing_std`]).
    pub newer_std: Option<String>,
    /// `-cl-opt-disable` (also `-O0`). It has no effect, because the optimisations of the driver cannot be
    /// disabled.
    pub opt_disable: bool,
    /// `-cl-mad-enable`.
    pub mad_enable: bool,
    /// `-cl-unsafe-math-optimizations`.
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`.
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`.
    pub fast_relaxed_math: bool,
    /// `-cl-no-signed-zeros`.
    pub no_signed_zeros: bool,
    /// `-cl-single-precision-constant`.
    pub single_precision_constant: bool,
    /// `-cl-denorms-are-zero`. It has no effect, which the specification allows.
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`: quotients and square roots of `float` are correctly rounded.
    /// As 5.6.4.2 requires, a build fails if the device lacks CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.
    pub fp32_correctly_rounded_divide_sqrt: bool,
    /// `-cl-strict-aliasing`. It has no effect.
    pub strict_aliasing: bool,
    /// `-w`.
    pub no_warnings: bool,
    /// `-Werror`.
    pub werror: bool,
    /// `-cl-kernel-arg-info`.
    pub kernel_arg_info: bool,
    /// `-g`. It has no effect.
    pub debug_info: bool,
    /// `-cl-uniform-work-group-size`: all work-groups of a launch have the same size.
    pub uniform_work_groups: bool,
    /// `-create-library`, a link option.
    pub create_library: bool,
    /// `-enable-link-options`, a link option that requires `-create-library`.
    pub enable_link_options: bool,
    /// clspv's `-cl-native-math`: built-in functions of `float` promise no precision, like `native_`
    /// functions.
    pub native_math: bool,
    /// clspv's `-arch=spirv32`: `size_t` and the other types of that size have 32 bits.
    pub small_sizes: bool,
    /// The bytes of the values of specialization constants that the source defines with `__spirv_SpecConstant`, by
    /// SpecId. No option of clBuildProgram sets them.
    pub spec_constants: BTreeMap<u32, Vec<u8>>,
}

/// A macro that the command line defines or undefines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Define {
    /// `-D name` (with the value 1) or `-D name=value`; the name may include a parameter list, or the start of the value.
    Define(String, Option<String>),
    /// `-U name`.
    Undef(String),
}

/// A reason to refuse an option string (CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS,
/// CL_INVALID_LINKER_OPTIONS).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// The option is not one of OpenCL 1.2.
    #[error("unknown build option '{0}'")]
    Unknown(String),
    /// The option lacks its argument.
    #[error("argument to '{0}' is missing")]
    MissingArgument(String),
    /// The option does not accept this argument.
    #[error("invalid value '{value}' in '{option}'")]
    BadValue {
        /// The option.
        option: String,
        /// The argument.
        value: String,
    },
    /// A quote is not closed.
    #[error("unterminated quote in build options")]
    Unterminated,
    /// A linker option was given to the compiler, or a compiler option to the linker.
    #[error("option '{0}' is not valid here")]
    NotHere(String),
}

/// The API call that an option string was given to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OptionUse {
    /// clBuildProgram, which takes compile and link options.
    Build,
    /// clCompileProgram.
    Compile,
    /// clLinkProgram.
    Link,
}

impl Options {
    /// Returns the options with which functions of the library are compiled for a module that is not from source: the
    /// options for arithmetic. Macros and the options for messages are left out.
    #[must_use]
    pub fn for_library(&self) -> Options {
        Options {
            defines: Vec::new(),
            include_dirs: Vec::new(),
            std: ClStd::Cl30,
            newer_std: None,
            no_warnings: true,
            werror: false,
            ..self.clone()
        }
    }

    /// Returns the value of `-cl-std`, if it is a version that a device lacks whose newest version is `newest`.
    pub fn missing_std(&self, newest: ClStd) -> Option<String> {
        self.newer_std
            .clone()
            .or_else(|| (self.std > newest).then(|| format!("CL{}", self.std.text())))
    }

    /// Parses the options of clBuildProgram.
    pub fn parse(text: &str) -> Result<Options, OptionError> {
        Options::parse_for(text, OptionUse::Build)
    }

    /// Parses the options of one of the three calls.
    pub fn parse_for(text: &str, usage: OptionUse) -> Result<Options, OptionError> {
        let words = split_words(text)?;
        let mut o = Options::default();
        let mut it = words.into_iter();
        while let Some(word) = it.next() {
            let link_only = matches!(word.as_str(), "-create-library" | "-enable-link-options");
            let both = matches!(
                word.as_str(),
                "-cl-denorms-are-zero"
                    | "-cl-no-signed-zeros"
                    | "-cl-unsafe-math-optimizations"
                    | "-cl-finite-math-only"
                    | "-cl-fast-relaxed-math"
                    | "-cl-opt-disable"
                    | "-cl-mad-enable"
                    | "-w"
                    | "-g"
            ) || is_for_other_code(&word);
            match usage {
                OptionUse::Compile | OptionUse::Build if link_only => return Err(OptionError::NotHere(word)),
                OptionUse::Link if !link_only && !both => {
                    return Err(match o.compile_option(&word, &mut it) {
                        Ok(()) => OptionError::NotHere(word),
                        Err(e) => e,
                    });
                }
                OptionUse::Link | OptionUse::Compile | OptionUse::Build => {}
            }
            match word.as_str() {
                "-create-library" => o.create_library = true,
                "-enable-link-options" => o.enable_link_options = true,
                _ => o.compile_option(&word, &mut it)?,
            }
        }
        // CL 5.6.5.1: -enable-link-options must be specified with -create-library
        if o.enable_link_options && !o.create_library {
            return Err(OptionError::NotHere("-enable-link-options".into()));
        }
        Ok(o)
    }

    fn compile_option(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = String>,
    ) -> Result<(), OptionError> {
        let mut argument = |prefix: &str| match &word[prefix.len()..] {
            "" => rest
                .next()
                .ok_or_else(|| OptionError::MissingArgument(prefix.into())),
            joined => Ok(joined.to_string()),
        };
        match word {
            "-cl-opt-disable" | "-O0" | "-ze-opt-disable" => self.opt_disable = true,
            "-O" | "-O1" | "-O2" | "-O3" => {}
            "-cl-mad-enable" => self.mad_enable = true,
            "-cl-unsafe-math-optimizations" => {
                self.unsafe_math = true;
                self.mad_enable = true;
                self.no_signed_zeros = true;
            }
            "-cl-finite-math-only" => self.finite_math_only = true,
            "-cl-fast-relaxed-math" => {
                self.fast_relaxed_math = true;
                self.finite_math_only = true;
                self.unsafe_math = true;
                self.mad_enable = true;
                self.no_signed_zeros = true;
            }
            "-cl-no-signed-zeros" => self.no_signed_zeros = true,
            "-cl-single-precision-constant" => self.single_precision_constant = true,
            "-cl-denorms-are-zero" => self.denorms_are_zero = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" => self.fp32_correctly_rounded_divide_sqrt = true,
            "-cl-strict-aliasing" => self.strict_aliasing = true,
            "-cl-uniform-work-group-size" => self.uniform_work_groups = true,
            // It has no effect: no sub-group need make progress independently.
            "-cl-no-subgroup-ifp" => {}
            _ if word.starts_with(NV_REGISTERS) => is_number(NV_REGISTERS, &argument(NV_REGISTERS)?)?,
            _ if word.starts_with(NV_LEVEL) => is_number(NV_LEVEL, &argument(NV_LEVEL)?)?,
            _ if is_for_other_code(word) => {}
            "-cl-kernel-arg-info" => self.kernel_arg_info = true,
            "-w" => self.no_warnings = true,
            "-Werror" => self.werror = true,
            "-g" => self.debug_info = true,
            _ if word.starts_with("-D") => {
                let text = argument("-D")?;
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name.to_string(), Some(value.to_string())),
                    None => (text, None),
                };
                if !is_macro_head(&name) {
                    return Err(OptionError::BadValue {
                        option: "-D".into(),
                        value: name,
                    });
                }
                self.defines.push(Define::Define(name, value));
            }
            _ if word.starts_with("-U") => {
                let name = argument("-U")?;
                if !is_macro_head(&name) {
                    return Err(OptionError::BadValue {
                        option: "-U".into(),
                        value: name,
                    });
                }
                self.defines.push(Define::Undef(name));
            }
            _ if word.starts_with("-I") => {
                let dir = argument("-I")?;
                self.include_dirs.push(dir);
            }
            _ if word.starts_with("-cl-std=") => {
                self.std = match &word["-cl-std=".len()..] {
                    "CL1.0" => ClStd::Cl10,
                    "CL1.1" => ClStd::Cl11,
                    "CL1.2" => ClStd::Cl12,
                    "CL2.0" => ClStd::Cl20,
                    "CL3.0" => ClStd::Cl30,
                    "CL3.1" => ClStd::Cl31,
                    value if OTHER_LANGUAGES.contains(&value) => {
                        self.newer_std = Some(value.into());
                        return Ok(());
                    }
                    value => {
                        return Err(OptionError::BadValue {
                            option: "-cl-std".into(),
                            value: value.into(),
                        });
                    }
                };
            }
            _ => return Err(OptionError::Unknown(word.into())),
        }
        Ok(())
    }
}

/// Returns whether the text begins with an identifier and is one line, so that a `#define` or `#undef` can take it. What
/// follows the identifier is a parameter list or, as for Clang and GCC, the start of the value: programs put names of
/// devices with commas into such options.
fn is_macro_head(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && !text.contains(['\n', '\r'])
}

/// The options of cl_nv_compiler_options with a number: the registers of a work-item, and the level of optimisation.
const NV_REGISTERS: &str = "-cl-nv-maxrregcount";
const NV_LEVEL: &str = "-cl-nv-opt-level";

/// Returns whether an option only tells the code generators of Intel or NVIDIA how to use registers and addresses, how
/// much to optimise, and what to report. DPC++ keeps such options with the modules and gives them to every device.
/// Programs for NVIDIA's GPUs give theirs to every device of this vendor.
fn is_for_other_code(word: &str) -> bool {
    word == "-doubleGRF"
        || word == "-cl-nv-verbose"
        || ["-ze-", "-cl-intel-", NV_REGISTERS, NV_LEVEL]
            .iter()
            .any(|prefix| word.starts_with(prefix))
}

/// Checks the value of an option that takes a number, with or without `=` before it.
fn is_number(option: &str, value: &str) -> Result<(), OptionError> {
    let number = value.strip_prefix('=').unwrap_or(value);
    match number.parse::<u32>() {
        Ok(_) => Ok(()),
        Err(_) => Err(OptionError::BadValue {
            option: option.into(),
            value: number.into(),
        }),
    }
}

/// Splits the text at white space outside quotes. Quotes, single or double, may occur anywhere in a word and
/// are removed. A backslash makes the next character literal if that is a quote, a backslash or white space;
/// otherwise the backslash stands for itself, as in Windows paths.
fn split_words(text: &str) -> Result<Vec<String>, OptionError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\0' {
            break;
        }
        if c == '\\' && quote != Some('\'') {
            let escaped =
                chars.next_if(|&n| matches!(n, '"' | '\\' | '\'') || (quote.is_none() && n.is_whitespace()));
            word.get_or_insert_default().push(escaped.unwrap_or('\\'));
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && (c == '"' || c == '\'') {
            quote = Some(c);
            word.get_or_insert_default();
        } else if quote.is_none() && c.is_whitespace() {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    if quote.is_some() {
        return Err(OptionError::Unterminated);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(split_words(text).unwrap(), expected, "{text}");
        check("", &[]);
        check("  -a   -b\t\n", &["-a", "-b"]);
        check(
            r#"-I"dir with spaces" -D"A=1 2""#,
            &["-Idir with spaces", "-DA=1 2"],
        );
        check(r#"-I "x y""#, &["-I", "x y"]);
        check(r#"-D 'A="s"'"#, &["-D", "A=\"s\""]);
        check(r#"-DS=\"s\""#, &["-DS=\"s\""]);
        check(r"-Idir\ two -IC:\dir\x", &["-Idir two", r"-IC:\dir\x"]);
        check(r#""" x"#, &["", "x"]);
        assert_eq!(split_words("-I\"x"), Err(OptionError::Unterminated));
    }

    #[test]
    fn options() {
        let o =
            Options::parse("-D A -DB=2 -D C=x=y -UA -I a -Ib -cl-std=CL1.1 -w -Werror -cl-fast-relaxed-math")
                .unwrap();
        assert_eq!(
            o.defines,
            [
                Define::Define("A".into(), None),
                Define::Define("B".into(), Some("2".into())),
                Define::Define("C".into(), Some("x=y".into())),
                Define::Undef("A".into()),
            ]
        );
        assert_eq!(
            Options::parse("-DA,_B -DC-D=1").unwrap().defines,
            [
                Define::Define("A,_B".into(), None),
                Define::Define("C-D".into(), Some("1".into())),
            ]
        );
        assert_eq!(o.include_dirs, ["a", "b"]);
        assert_eq!(o.std, ClStd::Cl11);
        assert_eq!(o.newer_std, None);
        assert_eq!(Options::parse("-cl-no-subgroup-ifp"), Ok(Options::default()));
        let hints = "-ze-intel-greater-than-4GB-buffer-required -cl-intel-256-GRF-per-thread -doubleGRF";
        assert_eq!(Options::parse(hints), Ok(Options::default()));
        assert_eq!(Options::parse_for(hints, OptionUse::Link), Ok(Options::default()));
        let hints = "-cl-nv-verbose -cl-nv-maxrregcount=32 -cl-nv-maxrregcount 64 -cl-nv-opt-level=3 -cl-nv-opt-level 0";
        assert_eq!(Options::parse(hints), Ok(Options::default()));
        assert_eq!(Options::parse_for(hints, OptionUse::Link), Ok(Options::default()));
        assert!(Options::parse("-ze-opt-disable").is_ok_and(|o| o.opt_disable));
        assert!(Options::parse("-cl-uniform-work-group-size").is_ok_and(|o| o.uniform_work_groups));
        let missing = |text, newest| Options::parse(text).unwrap().missing_std(newest);
        assert_eq!(missing("-cl-std=CL3.0", ClStd::Cl12).as_deref(), Some("CL3.0"));
        assert_eq!(missing("-cl-std=CL3.1", ClStd::Cl30).as_deref(), Some("CL3.1"));
        assert_eq!(missing("-cl-std=CL3.0", ClStd::Cl31), None);
        assert_eq!(missing("-cl-std=CL2.0", ClStd::Cl31), None);
        assert_eq!(missing("-cl-std=CL2.0", ClStd::Cl12).as_deref(), Some("CL2.0"));
        assert!(o.no_warnings && o.werror && o.finite_math_only && o.mad_enable);
    }

    #[test]
    fn refused() {
        let check =
            |text: &str, expected: &str| assert_eq!(Options::parse(text).unwrap_err().to_string(), expected);
        check("-foo", "unknown build option '-foo'");
        check("foo.cl", "unknown build option 'foo.cl'");
        check("-D", "argument to '-D' is missing");
        check("-I", "argument to '-I' is missing");
        check("-D1x", "invalid value '1x' in '-D'");
        check("-D,x", "invalid value ',x' in '-D'");
        check("-D \"A\nB\"", "invalid value 'A\nB' in '-D'");
        check("-U1x", "invalid value '1x' in '-U'");
        check("-cl-std=CL9.9", "invalid value 'CL9.9' in '-cl-std'");
        check("-x spir", "unknown build option '-x'");
        check(
            "-cl-nv-maxrregcount",
            "argument to '-cl-nv-maxrregcount' is missing",
        );
        check(
            "-cl-nv-maxrregcount=",
            "invalid value '' in '-cl-nv-maxrregcount'",
        );
        check("-cl-nv-opt-level -w", "invalid value '-w' in '-cl-nv-opt-level'");
        check("-cl-nv-foo", "unknown build option '-cl-nv-foo'");
        check("-create-library", "option '-create-library' is not valid here");
    }

    #[test]
    fn link_options() {
        let parse = |text| Options::parse_for(text, OptionUse::Link);
        assert!(
            parse("-create-library -enable-link-options")
                .unwrap()
                .create_library
        );
        let alone = parse("-enable-link-options -cl-finite-math-only");
        assert_eq!(alone, Err(OptionError::NotHere("-enable-link-options".into())));
        assert!(parse("-cl-denorms-are-zero").unwrap().denorms_are_zero);
        assert_eq!(parse("-DX"), Err(OptionError::NotHere("-DX".into())));
        assert_eq!(parse("-bogus"), Err(OptionError::Unknown("-bogus".into())));
    }
}
