//! Combinations that nobody publishes, and that follow from three figures or more (P3): those who meet both of two conditions, from those who meet one,
//! those who meet the other, and those who meet either.
//!
//! The search uses the atoms of few variables: conditions with what they read or, if there are few atoms in all, every variable. Atoms
//! that stand in the same cells are one *column*, and those in a cell that shows zero are none. A cell is a row of zeros and ones. A combination
//! (some places of each variable) follows from sums and differences exactly if its row is in the row space. What follows to be zero takes columns
//! away, and the search goes on. Combinations and all cells that agree with them in the other variables are then sums of the same columns, zeros
//! included, as a zero may be hidden later.

mod contributors;

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::Family;
use super::axis::{Axis, View};
use super::differences::{Combination, Difference, People};
use super::parts::Parts;
use super::places::Key;
use super::row_space::{RowSpace, Taken};
use super::unit::Unit;
use contributors::RecordContributors;
use outward_audit::{Status, find_integer_solution};

/// All variables of a unit are searched together where they have no more atoms than this.
const MOST_TOGETHER: usize = 1_000;

/// Conditions and what they read are not searched beyond so many atoms, columns and combinations.
const MOST_ATOMS: usize = 20_000;
const MOST_COLUMNS: usize = 400;
const MOST_COMBINATIONS: usize = 20_000;

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

/// Says how many people are in some atoms, given the cells that express them.
type CountPeople<'a> = dyn Fn(&[usize], &Combination) -> Option<i64> + 'a;

/// A combination that follows.
struct Found {
    atoms: Vec<usize>,
    people: i64,
    value: i64,
    combination: Combination,
    /// The cells that show, or from which it follows, that other atoms hold nobody.
    zeros: BTreeSet<u32>,
}

/// The atoms that can hold nobody because a zero is shown, or follows.
#[derive(Default)]
struct Zeros {
    /// Each by the cells that show it, or from which it follows.
    cells: Vec<BTreeSet<u32>>,
    of_atom: BTreeMap<usize, usize>,
}

impl Zeros {
    /// Takes away the atoms of a zero that are left.
    fn add(&mut self, cells: BTreeSet<u32>, atoms: &[usize], possible: &mut [bool]) {
        for atom in atoms.iter().filter(|atom| possible[**atom]) {
            self.of_atom.insert(*atom, self.cells.len());
        }
        atoms.iter().for_each(|atom| possible[*atom] = false);
        self.cells.push(cells);
    }

    /// The cells of all zeros that cells have beside some atoms, all of which are taken `divisor` times.
    fn beside(&self, cells: &[(&SliceCell, i64)], atoms: &[usize], divisor: i64) -> BTreeSet<u32> {
        let mut left: BTreeMap<usize, i64> = BTreeMap::new();
        let taken = cells.iter().flat_map(|(of, by)| of.atoms.iter().map(move |atom| (*atom, *by)));
        for (atom, by) in taken.chain(atoms.iter().map(|atom| (*atom, -divisor))) {
            *left.entry(atom).or_default() += by;
        }
        let used = left.iter().filter(|(_, by)| **by != 0).filter_map(|(atom, _)| self.of_atom.get(atom));
        used.flat_map(|zero| self.cells[*zero].iter().copied()).collect()
    }
}

