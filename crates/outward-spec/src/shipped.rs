//! Hierarchies and ratings that ship with Outward. A spec names them by `outward:` and their name.

use std::path::Path;

use crate::document::{read_text, utf8};
use crate::hierarchy::{csv_line, csv_rows};
use crate::variable::Rating;
use outward_error::{Error, Result, suggest};

const PREFIX: &str = "outward:";

/// What ships: the factors of Appendix 2 and the recodings of Appendix 1 of the report on road casualties.
const SHIPPED: [(&str, &str); 5] = [
    ("contributory-factors", include_str!("../../../metadata/contributory-factors.csv")),
    ("road-user-type", include_str!("../../../metadata/road-user-type.csv")),
    ("severity", include_str!("../../../metadata/severity.csv")),
    ("speed-limit", include_str!("../../../metadata/speed-limit.csv")),
    ("vehicle-type", include_str!("../../../metadata/vehicle-type.csv")),
];

const VISIBILITY: &str = "visibility";
const SENSITIVITY: &str = "sensitivity";

/// A value with its ratings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rated {
    /// The value.
    pub value: String,
    /// How easily others can see or learn it.
    pub visibility: Rating,
    /// How much harm it does if others learn it.
    pub sensitivity: Rating,
}

impl Rated {
    /// Whether it is rated high in both.
    pub fn is_high(&self) -> bool {
        self.visibility == Rating::High && self.sensitivity == Rating::High
    }
}

/// Whether a path names a list that ships with Outward.
pub(crate) fn is_shipped(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(PREFIX))
}

/// The text of a list that ships with Outward, by its name without `outward:`.
///
/// # Errors
/// If there is none of this name.
pub fn shipped(name: &str) -> Result<&'static str> {
    let found = SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    found.ok_or_else(|| {
        let help = suggest(name, SHIPPED.iter().map(|(known, _)| *known), "lists");
        Error::input(format!("no list `{name}` ships with Outward")).help(help).into()
    })
}

/// The bytes of a hierarchy that ships with Outward, without its header and its ratings.
pub(crate) fn hierarchy_bytes(path: &Path) -> Result<Vec<u8>> {
    let text = shipped(path.to_str().unwrap_or_default().trim_start_matches(PREFIX))?;
    let rows = csv_rows(text, path)?;
    let Some((_, header)) = rows.first() else { return Ok(Vec::new()) };
    let kept: Vec<usize> =
        (0..header.len()).filter(|i| header[*i] != VISIBILITY && header[*i] != SENSITIVITY).collect();
    let line = |row: &Vec<String>| csv_line(&kept.iter().map(|i| row[*i].clone()).collect::<Vec<_>>());
    Ok(rows[1..].iter().map(|(_, row)| line(row)).collect::<String>().into_bytes())
}

/// The ratings of a file, or of a list that ships with Outward. It is a CSV with a header: the values are in the first
/// column, their ratings in the columns `visibility` and `sensitivity`. Of several ratings of a value, such as
/// `High/Medium`, the highest counts.
///
/// # Errors
/// If there is no such file or list, or it is not a list of ratings.
pub fn ratings(path: &Path, base: &Path) -> Result<Vec<Rated>> {
    let text = match is_shipped(path) {
        true => shipped(path.to_str().unwrap_or_default().trim_start_matches(PREFIX))?.to_owned(),
        false => read_text(&base.join(path))?,
    };
    let text = utf8(text.into_bytes(), path)?;
    let rows = csv_rows(&text, path)?;
    let Some((_, header)) = rows.first() else {
        return Err(Error::input("this list of ratings is empty").file(path).into());
    };
    let column = |name: &str| -> Result<usize> {
        header.iter().position(|column| column.eq_ignore_ascii_case(name)).ok_or_else(|| {
            Error::input(format!("there is no column `{name}`"))
                .file(path)
                .line(1)
                .help("begin with a line that names the columns: the value, `visibility`, `sensitivity`")
                .into()
        })
    };
    let (visibility, sensitivity) = (column(VISIBILITY)?, column(SENSITIVITY)?);
    let read = |(line, row): &(u64, Vec<String>)| {
        let rating = |column: usize| -> Result<Rating> {
            row.get(column).and_then(|text| highest(text)).ok_or_else(|| {
                Error::input("this is no rating").file(path).line(*line).help("write `high`, `medium` or `low`").into()
            })
        };
        Ok(Rated { value: row[0].clone(), visibility: rating(visibility)?, sensitivity: rating(sensitivity)? })
    };
    rows[1..].iter().map(read).collect()
}

fn highest(text: &str) -> Option<Rating> {
    let one = |word: &str| match word.trim().to_ascii_lowercase().as_str() {
        "high" => Some(Rating::High),
        "medium" => Some(Rating::Medium),
        "low" => Some(Rating::Low),
        _ => None,
    };
    text.split('/').map(one).collect::<Option<Vec<_>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::hierarchy::{Hierarchy, HierarchySpec};

    fn factors() -> Vec<Rated> {
        ratings(Path::new("outward:contributory-factors"), Path::new("")).unwrap()
    }

    #[test]
    fn all_77_factors_and_other_are_rated() {
        let factors = factors();
        assert_eq!(factors.len(), 78);
        let of = |value: &str| factors.iter().find(|rated| rated.value == value).unwrap();
        assert!(of("306 Exceeding speed limit").is_high() && of("308 Following too close").is_high());
        assert!(!of("203 Defective brakes").is_high());
        assert_eq!(of("501 Impaired by alcohol").visibility, Rating::Medium);
    }

    #[test]
    fn factors_fall_into_nine_groups() {
        let spec = HierarchySpec::File { file: "outward:contributory-factors".into(), header: false, delimiter: None };
        let hierarchy = Hierarchy::compile(&spec, Path::new(""), "factor").unwrap();
        let groups: std::collections::BTreeSet<String> =
            factors().iter().map(|rated| hierarchy.recode(&rated.value, 1).unwrap().into_owned()).collect();
        assert_eq!((groups.len(), hierarchy.levels()), (9, 3));
    }

    #[test]
    fn an_unknown_list_is_refused_with_the_nearest() {
        let error = ratings(Path::new("outward:contributory-factor"), Path::new("")).unwrap_err();
        assert!(error.to_string().contains("no list") || format!("{error:?}").contains("contributory-factors"));
    }
}
