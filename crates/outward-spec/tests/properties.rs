//! What must hold of everything that a user can write.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use outward_spec::*;
use proptest::prelude::*;

const WHOLE: &str = include_str!("whole.toml");

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z_]{0,7}"
}

fn ascending(most: usize) -> impl Strategy<Value = Vec<i32>> {
    proptest::collection::btree_set(-40..120i32, 1..most).prop_map(|edges| edges.into_iter().collect())
}

fn numbers(edges: &[i32]) -> Vec<Number> {
    edges.iter().map(|edge| Number(f64::from(*edge))).collect()
}

fn bands() -> impl Strategy<Value = HierarchySpec> {
    (ascending(9), proptest::option::of(120..140i32)).prop_map(|(edges, top)| {
        let coarse: Vec<i32> = edges.iter().copied().step_by(2).collect();
        let bands = Edges::Several(vec![numbers(&edges), numbers(&coarse)]);
        HierarchySpec::Bands { bands, bottom: Some(Number(-40.5)), top: top.map(|top| Number(f64::from(top))) }
    })
}

fn widths() -> impl Strategy<Value = HierarchySpec> {
    (1..9u64, 2..5u64, proptest::option::of(-20..20i64), proptest::option::of(20..90i64)).prop_map(
        |(width, times, bottom, top)| HierarchySpec::Widths {
            widths: vec![width, width * times, width * times * 2],
            bottom,
            top,
        },
    )
}

fn tree() -> impl Strategy<Value = HierarchySpec> {
    // Values are dealt out by number, so no value is in two groups and no label is used twice.
    proptest::collection::vec((0..3usize, 1..4usize), 1..6).prop_map(|groups| {
        let mut next = 0;
        let mut tree = BTreeMap::new();
        for (g, (depth, size)) in groups.into_iter().enumerate() {
            let values = (next..next + size).map(|value| value.to_string()).collect();
            next += size;
            let mut branch = Tree::Values(values);
            for d in 0..depth {
                branch = Tree::Groups(BTreeMap::from([(format!("group {g} at {d}"), branch)]));
            }
            tree.insert(format!("group {g}"), branch);
        }
        HierarchySpec::Tree { tree }
    })
}

fn hierarchy() -> impl Strategy<Value = HierarchySpec> {
    let prefix = proptest::collection::btree_set(1..9usize, 1..4)
        .prop_map(|lengths| HierarchySpec::Prefix { prefix: lengths.into_iter().rev().collect() });
    let date = proptest::sample::subsequence(
        vec![DatePart::Month, DatePart::Quarter, DatePart::Year, DatePart::Decade],
        1..=4,
    )
    .prop_map(|date| HierarchySpec::Date { date });
    prop_oneof![bands(), widths(), prefix, date, tree()]
}

fn values() -> impl Strategy<Value = Vec<String>> {
    let value = prop_oneof![
        (-60..160i32).prop_map(|n| n.to_string()),
        (-60.0..160.0f64).prop_map(|n| format!("{n:.2}")),
        (1890..2030u32, 1..13u32, 1..32u32).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}")),
        "[A-Zé0-9 ]{0,8}",
    ];
    proptest::collection::vec(value, 1..60)
}

fn variable() -> impl Strategy<Value = Variable> {
    let role = prop_oneof![Just(Role::Key), Just(Role::Sensitive), Just(Role::Geography), Just(Role::Plain)];
    let rating = proptest::option::of(prop_oneof![Just(Rating::Low), Just(Rating::High)]);
    let missing = proptest::option::of(prop_oneof![Just(Missing::Category), Just(Missing::Wildcard)]);
    (name(), proptest::option::of(".{0,12}"), role, rating, missing, proptest::option::of(hierarchy())).prop_map(
        |(name, label, role, visibility, missing, hierarchy)| Variable {
            label,
            role,
            visibility,
            missing,
            hierarchy,
            ..Variable::named(name)
        },
    )
}

fn spec() -> impl Strategy<Value = Spec> {
    let weak_k = (name(), 1..9u64).prop_map(|(name, k)| WeakK { name, k, roles: vec![Role::Key], ..WeakK::default() });
    let thresholds = (proptest::option::of(1..9u64), proptest::option::of(0.0..=1.0f64), proptest::option::of(weak_k))
        .prop_map(|(k, t, weak)| Thresholds { k, t, weak_k: weak.map(|weak| vec![weak]), ..Thresholds::default() });
    let tier = Just(Some("open".to_owned()));
    (proptest::collection::vec(variable(), 1..6), thresholds, tier, proptest::option::of(".{0,20}")).prop_map(
        |(mut variables, thresholds, tier, title)| {
            variables.sort_by(|a, b| a.name.cmp(&b.name));
            variables.dedup_by(|a, b| a.name == b.name);
            let first = variables[0].name.clone();
            Spec {
                title,
                data: Source::file("persons.csv"),
                policy: PolicyChoice {
                    name: Some("ons-open-microdata".into()),
                    tier,
                    thresholds,
                    ..Default::default()
                },
                scenarios: vec![Scenario { name: "n".into(), keys: vec![first.clone()], ..Scenario::default() }],
                steps: vec![Step::Keep { condition: "age > 3".into() }, Step::Drop { variables: vec![first.clone()] }],
                tables: vec![Table { name: "t".into(), variables: vec![first], ..Table::default() }],
                outputs: vec![Output { path: "out.parquet".into(), format: None }],
                variables,
                ..Spec::default()
            }
        },
    )
}

const LEAVES: [&str; 9] = ["a", "b", "A", "aa", "ab", "ba", "bb", "aA", "Aa"];

