//! Weights, amounts and conditions: what each record brings into a table, and that nothing else does.

use outward_tables::CountedTable;
use proptest::prelude::*;

use outward_fixtures::tables::{cell, made, refused};

const SPEC: &str = r#"
[data]
path = "people.csv"
[[linked]]
name = "visits"
data = { path = "visits.csv" }
on = ["id"]
[[variables]]
name = "job"
[[variables]]
name = "pay"
type = "number"
[[variables]]
name = "w"
role = "weight"
[[variables]]
name = "reason"
columns = ["r1", "r2"]
from = ["visits"]
"#;

const PEOPLE: &str = "id,job,pay,w,town\n1,baker,3,1.5,A\n2,baker,,2,A\n3,baker,4,0.25,B\n4,smith,5,1.125,B\n";
const VISITS: &str = "id,r1,r2,town\n1,ache,cough,B\n1,cough,,B\n3,cough,ache,A\n4,,,B\n";

fn with(tables: &str) -> String {
    format!("{SPEC}{tables}")
}

fn pay(measure: &str, weighted: bool) -> CountedTable {
    let table = format!("[[tables]]\nname = \"pay\"\nvariables = [\"job\"]\nmeasure = \"{measure}\"\nof = \"pay\"\n");
    made(&with(&format!("{table}weighted = {weighted}\n")), &[PEOPLE, VISITS]).remove(0)
}

#[test]
fn a_mean_is_over_those_who_have_an_amount_each_by_its_weight() {
    let CountedTable { table, .. } = pay("mean", true);
    let of = table.magnitudes.as_ref().unwrap();
    let bakers = cell(&table, &["baker"]);
    // 3 × 1.5 + 4 × 0.25 over 1.5 + 0.25; who has no pay is counted and weighs nothing here.
    assert_eq!((of.sums[bakers] as f64 / of.scale as f64, of.known[bakers]), (5.5, 1750));
    assert_eq!((table.counts[bakers], table.weighted.as_ref().unwrap()[bakers]), (3, 3750));
    let CountedTable { table, .. } = pay("mean", false);
    let of = table.magnitudes.as_ref().unwrap();
    assert_eq!((of.sums[bakers], of.known[bakers], of.contributors[bakers]), (7, 2000, 2));
}

#[test]
fn a_weight_with_decimals_does_not_pull_a_sum_down() {
    let CountedTable { table, .. } = pay("sum", true);
    let of = table.magnitudes.as_ref().unwrap();
    let total = cell(&table, &["Total"]);
    assert_eq!(of.sums[total] as f64 / of.scale as f64, 3.0 * 1.5 + 4.0 * 0.25 + 5.0 * 1.125);
    assert_eq!(of.scale, 1000);
}

#[test]
fn a_weight_that_is_missing_or_negative_is_refused() {
    let weighted = with("[[tables]]\nname = \"jobs\"\nvariables = [\"job\"]\nweighted = true\n");
    for weight in ["", "-2"] {
        let said = refused(&weighted, &[&PEOPLE.replace(",2,A", &format!(",{weight},A")), VISITS]);
        assert!(said.starts_with("people.csv, column `w`: table `jobs`: a weight is missing, negative"), "{said}");
    }
}

#[test]
fn the_same_condition_on_two_units_counts_the_records_of_each() {
    let table = |name: &str, unit: &str| {
        format!("[[tables]]\nname = \"{name}\"\nvariables = [\"job\"]\nwhere = \"town = 'A'\"\n{unit}\n")
    };
    let made = made(&with(&(table("people", "") + &table("visits", "unit = \"visits\""))), &[PEOPLE, VISITS]);
    // Two people live in A, both bakers; one visit was made in A, by another baker.
    let counts: Vec<&[u64]> = made.iter().map(|made| &made.table.counts[..]).collect();
    assert_eq!(counts, [[2, 0, 2], [1, 0, 1]]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_in_which_records_are_read_is_not_seen(
        people in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        visits in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let shuffled = |file: &str, order: &[usize]| {
            let lines: Vec<&str> = file.lines().collect();
            let rows = order.iter().map(|at| lines[at + 1]);
            std::iter::once(lines[0]).chain(rows).collect::<Vec<_>>().join("\n")
        };
        let spec = with(
            "[[tables]]\nname = \"pay\"\nvariables = [\"job\"]\nmeasure = \"sum\"\nof = \"pay\"\nweighted = true\n\
             [[tables]]\nname = \"reasons\"\nvariables = [\"reason\", \"job\"]\n\
             [[tables]]\nname = \"pairs\"\nvariables = [\"reason\"]\nunit = \"visits\"\npairs = \"reason\"\ntop = 1\n",
        );
        let mut one = made(&spec, &[PEOPLE, VISITS]);
        let mut other = made(&spec, &[&shuffled(PEOPLE, &people), &shuffled(VISITS, &visits)]);
        for (one, other) in one.iter_mut().zip(&mut other) {
            prop_assert_eq!(&one.table, &other.table);
            // Where a record stands tells two tables that they count the same one, and nobody else anything.
            for inner in [&mut one.inner, &mut other.inner] {
                inner.tallies.iter_mut().for_each(|tally| tally.one = 0);
                inner.contributions.iter_mut().for_each(|given| given.contributor = 0);
                inner.contributions.sort_unstable_by_key(|given| (given.cell, given.amount));
            }
            prop_assert_eq!(&one.inner, &other.inner);
        }
    }
}
