//! Protects tables: leaves them as they are, rounds, hides cells or perturbs. Linked tables are protected together, and
//! the result is attacked.

mod attack;
mod contributors;
mod counted;
mod hide;
mod joint;
mod marks;
mod measures;
mod publish;
mod round;

use std::collections::BTreeSet;
use std::path::Path;

use outward_spec::{Error, Protection, ProtectionMethod, Result, TableRules};

use crate::earlier::{Earlier, EarlierFigure};
use crate::family::{Family, families, protected_together};
use crate::judge::Verdict;
use crate::make::{AttackerKnowledge, CountedTable, CountedTables};
use crate::source::ValueSource;
use crate::table::{Figure, Published};
use crate::words;
pub use joint::{CellOf, JointDisclosure, JointDisclosures, find_joint_disclosures};
use marks::Marks;
use measures::{hide_in_all_measures, refuse_uncounted_means};
use outward_audit::Certificate;
use outward_suppress::perturb::{CellKey, Noise, PTable};
use publish::publish;
pub use publish::{scale_of, shown};
pub use round::{possible, rounded_how};

/// Tables as they may be published, and how that was checked.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The tables, in the order in which they were made.
    pub published: Vec<Published>,
    /// The outcome of each table.
    pub outcomes: Vec<Outcome>,
    /// For each family with something to hide, what an attacker can work out.
    pub certificates: Vec<FamilyCertificate>,
    /// With cell keys: the noise of each count.
    pub noise: Vec<NoiseRow>,
    /// Sets of tables, by name, that together have more combinations than can be checked.
    pub too_large: Vec<Vec<String>>,
    /// The reason why they may be published all the same, if the spec gives one.
    pub accepted: Option<String>,
    /// The tables of earlier releases that were taken into account, and what is public of them.
    pub earlier: Vec<(Published, Earlier)>,
}

/// The noise of a count, from the p-table. The last row applies to all larger counts too.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct NoiseRow {
    /// The true count.
    pub count: u32,
    /// The expected noise.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
    /// The chance that the count stays as it is.
    pub stay: f64,
}

/// The outcome of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cells of the table.
    pub published_cells: usize,
    /// Unsafe cells.
    pub primary: usize,
    /// Secondary suppressions.
    pub secondary: usize,
    /// Unsafe cells that can still be worked out.
    pub recoverable: usize,
    /// Unsafe cells whose interval is too narrow.
    pub too_tight: usize,
    /// The recoverable and too tight cells of the table, as far as it is known which they are.
    pub open: BTreeSet<usize>,
    /// What was done and how well it protects, for the custodian.
    pub notes: Vec<String>,
}

/// The certificate of a family.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyCertificate {
    /// The tables of the family, by name.
    pub tables: Vec<String>,
    /// What an attacker can work out from all of them.
    pub certificate: Certificate,
    /// Sums of cells that must not be derivable, each cell by name. They would disclose the answer of a group, or what few
    /// people add to an amount.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Vec<(String, i32)>>,
    /// For estimates: cells with one contributor, by name. Those of the same person are one list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Vec<String>>,
    /// People who are counted in an atom of few people, and contributors to hidden sums whose share of one is large
    /// enough to matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contributors: Vec<Contributor>,
    /// The least and the largest value that unsafe sums must be able to have for contributors to other sums. Sums are
    /// given by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<(String, i64, i64)>,
    /// Whether both ends of each interval are exactly what follows from the tables alone. They are not if the joint
    /// table was too large to be modelled, or if a condition had to be looked up in the records.
    #[serde(default)]
    pub whole: bool,
    /// The tables of estimates in which every record has the same weight, with this weight in thousandths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(String, i64)>,
    /// The reason why tables that together have more combinations than can be checked may be published, if there are
    /// any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The linked files in which every record of `[data]` has at least one record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub every: Vec<String>,
    /// The tables whose condition keeps some values of a variable, with the source and the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<(String, ValueSource, Vec<u32>)>,
    /// What the conditions of tables imply for values that tables show (K3), also by columns that no table shows and
    /// by columns tied to these (K4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionKinds>,
}

/// Which kinds of records can have which values of variables that conditions read, or that are tied to a column that
/// conditions read. An example: everyone in one of the districts is in its region.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionKinds {
    /// The unit: what one record is.
    pub unit: String,
    /// The variables: the source of each, and its values by class.
    pub reads: Vec<(ValueSource, Vec<Vec<u32>>)>,
    /// By the class of each: the kinds of records that are possible.
    pub kinds: Vec<(Vec<u32>, Vec<u32>)>,
}

