//! What a policy asks, as plain data, and the models it makes.

use outward_spec::{Error, Result};

use super::{
    AllCombinations, AverageRisk, Closeness, Disclosure, Distance, Diversity, DiversityKind, HighestRisk, KAnonymity,
    KMap, Likeness, LikenessKind, Model, PopulationUniques, Presence, RecordsAlone, WeakKAnonymity,
};

/// What a release must meet, and what must be known of the data for it. What is absent is not required.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedModels {
    /// Names of the keys.
    pub keys: Vec<String>,
    /// What each named subset of records is, in words, such as `region = 'North'`.
    pub subsets: Vec<String>,
    /// The sensitive variables.
    pub sensitive: Vec<SensitiveVariable>,
    /// Whether there is a population file.
    pub has_population: bool,
    /// The share of the population that is in the data, where known.
    pub sampling_fraction: Option<f64>,
    /// Fewest records that share all keys.
    pub k: Option<u64>,
    /// Values of k for some keys or some records.
    pub weak: Vec<WeakK>,
    /// How many keys an intruder knows, and the fewest records that must share any set of that many keys.
    pub all_combinations: Option<(usize, u64)>,
    /// How diverse every sensitive variable is in a class.
    pub diversity: Option<DiversityKind>,
    /// Farthest a sensitive variable may be from the whole.
    pub t: Option<f64>,
    /// Largest relative gain of a sensitive value over the whole.
    pub likeness: Option<(LikenessKind, f64)>,
    /// Bound of |log₂(q/p)| of a sensitive value.
    pub disclosure: Option<f64>,
    /// Least and largest share of a class's population that is in the file.
    pub presence: Option<(f64, f64)>,
    /// Fewest people of the population that share all keys.
    pub k_map: Option<u64>,
    /// Largest share of the population that is unique in it, counted where there is a population file, estimated otherwise.
    pub population_unique_share: Option<f64>,
    /// Highest average chance of a match.
    pub average_risk: Option<f64>,
    /// Highest chance of a match of any record.
    pub highest_risk: Option<f64>,
    /// Largest share of records that are alone on all keys.
    pub max_unique_share: Option<f64>,
}

/// A k for some keys or some records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakK {
    /// Positions of the keys; all where empty.
    pub keys: Vec<usize>,
    /// Which subset of the records; all if absent.
    pub subset: Option<usize>,
    /// The least count.
    pub k: u64,
}

/// A sensitive variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveVariable {
    /// Its name.
    pub name: String,
    /// Its codes with the number of records that have each.
    pub whole: Vec<(u32, u64)>,
    /// Whether every record has a value of it; if in doubt, no. A search may then leave out more at once.
    pub complete: bool,
    /// How far apart two of its values are.
    pub distance: Distance,
}

/// More tables than this would take hours.
const MAX_COMBINATIONS: u64 = 100_000;

impl AskedModels {
    /// The models, in a fixed order. Errors if a number makes no sense or something that a model needs is not known.
    pub fn models(&self) -> Result<Vec<Box<dyn Model>>> {
        let mut models: Vec<Box<dyn Model>> = Vec::new();
        self.add_counts(&mut models)?;
        self.add_sensitive(&mut models)?;
        self.add_population(&mut models)?;
        self.add_risks(&mut models)?;
        Ok(models)
    }

    fn add_counts(&self, models: &mut Vec<Box<dyn Model>>) -> Result<()> {
        if let Some(k) = self.k {
            models.push(Box::new(KAnonymity { k: self.on_keys("k", k)? }));
        }
        for weak in &self.weak {
            models.push(Box::new(self.weak_k(weak)?));
        }
        if let Some((size, k)) = self.all_combinations {
            self.on_keys("k of all combinations", k)?;
            if size == 0 {
                return Err(Error::input("combinations of 0 keys are asked of").help("give 1 or more").into());
            }
            let tables = binomial(self.keys.len() as u64, size as u64);
            if tables > MAX_COMBINATIONS {
                return Err(Error::input(format!(
                    "{} keys have more than {MAX_COMBINATIONS} combinations of {size}",
                    self.keys.len()
                ))
                .help("ask of combinations of fewer keys, or use fewer keys")
                .into());
            }
            models.push(Box::new(AllCombinations { size, k }));
        }
        Ok(())
    }

    fn weak_k(&self, weak: &WeakK) -> Result<WeakKAnonymity> {
        self.on_keys("weak k", weak.k)?;
        let keys = if weak.keys.is_empty() { (0..self.keys.len()).collect() } else { weak.keys.clone() };
        let names: Option<Vec<&str>> = keys.iter().map(|key| self.keys.get(*key).map(String::as_str)).collect();
        let names = names.ok_or_else(|| Error::bug("a weak k names a key that is not there"))?;
        let mut of = if weak.keys.is_empty() { "all keys".to_owned() } else { names.join(", ") };
        if let Some(subset) = weak.subset {
            let subset =
                self.subsets.get(subset).ok_or_else(|| Error::bug("a weak k names a subset that is not there"))?;
            of = format!("{of} among records where {subset}");
        }
        Ok(WeakKAnonymity { keys, subset: weak.subset, k: weak.k, of })
    }

