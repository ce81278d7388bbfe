//! Tables from a spec and its files.

use std::collections::BTreeSet;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use outward_spec::{Error, Fault, Hierarchy, Measure, Result, Role, Spec, Table as Wanted, TableRules, Variable};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::dimension::{MISSING_LABEL, Shown, TOTAL};
use crate::files::{Answers, Files, source_of, unit_of};
use crate::inner::{Base, Contribution, Inner, Tally};
use crate::judge::largest_needed;
use crate::table::{Dimension, Kind, Magnitudes, Table};

/// A table and the inner cells it was counted from.
#[derive(Debug, Clone)]
pub struct Made {
    /// The table.
    pub table: Table,
    /// Its inner cells.
    pub inner: Inner,
}

/// Makes tables of a spec from its files, in the order given.
///
/// # Errors
/// Where a hierarchy misses values, a number is none, or a total that is given disagrees with its parts.
pub fn make(spec: &Spec, wanted: &[&Wanted], files: &Files, rules: &TableRules) -> Result<Vec<Made>> {
    let mut maker = Maker { spec, files, rules, known: HashMap::new(), numbers: HashMap::new() };
    let mut made = wanted.iter().map(|wanted| maker.table(wanted)).collect::<Result<Vec<_>>>()?;
    let units: BTreeSet<usize> = wanted.iter().map(|wanted| unit_of(spec, wanted)).collect();
    for unit in units {
        let of_unit: Vec<usize> = (0..wanted.len()).filter(|at| unit_of(spec, wanted[*at]) == unit).collect();
        tell_records_apart(files, unit, wanted, &of_unit, &mut made)?;
    }
    Ok(made)
}

/// Says of tables of one unit which kinds of records they count, so that a table of some records and one of all can be held
/// against each other.
fn tell_records_apart(
    files: &Files,
    unit: usize,
    wanted: &[&Wanted],
    of_unit: &[usize],
    made: &mut [Made],
) -> Result<()> {
    let conditions: BTreeSet<&String> = of_unit.iter().filter_map(|at| wanted[*at].condition.as_ref()).collect();
    let conditions: Vec<&String> = conditions.into_iter().collect();
    let masks = conditions.iter().map(|condition| files.mask(unit, condition)).collect::<Result<Vec<_>>>()?;
    let mut kinds: BTreeSet<Vec<bool>> = BTreeSet::new();
    let mut kind = vec![false; masks.len()];
    for row in 0..if masks.is_empty() { 0 } else { files.rows(unit) } {
        masks.iter().zip(&mut kind).for_each(|(mask, met)| *met = mask[row]);
        if !kinds.contains(&kind) {
            kinds.insert(kind.clone());
        }
    }
    for at in of_unit {
        let condition =
            wanted[*at].condition.as_ref().and_then(|own| conditions.iter().position(|known| *known == own));
        let met = |kind: &Vec<bool>| condition.is_none_or(|condition| kind[condition]);
        let numbered = kinds.iter().zip(1..).filter(|(kind, _)| met(kind));
        made[*at].table.records = numbered.map(|(_, number)| number).collect();
        made[*at].table.kinds = kinds.len();
    }
    Ok(())
}

/// A variable as the records of one unit have it.
struct Column {
    values: Vec<String>,
    answers: Answers,
}

struct Maker<'a> {
    spec: &'a Spec,
    files: &'a Files,
    rules: &'a TableRules,
    /// Columns read already.
    known: HashMap<ColumnKey, Rc<Column>>,
    /// Numbers for the values of each source, the same for all variables that read it.
    numbers: HashMap<String, HashMap<String, u32>>,
}

/// A variable, the file whose records have it, and the values that are paired.
type ColumnKey = (String, usize, Option<Vec<String>>);

impl<'a> Maker<'a> {
    fn table(&mut self, wanted: &Wanted) -> Result<Made> {
        let within = |error: Error| {
            error.with_fault(|fault| Fault { what: format!("table `{}`: {}", wanted.name, fault.what), ..fault })
        };
        self.make(wanted).map_err(within)
    }

    fn make(&mut self, wanted: &Wanted) -> Result<Made> {
        let unit = unit_of(self.spec, wanted);
        let mut columns = Vec::new();
        for name in &wanted.variables {
            let variable = self.variable(name)?;
            let paired =
                (wanted.pairs.as_ref() == Some(name)).then(|| wanted.only.get(name).cloned().unwrap_or_default());
            columns.push(self.column(variable, unit, paired)?);
        }
        let mut inner = self.count(wanted, unit, &columns)?;
        self.number_values(wanted, &mut inner)?;
        let mut shell = self.shell(wanted, &inner)?;
        if let Some(top) = wanted.top {
            shell = keep_top(shell, &inner, top)?;
        }
        let keep = self.rules.magnitude.as_ref().map_or(0, largest_needed);
        let table = inner.tabulate(shell, keep)?;
        self.check_given(wanted, unit, &columns, &table)?;
        Ok(Made { table, inner })
    }

