//! The functions that replace those of the implementation. Each passes the call on, and then tells the record what was
//! done. A panic of the record is caught, and ends the recording, not the program.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use crate::memory::Region;
use crate::names::Names;
use crate::next::{self, Event, KernelOnDevice, Table, next};
use crate::record::{Launch, Record};
use crate::report::{self, Header};
use opencl_sys::cl_layer::*;
use opencl_sys::*;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The least time between two reports, so that writing them takes little of the program's time.
const BETWEEN_REPORTS: Duration = Duration::from_secs(1);

/// Everything that the layer knows.
struct Layer {
    folder: PathBuf,
    header: Header,
    names: Names,
    record: Record<Event>,
    reported: Instant,
}

static LAYER: OnceLock<Mutex<Layer>> = OnceLock::new();

unsafe extern "C" {
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

/// Calls `tell` with the layer. After a panic, the layer is no longer told anything.
fn observe(tell: impl FnOnce(&mut Layer)) {
    let Some(layer) = LAYER.get().filter(|l| !l.is_poisoned()) else {
        return;
    };
    let _ = catch_unwind(AssertUnwindSafe(|| {
        tell(&mut layer.lock().unwrap_or_else(PoisonError::into_inner));
    }));
}

impl Layer {
    /// Takes over what is complete, and writes the report if the last one is old.
    fn settle(&mut self) {
        self.record.settle();
        if self.reported.elapsed() > BETWEEN_REPORTS {
            self.write();
        }
    }

    /// Writes the report and the sources that are new. A failure is not reported: the harness finds no report then.
    fn write(&mut self) {
        // A forked child has a copy of its parent's record.
        if self.header.process != std::process::id() {
            return;
        }
        for (hash, source) in self.names.sources.drain(..) {
            let _ = std::fs::write(self.folder.join(format!("{hash:016x}.cl")), source);
        }
        let file = self.folder.join(format!("{}.layer", self.header.process));
        let unfinished = file.with_extension("unfinished");
        // The process may be killed while it writes: a report is there as a whole or not at all.
        if std::fs::write(&unfinished, report::text(&self.header, &self.record)).is_ok() {
            let _ = std::fs::rename(unfinished, file);
        }
        self.reported = Instant::now();
    }
}

/// The end of the process. The implementation may have ended already, so that it is not called any more.
extern "C" fn at_exit() {
    observe(Layer::write);
}

/// Answers the loader's question for the version of the interface.
///
/// # Safety
///
/// The pointers must be null or point to memory that the loader may give for this query.
#[unsafe(no_mangle)]
unsafe extern "C" fn clGetLayerInfo(
    what: cl_layer_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    const SIZE: usize = size_of::<cl_layer_api_version>();
    if what != CL_LAYER_API_VERSION || !value.is_null() && size < SIZE {
        return CL_INVALID_VALUE;
    }
    if !value.is_null() {
        // SAFETY: the loader gives `size` bytes, which are enough. Their alignment is not known.
        unsafe {
            value
                .cast::<cl_layer_api_version>()
                .write_unaligned(CL_LAYER_API_VERSION_100);
        };
    }
    if !size_ret.is_null() {
        // SAFETY: the loader gives null or a valid pointer.
        unsafe { size_ret.write(SIZE) };
    }
    CL_SUCCESS
}

/// Gives the loader the functions of the layer. Those that are null are the implementation's.
///
/// # Safety
///
/// The pointers must be those that a loader gives: `target` has `count` functions, and the others are valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clInitLayer(
    count: cl_uint,
    target: *const Table,
    count_ret: *mut cl_uint,
    table_ret: *mut *const Table,
) -> cl_int {
    struct Own(Table);
    // SAFETY: the table consists of addresses of functions that any thread may call.
    unsafe impl Send for Own {}
    // SAFETY: as above.
    unsafe impl Sync for Own {}
    static OWN: OnceLock<Own> = OnceLock::new();
    if target.is_null() || count_ret.is_null() || table_ret.is_null() {
        return CL_INVALID_VALUE;
    }
    let started = catch_unwind(|| {
        // SAFETY: the loader gives a table with `count` functions, which it keeps.
        unsafe { next::keep(target, count as usize) };
        let own = OWN.get_or_init(|| {
            Own(match start() {
                true => functions(),
                false => next::empty(),
            })
        });
        &raw const own.0
    });
    let Ok(own) = started else {
        return CL_OUT_OF_HOST_MEMORY;
    };
    // SAFETY: the loader gives a valid pointer.
    unsafe { table_ret.write(own) };
    // SAFETY: the loader gives a valid pointer.
    unsafe { count_ret.write(count.min(next::FUNCTIONS as cl_uint)) };
    CL_SUCCESS
}

