//! Social Security numbers of the United States: three, two and four digits (SSA, POMS RM 10201.030).

use super::digits::groups;

/// Whether the whole value is such a number in its groups: `123-45-6789`. Nine digits in one run could be anything.
pub fn is_social_security(value: &str) -> bool {
    if !(11..=15).contains(&value.trim().len()) {
        return false;
    }
    let Some(found) = groups(value).filter(|found| found.sizes == [3, 2, 4]) else { return false };
    let number = |part: &[u8]| part.iter().fold(0u32, |sum, digit| 10 * sum + u32::from(*digit));
    let area = number(&found.digits[..3]);
    !matches!(area, 0 | 666 | 900..) && number(&found.digits[3..5]) > 0 && number(&found.digits[5..]) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_their_groups_are_found() {
        for value in ["123-45-6789", "123 45 6789", "123.45.6789"] {
            assert!(is_social_security(value), "{value}");
        }
        for value in ["000-12-3456", "666-12-3456", "912-34-5678", "123-00-6789", "123456789", "12-345-6789"] {
            assert!(!is_social_security(value), "{value}");
        }
    }
}
