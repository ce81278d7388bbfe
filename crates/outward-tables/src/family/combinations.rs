//! Combinations that nobody publishes, and that follow from three figures or more (P3): those who meet both of two conditions, from those who meet one,
//! those who meet the other, and those who meet either.
//!
//! What is reckoned with are the atoms of few variables: conditions with what they read or, where there are few atoms in all, every variable. Atoms
//! that stand in the same cells are one *column*, and those in a cell that shows zero are none. A cell is a row of zeros and ones. A combination
//! (some places of each variable) follows from sums and differences exactly if its row is in the row space. What follows to be zero takes columns
//! away, and the search goes on. A zero may be hidden later: what was taken away for it is then as large as it can be, no more.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::Family;
use super::axis::{Axis, View};
use super::differences::{Combination, Difference, People};
use super::parts::Parts;
use super::places::Key;
use super::row_space::RowSpace;
use super::unit::Unit;
use outward_audit::Status;

/// All variables of a unit are searched together where they have no more atoms than this.
const MOST_TOGETHER: usize = 1_000;

/// Conditions and what they read are not searched beyond so many atoms, columns and combinations.
const MOST_ATOMS: usize = 20_000;
const MOST_COLUMNS: usize = 400;
const MOST_COMBINATIONS: usize = 20_000;

/// No cell is taken more often than this for what zeros take away.
const LARGEST: i64 = 1_000_000;

/// No more atoms than this are looked at in all slices together.
const MOST_WORK: usize = 200_000_000;

/// A published cell of a slice: all that agree in the variables that are not searched.
struct SliceCell {
    cell: u32,
    /// The atoms it is the sum of.
    atoms: Vec<usize>,
    /// Whether it is shown, as far as it is known what is.
    is_shown: bool,
}

/// A combination that follows.
struct Found {
    columns: BTreeSet<usize>,
    people: i64,
    combination: Combination,
    /// What the sum of the cells has beside it, which is nothing as long as the zeros are shown.
    beside: Beside,
}

/// A sum of cells, each with how often it is taken.
type Terms = BTreeMap<u32, i64>;

/// Atoms of zeros that stand in a sum: together from `least` to `most` times what the zeros are.
#[derive(Default)]
struct Beside {
    zeros: Terms,
    least: i64,
    most: i64,
}

impl Beside {
    /// Whether what is written of it fits into an equation.
    fn is_small(&self) -> bool {
        let range = self.most - self.least;
        self.zeros.values().all(|by| (by * range.max(1)).abs() <= LARGEST)
    }
}

/// The atoms that can hold nobody because a zero is shown, or follows.
#[derive(Default)]
struct Zeros {
    /// Each as a sum of cells that is no less than all its atoms together, and is zero.
    sums: Vec<Terms>,
    of_atom: BTreeMap<usize, usize>,
}

impl Zeros {
    /// Takes away the atoms of a zero that are left.
    fn add(&mut self, sum: Terms, atoms: &[usize], possible: &mut [bool]) {
        for atom in atoms.iter().filter(|atom| possible[**atom]) {
            self.of_atom.insert(*atom, self.sums.len());
        }
        atoms.iter().for_each(|atom| possible[*atom] = false);
        self.sums.push(sum);
    }

    /// What cells have beside some atoms, all of which are taken `divisor` times.
    fn beside(&self, cells: &[(&SliceCell, i64)], atoms: &[usize], divisor: i64) -> Beside {
        let mut left: BTreeMap<usize, i64> = BTreeMap::new();
        let taken = cells.iter().flat_map(|(of, by)| of.atoms.iter().map(move |atom| (*atom, *by)));
        for (atom, by) in taken.chain(atoms.iter().map(|atom| (*atom, -divisor))) {
            *left.entry(atom).or_default() += by;
        }
        let mut beside = Beside::default();
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for (zero, by) in left.iter().filter_map(|(atom, by)| Some((self.of_atom.get(atom)?, *by))) {
            beside.least = beside.least.min(by);
            beside.most = beside.most.max(by);
            if by != 0 && used.insert(*zero) {
                add(&mut beside.zeros, &self.sums[*zero], 1);
            }
        }
        beside
    }
}

