//! Moves releases to other states by the table of moves, and enters exceptions.

use outward_spec::{Error, Result};
use serde_json::json;

use super::{Actor, Exception, Note, Register, Release, refuse_blank, subject};
use crate::state::{Move, State, find_move, is_same_person, moves_from};
use outward_ledger::values;

impl Register {
    /// Moves a release to another state, if the table of moves allows it. An approval counts once for each person. The
    /// release is approved when as many people as its policy asks have approved the same bundle.
    ///
    /// # Errors If the release does not exist, its state does not have the move, this person may not make it, or a
    /// reason is missing.
    pub async fn make_move(&mut self, by: Actor<'_>, id: i64, name: &str, reason: &str) -> Result<State> {
        self.store.begin().await?;
        let done = match name {
            "release" | "submit" => {
                Err(Error::bug("a release becomes public through the gate, and is entered with its bundle"))
            }
            _ => self.move_within(by, id, name, reason).await,
        };
        self.end(done).await
    }

    /// Makes a release public, if it is still related to no other releases than those it was checked against.
    ///
    /// # Errors If the release may not become public, or another one became public since it was checked.
    pub async fn make_public(
        &mut self,
        by: Actor<'_>,
        id: i64,
        bundle_hash: &str,
        checked_against: &[i64],
    ) -> Result<State> {
        self.store.begin().await?;
        let done = self.public_within(by, id, bundle_hash, checked_against).await;
        self.end(done).await
    }

    pub(super) async fn public_within(
        &mut self,
        by: Actor<'_>,
        id: i64,
        bundle_hash: &str,
        checked_against: &[i64],
    ) -> Result<State> {
        let release = self.release(id).await?;
        if release.bundle_hash != bundle_hash {
            return Err(Error::input(format!("release {id} has another bundle now than the one that was checked"))
                .help("run the command again with the bundle that is in the register")
                .into());
        }
        if release.state == State::Released {
            return Ok(State::Released);
        }
        let related = self.related_to(&release).await?;
        if let Some(new) = related.iter().find(|other| !checked_against.contains(&other.id)) {
            return Err(Error::input(format!("release {} became public while this one was checked", new.id))
                .help("run the command again, so that this one is checked against it too")
                .into());
        }
        self.move_within(by, id, "release", "").await
    }

    pub(super) async fn move_within(&mut self, by: Actor<'_>, id: i64, name: &str, reason: &str) -> Result<State> {
        refuse_blank(by.name)?;
        let mut release = self.release(id).await?;
        // A person who decides on a release that nobody is reviewing becomes its reviewer.
        if matches!(name, "approve" | "return" | "refuse") && release.state == State::Submitted {
            allowed_as(&release, by.name, "review", name)?;
            self.set_state(by, &release, State::UnderReview, "review", "").await?;
            release.state = State::UnderReview;
        }
        let one = allowed(&release, by.name, name)?;
        if name == "release" && release.state == State::Submitted && release.approvals > 0 {
            return Err(Error::input(format!("nobody has reviewed release {id}"))
                .help(format!(
                    "someone other than {} has to approve it: `outward register approve {id}`",
                    release.author
                ))
                .into());
        }
        if one.reason && reason.trim().is_empty() {
            return Err(Error::input(format!("to {name} a release a reason is needed"))
                .help("say it with --reason \"…\": it goes into the log")
                .into());
        }
        let mut to = one.to;
        if matches!(name, "approve" | "return" | "refuse" | "recall" | "withdraw") {
            let decision = self.store.next("decisions").await?;
            let statement = "insert into decisions (id, release_id, kind, actor, at, reason, bundle_hash) \
                             values ($1, $2, $3, $4, $5, $6, $7)";
            let row = values![decision, id, name, by.name, by.at, reason, &release.bundle_hash];
            self.store.run(statement, row).await?;
        }
        if name == "approve" {
            let approved = self.file_of(release.clone()).await?.approved_by().len() as i64;
            if approved < release.approvals {
                to = State::UnderReview;
            }
        }
        if name == "release" {
            let statement = "update releases set released = $2 where id = $1";
            self.store.run(statement, values![id, by.at]).await?;
        }
        self.set_state(by, &release, to, name, reason).await?;
        Ok(to)
    }

