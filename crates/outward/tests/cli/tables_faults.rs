//! Tables that cannot be made say what is wrong, where, and what to do, and leave nothing.

use std::path::Path;

use outward_fixtures::spec::{GIVEN, GIVEN_CELLS};

use crate::tables::desk;
use crate::{listing, outward, refused, stderr};

/// What was said, without the marks and line ends of the terminal.
fn plain(said: &str) -> String {
    said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// 240 people whose numbers nobody should read in a message.
fn people() -> String {
    let mut text = "id,region,age,sex,job,income\n".to_owned();
    for i in 0..240usize {
        let region = ["North", "South", "West"][i * i % 7 % 3];
        let (job, sex) = (["baker", "nurse", "clerk"][i / 5 % 3], ["F", "M"][i % 2]);
        text += &format!("P{i:04},{region},{},{sex},{job},{}\n", 20 + i * 7 % 60, 71_000 + i * 37 % 900);
    }
    text
}

/// Visits of people, by the number of the person.
fn visits() -> String {
    "id,kind\n".to_owned()
        + &(0..90).map(|i| format!("P{:04},{}\n", i * 3 % 240, ["day", "night"][i % 2])).collect::<String>()
}

const SPEC: &str = r#"[data]
path = "people.csv"

[[linked]]
name = "visits"
data = { path = "visits.csv" }
on = ["id"]

[policy]
name = "gss-tables"

[protection]
method = "suppress"

[[variables]]
name = "region"
role = "geography"

[[variables]]
name = "age"
role = "key"
type = "integer"
hierarchy = { widths = [10, 20] }

[[variables]]
name = "sex"
role = "key"

[[variables]]
name = "job"
role = "key"

[[variables]]
name = "kind"
from = ["visits"]

[[tables]]
name = "jobs"
variables = ["region", "job"]

[[tables]]
name = "ages"
variables = ["age", "job"]
levels = { age = [1, 2] }
"#;

/// The spec with one thing changed.
fn with(old: &str, new: &str) -> String {
    assert!(SPEC.contains(old), "{old}");
    SPEC.replace(old, new)
}

/// That these files are refused with all of these words, without a value of the data, and that nothing is left.
fn files_are_refused(files: &[(&str, &str)], more: &[&str], words: &[&str]) {
    let desk = desk(files);
    let before = listing(desk.path());
    let output = outward(desk.path(), &[&["table", "outward.toml", "--out", "bundle"], more].concat());
    let said = plain(&refused(&output));
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("P0") && !said.contains("71") && !said.contains("8642"), "a value is told: {said}");
    assert_eq!(listing(desk.path()), before, "nothing is written");
}

fn is_refused(spec: &str, words: &[&str]) {
    files_are_refused(&[("outward.toml", spec), ("people.csv", &people()), ("visits.csv", &visits())], &[], words);
}

#[test]
fn a_variable_that_is_not_there_is_named_with_its_place_and_the_nearest() {
    let words = ["outward.toml:39:24:", "there is no variable `jbo`", "help: did you mean `job`?"];
    is_refused(&with("[\"region\", \"job\"]", "[\"region\", \"jbo\"]"), &words);
}

#[test]
fn a_level_that_a_hierarchy_does_not_have_is_answered_with_those_it_has() {
    let words = ["outward.toml:", "`age` has no level 7 to show", "help: its levels are 0 (the value itself) to 2"];
    is_refused(&with("[1, 2]", "[1, 7]"), &words);
}

#[test]
fn a_value_that_is_not_there_cannot_be_the_only_one_shown() {
    let words = ["outward.toml:45:8, column `job`", "table `ages`", "there is no `bakr` to show", "help: "];
    is_refused(&format!("{SPEC}only = {{ job = [\"bakr\"] }}\n"), &words);
}

#[test]
fn a_cell_that_is_not_there_is_told_with_its_place_in_the_spec() {
    let words = ["outward.toml:45:13, column `job`", "table `ages`: there is no `bakr` in this table", "`baker`?"];
    is_refused(&format!("{SPEC}must_show = [{{ job = \"bakr\" }}]\n"), &words);
}

#[test]
fn a_condition_that_cannot_be_met_is_told_with_its_table_and_place() {
    let words = ["outward.toml:45:9: table `ages`: no record meets the condition", "help: see whether `where`"];
    is_refused(&format!("{SPEC}where = \"job = 'smith'\"\n"), &words);
    let words = ["outward.toml:45:9: table `ages`: there is no column `jbo`", "help: did you mean `job`?"];
    is_refused(&format!("{SPEC}where = \"jbo = 'baker'\"\n"), &words);
}

