//! Counts that others made of public data.

use outward_testing::real_data::path;

use super::{folder, json, outward};

#[test]
fn adult_has_18109_combinations_and_14021_uniques_on_its_eight_quasi_identifiers() {
    let file = path("adult/arx_adult_30162.csv.gz");
    let keys = "sex,age,race,marital-status,education,native-country,workclass,occupation";
    let found =
        json(&outward(folder().path(), &["assess", file.to_str().unwrap(), "--keys", keys, "--format", "json"]));
    assert_eq!(
        (&found["records"], &found["cells"], &found["uniques"]),
        (&30_162.into(), &18_109.into(), &14_021.into())
    );
    assert_eq!(found["tables"].as_array().unwrap().len(), 28 + 56 + 70 + 1);
}

#[test]
fn the_scottish_teaching_file_has_5221_combinations_and_2386_uniques_on_eight_keys() {
    let file = path("scotland2011_teaching_1pct.csv.gz");
    let keys = "Region,sex,age,Ethnic_Group,industry,Economic_Activity,religion,Country_Of_Birth";
    let found =
        json(&outward(folder().path(), &["assess", file.to_str().unwrap(), "--keys", keys, "--format", "json"]));
    assert_eq!((&found["records"], &found["cells"], &found["uniques"]), (&63_388.into(), &5_221.into(), &2_386.into()));
}

#[test]
fn sdcmicro_counts_3636_uniques_and_5124_records_below_three_in_the_generated_keys() {
    let file = path("keys_10k.csv.gz");
    let keys = "sex,age,race,marital,education,country,workclass";
    let args = ["assess", file.to_str().unwrap(), "--keys", keys, "--k", "3", "--format", "json"];
    let found = json(&outward(folder().path(), &args));
    assert_eq!(
        (&found["records"], &found["uniques"], &found["below_k"]),
        (&10_000.into(), &3_636.into(), &5_124.into())
    );
}

#[test]
fn keys_and_columns_of_real_files_are_suggested_without_error() {
    for name in ["westyorks_2024_casualties.csv.gz", "febrl3.csv.gz", "QS208EW.parquet", "adult/arx_adult_30162.csv.gz"]
    {
        let file = path(name);
        let folder = folder();
        let output = outward(folder.path(), &["init", file.to_str().unwrap(), "--format", "json"]);
        assert!(json(&output)["records"].as_u64().unwrap() > 0);
    }
}

#[test]
fn sdcmicro_expects_716_reidentifications_and_a_suda_score_of_221906_in_the_generated_keys() {
    let file = path("keys_10k.csv.gz");
    let keys = "sex,age,race,marital,education,country,workclass";
    let args = ["assess", file.to_str().unwrap(), "--keys", keys, "--weight", "weight", "--suda", "--format", "json"];
    let found = json(&outward(folder().path(), &args));
    let expected = found["expected_reidentifications"].as_f64().unwrap();
    assert!((expected / 716.246_469_503_743 - 1.0).abs() < 1e-12, "{expected}");
    assert_eq!(found["suda"]["score_sum"], 221_906.0);
}

#[test]
fn arx_estimates_these_shares_of_population_uniques_in_adult() {
    let file = path("adult/arx_adult_30162.csv.gz");
    let keys = "sex,age,race,marital-status,education,native-country";
    let args = ["assess", file.to_str().unwrap(), "--keys", keys, "--sampling-fraction", "0.01", "--format", "json"];
    let found = json(&outward(folder().path(), &args));
    for (name, arx) in [("pitman", 0.026_604_065_57), ("zayatz", 0.034_277_524_35)] {
        let ours = found["population"][name].as_f64().unwrap();
        assert!((ours - arx).abs() < 5e-11, "{name}: {ours}");
    }
}
