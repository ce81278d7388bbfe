//! `outward scenarios`: the intruders that ship with Outward.

use outward_spec::{Error, Result, ScenarioFile, suggest};

use crate::cli::{OutputFormat, ScenariosArgs};
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &ScenariosArgs) -> Result<Outcome> {
    let shipped = ScenarioFile::shipped()?;
    let found = match &args.name {
        None => None,
        Some(name) => {
            let known = || shipped.iter().map(|file| file.scenario.name.as_str());
            let unknown = || {
                Error::input(format!("no scenario `{name}` ships with Outward")).help(suggest(
                    name,
                    known(),
                    "scenarios",
                ))
            };
            Some(shipped.iter().find(|file| file.scenario.name == *name).ok_or_else(unknown)?)
        }
    };
    match (found, session.format) {
        (Some(file), OutputFormat::Json) => print_json(&file.scenario)?,
        (Some(file), OutputFormat::Text) => print(file.text)?,
        (None, OutputFormat::Json) => {
            print_json(&shipped.iter().map(|file| &file.scenario).collect::<Vec<_>>())?;
        }
        (None, OutputFormat::Text) => print(&listed(&shipped))?,
    }
    Ok(Outcome::Clean)
}

fn listed(shipped: &[ScenarioFile]) -> String {
    let mut text = String::new();
    for ScenarioFile { scenario, .. } in shipped {
        let story =
            scenario.description.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let first = story.split_inclusive(". ").next().unwrap_or_default().trim_end().to_owned();
        text += &format!("{}\n  {first}\n", scenario.name);
    }
    text + "\nAttack a release with `outward attack SPEC --scenario NAME`. Print one with `outward scenarios NAME`, and copy it into a spec as \
            [[scenarios]] to change it.\n"
}
