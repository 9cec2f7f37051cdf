//! Captures (`CALDERA_CAPTURE`): launches that are written to folders, each with everything that is necessary to execute it
//! again. `docs/capture.md` has the format.
//!
//! A launch is captured in the call that enqueues it: the call waits for the commands before it, reads the memory objects,
//! enqueues the launch, waits for it, and reads them again. So a launch that crashes or never ends leaves its folder, too,
//! without results. A launch that may access more than its arguments is refused, with the reason in the log: a capture is
//! complete, or there is none.

mod contents;
mod describe;
mod select;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::kernel::Range;
use crate::kernel::launch::ArgValue;
use crate::kernel::pipeline::DeviceKernel;
use crate::lock::{Mutex, Rank};
use crate::program::Program;
use crate::queue::{CommandQueue, Waits};
use contents::Objects;
use describe::Description;
pub(crate) use select::Selection;
use select::{Counts, Number};

/// The longest time that a capture waits for earlier commands that are not submitted. They may wait for an event that the thread
/// sets after the call.
const PATIENCE: Duration = Duration::from_secs(5);

/// A launch that is about to be enqueued.
#[derive(Copy, Clone)]
pub(crate) struct Launched<'a> {
    pub program: &'a Arc<Program>,
    pub kernel: &'a Arc<DeviceKernel>,
    pub queue: &'a Arc<CommandQueue>,
    /// The values of the arguments, and then the buffers that the kernel may access through addresses.
    pub args: &'a [ArgValue],
    pub range: &'a Range,
}

/// A capture whose launch is being enqueued.
pub(crate) struct Capture {
    label: String,
    folder: PathBuf,
    description: Description,
    objects: Objects,
}

/// The launches and captures so far.
struct Progress {
    counts: Option<Counts>,
    /// The bytes of memory objects that the captures so far may have, before and after their launches.
    bytes: u64,
}

static PROGRESS: Mutex<Progress> = Mutex::new(
    Rank::Cache,
    Progress {
        counts: None,
        bytes: 0,
    },
);

/// What comes of the launch of a capture.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Results {
    /// The launch is not complete.
    Unknown,
    /// The command failed.
    Failed,
    /// The contents of the memory objects have been read after the launch.
    Captured,
}

impl Results {
    fn word(self) -> &'static str {
        match self {
            Results::Unknown => "unknown",
            Results::Failed => "failed",
            Results::Captured => "captured",
        }
    }
}

/// Begins the capture of a launch, if it is selected: reads the memory objects, and writes all but the results.
pub(crate) fn begin(launch: &Launched<'_>, waits: Waits<'_>) -> Option<Capture> {
    let selection = launch.queue.context().captures()?;
    let name = &launch.kernel.reflection().name;
    let number = PROGRESS.lock().counts.get_or_insert_default().next(name);
    if !selection.has(name, number) {
        return None;
    }
    let label = format!("launch {} of kernel {name}", number.of_kernel);
    match Capture::new(selection, launch, number, waits, label.clone()) {
        Ok(capture) => Some(capture),
        Err(why) => {
            log::warn!("{label} is not captured: {why}");
            None
        }
    }
}

/// Notes that a launch is recorded into a command-buffer, whose launches are not captured.
pub(crate) fn recorded(kernel: &DeviceKernel, queue: &CommandQueue) {
    if queue.context().captures().is_some() {
        let name = &kernel.reflection().name;
        log::warn!("launches of kernel {name} in a command-buffer are not captured");
    }
}

