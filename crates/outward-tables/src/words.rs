//! The public statement on tables: that protection was applied and how, and what the symbols mean. Nothing in it helps
//! to undo the protection: it has no seed, no size of noise and no number of hidden cells.

mod additive;
mod condition;

use outward_spec::{Protection, ProtectionMethod, Rounding};

use crate::table::{Figure, Published, Table};
use crate::write::{HIDDEN, LOW, NOT_APPLICABLE, Publication, Wholes, measure};

use additive::{Sums, sums};

/// The parts of a statement.
pub(crate) struct Statement {
    /// That the tables were checked, and by which policy.
    pub(crate) opening: String,
    /// What was done.
    pub(crate) done: Vec<String>,
    /// The symbols in use, and what they mean.
    pub(crate) symbols: Vec<(&'static str, &'static str)>,
    /// How to read totals and percentages.
    pub(crate) reading: Vec<String>,
}

/// The statement that goes out with tables, as Markdown: what was done, what the symbols mean, how figures may be read.
pub fn statement(publication: &Publication<'_>) -> String {
    let Statement { opening, done, symbols, reading } = Statement::new(publication);
    let mut text = format!("# {}\n\n{opening}\n", one_line(publication.title));
    let mut part = |heading: &str, points: Vec<String>| {
        if !points.is_empty() {
            text += &format!("\n## {heading}\n\n");
            points.iter().for_each(|point| text += &format!("- {point}\n"));
        }
    };
    part("What was done", done);
    part("Symbols", symbols.iter().map(|(symbol, meaning)| format!("`{symbol}` {meaning}")).collect());
    part("Reading the figures", reading);
    text
}

impl Statement {
    pub(crate) fn new(publication: &Publication<'_>) -> Self {
        let tables = publication.tables;
        let policy = match one_line(publication.policy) {
            policy if policy.is_empty() => policy,
            policy => format!(" by the policy `{policy}`"),
        };
        let opening = format!(
            "Disclosure control was applied to these tables{policy}: they were judged before publication, and redesigned or changed \
             where needed, to protect the people they are about."
        );
        Self { opening, done: done(tables), symbols: symbols(tables), reading: reading(tables) }
    }
}

/// Told to readers if tables could not be checked together completely.
pub(crate) const PARTIAL: &str = " Not everything that follows from several of these tables together could be checked.";

/// What a method did to a table with these figures, in a sentence for readers.
pub fn protection(protection: &Protection, figures: &[Figure]) -> String {
    let base = protection.base;
    match (protection.method, protection.rounding) {
        (ProtectionMethod::Suppress, _) if !figures.contains(&Figure::Hidden) => "No figure had to be hidden or changed.".to_owned(),
        (ProtectionMethod::None, _) => "No figure had to be hidden or changed.".to_owned(),
        (ProtectionMethod::Suppress, _) => {
            "Figures that could reveal something about a person are hidden, and others with them, so that they cannot be worked \
             out from totals or from other tables published with them."
                .to_owned()
        }
        (ProtectionMethod::Round, Rounding::Controlled) => {
            format!("Figures are rounded together, up or down to multiples of {base}.")
        }
        (ProtectionMethod::Round, Rounding::Random) => format!(
            "Each figure is rounded up or down at random to a multiple of {base}, so that it is right on average. The same group of \
             people is rounded the same way in every table."
        ),
        (ProtectionMethod::Round, Rounding::Conventional) => {
            format!("Each figure is rounded to the nearest multiple of {base}.")
        }
        (ProtectionMethod::CellKey, _) => {
            "Small random changes were made to figures. The same group of people is changed the same way in every table."
                .to_owned()
        }
    }
}

/// Each different sentence once, with the names of its tables if there are several sentences.
fn done(tables: &[Published]) -> Vec<String> {
    let mut sentences: Vec<(String, Vec<String>)> = Vec::new();
    for published in tables {
        let sentence = sentence(&published.protection);
        match sentences.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, names)) => names.push(one_line(&published.table.name)),
            None => sentences.push((sentence, vec![one_line(&published.table.name)])),
        }
    }
    let all_alike = sentences.len() == 1;
    let said = sentences.into_iter().filter(|(sentence, _)| !sentence.is_empty());
    said.map(|(sentence, names)| if all_alike { sentence } else { format!("{}: {sentence}", names.join(", ")) })
        .collect()
}

