//! Relational functions (6.12.6).

use super::*;

const ONE_ARG: &[Sig] = &[sig(FLOATS, Ty::Relation, &[Ty::T])];
const TWO_ARGS: &[Sig] = &[sig(FLOATS, Ty::Relation, &[Ty::T, Ty::T])];
const ANY: Domain = over(Scalars::ALL, Lanes::ANY);
const REDUCE: &[Sig] = &[sig(
    over(Scalars::SIGNED, Lanes::ANY),
    Ty::Fixed(crate::hir::Scalar::Int),
    &[Ty::T],
)];

const fn cmp(r: Relation) -> How {
    How::Inline(Inline::Compare(r))
}

pub(super) static ROWS: &[Row] = &[
    row("all", REDUCE, How::Inline(Inline::AnyAll { all: true })),
    row("any", REDUCE, How::Inline(Inline::AnyAll { all: false })),
    row(
        "bitselect",
        &[sig(ANY, Ty::T, &[Ty::T, Ty::T, Ty::T])],
        How::Generic,
    ),
    row("isequal", TWO_ARGS, cmp(Relation::Equal)),
    row("isfinite", ONE_ARG, How::Generic),
    row("isgreater", TWO_ARGS, cmp(Relation::Greater)),
    row("isgreaterequal", TWO_ARGS, cmp(Relation::GreaterEqual)),
    row("isinf", ONE_ARG, How::Generic),
    row("isless", TWO_ARGS, cmp(Relation::Less)),
    row("islessequal", TWO_ARGS, cmp(Relation::LessEqual)),
    row("islessgreater", TWO_ARGS, cmp(Relation::LessGreater)),
    row("isnan", ONE_ARG, cmp(Relation::Nan)),
    row("isnormal", ONE_ARG, How::Generic),
    row("isnotequal", TWO_ARGS, cmp(Relation::NotEqual)),
    row("isordered", TWO_ARGS, cmp(Relation::Ordered)),
    row("isunordered", TWO_ARGS, cmp(Relation::Unordered)),
    row(
        "select",
        &[
            sig(ANY, Ty::T, &[Ty::T, Ty::T, Ty::Signed]),
            sig(ANY, Ty::T, &[Ty::T, Ty::T, Ty::Unsigned]),
        ],
        How::Inline(Inline::Select),
    ),
    row("signbit", ONE_ARG, How::Generic),
];
