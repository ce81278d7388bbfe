//! Makes the attacker's problem small before anything is solved.
//!
//! An equation with one unknown gives it away. One with two of equal weight says that they move together or against
//! each other: they become one class. What the bounds of the others leave to a class tightens its own bounds, and a
//! class without room is known. Repeated until nothing changes; what is left falls into components that share no
//! equation.

use super::attack::{Attack, FREE, NONE};

/// Sweeps over all equations before bounds are taken as tight enough.
const SWEEPS: usize = 8;

/// Classes tied by equations, and to nothing else.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// The unknowns of each class, and whether they move with it or against it.
    pub(super) members: Vec<Vec<(u32, bool)>>,
    /// The least deviation of each class.
    pub(super) low: Vec<i64>,
    /// The largest.
    pub(super) high: Vec<i64>,
    /// Class and coefficient, equation by equation; each sums to 0.
    pub(super) equations: Vec<Vec<(u32, i64)>>,
    /// How many unknowns there are in all.
    pub(super) unknowns: usize,
}

/// The problem in parts. An unknown in none of them cannot deviate.
pub(super) fn reduce(attack: &Attack) -> Vec<Component> {
    let mut ties = Ties::new(attack);
    let mut equations = attack.equations.clone();
    loop {
        while ties.simplify(&mut equations) {}
        if !ties.propagate(&equations, attack.counts) {
            break;
        }
    }
    ties.split(equations)
}

