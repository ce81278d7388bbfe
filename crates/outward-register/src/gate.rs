//! The gate: whether a release may become public, and what is missing.

use std::collections::BTreeMap;

use outward_release::verify::{INTRUDER_TEST, Outcome, Verification};
use outward_release::{DescribedBundle, verify};
use outward_spec::{Protection, Result, TableRules};
use outward_tables::{EarlierFigure, Figure, Published};
use serde::Serialize;

use crate::differencing::{Difference, Differencing, PublishedCounts, differences};
use crate::records::{self, RecordsCompared};
use crate::register::{Exception, File, Release};

/// Something that prevents a release from becoming public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// The rule: `verification`, `intruder-test`, `earlier-releases`, `differencing`, `revision` or `approvals`; for
    /// records also `joined-records`, `overlapping-samples`, `swapped-records` or `earlier-records`.
    pub rule: &'static str,
    /// What is wrong.
    pub says: String,
    /// The arithmetic, if there is any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// What to do.
    pub help: String,
}

impl Obstacle {
    /// The obstacle of a small group that follows, with the arithmetic.
    pub fn of_difference(difference: &Difference) -> Self {
        let (least, most) = difference.people;
        let records = match (least, most) {
            (1, 1) => "1 record".to_owned(),
            _ if least == most => format!("{least} records"),
            _ => format!("{least} to {most} records"),
        };
        Self {
            rule: "differencing",
            says: format!("a group of {records} follows from these tables and earlier ones"),
            lines: difference.lines(),
            help: DIFFERENCING_HELP.to_owned(),
        }
    }

    /// The obstacle of lines of cells that were too long to be searched completely; `None` if there are none.
    pub fn of_lines(not_searched: usize) -> Option<Self> {
        (not_searched > 0).then(|| Self {
            rule: "differencing",
            says: format!("not all differences could be searched for, along {not_searched} lines of cells"),
            lines: Vec::new(),
            help: "show fewer values of the variable that the tables have in common".to_owned(),
        })
    }
}

/// What to do about tables that disclose something together with public ones.
pub(crate) const DIFFERENCING_HELP: &str =
    "show the variable as the earlier release does, or protect the tables given the earlier ones";

/// The rules that an exception can lift. A bundle that fails its verification, or that too few people approved, never
/// becomes public.
pub const EXCEPTIONS: [&str; 8] = [
    "intruder-test",
    "earlier-releases",
    "differencing",
    "revision",
    records::JOINED,
    records::SAMPLES,
    records::SWAPPED,
    records::UNSEEN,
];

/// An earlier release that a bundle is compared with.
#[derive(Debug, Clone)]
pub struct EarlierRelease {
    /// The release.
    pub release: Release,
    /// Its published tables.
    pub tables: Vec<Published>,
    /// How they were protected.
    pub protection: Protection,
    /// The largest count that its own policy calls unsafe in them.
    pub few: i64,
}

/// What is known about a bundle before it becomes public.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// Its file in the register.
    pub file: &'a File,
    /// The bundle.
    pub bundle: &'a DescribedBundle,
    /// The result of its verification.
    pub verification: &'a Verification,
    /// The public releases of the same data that it is related to.
    pub related: &'a [EarlierRelease],
    /// Other public releases of tables of the same version of the data, which share no column with it.
    pub unrelated: &'a [Release],
    /// Other public releases of tables of other versions of the data.
    pub other_versions: &'a [EarlierRelease],
    /// The comparison of its records with those of earlier releases.
    pub records: &'a RecordsCompared,
    /// When it will become public.
    pub at: &'a str,
}

/// The judgement of the gate on a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// What prevents it from becoming public.
    pub obstacles: Vec<Obstacle>,
    /// The exceptions that lift an obstacle.
    pub exceptions: Vec<Exception>,
    /// What could not be checked.
    pub not_seen: Vec<String>,
}

/// The largest count that rules call unsafe in tables of these risk categories.
pub fn largest_unsafe<'a>(rules: &TableRules, categories: impl Iterator<Item = &'a str>) -> i64 {
    let cells = |name: &str| rules.categories.iter().find(|category| category.name == name).map(|of| of.cells as i64);
    categories.filter_map(cells).max().unwrap_or_default()
}

