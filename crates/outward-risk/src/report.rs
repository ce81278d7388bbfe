//! An assessment as a document: the verdict first, then the findings, then the measures behind them.

mod sample;

use outward_report::format::{count, share};
use outward_report::{
    Axis, Bar, Bars, Block, Chart, Column, Figure, Finding, Plot, Report, Section, Table, Threshold, Tone, Value,
    Verdict,
};
use outward_spec::Severity;

use crate::assessment::Assessment;
use crate::classes::Chances;
use crate::diversity::SensitiveRisk;
use crate::findings::{breaks_policy, keys};

/// How many tables of each size are listed; the JSON output has all.
const TABLES_LISTED: usize = 8;
/// What a match is under wildcards (`docs/methods/classes.md`).
const MISSING_MATCHES: &str =
    "A missing value counts as a match unless the other record lacks half of the keys or more.";

/// The assessment as a document.
pub fn report(assessment: &Assessment) -> Report {
    let sections = [
        findings(assessment),
        classes(assessment),
        drivers(assessment),
        tables(assessment),
        population(assessment),
        sample::population(assessment),
        sample::special(assessment),
        sensitive(assessment),
        scenarios(assessment),
        riskiest(assessment),
    ];
    Report {
        title: format!("Disclosure risk of {}", assessment.source),
        subtitle: subtitle(assessment),
        verdict: verdict(assessment),
        sections: sections.into_iter().flatten().collect(),
        footer: vec![
            format!("Made with Outward {}.", env!("CARGO_PKG_VERSION")),
            "The report shows counts and row numbers. It shows values of records only if somebody asked for them."
                .to_owned(),
            "`outward explain CODE` says more about a finding.".to_owned(),
        ],
    }
}

fn subtitle(assessment: &Assessment) -> String {
    let rules = &assessment.rules;
    let tier = rules.tier.as_ref().map_or_else(String::new, |tier| format!(", tier {tier}"));
    let mut line = format!(
        "{} · policy {} {}{tier} · k = {}",
        keys(assessment.keys.len()),
        rules.policy,
        rules.version,
        count(rules.k)
    );
    if let Some(condition) = &assessment.condition {
        line += &format!(" · only records where {condition}");
    }
    if !assessment.wildcard_keys.is_empty() {
        line += &format!(" · missing matches everything in {}", assessment.wildcard_keys.join(", "));
    }
    line
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::High => Tone::Bad,
        Severity::Medium | Severity::Low => Tone::Caution,
        Severity::Info => Tone::Neutral,
    }
}

fn verdict(assessment: &Assessment) -> Verdict {
    let mut figures = vec![
        Figure::new(assessment.records, "records"),
        Figure::new(assessment.uniques, "alone on the keys"),
        Figure::new(assessment.below_k, format!("in classes below {}", assessment.rules.k)),
        Figure::new(
            assessment.prosecutor.map(|chances| Value::Share(chances.average)),
            "average chance of a correct match",
        ),
    ];
    if let Some(people) = assessment.weighted_records {
        figures.insert(1, Figure::new(Value::Number(people, 0), "people they represent, by their weights"));
    }
    let (tone, headline, detail) = match assessment.severity() {
        _ if assessment.records == 0 => (Tone::Neutral, "There are no records to assess", String::new()),
        Some(Severity::High) if assessment.uniques > 0 => {
            (Tone::Bad, "People can be singled out: do not release as it is", singled_out(assessment))
        }
        Some(Severity::High) if assessment.findings.iter().any(breaks_policy) => (
            Tone::Bad,
            "The policy is not met: do not release as it is",
            "The findings below say what breaks it.".to_owned(),
        ),
        Some(Severity::High) => (Tone::Bad, "Do not release as it is: see the findings", other_risks(assessment)),
        Some(Severity::Medium | Severity::Low) => {
            (Tone::Caution, "Look at the findings before a release", String::new())
        }
        _ => (Tone::Good, "The policy is met on these keys", all_share(assessment)),
    };
    let headline = format!("{headline}{}", without_wildcards(assessment));
    Verdict { tone, headline, detail, figures }
}

