//! `outward attack`: an intruder test of a release, its score card, and the evidence in the bundle.

mod authority;
mod manual;
mod read;

use std::path::{Path, PathBuf};

use outward_intruder::attack::{AttackInput, Claim, Outcome as Attacked, ScoreCard, attack, report};
use outward_register::{Actor, Register};
use outward_release::intruder::compare_with_bundle;
use outward_release::{Existing, IntruderTest, Protect};
use outward_report::render_html;
use outward_spec::{Error, Result, Rules, Scenario};
use serde::Serialize;

use crate::cli::AttackArgs;
use crate::commands::register::{actor, now, url};
use crate::commands::show;
use crate::output::{Outcome, refuse_no_folder, write_private_file};
use crate::session::Session;
use read::{Target, Test};

/// What the command prints as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    authorised_by: &'a str,
    /// Where the evidence is in the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
    #[serde(flatten)]
    card: &'a ScoreCard,
}

pub(crate) fn run(session: &Session, args: &AttackArgs) -> Result<Outcome> {
    refuse_evidence_of_another_release(args)?;
    let test = Test::read(args)?;
    let authorised_by = authority::of_attack(args, &test.scenario)?;
    refuse_unlogged(session, args)?;
    if let Some(report) = &args.report {
        refuse_no_folder(report)?;
    }
    let Attacked { mut card, claims } =
        session.tell_if_long("The release is made again and attacked", || carry_out(session, args, &test))?;
    card.remarks.extend(test.remark.clone());
    if args.out.is_some() {
        refuse_weaker_evidence(&card, test.first())?;
    }
    // What is not in the log is not written.
    log(session, args, &test, &card, &authorised_by, claims.len())?;
    let evidence = match &args.out {
        None => None,
        Some(bundle) => {
            let made = IntruderTest::of_bundle(bundle, &authorised_by, test.scenario.clone(), card.clone())?;
            Some(made.add_to(bundle)?)
        }
    };
    if let Some(folder) = &args.claims {
        write_claims(folder, &claims)?;
    }
    let answer = Answer { authorised_by: &authorised_by, evidence, card: &card };
    let data: Vec<_> = test.targets.iter().map(|target| target.spec.resolve_source(&target.spec.data)).collect();
    let specs = test.targets.iter().map(|target| target.file.as_path());
    let given = [&args.file, &args.import].into_iter().flatten().map(PathBuf::as_path);
    let inputs: Vec<&Path> =
        specs.chain(given).chain(data.iter().filter_map(|source| source.path.as_deref())).collect();
    let document = report(&card, &test.scenario, &authorised_by);
    if let Some(path) = &args.report {
        write_private_file(path, &render_html(&document), &inputs)?;
        session.remark(&format!("the report is in {}, and only you can read it", path.display()));
        if url(&args.within).is_err() {
            session.remark("No register is named, so no log lists this attack and its report.");
        }
    }
    show(session, &answer, &document, None, &inputs)?;
    if let (Some(evidence), Some(bundle)) = (&answer.evidence, &args.out) {
        session.remark(&format!("The score card is in {}.", bundle.join(evidence).display()));
    }
    Ok(match card.verdict.as_ref().is_some_and(|verdict| !verdict.met) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}

/// Makes the releases again, reads the people, and lets the intruder look for them.
fn carry_out(session: &Session, args: &AttackArgs, test: &Test) -> Result<Attacked> {
    let engine = session.engine();
    let first = test.first();
    let read = session.runtime()?.block_on(async {
        let mut all = Vec::new();
        for target in &test.targets {
            all.push(test.read_release(&*engine, target, session.threads).await?);
        }
        if let (Some(bundle), Some(attacked)) = (&args.out, all.first()) {
            compare_with_bundle(&*engine, &first.wanted(session.threads), bundle, attacked).await?;
        }
        Ok::<_, Error>(all)
    })?;
    if let Some(file) = &args.import {
        return manual::score(session, args, test, file, &read);
    }
    let people = &read[0].people;
    let fraction = read::share_in_release(&read, test);
    let releases: Vec<_> = read.iter().map(|of| of.released.clone()).collect();
    let input = AttackInput {
        scenario: &test.scenario,
        known: &test.known,
        forms: &test.forms,
        releases: &releases,
        people,
        own_file: test.scenario.file.is_some(),
        source: &read[0].source,
        learn: &test.needed.learn,
        groups: &test.needed.groups,
        fraction,
        seed: test.seed,
        without: &args.without,
        coarser: &test.coarser,
        rules: test.rules.intruder.as_ref(),
        claims_only: false,
        threads: session.threads,
    };
    attack(&input)
}

impl Target {
    fn wanted(&self, threads: usize) -> Protect<'_> {
        Protect {
            spec: &self.spec,
            file: &self.file,
            text: &self.text,
            target: Path::new(""),
            existing: Existing::Refuse,
            threads,
        }
    }
}

