//! What the conditions of tables say of the values that tables show (K3, M2), worked out from their words by the engine.
//!
//! A condition is true of some combinations of values, false of others, and open where it also reads a column that no table shows, or where a
//! value is not shown by itself. Nothing is excluded that is open.

use std::collections::{BTreeMap, BTreeSet};

use outward_engine::{
    KnownColumn, ParsedCondition, condition_on_values, conditions_met_together, parse_condition_text,
};
use outward_spec::{Spec, Type};
use outward_tables::{MISSING_LABEL, Published, Table, ValueSource};

use super::super::{Check, Place};
use super::links::DATA;
use crate::tables::JSON;

/// The condition of a table, if it has one.
pub(super) fn condition_of(table: &Table) -> Option<ParsedCondition> {
    parse_condition_text(table.condition.as_deref()?).ok()
}

/// The check that fails where a condition cannot be read, where tables do not say of the same condition which kinds of records meet it, or where by their
/// words no record can meet the conditions that a kind meets; the others are not made then.
pub(super) fn check(tables: &[Published], spec: Option<&Spec>) -> Option<Check> {
    let unread = |of: &&Published| of.table.condition.is_some() && condition_of(&of.table).is_none();
    let fails = |says: String| Some(Check::fails("tables", says).at([Place::file(JSON)]));
    if let Some(of) = tables.iter().find(unread) {
        return fails(format!("the condition of table `{}` cannot be read", of.table.name));
    }
    let others =
        |name: &str| fails(format!("the kinds of records that table `{name}` counts are not those of its condition"));
    let (mut kinds, mut met) = (BTreeMap::new(), BTreeMap::new());
    for Published { table, .. } in tables {
        let records: BTreeSet<u32> = table.records.iter().copied().collect();
        let counts_all = (1..=table.kinds as u32).eq(records.iter().copied());
        let is_same = *kinds.entry(&table.unit).or_insert(table.kinds) == table.kinds
            && *met.entry((&table.unit, &table.condition)).or_insert_with(|| records.clone()) == records;
        if !is_same || table.condition.is_none() && !counts_all {
            return others(&table.name);
        }
    }
    others(kinds.into_keys().find_map(|unit| impossible_kind(tables, unit, spec?))?)
}

/// More conditions than this are not held against their words together.
const MOST_CONDITIONS: usize = 8;

/// A table of a unit with a kind of records that meets conditions which nobody can meet together, if there is one. Of linked files nothing is said: a
/// record meets a condition if any of those linked to it does.
fn impossible_kind<'a>(tables: &'a [Published], unit: &str, spec: &Spec) -> Option<&'a str> {
    let with_condition = tables.iter().map(|of| &of.table).filter(|table| table.unit == unit);
    let by_text: BTreeMap<&str, &Table> =
        with_condition.filter_map(|table| Some((table.condition.as_deref()?, table))).collect();
    let texts: Vec<&str> = by_text.keys().copied().collect();
    if texts.is_empty() || texts.len() > MOST_CONDITIONS || !spec.linked.is_empty() {
        return None;
    }
    let read = texts.iter().map(|text| Some(parse_condition_text(text).ok()?.columns));
    let columns: BTreeSet<String> = read.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let mut readings: Vec<Vec<(String, Type)>> = vec![Vec::new()];
    for column in columns {
        let with = |of: &Type| -> Vec<Vec<(String, Type)>> {
            readings.iter().map(|before| [&before[..], &[(column.clone(), *of)]].concat()).collect()
        };
        readings = types_of(&column, spec).iter().flat_map(with).collect();
        if readings.is_empty() || readings.len() > MOST_READINGS {
            return None;
        }
    }
    let mut possible: BTreeSet<Vec<bool>> = BTreeSet::new();
    for reading in readings {
        possible.extend(conditions_met_together(&texts, &reading)?);
    }
    if possible.is_empty() {
        return None;
    }
    let kinds = by_text.values().map(|table| table.kinds as u32).max()?;
    let met = |kind: u32| -> Vec<bool> { by_text.values().map(|table| table.records.contains(&kind)).collect() };
    let kind = (1..=kinds).find(|kind| !possible.contains(&met(*kind)))?;
    let table = by_text.values().find(|table| table.records.contains(&kind)).or(by_text.values().next())?;
    Some(&table.name)
}

/// More ways to take the values of columns without a type, as text or as numbers, are not tried.
const MOST_READINGS: usize = 64;