    /// Says where the values of each variable are from, and numbers them alike for all variables from there.
    fn number_values(&mut self, wanted: &Wanted, inner: &mut Inner) -> Result<()> {
        for (name, base) in wanted.variables.iter().zip(&mut inner.bases) {
            let paired = if wanted.pairs.as_ref() == Some(name) { "/pairs" } else { "" };
            base.source = source_of(self.variable(name)?) + paired;
            let numbers = self.numbers.entry(base.source.clone()).or_default();
            for value in &base.values {
                let next = numbers.len() as u32 + 1;
                base.numbers.push(*numbers.entry(value.clone()).or_insert(next));
            }
        }
        Ok(())
    }

    fn variable(&self, name: &str) -> Result<&'a Variable> {
        self.spec.variable(name).ok_or_else(|| Error::bug("a table names a variable that is not there"))
    }

    /// The values of a variable for the records of a unit. Those of a hierarchy that lists them come first, in its order,
    /// whether they occur or not.
    fn column(&mut self, variable: &Variable, unit: usize, paired: Option<Vec<String>>) -> Result<Rc<Column>> {
        let key = (variable.name.clone(), unit, paired.clone());
        if let Some(column) = self.known.get(&key) {
            return Ok(column.clone());
        }
        let hierarchy = self.spec.hierarchy(variable)?;
        let listed = hierarchy.as_ref().and_then(Hierarchy::values).unwrap_or_default();
        let mut values: Vec<String> = listed.iter().map(|value| (*value).to_owned()).collect();
        let found = self.files.values(self.spec, variable)?;
        let known: HashSet<&str> = listed.iter().copied().collect();
        let given = self.is_given(variable);
        if !given && (known.contains(TOTAL) || found.iter().any(|value| value == TOTAL)) {
            return Err(Error::input(format!("a value is called `{TOTAL}`, as totals are"))
                .variable(&variable.name)
                .help("give the value another name in the data")
                .into());
        }
        // Rows of a given table that hold totals are no values.
        values.extend(found.into_iter().filter(|value| !known.contains(value.as_str()) && (value != TOTAL || !given)));
        let mut answers = self.files.answers(self.spec, variable, unit, &values);
        if let Answers::One(codes) = &mut answers
            && codes.contains(&0)
            && !self.is_given(variable)
        {
            let known = values.iter().position(|value| value == MISSING_LABEL);
            if known.is_none() {
                values.push(MISSING_LABEL.to_owned());
            }
            let missing = known.map_or(values.len(), |at| at + 1) as u32;
            codes.iter_mut().filter(|code| **code == 0).for_each(|code| *code = missing);
        }
        let mut column = Column { values, answers };
        if let Some(only) = paired {
            column = in_pairs(column, &only);
        }
        let column = Rc::new(column);
        self.known.insert(key, column.clone());
        Ok(column)
    }

    fn is_given(&self, variable: &Variable) -> bool {
        self.spec.tables.iter().any(|table| table.given.is_some() && table.variables.contains(&variable.name))
    }

    /// The inner cells over these columns.
    fn count(&self, wanted: &Wanted, unit: usize, columns: &[Rc<Column>]) -> Result<Inner> {
        let spec = self.spec;
        let mask = wanted.condition.as_ref().map(|condition| self.files.mask(unit, condition)).transpose()?;
        let weights = match spec.weight().filter(|_| wanted.weighted) {
            Some(weight) => Some(thousandths(&self.files.numbers(spec, unit, &weight.name)?, &weight.name)?),
            None => None,
        };
        let given =
            wanted.given.as_ref().map(|name| whole(&self.files.numbers(spec, unit, name)?, name)).transpose()?;
        let amounts = match &wanted.of {
            Some(name) => Some((name, self.files.numbers(spec, unit, name)?)),
            None => None,
        };
        let scale = amounts.as_ref().map_or(1, |(_, amounts)| scale_of(amounts));
        let contributors = wanted.contributor.as_ref().map(|name| self.files.hashes(spec, unit, name)).transpose()?;
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes()).collect();
        let sizes: Vec<u128> = columns.iter().map(|column| column.size() as u128).collect();
        if sizes.iter().try_fold(1u128, |product, size| product.checked_mul(*size)).is_none() {
            return Err(Error::input("the table has too many combinations to be counted")
                .help("show fewer variables")
                .into());
        }
        let mut known: HashMap<u128, u32> = HashMap::new();
        let mut tallies: Vec<Tally> = Vec::new();
        let mut contributions = Vec::new();
        let keys = self.files.keys(spec, unit);
        for row in 0..self.files.rows(unit) {
            if mask.as_ref().is_some_and(|mask| !mask[row])
                || given.is_some() && codes.iter().any(|codes| codes[row] == 0)
            {
                continue;
            }
            let key = codes.iter().zip(&sizes).fold(0, |key, (codes, size)| key * size + u128::from(codes[row]));
            let cell = *known.entry(key).or_insert_with(|| {
                tallies.push(Tally::default());
                tallies.len() as u32 - 1
            });
            let tally = &mut tallies[cell as usize];
            tally.count += given.as_ref().map_or(1, |given| given[row]);
            tally.weight = add(tally.weight, weights.as_ref().map_or(0, |weights| weights[row]))?;
            if let Some(keys) = keys {
                tally.key = tally.key.wrapping_add(xxh3_64_with_seed(&keys[row].to_le_bytes(), spec.seed));
            }
            if let Some((name, amounts)) = &amounts
                && !amounts[row].is_nan()
            {
                let amount = (amounts[row] * scale as f64).round();
                if !(0.0..=9e15).contains(&amount) {
                    return Err(Error::input("sums are published of amounts from 0 up; one is below or too large")
                        .variable(name.as_str())
                        .help("leave such records out with `where`")
                        .into());
                }
                let contributor = contributors.as_ref().map_or(row as u64, |of| of[row] as u64);
                let weight = weights.as_ref().map_or(1000, |weights| weights[row]);
                let amount = i64::try_from(amount as i128 * i128::from(weight) / 1000).map_err(|_| too_large())?;
                tally.known = add(tally.known, weight)?;
                contributions.push(Contribution { cell, contributor, amount });
            }
        }
        Ok(sorted(known, tallies, contributions, columns, wanted, &sizes, scale))
    }

    /// The table without numbers.
    fn shell(&self, wanted: &Wanted, inner: &Inner) -> Result<Table> {
        let mut dimensions = Vec::new();
        for (name, base) in wanted.variables.iter().zip(&inner.bases) {
            let levels = wanted.levels.get(name).map_or(&[][..], Vec::as_slice);
            dimensions.push(self.dimension(wanted, self.variable(name)?, base, levels)?);
        }
        let percent_of =
            wanted.percent_of.iter().filter_map(|name| wanted.variables.iter().position(|own| own == name));
        Ok(Table {
            name: wanted.name.clone(),
            title: wanted.title.clone().unwrap_or_else(|| wanted.name.clone()),
            unit: wanted.unit.clone().unwrap_or_else(|| "records".to_owned()),
            condition: wanted.condition.clone(),
            geography: self.geography(wanted),
            weighted: wanted.weighted.then(Vec::new),
            magnitudes: wanted.of.as_ref().map(|of| Magnitudes {
                of: of.clone(),
                mean: wanted.measure == Measure::Mean,
                ..Magnitudes::default()
            }),
            percent_of: percent_of.collect(),
            dimensions,
            ..Table::default()
        })
    }

    /// The finest level of geography of the variables of a table, unless the table says one.
    fn geography(&self, wanted: &Wanted) -> Option<String> {
        let rank = |level: &&String| self.rules.geographies.iter().position(|known| known == *level);
        let named = wanted.variables.iter().filter_map(|name| self.spec.variable(name)?.geography.as_ref());
        wanted.geography.clone().or_else(|| named.max_by_key(rank).cloned())
    }

    fn dimension(&self, wanted: &Wanted, variable: &Variable, base: &Base, levels: &[usize]) -> Result<Dimension> {
        let paired = wanted.pairs.as_ref() == Some(&variable.name);
        let hierarchy = self.spec.hierarchy(variable)?.filter(|_| !paired);
        let compile = |more| Hierarchy::compile(more, &self.spec.base, &variable.name);
        let more: Vec<Hierarchy> = variable.more_hierarchies.iter().map(compile).collect::<Result<_>>()?;
        let rated = variable.ratings.as_ref().map(|path| outward_spec::ratings(path, &self.spec.base)).transpose()?;
        let high: Vec<u32> = match &rated {
            None => Vec::new(),
            Some(rated) => {
                let is_high = |value: &str| {
                    // A pair is as telling as the more telling of the two; what is not rated is taken for telling.
                    let of = |part: &str| {
                        rated.iter().find(|rated| rated.value == part).is_none_or(outward_spec::Rated::is_high)
                    };
                    value != MISSING_LABEL && value.split(PAIRED).any(of)
                };
                base.values.iter().zip(1..).filter(|(value, _)| is_high(value)).map(|(_, code)| code).collect()
            }
        };
        let kind = match (&rated, variable.role) {
            (Some(_), _) => Kind::Rated,
            (None, Role::Geography) => Kind::Geography,
            (None, _) if variable.geography.is_some() => Kind::Geography,
            _ => Kind::Fact,
        };
        let only = wanted.only.get(&variable.name).filter(|_| !paired);
        Shown {
            label: variable.label().to_owned(),
            kind,
            hierarchy: hierarchy.as_ref(),
            more: if paired { &[] } else { &more },
            levels,
            only: only.map(Vec::as_slice),
            total: !wanted.without_total.contains(&variable.name) && !paired,
            high: &high,
        }
        .dimension(base)
    }

    /// Totals that are given beside their parts are held against them.
    fn check_given(&self, wanted: &Wanted, unit: usize, columns: &[Rc<Column>], table: &Table) -> Result<()> {
        let Some(name) = &wanted.given else { return Ok(()) };
        let given = whole(&self.files.numbers(self.spec, unit, name)?, name)?;
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        for (row, given) in given.into_iter().enumerate() {
            let codes: Vec<u32> = columns.iter().map(|column| column.codes()[row]).collect();
            if !seen.insert(codes.clone()) {
                return Err(Error::input("a cell of the table is given twice")
                    .row(row as u64 + 1)
                    .help("give each combination of values once")
                    .into());
            }
            if codes.iter().all(|code| *code > 0) {
                continue;
            }
            let node = |(code, dimension): (&u32, &Dimension)| match code {
                0 => dimension.nodes.iter().position(|node| node.total),
                code => dimension.nodes.iter().position(|node| node.finest && node.values == [*code]),
            };
            let nodes: Option<Vec<usize>> = codes.iter().zip(&table.dimensions).map(node).collect();
            let Some(cell) = nodes.map(|nodes| table.cell(&nodes)) else { continue };
            if table.counts[cell] != given {
                return Err(Error::input(format!(
                    "a total that is given disagrees with its parts: {}",
                    table.describe(cell)
                ))
                .help("correct the table, or leave the rows with totals out")
                .into());
            }
        }
        Ok(())
    }
}