fn symbols(tables: &[Published]) -> Vec<(&'static str, &'static str)> {
    let any = |wanted: Figure| tables.iter().any(|published| published.figures.contains(&wanted));
    let mut symbols = Vec::new();
    if any(Figure::Hidden) {
        symbols.push((
            HIDDEN,
            "confidential: the figure is not published, to protect people. It may itself be harmless, and hidden only so that \
             another cannot be worked out.",
        ));
    }
    if any(Figure::Low) {
        symbols.push((LOW, "low: the figure is above zero and rounds to zero."));
    }
    if any(Figure::NotApplicable) || tables.iter().any(has_percentage_of_nothing) {
        symbols.push((NOT_APPLICABLE, "not applicable: there is nothing to take a mean or a percentage of."));
    }
    symbols
}

fn has_percentage_of_nothing(published: &Published) -> bool {
    let Some((percentages, wholes)) = published.percentages.as_ref().zip(Wholes::new(&published.table)) else {
        return false;
    };
    let shown = |cell: usize| published.figures[cell] != Figure::Hidden;
    (percentages.iter().enumerate()).any(|(cell, given)| given.is_none() && shown(cell) && shown(wholes.cell(cell)))
}

fn is_mean(published: &Published) -> bool {
    published.table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean)
}

fn reading(tables: &[Published]) -> Vec<String> {
    let mut reading = Vec::new();
    match tables.iter().map(sums).max() {
        Some(Sums::Differ) => {
            reading
                .push("Figures were changed one by one, so a total may differ from the sum of its parts.".to_owned());
        }
        Some(Sums::Hold) if tables.iter().any(is_mean) => {
            reading.push("Where all parts are shown, counts and sums add up to their total; means do not.".to_owned());
        }
        Some(Sums::Hold) => reading.push("Where all parts are shown they add up to their total.".to_owned()),
        Some(Sums::None) | None => {}
    }
    reading.extend(counted_several_times(tables));
    reading.extend(apart(tables));
    if tables.iter().any(|published| published.percentages.is_some()) {
        reading.push(
            "Percentages are worked out from the published figures, and may differ slightly from those of the original ones."
                .to_owned(),
        );
    }
    if tables.iter().any(|published| published.table.weighted.is_some()) {
        reading.push("Estimates are for the population: each record represents several.".to_owned());
    }
    reading
}

/// A sentence on the variables under which a record may be counted several times.
fn counted_several_times(tables: &[Published]) -> Option<String> {
    let mut labels: Vec<String> = Vec::new();
    let mut total = false;
    for dimension in tables.iter().flat_map(|published| &published.table.dimensions).filter(|of| of.several) {
        let label = one_line(&dimension.label);
        total |= dimension.nodes.iter().any(|node| node.total);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let figures = if labels.len() == 1 { "its figures do" } else { "their figures do" };
    let once = if total { " A total counts everyone with at least one of the answers shown, once." } else { "" };
    (!labels.is_empty()).then(|| {
        let labels = all_of(&labels);
        format!("A record may be counted several times under {labels}, so {figures} not add up to a total.{once}")
    })
}

/// A sentence on what was not checked: hidden figures of one measure are not compared with tables of another measure.
fn apart(tables: &[Published]) -> Option<String> {
    let hidden = tables.iter().any(|published| published.figures.contains(&Figure::Hidden));
    let sums = |published: &Published| published.table.magnitudes.as_ref().map(|of| of.of.clone());
    let kind = |published: &Published| (sums(published), published.table.weighted.is_some());
    let several = tables.windows(2).any(|pair| kind(&pair[0]) != kind(&pair[1]));
    (hidden && several).then(|| {
        "Tables of counts are protected together, whatever they count; so are tables of estimates, and tables of sums and means \
         of the same amounts."
            .to_owned()
    })
}

/// Words as a list: `a, b and c`.
fn all_of(words: &[String]) -> String {
    match words.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// What the cells of a table contain, in a sentence.
pub(crate) fn contents(published: &Published) -> String {
    let table = &published.table;
    let (unit, of) = (one_line(&table.unit), table.magnitudes.as_ref().map(|magnitudes| one_line(&magnitudes.of)));
    let mut words = match (measure(table), of) {
        ("estimate", _) => format!("Estimated number of {unit}"),
        (measure, Some(of)) if table.weighted.is_some() => format!("Estimated {measure} of {of}, {unit}"),
        (measure, Some(of)) => format!("{} of {of}, {unit}", capital(measure)),
        _ => format!("Number of {unit}"),
    };
    if let Some(condition) = &table.condition {
        words += &format!(", where {}", condition::in_words(condition));
    }
    words + "." + &percent_words(published, table)
}

fn percent_words(published: &Published, table: &Table) -> String {
    if published.percentages.is_none() {
        return String::new();
    }
    let labels = table.percent_of.iter().filter_map(|position| table.dimensions.get(*position));
    let labels: Vec<String> = labels.map(|dimension| one_line(&dimension.label)).collect();
    format!(" Percentages are of the total over {}.", labels.join(" and "))
}

/// A text that ends in a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that begins with a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
