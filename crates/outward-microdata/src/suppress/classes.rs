//! Suppression on keys whose missing value is a category. Records must become equal there, so those below k lose the
//! same keys together and form a class. Wildcard keys play no part here; they can be suppressed afterwards.

use hashbrown::HashMap;

use super::Problem;
use super::units::{UnitSuppression, Units};
use crate::packing::{Packed, masked, ones};

/// With more category keys than this, only small sets of them are tried before records are joined one by one.
const KEYS_TRIED_IN_FULL: u32 = 12;

/// What is suppressed in category keys.
pub(super) struct JoinedClasses {
    /// For each record.
    pub(super) masks: Vec<u64>,
    pub(super) lower_bound: f64,
}

/// Suppresses category cells so that on the category keys of each constraint every class has k records.
pub(super) fn join<const W: usize>(problem: &Problem<'_>, units: &Units<W>) -> JoinedClasses {
    let mut masks = vec![0; problem.rows];
    let states = (0..units.len()).map(|unit| UnitSuppression { unit: unit as u32, mask: 0, records: units.size[unit] });
    let mut joining = ClassJoiner { problem, units, states: states.collect() };
    // Masks only grow, and at the latest when all is suppressed every class is large enough.
    // Mending one constraint can break another.
    while (0..problem.keys.len()).any(|constraint| joining.mend(constraint)) {}
    units.spread(&joining.states, &mut masks);
    JoinedClasses { masks, lower_bound: lower_bound(problem, units) }
}

struct ClassJoiner<'a, const W: usize> {
    problem: &'a Problem<'a>,
    units: &'a Units<W>,
    states: Vec<UnitSuppression>,
}

/// Records that are equal on the category keys of a constraint.
struct CategoryClass<const W: usize> {
    codes: Packed<W>,
    records: u64,
    states: Vec<usize>,
}

impl<const W: usize> ClassJoiner<'_, W> {
    /// Makes all classes of a constraint large enough. Returns whether any was not.
    fn mend(&mut self, constraint: usize) -> bool {
        let keys = self.problem.keys[constraint] & !self.problem.wild;
        let asked = self.problem.request.constraints[constraint].k;
        let small = |class: &CategoryClass<W>| class.records < asked;
        if keys == 0 || !self.classes(constraint, keys).iter().any(small) {
            return false;
        }
        for set in sets(self.problem, keys) {
            self.gather(constraint, keys, set, asked);
        }
        while let Some(class) = self.classes(constraint, keys).iter().position(small) {
            self.recruit(constraint, keys, class, asked);
        }
        true
    }

    /// The codes of a state on some keys.
    fn codes(&self, state: &UnitSuppression, keys: u64) -> Packed<W> {
        masked(&self.units.packed[state.unit as usize], &self.problem.packing.mask(keys & !state.mask))
    }

    /// The classes of a constraint in the order of their first state.
    fn classes(&self, constraint: usize, keys: u64) -> Vec<CategoryClass<W>> {
        let mut number: HashMap<Packed<W>, usize> = HashMap::new();
        let mut classes: Vec<CategoryClass<W>> = Vec::new();
        for (at, state) in self.states.iter().enumerate() {
            if state.records > 0 && self.units.counts(constraint, state.unit as usize) {
                let codes = self.codes(state, keys);
                let class = *number.entry(codes).or_insert(classes.len());
                if class == classes.len() {
                    classes.push(CategoryClass { codes, records: 0, states: Vec::new() });
                }
                classes[class].records += state.records;
                classes[class].states.push(at);
            }
        }
        classes
    }

    /// Classes that are too small and agree outside `set` lose it where together they are large enough.
    fn gather(&mut self, constraint: usize, keys: u64, set: u64, asked: u64) {
        let classes = self.classes(constraint, keys);
        let rest = self.problem.packing.mask(keys & !set);
        let mut together: HashMap<Packed<W>, u64> = HashMap::new();
        for class in classes.iter().filter(|class| class.records < asked) {
            *together.entry(masked(&class.codes, &rest)).or_insert(0) += class.records;
        }
        for class in classes.iter().filter(|class| class.records >= asked) {
            // A class that already lacks these keys takes others in unchanged.
            if let Some(records) = together.get_mut(&class.codes) {
                *records += class.records;
            }
        }
        for class in classes.iter().filter(|class| class.records < asked) {
            if together.get(&masked(&class.codes, &rest)).is_some_and(|records| *records >= asked) {
                class.states.iter().for_each(|state| self.lose(*state, set));
            }
        }
    }

    fn lose(&mut self, state: usize, set: u64) {
        let UnitSuppression { unit, mask, .. } = self.states[state];
        let gone = mask | self.problem.packing.zeros(&self.units.packed[unit as usize], set);
        self.states[state].mask |= set & !gone;
    }

    /// A class that is too small takes records from the class that costs least for each record wanted. It takes as many
    /// as it needs if enough remain there, and otherwise all.
    fn recruit(&mut self, constraint: usize, keys: u64, small: usize, asked: u64) {
        let classes = self.classes(constraint, keys);
        let own = &classes[small];
        let wanted = asked - own.records;
        let packing = &self.problem.packing;
        let cost = |codes: &Packed<W>, set: u64| self.problem.cost(set & !packing.zeros(codes, set));
        let taken = |class: &CategoryClass<W>| if class.records >= asked + wanted { wanted } else { class.records };
        let price = |class: &CategoryClass<W>| {
            let set = packing.different(&own.codes, &class.codes, keys);
            let all = cost(&own.codes, set) * own.records as f64 + cost(&class.codes, set) * taken(class) as f64;
            all / taken(class).min(wanted) as f64
        };
        let others = classes.iter().enumerate().filter(|(class, _)| *class != small);
        let best = others.min_by(|(_, a), (_, b)| price(a).total_cmp(&price(b)));
        let Some((_, best)) = best else { return };
        let set = packing.different(&own.codes, &best.codes, keys);
        let mut take = taken(best);
        own.states.iter().for_each(|state| self.lose(*state, set));
        for state in &best.states {
            let records = self.states[*state].records.min(take);
            take -= records;
            let staying = self.states[*state].records - records;
            if records > 0 && staying > 0 {
                let stay = UnitSuppression { records: staying, ..self.states[*state] };
                self.states.push(stay);
                self.states[*state].records = records;
            }
            if records > 0 {
                self.lose(*state, set);
            }
        }
    }
}

