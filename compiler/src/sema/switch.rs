//! `switch`.

/// The innermost `switch` while its body is analysed.
pub(super) struct SwitchState {}
