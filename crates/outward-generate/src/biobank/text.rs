//! Remarks of nurses and letters of hospitals: harmless ones, look-alikes of identifiers, and identifiers.

use crate::dates::Day;
use crate::draw::Draw;
use crate::people;
use crate::places::{self, push_number, push_padded};

use super::Participant;
use super::planted::{PlantedKind, PlantedText};

/// Visits with a remark, and remarks with an identifier, in a thousand.
const REMARKS: u32 = 120;
const IDENTIFYING: u32 = 450;
/// Stays with a letter, in a thousand. Every letter names the participant.
const LETTERS: u32 = 80;

/// Writes a remark of a visit on `date`; false if there is none.
pub(super) fn write_remark(draw: &mut Draw, person: &Participant, date: i32, out: &mut PlantedText) -> bool {
    out.clear();
    if !draw.chance(REMARKS) {
        return false;
    }
    if draw.chance(IDENTIFYING) {
        identifying_remark(draw, person, out)
    } else {
        harmless_remark(draw, date, out)
    }
    true
}

fn harmless_remark(draw: &mut Draw, date: i32, out: &mut PlantedText) {
    match draw.below(8) {
        0 => out.say("Could not blow into the spirometer."),
        1 => {
            let (systolic, diastolic) = (draw.between(105, 170), draw.between(60, 99));
            out.say(&format!("BP {systolic}/{diastolic} at the second reading, pulse {}.", draw.between(52, 96)));
        }
        2 => {
            let mut again = String::new();
            write_date(Day::from_number(date + draw.between(20, 90) as i32), draw.below(4), &mut again);
            out.say(&format!("Fasting sample could not be taken, visit again on {again} at 10:15."));
        }
        3 => {
            // Twelve digits that begin as a telephone number does.
            let mut order = String::from("0770");
            push_padded(&mut order, u64::from(draw.below(100_000_000)), 8);
            out.say(&format!("Replacement cuff ordered, order {order}."));
        }
        4 => {
            let mut sample = String::new();
            people::write_nhs_number(u64::from(draw.below(1_000)), u64::from(draw.below(1_000_000)), &mut sample);
            let check = (sample.as_bytes()[9] - b'0' + 1 + draw.below(9) as u8) % 10;
            out.say(&format!("Tube {} {} {}{check} broken.", &sample[..3], &sample[3..6], &sample[6..9]));
        }
        // No postcode area is called QX, and no unit has a C.
        5 => out.say(&format!("Scales QX{} {}AB out of order.", draw.between(1, 9), draw.between(1, 9))),
        6 => out.say(&format!("Monitor M{} {}CX used for the left arm.", draw.between(1, 9), draw.between(1, 9))),
        _ => out.say("Came with a relative, who answered for the years at school."),
    }
}

fn identifying_remark(draw: &mut Draw, person: &Participant, out: &mut PlantedText) {
    let mut identifier = String::new();
    match draw.below(6) {
        0 => {
            out.plant(PlantedKind::Name, &format!("{} {}", person.first, person.last));
            out.say(" felt faint after the blood sample.");
        }
        1 => {
            people::write_phone(draw, person.home.place.region, &mut identifier);
            out.say("Please ring ");
            out.plant(PlantedKind::Phone, &identifier);
            out.say(" to arrange the second visit.");
        }
        2 => {
            people::write_email(draw, person.first, person.last, &mut identifier);
            out.say("Results to be sent to ");
            out.plant(PlantedKind::Email, &identifier);
            out.say(" as well.");
        }
        3 => {
            let nhs = &person.nhs;
            out.say("NHS number ");
            out.plant(PlantedKind::NhsNumber, &format!("{} {} {}", &nhs[..3], &nhs[3..6], &nhs[6..]));
            out.say(" checked against the card.");
        }
        4 => {
            write_birth(draw, person, &mut identifier);
            out.say("Says the date of birth is ");
            out.plant(PlantedKind::DateOfBirth, &identifier);
            out.say(", not as on the form.");
        }
        _ => {
            places::write_postcode(draw, person.home.place, &mut identifier);
            out.say("Has moved to ");
            out.plant(PlantedKind::Postcode, &identifier);
            out.say(" since the invitation.");
        }
    }
}

/// Writes the letter of a stay; false if there is none.
pub(super) fn write_letter(draw: &mut Draw, person: &Participant, admitted: i32, out: &mut PlantedText) -> bool {
    out.clear();
    if !draw.chance(LETTERS) {
        return false;
    }
    let mut text = String::new();
    out.say(&format!("Dear {}, thank you for referring ", person.home.gp));
    match draw.below(3) {
        0 => out.plant(PlantedKind::Name, &format!("{}, {}", person.last.to_uppercase(), person.first)),
        _ => out.plant(PlantedKind::Name, &format!("{} {}", person.first, person.last)),
    }
    if draw.chance(500) {
        write_birth(draw, person, &mut text);
        out.say([", born ", ", DOB ", " (d.o.b. "][draw.below(3) as usize]);
        let bracket = out.text().ends_with("(d.o.b. ");
        out.plant(PlantedKind::DateOfBirth, &text);
        out.say(if bracket { ")" } else { "" });
    }
    if draw.chance(300) {
        out.say(", NHS no ");
        out.plant(PlantedKind::NhsNumber, &person.nhs);
    }
    text.clear();
    write_date(Day::from_number(admitted), draw.below(4), &mut text);
    out.say(&format!(", who came to us on {text} and "));
    out.say(match draw.below(3) {
        0 => "was discharged in good condition.",
        1 => "will be seen again in six weeks.",
        _ => "has changed treatment.",
    });
    true
}

fn write_birth(draw: &mut Draw, person: &Participant, out: &mut String) {
    write_date(Day::from_number(person.birth), draw.below(4), out);
}

/// Writes a date as people do, in one of four ways.
fn write_date(day: Day, way: u32, out: &mut String) {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let numbers = |out: &mut String, mark: char| {
        push_padded(out, day.day as u64, 2);
        out.push(mark);
        push_padded(out, day.month as u64, 2);
        out.push(mark);
        push_padded(out, day.year as u64, 4);
    };
    match way {
        0 => numbers(out, '/'),
        1 => numbers(out, '.'),
        2 => {
            push_number(out, day.day as u64);
            out.push(' ');
            out.push_str(MONTHS[day.month as usize - 1]);
            out.push(' ');
            push_padded(out, day.year as u64, 4);
        }
        _ => {
            push_padded(out, day.year as u64, 4);
            out.push('-');
            push_padded(out, day.month as u64, 2);
            out.push('-');
            push_padded(out, day.day as u64, 2);
        }
    }
}
