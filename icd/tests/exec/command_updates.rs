//! Updates of launches in command-buffers (cl_khr_command_buffer_mutable_dispatch).

use std::ptr::{null, null_mut};

use crate::command_buffers::{
    Buffer, SIZE, WORDS, bytes, read, release_buffer, set, set_buffer, wait, write,
};
use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created, query, query_bytes};

/// Updates one launch.
fn update(buffer: &Buffer, config: &cl_mutable_dispatch_config_khr) -> cl_int {
    let mut configs = [std::ptr::from_ref(config).cast()];
    let kind = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    cl!(clUpdateMutableCommandsKHR(
        buffer.0,
        1,
        &raw const kind,
        configs.as_mut_ptr()
    ))
}

fn config(
    command: cl_mutable_command_khr,
    args: &[cl_mutable_dispatch_arg_khr],
) -> cl_mutable_dispatch_config_khr {
    cl_mutable_dispatch_config_khr {
        command,
        num_args: args.len() as u32,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: if args.is_empty() { null() } else { args.as_ptr() },
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

fn arg<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size_of::<T>(),
        arg_value: std::ptr::from_ref(value).cast(),
    }
}

/// Updates concern later executions only, also if an earlier one still waits.
#[test]
fn updates_of_arguments() {
    let s = Setup::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let program = s.built(
        "kernel void scale(global int *to, int n) { int i = get_global_id(0); to[i] = to[i] * 3 + n; }",
        "",
    );
    let scale = s.kernel(program, "scale");
    let (to, other) = (s.buffer(&bytes(&[1; WORDS])), s.buffer(&bytes(&[2; WORDS])));
    set_buffer(scale, 0, to);
    set(scale, 1, &5i32.to_ne_bytes());
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let recorded = Buffer::new(s.queue, flags);
    let (_, command) = recorded.launch(scale, WORDS, &[]);
    recorded.finalize();
    let (gate, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    let waiting = recorded.enqueue(&[gate]);
    assert_eq!(update(&recorded, &config(command, &[arg(1, &8i32)])), 0);
    wait(recorded.enqueue(&[]));
    assert_eq!(read(&s, to), [11; WORDS]);
    assert_eq!(update(&recorded, &config(command, &[arg(0, &other)])), 0);
    wait(recorded.enqueue(&[]));
    assert_eq!(read(&s, other), [14; WORDS]);
    assert_eq!(read(&s, to), [11; WORDS]);
    assert_eq!(cl!(clSetUserEventStatus(gate, 0)), 0);
    wait(waiting);
    assert_eq!(read(&s, to), [38; WORDS]);
    assert_eq!(read(&s, other), [14; WORDS]);
    // The second of two updates in one call is wrong, so neither is made.
    let configs = [
        config(command, &[arg(1, &100i32)]),
        config(command, &[arg(1, &100i64)]),
    ];
    let kinds = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; 2];
    let mut list = [0, 1].map(|i| std::ptr::from_ref(&configs[i]).cast());
    let code = cl!(clUpdateMutableCommandsKHR(
        recorded.0,
        2,
        kinds.as_ptr(),
        list.as_mut_ptr()
    ));
    assert_eq!(code, CL_INVALID_ARG_SIZE);
    wait(recorded.enqueue(&[]));
    assert_eq!(read(&s, other), [50; WORDS]);
    assert_eq!(cl!(clReleaseEvent(gate)), 0);
    drop(recorded);
    release_buffer(to);
    release_buffer(other);
    assert_eq!(cl!(clReleaseKernel(scale)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Sizes change, and the queries tell the new ones. Arguments are set after the recording.
#[test]
fn updates_of_sizes() {
    let s = Setup::new();
    let source = "kernel void where(global int *to) {
        int i = get_global_id(0);
        to[i] = 1000 * (int)get_local_size(0) + (int)get_global_size(0);
    }";
    let program = s.built(source, "");
    let kernel = s.kernel(program, "where");
    let to = s.buffer(&[0; SIZE]);
    let recorded = Buffer::new(s.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    let fields = [
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
        CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
            | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
            | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
            | CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
        0,
    ];
    let mut command = null_mut();
    let (global, local) = (32usize, 8usize);
    let code = cl!(clCommandNDRangeKernelKHR(
        recorded.0,
        null_mut(),
        fields.as_ptr(),
        kernel,
        1,
        null(),
        &raw const global,
        &raw const local,
        0,
        null(),
        null_mut(),
        &raw mut command
    ));
    assert_eq!(code, 0);
    recorded.finalize();
    let state = |b: &Buffer| query!(clGetCommandBufferInfoKHR(b.0; CL_COMMAND_BUFFER_STATE_KHR) as u32);
    assert_eq!(state(&recorded), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(update(&recorded, &config(command, &[arg(0, &to)])), 0);
    assert_eq!(state(&recorded), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    let expected = |range: std::ops::Range<usize>, value: i32| -> Vec<i32> {
        (0..WORDS)
            .map(|i| if range.contains(&i) { value } else { 0 })
            .collect()
    };
    wait(recorded.enqueue(&[]));
    assert_eq!(read(&s, to), expected(0..32, 8032));
    write(&s, to, &[0; WORDS]);
    let (offset, global, local) = (4usize, 48usize, 16usize);
    let mut sizes = config(command, &[]);
    sizes.work_dim = 1;
    sizes.global_work_offset = &raw const offset;
    sizes.global_work_size = &raw const global;
    sizes.local_work_size = &raw const local;
    assert_eq!(update(&recorded, &sizes), 0);
    wait(recorded.enqueue(&[]));
    assert_eq!(read(&s, to), expected(4..52, 16048));
    let told = [
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
    ]
    .map(|p| query!(clGetMutableCommandInfoKHR(command; p) as usize));
    assert_eq!(told, [4, 48, 16]);
    assert_eq!(
        query_bytes!(clGetMutableCommandInfoKHR(command; CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR)),
        fields.iter().flat_map(|f| f.to_ne_bytes()).collect::<Vec<u8>>()
    );
    let [kernel_told, buffer_told, queue_told] = [
        CL_MUTABLE_DISPATCH_KERNEL_KHR,
        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR,
    ]
    .map(|p| query!(clGetMutableCommandInfoKHR(command; p) as usize));
    assert_eq!(
        [kernel_told, buffer_told, queue_told],
        [kernel.addr(), recorded.0.addr(), s.queue.addr()]
    );
    assert_eq!(
        query!(clGetMutableCommandInfoKHR(command; CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR) as u32),
        CL_COMMAND_NDRANGE_KERNEL
    );
    assert_eq!(
        query!(clGetMutableCommandInfoKHR(command; CL_MUTABLE_DISPATCH_DIMENSIONS_KHR) as u32),
        1
    );
    drop(recorded);
    // The handle belongs to the command-buffer.
    let param = CL_MUTABLE_DISPATCH_KERNEL_KHR;
    let code = cl!(clGetMutableCommandInfoKHR(
        command,
        param,
        0,
        null_mut(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_MUTABLE_COMMAND_KHR);
    release_buffer(to);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
