//! Large tables from files, and a crude way to hide cells in them.

use std::io::Read;

use outward_audit::{Cell, Status, System};

/// The benchmark tables; nothing where they are absent.
pub(crate) fn read(name: &str) -> Option<System> {
    let path = format!("{}/../../../shared/data/tables/{name}.jj.gz", env!("CARGO_MANIFEST_DIR"));
    let Ok(file) = std::fs::File::open(path) else {
        println!("skipped: {name} is not here");
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut lines = text.lines().skip(1);
    let number = |text: &str| text.parse::<i64>().unwrap();
    let cells = (0..number(lines.next().unwrap())).map(|_| lines.next().unwrap()).map(|line| {
        let field: Vec<&str> = line.split_whitespace().collect();
        let status = match field[3] {
            "u" => Status::Unsafe,
            "z" => Status::Frozen,
            _ => Status::Open,
        };
        let at = |place: usize| number(field[place]);
        let (lower_protection, upper_protection, sliding_protection) = (at(6), at(7), at(8));
        let (value, cost, lower, upper) = (at(1), at(2), at(4), at(5));
        Cell { value, cost, status, lower, upper, lower_protection, upper_protection, sliding_protection }
    });
    let mut system = System::new(cells.collect(), 1, true);
    for line in lines.skip(1) {
        let (_, terms) = line.split_once(':').unwrap();
        let fields: Vec<i64> = terms.split_whitespace().map(|field| number(field.trim_matches(['(', ')']))).collect();
        system.add(0, fields.chunks(2).map(|pair| (pair[0] as u32, pair[1] as i32))).unwrap();
    }
    Some(system)
}

/// Hides, for each unsafe cell, the box of siblings that hides fewest new cells: crude, but enough to attack.
pub(crate) fn boxes(system: &System) -> Vec<bool> {
    let by_cell = system.by_cell();
    let mut hidden: Vec<bool> = system.cells.iter().map(|cell| cell.status == Status::Unsafe).collect();
    for cell in (0..hidden.len()).filter(|cell| system.cells[*cell].status == Status::Unsafe) {
        let mut corners = vec![vec![0i64]];
        for (equation, by) in &by_cell[cell] {
            let siblings =
                system.terms(*equation as usize).iter().filter(|(other, b)| b == by && *other as usize != cell);
            let steps: Vec<i64> = siblings.map(|(other, _)| i64::from(*other) - cell as i64).collect();
            if *by > 0 {
                let further = |corner: &Vec<i64>, step: &i64| corner.iter().flat_map(|at| [*at, at + step]).collect();
                corners = corners
                    .iter()
                    .flat_map(|corner| steps.iter().map(|s| further(corner, s)).collect::<Vec<_>>())
                    .collect();
            }
        }
        let corners =
            corners.into_iter().map(|c| c.iter().map(|step| (cell as i64 + step) as usize).collect::<Vec<_>>());
        let open = corners
            .filter(|c| c.iter().all(|at| system.cells.get(*at).is_some_and(|cell| cell.status != Status::Frozen)));
        if let Some(best) = open.min_by_key(|c| c.iter().filter(|at| !hidden[**at]).count()) {
            best.into_iter().for_each(|at| hidden[at] = true);
        }
    }
    hidden
}
