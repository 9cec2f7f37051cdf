//! Commands: the operations that a queue executes.
//!
//! `Command` is a closed enum on purpose: adding a variant makes the compiler list every place that must know
//! about it. A command is recorded into the queue's open batch at once; only a command that depends on
//! something that the GPU cannot wait for is kept as a value until it can be recorded.

pub(crate) mod buffer;
pub(crate) mod fill;
pub(crate) mod hand_over;
pub(crate) mod image;
pub(crate) mod map;
pub mod rect;
pub(crate) mod replay;
pub mod request;
pub(crate) mod semaphores;
pub(crate) mod transfer;

use crate::error::Result;
use crate::kernel::launch::{ArgValue, Launch, Plain};
use crate::mem::MemObject;
use crate::mem::claim::Claim;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::queue::Recording;

/// A range of host addresses: the first one, and the one after the last.
pub(crate) type HostRange = (usize, usize);

/// CL_EVENT_COMMAND_TYPE.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum CommandType {
    /// CL_COMMAND_NDRANGE_KERNEL.
    NdRangeKernel = 0x11F0,
    /// CL_COMMAND_TASK.
    Task = 0x11F1,
    /// CL_COMMAND_NATIVE_KERNEL.
    NativeKernel = 0x11F2,
    /// CL_COMMAND_READ_BUFFER.
    ReadBuffer = 0x11F3,
    /// CL_COMMAND_WRITE_BUFFER.
    WriteBuffer = 0x11F4,
    /// CL_COMMAND_COPY_BUFFER.
    CopyBuffer = 0x11F5,
    /// CL_COMMAND_READ_IMAGE.
    ReadImage = 0x11F6,
    /// CL_COMMAND_WRITE_IMAGE.
    WriteImage = 0x11F7,
    /// CL_COMMAND_COPY_IMAGE.
    CopyImage = 0x11F8,
    /// CL_COMMAND_COPY_IMAGE_TO_BUFFER.
    CopyImageToBuffer = 0x11F9,
    /// CL_COMMAND_COPY_BUFFER_TO_IMAGE.
    CopyBufferToImage = 0x11FA,
    /// CL_COMMAND_MAP_BUFFER.
    MapBuffer = 0x11FB,
    /// CL_COMMAND_MAP_IMAGE.
    MapImage = 0x11FC,
    /// CL_COMMAND_UNMAP_MEM_OBJECT.
    UnmapMemObject = 0x11FD,
    /// CL_COMMAND_MARKER.
    Marker = 0x11FE,
    /// CL_COMMAND_READ_BUFFER_RECT.
    ReadBufferRect = 0x1201,
    /// CL_COMMAND_WRITE_BUFFER_RECT.
    WriteBufferRect = 0x1202,
    /// CL_COMMAND_COPY_BUFFER_RECT.
    CopyBufferRect = 0x1203,
    /// CL_COMMAND_USER.
    User = 0x1204,
    /// CL_COMMAND_BARRIER.
    Barrier = 0x1205,
    /// CL_COMMAND_MIGRATE_MEM_OBJECTS.
    MigrateMemObjects = 0x1206,
    /// CL_COMMAND_FILL_BUFFER.
    FillBuffer = 0x1207,
    /// CL_COMMAND_FILL_IMAGE.
    FillImage = 0x1208,
    /// CL_COMMAND_SVM_FREE.
    SvmFree = 0x1209,
    /// CL_COMMAND_SVM_MEMCPY.
    SvmMemcpy = 0x120A,
    /// CL_COMMAND_SVM_MEMFILL.
    SvmMemFill = 0x120B,
    /// CL_COMMAND_SVM_MAP.
    SvmMap = 0x120C,
    /// CL_COMMAND_SVM_UNMAP.
    SvmUnmap = 0x120D,
    /// CL_COMMAND_SVM_MIGRATE_MEM.
    SvmMigrateMem = 0x120E,
    /// CL_COMMAND_MEMFILL_INTEL.
    UsmMemFill = 0x4204,
    /// CL_COMMAND_MEMCPY_INTEL.
    UsmMemcpy = 0x4205,
    /// CL_COMMAND_MIGRATEMEM_INTEL.
    UsmMigrateMem = 0x4206,
    /// CL_COMMAND_MEMADVISE_INTEL.
    UsmMemAdvise = 0x4207,
    /// CL_COMMAND_COMMAND_BUFFER_KHR.
    CommandBuffer = 0x12A8,
    /// CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR.
    AcquireExternalMemObjects = 0x2047,
    /// CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR.
    ReleaseExternalMemObjects = 0x2048,
    /// CL_COMMAND_SEMAPHORE_WAIT_KHR.
    SemaphoreWait = 0x2042,
    /// CL_COMMAND_SEMAPHORE_SIGNAL_KHR.
    SemaphoreSignal = 0x2043,
}

/// A command of its type, which has passed all checks except that of its wait list.
pub struct Prepared {
    pub(crate) kind: CommandType,
    pub(crate) command: Command,
}

