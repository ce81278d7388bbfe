//! t-closeness: no class is distributed far from the whole file (Li, Li and Venkatasubramanian 2007). Distances are earth
//! mover's distances with equal, ordered or hierarchical ground distance. Missing values are left out.

use std::collections::{BTreeMap, HashMap};

use outward_spec::{Distance, Hierarchy, Role, Step, Type};

use super::Check;
use super::read::CodedColumn;
use super::release::Release;
use super::steps::{StepEffect, effect};
use crate::manifest::ColumnRecord;

/// How often each value occurs.
type ValueCounts = BTreeMap<u32, u64>;

/// Tolerance for rounding errors in sums of shares.
const ROUNDING_TOLERANCE: f64 = 1e-9;

/// One check for each sensitive variable that is published.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let Some(t) = release.manifest.rules.t.filter(|t| *t < 1.0) else { return Vec::new() };
    let groups = &release.classes().groups;
    let sensitive = release.columns().filter(|(column, _)| column.role == Role::Sensitive);
    sensitive
        .map(|(column, values)| {
            let name = format!("t ({})", column.name);
            let ground = match Reference::new(release, column, values) {
                Ok(ground) => ground,
                Err(why) => return Check::cannot_tell(name, why),
            };
            let mut whole = ValueCounts::new();
            for code in values.codes.iter().filter(|code| **code != super::read::MISSING) {
                *whole.entry(*code).or_default() += 1;
            }
            let classes = groups.distributions(&values.codes);
            let distances: Vec<f64> = classes.iter().map(|class| ground.distance(class, &whole)).collect();
            let farthest = distances.iter().copied().fold(0.0, f64::max);
            let (records, rows) = groups.rows_where(|group| distances[group] > t + ROUNDING_TOLERANCE);
            match records {
                0 => Check::holds(name, format!("no class is farther than {t} from the whole: {farthest:.4} at most")),
                _ => Check::fails(
                    name,
                    format!("records in classes farther than {t} from the whole: {records}, up to {farthest:.4}"),
                )
                .at(rows.map(|row| release.row(row))),
            }
        })
        .collect()
}

/// The ground distance: how far apart two values are.
pub(super) enum Reference {
    /// All equally far.
    Equal,
    /// By their order.
    Ordered(Vec<u32>),
    /// By the level at which they share a label: for each level from 1 up, the number of the label of each value.
    Hierarchical(Vec<HashMap<u32, usize>>),
}

impl Reference {
    fn new(release: &Release<'_>, column: &ColumnRecord, values: &CodedColumn) -> Result<Self, String> {
        match release.manifest.rules.t_distance {
            Distance::Equal => Ok(Self::Equal),
            Distance::Ordered => Ok(Self::ordered(values, column.data_type)),
            Distance::Hierarchical => Self::hierarchical(release, column, values),
        }
    }

    /// Orders numbers by size and text by its letters. Dates are in order either way.
    fn ordered(values: &CodedColumn, data_type: Type) -> Self {
        let mut codes: Vec<u32> = (1..=values.values.len() as u32).collect();
        let text = |code: &u32| values.value(*code).unwrap_or_default();
        let number = |code: &u32| text(code).parse::<f64>().unwrap_or(f64::NAN);
        match data_type {
            Type::Integer | Type::Number => codes.sort_by(|a, b| number(a).total_cmp(&number(b))),
            Type::Text | Type::Date => codes.sort_by(|a, b| text(a).cmp(text(b))),
        }
        Self::Ordered(codes)
    }

    fn hierarchical(release: &Release<'_>, column: &ColumnRecord, values: &CodedColumn) -> Result<Self, String> {
        let hierarchy = release.hierarchy(&column.name)?;
        let steps = release.manifest.steps.iter().map(|record| &record.step);
        let rewritten: Vec<&Step> =
            steps.filter(|step| effect(step, &column.name, column.is_key) == StepEffect::Rewrites).collect();
        let level = match rewritten[..] {
            [] => 0,
            [Step::Recode { level, .. }] => (*level).min(hierarchy.levels()),
            _ => return Err(format!("`{}` was rewritten in ways its hierarchy does not know", column.name)),
        };
        let above = labels_above(&hierarchy, level)?;
        let mut levels = Vec::new();
        for at in level + 1..=hierarchy.coarsest() {
            let mut numbers: HashMap<String, usize> = HashMap::new();
            let mut of_code = HashMap::new();
            for code in 1..=values.values.len() as u32 {
                let value = values.value(code).unwrap_or_default();
                let label = match level {
                    0 => hierarchy.recode(value, at).map(|label| label.into_owned()),
                    _ => above.get(value).and_then(|labels| labels.get(at - level - 1)).cloned(),
                };
                let label = label.ok_or_else(|| format!("the hierarchy misses a value of `{}`", column.name))?;
                let next = numbers.len();
                of_code.insert(code, *numbers.entry(label).or_insert(next));
            }
            levels.push(of_code);
        }
        Ok(Self::Hierarchical(levels))
    }

