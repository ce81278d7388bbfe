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
mod tests;
