"""FFmpeg's filters in OpenCL against its own on the CPU, on a test picture that moves."""

import subprocess

import numpy as np

W, H, FRAMES = 320, 240, 2
# Name, filter on the device, filter on the CPU, pixels at the border that are not compared (filters differ there), and how
# far values may be off. (unsharp and colorkey compute something else on the CPU.)
FILTERS = [
    ("transpose", "transpose_opencl=clock", "transpose=clock", 0, 0),
    ("pad", "pad_opencl=400:300:10:10", "pad=400:300:10:10", 0, 0),
    ("erosion", "erosion_opencl", "erosion", 2, 0),
    ("dilation", "dilation_opencl", "dilation", 2, 0),
    ("sobel", "sobel_opencl", "sobel", 2, 1),
    ("prewitt", "prewitt_opencl", "prewitt", 2, 1),
    ("roberts", "roberts_opencl", "roberts", 2, 1),
    ("convolution", "convolution_opencl", "convolution", 2, 1),
    ("avgblur", "avgblur_opencl=3", "avgblur=3", 8, 1),
    ("nlmeans", "nlmeans_opencl=3", "nlmeans=3", 16, 4),
]


def run(name, filters, out):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl"]
    command += ["-f", "lavfi", "-i", f"testsrc=size={W}x{H}:rate=25", "-frames:v", str(FRAMES), "-vf", filters]
    command += ["-f", "rawvideo", "-y", out]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout[-1500:])
    return np.fromfile(out, dtype=np.uint8).astype(int)


for name, device, cpu, border, most in FILTERS:
    try:
        got = run(name, f"format=yuv420p,hwupload,{device},hwdownload,format=yuv420p", "device.raw")
        expected = run(name, f"format=yuv420p,{cpu}", "cpu.raw")
        if got.size != expected.size:
            raise RuntimeError(f"{got.size} bytes, {expected.size} on the CPU")
        w, h = {"transpose": (H, W), "pad": (400, 300)}.get(name, (W, H))
        off = np.abs(got - expected).reshape(FRAMES, -1)
        # The first plane.
        off = off[:, : w * h].reshape(FRAMES, h, w)
        inside = off[:, border : h - border, border : w - border]
        far = np.count_nonzero(inside > most)
        good = far <= inside.size // 1000
        print(f"PASS {name}" if good else f"FAIL {name}\n{far} of {inside.size} values are off, by {inside.max()} at most", flush=True)
    except (RuntimeError, subprocess.TimeoutExpired) as e:
        print(f"FAIL {name}\n{e}", flush=True)