/// Adds a sum so many times to another.
fn add(sum: &mut Terms, other: &Terms, times: i64) {
    other.iter().for_each(|(cell, by)| *sum.entry(*cell).or_default() += by * times);
}

impl Family {
    /// Adds the combinations of at most `few` people that follow from all that may be shown of the tables of a unit.
    pub(super) fn add_combinations(&mut self, unit: &Unit, few: i64, people: &People) -> Result<()> {
        if !self.system.counts || unit.shapes.len() < 2 || !(unit.has_conditions() || people.have_earlier()) {
            return Ok(());
        }
        let Some(asked) = self.asked(unit) else {
            if unit.has_conditions() {
                self.is_not_searched(unit);
            }
            return Ok(());
        };
        let axes = &asked.axes;
        if axes.len() < 2 {
            return Ok(());
        }
        let rules = unit.excluded(axes);
        let count: usize = axes.iter().map(|axis| axis.count).product();
        let after = |axis: usize| axes[axis + 1..].iter().map(|axis| axis.count).product::<usize>();
        let can_be = |atom: usize| {
            let place = |axis: usize| (atom / after(axis) % axes[axis].count) as u32;
            !rules.iter().any(|rule| rule.has(&place))
        };
        let possible: Vec<bool> = (0..count).map(can_be).collect();
        let (mut found, mut work) = (Vec::new(), 0);
        for slice in self.slices(unit, axes).into_values() {
            let tables: BTreeSet<usize> =
                slice.iter().flat_map(|of| self.places.tables[of.cell as usize].clone()).collect();
            if tables.len() < 2 {
                continue;
            }
            work += asked.size;
            if work > MOST_WORK {
                self.is_not_searched(unit);
                break;
            }
            match self.search(&slice, possible.clone(), &asked, few) {
                Some(own) => found.extend(own),
                None => self.is_not_searched(unit),
            }
        }
        found.into_iter().try_for_each(|combination| self.add_combination(combination, people))
    }

    fn is_not_searched(&mut self, unit: &Unit) {
        let tables: Vec<usize> = unit.shapes.iter().map(|shape| self.tables[shape.place]).collect();
        if !self.not_searched.contains(&tables) {
            self.not_searched.push(tables);
        }
    }

    /// The combinations that are asked about; none where they are too many, or have too many atoms.
    fn asked(&self, unit: &Unit) -> Option<Asked> {
        let axes = |variables: &BTreeSet<u32>| -> Vec<Axis> {
            let single = variables.iter().filter(|variable| self.places.adds_up(**variable));
            let known = single.filter_map(|variable| Some((variable, unit.parts.get(variable)?)));
            let view = |parts: &Parts| View { nodes: parts.nodes().collect(), columns: false };
            known.map(|(variable, parts)| Axis::new(*variable, parts, view(parts))).collect()
        };
        let all = Asked::new(unit, axes(&unit.parts.keys().copied().collect()), MOST_TOGETHER);
        all.or_else(|| Asked::new(unit, axes(&unit.read_by_conditions()), MOST_ATOMS))
    }

