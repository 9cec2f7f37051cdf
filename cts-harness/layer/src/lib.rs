//! A layer for OpenCL loaders (`OPENCL_LAYERS`): it times every launch of an unchanged program by the launch's
//! event, and digests everything that the program reads back.
//!
//! ```text
//! entry    the functions that replace those of the implementation: pass the call on, then tell the record
//! next     the functions of the implementation, and queries about its objects
//! names    what a kernel object stands for: the name, the source and the options
//! record   launches and reads until they are complete, and their sums
//! memory   host memory that a command has filled
//! digest   a hash, and a sketch from which the distance between two results can be estimated
//! report   the record as text
//! ```
//!
//! The layer adds no synchronisation: it keeps the events of commands, and asks for their times after calls in which
//! the program itself has waited. `CALDERA_LAYER_OUT` names the folder for its report; without it, the layer does
//! nothing. `cargo harness zoo` runs programs with this layer; see `docs/zoo.md` of the harness.
#![deny(unsafe_code)]

mod digest;
mod entry;
mod memory;
mod names;
mod next;
mod record;
mod report;
