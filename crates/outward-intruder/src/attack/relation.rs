//! A relation between two dictionaries: which values of one file agree with which of another. It is made once for each
//! variable.
//!
//! Two values agree if some original value could be behind both. This is so if they are equal, or if a value has both
//! as labels at some level of a hierarchy. Numbers and dates agree if the intervals they cover overlap or are within
//! the tolerance. A label `*` agrees with everything, and so does a missing value if it may be any value.

use hashbrown::HashMap;
use outward_cells::{Dictionary, MISSING};
use outward_spec::ANYTHING;

use super::extent::Extent;
use super::known::Form;

/// The class of values that agree with everything.
pub(super) const ANY: u32 = 0;

/// Which codes of a left dictionary agree with which of a right one.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// For each left code, the right codes that agree with it, ascending. For codes that agree with everything the list
    /// is empty.
    partners: Vec<Vec<u32>>,
    /// The class of each code, from 1; [`ANY`] if it agrees with everything. Codes of different classes never agree.
    pub(super) left: Vec<u32>,
    pub(super) right: Vec<u32>,
    /// Whether all codes of a class agree, so that the classes are complete.
    pub(super) by_class: bool,
}

impl Relation {
    /// The relation between the values of a variable in two files. A missing value of the left file agrees with
    /// everything. One of the right file does if the form says so.
    pub(super) fn new(left: &Dictionary, right: &Dictionary, form: &Form) -> Self {
        let mut partners = equal_values(left, right);
        by_hierarchies(left, right, form, &mut partners);
        by_extents(left, right, form, &mut partners);
        for list in &mut partners {
            list.sort_unstable();
            list.dedup();
        }
        Self::of_partners(partners, left, right, form.missing_matches)
    }

    fn of_partners(partners: Vec<Vec<u32>>, left: &Dictionary, right: &Dictionary, missing_matches: bool) -> Self {
        let mut groups = Groups((0..(left.len() + right.len()) as u32).collect());
        for (l, list) in partners[1..].iter().enumerate() {
            list.iter().for_each(|r| groups.join(l as u32, left.len() as u32 + r - 1));
        }
        let mut classes: Vec<u32> = (0..groups.0.len() as u32).map(|member| groups.root(member) + 1).collect();
        // A class for a missing value of the right file that is a separate value: only a missing left value agrees with
        // it.
        let own = classes.len() as u32 + 1;
        let mut right_classes = vec![if missing_matches { ANY } else { own }];
        right_classes.extend(classes.split_off(left.len()));
        let mut left_classes = vec![ANY];
        left_classes.extend(classes);
        for (dictionary, classes) in [(left, &mut left_classes), (right, &mut right_classes)] {
            if let Some(code) = dictionary.code(ANYTHING) {
                classes[code as usize] = ANY;
            }
        }
        let by_class = is_complete(&partners, &left_classes, &right_classes);
        Self { partners, left: left_classes, right: right_classes, by_class }
    }

    /// Whether two codes agree.
    pub(super) fn holds(&self, left: u32, right: u32) -> bool {
        let (one, other) = (self.left[left as usize], self.right[right as usize]);
        one == ANY
            || other == ANY
            || (one == other && (self.by_class || self.partners[left as usize].binary_search(&right).is_ok()))
    }

    /// Whether no value of the left file agrees with one of the right file, apart from values that agree with
    /// everything.
    pub(super) fn is_empty(&self) -> bool {
        self.partners.iter().all(Vec::is_empty)
    }
}

fn equal_values(left: &Dictionary, right: &Dictionary) -> Vec<Vec<u32>> {
    let equal = |value: &str| right.code(value).filter(|_| value != ANYTHING).into_iter().collect();
    std::iter::once(Vec::new()).chain(left.values().map(equal)).collect()
}

/// Two labels agree if some value has both, even by two hierarchies, as releases of the same data may have different
/// ones.
fn by_hierarchies(left: &Dictionary, right: &Dictionary, form: &Form, partners: &mut [Vec<u32>]) {
    if form.hierarchies.is_empty() {
        return;
    }
    let listed = form.hierarchies.iter().flat_map(|hierarchy| hierarchy.values().unwrap_or_default());
    let mut values: Vec<&str> = listed.chain(left.values()).chain(right.values()).collect();
    values.sort_unstable();
    values.dedup();
    for value in values.into_iter().filter(|value| *value != ANYTHING) {
        let labels = |dictionary: &Dictionary| -> Vec<u32> {
            let mut codes: Vec<u32> = Vec::new();
            for hierarchy in &form.hierarchies {
                let label = |level| hierarchy.recode(value, level);
                codes.extend((0..hierarchy.levels() - 1).filter_map(|level| dictionary.code(&label(level)?)));
            }
            codes.sort_unstable();
            codes.dedup();
            codes
        };
        let rights = labels(right);
        for l in labels(left) {
            let list = &mut partners[l as usize];
            list.extend(&rights);
            // A tree over 100,000 values would list its top label with each of them.
            if list.len() > 2 * right.len() + 64 {
                list.sort_unstable();
                list.dedup();
            }
        }
    }
}

