//! Where the cells of published tables stand: cells of two tables that stand for the same records are one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_spec::{HierarchySpec, Spec};
use outward_tables::{Dimension, Earlier, Figure, Published, Table, ValueSource};

use super::links::DATA;
use super::pattern::Answers;

/// For each variable that does not have all its values the set of those it has, both by number, in this order.
pub(super) type Coordinates = Vec<(u32, u32)>;

/// The tables of earlier releases, by name.
pub(super) type EarlierTables<'a> = BTreeMap<&'a str, &'a Earlier>;

/// What a cell stands for: what is counted, and of which values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) unit: u32,
    pub(super) at: Coordinates,
}

/// What records of a unit are told apart by.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) unit: u32,
    /// What its values are read from; none where it says which kinds of records are counted.
    source: Option<ValueSource>,
    /// Whether a record may have several values.
    pub(super) several: bool,
    /// How many at most, where that is known.
    pub(super) most: Option<usize>,
    /// Several answers: the sets of the smaller one of two dimensions of a table that both show it.
    pub(super) again: BTreeSet<u32>,
    /// The values that some table shows, by number.
    pub(super) shown: BTreeSet<u32>,
    /// How many values there are, as far as any table says.
    size: usize,
    /// Sets that are all values there are of a variable that reads this; another may list values that no record has.
    complete: BTreeSet<u32>,
    /// The sets of whole nodes, no matter which values a condition keeps.
    nodes: BTreeSet<u32>,
    /// The variables of the spec by which it is shown.
    pub(super) names: BTreeSet<String>,
}

impl Variable {
    pub(super) fn answers(&self) -> Answers {
        if self.several { Answers::Several(self.most) } else { Answers::One }
    }
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
    /// What earlier releases tell of cells, at least and at most.
    pub(super) told: BTreeMap<u32, (i64, i64)>,
    listed: ListedValues,
    at: HashMap<Place, u32>,
    known: HashMap<Vec<u32>, u32>,
}

/// For each unit and source the values that records can have, by number.
pub(super) type ListedValues = BTreeMap<(String, ValueSource), BTreeSet<u32>>;

/// The values that every variable of a source lists, of those that tables show with all their values. A hierarchy may list values that, as another variable
/// shows, no record has (K9).
pub(super) fn listed_values(tables: &[&Published]) -> ListedValues {
    let mut listed = ListedValues::new();
    for table in tables.iter().map(|of| &of.table) {
        for dimension in table.dimensions.iter().filter(|dimension| !dimension.several) {
            let own: BTreeSet<u32> = dimension.nodes.iter().flat_map(|node| &node.values).copied().collect();
            if own.len() < dimension.size {
                continue;
            }
            match listed.get_mut(&(table.unit.clone(), dimension.source.clone())) {
                Some(known) => known.retain(|value| own.contains(value)),
                None => _ = listed.insert((table.unit.clone(), dimension.source.clone()), own),
            }
        }
    }
    listed
}

/// A value that no table shows, for those who have none that is shown.
const OTHERS: u32 = 0;

impl Cells {
    /// The cells of tables; `keeps` says of a table whose condition keeps some values of a variable what these are read from and which
    /// they are.
    /// `told` has the tables of earlier releases; where new figures are `changed` (rounded or perturbed), they are not the earlier ones.
    pub(super) fn new(
        tables: &[&Published],
        keeps: &[(String, ValueSource, Vec<u32>)],
        told: &EarlierTables,
        changed: bool,
    ) -> Self {
        let mut cells = Self { listed: listed_values(tables), ..Self::default() };
        for published in tables {
            if let Some(earlier) = told.get(published.table.name.as_str()) {
                let own = cells.place_earlier(published, earlier, keeps, changed);
                cells.tables.push(own);
                continue;
            }
            let kept = keeps.iter().find(|(table, _, _)| *table == published.table.name);
            let figures = |position: usize| Some(published.figures[position]);
            let own = cells.place(published, kept.map(|(_, source, values)| (source, values.as_slice())), figures);
            cells.tables.push(own);
        }
        cells
    }

