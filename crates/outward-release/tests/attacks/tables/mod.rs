//! Bundles of tables that were tampered with by someone who mends the hashes are found out.

mod answers;
mod blocks;
mod certificates;
mod conditions;
mod counted;
mod differences;
mod extremes;
mod identifiers;
mod joint;
mod links;
mod measures;
mod random;
mod rivals;
mod rounding;
mod units;

use outward_fixtures::bundle::Bundle;
use outward_fixtures::spec::CUT_AT_TWO_AGES as SPEC;
use outward_release::Outcome;
use outward_spec::Error;
use outward_tables::Figure;

/// Age, illness, women, men: one person of 25 has gout, and two men in all.
const PEOPLE: [(u32, &str, usize, usize); 9] = [
    (20, "asthma", 8, 6),
    (25, "asthma", 3, 4),
    (33, "asthma", 9, 7),
    (20, "cold", 7, 5),
    (25, "cold", 4, 3),
    (33, "cold", 6, 8),
    (20, "gout", 9, 1),
    (25, "gout", 1, 0),
    (33, "gout", 8, 1),
];

/// The records, and the groups of their ages.
fn files() -> [(&'static str, String); 2] {
    let mut people = "age,illness,sex\n".to_owned();
    for (age, illness, women, men) in PEOPLE {
        people += &format!("{age},{illness},F\n").repeat(women);
        people += &format!("{age},{illness},M\n").repeat(men);
    }
    [("people.csv", people), ("ages.csv", "20,16-24,16-25\n25,25,16-25\n33,26-40,26-40\n".to_owned())]
}

fn bundle_of(spec: &str) -> Bundle {
    Bundle::from_spec(spec, &files().each_ref().map(|(name, content)| (*name, content.as_str())))
}

fn bundle() -> Bundle {
    bundle_of(SPEC)
}

#[test]
fn an_untouched_bundle_of_tables_holds() {
    let bundle = bundle();
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert!(bundle.text("public/sexes.csv").contains("gout,M,[c]\n"));
    bundle.forge_tables(|_| {});
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "written again as they are they are no fault");
}

#[test]
fn tables_that_fail_their_own_verification_are_not_written() {
    let files = files();
    let files = files.each_ref().map(|(name, content)| (*name, content.as_str()));
    let made = Bundle::attempt_after(SPEC, &files, |_, protected| {
        for figure in protected.published.iter_mut().flat_map(|table| &mut table.figures) {
            if *figure == Figure::Hidden {
                *figure = Figure::Shown(2);
            }
        }
    });
    let Some(Err(error)) = made else { panic!("these tables are not written") };
    assert!(matches!(error, Error::Bug(_)) && error.to_string().contains("of its verification"), "{error}");
}

#[test]
fn a_file_that_changes_before_the_tables_are_written_is_refused_by_name() {
    let files = files();
    let files = files.each_ref().map(|(name, content)| (*name, content.as_str()));
    let made = Bundle::attempt_after(SPEC, &files, |folder, _| {
        std::fs::write(folder.join("people.csv"), "age,illness,sex\n20,gout,F\n").unwrap();
    });
    let Some(Err(error)) = made else { panic!("these tables are not written") };
    assert!(error.to_string().contains("`people.csv` changed while it was read"), "{error}");
}

#[test]
fn a_hidden_figure_shown_again_in_one_file_is_found_in_it() {
    let bundle = bundle();
    bundle.show_in_csv("sexes", &["gout", "M"], 2);
    assert_eq!(bundle.failing("forms").places[0].file, "public/sexes.csv");
}

#[test]
fn an_unsafe_count_shown_again_in_all_files_is_found() {
    let bundle = bundle();
    bundle.show("sexes", &["gout", "M"], 2);
    bundle.failing("unsafe counts");
}

#[test]
fn a_figure_shown_again_that_gives_an_unsafe_one_away_is_found() {
    let bundle = bundle();
    // Of 35 men 17 have asthma; with 16 colds shown the two with gout are what is left.
    bundle.needs_every_hidden_cell();
    bundle.show("sexes", &["cold", "M"], 16);
    bundle.failing("audit");
}

#[test]
fn a_total_shown_again_that_gives_an_unsafe_count_away_in_another_table_is_found() {
    // Where the women with gout are shown, their total is hidden with the men. It is that over the ages too, and stands in both tables.
    let bundle = bundle_of(&format!("{SPEC}must_show = [{{ illness = \"gout\", sex = \"F\" }}]\n"));
    for (table, line) in [("sexes", "gout,Total,[c]\n"), ("younger", "Total,gout,[c]\n")] {
        assert!(bundle.text(&format!("public/{table}.csv")).contains(line), "{table}");
    }
    bundle.show("sexes", &["gout", "Total"], 20);
    bundle.show("younger", &["Total", "gout"], 20);
    bundle.failing("audit");
}

#[test]
fn a_figure_that_breaks_a_sum_is_found_though_all_files_agree() {
    let bundle = bundle();
    bundle.show("young", &["16-24", "asthma"], 15);
    let check = bundle.failing("audit");
    assert!(check.says.contains("sums do not hold"), "{}", check.says);
}

