//! The names of libraries that drivers install, in the form that the system's dynamic linker finds.

/// NVIDIA's management library.
pub(crate) const NVML: &str = if cfg!(windows) {
    "nvml.dll"
} else {
    "libnvidia-ml.so.1"
};

/// NVIDIA's CUDA driver.
pub(crate) const CUDA: &str = if cfg!(windows) {
    "nvcuda.dll"
} else {
    "libcuda.so.1"
};