/// How many records are alone, and what that means. Under wildcards others may agree as far as their values go.
fn singled_out(assessment: &Assessment) -> String {
    let part = share(assessment.uniques as f64 / assessment.records.max(1) as f64);
    let keys = keys(assessment.keys.len());
    let alone = match assessment.wildcard_keys.is_empty() {
        true => format!("{part} of the records have a combination of the {keys} that nobody else in the file has."),
        false => format!("{part} of the records match no other record on the {keys}. {MISSING_MATCHES}"),
    };
    format!("{alone} Someone who knows these things about a person finds that person's record.")
}

/// What holds although there is a grave finding: the policy's k, where it asks for one.
fn other_risks(assessment: &Assessment) -> String {
    match assessment.rules.k {
        0 | 1 => "The findings below say why.".to_owned(),
        _ => format!("{} The findings below are about other risks.", all_share(assessment)),
    }
}

/// How many records each shares its keys with at least.
fn all_share(assessment: &Assessment) -> String {
    match assessment.wildcard_keys.is_empty() {
        true => format!("Every combination of all keys is shared by at least {} records.", count(assessment.k)),
        false => {
            let others = match assessment.k {
                2 => "one other".to_owned(),
                k => format!("{} others", count(k.saturating_sub(1))),
            };
            format!("Every record matches at least {others} on all keys. {MISSING_MATCHES}")
        }
    }
}

/// How many records are alone if a missing value matches no other, for the end of the headline.
fn without_wildcards(assessment: &Assessment) -> String {
    match assessment.other_classes {
        Some(classes) if assessment.records > 0 => {
            format!(" ({} alone on the keys without wildcards)", count(classes.exact.uniques))
        }
        _ => String::new(),
    }
}

fn section(id: &str, heading: &str, intro: impl Into<String>, blocks: Vec<Block>) -> Option<Section> {
    Some(Section { intro: intro.into(), blocks, ..Section::new(id, heading) })
}

fn findings(assessment: &Assessment) -> Option<Section> {
    if assessment.findings.is_empty() {
        return None;
    }
    let shown = assessment.findings.iter().map(|finding| {
        let kind = finding.kind();
        Finding {
            code: finding.code.clone(),
            tone: tone(finding.severity),
            headline: kind.map_or_else(|| finding.name.clone(), |kind| kind.title.to_owned()),
            detail: sentence(&finding.message),
            advice: kind.map_or_else(String::new, |kind| kind.what_to_do.to_owned()),
        }
    });
    section("findings", "What was found", "The most severe first.", vec![Block::Findings(shown.collect())])
}

/// A message as a sentence of its own.
fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).chain(['.']).collect(),
        None => String::new(),
    }
}

fn classes(assessment: &Assessment) -> Option<Section> {
    let label = |from: u64, to: Option<u64>| match to {
        Some(to) if to == from => count(from),
        Some(to) => format!("{}–{}", count(from), count(to)),
        None => format!("{} and more", count(from)),
    };
    let bars = assessment.class_sizes.iter().map(|band| Bar {
        label: label(band.from, band.to),
        value: band.records as f64,
        highlight: band.from < assessment.rules.k,
    });
    let chart = Chart {
        title: "Records by the size of their class".to_owned(),
        note: format!("Marked: classes smaller than {}, the k asked for.", assessment.rules.k),
        plot: Plot::Bars(Bars {
            category: "Class size".to_owned(),
            measure: Axis::counts("Records"),
            bars: bars.collect(),
            threshold: None,
        }),
    };
    let mut chances = Table::new(
        "Chances of a correct match",
        [
            Column::left("Intruder"),
            Column::right("Highest"),
            Column::right("Average"),
            Column::right("Lowest"),
            Column::right("Records at risk"),
        ],
    );
    let row = |name: &str, chances: &Chances| {
        vec![
            name.into(),
            Value::Share(chances.highest),
            Value::Share(chances.average),
            Value::Share(chances.lowest),
            Value::Share(chances.at_risk),
        ]
    };
    chances
        .rows
        .extend(assessment.prosecutor.iter().map(|found| row("Prosecutor: knows the person is in the file", found)));
    chances
        .rows
        .extend(assessment.journalist.iter().map(|found| row("Journalist: does not know whether they are", found)));
    let missing = || Value::Missing;
    chances.rows.extend(assessment.marketer.map(|expected| {
        vec![
            "Marketer: wants as many correct matches as possible".into(),
            missing(),
            Value::Share(expected),
            missing(),
            missing(),
        ]
    }));
    let (cells, k) = (count(assessment.cells), count(assessment.k));
    let intro = match assessment.wildcard_keys.is_empty() {
        true => format!(
            "Records with the same values on all keys form a class. The file has {cells} classes, the smallest of size {k}."
        ),
        false => format!(
            "The class of a record has all records that match it on the keys. {MISSING_MATCHES} The file has {cells} \
             combinations of the keys, and the smallest class is of size {k}."
        ),
    };
    section("classes", "How many share a record's keys", intro, vec![Block::Chart(chart), Block::Table(chances)])
}

