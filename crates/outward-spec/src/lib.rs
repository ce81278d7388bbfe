//! The vocabulary of a release: variables, hierarchies, policies, findings and the spec file.

mod document;
mod error;
mod finding;
mod hierarchy;
mod policy;
mod source;
mod spec;
mod variable;

pub use error::{Error, Excerpt, Fault, Place, Result, nearest, suggest};
pub use finding::{Finding, FindingKind, Severity, explain, kinds};
pub use hierarchy::{ANYTHING, DatePart, Edges, Hierarchy, HierarchySpec, Number, Tree};
pub use policy::{
    AllCombinations, Distance, Diversity, Policy, PolicyChoice, Presence, Rules, Thresholds, Tier, WeakK,
};
pub use source::{Delimiter, Encoding, Format, Source, Type};
pub use spec::{
    Aggregate, Centre, Extreme, GridForm, Intruder, LossMeasure, NoiseKind, Output, PlanChoice, Sampling, Scenario,
    Spec, Step, Table, TrueTable, Unknown,
};
pub use variable::{Missing, Rating, Role, Variable};
