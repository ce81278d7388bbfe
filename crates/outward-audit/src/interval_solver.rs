//! Solves for the feasibility interval of every class of a component, with as few programs as possible.
//!
//! Circuits come first, one or two for each nonbasic unknown of the dictionary. One witness serves many classes, and an
//! end that a witness has reached needs no solving. What is left is solved exactly. In a large component only the
//! protection levels of unsafe cells are settled, and each only until it is shown or refuted.

use outward_spec::{Error, Result};

use super::Work;
use super::attacker_problem::{AttackerProblem, ProtectionLevels, UNBOUNDED};
use super::dictionary::Dictionary;
use super::integer_program::{SolveMode, furthest_deviation};
use super::intervals::{DeviationIntervals, KnownBounds};
use super::presolve::Component;
use super::relaxation::relaxed_bounds;
use super::simplex::PushOutcome;
use super::tabu_search::{BOXES_ONLY, BRIEF, PATIENT, SearchEffort, TabuSearch};
use super::witness::{Checker, Point, Witnesses};

/// Counts in an interval this narrow are always settled in whole numbers.
const NARROW_INTERVAL: i64 = 3;

/// Steps and pivots of an integer walk before it is given up.
const MAX_WALK: (usize, usize) = (1_000, 30);

/// A dictionary with at least this many terms is kept as a copy before it fills in.
const LARGE_DICTIONARY: usize = 1024;

/// Components of up to this many classes are given to the solver.
const MAX_SOLVER_CLASSES: usize = 20_000;

/// Components of more classes than this are tried as a linear program first.
const TRIAL_CLASSES: usize = 4096;

/// Work charged for one program of the solver, per class.
const PROGRAM_WORK: u64 = 1 << 16;

/// Fill-in of the dictionary, as a multiple of the terms of the equations, beyond which a large component is left to the solver.
const MAX_FILL_IN: usize = 16;

/// Terms of the equations near a class that are kept in its relaxation.
const MAX_RELAXATION_TERMS: usize = 600;

/// Limits in a large component, beyond which its remaining classes stay undecided: linear programs times classes.
const MAX_LINEAR_WORK: u64 = 1 << 31;
/// Pivots in these linear programs.
const MAX_PIVOTS: u64 = 200_000;
/// Terms visited in these pivots.
const MAX_TERMS: u64 = 1 << 30;
/// Integer programs.
const MAX_INTEGER_PROGRAMS: u64 = 64;

/// Solves for the intervals of one component.
#[derive(Debug)]
pub(super) struct IntervalSolver<'a> {
    problem: &'a AttackerProblem,
    component: &'a Component,
    /// The protection levels of each class: the largest of those of its unknowns.
    pub(super) required: Vec<Option<ProtectionLevels>>,
    /// The search for tables near the true one, in a large component.
    tabu: Option<TabuSearch<'a>>,
    dictionary: Option<Dictionary>,
    /// Whether the dictionary was made. It is made when it is first needed, and dropped if numbers overflow.
    dictionary_made: bool,
    /// A large dictionary as it was at first. Pivots fill it in, and then it is restored from here.
    initial_dictionary: Option<Dictionary>,
    /// Whether the solver reached its limit on this component.
    solver_gave_up: bool,
    /// Whether both ends of every class are settled, not only the protection levels.
    exhaustive: bool,
    /// Work allowed for that, and work done.
    work_limit: u64,
    pub(super) work_done: u64,
    /// Whether integer ends are settled everywhere, not only where an interval is narrow or too tight.
    all_integer: bool,
}

impl<'a> IntervalSolver<'a> {
    /// Prepares a component. Both ends of every class are settled as far as `work_limit` goes, and in integers if
    /// `all_integer`. With no work allowed, or too little, only the protection levels are settled.
    pub(super) fn new(
        problem: &'a AttackerProblem,
        component: &'a Component,
        work_limit: u64,
        all_integer: bool,
    ) -> Self {
        let required = component.members.iter().map(|members| class_levels(problem, members)).collect();
        let exhaustive = work_limit > 0;
        let tabu = (!exhaustive).then(|| TabuSearch::new(Some(problem), component));
        Self {
            problem,
            component,
            required,
            tabu,
            dictionary: None,
            dictionary_made: false,
            initial_dictionary: None,
            solver_gave_up: false,
            exhaustive,
            work_limit,
            work_done: 0,
            all_integer,
        }
    }

