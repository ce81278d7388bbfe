//! The worth of sets of variables if every variable agrees by classes: records are dropped as soon as they fit nobody.
//!
//! The search starts with no variable and adds one at a time. Each time a person's cell becomes finer, and a record
//! stays only as long as it is in the cell of some person. So sets of many variables have few records. Once a variable
//! cannot be added any more, records that differ in nothing else become one with a count. So sets of variables with few
//! values have few records too. Nothing has to be sorted or hashed.

use hashbrown::HashMap;

use super::join::{NONE, Shared, dense_classes};

/// Records of one cell that are equal in all variables that may still be added.
#[derive(Debug, Clone, Copy)]
struct Alike {
    /// The row of one of them.
    row: u32,
    cell: u32,
    count: u32,
}

/// The people of the measure, and the records that fit some of them, on a set of variables.
struct Refined {
    set: u64,
    /// The cell of each person.
    people: Vec<u32>,
    cells: u32,
    records: Vec<Alike>,
}

/// The classes of a variable, for the people and for all records. Records of class 0 fit nobody.
struct Classes<'a> {
    people: Vec<u32>,
    of_code: Vec<u32>,
    codes: &'a [u32],
    most: u32,
    place: usize,
}

impl Classes<'_> {
    fn of_row(&self, row: u32) -> u32 {
        self.of_code[self.codes[row as usize] as usize]
    }
}

/// The worth of every set of the variables, by the set. `people` has people with the row of their own record.
pub(super) fn worth_of_all_sets(
    variables: &[Shared<'_>],
    people: &[(u32, u32)],
    agreed: &[u64],
    present: &[bool],
) -> HashMap<u64, f64> {
    let classes = |(place, variable): (usize, &Shared<'_>)| {
        let (left, of_code) = dense_classes(variable.relation);
        let people: Vec<u32> =
            people.iter().map(|(person, _)| left[variable.people[*person as usize] as usize]).collect();
        let most = left.iter().chain(&of_code).copied().max().unwrap_or(0);
        (place, people, of_code, most)
    };
    let mut variables: Vec<Classes<'_>> = (variables.iter().enumerate())
        .map(|at| (classes(at), at.1.records))
        .map(|((place, people, of_code, most), codes)| Classes { people, of_code, codes, most, place })
        .collect();
    // Variables with most classes come first, so that most records are dropped early.
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.most));
    let alike = |(row, present): (u32, &bool)| present.then_some(Alike { row, cell: 0, count: 1 });
    let records = (0u32..).zip(present).filter_map(alike).collect();
    let none = Refined { set: 0, people: vec![0; people.len()], cells: 1, records };
    let mut worths = HashMap::new();
    none.descend(&variables, agreed, &mut worths);
    worths
}

impl Refined {
    fn descend(mut self, variables: &[Classes<'_>], agreed: &[u64], worths: &mut HashMap<u64, f64>) {
        worths.insert(self.set, self.worth(agreed));
        for (at, variable) in variables.iter().enumerate() {
            self.put_together(&variables[at..]);
            self.with(variable).descend(&variables[at + 1..], agreed, worths);
        }
    }

    fn worth(&self, agreed: &[u64]) -> f64 {
        let mut counts = vec![0u64; self.cells as usize];
        self.records.iter().for_each(|alike| counts[alike.cell as usize] += u64::from(alike.count));
        let found = self.people.iter().zip(agreed).filter(|(_, agreed)| **agreed & self.set == self.set);
        found.map(|(cell, _)| 1.0 / counts[*cell as usize].max(1) as f64).sum()
    }

    /// With one more variable.
    fn with(&self, variable: &Classes<'_>) -> Self {
        let width = variable.most as usize + 1;
        let mut numbers = vec![NONE; self.cells as usize * width];
        let mut cells = 0;
        let mut people = Vec::with_capacity(self.people.len());
        for (cell, class) in self.people.iter().zip(&variable.people) {
            let number = &mut numbers[*cell as usize * width + *class as usize];
            if *number == NONE {
                *number = cells;
                cells += 1;
            }
            people.push(*number);
        }
        let refined = |alike: &Alike| {
            let class = variable.of_row(alike.row);
            let number = numbers[alike.cell as usize * width + class as usize];
            (class != 0 && number != NONE).then_some(Alike { cell: number, ..*alike })
        };
        let records = self.records.iter().filter_map(refined).collect();
        Self { set: self.set | 1 << variable.place, people, cells, records }
    }

    /// Joins records that are equal in the variables that may still be added, if that leaves half of them or fewer.
    fn put_together(&mut self, variables: &[Classes<'_>]) {
        let most = self.records.len() / 2;
        let combine = |all: usize, width: u32| all.checked_mul(width as usize + 1).filter(|all| *all <= most);
        let all = variables.iter().map(|variable| variable.most).try_fold(self.cells as usize, combine);
        let Some(all) = all else { return };
        let mut numbers = vec![NONE; all];
        let mut together: Vec<Alike> = Vec::new();
        for alike in &self.records {
            let place = variables.iter().fold(alike.cell as usize, |place, variable| {
                place * (variable.most as usize + 1) + variable.of_row(alike.row) as usize
            });
            match numbers[place] {
                NONE => {
                    numbers[place] = together.len() as u32;
                    together.push(*alike);
                }
                known => together[known as usize].count += alike.count,
            }
        }
        self.records = together;
    }
}
