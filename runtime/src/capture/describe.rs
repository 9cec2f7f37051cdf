//! `launch.json`, which describes a captured launch, and the files of its program.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use super::contents::{Object, Objects, Part, Place, What, file};
use super::select::Number;
use super::{Launched, Results, write};
use crate::kernel::launch::ArgValue;
use crate::observe::json::{array, string};
use crate::program::recipe::{self, PartInput, Recipe};

/// The version of the format.
const FORMAT: u32 = 1;

/// The text of `launch.json` up to the memory objects, whose contents are known later.
pub(super) struct Description(String);

/// Appends a member of an object, whose value is a text.
fn text(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, ",\"{name}\":");
    string(out, value);
}

/// Appends a member of an object, whose value is a number.
fn number(out: &mut String, name: &str, value: impl Into<u64>) {
    let _ = write!(out, ",\"{name}\":{}", value.into());
}

/// Appends a member of an object, whose value is a list.
fn list<T>(
    out: &mut String,
    name: &str,
    items: impl IntoIterator<Item = T>,
    element: impl FnMut(&mut String, T),
) {
    let _ = write!(out, ",\"{name}\":");
    array(out, items, element);
}

/// Appends an object with the member `kind` and others.
fn object(out: &mut String, kind: &str, members: impl FnOnce(&mut String)) {
    out.push_str("{\"kind\":");
    string(out, kind);
    members(out);
    out.push('}');
}

/// Returns bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

impl Description {
    /// Describes a launch, and writes the files of its program.
    pub(super) fn write(
        launch: &Launched<'_>,
        numbers: Number,
        objects: &Objects,
        folder: &Path,
    ) -> Result<Description, String> {
        let (device, range) = (launch.queue.device(), launch.range);
        let info = device.info();
        let mut out = format!("{{\"format\":{FORMAT}");
        text(&mut out, "caldera", env!("CARGO_PKG_VERSION"));
        text(&mut out, "device", &info.name);
        text(&mut out, "driver", &info.driver_version);
        text(&mut out, "kernel", &launch.kernel.reflection().name);
        number(&mut out, "number", numbers.of_kernel);
        number(&mut out, "number_of_all", numbers.of_all);
        let used = range.work_dim as usize;
        let sizes = [
            ("offset", Some(range.offset)),
            ("global", Some(range.global)),
            ("local", range.local),
        ];
        for (name, sizes) in sizes {
            if let Some(sizes) = sizes {
                list(&mut out, name, &sizes[..used], |out, n| {
                    let _ = write!(out, "{n}");
                });
            }
        }
        out.push_str(",\"program\":");
        program(&mut out, launch, folder)?;
        let args = launch.kernel.reflection().args.iter().zip(launch.args);
        list(
            &mut out,
            "arguments",
            args.zip(&objects.places),
            |out, ((arg, value), place)| {
                argument(out, value, *place, |out| {
                    let Some(info) = &arg.info else { return };
                    text(out, "name", &info.name);
                    if let Some(ty) = &info.type_name {
                        text(out, "type", ty);
                    }
                });
            },
        );
        Ok(Description(out))
    }

