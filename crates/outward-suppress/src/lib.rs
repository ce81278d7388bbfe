//! Protection of tables as a [`System`](outward_audit::System) of cells and equations: [`suppress()`](suppress::suppress) chooses which further cells to hide, [`round`] rounds so
//! that sums hold, [`perturb`] adds noise by cell keys.
//!
//! What protects is not asked whether it protected: that is `outward-audit`'s work.

pub mod perturb;
pub mod round;
pub mod suppress;
