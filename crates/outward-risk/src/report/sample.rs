//! The sections on the file as a sample: the population it was drawn from, expected re-identifications, special
//! uniques.

use outward_report::format::{count, number, share};
use outward_report::{Axis, Bar, Bars, Block, Chart, Column, Plot, Section, Table, Value};

use super::section;
use crate::assessment::Assessment;
use crate::population::{Estimate, Estimator, LogLinear, Uniqueness};
use crate::sample::{PopulationRisk, SpecialUniques};

/// Why an estimator is the chosen one.
const RULE: &str = "chosen: Pitman if at most a tenth of the population is in the file, else the smaller of Zayatz and SNB (Dankar et al. \
     2012)";
/// A model is doubtful when its criterion is further from 0 than this.
const DOUBTFUL: f64 = 1.96;
/// Values listed for each key where values are shown.
const LEVELS_LISTED: usize = 5;

pub(super) fn population(assessment: &Assessment) -> Option<Section> {
    let population = assessment.population.as_ref();
    let models = population.and_then(|population| population.models.as_ref());
    let mut blocks: Vec<Block> = models.map(estimators).into_iter().collect();
    blocks.extend(expected(assessment));
    if let Some(risk) = population.and_then(|population| population.log_linear.as_ref()) {
        blocks.push(log_linear(risk));
    }
    if blocks.is_empty() {
        return None;
    }
    let counted = population.is_some_and(PopulationRisk::is_counted);
    let mut intro = match models {
        Some(models) => format!(
            "The file holds {} of a population of about {} people. {}",
            share(models.details.sampling_fraction.get()),
            number(models.details.people, 0),
            match counted {
                true => "What follows is counted in the population file, not estimated.",
                false => {
                    "The file does not say whether a record that is alone in it is also alone in the population. These are \
                     estimates."
                }
            }
        ),
        None => "What the weights say about the people behind the records.".to_owned(),
    };
    if let Some(remark) = population.and_then(|population| population.remark.as_ref()) {
        intro += &format!(" Note: {remark}.");
    }
    if !assessment.wildcard_keys.is_empty() {
        intro += " The estimators and the log-linear model treat a missing key as a value; individual risk does not.";
    }
    section("sample", "The population behind the sample", intro, blocks)
}

fn estimators(models: &Uniqueness) -> Block {
    let mut table = Table::new(
        "Share of the population that is alone in it",
        [Column::left("Estimator"), Column::right("Share"), Column::left("")],
    );
    if models.is_counted() {
        let share = models.chosen.share().map(Value::Share).into();
        table.rows.push(vec!["Counted".into(), share, "no model is needed".into()]);
        return Block::Table(table);
    }
    let mut row = |name: &str, which: Estimator, estimate: &Estimate| {
        let caution = models.snb_caution.as_deref().filter(|_| which == Estimator::Snb);
        let remark = match (estimate.reason().or(caution), models.chosen_estimator == Some(which)) {
            (Some(reason), _) => reason.to_owned(),
            (None, true) => RULE.to_owned(),
            (None, false) => String::new(),
        };
        table.rows.push(vec![name.into(), estimate.share().map(Value::Share).into(), remark.into()]);
    };
    row("Pitman", Estimator::Pitman, &models.pitman);
    row("Zayatz", Estimator::Zayatz, &models.zayatz);
    row("Shifted negative binomial", Estimator::Snb, &models.snb);
    Block::Table(table)
}