/// Begins the record if there is a folder for it.
fn start() -> bool {
    let Some(folder) = std::env::var_os("CALDERA_LAYER_OUT") else {
        return false;
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let layer = Layer {
        folder: folder.into(),
        header: Header {
            process: std::process::id(),
            start: since.map_or(0, |s| s.as_nanos()),
            program: std::env::args_os()
                .next()
                .map(|p| p.to_string_lossy().into_owned())
                .unwrap_or_default(),
            device: None,
        },
        names: Names::default(),
        record: Record::new(),
        reported: Instant::now(),
    };
    let is_first = LAYER.set(Mutex::new(layer)).is_ok();
    if is_first {
        atexit(at_exit);
    }
    is_first
}

/// Returns the functions that the layer replaces.
fn functions() -> Table {
    let mut table = next::empty();
    table.clCreateCommandQueue = Some(create_queue);
    table.clCreateCommandQueueWithProperties = Some(create_queue_with_properties);
    table.clReleaseCommandQueue = Some(release_queue);
    table.clReleaseContext = Some(release_context);
    table.clReleaseKernel = Some(release_kernel);
    table.clReleaseProgram = Some(release_program);
    table.clBuildProgram = Some(build_program);
    table.clEnqueueNDRangeKernel = Some(launch);
    table.clEnqueueTask = Some(task);
    table.clFinish = Some(finish);
    table.clWaitForEvents = Some(wait);
    table.clEnqueueReadBuffer = Some(read_buffer);
    table.clEnqueueReadBufferRect = Some(read_rect);
    table.clEnqueueReadImage = Some(read_image);
    table.clEnqueueMapBuffer = Some(map_buffer);
    table.clEnqueueMapImage = Some(map_image);
    table.clEnqueueSVMMap = Some(map_svm);
    table.clEnqueueSVMMemcpy = Some(copy_svm);
    table
}

unsafe extern "C" fn create_queue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    let timed = properties | CL_QUEUE_PROFILING_ENABLE;
    next!(clCreateCommandQueue(context, device, timed, code), null_mut())
}

unsafe extern "C" fn create_queue_with_properties(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    let mut list = Vec::new();
    let mut at = properties;
    // SAFETY: the program gives null, or a list of pairs that ends with a zero.
    while !at.is_null() && unsafe { at.read() } != 0 {
        // SAFETY: the list has not ended, so there is a pair.
        list.extend(unsafe { at.cast::<[cl_queue_properties; 2]>().read() });
        // SAFETY: the list goes on after the pair.
        at = unsafe { at.add(2) };
    }
    let timed = timed(list);
    next!(
        clCreateCommandQueueWithProperties(context, device, timed.as_ptr(), code),
        null_mut()
    )
}

/// Adds CL_QUEUE_PROFILING_ENABLE to a list of properties, and ends it.
fn timed(mut list: Vec<cl_queue_properties>) -> Vec<cl_queue_properties> {
    let key = cl_queue_properties::from(CL_QUEUE_PROPERTIES);
    match list.chunks_exact_mut(2).find(|pair| pair[0] == key) {
        Some(pair) => pair[1] |= CL_QUEUE_PROFILING_ENABLE,
        None => list.extend([key, CL_QUEUE_PROFILING_ENABLE]),
    }
    list.push(0);
    list
}

unsafe extern "C" fn release_queue(queue: cl_command_queue) -> cl_int {
    observe(Layer::settle);
    next!(clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE)
}

unsafe extern "C" fn release_context(context: cl_context) -> cl_int {
    observe(Layer::settle);
    next!(clReleaseContext(context), CL_INVALID_CONTEXT)
}

unsafe extern "C" fn release_kernel(kernel: cl_kernel) -> cl_int {
    observe(|layer| layer.names.forget_kernel(kernel.addr()));
    next!(clReleaseKernel(kernel), CL_INVALID_KERNEL)
}

unsafe extern "C" fn release_program(program: cl_program) -> cl_int {
    observe(|layer| layer.names.forget_program(program.addr()));
    next!(clReleaseProgram(program), CL_INVALID_PROGRAM)
}

unsafe extern "C" fn build_program(
    program: cl_program,
    count: cl_uint,
    devices: *const cl_device_id,
    options: *const std::ffi::c_char,
    notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    data: *mut c_void,
) -> cl_int {
    observe(|layer| layer.names.forget_program(program.addr()));
    next!(
        clBuildProgram(program, count, devices, options, notify, data),
        CL_INVALID_PROGRAM
    )
}

