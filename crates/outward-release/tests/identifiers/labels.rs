//! Titles, headings, labels and mappings are published too.

use outward_release::Outcome;

use outward_fixtures::desk::Desk;

const SPEC: &str = r#"
title = "A survey"
[policy]
k = 2
[[variables]]
name = "sex"
label = "Sex of the person"
role = "key"
[[variables]]
name = "area"
role = "geography"
hierarchy = { tree = { Upper = ["North", "East"], Lower = ["South", "West"] } }
[[steps]]
do = "recode"
variable = "area"
level = 1
"#;

fn records(heading: &str) -> String {
    let line = |row: usize| format!("{},{}\n", ["F", "M"][row % 2], ["North", "East", "South", "West"][row / 2 % 4]);
    format!("{heading},area\n{}", (0..80).map(line).collect::<String>())
}

/// An NHS number, a telephone number, an address, each in a spelling that hides it a little.
const HIDDEN: [&str; 4] = ["943/476/5919", "٩٤٣ ٤٧٦ ٥٩١٩", "07700 900123", "mary (at) example.org"];

#[test]
fn a_label_title_or_heading_with_a_number_of_a_person_is_refused() {
    for hidden in HIDDEN {
        let label = SPEC.replace("Sex of the person", &format!("Sex, ask {hidden}"));
        let title = SPEC.replace("A survey", &format!("A survey of {hidden}"));
        let heading = SPEC.replace("name = \"sex\"", &format!("name = \"sex {hidden}\""));
        let mapping = SPEC.replace("Upper =", &format!("\"Upper {hidden}\" ="));
        for (spec, heading) in [
            (label, "sex".to_owned()),
            (title, "sex".to_owned()),
            (heading, format!("sex {hidden}")),
            (mapping, "sex".to_owned()),
        ] {
            let desk = Desk::new(&spec, &records(&heading));
            let error = desk.protect().unwrap_err();
            assert!(error.to_string().contains("published"), "{error}");
            assert!(!error.to_string().contains(hidden), "{error}");
            assert!(!desk.bundle().exists());
        }
    }
    assert!(Desk::new(SPEC, &records("sex")).protect().unwrap().written);
}

#[test]
fn a_label_with_a_number_of_a_person_is_found_in_a_bundle() {
    for hidden in HIDDEN {
        let desk = Desk::new(SPEC, &records("sex"));
        assert!(desk.protect().unwrap().written);
        assert_eq!(desk.verify().outcome(), Outcome::Holds);
        for file in ["manifest.json", "spec.toml", "public/dictionary.csv"] {
            let path = desk.bundle().join(file);
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, text.replace("Sex of the person", &format!("Sex, ask {hidden}"))).unwrap();
        }
        let verification = desk.verify();
        let texts = verification.checks.iter().find(|check| check.name == "texts").unwrap();
        assert_eq!(texts.outcome, Outcome::Fails, "{texts:?}");
        assert!(texts.says.contains("a label holds"), "{texts:?}");
    }
}
