//! Both on the tables of the censuses: UK outward codes with residents of 2011, and the ZIP codes of the US with those of 2010.

use std::collections::BTreeSet;

use outward_places::{
    Cost, Mapping, NATIONAL_POOL, Place, Point, Population, Rule, costs, differences, pool, rescued_by, sweep,
};
use outward_testing::real_data::text;

use super::left;

const THRESHOLD: u64 = 20_000;

/// The fields of a line; commas inside quotes do not part them.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// Outward codes with residents that satisfy a condition on the nation and on English postcodes in a code at the border.
fn outward_codes(which: impl Fn(&str, bool) -> bool) -> Population {
    let text = text("outward_codes_uk_2011pop.csv.gz");
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap());
    let column = |name: &str| header.iter().position(|field| field == name).expect("a column");
    let [code, area, nation, easting, northing, people, border] =
        ["outward", "area", "nation", "easting", "northing", "population_2011", "ew_postcodes_in_border_code"]
            .map(column);
    let places = lines.zip(1..).filter_map(|(line, row)| {
        let of = fields(line);
        let population = of[people].parse().ok()?;
        let at = Some(Point { easting: of[easting].parse().ok()?, northing: of[northing].parse().ok()? });
        which(&of[nation], !of[border].is_empty()).then(|| Place {
            code: of[code].clone(),
            area: of[area].clone(),
            population,
            nation: Some(of[nation].clone()),
            at,
            row,
        })
    });
    Population::new(places.collect()).unwrap()
}

fn england_and_wales() -> Population {
    outward_codes(|nation, _| ["England", "Wales"].contains(&nation))
}

fn with_border_codes() -> Population {
    outward_codes(|nation, border| ["England", "Wales"].contains(&nation) || border)
}

fn whole_uk() -> Population {
    outward_codes(|_, _| true)
}

// Paper: 24,000.
#[test]
fn an_outward_code_of_england_and_wales_has_24_466_people_on_average() {
    let codes = england_and_wales();
    assert_eq!((codes.len(), codes.people(), codes.mean().round()), (2_292, 56_075_515, 24_466.0));
    assert_eq!((codes.median(), codes.largest()), (22_371.5, 153_812));
    assert_eq!(codes.by_nation().len(), 2);
}

// Paper: 1,010. The four border codes are Scottish with a few English postcodes; one code stays unexplained.
#[test]
fn codes_under_20_000_are_1_005_or_1_009_with_the_border_codes() {
    let (codes, border) = (england_and_wales(), with_border_codes());
    assert_eq!(codes.below(THRESHOLD).count(), 1_005);
    assert_eq!(border.below(THRESHOLD).count(), 1_009);
    let of = |p: &Population| p.places().iter().map(|place| place.code.clone()).collect::<BTreeSet<_>>();
    let added: Vec<_> = of(&border).difference(&of(&codes)).cloned().collect();
    assert_eq!(added, ["DG16", "TD12", "TD5", "TD9"]);
}

// Paper, Table 1: twelve. Nine are equal; SM00 is printed as 18,599; TD00 as 18,331 and DG00 as 65, see below.
#[test]
fn of_the_twelve_pools_of_table_1_nine_are_equal() {
    let codes = england_and_wales();
    let pooling = pool(&codes, THRESHOLD, Rule::Uk).unwrap();
    let paper = [
        ("CR00", 10_220),
        ("DG00", 65),
        ("DH00", 19_570),
        ("EN00", 17_203),
        ("HG00", 18_374),
        ("PR00", 15_387),
        ("SL00", 17_531),
        ("SM00", 18_599),
        ("SR00", 5_336),
        ("TD00", 18_331),
        ("UB00", 14_338),
        ("WN00", 19_742),
    ];
    let ours = left(&pooling);
    let equal = paper.iter().filter(|pool| ours.contains(pool)).count();
    assert_eq!((ours.len(), equal), (11, 9));
    let other: Vec<_> = ours.into_iter().filter(|pool| !paper.contains(pool)).collect();
    assert_eq!(other, [("SM00", 18_559), ("TD00", 18_083)]);
}

// One code, SM7, makes up SM00: two digits of 18,559 are printed the other way.
#[test]
fn sm00_is_the_one_code_sm7_of_18_559() {
    let codes = england_and_wales();
    let small: Vec<_> = codes.below(THRESHOLD).filter(|place| place.area == "SM").collect();
    assert_eq!(
        small.iter().map(|place| (place.code.as_str(), place.population)).collect::<Vec<_>>(),
        [("SM7", 18_559)]
    );
}

