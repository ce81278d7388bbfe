//! Where a missing value matches everything, a few records without any value stand for the k of all others. Each of these
//! is still alone to who looks for a whole match.

use outward_release::Outcome;

use super::desk::Desk;

const ALONE: u64 = 40;

/// People who all differ, and two records of whom nothing is known.
fn desk(missing: &str) -> Desk {
    let spec = format!(
        "missing = \"{missing}\"\n[policy]\nk = 3\n[[variables]]\nname = \"age\"\nrole = \"key\"\n\
         [[variables]]\nname = \"job\"\nrole = \"key\"\n[[variables]]\nname = \"ill\"\n"
    );
    let people: String = (0..ALONE).map(|row| format!("{},job {},no\n", 20 + row, row % 7)).collect();
    Desk::new(&spec, &format!("age,job,ill\n{people},,yes\n,,no\n"))
}

#[test]
fn blank_records_lend_nobody_their_k_where_missing_is_a_value() {
    let desk = desk("category");
    let protected = desk.protect().unwrap();
    assert!(!protected.written && !desk.bundle().exists());
    assert_eq!(protected.manifest.after.below_k, ALONE + 2);
}

#[test]
fn who_is_alone_but_for_blank_records_is_counted_and_told() {
    let desk = desk("wildcard");
    let after = desk.protect().unwrap().manifest.after;
    assert_eq!((after.uniques, after.smallest_class), (0, 3));
    assert_eq!(after.alone_exactly, Some(ALONE));
    let report = std::fs::read_to_string(desk.bundle().join("report.html")).unwrap();
    let told = report.split_once("Records alone, if missing is a value of its own").unwrap().1;
    assert!(told.split("</tr>").next().unwrap().contains(&ALONE.to_string()));
    assert_eq!(desk.verify().outcome(), Outcome::Holds);
}
