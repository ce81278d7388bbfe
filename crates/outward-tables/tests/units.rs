//! Tables of collisions beside tables of their casualties, attacked from what both show: no other collisions would do as well if
//! one told what the other hides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{ColumnCollector, Columns};
use outward_spec::{Policy, Protection, Spec, Table as Wanted};
use outward_tables::judge::{Verdict, judge_family};
use outward_tables::protect::{Protected, protect};
use outward_tables::{Figure, Files, Made, families, make, protected_together, requests};

const SPEC: &str = r#"
[data]
path = "collisions.csv"
[[linked]]
name = "casualties"
data = { path = "casualties.csv" }
on = ["id"]
[policy]
name = "gss-tables"
[protection]
method = "suppress"
[[variables]]
name = "road"
role = "key"
[[variables]]
name = "severity"
role = "key"
[[tables]]
name = "collisions"
variables = ["road", "severity"]
[[tables]]
name = "casualties"
variables = ["road", "severity"]
unit = "casualties"
"#;

const ROADS: usize = 3;
const SEVERITIES: usize = 3;
const KINDS: usize = ROADS * SEVERITIES;

/// Collisions and their casualties, on each road and of each severity.
type World = [(i64, i64); KINDS];

struct Release {
    verdicts: Vec<Verdict>,
    protected: Protected,
}

