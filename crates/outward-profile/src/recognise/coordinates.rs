//! Points on the map: pairs of degrees, National Grid references, and lone degrees that fall in these islands.

/// Whether the whole value is a point: `51.5014, -0.1419` or a grid reference of 100 metres or finer (`SU 387 148`).
pub fn is_point(value: &str) -> bool {
    is_pair(value.trim()) || is_grid_reference(value.trim())
}

/// Whether a number with at least four decimals lies between the latitudes of the United Kingdom and Ireland.
pub fn is_uk_latitude(value: &str) -> bool {
    degrees(value, 4).is_some_and(|degrees| (49.8..=60.9).contains(&degrees))
}

/// Whether a number with at least four decimals lies between the longitudes of the United Kingdom and Ireland.
pub fn is_uk_longitude(value: &str) -> bool {
    degrees(value, 4).is_some_and(|degrees| (-10.7..=1.8).contains(&degrees))
}

fn degrees(value: &str, decimals: usize) -> Option<f64> {
    let value = value.trim();
    let (whole, part) = value.strip_prefix('-').unwrap_or(value).split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let shaped = (1..=3).contains(&whole.len()) && part.len() >= decimals && digits(whole) && digits(part);
    if shaped { value.parse().ok() } else { None }
}

fn is_pair(value: &str) -> bool {
    let value = value.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(value);
    let Some((north, east)) = value.split_once([',', ';', ' ']) else { return false };
    let within = |text: &str, limit: f64| degrees(text, 3).is_some_and(|degrees| degrees.abs() <= limit);
    within(north, 90.0) && within(east, 180.0)
}

fn is_grid_reference(value: &str) -> bool {
    let mut pieces = value.split(' ');
    let (letters, digits) = match (pieces.next(), pieces.next(), pieces.next(), pieces.next()) {
        (Some(all), None, None, None) => match all.split_at_checked(2) {
            Some((letters, digits)) => (letters, [digits, ""]),
            None => return false,
        },
        (Some(letters), Some(east), Some(north), None) if east.len() == north.len() => (letters, [east, north]),
        _ => return false,
    };
    let size: usize = digits.iter().map(|half| half.len()).sum();
    // The first letter is the 500 km square, of which only these hold land.
    matches!(letters.as_bytes(), [b'H' | b'N' | b'O' | b'S' | b'T', square] if square.is_ascii_uppercase() && *square != b'I')
        && matches!(size, 6 | 8 | 10)
        && digits.iter().all(|half| half.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found() {
        for value in ["51.5014,-0.1419", "(53.702, -1.783)", "SU 387 148", "SU387148", "TQ 30084 80462"] {
            assert!(is_point(value), "{value}");
        }
        assert!(is_uk_latitude("53.70214") && is_uk_longitude("-1.78346"));
    }

    #[test]
    fn measurements_and_codes_are_not() {
        for value in ["51.5", "1,250", "12.50, 3.20", "SU38714", "AB123456", "SU 387", "95.1234,10.1234", "é1"] {
            assert!(!is_point(value), "{value}");
        }
        assert!(!is_uk_latitude("53.7") && !is_uk_latitude("40.71280") && !is_uk_longitude("x.12345"));
    }
}
