"""Dask with PyOpenCL: a cluster of two workers sums the squares of a large array, each part on a device.

Each worker is a process that makes a context of its own. The process of the client makes none.
"""

import time

import dask.array
import distributed
import numpy

LENGTH = 1 << 22
PART = 1 << 18


def open_queue(dask_worker):
    """Makes the queue of a worker on one of the devices in turn, and returns the name of the device."""
    import pyopencl

    devices = [device for platform in pyopencl.get_platforms() for device in platform.get_devices()]
    device = devices[int(dask_worker.name) % len(devices)]
    dask_worker.queue = pyopencl.CommandQueue(pyopencl.Context([device]))
    return device.name


def squares(part):
    """Returns the sum of the squares of a part, as an array of one element."""
    import pyopencl.array

    part = pyopencl.array.to_device(distributed.get_worker().queue, part)
    return pyopencl.array.sum(part * part).get().reshape(1)


def main():
    start = time.perf_counter()
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        devices = client.run(open_queue)
        print("PASS" if len(devices) == 2 else "FAIL", "workers")
        print(*devices.values(), sep=", ")
        numbers = dask.array.arange(LENGTH, chunks=PART, dtype=numpy.int64) % 1000
        computing = time.perf_counter()
        total = numbers.map_blocks(squares, dtype=numpy.int64, chunks=(1,)).sum().compute()
        end = time.perf_counter()
    expected = int(((numpy.arange(LENGTH, dtype=numpy.int64) % 1000) ** 2).sum())
    print("PASS" if total == expected else "FAIL", "sum")
    print(f"{total}; {LENGTH // PART} parts in {end - computing:.2f} s, {end - start:.2f} s in total")


if __name__ == "__main__":
    main()