    /// The cells of a table of an earlier release: what it tells of them is known, whatever the new figures are.
    fn place_earlier(
        &mut self,
        published: &Published,
        earlier: &Earlier,
        keeps: &[(String, ValueSource, Vec<u32>)],
        changed: bool,
    ) -> Vec<u32> {
        let kept = keeps.iter().find(|(table, _, _)| *table == published.table.name);
        let kept = kept.map(|(_, source, values)| (source, values.as_slice()));
        let figures = |position: usize| match earlier.told[position] {
            outward_tables::EarlierFigure::Between(..) => None,
            _ => Some(published.figures[position]).filter(|_| !changed),
        };
        let own = self.place(published, kept, figures);
        let mean = published.table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        for (position, cell) in own.iter().enumerate() {
            let (least, most) = match (earlier.told[position], published.figures[position]) {
                (outward_tables::EarlierFigure::Between(least, most), _) => (least, most),
                // A mean does not say what it is the mean of.
                (outward_tables::EarlierFigure::Shown, Figure::Shown(value)) if !mean => (value, value),
                _ => (i64::MIN, i64::MAX),
            };
            let known = self.told.entry(*cell).or_insert((least, most));
            *known = (known.0.max(least), known.1.min(most));
        }
        own
    }

    /// The cell at a place.
    pub(super) fn find(&self, place: &Place) -> Option<u32> {
        self.at.get(place).copied()
    }