fn drivers(assessment: &Assessment) -> Option<Section> {
    if assessment.drivers.is_empty() || assessment.uniques == 0 {
        return None;
    }
    let bars = assessment.drivers.iter().map(|driver| Bar {
        label: driver.variable.clone(),
        value: driver.share_of_uniques,
        highlight: driver.share_of_uniques >= 0.5,
    });
    let chart = Chart {
        title: "How many of the records alone on the keys are no longer alone if a variable is left out".to_owned(),
        note: "A long bar: recode or drop this variable first.".to_owned(),
        plot: Plot::Bars(Bars {
            category: "Variable left out".to_owned(),
            measure: Axis::shares("Share of records alone"),
            bars: bars.collect(),
            threshold: Some(Threshold { value: 0.5, label: "half".to_owned() }),
        }),
    };
    section("drivers", "Which variables drive the risk", "Each key is left out in turn.", vec![Block::Chart(chart)])
}

fn tables(assessment: &Assessment) -> Option<Section> {
    let with_population = assessment.population.as_ref().is_some_and(|population| population.file.is_some());
    let mut blocks = Vec::new();
    let sizes = {
        let mut sizes: Vec<usize> = assessment.tables.iter().map(|table| table.keys.len()).collect();
        sizes.dedup();
        sizes
    };
    for size in sizes {
        let mut of_size: Vec<_> = assessment.tables.iter().filter(|table| table.keys.len() == size).collect();
        of_size.sort_by_key(|table| std::cmp::Reverse(table.uniques));
        let caption = if size == assessment.keys.len() {
            "All keys together".to_owned()
        } else {
            format!("Tables of {size} keys, those with most records alone first")
        };
        let mut columns = vec![
            Column::left("Variables"),
            Column::right("Cells"),
            Column::right("Alone"),
            Column::right("In pairs"),
            Column::right(format!("Below {}", assessment.rules.k)),
        ];
        if with_population {
            columns.extend([Column::right("Alone in population"), Column::right("Alone in both")]);
        }
        let mut table = Table::new(caption, columns);
        for risk in of_size.iter().take(TABLES_LISTED) {
            let mut row: Vec<Value> = vec![
                risk.keys.join(" × ").into(),
                risk.cells.into(),
                risk.uniques.into(),
                risk.pairs.into(),
                risk.below_k.into(),
            ];
            if let Some(population) = &risk.population {
                row.extend([population.uniques.into(), population.sample_uniques_unique.into()]);
            }
            table.rows.push(row);
        }
        let left = of_size.len().saturating_sub(TABLES_LISTED);
        table.more = (left > 0).then(|| format!("and {left} more of this size in the JSON output"));
        blocks.push(Block::Table(table));
    }
    let intro = "An intruder rarely knows all keys. These tables count the file by a few of them.";
    if blocks.is_empty() { None } else { section("tables", "Tables of a few keys", intro, blocks) }
}

