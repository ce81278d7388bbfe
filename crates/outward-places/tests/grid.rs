//! The British National Grid: cells, references, and positions by latitude and longitude.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_places::grid::{CellSize, GridError, GridReference, coarsen, from_lat_lon};
use proptest::prelude::*;

fn cell(metres: u32) -> CellSize {
    CellSize::new(metres).unwrap()
}

fn read(text: &str) -> GridReference {
    GridReference::parse(text).unwrap()
}

fn named() -> impl Strategy<Value = CellSize> {
    (0..=5_u32).prop_map(|k| cell(10_u32.pow(k)))
}

fn position() -> impl Strategy<Value = (f64, f64)> {
    (0.0..700_000.0, 0.0..1_300_000.0)
}

/// Two letters, of which some name no square of the grid, and as many digits of easting as of northing.
fn like_a_reference() -> impl Strategy<Value = String> {
    let digits = "[0-9]{5}";
    ("[HNOSThnost][A-Za-z]", 0..=5_usize, " ?", " {0,2}", digits, " {0,2}", digits).prop_map(
        |(letters, size, around, before, easting, between, northing)| {
            let (easting, northing) = (&easting[..size], &northing[..size]);
            format!("{around}{letters}{before}{easting}{between}{northing}{around}")
        },
    )
}

#[test]
fn a_position_becomes_the_corner_of_its_kilometre() {
    assert_eq!(coarsen(430_512.7, 434_999.999, CellSize::default()), Ok((430_000, 434_000)));
    assert_eq!(coarsen(430_000.0, 434_000.0, CellSize::KILOMETRE), Ok((430_000, 434_000)));
    assert_eq!(coarsen(430_512.7, 434_999.9, cell(250)), Ok((430_500, 434_750)));
    assert_eq!(coarsen(699_999.9, 1_299_999.9, cell(u32::MAX)), Ok((0, 0)));
}

#[test]
fn positions_off_the_grid_are_refused() {
    let cell = CellSize::KILOMETRE;
    assert_eq!(coarsen(-0.1, 0.0, cell), Err(GridError::Easting));
    assert_eq!(coarsen(700_000.0, 0.0, cell), Err(GridError::Easting));
    assert_eq!(coarsen(0.0, -1.0, cell), Err(GridError::Northing));
    assert_eq!(coarsen(0.0, 1_300_000.0, cell), Err(GridError::Northing));
    assert_eq!(coarsen(f64::NAN, 0.0, cell), Err(GridError::NotANumber));
    assert_eq!(coarsen(0.0, f64::INFINITY, cell), Err(GridError::NotANumber));
    assert_eq!(CellSize::new(0), Err(GridError::CellSize));
}

#[test]
fn a_reference_is_read_at_every_precision_and_spacing() {
    for (text, corner, size) in [
        ("SE", (400_000, 400_000), 100_000),
        ("SE33", (430_000, 430_000), 10_000),
        ("SE 30 34", (430_000, 434_000), 1_000),
        ("SE3034", (430_000, 434_000), 1_000),
        ("  se  3034 ", (430_000, 434_000), 1_000),
        ("SE30\t34", (430_000, 434_000), 1_000),
        ("SE 301 340", (430_100, 434_000), 100),
        ("SE30123456", (430_120, 434_560), 10),
        ("TQ 12345 67890", (512_345, 167_890), 1),
        ("TQ1234567890", (512_345, 167_890), 1),
        ("SV 00 00", (0, 0), 1_000),
    ] {
        let reference = read(text);
        assert_eq!((reference.corner(), reference.size().metres()), (corner, size), "{text}");
    }
}

/// From the diagram of 100 km squares in Ordnance Survey's guide to the National Grid.
#[test]
fn the_letters_lie_where_the_map_has_them() {
    for (letters, east, north) in [
        ("SV", 0, 0),
        ("TV", 5, 0),
        ("TQ", 5, 1),
        ("TG", 6, 3),
        ("SH", 2, 3),
        ("NZ", 4, 5),
        ("OV", 5, 5),
        ("NA", 0, 9),
        ("HU", 4, 11),
        ("HP", 4, 12),
        ("JM", 6, 12),
    ] {
        assert_eq!(read(letters).corner(), (east * 100_000, north * 100_000), "{letters}");
        assert_eq!(read(letters).to_string(), letters);
    }
}

