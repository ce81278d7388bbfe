//! A study of places as a document.

use outward_report::format::{count, counted, number, share};
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
const HISTOGRAM_BINS: u64 = 30;

/// The study as a document.
pub fn report(study: &Study) -> Report {
    let sections = [
        restricted(study),
        differences(study),
        costs(study),
        histograms(study),
        thresholds(study),
        pools(study),
        nations(study),
    ];
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
    let told_apart = study.differences.as_ref().map_or(0, Vec::len);
    let (tone, headline) = if told_apart > 0 {
        let groups = counted(told_apart as u64, "group", "groups");
        (Tone::Bad, format!("Together with the earlier release, {groups} of too few people can be distinguished"))
    } else if study.people_withheld > 0 {
        let people = count(study.people_withheld);
        (Tone::Bad, format!("{people} people are too few even if no location is published: leave their records out"))
    } else if lost > 0 {
        let of_all = share(share_of(lost, study.people));
        (Tone::Caution, format!("{} people ({of_all}) are published without a location", count(lost)))
    } else {
        (Tone::Good, format!("Every published code represents at least {} people", count(study.threshold)))
    };
    let mut detail = format!(
        "Of {}, {} below {} people. {} as {}; the others are put together as {}.",
        counted(study.codes as u64, "code", "codes"),
        if study.below_before == 1 { "1 is".to_owned() } else { format!("{} are", count(study.below_before as u64)) },
        count(study.threshold),
        if kept == 1 { "1 stays".to_owned() } else { format!("{} stay", count(kept as u64)) },
        if kept == 1 { "it is" } else { "they are" },
        counted(study.pools.len() as u64, "group", "groups"),
    );
    if study.below_after > 0 {
        let groups = counted(study.below_after as u64, "group is", "groups are");
        detail += &format!(
            " {groups} still below it and {} no location.",
            if study.below_after == 1 { "has" } else { "have" }
        );
    }
    if !study.areas_below.is_empty() {
        let areas = study.areas_below.join(", ");
        detail += &format!(" Whole areas are below it, so no rule can give them a location: {areas}.");
    }
    Verdict {
        tone,
        headline,
        detail,
        figures: vec![
            Figure::new(study.codes as u64, "codes"),
            Figure::new(study.people, "people"),
            Figure::new(Value::Number(study.mean, 0), "people per code on average"),
            Figure::new(study.below_before as u64, "codes below the threshold"),
            Figure::new(study.final_codes as u64, "codes after pooling"),
        ],
    }
}

/// ZIP codes: the prefixes that may not be published.
fn restricted(study: &Study) -> Option<Section> {
    if study.restricted.is_empty() {
        return None;
    }
    let text = format!("{}.", study.restricted.join(", "));
    let intro = "By the table given, these are published as 000.".to_owned();
    Some(Section {
        intro,
        blocks: vec![Block::Text(text)],
        ..Section::new("restricted", "Prefixes that may not be published")
    })
}

/// What an intruder with both releases learns by subtraction.
fn differences(study: &Study) -> Option<Section> {
    let found = study.differences.as_ref()?;
    let mut table = Table::new(
        "Groups that follow by subtraction",
        [
            Column::left("Codes"),
            Column::right("People"),
            Column::left("Published now as"),
            Column::left("Published earlier as"),
        ],
    );
    table.rows = (found.iter().take(POOLS_LISTED))
        .map(|difference| {
            vec![
                difference.codes.join(", ").into(),
                difference.population.into(),
                difference.first.join(", ").into(),
                difference.second.join(", ").into(),
            ]
        })
        .collect();
    let intro = match found.len() {
        0 => "No single subtraction of one release from the other gives a group below the threshold. Sums over many codes are \
              not searched."
            .to_owned(),
        _ => "Someone who has both releases can subtract one from the other. Publish these codes as they were published before."
            .to_owned(),
    };
    let blocks = if found.is_empty() { Vec::new() } else { vec![Block::Table(table)] };
    Some(Section { intro, blocks, ..Section::new("differences", "Against the earlier release") })
}