#[test]
fn a_file_more_in_what_goes_out_is_found_though_the_manifest_lists_it() {
    let bundle = bundle();
    bundle.forge("public/more.csv", b"illness,sex,count\ngout,M,2\n");
    assert_eq!(bundle.failing("files").places[0].file, "public/more.csv");
}

#[test]
fn hidden_figures_without_a_certificate_are_found() {
    for content in ["[]", "", "{}"] {
        let bundle = bundle();
        bundle.forge("certificate.json", content.as_bytes());
        assert_eq!(bundle.failing("audit").places[0].file, "certificate.json");
    }
}

#[test]
fn a_certificate_wider_than_the_truth_is_found() {
    let bundle = bundle();
    bundle.forge_certificate(|cells| {
        for cell in cells {
            cell["upper"] = (cell["upper"].as_i64().unwrap() + 50).into();
        }
    });
    let check = bundle.failing("audit");
    assert!(check.says.contains("more tightly"), "{}", check.says);
}

#[test]
fn a_spec_that_is_not_the_one_the_tables_were_made_by_is_found() {
    let bundle = bundle();
    bundle.forge("spec.toml", SPEC.replace("title = \"Illness\"", "title = \"Health\"").as_bytes());
    assert_eq!(bundle.failing("spec").places[0].file, "spec.toml");
}

#[test]
fn rules_weaker_than_those_of_the_spec_are_found() {
    let bundle = bundle();
    let mut manifest = bundle.json("manifest.json");
    let categories = manifest["rules"]["tables"]["categories"].as_array_mut().unwrap();
    categories.iter_mut().for_each(|category| category["cells"] = 0.into());
    bundle.forge_manifest(&manifest);
    bundle.failing("spec");
}

#[test]
fn a_table_more_or_less_than_the_manifest_says_is_found() {
    let bundle = bundle();
    bundle.forge_json("public/tables.json", |file| _ = file["tables"].as_array_mut().unwrap().pop());
    bundle.failing("tables");
    bundle.forge("public/tables.json", b"{}");
    bundle.failing("tables");
}

#[test]
fn rounded_figures_off_their_base_or_their_sums_are_found() {
    let spec = SPEC.replace("method = \"suppress\"", "method = \"round\"\nbase = 3");
    let bundle = bundle_of(&spec);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    bundle.show("sexes", &["gout", "M"], 2);
    bundle.failing("figures");
    let bundle = bundle_of(&spec);
    bundle.show("sexes", &["gout", "M"], 33);
    bundle.failing("figures");
}

/// That some check fails, whichever.
fn refused(bundle: &Bundle) {
    assert_eq!(bundle.verify().outcome(), Outcome::Fails);
}

#[test]
fn a_certificate_that_forgets_its_unsafe_cells_is_found() {
    let bundle = bundle();
    bundle.forge_certificate(Vec::clear);
    refused(&bundle);
}

#[test]
fn a_certificate_that_forgets_an_unsafe_cell_does_not_cover_its_disclosure() {
    let bundle = bundle();
    bundle.show("sexes", &["cold", "M"], 16);
    bundle.forge_certificate(|cells| cells.iter_mut().for_each(|cell| cell["verdict"] = "not-asked".into()));
    refused(&bundle);
}

#[test]
fn true_counts_that_are_said_to_be_perturbed_are_found() {
    let bundle = bundle();
    for (labels, count) in [(["gout", "M"], 2), (["cold", "M"], 16), (["gout", "Total"], 20), (["cold", "Total"], 33)] {
        bundle.show("sexes", &labels, count);
    }
    for (labels, count) in
        [(["16-25", "gout"], 11), (["16-25", "cold"], 19), (["Total", "gout"], 20), (["Total", "cold"], 33)]
    {
        bundle.show("younger", &labels, count);
    }
    let mut manifest = bundle.json("manifest.json");
    manifest["protection"]["method"] = "cell-key".into();
    bundle.forge_manifest(&manifest);
    refused(&bundle);
}

#[test]
fn a_form_of_the_tables_with_other_content_is_found() {
    for path in ["public/tables.xlsx", "public/tables.html", "public/statement.md", "public/sexes.csv"] {
        let bundle = bundle();
        bundle.forge(path, b"gout, men: 2");
        assert_eq!(bundle.failing("forms").places[0].file, path);
    }
}

#[test]
fn a_figure_that_breaks_a_sum_is_found_where_nothing_is_hidden() {
    let start = SPEC.find("[[tables]]").unwrap();
    let bundle = bundle_of(&format!("{}[[tables]]\nname = \"all\"\nvariables = [\"illness\"]\n", &SPEC[..start]));
    bundle.show("all", &["asthma"], 99);
    refused(&bundle);
}

#[test]
fn tables_that_deny_how_they_add_up_are_found() {
    let bundle = bundle();
    bundle.show("sexes", &["cold", "M"], 16);
    bundle.forge_tables(|tables| {
        for table in tables {
            table["dimensions"].as_array_mut().unwrap().iter_mut().for_each(|of| of["sums"] = serde_json::json!([]));
        }
    });
    refused(&bundle);
}
