//! An integer basis of the kernel of the equations: every deviation that the published cells allow is a combination of its
//! vectors.
//!
//! At first nothing but frozen cells is published, and each inner cell has a vector with all its totals. Publishing a cell
//! removes one vector, and multiples of it are subtracted from the others so that none moves the cell (Gauss elimination).

use std::collections::BTreeMap;

use crate::suppress::incidence::Incidence;

/// A deviation: cells and how they move, by cell.
pub(super) type Vector = Vec<(u32, i64)>;

/// Coefficients of this size count as overflow.
const OVERFLOW: i64 = 1 << 40;

/// The basis.
pub(super) struct KernelBasis {
    /// The vectors; a removed one is empty.
    vectors: Vec<Vector>,
    /// For each cell the vectors that move it.
    through: Vec<Vec<u32>>,
    /// Terms visited, the measure of work.
    pub(super) work: u64,
}

impl KernelBasis {
    /// The basis if only frozen cells are published. `None` if that takes more than `most` work or an equation has no cell with
    /// coefficient 1 or −1.
    pub(super) fn new(incidence: &Incidence<'_>, most: u64) -> Option<Self> {
        let count = incidence.system.cells.len();
        let mut solved = SolvedEquations { sums: vec![None; count], users: vec![Vec::new(); count], work: 0 };
        let size = |equation: &usize| {
            let cells = incidence.system.terms(*equation).iter().map(|(cell, _)| value(incidence, *cell));
            cells.max().unwrap_or_default()
        };
        // Parts come before their sums.
        let mut order: Vec<usize> = (0..incidence.system.equations()).collect();
        order.sort_by_cached_key(|equation| (size(equation), *equation));
        for equation in order {
            solved.add(incidence, equation)?;
            if solved.work > most {
                return None;
            }
        }
        let mut kernel = Self { vectors: Vec::new(), through: vec![Vec::new(); count], work: solved.work };
        let mut place = vec![u32::MAX; count];
        for cell in (0..count as u32).filter(|cell| incidence.moves(*cell) && solved.sums[*cell as usize].is_none()) {
            place[cell as usize] = kernel.vectors.len() as u32;
            kernel.vectors.push(vec![(cell, 1)]);
        }
        for (cell, sum) in (0..).zip(&solved.sums) {
            for (part, by) in sum.iter().flatten() {
                kernel.vectors[place[*part as usize] as usize].push((cell, *by));
            }
        }
        kernel.vectors.iter_mut().for_each(|vector| vector.sort_unstable());
        for (number, vector) in (0..).zip(&kernel.vectors) {
            vector.iter().for_each(|(cell, _)| kernel.through[*cell as usize].push(number));
        }
        Some(kernel)
    }

    /// The vectors that move a cell, the shortest first.
    pub(super) fn through(&self, cell: u32) -> Vec<u32> {
        let mut numbers = self.through[cell as usize].clone();
        numbers.sort_unstable_by_key(|number| (self.vectors[*number as usize].len(), *number));
        numbers
    }

    /// How many vectors move a cell.
    pub(super) fn count(&self, cell: u32) -> usize {
        self.through[cell as usize].len()
    }

    pub(super) fn vector(&self, number: u32) -> &[(u32, i64)] {
        &self.vectors[number as usize]
    }

    /// Whether `cell` determines a cell that `wanted` names: the two always move in proportion.
    pub(super) fn determines(&mut self, cell: u32, wanted: impl Fn(u32) -> bool) -> bool {
        let through = &self.through[cell as usize];
        let Some(shortest) = through.iter().min_by_key(|number| self.vectors[**number as usize].len()) else {
            return false;
        };
        let others = self.vectors[*shortest as usize].iter().map(|(other, _)| *other);
        let same = |other: &u32| wanted(*other) && self.through[*other as usize].len() == through.len();
        let twins: Vec<u32> = others.filter(same).collect();
        self.work += (twins.len() * through.len()) as u64;
        twins.into_iter().any(|other| {
            let both = |number: &u32| {
                let vector = &self.vectors[*number as usize];
                (component_of(vector, cell), component_of(vector, other))
            };
            let mut pairs = through.iter().map(both);
            pairs.next().is_some_and(|first| pairs.all(|pair| proportional(first, pair)))
        })
    }

