//! Whoever is counted knows their own answers, and what these add to counts of several answers (P5 with M6 and M7).

use outward_fixtures::csv::csv_text;
use outward_fixtures::spec::table;
use outward_fixtures::tables::{Release, cell};
use outward_tables::Figure;

/// Collisions with the factors of their one vehicle, and a casualty each. With six factors out of twelve there are too many sets of answers to be
/// listed.
const SPEC: &str = r#"
[data]
path = "collisions.csv"
[policy]
name = "gss-tables"
[protection]
method = "suppress"
[[linked]]
name = "vehicles"
data = { path = "vehicles.csv" }
on = ["id"]
[[linked]]
name = "casualties"
data = { path = "casualties.csv" }
on = ["id"]
[[variables]]
name = "factor"
role = "sensitive"
columns = ["f1", "f2", "f3", "f4", "f5", "f6"]
from = ["vehicles"]
hierarchy = { tree = { defects = ["brakes", "tyres"], others = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] } }
[[variables]]
name = "factor_of_collision"
role = "sensitive"
columns = ["f1", "f2", "f3", "f4", "f5", "f6"]
from = ["vehicles"]
shared = true
hierarchy = { tree = { defects = ["brakes", "tyres"], others = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] } }
[[variables]]
name = "severity"
role = "key"
[[tables]]
name = "collisions"
variables = ["factor", "severity"]
[[tables]]
name = "casualties"
variables = ["factor_of_collision", "severity"]
unit = "casualties"
"#;

/// The files with these fatal collisions, by their factors, and many others.
fn files(fatal: &[&[&str]]) -> [String; 3] {
    let many = ["brakes", "tyres", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let slight = many.iter().map(|factor| ("slight", vec![*factor], 11));
    let others = many[2..].iter().map(|factor| ("fatal", vec![*factor], 10));
    let own = fatal.iter().map(|factors| ("fatal", factors.to_vec(), 1));
    let (mut collisions, mut vehicles, mut casualties) = (Vec::new(), Vec::new(), Vec::new());
    for (severity, factors, count) in own.chain(others).chain(slight) {
        for _ in 0..count {
            let id = collisions.len().to_string();
            let six = factors.iter().copied().chain([""; 6]).take(6).map(str::to_owned);
            collisions.push([id.clone(), severity.to_owned()]);
            vehicles.push(std::iter::once(id.clone()).chain(six).collect::<Vec<_>>());
            casualties.push([id]);
        }
    }
    let header = ["id", "f1", "f2", "f3", "f4", "f5", "f6"];
    [csv_text(&["id", "severity"], collisions), csv_text(&header, vehicles), csv_text(&["id"], casualties)]
}

fn release(fatal: &[&[&str]]) -> Option<Release> {
    Release::from_spec(SPEC, &files(fatal).each_ref().map(String::as_str))
}

#[test]
fn nobody_takes_away_what_a_collision_adds_to_its_group_of_factors() {
    // Whoever was in the one with brakes knows that it had no tyres. An attacker is taken to know that some fatal collision had tyres, as somebody
    // died in one. So there are two with defects at least: they cannot doubt the other one, whatever is hidden.
    assert!(release(&[&["brakes"], &["tyres"]]).is_none());
    // Where the two had both, each may have been alone with either, as far as the other knows.
    assert!(release(&[&["brakes", "tyres"], &["brakes", "tyres"]]).is_some());
}

#[test]
fn of_two_people_hurt_in_the_only_collision_of_its_kind_each_knows_that_they_were_two() {
    // One collision had brakes. Both who were hurt in it were hurt slightly, and each knows that no third was: only that it was one of the two, and not
    // both, can be asked to be possible in their eyes.
    let tables = SPEC.find("[[tables]]").unwrap();
    let hurt = "[[variables]]\nname = \"hurt\"\nrole = \"key\"\nfrom = [\"casualties\"]\n";
    let shown = table("collisions", &["factor", "severity"], "")
        + &table("casualties", &["factor_of_collision", "hurt"], "unit = \"casualties\"");
    let spec = format!("{}{hurt}{shown}", &SPEC[..tables]);
    let [collisions, vehicles, _] = files(&[]);
    // The first eleven collisions are those with slight injuries and brakes: ten lose them.
    let mut lines: Vec<String> = vehicles.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| line.contains("brakes")).unwrap();
    lines[first + 1..first + 11].iter_mut().for_each(|line| *line = line.replace("brakes", "a"));
    let casualty = |(row, line): (usize, &String)| {
        let id = line.split(',').next().unwrap();
        let how = if row % 2 == 0 && row != first { "seriously" } else { "slightly" };
        format!("{id},{how}\n").repeat(2)
    };
    let casualties: String = lines.iter().enumerate().skip(1).map(casualty).collect();
    let files = [collisions, lines.join("\n") + "\n", format!("id,hurt\n{casualties}")];
    let release = Release::from_spec(&spec, &files.each_ref().map(String::as_str)).unwrap();
    let casualties = &release.made[1].table;
    assert_eq!(casualties.counts[cell(casualties, &["brakes", "slightly"])], 2);
    assert_eq!(release.protected.published[1].figures[cell(casualties, &["brakes", "slightly"])], Figure::Hidden);
}
