//! Judges, redesigns, protects and audits counted tables: all of `outward table` except reading and printing.

use outward_spec::{Error, Result, Spec, TableRules};

use crate::family::{families, numbered_by_source};
use crate::judge::{Verdict, judge_family};
use crate::make::{CountedTable, CountedTables};
use crate::protect::{Protected, protect};
use crate::redesign::{Redesign, propose};

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
        for (at, verdict) in family.into_iter().zip(judge_family(&numbered_by_source(&of_family), rules)?) {
            verdicts[at] = Some(verdict);
        }
    }
    verdicts.into_iter().map(|verdict| verdict.ok_or_else(|| Error::bug("a table was not judged"))).collect()
}
