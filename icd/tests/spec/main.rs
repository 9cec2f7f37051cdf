//! Tests of the C ABI by clause of the OpenCL 1.2 specification, through the built library. There is one file per
//! clause, and one check for each listed error condition and each query.

#[path = "../common/mod.rs"]
mod common;

mod abi;
mod conditions;
mod ext_buffer_device_address;
mod handles;
mod independent;
mod intel_device_attribute_query;
mod intel_required_subgroup_size;
mod khr_command_buffer;
mod khr_cooperative_matrix;
mod khr_external_memory;
mod khr_external_semaphore;
mod khr_il_program;
mod khr_image2d_from_buffer;
mod khr_integer_dot_product;
mod khr_semaphore;
mod later_versions;
mod s4_1_platform;
mod s4_2_device;
mod s4_4_context;
mod s5_10_marker;
mod s5_1_queue;
mod s5_2_1_create_buffer;
mod s5_2_2_host_memory;
mod s5_2_2_read_write;
mod s5_2_4_map;
mod s5_3_1_create_image;
mod s5_3_3_image_commands;
mod s5_3_3_read_image;
mod s5_3_image;
mod s5_4_mem_object;
mod s5_4_pipe;
mod s5_5_sampler;
mod s5_6_program;
mod s5_6_svm;
mod s5_7_kernel;
mod s5_8_again;
mod s5_8_native;
mod s5_8_ndrange;
mod s5_8_wide;
mod s5_9_event;
mod threads;
mod vulkan;

/// Runs the tests with the descriptor ABI.
#[test]
fn with_a_descriptor_for_each_buffer() {
    common::again::run_all_tests_with_other_code_but("CALDERA_ABI", "descriptor", &[]);
}

/// Runs the tests where the device has memory of its own, so that staging memory, host copies and the BAR mapping are
/// used.
#[test]
fn with_memory_of_the_devices_own() {
    common::again::run_all_tests("CALDERA_DEBUG", "discrete");
}
