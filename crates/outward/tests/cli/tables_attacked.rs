//! Attacks on what a spec asks for beside a plain table: conditions, cuts, pairs, several answers, and linked files.

use std::collections::BTreeMap;

use crate::tables::desk;
use crate::{json, outward, stderr, stdout};

/// How many there are of each a and b, and further columns from both.
fn towns() -> String {
    let counts = [2, 12, 9, 7, 4, 40, 11, 6, 50];
    let mut text = String::from("a,b,age,e\n");
    for (kind, count) in counts.into_iter().enumerate() {
        for number in 0..count {
            let (a, b) = (kind / 3 + 1, kind % 3 + 1);
            text += &format!("a{a},b{b},{},{}\n", number % 8 + 1, ["x", "y", "y", "z", "z"][number % 5]);
        }
    }
    text
}

/// Each table by its name, and what it shows by the labels of each cell.
pub(crate) fn shown(tables: &str, data: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    shown_of(&[("people.csv", data)], tables)
}

/// The same from several files, the first of which is `[data]`.
pub(crate) fn shown_of(files: &[(&str, &str)], tables: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let spec = format!(
        "[data]\npath = \"{}\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n{tables}",
        files[0].0
    );
    let files: Vec<(&str, &str)> = [("outward.toml", spec.as_str())].into_iter().chain(files.iter().copied()).collect();
    let desk = desk(&files);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle", "--format", "json"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let verified = outward(desk.path(), &["verify", "bundle"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let figures = |name: &str| {
        let text = std::fs::read_to_string(desk.path().join(format!("bundle/public/{name}.csv"))).unwrap();
        let cell = |line: &str| line.rsplit_once(',').map(|(place, figure)| (place.to_owned(), figure.to_owned()));
        text.lines().skip(1).filter_map(cell).collect()
    };
    let tables = json(&made)["tables"].as_array().unwrap().clone();
    let names = tables.iter().map(|table| table["name"].as_str().unwrap().to_owned());
    names.map(|name| (name.clone(), figures(&name))).collect()
}

#[test]
fn a_condition_on_a_variable_that_another_table_shows_counts_a_row_of_it() {
    for condition in ["a = 'a1'", "a IN ('a1')", "a <> 'a2' AND a <> 'a3'"] {
        let tables = format!(
            "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"b\"\n\
             [[tables]]\nname = \"n\"\nvariables = [\"a\", \"b\"]\n\
             [[tables]]\nname = \"m\"\nvariables = [\"b\"]\nwhere = \"{condition}\"\n"
        );
        let shown = shown(&tables, &towns());
        for (b, figure) in &shown["m"] {
            assert_eq!(*figure, shown["n"][&format!("a1,{b}")], "{condition}, {b}");
        }
        assert_eq!(shown["m"]["b1"], "[c]");
    }
}

#[test]
fn conditions_that_overlap_leave_nothing_small_between_them() {
    let table =
        |name: &str, condition: &str| format!("[[tables]]\nname = \"{name}\"\nvariables = [\"a\"]\n{condition}\n");
    let tables = "[[variables]]\nname = \"a\"\n".to_owned()
        + &table("xy", "where = \"e IN ('x','y')\"")
        + &table("all", "")
        + &table("yz", "where = \"e IN ('y','z')\"");
    // One of the first town is x, and many of the others are.
    let mut data = String::from("a,e\n");
    for (a, counts) in [("a1", [1, 9, 7]), ("a2", [8, 5, 9]), ("a3", [12, 7, 6]), ("a4", [9, 9, 9])] {
        for (e, count) in ["x", "y", "z"].into_iter().zip(counts) {
            data += &format!("{a},{e}\n").repeat(count);
        }
    }
    let shown = shown(&tables, &data);
    assert!(shown["all"]["a1"] == "[c]" || shown["yz"]["a1"] == "[c]", "{shown:?}");
}

/// Rows, each so many times.
fn rows(header: &str, counts: &[(&str, usize)]) -> String {
    counts.iter().fold(format!("{header}\n"), |text, (row, count)| text + &format!("{row}\n").repeat(*count))
}

