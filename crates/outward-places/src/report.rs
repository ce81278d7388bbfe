//! A study of places as a document.

use outward_report::format::{count, number, share};
use outward_report::{
    Axis, Bin, Block, Chart, Column, Columns, Figure, Lines, Mark, Plot, PlotPoint, Report, Section, Series, Table,
    Threshold, Tone, Value, Verdict,
};

use crate::cost::Cost;
use crate::headcounts::System;
use crate::pool::Rule;
use crate::study::Study;

/// How many pools are listed; the JSON output has all.
const POOLS_LISTED: usize = 30;
/// How many codes of a pool are named.
const MEMBERS_NAMED: usize = 8;
/// Columns of a histogram.
const BINS: usize = 40;

/// The study as a document.
pub fn report(study: &Study) -> Report {
    let sections = [costs(study), histograms(study), thresholds(study), pools(study), nations(study)];
    Report {
        title: format!("Places that may be published from {}", study.source),
        subtitle: format!("rule {} · at least {} people per code", study.rule, count(study.threshold)),
        verdict: verdict(study),
        sections: sections.into_iter().flatten().collect(),
        footer: vec![
            format!("Made with Outward {}.", env!("CARGO_PKG_VERSION")),
            format!("Population table sha256:{}", study.population_table),
            "Method and sources: docs/methods/places.md.".to_owned(),
        ],
    }
}

