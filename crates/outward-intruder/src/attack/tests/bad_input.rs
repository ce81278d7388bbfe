//! Input that cannot be attacked is refused, with advice.

use super::*;

fn refused(change: impl FnOnce(&mut Case)) -> (String, String) {
    let mut case = Case::new(PEOPLE, people(1, 60));
    change(&mut case);
    let error = case.try_attack().unwrap_err();
    (error.to_string(), error.help().unwrap())
}

#[test]
fn a_release_without_any_known_variable_is_refused() {
    let (what, help) = refused(|case| case.releases[0].columns.retain(|column| column.name == "illness"));
    assert_eq!(what, "the intruder knows no variable that a release has");
    assert!(help.contains("`keys`"));
}

#[test]
fn a_file_without_any_known_column_is_refused_with_their_names() {
    let (what, help) = refused(|case| case.people.columns.iter_mut().for_each(|column| column.name += "s"));
    assert_eq!(what, "the intruder's file has no variable that the intruder knows and a release has");
    assert_eq!(help, "give the file a column `age` or `sex` or `region`");
}

#[test]
fn a_column_without_any_value_is_refused() {
    let (what, _) = refused(|case| case.people.columns[1].values.codes.fill(0));
    assert_eq!(what, "column `sex`: no person has a value in this column, so the intruder knows nothing by it");
    let (what, _) = refused(|case| {
        case.own_file = true;
        case.people.columns[1].values.codes.fill(0);
    });
    assert_eq!(what, "column `sex`: the intruder's file has no value in this column");
}

#[test]
fn a_key_of_another_kind_is_refused() {
    let (what, help) = refused(|case| *case.released("sex") = coded((0..60).map(|_| Some("female"))));
    assert_eq!(
        what,
        "column `sex`: no value that the intruder knows agrees with any value of the release in this column"
    );
    assert!(help.contains("`hierarchy`"));
}

#[test]
fn a_test_again_without_an_unknown_variable_is_refused_with_the_nearest() {
    let (what, help) = refused(|case| case.without = vec!["agee".to_owned()]);
    assert_eq!((what.as_str(), help.as_str()), ("the intruder knows no variable `agee`", "did you mean `age`?"));
    let (what, _) = refused(|case| case.coarser = BTreeMap::from([("age".to_owned(), 9)]));
    assert_eq!(what, "column `age`: `age` has no level 9");
    let (what, _) = refused(|case| case.coarser = BTreeMap::from([("sex".to_owned(), 1)]));
    assert_eq!(what, "column `sex`: `sex` has no hierarchy");
}

#[test]
fn groups_of_an_unknown_column_are_refused_with_the_nearest() {
    let (what, help) = refused(|case| case.groups = vec!["regoin".to_owned()]);
    assert_eq!((what.as_str(), help.as_str()), ("the data have no column `regoin`", "did you mean `region`?"));
}

#[test]
fn nobody_to_look_for_and_nobody_in_the_file_are_refused() {
    let (what, _) = refused(|case| case.releases[0].present.fill(false));
    assert_eq!(what, "nobody can be looked for");
    let own_file = |case: &mut Case| case.own_file = true;
    let (what, _) = refused(|case| {
        own_file(case);
        case.people.truth.fill(Truth::Elsewhere);
    });
    assert_eq!(what, "nobody of the intruder's file is in the release");
    let (what, _) = refused(|case| {
        own_file(case);
        case.people.truth.clear();
    });
    assert_eq!(what, "the intruder's file has nobody in it");
    let (what, _) = refused(|case| case.fraction = 0.0);
    assert_eq!(what, "the share of the population in the release is out of range");
}

#[test]
fn nearest_records_need_a_number() {
    let (what, help) = refused(|case| {
        case.scenario.attack = Some(outward_spec::AttackKind::Nearest);
        case.scenario.keys = vec!["sex".to_owned(), "region".to_owned()];
        for column in case.people.columns.iter_mut().chain(&mut case.releases[0].columns) {
            let label = |code: &u32| column.values.dictionary.value(*code).map(|value| format!("x{value}"));
            column.values = coded(column.values.codes.iter().map(label).collect::<Vec<_>>());
        }
    });
    assert_eq!(what, "the intruder knows no number that the release has as a number");
    assert!(help.contains("exact"));
}

#[test]
fn a_column_that_does_not_tell_who_is_who_is_refused() {
    let (people, source) = (coded([Some("a"), None, Some("c")]), coded([Some("c"), Some("a")]));
    let truth = truth_by_column("id", &people, &source).unwrap();
    assert_eq!(truth, [Truth::Row(1), Truth::Unknown, Truth::Row(0)]);
    let again = truth_by_column("id", &coded([Some("a"), Some("z"), Some("a"), Some("z")]), &source).unwrap();
    assert_eq!(again, [Truth::Row(1), Truth::Elsewhere, Truth::Again(0), Truth::Again(1)]);
    let twice = coded([Some("a"), Some("b"), Some("a")]);
    let error = truth_by_column("id", &people, &twice).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column `id`, row 3: two records share a value of this column, so it does not identify people"
    );
    assert_eq!(truth_by_column("id", &coded([Some("z")]), &source).unwrap(), [Truth::Elsewhere]);
}
