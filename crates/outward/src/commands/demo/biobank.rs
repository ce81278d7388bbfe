//! `outward demo biobank`: a cohort from enrolment to two applications, and withdrawals.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use outward_spec::{Error, Result, Source};

use super::{make, said};
use crate::cli::{
    ApplicationArgs, ApplyArgs, DemoArgs, EnrolArgs, EnterWithdrawalsArgs, ExtractArgs, InVaultArgs, InitVaultArgs,
    NewKeyArgs, PhaseNumber, ReturnArgs, TreeArgs, VaultCommand, VerifyArgs, WithdrawCommand,
};
use crate::commands::{vault, verify};
use crate::output::{Outcome, write_file};
use crate::session::Session;

const FILES: [(&str, &str); 6] = [
    ("enrol.toml", include_str!("../../../../../examples/biobank/enrol.toml")),
    ("participants.toml", include_str!("../../../../../examples/biobank/participants.toml")),
    ("assessments.toml", include_str!("../../../../../examples/biobank/assessments.toml")),
    ("admissions.toml", include_str!("../../../../../examples/biobank/admissions.toml")),
    ("work.toml", include_str!("../../../../../examples/biobank/work.toml")),
    ("air.toml", include_str!("../../../../../examples/biobank/air.toml")),
];

/// The participants of the example, unless told otherwise.
const PARTICIPANTS: u64 = 5_000;

pub(super) fn run(session: &Session, args: &DemoArgs) -> Result<Outcome> {
    let file = |name: &str| args.out.join(name);
    let within = || InVaultArgs { vault: Some(file("vault")), actor: Some("ann".to_owned()) };
    if file("vault").exists() {
        return Err(Error::input("a vault is there already")
            .file(file("vault"))
            .help("a vault remembers: choose another folder with --out")
            .into());
    }
    let rows = if args.rows == DemoArgs::ROWS { PARTICIPANTS } else { args.rows };
    make(session, &DemoArgs { rows, out: args.out.clone(), ..*args }, "biobank", &file("biobank.csv"))?;
    for (name, text) in FILES {
        write_file(&file(name), text, &[])?;
    }
    let step = |line: &str, command: VaultCommand| {
        session.remark(&format!("\n$ outward vault {line}"));
        vault::run(session, &command)
    };
    // A demonstration has nobody who could type a passphrase.
    let key = format!("cat '{}'", file("demo.key").display());
    let bytes = outward_vault::RootKey::draw()?.for_keeping();
    vault::write_private(&file("demo.key"), bytes.as_bytes())?;
    let new = NewKeyArgs { key_command: Some(key.clone()), ..NewKeyArgs::default() };
    let init = InitVaultArgs {
        key: new,
        identity_database: None,
        research_database: None,
        two_people: false,
        within: within(),
    };
    step(&format!("init --key-command \"{key}\""), VaultCommand::Init(init))?;
    step("enrol enrol.toml", VaultCommand::Enrol(EnrolArgs { file: file("enrol.toml"), within: within() }))?;
    for application in ["work.toml", "air.toml"] {
        let approved = ApplicationArgs {
            file: Some(file(application)),
            policy: "uk-biobank".to_owned(),
            reason: "approved by the access committee".to_owned(),
            within: within(),
        };
        step(&format!("application {application}"), VaultCommand::Application(approved))?;
    }
    let extract = |application: &str, out: &str, phase: Option<PhaseNumber>| {
        let number = match phase {
            None => "",
            Some(PhaseNumber::One) => " --phase 1",
            Some(PhaseNumber::Two) => " --phase 2",
        };
        let args = ExtractArgs {
            application: application.to_owned(),
            out: file(out),
            table: Vec::new(),
            fields: Vec::new(),
            phase,
            policy: "uk-biobank".to_owned(),
            parquet: false,
            force: false,
            reason: "a demonstration".to_owned(),
            within: within(),
        };
        step(&format!("extract {application}{number} --out {out}"), VaultCommand::Extract(args))
    };
    if extract("work", "work", None)? != Outcome::Clean {
        return Ok(Outcome::Findings);
    }
    extract("air", "places", Some(PhaseNumber::One))?;
    write_file(&file("results.csv"), &air_at(session, &file("places").join("public").join("data.csv"))?, &[])?;
    let taken = ReturnArgs {
        application: "air".to_owned(),
        results: file("results.csv"),
        phase_one: file("places"),
        reason: "from the university".to_owned(),
        within: within(),
    };
    step("return air results.csv --phase-one places", VaultCommand::Return(taken))?;
    extract("air", "rest", Some(PhaseNumber::Two))?;
    let bundle = file("rest");
    session.remark(&format!("\n$ outward verify {}\n", said(&bundle)));
    let verified = verify::run(session, &VerifyArgs { bundle, population: None, report: None })?;
    withdraw(session, args, &within, &step)?;
    step("audit", VaultCommand::Audit(within()))?;
    Ok(verified)
}

