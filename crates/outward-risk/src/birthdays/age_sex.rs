//! How many people of each age and sex live in each place.

use std::collections::{BTreeMap, HashMap};

use outward_error::{Error, Result};

use super::band::{Band, OLDEST, OpenBand};

/// One row of a long age–sex table.
#[derive(Debug, Clone, PartialEq)]
pub struct AgeSexRow<'a> {
    /// The place.
    pub place: &'a str,
    /// The sex, in any words. Rows for both sexes together must be left out.
    pub sex: &'a str,
    /// The first year of age it stands for.
    pub age: u32,
    /// How many years of age.
    pub band: Band,
    /// People: a whole number, given as read so that a bad one can be refused with its row.
    pub people: f64,
}

/// People of one sex and age band in one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AgeSexCell {
    pub(super) sex: u32,
    pub(super) age: u32,
    /// Position in the table's `spreads`.
    pub(super) spread: usize,
    /// Whole in a table that was read; expected numbers in one made from a curve.
    pub(super) people: f64,
}

/// A place with its cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AgeSexPlace {
    pub(super) name: String,
    pub(super) cells: Vec<AgeSexCell>,
}

/// People by place, sex and age.
#[derive(Debug, Clone, PartialEq)]
pub struct AgeSexTable {
    places: Vec<AgeSexPlace>,
    /// For each kind of band, the share of its people in each year of birth.
    spreads: Vec<Vec<f64>>,
    /// Whether the band of that kind is open at its end.
    open: Vec<bool>,
}

impl AgeSexTable {
    /// A table from long rows, the first being row 1. Places keep the order in which they first occur.
    ///
    /// ```
    /// use outward_risk::birthdays::{AgeSexRow, AgeSexTable, Band, OpenBand};
    /// let row = |sex, people| AgeSexRow { place: "here", sex, age: 30, band: Band::Years(1), people };
    /// let table = AgeSexTable::from_rows([row("f", 20.0), row("m", 18.0)], OpenBand::default())?;
    /// assert_eq!(table.people(), 38.0);
    /// # Ok::<(), outward_risk::Error>(())
    /// ```
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = AgeSexRow<'a>>, open_band: OpenBand) -> Result<Self> {
        Self::from_numbered_rows((1..).zip(rows), open_band)
    }

    /// The same, with the numbers by which errors name the rows.
    pub fn from_numbered_rows<'a>(
        rows: impl IntoIterator<Item = (u64, AgeSexRow<'a>)>,
        open_band: OpenBand,
    ) -> Result<Self> {
        let mut reading = TableReader::default();
        for (number, row) in rows {
            reading.read(&row, number, open_band)?;
        }
        reading.finish()
    }

    /// One place with expected numbers of people.
    pub(super) fn of_cells(name: String, cells: Vec<AgeSexCell>, like: &Self) -> Self {
        Self { places: vec![AgeSexPlace { name, cells }], spreads: like.spreads.clone(), open: like.open.clone() }
    }

    /// One place with single years of age.
    pub(super) fn single_years(name: &str, cells: Vec<AgeSexCell>) -> Self {
        let places = vec![AgeSexPlace { name: name.to_owned(), cells }];
        Self { places, spreads: vec![vec![1.0]], open: vec![false] }
    }

    /// Only the people aged `from` to `to`, both included. `None` for `to` takes all ages from `from` on. Places without
    /// such people are left out.
    pub fn ages(&self, from: u32, to: Option<u32>) -> Result<Self> {
        let last = |cell: &AgeSexCell| match self.open[cell.spread] {
            true => u32::MAX,
            false => cell.age + self.spreads[cell.spread].len() as u32 - 1,
        };
        let to = to.unwrap_or(u32::MAX);
        let cells = || self.places.iter().flat_map(|place| &place.cells);
        let (youngest, oldest) = (cells().map(|cell| cell.age).min(), cells().map(last).max());
        let beyond = youngest.is_none_or(|age| from < age) || oldest.is_none_or(|age| to != u32::MAX && to > age);
        let cut = cells().any(|cell| (from > cell.age && from <= last(cell)) || (to >= cell.age && to < last(cell)));
        if from > to || beyond || cut || cells().all(|cell| cell.age < from) {
            return Err(Error::input("the ages asked for are not ages of the table")
                .help("ask for ages that begin and end with an age band of the table")
                .into());
        }
        let mut narrowed = self.clone();
        for place in &mut narrowed.places {
            place.cells.retain(|cell| cell.age >= from && last(cell) <= to);
        }
        narrowed.places.retain(|place| place.people() > 0.0);
        match narrowed.places.is_empty() {
            true => Err(Error::input("nobody in the table has the ages asked for").into()),
            false => Ok(narrowed),
        }
    }

    /// People in all places.
    pub fn people(&self) -> f64 {
        self.places.iter().map(AgeSexPlace::people).sum()
    }

    /// Names of the places, in order.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| place.name.as_str())
    }

    /// The largest share of a place's people in one cell, over places: 0.01 is the paper's bound.
    pub fn largest_cell_share(&self) -> f64 {
        let shares = self.places.iter().flat_map(|place| {
            let people = place.people();
            place.cells.iter().map(move |cell| cell.people / people)
        });
        shares.fold(0.0, f64::max)
    }

    /// All places together as one.
    pub(super) fn together(&self) -> Vec<AgeSexCell> {
        let mut sums: BTreeMap<(u32, u32, usize), f64> = BTreeMap::new();
        for cell in self.places.iter().flat_map(|place| &place.cells) {
            *sums.entry((cell.sex, cell.age, cell.spread)).or_default() += cell.people;
        }
        sums.into_iter().map(|((sex, age, spread), people)| AgeSexCell { sex, age, spread, people }).collect()
    }

    pub(super) fn place_cells(&self) -> &[AgeSexPlace] {
        &self.places
    }

    pub(super) fn spreads(&self) -> &[Vec<f64>] {
        &self.spreads
    }
}

