//! The certificate of protected tables: the feasibility interval of every hidden cell.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{Audit, AuditOptions, ContributorFindings, Interval, Verdict, audit};
use crate::system::System;

/// A sentence on how intervals are computed.
const METHOD: &str = "For each hidden cell, its least and its largest value in any table that satisfies all sums, agrees with all published \
     cells and lies within the bounds known beforehand. Computed by exact linear programming, and in whole numbers where cells are counts. \
     Where a line is not exact, the interval is at least as wide as given.";

/// A hidden cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateLine {
    /// What the cell is called.
    pub name: String,
    /// Its number in the system.
    pub cell: u32,
    /// The least value possible; `None` if nothing bounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<i64>,
    /// The largest value possible; `None` if nothing bounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<i64>,
    /// Whether both ends are proven.
    pub exact: bool,
    /// Whether the interval is wide enough.
    pub verdict: Verdict,
}

/// The result of an audit, kept with the tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// How intervals were computed.
    pub method: String,
    /// Values are in units of one over this.
    pub scale: i64,
    /// Whether cells are counts, which the attacker knows to be integers.
    pub counts: bool,
    /// Hidden cells.
    pub hidden: usize,
    /// Unsafe cells with only one possible value.
    pub recoverable: usize,
    /// Unsafe cells whose interval is too narrow, or not shown to be wide enough.
    pub too_tight: usize,
    /// What else the attacker was assumed to know.
    pub choice: AuditOptions,
    /// What contributors learn.
    pub alone: Vec<ContributorFindings>,
    /// The hidden cells.
    pub cells: Vec<CertificateLine>,
    /// The sums that must not be derivable.
    pub sums: Vec<CertificateLine>,
}

impl Certificate {
    /// The certificate of an audit; `name` gives the name of a cell.
    pub fn new(system: &System, choice: &AuditOptions, audit: &Audit, name: impl Fn(u32) -> String) -> Self {
        let line = |interval: &Interval, name: String| CertificateLine {
            name,
            cell: interval.cell,
            lower: (interval.lower != i64::MIN).then_some(interval.lower),
            upper: (interval.upper != i64::MAX).then_some(interval.upper),
            exact: interval.exact,
            verdict: interval.verdict,
        };
        Self {
            method: METHOD.to_owned(),
            scale: system.scale,
            counts: system.counts,
            hidden: audit.intervals.len(),
            recoverable: audit.recoverable,
            too_tight: audit.too_tight,
            choice: choice.clone(),
            alone: audit.alone.clone(),
            cells: audit.intervals.iter().map(|interval| line(interval, name(interval.cell))).collect(),
            sums: audit.virtual_cells.iter().map(|sum| line(sum, format!("sum {}", sum.cell + 1))).collect(),
        }
    }
}

/// Runs the audit again and lists what differs from the certificate.
///
/// Ends that the certificate gives as exact must be found again. For other cells only the verdict is compared.
///
/// # Errors
/// As [`audit`], and if the certificate is of a system in other units.
pub fn recheck(system: &System, hidden: &[bool], certificate: &Certificate) -> Result<Vec<String>> {
    if certificate.scale != system.scale || certificate.counts != system.counts {
        return Err(Error::input("the certificate is of a table in other units")
            .help("verify a bundle with the certificate that was written with it")
            .into());
    }
    let found = audit(system, hidden, &certificate.choice)?;
    let fresh = Certificate::new(system, &certificate.choice, &found, |cell| format!("cell {cell}"));
    let mut differs = Vec::new();
    let mut total = |what: &str, said: usize, is: usize| {
        if said != is {
            differs.push(format!("{what}: the certificate says {said}, the audit finds {is}"));
        }
    };
    total("hidden cells", certificate.hidden, fresh.hidden);
    total("recoverable cells", certificate.recoverable, fresh.recoverable);
    total("cells with too narrow an interval", certificate.too_tight, fresh.too_tight);
    compare(&certificate.cells, &fresh.cells, &mut differs);
    compare(&certificate.sums, &fresh.sums, &mut differs);
    if certificate.alone != fresh.alone {
        differs.push("what contributors to one cell can work out is not as the certificate says".to_owned());
    }
    Ok(differs)
}

fn compare(said: &[CertificateLine], found: &[CertificateLine], differs: &mut Vec<String>) {
    let by_cell: BTreeMap<u32, &CertificateLine> = said.iter().map(|line| (line.cell, line)).collect();
    if by_cell.len() != said.len() {
        differs.push("the certificate names a cell twice".to_owned());
    }
    for line in found {
        match by_cell.get(&line.cell) {
            None => differs.push(format!("{} is hidden but not in the certificate", line.name)),
            Some(said) if said.verdict != line.verdict => differs.push(format!("{}: another verdict", said.name)),
            Some(said) if said.exact && (said.lower, said.upper, true) != (line.lower, line.upper, line.exact) => {
                differs.push(format!("{}: another interval", said.name));
            }
            Some(_) => {}
        }
    }
    let found: BTreeMap<u32, &CertificateLine> = found.iter().map(|line| (line.cell, line)).collect();
    for line in said.iter().filter(|line| !found.contains_key(&line.cell)) {
        differs.push(format!("{} is in the certificate but not hidden", line.name));
    }
}
