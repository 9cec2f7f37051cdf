"""Caldera: OpenCL on every device that has a Vulkan driver.

The package puts `libcaldera.so` beside the OpenCL loader of PyOpenCL's wheels. This module says where it is, and
`caldera.doctor` what is missing.
"""

from pathlib import Path

from ._build import REVISION, __version__

__all__ = ["REVISION", "__version__", "library"]


def library() -> Path:
    """Returns the path of `libcaldera.so`."""
    return Path(__file__).resolve().parent.parent / "pyopencl" / ".libs" / "libcaldera.so"
