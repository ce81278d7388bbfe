//! Attacks on sums, means and estimates: what several of them disclose of few people or of counts, in one release and in several.

use std::collections::BTreeMap;
use std::path::Path;

use crate::tables::desk;
use crate::tables_attacked::shown;
use crate::{outward, refused, stdout};

const VARIABLES: &str = "[[variables]]\nname = \"a\"\n[[variables]]\nname = \"b\"\n[[variables]]\nname = \"c\"\n\
                         [[variables]]\nname = \"pay\"\ntype = \"number\"\n[[variables]]\nname = \"w\"\ntype = \"number\"\nrole = \"weight\"\n";
const SUM: &str = "measure = \"sum\"\nof = \"pay\"\n";
const MEAN: &str = "measure = \"mean\"\nof = \"pay\"\n";
const ESTIMATE: &str = "weighted = true\n";

fn table(name: &str, variable: &str, more: &str) -> String {
    format!("[[tables]]\nname = \"{name}\"\nvariables = [\"{variable}\"]\n{more}")
}

/// Seven to ten people of every a, b and c, and as many of some as is said; each with pay and a weight.
fn people(other: &[(&str, usize)]) -> String {
    let (mut text, mut number) = (String::from("a,b,c,pay,w\n"), 0);
    for kind in 0..18 {
        let group = format!("a{},b{},c{}", kind / 6 + 1, kind / 2 % 3 + 1, kind % 2 + 1);
        let count = other.iter().find(|(own, _)| *own == group).map_or(7 + kind % 4, |(_, count)| *count);
        for _ in 0..count {
            number += 1;
            text += &format!("{group},{},{}\n", 200 + number * 37 % 190, 1.0 + (number * 5 % 17) as f64 / 4.0);
        }
    }
    text
}

type Figures = BTreeMap<String, String>;

/// Makes one release after the other of the same data, each told of those before. What each shows, by table, and what the first shows that is
/// not written says.
fn releases(data: &str, specs: &[String]) -> (Vec<BTreeMap<String, Figures>>, Option<String>) {
    let desk = desk(&[("people.csv", data)]);
    let (mut shown, mut earlier): (Vec<_>, Vec<String>) = (Vec::new(), Vec::new());
    for (number, tables) in specs.iter().enumerate() {
        let spec = format!(
            "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n{tables}"
        );
        std::fs::write(desk.path().join("outward.toml"), spec).unwrap();
        let bundle = format!("release{number}");
        let told: Vec<&str> = earlier.iter().flat_map(|bundle| ["--earlier", bundle.as_str()]).collect();
        let made = outward(desk.path(), &[&["table", "outward.toml", "--out", &bundle][..], &told].concat());
        if made.status.code() != Some(0) {
            let said = refused(&made).replace('│', " ");
            return (shown, Some(said.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        let verified = outward(desk.path(), &["verify", &bundle]);
        assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
        shown.push(published(&desk.path().join(&bundle).join("public")));
        earlier.push(bundle);
    }
    (shown, None)
}

fn published(folder: &Path) -> BTreeMap<String, Figures> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let tables = files.filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
    let figures = |path: &Path| -> Figures {
        let text = std::fs::read_to_string(path).unwrap();
        let cell = |line: &str| line.rsplit_once(',').map(|(place, figure)| (place.to_owned(), figure.to_owned()));
        text.lines().skip(1).filter_map(cell).collect()
    };
    tables.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), figures(&path))).collect()
}

/// Whether a cell of one variable is hidden, and does not follow from the total of its table.
fn is_kept(figures: &Figures, cell: &str) -> bool {
    figures[cell] == "[c]" && figures.values().filter(|figure| *figure == "[c]").count() > 1
}

#[test]
fn sums_and_estimates_by_one_condition_the_other_and_either_do_not_leave_who_meets_both() {
    // One person of a1 has b1 and c1.
    let data = people(&[("a1,b1,c1", 1)]);
    for measure in [SUM, ESTIMATE] {
        let tables = [("x", "b = 'b1'"), ("y", "c = 'c1'"), ("z", "b = 'b1' OR c = 'c1'")]
            .map(|(name, condition)| table(name, "a", &format!("{measure}where = \"{condition}\"\n")));
        let at_once = shown(&format!("{VARIABLES}{}", tables.concat()), &data);
        assert!(["x", "y", "z"].iter().any(|name| is_kept(&at_once[*name], "a1")), "{measure}: {at_once:?}");
        let (one_by_one, refused) = releases(&data, &tables.map(|table| format!("{VARIABLES}{table}")));
        assert_eq!(refused, None);
        assert!(is_kept(&one_by_one[2]["z"], "a1"), "{measure}: {one_by_one:?}");
    }
}

#[test]
fn an_area_less_its_villages_does_not_leave_who_lives_in_none() {
    let mut data = String::from("a,b,c,pay,w\n");
    for number in 0..135 {
        let (area, village) = (number / 45 + 1, number / 15 % 3 + 1);
        let pay = 200 + number * 53 % 190;
        data += &format!("a{area},a{area}v{village},c1,{pay},{}\n", 1.0 + (number % 9) as f64 / 4.0);
    }
    data += "a1,,c1,321,2.5\n";
    for measure in [SUM, ESTIMATE] {
        let areas = format!("{VARIABLES}{}", table("areas", "a", measure));
        let only = "only = { b = [\"a1v1\", \"a1v2\", \"a1v3\", \"a2v1\", \"a2v2\"] }\n";
        let villages = format!("{VARIABLES}{}", table("villages", "b", &format!("{measure}{only}")));
        let (shown, refused) = releases(&data, &[areas, villages]);
        assert_eq!(refused, None);
        let hidden = |village: &&&str| shown[1]["villages"][**village] == "[c]";
        assert!(["a1v1", "a1v2", "a1v3"].iter().filter(hidden).count() > 0, "{measure}: {shown:?}");
        assert!(shown[1]["villages"].values().filter(|figure| *figure == "[c]").count() > 1, "{measure}: {shown:?}");
    }
}