    /// The distance of a class from the whole; 0 if it has no values.
    pub(super) fn distance(&self, class: &ValueCounts, whole: &ValueCounts) -> f64 {
        let (in_class, in_whole): (u64, u64) = (class.values().sum(), whole.values().sum());
        if in_class == 0 {
            return 0.0;
        }
        let share =
            |counts: &ValueCounts, all: u64, code: u32| counts.get(&code).copied().unwrap_or(0) as f64 / all as f64;
        let surplus = |code: u32| share(class, in_class, code) - share(whole, in_whole, code);
        match self {
            Self::Equal => whole.keys().map(|code| surplus(*code).abs()).sum::<f64>() / 2.0,
            Self::Ordered(codes) => {
                let (mut carried, mut moved) = (0.0f64, 0.0);
                for code in codes {
                    carried += surplus(*code);
                    moved += carried.abs();
                }
                moved / codes.len().saturating_sub(1).max(1) as f64
            }
            Self::Hierarchical(levels) => hierarchical(levels, whole.keys().map(|code| (*code, surplus(*code)))),
        }
    }
}

/// Σ over inner nodes of height / H times the amount that can be balanced among the children.
fn hierarchical(levels: &[HashMap<u32, usize>], surplus: impl Iterator<Item = (u32, f64)>) -> f64 {
    // A node is represented by one of its values, so that its parent can be looked up.
    let mut nodes: Vec<(u32, f64)> = surplus.collect();
    let mut cost = 0.0;
    for (at, of_code) in levels.iter().enumerate() {
        let mut parents: BTreeMap<usize, (u32, f64, f64)> = BTreeMap::new();
        for (code, surplus) in nodes {
            let parent = parents.entry(of_code.get(&code).copied().unwrap_or_default()).or_insert((code, 0.0, 0.0));
            parent.1 += surplus.max(0.0);
            parent.2 += (-surplus).max(0.0);
        }
        cost +=
            (at + 1) as f64 / levels.len() as f64 * parents.values().map(|(_, up, down)| up.min(*down)).sum::<f64>();
        nodes = parents.into_values().map(|(code, up, down)| (code, up - down)).collect();
    }
    cost
}

/// For each label of a level its labels at coarser levels. A rule lists no values, so only `*` is known above it.
fn labels_above(hierarchy: &Hierarchy, level: usize) -> Result<HashMap<String, Vec<String>>, String> {
    if level == 0 {
        return Ok(HashMap::new());
    }
    let values = hierarchy.values().ok_or("coarser labels of a band, date or prefix are not known from its label")?;
    let label = |value: &str, at: usize| hierarchy.recode(value, at).unwrap_or_default().into_owned();
    let above = |value: &str| (level + 1..hierarchy.levels()).map(|at| label(value, at)).collect();
    Ok(values.into_iter().map(|value| (label(value, level), above(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(u32, u64)]) -> ValueCounts {
        pairs.iter().copied().collect()
    }

    /// Three values with shares 4/7, 2/7, 1/7 in the whole, as worked by hand in docs/methods/diversity.md.
    #[test]
    fn distances_of_three_classes_worked_by_hand() {
        let whole = counts(&[(1, 4), (2, 2), (3, 1)]);
        let classes = [counts(&[(1, 3)]), counts(&[(1, 1), (2, 1), (3, 1)]), counts(&[(2, 1)])];
        let equal = classes.each_ref().map(|class| Reference::Equal.distance(class, &whole));
        let ordered = classes.each_ref().map(|class| Reference::Ordered(vec![1, 2, 3]).distance(class, &whole));
        for (is, should) in equal.iter().zip([3.0 / 7.0, 5.0 / 21.0, 5.0 / 7.0]) {
            assert!((is - should).abs() < 1e-12, "{is} {should}");
        }
        assert!((ordered[0] - 2.0 / 7.0).abs() < 1e-12 && (ordered[2] - 5.0 / 14.0).abs() < 1e-12);
        assert_eq!(Reference::Equal.distance(&ValueCounts::new(), &whole), 0.0);
    }

    /// Two groups of two values each, equally frequent. A class of one value moves a quarter within its group (height 1 of
    /// 2) and a half across (height 2 of 2): 1/2 · 1/4 + 1 · 1/2.
    #[test]
    fn moving_within_a_group_costs_less_than_across() {
        let whole = counts(&[(1, 1), (2, 1), (3, 1), (4, 1)]);
        let groups = HashMap::from([(1, 0), (2, 0), (3, 1), (4, 1)]);
        let all = HashMap::from([(1, 0), (2, 0), (3, 0), (4, 0)]);
        let ground = Reference::Hierarchical(vec![groups, all]);
        assert!((ground.distance(&counts(&[(1, 1)]), &whole) - 0.625).abs() < 1e-12);
        assert!((ground.distance(&counts(&[(1, 1), (3, 1)]), &whole) - 0.25).abs() < 1e-12);
    }
}
