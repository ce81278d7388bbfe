//! What conditions and columns with several answers imply for values: combinations that no record can have (K3, K5).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_cells::{Condition, Holds};
use outward_spec::Result;

use super::conditions::Kinds;
use super::{InnerTable, Maker, UnitKnowledge, UnitTables};
use crate::dimension::MISSING_LABEL;
use crate::files::files_of;
use crate::source::ValueSource;

/// The conditions of the tables of a unit: for each combination of the values they read, which conditions a record can
/// meet together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// The columns that they read and that tables show.
    pub(crate) reads: Vec<Reads>,
    /// By the classes of these columns: the kinds of records that are possible.
    pub(crate) kinds: HashMap<Vec<u32>, BTreeSet<u32>>,
    /// The source of a column that is tied to one which conditions read and no table shows, if these conditions are for
    /// such a column.
    pub(crate) beside: Option<ValueSource>,
}

impl Conditions {
    /// The conditions restricted to some of the columns that they read, whatever the others are.
    pub(crate) fn of_reads(&self, kept: impl Fn(&Reads) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.reads.len()).filter(|at| kept(&self.reads[*at])).collect();
        self.of_places(&kept)
    }

    /// As [`Self::of_reads`], by the positions of the columns that are kept.
    pub(crate) fn of_places(&self, kept: &[usize]) -> Self {
        let mut kinds: HashMap<Vec<u32>, BTreeSet<u32>> = HashMap::new();
        for (classes, own) in &self.kinds {
            kinds.entry(kept.iter().map(|at| classes[*at]).collect()).or_default().extend(own);
        }
        Self { reads: kept.iter().map(|at| self.reads[*at].clone()).collect(), kinds, beside: self.beside.clone() }
    }
}

/// A column that conditions read, as a variable that tables show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// The source of the variable.
    pub(crate) source: ValueSource,
    /// Which of its columns it is, if a record may have several values.
    pub(crate) column: Option<usize>,
    /// For each class of values that no condition distinguishes, the numbers of the variable's values; 0 for none.
    pub(crate) numbers: Vec<Vec<u32>>,
}

/// A column of a file.
pub(super) type FileColumn = (usize, usize);

/// Pairs of codes of two columns that occur together.
pub(super) type CodePairs = BTreeSet<[u32; 2]>;

/// A condition by the codes of the columns it reads: whether it holds. Combinations that are not listed are open.
pub(super) struct Read<'a> {
    pub(super) columns: Vec<FileColumn>,
    holds: Cow<'a, Holds>,
}

/// With more conditions than this, conditions are taken to be compatible only if some record meets them together.
const MAX_OPEN_CONDITIONS: usize = 8;

/// Conditions by all columns they read. Codes that no condition distinguishes are one class.
pub(super) struct Joint<'a> {
    read: Vec<Read<'a>>,
    pub(super) columns: Vec<FileColumn>,
    /// For each column the variable by which tables show it, with the numbers of its values by class.
    pub(super) reads: Vec<Option<Reads>>,
    classes: Vec<Vec<Vec<u32>>>,
    pub(super) combinations: usize,
    /// Pairs of columns of which one follows from the other (K4), with the pairs of classes that occur.
    tied: Vec<([usize; 2], BTreeSet<[usize; 2]>)>,
}

impl Joint<'_> {
    /// The class of a column in a combination.
    pub(super) fn class(&self, combination: usize, column: usize) -> usize {
        let after: usize = self.classes[column + 1..].iter().map(Vec::len).product();
        combination / after % self.classes[column].len()
    }

    /// Whether columns that follow from each other allow a combination: a district is in one region.
    pub(super) fn can_be(&self, combination: usize) -> bool {
        let allows = |(columns, together): &([usize; 2], BTreeSet<[usize; 2]>)| {
            together.contains(&columns.map(|column| self.class(combination, column)))
        };
        self.tied.iter().all(allows)
    }

    /// A column, and all columns of the conditions that read a column tied to it.
    fn told_beside(&self, beside: FileColumn) -> BTreeSet<FileColumn> {
        let tied = self.tied.iter().map(|(columns, _)| columns.map(|at| self.columns[at]));
        let with: BTreeSet<FileColumn> = tied.filter(|pair| pair.contains(&beside)).flatten().collect();
        let related = self.read.iter().filter(|read| read.columns.iter().any(|column| with.contains(column)));
        related.flat_map(|read| read.columns.clone()).chain([beside]).collect()
    }

    /// Whether each condition holds for a combination; `None` if it is open.
    pub(super) fn said(&self, combination: usize) -> Vec<Option<bool>> {
        let code = |column: &FileColumn| {
            let at = self.columns.binary_search(column).unwrap_or_default();
            self.classes[at][self.class(combination, at)][0]
        };
        let said = |read: &Read| read.holds.get(&read.columns.iter().map(code).collect::<Vec<u32>>()).copied();
        self.read.iter().map(said).collect()
    }
}

