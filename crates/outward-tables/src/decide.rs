//! Judges, redesigns, protects and audits counted tables: all of `outward table` except reading and printing.

use std::collections::BTreeSet;

use outward_spec::{Error, Result, Spec, TableRules};

use crate::earlier::EarlierFigure;
use crate::family::{families, numbered_by_source};
use crate::judge::{Rule, Verdict, judge_family};
use crate::make::{CountedTable, CountedTables};
use crate::protect::{Protected, protect};
use crate::redesign::{Redesign, propose};
use crate::table::{Dimension, Table};

/// Decisions on the new tables, in the order in which the tables were made.
#[derive(Debug, Clone)]
pub struct Decisions {
    /// What the policy says about each table.
    pub verdicts: Vec<Verdict>,
    /// How each table could be shown instead, the best proposal first.
    pub redesigns: Vec<Vec<Redesign>>,
    /// The tables as they may be published, and what an attacker can work out from them.
    pub protected: Protected,
}

/// Judges counted tables, looks for `redesigns` of each, protects them as the spec asks and attacks the result. Tables
/// of earlier releases come first. They are judged and attacked with the others, but nothing is decided about them.
///
/// # Errors
/// Where the policy has no rule for a table, or what is asked cannot be done.
pub fn decide(counted: &CountedTables, spec: &Spec, rules: &TableRules, redesigns: usize) -> Result<Decisions> {
    let made = &counted.tables;
    let mut verdicts = judge_all(made, rules)?;
    let new = made.iter().take_while(|made| made.earlier.is_some()).count();
    if made[new..].iter().any(|made| made.earlier.is_some()) {
        return Err(Error::bug("tables of earlier releases come first"));
    }
    let protected = protect(counted, &verdicts, &spec.protection, rules, &spec.base)?;
    let verdicts = verdicts.split_off(new);
    let redesigns = propose(&made[new..], &verdicts, spec, rules, redesigns)?;
    Ok(Decisions { verdicts, redesigns, protected })
}

/// Judges tables. Those of the same unit and measure are judged together.
///
/// # Errors
/// Where the policy has no rule for a table, or does not know its level of geography.
pub fn judge_all(made: &[CountedTable], rules: &TableRules) -> Result<Vec<Verdict>> {
    let mut verdicts: Vec<Option<Verdict>> = made.iter().map(|_| None).collect();
    for family in families(made) {
        let of_family: Vec<&CountedTable> = family.iter().map(|at| &made[*at]).collect();
        let numbered = numbered_by_source(&of_family);
        let mut judged = judge_family(&numbered, rules)?;
        let all: Vec<(&CountedTable, &Table)> = of_family.iter().copied().zip(&numbered).collect();
        for (verdict, own) in judged.iter_mut().zip(&all) {
            forget_public_differences(verdict, *own, &all);
        }
        for (at, verdict) in family.into_iter().zip(judged) {
            verdicts[at] = Some(verdict);
        }
    }
    verdicts.into_iter().map(|verdict| verdict.ok_or_else(|| Error::bug("a table was not judged"))).collect()
}

/// If a new table repeats one of an earlier release, its cells are public. To show them again gives no difference that
/// is not public already. What they give with other new cells is protected as a difference of several tables.
fn forget_public_differences(verdict: &mut Verdict, new: (&CountedTable, &Table), all: &[(&CountedTable, &Table)]) {
    if new.0.earlier.is_some() {
        return;
    }
    let told = all.iter().filter(|other| is_same_table(new, **other)).filter_map(|(made, _)| made.earlier.as_ref());
    let public: BTreeSet<usize> =
        told.flat_map(|of| (0..of.told.len()).filter(|cell| of.told[*cell] == EarlierFigure::Shown)).collect();
    verdict.unsafe_cells.retain(|found| found.rule != Rule::Differencing || !public.contains(&found.cell));
}

/// Whether two tables have the same cells and the same measure, each with its values numbered by source.
pub fn is_same_table((made, table): (&CountedTable, &Table), (other, old): (&CountedTable, &Table)) -> bool {
    let measure = |table: &Table| {
        let amounts = table.magnitudes.as_ref().map(|magnitudes| (magnitudes.of.clone(), magnitudes.mean));
        (amounts, table.weighted.is_some())
    };
    let nodes =
        |dimension: &Dimension| -> Vec<Vec<u32>> { dimension.nodes.iter().map(|node| node.values.clone()).collect() };
    let is_alike = |(one, other): (&Dimension, &Dimension)| one.is_comparable(other) && nodes(one) == nodes(other);
    table.unit == old.unit
        && made.condition == other.condition
        && measure(table) == measure(old)
        && table.dimensions.len() == old.dimensions.len()
        && table.dimensions.iter().zip(&old.dimensions).all(is_alike)
}
