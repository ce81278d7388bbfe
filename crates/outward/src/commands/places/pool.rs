//! `outward places pool`: which codes may be published, what happens to the rest, and what it costs.

use std::path::Path;

use outward_engine::{Data, SmallTable};
use outward_places::{
    ColumnNames, CountedPopulation, Headcount, Mapping, Point, RowPeople, Rule, Study, System, add_up, report, study,
};
use outward_spec::{Error, Result};

use crate::cli::{PoolArgs, PoolRule};
use crate::commands::assess::{data_name, source};
use crate::commands::show;
use crate::output::{Outcome, write_file};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &PoolArgs) -> Result<Outcome> {
    let study = pool(session, args)?;
    // A rule may leave groups without a location. People who must be left out are a finding.
    let told_apart = study.differences.as_ref().is_some_and(|found| !found.is_empty());
    Ok(if study.people_withheld > 0 || told_apart { Outcome::Findings } else { Outcome::Clean })
}

/// Pools, shows the study, and writes the mapping and the report where they are wanted.
pub(crate) fn pool(session: &Session, args: &PoolArgs) -> Result<Study> {
    if args.out.is_some() && args.out == args.report {
        return Err(Error::input("the mapping and the report would go to the same file").help("name two files").into());
    }
    let source = source(&args.data, &args.reading)?;
    let name = data_name(&source);
    let counted = read(session, args, &Data { source, columns: Vec::new() })?;
    let rule = match (args.rule, counted.system) {
        (Some(PoolRule::Us), _) | (None, System::Zips) => Rule::Us,
        (Some(PoolRule::Uk), _) => Rule::Uk,
        (Some(PoolRule::UkResidual), _) | (None, System::Postcodes) => Rule::UkResidual,
        (Some(PoolRule::Neighbour), _) => Rule::Neighbour,
    };
    let earlier = args.against.as_ref().map(Mapping::load).transpose()?;
    let (study, pooling) = study(&name, &counted, rule, args.threshold, &args.sweep, earlier.as_ref())?;
    let inputs: Vec<&Path> =
        [Some(&args.data), args.against.as_ref()].into_iter().flatten().map(AsRef::as_ref).collect();
    if let Some(path) = &args.out {
        write_file(path, &Mapping::from(&pooling).to_csv(), &inputs)?;
        session.remark(&format!("the mapping is in {}", path.display()));
    }
    show(session, &study, &report(&study), args.report.as_deref(), &inputs)?;
    Ok(study)
}

/// What columns of codes and of people are called. The first name that one column has is taken, else the first that exactly one
/// column begins with.
const CODES: [&str; 6] = ["code", "outward", "postcode", "zip", "zipcode", "pcd"];
const PEOPLE: [&str; 5] = ["population", "people", "residents", "headcount", "total"];

/// Reads the headcounts and adds them up.
fn read(session: &Session, args: &PoolArgs, data: &Data) -> Result<CountedPopulation> {
    let (runtime, engine) = (session.runtime()?, session.engine());
    if args.rule == Some(PoolRule::Neighbour) && args.easting.is_none() {
        return Err(Error::input("the neighbour rule needs the coordinates of every code")
            .help("name their columns with --easting and --northing")
            .into());
    }
    let mut known: Option<Vec<String>> = None;
    let mut find = |what: &str, option: &str, names: &[&str]| -> Result<String> {
        let columns = match &known {
            Some(columns) => columns,
            None => {
                let schema = runtime.block_on(engine.describe(data))?.schema;
                known.insert(schema.fields().iter().map(|field| field.name().clone()).collect())
            }
        };
        let only = |fits: &dyn Fn(&str, &str) -> bool| {
            names.iter().find_map(|name| {
                let mut named = columns.iter().filter(|column| fits(&column.to_lowercase(), name));
                named.next().filter(|_| named.next().is_none())
            })
        };
        let found = only(&|column, name| column == name).or_else(|| only(&|column, name| column.starts_with(name)));
        let Some(found) = found else {
            let help = format!("name it with {option}; the columns are {}", columns.join(", "));
            return Err(Error::input(format!("it is not clear which column holds the {what}")).help(help).into());
        };
        session.remark(&format!("the {what} are taken from column {found}"));
        Ok(found.clone())
    };
    let code = args.code.clone().map_or_else(|| find("codes", "--code", &CODES), Ok)?;
    let population = match (&args.population, args.persons) {
        (_, true) => None,
        (Some(column), _) => Some(column.clone()),
        (None, _) => Some(find("people", "--population, or say --persons where each row is one person", &PEOPLE)?),
    };
    let mut columns = vec![code.clone()];
    let mut column = |name: &Option<String>| {
        name.as_ref().map(|name| {
            columns.iter().position(|known| known == name).unwrap_or_else(|| {
                columns.push(name.clone());
                columns.len() - 1
            })
        })
    };
    let (people, nation) = (column(&population), column(&args.nation));
    let (easting, northing) = (column(&args.easting), column(&args.northing));
    let table = runtime.block_on(engine.read_table(data, &columns, args.condition.as_deref()))?;
    let points = points(&table, easting, northing, args)?;
    let rows = (0..table.len()).map(|at| Headcount {
        row: table.row(at),
        code: table.value(at, 0),
        people: people.map_or(RowPeople::One, |column| RowPeople::Counted(table.value(at, column))),
        nation: nation.and_then(|column| table.value(at, column)),
        at: points.get(at).copied().flatten(),
    });
    add_up(rows, ColumnNames { code: &code, people: population.as_deref().unwrap_or_default() })
}

/// The coordinates of each row; nothing if a row has none, or none were asked for.
fn points(
    table: &SmallTable,
    easting: Option<usize>,
    northing: Option<usize>,
    args: &PoolArgs,
) -> Result<Vec<Option<Point>>> {
    let (Some(easting), Some(northing)) = (easting, northing) else { return Ok(Vec::new()) };
    let number = |at: usize, column: usize, name: &Option<String>| -> Result<Option<f64>> {
        let Some(text) = table.value(at, column) else { return Ok(None) };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let wrong = || Error::input("a coordinate is not a number").row(table.row(at));
        number.map(Some).ok_or_else(|| {
            wrong()
                .variable(name.as_deref().unwrap_or_default())
                .help("write metres as a number, or leave the row out with --where")
                .into()
        })
    };
    let point = |at: usize| -> Result<Option<Point>> {
        let (east, north) = (number(at, easting, &args.easting)?, number(at, northing, &args.northing)?);
        Ok(east.zip(north).map(|(easting, northing)| Point { easting, northing }))
    };
    (0..table.len()).map(point).collect()
}
