//! What the models require, combined: the least size of a class, margins over some keys, checks of classes and of the
//! release.
//!
//! Records that cannot be kept are found in two passes. The first removes what margins and monotone models require to
//! be removed, until nothing changes. The rest is the largest set of records that holds, and it only grows when a
//! recoding is made coarser. Bounds rest on that pass alone. The second removes what the other models ask. Models that
//! compare with the whole compare with the records that stay. Then the smallest classes are removed until the release
//! as a whole holds. It does as [`suppress_records`](crate::suppress_records::suppress_records) does, so that a release
//! can be made of what is found.

use crate::models::{Class, Margin, Model, PopulationUniqueness, Release};
use crate::suppress_records::{fails_surely, fewest_to_drop};

use super::grouping::Grouping;
use super::rows::SearchRows;
use super::table::{Histograms, SearchTable, summed};

/// All that a list of models asks.
#[derive(Debug)]
pub(super) struct Demands<'a> {
    models: Vec<&'a dyn Model>,
    /// The least number of records of a class.
    least: u64,
    /// Margins over some keys or some records.
    margins: Vec<Margin>,
    /// Models of classes whose verdict stays when a recoding is made coarser.
    monotone: Vec<&'a dyn Model>,
    /// Other models of classes.
    others: Vec<&'a dyn Model>,
    /// Whether models that compare with the whole are fitted to the records that stay.
    fits: bool,
    /// Whether a model asks of the release as a whole.
    of_release: bool,
    /// Whether every class of the population must have a record.
    all_present: bool,
    sampling_fraction: Option<f64>,
}

/// The class of each row, and its groups in each margin.
pub(super) struct RowGroups<'a> {
    pub(super) classes: &'a Grouping,
    pub(super) margins: &'a [Grouping],
    /// The labels of a row's class, ranked by their texts: of classes of one size the first go first.
    pub(super) ranks: &'a dyn Fn(usize) -> Vec<u32>,
}

impl<'a> Demands<'a> {
    /// If it `fits`, models that compare with the whole are fitted to the records that stay. Otherwise they compare
    /// with the whole they were made for.
    pub(super) fn new(
        models: Vec<&'a dyn Model>,
        table: &SearchTable,
        sampling_fraction: Option<f64>,
        fits: bool,
    ) -> Self {
        let keys = table.keys().len();
        let mut margins: Vec<Margin> = Vec::new();
        let mut least = 1;
        for mut margin in models.iter().flat_map(|model| model.margins(keys)) {
            margin.keys.retain(|key| *key < keys);
            margin.keys.sort_unstable();
            margin.keys.dedup();
            if margin.keys.len() == keys && margin.subset.is_none() {
                least = least.max(margin.k);
            } else if let Some(same) = margins.iter_mut().find(|m| m.keys == margin.keys && m.subset == margin.subset) {
                same.k = same.k.max(margin.k);
            } else {
                margins.push(margin);
            }
        }
        let (mut monotone, mut others) = (Vec::new(), Vec::new());
        for model in &models {
            let reads = model.reads_sensitive() || model.reads_population();
            if !reads && model.is_monotone() {
                least = least.max(least_size(*model, table.records()));
            } else if fails_surely(*model, &margins) {
                monotone.push(*model);
            } else {
                others.push(*model);
            }
        }
        let whole = whole(&table.counted().sensitive, |_| true);
        let absent = Class { records: 0, population: Some(1), sensitive: &[] };
        Self {
            fits: fits && models.iter().any(|model| model.fitted(&whole).is_some()),
            of_release: models.iter().any(|model| model.asks_of_release()),
            all_present: models.iter().any(|model| model.reads_population() && !model.class_holds(&absent)),
            models,
            least,
            margins,
            monotone,
            others,
            sampling_fraction,
        }
    }

    pub(super) fn margins(&self) -> &[Margin] {
        &self.margins
    }

    /// The least class size, where that is all that is asked of classes and margins.
    pub(super) fn only_size(&self) -> Option<u64> {
        let only = self.margins.is_empty() && self.monotone.is_empty() && self.others.is_empty();
        (only && !self.of_release && !self.all_present).then_some(self.least)
    }

