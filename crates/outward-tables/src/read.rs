//! Reads published tables back from their files. So the check is of what was written, not of what was meant.

mod csv;

use outward_spec::{Error, Result};

use crate::earlier::Earlier;
use crate::table::{Dimension, Figure, Kind, Magnitudes, Node, Published, Table};
use crate::write::decimals_of;
use crate::write::json::{
    DimensionForm, EarlierForm, FORMAT, FigureForm, FigureMark, KindForm, PercentageForm, PercentageMark, TableFile,
    TableForm, VERSION,
};

pub use csv::read_csv;

/// The tables of a JSON file. It has only what is published. So counts, keys and contributions are empty. Of estimates
/// and magnitudes it says only that the table has them.
///
/// # Errors
/// If the text is not a file of tables, or a table contradicts itself.
pub fn read_json(text: &str) -> Result<Vec<Published>> {
    let file: TableFile = serde_json::from_str(text).map_err(|error| {
        let what = match error.classify() {
            serde_json::error::Category::Data => "this is not the form of a file of tables",
            _ => "this is not JSON",
        };
        let fault = Error::input(what).help("give the JSON file that was written with the tables, as it was written");
        if error.line() > 0 { fault.line(error.line() as u64) } else { fault }
    })?;
    if file.format != FORMAT || file.version != VERSION {
        return Err(Error::input(format!("this is not a file of tables of version {VERSION}"))
            .help("read it with the version of Outward that wrote it")
            .into());
    }
    file.tables.into_iter().map(published).collect()
}

/// The tables of earlier releases, with what is public of each cell.
///
/// # Errors
/// If the text is not such a file, or a table contradicts itself.
pub fn read_earlier(text: &str) -> Result<Vec<(Published, Earlier)>> {
    let forms: Vec<EarlierForm> = serde_json::from_str(text)
        .map_err(|_| Error::input("this is not a file of earlier tables").help("give the bundle as it was written"))?;
    let read = |form: EarlierForm| {
        let published = published(form.table)?;
        match form.earlier.told.len() == published.figures.len() {
            true => Ok((published, form.earlier)),
            false => Err(Error::input(format!("table `{}` is not told cell by cell", published.table.name))
                .help("give the bundle as it was written")
                .into()),
        }
    };
    forms.into_iter().map(read).collect()
}

fn published(form: TableForm) -> Result<Published> {
    check(&form)?;
    let figure = |form: FigureForm| match form {
        FigureForm::Number(value) => Figure::Shown(value),
        FigureForm::Mark(FigureMark::Hidden) => Figure::Hidden,
        FigureForm::Mark(FigureMark::Low) => Figure::Low,
        FigureForm::Mark(FigureMark::NotApplicable) => Figure::NotApplicable,
    };
    let percentage = |form: PercentageForm| match form {
        PercentageForm::Number(percentage) => Some(percentage),
        PercentageForm::Mark(PercentageMark::Low) => Some(0.0),
        PercentageForm::Mark(PercentageMark::Hidden | PercentageMark::NotApplicable) => None,
    };
    let mean = form.measure == "mean";
    let table = Table {
        name: form.name,
        title: form.title,
        unit: form.unit,
        condition: form.condition,
        records: form.records,
        kinds: form.kinds,
        dimensions: form.dimensions.into_iter().map(dimension).collect(),
        geography: form.geography,
        weighted: form.weighted.then(Vec::new),
        magnitudes: form.of.map(|of| Magnitudes { of, mean, scale: form.scale, ..Magnitudes::default() }),
        percent_of: form.percent_of,
        ..Table::default()
    };
    Ok(Published {
        table,
        figures: form.figures.into_iter().map(figure).collect(),
        scale: form.scale,
        percentages: form.percentages.map(|forms| forms.into_iter().map(percentage).collect()),
        category: form.category,
        protection: form.protection,
    })
}

fn dimension(form: DimensionForm) -> Dimension {
    let kind = match form.kind {
        KindForm::Fact => Kind::Fact,
        KindForm::Geography => Kind::Geography,
        KindForm::Rated => Kind::Rated,
    };
    let nodes = (form.nodes.into_iter())
        .map(|node| Node {
            label: node.label,
            level: node.level,
            finest: node.finest,
            total: node.total,
            values: node.values,
            high: node.high,
        })
        .collect();
    Dimension {
        variable: form.variable,
        label: form.label,
        kind,
        nodes,
        sums: form.sums,
        several: form.several,
        size: form.size,
        source: form.source,
    }
}

/// Refuses a table with numbers out of range, so that later code need not check again.
fn check(form: &TableForm) -> Result<()> {
    let wrong = |what: String| {
        Err(Error::input(format!("table `{}` {what}", form.name))
            .help("give the JSON file that was written with the tables, as it was written")
            .into())
    };
    let cells = form.dimensions.iter().try_fold(1usize, |cells, dimension| cells.checked_mul(dimension.nodes.len()));
    if cells != Some(form.figures.len()) {
        return wrong("has not one figure for each cell".to_owned());
    }
    if form.percentages.as_ref().is_some_and(|percentages| percentages.len() != form.figures.len()) {
        return wrong("has not one percentage for each cell".to_owned());
    }
    if form.percent_of.iter().any(|position| *position >= form.dimensions.len()) {
        return wrong("has percentages over a variable that is not there".to_owned());
    }
    let counted =
        form.records.is_sorted_by(|a, b| a < b) && form.records.last().is_none_or(|last| *last as usize <= form.kinds);
    if !counted || form.records.contains(&0) {
        return wrong("counts kinds of records that are not there".to_owned());
    }
    if decimals_of(form.scale).is_none() {
        return wrong(format!("has a scale of {}, which is not a power of ten", form.scale));
    }
    let measures: &[&str] = match (&form.of, form.weighted) {
        (Some(_), _) => &["sum", "mean"],
        (None, true) => &["estimate"],
        (None, false) => &["count"],
    };
    if !measures.contains(&form.measure.as_str()) {
        return wrong(format!("does not hold {}", measures.join(" or ")));
    }
    for dimension in &form.dimensions {
        let nodes = dimension.nodes.len();
        let outside = |(total, parts): &(usize, Vec<usize>)| *total >= nodes || parts.iter().any(|part| *part >= nodes);
        if dimension.sums.iter().any(outside) {
            return wrong(format!("has a sum over nodes of `{}` that are not there", dimension.variable));
        }
        if dimension.nodes.iter().any(|node| !node.values.is_sorted_by(|a, b| a < b)) {
            return wrong(format!("has a node of `{}` whose values are not in ascending order", dimension.variable));
        }
    }
    Ok(())
}