#[test]
fn a_total_that_a_table_under_a_condition_does_not_show_is_found_by_adding_up() {
    let tables = "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"c\"\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"a\"]\nwhere = \"c IN ('c1','c2')\"\nwithout_total = [\"a\"]\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"c\"]\n";
    // 58 in all less 30 and 26 would be the two of c0.
    let counts = [("a1,c0", 1), ("a2,c0", 1), ("a1,c1", 20), ("a2,c1", 15), ("a1,c2", 10), ("a2,c2", 11)];
    let shown = shown(tables, &rows("a,c", &counts));
    let figures = [&shown["t0"]["a1"], &shown["t0"]["a2"], &shown["t1"]["Total"]];
    assert!(figures.into_iter().any(|figure| figure == "[c]"), "{shown:?}");
}

#[test]
fn a_condition_on_two_shown_variables_counts_cells_of_their_table() {
    let tables = "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"b\"\n[[variables]]\nname = \"c\"\n\
         [[tables]]\nname = \"n\"\nvariables = [\"a\", \"b\"]\n\
         [[tables]]\nname = \"m\"\nvariables = [\"c\"]\nwhere = \"a = 'a1' AND b IN ('b1','b2')\"\n";
    // The 36 of a1 less the 34 of the second table would be the two of a1 and b3.
    let counts = [("a1", [19, 15, 2]), ("a2", [12, 12, 11]), ("a3", [12, 9, 11])];
    let mut data = String::from("a,b,c\n");
    for (a, counts) in counts {
        for (b, count) in ["b1", "b2", "b3"].into_iter().zip(counts) {
            for number in 0..count {
                data += &format!("{a},{b},c{}\n", number % 2);
            }
        }
    }
    let shown = shown(tables, &data);
    assert!(shown["n"]["a1,Total"] == "[c]" || shown["m"]["Total"] == "[c]", "{shown:?}");
}

#[test]
fn a_person_alone_in_two_tables_need_not_be_protected_from_themselves() {
    // The only one of the first town who is z is the only one there who is not x.
    let mut data = String::from("a,b,e\n");
    for (a, counts) in [("a1", [9, 0, 1]), ("a2", [8, 5, 9]), ("a3", [12, 7, 6])] {
        for (e, count) in ["x", "y", "z"].into_iter().zip(counts) {
            data += &format!("{a},b1,{e}\n").repeat(count);
            data += &format!("{a},b2,{e}\n").repeat(count + 5);
        }
    }
    let table = |name: &str, variables: &str, condition: &str| {
        format!("[[tables]]\nname = \"{name}\"\nvariables = {variables}\nwhere = \"{condition}\"\n")
    };
    let tables = "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"b\"\n".to_owned()
        + &table("z", "[\"a\", \"b\"]", "e = 'z'")
        + &table("yz", "[\"a\", \"b\"]", "e <> 'x'");
    let shown = shown(&tables, &data);
    assert_eq!((shown["z"]["a1,b1"].as_str(), shown["yz"]["a1,b1"].as_str()), ("[c]", "[c]"));
}

#[test]
fn ages_cut_in_ways_that_overlap_leave_nothing_small_between_them() {
    // Two of age 4, and many of all others.
    let mut data = String::from("age\n");
    for (age, count) in [(1, 9), (2, 11), (3, 14), (4, 2), (5, 19), (6, 21), (7, 18), (8, 20)] {
        data += &format!("{age}\n").repeat(count);
    }
    let tables = "[[variables]]\nname = \"bands\"\ncolumns = [\"age\"]\n\
         hierarchy = { tree = { \"k\" = [\"1\", \"2\", \"3\"], \"l\" = [\"4\", \"5\"], \"m\" = [\"6\", \"7\", \"8\"] } }\n\
         [[variables]]\nname = \"halves\"\ncolumns = [\"age\"]\n\
         hierarchy = { tree = { \"u\" = [\"1\", \"2\", \"3\", \"4\"], \"v\" = [\"5\", \"6\", \"7\", \"8\"] } }\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"halves\"]\nlevels = { halves = [1] }\n\
         [[tables]]\nname = \"t2\"\nvariables = [\"bands\"]\nlevels = { bands = [1] }\ntop = 2\n";
    let shown = shown(tables, &data);
    let gaps = shown.values().flat_map(BTreeMap::values).filter(|figure| *figure == "[c]").count();
    assert!(gaps > 0, "{shown:?}");
}

/// Whether a cell of a table is hidden.
fn is_hidden(shown: &BTreeMap<String, BTreeMap<String, String>>, table: &str, cell: &str) -> bool {
    shown[table][cell] == "[c]"
}

