//! Families of linked tables, attacked from what is published alone: other people are tried in the place of the true ones,
//! and every unsafe cell must differ for some who fit all that is shown.

use outward_fixtures::csv::csv_text;
use outward_fixtures::oracle::{Sum, another_fits};
use outward_fixtures::spec::CUT_AT_TWO_AGES;
use outward_fixtures::tables as fixtures;
use outward_tables::judge::Verdict;
use outward_tables::write::{Publication, write_json};
use outward_testing::random_cases::seed;
use serde_json::Value;

/// The groups of ages, in the place of a file.
const AGES_IN_GROUPS: &str =
    r#"{ tree = { "16-25" = { "16-24" = ["20"], "25" = ["25 years"] }, "26-40" = { "26 to 40" = ["33"] } } }"#;

const VARIABLES: [&str; 3] = ["age", "illness", "sex"];
const AGES: [&str; 3] = ["20", "25 years", "33"];
const ILLNESSES: [&str; 3] = ["asthma", "cold", "gout"];
const SEXES: [&str; 2] = ["F", "M"];

/// How many people there are of each age, illness and sex, the sexes fastest.
type People = [i32; 18];

/// One person of 25 has gout, and two men in all.
const PLANTED: People = [8, 6, 7, 5, 9, 1, 3, 4, 4, 3, 1, 0, 9, 7, 6, 8, 8, 1];

fn values(kind: usize) -> [&'static str; 3] {
    [AGES[kind / 6], ILLNESSES[kind / 2 % 3], SEXES[kind % 2]]
}

/// Tables of some people, judged and protected.
struct Release {
    people: People,
    tables: fixtures::Release,
    /// The published file.
    file: Value,
}

impl Release {
    /// None where no choice of hidden cells protects the tables, so that they are not published.
    fn of(people: People) -> Option<Self> {
        let spec = CUT_AT_TWO_AGES.replace("{ file = \"ages.csv\" }", AGES_IN_GROUPS);
        let kinds = (0..18).flat_map(|kind| std::iter::repeat_n(kind, people[kind] as usize));
        let tables = fixtures::Release::from_spec(&spec, &[&csv_text(&VARIABLES, kinds.map(values))])?;
        let text = write_json(&Publication { tables: &tables.protected.published, ..Publication::default() }).unwrap();
        Some(Self { people, tables, file: serde_json::from_str(&text).unwrap() })
    }

    /// The kinds of people that a cell of a table counts, by the codes of the published file.
    fn kinds(&self, table: usize, cell: usize) -> Vec<usize> {
        let dimensions = self.file["tables"][table]["dimensions"].as_array().unwrap();
        let mut rest = cell;
        let mut accepted: Vec<(usize, Vec<&str>)> = Vec::new();
        for (dimension, base) in dimensions.iter().zip(&self.tables.made[table].inner.bases).rev() {
            let nodes = dimension["nodes"].as_array().unwrap();
            let codes = nodes[rest % nodes.len()]["values"].as_array().unwrap();
            rest /= nodes.len();
            let at = VARIABLES.iter().position(|name| dimension["variable"] == *name).unwrap();
            accepted.push((
                at,
                codes.iter().map(|code| base.values[code.as_u64().unwrap() as usize - 1].as_str()).collect(),
            ));
        }
        (0..18).filter(|kind| accepted.iter().all(|(at, among)| among.contains(&values(*kind)[*at]))).collect()
    }

    /// What the cells count that are shown, besides those of `hidden`.
    fn shown(&self, hidden: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut shown = Vec::new();
        for (table, form) in self.file["tables"].as_array().unwrap().iter().enumerate() {
            for cell in 0..form["figures"].as_array().unwrap().len() {
                if !hidden(table, cell) {
                    shown.push(self.kinds(table, cell));
                }
            }
        }
        shown
    }

    fn is_hidden(&self, table: usize, cell: usize) -> bool {
        self.file["tables"][table]["figures"][cell] == "[c]"
    }

