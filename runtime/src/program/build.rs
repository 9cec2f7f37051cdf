//! clBuildProgram and clCompileProgram (CL 5.6.2, 5.6.3).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use caldera_compiler::options::{OptionUse, Options};
use caldera_compiler::target::Target;

use super::il::IlBuild;
use super::recipe::Recipe;
use super::toolchain::{self, Object, Unit};
use super::{BuildStatus, DeviceBuild, Executable, Notify, Origin, Output, Program};
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::kernel::pipeline::{DeviceModule, Widen};
use crate::observe::{self, observer};

/// A header that clCompileProgram was given.
#[derive(Clone, Debug)]
pub struct Header {
    /// The name in the `#include` directive.
    pub name: String,
    /// The program with the header's source.
    pub program: Arc<Program>,
}

/// The result of a build for one device: output and log, or the log of a failure.
pub(super) type Outcome = std::result::Result<(Output, String), String>;

/// Devices that are marked as being built. If this is dropped before the build has finished (by a panic in the
/// compiler), the build has failed.
pub(super) struct InProgress {
    program: Arc<Program>,
    indices: Vec<usize>,
}

impl InProgress {
    /// Marks the devices as being built.
    pub(super) fn start(
        program: &Arc<Program>,
        devices: &[Arc<Device>],
        options: &str,
    ) -> Result<InProgress> {
        let indices = devices
            .iter()
            .map(|d| program.index(d))
            .collect::<Result<Vec<_>>>()?;
        let mut builds = program.builds.lock();
        // CL 5.6.2: INVALID_OPERATION if the build for any of the devices by a previous call has not completed
        if indices
            .iter()
            .any(|&i| builds[i].status == BuildStatus::InProgress)
        {
            return Err(Error::new(ClCode::InvalidOperation, "the program is being built").at("5.6.2"));
        }
        for &i in &indices {
            builds[i].status = BuildStatus::InProgress;
            options.clone_into(&mut builds[i].options);
            builds[i].log.clear();
        }
        drop(builds);
        Ok(InProgress {
            program: Arc::clone(program),
            indices,
        })
    }

    /// Stores one result per device, in the order of the devices passed to `start`. Returns whether all builds
    /// succeeded.
    pub(super) fn finish(mut self, outcomes: Vec<Outcome>) -> bool {
        let mut builds = self.program.builds.lock();
        let mut all_good = true;
        for (&i, outcome) in self.indices.iter().zip(outcomes) {
            let build = &mut builds[i];
            match outcome {
                Ok((output, log)) => {
                    build.status = BuildStatus::Success;
                    build.output = output;
                    build.log = log;
                }
                Err(log) => {
                    all_good = false;
                    build.status = BuildStatus::Error;
                    // Binaries that the application provided are kept for another build.
                    if matches!(self.program.origin, Origin::Source(_) | Origin::Il(_)) {
                        build.output = Output::None;
                    }
                    build.log = log;
                }
            }
        }
        drop(builds);
        self.program.built.notify_all();
        self.indices.clear();
        all_good
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        if self.indices.is_empty() {
            return;
        }
        let Some(mut builds) = self.program.builds.lock_to_release() else {
            return;
        };
        for &i in &self.indices {
            builds[i].status = BuildStatus::Error;
            builds[i].log = "internal compiler error\n".into();
        }
        drop(builds);
        self.program.built.notify_all();
    }
}

/// Parses an option string; the error code depends on the call.
pub(super) fn parse_options(text: &str, usage: OptionUse) -> Result<Options> {
    Options::parse_for(text, usage).map_err(|e| {
        let (code, section) = match usage {
            OptionUse::Build => (ClCode::InvalidBuildOptions, "5.6.2"),
            OptionUse::Compile => (ClCode::InvalidCompilerOptions, "5.6.3"),
            OptionUse::Link => (ClCode::InvalidLinkerOptions, "5.6.3"),
        };
        log::warn!(target: "program", "options {text:?}: {e}");
        Error::new(code, e.to_string()).at(section)
    })
}

/// Returns a target for launches that are not usual: with NDRanges beyond 32 bits, or with addresses as arguments
/// that are no multiples of 16.
pub(super) fn wide_target(target: &Target) -> Arc<Target> {
    let mut target = Target::clone(target);
    target.wide_ranges = true;
    target.aligned_buffers = false;
    Arc::new(target)
}