impl Prepared {
    /// Returns a command of this type that does nothing. In an out-of-order queue it is ordered by its wait list only.
    pub fn nothing(kind: CommandType) -> Prepared {
        Prepared {
            kind,
            command: Command::Replay(replay::Replay::default()),
        }
    }
}

/// A command that owns everything that it needs.
pub(crate) enum Command {
    NdRange {
        launch: Box<Launch>,
        args: Vec<ArgValue>,
    },
    Transfer(transfer::Transfer),
    Copy(buffer::Copy),
    Fill(fill::Fill),
    Map(map::Map),
    Unmap(map::Unmap),
    CopyImage(image::ImageToImage),
    ImageToBuffer(image::ImageAndBuffer),
    BufferToImage(image::ImageAndBuffer),
    FillImage(image::FillImage),
    MapImage(image::MapImage),
    UnmapImage(image::MapImage),
    /// Completes when all earlier commands are complete.
    Marker,
    /// Like a marker, but later commands wait for it.
    Barrier,
    /// Moves contents to the queue's device. With `undefined`, the contents need not be kept, so nothing is
    /// moved.
    Migrate {
        objects: Vec<MemObject>,
        undefined: bool,
    },
    /// Transfers ownership from or to other APIs.
    HandOver(hand_over::HandOver),
    /// Waits for semaphores of other APIs, or signals them.
    Semaphores(semaphores::Semaphores),
    /// Executes a command-buffer. Without commands, it does nothing but wait for its list.
    Replay(replay::Replay),
}

impl Command {
    /// Returns the host addresses that the command copies from when it is recorded.
    pub(crate) fn host_source(&self) -> Option<HostRange> {
        match self {
            Command::Transfer(c) => c.write.then(|| c.host_range()),
            Command::Unmap(c) => c.host_source(),
            Command::UnmapImage(c) => c.host_source(),
            Command::NdRange { .. }
            | Command::Copy(_)
            | Command::Fill(_)
            | Command::Map(_)
            | Command::CopyImage(_)
            | Command::ImageToBuffer(_)
            | Command::BufferToImage(_)
            | Command::FillImage(_)
            | Command::MapImage(_)
            | Command::Marker
            | Command::Barrier
            | Command::Migrate { .. }
            | Command::HandOver(_)
            | Command::Semaphores(_)
            | Command::Replay(_) => None,
        }
    }

    /// Returns the host addresses of a mapping that the command ends: from then on, the GPU reads the memory
    /// there.
    pub(crate) fn ended_mapping(&self) -> Option<HostRange> {
        match self {
            Command::Unmap(c) => c.ended_mapping(),
            Command::UnmapImage(c) => c.ended_mapping(),
            Command::NdRange { .. }
            | Command::Transfer(_)
            | Command::Copy(_)
            | Command::Fill(_)
            | Command::Map(_)
            | Command::CopyImage(_)
            | Command::ImageToBuffer(_)
            | Command::BufferToImage(_)
            | Command::FillImage(_)
            | Command::MapImage(_)
            | Command::Marker
            | Command::Barrier
            | Command::Migrate { .. }
            | Command::HandOver(_)
            | Command::Semaphores(_)
            | Command::Replay(_) => None,
        }
    }

    /// Returns how the command uses the contents of memory objects.
    pub(crate) fn touches(&self) -> Vec<Touch> {
        match self {
            Command::NdRange { launch, args } => launch.touches(args),
            Command::Transfer(c) => vec![c.touch()],
            Command::Copy(c) => c.touches().into(),
            Command::Fill(c) => vec![c.rows.touch(&c.buffer, Use::Replace)],
            Command::Map(c) => c.touch().into_iter().collect(),
            Command::Unmap(c) => c.touch().into_iter().collect(),
            Command::CopyImage(c) => vec![Touch::image(&c.src, Use::Read), image::written(&c.dst, &c.to)],
            Command::ImageToBuffer(c) => c.touches(false).into(),
            Command::BufferToImage(c) => c.touches(true).into(),
            Command::FillImage(c) => vec![image::written(&c.image, &c.texels)],
            Command::MapImage(c) => c.touch(false).into_iter().collect(),
            Command::UnmapImage(c) => c.touch(true).into_iter().collect(),
            Command::Migrate { objects, undefined } => {
                let how = if *undefined { Use::Replace } else { Use::Read };
                objects.iter().map(|o| Touch::whole(o, how)).collect()
            }
            Command::Marker | Command::Barrier | Command::Semaphores(_) => Vec::new(),
            Command::HandOver(c) => c.touches(),
            Command::Replay(c) => c.touches(),
        }
    }

    /// Returns the claim that excludes commands of other devices; `device` is the queue's.
    pub(crate) fn claim(&self, device: usize) -> Claim {
        let place = match self {
            Command::Unmap(c) => c.place(device),
            _ => device,
        };
        Claim::new(self.touches(), place)
    }

