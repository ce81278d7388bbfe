//! The attack by nearest numbers: among the records that agree in everything else, the one whose numbers are nearest.
//!
//! Numbers are divided by the standard deviation of the release. The intruder takes the nearest few records. The
//! confidence in the first is its share of their weights 1/d², as if the numbers had noise whose size the intruder
//! estimates from these few. Records at the same least distance share the confidence equally.

use hashbrown::HashMap;
use outward_cells::{Coded, MISSING};
use outward_random::Random;

use super::answer::{Answer, Fitting, draws_of, own_row};
use super::join::{Joined, Lists};
use super::people::Truth;

/// How many nearest records are weighed.
const NEAREST: usize = 5;

/// The numbers of one variable on both sides, in standard deviations of the release; NaN is missing.
pub(super) struct Numbers {
    people: Vec<f64>,
    records: Vec<f64>,
}

impl Numbers {
    /// Reads the numbers of a variable. A value that is no number is missing.
    pub(super) fn new(people: &Coded, records: &Coded, present: &[bool]) -> Self {
        let read = |column: &Coded| -> Vec<f64> {
            let values: Vec<f64> = std::iter::once(f64::NAN)
                .chain(column.dictionary.values().map(|value| value.parse().unwrap_or(f64::NAN)))
                .collect();
            column.codes.iter().map(|code| values[*code as usize]).collect()
        };
        let mut records = read(records);
        records.iter_mut().zip(present).filter(|(_, present)| !**present).for_each(|(x, _)| *x = f64::NAN);
        let known: Vec<f64> = records.iter().copied().filter(|x| x.is_finite()).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let variance = known.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / known.len().max(1) as f64;
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        records.iter_mut().for_each(|x| *x = (*x - mean) / deviation);
        let people = read(people).into_iter().map(|x| (x - mean) / deviation).collect();
        Self { people, records }
    }

    /// Whether no person has a number, or no record.
    pub(super) fn is_empty(&self) -> bool {
        self.people.iter().all(|x| x.is_nan()) || self.records.iter().all(|x| x.is_nan())
    }
}

/// Whether a column is of numbers.
pub(super) fn is_numeric(column: &Coded) -> bool {
    let mut values = column.dictionary.values();
    column.codes.iter().any(|code| *code != MISSING) && values.all(|value| value.parse::<f64>().is_ok())
}

/// One release joined with the people looked for on everything but numbers.
pub(super) struct Nearest<'a> {
    pub(super) joined: &'a Joined,
    pub(super) rows: &'a Lists,
    pub(super) truth: &'a [Truth],
    pub(super) random: Random,
    pub(super) numbers: &'a [Numbers],
}

/// The nearest records found so far.
#[derive(Default)]
struct Found {
    /// The least distances, ascending.
    least: Vec<f64>,
    /// The records at the least distance.
    first: Vec<u32>,
}

impl Found {
    fn add(&mut self, distance: f64, row: u32) {
        match self.least.first() {
            Some(least) if distance == *least => self.first.push(row),
            Some(least) if distance > *least => {}
            _ => self.first = vec![row],
        }
        let at = self.least.partition_point(|known| *known <= distance);
        self.least.insert(at, distance);
        self.least.truncate(NEAREST);
    }

    /// The distance beyond which a record changes nothing.
    fn reach(&self) -> f64 {
        if self.least.len() < NEAREST { f64::INFINITY } else { self.least[NEAREST - 1] }
    }
}

impl Nearest<'_> {
    /// The intruder's answers for some people. `held_out` holds out their own records.
    pub(super) fn answers(&self, people: &[u32], held_out: bool) -> Vec<Answer> {
        let mut by_cell: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut answers = Vec::with_capacity(people.len());
        for person in people {
            let cell = self.joined.people.of_row[*person as usize];
            let sorted = by_cell.entry(cell).or_insert_with(|| self.sorted(*person));
            answers.push(self.answer(*person, sorted, held_out));
        }
        answers
    }

    /// The records that fit, by their first number; those without one last.
    fn sorted(&self, person: u32) -> Vec<u32> {
        let mut rows: Vec<u32> = Fitting::new(self.joined, self.rows, person, None).rows().collect();
        let first = &self.numbers[0].records;
        rows.sort_by(|a, b| first[*a as usize].total_cmp(&first[*b as usize]).then(a.cmp(b)));
        rows
    }

    fn answer(&self, person: u32, sorted: &[u32], held_out: bool) -> Answer {
        let own = own_row(self.truth[person as usize]).filter(|_| held_out);
        let mut found = Found::default();
        let mut look = |row: u32| {
            if Some(row) != own
                && let Some(distance) = self.distance(person, row)
            {
                found.add(distance, row);
            }
            found.reach()
        };
        let (first, records) = (self.numbers[0].people[person as usize], &self.numbers[0].records);
        let numbered = sorted.partition_point(|row| !records[*row as usize].is_nan());
        if first.is_nan() {
            sorted.iter().for_each(|row| {
                look(*row);
            });
        } else {
            // Searches from the person's own number outwards, until the difference in the first number alone exceeds
            // what was found.
            let middle = sorted[..numbered].partition_point(|row| records[*row as usize] < first);
            let near = |row: &u32, reach: f64| (records[*row as usize] - first).powi(2) <= reach;
            let mut reach = f64::INFINITY;
            for row in &sorted[numbered..] {
                reach = look(*row);
            }
            let (mut down, mut up) =
                (sorted[..middle].iter().rev().peekable(), sorted[middle..numbered].iter().peekable());
            loop {
                let below = down.next_if(|row| near(row, reach));
                let above = up.next_if(|row| near(row, reach));
                if below.is_none() && above.is_none() {
                    break;
                }
                for row in [below, above].into_iter().flatten() {
                    reach = look(*row);
                }
            }
        }
        self.claim(person, &found)
    }

    fn claim(&self, person: u32, found: &Found) -> Answer {
        let Some(least) = found.least.first() else { return Answer::NoRecord };
        let candidates = found.first.len();
        let drawn = draws_of(&self.random, person).below(candidates as u64) as usize;
        let weight = |square: &f64| if *least == 0.0 { f64::from(u8::from(*square == 0.0)) } else { least / square };
        let others: f64 = found.least.iter().filter(|square| *square > least).map(weight).sum();
        let confidence = 1.0 / (candidates as f64 + others);
        Answer::Claim { rows: vec![found.first[drawn]], confidence, candidates: candidates as u64 }
    }

    /// The mean squared difference over the numbers that both have, times their number.
    fn distance(&self, person: u32, row: u32) -> Option<f64> {
        let (mut sum, mut known) = (0.0, 0u32);
        for numbers in self.numbers {
            let apart = numbers.people[person as usize] - numbers.records[row as usize];
            if !apart.is_nan() {
                sum += apart * apart;
                known += 1;
            }
        }
        (known > 0).then(|| sum * self.numbers.len() as f64 / f64::from(known))
    }
}
