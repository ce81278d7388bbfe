//! `outward demo`: a worked example from data to report, as a newcomer would do it.

mod biobank;

use std::path::Path;

use outward_report::format::count;
use outward_risk::{Sample, report};
use outward_spec::{Error, Result, Spec};

use crate::cli::{
    AttackArgs, BornTo, CalendarArgs, DecideArgs, DemoArgs, DemoName, EnterArgs, GenerateArgs, HoldArgs,
    InRegisterArgs, InitArgs, MatchArgs, PoolArgs, PoolRule, ProtectArgs, ReadingArgs, RegisterCheckArgs,
    RegisterCommand, ReleaseArgs, SubmitArgs, TablesArgs, VerifyArgs,
};
use crate::commands::assess::{assess_spec, set_keys};
use crate::commands::{attack, birthdays, generate, init, places, protect, register, show, table, verify};
use crate::output::{Outcome, write_file};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    std::fs::create_dir_all(&args.out).map_err(|error| Error::io("create", &args.out, error))?;
    match args.name {
        DemoName::Census => census(session, args),
        DemoName::Energy => release(session, args, "energy", "energy.csv", ENERGY, &[]),
        DemoName::Education => release(session, args, "education", "enrolments.csv", EDUCATION, &[]),
        DemoName::Postcodes => postcodes(session, args),
        DemoName::Birthdays => birthdays(session, args),
        DemoName::Road => road(session, args),
        DemoName::Register => register(session, args),
        DemoName::Biobank => biobank::run(session, args),
    }
}

/// The specs of the worked examples, as they are under `examples/`.
const TEACHING_FILE: &str = include_str!("../../../../examples/census-teaching-file/outward.toml");
const COUNTRIES: &str = include_str!("../../../../examples/census-teaching-file/countries.csv");
const ENERGY: &str = include_str!("../../../../examples/energy/outward.toml");
const EDUCATION: &str = include_str!("../../../../examples/further-education/outward.toml");

/// Who tests the releases of the worked examples.
const SCENARIO: &str = "motivated-intruder";

const PEOPLE: &str = include_str!("../../../../examples/register/people.csv");
const FIRST: &str = include_str!("../../../../examples/register/first.toml");
const REQUEST: &str = include_str!("../../../../examples/register/request.toml");

const ROAD: &str = include_str!("../../../../examples/road-casualties/outward.toml");
const COUNTRIES_OF_REGIONS: &str = include_str!("../../../../examples/road-casualties/countries.csv");
const SPEED_FACTORS: &str = include_str!("../../../../examples/road-casualties/speed-factors.csv");

/// The variables of a person that a teaching file of a census would publish.
const CENSUS_KEYS: &str = "region,sex,age,ethnic_group,industry,economic_activity,religion,country_of_birth";

/// Makes the data of an example, carries its spec out, and verifies the bundle.
fn release(
    session: &Session,
    args: &DemoArgs,
    dataset: &str,
    data: &str,
    spec: &str,
    files: &[(&str, &str)],
) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    if !file(data).exists() || dataset != "census" {
        make(session, args, dataset, &file(data))?;
    }
    let (toml, bundle) = (file("release.toml"), file("bundle"));
    for (name, text) in files.iter().chain([&("release.toml", spec)]) {
        write_file(&file(name), text, &[])?;
    }
    session.remark(&format!("$ outward protect {} --out {}\n", said(&toml), said(&bundle)));
    let protected = protect::run(
        session,
        &ProtectArgs { spec: toml.clone(), out: bundle.clone(), force: bundle.exists(), seed: None },
    )?;
    if protected != Outcome::Clean {
        say_too_few(session, args);
        return Ok(protected);
    }
    let by = "the data custodian";
    session.remark(&format!(
        "\n$ outward attack {} --scenario {SCENARIO} --authorised-by \"{by}\" --out {}\n",
        said(&toml),
        said(&bundle)
    ));
    let attack = AttackArgs {
        spec: toml,
        scenario: SCENARIO.to_owned(),
        authorised_by: Some(by.to_owned()),
        out: Some(bundle.clone()),
        ..AttackArgs::default()
    };
    attack::run(session, &attack)?;
    session.remark(&format!("$ outward verify {}\n", said(&bundle)));
    let verified = verify::run(session, &VerifyArgs { bundle: bundle.clone(), population: None, report: None })?;
    session.remark(&format!("\nOpen {} in a browser.", said(&bundle.join("report.html"))));
    Ok(verified)
}