impl AgeSexPlace {
    pub(super) fn people(&self) -> f64 {
        self.cells.iter().map(|cell| cell.people).sum()
    }

    /// The cells that an intruder can distinguish. If the sex is not known, the sexes are pooled.
    pub(super) fn told_apart(&self, sex_known: bool) -> Result<Vec<AgeSexCell>> {
        if sex_known {
            return Ok(self.cells.clone());
        }
        let mut pooled: BTreeMap<u32, AgeSexCell> = BTreeMap::new();
        for cell in self.cells.iter().filter(|cell| cell.people > 0.0) {
            let sum = pooled.entry(cell.age).or_insert(AgeSexCell { sex: 0, people: 0.0, ..*cell });
            if sum.spread != cell.spread {
                return Err(Error::input("the age bands of the sexes differ, so that they cannot be taken together")
                    .help("give both sexes in the same age bands, or keep the sex")
                    .into());
            }
            sum.people += cell.people;
        }
        Ok(pooled.into_values().collect())
    }
}

/// A table while it is read.
#[derive(Default)]
struct TableReader {
    places: Vec<(AgeSexPlace, u64)>,
    place_at: HashMap<String, usize>,
    sexes: Vec<u64>,
    sex_at: HashMap<String, u32>,
    spreads: Vec<Vec<f64>>,
    spread_at: HashMap<Band, usize>,
    /// For each cell the row it came from, beside the cells of each place.
    rows: Vec<Vec<u64>>,
}

impl TableReader {
    fn read(&mut self, row: &AgeSexRow<'_>, number: u64, open_band: OpenBand) -> Result<()> {
        if !row.people.is_finite() || row.people < 0.0 || row.people.fract() != 0.0 {
            let help = "an age–sex table holds whole numbers of people, 0 or more";
            return Err(Error::input("the number of people is not a count").row(number).help(help).into());
        }
        let years = match row.band {
            Band::Years(years) => years,
            Band::Open => 1,
        };
        if years == 0 || row.age.saturating_add(years) > OLDEST + 1 {
            let help = format!("ages go from 0 to {OLDEST}, a band has at least one year, and the last may be open");
            return Err(Error::input("the age is not an age of people").row(number).help(help).into());
        }
        let spread = self.spread(row.band, open_band)?;
        let next = self.places.len();
        let at = *self.place_at.entry(row.place.to_owned()).or_insert(next);
        if at == next {
            self.places.push((AgeSexPlace { name: row.place.to_owned(), cells: Vec::new() }, number));
            self.rows.push(Vec::new());
        }
        let sex = *self.sex_at.entry(row.sex.to_owned()).or_insert(self.sexes.len() as u32);
        if sex as usize == self.sexes.len() {
            self.sexes.push(number);
        }
        self.places[at].0.cells.push(AgeSexCell { sex, age: row.age, spread, people: row.people });
        self.rows[at].push(number);
        Ok(())
    }

    fn spread(&mut self, band: Band, open_band: OpenBand) -> Result<usize> {
        if let Some(at) = self.spread_at.get(&band) {
            return Ok(*at);
        }
        self.spreads.push(match band {
            Band::Years(years) => vec![1.0 / f64::from(years); years as usize],
            Band::Open => open_band.years()?,
        });
        self.spread_at.insert(band, self.spreads.len() - 1);
        Ok(self.spreads.len() - 1)
    }

    fn finish(self) -> Result<AgeSexTable> {
        if self.places.is_empty() {
            return Err(Error::input("the age–sex table has no rows").into());
        }
        self.check_totals()?;
        let empty: Vec<u64> =
            self.places.iter().filter(|(place, _)| place.people() == 0.0).map(|(_, row)| *row).collect();
        if let Some(first) = empty.first() {
            let what = match empty.len() {
                1 => "this place has no people".to_owned(),
                n => format!("{n} places have no people, the first of them this one"),
            };
            let help = "leave them out, such as with --where on a column of all people";
            return Err(Error::input(what).row(*first).help(help).into());
        }
        let mut open = vec![false; self.spreads.len()];
        if let Some(at) = self.spread_at.get(&Band::Open) {
            open[*at] = true;
        }
        self.check_overlaps(&open)?;
        let places = self.places.into_iter().map(|(place, _)| place).collect();
        Ok(AgeSexTable { places, spreads: self.spreads, open })
    }

