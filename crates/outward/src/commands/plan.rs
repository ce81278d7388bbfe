//! `outward plan`: the recoding that meets the policy and loses least, and other candidates.

use std::io::IsTerminal;
use std::path::Path;

use outward_microdata::planning::{self, Frontier, PlanCandidate};
use outward_release::gather;
use outward_spec::{Error, Result, Spec, Step};

use crate::cli::PlanArgs;
use crate::commands::assess::data_name;
use crate::commands::show;
use crate::interrupt::ended_by_interrupt;
use crate::output::{Outcome, write_file};
use crate::session::Session;

mod follower;

use follower::{Follower, Shown};

pub(crate) fn run(session: &Session, args: &PlanArgs) -> Result<Outcome> {
    let mut spec = Spec::load(&args.spec)?;
    spec.policy.thresholds.k = args.k.or(spec.policy.thresholds.k);
    spec.plan.suppression_limit = args.suppression_limit.unwrap_or(spec.plan.suppression_limit);
    if !(0.0..=1.0).contains(&spec.plan.suppression_limit) {
        return Err(Error::input("the share of records that may be left out is not from 0 to 1")
            .help("write a number such as 0.05")
            .into());
    }
    if spec.steps.iter().any(|step| !matches!(step, Step::Drop { .. } | Step::Recode { .. })) {
        session.remark("The search looks at the data as they are: the steps of the spec are not carried out.");
    }
    let rules = spec.rules()?;
    if spec.scenarios_with_k(&rules).iter().any(|scenario| scenario.condition.is_some()) {
        session.remark(
            "Conditions of the policy are applied to the data as they are; `protect` judges them on the published values.",
        );
    }
    let found = search(session, &spec, args).map_err(|error| spec.placed(&args.spec, error))?;
    if spec.published_keys().iter().all(|key| key.hierarchy.is_none()) {
        session.remark(
            "No key has a hierarchy, so nothing can be recoded and the search can only leave records out. Give the keys of the spec a `hierarchy`: `{ widths = [5, 10, 20] }` for numbers, \
             a `tree` or a `file` for categories.",
        );
    }
    let report = planning::report(&data_name(&spec.data), &rules, &found);
    let files = spec.files();
    let inputs: Vec<&Path> = files.iter().map(AsRef::as_ref).chain([args.spec.as_path()]).collect();
    let chosen = match args.choose {
        Some(number) => Some(chosen(&found, number)?),
        None => found.best.as_ref(),
    };
    if let Some(out) = &args.out {
        let Some(candidate) = chosen else {
            show(session, &found, &report, args.report.as_deref(), &inputs)?;
            session.remark("No candidate meets the policy, so no spec was written.");
            return Ok(Outcome::Findings);
        };
        refuse_elsewhere(out, &args.spec)?;
        if !candidate.meets_policy {
            let what = format!("candidate {} does not meet the policy: its k is {}", candidate.number, candidate.k);
            return Err(Error::input(what)
                .help(format!("choose another, or ask for less with --k {}", candidate.k))
                .into());
        }
        write_file(out, &planning::planned(&spec, candidate, found.records, rules.k).to_toml()?, &inputs)?;
        session.remark(&format!("the spec with candidate {} is in {}", candidate.number, out.display()));
    }
    show(session, &found, &report, args.report.as_deref(), &inputs)?;
    Ok(if found.best.is_some() { Outcome::Clean } else { Outcome::Findings })
}

fn search(session: &Session, spec: &Spec, args: &PlanArgs) -> Result<Frontier> {
    let keys: Vec<String> = spec.published_keys().into_iter().map(|key| key.name.clone()).collect();
    if keys.is_empty() {
        return Err(Error::input("no variable is a key, so there is nothing to recode")
            .help("give some variables the role `key`; `outward init` suggests them")
            .into());
    }
    let engine = session.engine();
    let gathered = gather(&*engine, spec, &keys, session.threads);
    let (setting, evidence) = session.runtime()?.block_on(gathered)?;
    let follower = Follower::new(args.time, shown(session));
    let plan = || planning::plan(&evidence, spec, &setting.rules, !args.only_best, session.threads, Some(&follower));
    let found = ended_by_interrupt(plan)?;
    if found.best.is_none() && found.stopped {
        session.remark("The search was stopped before it found a recoding that meets the policy.");
    }
    Ok(found)
}

fn shown(session: &Session) -> Shown {
    match (session.is_quiet(), std::io::stderr().is_terminal()) {
        (true, _) => Shown::Nowhere,
        (false, true) => Shown::OnTerminal,
        (false, false) => Shown::Once,
    }
}

fn chosen(found: &Frontier, number: usize) -> Result<&PlanCandidate> {
    found.frontier.iter().find(|candidate| candidate.number == number).ok_or_else(|| {
        let help = match found.frontier.len() {
            0 => "there are none: change the policy, the limit or the hierarchies".to_owned(),
            last => format!("they are numbered from 1 to {last}"),
        };
        Error::input(format!("there is no candidate {number}")).help(help).into()
    })
}

/// Paths in a spec are relative to it, so that a copy belongs into the same folder.
fn refuse_elsewhere(out: &Path, spec: &Path) -> Result<()> {
    let folder = |path: &Path| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        parent.canonicalize().map_err(|error| Error::io("find", parent, error))
    };
    match folder(out)? == folder(spec)? {
        true => Ok(()),
        false => Err(Error::input("a spec names its files relative to itself")
            .file(out)
            .help("write it into the folder of the spec it is made from")
            .into()),
    }
}