/// What a contributor knows about hidden cells: their own amounts. In a count each person has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contributor {
    /// The cells they are alone in, by name, with the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<(String, i64)>,
    /// The cells they are in with others, with their own amount.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<(String, i64)>,
    /// The least and the largest value that unsafe sums which they share must be able to have, given what they know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<(String, i64, i64)>,
    /// With atoms: their records, from which their atoms follow. Records in the same cells are one entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<ContributorRecord>,
}

/// Where a record of a contributor is counted, in hidden and in shown cells.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContributorRecord {
    /// The cells that count it and are no sums of others, by name.
    pub cells: Vec<String>,
    /// The amount of the record in each of these; in a count one.
    pub amount: i64,
    /// The tables that count it in no other cells except sums, by name.
    pub tables: Vec<String>,
}

impl Protected {
    /// Whether every table may be published.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.recoverable == 0 && outcome.too_tight == 0)
            && (self.too_large.is_empty() || self.accepted.is_some())
    }
}

/// Protects tables as asked. If unsafe cells of a family could still be worked out, its outcomes say so, and it must
/// not be written.
///
/// # Errors If the protection asked for is not possible.
pub fn protect(
    counted: &CountedTables,
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
    base: &Path,
) -> Result<Protected> {
    let made = &counted.tables;
    refuse(made, protection)?;
    let held = marked(counted, verdicts, protection, rules)?;
    let mut work = Work::new(counted, verdicts, protection.accept_partial.clone());
    let mut noise = Vec::new();
    match protection.method {
        ProtectionMethod::None => held.iter().for_each(|held| work.leave(held)),
        ProtectionMethod::Suppress => {
            held.iter().try_for_each(|held| work.hide(held, protection))?;
            // Hiding a cell in one measure hides it in the others, and in other tables that show it. This is repeated
            // until no more cells are hidden.
            let mut before = usize::MAX;
            while before != work.hidden() {
                before = work.hidden();
                hide_in_all_measures(made, &mut work.figures);
                held.iter().for_each(|held| work.hide_everywhere(held));
            }
            work.note_hidden();
        }
        ProtectionMethod::Round => {
            let threshold = held.iter().map(|held| held.marks.threshold).max().unwrap_or_default();
            let new = |tables: &Vec<usize>| -> Vec<usize> {
                tables.iter().copied().filter(|at| made[*at].earlier.is_none()).collect()
            };
            for tables in families(made).iter().map(new).filter(|tables| !tables.is_empty()) {
                work.round(&Family::for_rounding(counted, tables, protection.cost)?, protection, threshold)?;
            }
        }
        ProtectionMethod::CellKey => noise = work.perturb(&p_table(protection, base)?),
    }
    let mut certificates = Vec::new();
    for held in &held {
        certificates.extend(match protection.method {
            ProtectionMethod::Suppress => work.attack_hidden(held)?,
            ProtectionMethod::Round => work.attack_rounded(held, protection)?,
            ProtectionMethod::None if made.iter().any(|made| made.earlier.is_some()) => work.attack_hidden(held)?,
            ProtectionMethod::None | ProtectionMethod::CellKey => None,
        });
    }
    work.count_secondary(verdicts);
    work.tell_earlier();
    let Work { figures, outcomes, .. } = work;
    let (earlier, published): (Vec<_>, Vec<_>) =
        made.iter().zip(verdicts).zip(figures).partition(|((made, _), _)| made.earlier.is_some());
    let earlier = earlier.into_iter().filter_map(|((made, verdict), figures)| {
        Some((publish(made, verdict, figures, protection), made.earlier.clone()?))
    });
    let outcomes = made.iter().zip(outcomes).filter(|(made, _)| made.earlier.is_none());
    let outcomes = outcomes.map(|(_, outcome)| outcome).collect();
    let attacks = matches!(protection.method, ProtectionMethod::Suppress | ProtectionMethod::Round);
    let names = |tables: &Vec<usize>| tables.iter().map(|at| made[*at].table.name.clone()).collect();
    let too_large: Vec<Vec<String>> =
        held.iter().filter(|_| attacks).flat_map(|held| &held.family.too_large).map(names).collect();
    let accepted = protection.accept_partial.clone().filter(|_| !too_large.is_empty());
    let published = published.into_iter().map(|((made, verdict), figures)| {
        let mut published = publish(made, verdict, figures, protection);
        if accepted.is_some() && too_large.iter().flatten().any(|name| *name == made.table.name) {
            published.protection += words::PARTIAL;
        }
        published
    });
    let (published, earlier) = (published.collect(), earlier.collect());
    Ok(Protected { published, outcomes, certificates, noise, too_large, accepted, earlier })
}

