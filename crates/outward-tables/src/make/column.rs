//! A variable: the values that the records of one unit have.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashSet;
use outward_spec::{Error, Hierarchy, HierarchySpec, Result, Variable, suggest};

use super::Maker;
use crate::dimension::{MISSING_LABEL, TOTAL};
use crate::files::{Answers, file_of};
use crate::inner::Base;

/// The text between the two values of a pair.
const PAIRED: &str = " and ";

/// The values of a variable, and which of them each record has.
pub(super) struct VariableColumn {
    pub(super) values: Vec<String>,
    pub(super) answers: Answers,
    /// How many of them a record can have, if it may have several and there is a limit.
    most: Option<usize>,
    /// If the values are pairs: the values that are paired, and for each pair the codes of the two.
    pub(super) paired: Vec<String>,
    pub(super) halves: Vec<[u32; 2]>,
    /// Whether values are those that occur in records of the unit (K9 of `docs/methods/attacker.md`).
    occur: bool,
}

/// A variable, the file whose records have it, and the values that are paired.
pub(super) type ColumnKey = (String, usize, Option<Vec<String>>);

impl Maker<'_> {
    /// The values of a variable for the records of a unit. If a hierarchy lists values, these come first in its order,
    /// whether or not they occur.
    pub(super) fn column(
        &mut self,
        variable: &Variable,
        unit: usize,
        paired: Option<Vec<String>>,
    ) -> Result<Rc<VariableColumn>> {
        let key = (variable.name.clone(), unit, paired.clone());
        if let Some(column) = self.known.get(&key) {
            return Ok(column.clone());
        }
        let hierarchy = self.spec.hierarchy(variable)?;
        let listed = hierarchy.as_ref().and_then(Hierarchy::values).unwrap_or_default();
        let mut values: Vec<String> = listed.iter().map(|value| (*value).to_owned()).collect();
        let found = self.files.values(self.spec, variable)?;
        let known: HashSet<&str> = listed.iter().copied().collect();
        let given = self.is_given(variable);
        if !given && (known.contains(TOTAL) || found.iter().any(|value| value == TOTAL)) {
            return Err(Error::input(format!("a value is called `{TOTAL}`, as totals are"))
                .variable(&variable.name)
                .help("give the value another name in the data")
                .into());
        }
        if given {
            self.refuse_other_totals(variable, &found)?;
        }
        // Rows of a given table that have totals are no values.
        values.extend(found.into_iter().filter(|value| !known.contains(value.as_str()) && (value != TOTAL || !given)));
        let mut answers = self.files.answers(self.spec, variable, unit, &values);
        if let Answers::One(codes) = &mut answers
            && codes.contains(&0)
            && !given
        {
            let known = values.iter().position(|value| value == MISSING_LABEL);
            if known.is_none() {
                values.push(MISSING_LABEL.to_owned());
            }
            let missing = known.map_or(values.len(), |at| at + 1) as u32;
            codes.iter_mut().filter(|code| **code == 0).for_each(|code| *code = missing);
        }
        let most = self.files.most_answers(self.spec, variable, unit);
        let own = match &variable.from[..] {
            [] => unit == 0,
            [file] => file_of(self.spec, file) == unit,
            _ => false,
        };
        let listed = variable.hierarchies().any(HierarchySpec::lists_values);
        let occur = own && !listed && !given;
        let mut column = VariableColumn { values, answers, most, paired: Vec::new(), halves: Vec::new(), occur };
        self.check_joins(variable, &column.values)?;
        if let Some(only) = paired {
            if let Some(unknown) = only.iter().find(|wanted| !column.values.contains(wanted)) {
                return Err(Error::input(format!("there is no `{unknown}` to show in pairs"))
                    .variable(&variable.name)
                    .field("only")
                    .help(suggest(unknown, column.values.iter().map(String::as_str), "values"))
                    .into());
            }
            column = in_pairs(column, &only);
        }
        let column = Rc::new(column);
        self.known.insert(key, column.clone());
        Ok(column)
    }

    fn is_given(&self, variable: &Variable) -> bool {
        self.spec.tables.iter().any(|table| table.given.is_some() && table.variables.contains(&variable.name))
    }

    /// Refuses rows of a given table that have totals under another name. They would be counted as people, in addition
    /// to their parts.
    fn refuse_other_totals(&self, variable: &Variable, found: &[String]) -> Result<()> {
        if !found.iter().any(|value| is_other_total(value)) {
            return Ok(());
        }
        let fault = Error::input("rows seem to hold totals under another name, and would be counted as people")
            .variable(&variable.name)
            .help(format!("write totals as `{TOTAL}`; where they are none, give the value another name in the data"));
        let fault = match self.files.first_row(self.spec, variable, is_other_total) {
            Some(row) => fault.row(row),
            None => fault,
        };
        Err(self.files.in_file_of(self.spec, variable, fault).into())
    }

    /// Checks that the values that a redesign may join exist, as values or as groups of a hierarchy.
    fn check_joins(&self, variable: &Variable, values: &[String]) -> Result<()> {
        if variable.join.is_empty() {
            return Ok(());
        }
        let hierarchies = self.hierarchies(variable)?;
        let grouped = |name: &str| {
            hierarchies.iter().any(|hierarchy| {
                (1..hierarchy.levels().saturating_sub(1)).any(|level| hierarchy.has_label(name, level))
            })
        };
        let known: HashSet<&str> = values.iter().map(String::as_str).collect();
        let unknown = variable.join.iter().flatten().find(|name| !known.contains(name.as_str()) && !grouped(name));
        match unknown {
            None => Ok(()),
            Some(name) => Err(Error::input(format!("there is no `{name}` to join"))
                .variable(&variable.name)
                .help(format!(
                    "{}; a value that may not occur is listed in a `hierarchy`",
                    suggest(name, values.iter().map(String::as_str), "values")
                ))
                .into()),
        }
    }

    /// Checks that a hierarchy that is shown has every value.
    pub(super) fn check_covered(
        &self,
        variable: &Variable,
        column: &VariableColumn,
        hierarchy: &Hierarchy,
    ) -> Result<()> {
        let missed = |value: &String| value != MISSING_LABEL && !hierarchy.covers(value);
        let missed: Vec<bool> = std::iter::once(false).chain(column.values.iter().map(missed)).collect();
        let values = missed.iter().filter(|missed| **missed).count();
        if values == 0 {
            return Ok(());
        }
        let records = column.records_with(&missed);
        let mut what = format!("the hierarchy has no place for {values} of the values, in {records} of the records");
        if let Some(row) =
            self.files.first_row(self.spec, variable, |value| value != MISSING_LABEL && !hierarchy.covers(value))
        {
            what += &format!(", the first in row {row}");
        }
        let fault = self.files.in_file_of(self.spec, variable, Error::input(what).variable(&variable.name));
        let name = &variable.name;
        let help = match variable.more_hierarchies.is_empty() {
            true => format!("add them to the hierarchy, or show them as they are: `levels = {{ {name} = [0] }}`"),
            false => "add them to the hierarchy, or correct them in the data".to_owned(),
        };
        Err(fault.help(help).into())
    }

    /// The hierarchies of a variable, ready for use, the main one first. Each is compiled once.
    pub(super) fn hierarchies(&self, variable: &Variable) -> Result<Rc<Vec<Hierarchy>>> {
        if let Some(known) = self.hierarchies.borrow().get(&variable.name) {
            return Ok(known.clone());
        }
        let compile = |hierarchy| Hierarchy::compile(hierarchy, &self.spec.base, &variable.name);
        let all: Rc<Vec<Hierarchy>> = Rc::new(variable.hierarchies().map(compile).collect::<Result<_>>()?);
        self.hierarchies.borrow_mut().insert(variable.name.clone(), all.clone());
        Ok(all)
    }
}

