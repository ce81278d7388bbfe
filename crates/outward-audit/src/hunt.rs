//! Finds how far each class of a component can deviate, with as few problems solved as will do.
//!
//! First come circuits, one or two for each free unknown of the dictionary; a witness shows many classes at once, and
//! an end that a witness has reached needs no solving. What is left is solved exactly. In a large component only what
//! is asked of unsafe cells is settled, and only until it is shown or refuted.

use outward_spec::{Error, Result};

use super::Work;
use super::around;
use super::attack::{Attack, FREE, Need};
use super::bag::{Bag, Limits};
use super::dictionary::Dictionary;
use super::nearby::{BOXED, BRIEF, Effort, Nearby, PATIENT};
use super::reduce::Component;
use super::simplex::End;
use super::whole::{self, Way};
use super::witness::{Checker, Witnesses};

/// Counts in an interval this narrow are always settled in whole numbers.
const NARROW: i64 = 3;

/// Exchanges in a walk in whole numbers before it is given up.
const TURNS: usize = 30;

/// Terms of a dictionary from which on it is worth a copy.
const LARGE: usize = 1024;

/// Classes in a component up to which the solver is asked.
const SOLVED: usize = 20_000;

/// Classes in a component from which on the solver is asked first whether it is too much.
const LONG: usize = 4096;

/// What a problem takes that is put to the solver, for each class.
const PROGRAM: u64 = 1 << 16;

/// How much longer than the equations rows may become before a large component is left to the solver.
const FILL: usize = 16;

/// Terms of the equations around a class that are asked first whether they give it away.
const AROUND: usize = 600;

/// Linear programs in a large component, each taken as many times as it has classes, and exchanges in them, and terms looked
/// at in these, and integer programs, before what is left of it stays undecided.
const PROGRAMS: u64 = 1 << 31;
const EXCHANGES: u64 = 200_000;
const TERMS: u64 = 1 << 30;
const WHOLES: u64 = 64;

/// The hunt for the ends of one component.
#[derive(Debug)]
pub(super) struct Hunt<'a> {
    attack: &'a Attack,
    component: &'a Component,
    /// What is asked of each class: the most that any of its unknowns asks.
    pub(super) needs: Vec<Option<Need>>,
    /// Tables near the true one, where the component is large.
    nearby: Option<Nearby<'a>>,
    dictionary: Option<Dictionary>,
    /// Whether there is, or was, a dictionary: it is made when it is first wanted.
    begun: bool,
    /// The dictionary as it was at first, kept where it is large: exchanges fill it, and then it is better to start anew.
    sparse: Option<Dictionary>,
    /// Whether the solver found the component too much.
    beyond: bool,
    /// Whether every end is settled, not only what is asked.
    thorough: bool,
    /// Work to be put into that, and work done.
    most: u64,
    pub(super) spent: u64,
    /// Whether whole numbers are settled everywhere, not only where the interval is narrow or too tight.
    whole: bool,
}

impl<'a> Hunt<'a> {
    /// Prepares a component: every end is settled as far as `most` work goes, and in whole numbers where `whole`. Where there
    /// is none to be put into it, or not enough, only what is asked is settled.
    pub(super) fn new(attack: &'a Attack, component: &'a Component, most: u64, whole: bool) -> Self {
        let needs = component.members.iter().map(|members| asked(attack, members)).collect();
        let thorough = most > 0;
        let nearby = (!thorough).then(|| Nearby::new(Some(attack), component));
        Self {
            attack,
            component,
            needs,
            nearby,
            dictionary: None,
            begun: false,
            sparse: None,
            beyond: false,
            thorough,
            most,
            spent: 0,
            whole,
        }
    }

    /// Makes the dictionary, where there is none yet. Whether it is new.
    fn begin(&mut self) -> bool {
        if self.begun {
            return false;
        }
        self.begun = true;
        let equations = &self.component.equations;
        let terms: usize = equations.iter().map(Vec::len).sum();
        let most = if self.thorough { usize::MAX } else { FILL * terms };
        self.dictionary = Dictionary::new(&self.component.low, &self.component.high, equations, most);
        self.spent += self.dictionary.as_mut().map_or(0, |dictionary| std::mem::take(&mut dictionary.work));
        self.sparse = self.dictionary.clone().filter(|dictionary| dictionary.terms() >= LARGE);
        true
    }

    /// Everything about the component.
    pub(super) fn all(&mut self, checker: &mut Checker<'_>, work: &mut Work) -> Result<Bag> {
        let mut bag = Bag::new(Witnesses::new(self.component.members.len()), Limits::default());
        if self.thorough {
            self.begin();
            self.circuits(checker, &mut bag)?;
            self.ends(checker, work, &mut bag)?;
        }
        if !self.thorough {
            let asked = |class: &usize| self.needs[*class].is_some();
            let classes: Vec<usize> = (0..self.needs.len()).filter(asked).collect();
            self.show_or_refute(checker, work, &mut bag, &classes)?;
        }
        work.witnesses += bag.seen.len() as u64;
        Ok(bag)
    }

