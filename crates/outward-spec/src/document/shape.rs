//! Checks the shape of a TOML document against a JSON schema: unknown fields, wrong types, unknown choices, missing
//! fields, values out of range. Serde would find the same mistakes, but later, without the place or the near miss.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use outward_error::{Error, Fault, nearest, suggest};

/// At most so many choices are listed beside the nearest.
const CHOICES_LISTED: usize = 5;

type TomlNode<'a> = Spanned<DeValue<'a>>;

/// The fault nearest to the top of the file, if there is one.
pub(super) fn first_fault(root: &TomlNode<'_>, schema: &Value) -> Option<(Fault, Range<usize>)> {
    let mut shape = Shape { schema, faults: Vec::new() };
    shape.check(root, schema, "");
    shape.faults.into_iter().min_by_key(|(_, span)| span.start)
}

struct Shape<'s> {
    schema: &'s Value,
    faults: Vec<(Fault, Range<usize>)>,
}

impl<'s> Shape<'s> {
    /// Checks `node`, the value of the field `field`, against `schema`.
    fn check(&mut self, node: &TomlNode<'_>, schema: &'s Value, field: &str) {
        let branches = self.branches(schema);
        let choices: Vec<&str> = branches.iter().flat_map(|branch| choices(branch)).collect();
        if !choices.is_empty() {
            return self.check_choice(node, &choices, field);
        }
        let fitting: Vec<&Value> = branches.iter().copied().filter(|branch| accepts(branch, node.get_ref())).collect();
        match (fitting.as_slice(), node.get_ref()) {
            ([], value) => self.fault(wrong_type(&branches, value, field), node.span()),
            ([one], DeValue::Table(table)) => self.check_table(table, node.span(), one, field),
            (many, DeValue::Table(table)) => self.check_kinds(table, node.span(), many, field),
            (many, DeValue::Array(_)) => self.check_list(node, many, field),
            ([one, ..], value) => self.check_scalar(value, node.span(), one, field),
        }
    }

    /// The alternatives of a schema, references followed, "nothing" left out.
    fn branches(&self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            return self.branches(&self.schema["$defs"][name]);
        }
        match schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            Some(alternatives) => alternatives.iter().flat_map(|branch| self.branches(branch)).collect(),
            None if schema["type"] == "null" => Vec::new(),
            None => vec![schema],
        }
    }

    fn check_choice(&mut self, node: &TomlNode<'_>, choices: &[&str], field: &str) {
        let Some(written) = node.get_ref().as_str() else {
            let help = suggest("", choices.iter().copied(), "choices");
            let what = format!("{} is {} where a word in quotes is expected", called(field), kind(node.get_ref()));
            return self.fault(Error::input(what).help(help), node.span());
        };
        if !choices.contains(&written) {
            let mut help = suggest(written, choices.iter().copied(), "choices");
            // The nearest choice may not be the one the user meant. If there are few choices, all are listed.
            if choices.len() <= CHOICES_LISTED && nearest(written, choices.iter().copied()).is_some() {
                help += &format!(" {}", suggest("", choices.iter().copied(), "choices"));
            }
            self.fault(Error::input(format!("{} cannot be `{written}`", called(field))).help(help), node.span());
        }
    }

    fn check_table(&mut self, table: &DeTable<'_>, span: Range<usize>, schema: &'s Value, field: &str) {
        let fields = schema["properties"].as_object();
        let mut unknown = false;
        for (name, value) in table {
            let known = fields.and_then(|fields| fields.get(name.get_ref().as_ref()));
            match (known, &schema["additionalProperties"]) {
                (Some(known), _) => self.check(value, known, name.get_ref()),
                (None, any @ Value::Object(_)) => self.check(value, any, name.get_ref()),
                (None, _) => {
                    unknown = true;
                    let known = fields.into_iter().flat_map(|fields| fields.keys().map(String::as_str));
                    let help = suggest(name.get_ref(), known, "fields");
                    let what = format!("unknown field `{}`{}", name.get_ref(), inside(field));
                    self.fault(Error::input(what).help(help), name.span());
                }
            }
        }
        // A field that is missing beside an unknown one is most likely that field, misspelt.
        for name in required(schema).filter(|_| !unknown) {
            if !table.contains_key(name) {
                let what = format!("`{name}` is missing{}", inside(field));
                let fault = Error::input(what).help(add(name, self.branches(&schema["properties"][name]), schema));
                self.fault(fault, span.clone());
            }
        }
    }

    /// A table that can be of several kinds. A tag says the kind, or a field that only that kind has.
    fn check_kinds(&mut self, table: &DeTable<'_>, span: Range<usize>, kinds: &[&'s Value], field: &str) {
        if let Some(tag) = tag(kinds) {
            let names: Vec<&str> = kinds.iter().filter_map(|kind| kind["properties"][tag]["const"].as_str()).collect();
            let Some(written) = table.get(tag) else {
                let help = suggest("", names.into_iter(), "choices");
                return self.fault(Error::input(format!("`{tag}` is missing{}", inside(field))).help(help), span);
            };
            return match kinds
                .iter()
                .find(|kind| kind["properties"][tag]["const"].as_str() == written.get_ref().as_str())
            {
                Some(kind) => self.check_table(table, span, kind, field),
                None => self.check_choice(written, &names, tag),
            };
        }
        let marks: Vec<&str> = kinds.iter().flat_map(|kind| required(kind)).collect();
        let chosen: Vec<_> = kinds.iter().filter(|kind| required(kind).any(|name| table.contains_key(name))).collect();
        match chosen.as_slice() {
            [kind] => self.check_table(table, span, kind, field),
            [] => {
                let written = table.keys().next().map(|name| name.get_ref().as_ref()).unwrap_or_default();
                let help = suggest(written, marks.into_iter(), "fields that say which");
                let what = format!("{} does not say which kind it is", called(field));
                self.fault(Error::input(what).help(help), span);
            }
            [one, other, ..] => {
                let names = [one, other].map(|kind| required(kind).next().unwrap_or_default());
                let what = format!("{} has both `{}` and `{}`", called(field), names[0], names[1]);
                self.fault(Error::input(what).help("keep one of them"), span);
            }
        }
    }

    fn check_list(&mut self, node: &TomlNode<'_>, kinds: &[&'s Value], field: &str) {
        let Some(entries) = node.get_ref().as_array() else { return };
        let fits = |kind: &&&'s Value| {
            let first = entries.first().map(|entry| entry.get_ref());
            first.is_none_or(|first| self.branches(&kind["items"]).iter().any(|item| accepts(item, first)))
        };
        let Some(kind) = kinds.iter().find(fits).or(kinds.first()) else { return };
        if (entries.len() as u64) < kind["minItems"].as_u64().unwrap_or(0) {
            let fault = Error::input(format!("{} is empty", called(field))).help("name at least one, or remove it");
            self.fault(fault, node.span());
        }
        for entry in entries {
            self.check(entry, &kind["items"], field);
        }
    }

    fn check_scalar(&mut self, value: &DeValue<'_>, span: Range<usize>, schema: &'s Value, field: &str) {
        if let Some(text) = value.as_str() {
            if (text.trim().chars().count() as u64) < schema["minLength"].as_u64().unwrap_or(0) {
                self.fault(
                    Error::input(format!("{} is empty", called(field))).help("write at least one character"),
                    span,
                );
            }
            return;
        }
        let Some(number) = number(value) else { return };
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if !number.is_finite() || least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
            let help = match (least, most) {
                _ if !number.is_finite() => "write an ordinary number".to_owned(),
                (Some(least), Some(most)) if most <= 1.0 => format!("write a number from {least} to {most}"),
                (Some(least), _) => format!("write {least} or more"),
                _ => "write an ordinary number".to_owned(),
            };
            self.fault(Error::input(format!("{} is out of range", called(field))).help(help), span);
        }
    }

    fn fault(&mut self, fault: Fault, span: Range<usize>) {
        self.faults.push((fault, span));
    }
}

