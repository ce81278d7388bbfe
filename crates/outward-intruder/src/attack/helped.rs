//! What helped the intruder: Shapley values of the variables they know.
//!
//! The worth of a set of variables is the expected number of people found with these alone. It is the sum over people
//! of 1/n, if n records fit a person and their own is among these. It needs no random choice and no threshold, so it
//! does not jump. It adds up over people. For one release it is a known measure, the sum of 1/F of Skinner and Elliot
//! (2002).
//!
//! The Shapley value of a variable (Shapley 1953) is what it adds, averaged over all orders in which the variables can come. The values add up to the worth
//! of all variables less that of none. Up to ten variables all sets are counted; beyond that orders are drawn.

use hashbrown::HashMap;
use outward_random::Random;

use super::card::Contribution;
use super::join::{Cells, Joined, Keys, NONE, Shared};
use super::relation::Relation;

/// Up to this many variables all sets of them are counted: 1,024 sets.
pub(super) const ALL_SETS: usize = 10;

/// How many orders are drawn if there are more variables.
pub(super) const ORDERS: usize = 200;

/// How much each of some variables helped, from the worth of sets of them: a set has bit i where it has variable i.
pub(super) fn contributions(
    names: &[String],
    random: &mut Random,
    mut worth: impl FnMut(u64) -> f64,
) -> Vec<Contribution> {
    let many = names.len();
    let all = if many >= 64 { u64::MAX } else { (1 << many) - 1 };
    let mut memo: HashMap<u64, f64> = HashMap::new();
    let mut worth = |set: u64| *memo.entry(set).or_insert_with(|| worth(set));
    let shapley = match many <= ALL_SETS {
        true => by_sets(many, &mut worth),
        false => by_orders(many, random, &mut worth),
    };
    let none = worth(0);
    let mut contributions: Vec<Contribution> = (names.iter().zip(shapley).enumerate())
        .map(|(i, (name, shapley))| Contribution {
            variable: name.clone(),
            shapley,
            last: worth(all) - worth(all & !(1 << i)),
            alone: worth(1 << i) - none,
        })
        .collect();
    contributions.sort_by(|a, b| b.shapley.total_cmp(&a.shapley));
    contributions
}

/// The mean of what a variable adds to sets of each size, averaged over sizes.
fn by_sets(many: usize, worth: &mut impl FnMut(u64) -> f64) -> Vec<f64> {
    // 1/m · 1/C(m − 1, s) is the share of orders in which exactly the s variables of a set come before.
    let mut shares = vec![1.0 / many as f64];
    for s in 1..many {
        shares.push(shares[s - 1] * s as f64 / (many - s) as f64);
    }
    let value = |i: usize, worth: &mut dyn FnMut(u64) -> f64| {
        let before = (0..1u64 << many).filter(|set| set & (1 << i) == 0);
        before.map(|set| shares[set.count_ones() as usize] * (worth(set | 1 << i) - worth(set))).sum()
    };
    (0..many).map(|i| value(i, worth)).collect()
}

fn by_orders(many: usize, random: &mut Random, worth: &mut impl FnMut(u64) -> f64) -> Vec<f64> {
    let mut values = vec![0.0; many];
    for _ in 0..ORDERS {
        let mut order: Vec<usize> = (0..many).collect();
        random.shuffle(&mut order);
        let mut set = 0;
        for i in order {
            values[i] += (worth(set | 1 << i) - worth(set)) / ORDERS as f64;
            set |= 1 << i;
        }
    }
    values
}

/// The variables in which each person agrees with their own record, as sets.
pub(super) fn agreements(variables: &[Shared<'_>], people: &[(u32, u32)]) -> Vec<u64> {
    let agreed = |(person, row): &(u32, u32)| {
        let agrees = |variable: &Shared<'_>| {
            variable.relation.holds(variable.people[*person as usize], variable.records[*row as usize])
        };
        variables.iter().enumerate().map(|(i, variable)| u64::from(agrees(variable)) << i).fold(0, |a, b| a | b)
    };
    people.iter().map(agreed).collect()
}

/// People and records as cells of some variables: all that the worth of sets of these depends on.
#[derive(Clone)]
pub(super) struct View {
    /// The variables, by number.
    variables: Vec<usize>,
    people: Vec<Vec<u32>>,
    /// The variables in which each person agrees with their own record, and how many people there are like that.
    agreed: Vec<u64>,
    persons: Vec<u64>,
    records: Vec<Vec<u32>>,
    counts: Vec<u64>,
}

