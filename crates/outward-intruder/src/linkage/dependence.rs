//! Columns that different people share together: the members of a household agree on address, postcode and surname.
//!
//! A match weight adds up what each column says, as if columns were independent given the truth. Let two columns A and B
//! agree together, among pairs of different people, *L* = P(A and B) / (P(A) P(B)) times as often as if they were
//! independent. If a pair agrees on both, log₂ *L* is then counted twice. A proposed model compares no two columns with
//! *L* above 4, apart from those that are a person's own.
//!
//! Two records are taken as different people if two of the columns that are a person's own (names, dates, e-mail
//! addresses) are clearly different; of two such columns, one. With fewer in a file, dependence is not looked for. A
//! column on which mostly records of one person agree, such as a number of their own, depends on none.

use outward_cells::{Coded, MISSING};
use outward_random::Random;

use super::propose::Content;
use super::records::Records;
use super::similarity::Measure;

/// Columns are dependent if they agree together more than this many times as often as independent ones.
const MOST_LIFT: f64 = 4.0;

/// Pairs that agree on a column that are looked at.
const MAX_PAIRS: u64 = 20_000;

/// So many pairs of different people must agree on both columns: fewer are chance.
const LEAST_PAIRS: u64 = 10;

/// Fewest columns that are a person's own.
const LEAST_OWN: usize = 2;

/// So many of the pairs that agree on a column must be of different people: fewer are people whose name has changed.
const LEAST_SHARE: f64 = 0.2;

/// A column that is left out.
pub(super) struct Dependent {
    /// Its name.
    pub(super) name: String,
    /// The column that different people share together with it, and that is compared.
    pub(super) with: String,
}

struct Candidate<'a> {
    name: &'a str,
    content: Content,
    column: &'a Coded,
    /// Rows by value, those of values that several records have.
    blocks: Vec<Vec<u32>>,
    /// The share of pairs of two known values that agree.
    agree: f64,
}

/// The columns to leave out, so that no two that are left are dependent among different people.
pub(super) fn dependent_columns(columns: &[(&str, Content)], records: &Records) -> Vec<Dependent> {
    let mut candidates: Vec<Candidate<'_>> = columns
        .iter()
        .filter_map(|(name, content)| Some(Candidate::new(name, *content, records.column(name)?)))
        .collect();
    if candidates.iter().filter(|candidate| candidate.is_own()).count() < LEAST_OWN {
        return Vec::new();
    }
    // A person's own columns first, then those on which agreement is rarest.
    candidates.sort_by(|a, b| b.is_own().cmp(&a.is_own()).then(a.agree.total_cmp(&b.agree)));
    let lifts: Vec<Vec<f64>> = (0..candidates.len()).map(|at| lifts(&candidates, at)).collect();
    let (mut kept, mut left_out): (Vec<usize>, Vec<Dependent>) = (Vec::new(), Vec::new());
    for (at, candidate) in candidates.iter().enumerate() {
        let lift = |other: usize| {
            let rarer = if candidate.agree <= candidates[other].agree { (at, other) } else { (other, at) };
            lifts[rarer.0][rarer.1]
        };
        let with = kept.iter().copied().max_by(|a, b| lift(*a).total_cmp(&lift(*b))).filter(|_| !candidate.is_own());
        match with.filter(|with| lift(*with) > MOST_LIFT) {
            Some(with) => {
                left_out.push(Dependent { name: candidate.name.to_owned(), with: candidates[with].name.to_owned() })
            }
            None => kept.push(at),
        }
    }
    left_out
}