/// Returns a function that links the objects again for NDRanges beyond 32 bits.
pub(super) fn widen_objects(target: &Arc<Target>, objects: &[Arc<Object>], options: &Options) -> Widen {
    let (target, objects, options) = (Arc::clone(target), objects.to_vec(), options.clone());
    Box::new(move || {
        let linked = toolchain::link(&objects, &options, &wide_target(&target))?;
        Ok(Arc::clone(&linked.words))
    })
}

/// Returns a function that builds the source again for NDRanges beyond 32 bits.
fn widen_source(target: &Arc<Target>, source: &Arc<[u8]>, text: &str, options: &Options) -> Widen {
    let (target, source) = (Arc::clone(target), Arc::clone(source));
    let (text, options) = (text.to_owned(), options.clone());
    Box::new(move || {
        let unit = Unit {
            source: &source,
            options_text: &text,
            options: &options,
            headers: &[],
        };
        Ok(Arc::clone(&toolchain::build(&unit, &wide_target(&target))?.words))
    })
}

/// Hands a module of the application to the driver. `recipe` is how it was made, if that is kept; `widen` compiles it for
/// NDRanges beyond 32 bits.
pub(super) fn load(
    device: &Arc<Device>,
    words: &Arc<[u32]>,
    recipe: Option<Arc<Recipe>>,
    arg_info: Option<bool>,
    widen: Option<Widen>,
) -> std::result::Result<Output, String> {
    let output = load_unobserved(device, words, recipe, arg_info, widen)?;
    if let Output::Executable(executable) = &output
        && observer().is_some()
    {
        executable.module.observe(words);
    }
    Ok(output)
}

/// Hands a module to the driver, as [`load`] does, without adding it to the profile.
pub(super) fn load_unobserved(
    device: &Arc<Device>,
    words: &Arc<[u32]>,
    recipe: Option<Arc<Recipe>>,
    arg_info: Option<bool>,
    widen: Option<Widen>,
) -> std::result::Result<Output, String> {
    let module = DeviceModule::new(device, words).map_err(|e| format!("error: {}\n", e.chain()))?;
    let has_info = || {
        module
            .reflection()
            .kernels
            .iter()
            .any(|k| k.args.iter().any(|a| a.info.is_some()))
    };
    if let Some(widen) = widen {
        module.on_wide(widen);
    }
    Ok(Output::Executable(Arc::new(Executable {
        words: Arc::clone(words),
        recipe,
        arg_info: arg_info.unwrap_or_else(has_info),
        module,
    })))
}

impl Program {
    /// Returns the devices to build for: the given ones, or all of the program's if none are given.
    fn wanted(&self, devices: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
        for d in devices {
            self.index(d)?;
        }
        Ok(if devices.is_empty() {
            &self.devices
        } else {
            devices
        }
        .to_vec())
    }

    fn no_kernels(&self) -> Result<()> {
        // CL 5.6.2: INVALID_OPERATION if there are kernel objects attached to program
        if self.kernels.load(std::sync::atomic::Ordering::Relaxed) > 0 {
            return Err(Error::new(ClCode::InvalidOperation, "the program has kernel objects").at("5.6.2"));
        }
        Ok(())
    }

    /// Builds the program (CL 5.6.2, clBuildProgram), for all of its devices if `devices` is empty.
    pub fn build(
        self: &Arc<Self>,
        devices: &[Arc<Device>],
        options: &str,
        notify: Option<Notify>,
    ) -> Result<()> {
        let devices = self.wanted(devices)?;
        // CL 5.6.2: INVALID_BUILD_OPTIONS if the build options are invalid
        let parsed = parse_options(options, OptionUse::Build)?;
        self.no_kernels()?;
        // CL 5.6.2: INVALID_BINARY if program was created with clCreateProgramWithBinary and devices do not have a valid
        // program binary; INVALID_OPERATION if program was not created with source or binary
        if let Origin::Link = self.origin {
            return Err(
                Error::new(ClCode::InvalidOperation, "the program was made by clLinkProgram").at("5.6.2"),
            );
        }
        let progress = InProgress::start(self, &devices, options)?;
        let program = Arc::clone(self);
        let options = options.to_owned();
        run(self, notify, ClCode::BuildProgramFailure, "5.6.2", move || {
            let outcomes = devices
                .iter()
                .map(|d| program.build_for(d, &options, &parsed))
                .collect();
            progress.finish(outcomes)
        })
    }

