//! Protection of tables as a [`System`](outward_audit::System) of cells and equations: [`suppress()`](suppress::suppress)
//! chooses the secondary suppressions, [`round`] rounds so that sums hold, [`perturb`] adds noise by cell keys.
//!
//! Whether the result is protected is decided by `outward-audit`, not here.

pub mod perturb;
pub mod round;
pub mod suppress;
