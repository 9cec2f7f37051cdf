//! The pass manager: passes are plain functions with one descriptor each, in one ordered list ([`pipeline`]).
//!
//! A pass is a file with a `const PASS: Pass` and a function `run`. The descriptor states the [`Invariant`](verify::Invariant)s
//! that must hold before the pass ([`Pass::requires`]), those that hold after it ([`Pass::establishes`]) and
//! those that the pass may break ([`Pass::destroys`]). The verifier can check each of them. [`Pipeline`]
//! asserts when the list is *built* that every requirement is met, so that a wrong order fails a unit test
//! and not a kernel.
//!
//! Only the manager prints, times, skips, bisects and verifies. The caller requests these actions in
//! [`Hooks`] (the compiler never reads the environment) and finds their results in [`Report`].
//!
//! To read: this file, then [`pipeline`], which says why each pass stands where it stands, then a small pass such as
//! [`zero_private`] with its file tests, then [`analysis`]. The modules below are listed by purpose. `docs/passes.md` has
//! one sentence for each pass, `docs/adding-a-pass.md` tells how to add one, and `docs/gains.md` what those for speed have
//! gained.

// The order of the passes.
pub mod pipeline;

// Questions about functions that passes ask; no passes.
pub mod analysis;

// Transformations of loops that several passes share; no passes.
mod counter;
pub mod guard;

// What the passes that check kernels share; no passes.
mod shadow;
mod sites;

// Simplification: what any compiler does.
pub mod const_fold;
pub mod cse;
pub mod dce;
pub mod forward_memory;
pub mod hoist_common;
pub mod hoist_invariants;
pub mod inline;
pub mod mem2reg;
pub mod promote_accumulators;
pub mod simplify_integers;
pub mod simplify_regions;
pub mod solve_loops;
pub mod sroa;
pub mod unroll_counted;
pub mod unrotate_loops;

// What makes kernels quicker on GPUs, or on CPUs (`share_loads`, `pair_words`).
pub mod batch_loads;
pub mod choose_shifts;
pub mod fuse_dot_products;
pub mod fuse_multiply_add;
pub mod gather_stores;
pub mod interleave;
pub mod isolate_loop_memory;
pub mod keep_loops;
pub mod merge_accesses;
pub mod merge_private;
pub mod narrow_divisions;
pub mod pair_words;
pub mod permute_bytes;
pub mod scale_indices;
pub mod share_addresses;
pub mod share_loads;
pub mod share_offsets;
pub mod sink_loads;
pub mod speculate_loads;
pub mod split_rotations;
pub mod widen_accesses;

// Lowering: each pass removes something that Vulkan, or the device, cannot express.
pub mod divide_subgroups;
pub mod gather_pointer_uses;
pub mod lower_exits;
pub mod lower_generic;
pub mod lower_images;
pub mod lower_int64;
pub mod lower_kernel_args;
pub mod lower_long_vectors;
pub mod lower_matrices;
pub mod lower_memory;
pub mod lower_printf;
pub mod lower_system_values;
pub mod resolve_generic;
pub mod scratch_memory;
pub mod select_arithmetic;
pub mod zero_private;

// Faults of drivers (ADR 7).
pub mod carry_exit_values;
pub mod divide_doubles;
pub mod guard_loops;
pub mod hide_operands;
pub mod limit_nesting;
pub mod report_ended_loops;
pub mod round_doubles;
pub mod scalarize_integers;
pub mod unroll_loops;
pub mod widen_integers;

// Checks: of kernels while they run (`CALDERA_CHECK`), and of the final module.
pub mod check_arithmetic;
pub mod check_barrier;
pub mod check_copies;
pub mod check_matrices;
pub mod check_memory;
pub mod check_nesting;
pub mod check_race;
pub mod check_uninitialized;
pub mod report_findings;

use crate::diag::{Diags, InternalError};
use crate::inv;
use crate::ir::{EntityRef, Func, Module};
use crate::source::{SourceMap, Span};
use crate::target::Target;
use crate::verify::{self, Invariants};
use std::time::{Duration, Instant};

/// Whether a pass changed the module.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Changed {
    No,
    Yes,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Self {
        if changed { Changed::Yes } else { Changed::No }
    }
}