/// Two numbers or dates, or bands of these, agree if the intervals they cover overlap.
fn by_extents(left: &Dictionary, right: &Dictionary, form: &Form, partners: &mut [Vec<u32>]) {
    let extents = |dictionary: &Dictionary| -> Vec<(u32, Extent)> {
        let read = |(code, value)| Some((code, Extent::of_label(value, form.scale)?));
        (1..).zip(dictionary.values()).filter_map(read).collect()
    };
    let mut rights = extents(right);
    rights.sort_by(|(_, a), (_, b)| a.low.total_cmp(&b.low));
    open_ends(&mut rights, form);
    // The largest end so far, at which the backward search stops.
    let mut reach: Vec<f64> = rights.iter().map(|(_, extent)| extent.high).collect();
    (1..reach.len()).for_each(|i| reach[i] = reach[i].max(reach[i - 1]));
    for (l, extent) in extents(left) {
        let end = rights.partition_point(|(_, other)| other.low <= extent.high + form.tolerance);
        for at in (0..end).rev() {
            if reach[at] + form.tolerance < extent.low {
                break;
            }
            if extent.meets(rights[at].1, form.tolerance) {
                partners[l as usize].push(rights[at].0);
            }
        }
    }
}

/// If extremes were limited, the last number covers everything beyond the last but one. This holds whether the limit
/// itself or a mean is published. The tolerance is subtracted, as it is added again when extents are compared.
fn open_ends(rights: &mut [(u32, Extent)], form: &Form) {
    if form.top_coded
        && let [.., before, last] = rights
    {
        last.1 = Extent { low: before.1.high + form.tolerance, high: f64::INFINITY };
    }
    if form.bottom_coded
        && let [first, after, ..] = rights
    {
        first.1 = Extent { low: f64::NEG_INFINITY, high: after.1.low - form.tolerance };
    }
}

/// Whether, within every class, every left code agrees with every right one.
fn is_complete(partners: &[Vec<u32>], left: &[u32], right: &[u32]) -> bool {
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    right[1..].iter().for_each(|class| *sizes.entry(*class).or_default() += 1);
    (1..left.len()).all(|l| left[l] == ANY || partners[l].len() == sizes.get(&left[l]).copied().unwrap_or(0))
}

/// Disjoint sets, joined pair by pair. The root of a set is its smallest member.
struct Groups(Vec<u32>);

