//! CSV files with something wrong: each fault is told by its place, and never by a value.

use std::io::Write;

use outward_spec::{Error, FaultPlace, Source, Type};

use super::{SECRET, column, fault_of, file, read};

fn place(error: &Error) -> &FaultPlace {
    &error.fault().unwrap().place
}

/// The error of a CSV file with this content, read with a whole-number column `n` where there is one.
fn csv(content: impl AsRef<[u8]>) -> Error {
    let (_folder, path) = file("people.csv", content);
    fault_of(&path, read(&Source::file(&path), &[]))
}

#[test]
fn a_missing_file_is_named() {
    let error = read(&Source::file("nowhere/people.csv"), &[]).unwrap_err();
    assert!(matches!(error, Error::Io { .. }));
    assert!(error.to_string().contains("nowhere/people.csv"), "{error}");
    assert!(error.help().unwrap().contains("check the path"));
}

#[test]
fn an_empty_file_is_told() {
    for content in ["", "\u{FEFF}"] {
        let error = csv(content);
        assert!(error.to_string().contains("is empty"), "{error}");
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"").unwrap();
    assert!(csv(gzip.finish().unwrap()).to_string().contains("is empty"));
}

#[test]
fn a_ragged_record_is_told_by_row_and_line() {
    let error = csv(format!("a,b,c\n\"x\ny\",2,3\n1,{SECRET}\n"));
    assert!(error.to_string().contains("expected 3 fields, as in the first row, found 2 fields"), "{error}");
    assert_eq!((place(&error).row, place(&error).line), (Some(2), Some(4)));
    let error = csv(format!("a,b\n1,2\n1,2,3,{SECRET},5\n"));
    assert!(error.to_string().contains("expected 2 fields, as in the first row, found 5 fields"), "{error}");
    assert_eq!((place(&error).row, place(&error).line), (Some(2), Some(3)));
}

#[test]
fn a_file_of_a_million_columns_is_refused_by_its_header() {
    let header = |columns: usize| (0..columns).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",");
    let start = std::time::Instant::now();
    let error = csv(header(1_000_000) + "\n");
    assert!(error.to_string().contains("there are 1000000 columns, and at most 32767"), "{error}");
    assert!(error.help().unwrap().contains("delimiter"));
    assert!(
        start.elapsed() < std::time::Duration::from_secs(5),
        "it is refused before anything is made for each column"
    );
    let (_folder, path) = file("wide.csv", header(32_767) + "\n");
    assert!(read(&Source::file(&path), &[]).is_ok());
}

#[test]
fn blank_lines_count_as_lines_but_not_as_rows() {
    let error = csv("a,b\n\n1,2\n\n1\n");
    assert_eq!((place(&error).row, place(&error).line), (Some(2), Some(5)));
}

#[test]
fn bytes_that_are_not_utf8_are_told_by_their_offset() {
    let error = csv(b"a,b\n1,M\xFCller\n");
    assert!(error.to_string().contains("not UTF-8"), "{error}");
    assert_eq!(place(&error).byte, Some(7));
    assert!(error.help().unwrap().contains("encoding = \"windows-1252\""));
    let far = [b"a\n".to_vec(), b"x\n".repeat(300_000), b"\xC3".to_vec()].concat();
    assert_eq!(place(&csv(far)).byte, Some(600_002));
}

#[test]
fn utf16_is_recognised() {
    let error = csv(b"\xFF\xFEa\0,\0b\0\n\0");
    assert!(error.to_string().contains("UTF-16"), "{error}");
}

#[test]
fn a_nul_byte_is_told_by_its_offset() {
    let error = csv(b"a,b\n1,\x002\n");
    assert!(error.to_string().contains("NUL byte"), "{error}");
    assert_eq!(place(&error).byte, Some(6));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&[b"a\n".to_vec(), b"x\n".repeat(200_000), b"\0\n".to_vec()].concat()).unwrap();
    assert_eq!(place(&csv(gzip.finish().unwrap())).byte, Some(400_002));
}

#[test]
fn two_columns_of_one_name_are_told() {
    let error = csv("age,sex,age\n1,f,2\n");
    assert!(error.to_string().contains("two columns are called `age`: columns 1 and 3"), "{error}");
}

#[test]
fn a_column_without_a_name_is_told() {
    for content in ["a,,c\n1,2,3\n", "a, ,c\n1,2,3\n"] {
        assert!(csv(content).to_string().contains("column 2 has no name"));
    }
    assert!(csv("\n1\n").to_string().contains("column 1 has no name"));
}

