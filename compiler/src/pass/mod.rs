//! The pass manager: plain functions, one descriptor each, one ordered list ([`pipeline`]).
//!
//! A pass is a file with a `const PASS: Pass` and a function `run`. It states what must hold before it
//! ([`Pass::requires`]), what holds after it ([`Pass::establishes`]) and what it undoes ([`Pass::destroys`]),
//! in terms of [`Invariant`]s that the verifier can check. [`Pipeline`] asserts when the list is *built* that
//! each requirement is held, so that a wrong order fails a unit test and not a kernel.
//!
//! The manager alone prints, times, skips, bisects and verifies; what of it is wanted, the caller says in
//! [`Hooks`] (the compiler never reads the environment), and what came of it is in [`Report`].

pub mod analysis;
pub mod batch_loads;
pub mod carry_exit_values;
pub mod check_nesting;
pub mod const_fold;
mod counter;
pub mod cse;
pub mod dce;
pub mod effects;
pub mod facts;
pub mod forward_memory;
pub mod fuse_multiply_add;
pub mod gather_pointer_uses;
pub mod guard;
pub mod hoist_invariants;
pub mod inline;
pub mod interleave;
pub mod lower_exits;
pub mod lower_images;
pub mod lower_kernel_args;
pub mod lower_long_vectors;
pub mod lower_memory;
pub mod lower_printf;
pub mod lower_system_values;
pub mod mem2reg;
pub mod merge_accesses;
pub mod pair_words;
pub mod pipeline;
pub mod pointers;
pub mod points_to;
pub mod promote_accumulators;
pub mod round_doubles;
pub mod scratch_memory;
pub mod share_loads;
pub mod share_offsets;
pub mod simplify_integers;
pub mod simplify_regions;
pub mod sroa;
pub mod trip_count;
pub mod uniformity;
pub mod unroll_counted;
pub mod unroll_loops;
pub mod widen_accesses;

use crate::diag::{Diags, InternalError};
use crate::ir::{EntityRef, Func, Module};
use crate::source::Span;
use crate::target::Target;
use crate::verify;
use std::time::{Duration, Instant};

/// A property of a whole module. `verify` knows how to check each.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Invariant {
    /// What [`crate::ir`] promises of every module.
    Ssa,
    /// The functions are exactly the kernels, in the order of `kernels`; there are no calls.
    Inlined,
    /// Kernels have no parameters: arguments are read from the spaces `Push` and `Args`; `abi` is filled in.
    KernelArgs,
    /// Of the work-item functions only those remain that Vulkan has.
    SystemValues,
    /// Of image reads only those remain that Vulkan has.
    Images,
    /// No value has more than 4 lanes.
    NoLongVectors,
    /// Memory is accessed as its address format says; see `lower_memory`.
    ExplicitMemory,
    /// Exits and repeats are those that SPIR-V can say; see [`lower_exits`].
    SpirvExits,
}

impl Invariant {
    /// All of them, in order.
    pub const ALL: [Invariant; 8] = [
        Invariant::Ssa,
        Invariant::Inlined,
        Invariant::KernelArgs,
        Invariant::SystemValues,
        Invariant::Images,
        Invariant::NoLongVectors,
        Invariant::ExplicitMemory,
        Invariant::SpirvExits,
    ];
}

/// A set of [`Invariant`]s.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub struct Invariants(u32);

impl Invariants {
    /// The set of these.
    pub const fn of(list: &[Invariant]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Invariants(bits)
    }
    /// Whether one is in the set.
    pub fn contains(self, one: Invariant) -> bool {
        self.0 & (1 << one as u32) != 0
    }
    /// Those of `self` that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Invariants) -> Self {
        Invariants(self.0 & !other.0)
    }
    /// Those in either.
    #[must_use]
    pub fn plus(self, other: Invariants) -> Self {
        Invariants(self.0 | other.0)
    }
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The members in order.
    pub fn iter(self) -> impl Iterator<Item = Invariant> {
        Invariant::ALL.into_iter().filter(move |&i| self.contains(i))
    }
}

impl std::fmt::Debug for Invariants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// `inv![Ssa, Inlined]`: a constant set of invariants.
#[macro_export]
macro_rules! inv {
    ($($name:ident),* $(,)?) => {
        $crate::pass::Invariants::of(&[$($crate::pass::Invariant::$name),*])
    };
}

