//! Record linkage after Fellegi and Sunter (1969): comparisons, blocking, estimation, pairs, clusters.
//!
//! A [`Model`] says what is compared, in the JSON of Splink. A [`Linker`] puts it to the records of one file or two: it can train the model
//! and score pairs. Records are columns of codes. What depends on values is computed once for each distinct value, or pair of values, and
//! what depends on agreement once for each pattern. Every result is the same on any number of threads.

mod accuracy;
mod assign;
mod blocking;
mod cluster;
mod comparer;
mod condition;
mod dependence;
mod estimate;
mod frequency;
mod linker;
mod model;
mod pairs;
mod propose;
mod records;
mod report;
mod score;
mod scored;
mod similarity;
mod sql;
mod time;
mod value;

pub use accuracy::Accuracy;
pub use assign::{Assignment, assign_one_to_one};
pub use blocking::{MAX_COMPARISONS, RuleCount};
pub use cluster::Clusters;
pub use estimate::{Run, Step, Trained, Training};
pub use linker::{Linker, Settings, columns_of_rules};
pub use model::{BlockingRule, Comparison, Level, LinkType, Model};
pub use propose::{Content, Proposal, propose};
pub use records::Records;
pub use report::{Linked, report};
pub use score::{Term, Waterfall, probability_of, weight_of};
pub use scored::{Scored, ScoredPair, ThresholdCount};
