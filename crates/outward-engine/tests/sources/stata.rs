//! Stata files.

use std::borrow::Cow;
use std::io::Cursor;

use arrow_schema::DataType;
use dta::stata::dta::byte_order::ByteOrder;
use dta::stata::dta::dta_writer::DtaWriter;
use dta::stata::dta::header::Header;
use dta::stata::dta::release::Release;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value::Value;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::missing_value::MissingValue;
use dta::stata::stata_byte::StataByte;
use dta::stata::stata_double::StataDouble;
use dta::stata::stata_long::StataLong;
use outward_spec::{Source, Type};

use super::{column, fault_of, file, open_with, read, read_opened};

/// A value-label set as release 114 has it at the end of a file: length, name, count, offsets, codes, texts.
fn label_set(name: &str, labels: &[(i32, &str)]) -> Vec<u8> {
    let mut texts = Vec::new();
    let mut offsets = Vec::new();
    for (_, text) in labels {
        offsets.push(texts.len() as i32);
        texts.extend_from_slice(text.as_bytes());
        texts.push(0);
    }
    let mut table = Vec::new();
    for number in [labels.len() as i32, texts.len() as i32] {
        table.extend(number.to_le_bytes());
    }
    offsets.into_iter().for_each(|offset| table.extend(offset.to_le_bytes()));
    labels.iter().for_each(|(code, _)| table.extend(code.to_le_bytes()));
    table.extend(texts);
    let mut set = (table.len() as i32).to_le_bytes().to_vec();
    let mut padded = name.as_bytes().to_vec();
    padded.resize(33 + 3, 0);
    set.extend(padded);
    set.extend(table);
    set
}

fn people() -> Vec<u8> {
    let header = Header::builder(Release::V114, ByteOrder::LittleEndian).build();
    let schema = Schema::builder()
        .add_variable(
            Variable::builder(VariableType::Byte, "sex").format("%8.0g").value_label_name("sexl").label("Sex at birth"),
        )
        .add_variable(Variable::builder(VariableType::Long, "born").format("%td"))
        .add_variable(Variable::builder(VariableType::Double, "income").format("%10.2f"))
        .add_variable(Variable::builder(VariableType::Long, "month").format("%tm"))
        .add_variable(Variable::builder(VariableType::FixedString(4), "code").format("%4s"))
        .build()
        .unwrap();
    let writer = DtaWriter::new().from_writer(Cursor::new(Vec::new())).write_header(header).unwrap();
    let mut records = writer.write_schema(schema).unwrap().into_record_writer().unwrap();
    let record = |sex, born, income, month, code| {
        [
            Value::Byte(sex),
            Value::Long(born),
            Value::Double(income),
            Value::Long(month),
            Value::String(Cow::Borrowed(code)),
        ]
    };
    let (long, double) = (StataLong::Present, StataDouble::Present);
    records.write_record(&record(StataByte::Present(1), long(0), double(0.5), long(722), "007")).unwrap();
    records.write_record(&record(StataByte::Present(7), long(-1), double(2.0), long(0), "")).unwrap();
    let gone = MissingValue::System;
    records
        .write_record(&record(
            StataByte::Missing(MissingValue::A),
            StataLong::Missing(gone),
            StataDouble::Missing(gone),
            StataLong::Missing(gone),
            "x",
        ))
        .unwrap();
    let end = records.into_long_string_writer().unwrap().into_value_label_writer().unwrap().finish().unwrap();
    let mut bytes = end.into_inner();
    bytes.extend(label_set("sexl", &[(1, "Female"), (2, "Male")]));
    bytes
}

#[test]
fn labels_become_values_and_missing_codes_null() {
    let (_folder, path) = file("people.dta", people());
    let source = open_with(&Source::file(&path), &[], 2).unwrap();
    assert_eq!(source.rows(), Some(3));
    assert_eq!(source.schema().field(0).metadata()["label"], "Sex at birth");
    let table = read_opened(source.as_ref()).unwrap();
    assert_eq!(table.column("sex"), [Some("Female"), Some("7"), None]);
    assert_eq!(table.column("born"), [Some("1960-01-01"), Some("1959-12-31"), None]);
    assert_eq!(table.column("income"), [Some("0.5"), Some("2.0"), None]);
    assert_eq!(table.column("month"), [Some("2020m3"), Some("1960m1"), None]);
    assert_eq!(table.column("code"), [Some("007"), None, Some("x")]);
    assert_eq!(table.types[1], DataType::Date32);
    assert_eq!(source.progress(), source.bytes().unwrap());
}

#[test]
fn the_spec_overrides_stata_types() {
    let (_folder, path) = file("people.dta", people());
    let source = Source { missing: vec!["7".to_owned()], ..Source::file(&path) };
    let table = read(&source, &[column("income", Type::Text), column("born", Type::Text)]).unwrap();
    assert_eq!(table.column("income"), [Some("0.5"), Some("2"), None]);
    assert_eq!(table.column("born"), [Some("1960-01-01"), Some("1959-12-31"), None]);
    assert_eq!(table.column("sex"), [Some("Female"), None, None]);
}

#[test]
fn a_stata_file_cut_off_or_of_another_kind_is_told() {
    let whole = people();
    // Label sets may end early without the reader minding; records may not.
    let records_end = whole.len() - label_set("sexl", &[(1, "Female"), (2, "Male")]).len();
    for length in (0..records_end).step_by(11) {
        let (_folder, path) = file("people.dta", &whole[..length]);
        fault_of(&path, read(&Source::file(&path), &[]));
    }
    let (_folder, path) = file("people.dta", "sex,age\n1,2\n");
    fault_of(&path, read(&Source::file(&path), &[]));
}