    /// The published cells by what they show of the variables that are not searched.
    fn slices(&self, unit: &Unit, axes: &[Axis]) -> BTreeMap<Key, Vec<SliceCell>> {
        let mut slices: BTreeMap<Key, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        for shape in &unit.shapes {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                let (mut rest, mut places) = (Key::new(), vec![None::<Vec<u32>>; axes.len()]);
                for (variable, node) in shape.entries(&shape.nodes(at)) {
                    let Some(axis) = axes.iter().position(|axis| axis.variable == variable) else {
                        rest.push((variable, node));
                        continue;
                    };
                    let own = axes[axis].places(unit.parts[&variable].node(node));
                    places[axis] = Some(match places[axis].take() {
                        None => own,
                        Some(before) => before.into_iter().filter(|place| own.contains(place)).collect(),
                    });
                }
                rest.sort_unstable();
                slices.entry(rest).or_default().entry(*cell).or_insert_with(|| atoms(axes, &places));
            }
        }
        let cell = |(cell, atoms): (u32, Vec<usize>)| {
            let status = self.system.cells[cell as usize].status;
            SliceCell { cell, atoms, is_shown: !matches!(status, Status::Unsafe | Status::Hidden) }
        };
        slices.into_iter().map(|(rest, cells)| (rest, cells.into_iter().map(cell).collect())).collect()
    }

    /// The combinations that follow in a slice; none where it is too large.
    fn search(&self, slice: &[SliceCell], mut possible: Vec<bool>, asked: &Asked, few: i64) -> Option<Vec<Found>> {
        let mut shown: Vec<&SliceCell> = slice.iter().filter(|of| of.is_shown).collect();
        // Arithmetic by large cells reads best.
        shown.sort_by_key(|of| (std::cmp::Reverse(of.atoms.len()), of.cell));
        let mut zeros = Zeros::default();
        for of in shown.iter().filter(|of| self.value(of.cell) == 0) {
            zeros.add(Terms::from([(of.cell, 1)]), &of.atoms, &mut possible);
        }
        loop {
            let columns = Columns::new(slice, &possible);
            if columns.sizes.len() > MOST_COLUMNS {
                return None;
            }
            let rows: Vec<BTreeSet<usize>> = shown.iter().map(|of| columns.of(&of.atoms)).collect();
            let space = RowSpace::new(columns.sizes.len(), &rows);
            let mut counts = vec![0; columns.sizes.len()];
            // A hidden cell that has only some atoms of a column is no combination of columns.
            let cells = slice.iter().filter_map(|of| columns.whole(&of.atoms, &mut counts));
            let mut seen: BTreeSet<BTreeSet<usize>> = cells.collect();
            seen.insert(BTreeSet::new());
            let (mut found, mut empty) = (Vec::new(), Vec::new());
            for atoms in asked.atoms() {
                let own = columns.whole(&atoms, &mut counts);
                let Some(own) = own.filter(|own| seen.insert(own.clone())) else { continue };
                let Some((cells, divisor)) = space.express(&own, &rows) else { continue };
                let taken: Vec<(&SliceCell, i64)> = cells.iter().map(|(row, by)| (shown[*row], *by)).collect();
                let people = taken.iter().map(|(of, by)| self.value(of.cell) * by).sum::<i64>() / divisor;
                if people > few {
                    continue;
                }
                let beside = zeros.beside(&taken, &atoms, divisor);
                let cells: Vec<(u32, i64)> = taken.iter().map(|(of, by)| (of.cell, *by)).collect();
                if !beside.is_small() {
                    return None;
                }
                if people > 0 {
                    found.push(Found { columns: own, people, combination: Combination { cells, divisor }, beside });
                } else {
                    let mut sum = Terms::from_iter(cells);
                    add(&mut sum, &beside.zeros, -beside.least);
                    empty.push((sum, atoms));
                }
            }
            if !empty.is_empty() {
                empty.into_iter().for_each(|(sum, atoms)| zeros.add(sum, &atoms, &mut possible));
                continue;
            }
            found.retain(|one| !self.is_known_otherwise(one, &shown, &rows, columns.sizes.len()));
            return Some(found);
        }
    }

    /// Whether a combination follows from one table, or is found already as what a cell has beside one inside it.
    fn is_known_otherwise(&self, one: &Found, shown: &[&SliceCell], rows: &[BTreeSet<usize>], columns: usize) -> bool {
        // What no block tells both cells of is no difference yet.
        let is_known = |pair: [u32; 2]| {
            self.differences.iter().any(|other| other.between == Some(pair) || other.also.contains(&pair))
        };
        let is_difference = |(whole, columns): (&&SliceCell, &BTreeSet<usize>)| {
            let left: BTreeSet<usize> = columns.difference(&one.columns).copied().collect();
            one.columns.is_subset(columns)
                && shown.iter().zip(rows).any(|(inside, own)| *own == left && is_known([whole.cell, inside.cell]))
        };
        let tables: BTreeSet<usize> =
            shown.iter().flat_map(|of| self.places.tables[of.cell as usize].clone()).collect();
        shown.iter().zip(rows).any(is_difference)
            || tables.into_iter().any(|table| {
                let own = shown.iter().zip(rows);
                let own = own.filter(|(of, _)| self.places.tables[of.cell as usize].contains(&table));
                let own: Vec<BTreeSet<usize>> = own.map(|(_, row)| row.clone()).collect();
                RowSpace::new(columns, &own).express(&one.columns, &own).is_some()
            })
    }

    fn add_combination(&mut self, found: Found, people: &People) -> Result<()> {
        let Found { people: count, combination, beside, .. } = found;
        let Combination { cells, divisor } = &combination;
        let cell = self.add_unpublished(count);
        // The cells are the combination and what they have beside it.
        let mut sum: Terms = cells.iter().copied().chain([(cell, -divisor)]).collect();
        let range = beside.most - beside.least;
        if range > 0 {
            add(&mut sum, &beside.zeros, -beside.least);
            let [above, below] = [self.add_unpublished(0), self.add_unpublished(0)];
            sum.insert(above, -1);
            let mut all = Terms::from([(above, -1), (below, -1)]);
            add(&mut all, &beside.zeros, range);
            self.add_sum(all)?;
        }
        self.add_sum(sum)?;
        let sum = || -> Option<i64> {
            let all = cells.iter().map(|(cell, by)| Some(people.sum(*cell)? * by)).sum::<Option<i64>>()?;
            Some(all / divisor)
        };
        let record = (count == 1).then(|| people.record(cells[0].0, sum())).flatten();
        let left_by = cells.iter().map(|(cell, _)| *cell).chain(beside.zeros.into_keys()).collect::<BTreeSet<u32>>();
        let left_by = vec![left_by.into_iter().collect()];
        let combination = Some(combination);
        self.differences.push(Difference {
            cell,
            people: count,
            between: None,
            also: Vec::new(),
            left_by,
            record,
            combination,
        });
        Ok(())
    }

    /// Adds that a sum of cells is nothing.
    fn add_sum(&mut self, sum: Terms) -> Result<()> {
        let small = |by: i64| i32::try_from(by).unwrap_or_default();
        self.system.add(0, sum.into_iter().filter(|(_, by)| *by != 0).map(|(cell, by)| (cell, small(by))))
    }
}

