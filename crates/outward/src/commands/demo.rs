//! `outward demo`: a worked example from data to report, as a newcomer would do it.

use std::path::Path;

use outward_risk::report;
use outward_spec::{Error, Result, Spec};

use crate::cli::{DemoArgs, DemoName, GenerateArgs, InitArgs, PoolArgs, PoolRule, ReadingArgs};
use crate::commands::assess::{assess_spec, set_keys};
use crate::commands::{generate, init, places, show};
use crate::output::Outcome;
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    std::fs::create_dir_all(&args.out).map_err(|error| Error::io("create", &args.out, error))?;
    match args.name {
        DemoName::Census => census(session, args),
        DemoName::Postcodes => postcodes(session, args),
    }
}

/// What a teaching file of a census would let users see of a person.
const CENSUS_KEYS: &str = "region,sex,age,ethnic_group,industry,economic_activity,religion,country_of_birth";

/// Makes a census, profiles it, and assesses the keys a teaching file would carry.
fn census(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    let (data, spec, html) = (file("census.csv"), file("outward.toml"), file("report.html"));
    let said = |path: &Path| path.display().to_string();
    session.remark(&format!(
        "$ outward generate census --rows {} --seed {} --out {}",
        args.rows,
        args.seed,
        said(&data)
    ));
    let made = GenerateArgs { dataset: "census".to_owned(), rows: args.rows, seed: args.seed, out: data.clone() };
    generate::make(session, &made)?;
    session.remark(&format!("$ outward init {} --out {}", said(&data), said(&spec)));
    init::write_spec(session, &InitArgs { data, out: spec.clone(), force: true, reading: ReadingArgs::default() })?;
    session.remark(&format!("$ outward assess {} --keys {CENSUS_KEYS} --report {}\n", said(&spec), said(&html)));
    let mut spec = Spec::load(&spec)?;
    let keys: Vec<String> = CENSUS_KEYS.split(',').map(str::to_owned).collect();
    set_keys(&mut spec, &keys)?;
    let assessment = assess_spec(session, &spec, None, false)?;
    show(session, &assessment, &report(&assessment), Some(&html), &[])?;
    session.remark(&format!("\nOpen {} in a browser.", said(&html)));
    Ok(Outcome::Clean)
}

/// Makes headcounts of postcodes and pools them, as a custodian of health data would.
fn postcodes(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    let (data, mapping, html) = (file("postcodes.csv"), file("mapping.csv"), file("report.html"));
    let said = |path: &Path| path.display().to_string();
    session.remark(&format!(
        "$ outward generate postcodes --rows {} --seed {} --out {}",
        args.rows,
        args.seed,
        said(&data)
    ));
    let made = GenerateArgs { dataset: "postcodes".to_owned(), rows: args.rows, seed: args.seed, out: data.clone() };
    generate::make(session, &made)?;
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
            code: "postcode".to_owned(),
            population: column("residents"),
            threshold: 20_000,
            rule: PoolRule::UkResidual,
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
