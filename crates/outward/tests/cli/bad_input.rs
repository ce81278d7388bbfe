//! Bad input: each works, or gives exit code 2 with one clear message; never a panic, never half an output.

use super::{command, folder, json, listing, outward, refused};

/// What `assess` says about a file with these bytes.
fn assess_bytes(name: &str, bytes: &[u8]) -> String {
    let folder = folder();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    refused(&outward(folder.path(), &["assess", name, "--keys", "a"]))
}

#[test]
fn a_missing_file() {
    let said = refused(&outward(folder().path(), &["assess", "nowhere.csv", "--keys", "a"]));
    assert!(said.contains("nowhere.csv"), "{said}");
    let said = refused(&outward(folder().path(), &["assess", "nowhere.toml"]));
    assert!(said.contains("nowhere.toml"), "{said}");
}

#[test]
fn an_empty_file() {
    assert!(assess_bytes("x.csv", b"").contains("empty"));
}

#[test]
fn a_header_without_records_has_no_risk() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a,b\n").unwrap();
    let found = json(&outward(folder.path(), &["assess", "x.csv", "--keys", "a,b", "--format", "json"]));
    assert_eq!((&found["records"], &found["cells"]), (&0.into(), &0.into()));
    assert!(outward(folder.path(), &["init", "x.csv"]).status.success());
    assert!(outward(folder.path(), &["assess", "x.csv", "--keys", "a,b"]).status.success());
}

#[test]
fn ragged_rows_are_named_by_row() {
    let said = assess_bytes("x.csv", b"a,b\n1,2\n1,2,3\n");
    assert!(said.contains("row 2"), "{said}");
}

#[test]
fn wrong_encoding_is_named_by_byte_and_works_when_said() {
    let said = assess_bytes("x.csv", b"a,b\nM\xfcller,1\n");
    assert!(said.contains("byte 5") && said.contains("windows-1252"), "{said}");
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), b"a,b\nM\xfcller,1\n").unwrap();
    let args = ["assess", "x.csv", "--keys", "a", "--encoding", "windows-1252", "--format", "json"];
    assert_eq!(json(&outward(folder.path(), &args))["records"], 1);
}

#[test]
fn a_column_name_given_twice() {
    let said = assess_bytes("x.csv", b"a,b,a\n1,2,3\n");
    assert!(said.contains("`a`"), "{said}");
}

#[test]
fn a_key_that_does_not_exist_is_answered_with_the_nearest_name() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "region,sex\n1,2\n").unwrap();
    let said = refused(&outward(folder.path(), &["assess", "x.csv", "--keys", "regoin"]));
    assert!(said.contains("did you mean `region`?"), "{said}");
}

#[test]
fn a_hierarchy_that_does_not_nest_is_named_by_file_and_line() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "age\n1\n").unwrap();
    std::fs::write(folder.path().join("h.csv"), "1;young;all\n2;young;none\n").unwrap();
    let spec =
        "[data]\npath = \"x.csv\"\n[[variables]]\nname = \"age\"\nrole = \"key\"\nhierarchy = { file = \"h.csv\" }\n";
    std::fs::write(folder.path().join("s.toml"), spec).unwrap();
    let said = refused(&outward(folder.path(), &["assess", "s.toml"]));
    assert!(said.contains("h.csv") && said.contains('2'), "{said}");
}

#[test]
fn a_spec_with_a_typo_shows_the_line_and_the_nearest_name() {
    let folder = folder();
    std::fs::write(
        folder.path().join("s.toml"),
        "[data]\npath = \"x.csv\"\n\n[[variables]]\nname = \"a\"\nrole = \"kye\"\n",
    )
    .unwrap();
    let said = refused(&outward(folder.path(), &["assess", "s.toml"]));
    assert!(said.contains("s.toml:6:8") && said.contains("did you mean `key`?"), "{said}");
}

#[test]
fn a_truncated_parquet_file_is_refused_wherever_it_is_cut() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "census", "--rows", "3000", "--out", "p.parquet"]).status.success());
    let whole = std::fs::read(folder.path().join("p.parquet")).unwrap();
    for part in [0, 3, 4, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path().join("cut.parquet"), &whole[..part]).unwrap();
        let said = refused(&outward(folder.path(), &["assess", "cut.parquet", "--keys", "sex"]));
        assert!(said.contains("cut.parquet"), "{said}");
    }
}

