//! Hierarchies: how the values of a variable become coarser, level by level.
//!
//! Level 0 is the value itself and the last level is `*` for everything. The levels in between nest: two values that
//! share a label at one level share one at every coarser level. So coarser never means less safe.

mod bands;
mod date;
mod file;
mod nodes;
mod prefix;
mod tree;
mod widths;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::shipped::{hierarchy_bytes, is_shipped};
use crate::source::Delimiter;
use bands::Bands;
use date::Dates;
use nodes::ListedNodes;
use outward_error::{Error, Result};
use prefix::Prefixes;
use widths::Widths;

pub use date::DatePart;
pub(crate) use file::{csv_line, csv_rows};
pub use tree::Tree;

/// The label that says nothing: the last level of every hierarchy.
pub const ANYTHING: &str = "*";

/// The `hierarchy` of a variable, in one of six ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum HierarchySpec {
    /// A CSV file with a row for each value: the value, then its labels from finer to coarser. Or a hierarchy of τ-ARGUS, `.hrc`.
    File {
        /// The file, relative to the spec file, or a list that ships with Outward, such as
        /// `outward:contributory-factors`.
        file: PathBuf,
        /// Whether the first row names the levels. `false` if absent.
        #[serde(default, skip_serializing_if = "is_false")]
        header: bool,
        /// The character between labels. `;` where the first row has one, else a tab, else a comma.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delimiter: Option<Delimiter>,
    },
    /// Bands of a number, by their lower edges.
    Bands {
        /// Lower edges in ascending order, or several such lists from finer to coarser.
        bands: Edges,
        /// Everything below is one band at every level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom: Option<Number>,
        /// Everything from here up is one band at every level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        top: Option<Number>,
    },
    /// Bands of a number, all equally wide, starting at multiples of the width.
    Width {
        /// The width of a band.
        #[schemars(range(min = 1))]
        width: u64,
        /// Everything below is one band.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom: Option<i64>,
        /// Everything from here up is one band.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        top: Option<i64>,
    },
    /// Bands of a number, wider at each level.
    Widths {
        /// The widths from finer to coarser, each a multiple of the one before.
        widths: Vec<u64>,
        /// Everything below is one band at every level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom: Option<i64>,
        /// Everything from here up is one band at every level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        top: Option<i64>,
    },
    /// The leading characters of a code.
    Prefix {
        /// How many characters are kept, from more to fewer.
        prefix: Vec<usize>,
    },
    /// Parts of a date.
    Date {
        /// The parts from finer to coarser: `month`, `quarter`, `year`, `decade`.
        date: Vec<DatePart>,
    },
    /// Groups of values written out, which may be grouped again.
    Tree {
        /// Each group with its values, or with its own groups.
        tree: BTreeMap<String, Tree>,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

impl HierarchySpec {
    /// The user's file that has it, if there is one.
    pub fn own_file(&self) -> Option<&PathBuf> {
        match self {
            Self::File { file, .. } if !is_shipped(file) => Some(file),
            _ => None,
        }
    }

    /// Whether it lists the values there can be, whether a record has them or not. Bands, prefixes and parts of dates are worked out from the
    /// values that records have.
    pub fn lists_values(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Tree { .. })
    }

    /// Whether headings would be read as a value with its labels. So they are in a CSV file of the user's that the spec
    /// does not say to have headings.
    pub fn may_hold_headings(&self) -> bool {
        matches!(self, Self::File { header: false, .. }) && self.own_file().is_some_and(|file| !file::is_hrc(file))
    }
}

/// Lower edges of bands: one level, or several from finer to coarser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Edges {
    /// One level of bands.
    One(Vec<Number>),
    /// Several levels of bands.
    Several(Vec<Vec<Number>>),
}

