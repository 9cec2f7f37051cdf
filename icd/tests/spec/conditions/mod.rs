//! The error conditions that chapters 4 and 5 list, and those of extensions. Each has a row: clause, call, error, condition, and a call that
//! meets the condition, which must return that error. `icd/docs/error-conditions.md` counts the rows (`BLESS=1`
//! writes it).

mod command_buffers;
mod enqueue;
mod enqueue_images;
mod events;
mod external_memory;
mod images;
mod kernels;
mod memory;
mod objects;
mod order;
mod programs;
mod semaphores;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::common::*;
use world::World;

/// An error condition.
struct Row {
    section: &'static str,
    call: &'static str,
    error: &'static str,
    code: cl_int,
    when: &'static str,
    run: fn(&World) -> cl_int,
}

/// Makes the rows of one call: `rows!("5.1", clFlush, CL_ERROR "when" => |w| …, …)`.
macro_rules! rows {
    ($section:literal, $call:ident, $($error:ident $when:literal => $run:expr),* $(,)?) => {
        vec![$($crate::conditions::Row {
            section: $section,
            call: stringify!($call),
            error: stringify!($error),
            code: $error,
            when: $when,
            run: $run,
        }),*]
    };
}
use rows;

fn all() -> Vec<Row> {
    let mut all = Vec::new();
    all.extend(objects::rows());
    all.extend(memory::rows());
    all.extend(images::rows());
    all.extend(programs::rows());
    all.extend(kernels::rows());
    all.extend(enqueue::rows());
    all.extend(events::rows());
    all.extend(command_buffers::rows());
    all.extend(semaphores::rows());
    all.extend(external_memory::rows());
    all
}

#[test]
fn every_condition_gives_its_error() {
    let world = World::new();
    let mut wrong = String::new();
    for row in all() {
        let got = (row.run)(&world);
        if got != row.code {
            writeln!(
                wrong,
                "CL {} {}: {got}, not {} ({}): {}",
                row.section, row.call, row.error, row.code, row.when
            )
            .expect("a string");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The document has the number of tested conditions of each call.
#[test]
fn the_document_counts_them() {
    let mut calls: BTreeMap<(Vec<u32>, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    let rows = all();
    for row in &rows {
        let section = row
            .section
            .split('.')
            .map(|n| n.parse().expect("a number"))
            .collect();
        *calls
            .entry((section, row.call))
            .or_default()
            .entry(row.error)
            .or_default() += 1;
    }
    let mut text = format!(
        "# Error conditions\n\n\
         What `icd/tests/spec/conditions` meets, by call: {} conditions of {} calls. A condition that says «is not valid» of a \
         handle is met\nwith NULL, with garbage, with a handle of another type, and with an address inside of one. Generated: \
         `BLESS=1 cargo test -p caldera-icd --test spec`.\n\n\
         | clause | call | errors, and in how many ways |\n|---|---|---|\n",
        rows.len(),
        calls.len()
    );
    for ((section, call), errors) in &calls {
        let section: Vec<String> = section.iter().map(u32::to_string).collect();
        let errors: Vec<String> = errors
            .iter()
            .map(|(error, n)| {
                let error = error.trim_start_matches("CL_");
                if *n == 1 {
                    error.to_owned()
                } else {
                    format!("{error} ({n})")
                }
            })
            .collect();
        writeln!(text, "| {} | {call} | {} |", section.join("."), errors.join(", ")).expect("a string");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/error-conditions.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &text).expect("the document");
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == text,
        "{path} is not current: BLESS=1 cargo test -p caldera-icd --test spec"
    );
}
