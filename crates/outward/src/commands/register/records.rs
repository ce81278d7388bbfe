//! Compares releases of records with earlier ones: at the gate from a bundle, and before any work is done from a spec.

use std::path::{Path, PathBuf};

use outward_register::gate::EarlierRelease;
use outward_register::records::matches::PublishedFile;
use outward_register::records::{DataAtHand, EarlierRecords, NewRecords, RecordsCompared, hold_records};
use outward_register::{Actor, Register, Release, Request};
use outward_release::{
    DescribedBundle, InputKind, InputRecord, data_hash, is_of_tables, read, read_described_spec, spec_in_bundle,
};
use outward_report::{Report, Tone, Verdict};
use outward_spec::{Error, Result, Source, Spec};

use super::check::Answer;
use super::{actor, data_of, now, url, words};
use crate::cli::{HoldArgs, RegisterCheckArgs};
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;

/// Classes with fewer records than this are always examined. A policy without a k allows records that are alone in one
/// release. It does not allow that several releases make them so.
const LEAST: u64 = 2;

/// Compares a bundle of records with the public releases of records of the same dataset, which `related` names.
pub(super) async fn hold_bundle(
    session: &Session,
    register: &mut Register,
    (release, bundle, folder): (&Release, &DescribedBundle, &Path),
    related: &[EarlierRelease],
    args: &HoldArgs,
) -> Result<RecordsCompared> {
    let related = related.iter().map(|earlier| &earlier.release);
    let public: Vec<Release> = related.filter(|release| release.kind == "records").cloned().collect();
    let of = args.bundle_of()?;
    if let Some((id, _)) = of.iter().find(|(id, _)| !public.iter().any(|release| release.id == *id)) {
        return Err(Error::input(format!("release {id} is no public release of records of these data"))
            .help("`outward register list` shows all releases")
            .into());
    }
    if bundle.is_of_tables || public.is_empty() {
        return Ok(RecordsCompared::default());
    }
    let held = temporary()?;
    let mut earlier = Vec::new();
    for other in public {
        let file = match of.iter().find(|(id, _)| *id == other.id) {
            Some((_, path)) => Some(published_file(path, &other)?),
            None => None,
        };
        let is_same_data = other.version == release.version;
        earlier.push(EarlierRecords { file, ..described(register, other, is_same_data, held.path()).await? });
    }
    let spec = spec_in_bundle(&bundle.spec, folder);
    if let Some(path) = &args.data {
        refuse_other_data(path, bundle, &spec)?;
    }
    let data = match &args.data {
        Some(path) => DataAtHand::File(path),
        None if spec.data.path.is_none() => DataAtHand::OfSpec,
        None => DataAtHand::Nowhere,
    };
    let own = PublishedFile::new(folder, read(folder)?);
    let k = bundle.rules.k.max(LEAST);
    let new = NewRecords { name: "this release", spec: &spec, k, data, file: Some(&own) };
    hold_records(&*session.engine(), &new, &earlier, session.threads).await
}

/// A public release as the register holds it, its files written into a folder.
async fn described(
    register: &mut Register,
    release: Release,
    is_same_data: bool,
    folder: &Path,
) -> Result<EarlierRecords> {
    let files = register.files(release.id).await?;
    let spec = read_described_spec(&folder.join(release.id.to_string()), &files)?;
    Ok(EarlierRecords { release, spec, is_same_data, file: None })
}

fn temporary() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| Error::io("create", std::env::temp_dir(), error))
}

/// The published file of an earlier release, if it is the one that went out.
fn published_file(bundle: &Path, release: &Release) -> Result<PublishedFile> {
    let other = |what: String| -> Error {
        Error::input(what).file(bundle).help("name the bundle as it was released, or leave --bundle-of out").into()
    };
    let described = DescribedBundle::read(bundle)?;
    if described.hash != release.bundle_hash || is_of_tables(bundle) {
        return Err(other(format!("this is not the bundle of release {}", release.id)));
    }
    let file = PublishedFile::new(bundle, read(bundle)?);
    let known = file.manifest.files.iter().find(|known| known.path == file.manifest.data);
    let found = InputRecord::of_file(InputKind::Data, None, &file.path)?;
    match known.is_some_and(|known| Some(&known.sha256) == found.sha256.as_ref()) {
        true => Ok(file),
        false => Err(other(format!("the records of this bundle are not those of release {}", release.id))),
    }
}

