#![allow(clippy::unwrap_used)]
use super::*;

fn place(code: &str, area: &str, population: u64, at: Option<(f64, f64)>) -> Place {
    let at = at.map(|(easting, northing)| Point { easting, northing });
    Place { code: code.into(), area: area.into(), population, nation: None, at, row: 0 }
}

/// Codes with their people; the area is the letters in front, and the row counts up.
fn table(codes: &[(&str, u64)]) -> Population {
    let area = |code: &str| code.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let places = codes.iter().zip(1..);
    Population::new(places.map(|((code, n), row)| Place { row, ..place(code, &area(code), *n, None) }).collect())
        .unwrap()
}

fn on_a_line(codes: &[(&str, u64, f64)]) -> Population {
    Population::new(codes.iter().map(|(code, n, x)| place(code, "SM", *n, Some((*x, 0.0)))).collect()).unwrap()
}

fn published(pooling: &Pooling) -> Vec<(&str, &str, &str)> {
    pooling.assignments.iter().map(|c| (c.code.as_str(), c.published.as_str(), c.reason.name())).collect()
}

#[test]
fn the_us_rule_makes_one_pool_of_the_nation() {
    let pooling = pool(&table(&[("SM1", 30), ("SM2", 9), ("CR1", 9), ("CR2", 3)]), 20, Rule::Us).unwrap();
    assert_eq!(
        published(&pooling),
        [("CR1", "000", "pooled"), ("CR2", "000", "pooled"), ("SM1", "SM1", "kept"), ("SM2", "000", "pooled")]
    );
    assert_eq!((pooling.people_without_location(), pooling.people_withheld()), (21, 0));
}

#[test]
fn a_national_pool_under_the_threshold_is_withheld() {
    let pooling = pool(&table(&[("SM1", 30), ("SM2", 9)]), 20, Rule::Us).unwrap();
    assert_eq!(published(&pooling), [("SM1", "SM1", "kept"), ("SM2", "*", "withheld")]);
    assert_eq!((pooling.below_before(), pooling.below_after(), pooling.people_withheld()), (1, 1, 9));
}

#[test]
fn small_codes_of_an_area_share_area00_and_a_small_area00_has_no_location() {
    let codes = table(&[("SM1", 30), ("SM2", 11), ("SM3", 10), ("CR1", 40), ("CR2", 12), ("N1", 9), ("N2", 20)]);
    let pooling = pool(&codes, 20, Rule::Uk).unwrap();
    let pools: Vec<_> = pooling.pools().map(|g| (g.code.as_str(), g.published.as_str(), g.population)).collect();
    assert_eq!(pools, [("CR00", "*", 12), ("N00", "*", 9), ("SM00", "SM00", 21)]);
    assert_eq!((pooling.final_codes(), pooling.below_before(), pooling.below_after()), (6, 4, 2));
    assert_eq!((pooling.people_without_location(), pooling.people_withheld()), (21, 0));
    assert_eq!(pooling.published()["*"], 21);
}

#[test]
fn a_small_area00_joins_the_smallest_code_without_coordinates_and_the_nearest_with() {
    let without = table(&[("SM1", 30), ("SM2", 25), ("SM3", 10)]);
    let pooling = pool(&without, 20, Rule::UkResidual).unwrap();
    assert_eq!(published(&pooling), [("SM1", "SM1", "kept"), ("SM2", "SM2", "kept"), ("SM3", "SM2", "residual")]);
    assert_eq!(pooling.pools().map(|g| (g.code.as_str(), g.population)).collect::<Vec<_>>(), [("SM2", 35)]);
    let with = on_a_line(&[("SM1", 30, 4.0), ("SM2", 25, 9.0), ("SM3", 10, 5.0)]);
    assert_eq!(pool(&with, 20, Rule::UkResidual).unwrap().assignments[2].published, "SM1");
}

#[test]
fn areas_under_the_threshold_as_a_whole_lose_their_location_together() {
    let codes = table(&[("TD1", 6), ("TD2", 5), ("ZE1", 12), ("SM1", 30)]);
    for rule in [Rule::UkResidual, Rule::Neighbour] {
        let pooling = pool(&codes, 20, rule).unwrap();
        assert_eq!(pooling.published(), BTreeMap::from([("*", 23), ("SM1", 30)]));
        assert!(pooling.assignments.iter().all(|c| (c.reason == Reason::NoLocation) == (c.code != "SM1")));
        let alone = pool(&table(&[("TD1", 6), ("SM1", 30)]), 20, rule).unwrap();
        assert_eq!(published(&alone), [("SM1", "SM1", "kept"), ("TD1", "*", "withheld")]);
    }
}

#[test]
fn neighbours_join_until_the_threshold_holds_and_large_codes_stay() {
    let codes = [("SM1", 12, 0.0), ("SM2", 9, 1.0), ("SM10", 15, 50.0), ("SM4", 6, 52.0), ("SM5", 40, 51.0)];
    let pooling = pool(&on_a_line(&codes), 20, Rule::Neighbour).unwrap();
    let groups: Vec<_> = pooling.groups.iter().map(|g| (g.code.as_str(), g.population)).collect();
    assert_eq!(groups, [("SM1+2", 21), ("SM4+10", 21), ("SM5", 40)]);
}

