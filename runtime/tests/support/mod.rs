//! Functions that the tests of the runtime share: a device, queues, buffers, programs, and launches.
#![allow(dead_code, reason = "each test uses a part")]

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;

use caldera_compiler::abi::Abi;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;
use caldera_runtime::command::CommandType;
use caldera_runtime::command::rect::RectSide;
use caldera_runtime::command::request::{BufferCopy, BufferFill, BufferRange, BufferTransfer, MappedRegion};
use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::Error;
use caldera_runtime::kernel::launch::{ArgValue, PodBytes};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::{Buffer, HostPtr, MemFlags, MemObject};
use caldera_runtime::platform::Platform;
use caldera_runtime::program::Program;
use caldera_runtime::queue::{CommandQueue, Enqueued, QueueProperties, Waits};

/// Returns the device of the tests, the first one.
pub(crate) fn device() -> Arc<Device> {
    caldera_runtime::trace::install();
    Arc::clone(&Platform::get().expect("a Vulkan driver").devices()[0])
}

/// Creates a context with that device.
pub(crate) fn context() -> Arc<Context> {
    Context::create(&[device()], Vec::new(), None).expect("context")
}

/// Creates an in-order queue.
pub(crate) fn queue(context: &Arc<Context>, profiling: bool) -> Arc<CommandQueue> {
    let properties = QueueProperties {
        profiling,
        ..QueueProperties::default()
    };
    CommandQueue::create(context, &context.devices()[0], properties).expect("queue")
}

/// Creates an out-of-order queue.
pub(crate) fn unordered_queue(context: &Arc<Context>) -> Arc<CommandQueue> {
    let properties = QueueProperties {
        out_of_order: true,
        ..QueueProperties::default()
    };
    CommandQueue::create(context, &context.devices()[0], properties).expect("queue")
}

/// No wait list and no event.
pub(crate) const NOTHING: Waits<'static> = Waits {
    list: &[],
    want_event: false,
};

/// No wait list, but an event.
pub(crate) const EVENT: Waits<'static> = Waits {
    list: &[],
    want_event: true,
};

/// Returns memory into which a command stores. Nothing else may change memory while there are shared references to it,
/// unless it consists of cells.
pub(crate) fn cells<T>(data: Vec<T>) -> Vec<Cell<T>> {
    data.into_iter().map(Cell::new).collect()
}

/// Returns the values that a command has stored.
pub(crate) fn values<T: std::marker::Copy>(data: &[Cell<T>]) -> Vec<T> {
    data.iter().map(Cell::get).collect()
}

/// Wraps a slice as the host memory that a command reads, or a slice of [`cells`] as memory into which one stores.
pub(crate) fn host<T>(data: &[T]) -> HostPtr {
    // SAFETY: each test keeps the slice alive until the command is done, and does not use it before that.
    unsafe { HostPtr::new(data.as_ptr().cast::<u8>().cast_mut()) }.expect("not null")
}

/// Creates a buffer with default flags and undefined contents.
pub(crate) fn buffer(context: &Arc<Context>, size: usize) -> Arc<Buffer> {
    Buffer::create(context, MemFlags::default(), size, None).expect("buffer")
}

/// Creates a buffer with contents.
pub(crate) fn buffer_of(context: &Arc<Context>, data: &[f32]) -> Arc<Buffer> {
    let flags = MemFlags::from_bits(1 | 1 << 5).expect("flags");
    Buffer::create(context, flags, size_of_val(data), Some(host(data))).expect("buffer")
}

/// Returns a range of a buffer.
pub(crate) fn part(buffer: &Arc<Buffer>, offset: usize, size: usize) -> BufferRange {
    BufferRange::new(buffer, offset, size).expect("in bounds")
}

/// Returns a request to read or write a range of a buffer.
pub(crate) fn linear(buffer: &Arc<Buffer>, offset: usize, size: usize, host: HostPtr) -> BufferTransfer {
    BufferTransfer::linear(&part(buffer, offset, size), host)
}

/// Returns a request to read or write a rectangle of a buffer.
pub(crate) fn rect(
    buffer: &Arc<Buffer>,
    side: RectSide,
    host_side: RectSide,
    region: [usize; 3],
    host: HostPtr,
) -> BufferTransfer {
    BufferTransfer::rect(buffer, side, host_side, region, host).expect("in bounds")
}

/// Returns a request to copy a range.
pub(crate) fn copy(src: &Arc<Buffer>, dst: &Arc<Buffer>, from: usize, to: usize, size: usize) -> BufferCopy {
    BufferCopy::linear(src, dst, from, to, size).expect("in bounds")
}