fn share_of(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn verdict(study: &Study) -> Verdict {
    let kept = study.final_codes - study.pools.len();
    let lost = study.people_without_location;
    let (tone, headline) = match (study.people_withheld, study.below_after, lost) {
        (1.., _, _) => (
            Tone::Bad,
            format!(
                "{} people are too few even without a location: leave their records out",
                count(study.people_withheld)
            ),
        ),
        (0, 1.., _) => (
            Tone::Caution,
            format!(
                "{} after pooling {} still below {} people: their {} residents lose their location",
                if study.below_after == 1 {
                    "One code".to_owned()
                } else {
                    format!("{} codes", count(study.below_after as u64))
                },
                if study.below_after == 1 { "is" } else { "are" },
                count(study.threshold),
                count(lost)
            ),
        ),
        (0, 0, 1..) if study.rule == Rule::Us => (
            Tone::Caution,
            format!(
                "{} people ({}) are published without a location",
                count(lost),
                share(share_of(lost, study.people))
            ),
        ),
        _ => (Tone::Good, format!("Every published code stands for at least {} people", count(study.threshold))),
    };
    Verdict {
        tone,
        headline,
        detail: format!(
            "Of {} codes, {} are below {} people. {} stay as they are; the others are published as {}.",
            count(study.codes as u64),
            count(study.below_before as u64),
            count(study.threshold),
            count(kept as u64),
            if study.pools.len() == 1 {
                "one group".to_owned()
            } else {
                format!("{} groups", count(study.pools.len() as u64))
            },
        ),
        figures: vec![
            Figure::new(study.codes as u64, "codes"),
            Figure::new(study.people, "people"),
            Figure::new(Value::Number(study.mean, 0), "people per code on average"),
            Figure::new(study.below_before as u64, "codes below the threshold"),
            Figure::new(study.final_codes as u64, "codes after pooling"),
        ],
    }
}

fn costs(study: &Study) -> Option<Section> {
    let columns = [
        Column::left("Rule"),
        Column::right("Codes left"),
        Column::right("Below after"),
        Column::right("Without location"),
        Column::right("District lost"),
        Column::right("Largest group"),
        Column::right("Information kept"),
        Column::right("Mean distance, km"),
    ];
    let mut table = Table::new("What each rule costs", columns);
    let row = |cost: &Cost| -> Vec<Value> {
        let chosen = if cost.rule == study.rule { " (chosen)" } else { "" };
        vec![
            format!("{}{chosen}", cost.rule).into(),
            (cost.final_codes as u64).into(),
            (cost.below_after as u64).into(),
            cost.people_without_location.into(),
            cost.people_without_own_district().into(),
            cost.largest_group.into(),
            Value::Share(cost.information_kept),
            cost.mean_distance.map(|metres| Value::Number(metres / 1000.0, 1)).into(),
        ]
    };
    table.rows = study.costs.iter().map(row).collect();
    let mut intro = "Who pays. Without a location are people published as `*` or in the national pool. District lost counts \
        everyone whose own district can no longer be read, those without a location included. Information is the entropy of a \
        person's published code, as a share of that of the true one."
        .to_owned();
    if study.system == System::Postcodes && study.costs.iter().all(|cost| cost.rule != Rule::Neighbour) {
        intro += " The neighbour rule needs the coordinates of every code: `--easting` and `--northing`.";
    }
    Some(Section { intro, blocks: vec![Block::Table(table)], ..Section::new("costs", "What each rule costs") })
}

fn histograms(study: &Study) -> Option<Section> {
    let largest = study.before.iter().chain(&study.after).copied().max().unwrap_or(0);
    let width = nice_width(largest, study.threshold);
    let chart = |title: &str, people: &[u64]| {
        let mut heights = vec![0u64; (largest / width + 1) as usize];
        people.iter().for_each(|people| heights[(people / width) as usize] += 1);
        let bin = |(at, height): (usize, &u64)| Bin {
            from: (at as u64 * width) as f64,
            to: ((at as u64 + 1) * width) as f64,
            value: *height as f64,
            highlight: (at as u64) * width < study.threshold,
        };
        let plot = Columns {
            x: Axis::counts("People"),
            y: Axis::counts("Codes"),
            bins: heights.iter().enumerate().map(bin).collect(),
            threshold: Some(Threshold { value: study.threshold as f64, label: "threshold".to_owned() }),
        };
        Block::Chart(Chart { title: title.to_owned(), note: String::new(), plot: Plot::Columns(plot) })
    };
    let blocks = vec![chart("Before pooling", &study.before), chart("After pooling", &study.after)];
    let intro = format!(
        "How many codes have how many people, before and after. The largest code had {}; {} pooled {} larger.",
        count(study.largest),
        count(study.above_former_largest as u64),
        if study.above_former_largest == 1 { "group is" } else { "groups are" },
    );
    Some(Section { intro, blocks, ..Section::new("histograms", "Population per code") })
}

/// The width of a column: 1, 2 or 5 times a power of ten, so that there are about as many as wanted, and a divisor of the
/// threshold where that is round, so that no column has codes of both sides.
fn nice_width(largest: u64, threshold: u64) -> u64 {
    let wanted = (largest / BINS as u64).max(1);
    let nice = (0..18).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
    let wide: Vec<u64> = nice.filter(|width| *width >= wanted).collect();
    let dividing = wide.iter().take(3).find(|width| threshold.is_multiple_of(**width));
    dividing.or(wide.first()).copied().unwrap_or(wanted)
}

fn thresholds(study: &Study) -> Option<Section> {
    let steps = &study.sweep.steps;
    let point = |threshold: u64, y: f64| PlotPoint { x: threshold as f64, y };
    let series = vec![
        Series {
            name: "people whose own district is lost".to_owned(),
            points: steps.iter().map(|step| point(step.threshold, step.share_without_own_district)).collect(),
        },
        Series {
            name: "people without a location".to_owned(),
            points: steps.iter().map(|step| point(step.threshold, 1.0 - step.share_with_location)).collect(),
        },
    ];
    let at = |threshold: u64| steps.iter().find(|step| step.threshold == threshold);
    let mark = |threshold: u64, label: &str| {
        at(threshold).map(|step| Mark {
            label: label.to_owned(),
            x: threshold as f64,
            y: step.share_without_own_district,
        })
    };
    let bend = study.sweep.bend.filter(|bend| *bend != study.threshold);
    let marks = [mark(study.threshold, "chosen"), bend.and_then(|bend| mark(bend, "bend"))];
    let plot = Lines {
        x: Axis::counts("Threshold, people"),
        y: Axis::shares("Share of people"),
        series,
        marks: marks.into_iter().flatten().collect(),
        threshold: None,
    };
    let mut table = Table::new(
        "Thresholds",
        [
            Column::right("Threshold"),
            Column::right("Codes below"),
            Column::right("Codes left"),
            Column::right("Below after"),
            Column::right("Without location"),
            Column::right("District lost"),
            Column::right("Smallest group"),
        ],
    );
    table.rows = steps
        .iter()
        .map(|step| {
            vec![
                step.threshold.into(),
                (step.codes_below as u64).into(),
                (step.final_codes as u64).into(),
                (step.below_after as u64).into(),
                step.people_without_location.into(),
                Value::Share(step.share_without_own_district),
                step.smallest_group.into(),
            ]
        })
        .collect();
    let mut blocks = vec![
        Block::Chart(Chart {
            title: "What a threshold costs".to_owned(),
            note: "The higher the line, the more people lose location.".to_owned(),
            plot: Plot::Lines(plot),
        }),
        Block::Table(table),
    ];
    blocks.extend(rescue(study).map(Block::Text));
    let intro = match &study.recommendation {
        Some(recommended) => format!(
            "For at least {} people, take {}: {}.",
            count(study.threshold),
            count(recommended.threshold),
            recommended.reason
        ),
        None => "All thresholds of the list are below the one chosen.".to_owned(),
    };
    Some(Section { intro, blocks, ..Section::new("thresholds", "Other thresholds") })
}

/// Whether a slightly lower threshold would save the pools that are left below it.
fn rescue(study: &Study) -> Option<String> {
    let rescue = study.rescue.as_ref().filter(|rescue| !rescue.left.is_empty())?;
    let people = |codes: &[(String, u64)]| codes.iter().map(|(_, people)| people).sum::<u64>();
    Some(format!(
        "Would a lower threshold help? The rule uk leaves {} at {}, with {} people. {} of them have at least {}. But pooled \
         anew at that threshold, more codes stand on their own and leave less behind for the pools: {} would then be \
         below it, with {} people, of which {} were not before.",
        of_codes(rescue.left.len(), "pool below"),
        count(rescue.threshold),
        count(people(&rescue.left)),
        count(rescue.rescued.len() as u64),
        count(rescue.lower),
        of_codes(rescue.left_anew.len(), "pool"),
        count(people(&rescue.left_anew)),
        count(rescue.fallen.len() as u64),
    ))
}

fn of_codes(n: usize, what: &str) -> String {
    match what.split_once(' ') {
        Some((noun, rest)) if n != 1 => format!("{} {noun}s {rest}", count(n as u64)),
        None if n != 1 => format!("{} {what}s", count(n as u64)),
        _ => format!("{} {what}", count(n as u64)),
    }
}

fn pools(study: &Study) -> Option<Section> {
    if study.pools.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Groups, the smallest first",
        [Column::left("Group"), Column::left("Published as"), Column::right("People"), Column::left("Codes")],
    );
    let mut pools: Vec<_> = study.pools.iter().collect();
    pools.sort_by(|a, b| (a.population, &a.code).cmp(&(b.population, &b.code)));
    table.more = pools
        .len()
        .checked_sub(POOLS_LISTED + 1)
        .map(|more| format!("and {} more groups in the JSON output and in the mapping", count(more as u64 + 1)));
    pools.truncate(POOLS_LISTED);
    table.rows = pools
        .into_iter()
        .map(|pool| {
            let mut members = pool.members.iter().take(MEMBERS_NAMED).cloned().collect::<Vec<_>>().join(", ");
            if pool.members.len() > MEMBERS_NAMED {
                members += &format!(" and {} more", pool.members.len() - MEMBERS_NAMED);
            }
            vec![pool.code.as_str().into(), pool.published.as_str().into(), pool.population.into(), members.into()]
        })
        .collect();
    let mut blocks = vec![Block::Table(table)];
    if !study.restricted.is_empty() {
        let text = format!("Prefixes that may not be published: {}.", study.restricted.join(", "));
        blocks.push(Block::Text(text));
    }
    let intro = "Published as `*` means without a location.".to_owned();
    Some(Section { intro, blocks, ..Section::new("pools", "What was put together") })
}

fn nations(study: &Study) -> Option<Section> {
    if study.nations.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Codes and people",
        [Column::left("Nation"), Column::right("Codes"), Column::right("People"), Column::right("People per code")],
    );
    table.rows = study
        .nations
        .iter()
        .map(|nation| {
            let mean = nation.people as f64 / nation.codes.max(1) as f64;
            let name = nation.name.clone().unwrap_or_else(|| "not said".to_owned());
            vec![name.into(), (nation.codes as u64).into(), nation.people.into(), Value::Number(mean, 0)]
        })
        .collect();
    let unit = study.mean_per_unit.map_or_else(String::new, |mean| {
        format!(" Each whole {} has {} people on average.", study.system.code_word(), number(mean, 1))
    });
    let intro = format!("The median code has {} people.{unit}", number(study.median, 0));
    Some(Section { intro, blocks: vec![Block::Table(table)], ..Section::new("nations", "By nation") })
}
