//! A table as it was made: its dimensions, and what is in each cell.

use crate::source::ValueSource;

/// A table, before protection. Cells are in the order of the nodes, those of the last dimension fastest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What the table is called.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What one record is, in the plural: collisions, vehicles.
    pub unit: String,
    /// The records counted, as the spec says it.
    pub condition: Option<String>,
    /// What the condition reads: columns, and the names of variables that read these. A table that was read from a file of figures does not
    /// tell them.
    pub condition_reads: Vec<String>,
    /// Which records are counted, as numbers of kinds of records that no condition of a table of this unit tells apart.
    pub records: Vec<u32>,
    /// How many such kinds there are.
    pub kinds: usize,
    /// Where the condition keeps some values of a variable that a table of this unit shows, and all records that have them: what the
    /// values are read from, and which they are, by number.
    pub keeps: Option<(ValueSource, Vec<u32>)>,
    /// The variables, those of the rows first; the last one heads the columns.
    pub dimensions: Vec<Dimension>,
    /// The level of geography, in the words of the policy, where the spec or a variable says one.
    pub geography: Option<String>,
    /// How many records there are in each cell.
    pub counts: Vec<u64>,
    /// The estimate for the population of each cell, in thousandths, where the table is weighted.
    pub weighted: Option<Vec<i64>>,
    /// What every record of the unit weighs, in thousandths, where all weigh the same: an estimate is then a count.
    pub each_weighs: Option<i64>,
    /// What was added up in each cell, for sums and means.
    pub magnitudes: Option<Magnitudes>,
    /// The sum of the keys of the records of each cell, modulo 2⁶⁴.
    pub keys: Vec<u64>,
    /// What it costs to hide each cell, in thousandths and at least 1, where a variable says it; empty where none does, or all is 0.
    pub costs: Vec<i64>,
    /// The dimensions, by position, over which percentages are taken.
    pub percent_of: Vec<usize>,
}

/// One variable of a table, as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dimension {
    /// The variable's name.
    pub variable: String,
    /// What it is called before people.
    pub label: String,
    /// What the variable is to the policy.
    pub kind: Kind,
    /// What is shown, in this order.
    pub nodes: Vec<Node>,
    /// Which nodes are the sums of others: a total, and a list of nodes that make it up. Several hierarchies give a node several sums. Empty
    /// where a record may be in several nodes of the same level.
    pub sums: Vec<(usize, Vec<usize>)>,
    /// Whether a record may have several values, so that nothing adds up.
    pub several: bool,
    /// How many values the variable has, shown or not.
    pub size: usize,
    /// What the values are read from, where nodes stand for values numbered alike in all tables: nodes of two tables with the same source
    /// and values are the same.
    pub source: ValueSource,
}

impl Dimension {
    /// Whether nodes of two dimensions stand for values of the same variable.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.source == other.source && (!self.source.is_empty() || self.variable == other.variable)
    }
}

/// What a variable is to a policy for tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A fact about the event or the person.
    #[default]
    Fact,
    /// A place.
    Geography,
    /// Values that are rated by visibility and sensitivity.
    Rated,
}

/// A row or a column heading: a value, a group of values, or the total.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// What is written.
    pub label: String,
    /// The level of the hierarchy it is from; the level after the last for the total.
    pub level: usize,
    /// Whether it is as fine as the table gets.
    pub finest: bool,
    /// Whether it is the total of all.
    pub total: bool,
    /// The values it stands for, as codes of the variable, ascending.
    pub values: Vec<u32>,
    /// Rated variables: whether a value it stands for is rated high in visibility and in sensitivity.
    pub high: bool,
}

/// What was added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Magnitudes {
    /// The variable's name.
    pub of: String,
    /// Whether means are published, and not sums.
    pub mean: bool,
    /// Values are in units of one over this.
    pub scale: i64,
    /// The sum of each cell.
    pub sums: Vec<i64>,
    /// How many contributors each cell has.
    pub contributors: Vec<u64>,
    /// The largest contributions of each cell, largest first; at most as many as were asked for.
    pub largest: Vec<Vec<i64>>,
    /// The weights of the records that have an amount, in thousandths: what a mean is taken over.
    pub known: Vec<i64>,
}

impl Table {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.nodes.len()).product()
    }

    /// Whether its figures are numbers of records, or as many times these as each record weighs.
    pub fn counts_records(&self) -> bool {
        self.magnitudes.is_none() && (self.weighted.is_none() || self.each_weighs.is_some())
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell at these nodes, one for each dimension.
    pub fn cell(&self, nodes: &[usize]) -> usize {
        self.dimensions.iter().zip(nodes).fold(0, |at, (dimension, node)| at * dimension.nodes.len() + node)
    }

    /// The nodes of a cell.
    pub fn nodes(&self, cell: usize) -> Vec<usize> {
        let mut rest = cell;
        let mut nodes: Vec<usize> = (self.dimensions.iter().rev())
            .map(|dimension| {
                let node = rest % dimension.nodes.len();
                rest /= dimension.nodes.len();
                node
            })
            .collect();
        nodes.reverse();
        nodes
    }

    /// Whether a cell is inside the table: no total and no subtotal in any dimension.
    pub fn is_inner(&self, cell: usize) -> bool {
        self.dimensions.iter().zip(self.nodes(cell)).all(|(dimension, node)| dimension.nodes[node].finest)
    }

    /// A cell in words: `severity Fatal, age 35`; totals are left out.
    pub fn describe(&self, cell: usize) -> String {
        let shown =
            self.dimensions.iter().zip(self.nodes(cell)).filter(|(dimension, node)| !dimension.nodes[*node].total);
        let words: Vec<String> =
            shown.map(|(dimension, node)| format!("{} {}", dimension.label, dimension.nodes[node].label)).collect();
        if words.is_empty() { "the grand total".to_owned() } else { words.join(", ") }
    }
}

/// What is published of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Figure {
    /// The number, in units of one over the table's scale (1 for counts, 1000 for estimates, as said for magnitudes).
    Shown(i64),
    /// Confidential, `[c]`.
    Hidden,
    /// Above zero and rounded to it, `[low]`.
    Low,
    /// There is nothing to publish, `[z]`: the mean of nobody.
    NotApplicable,
}

/// A table as it is published.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The table. Its own counts are not published.
    pub table: Table,
    /// What is published of each cell.
    pub figures: Vec<Figure>,
    /// Figures are in units of one over this.
    pub scale: i64,
    /// Percentages, from what is published, where the table asks for them; `None` if a part is hidden or the whole is zero.
    pub percentages: Option<Vec<Option<f64>>>,
    /// The risk category.
    pub category: String,
    /// What was done, in a sentence for the reader of the table.
    pub protection: String,
}
