//! Compares claims with the truth.

use outward_cells::{Coded, Dictionary};
use outward_spec::IntruderRules;

use super::answer::{Answer, Claim, own_row};
use super::card::{AtConfidence, CalibrationBand, Excess, GroupScore, NoClaim, ScoreCard, Summary};
use super::membership::Membership;
use super::people::{NamedColumn, Released, Truth};
use super::wilson::Interval;

/// The least confidences at which every card counts claims.
pub(super) const CONFIDENCES: [f64; 3] = [0.6, 0.8, 0.95];

/// The lower ends of the bands of stated confidence.
const BANDS: [f64; 8] = [0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95];

/// A claim about a person of the intruder's file, with its truth. Rows are those of the source, from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoredClaim {
    pub(super) person: u32,
    rows: Vec<u32>,
    pub(super) confidence: f64,
    candidates: u64,
    correct: Option<bool>,
}

/// The answers about some people, as claims with their truth.
#[derive(Debug, Clone, Default)]
pub(super) struct Scored {
    pub(super) claims: Vec<ScoredClaim>,
    pub(super) no_claim: NoClaim,
    /// People looked for, whether they are in the data or not.
    pub(super) looked_for: u64,
    /// Those of them who are in the data.
    pub(super) targets: u64,
    /// People looked for who are in every release.
    pub(super) present: u64,
    /// Claims about them.
    pub(super) about_present: u64,
    /// Correct claims expected by a random choice among candidates.
    pub(super) expected: f64,
}

/// Compares answers with the truth. Confidences are multiplied by the chance that the person is in the release. Claims
/// with less than `least` are not made.
pub(super) fn score(
    people: &[u32],
    answers: Vec<Answer>,
    truth: &[Truth],
    releases: &[Released],
    (membership, least): (&Membership, f64),
) -> Scored {
    let mut scored = Scored { looked_for: people.len() as u64, ..Scored::default() };
    for (person, answer) in people.iter().zip(answers) {
        let truth = truth[*person as usize];
        let present = is_present(truth, releases);
        scored.targets += u64::from(is_in_data(truth));
        scored.present += u64::from(present);
        match answer {
            Answer::NoRecord => scored.no_claim.no_record += 1,
            Answer::TooMany => scored.no_claim.too_many += 1,
            Answer::Claim { rows, confidence, candidates } => {
                let confidence = confidence * membership.chance(candidates);
                if confidence < least {
                    scored.no_claim.too_unsure += 1;
                    continue;
                }
                scored.about_present += u64::from(present);
                let correct = match truth {
                    Truth::Row(own) => Some(rows.iter().all(|row| *row == own)),
                    Truth::Elsewhere => Some(false),
                    Truth::Again(_) | Truth::Unknown => None,
                };
                scored.claims.push(ScoredClaim { person: *person, rows, confidence, candidates, correct });
            }
        }
    }
    scored
}

/// Whether a person is known to be in the data.
pub(super) fn is_in_data(truth: Truth) -> bool {
    own_row(truth).is_some()
}

/// Whether a person is in every one of the releases.
pub(super) fn is_present(truth: Truth, releases: &[Released]) -> bool {
    own_row(truth).is_some_and(|row| releases.iter().all(|release| release.present[row as usize]))
}

/// The card of some scored claims, with the parts that all cards have.
pub(super) fn card_of(name: &str, scored: &Scored, releases: &[Released], rules: Option<&IntruderRules>) -> ScoreCard {
    let (claims, verifiable, correct) = (scored.claims.len() as u64, scored.verifiable(), scored.correct());
    // A record named at random in each release is the person's with this chance, if they are in all of them.
    let chance: f64 = releases.iter().map(|release| 1.0 / release.records().max(1) as f64).product();
    let by_chance = scored.about_present as f64 * chance;
    ScoreCard {
        scenario: name.to_owned(),
        attack: None,
        response_knowledge: false,
        seed: 0,
        releases: releases.iter().map(|release| release.name.clone()).collect(),
        records: releases.first().map_or(0, Released::records) as u64,
        people: 0,
        looked_for: scored.looked_for,
        targets: scored.targets,
        in_release: scored.present,
        used: Vec::new(),
        unused: Vec::new(),
        claims,
        verifiable,
        correct,
        no_claim: scored.no_claim,
        precision: Interval::of_share(correct, verifiable),
        recall: Interval::of_share(correct, scored.present),
        found: Interval::of_share(correct, scored.targets),
        baseline: by_chance / verifiable.max(1) as f64,
        expected: scored.expected,
        excess: Excess {
            over_baseline: correct as f64 - by_chance,
            over_expected: correct as f64 - scored.expected,
            over_control: None,
        },
        at_confidence: scored.at_confidence(rules.map(IntruderRules::confidence)),
        calibration: scored.calibration(),
        control: None,
        otherwise: None,
        alone: Vec::new(),
        attributes: Vec::new(),
        groups: Vec::new(),
        helped: Vec::new(),
        contributions: Vec::new(),
        verdict: None,
        remarks: Vec::new(),
    }
}