    /// Whether some models may remove records that monotone ones do not.
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty() || self.of_release
    }

    /// The least class size.
    pub(super) fn least(&self) -> u64 {
        self.least
    }

    /// Marks rows that margins and monotone models require to be removed.
    pub(super) fn remove_surely(&self, rows: &SearchRows, placed: &RowGroups<'_>, gone: &mut [bool]) {
        self.remove(rows, placed, &self.monotone, gone);
    }

    /// Marks the rows that the other models require to be removed too.
    pub(super) fn remove_all(&self, rows: &SearchRows, placed: &RowGroups<'_>, gone: &mut [bool]) {
        let all: Vec<&dyn Model> = self.monotone.iter().chain(&self.others).copied().collect();
        loop {
            self.remove(rows, placed, &all, gone);
            if !self.of_release || !self.drop_smallest(rows, placed, gone) {
                return;
            }
        }
    }

    /// Whether a class of the population that must have a record has none.
    pub(super) fn lacks_class(&self, rows: &SearchRows, classes: &Grouping, gone: &[bool]) -> bool {
        if !self.all_present || rows.population.is_empty() {
            return false;
        }
        let (mut people, mut records) = (vec![false; classes.groups], vec![false; classes.groups]);
        for (row, class) in classes.group.iter().enumerate() {
            people[*class as usize] |= rows.population[row] > 0;
            records[*class as usize] |= !gone[row] && rows.counts[row] > 0;
        }
        people.iter().zip(&records).any(|(people, records)| *people && !records)
    }

    /// Marks the rows of the smallest classes until the release holds as a whole; whether there were any to mark.
    fn drop_smallest(&self, rows: &SearchRows, placed: &RowGroups<'_>, gone: &mut [bool]) -> bool {
        let mut sizes = vec![0u64; placed.classes.groups];
        let mut first = vec![usize::MAX; placed.classes.groups];
        for (row, class) in placed.classes.group.iter().enumerate().filter(|(row, _)| !gone[*row]) {
            sizes[*class as usize] += rows.counts[row];
            first[*class as usize] = first[*class as usize].min(row);
        }
        let mut order: Vec<u32> = (0..sizes.len() as u32).filter(|class| sizes[*class as usize] > 0).collect();
        order.sort_by_key(|class| sizes[*class as usize]);
        let size = |class: &u32| sizes[*class as usize];
        let helped = || self.models.iter().filter(|model| model.suppression_helps());
        let holds = |dropped: usize| {
            let release = self.release(order[dropped..].iter().map(size), None);
            helped().all(|model| model.release_holds(&release))
        };
        if holds(0) {
            return false;
        }
        let dropped = fewest_to_drop(order.len(), holds);
        if let (Some(last), Some(next)) = (order[..dropped].last(), order.get(dropped))
            && size(last) == size(next)
        {
            let same = size(last);
            let from = order.partition_point(|class| size(class) < same);
            let to = order.partition_point(|class| size(class) <= same);
            order[from..to].sort_by_cached_key(|class| (placed.ranks)(first[*class as usize]));
        }
        let mut drops = vec![false; sizes.len()];
        order[..dropped].iter().for_each(|class| drops[*class as usize] = true);
        for (row, class) in placed.classes.group.iter().enumerate().filter(|(row, _)| rows.counts[*row] > 0) {
            gone[row] |= drops[*class as usize];
        }
        dropped > 0
    }

    fn remove(&self, rows: &SearchRows, placed: &RowGroups<'_>, models: &[&dyn Model], gone: &mut [bool]) {
        loop {
            let mut changed = remove_small(rows, placed.classes, None, self.least, gone);
            for (margin, groups) in self.margins.iter().zip(placed.margins) {
                changed |= remove_small(rows, groups, margin.subset, margin.k, gone);
            }
            if !changed && !models.is_empty() {
                changed = self.remove_classes(rows, placed.classes, models, gone);
            }
            // Without margins and models classes are counted once: leaving out whole ones changes no other.
            if !changed || self.margins.is_empty() && models.is_empty() {
                return;
            }
        }
    }

    /// Marks the rows of classes that some model requires to be removed.
    fn remove_classes(&self, rows: &SearchRows, classes: &Grouping, models: &[&dyn Model], gone: &mut [bool]) -> bool {
        if !self.fits {
            return mark_classes(rows, classes, models, gone);
        }
        let whole = whole(&rows.sensitive, |row| !gone[row] && rows.counts[row] > 0);
        let refitted: Vec<Option<Box<dyn Model>>> = models.iter().map(|model| model.fitted(&whole)).collect();
        let models = models.iter().zip(&refitted).map(|(model, fitted)| fitted.as_deref().unwrap_or(*model));
        mark_classes(rows, classes, &models.collect::<Vec<_>>(), gone)
    }

    /// Whether the release with classes of these sizes holds. `people` gives the numbers of people of the population that have
    /// each combination of the published keys; it is asked where a model reads it.
    pub(super) fn release_holds(
        &self,
        sizes: impl Iterator<Item = u64>,
        people: impl FnOnce() -> Option<Vec<u64>>,
    ) -> bool {
        let reads = self.models.iter().any(|model| model.asks_of_release() && !model.suppression_helps());
        let population = if reads { people() } else { None };
        let release = self.release(sizes, population.map(PopulationUniqueness::of_counts));
        self.models.iter().all(|model| model.release_holds(&release))
    }

    fn release(&self, sizes: impl Iterator<Item = u64>, population: Option<PopulationUniqueness>) -> Release {
        let sampling_fraction = self.sampling_fraction;
        let mut release = Release { sizes: Default::default(), sampling_fraction, population };
        for size in sizes.filter(|size| *size > 0) {
            *release.sizes.entry(size).or_default() += 1;
        }
        release
    }
}

