//! Columns called `Age, years`, `a/b` or `x/pairs` are protected as any others: a name is never taken apart.

use std::collections::BTreeMap;

use crate::tables_attacked::shown_of;

/// Names in which a comma or a slash might be taken for what stands between two names.
const ODD: [&str; 4] = ["Age, years", "a/b", "x/pairs", "hurt/s"];

/// The cells of each table that are hidden.
fn hidden(files: &[(&str, &str)], tables: &str) -> BTreeMap<String, Vec<String>> {
    let gaps = |cells: BTreeMap<String, String>| {
        cells.into_iter().filter(|(_, figure)| figure == "[c]").map(|(cell, _)| cell).collect()
    };
    shown_of(files, tables).into_iter().map(|(name, cells)| (name, gaps(cells))).collect()
}

/// Holds what is hidden with an odd name against what is hidden with a plain one.
fn hides_alike(release: impl Fn(&str) -> BTreeMap<String, Vec<String>>, unsafe_cell: (&str, &str)) {
    let plain = release("plain");
    assert!(plain[unsafe_cell.0].contains(&unsafe_cell.1.to_owned()), "{plain:?}");
    assert!(plain.values().map(Vec::len).sum::<usize>() > 1, "one cell alone would follow from the others: {plain:?}");
    for name in ODD {
        assert_eq!(release(name), plain, "with a column called {name}");
    }
}

#[test]
fn no_more_collisions_have_walkers_or_riders_than_people_were_hurt_whatever_the_column_is_called() {
    let kinds = [("a1", 1, 3), ("a1", 2, 1), ("a2", 1, 20), ("a2", 3, 25), ("a2", 2, 5)];
    let release = |name: &str| {
        let (mut collisions, mut hurt) = ("id,a\n".to_owned(), format!("id,\"{name}\"\n"));
        for (number, (area, casualties, _)) in kinds.iter().flat_map(|kind| vec![kind; kind.2]).enumerate() {
            collisions += &format!("{number},{area}\n");
            for one in 0..*casualties {
                hurt += &format!("{number},{}\n", ["walking", "riding"][(number + one) % 2]);
            }
        }
        let tables = format!(
            "[[linked]]\nname = \"hurt\"\ndata = {{ path = \"hurt.csv\" }}\non = [\"id\"]\n\
             [[variables]]\nname = \"a\"\n[[variables]]\nname = \"s\"\ncolumns = [\"{name}\"]\nfrom = [\"hurt\"]\n\
             [[tables]]\nname = \"c\"\nvariables = [\"a\", \"s\"]\n\
             [[tables]]\nname = \"h\"\nvariables = [\"a\"]\nunit = \"hurt\"\n"
        );
        hidden(&[("collisions.csv", &collisions), ("hurt.csv", &hurt)], &tables)
    };
    hides_alike(release, ("c", "a1,riding"));
}

#[test]
fn pairs_do_not_tell_what_their_answers_leave_over_whatever_the_columns_are_called() {
    let counts = [("x,y", 19), ("x,z", 5), ("y,z", 2), ("x,", 3), ("y,", 12), (",z", 30)];
    let release = |name: &str| {
        let rows = counts.iter().map(|(row, count)| format!("{row}\n").repeat(*count));
        let data = format!("\"{name}\",second\n{}", rows.collect::<String>());
        let tables = format!(
            "[[variables]]\nname = \"f\"\ncolumns = [\"{name}\", \"second\"]\n\
             [[tables]]\nname = \"t0\"\nvariables = [\"f\"]\n\
             [[tables]]\nname = \"t1\"\nvariables = [\"f\"]\npairs = \"f\"\n"
        );
        hidden(&[("people.csv", &data)], &tables)
    };
    hides_alike(release, ("t1", "y and z"));
}

#[test]
fn a_condition_tells_that_everyone_has_its_answers_whatever_the_column_is_called() {
    let counts = [("i,h", 2), ("j,h", 10), ("j,", 30), ("h,i", 8), ("h,j", 9), ("h,", 12)];
    let release = |name: &str| {
        let rows = counts.iter().map(|(row, count)| format!("{row}\n").repeat(*count));
        let data = format!("\"{name}\",second\n{}", rows.collect::<String>());
        let tables = format!(
            "[[variables]]\nname = \"g\"\ncolumns = [\"{name}\", \"second\"]\n\
             [[tables]]\nname = \"t0\"\nvariables = [\"g\"]\nwhere = \"\\\"{name}\\\" IN ('i','j')\"\n"
        );
        hidden(&[("people.csv", &data)], &tables)
    };
    hides_alike(release, ("t0", "i"));
}

#[test]
fn a_column_called_like_two_columns_is_neither_of_them() {
    let rows = [("x,y,x", 12), ("y,z,y", 15), ("z,x,x", 20), ("x,,y", 11), ("y,,x", 18)];
    let data: String = rows.iter().map(|(row, count)| format!("{row}\n").repeat(*count)).collect();
    let tables = "[[variables]]\nname = \"both\"\ncolumns = [\"f1\", \"f2\"]\n\
         [[variables]]\nname = \"one\"\ncolumns = [\"f1,f2\"]\n\
         [[tables]]\nname = \"t0\"\nvariables = [\"both\"]\n[[tables]]\nname = \"t1\"\nvariables = [\"one\"]\n";
    let shown = shown_of(&[("people.csv", &format!("f1,f2,\"f1,f2\"\n{data}"))], tables);
    assert_eq!([&shown["t0"]["x"], &shown["t1"]["x"]], ["43", "50"]);
}
