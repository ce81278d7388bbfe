//! Population models against numbers worked out by hand, published figures, and populations whose truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_risk::population::{
    Estimate, Estimator, Histogram, LogLinear, LogLinearRisk, ModelChoice, RiskFormula, SampleClasses,
    SamplingFraction, estimate_pitman, estimate_snb, estimate_zayatz, fit_pitman, household_risks, measure_dis,
    measure_households, measure_log_linear, measure_uniqueness,
};
use outward_testing::random_cases::check;
use proptest::prelude::*;

fn fraction(share: f64) -> SamplingFraction {
    SamplingFraction::new(share).unwrap()
}

/// Cells of columns of text, with a weight for each record or none.
fn cells(names: &[&str], columns: &[Vec<String>], weights: Option<Vec<f64>>) -> Cells {
    let mut arrays: Vec<(&str, ArrayRef)> = Vec::new();
    for (name, column) in names.iter().zip(columns) {
        arrays.push((*name, Arc::new(StringArray::from_iter_values(column))));
    }
    let weight = weights.map(|weights| arrays.push(("weight", Arc::new(Float64Array::from(weights)))));
    let batch = RecordBatch::try_from_iter(arrays).unwrap();
    let request = CellRequest::new(names.iter().copied()).weight(weight.map(|()| "weight".to_owned()));
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &(1..=batch.num_rows() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

/// SplitMix64: a stream of numbers that is the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() * limit as f64) as usize
    }
}

fn close(found: f64, wanted: f64, relative: f64) {
    assert!((found - wanted).abs() <= relative * wanted.abs(), "{found} is not {wanted}");
}

mod real_data {
    use super::*;

