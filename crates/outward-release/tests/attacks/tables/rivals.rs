//! A ring of tables of sums attacked by every firm with all amounts of its own: other amounts are looked for behind the tables that leave all
//! that is shown as it is.

use outward_audit::find_integer_solution;
use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;

const SPEC: &str = "
    data = { path = 'firms.csv' }
    policy = { name = 'gss-tables', tables = { coalition = 1, categories = [{ name = 'm', cells = 2, margins = 2 }], \
               cases = [{ category = 'm' }], magnitude = { p = 10 } } }
    protection = { method = 'suppress' }
    variables = [{ name = 'trade', role = 'key' }, { name = 'place', role = 'key' }, { name = 'kind', role = 'key' }, \
                 { name = 'amount', type = 'number' }, { name = 'firm' }]
    tables = [{ name = 't1', variables = ['trade', 'place'], measure = 'sum', of = 'amount', contributor = 'firm' },
              { name = 't2', variables = ['place', 'kind'], measure = 'sum', of = 'amount', contributor = 'firm' },
              { name = 't3', variables = ['trade', 'kind'], measure = 'sum', of = 'amount', contributor = 'firm' }]";

/// Trade, place, kind, amount and firm. Firm 4 is alone where trade 2, place 2 and kind 2 meet, and with others wherever two of them do.
const FIRMS: [([usize; 3], i64, usize); 20] = [
    ([2, 1, 1], 63, 1),
    ([2, 3, 3], 14, 2),
    ([1, 2, 2], 51, 3),
    ([2, 2, 2], 12, 4),
    ([2, 3, 2], 10, 5),
    ([2, 3, 2], 146, 6),
    ([1, 2, 3], 10, 7),
    ([1, 3, 1], 315, 8),
    ([1, 3, 2], 346, 8),
    ([2, 3, 1], 8, 9),
    ([2, 3, 3], 10, 9),
    ([2, 2, 3], 26, 10),
    ([2, 1, 3], 61, 11),
    ([2, 1, 2], 12, 12),
    ([1, 2, 1], 62, 13),
    ([2, 1, 2], 12, 14),
    ([2, 2, 3], 52, 15),
    ([2, 3, 1], 7, 16),
    ([1, 3, 3], 3, 17),
    ([1, 1, 2], 13, 18),
];

/// The variables of each table.
const TABLES: [[usize; 2]; 3] = [[0, 1], [1, 2], [0, 2]];
const SIZES: [usize; 3] = [2, 3, 3];

/// A cell: its table, and of each of its two variables the value, or all.
type Cell = (usize, [Option<usize>; 2]);

fn is_in(cell: &Cell, record: &[usize; 3]) -> bool {
    TABLES[cell.0].iter().zip(cell.1).all(|(variable, value)| value.is_none_or(|value| record[*variable] == value))
}

fn atoms() -> Vec<[usize; 3]> {
    let two = |trade| (1..=SIZES[1]).flat_map(move |place| (1..=SIZES[2]).map(move |kind| [trade, place, kind]));
    (1..=SIZES[0]).flat_map(two).collect()
}

/// What firms have in a cell, the largest first.
fn amounts(cell: &Cell) -> Vec<(i64, usize)> {
    let mut amounts = std::collections::BTreeMap::new();
    for (_, amount, firm) in FIRMS.iter().filter(|(record, ..)| is_in(cell, record)) {
        *amounts.entry(*firm).or_insert(0) += amount;
    }
    let mut amounts: Vec<(i64, usize)> = amounts.into_iter().map(|(firm, amount)| (amount, firm)).collect();
    amounts.sort_unstable_by(|a, b| b.cmp(a));
    amounts
}

#[test]
fn no_firm_in_a_ring_of_sums_comes_too_near_to_the_only_other_in_a_cell() {
    let mut data = "trade,place,kind,amount,firm\n".to_owned();
    for ([trade, place, kind], amount, firm) in FIRMS {
        data += &format!("t{trade},p{place},k{kind},{amount},f{firm}\n");
    }
    let bundle = Bundle::from_spec(SPEC, &[("firms.csv", &data)]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let published = bundle.json("public/tables.json");
    let (mut shown, mut hidden): (Vec<(Cell, i64)>, Vec<Cell>) = (Vec::new(), Vec::new());
    for (table, variables) in TABLES.iter().enumerate() {
        let figures = published["tables"][table]["figures"].as_array().unwrap();
        let width = SIZES[variables[1]] + 1;
        for (at, figure) in figures.iter().enumerate() {
            // The total is the last of each variable.
            let value = |variable: usize, at: usize| (at < SIZES[variable]).then_some(at + 1);
            let cell = (table, [value(variables[0], at / width), value(variables[1], at % width)]);
            match figure.as_i64() {
                Some(figure) => shown.push((cell, figure)),
                None => hidden.push(cell),
            }
        }
    }
    // Whether what a firm knows leaves a cell as little as this, or as much.
    let possible = |firm: usize, cell: &Cell, least: i64, most: i64| {
        let own = |atom: &[usize; 3]| -> i64 {
            FIRMS.iter().filter(|(record, _, of)| record == atom && *of == firm).map(|(_, amount, _)| amount).sum()
        };
        // What others have, atom by atom, and what is between the cell and each end.
        let sum = |cell: &Cell, value: i64| {
            let own: i64 = atoms().iter().filter(|atom| is_in(cell, atom)).map(own).sum();
            let terms = (0..).zip(atoms()).filter(|(_, atom)| is_in(cell, atom)).map(|(at, _)| (at, 1));
            (value - own, terms.collect::<Vec<(u32, i32)>>())
        };
        let count = atoms().len() as u32;
        let mut equations: Vec<(i64, Vec<(u32, i32)>)> = shown.iter().map(|(cell, value)| sum(cell, *value)).collect();
        for (slack, end, by) in [(count, most, 1), (count + 1, least, -1)] {
            let (right, mut terms) = sum(cell, end);
            terms.push((slack, by));
            equations.push((right, terms));
        }
        find_integer_solution(&vec![None; count as usize + 2], &equations).unwrap().is_some()
    };
    let mut tried = 0;
    for cell in &hidden {
        for firm in 1..=18 {
            let own: i64 = amounts(cell).iter().filter(|(_, of)| *of == firm).map(|(amount, _)| amount).sum();
            let others: Vec<i64> =
                amounts(cell).iter().filter(|(_, of)| *of != firm).map(|(amount, _)| *amount).collect();
            let [other] = others[..] else { continue };
            let apart = (other + 9) / 10;
            tried += 1;
            assert!(possible(firm, cell, 0, own + other - apart), "firm {firm} knows {cell:?} from below");
            assert!(possible(firm, cell, own + other + apart, 1_000_000), "firm {firm} knows {cell:?} from above");
        }
    }
    assert!(tried > 20, "{tried}");
}
