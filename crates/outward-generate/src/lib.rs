//! Made-up data of a realistic shape, the same for the same seed.
//!
//! Nobody in it exists. It looks like the data of organisations before a release: direct identifiers, related keys,
//! households, missing values, free text that contains names. Every block is a pure function of the dataset, the number
//! of rows, the seed and the block's number. So blocks can be made on many threads and written in order, and a file of
//! any size needs the memory of a few blocks.
//!
//! ```
//! use outward_generate::{Dataset, Generator};
//!
//! let generator = Generator::new(Dataset::Census, 10_000, 1);
//! let persons: usize = (0..generator.blocks()).map(|block| generator.block(block)[0].num_rows()).sum();
//! assert_eq!(persons, 10_000);
//! ```

mod biobank;
mod census;
mod columns;
mod dates;
mod draw;
mod education;
mod energy;
mod people;
mod places;
mod postcodes;
mod road;

use std::fmt;
use std::str::FromStr;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use columns::Layout;
use draw::Draw;

pub use road::factors::{FACTORS, Factor};

/// Main units (persons, properties, enrolments, collisions, participants, postcodes) in a block; the last block may be
/// shorter.
pub const BLOCK_UNITS: u64 = 8_192;

/// A kind of data that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dataset {
    /// Persons in households, with the variables of a population census.
    Census,
    /// Dwellings with their energy consumption.
    Energy,
    /// Enrolments of learners on further education courses.
    Education,
    /// Road collisions with the vehicles and casualties involved.
    Road,
    /// Participants of a health study with visits, hospital admissions and blood results.
    Biobank,
    /// Postcodes with the people and households who live there.
    Postcodes,
}

/// One table of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedTable {
    /// The table's name, fit for a file name.
    pub name: &'static str,
    /// Its columns.
    pub schema: SchemaRef,
}

impl Dataset {
    /// Every dataset, in the order in which they are listed to people.
    pub const ALL: [Dataset; 6] =
        [Dataset::Census, Dataset::Energy, Dataset::Education, Dataset::Road, Dataset::Biobank, Dataset::Postcodes];

    /// The name by which people ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Dataset::Census => "census",
            Dataset::Energy => "energy",
            Dataset::Education => "education",
            Dataset::Road => "road",
            Dataset::Biobank => "biobank",
            Dataset::Postcodes => "postcodes",
        }
    }

    /// One sentence about what it holds.
    pub fn description(self) -> &'static str {
        match self {
            Dataset::Census => "Persons in households: identifiers, demography, belief, work and health.",
            Dataset::Energy => "Dwellings: type, age and size, insulation, gas and electricity use.",
            Dataset::Education => "Enrolments: learners, providers and some 5,000 learning aims with a long tail.",
            Dataset::Road => "Road collisions with their vehicles, casualties and contributory factors.",
            Dataset::Biobank => "A cohort: identifiers, visits, hospital admissions, biomarkers, surroundings, texts.",
            Dataset::Postcodes => "Postcodes: where each lies, and how many residents and households it has.",
        }
    }

    /// What `rows` counts for this dataset.
    pub fn unit(self) -> &'static str {
        match self {
            Dataset::Census => "persons",
            Dataset::Energy => "properties",
            Dataset::Education => "enrolments",
            Dataset::Road => "collisions",
            Dataset::Biobank => "participants",
            Dataset::Postcodes => "postcodes",
        }
    }

    /// Its tables, in the order in which a block gives them; the first is the table of the main unit.
    pub fn tables(self) -> Vec<GeneratedTable> {
        let table = |layout: &Layout| GeneratedTable { name: layout.name, schema: layout.schema.clone() };
        match self {
            Dataset::Census => vec![table(census::layout())],
            Dataset::Energy => vec![table(energy::layout())],
            Dataset::Education => vec![table(education::layout())],
            Dataset::Road => road::layouts().iter().map(table).collect(),
            Dataset::Biobank => biobank::layouts().iter().map(table).collect(),
            Dataset::Postcodes => vec![table(postcodes::layout())],
        }
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no dataset's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no dataset of the name '{0}'; there are census, energy, education, road, biobank and postcodes")]
pub struct UnknownDataset(pub String);

impl FromStr for Dataset {
    type Err = UnknownDataset;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Dataset::ALL.into_iter().find(|dataset| dataset.name() == name).ok_or_else(|| UnknownDataset(name.to_owned()))
    }
}

/// Makes the blocks of one dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generator {
    dataset: Dataset,
    rows: u64,
    seed: u64,
}

/// The units of one block: their first number in the whole file and how many they are. The dataset has a seed for what
/// is numbered through the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) units: usize,
    pub(crate) seed: u64,
}

impl Generator {
    /// A generator of `rows` main units. There are only so many postcodes as inward codes allow, 9.6 million; a file
    /// of more ends there.
    pub fn new(dataset: Dataset, rows: u64, seed: u64) -> Self {
        Generator { dataset, rows, seed }
    }

    /// How many blocks there are. No rows are still one block, so that a file with a header comes out.
    pub fn blocks(&self) -> u64 {
        self.rows.div_ceil(BLOCK_UNITS).max(1)
    }

    /// One batch per table. A block past the end is empty.
    pub fn block(&self, index: u64) -> Vec<RecordBatch> {
        let start = index.saturating_mul(BLOCK_UNITS);
        let units = self.rows.saturating_sub(start).min(BLOCK_UNITS) as usize;
        let span = Span { start, units, seed: self.seed ^ ((self.dataset as u64) << 40) };
        let mut draw = Draw::new(self.dataset as u8, self.seed, index);
        match self.dataset {
            Dataset::Census => vec![census::block(&mut draw, span)],
            Dataset::Energy => vec![energy::block(&mut draw, span)],
            Dataset::Education => vec![education::block(&mut draw, span)],
            Dataset::Road => road::block(&mut draw, span),
            Dataset::Biobank => biobank::block(&mut draw, span),
            Dataset::Postcodes => vec![postcodes::block(&mut draw, span, self.rows)],
        }
    }
}
