//! Protection of tables: judged, then left as they are, rounded, hidden in part or perturbed, all that are linked together, and
//! attacked.

mod attack;
mod contributors;
mod counted;
mod hide;
mod joint;
mod marks;
mod publish;
mod round;

use std::collections::BTreeSet;
use std::path::Path;

use outward_spec::{Error, Method, Protection, Result, TableRules};

use crate::earlier::{Earlier, EarlierFigure};
use crate::family::{Family, families, protected_together};
use crate::judge::Verdict;
use crate::make::{AttackerKnowledge, CountedTable, CountedTables};
use crate::source::ValueSource;
use crate::table::{Figure, Published};
use crate::words;
pub use joint::{CellOf, JointDisclosure, JointDisclosures, find_joint_disclosures};
use marks::Marks;
use outward_audit::Certificate;
use outward_suppress::perturb::{CellKey, Noise, PTable};
pub(crate) use publish::shown;
use publish::{hide_in_all_measures, publish};
pub use round::{possible, rounded_how};

/// Tables as they may be published, and how that was checked.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The tables, in the order they were made in.
    pub published: Vec<Published>,
    /// What came of each.
    pub outcomes: Vec<Outcome>,
    /// For each family that has something to hide, what an attacker can work out.
    pub certificates: Vec<FamilyCertificate>,
    /// Cell keys: what the noise of each count is like.
    pub noise: Vec<NoiseRow>,
    /// Tables, by name, that have more combinations together than can be checked.
    pub too_large: Vec<Vec<String>>,
    /// Why they may go out all the same, where the spec says so.
    pub accepted: Option<String>,
    /// The tables of earlier releases that these were protected beside, and what is public of them.
    pub earlier: Vec<(Published, Earlier)>,
}

/// What the noise of a count is like, as the p-table came out. The last row stands for all larger counts too.
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

/// What came of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cells of the table.
    pub published_cells: usize,
    /// Unsafe cells.
    pub primary: usize,
    /// Cells hidden besides.
    pub secondary: usize,
    /// Unsafe cells that can still be worked out.
    pub recoverable: usize,
    /// Unsafe cells whose interval is too narrow.
    pub too_tight: usize,
    /// The cells of the table that are one or the other, as far as it is known which.
    pub open: BTreeSet<usize>,
    /// What was done and how well, for the custodian.
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
    /// Sums of cells that must not be derivable, each cell by its name: what is told of groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Vec<(String, i32)>>,
    /// Cells of one contributor, those of the same person together, each by its name: of estimates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Vec<String>>,
    /// Whoever is counted in an atom of few people, and contributors to hidden sums who have so much of one that it matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contributors: Vec<Contributor>,
    /// What unsafe sums must be able to be in the eyes of contributors to others, by name: as little, and as much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<(String, i64, i64)>,
    /// Whether both ends of each interval are all that follows from the tables, and from them alone: the table behind them was not too large to
    /// be reckoned with, and no condition had to be looked up in the records.
    #[serde(default)]
    pub whole: bool,
    /// The tables of estimates in which every record weighs the same, with that weight in thousandths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(String, i64)>,
    /// Why tables that have more combinations together than can be checked may go out, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The linked files of which every record of `[data]` has at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub every: Vec<String>,
    /// The tables whose condition keeps some values of a variable, with what these are read from and which they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<(String, ValueSource, Vec<u32>)>,
    /// What the conditions of tables say of variables that go together with a column which no table shows (K4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideConditions>,
}

/// Which kinds of records can have values of a variable, as it goes together with a column that conditions read and no table shows: who lives in one
/// of the districts lives in its region.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BesideConditions {
    /// What one record is.
    pub unit: String,
    /// The variable, and others that the same conditions read: what each is read from, and its values by classes that are told apart.
    pub reads: Vec<(ValueSource, Vec<Vec<u32>>)>,
    /// By the class of each: the kinds of records there can be.
    pub kinds: Vec<(Vec<u32>, Vec<u32>)>,
}

/// What someone knows of hidden cells because it is their own. Of a count everyone has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contributor {
    /// The cells they are alone in, by name, with what they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<(String, i64)>,
    /// The cells they are in with others, with their own amount.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<(String, i64)>,
    /// What unsafe sums that they share must be able to be in their eyes: as little, and as much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<(String, i64, i64)>,
    /// Where there are atoms: their records, those that are in the same cells as one. These say which atoms are theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<ContributorRecord>,
}

/// Where a record of a contributor is counted, whether that is hidden or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContributorRecord {
    /// The cells it is in that are no sums of others, by name.
    pub cells: Vec<String>,
    /// What they have by it in each of these; of a count one.
    pub amount: i64,
    /// The tables in which it is in no other cell but sums, by name.
    pub tables: Vec<String>,
}

impl Protected {
    /// Whether every table may go out.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.recoverable == 0 && outcome.too_tight == 0)
            && (self.too_large.is_empty() || self.accepted.is_some())
    }
}