// The paper's headcounts were of England and Wales, by full postcode, so a code across the border appears in it with its
// English postcodes alone. The table has whole codes, and says how many of a code's postcodes are English: people shared
// out by them come near to what the paper prints (TD00 18,331, DG00 65). No code of DG is English as a whole.
#[test]
fn td00_and_dg00_of_the_paper_are_the_english_sides_of_scottish_areas() {
    let (codes, uk) = (england_and_wales(), whole_uk());
    let of = |p: &Population, area: &str| {
        p.places().iter().filter(|place| place.area == area).map(|place| place.population).collect::<Vec<_>>()
    };
    assert_eq!((of(&codes, "TD"), of(&codes, "DG")), (vec![18_083], Vec::new()));
    for (area, people) in [("TD", 112_644), ("DG", 151_139)] {
        assert_eq!(of(&uk, area).iter().sum::<u64>(), people);
    }
    let english = |code: &str, postcodes: f64, all: f64| uk.place(code).unwrap().population as f64 * postcodes / all;
    let td = english("TD15", 687.0, 731.0)
        + english("TD12", 97.0, 270.0)
        + english("TD9", 7.0, 871.0)
        + english("TD5", 1.0, 531.0);
    assert_eq!((td.round(), english("DG16", 5.0, 159.0).round()), (18_678.0, 127.0));
}

// Paper: 0.31 % "of the UK population"; it is that of England and Wales.
#[test]
fn the_pools_left_hold_0_31_per_cent_of_people() {
    let codes = england_and_wales();
    let pooling = pool(&codes, THRESHOLD, Rule::Uk).unwrap();
    assert_eq!(pooling.people_without_location(), 174_343);
    assert_eq!((10_000.0 * 174_343.0 / codes.people() as f64).round(), 31.0);
}

// Paper: 25.
#[test]
fn pooled_codes_over_the_former_maximum_are_25() {
    let codes = england_and_wales();
    let pooling = pool(&codes, THRESHOLD, Rule::Uk).unwrap();
    assert_eq!(pooling.pools().filter(|group| group.population > codes.largest()).count(), 25);
}

// Paper: 8 of 12 within 25 %, "suggesting a different tolerance". Pooled anew at 15,000, seven other areas fall under.
#[test]
fn a_threshold_of_15_000_rescues_8_pools_and_loses_7_others() {
    let codes = england_and_wales();
    let rescue = rescued_by(&codes, THRESHOLD, 15_000).unwrap();
    assert_eq!((rescue.left.len(), rescue.rescued.len()), (11, 8));
    let names: Vec<_> = rescue.fallen.iter().map(|(code, people)| (code.as_str(), *people)).collect();
    let fallen = [("BB00", 14_602), ("E00", 12_691), ("N00", 7), ("NN00", 11_532)];
    let more = [("TW00", 14_117), ("WA00", 12_899), ("WF00", 12_296)];
    assert_eq!(names, [&fallen[..], &more[..]].concat());
    assert_eq!(rescue.left_anew.len(), 10);
    assert_eq!(rescue.left_anew.iter().map(|(_, people)| people).sum::<u64>(), 108_038);
}

// Paper: 10 million, 67 times the largest code.
#[test]
fn a_single_national_pool_would_hold_10_million_67_times_the_largest_code() {
    let codes = england_and_wales();
    let pooling = pool(&codes, THRESHOLD, Rule::Us).unwrap();
    let national = pooling.published()[NATIONAL_POOL];
    assert_eq!(national, 10_313_465);
    assert_eq!((national as f64 / codes.largest() as f64).round(), 67.0);
}

#[test]
fn the_whole_uk_has_2_814_codes_and_1_555_after_pooling_with_10_left() {
    let codes = whole_uk();
    assert_eq!((codes.len(), codes.mean().round()), (2_814, 22_443.0));
    let pooling = pool(&codes, THRESHOLD, Rule::Uk).unwrap();
    assert_eq!((pooling.below_before(), pooling.below_after(), pooling.final_codes()), (1_375, 10, 1_555));
    assert_eq!(pooling.people_without_location(), 156_260);
}

