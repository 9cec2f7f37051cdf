//! The stages of one compilation.
//!
//! Every stage runs on a thread of its own with a large stack, because the tree of a program is as deep as
//! the program is nested. A panic in a stage becomes an internal error in the log; the caller never panics.

use super::{Compiled, Dump, Failed, IlInput, Input, Object, Observer, Stage, Unobserved};
use crate::diag::{Diag, Diags, InternalError, Severity};
use crate::ir::{FpFlags, Module};
use crate::lower_hir::{self, Roots};
use crate::options::{ClStd, Options};
use crate::pass::{PassCx, PassError, pipeline};
use crate::pp::{self, Token};
use crate::source::{SourceMap, Span};
use crate::spirv_in::{self, Imported, Words};
use crate::target::Target;
use crate::{hir, reflect, sema, spirv, stack, syntax};
use std::panic::AssertUnwindSafe;
use std::time::Instant;

/// The stack size that the stages need, without the part that depends on the nesting of the source's tree.
/// The nesting in the preprocessor is bounded, and so is that of regions where passes recurse over them
/// ([`spirv::MAX_DEPTH`]).
pub(super) const STACK: usize = 6 << 20;

/// The reason why a stage gave no result.
pub(super) enum Stop {
    /// The errors are in the diagnostics.
    Reported,
    /// The compiler is at fault.
    Internal(InternalError),
}

impl From<InternalError> for Stop {
    fn from(e: InternalError) -> Self {
        Stop::Internal(e)
    }
}

/// The result of stages; `None` if the observer has stopped the compilation.
pub(super) type Staged<T> = Result<Option<T>, Stop>;

/// The state of one compilation.
pub(super) struct Run<'a> {
    options: &'a Options,
    target: &'a Target,
    observer: &'a mut dyn Observer,
    map: SourceMap,
    diags: Diags,
}

impl<'a> Run<'a> {
    pub(super) fn new(options: &'a Options, target: &'a Target, observer: &'a mut dyn Observer) -> Self {
        Run {
            options,
            target,
            observer,
            map: SourceMap::default(),
            diags: Diags::default(),
        }
    }

