//! Findings about the privacy models for which `assess` has no measure of its own.

use arrow_schema::Schema;
use outward_cells::Cells;
use outward_engine::CountRequests;
use outward_microdata::judge::judge;
use outward_microdata::steps::Setting;
use outward_release::EvidenceRequest;
use outward_spec::{Distance, Diversity, Finding, Result, Rules, Spec, kinds};

/// The models of a policy on k, distinct l and equal t have findings of their own. These are the others.
pub(super) struct OtherModels {
    setting: Setting,
    asked: EvidenceRequest,
}

impl OtherModels {
    /// Adds to the requests of a pass what these models are judged by; nothing if the policy has none of them.
    pub(super) fn add(
        requests: &mut CountRequests,
        spec: &Spec,
        rules: &Rules,
        keys: &[String],
        schema: &Schema,
        threads: usize,
    ) -> Result<Option<Self>> {
        let (has_population, sampled) = (spec.population.is_some(), spec.sampling_fraction.is_some());
        let rules = Rules {
            k: 1,
            weak_k: Vec::new(),
            l: rules.l.filter(|_| rules.l_measure != Diversity::Distinct),
            t: rules.t.filter(|_| rules.t_distance != Distance::Equal),
            max_unique_share: None,
            population_unique_share: rules.population_unique_share.filter(|_| sampled || has_population),
            k_map: rules.k_map.filter(|_| has_population),
            presence: rules.presence.filter(|_| has_population),
            ..rules.clone()
        };
        let asks = rules.all_combinations.is_some()
            || rules.l.is_some()
            || rules.t.is_some()
            || rules.average_risk.is_some()
            || rules.highest_risk.is_some()
            || rules.population_unique_share.is_some()
            || rules.k_map.is_some()
            || rules.presence.is_some();
        if !asks {
            return Ok(None);
        }
        // Scenarios have findings of their own too.
        let alone = Spec { scenarios: Vec::new(), tables: Vec::new(), ..spec.clone() };
        let setting = Setting { rules, ..Setting::new(alone, threads)? };
        let asked = EvidenceRequest::add(requests, &setting, keys, schema)?;
        Ok(Some(Self { setting, asked }))
    }

    /// A finding for each model that the records do not meet, from the answers of the pass. The population is lent for it.
    pub(super) fn findings(mut self, counted: &[Cells], population: &mut Option<Cells>) -> Result<Vec<Finding>> {
        self.setting.population = population.take();
        let evidence = self.asked.evidence(&self.setting, counted, 0)?;
        let verdicts = judge(&evidence.models(&self.setting.spec, &self.setting.rules, None)?, &evidence.table()?)?;
        *population = self.setting.population.take();
        let failing = verdicts.iter().filter(|verdict| !verdict.holds);
        Ok(failing
            .map(|verdict| Finding::new(&kinds::MODEL_NOT_MET, verdict.words()).records(verdict.records))
            .collect())
    }
}
