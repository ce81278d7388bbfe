//! What is a postcode, what its parts are, and where what is none goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_places::{Depth, Expected, NotAPostcode, Postcode};
use proptest::prelude::*;

fn code(text: &str) -> Postcode {
    Postcode::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

#[track_caller]
fn refused(text: &str, position: usize, expected: Expected) {
    assert_eq!(Postcode::parse(text), Err(NotAPostcode { position, expected }), "{text}");
}

#[test]
fn every_shape_is_read_whole_as_a_sector_and_alone() {
    for outward in ["M1", "B33", "W1A", "LS2", "EH99", "SW1A", "BB0", "GX11", "BF1", "JE2", "GY10", "IM1", "NPT"] {
        assert_eq!((code(outward).depth(), code(outward).outward()), (Depth::Outward, outward));
        let whole = format!("{outward} 1AE");
        let unit = code(&whole);
        assert_eq!((unit.depth(), unit.unit(), unit.outward()), (Depth::Unit, Some(whole.as_str()), outward));
        let sector = code(&whole[..whole.len() - 2]);
        assert_eq!((sector.depth(), sector.unit(), sector.outward()), (Depth::Sector, None, outward));
        assert_eq!(unit.sector(), Some(sector.as_str()));
        assert_eq!(sector.sector(), Some(sector.as_str()));
        assert_eq!(code(outward).sector(), None);
    }
}

#[test]
fn case_and_spaces_do_not_matter() {
    for text in ["SW1A 1AA", "sw1a1aa", "Sw1A  1aA", "  SW1A 1AA   "] {
        assert_eq!(code(text).as_str(), "SW1A 1AA");
    }
    for (text, normal) in [("M11ae", "M1 1AE"), ("m111ae", "M11 1AE"), ("w1a1aa", "W1A 1AA"), ("cr01aa", "CR0 1AA")] {
        assert_eq!(code(text).as_str(), normal);
    }
}

#[test]
fn without_a_space_what_can_be_a_district_is_one() {
    for (text, depth, normal) in [
        ("M11", Depth::Outward, "M11"),
        ("M1 1", Depth::Sector, "M1 1"),
        ("LS11", Depth::Outward, "LS11"),
        ("LS1 1", Depth::Sector, "LS1 1"),
        ("M111", Depth::Sector, "M11 1"),
        ("LS111", Depth::Sector, "LS11 1"),
        ("W1A1", Depth::Sector, "W1A 1"),
        ("SW1A1", Depth::Sector, "SW1A 1"),
        ("CR0 1", Depth::Sector, "CR0 1"),
    ] {
        assert_eq!((code(text).depth(), code(text).as_str()), (depth, normal));
    }
}

#[test]
fn the_area_is_the_letters_and_areas_never_meet() {
    for (text, area) in
        [("N1", "N"), ("N1C", "N"), ("NE1", "NE"), ("NW1W 9AA", "NW"), ("W1A", "W"), ("WC1A", "WC"), ("EC1A 1BB", "EC")]
    {
        assert_eq!(code(text).area(), area);
        assert!(code(text).area_number().is_some());
    }
    let numbers = ["N1C", "NE1", "NW1", "NPT", "NP1"].map(|text| code(text).area_number().unwrap());
    assert!((1..numbers.len()).all(|place| !numbers[..place].contains(&numbers[place])));
    assert_eq!(code("AA1 1AA").area_number(), None);
}

#[test]
fn codes_outside_the_shapes_are_read() {
    for word in ["ASCN", "STHL", "TDCU", "BBND", "BIQQ", "FIQQ", "PCRN", "SIQQ", "TKCA"] {
        let whole = format!("{word} 1ZZ");
        let unit = code(&whole.to_lowercase().replace(' ', ""));
        assert_eq!((unit.as_str(), unit.outward(), unit.area()), (whole.as_str(), word, word));
        assert_eq!((unit.depth(), code(word).depth()), (Depth::Unit, Depth::Outward));
        assert_eq!(code(&format!("{word}1")).depth(), Depth::Sector);
        assert!(unit.area_number().is_some());
    }
    assert_eq!(code("gir0aa").as_str(), "GIR 0AA");
    assert_eq!(code("GIR").depth(), Depth::Outward);
    assert_eq!(code("npt4ss").as_str(), "NPT 4SS");
    assert_eq!(code("NPT 4").sector(), Some("NPT 4"));
}

#[test]
fn a_forces_number_is_a_unit_without_a_sector() {
    for (text, normal) in [("bfpo801", "BFPO 801"), ("BFPO  8", "BFPO 8"), ("BFPO 5432", "BFPO 5432")] {
        let forces = code(text);
        assert_eq!((forces.as_str(), forces.depth(), forces.sector()), (normal, Depth::Unit, None));
        assert_eq!((forces.outward(), forces.unit()), ("BFPO", Some(normal)));
    }
    assert_eq!(code("BFPO").depth(), Depth::Outward);
    refused("BFPO 54321", 10, Expected::End);
    refused("BFPO 0", 6, Expected::ForcesNumber);
    refused("BFPO 12A", 8, Expected::ForcesNumber);
}

#[test]
fn letters_that_never_occur_in_a_place_are_refused_at_that_place() {
    for letter in ["Q", "V", "X"] {
        refused(&format!("{letter}1 1AA"), 1, Expected::FirstLetter);
    }
    for letter in ["I", "J", "Z"] {
        refused(&format!("A{letter}1 1AA"), 2, Expected::SecondLetterOrDistrict);
    }
    for letter in ["I", "L", "O", "Q", "Z"] {
        refused(&format!("W1{letter} 1AA"), 3, Expected::ThirdPlace);
    }
    for letter in "CDFGIJKLOQSTUZ".chars() {
        refused(&format!("SW1{letter} 1AA"), 4, Expected::FourthPlace);
    }
    for letter in "CIKMOV".chars() {
        refused(&format!("SW1A 1{letter}A"), 7, Expected::UnitLetter);
        refused(&format!("SW1A 1A{letter}"), 8, Expected::UnitLetter);
        refused(&format!("NPT 1{letter}A"), 6, Expected::UnitLetter);
    }
}

#[test]
fn positions_are_those_of_the_characters_as_given() {
    refused("", 1, Expected::FirstLetter);
    refused("   ", 4, Expected::FirstLetter);
    refused("  1AA", 3, Expected::FirstLetter);
    refused("M", 2, Expected::SecondLetterOrDistrict);
    refused("B0 1AA", 2, Expected::SecondLetterOrDistrict);
    refused("LS", 3, Expected::District);
    refused("L S1 1AA", 2, Expected::SecondLetterOrDistrict);
    refused("LS2 9 JT", 6, Expected::UnitLetter);
    refused("LS2 9J", 7, Expected::UnitLetter);
    refused(" ls2  xjt", 7, Expected::SectorDigit);
    refused("LS2 9JTT", 8, Expected::End);
    refused("LS2 9JT LS2 9JT", 8, Expected::End);
    refused("SW1A\t1AA", 5, Expected::Sector);
    refused("SW1A\u{a0}1AA", 5, Expected::Sector);
    refused("LS11é", 5, Expected::SectorOrUnit);
    refused("GIR 0AB", 7, Expected::OnlyInward);
    refused("GIR 0A", 7, Expected::OnlyInward);
    refused(" ASCN 2ZZ", 7, Expected::OnlyInward);
    refused("ASCN 1ZZ1", 9, Expected::End);
}

#[test]
fn a_very_long_text_is_refused_where_it_stops_being_a_postcode() {
    let position = |text: String| Postcode::parse(&text).map_err(|refusal| refusal.position);
    assert_eq!(position("M".repeat(1_000_000)), Err(3));
    assert_eq!(position(format!("M1{}x", " ".repeat(1_000_000))), Err(1_000_003));
    assert_eq!(position(format!("BFPO {}", "9".repeat(1_000_000))), Err(10));
}

#[test]
fn pooled_codes_and_codes_of_other_systems_are_not_postcodes() {
    refused("SM00", 5, Expected::SpaceBeforeSector);
    refused("SM00 1AA", 5, Expected::SpaceBeforeSector);
    refused("N00", 2, Expected::SecondLetterOrDistrict);
    for text in ["000", "ZZ99 3VZ", "AI-2640", "KY1-1001", "VG1110", "MSR 1110", "SM001AA", "CR01", "12345", "ABC123"] {
        assert!(Postcode::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_refusal_does_not_repeat_the_text() {
    let refusal = Postcode::parse("sw1a 1cx").unwrap_err().to_string();
    assert_eq!(refusal, "not a postcode: expected a letter that is allowed in a unit at character 7");
}

#[test]
fn codes_sort_as_their_texts_do() {
    let texts = ["BFPO 801", "M1", "M1 1", "M1 1AE", "M11", "M2", "SW1A 1AA"];
    assert!(texts.map(code).is_sorted());
    assert!(texts.is_sorted());
}

#[test]
fn a_postcode_is_copied_and_written_without_allocation() {
    fn copies<T: Copy>(_: T) {}
    copies(code("SW1A 1AA"));
    assert!(size_of::<Postcode>() <= 16);
    let mut buffer = [0u8; 9];
    std::io::Write::write_all(&mut buffer.as_mut_slice(), code("bfpo5432").as_ref().as_bytes()).unwrap();
    assert_eq!(&buffer, b"BFPO 5432");
}

/// The shapes said once more, as a list, to hold the reader's table against.
fn is_outward(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                '9'
            } else if c.is_ascii_uppercase() {
                'A'
            } else {
                '?'
            }
        })
        .collect();
    let at = |place: usize, letters: &str| text.get(place..=place).is_some_and(|letter| letters.contains(letter));
    let area = match shape.trim_start_matches('A').len() {
        rest if shape.len() - rest == 1 => !at(0, "QVX") && !at(1, "0"),
        rest if shape.len() - rest == 2 => !at(0, "QVX") && !at(1, "IJZ"),
        _ => return false,
    };
    area && match shape.as_str() {
        "A9" | "A99" | "AA9" => true,
        "AA99" => !at(2, "0"),
        "A9A" => !at(2, "ILOQZ"),
        "AA9A" => at(3, "ABEHMNPRVWXY") && !at(2, "0"),
        _ => false,
    }
}

fn is_inward(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_digit())
        && matches!(text.len(), 1 | 3)
        && characters.all(|c| c.is_ascii_uppercase() && !"CIKMOV".contains(c))
}