    /// Runs `work` with at least `need` bytes of stack.
    pub(super) fn on_thread<T: Send>(
        &mut self,
        need: usize,
        work: impl FnOnce(&mut Self) -> Staged<T> + Send,
    ) -> Staged<T> {
        let this = &mut *self;
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| stack::run(need, || work(this))));
        match done {
            Ok(Ok(result)) => result,
            Ok(Err(stack::NoStack)) => {
                self.diags.error(Span::NONE, syntax::NO_STACK);
                Err(Stop::Reported)
            }
            Err(panic) => Err(panicked(&*panic).into()),
        }
    }

    /// Returns what the options allow for arithmetic.
    fn relaxed(&self) -> FpFlags {
        FpFlags {
            contract: self.options.mad_enable,
            finite: self.options.finite_math_only,
            no_signed_zeros: self.options.no_signed_zeros,
            fast: self.options.unsafe_math,
            loose: !self.options.fp32_correctly_rounded_divide_sqrt,
        }
    }

    fn timed<T>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        self.observer.time(stage, None, start.elapsed());
        result
    }

    /// Returns whether to continue after a stage. Errors so far end the compilation; the observer may end it
    /// too.
    fn goes_on(&self, stage: Stage) -> Result<bool, Stop> {
        if self.diags.has_errors() {
            return Err(Stop::Reported);
        }
        Ok(!self.observer.stop_after(stage))
    }

    /// Returns why the device does not support one of the options, or `None` if it supports all of them.
    fn unsupported_option(&self) -> Option<String> {
        let (options, target) = (self.options, self.target);
        let has_generic = || {
            target
                .c_features
                .iter()
                .any(|f| f == "__opencl_c_generic_address_space")
        };
        if options.std == ClStd::Cl20 && target.newest >= ClStd::Cl30 && !has_generic() {
            let message = "'-cl-std=CL2.0' is not supported: the device lacks the generic address space";
            return Some(message.into());
        }
        if let Some(std) = options.missing_std(target.newest) {
            let newest = target.newest.text();
            return Some(format!(
                "'-cl-std={std}' is not supported: the device supports OpenCL C {newest}"
            ));
        }
        // CL 5.6.4.2
        if options.fp32_correctly_rounded_divide_sqrt && !target.calibration.rounded_divide_sqrt {
            let message = "'-cl-fp32-correctly-rounded-divide-sqrt' is not supported: the device does not have \
                           CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT";
            return Some(message.into());
        }
        None
    }

    /// Compiles the source to IR, then calls `rest`.
    pub(super) fn front<T: Send>(
        &mut self,
        input: &Input<'_>,
        roots: Roots,
        rest: impl FnOnce(&mut Self, Module) -> Staged<T> + Send,
    ) -> Staged<T> {
        if let Some(message) = self.unsupported_option() {
            self.diags.error(Span::NONE, message);
            return Err(Stop::Reported);
        }
        self.on_thread(STACK, move |run| {
            let tokens = run.preprocess(input);
            if !run.goes_on(Stage::Preprocess)? {
                return Ok(None);
            }
            let need = STACK + syntax::stack_for(syntax::nesting(&tokens));
            run.on_thread(need, move |run| {
                let Some(module) = run.build_ir(tokens, roots)? else {
                    return Ok(None);
                };
                rest(run, module)
            })
        })
    }

    /// Imports a SPIR-V module, then calls `rest`.
    pub(super) fn import<T: Send>(
        &mut self,
        input: &IlInput<'_>,
        rest: impl FnOnce(&mut Self, Module) -> Staged<T> + Send,
    ) -> Staged<T> {
        self.on_thread(STACK, move |run| {
            let settings = spirv_in::Settings {
                relaxed: run.relaxed(),
                specialization: input.specialization.clone(),
                uneven: run.target.newest >= ClStd::Cl30 && !run.options.uniform_work_groups,
            };
            let module = run.timed(Stage::Import, |run| {
                let words = Words::from_bytes(input.module);
                let imported = words.and_then(|words| spirv_in::import(&words, run.target, &settings));
                let imported = imported.map_err(|e| {
                    run.diags.error(Span::NONE, format!("{}: {e}", input.name));
                    Stop::Reported
                })?;
                run.with_library(imported)
            })?;
            // The module is not trusted, and the importer leaves some rules to the verifier.
            if let Err(e) = crate::verify::module(&module, crate::inv![Ssa], "the import") {
                let message = format!("{}: invalid SPIR-V: {e}", input.name);
                run.diags.error(Span::NONE, message);
                return Err(Stop::Reported);
            }
            if run.observer.wants(Stage::Import) {
                run.observer
                    .dump(Stage::Import, "ir", Dump::Text(module.to_string()));
            }
            if !run.goes_on(Stage::Import)? {
                return Ok(None);
            }
            rest(run, module)
        })
    }

    /// Compiles the functions with which an imported module calls built-in functions, and joins both.
    fn with_library(&mut self, imported: Imported) -> Result<Module, Stop> {
        if imported.library.is_empty() {
            return Ok(imported.module);
        }
        let options = self.options.for_library();
        let observer = &mut Unobserved;
        // Whatever the version of OpenCL C that the device reports, the importer may use all that the compiler has.
        let target = self.target.clone().latest();
        let mut inner = Run::new(&options, &target, observer);
        let input = Input {
            name: "<calls of built-in functions>",
            source: &imported.library,
            options: &options,
            resolver: &pp::NoIncludes,
        };
        let library = inner.front(&input, Roots::AllDefined, |_, module| Ok(Some(module)));
        let library = match inner.end(library) {
            Ok((library, _)) => library.unwrap_or_default(),
            Err(failed) => {
                let message = format!(
                    "unsupported SPIR-V: a built-in function is missing\n{}",
                    failed.log
                );
                self.diags.error(Span::NONE, message);
                return Err(Stop::Reported);
            }
        };
        let mut module = crate::link::join(&[&imported.module, &library]).map_err(|e| {
            self.diags.error(Span::NONE, e.to_string());
            Stop::Reported
        })?;
        spirv_in::hide_library(&mut module);
        Ok(module)
    }

    fn preprocess(&mut self, input: &Input<'_>) -> Vec<Token> {
        let main = self.map.add(input.name, input.source);
        let tokens = self.timed(Stage::Preprocess, |run| {
            pp::preprocess(
                &mut run.map,
                main,
                run.options,
                run.target,
                input.resolver,
                &mut run.diags,
            )
        });
        if self.observer.wants(Stage::Preprocess) {
            let text = pp::tokens_to_text(&tokens, &self.map);
            self.observer.dump(Stage::Preprocess, "pp", Dump::Text(text));
        }
        tokens
    }

    /// Parses, analyses and lowers the tokens. The input of each stage is dropped when its output exists,
    /// because the sources of whole libraries are large.
    fn build_ir(&mut self, tokens: Vec<Token>, roots: Roots) -> Staged<Module> {
        let unit = self.timed(Stage::Parse, |run| {
            syntax::parse(&tokens, run.options.std, &run.map, &mut run.diags)
        });
        drop(tokens);
        if self.observer.wants(Stage::Parse) {
            let text = format!("{unit:#?}\n");
            self.observer.dump(Stage::Parse, "ast", Dump::Text(text));
        }
        // After syntax errors the parsed part is still analysed, to report the errors in it.
        if self.observer.stop_after(Stage::Parse) {
            self.goes_on(Stage::Parse)?;
            return Ok(None);
        }
        let program: hir::Program = self.timed(Stage::Sema, |run| {
            sema::analyze(&unit, &mut run.map, run.options, run.target, &mut run.diags)
        });
        drop(unit);
        if self.observer.wants(Stage::Sema) {
            let text = program.to_string();
            self.observer.dump(Stage::Sema, "hir", Dump::Text(text));
        }
        if !self.goes_on(Stage::Sema)? {
            return Ok(None);
        }
        let relaxed = self.relaxed();
        let mut module = self.timed(Stage::LowerHir, |_| {
            lower_hir::lower_roots(&program, roots, relaxed)
        })?;
        drop(program);
        if self.target.checks.any() {
            self.hide_library(&mut module);
        }
        if self.observer.wants(Stage::LowerHir) {
            self.observer
                .dump(Stage::LowerHir, "ir", Dump::Text(module.to_string()));
        }
        if self.observer.hooks().verify_each {
            crate::verify::module(&module, crate::inv![Ssa], "lower_hir")?;
        }
        Ok(self.goes_on(Stage::LowerHir)?.then_some(module))
    }

    /// Removes the positions in the library of built-in functions. Inlining gives their instructions the position of the
    /// call, which is what a finding is about.
    fn hide_library(&self, module: &mut Module) {
        for (_, func) in module.funcs.iter_mut() {
            for (_, data) in func.insts.iter_mut() {
                if self.map.is_in_library(data.span) {
                    data.span = Span::NONE;
                }
            }
        }
    }

    /// Joins objects into one module.
    pub(super) fn joined(&mut self, objects: &[&Object]) -> Result<Module, Stop> {
        let modules: Vec<&Module> = objects.iter().map(|o| &o.module).collect();
        match self.timed(Stage::Link, |_| crate::link::join(&modules)) {
            Ok(module) => Ok(module),
            Err(e) => {
                self.diags.error(Span::NONE, e.to_string());
                Err(Stop::Reported)
            }
        }
    }

    /// Returns a position, or no position if it is in a file of another object, which the source map does not contain.
    fn known(&self, span: Span) -> Span {
        match (span.file.0 as usize) < self.map.len() {
            true => span,
            false => Span::NONE,
        }
    }

    /// Runs the passes and emits SPIR-V.
    pub(super) fn back(&mut self, mut module: Module) -> Staged<Vec<u32>> {
        self.timed(Stage::Passes, |run| run.passes(&mut module))?;
        if self.observer.wants(Stage::Passes) {
            self.observer
                .dump(Stage::Passes, "final", Dump::Text(module.to_string()));
        }
        if !self.goes_on(Stage::Passes)? {
            return Ok(None);
        }
        if let Some(span) = spirv::nested_too_deeply(&module) {
            let message = format!(
                "control flow is nested more than {} levels deep",
                spirv::MAX_DEPTH
            );
            self.diags.error(self.known(span), message);
            return Err(Stop::Reported);
        }
        let words = self.timed(Stage::Emit, |run| spirv::emit(&module, run.target))?;
        if self.observer.wants(Stage::Emit) {
            self.observer.dump(Stage::Emit, "spv", Dump::Words(words.clone()));
            if self.observer.wants_named(Stage::Emit, "reflect") {
                let reflection = match reflect::read(&words) {
                    Ok(r) => format!("{r:#?}\n"),
                    Err(e) => format!("{e}\n"),
                };
                self.observer.dump(Stage::Emit, "reflect", Dump::Text(reflection));
            }
        }
        Ok(Some(words))
    }

    fn passes(&mut self, module: &mut Module) -> Result<(), Stop> {
        let mut cx = PassCx::new(self.target, &mut self.diags);
        cx.hooks = self.observer.hooks();
        cx.sources = Some(&self.map);
        let done = pipeline::pipeline(self.target).run(module, &mut cx);
        let report = std::mem::take(&mut cx.report);
        for d in report.dumps {
            let when = if d.after { "after" } else { "before" };
            let name = format!("{:02}-{when}-{}", d.index, d.pass);
            self.observer.dump(Stage::Passes, &name, Dump::Text(d.text));
        }
        for (pass, time) in report.times {
            self.observer.time(Stage::Passes, Some(pass), time);
        }
        match done {
            Ok(()) => Ok(()),
            Err(PassError::Internal(e)) => Err(Stop::Internal(e)),
            Err(
                e @ (PassError::Unsupported { span, .. }
                | PassError::Undefined { span, .. }
                | PassError::Recursion { span, .. }
                | PassError::NotChecked { span, .. }
                | PassError::Format { span }
                | PassError::NotInAbi { span, .. }
                | PassError::TooLarge { span, .. }),
            ) => {
                self.diags.error(self.known(span), e.to_string());
                Err(Stop::Reported)
            }
        }
    }

    /// Ends a compilation to SPIR-V. A compilation that the observer has stopped has no words.
    pub(super) fn compiled(self, words: Staged<Vec<u32>>) -> Result<Compiled, Failed> {
        let (words, log) = self.end(words)?;
        Ok(Compiled {
            words: words.unwrap_or_default(),
            log,
        })
    }

    /// Ends a compilation to an object. The module is empty if the observer has stopped the compilation.
    pub(super) fn object(self, module: Staged<Module>) -> Result<Object, Failed> {
        let (module, log) = self.end(module)?;
        Ok(Object {
            module: module.unwrap_or_default(),
            log,
        })
    }

    /// Ends the compilation: returns its result, or the failure, with the build log.
    fn end<T>(mut self, result: Staged<T>) -> Result<(Option<T>, String), Failed> {
        let warned = self.diags.iter().any(|d| d.severity == Severity::Warning);
        if self.options.werror && warned && !self.options.no_warnings && !self.diags.has_errors() {
            self.diags.push(Diag::error(
                Span::NONE,
                "warnings are treated as errors (-Werror)",
            ));
        }
        if self.options.no_warnings {
            let mut kept = Diags::default();
            self.diags
                .iter()
                .filter(|d| d.severity != Severity::Warning)
                .for_each(|d| kept.push(d.clone()));
            self.diags = kept;
        }
        let mut log = self.diags.render(&self.map);
        match result {
            Ok(value) if !self.diags.has_errors() => Ok((value, log)),
            Ok(_) | Err(Stop::Reported) => Err(Failed { log, internal: false }),
            Err(Stop::Internal(e)) => {
                log.push_str(&format!("error: {e}\n"));
                Err(Failed { log, internal: true })
            }
        }
    }
}

/// Turns the payload of a panic into an internal error.
fn panicked(payload: &(dyn std::any::Any + Send)) -> InternalError {
    let message = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    InternalError::new("driver", format!("panic: {message}"))
}