/// What a condition says.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) unit: String,
    /// Its words.
    text: String,
    /// The kinds of records that meet it.
    pub(super) kinds: BTreeSet<u32>,
    /// What the variables are read from that it reads and tables show.
    pub(super) reads: Vec<ValueSource>,
    /// Of a combination of their values whether it is met, as far as that can be told.
    pub(super) holds: BTreeMap<Vec<u32>, bool>,
    /// Where it keeps some values of its one variable, and every record that has them: which.
    keeps: Option<Vec<u32>>,
}

/// A variable of one value whose values tables show.
struct Shown {
    source: ValueSource,
    column: String,
    /// What the spec says its values are; text or numbers where it says nothing.
    types: Vec<Type>,
    /// The values that are shown by themselves.
    texts: BTreeMap<u32, String>,
    /// How many there are, shown or not.
    size: usize,
}

/// What the conditions of tables say.
pub(super) fn conditions(tables: &[&Published], spec: &Spec) -> Vec<Condition> {
    let mut known: Vec<Condition> = Vec::new();
    for published in tables {
        let table = &published.table;
        let Some(text) = &table.condition else { continue };
        if known.iter().any(|of| of.unit == table.unit && of.text == *text) {
            continue;
        }
        let kinds = table.records.iter().copied().collect();
        let unsaid = Condition {
            unit: table.unit.clone(),
            text: text.clone(),
            kinds,
            reads: Vec::new(),
            holds: BTreeMap::new(),
            keeps: None,
        };
        let shown = shown(tables, &table.unit, spec);
        let said = said(unsaid, &shown);
        known.push(Condition { keeps: said.kept(&shown), ..said });
    }
    known
}

impl Condition {
    /// The values it keeps, where it is decided for every value of its one variable, and not the same for all.
    fn kept(&self, shown: &[Shown]) -> Option<Vec<u32>> {
        let [source] = &self.reads[..] else { return None };
        let of = shown.iter().find(|of| of.source == *source)?;
        let kept: Vec<u32> = self.holds.iter().filter(|(_, met)| **met).map(|(values, _)| values[0]).collect();
        (self.holds.len() == of.size && !kept.is_empty() && kept.len() < of.size).then_some(kept)
    }

    /// Whether tables of the records that meet it are told by the values of its variable.
    pub(super) fn is_kept(&self) -> bool {
        self.keeps.is_some()
    }

    /// For each table whose condition keeps values what these are read from and which they are.
    pub(super) fn keeps(conditions: &[Self], tables: &[&Published]) -> Vec<(String, ValueSource, Vec<u32>)> {
        let of = |published: &&Published| {
            let table = &published.table;
            let same = |of: &&Self| of.unit == table.unit && Some(&of.text) == table.condition.as_ref();
            let condition = conditions.iter().find(same)?;
            Some((table.name.clone(), condition.reads.first()?.clone(), condition.keeps.clone()?))
        };
        tables.iter().filter_map(of).collect()
    }
}

/// The variables of one column and one value that tables of a unit show, and that a condition on its records reads.
fn shown(tables: &[&Published], unit: &str, spec: &Spec) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let dimensions = tables.iter().filter(|of| of.table.unit == unit).flat_map(|of| &of.table.dimensions);
    for dimension in dimensions.filter(|dimension| !dimension.several) {
        let Some(column) = column_of(&dimension.source, unit, spec) else { continue };
        // A district has the numbers of its villages, and other labels. So what it is called is not the text of a value.
        let is_own = |of: &outward_spec::Variable| of.read_from().contains(&column);
        if !spec.variable(&dimension.variable).map_or(dimension.variable == column, is_own) {
            continue;
        }
        // A name that stands for two columns says nothing.
        if shown.iter().any(|of| of.column == column && of.source != dimension.source) {
            continue;
        }
        let at = shown.iter().position(|of| of.source == dimension.source).unwrap_or_else(|| {
            let types = types_of(&column, spec);
            let (source, texts) = (dimension.source.clone(), BTreeMap::new());
            shown.push(Shown { source, column, types, texts, size: dimension.size });
            shown.len() - 1
        });
        shown[at].size = shown[at].size.max(dimension.size);
        for node in dimension.nodes.iter().filter(|node| node.level == 0 && !node.total) {
            if let [value] = node.values[..] {
                shown[at].texts.insert(value, node.label.clone());
            }
        }
    }
    shown
}

