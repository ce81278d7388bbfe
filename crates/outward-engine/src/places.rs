//! The steps that coarsen places: codes by a mapping, points and grid references by a cell of the grid.
//!
//! A value that cannot be placed becomes missing and is counted, with the row it was first met in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use outward_places::grid::{self, CellSize, GridReference};
use outward_places::{Lookup, MappedValue};
use outward_spec::{Error, GridForm, Result, Unknown};

use crate::records::Change;

/// What one step could not place.
#[derive(Debug)]
pub(crate) struct UnplacedCounter {
    /// The variables of the step.
    variables: Vec<String>,
    unknown: Unknown,
    /// By direction: a step on two coordinates meets each point twice, or once where one of them is dropped later.
    not_a_place: [AtomicU64; 2],
    not_in_mapping: AtomicU64,
    withheld: AtomicU64,
    first_row: AtomicU64,
}

impl UnplacedCounter {
    pub(crate) fn new(variables: &[String], unknown: Unknown) -> Arc<Self> {
        Arc::new(Self {
            variables: variables.to_vec(),
            unknown,
            not_a_place: Default::default(),
            not_in_mapping: AtomicU64::new(0),
            withheld: AtomicU64::new(0),
            first_row: AtomicU64::new(u64::MAX),
        })
    }

    fn note(&self, counter: &AtomicU64, row: u64) {
        counter.fetch_add(1, Ordering::Relaxed);
        self.first_row.fetch_min(row, Ordering::Relaxed);
    }

    /// What was made missing; an error if the spec refuses such values.
    pub(crate) fn settle(&self) -> Result<Option<UnplacedValues>> {
        let [one, other] = [0, 1].map(|direction: usize| self.not_a_place[direction].load(Ordering::Relaxed));
        let blanked = UnplacedValues {
            variables: self.variables.clone(),
            not_a_place: one.max(other),
            not_in_mapping: self.not_in_mapping.load(Ordering::Relaxed),
            withheld: self.withheld.load(Ordering::Relaxed),
            first_row: self.first_row.load(Ordering::Relaxed),
        };
        if blanked.records() == 0 {
            return Ok(None);
        }
        if self.unknown == Unknown::Blank {
            return Ok(Some(blanked));
        }
        let help = "correct the data, leave the records out, or blank such values: `--unknown blank`, or `unknown = \
            \"blank\"` in the step";
        let fault = Error::input(blanked.to_string()).row(blanked.first_row).variable(self.variables.join(", "));
        Err(fault.help(help).into())
    }
}

/// Values that could not be placed and were left out of their records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnplacedValues {
    /// The variables of the step.
    pub variables: Vec<String>,
    /// Records whose value is not a code, or not on the grid.
    pub not_a_place: u64,
    /// Records whose code the mapping does not know.
    pub not_in_mapping: u64,
    /// Records whose code the mapping withholds.
    pub withheld: u64,
    /// The first such record.
    pub first_row: u64,
}

impl UnplacedValues {
    /// Records concerned.
    pub fn records(&self) -> u64 {
        self.not_a_place + self.not_in_mapping + self.withheld
    }
}

impl std::fmt::Display for UnplacedValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds = [
            (self.not_a_place, "a value that is not a place"),
            (self.not_in_mapping, "a code that the mapping does not know"),
            (self.withheld, "a code that the mapping withholds, because too few people live there"),
        ];
        let told: Vec<String> = (kinds.iter())
            .filter(|(records, _)| *records > 0)
            .map(|(records, what)| match records {
                1 => format!("1 record has {what}"),
                records => format!("{records} records have {what}"),
            })
            .collect();
        f.write_str(&told.join(", and "))
    }
}

/// What a function does to a record.
#[derive(Debug)]
enum Coarsening {
    /// A code becomes the one that may be published.
    Code(Arc<Lookup>),
    /// A grid reference becomes that of its cell.
    Reference(CellSize),
    /// Two coordinates become one of those of their cell's corner.
    Point { cell: CellSize, degrees: bool, direction: Direction },
}

/// Which coordinate of a corner is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    East,
    North,
}

/// A step on places, made of its variables and the row number.
#[derive(Debug)]
pub(crate) struct Coarsen {
    coarsening: Coarsening,
    tally: Arc<UnplacedCounter>,
}

impl Coarsen {
    /// Codes by a mapping.
    pub(crate) fn codes(mapping: Arc<Lookup>, tally: Arc<UnplacedCounter>) -> Self {
        Self { coarsening: Coarsening::Code(mapping), tally }
    }

    /// Grid references by a cell.
    pub(crate) fn references(cell: CellSize, tally: Arc<UnplacedCounter>) -> Self {
        Self { coarsening: Coarsening::Reference(cell), tally }
    }

    /// One coordinate of the corner of a point's cell.
    pub(crate) fn points(cell: CellSize, given: GridForm, direction: Direction, tally: Arc<UnplacedCounter>) -> Self {
        let degrees = given == GridForm::Degrees;
        Self { coarsening: Coarsening::Point { cell, degrees, direction }, tally }
    }