/// Why a module cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// A fault of the compiler.
    #[error(transparent)]
    Internal(#[from] InternalError),
    /// The device cannot do what the program asks for.
    #[error("{feature} is not supported by the device: it needs {needs}")]
    Unsupported {
        feature: String,
        span: Span,
        needs: String,
    },
    /// A function is called that no linked object defines.
    #[error("undefined reference to '{name}'")]
    Undefined { name: String, span: Span },
    /// Functions call each other in a circle (CL 1.2 6.9.i).
    #[error("recursion is not supported: '{name}' calls itself")]
    Recursion { name: String, span: Span },
    /// The module has no device addresses and uses something that only they make possible.
    #[error("{what}: the descriptor ABI cannot express it ({why})")]
    NotInAbi {
        what: String,
        why: &'static str,
        span: Span,
    },
    /// The format of a call of printf is computed when the program runs (OpenCL C 3.0, 6.15.14.2).
    #[error("the format of printf is no string that is known at compile time")]
    Format { span: Span },
    /// A check of kernels does not know something that the program uses.
    #[error("kernels with {what} cannot be checked; build the program without checks")]
    NotChecked { what: &'static str, span: Span },
    /// The program exceeds a limit of this compiler.
    #[error("{what} exceeds the limit of {limit}")]
    TooLarge { what: String, limit: u64, span: Span },
}

/// The descriptor of a pass, for the manager and the documentation.
#[derive(Copy, Clone)]
pub struct Pass {
    /// Name of the file, of the test directory, and in messages.
    pub name: &'static str,
    /// One sentence for `docs/passes.md`.
    pub about: &'static str,
    /// Transforms the module, and returns whether it changed.
    pub run: fn(&mut Module, &mut PassCx<'_>) -> Result<Changed, PassError>,
    /// Invariants that must hold before the pass.
    pub requires: Invariants,
    /// Invariants that hold after the pass.
    pub establishes: Invariants,
    /// Invariants that may no longer hold after the pass.
    pub destroys: Invariants,
}

/// The environment of a running pass: everything besides the module that it may look at.
#[derive(Debug)]
pub struct PassCx<'a> {
    /// The device and the ABI for which the module is compiled.
    pub target: &'a Target,
    /// Receives warnings for the build log.
    pub diags: &'a mut Diags,
    /// The files that positions are in, for what kernels report.
    pub sources: Option<&'a SourceMap>,
    /// What the manager prints, skips and checks.
    pub hooks: Hooks,
    /// What the manager has observed.
    pub report: Report,
    /// The functions that the passes of a fixpoint no longer change.
    pub settled: Settled,
}

/// Tracks the functions of a fixpoint that none of its passes changes any more. The passes look at one
/// function at a time, so a function is settled once it has stayed the same for as many passes in a row as
/// the fixpoint has.
#[derive(Debug, Default)]
pub struct Settled {
    /// For each function, the number of passes since the last one that changed it. Empty outside of
    /// fixpoints.
    quiet: Vec<usize>,
    /// The number of passes in a row that must leave a function alone before it counts as settled.
    enough: usize,
}

impl Settled {
    fn start(functions: usize, passes: usize) -> Self {
        Settled {
            quiet: vec![0; functions],
            enough: passes,
        }
    }
    /// Returns the state for another list of `passes` passes, with the same functions settled and no other.
    fn followed_by(&self, passes: usize) -> Self {
        let done = |&n: &usize| if n >= self.enough { passes } else { 0 };
        Settled {
            quiet: self.quiet.iter().map(done).collect(),
            enough: passes,
        }
    }
    /// Returns whether a pass may skip a function.
    pub fn contains(&self, f: Func) -> bool {
        self.quiet.get(f.index()).is_some_and(|&n| n >= self.enough)
    }
    /// Records whether a pass that looked at a function changed it, and returns `changed`.
    pub fn note(&mut self, f: Func, changed: bool) -> bool {
        if let Some(quiet) = self.quiet.get_mut(f.index()) {
            *quiet = if changed { 0 } else { *quiet + 1 };
        }
        changed
    }
}

impl<'a> PassCx<'a> {
    /// Creates an environment with the default hooks.
    pub fn new(target: &'a Target, diags: &'a mut Diags) -> Self {
        PassCx {
            target,
            diags,
            sources: None,
            hooks: Hooks::default(),
            report: Report::default(),
            settled: Settled::default(),
        }
    }
}

/// A selection of passes by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Select {
    #[default]
    /// No pass.
    None,
    /// Every pass.
    All,
    /// The passes with these names.
    Names(Vec<String>),
}