/// Refuses tables that cannot be protected by the method asked for, whatever their figures are.
///
/// # Errors If a method does not go with the tables, or with what earlier releases show.
pub fn refuse(made: &[CountedTable], protection: &Protection) -> Result<()> {
    refuse_sums(made, protection)?;
    refuse_asked(made, protection)?;
    refuse_noise(made, protection)?;
    refuse_uncounted_means(made)
}

/// Refuses rounding and cell keys for tables that are not counts.
fn refuse_sums(made: &[CountedTable], protection: &Protection) -> Result<()> {
    let mut new = made.iter().filter(|made| made.earlier.is_none());
    let sums = new.any(|made| made.table.magnitudes.is_some() || made.table.weighted.is_some());
    let what = match protection.method {
        ProtectionMethod::Round if sums => "rounding protects counts",
        ProtectionMethod::CellKey if sums => "cell keys change counts",
        _ => return Ok(()),
    };
    Err(Error::input(format!("{what}; there are tables of sums, means or estimates among these"))
        .help("protect them with `method = \"suppress\"`, or name only tables of counts")
        .into())
}

/// Refuses noise together with figures without noise, as what follows from both is not computed.
fn refuse_noise(made: &[CountedTable], protection: &Protection) -> Result<()> {
    match made.iter().find_map(|made| made.earlier.as_ref()) {
        Some(earlier) if protection.method == ProtectionMethod::CellKey => Err(Error::input(format!(
            "what perturbed counts disclose together with release `{}` cannot be computed",
            earlier.release
        ))
        .help("protect the new tables with `method = \"suppress\"` or `method = \"round\"`")
        .into()),
        _ => Ok(()),
    }
}

/// Refuses requests that contradict earlier releases or each other. A cell that was hidden cannot be shown, rounded or
/// not. A rounded or perturbed cell cannot be shown exactly.
fn refuse_asked(made: &[CountedTable], protection: &Protection) -> Result<()> {
    let changes = matches!(protection.method, ProtectionMethod::Round | ProtectionMethod::CellKey);
    for CountedTable { table, hidden, frozen, .. } in
        made.iter().filter(|_| protection.method != ProtectionMethod::Suppress)
    {
        let (what, field) = match (hidden.is_empty(), frozen.is_empty()) {
            (false, _) => ("has cells that are hidden already", "already_hidden"),
            (true, false) if changes => ("has cells that must be shown as they are", "must_show"),
            _ => continue,
        };
        return Err(Error::input(format!("table `{}` {what}", table.name))
            .help(format!("protect it with `method = \"suppress\"`, or remove `{field}`"))
            .into());
    }
    Ok(())
}

/// The tables that are protected together, with their unsafe cells marked, before anything is hidden. τ-ARGUS keeps
/// this in a JJ file.
///
/// # Errors If an unsafe cell must be shown, or if a sum and a mean disclose a number of records.
pub fn marked(
    counted: &CountedTables,
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
) -> Result<Vec<MarkedFamily>> {
    let made = &counted.tables;
    refuse_uncounted_means(made)?;
    let mark = |tables| {
        let mut family = Family::new(counted, tables, protection.cost)?;
        family.tell_listed();
        if protection.method != ProtectionMethod::Round {
            family.tell_empty()?;
        }
        let mut marks = Marks::put(&mut family, made, verdicts, protection, rules)?;
        // Differences between tables may be all that must be protected.
        let hides = matches!(protection.method, ProtectionMethod::Suppress | ProtectionMethod::None);
        if marks.asks(&family.system) || hides && family.tables.len() > 1 {
            family.cross(counted, marks.few)?;
            marks.put_differences(&family);
            marks.leave_out_void(&family.system);
        }
        if protection.method == ProtectionMethod::Suppress && marks.asks(&family.system) {
            marks.put_known(&family, made, rules);
        }
        Ok(MarkedFamily { family, marks })
    };
    let has_new = |tables: &Vec<usize>| tables.iter().any(|at| made[*at].earlier.is_none());
    protected_together(made).into_iter().filter(has_new).map(mark).collect()
}

fn p_table(protection: &Protection, base: &Path) -> Result<PTable> {
    match &protection.p_table {
        Some(path) => {
            let path = base.join(path);
            let text = std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
            PTable::from_csv(&text).map_err(|error| error.with_fault(|fault| fault.file(&path)))
        }
        None => PTable::generate(&Noise {
            deviation: protection.noise,
            variance: protection.variance,
            small: protection.no_small,
            monotone: protection.monotone,
            stay: protection.stay,
        }),
    }
}