/// A condition by number, codes of other columns, and whether the condition holds with these.
type Said = (usize, Vec<u32>, bool);

/// Most combinations of classes that are tried.
const MAX_CLASS_COMBINATIONS: usize = 100_000;

/// A variable that reads one column of a variable with several answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SharedColumn {
    /// The source of the variable.
    pub(crate) source: ValueSource,
    /// The source of the other variable.
    pub(crate) of: ValueSource,
    /// Which of its columns it is.
    pub(crate) column: usize,
    /// For the number of each value its number there. Missing values have none.
    pub(crate) values: BTreeMap<u32, u32>,
}

impl Maker<'_> {
    /// What conditions and columns imply for the records of a unit, and the records.
    pub(super) fn unit_knowledge(&mut self, tables: UnitTables, kinds: &Kinds) -> Result<UnitKnowledge> {
        let counted = || tables.tables().filter(|of| of.wanted.given.is_none());
        let mut conditions: Vec<Conditions> = Vec::new();
        if counted().next().is_some() {
            conditions.extend(self.conditions(tables, kinds, None)?);
            for beside in self.columns_beside(tables, &kinds.conditions)? {
                conditions.extend(self.conditions(tables, kinds, Some(beside))?);
            }
        }
        let columns = counted().map(|of| self.shared_columns(tables, of)).collect::<Result<Vec<_>>>()?.concat();
        let read = conditions.iter().flat_map(|conditions| &conditions.reads);
        let single = read.filter_map(|read| Some((read.source.clone(), read.column?)));
        let single = single.chain(columns.iter().map(|shared| (shared.of.clone(), shared.column))).collect();
        let records = self.records(tables, kinds, &single)?;
        let parents = self.parents(tables.unit);
        Ok(UnitKnowledge { conditions, columns, records, parents })
    }

    /// What the conditions of a unit imply for values, or for those of a column tied to what they read. `None` if there
    /// are too many combinations to be tried.
    fn conditions(&self, tables: UnitTables, kinds: &Kinds, beside: Option<FileColumn>) -> Result<Option<Conditions>> {
        let Some(joint) = self.joint(tables, &kinds.conditions, beside)? else { return Ok(None) };
        let Joint { columns, .. } = &joint;
        let mut reads = joint.reads.clone();
        // For a tied column, only the conditions that read a column tied to it matter.
        let kept = beside.map(|beside| joint.told_beside(beside));
        let is_kept = |at: usize| kept.as_ref().is_none_or(|kept| kept.contains(&columns[at]));
        for (_, read) in reads.iter_mut().enumerate().filter(|(at, _)| !is_kept(*at)) {
            *read = None;
        }
        let beside = beside.and_then(|beside| reads[columns.binary_search(&beside).ok()?].as_ref());
        let beside = beside.map(|read| read.source.clone());
        let mut there: HashMap<Vec<u32>, BTreeSet<u32>> = HashMap::new();
        for combination in (0..joint.combinations).filter(|combination| joint.can_be(*combination)) {
            let said = joint.said(combination);
            // A column that is not shown is not restricted.
            let shown = (0..columns.len()).filter(|at| reads[*at].is_some());
            let own = there.entry(shown.map(|at| joint.class(combination, at) as u32).collect()).or_default();
            let can_be = |met: &[bool]| said.iter().zip(met).all(|(said, met)| said.is_none_or(|said| said == *met));
            own.extend(kinds.numbers.iter().filter(|(met, _)| can_be(met)).map(|(_, kind)| *kind));
        }
        Ok(Some(Conditions { reads: reads.into_iter().flatten().collect(), kinds: there, beside }))
    }

    /// Conditions by all columns they read, and by one tied to these; `None` if there are too many combinations.
    pub(super) fn joint(
        &self,
        tables: UnitTables,
        conditions: &[Condition],
        beside: Option<FileColumn>,
    ) -> Result<Option<Joint<'_>>> {
        let read = |condition| self.read(tables.unit, condition);
        let read: Vec<Read> = conditions.iter().map(read).collect::<Result<_>>()?;
        let columns: BTreeSet<FileColumn> = read.iter().flat_map(|read| read.columns.clone()).chain(beside).collect();
        let columns: Vec<FileColumn> = columns.into_iter().collect();
        let shown = columns.iter().map(|column| self.read_by(*column, tables)).collect::<Result<Vec<_>>>()?;
        let codes: Vec<Vec<u32>> =
            columns.iter().zip(&shown).map(|(column, shown)| self.possible_codes(*column, shown.as_ref())).collect();
        let of_read = |(column, codes): (&FileColumn, &Vec<u32>)| classes(*column, codes, &read);
        let mut classes: Vec<Vec<Vec<u32>>> = columns.iter().zip(&codes).map(of_read).collect();
        if let Some(at) = beside.and_then(|beside| columns.binary_search(&beside).ok()) {
            classes[at] = self.classes_beside(at, (&columns, &codes), &classes);
        }
        let combinations = classes.iter().try_fold(1usize, |count, own| count.checked_mul(own.len()));
        let combinations = combinations.filter(|count| *count <= MAX_CLASS_COMBINATIONS && !columns.is_empty());
        let tied = match combinations {
            Some(_) => self.tied(&columns, &classes),
            None => Vec::new(),
        };
        let by_class = |(shown, classes): (Option<Reads>, &Vec<Vec<u32>>)| {
            shown.map(|of| Reads { numbers: classes.iter().map(|class| joined(&of.numbers, class)).collect(), ..of })
        };
        let reads: Vec<Option<Reads>> = shown.into_iter().zip(&classes).map(by_class).collect();
        Ok(combinations.map(|combinations| Joint { read, columns, reads, classes, combinations, tied }))
    }

    /// The codes that a record can have in a column, as far as tables and conditions tell. A table lists the values of a
    /// column that it shows. So nobody has another, unless it would be in a group that is shown.
    fn possible_codes(&self, (file, column): FileColumn, shown: Option<&Reads>) -> Vec<u32> {
        let seen = self.files.coded(file, column).1.len();
        let all = 0..(seen + 1 + self.files.unseen(file, column).len()) as u32;
        match shown {
            None => all.collect(),
            Some(Reads { column: Some(_), .. }) => (0..=seen as u32).collect(),
            Some(Reads { numbers, .. }) => {
                let is_seen = |code: &u32| (1..=seen as u32).contains(code);
                all.filter(|code| is_seen(code) || numbers.get(*code as usize).is_some_and(|of| !of.is_empty()))
                    .collect()
            }
        }
    }

    /// The pairs of columns of one file of which one is known to follow from the other, with the pairs of classes that
    /// occur.
    fn tied(&self, columns: &[FileColumn], classes: &[Vec<Vec<u32>>]) -> Vec<([usize; 2], BTreeSet<[usize; 2]>)> {
        let mut tied = Vec::new();
        for (other, (file, column)) in columns.iter().enumerate() {
            for one in (0..other).filter(|one| columns[*one].0 == *file) {
                if !self.is_known_to_follow(columns[one], (*file, *column)) {
                    continue;
                }
                let Some(pairs) = self.going_together(columns[one], (*file, *column)) else { continue };
                let class = |at: usize, code: u32| classes[at].iter().position(|class| class.contains(&code));
                let mut together: BTreeSet<[usize; 2]> =
                    pairs.iter().filter_map(|[a, b]| Some([class(one, *a)?, class(other, *b)?])).collect();
                // What a value that no record has goes with is not known.
                let unseen = |at: usize| {
                    (0..classes[at].len()).filter(move |class| self.is_unseen(columns[at], &classes[at][*class]))
                };
                together.extend(unseen(one).flat_map(|own| (0..classes[other].len()).map(move |with| [own, with])));
                together.extend(unseen(other).flat_map(|own| (0..classes[one].len()).map(move |with| [with, own])));
                tied.push(([one, other], together));
            }
        }
        tied
    }

    /// Whether no record has any of some codes of a column.
    fn is_unseen(&self, (file, column): FileColumn, codes: &[u32]) -> bool {
        let seen = self.files.coded(file, column).1.len();
        codes.iter().all(|code| *code as usize > seen)
    }

    /// Which conditions a record can meet together, whether or not one does.
    pub(super) fn possible(&self, tables: UnitTables, conditions: &[Condition]) -> Result<BTreeSet<Vec<bool>>> {
        let mut all = BTreeSet::new();
        let joint = if conditions.len() > MAX_OPEN_CONDITIONS { None } else { self.joint(tables, conditions, None)? };
        let every = joint.iter().flat_map(|joint| (0..joint.combinations).map(move |at| (at, joint)));
        for (combination, joint) in every.filter(|(at, joint)| joint.can_be(*at)) {
            let mut met = vec![Vec::new()];
            for said in joint.said(combination) {
                let both: &[bool] = match said {
                    Some(true) => &[true],
                    Some(false) => &[false],
                    None => &[false, true],
                };
                met =
                    met.iter().flat_map(|before| both.iter().map(move |met| [&before[..], &[*met]].concat())).collect();
            }
            all.extend(met);
        }
        Ok(all)
    }

    /// A condition by the columns it reads. What cannot be evaluated from its text is taken from the records, as if it
    /// were known.
    pub(super) fn read(&self, unit: usize, condition: &Condition) -> Result<Read<'_>> {
        // A condition on linked records holds if any of them meets it. Single columns imply nothing about this.
        let found = self.files.truth(unit, condition).filter(|(file, _)| *file == unit || *file == 0);
        let Some((file, truth)) = found else {
            return Ok(Read { columns: Vec::new(), holds: Cow::Owned(Holds::new()) });
        };
        let holds = match &truth.holds {
            Some(holds) => Cow::Borrowed(holds),
            None => Cow::Owned(self.files.seen(unit, file, &truth.columns, &self.mask(unit, condition)?)),
        };
        Ok(Read { columns: truth.columns.iter().map(|column| (file, *column)).collect(), holds })
    }

    /// The variable by which tables of a unit show a column of a file.
    pub(super) fn read_by(&self, (file, column): FileColumn, tables: UnitTables) -> Result<Option<Reads>> {
        let (name, values) = self.files.coded(file, column);
        let mut several = None;
        for of in tables.tables() {
            for (shown, base) in of.variables() {
                let variable = self.variable(shown)?;
                let Some(place) = variable.read_from().iter().position(|own| own == name) else { continue };
                if files_of(self.spec, variable) != [file] || variable.shared || base.pairs.is_some() {
                    continue;
                }
                if base.sets.is_none() {
                    let code = |value: &str| base.values.iter().position(|own| own == value).map(|at| at as u32 + 1);
                    let numbers = |value: &str| code(value).map_or_else(Vec::new, |code| base.numbered(&[code]));
                    let all = std::iter::once(MISSING_LABEL).chain(values.iter().copied());
                    let mut numbers: Vec<Vec<u32>> = all.map(numbers).collect();
                    for value in self.files.unseen(file, column) {
                        numbers.push(self.numbers_beside(value, (file, column), base, tables)?);
                    }
                    return Ok(Some(Reads { source: base.source.clone(), column: None, numbers }));
                }
                let source = ValueSource::of_variable(variable);
                let own = self
                    .numbers_of(&source, values.iter().copied())
                    .into_iter()
                    .map(|number| number.into_iter().collect());
                let numbers = std::iter::once(Vec::new()).chain(own).collect();
                several = Some(Reads { source, column: Some(place), numbers });
            }
        }
        Ok(several)
    }

    /// The variables of a table that read one column of a variable of the unit with several answers.
    fn shared_columns(&self, tables: UnitTables, of: &InnerTable) -> Result<Vec<SharedColumn>> {
        let variables = tables.names().into_iter().map(|name| self.variable(name)).collect::<Result<Vec<_>>>()?;
        let mut found = Vec::new();
        for (name, base) in of.variables() {
            let one = self.variable(name)?;
            let [column] = one.read_from() else { continue };
            for other in variables.iter().filter(|other| other.columns.len() > 1 && other.from == one.from) {
                let Some(place) = other.columns.iter().position(|own| own == column) else { continue };
                if other.shared || one.shared || base.sets.is_some() {
                    continue;
                }
                let of = ValueSource::of_variable(other);
                let numbers = self.numbers_of(&of, base.values.iter().map(String::as_str));
                let pairs = (1..).zip(numbers).flat_map(|(code, there)| {
                    base.numbered(&[code]).into_iter().filter_map(move |own| Some((own, there?)))
                });
                found.push(SharedColumn { source: base.source.clone(), of, column: place, values: pairs.collect() });
            }
        }
        Ok(found)
    }
}

