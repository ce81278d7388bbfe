//! A mapping applied: from a value as it stands in a record to the code that may be published for it.

use hashbrown::HashMap;

use crate::headcounts::System;
use crate::mapping::Mapping;
use crate::postcode::Postcode;
use crate::zip::{Zip, Zip3};

/// What becomes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed<'a> {
    /// The code to publish.
    Published(&'a str),
    /// The value is not a code.
    NotACode,
    /// The value is a code that the mapping does not know.
    NotInMapping,
}

/// A mapping made ready for many records. Looking a value up allocates nothing.
#[derive(Debug, Clone)]
pub struct Lookup {
    system: System,
    published: Vec<String>,
    by_code: HashMap<u64, u32>,
}

impl Lookup {
    /// The lookup of a mapping: of postcodes, or of ZIP codes where its codes are digits.
    pub fn new(mapping: &Mapping) -> Self {
        let system = System::of(mapping.entries().iter().map(|entry| entry.code.as_str()));
        let mut published: Vec<String> = mapping.entries().iter().map(|entry| entry.published.clone()).collect();
        published.sort_unstable();
        published.dedup();
        let place = |code: &String| published.binary_search(code).unwrap_or_default() as u32;
        let by_code = mapping.entries().iter().map(|entry| (packed(&entry.code), place(&entry.published))).collect();
        Self { system, published, by_code }
    }

    /// The code to publish for a value: a postcode or ZIP code, whole or in part, in any spelling.
    pub fn place(&self, value: &str) -> Placed<'_> {
        let code = match self.system {
            System::Postcodes => Postcode::parse(value).ok().map(|code| packed(code.outward())),
            System::Zips => Zip::parse(value)
                .map(|zip| zip.zip3())
                .or_else(|_| Zip3::parse(value))
                .ok()
                .map(|code| packed(code.as_str())),
        };
        match code.map(|code| self.by_code.get(&code)) {
            None => Placed::NotACode,
            Some(None) => Placed::NotInMapping,
            Some(Some(place)) => Placed::Published(&self.published[*place as usize]),
        }
    }
}

/// A code as one integer. Outward codes and prefixes of ZIP codes have at most four characters; a longer one, which only a
/// mapping written by hand could hold, is told apart by its first eight and never met.
fn packed(code: &str) -> u64 {
    code.bytes().take(8).fold(0, |packed, byte| packed << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lookup(lines: &[(&str, &str, &str)]) -> Lookup {
        let table = format!("sha256:{}", "0".repeat(64));
        let mut text = "version,code,published,reason,rule,threshold,population_table\n".to_owned();
        for (code, published, reason) in lines {
            text += &format!("1,{code},{published},{reason},uk,20000,{table}\n");
        }
        Lookup::new(&Mapping::parse(&text, "mapping.csv").unwrap())
    }

    #[test]
    fn any_spelling_of_a_postcode_finds_the_code_published_for_its_district() {
        let lookup = lookup(&[("SM1", "SM1", "kept"), ("SM7", "SM00", "pooled"), ("N1C", "N00", "pooled")]);
        for (value, published) in
            [("SM1 1AA", "SM1"), ("sm71aa", "SM00"), (" SM7  1AA ", "SM00"), ("SM7", "SM00"), ("n1c 4qp", "N00")]
        {
            assert_eq!(lookup.place(value), Placed::Published(published), "{value}");
        }
    }

    #[test]
    fn what_is_no_postcode_or_not_in_the_mapping_is_never_published() {
        let lookup = lookup(&[("SM1", "SM1", "kept"), ("N1", "N1", "kept")]);
        assert_eq!(lookup.place("SM2 1AA"), Placed::NotInMapping);
        assert_eq!(lookup.place("NE1 4LP"), Placed::NotInMapping);
        for value in ["", "unknown", "SM1 1A1", "12345", "SM00"] {
            assert_eq!(lookup.place(value), Placed::NotACode, "{value}");
        }
    }

    #[test]
    fn zip_codes_are_looked_up_by_their_first_three_digits() {
        let lookup = lookup(&[("350", "350", "kept"), ("036", "000", "pooled")]);
        assert_eq!(lookup.place("35004"), Placed::Published("350"));
        assert_eq!(lookup.place("03601-1234"), Placed::Published("000"));
        assert_eq!(lookup.place("036"), Placed::Published("000"));
        assert_eq!(lookup.place("99999"), Placed::NotInMapping);
        assert_eq!(lookup.place("3601"), Placed::NotACode, "a leading zero was lost");
    }
}