impl Family {
    /// Adds the combinations of at most `few` people that follow from all that may be shown of the tables of a unit.
    pub(super) fn add_combinations(&mut self, unit: &Unit, few: i64, people: &People) -> Result<()> {
        if unit.shapes.len() < 2 || !(unit.has_conditions() || people.have_earlier()) {
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
        let (mut slices, mut work) = (Vec::new(), 0);
        let contributors = if people.are_contributors() { RecordContributors::new(unit) } else { None };
        for (rest, slice) in self.slices(unit, axes) {
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
            let contributors = contributors.as_ref().filter(|_| self.are_sets(&rest));
            let contributors = contributors.and_then(|of| of.of_slice(unit, axes, &rest, few));
            let count = |atoms: &[usize], combination: &Combination| match &contributors {
                Some(contributors) => Some(contributors.count(atoms)),
                None => self.people_in(combination, few, people),
            };
            match self.search(&slice, &possible, &asked, (few, &count)) {
                Some(found) if found.is_empty() => {}
                Some(found) => slices.push((rest, slice, found)),
                None => self.is_not_searched(unit),
            }
        }
        for (rest, slice, found) in slices {
            let counts = if self.are_sets(&rest) { unit.counted(axes, &[rest]) } else { None };
            if !self.add_found(&slice, &possible, found, counts.as_deref(), people)? {
                self.is_not_searched(unit);
            }
        }
        Ok(())
    }

    /// Whether all nodes of a key are sets of values, and not of pairs.
    fn are_sets(&self, key: &Key) -> bool {
        key.iter().all(|(_, node)| (*node as usize) < self.places.sets.len())
    }

    /// Adds the combinations of a slice, and how cells and combinations are sums of the same columns. `counts` has the
    /// count of each atom, if records give it. Returns false if no counts are found that fit.
    fn add_found(
        &mut self,
        slice: &[SliceCell],
        possible: &[bool],
        found: Vec<Found>,
        counts: Option<&[i64]>,
        people: &People,
    ) -> Result<bool> {
        // What is hidden, or is zero, may be shown or hidden otherwise in the end: so here it is a cell like others.
        let all: Vec<&[usize]> =
            slice.iter().map(|of| &of.atoms[..]).chain(found.iter().map(|one| &one.atoms[..])).collect();
        let columns = Columns::new(all.iter().copied(), possible);
        let sums: Vec<BTreeSet<usize>> = all.iter().map(|atoms| columns.columns_of(atoms)).collect();
        let totals = || slice.iter().map(|of| self.value(of.cell)).chain(found.iter().map(|one| one.value));
        let fits = |values: &Vec<i64>| {
            let sum = |own: &BTreeSet<usize>| own.iter().map(|column| values[*column]).sum::<i64>();
            sums.iter().map(sum).eq(totals())
        };
        let mut values = counts.map(|counts| columns.counts(counts)).filter(&fits);
        if values.is_none() {
            let terms = |own: &BTreeSet<usize>| own.iter().map(|column| (*column as u32, 1)).collect();
            let equations: Vec<(i64, Vec<(u32, i32)>)> = totals().zip(sums.iter().map(terms)).collect();
            values = find_integer_solution(&vec![None; columns.sizes.len()], &equations)?.filter(&fits);
        }
        let Some(values) = values else { return Ok(false) };
        let values: Vec<u32> = values.into_iter().map(|value| self.add_unpublished(value)).collect();
        let mut cells: Vec<u32> = slice.iter().map(|of| of.cell).collect();
        for one in found {
            cells.push(self.add_combination(one, people));
        }
        for (cell, own) in cells.into_iter().zip(sums) {
            self.system.add(0, own.iter().map(|column| (values[*column], 1)).chain([(cell, -1)]))?;
        }
        Ok(true)
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

    /// How many people are in a combination; `None` if there are more than `few` contributors to it.
    fn people_in(&self, Combination { cells, divisor }: &Combination, few: i64, people: &People) -> Option<i64> {
        if people.are_contributors() {
            return Some(people.contributors_to(cells, *divisor, few)?.len() as i64);
        }
        Some(cells.iter().map(|(cell, by)| self.places.people[*cell as usize] * by).sum::<i64>() / divisor)
    }

    /// The combinations that follow in a slice; none where it is too large. `count` says how many people are in some
    /// atoms.
    fn search(
        &self,
        slice: &[SliceCell],
        all_possible: &[bool],
        asked: &Asked,
        (few, count): (i64, &CountPeople<'_>),
    ) -> Option<Vec<Found>> {
        let mut possible = all_possible.to_vec();
        let mut shown: Vec<&SliceCell> = slice.iter().filter(|of| of.is_shown).collect();
        // Arithmetic by large cells reads best.
        shown.sort_by_key(|of| (std::cmp::Reverse(of.atoms.len()), of.cell));
        let mut zeros = Zeros::default();
        for of in shown.iter().filter(|of| self.value(of.cell) == 0) {
            zeros.add(BTreeSet::from([of.cell]), &of.atoms, &mut possible);
        }
        // Zeros that follow may no longer follow once cells are hidden. So combinations that differ by them are
        // different.
        let with_zeros = possible.clone();
        let differing =
            |atoms: &[usize]| -> Vec<usize> { atoms.iter().copied().filter(|atom| with_zeros[*atom]).collect() };
        let cells: BTreeSet<Vec<usize>> = slice.iter().map(|of| differing(&of.atoms)).collect();
        loop {
            let columns = Columns::new(shown.iter().map(|of| &of.atoms[..]), &possible);
            if columns.sizes.len() > MOST_COLUMNS {
                return None;
            }
            let rows: Vec<BTreeSet<usize>> = shown.iter().map(|of| columns.columns_of(&of.atoms)).collect();
            let space = RowSpace::new(columns.sizes.len(), &rows);
            let mut counts = vec![0; columns.sizes.len()];
            let mut seen = cells.clone();
            let mut expressed: BTreeMap<BTreeSet<usize>, Option<(Taken, i64)>> = BTreeMap::new();
            let (mut found, mut empty) = (Vec::new(), Vec::new());
            for atoms in asked.atoms() {
                // A cell that has only some atoms of a column is no combination of columns.
                let own = columns.whole(&atoms, &mut counts);
                let Some(own) = own.filter(|own| !own.is_empty() && seen.insert(differing(&atoms))) else { continue };
                let known = expressed.contains_key(&own);
                let expressed = expressed.entry(own.clone()).or_insert_with(|| space.express(&own, &rows));
                let Some((cells, divisor)) = expressed else { continue };
                let taken: Vec<(&SliceCell, i64)> = cells.iter().map(|(row, by)| (shown[*row], *by)).collect();
                let value =
                    taken.iter().map(|(of, by)| i128::from(self.value(of.cell)) * i128::from(*by)).sum::<i128>();
                let Ok(value) = i64::try_from(value / i128::from(*divisor)) else { continue };
                let cells = taken.iter().map(|(of, by)| (of.cell, *by)).collect();
                let combination = Combination { cells, divisor: *divisor };
                let people = if self.system.counts { Some(value) } else { count(&atoms, &combination) };
                let Some(people) = people.filter(|people| *people <= few && (*people > 0 || !known)) else { continue };
                let zeros = zeros.beside(&taken, &atoms, *divisor);
                if people > 0 {
                    found.push(Found { atoms, people, value, combination, zeros });
                } else {
                    let cells = combination.cells.into_iter().map(|(cell, _)| cell);
                    empty.push((cells.chain(zeros).collect(), atoms));
                }
            }
            if !empty.is_empty() {
                empty.into_iter().for_each(|(cells, atoms)| zeros.add(cells, &atoms, &mut possible));
                continue;
            }
            let is_difference = |one: &Found| self.is_difference(&differing(&one.atoms), &shown, &differing);
            found.retain(|one| !is_difference(one));
            let tables = if found.is_empty() { Vec::new() } else { self.by_table(&shown, all_possible) };
            found.retain(|one| !tables.iter().any(|table| table.gives(&one.atoms)));
            return Some(found);
        }
    }

    /// Whether some atoms are what a cell has beside one inside it, and are found already as such. What no block tells
    /// both cells of is no difference yet.
    fn is_difference(&self, atoms: &[usize], shown: &[&SliceCell], differing: &dyn Fn(&[usize]) -> Vec<usize>) -> bool {
        let is_known = |pair: [u32; 2]| {
            self.differences.iter().any(|other| other.between == Some(pair) || other.also.contains(&pair))
        };
        let inside: BTreeMap<Vec<usize>, Vec<u32>> = shown.iter().fold(BTreeMap::new(), |mut inside, of| {
            inside.entry(differing(&of.atoms)).or_default().push(of.cell);
            inside
        });
        shown.iter().any(|whole| {
            let own = differing(&whole.atoms);
            let left: Vec<usize> = own.iter().copied().filter(|atom| atoms.binary_search(atom).is_err()).collect();
            own.len() == left.len() + atoms.len()
                && inside.get(&left).into_iter().flatten().any(|inside| is_known([whole.cell, *inside]))
        })
    }

    /// The shown cells by table. Of zeros each table knows only its own, as those of others may be hidden.
    fn by_table(&self, shown: &[&SliceCell], all_possible: &[bool]) -> Vec<OneTable> {
        let tables: BTreeSet<usize> =
            shown.iter().flat_map(|of| self.places.tables[of.cell as usize].clone()).collect();
        let of_table = |table: usize| {
            let is_own = |of: &&&SliceCell| self.places.tables[of.cell as usize].contains(&table);
            let own = || shown.iter().filter(is_own);
            let mut possible = all_possible.to_vec();
            let zeros = own().filter(|of| self.value(of.cell) == 0);
            zeros.flat_map(|of| &of.atoms).for_each(|atom| possible[*atom] = false);
            let columns = Columns::new(own().map(|of| &of.atoms[..]), &possible);
            let rows: Vec<BTreeSet<usize>> = own().map(|of| columns.columns_of(&of.atoms)).collect();
            OneTable { space: RowSpace::new(columns.sizes.len(), &rows), columns, rows }
        };
        tables.into_iter().map(of_table).collect()
    }

    /// Adds a combination as a difference. Returns its cell.
    fn add_combination(&mut self, found: Found, people: &People) -> u32 {
        let Found { people: count, value, combination, zeros, .. } = found;
        let Combination { cells, divisor } = &combination;
        let cell = self.add_unpublished(value);
        let sum = || -> Option<i64> {
            let all = cells.iter().map(|(cell, by)| Some(people.sum(*cell)? * by)).sum::<Option<i64>>()?;
            Some(all / divisor)
        };
        let record = (count == 1).then(|| people.record(cells[0].0, sum())).flatten();
        let contributors = || people.contributors_to(cells, *divisor, count);
        let contributors = people.are_contributors().then(contributors).flatten().unwrap_or_default();
        let left_by: BTreeSet<u32> = cells.iter().map(|(cell, _)| *cell).chain(zeros).collect();
        self.differences.push(Difference {
            cell,
            people: count,
            between: None,
            also: Vec::new(),
            left_by: vec![left_by.into_iter().collect()],
            record,
            contributors,
            combination: Some(combination),
        });
        cell
    }
}

/// What follows from the cells of one table in a slice.
struct OneTable {
    columns: Columns,
    rows: Vec<BTreeSet<usize>>,
    space: RowSpace,
}

impl OneTable {
    /// Whether the count of some atoms follows.
    fn gives(&self, atoms: &[usize]) -> bool {
        let own = self.columns.whole(atoms, &mut vec![0; self.columns.sizes.len()]);
        own.is_some_and(|own| self.space.express(&own, &self.rows).is_some())
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
    /// The columns of cells that are given by their atoms.
    fn new<'a>(cells_atoms: impl Iterator<Item = &'a [usize]>, possible: &[bool]) -> Self {
        let mut cells: Vec<Vec<usize>> = vec![Vec::new(); possible.len()];
        for (cell, atoms) in cells_atoms.enumerate() {
            atoms.iter().for_each(|atom| cells[*atom].push(cell));
        }
        let mut numbers: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
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
    fn columns_of(&self, atoms: &[usize]) -> BTreeSet<usize> {
        atoms.iter().filter_map(|atom| self.of_atom[*atom]).collect()
    }

    /// The count of each column, from those of atoms.
    fn counts(&self, of_atoms: &[i64]) -> Vec<i64> {
        let mut counts = vec![0; self.sizes.len()];
        for (column, count) in self.of_atom.iter().zip(of_atoms) {
            column.iter().for_each(|column| counts[*column] += count);
        }
        counts
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