/// The data must be those that the bundle was made of.
fn refuse_other_data(path: &Path, bundle: &DescribedBundle, spec: &Spec) -> Result<()> {
    let absolute = std::path::absolute(path).map_err(|error| Error::io("find", path, error))?;
    let source = Source { path: Some(absolute), ..spec.data.clone() };
    let found = data_hash(&Spec { data: source, ..spec.clone() })?;
    let hashes = bundle.inputs.iter().filter(|input| input.kind == InputKind::Data);
    let known: Option<Vec<String>> = hashes.map(|input| input.sha256.clone()).collect();
    match found == known.map(|known| known.join(" ")) {
        true => Ok(()),
        false => Err(Error::input("these are not the data that the bundle was made of")
            .file(path)
            .help("name the file as it was then, or make the bundle again")
            .into()),
    }
}

impl HoldArgs {
    /// The bundles of earlier releases, by the numbers of these.
    fn bundle_of(&self) -> Result<Vec<(i64, PathBuf)>> {
        let parse = |text: &String| {
            let parsed = text.split_once('=').and_then(|(id, path)| Some((id.trim().parse().ok()?, path.into())));
            parsed.ok_or_else(|| {
                Error::input(format!("`{text}` names no release and its bundle"))
                    .help("write --bundle-of NUMBER=FOLDER, such as --bundle-of 3=bundles/third")
                    .into()
            })
        };
        self.bundle_of.iter().map(parse).collect()
    }
}

/// Checks a request for records, before any work is done.
pub(super) fn check(session: &Session, args: &RegisterCheckArgs, spec: &Spec, text: &str) -> Result<Outcome> {
    let (who, at, url) = (actor(&args.within)?, now(), url(&args.within)?);
    let rules = spec.rules()?;
    let (name, data_sha256) = data_of(&InputRecord::of_spec(spec, &args.spec, text)?);
    let dataset = args.dataset.clone().unwrap_or(name);
    let folder = temporary()?;
    let (touches, held) = session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        register.refuse_broken_log().await?;
        register.refuse_other_name(&dataset, &data_sha256).await?;
        let mut earlier = Vec::new();
        for release in register.public_records(&dataset).await? {
            let is_same_data = register.data_of(&release).await? == data_sha256;
            earlier.push(described(&mut register, release, is_same_data, folder.path()).await?);
        }
        let k = rules.k.max(LEAST);
        let new = NewRecords { name: "this request", spec, k, data: DataAtHand::OfSpec, file: None };
        let held = hold_records(&*session.engine(), &new, &earlier, session.threads).await;
        let held = held.map_err(|error| spec.placed(&args.spec, error))?;
        let request = Request {
            dataset: dataset.clone(),
            requester: args.requester.clone(),
            spec_sha256: outward_ledger::chain::hash_of_text(text),
            tables: Vec::new(),
            at: at.clone(),
        };
        register.add_request(Actor { name: &who, at: &at }, &request, held.obstacles.len()).await?;
        Ok::<_, Error>((earlier.into_iter().map(|earlier| earlier.release).collect::<Vec<_>>(), held))
    })?;
    let answer = Answer { dataset: &dataset, touches: &touches, findings: &held.obstacles, notes: &held.not_seen };
    show(session, &answer, &report(&answer), None, &[])?;
    Ok(if held.obstacles.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

fn report(answer: &Answer<'_>) -> Report {
    let (tone, headline) = match answer.findings.len() {
        0 => (Tone::Good, "Nobody is exposed by these records and what is public".to_owned()),
        1 => (Tone::Bad, "One obstacle follows from these records and what is public".to_owned()),
        many => (Tone::Bad, format!("{many} obstacles follow from these records and what is public")),
    };
    let public =
        |release: &Release| format!("release {} (“{}”), public since {}", release.id, release.title, release.released);
    let touches: Vec<String> = match answer.touches.is_empty() {
        true => vec!["no records of these data are public".to_owned()],
        false => answer.touches.iter().map(public).collect(),
    };
    let sections = [
        words::of_notes("touches", "Releases of records of these data", &touches),
        words::of_obstacles(answer.findings),
        words::of_notes("notes", "What could not be seen", answer.notes),
    ];
    Report {
        title: "Check against the register".to_owned(),
        subtitle: answer.dataset.to_owned(),
        verdict: Verdict {
            tone,
            headline,
            detail:
                "The steps of this spec and of earlier releases were carried out on the data, and their keys joined."
                    .to_owned(),
            figures: Vec::new(),
        },
        sections: sections.into_iter().flatten().collect(),
        footer: Vec::new(),
    }
}