#[test]
fn a_damaged_parquet_file_never_panics() {
    let folder = folder();
    assert!(outward(folder.path(), &["generate", "census", "--rows", "2000", "--out", "p.parquet"]).status.success());
    let whole = std::fs::read(folder.path().join("p.parquet")).unwrap();
    for step in 1..24 {
        let mut bytes = whole.clone();
        let at = whole.len() - 1 - step * whole.len() / 25;
        bytes[at] ^= 0x5a;
        std::fs::write(folder.path().join("bad.parquet"), bytes).unwrap();
        let output = outward(folder.path(), &["assess", "bad.parquet", "--keys", "sex,age,region"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{said}");
        assert!(output.status.code().is_some(), "it was killed");
    }
}

#[test]
fn five_thousand_columns_work() {
    let folder = folder();
    let header: Vec<String> = (0..5000).map(|column| format!("c{column}")).collect();
    let record: Vec<String> = (0..5000).map(|column| (column % 7).to_string()).collect();
    let text = format!("{}\n{}\n{}\n", header.join(","), record.join(","), record.join(","));
    std::fs::write(folder.path().join("wide.csv"), text).unwrap();
    let found = json(&outward(folder.path(), &["assess", "wide.csv", "--keys", "c0,c4999", "--format", "json"]));
    assert_eq!((&found["records"], &found["cells"]), (&2.into(), &1.into()));
    assert!(outward(folder.path(), &["init", "wide.csv", "--quiet"]).status.success());
}

#[test]
fn a_cell_of_a_megabyte_works() {
    let folder = folder();
    let text = format!("a,b\n{},1\nx,2\n", "y".repeat(1 << 20));
    std::fs::write(folder.path().join("big.csv"), text).unwrap();
    let found = json(&outward(folder.path(), &["assess", "big.csv", "--keys", "a", "--format", "json"]));
    assert_eq!(found["uniques"], 2);
    assert!(outward(folder.path(), &["init", "big.csv"]).status.success());
}

#[test]
fn nul_bytes_are_named_by_byte() {
    let said = assess_bytes("x.csv", b"a,b\n1,\x00\n");
    assert!(said.contains("byte 6"), "{said}");
}

#[test]
fn numbers_beyond_64_bits_work_as_text_and_are_named_by_row_as_integers() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n99999999999999999999\n").unwrap();
    let found = json(&outward(folder.path(), &["assess", "x.csv", "--keys", "a", "--format", "json"]));
    assert_eq!(found["uniques"], 2);
    std::fs::write(
        folder.path().join("s.toml"),
        "[data]\npath = \"x.csv\"\n[[variables]]\nname = \"a\"\ntype = \"integer\"\nrole = \"key\"\n",
    )
    .unwrap();
    let said = refused(&outward(folder.path(), &["assess", "s.toml"]));
    assert!(said.contains("row 2") && !said.contains("99999999999999999999"), "{said}");
}

#[test]
fn a_folder_that_may_not_be_written_leaves_nothing() {
    let said = refused(&outward(folder().path(), &["generate", "census", "--rows", "10", "--out", "/proc/x.csv"]));
    assert!(said.contains("/proc/x.csv"), "{said}");
    let said =
        refused(&outward(folder().path(), &["generate", "census", "--rows", "10", "--out", "no/such/folder/x.csv"]));
    assert!(said.contains("no/such/folder"), "{said}");
}

#[test]
fn a_file_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let file = folder.path().join("secret.csv");
    std::fs::write(&file, "a\n1\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    let mut asked = command(folder.path(), &["assess", "secret.csv", "--keys", "a"]);
    if std::fs::File::open(&file).is_ok() {
        // Root may read every file, unless it gives that power up.
        let mut without = std::process::Command::new("setpriv");
        without.args(["--bounding-set", "-all", "--inh-caps", "-all"]).current_dir(folder.path());
        without.arg(asked.get_program()).args(asked.get_args());
        asked = without;
    }
    let said = refused(&asked.output().expect("the program, or setpriv of util-linux"));
    assert!(said.contains("permission"), "{said}");
}

mod needs_small_disk {
    use super::*;
    use crate::SmallDisk;

    #[test]
    fn a_full_disk_is_said_and_leaves_nothing() {
        let folder = folder();
        let disk = SmallDisk::mount(&folder.path().join("disk"), "64k");
        let said = refused(&outward(folder.path(), &["generate", "census", "--rows", "20000", "--out", "disk/x.csv"]));
        assert!(said.contains("space"), "{said}");
        assert!(listing(disk.path()).is_empty(), "{:?}", listing(disk.path()));
    }
}

#[test]
fn ctrl_c_leaves_nothing_half_written() {
    let folder = folder();
    let args = ["generate", "census", "--rows", "100000000", "--out", "x.parquet"];
    let child = command(folder.path(), &args).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was written"));
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn an_unknown_policy_or_tier_is_answered_with_those_there_are() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n").unwrap();
    let run = |more: [&str; 2]| refused(&outward(folder.path(), &["assess", "x.csv", "--keys", "a", more[0], more[1]]));
    assert!(run(["--policy", "ons-open-mikrodata"]).contains("ons-open-microdata"));
    assert!(run(["--tier", "open"]).contains("tier"));
}

#[test]
fn a_column_name_cannot_steer_the_terminal() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a\u{1b}[31mred,b\u{202e}txt\n1,2\n").unwrap();
    let said = refused(&outward(folder.path(), &["assess", "x.csv", "--keys", "nosuch"]));
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
}

#[test]
fn being_asked_to_end_leaves_nothing_half_written() {
    let folder = folder();
    let args = ["generate", "census", "--rows", "100000000", "--out", "x.csv"];
    let child = command(folder.path(), &args).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_run_ends_as_it_would_although_nobody_reads_what_it_says() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,2\n1,2\n").unwrap();
    for (args, code) in [(&["assess", "nowhere.csv"][..], 2), (&["init", "x.csv"], 0)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let stdout = writer.try_clone().unwrap();
        let status = command(folder.path(), args).stdout(stdout).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}
