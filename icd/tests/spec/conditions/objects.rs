//! 4.1 to 5.1, 5.5: platforms, devices, contexts, queues, samplers.

use std::ptr::{null, null_mut};

use super::world::room;
use super::{Row, rows};
use crate::common::objects::platform;
use crate::common::*;
use crate::{cl, created};

/// A `param_name` that no query of any object has.
pub(super) const UNKNOWN: cl_uint = 0x7FFF_0000;

pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("4.1", clGetPlatformIDs,
        CL_INVALID_VALUE "num_entries is 0 and platforms is not NULL" =>
            |_| cl!(clGetPlatformIDs(0, room().cast(), null_mut())),
        CL_INVALID_VALUE "both platforms and num_platforms are NULL" =>
            |_| cl!(clGetPlatformIDs(0, null_mut(), null_mut())),
    );
    all.extend(rows!("4.1", clGetPlatformInfo,
        CL_INVALID_PLATFORM "platform is not valid" =>
            |w| w.garbage(|h| cl!(clGetPlatformInfo(h, CL_PLATFORM_NAME, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |_| cl!(clGetPlatformInfo(platform(), UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |_| cl!(clGetPlatformInfo(platform(), CL_PLATFORM_NAME, 2, room(), null_mut())),
    ));
    all.extend(rows!("4.2", clGetDeviceIDs,
        CL_INVALID_PLATFORM "platform is not valid" =>
            |w| w.garbage(|h| cl!(clGetDeviceIDs(h, CL_DEVICE_TYPE_ALL, 1, room().cast(), null_mut()))),
        CL_INVALID_DEVICE_TYPE "device_type is not valid" =>
            |_| cl!(clGetDeviceIDs(platform(), 1 << 40, 1, room().cast(), null_mut())),
        CL_INVALID_DEVICE_TYPE "device_type is 0" =>
            |_| cl!(clGetDeviceIDs(platform(), 0, 1, room().cast(), null_mut())),
        CL_INVALID_VALUE "num_entries is 0 and devices is not NULL" =>
            |_| cl!(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, room().cast(), null_mut())),
        CL_INVALID_VALUE "both devices and num_devices are NULL" =>
            |_| cl!(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut())),
        CL_DEVICE_NOT_FOUND "no device of the type" =>
            |_| cl!(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CUSTOM, 1, room().cast(), null_mut())),
    ));
    all.extend(rows!("4.2", clGetDeviceInfo,
        CL_INVALID_DEVICE "device is not valid" =>
            |w| w.none(|h| cl!(clGetDeviceInfo(h, CL_DEVICE_NAME, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetDeviceInfo(w.s.device, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetDeviceInfo(w.s.device, CL_DEVICE_TYPE, 4, room(), null_mut())),
    ));
    all.extend(rows!("4.3", clCreateSubDevices,
        CL_INVALID_DEVICE "in_device is not valid" =>
            |w| w.none(|h| cl!(clCreateSubDevices(h, [CL_DEVICE_PARTITION_EQUALLY, 1, 0].as_ptr(), 0, null_mut(), null_mut()))),
        CL_INVALID_VALUE "a kind of partition that the device does not support" =>
            |w| cl!(clCreateSubDevices(w.s.device, [CL_DEVICE_PARTITION_EQUALLY, 1, 0].as_ptr(), 0, null_mut(), null_mut())),
        CL_INVALID_VALUE "the same for counts" =>
            |w| cl!(clCreateSubDevices(w.s.device, [CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0].as_ptr(), 0, null_mut(), null_mut())),
        CL_INVALID_VALUE "properties are not valid" =>
            |w| cl!(clCreateSubDevices(w.s.device, [0x7777, 1, 0].as_ptr(), 0, null_mut(), null_mut())),
    ));
    all.extend(rows!("4.3", clRetainDevice,
        CL_INVALID_DEVICE "device is not valid" => |w| w.none(|h| cl!(clRetainDevice(h))),
    ));
    all.extend(rows!("4.3", clReleaseDevice,
        CL_INVALID_DEVICE "device is not valid" => |w| w.none(|h| cl!(clReleaseDevice(h))),
    ));
    all.extend(contexts());
    all.extend(queues());
    all.extend(samplers());
    all
}

fn contexts() -> Vec<Row> {
    let mut all = rows!("4.4", clCreateContext,
        CL_INVALID_PLATFORM "the platform in properties is not valid" => |w| {
            let list = [CL_CONTEXT_PLATFORM, 8, 0];
            created!(clCreateContext(list.as_ptr(), 1, &w.s.device, None, null_mut())).1
        },
        CL_INVALID_PROPERTY "a name in properties is not supported" => |w| {
            let list = [0x7777, 8, 0];
            created!(clCreateContext(list.as_ptr(), 1, &w.s.device, None, null_mut())).1
        },
        CL_INVALID_PROPERTY "a value in properties is not valid" => |w| {
            let list = [CL_CONTEXT_INTEROP_USER_SYNC, 2, 0];
            created!(clCreateContext(list.as_ptr(), 1, &w.s.device, None, null_mut())).1
        },
        CL_INVALID_PROPERTY "a name is specified twice" => |w| {
            let list = [CL_CONTEXT_INTEROP_USER_SYNC, 0, CL_CONTEXT_INTEROP_USER_SYNC, 0, 0];
            created!(clCreateContext(list.as_ptr(), 1, &w.s.device, None, null_mut())).1
        },
        CL_INVALID_VALUE "devices is NULL" =>
            |_| created!(clCreateContext(null(), 1, null(), None, null_mut())).1,
        CL_INVALID_VALUE "num_devices is 0" =>
            |w| created!(clCreateContext(null(), 0, &w.s.device, None, null_mut())).1,
        CL_INVALID_VALUE "pfn_notify is NULL and user_data is not" =>
            |w| created!(clCreateContext(null(), 1, &w.s.device, None, room())).1,
        CL_INVALID_DEVICE "a device is not valid" =>
            |w| w.none(|h| created!(clCreateContext(null(), 1, &h, None, null_mut())).1),
        CL_INVALID_DEVICE "the second device is not valid" =>
            |w| w.none(|h| created!(clCreateContext(null(), 2, [w.s.device, h].as_ptr(), None, null_mut())).1),
    );
    all.extend(rows!("4.4", clCreateContextFromType,
        CL_INVALID_PLATFORM "the platform in properties is not valid" => |_| {
            let list = [CL_CONTEXT_PLATFORM, 8, 0];
            created!(clCreateContextFromType(list.as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut())).1
        },
        CL_INVALID_PROPERTY "a name in properties is not supported" => |_| {
            let list = [0x7777, 8, 0];
            created!(clCreateContextFromType(list.as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut())).1
        },
        CL_INVALID_VALUE "pfn_notify is NULL and user_data is not" =>
            |_| created!(clCreateContextFromType(null(), CL_DEVICE_TYPE_ALL, None, room())).1,
        CL_INVALID_DEVICE_TYPE "device_type is not valid" =>
            |_| created!(clCreateContextFromType(null(), 1 << 40, None, null_mut())).1,
        CL_DEVICE_NOT_FOUND "no device of the type" =>
            |_| created!(clCreateContextFromType(null(), CL_DEVICE_TYPE_CUSTOM, None, null_mut())).1,
    ));
    all.extend(rows!("4.4", clRetainContext,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| cl!(clRetainContext(h))),
    ));
    all.extend(rows!("4.4", clReleaseContext,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| cl!(clReleaseContext(h))),
    ));
    all.extend(rows!("4.4", clGetContextInfo,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| cl!(clGetContextInfo(h, CL_CONTEXT_DEVICES, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetContextInfo(w.s.context, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetContextInfo(w.s.context, CL_CONTEXT_DEVICES, 4, room(), null_mut())),
    ));
    all
}

fn queues() -> Vec<Row> {
    let mut all = rows!("5.1", clCreateCommandQueue,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateCommandQueue(h, w.s.device, 0)).1),
        CL_INVALID_DEVICE "device is not valid" =>
            |w| w.none(|h| created!(clCreateCommandQueue(w.s.context, h, 0)).1),
        CL_INVALID_VALUE "properties are not valid" =>
            |w| created!(clCreateCommandQueue(w.s.context, w.s.device, 1 << 20)).1,
    );
    all.extend(rows!("5.1", clRetainCommandQueue,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clRetainCommandQueue(h))),
    ));
    all.extend(rows!("5.1", clReleaseCommandQueue,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clReleaseCommandQueue(h))),
    ));
    all.extend(rows!("5.1", clGetCommandQueueInfo,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" =>
            |w| w.none(|h| cl!(clGetCommandQueueInfo(h, CL_QUEUE_CONTEXT, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetCommandQueueInfo(w.s.queue, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetCommandQueueInfo(w.s.queue, CL_QUEUE_CONTEXT, 4, room(), null_mut())),
    ));
    all.extend(rows!("5.1", clSetCommandQueueProperty,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" =>
            |w| w.none(|h| cl!(clSetCommandQueueProperty(h, 0, 1, null_mut()))),
        CL_INVALID_OPERATION "no device supports changing properties" =>
            |w| cl!(clSetCommandQueueProperty(w.s.queue, CL_QUEUE_PROFILING_ENABLE, 1, null_mut())),
    ));
    all.extend(rows!("5.13", clFlush,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clFlush(h))),
    ));
    all.extend(rows!("5.13", clFinish,
        CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| cl!(clFinish(h))),
    ));
    all
}