    /// Both ends of every class. Where it is too much work the component is from then on taken as a large one.
    fn ends(&mut self, checker: &mut Checker<'_>, work: &mut Work, bag: &mut Bag) -> Result<()> {
        for class in 0..self.needs.len() {
            self.settle(checker, work, bag, class, true, FREE)?;
            self.settle(checker, work, bag, class, false, -FREE)?;
            if self.spent > self.most {
                self.thorough = false;
                self.nearby = Some(Nearby::new(Some(self.attack), self.component));
                break;
            }
        }
        Ok(())
    }

    /// What someone who knows more of some classes can say of those that are then not shown to be protected: these, and a bag in
    /// which they are settled. `minded` says what must be kept from them; what is found on the way is kept.
    pub(super) fn knowing(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        before: &mut Bag,
        minded: impl Fn(u32) -> Option<Need>,
        limits: &Limits,
    ) -> Result<Option<(Vec<usize>, Bag)>> {
        let mut lost = Vec::new();
        let beyond = before.seen.beyond(limits);
        let asked = |class: &u32| self.needs[*class as usize].is_some() && !limits.fix(*class);
        for class in before.seen.moved_by(&beyond).into_iter().filter(asked) {
            let Some(need) = minded(class) else { continue };
            if let Some((low, high)) = before.seen.lacks(class, &need, &beyond) {
                lost.push((class as usize, need, low, high));
            }
        }
        if lost.is_empty() {
            return Ok(None);
        }
        let mut bag = Bag::new(Witnesses::new(self.needs.len()), limits.clone());
        let asked = self.needs.clone();
        for (class, need, low, high) in &lost {
            (bag.seen.low[*class], bag.seen.high[*class]) = (*low, *high);
            self.needs[*class] = Some(*need);
        }
        let classes: Vec<usize> = lost.into_iter().map(|(class, ..)| class).collect();
        let shown = self.show_or_refute(checker, work, &mut bag, &classes);
        self.needs = asked;
        shown?;
        before.seen.absorb(bag.seen.take());
        Ok(Some((classes, bag)))
    }