impl Column {
    /// For each record a code, or the number of its set.
    fn codes(&self) -> &[u32] {
        match &self.answers {
            Answers::One(codes) | Answers::Several(codes, _) => codes,
        }
    }

    /// One more than the largest of these.
    fn size(&self) -> usize {
        match &self.answers {
            Answers::One(_) => self.values.len() + 1,
            Answers::Several(_, sets) => sets.len(),
        }
    }

    fn base(&self, wanted: &Wanted, variable: &str) -> Base {
        let sets = match &self.answers {
            Answers::One(_) => None,
            Answers::Several(_, sets) => Some(sets.clone()),
        };
        // Pairs of answers are another variable than the answers.
        let paired = wanted.pairs.as_deref() == Some(variable);
        let variable = if paired { format!("{variable} in pairs") } else { variable.to_owned() };
        Base { variable, values: self.values.clone(), sets, ..Base::default() }
    }
}

/// What stands between the two values of a pair.
const PAIRED: &str = " and ";

/// A column of the pairs of answers each record gave, of some values or of all.
fn in_pairs(column: Column, only: &[String]) -> Column {
    let Answers::Several(numbers, sets) = column.answers else { return column };
    let wanted = |code: &u32| only.is_empty() || only.contains(&column.values[*code as usize - 1]);
    let mut known: std::collections::BTreeMap<(u32, u32), u32> = std::collections::BTreeMap::new();
    let pairs = |set: &Vec<u32>| -> Vec<(u32, u32)> {
        let kept: Vec<u32> = set.iter().copied().filter(wanted).collect();
        let after = |at: usize| kept[at + 1..].iter().map(move |other| (at, *other));
        (0..kept.len()).flat_map(after).map(|(at, other)| (kept[at], other)).collect()
    };
    let listed: Vec<Vec<(u32, u32)>> = sets.iter().map(pairs).collect();
    listed.iter().flatten().for_each(|pair| _ = known.insert(*pair, 0));
    known.values_mut().zip(1..).for_each(|(number, next)| *number = next);
    let value = |code: u32| column.values[code as usize - 1].as_str();
    let values = known.keys().map(|(one, other)| format!("{}{PAIRED}{}", value(*one), value(*other))).collect();
    let sets = listed.iter().map(|pairs| pairs.iter().filter_map(|pair| known.get(pair).copied()).collect()).collect();
    Column { values, answers: Answers::Several(numbers, sets) }
}

