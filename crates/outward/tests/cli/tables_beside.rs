//! Attacks on sums and answers that stand beside each other: conditions within conditions, rows beside them, firms alone in a cell, and linked
//! files.

use crate::tables::desk;
use crate::tables_attacked::{shown, shown_of};
use crate::{outward, stderr, stdout};

/// Pay of enough people that none of it is told by their sum.
const MANY: [u32; 6] = [300, 280, 310, 290, 305, 295];

/// People of a group each, with what they are paid.
fn paid(groups: &[(&str, &[u32])]) -> String {
    let line = |group: &str, pay: &u32| format!("{group},{pay}\n");
    let lines = groups.iter().flat_map(|(group, pays)| pays.iter().map(move |pay| line(group, pay)));
    lines.fold(String::from("b,c,age,pay\n"), |text, line| text + &line)
}

fn sums(name: &str, variables: &str, condition: &str) -> String {
    format!(
        "[[tables]]\nname = \"{name}\"\nvariables = [{variables}]\nwhere = \"{condition}\"\nmeasure = \"sum\"\nof = \"pay\"\n"
    )
}

const VARIABLES: &str = "[[variables]]\nname = \"b\"\n[[variables]]\nname = \"c\"\n[[variables]]\nname = \"pay\"\n";

#[test]
fn a_condition_within_another_tells_no_row_of_it() {
    let tables =
        VARIABLES.to_owned() + &sums("young", "\"b\"", "age < 30") + &sums("some", "\"c\"", "age < 30 AND b <> 'b0'");
    // One person has most of b0 and one most of b1. What the second table has in all, less b2 of the first, would be b1.
    let data = paid(&[
        ("b0,c0,20", &[5000, 300, 200]),
        ("b1,c0,20", &[4000, 200, 100]),
        ("b2,c0,20", &MANY),
        ("b2,c1,20", &MANY),
        ("b0,c1,40", &MANY),
        ("b1,c0,40", &MANY),
    ]);
    let shown = shown(&tables, &data);
    assert_eq!([&shown["young"]["b0"], &shown["young"]["b1"]], ["[c]", "[c]"]);
    assert!(shown["some"]["Total"] == "[c]" || shown["young"]["b2"] == "[c]", "{shown:?}");
}

#[test]
fn a_row_and_a_condition_leave_nothing_small_between_them() {
    let tables = VARIABLES.to_owned()
        + &sums("young", "\"c\"", "age < 30")
        + &sums("more", "\"b\", \"c\"", "age < 30 OR b <> 'b1'");
    // Two of the young are not in b1.
    let data = paid(&[
        ("b0,c0,20", &[333, 444]),
        ("b0,c0,40", &MANY),
        ("b0,c1,40", &MANY),
        ("b1,c0,20", &MANY),
        ("b1,c1,20", &MANY),
        ("b1,c0,40", &MANY),
        ("b1,c1,40", &MANY),
    ]);
    let shown = shown(&tables, &data);
    for c in ["c0", "Total"] {
        assert!(shown["young"][c] == "[c]" || shown["more"][&format!("b1,{c}")] == "[c]", "{c}: {shown:?}");
    }
}

#[test]
fn where_no_cell_is_unsafe_two_people_between_tables_are() {
    let tables = VARIABLES.to_owned()
        + &sums("one", "\"b\"", "c = 'c0'")
        + &sums("known", "\"b\"", "b <> 'b0'")
        + &sums("young", "\"b\"", "age < 30");
    let mut groups: Vec<(String, &[u32])> = Vec::new();
    for group in ["b0,c0", "b0,c1", "b1,c0", "b1,c1"] {
        groups.extend([(format!("{group},20"), &MANY[..]), (format!("{group},40"), &MANY[..])]);
    }
    groups.extend([("b2,c0,20".to_owned(), &MANY[..]), ("b2,c1,20".to_owned(), &MANY[..])]);
    // Two of b2 are not young, and no table tells them apart.
    groups.extend([("b2,c0,40".to_owned(), &[111][..]), ("b2,c1,40".to_owned(), &[222][..])]);
    let groups: Vec<(&str, &[u32])> = groups.iter().map(|(group, pays)| (group.as_str(), *pays)).collect();
    let shown = shown(&tables, &paid(&groups));
    assert!(shown["known"]["b2"] == "[c]" || shown["young"]["b2"] == "[c]", "{shown:?}");
}