/// Whether a pass did anything.
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
    /// The compiler's fault.
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
    /// Functions that call each other in a circle (OpenCL 1.2 6.9.i).
    #[error("recursion is not supported: '{name}' calls itself")]
    Recursion { name: String, span: Span },
    /// Something that only device addresses make possible, in a module without them.
    #[error("{what}: the descriptor ABI cannot express it ({why})")]
    NotInAbi {
        what: String,
        why: &'static str,
        span: Span,
    },
    /// A limit of this compiler.
    #[error("{what} exceeds the limit of {limit}")]
    TooLarge { what: String, limit: u64, span: Span },
}

/// A pass: what the manager and the documentation need to know of it.
#[derive(Copy, Clone)]
pub struct Pass {
    /// File, printed name and test directory.
    pub name: &'static str,
    /// One sentence for `docs/passes.md`.
    pub about: &'static str,
    pub run: fn(&mut Module, &mut PassCx<'_>) -> Result<Changed, PassError>,
    pub requires: Invariants,
    pub establishes: Invariants,
    /// Invariants that may no longer hold afterwards.
    pub destroys: Invariants,
}

/// What a pass may look at besides the module.
#[derive(Debug)]
pub struct PassCx<'a> {
    pub target: &'a Target,
    pub diags: &'a mut Diags,
    /// What to print, skip and check.
    pub hooks: Hooks,
    /// What the manager saw.
    pub report: Report,
    /// Which functions a fixpoint is done with.
    pub settled: Settled,
}

/// Functions that none of a fixpoint's passes changes any more. Those passes look at one function at a time, so
/// each function is done when it did not change for as many passes in a row as there are.
#[derive(Debug, Default)]
pub struct Settled {
    /// How many passes left each function alone since the last that did not. Empty outside of fixpoints.
    quiet: Vec<usize>,
    enough: usize,
}

impl Settled {
    fn start(functions: usize, passes: usize) -> Self {
        Settled {
            quiet: vec![0; functions],
            enough: passes,
        }
    }
    /// The same functions for so many passes.
    fn followed_by(&self, passes: usize) -> Self {
        let done = |&n: &usize| if n >= self.enough { passes } else { 0 };
        Settled {
            quiet: self.quiet.iter().map(done).collect(),
            enough: passes,
        }
    }
    /// Whether a pass need not look at a function.
    pub fn contains(&self, f: Func) -> bool {
        self.quiet.get(f.index()).is_some_and(|&n| n >= self.enough)
    }
    /// States whether a pass that looked at a function changed it; returns that.
    pub fn note(&mut self, f: Func, changed: bool) -> bool {
        if let Some(quiet) = self.quiet.get_mut(f.index()) {
            *quiet = if changed { 0 } else { *quiet + 1 };
        }
        changed
    }
}

impl<'a> PassCx<'a> {
    /// Without hooks.
    pub fn new(target: &'a Target, diags: &'a mut Diags) -> Self {
        PassCx {
            target,
            diags,
            hooks: Hooks::default(),
            report: Report::default(),
            settled: Settled::default(),
        }
    }
}

/// Names of passes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Select {
    #[default]
    None,
    All,
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

/// What the manager shall do around passes.
#[derive(Clone, Debug)]
pub struct Hooks {
    pub print_before: Select,
    pub print_after: Select,
    pub skip: Select,
    /// Stop after so many passes (bisection).
    pub limit: Option<usize>,
    /// Verify after each pass that changed something, not only at the end.
    pub verify_each: bool,
    pub time: bool,
}

impl Default for Hooks {
    /// Verifies after each pass in debug builds; nothing else.
    fn default() -> Self {
        Hooks {
            print_before: Select::None,
            print_after: Select::None,
            skip: Select::None,
            limit: None,
            verify_each: cfg!(debug_assertions),
            time: false,
        }
    }
}

/// The module as text before or after a pass.
#[derive(Clone, Debug)]
pub struct Dump {
    /// Number of the pass in the order of execution.
    pub index: usize,
    pub pass: &'static str,
    /// Whether the pass had run.
    pub after: bool,
    pub text: String,
}

/// What the manager saw.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub dumps: Vec<Dump>,
    /// Pass and time, in order of execution, if asked for.
    pub times: Vec<(&'static str, Duration)>,
    /// Passes executed.
    pub executed: usize,
    /// The executions that changed something: their names, in order.
    pub changed: Vec<&'static str>,
    /// Fixpoints that ended because of their bound.
    pub unsettled: Vec<&'static str>,
}

