//! Combinations of values and conditions that nobody publishes and that sums and differences of shown figures leave (P3): those who meet both of two
//! conditions, from those who meet one, those who meet the other, and those who meet either.
//!
//! A cell is the sum of its atoms. Atoms in the same shown cells are one column, and those in a cell that is zero are left out. So a shown cell is a
//! row of zeros and ones with its figure beside it. Gaussian elimination brings the rows into reduced form. The count of a combination follows if
//! elimination leaves nothing of its row, and the column of figures then has that count.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{CombinationBlock, SliceCell};
use super::places::Cells;

/// A slice with more columns than this is not searched.
const MOST_COLUMNS: usize = 400;

/// No more atoms of combinations than this are looked at in all slices of a unit.
const MOST_STEPS: usize = 200_000_000;

/// The Mersenne prime 2⁶¹ − 1. Elimination is modulo this prime.
const PRIME: u64 = (1 << 61) - 1;

/// What is known of cells, by the numbers of cells and of tables.
pub(super) struct KnownCells<'a> {
    /// The figures that the reader knows.
    pub(super) figure: &'a dyn Fn(u32) -> Option<i64>,
    /// Whether a cell is hidden only to protect others.
    pub(super) is_secondary: &'a dyn Fn(u32) -> bool,
    /// Whether a table is of an earlier release.
    pub(super) is_earlier: &'a dyn Fn(usize) -> bool,
}

/// The tables from which combinations of one to `few` people follow, for each such combination. What one table leaves by itself, or earlier releases
/// without the new tables, is not among them.
pub(super) fn combinations(
    block: &CombinationBlock,
    cells: &Cells,
    known: &KnownCells<'_>,
    few: i64,
) -> Vec<BTreeSet<usize>> {
    let mut tables_of: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (table, cell) in
        cells.tables.iter().enumerate().flat_map(|(table, own)| own.iter().map(move |cell| (table, cell)))
    {
        tables_of.entry(*cell).or_default().insert(table);
    }
    let possible = block.possible(cells);
    let asked: Vec<Vec<usize>> = block.combinations();
    let size = asked.iter().map(|atoms| atoms.len() + 20).sum::<usize>();
    let (mut found, mut steps) = (Vec::new(), 0);
    for cells in block.slices(cells).into_values() {
        let tables: BTreeSet<usize> =
            cells.iter().filter_map(|of| tables_of.get(&of.cell)).flatten().copied().collect();
        steps += size;
        if tables.len() < 2 || steps > MOST_STEPS {
            continue;
        }
        let slice = Slice { cells, tables, tables_of: &tables_of, known };
        found.extend(slice.search(possible.clone(), &asked, few));
    }
    found
}

/// Cells that agree in all variables that are not searched.
struct Slice<'a> {
    cells: Vec<SliceCell>,
    tables: BTreeSet<usize>,
    tables_of: &'a BTreeMap<u32, BTreeSet<usize>>,
    known: &'a KnownCells<'a>,
}