/// A number of the spec, written without decimals if it has none.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Number {
    /// The largest whole number up to which every whole number is exact: edges beyond it are refused.
    const EXACT: f64 = 9_007_199_254_740_992.0;

    fn is_whole(self) -> bool {
        self.0.fract() == 0.0
    }

    fn is_exact(self) -> bool {
        self.0.abs() <= Self::EXACT
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_whole() && self.is_exact() {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// A hierarchy ready for use.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    levels: usize,
    kind: HierarchyKind,
}

#[derive(Debug, Clone)]
enum HierarchyKind {
    Nodes(ListedNodes),
    Bands(Bands),
    Widths(Widths),
    Prefixes(Prefixes),
    Dates(Dates),
}

impl Hierarchy {
    /// Make a hierarchy of what the spec says of `variable`; `base` is the folder a file is relative to.
    pub fn compile(spec: &HierarchySpec, base: &Path, variable: &str) -> Result<Self> {
        let kind = match spec {
            HierarchySpec::File { file, .. } if is_shipped(file) => hierarchy_bytes(file)
                .and_then(|bytes| file::parse(bytes, file, false, Some(Delimiter::Comma)))
                .map(HierarchyKind::Nodes),
            HierarchySpec::File { file, header, delimiter } => {
                file::read(&base.join(file), *header, *delimiter).map(HierarchyKind::Nodes)
            }
            HierarchySpec::Bands { bands, bottom, top } => Bands::new(bands, *bottom, *top).map(HierarchyKind::Bands),
            HierarchySpec::Width { width, bottom, top } => {
                Widths::new(&[*width], *bottom, *top).map(HierarchyKind::Widths)
            }
            HierarchySpec::Widths { widths, bottom, top } => {
                Widths::new(widths, *bottom, *top).map(HierarchyKind::Widths)
            }
            HierarchySpec::Prefix { prefix } => Prefixes::new(prefix).map(HierarchyKind::Prefixes),
            HierarchySpec::Date { date } => Dates::new(date).map(HierarchyKind::Dates),
            HierarchySpec::Tree { tree } => tree::nodes(tree).map(HierarchyKind::Nodes),
        };
        let kind = kind.map_err(|error| error.with_fault(|fault| fault.variable(variable)))?;
        let between = match &kind {
            HierarchyKind::Nodes(nodes) => nodes.levels(),
            HierarchyKind::Bands(bands) => bands.levels(),
            HierarchyKind::Widths(widths) => widths.levels(),
            HierarchyKind::Prefixes(prefixes) => prefixes.levels(),
            HierarchyKind::Dates(dates) => dates.levels(),
        };
        Ok(Self { levels: between + 2, kind })
    }

    /// A hierarchy from the bytes of a hierarchy file, for files that are not on the disk as they are.
    pub fn from_bytes(bytes: Vec<u8>, file: &Path, header: bool, delimiter: Option<Delimiter>) -> Result<Self> {
        let nodes = file::parse(bytes, file, header, delimiter)?;
        Ok(Self { levels: nodes.levels() + 2, kind: HierarchyKind::Nodes(nodes) })
    }

    /// How many levels there are, the value itself (level 0) and `*` (the last) included.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The first level at which all values share one label: a label of the file or tree, otherwise `*`. Coarser levels
    /// protect no more, so distances and searches end here.
    pub fn coarsest(&self) -> usize {
        let single = match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.first_single_label(),
            _ => None,
        };
        single.unwrap_or(self.levels - 1)
    }

    /// The label of a value at a level. `None` if the hierarchy misses the value or has no such level.
    pub fn recode<'a>(&'a self, value: &'a str, level: usize) -> Option<Cow<'a, str>> {
        if level == 0 {
            self.covers(value).then_some(Cow::Borrowed(value))
        } else if level + 1 == self.levels {
            self.covers(value).then_some(Cow::Borrowed(ANYTHING))
        } else if level + 1 < self.levels {
            self.label(value, level)
        } else {
            None
        }
    }

    /// Whether the hierarchy has a place for this value.
    pub fn covers(&self, value: &str) -> bool {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.covers(value),
            HierarchyKind::Prefixes(_) => true,
            HierarchyKind::Bands(_) | HierarchyKind::Widths(_) | HierarchyKind::Dates(_) => {
                self.label(value, 1).is_some()
            }
        }
    }

    /// Those of `values` that the hierarchy lacks, in the order given.
    pub fn missing<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        values.into_iter().filter(|value| !self.covers(value)).collect()
    }

    /// The number of values at level 0, if the hierarchy lists them (files and trees).
    pub fn leaves(&self) -> Option<usize> {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => Some(nodes.leaves()),
            _ => None,
        }
    }

    /// The values at level 0 in their order, if the hierarchy lists them (files and trees).
    pub fn values(&self) -> Option<Vec<&str>> {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => Some(nodes.values()),
            _ => None,
        }
    }

    /// The value in the first row of a file.
    pub fn first_value(&self) -> Option<&str> {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.first_value(),
            _ => None,
        }
    }

    /// Whether the first row of a file could be a row of headings, by its content. Then it has labels, no two of its
    /// fields are the same, and none of its labels is a label of another row.
    pub fn first_row_stands_apart(&self) -> bool {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.first_row_stands_apart(),
            _ => false,
        }
    }

    /// Whether some value has this label at this level. Listed labels are looked up; a band, a date or a prefix is read and
    /// must come out as the label again.
    pub fn has_label(&self, label: &str, level: usize) -> bool {
        if level == 0 {
            return self.covers(label);
        }
        if level + 1 >= self.levels {
            return level + 1 == self.levels && label == ANYTHING;
        }
        match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.has_label(label, level),
            HierarchyKind::Bands(bands) => bands.has_label(label, level),
            HierarchyKind::Widths(widths) => widths.has_label(label, level),
            HierarchyKind::Prefixes(prefixes) => prefixes.label(label, level) == Some(label),
            HierarchyKind::Dates(dates) => dates.has_label(label, level),
        }
    }

    /// The label at a level between the first and the last.
    fn label<'a>(&'a self, value: &'a str, level: usize) -> Option<Cow<'a, str>> {
        match &self.kind {
            HierarchyKind::Nodes(nodes) => nodes.label(value, level).map(Cow::Borrowed),
            HierarchyKind::Bands(bands) => bands.label(value, level).map(Cow::Owned),
            HierarchyKind::Widths(widths) => widths.label(value, level).map(Cow::Owned),
            HierarchyKind::Prefixes(prefixes) => prefixes.label(value, level).map(Cow::Borrowed),
            HierarchyKind::Dates(dates) => dates.label(value, level).map(Cow::Owned),
        }
    }
}