#[test]
fn a_leftover_joins_the_nearest_group_that_was_made_else_the_nearest_code() {
    let codes = [("SM1", 12, 0.0), ("SM2", 9, 1.0), ("SM3", 5, 49.0), ("SM5", 40, 50.0)];
    let pooling = pool(&on_a_line(&codes), 20, Rule::Neighbour).unwrap();
    assert_eq!(pooling.assignments[2].published, "SM1+2+3");
    assert_eq!(pooling.assignments[3].published, "SM5");
    let codes = [("SM3", 5, 49.0), ("SM5", 40, 50.0), ("SM6", 20, 40.0)];
    let pooling = pool(&on_a_line(&codes), 20, Rule::Neighbour).unwrap();
    assert_eq!(
        published(&pooling),
        [("SM3", "SM3+5", "neighbour"), ("SM5", "SM3+5", "neighbour"), ("SM6", "SM6", "kept")]
    );
}

#[test]
fn neighbours_without_coordinates_are_refused_with_the_rows_that_lack_them() {
    let error = pool(&table(&[("SM1", 30), ("SM2", 9), ("CR1", 40)]), 20, Rule::Neighbour).unwrap_err();
    assert_eq!(error.to_string(), "row 1: the coordinates are missing, and also in row 2");
    assert!(pool(&table(&[("SM1", 30), ("CR1", 40)]), 20, Rule::Neighbour).is_ok());
}

#[test]
fn a_code_with_the_name_of_its_pool_goes_into_it_and_one_of_another_area_is_refused() {
    let pooling = pool(&table(&[("SM00", 50), ("SM2", 9)]), 20, Rule::Uk).unwrap();
    assert_eq!(pooling.groups.len(), 1);
    assert_eq!((pooling.groups[0].code.as_str(), pooling.groups[0].population), ("SM00", 59));
    let foreign = Place { row: 7, ..place("SM00", "CR", 50, None) };
    let codes = Population::new(vec![foreign, place("SM1", "SM", 9, None), place("SM2", "SM", 15, None)]).unwrap();
    let error = pool(&codes, 20, Rule::Uk).unwrap_err();
    assert_eq!(error.to_string(), "row 7: the code has the name that a pool of other codes would get");
}

#[test]
fn a_threshold_of_nobody_and_an_unknown_rule_are_refused() {
    assert!(pool(&table(&[("SM1", 30)]), 0, Rule::Uk).is_err());
    assert_eq!("uk-residual".parse::<Rule>().unwrap(), Rule::UkResidual);
    let error = "neighbor".parse::<Rule>().unwrap_err();
    assert_eq!(error.help().unwrap(), "did you mean `neighbour`?");
}

#[test]
fn two_rules_on_the_same_people_give_a_small_code_away() {
    let codes = table(&[("SM1", 30), ("SM2", 25), ("SM3", 10), ("CR1", 30), ("CR2", 12)]);
    let uk = pool(&codes, 20, Rule::Uk).unwrap();
    let residual = pool(&codes, 20, Rule::UkResidual).unwrap();
    let given_away = differences(&uk, &residual).unwrap();
    let codes: Vec<_> = given_away.iter().map(|d| (d.codes.join(" "), d.population)).collect();
    assert_eq!(codes, [("CR2".to_owned(), 12), ("SM3".to_owned(), 10)]);
    assert_eq!((&given_away[1].first[..], &given_away[1].second[..]), (&["*".to_owned()][..], &["SM2".to_owned()][..]));
    assert!(differences(&uk, &uk).unwrap().is_empty());
}

#[test]
fn two_thresholds_on_the_same_people_give_a_small_code_away() {
    let codes = table(&[("SM1", 30), ("SM2", 16), ("SM3", 5), ("CR1", 30), ("CR2", 12)]);
    let strict = pool(&codes, 20, Rule::Uk).unwrap();
    let lax = pool(&codes, 15, Rule::Uk).unwrap();
    let codes: Vec<_> = differences(&strict, &lax).unwrap().into_iter().map(|d| d.codes.join(" ")).collect();
    // SM00 less SM2 is SM3; `*` of the lax release less SM3 is CR2, which the strict one withholds.
    assert_eq!(codes, ["CR2", "SM3"]);
}

#[test]
fn sums_around_a_cycle_give_no_single_cell_away() {
    let ways = |published: [&str; 4]| {
        let assignments = ["A", "B", "C", "D"].iter().zip(published);
        Pooling {
            rule: Rule::Uk,
            threshold: 20,
            population_table: String::new(),
            groups: Vec::new(),
            assignments: assignments
                .map(|(code, published)| Assignment {
                    code: (*code).into(),
                    population: 10,
                    published: published.into(),
                    reason: Reason::Pooled,
                })
                .collect(),
        }
    };
    let (rows, columns) = (ways(["AB", "AB", "CD", "CD"]), ways(["AC", "BD", "AC", "BD"]));
    assert!(differences(&rows, &columns).unwrap().is_empty());
    let path = ways(["AC", "B", "AC", "D"]);
    let told = differences(&rows, &path).unwrap();
    assert_eq!(told.iter().map(|d| d.codes.join("")).collect::<Vec<_>>(), ["A", "C"]);
}
