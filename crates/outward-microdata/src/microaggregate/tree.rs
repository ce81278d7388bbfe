//! A k-d tree from which records are taken away: the nearest and the farthest of those left, exactly.
//!
//! A node knows the box around the records left below it and the least row among them. A record's distance and the
//! bound of a box add the same terms in the same order, and each step of floating point is monotone. So a bound is
//! never on the wrong side of a distance, not even in the last digit. A node is skipped only if none of its records can
//! win. Where distances are equal the lower row wins, which the least row of a node decides.

/// A record, given by its row, with its place and its squared distance from the target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    pub(super) square: f64,
    pub(super) row: u32,
    pub(super) place: u32,
}

/// A point at which records are, with those not yet taken: `next..end` of the tree's rows, ascending. Of records at one
/// place the lowest row is always taken first. What is left is therefore the end of the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPoint<const D: usize> {
    pub(super) at: [f64; D],
    next: u32,
    end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct BoundingBox<const D: usize> {
    low: [f64; D],
    high: [f64; D],
    /// The least row; `NO_NODE` where no record is left.
    least: u32,
}

#[derive(Debug, Clone)]
struct TreeNode<const D: usize> {
    extent: BoundingBox<D>,
    parent: u32,
    /// The second child, the first being the next node; 0 for a leaf.
    second: u32,
    begin: u32,
    end: u32,
}

/// The records not yet taken, by place.
#[derive(Debug)]
pub(super) struct RecordTree<const D: usize> {
    nodes: Vec<TreeNode<D>>,
    places: Vec<RecordPoint<D>>,
    leaf_of: Vec<u32>,
    rows: Vec<u32>,
    places_left: usize,
}

const NO_NODE: u32 = u32::MAX;
const LEAF_SIZE: usize = 8;

/// The squared distance of two points.
pub(super) fn square<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for d in 0..D {
        let gap = a[d] - b[d];
        sum += gap * gap;
    }
    sum
}

