//! Functions that the tests of the runtime share: a device, queues, buffers, and a kernel that is assembled by hand.
#![allow(dead_code, reason = "each test uses a part")]

use std::process::Command;
use std::sync::Arc;

use caldera_compiler::abi::Abi;
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{
    Arg, Binding, Kernel, MemoryUse, Place, PushRange, Reflection, SpecIds, SystemPush,
};
use caldera_compiler::target::Target;
use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::kernel::Range;
use caldera_runtime::kernel::launch::{ArgValue, NdRange, PodBytes};
use caldera_runtime::kernel::pipeline::{DeviceKernel, DeviceModule};
use caldera_runtime::mem::{Buffer, HostPtr, MemFlags};
use caldera_runtime::platform::Platform;
use caldera_runtime::queue::{CommandQueue, QueueProperties, Waits};

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
    malformed: false,
    list: &[],
    want_event: false,
};

/// No wait list, but an event.
pub(crate) const EVENT: Waits<'static> = Waits {
    malformed: false,
    list: &[],
    want_event: true,
};

/// Wraps a slice as the host memory that a command reads or writes.
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

/// Reads the floats of a buffer.
pub(crate) fn read(queue: &Arc<CommandQueue>, buffer: &Arc<Buffer>) -> Vec<f32> {
    let out = vec![f32::NAN; buffer.size() as usize / 4];
    queue
        .enqueue_read(buffer, true, 0, buffer.size() as usize, host(&out), NOTHING)
        .expect("read");
    out
}

/// Compiles a program and returns its kernel `k`.
pub(crate) fn compiled(source: &str, abi: Abi) -> Arc<DeviceKernel> {
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
    let module = DeviceModule::new(&device(), &words).expect("module");
    module.kernel("k").expect("descriptors").expect("kernel")
}

/// Assembles the saxpy kernel.
pub(crate) fn saxpy(device: &Arc<Device>) -> Arc<DeviceKernel> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/saxpy.spvasm");
    let out = Command::new("spirv-as")
        .args(["--target-env", "vulkan1.3", source, "-o", "-"])
        .output()
        .expect("spirv-as is installed");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let words: Vec<u32> = out
        .stdout
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let place = |offset, size| Place::Push(PushRange { offset, size });
    let pointer = |offset, written| Arg {
        binding: Some(Binding::Pointer(place(offset, 8))),
        uses: MemoryUse {
            read: true,
            written,
            escapes: false,
        },
        ..Arg::default()
    };
    let reflection = Reflection {
        kernels: vec![Kernel {
            name: "saxpy".into(),
            args: vec![
                Arg {
                    binding: Some(Binding::Pod(place(0, 4))),
                    ..Arg::default()
                },
                pointer(8, false),
                pointer(16, true),
            ],
            ungrouped: true,
            ..Kernel::default()
        }],
        push: SystemPush {
            region_offset: Some(PushRange { offset: 24, size: 12 }),
            ..SystemPush::default()
        },
        spec: SpecIds {
            workgroup_size: Some([0, 1, 2]),
            ..SpecIds::default()
        },
        ..Reflection::default()
    };
    let module = DeviceModule::with_reflection(device, &words, reflection).expect("module");
    module.kernel("saxpy").expect("descriptors").expect("kernel")
}

/// Returns argument values for saxpy.
pub(crate) fn saxpy_args(a: f32, x: &Arc<Buffer>, y: &Arc<Buffer>) -> Vec<ArgValue> {
    vec![
        ArgValue::Pod(PodBytes::new(&a.to_ne_bytes())),
        ArgValue::Buffer(Some(Arc::clone(x))),
        ArgValue::Buffer(Some(Arc::clone(y))),
    ]
}

/// Returns a one-dimensional launch with `n` work-items.
pub(crate) fn range<'a>(
    kernel: &'a Arc<DeviceKernel>,
    args: &'a [ArgValue],
    n: usize,
    local: Option<usize>,
) -> NdRange<'a> {
    NdRange {
        kernel,
        args,
        range: Range {
            work_dim: 1,
            offset: [0; 3],
            global: [n, 1, 1],
            local: local.map(|l| [l, 1, 1]),
        },
    }
}