/// The place for the event of a command: that of the program, or one of the layer's own.
struct Place {
    own: cl_event,
    given: *mut cl_event,
}

impl Place {
    fn new(given: *mut cl_event) -> Place {
        let own = null_mut();
        Place { own, given }
    }

    fn address(&mut self) -> *mut cl_event {
        if self.given.is_null() {
            &raw mut self.own
        } else {
            self.given
        }
    }

    /// Returns the event of the command, if there is one.
    ///
    /// # Safety
    ///
    /// The call that got the address must have succeeded, and the program's pointer must be valid.
    unsafe fn event(self) -> Option<Event> {
        if self.given.is_null() {
            // SAFETY: the implementation has given a reference, which nothing else releases.
            return (!self.own.is_null()).then(|| unsafe { Event::owned(self.own) });
        }
        // SAFETY: the implementation has just written to the program's pointer.
        let event = unsafe { self.given.read() };
        // SAFETY: the program owns the reference, and has not got it yet.
        (!event.is_null()).then(|| unsafe { Event::shared(event) })
    }
}

/// Returns up to three sizes.
///
/// # Safety
///
/// `sizes` must be null, or point to `count` sizes.
unsafe fn sizes(count: cl_uint, sizes: *const usize, otherwise: usize) -> [usize; 3] {
    let mut all = [otherwise; 3];
    if !sizes.is_null() {
        for (at, size) in all.iter_mut().enumerate().take(count as usize) {
            // SAFETY: the caller promises that there are `count` sizes.
            let place = unsafe { sizes.add(at) };
            // SAFETY: as above.
            *size = unsafe { place.read() };
        }
    }
    all
}

unsafe extern "C" fn launch(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, at),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the implementation has accepted the sizes, of which there are `dimensions`.
        let global = unsafe { sizes(dimensions, global, 1) };
        // SAFETY: as above.
        let local = unsafe { sizes(dimensions, local, usize::from(!local.is_null())) };
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        launched(queue, kernel, [global, local], event);
    }
    code
}

unsafe extern "C" fn task(
    queue: cl_command_queue,
    kernel: cl_kernel,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueTask(queue, kernel, count, list, at),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        launched(queue, kernel, [[1; 3]; 2], event);
    }
    code
}

/// Tells the record of a launch, which the implementation has accepted: the handles are valid.
fn launched(queue: cl_command_queue, kernel: cl_kernel, sizes: [[usize; 3]; 2], event: Option<Event>) {
    observe(|layer| {
        let Some(event) = event else {
            return layer.record.launched_without_event();
        };
        // SAFETY: the implementation has accepted both handles, and the program's call has not returned yet.
        let ask = unsafe { KernelOnDevice::new(kernel, queue) };
        layer.header.device.get_or_insert_with(|| ask.device());
        let [global, local] = sizes;
        let launch = Launch {
            kernel: layer.names.kernel(kernel.addr(), &ask),
            global,
            local,
        };
        layer.record.launched(launch, event);
    });
}

unsafe extern "C" fn finish(queue: cl_command_queue) -> cl_int {
    let code = next!(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
    observe(Layer::settle);
    code
}

unsafe extern "C" fn wait(count: cl_uint, list: *const cl_event) -> cl_int {
    let code = next!(clWaitForEvents(count, list), CL_INVALID_VALUE);
    observe(Layer::settle);
    code
}

/// Tells the record of a read, which the implementation has accepted: `region` is memory of the program.
fn read(region: Region, blocking: cl_bool, event: Option<Event>) {
    observe(|layer| match event {
        _ if blocking != CL_FALSE => {
            // SAFETY: the command is complete, and the program gets control only when this call returns, so the memory
            // that it gave, or was given, is still there.
            let digest = unsafe { region.digest() };
            layer.record.read(digest);
            layer.settle();
        }
        Some(event) => layer.record.reading(region, event),
        None => layer.record.read(None),
    });
}

unsafe extern "C" fn read_buffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    to: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, count, list, at),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        read(Region::plain(to.addr(), size), blocking, event);
    }
    code
}

unsafe extern "C" fn read_rect(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row: usize,
    buffer_slice: usize,
    host_row: usize,
    host_slice: usize,
    to: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueReadBufferRect(
            queue,
            buffer,
            blocking,
            buffer_origin,
            host_origin,
            region,
            buffer_row,
            buffer_slice,
            host_row,
            host_slice,
            to,
            count,
            list,
            at,
        ),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        // SAFETY: the implementation has accepted the origin, which consists of three sizes.
        let [x, y, z] = unsafe { sizes(3, host_origin, 0) };
        // SAFETY: as above.
        let extent = unsafe { sizes(3, region, 1) };
        let mut region = Region::new(to.addr(), extent, [host_row, host_slice]);
        region.address += z * region.pitches[1] + y * region.pitches[0] + x;
        read(region, blocking, event);
    }
    code
}

