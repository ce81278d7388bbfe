//! Findings: what an assessment reports. Each is of a kind with a stable code, which `outward explain` explains.

pub mod kinds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use outward_error::{Error, Result, suggest};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Look at it when there is time.
    Low,
    /// Look at it before the release.
    Medium,
    /// Someone can be found; do not release.
    High,
}

/// A kind of finding. Codes are stable: one is never used again for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FindingKind {
    /// The code, such as `OUT001`.
    pub code: &'static str,
    /// A short name, such as `sample-uniques`.
    pub name: &'static str,
    /// What it says, in a few words.
    pub title: &'static str,
    /// How severe it is, unless the case is an exception.
    pub severity: Severity,
    /// What it means.
    pub meaning: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it.
    pub what_to_do: &'static str,
}

/// Something found in one assessment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The code of its kind, such as `OUT001`.
    pub code: String,
    /// The short name of its kind.
    pub name: String,
    /// How much it matters here.
    pub severity: Severity,
    /// What was found, in one sentence, with numbers and without any value of the data.
    pub message: String,
    /// The variables it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// The scenario, table or weak k it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The number of records it concerns, if it concerns records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
}

impl Finding {
    /// A finding of this kind, as severe as the kind is.
    pub fn new(kind: &FindingKind, message: impl Into<String>) -> Self {
        Self {
            code: kind.code.to_owned(),
            name: kind.name.to_owned(),
            severity: kind.severity,
            message: message.into(),
            variables: Vec::new(),
            about: None,
            records: None,
        }
    }

    /// As severe as this instead.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// About these variables.
    #[must_use]
    pub fn variables<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.variables = names.into_iter().map(Into::into).collect();
        self
    }

    /// About this scenario or table.
    #[must_use]
    pub fn about(mut self, name: impl Into<String>) -> Self {
        self.about = Some(name.into());
        self
    }

    /// Concerning this many records.
    #[must_use]
    pub fn records(mut self, records: u64) -> Self {
        self.records = Some(records);
        self
    }

    /// The kind, if this version of Outward knows it.
    pub fn kind(&self) -> Option<&'static FindingKind> {
        kinds::ALL.iter().copied().find(|kind| kind.code == self.code)
    }
}

/// The kind of finding with this code or name, in upper or lower case.
pub fn explain(code: &str) -> Result<&'static FindingKind> {
    let written = code.trim();
    let is_it =
        |kind: &&&FindingKind| kind.code.eq_ignore_ascii_case(written) || kind.name.eq_ignore_ascii_case(written);
    match kinds::ALL.iter().find(is_it) {
        Some(kind) => Ok(kind),
        None => {
            let names = kinds::ALL.iter().flat_map(|kind| [kind.code, kind.name]);
            let help = suggest(written, names, "codes and names");
            Err(Error::input(format!("there is no finding `{written}`")).help(help).into())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn codes_are_numbered_without_gaps_and_names_are_unique() {
        for (i, kind) in kinds::ALL.iter().enumerate() {
            assert_eq!(kind.code, format!("OUT{:03}", i + 1));
            assert!(kinds::ALL[..i].iter().all(|other| other.name != kind.name));
        }
    }

    #[test]
    fn every_kind_is_explained_in_whole_sentences() {
        for kind in kinds::ALL {
            assert!(!kind.title.ends_with('.'));
            for text in [kind.meaning, kind.why, kind.what_to_do] {
                let sentences = text.matches(". ").count() + 1;
                assert!(text.ends_with('.') && (2..=5).contains(&sentences), "{}: {text}", kind.code);
                assert!(!text.contains("  "), "{}: {text}", kind.code);
            }
        }
    }

    #[test]
    fn a_code_is_explained_in_either_case_and_by_name() {
        assert_eq!(explain("out001").unwrap().name, "sample-uniques");
        assert_eq!(explain(" OUT001 ").unwrap().code, "OUT001");
        assert_eq!(explain("Sample-Uniques").unwrap().code, "OUT001");
    }

    #[test]
    fn a_mistyped_name_is_answered_with_the_nearest() {
        let error = explain("sample-unique").unwrap_err();
        assert_eq!(error.help().unwrap(), "did you mean `sample-uniques`?");
        assert!(explain("nothing like it").unwrap_err().help().unwrap().contains("`OUT001`"));
    }

    #[test]
    fn a_finding_survives_json() {
        let finding =
            Finding::new(&kinds::WEAK_K, "12 records fall short").about("neighbour").variables(["age"]).records(12);
        let json = serde_json::to_string(&finding).unwrap();
        assert_eq!(serde_json::from_str::<Finding>(&json).unwrap(), finding);
        assert_eq!(finding.kind().unwrap().code, "OUT005");
    }
}
