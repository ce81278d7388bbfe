//! What the scanner finds, where, and what it leaves alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod by_chance;
mod every_phrase;
mod places;

use super::*;

fn found(text: &str) -> Vec<Kind> {
    scan_text(text).collect()
}

#[test]
fn each_identifier_is_found_in_a_sentence() {
    for (text, kind) in [
        ("Her number is 943 476 5919, I think.", Kind::NhsNumber),
        ("NHS:9434765919; seen today", Kind::NhsNumber),
        ("her number (943/476/5919) was wrong", Kind::NhsNumber),
        ("number 9 4 3 4 7 6 5 9 1 9 on file", Kind::NhsNumber),
        ("no=943_476_5919", Kind::NhsNumber),
        ("رقم ٩٤٣ ٤٧٦ ٥٩١٩ هنا", Kind::NhsNumber),
        ("write to <mary@example.org>.", Kind::Email),
        ("write to mary (at) example.org please", Kind::Email),
        ("write to a/@example.org", Kind::Email),
        ("write to mary.jones at example dot org", Kind::Email),
        ("ring (0117) 496 0123 after six", Kind::UkPhone),
        ("ring 0117/496/0123 after six", Kind::UkPhone),
        ("her mother in France: +33 1 42 68 53 00", Kind::UkPhone),
        ("moved to 4 Mill Lane, LS6 1AA last year", Kind::Postcode),
        ("NI AB 12 34 56 C on file", Kind::NationalInsurance),
        ("paid by 4111 1111 1111 1111 in May", Kind::CardNumber),
        ("from GB82 WEST 1234 5698 7654 32", Kind::Iban),
        ("logged in from 192.168.20.17 twice", Kind::IpAddress),
        ("her SSN is 123-45-6789", Kind::SocialSecurity),
        ("drove off in AB12 CDE towards town", Kind::NumberPlate),
        ("key 123e4567-e89b-12d3-a456-426614174000.", Kind::MachineKey),
    ] {
        assert_eq!(found(text), [kind], "{text}");
    }
}

#[test]
fn a_number_at_the_end_of_a_long_text_is_found() {
    let long = format!("{}943 476 5919", "and so on ".repeat(20_000));
    assert_eq!(found(&long), [Kind::NhsNumber]);
}

#[test]
fn ordinary_notes_hold_none() {
    for text in [
        "BP 120/80, pulse 72, weight 81.5 kg on 21/03/2024 at 10:15.",
        "ref 1234567890 closed",
        "see page 12 3rd paragraph",
        "meet @ 5 pm",
        "",
        "version 1.2.3.4 of the form",
        "scored 1 2 3 4 5 6 7 8 9 10",
        "07/12/2024 9:30 to 10:45",
        "1,234,567,890 records in 2011-2021",
        "NO2 and PM10 AND O3",
        "from 01/12/2003 10:00 to 02/12/2003 11:30:15",
        "visit again on 21/03/2009 at 10:15 or so",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn several_kinds_are_told_once_each() {
    assert_eq!(found("a@b.uk c@d.uk 07700900123"), [Kind::Email, Kind::UkPhone]);
}
