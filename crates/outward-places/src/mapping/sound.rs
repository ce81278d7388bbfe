//! Checks that the rule of a mapping could have made it. A mapping is applied to records without a further check. So a
//! mapping that was edited by hand must be refused if it publishes a finer code.

use std::collections::BTreeMap;

use super::{LineFault, MappingEntry};
use crate::headcounts::System;
use crate::pool::{NATIONAL_POOL, Reason, Rule};
use crate::population::NO_LOCATION;
use crate::postcode::{Depth, Postcode};
use crate::zip::Zip3;

/// The first entry, by its place, that no rule makes.
pub(super) fn check(rule: Rule, entries: &[MappingEntry]) -> Result<(), (usize, LineFault)> {
    let system = System::from_codes(entries.iter().map(|entry| entry.code.as_str()));
    let mut areas = Vec::with_capacity(entries.len());
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let area = area(system, &entry.code).ok_or_else(|| (at, not_a_code(system)))?;
        areas.push(area);
        members.entry(&entry.published).or_default().push(&entry.code);
    }
    let kept = |code: &str| {
        let at = entries.binary_search_by(|entry| entry.code.as_str().cmp(code));
        at.is_ok_and(|at| entries[at].reason == Reason::Kept)
    };
    for (at, (entry, area)) in entries.iter().zip(&areas).enumerate() {
        let published = entry.published.as_str();
        let fits = match entry.reason {
            Reason::Kept => published == entry.code,
            Reason::NoLocation | Reason::Withheld => published == NO_LOCATION,
            Reason::Pooled if rule == Rule::Us => published == NATIONAL_POOL,
            Reason::Pooled => rule != Rule::Neighbour && published.strip_prefix(area.as_str()) == Some("00"),
            Reason::Residual => {
                rule == Rule::UkResidual
                    && kept(published)
                    && published != entry.code
                    && self::area(system, published).as_ref() == Some(area)
            }
            Reason::Neighbour => rule == Rule::Neighbour && named_after(published, area, &members[published]),
        };
        if !fits {
            let help = "a mapping is made by `outward places pool --out` and not by hand: make it again".to_owned();
            return Err((at, LineFault("the rule does not publish this code so", "published", help)));
        }
    }
    Ok(())
}

/// The area of a code in its normal form; none if it is not one.
fn area(system: System, code: &str) -> Option<String> {
    match system {
        System::Zips => Zip3::parse(code).ok().filter(|zip| zip.as_str() == code).map(|_| "US".to_owned()),
        System::Postcodes => (Postcode::parse(code).ok())
            .filter(|known| known.depth() == Depth::Outward && known.as_str() == code)
            .map(|known| known.area().to_owned()),
    }
}

fn not_a_code(system: System) -> LineFault {
    let help = match system {
        System::Postcodes => "write outward codes in capitals, such as SM1",
        System::Zips => "write prefixes of three digits",
    };
    LineFault("the code is not one that can be looked up", "code", help.to_owned())
}

/// Whether a name such as `SM1+2+10` lists exactly these codes of the area.
fn named_after(name: &str, area: &str, members: &[&str]) -> bool {
    let Some(districts) = name.strip_prefix(area) else { return false };
    let mut named: Vec<String> = districts.split('+').map(|district| format!("{area}{district}")).collect();
    named.sort_unstable();
    members.len() > 1 && named.iter().map(String::as_str).eq(members.iter().copied())
}
