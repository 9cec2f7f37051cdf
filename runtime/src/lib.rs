//! OpenCL objects, scheduling and Vulkan dispatch.
