//! The vocabulary of a release: variables, hierarchies, policies, findings and the spec file.

mod document;
mod finding;
mod hierarchy;
pub mod hrc;
mod policy;
mod scenarios;
mod shipped;
mod source;
mod spec;
mod variable;

pub use finding::{Finding, FindingKind, Severity, explain, kinds};
pub use hierarchy::{ANYTHING, DatePart, Edges, Hierarchy, HierarchySpec, Number, Tree};
pub use outward_error::{Error, Excerpt, Fault, FaultPlace, Result, nearest, suggest};
pub use policy::{
    AllCombinations, AlwaysCase, CaseRating, Distance, Diversity, Dominance, IntruderRules, MagnitudeRules, Policy,
    PolicyChoice, Presence, RiskCategory, Rules, TableCase, TableRules, Thresholds, Tier, WeakK,
};
pub use scenarios::ScenarioFile;
pub use shipped::{Rated, ratings, shipped};
pub use source::{Delimiter, Encoding, Format, Source, Type};
pub use spec::{
    Aggregate, AttackKind, Centre, Extreme, GridForm, HidingCost, Intruder, Known, KnownError, Linked, LossMeasure,
    Measure, MistakeKind, NoiseKind, Output, PlanChoice, Protection, ProtectionMethod, Rounding, Sampling, Scenario,
    Spec, Step, Table, TrueTable, Unknown,
};
pub use variable::{Missing, Rating, Role, Variable};
