//! One file per command.

pub(crate) mod assess;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod policies;
pub(crate) mod schema;
