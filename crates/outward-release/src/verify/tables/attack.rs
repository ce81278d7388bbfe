//! The audit once more: what can be worked out of hidden and rounded cells from the published file alone.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, ProtectionMethod, Result, Spec};
use outward_tables::protect::FamilyCertificate;
use outward_tables::{Earlier, Figure, Published};

use super::super::{Check, Outcome, Place};
use super::attacked::Attacked;
use super::places::{Cells, EarlierTables};
use crate::tables::{CERTIFICATE, TableManifest};

/// Why an attack ends before all is looked at.
pub(super) enum Stop {
    /// Something does not hold, or cannot be told.
    Check(Check),
    /// The attack cannot be carried out.
    Error(Error),
}

impl Stop {
    pub(super) fn fails(says: &str) -> Self {
        Self::Check(Check::fails("audit", says))
    }

    pub(super) fn cannot_tell(says: &str) -> Self {
        Self::Check(Check::cannot_tell("audit", says))
    }

    fn certificate(says: String) -> Self {
        Self::Check(Check::fails("audit", says).at([Place::file(CERTIFICATE)]))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What a bundle says beside its tables.
#[derive(Clone, Copy)]
pub(super) struct Described<'a> {
    pub(super) manifest: &'a TableManifest,
    pub(super) spec: Option<&'a Spec>,
}

pub(super) fn check(
    described: Described<'_>,
    tables: &[Published],
    earlier: &[(Published, Earlier)],
    certificates: &[FamilyCertificate],
) -> Result<Check> {
    match attack(described, tables, earlier, certificates) {
        Ok(says) => Ok(Check::holds("audit", says)),
        Err(Stop::Check(check)) => Ok(with_advice(check)),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// What to do besides what was found.
fn with_advice(check: Check) -> Check {
    let advice = match check.outcome {
        Outcome::Holds => return check,
        Outcome::Fails => "do not publish these tables, make them again",
        Outcome::CannotTell => "publish fewer of these tables together, or coarser ones",
    };
    Check { says: format!("{}; {advice}", check.says), ..check }
}

fn attack(
    described: Described<'_>,
    tables: &[Published],
    earlier: &[(Published, Earlier)],
    certificates: &[FamilyCertificate],
) -> std::result::Result<String, Stop> {
    let manifest = described.manifest;
    let weights: BTreeMap<&str, i64> =
        certificates.iter().flat_map(|family| &family.weights).map(|(name, each)| (name.as_str(), *each)).collect();
    // Earlier releases are more tables.
    let told: EarlierTables =
        earlier.iter().map(|(published, earlier)| (published.table.name.as_str(), earlier)).collect();
    let all = earlier.iter().map(|(published, _)| published).chain(tables);
    let tables: Vec<Published> =
        all.map(|published| unweighted(published, &weights)).collect::<std::result::Result<_, Stop>>()?;
    let is_new = |published: &&Published| !told.contains_key(published.table.name.as_str());
    let groups: Vec<Vec<&Published>> = together(&tables).into_iter().filter(|group| group.iter().any(is_new)).collect();
    let names = |group: &[&Published]| group.iter().map(|of| of.table.name.clone()).collect::<BTreeSet<String>>();
    let of = |family: &FamilyCertificate| family.tables.iter().cloned().collect::<BTreeSet<String>>();
    if certificates.iter().any(|family| !groups.iter().any(|group| names(group) == of(family))) {
        return Err(Stop::certificate("a certificate is not of all tables that belong together".to_owned()));
    }
    let mut audited = 0;
    for group in &groups {
        let mut certified = certificates.iter().filter(|family| of(family) == names(group));
        let certificate = certified.next();
        if certified.next().is_some() {
            return Err(Stop::certificate("there are two certificates of the same tables".to_owned()));
        }
        if manifest.protection.method == ProtectionMethod::CellKey {
            if Cells::new(group, &[], &told, true).disagree {
                return Err(Stop::fails("a cell is not the same in all tables it stands in"));
            }
            continue;
        }
        if let Some(name) = group.iter().find(|published| needs_certificate(manifest, published, &told))
            && certificate.is_none()
        {
            let name = &name.table.name;
            return Err(Stop::certificate(format!("table `{name}` has unsafe or hidden figures and no certificate")));
        }
        audited += Attacked::new(described, group, &told, certificate)?.count_protected()?;
    }
    Ok(match manifest.protection.method {
        ProtectionMethod::CellKey => {
            "figures carry noise and none is hidden, and no cell differs between tables".to_owned()
        }
        _ if audited == 0 => "no figure is unsafe, and none follows from two tables".to_owned(),
        ProtectionMethod::Round => {
            format!("none of {audited} unsafe figures can be worked out from what they are rounded to")
        }
        ProtectionMethod::None | ProtectionMethod::Suppress => {
            format!("none of {audited} unsafe hidden figures can be worked out, nor told more closely than certified")
        }
    })
}

/// A table of estimates in which every record weighs the same is one of counts.
fn unweighted(published: &Published, weights: &BTreeMap<&str, i64>) -> std::result::Result<Published, Stop> {
    let mut counted = published.clone();
    let Some(each) = weights.get(published.table.name.as_str()).copied().filter(|each| *each > 0) else {
        return Ok(counted);
    };
    (counted.table.weighted, counted.scale) = (None, 1);
    for figure in &mut counted.figures {
        if let Figure::Shown(value) = figure {
            if *value % each != 0 {
                return Err(Stop::fails("an estimate is no multiple of what every record is said to weigh"));
            }
            *value /= each;
        }
    }
    Ok(counted)
}

/// Whether something in a table has to be kept from its readers.
fn needs_certificate(manifest: &TableManifest, published: &Published, told: &EarlierTables) -> bool {
    if let Some(earlier) = told.get(published.table.name.as_str()) {
        return earlier.told.iter().any(|told| *told != outward_tables::EarlierFigure::Shown);
    }
    let record = manifest.tables.iter().find(|record| record.name == published.table.name);
    published.figures.contains(&Figure::Hidden) || record.is_none_or(|record| record.primary > 0)
}

/// The tables that tell something of each other: all that count, whatever it is, and all of the same sums or estimates.
fn together(tables: &[Published]) -> Vec<Vec<&Published>> {
    let of = |published: &Published| {
        let table = &published.table;
        let sums = table.magnitudes.as_ref().map(|magnitudes| magnitudes.of.clone());
        let counts = sums.is_none() && table.weighted.is_none();
        (!counts).then(|| (table.unit.clone(), sums, table.weighted.is_some()))
    };
    let mut groups: Vec<Vec<&Published>> = Vec::new();
    for published in tables {
        match groups.iter_mut().find(|group| of(group[0]) == of(published)) {
            Some(group) => group.push(published),
            None => groups.push(vec![published]),
        }
    }
    groups
}
