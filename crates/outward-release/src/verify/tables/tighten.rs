//! Bounds that follow from bounds: what an equation leaves to each of its cells when all others are as small, or as large, as they can be.
//!
//! A cell of three people, of whom the certificate places three in its atoms, leaves nothing to any atom beyond them. With everyone who is counted
//! placed, most atoms are settled this way, and a table that fits is looked for among the others only.

/// Equations whose terms sum to nothing.
type Equations = [Vec<(u32, i32)>];

/// Visits of an equation for each equation there is.
const MOST_VISITS: usize = 50;

/// Tighter bounds that allow the same whole numbers; none where they allow none.
pub(super) fn tighten(bounds: &[(i64, i64)], equations: &Equations) -> Option<Vec<(i64, i64)>> {
    let mut bounds = bounds.to_vec();
    let mut standing: Vec<Vec<u32>> = vec![Vec::new(); bounds.len()];
    for (equation, terms) in (0..).zip(equations) {
        terms.iter().for_each(|(cell, _)| standing[*cell as usize].push(equation));
    }
    let mut waiting: std::collections::VecDeque<u32> = (0..equations.len() as u32).collect();
    let mut waits = vec![true; equations.len()];
    let mut visits = equations.len().saturating_mul(MOST_VISITS);
    while let Some(equation) = waiting.pop_front() {
        waits[equation as usize] = false;
        visits = match visits.checked_sub(1) {
            Some(left) => left,
            None => return Some(bounds),
        };
        for cell in narrow(&equations[equation as usize], &mut bounds)? {
            for other in &standing[cell as usize] {
                if *other != equation && !std::mem::replace(&mut waits[*other as usize], true) {
                    waiting.push_back(*other);
                }
            }
        }
    }
    Some(bounds)
}

/// Narrows the bounds of the cells of one equation; which of them. None where no whole numbers are left.
fn narrow(terms: &[(u32, i32)], bounds: &mut [(i64, i64)]) -> Option<Vec<u32>> {
    // The least that a term can be, and the largest; none where nothing bounds it.
    let ends = |(cell, by): &(u32, i32), bounds: &[(i64, i64)]| {
        let (lower, upper) = bounds[*cell as usize];
        let times = |end: i64| (end != i64::MIN && end != i64::MAX).then(|| i128::from(end) * i128::from(*by));
        if *by > 0 { (times(lower), times(upper)) } else { (times(upper), times(lower)) }
    };
    let (mut least, mut most) = (Sum::default(), Sum::default());
    for term in terms {
        let (low, high) = ends(term, bounds);
        least.add(low);
        most.add(high);
    }
    let mut narrowed = Vec::new();
    for term in terms {
        let (low, high) = ends(term, bounds);
        let (cell, by) = (term.0, i128::from(term.1));
        // The term is what the others leave: from what they have at most, below zero, to what they have at least.
        let (floor, ceiling) = (most.without(high).map(|sum| -sum), least.without(low).map(|sum| -sum));
        let (floor, ceiling) = if by > 0 { (floor, ceiling) } else { (ceiling.map(|end| -end), floor.map(|end| -end)) };
        let floor = floor.map(|end| -(-end).div_euclid(by.abs()));
        let ceiling = ceiling.map(|end| end.div_euclid(by.abs()));
        let (lower, upper) = &mut bounds[cell as usize];
        let before = (*lower, *upper);
        let fits = |end: i128| i64::try_from(end).ok();
        *lower = floor.and_then(fits).map_or(*lower, |floor| floor.max(*lower));
        *upper = ceiling.and_then(fits).map_or(*upper, |ceiling| ceiling.min(*upper));
        if lower > upper {
            return None;
        }
        if before != (*lower, *upper) {
            narrowed.push(cell);
            let (new_low, new_high) = ends(term, bounds);
            least.replace(low, new_low);
            most.replace(high, new_high);
        }
    }
    Some(narrowed)
}

/// A sum of which some terms may have no bound.
#[derive(Default)]
struct Sum {
    known: i128,
    unbounded: usize,
}

impl Sum {
    fn add(&mut self, term: Option<i128>) {
        match term {
            Some(term) => self.known += term,
            None => self.unbounded += 1,
        }
    }

    fn replace(&mut self, old: Option<i128>, new: Option<i128>) {
        match old {
            Some(term) => self.known -= term,
            None => self.unbounded -= 1,
        }
        self.add(new);
    }

    /// The sum of all other terms; none where one of them has no bound.
    fn without(&self, term: Option<i128>) -> Option<i128> {
        match (term, self.unbounded) {
            (Some(term), 0) => Some(self.known - term),
            (None, 1) => Some(self.known),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ANY: (i64, i64) = (0, i64::MAX);

    #[test]
    fn a_cell_of_as_many_as_are_placed_leaves_nothing_to_anyone_else() {
        // Three people are in the cell; two of them in the first atom at least, one in the second. The third atom is empty.
        let bounds = [(3, 3), (2, i64::MAX), (1, i64::MAX), ANY];
        let found = tighten(&bounds, &[vec![(0, -1), (1, 1), (2, 1), (3, 1)]]).unwrap();
        assert_eq!(found, [(3, 3), (2, 2), (1, 1), (0, 0)]);
    }

    #[test]
    fn bounds_follow_from_one_equation_to_the_next_and_are_whole() {
        // With the third of one at least the second is 5 at most. It is twice the first, so that it is even: 4 at most, and the third 2 at least.
        let bounds = [ANY, ANY, (1, i64::MAX), (6, 6)];
        let found = tighten(&bounds, &[vec![(0, 2), (1, -1)], vec![(1, 1), (2, 1), (3, -1)]]).unwrap();
        assert_eq!(found, [(0, 2), (0, 4), (2, 6), (6, 6)]);
        assert_eq!(tighten(&[(1, i64::MAX), (1, 1)], &[vec![(0, 2), (1, -1)]]), None);
        // What may be below zero has no bound by a sum with it.
        let free = [(i64::MIN, i64::MAX), ANY];
        assert_eq!(tighten(&free, &[vec![(0, 1), (1, 1)]]).unwrap(), [(i64::MIN, 0), ANY]);
    }
}
