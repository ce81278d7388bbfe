//! What an attacker knows of the records behind tables beside what the tables show (K3 to K6 of `docs/methods/attacker.md`): a value of its
//! own, made once with the tables.

use std::collections::BTreeMap;

use super::records::Records;
use super::rules::{Conditions, SharedColumn};
use crate::source::ValueSource;

/// What an attacker knows of the records behind tables.
#[derive(Debug, Clone, Default)]
pub struct AttackerKnowledge {
    /// Of each table, in their order.
    pub(crate) of_tables: Vec<TableKnowledge>,
    /// Of each unit, by what it is called.
    pub(crate) of_units: BTreeMap<String, UnitKnowledge>,
}

impl AttackerKnowledge {
    /// Nothing yet, of so many tables.
    pub(super) fn new(tables: usize) -> Self {
        Self { of_tables: vec![TableKnowledge::default(); tables], of_units: BTreeMap::new() }
    }
}

/// What follows of the records that a table counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableKnowledge {
    /// What the condition of the table says of everyone it keeps: what a variable of several answers is read from, and values of which
    /// each of them has one, by number.
    pub(crate) implied: Vec<(ValueSource, Vec<u32>)>,
    /// What nodes say that show one of several columns.
    pub(crate) implied_by_nodes: Vec<ImpliedAnswers>,
}

/// Everyone in a node has one of some answers, as the node is of a column that is read for them too.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImpliedAnswers {
    /// The place of the dimension, and of the node in it.
    pub(crate) dimension: usize,
    pub(crate) node: usize,
    /// What the answers are read from.
    pub(crate) source: ValueSource,
    /// The answers, by number.
    pub(crate) values: Vec<u32>,
}

/// What is known of the records of a unit.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitKnowledge {
    /// What the conditions of its tables say of values: of those that they read, and of each variable beside these.
    pub(crate) conditions: Vec<Conditions>,
    /// The variables that read one column of another, of which a record may have several values.
    pub(crate) columns: Vec<SharedColumn>,
    /// The records by all that its tables show, where they are few enough to be held.
    pub(crate) records: Option<Records>,
    /// Of a linked file: each different record with each different record of `[data]` that one of them belongs to (K6, K7).
    pub(crate) parents: Vec<(u32, u32)>,
}
