//! Functions of pipes (OpenCL C 3.0, 6.15.18 and 6.15.20.2). Programs of OpenCL C 1.x do not have them.

use super::*;

/// No signatures: `sema::builtin::pipe` checks the arguments.
const UNCHECKED: &[Sig] = &[];

const fn pipe(what: PipeCall) -> How {
    How::Inline(Inline::Pipe(what))
}

const fn reserve(write: bool, by: Group) -> How {
    pipe(PipeCall::Reserve { write, by })
}

const fn commit(write: bool) -> How {
    pipe(PipeCall::Commit { write })
}

pub(super) static ROWS: &[Row] = &[
    row("commit_read_pipe", UNCHECKED, commit(false)),
    row("commit_write_pipe", UNCHECKED, commit(true)),
    row("get_pipe_max_packets", UNCHECKED, pipe(PipeCall::MaxPackets)),
    row("get_pipe_num_packets", UNCHECKED, pipe(PipeCall::NumPackets)),
    row("is_valid_reserve_id", UNCHECKED, pipe(PipeCall::IsValid)),
    row("read_pipe", UNCHECKED, pipe(PipeCall::Access { write: false })),
    row("reserve_read_pipe", UNCHECKED, reserve(false, Group::Item)),
    row("reserve_write_pipe", UNCHECKED, reserve(true, Group::Item)),
    row("sub_group_commit_read_pipe", UNCHECKED, commit(false)),
    row("sub_group_commit_write_pipe", UNCHECKED, commit(true)),
    row(
        "sub_group_reserve_read_pipe",
        UNCHECKED,
        reserve(false, Group::SubGroup),
    ),
    row(
        "sub_group_reserve_write_pipe",
        UNCHECKED,
        reserve(true, Group::SubGroup),
    ),
    row("work_group_commit_read_pipe", UNCHECKED, commit(false)),
    row("work_group_commit_write_pipe", UNCHECKED, commit(true)),
    row(
        "work_group_reserve_read_pipe",
        UNCHECKED,
        reserve(false, Group::WorkGroup),
    ),
    row(
        "work_group_reserve_write_pipe",
        UNCHECKED,
        reserve(true, Group::WorkGroup),
    ),
    row("write_pipe", UNCHECKED, pipe(PipeCall::Access { write: true })),
];