/// The inner cells in the order of their codes.
fn sorted(
    known: HashMap<u128, u32>,
    tallies: Vec<Tally>,
    contributions: Vec<Contribution>,
    columns: &[Rc<Column>],
    wanted: &Wanted,
    sizes: &[u128],
    scale: i64,
) -> Inner {
    let mut order: Vec<(u128, u32)> = known.into_iter().collect();
    order.sort_unstable();
    let mut place = vec![0u32; order.len()];
    let mut inner = Inner {
        bases: columns.iter().zip(&wanted.variables).map(|(column, name)| column.base(wanted, name)).collect(),
        scale,
        ..Inner::default()
    };
    for (at, (mut key, old)) in order.into_iter().enumerate() {
        place[old as usize] = at as u32;
        inner.tallies.push(tallies[old as usize]);
        let start = inner.codes.len();
        for size in sizes.iter().rev() {
            inner.codes.push((key % size) as u32);
            key /= size;
        }
        inner.codes[start..].reverse();
    }
    let moved = |given: Contribution| Contribution { cell: place[given.cell as usize], ..given };
    inner.contributions = contributions.into_iter().map(moved).collect();
    inner.contributions.sort_unstable_by_key(|given| (given.cell, given.contributor, given.amount));
    inner
}

/// Keeps the values of the first variable with the largest totals.
fn keep_top(shell: Table, inner: &Inner, top: usize) -> Result<Table> {
    let whole = inner.tabulate(shell.clone(), 0)?;
    let line = whole.len() / whole.dimensions[0].nodes.len();
    // The total of a line stands where all other variables are at their totals; without totals its cells are summed.
    let totals = |dimension: &Dimension| dimension.nodes.iter().position(|node| node.total);
    let at: Option<Vec<usize>> = whole.dimensions[1..].iter().map(totals).collect();
    let size = |node: usize| match &at {
        Some(rest) => whole.counts[whole.cell(&[&[node], &rest[..]].concat())],
        None => whole.counts[node * line..(node + 1) * line].iter().sum(),
    };
    let first = &whole.dimensions[0];
    let mut order: Vec<usize> = (0..first.nodes.len()).filter(|node| first.nodes[*node].finest).collect();
    order.sort_by_key(|node| (std::cmp::Reverse(size(*node)), *node));
    order.truncate(top);
    let mut table = shell;
    let nodes = order.iter().map(|node| first.nodes[*node].clone()).collect();
    table.dimensions[0] = Dimension { nodes, sums: Vec::new(), ..first.clone() };
    Ok(table)
}