/// Atoms that can hold somebody, put together where they stand in the same cells.
struct Columns {
    /// For each atom its column.
    of_atom: Vec<Option<usize>>,
    /// How many atoms each column has.
    sizes: Vec<usize>,
}

impl Columns {
    fn new(slice: &[SliceCell], possible: &[bool]) -> Self {
        let mut cells: Vec<Vec<u32>> = vec![Vec::new(); possible.len()];
        for of in slice.iter().filter(|of| of.is_shown) {
            of.atoms.iter().for_each(|atom| cells[*atom].push(of.cell));
        }
        let mut numbers: BTreeMap<&Vec<u32>, usize> = BTreeMap::new();
        let mut sizes = Vec::new();
        let column = |(cells, possible): (_, &bool)| -> Option<usize> {
            if !possible {
                return None;
            }
            let next = numbers.len();
            let column = *numbers.entry(cells).or_insert(next);
            if column == sizes.len() {
                sizes.push(0);
            }
            sizes[column] += 1;
            Some(column)
        };
        let of_atom = cells.iter().zip(possible).map(column).collect();
        Self { of_atom, sizes }
    }

    /// The columns of some atoms.
    fn of(&self, atoms: &[usize]) -> BTreeSet<usize> {
        atoms.iter().filter_map(|atom| self.of_atom[*atom]).collect()
    }

