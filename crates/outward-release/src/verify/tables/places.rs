//! Where the cells of published tables stand: cells of two tables that stand for the same records are one.

use std::collections::{BTreeSet, HashMap};

use outward_tables::{Dimension, Figure, Published, Table};

/// What a cell stands for: what is counted, and for each variable that does not have all its values the set of those it has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) unit: u32,
    /// Variable and set, both by number, in this order.
    pub(super) at: Vec<(u32, u32)>,
}

/// What records of a unit are told apart by.
#[derive(Debug)]
pub(super) struct Variable {
    unit: u32,
    source: String,
    /// Whether a record may have several values.
    pub(super) several: bool,
    /// The values that some table shows, by number.
    shown: BTreeSet<u32>,
    /// How many values there are, as far as any table says.
    size: usize,
    /// Sets that are all values there are of a variable that reads this; another may list values that no record has.
    complete: BTreeSet<u32>,
    /// The variables of the spec by which it is shown.
    pub(super) names: BTreeSet<String>,
}

/// The cells of tables that are published together.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// For each table the cell at each of its positions.
    pub(super) tables: Vec<Vec<u32>>,
    /// Where each cell stands.
    pub(super) places: Vec<Place>,
    /// What is published of each; none where only a mean is.
    pub(super) figures: Vec<Option<Figure>>,
    pub(super) variables: Vec<Variable>,
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) units: Vec<String>,
    /// Whether a cell is not the same in all tables it stands in.
    pub(super) disagree: bool,
    at: HashMap<Place, u32>,
    known: HashMap<Vec<u32>, u32>,
}

/// The variable that says which records a table counts; a source of values is never called so.
const RECORDS: &str = "";

/// A value that no table shows, for those who have none that is shown.
const OTHERS: u32 = 0;

impl Cells {
    /// The cells of tables; `keeps` says of a table whose condition keeps some values of a variable what these are read from and which
    /// they are.
    pub(super) fn of(tables: &[&Published], keeps: &[(String, String, Vec<u32>)]) -> Self {
        let mut cells = Self::default();
        for published in tables {
            let kept = keeps.iter().find(|(table, _, _)| *table == published.table.name);
            let own = cells.place(published, kept.map(|(_, source, values)| (source.as_str(), values.as_slice())));
            cells.tables.push(own);
        }
        cells
    }

    /// The cell at a place.
    pub(super) fn find(&self, place: &Place) -> Option<u32> {
        self.at.get(place).copied()
    }

    fn place(&mut self, published: &Published, kept: Option<(&str, &[u32])>) -> Vec<u32> {
        let table = &published.table;
        let unit = position(&mut self.units, &table.unit);
        let nodes: Vec<Vec<Option<(u32, u32)>>> =
            table.dimensions.iter().map(|dimension| self.nodes(unit, dimension, kept)).collect();
        let records = match kept {
            Some((source, _)) if table.dimensions.iter().any(|dimension| dimension.source == source) => None,
            Some((source, values)) => {
                let variable = self.variable(unit, source, false);
                self.variables[variable as usize].shown.extend(values);
                Some((variable, self.set(values)))
            }
            None => self.records(unit, table),
        };
        let mean = table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        let of = |position: usize| {
            let mut at: Vec<(u32, u32)> =
                table.nodes(position).iter().zip(&nodes).filter_map(|(node, of)| of[*node]).collect();
            at.extend(records);
            at.sort_unstable();
            // A mean does not say what it is the mean of.
            let figure = Some(published.figures[position]).filter(|figure| !mean || *figure == Figure::Hidden);
            self.add(Place { unit, at }, figure)
        };
        (0..table.len()).map(of).collect()
    }

    fn add(&mut self, place: Place, figure: Option<Figure>) -> u32 {
        let next = self.places.len() as u32;
        let at = *self.at.entry(place.clone()).or_insert(next);
        if at == next {
            self.places.push(place);
            self.figures.push(figure);
        } else if figure.is_some() {
            let known = self.figures[at as usize].get_or_insert(figure.unwrap_or(Figure::Hidden));
            self.disagree |= Some(*known) != figure;
        }
        at
    }