/// The largest count that is unsafe in any table of a bundle, or of the earlier tables it was made with.
pub fn few(bundle: &DescribedBundle) -> i64 {
    let tables = bundle.tables.iter().chain(bundle.earlier.iter().map(|(published, _)| published));
    let categories = tables.map(|published| published.category.as_str());
    bundle.rules.tables.as_ref().map_or(0, |rules| largest_unsafe(rules, categories))
}

/// Verifies a bundle from its files.
///
/// # Errors If it cannot be read.
pub async fn verified(bundle: &std::path::Path, threads: usize) -> Result<Verification> {
    verify(bundle, &verify::Options { population: None, threads }).await
}

/// Judges a release.
pub fn judge(evidence: &Evidence<'_>) -> Judgement {
    let Evidence { file, bundle, related, records, .. } = evidence;
    let mut all = of_the_bundle(evidence);
    all.extend(apart_from_the_past(evidence));
    // The strictest policy of all releases involved decides.
    let few = related.iter().map(|earlier| earlier.few).fold(few(bundle), i64::max);
    let Differencing { found, not_searched } = differenced(bundle, few);
    all.extend(found.iter().map(Obstacle::of_difference));
    all.extend(Obstacle::of_lines(not_searched));
    all.extend(revisions(evidence, few));
    all.extend(records.obstacles.iter().cloned());
    all.extend(missing_approvals(file));
    let mut not_seen = records.not_seen.clone();
    if bundle.is_of_tables && related.iter().any(|earlier| earlier.release.version == file.release.version) {
        not_seen.extend(bundle.tables.iter().filter(|published| !is_count(published)).map(|published| {
            format!(
                "differences of sums and estimates with earlier releases: table `{}` was audited with them as one family",
                published.table.name
            )
        }));
    }
    lift(evidence, all, not_seen)
}

/// The obstacles of a bundle on its own.
fn of_the_bundle(Evidence { bundle, verification, .. }: &Evidence<'_>) -> Vec<Obstacle> {
    let failing = verification.with(Outcome::Fails).chain(verification.with(Outcome::CannotTell));
    let mut all: Vec<Obstacle> = failing
        .map(|check| match check.name == INTRUDER_TEST {
            true => without_test(&check.says),
            false => Obstacle {
                rule: "verification",
                says: format!("check `{}`: {}", check.name, check.says),
                lines: Vec::new(),
                help: "make the bundle again, and see what `outward verify` says about it".to_owned(),
            },
        })
        .collect();
    // For records, the verification checks the intruder test. For tables there is no such test.
    if bundle.is_of_tables && bundle.rules.intruder_test {
        all.push(without_test(&format!("policy `{}` asks for an intruder test of tables too", bundle.rules.policy)));
    }
    all
}

/// The obstacle of a bundle whose intruder test is missing, is of another bundle, or found too much.
fn without_test(says: &str) -> Obstacle {
    Obstacle {
        rule: "intruder-test",
        says: says.to_owned(),
        lines: Vec::new(),
        help: "test the bundle with `outward attack`, or enter an exception that says why it need not be".to_owned(),
    }
}

/// Public releases of the same data that the bundle does not take into account.
fn apart_from_the_past(evidence: &Evidence<'_>) -> Vec<Obstacle> {
    let Evidence { file, bundle, related, unrelated, .. } = evidence;
    let is_carried =
        |earlier: &&EarlierRelease| earlier.tables.iter().all(|table| is_carried(table, &earlier.protection, bundle));
    let own_version = |earlier: &&EarlierRelease| earlier.release.version == file.release.version;
    let apart = related.iter().filter(own_version).filter(|earlier| !is_carried(earlier));
    let obstacle = |rule: &'static str, says: String| Obstacle {
        rule,
        says,
        lines: Vec::new(),
        help: "make the bundle again with `outward table SPEC --register URL --out BUNDLE`".to_owned(),
    };
    let mut all: Vec<Obstacle> = apart
        .flat_map(|earlier| {
            let Release { id, title, .. } = &earlier.release;
            let unseen = format!("the figures were not compared with those of release {id}");
            let apart = format!("release {id} (“{title}”) is public, and these tables do not take it into account");
            [obstacle("differencing", unseen), obstacle("earlier-releases", apart)]
        })
        .collect();
    // Only the data show that columns with different names depend on each other.
    if let (true, false, Some(other)) = (bundle.is_of_tables, bundle.asked_register, unrelated.first()) {
        let what = format!(
            "release {} is public, and the register was not searched for releases related to these tables",
            other.id
        );
        all.push(obstacle("earlier-releases", what));
    }
    all
}