/// The least number of records for which a monotone model that reads nothing else lets a class stay.
fn least_size(model: &dyn Model, records: u64) -> u64 {
    let holds = |records| model.class_holds(&Class { records, population: None, sensitive: &[] });
    let (mut fails, mut least) = (0, records.saturating_add(1));
    while least - fails > 1 {
        let middle = fails + (least - fails) / 2;
        if holds(middle) {
            least = middle;
        } else {
            fails = middle;
        }
    }
    least
}

/// Marks the rows of groups with fewer than `k` records, among the records of a subset.
fn remove_small(rows: &SearchRows, grouping: &Grouping, subset: Option<usize>, k: u64, gone: &mut [bool]) -> bool {
    let asked = |row: usize| rows.is_in(row, subset);
    let mut records = vec![0u64; grouping.groups];
    for (row, group) in grouping.group.iter().enumerate() {
        if !gone[row] && asked(row) {
            records[*group as usize] += rows.counts[row];
        }
    }
    let mut changed = false;
    for (row, group) in grouping.group.iter().enumerate() {
        if !gone[row] && rows.counts[row] > 0 && records[*group as usize] < k && asked(row) {
            gone[row] = true;
            changed = true;
        }
    }
    changed
}

/// The values of every sensitive variable as a whole, over the rows that count.
fn whole(sensitive: &[Histograms], counts: impl Fn(usize) -> bool) -> Vec<Vec<(u32, u64)>> {
    let variables = sensitive.first().map_or(0, Vec::len);
    let of_variable = |variable: usize| {
        let rows = sensitive.iter().enumerate().filter(|(row, _)| counts(*row));
        summed(rows.flat_map(|(_, values)| values[variable].iter().copied()).collect())
    };
    (0..variables).map(of_variable).collect()
}

/// Marks the rows of classes that some model requires to be removed.
fn mark_classes(rows: &SearchRows, grouping: &Grouping, models: &[&dyn Model], gone: &mut [bool]) -> bool {
    let mut order: Vec<u32> = (0..grouping.group.len() as u32).collect();
    order.sort_by_key(|row| grouping.group[*row as usize]);
    let mut changed = false;
    for class in order.chunk_by(|a, b| grouping.group[*a as usize] == grouping.group[*b as usize]) {
        let stay = || class.iter().map(|row| *row as usize).filter(|row| !gone[*row] && rows.counts[*row] > 0);
        let records = stay().map(|row| rows.counts[row]).sum();
        if records == 0 {
            continue;
        }
        let population =
            (!rows.population.is_empty()).then(|| class.iter().map(|row| rows.population[*row as usize]).sum());
        let variables = rows.sensitive.first().map_or(0, Vec::len);
        let values = |variable: usize| stay().flat_map(move |row| rows.sensitive[row][variable].iter().copied());
        let sensitive: Vec<Vec<(u32, u64)>> =
            (0..variables).map(|variable| summed(values(variable).collect())).collect();
        let seen = Class { records, population, sensitive: &sensitive };
        if !models.iter().all(|model| model.class_holds(&seen)) {
            changed = true;
            class.iter().map(|row| *row as usize).filter(|row| rows.counts[*row] > 0).for_each(|row| gone[row] = true);
        }
    }
    changed
}