#[test]
fn pairs_are_of_one_variable_and_a_measure_is_one_of_three() {
    let words = ["outward.toml:45:9:", "`pairs` is a list where text is expected", "without the brackets: `pairs = "];
    is_refused(&format!("{SPEC}pairs = [\"job\"]\n"), &words);
    let words = ["outward.toml:45:11:", "`measure` cannot be `median`", "the choices are `count`, `sum`, `mean`"];
    is_refused(&format!("{SPEC}measure = \"median\"\n"), &words);
}

#[test]
fn values_that_a_hierarchy_misses_are_counted_with_the_first_row_they_stand_in() {
    let hierarchy = "hierarchy = { tree = { food = [\"baker\"], care = [\"nurse\"] } }";
    let spec = with("name = \"job\"\nrole = \"key\"\n", &format!("name = \"job\"\nrole = \"key\"\n{hierarchy}\n"));
    let words = [
        "people.csv, column `job`",
        "no place for 1 of the values, in 80 of the records, the first in row 11",
        "help: add them to the hierarchy",
    ];
    is_refused(&spec, &words);
}

#[test]
fn a_table_that_is_not_in_the_spec_is_answered_with_the_nearest() {
    let files = [("outward.toml", SPEC), ("people.csv", &people()), ("visits.csv", &visits())];
    let words = ["outward.toml: there is no table `jbos`", "help: did you mean `jobs`?"];
    files_are_refused(&files, &["jbos"], &words);
}

#[test]
fn a_policy_without_rules_for_tables_is_answered_with_one_that_has_them() {
    let words = ["outward.toml: policy", "has no rules for tables", "help: ", "gss-tables"];
    is_refused(&with("name = \"gss-tables\"", "k = 3"), &words);
}

#[test]
fn a_table_the_policy_has_no_rule_for_is_not_judged_by_another() {
    let more = "\n[[tables]]\nname = \"three\"\nvariables = [\"age\", \"sex\", \"job\"]\nlevels = { age = [1] }\n";
    let words = ["the policy has no rule for table `three`", "3 factual variables", "help: ", "fewer variables"];
    is_refused(&format!("{}{more}", with("gss-tables", "dft-road-casualties")), &words);
}

#[test]
fn a_level_of_geography_the_policy_does_not_know_is_answered_with_those_it_knows() {
    let words = ["table `ages`", "no level of geography `ward`", "help: the levels are", "`local-authority`"];
    is_refused(&format!("{}geography = \"ward\"\n", with("gss-tables", "dft-road-casualties")), &words);
}

#[test]
fn a_variable_from_a_file_that_is_not_linked_is_named_with_its_place() {
    let words = ["outward.toml:", "there is no linked file `vists`", "help: did you mean `visits`?"];
    is_refused(&with("from = [\"visits\"]", "from = [\"vists\"]"), &words);
    let words = ["outward.toml:", "there is no linked file `visit`", "help: did you mean `visits`?"];
    is_refused(&format!("{SPEC}unit = \"visit\"\n"), &words);
}

#[test]
fn a_linked_file_that_is_not_on_the_disk_is_named() {
    is_refused(&with("visits.csv", "vists.csv"), &["cannot read", "vists.csv", "help: check the path"]);
}

#[test]
fn a_column_to_link_by_that_is_not_there_is_named() {
    is_refused(&with("on = [\"id\"]", "on = [\"idd\"]"), &["there is no column `idd`", "help: did you mean `id`?"]);
}

#[test]
fn two_records_with_the_same_link_would_both_own_what_is_linked() {
    let twice = people().replace("P0001,", "P0000,");
    let files = [("outward.toml", SPEC), ("people.csv", &twice), ("visits.csv", &visits())];
    let words = ["column `id`", "two records of `[data]` have the same link", "help: "];
    files_are_refused(&files, &[], &words);
}