impl Slice<'_> {
    /// The tables from which each combination of few people follows.
    fn search(&self, mut possible: Vec<bool>, asked: &[Vec<usize>], few: i64) -> Vec<BTreeSet<usize>> {
        let shown: Vec<(&SliceCell, i64)> =
            self.cells.iter().filter_map(|of| Some((of, (self.known.figure)(of.cell)?))).collect();
        let exclude = |atoms: &[usize], possible: &mut [bool]| atoms.iter().for_each(|atom| possible[*atom] = false);
        shown.iter().filter(|(_, figure)| *figure == 0).for_each(|(of, _)| exclude(&of.atoms, &mut possible));
        loop {
            let columns = Columns::new(shown.iter().map(|(of, _)| *of), &possible);
            if columns.sizes.len() > MOST_COLUMNS {
                return Vec::new();
            }
            let rows = RowSpace::new(shown.iter().map(|(of, figure)| (columns.columns_of(&of.atoms), *figure)));
            let (mut seen, mut few_people, mut nobody) = (BTreeSet::new(), Vec::new(), Vec::new());
            seen.extend(self.cells.iter().filter_map(|of| columns.whole(&of.atoms)));
            for atoms in asked {
                let own = columns.whole(atoms).filter(|own| !own.is_empty());
                let Some(own) = own.filter(|own| seen.insert(own.clone())) else { continue };
                match rows.figure(&own) {
                    Some(0) => nobody.push(atoms),
                    Some(people) if (1..=few).contains(&people) => few_people.push(atoms),
                    _ => {}
                }
            }
            if nobody.is_empty() {
                few_people.retain(|atoms| !self.is_allowed(atoms, &possible));
                return few_people.into_iter().map(|_| self.tables.clone()).collect();
            }
            nobody.into_iter().for_each(|atoms| exclude(atoms, &mut possible));
        }
    }

    /// Whether one table leaves a combination by itself, if only its unsafe cells are hidden, or earlier releases do.
    fn is_allowed(&self, atoms: &[usize], possible: &[bool]) -> bool {
        let is_left_by = |is_known: &dyn Fn(&SliceCell) -> bool| {
            let cells = || self.cells.iter().filter(|of| is_known(of));
            let columns = Columns::new(cells(), possible);
            let rows = RowSpace::new(cells().map(|of| (columns.columns_of(&of.atoms), 0)));
            columns.whole(atoms).is_some_and(|own| rows.figure(&own).is_some())
        };
        let tables = |of: &SliceCell| self.tables_of.get(&of.cell).into_iter().flatten().copied();
        let figure = |of: &SliceCell| (self.known.figure)(of.cell);
        let safe = |of: &SliceCell| figure(of).is_some() || (self.known.is_secondary)(of.cell);
        self.tables.iter().any(|table| is_left_by(&|of| safe(of) && tables(of).any(|own| own == *table)))
            || is_left_by(&|of| figure(of).is_some() && tables(of).any(|own| (self.known.is_earlier)(own)))
    }
}

/// Atoms that can hold somebody, put together where they are in the same cells.
struct Columns {
    of_atom: Vec<Option<usize>>,
    /// How many atoms each column has.
    sizes: Vec<usize>,
}

impl Columns {
    fn new<'a>(cells: impl Iterator<Item = &'a SliceCell>, possible: &[bool]) -> Self {
        let mut cells_of: Vec<Vec<usize>> = vec![Vec::new(); possible.len()];
        for (number, of) in cells.enumerate() {
            of.atoms.iter().for_each(|atom| cells_of[*atom].push(number));
        }
        let (mut numbers, mut sizes) = (BTreeMap::new(), Vec::new());
        let mut number = |cells: Vec<usize>| {
            let next = sizes.len();
            let column = *numbers.entry(cells).or_insert(next);
            if column == next {
                sizes.push(0);
            }
            sizes[column] += 1;
            column
        };
        let of_atom = cells_of.into_iter().zip(possible).map(|(cells, possible)| possible.then(|| number(cells)));
        let of_atom = of_atom.collect();
        Self { of_atom, sizes }
    }

    /// The columns of some atoms.
    fn columns_of(&self, atoms: &[usize]) -> BTreeSet<usize> {
        atoms.iter().filter_map(|atom| self.of_atom[*atom]).collect()
    }

    /// The columns of some atoms, if they are all atoms of these columns.
    fn whole(&self, atoms: &[usize]) -> Option<BTreeSet<usize>> {
        let count = atoms.iter().filter(|atom| self.of_atom[**atom].is_some()).count();
        let columns = self.columns_of(atoms);
        (columns.iter().map(|column| self.sizes[*column]).sum::<usize>() == count).then_some(columns)
    }
}

/// A sparse row: columns with their coefficients, none of which is zero, and the figure that goes with it.
#[derive(Clone, Default)]
struct Row {
    terms: BTreeMap<usize, u64>,
    figure: u64,
}

