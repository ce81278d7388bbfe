//! The statement.

use outward_spec::{Protection, ProtectionMethod, Rounding};
use outward_tables::words::{protection, statement};
use outward_tables::write::Publication;
use outward_tables::{Figure, Published};

use crate::case::{counts, estimates, publication, tables};

fn said(tables: &[Published]) -> String {
    statement(&Publication { tables, ..Publication::default() })
}

#[test]
fn a_statement_says_that_and_how_the_tables_were_protected() {
    let tables = tables();
    let text = statement(&publication(&tables, &[]));
    assert!(text.starts_with(
        "# Road <casualties>\n\nDisclosure control was applied to these tables by the policy `gss-tables`"
    ));
    assert!(text.contains("## What was done\n\n- Some figures are hidden.\n"));
    assert!(text.contains("- `[c]` confidential"));
    assert!(text.contains("- `[low]` low"));
    assert!(text.contains("Percentages are worked out from the published figures"));
    assert!(text.contains("A record may be counted several times under Place"));
    assert!(text.contains("Estimates are for the population"));
}

#[test]
fn tables_protected_in_different_ways_are_named() {
    let mut tables = tables();
    tables[1].protection = "Figures are rounded.".to_owned();
    let text = said(&tables);
    assert!(text.contains("- RAS1, Money [in/out]: Some figures are hidden.\n- ras1: Figures are rounded.\n"));
}

#[test]
fn only_symbols_in_use_are_explained() {
    let text = said(&[estimates()]);
    assert!(text.contains("`[c]`") && !text.contains("`[low]`") && !text.contains("`[z]`"));
    let mut nothing = counts();
    nothing.figures = vec![Figure::Shown(0); 8];
    nothing.percentages = Some(vec![None; 8]);
    let text = said(&[nothing]);
    assert!(text.contains("`[z]` not applicable") && !text.contains("`[c]`"));
}

#[test]
fn totals_are_said_to_differ_where_they_do_and_to_hold_where_they_do() {
    let with = |figures: [i64; 8]| {
        let mut table = counts();
        table.figures = figures.map(Figure::Shown).into();
        table.percentages = None;
        said(&[table])
    };
    assert!(with([1, 2, 3, 6, 5, 5, 0, 10]).contains("Where all parts are shown they add up to their total."));
    assert!(with([1, 2, 3, 6, 5, 5, 0, 15]).contains("a total may differ from the sum of its parts"));
    let mut hidden = counts();
    hidden.figures = vec![Figure::Hidden; 8];
    hidden.percentages = None;
    let text = said(&[hidden]);
    assert!(!text.contains("add up to their total") && !text.contains("may differ from the sum"));
}

#[test]
fn variables_under_which_records_are_counted_several_times_are_named_once() {
    let text = said(&[counts(), counts()]);
    assert_eq!(text.matches("A record may be counted several times").count(), 1);
    assert!(text.contains("under Place, so its figures do not add up to a total."));
    let mut other = counts();
    other.table.dimensions[0].label = "Area".to_owned();
    assert!(said(&[counts(), other]).contains("under Place and Area, so their figures do not add up to a total."));
}

#[test]
fn a_total_over_several_answers_is_said_to_count_everyone_once() {
    let once = "A total counts everyone with at least one of the answers shown, once.";
    assert!(!said(&[counts()]).contains(once), "places have no total");
    let mut severity = counts();
    severity.table.dimensions[1].several = true;
    assert!(severity.table.dimensions[1].nodes.iter().any(|node| node.total));
    assert!(said(&[severity]).contains(once));
}

#[test]
fn hidden_figures_are_said_to_be_safe_from_other_tables_of_the_same_measure_only() {
    let suppressed = Protection { method: ProtectionMethod::Suppress, ..Protection::default() };
    let words = protection(&suppressed, &[Figure::Shown(7), Figure::Hidden]);
    assert!(words.contains("from totals or from other tables published with them"));
    let together = "Tables of counts are protected together, whatever they count";
    assert!(said(&[counts(), estimates()]).contains(together));
    assert!(!said(&[counts(), counts()]).contains(together));
}

#[test]
fn figures_are_said_to_be_hidden_only_where_some_are() {
    let suppressed = Protection { method: ProtectionMethod::Suppress, ..Protection::default() };
    assert_eq!(protection(&suppressed, &[Figure::Shown(7)]), "No figure had to be hidden or changed.");
    assert!(protection(&suppressed, &[Figure::Hidden]).contains("are hidden"));
}

#[test]
fn the_size_of_noise_is_never_told() {
    let of = |method, rounding| {
        let asked = Protection {
            method,
            rounding,
            base: 7,
            noise: 41,
            variance: 43.5,
            no_small: 47,
            margin: 53,
            ..Protection::default()
        };
        protection(&asked, &[Figure::Hidden])
    };
    for method in [ProtectionMethod::None, ProtectionMethod::Suppress, ProtectionMethod::CellKey] {
        assert!(!of(method, Rounding::Controlled).contains(|character: char| character.is_ascii_digit()));
    }
    for rounding in [Rounding::Controlled, Rounding::Random, Rounding::Conventional] {
        let words = of(ProtectionMethod::Round, rounding);
        assert!(words.contains('7') && !["41", "43", "47", "53"].iter().any(|number| words.contains(number)));
    }
}
