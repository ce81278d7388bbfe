//! Birthdays: the figures of Gibbon and Aisbett, planted populations, and a real age–sex table.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use outward_risk::birthdays::{
    AgeCurve, AgeSexRow, AgeSexTable, Band, BirthDate, Calendar, CountRule, DatedCell, Distribution, KnownDetails, Law,
    OpenBand, Profile, Resolution, compare, confidence_table, expected_unique, largest_place, locality, match_files,
    overlap, sharing_probability, size_curve, smallest_place, variance_of_unique,
};

fn unique(curve: AgeCurve, people: u64) -> f64 {
    locality(&Profile::generic(curve).place(people).unwrap(), &KnownDetails::default(), 1).unwrap().overall.unique
}

#[test]
fn the_laws_mean_and_variance_are_those_of_the_closed_form_for_large_groups() {
    for people in [1_000, 10_000, 100_000, 1_000_000] {
        let law = Distribution::exact(people, 365).unwrap();
        let (mean, variance) = (expected_unique(people as f64, 365.0), variance_of_unique(people as f64, 365.0));
        assert!((law.mean() - mean).abs() <= 1e-10 * mean + law.dropped * 365.0, "{people}");
        assert!((law.variance() - variance).abs() <= 1e-8 * variance + law.dropped * 365.0 * 365.0, "{people}");
        assert!(law.dropped < 1e-20 && law.rounding < 2e-11, "{people}: {} {}", law.dropped, law.rounding);
    }
}

#[test]
fn the_printed_law_misses_the_mean() {
    // The paper states that the mean of (2) is N times (1); for the exact law it is, for the printed one it is not.
    let expected = expected_unique(972.0, 365.0);
    assert!((expected - 67.7).abs() < 0.1, "{expected}");
    assert!((Distribution::exact(972, 365).unwrap().mean() - expected).abs() < 1e-9);
    let printed = Distribution::printed(972, 365).unwrap().mean();
    assert!((52.0..54.0).contains(&printed), "{printed}");
}

#[test]
fn the_printed_law_holds_where_few_share() {
    // With one pair at most there is nothing to spread, so small groups have the same law.
    let (exact, printed) = (Distribution::exact(14, 365).unwrap(), Distribution::printed(14, 365).unwrap());
    let close = exact.probabilities.iter().zip(&printed.probabilities).all(|(a, b)| (a - b).abs() < 2e-3);
    assert!(close && (exact.probabilities[14] - printed.probabilities[14]).abs() < 1e-14);
}

#[test]
fn places_of_4000_and_half_a_million_are_the_papers_95_and_a_tenth_of_a_per_cent() {
    assert!((unique(AgeCurve::Even, 4_000) - 0.95).abs() < 0.005);
    assert!((unique(AgeCurve::Even, 500_000) - 0.001).abs() < 0.0001);
    assert!((unique(AgeCurve::Ageing, 4_000) - 0.95).abs() < 0.02);
}

#[test]
fn the_papers_22_000_is_its_cell_of_1100_times_20_and_not_times_200() {
    // A cell of 1,100 is 5 %: at 200 cells that is a place of 220,000, as 20 in a cell is one of 4,000.
    assert!((unique(AgeCurve::Even, 220_000) - 0.05).abs() < 0.002);
    assert!((unique(AgeCurve::Even, 22_000) - 0.74).abs() < 0.005);
    // 22,000 people make cells of 1,100 if ages are known in ten-year bands and the birthday without its year: 20 cells.
    let cells: Vec<(u32, &str)> = (0..10).flat_map(|age| [(age, "f"), (age, "m")]).collect();
    let rows =
        cells.iter().map(|(age, sex)| AgeSexRow { place: "a", sex, age: *age, band: Band::Years(1), people: 1_100.0 });
    let table = AgeSexTable::from_rows(rows, OpenBand::OneYear).unwrap();
    assert_eq!(table.people(), 22_000.0);
    assert!((locality(&table, &KnownDetails::default(), 1).unwrap().overall.unique - 0.05).abs() < 0.002);
}

