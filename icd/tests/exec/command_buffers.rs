//! Command-buffers (cl_khr_command_buffer): an execution has the results of the same commands, enqueued one after the other,
//! on every kind of queue.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::lab::Random;
use crate::{cl, created, query};

const SOURCE: &str = "
    kernel void add(global int *to, global const int *from, int n) { to[get_global_id(0)] += from[get_global_id(0)] * n; }
    kernel void scale(global int *to, int n) { int i = get_global_id(0); to[i] = to[i] * 3 + n; }
";

/// Kernels that access memory through a pointer in memory.
const THROUGH: &str = "
    kernel void follow(global ulong *pointer, global int *to) {
        if (get_global_id(0) == 0) pointer[0] = (ulong)to;
    }
    kernel void through(global ulong *pointer, int n) {
        global int *to = (global int *)pointer[0];
        to[get_global_id(0)] += n;
    }
";

pub(crate) const WORDS: usize = 64;
pub(crate) const SIZE: usize = 4 * WORDS;

/// The kinds of queues.
const QUEUES: [cl_command_queue_properties; 4] = [
    0,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
];

pub(crate) fn bytes(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

pub(crate) fn read(s: &Setup, buffer: cl_mem) -> Vec<i32> {
    let bytes = s.read(buffer, SIZE);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| i32::from_ne_bytes(*b))
        .collect()
}