#[test]
fn a_base_below_two_rounds_nothing() {
    let words = ["outward.toml:", "`base` is out of range", "help: "];
    is_refused(&with("method = \"suppress\"", "method = \"round\"\nbase = 1"), &words);
    let desk = desk(&[("outward.toml", SPEC), ("people.csv", &people()), ("visits.csv", &visits())]);
    let output = outward(desk.path(), &["table", "outward.toml", "--round", "1", "--out", "bundle"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--round"), "{}", stderr(&output));
    assert!(!desk.path().join("bundle").exists());
}

#[test]
fn a_file_that_is_no_p_table_is_named() {
    let own = with("method = \"suppress\"", "method = \"cell-key\"\np_table = \"noise.csv\"");
    let spec = format!("seed = 718281828\n{own}");
    let files = |noise| {
        [("outward.toml", spec.clone()), ("people.csv", people()), ("visits.csv", visits()), ("noise.csv", noise)]
    };
    let files = files("a,b\n8642,8642\n".to_owned());
    let files: Vec<(&str, &str)> = files.iter().map(|(name, content)| (*name, content.as_str())).collect();
    files_are_refused(&files, &[], &["noise.csv: the p-table has no column", "help: "]);
    is_refused(&spec, &["cannot read", "noise.csv", "help: check the path"]);
}

#[test]
fn keys_from_a_seed_that_anyone_would_try_are_refused() {
    let spec = with("method = \"suppress\"", "method = \"cell-key\"");
    is_refused(&spec, &["keys are drawn from the seed", "help: add `seed"]);
}

/// That a table with these lines more, or with one in the place of another, is refused.
fn given_is_refused(cells: &str, words: &[&str]) {
    files_are_refused(&[("outward.toml", GIVEN), ("table.csv", cells)], &[], words);
}

#[test]
fn a_given_table_that_holds_together_is_read() {
    let cells = format!("{GIVEN_CELLS}North,Total,300\nTotal,cold,150\nTotal,Total,420\n");
    let desk = desk(&[("outward.toml", GIVEN), ("table.csv", &cells)]);
    let output = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(desk.path().join("bundle/public/given.csv")).unwrap();
    assert!(text.contains("South,Total,120\n") && text.contains("Total,Total,420\n"), "{text}");
}

#[test]
fn a_total_that_disagrees_with_its_parts_is_named_by_its_place() {
    let words = ["table `given`", "a total that is given disagrees with its parts: area North", "help: correct"];
    given_is_refused(&format!("{GIVEN_CELLS}North,Total,8642\n"), &words);
}

#[test]
fn totals_under_another_name_are_not_counted_as_people() {
    for name in ["total", "TOTAL", "All", "all"] {
        let words = [
            "table.csv, column `illness`, row 5: table `given`: rows seem to hold totals under another name",
            "help: write totals as `Total`",
        ];
        given_is_refused(&format!("{GIVEN_CELLS}North,{name},300\nSouth,{name},120\n"), &words);
    }
}

#[test]
fn among_records_a_value_may_be_called_all() {
    let people = people().replace(",baker,", ",all,");
    let desk = desk(&[("outward.toml", SPEC), ("people.csv", &people), ("visits.csv", &visits())]);
    let output = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_negative_count_is_none() {
    let words = ["column `people`", "table `given`", "a count is negative", "help: give a whole number from 0 up"];
    given_is_refused(&GIVEN_CELLS.replace("200", "-8642"), &words);
}

#[test]
fn a_count_in_parts_is_none() {
    let words = ["column `people`", "table `given`", "not a whole number", "help: give a whole number from 0 up"];
    given_is_refused(&GIVEN_CELLS.replace("200", "8642.5"), &words);
}

#[test]
fn a_count_that_is_a_word_or_is_not_there_is_none() {
    let words = ["table.csv, column `people`, row 2: table `given`: this is not a number", "help: give a whole number"];
    let untyped = GIVEN.replace("[[variables]]\nname = \"people\"\ntype = \"number\"\n", "");
    assert_ne!(untyped, GIVEN);
    for figure in ["many", "[c]"] {
        let cells = GIVEN_CELLS.replace("200", figure);
        given_is_refused(&cells, &words);
        // A column the spec does not declare is told the same way.
        let hidden = [words[0], "such as `[c]`, give what is in it and name the cell in `already_hidden`"];
        files_are_refused(&[("outward.toml", &untyped), ("table.csv", &cells)], &[], &hidden);
    }
    given_is_refused(&GIVEN_CELLS.replace("200", ""), &["column `people`", "a cell has no number", "help: "]);
}

/// One row with its total.
const ROW: &str =
    "0\n3\n0 86424 5 s 0 99999 0 0 0\n1 2 2 u 0 50 1 1 0\n2 86422 3 s 0 99999 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n";

/// That a JJ file is refused with all of these words and nothing is written.
fn jj_is_refused(content: &[u8], words: &[&str]) {
    let desk = desk(&[]);
    std::fs::write(desk.path().join("table.jj"), content).unwrap();
    let said = plain(&refused(&protect_jj(desk.path())));
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("8642"), "a value is told: {said}");
    assert_eq!(listing(desk.path()), ["table.jj"], "nothing is written");
}

fn protect_jj(folder: &Path) -> std::process::Output {
    outward(folder, &["table", "--jj", "table.jj", "--suppress", "--out", "out.jj"])
}

#[test]
fn a_jj_file_of_one_row_can_be_protected() {
    let desk = desk(&[("table.jj", ROW)]);
    let output = protect_jj(desk.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(std::fs::read_to_string(desk.path().join("out.jj")).unwrap().contains("2 86422 3 m "));
}

#[test]
fn a_jj_file_whose_name_says_so_is_compressed_and_reads_back() {
    let desk = desk(&[("table.jj", ROW)]);
    let run = |from: &str, to: &str| outward(desk.path(), &["table", "--jj", from, "--suppress", "--out", to]);
    assert_eq!(run("table.jj", "out.jj").status.code(), Some(0));
    assert_eq!(run("table.jj", "out.jj.gz").status.code(), Some(0));
    assert!(std::fs::read(desk.path().join("out.jj.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    assert_eq!(run("out.jj.gz", "again.jj").status.code(), Some(0));
    let read = |name: &str| std::fs::read_to_string(desk.path().join(name)).unwrap();
    assert_eq!(read("again.jj"), read("out.jj"));
}

#[test]
fn a_jj_file_is_written_to_a_folder_that_is_there() {
    let desk = desk(&[("table.jj", ROW)]);
    let output = outward(desk.path(), &["table", "--jj", "table.jj", "--suppress", "--out", "nodir/out.jj"]);
    let said = plain(&refused(&output));
    assert!(said.contains("cannot write nodir/out.jj") && said.contains("help: make the folder first"), "{said}");
    assert!(!said.contains("spec"), "{said}");
}

#[test]
fn what_a_jj_file_can_be_protected_by_is_what_usage_asks_for() {
    let desk = desk(&[("table.jj", ROW)]);
    let said = stderr(&outward(desk.path(), &["table", "--jj", "table.jj"]));
    assert!(said.contains("--suppress|--round <BASE>") && !said.contains("cell-keys"), "{said}");
}

#[test]
fn a_jj_file_that_ends_early_is_named_with_its_line() {
    let end = ROW.find("\n0 3 :").unwrap();
    let words =
        ["table.jj:6:", "the file ends where an equation should be", "help: check that the file was copied whole"];
    jj_is_refused(&ROW.as_bytes()[..=end], &words);
    jj_is_refused(&ROW.as_bytes()[..40], &["table.jj:4:", "9 fields", "help: "]);
}

#[test]
fn a_status_nobody_knows_is_answered_with_those_there_are() {
    let words =
        ["table.jj:4:", "cell 1 has a status", "help: write s for open, u for unsafe, z for frozen, m for hidden"];
    jj_is_refused(ROW.replace(" u ", " x ").as_bytes(), &words);
}

#[test]
fn an_equation_that_does_not_hold_is_named_with_its_line() {
    let words = ["table.jj:7:", "equation 1 does not hold", "help: give totals that are the sums of their parts"];
    jj_is_refused(ROW.replace("0 86424 5 s", "0 86429 5 s").as_bytes(), &words);
}

#[test]
fn a_jj_file_is_text() {
    jj_is_refused(&[0xff, 0xfe, 0x80, 0x00], &["table.jj: this is not text", "help: give a JJ file"]);
}

#[test]
fn cells_that_must_stay_published_and_cannot_are_named() {
    let words = ["cell 1 cannot be protected while cell", "stays published", "help: allow one of them to be hidden"];
    jj_is_refused(ROW.replace(" s ", " z ").as_bytes(), &words);
}

#[test]
fn what_is_there_already_is_not_overwritten_by_tables() {
    let desk = desk(&[("outward.toml", SPEC), ("people.csv", &people()), ("visits.csv", &visits())]);
    let at = |name: &str| desk.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::write(at("folder/thesis.txt"), "years of work").unwrap();
    let make =
        |out: &str, more: &[&str]| outward(desk.path(), &[&["table", "outward.toml", "--out", out], more].concat());
    assert_eq!(make("bundle", &[]).status.code(), Some(0));
    let before = listing(desk.path());
    for name in ["bundle", "folder"] {
        let said = plain(&refused(&make(name, &[])));
        assert!(said.contains("there is something of this name already") && said.contains("--force"), "{said}");
    }
    let said = plain(&refused(&make("folder", &["--force"])));
    assert!(said.contains("this is not a bundle, so it is not replaced"), "{said}");
    std::fs::write(at("bundle/public/jobs.csv"), "").unwrap();
    assert_eq!(make("bundle", &["--force"]).status.code(), Some(0));
    assert!(!std::fs::read(at("bundle/public/jobs.csv")).unwrap().is_empty());
    assert_eq!(std::fs::read(at("folder/thesis.txt")).unwrap(), b"years of work");
    assert_eq!(listing(desk.path()), before);
}