#[test]
fn cells_of_one_per_cent_bound_the_papers_worked_sizes() {
    let day = Calendar::default();
    for (people, share) in [(200, 0.58), (80, 0.80), (30, 0.92)] {
        assert!((sharing_probability(people, 1, &day).unwrap() - share).abs() < 0.006, "{people}");
    }
}

#[test]
fn half_the_population_in_the_second_file_discards_seven_to_eight_per_cent_at_4000() {
    let place = Profile::generic(AgeCurve::Even).place(4_000).unwrap();
    let found = overlap(&place, 0.5, &KnownDetails::default()).unwrap().overall;
    assert!((0.07..0.08).contains(&found.uncertain_candidates), "{}", found.uncertain_candidates);
    assert!((found.discarded - 0.0508).abs() < 0.0002, "{}", found.discarded);
    // The other way of counting reaches the paper's figure with ages that are not even.
    let ageing = Profile::generic(AgeCurve::Ageing).place(4_000).unwrap();
    let found = overlap(&ageing, 0.5, &KnownDetails::default()).unwrap().overall;
    assert!((0.06..0.08).contains(&found.discarded), "{}", found.discarded);
}

#[test]
fn the_old_stay_unique_in_places_where_the_young_no_longer_are() {
    let place = Profile::generic(AgeCurve::Ageing).place(8_000).unwrap();
    let share = |table: &AgeSexTable| locality(table, &KnownDetails::default(), 1).unwrap().overall.unique;
    let (all, over_60) = (share(&place), share(&place.ages(60, None).unwrap()));
    assert!(over_60 > 0.93 && over_60 > all + 0.04, "{over_60} {all}");
}

#[test]
fn the_inverse_finds_the_anchors_again() {
    let profile = Profile::generic(AgeCurve::Even);
    let known = KnownDetails::default();
    let largest = largest_place(&profile, 0.95, &known).unwrap().unwrap().people;
    assert!((3_900..4_000).contains(&largest), "{largest}");
    let smallest = smallest_place(&profile, 0.001, &known).unwrap().unwrap().people;
    assert!((500_000..510_000).contains(&smallest), "{smallest}");
    // By month only, a twelfth of the slots in a year: about a thirtieth of the people.
    let month = largest_place(&profile, 0.95, &known.at(Resolution::Month)).unwrap().unwrap().people;
    assert!(month < 400, "{month}");
}

#[test]
fn leap_days_and_seasons_hardly_matter() {
    let place = Profile::generic(AgeCurve::Even).place(4_000).unwrap();
    let share = |calendar: Calendar| {
        locality(&place, &KnownDetails { calendar, ..KnownDetails::default() }, 1).unwrap().overall.unique
    };
    let plain = share(Calendar::default());
    let leap = share(Calendar::default().leap_days().unwrap());
    let season = share(Calendar::default().seasonal(0.07, 258).unwrap());
    let strong = share(Calendar::default().seasonal(0.5, 258).unwrap());
    assert!(leap > plain && leap - plain < 1e-4, "{leap} {plain}");
    assert!(season < plain && plain - season < 2e-4, "{season}");
    assert!((0.004..0.008).contains(&(plain - strong)), "{strong}");
}

#[test]
fn the_predicted_lines_fall_for_the_unique_and_rise_then_fall_for_pairs() {
    let sizes = [1_000, 10_000, 100_000, 1_000_000];
    let curve = size_curve(&Profile::generic(AgeCurve::Even), &sizes, &KnownDetails::default(), 4).unwrap();
    assert!(curve.windows(2).all(|pair| pair[0].unique > pair[1].unique));
    assert!(curve[1].shared_by[1] > curve[0].shared_by[1] && curve[3].shared_by[1] < curve[2].shared_by[1]);
}

#[test]
fn a_group_that_reaches_a_level_reaches_it_rounded_too() {
    let table = confidence_table(&[0.5], &[0.8], 52, Law::Exact, CountRule::Up).unwrap();
    assert_eq!(table.cells.len(), 1);
    assert!(
        table.cells[0].largest >= table.cells[0].unbroken && table.cells[0].largest_rounded >= table.cells[0].largest
    );
}

