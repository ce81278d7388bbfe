//! Parquet files: parts, dictionaries, folders, damage.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::file::properties::WriterProperties;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::DataType;
use outward_spec::{Source, Type};

use super::{collect, column, fault_of, open_with, read, rows_of};

fn text_dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn people(rows: usize, first: usize) -> RecordBatch {
    let id = Int64Array::from_iter_values((first..first + rows).map(|i| i as i64));
    let sex = StringArray::from_iter((0..rows).map(|i| [Some("f"), Some("m"), None][i % 3]));
    RecordBatch::try_from_iter([("id", Arc::new(id) as ArrayRef), ("sex", Arc::new(sex))]).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, group: usize, dictionary: bool) {
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(group)).set_dictionary_enabled(dictionary).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn row_groups_are_parts_in_order_over_all_files_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    write(&folder.path().join("b.parquet"), &people(10, 100), 4, true);
    write(&folder.path().join("a.parquet"), &people(5, 0), 100, true);
    write(&folder.path().join("sub/c.parquet"), &people(2, 200), 100, true);
    std::fs::write(folder.path().join(".outward-half.parquet"), "half").unwrap();
    std::fs::write(folder.path().join("README.txt"), "text").unwrap();
    let source = open_with(&Source::file(folder.path()), &[], 3).unwrap();
    assert_eq!((source.parts(), source.rows()), (5, Some(17)));
    assert_eq!((0..5).map(|part| source.first_row(part)).collect::<Vec<_>>(), [0, 5, 9, 13, 15]);
    let ids: Vec<_> = rows_of(&collect(source.as_ref(), &[0]).unwrap()).concat();
    let expected: Vec<_> = (0..5).chain(100..110).chain(200..202).map(|i: i32| Some(i.to_string())).collect();
    assert_eq!(ids, expected);
    assert_eq!(source.progress(), source.bytes().unwrap());
}

#[test]
fn text_comes_as_a_dictionary_where_the_file_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &people(10, 0), 4, true);
    let table = read(&Source::file(&path), &[]).unwrap();
    assert_eq!(table.types, [DataType::Int64, text_dictionary()]);
    assert_eq!(table.column("sex")[..4], [Some("f"), Some("m"), None, Some("f")]);
    write(&path, &people(10, 0), 4, false);
    assert_eq!(read(&Source::file(&path), &[]).unwrap().types, [DataType::Int64, DataType::Utf8]);
}

#[test]
fn a_text_column_is_a_dictionary_only_if_it_is_one_in_every_file() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.parquet"), &people(10, 0), 4, true);
    write(&folder.path().join("b.parquet"), &people(10, 0), 4, false);
    let table = read(&Source::file(folder.path()), &[]).unwrap();
    assert_eq!((table.types[1].clone(), table.rows.len()), (DataType::Utf8, 20));
}

#[test]
fn every_spelling_of_text_comes_out_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let values = vec!["a", "b", "a"];
    let small: DictionaryArray<arrow_array::types::Int8Type> = values.clone().into_iter().collect();
    let columns: [ArrayRef; 4] = [
        Arc::new(StringArray::from(values.clone())),
        Arc::new(LargeStringArray::from(values.clone())),
        Arc::new(arrow_array::StringViewArray::from(values)),
        Arc::new(small),
    ];
    for (number, values) in columns.into_iter().enumerate() {
        let batch = RecordBatch::try_from_iter([("t", values)]).unwrap();
        write(&folder.path().join(format!("{number}.parquet")), &batch, 100, true);
    }
    let table = read(&Source::file(folder.path()), &[]).unwrap();
    assert_eq!((table.types[0].clone(), table.rows.len()), (text_dictionary(), 12));
}

#[test]
fn the_spec_overrides_the_types_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let code: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
    let year: DictionaryArray<Int32Type> = vec!["1999", "2000", "NA"].into_iter().collect();
    let batch = RecordBatch::try_from_iter([("code", code), ("year", Arc::new(year))]).unwrap();
    write(&path, &batch, 100, true);
    let source = Source { missing: vec!["NA".to_owned()], ..Source::file(&path) };
    let table = read(&source, &[column("code", Type::Text), column("year", Type::Integer)]).unwrap();
    assert_eq!(table.types, [DataType::Utf8, DataType::Int64]);
    assert_eq!(table.column("code"), [Some("1"), None, Some("3")]);
    assert_eq!(table.column("year"), [Some("1999"), Some("2000"), None]);
    let error = fault_of(&path, read(&Source::file(&path), &[column("year", Type::Integer)]));
    assert_eq!(error.fault().unwrap().place.row, Some(3));
}

#[test]
fn rows_are_numbered_across_parts_in_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1", "2", "3", "4", "five"]));
    write(&path, &RecordBatch::try_from_iter([("n", text)]).unwrap(), 2, true);
    let error = fault_of(&path, read(&Source::file(&path), &[column("n", Type::Integer)]));
    assert_eq!(error.fault().unwrap().place.row, Some(5));
}

#[test]
fn files_of_a_folder_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.parquet"), &people(3, 0), 100, true);
    let id: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let sex: ArrayRef = Arc::new(StringArray::from(vec!["f"]));
    let other = folder.path().join("b.parquet");
    write(&other, &RecordBatch::try_from_iter([("id", id), ("sex", sex.clone())]).unwrap(), 100, true);
    let error = fault_of(&other, read(&Source::file(folder.path()), &[]));
    assert!(error.to_string().contains("column `id`: this column is Utf8, but Int64 in"), "{error}");
    write(&other, &RecordBatch::try_from_iter([("sex", sex)]).unwrap(), 100, true);
    let error = fault_of(&other, read(&Source::file(folder.path()), &[]));
    assert!(error.to_string().contains("column `id`: this column of"), "{error}");
}

#[test]
fn a_folder_without_parquet_files_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = fault_of(folder.path(), read(&Source::file(folder.path()), &[]));
    assert!(error.to_string().contains("no .parquet file"), "{error}");
}

#[test]
fn a_file_without_records_has_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &people(0, 0), 100, true);
    let table = read(&Source::file(&path), &[]).unwrap();
    assert_eq!((table.names.len(), table.rows.len()), (2, 0));
}

#[test]
fn columns_come_in_the_order_asked_for_and_none_still_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &people(2, 7), 100, true);
    let source = open_with(&Source::file(&path), &[], 10).unwrap();
    let rows = rows_of(&collect(source.as_ref(), &[1, 0, 1]).unwrap());
    assert_eq!(rows[0], [Some("f".to_owned()), Some("7".to_owned()), Some("f".to_owned())]);
    assert_eq!(collect(source.as_ref(), &[]).unwrap()[0].num_rows(), 2);
}

#[test]
fn a_file_cut_off_anywhere_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &people(500, 0), 100, true);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(7) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = fault_of(&path, read(&Source::file(&path), &[]));
        let said = error.to_string();
        assert!(said.contains("damaged or cut off") || said.contains("is empty"), "{said}");
    }
}