    fn add_sensitive(&self, models: &mut Vec<Box<dyn Model>>) -> Result<()> {
        let asks = [
            (self.diversity.is_some(), "l-diversity"),
            (self.t.is_some(), "t-closeness"),
            (self.likeness.is_some(), "β-likeness"),
            (self.disclosure.is_some(), "δ-disclosure privacy"),
        ];
        if let Some((_, what)) = asks.iter().find(|(asked, _)| *asked && self.sensitive.is_empty()) {
            return Err(Error::input(format!("{what} is asked for, and no variable is sensitive"))
                .help("give a variable the role `sensitive`")
                .into());
        }
        for (variable, SensitiveVariable { name, whole, complete, distance }) in self.sensitive.iter().enumerate() {
            if let Some(kind) = self.diversity {
                models.push(Box::new(Diversity {
                    variable,
                    name: name.clone(),
                    complete: *complete,
                    kind: checked(kind)?,
                }));
            }
            if let Some(t) = self.t {
                models.push(Box::new(Closeness::new(variable, name, distance, share("t", t)?, whole)?));
            }
            if let Some((kind, beta)) = self.likeness {
                models.push(Box::new(Likeness::new(variable, name, kind, positive("β", beta)?, whole)));
            }
            if let Some(delta) = self.disclosure {
                models.push(Box::new(Disclosure::new(variable, name, positive("δ", delta)?, whole)));
            }
        }
        Ok(())
    }

    fn add_population(&self, models: &mut Vec<Box<dyn Model>>) -> Result<()> {
        if let Some((least, most)) = self.presence {
            self.with_population("δ-presence")?;
            let (least, most) = (share("the least δ-presence", least)?, share("the largest δ-presence", most)?);
            if least > most {
                return Err(Error::input(format!("the least δ-presence, {least}, is more than the largest, {most}"))
                    .help("give the smaller one first")
                    .into());
            }
            models.push(Box::new(Presence { least, most }));
        }
        if let Some(k) = self.k_map {
            self.with_population("k-map")?;
            models.push(Box::new(KMap { k: self.on_keys("k of k-map", k)? }));
        }
        Ok(())
    }

    fn add_risks(&self, models: &mut Vec<Box<dyn Model>>) -> Result<()> {
        if let Some(most) = self.highest_risk {
            models
                .push(Box::new(HighestRisk { most: positive("the highest risk", share("the highest risk", most)?)? }));
        }
        if let Some(most) = self.average_risk {
            models
                .push(Box::new(AverageRisk { most: positive("the average risk", share("the average risk", most)?)? }));
        }
        if let Some(most) = self.max_unique_share {
            models.push(Box::new(RecordsAlone { most: share("the share of records alone", most)? }));
        }
        if let Some(most) = self.population_unique_share {
            if self.sampling_fraction.is_none() && !self.has_population {
                return Err(Error::input(
                    "a share of population uniques is asked for, and the sampling fraction is not known",
                )
                .help("say what share of the population is in the file, name a weight whose sum is the population, or name a population file")
                .into());
            }
            let most = share("the share of population uniques", most)?;
            models.push(Box::new(PopulationUniques { most, counted: self.has_population }));
        }
        Ok(())
    }

    fn with_population(&self, what: &str) -> Result<()> {
        if self.has_population {
            return Ok(());
        }
        Err(Error::input(format!("{what} is asked for, and there is no population file"))
            .help("name a file of the population that has the keys")
            .into())
    }

    /// A count that is asked of keys.
    fn on_keys(&self, what: &str, k: u64) -> Result<u64> {
        if k == 0 {
            return Err(Error::input(format!("{what} is 0")).help("give 1 or more; 1 asks for nothing").into());
        }
        if self.keys.is_empty() {
            return Err(Error::input(format!("{what} is asked for, and there are no keys"))
                .help("give the variables that an intruder may know the role `key`")
                .into());
        }
        Ok(k)
    }
}

fn checked(kind: DiversityKind) -> Result<DiversityKind> {
    let (l, c) = match kind {
        DiversityKind::Distinct { l } => (l as f64, 1.0),
        DiversityKind::Entropy { l } | DiversityKind::Grassberger { l } => (l, 1.0),
        DiversityKind::Recursive { c, l } => (l as f64, c),
    };
    positive("c", c)?;
    if !(l >= 1.0 && l.is_finite()) {
        return Err(Error::input(format!("l is {l}")).help("give 1 or more; 1 asks for nothing").into());
    }
    Ok(kind)
}

fn share(what: &str, share: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(Error::input(format!("{what} is {share}")).help("give a number from 0 to 1").into())
}

fn positive(what: &str, number: f64) -> Result<f64> {
    if number > 0.0 && number.is_finite() {
        return Ok(number);
    }
    Err(Error::input(format!("{what} is {number}")).help("give a number above 0").into())
}

/// How many choices of `size` out of `n` there are; no more than can be counted.
fn binomial(n: u64, size: u64) -> u64 {
    let size = size.min(n).min(n - size.min(n));
    (0..size).try_fold(1u64, |product, at| Some(product.checked_mul(n - at)? / (at + 1))).unwrap_or(u64::MAX)
}