    /// Makes the dictionary if there is none yet. Returns whether it is new.
    fn make_dictionary(&mut self) -> bool {
        if self.dictionary_made {
            return false;
        }
        self.dictionary_made = true;
        let equations = &self.component.equations;
        let terms: usize = equations.iter().map(Vec::len).sum();
        let max_terms = if self.exhaustive { usize::MAX } else { MAX_FILL_IN * terms };
        self.dictionary = Dictionary::new(&self.component.low, &self.component.high, equations, max_terms);
        self.work_done += self.dictionary.as_mut().map_or(0, |dictionary| std::mem::take(&mut dictionary.work));
        self.initial_dictionary = self.dictionary.clone().filter(|dictionary| dictionary.terms() >= LARGE_DICTIONARY);
        true
    }

    /// The intervals of all classes of the component.
    pub(super) fn solve_component(&mut self, checker: &mut Checker<'_>, work: &mut Work) -> Result<DeviationIntervals> {
        let mut intervals =
            DeviationIntervals::new(Witnesses::new(self.component.members.len()), KnownBounds::default());
        if self.exhaustive {
            self.make_dictionary();
            self.add_circuits(checker, &mut intervals)?;
            self.settle_all_ends(checker, work, &mut intervals)?;
        }
        if !self.exhaustive {
            let asked = |class: &usize| self.required[*class].is_some();
            let classes: Vec<usize> = (0..self.required.len()).filter(asked).collect();
            self.show_or_refute(checker, work, &mut intervals, &classes)?;
        }
        work.witnesses += intervals.witnesses.len() as u64;
        Ok(intervals)
    }

    /// Settles both ends of every class. If that exceeds the work allowed, the component is treated as a large one from then on.
    fn settle_all_ends(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        intervals: &mut DeviationIntervals,
    ) -> Result<()> {
        for class in 0..self.required.len() {
            self.settle_end(checker, work, intervals, class, true, UNBOUNDED)?;
            self.settle_end(checker, work, intervals, class, false, -UNBOUNDED)?;
            if self.work_done > self.work_limit {
                self.exhaustive = false;
                self.tabu = Some(TabuSearch::new(Some(self.problem), self.component));
                break;
            }
        }
        Ok(())
    }

    /// Solves again for a contributor who knows tighter bounds on some classes. Returns the classes whose witnesses
    /// they can rule out, with new intervals for these. `levels_against` gives the levels that hold against the
    /// contributor. New witnesses are added to `before`.
    pub(super) fn solve_for_contributor(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        before: &mut DeviationIntervals,
        levels_against: impl Fn(u32) -> Option<ProtectionLevels>,
        known: &KnownBounds,
    ) -> Result<Option<(Vec<usize>, DeviationIntervals)>> {
        let mut lost = Vec::new();
        let beyond = before.witnesses.points_beyond(known);
        let asked = |class: &u32| self.required[*class as usize].is_some() && !known.fixes(*class);
        for class in before.witnesses.moved_by(&beyond).into_iter().filter(asked) {
            let Some(levels) = levels_against(class) else { continue };
            if let Some((low, high)) = before.witnesses.shortfall(class, &levels, &beyond) {
                lost.push((class as usize, levels, low, high));
            }
        }
        if lost.is_empty() {
            return Ok(None);
        }
        let mut intervals = DeviationIntervals::new(Witnesses::new(self.required.len()), known.clone());
        let asked = self.required.clone();
        for (class, levels, low, high) in &lost {
            (intervals.witnesses.low[*class], intervals.witnesses.high[*class]) = (*low, *high);
            self.required[*class] = Some(*levels);
        }
        let classes: Vec<usize> = lost.into_iter().map(|(class, ..)| class).collect();
        let shown = self.show_or_refute(checker, work, &mut intervals, &classes);
        self.required = asked;
        shown?;
        before.witnesses.absorb(intervals.witnesses.take_points());
        Ok(Some((classes, intervals)))
    }

