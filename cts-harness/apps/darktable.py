"""darktable's self-test of OpenCL, and some of its modules on a small picture: the device's result against the CPU's."""

import os
import struct
import subprocess

import cv2
import numpy as np

HOME = os.path.abspath("home")
os.makedirs(HOME, exist_ok=True)
ENVIRONMENT = dict(os.environ, HOME=HOME, XDG_CONFIG_HOME=HOME, XDG_CACHE_HOME=HOME)

# Module, version and layout of its parameters, parameters; how many pixels at the border darktable itself treats
# otherwise on the CPU, and by how much values of 8 bits may be off: nlmeans has another approximation of exp there.
MODULES = [
    ("sharpen", 1, "<fff", (2.0, 0.8, 0.5), 8, 1),
    ("velvia", 2, "<ff", (40.0, 1.0), 0, 1),
    ("vibrance", 2, "<f", (30.0,), 0, 1),
    # Their windows end at the border on the CPU, and repeat it on the device.
    ("bloom", 1, "<fff", (5.0, 40.0, 30.0), 50, 1),
    ("highpass", 1, "<ff", (20.0, 80.0), 30, 1),
    ("soften", 1, "<ffff", (30.0, 100.0, 0.33, 50.0), 0, 1),
    ("colorcontrast", 2, "<ffffi", (1.2, 0.0, 0.9, 0.0, 1), 0, 1),
    ("bilat", 3, "<Iffff", (0, 50.0, 50.0, 0.4, 0.5), 0, 1),
    ("nlmeans", 2, "<ffff", (2.0, 50.0, 0.5, 1.0), 16, 4),
]

XMP = """<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="5"
 darktable:raw_params="0" darktable:auto_presets_applied="1" darktable:history_end="1" darktable:iop_order_version="2">
<darktable:history><rdf:Seq><rdf:li darktable:num="0" darktable:operation="{name}" darktable:enabled="1"
 darktable:modversion="{version}" darktable:params="{parameters}" darktable:multi_name="" darktable:multi_priority="0"/>
</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
"""


def run(*command):
    try:
        done = subprocess.run(
            command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400, check=False
        )
    except subprocess.TimeoutExpired:
        return "it took longer than 400 s"
    return done.stdout


def develop(xmp, out, *options):
    if os.path.exists(out):
        os.remove(out)
    log = run("darktable-cli", "in.png", xmp, out, "--core", "--library", ":memory:", *options)
    return log, cv2.imread(out, -1)


def check(name, version, layout, parameters, border, most):
    xmp = f"{name}.xmp"
    with open(xmp, "w", encoding="utf-8") as file:
        hexadecimal = struct.pack(layout, *parameters).hex()
        file.write(XMP.format(name=name, version=version, parameters=hexadecimal))
    device = ["--conf", "opencl=TRUE", "--conf", "opencl_mandatory_timeout=4000", "-d", "opencl", "-d", "perf"]
    log, got = develop(xmp, "device.png", *device)
    _, expected = develop(xmp, "cpu.png", "--disable-opencl")
    if got is None or expected is None:
        return f"no picture\n{log[-2000:]}"
    # Input and output profiles are the other two.
    if log.count("on GPU, blended on GPU") != 3:
        return f"not on the device\n{log[-2000:]}"
    off = np.abs(got.astype(int) - expected.astype(int))
    h, w, _ = off.shape
    inside = off[border : h - border, border : w - border]
    far = np.count_nonzero(inside > most)
    return "" if far <= inside.size // 1000 else f"{far} of {inside.size} values are off, by {inside.max()} at most"


noise = np.random.default_rng(1).integers(0, 256, (150, 200, 3), dtype=np.uint8)
picture = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 2), None, 0, 255, cv2.NORM_MINMAX)
cv2.imwrite("in.png", picture)

test = run("darktable-cltest")
wrong = "" if "opencl is AVAILABLE" in test else test[-3000:]
print(f"FAIL cltest\n{wrong}" if wrong else "PASS cltest", flush=True)
for module in MODULES:
    wrong = check(*module)
    print(f"FAIL {module[0]}\n{wrong}" if wrong else f"PASS {module[0]}", flush=True)
