//! A table: its dimensions, and the values of its cells.

use crate::source::ValueSource;

/// A table before protection. Cells are in the order of the nodes; the last dimension varies fastest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The name of the table.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What one record is, in the plural: collisions, vehicles.
    pub unit: String,
    /// The condition on the records counted, as the spec has it.
    pub condition: Option<String>,
    /// What the condition reads: columns, and the names of variables that read these. Empty for a table that was read
    /// from a file of figures.
    pub condition_reads: Vec<String>,
    /// Which kinds of records are counted, by number. Records that meet the same conditions of the unit's tables are
    /// one kind.
    pub records: Vec<u32>,
    /// How many such kinds there are.
    pub kinds: usize,
    /// If the condition keeps exactly the records with some values of a variable that a table of this unit shows: the
    /// source of the variable, and these values by number.
    pub keeps: Option<(ValueSource, Vec<u32>)>,
    /// The variables, those of the rows first; the last one heads the columns.
    pub dimensions: Vec<Dimension>,
    /// The level of geography, in the words of the policy, if the spec or a variable gives one.
    pub geography: Option<String>,
    /// How many records there are in each cell.
    pub counts: Vec<u64>,
    /// The estimate for the population of each cell, in thousandths, if the table is weighted.
    pub weighted: Option<Vec<i64>>,
    /// The weight of every record of the unit, in thousandths, if all weights are equal. An estimate is then a multiple
    /// of a count.
    pub each_weighs: Option<i64>,
    /// The sum of each cell, for tables of sums and means.
    pub magnitudes: Option<Magnitudes>,
    /// The sum of the keys of the records of each cell, modulo 2⁶⁴.
    pub keys: Vec<u64>,
    /// The cost of hiding each cell, in thousandths and at least 1, if a variable gives it. Empty if none does, or all
    /// costs are 0.
    pub costs: Vec<i64>,
    /// The dimensions, by position, over which percentages are taken.
    pub percent_of: Vec<usize>,
}

/// One variable of a table, as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dimension {
    /// The variable's name.
    pub variable: String,
    /// Its label for readers.
    pub label: String,
    /// The kind of the variable in the policy.
    pub kind: Kind,
    /// The nodes, in the order in which they are shown.
    pub nodes: Vec<Node>,
    /// Which nodes are the sums of others: a total, and the nodes that it is the sum of. With several hierarchies a
    /// node may have several sums. Empty if a record may be in several nodes of the same level.
    pub sums: Vec<(usize, Vec<usize>)>,
    /// Whether a record may have several values, so that nothing adds up.
    pub several: bool,
    /// How many values the variable has, shown or not.
    pub size: usize,
    /// The source of the values, if values have the same numbers in all tables. Nodes of two tables with the same
    /// source and values are the same.
    pub source: ValueSource,
}

impl Dimension {
    /// Whether nodes of two dimensions have values of the same variable.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.source == other.source && (!self.source.is_empty() || self.variable == other.variable)
    }
}

/// The kind of a variable in a policy for tables.
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
    /// Its label.
    pub label: String,
    /// Its level of the hierarchy. The total has the level after the last.
    pub level: usize,
    /// Whether the table shows nothing finer.
    pub finest: bool,
    /// Whether it is the total of all.
    pub total: bool,
    /// Its values, as codes of the variable, ascending.
    pub values: Vec<u32>,
    /// For rated variables: whether one of its values is rated high in visibility and in sensitivity.
    pub high: bool,
}

/// The sums of an amount.
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
    /// The largest contributions of each cell, largest first; at most as many as were requested.
    pub largest: Vec<Vec<i64>>,
    /// The sum of the weights of the records with an amount, in thousandths: the divisor of a mean.
    pub known: Vec<i64>,
}

impl Table {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.nodes.len()).product()
    }

    /// Whether its figures are numbers of records, or these times the one weight of every record.
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

    /// Whether a cell is an inner cell: no total and no subtotal in any dimension.
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

/// The published figure of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Figure {
    /// The number, in units of one over the table's scale: 1 for counts, 1000 for estimates, and that of `magnitudes`
    /// for sums and means.
    Shown(i64),
    /// Confidential, `[c]`.
    Hidden,
    /// Above zero and rounded to it, `[low]`.
    Low,
    /// Not applicable, `[z]`: a mean without records.
    NotApplicable,
}

/// A published table.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The table. Its own counts are not published.
    pub table: Table,
    /// What is published of each cell.
    pub figures: Vec<Figure>,
    /// Figures are in units of one over this.
    pub scale: i64,
    /// Percentages, computed from the published figures, if the table asks for them. A percentage is `None` if a part
    /// is hidden or the whole is zero.
    pub percentages: Option<Vec<Option<f64>>>,
    /// The risk category.
    pub category: String,
    /// What was done, in a sentence for the reader of the table.
    pub protection: String,
}