fn costs(study: &Study) -> Option<Section> {
    let columns = [
        Column::left("Rule"),
        Column::right("Codes"),
        Column::right("Below"),
        Column::right("No location"),
        Column::right("Lost"),
        Column::right("Shared"),
        Column::right("Largest"),
        Column::right("Kept"),
        Column::right("km"),
    ];
    let mut table = Table::new("What each rule costs", columns);
    let row = |cost: &Cost| -> Vec<Value> {
        let chosen = if cost.rule == study.rule { "→ " } else { "" };
        vec![
            format!("{chosen}{}", cost.rule).into(),
            (cost.final_codes as u64).into(),
            (cost.below_after as u64).into(),
            cost.people_without_location.into(),
            cost.people_district_lost.into(),
            cost.people_district_shared.into(),
            cost.largest_group.into(),
            Value::Share(cost.information_kept),
            cost.mean_distance.map(|metres| Value::Number(metres / 1000.0, 1)).into(),
        ]
    };
    table.rows = study.costs.iter().map(row).collect();
    let mut intro = "Codes: those after pooling. Below: those still below the threshold. No location: people published as `*` or in the \
        national pool. Lost: people published under another code than their own, those without a location included. Shared: \
        people whose own code now represents others too. Largest: people in the largest group. Kept: the entropy of a person's \
        published code, as a share of that of the true one. km: the mean distance from a person's own code to the middle of the \
        published one."
        .to_owned();
    if study.system == System::Postcodes && study.costs.iter().all(|cost| cost.rule != Rule::Neighbour) {
        intro += " The neighbour rule needs the coordinates of every code: `--easting` and `--northing`.";
    }
    Some(Section { intro, blocks: vec![Block::Table(table)], ..Section::new("costs", "What each rule costs") })
}

fn histograms(study: &Study) -> Option<Section> {
    let largest = study.before.iter().chain(&study.after).copied().max().unwrap_or(0);
    let edges = edges(largest, study.threshold);
    let chart = |title: &str, people: &[u64]| {
        let bin = |pair: &[u64]| Bin {
            from: pair[0] as f64,
            to: pair[1] as f64,
            value: people.iter().filter(|people| (pair[0]..pair[1]).contains(people)).count() as f64,
            highlight: pair[1] <= study.threshold,
        };
        let plot = Columns {
            x: Axis::counts("People"),
            y: Axis::counts("Codes"),
            bins: edges.windows(2).map(bin).collect(),
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

/// Where columns begin and end: about as many as wanted, with an edge at the threshold, so that no column has codes of both
/// sides.
fn edges(largest: u64, threshold: u64) -> Vec<u64> {
    let wanted = (largest / HISTOGRAM_BINS).max(1);
    // Up to the threshold in equal parts of about the wanted width; beyond it in steps of that, or of the threshold.
    let parts = (threshold / wanted).clamp(1, HISTOGRAM_BINS);
    let step = (threshold / parts).max(wanted.next_multiple_of(threshold / parts.max(1)));
    let below = (0..parts).map(|part| threshold * part / parts);
    let beyond = (0..=2 * HISTOGRAM_BINS).map(|n| threshold + n * step);
    let last = beyond.clone().find(|edge| *edge > largest).unwrap_or(largest + 1);
    below.chain(beyond.take_while(|edge| *edge < last)).chain([last]).collect()
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
        Some(found) if found.threshold > study.threshold => format!(
            "The threshold is {}. It could be raised to {} at little more cost: {}.",
            count(study.threshold),
            count(found.threshold),
            found.reason
        ),
        Some(found) => format!("The threshold is {}: {}.", count(study.threshold), found.reason),
        None => "There are too few codes or thresholds for a recommendation.".to_owned(),
    };
    Some(Section { intro, blocks, ..Section::new("thresholds", "Other thresholds") })
}

/// Whether a slightly lower threshold would save the pools that are left below it.
fn rescue(study: &Study) -> Option<String> {
    let rescue = study.rescue.as_ref().filter(|rescue| !rescue.rescued.is_empty())?;
    let people = |codes: &[(String, u64)]| count(codes.iter().map(|(_, people)| people).sum::<u64>());
    Some(format!(
        "Would a lower threshold help? The rule uk leaves {} below {}, with {} people. With {} people or more: {}. But at \
         that threshold more codes stand on their own and leave less for the pools. Pooled anew, {} would be below it, with {} \
         people, and {} of these were not before.",
        counted(rescue.left.len() as u64, "pool", "pools"),
        count(rescue.threshold),
        people(&rescue.left),
        count(rescue.lower),
        count(rescue.rescued.len() as u64),
        counted(rescue.left_anew.len() as u64, "pool", "pools"),
        people(&rescue.left_anew),
        count(rescue.fallen.len() as u64),
    ))
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
    let blocks = vec![Block::Table(table)];
    let intro = "A group published as `*` has no location.".to_owned();
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
