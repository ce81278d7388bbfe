//! Makes tables from a spec and its files.

mod amounts;
mod asked;
mod beside;
mod column;
mod conditions;
mod count;
mod given;
mod known;
mod numbering;
mod overlaps;
mod records;
mod rules;
mod ties;
mod unseen;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

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
use column::{ColumnKey, VariableColumn};
use numbering::ValueNumbers;
use overlaps::JoinedPlaces;
pub use overlaps::is_one_area;

pub(crate) use amounts::too_large;
pub(crate) use given::GIVE_COUNTS;
pub use known::AttackerKnowledge;
pub(crate) use known::{ImpliedAnswers, TableKnowledge, UnitKnowledge};
pub(crate) use records::{Measured, Records};
pub(crate) use rules::{Conditions, Reads};

/// Tables counted from a spec and its files, and what an attacker knows about their records from elsewhere.
#[derive(Debug, Clone)]
pub struct CountedTables {
    /// The tables, in the order of the request.
    pub tables: Vec<CountedTable>,
    /// What an attacker knows.
    pub known: AttackerKnowledge,
}

/// A table and the inner cells it was counted from.
#[derive(Debug, Clone)]
pub struct CountedTable {
    /// The table.
    pub table: Table,
    /// Its inner cells.
    pub inner: Inner,
    /// The parsed condition of the table.
    pub condition: Option<Condition>,
    /// Cells of the table that must be published, ascending.
    pub frozen: Vec<usize>,
    /// Cells of the table that are hidden already, ascending.
    pub hidden: Vec<usize>,
    /// What is public already, if it is a table of an earlier release.
    pub earlier: Option<Earlier>,
}

/// Makes tables of a spec from its files, in the order given.
///
/// # Errors If a hierarchy lacks values, a value is no number, no record meets a condition, a cell is named that does
/// not exist, or a given total disagrees with its parts.
pub fn make(spec: &Spec, wanted: &[&Wanted], files: &Files, rules: &TableRules) -> Result<CountedTables> {
    let mut maker = Maker {
        spec,
        files,
        rules,
        known: HashMap::new(),
        numbers: HashMap::new(),
        masks: RefCell::new(HashMap::new()),
        hierarchies: RefCell::new(HashMap::new()),
        rows: HashMap::new(),
        joined_places: Vec::new(),
    };
    let mut inner = wanted.iter().map(|wanted| maker.inner_table(wanted)).collect::<Result<Vec<_>>>()?;
    maker.tie_columns(&mut inner)?;
    maker.join_places(&mut inner)?;
    let (mut scopes, mut known) = (vec![Scope::default(); inner.len()], AttackerKnowledge::new(inner.len()));
    for unit in inner.iter().map(|of| of.unit).collect::<BTreeSet<usize>>() {
        let tables = UnitTables { unit, all: &inner };
        let kinds = maker.kinds(tables)?;
        for (at, table) in tables.numbered() {
            scopes[at] = maker.scope(tables, table, &kinds)?;
            known.of_tables[at].implied = maker.implied_by_condition(tables, table)?;
        }
        known.of_units.insert(unit_name(tables), maker.unit_knowledge(tables, &kinds)?);
    }
    let laid_out = inner.iter().zip(scopes).map(|(of, scope)| maker.lay_out(of, scope)).collect::<Result<Vec<_>>>()?;
    for (at, table) in laid_out.iter().enumerate() {
        known.of_tables[at].implied_by_nodes = maker.implied_by_nodes(&inner, at, table)?;
    }
    let tables = inner.into_iter().zip(laid_out).map(|(of, table)| of.counted(table)).collect::<Result<Vec<_>>>()?;
    Ok(CountedTables { tables, known })
}

/// A requested table with its inner cells counted, before it is laid out.
struct InnerTable<'a> {
    wanted: &'a Wanted,
    unit: usize,
    columns: Vec<Rc<VariableColumn>>,
    inner: Inner,
    condition: Option<Condition>,
}

