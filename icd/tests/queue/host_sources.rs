//! **Invariant:** a command that reads host memory does so when the commands before it are complete. If one of them
//! stores into that memory (a mapping, a read, a mapping of CL_MEM_USE_HOST_PTR memory, ordered by the queue or by an
//! event), the later command reads the stored values and not those from the time of its enqueue call.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::objects::Setup;
use crate::common::*;
use crate::support::{
    After, SET, Words, argument, buffer, fill, kernel, launch, queue, read, read_now, release, write,
};
use crate::{cl, created};

/// The value of the parameter `work` of [`SET`]. The kernel must still run during the calls that follow its
/// launch.
const STEPS: u32 = 1;

/// Launches a kernel that takes some time and then stores 7 into each word of a buffer. Returns the event.
fn late_sevens(s: &Setup, q: cl_command_queue, target: cl_mem, count: usize) -> cl_event {
    let set = kernel(s, SET, "set");
    argument(set, 0, &target);
    argument(set, 1, &7u32);
    argument(set, 2, &STEPS);
    let event = launch(q, set, count, After::NOTHING);
    assert_eq!(cl!(clReleaseKernel(set)), 0);
    event
}

/// Maps words for reading without blocking. Returns the address and the event.
fn map(q: cl_command_queue, from: cl_mem, count: usize, after: After<'_>) -> (*mut c_void, cl_event) {
    let mut event = null_mut();
    let (n, l, e) = (after.count(), after.ptr(), &raw mut event);
    let (at, code) = created!(clEnqueueMapBuffer(q, from, 0, CL_MAP_READ, 0, 4 * count, n, l, e));
    assert_eq!(code, 0);
    (at, event)
}

fn unmap(q: cl_command_queue, of: cl_mem, at: *mut c_void) {
    let code = cl!(clEnqueueUnmapMemObject(q, of, at, 0, null(), null_mut()));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFinish(q)), 0);
}

fn release_events(events: &[cl_event]) {
    for event in events {
        assert_eq!(cl!(clReleaseEvent(*event)), 0);
    }
}

/// Checks that all words of a buffer are 7.
fn check(q: cl_command_queue, of: cl_mem, count: usize, what: &str) {
    assert_eq!(cl!(clFinish(q)), 0);
    let words = Words::new(count);
    read_now(q, of, &words);
    let wrong = words.get().iter().filter(|w| **w != 7).count();
    let first = words.get()[0];
    assert_eq!(
        wrong, 0,
        "{what}: {wrong} of {count} words are old, such as {first}"
    );
}

/// Sizes of buffers in words, one for each way in which a transfer stores: directly, through staging memory, and in
/// chunks. At most [`MOST`] words of a buffer are transferred.
const COUNTS: [usize; 3] = [1024, 96 << 10, 3 << 20];
/// The most words that a test transfers.
const MOST: usize = 1 << 20;

#[test]
fn a_mapping_is_the_source_of_a_write() {
    for count in COUNTS {
        for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
            let s = Setup::new();
            let q = queue(&s, properties);
            let [from, to] = [(); 2].map(|()| buffer(&s, 0, count, null_mut()));
            fill(&s, from, count, 0);
            fill(&s, to, count, 0);
            let used = count.min(MOST);
            let ran = late_sevens(&s, q, from, used);
            let (at, mapped) = map(q, from, used, After(&[ran]));
            let written = write(q, to, at, 4 * used, After(&[mapped]));
            check(q, to, used, &format!("{count} words, properties {properties}"));
            unmap(q, from, at);
            release_events(&[ran, mapped, written]);
            release(&[from, to]);
            assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
        }
    }
}

#[test]
fn a_mapping_is_the_source_of_rows_and_texels() {
    const COUNT: usize = 64 << 10;
    let s = Setup::new();
    let q = s.queue;
    let [from, rows] = [(); 2].map(|()| buffer(&s, 0, COUNT, null_mut()));
    fill(&s, rows, COUNT, 0);
    let (format, desc) = (
        cl_image_format {
            image_channel_order: CL_R,
            image_channel_data_type: CL_UNSIGNED_INT32,
        },
        cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_width: 256,
            image_height: 256,
            image_depth: 1,
            image_array_size: 1,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: null_mut(),
        },
    );
    let (image, code) = created!(clCreateImage(
        s.context,
        0,
        &raw const format,
        &raw const desc,
        null_mut()
    ));
    assert_eq!(code, 0);
    fill(&s, from, COUNT, 0);
    let ran = late_sevens(&s, q, from, COUNT);
    let (at, mapped) = map(q, from, COUNT, After(&[ran]));
    let list = &raw const mapped;
    let (origin, region) = ([0usize; 3], [1024usize, 256, 1]);
    let (o, r, none) = (origin.as_ptr(), region.as_ptr(), null_mut());
    let code = cl!(clEnqueueWriteBufferRect(
        q, rows, 0, o, o, r, 1024, 0, 1024, 0, at, 1, list, none
    ));
    assert_eq!(code, 0);
    let texels = [256usize, 256, 1];
    let r = texels.as_ptr();
    let code = cl!(clEnqueueWriteImage(q, image, 0, o, r, 0, 0, at, 1, list, none));
    assert_eq!(code, 0);
    check(q, rows, COUNT, "rows");
    fill(&s, rows, COUNT, 0);
    let code = cl!(clEnqueueCopyImageToBuffer(
        q,
        image,
        rows,
        o,
        r,
        0,
        0,
        null(),
        none
    ));
    assert_eq!(code, 0);
    check(q, rows, COUNT, "texels");
    unmap(q, from, at);
    release_events(&[ran, mapped]);
    release(&[from, rows, image]);
}