fn expected(assessment: &Assessment) -> Option<Block> {
    let mut table = Table::new(
        "Records expected to be identified",
        [Column::left("Measure"), Column::right("Records"), Column::right("Share")],
    );
    let mut classes_below_sample = 0;
    let of_records = |records: f64| Value::Share(records / assessment.records.max(1) as f64);
    let mut row =
        |what: &str, records: f64| table.rows.push(vec![what.into(), Value::Number(records, 1), of_records(records)]);
    if let Some(risk) = assessment.individual_risk {
        match assessment.population.as_ref().is_some_and(PopulationRisk::is_counted) {
            true => row("individual risk, by the population file", risk.exact),
            false => {
                row("individual risk, approximate", risk.approximate);
                row("individual risk, exact", risk.exact);
            }
        }
        classes_below_sample = risk.classes_below_sample;
    }
    if let Some(risk) = assessment.household_risk {
        row("identified themselves or through their household", risk.expected_reidentifications);
    }
    // With a limit on the size most records have no score, and a sum over the others says nothing of the file.
    let whole = |special: &&SpecialUniques| special.found.capped.is_none() && !special.fraction_assumed;
    if let Some(special) = assessment.suda.as_ref().filter(whole) {
        row("special uniques, sum of DIS-SUDA", special.found.dis_sum);
    }
    table.more = (classes_below_sample > 0).then(|| {
        let classes = count(classes_below_sample);
        format!("in {classes} classes the weights sum to fewer people than there are records; there the sample is treated as the population")
    });
    let dis = assessment.population.as_ref().and_then(|population| population.dis);
    if let Some(dis) = dis {
        table.rows.push(vec![
            format!(
                "a match with a record alone in the file is correct (DIS, {} to {})",
                share(dis.interval.0),
                share(dis.interval.1)
            )
            .into(),
            Value::Missing,
            Value::Share(dis.chance),
        ]);
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn log_linear(risk: &LogLinear) -> Block {
    match risk {
        LogLinear::Unavailable(reason) => Block::Text(format!("No log-linear model: {reason}.")),
        LogLinear::Fitted(risk) => {
            let pairs: Vec<String> = risk.two_way.iter().map(|[a, b]| format!("{a} × {b}")).collect();
            let effects = if pairs.is_empty() {
                "main effects only".to_owned()
            } else {
                format!("main effects and {}", pairs.join(", "))
            };
            let effects = if pairs.len() > 8 { format!("main effects and {} pairs", pairs.len()) } else { effects };
            let fit = match risk.fit {
                Some(fit) if fit.uniques_standardised > DOUBTFUL => {
                    " The model lacks effects and overstates the risk: do not rely on these figures."
                }
                Some(fit) if fit.uniques_standardised < -DOUBTFUL => {
                    " The model has too many effects and understates the risk: do not rely on these figures."
                }
                Some(_) => " By its criterion the model fits well enough.",
                None => " Whether the model fits could not be determined.",
            };
            let note = risk.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
            Block::Text(format!(
                "A log-linear model was fitted, with {effects}{note}. It expects {} ({} to {}) of the {} records alone in the file to \
                 be alone in the population. It expects {} ({} to {}) matches with them to be correct.{fit}",
                number(risk.population_uniques.expected, 1),
                number(risk.population_uniques.interval.0, 1),
                number(risk.population_uniques.interval.1, 1),
                count(risk.sample_uniques),
                number(risk.correct_matches.expected, 1),
                number(risk.correct_matches.interval.0, 1),
                number(risk.correct_matches.interval.1, 1),
            ))
        }
    }
}

pub(super) fn special(assessment: &Assessment) -> Option<Section> {
    let special = assessment.suda.as_ref()?;
    let found = &special.found;
    let bars = found.variables.iter().map(|variable| Bar {
        label: variable.variable.clone(),
        value: variable.percent / 100.0,
        highlight: variable.percent >= 50.0,
    });
    let chart = Chart {
        title: "Share of the score that minimal uniques with a variable make up".to_owned(),
        note: "Shares add up to more than 100 %: a minimal unique has several variables.".to_owned(),
        plot: Plot::Bars(Bars {
            category: "Variable".to_owned(),
            measure: Axis::shares("Share of the score"),
            bars: bars.collect(),
            threshold: None,
        }),
    };
    let mut sizes = Table::new("Minimal uniques by size", [Column::right("Keys"), Column::right("Minimal uniques")]);
    sizes.rows = (1u64..).zip(&found.by_size).map(|(size, uniques)| vec![size.into(), (*uniques).into()]).collect();
    let mut blocks = vec![Block::Chart(chart), Block::Table(sizes), records(special)];
    blocks.extend(levels(special));
    let capped =
        found.capped.map_or_else(String::new, |size| format!(" Only sets of up to {size} keys were searched."));
    let assumed = match special.fraction_assumed {
        true => " (an assumption: give it with --sampling-fraction)",
        false => "",
    };
    let taken = share(special.sampling_fraction);
    let intro = format!(
        "A minimal unique is a set of keys on which a record is alone, and of which no key can be left out. {} records have \
         {} of them. The fewer keys a set has, and the more such sets, the likelier the record is alone in the \
         population.{capped} Chances of a correct match assume that the file is {taken} of the population{assumed}. `--show-values` \
         adds what each value contributes.",
        count(found.records),
        count(found.minimal_uniques),
    );
    section("suda", "Special uniques", intro, blocks)
}

fn records(special: &SpecialUniques) -> Block {
    let mut table = Table::new(
        "Records with the highest scores",
        [
            Column::right("Row"),
            Column::right("Score"),
            Column::right("Chance of a correct match"),
            Column::right("Minimal uniques"),
            Column::right("Keys of the smallest"),
        ],
    );
    table.rows = (special.riskiest.iter())
        .map(|record| {
            vec![
                record.row.into(),
                Value::Number(record.score, 0),
                Value::Share(record.dis),
                record.minimal_uniques.into(),
                (record.smallest as u64).into(),
            ]
        })
        .collect();
    Block::Table(table)
}

fn levels(special: &SpecialUniques) -> Option<Block> {
    let levels = special.levels.as_ref()?;
    let mut table = Table::new(
        "Values that contribute most",
        [Column::left("Variable"), Column::left("Value"), Column::right("Share of the variable's score")],
    );
    for of_key in levels.chunk_by(|a, b| a.variable == b.variable) {
        for level in of_key.iter().take(LEVELS_LISTED) {
            let (variable, value) = (level.variable.as_str(), level.level.as_str());
            table.rows.push(vec![variable.into(), value.into(), Value::Share(level.percent / 100.0)]);
        }
    }
    Some(Block::Table(table))
}
