//! The application's standard output.
#![cfg_attr(
    all(target_os = "linux", any(target_env = "gnu", target_env = "musl")),
    allow(
        unsafe_code,
        reason = "C's stdout is the only stream that keeps the order with what the application prints"
    )
)]

/// Writes through C's stdout, so that the output follows the text that the application has printed before.
#[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")))]
pub(super) fn write(bytes: &[u8]) {
    use std::ffi::{c_int, c_void};
    // SAFETY: the C library, which the standard library links, declares these with the same types.
    unsafe extern "C" {
        static stdout: *mut c_void;
        fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut c_void) -> usize;
        fn fflush(stream: *mut c_void) -> c_int;
    }
    // SAFETY: the variable is C's; only the application may change it, and not while other threads print.
    let stream = unsafe { stdout };
    if stream.is_null() || bytes.is_empty() {
        return;
    }
    // SAFETY: the stream is open (an application that closes it must not let kernels print), and the slice is
    // readable.
    let written = unsafe { fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stream) };
    // SAFETY: as above.
    let flushed = unsafe { fflush(stream) };
    if written != bytes.len() || flushed != 0 {
        log::warn!("the output of a kernel could not be written");
    }
}

/// Writes to the standard output.
#[cfg(not(all(target_os = "linux", any(target_env = "gnu", target_env = "musl"))))]
pub(super) fn write(bytes: &[u8]) {
    use std::io::Write;
    let mut stream = std::io::stdout().lock();
    if let Err(e) = stream.write_all(bytes).and_then(|()| stream.flush()) {
        log::warn!("the output of a kernel could not be written: {e}");
    }
}
