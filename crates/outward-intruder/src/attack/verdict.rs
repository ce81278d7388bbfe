//! The verdict of a policy on a score card, in plain words.

use outward_report::format::count;
use outward_spec::IntruderRules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::{AtConfidence, ScoreCard};

/// Whether an attack stays within the limits of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether every limit holds.
    pub met: bool,
    /// The verdict in one sentence.
    pub summary: String,
    /// The verdict on each limit.
    pub limits: Vec<LimitVerdict>,
}

/// The verdict on one limit of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LimitVerdict {
    /// The limit, as the policy spells it.
    pub limit: String,
    /// Whether it holds.
    pub met: bool,
    /// Why, in plain words.
    pub reason: String,
}

fn percent(share: f64) -> String {
    outward_report::format::share(share)
}

/// Judges a score card by the limits of a policy.
#[must_use]
pub fn judge(card: &ScoreCard, rules: &IntruderRules) -> Verdict {
    let confidence = rules.confidence();
    let limits: Vec<LimitVerdict> =
        [enough_targets(card, rules), correct_share(card, rules), found(card, rules), attribute_gain(card, rules)]
            .into_iter()
            .flatten()
            .collect();
    let met = limits.iter().all(|limit| limit.met);
    let nobody_found = at_confidence_of(card, rules).is_some_and(|at| at.correct == 0);
    let is_unproven = |limit: &LimitVerdict| {
        limit.met || limit.limit == "least_targets" || (limit.limit == "most_found" && nobody_found)
    };
    let only_learned = limits.iter().all(|limit| is_unproven(limit) || limit.limit == "most_attribute_gain");
    let what = if only_learned { "learns" } else { "finds" };
    let summary = match (met, card.helped.first()) {
        (true, _) => format!(
            "The intruder stays within the limits of the policy, judged by claims with {} confidence or more.",
            percent(confidence)
        ),
        (false, _) if limits.iter().all(is_unproven) => {
            "The intruder looked for too few people to say that they stay within the limits of the policy.".to_owned()
        }
        (false, Some(first)) => {
            format!(
                "The intruder {what} more than the policy allows. `{first}` helped most: coarsen or drop it, and attack again."
            )
        }
        (false, None) => format!("The intruder {what} more than the policy allows."),
    };
    Verdict { met, summary, limits }
}

fn enough_targets(card: &ScoreCard, rules: &IntruderRules) -> Option<LimitVerdict> {
    let least = rules.least_targets?;
    let reason = format!(
        "{} people of the data were looked for{}; the policy asks for {} or more.",
        count(card.targets),
        strangers(card),
        count(least)
    );
    Some(LimitVerdict { limit: "least_targets".to_owned(), met: card.targets >= least, reason })
}

/// Says how many others were looked for.
fn strangers(card: &ScoreCard) -> String {
    match card.looked_for.saturating_sub(card.targets) {
        0 => String::new(),
        others => format!(" (and {} not known to be in the data, who do not count)", count(others)),
    }
}

/// The claims that the policy judges.
fn at_confidence_of<'a>(card: &'a ScoreCard, rules: &IntruderRules) -> Option<&'a AtConfidence> {
    card.at_confidence.iter().find(|at| at.confidence == rules.confidence())
}

/// The verdict on a limit for which the card has no figure: it is not met.
fn not_counted(limit: &str) -> LimitVerdict {
    let reason = "The card does not count claims at the confidence of this policy. Attack again under it.".to_owned();
    LimitVerdict { limit: limit.to_owned(), met: false, reason }
}

fn correct_share(card: &ScoreCard, rules: &IntruderRules) -> Option<LimitVerdict> {
    let most = rules.most_correct_share?;
    let Some(at) = at_confidence_of(card, rules) else { return Some(not_counted("most_correct_share")) };
    let reason = match at.claims {
        0 => format!("No claim was made with {} confidence or more.", percent(at.confidence)),
        claims => format!(
            "{} of {} claims made with {} confidence or more are right ({}); the policy allows {}.",
            count(at.correct),
            count(claims),
            percent(at.confidence),
            percent(at.precision.value),
            percent(most)
        ),
    };
    Some(LimitVerdict { limit: "most_correct_share".to_owned(), met: at.precision.value <= most, reason })
}

fn found(card: &ScoreCard, rules: &IntruderRules) -> Option<LimitVerdict> {
    let most = rules.most_found?;
    let Some(at) = at_confidence_of(card, rules) else { return Some(not_counted("most_found")) };
    let reason = format!(
        "Of {} people of the data who were looked for, {} were found by claims with {} confidence or more. It may be {} of people like them; the policy allows {}.",
        count(card.targets),
        count(at.correct),
        percent(at.confidence),
        percent(at.found.high),
        percent(most)
    );
    Some(LimitVerdict { limit: "most_found".to_owned(), met: at.found.high <= most, reason })
}

fn attribute_gain(card: &ScoreCard, rules: &IntruderRules) -> Option<LimitVerdict> {
    let most = rules.most_attribute_gain?;
    let Some(worst) = card.attributes.iter().max_by(|a, b| a.gain.total_cmp(&b.gain)) else {
        let reason = "The release has no variable that the intruder wants to learn.".to_owned();
        return Some(LimitVerdict { limit: "most_attribute_gain".to_owned(), met: true, reason });
    };
    let reason = format!(
        "The intruder is right about `{}` in {} of cases, and by guessing in {}; the policy allows {} more.",
        worst.variable,
        percent(worst.share.value),
        percent(worst.guess),
        percent(most)
    );
    Some(LimitVerdict { limit: "most_attribute_gain".to_owned(), met: worst.gain <= most, reason })
}