impl View {
    /// The cells of people who have a record of their own in the release. `people` has them with the row of that record.
    pub(super) fn new(variables: &[Shared<'_>], people: &[(u32, u32)], present: &[bool]) -> Self {
        let columns = variables.iter().map(|v| people.iter().map(|(person, _)| v.people[*person as usize]).collect());
        let keys = variables.iter().map(|v| v.records).collect();
        let records = Cells::new(&Keys { columns: keys, rows: present.len() }, |row| present[row]);
        let of_cells = |v: &Shared<'_>| records.first.iter().map(|row| v.records[*row as usize]).collect();
        let whole = Self {
            variables: (0..variables.len()).collect(),
            people: columns.collect(),
            agreed: agreements(variables, people),
            persons: vec![1; people.len()],
            records: variables.iter().map(of_cells).collect(),
            counts: records.counts,
        };
        whole.compact_people()
    }

    /// The view without one of its variables, by position.
    fn without(&self, place: usize) -> Self {
        let mut fewer = self.clone();
        fewer.variables.remove(place);
        fewer.people.remove(place);
        fewer.records.remove(place);
        fewer.compact()
    }

    /// Joins equal people, and equal records.
    fn compact(self) -> Self {
        let view = self.compact_people();
        let cells = cells_of(&view.records, view.counts.len(), &[]);
        Self { records: pick(&view.records, &cells), counts: sums(&view.counts, &cells), ..view }
    }

    fn compact_people(self) -> Self {
        let halves: [Vec<u32>; 2] =
            [0, 32].map(|shift| self.agreed.iter().map(|agreed| (agreed >> shift) as u32).collect());
        let cells = cells_of(&self.people, self.agreed.len(), &halves);
        Self {
            people: pick(&self.people, &cells),
            agreed: cells.first.iter().map(|row| self.agreed[*row as usize]).collect(),
            persons: sums(&self.persons, &cells),
            ..self
        }
    }

    /// The expected number of people found with the variables of this view.
    fn worth(&self, relations: &[&Relation]) -> f64 {
        let set = self.variables.iter().fold(0u64, |set, variable| set | 1 << variable);
        let variables: Vec<Shared<'_>> = (self.variables.iter().zip(&self.people).zip(&self.records))
            .map(|((variable, people), records)| Shared { people, records, relation: relations[*variable] })
            .collect();
        let found = |person: usize| self.agreed[person] & set == set;
        let present = vec![true; self.counts.len()];
        let joined = Joined::new(&variables, self.agreed.len(), &found, &present, 1);
        let sums = sums(&self.counts, &joined.records);
        let fitting = |cell: u32| joined.fits.get(cell).iter().map(|record| sums[*record as usize]).sum::<u64>();
        let people = joined.people.of_row.iter().zip(&self.persons).filter(|(cell, _)| **cell != NONE);
        people.map(|(cell, persons)| *persons as f64 / fitting(*cell).max(1) as f64).sum()
    }

    /// The worth of every set of the variables, by the set. Each view is made of one with one variable more, so that most are small.
    pub(super) fn worth_of_all_sets(&self, relations: &[&Relation]) -> HashMap<u64, f64> {
        let mut worths = HashMap::new();
        self.descend(relations, 0, &mut worths);
        worths
    }

    fn descend(&self, relations: &[&Relation], from: usize, worths: &mut HashMap<u64, f64>) {
        let set = self.variables.iter().fold(0u64, |set, variable| set | 1 << variable);
        worths.insert(set, self.worth(relations));
        for (place, variable) in self.variables.iter().enumerate().filter(|(_, variable)| **variable >= from) {
            self.without(place).descend(relations, variable + 1, worths);
        }
    }

    /// The worth of one set of the variables.
    pub(super) fn worth_of_set(&self, relations: &[&Relation], set: u64) -> f64 {
        let mut view = self.clone();
        for variable in self.variables.iter().filter(|variable| set & (1 << **variable) == 0) {
            if let Some(place) = view.variables.iter().position(|known| known == variable) {
                view = view.without(place);
            }
        }
        view.worth(relations)
    }
}

/// The cells of some columns, and of more of them.
fn cells_of(columns: &[Vec<u32>], rows: usize, more: &[Vec<u32>]) -> Cells {
    Cells::new(&Keys { columns: columns.iter().chain(more).map(Vec::as_slice).collect(), rows }, |_| true)
}

/// The codes of cells.
fn pick(columns: &[Vec<u32>], cells: &Cells) -> Vec<Vec<u32>> {
    columns.iter().map(|column| cells.first.iter().map(|row| column[*row as usize]).collect()).collect()
}

/// Counts of rows, added up by cell.
fn sums(counts: &[u64], cells: &Cells) -> Vec<u64> {
    let mut sums = vec![0; cells.first.len()];
    for (cell, count) in cells.of_row.iter().zip(counts).filter(|(cell, _)| **cell != NONE) {
        sums[*cell as usize] += count;
    }
    sums
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn names(many: usize) -> Vec<String> {
        (0..many).map(|i| format!("v{i}")).collect()
    }

    /// Every order of some variables.
    fn orders(many: usize) -> Vec<Vec<usize>> {
        if many == 0 {
            return vec![Vec::new()];
        }
        let insert = |order: Vec<usize>| (0..many).map(move |at| [&order[..at], &[many - 1], &order[at..]].concat());
        orders(many - 1).into_iter().flat_map(insert).collect()
    }

    proptest! {
        #[test]
        fn shapley_values_are_the_mean_over_all_orders_and_add_up(
            worths in (1..6usize).prop_flat_map(|many| proptest::collection::vec(0.0..100.0f64, 1 << many)),
        ) {
            let many = worths.len().ilog2() as usize;
            let found = contributions(&names(many), &mut Random::new(1, "orders"), |set| worths[set as usize]);
            let all = orders(many);
            let mut expected = vec![0.0; many];
            for order in &all {
                let mut set = 0;
                for i in order {
                    expected[*i] += (worths[set | 1 << i] - worths[set]) / all.len() as f64;
                    set |= 1 << i;
                }
            }
            for contribution in &found {
                let i: usize = contribution.variable[1..].parse().unwrap();
                prop_assert!((contribution.shapley - expected[i]).abs() < 1e-9);
                prop_assert!((contribution.last - (worths[worths.len() - 1] - worths[(worths.len() - 1) & !(1 << i)])).abs() < 1e-12);
            }
            let sum: f64 = found.iter().map(|contribution| contribution.shapley).sum();
            prop_assert!((sum - (worths[worths.len() - 1] - worths[0])).abs() < 1e-9);
            prop_assert!(found.is_sorted_by(|a, b| a.shapley >= b.shapley));
        }
    }

    proptest! {
        #[test]
        fn records_dropped_early_give_the_same_worths(
            rows in proptest::collection::vec((0..3u8, 0..20u8, 0..4u8, any::<u8>()), 2..60),
        ) {
            let text = |v: usize, wrong: bool| {
                let value = move |row: &(u8, u8, u8, u8)| match v {
                    0 => row.0.to_string(),
                    1 if wrong && row.3.is_multiple_of(4) => ((row.1 + 1) % 20).to_string(),
                    1 if wrong => row.1.to_string(),
                    1 => format!("{}-{}", row.1 / 5 * 5, row.1 / 5 * 5 + 4),
                    _ => row.2.to_string(),
                };
                super::super::fixtures::coded(rows.iter().map(value).map(Some))
            };
            let form = super::super::Form { scale: super::super::Scale::Number, ..super::super::Form::text("v") };
            let columns: Vec<_> = (0..3).map(|v| [text(v, true), text(v, false)]).collect();
            let relations: Vec<Relation> =
                columns.iter().map(|[file, release]| Relation::new(&file.dictionary, &release.dictionary, &form)).collect();
            let variables: Vec<Shared<'_>> = (columns.iter().zip(&relations))
                .map(|([file, release], relation)| Shared { people: &file.codes, records: &release.codes, relation })
                .collect();
            let present: Vec<bool> = rows.iter().map(|row| row.3 % 7 != 0).collect();
            let people: Vec<(u32, u32)> =
                (0..rows.len() as u32).filter(|row| present[*row as usize]).map(|row| (row, row)).collect();
            prop_assume!(super::super::join::agree_by_key(&variables, &present));
            let view = View::new(&variables, &people, &present);
            let by_cells = view.worth_of_all_sets(&relations.iter().collect::<Vec<_>>());
            let agreed = agreements(&variables, &people);
            let refined = super::super::refine::worth_of_all_sets(&variables, &people, &agreed, &present);
            for set in 0..8 {
                // The expected result, by comparing every person with every record.
                let agrees = |p: u32, r: usize| (0..3).all(|v| set & (1 << v) == 0 || relations[v].holds(variables[v].people[p as usize], variables[v].records[r]));
                let fitting = |p: u32| (0..rows.len()).filter(|r| present[*r] && agrees(p, *r)).count();
                let expected: f64 = people.iter().filter(|(p, r)| agrees(*p, *r as usize)).map(|(p, _)| 1.0 / fitting(*p) as f64).sum();
                prop_assert!((by_cells[&set] - expected).abs() < 1e-9 && (refined[&set] - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn drawn_orders_add_up_and_come_near_the_exact_values() {
        // A game whose values are known: the worth of a set is the square of the sum of its weights, so variable i has w_i times the sum of all.
        let weights: Vec<f64> = (1..=12).map(f64::from).collect();
        let sum: f64 = weights.iter().sum();
        let worth = |set: u64| (0..12).filter(|i| set & (1 << i) != 0).map(|i| weights[i]).sum::<f64>().powi(2);
        let found = contributions(&names(12), &mut Random::new(1, "orders"), worth);
        let all: f64 = found.iter().map(|contribution| contribution.shapley).sum();
        assert!((all - sum * sum).abs() < 1e-6);
        for contribution in &found {
            let i: usize = contribution.variable[1..].parse().unwrap();
            assert!(
                (contribution.shapley - weights[i] * sum).abs() < 0.15 * weights[i] * sum + 30.0,
                "{contribution:?}"
            );
        }
    }
}