#[test]
fn a_firm_that_is_most_of_a_sum_is_kept_from_the_others_in_it_and_not_from_itself() {
    // The firm of r1 has most of s1. It knows that s1 holds at least its own contribution, even if cells are hidden.
    for others in [&[50, 40, 45][..], &[50]] {
        let mut data = String::from("region,sector,pay\nr1,s1,1000\n");
        others.iter().for_each(|pay| data += &format!("r2,s1,{pay}\n"));
        for cell in ["r1,s2", "r1,s3", "r2,s2", "r2,s3"] {
            [300, 280, 310, 290].iter().for_each(|pay| data += &format!("{cell},{pay}\n"));
        }
        let tables = "[[variables]]\nname = \"region\"\n[[variables]]\nname = \"sector\"\n[[variables]]\nname = \"pay\"\n\
             [[tables]]\nname = \"t\"\nvariables = [\"region\", \"sector\"]\nmeasure = \"sum\"\nof = \"pay\"\n";
        let shown = &shown(tables, &data)["t"];
        assert_eq!([&shown["r1,s1"], &shown["r2,s1"], &shown["Total,s1"]], ["[c]"; 3]);
        // With its own, it could work the others out from a row or a column that shows all but them.
        let hidden = |region: &str| {
            ["s1", "s2", "s3", "Total"].iter().filter(|s| shown[&format!("{region},{s}")] == "[c]").count()
        };
        assert!(hidden("r2") > 1 && hidden("Total") > 1, "{shown:?}");
    }
}

#[test]
fn who_of_the_hurt_has_two_factors_does_not_tell_how_many_collisions_have_them() {
    let (mut collisions, mut hurt) = (String::from("id,factor_1,factor_2\n"), String::from("id,age\n"));
    for (id, factors) in ["ice,", "ice,", "ice,", "ice,", "fog,", "fog,", "fog,", "ice,fog"].iter().enumerate() {
        collisions += &format!("{id},{factors}\n");
        hurt += &format!("{id},30\n").repeat(if *factors == "ice,fog" { 1 } else { 2 });
    }
    let tables = "[[linked]]\nname = \"hurt\"\ndata = { path = \"hurt.csv\" }\non = [\"id\"]\n\
         [[variables]]\nname = \"factor\"\ncolumns = [\"factor_1\", \"factor_2\"]\n\
         [[tables]]\nname = \"pairs\"\nvariables = [\"factor\"]\npairs = \"factor\"\n\
         [[tables]]\nname = \"people\"\nvariables = [\"factor\"]\nunit = \"hurt\"\n";
    // 9 with ice and 7 with fog are 15 in all: one has both, and was in one collision.
    let shown = shown_of(&[("collisions.csv", &collisions), ("hurt.csv", &hurt)], tables);
    assert_eq!(shown["pairs"]["fog and ice"], "[c]");
    assert!(shown["people"].values().any(|figure| figure == "[c]"), "{shown:?}");
}

#[test]
fn pairs_of_some_values_do_not_keep_those_of_all_from_being_reckoned_with() {
    let rows = [
        ("x,", 3),
        (",y", 1),
        ("x,y", 1),
        (",x", 2),
        ("y,z", 1),
        ("z,", 2),
        ("x,z", 2),
        ("y,", 3),
        (",z", 2),
        ("z,x", 1),
    ];
    let data =
        rows.iter().fold(String::from("f1,f2\n"), |text, (row, count)| text + &format!("{row}\n").repeat(*count));
    let table = |name: &str, condition: &str, more: &str| {
        format!("[[tables]]\nname = \"{name}\"\nvariables = [\"f\"]\nwhere = \"{condition}\"\n{more}\n")
    };
    let tables = "[[variables]]\nname = \"f\"\ncolumns = [\"f1\", \"f2\"]\nhierarchy = { tree = { F = [\"x\", \"y\"], H = [\"z\"] } }\n"
        .to_owned()
        + &table("some", "f1 IN ('x','y')", "pairs = \"f\"\nonly = { f = [\"x\", \"z\"] }")
        + &table("second", "f2 IN ('x','z')", "levels = { f = [0] }")
        + &table("first", "f1 IS NOT NULL", "levels = { f = [0, 1] }")
        + &table("pairs", "f1 IN ('y','z')", "pairs = \"f\"");
    // Three have x and z, by the second table, and four one of F and one of H, by the first; so one has y and z.
    let shown = shown(&tables, &data);
    assert_eq!(shown["pairs"]["y and z"], "[c]");
    let told = |table: &str, cells: &[&str]| cells.iter().all(|cell| shown[table][*cell] != "[c]");
    assert!(!told("second", &["x", "z", "Total"]) || !told("first", &["F", "H", "Total"]), "{shown:?}");
}

#[test]
fn a_firm_that_is_alone_in_two_cells_knows_both_at_once() {
    let spec = "[[variables]]\nname = \"b\"\n[[variables]]\nname = \"firm\"\n[[variables]]\nname = \"pay\"\n\
         [[tables]]\nname = \"t\"\nvariables = [\"b\"]\nmeasure = \"sum\"\nof = \"pay\"\ncontributor = \"firm\"\n";
    let data = "b,firm,pay\nb0,f2,319\nb1,f1,263\nb3,f1,410\nb2,f5,250\nb2,f6,260\nb2,f7,257\n";
    // 1759 less 767 of b2 and its own 263 and 410 would be the 319 of f2.
    let shown = &shown(spec, data)["t"];
    assert!(shown["b2"] == "[c]" || shown["Total"] == "[c]", "{shown:?}");
}