#[test]
fn pairs_do_not_tell_what_the_answers_they_are_made_of_leave_over() {
    let tables = "[[variables]]\nname = \"f\"\ncolumns = [\"f1\", \"f2\"]\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"f\"]\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"f\"]\npairs = \"f\"\n";
    // x, y and z are 27, 33 and 37 of 71: 26 have two of them, and 19 and 5 of these would leave the two with y and z.
    let counts = [("x,y", 19), ("x,z", 5), ("y,z", 2), ("x,", 3), ("y,", 12), (",z", 30)];
    let shown = shown(tables, &rows("f1,f2", &counts));
    let beside = [("t0", "x"), ("t0", "y"), ("t0", "z"), ("t0", "Total"), ("t1", "x and y"), ("t1", "x and z")];
    assert!(is_hidden(&shown, "t1", "y and z"));
    assert!(beside.into_iter().any(|(table, cell)| is_hidden(&shown, table, cell)), "{shown:?}");
}

#[test]
fn a_condition_on_the_first_of_two_columns_tells_that_everyone_has_one_of_its_answers() {
    let tables = "[[variables]]\nname = \"g\"\ncolumns = [\"g1\", \"g2\"]\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"g\"]\nwhere = \"g1 IN ('i','j')\"\n";
    // All 42 have i or j first: with 40 who have j, the others would be the two with i.
    let counts = [("i,h", 2), ("j,h", 10), ("j,", 30), ("h,i", 8), ("h,j", 9), ("h,", 12)];
    let shown = shown(tables, &rows("g1,g2", &counts));
    assert!(is_hidden(&shown, "t0", "i"));
    assert!(is_hidden(&shown, "t0", "j") || is_hidden(&shown, "t0", "Total"), "{shown:?}");
}

#[test]
fn a_condition_on_one_column_counts_no_more_than_have_its_answers_in_another_table() {
    let tables = "[[variables]]\nname = \"g\"\ncolumns = [\"g1\", \"g2\"]\n[[variables]]\nname = \"s\"\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"g\"]\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"s\"]\nwhere = \"g1 IN ('i','j')\"\n";
    // 42 have i or j first. With 40 who have j there would be at least two with i, and there are.
    let counts = [("i,h,m", 1), ("i,,f", 1), ("j,h,m", 20), ("j,,f", 20), ("h,,m", 9)];
    let shown = shown(tables, &rows("g1,g2,s", &counts));
    assert!(is_hidden(&shown, "t0", "i"));
    assert!(is_hidden(&shown, "t0", "j") || is_hidden(&shown, "t1", "Total"), "{shown:?}");
}

/// Collisions of two areas, each with its factors and how many were hurt, so many times; and everyone hurt, by turns walking and riding.
fn collisions(kinds: &[(&str, usize, usize)]) -> [(&'static str, String); 2] {
    let (mut collisions, mut hurt) = (String::from("id,a,f1,f2\n"), String::from("id,s\n"));
    for (number, (kind, casualties, _)) in kinds.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.2)).enumerate() {
        collisions += &format!("{number},{kind}\n");
        for one in 0..*casualties {
            hurt += &format!("{number},{}\n", ["walking", "riding"][(number + one) % 2]);
        }
    }
    [("collisions.csv", collisions), ("hurt.csv", hurt)]
}

const LINKED: &str = "[[linked]]\nname = \"hurt\"\ndata = { path = \"hurt.csv\" }\non = [\"id\"]\n\
     [[variables]]\nname = \"a\"\n[[variables]]\nname = \"f\"\ncolumns = [\"f1\", \"f2\"]\n\
     [[variables]]\nname = \"s\"\nfrom = [\"hurt\"]\n";

#[test]
fn who_of_the_hurt_counts_twice_does_not_tell_which_collisions_do() {
    let kinds =
        [("a1,x,", 1, 3), ("a1,y,", 3, 1), ("a1,x,y", 1, 1), ("a2,x,", 1, 20), ("a2,y,", 1, 25), ("a2,x,y", 1, 5)];
    let files = collisions(&kinds);
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let tables = "[[tables]]\nname = \"c\"\nvariables = [\"a\", \"f\"]\n\
         [[tables]]\nname = \"h\"\nvariables = [\"a\", \"f\"]\nunit = \"hurt\"\n";
    // Of those hurt in the first area 4 and 4 are 7, so that one collision has both factors; 4, two and one less would be the 5.
    let shown = shown_of(&files, &format!("{LINKED}{tables}"));
    assert!(is_hidden(&shown, "c", "a1,y"));
    let beside = [("c", "a1,x"), ("c", "a1,Total"), ("h", "a1,x"), ("h", "a1,y"), ("h", "a1,Total")];
    assert!(beside.into_iter().any(|(table, cell)| is_hidden(&shown, table, cell)), "{shown:?}");
}

