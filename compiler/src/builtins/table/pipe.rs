//! Functions of pipes (OpenCL C 3.0, 6.15.18 and 6.15.20.2). Programs of OpenCL C 1.x do not have them.

use super::*;

/// `sema::builtin::pipe` checks the arguments.
const ANY: &[Sig] = &[];

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
    row("commit_read_pipe", ANY, commit(false)),
    row("commit_write_pipe", ANY, commit(true)),
    row("get_pipe_max_packets", ANY, pipe(PipeCall::MaxPackets)),
    row("get_pipe_num_packets", ANY, pipe(PipeCall::NumPackets)),
    row("is_valid_reserve_id", ANY, pipe(PipeCall::IsValid)),
    row("read_pipe", ANY, pipe(PipeCall::Access { write: false })),
    row("reserve_read_pipe", ANY, reserve(false, Group::Item)),
    row("reserve_write_pipe", ANY, reserve(true, Group::Item)),
    row("sub_group_commit_read_pipe", ANY, commit(false)),
    row("sub_group_commit_write_pipe", ANY, commit(true)),
    row(
        "sub_group_reserve_read_pipe",
        ANY,
        reserve(false, Group::SubGroup),
    ),
    row(
        "sub_group_reserve_write_pipe",
        ANY,
        reserve(true, Group::SubGroup),
    ),
    row("work_group_commit_read_pipe", ANY, commit(false)),
    row("work_group_commit_write_pipe", ANY, commit(true)),
    row(
        "work_group_reserve_read_pipe",
        ANY,
        reserve(false, Group::WorkGroup),
    ),
    row(
        "work_group_reserve_write_pipe",
        ANY,
        reserve(true, Group::WorkGroup),
    ),
    row("write_pipe", ANY, pipe(PipeCall::Access { write: true })),
];