impl Row {
    fn new(columns: &BTreeSet<usize>, figure: i64) -> Self {
        let figure = if figure < 0 { PRIME - figure.unsigned_abs() % PRIME } else { figure as u64 % PRIME };
        Self { terms: columns.iter().map(|column| (*column, 1)).collect(), figure }
    }

    /// Adds another row so many times.
    fn add(&mut self, other: &Self, times: u64) {
        for (column, by) in &other.terms {
            let sum = (self.terms.get(column).copied().unwrap_or_default() + product(*by, times)) % PRIME;
            match sum {
                0 => _ = self.terms.remove(column),
                _ => _ = self.terms.insert(*column, sum),
            }
        }
        self.figure = (self.figure + product(other.figure, times)) % PRIME;
    }
}

/// Rows in reduced echelon form, by their first columns.
#[derive(Default)]
struct RowSpace {
    rows: BTreeMap<usize, Row>,
}

impl RowSpace {
    fn new(rows: impl Iterator<Item = (BTreeSet<usize>, i64)>) -> Self {
        let mut space = Self::default();
        let different: BTreeMap<BTreeSet<usize>, i64> = rows.collect();
        for (columns, figure) in different {
            let mut row = space.reduced(Row::new(&columns, figure));
            let Some((first, by)) = row.terms.first_key_value().map(|(first, by)| (*first, *by)) else { continue };
            let inverse = inverse(by);
            row.terms.values_mut().chain([&mut row.figure]).for_each(|value| *value = product(*value, inverse));
            for other in space.rows.values_mut() {
                if let Some(by) = other.terms.get(&first).copied() {
                    other.add(&row, PRIME - by);
                }
            }
            space.rows.insert(first, row);
        }
        space
    }

    /// What is left of a row if rows of the space are taken from it.
    fn reduced(&self, mut row: Row) -> Row {
        let firsts: Vec<(usize, u64)> = row.terms.iter().map(|(column, by)| (*column, *by)).collect();
        for (first, by) in firsts {
            if let Some(other) = self.rows.get(&first) {
                row.add(other, PRIME - by);
            }
        }
        row
    }

    /// The count of some columns together, if it follows.
    fn figure(&self, columns: &BTreeSet<usize>) -> Option<i64> {
        let left = self.reduced(Row::new(columns, 0));
        // The figures were taken away with the rows.
        let figure = (PRIME - left.figure) % PRIME;
        let signed = if figure > PRIME / 2 { -((PRIME - figure) as i64) } else { figure as i64 };
        left.terms.is_empty().then_some(signed)
    }
}

fn product(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

/// The inverse modulo the prime (Fermat).
fn inverse(of: u64) -> u64 {
    let (mut result, mut power, mut exponent) = (1, of, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, power);
        }
        power = product(power, power);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(rows: &[(&[usize], i64)]) -> RowSpace {
        RowSpace::new(rows.iter().map(|(columns, figure)| (columns.iter().copied().collect(), *figure)))
    }

    #[test]
    fn those_with_one_and_the_other_less_those_with_either_are_those_with_both() {
        // Columns: neither, the first alone, the second alone, both.
        let rows = [(&[1, 3][..], 20), (&[2, 3][..], 30), (&[1, 2, 3][..], 48)];
        assert_eq!(space(&rows).figure(&BTreeSet::from([3])), Some(2));
        assert_eq!(space(&rows).figure(&BTreeSet::from([1])), Some(18));
        assert_eq!(space(&rows[..2]).figure(&BTreeSet::from([3])), None);
    }

    #[test]
    fn three_sums_of_two_give_each_by_half_their_sum() {
        let rows = [(&[0, 1][..], 5), (&[1, 2][..], 9), (&[0, 2][..], 8)];
        assert_eq!([0, 1, 2].map(|column| space(&rows).figure(&BTreeSet::from([column]))), [Some(2), Some(3), Some(6)]);
    }

    #[test]
    fn a_figure_below_zero_is_told_as_such() {
        let rows = [(&[0, 1][..], 5), (&[1][..], 9)];
        assert_eq!(space(&rows).figure(&BTreeSet::from([0])), Some(-4));
    }
}