fn whole(numbers: &[f64], name: &str) -> Result<Vec<u64>> {
    let fault = |what: &str| Error::input(what).variable(name).help("give a whole number from 0 up for each cell");
    let one = |number: &f64| match *number {
        number if number.is_nan() => Err(fault("a cell has no number").into()),
        number if number < 0.0 => Err(fault("a count is negative").into()),
        number if number.fract() != 0.0 || number > 1e11 => {
            Err(fault("a count is not a whole number, or too large").into())
        }
        number => Ok(number as u64),
    };
    numbers.iter().map(one).collect()
}

fn thousandths(weights: &[f64], name: &str) -> Result<Vec<i64>> {
    let one = |weight: &f64| match *weight {
        weight if !(0.0..=1e6).contains(&weight) => Err(Error::input("a weight is missing, negative or too large")
            .variable(name)
            .help("give each record a weight from 0 up")
            .into()),
        weight => Ok((weight * 1000.0).round() as i64),
    };
    weights.iter().map(one).collect()
}

fn add(one: i64, other: i64) -> Result<i64> {
    one.checked_add(other).ok_or_else(too_large)
}

/// Sums beyond what is counted with.
pub(crate) fn too_large() -> Error {
    Error::input("the amounts or weights are too large to be added up exactly")
        .help("give amounts in larger units, or round them to fewer decimals")
        .into()
}

/// The power of ten that makes all amounts whole, at most a million.
fn scale_of(amounts: &[f64]) -> i64 {
    let whole = |scale: f64| {
        amounts.iter().filter(|x| !x.is_nan()).all(|x| {
            let scaled = x * scale;
            (scaled - scaled.round()).abs() <= 1e-6 * scaled.abs().max(1.0)
        })
    };
    [1, 10, 100, 1_000, 10_000, 100_000].into_iter().find(|scale| whole(*scale as f64)).unwrap_or(1_000_000)
}
