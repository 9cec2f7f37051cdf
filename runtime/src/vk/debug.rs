//! Messages of the validation layer: they are written to the log and counted, and are fatal if
//! `CALDERA_VALIDATION=abort`.

use std::ffi::{CStr, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ash::vk;

use super::{Call, VkError};
use crate::config::Validation;

pub(super) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

static MESSAGES: AtomicU64 = AtomicU64::new(0);
static ABORT: AtomicBool = AtomicBool::new(false);
/// Whether an image has been made in memory of another API.
static EXTERNAL_IMAGES: AtomicBool = AtomicBool::new(false);

/// Notes that an image has been made in memory of another API, which has given it the layout GENERAL. The layer knows only
/// the layouts that this process sets: to it, the image is in the layout UNDEFINED until its first barrier, which acquires it.
pub(super) fn note_external_image() {
    EXTERNAL_IMAGES.store(true, Ordering::Relaxed);
}

/// Returns the number of warnings and errors that the validation layer has reported so far. Tests demand zero.
pub(crate) fn message_count() -> u64 {
    MESSAGES.load(Ordering::Relaxed)
}

/// The debug messenger of an instance.
pub(super) struct Messenger {
    fns: ash::ext::debug_utils::Instance,
    raw: vk::DebugUtilsMessengerEXT,
}

impl Messenger {
    pub(super) fn new(
        entry: &ash::Entry,
        instance: &ash::Instance,
        validation: Validation,
    ) -> Result<Self, VkError> {
        ABORT.store(validation == Validation::Abort, Ordering::Relaxed);
        let fns = ash::ext::debug_utils::Instance::new(entry, instance);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(callback));
        // SAFETY: the instance was made with VK_EXT_debug_utils; `info` is complete.
        let raw = unsafe { fns.create_debug_utils_messenger(&info, None) }
            .call("vkCreateDebugUtilsMessengerEXT")?;
        Ok(Messenger { fns, raw })
    }

    /// Destroys the messenger; called before the instance is destroyed.
    pub(super) fn destroy(&mut self) {
        // SAFETY: the messenger was made from the instance, which is still alive, and is destroyed once (the
        // owner's Drop).
        unsafe { self.fns.destroy_debug_utils_messenger(self.raw, None) };
    }
}

extern "system" fn callback(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a pointer that is valid for the duration of the call (Vulkan,
    // PFN_vkDebugUtilsMessengerCallbackEXT).
    let message = unsafe { (*data).p_message };
    let text = if message.is_null() {
        "(no text)".into()
    } else {
        // SAFETY: a non-null p_message is a null-terminated string that is valid for the duration of the call.
        unsafe { CStr::from_ptr(message) }.to_string_lossy()
    };
    // All images are in the layout GENERAL by choice (adr/0004-images.md), which the layer advises against.
    if types.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE)
        && text.contains("should be VK_IMAGE_LAYOUT_TRANSFER")
    {
        log::debug!(target: "validation", "{text}");
        return vk::FALSE;
    }
    if EXTERNAL_IMAGES.load(Ordering::Relaxed)
        && text.contains(
            "to be in layout VK_IMAGE_LAYOUT_GENERAL--instead, current layout is VK_IMAGE_LAYOUT_UNDEFINED",
        )
    {
        log::debug!(target: "validation", "{text}");
        return vk::FALSE;
    }
    let level = if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
        log::Level::Error
    } else {
        log::Level::Warn
    };
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    log::log!(target: "validation", level, "{text}");
    if ABORT.load(Ordering::Relaxed) {
        // The reason for the abort is printed even where CALDERA_LOG is not set.
        let _ = writeln!(std::io::stderr(), "CALDERA_VALIDATION=abort: {text}");
        std::process::abort();
    }
    vk::FALSE
}