/// An error of a hierarchy that is not in a file, as the message says it.
fn wrong(what: impl Into<String>, help: &str) -> Error {
    Error::input(what).help(help).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn hierarchy(toml: &str) -> Hierarchy {
        #[derive(Deserialize)]
        struct Field {
            hierarchy: HierarchySpec,
        }
        let field: Field = toml::from_str(&format!("hierarchy = {toml}")).unwrap();
        Hierarchy::compile(&field.hierarchy, Path::new(""), "v").unwrap()
    }

    /// The labels of a value from level 1 to the last but one.
    fn labels(hierarchy: &Hierarchy, value: &str) -> Vec<String> {
        (1..hierarchy.levels() - 1).map(|level| hierarchy.recode(value, level).unwrap().into_owned()).collect()
    }

    #[test]
    fn a_value_at_a_lower_edge_is_in_the_band_above_it() {
        let ages = hierarchy("{ bands = [16, 25, 45, 65] }");
        assert_eq!(ages.levels(), 3);
        for (age, band) in [("15", "under 16"), ("16", "16-24"), ("24", "16-24"), ("25", "25-44"), ("65", "65 or over")]
        {
            assert_eq!(labels(&ages, age), [band]);
        }
    }

    #[test]
    fn top_and_bottom_codes_are_the_same_at_every_level() {
        let ages = hierarchy("{ bands = [[16, 25, 45, 65], [45]], bottom = 5, top = 85 }");
        assert_eq!(labels(&ages, "3"), ["under 5", "under 5"]);
        assert_eq!(labels(&ages, "10"), ["5-15", "5-44"]);
        assert_eq!(labels(&ages, "84"), ["65-84", "45-84"]);
        assert_eq!(labels(&ages, "85"), ["85 or over", "85 or over"]);
    }

    #[test]
    fn bands_with_decimal_edges_say_where_they_end() {
        let index = hierarchy("{ bands = [18.5, 25, 30] }");
        assert_eq!(labels(&index, "18.4"), ["under 18.5"]);
        assert_eq!(labels(&index, "24.99"), ["18.5 to under 25"]);
    }

    #[test]
    fn equal_bands_start_at_multiples_of_their_width_and_stop_at_the_ends() {
        let ages = hierarchy("{ widths = [5, 10], bottom = 16, top = 62 }");
        assert_eq!(labels(&ages, "15"), ["under 16", "under 16"]);
        assert_eq!(labels(&ages, "16"), ["16-19", "16-19"]);
        assert_eq!(labels(&ages, "29.9"), ["25-29", "20-29"]);
        assert_eq!(labels(&ages, "61"), ["60-61", "60-61"]);
        assert_eq!(labels(&ages, "62"), ["62 or over", "62 or over"]);
        assert_eq!(labels(&hierarchy("{ width = 5 }"), "-3"), ["-5 to -1"]);
        assert_eq!(labels(&hierarchy("{ width = 1 }"), "7"), ["7"]);
    }

    #[test]
    fn a_code_keeps_its_leading_characters_and_a_short_one_stays_whole() {
        let postcodes = hierarchy("{ prefix = [4, 2] }");
        assert_eq!(labels(&postcodes, "SW1A 1AA"), ["SW1A", "SW"]);
        assert_eq!(labels(&postcodes, "é"), ["é", "é"]);
    }

    #[test]
    fn a_date_has_its_month_quarter_year_and_decade() {
        let dates = hierarchy("{ date = [\"month\", \"quarter\", \"year\", \"decade\"] }");
        assert_eq!(labels(&dates, "2012-02-29"), ["2012-02", "2012-Q1", "2012", "2010s"]);
        assert_eq!(labels(&dates, "1999-12-31"), ["1999-12", "1999-Q4", "1999", "1990s"]);
    }

    #[test]
    fn values_that_are_no_date_or_no_number_are_missed() {
        let dates = hierarchy("{ date = [\"year\"] }");
        assert_eq!(dates.missing(["2011-02-29", "2011-13-01", "11-02-2011", "2011-06-30", ""]).len(), 4);
        let ages = hierarchy("{ bands = [16] }");
        assert_eq!(ages.missing(["12", "unknown", "NaN", "inf", " 7", "7"]), ["unknown", "NaN", "inf", " 7"]);
        assert_eq!(ages.recode("unknown", 2), None);
    }

    #[test]
    fn branches_of_a_tree_are_lined_up_at_the_coarse_end() {
        let groups =
            hierarchy("{ tree = { White = [\"Irish\"], Asian = { South = [\"Indian\"], East = [\"Chinese\"] } } }");
        assert_eq!(groups.levels(), 4);
        assert_eq!(groups.leaves(), Some(3));
        assert_eq!(labels(&groups, "Indian"), ["South", "Asian"]);
        assert_eq!(labels(&groups, "Irish"), ["Irish", "White"]);
        assert!(!groups.covers("Asian"));
    }

    #[test]
    fn a_group_name_used_twice_in_a_tree_has_two_parents() {
        let other = |value: &str| Tree::Groups(BTreeMap::from([("Other".into(), Tree::Values(vec![value.into()]))]));
        let tree = BTreeMap::from([("White".into(), other("a")), ("Asian".into(), other("b"))]);
        let error = Hierarchy::compile(&HierarchySpec::Tree { tree }, Path::new(""), "v").unwrap_err();
        assert_eq!(error.to_string(), "column `v`: `Other` at level 1 belongs to `White` and to `Asian` at level 2");
    }

    #[test]
    fn every_label_a_recoding_gives_is_a_label_of_its_level() {
        for (toml, values) in [
            ("{ bands = [[16, 25, 45, 65], [45]], bottom = 5, top = 85 }", vec!["3", "10", "16", "44.5", "84", "99"]),
            ("{ bands = [18.5, 25, 30] }", vec!["18.4", "24.99", "31"]),
            ("{ widths = [5, 10], bottom = 16, top = 62 }", vec!["15", "16", "29.9", "61", "62"]),
            ("{ widths = [1, 3] }", vec!["-3", "-1", "0", "7"]),
            ("{ prefix = [4, 2] }", vec!["SW1A 1AA", "é"]),
            (
                "{ date = [\"month\", \"quarter\", \"year\", \"decade\"] }",
                vec!["2012-02-29", "1999-12-31", "0004-07-01"],
            ),
            ("{ tree = { White = [\"Irish\"], Asian = { South = [\"Indian\"] } } }", vec!["Irish", "Indian"]),
        ] {
            let hierarchy = hierarchy(toml);
            for value in values {
                for level in 0..hierarchy.levels() {
                    let label = hierarchy.recode(value, level).unwrap();
                    assert!(hierarchy.has_label(&label, level), "{toml}: {value} at level {level}");
                }
                assert!(!hierarchy.has_label("*", 0) || hierarchy.covers("*"));
                assert!(!hierarchy.has_label("*", hierarchy.levels()));
            }
        }
    }

    #[test]
    fn what_no_value_has_at_a_level_is_no_label_of_it() {
        for (toml, level, others) in [
            ("{ bands = [16, 25], top = 85 }", 1, vec!["16", "17-24", "16-25", "under 25", "25 or over", "*", ""]),
            (
                "{ widths = [5, 10], bottom = 16, top = 62 }",
                1,
                vec!["20-29", "21-24", "10-14", "under 20", "62", "-", ""],
            ),
            ("{ width = 5 }", 1, vec!["under 5", "5 or over", "20-24 ", "020-24"]),
            ("{ prefix = [4, 2] }", 2, vec!["SW1A", "SW1"]),
            ("{ date = [\"month\", \"year\", \"decade\"] }", 1, vec!["2012", "2012-13", "2012-1", "2012-02-29", "é"]),
            ("{ date = [\"quarter\"] }", 1, vec!["2012-Q5", "2012-Q0", "2012-Q", "2012-01"]),
            ("{ date = [\"decade\"] }", 1, vec!["2012s", "2010"]),
            ("{ tree = { White = [\"Irish\"], Asian = [\"Indian\"] } }", 1, vec!["Irish", "white", ""]),
        ] {
            let hierarchy = hierarchy(toml);
            for other in others {
                assert!(!hierarchy.has_label(other, level), "{toml}: {other}");
            }
        }
    }

    #[test]
    fn listed_values_come_in_their_order_and_rules_list_none() {
        let groups = hierarchy("{ tree = { White = [\"Irish\"], Asian = [\"Indian\", \"Chinese\"] } }");
        assert_eq!(groups.values().unwrap(), ["Chinese", "Indian", "Irish"]);
        assert_eq!(hierarchy("{ width = 5 }").values(), None);
    }

    #[test]
    fn the_star_of_a_file_is_not_added_twice() {
        let read = |text: &str| Hierarchy::from_bytes(text.into(), Path::new("h.csv"), false, None).unwrap();
        assert_eq!(read("a;A;*\nb;A;*\n").levels(), 3);
        assert_eq!(read("a;A\nb;A\n").levels(), 3);
        assert_eq!(read("a\nb").levels(), 2);
        assert_eq!(read("a\nb").leaves(), Some(2));
    }

    #[test]
    fn a_hierarchy_that_ends_with_a_single_label_has_its_coarsest_level_there() {
        let read = |text: &str| Hierarchy::from_bytes(text.into(), Path::new("h.csv"), false, None).unwrap();
        assert_eq!(read("a;first;Anywhere\nb;second;Anywhere\n").coarsest(), 2);
        assert_eq!(read("a;first;*\nb;second;*\n").coarsest(), 2);
        assert_eq!(read("a;first;Any;All;Top\nb;second;Any;All;Top\n").coarsest(), 2, "what follows tells no less");
        assert_eq!(read("a;first\nb;second\n").coarsest(), 2);
        assert_eq!(read("a\n").coarsest(), 1, "a value alone is no label");
        let tree: HierarchySpec = toml::from_str("tree = { All = { first = [\"a\"], second = [\"b\"] } }").unwrap();
        assert_eq!(Hierarchy::compile(&tree, Path::new(""), "v").unwrap().coarsest(), 2);
    }

    #[test]
    fn a_hierarchy_file_may_have_quotes_commas_marks_and_windows_line_ends() {
        let text = "\u{feff}value;group\r\n\"a;b\";\"say \"\"x\"\"\"\r\n\r\nc, d;two\nlines;two\r\n";
        let hierarchy = Hierarchy::from_bytes(text.into(), Path::new("h.csv"), true, None).unwrap();
        assert_eq!(labels(&hierarchy, "a;b"), ["say \"x\""]);
        assert_eq!(labels(&hierarchy, "c, d"), ["two"]);
        assert_eq!(hierarchy.leaves(), Some(3));
        let commas = Hierarchy::from_bytes("a,A\nb,B".into(), Path::new("h.csv"), false, None).unwrap();
        assert_eq!(labels(&commas, "b"), ["B"]);
        let tabs = Hierarchy::from_bytes("a, x\tA\nb\tB".into(), Path::new("h.csv"), false, None).unwrap();
        assert_eq!(labels(&tabs, "a, x"), ["A"]);
    }
}
