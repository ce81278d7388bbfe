//! Remarks that interviewers leave: some harmless, some with a name or a number in them.

use crate::draw::Draw;
use crate::people;

/// Writes a remark about the person.
pub(super) fn write(draw: &mut Draw, region: usize, first: &str, last: &str, out: &mut String) {
    match draw.below(8) {
        0 => out.push_str("Form completed online."),
        1 => out.push_str("Left a card, no reply at first visit."),
        2 => out.push_str("Help given by telephone with the questions on work."),
        3 => {
            out.push_str("Spoke to ");
            out.push_str(first);
            out.push_str(" on the doorstep, will post the form.");
        }
        4 => {
            out.push_str("Please ring back on ");
            people::write_phone(draw, region, out);
            out.push_str(" after six.");
        }
        5 => {
            out.push_str("Form for Mr or Ms ");
            out.push_str(last);
            out.push_str(" filled in by a neighbour.");
        }
        6 => {
            out.push_str(first);
            out.push(' ');
            out.push_str(last);
            out.push_str(" asked for a large-print form.");
        }
        _ => {
            out.push_str("Write to ");
            people::write_email(draw, first, last, out);
            out.push_str(" with the reference.");
        }
    }
}