#[test]
fn who_adds_nothing_to_a_sum_does_not_hide_who_does() {
    let table = |name: &str, condition: &str| {
        format!(
            "[[tables]]\nname = \"{name}\"\nvariables = [\"g\"]\n{condition}measure = \"sum\"\nof = \"pay\"\ncontributor = \"firm\"\n"
        )
    };
    let tables = "[[variables]]\nname = \"g\"\n[[variables]]\nname = \"firm\"\n[[variables]]\nname = \"pay\"\n"
        .to_owned()
        + &table("all", "")
        + &table("young", "where = \"age < 40\"\n");
    let others = "g0,20,500,a\ng0,20,600,b\ng0,20,700,c\ng1,20,550,d\ng1,20,650,e\ng1,20,750,f\n";
    // One person is paid, beside two of whom nothing is known or who are paid nothing; or all three are one firm.
    for left in [
        "g1,50,400,h\ng1,50,,i\ng1,50,,j\n",
        "g1,50,400,h\ng1,50,0,i\ng1,50,0,j\n",
        "g1,50,200,h\ng1,50,100,h\ng1,50,100,h\n",
    ] {
        let shown = shown(&tables, &format!("g,age,pay,firm\n{others}{left}"));
        for g in ["g1", "Total"] {
            assert!(shown["all"][g] == "[c]" || shown["young"][g] == "[c]", "{g}: {shown:?}");
        }
    }
}

#[test]
fn a_record_without_an_amount_makes_no_two_contributors_one() {
    // Nobody knows what the one of a1 and b1 is paid. One of a1 is, and one of b1.
    let mut data = String::from("a,b,pay\na1,b1,\na1,b2,900\na2,b1,700\n");
    for cell in ["a2,b2", "a2,b3", "a3,b2", "a3,b3"] {
        MANY.iter().for_each(|pay| data += &format!("{cell},{pay}\n"));
    }
    let tables = "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"b\"\n[[variables]]\nname = \"pay\"\n\
         [[tables]]\nname = \"t\"\nvariables = [\"a\", \"b\"]\nmeasure = \"sum\"\nof = \"pay\"\n";
    let shown = &shown(tables, &data)["t"];
    // Both would work each other out from a row and a column that show all but theirs.
    let others = ["a2,b2", "a2,b3", "a2,Total", "a3,b2", "Total,b2", "Total,b3", "Total,Total"];
    assert_eq!([&shown["a1,b2"], &shown["a2,b1"]], ["[c]"; 2]);
    assert!(others.iter().filter(|cell| shown[**cell] == "[c]").count() > 1, "{shown:?}");
}

#[test]
fn a_count_that_a_sum_hides_is_hidden_in_every_table_that_shows_it() {
    // All of `n` is hidden, as the sums of the same people are. The total of `f` is the women of `n`.
    let tables = "[policy.tables]\ncategories = [{ name = \"low\" }]\ncases = [{ category = \"low\" }]\nmagnitude = { threshold = 3 }\n\
                  [[variables]]\nname = \"reg\"\n[[variables]]\nname = \"sex\"\n[[variables]]\nname = \"pay\"\n\
                  [[tables]]\nname = \"n\"\nvariables = [\"sex\"]\n\
                  [[tables]]\nname = \"pay\"\nvariables = [\"reg\", \"sex\"]\nmeasure = \"sum\"\nof = \"pay\"\n\
                  [[tables]]\nname = \"f\"\nvariables = [\"reg\"]\nwhere = \"sex = 'F'\"\n";
    let shown = shown(tables, "reg,sex,pay\nE,F,76\nS,M,8\n");
    assert_eq!([&shown["n"]["F"], &shown["f"]["Total"]], ["[c]", "[c]"]);
}

#[test]
fn a_value_that_occurs_and_rounds_to_zero_is_known_to_occur() {
    let data = format!("x\n{}b\n", "a\n".repeat(50));
    let spec = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"x\"\n\
                [[tables]]\nname = \"t\"\nvariables = [\"x\"]\n";
    let desk = desk(&[("outward.toml", spec), ("people.csv", &data)]);
    for base in ["3", "5", "10"] {
        let made = outward(desk.path(), &["table", "outward.toml", "--round", base, "--out", base]);
        assert_eq!(made.status.code(), Some(0), "base {base}: {}", stderr(&made));
        let verified = outward(desk.path(), &["verify", base]);
        assert_eq!(verified.status.code(), Some(0), "base {base}: {}", stdout(&verified));
    }
}
