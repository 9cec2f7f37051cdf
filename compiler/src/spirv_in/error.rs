//! The reason why a module cannot be imported.

use std::fmt;

/// What is wrong with a module.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The module breaks a rule of SPIR-V or of OpenCL's environment for it.
    Invalid,
    /// The module is valid as far as it was checked, but needs something that is not implemented or that the
    /// device lacks.
    Unsupported,
}

/// The reason why a module cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Error {
    /// What is wrong.
    pub fault: Fault,
    /// The number of the instruction in the module, from 0 on, and its name.
    pub at: Option<(usize, String)>,
    /// The position in the module's source that an OpLine states for the instruction: `file:line:column`.
    pub line: Option<String>,
    /// The rule that is broken, or what is missing.
    pub reason: String,
}

impl Error {
    pub(super) fn module(reason: impl Into<String>) -> Error {
        Error {
            fault: Fault::Invalid,
            at: None,
            line: None,
            reason: reason.into(),
        }
    }

    pub(super) fn invalid(index: usize, name: String, reason: impl Into<String>) -> Error {
        Error {
            fault: Fault::Invalid,
            at: Some((index, name)),
            line: None,
            reason: reason.into(),
        }
    }

    pub(super) fn unsupported(index: usize, name: String, reason: impl Into<String>) -> Error {
        Error {
            fault: Fault::Unsupported,
            ..Error::invalid(index, name, reason)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.fault {
            Fault::Invalid => "invalid",
            Fault::Unsupported => "unsupported",
        };
        match (&self.at, &self.line) {
            (Some((index, name)), Some(line)) => {
                write!(
                    f,
                    "{word} SPIR-V: instruction {index}, {name} ({line}): {}",
                    self.reason
                )
            }
            (Some((index, name)), None) => {
                write!(f, "{word} SPIR-V: instruction {index}, {name}: {}", self.reason)
            }
            (None, _) => write!(f, "{word} SPIR-V: {}", self.reason),
        }
    }
}
