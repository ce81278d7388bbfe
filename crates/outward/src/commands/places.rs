//! `outward places`: postcodes, ZIP codes and grid references that may be published.

mod normalise;
pub(crate) mod pool;
mod rewrite;

use outward_spec::Result;

use crate::cli::PlacesCommand;
use crate::output::Outcome;
use crate::session::Session;

pub(crate) fn run(session: &Session, command: &PlacesCommand) -> Result<Outcome> {
    match command {
        PlacesCommand::Pool(args) => pool::run(session, args),
        PlacesCommand::Normalise(args) => normalise::run(session, args),
        PlacesCommand::Map(args) => rewrite::map(session, args),
        PlacesCommand::Grid(args) => rewrite::grid(session, args),
    }
}