impl Select {
    fn matches(&self, name: &str) -> bool {
        match self {
            Select::None => false,
            Select::All => true,
            Select::Names(names) => names.iter().any(|n| n == name),
        }
    }
}

/// What the manager does around passes.
#[derive(Clone, Debug)]
pub struct Hooks {
    /// The passes before which the module is written to [`Report::dumps`].
    pub print_before: Select,
    /// The passes after which the module is written to [`Report::dumps`].
    pub print_after: Select,
    /// The passes that are left out. [`Pipeline::refuses_to_skip`] says which cannot be.
    pub skip: Select,
    /// The number of passes after which the pipeline stops (bisection).
    pub limit: Option<usize>,
    /// Whether the module is verified after each pass that changed something, and not only at the end.
    pub verify_each: bool,
    /// Whether the time of each pass is measured.
    pub time: bool,
    /// Whether `inline` keeps all functions that it can keep, however small they are. Tests then need no large functions.
    pub keep_functions: bool,
}

impl Default for Hooks {
    /// Returns hooks that do nothing but verify after each pass in debug builds.
    fn default() -> Self {
        Hooks {
            print_before: Select::None,
            print_after: Select::None,
            skip: Select::None,
            limit: None,
            verify_each: cfg!(debug_assertions),
            time: false,
            keep_functions: false,
        }
    }
}

/// The module as text before or after a pass.
#[derive(Clone, Debug)]
pub struct Dump {
    /// Number of the pass in the order of execution, from 0.
    pub index: usize,
    /// Name of the pass.
    pub pass: &'static str,
    /// Whether the text is that of the module after the pass.
    pub after: bool,
    /// The module in text form.
    pub text: String,
}

/// The observations of the manager in one run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The texts that [`Hooks`] asked for, in order.
    pub dumps: Vec<Dump>,
    /// The name of each executed pass and its time, in order of execution; empty unless `Hooks::time` is set.
    pub times: Vec<(&'static str, Duration)>,
    /// Number of passes executed.
    pub executed: usize,
    /// The names of the executions that changed the module, in order.
    pub changed: Vec<&'static str>,
    /// The fixpoints that ended because they reached their bound.
    pub unsettled: Vec<&'static str>,
}

enum Step {
    Run(Pass),
    Fixpoint { name: &'static str, passes: Vec<Pass> },
    While { first: Pass, passes: Vec<Pass> },
}

impl Step {
    /// Returns the passes in order.
    fn passes(&self) -> impl Iterator<Item = &Pass> {
        let (first, others) = match self {
            Step::Run(first) => (Some(first), &[][..]),
            Step::Fixpoint { passes, .. } => (None, &passes[..]),
            Step::While { first, passes } => (Some(first), &passes[..]),
        };
        first.into_iter().chain(others)
    }
}

/// The number of rounds after which a fixpoint ends even if its passes still change something. Each pass
/// leaves a module of the same meaning, so the result is correct, only not as simple as it could be;
/// [`Report::unsettled`] then names the fixpoint.
const MAX_ROUNDS: usize = 24;

/// An ordered list of passes.
pub struct Pipeline {
    steps: Vec<Step>,
    held: Invariants,
    profile: Invariants,
}

impl Default for Pipeline {
    fn default() -> Self {
        Pipeline::starting_with(inv![Ssa])
    }
}

impl Pipeline {
    /// Creates an empty list for modules of which `held` holds.
    pub fn starting_with(held: Invariants) -> Self {
        Pipeline {
            steps: Vec::new(),
            held,
            profile: held,
        }
    }

    /// Asserts that the requirements of a pass are met at the end of the list, and updates the invariants
    /// that hold there.
    fn account(&mut self, pass: &Pass) {
        let missing = pass.requires.minus(self.held);
        assert!(
            missing.is_empty(),
            "pass {} needs {missing:?} and stands where only {:?} holds",
            pass.name,
            self.held
        );
        self.held = self.held.minus(pass.destroys).plus(pass.establishes);
    }

    /// Appends a pass. Panics if its requirements are not met, as do the other functions that append passes.
    pub fn run_pass(&mut self, pass: Pass) -> &mut Self {
        self.account(&pass);
        self.steps.push(Step::Run(pass));
        self
    }

