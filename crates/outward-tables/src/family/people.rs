//! Which records are in which atoms. Everyone who is counted knows their own atoms and what they contribute to a sum
//! (K7 of `docs/methods/attacker.md`).

use std::collections::BTreeSet;

use super::Family;
use super::units::DATA_UNIT;
use crate::inner::Contribution;
use crate::make::CountedTable;
use crate::table::{Dimension, Table};

/// The records behind the tables of a unit, with the atoms they are in. Records with the same shown values are one
/// entry.
#[derive(Debug, Clone)]
pub(crate) struct InAtoms {
    pub(crate) unit: String,
    /// The tables that have atoms, by position in the family.
    pub(crate) places: Vec<usize>,
    /// For each entry the cells that represent its atoms, in all blocks.
    pub(crate) records: Vec<Vec<u32>>,
    /// How many records each entry has.
    pub(crate) counts: Vec<i64>,
    /// What contributors have in them, by position of the entry, if amounts are added up.
    pub(crate) contributions: Vec<Contribution>,
    /// For a linked file: positions of its entries, with those of the entries of `[data]` that they belong to.
    pub(crate) parents: Vec<(u32, u32)>,
}

/// A person who is counted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Counted {
    /// The finest cells that they are in: atoms, or else cells of one table that are no sums of others.
    pub(crate) own: Vec<u32>,
    /// For a person in a linked file: the atoms of their record of `[data]`.
    pub(crate) parent: Vec<u32>,
    /// The tables for which these cells are complete, by position in the family.
    pub(crate) places: Vec<usize>,
}

impl Family {
    /// Everyone who is counted. People in the same cells are listed once.
    pub(crate) fn counted(&self, made: &[CountedTable]) -> Vec<Counted> {
        let mut counted: BTreeSet<Counted> = BTreeSet::new();
        let data = self.people.iter().find(|of| of.unit == DATA_UNIT);
        for of in &self.people {
            let places = self.places_with_atoms(of);
            let one = |own: &Vec<u32>| Counted { own: own.clone(), parent: Vec::new(), places: places.clone() };
            let parents = data.into_iter().flat_map(|data| of.parents.iter().map(move |pair| (data, pair)));
            let mut with_parents = BTreeSet::new();
            for (data, (own, parent)) in parents {
                with_parents.insert(*own as usize);
                counted.insert(Counted {
                    parent: data.records[*parent as usize].clone(),
                    places: [&places[..], &self.places_with_atoms(data)].concat(),
                    ..one(&of.records[*own as usize])
                });
            }
            let alone = of.records.iter().enumerate().filter(|(at, _)| !with_parents.contains(at));
            counted.extend(alone.map(|(_, own)| one(own)));
        }
        let with_atoms: BTreeSet<usize> = self.people.iter().flat_map(|of| self.places_with_atoms(of)).collect();
        for place in (0..self.tables.len()).filter(|place| !with_atoms.contains(place)) {
            let tallies = &made[self.tables[place]].inner.tallies;
            let finest = self.finest(made, place).into_iter().zip(tallies);
            let own = finest.filter(|(_, tally)| tally.count > 0).map(|(own, _)| own);
            counted.extend(own.map(|own| Counted { own, parent: Vec::new(), places: vec![place] }));
        }
        counted.into_iter().filter(|of| !of.own.is_empty()).collect()
    }

    /// The tables that have atoms of these records, by position in the family.
    pub(crate) fn places_with_atoms(&self, of: &InAtoms) -> Vec<usize> {
        let is_large = |place: &usize| self.too_large.iter().any(|tables| tables.contains(&self.tables[*place]));
        of.places.iter().copied().filter(|place| !is_large(place)).collect()
    }

    /// For each inner cell of a table the cells that count it and are no sums of others.
    fn finest(&self, made: &[CountedTable], place: usize) -> Vec<Vec<u32>> {
        let CountedTable { table, inner, .. } = &made[self.tables[place]];
        let (matrix, sums) = (inner.matrix(&table.dimensions), SummedNodes::new(table));
        let finest = |inner: usize| {
            let own = matrix.row(inner).iter().filter(|cell| !sums.has(table, **cell as usize));
            own.map(|cell| self.cells[place][*cell as usize]).collect()
        };
        (0..inner.tallies.len()).map(finest).collect()
    }

    /// The cells that are no sums of others in one of their tables.
    pub(crate) fn finest_cells(&self, made: &[CountedTable]) -> BTreeSet<u32> {
        let mut cells = BTreeSet::new();
        for (place, own) in self.cells.iter().enumerate() {
            let table = &made[self.tables[place]].table;
            let sums = SummedNodes::new(table);
            cells.extend((0..own.len()).filter(|cell| !sums.has(table, *cell)).map(|cell| own[cell]));
        }
        cells
    }
}

/// The nodes of each dimension of a table that are sums of others.
struct SummedNodes(Vec<BTreeSet<usize>>);

impl SummedNodes {
    fn new(table: &Table) -> Self {
        let of = |dimension: &Dimension| {
            let sums = dimension.sums.iter().filter(|(total, parts)| parts[..] != [*total]);
            sums.map(|(total, _)| *total).collect()
        };
        Self(table.dimensions.iter().map(of).collect())
    }

    /// Whether a cell is the sum of others.
    fn has(&self, table: &Table, cell: usize) -> bool {
        table.nodes(cell).iter().zip(&self.0).any(|(node, sums)| sums.contains(node))
    }
}