    /// For each node of a dimension the variable and the set; none where a record cannot but be in it.
    fn nodes(&mut self, unit: u32, dimension: &Dimension, kept: Option<(&str, &[u32])>) -> Vec<Option<(u32, u32)>> {
        let variable = self.variable(unit, &dimension.source, dimension.several);
        let kept = kept.filter(|(source, _)| *source == dimension.source).map(|(_, values)| values);
        let mut place = |node: &outward_tables::Node| {
            let own = node.values.iter().copied().filter(|value| kept.is_none_or(|kept| kept.contains(value)));
            let own: Vec<u32> = own.collect();
            (self.set(&own), kept.is_none() && own.len() >= dimension.size && !dimension.several)
        };
        let nodes: Vec<(u32, bool)> = dimension.nodes.iter().map(&mut place).collect();
        let about = &mut self.variables[variable as usize];
        about.names.insert(dimension.variable.clone());
        about.size = about.size.max(dimension.size);
        about.shown.extend(dimension.nodes.iter().flat_map(|node| &node.values));
        about.complete.extend(nodes.iter().filter(|(_, all)| *all).map(|(set, _)| set));
        nodes.into_iter().map(|(set, all)| (!all).then_some((variable, set))).collect()
    }

    /// The kinds of records that are counted, where they are not all.
    fn records(&mut self, unit: u32, table: &Table) -> Option<(u32, u32)> {
        if table.kinds == 0 {
            return None;
        }
        let variable = self.variable(unit, RECORDS, false);
        let all = self.set(&(1..=table.kinds as u32).collect::<Vec<_>>());
        let set = self.set(&table.records);
        let about = &mut self.variables[variable as usize];
        about.size = about.size.max(table.kinds);
        about.shown.extend(&table.records);
        about.complete.insert(all);
        (table.records.len() < table.kinds).then_some((variable, set))
    }

    fn variable(&mut self, unit: u32, source: &str, several: bool) -> u32 {
        let same = |known: &Variable| known.unit == unit && known.source == source && known.several == several;
        let at = self.variables.iter().position(same).unwrap_or_else(|| {
            self.variables.push(Variable {
                unit,
                source: source.to_owned(),
                several,
                shown: BTreeSet::new(),
                size: 0,
                complete: BTreeSet::new(),
                names: BTreeSet::new(),
            });
            self.variables.len() - 1
        });
        at as u32
    }

    fn set(&mut self, values: &[u32]) -> u32 {
        if let Some(set) = self.known.get(values) {
            return *set;
        }
        self.sets.push(values.to_vec());
        self.known.insert(values.to_vec(), self.sets.len() as u32 - 1);
        self.sets.len() as u32 - 1
    }

    /// The sets that a cell stands for which does not say anything of a variable: everyone. Of several answers a record may have
    /// none.
    pub(super) fn everyone(&mut self, variable: u32) -> Vec<u32> {
        let about = &self.variables[variable as usize];
        let mut all: Vec<u32> = about.shown.iter().copied().collect();
        if about.several || all.len() < about.size {
            all.insert(0, OTHERS);
        }
        let mut sets = about.complete.clone();
        sets.insert(self.set(&all));
        sets.into_iter().collect()
    }

    /// What a variable is read from, whatever the unit.
    pub(super) fn source(&self, variable: u32) -> &str {
        &self.variables[variable as usize].source
    }
}

/// What a cell is called in a certificate.
pub(super) fn name(table: &Table, position: usize) -> String {
    format!("{}[{position}]: {}", table.name, table.describe(position))
}

/// The number of a word, a new one where it is new.
fn position(words: &mut Vec<String>, word: &str) -> u32 {
    let at = words.iter().position(|known| known == word).unwrap_or_else(|| {
        words.push(word.to_owned());
        words.len() - 1
    });
    at as u32
}
