//! `outward register check BUNDLE`: compares tables with what is public by figures alone, without the data.

use outward_register::gate::{EarlierRelease, Obstacle, largest_unsafe};
use outward_register::{
    Actor, FromFigures, PublishedRelease, Register, Release, Request, VersionedTable, differences_of_figures,
    revisions, submission, table_sources,
};
use outward_release::DescribedBundle;
use outward_spec::{Error, Result};

use super::check::{Answer, of_version, repeated, report};
use super::{actor, by_other_names, now, of_other_versions, url, with_tables};
use crate::cli::RegisterCheckArgs;
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;

/// How tables of a bundle are checked.
const BY_FIGURES: &str = "Published figures were compared without the data. Only sums and differences along one variable were tried. \
     Columns that depend on each other, such as two maps of the same places, were not compared. `register check` with \
     the spec compares them in the data.";

pub(super) fn check(session: &Session, args: &RegisterCheckArgs) -> Result<Outcome> {
    let (who, at, url) = (actor(&args.within)?, now(), url(&args.within)?);
    let bundle = DescribedBundle::read(&args.spec)?;
    if !bundle.is_of_tables {
        return Err(Error::input("records cannot be compared without the data")
            .file(&args.spec)
            .help("name the spec file that the bundle was made by")
            .into());
    }
    let new = submission(&bundle, args.dataset.as_deref(), &args.requester, "")?;
    let of_bundle = |name: &String| bundle.tables.iter().any(|published| published.table.name == *name);
    let wanted: Vec<_> = bundle.spec.tables.iter().filter(|table| of_bundle(&table.name)).collect();
    let sources = table_sources(&bundle.spec, &wanted)?;
    let mut known = None;
    let (mut versions, mut other_names) = (Vec::new(), Vec::new());
    let (earlier, requests) = session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        register.refuse_broken_log().await?;
        register.refuse_other_name(&new.dataset, &new.data_sha256).await?;
        known = register.find_bundle(&bundle.hash).await?;
        let (mut earlier, mut others): (Vec<EarlierRelease>, Vec<Release>) = (Vec::new(), Vec::new());
        for release in register.related(&new.dataset, &sources).await? {
            match release.bundle_hash == bundle.hash {
                true => {}
                false if register.data_of(&release).await? == new.data_sha256 => {
                    earlier.push(with_tables(&mut register, release).await?);
                }
                false => others.push(release),
            }
        }
        versions = of_other_versions(&mut register, (&new.dataset, &new.data_sha256), &others).await?;
        other_names = by_other_names(&mut register, &new.dataset, &sources).await?;
        Ok::<_, Error>((earlier, register.requests(&new.dataset).await?))
    })?;
    let names: Vec<String> = earlier.iter().map(|earlier| format!("release {}", earlier.release.id)).collect();
    let public = earlier.iter().zip(&names).map(|(earlier, name)| PublishedRelease {
        name,
        is_new: false,
        tables: &earlier.tables,
        protection: &earlier.spec.protection,
    });
    let new_release = PublishedRelease {
        name: "this request",
        is_new: true,
        tables: &bundle.tables,
        protection: &bundle.spec.protection,
    };
    let releases: Vec<PublishedRelease<'_>> = public.chain([new_release]).collect();
    let categories = releases.iter().flat_map(|release| release.tables).map(|published| published.category.as_str());
    let own = bundle.rules.tables.as_ref().map_or(0, |rules| largest_unsafe(rules, categories));
    let few = earlier.iter().map(|earlier| earlier.few).fold(own, i64::max);
    let FromFigures { differences, not_seen } = differences_of_figures(&releases, few);
    let mut findings: Vec<Obstacle> = differences.found.iter().map(Obstacle::of_difference).collect();
    findings.extend(Obstacle::of_lines(differences.not_searched));
    let versioned = VersionedTable::of_published(&bundle.spec, &bundle.tables);
    for (earlier, is_related) in &versions {
        findings.extend(revisions(("this request", &versioned), earlier, *is_related, few.max(earlier.few)));
    }
    findings.extend(other_names.iter().filter_map(|other| Obstacle::of_copy("this request", &versioned, other)));
    let request = Request {
        dataset: new.dataset.clone(),
        requester: args.requester.clone(),
        spec_sha256: bundle.hash.clone(),
        tables: new.tables.iter().map(|table| table.name.clone()).collect(),
        at: at.clone(),
    };
    session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        register.add_request(Actor { name: &who, at: &at }, &request, findings.len()).await
    })?;
    let mut notes: Vec<String> = not_seen.iter().map(|what| format!("not seen without the data: {what}")).collect();
    notes.extend(known.map(|own| format!("this bundle is release {}, which is {}", own.id, own.state)));
    notes.extend(repeated(&request, &requests));
    notes.extend(versions.iter().map(|(earlier, _)| of_version(&earlier.release)));
    let touches: Vec<Release> = earlier.into_iter().map(|earlier| earlier.release).collect();
    let answer = Answer { dataset: &new.dataset, touches: &touches, findings: &findings, notes: &notes };
    show(session, &answer, &report(&answer, BY_FIGURES), None, &[])?;
    Ok(if findings.is_empty() { Outcome::Clean } else { Outcome::Findings })
}
