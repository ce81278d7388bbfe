//! The lines that make a redesign, pasted into the spec they are for, give the redesign.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{ColumnCollector, Columns};
use outward_spec::{RiskCategory, Spec, Table as Wanted, TableCase, TableRules};
use outward_tables::judge::judge;
use outward_tables::redesign::{Redesign, lines, propose};
use outward_tables::{CountedTable, CountedTables, Files, make, requests};

const SPEC: &str = r#"
[data]
path = "collisions.csv"
[policy]
name = "gss-tables"
[[variables]]
name = "severity"
join = [["Fatal", "Serious"], ["Serious", "Slight"]]
[[variables]]
name = "road"
label = "Kind of road"
hierarchy = { tree = { "Fast" = ["A", "B"], "Slow" = ["C", "D", "M"] } }
[[variables]]
name = "light"
more_hierarchies = [{ tree = { "Light" = ["day", "dawn"], "Dark" = ["night", "dusk"] } }]
[[variables]]
name = "cause"
columns = ["first", "second"]
join = [["dog", "ice"]]
"#;

/// The columns of the file.
const COLUMNS: [&str; 5] = ["severity", "road", "light", "first", "second"];

/// The records, of which some have no cause and some have two.
fn records() -> Vec<[Option<&'static str>; 5]> {
    let mut records = Vec::new();
    let mut add = |count: usize, [severity, road, light]: [&'static str; 3], first, second| {
        records.extend(vec![[Some(severity), Some(road), Some(light), first, second]; count]);
    };
    for road in ["A", "B", "C", "M"] {
        for light in ["day", "dawn", "dusk", "night"] {
            add(9, ["Slight", road, light], Some("ice"), None);
            add(7, ["Serious", road, light], Some("speed"), Some("ice"));
            add(3, ["Serious", road, light], None, None);
        }
    }
    add(1, ["Fatal", "A", "day"], Some("dog"), None);
    add(1, ["Slight", "D", "day"], None, Some("speed"));
    records
}

pub(crate) fn rules() -> TableRules {
    let category = RiskCategory { name: "one".into(), cells: 2, margins: 2, ..RiskCategory::default() };
    let case = TableCase { category: "one".into(), check: true, ..TableCase::default() };
    TableRules { categories: vec![category], cases: vec![case], ..TableRules::default() }
}

fn made(spec: &Spec) -> Vec<CountedTable> {
    counted_under(spec, &rules()).tables
}

pub(crate) fn counted_under(spec: &Spec, rules: &TableRules) -> CountedTables {
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from(records().iter().map(|record| record[at]).collect::<Vec<_>>()))
    };
    let fields = COLUMNS.map(|name| Field::new(name, DataType::Utf8, true)).to_vec();
    let file = RecordBatch::try_new(Arc::new(Schema::new(fields)), (0..COLUMNS.len()).map(column).collect()).unwrap();
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let request = requests(spec, &wanted, &[COLUMNS.map(str::to_owned).to_vec()], &[]).unwrap().remove(0);
    let mut collector = ColumnCollector::new(&file.schema(), &request.columns, &[]).unwrap();
    collector.observe(&file).unwrap();
    let columns = Columns::merge(vec![collector]).unwrap();
    make(spec, &wanted, &Files::link(spec, vec![(request, columns)]).unwrap(), rules).unwrap()
}

pub(crate) fn spec(tables: &str) -> Spec {
    Spec::parse(&format!("{SPEC}{tables}"), "outward.toml").unwrap()
}

fn redesigns(spec: &Spec, made: &[CountedTable]) -> Vec<Redesign> {
    let verdicts: Vec<_> = made.iter().map(|made| judge(&made.table, &rules()).unwrap()).collect();
    propose(made, &verdicts, spec, &rules(), 20).unwrap().remove(0)
}

/// The labels and the counts of a table, in the order they are shown.
fn shown(made: &outward_tables::Table) -> (Vec<Vec<String>>, Vec<u64>) {
    let labels = made.dimensions.iter().map(|of| of.nodes.iter().map(|node| node.label.clone()).collect());
    (labels.collect(), made.counts.clone())
}

/// Pastes the lines of every redesign of a table, and compares what is made with what was proposed.
fn check(table: &str) -> Vec<Vec<String>> {
    let spec = spec(table);
    let made_now = made(&spec);
    let mut pasted = Vec::new();
    for redesign in redesigns(&spec, &made_now) {
        let Some(lines) = lines(&spec, &made_now[0], &redesign) else { continue };
        let again = Spec::parse(&format!("{SPEC}{}\n", lines.join("\n")), "outward.toml").unwrap();
        let (mut labels, counts) = shown(&made(&again)[0].table);
        let (mut proposed, as_proposed) = shown(&redesign.table);
        // A variable with nothing but its total is left out, or has one group.
        [&mut labels, &mut proposed].into_iter().for_each(|labels| labels.retain(|labels| labels.len() > 1));
        assert_eq!(labels, proposed, "{lines:?}");
        assert_eq!(counts, as_proposed, "{lines:?}");
        pasted.push(lines);
    }
    pasted
}

#[test]
fn a_level_of_the_hierarchy_is_a_line_of_the_table() {
    let pasted = check("[[tables]]\nname = \"t\"\nvariables = [\"road\", \"light\"]\nlevels = { road = [0] }\n");
    assert!(pasted.iter().any(|lines| lines.contains(&"levels = { road = [1] }".to_owned())), "{pasted:?}");
}

#[test]
fn joined_values_are_a_new_variable_of_the_same_column() {
    let pasted = check("[[tables]]\nname = \"t\"\nvariables = [\"light\", \"severity\"]\n");
    let joined = pasted.iter().find(|lines| lines.iter().any(|line| line.contains("Fatal or Serious"))).unwrap();
    assert!(joined.contains(&"columns = [\"severity\"]".to_owned()), "{joined:?}");
    assert!(joined.contains(&"name = \"severity_coarser\"".to_owned()), "{joined:?}");
}

#[test]
fn a_variable_of_which_only_the_total_is_left_is_left_out() {
    let pasted = check("[[tables]]\nname = \"t\"\nvariables = [\"light\", \"severity\"]\n");
    assert!(pasted.iter().any(|lines| lines.contains(&"variables = [\"severity\"]".to_owned())), "{pasted:?}");
}

#[test]
fn a_table_of_some_values_stays_one_of_these_values() {
    let only = "only = { severity = [\"Serious\", \"Fatal\"], road = [\"B\", \"A\"] }";
    let pasted = check(&format!(
        "[[tables]]\nname = \"t\"\nvariables = [\"road\", \"severity\"]\nlevels = {{ road = [0] }}\n{only}\n"
    ));
    assert!(!pasted.is_empty());
    assert!(pasted.iter().flatten().any(|line| line.starts_with("only = ")));
}

#[test]
fn the_total_of_several_answers_is_of_those_who_gave_one() {
    let pasted = check("[[tables]]\nname = \"t\"\nvariables = [\"cause\", \"severity\"]\n");
    let of_all = pasted.iter().find(|lines| lines.iter().any(|line| line.contains("tree = { All = "))).unwrap();
    assert!(of_all.contains(&"columns = [\"first\", \"second\"]".to_owned()), "{of_all:?}");
    assert!(pasted.iter().flatten().any(|line| line.contains("\"dog or ice\" = ")));
}

#[test]
fn the_most_frequent_values_stay_those_that_were() {
    let pasted =
        check("[[tables]]\nname = \"t\"\nvariables = [\"road\", \"severity\"]\nlevels = { road = [0] }\ntop = 3\n");
    assert!(!pasted.is_empty());
}