impl Scored {
    /// The claims by person, with the rows of the published files.
    pub(super) fn published(&self, releases: &[Released]) -> Vec<Claim> {
        let rows: Vec<Vec<Option<u32>>> = releases.iter().map(Released::published_rows).collect();
        let record = |(row, published): (&u32, &Vec<Option<u32>>)| Some(u64::from(published[*row as usize]?) + 1);
        let claim = |claim: &ScoredClaim| Claim {
            person: u64::from(claim.person) + 1,
            records: claim.rows.iter().zip(&rows).filter_map(record).collect(),
            confidence: claim.confidence,
            candidates: claim.candidates,
            correct: claim.correct,
        };
        let mut claims: Vec<Claim> = self.claims.iter().map(claim).collect();
        claims.sort_by_key(|claim| claim.person);
        claims
    }

    pub(super) fn verifiable(&self) -> u64 {
        self.claims.iter().filter(|claim| claim.correct.is_some()).count() as u64
    }

    pub(super) fn correct(&self) -> u64 {
        self.claims.iter().filter(|claim| claim.correct == Some(true)).count() as u64
    }

    pub(super) fn summary(&self, name: &str) -> Summary {
        let stated: f64 = self.claims.iter().map(|claim| claim.confidence).sum();
        Summary {
            name: name.to_owned(),
            targets: self.targets,
            claims: self.claims.len() as u64,
            correct: self.correct(),
            precision: Interval::of_share(self.correct(), self.verifiable()),
            mean_confidence: stated / self.claims.len().max(1) as f64,
        }
    }

    pub(super) fn at_confidence(&self, also: Option<f64>) -> Vec<AtConfidence> {
        let mut confidences: Vec<f64> = CONFIDENCES.into_iter().chain(also).collect();
        confidences.sort_by(f64::total_cmp);
        confidences.dedup();
        let at = |confidence: f64| {
            let made = || self.claims.iter().filter(|claim| claim.confidence >= confidence && claim.correct.is_some());
            let (claims, correct) =
                (made().count() as u64, made().filter(|claim| claim.correct == Some(true)).count() as u64);
            let (precision, found) = (Interval::of_share(correct, claims), Interval::of_share(correct, self.targets));
            AtConfidence { confidence, claims, correct, precision, found }
        };
        confidences.into_iter().map(at).collect()
    }

    pub(super) fn calibration(&self) -> Vec<CalibrationBand> {
        let band = |i: usize| {
            let (from, to) = (BANDS[i], BANDS.get(i + 1).copied().unwrap_or(1.0));
            let is_in =
                |claim: &&ScoredClaim| claim.confidence >= from && (claim.confidence < to || i + 1 == BANDS.len());
            let made: Vec<&ScoredClaim> =
                self.claims.iter().filter(|claim| claim.correct.is_some()).filter(is_in).collect();
            let correct = made.iter().filter(|claim| claim.correct == Some(true)).count() as u64;
            let stated = made.iter().map(|claim| claim.confidence).sum::<f64>() / made.len().max(1) as f64;
            let claims = made.len() as u64;
            (claims > 0).then(|| CalibrationBand {
                from,
                to,
                claims,
                stated,
                right: Interval::of_share(correct, claims),
            })
        };
        (0..BANDS.len()).filter_map(band).collect()
    }

    /// The score by category of a variable of the source.
    pub(super) fn by_group(&self, column: &NamedColumn, people: &[u32], truth: &[Truth]) -> Vec<GroupScore> {
        let Coded { codes, dictionary } = &column.values;
        let mut counts = vec![[0u64; 3]; dictionary.len() + 1];
        let category = |person: u32| own_row(truth[person as usize]).map(|row| codes[row as usize] as usize);
        for category in people.iter().filter_map(|person| category(*person)) {
            counts[category][0] += 1;
        }
        for claim in &self.claims {
            if let (Some(category), Some(correct)) = (category(claim.person), claim.correct) {
                counts[category][1] += 1;
                counts[category][2] += u64::from(correct);
            }
        }
        let score = |(code, [targets, claims, correct]): (usize, [u64; 3])| GroupScore {
            variable: column.name.clone(),
            category: name_of(dictionary, code),
            targets,
            claims,
            correct,
            precision: Interval::of_share(correct, claims),
            found: Interval::of_share(correct, targets),
        };
        let mut groups: Vec<GroupScore> =
            counts.into_iter().enumerate().filter(|(_, [targets, ..])| *targets > 0).map(score).collect();
        // Codes are in numerical order even if the file has them as text. People without a category come first.
        let number = |group: &GroupScore| group.category.as_ref().map(|category| category.parse::<f64>());
        if groups.iter().filter_map(number).all(|number| number.is_ok_and(f64::is_finite)) {
            let value = |group: &GroupScore| number(group).and_then(Result::ok).unwrap_or(f64::NEG_INFINITY);
            groups.sort_by(|one, other| value(one).total_cmp(&value(other)));
        }
        groups
    }
}

fn name_of(dictionary: &Dictionary, code: usize) -> Option<String> {
    dictionary.value(code as u32).map(str::to_owned)
}
