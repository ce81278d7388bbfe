//! Presolve: makes the attacker's problem small before anything is solved.
//!
//! An equation with one unknown determines it. An equation with two unknowns of equal weight joins them in one class: they
//! move together or against each other. The bounds of the other classes in an equation tighten those of a class, and a
//! class whose bounds meet is known. This is repeated until nothing changes. The rest falls into components that share no
//! equation.

use super::attacker_problem::{AttackerProblem, NONE, UNBOUNDED};

/// Most sweeps over all equations in one round of bound tightening.
const MAX_SWEEPS: usize = 8;

/// Classes that share equations with each other and with no others.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// The unknowns of each class, and whether they move with the class or against it.
    pub(super) members: Vec<Vec<(u32, bool)>>,
    /// The least deviation of each class.
    pub(super) low: Vec<i64>,
    /// The largest deviation of each class.
    pub(super) high: Vec<i64>,
    /// Class and coefficient, equation by equation; each sums to 0.
    pub(super) equations: Vec<Vec<(u32, i64)>>,
    /// How many unknowns there are in all.
    pub(super) unknowns: usize,
}

/// Reduces a problem to components. An unknown that is in none of them is known.
pub(super) fn presolve(problem: &AttackerProblem) -> Vec<Component> {
    let mut classes = Classes::new(problem);
    let mut equations = problem.equations.clone();
    loop {
        while classes.use_short_equations(&mut equations) {}
        if !classes.tighten_bounds(&equations, problem.counts) {
            break;
        }
    }
    classes.split_components(equations)
}

/// Classes of unknowns that move together (union-find with signs), and their bounds.
struct Classes {
    /// The parent of each unknown; the root stands for the class.
    parent: Vec<u32>,
    /// Whether an unknown moves with its parent.
    with: Vec<bool>,
    /// Bounds of the class, at its root.
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Classes {
    fn new(problem: &AttackerProblem) -> Self {
        let count = problem.cell.len();
        Self {
            parent: (0..count as u32).collect(),
            with: vec![true; count],
            low: problem.low.clone(),
            high: problem.high.clone(),
        }
    }

    /// The root of an unknown's class, and whether the two move together.
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

    fn is_known(&self, root: u32) -> bool {
        self.low[root as usize] == self.high[root as usize]
    }

    /// Joins two classes that move together, or against each other.
    fn merge(&mut self, one: u32, other: u32, with: bool) {
        let (keep, gone) = (one.min(other) as usize, one.max(other) as usize);
        let (low, high) = if with { (self.low[gone], self.high[gone]) } else { (-self.high[gone], -self.low[gone]) };
        self.low[keep] = self.low[keep].max(low);
        self.high[keep] = self.high[keep].min(high);
        (self.parent[gone], self.with[gone]) = (keep as u32, with);
    }

    /// One pass: rewrites equations in terms of classes and uses up those with one or two terms. Returns whether
    /// anything was learned.
    fn use_short_equations(&mut self, equations: &mut Vec<Vec<(u32, i64)>>) -> bool {
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
                    self.merge(one, other, a == -b);
                    learned = true;
                    false
                }
                _ => true,
            }
        });
        learned
    }

    /// Replaces unknowns by their classes and drops known ones.
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
        terms.retain(|(root, by)| *by != 0 && !self.is_known(*root));
    }

    /// Tightens the bounds of each class by those of the others in an equation. Returns whether a class became known.
    fn tighten_bounds(&mut self, equations: &[Vec<(u32, i64)>], counts: bool) -> bool {
        let mut known = false;
        for _ in 0..MAX_SWEEPS {
            let mut tighter = false;
            for terms in equations {
                let (least, most) =
                    (BoundSum::new(terms, |t| self.term_min(t)), BoundSum::new(terms, |t| self.term_max(t)));
                for term in terms {
                    let root = term.0 as usize;
                    // by·y is minus the sum of the others
                    let most_here = least.without(self.term_min(*term)).map(|rest| -rest);
                    let least_here = most.without(self.term_max(*term)).map(|rest| -rest);
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
                    known |= self.is_known(term.0);
                }
            }
            if !tighter {
                break;
            }
        }
        known
    }

    fn term_min(&self, (root, by): (u32, i64)) -> Option<i128> {
        bounded_product(by, if by > 0 { self.low[root as usize] } else { self.high[root as usize] })
    }

    fn term_max(&self, (root, by): (u32, i64)) -> Option<i128> {
        bounded_product(by, if by > 0 { self.high[root as usize] } else { self.low[root as usize] })
    }

    /// Splits the classes into components, in order of their first unknown.
    fn split_components(mut self, equations: Vec<Vec<(u32, i64)>>) -> Vec<Component> {
        let count = self.parent.len();
        let mut group: Vec<u32> = (0..count as u32).collect();
        for terms in &equations {
            for pair in terms.windows(2) {
                let (one, other) = (find_root(&mut group, pair[0].0), find_root(&mut group, pair[1].0));
                group[one.max(other) as usize] = one.min(other);
            }
        }
        let mut components: Vec<Component> = Vec::new();
        let (mut component_of, mut class_of) = (vec![NONE; count], vec![NONE; count]);
        for unknown in 0..count as u32 {
            let (root, with) = self.find(unknown);
            if self.is_known(root) {
                continue;
            }
            let group_root = find_root(&mut group, root) as usize;
            if component_of[group_root] == NONE {
                component_of[group_root] = components.len() as u32;
                components.push(Component::default());
            }
            let component = &mut components[component_of[group_root] as usize];
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
            let group_root = find_root(&mut group, terms[0].0) as usize;
            let terms = terms.iter().map(|(root, by)| (class_of[*root as usize], *by)).collect();
            components[component_of[group_root] as usize].equations.push(terms);
        }
        components
    }
}

/// The root of a group, with path halving.
fn find_root(group: &mut [u32], mut at: u32) -> u32 {
    while group[at as usize] != at {
        group[at as usize] = group[group[at as usize] as usize];
        at = group[at as usize];
    }
    at
}

fn bounded_product(by: i64, bound: i64) -> Option<i128> {
    (bound.abs() < UNBOUNDED).then(|| i128::from(by) * i128::from(bound))
}

/// A sum of bounds, some of which may be infinite.
struct BoundSum {
    sum: i128,
    missing: usize,
}

impl BoundSum {
    fn new(terms: &[(u32, i64)], bound: impl Fn((u32, i64)) -> Option<i128>) -> Self {
        let mut bounds = Self { sum: 0, missing: 0 };
        for term in terms {
            match bound(*term) {
                Some(value) => bounds.sum += value,
                None => bounds.missing += 1,
            }
        }
        bounds
    }

    /// The sum without one of its bounds; `None` if it is infinite.
    fn without(&self, own: Option<i128>) -> Option<i128> {
        match own {
            Some(own) if self.missing == 0 => Some(self.sum - own),
            None if self.missing == 1 => Some(self.sum),
            _ => None,
        }
    }
}
