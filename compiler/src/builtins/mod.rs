//! The built-in functions of OpenCL C 1.2 (6.12, images excepted) as data: signatures ([`table`]) and the
//! library of bodies ([`library`], `lib/*.cl`). `sema::builtin` resolves calls with them.
//!
//! Everything is static and looked up on demand: a program pays for the functions that it calls.

pub mod library;
pub mod name;
pub mod older_contract;
pub mod signature;
pub mod table;
pub mod version;

pub use signature::{Access, Domain, Instance, PointeeTy, Sig, SpaceSpec, Ty};
pub use table::{How, Inline, Row, lookup};
