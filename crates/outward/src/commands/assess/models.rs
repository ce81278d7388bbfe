//! Findings about the privacy models that `assess` has no measure of its own for.

use outward_engine::{CountRequest, Data};
use outward_microdata::judge::judge;
use outward_microdata::steps::Setting;
use outward_release::gather;
use outward_spec::{Distance, Diversity, Finding, Result, Rules, Spec, kinds};

use crate::session::Session;

/// A finding for each model of the policy that the records do not meet. Those on k, distinct l and equal t have findings of
/// their own and are left out here.
pub(super) fn findings(
    session: &Session,
    spec: &Spec,
    rules: &Rules,
    keys: &[String],
    condition: Option<&str>,
) -> Result<Vec<Finding>> {
    let rules = Rules {
        k: 1,
        weak_k: Vec::new(),
        l: rules.l.filter(|_| rules.l_measure != Diversity::Distinct),
        t: rules.t.filter(|_| rules.t_distance != Distance::Equal),
        max_unique_share: None,
        ..rules.clone()
    };
    let asks = rules.all_combinations.is_some()
        || rules.l.is_some()
        || rules.t.is_some()
        || rules.average_risk.is_some()
        || rules.highest_risk.is_some()
        || rules.population_unique_share.is_some() && (spec.sampling_fraction.is_some() || spec.population.is_some())
        || (rules.k_map.is_some() || rules.presence.is_some()) && spec.population.is_some();
    // Models are judged on whole files; a part of one is only measured.
    if !asks || condition.is_some() {
        return Ok(Vec::new());
    }
    let (engine, runtime) = (session.engine(), session.runtime()?);
    let population = match Data::of_population(spec) {
        Some(population) => {
            let request = CountRequest { keys: keys.to_vec(), ..CountRequest::default() };
            runtime.block_on(engine.count_cells(&population, &[request]))?.into_iter().next()
        }
        None => None,
    };
    // Scenarios have findings of their own too.
    let alone = Spec { scenarios: Vec::new(), tables: Vec::new(), ..spec.clone() };
    let rules = Rules {
        population_unique_share: rules
            .population_unique_share
            .filter(|_| spec.sampling_fraction.is_some() || population.is_some()),
        k_map: rules.k_map.filter(|_| population.is_some()),
        presence: rules.presence.filter(|_| population.is_some()),
        ..rules
    };
    let setting = Setting { rules, population, ..Setting::new(alone, session.threads)? };
    let evidence = runtime.block_on(gather(&*engine, &Data::of_spec(spec), &setting, keys, 0))?;
    let verdicts = judge(&evidence.models(&setting.spec, &setting.rules, None)?, &evidence.table()?)?;
    let failing = verdicts.iter().filter(|verdict| !verdict.holds);
    Ok(failing.map(|verdict| Finding::new(&kinds::MODEL_NOT_MET, verdict.words()).records(verdict.records)).collect())
}
