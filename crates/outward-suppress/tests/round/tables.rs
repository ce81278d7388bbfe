//! Tables to round: hierarchies on every variable, all margins, Poisson counts of uneven means.

use outward_audit::{Cell, System};

/// Chance that is the same in every run: splitmix64.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A count whose mean is itself exponential around `mean`.
    pub(crate) fn count(&mut self, mean: f64) -> i64 {
        let stop = (mean * (1.0 - self.unit()).ln()).exp();
        let (mut product, mut count) = (self.unit(), 0);
        while product > stop {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

/// The nodes of a hierarchy, root first: for each its parts.
fn hierarchy(fans: &[usize]) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new()];
    let mut level = vec![0];
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

/// A table of made counts.
pub(crate) fn table(variables: &[&[usize]], mean: f64, seed: u64) -> System {
    let mut chance = Chance(seed);
    table_of(variables, || chance.count(mean))
}

/// A table of the product of hierarchies, each given by the number of parts at its levels from the top. Inner cells are
/// asked for from the last to the first.
pub(crate) fn table_of(variables: &[&[usize]], mut count: impl FnMut() -> i64) -> System {
    let variables: Vec<_> = variables.iter().map(|fans| hierarchy(fans)).collect();
    let sizes: Vec<usize> = variables.iter().map(Vec::len).collect();
    let strides: Vec<usize> = (0..sizes.len()).map(|at| sizes[at + 1..].iter().product()).collect();
    let cells: usize = sizes.iter().product();
    let parts = |cell: usize, variable: usize| -> Vec<u32> {
        let (stride, node) = (strides[variable], cell / strides[variable] % sizes[variable]);
        variables[variable][node].iter().map(|part| (cell - node * stride + part * stride) as u32).collect()
    };
    let mut values = vec![0i64; cells];
    // Parts come after their totals in every variable, so that from the last cell to the first they are ready.
    for cell in (0..cells).rev() {
        let along = (0..sizes.len()).map(|variable| parts(cell, variable)).find(|parts| !parts.is_empty());
        values[cell] = match along {
            Some(parts) => parts.iter().map(|part| values[*part as usize]).sum(),
            None => count(),
        };
    }
    let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
    for variable in 0..sizes.len() {
        for cell in 0..cells {
            let parts = parts(cell, variable);
            if !parts.is_empty() {
                system.add_total(cell as u32, &parts).unwrap();
            }
        }
    }
    system
}
