//! Table 7 of the report on road casualties: deaths and injuries by age for three contributory factors in one region.

/// The three factors, as the shipped list calls them.
pub const FACTORS: [&str; 3] = ["306 Exceeding speed limit", "308 Following too close", "203 Defective brakes"];

/// The counts by age, each factor's fatal, serious and slight in turn.
pub const TABLE_7: [[u64; 10]; 9] = [
    [1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [4, 2, 3, 2, 3, 4, 6, 7, 4, 9],
    [3, 2, 6, 7, 5, 6, 9, 12, 10, 7],
    [0, 0, 0, 0, 3, 0, 0, 0, 0, 0],
    [2, 5, 4, 6, 3, 5, 4, 6, 7, 3],
    [5, 8, 10, 9, 6, 7, 8, 9, 11, 13],
    [0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
    [4, 3, 7, 5, 8, 9, 11, 8, 8, 5],
    [6, 9, 12, 12, 13, 9, 10, 8, 6, 7],
];