    /// Columns of a file, by name.
    fn columns(file: &str, separator: char, names: &[&str]) -> Vec<Vec<String>> {
        let text = outward_testing::real_data::text(file);
        let mut lines = text.lines().map(|line| line.split(separator).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let at: Vec<usize> = names.iter().map(|name| header.iter().position(|field| field == name).unwrap()).collect();
        let records: Vec<Vec<&str>> = lines.collect();
        at.iter().map(|at| records.iter().map(|record| record[*at].to_owned()).collect()).collect()
    }

    #[test]
    fn pitman_and_zayatz_on_adult_are_those_of_arx() {
        let keys = ["sex", "age", "race", "marital-status", "education", "native-country"];
        let columns = columns("adult/arx_adult_30162.csv.gz", ';', &keys);
        let cells = cells(&keys, &columns, None);
        let uniqueness =
            measure_uniqueness(&Histogram::from_class_sizes(cells.counts().iter().copied()), fraction(0.01));
        close(uniqueness.pitman.share().unwrap(), 0.026_604_065_57, 1e-9);
        close(uniqueness.zayatz.share().unwrap(), 0.034_277_524_35, 1e-9);
        assert_eq!(uniqueness.chosen, uniqueness.pitman);
        assert_eq!(uniqueness.chosen_estimator, Some(Estimator::Pitman));
    }

    #[test]
    fn expected_reidentifications_on_keys_10k_are_those_of_sdcmicro() {
        let names = ["sex", "age", "race", "marital", "education", "country", "workclass", "weight"];
        let mut columns = columns("keys_10k.csv.gz", ',', &names);
        let weights = columns.pop().unwrap().iter().map(|weight| weight.parse().unwrap()).collect();
        let cells = cells(&names[..7], &columns, Some(weights));
        let measured = SampleClasses::from_cells(&cells, None, &[false; 7], 1).measure();
        close(measured.approximate, 716.246_469_503_743, 1e-9);
        close(measured.exact, 715.8471804185866, 1e-9);
        assert_eq!(measured.classes_below_sample, 0);
    }
}

/// Ten people, one in five of a population of fifty: classes of 4, 2, 1, 1, 1, 1. `docs/methods/population.md`.
fn ten() -> Histogram {
    Histogram::from_class_sizes([4, 2, 1, 1, 1, 1])
}

#[test]
fn ten_people_by_hand() {
    let (histogram, fifth) = (ten(), fraction(0.2));
    let (h2, h4) = (2.0 * 40.0 / 49.0, 4.0 * 40.0 * 39.0 * 38.0 / (49.0 * 48.0 * 47.0));
    close(estimate_zayatz(&histogram, fifth).share().unwrap(), 0.4 * 4.0 / (4.0 + h2 + h4), 1e-12);
    close(estimate_zayatz(&histogram, fifth).share().unwrap(), 0.2057, 1e-3);
    let dis = measure_dis(&histogram, fifth).unwrap();
    close(dis.chance, 1.0 / 3.0, 1e-12);
    close(dis.interval.0, 0.1397, 1e-3);
    assert_eq!(dis.interval.1, 1.0);
    let pitman = fit_pitman(&histogram).unwrap();
    close(pitman.alpha, -0.1897, 1e-3);
    close(pitman.theta, 6.8239, 1e-3);
    close(estimate_pitman(&histogram, fifth).share().unwrap(), 0.091_946_948, 1e-8);
}

#[test]
fn ten_people_with_weights_and_households_by_hand() {
    let key: Vec<String> = "aaaabbcdef".chars().map(String::from).collect();
    let cells = cells(&["key"], std::slice::from_ref(&key), Some(vec![5.0; 10]));
    let classes = SampleClasses::from_cells(&cells, None, &[false], 1);
    let risks: Vec<f64> = classes.risks(RiskFormula::Approximate).collect();
    // p is 0.2 everywhere: 0.2/(3 + 0.2); 0.25 − 0.0625·ln 5; 0.25·ln 5.
    let wanted = [0.0625, 0.25 - 0.0625 * 5f64.ln(), 0.25 * 5f64.ln()];
    (0..3).for_each(|class| close(risks[class], wanted[class], 1e-12));
    let expected = 4.0 * wanted[0] + 2.0 * wanted[1] + 4.0 * wanted[2];
    close(classes.measure().approximate, expected, 1e-12);
    close(classes.measure().approximate, 2.1582, 1e-4);
    // The same fraction without weights.
    let unweighted = self::cells(&["key"], &[key], None);
    let plain = SampleClasses::from_cells(&unweighted, Some(fraction(0.2)), &[false], 1);
    let plain: Vec<f64> = plain.risks(RiskFormula::Approximate).collect();
    (0..risks.len()).for_each(|class| close(plain[class], risks[class], 1e-12));
    // A couple of one from `a` and the one of `c`.
    let household = household_risks(&[7, 7], &[wanted[0], wanted[2]]).unwrap();
    close(household[0], 1.0 - 0.9375 * (1.0 - wanted[2]), 1e-12);
    assert_eq!(household[0], household[1]);
}

#[test]
fn a_household_is_at_least_as_risky_as_its_riskiest_member() {
    let (households, risks) = ([3, 1, 3, 2, 1, 3], [0.1, 0.5, 0.02, 1.0, 1e-18, 0.3]);
    let found = household_risks(&households, &risks).unwrap();
    assert!(found.iter().zip(&risks).all(|(together, own)| *together >= own * (1.0 - 1e-12)));
    close(found[0], 1.0 - 0.9 * 0.98 * 0.7, 1e-12);
    assert_eq!(found[3], 1.0);
    let measured = measure_households(&households, &risks).unwrap().unwrap();
    assert_eq!((measured.households, measured.largest, measured.highest), (3, 3, 1.0));
    close(measured.expected_reidentifications, found.iter().sum(), 1e-15);
    assert_eq!(measure_households(&[], &[]).unwrap(), None);
    assert!(household_risks(&[1], &[]).is_err());
}

#[test]
fn fractions_outside_zero_to_one_are_refused() {
    for wrong in [0.0, -0.1, 1.000_1, f64::NAN, f64::INFINITY] {
        let error = SamplingFraction::new(wrong).unwrap_err();
        assert!(error.to_string().contains("is not above 0 and at most 1"), "{error}");
        assert!(error.help().is_some());
    }
}

#[test]
fn a_class_is_at_least_as_large_as_its_sample() {
    let column: Vec<String> = ["a", "a", "b"].map(String::from).into();
    let cells = cells(&["key"], &[column], Some(vec![0.5, 0.5, 3.0]));
    let classes = SampleClasses::from_cells(&cells, None, &[false], 1);
    assert_eq!(classes.measure().classes_below_sample, 1);
    close(classes.risks(RiskFormula::Exact).next().unwrap(), 0.5, 1e-12);
}

#[test]
fn an_estimate_is_a_value_or_a_reason() {
    let tenth = fraction(0.1);
    let nobody_alone = measure_uniqueness(&Histogram::from_class_sizes([2, 3, 5]), tenth);
    assert_eq!((nobody_alone.chosen, nobody_alone.chosen_estimator), (Estimate::Share(0.0), Some(Estimator::Counted)));
    assert_eq!(nobody_alone.snb, Estimate::Share(0.0));

    let all_alone = measure_uniqueness(&Histogram::from_class_sizes([1; 50]), tenth);
    assert!(all_alone.pitman.reason().unwrap().contains("no two records are alike"));
    assert!(all_alone.snb.reason().is_some());
    assert_eq!((all_alone.chosen, all_alone.chosen_estimator), (Estimate::Share(1.0), Some(Estimator::Zayatz)));

    let none = measure_uniqueness(&Histogram::default(), tenth);
    assert_eq!((none.chosen.reason(), none.chosen_estimator), (Some("there are no records"), None));

    let whole = measure_uniqueness(&ten(), fraction(1.0));
    assert_eq!((whole.pitman, whole.chosen), (Estimate::Share(0.4), Estimate::Share(0.4)));
}

/// Sizes of classes when `people` come in one after another after Pitman's formula; classes after the first `sample`.
fn pitman_process(random: &mut Random, theta: f64, alpha: f64, people: usize, sample: usize) -> (Histogram, Histogram) {
    // Which class each person is in: a newcomer joins that of someone drawn at random, unless the draw is refused.
    let (mut member, mut sizes, mut first) = (Vec::<usize>::new(), Vec::<u64>::new(), Histogram::default());
    for count in 0..people {
        let new = (theta + alpha * sizes.len() as f64) / (theta + count as f64);
        let class = if random.next() < new {
            sizes.push(0);
            sizes.len() - 1
        } else {
            loop {
                let class = member[random.below(count)];
                // Drawn in proportion to its size, kept in proportion to (size − α)/size.
                if random.next() < 1.0 - alpha / sizes[class] as f64 {
                    break class;
                }
            }
        };
        sizes[class] += 1;
        member.push(class);
        if count + 1 == sample {
            first = Histogram::from_class_sizes(sizes.iter().copied());
        }
    }
    (Histogram::from_class_sizes(sizes), first)
}

#[test]
fn pitman_recovers_populations_of_its_own_kind() {
    let mut random = Random(11);
    for (theta, alpha) in [(20.0, 0.6), (100.0, 0.3), (5.0, 0.8)] {
        let ratios: Vec<f64> = (0..40)
            .map(|_| {
                // Exchangeable: the first to come are a random sample of all.
                let (population, sample) = pitman_process(&mut random, theta, alpha, 40_000, 2000);
                let estimate = estimate_pitman(&sample, fraction(0.05)).share().unwrap();
                estimate * 40_000.0 / population.of_size(1) as f64
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / 40.0;
        println!("pitman {theta} {alpha}: mean {mean:.4}, all {:?}", spread(&ratios));
        assert!((mean - 1.0).abs() < 0.05, "θ {theta}, α {alpha}: {mean}");
        assert!(ratios.iter().all(|ratio| (0.6..1.6).contains(ratio)), "θ {theta}, α {alpha}: {ratios:?}");
    }
}

fn spread(values: &[f64]) -> (f64, f64) {
    (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max))
}

/// A sample in which each person is taken with chance `share`, class by class.
fn take(random: &mut Random, classes: &[u64], share: f64) -> Vec<u64> {
    classes.iter().map(|size| (0..*size).filter(|_| random.next() < share).count() as u64).collect()
}

/// Class sizes 1 + NB(2, β): the sum of two geometric numbers.
fn shifted_negative_binomial(random: &mut Random, classes: usize, beta: f64) -> Vec<u64> {
    let geometric = |random: &mut Random| ((1.0 - random.next()).ln() / (1.0 - beta).ln()) as u64;
    (0..classes).map(|_| 1 + geometric(random) + geometric(random)).collect()
}

#[test]
fn shifted_negative_binomial_recovers_populations_of_its_own_kind_or_says_that_it_cannot() {
    let mut random = Random(5);
    let mut ratios = Vec::new();
    for _ in 0..40 {
        let population = shifted_negative_binomial(&mut random, 20_000, 0.5);
        let sample = Histogram::from_class_sizes(take(&mut random, &population, 0.4));
        let people: u64 = population.iter().sum();
        let alone = population.iter().filter(|size| **size == 1).count() as f64 / people as f64;
        match estimate_snb(&sample, fraction(0.4)) {
            Estimate::Share(share) => ratios.push(share / alone),
            Estimate::Unavailable(reason) => assert!(reason.contains("shifted negative binomial"), "{reason}"),
        }
    }
    println!("snb: {} of 40, {:?}", ratios.len(), spread(&ratios));
    assert!(ratios.len() >= 30);
    assert!(ratios.iter().all(|ratio| (0.8..1.4).contains(ratio)), "{ratios:?}");
}

/// A few large classes beside many small ones: the fitted classes hold 3,345 of 5,475 people and would give a lower share than Zayatz.
#[test]
fn a_fit_whose_classes_hold_fewer_people_than_there_are_is_not_chosen() {
    let skewed = Histogram::from_sizes([(1, 300), (2, 120), (3, 60), (5, 40), (9, 30), (20, 20), (60, 10)]);
    let found = measure_uniqueness(&skewed, fraction(0.4));
    let fit = found.details.snb.unwrap();
    assert!(fit.people() < 0.62 * found.details.people, "{fit:?}");
    assert!(found.snb.share() < found.zayatz.share(), "{found:?}");
    assert_eq!((found.chosen_estimator, &found.chosen), (Some(Estimator::Zayatz), &found.zayatz));
    let caution = found.snb_caution.unwrap();
    assert_eq!(caution, "not plausible: its classes hold 3,345 people, and there are 5,475");
    // Classes that hold everybody, and more: nothing speaks against the smaller estimate.
    let even = Histogram::from_sizes([(1, 3000), (2, 700), (3, 200), (4, 60), (5, 10)]);
    let found = measure_uniqueness(&even, fraction(0.25));
    assert!(found.details.snb.unwrap().people() > found.details.people);
    assert_eq!((found.chosen_estimator, found.snb_caution), (Some(Estimator::Snb), None));
}

#[test]
fn the_dis_interval_holds_the_truth_as_often_as_promised() {
    let mut random = Random(3);
    let mut held = 0;
    for _ in 0..400 {
        let population = shifted_negative_binomial(&mut random, 3000, 0.4);
        let sample = take(&mut random, &population, 0.2);
        let alone = || sample.iter().zip(&population).filter(|(f, _)| **f == 1);
        let truth = alone().count() as f64 / alone().map(|(_, size)| *size).sum::<u64>() as f64;
        let dis = measure_dis(&Histogram::from_class_sizes(sample.iter().copied()), fraction(0.2)).unwrap();
        held += usize::from(dis.interval.0 <= truth && truth <= dis.interval.1);
    }
    println!("dis: {held} of 400");
    // 95 % of 400 is 380, give or take 4.4.
    assert!((367..=393).contains(&held), "{held} of 400");
}

/// A population on three keys, and a sample of it. `tie` makes the second key follow the first so often.
fn keyed(random: &mut Random, people: usize, share: f64, tie: f64) -> (Cells, Cells) {
    let levels = [12usize, 15, 18];
    // Squares lean towards low values, as real keys do.
    let mut draw = |limit: usize| (random.next().powi(2) * limit as f64) as usize;
    let all: Vec<[usize; 3]> = (0..people)
        .map(|_| {
            let mut record = levels.map(&mut draw);
            if draw(1000) as f64 / 1000.0 < tie {
                record[1] = record[0];
            }
            record
        })
        .collect();
    let some: Vec<[usize; 3]> = all.iter().filter(|_| random.next() < share).copied().collect();
    let counted = |records: &[[usize; 3]]| {
        let column = |key: usize| records.iter().map(|record| record[key].to_string()).collect();
        cells(&["one", "two", "three"], &[column(0), column(1), column(2)], None)
    };
    (counted(&all), counted(&some))
}

fn fitted(sample: &Cells, share: f64, choice: ModelChoice) -> LogLinearRisk {
    match measure_log_linear(sample, fraction(share), choice).unwrap() {
        LogLinear::Fitted(risk) => risk,
        LogLinear::Unavailable(reason) => panic!("{reason}"),
    }
}

/// Sample uniques that are alone in the population, and the sum of their 1/F.
fn truth(population: &Cells, sample: &Cells) -> (f64, f64) {
    let sizes = sample.counts_in(population).unwrap();
    let alone = || sample.counts().iter().zip(&sizes).filter(|(f, _)| **f == 1);
    (alone().filter(|(_, size)| **size == 1).count() as f64, alone().map(|(_, size)| 1.0 / *size as f64).sum())
}

/// Of `draws` populations, in how many each of the two log-linear intervals holds the truth.
fn held(draws: usize, tie: f64, choice: ModelChoice) -> [usize; 2] {
    let mut random = Random(7);
    let mut held = [0, 0];
    for _ in 0..draws {
        let (population, sample) = keyed(&mut random, 8000, 0.25, tie);
        let risk = fitted(&sample, 0.25, choice);
        let (alone, right) = truth(&population, &sample);
        let holds = |interval: (f64, f64), value: f64| usize::from(interval.0 <= value && value <= interval.1);
        held[0] += holds(risk.population_uniques.interval, alone);
        held[1] += holds(risk.correct_matches.interval, right);
    }
    held
}

#[test]
fn log_linear_intervals_hold_the_truth_as_often_as_promised_where_the_model_is_true() {
    let independent = held(200, 0.0, ModelChoice::MainEffects);
    // 95 % of 200 is 190, give or take 3.1.
    assert!(independent.iter().all(|held| *held >= 181), "{independent:?} of 200");
}

#[test]
fn log_linear_intervals_are_somewhat_short_where_a_pair_of_keys_is_fitted() {
    let tied = held(50, 0.1, ModelChoice::Forward);
    println!("tied: {tied:?} of 50");
    assert!(tied.iter().all(|held| *held >= 38), "{tied:?} of 50");
}

#[test]
fn forward_choice_finds_the_tied_pair_and_comes_nearer_to_the_truth() {
    let (population, sample) = keyed(&mut Random(9), 20_000, 0.2, 0.6);
    let (alone, _) = truth(&population, &sample);
    let main = fitted(&sample, 0.2, ModelChoice::MainEffects);
    let chosen = fitted(&sample, 0.2, ModelChoice::Forward);
    println!("alone {alone}, main {main:?}, chosen {chosen:?}");
    assert!(main.fit.unwrap().uniques_standardised > 1.96);
    assert!(chosen.two_way.contains(&["one".to_owned(), "two".to_owned()]));
    assert!(chosen.fit.unwrap().uniques_standardised.abs() < main.fit.unwrap().uniques_standardised);
    let off = |risk: &LogLinearRisk| (risk.population_uniques.expected - alone).abs();
    assert!(off(&chosen) < off(&main));
}

#[test]
fn independent_keys_need_no_two_way_effects() {
    let mut random = Random(21);
    let chosen = (0..20).filter(|_| {
        let (_, sample) = keyed(&mut random, 10_000, 0.2, 0.0);
        !fitted(&sample, 0.2, ModelChoice::Forward).two_way.is_empty()
    });
    assert!(chosen.count() <= 2);
}

#[test]
fn a_cross_product_too_large_for_two_way_effects_is_said_to_be() {
    // Four keys of 60 values: 12,960,000 cells.
    let names = ["a", "b", "c", "d"];
    let columns: Vec<Vec<String>> = (0..4).map(|key| (0..60).map(|at| (at + key).to_string()).collect()).collect();
    let risk = fitted(&cells(&names, &columns, None), 0.1, ModelChoice::Forward);
    assert!(risk.note.unwrap().contains("12,960,000 cells"));
    assert!(risk.fit.is_some() && risk.two_way.is_empty());
    assert_eq!(risk.sample_uniques, 60);
}

#[test]
fn two_way_effects_of_two_keys_reproduce_the_sample() {
    let column = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let cells = cells(&["a", "b"], &[column("xxxyyz"), column("ppqqqp")], None);
    let risk = fitted(&cells, 0.5, ModelChoice::AllTwoWay);
    // Saturated: the sample uniques xq and zp have one expected in the sample and one more outside.
    close(risk.population_uniques.expected, 2.0 * (-1f64).exp(), 1e-9);
    close(risk.correct_matches.expected, 2.0 * (1.0 - (-1f64).exp()), 1e-9);
}

#[test]
fn every_estimate_is_a_share_and_a_larger_fraction_means_more_uniques() {
    // Of how many files each estimator gives a share for both fractions.
    let compared = [Cell::new(0u32), Cell::new(0)];
    let cases = (proptest::collection::vec(1u64..40, 2..200), 0.001f64..0.5, 1.01f64..2.0);
    check(256, &cases, |(sizes, low, more)| {
        let histogram = Histogram::from_class_sizes(sizes);
        for share in [low, low * more] {
            let found = measure_uniqueness(&histogram, fraction(share));
            for estimate in [&found.zayatz, &found.pitman, &found.snb, &found.chosen] {
                match estimate {
                    Estimate::Share(share) => prop_assert!((0.0..=1.0).contains(share)),
                    Estimate::Unavailable(reason) => prop_assert!(!reason.is_empty()),
                }
            }
        }
        for (estimator, compared) in [estimate_zayatz, estimate_pitman].iter().zip(&compared) {
            let [less, more] = [low, low * more].map(|share| estimator(&histogram, fraction(share)).share());
            if let (Some(less), Some(more)) = (less, more) {
                prop_assert!(less <= more * (1.0 + 1e-9), "{less} {more}");
                compared.update(|count| count + 1);
            }
        }
        Ok(())
    });
    println!("compared of 256: {compared:?}");
    assert!(compared.iter().all(|compared| compared.get() >= 128), "{compared:?}");
}
