//! The audit once more: what can be worked out of the hidden cells from the published file alone.

use std::collections::BTreeMap;

use outward_spec::{Method, Result};
use outward_tables::audit::{self, Verdict};
use outward_tables::fill::fill;
use outward_tables::protect::FamilyCertificate;
use outward_tables::{Cell, Dimension, Figure, Published, Status, System};

use super::super::{Check, Place};
use crate::tables::{CERTIFICATE, TableManifest};

pub(super) fn check(
    manifest: &TableManifest,
    tables: &[Published],
    certificates: &[FamilyCertificate],
) -> Result<Check> {
    let hidden = |published: &&Published| published.figures.contains(&Figure::Hidden);
    if !tables.iter().any(|published| hidden(&published)) {
        return Ok(match manifest.protection.method {
            Method::None | Method::Suppress => Check::holds("audit", "no figure is hidden, so none can be worked out"),
            Method::Round | Method::CellKey => Check::holds(
                "audit",
                "every figure is changed and none is hidden; the audit of a rounding is not repeated here",
            ),
        });
    }
    let mut audited = 0;
    for published in tables.iter().filter(hidden) {
        let name = &published.table.name;
        if !certificates.iter().any(|family| family.tables.contains(name)) {
            let what = format!("table `{name}` has hidden figures and no certificate");
            return Ok(Check::fails("audit", what).at([Place::file(CERTIFICATE)]));
        }
    }
    for family in certificates {
        let of_family: Vec<&Published> =
            tables.iter().filter(|published| family.tables.contains(&published.table.name)).collect();
        if of_family.iter().any(|published| published.table.magnitudes.as_ref().is_some_and(|of| of.mean)) {
            // Means add up to nothing, so that nothing follows from them.
            continue;
        }
        let asked = family.certificate.cells.iter().any(|line| line.verdict != Verdict::NotAsked);
        if family.certificate.cells.is_empty() || !asked && family.sums.is_empty() {
            return Ok(Check::fails("audit", "a certificate names no unsafe cell").at([Place::file(CERTIFICATE)]));
        }
        let Some(attacked) = Attacked::new(&of_family)? else {
            return Ok(Check::fails("audit", "no table fits what is published: figures disagree or sums do not hold"));
        };
        let Some(found) = attacked.intervals(&family.sums)? else {
            return Ok(Check::fails("audit", "what is hidden of a group can be worked out"));
        };
        for line in family.certificate.cells.iter().filter(|line| line.verdict != Verdict::NotAsked) {
            let Some((lower, upper)) = found.get(&line.name) else {
                return Ok(Check::fails(
                    "audit",
                    "an unsafe cell of the certificate is not hidden in the published tables",
                ));
            };
            let narrower = line.lower.is_some_and(|said| *lower > said) || line.upper.is_some_and(|said| *upper < said);
            if lower == upper {
                return Ok(Check::fails("audit", "an unsafe hidden figure can be worked out"));
            }
            if narrower {
                return Ok(Check::fails(
                    "audit",
                    "an unsafe hidden figure is bounded more tightly than the certificate says",
                ));
            }
            audited += 1;
        }
    }
    Ok(Check::holds(
        "audit",
        format!("none of {audited} unsafe hidden figures can be worked out, nor told more closely than certified"),
    ))
}

/// The cells of a family, as far as they are published.
struct Attacked {
    system: System,
    hidden: Vec<bool>,
    names: Vec<String>,
}