/// Makes a census, profiles it, and assesses the keys a teaching file would carry; then makes the teaching file.
fn census(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    let (data, spec, html) = (file("census.csv"), file("outward.toml"), file("report.html"));
    make(session, args, "census", &data)?;
    session.remark(&format!("$ outward init {} --out {}", said(&data), said(&spec)));
    init::write_spec(session, &InitArgs { data, out: spec.clone(), force: true, reading: ReadingArgs::default() })?;
    session.remark(&format!("$ outward assess {} --keys {CENSUS_KEYS} --report {}\n", said(&spec), said(&html)));
    let mut spec = Spec::load(&spec)?;
    let keys: Vec<String> = CENSUS_KEYS.split(',').map(str::to_owned).collect();
    set_keys(&mut spec, &keys)?;
    let assessment = assess_spec(session, &spec, None, Sample::default(), false)?;
    show(session, &assessment, &report(&assessment), Some(&html), &[])?;
    session.remark(&format!("\nOpen {} in a browser.\n", said(&html)));
    release(session, args, "census", "census.csv", TEACHING_FILE, &[("countries.csv", COUNTRIES)])
}

/// Makes collisions with their vehicles and casualties, and the fourteen tables of contributory factors.
fn road(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    make(session, args, "road", &file("road.csv"))?;
    for (name, text) in
        [("outward.toml", ROAD), ("countries.csv", COUNTRIES_OF_REGIONS), ("speed-factors.csv", SPEED_FACTORS)]
    {
        write_file(&file(name), text, &[])?;
    }
    let (toml, bundle) = (file("outward.toml"), file("bundle"));
    session.remark(&format!("$ outward table {} --out {}\n", said(&toml), said(&bundle)));
    let (spec, out) = (Some(toml), Some(bundle.clone()));
    let made =
        table::run(session, &TablesArgs { spec, out, force: bundle.exists(), redesigns: 3, ..TablesArgs::default() })?;
    if made != Outcome::Clean {
        say_too_few(session, args);
        return Ok(made);
    }
    session.remark(&format!("$ outward verify {}\n", said(&bundle)));
    let verified = verify::run(session, &VerifyArgs { bundle: bundle.clone(), population: None, report: None })?;
    session.remark(&format!("\nOpen {} in a browser.", said(&bundle.join("public").join("tables.html"))));
    Ok(verified)
}

/// Registers a table, stops a request that would disclose one person, and releases it protected given the first.
fn register(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    for (name, text) in [("people.csv", PEOPLE), ("first.toml", FIRST), ("request.toml", REQUEST)] {
        write_file(&file(name), text, &[])?;
    }
    let store = file("register.db");
    if store.exists() {
        return Err(Error::input("a register is there already")
            .file(&store)
            .help("a register remembers: choose another folder with --out")
            .into());
    }
    let url = format!("sqlite:{}", store.display());
    let within = |actor: &str| InRegisterArgs { register: Some(url.clone()), actor: Some(actor.to_owned()) };
    let publish = |bundle: &Path, release: i64| -> Result<Outcome> {
        let enter = EnterArgs { requester: "a newspaper".to_owned(), ..EnterArgs::default() };
        session.remark(&format!("$ outward register submit {} --register {url} --actor ann\n", said(bundle)));
        let submit =
            SubmitArgs { bundle: bundle.to_owned(), draft: false, enter: enter.clone(), within: within("ann") };
        register::run(session, &RegisterCommand::Submit(submit))?;
        session.remark(&format!("$ outward register approve {release} --register {url} --actor bob\n"));
        let approve = DecideArgs { release, reason: String::new(), within: within("bob") };
        register::run(session, &RegisterCommand::Approve(approve))?;
        session.remark(&format!("$ outward release {} --register {url} --actor ann\n", said(bundle)));
        register::release(
            session,
            &ReleaseArgs { bundle: bundle.to_owned(), enter, hold: HoldArgs::default(), within: within("ann") },
        )
    };
    let tables = |spec: &str, bundle: &Path, register: Option<String>| {
        let by = register.as_ref().map(|url| format!(" --register {url}")).unwrap_or_default();
        session.remark(&format!("$ outward table {}{by} --out {}\n", said(&file(spec)), said(bundle)));
        let (spec, out, actor) = (Some(file(spec)), Some(bundle.to_owned()), Some("ann".to_owned()));
        table::run(session, &TablesArgs { spec, out, register, actor, force: bundle.exists(), ..TablesArgs::default() })
    };
    let (first, second) = (file("first"), file("second"));
    tables("first.toml", &first, None)?;
    publish(&first, 1)?;
    session.remark(&format!("$ outward register check {} --register {url} --actor ann\n", said(&file("request.toml"))));
    let check = RegisterCheckArgs {
        spec: file("request.toml"),
        names: Vec::new(),
        requester: "a newspaper".to_owned(),
        dataset: None,
        within: within("ann"),
    };
    register::run(session, &RegisterCommand::Check(check))?;
    tables("request.toml", &second, Some(url.clone()))?;
    publish(&second, 2)
}

