//! The models of a verification agree with their definitions, read literally: every record with every other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use outward_fixtures::csv::CsvFile;
use outward_fixtures::records::{Case, named};
use outward_release::Outcome;
use outward_spec::{Missing, Type};
use proptest::prelude::*;

/// A random file: three keys, a sensitive variable, which keys are wildcards, and what is asked.
#[derive(Debug, Clone)]
struct Asked {
    rows: Vec<[u8; 4]>,
    wild: [bool; 3],
    k: u64,
    l: u64,
    measure: &'static str,
    t: f64,
    distance: &'static str,
    most: f64,
}

fn asked() -> impl Strategy<Value = Asked> {
    let rows = prop::collection::vec(prop::array::uniform4(0u8..3), 1..14);
    let words = (
        prop::sample::select(vec!["distinct", "entropy", "recursive"]),
        prop::sample::select(vec!["equal", "ordered", "hierarchical"]),
    );
    (rows, prop::array::uniform3(any::<bool>()), 1u64..5, 1u64..4, words, 0u8..=10, 0u8..=10).prop_map(
        |(rows, wild, k, l, (measure, distance), t, most)| {
            let (t, most) = (f64::from(t) / 10.0, f64::from(most) / 10.0);
            Asked { rows, wild, k, l, measure, t, distance, most }
        },
    )
}

impl Asked {
    fn case(&self) -> Case {
        let mut spec = format!(
            "[policy]\nk = {}\nl = {}\nl_measure = \"{}\"\nt = {:?}\nt_distance = \"{}\"\naverage_risk = {:?}\n\
             highest_risk = {:?}\nmax_unique_share = {:?}\nall_combinations = {{ keys = 2, k = {} }}\n\
             weak_k = [{{ name = \"some\", k = {}, keys = [\"a\", \"b\"], where = \"c = '1'\" }}]\n",
            self.k, self.l, self.measure, self.t, self.distance, self.most, self.most, self.most, self.k, self.k
        );
        for (name, wild) in ["a", "b", "c"].iter().zip(self.wild) {
            let missing = if wild { "wildcard" } else { "category" };
            spec += &format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\nmissing = \"{missing}\"\n");
        }
        spec += "[[variables]]\nname = \"s\"\ntype = \"integer\"\nrole = \"sensitive\"\n\
                 hierarchy = { tree = { low = [\"1\"], high = [\"2\"] } }\n";
        let cell = |value: &u8| if *value == 0 { String::new() } else { value.to_string() };
        let line = |row: &[u8; 4]| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        let mut case = Case::new(&spec, &format!("a,b,c,s\n{}", self.rows.iter().map(line).collect::<String>()));
        case.types = vec![("s", Type::Integer)];
        case
    }

    fn keys(&self, chosen: &[usize]) -> Vec<(usize, Missing)> {
        let missing = |key: usize| if self.wild[key] { Missing::Wildcard } else { Missing::Category };
        chosen.iter().map(|key| (*key, missing(*key))).collect()
    }

    fn is_diverse(&self, values: &[&String]) -> bool {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        values.iter().for_each(|value| *counts.entry(value).or_default() += 1.0);
        let (all, l) = (values.len() as f64, self.l as usize);
        let mut sorted: Vec<f64> = counts.values().copied().collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        match self.measure {
            "distinct" => counts.len() >= l,
            "entropy" => -sorted.iter().map(|n| n / all * (n / all).ln()).sum::<f64>() >= (l as f64).ln() - 1e-9,
            _ => sorted[0] < 2.0 * sorted.iter().skip(l - 1).sum::<f64>(),
        }
    }

    /// With two values every distance is the difference of one share: equal ½(d + d), ordered d / (2 − 1), and in a tree of
    /// height 2 whose groups have one value each the whole difference goes through the root.
    fn distance(values: &[&String], whole: &[&String]) -> f64 {
        let share =
            |values: &[&String]| values.iter().filter(|value| **value == "1").count() as f64 / values.len() as f64;
        (share(values) - share(whole)).abs()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn every_model_agrees_with_its_definition(asked in asked()) {
        let case = asked.case();
        let table = CsvFile::parse(&case.data);
        let made = case.make();
        let verification = made.verify();
        let expect = |name: &str, holds: bool| -> Result<(), TestCaseError> {
            let check = named(&verification, name);
            let outcome = if holds { Outcome::Holds } else { Outcome::Fails };
            prop_assert_eq!(check.outcome, outcome, "{:?}", check);
            Ok(())
        };
        let n = table.rows.len();
        let classes = table.classes(&asked.keys(&[0, 1, 2]));
        let sizes: Vec<u64> = classes.iter().map(|class| class.len() as u64).collect();
        let smallest = *sizes.iter().min().unwrap();
        expect("k", smallest >= asked.k)?;
        expect("highest risk", 1.0 / smallest as f64 <= asked.most + 1e-9)?;
        let average = sizes.iter().map(|size| 1.0 / *size as f64).sum::<f64>() / n as f64;
        expect("average risk", average <= asked.most + 1e-9)?;
        let alone = sizes.iter().filter(|size| **size == 1).count() as f64 / n as f64;
        expect("unique share", alone <= asked.most + 1e-9)?;
        let chosen: [&[usize]; 6] = [&[0, 1], &[0, 2], &[1, 2], &[0], &[1], &[2]];
        let all = chosen.iter().flat_map(|keys| table.classes(&asked.keys(keys))).all(|class| class.len() as u64 >= asked.k);
        expect("all combinations", all)?;
        let some: Vec<usize> = (0..n).filter(|row| table.rows[*row][2] == "1").collect();
        let ab = asked.keys(&[0, 1]);
        let weak = some.iter().all(|a| some.iter().filter(|b| table.supports(*a, **b, &ab)).count() as u64 >= asked.k);
        expect("weak k (some)", weak)?;
        let present = |rows: &[usize]| -> Vec<&String> {
            rows.iter().map(|row| &table.rows[*row][3]).filter(|value| !value.is_empty()).collect()
        };
        let valued: Vec<Vec<&String>> = classes.iter().map(|class| present(class)).filter(|v| !v.is_empty()).collect();
        let checked = |name: &str| verification.checks.iter().any(|check| check.name == name);
        prop_assert_eq!(checked("l (s)"), asked.l > 1);
        if asked.l > 1 {
            expect("l (s)", valued.iter().all(|values| asked.is_diverse(values)))?;
        }
        let whole = present(&(0..n).collect::<Vec<_>>());
        let close = valued.iter().all(|values| Asked::distance(values, &whole) <= asked.t + 1e-9);
        prop_assert_eq!(checked("t (s)"), asked.t < 1.0);
        if asked.t < 1.0 {
            expect("t (s)", close)?;
        }
        for name in ["files", "spec", "rules", "schema", "records", "missing", "measures", "steps", "identifiers"] {
            expect(name, true)?;
        }
    }
}