/// Which unknowns move together, and how far.
struct Ties {
    /// The way to the unknown that stands for the class.
    parent: Vec<u32>,
    /// Whether an unknown moves with its parent.
    with: Vec<bool>,
    /// Bounds of the class, at the unknown that stands for it.
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Ties {
    fn new(attack: &Attack) -> Self {
        let count = attack.cell.len();
        Self {
            parent: (0..count as u32).collect(),
            with: vec![true; count],
            low: attack.low.clone(),
            high: attack.high.clone(),
        }
    }

    /// The unknown that stands for the class of this one, and whether they move together.
    fn find(&mut self, unknown: u32) -> (u32, bool) {
        let (mut root, mut with) = (unknown, true);
        while self.parent[root as usize] != root {
            with ^= !self.with[root as usize];
            root = self.parent[root as usize];
        }
        let (mut at, mut rest) = (unknown, with);
        while at != root {
            let (next, step) = (self.parent[at as usize], self.with[at as usize]);
            (self.parent[at as usize], self.with[at as usize]) = (root, rest);
            rest ^= !step;
            at = next;
        }
        (root, with)
    }

    fn known(&self, root: u32) -> bool {
        self.low[root as usize] == self.high[root as usize]
    }

    /// Joins two classes that move together, or against each other.
    fn join(&mut self, one: u32, other: u32, with: bool) {
        let (keep, gone) = (one.min(other) as usize, one.max(other) as usize);
        let (low, high) = if with { (self.low[gone], self.high[gone]) } else { (-self.high[gone], -self.low[gone]) };
        self.low[keep] = self.low[keep].max(low);
        self.high[keep] = self.high[keep].min(high);
        (self.parent[gone], self.with[gone]) = (keep as u32, with);
    }

    /// One pass: equations in terms of classes, short ones used up. Whether anything was learned.
    fn simplify(&mut self, equations: &mut Vec<Vec<(u32, i64)>>) -> bool {
        let mut learned = false;
        equations.retain_mut(|terms| {
            self.rewrite(terms);
            match terms[..] {
                [] => false,
                [(only, _)] => {
                    (self.low[only as usize], self.high[only as usize]) = (0, 0);
                    learned = true;
                    false
                }
                [(one, a), (other, b)] if a.abs() == b.abs() => {
                    self.join(one, other, a == -b);
                    learned = true;
                    false
                }
                _ => true,
            }
        });
        learned
    }

    /// Puts classes in the place of unknowns, and leaves out what is known.
    fn rewrite(&mut self, terms: &mut Vec<(u32, i64)>) {
        let mut moved = false;
        for (unknown, by) in terms.iter_mut() {
            let (root, with) = self.find(*unknown);
            moved |= root != *unknown;
            *unknown = root;
            if !with {
                *by = -*by;
            }
        }
        if moved {
            terms.sort_unstable();
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
        }
        terms.retain(|(root, by)| *by != 0 && !self.known(*root));
    }

    /// Tightens bounds by what the other classes of an equation leave. Whether a class became known.
    fn propagate(&mut self, equations: &[Vec<(u32, i64)>], counts: bool) -> bool {
        let mut known = false;
        for _ in 0..SWEEPS {
            let mut tighter = false;
            for terms in equations {
                let (least, most) = (Reach::of(terms, |t| self.least(t)), Reach::of(terms, |t| self.most(t)));
                for term in terms {
                    let root = term.0 as usize;
                    // by·y is minus the sum of the others
                    let most_here = least.without(self.least(*term)).map(|rest| -rest);
                    let least_here = most.without(self.most(*term)).map(|rest| -rest);
                    let (down, up) = if term.1 > 0 {
                        (least_here, most_here)
                    } else {
                        (most_here.map(|v| -v), least_here.map(|v| -v))
                    };
                    let size = i128::from(term.1.unsigned_abs());
                    if let Some(up) = up.map(|v| if counts { v.div_euclid(size) } else { -(-v).div_euclid(size) })
                        && up < i128::from(self.high[root])
                    {
                        self.high[root] = up.max(0) as i64;
                        tighter = true;
                    }
                    if let Some(down) = down.map(|v| if counts { -(-v).div_euclid(size) } else { v.div_euclid(size) })
                        && down > i128::from(self.low[root])
                    {
                        self.low[root] = down.min(0) as i64;
                        tighter = true;
                    }
                    known |= self.known(term.0);
                }
            }
            if !tighter {
                break;
            }
        }
        known
    }

    fn least(&self, (root, by): (u32, i64)) -> Option<i128> {
        product(by, if by > 0 { self.low[root as usize] } else { self.high[root as usize] })
    }

    fn most(&self, (root, by): (u32, i64)) -> Option<i128> {
        product(by, if by > 0 { self.high[root as usize] } else { self.low[root as usize] })
    }

    /// The components, by their first unknown.
    fn split(mut self, equations: Vec<Vec<(u32, i64)>>) -> Vec<Component> {
        let count = self.parent.len();
        let mut group: Vec<u32> = (0..count as u32).collect();
        for terms in &equations {
            for pair in terms.windows(2) {
                let (one, other) = (lead(&mut group, pair[0].0), lead(&mut group, pair[1].0));
                group[one.max(other) as usize] = one.min(other);
            }
        }
        let mut components: Vec<Component> = Vec::new();
        let (mut component_of, mut class_of) = (vec![NONE; count], vec![NONE; count]);
        for unknown in 0..count as u32 {
            let (root, with) = self.find(unknown);
            if self.known(root) {
                continue;
            }
            let leader = lead(&mut group, root) as usize;
            if component_of[leader] == NONE {
                component_of[leader] = components.len() as u32;
                components.push(Component::default());
            }
            let component = &mut components[component_of[leader] as usize];
            if class_of[root as usize] == NONE {
                class_of[root as usize] = component.members.len() as u32;
                component.members.push(Vec::new());
                component.low.push(self.low[root as usize]);
                component.high.push(self.high[root as usize]);
            }
            component.members[class_of[root as usize] as usize].push((unknown, with));
            component.unknowns += 1;
        }
        for terms in equations {
            let leader = lead(&mut group, terms[0].0) as usize;
            let terms = terms.iter().map(|(root, by)| (class_of[*root as usize], *by)).collect();
            components[component_of[leader] as usize].equations.push(terms);
        }
        components
    }
}

/// The first of a group, with the way to it shortened.
fn lead(group: &mut [u32], mut at: u32) -> u32 {
    while group[at as usize] != at {
        group[at as usize] = group[group[at as usize] as usize];
        at = group[at as usize];
    }
    at
}

fn product(by: i64, bound: i64) -> Option<i128> {
    (bound.abs() < FREE).then(|| i128::from(by) * i128::from(bound))
}

/// A sum of bounds, some of which may be missing.
struct Reach {
    sum: i128,
    missing: usize,
}

impl Reach {
    fn of(terms: &[(u32, i64)], bound: impl Fn((u32, i64)) -> Option<i128>) -> Self {
        let mut reach = Self { sum: 0, missing: 0 };
        for term in terms {
            match bound(*term) {
                Some(value) => reach.sum += value,
                None => reach.missing += 1,
            }
        }
        reach
    }

    /// The sum of all others than this one.
    fn without(&self, own: Option<i128>) -> Option<i128> {
        match own {
            Some(own) if self.missing == 0 => Some(self.sum - own),
            None if self.missing == 1 => Some(self.sum),
            _ => None,
        }
    }
}
