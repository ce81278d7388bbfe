//! Numbers in sentences.

/// A count with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share of values as the start of a sentence: `All 1,000 values`, `93.4% of 1,000 values`.
pub(crate) fn share_of(part: u64, whole: u64) -> String {
    match part {
        part if part == whole => format!("All {} values examined", count(whole)),
        part if part * 1_000 < whole => format!("{} of {} values examined", count(part), count(whole)),
        _ => format!("{} of {} values examined", percent(part as f64 / whole.max(1) as f64), count(whole)),
    }
}

/// A share in percent with one decimal; never rounded up to all nor down to none.
pub(crate) fn percent(share: f64) -> String {
    let rounded = (share * 1_000.0).round() / 10.0;
    match rounded {
        _ if share <= 0.0 => "0%".to_owned(),
        r if r < 0.1 => "less than 0.1%".to_owned(),
        r if r >= 100.0 && share < 1.0 => "more than 99.9%".to_owned(),
        r => format!("{r}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_all_or_none() {
        assert_eq!(percent(0.99999), "more than 99.9%");
        assert_eq!(percent(0.00001), "less than 0.1%");
        assert_eq!(percent(0.934), "93.4%");
        assert_eq!(percent(1.0), "100%");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!([count(999), count(1_000), count(12_345_678)], ["999", "1,000", "12,345,678"]);
    }
}