    /// Publishes a cell. `None` after an overflow.
    pub(super) fn publish(&mut self, cell: u32) -> Option<()> {
        let key = |number: &&u32| {
            let vector = &self.vectors[**number as usize];
            (component_of(vector, cell).abs(), vector.len(), **number)
        };
        let Some(pivot) = self.through[cell as usize].iter().min_by_key(key).copied() else { return Some(()) };
        let gone = std::mem::take(&mut self.vectors[pivot as usize]);
        gone.iter().for_each(|(other, _)| remove_number(&mut self.through[*other as usize], pivot));
        for number in std::mem::take(&mut self.through[cell as usize]) {
            let old = std::mem::take(&mut self.vectors[number as usize]);
            let new = eliminate_cell(&old, &gone, cell, |_, _| true)?;
            self.work += (old.len() + gone.len()) as u64;
            self.index_vector(number, &old, &new, cell);
            self.vectors[number as usize] = new;
        }
        Some(())
    }

    /// Updates the index for a changed vector, except for the cell `but`, which no vector moves.
    fn index_vector(&mut self, number: u32, old: &[(u32, i64)], new: &[(u32, i64)], but: u32) {
        let mut before = old.iter().map(|(cell, _)| *cell).peekable();
        for (cell, _) in new {
            while let Some(lost) = before.next_if(|lost| lost < cell) {
                if lost != but {
                    remove_number(&mut self.through[lost as usize], number);
                }
            }
            if before.next_if_eq(cell).is_none() {
                self.through[*cell as usize].push(number);
            }
        }
        before.filter(|lost| *lost != but).for_each(|lost| remove_number(&mut self.through[lost as usize], number));
    }
}

/// Removes a number from an unordered list.
pub(super) fn remove_number(numbers: &mut Vec<u32>, number: u32) {
    if let Some(at) = numbers.iter().position(|other| *other == number) {
        numbers.swap_remove(at);
    }
}

/// By how much a vector moves a cell.
pub(super) fn component_of(vector: &[(u32, i64)], cell: u32) -> i64 {
    vector.binary_search_by_key(&cell, |(other, _)| *other).map_or(0, |at| vector[at].1)
}

fn proportional(one: (i64, i64), other: (i64, i64)) -> bool {
    i128::from(one.0) * i128::from(other.1) == i128::from(one.1) * i128::from(other.0)
}

/// Subtracts a multiple of another vector so that `cell`, which both move, is no longer moved. `None` after an overflow, or if
/// `fits` refuses a move.
pub(super) fn eliminate_cell(
    vector: &[(u32, i64)],
    other: &[(u32, i64)],
    cell: u32,
    fits: impl Fn(u32, i64) -> bool,
) -> Option<Vector> {
    let (own, its) = (component_of(vector, cell), component_of(other, cell));
    let common = gcd(own, its).max(1);
    let (times, less) = (its / common, own / common);
    let mut sum = Vec::with_capacity(vector.len() + other.len());
    let mut others = other.iter().peekable();
    let mut put = |cell: u32, by: i64| {
        if by != 0 {
            sum.push((cell, by));
        }
        (by.abs() < OVERFLOW && fits(cell, by)).then_some(())
    };
    for (cell, by) in vector {
        while let Some((before, by)) = others.next_if(|(before, _)| before < cell) {
            put(*before, -less.checked_mul(*by)?)?;
        }
        let same = others.next_if(|(same, _)| same == cell).map_or(0, |(_, by)| *by);
        put(*cell, times.checked_mul(*by)?.checked_sub(less.checked_mul(same)?)?)?;
    }
    for (after, by) in others {
        put(*after, -less.checked_mul(*by)?)?;
    }
    divide_by_gcd(&mut sum);
    Some(sum)
}