/// Protects tables as asked. A family whose unsafe cells could still be worked out is told in its outcomes, and must not be written.
///
/// # Errors
/// Where what is asked cannot be done.
pub fn protect(
    counted: &CountedTables,
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
    base: &Path,
) -> Result<Protected> {
    let made = &counted.tables;
    refuse_sums(made, protection)?;
    refuse_asked(made, protection)?;
    refuse_noise(made, protection)?;
    let held = marked(counted, verdicts, protection, rules)?;
    let mut work = Work::new(counted, verdicts, protection.accept_partial.clone());
    let mut noise = Vec::new();
    match protection.method {
        Method::None => held.iter().for_each(|held| work.leave(held)),
        Method::Suppress => {
            held.iter().try_for_each(|held| work.hide(held, protection))?;
            // One measure may hide a cell of another, and a table a cell that others show too: until neither hides more.
            let mut before = usize::MAX;
            while before != work.hidden() {
                before = work.hidden();
                hide_in_all_measures(made, &mut work.figures);
                held.iter().for_each(|held| work.hide_everywhere(held));
            }
            work.note_hidden();
        }
        Method::Round => {
            let threshold = held.iter().map(|held| held.marks.threshold).max().unwrap_or_default();
            let new = |tables: &Vec<usize>| -> Vec<usize> {
                tables.iter().copied().filter(|at| made[*at].earlier.is_none()).collect()
            };
            for tables in families(made).iter().map(new).filter(|tables| !tables.is_empty()) {
                work.round(&Family::for_rounding(counted, tables, protection.cost)?, protection, threshold)?;
            }
        }
        Method::CellKey => noise = work.perturb(&p_table(protection, base)?),
    }
    let mut certificates = Vec::new();
    for held in &held {
        certificates.extend(match protection.method {
            Method::Suppress => work.attack_hidden(held)?,
            Method::Round => work.attack_rounded(held, protection)?,
            Method::None if made.iter().any(|made| made.earlier.is_some()) => work.attack_hidden(held)?,
            Method::None | Method::CellKey => None,
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
    let attacks = matches!(protection.method, Method::Suppress | Method::Round);
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

/// Rounding and cell keys are for counts.
fn refuse_sums(made: &[CountedTable], protection: &Protection) -> Result<()> {
    let mut new = made.iter().filter(|made| made.earlier.is_none());
    let sums = new.any(|made| made.table.magnitudes.is_some() || made.table.weighted.is_some());
    let what = match protection.method {
        Method::Round if sums => "rounding protects counts",
        Method::CellKey if sums => "cell keys change counts",
        _ => return Ok(()),
    };
    Err(Error::input(format!("{what}; there are tables of sums, means or estimates among these"))
        .help("protect them with `method = \"suppress\"`, or name only tables of counts")
        .into())
}

/// What noise tells beside figures without it is not worked out.
fn refuse_noise(made: &[CountedTable], protection: &Protection) -> Result<()> {
    match made.iter().find_map(|made| made.earlier.as_ref()) {
        Some(earlier) if protection.method == Method::CellKey => Err(Error::input(format!(
            "what perturbed counts tell beside release `{}` cannot be worked out",
            earlier.release
        ))
        .help("protect the new tables with `method = \"suppress\"` or `method = \"round\"`")
        .into()),
        _ => Ok(()),
    }
}

/// What was hidden before cannot be shown now, rounded or not, and what is rounded or perturbed is not shown as it is.
fn refuse_asked(made: &[CountedTable], protection: &Protection) -> Result<()> {
    let changes = matches!(protection.method, Method::Round | Method::CellKey);
    for CountedTable { table, hidden, frozen, .. } in made.iter().filter(|_| protection.method != Method::Suppress) {
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

/// The tables that are protected together with their unsafe cells marked, before anything is hidden: what τ-ARGUS calls a JJ file.
///
/// # Errors
/// Where a cell must be shown that is unsafe.
pub fn marked(
    counted: &CountedTables,
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
) -> Result<Vec<MarkedFamily>> {
    let made = &counted.tables;
    let mark = |tables| {
        let mut family = Family::new(counted, tables, protection.cost)?;
        family.tell_listed();
        if protection.method != Method::Round {
            family.tell_empty()?;
        }
        let mut marks = Marks::put(&mut family, made, verdicts, protection, rules)?;
        // What is left between tables may be all there is to protect.
        let hides = matches!(protection.method, Method::Suppress | Method::None);
        if marks.asks(&family.system) || hides && family.tables.len() > 1 {
            family.cross(counted, marks.few)?;
            marks.put_differences(&family);
            marks.leave_out_void(&family.system);
        }
        if protection.method == Method::Suppress && marks.asks(&family.system) {
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

/// What is public of a table before anything is done: all of a new one.
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

/// All tables on their way.
struct Work<'a> {
    made: &'a [CountedTable],
    known: &'a AttackerKnowledge,
    /// Why tables that have more combinations together than can be checked may go out.
    accepted: Option<String>,
    /// What is published of each cell.
    figures: Vec<Vec<Figure>>,
    outcomes: Vec<Outcome>,
    /// How many multiples beyond their neighbours the figures of each table may be.
    steps: Vec<u32>,
    /// How many cells of each table were chosen to be hidden, and how well.
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

    /// Nothing is done: every unsafe cell stands there to be read.
    fn leave(&mut self, held: &MarkedFamily) {
        self.note_extent(held);
        for at in &held.family.tables {
            // What an earlier release hides is attacked; what it shows is told.
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

    /// Changes every count by the noise of its key, and says what that is like.
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

    /// Says with the new tables what they would tell of earlier releases.
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

    /// Counts the cells that are hidden for others.
    fn count_secondary(&mut self, verdicts: &[Verdict]) {
        for (at, outcome) in self.outcomes.iter_mut().enumerate() {
            let own: std::collections::BTreeSet<usize> =
                verdicts[at].primary().into_iter().chain(self.made[at].hidden.iter().copied()).collect();
            let hidden = self.figures[at].iter().enumerate().filter(|(_, figure)| **figure == Figure::Hidden);
            outcome.secondary = hidden.filter(|(cell, _)| !own.contains(cell)).count();
        }
    }
}
