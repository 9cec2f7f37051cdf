//! If two errors apply to a call, it returns the one that the specification lists first.
//!
//! Each call has a list of faults in the specification's order. The test makes every pair of faults that do not
//! concern the same argument. `icd/docs/error-order.md` lists the exceptions.

mod buffers;
mod images;
mod objects;

use std::ffi::c_void;
use std::fmt::Write;
use std::ptr::{null, null_mut};

use super::world::{RGBA8, SIZE, World, desc, host};
use crate::common::*;
use crate::{cl, created};

/// The arguments of all calls. A call uses some of them.
struct Args {
    queue: cl_command_queue,
    context: cl_context,
    a: cl_mem,
    b: cl_mem,
    kernel: cl_kernel,
    program: cl_program,
    event: cl_event,
    offset: usize,
    size: usize,
    flags: u64,
    number: u32,
    ptr: *mut c_void,
    /// An origin and a region.
    place: [[usize; 3]; 2],
    pitch: usize,
    list: Vec<cl_event>,
    /// The number of events, if it differs from the length of the list.
    count: Option<u32>,
    format: cl_image_format,
    devices: Vec<cl_device_id>,
}

impl Args {
    fn new(w: &World) -> Args {
        Args {
            queue: w.s.queue,
            context: w.s.context,
            a: w.buffer,
            b: w.second,
            kernel: w.kernel,
            program: w.program,
            event: w.done,
            offset: 0,
            size: 64,
            flags: 0,
            number: 0,
            ptr: host(),
            place: [[0; 3], [8, 8, 1]],
            pitch: 0,
            list: Vec::new(),
            count: None,
            format: RGBA8,
            devices: Vec::new(),
        }
    }

    fn of_images(w: &World) -> Args {
        Args {
            a: w.image,
            b: w.image_second,
            ..Args::new(w)
        }
    }

    fn list(&self) -> (cl_uint, *const cl_event) {
        let list = if self.list.is_empty() {
            null()
        } else {
            self.list.as_ptr()
        };
        (self.count.unwrap_or(self.list.len() as cl_uint), list)
    }

    fn place(&self) -> (*const usize, *const usize) {
        (self.place[0].as_ptr(), self.place[1].as_ptr())
    }
}

/// Bits for the arguments that a fault concerns. This is the bit of the queue.
const Q: u32 = 1;
const A: u32 = 2;
const B: u32 = 4;
const RANGE: u32 = 8;
const PTR: u32 = 16;
const LIST: u32 = 32;
const FLAGS: u32 = 64;
const NUMBER: u32 = 128;
const PITCH: u32 = 256;
const FORMAT: u32 = 512;

struct Fault {
    name: &'static str,
    code: cl_int,
    on: u32,
    make: fn(&World, &mut Args),
}

struct Call {
    name: &'static str,
    args: fn(&World) -> Args,
    run: fn(&Args) -> cl_int,
    faults: Vec<Fault>,
}

/// Makes a list of faults: `ERROR ARGUMENTS => |w, a| change of the arguments`.
macro_rules! faults {
    ($($error:ident $on:expr => |$w:ident, $a:ident| $make:expr),* $(,)?) => {
        vec![$(Fault { name: stringify!($error), code: $error, on: $on, make: |$w, $a| { let _ = $w; $make; } }),*]
    };
}
use faults;

/// Returns an invalid handle.
fn none() -> *mut c_void {
    std::ptr::without_provenance_mut(0xDEAD_BEE8)
}

fn broken_list(_: &World, a: &mut Args) {
    a.count = Some(1);
}

fn all() -> Vec<Call> {
    let mut all = vec![
        buffers::transfer(false),
        buffers::transfer(true),
        objects::arguments(),
    ];
    all.extend(buffers::rectangles());
    all.extend(buffers::copies());
    all.extend(buffers::mappings());
    all.extend(images::image_transfers());
    all.extend(images::image_copies());
    all.extend(objects::executions());
    all.extend(objects::objects());
    all
}

#[test]
fn the_first_of_two_errors_is_given() {
    let world = World::new();
    let mut wrong = String::new();
    let mut pairs = 0;
    for call in all() {
        let whole = (call.run)(&(call.args)(&world));
        if whole != CL_SUCCESS {
            writeln!(wrong, "{}: {whole} without a fault", call.name).expect("a string");
        }
        for (i, first) in call.faults.iter().enumerate() {
            for second in call.faults[i..]
                .iter()
                .filter(|s| std::ptr::eq(*s, first) || s.on & first.on == 0)
            {
                let mut args = (call.args)(&world);
                (second.make)(&world, &mut args);
                (first.make)(&world, &mut args);
                let got = (call.run)(&args);
                pairs += 1;
                if got != first.code {
                    writeln!(
                        wrong,
                        "{}: {} and {} give {got}",
                        call.name, first.name, second.name
                    )
                    .expect("a string");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {pairs}:\n{wrong}");
    assert!(pairs > 400, "{pairs}");
}