pub(crate) fn write(s: &Setup, buffer: cl_mem, values: &[i32]) {
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        buffer,
        1,
        0,
        4 * values.len(),
        values.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

pub(crate) fn set(kernel: cl_kernel, index: u32, bytes: &[u8]) {
    assert_eq!(
        cl!(clSetKernelArg(kernel, index, bytes.len(), bytes.as_ptr().cast())),
        0
    );
}

pub(crate) fn set_buffer(kernel: cl_kernel, index: u32, buffer: cl_mem) {
    let size = size_of::<cl_mem>();
    assert_eq!(
        cl!(clSetKernelArg(kernel, index, size, (&raw const buffer).cast())),
        0
    );
}

/// A command-buffer while it is recorded.
pub(crate) struct Buffer(pub(crate) cl_command_buffer_khr);

impl Buffer {
    pub(crate) fn new(queue: cl_command_queue, flags: u64) -> Buffer {
        let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
        let (buffer, code) = created!(clCreateCommandBufferKHR(1, &raw const queue, properties.as_ptr()));
        assert_eq!(code, 0);
        Buffer(buffer)
    }

    /// Records a launch. Returns its sync-point and its handle.
    pub(crate) fn launch(
        &self,
        kernel: cl_kernel,
        items: usize,
        after: &[u32],
    ) -> (u32, cl_mutable_command_khr) {
        let (mut point, mut command) = (0, null_mut());
        let code = cl!(clCommandNDRangeKernelKHR(
            self.0,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &raw const items,
            null(),
            after.len() as u32,
            if after.is_empty() { null() } else { after.as_ptr() },
            &raw mut point,
            &raw mut command
        ));
        assert_eq!(code, 0);
        assert_ne!(point, 0);
        (point, command)
    }

    fn copy(&self, from: cl_mem, to: cl_mem, [at, size]: [usize; 2], after: &[u32]) -> u32 {
        let mut point = 0;
        let code = cl!(clCommandCopyBufferKHR(
            self.0,
            null_mut(),
            null(),
            from,
            to,
            at,
            at,
            size,
            after.len() as u32,
            if after.is_empty() { null() } else { after.as_ptr() },
            &raw mut point,
            null_mut()
        ));
        assert_eq!(code, 0);
        point
    }

    fn fill(&self, buffer: cl_mem, value: i32, [at, size]: [usize; 2], after: &[u32]) -> u32 {
        let mut point = 0;
        let code = cl!(clCommandFillBufferKHR(
            self.0,
            null_mut(),
            null(),
            buffer,
            (&raw const value).cast(),
            4,
            at,
            size,
            after.len() as u32,
            if after.is_empty() { null() } else { after.as_ptr() },
            &raw mut point,
            null_mut()
        ));
        assert_eq!(code, 0);
        point
    }

    fn barrier(&self, after: &[u32]) -> u32 {
        let mut point = 0;
        let code = cl!(clCommandBarrierWithWaitListKHR(
            self.0,
            null_mut(),
            null(),
            after.len() as u32,
            if after.is_empty() { null() } else { after.as_ptr() },
            &raw mut point,
            null_mut()
        ));
        assert_eq!(code, 0);
        point
    }

    pub(crate) fn finalize(&self) {
        assert_eq!(cl!(clFinalizeCommandBufferKHR(self.0)), 0);
    }

    /// Executes it on the queue for which it was created. Returns the event.
    pub(crate) fn enqueue(&self, after: &[cl_event]) -> cl_event {
        self.enqueue_on(null_mut(), after)
    }

    fn enqueue_on(&self, mut queue: cl_command_queue, after: &[cl_event]) -> cl_event {
        let mut event = null_mut();
        let own = queue.is_null();
        let code = cl!(clEnqueueCommandBufferKHR(
            u32::from(!own),
            if own { null_mut() } else { &raw mut queue },
            self.0,
            after.len() as u32,
            if after.is_empty() { null() } else { after.as_ptr() },
            &raw mut event
        ));
        assert_eq!(code, 0);
        event
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        assert_eq!(cl!(clReleaseCommandBufferKHR(self.0)), 0);
    }
}

pub(crate) fn wait(event: cl_event) {
    assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
}

pub(crate) fn release_buffer(buffer: cl_mem) {
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// A command on some buffers of [`WORDS`] words.
#[derive(Copy, Clone, Debug)]
enum Op {
    Add { to: usize, from: usize, n: i32 },
    Scale { to: usize, n: i32 },
    Copy { from: usize, to: usize, at: [usize; 2] },
    Fill { to: usize, value: i32, at: [usize; 2] },
    Barrier,
}

impl Op {
    fn random(r: &mut Random, buffers: usize) -> Op {
        let (to, other) = (r.below(buffers), r.below(buffers - 1));
        let from = if other >= to { other + 1 } else { other };
        let start = r.below(WORDS);
        let at = [4 * start, 4 * (1 + r.below(WORDS - start))];
        let n = r.below(100) as i32;
        match r.below(10) {
            0..3 => Op::Add { to, from, n },
            3..5 => Op::Scale { to, n },
            5..7 => Op::Copy { from, to, at },
            7..9 => Op::Fill { to, value: n, at },
            _ => Op::Barrier,
        }
    }

    /// Returns the buffers that it uses, and whether it writes them.
    fn uses(self) -> Vec<(usize, bool)> {
        match self {
            Op::Add { to, from, .. } | Op::Copy { from, to, .. } => vec![(from, false), (to, true)],
            Op::Scale { to, .. } | Op::Fill { to, .. } => vec![(to, true)],
            Op::Barrier => Vec::new(),
        }
    }

    fn apply(self, memory: &mut [Vec<i32>]) {
        let words = |[at, size]: [usize; 2]| at / 4..(at + size) / 4;
        match self {
            Op::Add { to, from, n } => {
                let source = memory[from].clone();
                let pairs = memory[to].iter_mut().zip(source);
                pairs.for_each(|(to, from)| *to = to.wrapping_add(from.wrapping_mul(n)));
            }
            Op::Scale { to, n } => memory[to]
                .iter_mut()
                .for_each(|v| *v = v.wrapping_mul(3).wrapping_add(n)),
            Op::Copy { from, to, at } => {
                let part = memory[from][words(at)].to_vec();
                memory[to][words(at)].copy_from_slice(&part);
            }
            Op::Fill { to, value, at } => memory[to][words(at)].fill(value),
            Op::Barrier => {}
        }
    }
}

/// Random commands, each of which waits for those before it that use the same memory. In-order queues wait for all.
#[test]
fn command_buffers_have_the_results_of_their_commands() {
    const BUFFERS: usize = 4;
    let mut r = Random::new(7);
    for round in 0..12 {
        let s = Setup::with(QUEUES[round % QUEUES.len()]);
        let (other, code) = created!(clCreateCommandQueue(
            s.context,
            s.device,
            QUEUES[(round / 4 + round) % QUEUES.len()]
        ));
        assert_eq!(code, 0);
        let program = s.built(SOURCE, "");
        let (add, scale) = (s.kernel(program, "add"), s.kernel(program, "scale"));
        let mut memory: Vec<Vec<i32>> = (0..BUFFERS)
            .map(|b| (0..WORDS).map(|i| (100 * b + i) as i32).collect())
            .collect();
        let buffers: Vec<cl_mem> = memory.iter().map(|m| s.buffer(&bytes(m))).collect();
        let is_ordered = s.queue_is_in_order();
        let recorded = Buffer::new(s.queue, 0);
        let mut ops: Vec<(Op, u32)> = Vec::new();
        for _ in 0..1 + r.below(60) {
            let op = Op::random(&mut r, BUFFERS);
            let uses = op.uses();
            let conflicts = |other: Op| {
                let all = other.uses();
                uses.iter()
                    .any(|(b, w)| all.iter().any(|(c, v)| b == c && (*w || *v)))
            };
            let after: Vec<u32> = ops
                .iter()
                .filter(|(o, _)| !is_ordered && conflicts(*o))
                .map(|(_, point)| *point)
                .collect();
            let point = match op {
                Op::Add { to, from, n } => {
                    set_buffer(add, 0, buffers[to]);
                    set_buffer(add, 1, buffers[from]);
                    set(add, 2, &n.to_ne_bytes());
                    recorded.launch(add, WORDS, &after).0
                }
                Op::Scale { to, n } => {
                    set_buffer(scale, 0, buffers[to]);
                    set(scale, 1, &n.to_ne_bytes());
                    recorded.launch(scale, WORDS, &after).0
                }
                Op::Copy { from, to, at } => recorded.copy(buffers[from], buffers[to], at, &after),
                Op::Fill { to, value, at } => recorded.fill(buffers[to], value, at, &after),
                Op::Barrier => recorded.barrier(&[]),
            };
            ops.push((op, point));
        }
        recorded.finalize();
        for queue in [null_mut(), other, null_mut()] {
            wait(recorded.enqueue_on(queue, &[]));
            ops.iter().for_each(|(op, _)| op.apply(&mut memory));
        }
        for (b, buffer) in buffers.iter().enumerate() {
            assert_eq!(read(&s, *buffer), memory[b], "round {round}, buffer {b}: {ops:?}");
            release_buffer(*buffer);
        }
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
        for kernel in [add, scale] {
            assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

trait Order {
    fn queue_is_in_order(&self) -> bool;
}

impl Order for Setup {
    fn queue_is_in_order(&self) -> bool {
        let properties = query!(clGetCommandQueueInfo(self.queue; CL_QUEUE_PROPERTIES) as u64);
        properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }
}

/// An in-order queue orders kernels that access memory through a pointer in memory, without command-buffers, too. (Only
/// devices that overlap launches can fail here.)
#[test]
fn kernels_that_access_any_memory_are_in_order() {
    for properties in [0, CL_QUEUE_PROFILING_ENABLE] {
        let s = Setup::with(properties);
        let program = s.program(THROUGH);
        if cl!(clBuildProgram(program, 0, null(), c"".as_ptr(), None, null_mut())) != 0 {
            assert!(crate::common::again::with_descriptors(), "{}", s.log(program));
            assert_eq!(cl!(clReleaseProgram(program)), 0);
            continue;
        }
        let (follow, through) = (s.kernel(program, "follow"), s.kernel(program, "through"));
        let (pointer, to) = (s.buffer(&[0; 8]), s.buffer(&[0; SIZE]));
        set_buffer(follow, 0, pointer);
        set_buffer(follow, 1, to);
        set_buffer(through, 0, pointer);
        let launch = |kernel, items: usize| {
            let code = cl!(clEnqueueNDRangeKernel(
                s.queue,
                kernel,
                1,
                null(),
                &raw const items,
                null(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(code, 0, "clEnqueueNDRangeKernel");
        };
        launch(follow, 1);
        for n in 1..=200 {
            set(through, 1, &i32::to_ne_bytes(n));
            launch(through, WORDS);
        }
        assert_eq!(read(&s, to), [20_100; WORDS]);
        for object in [pointer, to] {
            release_buffer(object);
        }
        for kernel in [follow, through] {
            assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// In an out-of-order queue, only sync-points order a kernel that accesses memory through a pointer in memory.
#[test]
fn sync_points_order_kernels_that_access_any_memory() {
    for properties in QUEUES {
        let s = Setup::with(properties);
        let program = s.program(THROUGH);
        if cl!(clBuildProgram(program, 0, null(), c"".as_ptr(), None, null_mut())) != 0 {
            assert!(crate::common::again::with_descriptors(), "{}", s.log(program));
            assert_eq!(cl!(clReleaseProgram(program)), 0);
            continue;
        }
        let (follow, through) = (s.kernel(program, "follow"), s.kernel(program, "through"));
        let (pointer, to) = (s.buffer(&[0; 8]), s.buffer(&[0; SIZE]));
        set_buffer(follow, 0, pointer);
        set_buffer(follow, 1, to);
        set_buffer(through, 0, pointer);
        let recorded = Buffer::new(s.queue, 0);
        let mut last = recorded.launch(follow, 1, &[]).0;
        last = recorded.fill(to, 5, [0, SIZE], &[last]);
        for n in 1..=20 {
            set(through, 1, &i32::to_ne_bytes(n));
            last = recorded.launch(through, WORDS, &[last]).0;
        }
        // Copies what the kernels have stored over the pointer, after all of them.
        recorded.barrier(&[]);
        recorded.copy(to, pointer, [0, 8], &[]);
        recorded.finalize();
        for _ in 0..3 {
            let event = recorded.enqueue(&[]);
            wait(event);
            assert_eq!(read(&s, to), [215; WORDS]);
            assert_eq!(s.read(pointer, 8), bytes(&[215; 2]));
        }
        drop(recorded);
        for object in [pointer, to] {
            release_buffer(object);
        }
        for kernel in [follow, through] {
            assert_eq!(cl!(clReleaseKernel(kernel)), 0);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// More launches with long arguments than the memory for the arguments of one batch has room for.
#[test]
fn many_launches_with_long_arguments() {
    let s = Setup::new();
    let program = s.built(
        "typedef struct { int values[400]; } Long;
        kernel void pick(global int *to, Long l, int n) { to[get_global_id(0)] += l.values[n]; }",
        "",
    );
    let pick = s.kernel(program, "pick");
    let to = s.buffer(&[0; SIZE]);
    set_buffer(pick, 0, to);
    let recorded = Buffer::new(s.queue, 0);
    let mut expected = 0;
    for n in 0..700 {
        let long: Vec<i32> = (0..400).map(|i| i * 7 + n).collect();
        expected += long[n as usize % 400];
        set(pick, 1, &bytes(&long));
        set(pick, 2, &(n % 400).to_ne_bytes());
        recorded.launch(pick, WORDS, &[]);
    }
    recorded.finalize();
    for times in 1..=2 {
        wait(recorded.enqueue(&[]));
        assert_eq!(read(&s, to), [times * expected; WORDS]);
    }
    drop(recorded);
    release_buffer(to);
    assert_eq!(cl!(clReleaseKernel(pick)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Later changes of the kernel object have no effect, and the objects of recorded commands may be released.
#[test]
fn commands_keep_their_values_and_objects() {
    let s = Setup::new();
    let program = s.built(
        "kernel void scale(global int *to, int n) { int i = get_global_id(0); to[i] = to[i] * 3 + n; }",
        "",
    );
    let scale = s.kernel(program, "scale");
    let (to, other) = (s.buffer(&bytes(&[1; WORDS])), s.buffer(&bytes(&[9; WORDS])));
    let source = s.buffer(&bytes(&[40; WORDS]));
    set_buffer(scale, 0, to);
    set(scale, 1, &2i32.to_ne_bytes());
    let recorded = Buffer::new(s.queue, 0);
    recorded.copy(source, to, [0, SIZE / 2], &[]);
    recorded.launch(scale, WORDS, &[]);
    release_buffer(source);
    set_buffer(scale, 0, other);
    set(scale, 1, &70i32.to_ne_bytes());
    recorded.finalize();
    assert_eq!(cl!(clReleaseKernel(scale)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    wait(recorded.enqueue(&[]));
    let expected = |i: usize| if i < WORDS / 2 { 122 } else { 5 };
    assert_eq!(read(&s, to), (0..WORDS).map(expected).collect::<Vec<_>>());
    assert_eq!(read(&s, other), [9; WORDS]);
    // An execution that waits outlives the command-buffer.
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let event = recorded.enqueue(&[gate]);
    drop(recorded);
    assert_eq!(cl!(clSetUserEventStatus(gate, 0)), 0);
    wait(event);
    let expected = |i: usize| if i < WORDS / 2 { 122 } else { 17 };
    assert_eq!(read(&s, to), (0..WORDS).map(expected).collect::<Vec<_>>());
    assert_eq!(cl!(clReleaseEvent(gate)), 0);
    release_buffer(to);
    release_buffer(other);
}

/// The event is that of one command, and fails as others do.
#[test]
fn events_of_executions() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let to = s.buffer(&[0; SIZE]);
    let recorded = Buffer::new(s.queue, 0);
    recorded.fill(to, 6, [0, SIZE], &[]);
    recorded.finalize();
    let event = recorded.enqueue(&[]);
    assert_eq!(
        query!(clGetEventInfo(event; CL_EVENT_COMMAND_TYPE) as u32),
        CL_COMMAND_COMMAND_BUFFER_KHR
    );
    assert_eq!(
        query!(clGetEventInfo(event; CL_EVENT_COMMAND_QUEUE) as usize),
        s.queue.addr()
    );
    assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
    let times = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ]
    .map(|p| query!(clGetEventProfilingInfo(event; p) as u64));
    assert!(times.is_sorted() && times[0] > 0, "{times:?}");
    assert_eq!(cl!(clReleaseEvent(event)), 0);
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    write(&s, to, &[1; WORDS]);
    let event = recorded.enqueue(&[gate]);
    assert_eq!(cl!(clSetUserEventStatus(gate, -7)), 0);
    assert_eq!(
        cl!(clWaitForEvents(1, &raw const event)),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    );
    assert_eq!(read(&s, to), [1; WORDS]);
    for event in [event, gate] {
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    // A command-buffer without commands is complete when its wait list is.
    let empty = Buffer::new(s.queue, 0);
    empty.finalize();
    wait(empty.enqueue(&[]));
    release_buffer(to);
}

/// Images in a command-buffer.
#[test]
fn images() {
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        return;
    }
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    // SAFETY: the struct has numbers and a handle, for which zero bytes are valid values.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, 8, 8);
    let image = || {
        let (image, code) = created!(clCreateImage(
            s.context,
            CL_MEM_READ_WRITE,
            &raw const format,
            &raw const desc,
            null_mut()
        ));
        assert_eq!(code, 0);
        image
    };
    let (first, second) = (image(), image());
    let (from, to) = (s.buffer(&bytes(&[0x0403_0201; WORDS])), s.buffer(&[0; SIZE]));
    let recorded = Buffer::new(s.queue, 0);
    let (zero, half, all) = ([0usize; 3], [8usize, 4, 1], [8usize, 8, 1]);
    let color = [10u32, 11, 12, 13];
    let codes = [
        cl!(clCommandCopyBufferToImageKHR(
            recorded.0,
            null_mut(),
            null(),
            from,
            first,
            0,
            zero.as_ptr(),
            all.as_ptr(),
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        cl!(clCommandFillImageKHR(
            recorded.0,
            null_mut(),
            null(),
            first,
            color.as_ptr().cast(),
            zero.as_ptr(),
            half.as_ptr(),
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        cl!(clCommandCopyImageKHR(
            recorded.0,
            null_mut(),
            null(),
            first,
            second,
            zero.as_ptr(),
            zero.as_ptr(),
            all.as_ptr(),
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        cl!(clCommandCopyImageToBufferKHR(
            recorded.0,
            null_mut(),
            null(),
            second,
            to,
            zero.as_ptr(),
            all.as_ptr(),
            0,
            0,
            null(),
            null_mut(),
            null_mut()
        )),
    ];
    assert_eq!(codes, [0; 4]);
    recorded.finalize();
    for value in [0x0403_0201, 0x0807_0605] {
        write(&s, from, &[value; WORDS]);
        wait(recorded.enqueue(&[]));
        let expected = |i: usize| if i < WORDS / 2 { 0x0d0c_0b0a } else { value };
        assert_eq!(read(&s, to), (0..WORDS).map(expected).collect::<Vec<_>>());
    }
    drop(recorded);
    for object in [first, second, from, to] {
        release_buffer(object);
    }
}