fn population(assessment: &Assessment) -> Option<Section> {
    let population = assessment.population.as_ref()?.file?;
    let mut table = Table::new(
        "Sample and population on all keys",
        [Column::left(""), Column::right("Sample"), Column::right("Population")],
    );
    table.rows = vec![
        vec!["Records".into(), assessment.records.into(), population.records.into()],
        vec!["Combinations of the keys".into(), assessment.cells.into(), population.cells.into()],
        vec!["Alone".into(), assessment.uniques.into(), population.uniques.into()],
        vec!["Alone in both".into(), population.sample_uniques_unique.into(), population.sample_uniques_unique.into()],
    ];
    let intro = match population.not_found + population.too_many {
        0 => "Every record of the sample fits the population file.",
        _ => "Some records of the sample do not fit the population file (OUT018), so read these figures with care.",
    };
    let intro = format!("{intro}{}", of_its_own(assessment));
    section("population", "Sample against population", intro, vec![Block::Table(table)])
}

/// What to know where the rest of the report takes missing values as wildcards.
fn of_its_own(assessment: &Assessment) -> &'static str {
    match assessment.wildcard_keys.is_empty() {
        true => "",
        false => " Here a missing key is treated as a value, not as one that matches everything.",
    }
}

fn sensitive(assessment: &Assessment) -> Option<Section> {
    if assessment.sensitive.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "The worst class for each sensitive variable",
        [
            Column::left("Variable"),
            Column::right("Fewest values"),
            Column::right("Entropy ℓ"),
            Column::right("Recursive ℓ"),
            Column::right("Distance t"),
            Column::right("Ordered t"),
            Column::right("Records in classes of one value"),
        ],
    );
    let row = |risk: &SensitiveRisk| {
        vec![
            risk.variable.as_str().into(),
            risk.distinct_l.into(),
            Value::Number(risk.entropy_l, 2),
            risk.recursive_l.into(),
            Value::Number(risk.t_equal, 2),
            risk.t_ordered.map(|t| Value::Number(t, 2)).into(),
            risk.homogeneous_records.into(),
        ]
    };
    table.rows = assessment.sensitive.iter().map(row).collect();
    let intro = "If all records of a class have the same sensitive value, it is known for everyone in the class, although nobody can be distinguished.";
    section("sensitive", "What classes disclose", intro, vec![Block::Table(table)])
}

fn scenarios(assessment: &Assessment) -> Option<Section> {
    if assessment.scenarios.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Scenarios and tables of the spec",
        [
            Column::left("Scenario"),
            Column::left("Keys"),
            Column::left("Records"),
            Column::right("k asked"),
            Column::right("k found"),
            Column::right("Alone"),
            Column::right("Below k"),
        ],
    );
    table.rows = assessment
        .scenarios
        .iter()
        .map(|scenario| {
            vec![
                scenario.name.as_str().into(),
                scenario.keys.join(" × ").into(),
                scenario.condition.clone().unwrap_or_else(|| "all".to_owned()).into(),
                scenario.wanted_k.into(),
                scenario.measure.k.into(),
                scenario.measure.uniques.into(),
                scenario.measure.below_k.into(),
            ]
        })
        .collect();
    section(
        "scenarios",
        "Scenarios",
        "Subsets of keys or records, each with the k it must meet.",
        vec![Block::Table(table)],
    )
}

fn riskiest(assessment: &Assessment) -> Option<Section> {
    if assessment.riskiest.is_empty() {
        return None;
    }
    let values = assessment.riskiest.iter().any(|record| record.values.is_some());
    let mut columns = vec![Column::right("Row"), Column::left("Alone on"), Column::right("Sets of that size")];
    if values {
        columns.push(Column::left("Values"));
    }
    let mut table = Table::new("Records that the fewest variables single out", columns);
    for record in &assessment.riskiest {
        let mut row: Vec<Value> = vec![record.row.into(), record.keys.join(" × ").into(), record.combinations.into()];
        if let Some(values) = &record.values {
            let shown: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or("(missing)")).collect();
            row.push(shown.join(" × ").into());
        }
        table.rows.push(row);
    }
    let intro = "Row 1 is the first record below the header.";
    section("riskiest", "Records most at risk", intro, vec![Block::Table(table)])
}
