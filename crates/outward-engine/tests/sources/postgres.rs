//! PostgreSQL, against a server that the test starts for itself.
//!
//! The address is in an environment variable, and a test may not set its own: it starts the server and then runs the
//! ignored tests of this file in a process that has the variable.

use std::path::Path;
use std::process::Command;

use arrow_schema::DataType;
use outward_engine::source::{ReadOptions, open};
use outward_spec::{Error, Source, Type};
use outward_testing::postgres::{PASSWORD, Server};
use sqlx::{Connection, Executor, PgConnection};

use super::{SECRET, Table, column, read_opened, runtime};

const ADDRESS: &str = "OUTWARD_TEST_DATABASE";
const WRONG_ADDRESS: &str = "OUTWARD_TEST_WRONG_PASSWORD";

mod needs_postgresql {
    use super::*;

    #[test]
    fn a_real_server_gives_its_records() {
        let server = Server::start();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--test-threads=1", "postgres::served::"])
            .env(ADDRESS, server.address(PASSWORD))
            .env(WRONG_ADDRESS, server.address("wrong"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("6 passed"), "{said}");
    }
}

#[test]
fn an_address_that_is_not_there_is_told() {
    let source =
        Source { database: Some("OUTWARD_NO_SUCH".to_owned()), table: Some("t".to_owned()), ..Source::default() };
    let error = super::read(&source, &[]).unwrap_err();
    assert!(error.to_string().contains("`OUTWARD_NO_SUCH` is not set"), "{error}");
    // PATH holds no address, and its value is nobody's business.
    let error = super::read(&Source { database: Some("PATH".to_owned()), ..source }, &[]).unwrap_err();
    assert!(!error.to_string().contains(Path::new("/usr").to_str().unwrap()), "{error}");
}

mod served {
    use super::*;

    fn prepare(statements: &'static str) {
        runtime().block_on(async {
            let mut connection = PgConnection::connect(&std::env::var(ADDRESS).unwrap()).await.unwrap();
            connection.execute(sqlx::raw_sql(statements)).await.unwrap();
        });
    }

    fn source(table: Option<&str>, query: Option<&str>) -> Source {
        Source {
            database: Some(ADDRESS.to_owned()),
            table: table.map(str::to_owned),
            query: query.map(str::to_owned),
            ..Source::default()
        }
    }

