//! The public statement of a release: the statement of its bundle, and how it was released (V6, T9).

use crate::register::{Exception, File};
use crate::state::State;

/// The statement of a release in Markdown, with that of its bundle first. `None` if the release is not public.
pub fn statement(file: &File, of_bundle: &str) -> Option<String> {
    let release = &file.release;
    if !release.state.is_public() {
        return None;
    }
    let mut text = format!("{}\n\n## How it was released\n\n", of_bundle.trim_end());
    text += &format!(
        "These data were published on {} as release {} of the register, under version {} of the policy `{}`. ",
        day_in_words(&release.released),
        release.id,
        release.policy_version,
        release.policy
    );
    text += &match file.approved_by().len() {
        0 => "The policy asks for no approval by a second person.\n".to_owned(),
        1 => "One person other than its author approved the release.\n".to_owned(),
        more => format!("{more} people other than its author approved the release.\n"),
    };
    if release.state == State::Withdrawn {
        text += "\nThe release has since been withdrawn. Please do not use or pass on the data.\n";
    }
    let used: Vec<&Exception> = file
        .exceptions
        .iter()
        .filter(|of| of.bundle_hash == release.bundle_hash && of.holds_at(&release.released))
        .collect();
    if !used.is_empty() {
        text += "\n### Exceptions\n\nA rule of the policy was lifted for this release, for the reason given.\n\n";
    }
    for Exception { rule, scope, reason, approver, expires, .. } in used {
        text += &format!(
            "- **{}.** {} It holds for: {scope}. Approved by {approver}, until {}.\n",
            rule_in_words(rule),
            sentence(reason),
            day_in_words(expires),
        );
    }
    Some(text)
}

/// A reason as a sentence.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let capital: String = chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default();
    if text.ends_with(['.', '!', '?']) { capital } else { capital + "." }
}

/// What a rule of the gate asks, for readers who are not statisticians.
fn rule_in_words(rule: &str) -> String {
    match rule {
        "intruder-test" => "No test by intruders shows that the limits of the policy are kept".to_owned(),
        "earlier-releases" => "The data were not protected together with every earlier release".to_owned(),
        "differencing" => "Some small differences to earlier figures may be computed".to_owned(),
        "revision" => "Some figures changed by few people since an earlier version of the data".to_owned(),
        other => format!("Rule `{other}`"),
    }
}

/// The day of a time, as `18 November 2026`.
fn day_in_words(time: &str) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let day = time.get(..10).unwrap_or(time);
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, of_month] = parts[..] else { return day.to_owned() };
    let name = month.parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    name.map_or_else(|| day.to_owned(), |name| format!("{} {name} {year}", of_month.trim_start_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::Release;

    fn file(state: State) -> File {
        let release = Release {
            id: 7,
            dataset: "people.csv".to_owned(),
            version: 1,
            title: "Young people".to_owned(),
            kind: "tables".to_owned(),
            state,
            author: "ann".to_owned(),
            requester: String::new(),
            purpose: String::new(),
            policy: "gss-tables".to_owned(),
            policy_version: "2".to_owned(),
            tier: "medium".to_owned(),
            approvals: 0,
            bundle_hash: "b".to_owned(),
            submitted: "2026-11-08T10:00:00Z".to_owned(),
            released: "2026-11-08T12:00:00Z".to_owned(),
        };
        let exception = |expires: &str, bundle: &str| Exception {
            rule: "differencing".to_owned(),
            scope: "table 3".to_owned(),
            reason: "the village is empty".to_owned(),
            approver: "bob".to_owned(),
            expires: expires.to_owned(),
            at: String::new(),
            bundle_hash: bundle.to_owned(),
        };
        let exceptions =
            vec![exception("2027-01-31", "b"), exception("2026-11-07", "b"), exception("2027-01-31", "other")];
        File { release, tables: Vec::new(), decisions: Vec::new(), exceptions }
    }

    #[test]
    fn the_statement_of_a_release_names_the_exceptions_by_which_it_went_out() {
        let text = statement(&file(State::Released), "# Young people\n").unwrap_or_default();
        assert!(text.starts_with(
            "# Young people\n\n## How it was released\n\nThese data were published on 8 November 2026 as release 7"
        ));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(
            lines,
            [
                "- **Some small differences to earlier figures may be computed.** The village is empty. It holds for: table 3. \
              Approved by bob, until 31 January 2027."
            ]
        );
        assert!(statement(&file(State::Withdrawn), "").unwrap_or_default().contains("since been withdrawn"));
        assert_eq!(
            statement(&file(State::Approved), "# Young people"),
            None,
            "what is not public has no public statement"
        );
    }
}