    /// Records the command.
    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        match self {
            Command::NdRange { launch, args } => launch.record(args, r),
            Command::Transfer(c) => c.record(r),
            Command::Copy(c) => c.record(r),
            Command::Fill(c) => c.record(r),
            Command::Map(c) => c.record(r),
            Command::Unmap(c) => c.record(r),
            Command::CopyImage(c) => c.record(r),
            Command::ImageToBuffer(c) => c.record(false, r),
            Command::BufferToImage(c) => c.record(true, r),
            Command::FillImage(c) => c.record(r),
            Command::MapImage(c) => c.record(false, r),
            Command::UnmapImage(c) => c.record(true, r),
            // The event completes with the batch, after all earlier commands.
            Command::Marker | Command::Barrier | Command::Migrate { .. } => Ok(()),
            Command::HandOver(c) => c.record(r),
            Command::Semaphores(c) => {
                c.record(r);
                Ok(())
            }
            Command::Replay(c) => c.record(r),
        }
    }

    /// Returns the number of commands that this one stands for.
    pub(crate) fn weight(&self) -> u32 {
        match self {
            Command::Replay(c) => c.weight(),
            _ => 1,
        }
    }

    /// Returns the number of bytes that the command copies or fills. The bytes of a copy count once.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Command::Transfer(c) => c.size(),
            Command::Copy(c) => c.region.iter().product(),
            Command::Fill(c) => c.rows.width * c.rows.count,
            Command::Map(c) if c.fetch && c.window.is_apart() => c.rows.width * c.rows.count,
            Command::Unmap(c) if c.write && c.window.is_apart() => c.rows.width * c.rows.count,
            Command::CopyImage(c) => c.src.bytes_of(c.from.region),
            Command::ImageToBuffer(c) | Command::BufferToImage(c) => c.image.bytes_of(c.texels.region),
            Command::FillImage(c) => c.image.bytes_of(c.texels.region),
            Command::MapImage(c) | Command::UnmapImage(c) if c.copy => c.image.bytes_of(c.texels.region),
            Command::NdRange { .. }
            | Command::Map(_)
            | Command::Unmap(_)
            | Command::MapImage(_)
            | Command::UnmapImage(_)
            | Command::Marker
            | Command::Barrier
            | Command::Migrate { .. }
            | Command::HandOver(_)
            | Command::Semaphores(_)
            | Command::Replay(_) => 0,
        }
    }
}

/// A command during its enqueue call. Launches are borrowed, so that the usual case allocates nothing.
#[allow(
    clippy::large_enum_variant,
    reason = "boxing the launch is what this type avoids"
)]
pub(crate) enum Incoming<'a> {
    Launch {
        launch: &'a Launch,
        args: &'a [ArgValue],
    },
    Command(Command),
}

impl Incoming<'_> {
    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        match self {
            Incoming::Launch { launch, args } => launch.record(args, r),
            Incoming::Command(c) => c.record(r),
        }
    }

    /// Returns the launch, if it needs nothing but a pipeline and push constants.
    #[inline]
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        match self {
            Incoming::Launch { launch, .. } => launch.plain(),
            Incoming::Command(_) => None,
        }
    }

    /// Returns how the command uses memory objects, as [`Command::touches`] does.
    pub(crate) fn touches(&self) -> Vec<Touch> {
        match self {
            Incoming::Launch { launch, args } => launch.touches(args),
            Incoming::Command(c) => c.touches(),
        }
    }

    /// Returns the claim, as [`Command::claim`] does.
    pub(crate) fn claim(&self, device: usize) -> Claim {
        match self {
            Incoming::Launch { launch, args } => Claim::new(launch.touches(args), device),
            Incoming::Command(c) => c.claim(device),
        }
    }

    /// Returns the number of commands that this one stands for.
    #[inline]
    pub(crate) fn weight(&self) -> u32 {
        match self {
            Incoming::Launch { .. } => 1,
            Incoming::Command(c) => c.weight(),
        }
    }

    /// Returns whether the command is recorded in chunks.
    pub(crate) fn is_chunked(&self) -> bool {
        matches!(self, Incoming::Command(Command::Transfer(t)) if t.chunked)
    }

    /// Returns whether the command must be the first of its batch.
    pub(crate) fn comes_first(&self) -> bool {
        matches!(self, Incoming::Command(Command::Semaphores(c)) if c.comes_first())
    }

    /// Returns whether the command must be the last of its batch.
    pub(crate) fn comes_last(&self) -> bool {
        matches!(self, Incoming::Command(Command::Semaphores(c)) if c.comes_last())
    }

    /// Returns whether later commands wait for it.
    pub(crate) fn is_barrier(&self) -> bool {
        matches!(self, Incoming::Command(Command::Barrier))
    }

    /// Converts to a command that owns everything, in order to defer it.
    pub(crate) fn into_command(self) -> Command {
        match self {
            Incoming::Launch { launch, args } => Command::NdRange {
                launch: Box::new(launch.clone()),
                args: args.to_vec(),
            },
            Incoming::Command(c) => c,
        }
    }
}
