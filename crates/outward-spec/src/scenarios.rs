//! Scenarios that ship with Outward: files under `scenarios/`, each for one intruder. Any spec can call it by name.

use std::path::Path;

use crate::document::Document;
use crate::spec::{Scenario, Spec};
use outward_error::{Error, Result, suggest};

/// The scenarios that ship with Outward, in alphabetical order.
const SHIPPED: [(&str, &str); 7] = [
    ("scenarios/electoral-roll.toml", include_str!("../../../scenarios/electoral-roll.toml")),
    ("scenarios/inside-knowledge.toml", include_str!("../../../scenarios/inside-knowledge.toml")),
    ("scenarios/motivated-intruder.toml", include_str!("../../../scenarios/motivated-intruder.toml")),
    ("scenarios/nosy-neighbour.toml", include_str!("../../../scenarios/nosy-neighbour.toml")),
    ("scenarios/respondent-next-door.toml", include_str!("../../../scenarios/respondent-next-door.toml")),
    ("scenarios/self-identification.toml", include_str!("../../../scenarios/self-identification.toml")),
    ("scenarios/worst-case.toml", include_str!("../../../scenarios/worst-case.toml")),
];

/// A scenario file: a scenario that names no variable of a spec, but picks variables by their role and visibility.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioFile {
    /// The scenario.
    pub scenario: Scenario,
    /// The file, comments and all, to be copied into a spec and edited.
    pub text: &'static str,
}

impl ScenarioFile {
    /// All scenarios that ship with Outward, in alphabetical order.
    ///
    /// # Errors
    /// If a file is not a scenario, which tests rule out.
    pub fn shipped() -> Result<Vec<Self>> {
        let read = |(file, text): &(&str, &'static str)| {
            Ok(Self { scenario: Document::parse(text, Path::new(file))?.read()?, text })
        };
        SHIPPED.iter().map(read).collect()
    }
}

impl Spec {
    /// The scenario of this name: that of the spec, otherwise the one that ships with Outward.
    ///
    /// # Errors
    /// If there is none, or if it knows no variable of this spec.
    pub fn scenario(&self, name: &str) -> Result<Scenario> {
        let shipped = ScenarioFile::shipped()?;
        let known = self.scenarios.iter().chain(shipped.iter().map(|file| &file.scenario));
        let Some(scenario) = known.clone().find(|scenario| scenario.name == name) else {
            let help = suggest(name, known.map(|scenario| scenario.name.as_str()), "scenarios");
            return Err(Error::input(format!("there is no scenario `{name}`")).help(help).into());
        };
        if self.scenario_keys(scenario).is_empty() {
            let what = format!("the intruder of scenario `{name}` knows no variable of this spec");
            let help = "rate keys by `visibility`, give variables their roles, or write a scenario with `keys = [...]`";
            return Err(Error::input(what).help(help).into());
        }
        Ok(scenario.clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SPEC: &str = r#"
        data = { path = "people.csv" }
        variables = [
            { name = "age", role = "key", visibility = "high", hierarchy = { widths = [5, 10] } },
            { name = "occupation", role = "key", visibility = "medium" },
            { name = "region", role = "geography", visibility = "high" },
            { name = "born", role = "date-of-birth" },
            { name = "illness", role = "sensitive" },
        ]
        scenarios = [{ name = "colleague", known = [{ variable = "occupation" }, { visibility = "high", level = 1 }] }]
    "#;

    fn spec() -> Spec {
        Spec::parse(SPEC, "outward.toml").unwrap()
    }

    #[test]
    fn every_shipped_scenario_reads_is_named_after_its_file_and_tells_its_story() {
        let shipped = ScenarioFile::shipped().unwrap();
        for (file, (path, _)) in shipped.iter().zip(SHIPPED) {
            assert_eq!(path, format!("scenarios/{}.toml", file.scenario.name));
            assert!(file.scenario.description.is_some() && file.scenario.intruder.is_some(), "{path}");
            assert!(file.scenario.keys.is_empty() && file.scenario.learn.is_empty(), "{path} names no variable");
            assert!(file.scenario.known.iter().all(|known| known.variable.is_none()), "{path} names no variable");
        }
        assert!(shipped.is_sorted_by_key(|file| file.scenario.name.clone()));
    }

    #[test]
    fn every_shipped_scenario_knows_something_of_a_spec_with_roles_and_ratings() {
        for file in ScenarioFile::shipped().unwrap() {
            let scenario = spec().scenario(&file.scenario.name).unwrap();
            assert!(!spec().scenario_keys(&scenario).contains(&"illness".to_owned()), "{}", scenario.name);
        }
    }

    #[test]
    fn a_neighbour_knows_what_is_highly_visible() {
        let scenario = spec().scenario("nosy-neighbour").unwrap();
        assert_eq!(spec().scenario_keys(&scenario), ["age", "region"]);
    }

    #[test]
    fn the_scenario_of_the_spec_comes_before_the_shipped_one() {
        let text = SPEC.replace("\"colleague\"", "\"nosy-neighbour\"");
        let own = Spec::parse(&text, "outward.toml").unwrap();
        assert_eq!(own.scenario_keys(&own.scenario("nosy-neighbour").unwrap()), ["age", "occupation", "region"]);
    }

    #[test]
    fn an_unknown_scenario_is_refused_with_the_nearest() {
        let error = spec().scenario("nosey-neighbour").unwrap_err();
        assert_eq!(error.to_string(), "there is no scenario `nosey-neighbour`");
        assert_eq!(error.help().unwrap(), "did you mean `nosy-neighbour`?");
    }

    #[test]
    fn a_scenario_that_knows_nothing_of_the_spec_is_refused() {
        let bare = Spec::parse("data = { path = \"a.csv\" }\nplain = [\"age\"]", "outward.toml").unwrap();
        assert!(bare.scenario("nosy-neighbour").unwrap_err().to_string().contains("knows no variable"));
    }

    #[test]
    fn what_a_scenario_knows_is_held_against_the_spec() {
        let refused = |from: &str, to: &str| {
            let error = Spec::parse(&SPEC.replace(from, to), "outward.toml").unwrap_err();
            (error.fault().unwrap().what.clone(), error.help().unwrap_or_default())
        };
        let unknown = refused("variable = \"occupation\"", "variable = \"ocupation\"");
        assert_eq!(unknown.0, "there is no variable `ocupation` in this spec");
        assert!(unknown.1.contains("`occupation`"));
        let level = refused("variable = \"occupation\"", "variable = \"age\", level = 4");
        assert_eq!(level.0, "`age` has no level 4");
        let bare = refused("variable = \"occupation\"", "variable = \"occupation\", level = 1");
        assert_eq!(bare.0, "`occupation` has no hierarchy");
        let nothing = refused("{ variable = \"occupation\" }", "{ level = 1 }");
        assert!(nothing.0.contains("names no variable"), "{}", nothing.0);
        let both = refused("variable = \"occupation\"", "variable = \"occupation\", role = \"key\"");
        assert!(both.0.contains("together with `variable`"), "{}", both.0);
    }
}
