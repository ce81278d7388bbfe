//! Places that overlap: local authorities and police forces cut one country in two ways, and neither follows from the
//! other (K4).
//!
//! Everyone knows from a map which authorities a force covers. Suppose that a force lies wholly in one authority. The
//! authority less the force is then the people of its other part, whom no table need show. So the values of both become
//! groups of the pieces into which they cut each other, as if hierarchies of one column gave them. Which pieces there
//! are is taken from the records. A piece where nobody lives is taken to be known as empty: the attacker is then assumed
//! to know more than they do, never less.
//!
//! Where somebody lives and where they work are two places that overlap nearly everywhere. Two ways to cut one area meet
//! in few pieces. [`is_one_area`] tells them apart.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hashbrown::HashMap;
use outward_spec::{Result, Variable};

use super::column::VariableColumn;
use super::{InnerTable, Maker};
use crate::files::Answers;
use crate::source::ValueSource;

/// Places that are joined: the pieces into which they cut each other are the values of one source.
#[derive(Debug)]
pub(super) struct JoinedPlaces {
    /// The name of the pieces, which no variable of the spec has.
    pub(super) name: String,
    /// Their source.
    pub(super) source: ValueSource,
}

/// A place that tables show and that follows from no other.
struct Place {
    name: String,
    source: ValueSource,
    /// The units whose tables show it.
    units: BTreeSet<usize>,
}

/// Whether two columns cut one area in two ways, by the numbers of their values and of the pairs that occur. Two maps
/// of one area meet in about as many pieces as they have parts together. If all pairs occur, no pair is known to be
/// impossible.
pub fn is_one_area(values: [usize; 2], pairs: usize) -> bool {
    pairs <= values[0] + values[1] && pairs < values[0] * values[1]
}

