//! The clock of NVIDIA GPUs, which only NVIDIA's management library reports (NVML, a part of the driver).

use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use super::{Facts, PciAddress};
use crate::os::libraries;

const SUCCESS: c_int = 0;
/// The flag of nvmlInitWithFlags that attaches to no GPU, so that none is woken.
const INIT_FLAG_NO_ATTACH: c_uint = 2;
/// The value of nvmlClockType_t for the clock of the multiprocessors.
const CLOCK_SM: c_int = 1;

type Init = unsafe extern "C" fn(c_uint) -> c_int;
type HandleByPciBusId = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
type MaxClockInfo = unsafe extern "C" fn(*mut c_void, c_int, *mut c_uint) -> c_int;
type Shutdown = unsafe extern "C" fn() -> c_int;

/// Returns the highest clock of the multiprocessors in MHz; `None` for other vendors, and where the library or
/// the query fails.
pub(crate) fn nvml_clock(facts: &Facts, pci: &PciAddress) -> Option<u32> {
    const NVIDIA: u32 = 0x10DE;
    if facts.vendor_id != NVIDIA {
        return None;
    }
    let address = CString::new(pci.to_string()).ok()?;
    // SAFETY: loading a library runs its constructors. This one is a part of the driver, and its constructors
    // are as harmless as those of the Vulkan driver that the process has loaded already.
    let library = unsafe { libloading::Library::new(libraries::NVML) }
        .inspect_err(|e| log::debug!("no clock: {e:?}"))
        .ok()?;
    // SAFETY: `Init`, `HandleByPciBusId`, `MaxClockInfo` and `Shutdown` are declared as in nvml.h.
    let init = unsafe { library.get::<Init>(b"nvmlInitWithFlags\0") }.ok()?;
    // SAFETY: as above.
    let handle = unsafe { library.get::<HandleByPciBusId>(b"nvmlDeviceGetHandleByPciBusId_v2\0") }.ok()?;
    // SAFETY: as above.
    let max_clock = unsafe { library.get::<MaxClockInfo>(b"nvmlDeviceGetMaxClockInfo\0") }.ok()?;
    // SAFETY: as above.
    let shutdown = unsafe { library.get::<Shutdown>(b"nvmlShutdown\0") }.ok()?;
    // Without a flag, NVML attaches to all GPUs, which takes longer. Some drivers report a clock only then,
    // hence the second try.
    [INIT_FLAG_NO_ATTACH, 0].into_iter().find_map(|flags| {
        // SAFETY: the function may be called at any time; a shutdown below follows each success.
        let mut code = unsafe { init(flags) };
        if code != SUCCESS {
            log::debug!("no clock: nvmlInitWithFlags({flags}) = {code}");
            return None;
        }
        let mut device = std::ptr::null_mut();
        let mut mhz = 0;
        // SAFETY: the library is initialised; the string ends with 0, and `device` has room for the handle.
        code = unsafe { handle(address.as_ptr(), &mut device) };
        if code == SUCCESS {
            // SAFETY: the handle is valid until the shutdown, and `mhz` has room for the result.
            code = unsafe { max_clock(device, CLOCK_SM, &mut mhz) };
        }
        // SAFETY: the library is initialised, and the handle is not used after this call.
        unsafe { shutdown() };
        if code != SUCCESS {
            log::debug!("no clock of {pci} by flags {flags}: NVML error {code}");
        }
        (code == SUCCESS).then_some(mhz)
    })
}
