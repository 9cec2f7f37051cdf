//! Which kernels allow several work-groups to run as one (`spirv/pack.rs`), and that the modules are valid.

mod common;

use caldera_compiler::check::Checks;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{self, Packing};
use caldera_compiler::spirv::check as check_module;
use caldera_compiler::target::{SubgroupLayout, Target};
use common::validate;

/// The packing by specialization constants.
const CONSTANTS: Option<Packing> = Some(Packing::Constants([5, 6, 7]));

fn words(source: &str, target: &Target) -> Vec<u32> {
    let input = Input {
        name: "k.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = compile(&input, target).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    validate(&compiled.words, target.spirv);
    check_module(&compiled.words, Some(target)).expect("it is accepted");
    compiled.words
}

/// Returns the packing of the kernel `k`, which all targets of the physical ABI must agree on.
fn packing(source: &str) -> Option<Packing> {
    let mut target = Target::desktop();
    target.packs_groups = true;
    let mut without_views = target.clone();
    without_views.features.workgroup_layout = false;
    let mut faulty = Target::faulty();
    faulty.packs_groups = true;
    let mut flat = faulty.clone();
    flat.subgroup_layout = SubgroupLayout::Unknown;
    let mut old = target.clone();
    old.spirv.minor = 3;
    let all = [target, without_views, faulty, flat, old].map(|target| {
        let words = words(source, &target);
        let reflection = reflect::read(&words).expect("own reflection is readable");
        let kernel = reflection.kernels.iter().find(|k| k.name == "k");
        kernel.expect("the kernel").packing
    });
    assert!(all.iter().all(|p| *p == all[0]), "{source}: {all:?}");
    all[0]
}

#[test]
fn kernels_that_do_not_cooperate_are_packed() {
    for body in [
        "p[get_global_id(0)] = get_local_id(0);",
        "p[get_global_id(0)] = get_group_id(0) + get_num_groups(1);",
        "local int s[16]; s[get_local_id(0)] = p[0]; p[get_global_id(0)] = s[get_local_id(0)];",
        "local uint s[16]; s[get_local_id(0)] = 0; local uchar *b = (local uchar *)s;
         for (int i = 0; i < n; i++) b[i] = i + b[p[i] & 15]; p[get_global_id(0)] = s[get_local_id(0)];",
        "a[get_local_id(0)] = n; p[get_global_id(0)] = a[n];",
        // The result of an atomic operation is not used, or not in a loop.
        "for (int i = 0; i < n; i++) atomic_inc(&p[i]); p[0] = get_local_id(0);",
        "int i = atomic_inc(p); p[i] = get_local_id(0);",
        // It decides what an iteration does, but not whether there is another one.
        "for (int i = 0; i < n; i++) if (a[i] == p[i]) { if (atomic_inc(&p[i]) == 0) p[n] = i; }",
        "for (int i = 0; i < n; i++) { int found = -1; for (int j = 0; j < 8; j++) if (a[j] == i) { found = j; break; }
         if (found >= 0 && atomic_inc(&p[found]) == 0) p[n] = i; } p[n + 1] = get_local_id(0);",
        "for (int i = 0; i < n; i++) { if (a[i] == 0) continue; atomic_add(&p[a[i]], atomic_inc(&p[i])); }",
        "if (get_group_id(0) == 3) return; while (p[n] != n) n = p[n]; p[get_local_id(0)] = n;",
    ] {
        let source = format!("kernel void k(global int *p, int n, local int *a) {{ {body} }}");
        assert_eq!(packing(&source), CONSTANTS, "{body}");
        let source = source.replace("kernel", "__attribute__((reqd_work_group_size(4, 2, 1))) kernel");
        assert_eq!(packing(&source), CONSTANTS, "{body}");
        let other =
            format!("{source} kernel void other(global int *p) {{ barrier(3); p[get_local_id(0)] = 1; }}");
        assert_eq!(packing(&other), CONSTANTS, "{body}");
    }
}