    /// Shows that classes meet their protection levels, or proves their ends. It searches tables near the true one
    /// first, and then uses the dictionary.
    fn show_or_refute(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        intervals: &mut DeviationIntervals,
        classes: &[usize],
    ) -> Result<()> {
        let asked = |class: &usize| self.required[*class].map(|levels| (*class, levels));
        let mut asked: Vec<(usize, ProtectionLevels)> = classes.iter().filter_map(asked).collect();
        if let Some(tabu) = &mut self.tabu {
            for effort in [&BOXES_ONLY, &BRIEF, &PATIENT] {
                for (class, levels) in &asked {
                    show_by_tabu_search(tabu, effort, self.component, checker, intervals, *class, *levels);
                }
                asked.retain(|(class, levels)| !intervals.meets(*class, levels));
            }
            asked.retain(|(class, levels)| {
                !refute_by_relaxation(self.problem, tabu, self.component, intervals, *class, *levels)
            });
        }
        asked.retain(|(class, levels)| !intervals.meets(*class, levels));
        if asked.is_empty() {
            return Ok(());
        }
        if self.make_dictionary() && intervals.known.is_empty() {
            self.add_circuits(checker, intervals)?;
        }
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.restart(&self.component.low, &self.component.high, &intervals.known);
        }
        let (linear, integer, pivots) = (work.linear, work.integer, self.pivots());
        for (class, levels) in asked {
            let programs = (work.linear - linear) * self.required.len() as u64;
            let exchanges = self.pivots().saturating_sub(pivots);
            let much = programs > MAX_LINEAR_WORK
                || exchanges > MAX_PIVOTS
                || self.work_done > MAX_TERMS.saturating_add(self.work_limit);
            if !self.exhaustive && (much || work.integer - integer > MAX_INTEGER_PROGRAMS) {
                break;
            }
            self.decide(checker, work, intervals, class, levels)?;
        }
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.restart(&self.component.low, &self.component.high, &KnownBounds::default());
        }
        Ok(())
    }

    /// Pivots made in the dictionary.
    pub(super) fn pivots(&self) -> u64 {
        self.dictionary.as_ref().map_or(0, |dictionary| dictionary.pivots)
    }

    fn add_circuits(&self, checker: &mut Checker<'_>, intervals: &mut DeviationIntervals) -> Result<()> {
        let Some(dictionary) = &self.dictionary else { return Ok(()) };
        for unknown in 0..dictionary.len() as u32 {
            if dictionary.determined(unknown) {
                intervals.prove(unknown as usize, true, 0);
                intervals.prove(unknown as usize, false, 0);
            }
            for point in dictionary.circuits(unknown) {
                if !intervals.witnesses.offer(checker, self.component, point) {
                    return Err(Error::bug("a circuit of the audit does not satisfy the equations"));
                }
            }
        }
        Ok(())
    }

    /// Shows that a class meets its protection levels, or proves both ends.
    fn decide(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        intervals: &mut DeviationIntervals,
        class: usize,
        levels: ProtectionLevels,
    ) -> Result<()> {
        self.settle_end(checker, work, intervals, class, true, levels.up)?;
        self.settle_end(checker, work, intervals, class, false, -levels.down)?;
        let (up, down) = (intervals.witnesses.low[class].saturating_add(levels.width), intervals.witnesses.high[class]);
        self.settle_end(checker, work, intervals, class, true, up.max(levels.up))?;
        self.settle_end(checker, work, intervals, class, false, down.saturating_sub(levels.width).min(-levels.down))?;
        if !intervals.meets(class, &levels) {
            self.settle_end(checker, work, intervals, class, true, UNBOUNDED)?;
            self.settle_end(checker, work, intervals, class, false, -UNBOUNDED)?;
        }
        Ok(())
    }

    /// Moves a class up or down to a goal, or proves the end that it reaches before the goal.
    fn settle_end(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        intervals: &mut DeviationIntervals,
        class: usize,
        up: bool,
        goal: i64,
    ) -> Result<()> {
        let bound = if up { self.component.high[class] } else { self.component.low[class] };
        if intervals.shown(class, up) == bound {
            intervals.prove(class, up, bound);
        }
        let enough = |intervals: &DeviationIntervals| {
            intervals.proven(class, up)
                || if up { intervals.shown(class, up) >= goal } else { intervals.shown(class, up) <= goal }
        };
        if enough(intervals) {
            return Ok(());
        }
        let Some(mut dictionary) = self.dictionary.take() else {
            return self.solve_integer_program(checker, work, intervals, class, up, (bound, goal));
        };
        work.linear += 1;
        if self.restore_sparse_dictionary(&mut dictionary) || !self.exhaustive {
            dictionary.restart(&self.component.low, &self.component.high, &intervals.known);
        }
        let limit = self.push_by_simplex(checker, intervals, &mut dictionary, class, up, goal)?;
        self.work_done += std::mem::take(&mut dictionary.work);
        // after an overflow there is no dictionary: the solver takes the rest of the component
        self.dictionary = limit.map(|_| dictionary);
        let limit = limit.unwrap_or(bound);
        if intervals.shown(class, up) == limit {
            intervals.prove(class, up, limit);
        }
        if enough(intervals) || !self.worth_integer_program(intervals, class, up, limit) {
            return Ok(());
        }
        self.solve_integer_program(checker, work, intervals, class, up, (limit, goal))
    }

    /// Pushes a class by the simplex method and offers the points reached. Returns a bound on the end; `None` after an overflow.
    fn push_by_simplex(
        &self,
        checker: &mut Checker<'_>,
        intervals: &mut DeviationIntervals,
        dictionary: &mut Dictionary,
        class: usize,
        up: bool,
        goal: i64,
    ) -> Result<Option<i64>> {
        let Some(outcome) = dictionary.push(class as u32, up, goal) else { return Ok(None) };
        let limit = match outcome {
            PushOutcome::Optimal => dictionary.towards_truth(class as u32),
            _ if up => self.component.high[class],
            _ => self.component.low[class],
        };
        let ray = match outcome {
            PushOutcome::Unbounded { enter, rise } => dictionary.ray(enter, rise),
            PushOutcome::Reached | PushOutcome::Optimal => None,
        };
        if let Some(ray) = ray {
            self.offer(checker, intervals, ray)?;
            intervals.witnesses.mark_unbounded(class, up);
            return Ok(Some(limit));
        }
        if self.offer_point(checker, intervals, dictionary)? {
            return Ok(Some(limit));
        }
        let goal = if up { goal.min(limit) } else { goal.max(limit) };
        if goal != intervals.shown(class, up) {
            dictionary.restart(&self.component.low, &self.component.high, &intervals.known);
            let Some(unbounded) = dictionary.walk(class as u32, up, goal, MAX_WALK) else { return Ok(None) };
            if self.offer_point(checker, intervals, dictionary)? && unbounded {
                intervals.witnesses.mark_unbounded(class, up);
            }
        }
        Ok(Some(limit))
    }

    /// Restores the initial dictionary if this one has filled in. Returns whether it did.
    fn restore_sparse_dictionary(&self, dictionary: &mut Dictionary) -> bool {
        let Some(initial) = self.initial_dictionary.as_ref().filter(|initial| dictionary.terms() > 4 * initial.terms())
        else {
            return false;
        };
        let pivots = dictionary.pivots;
        dictionary.clone_from(initial);
        dictionary.pivots = pivots;
        true
    }

    /// Offers the dictionary's point as a witness. Returns whether it is one: for counts it must be integer.
    fn offer_point(
        &self,
        checker: &mut Checker<'_>,
        intervals: &mut DeviationIntervals,
        dictionary: &Dictionary,
    ) -> Result<bool> {
        let Some(point) = dictionary.point() else { return Ok(false) };
        if self.problem.counts && point.scale != 1 {
            return Ok(false);
        }
        self.offer(checker, intervals, point).map(|()| true)
    }

    /// Offers a table as a witness that must be one.
    fn offer(&self, checker: &mut Checker<'_>, intervals: &mut DeviationIntervals, point: Point) -> Result<()> {
        match intervals.witnesses.offer(checker, self.component, point) {
            true => Ok(()),
            false => Err(Error::bug("a table found by the audit does not satisfy the equations")),
        }
    }

    /// Whether an integer end is worth an integer program. `limit` is the end of the linear relaxation.
    fn worth_integer_program(&self, intervals: &DeviationIntervals, class: usize, up: bool, limit: i64) -> bool {
        let other = intervals.shown(class, !up);
        let unmet = self.required[class].is_some_and(|levels| !intervals.meets(class, &levels));
        self.all_integer || unmet || limit.abs_diff(other) <= NARROW_INTERVAL.unsigned_abs()
    }

    /// Asks the solver for the furthest deviation between what is shown and the limit, or the goal if that is nearer.
    fn solve_integer_program(
        &mut self,
        checker: &mut Checker<'_>,
        work: &mut Work,
        intervals: &mut DeviationIntervals,
        class: usize,
        up: bool,
        (limit, goal): (i64, i64),
    ) -> Result<()> {
        if !self.exhaustive && (self.solver_gave_up || self.required.len() > MAX_SOLVER_CLASSES) {
            return Ok(());
        }
        work.integer += 1;
        self.work_done += PROGRAM_WORK * self.required.len() as u64;
        let shown = intervals.shown(class, up);
        let to = if up { limit.min(goal) } else { limit.max(goal) };
        let within = (shown.min(to), shown.max(to));
        let ask =
            |mode: SolveMode| furthest_deviation(self.component, class as u32, up, within, &intervals.known, mode);
        if !self.exhaustive && self.required.len() > TRIAL_CLASSES {
            // if the linear program already takes too long, the integer program takes longer
            let Some(end) = ask(SolveMode::LinearTrial).and_then(|found| found.end) else {
                self.solver_gave_up = true;
                return Ok(());
            };
            if end == shown {
                intervals.prove(class, up, shown);
                return Ok(());
            }
        }
        let Some(found) = ask(SolveMode::Full { integer: self.problem.counts }) else { return Ok(()) };
        intervals.witnesses.offer(checker, self.component, found.point);
        let Some(end) = found.end else { return Ok(()) };
        if to != limit && end != to {
            // integer values may exist beyond the goal even if there are none up to it
            return self.solve_integer_program(checker, work, intervals, class, up, (limit, limit));
        }
        if to == limit && intervals.shown(class, up) == end {
            intervals.prove(class, up, end);
        }
        Ok(())
    }
}

