//! Small counts that follow from two tables.

use std::cell::Cell;

use outward_spec::{RiskCategory, TableCase, TableRules};
use outward_tables::judge::{Rule, judge_family};
use outward_tables::{Dimension, Node, Table};
use outward_testing::random_cases::check;
use proptest::prelude::*;

fn rules() -> TableRules {
    TableRules {
        categories: vec![RiskCategory { name: "medium".into(), cells: 2, margins: 2, ..RiskCategory::default() }],
        cases: vec![TableCase { category: "medium".into(), check: true, ..TableCase::default() }],
        ..TableRules::default()
    }
}

/// A table of ages in bands, by their edges.
fn ages(name: &str, edges: &[u32], counts: &[u64], total: bool) -> Table {
    let bands: Vec<Vec<u32>> = edges.windows(2).map(|edges| (edges[0]..edges[1]).collect()).collect();
    cut(name, &bands, counts, total)
}

/// A table of one variable cut into these pieces, from the counts of its values, with the total where asked for.
fn cut(name: &str, pieces: &[Vec<u32>], counts: &[u64], total: bool) -> Table {
    let node = |values: &Vec<u32>| Node {
        label: format!("{values:?}"),
        finest: true,
        values: values.clone(),
        ..Node::default()
    };
    let mut nodes: Vec<Node> = pieces.iter().map(node).collect();
    let mut sums = Vec::new();
    if total {
        let mut values: Vec<u32> = pieces.concat();
        values.sort_unstable();
        sums.push((nodes.len(), (0..nodes.len()).collect()));
        nodes.push(Node { label: "Total".into(), total: true, values, ..Node::default() });
    }
    let count = |node: &Node| node.values.iter().map(|value| counts[*value as usize]).sum();
    let counts = nodes.iter().map(count).collect();
    let (variable, label) = ("age".to_owned(), "age".to_owned());
    let dimension = Dimension { variable, label, nodes, sums, ..Dimension::default() };
    Table { name: name.into(), unit: "people".into(), dimensions: vec![dimension], counts, ..Table::default() }
}

fn found(tables: &[Table]) -> Vec<(usize, String)> {
    let verdicts = judge_family(tables, &rules()).unwrap();
    let by_difference = verdicts[1].unsafe_cells.iter().filter(|found| found.rule == Rule::Differencing);
    by_difference.map(|found| (found.cell, found.because.clone())).collect()
}

fn cells(tables: &[Table]) -> Vec<usize> {
    found(tables).into_iter().map(|(cell, _)| cell).collect()
}

#[test]
fn bands_that_differ_by_one_age_give_that_age_away() {
    let family = |aged_25: u64| {
        let mut counts = vec![10; 30];
        counts[25] = aged_25;
        [ages("one", &[16, 25, 30], &counts, false), ages("other", &[16, 26, 30], &counts, false)]
    };
    let found = found(&family(1));
    assert!(!found.is_empty());
    assert!(found[0].1.contains("table `one`") && found[0].1.contains("a count from 1 to 2"), "{found:?}");
    assert!(cells(&family(3)).is_empty());
}

#[test]
fn a_table_of_some_and_one_of_all_leave_those_that_the_condition_leaves_out() {
    let mut counts = vec![10; 30];
    let all = Table { records: vec![1, 2], kinds: 2, ..ages("all", &[16, 20, 25, 30], &counts, true) };
    counts[16] = 9;
    counts[29] = 5;
    let condition = Some("job = 'miller'".to_owned());
    let some = Table {
        records: vec![1],
        kinds: 2,
        condition: condition.clone(),
        ..ages("some", &[16, 20, 25, 30], &counts, true)
    };
    // One of 16 to 19 is no miller, none of 20 to 24, five of 25 to 29.
    assert_eq!(cells(&[all.clone(), some.clone()]), [0]);
    assert_eq!(cells(&[some.clone(), all.clone()]), [0]);
    // Where neither has all that the other has, nothing is left of two cells.
    let others = Table { records: vec![2], condition: Some("job <> 'miller'".into()), ..some.clone() };
    assert!(cells(&[others, some]).is_empty());
}

#[test]
fn single_bands_are_held_against_each_other_without_the_rest() {
    let mut counts = vec![10; 30];
    counts[25] = 2;
    assert_eq!(cells(&[ages("one", &[16, 25], &counts, false), ages("other", &[16, 26], &counts, false)]), [0]);
}

#[test]
fn what_a_total_has_beside_the_pieces_of_another_table_is_found() {
    let counts = [0, 10, 10, 1, 1];
    // Neither 3 nor 4 follows, and both together do.
    let one = cut("one", &[vec![1, 2]], &counts, false);
    let other = cut("other", &[vec![1, 3], vec![2, 4]], &counts, true);
    assert_eq!(cells(&[one, other]), [2]);
}

