//! CL 9.2: functions of extensions, found by name.

use std::ffi::{c_char, c_void};

use caldera_runtime::error::{ClCode, Error, Result};

use super::{command_buffer::*, command_record::*, command_update::*, external::*};
use super::{device::*, kernel::*, matrix::*, platform::*, program::*, queue::*, semaphore::*, usm::*};
use crate::abi::*;
use crate::args::Ptr;
use crate::out::Info;
use crate::{entry, handle};

/// Returns the address of a function of an extension, or of one that loaders look up by name.
fn find(func_name: Ptr<c_char>) -> Result<*mut c_void> {
    let name = func_name
        .text()
        .ok_or_else(|| Error::new(ClCode::InvalidValue, "func_name is NULL").at("9.2"))?;
    let address = match name.as_str() {
        // The loader ocl-icd also asks for this function.
        "clGetPlatformInfo" => clGetPlatformInfo as *const c_void,
        "clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *const c_void,
        "clCreateCommandQueueWithPropertiesKHR" => clCreateCommandQueueWithPropertiesKHR as *const c_void,
        "clCreateSubDevicesEXT" => clCreateSubDevicesEXT as *const c_void,
        "clRetainDeviceEXT" => clRetainDeviceEXT as *const c_void,
        "clReleaseDeviceEXT" => clReleaseDeviceEXT as *const c_void,
        "clGetKernelSubGroupInfoKHR" => clGetKernelSubGroupInfoKHR as *const c_void,
        "clGetKernelSuggestedLocalWorkSizeKHR" => clGetKernelSuggestedLocalWorkSizeKHR as *const c_void,
        "clCreateProgramWithILKHR" => clCreateProgramWithILKHR as *const c_void,
        "clSetProgramSpecializationConstant" => clSetProgramSpecializationConstant as *const c_void,
        "clCreateCommandBufferKHR" => clCreateCommandBufferKHR as *const c_void,
        "clRetainCommandBufferKHR" => clRetainCommandBufferKHR as *const c_void,
        "clReleaseCommandBufferKHR" => clReleaseCommandBufferKHR as *const c_void,
        "clFinalizeCommandBufferKHR" => clFinalizeCommandBufferKHR as *const c_void,
        "clEnqueueCommandBufferKHR" => clEnqueueCommandBufferKHR as *const c_void,
        "clGetCommandBufferInfoKHR" => clGetCommandBufferInfoKHR as *const c_void,
        "clCommandBarrierWithWaitListKHR" => clCommandBarrierWithWaitListKHR as *const c_void,
        "clCommandCopyBufferKHR" => clCommandCopyBufferKHR as *const c_void,
        "clCommandCopyBufferRectKHR" => clCommandCopyBufferRectKHR as *const c_void,
        "clCommandCopyBufferToImageKHR" => clCommandCopyBufferToImageKHR as *const c_void,
        "clCommandCopyImageKHR" => clCommandCopyImageKHR as *const c_void,
        "clCommandCopyImageToBufferKHR" => clCommandCopyImageToBufferKHR as *const c_void,
        "clCommandFillBufferKHR" => clCommandFillBufferKHR as *const c_void,
        "clCommandFillImageKHR" => clCommandFillImageKHR as *const c_void,
        "clCommandNDRangeKernelKHR" => clCommandNDRangeKernelKHR as *const c_void,
        "clCommandSVMMemcpyKHR" => clCommandSVMMemcpyKHR as *const c_void,
        "clCommandSVMMemFillKHR" => clCommandSVMMemFillKHR as *const c_void,
        "clUpdateMutableCommandsKHR" => clUpdateMutableCommandsKHR as *const c_void,
        "clGetMutableCommandInfoKHR" => clGetMutableCommandInfoKHR as *const c_void,
        "clEnqueueAcquireExternalMemObjectsKHR" => clEnqueueAcquireExternalMemObjectsKHR as *const c_void,
        "clEnqueueReleaseExternalMemObjectsKHR" => clEnqueueReleaseExternalMemObjectsKHR as *const c_void,
        "clGetSemaphoreHandleForTypeKHR" => clGetSemaphoreHandleForTypeKHR as *const c_void,
        "clReImportSemaphoreSyncFdKHR" => clReImportSemaphoreSyncFdKHR as *const c_void,
        "clCreateSemaphoreWithPropertiesKHR" => clCreateSemaphoreWithPropertiesKHR as *const c_void,
        "clRetainSemaphoreKHR" => clRetainSemaphoreKHR as *const c_void,
        "clReleaseSemaphoreKHR" => clReleaseSemaphoreKHR as *const c_void,
        "clEnqueueWaitSemaphoresKHR" => clEnqueueWaitSemaphoresKHR as *const c_void,
        "clEnqueueSignalSemaphoresKHR" => clEnqueueSignalSemaphoresKHR as *const c_void,
        "clGetSemaphoreInfoKHR" => clGetSemaphoreInfoKHR as *const c_void,
        "clHostMemAllocINTEL" => clHostMemAllocINTEL as *const c_void,
        "clDeviceMemAllocINTEL" => clDeviceMemAllocINTEL as *const c_void,
        "clSharedMemAllocINTEL" => clSharedMemAllocINTEL as *const c_void,
        "clMemFreeINTEL" => clMemFreeINTEL as *const c_void,
        "clMemBlockingFreeINTEL" => clMemBlockingFreeINTEL as *const c_void,
        "clGetMemAllocInfoINTEL" => clGetMemAllocInfoINTEL as *const c_void,
        "clSetKernelArgMemPointerINTEL" => clSetKernelArgMemPointerINTEL as *const c_void,
        "clEnqueueMemFillINTEL" => clEnqueueMemFillINTEL as *const c_void,
        "clEnqueueMemsetINTEL" => clEnqueueMemsetINTEL as *const c_void,
        "clEnqueueMemcpyINTEL" => clEnqueueMemcpyINTEL as *const c_void,
        "clEnqueueMigrateMemINTEL" => clEnqueueMigrateMemINTEL as *const c_void,
        "clEnqueueMemAdviseINTEL" => clEnqueueMemAdviseINTEL as *const c_void,
        "clSetKernelArgDevicePointerEXT" => clSetKernelArgDevicePointerEXT as *const c_void,
        "clGetDeviceCooperativeMatrixInfoKHR" => clGetDeviceCooperativeMatrixInfoKHR as *const c_void,
        "clGetDeviceFeatureReportCALDERA" => clGetDeviceFeatureReportCALDERA as *const c_void,
        // CL 9.2: NULL if the function does not exist for the implementation
        _ => return Err(Error::new(ClCode::InvalidValue, format!("no function {name}")).at("9.2")),
    };
    Ok(address.cast_mut())
}

entry! {
    /// CL 1.1, 9.2 — clGetExtensionFunctionAddress
    fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
        find(func_name)
    }
}

entry! {
    /// CL 9.2 — clGetExtensionFunctionAddressForPlatform
    fn clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void {
        handle::borrow::<caldera_runtime::platform::Platform>(platform)?;
        find(func_name)
    }
}

entry! {
    /// An extension of Caldera: reports, as text for people, for each optional feature whether the device offers
    /// it, and if not, the reason. The parameters are those of clGetDeviceInfo without `param_name`. The error is
    /// CL_INVALID_VALUE if the buffer is too small.
    fn clGetDeviceFeatureReportCALDERA(
        device: cl_device_id,
        report_size: size_t,
        report: *mut c_void [report_size],
        report_size_ret: *mut size_t,
    ) {
        let device = handle::borrow::<caldera_runtime::device::Device>(device)?;
        Info::new(report, report_size_ret).text(&device.feature_report()).map(drop)
    }
}