/// Cells that changed by few people since other versions of the data.
fn revisions(evidence: &Evidence<'_>, few: i64) -> Vec<Obstacle> {
    let Evidence { file, bundle, related, other_versions, .. } = evidence;
    let mut all = Vec::new();
    for earlier in related.iter().filter(|earlier| earlier.release.version != file.release.version) {
        revised(bundle, earlier, few, &mut all);
    }
    for earlier in *other_versions {
        bundle.tables.iter().for_each(|new| changed_cells(new, earlier, few, &mut all));
    }
    all
}

fn missing_approvals(file: &File) -> Option<Obstacle> {
    let missing = file.release.approvals - file.approved_by().len() as i64;
    let people = if missing == 1 { "one more person has".to_owned() } else { format!("{missing} more people have") };
    (missing > 0).then(|| Obstacle {
        rule: "approvals",
        says: format!("{people} to approve it, and its author cannot"),
        lines: Vec::new(),
        help: format!("`outward register approve {} --register URL --actor NAME`", file.release.id),
    })
}

/// Removes the obstacles that are lifted by exceptions which hold for this bundle at this time.
fn lift(Evidence { file, at, .. }: &Evidence<'_>, all: Vec<Obstacle>, not_seen: Vec<String>) -> Judgement {
    let lifted = |obstacle: &Obstacle| {
        let own = |exception: &&Exception| {
            exception.rule == obstacle.rule
                && exception.holds_at(at)
                && exception.bundle_hash == file.release.bundle_hash
        };
        file.exceptions.iter().find(own).filter(|_| EXCEPTIONS.contains(&obstacle.rule))
    };
    let mut exceptions: Vec<Exception> = Vec::new();
    for exception in all.iter().filter_map(lifted) {
        if !exceptions.contains(exception) {
            exceptions.push(exception.clone());
        }
    }
    let obstacles = all.iter().filter(|obstacle| lifted(obstacle).is_none()).cloned().collect();
    Judgement { obstacles, exceptions, not_seen }
}

/// The groups that follow from a bundle and the earlier tables it takes into account.
fn differenced(bundle: &DescribedBundle, few: i64) -> Differencing {
    let mut tables: Vec<PublishedCounts<'_>> = Vec::new();
    for (published, earlier) in &bundle.earlier {
        tables.push(PublishedCounts::of_earlier(&earlier.release, published, &earlier.told));
    }
    let protection = &bundle.spec.protection;
    tables.extend(bundle.tables.iter().map(|published| PublishedCounts::of_new("this release", published, protection)));
    match bundle.earlier.is_empty() {
        true => Differencing::default(),
        false => differences(&tables, few),
    }
}

/// Compares a bundle with the same tables of an earlier version of the data. A cell that changes by one discloses one
/// person.
fn revised(bundle: &DescribedBundle, earlier: &EarlierRelease, few: i64, all: &mut Vec<Obstacle>) {
    let Release { id, version, .. } = &earlier.release;
    for new in &bundle.tables {
        if !earlier.tables.iter().any(|old| is_same_table(old, new)) {
            all.push(Obstacle {
                rule: "revision",
                says: format!(
                    "table `{}` cannot be compared with release {id}, which is of version {version} of the data and has other rows or columns",
                    new.table.name
                ),
                lines: Vec::new(),
                help: "show the same rows and columns as that release, or enter an exception that says what was checked"
                    .to_owned(),
            });
        }
        changed_cells(new, earlier, few, all);
    }
}