    /// Builds the program for one device.
    fn build_for(&self, device: &Arc<Device>, options: &str, parsed: &Options) -> Outcome {
        let target = &self.context.target(device);
        match &self.origin {
            Origin::Source(source) => {
                let unit = Unit {
                    source,
                    options_text: options,
                    options: parsed,
                    headers: &[],
                };
                let compiled = toolchain::build(&unit, target)?;
                let widen = widen_source(target, source, options, parsed);
                let (recipe, arg_info) = (compiled.recipe.clone(), Some(parsed.kernel_arg_info));
                let output = load(device, &compiled.words, recipe, arg_info, Some(widen))?;
                Ok((output, compiled.log.clone()))
            }
            Origin::Il(il) => IlBuild::new(il, options, parsed).build(device, target),
            Origin::Binary | Origin::Link => {
                let index = self.index(device).map_err(|e| e.to_string())?;
                let present = self.builds.lock()[index].output.clone();
                let objects: Vec<Arc<Object>> = match present {
                    Output::Executable(e) => return Ok((Output::Executable(e), String::new())),
                    Output::Object(o) => vec![o],
                    Output::Library(l) => l.to_vec(),
                    Output::None => return Err("error: there is no binary for the device\n".into()),
                };
                let compiled = toolchain::link(&objects, parsed, target)?;
                let widen = widen_objects(target, &objects, parsed);
                let (recipe, arg_info) = (compiled.recipe.clone(), Some(parsed.kernel_arg_info));
                let output = load(device, &compiled.words, recipe, arg_info, Some(widen))?;
                Ok((output, compiled.log.clone()))
            }
        }
    }

    /// Compiles the program (CL 5.6.3, clCompileProgram), for all of its devices if `devices` is empty.
    pub fn compile(
        self: &Arc<Self>,
        devices: &[Arc<Device>],
        options: &str,
        headers: Vec<Header>,
        notify: Option<Notify>,
    ) -> Result<()> {
        let devices = self.wanted(devices)?;
        // CL 5.6.3: INVALID_COMPILER_OPTIONS if the compiler options are invalid
        let parsed = parse_options(options, OptionUse::Compile)?;
        self.no_kernels()?;
        if let Origin::Il(il) = &self.origin {
            // cl_khr_il_program: the headers are ignored for a program from IL
            let progress = InProgress::start(self, &devices, options)?;
            let unit = IlBuild::new(il, options, &parsed);
            let context = Arc::clone(&self.context);
            return run(self, notify, ClCode::CompileProgramFailure, "5.6.3", move || {
                progress.finish(devices.iter().map(|d| unit.compile(&context.target(d))).collect())
            });
        }
        // CL 5.6.3: INVALID_OPERATION if program has no source
        let Origin::Source(source) = &self.origin else {
            return Err(Error::new(ClCode::InvalidOperation, "the program has no source").at("5.6.3"));
        };
        let progress = InProgress::start(self, &devices, options)?;
        let source = Arc::clone(source);
        let options = options.to_owned();
        let context = Arc::clone(&self.context);
        run(self, notify, ClCode::CompileProgramFailure, "5.6.3", move || {
            let unit = Unit {
                source: &source,
                options_text: &options,
                options: &parsed,
                headers: &headers,
            };
            let outcomes = devices
                .iter()
                .map(|d| {
                    let object = toolchain::compile(&unit, &context.target(d))?;
                    let log = object.log.clone();
                    Ok((Output::Object(object), log))
                })
                .collect();
            progress.finish(outcomes)
        })
    }
}

/// Runs a build: on this thread, or, if there is a notify function, on a build thread; the context's executor
/// then calls the notify function.
pub(super) fn run(
    program: &Arc<Program>,
    notify: Option<Notify>,
    failure: ClCode,
    section: &'static str,
    work: impl FnOnce() -> bool + Send + 'static,
) -> Result<()> {
    let work = || observe::build(work);
    let Some(notify) = notify else {
        if work() {
            return Ok(());
        }
        return Err(Error::new(failure, "see the build log").at(section));
    };
    let subject = Arc::clone(program);
    program.context().build(Box::new(move || {
        // A panic of the compiler must not end the thread; `InProgress` marks the build as failed.
        let _ = catch_unwind(AssertUnwindSafe(work));
        let context = Arc::clone(subject.context());
        context.executor().call(Box::new(move || notify(&subject)));
    }));
    Ok(())
}

impl DeviceBuild {
    /// Returns the objects that a link can take from a program, if there are any.
    pub(super) fn objects(&self) -> Option<Vec<Arc<Object>>> {
        if self.status == BuildStatus::InProgress {
            return None;
        }
        match &self.output {
            Output::Object(o) => Some(vec![Arc::clone(o)]),
            Output::Library(l) => Some(l.to_vec()),
            Output::None | Output::Executable(_) => None,
        }
    }
}
