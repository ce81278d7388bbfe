//! The findings on records, in words for people who are not statisticians.

use outward_report::format::{count, share as share_of};
use outward_spec::{Error, Spec, Step};

use super::check::{EarlierRecords, NewRecords, RecordsCompared};
use super::crossing::Crossing;
use super::joint::{Exposure, VariableEffect};
use super::matches::{Matches, Order};
use super::repeat::perturbs;
use super::{JOINED, SAMPLES, SWAPPED, UNSEEN};
use crate::gate::Obstacle;

/// Most lines shown of one kind.
const SHOWN: usize = 5;

pub(super) fn name_of(earlier: &EarlierRecords) -> String {
    format!("release {}", earlier.release.id)
}

fn obstacle(rule: &'static str, says: String, lines: Vec<String>, help: String) -> Obstacle {
    Obstacle { rule, says, lines, help }
}

fn records(many: u64) -> String {
    if many == 1 { "1 record".to_owned() } else { format!("{} records", count(many)) }
}

/// Names in a sentence: `release 1`, `release 1 and release 2`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn quoted(names: &[&String]) -> String {
    listed(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

pub(super) fn of_other_version(earlier: &EarlierRecords, new: &NewRecords<'_>) -> Obstacle {
    let says = format!(
        "{} is of version {} of the data: {} could not be compared with it record by record",
        name_of(earlier),
        earlier.release.version,
        new.name
    );
    let help = "publish versions of the data rarely and with the same recodings, or enter an exception that says what was checked";
    obstacle(UNSEEN, says, Vec::new(), help.to_owned())
}

pub(super) fn of_no_data(earlier: &EarlierRecords, new: &NewRecords<'_>) -> Obstacle {
    let says = format!(
        "{} was not compared with the records of {}, since the data are not available",
        new.name,
        name_of(earlier)
    );
    obstacle(UNSEEN, says, Vec::new(), "name the data that the bundle was made of with --data FILE".to_owned())
}

pub(super) fn of_nothing_in_common(earlier: &EarlierRecords, new: &NewRecords<'_>) -> String {
    let (then, now) = (name_of(earlier), new.name);
    format!("values of {then} and {now}: by their specs no record is in both, so none can be matched")
}

pub(super) fn of_database(new: &NewRecords<'_>) -> Obstacle {
    let says = format!(
        "the data of {} are in a database: whether they are those of the earlier releases is not known",
        new.name
    );
    let help = "release from a copy in a file, or enter an exception that says what was checked";
    obstacle(UNSEEN, says, Vec::new(), help.to_owned())
}

pub(super) fn of_not_repeated(earlier: &EarlierRecords, new: &NewRecords<'_>, error: &Error) -> Obstacle {
    let says = format!(
        "{} was not compared with the records of {}, whose steps could not be carried out again: {error}",
        new.name,
        name_of(earlier)
    );
    let help = "enter an exception that says what was checked, or leave out what that release shows differently";
    obstacle(UNSEEN, says, Vec::new(), help.to_owned())
}

pub(super) fn of_own_not_repeated(new: &NewRecords<'_>, error: &Error) -> Obstacle {
    let says = format!(
        "{} was not compared with the records of earlier ones, since its own steps could not be carried out again: {error}",
        new.name
    );
    obstacle(UNSEEN, says, Vec::new(), "enter an exception that says what was checked".to_owned())
}

pub(super) fn of_not_matched(earlier: &EarlierRecords, new: &NewRecords<'_>, error: &Error) -> Obstacle {
    let says = format!("the files of {} and {} could not be matched: {error}", new.name, name_of(earlier));
    obstacle(UNSEEN, says, Vec::new(), "enter an exception that says what was checked".to_owned())
}

pub(super) fn of_exposure(
    new: &NewRecords<'_>,
    exposure: &Exposure,
    with: &[&EarlierRecords],
    parts: &[VariableEffect],
    lines: Vec<String>,
) -> Obstacle {
    let mut names: Vec<String> = with.iter().map(|earlier| name_of(earlier)).collect();
    let earlier = listed(&names);
    names.push(new.name.to_owned());
    let together = listed(&names);
    let (below_k, alone) = (exposure.below_k.len() as u64, exposure.alone.len() as u64);
    let small = match (below_k, alone) {
        // A class smaller than two is one record.
        (_, alone) if below_k == 0 || new.k == 2 => format!("{} alone on the keys", records(alone)),
        (below_k, 0) => format!("{} in groups of fewer than {} with the same keys", records(below_k), new.k),
        (below_k, alone) => format!(
            "{} in groups of fewer than {} with the same keys, and {} alone",
            records(below_k),
            new.k,
            records(alone)
        ),
    };
    let says = format!("{together} together leave {small}; none of them does so alone");
    let sizes = names.iter().zip(&exposure.smallest).map(|(name, size)| format!("{} in {name}", count(*size)));
    let sizes: Vec<String> = sizes.collect();
    let together = exposure.smallest.last().copied().unwrap_or_default();
    let least = format!("the smallest of their groups: {}, {} in all together", sizes.join(", "), count(together));
    let lines = std::iter::once(least).chain(lines).collect();
    let own = parts.iter().find(|part| part.release.is_none() && part.freed > 0);
    let help = match own {
        Some(part) => format!("show `{}` as {earlier} does, more coarsely, or not at all", part.variable),
        None => format!("show the keys as {earlier} does, or fewer of them"),
    };
    obstacle(JOINED, says, lines, help)
}

pub(super) fn of_crossings(
    earlier: &EarlierRecords,
    new: &NewRecords<'_>,
    variable: &str,
    crossings: &[Crossing],
) -> Vec<String> {
    let line = |crossing: &Crossing| {
        let gives = match &crossing.gives {
            Some(gives) => format!("give {gives}"),
            None => "give a finer group".to_owned(),
        };
        format!(
            "`{variable}`: {} in {} and {} in {} {gives}: {} of these records",
            crossing.earlier,
            name_of(earlier),
            crossing.new,
            new.name,
            count(crossing.records)
        )
    };
    let mut lines: Vec<String> = crossings.iter().take(SHOWN).map(line).collect();
    if crossings.len() > SHOWN {
        lines.push(format!("`{variable}`: {} more pairs of groups overlap", crossings.len() - SHOWN));
    }
    lines
}

pub(super) fn of_parts<'e>(
    new: &NewRecords<'_>,
    parts: &[VariableEffect],
    exposed: u64,
    release: impl Fn(usize) -> Option<&'e EarlierRecords>,
) -> Vec<String> {
    let line = |part: &VariableEffect| {
        let name = part.release.and_then(&release).map_or_else(|| new.name.to_owned(), name_of);
        format!(
            "without `{}` of {name}, {} of {} would be left",
            part.variable,
            count(exposed - part.freed),
            count(exposed)
        )
    };
    parts.iter().filter(|part| part.freed > 0).take(SHOWN).map(line).collect()
}

