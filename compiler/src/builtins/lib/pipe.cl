// Pipes (OpenCL C 2.0, 6.13.16). A pipe is a buffer: four words, then from byte 128 on the packets, as a ring.
//
// word 0: the position of the next packet that is read    word 2: the number of packets for which there is space
// word 1: the position of the next packet that is written word 3: the size of a packet in bytes (runtime/src/mem/pipe.rs)
//
// Positions count the packets modulo twice the number of packets, so that a full pipe differs from an empty one. A kernel
// either reads a pipe or writes it, and what another kernel has done is visible after a synchronization point (OpenCL 2.0,
// 5.4). So the packets between the two positions are complete, a reservation moves one of them, and a commit has nothing
// to do. The number of a reservation is the position of its first packet plus 1. It is 0 if the reservation fails: if the pipe
// does not have enough packets or space, or if the packets of the call are larger than those of the pipe.

uint __c_pipe_packets_between(uint from, uint to, uint limit)
{
    return to >= from ? to - from : to + limit - from;
}

uint __c_pipe_num_packets(volatile __global uint *pipe)
{
    return __c_pipe_packets_between(pipe[0], pipe[1], 2 * pipe[2]);
}

uint __c_pipe_max_packets(__global uint *pipe)
{
    return pipe[2];
}

uint __c_pipe_after(uint position, uint count, uint limit)
{
    uint next = position + count;
    return next >= limit ? next - limit : next;
}

uint __c_pipe_reserve_read(volatile __global uint *pipe, uint count, uint size)
{
    uint limit = 2 * pipe[2];
    uint end = pipe[1];
    if (size > pipe[3]) return 0;
    uint start = pipe[0];
    while (count <= __c_pipe_packets_between(start, end, limit)) {
        uint old = atom_cmpxchg(pipe, start, __c_pipe_after(start, count, limit));
        if (old == start) return start + 1;
        start = old;
    }
    return 0;
}

uint __c_pipe_reserve_write(volatile __global uint *pipe, uint count, uint size)
{
    uint space = pipe[2];
    uint limit = 2 * space;
    uint first = pipe[0];
    if (size > pipe[3]) return 0;
    uint start = pipe[1];
    while (count <= space - __c_pipe_packets_between(first, start, limit)) {
        uint old = atom_cmpxchg(pipe + 1, start, __c_pipe_after(start, count, limit));
        if (old == start) return start + 1;
        start = old;
    }
    return 0;
}

uint __c_pipe_sub_group_reserve_read(volatile __global uint *pipe, uint count, uint size)
{
    uint id = 0;
    if (get_sub_group_local_id() == 0) id = __c_pipe_reserve_read(pipe, count, size);
    return sub_group_broadcast(id, 0u);
}

uint __c_pipe_sub_group_reserve_write(volatile __global uint *pipe, uint count, uint size)
{
    uint id = 0;
    if (get_sub_group_local_id() == 0) id = __c_pipe_reserve_write(pipe, count, size);
    return sub_group_broadcast(id, 0u);
}

uint __c_pipe_work_group_reserve_read(volatile __global uint *pipe, uint count, uint size)
{
    uint id = 0;
    if (get_local_linear_id() == 0) id = __c_pipe_reserve_read(pipe, count, size);
    return work_group_broadcast(id, 0, 0, 0);
}

uint __c_pipe_work_group_reserve_write(volatile __global uint *pipe, uint count, uint size)
{
    uint id = 0;
    if (get_local_linear_id() == 0) id = __c_pipe_reserve_write(pipe, count, size);
    return work_group_broadcast(id, 0, 0, 0);
}

// The place of a packet of a reservation.
__global uchar *__c_pipe_packet(__global uint *pipe, uint id, uint index, uint size)
{
    uint space = pipe[2];
    uint position = __c_pipe_after(id - 1, index, 2 * space);
    uint slot = position >= space ? position - space : position;
    return (__global uchar *)pipe + 128 + (ulong)slot * size;
}