    /// Shows what is asked of classes, or proves their ends: by tables near the true one first, then by the dictionary.
    fn show_or_refute(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        bag: &mut Bag,
        classes: &[usize],
    ) -> Result<()> {
        let asked = |class: &usize| self.needs[*class].map(|need| (*class, need));
        let mut asked: Vec<(usize, Need)> = classes.iter().filter_map(asked).collect();
        if let Some(nearby) = &mut self.nearby {
            for effort in [&BOXED, &BRIEF, &PATIENT] {
                for (class, need) in &asked {
                    show_nearby(nearby, effort, self.component, checker, bag, *class, *need);
                }
                asked.retain(|(class, need)| !bag.meets(*class, need));
            }
            asked.retain(|(class, need)| !refute_around(self.attack, nearby, self.component, bag, *class, *need));
        }
        asked.retain(|(class, need)| !bag.meets(*class, need));
        if asked.is_empty() {
            return Ok(());
        }
        if self.begin() && bag.limits.is_empty() {
            self.circuits(checker, bag)?;
        }
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.restart(&self.component.low, &self.component.high, &bag.limits);
        }
        let (linear, integer, pivots) = (work.linear, work.integer, self.pivots());
        for (class, need) in asked {
            let programs = (work.linear - linear) * self.needs.len() as u64;
            let exchanges = self.pivots().saturating_sub(pivots);
            let much = programs > PROGRAMS || exchanges > EXCHANGES || self.spent > TERMS.saturating_add(self.most);
            if !self.thorough && (much || work.integer - integer > WHOLES) {
                break;
            }
            self.decide(checker, work, bag, class, need)?;
        }
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.restart(&self.component.low, &self.component.high, &Limits::default());
        }
        Ok(())
    }

    /// Exchanges made in the dictionary.
    pub(super) fn pivots(&self) -> u64 {
        self.dictionary.as_ref().map_or(0, |dictionary| dictionary.pivots)
    }

    fn circuits(&self, checker: &mut Checker<'_>, bag: &mut Bag) -> Result<()> {
        let Some(dictionary) = &self.dictionary else { return Ok(()) };
        for unknown in 0..dictionary.len() as u32 {
            if dictionary.determined(unknown) {
                bag.prove(unknown as usize, true, 0);
                bag.prove(unknown as usize, false, 0);
            }
            for point in dictionary.circuits(unknown) {
                if !bag.seen.offer(checker, self.component, point) {
                    return Err(Error::bug("a circuit of the audit does not satisfy the equations"));
                }
            }
        }
        Ok(())
    }

    /// Shows what is asked of a class, or proves both ends.
    fn decide(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        bag: &mut Bag,
        class: usize,
        need: Need,
    ) -> Result<()> {
        self.settle(checker, work, bag, class, true, need.up)?;
        self.settle(checker, work, bag, class, false, -need.down)?;
        let (up, down) = (bag.seen.low[class].saturating_add(need.width), bag.seen.high[class]);
        self.settle(checker, work, bag, class, true, up.max(need.up))?;
        self.settle(checker, work, bag, class, false, down.saturating_sub(need.width).min(-need.down))?;
        if !bag.meets(class, &need) {
            self.settle(checker, work, bag, class, true, FREE)?;
            self.settle(checker, work, bag, class, false, -FREE)?;
        }
        Ok(())
    }

    /// Moves a class up or down to a goal, or proves where it must stop short of it.
    fn settle(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        bag: &mut Bag,
        class: usize,
        up: bool,
        goal: i64,
    ) -> Result<()> {
        let bound = if up { self.component.high[class] } else { self.component.low[class] };
        if bag.shown(class, up) == bound {
            bag.prove(class, up, bound);
        }
        let enough = |bag: &Bag| {
            bag.proven(class, up) || if up { bag.shown(class, up) >= goal } else { bag.shown(class, up) <= goal }
        };
        if enough(bag) {
            return Ok(());
        }
        let Some(mut dictionary) = self.dictionary.take() else {
            return self.solve(checker, work, bag, class, up, (bound, goal));
        };
        work.linear += 1;
        if self.refreshed(&mut dictionary) || !self.thorough {
            dictionary.restart(&self.component.low, &self.component.high, &bag.limits);
        }
        let limit = self.simplex(checker, bag, &mut dictionary, class, up, goal)?;
        self.spent += std::mem::take(&mut dictionary.work);
        // where numbers grew too large the dictionary is gone, and the solver has the rest of the component
        self.dictionary = limit.map(|_| dictionary);
        let limit = limit.unwrap_or(bound);
        if bag.shown(class, up) == limit {
            bag.prove(class, up, limit);
        }
        if enough(bag) || !self.worth_whole(bag, class, up, limit) {
            return Ok(());
        }
        self.solve(checker, work, bag, class, up, (limit, goal))
    }

    /// By the dictionary: shows what it can, and gives what it knows of the end. `None` where numbers grow too large.
    fn simplex(
        &self,
        checker: &mut Checker<'_>,
        bag: &mut Bag,
        dictionary: &mut Dictionary,
        class: usize,
        up: bool,
        goal: i64,
    ) -> Result<Option<i64>> {
        let Some(end) = dictionary.push(class as u32, up, goal) else { return Ok(None) };
        let limit = match end {
            End::Optimal => dictionary.towards_truth(class as u32),
            End::Reached | End::Unbounded if up => self.component.high[class],
            End::Reached | End::Unbounded => self.component.low[class],
        };
        if self.show(checker, bag, dictionary)? {
            if end == End::Unbounded {
                bag.seen.endless(class, up);
            }
            return Ok(Some(limit));
        }
        let goal = if up { goal.min(limit) } else { goal.max(limit) };
        if goal != bag.shown(class, up) {
            dictionary.restart(&self.component.low, &self.component.high, &bag.limits);
            let Some(endless) = dictionary.walk(class as u32, up, goal, TURNS) else { return Ok(None) };
            if self.show(checker, bag, dictionary)? && endless {
                bag.seen.endless(class, up);
            }
        }
        Ok(Some(limit))
    }

    /// Puts the dictionary back to what it was at first where it has filled up. Whether it did.
    fn refreshed(&self, dictionary: &mut Dictionary) -> bool {
        let Some(sparse) = self.sparse.as_ref().filter(|sparse| dictionary.terms() > 4 * sparse.terms()) else {
            return false;
        };
        let pivots = dictionary.pivots;
        dictionary.clone_from(sparse);
        dictionary.pivots = pivots;
        true
    }

    /// Offers the dictionary's point. Whether it counts: where cells are counts, only in whole numbers.
    fn show(&self, checker: &mut Checker<'_>, bag: &mut Bag, dictionary: &Dictionary) -> Result<bool> {
        let Some(point) = dictionary.point() else { return Ok(false) };
        if self.attack.counts && point.scale != 1 {
            return Ok(false);
        }
        if bag.seen.offer(checker, self.component, point) {
            Ok(true)
        } else {
            Err(Error::bug("a table found by the audit does not satisfy the equations"))
        }
    }

    /// Whether an end in whole numbers is worth an integer program: `limit` is the end without them.
    fn worth_whole(&self, bag: &Bag, class: usize, up: bool, limit: i64) -> bool {
        let other = bag.shown(class, !up);
        let unmet = self.needs[class].is_some_and(|need| !bag.meets(class, &need));
        self.whole || unmet || limit.abs_diff(other) <= NARROW.unsigned_abs()
    }

    /// By the solver: from what is shown to the limit of what is possible, or to the goal where that is nearer.
    fn solve(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        bag: &mut Bag,
        class: usize,
        up: bool,
        (limit, goal): (i64, i64),
    ) -> Result<()> {
        if !self.thorough && (self.beyond || self.needs.len() > SOLVED) {
            return Ok(());
        }
        work.integer += 1;
        self.spent += PROGRAM * self.needs.len() as u64;
        let shown = bag.shown(class, up);
        let to = if up { limit.min(goal) } else { limit.max(goal) };
        let within = (shown.min(to), shown.max(to));
        let ask = |way: Way| whole::furthest(self.component, class as u32, up, within, &bag.limits, way);
        if !self.thorough && self.needs.len() > LONG {
            // what takes long without whole numbers takes longer with them
            let Some(end) = ask(Way::Brief).and_then(|found| found.end) else {
                self.beyond = true;
                return Ok(());
            };
            if end == shown {
                bag.prove(class, up, shown);
                return Ok(());
            }
        }
        let Some(found) = ask(Way::Usual { whole: self.attack.counts }) else { return Ok(()) };
        bag.seen.offer(checker, self.component, found.point);
        let Some(end) = found.end else { return Ok(()) };
        if to != limit && end != to {
            // nothing up to the goal is not nothing beyond it: whole numbers can leave gaps
            return self.solve(checker, work, bag, class, up, (limit, limit));
        }
        if to == limit && bag.shown(class, up) == end {
            bag.prove(class, up, end);
        }
        Ok(())
    }
}