fn samplers() -> Vec<Row> {
    let mut all = rows!("5.5.1", clCreateSampler,
        CL_INVALID_CONTEXT "context is not valid" =>
            |w| w.none(|h| created!(clCreateSampler(h, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST)).1),
        CL_INVALID_VALUE "addressing_mode is not valid" =>
            |w| created!(clCreateSampler(w.s.context, 0, 0x7777, CL_FILTER_NEAREST)).1,
        CL_INVALID_VALUE "filter_mode is not valid" =>
            |w| created!(clCreateSampler(w.s.context, 0, CL_ADDRESS_CLAMP, 0x7777)).1,
        CL_INVALID_VALUE "normalized_coords is not valid" =>
            |w| created!(clCreateSampler(w.s.context, 7, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST)).1,
    );
    all.extend(rows!("5.5.1", clRetainSampler,
        CL_INVALID_SAMPLER "sampler is not valid" => |w| w.none(|h| cl!(clRetainSampler(h))),
    ));
    all.extend(rows!("5.5.1", clReleaseSampler,
        CL_INVALID_SAMPLER "sampler is not valid" => |w| w.none(|h| cl!(clReleaseSampler(h))),
    ));
    all.extend(rows!("5.5.2", clGetSamplerInfo,
        CL_INVALID_SAMPLER "sampler is not valid" =>
            |w| w.none(|h| cl!(clGetSamplerInfo(h, CL_SAMPLER_CONTEXT, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetSamplerInfo(w.sampler, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetSamplerInfo(w.sampler, CL_SAMPLER_CONTEXT, 4, room(), null_mut())),
    ));
    all
}
