//! Random tables survive a round trip; random bytes never bring a reader down.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use outward_engine::source::{ReadOptions, open};
use outward_spec::{Source, Type};
use outward_testing::random_cases::numbers;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::{column, read, rows_of, runtime, write};

#[derive(Debug, Clone)]
struct Person {
    text: Option<String>,
    code: Option<String>,
    whole: Option<i64>,
    number: Option<f64>,
    day: Option<i32>,
}

/// What comes back from CSV: text of blanks only is missing there, as the empty string is.
fn without_blanks(rows: Vec<Vec<Option<String>>>) -> Vec<Vec<Option<String>>> {
    let kept = |cell: Option<String>| cell.filter(|text| !text.trim_ascii().is_empty());
    rows.into_iter().map(|row| row.into_iter().map(kept).collect()).collect()
}

/// Text with everything CSV finds difficult; NUL is refused, and the empty string is missing.
fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(r#"[a-cé €,;\t"\n\r=+'0-9]{1,8}"#)
}

fn person() -> impl Strategy<Value = Person> {
    let number = prop::option::of(any::<f64>().prop_filter("finite", |x| x.is_finite()));
    let code = prop::option::of("[a-c]");
    (text(), code, any::<Option<i64>>(), number, prop::option::of(-200_000..200_000))
        .prop_map(|(text, code, whole, number, day)| Person { text, code, whole, number, day })
}

fn batch(people: &[Person]) -> RecordBatch {
    let code: DictionaryArray<Int32Type> = people.iter().map(|p| p.code.as_deref()).collect();
    let columns: [(&str, ArrayRef); 5] = [
        ("text", Arc::new(StringArray::from_iter(people.iter().map(|p| p.text.as_deref())))),
        ("code", Arc::new(code)),
        ("whole", Arc::new(Int64Array::from_iter(people.iter().map(|p| p.whole)))),
        ("number", Arc::new(Float64Array::from_iter(people.iter().map(|p| p.number)))),
        ("day", Arc::new(Date32Array::from_iter(people.iter().map(|p| p.day)))),
    ];
    RecordBatch::try_from_iter(columns.map(|(name, values)| (name, values))).unwrap()
}

proptest! {
    #![proptest_config(Config { cases: 64, failure_persistence: None, ..Config::default() })]

    #[test]
    fn tables_survive_csv_and_parquet(people in prop::collection::vec(person(), 0..12), end in 0..3_usize) {
        let batch = batch(&people);
        let folder = tempfile::tempdir().unwrap();
        let names = [("whole", Type::Integer), ("number", Type::Number), ("day", Type::Date)];
        let typed = names.map(|(name, kind)| column(name, kind));
        let expected = rows_of(std::slice::from_ref(&batch));
        let csv = folder.path().join(["a.csv", "a.csv.gz", "a.csv.zst"][end]);
        write(&csv, std::slice::from_ref(&batch)).unwrap();
        prop_assert_eq!(read(&Source::file(&csv), &typed).unwrap().rows, without_blanks(expected.clone()));
        let parquet = folder.path().join("a.parquet");
        write(&parquet, std::slice::from_ref(&batch)).unwrap();
        let table = read(&Source::file(&parquet), &[]).unwrap();
        prop_assert_eq!(&table.rows, &expected);
        prop_assert_eq!(&table.types[1..], &batch.columns().iter().map(|c| c.data_type().clone()).collect::<Vec<_>>()[1..]);
    }

    #[test]
    fn one_column_of_text_survives_csv(values in prop::collection::vec(text(), 0..8)) {
        let column: ArrayRef = Arc::new(StringArray::from_iter(values.iter().map(|v| v.as_deref())));
        let batch = RecordBatch::try_from_iter([("only", column)]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        write(&path, std::slice::from_ref(&batch)).unwrap();
        prop_assert_eq!(read(&Source::file(&path), &[]).unwrap().rows, without_blanks(rows_of(&[batch])));
    }
}

/// Reads whatever comes; the result does not matter, only that there is one.
fn survives(runtime: &tokio::runtime::Runtime, path: &std::path::Path) -> bool {
    let options = ReadOptions { batch_rows: 64, ..ReadOptions::default() };
    let Ok(source) = runtime.block_on(open(&Source::file(path), None, &options)) else { return false };
    let all: Vec<usize> = (0..source.schema().fields().len()).collect();
    (0..source.parts()).all(|part| source.read(part, &all).is_ok_and(|batches| batches.into_iter().all(|b| b.is_ok())))
}

#[test]
fn random_bytes_never_bring_the_csv_reader_down() {
    let mut random = numbers(7);
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    const ALPHABET: &[u8] = b"ab1,;\t\"\"\n\n\r\xC3\xA9\xFF\x00";
    let mut read = 0;
    for _ in 0..3000 {
        let length = random.random_range(0..60);
        // Without the last two the text is valid more often, and the record splitter has work to do.
        let letters = if random.random_bool(0.8) { ALPHABET.len() - 4 } else { ALPHABET.len() };
        let bytes: Vec<u8> = (0..length).map(|_| ALPHABET[random.random_range(0..letters)]).collect();
        std::fs::write(&path, bytes).unwrap();
        read += usize::from(survives(&runtime, &path));
    }
    assert!((100..2900).contains(&read), "both outcomes occur: {read}");
}

#[test]
fn flipped_bytes_never_bring_the_parquet_reader_down() {
    let mut random = numbers(7);
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let people: Vec<Person> = (0..300)
        .map(|i| Person {
            text: (i % 7 != 0).then(|| format!("text {i}")),
            code: (i % 5 != 0).then(|| ["a", "b", "c"][i % 3].to_owned()),
            whole: Some(i as i64 % 11),
            number: Some(i as f64 / 4.0),
            day: Some(i as i32),
        })
        .collect();
    write(&path, &[batch(&people)]).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut read = 0;
    for turn in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..bytes.len());
            bytes[at] = if turn % 2 == 0 {
                random.random_range(0..=255) as u8
            } else {
                bytes[at] ^ (1 << random.random_range(0..8))
            };
        }
        if turn % 10 == 0 {
            bytes = (0..random.random_range(0..200)).map(|_| random.random_range(0..=255) as u8).collect();
            bytes.extend(b"PAR1");
        }
        std::fs::write(&path, bytes).unwrap();
        read += usize::from(survives(&runtime, &path));
    }
    assert!(read > 0 && read < 2000, "both outcomes occur: {read}");
}