#[test]
fn a_text_that_is_no_reference_is_refused_where_it_goes_wrong() {
    use GridError as E;
    for (text, error) in [
        ("", E::Empty),
        ("   ", E::Empty),
        ("3034", E::Character { position: 1 }),
        (" -E3034", E::Character { position: 2 }),
        ("IE3034", E::LetterI { position: 1 }),
        ("si 30 34", E::LetterI { position: 2 }),
        ("AA3034", E::Square { position: 1 }),
        ("WA3034", E::Square { position: 1 }),
        ("UV3034", E::Square { position: 1 }),
        ("TC3034", E::Square { position: 2 }),
        (" HK3034", E::Square { position: 3 }),
        ("SE303", E::OddDigits),
        ("SE 30 341", E::OddDigits),
        ("SE 301 34567", E::UnevenDigits),
        ("SE 3 034", E::UnevenDigits),
        ("SE 30 34 51", E::DigitGroups { position: 10 }),
        ("SE 123456 123456", E::TooManyDigits { position: 15 }),
        ("SE33NW", E::Character { position: 5 }),
        ("SE33A", E::Character { position: 5 }),
        ("SE 30,34", E::Character { position: 6 }),
        ("SÉ3034", E::Character { position: 2 }),
        ("SE٣٠٣٤", E::Character { position: 3 }),
    ] {
        assert_eq!(GridReference::parse(text), Err(error), "{text:?}");
    }
}

#[test]
fn irish_references_are_refused_as_such() {
    for text in ["J 33 74", "J3374", "j", " C 43 "] {
        assert_eq!(GridReference::parse(text), Err(GridError::OneLetter), "{text:?}");
    }
}

#[test]
fn an_error_says_what_to_do_and_never_what_was_read() {
    let text = "QX 7351 9264";
    let error = outward_spec::Error::from(GridReference::parse(text).unwrap_err());
    assert_eq!(error.to_string(), "the letter at character 1 leads off the National Grid");
    assert!(error.help().is_some_and(|help| help.contains("SE3034") && !help.contains("7351")));
}

#[test]
fn a_reference_names_its_cell() {
    assert_eq!(GridReference::from_metres(430_512.7, 434_999.9, cell(1_000)).unwrap().to_string(), "SE3034");
    assert_eq!(format!("{:#}", read("se3034")), "SE 30 34");
    assert_eq!(read("SE 01002 00340").to_string(), "SE0100200340");
    assert_eq!(read("SE 01002 00340").coarsen(cell(1_000)).unwrap().to_string(), "SE0100");
    assert_eq!(read("SE3034").coarsen(cell(100_000)).unwrap().to_string(), "SE");
    for unnamed in [2, 500, 5_000, 200_000, 1_000_000] {
        assert_eq!(read("SE3034").coarsen(cell(unnamed)), Err(GridError::Unnamed));
    }
}

#[test]
fn a_coarse_reference_never_gains_precision() {
    assert_eq!(read("SE33").coarsen(CellSize::KILOMETRE), Ok(read("SE33")));
    assert_eq!(read("SE33").corner_of(CellSize::KILOMETRE), Err(GridError::TooCoarse));
    assert_eq!(read("SE3034").corner_of(cell(5_000)), Ok((430_000, 430_000)));
    assert_eq!(read("SE3034").corner_of(cell(1_500)), Err(GridError::Straddles));
}

/// A choice of Ordnance Survey's test points for OSTN15 (developer pack, `TestInput_ETRStoOSGB` and its output): name,
/// latitude, longitude, easting, northing. The last is the worked example of the user guide.
const TEST_POINTS: [(&str, f64, f64, f64, f64); 18] = [
    ("TP01", 49.92226394, -6.29977752, 91492.146, 11318.804),
    ("TP03", 50.43885826, -4.108645636, 250359.811, 62016.569),
    ("TP07", 51.37447026, 1.444547304, 639821.835, 169565.858),
    ("TP09", 51.48936565, -0.119925572, 530624.974, 178388.464),
    ("TP10", 51.85890896, -4.30852477, 241124.584, 220332.641),
    ("TP14", 52.75136687, 0.401535471, 562180.547, 319784.995),
    ("TP17", 53.41628516, -4.289180698, 247958.971, 393492.909),
    ("TP20", 53.8002152, -1.663791682, 422242.186, 433818.701),
    ("TP21", 54.08666318, -4.634521682, 227778.33, 468847.388),
    ("TP26", 55.85399953, -4.296490163, 256340.925, 664697.269),
    ("TP29", 57.13902519, -2.048560307, 397160.491, 805349.736),
    ("TP31", 57.81351838, -8.578544561, 9587.909, 899448.996),
    ("TP33", 58.51560361, -6.260914555, 151968.652, 966483.78),
    ("TP36", 59.09335035, -4.417576746, 261596.778, 1025447.602),
    ("TP37", 59.09671617, -5.827993398, 180862.461, 1029604.114),
    ("TP39", 59.85409914, -1.274869104, 440725.073, 1107878.448),
    ("TP40", 60.13308092, -2.073828228, 395999.668, 1138728.951),
    ("Caister", 52.658007833, 1.716073973, 651409.804, 313177.450),
];

