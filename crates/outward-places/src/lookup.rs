//! A mapping applied: from a value as a record has it to the code that may be published for it.

use hashbrown::HashMap;

use crate::headcounts::System;
use crate::mapping::{Mapping, MappingEntry};
use crate::pool::Reason;
use crate::postcode::Postcode;
use crate::zip::Zip;

/// What becomes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappedValue<'a> {
    /// The code to publish.
    Published(&'a str),
    /// The mapping withholds the code: its people are too few even without a location.
    Withheld,
    /// The value is not a code.
    NotACode,
    /// The value is a code that the mapping does not know.
    NotInMapping,
}

/// A mapping prepared for many records. Looking a value up allocates nothing.
#[derive(Debug, Clone)]
pub struct Lookup {
    system: System,
    published: Vec<String>,
    /// The place of what is published for a code; past the end where it is withheld.
    by_code: HashMap<u64, u32>,
}

impl Lookup {
    /// The lookup of a mapping: of postcodes, or of ZIP codes where its codes are digits.
    pub fn new(mapping: &Mapping) -> Self {
        let system = System::from_codes(mapping.entries().iter().map(|entry| entry.code.as_str()));
        let mut published: Vec<String> = mapping.entries().iter().map(|entry| entry.published.clone()).collect();
        published.sort_unstable();
        published.dedup();
        let place = |entry: &MappingEntry| match entry.reason {
            Reason::Withheld => u32::MAX,
            _ => published.binary_search(&entry.published).map_or(u32::MAX, |at| at as u32),
        };
        let by_code = mapping.entries().iter().map(|entry| (packed(&entry.code), place(entry))).collect();
        Self { system, published, by_code }
    }

    /// The code to publish for a value: a postcode, whole or in part, or a whole ZIP code, in any spelling.
    pub fn place(&self, value: &str) -> MappedValue<'_> {
        let code = match self.system {
            System::Postcodes => Postcode::parse(value).ok().map(|code| packed(code.outward())),
            // Three digits alone may be a prefix or a whole code that lost its zeros, so they are neither.
            System::Zips => Zip::parse(value).ok().map(|zip| packed(zip.zip3().as_str())),
        };
        match code.map(|code| self.by_code.get(&code)) {
            None => MappedValue::NotACode,
            Some(None) => MappedValue::NotInMapping,
            Some(Some(place)) => {
                self.published.get(*place as usize).map_or(MappedValue::Withheld, |code| MappedValue::Published(code))
            }
        }
    }
}

/// A code as one integer: outward codes and prefixes of ZIP codes have at most four characters.
fn packed(code: &str) -> u64 {
    code.bytes().fold(0, |packed, byte| packed << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lookup(lines: &[(&str, &str, &str)]) -> Lookup {
        let table = format!("sha256:{}", "0".repeat(64));
        let mut text = "version,code,published,reason,rule,threshold,population_table\n".to_owned();
        for (code, published, reason) in lines {
            let rule = if published.starts_with('0') { "us" } else { "uk" };
            text += &format!("1,{code},{published},{reason},{rule},20000,{table}\n");
        }
        Lookup::new(&Mapping::parse(&text, "mapping.csv").unwrap())
    }

    #[test]
    fn any_spelling_of_a_postcode_finds_the_code_published_for_its_district() {
        let lookup = lookup(&[("SM1", "SM1", "kept"), ("SM7", "SM00", "pooled"), ("N1C", "N00", "pooled")]);
        for (value, published) in
            [("SM1 1AA", "SM1"), ("sm71aa", "SM00"), (" SM7  1AA ", "SM00"), ("SM7", "SM00"), ("n1c 4qp", "N00")]
        {
            assert_eq!(lookup.place(value), MappedValue::Published(published), "{value}");
        }
    }

    #[test]
    fn what_is_no_postcode_or_not_in_the_mapping_is_never_published() {
        let lookup = lookup(&[("SM1", "SM1", "kept"), ("N1", "N1", "kept")]);
        assert_eq!(lookup.place("SM2 1AA"), MappedValue::NotInMapping);
        assert_eq!(lookup.place("NE1 4LP"), MappedValue::NotInMapping);
        for value in ["", "unknown", "SM1 1A1", "12345", "SM00"] {
            assert_eq!(lookup.place(value), MappedValue::NotACode, "{value}");
        }
    }

    #[test]
    fn a_withheld_code_is_not_published() {
        let lookup = lookup(&[("SM1", "SM1", "kept"), ("TD15", "*", "withheld")]);
        assert_eq!(lookup.place("TD15 1AA"), MappedValue::Withheld);
    }

    #[test]
    fn zip_codes_are_looked_up_by_their_first_three_digits() {
        let lookup = lookup(&[("036", "000", "pooled")]);
        assert_eq!(lookup.place("03601-1234"), MappedValue::Published("000"));
        assert_eq!(lookup.place("350"), MappedValue::NotACode, "a prefix, or 00350 without its zeros");
        assert_eq!(lookup.place("99999"), MappedValue::NotInMapping);
        assert_eq!(lookup.place("3601"), MappedValue::NotACode, "a leading zero was lost");
    }
}