    pub(super) async fn set_state(
        &mut self,
        by: Actor<'_>,
        release: &Release,
        to: State,
        action: &str,
        reason: &str,
    ) -> Result<()> {
        self.store.run("update releases set state = $2 where id = $1", values![release.id, to.name()]).await?;
        let details = json!({ "from": release.state.name(), "to": to.name(), "bundle": release.bundle_hash });
        self.note(by, Note { action, subject: subject(release.id), reason, details }).await
    }

    /// Enters an exception.
    ///
    /// # Errors If the release does not exist or is public already, its author is the approver, or a field is empty.
    pub async fn add_exception(&mut self, by: Actor<'_>, id: i64, exception: &Exception) -> Result<()> {
        self.store.begin().await?;
        let done = self.except_within(by, id, exception).await;
        self.end(done).await
    }

    pub(super) async fn except_within(&mut self, by: Actor<'_>, id: i64, exception: &Exception) -> Result<()> {
        let release = self.release(id).await?;
        if is_same_person(&exception.approver, &release.author) {
            return Err(Error::input(format!("{} is the author of release {id}", exception.approver))
                .help("someone else has to approve an exception")
                .into());
        }
        if release.state.is_public() || release.state == State::Refused {
            return Err(wrong_state(&release, "except"));
        }
        for (what, said) in [("reason", &exception.reason), ("scope", &exception.scope)] {
            if said.split_whitespace().count() < 2 {
                return Err(Error::input(format!("the {what} of an exception is not said in words"))
                    .help("write a short sentence: it is shown in the public statement")
                    .into());
            }
        }
        let number = self.store.next("exceptions").await?;
        let statement = "insert into exceptions (id, release_id, rule, scope, reason, approver, expires, at, bundle_hash) \
                         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let Exception { rule, scope, reason, approver, expires, .. } = exception;
        let row = values![number, id, rule, scope, reason, approver, expires, by.at, &release.bundle_hash];
        self.store.run(statement, row).await?;
        let details = json!({ "rule": rule, "scope": scope, "approver": approver, "expires": expires });
        self.note(by, Note { action: "except", subject: subject(id), reason, details }).await
    }
}

/// The move with a name, if this person may make it.
pub(super) fn allowed(release: &Release, actor: &str, name: &str) -> Result<&'static Move> {
    allowed_as(release, actor, name, name)
}

/// As [`allowed`], if the person asked for another move that begins with this one.
pub(super) fn allowed_as(release: &Release, actor: &str, name: &str, asked: &str) -> Result<&'static Move> {
    let one = find_move(name, release.state).ok_or_else(|| wrong_state(release, asked))?;
    match one.who.includes(actor, &release.author) {
        true => Ok(one),
        false => Err(Error::input(format!("{actor} may not {asked} release {}", release.id))
            .help(format!("{} has to: its author is {}", one.who.name(), release.author))
            .into()),
    }
}

pub(super) fn wrong_state(release: &Release, name: &str) -> Error {
    let mut moves: Vec<&str> = moves_from(release.state).map(|one| one.name).collect();
    // A person who decides on a release that nobody is reviewing becomes its reviewer.
    if release.state == State::Submitted {
        moves.extend(moves_from(State::UnderReview).map(|one| one.name));
    }
    moves.sort_unstable();
    moves.dedup();
    let help = match release.state {
        _ if moves.is_empty() => "nothing more can be done with it: submit a new bundle".to_owned(),
        State::Draft => format!("{} has to submit it first: `outward register submit BUNDLE`", release.author),
        _ => format!("what can be done with it now: {}", moves.join(", ")),
    };
    Error::input(format!("release {} is {}: {name} is not possible", release.id, release.state)).help(help).into()
}