#[test]
fn no_more_collisions_have_walkers_or_riders_hurt_than_people_were() {
    // Four collisions with five hurt: three with walkers leave at most two with riders.
    let kinds = [("a1,x,", 1, 3), ("a1,y,", 2, 1), ("a2,x,", 1, 20), ("a2,y,", 3, 25), ("a2,x,y", 2, 5)];
    let files = collisions(&kinds);
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let tables = "[[tables]]\nname = \"c\"\nvariables = [\"a\", \"s\"]\n\
         [[tables]]\nname = \"h\"\nvariables = [\"a\"]\nunit = \"hurt\"\n";
    let shown = shown_of(&files, &format!("{LINKED}{tables}"));
    assert!(is_hidden(&shown, "c", "a1,riding"), "{shown:?}");
    assert!(is_hidden(&shown, "c", "a1,walking") || is_hidden(&shown, "h", "a1"), "{shown:?}");
}

#[test]
fn sums_and_estimates_of_some_and_of_all_do_not_leave_one_person() {
    let mut data = String::from("town,trade,pay,weight\n");
    for (town, counts) in [("Ash", [1, 20, 15]), ("Elm", [12, 14, 9]), ("Oak", [11, 8, 17])] {
        for (trade, count) in ["miller", "smith", "tailor"].into_iter().zip(counts) {
            (0..count).for_each(|number| data += &format!("{town},{trade},{},8.74\n", 1000 + 7 * number));
        }
    }
    for measure in ["measure = \"sum\"\nof = \"pay\"", "measure = \"mean\"\nof = \"pay\"", "weighted = true"] {
        let tables = format!(
            "[[variables]]\nname = \"town\"\n[[variables]]\nname = \"pay\"\ntype = \"number\"\n\
             [[variables]]\nname = \"weight\"\ntype = \"number\"\nrole = \"weight\"\n\
             [[tables]]\nname = \"all\"\nvariables = [\"town\"]\n{measure}\n\
             [[tables]]\nname = \"some\"\nvariables = [\"town\"]\n{measure}\nwhere = \"trade <> 'miller'\"\n"
        );
        let shown = shown(&tables, &data);
        assert!(is_hidden(&shown, "some", "Ash") || is_hidden(&shown, "all", "Ash"), "{measure}: {shown:?}");
    }
}

#[test]
fn a_third_condition_does_not_hide_what_two_leave() {
    let table =
        |name: &str, condition: &str| format!("[[tables]]\nname = \"{name}\"\nvariables = [\"a\"]\n{condition}\n");
    let tables = "[[variables]]\nname = \"a\"\n".to_owned()
        + &table("all", "")
        + &table("some", "where = \"e <> 'x'\"")
        + &table("others", "where = \"s = 'm'\"");
    // Two of the first town are x, a man and a woman.
    let mut data = rows("a,e,s", &[("a1,x,m", 1), ("a1,x,f", 1), ("a1,y,m", 30), ("a1,y,f", 25)]);
    data +=
        &rows("", &[("a2,x,m", 9), ("a2,x,f", 12), ("a2,y,m", 8), ("a2,y,f", 11), ("a3,x,m", 9), ("a3,y,f", 14)])[1..];
    let shown = shown(&tables, &data);
    assert!(is_hidden(&shown, "all", "a1") || is_hidden(&shown, "some", "a1"), "{shown:?}");
}