impl VariableColumn {
    /// A column of codes alone.
    pub(super) fn of_codes(codes: Vec<u32>) -> Self {
        let (values, paired, halves) = (Vec::new(), Vec::new(), Vec::new());
        Self { values, answers: Answers::One(codes), most: None, paired, halves, occur: false }
    }

    /// For each record a code, or the number of its set.
    pub(super) fn codes(&self) -> &[u32] {
        match &self.answers {
            Answers::One(codes) | Answers::Several(codes, _) => codes,
        }
    }

    /// One more than the largest code.
    pub(super) fn size(&self) -> usize {
        match &self.answers {
            Answers::One(_) => self.values.len() + 1,
            Answers::Several(_, sets) => sets.len(),
        }
    }

    /// How many records have any of some values; `among` says for each code whether it is one of these.
    pub(super) fn records_with(&self, among: &[bool]) -> usize {
        match &self.answers {
            Answers::One(codes) => codes.iter().filter(|code| among[**code as usize]).count(),
            Answers::Several(numbers, sets) => {
                let has: Vec<bool> = sets.iter().map(|set| set.iter().any(|code| among[*code as usize])).collect();
                numbers.iter().filter(|number| has[**number as usize]).count()
            }
        }
    }

    pub(super) fn base(&self, variable: &str, paired: bool) -> Base {
        let sets = match &self.answers {
            Answers::One(_) => None,
            Answers::Several(_, sets) => Some(sets.clone()),
        };
        // Pairs of answers are another variable than the answers.
        let variable = if paired { format!("{variable} in pairs") } else { variable.to_owned() };
        Base {
            variable,
            values: self.values.clone(),
            most: self.most.filter(|_| sets.is_some()),
            occur: self.occur,
            sets,
            ..Base::default()
        }
    }
}

/// Whether a value means total but is not written as totals are here.
fn is_other_total(value: &str) -> bool {
    let is = |word: &str| value.trim().eq_ignore_ascii_case(word);
    value != TOTAL && (is(TOTAL) || is("all"))
}

/// A column with the pairs of answers of each record, for some values or for all.
fn in_pairs(column: VariableColumn, only: &[String]) -> VariableColumn {
    let Answers::Several(numbers, sets) = column.answers else { return column };
    let only: HashSet<&str> = only.iter().map(String::as_str).collect();
    let wanted = |code: &u32| only.is_empty() || only.contains(column.values[*code as usize - 1].as_str());
    let mut known: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let pairs = |set: &Vec<u32>| -> Vec<(u32, u32)> {
        let kept: Vec<u32> = set.iter().copied().filter(wanted).collect();
        let after = |at: usize| kept[at + 1..].iter().map(move |other| (at, *other));
        (0..kept.len()).flat_map(after).map(|(at, other)| (kept[at], other)).collect()
    };
    let listed: Vec<Vec<(u32, u32)>> = sets.iter().map(pairs).collect();
    listed.iter().flatten().for_each(|pair| _ = known.insert(*pair, 0));
    known.values_mut().zip(1..).for_each(|(number, next)| *number = next);
    let value = |code: u32| column.values[code as usize - 1].as_str();
    let values = known.keys().map(|(one, other)| format!("{}{PAIRED}{}", value(*one), value(*other))).collect();
    let sets = listed.iter().map(|pairs| pairs.iter().filter_map(|pair| known.get(pair).copied()).collect()).collect();
    let most = column.most.map(|most| most * most.saturating_sub(1) / 2);
    let halves = known.into_keys().map(|(one, other)| [one, other]).collect();
    VariableColumn {
        values,
        answers: Answers::Several(numbers, sets),
        most,
        paired: column.values,
        halves,
        occur: false,
    }
}
