//! The clock of NVIDIA's GPUs, which only their management library tells (NVML, part of the driver).

use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use super::{Facts, PciAddress};

const SUCCESS: c_int = 0;
/// nvmlInitWithFlags: no GPU is woken.
const INIT_FLAG_NO_ATTACH: c_uint = 2;
/// nvmlClockType_t.
const CLOCK_SM: c_int = 1;

type Init = unsafe extern "C" fn(c_uint) -> c_int;
type HandleByPciBusId = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
type MaxClockInfo = unsafe extern "C" fn(*mut c_void, c_int, *mut c_uint) -> c_int;
type Shutdown = unsafe extern "C" fn() -> c_int;

/// The highest clock of the multiprocessors in MHz. `None` for other vendors, and without the library.
pub(crate) fn nvml_clock(facts: &Facts, pci: &PciAddress) -> Option<u32> {
    const NVIDIA: u32 = 0x10DE;
    if facts.vendor_id != NVIDIA {
        return None;
    }
    let address = CString::new(pci.to_string()).ok()?;
    // SAFETY: a part of the driver; its constructors are as harmless as those of the Vulkan driver beside it.
    let library = unsafe { libloading::Library::new("libnvidia-ml.so.1") }
        .inspect_err(|e| log::debug!("no clock: {e}"))
        .ok()?;
    // SAFETY: the types of these four are those of nvml.h.
    let init = unsafe { library.get::<Init>(b"nvmlInitWithFlags\0") }.ok()?;
    // SAFETY: as above.
    let handle = unsafe { library.get::<HandleByPciBusId>(b"nvmlDeviceGetHandleByPciBusId_v2\0") }.ok()?;
    // SAFETY: as above.
    let max_clock = unsafe { library.get::<MaxClockInfo>(b"nvmlDeviceGetMaxClockInfo\0") }.ok()?;
    // SAFETY: as above.
    let shutdown = unsafe { library.get::<Shutdown>(b"nvmlShutdown\0") }.ok()?;
    // Attaching to one GPU is quicker than to all; not every driver lets its clock be asked for then.
    [INIT_FLAG_NO_ATTACH, 0].into_iter().find_map(|flags| {
        // SAFETY: it may be called at any time; each success is met by a shutdown below.
        let mut code = unsafe { init(flags) };
        if code != SUCCESS {
            log::debug!("no clock: nvmlInitWithFlags({flags}) = {code}");
            return None;
        }
        let mut device = std::ptr::null_mut();
        let mut mhz = 0;
        // SAFETY: initialised above; the string ends with 0, and the result has room.
        code = unsafe { handle(address.as_ptr(), &mut device) };
        if code == SUCCESS {
            // SAFETY: the handle is good until the shutdown, and the result has room.
            code = unsafe { max_clock(device, CLOCK_SM, &mut mhz) };
        }
        // SAFETY: no handle is used any more.
        unsafe { shutdown() };
        if code != SUCCESS {
            log::debug!("no clock of {pci} by flags {flags}: NVML error {code}");
        }
        (code == SUCCESS).then_some(mhz)
    })
}