#[test]
fn everyone_who_meets_a_condition_on_a_shown_column_is_in_its_rows() {
    let tables = "[[variables]]\nname = \"g\"\ncolumns = [\"g1\", \"g2\"]\n[[variables]]\nname = \"first\"\ncolumns = [\"g1\"]\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"g\"]\nwhere = \"g1 IN ('i','j')\"\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"first\"]\n";
    // 42 with i or j first, and 40 of them with j.
    let counts = [("i,h", 2), ("j,h", 10), ("j,", 30), ("h,i", 8), ("h,j", 9), ("h,", 12)];
    let shown = shown(tables, &rows("g1,g2", &counts));
    assert!(is_hidden(&shown, "t1", "i"));
    assert!(is_hidden(&shown, "t1", "j") || is_hidden(&shown, "t0", "Total"), "{shown:?}");
}

#[test]
fn a_pair_that_two_variables_name_in_another_order_is_one() {
    let tables = "[[variables]]\nname = \"f\"\ncolumns = [\"f1\", \"f2\"]\n\
         [[variables]]\nname = \"g\"\ncolumns = [\"f1\", \"f2\"]\nhierarchy = { tree = { k = [\"9\", \"10\"], l = [\"11\"] } }\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"f\"]\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"f\"]\npairs = \"f\"\n\
         [[tables]]\nname = \"t2\"\nvariables = [\"g\"]\npairs = \"g\"\n";
    let counts = [("9,10", 19), ("9,11", 5), ("10,11", 2), ("9,", 3), ("10,", 12), (",11", 30)];
    let shown = shown(tables, &rows("f1,f2", &counts));
    let gaps = |table: &str| shown[table].values().filter(|figure| *figure == "[c]").count();
    assert!(gaps("t1") > 0 && gaps("t1") == gaps("t2"), "{shown:?}");
}

#[test]
fn a_column_shown_beside_the_answers_it_is_one_of_tells_that_everyone_has_them() {
    let tables = "[[variables]]\nname = \"g\"\ncolumns = [\"g1\", \"g2\"]\n\
         [[variables]]\nname = \"first\"\ncolumns = [\"g1\"]\nhierarchy = { tree = { k = [\"i\", \"j\"], l = [\"h\"] } }\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"g\", \"first\"]\nlevels = { first = [1] }\n";
    // All 42 of k have i or j first: with 40 who have j there are two with i at least, and there are two.
    let counts = [("i,h", 2), ("j,h", 10), ("j,", 30), ("h,i", 8), ("h,j", 9), ("h,", 12)];
    let shown = shown(tables, &rows("g1,g2", &counts));
    assert!(is_hidden(&shown, "t0", "i,k"));
    assert!(is_hidden(&shown, "t0", "j,k") || is_hidden(&shown, "t0", "Total,k"), "{shown:?}");
}

#[test]
fn a_condition_on_the_rows_and_another_do_not_leave_one_person_of_a_sum() {
    let tables = "[[variables]]\nname = \"b\"\n[[variables]]\nname = \"pay\"\ntype = \"number\"\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"b\"]\nwhere = \"b <> 'b1'\"\nmeasure = \"sum\"\nof = \"pay\"\n\
         [[tables]]\nname = \"t1\"\nvariables = [\"b\"]\nwhere = \"g <> 'g2'\"\nmeasure = \"sum\"\nof = \"pay\"\n";
    // All of b0 are in the first table, and all but one in the second.
    let mut data = String::from("b,g,pay\n");
    for (b, g, count) in [
        ("b0", "g0", 12),
        ("b0", "g1", 9),
        ("b0", "g2", 1),
        ("b1", "g0", 14),
        ("b1", "g2", 8),
        ("b2", "g0", 9),
        ("b2", "g2", 7),
    ] {
        (0..count).for_each(|number| data += &format!("{b},{g},{}\n", 1000 + 7 * number));
    }
    let shown = shown(tables, &data);
    assert!(is_hidden(&shown, "t0", "b0") || is_hidden(&shown, "t1", "b0"), "{shown:?}");
}

#[test]
fn rounded_rows_that_a_condition_leaves_out_are_known_to_be_empty() {
    let spec = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"round\"\nbase = 3\n\
         [[variables]]\nname = \"a\"\n[[variables]]\nname = \"s\"\n\
         [[tables]]\nname = \"t\"\nvariables = [\"a\", \"s\"]\nwhere = \"a = 'a2'\"\n";
    let data = rows("a,s", &[("a1,s1", 4), ("a2,s2", 2), ("a2,s1", 1), ("a1,s2", 5)]);
    let desk = desk(&[("outward.toml", spec), ("people.csv", &data)]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let verified = outward(desk.path(), &["verify", "bundle"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
}
