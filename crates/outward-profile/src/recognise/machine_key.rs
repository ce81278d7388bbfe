//! Keys that machines make: UUIDs, hashes, addresses of network cards. Each stands for the same thing in every file.

/// Whether the whole value is such a key: a UUID, 24 or more hexadecimal digits with letters among them, or six pairs of
/// hexadecimal digits.
pub fn is_machine_key(value: &str) -> bool {
    let value = value.trim();
    let value = value.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(value);
    let value = value.strip_prefix("urn:uuid:").unwrap_or(value);
    is_uuid(value) || is_hash(value) || is_card_address(value)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_uuid(value: &str) -> bool {
    let sizes = [8, 4, 4, 4, 12];
    value.len() == 36
        && [b'-', b'_'].iter().any(|mark| {
            let mut parts = value.split(|c| c == char::from(*mark));
            sizes.iter().all(|size| parts.next().is_some_and(|part| part.len() == *size && is_hexadecimal(part)))
                && parts.next().is_none()
        })
}

fn is_hash(value: &str) -> bool {
    value.len() >= 24
        && is_hexadecimal(value)
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_card_address(value: &str) -> bool {
    value.len() == 17
        && [':', '-'].iter().any(|mark| {
            let mut pairs = value.split(*mark);
            (0..6).all(|_| pairs.next().is_some_and(|pair| pair.len() == 2 && is_hexadecimal(pair)))
                && pairs.next().is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_hashes_and_card_addresses_are_found() {
        for value in [
            "123e4567-e89b-12d3-a456-426614174000",
            "{123E4567-E89B-12D3-A456-426614174000}",
            "d41d8cd98f00b204e9800998ecf8427e",
            "00:1A:2B:3C:4D:5E",
        ] {
            assert!(is_machine_key(value), "{value}");
        }
    }

    #[test]
    fn words_numbers_and_times_are_not() {
        for value in ["", "123456789012345678901234", "decade", "10:15:00", "2024-01-15T10:15:00", "a-b-c-d-e", "{}"] {
            assert!(!is_machine_key(value), "{value}");
        }
    }
}