/// Returns the region of an image in host memory, or `None` if the implementation does not say how large its elements
/// are.
///
/// # Safety
///
/// `image` must be valid, and `extent` must point to three sizes.
unsafe fn texels(
    image: cl_mem,
    extent: *const usize,
    at: *mut c_void,
    pitches: [usize; 2],
) -> Option<Region> {
    // SAFETY: the caller promises this.
    let [width, rows, slices] = unsafe { sizes(3, extent, 1) };
    // SAFETY: the caller promises this.
    let size = unsafe { next::element_size(image) }?;
    Some(Region::new(at.addr(), [width * size, rows, slices], pitches))
}

unsafe extern "C" fn read_image(
    queue: cl_command_queue,
    image: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    extent: *const usize,
    row: usize,
    slice: usize,
    to: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueReadImage(
            queue, image, blocking, origin, extent, row, slice, to, count, list, at
        ),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        // SAFETY: the implementation has accepted the image and the extent.
        if let Some(region) = unsafe { texels(image, extent, to, [row, slice]) } {
            read(region, blocking, event);
        }
    }
    code
}

unsafe extern "C" fn map_buffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    code: *mut cl_int,
) -> *mut c_void {
    let mut place = Place::new(event);
    let at = place.address();
    let mapped = next!(
        clEnqueueMapBuffer(
            queue, buffer, blocking, flags, offset, size, count, list, at, code
        ),
        null_mut()
    );
    if !mapped.is_null() {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        if flags & CL_MAP_READ != 0 {
            read(Region::plain(mapped.addr(), size), blocking, event);
        }
    }
    mapped
}

unsafe extern "C" fn map_image(
    queue: cl_command_queue,
    image: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    origin: *const usize,
    extent: *const usize,
    row: *mut usize,
    slice: *mut usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    code: *mut cl_int,
) -> *mut c_void {
    let mut place = Place::new(event);
    let at = place.address();
    let mapped = next!(
        clEnqueueMapImage(
            queue, image, blocking, flags, origin, extent, row, slice, count, list, at, code
        ),
        null_mut()
    );
    if !mapped.is_null() {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        // SAFETY: the implementation has written the pitches, of which the second may be absent.
        let [row, slice] = [row, slice].map(|pitch| unsafe { sizes(1, pitch, 0) }[0]);
        // SAFETY: the implementation has accepted the image and the extent.
        let region = unsafe { texels(image, extent, mapped, [row, slice]) };
        if let Some(region) = region.filter(|_| flags & CL_MAP_READ != 0) {
            read(region, blocking, event);
        }
    }
    mapped
}

unsafe extern "C" fn map_svm(
    queue: cl_command_queue,
    blocking: cl_bool,
    flags: cl_map_flags,
    pointer: *mut c_void,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut place = Place::new(event);
    let at = place.address();
    let code = next!(
        clEnqueueSVMMap(queue, blocking, flags, pointer, size, count, list, at),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS {
        // SAFETY: the call has succeeded.
        let event = unsafe { place.event() };
        if flags & CL_MAP_READ != 0 {
            read(Region::plain(pointer.addr(), size), blocking, event);
        }
    }
    code
}

unsafe extern "C" fn copy_svm(
    queue: cl_command_queue,
    blocking: cl_bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let code = next!(
        clEnqueueSVMMemcpy(queue, blocking, to, from, size, count, list, event),
        CL_INVALID_OPERATION
    );
    if code == CL_SUCCESS && blocking != CL_FALSE {
        observe(Layer::settle);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_timed() {
        let key = cl_queue_properties::from(CL_QUEUE_PROPERTIES);
        assert_eq!(timed(vec![]), [key, CL_QUEUE_PROFILING_ENABLE, 0]);
        let list = vec![9, 8, key, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE];
        let both = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
        assert_eq!(timed(list), [9, 8, key, both, 0]);
    }

    #[test]
    fn the_version_of_the_interface() {
        let (mut version, mut size) = (0, 0usize);
        let to = (&raw mut version).cast();
        // SAFETY: both pointers are valid, and the size is that of the version.
        let ask = |what, size: &mut usize| unsafe { clGetLayerInfo(what, 4, to, size) };
        assert_eq!(ask(CL_LAYER_API_VERSION, &mut size), CL_SUCCESS);
        assert_eq!((version, size), (CL_LAYER_API_VERSION_100, 4));
        assert_eq!(ask(1, &mut size), CL_INVALID_VALUE);
    }
}
