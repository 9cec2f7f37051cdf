//! Facts about instructions that passes share.