/// SplitMix64 (Steele, Lea and Flood 2014): enough for a planted population.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// One of 365 equally likely days of the year.
    fn birthday(&mut self, year: i32) -> BirthDate {
        loop {
            let (month, day) = (self.below(12) as u8 + 1, self.below(31) as u8 + 1);
            if BirthDate::new(1901, month, day).is_ok() {
                return BirthDate::new(year, month, day).unwrap();
            }
        }
    }
}

type Planted = BTreeMap<(String, &'static str, BirthDate), u64>;

fn cells(planted: &Planted) -> Vec<DatedCell<'_>> {
    planted.iter().map(|((place, sex, born), people)| DatedCell { place, sex, born: *born, people: *people }).collect()
}

/// Places of 400 to 10,000 people born on random days of 1901 to 2000, leap days left out; and a random half of them.
fn planted(seed: u64) -> (Planted, Planted) {
    let mut random = Random(seed);
    let (mut all, mut half) = (Planted::new(), Planted::new());
    for place in 1..=25_u64 {
        for _ in 0..400 * place {
            let year = 1901 + random.below(100) as i32;
            let born = random.birthday(year);
            let key = (format!("place {place:02}"), if random.below(2) == 0 { "f" } else { "m" }, born);
            if random.below(2) == 0 {
                *half.entry(key.clone()).or_default() += 1;
            }
            *all.entry(key).or_default() += 1;
        }
    }
    (all, half)
}

#[test]
fn the_prediction_holds_in_a_planted_population() {
    let (all, half) = planted(4);
    let (all, half) = (cells(&all), cells(&half));
    let found = compare(&all, &KnownDetails::default()).unwrap();
    let overall = &found.overall;
    assert!((overall.actual.unique - overall.predicted.unique).abs() < 3.0 * overall.standard_error);
    for (actual, predicted) in overall.actual.shared_by.iter().zip(&overall.predicted.shared_by) {
        assert!((actual - predicted).abs() < 0.003, "{actual} {predicted}");
    }
    let off = |at: &&outward_risk::birthdays::PlacePrediction| {
        (at.actual.unique - at.predicted.unique).abs() > 2.0 * at.standard_error
    };
    let off = found.places.iter().filter(off).count();
    assert!(off <= 5, "{off} of 25 places are two standard errors away");
    assert!(found.correlation.unwrap() > 0.98 && found.mean_absolute_difference < 0.01);
    assert!((4..=21).contains(&found.below) && found.far_below.len() <= 1);

    let matched = match_files(&all, &half, &KnownDetails::default()).unwrap();
    let overall = &matched.overall;
    let (actual, predicted) = (overall.unique_matches as f64, overall.predicted_unique_matches);
    assert!((actual / predicted - 1.0).abs() < 0.005, "{actual} {predicted}");
    assert_eq!(overall.unmatched, 0);
    assert_eq!(overall.unique_matches + overall.ambiguous, overall.second);
}

#[test]
fn the_overlap_foretells_a_planted_half() {
    let (all, half) = planted(11);
    let matched = match_files(&cells(&all), &cells(&half), &KnownDetails::default()).unwrap();
    let mut margins: BTreeMap<(String, &str, i32), f64> = BTreeMap::new();
    for ((place, sex, born), people) in &all {
        *margins.entry((place.clone(), sex, born.year())).or_default() += *people as f64;
    }
    let rows = margins.iter().map(|((place, sex, year), people)| AgeSexRow {
        place,
        sex,
        age: (2000 - year) as u32,
        band: Band::Years(1),
        people: *people,
    });
    let table = AgeSexTable::from_rows(rows, OpenBand::OneYear).unwrap();
    let found = overlap(&table, 0.5, &KnownDetails::default()).unwrap().overall;
    let second = matched.overall.second as f64;
    assert!((matched.overall.ambiguous as f64 / second - found.discarded).abs() < 0.005);
    assert!((matched.overall.falsely_alone as f64 / second - found.falsely_alone).abs() < 0.005);
    let candidates: u64 =
        all.iter().filter(|(key, people)| **people > 1 && half.contains_key(*key)).map(|(_, n)| n).sum();
    assert!((candidates as f64 / second - found.uncertain_candidates).abs() < 0.005);
}