#[test]
fn the_only_contributor_to_what_three_sums_leave_need_not_doubt_it() {
    // The one person of a3 and b1 is alone in c3 too.
    let data = people(&[("a3,b1,c1", 0), ("a3,b1,c2", 0)]) + "a3,b1,c3,300,2\n";
    for measure in [SUM, ESTIMATE] {
        let some = |name: &str, area: &str| table(name, "b", &format!("{measure}where = \"a = '{area}'\"\n"));
        let tables = format!(
            "{VARIABLES}{}{}{}{}",
            table("jobs", "c", measure),
            table("all", "b", measure),
            some("first", "a1"),
            some("second", "a2")
        );
        let shown = shown(&tables, &data);
        assert!(["all", "first", "second"].iter().any(|name| is_kept(&shown[*name], "b1")), "{measure}: {shown:?}");
    }
}

#[test]
fn a_sum_and_a_mean_of_what_no_table_counts_are_refused() {
    let data = people(&[]);
    let both = format!("{VARIABLES}{}{}", table("total", "a", SUM), table("average", "a", MEAN));
    let (_, said) = releases(&data, std::slice::from_ref(&both));
    let said = said.unwrap();
    assert!(said.contains("the sum of `pay` in table `total` divided by its mean in table `average`"), "{said}");
    // A count of the same cells is judged as one, and what it hides is hidden in all three.
    let (shown, said) = releases(&data, &[format!("{both}{}", table("counts", "a", ""))]);
    assert_eq!((shown.len(), said), (1, None));
    // Not of other cells.
    let (_, said) = releases(&data, &[format!("{both}{}", table("counts", "b", ""))]);
    assert!(said.unwrap().contains("is the number of records"));
    // Nor if some have no pay: a sum divided by its mean says how many have some.
    let (_, said) = releases(&(data + "a1,b1,c1,,2\n"), &[format!("{both}{}", table("counts", "a", ""))]);
    assert!(said.unwrap().contains("is the number of records"));
}

#[test]
fn a_sum_after_a_mean_that_is_public_is_refused_by_the_name_of_its_release() {
    let data = people(&[]);
    let spec = |tables: &[String]| format!("{VARIABLES}{}", tables.concat());
    let [sum, mean, counts] =
        [("total", SUM), ("average", MEAN), ("counts", "")].map(|(name, more)| table(name, "a", more));
    for (first, then, named) in [(&mean, &sum, "release0: average"), (&sum, &mean, "release0: total")] {
        let (shown, said) = releases(&data, &[spec(std::slice::from_ref(first)), spec(std::slice::from_ref(then))]);
        assert_eq!(shown.len(), 1);
        assert!(said.unwrap().contains(named));
    }
    // If the mean came with its counts, the sum discloses no more of them.
    let (shown, said) = releases(&data, &[spec(&[mean.clone(), counts.clone()]), spec(std::slice::from_ref(&sum))]);
    assert_eq!((shown.len(), said), (2, None));
    let (shown, said) = releases(&data, &[spec(&[sum]), spec(&[mean, counts])]);
    assert_eq!((shown.len(), said), (2, None));
}

#[test]
fn a_mean_after_a_mean_that_is_public_goes_out() {
    let data = people(&[("a1,b1,c1", 2)]);
    let spec =
        |variable: &str, more: &str| format!("{VARIABLES}{}", table("average", variable, &format!("{MEAN}{more}")));
    let (shown, refused) = releases(&data, &[spec("a", ""), spec("b", ""), spec("a", "where = \"c = 'c2'\"\n")]);
    assert_eq!((shown.len(), refused), (3, None));
    // Those of a1 who have c1, b1 or not, are enough people, so nothing needs to be hidden.
    assert!(shown.iter().flat_map(|tables| tables["average"].values()).all(|figure| figure != "[c]"), "{shown:?}");
    // All but one of a1 are those with c2: now what is left is one person's pay.
    let data = people(&[("a1,b1,c1", 1), ("a1,b2,c1", 0), ("a1,b3,c1", 0)]);
    let (shown, refused) = releases(&data, &[spec("a", ""), spec("a", "where = \"c = 'c2'\"\n")]);
    assert_eq!(refused, None);
    assert!(is_kept(&shown[1]["average"], "a1"), "{shown:?}");
}

#[test]
fn areas_of_one_village_go_out_after_villages_by_a_condition() {
    let mut data = String::from("a,b,c,pay,w\n");
    for (village, count) in [("a1,v1", 20), ("a2,v2", 10), ("a2,v3", 9), ("a2,v4", 12)] {
        data += &format!("{village},c1,300,2\n").repeat(count);
    }
    // Areas and villages are numbered alike, as areas follow from villages. The condition is on the names of villages.
    let villages = format!("{VARIABLES}{}", table("villages", "b", "where = \"b <> 'v1'\"\n"));
    let (shown, refused) = releases(&data, &[villages, format!("{VARIABLES}{}", table("areas", "a", ""))]);
    assert_eq!(refused, None);
    assert!(shown.iter().flat_map(|tables| tables.values()).flat_map(Figures::values).all(|figure| figure != "[c]"));
}
