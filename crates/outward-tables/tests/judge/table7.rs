//! Table 7 of the report on road casualties: age by severity for three contributory factors in one region.

use std::path::Path;

use outward_fixtures::road::{FACTORS, TABLE_7};
use outward_spec::{Policy, TableRules, ratings};
use outward_tables::{Base, Inner, Kind, Shown, Table, Tally};

/// The rules of the shipped policy.
pub fn rules() -> TableRules {
    Policy::named("dft-road-casualties").unwrap().thresholds.tables.unwrap()
}

/// The inner cells: factor, severity, age.
pub fn inner() -> Inner {
    let base = |variable: &str, values: Vec<String>| Base {
        variable: variable.to_owned(),
        values,
        sets: None,
        ..Base::default()
    };
    let mut inner = Inner {
        bases: vec![
            base("factor", FACTORS.map(str::to_owned).to_vec()),
            base("severity", ["Fatal", "Serious", "Slight"].map(str::to_owned).to_vec()),
            base("age", (31..=40).map(|age| age.to_string()).collect()),
        ],
        scale: 1,
        ..Inner::default()
    };
    for (row, counts) in TABLE_7.iter().enumerate() {
        for (age, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            inner.codes.extend([row as u32 / 3 + 1, row as u32 % 3 + 1, age as u32 + 1]);
            inner.tallies.push(Tally { count: *count, ..Tally::default() });
        }
    }
    inner
}

/// The table, with totals over age, and over factors and severities where asked for.
pub fn table(totals: bool) -> Table {
    let inner = inner();
    let rated = ratings(Path::new("outward:contributory-factors"), Path::new("")).unwrap();
    let is_high = |value: &str| rated.iter().any(|rated| rated.value == value && rated.is_high());
    let high: Vec<u32> = (1..=3).filter(|code| is_high(FACTORS[*code as usize - 1])).collect();
    let factor = Shown { label: "factor".into(), kind: Kind::Rated, total: totals, high: &high, ..Shown::default() };
    let severity = Shown { label: "severity".into(), total: totals, ..Shown::default() };
    let age = Shown { label: "age".into(), total: true, ..Shown::default() };
    let shown = [factor, severity, age];
    let shell = Table {
        name: "table 7".into(),
        unit: "casualties".into(),
        geography: Some("region".into()),
        dimensions: shown.iter().zip(&inner.bases).map(|(shown, base)| shown.dimension(base).unwrap()).collect(),
        ..Table::default()
    };
    inner.tabulate(shell, 0).unwrap()
}
