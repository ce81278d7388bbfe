//! Claims of human testers are scored like those of an attack.

use super::*;

/// Five people. The published file has the rows of the source in this order.
fn release(order: &[u32]) -> (Released, Vec<NamedColumn>) {
    let source = vec![column("region", ["N", "N", "S", "S", "S"])];
    let present = (0..5).map(|row| order.contains(&row)).collect();
    (Released { name: "r".into(), order: order.to_vec(), present, columns: source.clone() }, source)
}

fn claims(rows: &[(&str, &str, &str)], ids: Option<&Coded>) -> outward_error::Result<Vec<ManualClaim>> {
    let column = |at: usize| coded(rows.iter().map(|row| Some([row.0, row.1, row.2][at])));
    manual_claims(&column(0), &column(1), &column(2), ids)
}

#[test]
fn manual_claims_are_scored_on_the_same_card() {
    // The published file is shuffled: its first row is row 4 of the source.
    let (release, source) = release(&[3, 0, 2, 1]);
    let truth = [Truth::Row(3), Truth::Row(1), Truth::Elsewhere, Truth::Unknown, Truth::Row(2)];
    let made = claims(&[("1", "1", "0.95"), ("2", "2", "70 %"), ("3", "3", "60%"), ("4", "4", "1")], None).unwrap();
    let rules = IntruderRules { most_correct_share: Some(0.5), least_targets: Some(2), ..IntruderRules::default() };
    let groups = ["region".to_owned()];
    let test = ManualTest {
        name: "students",
        release: &release,
        truth: &truth,
        source: &source,
        groups: &groups,
        response_knowledge: true,
        rules: Some(&rules),
    };
    let Outcome { card, claims } = score_manual(&made, &test).unwrap();
    assert_eq!((card.people, card.looked_for, card.targets, card.claims), (5, 4, 2, 4));
    assert_eq!((card.verifiable, card.correct, card.found), (3, 1, Interval::of_share(1, 2)));
    let named: Vec<(u64, &[u64])> = claims.iter().map(|claim| (claim.person, claim.records.as_slice())).collect();
    assert_eq!(named, [(1, [1].as_slice()), (2, &[2]), (3, &[3]), (4, &[4])], "rows of the published file, as claimed");
    assert_eq!((card.no_claim.no_record, card.attack, card.precision), (0, None, Interval::of_share(1, 3)));
    let at: Vec<(f64, u64, u64)> = card.at_confidence.iter().map(|at| (at.confidence, at.claims, at.correct)).collect();
    assert_eq!(at, [(0.6, 3, 1), (0.8, 1, 1), (0.95, 1, 1)]);
    assert!(card.verdict.unwrap().met);
    let south = card.groups.iter().find(|group| group.category.as_deref() == Some("S")).unwrap();
    assert_eq!((south.targets, south.claims, south.correct), (1, 1, 1));
    // People of whom nobody claims anything, and people who are not in the data, do not make a test that is large enough.
    let rules = IntruderRules { least_targets: Some(3), ..rules };
    let few = score_manual(&made, &ManualTest { rules: Some(&rules), ..test }).unwrap().card;
    assert!(!few.verdict.unwrap().met);
}

#[test]
fn a_file_without_claims_is_no_test() {
    let (release, source) = release(&[0, 1, 2, 3]);
    let test = ManualTest {
        name: "nobody",
        release: &release,
        truth: &[Truth::Row(0), Truth::Row(1)],
        source: &source,
        groups: &[],
        response_knowledge: false,
        rules: None,
    };
    let error = score_manual(&[], &test).unwrap_err();
    assert_eq!(error.to_string(), "there are no claims");
    assert!(error.help().is_some());
}

#[test]
fn a_person_may_be_named_by_their_number_in_the_list() {
    let ids = coded([Some("A7"), Some("B9")]);
    let made = claims(&[("3", "B9", "0.5")], Some(&ids)).unwrap();
    assert_eq!(made, [ManualClaim { record: 3, person: 2, confidence: 0.5 }]);
}

#[test]
fn of_several_claims_about_a_person_the_surest_counts() {
    let (release, source) = release(&[0, 1, 2, 3]);
    let made = claims(&[("1", "1", "0.2"), ("2", "1", "0.9"), ("3", "1", "0.5")], None).unwrap();
    let truth = [Truth::Row(1)];
    let test = ManualTest {
        name: "t",
        release: &release,
        truth: &truth,
        source: &source,
        groups: &[],
        response_knowledge: false,
        rules: None,
    };
    let outcome = score_manual(&made, &test).unwrap();
    assert_eq!((outcome.claims.len(), outcome.card.correct), (1, 1));
}

#[test]
fn faulty_claims_are_refused_with_their_row() {
    let (release, source) = release(&[0, 1]);
    for (rows, what) in [
        ([("1", "1", "0.5"), ("x", "1", "0.5")], "the record of this claim is no row"),
        ([("1", "1", "0.5"), ("1", "0", "0.5")], "the person of this claim is no row"),
        ([("1", "1", "0.5"), ("1", "1", "150%")], "the confidence of this claim is not a number from 0 to 1"),
        // Of 80 nobody can tell whether it is 80 % or a slip.
        ([("1", "1", "0.5"), ("1", "1", "80")], "the confidence of this claim is not a number from 0 to 1"),
    ] {
        let error = claims(&rows, None).unwrap_err();
        assert_eq!(error.to_string(), format!("row 2: {what}"));
        assert!(error.help().is_some());
    }
    let test = ManualTest {
        name: "t",
        release: &release,
        truth: &[Truth::Unknown],
        source: &source,
        groups: &[],
        response_knowledge: false,
        rules: None,
    };
    let beyond = score_manual(&claims(&[("3", "1", "0.5")], None).unwrap(), &test).unwrap_err();
    assert_eq!(beyond.to_string(), "row 1: the claim names record 3, and the release has 2");
    let ids = coded([Some("A7")]);
    assert!(claims(&[("1", "A8", "0.5")], Some(&ids)).unwrap_err().to_string().contains("not in the list"));
}

#[test]
fn claims_about_a_person_who_is_listed_twice_are_about_one_person() {
    let (release, source) = release(&[0, 1, 2, 3]);
    let truth = [Truth::Row(1), Truth::Again(0)];
    let made = claims(&[("1", "1", "0.4"), ("2", "2", "0.9")], None).unwrap();
    let test = ManualTest {
        name: "t",
        release: &release,
        truth: &truth,
        source: &source,
        groups: &[],
        response_knowledge: false,
        rules: None,
    };
    let card = score_manual(&made, &test).unwrap().card;
    assert_eq!((card.people, card.targets, card.claims, card.correct), (1, 1, 1, 1));
}
