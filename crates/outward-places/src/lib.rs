//! Postcodes, ZIP codes and grid references that may be published.
//!
//! [`Postcode`] and [`Zip`] read codes in any spelling. [`add_up`] makes a [`Population`] of headcounts. [`pool`] joins
//! codes until each has enough people, by one of four [`Rule`]s. [`study`] compares the rules and thresholds, and
//! [`report()`] shows that as a document. A [`Mapping`] is a pooling as data, and a [`Lookup`] applies it to records.
//! [`grid`] coarsens positions.

mod cost;
pub mod grid;
mod headcounts;
mod lookup;
mod mapping;
mod pool;
mod population;
mod postcode;
mod report;
mod study;
mod sweep;
mod zip;

pub use cost::{Cost, costs};
pub use headcounts::{ColumnNames, CountedPopulation, Headcount, RowPeople, System, add_up};
pub use lookup::{Lookup, MappedValue};
pub use mapping::{Mapping, MappingEntry};
pub use pool::{Assignment, Difference, Group, NATIONAL_POOL, Pooling, Reason, Rule, differences, pool};
pub use population::{NO_LOCATION, Place, Point, Population};
pub use postcode::{Depth, Expected, NotAPostcode, Postcode};
pub use report::report;
pub use study::{Nation, Pool, Study, study};
pub use sweep::{Recommendation, Rescue, Sweep, ThresholdCost, rescued_by, sweep};
pub use zip::{ExpectedInZip, NotAZip, Zip, Zip3};