    /// The runtime must outlive the reading.
    fn read(source: &Source, columns: &[super::super::TypedColumn]) -> outward_spec::Result<Table> {
        let runtime = runtime();
        let options = ReadOptions { batch_rows: 3, ..ReadOptions::default() };
        let opened = runtime.block_on(open(source, Some(columns), &options))?;
        let table = read_opened(opened.as_ref())?;
        assert_eq!(opened.progress(), table.rows.len() as u64);
        Ok(table)
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn the_engine_counts_profiles_and_rewrites_a_table() {
        use outward_engine::{CountRequest, Data, Embedded, Engine, Plan, Target};
        prepare(
            "create schema if not exists survey; drop table if exists survey.counted;
             create table survey.counted (sex text, age int4);
             insert into survey.counted select case when i % 3 = 0 then 'F' else 'M' end, i % 50
                from generate_series(1, 30000) i;",
        );
        let data = Data { source: source(Some("survey.counted"), None), columns: Vec::new() };
        let request = CountRequest { keys: vec!["sex".into(), "age".into()], ..CountRequest::default() };
        for threads in [1, 3] {
            let engine = Embedded::new(threads);
            let cells = runtime().block_on(engine.count_cells(&data, std::slice::from_ref(&request))).unwrap();
            assert_eq!((cells[0].records(), cells[0].len()), (30_000, 100));
            assert_eq!(runtime().block_on(engine.profile(&data)).unwrap().records, 30_000);
        }
        let folder = tempfile::tempdir().unwrap();
        let target = Target { path: folder.path().join("out.parquet"), format: None };
        let written = runtime().block_on(Embedded::new(2).rewrite(&data, &Plan::unchanged(), &target)).unwrap();
        assert_eq!(written.rows, 30_000);
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn types_come_through() {
        prepare(
            "create schema if not exists survey; drop table if exists survey.people;
             create table survey.people (t text, c char(3), i2 int2, i4 int4, i8 int8, f4 real, f8 float8,
                n numeric(30,2), b bool, d date, ts timestamp, u uuid, j jsonb, a int[]);
             insert into survey.people values ('a', 'x', 1, 2, 9007199254740993, 0.5, 0.1, 12345678901234567890.25,
                true, '1969-12-31', '2020-01-02 03:04:05', '00000000-0000-0000-0000-000000000001', '{\"k\": 1}', '{1,2}');
             insert into survey.people default values;",
        );
        let table = read(&source(Some("survey.people"), None), &[]).unwrap();
        let first: Vec<_> = table.rows[0].iter().map(|cell| cell.as_deref().unwrap()).collect();
        assert_eq!(
            first,
            [
                "a",
                "x",
                "1",
                "2",
                "9007199254740993",
                "0.5",
                "0.1",
                "1.2345678901234567e19",
                "true",
                "1969-12-31",
                "2020-01-02 03:04:05",
                "00000000-0000-0000-0000-000000000001",
                "{\"k\": 1}",
                "{1,2}"
            ]
        );
        assert!(table.rows[1].iter().all(Option::is_none));
        assert_eq!(
            (&table.types[2], &table.types[7], &table.types[9]),
            (&DataType::Int64, &DataType::Float64, &DataType::Date32)
        );
        let columns =
            [column("n", Type::Text), column("ts", Type::Date), column("f8", Type::Text), column("i4", Type::Number)];
        let table = read(&source(Some("survey.people"), None), &columns).unwrap();
        assert_eq!(table.column("n")[0], Some("12345678901234567890.25"));
        assert_eq!(table.column("ts")[0], Some("2020-01-02"));
        assert_eq!((table.column("f8")[0], table.column("i4")[0]), (Some("0.1"), Some("2.0")));
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn a_query_keeps_its_order_and_may_end_in_a_comment() {
        let query =
            "select g as \"Id\", 'v' || g as v from generate_series(1, 1000) g order by g desc; -- newest first";
        let table = read(&source(None, Some(query.split("; --").next().unwrap())), &[]).unwrap();
        assert_eq!((table.rows.len(), table.column("Id")[0], table.column("v")[999]), (1000, Some("1000"), Some("v1")));
        let table = read(&source(None, Some("select 1 as a -- one")), &[]).unwrap();
        assert_eq!(table.column("a"), [Some("1")]);
        let table = read(&source(None, Some(" select 1 as a; ")), &[]).unwrap();
        assert_eq!(table.column("a"), [Some("1")]);
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn both_readings_see_the_same_records() {
        prepare("drop table if exists moving; create table moving as select g as id from generate_series(1, 10) g;");
        let runtime = runtime();
        let opened = runtime.block_on(open(&source(Some("moving"), None), None, &ReadOptions::default())).unwrap();
        let first = read_opened(opened.as_ref()).unwrap();
        prepare("delete from moving where id < 5; insert into moving values (99);");
        assert_eq!(read_opened(opened.as_ref()).unwrap(), first);
        assert_eq!(first.rows.len(), 10);
        let none = super::super::collect(opened.as_ref(), &[]).unwrap();
        assert_eq!(none.iter().map(|batch| batch.num_rows()).sum::<usize>(), 10);
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn nothing_can_be_written() {
        prepare("drop table if exists kept; create table kept as select 1 as id;");
        let writes = "with gone as (delete from kept returning id) select * from gone";
        let error = read(&source(None, Some(writes)), &[]).unwrap_err();
        assert!(error.to_string().contains("refused the query"), "{error}");
        let error = read(&source(None, Some("select 1 as a) as x; drop table kept; select (1")), &[]).unwrap_err();
        assert!(error.to_string().contains("refused the query"), "{error}");
        assert_eq!(read(&source(Some("kept"), None), &[]).unwrap().rows.len(), 1);
    }

    #[test]
    #[ignore = "needs the server that a_real_server_gives_its_records starts"]
    fn faults_betray_neither_password_nor_value() {
        let said = |error: Error| {
            let said = format!("{error} {}", error.help().unwrap_or_default());
            assert!(![PASSWORD, "wrong@", "127.0.0.1", SECRET].iter().any(|secret| said.contains(secret)), "{said}");
            said
        };
        let wrong = Source { database: Some(WRONG_ADDRESS.to_owned()), ..source(Some("t"), None) };
        assert!(said(read(&wrong, &[]).unwrap_err()).contains("refused the user or the password"));
        assert!(said(read(&source(Some("no_such"), None), &[]).unwrap_err()).contains("no table `no_such`"));
        assert!(said(read(&source(None, Some("selekt")), &[]).unwrap_err()).contains("refused the query"));
        assert!(said(read(&source(None, None), &[]).unwrap_err()).contains("needs a table or a query"));
        assert!(
            said(read(&source(None, Some("select 1 as a, 2 as a")), &[]).unwrap_err())
                .contains("two columns are called `a`")
        );
        prepare("drop table if exists secrets; create table secrets as select 's3cret'::text as s;");
        let error = read(&source(None, Some("select s::int as n from secrets")), &[]).unwrap_err();
        assert!(said(error).contains("code 22P02"));
        let error = read(&source(Some("secrets"), None), &[column("s", Type::Integer)]).unwrap_err();
        assert!(said(error).contains("column `s`, row 1: this is not a whole number"));
    }
}
