//! The built-in functions of OpenCL C (CL 1.2, 6.12, and those of later versions and extensions) as data: signatures
//! ([`table`]) and the library of bodies ([`library`], `lib/*.cl`). `sema::builtin` resolves calls with them.
//!
//! All data is static and is looked up on demand, so a program pays only for the functions that it calls.

pub mod library;
pub mod name;
pub mod older_contract;
pub mod signature;
pub mod table;
pub mod version;

pub use signature::{Access, Domain, Instance, PointeeTy, Sig, SpaceSpec, Ty};
pub use table::{How, Inline, Row, lookup};