/// The long rows of a wide table: place, total, sex, then a column for each age of which the last is open.
fn long_rows(text: &str) -> Vec<AgeSexRow<'_>> {
    let mut lines = text.lines().map(|line| line.split(',').map(|field| field.trim_matches('"')).collect::<Vec<_>>());
    let ages: Vec<u32> =
        lines.next().unwrap()[3..].iter().map(|age| age.trim_end_matches('+').parse().unwrap()).collect();
    let mut rows = Vec::new();
    // Rows for both sexes would count everybody twice; a zone that nobody lives in is refused.
    for line in lines.filter(|line| line[2] != "All" && line[1] != "0") {
        rows.extend(ages.iter().zip(&line[3..]).map(|(age, people)| AgeSexRow {
            place: line[0],
            sex: line[2],
            age: *age,
            band: if Some(age) == ages.last() { Band::Open } else { Band::Years(1) },
            people: people.parse().unwrap(),
        }));
    }
    rows
}

mod real_data {
    use super::*;

    /// The age–sex table of Scotland's data zones.
    fn data_zones() -> String {
        outward_testing::real_data::text("population20_dz11.csv.gz")
    }

    #[test]
    fn a_real_age_sex_table_gives_shares_per_place_and_overall() {
        let text = data_zones();
        let rows = long_rows(&text);
        let table = AgeSexTable::from_rows(rows.clone(), OpenBand::default()).unwrap();
        assert!(table.places().count() > 6_000 && table.people() > 5e6);
        let found = locality(&table, &KnownDetails::default(), 4).unwrap();
        // Data zones hold about 800 people, four to a cell: nearly all are alone with date of birth and sex.
        assert!((found.overall.unique - 0.981).abs() < 0.001);
        assert!(found.places.iter().all(|place| (0.0..=1.0).contains(&place.unique)));
        let one_year = AgeSexTable::from_rows(rows, OpenBand::OneYear).unwrap();
        let one_year = locality(&one_year, &KnownDetails::default(), 1).unwrap().overall.unique;
        assert!(one_year < found.overall.unique && found.overall.unique - one_year < 0.001);
        let curve =
            size_curve(&Profile::from_table(&table), &[4_000, 22_000, 500_000], &KnownDetails::default(), 1).unwrap();
        for (place, expected) in curve.iter().zip([0.940, 0.704, 0.0071]) {
            assert!((place.unique - expected).abs() < 0.001, "{place:?}");
        }
        let months = locality(&table, &KnownDetails::default().at(Resolution::Month), 1).unwrap().overall.unique;
        assert!((0.5..0.9).contains(&months), "{months}");
    }

    #[test]
    fn people_born_on_random_days_into_real_places_are_alone_as_often_as_predicted() {
        let text = data_zones();
        let mut random = Random(2020);
        let mut people = Planted::new();
        for row in long_rows(&text).into_iter().take(200 * 182) {
            for _ in 0..row.people as u64 {
                let sex = if row.sex == "Female" { "f" } else { "m" };
                *people.entry((row.place.to_owned(), sex, random.birthday(2020 - row.age as i32))).or_default() += 1;
            }
        }
        let found = compare(&cells(&people), &KnownDetails::default()).unwrap();
        assert_eq!(found.places.len(), 200);
        let overall = &found.overall;
        assert!((overall.actual.unique - overall.predicted.unique).abs() < 3.0 * overall.standard_error, "{overall:?}");
        assert!(found.far_below.len() <= 3, "{}", found.far_below.len());
        assert!((60..=140).contains(&found.below), "{}", found.below);
    }
}
