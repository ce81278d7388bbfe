//! What an attack needs: the specs, the scenario, and its variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use outward_engine::Engine;
use outward_intruder::attack::{Form, KnownVariable};
use outward_places::Mapping;
use outward_release::intruder::{NeededColumns, UnderAttack, people_file, read_release};
use outward_release::{InputKind, InputRecord, is_of_tables, read};
use outward_spec::{
    Delimiter, Error, Hierarchy, Rating, Result, Role, Rules, Scenario, ScenarioFile, Spec, Step, Variable, suggest,
};

use super::{rules_of, with_options};
use crate::cli::AttackArgs;

/// The most variables by which the card says who is found, unless they are named.
const MAX_GROUPS: usize = 3;

/// A release to attack.
pub(super) struct Target {
    pub(super) spec: Spec,
    pub(super) file: PathBuf,
    pub(super) text: String,
}

/// A test before it is carried out.
pub(super) struct Test {
    /// The releases, that of the command's spec first.
    pub(super) targets: Vec<Target>,
    pub(super) rules: Rules,
    pub(super) scenario: Scenario,
    pub(super) known: Vec<KnownVariable>,
    pub(super) forms: Vec<Form>,
    pub(super) needed: NeededColumns,
    pub(super) coarser: BTreeMap<String, usize>,
    pub(super) seed: u64,
    /// What a reader of the card should know about the scenario.
    pub(super) remark: Option<String>,
}

impl Target {
    fn load(file: &Path) -> Result<Self> {
        let spec = Spec::load(file)?;
        let text = std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))?;
        Ok(Self { spec, file: file.to_owned(), text })
    }
}

impl Test {
    pub(super) fn read(args: &AttackArgs) -> Result<Self> {
        let mut targets = vec![Target::load(&args.spec)?];
        for further in &args.with {
            targets.push(Target::load(further)?);
        }
        if let Some(bundle) = &args.out {
            refuse_tables(bundle)?;
            // `protect --seed` makes a release by another seed than the spec's.
            targets[0].spec.seed = read(bundle)?.seed;
        }
        refuse_other_data(&targets)?;
        let spec = &targets[0].spec;
        let scenario = with_options(spec.scenario(&args.scenario)?, args);
        refuse_truth_of_one_file(args, spec, &scenario)?;
        let mut known = KnownVariable::from_scenario(spec, &scenario)?;
        for variable in &mut known {
            variable.form = placed(spec, std::mem::take(&mut variable.form))?;
            join_others(&mut variable.form, &targets[1..])?;
        }
        let needed = needed(args, &targets, &scenario, &known)?;
        let all = needed.all();
        let forms = all.iter().filter_map(|name| spec.variable(name)).map(|variable| {
            let mut form = placed(spec, Form::from_spec(spec, variable)?)?;
            join_others(&mut form, &targets[1..])?;
            Ok(form)
        });
        Ok(Self {
            forms: forms.collect::<Result<_>>()?,
            coarser: coarser(&args.coarser)?,
            seed: args.seed.or(scenario.seed).unwrap_or(spec.seed),
            rules: rules_of(&targets[0])?,
            remark: own_under_a_shipped_name(spec, &args.scenario)?,
            scenario,
            known,
            needed,
            targets,
        })
    }

    /// The release of the command's spec.
    pub(super) fn first(&self) -> &Target {
        &self.targets[0]
    }

    /// Makes a release again, and reads the people.
    pub(super) async fn read_release(
        &self,
        engine: &dyn Engine,
        target: &Target,
        threads: usize,
    ) -> Result<UnderAttack> {
        let name = target.spec.title.clone().unwrap_or_else(|| target.file.display().to_string());
        let read = read_release(engine, &target.wanted(threads), &name, &self.scenario, &self.needed).await;
        read.map_err(|error| target.spec.placed(&target.file, error))
    }
}

/// Adds how further releases treat the variable of a form.
fn join_others(form: &mut Form, others: &[Target]) -> Result<()> {
    for Target { spec, .. } in others {
        if let Some(variable) = spec.variable(&form.name) {
            form.join(placed(spec, Form::from_spec(spec, variable)?)?);
        }
    }
    Ok(())
}

/// The form of a variable whose codes a step pools: which published code each code becomes.
fn placed(spec: &Spec, mut form: Form) -> Result<Form> {
    for step in &spec.steps {
        match step {
            Step::Place { variable, mapping, .. } if *variable == form.name => {
                let file = spec.resolve(mapping);
                let mapping = Mapping::load(&file)?;
                let lines = mapping.entries().iter().map(|entry| format!("{};{}\n", entry.code, entry.published));
                let text: String = lines.collect();
                form.hierarchies.push(Hierarchy::from_bytes(
                    text.into_bytes(),
                    &file,
                    false,
                    Some(Delimiter::Semicolon),
                )?);
            }
            _ => {}
        }
    }
    Ok(form)
}

/// A column that says who is who in two files is of no use if there is one.
fn refuse_truth_of_one_file(args: &AttackArgs, spec: &Spec, scenario: &Scenario) -> Result<()> {
    match args.truth.is_some() && args.import.is_none() && people_file(spec, scenario).is_none() {
        true => Err(Error::input(
            "--truth says who is who in two files, and the people of this attack are those of the data",
        )
        .help("name the intruder's file with --file, or leave --truth out")
        .into()),
        false => Ok(()),
    }
}