pub(super) fn of_presence(many: u64) -> Option<String> {
    (many > 0).then(|| format!("{} of these records are in one of the releases and left out of another", count(many)))
}

/// What a random step does, as a participle.
fn done(step: &Step) -> &'static str {
    match step {
        Step::Sample { .. } => "sampled",
        Step::Swap { .. } => "swapped",
        Step::Pram { .. } => "changed at random",
        Step::Noise { .. } => "given noise",
        Step::RankSwap { .. } => "swapped by rank",
        Step::Round { .. } => "rounded at random",
        _ => "shuffled",
    }
}

pub(super) fn of_random_steps(name: &str, random: &[&Step]) -> String {
    let mut steps: Vec<String> = random.iter().map(|step| format!("`{}`", step.name())).collect();
    steps.dedup();
    format!(
        "what {} of {name} changed at random: keys were joined with their values before that, in all records",
        listed(&steps)
    )
}

pub(super) fn of_perturbed_key(name: &str, key: &str, id: Option<i64>) -> Obstacle {
    let says = format!("the key `{key}` of {name} was perturbed: it is not known which records share its values there");
    let help = match id {
        Some(id) => format!("leave `{key}` out, or enter an exception that says what release {id} shows of it"),
        None => format!("recode `{key}` in place of perturbing it, or enter an exception that says what was checked"),
    };
    obstacle(UNSEEN, says, Vec::new(), help)
}

