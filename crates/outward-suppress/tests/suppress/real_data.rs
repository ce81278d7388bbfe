//! The tables of the benchmark.

use std::path::Path;

use outward_audit::jj;
use outward_suppress::suppress::{SuppressionOptions, suppress};
use outward_testing::real_data;

/// File, most secondary cells, and the most they may count together.
const KNOWN: [(&str, usize, i64); 6] = [
    ("s10x10", 8, 90),
    ("s50x50", 121, 1_200),
    ("s200x200", 1_800, 21_100),
    ("s20x20x20", 540, 9_000),
    // Groupings that overlap: GaussSuppression hides 1,094 and 446 besides.
    ("sosial_linked_2", 1_094, i64::MAX),
    ("sosial_linked_10", 446, i64::MAX),
];

#[test]
fn tables_of_the_benchmark_need_fewer_cells_than_peers_hide() {
    for (name, most, most_counts) in KNOWN {
        let text = real_data::text(&format!("tables/{name}.jj.gz"));
        let system = jj::read(&text, Path::new(name)).unwrap();
        let pattern = suppress(&system, &SuppressionOptions::default()).unwrap();
        let counts: i64 = pattern.secondary.iter().map(|cell| system.cells[*cell as usize].value).sum();
        println!("{name}: {} secondary cells, counts {counts}", pattern.secondary.len());
        assert!(pattern.secondary.len() <= most && counts <= most_counts);
        assert_eq!(pattern, suppress(&system, &SuppressionOptions::default()).unwrap());
        let written = jj::write(&system, &pattern.hidden);
        assert_eq!(jj::read(&written, Path::new(name)).unwrap().cells.len(), system.cells.len());
    }
}