    /// What must not be known: the unsafe cells, and the people of 25 years that two tables tell apart, where they are few.
    fn secrets(&self) -> Vec<Vec<usize>> {
        let cells = self.tables.unsafe_cells().into_iter();
        let mut secrets: Vec<Vec<usize>> = cells.map(|(table, cell)| self.kinds(table, cell)).collect();
        let aged_25 = (0..3).map(|illness| vec![6 + 2 * illness, 7 + 2 * illness]);
        secrets.extend(
            aged_25.filter(|kinds| (1..=2).contains(&kinds.iter().map(|kind| self.people[*kind]).sum::<i32>())),
        );
        secrets
    }

    /// That the figures shown are true, and that every secret has at least two values for those who know all of them.
    fn is_safe(&self) {
        for (table, form) in self.file["tables"].as_array().unwrap().iter().enumerate() {
            for (cell, figure) in form["figures"].as_array().unwrap().iter().enumerate() {
                let true_count: i32 = self.kinds(table, cell).iter().map(|kind| self.people[*kind]).sum();
                assert!(*figure == "[c]" || *figure == true_count, "{form}");
            }
        }
        let shown = self.shown(|table, cell| self.is_hidden(table, cell));
        for secret in self.secrets() {
            assert!(
                others_fit(&self.people, &shown, &secret),
                "{secret:?} of {:?} is known: {}",
                self.people,
                self.file
            );
        }
    }
}

/// Whether there are other people, one more, one less or as many of each kind, of whom all that is shown is true and among
/// whom the secret is another number.
fn others_fit(people: &People, shown: &[Vec<usize>], secret: &[usize]) -> bool {
    let moves = |count: &i32| [0, 1, -1].into_iter().filter(|by| count + by >= 0).map(|by| [by.into(), 0]).collect();
    let sum = |kinds: &[usize]| Sum { unit: 0, kinds: kinds.to_vec() };
    let shown: Vec<Sum> = shown.iter().map(|kinds| sum(kinds)).collect();
    another_fits(&people.iter().map(moves).collect::<Vec<_>>(), &shown, &sum(secret))
}

#[test]
fn a_count_cut_out_by_two_tables_and_one_in_a_linked_table_stay_unknown() {
    let release = Release::of(PLANTED).unwrap();
    let cells = release.tables.unsafe_cells().into_iter();
    let unsafe_cells: Vec<(usize, String)> =
        cells.map(|(at, cell)| (at, release.tables.made[at].table.describe(cell))).collect();
    let expected = [(1, "age 16-25, illness gout"), (2, "illness gout, sex M")];
    assert_eq!(unsafe_cells, expected.map(|(at, cell)| (at, cell.to_owned())));
    assert!(release.tables.protected.outcomes.iter().any(|outcome| outcome.secondary > 0));
    release.is_safe();
}

#[test]
fn hiding_the_unsafe_cells_alone_would_not_do() {
    let release = Release::of(PLANTED).unwrap();
    let primary: Vec<Vec<usize>> = release.tables.verdicts.iter().map(Verdict::primary).collect();
    let shown = release.shown(|table, cell| primary[table].contains(&cell));
    for secret in release.secrets() {
        assert!(!others_fit(&PLANTED, &shown, &secret), "{secret:?}");
    }
}

#[test]
fn a_figure_hidden_in_one_table_is_hidden_in_all_that_share_it() {
    let release = Release::of(PLANTED).unwrap();
    // The totals by illness stand in two tables.
    for illness in 0..3 {
        let (by_age, by_sex) = (2 * 4 + illness, illness * 3 + 2);
        assert_eq!(release.kinds(1, by_age), release.kinds(2, by_sex));
        assert_eq!(release.is_hidden(1, by_age), release.is_hidden(2, by_sex));
    }
}

#[test]
fn no_random_family_gives_an_unsafe_count_away() {
    let mut state = seed(17);
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as i32
    };
    let mut attacked = 0;
    for _ in 0..150 {
        let people: People = std::array::from_fn(|_| if draw(4) == 0 { draw(2) } else { 1 + draw(9) });
        let Some(release) = Release::of(people) else { continue };
        release.is_safe();
        attacked += usize::from(!release.secrets().is_empty());
    }
    assert!(attacked > 40, "only {attacked} families had something to hide and could be published");
}
