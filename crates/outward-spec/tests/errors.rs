//! The words of the errors a spec can raise: what is wrong, where, and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;
use std::path::Path;

use outward_spec::{Error, Hierarchy, Policy, Spec};

const HEAD: &str = "[data]\npath = \"persons.csv\"\n";
const AGE: &str = "[[variables]]\nname = \"age\"\nrole = \"key\"\nhierarchy = { bands = [16, 25, 45, 65] }\n";

/// What a user sees: the message, the stretch of the spec it points to, the help.
fn told(error: &Error) -> String {
    let mut told = error.to_string();
    if let Some(excerpt) = error.fault().and_then(|fault| fault.place.excerpt.as_ref()) {
        write!(told, "\n   at {:?}", &excerpt.text[excerpt.span.clone()]).unwrap();
    }
    write!(told, "\n help {}", error.help().expect("every error says what to do")).unwrap();
    told
}

fn told_of_specs(cases: &[(&str, String)]) -> String {
    let mut all = String::new();
    for (case, text) in cases {
        let error = Spec::parse(text, "outward.toml").expect_err(case);
        let place = &error.fault().expect(case).place;
        assert!(place.line.is_some() && place.excerpt.is_some(), "{case} has no place");
        writeln!(all, "# {case}\n{}\n", told(&error)).unwrap();
    }
    all
}