/// The normal form by trying every reading of a text without spaces around it.
fn by_trial(text: &str) -> Option<String> {
    if is_outward(text) {
        return Some(text.to_owned());
    }
    let splits = (1..text.len()).filter_map(|place| {
        let (outward, inward) = text.split_at(place);
        let bare = outward.trim_end_matches(' ');
        let spaced = bare.len() < outward.len();
        // A sector of a district 0 needs its space.
        let pooled = inward.len() == 1
            && !spaced
            && bare.len() == 3
            && bare.ends_with('0')
            && !bare.as_bytes()[1].is_ascii_digit();
        (is_outward(bare) && is_inward(inward) && !pooled).then(|| format!("{bare} {inward}"))
    });
    let readings: Vec<String> = splits.collect();
    assert!(readings.len() <= 1, "{text}: {readings:?}");
    readings.into_iter().next()
}

#[test]
fn the_table_reads_what_trying_every_reading_reads() {
    const CHARACTERS: [u8; 6] = *b"MIZ01 ";
    for length in 1..=7 {
        for number in 0..6usize.pow(length) {
            let text: String = (0..length).map(|place| CHARACTERS[number / 6usize.pow(place) % 6] as char).collect();
            if text.starts_with(' ') || text.ends_with(' ') {
                continue;
            }
            let read = Postcode::parse(&text).ok().map(|code| code.to_string());
            assert_eq!(read, by_trial(&text), "{text}");
        }
    }
}

