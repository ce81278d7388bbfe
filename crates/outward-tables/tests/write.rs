//! Published tables, written in every format and read back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "write/case.rs"]
mod case;
#[path = "write/excel.rs"]
mod excel;
#[path = "write/hidden.rs"]
mod hidden;
#[path = "write/page.rs"]
mod page;
#[path = "write/paste.rs"]
mod paste;
#[path = "write/report.rs"]
mod report;
#[path = "write/text.rs"]
mod text;
#[path = "write/words.rs"]
mod words;