#[test]
fn neighbours_keep_more_location_than_area00_and_nobody_in_the_uk_is_without() {
    let codes = whole_uk();
    let rules = costs(&codes, THRESHOLD, &Rule::ALL).unwrap();
    let [us, uk, residual, neighbour] = &rules[..] else { unreachable!() };
    assert_eq!((us.people_without_location, us.final_codes), (12_558_928, 1_440));
    assert_eq!((residual.people_without_location, residual.below_after, residual.final_codes), (0, 0, 1_545));
    assert_eq!((neighbour.people_without_location, neighbour.below_after), (0, 0));
    assert_eq!((neighbour.people_without_own_district(), neighbour.final_codes), (12_886_507, 1_879));
    assert_eq!(residual.people_without_own_district(), 12_886_507);
    let mapping = Mapping::from(&pool(&codes, THRESHOLD, Rule::UkResidual).unwrap());
    assert!(mapping.entries().iter().any(|entry| entry.code == "EN10" && entry.published == "EN11"));
    assert_eq!(
        [us, uk, residual, neighbour].map(|cost| (1000.0 * cost.information_kept).round()),
        [820., 936., 936., 977.]
    );
    let metres = |cost: &Cost| cost.mean_distance.unwrap().round();
    assert_eq!((metres(uk), metres(residual), metres(neighbour)), (3_501.0, 3_505.0, 1_266.0));
    assert!(rules.iter().all(|cost| cost.smallest_group >= Some(THRESHOLD)));
}

#[test]
fn the_cost_of_the_threshold_begins_to_climb_at_17_000() {
    let codes = whole_uk();
    let thresholds: Vec<_> = (1..=50).map(|thousand| thousand * 1_000).collect();
    for rule in [Rule::Uk, Rule::UkResidual, Rule::Neighbour] {
        let sweep = sweep(&codes, &thresholds, rule).unwrap();
        assert_eq!(sweep.bend, Some(17_000));
        assert_eq!(sweep.recommend(THRESHOLD).unwrap().threshold, THRESHOLD);
    }
}

// The paper's two steps, published one after the other, undo each other.
#[test]
fn publishing_both_steps_of_the_paper_gives_away_every_pool_that_was_left() {
    let codes = whole_uk();
    let step = |rule| pool(&codes, THRESHOLD, rule).unwrap();
    let told = differences(&step(Rule::Uk), &step(Rule::UkResidual)).unwrap();
    assert_eq!(told.len(), 10);
    assert_eq!(told.iter().map(|d| d.population).sum::<u64>(), 156_260);
    assert!(told.iter().any(|d| d.codes == ["SR1"] && d.population == 5_336));
    assert!(differences(&step(Rule::Us), &step(Rule::Uk)).unwrap().is_empty());
}

/// ZIP codes with people in 2010, added up by their first three digits.
fn zip3() -> Population {
    let text = text("us_zip_2010pop.csv.gz");
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap());
    let people = header.iter().position(|field| field == "population").expect("a column");
    let places = lines.zip(1..).filter_map(|(line, row)| {
        let of = fields(line);
        let code = of[0].get(..3)?.to_owned();
        let population = of[people].parse().ok()?;
        Some(Place { code, area: "US".into(), population, nation: None, at: None, row })
    });
    Population::add_up(places.collect()).unwrap()
}

#[test]
fn restricted_zip3s_of_2010_are_18_of_which_12_are_on_the_list_of_2000() {
    let codes = zip3();
    assert_eq!((codes.len(), codes.people()), (894, 311_908_447));
    let now: BTreeSet<_> = codes.below(THRESHOLD).map(|place| place.code.as_str()).collect();
    // 45 CFR 164.514 guidance of the Department of Health and Human Services, from the Census of 2000.
    let list = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893";
    let then: BTreeSet<_> = list.split(' ').collect();
    assert_eq!(now.len(), 18);
    assert_eq!(now.intersection(&then).count(), 12);
    let new: Vec<_> = now.difference(&then).copied().collect();
    assert_eq!(new, ["202", "204", "205", "369", "753", "772"]);
    let gone: Vec<_> = then.difference(&now).map(|code| (*code, codes.place(code).unwrap().population)).collect();
    let over = [("063", 268_711), ("790", 225_016), ("830", 20_661), ("831", 22_374), ("890", 582_295)];
    assert_eq!(gone, over);
    let pooling = pool(&codes, THRESHOLD, Rule::Us).unwrap();
    assert_eq!((pooling.published()[NATIONAL_POOL], pooling.final_codes()), (158_064, 877));
    // A code of exactly 20,000 would be restricted too: there is none.
    assert_eq!(codes.below(20_001).count(), 18);
}