/// Searches near the true table for witnesses of a class's protection levels. The checker drops tables that do not fit.
fn show_by_tabu_search(
    tabu: &mut TabuSearch<'_>,
    effort: &SearchEffort,
    component: &Component,
    checker: &mut Checker<'_>,
    intervals: &mut DeviationIntervals,
    class: usize,
    levels: ProtectionLevels,
) {
    let mut reach = |intervals: &mut DeviationIntervals, goal: i64| {
        if let Some(point) = tabu.reach(class as u32, goal, &intervals.known, effort) {
            intervals.witnesses.offer(checker, component, point);
        }
    };
    if intervals.witnesses.high[class] < levels.up {
        reach(intervals, levels.up);
    }
    if -intervals.witnesses.low[class] < levels.down {
        reach(intervals, -levels.down);
    }
    if intervals.witnesses.high[class] - intervals.witnesses.low[class] < levels.width {
        reach(intervals, intervals.witnesses.low[class].saturating_add(levels.width));
    }
    if intervals.witnesses.high[class] - intervals.witnesses.low[class] < levels.width {
        reach(intervals, intervals.witnesses.high[class].saturating_sub(levels.width));
    }
}

/// Bounds a class by the equations near it. Returns whether these refute its protection levels or prove both ends.
fn refute_by_relaxation(
    problem: &AttackerProblem,
    tabu: &TabuSearch<'_>,
    component: &Component,
    intervals: &mut DeviationIntervals,
    class: usize,
    levels: ProtectionLevels,
) -> bool {
    let near = tabu.equations_near(class as u32, MAX_RELAXATION_TERMS);
    let (low, high) = relaxed_bounds(component, &near, class as u32, &intervals.known);
    // A bound that a witness reaches is an end. A bound below the level refutes it even if no witness reaches it, provided that
    // there is more than one value and no other unknown of the class has a lower level.
    let asking = component.members[class].iter().filter(|(unknown, _)| problem.levels[*unknown as usize].is_some());
    let several = intervals.witnesses.low[class] < intervals.witnesses.high[class] && asking.count() == 1;
    let short = |end: &i64, up: bool| several && if up { *end < levels.up } else { -*end < levels.down };
    if let Some(end) = low.filter(|end| *end == intervals.witnesses.low[class] || short(end, false)) {
        intervals.prove(class, false, end);
    }
    if let Some(end) = high.filter(|end| *end == intervals.witnesses.high[class] || short(end, true)) {
        intervals.prove(class, true, end);
    }
    let refuted = |intervals: &DeviationIntervals, up: bool| {
        let end = if up { intervals.proven_high[class] } else { intervals.proven_low[class] };
        end.is_some_and(|end| short(&end, up))
    };
    refuted(intervals, true)
        || refuted(intervals, false)
        || intervals.proven(class, true) && intervals.proven(class, false)
}

/// The protection levels of a class: the largest of those of its unknowns.
fn class_levels(problem: &AttackerProblem, members: &[(u32, bool)]) -> Option<ProtectionLevels> {
    let required =
        members.iter().filter_map(|(unknown, with)| Some(problem.levels[*unknown as usize]?.oriented(*with)));
    required.reduce(ProtectionLevels::and)
}