/// Enters those who withdrew, and removes them from a copy of what is out.
fn withdraw(
    session: &Session,
    args: &DemoArgs,
    within: &dyn Fn() -> InVaultArgs,
    step: &dyn Fn(&str, VaultCommand) -> Result<Outcome>,
) -> Result<()> {
    let file = |name: &str| args.out.join(name);
    let mut letters = "id,level,day\n".to_owned();
    visit(session, &file("biobank_participants.csv"), &["participant_id", "consent"], |row| {
        if row[1] == "Withdrawn: no further use" {
            // Writing to a string does not fail.
            let _ = writeln!(letters, "{},no-further-use,2026-01-01", row[0]);
        }
    })?;
    write_file(&file("withdrawals.csv"), &letters, &[])?;
    let reason = || "letters of the year".to_owned();
    let enter = EnterWithdrawalsArgs { file: file("withdrawals.csv"), reason: reason(), within: within() };
    step("withdraw enter withdrawals.csv", VaultCommand::Withdraw(WithdrawCommand::Enter(enter)))?;
    let laptop = file("laptop");
    std::fs::create_dir_all(&laptop).map_err(|error| Error::io("create", &laptop, error))?;
    let out: PathBuf = ["work", "assessments", "public", "data.csv"].iter().collect();
    let (from, to) = (args.out.join(out), laptop.join("visits.csv"));
    std::fs::copy(&from, &to).map_err(|error| Error::io("copy", &from, error))?;
    let tree = || TreeArgs {
        application: "work".to_owned(),
        paths: vec![laptop.clone()],
        column: None,
        reason: reason(),
        within: within(),
    };
    step("withdraw check work laptop", VaultCommand::Withdraw(WithdrawCommand::Check(tree())))?;
    let apply = ApplyArgs { tree: tree(), receipt: file("receipt.json") };
    step("withdraw apply work laptop --receipt receipt.json", VaultCommand::Withdraw(WithdrawCommand::Apply(apply)))?;
    Ok(())
}

/// What a university would work out of places: here a figure made of the position.
fn air_at(session: &Session, places: &Path) -> Result<String> {
    let mut results = "eid,no2\n".to_owned();
    visit(session, places, &["eid", "easting", "northing"], |row| {
        let number = |text: &str| text.parse::<f64>().unwrap_or_default();
        let no2 = 14.0 + number(row[1]) % 97_000.0 / 9_700.0 + number(row[2]) % 89_000.0 / 8_900.0;
        let _ = writeln!(results, "{},{no2:.2}", row[0]);
    })?;
    Ok(results)
}

/// Rows of columns of a file.
fn visit(session: &Session, file: &Path, columns: &[&str], mut visit: impl FnMut(&[&str])) -> Result<()> {
    let runtime = session.runtime()?;
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    vault::texts(session, &runtime, &Source::file(file), &columns, &mut |row| {
        let row: Vec<&str> = row.iter().map(|value| value.unwrap_or_default()).collect();
        visit(&row);
        Ok(())
    })
}
