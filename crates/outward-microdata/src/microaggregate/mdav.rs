//! Maximum distance to average vector (MDAV): groups of k records that are near each other, the outermost first.
//!
//! The record farthest from the centre of those left is grouped with its k − 1 nearest. Then the record farthest from
//! that one is grouped with its k − 1 nearest. This is repeated while 3k or more are left. Of 2k to 3k − 1 one more
//! group is formed about the record farthest from the centre. The rest is the last group (Domingo-Ferrer and Torra
//! 2005). Ties go to the lower row.

use super::tree::{Neighbour, RecordTree, is_farther, square};

/// Coordinates are multiples of 2⁻³⁶ and below 2¹⁶, so their sums are whole numbers of steps. The centre then does not
/// depend on the order in which records were taken.
pub(super) const GRID_STEPS: f64 = (1u64 << 36) as f64;

/// The rows of each group, ascending; groups in the order in which they were formed.
pub(super) fn form_groups<const D: usize>(records: &[[f64; D]], k: usize) -> Vec<Vec<u32>> {
    let mut left = Ungrouped::new(records);
    let mut groups = Vec::with_capacity(records.len() / k.max(1) + 1);
    while left.records >= 3 * k {
        let Some(first) = left.farthest_from_centre() else { break };
        groups.push(left.take_about(&first, k));
        let Some(second) = left.tree.farthest(&first).map(|found| *left.tree.place(found.place).0) else { break };
        groups.push(left.take_about(&second, k));
    }
    if left.records >= 2 * k
        && let Some(last) = left.farthest_from_centre()
    {
        groups.push(left.take_about(&last, k));
    }
    if left.records > 0 {
        let rest = left.records;
        groups.push(left.take_about(&[0.0; D], rest));
    }
    groups
}

/// The records not yet in a group.
struct Ungrouped<const D: usize> {
    tree: RecordTree<D>,
    shell: FarthestPlaces<D>,
    sums: [i128; D],
    records: usize,
}

impl<const D: usize> Ungrouped<D> {
    fn new(records: &[[f64; D]]) -> Self {
        let mut sums = [0; D];
        records.iter().for_each(|record| add(&mut sums, record, 1));
        let shell = FarthestPlaces { centre: [0.0; D], order: Vec::new(), first: 0, looked_at: 0 };
        let mut left = Self { tree: RecordTree::new(records), shell, sums, records: records.len() };
        left.shell.draw(&left.tree, left.centre());
        left
    }

    fn centre(&self) -> [f64; D] {
        self.sums.map(|sum| sum as f64 / (self.records.max(1) as f64 * GRID_STEPS))
    }

    fn farthest_from_centre(&mut self) -> Option<[f64; D]> {
        let centre = self.centre();
        if self.tree.rebuild_if_sparse() || self.shell.is_worn() {
            self.shell.draw(&self.tree, centre);
        }
        self.shell.farthest(&self.tree, &centre).map(|found| *self.tree.place(found.place).0)
    }

    /// Takes the `k` records nearest to a point; a record at the point is itself among them.
    fn take_about(&mut self, point: &[f64; D], k: usize) -> Vec<u32> {
        let found = self.tree.nearest(point, k);
        for candidate in &found {
            add(&mut self.sums, self.tree.place(candidate.place).0, -1);
        }
        self.tree.take(&found);
        self.records -= found.len();
        let mut rows: Vec<u32> = found.iter().map(|candidate| candidate.row).collect();
        rows.sort_unstable();
        rows
    }
}

fn add<const D: usize>(sums: &mut [i128; D], record: &[f64; D], sign: i128) {
    sums.iter_mut().zip(record).for_each(|(sum, at)| *sum += sign * (at * GRID_STEPS) as i128);
}

/// Places by their distance from where the centre once was, the farthest first. The centre has moved by some drift
/// since, and no distance has changed by more. So only the first few places can be the farthest now.
struct FarthestPlaces<const D: usize> {
    centre: [f64; D],
    order: Vec<(f64, u32)>,
    first: usize,
    looked_at: usize,
}

impl<const D: usize> FarthestPlaces<D> {
    fn draw(&mut self, tree: &RecordTree<D>, centre: [f64; D]) {
        self.centre = centre;
        self.order.clear();
        self.order.reserve(tree.places_left());
        self.order.extend(tree.places().map(|(number, place)| (square(&place.at, &centre).sqrt(), number)));
        self.order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        (self.first, self.looked_at) = (0, 0);
    }

    /// Whether so many places were examined that sorting them again is cheaper than going on.
    fn is_worn(&self) -> bool {
        self.looked_at > 16 * self.order.len()
    }

    fn farthest(&mut self, tree: &RecordTree<D>, centre: &[f64; D]) -> Option<Neighbour> {
        let drift = square(&self.centre, centre).sqrt();
        let mut best: Option<Neighbour> = None;
        let mut reach = 0.0;
        for (distance, place) in &self.order[self.first..] {
            // The last term is far above any error of rounding in these three distances.
            if distance + drift < reach - 1e-9 * (1.0 + reach) {
                break;
            }
            self.looked_at += 1;
            let (at, Some(row)) = tree.place(*place) else {
                self.first += usize::from(best.is_none());
                continue;
            };
            let square = square(at, centre);
            if is_farther(square, row, &best) {
                best = Some(Neighbour { square, row, place: *place });
                reach = square.sqrt();
            }
        }
        best
    }
}
