//! The seed is known: it is 1 if a spec says nothing, and the steps are told in public. Who runs the same step on a file
//! of their own must not draw the numbers that were drawn for the release.
//!
//! Every attack is made twice. With the hash of the data, which only the custodian has, it succeeds: that shows that nothing
//! else stands in its way. With what an outsider can know it must come to nothing.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use outward_microdata::steps::{Setting, WholeStep};
use outward_release::data_hash;

use outward_fixtures::csv::CsvFile;
use outward_fixtures::desk::Desk;
use outward_fixtures::records::layout;

const ROWS: usize = 300;

/// A release made by one step, and what was in it before.
struct Release {
    desk: Desk,
    before: Vec<String>,
    column: &'static str,
}

impl Release {
    /// Everyone has a value of `column`, of this type, that the step changes.
    fn made(column: &'static str, of: &str, step: &str, value: impl Fn(usize) -> String) -> Self {
        let before: Vec<String> = (0..ROWS).map(value).collect();
        let spec = format!(
            "[[variables]]\nname = \"sex\"\nrole = \"key\"\n[[variables]]\nname = \"{column}\"\ntype = \"{of}\"\n\
             [[steps]]\nvariables = [\"{column}\"]\n{step}\n"
        );
        let sex = |row: usize| if row.is_multiple_of(2) { "F" } else { "M" };
        let records = before.iter().enumerate().map(|(row, value)| format!("{},{value}\n", sex(row)));
        let desk = Desk::new(&spec, &format!("sex,{column}\n{}", records.collect::<String>()));
        assert!(desk.protect().unwrap().written);
        Self { desk, before, column }
    }

    fn after(&self) -> Vec<String> {
        let table = CsvFile::parse(&self.desk.published("data.csv"));
        let at = table.names.iter().position(|name| name == self.column).unwrap();
        table.rows.iter().map(|row| row[at].clone()).collect()
    }

    /// What the custodian's random numbers are keyed by.
    fn secret(&self) -> String {
        data_hash(&self.desk.spec()).unwrap().unwrap()
    }

    /// What an outsider can try: no key, and the hash of a file of their own.
    fn guesses(&self) -> [String; 2] {
        let own = (1..=ROWS).map(|row| format!("F,{row}\n")).collect::<String>();
        let own = Desk::new("", &format!("sex,{}\n{own}", self.column));
        [String::new(), data_hash(&own.spec()).unwrap().unwrap()]
    }

    /// The step of this release on a column of the attacker's own, with random numbers keyed by `salt`.
    fn run(&self, own: ArrayRef, salt: &str) -> ArrayRef {
        let spec = self.desk.spec();
        let step = spec.steps[0].clone();
        let setting = Setting { salt: salt.to_owned(), ..Setting::new(spec, 1).unwrap() };
        let records = RecordBatch::try_from_iter([(self.column, own)]).unwrap();
        let rows: Vec<u64> = (1..=ROWS as u64).collect();
        let step = WholeStep::new(step, 0, Arc::new(setting)).unwrap();
        step.apply(&records, &rows).unwrap().records.column(0).clone()
    }

    fn run_numbers(&self, own: &[f64], salt: &str) -> Vec<f64> {
        let own = Arc::new(Float64Array::from(own.to_vec()));
        self.run(own, salt).as_primitive::<Float64Type>().values().to_vec()
    }
}

fn numbers(values: &[String]) -> Vec<f64> {
    values.iter().map(|value| value.parse().unwrap()).collect()
}

/// Pay that differs between any two people, in no order.
fn pay(row: usize) -> String {
    let rank = (row * 173 + 41) % ROWS;
    format!("{:.2}", 9_000.37 + 12.61 * (rank * rank) as f64)
}

#[test]
fn swapped_ranks_are_not_swapped_back_by_who_knows_the_seed() {
    let release = Release::made("pay", "number", "do = \"rank-swap\"\ndistance = 0.1", pay);
    let (before, after) = (numbers(&release.before), numbers(&release.after()));
    let mut order: Vec<usize> = (0..ROWS).collect();
    order.sort_by(|a, b| after[*a].total_cmp(&after[*b]));
    // On a file where every number is its own rank the step shows which ranks change places.
    let ranks: Vec<f64> = (0..ROWS).map(|rank| rank as f64).collect();
    let found = |salt: &str| {
        let partner = release.run_numbers(&ranks, salt);
        let guess = |rank: usize| after[order[partner[rank] as usize]];
        (0..ROWS).filter(|rank| guess(*rank) == before[order[*rank]]).count()
    };
    // Five at either end have become their mean and are not to be had back.
    assert_eq!(found(&release.secret()), ROWS - 10);
    for guess in release.guesses() {
        assert!(found(&guess) < ROWS / 10, "{} of {ROWS} found", found(&guess));
    }
}

#[test]
fn noise_is_not_subtracted_by_who_knows_the_seed() {
    let release = Release::made("pay", "number", "do = \"noise\"\namount = 0.5\nkind = \"additive\"", pay);
    let (before, after) = (numbers(&release.before), numbers(&release.after()));
    let own: Vec<f64> = (0..ROWS).map(|row| row as f64 + 0.123_456_789).collect();
    // Variances grow by 1 + 0.5², so that the published file tells how large the noise was.
    let scale = deviation(&after) / 1.25f64.sqrt() / deviation(&own);
    let left = |salt: &str| {
        let noisy = release.run_numbers(&own, salt);
        let guess: Vec<f64> = (0..ROWS).map(|row| after[row] - scale * (noisy[row] - own[row])).collect();
        distance(&guess, &before) / distance(&after, &before)
    };
    assert!(left(&release.secret()) < 0.1, "{} of the noise is left", left(&release.secret()));
    for guess in release.guesses() {
        assert!(left(&guess) > 1.0, "{} of the noise is left", left(&guess));
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

#[test]
fn changed_categories_do_not_give_away_the_one_record_that_is_not_known() {
    const JOBS: [&str; 4] = ["baker", "driver", "nurse", "clerk"];
    let step = "do = \"pram\"\nkeep = 0.5\nshare = 0.8";
    let release = Release::made("job", "text", step, |row| JOBS[row * row % 7 % 4].to_owned());
    let after = release.after();
    assert_ne!(release.before, after);
    // They know the job of everyone but the first, and try each.
    let fitting = |salt: &str| {
        let fits = |job: &&&str| {
            let own = [**job].into_iter().chain(release.before.iter().skip(1).map(String::as_str));
            let made = release.run(Arc::new(own.map(Some).collect::<StringArray>()), salt);
            made.as_string::<i32>().iter().flatten().eq(after.iter().map(String::as_str))
        };
        JOBS.iter().filter(fits).copied().collect::<Vec<&str>>()
    };
    assert_eq!(fitting(&release.secret()), [release.before[0].as_str()]);
    for guess in release.guesses() {
        assert_eq!(fitting(&guess), [""; 0]);
    }
}

#[test]
fn what_random_numbers_are_keyed_by_is_nowhere_in_public() {
    let release = Release::made("pay", "number", "do = \"rank-swap\"", pay);
    let secret = release.secret();
    for file in layout(&release.desk.bundle().join("public")).lines() {
        assert!(!release.desk.published(file).contains(&secret), "{file}");
    }
    // The custodian needs it to make the release again.
    assert!(std::fs::read_to_string(release.desk.bundle().join("manifest.json")).unwrap().contains(&secret));
}
