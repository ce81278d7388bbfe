//! CSV files that are as they should be.

use std::io::Write;

use arrow_schema::DataType;
use outward_spec::{Delimiter, Encoding, Format, Source, Type};

use super::{TypedColumn, collect, column, file, open_with, read, rows_of};

fn some(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|value| (!value.is_empty()).then(|| (*value).to_owned())).collect()
}

#[test]
fn every_column_is_text_until_the_spec_says_otherwise() {
    let (_folder, path) = file("a.csv", "code,age\n007,41\n010,\n");
    let table = read(&Source::file(&path), &[]).unwrap();
    assert_eq!(table.types, [DataType::Utf8, DataType::Utf8]);
    assert_eq!(table.rows, [some(&["007", "41"]), some(&["010", ""])]);
}

#[test]
fn the_spec_makes_columns_numbers_and_dates() {
    let (_folder, path) = file("a.csv", "n,x,d,t\n1,0.5,31/12/2020,a\n,,,\n-2,1e3,01/02/1999,b\n");
    let date = TypedColumn { date_format: Some("%d/%m/%Y".to_owned()), ..column("d", Type::Date) };
    let columns = [column("n", Type::Integer), column("x", Type::Number), date, column("t", Type::Text)];
    let table = read(&Source::file(&path), &columns).unwrap();
    assert_eq!(table.types, [DataType::Int64, DataType::Float64, DataType::Date32, DataType::Utf8]);
    assert_eq!(table.rows[0], some(&["1", "0.5", "2020-12-31", "a"]));
    assert_eq!(table.rows[1], some(&["", "", "", ""]));
    assert_eq!(table.rows[2], some(&["-2", "1000.0", "1999-02-01", "b"]));
}

#[test]
fn the_header_tells_the_delimiter() {
    for (content, names) in [
        ("a,b;c\n1,2\n", vec!["a", "b;c"]),
        ("a;b\n1,5;2\n", vec!["a", "b"]),
        ("a\tb\n1\t2\n", vec!["a", "b"]),
        ("alone\n1\n", vec!["alone"]),
    ] {
        let (_folder, path) = file("a.csv", content);
        assert_eq!(read(&Source::file(&path), &[]).unwrap().names, names, "{content:?}");
    }
}

#[test]
fn a_delimiter_that_is_said_is_used() {
    let (_folder, path) = file("a.txt", "a,b,c;d\n1,2,3;4\n");
    let source = Source { delimiter: Some(Delimiter::Semicolon), ..Source::file(&path) };
    assert_eq!(read(&source, &[]).unwrap().names, ["a,b,c", "d"]);
}

#[test]
fn quotes_protect_delimiters_newlines_and_quotes() {
    let (_folder, path) = file("a.csv", "a,b\r\n\"x,\"\"y\"\"\r\nz\",2\r\n\"\",\"q\"\r\n");
    let table = read(&Source::file(&path), &[]).unwrap();
    assert_eq!(table.rows, [some(&["x,\"y\"\r\nz", "2"]), some(&["", "q"])]);
}

#[test]
fn line_endings_of_every_kind_end_a_record() {
    for content in
        ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\n1,2\n3,4", "a,b\n\n1,2\n\n3,4\n\n"]
    {
        let (_folder, path) = file("a.csv", content);
        let table = read(&Source::file(&path), &[]).unwrap();
        assert_eq!(table.rows, [some(&["1", "2"]), some(&["3", "4"])], "{content:?}");
    }
}

#[test]
fn a_blank_line_of_a_one_column_file_is_a_missing_value() {
    let (_folder, path) = file("a.csv", "a\n1\n\n3\n");
    assert_eq!(read(&Source::file(&path), &[]).unwrap().rows, [some(&["1"]), some(&[""]), some(&["3"])]);
}

#[test]
fn a_header_alone_has_no_records() {
    for content in ["a,b", "a,b\n", "a,b\r\n"] {
        let (_folder, path) = file("a.csv", content);
        let table = read(&Source::file(&path), &[column("a", Type::Integer)]).unwrap();
        assert_eq!((table.names.len(), table.rows.len()), (2, 0), "{content:?}");
    }
}

#[test]
fn missing_tokens_are_null_in_every_type() {
    let (_folder, path) = file("a.csv", "n,x,d,t\nNA,-9,NA,NA\n1,-9.5,2020-01-01,-9\n");
    let source = Source { missing: vec!["NA".to_owned(), "-9".to_owned()], ..Source::file(&path) };
    let columns = [column("n", Type::Integer), column("x", Type::Number), column("d", Type::Date)];
    let table = read(&source, &columns).unwrap();
    assert_eq!(table.rows, [some(&["", "", "", ""]), some(&["1", "-9.5", "2020-01-01", ""])]);
}