    /// Appends passes that are repeated until none of them changes anything, up to a bound.
    pub fn fixpoint(&mut self, name: &'static str, passes: &[Pass]) -> &mut Self {
        for pass in passes {
            self.account(pass);
        }
        self.steps.push(Step::Fixpoint {
            name,
            passes: passes.to_vec(),
        });
        self
    }

    /// Appends a pass, `first`, that is followed by others, each of which runs once on the functions that
    /// `first` changed. All of this is repeated as long as `first` changes a function.
    pub fn while_changed(&mut self, first: Pass, passes: &[Pass]) -> &mut Self {
        self.account(&first);
        for pass in passes {
            self.account(pass);
        }
        self.steps.push(Step::While {
            first,
            passes: passes.to_vec(),
        });
        self
    }

    /// Ends the list. `profile` is what must hold of the result. Panics if the passes do not establish it.
    #[must_use]
    pub fn finish(mut self, profile: Invariants) -> Self {
        let missing = profile.minus(self.held);
        assert!(missing.is_empty(), "the pipeline does not establish {missing:?}");
        self.profile = profile;
        self
    }

    /// Returns why passes cannot be left out: the first of them that establishes what a later pass or the emission of
    /// SPIR-V requires.
    pub fn refuses_to_skip(&self, skip: &Select) -> Option<String> {
        let mut held = inv![Ssa];
        let mut skipped: Vec<&Pass> = Vec::new();
        let refusal = |skipped: &[&Pass], missing: Invariants, by: &str| {
            let culprit = skipped.iter().find(|p| missing.minus(p.establishes) != missing)?;
            Some(format!(
                "{} cannot be left out: {by} requires what it establishes",
                culprit.name
            ))
        };
        for pass in self.steps.iter().flat_map(Step::passes) {
            if skip.matches(pass.name) {
                skipped.push(pass);
                continue;
            }
            let missing = pass.requires.minus(held);
            if !missing.is_empty() {
                return refusal(&skipped, missing, pass.name);
            }
            held = held.minus(pass.destroys).plus(pass.establishes);
        }
        refusal(&skipped, self.profile.minus(held), "the emission of SPIR-V")
    }

    /// Runs all passes, and verifies the result. Returns the first error of a pass or of the verifier.
    pub fn run(&self, module: &mut Module, cx: &mut PassCx<'_>) -> Result<(), PassError> {
        if let Some(refusal) = self.refuses_to_skip(&cx.hooks.skip) {
            return Err(InternalError::new("the pass manager", refusal).into());
        }
        let mut run = Run {
            held: inv![Ssa],
            stopped: false,
            version: 0,
            idle: Vec::new(),
            whole: true,
        };
        for step in &self.steps {
            match step {
                Step::Run(pass) => {
                    let _ = run.pass(pass, module, cx)?;
                }
                Step::Fixpoint { name, passes } => {
                    let all = Settled::start(module.funcs.len(), passes.len());
                    run.fixpoint(name, passes, all, module, cx)?;
                }
                Step::While { first, passes } => run.while_changed(first, passes, module, cx)?,
            }
        }
        let profile = if run.stopped { run.held } else { self.profile };
        verify::module(module, profile, "the pipeline")?;
        Ok(())
    }

