//! Sparse tables of many variables: skewed counts with many ones and twos, every margin, zeros that stay published.

use outward_audit::{Cell, Status, System};

/// A table, and the cells of each person who is alone in some.
pub(crate) struct Sparse {
    pub(crate) system: System,
    pub(crate) alone: Vec<Vec<u32>>,
}

/// Chance that is the same in every run: splitmix64.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A count around `mean`, after Poisson.
    fn count(&mut self, mean: f64) -> i64 {
        let stop = (-mean.min(500.0)).exp();
        let (mut product, mut count) = (self.unit(), 0);
        while product > stop {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

/// The nodes of a hierarchy, the total first: for each its parts.
fn hierarchy(fans: &[usize]) -> Vec<Vec<usize>> {
    let (mut parts, mut level) = (vec![Vec::new()], vec![0]);
    for fan in fans {
        let mut next = Vec::new();
        for node in level {
            for _ in 0..*fan {
                let new = parts.len();
                parts[node].push(new);
                next.push(new);
                parts.push(Vec::new());
            }
        }
        level = next;
    }
    parts
}

/// The table of all combinations of the variables, each given by the number of parts at its levels from the top. Every
/// category is rarer than the one before; counts of one and two are unsafe by one each way.
pub(crate) fn table(variables: &[&[usize]], mean: f64, seed: u64) -> Sparse {
    let mut chance = Chance(seed);
    let variables: Vec<_> = variables.iter().map(|fans| hierarchy(fans)).collect();
    let sizes: Vec<usize> = variables.iter().map(Vec::len).collect();
    let strides: Vec<usize> = (0..sizes.len()).map(|at| sizes[at + 1..].iter().product()).collect();
    let node = |cell: usize, variable: usize| cell / strides[variable] % sizes[variable];
    let parts = |cell: usize, variable: usize| -> Vec<u32> {
        let here = cell - node(cell, variable) * strides[variable];
        variables[variable][node(cell, variable)].iter().map(|part| (here + part * strides[variable]) as u32).collect()
    };
    let mut values = vec![0_i64; strides[0] * sizes[0]];
    for cell in (0..values.len()).rev() {
        let along = (0..sizes.len()).map(|variable| parts(cell, variable)).find(|parts| !parts.is_empty());
        values[cell] = match along {
            Some(parts) => parts.iter().map(|part| values[*part as usize]).sum(),
            None => {
                let rare: f64 = (0..sizes.len()).map(|variable| 2.0 / node(cell, variable).max(1) as f64).product();
                let spread = -(1.0 - chance.unit()).ln();
                chance.count(mean * rare * spread)
            }
        };
    }
    let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
    for variable in 0..sizes.len() {
        for cell in 0..system.cells.len() {
            let parts = parts(cell, variable);
            if !parts.is_empty() {
                system.add_total(cell as u32, &parts).unwrap();
            }
        }
    }
    for cell in &mut system.cells {
        match cell.value {
            0 => cell.status = Status::Frozen,
            1..3 => (cell.status, cell.lower_protection, cell.upper_protection) = (Status::Unsafe, 1, 1),
            _ => {}
        }
    }
    let alone = alone(&system, |cell| (0..sizes.len()).all(|variable| parts(cell, variable).is_empty()));
    Sparse { system, alone }
}

/// Each person who is alone in an inner cell, with all totals in which they are still alone.
fn alone(system: &System, inner: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
    let places = system.by_cell();
    let mut persons = Vec::new();
    for cell in (0..system.cells.len()).filter(|cell| system.cells[*cell].value == 1 && inner(*cell)) {
        let mut own = vec![cell as u32];
        let mut at = 0;
        while at < own.len() {
            for (equation, by) in places[own[at] as usize].iter().filter(|(_, by)| *by > 0) {
                let total = system.terms(*equation as usize).iter().find(|(_, other)| other != by);
                let total = total.map(|(total, _)| *total).filter(|total| system.cells[*total as usize].value == 1);
                own.extend(total.filter(|total| !own.contains(total)));
            }
            at += 1;
        }
        persons.push(own);
    }
    persons
}