/// A scenario of the spec comes before one that ships under its name. Whoever reads the card must know which it was.
fn own_under_a_shipped_name(spec: &Spec, name: &str) -> Result<Option<String>> {
    let shipped = ScenarioFile::shipped()?.into_iter().find(|file| file.scenario.name == name);
    let own = spec.scenarios.iter().find(|scenario| scenario.name == name);
    Ok(match (shipped, own) {
        (Some(shipped), Some(own)) if shipped.scenario != *own => Some(format!(
            "Scenario `{name}` is the spec's own. It differs from the one that ships with Outward under this name."
        )),
        _ => None,
    })
}

fn refuse_tables(bundle: &Path) -> Result<()> {
    match is_of_tables(bundle) {
        true => Err(Error::input("this is a bundle of tables, and attacks are on records")
            .file(bundle)
            .help("`outward verify` attacks tables")
            .into()),
        false => Ok(()),
    }
}

/// Releases that are attacked together are of the same data.
fn refuse_other_data(targets: &[Target]) -> Result<()> {
    let hash = |target: &Target| -> Result<Option<String>> {
        let inputs = InputRecord::of_spec(&target.spec, &target.file, &target.text)?;
        Ok(inputs.into_iter().find(|input| input.kind == InputKind::Data).and_then(|input| input.sha256))
    };
    let [first, others @ ..] = targets else { return Ok(()) };
    if others.is_empty() {
        return Ok(());
    }
    let of_first = hash(first)?;
    for other in others {
        if hash(other)? != of_first {
            return Err(Error::input(
                "this release is of other data, so it is not known which records are the same people",
            )
            .file(&other.file)
            .help("name with --with the specs of releases that are made from the same file")
            .into());
        }
    }
    Ok(())
}

fn needed(
    args: &AttackArgs,
    targets: &[Target],
    scenario: &Scenario,
    known: &[KnownVariable],
) -> Result<NeededColumns> {
    let spec = &targets[0].spec;
    let known: Vec<String> = known.iter().map(|known| known.form.name.clone()).collect();
    let learn: Vec<String> = match scenario.learn.is_empty() {
        true => spec.sensitive().iter().map(|variable| variable.name.clone()).collect(),
        false => scenario.learn.clone(),
    };
    let learn: Vec<String> =
        learn.into_iter().filter(|name| spec.is_published(name) && !known.contains(name)).collect();
    let groups = match args.by.is_empty() {
        true => usual_groups(spec, &learn),
        false => named_groups(spec, &args.by, &learn)?,
    };
    let is_shared = |variable: &&Variable| targets.iter().all(|target| target.spec.is_published(&variable.name));
    let shared = match targets.len() {
        1 => Vec::new(),
        _ => spec.variables.iter().filter(is_shared).map(|variable| variable.name.clone()).collect(),
    };
    Ok(NeededColumns { known, learn, groups, shared })
}

/// Where a person lives and what anybody can see of them.
fn usual_groups(spec: &Spec, learn: &[String]) -> Vec<String> {
    let is_group = |variable: &&&Variable| {
        !learn.contains(&variable.name)
            && (variable.role == Role::Geography || variable.visibility >= Some(Rating::Medium))
            && variable.data_type.is_none()
    };
    let keys = spec.published_keys();
    keys.iter().filter(is_group).map(|variable| variable.name.clone()).take(MAX_GROUPS).collect()
}

fn named_groups(spec: &Spec, names: &[String], learn: &[String]) -> Result<Vec<String>> {
    for name in names {
        if !spec.is_published(name) {
            let published =
                spec.variables.iter().map(|variable| variable.name.as_str()).filter(|name| spec.is_published(name));
            let what = format!("the release has no variable `{name}`");
            return Err(Error::input(what).help(suggest(name, published, "published variables")).into());
        }
        if learn.contains(name) {
            return Err(Error::input(
                "the intruder wants to learn this variable, so results are not broken down by it",
            )
            .variable(name)
            .help("leave it out of --by, or name in `learn` of the scenario what the intruder wants to learn")
            .into());
        }
    }
    Ok(names.to_vec())
}

fn coarser(said: &[String]) -> Result<BTreeMap<String, usize>> {
    let read = |text: &String| {
        let (name, level) = text.rsplit_once('=')?;
        Some((name.trim().to_owned(), level.trim().parse().ok()?))
    };
    said.iter()
        .map(|text| {
            read(text).ok_or_else(|| {
                Error::input("--coarser takes a variable and a level").help("write it such as age=2").into()
            })
        })
        .collect()
}

/// The share of the population that is in the release, as an intruder without response knowledge estimates it.
pub(super) fn share_in_release(read: &[UnderAttack], test: &Test) -> f64 {
    let Some(first) = read.first() else { return 1.0 };
    let records = first.released.records() as f64;
    let of_people = first.other_file && test.scenario.file.is_none();
    let share = match (of_people, first.sampling_fraction) {
        // The people are the population.
        (true, _) => records / first.people.len().max(1) as f64,
        (false, fraction) => records / first.released.present.len().max(1) as f64 * fraction.unwrap_or(1.0),
    };
    share.clamp(f64::MIN_POSITIVE, 1.0)
}
