//! Atomic functions (CL 6.12.11). The 32-bit functions exist with both prefixes, `atomic_` and `atom_`. The
//! 64-bit functions of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics only have the prefix
//! `atom_`.

use super::*;

/// The type of the first parameter: a pointer to the operand, in any address space that the domain allows.
const P: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Any, Access::Write);
const INT32: Domain = pointing(Scalars::INT32, Lanes::SCALAR, SHARED);
const FLOAT32: Domain = pointing(Scalars::FLOAT, Lanes::SCALAR, SHARED);
const INT64: Domain = pointing(Scalars::INT64, Lanes::SCALAR, SHARED);

// The parameters of the functions with the prefix `atomic_`: for a step by one, for an operation with a value,
// for an exchange, and for a comparison and exchange.
const STEP: &[Sig] = &[sig(INT32, Ty::T, &[P])];
const VALUE: &[Sig] = &[sig(INT32, Ty::T, &[P, Ty::T])];
const EXCHANGE: &[Sig] = &[sig(INT32, Ty::T, &[P, Ty::T]), sig(FLOAT32, Ty::T, &[P, Ty::T])];
const COMPARE: &[Sig] = &[sig(INT32, Ty::T, &[P, Ty::T, Ty::T])];
// The same for the prefix `atom_`.
const ATOM_STEP: &[Sig] = &[sig(INT32, Ty::T, &[P]), sig(INT64, Ty::T, &[P])];
const ATOM_VALUE: &[Sig] = &[sig(INT32, Ty::T, &[P, Ty::T]), sig(INT64, Ty::T, &[P, Ty::T])];
const ATOM_COMPARE: &[Sig] = &[
    sig(INT32, Ty::T, &[P, Ty::T, Ty::T]),
    sig(INT64, Ty::T, &[P, Ty::T, Ty::T]),
];

/// Returns an operation that is the same for signed and unsigned integers.
const fn op(op: AtomicOp) -> How {
    How::Inline(Inline::Atomic(op, op))
}

// Minimum and maximum are different operations for signed and for unsigned integers.
const MIN: How = How::Inline(Inline::Atomic(AtomicOp::SMin, AtomicOp::UMin));
const MAX: How = How::Inline(Inline::Atomic(AtomicOp::SMax, AtomicOp::UMax));
const INC: How = How::Inline(Inline::AtomicStep(AtomicOp::Add));
const DEC: How = How::Inline(Inline::AtomicStep(AtomicOp::Sub));

pub(super) static ROWS: &[Row] = &[
    row("atom_add", ATOM_VALUE, op(AtomicOp::Add)),
    row("atom_and", ATOM_VALUE, op(AtomicOp::And)),
    row("atom_cmpxchg", ATOM_COMPARE, op(AtomicOp::CmpXchg)),
    row("atom_dec", ATOM_STEP, DEC),
    row("atom_inc", ATOM_STEP, INC),
    row("atom_max", ATOM_VALUE, MAX),
    row("atom_min", ATOM_VALUE, MIN),
    row("atom_or", ATOM_VALUE, op(AtomicOp::Or)),
    row("atom_sub", ATOM_VALUE, op(AtomicOp::Sub)),
    row("atom_xchg", ATOM_VALUE, op(AtomicOp::Xchg)),
    row("atom_xor", ATOM_VALUE, op(AtomicOp::Xor)),
    row("atomic_add", VALUE, op(AtomicOp::Add)),
    row("atomic_and", VALUE, op(AtomicOp::And)),
    row("atomic_cmpxchg", COMPARE, op(AtomicOp::CmpXchg)),
    row("atomic_dec", STEP, DEC),
    row("atomic_inc", STEP, INC),
    row("atomic_max", VALUE, MAX),
    row("atomic_min", VALUE, MIN),
    row("atomic_or", VALUE, op(AtomicOp::Or)),
    row("atomic_sub", VALUE, op(AtomicOp::Sub)),
    row("atomic_xchg", EXCHANGE, op(AtomicOp::Xchg)),
    row("atomic_xor", VALUE, op(AtomicOp::Xor)),
];
