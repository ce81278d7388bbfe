//! What `docs/methods/attacker.md` promises: each test is an attack that worked before there was one model.

use crate::tables::desk;
use crate::tables_attacked::shown;
use crate::{outward, stderr, stdout};

fn rows(header: &str, counts: &[(&str, usize)]) -> String {
    counts.iter().fold(format!("{header}\n"), |text, (row, count)| text + &format!("{row}\n").repeat(*count))
}

fn table(variables: [&str; 2]) -> String {
    let named = variables.map(|name| format!("[[variables]]\nname = \"{name}\"\n")).concat();
    format!("{named}[[tables]]\nname = \"t\"\nvariables = {variables:?}\n")
}

#[test]
fn that_all_of_a_village_have_one_illness_is_not_told_though_every_village_has_one() {
    let data = rows("village,illness", &[("v1,gout", 6), ("v2,cold", 20), ("v3,flu", 15), ("v4,cold", 19)]);
    let shown = shown(&table(["village", "illness"]), &data);
    assert!(["v1,cold", "v1,flu"].iter().any(|cell| shown["t"][*cell] == "[c]"), "{shown:?}");
}

#[test]
fn the_job_of_the_only_inhabitant_of_a_region_is_not_told_by_zeros() {
    let others =
        [("r2,baker", 9), ("r2,smith", 14), ("r2,tailor", 11), ("r3,baker", 8), ("r3,smith", 5), ("r3,tailor", 16)];
    let data = rows("region,job", &[&[("r1,baker", 1)][..], &others].concat());
    let shown = shown(&table(["region", "job"]), &data);
    assert!(["r1,smith", "r1,tailor"].iter().any(|cell| shown["t"][*cell] == "[c]"), "{shown:?}");
}

#[test]
fn three_regions_with_three_people_in_all_are_not_told_to_have_one_each() {
    let few = [("r1,baker", 1), ("r2,smith", 1), ("r3,baker", 1)];
    let others =
        [("r4,baker", 4), ("r4,smith", 4), ("r5,baker", 5), ("r5,smith", 10), ("r6,baker", 5), ("r6,smith", 10)];
    let shown = shown(&table(["region", "job"]), &rows("region,job", &[&few[..], &others].concat()));
    let hidden = (1..=6).filter(|region| shown["t"][&format!("r{region},Total")] == "[c]").count();
    assert!(hidden > 3 || shown["t"]["Total,Total"] == "[c]", "{shown:?}");
}

#[test]
fn an_estimate_of_constant_weight_does_not_tell_a_total_that_is_hidden_as_a_count() {
    let kinds = [("a1,c1", 1), ("a1,c2", 8), ("a1,c3", 7), ("a2,c1", 9), ("a2,c2", 7), ("a2,c3", 6), ("a3,c1", 12)];
    let data = rows("a,c", &[&kinds[..], &[("a3,c2", 5), ("a3,c3", 9)]].concat());
    let data: String =
        data.lines().enumerate().map(|(at, line)| format!("{line},{}\n", if at == 0 { "w" } else { "4" })).collect();
    let tables = table(["a", "c"])
        + "must_show = [{ a = \"a1\", c = \"c2\" }, { a = \"a1\", c = \"c3\" }]\n\
           [[variables]]\nname = \"w\"\nrole = \"weight\"\ntype = \"number\"\n\
           [[tables]]\nname = \"e\"\nvariables = [\"a\"]\nweighted = true\n";
    let shown = shown(&tables, &data);
    assert_eq!([&shown["t"]["a1,c1"], &shown["t"]["a1,Total"]], ["[c]", "[c]"]);
    assert_eq!(shown["e"]["a1"], "[c]", "16 records of 4 each, 8 and 7 of them shown, leave one");
}