/// Cells that a table shares with tables of an earlier version of the data, such as the grand total, and that changed
/// by few people.
fn changed_cells(new: &Published, earlier: &EarlierRelease, few: i64, all: &mut Vec<Obstacle>) {
    let Release { id, version, .. } = &earlier.release;
    let is_alike = |old: &&Published| {
        old.table.unit == new.table.unit && old.table.condition == new.table.condition && is_count(old) && is_count(new)
    };
    for old in earlier.tables.iter().filter(is_alike) {
        let then = shown_by_name(old);
        for (name, (position, now)) in shown_by_name(new) {
            let Some((_, then)) = then.get(&name).filter(|(_, then)| (1..=few).contains(&(now - then).abs())) else {
                continue;
            };
            let (table, cell) = (&new.table.name, new.table.describe(position));
            all.push(Obstacle {
                rule: "revision",
                says: format!("a cell changed by {} since version {version} of the data", (now - then).abs()),
                lines: vec![
                    format!("      {now}  this release, table `{table}`: {cell}"),
                    format!("minus {then}  release {id}, table `{}`: {cell}", old.table.name),
                    format!("leaves {}", now - then),
                ],
                help: "publish revisions together, for larger areas, or rounded".to_owned(),
            });
        }
    }
}

/// A name of a cell that is the same in all tables: its variables, by the columns they read, with the labels of its
/// nodes. Totals are left out.
type CellName = Vec<(Vec<String>, String)>;

/// The figures that a table shows unchanged, by the names of their cells.
fn shown_by_name(published: &Published) -> BTreeMap<CellName, (usize, i64)> {
    let table = &published.table;
    let name = |position: usize| -> CellName {
        let nodes = table.dimensions.iter().zip(table.nodes(position));
        let entry = |(dimension, node): (&outward_tables::Dimension, usize)| {
            let columns = match dimension.source.columns.is_empty() {
                true => vec![dimension.variable.clone()],
                false => dimension.source.columns.clone(),
            };
            let node = &dimension.nodes[node];
            // A total over some values is not the total of all.
            let whole = node.total && node.values.len() >= dimension.size;
            (!whole).then(|| (columns, node.label.clone()))
        };
        let mut name: CellName = { nodes }.filter_map(entry).collect();
        name.sort_unstable();
        name
    };
    let shown = published.figures.iter().enumerate().filter_map(|(position, figure)| match figure {
        Figure::Shown(value) => Some((name(position), (position, *value))),
        _ => None,
    });
    shown.collect()
}

/// Whether a bundle takes a published table into account, with the figures that the register has.
fn is_carried(table: &Published, protection: &Protection, bundle: &DescribedBundle) -> bool {
    let labels = |published: &Published| -> Vec<Vec<String>> {
        let of =
            |dimension: &outward_tables::Dimension| dimension.nodes.iter().map(|node| node.label.clone()).collect();
        published.table.dimensions.iter().map(of).collect()
    };
    // The source may have become a finer column, from which the column of the release follows.
    bundle.earlier.iter().any(|(carried, earlier)| {
        // A rounded or perturbed figure is kept as an interval.
        let is_same =
            |((now, then), told): ((&Figure, &Figure), &EarlierFigure)| *told != EarlierFigure::Shown || now == then;
        carried.table.unit == table.table.unit
            && carried.table.condition == table.table.condition
            && carried.scale == table.scale
            && labels(carried) == labels(table)
            && earlier.follows_from(table, protection)
            && carried.figures.len() == table.figures.len()
            && carried.figures.iter().zip(&table.figures).zip(&earlier.told).all(is_same)
    })
}

fn is_count(published: &Published) -> bool {
    published.table.magnitudes.is_none() && published.table.weighted.is_none()
}

fn is_same_table(one: &Published, other: &Published) -> bool {
    let labels = |published: &Published| -> Vec<(String, Vec<String>)> {
        let of = |dimension: &outward_tables::Dimension| {
            (dimension.variable.clone(), dimension.nodes.iter().map(|node| node.label.clone()).collect())
        };
        published.table.dimensions.iter().map(of).collect()
    };
    one.table.unit == other.table.unit
        && one.table.condition == other.table.condition
        && one.scale == other.scale
        && labels(one) == labels(other)
}
