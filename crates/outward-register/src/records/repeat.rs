//! Repeats what a release did to its records: the steps that follow from the records alone. Random steps cannot be
//! repeated, since a register has no seed; they are left out.

use std::path::Path;

use outward_engine::{Data, Plan, ReleasedColumns, ReleasedRequest, columns_read_by};
use outward_microdata::steps::Setting;
use outward_spec::{HierarchySpec, Missing, Result, Spec, Step};

use super::joint::ShownKeys;

/// Whether a step draws at random.
pub(super) fn is_random(step: &Step) -> bool {
    match step {
        Step::Sample { .. }
        | Step::Swap { .. }
        | Step::Shuffle {}
        | Step::Pram { .. }
        | Step::Noise { .. }
        | Step::RankSwap { .. } => true,
        Step::Round { unbiased, .. } => *unbiased,
        _ => false,
    }
}

/// Whether a step changes values of a variable at random.
pub(super) fn perturbs(step: &Step, variable: &str) -> bool {
    let named = |names: &[String]| names.iter().any(|name| name == variable);
    match step {
        Step::Swap { geography, .. } => named(geography),
        Step::Pram { variables, .. } | Step::Noise { variables, .. } | Step::RankSwap { variables, .. } => {
            named(variables)
        }
        Step::Round { variables, unbiased, .. } => *unbiased && named(variables),
        _ => false,
    }
}

/// Whether the true values of a perturbed variable can be used in place of the published ones. A swap keeps how many
/// records have each value.
pub(super) fn keeps_classes(step: &Step) -> bool {
    matches!(step, Step::Swap { .. } | Step::Pram { .. })
}

/// Whether a release has its records in the order of the data.
pub(super) fn keeps_order(spec: &Spec) -> bool {
    !spec.steps.iter().any(|step| matches!(step, Step::Shuffle {} | Step::Swap { .. }))
}

/// Whether a step gives a value near the true one, so that records can be matched by it nearly.
pub(super) fn stays_near(step: &Step) -> bool {
    matches!(step, Step::Noise { .. } | Step::RankSwap { .. } | Step::Round { .. })
}

/// The names of the published keys of a spec, and whether missing values of each match every value.
pub(super) fn published_keys(spec: &Spec) -> (Vec<String>, Vec<bool>) {
    let keys = spec.published_keys();
    let wild = keys.iter().map(|key| spec.missing_of(key) == Missing::Wildcard).collect();
    (keys.iter().map(|key| key.name.clone()).collect(), wild)
}

/// The columns of a release that show its keys and those of another release.
#[derive(Debug, Clone)]
pub(super) struct KeyColumns {
    /// The variables: own keys first, then other published variables that are keys of the other release, then those
    /// borrowed from it.
    pub(super) names: Vec<String>,
    /// How many are own keys.
    pub(super) own: usize,
    borrowed: usize,
    wild: Vec<bool>,
}

impl KeyColumns {
    /// `others` are keys of another release.
    pub(super) fn new(spec: &Spec, others: &[String]) -> Self {
        let (mut names, mut wild) = published_keys(spec);
        let own = names.len();
        for name in others.iter().filter(|name| spec.is_published(name)) {
            if !names.contains(name) {
                names.push(name.clone());
                wild.push(false);
            }
        }
        Self { borrowed: names.len(), names, own, wild }
    }

    /// Adds own keys that the new release shows but does not call keys.
    pub(super) fn borrow(&mut self, released: &mut ReleasedColumns, new: &Self, of_new: &ReleasedColumns) {
        for (name, column) in new.names.iter().zip(&of_new.columns).skip(new.own) {
            if self.names[..self.own].contains(name) {
                self.names.push(name.clone());
                self.wild.push(false);
                released.columns.push(column.clone());
            }
        }
    }

    /// The own keys alone.
    pub(super) fn split(mut self, mut released: ReleasedColumns) -> (Self, ReleasedColumns) {
        self.names.truncate(self.own);
        self.wild.truncate(self.own);
        released.columns.truncate(self.own);
        self.borrowed = self.own;
        (self, released)
    }

    pub(super) fn shown<'a>(&'a self, released: &'a ReleasedColumns) -> ShownKeys<'a> {
        let Self { names, own, borrowed, wild } = self;
        ShownKeys { keys: names, own: *own, borrowed: *borrowed, released, wild }
    }
}

/// The request to carry out the steps of a spec that are not random, on records in another place.
///
/// # Errors If a hierarchy or a mapping cannot be read.
pub(super) fn request(
    spec: &Spec,
    columns: &KeyColumns,
    data: Option<&Path>,
    threads: usize,
) -> Result<ReleasedRequest> {
    let mut spec = spec.clone();
    if let Some(path) = data {
        spec.data.path = Some(path.to_owned());
    }
    let columns = columns.names.clone();
    let is_whole = spec.steps.iter().any(|step| !step.is_record_wise() && !is_random(step));
    // Steps on all records at once depend on the variables that remain. Steps on single records do not.
    spec.steps.retain(|step| !is_random(step) && (is_whole || !matches!(step, Step::Drop { .. })));
    let reads = match is_whole {
        true => None,
        false => Some(columns_read_by(&spec.steps)?),
    };
    let data = Data::of_spec(&spec);
    Ok(ReleasedRequest { data, plan: Plan::of_spec(Setting::new(spec, threads)?)?, reads, columns })
}

/// How a release treats a variable.
#[derive(Debug, Clone, PartialEq)]
struct Treatment {
    /// The steps that name it, except random ones.
    steps: Vec<Step>,
    /// The hierarchy it is recoded by, and the text of its file if it has one.
    hierarchy: Option<(HierarchySpec, Option<String>)>,
}

impl Treatment {
    fn new(spec: &Spec, variable: &str) -> Self {
        let names = |step: &&Step| {
            !is_random(step)
                && step.variables().iter().any(|(_, name)| *name == variable)
                && !matches!(step, Step::RemoveRare { .. } | Step::RemoveUniques { .. })
        };
        let mut steps: Vec<Step> = spec.steps.iter().filter(names).cloned().collect();
        for step in &mut steps {
            if let Step::Place { mapping, .. } = step {
                // The same file has different names in different bundles.
                let text = std::fs::read_to_string(spec.resolve(&*mapping)).unwrap_or_default();
                *mapping = text.into();
            }
        }
        let is_recoded = steps.iter().any(|step| matches!(step, Step::Recode { .. }));
        let hierarchy = spec.variable(variable).and_then(|known| known.hierarchy.clone()).filter(|_| is_recoded);
        let hierarchy = hierarchy.map(|mut hierarchy| {
            let text = hierarchy.own_file().map(|file| std::fs::read_to_string(spec.resolve(file)).unwrap_or_default());
            if let (HierarchySpec::File { file, .. }, true) = (&mut hierarchy, text.is_some()) {
                *file = "file".into();
            }
            (hierarchy, text)
        });
        Self { steps, hierarchy }
    }
}

/// Whether two specs show a variable in the same groups, apart from random changes.
pub(super) fn is_shown_alike(one: &Spec, other: &Spec, variable: &str) -> bool {
    Treatment::new(one, variable) == Treatment::new(other, variable)
}
