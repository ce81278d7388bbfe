//! Tables from a spec and its files.

mod amounts;
mod asked;
mod column;
mod conditions;
mod count;
mod given;
mod numbering;
mod records;
mod rules;
mod ties;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use outward_cells::Condition;
use outward_spec::{
    Error, Hierarchy, Measure, Rated, Result, Role, Spec, Table as Wanted, TableRules, Variable, suggest,
};

use crate::dimension::{MISSING_LABEL, Shown};
use crate::earlier::Earlier;
use crate::files::{Files, unit_of};
use crate::inner::{Base, Inner};
use crate::judge::largest_needed;
use crate::source::ValueSource;
use crate::table::{Dimension, Kind, Magnitudes, Table};
use asked::Asked;
use column::{Column, ColumnKey};
use numbering::ValueNumbers;

pub(crate) use amounts::too_large;
pub(crate) use given::GIVE_COUNTS;
pub(crate) use records::Measured;
pub use records::Records;
pub(crate) use rules::Reads;
pub use rules::{Conditions, SharedColumn};

/// A table and the inner cells it was counted from.
#[derive(Debug, Clone)]
pub struct Made {
    /// The table.
    pub table: Table,
    /// Its inner cells.
    pub inner: Inner,
    /// The condition of the table, as it was parsed.
    pub condition: Option<Condition>,
    /// Cells of the table that must be published, ascending.
    pub frozen: Vec<usize>,
    /// Cells of the table that are hidden already, ascending.
    pub hidden: Vec<usize>,
    /// Where there is a condition: what variables of several answers are read from, and values of which everyone counted has one, by
    /// number.
    pub sure: Vec<(ValueSource, Vec<u32>)>,
    /// For nodes of a variable that reads one column of another of several answers, by the place of its dimension and of the node: what the
    /// other is read from, and the values of which everyone in the node has one, by number.
    pub sure_nodes: Vec<(usize, usize, ValueSource, Vec<u32>)>,
    /// What the conditions of tables of this unit say of values.
    pub conditions: Option<Arc<Conditions>>,
    /// The variables that read one column of another, of which a record may have several values.
    pub columns: Vec<SharedColumn>,
    /// The records by all that tables of this unit show, where they are few enough to be held.
    pub records: Option<Arc<Records>>,
    /// What is public of it already, where it is a table of an earlier release.
    pub earlier: Option<Earlier>,
}

/// Makes tables of a spec from its files, in the order given.
///
/// # Errors
/// Where a hierarchy misses values, a number is none, no record meets a condition, a cell is named that is not there, or a total that
/// is given disagrees with its parts.
pub fn make(spec: &Spec, wanted: &[&Wanted], files: &Files, rules: &TableRules) -> Result<Vec<Made>> {
    let mut maker = Maker {
        spec,
        files,
        rules,
        known: HashMap::new(),
        numbers: HashMap::new(),
        masks: RefCell::new(HashMap::new()),
    };
    let mut made = wanted.iter().map(|wanted| maker.table(wanted)).collect::<Result<Vec<_>>>()?;
    maker.tie_columns(wanted, &mut made)?;
    let units: BTreeSet<usize> = wanted.iter().map(|wanted| unit_of(spec, wanted)).collect();
    for unit in units {
        let of_unit: Vec<usize> = (0..wanted.len()).filter(|at| unit_of(spec, wanted[*at]) == unit).collect();
        maker.name_sure_nodes(wanted, &of_unit, &mut made)?;
        let kinds = maker.tell_records_apart(unit, &of_unit, &mut made)?;
        maker.name_conditions(unit, wanted, &of_unit, &mut made)?;
        let single = maker.name_rules(unit, wanted, &of_unit, &mut made, &kinds)?;
        let records = maker.records(unit, wanted, &of_unit, &made, &kinds, &single)?.map(Arc::new);
        of_unit.iter().for_each(|at| made[*at].records.clone_from(&records));
    }
    Ok(made)
}

/// Which records a condition keeps, by unit and condition.
type Masks = HashMap<(usize, Condition), Rc<Vec<bool>>>;

struct Maker<'a> {
    spec: &'a Spec,
    files: &'a Files,
    rules: &'a TableRules,
    /// Columns read already.
    known: HashMap<ColumnKey, Rc<Column>>,
    /// The numbers of values, by the names of the columns they are read from.
    numbers: HashMap<Vec<String>, ValueNumbers>,
    /// Which records of a unit meet each condition, worked out once.
    masks: RefCell<Masks>,
}

impl<'a> Maker<'a> {
    fn table(&mut self, wanted: &Wanted) -> Result<Made> {
        self.make(wanted).map_err(|error| error.with_fault(|fault| fault.table(&wanted.name)))
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
        self.number_values(wanted, &columns, &mut inner)?;
        let mut shell = self.shell(wanted, &columns, &inner)?;
        if let Some(top) = wanted.top {
            shell = keep_top(shell, &inner, top)?;
        }
        let keep = self.rules.magnitude.as_ref().map_or(0, largest_needed);
        let table = Table { each_weighs: self.each_weighs(wanted, unit)?, ..inner.tabulate(shell, keep)? };
        self.check_given(wanted, unit, &columns, &table)?;
        let Asked { frozen, hidden } = Asked::of(wanted, &table)?;
        Ok(Made {
            table,
            inner,
            condition: self.condition(wanted)?.cloned(),
            frozen,
            hidden,
            sure: Vec::new(),
            sure_nodes: Vec::new(),
            conditions: None,
            columns: Vec::new(),
            records: None,
            earlier: None,
        })
    }

