//! The HTML page.

use outward_tables::Figure;
use outward_tables::write::{Publication, write_html};

use crate::case::{counts, publication, severity, tables, total};

#[test]
fn nothing_in_a_label_is_taken_for_markup() {
    let tables = tables();
    let notes = ["<script>alert(1)</script>".to_owned()];
    let html = write_html(&publication(&tables, &notes)).unwrap();
    for markup in ["<b>or</b>", "<script", "Road <casualties>"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert!(html.contains("&quot;Slight&quot;, &lt;b&gt;or&lt;/b&gt; &amp; none"));
}

#[test]
fn a_page_fetches_nothing_and_runs_nothing() {
    let tables = tables();
    let html = write_html(&publication(&tables, &[])).unwrap();
    for outside in ["http://", "https://", "src=", "<script", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn every_table_has_a_caption_and_headings_that_are_announced() {
    let tables = tables();
    let html = write_html(&publication(&tables, &[])).unwrap();
    assert!(html.contains("<caption>Collisions by place &amp; severity (across: Severity, as reported)</caption>"));
    assert!(html.contains("<th scope=\"col\">Place</th><th scope=\"col\" class=\"n\">Fatal</th>"));
    assert!(html.contains(
        "<th scope=\"row\">@Leeds</th><td class=\"n\">[c]</td><td class=\"n\">[low]</td><td class=\"n\">1,200</td>"
    ));
    assert!(html.contains("<td class=\"n\">−0.05</td>"));
    assert!(html.contains("by the policy <code>gss-tables</code>"));
    assert!(html.contains("confidential: the figure is not published"));
}

#[test]
fn parts_of_a_subtotal_are_indented_down_and_named_as_such_across() {
    let nested = |mut dimension: outward_tables::Dimension| {
        let group = outward_tables::Node { label: "Harm".to_owned(), values: vec![1, 2], ..total(&[1, 2]) };
        dimension.nodes.insert(0, outward_tables::Node { total: false, ..group });
        dimension
    };
    let mut table = counts();
    table.table.dimensions = vec![nested(severity()), nested(severity())];
    table.figures = vec![Figure::Shown(1); 25];
    table.percentages = None;
    let html = write_html(&Publication { tables: &[table], ..Publication::default() }).unwrap();
    assert!(html.contains("<th scope=\"col\" class=\"n\">Harm</th><th scope=\"col\" class=\"n\">of which Fatal</th>"));
    for label in ["Harm", "\u{2003}Fatal", "\u{2003}=SUM(A1:A9)", "&quot;Slight&quot;", "Total"] {
        assert!(html.contains(&format!("<th scope=\"row\">{label}")), "{label}");
    }
}

#[test]
fn rows_that_are_too_many_to_read_are_left_to_the_csv() {
    let mut table = counts();
    let node = table.table.dimensions[0].nodes[0].clone();
    table.table.dimensions[0].nodes = vec![node; 20_000];
    table.figures = vec![Figure::Shown(1); 80_000];
    table.percentages = None;
    let html = write_html(&Publication { tables: &[table], ..Publication::default() }).unwrap();
    assert!(html.contains("<p class=\"more\">10000 more rows are in the CSV file of this table.</p>"));
}