/// Makes headcounts of postcodes and pools them, as a custodian of health data would.
fn postcodes(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    let (data, mapping, html) = (file("postcodes.csv"), file("mapping.csv"), file("report.html"));
    make(session, args, "postcodes", &data)?;
    session.remark(&format!(
        "$ outward places pool {} --code postcode --population residents --nation nation --easting easting --northing \
         northing --threshold 20000 --rule uk-residual --out {} --report {}\n",
        said(&data),
        said(&mapping),
        said(&html)
    ));
    let column = |name: &str| Some(name.to_owned());
    places::pool::pool(
        session,
        &PoolArgs {
            data,
            code: column("postcode"),
            population: column("residents"),
            persons: false,
            threshold: 20_000,
            rule: Some(PoolRule::UkResidual),
            against: None,
            nation: column("nation"),
            easting: column("easting"),
            northing: column("northing"),
            condition: None,
            sweep: Vec::new(),
            out: Some(mapping),
            report: Some(html.clone()),
            reading: ReadingArgs::default(),
        },
    )?;
    session.remark(&format!("\nOpen {} in a browser.", said(&html)));
    Ok(Outcome::Clean)
}

/// Makes a census and matches half of it to the whole on date of birth, sex and place.
fn birthdays(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let (data, html) = (args.out.join("census.csv"), args.out.join("report.html"));
    make(session, args, "census", &data)?;
    let half = "CAST(person_id AS BIGINT) % 2 = 0";
    session.remark(&format!(
        "$ outward birthdays match {0} {0} --second-where '{half}' --date-of-birth date_of_birth --sex sex --place region \
         --report {1}\n",
        said(&data),
        said(&html)
    ));
    let column = |name: &str| Some(name.to_owned());
    birthdays::matching::run(
        session,
        &MatchArgs {
            first: data.clone(),
            second: Some(data),
            date_of_birth: "date_of_birth".to_owned(),
            date_format: None,
            sex: column("sex"),
            place: column("region"),
            condition: None,
            second_where: column(half),
            born: BornTo::Day,
            report: Some(html.clone()),
            calendar: CalendarArgs::default(),
            reading: ReadingArgs::default(),
        },
    )?;
    session.remark(&format!("\nOpen {} in a browser.", said(&html)));
    Ok(Outcome::Clean)
}

/// The specs of the examples suit as many records as a demo makes by itself.
fn say_too_few(session: &Session, args: &DemoArgs) {
    if args.rows < DemoArgs::ROWS {
        session.remark(&format!(
            "\nThe spec of this example is for {} records, as a demo makes them without --rows. With {}, too few share \
             their keys, and the policy rightly refuses the release. Leave out --rows to see the whole example.",
            count(DemoArgs::ROWS),
            count(args.rows)
        ));
    }
}

fn said(path: &Path) -> String {
    path.display().to_string()
}

/// Makes the data of an example.
fn make(session: &Session, args: &DemoArgs, dataset: &str, out: &Path) -> Result<()> {
    session.remark(&format!(
        "$ outward generate {dataset} --rows {} --seed {} --out {}",
        args.rows,
        args.seed,
        said(out)
    ));
    let made = GenerateArgs { dataset: dataset.to_owned(), rows: args.rows, seed: args.seed, out: out.to_owned() };
    generate::make(session, &made).map(|_| ())
}