/// Returns why a launch cannot be captured: it may access more than its arguments.
fn refusal(launch: &Launched<'_>) -> Option<&'static str> {
    let reflection = launch.kernel.reflection();
    if launch.args.iter().any(|a| matches!(a, ArgValue::Address(_))) {
        return Some("an argument is an address (shared virtual memory, or cl_ext_buffer_device_address)");
    }
    if launch.args.len() > reflection.args.len() {
        return Some("the application has named memory that the kernel accesses through pointers");
    }
    if reflection.any_memory {
        return Some("the kernel accesses memory through pointers that it loads or makes of numbers");
    }
    if reflection.variables {
        return Some("the kernel accesses program-scope variables, which keep values from launch to launch");
    }
    None
}

impl Capture {
    /// Begins the capture of a launch that is selected. The error says why that is not possible.
    fn new(
        selection: &Selection,
        launch: &Launched<'_>,
        number: Number,
        waits: Waits<'_>,
        label: String,
    ) -> Result<Capture, String> {
        if let Some(why) = refusal(launch) {
            return Err(why.into());
        }
        let objects = Objects::of(launch)?;
        // The contents before the launch and those after it.
        let bytes = 2 * objects.bytes();
        reserve(selection, bytes)?;
        Capture::prepare(selection, launch, number, waits, (label, objects)).inspect_err(|_| {
            // Nothing has been written.
            PROGRESS.lock().bytes -= bytes;
        })
    }

    /// Waits for the commands before the launch, reads the memory objects, and writes all but the results. If that fails, there is
    /// no folder.
    fn prepare(
        selection: &Selection,
        launch: &Launched<'_>,
        number: Number,
        waits: Waits<'_>,
        (label, mut objects): (String, Objects),
    ) -> Result<Capture, String> {
        let settled = launch.queue.settles_within(waits.list, PATIENCE);
        if !settled.map_err(|e| e.chain())? {
            let what = "commands before it, or events that it waits for, are not complete";
            return Err(format!("{what} after {} s", PATIENCE.as_secs()));
        }
        objects.read_before(launch.queue).map_err(|e| e.chain())?;
        let folder = make_folder(&selection.directory, &launch.kernel.reflection().name, number)?;
        let write = || -> Result<Description, String> {
            let description = Description::write(launch, number, &objects, &folder)?;
            objects.write_before(&folder)?;
            description.finish(&objects, Results::Unknown, &folder)?;
            Ok(description)
        };
        match write() {
            Ok(description) => Ok(Capture {
                label,
                folder,
                description,
                objects,
            }),
            Err(why) => {
                // An incomplete folder is worth nothing.
                let _ = std::fs::remove_dir_all(&folder);
                Err(why)
            }
        }
    }

    /// Waits for the launch, if it is enqueued, and writes its results.
    pub(crate) fn end(mut self, queue: &Arc<CommandQueue>, is_enqueued: bool) {
        let read = match is_enqueued {
            true => self.objects.read_after(queue).map_err(|e| e.chain()),
            false => Err("it could not be enqueued".into()),
        };
        let results = match &read {
            Ok(()) => Results::Captured,
            Err(_) => Results::Failed,
        };
        let written = match results {
            Results::Captured => self.objects.write_after(&self.folder),
            Results::Failed | Results::Unknown => Ok(()),
        };
        let written = written.and_then(|()| self.description.finish(&self.objects, results, &self.folder));
        let place = self.folder.display();
        match (read, written) {
            (Ok(()), Ok(())) => log::info!("{} is captured in {place}", self.label),
            (Err(why), Ok(())) => log::warn!("{} failed ({why}); {place} has no results", self.label),
            (_, Err(why)) => log::warn!("{} is not captured with its results: {why}", self.label),
        }
    }
}

/// Counts bytes of the contents of memory objects. Fails if that exceeds `CALDERA_CAPTURE_LIMIT`.
fn reserve(selection: &Selection, bytes: u64) -> Result<(), String> {
    let mut progress = PROGRESS.lock();
    let sum = progress.bytes.saturating_add(bytes);
    if sum > selection.limit {
        let (mib, limit) = (sum.div_ceil(1 << 20), selection.limit >> 20);
        return Err(format!(
            "the captures would have {mib} MiB of contents; CALDERA_CAPTURE_LIMIT is {limit}"
        ));
    }
    progress.bytes = sum;
    Ok(())
}

/// Makes the folder of a capture, whose name no other has.
fn make_folder(directory: &Path, kernel: &str, number: Number) -> Result<PathBuf, String> {
    let kernel: String = kernel
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .take(100)
        .collect();
    let name = format!("{kernel}-{}", number.of_kernel);
    std::fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    // Other processes, and earlier ones, may have captured launches with this name.
    for n in 1u32.. {
        let folder = directory.join(match n {
            1 => name.clone(),
            n => format!("{name}.{n}"),
        });
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(format!("{}: {e}", folder.display())),
        }
    }
    unreachable!("no directory has that many folders")
}

/// Writes a file of a capture.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}
