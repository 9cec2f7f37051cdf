"""MPI with PyOpenCL: each rank integrates a part of 4 / (1 + x²) on a device, and exchanges a border with its neighbour.

    mpirun -n 4 python3 mpi.py

The ranks of a node share its devices in turn. Rank 0 prints one line for each check.
"""

import time

import numpy
import pyopencl
import pyopencl.array
from mpi4py import MPI

STEPS = 1 << 22
ROUNDS = 100

SOURCE = """
kernel void integrate(global float *sums, float first, float width, uint each)
{
    float start = first + get_global_id(0) * each * width;
    float sum = 0;
    for (uint i = 0; i < each; i++) {
        float x = start + (i + 0.5f) * width;
        sum += 4 / (1 + x * x);
    }
    sums[get_global_id(0)] = sum * width;
}

kernel void add_one(global int *cell) { cell[0] += 1; }
"""

world = MPI.COMM_WORLD
local_rank = world.Split_type(MPI.COMM_TYPE_SHARED).rank


def check(name, passed, facts):
    passed = world.allreduce(bool(passed), op=MPI.LAND)
    if world.rank == 0:
        print("PASS" if passed else "FAIL", name, flush=True)
        print(facts, flush=True)


start = time.perf_counter()
devices = [device for platform in pyopencl.get_platforms() for device in platform.get_devices()]
context = pyopencl.Context([devices[local_rank % len(devices)]])
queue = pyopencl.CommandQueue(context)
program = pyopencl.Program(context, SOURCE).build()
integrate, add_one = pyopencl.Kernel(program, "integrate"), pyopencl.Kernel(program, "add_one")
names = world.gather(queue.device.name)
check("devices", True, f"{world.size} ranks on {names}")

# Each rank integrates its own part, and the parts are added on all ranks.
items = 1024
width = 1 / STEPS
sums = pyopencl.array.empty(queue, items, numpy.float32)
integrate(
    queue, (items,), None, sums.data,
    numpy.float32(world.rank / world.size), numpy.float32(width), numpy.uint32(STEPS // world.size // items),
)
pi = world.allreduce(float(sums.get().astype(numpy.float64).sum()))
check("integral", abs(pi - numpy.pi) < 1e-4, f"pi = {pi:.6f}")

# A number goes around the ranks, and each rank adds 1 to it on its device, so every round crosses every process.
cell = pyopencl.array.zeros(queue, 1, numpy.int32)
value = numpy.zeros(1, numpy.int32)
world.Barrier()
rounds = time.perf_counter()
for _ in range(ROUNDS):
    if world.rank > 0:
        world.Recv(value, world.rank - 1)
    cell.set(value)
    add_one(queue, (1,), None, cell.data)
    cell.get(ary=value)
    if world.size > 1:
        world.Send(value, (world.rank + 1) % world.size)
        if world.rank == 0:
            world.Recv(value, world.size - 1)
end = time.perf_counter()
expected = ROUNDS * world.size
check("ring", world.rank > 0 or value[0] == expected, f"{value[0]} of {expected}, {(end - rounds) / expected * 1e6:.0f} microseconds a step, {end - start:.2f} s in total")
