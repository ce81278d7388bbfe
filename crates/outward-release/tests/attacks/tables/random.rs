//! Tables drawn at random: what was protected by one code holds against an attack by another.

use std::fmt::Write;

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;
use outward_fixtures::draw::Draw;
use outward_testing::random_cases::seeds;

const START: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
[[linked]]
name = "visits"
data = { path = "visits.csv" }
on = ["id"]
[[variables]]
name = "age"
role = "key"
hierarchy = { file = "ages.csv" }
more_hierarchies = [{ tree = { "20-30" = ["20", "30"], "25-33" = ["25", "33"] } }]
[[variables]]
name = "ages"
role = "key"
columns = ["age"]
hierarchy = { tree = { "to 30" = ["20", "25", "30"], "33" = ["33"] } }
[[variables]]
name = "trade"
role = "key"
[[variables]]
name = "illness"
role = "sensitive"
columns = ["first", "second"]
hierarchy = { tree = { "Airways" = ["asthma", "cold"], "Joints" = ["gout", "sprain"] } }
"#;

const AGES: &str = "20,20-25\n25,20-25\n30,30-33\n33,30-33\n";

/// A family of two to four tables.
fn spec(draw: &mut Draw) -> String {
    let mut text = START.to_owned();
    let method = match draw.below(3) {
        0 => format!(
            "method = \"round\"\nbase = {}\nrounding = \"{}\"\nmark_low = {}\n",
            3 + draw.below(3),
            draw.one(&["controlled", "random", "conventional"]),
            draw.one(&["true", "false"])
        ),
        _ => format!("method = \"suppress\"\ncost = \"{}\"\n", draw.one(&["value", "one"])),
    };
    text += &format!("[protection]\n{method}");
    for table in 0..2 + draw.below(3) {
        let unit = draw.below(4) == 0;
        let mut variables = vec![draw.one(&["age", "ages", "trade"])];
        let more = draw.one(&["illness", "trade", "age", ""]);
        if !more.is_empty() && more != variables[0] && (more, variables[0]) != ("age", "ages") {
            variables.push(more);
        }
        write!(text, "[[tables]]\nname = \"t{table}\"\nvariables = {variables:?}\n").unwrap();
        if unit {
            text += "unit = \"visits\"\n";
        }
        if variables.contains(&"age") {
            text += draw.one(&[
                "levels = { age = [0, 1] }\n",
                "levels = { age = [0] }\n",
                "only = { age = [\"20\", \"25\"] }\n",
                "levels = { age = [0] }\nonly = { age = [\"30\"] }\n",
                "",
            ]);
        }
        if variables.contains(&"ages") {
            text += draw.one(&["levels = { ages = [1] }\n", ""]);
        }
        if variables.contains(&"trade") {
            text += draw.one(&["without_total = [\"trade\"]\n", "", ""]);
        }
        if !unit {
            text += draw.one(&["where = \"sex = 'F'\"\n", "where = \"trade <> 'iron'\"\n", "", "", ""]);
        }
    }
    text
}

fn files(draw: &mut Draw) -> (String, String) {
    let (mut people, mut visits) = ("id,age,trade,first,second,sex\n".to_owned(), "id,day\n".to_owned());
    let lonely = draw.below(2);
    for id in 0..40 + draw.below(120) {
        let age = draw.skewed(&["20", "25", "30", "33"]);
        let trade = draw.skewed(&["bread", "iron", "wool"]);
        let illness = ["asthma", "cold", "", "gout", "sprain"];
        let (first, second) = (draw.skewed(&illness), draw.skewed(&illness));
        let sex = draw.one(&["F", "M"]);
        people += &format!("{id},{age},{trade},{first},{second},{sex}\n");
        visits += &format!("{id},1\n").repeat((1 - lonely + draw.below(3)) as usize);
    }
    (people, visits)
}

/// How many of the families of these seeds hold something back.
fn hold(seeds: impl Iterator<Item = u64>) -> usize {
    let mut protected = 0;
    for seed in seeds {
        let mut draw = Draw::new(seed);
        let ((people, visits), spec) = (files(&mut draw), spec(&mut draw));
        let files = [("people.csv", people.as_str()), ("visits.csv", &visits), ("ages.csv", AGES)];
        let Some(bundle) = Bundle::attempt(&spec, &files) else { continue };
        let verification = bundle.verify();
        assert_eq!(verification.outcome(), Outcome::Holds, "seed {seed}: {spec}\n{verification:#?}");
        protected += usize::from(bundle.lines().iter().any(|(_, unsafe_)| *unsafe_));
    }
    protected
}

#[test]
fn what_is_protected_by_one_code_holds_against_the_attack_of_another() {
    assert!(hold(seeds(24)) > 8);
}
