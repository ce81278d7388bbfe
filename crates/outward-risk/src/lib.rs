//! Measures of disclosure risk on cells.