impl Maker<'_> {
    /// Makes places that overlap groups of the pieces into which they cut each other.
    pub(super) fn join_places(&mut self, tables: &mut [InnerTable]) -> Result<()> {
        let places = self.places(tables)?;
        for group in self.overlapping(&places)? {
            let own: Vec<&Place> = group.iter().map(|at| &places[*at]).collect();
            self.join(&own, tables)?;
        }
        Ok(())
    }

    /// The places with one value for each record that tables show, each source once, without those that follow from
    /// another.
    fn places(&self, tables: &[InnerTable]) -> Result<Vec<Place>> {
        let mut places: Vec<Place> = Vec::new();
        for of in tables.iter().filter(|of| of.wanted.given.is_none()) {
            for (name, base) in of.variables().filter(|(_, base)| base.sets.is_none() && base.pairs.is_none()) {
                let is_own = ValueSource::of_variable(self.variable(name)?) == base.source;
                if !is_own || base.source.columns.len() != 1 || !self.is_place_source(&base.source) {
                    continue;
                }
                match places.iter_mut().find(|known| known.source == base.source) {
                    Some(known) => _ = known.units.insert(of.unit),
                    None => places.push(Place {
                        name: name.clone(),
                        source: base.source.clone(),
                        units: BTreeSet::from([of.unit]),
                    }),
                }
            }
        }
        Ok(places)
    }

    /// Whether a variable that reads these columns is a place.
    fn is_place_source(&self, source: &ValueSource) -> bool {
        let reads = |of: &&Variable| ValueSource::of_variable(of) == *source;
        self.spec.variables.iter().filter(reads).any(|of| self.is_place(&of.name))
    }

    /// The groups of places that overlap, directly or through others.
    fn overlapping(&mut self, places: &[Place]) -> Result<Vec<Vec<usize>>> {
        let mut groups: Vec<Vec<usize>> = (0..places.len()).map(|at| vec![at]).collect();
        for other in 0..places.len() {
            for one in 0..other {
                let pair = [&places[one], &places[other]];
                let of = |at: usize| groups.iter().position(|group| group.contains(&at)).unwrap_or_default();
                let (first, second) = (of(one), of(other));
                if first == second || pair[0].source.from != pair[1].source.from {
                    continue;
                }
                let pieces = self.pieces(&pair)?;
                let values = [0, 1].map(|at| pieces.iter().map(|piece| &piece[at]).collect::<BTreeSet<_>>().len());
                if is_one_area(values, pieces.len()) {
                    let joined = groups.remove(first.max(second));
                    groups[first.min(second)].extend(joined);
                }
            }
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        Ok(groups.into_iter().filter(|group| group.len() > 1).collect())
    }

    /// The combinations of values of some places that occur; none if a record may have several values.
    fn pieces(&mut self, places: &[&Place]) -> Result<BTreeSet<Vec<String>>> {
        let units: BTreeSet<usize> = places.iter().flat_map(|place| &place.units).copied().collect();
        let mut pieces = BTreeSet::new();
        for unit in units {
            pieces.extend(self.pieces_of(places, unit)?.0);
        }
        Ok(pieces)
    }

    /// The combinations of values that occur in a unit, in no particular order, and which of them each record has.
    fn pieces_of(&mut self, places: &[&Place], unit: usize) -> Result<(Vec<Vec<String>>, Vec<usize>)> {
        let mut columns: Vec<Rc<VariableColumn>> = Vec::new();
        for place in places {
            columns.push(self.column(self.variable(&place.name)?, unit, None)?);
        }
        if columns.iter().any(|column| matches!(column.answers, Answers::Several(..))) {
            return Ok((Vec::new(), Vec::new()));
        }
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes()).collect();
        let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut of_row = Vec::with_capacity(self.files.rows(unit));
        let mut key = Vec::new();
        for row in 0..self.files.rows(unit) {
            key.clear();
            key.extend(codes.iter().map(|codes| codes[row]));
            let next = known.len();
            of_row.push(*known.entry_ref(&key).or_insert(next));
        }
        let mut pieces = vec![Vec::new(); known.len()];
        for (codes, at) in known {
            let text = |(code, column): (&u32, &Rc<VariableColumn>)| {
                (*code as usize).checked_sub(1).map_or_else(String::new, |at| column.values[at].clone())
            };
            pieces[at] = codes.iter().zip(&columns).map(text).collect();
        }
        Ok((pieces, of_row))
    }

    /// Makes the values of some places groups of the pieces into which they cut each other.
    fn join(&mut self, places: &[&Place], tables: &mut [InnerTable]) -> Result<()> {
        let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
        let mut name = names.join(" × ");
        while self.spec.variable(&name).is_some() || self.numbers.contains_key(&vec![name.clone()]) {
            name.push_str(" ×");
        }
        let source = ValueSource { columns: vec![name.clone()], ..places[0].source.clone() };
        let pieces: Vec<Vec<String>> = self.pieces(places)?.into_iter().collect();
        let numbers = self.numbers.entry(source.columns.clone()).or_default();
        let values: Vec<String> = (1..=pieces.len()).map(|number| number.to_string()).collect();
        let numbers: Vec<u32> = values.iter().map(|value| numbers.number(value)).collect();
        for (at, place) in places.iter().enumerate() {
            let before = self.numbers_of(&place.source, pieces.iter().map(|piece| piece[at].as_str()));
            let mut with: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (before, number) in before.into_iter().zip(&numbers) {
                before.into_iter().for_each(|before| with.entry(before).or_default().push(*number));
            }
            let bases = tables.iter_mut().flat_map(|of| &mut of.inner.bases);
            for base in bases.filter(|base| base.sets.is_none() && base.source == place.source) {
                let pieces = |before: &u32| with.get(before).into_iter().flatten().copied();
                for own in &mut base.numbers {
                    *own = own.iter().flat_map(pieces).collect::<BTreeSet<u32>>().into_iter().collect();
                }
                base.source.clone_from(&source);
            }
        }
        let at: HashMap<&Vec<String>, u32> = pieces.iter().zip(1..).collect();
        for unit in places.iter().flat_map(|place| &place.units).copied().collect::<BTreeSet<usize>>() {
            let (own, of_row) = self.pieces_of(places, unit)?;
            let codes: Vec<u32> = own.iter().map(|piece| at[piece]).collect();
            let codes = of_row.into_iter().map(|piece| codes[piece]).collect();
            let mut column = VariableColumn::of_codes(codes);
            column.values.clone_from(&values);
            self.known.insert((name.clone(), unit, None), Rc::new(column));
        }
        self.joined_places.push(JoinedPlaces { name, source });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_one_area_meet_in_few_pieces_and_homes_and_workplaces_in_many() {
        assert!(is_one_area([3, 2], 4), "three authorities, two forces, one authority in both");
        assert!(!is_one_area([3, 2], 6), "all pairs occur");
        assert!(!is_one_area([20, 20], 300));
        assert!(is_one_area([331, 43], 335));
    }
}