impl<'a> InnerTable<'a> {
    /// The variables by name, each with its values.
    fn variables(&self) -> impl Iterator<Item = (&'a String, &Base)> {
        self.wanted.variables.iter().zip(&self.inner.bases)
    }

    fn counted(self, table: Table) -> Result<CountedTable> {
        let Asked { frozen, hidden } = Asked::new(self.wanted, &table).map_err(in_table(self.wanted))?;
        Ok(CountedTable { table, inner: self.inner, condition: self.condition, frozen, hidden, earlier: None })
    }
}

/// The tables of one unit, among all requested tables.
#[derive(Clone, Copy)]
struct UnitTables<'a> {
    unit: usize,
    all: &'a [InnerTable<'a>],
}

impl<'a> UnitTables<'a> {
    /// The tables, each with its position among all.
    fn numbered(self) -> impl Iterator<Item = (usize, &'a InnerTable<'a>)> {
        self.all.iter().enumerate().filter(move |(_, of)| of.unit == self.unit)
    }

    fn tables(self) -> impl Iterator<Item = &'a InnerTable<'a>> {
        self.numbered().map(|(_, of)| of)
    }

    /// The variables that the tables show, by name, each once.
    fn names(self) -> BTreeSet<&'a String> {
        self.tables().flat_map(|of| &of.wanted.variables).collect()
    }
}

/// Which records a table counts.
#[derive(Clone, Default)]
struct Scope {
    /// The kinds of records that the table counts, and how many kinds conditions distinguish.
    records: Vec<u32>,
    kinds: usize,
    /// The values that the condition keeps, if it keeps all records with these values.
    keeps: Option<(ValueSource, Vec<u32>)>,
}

fn in_table(wanted: &Wanted) -> impl Fn(Error) -> Error {
    |error| error.with_fault(|fault| fault.table(&wanted.name))
}

/// What the tables of a unit count, as they name it.
fn unit_name(tables: UnitTables) -> String {
    tables.tables().next().map(|of| counted_unit(of.wanted)).unwrap_or_default()
}

fn counted_unit(wanted: &Wanted) -> String {
    wanted.unit.clone().unwrap_or_else(|| "records".to_owned())
}

/// Which records a condition keeps, by unit and condition.
type Masks = HashMap<(usize, Condition), Rc<Vec<bool>>>;

struct Maker<'a> {
    spec: &'a Spec,
    files: &'a Files,
    rules: &'a TableRules,
    /// Columns read already.
    known: HashMap<ColumnKey, Rc<VariableColumn>>,
    /// The numbers of values, by the names of the columns they come from.
    numbers: HashMap<Vec<String>, ValueNumbers>,
    /// Which records of a unit meet each condition, computed once.
    masks: RefCell<Masks>,
    /// The hierarchies of variables, compiled once.
    hierarchies: RefCell<HashMap<String, Rc<Vec<Hierarchy>>>>,
    /// For each unit whose records are kept: which of the different records each row is.
    rows: HashMap<usize, Vec<u32>>,
    /// Places that overlap, joined.
    joined_places: Vec<JoinedPlaces>,
}