/// The figures of a table before protection: all cells of a new table are shown.
fn public(made: &CountedTable) -> Vec<Figure> {
    let mut figures = shown(&made.table);
    let told = made.earlier.iter().flat_map(|earlier| &earlier.told);
    let hidden = figures.iter_mut().zip(told).filter(|(_, told)| **told != EarlierFigure::Shown);
    hidden.for_each(|(figure, _)| *figure = Figure::Hidden);
    figures
}

/// Tables that are protected together, and what must be protected in them.
pub struct MarkedFamily {
    /// The tables and their system.
    pub family: Family,
    marks: Marks,
}

/// The tables while they are protected.
struct Work<'a> {
    made: &'a [CountedTable],
    known: &'a AttackerKnowledge,
    /// The reason why tables that together have more combinations than can be checked may be published.
    accepted: Option<String>,
    /// The published figure of each cell.
    figures: Vec<Vec<Figure>>,
    outcomes: Vec<Outcome>,
    /// By how many multiples the figures of each table may be beyond their neighbours.
    steps: Vec<u32>,
    /// How many secondary suppressions each table has, and how they were chosen.
    chosen: Vec<(usize, &'static str)>,
}

impl<'a> Work<'a> {
    fn new(
        CountedTables { tables: made, known }: &'a CountedTables,
        verdicts: &[Verdict],
        accepted: Option<String>,
    ) -> Self {
        let outcome = |(made, verdict): (&CountedTable, &Verdict)| Outcome {
            published_cells: made.table.len(),
            primary: verdict.primary().len(),
            ..Outcome::default()
        };
        Self {
            made,
            known,
            accepted,
            figures: made.iter().map(public).collect(),
            outcomes: made.iter().zip(verdicts).map(outcome).collect(),
            steps: vec![0; made.len()],
            chosen: vec![(0, ""); made.len()],
        }
    }

    /// Without protection: every unsafe cell is shown.
    fn leave(&mut self, held: &MarkedFamily) {
        self.note_extent(held);
        for at in &held.family.tables {
            // A cell that an earlier release hides is attacked; one that it shows is known.
            let of_earlier = self.made[*at].earlier.is_some();
            self.outcomes[*at].recoverable = if of_earlier { 0 } else { self.outcomes[*at].primary };
        }
        if let (Some(last), differences @ 1..) = (held.family.tables.last(), held.marks.differences) {
            self.outcomes[*last].recoverable += differences;
            self.outcomes[*last].notes.push(match differences {
                1 => "1 unsafe count follows from two of these tables".to_owned(),
                _ => format!("{differences} unsafe counts follow from two of these tables"),
            });
        }
    }

    /// Adds to every count the noise of its key. Returns the distribution of the noise.
    fn perturb(&mut self, p_table: &PTable) -> Vec<NoiseRow> {
        for ((made, figures), outcome) in self.made.iter().zip(&mut self.figures).zip(&mut self.outcomes) {
            let table = &made.table;
            for (cell, figure) in figures.iter_mut().enumerate() {
                let perturbed = p_table.apply(table.counts[cell], CellKey(table.keys[cell]).fraction());
                *figure = Figure::Shown(perturbed as i64);
            }
            outcome.notes.push("every count perturbed by its cell key".to_owned());
        }
        let row = |row: &outward_suppress::perturb::Row| NoiseRow {
            count: row.count,
            mean: row.mean(),
            variance: row.variance(),
            stay: row.stay(),
        };
        p_table.rows().iter().map(row).collect()
    }

    /// Notes with the new tables what they would disclose about earlier releases.
    fn tell_earlier(&mut self) {
        let Some(last) = (0..self.made.len()).rev().find(|at| self.made[*at].earlier.is_none()) else { return };
        for at in 0..self.made.len() {
            let open = self.outcomes[at].recoverable + self.outcomes[at].too_tight;
            if self.made[at].earlier.is_some() && open > 0 {
                let note =
                    format!("hidden cells of `{}` could be worked out with these tables", self.made[at].table.name);
                self.outcomes[last].too_tight += open;
                self.outcomes[last].notes.push(note);
            }
        }
    }

    /// Counts the secondary suppressions.
    fn count_secondary(&mut self, verdicts: &[Verdict]) {
        for (at, outcome) in self.outcomes.iter_mut().enumerate() {
            let own: std::collections::BTreeSet<usize> =
                verdicts[at].primary().into_iter().chain(self.made[at].hidden.iter().copied()).collect();
            let hidden = self.figures[at].iter().enumerate().filter(|(_, figure)| **figure == Figure::Hidden);
            outcome.secondary = hidden.filter(|(cell, _)| !own.contains(cell)).count();
        }
    }
}
