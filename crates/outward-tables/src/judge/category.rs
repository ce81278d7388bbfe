//! The risk category of each cell of a table.

use outward_spec::{CaseRating, Error, Result, RiskCategory, TableCase, TableRules, suggest};

use super::Applied;
use crate::table::{Dimension, Kind, Node, Table};

/// A part of the cell is rated high.
const HIGH: u8 = 1;
/// A part of the cell has another rating.
const OTHER: u8 = 2;
/// The cell is a total or a subtotal over some variable.
const MARGIN: u8 = 4;

/// What the policy asks of a cell. Grades are ordered by strictness: those that are checked come after those that are
/// not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grade {
    /// Whether anything is checked.
    pub(super) check: bool,
    /// The category, by its position in the policy.
    category: usize,
}

/// The category of each cell of a table.
pub(super) struct Graded<'a> {
    rules: &'a TableRules,
    /// For each cell the ratings in it, and whether it is a margin.
    states: Vec<u8>,
    /// The grade for each set of ratings in a cell.
    grades: [Grade; 4],
    /// The cases that apply.
    pub(super) cases: Vec<Applied>,
    /// The level of geography that was assumed, if the policy asks for a level.
    pub(super) assumed: Option<String>,
}

impl<'a> Graded<'a> {
    pub(super) fn new(table: &Table, rules: &'a TableRules) -> Result<Self> {
        let states = states(&table.dimensions);
        let all = states.iter().fold(0, |all, state| all | state);
        let mut wanted = Vec::new();
        if all & HIGH != 0 {
            wanted.push(CaseRating::High);
        }
        if all & OTHER != 0 || all & HIGH == 0 {
            wanted.push(CaseRating::Other);
        }
        let mut grades = [None; 4];
        let mut cases = Vec::new();
        for rating in wanted {
            let (grade, applied) = match always(table, rules)? {
                Some(decided) => decided,
                None => by_case(table, rules, rating)?,
            };
            let of = if rating == CaseRating::High { HIGH } else { OTHER };
            // A total over rows of several categories has the strictest of these.
            let concerned = (0u8..).zip(&mut grades).filter(|(ratings, _)| ratings & of != 0);
            concerned.for_each(|(_, known)| *known = (*known).max(Some(grade)));
            if !cases.contains(&applied) {
                cases.push(applied);
            }
        }
        let Some(strictest) = grades.iter().flatten().max().copied() else {
            return Err(Error::bug(format!("no case was looked for in table `{}`", table.name)));
        };
        let by_geography = cases.iter().any(|case: &Applied| case.rating.is_some())
            && rules.cases.iter().any(|case| case.geography.is_some());
        let assumed = rules.geographies.first().filter(|_| by_geography && table.geography.is_none()).cloned();
        Ok(Self { rules, states, grades: grades.map(|grade| grade.unwrap_or(strictest)), cases, assumed })
    }

    /// The grade of a cell.
    pub(super) fn grade(&self, cell: usize) -> Grade {
        self.grades[usize::from(self.states[cell] & (HIGH | OTHER))]
    }

    /// The category of a cell.
    pub(super) fn category(&self, cell: usize) -> &RiskCategory {
        self.category_of(self.grade(cell))
    }

    /// The category of a grade.
    pub(super) fn category_of(&self, grade: Grade) -> &RiskCategory {
        &self.rules.categories[grade.category]
    }

    /// The highest category in the table.
    pub(super) fn highest(&self) -> &RiskCategory {
        let highest = self.grades.iter().map(|grade| grade.category).max();
        &self.rules.categories[highest.unwrap_or_default()]
    }

    /// Whether a cell is a total or a subtotal. If a variable shows nothing but its total, that is one too.
    pub(super) fn is_margin(&self, cell: usize) -> bool {
        self.states[cell] & MARGIN != 0
    }

    /// The largest unsafe count of a cell.
    pub(super) fn limit(&self, cell: usize) -> u64 {
        let category = self.category(cell);
        if self.is_margin(cell) { category.margins } else { category.cells }
    }
}

/// For each cell the ratings of its parts, and whether it is a margin.
fn states(dimensions: &[Dimension]) -> Vec<u8> {
    let mut states = vec![OTHER];
    for dimension in dimensions {
        let ratings = ratings(dimension);
        let mut next = Vec::with_capacity(states.len() * dimension.nodes.len());
        for state in &states {
            for (node, ratings) in dimension.nodes.iter().zip(&ratings) {
                let margin = if node.total || !node.finest { MARGIN } else { 0 };
                // With several rated variables a part is rated high if any of them is.
                let (high, other) = ((state | ratings) & HIGH, state & ratings & OTHER);
                next.push(high | other | (state & MARGIN) | margin);
            }
        }
        states = next;
    }
    states
}