/// Files with one row for each collision and each casualty.
fn made(spec: &Spec, world: &World) -> Vec<Made> {
    let (mut collisions, mut casualties) = (Vec::new(), Vec::new());
    for (kind, (count, hurt)) in world.iter().enumerate() {
        for number in 0..*count {
            let id = format!("{kind}-{number}");
            collisions.push([
                id.clone(),
                format!("road {}", kind / SEVERITIES),
                format!("grade {}", kind % SEVERITIES),
            ]);
            // The first collision has all the casualties that the others leave.
            let own = if number == 0 { hurt - (count - 1) } else { 1 };
            casualties.extend((0..own).map(|_| [id.clone()]));
        }
    }
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let headers = [["id", "road", "severity"].map(str::to_owned).to_vec(), vec!["id".to_owned()]];
    let mut asked = requests(spec, &wanted, &headers, &[]).unwrap().into_iter();
    let mut read = Vec::new();
    let mut collect = |names: &[String], columns: Vec<ArrayRef>| {
        let request = asked.next().unwrap();
        let schema =
            Arc::new(Schema::new(names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let mut collector = ColumnCollector::new(&schema, &request.columns, &[]).unwrap();
        collector.observe(&batch).unwrap();
        read.push((request, Columns::merge(vec![collector]).unwrap()));
    };
    let column = |values: Vec<&String>| -> ArrayRef { Arc::new(StringArray::from_iter_values(values)) };
    collect(&headers[0], (0..3).map(|at| column(collisions.iter().map(|row| &row[at]).collect())).collect());
    collect(&headers[1], vec![column(casualties.iter().map(|row| &row[0]).collect())]);
    make(spec, &wanted, &Files::link(spec, read).unwrap(), &rules()).unwrap()
}

fn rules() -> outward_spec::TableRules {
    let policy = Policy::named("gss-tables").unwrap();
    policy.tier(Some("medium")).unwrap().unwrap().thresholds.tables.clone().unwrap()
}

/// None where the tables cannot be published.
fn release(world: &World, protection: &Protection) -> Option<(Release, Vec<Made>)> {
    let spec = Spec::parse(SPEC, "outward.toml").unwrap();
    let made = made(&spec, world);
    let mut verdicts = Vec::new();
    for family in families(&made) {
        let tables: Vec<outward_tables::Table> = family.iter().map(|at| made[*at].table.clone()).collect();
        verdicts.extend(judge_family(&tables, &rules()).unwrap());
    }
    let protected = protect(&made, &verdicts, protection, &rules(), Path::new("")).ok()?;
    protected.holds().then_some((Release { verdicts, protected }, made))
}

/// What a cell of a table counts: roads and severities that occur stand in their order, with totals last.
fn kinds_of(made: &Made, cell: usize) -> Vec<usize> {
    let nodes = made.table.nodes(cell);
    let accepted: Vec<Vec<&str>> = (made.table.dimensions.iter().zip(&nodes).zip(&made.inner.bases))
        .map(|((dimension, node), base)| {
            dimension.nodes[*node].values.iter().map(|code| base.values[*code as usize - 1].as_str()).collect()
        })
        .collect();
    let stands = |kind: &usize| {
        let (road, grade) = (format!("road {}", kind / SEVERITIES), format!("grade {}", kind % SEVERITIES));
        accepted[0].contains(&road.as_str()) && accepted[1].contains(&grade.as_str())
    };
    (0..KINDS).filter(stands).collect()
}

/// What is shown: which table, which kinds, and the figure.
fn shown(release: &Release, made: &[Made]) -> Vec<(usize, Vec<usize>, i64)> {
    let mut shown = Vec::new();
    for (table, published) in release.protected.published.iter().enumerate() {
        for (cell, figure) in published.figures.iter().enumerate() {
            if let Figure::Shown(value) = figure {
                shown.push((table, kinds_of(&made[table], cell), *value));
            }
        }
    }
    shown
}

/// Whether there is another world, each number moved by at most one, in which everything shown is true, every collision has a
/// casualty, and the secret is another number.
fn another_fits(world: &World, shown: &[(usize, Vec<usize>, i64)], secret: &(usize, Vec<usize>)) -> bool {
    let mut sums = vec![0i64; shown.len()];
    try_from(0, 0, &mut sums, world, shown, secret)
}

fn try_from(
    kind: usize,
    moved: i64,
    sums: &mut [i64],
    world: &World,
    shown: &[(usize, Vec<usize>, i64)],
    secret: &(usize, Vec<usize>),
) -> bool {
    if kind == KINDS {
        return moved != 0;
    }
    for by in (0..9).map(|at| [at / 3 - 1, at % 3 - 1]) {
        let (collisions, casualties) = (world[kind].0 + by[0], world[kind].1 + by[1]);
        if collisions < 0 || casualties < collisions || collisions == 0 && casualties > 0 {
            continue;
        }
        let touched = |(table, of, _): &(usize, Vec<usize>, i64)| if of.contains(&kind) { by[*table] } else { 0 };
        sums.iter_mut().zip(shown).for_each(|(sum, of)| *sum += touched(of));
        let left = |of: &(usize, Vec<usize>, i64)| of.1.iter().filter(|other| **other > kind).count() as i64;
        let moved = moved + if secret.1.contains(&kind) { by[secret.0] } else { 0 };
        if sums.iter().zip(shown).all(|(sum, of)| sum.abs() <= left(of))
            && try_from(kind + 1, moved, sums, world, shown, secret)
        {
            return true;
        }
        sums.iter_mut().zip(shown).for_each(|(sum, of)| *sum -= touched(of));
    }
    false
}

fn secrets(release: &Release, made: &[Made]) -> Vec<(usize, Vec<usize>)> {
    let cells = release.verdicts.iter().enumerate();
    let cells = cells.flat_map(|(table, verdict)| verdict.primary().into_iter().map(move |cell| (table, cell)));
    cells.map(|(table, cell)| (table, kinds_of(&made[table], cell))).collect()
}

fn worlds() -> impl Iterator<Item = World> {
    let mut state = 23u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as i64
    };
    std::iter::repeat_with(move || {
        std::array::from_fn(|_| {
            let collisions = if draw(3) == 0 { draw(3) } else { 2 + draw(9) };
            (collisions, if collisions == 0 { 0 } else { collisions + draw(3) })
        })
    })
}

#[test]
fn no_count_of_collisions_is_undone_by_the_casualties_nor_the_other_way_round() {
    let protection = Spec::parse(SPEC, "outward.toml").unwrap().protection;
    let (mut attacked, mut refused) = (0, 0);
    for world in worlds().take(30) {
        let Some((release, made)) = release(&world, &protection) else {
            refused += 1;
            continue;
        };
        let shown = shown(&release, &made);
        for secret in secrets(&release, &made) {
            attacked += 1;
            assert!(another_fits(&world, &shown, &secret), "{secret:?} of {world:?} is known from {shown:?}");
        }
    }
    assert!(attacked > 80 && refused < 4, "{attacked} secrets attacked, {refused} releases refused");
}

#[test]
fn every_collision_has_a_casualty_as_the_tables_show_and_the_certificate_says() {
    let protection = Spec::parse(SPEC, "outward.toml").unwrap().protection;
    let (release, made) = worlds().find_map(|world| release(&world, &protection)).unwrap();
    assert_eq!(protected_together(&made), [[0, 1]]);
    for certificate in &release.protected.certificates {
        assert_eq!(certificate.tables, ["collisions", "casualties"]);
        assert_eq!(certificate.every, ["casualties"]);
    }
}
