//! NVIDIA's CUDA driver, as far as it is needed to keep the clock of a GPU up (`crate::device::clock_keeper` says
//! why). The driver library is part of NVIDIA's driver package, like the Vulkan driver.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use super::{Facts, PciAddress};
use crate::os::libraries;

const SUCCESS: c_int = 0;

type Init = unsafe extern "C" fn(c_uint) -> c_int;
type DeviceByPciBusId = unsafe extern "C" fn(*mut c_int, *const c_char) -> c_int;
type PrimaryContextRetain = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
type PrimaryContextRelease = unsafe extern "C" fn(c_int) -> c_int;

/// The functions of the CUDA driver, which stays loaded because its threads and exit functions outlive any use.
struct Cuda {
    device_by_pci_bus_id: DeviceByPciBusId,
    retain: PrimaryContextRetain,
    release: PrimaryContextRelease,
}

/// Loads and initialises the CUDA driver once. Returns the reason as text if there is none or it cannot work.
fn cuda() -> Result<&'static Cuda, &'static str> {
    static CUDA: OnceLock<Result<Cuda, String>> = OnceLock::new();
    CUDA.get_or_init(load).as_ref().map_err(String::as_str)
}

fn load() -> Result<Cuda, String> {
    // SAFETY: loading a library runs its constructors. This one is a part of NVIDIA's driver, and its constructors
    // are as harmless as those of the Vulkan driver that the process has loaded already.
    let library = unsafe { libloading::Library::new(libraries::CUDA) }.map_err(|e| e.to_string())?;
    let library = Box::leak(Box::new(library));
    note_exit_functions();
    let missing = |e: libloading::Error| e.to_string();
    // SAFETY: `Init` is declared as cuInit in cuda.h.
    let init = unsafe { library.get::<Init>(b"cuInit\0") }.map_err(missing)?;
    // SAFETY: `DeviceByPciBusId` is declared as cuDeviceGetByPCIBusId in cuda.h.
    let device = unsafe { library.get::<DeviceByPciBusId>(b"cuDeviceGetByPCIBusId\0") }.map_err(missing)?;
    // SAFETY: `PrimaryContextRetain` is declared as cuDevicePrimaryCtxRetain in cuda.h.
    let retain =
        unsafe { library.get::<PrimaryContextRetain>(b"cuDevicePrimaryCtxRetain\0") }.map_err(missing)?;
    // SAFETY: `PrimaryContextRelease` is declared as cuDevicePrimaryCtxRelease_v2 in cuda.h.
    let release = unsafe { library.get::<PrimaryContextRelease>(b"cuDevicePrimaryCtxRelease_v2\0") };
    let cuda = Cuda {
        device_by_pci_bus_id: *device,
        retain: *retain,
        release: *release.map_err(missing)?,
    };
    // SAFETY: cuInit may be called at any time, by any thread, and any number of times; its only flag is 0.
    let code = unsafe { init(0) };
    note_exit_functions();
    match code {
        SUCCESS => Ok(cuda),
        code => Err(format!("cuInit: CUDA error {code}")),
    }
}

/// Notes that the CUDA driver may have registered exit functions, and that it is going to be busy. Its exit functions destroy
/// what its other functions use, so the exit of the process waits for it before they run.
fn note_exit_functions() {
    crate::process::driver_is_busy();
    crate::process::loaded();
}

/// A reference to the primary CUDA context of a GPU, which exists as long as the process holds a reference. The
/// context is current to no thread and executes nothing.
pub(crate) struct CudaContext {
    cuda: &'static Cuda,
    device: c_int,
}

impl CudaContext {
    /// Returns whether the GPU may have a CUDA context: whether it is one of NVIDIA's whose PCI address is known.
    pub(crate) fn may_exist_on(facts: &Facts) -> bool {
        const NVIDIA: u32 = 0x10DE;
        facts.vendor_id == NVIDIA && facts.pci.is_some()
    }

    /// Makes the primary context of the GPU with this address, or adds a reference to it. The first call of a
    /// process takes a few tenths of a second. Returns the reason as text if there can be no context.
    pub(crate) fn retain(pci: &PciAddress) -> Result<CudaContext, String> {
        crate::process::driver_is_busy();
        let cuda = cuda()?;
        let address = CString::new(pci.to_string()).map_err(|e| e.to_string())?;
        let mut device = 0;
        // SAFETY: the CUDA driver is initialised, the string ends with 0, and `device` has room for the result.
        let code = unsafe { (cuda.device_by_pci_bus_id)(&mut device, address.as_ptr()) };
        if code != SUCCESS {
            return Err(format!("cuDeviceGetByPCIBusId({pci}): CUDA error {code}"));
        }
        let mut context = std::ptr::null_mut();
        // SAFETY: the driver returned `device`, and `context` has room for the result.
        let code = unsafe { (cuda.retain)(&mut context, device) };
        note_exit_functions();
        match code {
            SUCCESS => Ok(CudaContext { cuda, device }),
            code => Err(format!("cuDevicePrimaryCtxRetain({pci}): CUDA error {code}")),
        }
    }
}

impl Drop for CudaContext {
    fn drop(&mut self) {
        // SAFETY: this object holds one reference to the primary context of the device, and gives it back once.
        let code = unsafe { (self.cuda.release)(self.device) };
        if code != SUCCESS {
            log::debug!("cuDevicePrimaryCtxRelease: CUDA error {code}");
        }
    }
}
