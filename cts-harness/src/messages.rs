//! Failures of sub-commands, and macros for lines and failures whose text is formatted.

/// The reason why a sub-command stopped: one message for the user, which says what to do about it.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(e: E) -> Self {
        Failure(e.to_string())
    }
}

macro_rules! say {
    ($($text:tt)*) => { crate::progress::line(&format!($($text)*)) };
}

macro_rules! failure {
    ($($text:tt)*) => { crate::Failure(format!($($text)*)) };
}

/// Makes a result that is a [`Failure`].
macro_rules! fail {
    ($($text:tt)*) => { Err(failure!($($text)*)) };
}
