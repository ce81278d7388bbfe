//! Sections of specs that many tests share.

/// Data in a file, protected by hiding cells under the policy `gss-tables`.
pub fn suppressed(file: &str) -> String {
    format!("[data]\npath = \"{file}\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n")
}

/// A file linked to `[data]` by `id`.
pub fn linked(name: &str) -> String {
    format!("[[linked]]\nname = \"{name}\"\ndata = {{ path = \"{name}.csv\" }}\non = [\"id\"]\n")
}

/// Variables that are keys.
pub fn keys(names: &[&str]) -> String {
    names.iter().map(|name| format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\n")).collect()
}

/// A table of some variables; what else is said of it follows, a line for each.
pub fn table(name: &str, variables: &[&str], more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!("{more}\n") };
    format!("[[tables]]\nname = \"{name}\"\nvariables = {variables:?}\n{more}")
}

/// Tables `t0`, `t1` and so on of these variables.
pub fn tables(shown: &[&[&str]]) -> String {
    shown.iter().enumerate().map(|(at, variables)| table(&format!("t{at}"), variables, "")).collect()
}

/// Collisions by road and severity, and their casualties by the same.
pub fn collisions_and_casualties() -> String {
    let by = ["road", "severity"];
    let casualties = table("casualties", &by, "unit = \"casualties\"");
    suppressed("collisions.csv") + &linked("casualties") + &keys(&by) + &table("collisions", &by, "") + &casualties
}

/// Steps that drop an identifier and recode a key and a geography to the first level of their hierarchies.
pub fn drop_and_recode(identifier: &str, key: &str, geography: &str) -> String {
    let recode = |variable| format!("[[steps]]\ndo = \"recode\"\nvariable = \"{variable}\"\nlevel = 1\n");
    format!("[[steps]]\ndo = \"drop\"\nvariables = [\"{identifier}\"]\n{}{}", recode(key), recode(geography))
}

/// Ages below 25 in one table and below 26 in another, and both linked by illness to a third. The difference of two
/// tables is the people aged 25. Groups of ages are in `ages.csv`.
pub const CUT_AT_TWO_AGES: &str = r#"
title = "Illness"
[data]
path = "people.csv"
[policy]
name = "gss-tables"
[protection]
method = "suppress"
[[variables]]
name = "illness"
role = "key"
[[variables]]
name = "sex"
role = "key"
[[variables]]
name = "age"
role = "key"
hierarchy = { file = "ages.csv" }
[[tables]]
name = "young"
variables = ["age", "illness"]
levels = { age = [1] }
only = { age = ["16-24"] }
[[tables]]
name = "younger"
variables = ["age", "illness"]
levels = { age = [2] }
[[tables]]
name = "sexes"
variables = ["illness", "sex"]
"#;

/// A table as it is given, one line for each cell.
pub const GIVEN: &str = r#"[data]
path = "table.csv"

[policy]
name = "gss-tables"

[[variables]]
name = "area"

[[variables]]
name = "illness"

[[variables]]
name = "people"
type = "number"

[[tables]]
name = "given"
variables = ["area", "illness"]
given = "people"
"#;

/// Its lines.
pub const GIVEN_CELLS: &str = "area,illness,people\nNorth,cold,100\nNorth,gout,200\nSouth,cold,50\nSouth,gout,70\n";
