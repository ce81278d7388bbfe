//! Collisions of each kind with their casualties: two linked files, and the tables that show both by the same variables.

use crate::csv::csv_text;
use crate::spec::{collisions_and_casualties, keys, linked, suppressed, table};

/// Variables of collisions, with the number of values of each; a kind of collision has one of each.
pub type Variables = [(&'static str, usize)];

/// Three variables of which no table shows all.
pub const RING: &Variables = &[("road", 2), ("severity", 2), ("light", 2)];

/// How many collisions and how many casualties there are of each kind.
pub type World = Vec<(i64, i64)>;

/// The values of a kind.
pub fn values(variables: &Variables, kind: usize) -> Vec<String> {
    let mut rest = kind;
    let mut values: Vec<String> = Vec::new();
    for (name, count) in variables.iter().rev() {
        values.push(format!("{name} {}", rest % count));
        rest /= count;
    }
    values.reverse();
    values
}

/// Files with one row for each collision and each casualty.
pub fn files(variables: &Variables, world: &World) -> [String; 2] {
    let (mut collisions, mut casualties) = (Vec::new(), Vec::new());
    for (kind, (count, hurt)) in world.iter().enumerate() {
        for number in 0..*count {
            let id = format!("{kind}-{number}");
            collisions.push([vec![id.clone()], values(variables, kind)].concat());
            // The first collision has all the casualties that the others leave.
            let own = if number == 0 { hurt - (count - 1) } else { 1 };
            casualties.extend((0..own).map(|_| [id.clone()]));
        }
    }
    let header: Vec<&str> = ["id"].into_iter().chain(variables.iter().map(|(name, _)| *name)).collect();
    [csv_text(&header, collisions), csv_text(&["id"], casualties)]
}

/// The spec of the tables of some variables: for three, collisions and casualties by each two of them.
pub fn spec(variables: &Variables) -> String {
    if variables.len() < 3 {
        return collisions_and_casualties();
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let two = [[names[0], names[1]], [names[1], names[2]], [names[0], names[2]]];
    let tables =
        |name: &str, unit: &str| (0..3).map(|at| table(&format!("{name}{at}"), &two[at], unit)).collect::<String>();
    let tables = tables("collisions", "") + &tables("casualties", "unit = \"casualties\"");
    suppressed("collisions.csv") + &linked("casualties") + &keys(&names) + &tables
}