#[test]
fn compressed_files_are_known_by_name_or_by_their_bytes() {
    let content = b"a,b\n1,2\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(content).unwrap();
    let gzip = gzip.finish().unwrap();
    let twice = [gzip.clone(), {
        let mut second = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        second.write_all(b"3,4\n").unwrap();
        second.finish().unwrap()
    }]
    .concat();
    let zstd = zstd::encode_all(&content[..], 1).unwrap();
    for (name, bytes, rows) in [
        ("a.csv.gz", &gzip, 1),
        ("a.csv", &gzip, 1),
        ("a.csv.gz", &twice, 2),
        ("a.csv.zst", &zstd, 1),
        ("a.txt", &zstd, 1),
    ] {
        let (_folder, path) = file(name, bytes);
        let table = read(&Source::file(&path), &[]).unwrap();
        assert_eq!(table.rows.len(), rows, "{name}");
        assert_eq!(table.rows[0], some(&["1", "2"]), "{name}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    let (_folder, path) = file("a.csv", "\u{FEFF}a,b\n1,é\n");
    for encoding in [None, Some(Encoding::Utf8), Some(Encoding::Windows1252)] {
        let table = read(&Source { encoding, ..Source::file(&path) }, &[]).unwrap();
        assert_eq!(table.names, ["a", "b"]);
        assert_eq!(table.column("b"), [Some("é")]);
    }
}

#[test]
fn windows_1252_is_read_when_said() {
    let (_folder, path) = file("a.csv", b"a\nM\xFCller \x80\n");
    let source = Source { encoding: Some(Encoding::Windows1252), ..Source::file(&path) };
    assert_eq!(read(&source, &[]).unwrap().column("a"), [Some("Müller €")]);
}

#[test]
fn a_character_may_lie_across_two_stretches_of_the_file() {
    // The reader works in stretches of 256 KiB; two-byte characters from an odd start meet every border.
    let value = "é".repeat(400_000);
    let (_folder, path) = file("a.csv", format!("a,b\nx{value},y\n"));
    assert_eq!(read(&Source::file(&path), &[]).unwrap().rows[0][0].as_deref(), Some(format!("x{value}").as_str()));
}

#[test]
fn a_cell_of_a_megabyte_and_five_thousand_columns_are_read() {
    let large = "x".repeat(1 << 20);
    let (_folder, path) = file("a.csv", format!("a,b\n\"{large}\",1\n2,{large}\n"));
    let table = read(&Source::file(&path), &[]).unwrap();
    assert_eq!(table.rows[0][0].as_deref(), Some(large.as_str()));
    assert_eq!(table.rows[1][1].as_deref(), Some(large.as_str()));
    let names: Vec<String> = (0..5000).map(|i| format!("v{i}")).collect();
    let values: Vec<String> = (0..5000).map(|i| i.to_string()).collect();
    let (_folder, path) = file("b.csv", format!("{}\n{}\n", names.join(","), values.join(",")));
    let table = read(&Source::file(&path), &[column("v4999", Type::Integer)]).unwrap();
    assert_eq!(table.column("v4999"), [Some("4999")]);
}

#[test]
fn columns_come_in_the_order_asked_for_and_none_still_counts() {
    let (_folder, path) = file("a.csv", "a,b,c\n1,2,3\n4,5,6\n");
    let source = open_with(&Source::file(&path), &[], 8192).unwrap();
    let rows = rows_of(&collect(source.as_ref(), &[2, 0, 2]).unwrap());
    assert_eq!(rows, [some(&["3", "1", "3"]), some(&["6", "4", "6"])]);
    let none = collect(source.as_ref(), &[]).unwrap();
    assert_eq!(none.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let (_folder, path) = file("a.csv", "a\n1\n2\n");
    let source = open_with(&Source::file(&path), &[], 8192).unwrap();
    assert_eq!(source.progress(), 0);
    collect(source.as_ref(), &[0]).unwrap();
    assert_eq!((source.progress(), source.bytes()), (6, Some(6)));
}

#[test]
fn a_format_that_is_said_needs_no_ending() {
    let (_folder, path) = file("extract", "a\n1\n");
    let source = Source { format: Some(Format::Csv), ..Source::file(&path) };
    assert_eq!(read(&source, &[]).unwrap().column("a"), [Some("1")]);
}
