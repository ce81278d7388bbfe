//! The figures of Collins, *US Style Postcode Privacy in the UK*, beside ours from the tables at hand. The same figures
//! for ten codes are worked out by hand.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "collins/real_data.rs"]
mod real_data;

use outward_places::{NATIONAL_POOL, Place, Pooling, Population, Rule, costs, differences, pool, rescued_by};

/// Ten codes of four areas. Under 20,000 are one of Sutton, two of Croydon, which stay under it together, and two of Leeds.
fn ten() -> Population {
    let codes = [
        ("SM1", "SM", 30_000),
        ("SM2", "SM", 25_000),
        ("SM7", "SM", 18_559),
        ("CR0", "CR", 50_000),
        ("CR1", "CR", 6_000),
        ("CR9", "CR", 4_220),
        ("LS1", "LS", 12_000),
        ("LS2", "LS", 15_000),
        ("LS3", "LS", 40_000),
        ("YO1", "YO", 60_000),
    ];
    let place = |((code, area, population), row): ((&str, &str, u64), u64)| {
        let (code, area) = (code.to_owned(), area.to_owned());
        Place { code, area, population, nation: None, at: None, row }
    };
    Population::new(codes.into_iter().zip(1..).map(place).collect()).unwrap()
}

fn left(pooling: &Pooling) -> Vec<(&str, u64)> {
    pooling.left().map(|group| (group.code.as_str(), group.population)).collect()
}

#[test]
fn ten_codes_have_26_078_people_on_average_and_five_are_under_20_000() {
    let codes = ten();
    assert_eq!((codes.len(), codes.people(), codes.mean().round()), (10, 260_779, 26_078.0));
    // Between the 18,559 of SM7 and the 25,000 of SM2.
    assert_eq!((codes.median(), codes.largest(), codes.below(20_000).count()), (21_779.5, 60_000, 5));
}

#[test]
fn of_three_pools_by_area_two_are_left_under_the_threshold() {
    let codes = ten();
    let pooling = pool(&codes, 20_000, Rule::Uk).unwrap();
    assert_eq!(left(&pooling), [("CR00", 10_220), ("SM00", 18_559)]);
    assert_eq!((pooling.below_before(), pooling.below_after()), (5, 2));
    assert_eq!(pooling.people_without_location(), 28_779);
    // LS00 has 27,000: more than a threshold, less than the largest code.
    assert_eq!(pooling.published()["LS00"], 27_000);
    assert_eq!(pooling.pools().filter(|group| group.population > codes.largest()).count(), 0);
}

#[test]
fn a_single_national_pool_of_the_ten_holds_the_five_small_ones() {
    let pooling = pool(&ten(), 20_000, Rule::Us).unwrap();
    assert_eq!(pooling.published()[NATIONAL_POOL], 4_220 + 6_000 + 12_000 + 15_000 + 18_559);
    let rules = costs(&ten(), 20_000, &[Rule::Us, Rule::Uk, Rule::UkResidual]).unwrap();
    let without: Vec<u64> = rules.iter().map(|cost| cost.people_without_location).collect();
    assert_eq!(without, [55_779, 28_779, 0]);
}

#[test]
fn a_threshold_of_15_000_rescues_sutton_and_loses_leeds() {
    // LS2 then stands for itself, and LS1 is alone in its pool.
    let rescue = rescued_by(&ten(), 20_000, 15_000).unwrap();
    assert_eq!((rescue.left.len(), rescue.rescued.len()), (2, 1));
    assert_eq!(rescue.fallen, [("LS00".to_owned(), 12_000)]);
    assert_eq!(rescue.left_anew.iter().map(|(_, people)| people).sum::<u64>(), 10_220 + 12_000);
}

#[test]
fn publishing_both_steps_gives_away_the_two_pools_that_were_left() {
    let step = |rule| pool(&ten(), 20_000, rule).unwrap();
    let told = differences(&step(Rule::Uk), &step(Rule::UkResidual)).unwrap();
    let told: Vec<(String, u64)> = told.iter().map(|d| (d.codes.join(" "), d.population)).collect();
    assert_eq!(told, [("CR1 CR9".to_owned(), 10_220), ("SM7".to_owned(), 18_559)]);
    assert!(differences(&step(Rule::Us), &step(Rule::Uk)).unwrap().is_empty());
}