/// The words a schema allows, where it allows only certain words.
fn choices(schema: &Value) -> Vec<&str> {
    match (&schema["const"], &schema["enum"]) {
        (Value::String(word), _) => vec![word],
        (_, Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The field whose value says the kind of a table, as `do` does for steps.
fn tag<'s>(kinds: &[&'s Value]) -> Option<&'s str> {
    let fields = kinds.first()?["properties"].as_object()?;
    fields.iter().find(|(_, field)| field["const"].is_string()).map(|(name, _)| name.as_str())
}

/// Whether the schema allows a value of this type.
fn accepts(schema: &Value, value: &DeValue<'_>) -> bool {
    let fits = |wanted: &str| match value {
        DeValue::String(_) => wanted == "string",
        DeValue::Integer(_) => wanted == "integer" || wanted == "number",
        DeValue::Float(_) => wanted == "number",
        DeValue::Boolean(_) => wanted == "boolean",
        DeValue::Array(_) => wanted == "array",
        DeValue::Table(_) => wanted == "object",
        DeValue::Datetime(_) => false,
    };
    types(schema).any(fits)
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str();
    let many = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many).filter(|name| *name != "null")
}

fn wrong_type(branches: &[&Value], value: &DeValue<'_>, field: &str) -> Fault {
    let wanted: Vec<&str> = branches.iter().flat_map(|branch| types(branch)).collect();
    let mut words: Vec<&str> = wanted.iter().map(|name| type_word(name)).collect();
    words.dedup();
    let what = format!("{} is {} where {} is expected", called(field), kind(value), words.join(" or "));
    let help = match (value, wanted.first().copied()) {
        (DeValue::Table(_), Some("array")) => format!("write it with two brackets: `[[{field}]]`"),
        (DeValue::Array(_), Some("object")) => format!("write it with one bracket: `[{field}]`"),
        (DeValue::String(text), Some("integer" | "number")) if text.parse::<f64>().is_ok() => {
            "remove the quotes".to_owned()
        }
        (_, Some("array")) => "write it in brackets: `[...]`".to_owned(),
        (DeValue::Array(_), Some("string")) => {
            format!("name one, in quotes and without the brackets: `{field} = \"...\"`")
        }
        (_, Some("string")) => "put it in quotes".to_owned(),
        (DeValue::Float(_), Some("integer")) => "write it without decimals".to_owned(),
        _ => format!("write {}", words.join(" or ")),
    };
    Error::input(what).help(help)
}

fn type_word(name: &str) -> &'static str {
    match name {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "a section",
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}

/// A number as far as ranges go; a whole number beyond 64 bits counts as infinite.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix());
            Some(number.map_or(f64::INFINITY, |number| number as f64))
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

fn called(field: &str) -> String {
    if field.is_empty() { "the file".to_owned() } else { format!("`{field}`") }
}

fn inside(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!(" in `{field}`") }
}

/// How to mend a missing field, from what the schema says of it.
fn add(name: &str, branches: Vec<&Value>, schema: &Value) -> String {
    let section = branches.iter().any(|branch| types(branch).any(|wanted| wanted == "object"));
    let written = if section { format!("a section `[{name}]`") } else { format!("`{name} = ...`") };
    let said = schema["properties"][name]["description"].as_str().unwrap_or_default().replace('\n', " ");
    let said = said.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match said.chars().next() {
        Some(first) => format!("add {written}: {}{}", first.to_lowercase(), &said[first.len_utf8()..]),
        None => format!("add {written}"),
    }
}
