//! Wraps the application's function pointers in closures that the runtime can keep and call from its own threads.
//!
//! The runtime calls them with no lock held (`lock::assert_none_held`). Nothing unwinds through these closures: a C
//! function does not panic, and a C++ function that lets an exception escape is an error of the application.

use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::event::{Event, Status};
use caldera_runtime::mem::HostPtr;
use caldera_runtime::object;
use caldera_runtime::program::Program;

use crate::args::{Array, Ptr};

/// A pointer of the application that is passed back to its functions unchanged.
#[repr(transparent)]
struct UserData(*mut c_void);

// SAFETY: the library never dereferences the pointer; it only passes it to the application's own function. CL 4.4,
// 5.4.1, 5.6 and 5.9 tell the application that this may happen on another thread.
unsafe impl Send for UserData {}
// SAFETY: as for `Send`: a shared reference gives nothing but the address.
unsafe impl Sync for UserData {}

impl UserData {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// `pfn_notify` of clCreateContext.
pub(crate) type ContextFn = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
/// `pfn_notify` of clBuildProgram, clCompileProgram, clLinkProgram.
pub(crate) type ProgramFn = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// `pfn_notify` of clSetEventCallback.
pub(crate) type EventFn = unsafe extern "C" fn(*mut c_void, i32, *mut c_void);
/// `pfn_notify` of clSetMemObjectDestructorCallback and clSetContextDestructorCallback.
pub(crate) type MemFn = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Checks the user data of a call without a function. CL 4.4, 5.6: INVALID_VALUE if pfn_notify is NULL but user_data
/// is not NULL.
fn no_function(user_data: Ptr<c_void>) -> Result<()> {
    if user_data.is_null() {
        Ok(())
    } else {
        Err(Error::new(ClCode::InvalidValue, "user_data without pfn_notify"))
    }
}

/// Wraps `pfn_notify` of clCreateContext; `None` if it is NULL.
pub(crate) fn context(
    notify: Option<ContextFn>,
    user_data: Ptr<c_void>,
) -> Result<Option<caldera_runtime::context::Notify>> {
    let Some(notify) = notify else {
        return no_function(user_data).map(|()| None);
    };
    let user_data = UserData(user_data.raw());
    Ok(Some(Box::new(move |what: &str| {
        let text = CString::new(what.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application promised in clCreateContext that the function can be called like this.
        unsafe { notify(text.as_ptr(), std::ptr::null(), 0, user_data.get()) };
    })))
}

/// Wraps `pfn_notify` of clBuildProgram, clCompileProgram or clLinkProgram; `None` if it is NULL.
pub(crate) fn program(
    notify: Option<ProgramFn>,
    user_data: Ptr<c_void>,
) -> Result<Option<caldera_runtime::program::Notify>> {
    let Some(notify) = notify else {
        return no_function(user_data).map(|()| None);
    };
    let user_data = UserData(user_data.raw());
    Ok(Some(Box::new(move |program: &Arc<Program>| {
        // SAFETY: the application promised in clBuildProgram that the function can be called like this.
        unsafe { notify(object::handle(program), user_data.get()) };
    })))
}

/// Wraps `pfn_notify` of clSetEventCallback. The closure keeps the event alive until it has been called.
pub(crate) fn event(
    event: &Arc<Event>,
    notify: EventFn,
    user_data: Ptr<c_void>,
) -> caldera_runtime::event::Callback {
    let user_data = UserData(user_data.raw());
    let event = Arc::clone(event);
    Box::new(move |status: Status| {
        // SAFETY: the application promised in clSetEventCallback that the function can be called like this.
        unsafe { notify(object::handle(&event), status.number(), user_data.get()) };
    })
}

/// Wraps `pfn_notify` of clSetMemObjectDestructorCallback. The memory object is already destroyed when the function is
/// called, so the handle only identifies it.
pub(crate) fn destructor(
    memobj: Ptr<c_void>,
    notify: MemFn,
    user_data: Ptr<c_void>,
) -> Box<dyn FnOnce() + Send> {
    let user_data = UserData(user_data.raw());
    let name = UserData(memobj.raw());
    Box::new(move || {
        // SAFETY: the application promised in clSetMemObjectDestructorCallback or clSetContextDestructorCallback that
        // the function can be called like this.
        unsafe { notify(name.get(), user_data.get()) };
    })
}

/// Wraps `pfn_notify` of clSetContextDestructorCallback. The context is already destroyed when the function is called,
/// so the handle only identifies it.
pub(crate) fn context_destructor(
    context: Ptr<c_void>,
    notify: MemFn,
    user_data: Ptr<c_void>,
) -> Box<dyn FnOnce() + Send> {
    destructor(context, notify, user_data)
}

/// `user_func` of clEnqueueNativeKernel.
pub(crate) type NativeFn = unsafe extern "C" fn(*mut c_void);

/// The copy of `args` that clEnqueueNativeKernel makes (CL 5.8), with the offsets at which addresses of buffers are
/// stored into it.
pub(crate) struct NativeArgs {
    /// The bytes, with the alignment that the most strictly aligned argument may need.
    blocks: Vec<Block>,
    /// The offsets for the addresses of buffers, in bytes.
    places: Vec<usize>,
    /// Whether `args` was NULL.
    none: bool,
}

#[derive(Copy, Clone)]
#[repr(C, align(16))]
struct Block([u8; 16]);

impl NativeArgs {
    /// Copies `args`. `places` are addresses within `args`, one for each buffer. Returns `None` if
    /// one of them does not lie within these bytes.
    pub(crate) fn copy(args: Array<c_void>, places: &[*const c_void]) -> Option<NativeArgs> {
        let (start, size) = (args.raw().addr(), args.len());
        let places = places
            .iter()
            .map(|p| {
                let offset = (*p as usize).checked_sub(start)?;
                (offset.checked_add(size_of::<usize>())? <= size).then_some(offset)
            })
            .collect::<Option<Vec<usize>>>()?;
        let mut blocks = vec![Block([0; 16]); size.div_ceil(16)];
        for (block, bytes) in blocks.iter_mut().zip(args.bytes().unwrap_or(&[]).chunks(16)) {
            block.0[..bytes.len()].copy_from_slice(bytes);
        }
        Some(NativeArgs {
            blocks,
            places,
            none: args.is_null(),
        })
    }

    /// Returns the closure that executes the native kernel. Its argument has the host address of each buffer.
    pub(crate) fn call(mut self, function: NativeFn) -> caldera_runtime::queue::NativeFn {
        Box::new(move |buffers: &[Option<HostPtr>]| {
            let bytes: *mut u8 = self.blocks.as_mut_ptr().cast();
            for (offset, buffer) in self.places.iter().zip(buffers) {
                let address = buffer.map_or(0, HostPtr::address);
                // SAFETY: `copy` has checked that the offset and the bytes of an address after it are within the
                // blocks.
                unsafe {
                    bytes
                        .wrapping_add(*offset)
                        .cast::<usize>()
                        .write_unaligned(address)
                };
            }
            let args = if self.none {
                std::ptr::null_mut()
            } else {
                bytes.cast()
            };
            // SAFETY: the application promised in clEnqueueNativeKernel that the function can be called like this.
            unsafe { function(args) };
        })
    }
}

/// `pfn_free_func` of clEnqueueSVMFree.
pub(crate) type SvmFreeFn = unsafe extern "C" fn(*mut c_void, u32, *mut *mut c_void, *mut c_void);

/// Wraps `pfn_free_func` of clEnqueueSVMFree, which gets a copy of the list of pointers.
pub(crate) fn svm_free(
    queue: Ptr<c_void>,
    pointers: &[*mut c_void],
    function: SvmFreeFn,
    user_data: Ptr<c_void>,
) -> caldera_runtime::queue::NativeFn {
    let (queue, user_data) = (UserData(queue.raw()), UserData(user_data.raw()));
    let mut pointers: Vec<UserData> = pointers.iter().map(|p| UserData(*p)).collect();
    Box::new(move |_| {
        let list = pointers.as_mut_ptr().cast::<*mut c_void>();
        // SAFETY: the application promised in clEnqueueSVMFree that the function can be called like this; `UserData` has the
        // layout of a pointer.
        unsafe { function(queue.get(), pointers.len() as u32, list, user_data.get()) };
    })
}
