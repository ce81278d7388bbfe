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