#[test]
fn a_truncated_gzip_file_is_told() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let numbers: String = (0..50_000).map(|i| format!("{i},{}\n", i * 7919 % 10007)).collect();
    gzip.write_all(format!("a,b\n{numbers}").as_bytes()).unwrap();
    let whole = gzip.finish().unwrap();
    for length in [whole.len() - 1, whole.len() - 8, whole.len() / 2, 20, 11] {
        let (_folder, path) = file("people.csv.gz", &whole[..length]);
        let error = fault_of(&path, read(&Source::file(&path), &[]));
        assert!(error.to_string().contains("cut off"), "{length}: {error}");
    }
    let mut flipped = whole.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 0xFF;
    let (_folder, path) = file("people.csv.gz", flipped);
    let error = fault_of(&path, read(&Source::file(&path), &[]));
    assert!(error.to_string().contains("damaged"), "{error}");
}

#[test]
fn a_truncated_zstd_file_is_told() {
    let whole = zstd::encode_all(&b"a\n1\n2\n3\n4\n5\n6\n7\n"[..], 1).unwrap();
    let (_folder, path) = file("people.csv.zst", &whole[..whole.len() - 2]);
    let error = fault_of(&path, read(&Source::file(&path), &[]));
    assert!(error.to_string().contains("cut off"), "{error}");
}

#[test]
fn a_name_that_promises_compression_must_keep_it() {
    let (_folder, path) = file("people.csv.gz", "a,b\n1,2\n");
    let error = fault_of(&path, read(&Source::file(&path), &[]));
    assert!(error.to_string().contains("not gzip data"), "{error}");
}

#[test]
fn a_quote_that_is_never_closed_is_told_where_it_opens() {
    let error = csv(format!("a,b\n1,2\n3,\"{SECRET}\n5,6\n"));
    assert!(error.to_string().contains("never closed"), "{error}");
    assert_eq!((place(&error).row, place(&error).line), (Some(2), Some(3)));
}

#[test]
fn text_after_a_closing_quote_is_told() {
    let error = csv(format!("a,b\n\"1\"{SECRET},2\n"));
    assert!(error.to_string().contains("text follows a closing quote"), "{error}");
    assert_eq!(place(&error).row, Some(1));
}

#[test]
fn a_folder_is_not_a_csv_file() {
    let folder = tempfile::Builder::new().suffix(".csv").tempdir().unwrap();
    let source = Source { format: Some(outward_spec::Format::Csv), ..Source::file(folder.path()) };
    let error = fault_of(folder.path(), read(&source, &[]));
    assert_eq!(error.help().unwrap(), "name a file, not a folder");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = file("people.csv", "a\n1\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        return told_without_the_powers_of_root("csv_faults::a_file_that_may_not_be_read_is_told");
    }
    let error = fault_of(&path, read(&Source::file(&path), &[]));
    assert!(error.help().unwrap().contains("permission"), "{error}");
}

/// Runs a test again in a process that may not read every file, as root may.
#[cfg(unix)]
fn told_without_the_powers_of_root(test: &str) {
    const AGAIN: &str = "OUTWARD_TEST_WITHOUT_POWERS";
    assert!(std::env::var_os(AGAIN).is_none(), "setpriv left the powers of root");
    let mut again = std::process::Command::new("setpriv");
    again.args(["--bounding-set", "-all", "--inh-caps", "-all"]).arg(std::env::current_exe().unwrap());
    let output = again.args(["--exact", test]).env(AGAIN, "1").output().expect("setpriv, of util-linux");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_since_records_are_read_twice() {
    let source = Source { format: Some(outward_spec::Format::Csv), ..Source::file("/dev/zero") };
    let error = read(&source, &[]).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn a_value_that_does_not_fit_its_type_is_told_by_row_and_column() {
    let many: String = (0..10).map(|i| format!("{i},x\n")).collect();
    for (kind, bad, said) in [
        (Type::Integer, SECRET, "not a whole number"),
        (Type::Integer, "1.5", "not a whole number"),
        (Type::Integer, "99999999999999999999", "does not fit in 64 bits"),
        (Type::Number, SECRET, "not a number"),
        (Type::Date, SECRET, "not a date of the form %Y-%m-%d"),
    ] {
        let content = if kind == Type::Date { "2020-01-01,x\n".repeat(10) } else { many.clone() };
        let (_folder, path) = file("people.csv", format!("n,t\n{content}{bad},y\n"));
        let error = fault_of(&path, read(&Source::file(&path), &[column("n", kind)]));
        assert!(error.to_string().contains(said), "{error}");
        assert!(!error.to_string().contains(bad), "{error}");
        assert_eq!((place(&error).row, place(&error).variable.as_deref()), (Some(11), Some("n")));
        assert!(error.help().unwrap().contains("text"), "{error}");
    }
}
