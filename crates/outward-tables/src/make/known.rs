//! What an attacker knows about the records behind tables from elsewhere (K3 to K6 of `docs/methods/attacker.md`). It
//! is made once, together with the tables.

use std::collections::BTreeMap;

use super::records::Records;
use super::rules::{Conditions, SharedColumn};
use crate::source::ValueSource;

/// What an attacker knows about the records behind tables.
#[derive(Debug, Clone, Default)]
pub struct AttackerKnowledge {
    /// For each table, in order.
    pub(crate) of_tables: Vec<TableKnowledge>,
    /// For each unit, by its name.
    pub(crate) of_units: BTreeMap<String, UnitKnowledge>,
}

impl AttackerKnowledge {
    /// Empty knowledge of so many tables.
    pub(super) fn new(tables: usize) -> Self {
        Self { of_tables: vec![TableKnowledge::default(); tables], of_units: BTreeMap::new() }
    }
}

/// What follows about the records that a table counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableKnowledge {
    /// What the condition of the table implies for every record it keeps: the source of a variable with several
    /// answers, and values of which the record has one, by number.
    pub(crate) implied: Vec<(ValueSource, Vec<u32>)>,
    /// What nodes imply that show one of several columns.
    pub(crate) implied_by_nodes: Vec<ImpliedAnswers>,
}

/// Every record in a node has one of some answers, as the node is of one of the columns with the answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImpliedAnswers {
    /// The position of the dimension, and of the node in it.
    pub(crate) dimension: usize,
    pub(crate) node: usize,
    /// The source of the answers.
    pub(crate) source: ValueSource,
    /// The answers, by number.
    pub(crate) values: Vec<u32>,
}

/// What is known about the records of a unit.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitKnowledge {
    /// What the conditions of its tables imply for the values they read, and for each variable tied to these.
    pub(crate) conditions: Vec<Conditions>,
    /// The variables that read one column of a variable with several answers.
    pub(crate) columns: Vec<SharedColumn>,
    /// The records, grouped by everything that its tables show, if they are few enough to be kept.
    pub(crate) records: Option<Records>,
    /// For a linked file: each different record with each different record of `[data]` that it belongs to (K6, K7).
    pub(crate) parents: Vec<(u32, u32)>,
}
