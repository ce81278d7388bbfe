//! The worth of sets of variables where every variable agrees by classes: records are dropped as soon as they fit nobody.
//!
//! From no variable on, one is added at a time. A person's cell becomes finer, and a record stays only as long as it is in the cell of somebody. So
//! sets of many variables look at few records, and nothing has to be sorted or hashed.

use hashbrown::HashMap;

use super::join::{NONE, Shared, dense_classes};

/// The people of whom it is counted, and the records that fit some of them, on a set of variables.
struct Refined {
    set: u64,
    /// The cell of each person.
    people: Vec<u32>,
    cells: u32,
    /// Rows of records and the cells they are in.
    records: Vec<(u32, u32)>,
}

/// The classes of a variable, for the people and for all records. Records of class 0 fit nobody.
struct Classes<'a> {
    people: Vec<u32>,
    of_code: Vec<u32>,
    codes: &'a [u32],
    most: u32,
    place: usize,
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
    // Variables that tell most apart come first, so that most records are dropped early.
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.most));
    let records = (0u32..).zip(present).filter(|(_, present)| **present).map(|(row, _)| (row, 0)).collect();
    let none = Refined { set: 0, people: vec![0; people.len()], cells: 1, records };
    let mut worths = HashMap::new();
    none.descend(&variables, agreed, &mut worths);
    worths
}

impl Refined {
    fn descend(&self, variables: &[Classes<'_>], agreed: &[u64], worths: &mut HashMap<u64, f64>) {
        worths.insert(self.set, self.worth(agreed));
        for (at, variable) in variables.iter().enumerate() {
            self.with(variable).descend(&variables[at + 1..], agreed, worths);
        }
    }

    fn worth(&self, agreed: &[u64]) -> f64 {
        let mut counts = vec![0u64; self.cells as usize];
        self.records.iter().for_each(|(_, cell)| counts[*cell as usize] += 1);
        let found = self.people.iter().zip(agreed).filter(|(_, agreed)| **agreed & self.set == self.set);
        found.map(|(cell, _)| 1.0 / counts[*cell as usize].max(1) as f64).sum()
    }

    /// The same with one variable more.
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
        let refined = |(row, cell): &(u32, u32)| {
            let class = variable.of_code[variable.codes[*row as usize] as usize];
            let number = numbers[*cell as usize * width + class as usize];
            (class != 0 && number != NONE).then_some((*row, number))
        };
        let records = self.records.iter().filter_map(refined).collect();
        Self { set: self.set | 1 << variable.place, people, cells, records }
    }
}
