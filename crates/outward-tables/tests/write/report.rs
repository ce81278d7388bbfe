//! The report on tables: what is told of unsafe cells before and after they are dealt with.

use outward_report::{Block, Finding, Report, Section, Table, Tone};
use outward_spec::{Policy, Rules, Severity, Spec, TableRules};
use outward_tables::judge::{Verdict, findings, findings_after, judge_family};
use outward_tables::protect::{Protected, protect};
use outward_tables::report::{Remedies, report};
use outward_tables::{CountedTable, redesign};

use crate::paste::{counted_under, rules, spec};

const TABLE: &str = "[[tables]]\nname = \"t\"\nvariables = [\"light\", \"severity\"]\n";

struct Case {
    spec: Spec,
    made: Vec<CountedTable>,
    verdicts: Vec<Verdict>,
    protected: Protected,
    rules: Rules,
    report: Report,
}

fn case(tables: &str, rules_for_tables: TableRules) -> Case {
    let spec = spec(tables);
    let counted = counted_under(&spec, &rules_for_tables);
    let made = &counted.tables;
    let verdicts = judge_family(&made.iter().map(|made| made.table.clone()).collect::<Vec<_>>(), &rules_for_tables);
    let verdicts = verdicts.unwrap();
    let redesigns = redesign::propose(made, &verdicts, &spec, &rules_for_tables, 3).unwrap();
    let protected = protect(&counted, &verdicts, &spec.protection, &rules_for_tables, &spec.base).unwrap();
    let rules = spec.rules().unwrap();
    let report = report(&spec, &rules, made, &verdicts, &redesigns, &protected);
    Case { spec, made: counted.tables, verdicts, protected, rules, report }
}

fn section<'a>(report: &'a Report, id: &str) -> &'a Section {
    report.sections.iter().find(|section| section.id == id).unwrap()
}

fn found(section: &Section) -> Vec<&Finding> {
    let findings = section.blocks.iter().filter_map(|block| match block {
        Block::Findings(findings) => Some(findings),
        _ => None,
    });
    findings.flatten().collect()
}

fn grids(section: &Section) -> Vec<&Table> {
    let grids = section.blocks.iter().filter_map(|block| match block {
        Block::Table(grid) => Some(grid),
        _ => None,
    });
    grids.collect()
}

#[test]
fn what_nothing_was_done_about_is_told_as_a_problem_with_what_to_do() {
    let case = case(TABLE, rules());
    let found = found(section(&case.report, "table-t")).into_iter().cloned().collect::<Vec<_>>();
    assert!(found.iter().all(|finding| finding.tone == Tone::Bad && !finding.advice.is_empty()), "{found:?}");
    assert!(found.iter().all(|finding| !finding.headline.contains("dealt with")));
}

#[test]
fn what_was_hidden_is_told_as_dealt_with_and_nothing_of_it_is_red() {
    for (protection, how) in [
        ("[protection]\nmethod = \"suppress\"\n", "hidden"),
        ("[protection]\nmethod = \"round\"\nbase = 5\n", "rounded"),
        ("[protection]\nmethod = \"cell-key\"\n", "perturbed by its cell key"),
    ] {
        let case = case(&format!("{protection}{TABLE}"), rules());
        assert!(case.protected.holds(), "{how}");
        let found = found(section(&case.report, "table-t"));
        assert!(!found.is_empty());
        for finding in found {
            assert_eq!(finding.tone, Tone::Neutral, "{how}");
            assert!(finding.headline.ends_with(&format!("(dealt with: {how})")), "{}", finding.headline);
        }
        let remedies = Remedies::new(case.spec.protection.method, &case.protected, 0);
        let after = findings_after(&case.made[0].table, &case.verdicts[0], |cell| remedies.word(cell));
        assert!(after.iter().all(|finding| finding.severity == Severity::Info));
        assert!(after.iter().all(|finding| finding.message.ends_with(&format!("; dealt with: {how}"))));
        let before = findings(&case.made[0].table, &case.verdicts[0]);
        assert!(before.iter().all(|finding| finding.severity == Severity::High));
    }
}

