//! Where identifiers stand, dates of birth among other dates, and names.

use crate::kind::Kind;
use crate::scan::{NameList, Scanner, Standing};

/// The kinds and texts that are surely identifiers.
fn seen<'a>(scanner: &Scanner, text: &'a str) -> Vec<(Kind, &'a str)> {
    let sure = scanner.scan(text).into_iter().filter(|sighting| sighting.standing == Standing::Certain);
    sure.map(|sighting| (sighting.kind, &text[sighting.start..sighting.end])).collect()
}

#[test]
fn an_identifier_is_told_with_its_own_characters_only() {
    let scanner = Scanner::new();
    for (text, kind, stands) in [
        ("Her number (943 476 5919), I think.", Kind::NhsNumber, "943 476 5919"),
        ("NHS:9434765919; seen today", Kind::NhsNumber, "9434765919"),
        ("ref nhs9434765919 closed", Kind::NhsNumber, "9434765919"),
        ("NHS no 9 4 3 4 7 6 5 9 1 9, not 5", Kind::NhsNumber, "9 4 3 4 7 6 5 9 1 9"),
        ("number ٩٤٣ ٤٧٦ ٥٩١٩ here", Kind::NhsNumber, "٩٤٣ ٤٧٦ ٥٩١٩"),
        ("write to <mary_jones@example.org>.", Kind::Email, "mary_jones@example.org"),
        ("write to mary_jones12@example.org.", Kind::Email, "mary_jones12@example.org"),
        ("write to mary (at) example.org.", Kind::Email, "mary (at) example.org"),
        ("ring (0117) 496 0123 or call", Kind::UkPhone, "(0117) 496 0123"),
        ("at 4 Mill Lane, LS6 1AA.", Kind::Postcode, "LS6 1AA"),
        ("lives at LS6\n1AA\tnow", Kind::Postcode, "LS6\n1AA"),
        ("to \u{201c}SW1A 2AA\u{201d} now", Kind::Postcode, "SW1A 2AA"),
        ("NI AB 12 34 56 C on file", Kind::NationalInsurance, "AB 12 34 56 C"),
    ] {
        assert_eq!(seen(&scanner, text), [(kind, stands)], "{text}");
    }
}

#[test]
fn several_identifiers_of_one_text_are_told_in_order() {
    let text = "MARY.JONES@EXAMPLE.ORG, 07700 900123 or 0117 496 0123, of M1 1AE and B33 8TH.";
    let kinds = [Kind::Email, Kind::UkPhone, Kind::UkPhone, Kind::Postcode, Kind::Postcode];
    let found = seen(&Scanner::new(), text);
    assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), kinds, "{found:?}");
    assert_eq!(found[2].1, "0117 496 0123");
}

#[test]
fn the_six_shapes_of_postcodes_are_told_from_codes_of_products() {
    let scanner = Scanner::new();
    for code in ["M1 1AE", "M60 1NW", "W1A 1HQ", "CR2 6XH", "DN55 1PT", "EC1A 1BB"] {
        assert_eq!(seen(&scanner, &format!("lives at {code} now")), [(Kind::Postcode, code)]);
    }
    for code in ["QX1 1AA", "M5 7CX", "AB12 3CX", "XK 120", "R2 D2", "PM10 4", "B52 8V", "m1 1ae", "A4 80G"] {
        assert_eq!(seen(&scanner, &format!("monitor {code} was used")), [], "{code}");
    }
}

#[test]
fn orders_like_telephone_numbers_and_numbers_with_a_wrong_check_digit_are_left_alone() {
    for text in [
        "order 077009001234 arrived",
        "order no 0770090012 of May",
        "tube 943 476 5918 broken",
        "version 07.70.09 of 2009",
        "batch 7700900123",
        "room 0117, bed 496",
    ] {
        assert_eq!(seen(&Scanner::new(), text), [], "{text}");
    }
}

#[test]
fn a_run_of_ten_digits_that_passes_may_be_chance() {
    let standing = |text: &str| -> Vec<Standing> {
        let found = Scanner::new().scan(text).into_iter().filter(|sighting| sighting.kind == Kind::NhsNumber);
        found.map(|sighting| sighting.standing).collect()
    };
    assert_eq!(standing("ref 9434765919 closed"), [Standing::ByChance]);
    assert_eq!(standing("ref 9434765918 closed"), [Standing::Missed]);
    assert_eq!(standing("NHS number 9434765919"), [Standing::Certain]);
    assert_eq!(standing("ref 943 476 5919 closed"), [Standing::Certain]);
    assert_eq!(standing("at 1.9434765919 m"), []);
}

