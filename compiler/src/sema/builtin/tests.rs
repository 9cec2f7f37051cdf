//! Resolution of calls at the level of HIR.