#[test]
fn ordnance_surveys_test_points_are_met_to_the_millimetre() {
    let mut worst: f64 = 0.0;
    for (name, latitude, longitude, easting, northing) in TEST_POINTS {
        let (e, n) = from_lat_lon(latitude, longitude).unwrap_or_else(|error| panic!("{name}: {error}"));
        let distance = (e - easting).hypot(n - northing);
        assert!(distance < 0.003, "{name} is {distance} m off");
        worst = worst.max(distance);
    }
    println!("largest distance from a test point: {:.1} mm", worst * 1_000.0);
}

#[test]
fn the_main_town_of_scilly_is_on_the_grid() {
    let (easting, northing) = from_lat_lon(49.9146, -6.3155).unwrap();
    assert_eq!(GridReference::from_metres(easting, northing, CellSize::KILOMETRE).unwrap().to_string(), "SV9010");
}

#[test]
fn positions_that_the_transformation_does_not_cover_are_refused() {
    for (place, latitude, longitude) in [
        ("Paris", 48.8566, 2.3522),
        ("Calais", 50.952, 1.853),
        ("Cap Gris-Nez", 50.87, 1.583),
        ("Boulogne", 50.726, 1.610),
        ("Dieppe", 49.925, 1.075),
        ("Cherbourg", 49.633, -1.622),
        ("St Helier", 49.187, -2.107),
        ("Dublin", 53.35, -6.26),
        ("Belfast", 54.597, -5.93),
        ("Portaferry", 54.38, -5.547),
        ("Rathlin", 55.292, -6.195),
        ("Torshavn", 62.01, -6.77),
        ("Bergen", 60.39, 5.32),
        ("Atlantic within the box of latitudes", 50.0, -8.5),
        ("Atlantic", 52.0, -30.0),
        ("Null Island", 0.0, 0.0),
    ] {
        assert_eq!(from_lat_lon(latitude, longitude), Err(GridError::Uncovered), "{place}");
    }
    assert_eq!(from_lat_lon(-1.55, 53.8), Err(GridError::Swapped));
    assert_eq!(from_lat_lon(f64::NAN, -1.55), Err(GridError::NotANumber));
}

/// Ends and edges of Britain, at which the bounds of the transformation would hurt first.
#[test]
fn all_corners_of_britain_are_covered() {
    for (place, latitude, longitude) in [
        ("Bishop Rock", 49.873, -6.445),
        ("Lizard Point", 49.959, -5.206),
        ("St Davids Head", 51.903, -5.313),
        ("Lundy", 51.18, -4.67),
        ("Bardsey", 52.76, -4.79),
        ("Calf of Man", 54.05, -4.82),
        ("Mull of Galloway", 54.635, -4.857),
        ("Portpatrick", 54.843, -5.117),
        ("Mull of Kintyre", 55.31, -5.80),
        ("Portnahaven", 55.68, -6.505),
        ("Barra", 56.95, -7.49),
        ("St Kilda", 57.812, -8.57),
        ("Out Stack", 60.861, -0.875),
        ("Lowestoft Ness", 52.481, 1.763),
        ("North Foreland", 51.375, 1.445),
        ("Dungeness", 50.913, 0.976),
        ("Beachy Head", 50.737, 0.247),
    ] {
        assert!(from_lat_lon(latitude, longitude).is_ok(), "{place}");
    }
}

mod real_data {
    use super::*;