    /// The columns of some atoms, where these are all that the columns have. `counts` is room to count in, all zero.
    fn whole(&self, atoms: &[usize], counts: &mut [usize]) -> Option<BTreeSet<usize>> {
        let columns = || atoms.iter().filter_map(|atom| self.of_atom[*atom]);
        columns().for_each(|column| counts[column] += 1);
        let is_whole = columns().all(|column| counts[column] == self.sizes[column]);
        columns().for_each(|column| counts[column] = 0);
        is_whole.then(|| columns().collect())
    }
}

/// The numbers of all combinations of some places of each axis; all of an axis where nothing is said of it.
fn atoms(axes: &[Axis], places: &[Option<Vec<u32>>]) -> Vec<usize> {
    let mut all = vec![0];
    for (axis, places) in axes.iter().zip(places) {
        let each: Vec<usize> = match places {
            Some(places) => places.iter().map(|place| *place as usize).collect(),
            None => (0..axis.count).collect(),
        };
        all = all.iter().flat_map(|before| each.iter().map(move |place| before * axis.count + place)).collect();
    }
    all
}

/// The combinations that are asked about: of each variable everyone, a place, a node or those outside it, and of the kinds of records also what two
/// conditions have in common.
struct Asked {
    axes: Vec<Axis>,
    /// For each axis the places that a combination can have; none where it has all.
    options: Vec<Vec<Option<Vec<u32>>>>,
    /// How many atoms all of them have, as a measure of the work.
    size: usize,
}

impl Asked {
    fn new(unit: &Unit, axes: Vec<Axis>, most_atoms: usize) -> Option<Self> {
        let atoms = axes.iter().try_fold(1usize, |atoms, axis| atoms.checked_mul(axis.count));
        atoms.filter(|atoms| *atoms <= most_atoms)?;
        let options: Vec<_> = axes.iter().map(|axis| options(unit, axis)).collect();
        let count = options.iter().try_fold(1usize, |count, own| count.checked_mul(own.len()));
        count.filter(|count| *count <= MOST_COMBINATIONS)?;
        let places = |own: &Option<Vec<u32>>, axis: &Axis| own.as_ref().map_or(axis.count, Vec::len);
        let each = options.iter().zip(&axes).map(|(own, axis)| own.iter().map(|own| places(own, axis)).sum::<usize>());
        // To begin with a combination takes as long as some atoms.
        let size = each
            .fold(1usize, usize::saturating_mul)
            .saturating_add(20 * options.iter().map(Vec::len).product::<usize>());
        Some(Self { axes, options, size })
    }

    /// The atoms of each combination.
    fn atoms(&self) -> impl Iterator<Item = Vec<usize>> {
        let count: usize = self.options.iter().map(Vec::len).product();
        (0..count).map(|mut number| {
            let mut places = Vec::with_capacity(self.axes.len());
            for own in &self.options {
                places.push(own[number % own.len()].clone());
                number /= own.len();
            }
            atoms(&self.axes, &places)
        })
    }
}

fn options(unit: &Unit, axis: &Axis) -> Vec<Option<Vec<u32>>> {
    let parts = &unit.parts[&axis.variable];
    let mut own: BTreeSet<Vec<u32>> = (0..axis.count as u32).map(|place| vec![place]).collect();
    let others = |places: &Vec<u32>| (0..axis.count as u32).filter(|place| !places.contains(place)).collect();
    let nodes: Vec<Vec<u32>> = axis.view.nodes.iter().map(|node| axis.places(parts.node(*node))).collect();
    let sides: BTreeSet<Vec<u32>> = nodes.iter().cloned().chain(nodes.iter().map(others)).collect();
    if unit.tells_kinds(axis.variable) {
        let common = |one: &Vec<u32>, other: &Vec<u32>| -> Vec<u32> {
            one.iter().copied().filter(|place| other.contains(place)).collect()
        };
        own.extend(sides.iter().flat_map(|one| sides.iter().map(move |other| common(one, other))));
    }
    own.extend(sides);
    own.retain(|places| !places.is_empty() && places.len() < axis.count);
    own.into_iter().map(Some).chain([None]).collect()
}
