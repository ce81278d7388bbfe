//! Blocking: the pairs that rules make, each pair once, by the first rule that makes it (Splink's union of rules).
//!
//! A rule is a conjunction. Its equations put records into blocks, so that pairs are counted from the sizes of blocks before any is made;
//! what else it says filters the pairs of a block.

use std::collections::BTreeSet;

use outward_cells::MISSING;
use outward_error::{Error, Result};
use serde::Serialize;

use super::condition::{Compiler, Condition, Memory, Rows, recoded};
use super::model::{BlockingRule, LinkType};
use super::records::Joint;
use super::sql::{Expression, Names, Operator, conjuncts, parse};

/// How many pairs the rules may make together, unless told otherwise.
pub const MAX_COMPARISONS: u64 = 1_000_000_000;

/// What a rule makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RuleCount {
    /// The rule.
    pub rule: String,
    /// The pairs in its blocks.
    pub comparisons: u64,
    /// Of these, the pairs that meet all of the rule and that no earlier rule makes.
    pub added: u64,
}

/// The blocks of all rules.
#[derive(Debug)]
pub(crate) struct Blocking<'a> {
    pub(crate) joint: &'a Joint,
    pub(crate) rules: Vec<Blocks>,
    slots: usize,
}

/// The blocks of one rule.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) rule: String,
    /// The columns it reads.
    pub(crate) columns: BTreeSet<String>,
    /// The block of each record as the left one of a pair; 0 is none.
    left: Vec<u32>,
    /// The block of each record as the right one, where it is another.
    right: Option<Vec<u32>>,
    filters: Vec<Condition>,
    /// Records in the order of their blocks.
    order: Vec<u32>,
    /// Left records, each with the places in `order` of those it is compared with.
    pub(crate) starts: Vec<Start>,
    pub(crate) pairs: u64,
}

/// A left record, and where its partners are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    row: u32,
    from: u32,
    to: u32,
}

impl Start {
    pub(crate) fn pairs(self) -> u64 {
        u64::from(self.to - self.from)
    }
}

impl<'a> Blocking<'a> {
    /// Puts the records into the blocks of all rules and counts their pairs. Refuses more than `limit`, and none at all.
    pub(crate) fn new(rules: &[BlockingRule], joint: &'a Joint, limit: u64) -> Result<Self> {
        let every = [BlockingRule::new("1 = 1")];
        let rules = if rules.is_empty() { &every } else { rules };
        let mut compiler = Compiler::new(joint);
        let rules =
            rules.iter().map(|rule| Blocks::new(&rule.condition, joint, &mut compiler)).collect::<Result<Vec<_>>>()?;
        refuse_too_many(&rules, limit)?;
        if rules.iter().all(|rule| rule.pairs == 0) {
            let names: Vec<_> = rules.iter().map(|rule| format!("`{}`", rule.rule)).collect();
            return Err(Error::input(format!("the blocking rules make no pair at all: {}", names.join(", ")))
                .help("use columns in which records of one person agree and which have values; look at how both files write them")
                .into());
        }
        Ok(Self { joint, rules, slots: compiler.slots() })
    }

    /// What filters remember.
    pub(crate) fn remember(&self) -> Memory {
        Memory::new(self.slots)
    }

    /// Goes through the new pairs of some left records of a rule.
    pub(crate) fn visit(&self, rule: usize, starts: &[Start], memory: &mut Memory, mut see: impl FnMut(usize, usize)) {
        let blocks = &self.rules[rule];
        for start in starts {
            let left = start.row as usize;
            for right in &blocks.order[start.from as usize..start.to as usize] {
                let right = *right as usize;
                let mut meets = |blocks: &Blocks| {
                    blocks
                        .filters
                        .iter()
                        .all(|filter| filter.truth(&Rows { joint: self.joint, left, right }, memory) == Some(true))
                };
                let new = meets(blocks)
                    && !self.rules[..rule].iter().any(|earlier| earlier.block(left, right) && meets(earlier));
                if new {
                    see(left, right);
                }
            }
        }
    }
}

fn refuse_too_many(rules: &[Blocks], limit: u64) -> Result<()> {
    let all: u64 = rules.iter().map(|rule| rule.pairs).sum();
    match rules.iter().max_by_key(|rule| rule.pairs) {
        Some(most) if all > limit => {
            use outward_report::format::count;
            let what = format!(
                "the blocking rules make {} comparisons, more than the {} that are allowed; `{}` makes {} of them",
                count(all),
                count(limit),
                most.rule,
                count(most.pairs)
            );
            let help = "add another column to that rule (AND), or allow more with --max-comparisons";
            Err(Error::input(what).help(help).into())
        }
        _ => Ok(()),
    }
}

/// The columns that rules read.
pub(crate) fn columns_of(rules: &[BlockingRule]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for rule in rules {
        let condition = read(&rule.condition)?;
        names.extend(condition.columns().into_iter().map(|(_, name)| name));
    }
    Ok(names)
}

fn read(rule: &str) -> Result<Expression> {
    parse(rule, Names::Qualified).map_err(|fault| wrong(rule, &fault.0))
}

fn wrong(rule: &str, what: &str) -> Error {
    Error::input(format!("blocking rule `{rule}`: {what}")).help(super::condition::SUPPORTED).into()
}