impl Groups {
    fn root(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let above = self.0[self.0[member as usize] as usize];
            self.0[member as usize] = above;
            member = above;
        }
        member
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Whether a code is that of a missing value.
pub(super) fn is_missing(code: u32) -> bool {
    code == MISSING
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;

    use outward_spec::{Hierarchy, HierarchySpec, Spec};
    use proptest::prelude::*;

    use super::super::known::Scale;
    use super::*;

    fn dictionary(values: &[String]) -> Dictionary {
        Dictionary::new(values.iter().map(|value| value.as_str().into()).collect(), false)
    }

    fn hierarchy(toml: &str) -> Hierarchy {
        let text = format!("data = {{ path = \"a.csv\" }}\nvariables = [{{ name = \"v\", hierarchy = {toml} }}]");
        let spec = Spec::parse(&text, "outward.toml").unwrap();
        let hierarchy: &HierarchySpec = spec.variables[0].hierarchy.as_ref().unwrap();
        Hierarchy::compile(hierarchy, Path::new(""), "v").unwrap()
    }

    const TREE: &str = "{ tree = { A = { a = [\"1\", \"2\"], b = [\"3\"] }, B = { c = [\"4\", \"5\", \"6\"] } } }";

    /// Every value a variable may have, and how it is read.
    fn worlds() -> Vec<(Vec<String>, Form)> {
        let numbers: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let dates = (0..60).map(|n| format!("20{:02}-{:02}-{:02}", 9 + n / 12, n % 12 + 1, n % 28 + 1)).collect();
        let codes = (0..40).map(|n| format!("{}{}{}", ["A", "B"][n % 2], n / 10, n % 10)).collect();
        let form = |toml: &str, scale| Form { scale, hierarchies: vec![hierarchy(toml)], ..Form::text("v") };
        vec![
            (numbers.clone(), form("{ bands = [[5, 10, 16, 25, 30], [10, 25]], top = 35 }", Scale::Number)),
            (numbers, form("{ widths = [2, 10], bottom = 4, top = 33 }", Scale::Number)),
            (dates, form("{ date = [\"month\", \"quarter\", \"year\", \"decade\"] }", Scale::Date)),
            (codes, form("{ prefix = [2, 1] }", Scale::Text)),
            ((1..=6).map(|n| n.to_string()).collect(), form(TREE, Scale::Text)),
        ]
    }

    fn label(form: &Form, value: &str, level: usize) -> String {
        form.hierarchies[0].recode(value, level).unwrap().into_owned()
    }

    proptest! {
        #[test]
        fn labels_agree_exactly_where_some_value_has_both(
            world in 0..5usize,
            picks in proptest::collection::vec((any::<prop::sample::Index>(), 0..6usize, any::<bool>()), 1..40),
        ) {
            let (values, form) = &worlds()[world];
            let levels = form.hierarchies[0].levels();
            let labels = |left: bool| -> Vec<String> {
                let chosen = picks.iter().filter(|(_, _, side)| *side == left);
                chosen.map(|(at, level, _)| label(form, &values[at.index(values.len())], level % levels)).collect()
            };
            let (left, right) = (dictionary(&labels(true)), dictionary(&labels(false)));
            let relation = Relation::new(&left, &right, form);
            for (l, a) in (1..).zip(left.values()) {
                for (r, b) in (1..).zip(right.values()) {
                    let has = |value: &str, wanted: &str| (0..levels).any(|level| label(form, value, level) == wanted);
                    let expected = values.iter().any(|value| has(value, a) && has(value, b));
                    prop_assert_eq!(relation.holds(l, r), expected, "{} and {}", a, b);
                }
                prop_assert!(relation.holds(l, MISSING) && relation.holds(MISSING, l.min(right.len() as u32)));
            }
        }
    }

    fn relation(left: &[&str], right: &[&str], form: &Form) -> Vec<Vec<bool>> {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let (l, r) = (dictionary(&owned(left)), dictionary(&owned(right)));
        let relation = Relation::new(&l, &r, form);
        let code = |dictionary: &Dictionary, value: &str| dictionary.code(value).unwrap_or(MISSING);
        left.iter().map(|a| right.iter().map(|b| relation.holds(code(&l, a), code(&r, b))).collect()).collect()
    }

    #[test]
    fn a_missing_value_that_is_a_category_agrees_with_no_other() {
        let form = Form { missing_matches: false, ..Form::text("v") };
        let dictionary = dictionary(&["a".to_owned()]);
        let relation = Relation::new(&dictionary, &dictionary, &form);
        assert!(!relation.holds(1, MISSING) && relation.holds(MISSING, 1) && relation.holds(MISSING, MISSING));
    }

    #[test]
    fn rounded_and_limited_numbers_agree_with_what_they_may_have_been() {
        let form = Form { scale: Scale::Number, tolerance: 2.5, top_coded: true, ..Form::text("v") };
        let rows = relation(&["47", "48", "52", "53", "70", "99"], &["45", "50", "60"], &form);
        assert_eq!(
            rows,
            [
                [true, false, false],
                [false, true, false],
                [false, true, true],
                [false, false, true],
                [false, false, true],
                [false, false, true]
            ]
        );
    }

    #[test]
    fn bands_of_another_hierarchy_agree_where_they_overlap() {
        let form = Form { scale: Scale::Number, ..Form::text("v") };
        assert_eq!(relation(&["10-19", "20-29"], &["15-24", "25-34"], &form), [[true, false], [true, true]]);
        assert_eq!(relation(&["10-19"], &["15-24"], &Form::text("v")), [[false]]);
    }

    #[test]
    fn classes_say_everything_where_one_file_is_coarser_throughout() {
        let form = Form { hierarchies: vec![hierarchy(TREE)], ..Form::text("v") };
        let (values, groups) = (["1", "2", "3", "4"].map(str::to_owned), ["A", "c"].map(str::to_owned));
        assert!(Relation::new(&dictionary(&values), &dictionary(&groups), &form).by_class);
        let mixed = ["A", "a", "b"].map(str::to_owned);
        assert!(!Relation::new(&dictionary(&values), &dictionary(&mixed), &form).by_class);
    }
}
