//! Hierarchy files of τ-ARGUS (`.hrc`). Each line has one code, and each group comes before what is in it. A code has
//! as many leading characters as it is deep. The total is left out. (De Wolf, Hundepool, Giessing, Salazar and Castro
//! 2014, *τ-ARGUS user's manual*.)
//!
//! Rows of a hierarchy of ours hold the value first and then its labels, from finer to coarser. Branches of τ-ARGUS may
//! differ in depth. They are lined up at the coarse end: a value whose branch is short stays itself until its first group
//! begins.

use std::collections::BTreeMap;

use crate::hierarchy::{ANYTHING, Hierarchy, csv_line};
use outward_error::{Error, Result};

/// The leading character where a file says no other.
pub const LEAD: &str = "@";

/// A code of a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The code.
    pub code: String,
    /// The number of groups it is in, without the total.
    pub depth: usize,
}

/// The codes of a hierarchy file in their order; `lead` stands before a code once for each group it is in.
///
/// # Errors
/// If a code is empty or there twice, if the depth jumps, or if there is no code; with the line.
pub fn read(text: &str, lead: &str) -> Result<Vec<Code>> {
    check_lead(lead)?;
    let mut codes: Vec<Code> = Vec::new();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, content) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let mut code = content.trim();
        if code.is_empty() {
            continue;
        }
        let mut depth = 0;
        while let Some(rest) = code.strip_prefix(lead) {
            (code, depth) = (rest.trim_start(), depth + 1);
        }
        let fault = |what: String| Error::input(what).line(line as u64);
        if code.is_empty() {
            return Err(fault("there is no code after the leading characters".to_owned()).help("write a code").into());
        }
        let deepest = codes.last().map_or(0, |before| before.depth + 1);
        if depth > deepest {
            let what = format!("this code has {depth} leading `{lead}` where at most {deepest} can be");
            return Err(fault(what).help("write the group of a code in a line before it, one level less deep").into());
        }
        if let Some(before) = lines.insert(code, line) {
            let what = format!("`{code}` is here and in line {before}");
            return Err(fault(what).help("write every code once").into());
        }
        codes.push(Code { code: code.to_owned(), depth });
    }
    match codes.is_empty() {
        true => Err(Error::input("this hierarchy has no codes").help("write one code to a line").into()),
        false => Ok(codes),
    }
}

/// The rows of a hierarchy: each code that is not a group, then its labels from finer to coarser, all of the same length.
pub fn rows(codes: &[Code]) -> Vec<Vec<String>> {
    let length = codes.iter().map(|code| code.depth + 1).max().unwrap_or(0);
    let mut path: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for (position, code) in codes.iter().enumerate() {
        path.truncate(code.depth);
        path.push(&code.code);
        let is_group = codes.get(position + 1).is_some_and(|next| next.depth > code.depth);
        if !is_group {
            let stays_itself = std::iter::repeat_n(code.code.as_str(), length - path.len());
            rows.push(stays_itself.chain(path.iter().rev().copied()).map(str::to_owned).collect());
        }
    }
    rows
}

/// A hierarchy file as the CSV file of a hierarchy: one row for each value, which any spec can name.
///
/// # Errors
/// As [`read`].
pub fn hrc_to_csv(text: &str) -> Result<String> {
    Ok(rows(&read(text, LEAD)?).iter().map(|row| csv_line(row)).collect())
}

/// The hierarchy file of a hierarchy that lists its values.
///
/// # Errors
/// If the hierarchy is a rule and not a list, and as [`write()`].
pub fn from_hierarchy(hierarchy: &Hierarchy) -> Result<String> {
    let Some(values) = hierarchy.values() else {
        return Err(Error::input("this hierarchy is a rule and lists no values")
            .help("give a hierarchy of a file or a tree")
            .into());
    };
    let labels = |value: &str| {
        let levels = (0..hierarchy.levels() - 1).map(|level| hierarchy.recode(value, level));
        levels.flatten().map(|label| label.into_owned()).collect()
    };
    let rows: Vec<Vec<String>> = values.into_iter().map(labels).collect();
    write(&rows, LEAD)
}