/// Evidence is of one bundle, as it is.
fn refuse_evidence_of_another_release(args: &AttackArgs) -> Result<()> {
    let changed = match (args.out.is_some(), args.without.is_empty(), args.coarser.is_empty(), args.with.is_empty()) {
        (true, false, ..) => "--without leaves variables out of the release",
        (true, _, false, _) => "--coarser recodes the release",
        (true, _, _, false) => {
            return Err(Error::input(
                "several releases are attacked together, so the score card is evidence of no single bundle",
            )
            .help("leave --out out, and attack each bundle alone for its evidence")
            .into());
        }
        _ => return Ok(()),
    };
    Err(Error::input(format!("{changed}, so the score card is no evidence of this bundle"))
        .help("leave --out out to see what a change would do; then change the spec, make the bundle again with `outward protect`, and attack that")
        .into())
}

/// An intruder who knows less than the scenario says is no evidence by this scenario.
fn refuse_weaker_evidence(card: &ScoreCard, target: &Target) -> Result<()> {
    match card.unused.iter().find(|name| target.spec.is_published(name)) {
        None => Ok(()),
        Some(name) => Err(Error::input(format!(
            "the intruder did not use `{name}`, which they know by the scenario, so the score card is no evidence"
        ))
        .help("give the file of people this column, or write a scenario whose intruder does not know it; without --out the attack is made by the others")
        .into()),
    }
}

/// Claims about single people are written only where a register can list that they were.
fn refuse_unlogged(session: &Session, args: &AttackArgs) -> Result<()> {
    if let Ok(url) = url(&args.within) {
        // A register that is not there is found before the attack, and not after it.
        session.runtime()?.block_on(Register::open(&url, false))?;
    } else if args.claims.is_some() {
        return Err(Error::input("claims are written only where a log can list them")
            .help("name the register with --register URL, or leave --claims out: the score card needs none")
            .into());
    }
    let Some(folder) = &args.claims else { return Ok(()) };
    match std::fs::symlink_metadata(folder) {
        Ok(_) => Err(Error::input("there is something of this name already")
            .file(folder)
            .help("choose another folder")
            .into()),
        Err(_) => Ok(()),
    }
}

/// Writes claims into a new folder that nobody else can read.
fn write_claims(folder: &Path, claims: &[Claim]) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| Error::io("create", folder, error))?;
    let mut text = String::from("person,record,confidence,candidates,correct\n");
    for Claim { person, records, confidence, candidates, correct } in claims {
        let records: Vec<String> = records.iter().map(u64::to_string).collect();
        let correct = correct.map_or("", |correct| if correct { "yes" } else { "no" });
        text += &format!("{person},{},{confidence},{candidates},{correct}\n", records.join("+"));
    }
    write_private_file(&folder.join("claims.csv"), &text, &[])
}

/// Enters the attack and what it writes into the log of the register, where one is named.
fn log(
    session: &Session,
    args: &AttackArgs,
    test: &Test,
    card: &ScoreCard,
    authorised_by: &str,
    claims: usize,
) -> Result<()> {
    let Ok(url) = url(&args.within) else { return Ok(()) };
    let (who, at) = (actor(&args.within)?, now());
    let title = test.first().spec.title.clone().unwrap_or_else(|| "untitled release".to_owned());
    let details = serde_json::json!({
        "scenario": card.scenario,
        "authorised_by": authorised_by,
        "claims": card.claims,
        "correct": card.correct,
        "releases": card.releases,
        "outputs": outputs(args, claims),
    });
    session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        register.tell(Actor { name: &who, at: &at }, "attack", &title, details).await
    })
}

/// What an attack leaves behind: each file, where it is, and how many claims about people it has.
fn outputs(args: &AttackArgs, claims: usize) -> Vec<serde_json::Value> {
    let file = |kind: &str, path: &Path, claims: usize| serde_json::json!({"kind": kind, "path": path.display().to_string(), "claims": claims});
    let all = [
        args.claims.as_ref().map(|folder| file("claims", folder, claims)),
        args.out.as_ref().map(|bundle| file("score card", bundle, 0)),
        args.report.as_ref().map(|report| file("report", report, 0)),
    ];
    all.into_iter().flatten().collect()
}

/// The rules of the policy, and the scenario they are applied to.
fn rules_of(target: &Target) -> Result<Rules> {
    target.spec.rules()
}

/// A scenario with what the command line says in its place.
fn with_options(mut scenario: Scenario, args: &AttackArgs) -> Scenario {
    if let Some(file) = &args.file {
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        scenario.file = Some(outward_spec::Source::file(path));
    }
    scenario.truth = args.truth.clone().or(scenario.truth);
    scenario
}
