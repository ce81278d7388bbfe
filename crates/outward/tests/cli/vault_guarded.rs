//! What `outward vault` keeps from those who ask for more than they may have, and a vault whose key was half changed.

use crate::vault::{AIR, PASSPHRASE, PHASED, TABLE, desk, done, enrolled, rows, vault, vault_command};
use crate::{refused, stderr};

#[test]
fn the_second_phase_refuses_places_under_any_other_role_and_name() {
    let desk = desk(300);
    let folder = desk.path();
    let text = std::fs::read_to_string(folder.join("people.csv")).unwrap();
    let mut lines = text.lines();
    let header = format!("{},square,north,home,uprn\n", lines.next().unwrap());
    let records = lines.enumerate().map(|(at, line)| {
        let field = |number: usize| line.split(',').nth(number).unwrap().to_owned();
        let (easting, northing): (i64, i64) = (field(5).parse().unwrap(), field(6).parse().unwrap());
        let square = format!("s{}", (easting / 1_000 * 7 + northing / 1_000 * 1_009) % 9_973);
        let uprn = 100_000_000_000_i64 + (at as i64 * 7_919 * 7_919) % 10_000_000_019;
        format!("{line},{square},{},{},{uprn}\n", northing / 10 - 5, field(4))
    });
    std::fs::write(folder.join("people.csv"), header + &records.collect::<String>()).unwrap();
    // Roles and names that say nothing.
    let more = r#"
[[variables]]
name = "square"
[[variables]]
name = "north"
type = "integer"
[[variables]]
name = "home"
[[variables]]
name = "uprn"
type = "integer"
[[steps]]"#;
    std::fs::write(folder.join("people.toml"), TABLE.replacen("\n[[steps]]", more, 1)).unwrap();
    done(folder, &["init"]);
    done(folder, &["enrol", "enrol.toml"]);
    let fields = "fields = [\"born\", \"sex\", \"square\", \"north\", \"home\", \"uprn\"]";
    std::fs::write(folder.join("phased.toml"), PHASED.replace("fields = [\"born\", \"sex\"]", fields)).unwrap();
    done(folder, &["application", "phased.toml"]);
    done(folder, &["extract", "phased", "--phase", "1", "--out", "places", "--reason", "linkage"]);
    let results = rows(folder, "places/public/data.csv").iter().fold("eid,no2\n".to_owned(), |text, row| {
        text + &format!("{},{}\n", row["eid"], if row["easting"].as_str() < "450000" { 1.5 } else { 2.5 })
    });
    std::fs::write(folder.join("results.csv"), results).unwrap();
    done(folder, &["return", "phased", "results.csv", "--phase-one", "places", "--reason", "linkage"]);
    let second = |fields: &str| {
        vault(folder, &["extract", "phased", "--phase", "2", "--out", "rest", "--fields", fields, "--reason", "rest"])
    };
    for (field, why) in [
        ("square", "people with the same value are mostly at the same place"),
        ("north", "rises or falls with the position"),
        ("home", "it holds whole postcodes"),
    ] {
        // Long messages are broken into lines.
        let said = refused(&second(&format!("born,sex,{field}"))).replace('│', "");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("gives no place") && said.contains(why) && said.contains(field), "{field}: {said}");
        assert!(!folder.join("rest").exists());
    }
    // The number of a house follows from no place by value or order: as a number of one person it is refused under any policy that forbids identifiers.
    let uprn = refused(&second("born,sex,uprn"));
    assert!(uprn.contains("`identifier`") && !folder.join("rest").exists(), "{uprn}");
    assert_eq!(second("born,sex").status.code(), Some(0));
}

#[test]
fn after_a_stopped_rotation_the_passphrase_of_either_key_opens_the_vault() {
    let desk = enrolled(30);
    let folder = desk.path();
    let (file, new) = (folder.join("vault/vault.toml"), "planted passphrase of another keeper");
    let before = std::fs::read_to_string(&file).unwrap();
    let with = |passphrases: [Option<&str>; 2], args: &[&str]| {
        let mut command = vault_command(folder, args);
        for (name, passphrase) in
            ["OUTWARD_VAULT_PASSPHRASE", "OUTWARD_VAULT_PASSPHRASE_NEW"].into_iter().zip(passphrases)
        {
            match passphrase {
                Some(passphrase) => command.env(name, passphrase),
                None => command.env_remove(name),
            };
        }
        command.output().unwrap()
    };
    let rotate = ["rotate", "--key-file", "vault/new.key", "--reason", "a keeper left"];
    assert_eq!(with([Some(PASSPHRASE), Some(new)], &rotate).status.code(), Some(0));
    // As it is where the rotation was stopped just before the end.
    let stopped = format!("{}\n[next_key]\nfiles = [\"new.key\"]\n", before.trim_end());
    let audit = |passphrases: [Option<&str>; 2]| {
        std::fs::write(&file, &stopped).unwrap();
        with(passphrases, &["audit"])
    };
    for passphrases in [[Some(PASSPHRASE), Some(new)], [Some(new), None]] {
        let opened = audit(passphrases);
        assert_eq!(opened.status.code(), Some(0), "{}", stderr(&opened));
        let named = std::fs::read_to_string(&file).unwrap();
        assert!(named.contains("new.key") && !named.contains("next_key") && !named.contains("root.key"), "{named}");
    }
    let said = refused(&audit([Some(PASSPHRASE), None]));
    assert!(said.contains("a rotation of the key was stopped") && !said.contains("planted passphrase"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), stopped);
}

#[test]
fn an_application_gets_its_cohort_and_nobody_else() {
    let desk = enrolled(300);
    let folder = desk.path();
    let cohort = "cohort = { table = \"people\", where = \"sex = 'Female' AND easting < 450000\" }\n[[tables]]";
    std::fs::write(folder.join("women.toml"), AIR.replace("[[tables]]", cohort)).unwrap();
    done(folder, &["application", "women.toml"]);
    done(folder, &["extract", "air", "--out", "women", "--reason", "test"]);
    let records = rows(folder, "women/public/data.csv");
    let expected = rows(folder, "people.csv")
        .iter()
        .filter(|row| row["sex"] == "Female" && row["easting"].as_str() < "450000")
        .count();
    assert!(records.len() == expected && expected > 20, "{} {expected}", records.len());
    assert!(records.iter().all(|record| record["sex"] == "Female"));
    std::fs::write(folder.join("wrong.toml"), AIR.replace("[[tables]]", &cohort.replace("sex =", "sexes ="))).unwrap();
    done(folder, &["application", "wrong.toml"]);
    let wrong = refused(&vault(folder, &["extract", "air", "--out", "wrong", "--reason", "test"]));
    assert!(wrong.contains("no field `sexes`"), "{wrong}");
    // Who is in an extract tells what a field says that is never released.
    let words = cohort.replace("sex = 'Female'", "notes LIKE '%words 17%'");
    std::fs::write(folder.join("words.toml"), AIR.replace("[[tables]]", &words)).unwrap();
    done(folder, &["application", "words.toml", "--reason", "a change"]);
    let wrong = refused(&vault(folder, &["extract", "air", "--out", "wrong", "--reason", "test"]));
    assert!(wrong.contains("releases no field with the role `free-text`") && !folder.join("wrong").exists(), "{wrong}");
    assert!(done(folder, &["log"]).contains("sex = 'Female'"), "the log says who was asked for");
}
