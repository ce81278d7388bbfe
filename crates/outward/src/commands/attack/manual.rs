//! Claims of human testers, read from a file and scored on the same card.

use std::path::Path;

use outward_engine::{Data, Plan, ReleasedRequest};
use outward_intruder::attack::{ManualTest, Outcome, manual_claims, score_manual};
use outward_release::intruder::UnderAttack;
use outward_release::verify::BY_PEOPLE;
use outward_spec::{Error, Result, Source};

use super::Test;
use crate::cli::AttackArgs;
use crate::session::Session;

/// The columns of a file of claims.
const COLUMNS: [&str; 3] = ["person", "record", "confidence"];

pub(super) fn score(
    session: &Session,
    args: &AttackArgs,
    test: &Test,
    file: &Path,
    read: &[UnderAttack],
) -> Result<Outcome> {
    let [first] = read else {
        return Err(Error::input("claims of testers are about one release").help("leave --with out").into());
    };
    if !args.without.is_empty() || !args.coarser.is_empty() {
        return Err(Error::input("testers had the unchanged release")
            .help("leave --without and --coarser out, or attack without --import")
            .into());
    }
    let columns: Vec<String> = COLUMNS.map(str::to_owned).to_vec();
    let data = Data { source: Source::file(file), columns: Vec::new() };
    let request = ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(columns.clone()), columns };
    let answer = session.runtime()?.block_on(session.engine().read_released(&[request]))?.pop();
    let read = answer.ok_or_else(|| Error::bug("claims were asked for and none were read"))?;
    let read = read.map_err(|error| named(error, file))?;
    let [person, record, confidence] = &read.columns[..] else {
        return Err(Error::bug("a file of claims has three columns"));
    };
    let ids = test.scenario.truth.as_ref().and_then(|truth| first.ids.as_ref().filter(|column| column.name == *truth));
    let claims = manual_claims(record, person, confidence, ids.map(|column| &column.values));
    let claims = claims.map_err(|error| named(error, file))?;
    let name = format!("{}{BY_PEOPLE}", test.scenario.name);
    let manual = ManualTest {
        name: &name,
        release: &first.released,
        truth: &first.people.truth,
        source: &first.source,
        groups: &test.needed.groups,
        response_knowledge: test.scenario.response_knowledge,
        rules: test.rules.intruder.as_ref(),
    };
    score_manual(&claims, &manual).map_err(|error| named(error, file))
}

/// The same error, in this file.
fn named(error: Error, file: &Path) -> Error {
    error.with_fault(|fault| if fault.place.file.is_none() { fault.file(file) } else { fault })
}