/// Returns a request to copy a rectangle.
pub(crate) fn copy_rect(
    src: &Arc<Buffer>,
    dst: &Arc<Buffer>,
    src_side: RectSide,
    dst_side: RectSide,
    region: [usize; 3],
) -> BufferCopy {
    BufferCopy::rect(src, dst, src_side, dst_side, region).expect("in bounds")
}

/// Returns a request to fill a range of a buffer.
pub(crate) fn fill(buffer: &Arc<Buffer>, pattern: &[u8], offset: usize, size: usize) -> BufferFill {
    BufferFill::new(part(buffer, offset, size), pattern).expect("a pattern")
}

/// Returns a request to end a mapping.
pub(crate) fn mapped(buffer: &Arc<Buffer>, address: NonNull<u8>) -> Result<MappedRegion, Error> {
    MappedRegion::new(MemObject::Buffer(Arc::clone(buffer)), address.addr().get())
}

/// Reads the floats of a buffer.
pub(crate) fn read(queue: &Arc<CommandQueue>, buffer: &Arc<Buffer>) -> Vec<f32> {
    let out = cells(vec![f32::NAN; buffer.size() as usize / 4]);
    queue
        .enqueue_read(
            linear(buffer, 0, buffer.size() as usize, host(&out)),
            true,
            NOTHING,
        )
        .expect("read");
    values(&out)
}

/// Creates a program from SPIR-V, as clCreateProgramWithBinary and clBuildProgram do.
pub(crate) fn program_of(context: &Arc<Context>, words: &[u32]) -> Result<Arc<Program>, Error> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
    let binary = (Arc::clone(&context.devices()[0]), bytes.as_slice());
    let program = Program::with_binaries(context, &[binary]).map_err(|mut status| {
        let only = status.remove(0);
        only.expect_err("the only binary is refused")
    })?;
    program.build(&[], "", None)?;
    Ok(program)
}

/// Compiles a program for an ABI and returns its kernel `k`.
pub(crate) fn compiled(context: &Arc<Context>, source: &str, abi: Abi) -> Arc<Kernel> {
    let mut target = Target::clone(device().target());
    target.abi = abi;
    let input = Input {
        name: "test.cl",
        source,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let words = compile(&input, &target)
        .unwrap_or_else(|f| panic!("{}", f.log))
        .words;
    let program = program_of(context, &words).expect("module");
    Kernel::create(&program, "k").expect("kernel")
}

/// Builds a program from source, for all devices of the context.
pub(crate) fn built(context: &Arc<Context>, source: &str) -> Arc<Program> {
    let program = Program::with_source(context, source.as_bytes().to_vec());
    program.build(&[], "", None).expect("it builds");
    program
}

/// The source of [`saxpy`].
pub(crate) const SAXPY: &str = "kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}";

/// Returns a kernel that adds a multiple of one buffer to another.
pub(crate) fn saxpy(context: &Arc<Context>) -> Arc<Kernel> {
    Kernel::create(&built(context, SAXPY), "saxpy").expect("kernel")
}

/// Returns argument values for saxpy.
pub(crate) fn saxpy_args(a: f32, x: &Arc<Buffer>, y: &Arc<Buffer>) -> Vec<ArgValue> {
    vec![
        ArgValue::Pod(PodBytes::new(&a.to_ne_bytes())),
        ArgValue::Buffer(Some(Arc::clone(x))),
        ArgValue::Buffer(Some(Arc::clone(y))),
    ]
}

/// Returns a one-dimensional NDRange with `n` work-items.
pub(crate) fn items(n: usize, local: Option<usize>) -> Range {
    Range {
        work_dim: 1,
        offset: [0; 3],
        global: [n, 1, 1],
        local: local.map(|l| [l, 1, 1]),
    }
}

/// Sets all arguments of a kernel.
pub(crate) fn set_args(kernel: &Kernel, args: &[ArgValue]) {
    for (i, value) in (0..).zip(args) {
        kernel.set_arg(i, value.clone()).expect("argument");
    }
}

/// Sets all arguments of a kernel, and enqueues a launch. Threads that call this must not share the kernel.
pub(crate) fn launch(
    queue: &Arc<CommandQueue>,
    kernel: &Kernel,
    args: &[ArgValue],
    range: Range,
    waits: Waits<'_>,
) -> Enqueued {
    set_args(kernel, args);
    kernel
        .launch(queue, &range)
        .and_then(|l| l.enqueue(CommandType::NdRangeKernel, waits))
}
