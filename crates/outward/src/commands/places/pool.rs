//! `outward places pool`: which codes may be published, what happens to the rest, and what it costs.

use std::path::Path;

use outward_engine::{Data, SmallTable};
use outward_places::{Counted, Headcount, Mapping, Names, People, Point, Rule, Study, add_up, report, study};
use outward_spec::{Error, Result};

use crate::cli::{PoolArgs, PoolRule};
use crate::commands::assess::{data_name, source};
use crate::commands::show;
use crate::output::{Outcome, write_file};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &PoolArgs) -> Result<Outcome> {
    let study = pool(session, args)?;
    // Groups that lose their location are what a rule does; people who must be left out are for someone to look at.
    Ok(if study.people_withheld > 0 { Outcome::Findings } else { Outcome::Clean })
}

/// Pools, shows the study, and writes the mapping and the report where they are wanted.
pub(crate) fn pool(session: &Session, args: &PoolArgs) -> Result<Study> {
    let source = source(&args.data, &args.reading)?;
    let name = data_name(&source);
    let counted = read(session, args, &Data { source, columns: Vec::new() })?;
    let rule = match args.rule {
        PoolRule::Us => Rule::Us,
        PoolRule::Uk => Rule::Uk,
        PoolRule::UkResidual => Rule::UkResidual,
        PoolRule::Neighbour => Rule::Neighbour,
    };
    let (study, pooling) = study(&name, &counted, rule, args.threshold, &args.sweep)?;
    let inputs: [&Path; 1] = [&args.data];
    if let Some(path) = &args.out {
        write_file(path, &Mapping::from(&pooling).to_csv(), &inputs)?;
        session.remark(&format!("the mapping is in {}", path.display()));
    }
    show(session, &study, &report(&study), args.report.as_deref(), &inputs)?;
    Ok(study)
}

/// Reads the headcounts and adds them up.
fn read(session: &Session, args: &PoolArgs, data: &Data) -> Result<Counted> {
    let mut columns = vec![args.code.clone()];
    let mut column = |name: &Option<String>| {
        name.as_ref().map(|name| {
            columns.iter().position(|known| known == name).unwrap_or_else(|| {
                columns.push(name.clone());
                columns.len() - 1
            })
        })
    };
    let (people, nation) = (column(&args.population), column(&args.nation));
    let (easting, northing) = (column(&args.easting), column(&args.northing));
    let table = session.runtime()?.block_on(session.engine().read_table(data, &columns, args.condition.as_deref()))?;
    let points = points(&table, easting, northing, args)?;
    let rows = (0..table.len()).map(|at| Headcount {
        row: table.row(at),
        code: table.value(at, 0),
        people: people.map_or(People::One, |column| People::Counted(table.value(at, column))),
        nation: nation.and_then(|column| table.value(at, column)),
        at: points.get(at).copied().flatten(),
    });
    let names = Names { code: &args.code, people: args.population.as_deref().unwrap_or_default() };
    add_up(rows, names)
}

/// The coordinates of each row; nothing where a row has none, or none were asked for.
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
        number.map(Some).ok_or_else(|| wrong().variable(name.as_deref().unwrap_or_default()).help("mend it").into())
    };
    let point = |at: usize| -> Result<Option<Point>> {
        let (east, north) = (number(at, easting, &args.easting)?, number(at, northing, &args.northing)?);
        Ok(east.zip(north).map(|(easting, northing)| Point { easting, northing }))
    };
    (0..table.len()).map(point).collect()
}
