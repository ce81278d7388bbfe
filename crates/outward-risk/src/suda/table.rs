//! The cells as columns of codes, the key with most values first.

use outward_cells::{Cells, MISSING};

/// The distinct rows of the keys. A row is a cell of any count. Two records of one cell never differ on the keys, so
/// counts matter only when a unique row is reported.
#[derive(Debug)]
pub(super) struct KeyTable {
    pub(super) columns: Vec<KeyCodes>,
    /// How many rows there are.
    pub(super) rows: usize,
    /// The position among the cells' keys that each column had.
    pub(super) keys: Vec<usize>,
}

/// The codes of one key, from 0.
#[derive(Debug)]
pub(super) struct KeyCodes {
    pub(super) codes: PackedCodes,
    /// How many codes there can be. A code beyond stands for a missing value.
    pub(super) size: usize,
}

/// Codes in as few bytes as they fit: most of the time goes into fetching them.
#[derive(Debug)]
pub(super) enum PackedCodes {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Word(Vec<u32>),
}

/// Runs the same expression on codes of any width.
macro_rules! on_codes {
    ($codes:expr, $slice:ident => $body:expr) => {
        match $codes {
            $crate::suda::table::PackedCodes::Byte($slice) => $body,
            $crate::suda::table::PackedCodes::Short($slice) => $body,
            $crate::suda::table::PackedCodes::Word($slice) => $body,
        }
    };
}
pub(super) use on_codes;

impl KeyTable {
    /// Keys with many values come first. A subset is grown by its key of fewest values. So the array in which its
    /// classes are counted stays as small as possible.
    pub(super) fn from_cells(cells: &Cells) -> Self {
        let values = |key: usize| cells.keys()[key].dictionary.len();
        let mut keys: Vec<usize> = (0..cells.keys().len()).collect();
        keys.sort_by_key(|key| (std::cmp::Reverse(values(*key)), *key));
        let column = |key: &usize| {
            let code = |cell| cells.code(cell, *key);
            KeyCodes::new((0..cells.len()).map(|cell| code(cell).wrapping_sub(MISSING + 1)), values(*key))
        };
        Self { columns: keys.iter().map(column).collect(), rows: cells.len(), keys }
    }
}

impl KeyCodes {
    /// A column of codes from 0 to below `size`, which is below 2³²; missing values are `u32::MAX`.
    pub(super) fn new(codes: impl Iterator<Item = u32>, size: usize) -> Self {
        // Narrowing keeps a missing value the largest code of all, and larger than the last one.
        let codes = if size <= usize::from(u8::MAX) {
            PackedCodes::Byte(codes.map(|code| code as u8).collect())
        } else if size <= usize::from(u16::MAX) {
            PackedCodes::Short(codes.map(|code| code as u16).collect())
        } else {
            PackedCodes::Word(codes.collect())
        };
        Self { codes, size }
    }

    /// The rows whose value is not missing, ascending.
    pub(super) fn known(&self) -> Vec<u32> {
        on_codes!(&self.codes, codes => {
            (0..).zip(codes).filter(|(_, code)| (**code as usize) < self.size).map(|(row, _)| row).collect()
        })
    }
}
