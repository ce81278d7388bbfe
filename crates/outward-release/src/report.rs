//! The report of a bundle for the custodian. Verdicts come first, then what each step did, the measures before and
//! after, the utility of each variable, and the files.

use outward_report::format::{count, share};
use outward_report::{
    Axis, Bar, Bars, Block, Chart, Column, Figure, Plot, Report, Section, Table, Tone, Value, Verdict,
};

use crate::alone::UniqueRecords;
use crate::inputs::InputKind;
use crate::manifest::{Manifest, Measures};

/// The report of a release.
pub fn report(manifest: &Manifest) -> Report {
    let rules = &manifest.rules;
    let tier = rules.tier.as_ref().map(|tier| format!(", {tier}")).unwrap_or_default();
    Report {
        title: manifest.title.clone(),
        subtitle: format!("Policy {} {}{tier}{}", rules.policy, rules.version, own(manifest)),
        verdict: verdict(manifest),
        sections: [
            Some(models(manifest)),
            (!manifest.steps.is_empty()).then(|| steps(manifest)),
            Some(measures(manifest)),
            (!manifest.utility.is_empty()).then(|| utility(manifest)),
            manifest.failing().next().is_none().then(|| files(manifest)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        footer: vec![
            format!("Made by {} with seed {}.", manifest.tool, manifest.seed),
            match manifest.failing().next() {
                None => {
                    "This report is for the custodian. Only the folder `public` may be published. `outward verify` checks the bundle \
                     again."
                }
                Some(_) => "This report is for the custodian. Nothing was written.",
            }
            .to_owned(),
        ],
    }
}

/// The thresholds that the spec sets itself.
fn own(manifest: &Manifest) -> String {
    match manifest.own_thresholds.as_slice() {
        [] => String::new(),
        names => format!(", with the spec's own {}", names.join(", ")),
    }
}

/// The headline if the policy asks for an intruder test too. It comes after the bundle, and the verification looks for
/// it. So this sentence, which is in the bundle, is true before and after.
const TEST_IS_ASKED_FOR: &str = "The records meet the policy, which also asks for an intruder test";

fn verdict(manifest: &Manifest) -> Verdict {
    let failing: Vec<_> = manifest.failing().collect();
    let (tone, headline) = match failing.len() {
        0 if manifest.rules.k < 2 && manifest.after.uniques > 0 => (Tone::Caution, of_manifest(manifest).headline()),
        0 if manifest.verdicts.is_empty() => (Tone::Neutral, "The policy asks for no privacy model".to_owned()),
        0 if manifest.rules.intruder_test => (Tone::Caution, TEST_IS_ASKED_FOR.to_owned()),
        0 => (Tone::Good, "The release meets its policy".to_owned()),
        1 => (Tone::Bad, format!("The release does not meet {}", failing[0].says)),
        n => (Tone::Bad, format!("The release does not meet {n} of {} models", manifest.verdicts.len())),
    };
    let headline = headline + &without_wildcards(&manifest.after);
    let mut detail = format!(
        "Of {} records {} {}. Records alone on the keys: {} before, {} after.",
        count(manifest.records_in),
        count(manifest.records_out),
        if failing.is_empty() { "are published" } else { "would have been published; nothing was written" },
        count(manifest.before.uniques),
        count(manifest.after.uniques)
    );
    if manifest.rules.k < 2 && manifest.after.uniques > 0 {
        detail += &format!(" {}", of_manifest(manifest).in_population());
    }
    let figures = vec![
        Figure::new(
            manifest.records_out,
            if failing.is_empty() { "records published" } else { "records after all steps" },
        ),
        Figure::new(manifest.after.uniques, "records alone on the keys"),
        Figure::new(manifest.after.smallest_class, "records in the smallest class"),
    ];
    Verdict { tone, headline, detail, figures }
}

fn of_manifest(manifest: &Manifest) -> UniqueRecords {
    UniqueRecords {
        records: manifest.after.uniques,
        of: manifest.records_out,
        k: manifest.rules.k,
        population_share: manifest.after.population_uniques,
        counted: manifest.inputs.iter().any(|input| input.kind == InputKind::Population),
    }
}

/// How many records are alone if a missing value matches no other, for the end of the headline.
fn without_wildcards(after: &Measures) -> String {
    let told = |(alone, smallest): (u64, u64)| {
        format!(" (without wildcards {} alone, smallest class {})", count(alone), count(smallest))
    };
    after.alone_exactly.zip(after.smallest_exactly).map(told).unwrap_or_default()
}

fn models(manifest: &Manifest) -> Section {
    let columns = [Column::left("Model"), Column::left("Outcome"), Column::left("Worst")];
    let mut table = Table::new("What the policy asks for", columns);
    for verdict in &manifest.verdicts {
        let outcome = if verdict.holds { "holds" } else { "does not hold" };
        table.rows.push(vec![verdict.says.as_str().into(), outcome.into(), verdict.worst.as_str().into()]);
    }
    let intro = "The records were judged as they were after all steps.".to_owned();
    Section { intro, blocks: vec![Block::Table(table)], ..Section::new("models", "Privacy models") }
}

fn steps(manifest: &Manifest) -> Section {
    let columns = [
        Column::right("Step"),
        Column::left("What was done"),
        Column::right("Records before"),
        Column::right("Records after"),
        Column::right("Values changed"),
        Column::right("Uniques before"),
        Column::right("Uniques after"),
    ];
    let mut table = Table::new("Counts before and after each step", columns);
    for record in &manifest.steps {
        table.rows.push(vec![
            (record.number as u64).into(),
            record.says.as_str().into(),
            record.records_before.into(),
            record.records_after.into(),
            (!record.changed.is_empty()).then(|| record.changed.values().sum::<u64>()).into(),
            record.uniques.map(|[before, _]| before).into(),
            record.uniques.map(|[_, after]| after).into(),
        ]);
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(chart(manifest).map(Block::Chart));
    let notes = manifest
        .steps
        .iter()
        .flat_map(|record| record.notes.iter().map(move |note| Block::Text(format!("Step {}: {note}", record.number))));
    blocks.extend(notes);
    Section { blocks, ..Section::new("steps", "Step by step") }
}

/// Uniques after each step if they were counted, and records otherwise.
fn chart(manifest: &Manifest) -> Option<Chart> {
    let counted: Vec<_> = manifest.steps.iter().filter_map(|record| Some((record, record.uniques?))).collect();
    let bar = |label: String, value: u64| Bar { label, value: value as f64, highlight: false };
    let (title, measure, mut bars): (_, _, Vec<Bar>) = match counted.first() {
        Some((_, [before, _])) => {
            let after = counted.iter().map(|(record, [_, after])| bar(name(record.number, &record.step), *after));
            let bars = [bar("before".to_owned(), *before)].into_iter().chain(after).collect();
            ("Records alone on the keys after each step", "Records alone", bars)
        }
        None => {
            let first = manifest.steps.first()?.records_before;
            let after =
                manifest.steps.iter().map(|record| bar(name(record.number, &record.step), record.records_after));
            let bars = [bar("before".to_owned(), first)].into_iter().chain(after).collect();
            ("Records after each step", "Records", bars)
        }
    };
    if let Some(last) = bars.last_mut() {
        last.highlight = true;
    }
    let plot = Plot::Bars(Bars { category: "Step".to_owned(), measure: Axis::counts(measure), bars, threshold: None });
    Some(Chart { title: title.to_owned(), note: String::new(), plot })
}

fn name(number: usize, step: &outward_spec::Step) -> String {
    format!("{number} {}", step.name())
}

fn measures(manifest: &Manifest) -> Section {
    let columns = [Column::left("Measure"), Column::right("Before"), Column::right("After")];
    let mut table = Table::new("Measured on the keys that exist before and after", columns);
    let mut row = |name: &str, of: &dyn Fn(&Measures) -> Value| {
        table.rows.push(vec![name.into(), of(&manifest.before), of(&manifest.after)]);
    };
    row("Records", &|m| m.records.into());
    row("Classes", &|m| m.classes.into());
    row("Records alone", &|m| m.uniques.into());
    if manifest.after.alone_exactly.is_some() {
        row("Records alone, if missing is treated as a value", &|m| m.alone_exactly.into());
        row("Records below k, if missing is treated as a value", &|m| m.below_k_exactly.into());
        row("Smallest class, if missing is treated as a value", &|m| m.smallest_exactly.into());
    }
    row("Records in pairs", &|m| m.pairs.into());
    row("Smallest class", &|m| m.smallest_class.into());
    if manifest.rules.k > 1 {
        row(&format!("Records in classes below {}", manifest.rules.k), &|m| m.below_k.into());
    }
    row("Average risk", &|m| Value::Share(m.average_risk));
    row("Highest risk", &|m| Value::Share(m.highest_risk));
    if manifest.before.population_uniques.or(manifest.after.population_uniques).is_some() {
        row("Population uniques, estimated", &|m| m.population_uniques.map_or(Value::Missing, Value::Share));
    }
    Section { blocks: vec![Block::Table(table)], ..Section::new("measures", "Risk before and after") }
}

fn utility(manifest: &Manifest) -> Section {
    let columns = [
        Column::left("Variable"),
        Column::right("Categories before"),
        Column::right("after"),
        Column::right("Missing before"),
        Column::right("after"),
        Column::right("Mean before"),
        Column::right("after"),
        Column::left("Note"),
    ];
    let mut table = Table::new("What is kept of each variable", columns);
    let mean = |mean: Option<f64>| mean.map_or(Value::Missing, |mean| Value::Number(mean, 2));
    for kept in &manifest.utility {
        table.rows.push(vec![
            kept.variable.as_str().into(),
            kept.categories_before.into(),
            kept.categories_after.into(),
            kept.missing_before.into(),
            kept.missing_after.into(),
            mean(kept.mean_before),
            mean(kept.mean_after),
            kept.note.as_str().into(),
        ]);
    }
    let lost = manifest.records_in.saturating_sub(manifest.records_out);
    let intro = match manifest.records_in {
        0 => String::new(),
        all => format!("{} of the records are not published.", share(lost as f64 / all as f64)),
    };
    Section { intro, blocks: vec![Block::Table(table)], ..Section::new("utility", "What users keep") }
}

fn files(manifest: &Manifest) -> Section {
    let columns = [Column::left("File"), Column::right("Bytes"), Column::left("SHA-256")];
    let mut made = Table::new("Files of the bundle", columns.clone());
    for file in &manifest.files {
        made.rows.push(vec![file.path.as_str().into(), file.bytes.into(), file.sha256.as_str().into()]);
    }
    let mut given = Table::new("Files it was made from", columns);
    for input in &manifest.inputs {
        let hash = input.sha256.as_deref().map_or(Value::Missing, Value::from);
        given.rows.push(vec![input.name.as_str().into(), input.bytes.into(), hash]);
    }
    let blocks = vec![Block::Table(made), Block::Table(given)];
    let intro = "The hash of this report is in the manifest.".to_owned();
    Section { intro, blocks, ..Section::new("files", "Files") }
}