/// For each node the ratings of the finest nodes inside it. A node without a rating counts as `other`.
fn ratings(dimension: &Dimension) -> Vec<u8> {
    if dimension.kind != Kind::Rated {
        return vec![OTHER; dimension.nodes.len()];
    }
    let own = |node: &Node| if node.high { HIGH } else { OTHER };
    let finest: Vec<&Node> = dimension.nodes.iter().filter(|node| node.finest).collect();
    let of = |node: &Node| {
        let inside = |part: &&&Node| part.values.iter().all(|value| node.values.binary_search(value).is_ok());
        let parts = if node.finest { 0 } else { finest.iter().filter(inside).fold(0, |all, part| all | own(part)) };
        if parts == 0 { own(node) } else { parts }
    };
    dimension.nodes.iter().map(of).collect()
}

/// A name as policies compare it: without case, blanks, hyphens and underscores.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The category that a single variable decides, if the table shows such a variable or counts by one.
fn always(table: &Table, rules: &TableRules) -> Result<Option<(Grade, Applied)>> {
    let mut strictest: Option<(Grade, Applied)> = None;
    for case in &rules.always {
        let names: Vec<String> = case.variables.iter().map(|name| plain(name)).collect();
        let shown = table.dimensions.iter().any(|dimension| {
            names.iter().any(|name| *name == plain(&dimension.variable) || *name == plain(&dimension.label))
        });
        if !shown && !table.condition_reads.iter().any(|read| names.contains(&plain(read))) {
            continue;
        }
        let grade = Grade { check: true, category: place(rules, &case.category)? };
        if strictest.as_ref().is_none_or(|(known, _)| *known < grade) {
            let applied = Applied {
                rating: None,
                scenario: String::new(),
                category: case.category.clone(),
                check: true,
                action: case.because.clone(),
                protection: String::new(),
            };
            strictest = Some((grade, applied));
        }
    }
    Ok(strictest)
}

/// The category of the first case that fits.
fn by_case(table: &Table, rules: &TableRules, rating: CaseRating) -> Result<(Grade, Applied)> {
    let geography = geography(table, rules)?;
    let facts = table.dimensions.iter().filter(|dimension| dimension.kind == Kind::Fact).count();
    let fits = |case: &&TableCase| {
        case.geography.as_deref().is_none_or(|level| Some(level) == geography)
            && case.facts.is_none_or(|most| facts <= most)
            && case.rating.is_none_or(|wanted| wanted == rating)
    };
    let Some(case) = rules.cases.iter().find(fits) else {
        return Err(no_rule(table, geography, facts, rating));
    };
    let grade = Grade { check: case.check, category: place(rules, &case.category)? };
    let applied = Applied {
        rating: Some(rating),
        scenario: case.scenario.clone(),
        category: case.category.clone(),
        check: case.check,
        action: case.action.clone(),
        protection: case.protection.clone(),
    };
    Ok((grade, applied))
}

/// The level of geography of a table, in the words of the policy; the largest area if none is given.
fn geography<'a>(table: &'a Table, rules: &'a TableRules) -> Result<Option<&'a str>> {
    let Some(largest) = rules.geographies.first() else { return Ok(None) };
    let Some(level) = &table.geography else { return Ok(Some(largest)) };
    if rules.geographies.contains(level) {
        return Ok(Some(level));
    }
    let levels = rules.geographies.iter().map(String::as_str);
    Err(Error::input(format!("table `{}`: the policy knows no level of geography `{level}`", table.name))
        .help(suggest(level, levels, "levels"))
        .into())
}

fn place(rules: &TableRules, name: &str) -> Result<usize> {
    rules.categories.iter().position(|category| category.name == name).ok_or_else(|| {
        let known = rules.categories.iter().map(|category| category.name.as_str());
        let help = suggest(name, known, "categories");
        Error::input(format!("the policy has no risk category `{name}`")).help(help).into()
    })
}

fn no_rule(table: &Table, geography: Option<&str>, facts: usize, rating: CaseRating) -> Error {
    let level = geography.map_or_else(String::new, |level| format!(" at {level} level"));
    let variables = if facts == 1 { "variable" } else { "variables" };
    let rating = match rating {
        CaseRating::High => "high",
        CaseRating::Other => "other",
    };
    Error::input(format!(
        "the policy has no rule for table `{}`: a table{level} with {facts} factual {variables} and rating {rating}",
        table.name
    ))
    .help("add a [[tables.cases]] for it to a copy of the policy, or show fewer variables")
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_blanks_hyphens_and_underscores() {
        assert_eq!(plain("Breath_test"), plain("breath-Test"));
        assert_ne!(plain("breath"), plain("breath test"));
    }
}
