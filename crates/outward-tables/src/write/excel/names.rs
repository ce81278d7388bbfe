//! Names of sheets and headings that Excel accepts.

use std::collections::BTreeSet;

use crate::words::one_line;

/// The longest name of a sheet, in UTF-16 units.
const LONGEST_NAME: usize = 31;

/// A name for each sheet: short, without characters that Excel forbids, and different from all others without regard to
/// case.
pub(super) fn sheet_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    // Excel reserves `History`.
    let mut taken: BTreeSet<String> = ["cover", "notes", "history"].map(str::to_owned).into();
    let mut sheet_name = |name: &str| {
        let plain: String =
            name.chars().map(|c| if "[]:*?/\\".contains(c) || c.is_control() { '-' } else { c }).collect();
        let stem = match trimmed(&shortened(&plain, LONGEST_NAME)) {
            stem if stem.is_empty() => "Table".to_owned(),
            stem => stem,
        };
        let numbered = (2u64..).map(|number| {
            let ending = format!(" ({number})");
            trimmed(&shortened(&stem, LONGEST_NAME - ending.len())) + &ending
        });
        let free = [stem.clone()].into_iter().chain(numbered).find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(stem)
    };
    names.map(&mut sheet_name).collect()
}

/// A text on one line, cut to so many UTF-16 units.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let mut units = 0;
    let fits = |character: &char| {
        units += character.len_utf16();
        units <= longest
    };
    one_line(text).chars().take_while(fits).collect()
}

/// Removes apostrophes at both ends, where the name of a sheet must not have them.
fn trimmed(name: &str) -> String {
    name.trim_matches(['\'', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sheets_are_short_plain_and_different() {
        let long = "Casualties by severity and contributory factor";
        let given = [
            "RAS50001",
            "ras50001",
            "a/b:c[d]*?\\",
            "Cover",
            "'quoted'",
            "",
            "'",
            long,
            long,
            "history",
            "𝔸".repeat(40).as_str(),
        ]
        .map(str::to_owned);
        let made = sheet_names(given.iter().map(String::as_str));
        assert_eq!(made[..7], ["RAS50001", "ras50001 (2)", "a-b-c-d----", "Cover (2)", "quoted", "Table", "Table (2)"]);
        assert_eq!(made[7..9], ["Casualties by severity and cont", "Casualties by severity and (2)"]);
        let lower: BTreeSet<String> = made.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(lower.len(), made.len());
        assert!(made.iter().all(|name| name.encode_utf16().count() <= LONGEST_NAME));
    }
}
