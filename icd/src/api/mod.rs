//! The entry points, one file per section of chapters 4 and 5 of the OpenCL 1.2 specification, and those of
//! extensions.

pub mod buffer;
pub mod command_buffer;
pub mod command_record;
pub mod command_update;
pub mod context;
pub mod device;
pub mod enqueue;
pub mod event;
pub mod ext;
pub mod external;
pub mod image;
pub mod image_enqueue;
pub mod kernel;
pub mod matrix;
pub mod mem;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod semaphore;
mod shared;
pub mod svm;
pub mod usm;
