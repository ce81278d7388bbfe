//! Numbers of a bundle are in a range in which they can be added up. A bundle may hold any number that JSON can write.

use outward_tables::{Figure, Published};

use super::super::{Check, Place};
use crate::tables::JSON;

/// No sum that Outward publishes is larger, and a few of these can be added up without overflow.
const LARGEST: u64 = i64::MAX as u64 / 4;

/// More kinds of records than the conditions of any tables tell apart.
const MOST_KINDS: usize = 1 << 16;

/// The check that fails where a number is out of range; the others are not made then.
pub(super) fn check(tables: &[Published]) -> Option<Check> {
    let too_large = |figure: &Figure| matches!(figure, Figure::Shown(value) if value.unsigned_abs() > LARGEST);
    let fails = |what: &str, table: &Published| {
        Check::fails("figures", format!("table `{}` {what}", table.table.name)).at([Place::file(JSON)])
    };
    for table in tables {
        if table.figures.iter().any(too_large) {
            return Some(fails("has a figure that is too large to be added up", table));
        }
        if table.table.kinds > MOST_KINDS {
            return Some(fails("tells too many kinds of records apart", table));
        }
    }
    None
}