/// Three tables of which every two share a variable, with 70 × 50 × 40 combinations behind them.
fn large_ring(accepted: &str) -> [(&'static str, String); 2] {
    let row = |at: usize| format!("a{},b{},c{}\n", at % 70, at / 70 % 50, (at * 13 + at / 50) % 40);
    ring_of((0..3000).fold("a,b,c\n".to_owned(), |text, at| text + &row(at)), accepted)
}

/// Three tables of which every two share one of `a`, `b` and `c`.
fn ring_of(data: String, accepted: &str) -> [(&'static str, String); 2] {
    let variables: String = ["a", "b", "c"].map(|name| format!("[[variables]]\nname = \"{name}\"\n")).concat();
    let tables = [["a", "b"], ["b", "c"], ["a", "c"]]
        .map(|two| format!("[[tables]]\nname = \"{}\"\nvariables = {two:?}\n", two.concat()));
    let spec = format!(
        "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n{accepted}{variables}{}",
        tables.concat()
    );
    [("outward.toml", spec), ("people.csv", data)]
}

#[test]
fn tables_that_tell_too_much_together_are_written_only_where_the_spec_says_why() {
    let made = |accepted: &str| {
        let files = large_ring(accepted);
        let desk = desk(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
        let statement = std::fs::read_to_string(desk.path().join("bundle/public/statement.md")).ok();
        let certificate = std::fs::read_to_string(desk.path().join("bundle/certificate.json")).ok();
        (made, statement, certificate)
    };
    let (refused, statement, _) = made("");
    assert_eq!((refused.status.code(), statement), (Some(1), None), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("ab, bc, ac share variables"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("accept_partial"), "{}", stderr(&refused));
    let (without_reason, ..) = made("accept_partial = \"yes\"\n");
    assert_eq!(without_reason.status.code(), Some(2));
    assert!(stderr(&without_reason).contains("without a reason in words"), "{}", stderr(&without_reason));
    let (accepted, statement, certificate) = made("accept_partial = \"all of it was published before\"\n");
    assert_eq!(accepted.status.code(), Some(0), "{}", stderr(&accepted));
    assert!(stdout(&accepted).contains("as far as could be checked"), "{}", stdout(&accepted));
    assert!(
        statement
            .unwrap()
            .contains("Not everything that follows from several of these tables together could be checked")
    );
    assert!(certificate.unwrap().contains("all of it was published before"));
}

#[test]
fn tables_that_hide_nothing_are_refused_where_too_much_follows_for_a_linked_file() {
    // Of 40 × 38 × 36 combinations every second has one person, and the first one has two tests more.
    let row = |at: usize| format!("{at},a{},b{},c{}\n", at % 40, at / 40 % 38, at / 1520 * 2 + (at + at / 40) % 2);
    let people = (0..40 * 38 * 18).fold("id,a,b,c\n".to_owned(), |text, at| text + &row(at));
    let made = |kinds: usize| {
        let [(spec, text), _] = ring_of(String::new(), "");
        let linked = "[[linked]]\nname = \"tests\"\ndata = { path = \"tests.csv\" }\non = [\"id\"]\n[policy]";
        let text = text.replace("[policy]", linked)
            + "[[variables]]\nname = \"kind\"\nfrom = [\"tests\"]\n[[tables]]\nname = \"t\"\nunit = \"tests\"\nvariables = [\"kind\"]\n"
            + &[["a", "b"], ["b", "c"], ["a", "c"]]
                .map(|two| format!("[[tables]]\nname = \"t{}\"\nunit = \"tests\"\nvariables = {two:?}\n", two.concat()))
                .concat();
        let test = |at: usize| format!("{at},k{}\n", if at < kinds { 1 } else { 2 });
        let tests = (0..40 * 38 * 18).fold("id,kind\n".to_owned(), |text, at| text + &test(at));
        let desk = desk(&[(spec, &text), ("people.csv", &people), ("tests.csv", &tests)]);
        outward(desk.path(), &["table", "outward.toml", "--out", "bundle"])
    };
    let nothing_hidden = made(30);
    assert_eq!(nothing_hidden.status.code(), Some(0), "{}", stderr(&nothing_hidden));
    let refused = made(1);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("ab, bc, ac share variables"), "{}", stderr(&refused));
}

#[test]
fn differences_that_are_too_many_to_look_for_are_refused_though_no_cell_is_unsafe() {
    // Every second of 40 × 38 × 36 combinations has one person, so that no cell of two variables has fewer than 18.
    let row = |at: usize| format!("a{},b{},c{}\n", at % 40, at / 40 % 38, at / 1520 * 2 + (at + at / 40) % 2);
    let data = (0..40 * 38 * 18).fold("a,b,c\n".to_owned(), |text, at| text + &row(at));
    let made = |more: &str| {
        let [(spec, text), (file, people)] = ring_of(data.clone(), "");
        let desk = desk(&[(spec, &(text + more)), (file, &people)]);
        outward(desk.path(), &["table", "outward.toml", "--out", "bundle"])
    };
    let whole = made("");
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let cut = made("where = \"a <> 'a0'\"\n");
    assert_eq!(cut.status.code(), Some(1), "{}", stderr(&cut));
    assert!(stderr(&cut).contains("ab, bc, ac share variables"), "{}", stderr(&cut));
}

/// Variables that are read as whole numbers.
const AGE: &str = "[[variables]]\nname = \"age\"\ntype = \"integer\"\n";

/// Some cells of a table that are not hidden.
fn shown_in<'a>(shown: &'a Shown, cells: &'a [&str]) -> Vec<&'a str> {
    cells.iter().copied().filter(|cell| shown["t"][*cell] != "[c]").collect()
}

type Shown = std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>;

#[test]
fn that_nobody_meets_the_rest_of_a_condition_does_not_tell_the_illness_of_a_village() {
    // Everyone who is counted has hiv, as nobody is under 11. The words of the condition do not say so.
    let village = [("v1,hiv,30", 6), ("v1,flu,40", 9), ("v1,cold,50", 8), ("v2,hiv,35", 7), ("v2,flu,20", 5)];
    let data = rows("village,illness,age", &[&village[..], &[("v2,cold,33", 8)]].concat());
    let tables = table(["village", "illness"]) + "where = \"age < 11 OR illness = 'hiv'\"\n" + AGE;
    let shown = shown(&tables, &data);
    for village in ["v1", "v2"] {
        let others = [format!("{village},flu"), format!("{village},cold")];
        assert!(shown_in(&shown, &[&others[0], &others[1]]).len() < 2, "{shown:?}");
    }
}

#[test]
fn that_nobody_under_20_is_under_11_does_not_tell_the_illness_of_those_under_20() {
    let ages = [("15,hiv", 6), ("15,flu", 9), ("16,cold", 8), ("35,hiv", 7), ("40,flu", 5), ("41,cold", 8)];
    let data = rows("age,illness", &ages);
    let tables = "[[variables]]\nname = \"age\"\ntype = \"integer\"\nhierarchy = { bands = [20] }\n\
                  [[variables]]\nname = \"illness\"\n[[tables]]\nname = \"t\"\nvariables = [\"age\", \"illness\"]\n\
                  levels = { age = [1] }\nwhere = \"age < 11 OR illness = 'hiv'\"\n";
    let shown = shown(tables, &data);
    assert!(shown_in(&shown, &["under 20,flu", "under 20,cold"]).len() < 2, "{shown:?}");
    // Nobody of 20 or over is under 11: all of them have hiv whatever else is published.
    assert_eq!(shown_in(&shown, &["20 or over,flu", "20 or over,cold"]).len(), 2, "{shown:?}");
}

#[test]
fn a_column_that_follows_from_another_in_six_records_is_not_taken_to_do_so() {
    // By chance each job is of one place and of one illness. So the table would show that two people have their illness because of their place.
    let people = [("p1,j1,i0,19", 1), ("p0,j2,i0,19", 1), ("p0,j2,i0,21", 1), ("p1,j0,i0,15", 1), ("p0,j3,i2,14", 1)];
    let data = rows("place,job,illness,age", &[&people[..], &[("p1,j1,i0,18", 1)]].concat());
    let tables = table(["place", "illness"])
        + "[[variables]]\nname = \"job\"\n[[tables]]\nname = \"jobs\"\nvariables = [\"job\"]\n";
    let shown = shown(&tables, &data);
    assert_eq!(shown["t"]["p1,i2"], "[c]", "{shown:?}");
}

#[test]
fn a_place_that_a_hierarchy_lists_and_another_table_does_not_has_nobody() {
    let places = "[[variables]]\nname = \"place\"\n[[variables]]\nname = \"half\"\ncolumns = [\"place\"]\n\
                  hierarchy = { tree = { P = [\"p0\"], Q = [\"p1\"] } }\n[[variables]]\nname = \"illness\"\n";
    let tables = places.to_owned()
        + "[[tables]]\nname = \"halves\"\nvariables = [\"half\", \"illness\"]\nlevels = { half = [1] }\nwhere = \"sex = 'F'\"\n\
           [[tables]]\nname = \"places\"\nvariables = [\"place\"]\n";
    let data = rows("place,illness,sex", &[("p0,flu,F", 4), ("p0,cold,F", 5), ("p0,flu,M", 3)]);
    let shown = shown(&tables, &data);
    // Everyone is in p0, and so in P: that does not follow from zeros, which need not be hidden.
    assert_eq!([&shown["places"]["p0"], &shown["halves"]["Q,flu"]], ["12", "0"]);
}

#[test]
fn a_group_of_one_value_bounds_what_conditions_leave_of_it() {
    // Everyone meets every condition; of those with b0 the first two have the rest to themselves.
    let tree = "hierarchy = { tree = { A1 = [\"a0\"], A2 = [\"a1\", \"a2\"] } }\n";
    let tables = format!(
        "[[variables]]\nname = \"a\"\n{tree}[[variables]]\nname = \"b\"\n[[variables]]\nname = \"sex\"\n{AGE}"
    ) + "[[tables]]\nname = \"t\"\nvariables = [\"a\", \"b\"]\n\
           [[tables]]\nname = \"young\"\nvariables = [\"a\", \"b\"]\nwhere = \"b <> 'b0' OR age < 39\"\n\
           [[tables]]\nname = \"some\"\nvariables = [\"sex\", \"b\"]\nwhere = \"c IS NOT NULL OR b NOT IN ('b2', 'b3', 'b1')\"\n";
    let counts = [
        ("a0,b1,c1,27,F", 4),
        ("a0,b1,c1,27,M", 3),
        ("a0,b2,c0,20,M", 1),
        ("a0,b3,c0,21,M", 1),
        ("a0,b3,c0,38,F", 1),
        ("a1,b0,c1,11,M", 3),
        ("a1,b0,c2,10,F", 1),
        ("a1,b1,c1,23,M", 5),
        ("a1,b1,c1,27,F", 2),
        ("a1,b2,c0,21,F", 6),
        ("a1,b2,c1,27,M", 8),
        ("a1,b3,c0,14,M", 2),
        ("a2,b0,c1,30,M", 1),
        ("a2,b1,c1,34,F", 3),
        ("a2,b1,c0,37,M", 2),
        ("a2,b2,c1,31,F", 3),
        ("a2,b2,c1,21,M", 3),
    ];
    let shown = shown(&tables, &rows("a,b,c,age,sex", &counts));
    assert!(shown["t"].values().any(|figure| figure == "[c]"));
}