impl Blocks {
    fn new(rule: &str, joint: &Joint, compiler: &mut Compiler<'_>) -> Result<Self> {
        let condition = read(rule)?;
        let columns = condition.columns().into_iter().map(|(_, name)| name).collect();
        let mut keys = Keys::new(joint.rows);
        let mut filters = Vec::new();
        for part in conjuncts(condition) {
            let fault = |fault: super::sql::SqlFault| wrong(rule, &fault.0);
            let equation = match &part {
                Expression::Binary(Operator::Equal, a, b) => compiler.same(a, b).map_err(fault)?,
                _ => None,
            };
            match equation {
                Some(Condition::Same { left, right, left_codes, right_codes }) => {
                    let of = |operand: super::records::Operand, codes: &Option<Vec<u32>>| -> Vec<u32> {
                        joint.columns[operand.column].codes.iter().map(|code| recoded(codes, *code)).collect()
                    };
                    let alike = left.column == right.column && left_codes == right_codes;
                    keys.narrow(&of(left, &left_codes), if alike { None } else { Some(of(right, &right_codes)) });
                }
                _ => match compiler.condition(&part).map_err(fault)? {
                    Condition::Constant(Some(true)) => {}
                    filter => filters.push(filter),
                },
            }
        }
        Ok(keys.into_blocks(rule, columns, filters, joint))
    }

    /// Whether two records are in a common block.
    fn block(&self, left: usize, right: usize) -> bool {
        let block = self.left[left];
        block != 0 && block == self.right.as_ref().unwrap_or(&self.left)[right]
    }
}

/// The key of every record as the left and as the right one of a pair, 0 where it can be none. Keys stay exact: they are numbered anew
/// before they would not fit.
struct Keys {
    left: Vec<u64>,
    right: Option<Vec<u64>>,
    /// Keys are below this.
    end: u64,
}

impl Keys {
    fn new(rows: usize) -> Self {
        Self { left: vec![1; rows], right: None, end: 2 }
    }

    /// Adds an equation: the codes of each side.
    fn narrow(&mut self, left: &[u32], right: Option<Vec<u32>>) {
        let most = |codes: &[u32]| codes.iter().copied().max().unwrap_or_default();
        let codes = u64::from(most(left).max(right.as_deref().map_or(0, most))) + 1;
        if self.end.checked_mul(codes).is_none() {
            self.number_anew();
        }
        let narrow = |keys: &mut [u64], with: &[u32]| {
            for (key, code) in keys.iter_mut().zip(with) {
                *key = if *code == MISSING { 0 } else { *key * codes + u64::from(*code) * u64::from(*key != 0) };
            }
        };
        if right.is_some() && self.right.is_none() {
            self.right = Some(self.left.clone());
        }
        if let Some(keys) = &mut self.right {
            narrow(keys, right.as_deref().unwrap_or(left));
        }
        narrow(&mut self.left, left);
        // Fewer than 2³³ keys are left after numbering, and codes are below 2³², so that this cannot overflow.
        self.end = self.end.saturating_mul(codes);
    }

    fn number_anew(&mut self) {
        let mut all: Vec<u64> =
            self.left.iter().chain(self.right.iter().flatten()).copied().filter(|key| *key != 0).collect();
        all.sort_unstable();
        all.dedup();
        let number = |keys: &mut Vec<u64>| {
            for key in keys.iter_mut().filter(|key| **key != 0) {
                *key = all.binary_search(key).map_or(0, |at| at as u64 + 1);
            }
        };
        number(&mut self.left);
        self.right.iter_mut().for_each(number);
        self.end = all.len() as u64 + 1;
    }

    fn into_blocks(mut self, rule: &str, columns: BTreeSet<String>, filters: Vec<Condition>, joint: &Joint) -> Blocks {
        if self.end > u64::from(u32::MAX) {
            self.number_anew();
        }
        let number = |keys: Vec<u64>| -> Vec<u32> { keys.into_iter().map(|key| key as u32).collect() };
        let left = number(self.left);
        let right = self.right.map(number);
        let in_order = |blocks: &[u32]| {
            let mut order: Vec<u32> = (0..blocks.len() as u32).filter(|row| blocks[*row as usize] != 0).collect();
            order.sort_unstable_by_key(|row| (blocks[*row as usize], *row));
            order
        };
        let order = in_order(right.as_ref().unwrap_or(&left));
        let lefts = if right.is_some() { in_order(&left) } else { order.clone() };
        let starts = starts(&lefts, &left, &order, right.as_ref().unwrap_or(&left), joint);
        let pairs = starts.iter().map(|start| start.pairs()).sum();
        Blocks { rule: rule.to_owned(), columns, left, right, filters, order, starts, pairs }
    }
}

/// For every left record the stretch of its block, in the order of right records, that it is compared with.
fn starts(lefts: &[u32], left: &[u32], order: &[u32], right: &[u32], joint: &Joint) -> Vec<Start> {
    let first = joint.first as u32;
    let mut starts = Vec::new();
    let (mut from, mut to) = (0, 0);
    for row in lefts {
        let block = left[*row as usize];
        if joint.link_type == LinkType::LinkOnly && *row >= first {
            continue;
        }
        while from < order.len() && right[order[from] as usize] < block {
            from += 1;
        }
        to = to.max(from);
        while to < order.len() && right[order[to] as usize] == block {
            to += 1;
        }
        // Within a block rows ascend. A pair has its lower row on the left.
        let earliest = if joint.link_type == LinkType::LinkOnly { first } else { *row + 1 };
        let begin = from + order[from..to].partition_point(|other| *other < earliest);
        if begin < to {
            starts.push(Start { row: *row, from: begin as u32, to: to as u32 });
        }
    }
    starts
}