    /// Writes `launch.json` with the memory objects.
    pub(super) fn finish(&self, objects: &Objects, results: Results, folder: &Path) -> Result<(), String> {
        let mut out = self.0.clone();
        list(
            &mut out,
            "memory",
            objects.iter().enumerate(),
            |out, (index, object)| {
                memory(out, index, object, results);
            },
        );
        text(&mut out, "results", results.word());
        out.push_str("}\n");
        // The file always describes a whole capture, even if the process ends now.
        write(folder, "launch.json.new", out.as_bytes())?;
        let (new, path) = (folder.join("launch.json.new"), folder.join("launch.json"));
        std::fs::rename(&new, &path).map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// Appends an argument; `more` appends its name and type.
fn argument(out: &mut String, value: &ArgValue, place: Option<Place>, more: impl FnOnce(&mut String)) {
    match (value, place) {
        (_, Some(Place::Part(part))) => object(out, "buffer", |out| {
            range(out, part);
            more(out);
        }),
        (_, Some(Place::Image(index))) => object(out, "image", |out| {
            number(out, "memory", index as u64);
            more(out);
        }),
        (ArgValue::Pod(bytes), None) => object(out, "value", |out| {
            text(out, "bytes", &hex(bytes.bytes()));
            more(out);
        }),
        (ArgValue::Local(size), None) => object(out, "local", |out| {
            number(out, "size", *size as u64);
            more(out);
        }),
        (ArgValue::Sampler(sampler), None) => object(out, "sampler", |out| {
            number(out, "normalized", sampler.normalized);
            number(out, "addressing", sampler.addressing as u32);
            number(out, "filter", sampler.filter as u32);
            more(out);
        }),
        // `Objects::of` refuses addresses and finds the objects of the others; a launch has no argument that is unset.
        (ArgValue::Buffer(_) | ArgValue::Unset | ArgValue::Address(_) | ArgValue::Image { .. }, None) => {
            object(out, "null", more)
        }
    }
}

/// Appends the members of a range of a buffer.
fn range(out: &mut String, part: Part) {
    number(out, "memory", part.memory as u64);
    number(out, "offset", part.offset);
    number(out, "size", part.size);
}

/// Appends a memory object.
fn memory(out: &mut String, index: usize, of: &Object, results: Results) {
    let contents = |out: &mut String| {
        text(out, "before", &file(index, "before"));
        if results == Results::Captured && of.is_changed() {
            text(out, "after", &file(index, "after"));
        }
    };
    let (image, part) = match &of.what {
        What::Buffer(buffer) => {
            return object(out, "buffer", |out| {
                number(out, "flags", buffer.flags().bits());
                number(out, "size", buffer.size());
                contents(out);
            });
        }
        What::Image(image) => (image, None),
        What::OfBuffer(image, part) => (image, Some(*part)),
    };
    object(out, "image", |out| {
        number(out, "flags", image.flags().bits());
        number(out, "type", image.image_type() as u32);
        number(out, "order", image.format().order() as u32);
        number(out, "data", image.format().data() as u32);
        list(out, "size", image.size(), |out, n| {
            let _ = write!(out, "{n}");
        });
        match part {
            None => contents(out),
            Some(part) => {
                number(out, "row_pitch", image.row_pitch());
                out.push_str(",\"buffer\":{\"kind\":\"buffer\"");
                range(out, part);
                out.push('}');
            }
        }
    });
}

/// Appends the program, and writes its files.
fn program(out: &mut String, launch: &Launched<'_>, folder: &Path) -> Result<(), String> {
    let device = launch.queue.device();
    let (options, recipe) = launch.program.recipe(device);
    let Some(recipe) = recipe else {
        let devices = launch.program.devices().iter();
        let binary = devices
            .zip(launch.program.binaries())
            .find(|(d, _)| Arc::ptr_eq(d, device));
        let (_, bytes) = binary.ok_or("the program is not built for the device")?;
        write(folder, "program.bin", &bytes)?;
        object(out, "binary", |out| {
            text(out, "options", &options);
            text(out, "file", "program.bin");
        });
        return Ok(());
    };
    let Recipe { parts, linked } = &*recipe;
    let kind = if *linked { "linked" } else { "built" };
    let mut written = Ok(());
    object(out, kind, |out| {
        text(out, "options", &options);
        list(out, "parts", parts.iter().enumerate(), |out, (index, one)| {
            if written.is_ok() {
                written = part(out, index, one, folder);
            }
        });
    });
    written
}

/// Appends a part of a program, and writes its files.
fn part(out: &mut String, index: usize, of: &recipe::Part, folder: &Path) -> Result<(), String> {
    let (kind, name, bytes) = match &of.input {
        PartInput::Source(bytes) => ("source", format!("program{index}.cl"), bytes),
        PartInput::Il(bytes, _) => ("il", format!("program{index}.spv"), bytes),
    };
    write(folder, &name, bytes)?;
    // A header without a guard is found several times.
    let files: BTreeMap<&str, &[u8]> = of.files.iter().map(|f| (&*f.path, &*f.contents)).collect();
    let named = |what: &'static str| move |n: usize| format!("program{index}.{what}{n}");
    let headers = of.headers.iter().map(|(name, bytes)| (&**name, &**bytes));
    let headers: Vec<_> = with_files(headers, named("header")).collect();
    let files: Vec<_> = with_files(files.into_iter(), named("include")).collect();
    for (_, name, bytes) in headers.iter().chain(&files) {
        write(folder, name, bytes)?;
    }
    object(out, kind, |out| {
        text(out, "options", &of.options);
        text(out, "file", &name);
        let pairs = |out: &mut String, name: &str, all: &[(&str, String, &[u8])]| {
            list(out, name, all, |out, (name, file, _)| {
                out.push_str("{\"name\":");
                string(out, name);
                text(out, "file", file);
                out.push('}');
            });
        };
        pairs(out, "headers", &headers);
        pairs(out, "includes", &files);
        list(out, "directories", &of.directories, |out, dir| string(out, dir));
        if let PartInput::Il(_, constants) = &of.input {
            list(out, "constants", constants, |out, (id, value)| {
                let _ = write!(out, "{{\"id\":{id}");
                text(out, "bytes", &hex(value));
                out.push('}');
            });
        }
    });
    Ok(())
}

/// Gives each text a file.
fn with_files<'a>(
    texts: impl Iterator<Item = (&'a str, &'a [u8])>,
    file: impl Fn(usize) -> String,
) -> impl Iterator<Item = (&'a str, String, &'a [u8])> {
    texts
        .enumerate()
        .map(move |(n, (name, bytes))| (name, file(n), bytes))
}
