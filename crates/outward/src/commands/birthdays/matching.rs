//! Two files matched on date of birth, sex and place: predicted and actual figures.

use std::path::Path;

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, TypedColumn};
use outward_risk::birthdays::{BirthDate, DatedCell, KnownDetails, compare, match_files, match_report};
use outward_spec::{Error, Result, Type};

use crate::cli::MatchArgs;
use crate::commands::assess::{data_name, source};
use crate::commands::show;
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &MatchArgs) -> Result<()> {
    if args.calendar.days.is_some_and(|days| !matches!(days, 365 | 366)) {
        return Err(Error::input("dates of birth are of years of 365 or 366 days").help("leave --days out").into());
    }
    let known = KnownDetails {
        calendar: super::calendar(&args.calendar)?,
        resolution: super::resolution(args.born),
        sex_known: args.sex.is_some(),
    };
    let first = count(session, args, &args.first, args.condition.as_deref())?;
    let name = data_name(&outward_spec::Source::file(&args.first));
    let mut inputs: Vec<&Path> = vec![&args.first];
    match &args.second {
        None => {
            let prediction = compare(&dated(&first, args, &args.first, "--where")?, &known)?;
            let report = match_report(&name, &prediction, None);
            show(session, &prediction, &report, args.report.as_deref(), &inputs)
        }
        Some(path) => {
            inputs.push(path);
            let second = count(session, args, path, args.second_where.as_deref())?;
            let matched = match_files(
                &dated(&first, args, &args.first, "--where")?,
                &dated(&second, args, path, "--second-where")?,
                &known,
            )?;
            let report = match_report(&name, &matched.master, Some(&matched));
            show(session, &matched, &report, args.report.as_deref(), &inputs)
        }
    }
}

/// Counts people by date of birth, sex and place.
fn count(session: &Session, args: &MatchArgs, path: &Path, condition: Option<&str>) -> Result<Cells> {
    let born =
        TypedColumn { name: args.date_of_birth.clone(), data_type: Type::Date, date_format: args.date_format.clone() };
    let data = Data { source: source(path, &args.reading)?, columns: vec![born] };
    let keys = [Some(&args.date_of_birth), args.sex.as_ref(), args.place.as_ref()].into_iter().flatten().cloned();
    let request = CountRequest { keys: keys.collect(), weight: None, condition: condition.map(str::to_owned) };
    let counted = session.runtime()?.block_on(session.engine().count_cells(&data, &[request]))?;
    counted.into_iter().next().ok_or_else(|| Error::bug("no cells were counted"))
}

/// The cells with their dates. A person without a date is an error, so that no count leaves them out silently.
fn dated<'a>(cells: &'a Cells, args: &'a MatchArgs, file: &Path, option: &str) -> Result<Vec<DatedCell<'a>>> {
    let missing = |cell: usize, name: &str| -> Error {
        Error::input("the value is missing, so the record cannot be matched")
            .file(file)
            .row(cells.first_rows()[cell])
            .variable(name)
            .help(format!("leave such records out: {option} '\"{name}\" IS NOT NULL'"))
            .into()
    };
    let dated = |cell: usize| -> Result<DatedCell<'a>> {
        let value = |key: usize, name: &str| cells.value(cell, key).ok_or_else(|| missing(cell, name));
        let born = read_date(value(0, &args.date_of_birth)?).ok_or_else(|| {
            Error::input("this is not a date").row(cells.first_rows()[cell]).variable(&args.date_of_birth)
        })?;
        let sex = args.sex.as_deref().map(|name| value(1, name)).transpose()?.unwrap_or_default();
        let place_key = 1 + usize::from(args.sex.is_some());
        let place = args.place.as_deref().map(|name| value(place_key, name)).transpose()?.unwrap_or("all");
        Ok(DatedCell { place, sex, born, people: cells.counts()[cell] })
    };
    (0..cells.len()).map(dated).collect()
}

/// A date as the cells write it, `YYYY-MM-DD`.
fn read_date(text: &str) -> Option<BirthDate> {
    let mut parts = text.get(..10)?.rsplitn(3, '-');
    let (day, month) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    BirthDate::new(parts.next()?.parse().ok()?, month, day).ok()
}