fn holds_for(text: &[u8]) {
    let characters = String::from_utf8_lossy(text).chars().count();
    match Postcode::parse_bytes(text) {
        Ok(code) => {
            assert_eq!(Postcode::parse(code.as_str()), Ok(code));
            assert!(code.as_str().starts_with(code.outward()) && code.outward().starts_with(code.area()));
            assert!(!code.area().is_empty() && !code.outward().contains(' '));
            let coarser = Postcode::parse(code.outward()).unwrap();
            assert_eq!((coarser.area(), coarser.depth()), (code.area(), Depth::Outward));
        }
        Err(refusal) => assert!((1..=characters + 1).contains(&refusal.position), "{text:?}: {refusal}"),
    }
}

#[test]
fn random_bytes_are_read_or_refused() {
    const LIKELY: &[u8] = b"AMNSWabz0129  \t-\xc3\xa9";
    let mut state = 1u64;
    let mut draw = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for round in 0..200_000 {
        let length = draw(12);
        let text: Vec<u8> =
            (0..length).map(|_| if round % 2 == 0 { draw(256) as u8 } else { LIKELY[draw(LIKELY.len())] }).collect();
        holds_for(&text);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        holds_for(text.as_bytes());
    }

    #[test]
    fn what_has_a_shape_is_read_to_the_same_normal_form_in_every_spelling(
        text in "[A-PR-UWYZ]([1-9][0-9A-HJKMNPR-Y]?|[A-HK-Y]([1-9][0-9ABEHMNPRVWXY]?|0)) [0-9][ABD-HJLNP-UW-Z]{2}"
    ) {
        let bare = text.replace(' ', "");
        let wide = format!("  {} ", text.replace(' ', "   "));
        for spelling in [&text, &text.to_lowercase(), &bare, &wide] {
            prop_assert_eq!(&code(spelling).to_string(), &text);
        }
        holds_for(text.as_bytes());
    }
}

mod real_data {
    use super::*;

    #[test]
    fn every_real_outward_code_is_one_and_has_its_area() {
        let table = outward_testing::real_data::text("outward_codes_uk_2011pop.csv.gz");
        let mut codes = 0;
        for line in table.lines().skip(1) {
            let mut fields = line.split(',');
            let (outward, area) = (fields.next().unwrap(), fields.next().unwrap());
            let read = code(outward);
            assert_eq!((read.as_str(), read.area(), read.depth()), (outward, area, Depth::Outward));
            assert!(read.area_number().is_some(), "{outward}");
            codes += 1;
        }
        assert_eq!(codes, 3_115);
    }
}