impl<const D: usize> BoundingBox<D> {
    const EMPTY: Self = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D], least: NO_NODE };

    fn with(mut self, other: &Self) -> Self {
        for d in 0..D {
            self.low[d] = self.low[d].min(other.low[d]);
            self.high[d] = self.high[d].max(other.high[d]);
        }
        self.least = self.least.min(other.least);
        self
    }

    /// No record inside is nearer than this.
    fn least_square(&self, target: &[f64; D]) -> f64 {
        let mut sum = 0.0;
        for ((low, high), at) in self.low.iter().zip(&self.high).zip(target) {
            let gap = (low - at).max(at - high).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// No record inside is farther than this.
    fn largest_square(&self, target: &[f64; D]) -> f64 {
        let mut sum = 0.0;
        for ((low, high), at) in self.low.iter().zip(&self.high).zip(target) {
            let gap = (at - low).abs().max((high - at).abs());
            sum += gap * gap;
        }
        sum
    }
}

/// The nearest so far, in order, at most as many as are wanted.
struct Nearest {
    wanted: usize,
    found: Vec<Neighbour>,
}

impl Nearest {
    fn admits(&self, square: f64, row: u32) -> bool {
        match self.found.last() {
            Some(last) if self.found.len() == self.wanted => {
                square < last.square || (square == last.square && row < last.row)
            }
            _ => true,
        }
    }

    fn add(&mut self, new: Neighbour) {
        if self.found.len() == self.wanted {
            self.found.pop();
        }
        let after = self
            .found
            .partition_point(|old| old.square < new.square || (old.square == new.square && old.row < new.row));
        self.found.insert(after, new);
    }
}

impl<const D: usize> RecordTree<D> {
    /// All records, row 0 first.
    pub(super) fn new(records: &[[f64; D]]) -> Self {
        let mut rows: Vec<u32> = (0..records.len() as u32).collect();
        let compare = |a: &[f64; D], b: &[f64; D]| {
            a.iter()
                .zip(b)
                .map(|(a, b)| a.total_cmp(b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        rows.sort_unstable_by(|a, b| compare(&records[*a as usize], &records[*b as usize]).then(a.cmp(b)));
        let mut places: Vec<RecordPoint<D>> = Vec::new();
        for (position, row) in rows.iter().enumerate() {
            let at = records[*row as usize];
            let (next, end) = (position as u32, position as u32 + 1);
            match places.last_mut() {
                Some(last) if last.at == at => last.end = end,
                _ => places.push(RecordPoint { at, next, end }),
            }
        }
        let mut tree = Self { nodes: Vec::new(), leaf_of: Vec::new(), places_left: places.len(), places, rows };
        tree.build();
        tree
    }

    fn build(&mut self) {
        self.nodes.clear();
        self.leaf_of = vec![0; self.places.len()];
        if !self.places.is_empty() {
            self.build_node(0, self.places.len(), NO_NODE);
        }
    }

    /// Makes the node of a stretch of places and all below it.
    fn build_node(&mut self, begin: usize, end: usize, parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        let extent = self.extent_of(begin, end);
        self.nodes.push(TreeNode { extent, parent, second: 0, begin: begin as u32, end: end as u32 });
        if end - begin <= LEAF_SIZE {
            self.leaf_of[begin..end].fill(node);
            return node;
        }
        let width = |d: &usize| extent.high[*d] - extent.low[*d];
        let widest = (0..D).max_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(0);
        let middle = (end - begin) / 2;
        self.places[begin..end].select_nth_unstable_by(middle, |a, b| a.at[widest].total_cmp(&b.at[widest]));
        self.build_node(begin, begin + middle, node);
        let second = self.build_node(begin + middle, end, node);
        self.nodes[node as usize].second = second;
        node
    }

    fn extent_of(&self, begin: usize, end: usize) -> BoundingBox<D> {
        self.places[begin..end].iter().filter(|place| place.next < place.end).fold(BoundingBox::EMPTY, |all, place| {
            all.with(&BoundingBox { low: place.at, high: place.at, least: self.rows[place.next as usize] })
        })
    }

    /// Places with a record left, by number.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, &RecordPoint<D>)> {
        (0..).zip(&self.places).filter(|(_, place)| place.next < place.end)
    }

    pub(super) fn places_left(&self) -> usize {
        self.places_left
    }

    /// Where a place is, and the lowest row left there.
    pub(super) fn place(&self, place: u32) -> (&[f64; D], Option<u32>) {
        let place = &self.places[place as usize];
        (&place.at, (place.next < place.end).then(|| self.rows[place.next as usize]))
    }

    /// The `wanted` records nearest to a target, or all that are left if they are fewer. Of two as near the lower row
    /// comes first.
    pub(super) fn nearest(&self, target: &[f64; D], wanted: usize) -> Vec<Neighbour> {
        let mut nearest = Nearest { wanted, found: Vec::with_capacity(wanted) };
        if wanted > 0 && self.nodes.first().is_some_and(|root| root.extent.least != NO_NODE) {
            self.search_nearest(0, target, &mut nearest);
        }
        nearest.found
    }

    fn search_nearest(&self, node: u32, target: &[f64; D], nearest: &mut Nearest) {
        let this = &self.nodes[node as usize];
        if this.second == 0 {
            for place in this.begin..this.end {
                let RecordPoint { at, next, end } = &self.places[place as usize];
                let square = square(at, target);
                for row in &self.rows[*next as usize..*end as usize] {
                    if !nearest.admits(square, *row) {
                        break;
                    }
                    nearest.add(Neighbour { square, row: *row, place });
                }
            }
            return;
        }
        let bound = |child: u32| {
            let extent = &self.nodes[child as usize].extent;
            (extent.least_square(target), extent.least, child)
        };
        let (mut near, mut far) = (bound(node + 1), bound(this.second));
        if far < near {
            std::mem::swap(&mut near, &mut far);
        }
        for (square, least, child) in [near, far] {
            if least != NO_NODE && nearest.admits(square, least) {
                self.search_nearest(child, target, nearest);
            }
        }
    }

    /// The record farthest from a target; the lower row where two are as far.
    pub(super) fn farthest(&self, target: &[f64; D]) -> Option<Neighbour> {
        let mut best = None;
        if self.nodes.first().is_some_and(|root| root.extent.least != NO_NODE) {
            self.search_farthest(0, target, &mut best);
        }
        best
    }

    fn search_farthest(&self, node: u32, target: &[f64; D], best: &mut Option<Neighbour>) {
        let this = &self.nodes[node as usize];
        if this.second == 0 {
            for place in this.begin..this.end {
                let RecordPoint { at, next, end } = &self.places[place as usize];
                if next < end {
                    let (square, row) = (square(at, target), self.rows[*next as usize]);
                    if is_farther(square, row, best) {
                        *best = Some(Neighbour { square, row, place });
                    }
                }
            }
            return;
        }
        let bound = |child: u32| {
            let extent = &self.nodes[child as usize].extent;
            let square = if extent.least == NO_NODE { -1.0 } else { extent.largest_square(target) };
            (square, extent.least, child)
        };
        let (mut far, mut near) = (bound(node + 1), bound(this.second));
        if near.0 > far.0 || (near.0 == far.0 && near.1 < far.1) {
            std::mem::swap(&mut near, &mut far);
        }
        for (square, least, child) in [far, near] {
            if least != NO_NODE && is_farther(square, least, best) {
                self.search_farthest(child, target, best);
            }
        }
    }

    /// Removes records that were found nearest to one target.
    pub(super) fn take(&mut self, found: &[Neighbour]) {
        for candidate in found {
            let place = &mut self.places[candidate.place as usize];
            place.next += 1;
            self.places_left -= usize::from(place.next == place.end);
        }
        for candidate in found {
            self.tighten(self.leaf_of[candidate.place as usize]);
        }
    }

    /// Shrinks the boxes from a leaf upwards to the records left, as far as that changes anything.
    fn tighten(&mut self, leaf: u32) {
        let mut node = leaf;
        while node != NO_NODE {
            let this = &self.nodes[node as usize];
            let extent = if this.second == 0 {
                self.extent_of(this.begin as usize, this.end as usize)
            } else {
                self.nodes[node as usize + 1].extent.with(&self.nodes[this.second as usize].extent)
            };
            let this = &mut self.nodes[node as usize];
            if this.extent == extent {
                return;
            }
            this.extent = extent;
            node = this.parent;
        }
    }

    /// Rebuilds the tree if fewer than half of the places have records left. Returns whether it did: places then have
    /// other numbers.
    pub(super) fn rebuild_if_sparse(&mut self) -> bool {
        let sparse = self.places_left * 2 < self.places.len() && self.places.len() > LEAF_SIZE;
        if sparse {
            self.places.retain(|place| place.next < place.end);
            self.build();
        }
        sparse
    }
}

/// Whether a record of this squared distance and row is farther than the best so far.
pub(super) fn is_farther(square: f64, row: u32, best: &Option<Neighbour>) -> bool {
    best.is_none_or(|best| square > best.square || (square == best.square && row < best.row))
}
