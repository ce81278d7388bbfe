//! Small random families of tables.

use outward_audit::{Cell, Status, System};

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The categories of one variable: for each that is a total, its parts. The parts of all come first.
pub(crate) type Variable = Vec<Vec<usize>>;

/// `parts` categories and their total.
pub(crate) fn flat(parts: usize) -> Variable {
    let mut variable = vec![Vec::new(); parts];
    variable.push((0..parts).collect());
    variable
}

/// Two groups of two, their totals, and the total of all.
pub(crate) fn grouped() -> Variable {
    vec![vec![], vec![], vec![], vec![], vec![0, 1], vec![2, 3], vec![4, 5]]
}

/// Four places by county and, across it, by kind.
pub(crate) fn overlapping() -> Variable {
    vec![vec![], vec![], vec![], vec![], vec![0, 1], vec![2, 3], vec![0, 2, 3], vec![1], vec![4, 5]]
}

/// The table of all combinations of the variables, from the counts of the inner cells.
pub(crate) fn table(variables: &[Variable], count: &mut dyn FnMut() -> i64) -> System {
    let sizes: Vec<usize> = variables.iter().map(Vec::len).collect();
    let size: usize = sizes.iter().product();
    let split = |mut number: usize| -> Vec<usize> {
        let mut at = vec![0; sizes.len()];
        for (at, size) in at.iter_mut().zip(&sizes).rev() {
            (*at, number) = (number % size, number / size);
        }
        at
    };
    let join = |at: &[usize]| at.iter().zip(&sizes).fold(0, |number, (at, size)| number * size + at);
    let mut values = vec![0; size];
    // Totals come after their parts in every variable, so one sweep in order of the last total is enough.
    for number in 0..size {
        let at = split(number);
        let total = (0..at.len()).find(|variable| !variables[*variable][at[*variable]].is_empty());
        values[number] = match total {
            None => count(),
            Some(variable) => parts(variables, &at, variable).map(|part| values[join(&part)]).sum(),
        };
    }
    let mut system = System::new(values.into_iter().map(Cell::count).collect(), 1, true);
    for number in 0..size {
        let at = split(number);
        for variable in (0..at.len()).filter(|variable| !variables[*variable][at[*variable]].is_empty()) {
            let parts: Vec<u32> = parts(variables, &at, variable).map(|part| join(&part) as u32).collect();
            system.add_total(number as u32, &parts).unwrap();
        }
    }
    system
}

fn parts<'a>(variables: &'a [Variable], at: &'a [usize], variable: usize) -> impl Iterator<Item = Vec<usize>> + 'a {
    variables[variable][at[variable]].iter().map(move |part| {
        let mut at = at.to_vec();
        at[variable] = *part;
        at
    })
}

/// Two tables of one variable each with another, linked by the totals they share.
pub(crate) fn linked(count: &mut dyn FnMut() -> i64) -> System {
    let first = table(&[flat(2), flat(2)], count);
    let mut cells = first.cells.clone();
    let rows: Vec<u32> = vec![2, 5, 8];
    let inner: Vec<i64> = rows[..2].iter().map(|row| cells[*row as usize].value).collect();
    let left: Vec<i64> = inner.iter().map(|total| count().min(*total)).collect();
    let second = cells.len() as u32;
    for (total, left) in inner.iter().zip(&left) {
        cells.extend([Cell::count(*left), Cell::count(total - left)]);
    }
    cells.extend([
        Cell::count(left.iter().sum()),
        Cell::count(inner.iter().zip(&left).map(|(total, left)| total - left).sum()),
    ]);
    let mut system = System::new(cells, 1, true);
    for equation in 0..first.equations() {
        system.add(first.right(equation), first.terms(equation).iter().copied()).unwrap();
    }
    for (row, total) in rows.iter().enumerate() {
        let row = second + 2 * row as u32;
        system.add_total(*total, &[row, row + 1]).unwrap();
    }
    for column in [second, second + 1] {
        system.add_total(column + 4, &[column, column + 2]).unwrap();
    }
    system
}

/// Small counts become unsafe, some cells frozen or hidden already, and bounds are such that tables can be counted.
pub(crate) fn mark(system: &mut System, dice: &mut Dice) {
    for cell in &mut system.cells {
        (cell.lower, cell.upper) = ((cell.value - 2).max(0), cell.value + 2);
        cell.cost = 1 + dice.below(9) as i64;
        cell.status = match dice.below(12) {
            0 => Status::Frozen,
            1 => Status::Hidden,
            _ if (1..3).contains(&cell.value) && dice.below(3) > 0 => Status::Unsafe,
            _ => Status::Open,
        };
        if cell.status == Status::Unsafe {
            let level = |dice: &mut Dice| dice.below(3) as i64;
            cell.lower_protection = level(dice).min(cell.value);
            cell.upper_protection = level(dice);
            cell.sliding_protection = if dice.below(4) == 0 { 2 } else { 0 };
        }
    }
}
