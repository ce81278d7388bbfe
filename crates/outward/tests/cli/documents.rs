//! The documents name files, folders and crates that exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders at the root. A path in a document that begins with one of them is seen from the root.
const ROOT_FOLDERS: [&str; 10] =
    ["attacks", "benches", "checks", "crates", "docs", "examples", "metadata", "policies", "scenarios", "scripts"];

/// Every file and folder below a folder, by its path from there. Builds and hidden folders are left out.
fn paths_below(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let is_folder = entry.file_type().unwrap().is_dir();
            if is_folder && (name.starts_with('.') || name == "target") {
                continue;
            }
            found.insert(entry.path().strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
            if is_folder {
                folders.push(entry.path());
            }
        }
    }
    found
}

/// What stands between backticks in the prose of a document; indented lines are examples.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.lines().filter(|line| !line.starts_with("    "));
    prose.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The targets of the links of a document that are not on the web, without their anchors.
fn local_links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

/// Whether a document means a path by these characters: no blanks, and nothing that stands for other names.
fn is_path(span: &str) -> bool {
    let has_placeholder =
        span.split(['/', '.']).any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()));
    span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)) && (!has_placeholder || span.ends_with(".md"))
}

/// What a document names and is not there. A name such as `swap/units.rs` may be in any crate that the document names.
fn missing(document: &str, text: &str, paths: &BTreeSet<String>) -> Vec<String> {
    let exists = |path: &str| paths.contains(path.trim_end_matches('/'));
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    let is_in_named_crate = |path: &str| path.split('/').nth(1).is_some_and(|name| words.contains(name));
    let is_source = |name: &str| {
        let ending = format!("/{name}");
        paths.iter().any(|path| path.ends_with(&ending) && is_in_named_crate(path))
    };
    let is_there = |span: &&str| match span.split('/').next() {
        _ if span.ends_with(".rs") => exists(span) || is_source(span),
        Some(folder) if span.contains('/') && ROOT_FOLDERS.contains(&folder) => exists(span) || is_source(span),
        _ if span.starts_with("outward-") && !span.contains('.') => exists(&format!("crates/{span}")),
        _ => true,
    };
    let folder = Path::new(document).parent().unwrap();
    let spans = code_spans(text).filter(|span| is_path(span) && !is_there(span));
    let links = local_links(text).filter(|target| !exists(&simplified(&folder.join(target))));
    spans.chain(links).map(str::to_owned).collect()
}

/// A path without `..`.
fn simplified(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.to_str().unwrap().split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_file_and_crate_that_a_document_names_is_there() {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let paths = paths_below(&root);
    let documents: Vec<&String> =
        paths.iter().filter(|path| path.ends_with(".md") && *path != "CHANGELOG.md").collect();
    assert!(documents.len() > 30, "{documents:?}");
    let missed = documents.iter().flat_map(|document| {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        missing(document, &text, &paths).into_iter().map(move |name| format!("{document}: {name}"))
    });
    assert_eq!(missed.collect::<Vec<String>>(), Vec::<String>::new());
}

/// The crates of ours that a crate depends on when it is built, tests left out.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("outward-")?.split(['.', ' ']).next()).collect()
}

#[test]
fn the_table_of_crates_says_what_each_crate_uses() {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let mut checked = 0;
    for line in text.lines().filter(|line| line.starts_with("| `outward-")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() != 5 {
            continue;
        }
        let manifest = root.join("crates").join(cells[1].trim_matches('`')).join("Cargo.toml");
        let Ok(manifest) = std::fs::read_to_string(manifest) else { continue };
        // What a crate needs for one of its features comes after a semicolon.
        let named =
            cells[3].split(';').next().unwrap().split(", ").filter(|name| *name != "–").collect::<BTreeSet<&str>>();
        let used: BTreeSet<&str> = match cells[1] {
            "`outward-fixtures`" => {
                dependencies(&manifest).difference(&["engine", "release"].into()).copied().collect()
            }
            _ => dependencies(&manifest),
        };
        assert_eq!(named, used, "{}", cells[1]);
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn a_name_of_no_file_is_missed() {
    let paths = [
        "crates/outward-cells",
        "crates/outward-cells/src/tally.rs",
        "crates/outward-risk/src/suda.rs",
        "docs/spec.md",
    ];
    let paths = paths.map(str::to_owned).into();
    let text = "`outward-cells` has `tally.rs` and `suda.rs`, [a](spec.md#a), [b](gone.md), `docs/gone.md`, `policies/NAME.toml`.";
    assert_eq!(missing("docs/page.md", text, &paths), ["suda.rs", "docs/gone.md", "gone.md"]);
    assert_eq!(missing("docs/page.md", "`outward-tally`", &paths), ["outward-tally"]);
}