    /// No age of a sex is counted twice in a place.
    fn check_overlaps(&self, open: &[bool]) -> Result<()> {
        for ((place, _), rows) in self.places.iter().zip(&self.rows) {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|at| (place.cells[*at].sex, place.cells[*at].age, rows[*at]));
            for pair in order.windows(2) {
                let (cell, next) = (place.cells[pair[0]], place.cells[pair[1]]);
                let end = cell.age + self.spreads[cell.spread].len() as u32;
                if cell.sex == next.sex && (open[cell.spread] || next.age < end) {
                    return Err(Error::input("this row counts ages again that another row of its place and sex has")
                        .row(rows[pair[1]])
                        .help("give each age of a place and sex once")
                        .into());
                }
            }
        }
        Ok(())
    }

    /// A third sex that is always the sum of the others is a row of totals, and would count everybody twice.
    fn check_totals(&self) -> Result<()> {
        if self.sexes.len() < 3 || self.places.iter().all(|(place, _)| place.people() == 0.0) {
            return Ok(());
        }
        let mut twice = vec![true; self.sexes.len()];
        for (place, _) in self.places.iter().filter(|(place, _)| place.people() > 0.0) {
            let people = place.people();
            let mut of_sex = vec![0.0; self.sexes.len()];
            place.cells.iter().for_each(|cell| of_sex[cell.sex as usize] += cell.people);
            twice.iter_mut().zip(of_sex).for_each(|(twice, of_sex)| *twice &= of_sex * 2.0 == people);
        }
        match twice.iter().position(|twice| *twice) {
            None => Ok(()),
            Some(sex) => Err(Error::input("the rows of this sex are the sum of the others")
                .row(self.sexes[sex])
                .help("leave the rows for all sexes together out, such as with --where, or everyone counts twice")
                .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn row(place: &'static str, sex: &'static str, age: u32, band: Band, people: f64) -> AgeSexRow<'static> {
        AgeSexRow { place, sex, age, band, people }
    }

    fn refused(rows: Vec<AgeSexRow<'static>>) -> Option<u64> {
        AgeSexTable::from_rows(rows, OpenBand::default()).unwrap_err().fault().unwrap().place.row
    }

    #[test]
    fn counts_that_are_negative_fractional_or_missing_are_refused_with_their_row() {
        for people in [-1.0, 2.5, f64::NAN, f64::INFINITY] {
            let rows = vec![row("a", "f", 0, Band::Years(1), 3.0), row("a", "f", 1, Band::Years(1), people)];
            assert_eq!(refused(rows), Some(2));
        }
        assert_eq!(refused(vec![]), None);
    }

    #[test]
    fn a_place_without_people_is_refused_with_its_first_row() {
        let rows = vec![row("a", "f", 0, Band::Years(1), 3.0), row("b", "f", 0, Band::Years(1), 0.0)];
        assert_eq!(refused(rows), Some(2));
    }

    #[test]
    fn ages_counted_twice_are_refused() {
        let year = Band::Years(1);
        assert_eq!(refused(vec![row("a", "f", 4, year, 3.0), row("a", "f", 0, Band::Years(5), 3.0)]), Some(1));
        assert_eq!(refused(vec![row("a", "f", 90, Band::Open, 3.0), row("a", "f", 95, year, 3.0)]), Some(2));
        assert_eq!(refused(vec![row("a", "f", 131, year, 3.0)]), Some(1));
        assert_eq!(refused(vec![row("a", "f", 3, Band::Years(0), 3.0)]), Some(1));
    }

    #[test]
    fn rows_for_all_sexes_are_noticed() {
        let year = Band::Years(1);
        let rows = [("all", 9.0), ("f", 4.0), ("m", 5.0)].map(|(sex, people)| row("a", sex, 3, year, people));
        assert_eq!(refused(rows.to_vec()), Some(1));
    }

    #[test]
    fn ages_beyond_the_table_or_across_a_band_are_refused() {
        let rows = [
            row("a", "f", 10, Band::Years(5), 3.0),
            row("a", "f", 15, Band::Years(5), 4.0),
            row("a", "f", 20, Band::Open, 5.0),
        ];
        let table = AgeSexTable::from_rows(rows, OpenBand::OneYear).unwrap();
        assert_eq!(table.ages(15, None).unwrap().people(), 9.0);
        assert_eq!(table.ages(10, Some(19)).unwrap().people(), 7.0);
        for (from, to) in [(9, None), (12, None), (10, Some(17)), (15, Some(25)), (15, Some(14)), (30, None)] {
            assert!(table.ages(from, to).is_err(), "{from} {to:?}");
        }
        let closed = AgeSexTable::from_rows([row("a", "f", 10, Band::Years(5), 3.0)], OpenBand::OneYear).unwrap();
        assert!(closed.ages(10, Some(40)).is_err());
    }
}