/// The hierarchy file of rows: each a value and its labels, from finer to coarser. A label that repeats the one above it is
/// written once, and a last column of `*` is the total.
///
/// # Errors
/// If rows differ in length, a label is empty or cannot be written, or a label is in two places. The error names the
/// row.
pub fn write(rows: &[Vec<String>], lead: &str) -> Result<String> {
    check_lead(lead)?;
    let mut tree = CodeTree::default();
    let all = |row: &Vec<String>| row.len() > 1 && row.last().is_some_and(|label| label == ANYTHING);
    let with_total = rows.iter().all(all);
    for (number, row) in (1..).zip(rows) {
        let fault = |what: String, help: &str| Error::input(what).row(number).help(help);
        if row.is_empty() || row.len() != rows[0].len() {
            return Err(fault(
                "this row has no labels, or not as many as the first".to_owned(),
                "give every value all labels",
            )
            .into());
        }
        let labels = &row[..row.len() - usize::from(with_total)];
        let unfit = |label: &&String| {
            label.is_empty() || label.trim() != *label || label.starts_with(lead) || label.contains(['\n', '\r'])
        };
        if let Some(label) = labels.iter().find(unfit) {
            let what = format!("`{label}` cannot be a code of a hierarchy file");
            return Err(
                fault(what, "leave no label empty, and begin none with the leading characters or a space").into()
            );
        }
        if let Some(twice) = tree.add(labels) {
            let what = format!("`{twice}` is in two places of the hierarchy");
            return Err(fault(what, "give the two different names").into());
        }
    }
    if rows.is_empty() {
        return Err(Error::input("this hierarchy has no values").help("give at least one row").into());
    }
    let is_group = |row: &Vec<String>| tree.inside.contains_key(&Some(row[0].as_str()));
    if let Some((number, row)) = (1..).zip(rows).find(|(_, row)| is_group(row)) {
        let what = format!("`{}` is a value here and a group elsewhere", row[0]);
        return Err(Error::input(what).row(number).help("give the two different names").into());
    }
    Ok(tree.text(lead))
}

fn check_lead(lead: &str) -> Result<()> {
    match lead.is_empty() || lead.trim() != lead {
        true => Err(Error::input("the leading characters are empty or have a space").help("use `@`").into()),
        false => Ok(()),
    }
}

/// Codes with what is in them, in the order they first came.
#[derive(Default)]
struct CodeTree<'a> {
    /// For each code its group, if it has one.
    groups: BTreeMap<&'a str, Option<&'a str>>,
    /// What is in a group; the codes in none are under `None`.
    inside: BTreeMap<Option<&'a str>, Vec<&'a str>>,
}

impl<'a> CodeTree<'a> {
    /// Adds a row, from finer to coarser. Returns a label that already has another place, if there is one.
    fn add(&mut self, labels: &'a [String]) -> Option<&'a str> {
        let mut group = None;
        for label in labels.iter().rev().map(String::as_str) {
            if group == Some(label) {
                continue;
            }
            match self.groups.get(label) {
                Some(known) if *known == group => {}
                Some(_) => return Some(label),
                None => {
                    self.groups.insert(label, group);
                    self.inside.entry(group).or_default().push(label);
                }
            }
            group = Some(label);
        }
        None
    }

    /// Every code before what is in it.
    fn text(&self, lead: &str) -> String {
        let inside = |group: Option<&'a str>| self.inside.get(&group).map_or(&[][..], Vec::as_slice);
        let mut text = String::new();
        let mut waiting: Vec<(&str, usize)> = inside(None).iter().rev().map(|code| (*code, 0)).collect();
        while let Some((code, depth)) = waiting.pop() {
            text += &format!("{}{code}\n", lead.repeat(depth));
            waiting.extend(inside(Some(code)).iter().rev().map(|below| (*below, depth + 1)));
        }
        text
    }
}