/// Sets of keys, the cheapest first.
fn sets(problem: &Problem<'_>, keys: u64) -> Vec<u64> {
    let keys: Vec<usize> = ones(keys).collect();
    let mut sets: Vec<u64> = if keys.len() as u32 <= KEYS_TRIED_IN_FULL {
        (1..1u64 << keys.len()).map(|chosen| ones(chosen).fold(0, |set, at| set | 1 << keys[at])).collect()
    } else {
        keys.iter().flat_map(|a| keys.iter().filter(move |b| *b >= a).map(move |b| 1 << a | 1 << b)).collect()
    };
    sets.sort_by(|a, b| problem.cost(*a).total_cmp(&problem.cost(*b)).then(a.cmp(b)));
    sets
}

/// A lower bound on the cost of category keys. A record keeps a value only if k records had it: records that are to
/// equal it there must have had the same value. So each record loses at least its cheapest set of keys outside which k
/// records agree with it. Keys it lacks already may be suppressed in the others.
fn lower_bound<const W: usize>(problem: &Problem<'_>, units: &Units<W>) -> f64 {
    let mut least = vec![0.0f64; units.len()];
    for constraint in 0..problem.keys.len() {
        let keys = problem.keys[constraint] & !problem.wild;
        if keys == 0 {
            continue;
        }
        let lacking = |unit: usize| problem.packing.zeros(&units.packed[unit], keys);
        let mut open: Vec<(usize, u64)> = units.counted_by(constraint).map(|unit| (unit, lacking(unit))).collect();
        let asked = problem.request.constraints[constraint].k;
        let mut sets = sets(problem, keys);
        if keys.count_ones() > KEYS_TRIED_IN_FULL {
            sets.truncate(1);
        }
        for set in std::iter::once(0).chain(sets) {
            open.iter().for_each(|(unit, _)| least[*unit] = least[*unit].max(problem.cost(set)));
            if open.is_empty() {
                break;
            }
            open = too_few(problem, units, constraint, keys & !set, &open, asked);
        }
    }
    least.iter().zip(&units.size).map(|(least, size)| least * *size as f64).sum()
}

/// The units with which fewer than `asked` records agree on `keys`, ignoring the keys that each lacks.
fn too_few<const W: usize>(
    problem: &Problem<'_>,
    units: &Units<W>,
    constraint: usize,
    keys: u64,
    open: &[(usize, u64)],
    asked: u64,
) -> Vec<(usize, u64)> {
    let counted: Vec<usize> = units.counted_by(constraint).collect();
    let mut tables: HashMap<u64, (Packed<W>, HashMap<Packed<W>, u64>)> = HashMap::new();
    let few = |(unit, lacking): &&(usize, u64)| {
        let (mask, table) = tables.entry(keys & !lacking).or_insert_with(|| {
            let mask = problem.packing.mask(keys & !lacking);
            (mask, super::recount::tally(units, &counted, &mask))
        });
        table.get(&masked(&units.packed[*unit], mask)).is_none_or(|records| *records < asked)
    };
    open.iter().filter(few).copied().collect()
}