enum Step {
    Run(Pass),
    Fixpoint { name: &'static str, passes: Vec<Pass> },
    While { first: Pass, passes: Vec<Pass> },
}

/// Rounds after which a fixpoint ends even if its passes still change something. Each pass leaves a module that
/// means the same, so the result is right, only not as simple as it could be; [`Report::unsettled`] names it.
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
    /// An empty list for modules of which this holds.
    pub fn starting_with(held: Invariants) -> Self {
        Pipeline {
            steps: Vec::new(),
            held,
            profile: held,
        }
    }

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

    /// Appends a pass.
    pub fn run_pass(&mut self, pass: Pass) -> &mut Self {
        self.account(&pass);
        self.steps.push(Step::Run(pass));
        self
    }

    /// Appends passes that are repeated until none of them changes anything.
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

    /// Appends a pass that is followed by others, once each, in the functions that it changed, as long as it
    /// changes any.
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

    /// Ends the list: what must hold of the result.
    #[must_use]
    pub fn finish(mut self, profile: Invariants) -> Self {
        let missing = profile.minus(self.held);
        assert!(missing.is_empty(), "the pipeline does not establish {missing:?}");
        self.profile = profile;
        self
    }

    /// Runs all passes.
    pub fn run(&self, module: &mut Module, cx: &mut PassCx<'_>) -> Result<(), PassError> {
        let mut run = Run {
            held: inv![Ssa],
            skipped: false,
            stopped: false,
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
        let profile = match (run.skipped, run.stopped) {
            (true, _) => inv![Ssa],
            (false, true) => run.held,
            (false, false) => self.profile,
        };
        verify::module(module, profile, "the pipeline")?;
        Ok(())
    }

    /// The distinct passes in order of first appearance.
    pub fn passes(&self) -> Vec<Pass> {
        let mut list: Vec<Pass> = Vec::new();
        for step in &self.steps {
            let passes = match step {
                Step::Run(pass) => vec![*pass],
                Step::Fixpoint { passes, .. } => passes.clone(),
                Step::While { first, passes } => [&[*first], &passes[..]].concat(),
            };
            for p in &passes {
                if list.iter().all(|q| q.name != p.name) {
                    list.push(*p);
                }
            }
        }
        list
    }
}

/// State of one run.
struct Run {
    held: Invariants,
    /// A pass was left out, so that others may not have found what they require.
    skipped: bool,
    /// The limit was reached.
    stopped: bool,
}

impl Run {
    fn pass(&mut self, pass: &Pass, module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
        let index = cx.report.executed;
        if cx.hooks.limit.is_some_and(|n| index >= n) {
            self.stopped = true;
            return Ok(Changed::No);
        }
        if cx.hooks.skip.matches(pass.name) {
            self.skipped = true;
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
        }
        self.held = self.held.minus(pass.destroys).plus(pass.establishes);
        if cx.hooks.print_after.matches(pass.name) {
            dump(module, cx, index, pass.name, true);
        }
        if cx.hooks.verify_each && (changed == Changed::Yes || !pass.establishes.is_empty()) {
            let held = if self.skipped { inv![Ssa] } else { self.held };
            verify::module(module, held, pass.name)?;
        }
        Ok(changed)
    }

    fn while_changed(
        &mut self,
        first: &Pass,
        passes: &[Pass],
        module: &mut Module,
        cx: &mut PassCx<'_>,
    ) -> Result<(), PassError> {
        let mut changed = Settled::start(module.funcs.len(), 1);
        for _ in 0..MAX_ROUNDS {
            // One that leaves a function alone once is done with it.
            cx.settled = changed;
            let again = self.pass(first, module, cx)?;
            changed = std::mem::take(&mut cx.settled);
            if again == Changed::No {
                return Ok(());
            }
            cx.settled = changed.followed_by(passes.len());
            for pass in passes {
                let _ = self.pass(pass, module, cx)?;
            }
            cx.settled = Settled::default();
        }
        cx.report.unsettled.push(first.name);
        Ok(())
    }

    fn fixpoint(
        &mut self,
        name: &'static str,
        passes: &[Pass],
        start: Settled,
        module: &mut Module,
        cx: &mut PassCx<'_>,
    ) -> Result<(), PassError> {
        // A pass need not run again if nothing else changed the module since it last did.
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