    /// The eastings of this table come from its latitudes by a transformation with seven parameters, which is some metres off
    /// the grid; its codes of Northern Ireland have such eastings too, where the grid is not defined.
    #[test]
    fn outward_codes_of_britain_lie_where_their_latitudes_say() {
        let table = outward_testing::real_data::text("outward_codes_uk_2011pop.csv.gz");
        let (mut placed, mut refused, mut worst) = (0, 0, 0.0_f64);
        for line in table.lines().skip(1) {
            let field: Vec<&str> = line.split(',').take(8).collect();
            let numbers: Vec<f64> = field[4..].iter().filter_map(|text| text.parse().ok()).collect();
            let [latitude, longitude, easting, northing] = numbers[..] else { continue };
            if field[2] == "Northern Ireland" {
                assert_eq!(from_lat_lon(latitude, longitude), Err(GridError::Uncovered), "{}", field[0]);
                refused += 1;
                continue;
            }
            let (e, n) = from_lat_lon(latitude, longitude).unwrap_or_else(|error| panic!("{}: {error}", field[0]));
            let distance = (e - easting).hypot(n - northing);
            assert!(distance < 6.0, "{} is {distance} m off", field[0]);
            worst = worst.max(distance);
            placed += 1;
        }
        println!("{placed} codes within {worst:.2} m, {refused} of Northern Ireland refused");
        assert_eq!((placed, refused), (2_994, 81));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_position_lies_in_its_cell_and_within_its_diagonal((e, n) in position(), metres in 1..200_000_u32) {
        let (west, south) = coarsen(e, n, cell(metres)).unwrap();
        let (east, north) = (f64::from(west + metres), f64::from(south + metres));
        prop_assert_eq!((west % metres, south % metres), (0, 0));
        prop_assert!(f64::from(west) <= e && e < east && f64::from(south) <= n && n < north);
        let diagonal = f64::from(metres) * std::f64::consts::SQRT_2;
        prop_assert!((e - f64::from(west)).hypot(n - f64::from(south)) <= diagonal);
    }

    #[test]
    fn coarsening_twice_is_coarsening_once_to_the_larger((e, n) in position(), small in 1..5_000_u32, times in 1..50_u32) {
        let large = cell(small * times);
        let (west, south) = coarsen(e, n, cell(small)).unwrap();
        let again = coarsen(west.into(), south.into(), cell(small));
        prop_assert_eq!(again, Ok((west, south)));
        prop_assert_eq!(coarsen(west.into(), south.into(), large), coarsen(e, n, large));
    }

    #[test]
    fn a_reference_reads_back_as_written((e, n) in position(), cell in named()) {
        let reference = GridReference::from_metres(e, n, cell).unwrap();
        prop_assert_eq!(reference.corner(), coarsen(e, n, cell).unwrap());
        prop_assert_eq!(reference.size(), cell);
        prop_assert_eq!(GridReference::parse(&reference.to_string()), Ok(reference));
        prop_assert_eq!(GridReference::parse(&format!("{reference:#}").to_lowercase()), Ok(reference));
    }

    #[test]
    fn a_coarsened_reference_is_never_finer((e, n) in position(), given in named(), a in named(), b in named()) {
        let reference = GridReference::from_metres(e, n, given).unwrap();
        let once = reference.coarsen(a).unwrap();
        prop_assert_eq!(once.size(), given.max(a));
        prop_assert_eq!(once.coarsen(b), reference.coarsen(a.max(b)));
        prop_assert_eq!(once.coarsen(a), Ok(once));
        prop_assert_eq!(once, GridReference::from_metres(e, n, given.max(a)).unwrap());
    }

    #[test]
    fn any_text_is_read_or_refused(text in prop_oneof!["\\PC{0,24}", " ?[A-Za-z]{1,2} {0,2}[0-9]{0,7} {0,2}[0-9]{0,7} ?"]) {
        let _ = GridReference::parse(&text);
    }

    #[test]
    fn texts_like_references_say_what_is_written_where_they_are_read(text in like_a_reference()) {
        let Ok(reference) = GridReference::parse(&text) else { return Err(TestCaseError::reject("no reference")) };
        let plain: String = text.split_whitespace().collect();
        prop_assert_eq!(reference.to_string(), plain.to_uppercase());
        prop_assert_eq!(GridReference::parse(&reference.to_string()), Ok(reference));
    }

    #[test]
    fn any_latitude_and_longitude_is_placed_on_the_grid_or_refused(
        latitude in prop_oneof![any::<f64>(), 48.0..63.0],
        longitude in prop_oneof![any::<f64>(), -11.0..6.0],
    ) {
        let placed = from_lat_lon(latitude, longitude);
        prop_assert!(placed.is_err() || placed.is_ok_and(|(e, n)| coarsen(e, n, CellSize::KILOMETRE).is_ok()));
    }
}
