//! Tables judged by the shipped policies and by policies made up for a rule.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub)]

#[path = "judge/cases.rs"]
mod cases;
#[path = "judge/differencing.rs"]
mod differencing;
#[path = "judge/groups.rs"]
mod groups;
#[path = "judge/magnitudes.rs"]
mod magnitudes;
#[path = "judge/table7.rs"]
mod table7;
