//! `outward vault grant`, `approve`, `reverse` and `bridge`.

use outward_report::format::{count, counted};
use outward_spec::{Result, Source};
use outward_vault::{EID, EidSet, Grant, Operation, Reversed};
use serde_json::json;

use super::private::write_private;
use super::{Open, answer, in_file, read};
use crate::cli::{ApproveArgs, BridgeArgs, GrantArgs, GrantedOperation, ReverseArgs, SetName};
use crate::output::{Outcome, refuse_inputs};
use crate::session::Session;

pub(super) fn grant(session: &Session, args: &GrantArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    let grant = Grant {
        actor: args.to.clone(),
        application: args.application.clone(),
        other: args.with.clone(),
        operation: match args.operation {
            GrantedOperation::Pid => Operation::Pid,
            GrantedOperation::Person => Operation::Person,
            GrantedOperation::Bridge => Operation::Bridge,
        },
        purpose: args.purpose.clone(),
        expires: args.expires.clone(),
        cap: args.cap,
        per_day: args.per_day,
    };
    let id = runtime.block_on(vault.grant(&grant, speaker.actor()))?;
    answer(session, &json!({ "grant": id }), &format!("Grant {id} is for {}.\n", args.to))?;
    Ok(Outcome::Clean)
}

pub(super) fn approve(session: &Session, args: &ApproveArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    runtime.block_on(vault.approve_grant(args.grant, speaker.actor()))?;
    answer(session, &json!({ "grant": args.grant }), &format!("Grant {} is approved.\n", args.grant))?;
    Ok(Outcome::Clean)
}

pub(super) fn reverse(session: &Session, args: &ReverseArgs) -> Result<Outcome> {
    refuse_inputs(&args.out, &[&args.file])?;
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    let mut eids = Vec::new();
    read::texts(session, &runtime, &Source::file(&args.file), &[EID.to_owned()], &mut |row| {
        eids.push(row[0].unwrap_or_default().to_owned());
        Ok(())
    })?;
    let set = match args.set {
        SetName::Main => EidSet::Main,
        SetName::PhaseOne => EidSet::PhaseOne,
        SetName::PhaseTwo => EidSet::PhaseTwo,
    };
    let operation = if args.pid { Operation::Pid } else { Operation::Person };
    let found = runtime.block_on(vault.reverse(args.grant, set, &eids, operation, speaker.actor(), &args.reason));
    let found = found.map_err(|error| in_file(error, &args.file))?;
    let mut text = String::from(if args.pid {
        "eid,pid\n"
    } else {
        "eid,pid,id,nhs_number,name,address,email,phone,may_be_contacted\n"
    });
    for reversed in &found {
        text += &line(reversed);
    }
    write_private(&args.out, text.as_bytes())?;
    let said = format!(
        "{} reversed in {}.\n",
        counted(found.len() as u64, "identifier is", "identifiers are"),
        args.out.display()
    );
    answer(session, &json!({ "reversed": found.len(), "file": args.out }), &said)?;
    Ok(Outcome::Clean)
}

fn line(reversed: &Reversed) -> String {
    let Reversed { eid, pid, person, may_be_contacted } = reversed;
    let mut fields = vec![eid.clone(), pid.to_string()];
    if let Some(person) = person {
        let known = [&person.nhs_number, &person.name, &person.address, &person.email, &person.phone];
        fields.push(person.local.clone());
        fields.extend(known.map(|field| field.clone().unwrap_or_default()));
        fields.push(if *may_be_contacted { "yes" } else { "no" }.to_owned());
    }
    let quoted = |field: &String| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.clone(),
    };
    fields.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

pub(super) fn bridge(session: &Session, args: &BridgeArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    let bridge = runtime.block_on(vault.bridge(args.grant, speaker.actor(), &args.reason))?;
    let [one, other] = &bridge.applications;
    let rows: String = bridge.pairs.iter().map(|(one, other)| format!("{one},{other}\n")).collect();
    write_private(&args.out, format!("eid_{one},eid_{other}\n{rows}").as_bytes())?;
    let pairs = bridge.pairs.len();
    let said = format!("{} identifiers of `{one}` and `{other}` are in {}.\n", count(pairs as u64), args.out.display());
    answer(session, &json!({ "pairs": pairs, "file": args.out }), &said)?;
    Ok(Outcome::Clean)
}