#[test]
fn mistakes_in_the_shape_of_a_spec() {
    let with = |rest: &str| format!("{HEAD}{rest}");
    let told = told_of_specs(&[
        ("not TOML", with("title = = 3")),
        ("no data", "title = \"x\"".into()),
        ("misspelt section", "[dta]\npath = \"persons.csv\"".into()),
        ("unknown section", with("[[variable]]\nname = \"age\"")),
        ("misspelt field", with("[[variables]]\nname = \"age\"\nvisibilty = \"high\"")),
        ("field like no other", with("[[variables]]\nname = \"age\"\nzzzzzzzzzz = 1")),
        ("misspelt role", with("[[variables]]\nname = \"age\"\nrole = \"sensitve\"")),
        ("unknown role", with("[[variables]]\nname = \"age\"\nrole = \"quasi-identifier\"")),
        ("role that is no word", with("[[variables]]\nname = \"age\"\nrole = 3")),
        ("name missing", with("[[variables]]\nlabel = \"Age\"")),
        ("empty name", with("[[variables]]\nname = \" \"")),
        ("k in quotes", with("[policy]\nk = \"3\"")),
        ("k is 0", with("[policy]\nk = 0")),
        ("k with decimals", with("[policy]\nk = 2.5")),
        ("k too large", with("[policy]\nk = 99999999999999999999999")),
        ("a width that is negative", with("[[variables]]\nname = \"age\"\nhierarchy = { width = -5 }")),
        ("bands of mixed depth", with("[[variables]]\nname = \"age\"\nhierarchy = { bands = [[1], 2] }")),
        ("t above 1", with("[policy]\nt = 1.5")),
        ("one bracket too few", with("[variables]\nname = \"age\"")),
        ("one bracket too many", "[[data]]\npath = \"x.csv\"".into()),
        ("section within a section", with("[data.source]")),
        ("keys not in a list", with("[[scenarios]]\nname = \"a\"\nkeys = \"age\"")),
        ("step without do", with("[[steps]]\nvariables = [\"age\"]")),
        ("unknown step", with("[[steps]]\ndo = \"recoed\"\nvariable = \"age\"\nlevel = 1")),
        ("field of another step", with("[[steps]]\ndo = \"drop\"\nvariables = [\"age\"]\nlevel = 1")),
        ("drop nothing", with("[[steps]]\ndo = \"drop\"\nvariables = []")),
        ("hierarchy of no kind", with("[[variables]]\nname = \"age\"\nhierarchy = { band = [1] }")),
        ("hierarchy of two kinds", with("[[variables]]\nname = \"age\"\nhierarchy = { bands = [1], prefix = [2] }")),
        ("unknown date part", with("[[variables]]\nname = \"born\"\nhierarchy = { date = [\"mnth\"] }")),
        ("codes of a tree unquoted", with("[[variables]]\nname = \"eth\"\nhierarchy = { tree = { White = [1, 2] } }")),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn mistakes_in_what_a_spec_says() {
    let with = |rest: &str| format!("{HEAD}{AGE}{rest}");
    let age = |rest: &str| format!("{HEAD}[[variables]]\nname = \"age\"\n{rest}");
    let told = told_of_specs(&[
        ("table and query", "[data]\ndatabase = \"DB\"\ntable = \"a\"\nquery = \"select 1\"".into()),
        ("path and database", "[data]\npath = \"a.csv\"\ndatabase = \"DB\"".into()),
        ("database without table", "[data]\ndatabase = \"DB\"".into()),
        ("nothing to read", "[data]\nformat = \"csv\"".into()),
        ("plain column twice", format!("plain = [\"sex\", \"sex\"]\n{HEAD}")),
        ("plain column with a section", format!("plain = [\"sex\", \"age\"]\n{HEAD}{AGE}")),
        ("plain column without a name", format!("plain = [\"\"]\n{HEAD}")),
        ("variable twice", with("[[variables]]\nname = \"age\"")),
        (
            "two weights",
            with("[[variables]]\nname = \"w\"\nrole = \"weight\"\n[[variables]]\nname = \"v\"\nrole = \"weight\""),
        ),
        ("weight as text", with("[[variables]]\nname = \"w\"\nrole = \"weight\"\ntype = \"text\"")),
        ("format without date", age("format = \"%d/%m/%Y\"")),
        ("bands of a date", age("type = \"date\"\nhierarchy = { width = 5 }")),
        ("scenario with a misspelt key", with("[[scenarios]]\nname = \"n\"\nkeys = [\"age\", \"agee\"]")),
        ("scenario without keys", age("[[scenarios]]\nname = \"n\"")),
        ("scenario twice", with("[[scenarios]]\nname = \"n\"\n[[scenarios]]\nname = \"n\"")),
        ("table with an unknown variable", with("[[tables]]\nname = \"t\"\nvariables = [\"region\"]")),
        ("table with a variable twice", with("[[tables]]\nname = \"t\"\nvariables = [\"age\", \"age\"]")),
        (
            "linked file called as the records of the data",
            with("[[linked]]\nname = \"records\"\ndata = { path = \"v.csv\" }\non = [\"id\"]"),
        ),
        (
            "two linked files of one name",
            with(&"[[linked]]\nname = \"visits\"\ndata = { path = \"v.csv\" }\non = [\"id\"]\n".repeat(2)),
        ),
        (
            "cell to show of a variable the table does not have",
            with("[[tables]]\nname = \"t\"\nvariables = [\"age\"]\nmust_show = [{ agee = \"16-24\" }]"),
        ),
        (
            "cell to show that is not named by a word",
            with("[[tables]]\nname = \"t\"\nvariables = [\"age\"]\nmust_show = [{ age = 16 }]"),
        ),
        (
            "cell hidden already in a table that is rounded",
            with(
                "[[tables]]\nname = \"t\"\nvariables = [\"age\"]\nalready_hidden = [{}]\n[protection]\nmethod = \"round\"",
            ),
        ),
        ("cost of a variable without the variable", with("[protection]\ncost = \"variable\"")),
        ("variable of a cost that is not asked", with("[protection]\ncost_of = \"age\"")),
        ("cost that is text", age("type = \"text\"\n[protection]\ncost = \"variable\"\ncost_of = \"age\"")),
        ("chance to stay above 1", with("[protection]\nstay = 1.5")),
        ("chance to stay that is no number", with("[protection]\nstay = nan")),
        ("variance without end", with("[protection]\nvariance = inf")),
        ("drop of an unknown variable", with("[[steps]]\ndo = \"drop\"\nvariables = [\"ages\"]")),
        ("place of an unknown variable", with("[[steps]]\ndo = \"place\"\nvariable = \"agee\"\nmapping = \"m.csv\"")),
        (
            "grid with one of two directions",
            with("[[steps]]\ndo = \"grid\"\nvariables = [\"age\"]\ngiven = \"metres\""),
        ),
        ("grid with the same direction twice", with("[[steps]]\ndo = \"grid\"\nvariables = [\"age\", \"age\"]")),
        ("grid with a cell of nothing", with("[[steps]]\ndo = \"grid\"\nvariables = [\"age\"]\ncell = 0")),
        (
            "recode after drop",
            with(
                "[[steps]]\ndo = \"drop\"\nvariables = [\"age\"]\n[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1",
            ),
        ),
        ("recode without hierarchy", age("[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1")),
        ("level out of range", with("[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 3")),
        ("misspelt policy", with("[policy]\nname = \"ons-open-microdta\"")),
        ("misspelt tier", with("[policy]\nname = \"ons-open-microdata\"\ntier = \"opne\"")),
        ("tier of a policy without tiers", with("[policy]\ntier = \"open\"")),
        ("policy by name and file", with("[policy]\nname = \"baseline\"\nfile = \"p.toml\"")),
        ("output over the data", with("[[outputs]]\npath = \"persons.csv\"")),
        ("output among the data", "[data]\npath = \"./parts\"\n[[outputs]]\npath = \"a/../parts/new.parquet\"".into()),
        ("two outputs to one file", with("[[outputs]]\npath = \"a.csv\"\n[[outputs]]\npath = \"a.csv\"")),
        ("bands not ascending", age("hierarchy = { bands = [16, 45, 25] }")),
        ("bands not nested", age("hierarchy = { bands = [[16, 25, 45], [16, 30]] }")),
        ("band edge above top", age("hierarchy = { bands = [16, 90], top = 85 }")),
        ("widths not nested", age("hierarchy = { widths = [5, 12] }")),
        ("prefix not descending", age("hierarchy = { prefix = [2, 4] }")),
        ("date parts out of order", age("hierarchy = { date = [\"year\", \"month\"] }")),
        ("value in two groups", age("hierarchy = { tree = { a = [\"x\"], b = [\"x\"] } }")),
        ("empty tree", age("hierarchy = { tree = {} }")),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn mistakes_in_hierarchy_files() {
    let cases: [(&str, &[u8]); 7] = [
        ("empty file", b""),
        ("ragged row", b"a;A;*\nb;*\n"),
        ("value under two parents", b"a;A;*\nb;B;*\na;B;*\n"),
        ("label under two parents", b"a;A;X;*\nb;B;Y;*\nc;A;Y;*\n"),
        ("empty label", b"a;A\nb;\n"),
        ("open quote", b"a;A\n\"b;B\nc;C\n"),
        ("not UTF-8", b"a;A\nb;\xff\n"),
    ];
    let mut all = String::new();
    for (case, bytes) in cases {
        let error = Hierarchy::from_bytes(bytes.to_vec(), Path::new("age.csv"), false, None).expect_err(case);
        writeln!(all, "# {case}\n{}\n", told(&error)).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_policy_that_does_not_exist_is_answered_with_the_nearest() {
    insta::assert_snapshot!(told(&Policy::named("base-line").unwrap_err()), @r"
    there is no policy `base-line`
     help did you mean `baseline`?
    ");
}