    fn codes_of(&self, mapping: &Lookup, codes: &StringArray, rows: &PrimitiveArray<UInt64Type>) -> Result<ArrayRef> {
        let mut published = StringBuilder::with_capacity(codes.len(), codes.len() * 4);
        for (at, code) in codes.iter().enumerate() {
            match code.filter(|code| !is_blank(code)).map(|code| mapping.place(code)) {
                None => published.append_null(),
                Some(MappedValue::Published(code)) => published.append_value(code),
                Some(refused) => {
                    let counter = match refused {
                        MappedValue::NotInMapping => &self.tally.not_in_mapping,
                        MappedValue::Withheld => &self.tally.withheld,
                        MappedValue::NotACode | MappedValue::Published(_) => &self.tally.not_a_place[0],
                    };
                    self.tally.note(counter, rows.value(at));
                    published.append_null();
                }
            }
        }
        Ok(Arc::new(published.finish()))
    }

    fn references_of(
        &self,
        cell: CellSize,
        references: &StringArray,
        rows: &PrimitiveArray<UInt64Type>,
    ) -> Result<ArrayRef> {
        let mut coarse = StringBuilder::with_capacity(references.len(), references.len() * 8);
        for (at, reference) in references.iter().enumerate() {
            let Some(reference) = reference.filter(|reference| !is_blank(reference)) else {
                coarse.append_null();
                continue;
            };
            match GridReference::parse(reference).and_then(|reference| reference.coarsen(cell)) {
                Ok(reference) => coarse.append_value(reference.to_string()),
                Err(_) => {
                    self.tally.note(&self.tally.not_a_place[0], rows.value(at));
                    coarse.append_null();
                }
            }
        }
        Ok(Arc::new(coarse.finish()))
    }

    fn points_of(
        &self,
        cell: CellSize,
        degrees: bool,
        direction: Direction,
        given: [&ArrayRef; 2],
        rows: &PrimitiveArray<UInt64Type>,
    ) -> Result<ArrayRef> {
        let [a, b] = [Coordinates::from_column(given[0])?, Coordinates::from_column(given[1])?];
        let mut corners = Int64Builder::with_capacity(rows.len());
        for at in 0..rows.len() {
            if a.is_missing(at) && b.is_missing(at) {
                corners.append_null();
                continue;
            }
            let corner = a.value(at).zip(b.value(at)).and_then(|(a, b)| corner(a, b, degrees, cell));
            match (corner, direction) {
                (Some((east, _)), Direction::East) => corners.append_value(i64::from(east)),
                (Some((_, north)), Direction::North) => corners.append_value(i64::from(north)),
                (None, direction) => {
                    self.tally.note(&self.tally.not_a_place[direction as usize], rows.value(at));
                    corners.append_null();
                }
            }
        }
        Ok(Arc::new(corners.finish()))
    }
}

/// A column of coordinates: numbers, and which of them are missing rather than wrong.
struct Coordinates {
    numbers: ArrayRef,
    text: Option<StringArray>,
}

impl Coordinates {
    fn from_column(column: &ArrayRef) -> Result<Self> {
        let text = if column.data_type().is_numeric() { None } else { Some(text_of(column)?) };
        let numbers = match &text {
            Some(text) => cast(text, &DataType::Float64),
            None => cast(column, &DataType::Float64),
        };
        Ok(Self { numbers: numbers.map_err(Error::bug)?, text })
    }

    fn value(&self, at: usize) -> Option<f64> {
        self.numbers.is_valid(at).then(|| self.numbers.as_primitive::<Float64Type>().value(at))
    }

    fn is_missing(&self, at: usize) -> bool {
        match &self.text {
            Some(text) => text.is_null(at) || is_blank(text.value(at)),
            None => self.numbers.is_null(at),
        }
    }
}

/// Metres below this in both directions are latitudes and longitudes that somebody took for metres. The corner of the
/// grid is in the open sea, 80 km from Scilly.
const DEGREES_BELOW: f64 = 180.0;

fn corner(a: f64, b: f64, degrees: bool, cell: CellSize) -> Option<(u32, u32)> {
    let (easting, northing) = match degrees {
        true => grid::from_lat_lon(a, b).ok()?,
        false if a < DEGREES_BELOW && b < DEGREES_BELOW => return None,
        false => (a, b),
    };
    grid::coarsen(easting, northing, cell).ok()
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn text_of(column: &ArrayRef) -> Result<StringArray> {
    Ok(cast(column, &DataType::Utf8).map_err(Error::bug)?.as_string::<i32>().clone())
}

impl Change for Coarsen {
    fn data_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.coarsening {
            Coarsening::Point { .. } => DataType::Int64,
            Coarsening::Code(_) | Coarsening::Reference(_) => DataType::Utf8,
        })
    }

    fn change(&self, columns: &[ArrayRef]) -> Result<ArrayRef> {
        let [values @ .., rows] = columns else { return Err(Error::bug("a step was called without columns")) };
        let rows = rows.as_primitive_opt::<UInt64Type>().ok_or_else(|| Error::bug("the row numbers are gone"))?;
        match (&self.coarsening, values) {
            (Coarsening::Code(mapping), [codes]) => self.codes_of(mapping, &text_of(codes)?, rows),
            (Coarsening::Reference(cell), [references]) => self.references_of(*cell, &text_of(references)?, rows),
            (Coarsening::Point { cell, degrees, direction }, [a, b]) => {
                self.points_of(*cell, *degrees, *direction, [a, b], rows)
            }
            _ => Err(Error::bug("a step was called with other columns than it has")),
        }
    }
}