/// Looks near the true table for what is asked of a class. A table that does not hold is none.
fn show_nearby(
    nearby: &mut Nearby<'_>,
    effort: &Effort,
    component: &Component,
    checker: &mut Checker<'_>,
    bag: &mut Bag,
    class: usize,
    need: Need,
) {
    let mut reach = |bag: &mut Bag, goal: i64| {
        if let Some(point) = nearby.reach(class as u32, goal, &bag.limits, effort) {
            bag.seen.offer(checker, component, point);
        }
    };
    if bag.seen.high[class] < need.up {
        reach(bag, need.up);
    }
    if -bag.seen.low[class] < need.down {
        reach(bag, -need.down);
    }
    if bag.seen.high[class] - bag.seen.low[class] < need.width {
        reach(bag, bag.seen.low[class].saturating_add(need.width));
    }
    if bag.seen.high[class] - bag.seen.low[class] < need.width {
        reach(bag, bag.seen.high[class].saturating_sub(need.width));
    }
}

/// Asks the equations around a class whether they keep it from what is asked. Whether they do.
fn refute_around(
    attack: &Attack,
    nearby: &Nearby<'_>,
    component: &Component,
    bag: &mut Bag,
    class: usize,
    need: Need,
) -> bool {
    let (lowest, highest) = around::bounds(component, &nearby.around(class as u32, AROUND), class as u32, &bag.limits);
    // a bound is an end where it is reached; where it is too short it need not be, if there is more than one value and
    // no other unknown of the class that asks for less
    let asking = component.members[class].iter().filter(|(unknown, _)| attack.need[*unknown as usize].is_some());
    let several = bag.seen.low[class] < bag.seen.high[class] && asking.count() == 1;
    let short = |end: &i64, up: bool| several && if up { *end < need.up } else { -*end < need.down };
    if let Some(end) = lowest.filter(|end| *end == bag.seen.low[class] || short(end, false)) {
        bag.prove(class, false, end);
    }
    if let Some(end) = highest.filter(|end| *end == bag.seen.high[class] || short(end, true)) {
        bag.prove(class, true, end);
    }
    let refuted = |bag: &Bag, up: bool| {
        let end = if up { bag.highest[class] } else { bag.lowest[class] };
        end.is_some_and(|end| short(&end, up))
    };
    refuted(bag, true) || refuted(bag, false) || bag.proven(class, true) && bag.proven(class, false)
}

/// What the unknowns of a class ask of it together.
fn asked(attack: &Attack, members: &[(u32, bool)]) -> Option<Need> {
    let needs = members.iter().filter_map(|(unknown, with)| Some(attack.need[*unknown as usize]?.turned(*with)));
    needs.reduce(Need::and)
}
