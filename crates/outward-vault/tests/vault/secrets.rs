//! Nothing secret stands where it can be read.

use outward_vault::{EidSet, Grant, Operation, Purpose};
use tokio::runtime::Runtime;

use crate::cohort::*;

/// What is planted in every person and in the key, in every spelling in which it could be written.
fn planted() -> Vec<Vec<u8>> {
    let key: Vec<u8> = (0..32).collect();
    let base64 = b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8".to_vec();
    let texts = [b"Planted".to_vec(), b"example.org".to_vec(), nhs_number(7).into_bytes(), b"P17".to_vec()];
    texts.into_iter().chain([KEY.into(), KEY.to_uppercase().into(), key, base64]).collect()
}

fn has(content: &[u8], secret: &[u8]) -> bool {
    content.windows(secret.len()).any(|window| window == secret)
}

#[test]
#[allow(clippy::panic)]
fn no_store_log_or_debug_output_has_a_name_a_number_or_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let stores = crate::sqlite(folder.path());
    Runtime::new().unwrap().block_on(async {
        let mut vault = vault(&stores).await;
        let enrolled = enrol(&mut vault, 0..100).await;
        add(&mut vault, &application("air", &["truth", "job"])).await;
        let eids = extracted(&mut vault, "air").await;
        let grant = Grant {
            actor: "bob".to_owned(),
            application: "air".to_owned(),
            other: String::new(),
            operation: Operation::Person,
            purpose: "a finding".to_owned(),
            expires: "2026-12-31".to_owned(),
            cap: 9,
            per_day: None,
        };
        let id = vault.grant(&grant, by("ann")).await.unwrap();
        let found =
            vault.reverse(id, EidSet::Main, &[eids[&7].clone()], Operation::Person, by("bob"), "").await.unwrap();
        assert_eq!(found[0].person.as_ref().unwrap().name.as_deref(), Some("Planted Name 7"));
        let log = format!("{:?}", vault.entries(0, 1_000).await.unwrap());
        let debug = format!("{vault:?} {enrolled:?} {:?} {:?} {:?}", root(), person(7), Purpose::of_vault("seal"));
        for secret in planted() {
            for (what, text) in [("the log", &log), ("a debug output", &debug)] {
                assert!(!has(text.as_bytes(), &secret), "{} in {what}", String::from_utf8_lossy(&secret));
            }
        }
        assert!(!log.contains(&eids[&7]), "the log has no identifier of a person");
    });
    for name in ["identity.db", "research.db", "identity.db-wal", "research.db-wal"] {
        let path = folder.path().join(name);
        // The database removes what it writes ahead once the last connection is closed.
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(_) if name.ends_with("wal") => continue,
            Err(error) => panic!("{error}"),
        };
        for secret in planted() {
            // Words that somebody wrote into a field of free text stand in the store of what is known, and are never released.
            let is_free_text = path.ends_with("research.db") && secret == b"Planted";
            assert!(
                is_free_text || !has(&content, &secret),
                "{} in {}",
                String::from_utf8_lossy(&secret),
                path.display()
            );
        }
    }
}
