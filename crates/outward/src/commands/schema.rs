//! `outward schema`: the JSON schema of the spec file, or of what `assess` prints.

use outward_risk::Assessment;
use outward_spec::{Result, Spec};

use crate::cli::{SchemaArgs, SchemaOf};
use crate::output::{Outcome, print_json};

pub(crate) fn run(args: &SchemaArgs) -> Result<Outcome> {
    match args.of {
        SchemaOf::Spec => print_json(&Spec::json_schema())?,
        SchemaOf::Assessment => print_json(&schemars::schema_for!(Assessment))?,
    }
    Ok(Outcome::Clean)
}