    fn place(
        &mut self,
        published: &Published,
        kept: Option<(&ValueSource, &[u32])>,
        figures: impl Fn(usize) -> Option<Figure>,
    ) -> Vec<u32> {
        let table = &published.table;
        let unit = position(&mut self.units, &table.unit);
        let nodes: Vec<Vec<Option<(u32, u32)>>> =
            table.dimensions.iter().map(|dimension| self.nodes(unit, dimension, kept)).collect();
        // Where a condition keeps values, records that no other condition keeps may be among them.
        let counted = self.records(unit, table);
        let records = match kept {
            Some((source, _)) if table.dimensions.iter().any(|dimension| dimension.source == *source) => None,
            Some((source, values)) => {
                let variable = self.variable(unit, Some(source), false);
                self.variables[variable as usize].shown.extend(values);
                Some((variable, self.set(values)))
            }
            None => counted,
        };
        self.show_again(unit, table, &nodes);
        let mean = table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean);
        let of = |position: usize| {
            let mut at: Vec<(u32, u32)> =
                table.nodes(position).iter().zip(&nodes).filter_map(|(node, of)| of[*node]).collect();
            at.extend(records);
            self.join(&mut at);
            // A mean does not say what it is the mean of.
            let figure = figures(position).filter(|figure| !mean || *figure == Figure::Hidden);
            self.add(Place { unit, at }, figure)
        };
        (0..table.len()).map(of).collect()
    }

    /// Puts what is said of variables in order. Of two dimensions that read the same a record is in what both have.
    fn join(&mut self, at: &mut Coordinates) {
        at.sort_unstable();
        for later in (1..at.len()).rev() {
            let ((variable, one), (before, other)) = (at[later], at[later - 1]);
            if variable == before && !self.variables[variable as usize].several {
                let (one, other) = (&self.sets[one as usize], &self.sets[other as usize]);
                let both: Vec<u32> = one.iter().copied().filter(|value| other.binary_search(value).is_ok()).collect();
                at[later - 1].1 = self.set(&both);
                at.remove(later);
            }
        }
    }

    /// Notes the sets of a dimension of several answers that another of the table shows in more nodes.
    fn show_again(&mut self, unit: u32, table: &Table, nodes: &[Vec<Option<(u32, u32)>>]) {
        let size = |at: usize| (table.dimensions[at].nodes.len(), at);
        for (at, dimension) in table.dimensions.iter().enumerate().filter(|(_, dimension)| dimension.several) {
            let same = |(other, of): (usize, &Dimension)| {
                of.several && of.source == dimension.source && size(other) > size(at)
            };
            if table.dimensions.iter().enumerate().any(same) {
                let variable = self.variable(unit, Some(&dimension.source), true);
                let sets = nodes[at].iter().flatten().map(|(_, set)| *set);
                self.variables[variable as usize].again.extend(sets);
            }
        }
    }

    /// Whether nobody can be in a cell: a condition or another dimension excludes a value.
    pub(super) fn is_void(&self, place: &Place) -> bool {
        let none = |(variable, set): &(u32, u32)| {
            !self.variables[*variable as usize].several && self.sets[*set as usize].is_empty()
        };
        place.at.iter().any(none)
    }

    /// Whether somebody is in a cell because it is of values that no list has: one would not be there if nobody had it (K9).
    pub(super) fn is_listed(&self, place: &Place, spec: &Spec) -> bool {
        let [(variable, set)] = place.at[..] else { return false };
        let about = &self.variables[variable as usize];
        let unit = &self.units[place.unit as usize];
        let occur = |name: &String| {
            spec.variable(name).is_some_and(|of| {
                let own = if of.from.is_empty() { unit == DATA } else { of.from == [unit.as_str()] };
                let given = spec.tables.iter().any(|table| table.given.is_some() && table.variables.contains(name));
                own && !given && !of.hierarchies().any(HierarchySpec::lists_values)
            })
        };
        !about.names.is_empty() && about.names.iter().all(occur) && !self.sets[set as usize].is_empty()
    }

    /// Adds a cell for all there is of each listed value, where no table shows it: nobody publishes these, and somebody is in each (K9). Of records
    /// that meet a condition a table by itself tells nothing of this: a value may be one of others.
    pub(super) fn add_listed(&mut self, tables: &[&Published], spec: &Spec) {
        for variable in 0..self.variables.len() as u32 {
            let about = &self.variables[variable as usize];
            let unit = about.unit;
            let own = tables.iter().filter(|of| of.table.unit == self.units[unit as usize]);
            let own: Vec<&Table> = own.map(|of| &of.table).collect();
            if matches!(own[..], [one] if one.condition.is_some()) {
                continue;
            }
            for set in about.nodes.clone() {
                let place = Place { unit, at: vec![(variable, set)] };
                if self.is_listed(&place, spec) {
                    self.add(place, None);
                }
            }
        }
    }

    /// Where the cells of a unit stand.
    pub(super) fn standing(&self, unit: u32) -> impl Iterator<Item = (&Coordinates, u32)> {
        self.places.iter().zip(0..).filter(move |(place, _)| place.unit == unit).map(|(place, cell)| (&place.at, cell))
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
    fn nodes(
        &mut self,
        unit: u32,
        dimension: &Dimension,
        kept: Option<(&ValueSource, &[u32])>,
    ) -> Vec<Option<(u32, u32)>> {
        let variable = self.variable(unit, Some(&dimension.source), dimension.several);
        let kept = kept.filter(|(source, _)| **source == dimension.source).map(|(_, values)| values);
        let key = (self.units[unit as usize].clone(), dimension.source.clone());
        let listed = self.listed.get(&key).filter(|_| !dimension.several).cloned();
        let can_have = |value: &u32| listed.as_ref().is_none_or(|listed| listed.contains(value));
        let size = listed.as_ref().map_or(dimension.size, BTreeSet::len);
        let possible: Vec<Vec<u32>> =
            dimension.nodes.iter().map(|node| node.values.iter().copied().filter(can_have).collect()).collect();
        let mut place = |node: &Vec<u32>| {
            let own = node.iter().copied().filter(|value| kept.is_none_or(|kept| kept.contains(value)));
            let own: Vec<u32> = own.collect();
            let set = self.set(&own);
            (set, kept.is_none() && self.sets[set as usize].len() >= size && !dimension.several)
        };
        let nodes: Vec<(u32, bool)> = possible.iter().map(&mut place).collect();
        let is_whole =
            |(node, (set, all)): &(&Vec<u32>, &(u32, bool))| !all && self.sets[*set as usize].len() == node.len();
        let whole: Vec<u32> = possible.iter().zip(&nodes).filter(is_whole).map(|(_, (set, _))| *set).collect();
        let about = &mut self.variables[variable as usize];
        about.names.insert(dimension.variable.clone());
        about.nodes.extend(whole);
        about.size = about.size.max(size);
        about.shown.extend(possible.iter().flatten());
        about.complete.extend(nodes.iter().filter(|(_, all)| *all).map(|(set, _)| set));
        nodes.into_iter().map(|(set, all)| (!all).then_some((variable, set))).collect()
    }

    /// The kinds of records that are counted, where they are not all.
    fn records(&mut self, unit: u32, table: &Table) -> Option<(u32, u32)> {
        if table.kinds == 0 {
            return None;
        }
        let variable = self.variable(unit, None, false);
        let set = self.set(&table.records);
        let about = &mut self.variables[variable as usize];
        // Records that no table counts are of a kind too.
        about.size = about.size.max(table.kinds);
        about.shown.extend(1..=table.kinds as u32);
        (table.records.len() < table.kinds).then_some((variable, set))
    }

    /// The variable of one value that is read from somewhere, if a table of the unit shows it; without a source the one that says which records
    /// are counted.
    pub(super) fn known(&self, unit: u32, source: Option<&ValueSource>) -> Option<u32> {
        let same = |known: &Variable| known.unit == unit && known.source.as_ref() == source && !known.several;
        self.variables.iter().position(same).map(|at| at as u32)
    }

    fn variable(&mut self, unit: u32, source: Option<&ValueSource>, several: bool) -> u32 {
        let same = |known: &Variable| known.unit == unit && known.source.as_ref() == source && known.several == several;
        let at = self.variables.iter().position(same).unwrap_or_else(|| {
            self.variables.push(Variable {
                unit,
                source: source.cloned(),
                several,
                most: source.and_then(|source| most_answers(&self.units[unit as usize], source)),
                again: BTreeSet::new(),
                shown: BTreeSet::new(),
                size: 0,
                complete: BTreeSet::new(),
                nodes: BTreeSet::new(),
                names: BTreeSet::new(),
            });
            self.variables.len() - 1
        });
        at as u32
    }

    pub(super) fn set(&mut self, values: &[u32]) -> u32 {
        let mut values = values.to_vec();
        values.sort_unstable();
        values.dedup();
        if let Some(set) = self.known.get(&values) {
            return *set;
        }
        self.sets.push(values.clone());
        self.known.insert(values, self.sets.len() as u32 - 1);
        self.sets.len() as u32 - 1
    }

    /// The sets that a cell stands for which does not say anything of a variable: everyone. Of several answers a record may have
    /// none.
    pub(super) fn everyone(&mut self, variable: u32) -> Vec<u32> {
        let about = &self.variables[variable as usize];
        let mut all: Vec<u32> = about.shown.iter().copied().collect();
        // Where no table shows the variable, nobody says how many values there are.
        if about.several || all.len() < about.size || about.size == 0 {
            all.insert(0, OTHERS);
        }
        let mut sets = about.complete.clone();
        sets.insert(self.set(&all));
        sets.into_iter().collect()
    }

    /// What a variable is read from, whatever the unit.
    pub(super) fn source(&self, variable: u32) -> Option<&ValueSource> {
        self.variables[variable as usize].source.as_ref()
    }
}

/// What a cell is called in a certificate.
pub(super) fn name(table: &Table, position: usize) -> String {
    format!("{}[{position}]: {}", table.name, table.describe(position))
}

/// How many answers a record of a unit can have: as many as there are columns, unless they are gathered from records linked to it.
fn most_answers(unit: &str, source: &ValueSource) -> Option<usize> {
    let ValueSource { from, columns, shared, pairs } = source;
    let own = from.is_empty() || !shared && from.iter().any(|file| file == unit);
    let most = columns.len();
    own.then_some(if *pairs { most * most.saturating_sub(1) / 2 } else { most })
}

/// The number of a word, a new one where it is new.
fn position(words: &mut Vec<String>, word: &str) -> u32 {
    let at = words.iter().position(|known| known == word).unwrap_or_else(|| {
        words.push(word.to_owned());
        words.len() - 1
    });
    at as u32
}