/// Divides a vector by the greatest common divisor of its numbers.
fn divide_by_gcd(vector: &mut Vector) {
    let mut common = 0;
    for (_, by) in vector.iter() {
        common = gcd(common, *by);
        if common == 1 {
            return;
        }
    }
    vector.iter_mut().for_each(|(_, by)| *by /= common.max(1));
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn value(incidence: &Incidence<'_>, cell: u32) -> i64 {
    incidence.system.cells[cell as usize].value.saturating_abs()
}

/// The equations solved one by one, each for its largest cell.
struct SolvedEquations {
    /// The sum that a cell equals, if an equation was solved for it.
    sums: Vec<Option<Vector>>,
    /// The cells whose sums contain each cell.
    users: Vec<Vec<u32>>,
    work: u64,
}

impl SolvedEquations {
    fn add(&mut self, incidence: &Incidence<'_>, equation: usize) -> Option<()> {
        let mut sum = BTreeMap::new();
        for (cell, by) in incidence.system.terms(equation).iter().filter(|(cell, _)| incidence.moves(*cell)) {
            let own = [(*cell, 1)];
            let parts = self.sums[*cell as usize].as_deref().unwrap_or(&own);
            self.work += parts.len() as u64;
            for (part, times) in parts {
                add(&mut sum, *part, times.checked_mul(i64::from(*by))?)?;
            }
        }
        if sum.is_empty() {
            return Some(());
        }
        let once = sum.iter().filter(|(_, by)| by.abs() == 1);
        let (&cell, &by) = once.max_by_key(|(cell, _)| (value(incidence, **cell), **cell))?;
        sum.remove(&cell);
        let parts: Vector = sum.into_iter().map(|(part, own)| (part, -own * by)).collect();
        for user in std::mem::take(&mut self.users[cell as usize]) {
            let mut sum: BTreeMap<u32, i64> = self.sums[user as usize].take()?.into_iter().collect();
            // A user may be listed twice.
            let times = sum.remove(&cell).unwrap_or_default();
            for (part, by) in parts.iter().filter(|_| times != 0) {
                self.users[*part as usize].push(user);
                add(&mut sum, *part, by.checked_mul(times)?)?;
            }
            self.work += sum.len() as u64;
            self.sums[user as usize] = Some(sum.into_iter().collect());
        }
        parts.iter().for_each(|(part, _)| self.users[*part as usize].push(cell));
        self.sums[cell as usize] = Some(parts);
        Some(())
    }
}

/// Adds to a sum. `None` after an overflow.
fn add(sum: &mut BTreeMap<u32, i64>, cell: u32, by: i64) -> Option<()> {
    let own = sum.entry(cell).or_default();
    *own = own.checked_add(by).filter(|own| own.abs() < OVERFLOW)?;
    if *own == 0 {
        sum.remove(&cell);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::suppress::Cost;
    use outward_audit::{Cell, System};

    /// Two rows, two columns and their totals: 0 1 2 / 3 4 5 / 6 7 8.
    fn square() -> System {
        let values = [3, 1, 4, 2, 5, 7, 5, 6, 11];
        let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
        for at in 0..3 {
            system.add_total(3 * at + 2, &[3 * at, 3 * at + 1]).unwrap();
            system.add_total(6 + at, &[at, 3 + at]).unwrap();
        }
        system
    }

    #[test]
    fn an_inner_cell_moves_with_its_totals() {
        let system = square();
        let kernel = KernelBasis::new(&Incidence::new(&system, Cost::ByOne), u64::MAX).unwrap();
        let vectors: Vec<&[(u32, i64)]> = (0..4).map(|number| kernel.vector(number)).collect();
        assert_eq!(vectors[0], [(0, 1), (2, 1), (6, 1), (8, 1)]);
        assert_eq!(vectors[3], [(4, 1), (5, 1), (7, 1), (8, 1)]);
        assert_eq!(kernel.count(8), 4);
    }

    #[test]
    fn with_all_totals_published_only_the_square_is_left() {
        let system = square();
        let mut kernel = KernelBasis::new(&Incidence::new(&system, Cost::ByOne), u64::MAX).unwrap();
        for total in [8, 7, 6, 5, 2] {
            assert!(!kernel.determines(total, |cell| cell == 1));
            kernel.publish(total).unwrap();
        }
        let left = kernel.vector(kernel.through(1)[0]);
        assert_eq!(
            left.iter().map(|(cell, by)| (*cell, by * left[0].1)).collect::<Vec<_>>(),
            [(0, 1), (1, -1), (3, -1), (4, 1)]
        );
        assert!(kernel.determines(4, |cell| cell == 1), "the last corner but one gives the others away");
    }
}