#[test]
fn a_kernel_that_does_not_see_its_groups_gets_another_size() {
    for body in [
        "p[get_global_id(0)] = n;",
        "for (int i = 0; i < n; i++) atomic_inc(&p[i]);",
    ] {
        let source = format!("kernel void k(global int *p, int n) {{ {body} }}");
        assert_eq!(packing(&source), Some(Packing::Size), "{body}");
    }
}

#[test]
fn kernels_whose_work_items_may_wait_are_not_packed() {
    for body in [
        // Locks.
        "while (atomic_cmpxchg(p, 0, 1) != 0) ; p[1]++; atomic_xchg(p, 0);",
        "while (atomic_xchg(p, 1)) ; p[get_local_id(0)]++; atomic_xchg(p, 0);",
        "int mine = atomic_inc(p); while (atomic_add(p + 1, 0) != mine) ; atomic_inc(p + 1);",
        "local int lock; while (atomic_xchg(&lock, 1)) ; p[0]++; atomic_xchg(&lock, 0);",
        "for (int done = 0; !done;) if (!atomic_cmpxchg(p, 0, 1)) { p[1]++; atomic_xchg(p, 0); done = 1; }",
        "for (int i = 0; i < n; i++) { int j; for (j = 0; j < 8; j++) if (atomic_xchg(&p[j], 1) == 0) break;
         if (j == 8) i--; }",
        "for (int i = 0;;) { do { if (atomic_xchg(p, 1)) break; p[1]++; i = 1; } while (0); if (i) break; }",
        "for (;;) { if (atomic_cmpxchg(p, 0, 1) == 0) return; }",
        "int state = 0; while (state < 2) { int old = atomic_or(p, 2); switch (old) { case 1: state = 2; break; default: break; } }",
        // A loop that waits for a plain value, with an atomic operation in it.
        "while (p[1] == 0) atomic_inc(p);",
        // Volatile values and fences.
        "volatile global int *v = p; while (v[0] == 0) ; p[get_local_id(0)] = 1;",
        "volatile local int s[8]; s[get_local_id(0)] = n; p[get_local_id(0)] = s[n & 7];",
        "while (p[0] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE);",
        // Barriers, also in functions, and copies by the whole group.
        "local int s[8]; s[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE); p[n] = s[n & 7];",
        "local int s[8]; event_t e = async_work_group_copy(s, p, 8, 0); wait_group_events(1, &e); p[n] = s[n & 7];",
        "p[n] = sub_group_reduce_add(n);",
        "p[n] = get_sub_group_local_id();",
        "printf(\"%d\\n\", n);",
    ] {
        let source = format!("kernel void k(global int *p, int n) {{ {body} }}");
        assert_eq!(packing(&source), None, "{body}");
    }
}

#[test]
fn other_targets_are_as_before() {
    let source = "kernel void k(global int *p) { p[get_global_id(0)] = get_local_id(0); }";
    let plain = words(source, &Target::desktop());
    let read = |words: &[u32]| reflect::read(words).expect("own reflection is readable").kernels[0].packing;
    assert_eq!(read(&plain), None);
    assert_eq!(read(&words(source, &Target::clspv())), None);
    let mut target = Target::desktop();
    target.packs_groups = true;
    target.checks = Checks::parse("all").expect("checks");
    assert_eq!(read(&words(source, &target)), None);
    // A host of the descriptor ABI may multiply the size, but cannot set the constants.
    let mut target = Target::clspv();
    target.packs_groups = true;
    assert_eq!(read(&words(source, &target)), None);
}

/// The instruction survives the rewriting of a module's reflection.
#[test]
fn the_reflection_is_written_again() {
    let mut target = Target::desktop();
    target.packs_groups = true;
    let source = "kernel void k(global int *p) { p[get_global_id(0)] = get_local_id(0); }
        kernel void l(global int *p) { p[get_global_id(0)] = 1; }";
    let words = words(source, &target);
    let reflection = reflect::read(&words).expect("own reflection is readable");
    let packings: Vec<_> = reflection.kernels.iter().map(|k| k.packing).collect();
    assert_eq!(packings, [CONSTANTS, Some(Packing::Size)]);
    let again = reflect::write(&words, &reflection).expect("it can be written");
    assert_eq!(reflect::read(&again).expect("it is readable"), reflection);
}
