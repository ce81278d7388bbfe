//! Rolls up inner cells for coarser dimensions, so that each combination is counted from few cells.

use hashbrown::HashMap;
use outward_spec::{Result, TableRules};

use super::recodings::Recodings;
use crate::inner::{Contribution, Inner, Tally};
use crate::judge::{count_unsafe, largest_needed};
use crate::table::{Dimension, Magnitudes, Table};

/// Counts a table with any combination of recodings. Inner cells are rolled up variable by variable. What two
/// consecutive combinations have in common is kept.
pub(super) struct Roller<'a> {
    inner: &'a Inner,
    choices: &'a [Recodings],
    rules: &'a TableRules,
    shell: Table,
    /// For each variable the way chosen, and the inner cells rolled up to it.
    stack: Vec<(usize, Inner)>,
}

impl<'a> Roller<'a> {
    pub(super) fn new(inner: &'a Inner, table: &Table, choices: &'a [Recodings], rules: &'a TableRules) -> Self {
        let empty = |sums: &Magnitudes| Magnitudes {
            of: sums.of.clone(),
            mean: sums.mean,
            scale: sums.scale,
            ..Magnitudes::default()
        };
        let shell = Table {
            dimensions: Vec::new(),
            counts: Vec::new(),
            keys: Vec::new(),
            weighted: table.weighted.as_ref().map(|_| Vec::new()),
            magnitudes: table.magnitudes.as_ref().map(empty),
            ..table.clone()
        };
        Self { inner, choices, rules, shell, stack: Vec::new() }
    }

    /// The same table with other recodings.
    pub(super) fn with<'b>(&self, choices: &'b [Recodings]) -> Roller<'b>
    where
        'a: 'b,
    {
        Roller { inner: self.inner, choices, rules: self.rules, shell: self.shell.clone(), stack: Vec::new() }
    }

    /// The inner cells rolled up to a combination.
    pub(super) fn rolled(&mut self, choice: &[usize]) -> &Inner {
        let common = self.stack.iter().zip(choice).take_while(|((way, _), wanted)| way == *wanted).count();
        self.stack.truncate(common);
        for (variable, way) in choice.iter().enumerate().skip(common) {
            let below = self.stack.last().map_or(self.inner, |(_, inner)| inner);
            let rolled = collapse(below, variable, &self.choices[variable].ways[*way].dimension);
            self.stack.push((*way, rolled));
        }
        self.stack.last().map_or(self.inner, |(_, inner)| inner)
    }

    /// The table of a combination.
    pub(super) fn table(&mut self, choice: &[usize]) -> Result<Table> {
        let ways = choice.iter().zip(self.choices).map(|(way, choice)| &choice.ways[*way]);
        let shell = Table { dimensions: ways.map(|way| way.dimension.clone()).collect(), ..self.shell.clone() };
        let largest = self.rules.magnitude.as_ref().map_or(0, largest_needed);
        self.rolled(choice).tabulate(shell, largest)
    }

    /// How many cells of a combination are unsafe.
    pub(super) fn count_unsafe(&mut self, choice: &[usize]) -> Result<usize> {
        count_unsafe(&self.table(choice)?, self.rules)
    }
}

/// Joins inner cells that a dimension does not distinguish, and leaves out those that it does not show.
fn collapse(inner: &Inner, variable: usize, dimension: &Dimension) -> Inner {
    let like = first_alike(inner, variable, dimension);
    let mut made = Inner { bases: inner.bases.clone(), scale: inner.scale, ..Inner::default() };
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut moved = vec![None; inner.tallies.len()];
    for (cell, tally) in inner.tallies.iter().enumerate() {
        let mut codes = inner.cell(cell).to_vec();
        let Some(code) = like[codes[variable] as usize] else { continue };
        codes[variable] = code;
        let at = *known.entry(codes).or_insert_with_key(|codes| {
            made.codes.extend(codes);
            made.tallies.push(Tally::default());
            made.tallies.len() as u32 - 1
        });
        moved[cell] = Some(at);
        let into = &mut made.tallies[at as usize];
        into.count += tally.count;
        into.weight += tally.weight;
        into.known += tally.known;
        into.cost += tally.cost;
        into.key = into.key.wrapping_add(tally.key);
        into.one += tally.one;
    }
    made.contributions = moved_to(&inner.contributions, &moved);
    made
}

/// Contributions in the cells they are moved to, each contributor once in a cell.
fn moved_to(contributions: &[Contribution], moved: &[Option<u32>]) -> Vec<Contribution> {
    let to = |given: &Contribution| Some(Contribution { cell: moved[given.cell as usize]?, ..*given });
    let mut together: Vec<Contribution> = contributions.iter().filter_map(to).collect();
    together.sort_unstable_by_key(|given| (given.cell, given.contributor));
    together.dedup_by(|next, first| {
        let same = (next.cell, next.contributor) == (first.cell, first.contributor);
        first.amount += if same { next.amount } else { 0 };
        same
    });
    together
}

/// For each code of a variable, or each set, the first one that is in the same nodes; `None` if it is in no node.
fn first_alike(inner: &Inner, variable: usize, dimension: &Dimension) -> Vec<Option<u32>> {
    let base = &inner.bases[variable];
    let mut nodes_of: Vec<Vec<u32>> = vec![Vec::new(); base.values.len() + 1];
    for (node, shown) in (0u32..).zip(&dimension.nodes) {
        shown.values.iter().for_each(|value| nodes_of[*value as usize].push(node));
    }
    let codes = base.sets.as_ref().map_or(base.values.len() + 1, Vec::len);
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    (0..codes as u32)
        .map(|code| {
            let answers = inner.answers(variable, &code);
            let mut nodes: Vec<u32> =
                answers.iter().flat_map(|value| nodes_of[*value as usize].iter().copied()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            (!nodes.is_empty()).then(|| *known.entry(nodes).or_insert(code))
        })
        .collect()
}
