//! The times of commands (CL 5.14).

use std::ptr::{null, null_mut};
use std::time::Instant;

use crate::common::objects::Setup;
use crate::common::{
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_SUBMIT, CL_QUEUE_PROFILING_ENABLE,
};
use crate::{cl, query};

/// All times are of one clock, whether or not the host can read the device's: a command is queued, submitted, run and
/// complete between the calls before and after it. Half of the commands run while the host does other things.
#[test]
fn commands_run_between_the_calls() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let program = s.built(
        "kernel void count(global int *a) { for (int i = 0; i < 1000; i++) a[get_global_id(0)] += i; }",
        "",
    );
    let kernel = s.kernel(program, "count");
    let memory = s.buffer(&[0; 1024]);
    let code = cl!(clSetKernelArg(
        kernel,
        0,
        size_of_val(&memory),
        (&raw const memory).cast()
    ));
    assert_eq!(code, 0);
    let begin = Instant::now();
    let mut first = None;
    for round in 0..8 {
        let mut event = null_mut();
        let items = 256usize;
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const items,
            null(),
            0,
            null(),
            &raw mut event
        ));
        assert_eq!(code, 0);
        if round % 2 == 1 {
            assert_eq!(cl!(clFlush(s.queue)), 0);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(cl!(clWaitForEvents(1, &raw const event)), 0);
        let known = begin.elapsed().as_nanos() as u64;
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(|which| query!(clGetEventProfilingInfo(event; which) as u64));
        assert!(times.is_sorted(), "round {round}: {times:?}");
        let first = *first.get_or_insert(times[0]);
        // The clocks of the driver and of the host need not agree to the microsecond.
        let last = times[3] - first;
        assert!(
            last < known + 1_000_000,
            "round {round}: {times:?}, at most {known} ns after {first}"
        );
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(memory)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
