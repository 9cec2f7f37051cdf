"""Reports whether PyOpenCL sees Caldera's devices, and if not, what to do."""

import ctypes
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

from . import REVISION, __version__, library

# Variables that hide devices or platforms, or replace loaders, and those of which each says what it does.
VARIABLES = {
    "CALDERA_DEVICE": "offers only the devices that it names",
    "CALDERA_VULKAN_LIBRARY": "replaces the Vulkan loader",
    "OCL_ICD_VENDORS": "names the folder in which the OpenCL loader looks for platforms",
    "VK_DRIVER_FILES": "names the only Vulkan drivers",
    "VK_ICD_FILENAMES": "names the only Vulkan drivers",
    "VK_LOADER_DRIVERS_DISABLE": "hides Vulkan drivers",
    "VK_LOADER_DRIVERS_SELECT": "selects Vulkan drivers",
}

# The program that lists Caldera's devices. It runs in a process of its own, whose log says why there are none.
LIST = """
import ctypes, sys
cl = ctypes.CDLL(sys.argv[1])
platform, count = ctypes.c_void_p(), ctypes.c_uint()
if cl.clIcdGetPlatformIDsKHR(1, ctypes.byref(platform), None):
    raise SystemExit(0)
everything = ctypes.c_uint64(0xFFFFFFFF)
if cl.clGetDeviceIDs(platform, everything, 0, None, ctypes.byref(count)):
    raise SystemExit(0)
devices = (ctypes.c_void_p * count.value)()
cl.clGetDeviceIDs(platform, everything, count, devices, None)
for device in devices:
    name = ctypes.create_string_buffer(1024)
    cl.clGetDeviceInfo(ctypes.c_void_p(device), 0x102B, ctypes.c_size_t(1024), name, None)
    print(name.value.decode())
"""


def examine() -> Tuple[List[str], bool]:
    """Returns the lines of the report, and whether PyOpenCL sees a device of Caldera."""
    revision = f" ({REVISION})" if REVISION else ""
    lines = [f"Caldera {__version__}{revision}: {library()}"]
    if not library().exists():
        lines.append("  MISSING. Install the package again: pip install --force-reinstall caldera_opencl-….whl")
        return lines, False
    lines += vulkan_loader()
    devices, log = caldera_devices()
    lines += [f"device: {name}" for name in devices]
    if not devices:
        lines.append("device: NONE. A Vulkan driver is needed: on Debian and Ubuntu, apt-get install mesa-vulkan-drivers")
        lines.append("  is the one for CPUs; GPUs need their vendor's. Caldera's log:")
        lines += [f"    {line}" for line in log]
    lines += variables()
    seen, found = pyopencl_platforms()
    return lines + seen, found and bool(devices)


def vulkan_loader() -> List[str]:
    name = os.environ.get("CALDERA_VULKAN_LIBRARY", "libvulkan.so.1")
    try:
        ctypes.CDLL(name)
    except OSError as error:
        packages = "libvulkan1 (Debian, Ubuntu), vulkan-loader (Fedora), vulkan-icd-loader (Arch)"
        return [f"Vulkan loader: MISSING ({error}). Install the package {packages}"]
    return [f"Vulkan loader: {name}"]


def caldera_devices() -> Tuple[List[str], List[str]]:
    """Returns the names of the devices, and the log of Caldera."""
    environment = dict(os.environ, CALDERA_LOG="debug")
    environment.pop("CALDERA_LOG_FILE", None)
    command = [sys.executable, "-c", LIST, str(library())]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.stdout.splitlines(), done.stderr.splitlines()


def variables() -> List[str]:
    return [f"{name}={os.environ[name]}  {what}" for name, what in VARIABLES.items() if name in os.environ]


def pyopencl_platforms() -> Tuple[List[str], bool]:
    spec = importlib.util.find_spec("pyopencl")
    if spec is None or spec.origin is None:
        return ["PyOpenCL: not installed. pip install pyopencl"], False
    import pyopencl

    try:
        platforms = [platform.name for platform in pyopencl.get_platforms()]
    except pyopencl.Error as error:
        platforms = [str(error)]
    lines = [f"PyOpenCL {pyopencl.VERSION_TEXT}: {', '.join(platforms)}"]
    if "Caldera" in platforms:
        return lines, True
    folder = Path(spec.origin).resolve().parent / ".libs"
    if folder != library().parent:
        lines.append(f"  It is in another folder than Caldera, or it is not a wheel: it does not read {library().parent}.")
    lines.append("  Register Caldera with its OpenCL loader: write the path of libcaldera.so to a file caldera.icd in")
    lines.append("  /etc/OpenCL/vendors, or in the folder that OCL_ICD_VENDORS names.")
    return lines, False


def main() -> int:
    """Prints the report. Returns the exit code: 0 if PyOpenCL sees a device of Caldera."""
    lines, found = examine()
    print("\n".join(lines))
    return 0 if found else 1
