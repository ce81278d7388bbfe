//! Scores the claims of human testers on the same card.

use outward_cells::{Coded, MISSING};
use outward_error::{Error, Result};
use outward_spec::IntruderRules;

use super::answer::Answer;
use super::card::ScoreCard;
use super::membership::Membership;
use super::people::{NamedColumn, Released, Truth};
use super::play::Outcome;
use super::score::{card_of, score};

/// A tester's claim: this record is this person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManualClaim {
    /// The row of the published file, from 1.
    pub record: u64,
    /// The row of the person in the list of people, from 1.
    pub person: u64,
    /// The tester's confidence, from 0 to 1.
    pub confidence: f64,
}

/// Claims from three columns of a claims file. The first is the record's row in the published file, from 1. The second
/// is the person's row in the list of people or, if `ids` has the column of the list that identifies people, the
/// person's value there. The third is the confidence, from 0 to 1, or in per cent with the sign.
///
/// # Errors If a field is empty or no number, or a person is not in the list.
pub fn manual_claims(
    record: &Coded,
    person: &Coded,
    confidence: &Coded,
    ids: Option<&Coded>,
) -> Result<Vec<ManualClaim>> {
    let fault =
        |row: usize, what: &str, help: &str| -> Error { Error::input(what).row(row as u64 + 1).help(help).into() };
    let text = |column: &'_ Coded, row: usize| column.dictionary.value(column.codes[row]).map(str::to_owned);
    let number = |column: &Coded, row: usize, what: &str| -> Result<u64> {
        let number = text(column, row).and_then(|text| text.trim().parse().ok()).filter(|number| *number > 0);
        number.ok_or_else(|| fault(row, what, "write the number of a row, from 1"))
    };
    let place_of_id = |row: usize| -> Result<u64> {
        let unknown = || {
            fault(
                row,
                "the person of this claim is not in the list of people",
                "write their number as it is in the list",
            )
        };
        let ids = ids.ok_or_else(unknown)?;
        let code = text(person, row).and_then(|id| ids.dictionary.code(&id)).ok_or_else(unknown)?;
        ids.codes.iter().position(|known| *known == code && code != MISSING).map(|at| at as u64 + 1).ok_or_else(unknown)
    };
    let read = |row: usize| -> Result<ManualClaim> {
        let confidence = text(confidence, row).and_then(|text| read_confidence(text.trim())).ok_or_else(|| {
            let what = "the confidence of this claim is not a number from 0 to 1";
            fault(row, what, "write a number such as 0.8, or a percentage with its sign such as 80%")
        })?;
        Ok(ManualClaim {
            record: number(record, row, "the record of this claim is no row")?,
            person: match ids {
                Some(_) => place_of_id(row)?,
                None => number(person, row, "the person of this claim is no row")?,
            },
            confidence,
        })
    };
    (0..record.codes.len()).map(read).collect()
}

/// A confidence: `0.8` or `80%`.
fn read_confidence(text: &str) -> Option<f64> {
    let confidence = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&confidence).then_some(confidence)
}

/// What testers were given, and the truth.
#[derive(Debug, Clone, Copy)]
pub struct ManualTest<'a> {
    /// The name of the test.
    pub name: &'a str,
    /// The release they were given.
    pub release: &'a Released,
    /// Who the people of the list are.
    pub truth: &'a [Truth],
    /// True values by row of the source, for groups.
    pub source: &'a [NamedColumn],
    /// The columns of `source` by whose categories the card is broken down.
    pub groups: &'a [String],
    /// Whether the testers knew that the people are in the release.
    pub response_knowledge: bool,
    /// The limits of the policy.
    pub rules: Option<&'a IntruderRules>,
}

/// Scores the claims of testers. Only the people of whom something is claimed count as looked for: nobody knows of whom
/// else the testers thought, and a test without claims tests nothing. Of several claims about a person the one with the
/// highest confidence counts, whichever of the person's rows of the list they name.
///
/// # Errors If there is no claim, or one names a row that does not exist.
pub fn score_manual(claims: &[ManualClaim], test: &ManualTest<'_>) -> Result<Outcome> {
    if claims.is_empty() {
        return Err(Error::input("there are no claims")
            .help("have the testers name a record for each person they think they know; only these people count")
            .into());
    }
    let mut answers = vec![Answer::NoRecord; test.truth.len()];
    for (row, claim) in (1..).zip(claims) {
        let order = &test.release.order;
        let record = usize::try_from(claim.record - 1).ok().and_then(|at| order.get(at));
        let record = record.ok_or_else(|| {
            let what = format!("the claim names record {}, and the release has {}", claim.record, order.len());
            Error::input(what).row(row).help("write the row of the published file, from 1")
        })?;
        let person = usize::try_from(claim.person - 1).ok();
        let person = person.map(|at| match test.truth.get(at) {
            Some(Truth::Again(first)) => *first as usize,
            _ => at,
        });
        let answer = person.and_then(|at| answers.get_mut(at)).ok_or_else(|| {
            let what = format!("the claim names person {}, and the list has {}", claim.person, test.truth.len());
            Error::input(what).row(row).help("write the row of the list of people, from 1")
        })?;
        let surer =
            |answer: &Answer| !matches!(answer, Answer::Claim { confidence, .. } if *confidence >= claim.confidence);
        if surer(answer) {
            *answer = Answer::Claim { rows: vec![*record], confidence: claim.confidence, candidates: 1 };
        }
    }
    let claimed = (0..).zip(answers).filter(|(_, answer)| matches!(answer, Answer::Claim { .. }));
    let (people, answers): (Vec<u32>, Vec<Answer>) = claimed.unzip();
    let releases = std::slice::from_ref(test.release);
    let scored = score(&people, answers, test.truth, releases, (&Membership::certain(), 0.0));
    let mut card: ScoreCard = card_of(test.name, &scored, releases, test.rules);
    card.response_knowledge = test.response_knowledge;
    card.people = test.truth.iter().filter(|truth| !matches!(truth, Truth::Again(_))).count() as u64;
    for name in test.groups {
        let column = super::people::need_column(test.source, name)?;
        card.groups.extend(scored.by_group(column, &people, test.truth));
    }
    card.remarks.push("The claims were made by people. What helped them is not known; ask them.".to_owned());
    card.verdict = test.rules.map(|rules| super::judge(&card, rules));
    Ok(Outcome { card, claims: scored.published(releases) })
}
