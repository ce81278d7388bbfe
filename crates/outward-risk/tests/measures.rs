//! Measures against numbers worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_risk::classes::Classes;
use outward_risk::diversity::measure_sensitive;
use outward_risk::drivers::measure_drivers;
use outward_risk::population::{measure_journalist, measure_population};
use outward_risk::{AssessedCells, Assessment, Question, Sample, assess, report};
use outward_spec::{Missing, PolicyChoice, Rules, Severity, Thresholds};

/// Cells of a small table written as text: a header, then records; `-` is missing, a column `n…` is a number.
fn cells(text: &str) -> Cells {
    let mut lines = text.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let records: Vec<Vec<&str>> = lines.collect();
    let column = |at: usize| -> ArrayRef {
        let values = records.iter().map(|record| (record[at] != "-").then_some(record[at]));
        if names[at].starts_with('n') {
            Arc::new(values.map(|value| value.map(|value| value.parse::<i64>().unwrap())).collect::<Int64Array>())
        } else {
            Arc::new(values.collect::<StringArray>())
        }
    };
    let columns: Vec<(&str, ArrayRef)> = names.iter().enumerate().map(|(at, name)| (*name, column(at))).collect();
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let request = CellRequest::new(names.iter().copied());
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &(1..=records.len() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

/// Ten people: on sex × age the classes are F30: 3, F40: 1, M30: 2, M40: 3, M50: 1.
const TEN: &str = "
sex age job
F 30 nurse
F 30 nurse
F 30 smith
F 40 nurse
M 30 nurse
M 30 nurse
M 40 smith
M 40 smith
M 40 smith
M 50 smith";

fn rules(k: u64) -> Rules {
    let asked =
        PolicyChoice { thresholds: Thresholds { k: Some(k), ..Thresholds::default() }, ..PolicyChoice::default() };
    Rules { forbid: Vec::new(), ..asked.rules(std::path::Path::new("")).unwrap() }
}

fn assessed(text: &str, k: u64) -> Assessment {
    assessed_with(text, k, Missing::Category)
}

fn assessed_with(text: &str, k: u64, missing: Missing) -> Assessment {
    let cells = cells(text);
    let missing = vec![missing; cells.keys().len()];
    let question = Question {
        source: "ten".into(),
        condition: None,
        rules: rules(k),
        missing,
        sample: Sample::default(),
        threads: 2,
    };
    assess(
        &question,
        &AssessedCells {
            cells: &cells,
            sensitive: Vec::new(),
            population: None,
            scenarios: Vec::new(),
            households: None,
        },
    )
    .unwrap()
}

#[test]
fn ten_people_by_sex_and_age() {
    let cells = cells(TEN).margin(&[0, 1]);
    let classes = Classes::from_cells(&cells, &[false, false]);
    let measure = classes.measure(3);
    assert_eq!((measure.records, measure.cells, measure.uniques, measure.pairs), (10, 5, 2, 2));
    assert_eq!((measure.below_k, measure.k), (4, 1));
    let chances = classes.prosecutor(3).unwrap();
    assert_eq!((chances.highest, chances.average, chances.at_risk), (1.0, 0.5, 0.4));
    assert_eq!(chances.lowest, 1.0 / 3.0);
}

#[test]
fn a_missing_value_as_wildcard_joins_every_class_it_may_belong_to() {
    let cells = cells("sex age\nF 30\nF 40\nF -\nM 30");
    let as_category = Classes::from_cells(&cells, &[false, false]).measure(2);
    assert_eq!((as_category.uniques, as_category.k), (4, 1));
    // All whom a record may be: F30 and F40 each meet the F of unknown age, who meets both; M30 meets nobody.
    let compatible = Classes::compatible(&cells, &[false, true], 1).measure(3);
    assert_eq!((compatible.uniques, compatible.pairs, compatible.below_k), (1, 2, 3));
    // With one of two keys the F of unknown age supports nobody else, with two of three both.
    let on_two = Classes::from_cells(&cells, &[false, true]).measure(3);
    assert_eq!((on_two.uniques, on_two.pairs, on_two.below_k), (3, 0, 3));
    let on_three =
        Classes::from_cells(&self::cells("area sex age\nN F 30\nN F 40\nN F -\nN M 30"), &[true; 3]).measure(3);
    assert_eq!((on_three.uniques, on_three.pairs, on_three.below_k), (1, 2, 3));
}

#[test]
fn who_lacks_most_keys_supports_nobody_who_shows_more() {
    let cells = cells("sex age area\nF 30 North\nF - North\n- - North\n- - -");
    let size = |classes: &Classes<'_>| {
        let mut sizes = classes.sizes().to_vec();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(size(&Classes::from_cells(&cells, &[true; 3])), [2, 2, 3, 4]);
    assert_eq!(size(&Classes::compatible(&cells, &[true; 3], 1)), [4, 4, 4, 4]);
}

#[test]
fn leaving_a_variable_out_shows_how_many_uniques_hang_on_it() {
    let drivers = measure_drivers(&cells(TEN), &[false; 3]);
    // On all three keys F30-smith, F40 and M50 are alone. Without age nobody but F-smith is; without sex only F40-nurse
    // and M50-smith, and 30-smith, are; without job F40 and M50 are.
    let listed: Vec<(&str, u64)> = drivers.iter().map(|d| (d.variable.as_str(), d.uniques_without)).collect();
    assert_eq!(listed, [("age", 1), ("job", 2), ("sex", 3)]);
    assert_eq!(drivers[0].share_of_uniques, 1.0 - 1.0 / 3.0);
}

#[test]
fn diversity_of_three_classes_worked_by_hand() {
    let risk = measure_sensitive(
        &cells(
            "
class nIncome
a 1
a 1
a 1
b 1
b 2
b 3
c 2
c -",
        ),
        &[false],
        Some(2),
        Some(0.4),
    )
    .unwrap();
    // Whole: 1: 4/7, 2: 2/7, 3: 1/7. Class a is all 1 (three records), c all 2 with one missing.
    assert_eq!((risk.values, risk.distinct_l), (3, 1));
    assert_eq!((risk.homogeneous_classes, risk.homogeneous_records), (1, 3));
    assert!((risk.entropy_l - 1.0).abs() < 1e-12);
    assert_eq!(risk.recursive_l, 1);
    // Equal distance: a is 3/7 from the whole, b 5/21, c 5/7. Ordered: a (3/7 + 1/7)/2, c (4/7 + 1/7)/2.
    assert!((risk.t_equal - 5.0 / 7.0).abs() < 1e-12);
    assert!((risk.t_ordered.unwrap() - 5.0 / 14.0).abs() < 1e-12);
    assert_eq!((risk.below_l, risk.above_t), (5, 5));
}

#[test]
fn under_wildcards_a_missing_key_lends_its_sensitive_value_to_every_class_it_may_belong_to() {
    let cells = cells("sex area age illness\nF N 30 flu\nF N 30 flu\nF N 40 flu\nF N - cold\nF N 50 -");
    let as_category = measure_sensitive(&cells, &[false; 3], Some(2), None).unwrap();
    // 30 and 40 are all flu and the one of unknown age is alone; the class of 50 has no value.
    assert_eq!((as_category.distinct_l, as_category.below_l), (1, 4));
    assert_eq!((as_category.homogeneous_classes, as_category.homogeneous_records), (1, 2));
    // As a wildcard the cold may be anybody's: 30 has flu twice and a cold, 40 one of each, 50 the cold alone, and the one
    // of unknown age meets everybody: flu three times and its own cold.
    let as_wildcard = measure_sensitive(&cells, &[true; 3], Some(2), Some(0.4)).unwrap();
    assert_eq!((as_wildcard.distinct_l, as_wildcard.below_l), (1, 1));
    assert_eq!((as_wildcard.homogeneous_classes, as_wildcard.homogeneous_records), (0, 0));
    // The whole is flu 3/4; farthest from it is 50 with a cold only.
    assert!((as_wildcard.t_equal - 0.75).abs() < 1e-12);
    assert_eq!(as_wildcard.above_t, 1);
}

#[test]
fn a_record_without_keys_lends_its_sensitive_value_to_nobody() {
    let cells = cells("age illness\n30 flu\n30 flu\n40 flu\n- cold\n50 -");
    let risk = measure_sensitive(&cells, &[true], Some(2), None).unwrap();
    assert_eq!((risk.homogeneous_classes, risk.homogeneous_records, risk.below_l), (1, 2, 3));
}

#[test]
fn recursive_diversity_asks_the_commonest_value_to_be_rarer_than_twice_the_rest() {
    // Counts 3, 2, 1: r1 = 3 < 2·(3+2+1), < 2·(2+1), but not < 2·1.
    let risk = measure_sensitive(&cells("class s\na x\na x\na x\na y\na y\na z"), &[false], None, None).unwrap();
    assert_eq!((risk.distinct_l, risk.recursive_l), (3, 2));
}

#[test]
fn a_sample_beside_its_population() {
    let sample = cells("sex age\nF 30\nF 40\nM 30\nM 99");
    let population = cells("sex age\nF 30\nF 30\nF 40\nM 30\nM 30\nM 30\nM 50");
    let measure = measure_population(&sample, &population).unwrap();
    assert_eq!((measure.records, measure.cells, measure.uniques), (7, 4, 2));
    assert_eq!((measure.sample_uniques_unique, measure.not_found), (1, 1));
    let (chances, marketer) = measure_journalist(&sample, &population, 3).unwrap().unwrap();
    // Found: F30 of 2, F40 of 1, M30 of 3.
    assert_eq!((chances.highest, chances.lowest), (1.0, 1.0 / 3.0));
    assert!((marketer - (0.5 + 1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
    assert!((chances.at_risk - 2.0 / 3.0).abs() < 1e-12);
    // Two of a kind where the population has one: the files do not fit, and no chance exceeds 1.
    let double = cells("sex age\nF 40\nF 40");
    assert_eq!(measure_population(&double, &population).unwrap().too_many, 2);
    let (chances, marketer) = measure_journalist(&double, &population, 3).unwrap().unwrap();
    assert!(chances.average <= 1.0 && marketer <= 1.0);
}

#[test]
fn where_a_population_file_is_given_nothing_is_estimated() {
    let cells_of_sample = cells("sex age\nF 30\nF 40\nM 30\nM 99");
    let population = cells("sex age\nF 30\nF 30\nF 40\nM 30\nM 30\nM 30\nM 50");
    let question = Question {
        source: "four".into(),
        condition: None,
        rules: rules(1),
        missing: vec![Missing::Category; 2],
        // What somebody says of the fraction does not count where the file can be counted.
        sample: Sample { fraction: Some(0.01), ..Sample::default() },
        threads: 1,
    };
    let measured = AssessedCells {
        cells: &cells_of_sample,
        sensitive: Vec::new(),
        population: Some(&population),
        scenarios: Vec::new(),
        households: None,
    };
    let assessment = assess(&question, &measured).unwrap();
    let risk = assessment.population.as_ref().unwrap();
    let models = risk.models.as_ref().unwrap();
    // F40 and M50 are alone among seven people.
    assert!((models.chosen.share().unwrap() - 2.0 / 7.0).abs() < 1e-12);
    assert_eq!((models.details.uniques, models.is_counted()), (Some(2.0), true));
    assert_eq!(models.pitman, models.chosen);
    assert!(risk.dis.is_none());
    // One of two, one of one, one of three, and one whom the file does not know.
    let expected = assessment.expected_reidentifications.unwrap();
    assert!((expected - (0.5 + 1.0 + 1.0 / 3.0 + 1.0)).abs() < 1e-12, "{expected}");
    let codes: Vec<&str> = assessment.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert!(!codes.contains(&"OUT020"), "{codes:?}");
}

#[test]
fn the_riskiest_record_is_the_one_singled_out_by_the_fewest_variables() {
    let assessment = assessed(TEN, 3);
    let first = &assessment.riskiest[0];
    // Row 10 is the only 50-year-old. Row 3 is alone on age × job and on sex × job, row 4 on sex × age and on age × job.
    assert_eq!((first.row, first.variables, &first.keys[..]), (10, 1, &["age".to_owned()][..]));
    let listed: Vec<(u64, u64)> = assessment.riskiest.iter().map(|record| (record.row, record.variables)).collect();
    assert_eq!(listed, [(10, 1), (3, 2), (4, 2)]);
    assert_eq!(assessment.riskiest[2].keys, ["sex", "age"]);
}

#[test]
fn under_wildcards_only_records_that_nobody_supports_are_at_risk() {
    let cells = cells("area sex age\nN F 30\nN F 40\nN F -\nN M 30");
    let missing = vec![Missing::Category, Missing::Category, Missing::Wildcard];
    let question = Question {
        source: "four".into(),
        condition: None,
        rules: rules(2),
        missing,
        sample: Sample::default(),
        threads: 1,
    };
    let measured = AssessedCells {
        cells: &cells,
        sensitive: Vec::new(),
        population: None,
        scenarios: Vec::new(),
        households: None,
    };
    let assessment = assess(&question, &measured).unwrap();
    let rows: Vec<u64> = assessment.riskiest.iter().map(|record| record.row).collect();
    // On all keys the F of unknown age supports both other F. On age alone, and on sex and age, that record shows too little: 40 is
    // alone on the one and F 30 on the other, as M is on sex.
    assert_eq!((assessment.uniques, rows), (1, vec![2, 4, 1]));
    let other = assessment.other_classes.unwrap();
    assert_eq!((other.exact.uniques, other.compatible.uniques), (4, 1));
}

#[test]
fn findings_name_what_breaks_the_policy_and_the_worst_comes_first() {
    let assessment = assessed(TEN, 3);
    let codes: Vec<&str> = assessment.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes[..3], ["OUT001", "OUT002", "OUT003"]);
    assert_eq!(codes.iter().filter(|code| **code == "OUT004").count(), 1, "{codes:?}");
    assert_eq!(assessment.severity(), Some(Severity::High));
    let message = &assessment.findings[0].message;
    assert_eq!(message, "3 of 10 records (30.0 %) are alone on the 3 keys");
}

#[test]
fn a_file_that_meets_its_policy_has_no_findings() {
    let assessment = assessed("sex\nF\nF\nF\nM\nM\nM", 3);
    assert!(assessment.findings.is_empty(), "{:?}", assessment.findings);
    assert_eq!((assessment.k, assessment.uniques, assessment.below_k), (3, 0, 0));
}

#[test]
fn no_records_give_no_findings_and_no_division_by_zero() {
    let assessment = assessed("sex age", 3);
    assert_eq!((assessment.records, assessment.cells, assessment.k), (0, 0, 0));
    assert!(assessment.findings.is_empty() && assessment.prosecutor.is_none());
}

#[test]
fn class_size_bands_hold_every_record_once() {
    let assessment = assessed(TEN, 3);
    assert_eq!(assessment.class_sizes.iter().map(|band| band.records).sum::<u64>(), 10);
    assert_eq!(assessment.class_sizes.iter().map(|band| band.cells).sum::<u64>(), assessment.cells);
    assert_eq!(assessment.class_sizes[0].records, assessment.uniques);
}

#[test]
fn a_table_of_two_keys_that_singles_out_is_not_said_to_break_the_policy() {
    // On three keys the first two match by sex and age, the last three by sex and area; on sex and area the first has no match.
    let text = "sex age area\nF 30 North\nF 30 -\nF - South\nF 40 South\nF 40 -";
    let found = assessed_with(text, 2, Missing::Wildcard);
    assert_eq!((found.k, found.uniques, found.severity()), (2, 0, Some(Severity::High)), "{:?}", found.tables);
    let verdict = report(&found).verdict;
    assert_eq!(verdict.headline, "Do not release as it is: see the findings (5 alone on the keys without wildcards)");
    assert_eq!(
        verdict.detail,
        "Every record matches at least one other on all keys. A missing value counts as a match unless the other record lacks half \
         of the keys or more. The findings below are about other risks."
    );
}

#[test]
fn under_wildcards_a_record_without_a_match_is_not_said_to_have_a_combination_of_its_own() {
    // The man of 30 without a job matches nobody: the only other man is 40.
    let text = "sex age job\nF 30 nurse\nF 30 nurse\nM 30 -\nM 40 smith";
    let exact = report(&assessed(text, 2)).verdict;
    assert!(
        exact
            .detail
            .starts_with("50.0 % of the records have a combination of the 3 keys that nobody else in the file has.")
    );
    let wild = report(&assessed_with(text, 2, Missing::Wildcard)).verdict;
    assert!(
        wild.detail.starts_with("50.0 % of the records match no other record on the 3 keys. A missing value"),
        "{}",
        wild.detail
    );
    assert!(!wild.detail.contains("nobody else"));
}