impl Attacked {
    /// None where nothing fits what is published.
    fn new(tables: &[&Published]) -> Result<Option<Self>> {
        let mut known: Vec<Option<i64>> = Vec::new();
        let mut names = Vec::new();
        let mut by_place: BTreeMap<Vec<(&str, &[u32])>, u32> = BTreeMap::new();
        let mut equations: Vec<(i64, Vec<(u32, i32)>)> = Vec::new();
        let mut disagree = false;
        for published in tables {
            let table = &published.table;
            let cells: Vec<u32> = (0..table.len())
                .map(|cell| {
                    let at = table.dimensions.iter().zip(table.nodes(cell));
                    // A node with every value of its variable is as if the variable were not there.
                    let kept = at.filter(|(of, node)| of.several || of.nodes[*node].values.len() < of.size);
                    let mut place: Vec<(&str, &[u32])> =
                        kept.map(|(of, node)| (of.source.as_str(), of.nodes[node].values.as_slice())).collect();
                    place.extend(table.condition.as_deref().map(|condition| (condition, &[][..])));
                    place.sort_unstable();
                    let figure = match published.figures[cell] {
                        Figure::Shown(value) => Some(value),
                        Figure::Hidden | Figure::Low | Figure::NotApplicable => None,
                    };
                    let at = *by_place.entry(place).or_insert_with(|| {
                        known.push(figure);
                        names.push(format!("{}: {}", table.name, table.describe(cell)));
                        known.len() as u32 - 1
                    });
                    // What one table shows and another hides is shown.
                    disagree |= known[at as usize] != figure;
                    at
                })
                .collect();
            for (dimension, of) in table.dimensions.iter().enumerate() {
                for (total, parts) in &sums_of(of) {
                    for cell in (0..table.len()).filter(|cell| table.nodes(*cell)[dimension] == *total) {
                        let at = |node: usize| {
                            let mut nodes = table.nodes(cell);
                            nodes[dimension] = node;
                            cells[table.cell(&nodes)]
                        };
                        let mut terms: Vec<(u32, i32)> = parts.iter().map(|part| (at(*part), 1)).collect();
                        if terms != [(cells[cell], 1)] {
                            terms.push((cells[cell], -1));
                            equations.push((0, terms));
                        }
                    }
                }
            }
        }
        if disagree {
            return Ok(None);
        }
        let hidden: Vec<bool> = known.iter().map(Option::is_none).collect();
        let Some(values) = fill(&known, &equations)? else { return Ok(None) };
        let cell = |(value, hidden): (&i64, &bool)| Cell {
            status: if *hidden { Status::Hidden } else { Status::Frozen },
            ..Cell::count(*value)
        };
        let cells = values.iter().zip(&hidden).map(cell).collect();
        let counts = tables.iter().all(|published| published.scale == 1);
        let mut system = System::new(cells, tables.first().map_or(1, |published| published.scale), counts);
        for (right, terms) in equations {
            system.add(right, terms)?;
        }
        Ok(Some(Self { system, hidden, names }))
    }

    /// What can be said of each hidden cell, by its name; none where one of the sums that are kept from the reader can be
    /// worked out.
    fn intervals(&self, sums: &[Vec<(String, i32)>]) -> Result<Option<BTreeMap<String, (i64, i64)>>> {
        let number = |name: &String| self.names.iter().position(|known| known == name).map(|cell| cell as u32);
        let mut virtual_cells = Vec::new();
        for sum in sums {
            let terms: Option<Vec<(u32, i32)>> = sum.iter().map(|(name, by)| Some((number(name)?, *by))).collect();
            let Some(terms) = terms else { return Ok(None) };
            virtual_cells.push((terms, 0, 0));
        }
        let choice = audit::Choice { exact_all: true, virtual_cells, ..audit::Choice::default() };
        let found = audit::audit(&self.system, &self.hidden, &choice)?;
        if found.virtual_cells.iter().any(|sum| sum.lower == sum.upper) {
            return Ok(None);
        }
        let named =
            |interval: &audit::Interval| (self.names[interval.cell as usize].clone(), (interval.lower, interval.upper));
        Ok(Some(found.intervals.iter().map(named).collect()))
    }
}

/// Which nodes are the sums of the finest ones, by the values they stand for and not by what the file says of sums.
fn sums_of(dimension: &Dimension) -> Vec<(usize, Vec<usize>)> {
    if dimension.several {
        return Vec::new();
    }
    let finest: Vec<usize> = (0..dimension.nodes.len()).filter(|node| dimension.nodes[*node].finest).collect();
    let parts_of = |total: usize| -> Vec<usize> {
        let within = |value: &u32| dimension.nodes[total].values.binary_search(value).is_ok();
        finest.iter().copied().filter(|node| dimension.nodes[*node].values.iter().all(within)).collect()
    };
    let whole = |(total, parts): &(usize, Vec<usize>)| {
        let covered: usize = parts.iter().map(|node| dimension.nodes[*node].values.len()).sum();
        *parts != [*total] && covered == dimension.nodes[*total].values.len()
    };
    (0..dimension.nodes.len()).map(|total| (total, parts_of(total))).filter(whole).collect()
}

/// Whether the figures of a table satisfy its sums.
pub(super) fn adds_up(published: &Published) -> bool {
    let table = &published.table;
    let value = |cell: usize| match published.figures[cell] {
        Figure::Shown(value) => Some(value),
        Figure::Hidden | Figure::Low | Figure::NotApplicable => None,
    };
    table.dimensions.iter().enumerate().all(|(dimension, of)| {
        sums_of(of).iter().all(|(total, parts)| {
            (0..table.len()).filter(|cell| table.nodes(*cell)[dimension] == *total).all(|cell| {
                let part = |node: &usize| {
                    let mut nodes = table.nodes(cell);
                    nodes[dimension] = *node;
                    value(table.cell(&nodes))
                };
                let sum: Option<i64> = parts.iter().map(part).sum();
                match (sum, value(cell)) {
                    (Some(sum), Some(total)) => sum == total,
                    _ => true,
                }
            })
        })
    })
}
