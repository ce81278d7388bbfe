//! Nothing that can stand in a file makes a recogniser or the profiler panic.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_profile::{recognise, scan};
use proptest::prelude::*;

use crate::table::profile;

/// Any text, and text made of the characters recognisers look for.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9A-Za-z @.,/:+()'é’\u{a0}-]{0,40}",
        "[0-9]{0,20}",
        "[A-Z]{1,2}[0-9]{1,2} ?[0-9][A-Z]{2}"
    ]
}

proptest! {
    #[test]
    fn recognisers_take_any_text(value in text()) {
        recognise::is_nhs_number(&value);
        recognise::is_email(&value);
        recognise::is_uk_phone(&value);
        recognise::is_mobile_without_zero(&value);
        recognise::postcode(&value);
        recognise::is_national_insurance(&value);
        recognise::is_ip_address(&value);
        recognise::is_card_number(&value);
        recognise::is_iban(&value);
        recognise::is_area_code(&value);
        recognise::is_sex(&value);
        recognise::is_point(&value);
        recognise::is_uk_latitude(&value);
        recognise::is_uk_longitude(&value);
        recognise::date(&value);
        recognise::is_timestamp(&value);
        recognise::street(&value);
        recognise::is_free_text(&value);
        recognise::person_name(&value);
        scan::scan_text(&value).count();
        scan::Scanner::new().with_births(1930..=1970).scan(&value);
    }

    #[test]
    fn the_profiler_takes_any_table(name in any::<String>(), values in prop::collection::vec(prop::option::of(text()), 0..60)) {
        let array: ArrayRef = Arc::new(StringArray::from(values));
        let table = RecordBatch::try_from_iter_with_nullable([(name, array, true)]).unwrap();
        let seen = profile(&table);
        prop_assert_eq!(seen.records, table.num_rows() as u64);
    }
}