/// The classes of a column: codes that no condition distinguishes.
fn classes(column: FileColumn, codes: &[u32], read: &[Read]) -> Vec<Vec<u32>> {
    let mut said: BTreeMap<u32, BTreeSet<Said>> = codes.iter().map(|code| (*code, BTreeSet::new())).collect();
    for (number, read) in read.iter().enumerate() {
        let Some(place) = read.columns.iter().position(|own| *own == column) else { continue };
        for (codes, holds) in read.holds.iter() {
            let mut others = codes.clone();
            let own = others.remove(place);
            said.get_mut(&own).into_iter().for_each(|said| _ = said.insert((number, others.clone(), *holds)));
        }
    }
    let mut classes: BTreeMap<&BTreeSet<Said>, Vec<u32>> = BTreeMap::new();
    said.iter().for_each(|(code, said)| classes.entry(said).or_default().push(*code));
    classes.into_values().collect()
}

/// The numbers of the values of a class, ascending; 0 for a code without a number.
fn joined(numbers: &[Vec<u32>], class: &[u32]) -> Vec<u32> {
    let own = class.iter().flat_map(|code| match numbers.get(*code as usize).map(Vec::as_slice) {
        None | Some([]) => vec![0],
        Some(own) => own.to_vec(),
    });
    own.collect::<BTreeSet<u32>>().into_iter().collect()
}
