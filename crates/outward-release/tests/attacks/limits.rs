//! What `protect` advises must do. 0.29 of 100 is a little less than 29 in floating point, and an advised limit of 0.29
//! was refused once.

use outward_release::Outcome;

use outward_fixtures::desk::Desk;

const SPEC: &str = "[policy]\nk = 3\n[[variables]]\nname = \"ward\"\nrole = \"key\"\n";

/// A hundred people, of whom so many are alone in their ward.
fn people(alone: usize) -> String {
    let ward = |row: usize| if row < alone { format!("ward {row}\n") } else { "large\n".to_owned() };
    format!("ward\n{}", (0..100).map(ward).collect::<String>())
}

/// The number behind these words.
fn number_after(text: &str, words: &str) -> f64 {
    let rest = text.split_once(words).unwrap_or_else(|| panic!("{text}")).1;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    rest[..end].parse().unwrap()
}

fn with_limit(limit: f64) -> String {
    format!("{SPEC}[[steps]]\ndo = \"suppress-records\"\nlimit = {limit:?}\n")
}

#[test]
fn the_limit_that_protect_advises_is_accepted_and_verified() {
    // Shares whose product with 100 is less than whole in floating point.
    for alone in [29, 57] {
        let first = Desk::new(SPEC, &people(alone)).protect().unwrap();
        assert!(!first.written);
        let limit = number_after(&first.advice.unwrap(), "`limit = ");
        let desk = Desk::new(&with_limit(limit), &people(alone));
        let second = desk.protect().unwrap();
        assert!(second.written);
        assert_eq!(second.manifest.records_out, 100 - alone as u64);
        assert_eq!(desk.verify().outcome(), Outcome::Holds);
    }
}

#[test]
fn the_limit_that_a_refusal_names_is_accepted() {
    let refused = Desk::new(&with_limit(0.1), &people(29)).protect().unwrap_err();
    let limit = number_after(&refused.help().unwrap(), "raise the limit to ");
    assert_eq!(limit, 0.29);
    assert!(Desk::new(&with_limit(limit), &people(29)).protect().unwrap().written);
    assert!(Desk::new(&with_limit(0.289), &people(29)).protect().is_err());
}