/// The obstacle of values that are perturbed in one release and differently or not in the other.
pub(super) fn of_perturbed(
    new: &NewRecords<'_>,
    earlier: &EarlierRecords,
    perturbed: &[&String],
    alike: usize,
    counted: Option<Matches>,
) -> Obstacle {
    let how = |spec: &Spec, name: &str| spec.steps.iter().find(|step| perturbs(step, name)).map(done);
    let line = |name: &&String| {
        let state = |spec: &Spec| how(spec, name).unwrap_or("shown as it is");
        format!("`{name}`: {} in {}, {} in {}", state(&earlier.spec), name_of(earlier), state(new.spec), new.name)
    };
    let lines = perturbed.iter().map(line).collect();
    let variables = quoted(perturbed);
    let name = name_of(earlier);
    let says = match counted {
        Some(Matches { order: Order::SameRows(differing), records: all, .. }) if differing > 0 => format!(
            "{} of {} differ in {variables} from the record in the same row of {name}: this shows that they were changed",
            count(differing),
            records(all),
        ),
        Some(Matches { order: Order::Kept, .. }) => format!(
            "{name} and {} keep the order of the data: records that lie beside each other show which were changed in {variables}",
            new.name
        ),
        Some(Matches { matched, differing, .. }) if differing > 0 => format!(
            "{} of {} that match exactly one of {name} on {alike} columns differ from it in {variables}: this shows that they were changed",
            count(differing),
            records(matched),
        ),
        _ => format!(
            "{name} and {} show {variables} of the same records differently: matches show which records were changed",
            new.name
        ),
    };
    let id = earlier.release.id;
    let help = match counted {
        Some(Matches { order: Order::SameRows(_) | Order::Kept, .. }) => {
            format!(
                "leave {variables} out, publish what release {id} does, or put the records into a random order with `shuffle`"
            )
        }
        Some(_) => format!("leave {variables} out, or publish what release {id} does"),
        None => format!("leave {variables} out; --bundle-of {id}=BUNDLE at the gate counts what differs"),
    };
    obstacle(SWAPPED, says, lines, help)
}

/// Two samples of the same records.
pub(super) struct Samples {
    /// The sampling fractions.
    shares: [f64; 2],
    /// Records that both were drawn from, if known.
    both: Option<u64>,
}

impl Samples {
    /// `None` if one of them is no sample: all of its records can then be in the other.
    pub(super) fn new(new: &Spec, earlier: &Spec, both: Option<u64>) -> Option<Self> {
        Some(Self { shares: [share(new, both)?, share(earlier, both)?], both })
    }

    fn lines(&self) -> Vec<String> {
        let [own, theirs] = self.shares;
        let mut lines = Vec::new();
        if let Some(both) = self.both {
            let expected = (both as f64 * own * theirs).round() as u64;
            lines.push(format!(
                "{} × {} × {} = {} records are expected in both, drawn by different seeds",
                count(both),
                share_of(own),
                share_of(theirs),
                count(expected)
            ));
        }
        lines.push(format!("both together are {} of the records", share_of(own + theirs - own * theirs)));
        lines
    }
}

/// The share of the records that a spec samples; `None` if it samples none.
fn share(spec: &Spec, records: Option<u64>) -> Option<f64> {
    let drawn = spec.steps.iter().filter_map(|step| match step {
        Step::Sample { fraction: Some(fraction), .. } => Some(*fraction),
        Step::Sample { size: Some(size), .. } => {
            Some(records.map_or(1.0, |records| *size as f64 / records.max(1) as f64).min(1.0))
        }
        _ => None,
    });
    drawn.reduce(|all, one| all * one)
}

pub(super) fn of_samples(
    new: &NewRecords<'_>,
    earlier: &EarlierRecords,
    samples: &Samples,
    counted: Option<Matches>,
    joins_more: bool,
    held: &mut RecordsCompared,
) {
    let mut lines = samples.lines();
    let (name, id) = (name_of(earlier), earlier.release.id);
    if !joins_more {
        held.not_seen.push(format!(
            "which records are in both {name} and {}, two samples of the same columns: {}",
            new.name,
            lines.last().cloned().unwrap_or_default()
        ));
        return;
    }
    let help =
        "draw from records that are not in that release, show the same columns, or fewer of those that both have";
    match counted {
        Some(Matches { order: Order::SameRows(_) | Order::Kept | Order::LeftOut, .. }) => {
            let says = format!(
                "{name}, another sample of the same data, and {} are in the same order: records in both can be matched, and show more together",
                new.name
            );
            held.obstacles.push(obstacle(
                SAMPLES,
                says,
                lines,
                format!("{help}; or put the records into a random order with `shuffle`"),
            ));
        }
        Some(Matches { matched: 0, .. }) => {}
        Some(Matches { matched, records: all, .. }) => {
            let share = matched as f64 / all.max(1) as f64;
            let says = format!(
                "{} of {} can be matched with exactly one of {name}, another sample of the same data, and show more together",
                count(matched),
                records(all)
            );
            lines.insert(0, format!("{} of {} records match: {}", count(matched), count(all), share_of(share)));
            held.obstacles.push(obstacle(SAMPLES, says, lines, help.to_owned()));
        }
        None if new.file.is_some() => {
            let says = format!(
                "{name} is another sample of the same data, and without its file it is not known which records are in both"
            );
            let help = format!("name its bundle with --bundle-of {id}=BUNDLE");
            held.obstacles.push(obstacle(UNSEEN, says, lines, help));
        }
        None => {
            let says = format!("{name} is another sample of the same data: records in both show more together");
            held.obstacles.push(obstacle(SAMPLES, says, lines, help.to_owned()));
        }
    }
}