#[test]
fn a_date_is_one_of_birth_if_the_words_beside_it_say_so() {
    let scanner = Scanner::new();
    for (text, stands) in [
        ("born 12/03/1950 in Leeds", "12/03/1950"),
        ("DOB: 12.3.50, seen today", "12.3.50"),
        ("(d.o.b. 1950-03-12)", "1950-03-12"),
        ("date of birth is 12 March 1950.", "12 March 1950"),
        ("Born on the 12th of March 1950", "12th of March 1950"),
        ("born in Leeds on March 12, 1950", "March 12, 1950"),
        ("Date of birth: 12-Mar-1950", "12-Mar-1950"),
        ("MARY (b. 12/3/1950)", "12/3/1950"),
        ("12/03/1950 (DOB)", "12/03/1950"),
        ("1950-03-12 (date of birth) given", "1950-03-12"),
        ("birthday 12 Sept. 1950", "12 Sept. 1950"),
    ] {
        assert_eq!(seen(&scanner, text), [(Kind::DateOfBirth, stands)], "{text}");
    }
}

#[test]
fn the_date_of_a_visit_is_no_date_of_birth() {
    let scanner = Scanner::new();
    for text in [
        "seen on 12/03/2009 and sent home",
        "born in 1950, seen on 12/03/2009",
        "born in Leeds. Came on 12/03/2009.",
        "born before 01/01/1950",
        "those born between 1950-01-01 and 1959-12-31",
        "newborn of 12/03/2009",
        "birth weight 3200, 12 weeks",
        "born 31/02/1950",
        "born at 10:15, 3.5.2 of the form",
        "BP 120/80/12",
        "born 12 May",
        "version 1.2.2010",
    ] {
        assert_eq!(seen(&scanner, text), [], "{text}");
    }
}

#[test]
fn in_the_years_of_birth_of_a_cohort_any_date_is_one_of_birth() {
    let scanner = Scanner::new().with_births(1936..=1970);
    assert_eq!(seen(&scanner, "form of 12/03/1950, seen 12/03/2009"), [(Kind::DateOfBirth, "12/03/1950")]);
    assert_eq!(seen(&scanner, "March 12, 1950; 12/03/50; 1971-01-01"), [(Kind::DateOfBirth, "March 12, 1950")]);
}

#[test]
fn names_are_found_whatever_their_case_accents_and_spacing() {
    let scanner = Scanner::new().with_names(NameList::new([
        "Mary Jones",
        "Zoë O’Neill",
        "Jean-Luc Müller",
        "Ng",
        "Carmen Van Dijk",
    ]));
    for (text, stands) in [
        ("seen MARY  JONES today", "MARY  JONES"),
        ("re: Jones, Mary (ward 3)", "Jones, Mary"),
        ("mary.jones was here", "mary.jones"),
        ("and zoe oneill rang", "zoe oneill"),
        ("and Zoë O'Neill rang", "Zoë O'Neill"),
        ("O\u{2019}NEILL ZOE\u{308}", "O\u{2019}NEILL ZOE\u{308}"),
        ("MULLER, JEAN LUC", "MULLER, JEAN LUC"),
        ("VAN DIJK, Carmen (ward 3)", "VAN DIJK, Carmen"),
        ("Mrs Ng's letter to Ng", "Ng"),
    ] {
        let found = seen(&scanner, text);
        assert!(found.contains(&(Kind::PersonName, stands)), "{text}: {found:?}");
    }
}

#[test]
fn a_name_inside_another_word_is_none() {
    let scanner = Scanner::new().with_names(NameList::new(["Mary Jones", "Ann", "", " ", "X", "-"]));
    for text in ["maryjones", "Mary's friend Jones", "Rosemary Jones", "annual", "Mary. They met Jones", "x - X"] {
        assert_eq!(seen(&scanner, text), [], "{text}");
    }
    assert_eq!(seen(&scanner, "Ann Mary Jonesson"), [(Kind::PersonName, "Ann")]);
    assert!(NameList::new([" ", "-"]).is_empty());
}