    /// What a variable of a table is read from.
    fn source(&self, wanted: &Wanted, name: &String) -> Result<ValueSource> {
        let pairs = wanted.pairs.as_ref() == Some(name);
        Ok(ValueSource { pairs, ..ValueSource::of_variable(self.variable(name)?) })
    }

    /// The condition of a table.
    fn condition(&self, wanted: &Wanted) -> Result<Option<&'a Condition>> {
        wanted.condition.as_ref().map(|text| self.files.condition(text)).transpose()
    }

    fn variable(&self, name: &str) -> Result<&'a Variable> {
        self.spec.variable(name).ok_or_else(|| Error::bug("a table names a variable that is not there"))
    }

    /// The table without numbers.
    fn shell(&self, wanted: &Wanted, columns: &[Rc<Column>], inner: &Inner) -> Result<Table> {
        let mut dimensions = Vec::new();
        for ((name, column), base) in wanted.variables.iter().zip(columns).zip(&inner.bases) {
            dimensions.push(self.dimension(wanted, self.variable(name)?, column, base)?);
        }
        let percent_of =
            wanted.percent_of.iter().filter_map(|name| wanted.variables.iter().position(|own| own == name));
        Ok(Table {
            name: wanted.name.clone(),
            title: wanted.title.clone().unwrap_or_else(|| wanted.name.clone()),
            unit: wanted.unit.clone().unwrap_or_else(|| "records".to_owned()),
            condition: wanted.condition.clone(),
            geography: self.geography(wanted)?,
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
    fn geography(&self, wanted: &Wanted) -> Result<Option<String>> {
        let levels = &self.rules.geographies;
        let rank = |level: &&String| levels.iter().position(|known| known == *level);
        let named = wanted.variables.iter().filter_map(|name| self.spec.variable(name)?.geography.as_ref());
        if let Some(unknown) = wanted.geography.iter().chain(named.clone()).find(|level| rank(level).is_none()) {
            let help = match levels.is_empty() {
                true => "remove `geography`: the policy asks the same of every area".to_owned(),
                false => suggest(unknown, levels.iter().map(String::as_str), "levels"),
            };
            return Err(Error::input(format!("the policy knows no level of geography `{unknown}`")).help(help).into());
        }
        Ok(wanted.geography.clone().or_else(|| named.max_by_key(rank).cloned()))
    }

    fn dimension(&self, wanted: &Wanted, variable: &Variable, column: &Column, base: &Base) -> Result<Dimension> {
        let paired = wanted.pairs.as_ref() == Some(&variable.name);
        let levels = wanted.levels.get(&variable.name).map_or(&[][..], Vec::as_slice);
        // Pairs of values are in no hierarchy.
        let all = if paired { Vec::new() } else { self.hierarchies(variable)? };
        let (hierarchy, more) = match variable.hierarchy.is_some() {
            true => (all.first(), all.get(1..).unwrap_or_default()),
            false => (None, &all[..]),
        };
        let by_level = |hierarchy: &&Hierarchy| match levels {
            [] => hierarchy.levels() > 2,
            levels => levels.iter().any(|level| *level > 0),
        };
        for hierarchy in hierarchy.filter(by_level).into_iter().chain(more) {
            self.check_covered(variable, column, hierarchy)?;
        }
        let rated = variable.ratings.as_ref().map(|path| outward_spec::ratings(path, &self.spec.base)).transpose()?;
        let high = rated.as_ref().map_or_else(Vec::new, |rated| rated_high(rated, column));
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
            hierarchy,
            more,
            levels,
            only: only.map(Vec::as_slice),
            total: !wanted.without_total.contains(&variable.name) && !paired,
            high: &high,
        }
        .dimension(base)
    }
}

/// The codes of values that are rated high. A pair is as telling as the more telling of the two; what is not rated is taken for
/// telling.
fn rated_high(rated: &[Rated], column: &Column) -> Vec<u32> {
    let known: HashMap<&str, bool> = rated.iter().map(|rated| (rated.value.as_str(), rated.is_high())).collect();
    let of = |value: &String| known.get(value.as_str()).copied().unwrap_or(true);
    let is_high = |at: usize| match column.halves.get(at) {
        Some(halves) => halves.iter().any(|code| of(&column.paired[*code as usize - 1])),
        None => column.values[at] != MISSING_LABEL && of(&column.values[at]),
    };
    (0..column.values.len()).filter(|at| is_high(*at)).map(|at| at as u32 + 1).collect()
}

/// Keeps the values of the first variable with the largest totals.
fn keep_top(shell: Table, inner: &Inner, top: usize) -> Result<Table> {
    let whole = inner.tabulate(shell.clone(), 0)?;
    let line = whole.len() / whole.dimensions[0].nodes.len().max(1);
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