#[test]
fn nested_bands_and_other_people_give_nothing_away() {
    let counts = vec![1; 30];
    let (fine, coarse) = (ages("fine", &[16, 20, 25], &counts, true), ages("coarse", &[16, 25], &counts, true));
    assert!(cells(&[fine.clone(), coarse.clone()]).is_empty());
    assert!(cells(&[coarse, fine.clone()]).is_empty());
    let shifted = ages("shifted", &[16, 21, 25], &counts, true);
    assert!(!cells(&[fine.clone(), shifted.clone()]).is_empty());
    let of_others = Table { condition: Some("sex = 'F'".into()), ..shifted.clone() };
    assert!(cells(&[fine.clone(), of_others]).is_empty());
    assert!(cells(&[fine, Table { unit: "vehicles".into(), ..shifted }]).is_empty());
}

#[test]
fn a_variable_that_only_one_table_has_is_taken_at_its_total() {
    let mut counts = vec![10; 30];
    counts[25] = 1;
    let one = ages("one", &[16, 25, 30], &counts, false);
    let plain = ages("other", &[16, 26, 30], &counts, false);
    let node = |label: &str, total: bool, values: &[u32]| Node {
        label: label.into(),
        total,
        finest: !total,
        values: values.to_vec(),
        ..Node::default()
    };
    let sex = Dimension {
        variable: "sex".into(),
        label: "sex".into(),
        nodes: vec![node("F", false, &[1]), node("M", false, &[2]), node("Total", true, &[1, 2])],
        sums: vec![(2, vec![0, 1])],
        ..Dimension::default()
    };
    let counts = plain.counts.iter().flat_map(|count| [count / 2, count - count / 2, *count]).collect();
    let other = Table { dimensions: vec![plain.dimensions[0].clone(), sex], counts, ..plain };
    let cells = cells(&[one, other.clone()]);
    assert!(!cells.is_empty() && cells.iter().all(|cell| other.nodes(*cell)[1] == 2), "{cells:?}");
}

/// Whether a sum over values follows from the sums over pieces: whether it is in their span, by elimination.
fn follows(wanted: &[f64], pieces: &[Vec<f64>]) -> bool {
    let mut rows: Vec<Vec<f64>> = pieces.to_vec();
    let mut rest = wanted.to_vec();
    for column in 0..wanted.len() {
        let Some(pivot) = rows.iter().position(|row| row[column].abs() > 1e-9) else { continue };
        let pivot = rows.swap_remove(pivot);
        for row in rows.iter_mut().chain([&mut rest]) {
            let by = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= by * b);
        }
    }
    rest.iter().all(|value| value.abs() < 1e-9)
}

/// What is in both.
fn common(one: &[u32], other: &[u32]) -> Vec<u32> {
    one.iter().filter(|value| other.contains(value)).copied().collect()
}

/// What a piece has beside the others that lie inside it, where some do and something is left.
fn left_over(whole: &[u32], others: &[Vec<u32>]) -> Option<Vec<u32>> {
    let inside: Vec<u32> =
        others.iter().filter(|piece| common(piece, whole).len() == piece.len()).flatten().copied().collect();
    let left: Vec<u32> = whole.iter().filter(|value| !inside.contains(value)).copied().collect();
    (!inside.is_empty() && !left.is_empty()).then_some(left)
}

#[test]
fn a_small_part_is_found_exactly_where_it_follows_from_both_tables() {
    let small_parts = Cell::new(0u32);
    let cut_in_four = || prop::collection::vec(0usize..4, 8);
    check(300, &(cut_in_four(), cut_in_four(), prop::collection::vec(1u64..6, 8)), |(one, other, counts)| {
        let pieces = |of: &[usize]| -> Vec<Vec<u32>> {
            let piece = |at: usize| (0u32..8).filter(|value| of[*value as usize] == at).collect::<Vec<u32>>();
            (0..4).map(piece).filter(|piece| !piece.is_empty()).collect()
        };
        let (a, b) = (pieces(&one), pieces(&other));
        let row =
            |values: &[u32]| (0u32..8).map(|value| f64::from(u8::from(values.contains(&value)))).collect::<Vec<f64>>();
        let known: Vec<Vec<f64>> = a.iter().chain(&b).map(|piece| row(piece)).collect();
        let small = |values: &[u32]| (1..=2).contains(&values.iter().map(|value| counts[*value as usize]).sum::<u64>());
        let shared = a.iter().flat_map(|x| b.iter().map(|y| common(x, y)));
        let shared = shared.filter(|part| !part.is_empty() && !a.contains(part) && !b.contains(part));
        let beside = a.iter().filter_map(|x| left_over(x, &b)).chain(b.iter().filter_map(|y| left_over(y, &a)));
        let mut candidates = shared.chain(beside);
        let expected = candidates.any(|part| small(&part) && follows(&row(&part), &known));
        let got = !cells(&[cut("one", &a, &counts, false), cut("other", &b, &counts, false)]).is_empty();
        prop_assert_eq!(got, expected);
        small_parts.update(|count| count + u32::from(expected));
        Ok(())
    });
    println!("a small part follows in {small_parts:?} of 300");
    assert!((30..270).contains(&small_parts.get()), "both occur: {small_parts:?}");
}