/// The column that a variable is, if a condition on records of the unit means it by that name: a column of their own file or, where that has none of the
/// name as far as the spec knows, of `[data]`.
fn column_of(read: &ValueSource, unit: &str, spec: &Spec) -> Option<String> {
    let [column] = &read.columns[..] else { return None };
    let own = |from: &[String]| if unit == DATA { from.is_empty() } else { from == [unit] };
    let reads_own = |of: &outward_spec::Variable| own(&of.from) && of.read_from().contains(column);
    let of_data = read.from.is_empty() && !spec.variables.iter().any(reads_own);
    (!read.shared && !read.pairs && (own(&read.from) || of_data)).then(|| column.clone())
}

/// What the values of a column may be. Without a type in the spec a column of a CSV file is text, and one of other files may be of numbers.
fn types_of(column: &str, spec: &Spec) -> Vec<Type> {
    let reads = |of: &&outward_spec::Variable| of.read_from().iter().any(|name| name == column);
    let mut types: Vec<Type> = Vec::new();
    for of in spec.variables.iter().filter(reads) {
        let Some(own) = of.data_type else { continue };
        // A date that is written in a way of its own is not read here.
        if of.format.is_some() || types.iter().any(|known| *known != own) {
            return Vec::new();
        }
        types = vec![own];
    }
    if types.is_empty() { vec![Type::Text, Type::Number] } else { types }
}

/// What is left of what a condition says where it must be the same under all readings of the values.
type Said = BTreeMap<Vec<u32>, Option<bool>>;

/// A condition with what it says of values.
fn said(unsaid: Condition, shown: &[Shown]) -> Condition {
    let mut readings: Vec<Vec<Type>> = vec![Vec::new()];
    for of in shown {
        let with = |before: Vec<Type>| of.types.iter().map(move |own| [&before[..], &[*own]].concat());
        readings = readings.into_iter().flat_map(with).collect();
        if readings.len() > MOST_READINGS {
            return unsaid;
        }
    }
    let mut all: Option<(Vec<usize>, Said)> = None;
    for reading in readings {
        let Some((reads, said)) = said_as(&unsaid.text, shown, &reading) else { continue };
        all = Some(match all {
            None => (reads, said),
            Some((known, _)) if known != reads => return unsaid,
            Some((known, mut before)) => {
                for (values, answer) in said {
                    let same = before.get(&values) == Some(&answer);
                    before.insert(values, answer.filter(|_| same));
                }
                (known, before)
            }
        });
    }
    let Some((reads, said)) = all else { return unsaid };
    let holds = said.into_iter().filter_map(|(values, answer)| Some((values, answer?))).collect();
    Condition { reads: reads.into_iter().map(|at| shown[at].source.clone()).collect(), holds, ..unsaid }
}

/// What a condition says if values are of these types.
fn said_as(text: &str, shown: &[Shown], types: &[Type]) -> Option<(Vec<usize>, Said)> {
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    let mut known: Vec<KnownColumn> = Vec::new();
    for (of, data_type) in shown.iter().zip(types) {
        let mut values: Vec<(u32, Option<String>)> =
            of.texts.iter().map(|(number, text)| (*number, Some(text.clone()))).collect();
        // What is called missing is missing, or a text of these letters.
        let missing = of.texts.iter().find(|(_, text)| *text == MISSING_LABEL).map(|(number, _)| *number);
        if *data_type != Type::Text {
            values.retain(|(number, _)| Some(*number) != missing);
        }
        values.extend(missing.map(|number| (number, None)));
        numbers.push(values.iter().map(|(number, _)| *number).collect());
        let values = values.into_iter().map(|(_, text)| text).collect();
        known.push(KnownColumn { name: of.column.clone(), data_type: *data_type, values });
    }
    let (reads, answers) = condition_on_values(text, &known)?;
    let mut said = Said::new();
    for (at, answer) in answers.into_iter().enumerate() {
        let value = |place: usize| {
            let after: usize = reads[place + 1..].iter().map(|read| numbers[*read].len()).product();
            numbers[reads[place]][at / after % numbers[reads[place]].len()]
        };
        let values: Vec<u32> = (0..reads.len()).map(value).collect();
        let agreed = said.get(&values).is_none_or(|before| *before == answer);
        said.insert(values, answer.filter(|_| agreed));
    }
    Some((reads, said))
}