impl<'a> Maker<'a> {
    /// Counts the inner cells of a table, and numbers the values of its variables.
    fn inner_table(&mut self, wanted: &'a Wanted) -> Result<InnerTable<'a>> {
        let unit = unit_of(self.spec, wanted);
        let mut count = || {
            let mut columns = Vec::new();
            for name in &wanted.variables {
                let variable = self.variable(name)?;
                let paired =
                    (wanted.pairs.as_ref() == Some(name)).then(|| wanted.only.get(name).cloned().unwrap_or_default());
                columns.push(self.column(variable, unit, paired)?);
            }
            let mut inner = self.count(wanted, unit, &columns)?;
            self.number_values(wanted, &columns, &mut inner)?;
            Ok(InnerTable { wanted, unit, columns, inner, condition: self.condition(wanted)?.cloned() })
        };
        count().map_err(in_table(wanted))
    }

    /// Lays a table out and fills it from its inner cells.
    fn lay_out(&self, of: &InnerTable, scope: Scope) -> Result<Table> {
        let InnerTable { wanted, unit, columns, inner, .. } = of;
        let lay_out = || {
            let mut shell = self.shell(wanted, columns, inner)?;
            if let Some(top) = wanted.top {
                shell = keep_top(shell, inner, top)?;
            }
            let Scope { records, kinds, keeps } = scope;
            let shell = Table { each_weighs: self.each_weighs(wanted, *unit)?, records, kinds, keeps, ..shell };
            let largest = self.rules.magnitude.as_ref().map_or(0, largest_needed);
            let table = inner.tabulate(shell, largest)?;
            self.check_given(wanted, *unit, columns, &table)?;
            Ok(table)
        };
        lay_out().map_err(in_table(wanted))
    }

    /// The source of a variable of a table.
    fn source(&self, wanted: &Wanted, name: &String) -> Result<ValueSource> {
        let pairs = wanted.pairs.as_ref() == Some(name);
        Ok(ValueSource { pairs, ..ValueSource::of_variable(self.variable(name)?) })
    }

    /// The condition of a table.
    fn condition(&self, wanted: &Wanted) -> Result<Option<&'a Condition>> {
        wanted.condition.as_ref().map(|text| self.files.condition(text)).transpose()
    }

    /// The columns that the condition of a table reads, and the names of variables that read these.
    fn condition_reads(&self, wanted: &Wanted) -> Result<Vec<String>> {
        let Some(condition) = self.condition(wanted)? else { return Ok(Vec::new()) };
        let reading = |variable: &&Variable| variable.read_from().iter().any(|column| condition.reads(column));
        let variables = self.spec.variables.iter().filter(reading);
        let names = variables.flat_map(|variable| [variable.name.clone(), variable.label().to_owned()]);
        Ok(condition.columns.iter().cloned().chain(names).collect())
    }

    fn variable(&self, name: &str) -> Result<&'a Variable> {
        self.spec.variable(name).ok_or_else(|| Error::bug("a table names a variable that is not there"))
    }

    /// The table without numbers.
    fn shell(&self, wanted: &Wanted, columns: &[Rc<VariableColumn>], inner: &Inner) -> Result<Table> {
        let mut dimensions = Vec::new();
        for ((name, column), base) in wanted.variables.iter().zip(columns).zip(&inner.bases) {
            dimensions.push(self.dimension(wanted, self.variable(name)?, column, base)?);
        }
        let percent_of =
            wanted.percent_of.iter().filter_map(|name| wanted.variables.iter().position(|own| own == name));
        Ok(Table {
            name: wanted.name.clone(),
            title: wanted.title.clone().unwrap_or_else(|| wanted.name.clone()),
            unit: counted_unit(wanted),
            condition: wanted.condition.clone(),
            condition_reads: self.condition_reads(wanted)?,
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

    /// The finest level of geography of the variables of a table, unless the table gives one.
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

    fn dimension(
        &self,
        wanted: &Wanted,
        variable: &Variable,
        column: &VariableColumn,
        base: &Base,
    ) -> Result<Dimension> {
        let paired = wanted.pairs.as_ref() == Some(&variable.name);
        let levels = wanted.levels.get(&variable.name).map_or(&[][..], Vec::as_slice);
        // Pairs of values are in no hierarchy.
        let all = if paired { Rc::default() } else { self.hierarchies(variable)? };
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

/// The codes of values that are rated high. A pair has the higher rating of its two values. A value without a rating
/// counts as high.
fn rated_high(rated: &[Rated], column: &VariableColumn) -> Vec<u32> {
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
    // The total of a line is the cell at which all other variables are at their totals. Without totals, the cells of
    // the line are summed.
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