#[test]
fn a_cell_that_can_still_be_worked_out_is_not_said_to_be_dealt_with() {
    let case = case(&format!("[protection]\nmethod = \"suppress\"\n{TABLE}"), rules());
    let open = case.verdicts[0].primary()[0];
    let mut broken = case.protected.clone();
    broken.outcomes[0].recoverable = 1;
    broken.outcomes[0].open.insert(open);
    let remedies = Remedies::new(case.spec.protection.method, &broken, 0);
    assert_eq!(remedies.word(open), None);
    assert!(case.verdicts[0].primary()[1..].iter().all(|cell| remedies.word(*cell) == Some("hidden")));
    // Where it is not known which, none is.
    broken.outcomes[0].too_tight = 1;
    let remedies = Remedies::new(case.spec.protection.method, &broken, 0);
    assert!(case.verdicts[0].primary().iter().all(|cell| remedies.word(*cell).is_none()));
}

#[test]
fn each_rule_is_said_once_and_every_unsafe_cell_is_named_by_its_variables() {
    let case = case(TABLE, rules());
    let section = section(&case.report, "table-t");
    let unsafe_cells = case.verdicts[0].primary().len();
    let of_cells = |grid: &&&Table| grid.caption.starts_with("OUT");
    let named: usize = grids(section).iter().filter(of_cells).map(|grid| grid.rows.len()).sum();
    assert_eq!(named, unsafe_cells);
    for (finding, grid) in found(section).iter().zip(grids(section)) {
        let plural = if grid.rows.len() == 1 { "" } else { "s" };
        assert!(finding.detail.contains(&format!("{} cell{plural}, named below", grid.rows.len())), "{finding:?}");
        let headings: Vec<&str> = grid.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["light", "severity"]);
    }
}

#[test]
fn a_table_judged_as_the_largest_area_for_want_of_a_geography_says_so() {
    let shipped = Policy::named("dft-road-casualties").unwrap().thresholds.tables.unwrap();
    let unnamed = case("[[tables]]\nname = \"t\"\nvariables = [\"light\", \"severity\"]\n", shipped.clone());
    assert_eq!(unnamed.verdicts[0].assumption().unwrap(), "judged as national: no geography is named");
    let overview = grids(&unnamed.report.sections[0])[0];
    assert_eq!(overview.rows[0][2].to_string(), "national*");
    assert!(overview.more.as_ref().unwrap().contains("Judged as national: no geography is named."));
    let named = case(&format!("{TABLE}geography = \"national\"\n"), shipped);
    assert_eq!(named.verdicts[0].assumption(), None);
    assert_eq!(grids(&named.report.sections[0])[0].more, None);
    assert_eq!(named.rules.policy, "gss-tables");
}

#[test]
fn the_noise_of_cell_keys_is_told_for_every_count_to_the_custodian() {
    let case = case(&format!("[protection]\nmethod = \"cell-key\"\n{TABLE}"), rules());
    let noise = grids(section(&case.report, "noise"))[0];
    assert_eq!(noise.rows.len(), case.protected.noise.len());
    assert_eq!(noise.rows[0][0].to_string(), case.protected.noise[0].count.to_string());
    assert!(noise.rows.last().unwrap()[0].to_string().ends_with(" and more"));
    assert!(case.report.sections.iter().any(|section| section.intro.contains("not published with the tables")));
}

#[test]
fn a_redesign_comes_with_its_lines_and_its_table() {
    let case = case(TABLE, rules());
    let section = section(&case.report, "table-t");
    let captions: Vec<&str> = grids(section).iter().map(|grid| grid.caption.as_str()).collect();
    for wanted in ["Redesigns", "Redesign 1 of t (across: severity)"] {
        assert!(captions.contains(&wanted), "{captions:?}");
    }
    let to_paste = section.blocks.iter().find_map(|block| match block {
        Block::Lines(caption, lines) => Some((caption.as_str(), lines)),
        _ => None,
    });
    let (caption, lines) = to_paste.unwrap();
    assert_eq!(caption, "Redesign 1 in the spec, in place of the table t");
    assert!(lines.contains(&"[[tables]]".to_owned()), "{lines:?}");
}