/// Rows of up to three levels; in half of the files one character is another, which may or may not leave a hierarchy.
fn rows_of_a_hierarchy() -> impl Strategy<Value = String> {
    let leaves = proptest::sample::subsequence(LEAVES.to_vec(), 1..=9);
    let groups = (proptest::collection::vec(0..4usize, 9), proptest::collection::vec(0..2usize, 4));
    let damage = proptest::option::of((any::<prop::sample::Index>(), "[;,\\n\\rabA\"]"));
    (leaves, groups, 1..=3usize, "[;,\\t]", damage).prop_map(|(leaves, (group, region), levels, between, damage)| {
        let mut text = String::new();
        for (leaf, group) in leaves.iter().zip(group) {
            let labels = [(*leaf).to_owned(), format!("g{group}"), format!("r{}", region[group])];
            text += &format!("{}\n", labels[..levels].join(&between));
        }
        if let Some((place, with)) = damage {
            let start = place.index(text.len());
            text.replace_range(start..start + 1, &with);
        }
        text
    })
}

/// The label at each level is a function of the label one level finer, and a value has a label at all levels or none.
fn check_nesting<S: AsRef<str>>(hierarchy: &Hierarchy, values: &[S]) -> Result<(), TestCaseError> {
    for level in 0..hierarchy.levels() - 1 {
        let mut parents = HashMap::new();
        for value in values.iter().map(AsRef::as_ref) {
            let (fine, coarse) = (hierarchy.recode(value, level), hierarchy.recode(value, level + 1));
            prop_assert_eq!(fine.is_some(), coarse.is_some());
            let (Some(fine), Some(coarse)) = (fine, coarse) else { continue };
            let first = parents.entry(fine.into_owned()).or_insert_with(|| coarse.clone().into_owned());
            prop_assert_eq!(first.as_str(), coarse.as_ref());
        }
    }
    Ok(())
}

#[test]
fn a_spec_with_everything_in_it_is_read() {
    let spec = Spec::parse(WHOLE, "folder/outward.toml").unwrap();
    let keys: Vec<_> = spec.keys().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(keys, ["age", "ethnic_group", "postcode", "born"]);
    assert_eq!(spec.weight().unwrap().wanted_type(), Some(Type::Number));
    assert_eq!(spec.household().unwrap().name, "household_id");
    assert_eq!(spec.sensitive()[0].label(), "Income");
    assert_eq!(spec.resolve_source(&spec.data).path.unwrap(), Path::new("folder/persons.csv"));
    assert_eq!(spec.missing_of(spec.variable("age").unwrap()), Missing::Wildcard);
    assert_eq!(spec.missing_of(spec.variable("born").unwrap()), Missing::Category);
    assert_eq!(Spec::parse(&spec.to_toml().unwrap(), "folder/outward.toml").unwrap(), spec);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_spec_survives_being_written_and_read(spec in spec()) {
        let text = spec.to_toml().unwrap();
        let read = Spec::parse(&text, "outward.toml");
        prop_assert_eq!(read.map_err(|error| format!("{error}\n{text}")), Ok(spec));
    }

    #[test]
    fn a_coarser_label_is_a_function_of_the_finer_one(spec in hierarchy(), values in values()) {
        let hierarchy = Hierarchy::compile(&spec, Path::new(""), "v").unwrap();
        check_nesting(&hierarchy, &values)?;
        for value in values.iter().filter(|value| hierarchy.covers(value)) {
            prop_assert_eq!(hierarchy.recode(value, 0).unwrap(), value.as_str());
            prop_assert_eq!(hierarchy.recode(value, hierarchy.levels() - 1).unwrap(), ANYTHING);
            prop_assert_eq!(hierarchy.recode(value, hierarchy.levels()), None);
        }
    }

    #[test]
    fn any_text_is_a_spec_or_an_error(text in "\\PC{0,200}") {
        let _ = Spec::parse(&text, "outward.toml");
    }

    #[test]
    fn a_damaged_spec_is_a_spec_or_an_error_that_says_where(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..30usize, "[\\[\\]{}=\"',.#\\na-z0-9é_]{0,6}"), 1..5)
    ) {
        let mut text: Vec<char> = WHOLE.chars().collect();
        for (place, length, with) in edits {
            let start = place.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, with.chars());
        }
        let text: String = text.into_iter().collect();
        let Err(error) = Spec::parse(&text, "outward.toml") else {
            return Err(TestCaseError::reject("still a spec"));
        };
        let fault = error.fault().expect("a damaged spec is the user's to mend");
        prop_assert!(fault.place.line.is_some(), "{error}");
        prop_assert!(error.help().is_some());
    }

    #[test]
    fn any_bytes_are_a_hierarchy_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200), header: bool) {
        let _ = Hierarchy::from_bytes(bytes, Path::new("h.csv"), header, None);
    }

    #[test]
    fn any_rows_are_a_hierarchy_or_an_error(text in "([abA\"]{0,3}[;,\\n\\r]{1,2}){0,12}", header: bool) {
        let _ = Hierarchy::from_bytes(text.into_bytes(), Path::new("h.csv"), header, None);
    }

    #[test]
    fn rows_that_are_a_hierarchy_nest(text in rows_of_a_hierarchy(), header: bool) {
        let Ok(hierarchy) = Hierarchy::from_bytes(text.into_bytes(), Path::new("h.csv"), header, None) else {
            return Err(TestCaseError::reject("no hierarchy"));
        };
        prop_assume!(LEAVES.iter().any(|value| hierarchy.covers(value)));
        check_nesting(&hierarchy, &LEAVES)?;
    }
}
