//! The C ABI of Caldera.