/// A mapping updates the application's memory, which is the source of a write in a second queue.
#[test]
fn memory_of_the_application_is_the_source_of_a_write() {
    for count in [4096usize, 64 << 10] {
        let s = Setup::new();
        let other = queue(&s, 0);
        // Memory that begins at the start of a page may be imported.
        let own = Words::new(count + 1024);
        let start = own.ptr().wrapping_byte_add(own.ptr().align_offset(4096));
        let from = buffer(&s, CL_MEM_USE_HOST_PTR, count, start);
        let to = buffer(&s, 0, count, null_mut());
        fill(&s, to, count, 0);
        let ran = late_sevens(&s, s.queue, from, count);
        let (at, mapped) = map(s.queue, from, count, After::NOTHING);
        assert_eq!(at, start, "the mapping is the application's memory");
        assert_eq!(cl!(clFlush(s.queue)), 0);
        let written = write(other, to, start, 4 * count, After(&[mapped]));
        assert_eq!(cl!(clFlush(other)), 0);
        check(other, to, count, &format!("{count} words"));
        unmap(s.queue, from, at);
        release_events(&[ran, mapped, written]);
        release(&[from, to]);
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
    }
}

/// The destination of a read is the source of a later write, in the same or another queue.
#[test]
fn what_a_read_stores_is_the_source_of_a_write() {
    for count in [100usize, 64 << 10, 1 << 20] {
        let s = Setup::new();
        let other = queue(&s, 0);
        for second in [s.queue, other] {
            let [from, to] = [(); 2].map(|()| buffer(&s, 0, count, null_mut()));
            fill(&s, from, count, 0);
            fill(&s, to, count, 0);
            let words = Words::new(count);
            let ran = late_sevens(&s, s.queue, from, count);
            let stored = read(s.queue, from, &words, After::NOTHING);
            assert_eq!(cl!(clFlush(s.queue)), 0);
            let written = write(second, to, words.ptr(), 4 * count, After(&[stored]));
            check(second, to, count, &format!("{count} words"));
            release_events(&[ran, stored, written]);
            release(&[from, to]);
        }
        assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
    }
}

/// One thread sets the user event that a read waits for, while another thread enqueues a write, in another queue, whose
/// source is the read's destination and which waits for the read. The enqueue call may copy the write's source only if the
/// read has already stored into it.
#[test]
fn a_read_that_starts_while_its_write_is_enqueued() {
    const COUNT: usize = 256;
    const TIMES: usize = 600;
    /// The number of complete events before the read's event in the write's wait list. The enqueue call takes a while to
    /// examine them, and the read may start meanwhile.
    const BEFORE: usize = 20_000;
    let s = Setup::new();
    let other = queue(&s, 0);
    let [from, to] = [(); 2].map(|()| buffer(&s, 0, COUNT, null_mut()));
    fill(&s, from, COUNT, 7);
    fill(&s, to, COUNT, 7);
    let (complete, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    assert_eq!(cl!(clSetUserEventStatus(complete, CL_COMPLETE)), 0);
    let mut list = vec![complete; BEFORE + 1];
    // The event that the second thread sets; 0 if there is none.
    let closed = AtomicUsize::new(0);
    let ends = AtomicBool::new(false);
    // The time in nanoseconds that the last call took that enqueued a write.
    let duration = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for time in 0u64.. {
                let gate = loop {
                    match closed.swap(0, Ordering::AcqRel) {
                        0 if ends.load(Ordering::Acquire) => return,
                        0 => std::hint::spin_loop(),
                        gate => break gate as cl_event,
                    }
                };
                // The moments differ, so that some of them are within the call that enqueues the write.
                let start = Instant::now();
                let pause = Duration::from_nanos(duration.load(Ordering::Relaxed) * (time * 7 % 100) / 100);
                while start.elapsed() < pause {
                    std::hint::spin_loop();
                }
                assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
            }
        });
        let mut wrong = 0;
        for _ in 0..TIMES {
            let words = Words::new(COUNT);
            let (gate, code) = created!(clCreateUserEvent(s.context));
            assert_eq!(code, 0);
            let stored = read(s.queue, from, &words, After(&[gate]));
            assert_eq!(cl!(clFlush(s.queue)), 0);
            closed.store(gate as usize, Ordering::Release);
            list[BEFORE] = stored;
            let start = Instant::now();
            let written = write(other, to, words.ptr(), 4 * COUNT, After(&list));
            duration.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            assert_eq!(cl!(clFinish(other)), 0);
            let got = Words::new(COUNT);
            read_now(other, to, &got);
            wrong += usize::from(got.get().iter().any(|w| *w != 7));
            release_events(&[gate, stored, written]);
        }
        ends.store(true, Ordering::Release);
        assert_eq!(
            wrong, 0,
            "{wrong} of {TIMES} writes copied what was there before the read"
        );
    });
    release_events(&[complete]);
    release(&[from, to]);
    assert_eq!(cl!(clReleaseCommandQueue(other)), 0);
}
