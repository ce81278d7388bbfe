//! Sinks: round trips, atomic writes, limits.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use outward_engine::sink::create;
use outward_spec::{Error, Format, Source, Type};

use super::{column, open_with, read, write};

fn people() -> RecordBatch {
    let area: DictionaryArray<Int32Type> = vec![Some("N1"), None, Some("=1+1")].into_iter().collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("code", Arc::new(StringArray::from(vec![Some("007"), Some("a \"b\", c"), None]))),
        ("area", Arc::new(area)),
        ("age", Arc::new(Int64Array::from(vec![Some(41), None, Some(1_234_567_890_123_456_789)]))),
        ("income", Arc::new(Float64Array::from(vec![Some(0.1), Some(-2.0), None]))),
        ("born", Arc::new(Date32Array::from(vec![Some(0), Some(-40_000), None]))),
        ("member", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn csv_quotes_only_where_needed_and_leaves_missing_values_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let written = write(&path, &[people(), people()]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let body =
        "007,N1,41,0.1,1970-01-01,true\n\"a \"\"b\"\", c\",,,-2.0,1860-06-26,\n,=1+1,1234567890123456789,,,false\n";
    assert_eq!(text, format!("code,area,age,income,born,member\n{body}{body}"));
    assert_eq!((written.rows, written.bytes), (6, text.len() as u64));
}

#[test]
fn what_every_sink_writes_its_source_reads() {
    let folder = tempfile::tempdir().unwrap();
    let typed = [column("age", Type::Integer), column("income", Type::Number), column("born", Type::Date)];
    for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.tsv", "a.parquet", "a.xlsx"] {
        let path = folder.path().join(name);
        assert_eq!(write(&path, &[people(), people()]).unwrap().rows, 6, "{name}");
        let table = read(&Source::file(&path), &typed).unwrap();
        assert_eq!(table.names, ["code", "area", "age", "income", "born", "member"], "{name}");
        assert_eq!(table.column("code")[..3], [Some("007"), Some("a \"b\", c"), None], "{name}");
        assert_eq!(table.column("area")[3..], [Some("N1"), None, Some("=1+1")], "{name}");
        assert_eq!(table.column("age")[..3], [Some("41"), None, Some("1234567890123456789")], "{name}");
        assert_eq!(table.column("income")[..3], [Some("0.1"), Some("-2.0"), None], "{name}");
        assert_eq!(table.column("born")[..3], [Some("1970-01-01"), Some("1860-06-26"), None], "{name}");
        let member: Vec<_> = table.column("member").iter().map(|m| m.map(str::to_lowercase)).collect();
        assert_eq!(member[..3], [Some("true".to_owned()), None, Some("false".to_owned())], "{name}");
    }
}

#[test]
fn parquet_keeps_types_and_dictionaries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &[people()]).unwrap();
    let table = read(&Source::file(&path), &[]).unwrap();
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!(table.types[1], dictionary);
    assert_eq!(table.types[2..], [DataType::Int64, DataType::Float64, DataType::Date32, DataType::Boolean]);
}

#[test]
fn parquet_is_split_for_reading_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..300_000));
    write(&path, &[RecordBatch::try_from_iter([("id", ids)]).unwrap()]).unwrap();
    let source = open_with(&Source::file(&path), &[], 8192).unwrap();
    assert_eq!((source.parts(), source.first_row(2), source.rows()), (3, 245_760, Some(300_000)));
}

#[test]
fn the_same_records_make_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv.gz", "a.csv.zst", "a.parquet", "a.xlsx"] {
        let path = folder.path().join(name);
        write(&path, &[people()]).unwrap();
        let first = std::fs::read(&path).unwrap();
        // Zip and workbook times count in seconds, or two of them.
        std::thread::sleep(std::time::Duration::from_millis(if name == "a.xlsx" { 2100 } else { 0 }));
        write(&path, &[people()]).unwrap();
        assert!(first == std::fs::read(&path).unwrap(), "{name}");
    }
}

#[test]
fn a_file_without_records_has_a_header() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.csv.gz", "a.parquet", "a.xlsx"] {
        let path = folder.path().join(name);
        let sink = create(&path, None, people().schema()).unwrap();
        assert_eq!(sink.finish().unwrap().rows, 0);
        let table = read(&Source::file(&path), &[]).unwrap();
        assert_eq!((table.names.len(), table.rows.len()), (6, 0), "{name}");
    }
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.parquet", "a.xlsx"] {
        let mut sink = create(&folder.path().join(name), None, people().schema()).unwrap();
        sink.write(&people()).unwrap();
        assert!(names(folder.path()).iter().all(|name| name.starts_with(".outward-")), "{:?}", names(folder.path()));
        drop(sink);
        assert!(names(folder.path()).is_empty(), "{name}");
    }
}

#[test]
fn an_earlier_file_stays_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "earlier").unwrap();
    let mut sink = create(&path, None, people().schema()).unwrap();
    sink.write(&people()).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "earlier");
    sink.finish().unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("code,"));
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[cfg(unix)]
#[test]
fn a_written_file_is_as_readable_as_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    write(&folder.path().join("a.csv"), &[people()]).unwrap();
    assert_eq!(mode("a.csv"), mode("plain"));
}

#[test]
fn places_that_cannot_be_written_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let of = |path: &Path| create(path, Some(Format::Csv), people().schema()).err().unwrap();
    let error = of(&folder.path().join("missing/a.csv"));
    assert!(matches!(error, Error::Io { .. }) && error.to_string().contains("missing/a.csv"), "{error}");
    let error = of(folder.path());
    assert_eq!(error.help().unwrap(), "name a file, not a folder");
}

#[test]
fn formats_that_cannot_be_written_are_told() {
    let of = |name: &str, schema: Schema| create(Path::new(name), None, Arc::new(schema)).err().unwrap();
    assert!(of("a.dta", people().schema().as_ref().clone()).to_string().contains("does not write this format"));
    assert!(of("a.sav", Schema::empty()).help().unwrap().contains(".parquet"));
    let list = Field::new_list("visits", Field::new_list_field(DataType::Int64, true), true);
    let error = of("a.csv", Schema::new(vec![list]));
    assert!(error.to_string().contains("column `visits`"), "{error}");
}

#[test]
fn excel_refuses_what_a_sheet_cannot_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xlsx");
    let wide: Vec<Field> = (0..16_385).map(|i| Field::new(format!("v{i}"), DataType::Int64, true)).collect();
    let error = create(&path, None, Arc::new(Schema::new(wide))).err().unwrap();
    assert!(error.to_string().contains("holds 16384 columns, and there are 16385"), "{error}");
    let long: ArrayRef = Arc::new(StringArray::from(vec!["a".to_owned(), "x".repeat(32_768)]));
    let error = write(&path, &[RecordBatch::try_from_iter([("t", long)]).unwrap()]).unwrap_err();
    assert!(error.to_string().contains("column `t`, row 2: an Excel cell holds 32767 characters"), "{error}");
    let many: ArrayRef = Arc::new(Int64Array::from(vec![1; 1_048_576]));
    let error = write(&path, &[RecordBatch::try_from_iter([("n", many)]).unwrap()]).unwrap_err();
    assert!(error.to_string().contains("holds 1048575 records"), "{error}");
    assert!(names(folder.path()).is_empty());
}
