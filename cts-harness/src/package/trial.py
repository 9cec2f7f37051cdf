import sys

import pyopencl

try:
    platforms = pyopencl.get_platforms()
except pyopencl.LogicError:  # There is no platform at all.
    platforms = []
found = [platform for platform in platforms if platform.name == "Caldera"]
if sys.argv[1] == "absent":
    assert not found, "the wheel has been removed, but its platform is still there"
    raise SystemExit(0)
assert found, f"PyOpenCL does not list Caldera: {platforms}"

import numpy
import pyopencl.array

queue = pyopencl.CommandQueue(pyopencl.Context(found[0].get_devices()[:1]))
squares = (pyopencl.array.arange(queue, 1000, dtype=numpy.float32) ** 2).get()
assert (squares == numpy.arange(1000, dtype=numpy.float32) ** 2).all(), squares
print("PyOpenCL computes on", queue.device.name)