    /// Returns the distinct passes in order of first appearance.
    pub fn passes(&self) -> Vec<Pass> {
        let mut list: Vec<Pass> = Vec::new();
        for step in &self.steps {
            for p in step.passes() {
                if list.iter().all(|q| q.name != p.name) {
                    list.push(*p);
                }
            }
        }
        list
    }
}

/// The state of one run of a pipeline.
struct Run {
    held: Invariants,
    /// Whether the limit of [`Hooks::limit`] was reached.
    stopped: bool,
    /// The number of times that a pass has changed the module.
    version: usize,
    /// The passes that have left the module unchanged, with the version that they have seen. A pass sees
    /// nothing but the module and the target, so it would leave the same version unchanged again.
    idle: Vec<(&'static str, usize)>,
    /// Whether a pass that leaves the module unchanged would do so if it looked at all functions.
    whole: bool,
}

impl Run {
    /// Runs one pass with its hooks. Returns `Changed::No` without running it if it is skipped or the limit
    /// is reached.
    fn pass(&mut self, pass: &Pass, module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
        let index = cx.report.executed;
        if cx.hooks.limit.is_some_and(|n| index >= n) {
            self.stopped = true;
            return Ok(Changed::No);
        }
        if cx.hooks.skip.matches(pass.name) {
            return Ok(Changed::No);
        }
        if self.idle.contains(&(pass.name, self.version)) {
            if cx.hooks.verify_each && (pass.run)(module, cx)? == Changed::Yes {
                let message = format!("{} changes a module that it left unchanged before", pass.name);
                return Err(InternalError::new("the pass manager", message).into());
            }
            self.held = self.held.minus(pass.destroys).plus(pass.establishes);
            return Ok(Changed::No);
        }
        if cx.hooks.print_before.matches(pass.name) {
            dump(module, cx, index, pass.name, false);
        }
        let start = cx.hooks.time.then(Instant::now);
        let changed = (pass.run)(module, cx)?;
        if let Some(start) = start {
            cx.report.times.push((pass.name, start.elapsed()));
        }
        cx.report.executed += 1;
        if changed == Changed::Yes {
            cx.report.changed.push(pass.name);
            self.version += 1;
        } else if self.whole {
            self.idle.push((pass.name, self.version));
        }
        self.held = self.held.minus(pass.destroys).plus(pass.establishes);
        if cx.hooks.print_after.matches(pass.name) {
            dump(module, cx, index, pass.name, true);
        }
        if cx.hooks.verify_each && (changed == Changed::Yes || !pass.establishes.is_empty()) {
            verify::module(module, self.held, pass.name)?;
        }
        Ok(changed)
    }

    /// Runs a [`Step::While`].
    fn while_changed(
        &mut self,
        first: &Pass,
        passes: &[Pass],
        module: &mut Module,
        cx: &mut PassCx<'_>,
    ) -> Result<(), PassError> {
        let mut changed = Settled::start(module.funcs.len(), 1);
        for _ in 0..MAX_ROUNDS {
            // One execution of `first` that leaves a function alone settles that function.
            cx.settled = changed;
            let again = self.pass(first, module, cx)?;
            changed = std::mem::take(&mut cx.settled);
            if again == Changed::No {
                return Ok(());
            }
            cx.settled = changed.followed_by(passes.len());
            self.whole = false;
            for pass in passes {
                let _ = self.pass(pass, module, cx)?;
            }
            self.whole = true;
            cx.settled = Settled::default();
        }
        cx.report.unsettled.push(first.name);
        Ok(())
    }

    /// Runs a [`Step::Fixpoint`]. `start` holds the functions that are settled already.
    fn fixpoint(
        &mut self,
        name: &'static str,
        passes: &[Pass],
        start: Settled,
        module: &mut Module,
        cx: &mut PassCx<'_>,
    ) -> Result<(), PassError> {
        // The fixpoint is reached once as many passes in a row as it has left the module unchanged.
        let mut quiet = 0;
        cx.settled = start;
        for _ in 0..MAX_ROUNDS {
            for pass in passes {
                if self.pass(pass, module, cx)? == Changed::Yes {
                    quiet = 0;
                } else {
                    quiet += 1;
                }
                if quiet >= passes.len() {
                    cx.settled = Settled::default();
                    return Ok(());
                }
            }
        }
        cx.settled = Settled::default();
        cx.report.unsettled.push(name);
        Ok(())
    }
}

fn dump(module: &Module, cx: &mut PassCx<'_>, index: usize, pass: &'static str, after: bool) {
    cx.report.dumps.push(Dump {
        index,
        pass,
        after,
        text: module.to_string(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixpoint_that_does_not_converge_ends_and_says_so() {
        const RESTLESS: Pass = Pass {
            name: "restless",
            about: "",
            run: |_, _| Ok(Changed::Yes),
            requires: inv![],
            establishes: inv![],
            destroys: inv![],
        };
        let mut pipeline = Pipeline::default();
        pipeline.fixpoint("round and round", &[RESTLESS]);
        let pipeline = pipeline.finish(inv![Ssa]);
        let target = Target::desktop();
        let mut diags = Diags::default();
        let mut cx = PassCx::new(&target, &mut diags);
        pipeline.run(&mut Module::default(), &mut cx).expect("no error");
        assert_eq!(cx.report.executed, MAX_ROUNDS);
        assert_eq!(cx.report.unsettled, ["round and round"]);
    }
}
