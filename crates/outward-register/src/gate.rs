//! The gate: whether a release may become public, and what is missing.

use outward_release::verify::{INTRUDER_TEST, Outcome, Verification};
use outward_release::{DescribedBundle, verify};
use outward_spec::{Protection, Result, Spec, TableRules};
use outward_tables::{EarlierFigure, Figure, Published};
use serde::Serialize;

use crate::differencing::{Difference, Differencing, PublishedCounts, differences};
use crate::records::{self, RecordsCompared};
use crate::register::{Exception, File, Release};
use crate::revision::{self, VersionedTable};

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

    /// The obstacle of data that a register knows by another name; `None` if the figures do not say so.
    pub fn of_copy(name: &str, new: &[VersionedTable], earlier: &EarlierRelease) -> Option<Self> {
        let Release { id, dataset, .. } = &earlier.release;
        let common = revision::counts_in_common(new, earlier)?;
        Some(Self {
            rule: "earlier-releases",
            says: format!(
                "{name} and release {id} of `{dataset}` have {common} counts in common, and all are the same: they seem to be the same data by two names"
            ),
            lines: Vec::new(),
            help: format!("name the data as the register does, with `--dataset {dataset}`, and make the bundle again"),
        })
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
    /// How they were made and protected.
    pub spec: Spec,
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
    /// Public releases of tables of data by other names, which share a column with it.
    pub other_names: &'a [EarlierRelease],
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
    all.extend(copies(evidence));
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
    let is_carried = |earlier: &&EarlierRelease| {
        earlier.tables.iter().all(|table| is_carried(table, &earlier.spec.protection, bundle))
    };
    let own_version = |earlier: &&EarlierRelease| earlier.release.version == file.release.version;
    let apart = related.iter().filter(own_version).filter(|earlier| !is_carried(earlier));
    let obstacle = |rule: &'static str, says: String| Obstacle {
        rule,
        says,
        lines: Vec::new(),
        help: "make the bundle again with `outward table SPEC --register URL --out BUNDLE`".to_owned(),
    };
    let mut all: Vec<Obstacle> = apart
        .map(|earlier| {
            let Release { id, title, .. } = &earlier.release;
            let what = "these tables do not take it into account, so that nothing was compared with its figures";
            obstacle("earlier-releases", format!("release {id} (“{title}”) is public, and {what}"))
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
    let new = VersionedTable::of_published(&bundle.spec, &bundle.tables);
    let related = related.iter().filter(|earlier| earlier.release.version != file.release.version);
    let related = related.map(|earlier| (earlier, true));
    let earlier = related.chain(other_versions.iter().map(|earlier| (earlier, false)));
    earlier
        .flat_map(|(earlier, is_related)| {
            revision::revisions(("this release", &new), earlier, is_related, few.max(earlier.few))
        })
        .collect()
}

/// Public releases of data by other names that show the same figures.
fn copies(Evidence { bundle, other_names, .. }: &Evidence<'_>) -> Vec<Obstacle> {
    let new = VersionedTable::of_published(&bundle.spec, &bundle.tables);
    other_names.iter().filter_map(|earlier| Obstacle::of_copy("this release", &new, earlier)).collect()
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
