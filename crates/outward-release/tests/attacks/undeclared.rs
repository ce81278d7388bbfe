//! Columns that nobody declared: an accident index, a social security number under a heading the spec never mentions.

use outward_release::Outcome;

use outward_fixtures::desk::Desk;
use outward_fixtures::records::Case;

/// Sixty records with a reference number that the spec does not mention.
fn records() -> String {
    let rows =
        (0..60).map(|i| format!("{},{},{}\n", ["F", "M"][i % 2], ["North", "South"][i / 30], 700_000_000 + i * 977));
    format!("sex,region,ssn\n{}", rows.collect::<String>())
}

const SPEC: &str = r#"
[policy]
name = "hipaa-safe-harbor"

[[variables]]
name = "sex"
role = "key"

[[variables]]
name = "region"
role = "key"
"#;

#[test]
fn a_column_the_spec_does_not_declare_is_not_published() {
    let desk = Desk::new(SPEC, &records());
    let said = desk.protect().unwrap_err();
    let help = said.help().unwrap().to_owned();
    assert!(said.to_string().contains("does not declare the column `ssn`"), "{said}");
    assert!(help.contains("plain = [\"ssn\"]") && help.contains("do = \"drop\""), "{help}");
    assert!(!desk.bundle().exists());
}

#[test]
fn a_declared_column_is_published_or_dropped() {
    let dropped = format!("plain = [\"ssn\"]\n{SPEC}\n[[steps]]\ndo = \"drop\"\nvariables = [\"ssn\"]\n");
    let desk = Desk::new(&dropped, &records());
    assert!(desk.protect().unwrap().written);
    assert_eq!(desk.published("data.csv").lines().next(), Some("sex,region"));
    let red = |line: &str| format!("{},red\n", line.rsplit_once(',').unwrap().0);
    let text: String = records().lines().skip(1).map(red).collect();
    let desk = Desk::new(&format!("plain = [\"colour\"]\n{SPEC}"), &format!("sex,region,colour\n{text}"));
    assert!(desk.protect().unwrap().written);
    assert_eq!(desk.published("data.csv").lines().next(), Some("sex,region,colour"));
    assert_eq!(desk.verify().outcome(), Outcome::Holds, "{:?}", desk.verify());
}

#[test]
fn a_declared_column_that_the_data_do_not_have_is_named_with_the_nearest() {
    let desk = Desk::new(&format!("plain = [\"snn\"]\n{SPEC}"), &records());
    let said = desk.protect().unwrap_err();
    assert!(said.to_string().contains("no column of this name") && said.help().unwrap().contains("ssn"), "{said}");
}

/// Two regions and a column more than the spec declares, in a bundle whose manifest and hashes are right.
#[test]
fn a_bundle_has_exactly_the_columns_that_its_spec_declares_and_does_not_drop() {
    let made = |spec: &str, data: &str| Case::new(&format!("[policy]\nk = 1\n{spec}"), data).make();
    let region = "[[variables]]\nname = \"region\"\nrole = \"key\"\n";
    let colour = "[[variables]]\nname = \"colour\"\n";
    let (without, with) = ("region\nNorth\nSouth\n", "region,colour\nNorth,red\nSouth,red\n");
    assert_eq!(made(&format!("{region}{colour}"), with).check("schema").outcome, Outcome::Holds);
    let said = made(region, with).failing("schema");
    assert!(said.says.contains("`colour` is in the file and the spec does not declare it"), "{said:?}");
    let said = made(&format!("{region}{colour}"), without).failing("schema");
    assert!(said.says.contains("the spec declares `colour`"), "{said:?}");
}