/// How many times as often as by chance pairs of different people who agree on one column agree on each other one; 0 where
/// there are too few pairs.
fn lifts(candidates: &[Candidate<'_>], at: usize) -> Vec<f64> {
    let mut seen = vec![[0u64; 2]; candidates.len()];
    let own: Vec<&Candidate<'_>> = candidates.iter().filter(|candidate| candidate.is_own()).collect();
    let must_differ = if own.len() > LEAST_OWN { 2 } else { 1 };
    let (mut pairs, mut different) = (0u64, 0u64);
    candidates[at].for_each_pair(|l, r| {
        pairs += 1;
        if own.iter().filter(|own| own.clearly_differ(l, r)).count() < must_differ {
            return;
        }
        different += 1;
        for (seen, other) in seen.iter_mut().zip(candidates) {
            let [left, right] = [l, r].map(|row| other.column.codes[row as usize]);
            if left != MISSING && right != MISSING {
                seen[0] += 1;
                seen[1] += u64::from(left == right);
            }
        }
    });
    let enough = different as f64 >= LEAST_SHARE * pairs as f64;
    let lift = |([seen, agree], other): (&[u64; 2], &Candidate<'_>)| match enough && *agree >= LEAST_PAIRS {
        true => *agree as f64 / *seen as f64 / other.agree,
        false => 0.0,
    };
    seen.iter().zip(candidates).map(lift).collect()
}

impl<'a> Candidate<'a> {
    fn new(name: &'a str, content: Content, column: &'a Coded) -> Self {
        let mut blocks = vec![Vec::new(); column.dictionary.len() + 1];
        for (row, code) in (0u32..).zip(&column.codes).filter(|(_, code)| **code != MISSING) {
            blocks[*code as usize].push(row);
        }
        let pairs = |many: usize| many as f64 * (many as f64 - 1.0).max(0.0) / 2.0;
        let known: usize = blocks.iter().map(Vec::len).sum();
        let agree = blocks.iter().map(|block| pairs(block.len())).sum::<f64>() / pairs(known).max(1.0);
        blocks.retain(|block| block.len() > 1);
        Self { name, content, column, blocks, agree }
    }

    /// Whether it is a person's own.
    fn is_own(&self) -> bool {
        matches!(self.content, Content::Name | Content::Date | Content::Email)
    }

    /// Whether a slip does not explain that two rows differ.
    fn clearly_differ(&self, left: u32, right: u32) -> bool {
        let value = |row: u32| self.column.dictionary.value(self.column.codes[row as usize]);
        let (Some(left), Some(right)) = (value(left), value(right)) else { return false };
        let user = |email: &str| email.split('@').next().unwrap_or_default().to_owned();
        match self.content {
            Content::Date => Measure::DamerauLevenshtein.between(left, right) >= 3.0,
            Content::Email => Measure::JaroWinkler.between(&user(left), &user(right)) < 0.8,
            _ => Measure::JaroWinkler.between(left, right) < 0.7,
        }
    }

    /// All pairs that agree, or as many as are looked at, drawn at random.
    fn for_each_pair(&self, mut see: impl FnMut(u32, u32)) {
        let pairs = |block: &Vec<u32>| block.len() as u64 * (block.len() as u64 - 1) / 2;
        let all: u64 = self.blocks.iter().map(pairs).sum();
        if all <= MAX_PAIRS {
            for block in &self.blocks {
                for (at, left) in block.iter().enumerate() {
                    block[at + 1..].iter().for_each(|right| see(*left, *right));
                }
            }
            return;
        }
        let mut ends = Vec::with_capacity(self.blocks.len());
        let mut end = 0;
        for block in &self.blocks {
            end += pairs(block);
            ends.push(end);
        }
        let mut random = Random::new(1, "dependence");
        for _ in 0..MAX_PAIRS {
            let drawn = random.below(all);
            let block = &self.blocks[ends.partition_point(|end| *end <= drawn)];
            let left = random.below(block.len() as u64) as usize;
            let right = random.below(block.len() as u64 - 1) as usize;
            see(block[left], block[right + usize::from(right >= left)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkage::Records;
    use outward_cells::Dictionary;

    fn column(values: Vec<String>) -> Coded {
        let dictionary = Dictionary::new(values.iter().map(|value| value.as_str().into()).collect(), false);
        Coded { codes: values.iter().map(|value| dictionary.code(value).unwrap_or(MISSING)).collect(), dictionary }
    }

    /// 400 homes of three people who share a surname. A home has a number and a street; each person has a job.
    fn people(names: &[(&str, Content)]) -> Vec<String> {
        let (mut random, rows) = (Random::new(1, "people"), 1200usize);
        let mut drawn = |end: u64| (0..rows).map(|_| random.below(end)).collect::<Vec<u64>>();
        let (first, born, job) = (drawn(200), drawn(20_000), drawn(20));
        let spelt = |code: u64| {
            let letters = |code: u64| char::from(b'a' + (code * 7 % 26) as u8);
            (0..6).map(|at| letters(code / 3u64.pow(at) + u64::from(at) * 5)).collect::<String>()
        };
        let value = |name: &str, row: usize| match name {
            "first" => spelt(first[row]),
            "last" => spelt(row as u64 / 3 % 150 + 1000),
            "born" => {
                let day = born[row];
                format!("{}-{:02}-{:02}", 1930 + day / 300, day / 25 % 12 + 1, day % 25 + 1)
            }
            "home" => (row / 3).to_string(),
            "street" => (row / 3 % 80).to_string(),
            _ => job[row].to_string(),
        };
        let file = Records::new(
            names.iter().map(|(name, _)| ((*name).to_owned(), column((0..rows).map(|row| value(name, row)).collect()))),
        );
        let mut left_out: Vec<String> =
            dependent_columns(names, &file).into_iter().map(|of| format!("{} with {}", of.name, of.with)).collect();
        left_out.sort();
        left_out
    }

    const OWN: [(&str, Content); 3] = [("first", Content::Name), ("last", Content::Name), ("born", Content::Date)];

    #[test]
    fn what_a_household_shares_is_found_and_what_is_a_persons_own_is_kept() {
        let others = [("home", Content::Other), ("street", Content::Other), ("job", Content::Number)];
        let found = people(&[&OWN[..], &others].concat());
        assert_eq!(found, ["home with last", "street with last"]);
    }

    #[test]
    fn of_two_columns_that_say_the_same_the_rarer_agreement_is_compared() {
        let found = people(&[OWN[0], OWN[2], ("home", Content::Other), ("street", Content::Other)]);
        assert_eq!(found, ["street with home"]);
    }

    #[test]
    fn without_columns_of_a_persons_own_nobody_is_known_to_be_different() {
        assert!(people(&[OWN[0], ("home", Content::Other), ("street", Content::Other)]).is_empty());
    }
}
